/* The methods of rf_solve. Each fills in task->out, which is empty before; false if memory ran out. */
#ifndef RINGFEN_SOLVING_METHODS_H
#define RINGFEN_SOLVING_METHODS_H

#include "solving/task.h"

/* ---- margin.c ---- */

bool rf_solve_margin(const rf_task *task);

/* ---- chance.c ---- */

bool rf_solve_chance(const rf_task *task);

/* ---- win.c ---- */

bool rf_solve_win(const rf_task *task);

#endif
