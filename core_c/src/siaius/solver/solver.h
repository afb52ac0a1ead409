/* Solves positions of Siaius with a few stones more than endgame tables have: proof-number search over a stored graph
 * with tables at its leaves (docs/solvers/proof-number.md).
 *
 * Example: with tables of up to 4 stones, the solver searches a position with 6 stones. It expands turns until captures
 * reach positions with 4 stones, whose values the tables give, and decides draws by endless play from the whole stored
 * graph. */
#ifndef RINGFEN_SIAIUS_SOLVER_H
#define RINGFEN_SIAIUS_SOLVER_H

#include "siaius/solver/turns.h"

/* cffi: begin */

/* The result of a call. */
enum {
    SI_SOLVER_SOLVED = 0,
    SI_SOLVER_STOPPED = 1, /* control->stopped gives the reason; RF_DONE: the distance exceeds the limit of the solver */
    SI_SOLVER_FULL = 2,    /* the memory is full */
    SI_SOLVER_DAMAGED = 3, /* a table cannot be read */
    SI_SOLVER_UNKNOWN = -2 /* the question has no answer yet */
};

typedef struct si_solver si_solver;

/* A solver for one position that is not over and has at most SI_SOLVER_STONES stones, in about `memory` bytes. Tables
 * and reader belong to the caller; they must be of the position's board and variant. NULL if memory ran out. */
si_solver *si_solver_new(const si_tables *tables, rf_tb_reader *reader, const rf_game *game, const rf_state *root,
                         uint64_t memory);
void si_solver_free(si_solver *solver);
/* Searches until the value of the position is known; SI_SOLVER_*. A later call continues. */
int si_solver_solve(si_solver *solver, rf_control *control);
/* Before si_solver_solve: accepts helpers. Each helper thread then calls si_solver_help with its own reader, which
 * returns after si_solver_stop_helpers. False if memory ran out. */
bool si_solver_start_helpers(si_solver *solver, int helpers);
void si_solver_help(const si_solver *solver, rf_tb_reader *reader);
void si_solver_stop_helpers(si_solver *solver);
/* After a win or loss: bounds its distance. False: stopped, and there is no bound. si_solver_solve must not follow. */
bool si_solver_bound_distance(si_solver *solver, rf_control *control);
/* After that: raises *lower, which no win is shorter than, to the exact distance (SI_SOLVER_SOLVED) or as far as
 * possible. */
int si_solver_deepen(si_solver *solver, uint32_t *lower, rf_control *control);
/* After si_solver_bound_distance: whether the winner wins a position that the root leads to within `plies`: 1, 0,
 * SI_SOLVER_UNKNOWN or SI_SOLVER_DAMAGED. */
int si_solver_wins_within(si_solver *solver, const rf_state *s, uint32_t plies, rf_control *control);
/* Whether `player` wins a position: 1, 0, SI_SOLVER_UNKNOWN or SI_SOLVER_DAMAGED. *upper: plies that suffice for a win;
 * 0 if there is no bound. */
int si_solver_wins(const si_solver *solver, const rf_state *s, unsigned player, uint32_t *upper);

/* cffi: end */

#endif
