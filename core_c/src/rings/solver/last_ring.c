/* Positions with one free ring (last_ring.h).
 *
 * Idea: taking the ring is scored from sets of squares. Captures are searched only if an upper bound, the drop of the
 * captured knight on the ring (K7, K8), leaves the mover enough. kr_answer_last_ring searches nothing and allows bare
 * knights, which are knights that reach the squares next to them (K4).
 *
 * Invariants: nothing is stored. Each capture removes a knight from the board, so the recursion is bounded.
 *
 * Example: North needs 0, is behind by 1, and the ring has 3 points. Its holder reaches the ring: the lead is then 2,
 * and no capture is looked at. */
#include "rings/solver/last_ring.h"

#include "rings/solver/path.h"

#include <limits.h>

typedef struct kr_last_ring {
    const kr_question *q;
    const kr_state *s;
    int lead, needed;
    uint64_t free;      /* the ring */
    int points;         /* of the ring */
    uint64_t takers;    /* the mover's knights that reach the ring */
    uint64_t capturers; /* the mover's knights that reach an enemy */
    uint64_t attacked;  /* the squares that the mover's knights attack */
    bool drops;         /* the mover has a knight in hand (K8) */
} kr_last_ring;

static kr_last_ring kr_analyse_last_ring(const kr_question *q, const kr_state *s, int lead)
{
    kr_last_ring r = {q, s, lead, kr_needed_lead(q, s->side), kr_free(s), kr_last_ring_points(s), 0, 0, 0, false};
    for (uint64_t left = s->knights[s->side]; left != 0; left &= left - 1) {
        uint64_t to = kr_holder_targets(s, rf_lsb(left));
        if (to & r.free)
            r.takers |= left & -left;
        if (to & s->knights[!s->side])
            r.capturers |= left & -left;
        r.attacked |= to;
    }
    r.drops = s->hands[s->side] > 0;
    return r;
}

/* The most that South gets by taking the ring, after North's last capture (K10), until it is enough. */
static int kr_take_last_ring(const kr_last_ring *r)
{
    const kr_state *s = r->s;
    int best_lead = KR_STOPPED;
    uint64_t mine = s->knights[KR_SOUTH], attacked = kr_attacked(s, KR_NORTH, 0) & (mine | r->free);
    int ring_lost = (attacked & r->free) != 0 ? 2 * r->points : 0; /* if North captures the knight that takes it */
    if (r->drops) {
        int lost = 2 * kr_max_held(s, attacked & mine);
        best_lead = r->lead + r->points - (lost > ring_lost ? lost : ring_lost);
        if (best_lead >= r->needed)
            return best_lead;
    }
    for (uint64_t takers = r->takers; takers != 0; takers &= takers - 1) {
        unsigned from = rf_lsb(takers);
        int lost = 2 * kr_max_held(s, attacked & mine & ~kr_bit(from));
        int taker_lost = ring_lost != 0 ? ring_lost + 2 * (int)kr_points_held(s, from) : 0;
        int value = r->lead + r->points - (lost > taker_lost ? lost : taker_lost);
        if (value >= r->needed)
            return value;
        best_lead = value > best_lead ? value : best_lead;
    }
    return best_lead;
}

/* An upper bound of the mover's final lead after a capture: the other side drops the captured holder on the ring at
 * once. That ends the game if North drops, and leaves North one more capture if South does. */
static int kr_bound_capture(const kr_last_ring *r, unsigned from, unsigned to, uint64_t others, int gain)
{
    const kr_state *s = r->s;
    int value = r->lead - r->points + gain;
    if (s->side == KR_SOUTH)
        return value;
    uint64_t attacked = others | kr_targets[to][kr_rings(s, from) + kr_rings(s, to)];
    int last = kr_max_held(s, attacked & s->knights[KR_SOUTH] & ~kr_bit(to));
    if ((attacked & r->free) != 0 && last < r->points)
        last = r->points;
    return value + 2 * last;
}

/* The best of `best_lead` and the final leads after captures, until one is enough. */
static int kr_try_last_captures(const kr_last_ring *r, int best_lead)
{
    const kr_state *s = r->s;
    for (uint64_t left = r->capturers; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        uint64_t others = s->side == KR_NORTH ? kr_attacked(s, KR_NORTH, kr_bit(from)) : 0;
        for (uint64_t to = kr_holder_targets(s, from) & s->knights[!s->side]; to != 0; to &= to - 1) {
            unsigned square = rf_lsb(to);
            int gain = 2 * (int)kr_points_held(s, square), value = kr_bound_capture(r, from, square, others, gain);
            if (value >= r->needed) {
                kr_state next;
                kr_after(s, kr_ply(from, square), &next);
                int below = kr_search_last_ring(r->q, &next, -r->lead - gain);
                if (below == KR_STOPPED)
                    return below;
                value = -below;
                if (value >= r->needed)
                    return value;
            }
            best_lead = value > best_lead ? value : best_lead;
        }
    }
    return best_lead;
}

int kr_search_last_ring(const kr_question *q, const kr_state *s, int lead)
{
    if (rf_tick(q->control))
        return KR_STOPPED;
    kr_last_ring r = kr_analyse_last_ring(q, s, lead);
    /* 1. Without a ply the mover passes (K9). */
    if (r.takers == 0 && !r.drops && r.capturers == 0) {
        if (s->passes == 1)
            return lead;
        kr_state next = *s;
        kr_play(&next, kr_pass);
        int below = kr_search_last_ring(q, &next, -lead);
        return below == KR_STOPPED ? below : -below;
    }
    /* 2. The mover takes the ring. */
    int best_lead = KR_STOPPED;
    if (r.takers != 0 || r.drops) {
        best_lead = lead + r.points;
        if (s->side == KR_NORTH && best_lead >= r.needed)
            return best_lead;
    }
    if (s->side == KR_SOUTH && best_lead >= r.needed) {
        best_lead = kr_take_last_ring(&r);
        if (best_lead >= r.needed)
            return best_lead;
    }
    /* 3. It captures. */
    return r.capturers == 0 ? best_lead : kr_try_last_captures(&r, best_lead);
}

/* ---- with bare knights ---- */

/* North's last capture (K10) if South takes the ring with the knight on `from` (0: from hand): twice the points that it
 * takes. `south`: South's knights; `attacked`: the squares that North attacks then. */
static int kr_lost_by_taking(const kr_last_ring *r, uint64_t south, uint64_t from, uint64_t attacked)
{
    int lost = kr_max_held(r->s, attacked & south & ~from);
    if ((attacked & r->free) == 0)
        return 2 * lost;
    int taker = r->points + kr_max_held(r->s, from);
    return 2 * (taker > lost ? taker : lost);
}

/* The same if South takes it in the best way. */
static int kr_least_lost(const kr_last_ring *r, uint64_t south, uint64_t takers, bool drops, uint64_t attacked)
{
    int least = drops ? kr_lost_by_taking(r, south, 0, attacked) : INT_MAX;
    for (; takers != 0; takers &= takers - 1) {
        int lost = kr_lost_by_taking(r, south, takers & -takers, attacked);
        least = lost < least ? lost : least;
    }
    return least;
}

/* An upper bound of North's final lead if it does not take the ring and South takes it next, with one of `takers` or
 * from hand. */
static int kr_bound_of_north(const kr_last_ring *r, uint64_t takers)
{
    const kr_state *s = r->s;
    uint64_t south = s->knights[KR_SOUTH];
    bool drops = s->hands[KR_SOUTH] > 0;
    int lead = r->lead - r->points;
    /* 1. A step or a pass: only bare knights attack other squares then. */
    uint64_t steps = kr_neighbours(kr_bare_knights(s, KR_NORTH), s->files) & kr_empty(s);
    int best = lead + kr_least_lost(r, south, takers, drops, r->attacked | kr_neighbours(steps, s->files));
    /* 2. A capture. A captured holder can be dropped at once (K7, K8). */
    for (uint64_t left = r->capturers; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        uint64_t others = kr_attacked(s, KR_NORTH, kr_bit(from));
        for (uint64_t to = kr_holder_targets(s, from) & south; to != 0; to &= to - 1) {
            uint64_t captured = to & -to;
            unsigned square = rf_lsb(to), rings = kr_rings(s, square);
            uint64_t attacked = others | kr_targets[square][kr_rings(s, from) + rings];
            int lost = kr_least_lost(r, south & ~captured, takers & ~captured, drops || rings > 0, attacked);
            int value = lead + 2 * (int)kr_points_held(s, square) + lost;
            best = value > best ? value : best;
        }
    }
    return best;
}

/* Whether the other side takes the ring next, unless the mover does: the mover can only prevent it if it captures the
 * one knight that reaches the ring and that knight is bare, for a captured holder can be dropped at once (K7, K8).
 * *takers: its knights that reach the ring. */
static bool kr_other_side_takes(const kr_last_ring *r, uint64_t *takers)
{
    const kr_state *s = r->s;
    unsigned other = !s->side;
    *takers = 0;
    if (s->passes > 0) /* the other side had no ply, and a second pass ends the game (K9) */
        return false;
    for (uint64_t left = s->knights[other]; left != 0; left &= left - 1)
        if (kr_holder_targets(s, rf_lsb(left)) & r->free)
            *takers |= left & -left;
    if (s->hands[other] > 0)
        return true;
    if (*takers == 0)
        return false;
    return !kr_one_bit(*takers) || kr_rings(s, rf_lsb(*takers)) > 0 || (r->attacked & *takers) == 0;
}

/* Proof: if the mover gets enough by taking the ring, it does. Otherwise it makes another ply, and if the other side
 * can take the ring after every such ply, that is one way to play against the mover. So the mover gets at most its gain
 * by a capture and, if it is North, its last capture (K10), minus the ring's points. */
int kr_answer_last_ring(const kr_question *q, const kr_state *s)
{
    bool attacks = s->side == q->attacker;
    int lead = kr_attackers_lead(q, s);
    kr_last_ring r = kr_analyse_last_ring(q, s, attacks ? lead : -lead);
    /* 1. The mover takes the ring. */
    if (r.takers != 0 || r.drops) {
        int result = s->side == KR_NORTH ? r.lead + r.points : kr_take_last_ring(&r);
        if (result >= r.needed)
            return attacks ? KR_SUCCEEDS : KR_FAILS;
    }
    /* 2. The other side takes it next. If that is North, the game ends (K10). */
    uint64_t takers;
    if (!kr_other_side_takes(&r, &takers))
        return KR_UNDECIDED;
    int bound = s->side == KR_NORTH ? kr_bound_of_north(&r, takers)
                                    : r.lead - r.points + 2 * kr_max_held(s, r.attacked & s->knights[KR_NORTH]);
    if (bound >= r.needed)
        return KR_UNDECIDED;
    return attacks ? KR_FAILS : KR_SUCCEEDS;
}
