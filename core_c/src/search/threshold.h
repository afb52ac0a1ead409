/* The table, the path and the groups with which one question of the margin search works (threshold.inc). */
#ifndef RINGFEN_THRESHOLD_H
#define RINGFEN_THRESHOLD_H

#include "control.h"
#include "game.h"
#include "search/margin_team.h"
#include "search/margins.h"


enum {
    RF_MARGIN_RANKS = 64,
    RF_FRAMES_PER_CHUNK = 256,
    RF_MOST_CHUNKS = 1024,       /* of frames: no path is longer than 2^18 positions */
    RF_MOST_GROUPS = 1 << 22,
    RF_PATH_LISTS = 1 << 16,
    RF_HISTORY_LIMIT = 1 << 24,
    RF_NOT_PROVISIONAL = 127            /* in place of the threshold of a provisional failure */
};

static const uint32_t rf_depends_on_nothing RF_UNUSED = UINT32_MAX;

/* A position on the path. */
typedef struct rf_margin_frame {
    rf_state state;
    uint64_t key;
    uint64_t nodes_before;
    rf_ply *plies;        /* in the order in which they are tried */
    uint32_t count, next;
    uint32_t fresh;       /* of the plies, those that have not been put off come before this one */
    uint32_t since;       /* depth of the first position after the last progress */
    uint32_t low, high;   /* depths of the open positions on which failures below hang; low > high: none */
    uint32_t groups_before;
    rf_ply best;
    int wanted;           /* the answer that the player to move wants */
} rf_margin_frame;

/* What is known of a position, from the table. */
typedef struct {
    rf_margin_slot *slot;
    int lower, upper; /* South's margin lies between */
    int provisional;     /* threshold of a provisional failure, or RF_NOT_PROVISIONAL */
    uint32_t group;
} rf_margin_fact;

typedef struct {
    int answer;
    uint32_t low, high; /* of a failure: what it depends on */
} rf_margin_answer;

static inline rf_margin_answer rf_plain(int answer) { return (rf_margin_answer){answer, rf_depends_on_nothing, 0}; }

static inline rf_margin_slot *rf_margin_find(const rf_margin *m, uint64_t key)
{
    rf_margin_slot *bucket = &m->slots[key & m->mask & ~(uint64_t)(RF_MARGIN_BUCKET - 1)];
    for (int i = 0; i < RF_MARGIN_BUCKET; i++)
        if (bucket[i].key == key)
            return &bucket[i];
    return NULL;
}

void rf_margin_grow_table(rf_margin *m);

/* The slot of a key, or the one that has cost least, emptied. `a_empty` is the first word of an empty entry. Slots
 * found before move. */
static inline rf_margin_slot *rf_margin_make(rf_margin *m, uint64_t key, uint64_t a_empty)
{
    if (RF_UNLIKELY(m->used > m->grow_at))
        rf_margin_grow_table(m);
    rf_margin_slot *bucket = &m->slots[key & m->mask & ~(uint64_t)(RF_MARGIN_BUCKET - 1)], *least = bucket;
    for (int i = 0; i < RF_MARGIN_BUCKET; i++) {
        if (bucket[i].key == key)
            return &bucket[i];
        if (bucket[i].b >> RF_EFFORT_SHIFT < least->b >> RF_EFFORT_SHIFT)
            least = &bucket[i];
    }
    m->used += least->key == 0;
    *least = (rf_margin_slot){key, a_empty, 0};
    return least;
}

/* Prefetches the bucket of a key. */
static inline void rf_margin_prefetch(const rf_margin *m, uint64_t key)
{
    const rf_margin_slot *bucket = &m->slots[key & m->mask & ~(uint64_t)(RF_MARGIN_BUCKET - 1)];
    __builtin_prefetch(bucket);
    __builtin_prefetch(&bucket[RF_MARGIN_BUCKET - 1]);
}

/* Notes the number of nodes that an entry took: its logarithm decides what stays in a full bucket. */
static inline void rf_margin_effort(rf_margin_slot *slot, uint64_t nodes)
{
    uint64_t effort = 64 - (uint64_t)__builtin_clzll(nodes | 1);
    if (effort > slot->b >> RF_EFFORT_SHIFT)
        slot->b = (slot->b & ((UINT64_C(1) << RF_EFFORT_SHIFT) - 1)) | effort << RF_EFFORT_SHIFT;
}

static inline uint64_t rf_margin_pack(uint32_t group, int lower, int upper, int provisional)
{
    return (uint64_t)group << 32 | (uint64_t)(uint8_t)lower << 16 | (uint64_t)(uint8_t)upper << 8 | (uint8_t)provisional;
}

static inline rf_margin_fact rf_margin_unpack(rf_margin_slot *slot)
{
    uint64_t a = slot->a;
    return (rf_margin_fact){slot, (int8_t)(a >> 16), (int8_t)(a >> 8), (int8_t)a, (uint32_t)(a >> 32)};
}

static inline void rf_margin_write(const rf_margin_fact *f)
{
    f->slot->a = rf_margin_pack(f->group, f->lower, f->upper, f->provisional);
}

/* The first word of an entry that knows nothing. */
static inline uint64_t rf_margin_nothing(void)
{
    return rf_margin_pack(0, -RF_MOST_MARGIN - 1, RF_MOST_MARGIN + 1, RF_NOT_PROVISIONAL);
}

/* The entry of a position for writing; a new one knows nothing. */
static inline rf_margin_fact rf_margin_fact_for(rf_margin *m, uint64_t key)
{
    return rf_margin_unpack(rf_margin_make(m, key, rf_margin_nothing()));
}

/* ---- entries that are proven for good ----
 * They are in the table of the thread, or in that of all threads if there are several. */

static inline void rf_margin_prefetch_proven(const rf_margin *m, uint64_t key)
{
    if (RF_UNLIKELY(m->team != NULL))
        rf_team_prefetch(m->team, key);
    else
        rf_margin_prefetch(m, key);
}

/* The entry, with several threads a copy of it; NULL if there is none. */
static inline rf_margin_slot *rf_margin_find_proven(const rf_margin *m, uint64_t key, rf_margin_slot *copy)
{
    if (RF_LIKELY(m->team == NULL))
        return rf_margin_find(m, key);
    return rf_team_get(m->team, key, copy) ? copy : NULL;
}

/* As rf_margin_make, but with several threads a copy, until rf_margin_keep_proven. */
static inline rf_margin_slot *rf_margin_make_proven(rf_margin *m, uint64_t key, uint64_t a_empty, rf_margin_slot *copy)
{
    if (RF_LIKELY(m->team == NULL))
        return rf_margin_make(m, key, a_empty);
    if (!rf_team_get(m->team, key, copy))
        *copy = (rf_margin_slot){key, a_empty, 0};
    return copy;
}

static inline void rf_margin_keep_proven(rf_margin *m, const rf_margin_slot *slot)
{
    if (RF_UNLIKELY(m->team != NULL))
        rf_team_put(m->team, slot);
}

/* The attacker's success or failure at a threshold, as a bound for South's margin. */
static inline void rf_margin_note(rf_margin_fact *f, int threshold, int answer)
{
    bool at_least = (threshold > 0) == (answer == RF_SUCCEEDS);
    if (at_least && threshold > f->lower)
        f->lower = threshold;
    if (!at_least && threshold - 1 < f->upper)
        f->upper = threshold - 1;
}

static inline uint32_t rf_group_root(rf_margin_group *groups, uint32_t group)
{
    while (groups[group].parent != group) {
        groups[group].parent = groups[groups[group].parent].parent;
        group = groups[group].parent;
    }
    return group;
}

/* What the threads have in common of a position, in an entry of its own if that answers the question. */
rf_margin_answer rf_margin_ask_team(rf_margin *m, uint64_t key, int threshold);
/* Adds an entry of lower and upper bounds to what the threads have in common. */
void rf_margin_tell_team(rf_margin *m, const rf_margin_fact *f);

/* What the table says to the question, if anything. Provisional failures whose fate is decided are cleared up. */
static inline rf_margin_answer rf_margin_known(rf_margin *m, rf_margin_fact f, int threshold)
{
    int attacker_wins = threshold > 0 ? f.lower >= threshold : f.upper < threshold;
    if (attacker_wins)
        return rf_plain(RF_SUCCEEDS);
    if (threshold > 0 ? f.upper < threshold : f.lower >= threshold)
        return rf_plain(RF_FAILS);
    /* What an attacker cannot reach at a threshold it cannot at one that asks more. */
    bool covered = f.provisional != RF_NOT_PROVISIONAL && (f.provisional > 0) == (threshold > 0) &&
                   (threshold > 0 ? threshold >= f.provisional : threshold <= f.provisional);
    if (!covered)
        return rf_plain(RF_UNDECIDED);
    const rf_margin_group *g = &m->groups[rf_group_root(m->groups, f.group)];
    if (g->state == RF_GROUP_OPEN)
        return (rf_margin_answer){RF_FAILS, g->low, g->high};
    if (g->state == RF_GROUP_PROVEN)
        rf_margin_note(&f, f.provisional, RF_FAILS);
    f.provisional = RF_NOT_PROVISIONAL;
    rf_margin_write(&f);
    if (RF_UNLIKELY(m->team != NULL) && g->state == RF_GROUP_PROVEN)
        rf_margin_tell_team(m, &f);
    return rf_plain(g->state == RF_GROUP_PROVEN ? RF_FAILS : RF_UNDECIDED);
}

/* History heuristic: a ply of `side` decided a position. */
static inline void rf_margin_update_history(rf_margin *m, unsigned side, rf_ply ply)
{
    if (++m->history[side][ply % RF_MARGIN_HISTORY] < RF_HISTORY_LIMIT)
        return;
    for (int i = 0; i < 2 * RF_MARGIN_HISTORY; i++)
        m->history[i / RF_MARGIN_HISTORY][i % RF_MARGIN_HISTORY] /= 2;
}

bool rf_margin_grow_path(rf_margin *m, uint32_t depth, rf_control *control);
void rf_margin_tidy_groups(rf_margin *m, rf_control *control);

static inline rf_margin_frame *rf_margin_frame_at(const rf_margin *m, uint32_t depth)
{
    return &m->chunks[depth / RF_FRAMES_PER_CHUNK][depth % RF_FRAMES_PER_CHUNK];
}

/* Depth, from 1 on, of the last position on the path with this key since depth `since`; 0 if there is none. */
static inline uint32_t rf_margin_on_path(const rf_margin *m, uint64_t key, uint32_t since)
{
    uint32_t at = m->path_last[key % RF_PATH_LISTS];
    while (at > since && m->path_keys[at - 1] != key)
        at = m->path_before[at - 1];
    return at > since ? at : 0;
}

static inline void rf_margin_enter_path(rf_margin *m, uint64_t key, uint32_t depth)
{
    uint32_t *last = &m->path_last[key % RF_PATH_LISTS];
    m->path_keys[depth] = key;
    m->path_before[depth] = *last;
    *last = depth + 1;
    rf_team_begin(m, key);
}

static inline void rf_margin_leave_path(rf_margin *m, uint32_t depth)
{
    m->path_last[m->path_keys[depth] % RF_PATH_LISTS] = m->path_before[depth];
    rf_team_end(m, m->path_keys[depth]);
}

/* The ply that was tried last becomes the last one. */
static inline void rf_margin_put_off(rf_margin_frame *f)
{
    rf_ply ply = f->plies[--f->next];
    memmove(&f->plies[f->next], &f->plies[f->next + 1], (f->count - f->next - 1) * sizeof *f->plies);
    f->plies[f->count - 1] = ply;
    f->fresh--;
}

/* If another thread has answered a position on the path below the first, takes those after it off the path; gives that
 * answer and, in *depth, where the position is. */
rf_margin_answer rf_margin_scan_path(rf_margin *m, uint32_t *depth, int threshold, uint64_t nodes);

/* The position at `depth` has succeeded: what depended on its failing is void. */
static inline void rf_margin_succeeded(rf_margin *m, const rf_margin_frame *f, uint32_t depth)
{
    uint32_t kept = f->groups_before;
    for (uint32_t i = kept; i < m->open_count; i++) {
        rf_margin_group *g = &m->groups[m->open_groups[i]];
        if (g->high >= depth)
            g->state = RF_GROUP_VOID;
        else
            m->open_groups[kept++] = m->open_groups[i];
    }
    m->open_count = kept;
}

/* It has failed and depends on nothing above: so does what depended on nothing but it. */
static inline void rf_margin_failed(rf_margin *m, const rf_margin_frame *f, uint32_t depth)
{
    uint32_t kept = f->groups_before;
    for (uint32_t i = kept; i < m->open_count; i++) {
        rf_margin_group *g = &m->groups[m->open_groups[i]];
        if (g->low >= depth) {
            g->state = RF_GROUP_PROVEN;
            continue;
        }
        if (g->high >= depth)
            g->high = depth - 1;
        m->open_groups[kept++] = m->open_groups[i];
    }
    m->open_count = kept;
}

/* It has failed, depending on positions above: it begins a group, and what depended on it joins. */
static inline uint32_t rf_margin_add_group(rf_margin *m, const rf_margin_frame *f, uint32_t depth)
{
    uint32_t group = m->group_count++, kept = f->groups_before;
    rf_margin_group *mine = &m->groups[group];
    *mine = (rf_margin_group){group, RF_GROUP_OPEN, f->low, f->high < depth ? f->high : depth - 1};
    for (uint32_t i = kept; i < m->open_count; i++) {
        rf_margin_group *g = &m->groups[m->open_groups[i]];
        if (g->high < depth) {
            m->open_groups[kept++] = m->open_groups[i];
            continue;
        }
        g->parent = group;
        if (g->low < mine->low)
            mine->low = g->low;
        uint32_t high = g->high < depth ? g->high : depth - 1;
        if (high > mine->high)
            mine->high = high;
    }
    m->open_groups[kept++] = group;
    m->open_count = kept;
    return group;
}

#endif
