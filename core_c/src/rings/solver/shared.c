/* The memory that threads share: entries, questions and answers (shared.h).
 *
 * Idea: an entry is three words, written one at a time without a lock; its check word shows if two writes mixed. Only
 * the posted question has a lock, since a state is too large for one atomic write.
 *
 * Invariants: a bucket keeps the entries that took the most nodes. An answer is published in one word, after the ply
 * that belongs to it, and never replaces the answer to a later question.
 *
 * Example: helpers 1 and 2 answer question 7 at once. One of them changes `answer` from question 6 to 7; the other sees
 * question 7 there and writes nothing. */
#include "rings/solver/shared.h"

#include "common/pages.h"

#include <sched.h>
#include <stdlib.h>

/* ---- memory ---- */

enum { KR_MIN_SHARED_SLOTS = 1 << 12, KR_TRIES_BEFORE_YIELD = 64 };

kr_shared *kr_shared_new(uint64_t bytes, int helpers)
{
    kr_shared *shared = calloc(1, sizeof *shared);
    if (shared == NULL)
        return NULL;
    uint64_t slots = KR_MIN_SHARED_SLOTS;
    while (slots <= bytes / sizeof *shared->slots / 2 && slots < (UINT64_C(1) << 40))
        slots *= 2;
    shared->helpers = helpers;
    shared->slot_mask = slots - 1;
    shared->question.over = true;
    shared->slots = calloc((size_t)slots, sizeof *shared->slots);
    shared->written = calloc((size_t)(slots >> (KR_REGION_SHIFT + 6)) + 1, sizeof *shared->written);
    shared->stops = calloc((size_t)helpers + 1, sizeof *shared->stops);
    shared->plies = calloc((size_t)helpers + 1, sizeof *shared->plies);
    if (shared->slots == NULL || shared->written == NULL || shared->stops == NULL || shared->plies == NULL) {
        kr_shared_free(shared);
        return NULL;
    }
    rf_use_large_pages(shared->slots, (size_t)slots * sizeof *shared->slots);
    return shared;
}

void kr_shared_free(kr_shared *shared)
{
    if (shared == NULL)
        return;
    free(shared->slots);
    free(shared->written);
    free(shared->stops);
    free(shared->plies);
    free(shared);
}

static uint64_t kr_atomic_get(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static void kr_atomic_set(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

/* A spin lock: threads hold it for moments only. */
static void kr_lock(int *lock)
{
    for (unsigned tries = 1; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0; tries++)
        if (tries % KR_TRIES_BEFORE_YIELD == 0)
            sched_yield();
}

static void kr_unlock(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

/* ---- entries ---- */

/* Writes to the pages of the region of a key before anything is read there. */
static void kr_begin_region(kr_shared *shared, uint64_t key)
{
    uint64_t bit, *written = kr_region_word(shared, key, &bit);
    if ((kr_atomic_get(written) & bit) != 0)
        return;
    uint64_t first = (key & shared->slot_mask) >> KR_REGION_SHIFT << KR_REGION_SHIFT;
    __atomic_fetch_or(&shared->slots[first].key, 0, __ATOMIC_RELAXED);
    __atomic_fetch_or(&shared->slots[first + (1 << KR_REGION_SHIFT) - 1].b, 0, __ATOMIC_RELAXED);
    __atomic_fetch_or(written, bit, __ATOMIC_RELAXED);
}

void kr_shared_put(kr_shared *shared, const kr_slot *slot)
{
    kr_slot *bucket = kr_shared_bucket(shared, slot->key), *chosen = bucket;
    uint64_t min = UINT64_MAX;
    kr_begin_region(shared, slot->key);
    for (int i = 0; i < KR_BUCKET_SLOTS; i++) {
        uint64_t check = kr_atomic_get(&bucket[i].key), b = kr_atomic_get(&bucket[i].b);
        if (kr_tag_matches(slot->key, check)) {
            uint64_t a = kr_atomic_get(&bucket[i].a);
            if ((a | b) != 0 && check == kr_check_word(slot->key, a, b)) {
                chosen = &bucket[i];
                break;
            }
        }
        if (b >> KR_NODES_SHIFT < min) {
            min = b >> KR_NODES_SHIFT;
            chosen = &bucket[i];
        }
    }
    kr_atomic_set(&chosen->key, kr_check_word(slot->key, slot->a, slot->b));
    kr_atomic_set(&chosen->a, slot->a);
    kr_atomic_set(&chosen->b, slot->b);
}

/* ---- questions and answers ---- */

static void kr_stop_current_work(kr_shared *shared)
{
    for (int i = 1; i <= shared->helpers; i++)
        __atomic_store_n(&shared->stops[i], 1, __ATOMIC_SEQ_CST);
}

void kr_post_question(kr_shared *shared, const rf_state *s, int threshold)
{
    __atomic_store_n(&shared->stops[0], 0, __ATOMIC_SEQ_CST);
    kr_lock(&shared->question_lock);
    shared->question = (kr_posted_question){shared->question.number + 1, false, threshold, *s};
    kr_unlock(&shared->question_lock);
}

void kr_end_question(kr_shared *shared)
{
    kr_lock(&shared->question_lock);
    shared->question.over = true;
    kr_unlock(&shared->question_lock);
    kr_stop_current_work(shared);
}

bool kr_read_question(kr_shared *shared, int helper, uint64_t done, kr_posted_question *out)
{
    /* In this order: a thread that ends the question from here on sets the flag after this clears it. */
    __atomic_store_n(&shared->stops[helper], 0, __ATOMIC_SEQ_CST);
    kr_lock(&shared->question_lock);
    *out = shared->question;
    kr_unlock(&shared->question_lock);
    return !out->over && out->number != done;
}

void kr_post_answer(kr_shared *shared, int helper, uint64_t number, bool yes, const rf_ply *ply)
{
    uint64_t last = kr_atomic_get(&shared->answer), mine = number << KR_ANSWER_QUESTION;
    mine |= (uint64_t)helper << KR_ANSWER_HELPER;
    mine |= (yes ? KR_ANSWER_YES : 0) | (ply != NULL ? KR_ANSWER_HAS_PLY : 0);
    kr_atomic_set(&shared->plies[helper], ply != NULL ? *ply : 0);
    while (last >> KR_ANSWER_QUESTION < number)
        if (__atomic_compare_exchange_n(&shared->answer, &last, mine, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&shared->stops[0], 1, __ATOMIC_SEQ_CST);
            return;
        }
}

int kr_read_answer(kr_shared *shared, rf_ply *ply, bool *has_ply)
{
    __atomic_store_n(&shared->stops[0], 0, __ATOMIC_SEQ_CST);
    uint64_t answer = __atomic_load_n(&shared->answer, __ATOMIC_SEQ_CST);
    if (answer >> KR_ANSWER_QUESTION != shared->question.number)
        return -1;
    *has_ply = (answer & KR_ANSWER_HAS_PLY) != 0;
    *ply = (rf_ply)kr_atomic_get(&shared->plies[(answer & UINT16_MAX) >> KR_ANSWER_HELPER]);
    return (answer & KR_ANSWER_YES) != 0;
}

void kr_shared_close(kr_shared *shared)
{
    __atomic_store_n(&shared->closed, 1, __ATOMIC_SEQ_CST);
    kr_stop_current_work(shared);
}
