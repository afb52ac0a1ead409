/* The questions at which threads of one search are at this moment. A thread that knows of several positions to look at
 * takes those last at which another one is (ABDADA). What is read here may be out of date: then work is done twice,
 * and no answer changes. */
#ifndef RINGFEN_IN_PROGRESS_H
#define RINGFEN_IN_PROGRESS_H

#include "game.h"

enum { RF_PROGRESS_BUCKETS = 1 << 12, RF_PROGRESS_BUCKET = 4 };

struct rf_in_progress {
    uint64_t keys[RF_PROGRESS_BUCKETS][RF_PROGRESS_BUCKET]; /* 0: none */
};

static inline uint64_t *rf_progress_bucket(struct rf_in_progress *p, uint64_t key)
{
    return p->keys[key >> 32 & (RF_PROGRESS_BUCKETS - 1)];
}

static inline bool rf_is_in_progress(struct rf_in_progress *p, uint64_t key)
{
    const uint64_t *bucket = rf_progress_bucket(p, key);
    for (int i = 0; i < RF_PROGRESS_BUCKET; i++)
        if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == key)
            return true;
    return false;
}

/* The thread begins with this question, which is not noted where its bucket is full. */
static inline void rf_progress_begin(struct rf_in_progress *p, uint64_t key)
{
    uint64_t *bucket = rf_progress_bucket(p, key);
    for (int i = 0; i < RF_PROGRESS_BUCKET; i++)
        if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == 0) {
            __atomic_store_n(&bucket[i], key, __ATOMIC_RELAXED);
            return;
        }
}

/* It has finished with it. */
static inline void rf_progress_end(struct rf_in_progress *p, uint64_t key)
{
    uint64_t *bucket = rf_progress_bucket(p, key);
    for (int i = 0; i < RF_PROGRESS_BUCKET; i++)
        if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == key) {
            __atomic_store_n(&bucket[i], 0, __ATOMIC_RELAXED);
            return;
        }
}

#endif
