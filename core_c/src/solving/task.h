/* The methods of rf_solve, and what they share: limits of the calls that make up one answer, lists of plies, and the
 * positions after them.
 *
 * Example: rf_subsearch_begin(&subsearch, task, limits); search(..., &subsearch.control); nodes =
 * subsearch.control.nodes. */
#ifndef RINGFEN_SOLVING_TASK_H
#define RINGFEN_SOLVING_TASK_H

#include "common/base.h"
#include "solving/solving.h"

/* One call of rf_solve. */
typedef struct rf_task {
    const rf_game *game;
    const void *ctx;
    const rf_state *s;
    const rf_solve_options *options;
    rf_pool *pool;     /* NULL: one thread */
    rf_control *control; /* the caller's */
    double started;
    rf_solution *out;
} rf_task;

/* Limits; 0 is none. */
typedef struct rf_limits {
    uint64_t nodes;
    double seconds;
} rf_limits;

static inline rf_limits rf_limits_of(const rf_solve_options *options)
{
    return (rf_limits){options->nodes, options->seconds};
}

/* Writes what is left of the limits after this use; false if nothing is. */
bool rf_limits_after(rf_limits limits, uint64_t nodes, double seconds, rf_limits *out);

/* A search within a call of rf_solve: it has its own limits, and passes progress and cancellation on. */
typedef struct rf_subsearch {
    rf_control control;
    rf_control *parent;         /* the caller's */
    uint64_t nodes_before;      /* of earlier parts */
    void (*on_poll)(void *data); /* NULL: nothing is to be done */
    void *data;
} rf_subsearch;

void rf_subsearch_begin(rf_subsearch *subsearch, const rf_task *task, rf_limits limits, uint64_t nodes_before);

/* ---- plies and the positions after them ---- */

/* The plies of a position in byte order, and the positions after them. */
typedef struct rf_children {
    rf_ply *plies;
    rf_state *states;
    size_t count;
} rf_children;

/* Allocates lists; false if memory ran out. */
bool rf_children_new(const rf_task *task, rf_children *out);
void rf_children_free(rf_children *children);
/* Fills the lists; false if memory ran out. */
bool rf_children_of(const rf_task *task, const rf_state *s, rf_children *out);

/* ---- answers ---- */

/* An empty solution for the position of a task. */
void rf_solution_begin(rf_solution *out);
bool rf_add_best(rf_solution *out, rf_ply ply);
bool rf_add_to_line(rf_solution *out, rf_ply ply);
/* Writes a win or a loss for the side to move; a draw if winner is 0. */
void rf_set_winner(const rf_task *task, unsigned winner, rf_answer *out);

/* ---- the methods: win.c, margin.c, chance.c ---- */

/* Each fills in task->out, which is empty before; false if memory ran out. */
bool rf_solve_win(const rf_task *task);
bool rf_solve_margin(const rf_task *task);
bool rf_solve_chance(const rf_task *task);

#endif
