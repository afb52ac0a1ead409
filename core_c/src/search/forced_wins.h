/* Forced wins by forward search: who wins within a number of plies. Knows no game. */
#ifndef RINGFEN_WIN_SEARCH_H
#define RINGFEN_WIN_SEARCH_H

#include "ringfen.h"

/* cffi: begin */

typedef struct rf_win_search rf_win_search;

typedef struct rf_win_result {
    int value;      /* 1: the side to move wins, -1: it loses, 0: not known */
    int distance;   /* plies to the end if the winner hurries and the loser delays; value not 0 */
    int decided;    /* neither side has a forced win within this many plies; value 0 */
    int has_ply;    /* value not 0: whether the proof has a ply that keeps value and distance; then it is `ply` */
    rf_ply ply;
} rf_win_result;

/* For positions of one game and context. `table` may be NULL and may be shared by searches of that game and context
 * in other threads. NULL if memory ran out. */
rf_win_search *rf_win_new(const rf_game *game, const void *ctx, rf_table *table);
void rf_win_free(rf_win_search *search);
/* Whether `player` wins within `plies` (at most RF_WIN_MOST_PLIES), whatever the others do: 1, 0, or -1 if the
 * control stopped it. */
int rf_win_forces(rf_win_search *search, const rf_state *s, unsigned player, unsigned plies, rf_control *control);
/* The ply that decided the last question of rf_win_forces: one that wins, or one that prevents the win. False if no
 * single ply did, or none is known. */
bool rf_win_deciding_ply(const rf_win_search *search, rf_ply *ply);
/* Searches that share a table and this, in one thread each, share the work on one question. They outlive neither. */
void rf_win_share_work(rf_win_search *search, rf_in_progress *others);
/* Looks 1 ply ahead, 2, ... up to `plies`. False if the control stopped it; *result holds in any case. */
bool rf_win_solve(rf_win_search *search, const rf_state *s, unsigned plies, rf_win_result *result, rf_control *control);

/* cffi: end */

#endif
