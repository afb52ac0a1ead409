/* Generator of endgame tables: the scores of captures and promotions, and of huffs after quiet moves.
 *
 * Idea: every exit of a position is played out to the end of its turn (S4 to S7), whose position is in a table below.
 *
 * Invariants: threads write only to their own rows; what they find out about all rows (the longest exit, a missing
 * class) is merged atomically at the end.
 *
 * Example: a sun captures on the last rank: it is promoted and may make a bonus ply (S5). bonus_score tries staying and
 * every bonus ply, each followed by the best huff of the opponent. */
#include "siaius/tables/build.h"

#include <stdlib.h>

/* The squares of the fast stone with which the side may have a promotion. */
static si_set about_to_promote(const si_tb_build *b, const si_tb_row *at, unsigned side)
{
    const unsigned rank = side == SI_SOUTH ? b->tables->ranks - 2 : 1;
    const si_set squares = b->board & ((si_bit(SI_STRIDE) - 1) << rank * SI_STRIDE);
    si_set found = 0;
    for (unsigned i = 0; i < b->stones; i++) {
        if (b->stone[i].side != side || b->stone[i].kind == SI_CHAMPION)
            continue;
        if (i == b->fast)
            found |= squares;
        else if (squares & si_bit(at->bit[i]))
            found = b->board;
    }
    return found;
}

/* A cache of scores with one stone promoted and nothing captured, by its square, while the other stones do not move. */
typedef struct {
    uint64_t version; /* changes when another stone moves */
    uint64_t versions[SI_SQUARES];
    int16_t score[SI_SQUARES];
} promoted_scores;

/* The position whose exits a thread examines. */
typedef struct {
    const si_tb_build *b;
    promoted_scores *known; /* of the stone that is promoted in this turn, or NULL */
    unsigned promoted;
    unsigned side;
    si_tb_stones stones;
    uint8_t bit[SI_TB_STONES];
    unsigned removed;  /* captured */
    unsigned capturers;  /* stones that could capture when the turn began */
    int score;
    int longest;  /* distance of any score so far */
    bool missing; /* a class below is missing */
    promoted_scores memory[SI_TB_STONES];
} turn;

static int plain_score(turn *p, unsigned removed)
{
    const si_tb_class *c;
    const uint64_t index = si_tb_index(p->b->tables, &p->stones, removed, p->side ^ 1, &c);
    if (c == NULL || c->source.values == NULL) {
        p->missing = true;
        return 0;
    }
    return c->source.width == 1 ? si_tb_score_of(((const uint8_t *)c->source.values)[index], 1)
                         : si_tb_score_of(((const uint16_t *)c->source.values)[index], 2);
}

/* The score for the opponent at the end of the turn, before any huff. */
static int settled_score(turn *p)
{
    promoted_scores *known = p->known;
    if (known == NULL || p->removed != 0)
        return plain_score(p, p->removed);
    const unsigned bit = p->bit[p->promoted];
    if (known->versions[bit] != known->version) {
        known->versions[bit] = known->version;
        known->score[bit] = (int16_t)plain_score(p, 0);
    }
    return known->score[bit];
}

/* Whether stone `z` is one of the opponent's that is still on the board. */
static bool is_enemy(const turn *p, unsigned z) { return p->stones.side[z] != p->side && (p->removed >> z & 1) == 0; }

static unsigned stones_left(const turn *p, unsigned side)
{
    unsigned left = 0;
    for (unsigned i = 0; i < p->stones.count; i++)
        left += p->stones.side[i] == side && (p->removed >> i & 1) == 0;
    return left;
}

/* The score for the mover when the turn ends here, the opponent free to huff one of `missed`. */
static int end_turn(turn *p, unsigned missed)
{
    int best = settled_score(p);
    for (; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lsb(missed);
        const int score = stones_left(p, p->side) == 1 ? si_tb_win_in(1)
                                                       : si_tb_score_before(plain_score(p, p->removed | 1u << x));
        if (score > best)
            best = score;
    }
    return -si_tb_score_before(best);
}

static si_set squares_of(const turn *p, unsigned side)
{
    si_set squares = 0;
    for (unsigned i = 0; i < p->stones.count; i++)
        if (p->stones.side[i] == side && (p->removed >> i & 1) == 0)
            squares |= si_bit(p->bit[i]);
    return squares;
}

static si_set prey_of(const turn *p, unsigned x)
{
    si_set prey = 0;
    for (unsigned z = 0; z < p->stones.count; z++)
        if (is_enemy(p, z) && si_tb_is_prey(p->stones.kind[x], p->stones.kind[z]))
            prey |= si_bit(p->bit[z]);
    return prey;
}

/* The squares that `x` can move to, captures included. */
static si_set reach_of(const turn *p, unsigned x)
{
    const si_set empty = p->b->board & ~squares_of(p, SI_SOUTH) & ~squares_of(p, SI_NORTH);
    const si_set ends = empty | prey_of(p, x);
    return p->stones.kind[x] == SI_CHAMPION ? si_champion_reach(si_bit(p->bit[x]), empty, ends)
                                            : p->b->around[p->bit[x]] & ends;
}

static void put_stone(turn *p, unsigned x, unsigned bit)
{
    p->bit[x] = (uint8_t)bit;
    p->stones.square[x] = (uint8_t)si_tb_square_of(p->b, bit);
}

/* Removes the enemy stone on `bit`; false if there is none. */
static bool capture_on(turn *p, unsigned bit)
{
    for (unsigned z = 0; z < p->stones.count; z++)
        if (is_enemy(p, z) && p->bit[z] == bit) {
            p->removed |= 1u << z;
            return true;
        }
    return false;
}

/* S7: the stones that may still be huffed once `x` has captured. */
static unsigned after_capture(const turn *p, unsigned missed, unsigned x)
{
    return p->b->tables->huff == SI_HUFF_STONE ? missed & ~(1u << x) : 0;
}

static int bonus_score(turn *p, unsigned x, unsigned missed)
{
    int best = end_turn(p, missed); /* stay */
    const unsigned from = p->bit[x], removed = p->removed;
    for (si_set ends = reach_of(p, x); ends != 0; ends &= ends - 1) {
        const unsigned to = si_lsb(ends);
        const bool captured = capture_on(p, to);
        put_stone(p, x, to);
        const int score = captured && stones_left(p, p->side ^ 1) == 0
                              ? si_tb_win_in(1)
                              : end_turn(p, captured ? after_capture(p, missed, x) : missed);
        if (score > best)
            best = score;
        p->removed = removed;
        put_stone(p, x, from);
    }
    return best;
}

static int exit_score(turn *p, unsigned x, bool captured, bool promoted)
{
    if (stones_left(p, p->side ^ 1) == 0)
        return si_tb_win_in(1);
    unsigned missed = captured ? after_capture(p, p->capturers, x) : p->capturers;
    if (!promoted)
        return end_turn(p, missed);
    if (p->b->huffs && !captured && (reach_of(p, x) & squares_of(p, p->side ^ 1)) != 0)
        missed |= 1u << x; /* the new champion may miss its chance too */
    return si_tb_score_before(bonus_score(p, x, missed));
}

/* Tries every capture and promotion of stone `x`. */
static void try_exits(turn *p, unsigned x)
{
    const unsigned last = p->side == SI_SOUTH ? p->b->tables->ranks - 1 : 0;
    const unsigned from = p->bit[x], kind = p->stones.kind[x];
    const si_set enemies = squares_of(p, p->side ^ 1);
    for (si_set ends = reach_of(p, x); ends != 0; ends &= ends - 1) {
        const unsigned to = si_lsb(ends);
        const bool promoted = kind != SI_CHAMPION && to / SI_STRIDE == last;
        if (!promoted && (enemies & si_bit(to)) == 0)
            continue;
        const bool captured = capture_on(p, to);
        put_stone(p, x, to);
        if (promoted) {
            p->stones.kind[x] = SI_CHAMPION;
            p->promoted = x;
            p->known = &p->memory[x];
        }
        const int score = exit_score(p, x, captured, promoted);
        p->known = NULL;
        if (score > p->score)
            p->score = score;
        p->removed = 0;
        p->stones.kind[x] = (uint8_t)kind;
        put_stone(p, x, from);
    }
}

/* The best score of captures and promotions, SI_TB_NO_SCORE if there are none. */
static int best_exit(turn *p)
{
    p->score = SI_TB_NO_SCORE;
    p->capturers = 0;
    p->removed = 0;
    for (unsigned x = 0; p->b->huffs && x < p->stones.count; x++)
        if (p->stones.side[x] == p->side && (reach_of(p, x) & squares_of(p, p->side ^ 1)) != 0)
            p->capturers |= 1u << x;
    for (unsigned x = 0; x < p->stones.count; x++)
        if (p->stones.side[x] == p->side)
            try_exits(p, x);
    return p->score;
}

static void start_turn(turn *p, const si_tb_build *b, unsigned side)
{
    memset(p, 0, sizeof *p);
    p->b = b;
    p->side = side;
    p->stones.count = b->stones;
    for (unsigned i = 0; i < b->stones; i++) {
        p->stones.side[i] = (uint8_t)b->stone[i].side;
        p->stones.kind[i] = (uint8_t)b->stone[i].kind;
    }
}

/* Merges what a thread has found about all rows. */
static void end_turns(si_tb_build *b, const turn *p)
{
    int longest = __atomic_load_n(&b->exit_longest, __ATOMIC_RELAXED);
    while (p->longest > longest && !__atomic_compare_exchange_n(&b->exit_longest, &longest, p->longest, false,
                                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (p->missing)
        __atomic_store_n(&b->missing, true, __ATOMIC_RELAXED);
}

static void update_longest(turn *p, int score)
{
    if (score != 0 && si_tb_distance(score) > p->longest)
        p->longest = si_tb_distance(score);
}

static void find_exits_of_row(si_tb_build *b, turn *p, const si_tb_row *at)
{
    si_tb_side *h = &b->halves[p->side];
    const si_set squares = b->fast_squares & ~at->taken;
    p->memory[b->fast].version++;
    si_set candidates = about_to_promote(b, at, p->side);
    for (unsigned i = 0; i < b->stones; i++) {
        if (i != b->fast)
            put_stone(p, i, at->bit[i]);
        if (b->stone[i].side == p->side)
            candidates |= si_tb_capture_squares(b, at, i);
    }
    int16_t *scores = h->scores + at->kept * b->row_scores;
    si_set safe = 0;
    for (candidates &= squares; candidates != 0; candidates &= candidates - 1) {
        const unsigned bit = si_lsb(candidates);
        put_stone(p, b->fast, bit);
        for (unsigned i = 0; i < b->stones; i++)
            p->memory[i].version += i != b->fast;
        const int score = best_exit(p);
        if (score == SI_TB_NO_SCORE)
            continue;
        scores[bit] = (int16_t)score;
        if (score >= 0)
            safe |= si_bit(bit);
        if (score > 0)
            h->levels[at->kept] |= UINT64_C(1) << si_tb_distance(score) % 64;
        update_longest(p, score);
    }
    h->safe[at->kept] = safe;
}

void si_tb_find_exits(si_tb_build *b, uint64_t from, uint64_t to, rf_control *control)
{
    turn turns[2];
    for (unsigned side = 0; side < 2; side++)
        start_turn(&turns[side], b, side);
    si_tb_row at;
    for (uint64_t kept = from; kept < to && !rf_tick(control); kept++) {
        si_tb_set_row(b, kept, &at);
        for (unsigned side = 0; side < si_tb_sides_solved(b); side++)
            find_exits_of_row(b, &turns[side], &at);
    }
    end_turns(b, &turns[SI_SOUTH]);
    end_turns(b, &turns[SI_NORTH]);
}

/* ---- huffs after quiet moves ---- */

/* Records the levels at which a huff changes something. */
static void record_level(si_tb_side *h, unsigned x, int score)
{
    uint64_t *levels = &h->huffed_levels[x][si_tb_distance(score) / 64];
    const uint64_t bit = UINT64_C(1) << si_tb_distance(score) % 64;
    if ((__atomic_load_n(levels, __ATOMIC_RELAXED) & bit) == 0)
        __atomic_fetch_or(levels, bit, __ATOMIC_RELAXED);
}

void si_tb_find_huffs(si_tb_build *b, unsigned x, uint64_t from, uint64_t to, rf_control *control)
{
    si_tb_side *h = &b->halves[b->stone[x].side];
    turn p;
    start_turn(&p, b, b->stone[x].side);
    const si_set fast_squares = x == b->fast ? 1 : b->fast_squares;
    const uint64_t scores = x == b->fast ? 1 : b->row_scores;
    for (uint64_t row = from; row < to && !rf_tick(control); row++) {
        si_set taken = 0;
        bool possible = true;
        for (unsigned i = 0; i < b->stones; i++) {
            if (i == b->fast || i == x)
                continue;
            const unsigned offset = (unsigned)(row / b->huffed_stride[x][i] % b->stone[i].squares);
            put_stone(&p, i, b->bit_of[offset + b->stone[i].first]);
            possible = possible && (taken & si_bit(p.bit[i])) == 0;
            taken |= si_bit(p.bit[i]);
        }
        for (si_set left = possible ? fast_squares & (x == b->fast ? 1 : ~taken) : 0; left != 0; left &= left - 1) {
            const unsigned bit = si_lsb(left);
            if (x != b->fast)
                put_stone(&p, b->fast, bit);
            const int score = si_tb_score_before(plain_score(&p, 1u << x));
            h->huffed[x][row * scores + bit] = (int16_t)score;
            if (score != 0)
                record_level(h, x, score);
            update_longest(&p, score);
        }
    }
    end_turns(b, &p);
}
