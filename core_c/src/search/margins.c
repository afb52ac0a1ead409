#include "search/margins.h"

#include <stdlib.h>

#include "common/position_set.h"
#include "search/threshold.h"

/* ---- memory ---- */

/* A small table is faster while it is enough. */
enum { FIRST_SLOTS = 1 << 14, GROWTH = 4 };

/* Found by trial. */
enum { USUALLY_EASY = 1 << 12 };

static void set_table(rf_margin *m, rf_margin_slot *slots, uint64_t count)
{
    m->slots = slots;
    m->mask = count - 1;
    m->used = 0;
    m->grow_at = count < m->most_slots ? count / 2 : UINT64_MAX;
}

/* Four times the table, up to what it may have; if there is no memory it stays as it is. */
void rf_margin_grow_table(rf_margin *m)
{
    uint64_t count = m->mask + 1, more = count * GROWTH < m->most_slots ? count * GROWTH : m->most_slots;
    rf_margin_slot *old = m->slots, *slots = calloc((size_t)more, sizeof *slots);
    if (slots == NULL) {
        m->grow_at = UINT64_MAX;
        return;
    }
    set_table(m, slots, more);
    for (uint64_t i = 0; i < count; i++)
        if (old[i].key != 0)
            *rf_margin_make(m, old[i].key, 0) = old[i];
    free(old);
}

/* ---- blocks ---- */

enum { FIRST_WORDS = 1 << 14, WORDS_PER_PLACE = 32, BLOCK_UNIT = 8 };

/* Whether a place still has its block: nothing has been written over it. */
static bool block_is_there(const rf_margin_blocks *b, const rf_margin_place *place)
{
    return place->key != 0 && place->at + b->room >= b->head;
}

static rf_margin_place *place_bucket(const rf_margin_blocks *b, uint64_t key)
{
    return &b->places[key & b->place_mask & ~(uint64_t)(RF_PLACE_BUCKET - 1)];
}

/* Room for a new place: an empty one, else the oldest. */
static rf_margin_place *place_for(const rf_margin_blocks *b, uint64_t key)
{
    rf_margin_place *bucket = place_bucket(b, key), *oldest = bucket;
    for (int i = 0; i < RF_PLACE_BUCKET; i++) {
        if (!block_is_there(b, &bucket[i]))
            return &bucket[i];
        if (bucket[i].at < oldest->at)
            oldest = &bucket[i];
    }
    return oldest;
}

/* Twice the room, as long as nothing has been overwritten; if there is no memory it stays as it is. */
static bool blocks_grow(rf_margin_blocks *b)
{
    uint64_t room = b->room == 0 ? FIRST_WORDS : 2 * b->room, places = room / WORDS_PER_PLACE;
    rf_margin_place *old = b->places, *fresh = calloc((size_t)places, sizeof *fresh);
    uint64_t *words = fresh == NULL ? NULL : realloc(b->words, (size_t)room * sizeof *words);
    if (words == NULL) {
        free(fresh);
        b->most = b->room;
        return false;
    }
    uint64_t count = b->room == 0 ? 0 : b->place_mask + 1;
    *b = (rf_margin_blocks){words, fresh, room, b->most, b->head, places - 1};
    for (uint64_t i = 0; i < count; i++)
        if (old[i].key != 0)
            *place_for(b, old[i].key) = old[i];
    free(old);
    return true;
}

/* Words up to the end of the ring. */
static uint64_t blocks_left(const rf_margin_blocks *b) { return b->room - (b->head & (b->room - 1)); }

static uint64_t *find_block(const rf_margin_blocks *b, uint64_t key)
{
    if (b->words == NULL)
        return NULL;
    const rf_margin_place *bucket = place_bucket(b, key);
    for (int i = 0; i < RF_PLACE_BUCKET; i++)
        if (bucket[i].key == key && block_is_there(b, &bucket[i]))
            return &b->words[bucket[i].at & (b->room - 1)] + 1;
    return NULL;
}

/* Room for the block of a key; NULL without memory. */
static uint64_t *make_block(rf_margin_blocks *b, uint64_t key, size_t words)
{
    if (words > RF_MOST_BLOCK || (b->room == 0 && !blocks_grow(b)))
        return NULL;
    uint64_t *known = find_block(b, key);
    if (known != NULL && known[-1] >= words)
        return known;
    /* The word before a block holds how many it has room for: some more, as a block grows when it is made again. */
    uint64_t length = (words + words / 4 + 1 + BLOCK_UNIT) / BLOCK_UNIT * BLOCK_UNIT;
    if (b->room < b->most && b->head + length > b->room)
        blocks_grow(b);
    if (length > blocks_left(b)) /* no block goes over the end */
        b->head += blocks_left(b);
    uint64_t at = b->head;
    rf_margin_place *place = NULL, *bucket = place_bucket(b, key);
    b->head += length;
    for (int i = 0; i < RF_PLACE_BUCKET; i++)
        if (bucket[i].key == key)
            place = &bucket[i];
    if (place == NULL)
        place = place_for(b, key);
    *place = (rf_margin_place){key, at};
    uint64_t *block = &b->words[at & (b->room - 1)];
    *block = length - 1;
    return block + 1;
}

/* Blocks of this thread, or of all threads if there are several: then others wait. */
static rf_margin_blocks *take_blocks(rf_margin *m, uint64_t key)
{
    return m->team == NULL ? &m->blocks : rf_team_take_blocks(m->team, key);
}

static void give_blocks(rf_margin *m, uint64_t key)
{
    if (m->team != NULL)
        rf_team_give_blocks(m->team, key);
}

const uint64_t *rf_margin_open_block(rf_margin *m, uint64_t key)
{
    const uint64_t *block = find_block(take_blocks(m, key), key);
    if (block == NULL)
        give_blocks(m, key);
    return block;
}

void rf_margin_close_block(rf_margin *m, uint64_t key) { give_blocks(m, key); }

void rf_margin_keep_block(rf_margin *m, uint64_t key, const uint64_t *words, size_t count)
{
    uint64_t *block = make_block(take_blocks(m, key), key, count);
    if (block != NULL)
        memcpy(block, words, count * sizeof *words);
    give_blocks(m, key);
}

void rf_margin_free_blocks(rf_margin_blocks *b)
{
    free(b->words);
    free(b->places);
}

uint64_t rf_margin_bytes_of_words(uint64_t words)
{
    return words * sizeof(uint64_t) + words / WORDS_PER_PLACE * sizeof(rf_margin_place);
}

uint64_t rf_margin_most_words(uint64_t bytes)
{
    uint64_t words = FIRST_WORDS;
    while (rf_margin_bytes_of_words(2 * words) <= bytes)
        words *= 2;
    return words;
}

void *rf_margin_take_room(rf_margin *m, size_t bytes)
{
    rf_margin_room *room = m->rooms;
    if (room == NULL)
        room = malloc(sizeof *room + bytes);
    else
        m->rooms = room->next;
    return room == NULL ? NULL : room + 1;
}

void rf_margin_give_room(rf_margin *m, void *taken)
{
    rf_margin_room *room = (rf_margin_room *)taken - 1;
    room->next = m->rooms;
    m->rooms = room;
}

rf_margin *rf_margin_new(const rf_game *game, uint64_t bytes)
{
    if (game->margins == NULL)
        return NULL;
    rf_margin *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->game = game;
    m->easy = USUALLY_EASY;
    m->most_groups = RF_MOST_GROUPS;
    m->harder = m->easier = RF_NO_THRESHOLD;
    m->most_slots = FIRST_SLOTS;
    while (m->most_slots <= bytes / 2 / sizeof *m->slots / 2 && m->most_slots < (UINT64_C(1) << 40))
        m->most_slots *= 2;
    uint64_t taken = m->most_slots * sizeof *m->slots;
    m->blocks.most = rf_margin_most_words(bytes > taken ? bytes - taken : 0);
    set_table(m, calloc(FIRST_SLOTS, sizeof *m->slots), FIRST_SLOTS);
    m->groups = malloc(RF_MOST_GROUPS * sizeof *m->groups);
    m->open_groups = malloc(RF_MOST_GROUPS * sizeof *m->open_groups);
    m->path_keys = malloc((size_t)RF_MOST_CHUNKS * RF_FRAMES_PER_CHUNK * sizeof *m->path_keys);
    m->path_before = malloc((size_t)RF_MOST_CHUNKS * RF_FRAMES_PER_CHUNK * sizeof *m->path_before);
    m->path_last = calloc(RF_PATH_LISTS, sizeof *m->path_last);
    m->chunks = calloc(RF_MOST_CHUNKS, sizeof(struct rf_margin_frame *));
    m->chunk_plies = calloc(RF_MOST_CHUNKS, sizeof *m->chunk_plies);
    if (m->slots == NULL || m->groups == NULL || m->open_groups == NULL || m->path_keys == NULL ||
        m->path_before == NULL || m->path_last == NULL || m->chunks == NULL || m->chunk_plies == NULL) {
        rf_margin_free(m);
        return NULL;
    }
    return m;
}

void rf_margin_free(rf_margin *m)
{
    if (m == NULL)
        return;
    for (uint32_t i = 0; i < m->chunk_count; i++) {
        free(m->chunks[i]);
        free(m->chunk_plies[i]);
    }
    free(m->chunks);
    free(m->chunk_plies);
    free(m->path_keys);
    free(m->path_before);
    free(m->path_last);
    free(m->open_groups);
    free(m->groups);
    free(m->slots);
    rf_margin_free_blocks(&m->blocks);
    for (rf_margin_room *room = m->rooms, *next; room != NULL; room = next) {
        next = room->next;
        free(room);
    }
    free(m);
}

/* Makes room for a frame at `depth`; false, and the control stopped, if there is none to be had. */
bool rf_margin_grow_path(rf_margin *m, uint32_t depth, rf_control *control)
{
    uint32_t chunk = depth / RF_FRAMES_PER_CHUNK;
    if (chunk < m->chunk_count)
        return true;
    struct rf_margin_frame *frames = NULL;
    rf_ply *plies = NULL;
    if (chunk < RF_MOST_CHUNKS) {
        frames = malloc(RF_FRAMES_PER_CHUNK * sizeof *frames);
        plies = malloc((size_t)RF_FRAMES_PER_CHUNK * m->game->max_plies * sizeof *plies);
    }
    if (frames == NULL || plies == NULL) {
        free(frames);
        free(plies);
        control->stopped = RF_STOPPED_MEMORY;
        return false;
    }
    for (uint32_t i = 0; i < RF_FRAMES_PER_CHUNK; i++)
        frames[i].plies = plies + (size_t)i * m->game->max_plies;
    m->chunks[chunk] = frames;
    m->chunk_plies[chunk] = plies;
    m->chunk_count++;
    return true;
}

/* The place of an open group among the open ones, which stand in rising order. */
static uint32_t place_of_open(const rf_margin *m, uint32_t group)
{
    uint32_t low = 0, high = m->open_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (m->open_groups[middle] <= group)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Numbers the groups anew from 0: only the open ones are still needed once every provisional entry is cleared up. */
void rf_margin_tidy_groups(rf_margin *m, rf_control *control)
{
    for (uint64_t i = 0; i <= m->mask; i++) {
        rf_margin_fact f = rf_margin_unpack(&m->slots[i]);
        if (m->slots[i].key == 0 || m->slots[i].b & RF_MARGIN_OWN || f.provisional == RF_NOT_PROVISIONAL)
            continue;
        uint32_t root = rf_group_root(m->groups, f.group);
        if (m->groups[root].state == RF_GROUP_OPEN) {
            f.group = place_of_open(m, root);
        } else {
            if (m->groups[root].state == RF_GROUP_PROVEN)
                rf_margin_note(&f, f.provisional, RF_FAILS);
            f.provisional = RF_NOT_PROVISIONAL;
        }
        rf_margin_write(&f);
    }
    for (uint32_t i = 0; i < m->open_count; i++) {
        m->groups[i] = m->groups[m->open_groups[i]];
        m->groups[i].parent = i;
        m->open_groups[i] = i;
    }
    m->group_count = m->open_count;
    if (m->group_count >= m->most_groups)
        control->stopped = RF_STOPPED_MEMORY;
}

/* ---- other threads ---- */

enum { NODES_BETWEEN_SCANS = 1 << 10 };

rf_margin_answer rf_margin_ask_team(rf_margin *m, uint64_t key, int threshold)
{
    rf_margin_slot slot;
    if (!rf_team_get(m->team, key, &slot))
        return rf_plain(RF_UNDECIDED);
    rf_margin_fact theirs = rf_margin_unpack(&slot);
    bool at_least = theirs.lower >= threshold, below = theirs.upper < threshold;
    if (!at_least && !below)
        return rf_plain(RF_UNDECIDED);
    rf_margin_fact mine = rf_margin_fact_for(m, key);
    mine.lower = theirs.lower > mine.lower ? theirs.lower : mine.lower;
    mine.upper = theirs.upper < mine.upper ? theirs.upper : mine.upper;
    rf_margin_write(&mine);
    mine.slot->b |= slot.b & UINT32_MAX & -(uint64_t)((mine.slot->b & UINT32_MAX) == 0);
    return rf_plain(at_least == (threshold > 0) ? RF_SUCCEEDS : RF_FAILS);
}

rf_margin_answer rf_margin_scan_path(rf_margin *m, uint32_t *depth, int threshold, uint64_t nodes)
{
    m->next_scan = nodes + NODES_BETWEEN_SCANS;
    for (uint32_t at = 1; at <= *depth; at++) {
        rf_margin_frame *f = rf_margin_frame_at(m, at);
        rf_margin_answer known = rf_margin_ask_team(m, f->key, threshold);
        if (known.answer == RF_UNDECIDED)
            continue;
        for (uint32_t left = *depth; left > at; left--)
            rf_margin_leave_path(m, left);
        rf_margin_succeeded(m, f, at); /* in any case the groups that depend on what comes after are void */
        f->best = (rf_ply)rf_margin_find(m, f->key)->b;
        f->low = rf_depends_on_nothing;
        f->high = 0;
        *depth = at;
        return known;
    }
    return rf_plain(RF_UNDECIDED);
}

void rf_margin_tell_team(rf_margin *m, const rf_margin_fact *f)
{
    rf_margin_slot slot = {f->slot->key, rf_margin_pack(0, f->lower, f->upper, RF_NOT_PROVISIONAL), f->slot->b}, there;
    if (rf_team_get(m->team, slot.key, &there)) {
        rf_margin_fact theirs = rf_margin_unpack(&there);
        int lower = theirs.lower > f->lower ? theirs.lower : f->lower;
        slot.a = rf_margin_pack(0, lower, theirs.upper < f->upper ? theirs.upper : f->upper, RF_NOT_PROVISIONAL);
    }
    rf_team_put(m->team, &slot);
}

/* ---- values ---- */

/* The nearest threshold asked before in steps of `step` from this one, with the same attacker. */
static int asked_before(const rf_margin *m, int threshold, int step)
{
    for (int t = threshold + step; t >= -RF_MOST_MARGIN && t <= RF_MOST_MARGIN; t += step)
        if ((t > 0) != (threshold > 0))
            break;
        else if (m->asked[t + RF_MOST_MARGIN])
            return t;
    return RF_NO_THRESHOLD;
}

void rf_margin_near(const rf_margin *m, int threshold, int *harder, int *easier)
{
    *harder = asked_before(m, threshold, threshold > 0 ? 1 : -1);
    *easier = asked_before(m, threshold, threshold > 0 ? -1 : 1);
}

void rf_margin_set_easy(rf_margin *m, uint64_t nodes) { m->easy = nodes; }

void rf_margin_set_groups(rf_margin *m, uint32_t most) { m->most_groups = most < RF_MOST_GROUPS ? most : RF_MOST_GROUPS; }

/* The attacker's answer, as an answer to 'at least `threshold`?'; -1 if stopped. */
static int ask_alone(rf_margin *m, const void *ctx, const rf_state *s, int threshold, rf_control *control)
{
    for (uint32_t i = 0; i < m->open_count; i++) /* left by a call that was stopped */
        m->groups[m->open_groups[i]].state = RF_GROUP_VOID;
    m->open_count = 0;
    rf_margin_near(m, threshold, &m->harder, &m->easier);
    m->asked[threshold + RF_MOST_MARGIN] = true;
    m->root_has_ply = false;
    m->next_scan = m->next_work_scan = 0;
    m->work_count = 0;
    m->work_done = -1;
    m->begun = control->nodes;
    int answer = m->game->margins->attack(m, ctx, s, threshold, control);
    if (control->stopped != RF_DONE)
        return -1;
    return threshold > 0 ? answer : !answer;
}

/* The answer of this thread, or of the first helper to have it. */
static int ask_with_helpers(rf_margin *m, const void *ctx, const rf_state *s, int threshold, rf_control *control)
{
    int answer;
    rf_team_announce(m->team, ctx, s, threshold);
    control->answered = &m->team->stops[0];
    do {
        answer = ask_alone(m, ctx, s, threshold, control);
        if (control->stopped == RF_STOPPED_ANSWERED) {
            control->stopped = RF_DONE;
            answer = rf_team_take_answer(m);
        }
    } while (answer < 0 && control->stopped == RF_DONE);
    control->answered = NULL;
    rf_team_finish(m->team);
    return answer;
}

int rf_margin_ask(rf_margin *m, const void *ctx, const rf_state *s, int threshold, rf_control *control)
{
    if (threshold < -RF_MOST_MARGIN || threshold > RF_MOST_MARGIN)
        return threshold < 0;
    if (m->team != NULL && m->helper == 0)
        return ask_with_helpers(m, ctx, s, threshold, control);
    return ask_alone(m, ctx, s, threshold, control);
}

/* What is known of South's margin. */
typedef struct {
    rf_margin *m;
    const void *ctx;
    const rf_state *s;
    rf_control *control;
    int bounds[2];
    int before[2];  /* the bounds before the last answer */
    bool strides;   /* the game has a way of its own to bounds, which go beyond what was asked */
    bool has_ply;   /* a ply is known to keep the lower bound, or for North the upper one */
    rf_ply ply;
} margin_search;

/* Asks whether South's margin is at least `threshold`, which lies above the lower bound and not above the upper one, with
 * as many nodes. Whether it was answered; the bounds then lie on one side of the threshold. */
static bool margin_asked(margin_search *n, int threshold, uint64_t nodes)
{
    rf_margin *m = n->m;
    int bounds[2] = {n->bounds[0], n->bounds[1]};
    uint64_t whole = rf_begin_part(n->control, nodes);
    n->strides = m->game->margins->bounds != NULL &&
                 m->game->margins->bounds(m, n->ctx, n->s, threshold, bounds, n->control);
    int answer = n->strides ? -1 : rf_margin_ask(m, n->ctx, n->s, threshold, n->control);
    rf_end_part(n->control, whole);
    if (answer >= 0)
        bounds[!answer] = answer ? threshold : threshold - 1;
    if (bounds[0] == n->bounds[0] && bounds[1] == n->bounds[1])
        return false;
    if (answer >= 0 && (m->game->player(n->ctx, n->s) == 1) == (answer != 0)) {
        n->has_ply = m->root_has_ply;
        n->ply = m->root_ply;
    }
    memcpy(n->before, n->bounds, sizeof n->before);
    memcpy(n->bounds, bounds, sizeof n->bounds);
    return true;
}

static bool margin_is_open(const margin_search *n)
{
    return n->bounds[0] < n->bounds[1] && n->control->stopped == RF_DONE;
}

enum { THRESHOLD_STEP = 2 };

/* From a threshold on, each question next to the last answer: in steps, as what is known at one threshold helps at the
 * next. Ends with a question that is not answered and gives its threshold. */
static int walk_on(margin_search *n, int threshold, uint64_t nodes)
{
    for (;;) {
        int lower = n->bounds[0];
        threshold = threshold <= lower ? lower + 1 : threshold > n->bounds[1] ? n->bounds[1] : threshold;
        if (!margin_is_open(n) || !margin_asked(n, threshold, nodes))
            return threshold;
        bool at_least = n->bounds[0] > lower;
        if (n->strides)
            threshold = at_least ? n->bounds[0] + 1 : n->bounds[1];
        else
            threshold += at_least ? THRESHOLD_STEP : -THRESHOLD_STEP;
    }
}

/* Draws both bounds nearer to a threshold that is not answered: thresholds further away take fewer nodes. Halves what
 * lies between the bound and the nearest threshold without an answer until nothing does. */
static void close_in(margin_search *n, int threshold, uint64_t nodes)
{
    for (int open = threshold; margin_is_open(n) && open < n->bounds[1];) {
        int middle = open + (n->bounds[1] - open + 1) / 2;
        if (!margin_asked(n, middle, nodes))
            open = middle;
        else if (n->bounds[0] >= middle)
            return;
    }
    for (int open = threshold; margin_is_open(n) && open > n->bounds[0] + 1;) {
        int middle = open - (open - n->bounds[0]) / 2;
        if (!margin_asked(n, middle, nodes))
            open = middle;
        else if (n->bounds[1] < middle)
            return;
    }
}

/* Nodes for one question on the walk, in one round after another; of those away from it a part. */
enum { FIRST_NODES = 1 << 14, NODES_GROWTH = 4, NODES_AWAY = 8 };

static void find_margin(margin_search *n)
{
    int threshold = n->m->game->margins->score(n->ctx, n->s);
    for (uint64_t nodes = FIRST_NODES; margin_is_open(n); nodes *= NODES_GROWTH) {
        threshold = walk_on(n, threshold, nodes);
        close_in(n, threshold, nodes / NODES_AWAY);
    }
}

/* Whether the position after a ply of `side` (0 South) still has the margin: 1, 0, or -1 if stopped. */
static int keeps(rf_margin *m, const void *ctx, const rf_state *after, unsigned side, int margin, rf_control *control)
{
    if (side == 0)
        return rf_margin_ask(m, ctx, after, margin, control);
    int more = rf_margin_ask(m, ctx, after, margin + 1, control);
    return more < 0 ? more : !more;
}

/* Looks for a ply that keeps the margin where none is known, first for one that takes few nodes. */
static void find_one_best(margin_search *n)
{
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = n->m->game->generate(n->ctx, n->s, plies);
    unsigned side = n->m->game->player(n->ctx, n->s) - 1;
    for (uint64_t nodes = 1; !n->has_ply && n->control->stopped == RF_DONE; nodes *= NODES_GROWTH)
        for (size_t i = 0; i < count && !n->has_ply && n->control->stopped == RF_DONE; i++) {
            rf_state next = {{0}};
            n->m->game->apply(n->ctx, n->s, plies[i], &next);
            uint64_t whole = rf_begin_part(n->control, nodes);
            n->has_ply = keeps(n->m, n->ctx, &next, side, n->bounds[0], n->control) == 1;
            rf_end_part(n->control, whole);
            n->ply = plies[i];
        }
}

/* All plies that keep the margin; with control->stopped those that are known to. */
static void find_best(margin_search *n, rf_margin_result *result)
{
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = n->m->game->generate(n->ctx, n->s, plies);
    unsigned side = n->m->game->player(n->ctx, n->s) - 1;
    result->best_complete = 1;
    for (size_t i = 0; i < count; i++) {
        rf_state next = {{0}};
        n->m->game->apply(n->ctx, n->s, plies[i], &next);
        bool known = plies[i] == n->ply;
        int kept = known ? 1 : !result->best_complete ? 0 : keeps(n->m, n->ctx, &next, side, n->bounds[0], n->control);
        if (kept > 0)
            result->best[result->best_count++] = plies[i];
        else if (kept < 0)
            result->best_complete = 0;
    }
}

/* ---- a line of best play ---- */

enum { MOST_LINE_POSITIONS = 1 << 20 };

/* A position reached by plies that keep the margin. */
typedef struct {
    rf_ply ply;
    uint32_t from;  /* the position before; itself at the root */
    uint32_t queue; /* the next one in the same stage */
} line_position;

/* Positions between two plies of progress, to be looked at in the order in which they were found. */
typedef struct {
    uint32_t head, tail; /* head == LINE_NONE: none left */
} line_stage;

static const uint32_t LINE_NONE = UINT32_MAX;

typedef struct {
    rf_set set;               /* the positions, by number */
    line_position *positions; /* how each was reached */
    line_stage *stages;
    uint32_t stage_count;
    rf_margin *m;
    const void *ctx;
    rf_control *control;
    int margin;
    const rf_margin_way *way; /* NULL: anywhere */
} line_search;

static void line_free(line_search *l)
{
    rf_set_free(&l->set);
    free(l->positions);
    free(l->stages);
}

/* Room for twice as many positions. */
static bool line_grow(line_search *l)
{
    uint64_t room = rf_set_next_room(&l->set);
    if (room > MOST_LINE_POSITIONS || !rf_set_grow(&l->set))
        return false;
    line_position *positions = realloc(l->positions, room * sizeof *positions);
    if (positions != NULL)
        l->positions = positions;
    line_stage *stages = realloc(l->stages, room * sizeof *stages);
    if (stages != NULL)
        l->stages = stages;
    return positions != NULL && stages != NULL;
}

/* A new position; LINE_NONE if there is no room. */
static uint32_t line_add(line_search *l, const rf_state *s, rf_ply ply, uint32_t from)
{
    if (l->set.count == l->set.room && !line_grow(l))
        return LINE_NONE;
    uint32_t added = rf_set_add(&l->set, s);
    l->positions[added] = (line_position){ply, from == LINE_NONE ? added : from, LINE_NONE};
    return added;
}

static void line_queue(line_search *l, uint32_t stage, uint32_t position)
{
    line_stage *q = &l->stages[stage];
    if (q->head == LINE_NONE)
        q->head = position;
    else
        l->positions[q->tail].queue = position;
    q->tail = position;
}

static void line_new_stage(line_search *l, uint32_t position)
{
    l->stages[l->stage_count] = (line_stage){LINE_NONE, LINE_NONE};
    line_queue(l, l->stage_count++, position);
}

static bool line_on_way(const line_search *l, const rf_state *s)
{
    const rf_game *game = l->m->game;
    uint64_t board = l->way == NULL ? 0 : game->margins->board(l->ctx, s);
    bool found = board == 0 || game->outcome(l->ctx, s) != RF_OUTCOME_NONE;
    for (int i = 0; !found && i < l->way->count; i++)
        found = l->way->boards[i] == board;
    return found;
}

enum { LINE_GOES_ON, LINE_ENDS, LINE_STOPPED };

/* Looks at the plies of one position. Those of progress begin stages of their own, which come next; if the margin is
 * not 0, the first of them is enough, since an end can be reached from every position of that margin. */
static int line_expand(line_search *l, uint32_t stage, uint32_t here, uint32_t *end)
{
    const rf_game *game = l->m->game;
    rf_state s;
    rf_set_get(&l->set, here, &s);
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = game->generate(l->ctx, &s, plies);
    unsigned side = game->player(l->ctx, &s) - 1;
    for (int progress = 0; progress <= 1; progress++)
        for (size_t i = 0; i < count; i++) {
            /* Stages are taken from the top: for margin 0 progress comes second here, so that it is tried first. */
            if (game->margins->progress(l->ctx, &s, plies[i]) != (progress == (l->margin == 0)))
                continue;
            rf_state next = {{0}};
            game->apply(l->ctx, &s, plies[i], &next);
            if (rf_set_find(&l->set, &next) != RF_NO_PLACE || !line_on_way(l, &next))
                continue;
            int kept = keeps(l->m, l->ctx, &next, side, l->margin, l->control);
            if (kept == 0)
                continue;
            uint32_t there = kept < 0 ? LINE_NONE : line_add(l, &next, plies[i], here);
            if (there == LINE_NONE)
                return LINE_STOPPED;
            if (game->outcome(l->ctx, &next) != RF_OUTCOME_NONE) {
                *end = there;
                return LINE_ENDS;
            }
            if (progress == (l->margin == 0)) {
                line_new_stage(l, there);
                if (l->margin != 0)
                    return LINE_GOES_ON;
            } else {
                line_queue(l, stage, there);
            }
        }
    return LINE_GOES_ON;
}

/* Walks over the positions that best play can reach until one is an end (*end); LINE_GOES_ON: none is. */
static int line_walk(line_search *l, const rf_state *root, uint32_t *end)
{
    uint32_t first = line_add(l, root, 0, LINE_NONE);
    if (first == LINE_NONE)
        return LINE_STOPPED;
    line_new_stage(l, first);
    while (l->stage_count > 0) {
        uint32_t stage = l->stage_count - 1, here = l->stages[stage].head;
        if (here == LINE_NONE) {
            l->stage_count--;
            continue;
        }
        l->stages[stage].head = l->positions[here].queue;
        int state = line_expand(l, stage, here, end);
        if (state != LINE_GOES_ON)
            return state;
    }
    return LINE_GOES_ON;
}

/* The way from the root to a position, as far as there is room. */
static void line_write(const line_search *l, uint32_t end, rf_margin_result *result)
{
    int length = 0;
    for (uint32_t at = end; l->positions[at].from != at; at = l->positions[at].from)
        length++;
    result->line_complete = length <= RF_MARGIN_LINE;
    result->line_length = length <= RF_MARGIN_LINE ? length : RF_MARGIN_LINE;
    for (uint32_t at = end; l->positions[at].from != at; at = l->positions[at].from)
        if (--length < RF_MARGIN_LINE)
            result->line[length] = l->positions[at].ply;
}

/* The ply of best play with which a line that never ends goes on: back into the line if one leads there, else one that
 * makes no progress if there is one. `states` are the positions of the line, the last one being where it goes on. */
static bool next_in_circle(rf_margin *m, const void *ctx, const rf_state *states, rf_margin_result *result,
                           rf_control *control)
{
    const rf_game *game = m->game;
    const rf_state *s = &states[result->line_length];
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = game->generate(ctx, s, plies);
    unsigned side = game->player(ctx, s) - 1;
    for (size_t i = 0; i < count; i++) {
        rf_state next = {{0}};
        game->apply(ctx, s, plies[i], &next);
        for (int j = 0; j <= result->line_length; j++)
            if (memcmp(&states[j], &next, game->state_size) == 0) {
                result->line[result->line_length++] = plies[i];
                result->line_complete = 1;
                return false;
            }
    }
    for (int progress = 0; progress <= 1; progress++)
        for (size_t i = 0; i < count; i++) {
            if (game->margins->progress(ctx, s, plies[i]) != (progress == 1))
                continue;
            rf_state next = {{0}};
            game->apply(ctx, s, plies[i], &next);
            int kept = keeps(m, ctx, &next, side, 0, control);
            if (kept < 0)
                return false;
            if (kept) {
                result->line[result->line_length++] = plies[i];
                return true;
            }
        }
    return false;
}

/* A line of best play until a position comes again; should it end after all, that is known then. */
static void line_in_circles(rf_margin *m, const void *ctx, const rf_state *root, rf_margin_result *result,
                            rf_control *control)
{
    rf_state *states = calloc(RF_MARGIN_LINE + 1, sizeof *states);
    if (states == NULL)
        return;
    states[0] = *root;
    while (result->line_length < RF_MARGIN_LINE && next_in_circle(m, ctx, states, result, control)) {
        int at = result->line_length;
        m->game->apply(ctx, &states[at - 1], result->line[at - 1], &states[at]);
        if (m->game->outcome(ctx, &states[at]) != RF_OUTCOME_NONE) {
            result->endless = 0;
            result->line_complete = 1;
            break;
        }
    }
    free(states);
}

/* A line to an end, if there is one; for margin 0 what is known of that is in result->endless. */
static void find_end(rf_margin *m, const void *ctx, const rf_state *s, const rf_margin_way *way,
                     rf_margin_result *result, rf_control *control)
{
    line_search l = {.m = m, .ctx = ctx, .control = control, .margin = result->lower, .way = way};
    rf_set_init(&l.set, m->game->state_size);
    uint32_t end = LINE_NONE;
    int state = line_walk(&l, s, &end);
    if (state == LINE_ENDS) {
        result->endless = 0;
        line_write(&l, end, result);
    } else if (state == LINE_GOES_ON && way == NULL) {
        result->endless = 1;
    }
    line_free(&l);
}

/* The question whether best play of margin 0 ends gets at least this many nodes. */
static const uint64_t nodes_for_end = 1 << 20;

/* Whether best play of margin 0 ends: it is given up after as many nodes as the margin and the best plies took. */
static void find_whether_it_ends(rf_margin *m, const void *ctx, const rf_state *s, rf_margin_way *way,
                                 rf_margin_result *result, rf_control *control)
{
    const rf_game *game = m->game;
    uint64_t whole = rf_begin_part(control, control->nodes > nodes_for_end ? control->nodes : nodes_for_end);
    if (game->margins->endless != NULL)
        result->endless = game->margins->endless(m, ctx, s, way, control);
    if (result->endless < 0)
        find_end(m, ctx, s, NULL, result, control);
    rf_end_part(control, whole);
}

static void find_line(rf_margin *m, const void *ctx, const rf_state *s, rf_margin_result *result, rf_control *control)
{
    rf_margin_way way = {.count = 0};
    if (result->lower != 0)
        result->endless = 0;
    else
        find_whether_it_ends(m, ctx, s, &way, result, control);
    if (result->line_complete || control->stopped != RF_DONE)
        return;
    if (result->endless == 0)
        find_end(m, ctx, s, way.count > 0 ? &way : NULL, result, control);
    else
        line_in_circles(m, ctx, s, result, control);
}

void rf_margin_solve(rf_margin *m, const void *ctx, const rf_state *s, rf_margin_result *result, rf_control *control)
{
    memset(result, 0, sizeof *result);
    result->endless = -1;
    rf_control_start(control);
    if (m->game->outcome(ctx, s) != RF_OUTCOME_NONE) {
        result->lower = result->upper = m->game->margins->score(ctx, s);
        result->best_complete = result->line_complete = 1;
        result->endless = 0;
        return;
    }
    int widest = m->game->margins->widest(ctx, s);
    margin_search n = {.m = m, .ctx = ctx, .s = s, .control = control, .bounds = {-widest, widest}};
    memcpy(n.before, n.bounds, sizeof n.before);
    find_margin(&n);
    bool found = n.bounds[0] == n.bounds[1];
    if (found)
        find_one_best(&n);
    /* A margin counts as proven once a ply that keeps it is known too. */
    const int *proven = found && !n.has_ply ? n.before : n.bounds;
    result->lower = proven[0];
    result->upper = proven[1];
    if (!found || !n.has_ply)
        return;
    find_best(&n, result);
    if (control->stopped == RF_DONE)
        find_line(m, ctx, s, result, control);
}
