/* Lists of moves and the scores by which plies are sorted (moves.h).
 *
 * Idea: score = bonus for rings, points and captures - 10 for each reply that the other side has afterwards (mobility).
 * The history heuristic (Schaeffer 1983) adds the logarithm of how often the ply decided a position. Counts stay below
 * 2^24 (KR_HISTORY_LIMIT), so it adds 0 to 23: little more than two replies count. It decides between plies of similar
 * mobility and never outweighs a ring.
 *
 * Invariant: the order changes the number of nodes, and so the answers of unfinished searches, but no value.
 *
 * Example: a ply that takes a ring of 3 points and leaves 4 replies scores 80 + 1 + 2 - 40 = 43. With a history of 1000
 * it gets 9 more. */
#include "rings/solver/moves.h"

size_t kr_list_progress(const kr_state *s, unsigned side, rf_ply *out)
{
    size_t plies = 0;
    uint64_t free = kr_free(s), onto = free | s->knights[!side];
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        for (uint64_t to = kr_holder_targets(s, from) & onto; to != 0; to &= to - 1)
            out[plies++] = kr_ply(from, rf_lsb(to));
    }
    if (s->hands[side] > 0)
        for (uint64_t to = free; to != 0; to &= to - 1)
            out[plies++] = kr_ply(KR_FROM_HAND, rf_lsb(to));
    return plies;
}

/* ---- order ---- */

kr_attacks kr_find_attacks(const kr_state *s, unsigned side)
{
    kr_attacks attacks;
    attacks.count = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        attacks.from[attacks.count] = left & -left;
        attacks.to[attacks.count++] = kr_holder_targets(s, rf_lsb(left));
    }
    return attacks;
}

/* Moves onto a set of squares, without those of the knight on `except`. */
static int kr_count_moves_onto(const kr_attacks *attacks, uint64_t except, uint64_t onto)
{
    unsigned count = 0;
    for (size_t i = 0; i < attacks->count; i++)
        if (attacks->from[i] != except)
            count += rf_popcount(attacks->to[i] & onto);
    return (int)count;
}

/* Weights; found by trial. */
enum {
    KR_ORDER_REPLY = 10,
    KR_ORDER_RING = 80,
    KR_ORDER_CAPTURES_BARE = 280,
    KR_ORDER_BARE_TAKES = 60,
    KR_ORDER_BARE_STEPS = 15,
    KR_ORDER_LAST_RING = -200 /* a bare knight's ply with one free ring: plies of holders take fewer nodes there */
};

int kr_order_score(const kr_state *s, rf_ply ply, const kr_attacks *theirs)
{
    unsigned side = s->side, from = kr_from(ply);
    bool steps = from == KR_BARE_STEPS, one_target = !steps && from != KR_BARE_CAPTURES_BARE;
    uint64_t free = kr_free(s), target = one_target ? kr_bit(kr_to(ply)) : 0;
    uint64_t source = from < KR_BARE_STEPS ? kr_bit(from) : 0;
    bool takes = (free & target) != 0, captures = !takes && !steps;
    int score = takes        ? KR_ORDER_RING + 1 + 2 * (int)kr_kind(s, target)
                : steps      ? KR_ORDER_BARE_STEPS
                : one_target ? 2 * (int)kr_points_held(s, kr_to(ply))
                             : 0;
    if (from == KR_BARE_TAKES)
        score += KR_ORDER_BARE_TAKES;
    else if (captures && (s->knights[!side] & target) == 0)
        score += KR_ORDER_CAPTURES_BARE; /* a searched state has no bare knights on its board */
    if ((from == KR_BARE_TAKES || steps) && kr_one_bit(free))
        score += KR_ORDER_LAST_RING;
    /* Replies of holders, without those of a captured one, and drops. */
    free &= ~target;
    int replies = kr_count_moves_onto(theirs, target, (free | s->knights[side] | target) & ~source);
    if (s->hands[!side] > 0 || captures)
        replies += (int)rf_popcount(free);
    return score - KR_ORDER_REPLY * replies;
}

uint32_t kr_order_weight(const kr_question *q, const kr_state *s, rf_ply ply, const kr_attacks *theirs)
{
    int history = 31 - __builtin_clz(q->search->history[s->side][ply % KR_HISTORY_PLIES] | 1);
    return (uint32_t)(kr_order_score(s, ply, theirs) + history + (1 << 16));
}

void kr_sort_plies(const kr_question *q, const kr_state *s, rf_ply best, rf_ply *plies, size_t count)
{
    uint32_t weight[3 * KR_MAX_PLIES];
    kr_attacks theirs = kr_find_attacks(s, !s->side);
    for (size_t i = 0; i < count; i++) {
        rf_ply ply = plies[i];
        kr_insert_sorted(plies, weight, i, ply == best ? UINT32_MAX : kr_order_weight(q, s, ply, &theirs));
    }
}
