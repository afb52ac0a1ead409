/* For tests: facts about a position that need no search (bounds.h, masks.h).
 *
 * Example: gr_inspect_reads(ctx, s, GR_READS_LIST, 0, reads) adds the stones that decide which plies are legal. */
#ifndef RINGFEN_GRAN_INSPECT_H
#define RINGFEN_GRAN_INSPECT_H

#include "ringfen.h"

/* cffi: begin */

/* The earliest win of each of RF_MOST_PLAYERS players, in plies (gr_earliest_wins). */
void gr_inspect_earliest_wins(const void *ctx, const rf_state *s, uint8_t *out);
/* Splits a position into base and details. Returns the size of the base, which is written to `base` (RF_STATE_SIZE
 * bytes). */
uint32_t gr_inspect_parts(const void *ctx, const rf_state *s, uint8_t *base, uint64_t details[3]);

enum { GR_READS_PLY, GR_READS_LIST, GR_READS_THROUGH };
/* Adds to `reads` the details that a proof reads which uses this ply, all plies, or all plies and their order up to
 * this one. */
void gr_inspect_reads(const void *ctx, const rf_state *s, int question, rf_ply ply, uint64_t reads[3]);

/* The player who is certain to win, or 0; whether a player can prevent all wins of the others, and the details that
 * prove it. */
unsigned gr_inspect_certain_winner(const void *ctx, const rf_state *s, unsigned plies);
bool gr_inspect_can_prevent_wins(const void *ctx, const rf_state *s, unsigned player, unsigned plies,
                                 uint64_t reads[3]);

/* cffi: end */

#endif
