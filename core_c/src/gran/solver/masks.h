/* GRAN: states as a fixed part and mask bits, and which mask bits a proof has read.
 *
 * Idea: the mask bits are the points with stones, and the deck; the fixed part is everything else, including the
 * number of stones. Two states agree on a set of mask bits if these are equal in both. The mask of a result is a set D
 * such that the result applies to every state t with the same fixed part that agrees with the searched state s on D
 * (docs/solvers/chances.md). The searches compute D as follows:
 *
 * 1. If the outcome or the earliest win decides, D is empty: both follow from the fixed part.
 * 2. If one ply is enough (a cutoff or a certain win), D is the mask of the position after it, extended by
 *    gr_add_ply_mask until every t has a ply to a position that agrees with it.
 * 3. If all plies count, D is the union of the masks after them, extended by gr_add_list_mask until each ply of s has
 *    such a ply in t and each ply of t has one in s. A ply that was skipped because a sibling's proof covers it counts
 *    as that sibling. So the maximum, the minimum and, with equal weights, the mean are equal.
 * 4. maxn takes the first of equal plies. If a ply might give its player as much as the chosen one and the others
 *    something else, D is extended (`through`) until s and t have the same plies up to the chosen one: an earlier
 *    ply gives less in both, and a later one gives no more.
 *
 * Invariants: equal fixed parts and mask bits mean equal states. The player to act, the outcome and the earliest
 * wins follow from the fixed part.
 *
 * Example: a stone lies far from all figures and from the ring. The proof that player 1 wins at once does not read
 * that point, so it also applies to the state with the stone elsewhere. */
#ifndef RINGFEN_GRAN_MASKS_H
#define RINGFEN_GRAN_MASKS_H

#include "gran/gran.h"

enum { GR_MASK_WORDS = 3 };

/* A set of mask bits, or the mask bits of a state. */
typedef struct gr_mask {
    uint64_t word[GR_MASK_WORDS];
} gr_mask;

typedef struct gr_fixed {
    uint8_t point[GR_PLAYERS];
    uint8_t figure[GR_PLAYERS];
    uint8_t ring, player, phase, players, seals, stones;
} gr_fixed;

enum { GR_FIXED_WORDS = (sizeof(gr_fixed) + 7) / 8 };

_Static_assert(sizeof(gr_fixed) == 18, "a fixed part has no padding");

/* Adds points to *mask until, with those that can never have a stone, they are `count`. */
RF_PRIVATE void gr_add_least_points(const rf_gran_board *b, gr_mask *mask, gr_set points, unsigned count);

/* The fixed part and mask bits of a state. Equal fixed parts and mask bits mean equal states. */
RF_SHARED void gr_split_state(const rf_state *state, gr_fixed *fixed, gr_mask *bits);
/* Adds to *mask, first D, so much that every `t` which agrees with the state on the new *mask has a ply that leads
 * to the same fixed part as `ply` does, and to mask bits that agree on D with those after `ply`. `t` is any state
 * with the same fixed part; two states agree on a set of mask bits if those bits are equal in both. */
RF_SHARED void gr_add_ply_mask(const void *ctx, const rf_state *state, rf_ply ply, gr_mask *mask);
/* The same for all plies at once, in both directions: each ply of the state has such a ply in `t`, and each ply of
 * `t` in the state. With `through`, a ply of the state, also: both have the same plies up to that one, in the order
 * of gr_generate, and each leads from both to the same fixed part, and to mask bits that agree on D. At a chance
 * event both have the same plies with the same weights. */
RF_SHARED void gr_add_list_mask(const void *ctx, const rf_state *state, const rf_ply *through, gr_mask *mask);

#endif
