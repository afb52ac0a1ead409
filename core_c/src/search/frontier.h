/* The different positions after a number of plies from one position, each with the number of paths that lead to it.
 *
 * Idea: see frontier.c. Knows no game.
 *
 * Example: the frontier of depth 1 of a position with 20 plies that lead to 18 positions has 18 records, whose numbers
 * of paths add up to 20. */
#ifndef RINGFEN_FRONTIER_H
#define RINGFEN_FRONTIER_H

#include "common/position_set.h"

/* cffi: begin */

typedef struct rf_frontier rf_frontier;

/* A record is the bytes of the state and the number of paths, 16 bytes, the lowest first. */
uint32_t rf_frontier_record_size(const rf_game *game);

/* An empty set of at most `memory` bytes, but with room for the plies of one position; NULL if memory ran out. */
rf_frontier *rf_frontier_new(const rf_game *game, uint64_t memory);
void rf_frontier_free(rf_frontier *frontier);
void rf_frontier_clear(rf_frontier *frontier);
/* The number of different positions. */
uint64_t rf_frontier_count(const rf_frontier *frontier);

/* Adds positions; equal positions add their paths. Returns how many records it added before the memory was full or
 * control->stopped. */
uint64_t rf_frontier_add(rf_frontier *frontier, const unsigned char *records, uint64_t count, rf_control *control);
/* Adds the positions after each ply of each record; otherwise as rf_frontier_add. An empty set has room for the plies
 * of at least one position. */
uint64_t rf_frontier_expand(rf_frontier *frontier, const void *ctx, const unsigned char *records, uint64_t count,
                            rf_control *control);

/* Sorts the positions in an order that depends only on the positions: by part (RF_FRONTIER_PARTS), then by hash and
 * bytes. False if memory ran out. */
enum { RF_FRONTIER_PARTS = 64 };
bool rf_frontier_sort(rf_frontier *frontier);
/* The records with the numbers from `first` on in that order. */
void rf_frontier_read(const rf_frontier *frontier, uint64_t first, uint64_t count, unsigned char *records);
/* The number of the first position of a part in that order; for the part after the last, the count. */
uint64_t rf_frontier_part(const rf_frontier *frontier, unsigned part);

/* cffi: end */

#endif
