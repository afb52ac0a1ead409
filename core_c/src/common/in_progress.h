/* The questions at which threads of one search are at this moment. A thread that knows of several positions to look at
 * takes those last at which another one is (ABDADA). Two questions may share a place, and what is read may be out of
 * date: then work is done in another order, or twice, and no answer changes. */
#ifndef RINGFEN_IN_PROGRESS_H
#define RINGFEN_IN_PROGRESS_H

#include "common/base.h"

enum { RF_PROGRESS_PLACES = 1 << 14 };

struct rf_in_progress {
    uint16_t threads[RF_PROGRESS_PLACES]; /* by the low bits of a question's key */
};

static inline bool rf_is_in_progress(const struct rf_in_progress *p, uint64_t key)
{
    return __atomic_load_n(&p->threads[key % RF_PROGRESS_PLACES], __ATOMIC_RELAXED) != 0;
}

/* The thread begins with this question. */
static inline void rf_progress_begin(struct rf_in_progress *p, uint64_t key)
{
    __atomic_fetch_add(&p->threads[key % RF_PROGRESS_PLACES], 1, __ATOMIC_RELAXED);
}

/* It has finished with it. */
static inline void rf_progress_end(struct rf_in_progress *p, uint64_t key)
{
    __atomic_fetch_sub(&p->threads[key % RF_PROGRESS_PLACES], 1, __ATOMIC_RELAXED);
}

#endif
