/* GRAN: states as a base and details, and which details a proof has read.
 *
 * Idea: the details are the points with stones, and the deck; the base is everything else, including the number of
 * stones. The proof of a value reads only some details, so it applies to each state with the same base that agrees on
 * these (docs/solvers/dependency-masks.md).
 *
 * Invariants: equal bases and details mean equal states. The player to act, the outcome and the earliest wins follow
 * from the base.
 *
 * Example: a stone lies far from all figures and from the ring. The proof that player 1 wins at once does not read that
 * point, so it also applies to the state with the stone elsewhere. */
#ifndef RINGFEN_GRAN_MASKS_H
#define RINGFEN_GRAN_MASKS_H

#include "gran/gran.h"

enum { GR_DETAIL_WORDS = 3 };

/* A set of details, or the details of a state. */
typedef struct gr_details {
    uint64_t word[GR_DETAIL_WORDS];
} gr_details;

typedef struct gr_base {
    uint8_t point[GR_PLAYERS];
    uint8_t figure[GR_PLAYERS];
    uint8_t ring, player, phase, players, seals, stones;
} gr_base;

enum { GR_BASE_WORDS = (sizeof(gr_base) + 7) / 8 };

_Static_assert(sizeof(gr_base) == 18, "a base has no padding");

/* Adds points to *reads until, with those that can never have a stone, they are `count`. */
RF_PRIVATE void gr_read_least(const rf_gran_board *b, gr_details *reads, gr_set points, unsigned count);

/* The base and the details of a state. Equal bases and details mean equal states. */
RF_SHARED void gr_split_state(const rf_state *state, gr_base *base, gr_details *details);
/* Adds to *reads, first D, so much that every `t` which agrees with the state on the new *reads has a ply that leads to
 * the same base as `ply` does, and to details that agree on D with those after `ply`. `t` is any state with the same
 * base; two states agree on a set of details if those bits are equal in both. */
RF_SHARED void gr_ply_reads(const void *ctx, const rf_state *state, rf_ply ply, gr_details *reads);
/* The same for all plies at once, in both directions: each ply of the state has such a ply in `t`, and each ply of `t`
 * in the state. With `through`, a ply of the state, also: both have the same plies up to that one, in the order of
 * gr_generate, and each leads from both to the same base, and to details that agree on D. At a chance event both have
 * the same plies with the same weights. */
RF_SHARED void gr_list_reads(const void *ctx, const rf_state *state, const rf_ply *through, gr_details *reads);

#endif
