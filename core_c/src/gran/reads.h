/* GRAN: states as bases and details, and which stones a proof has read (rf_mask_part). The details are the stones and
 * the deck; the number of stones belongs to the base. docs/solving.md has the argument for each rule. */
#ifndef RINGFEN_GRAN_READS_H
#define RINGFEN_GRAN_READS_H

#include "gran/gran.h"

typedef struct gr_base {
    uint8_t point[GR_PLAYERS];
    uint8_t figure[GR_PLAYERS];
    uint8_t ring, player, phase, players, seals, stones;
} gr_base;

_Static_assert(sizeof(gr_base) == 18 && sizeof(gr_base) <= RF_STATE_SIZE, "a base has no padding");

/* Adds `count` of the points, or fewer if not all can hold stones. */
RF_PRIVATE void gr_read_least(const rf_gran_board *b, rf_details *reads, gr_set points, unsigned count);

RF_PRIVATE void gr_split(const void *ctx, const rf_state *state, void *base, rf_details *details);
RF_PRIVATE void gr_ply_reads(const void *ctx, const rf_state *state, rf_ply ply, rf_details *reads);
RF_PRIVATE void gr_list_reads(const void *ctx, const rf_state *state, const rf_ply *through, rf_details *reads);

#endif
