/* Static bounds: what a position with one free ring tells of bare knights, without a search.
 *
 * The mover takes the ring at once, or the other side does so next: it has a holder that reaches it or a knight in
 * hand, if only because the mover has just captured one (K7). Both ends are told by their points, and what they depend
 * on of the bare knights is whether one stands near enough to the ring, or to a knight that is worth capturing. */
#include "rings/questions.h"

/* The squares that the holders of a side strike, without the one on `except`. */
static uint64_t kr_struck(const kr_state *s, unsigned side, uint64_t except)
{
    uint64_t struck = 0;
    for (uint64_t left = s->knights[side] & ~except; left != 0; left &= left - 1)
        struck |= kr_targets[rf_lowest(left)][kr_rings(s, rf_lowest(left))];
    return struck;
}

/* The holders of a side that reach a square. */
static uint64_t kr_reaching(const kr_state *s, unsigned side, uint64_t target)
{
    uint64_t reaching = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        if (kr_targets[rf_lowest(left)][kr_rings(s, rf_lowest(left))] & target)
            reaching |= left & -left;
    return reaching;
}

/* Squares beside knights of a set that hold at least this many points. */
static uint64_t kr_beside_rich(const kr_state *s, uint64_t knights, int points)
{
    uint64_t beside = 0;
    for (; knights != 0; knights &= knights - 1)
        if ((int)kr_points_held(s, rf_lowest(knights)) >= points)
            beside |= kr_targets[rf_lowest(knights)][0];
    return beside;
}

/* A knight that holds `held` points comes to the last ring for South, from `from` (0: from hand, or it is a bare
 * knight). Whether South gets what it needs if North's bare knights take no part in North's last turn (K10); if so,
 * with a bare knight of North's on *spoils it does not. */
static bool kr_takes_last(const kr_state *s, uint64_t from, int held, int spare, uint64_t struck, uint64_t *spoils)
{
    uint64_t free = kr_free(s), others = s->knights[KR_SOUTH] & ~from;
    int points = 1 + 2 * (int)kr_kind(s, free), taker = held + points;
    spare += points; /* South's lead over what it needs */
    if (spare < 0 || ((struck & free) != 0 && 2 * taker > spare) || 2 * kr_most_held(s, struck & others) > spare)
        return false;
    *spoils = kr_beside_rich(s, others, spare / 2 + 1);
    if (2 * taker > spare)
        *spoils |= kr_targets[rf_lowest(free)][0];
    return true;
}

/* The mover takes the last ring now. */
static void kr_look_at_taking(const kr_state *s, int spare, uint64_t reaching, kr_static_bounds *g)
{
    uint64_t free = kr_free(s), beside = kr_targets[rf_lowest(free)][0], spoils;
    unsigned side = s->side;
    if (side == KR_NORTH) { /* who ends the game with it */
        if (spare + 1 + 2 * (int)kr_kind(s, free) >= 0) {
            g->ways = reaching != 0 || s->hands[side] > 0;
            g->safe[0] = g->safe_landing = KR_ALL_SQUARES;
            g->lands = beside;
        }
        return;
    }
    uint64_t struck = kr_struck(s, KR_NORTH, 0);
    if (kr_takes_last(s, 0, 0, spare, struck, &spoils)) {
        g->lands = beside;
        g->safe_landing = KR_ALL_SQUARES & ~spoils;
        if (s->hands[side] > 0)
            g->safe[g->ways++] = g->safe_landing;
    }
    for (; reaching != 0; reaching &= reaching - 1) {
        unsigned from = rf_lowest(reaching);
        if (kr_takes_last(s, kr_bit(from), (int)kr_points_held(s, from), spare, struck, &spoils))
            g->safe[g->ways++] = KR_ALL_SQUARES & ~spoils;
    }
}

/* South takes the last ring after a ply of North's that gains nothing and leaves `spare` more than North needs. Where
 * North may still get it with its last capture (K10). */
static void kr_look_at_last_capture(const kr_state *s, int spare, int loses, bool has_bare, kr_static_bounds *g)
{
    uint64_t free = kr_free(s), strikes = kr_struck(s, KR_NORTH, 0), south = s->knights[KR_SOUTH];
    if (spare >= 0 || 2 * kr_most_held(s, strikes & south) + spare >= 0 ||
        ((strikes & free) != 0 && 2 * loses + spare >= 0)) {
        g->hopes = true;
        return;
    }
    int least = (1 - spare) / 2; /* points to capture */
    uint64_t near = kr_beside_rich(s, south, least);
    if (loses >= least)
        near |= kr_targets[rf_lowest(free)][0];
    if (has_bare) /* there after a step, or at once if what it does is to be captured or to pass */
        g->hopes_mine |= near | kr_beside(near, s->files);
    /* A holder that captures a bare knight strikes from there. */
    if (kr_most_held(s, south) >= least || loses >= least)
        g->hopes_other |= strikes;
}

/* The holders that the mover may capture and still get what it needs, although the other side can drop the one
 * captured on the ring. */
static uint64_t kr_worth_capturing(const kr_state *s, int spare)
{
    uint64_t enemies = s->knights[!s->side], worth = 0;
    int points = 1 + 2 * (int)kr_kind(s, kr_free(s)), most = 0, second = 0;
    if (s->side == KR_NORTH) /* its last capture, of another holder or the one dropped (K10) */
        for (uint64_t left = enemies; left != 0; left &= left - 1) {
            int held = (int)kr_points_held(s, rf_lowest(left));
            second = held > most ? most : held > second ? held : second;
            most = held > most ? held : most;
        }
    for (uint64_t left = enemies; left != 0; left &= left - 1) {
        int held = (int)kr_points_held(s, rf_lowest(left)), last = held == most ? second : most;
        if (s->side == KR_NORTH)
            last = last > points ? last : points;
        if (spare - points + 2 * held + 2 * last >= 0)
            worth |= left & -left;
    }
    return worth;
}

static void kr_look_at_captures(const kr_state *s, int spare, kr_static_bounds *g)
{
    uint64_t worth = kr_worth_capturing(s, spare);
    g->hopes_mine |= kr_beside_rich(s, worth, 0);
    g->hopes |= (kr_struck(s, s->side, 0) & worth) != 0;
}

/* How much more than it needs the mover has now. */
static inline int kr_spare(const kr_question *q, const kr_state *s)
{
    int balance = kr_balance(s);
    return (s->side == KR_SOUTH ? balance : -balance) - kr_needs(q, s->side);
}

/* Plies of holders and drops that the static bounds leave open, with one free ring. */
static size_t kr_list_candidates(const kr_question *q, const kr_state *s, rf_ply *out)
{
    size_t plies = 0;
    uint64_t worth = kr_worth_capturing(s, kr_spare(q, s));
    if (worth != 0)
        for (uint64_t left = s->knights[s->side]; left != 0; left &= left - 1) {
            unsigned from = rf_lowest(left);
            for (uint64_t to = kr_targets[from][kr_rings(s, from)] & worth; to != 0; to &= to - 1)
                out[plies++] = kr_ply(from, rf_lowest(to));
        }
    return plies;
}

uint64_t kr_landings(const kr_question *q, const kr_state *s)
{
    if (rf_popcount(kr_free(s)) == 1)
        return kr_worth_capturing(s, kr_spare(q, s));
    return kr_free(s) | s->knights[!s->side];
}

size_t kr_list_holders(const kr_question *q, const kr_state *s, rf_ply *out)
{
    return rf_popcount(kr_free(s)) == 1 ? kr_list_candidates(q, s, out) : kr_list_progress(s, s->side, out);
}

kr_static_bounds kr_find_static_bounds(const kr_question *q, const kr_state *s, bool has_bare)
{
    kr_static_bounds g = {0};
    unsigned side = s->side;
    uint64_t free = kr_free(s), mine = kr_reaching(s, side, free), theirs = kr_reaching(s, !side, free);
    int spare = kr_spare(q, s), points = 1 + 2 * (int)kr_kind(s, free);
    kr_look_at_taking(s, spare, mine, &g);
    kr_look_at_captures(s, spare, &g);
    if (g.hopes)
        return g;
    bool drops = s->hands[!side] > 0;
    if (!drops && theirs == 0) {
        g.hopes = has_bare;
        g.hopes_other = kr_struck(s, side, 0);
        rf_ply plies[KR_MOST_PLIES];
        if (!has_bare && kr_list_progress(s, side, plies) == 0)
            g.hopes = true; /* it may have to pass */
        return g;
    }
    spare -= points;
    if (side == KR_SOUTH) {
        g.hopes = spare >= 0;
        return g;
    }
    int held = 0; /* by South's taker */
    if (!drops) {
        held = KR_MOST_POINTS;
        for (; theirs != 0; theirs &= theirs - 1) {
            int own = (int)kr_points_held(s, rf_lowest(theirs));
            held = own < held ? own : held;
        }
    }
    kr_look_at_last_capture(s, spare, points + held, has_bare, &g);
    return g;
}

kr_sets kr_find_static_sets(const kr_question *q, const kr_state *s, unsigned owner)
{
    bool own = owner == s->side;
    kr_static_bounds g = kr_find_static_bounds(q, s, own);
    uint64_t all = KR_ALL_SQUARES, sure = own ? g.lands : 0, hopes = own ? g.hopes_mine : g.hopes_other;
    for (size_t i = 0; i < g.ways; i++)
        sure |= own ? all : g.safe[i];
    hopes = g.hopes ? all : hopes | sure;
    if (s->side == q->attacker)
        return (kr_sets){sure, all & ~hopes};
    return (kr_sets){all & ~hopes, sure};
}
