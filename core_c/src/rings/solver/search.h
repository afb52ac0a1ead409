/* A search: the state that lives through all questions about one position, and the question in progress.
 *
 * Idea: each question 'is South's margin at least `threshold`?' has one attacker. For threshold > 0 South must force
 * an end with at least the threshold; for threshold <= 0 North must force an end with less. Play without an end never
 * helps the attacker (K11), so every question is a reachability game, which is determined.
 *
 * Terms: a bare knight is a knight without rings (K4); a holder has rings (K5). Functions that speak of one bare
 * knight take a board without it and answer for all its squares at once (bare_knight.h).
 *
 * Invariant: with several threads, proven entries are in the shared memory and everything else is in the thread's own
 * table.
 *
 * Example: South leads by 4 and there are two rings left. The first threshold is 4, South attacks. If it succeeds the
 * next one is 6, and so on until the answers change (margin.c). */
#ifndef RINGFEN_RINGS_SEARCH_H
#define RINGFEN_RINGS_SEARCH_H

#include "control.h"
#include "rings/solver/path.h"
#include "rings/solver/shared.h"

enum { KR_HISTORY_PLIES = 4096, KR_HISTORY_LIMIT = 1 << 24, KR_NO_THRESHOLD = RF_MAX_MARGIN + 1 };

typedef struct kr_search {
    struct rf_margin base; /* game.h; first, so that a pointer to one is a pointer to the other */
    kr_table table;
    kr_path path;
    kr_groups groups;
    uint32_t history[2][KR_HISTORY_PLIES]; /* history heuristic: how often a ply of a side decided a position */
    bool asked[2 * RF_MAX_MARGIN + 1];    /* thresholds, from -RF_MAX_MARGIN */
    /* The nearest earlier thresholds at which the same attacker needs more (harder) or less (easier); KR_NO_THRESHOLD
     * if there are none. What it achieved at `harder` it achieves now, what it failed at `easier` it fails now. */
    int harder, easier;
    rf_ply root_ply; /* decided the last question, if root_has_ply */
    bool root_has_ply;
    kr_shared *shared;         /* NULL: one thread */
    int thread;                /* 0: the main thread */
    bool may_defer, deferred;  /* whether the ply in progress may be, and was, deferred */
    uint64_t next_path_check;  /* nodes at which the path is compared with proven entries of other threads */
    struct kr_search **helpers; /* of the main thread: shared->helpers of them */
} kr_search;

/* NULL if memory ran out. */
RF_PRIVATE kr_search *kr_search_new(uint64_t bytes, int helpers);
RF_PRIVATE void kr_search_free(kr_search *search);

typedef struct kr_question {
    kr_search *search;
    rf_control *control;
    int threshold;
    unsigned attacker; /* side */
} kr_question;

static inline kr_question kr_question_of(kr_search *search, int threshold, rf_control *control)
{
    return (kr_question){search, control, threshold, threshold > 0 ? KR_SOUTH : KR_NORTH};
}

/* Whether an end with this score (South's points minus North's) is a success. */
static inline bool kr_is_success(const kr_question *q, int score)
{
    return q->attacker == KR_SOUTH ? score >= q->threshold : score < q->threshold;
}

/* The lead that `side` needs at the end. Only for positions from which all play ends: there it makes no difference
 * which side attacks. */
static inline int kr_needed_lead(const kr_question *q, unsigned side)
{
    return side == KR_SOUTH ? q->threshold : 1 - q->threshold;
}

/* History heuristic: a ply of `side` decided a position. */
static inline void kr_update_history(kr_search *search, unsigned side, rf_ply ply)
{
    if (++search->history[side][ply % KR_HISTORY_PLIES] < KR_HISTORY_LIMIT)
        return;
    for (int i = 0; i < 2 * KR_HISTORY_PLIES; i++)
        search->history[i / KR_HISTORY_PLIES][i % KR_HISTORY_PLIES] /= 2;
}

/* ---- proven entries ---- */

static inline void kr_prefetch_proven(const kr_search *search, uint64_t key)
{
    if (RF_UNLIKELY(search->shared != NULL))
        kr_prefetch_bucket(kr_shared_bucket(search->shared, key));
    else
        kr_table_prefetch(&search->table, key);
}

/* The entry of a key, with several threads a copy of it; NULL if there is none. */
static inline kr_slot *kr_find_proven(const kr_search *search, uint64_t key, kr_slot *copy)
{
    if (RF_LIKELY(search->shared == NULL))
        return kr_table_find(&search->table, key);
    return kr_shared_get(search->shared, key, copy) ? copy : NULL;
}

/* The entry of a key for writing, with several threads a copy; kr_save_proven ends the change. */
static inline kr_slot *kr_insert_proven(kr_search *search, uint64_t key, uint64_t empty, kr_slot *copy)
{
    if (RF_LIKELY(search->shared == NULL))
        return kr_table_insert(&search->table, key, empty);
    if (!kr_shared_get(search->shared, key, copy))
        *copy = (kr_slot){key, empty, 0};
    return copy;
}

static inline void kr_save_proven(kr_search *search, const kr_slot *slot)
{
    if (RF_UNLIKELY(search->shared != NULL))
        kr_shared_put(search->shared, slot);
}

/* ---- deferring (ABDADA) ---- */

static inline void kr_begin_position(kr_search *search, uint64_t key)
{
    if (RF_UNLIKELY(search->shared != NULL))
        rf_progress_begin(&search->shared->in_progress, key);
}

static inline void kr_end_position(kr_search *search, uint64_t key)
{
    if (RF_UNLIKELY(search->shared != NULL))
        rf_progress_end(&search->shared->in_progress, key);
}

static inline bool kr_is_in_progress(const kr_search *search, uint64_t key)
{
    return rf_is_in_progress(&search->shared->in_progress, key);
}

/* Before a ply is tried. With `now` it is not deferred. */
static inline void kr_begin_try(kr_search *search, bool now)
{
    search->may_defer = search->shared != NULL && !now;
    search->deferred = false;
}

/* Before the position after the ply is searched: whether it is deferred, because another thread searches it. */
static inline bool kr_is_deferred(kr_search *search, uint64_t key)
{
    if (RF_LIKELY(!search->may_defer))
        return false;
    search->may_defer = false;
    search->deferred = kr_is_in_progress(search, key);
    return search->deferred;
}

/* After the ply was tried: whether it was deferred. */
static inline bool kr_end_try(kr_search *search)
{
    bool deferred = search->deferred;
    search->may_defer = search->deferred = false;
    return deferred;
}

#endif
