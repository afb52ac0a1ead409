/* Bounds and masks of a position (bounds.h, masks.h), for tests.
 *
 * Example: gr_inspect_mask(ctx, s, GR_MASK_OF_LIST, 0, mask) adds the stones that decide which plies are legal. */
#ifndef RINGFEN_GRAN_INSPECT_H
#define RINGFEN_GRAN_INSPECT_H

#include "common/searches.h"

/* cffi: begin */

/* The earliest win of each of RF_MAX_PLAYERS players, in plies (gr_earliest_wins). */
void gr_inspect_earliest_wins(const void *ctx, const rf_state *s, uint8_t *out);
/* Splits a position into fixed part and mask bits. Returns the size of the fixed part, which is written to `fixed`
 * (RF_STATE_SIZE bytes). */
uint32_t gr_inspect_parts(const void *ctx, const rf_state *s, uint8_t *fixed, uint64_t bits[3]);

enum { GR_MASK_OF_PLY, GR_MASK_OF_LIST, GR_MASK_OF_THROUGH };
/* Adds to `mask` the mask bits that a proof reads which uses this ply, all plies, or all plies and their order up to
 * this one. */
void gr_inspect_mask(const void *ctx, const rf_state *s, int question, rf_ply ply, uint64_t mask[3]);

/* The player who is certain to win, or 0; whether a player can prevent all wins of the others, and the mask bits that
 * prove it. */
unsigned gr_inspect_certain_winner(const void *ctx, const rf_state *s, unsigned plies);
bool gr_inspect_can_prevent_wins(const void *ctx, const rf_state *s, unsigned player, unsigned plies,
                                 uint64_t mask[3]);

/* cffi: end */

#endif
