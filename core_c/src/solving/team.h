/* Helper threads that work with the calling thread on one thing after another.
 *
 * Idea: the caller starts the threads, and each calls rf_team_help. The calling thread of a long call posts work and
 * takes it back; helpers that wait look for work every 0.1 ms.
 * Invariant: rf_team_end returns after the last helper has left the work.
 * Example: rf_team_begin(team, search_with, &question); search(&question); stop = 1; rf_team_end(team); */
#ifndef RINGFEN_TEAM_H
#define RINGFEN_TEAM_H

#include "ringfen.h"

/* cffi: begin */

typedef struct rf_team rf_team;

/* A team with this many helpers, at least 1. NULL if memory ran out. */
rf_team *rf_team_new(int helpers);
/* No helper is running. */
void rf_team_free(rf_team *team);
/* The work of a helper, numbered from 1, in its own thread: it returns after rf_team_close. */
void rf_team_help(rf_team *team, int helper);
/* Any thread may call it at any time. */
void rf_team_close(rf_team *team);
/* For tests: helpers also begin with work that may be too short for them. */
void rf_team_set_eager(rf_team *team);

/* cffi: end */

typedef void rf_team_work(void *data, int helper);

int rf_team_helpers(const rf_team *team);
bool rf_team_is_eager(const rf_team *team);
/* Lets the helpers call work(data, helper), each once. The last work has ended. */
void rf_team_begin(rf_team *team, rf_team_work *work, void *data);
/* Waits for the helpers, which the caller has told to stop. */
void rf_team_end(rf_team *team);

#endif
