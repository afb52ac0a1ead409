/* The positions that are a number of plies away from one, each once, with the number of ways that lead to it. Knows no
 * game. */
#ifndef RINGFEN_FRONTIER_H
#define RINGFEN_FRONTIER_H

#include "common/position_set.h"

/* cffi: begin */

typedef struct rf_frontier rf_frontier;

/* Positions go in and out as records: the bytes of the state and a number of ways of 16 bytes, the lowest first. */
uint32_t rf_frontier_record_size(const rf_game *game);

/* An empty set that takes at most `memory` bytes, but always some; NULL if memory ran out. */
rf_frontier *rf_frontier_new(const rf_game *game, uint64_t memory);
void rf_frontier_free(rf_frontier *frontier);
void rf_frontier_clear(rf_frontier *frontier);
/* How many different positions it holds. */
uint64_t rf_frontier_count(const rf_frontier *frontier);

/* Adds positions, or their ways to those of equal ones. How many were taken before there was no room; fewer too if
 * control->stopped. */
uint64_t rf_frontier_add(rf_frontier *frontier, const unsigned char *records, uint64_t count, rf_control *control);
/* Adds for each record what its plies lead to; otherwise as rf_frontier_add. The set has room for the plies of one
 * position at least. */
uint64_t rf_frontier_expand(rf_frontier *frontier, const void *ctx, const unsigned char *records, uint64_t count,
                            rf_control *control);

/* Puts the positions in an order that depends on nothing but the positions: by the part that they belong to
 * (RF_FRONTIER_PARTS), and a fixed one within it. False if memory ran out. */
enum { RF_FRONTIER_PARTS = 64 };
bool rf_frontier_sort(rf_frontier *frontier);
/* The records with the numbers from `first` on in that order. */
void rf_frontier_read(const rf_frontier *frontier, uint64_t first, uint64_t count, unsigned char *records);
/* Where a part begins in that order; that after the last one: the count. */
uint64_t rf_frontier_part(const rf_frontier *frontier, unsigned part);

/* cffi: end */

#endif
