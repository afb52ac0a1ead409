/* Answers for one bare knight and one free ring, from the points and the squares that holders attack (static_bounds.h).
 *
 * Idea: `surplus` is the mover's lead minus the lead that it needs. If it takes the ring now, the surplus grows by the
 * ring's points; if the other side takes it, the surplus shrinks by them. North's last capture (K10) then costs South
 * twice the points of the captured holder.
 *
 * Invariants: `sure` counts the best reply against the mover, `possible` the best continuation for it. North's bare
 * knight spoils a result only on squares beside a holder that is worth capturing.
 *
 * Example: South takes the ring of 5 points with a surplus of -3, which makes 2. North's bare knight beside a holder of
 * 2 points captures 2 and costs 4: those squares are not sure. */
#include "rings/solver/static_bounds.h"

/* Where the mover gets what it needs. */
typedef struct kr_static_result {
    uint64_t sure, possible;
} kr_static_result;

/* Squares beside knights of a set that hold at least this many points. */
static uint64_t kr_beside_rich(const kr_state *s, uint64_t knights, int points)
{
    uint64_t beside = 0;
    for (; knights != 0; knights &= knights - 1)
        if ((int)kr_points_held(s, rf_lsb(knights)) >= points)
            beside |= kr_targets[rf_lsb(knights)][0];
    return beside;
}

/* The holders of a side that reach a square. */
static uint64_t kr_holders_reaching(const kr_state *s, unsigned side, uint64_t target)
{
    uint64_t reaching = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        if (kr_holder_targets(s, rf_lsb(left)) & target)
            reaching |= left & -left;
    return reaching;
}

/* By how much the mover's lead is above what it needs. */
static inline int kr_surplus(const kr_question *q, const kr_state *s)
{
    int balance = kr_balance(s);
    return (s->side == KR_SOUTH ? balance : -balance) - kr_needed_lead(q, s->side);
}

/* ---- the mover takes the ring ---- */

/* South takes the ring with a knight that holds `held` points and comes from `from` (0: from hand, or the bare
 * knight). Whether that is enough after North's last capture (K10) with a holder; if so, it is not enough with a bare
 * knight of North's on *spoils. */
static bool kr_south_takes_last(const kr_state *s, uint64_t from, int held, int surplus, uint64_t attacked,
                                uint64_t *spoils)
{
    uint64_t free = kr_free(s), others = s->knights[KR_SOUTH] & ~from;
    int points = kr_last_ring_points(s), taker = held + points;
    surplus += points;
    if (surplus < 0 || ((attacked & free) != 0 && 2 * taker > surplus) ||
        2 * kr_max_held(s, attacked & others) > surplus)
        return false;
    *spoils = kr_beside_rich(s, others, surplus / 2 + 1);
    if (2 * taker > surplus)
        *spoils |= kr_targets[rf_lsb(free)][0];
    return true;
}

/* Squares from which taking the ring now is enough. `own`: the bare knight is the mover's. */
static uint64_t kr_sure_by_taking(const kr_state *s, int surplus, uint64_t reaching, bool own)
{
    uint64_t beside = kr_targets[rf_lsb(kr_free(s))][0], sure = 0, spoils;
    bool drops = s->hands[s->side] > 0;
    if (s->side == KR_NORTH) { /* taking it ends the game */
        if (surplus + kr_last_ring_points(s) < 0)
            return 0;
        return reaching != 0 || drops ? KR_ALL_SQUARES : own ? beside : 0;
    }
    uint64_t attacked = kr_attacked(s, KR_NORTH, 0);
    if (kr_south_takes_last(s, 0, 0, surplus, attacked, &spoils)) {
        sure = own ? beside : 0;
        if (drops)
            sure |= own ? KR_ALL_SQUARES : KR_ALL_SQUARES & ~spoils;
    }
    for (; reaching != 0; reaching &= reaching - 1) {
        unsigned from = rf_lsb(reaching);
        if (kr_south_takes_last(s, kr_bit(from), (int)kr_points_held(s, from), surplus, attacked, &spoils))
            sure |= own ? KR_ALL_SQUARES : KR_ALL_SQUARES & ~spoils;
    }
    return sure;
}

/* ---- the other side takes it next ---- */

/* The holders whose capture may be enough, although the other side can drop the captured one on the ring. */
static uint64_t kr_worth_capturing(const kr_state *s, int surplus)
{
    uint64_t enemies = s->knights[!s->side], worth = 0;
    int points = kr_last_ring_points(s), richest = 0, second = 0;
    if (s->side == KR_NORTH) /* its last capture (K10) takes another holder, or the dropped one */
        for (uint64_t left = enemies; left != 0; left &= left - 1) {
            int held = (int)kr_points_held(s, rf_lsb(left));
            second = held > richest ? richest : held > second ? held : second;
            richest = held > richest ? held : richest;
        }
    for (uint64_t left = enemies; left != 0; left &= left - 1) {
        int held = (int)kr_points_held(s, rf_lsb(left)), last = held == richest ? second : richest;
        if (s->side == KR_NORTH)
            last = last > points ? last : points;
        if (surplus - points + 2 * held + 2 * last >= 0)
            worth |= left & -left;
    }
    return worth;
}

/* South takes the ring after a ply of North's that gains nothing and leaves North with `surplus`. Squares with which
 * North's last capture (K10) may still be enough. `taker`: points that the knight on the ring then holds. */
static uint64_t kr_possible_by_last_capture(const kr_state *s, int surplus, int taker, bool own)
{
    uint64_t free = kr_free(s), attacked = kr_attacked(s, KR_NORTH, 0), south = s->knights[KR_SOUTH];
    if (surplus >= 0 || 2 * kr_max_held(s, attacked & south) + surplus >= 0 ||
        ((attacked & free) != 0 && 2 * taker + surplus >= 0))
        return KR_ALL_SQUARES;
    int needed = (1 - surplus) / 2; /* points to capture */
    if (!own) /* a holder that captures the bare knight attacks from there */
        return kr_max_held(s, south) >= needed || taker >= needed ? attacked : 0;
    uint64_t near = kr_beside_rich(s, south, needed);
    if (taker >= needed)
        near |= kr_targets[rf_lsb(free)][0];
    return near | kr_neighbours(near, s->files); /* at once, or after a step */
}

/* Squares with which the mover may get what it needs without taking the ring now. */
static uint64_t kr_possible_later(const kr_state *s, int surplus, bool own)
{
    unsigned side = s->side;
    uint64_t free = kr_free(s), worth = kr_worth_capturing(s, surplus);
    /* 1. By a capture. */
    if ((kr_attacked(s, side, 0) & worth) != 0)
        return KR_ALL_SQUARES;
    uint64_t possible = own ? kr_beside_rich(s, worth, 0) : 0;
    /* 2. The other side cannot take the ring next. */
    uint64_t theirs = kr_holders_reaching(s, !side, free);
    bool drops = s->hands[!side] > 0;
    if (!drops && theirs == 0) {
        rf_ply plies[KR_MAX_PLIES];
        bool may_pass = !own && kr_list_progress(s, side, plies) == 0;
        return own || may_pass ? KR_ALL_SQUARES : kr_attacked(s, side, 0);
    }
    /* 3. It takes the ring: North ends the game, and South leaves North one more capture. */
    int points = kr_last_ring_points(s), held = drops ? 0 : KR_MAX_POINTS; /* by South's poorest taker */
    surplus -= points;
    if (side == KR_SOUTH)
        return surplus >= 0 ? KR_ALL_SQUARES : possible;
    for (; !drops && theirs != 0; theirs &= theirs - 1) {
        int own_points = (int)kr_points_held(s, rf_lsb(theirs));
        held = own_points < held ? own_points : held;
    }
    return possible | kr_possible_by_last_capture(s, surplus, points + held, own);
}

/* ---- for the search ---- */

kr_square_sets kr_find_static_sets(const kr_question *q, const kr_state *s, unsigned owner)
{
    bool own = owner == s->side;
    int surplus = kr_surplus(q, s);
    uint64_t sure = kr_sure_by_taking(s, surplus, kr_holders_reaching(s, s->side, kr_free(s)), own);
    uint64_t impossible = KR_ALL_SQUARES & ~(sure | kr_possible_later(s, surplus, own));
    return s->side == q->attacker ? (kr_square_sets){sure, impossible} : (kr_square_sets){impossible, sure};
}

size_t kr_list_open_progress(const kr_question *q, const kr_state *s, rf_ply *out)
{
    if (rf_popcount(kr_free(s)) != 1)
        return kr_list_progress(s, s->side, out);
    size_t plies = 0;
    uint64_t worth = kr_worth_capturing(s, kr_surplus(q, s));
    for (uint64_t left = worth != 0 ? s->knights[s->side] : 0; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        for (uint64_t to = kr_holder_targets(s, from) & worth; to != 0; to &= to - 1)
            out[plies++] = kr_ply(from, rf_lsb(to));
    }
    return plies;
}

uint64_t kr_open_bare_targets(const kr_question *q, const kr_state *s)
{
    if (rf_popcount(kr_free(s)) == 1)
        return kr_worth_capturing(s, kr_surplus(q, s));
    return kr_free(s) | s->knights[!s->side];
}
