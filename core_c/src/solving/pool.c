/* Helper threads: how they wait for work and leave it (pool.h).
 *
 * The work of a pool has a number; it is odd while helpers may begin. */
#include "solving/pool.h"

#include <stdlib.h>

#include "control.h"

struct rf_pool {
    int helpers;
    int closed;
    int busy;        /* helpers that may be in the work */
    bool shares_short_work;
    uint64_t number; /* of the work */
    rf_pool_work *work;
    void *data;
};

rf_pool *rf_pool_new(int helpers)
{
    rf_pool *pool = helpers < 1 ? NULL : calloc(1, sizeof *pool);
    if (pool != NULL)
        pool->helpers = helpers;
    return pool;
}

void rf_pool_free(rf_pool *pool) { free(pool); }
void rf_pool_close(rf_pool *pool) { __atomic_store_n(&pool->closed, 1, __ATOMIC_RELAXED); }
void rf_pool_share_short_work(rf_pool *pool) { pool->shares_short_work = true; }
int rf_pool_helpers(const rf_pool *pool) { return pool->helpers; }
bool rf_pool_shares_short_work(const rf_pool *pool) { return pool->shares_short_work; }

void rf_pool_help(rf_pool *pool, int helper)
{
    uint64_t done = 0;
    while (__atomic_load_n(&pool->closed, __ATOMIC_RELAXED) == 0) {
        uint64_t number = __atomic_load_n(&pool->number, __ATOMIC_SEQ_CST);
        if (number % 2 == 0 || number == done) {
            rf_sleep_briefly();
            continue;
        }
        /* Either this thread sees that the work has ended, or rf_pool_end sees this thread. */
        __atomic_fetch_add(&pool->busy, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&pool->number, __ATOMIC_SEQ_CST) == number) {
            pool->work(pool->data, helper);
            done = number;
        }
        __atomic_fetch_sub(&pool->busy, 1, __ATOMIC_SEQ_CST);
    }
}

void rf_pool_begin(rf_pool *pool, rf_pool_work *work, void *data)
{
    pool->work = work;
    pool->data = data;
    __atomic_fetch_add(&pool->number, 1, __ATOMIC_SEQ_CST);
}

void rf_pool_end(rf_pool *pool)
{
    __atomic_fetch_add(&pool->number, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&pool->busy, __ATOMIC_SEQ_CST) != 0)
        rf_sleep_briefly();
}
