/* Helper threads that work with the calling thread on one thing after another.
 *
 * Idea: the caller starts the threads, and each calls rf_pool_help. The calling thread of a long call posts work and
 * takes it back; helpers that wait look for work every 0.1 ms.
 * Invariant: rf_pool_end returns after the last helper has left the work.
 * Example: rf_pool_begin(pool, search_with, &question); search(&question); stop = 1; rf_pool_end(pool); */
#ifndef RINGFEN_POOL_H
#define RINGFEN_POOL_H

#include "ringfen.h"

/* cffi: begin */

typedef struct rf_pool rf_pool;

/* A pool of this many helpers, at least 1. NULL if memory ran out. */
rf_pool *rf_pool_new(int helpers);
/* No helper is running. */
void rf_pool_free(rf_pool *pool);
/* The work of a helper, numbered from 1, in its own thread: it returns after rf_pool_close. */
void rf_pool_help(rf_pool *pool, int helper);
/* Any thread may call it at any time. */
void rf_pool_close(rf_pool *pool);
/* For tests: helpers also begin with work that may be too short for them. */
void rf_pool_share_short_work(rf_pool *pool);

/* cffi: end */

typedef void rf_pool_work(void *data, int helper);

int rf_pool_helpers(const rf_pool *pool);
bool rf_pool_shares_short_work(const rf_pool *pool);
/* Starts work: the helpers call work(data, helper), each once. The last work has ended. */
void rf_pool_begin(rf_pool *pool, rf_pool_work *work, void *data);
/* Waits for the helpers, which the caller has told to stop. */
void rf_pool_end(rf_pool *pool);

#endif
