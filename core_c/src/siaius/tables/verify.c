/* Endgame tables: checks values against the values of their successors, which the rules of the game find.
 *
 * Idea: a table is right if every value follows from the values after its plies: distances fall towards the end of the
 * game, and from a draw some ply leads to a draw. Nothing here is shared with the generator. Plies come from the rules;
 * most move one stone and end the turn, and the index after such a ply is computed from the index parts of the position
 * (position_index). The values of a few positions are prefetched at a time, and read later.
 *
 * Invariants: an entry is right if the best score of its plies is its own score; scores of losses are read after a
 * move, or after a move and a huff.
 *
 * Example: South's sun on a1 moves to a2; North could then huff it (S7). The score after a1-a2 is the minimum for South
 * of the plain position and of the position without the sun. */
#include "siaius/tables/tables.h"

#include <stdlib.h>

#include "control.h"

/* ---- the index after a ply ---- */

/* The stones of a position as their class numbers them, and the share of each group in the index. */
typedef struct {
    const si_tb_class *class;
    uint64_t index;
    uint64_t stride[SI_TB_STONES];   /* of a group */
    uint64_t share[2][SI_TB_STONES]; /* of a group except the first, unchanged and mirrored */
    uint64_t rest[2];                /* the sum of these shares */
    uint8_t squares[2][SI_TB_STONES][SI_TB_STONES], count[SI_TB_STONES];
    uint8_t group[SI_TB_STONES], slot[SI_TB_STONES]; /* of a stone */
    unsigned mirrored;
    bool flipped;
} position_index;

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

/* The index of the stones of e except those of the bit set `removed`, `mover` to move. False: there is no class. */
static bool find_index(const si_tables *t, const si_endgame *e, unsigned removed, unsigned mover, position_index *f)
{
    si_material m = 0;
    for (unsigned i = 0; i < e->stones; i++)
        if ((removed >> i & 1) == 0)
            m += si_tb_material_of_stone(e->side[i] ^ mover, e->kind[i]);
    unsigned renaming;
    const si_tb_class *c = f->class = si_tb_find(t, m, &renaming);
    if (c == NULL)
        return false;
    f->flipped = mover == SI_NORTH;
    memset(f->count, 0, sizeof f->count);
    for (unsigned i = 0; i < e->stones; i++) {
        if (removed >> i & 1)
            continue;
        const unsigned g = c->group_of[e->side[i] ^ mover][si_tb_renamed(e->kind[i], renaming)];
        const unsigned first = c->group[g].first;
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

/* The index after one stone is moved to another square. */
static inline uint64_t index_with(const si_tables *t, position_index *f, unsigned stone, unsigned square)
{
    const unsigned g = f->group[stone], first = f->class->group[g].first, mirrored = g == 0 ? 0 : f->mirrored;
    if (f->flipped)
        square = t->flipped[square];
    uint8_t *at = &f->squares[mirrored][g][f->slot[stone]];
    const uint8_t before = *at;
    *at = (uint8_t)((mirrored ? t->mirrored[square] : square) - first);
    const uint32_t number = number_of(t, f->count[g], f->squares[mirrored][g]);
    *at = before;
    if (g != 0)
        return f->index - f->share[mirrored][g] + number * f->stride[g];
    const uint32_t leader = f->class->leader_of[number];
    return (leader >> 1) * f->stride[0] + f->rest[leader & 1];
}

/* ---- the score of a position from its plies ---- */

/* A value that is being prefetched. */
typedef struct {
    const uint8_t *value;
    bool huffed; /* after a huff, a choice of the opponent; it belongs to the value before it */
} deferred_value;

enum { MAX_DEFERRED = SI_ENDGAME_PLIES * SI_TB_STONES, SI_TB_MORE_THAN_ANY = SI_TB_LAST + 1 };

/* A position whose score is being computed. */
typedef struct {
    uint64_t index;   /* of the entry */
    int best;         /* the best score of plies that are not deferred */
    int last_huff;    /* the opponent's score for huffing the last stone (S8), or SI_TB_NO_SCORE */
    unsigned count;
    deferred_value deferred[MAX_DEFERRED];
} evaluation;

/* Entries that are evaluated at a time; found by trial. */
enum { ENTRIES = 4 };

typedef struct {
    si_tb_prober prober;
    bool missing; /* a value could not be read */
    int16_t scores[256]; /* of values of one byte */
    evaluation bonus; /* the position before a bonus ply */
    evaluation entries[ENTRIES];
} verifier;

static int score_at(verifier *v, const si_tb_class *c, uint64_t index)
{
    int score = 0;
    if (c->source.values != NULL && c->source.width == 1)
        return v->scores[((const uint8_t *)c->source.values)[index]];
    if (!si_tb_read_score(v->prober.reader, c, index, &score))
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

/* The end of a turn: the stones that may be huffed, and the indexes without each of them. */
typedef struct {
    unsigned missed, last; /* last: the last stone of its side (S8) */
    position_index plain, without[SI_TB_STONES];
} turn_end;

static bool turn_end_of(const si_tables *t, const si_endgame *e, unsigned missed, unsigned mover, turn_end *out)
{
    out->missed = missed;
    out->last = 0;
    bool found = find_index(t, e, 0, mover, &out->plain);
    for (; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lsb(missed);
        if (is_last(e, x))
            out->last |= 1u << x;
        else
            found = found && find_index(t, e, 1u << x, mover, &out->without[x]);
    }
    return found;
}

/* The score for the next player after a stone moves to a square. */
static int score_after(verifier *v, turn_end *end, unsigned stone, unsigned square)
{
    const si_tables *t = v->prober.tables;
    int best = score_at(v, end->plain.class, index_with(t, &end->plain, stone, square));
    for (unsigned missed = end->missed; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lsb(missed);
        position_index *f = &end->without[x];
        int score;
        if (end->last >> x & 1)
            score = si_tb_win_in(1);
        else
            score = si_tb_score_before(score_at(v, f->class, x == stone ? f->index : index_with(t, f, stone, square)));
        if (score > best)
            best = score;
    }
    return best;
}

static inline void defer_value(evaluation *p, const si_tb_class *c, uint64_t index, bool huffed)
{
    const uint8_t *value = (const uint8_t *)c->source.values + index;
    __builtin_prefetch(value);
    p->deferred[p->count++] = (deferred_value){value, huffed};
}

static bool can_defer(const turn_end *end)
{
    bool can = end->plain.class->source.values != NULL && end->plain.class->source.width == 1;
    for (unsigned missed = end->missed & ~end->last; missed != 0; missed &= missed - 1) {
        const si_tb_class *c = end->without[rf_lsb(missed)].class;
        can = can && c->source.values != NULL && c->source.width == 1;
    }
    return can;
}

static inline void defer_values_after(const si_tables *t, turn_end *end, unsigned stone, unsigned square, evaluation *p)
{
    defer_value(p, end->plain.class, index_with(t, &end->plain, stone, square), false);
    for (unsigned missed = end->missed & ~end->last; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lsb(missed);
        position_index *f = &end->without[x];
        defer_value(p, f->class, x == stone ? f->index : index_with(t, f, stone, square), true);
    }
}

static int score_of_evaluation(const verifier *v, const evaluation *p)
{
    int worst = SI_TB_MORE_THAN_ANY, after = SI_TB_MORE_THAN_ANY;
    for (unsigned i = 0; i < p->count; i++) {
        const int score = v->scores[*p->deferred[i].value];
        if (p->deferred[i].huffed) {
            after = si_tb_score_before(score) > after ? si_tb_score_before(score) : after;
        } else {
            worst = after < worst ? after : worst;
            after = score > p->last_huff ? score : p->last_huff;
        }
    }
    worst = after < worst ? after : worst;
    return p->count != 0 && -si_tb_score_before(worst) > p->best ? -si_tb_score_before(worst) : p->best;
}

static void find_plies(verifier *v, const rf_state *s, const si_endgame *e, evaluation *p);

/* The score of any ply for the player that makes it. */
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
        if (si_tb_probe_state(&v->prober, &after, SI_TB_MAX_PENDING, &below) != RF_TB_FOUND)
            v->missing = true;
    } else if (then.bonus) {
        if (e->bonus) { /* no bonus follows on one (S5) */
            v->missing = true;
        } else {
            find_plies(v, &after, &then, &v->bonus);
            below = score_of_evaluation(v, &v->bonus);
        }
    } else {
        turn_end end;
        if (turn_end_of(v->prober.tables, &then, then.missed, then.player, &end))
            below = score_after(v, &end, 0, then.square[0]);
        else
            v->missing = true;
    }
    return same ? si_tb_score_before(below) : -si_tb_score_before(below);
}

static void find_plies(verifier *v, const rf_state *s, const si_endgame *e, evaluation *p)
{
    si_endgame_ply plies[SI_ENDGAME_PLIES];
    uint8_t missed;
    const size_t count = v->prober.rules->plies(s, e, plies, &missed);
    turn_end end;
    bool ready = false, waits = false;
    p->best = p->last_huff = SI_TB_NO_SCORE;
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
            waits = can_defer(&end);
            if (end.last != 0)
                p->last_huff = si_tb_win_in(1);
        }
        if (ply->stone == SI_ENDGAME_OTHER)
            score = score_of_ply(v, s, e, ply->ply);
        else if (waits)
            defer_values_after(v->prober.tables, &end, ply->stone, ply->square, p);
        else
            score = -si_tb_score_before(score_after(v, &end, ply->stone, ply->square));
        if (score > p->best)
            p->best = score;
    }
}

/* ---- the entries of a class, in order ---- */

typedef struct {
    const si_tb_class *class;
    uint64_t set[SI_TB_STONES]; /* by group: the number of its set; for the leader, the number of the kept set */
    uint8_t squares[SI_TB_STONES][SI_TB_STONES];
} entry;

static void set_group(const si_tables *t, entry *at, unsigned g, uint64_t set)
{
    at->set[g] = set;
    si_tb_set_of(t, g == 0 ? at->class->leader_set[set] : set, at->class->group[g].count, at->squares[g]);
}

static void go_to_entry(const si_tables *t, entry *at, uint64_t index)
{
    for (unsigned g = at->class->groups; g-- > 1;) {
        set_group(t, at, g, index % at->class->group[g].sets);
        index /= at->class->group[g].sets;
    }
    set_group(t, at, 0, index);
}

static void next_entry(const si_tables *t, entry *at)
{
    unsigned g = at->class->groups - 1;
    for (; g > 0; g--) {
        if (++at->set[g] < at->class->group[g].sets) {
            si_tb_next_set(at->class->group[g].count, at->squares[g]);
            return;
        }
        set_group(t, at, g, 0);
    }
    if (at->set[0] + 1 < at->class->leaders)
        set_group(t, at, 0, at->set[0] + 1);
}

/* False if two stones share a square. */
static bool stones_of_entry(const entry *at, si_endgame *e)
{
    e->stones = 0;
    for (unsigned g = 0; g < at->class->groups; g++) {
        const si_tb_group *group = &at->class->group[g];
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

/* Whether the stored value agrees with the plies. */
static bool entry_is_correct(verifier *v, const si_tb_class *c, const evaluation *p)
{
    return score_of_evaluation(v, p) == score_at(v, c, p->index) && !v->missing;
}

/* Checks entries, several at a time; returns -1, or the first wrong entry. */
static int64_t check_entries(verifier *v, const si_tb_class *c, uint64_t from, uint64_t to, rf_control *control)
{
    const si_tables *t = v->prober.tables;
    si_endgame e = {.files = (uint8_t)t->files, .ranks = (uint8_t)t->ranks, .huff = (uint8_t)t->huff};
    rf_state s;
    memset(&s, 0, sizeof s);
    entry at = {.class = c};
    go_to_entry(t, &at, from);
    uint64_t begun = 0, done = 0;
    for (uint64_t index = from; index < to; index++, next_entry(t, &at)) {
        if (rf_tick(control))
            return -1;
        control->done = index - from;
        if (!stones_of_entry(&at, &e))
            continue;
        if (begun == done + ENTRIES && !entry_is_correct(v, c, &v->entries[done++ % ENTRIES]))
            return (int64_t)v->entries[(done - 1) % ENTRIES].index;
        v->prober.rules->to_state(&e, &s);
        evaluation *p = &v->entries[begun++ % ENTRIES];
        p->index = index;
        find_plies(v, &s, &e, p);
        if (v->missing) { /* the entries before it may be right */
            v->missing = false;
            while (done + 1 < begun && entry_is_correct(v, c, &v->entries[done % ENTRIES]))
                done++;
            return (int64_t)v->entries[done % ENTRIES].index;
        }
    }
    for (; done < begun; done++)
        if (!entry_is_correct(v, c, &v->entries[done % ENTRIES]))
            return (int64_t)v->entries[done % ENTRIES].index;
    return -1;
}

int64_t si_tables_verify(const rf_tablebase *tables, rf_tb_reader *r, rf_material m, uint64_t from, uint64_t to,
                         rf_control *control)
{
    const si_tables *t = (const si_tables *)tables;
    const si_endgame_rules *rules = si_endgame_rules_of(tables->game);
    const si_tb_class *c = si_tb_class_of(t, m);
    verifier *v = malloc(sizeof *v);
    if (v == NULL)
        control->stopped = RF_STOPPED_MEMORY;
    if (v == NULL || rules == NULL) {
        free(v);
        return (int64_t)from;
    }
    v->prober = (si_tb_prober){t, r, tables->game, rules, NULL};
    v->missing = false;
    for (unsigned value = 0; value < 256; value++)
        v->scores[value] = (int16_t)si_tb_score_of(value, 1);
    const int64_t wrong = check_entries(v, c, from, to, control);
    free(v);
    return wrong;
}
