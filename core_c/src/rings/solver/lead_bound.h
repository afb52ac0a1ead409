/* A bound of the attacker's final lead that needs no search.
 *
 * Idea: the defender drops a knight whenever it has one in hand (K8). Then every captured holder costs the attacker a
 * free ring, so with c free rings it captures at most c holders: one more if it is North, which has a last turn after
 * the last ring (K10), and one less if the defender is to move with a knight in hand. For some i <= c its final lead
 * is at most
 *
 *     the lead now + the points of all free rings
 *     + 2 * the i richest holders of the defender - 2 * the i smallest free rings (i - 1 if the attacker is North).
 *
 * Proof: count every free ring for the attacker from the start. If another knight of the defender takes a ring, or
 * captures, the attacker loses twice those points and gets at most these back when it captures that knight. So each
 * capture of a knight that is a holder now gains at most twice what it holds now. A dropped knight costs twice its
 * ring, and its capture gives at most that back. Let j of the i captures be of knights that are holders now. Each
 * capture is followed by a drop, except North's last one, and at most i - j drops are made good. So j of them, or j -
 * 1, remain. Captures of bare knights gain nothing, and play without an end is no success (K11).
 *
 * Invariant: if the bound is below the lead that the attacker needs, it fails.
 *
 * Example: South attacks, is behind by 10 and needs 8. There are two free rings of 1 point, and North's holders hold
 * 9 and 2. The bound is -10 + 2 + 2 * 9 - 2 * 1 = 8 for i = 1 and 10 for i = 2: the question needs a search. If it
 * needs 11 it fails. */
#ifndef RINGFEN_RINGS_LEAD_BOUND_H
#define RINGFEN_RINGS_LEAD_BOUND_H

#include "rings/solver/search.h"

/* The most that captures can add to the attacker's lead and the points of all free rings. */
static RF_UNUSED int kr_max_gain_by_captures(const kr_state *s, unsigned attacker)
{
    unsigned defender = !attacker;
    int held[KR_FILES], holders = 0;
    for (uint64_t left = s->knights[defender]; left != 0; left &= left - 1) {
        int points = (int)kr_points_held(s, rf_lsb(left)), at = holders++;
        for (; at > 0 && held[at - 1] < points; at--)
            held[at] = held[at - 1];
        held[at] = points;
    }
    int captures = (int)rf_popcount(kr_free(s)) + (attacker == KR_NORTH);
    captures -= s->side == defender && s->hands[defender] > 0;
    /* The smallest rings first: some of 1 point, then some of 3, then the one of 5. */
    int rings[KR_KINDS], max = 0, sum = 0, kind = 0;
    for (int k = 0; k < KR_KINDS; k++)
        rings[k] = (int)rf_popcount(s->ring[k]);
    for (int i = 0; i < captures && i < holders && held[i] > 0; i++) {
        sum += 2 * held[i];
        if (i > 0 || attacker == KR_SOUTH) {
            while (kind < KR_KINDS - 1 && rings[kind] == 0)
                kind++;
            rings[kind]--;
            sum -= 2 * (1 + 2 * kind);
        }
        max = sum > max ? sum : max;
    }
    return max;
}

static inline int kr_free_points(const kr_state *s)
{
    return (int)(rf_popcount(s->ring[0]) + 3 * rf_popcount(s->ring[1]) + 5 * rf_popcount(s->ring[2]));
}

/* The points of all rings, free or held: they stay the same (K6, K7). */
static inline int kr_all_points(const kr_state *s)
{
    int points = kr_free_points(s);
    for (uint64_t left = s->knights[KR_SOUTH] | s->knights[KR_NORTH]; left != 0; left &= left - 1)
        points += (int)kr_points_held(s, rf_lsb(left));
    return points;
}

/* Whether the attacker, whose lead is `lead`, fails by the bound; then *bound is the bound, if it is not NULL. */
static inline bool kr_is_out_of_reach(const kr_question *q, const kr_state *s, int lead, int *bound)
{
    int max = lead + kr_free_points(s), needed = kr_needed_lead(q, q->attacker);
    if (max >= needed)
        return false;
    max += kr_max_gain_by_captures(s, q->attacker);
    if (bound != NULL)
        *bound = max;
    return max < needed;
}

/* The attacker's lead now. */
static inline int kr_attackers_lead(const kr_question *q, const kr_state *s)
{
    return q->attacker == KR_SOUTH ? kr_balance(s) : -kr_balance(s);
}

#endif
