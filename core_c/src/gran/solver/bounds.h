/* Bounds for a position without a search: when each player can win at the earliest, and wins that are certain.
 *
 * Idea: admissible bounds, from tables of distances on the board (board.h), so the search cuts lines that end too
 * late.
 * Invariants: the earliest win is never too high and follows from the fixed part of the state (masks.h); certain
 * wins are exact if they are found, but not all are found.
 * Example: player 2 needs one seal and is to act after player 1, without the ring. The earliest win is the number of
 * plies to take the ring and carry it to a city, and at least one ply of player 1 before. */
#ifndef RINGFEN_GRAN_BOUNDS_H
#define RINGFEN_GRAN_BOUNDS_H

#include "gran/solver/masks.h"

/* ---- earliest_wins.c ---- */

/* For each player of the state, the number of plies after which they can have won at the earliest: never too high; 0
 * for the winner, 255 for 'later or never'. */
RF_SHARED void gr_earliest_wins(const void *ctx, const rf_state *state, uint8_t *out);

/* ---- certain_wins.c; the position is not over ---- */

/* The number of a player who can win within `plies` whatever chance and the others do; 0 if none is found. */
RF_SHARED unsigned gr_certain_winner(const void *ctx, const rf_state *state, unsigned plies);
/* Whether `player` can keep all others from winning within `plies`, whatever chance and the others do; false if it
 * is not known. If true, it is true of every state with the same fixed part that agrees on *mask, which is empty
 * before. */
RF_SHARED bool gr_can_prevent_wins(const void *ctx, const rf_state *state, unsigned player, unsigned plies,
                                   gr_mask *mask);

#endif
