/* Threads of one search: waiting for each other, and marks of the positions that they search at the moment.
 *
 * Idea: ABDADA (Weill 1996): a thread that can choose among positions defers those that another thread is searching.
 * Invariants: two positions may share a counter, and a counter may be read late. Then work is done in another order or
 * twice; no answer changes.
 * Example: rf_progress_begin(p, key); search(position); rf_progress_end(p, key); see search/forced_wins.c. */
#ifndef RINGFEN_THREADS_H
#define RINGFEN_THREADS_H

#include "common/base.h"

/* Waits some nanoseconds without giving up the processor. */
static inline void rf_spin(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

enum { RF_PROGRESS_COUNTERS = 1 << 14 };

struct rf_in_progress {
    uint16_t threads[RF_PROGRESS_COUNTERS]; /* by the lowest bits of the key */
};

static inline bool rf_is_in_progress(const struct rf_in_progress *p, uint64_t key)
{
    return __atomic_load_n(&p->threads[key % RF_PROGRESS_COUNTERS], __ATOMIC_RELAXED) != 0;
}

static inline void rf_progress_begin(struct rf_in_progress *p, uint64_t key)
{
    __atomic_fetch_add(&p->threads[key % RF_PROGRESS_COUNTERS], 1, __ATOMIC_RELAXED);
}

static inline void rf_progress_end(struct rf_in_progress *p, uint64_t key)
{
    __atomic_fetch_sub(&p->threads[key % RF_PROGRESS_COUNTERS], 1, __ATOMIC_RELAXED);
}

#endif
