/* Forward search for forced wins, with its table, limits and helpers; and the answers that it gives.
 *
 * Example: rf_forward_open(&forward, task, limits, 0); rf_forward_answer(&forward, NULL); rf_forward_close(&forward). */
#ifndef RINGFEN_SOLVING_FORWARD_H
#define RINGFEN_SOLVING_FORWARD_H

#include "search/forced_wins.h"
#include "solving/task.h"

/* cffi: begin */

typedef struct rf_forward rf_forward;

/* A search for callers that ask their own questions about positions of one game and context, with the limits, the table
 * and the helpers of `options`, `pool` (which may be NULL) and the control, which outlive it. NULL if memory ran
 * out. */
rf_forward *rf_forward_new(const rf_game *game, const void *ctx, const rf_solve_options *options, rf_pool *pool,
                           rf_control *control);
void rf_forward_free(rf_forward *forward);
/* Positions that all threads have visited. */
uint64_t rf_forward_nodes(const rf_forward *forward);

enum { RF_NOT_KNOWN = -1 };
/* Whether `winner` forces a win from each of these positions within `plies`: answers[i] is 1, 0, or RF_NOT_KNOWN if a
 * limit was reached. Returns RF_DONE or RF_STOPPED_*. */
int rf_forward_forces_win(rf_forward *forward, const rf_state *states, size_t count, unsigned winner, unsigned plies,
                          int *answers);
/* Writes the plies of a position after which `winner` forces a win within `plies` (`forced` is 1), or does not (0), in
 * byte order into `out`: at most `max` of them, which has room for as many. Returns their number, or RF_NOT_KNOWN if a
 * limit was reached (the control gives the reason). */
int64_t rf_forward_plies(rf_forward *forward, const rf_state *s, unsigned winner, unsigned plies, int forced,
                         size_t max, rf_ply *out);
/* RF_DONE, or why the last question had no answer. */
int rf_forward_stopped(const rf_forward *forward);

/* cffi: end */

struct rf_forward {
    const rf_task *task;
    rf_pool *pool; /* NULL: one thread */
    int helpers;   /* of the pool */
    rf_table *table;
    rf_in_progress *in_progress;
    rf_win_search **searches; /* of this thread, and of the helpers from the first question on that they work on */
    rf_subsearch subsearch;
    uint64_t other_nodes;     /* of earlier parts, and of helpers */
};

/* False if memory ran out. `nodes_before`: of earlier parts of the task. */
bool rf_forward_open(rf_forward *forward, const rf_task *task, rf_limits limits, uint64_t nodes_before);
void rf_forward_close(rf_forward *forward);

/* Fills in the solution of the task. `note`: of the solution if the value is not known. False if memory ran out. */
bool rf_forward_answer(rf_forward *forward, const char *note);

#endif
