/* Best plies and lines of best play, if the values of a position and of all later ones are known.
 *
 * Example: rf_add_best_play(&task, rf_graph_value, graph, ...) with the values of retrograde analysis. */
#ifndef RINGFEN_SOLVING_BEST_PLAY_H
#define RINGFEN_SOLVING_BEST_PLAY_H

#include "solving/task.h"

/* A win, a loss or a draw. */
typedef struct rf_win_value {
    unsigned winner;   /* 0: a draw */
    uint32_t distance; /* plies to the end; 0 for a draw */
} rf_win_value;

/* Reads the value of a position; false if it is not known. */
typedef bool rf_get_value(void *handle, const rf_state *s, rf_win_value *out);

/* Fills in the solution of the task from known values. False if memory ran out or a value is not known. */
bool rf_add_best_play(const rf_task *task, rf_get_value *value_of, void *handle);

#endif
