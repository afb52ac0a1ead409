/* Endgame tables: checking values against those of their successors, which the rules of the game give.
 *
 * Nothing here is the generator's. Plies come from the game; most of them move one stone and end the turn, and where
 * such a ply leads in the tables is worked out from the numbers of the position that it leaves. */
#include "siaius/tables/tables.h"

#include <stdlib.h>

#include "control.h"
#include "common/text.h"

/* ---- position texts ---- */

static size_t write_text(const si_tables *t, const tb_stones *stones, char *out)
{
    char *end = rf_put(out, "siaius ");
    for (unsigned rank = t->ranks; rank-- > 0;) {
        unsigned gap = 0;
        for (unsigned file = 0; file < t->files; file++) {
            unsigned i = 0;
            while (i < stones->count && stones->square[i] != rank * t->files + file)
                i++;
            if (i == stones->count) {
                gap++;
                continue;
            }
            if (gap > 0)
                end = rf_put_number(end, gap);
            gap = 0;
            *end++ = (stones->side[i] == SI_SOUTH ? "SMTC" : "smtc")[stones->kind[i]];
        }
        if (gap > 0)
            end = rf_put_number(end, gap);
        *end++ = rank > 0 ? '/' : ' ';
    }
    end = rf_put(end, "s - - 0");
    if (t->huff != SI_HUFF_TURN)
        end = rf_put(end, t->huff == SI_HUFF_STONE ? " huff=stone" : " huff=off");
    *end = '\0';
    return (size_t)(end - out);
}

bool si_tables_text(const si_tables *t, si_material m, uint64_t index, char *out)
{
    tb_class c;
    tb_stones stones;
    if (!tb_class_init(&c, t, m))
        return false;
    const bool possible = index < c.entries && tb_unindex(t, &c, index, &stones);
    if (possible)
        write_text(t, &stones, out);
    tb_class_free(&c);
    return possible;
}

/* ---- where stones stand in the tables ---- */

/* Stones as their class numbers them for the player to move, and what every one of them adds to the index. */
typedef struct {
    const tb_class *of;
    uint64_t index;
    uint64_t stride[SI_TB_STONES];   /* of a group */
    uint64_t share[2][SI_TB_STONES]; /* of a group but the first, as it stands and mirrored */
    uint64_t rest[2];                /* all of them */
    uint8_t squares[2][SI_TB_STONES][SI_TB_STONES], count[SI_TB_STONES];
    uint8_t group[SI_TB_STONES], slot[SI_TB_STONES]; /* of a stone */
    unsigned mirrored;
    bool flipped;
} frame;

static uint32_t number_of(const si_tables *t, unsigned count, const uint8_t *squares)
{
    if (count == 1)
        return squares[0];
    if (count == 2) {
        const unsigned a = squares[0], b = squares[1];
        return a < b ? a + t->choose[b][2] : b + t->choose[a][2];
    }
    uint32_t number = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned below = 0;
        for (unsigned k = 0; k < count; k++)
            below += squares[k] < squares[i];
        number += t->choose[squares[i]][below + 1];
    }
    return number;
}

/* The stones of e but for those of the bit set `gone`, `mover` to move. False: no class has them. */
static bool frame_of(const si_tables *t, const si_endgame *e, unsigned gone, unsigned mover, frame *f)
{
    si_material m = 0;
    for (unsigned i = 0; i < e->stones; i++)
        if ((gone >> i & 1) == 0)
            m += tb_one(e->side[i] ^ mover, e->kind[i]);
    unsigned renaming;
    const tb_class *c = f->of = tb_find(t, m, &renaming);
    if (c == NULL)
        return false;
    f->flipped = mover == SI_NORTH;
    memset(f->count, 0, sizeof f->count);
    for (unsigned i = 0; i < e->stones; i++) {
        if (gone >> i & 1)
            continue;
        const unsigned g = c->group_of[e->side[i] ^ mover][tb_renamed(e->kind[i], renaming)], first = c->group[g].first;
        const unsigned square = f->flipped ? t->flipped[e->square[i]] : e->square[i], slot = f->count[g]++;
        f->group[i] = (uint8_t)g;
        f->slot[i] = (uint8_t)slot;
        f->squares[0][g][slot] = (uint8_t)(square - first);
        f->squares[1][g][slot] = (uint8_t)(t->mirrored[square] - first);
    }
    uint64_t stride = 1;
    f->rest[0] = f->rest[1] = 0;
    for (unsigned g = c->groups; g-- > 1;) {
        for (unsigned mirrored = 0; mirrored < 2; mirrored++) {
            f->share[mirrored][g] = stride * number_of(t, f->count[g], f->squares[mirrored][g]);
            f->rest[mirrored] += f->share[mirrored][g];
        }
        f->stride[g] = stride;
        stride *= c->group[g].sets;
    }
    f->stride[0] = stride;
    const uint32_t leader = c->leader_of[number_of(t, f->count[0], f->squares[0][0])];
    f->mirrored = leader & 1;
    f->share[f->mirrored][0] = (leader >> 1) * stride;
    f->index = f->share[f->mirrored][0] + f->rest[f->mirrored];
    return true;
}

/* The index with one stone on another square. */
static inline uint64_t index_with(const si_tables *t, frame *f, unsigned stone, unsigned square)
{
    const unsigned g = f->group[stone], first = f->of->group[g].first, mirrored = g == 0 ? 0 : f->mirrored;
    if (f->flipped)
        square = t->flipped[square];
    uint8_t *at = &f->squares[mirrored][g][f->slot[stone]];
    const uint8_t before = *at;
    *at = (uint8_t)((mirrored ? t->mirrored[square] : square) - first);
    const uint32_t number = number_of(t, f->count[g], f->squares[mirrored][g]);
    *at = before;
    if (g != 0)
        return f->index - f->share[mirrored][g] + number * f->stride[g];
    const uint32_t leader = f->of->leader_of[number];
    return (leader >> 1) * f->stride[0] + f->rest[leader & 1];
}

/* ---- the value that the plies give ---- */

/* Values that are read later, being on their way from memory meanwhile. */
typedef struct {
    const uint8_t *value;
    bool huffed; /* after a huff of the ply before, which is another choice */
} read_later;

enum { MOST_LATER = SI_ENDGAME_PLIES * SI_TB_STONES, TB_MORE_THAN_ANY = SI_TB_LAST + 1 };

/* A position whose value is being worked out. */
typedef struct {
    uint64_t index;   /* of the entry */
    int best;         /* what is known already */
    int wins;         /* the other side's score for huffing a last stone after a ply, if it can */
    unsigned count;
    read_later later[MOST_LATER];
} pending;

/* Some entries are on their way at a time. */
enum { ENTRIES = 4 };

typedef struct {
    tb_prober prober;
    bool missing; /* a value could not be read */
    int16_t scores[256]; /* of values of one byte */
    pending bonus; /* the position before a bonus ply */
    pending entries[ENTRIES];
} verifier;

static int score_at(verifier *v, const tb_class *c, uint64_t index)
{
    int score = 0;
    if (c->values != NULL && c->width == 1)
        return v->scores[((const uint8_t *)c->values)[index]];
    if (!tb_read_score(v->prober.reader, c, index, &score))
        v->missing = true;
    return score;
}

static bool is_last(const si_endgame *e, unsigned stone)
{
    unsigned like = 0;
    for (unsigned i = 0; i < e->stones; i++)
        like += e->side[i] == e->side[stone];
    return like == 1;
}

/* A turn's end and the stones that may then be taken off: where the tables have them without each of those. */
typedef struct {
    unsigned missed, last; /* last: of its side (S8) */
    frame plain, without[SI_TB_STONES];
} turn_end;

static bool turn_end_of(const si_tables *t, const si_endgame *e, unsigned missed, unsigned mover, turn_end *out)
{
    out->missed = missed;
    out->last = 0;
    bool found = frame_of(t, e, 0, mover, &out->plain);
    for (; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lowest(missed);
        if (is_last(e, x))
            out->last |= 1u << x;
        else
            found = found && frame_of(t, e, 1u << x, mover, &out->without[x]);
    }
    return found;
}

/* The score of the next player, after a stone went to a square. */
static int score_after(verifier *v, turn_end *end, unsigned stone, unsigned square)
{
    const si_tables *t = v->prober.tables;
    int best = score_at(v, end->plain.of, index_with(t, &end->plain, stone, square));
    for (unsigned missed = end->missed; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lowest(missed);
        frame *f = &end->without[x];
        int score;
        if (end->last >> x & 1)
            score = tb_win_in(1);
        else
            score = tb_older(score_at(v, f->of, x == stone ? f->index : index_with(t, f, stone, square)));
        if (score > best)
            best = score;
    }
    return best;
}

static inline void read_it_later(pending *p, const tb_class *c, uint64_t index, bool huffed)
{
    const uint8_t *value = (const uint8_t *)c->values + index;
    __builtin_prefetch(value);
    p->later[p->count++] = (read_later){value, huffed};
}

static bool can_wait(const turn_end *end)
{
    bool can = end->plain.of->values != NULL && end->plain.of->width == 1;
    for (unsigned missed = end->missed & ~end->last; missed != 0; missed &= missed - 1) {
        const tb_class *c = end->without[rf_lowest(missed)].of;
        can = can && c->values != NULL && c->width == 1;
    }
    return can;
}

static inline void read_after_later(const si_tables *t, turn_end *end, unsigned stone, unsigned square, pending *p)
{
    read_it_later(p, end->plain.of, index_with(t, &end->plain, stone, square), false);
    for (unsigned missed = end->missed & ~end->last; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lowest(missed);
        frame *f = &end->without[x];
        read_it_later(p, f->of, x == stone ? f->index : index_with(t, f, stone, square), true);
    }
}

static int score_of_pending(const verifier *v, const pending *p)
{
    int least = TB_MORE_THAN_ANY, after = TB_MORE_THAN_ANY;
    for (unsigned i = 0; i < p->count; i++) {
        const int score = v->scores[*p->later[i].value];
        if (p->later[i].huffed) {
            after = tb_older(score) > after ? tb_older(score) : after;
        } else {
            least = after < least ? after : least;
            after = score > p->wins ? score : p->wins;
        }
    }
    least = after < least ? after : least;
    return p->count != 0 && -tb_older(least) > p->best ? -tb_older(least) : p->best;
}

static void find_plies(verifier *v, const rf_state *s, const si_endgame *e, pending *p);

/* The score that any ply gives whoever makes it. */
static int score_of_ply(verifier *v, const rf_state *s, const si_endgame *e, rf_ply ply)
{
    const rf_game *game = v->prober.game;
    rf_state after;
    si_endgame then;
    memset(&after, 0, sizeof after);
    game->apply(NULL, s, ply, &after);
    const bool same = game->player(NULL, &after) == game->player(NULL, s);
    int below = 0;
    if (game->outcome(NULL, &after) != RF_OUTCOME_NONE || !v->prober.rules->from_state(&after, &then) ||
        then.passes != 0) {
        if (tb_probe_state(&v->prober, &after, TB_MOST_PENDING, &below) != SI_TB_FOUND)
            v->missing = true;
    } else if (then.bonus) {
        if (e->bonus) { /* no bonus follows on one (S5) */
            v->missing = true;
        } else {
            find_plies(v, &after, &then, &v->bonus);
            below = score_of_pending(v, &v->bonus);
        }
    } else {
        turn_end end;
        if (turn_end_of(v->prober.tables, &then, then.missed, then.player, &end))
            below = score_after(v, &end, 0, then.square[0]);
        else
            v->missing = true;
    }
    return same ? tb_older(below) : -tb_older(below);
}

static void find_plies(verifier *v, const rf_state *s, const si_endgame *e, pending *p)
{
    si_endgame_ply plies[SI_ENDGAME_PLIES];
    uint8_t missed;
    const size_t count = v->prober.rules->plies(s, e, plies, &missed);
    turn_end end;
    bool ready = false, waits = false;
    p->best = p->wins = SI_TB_NO_SCORE;
    p->count = 0;
    for (size_t i = 0; i < count; i++) {
        const si_endgame_ply *ply = &plies[i];
        int score = SI_TB_NO_SCORE;
        if (ply->stone != SI_ENDGAME_OTHER && !ready) {
            if (!turn_end_of(v->prober.tables, e, missed, e->player ^ 1u, &end)) {
                v->missing = true;
                return;
            }
            ready = true;
            waits = can_wait(&end);
            if (end.last != 0)
                p->wins = tb_win_in(1);
        }
        if (ply->stone == SI_ENDGAME_OTHER)
            score = score_of_ply(v, s, e, ply->ply);
        else if (waits)
            read_after_later(v->prober.tables, &end, ply->stone, ply->square, p);
        else
            score = -tb_older(score_after(v, &end, ply->stone, ply->square));
        if (score > p->best)
            p->best = score;
    }
}

/* ---- the entries of a class, one after the other ---- */

typedef struct {
    const tb_class *of;
    uint64_t set[SI_TB_STONES]; /* by group: the number of its set, of the first group that of the pair with its image */
    uint8_t squares[SI_TB_STONES][SI_TB_STONES];
} entry;

static void set_group(const si_tables *t, entry *at, unsigned g, uint64_t set)
{
    at->set[g] = set;
    tb_set_of(t, g == 0 ? at->of->leader_set[set] : set, at->of->group[g].count, at->squares[g]);
}

static void go_to_entry(const si_tables *t, entry *at, uint64_t index)
{
    for (unsigned g = at->of->groups; g-- > 1;) {
        set_group(t, at, g, index % at->of->group[g].sets);
        index /= at->of->group[g].sets;
    }
    set_group(t, at, 0, index);
}

static void next_entry(const si_tables *t, entry *at)
{
    unsigned g = at->of->groups - 1;
    for (; g > 0; g--) {
        if (++at->set[g] < at->of->group[g].sets) {
            tb_next_set(at->of->group[g].count, at->squares[g]);
            return;
        }
        set_group(t, at, g, 0);
    }
    if (at->set[0] + 1 < at->of->leaders)
        set_group(t, at, 0, at->set[0] + 1);
}

/* False if two stones share a square. */
static bool stones_of_entry(const entry *at, si_endgame *e)
{
    e->stones = 0;
    for (unsigned g = 0; g < at->of->groups; g++) {
        const tb_group *group = &at->of->group[g];
        for (unsigned k = 0; k < group->count; k++) {
            const unsigned square = at->squares[g][k] + group->first;
            unsigned i = e->stones++;
            for (; i > 0 && e->square[i - 1] >= square; i--) { /* in the order of squares */
                if (e->square[i - 1] == square)
                    return false;
                e->square[i] = e->square[i - 1];
                e->side[i] = e->side[i - 1];
                e->kind[i] = e->kind[i - 1];
            }
            e->square[i] = (uint8_t)square;
            e->side[i] = group->side;
            e->kind[i] = group->kind;
        }
    }
    return true;
}

/* Whether the stored value is the one that the plies give. */
static bool is_right(verifier *v, const tb_class *c, const pending *p)
{
    return score_of_pending(v, p) == score_at(v, c, p->index) && !v->missing;
}

/* Checks the entries and finishes those on their way; -1, or the first that is wrong. */
static int64_t check_entries(verifier *v, const tb_class *c, uint64_t from, uint64_t to, rf_control *control)
{
    const si_tables *t = v->prober.tables;
    si_endgame e = {.files = (uint8_t)t->files, .ranks = (uint8_t)t->ranks, .huff = (uint8_t)t->huff};
    rf_state s;
    memset(&s, 0, sizeof s);
    entry at = {.of = c};
    go_to_entry(t, &at, from);
    uint64_t begun = 0, done = 0;
    for (uint64_t index = from; index < to; index++, next_entry(t, &at)) {
        if (rf_tick(control))
            return -1;
        control->done = index - from;
        if (!stones_of_entry(&at, &e))
            continue;
        if (begun == done + ENTRIES && !is_right(v, c, &v->entries[done++ % ENTRIES]))
            return (int64_t)v->entries[(done - 1) % ENTRIES].index;
        v->prober.rules->to_state(&e, &s);
        pending *p = &v->entries[begun++ % ENTRIES];
        p->index = index;
        find_plies(v, &s, &e, p);
        if (v->missing) { /* those before may be right */
            v->missing = false;
            while (done + 1 < begun && is_right(v, c, &v->entries[done % ENTRIES]))
                done++;
            return (int64_t)v->entries[done % ENTRIES].index;
        }
    }
    for (; done < begun; done++)
        if (!is_right(v, c, &v->entries[done % ENTRIES]))
            return (int64_t)v->entries[done % ENTRIES].index;
    return -1;
}

int64_t si_tables_verify(const si_tables *t, si_tb_reader *r, const rf_game *game, si_material m, uint64_t from,
                         uint64_t to, rf_control *control)
{
    rf_control_start(control);
    const tb_class *c = tb_class_of(t, m, to);
    if (from >= to)
        return -1;
    verifier *v = malloc(sizeof *v);
    if (v == NULL)
        control->stopped = RF_STOPPED_MEMORY;
    if (v == NULL || c == NULL || si_endgame_rules_of(game) == NULL) {
        free(v);
        return (int64_t)from;
    }
    v->prober = (tb_prober){t, r, game, si_endgame_rules_of(game), NULL};
    v->missing = false;
    for (unsigned value = 0; value < 256; value++)
        v->scores[value] = (int16_t)tb_score_of(value, 1);
    const int64_t wrong = check_entries(v, c, from, to, control);
    free(v);
    return wrong;
}
