/* Forced wins by forward search, for any game of two players: does a player win within a number of plies?
 *
 * Idea: see forced_wins.c. Knows no game.
 * Example: rf_win_solve(search, s, 9, &result, control) asks for 1, 2, ... 9 plies. */
#ifndef RINGFEN_FORCED_WINS_H
#define RINGFEN_FORCED_WINS_H

#include "common/searches.h"

/* cffi: begin */

typedef struct rf_win_search rf_win_search;

typedef struct rf_win_result {
    int value;      /* 1: the side to move wins, -1: it loses, 0: unknown */
    int distance;   /* plies to the end if the winner plays fast and the loser delays; value not 0 */
    int decided;    /* neither side has a forced win within this many plies; value 0 */
    int has_ply;    /* value not 0: whether `ply` is a ply that keeps value and distance */
    rf_ply ply;
} rf_win_result;

/* For positions of one game and context. `table` may be NULL and may be shared by searches of that game and context
 * in other threads. NULL if memory ran out. */
rf_win_search *rf_win_new(const rf_game *game, const void *ctx, rf_table *table);
void rf_win_free(rf_win_search *search);
/* Whether `player` forces a win within `plies` (at most RF_WIN_MAX_PLIES): 1, 0, or -1 if the control stopped the
 * search. */
int rf_win_forces(rf_win_search *search, const rf_state *s, unsigned player, unsigned plies, rf_control *control);
/* Writes the ply that decided the last question of rf_win_forces: it wins, or it prevents the win. False if no single
 * ply decided it, or if the ply is unknown. */
bool rf_win_deciding_ply(const rf_win_search *search, rf_ply *ply);
/* Searches in several threads that share a table and `in_progress` share the work on one question. Both must outlive
 * the searches. */
void rf_win_share_work(rf_win_search *search, rf_in_progress *in_progress);
/* Searches 1 ply deep, 2, ... up to `plies`. False if the control stopped it; *result is valid in any case. */
bool rf_win_solve(rf_win_search *search, const rf_state *s, unsigned plies, rf_win_result *result, rf_control *control);

/* cffi: end */

#endif
