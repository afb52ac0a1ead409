/* Memory that the threads of one solve share: proven entries, positions in progress, and the current question.
 *
 * Idea: the main thread gives the answer. Helpers work on the same question, each with its own search. Proven results
 * are kept here. A provisional failure (path.h) depends on the path of one thread and never gets here, so every
 * thread's answers are proofs by themselves. Threads divide the work as in ABDADA (Weill 1996): a thread defers a
 * position that another thread is searching until it has tried the other plies, except for the first ply, which often
 * decides.
 *
 * Invariants: slots have no locks. Each has a check word over its key and contents, so that a slot written by two
 * threads at once reads as a miss (Hyatt and Mann 2002). Deferring changes the order of plies and no answer.
 *
 * Example: the main thread posts question 7, 'at least 3?'. Helper 2 finds the answer first, stores 7 | helper 2 |
 * yes in `answer` and sets stops[0]. The main thread stops, reads the answer and posts question 8. */
#ifndef RINGFEN_RINGS_SHARED_H
#define RINGFEN_RINGS_SHARED_H

#include "common/threads.h"
#include "rings/solver/table.h"

enum {
    KR_REGION_SHIFT = 7, /* slots of a region: less than a page, so that it lies in two pages at most */
    KR_CHECK_TAG = 16    /* bits of a check word that are bits of the key */
};

/* Bits of an answer: a ply decided it, the answer is yes, the number of the helper, the number of the question. */
enum { KR_ANSWER_HAS_PLY = 1, KR_ANSWER_YES = 2, KR_ANSWER_HELPER = 2, KR_ANSWER_QUESTION = 16 };

typedef struct kr_posted_question {
    uint64_t number;
    bool over;
    int threshold;
    rf_state state;
} kr_posted_question;

typedef struct kr_shared {
    kr_slot *slots; /* key: a check word */
    uint64_t slot_mask;
    uint64_t *written; /* a bit for each region: no region is read before it is written (common/table.h) */
    struct rf_in_progress in_progress;
    int question_lock;
    kr_posted_question question;
    uint64_t nodes;  /* of helpers, except for the current question */
    uint64_t answer; /* KR_ANSWER_* */
    uint64_t *plies; /* by helper: the ply that decided its last answer */
    int *stops;      /* by thread: its question is over; for the main thread (0): a helper has the answer */
    int helpers, closed;
} kr_shared;

/* NULL if memory ran out. */
RF_PRIVATE kr_shared *kr_shared_new(uint64_t bytes, int helpers);
RF_PRIVATE void kr_shared_free(kr_shared *shared);

static inline kr_slot *kr_shared_bucket(const kr_shared *shared, uint64_t key)
{
    return &shared->slots[key & shared->slot_mask & ~(uint64_t)(KR_BUCKET_SLOTS - 1)];
}

/* The low bits are the high bits of the key: they exclude most other keys before the contents are read. */
static inline uint64_t kr_check_word(uint64_t key, uint64_t a, uint64_t b)
{
    return (key ^ rf_mix(a, b)) << KR_CHECK_TAG | key >> (64 - KR_CHECK_TAG);
}

/* Whether the slot with this check word may belong to the key. */
static inline bool kr_tag_matches(uint64_t key, uint64_t check)
{
    return ((check ^ key >> (64 - KR_CHECK_TAG)) & ((1u << KR_CHECK_TAG) - 1)) == 0;
}

/* The word with the bit for the region of a key. */
static inline uint64_t *kr_region_word(const kr_shared *shared, uint64_t key, uint64_t *bit)
{
    uint64_t region = (key & shared->slot_mask) >> KR_REGION_SHIFT;
    *bit = UINT64_C(1) << (region & 63);
    return &shared->written[region >> 6];
}

/* Reads the entry of a key; false if there is none. */
static inline bool kr_shared_get(const kr_shared *shared, uint64_t key, kr_slot *out)
{
    uint64_t bit;
    if ((__atomic_load_n(kr_region_word(shared, key, &bit), __ATOMIC_RELAXED) & bit) == 0)
        return false;
    const kr_slot *bucket = kr_shared_bucket(shared, key);
    for (int i = 0; i < KR_BUCKET_SLOTS; i++) {
        uint64_t check = __atomic_load_n(&bucket[i].key, __ATOMIC_RELAXED);
        if (RF_LIKELY(!kr_tag_matches(key, check)))
            continue;
        uint64_t a = __atomic_load_n(&bucket[i].a, __ATOMIC_RELAXED);
        uint64_t b = __atomic_load_n(&bucket[i].b, __ATOMIC_RELAXED);
        if ((a | b) != 0 && check == kr_check_word(key, a, b)) {
            *out = (kr_slot){key, a, b};
            return true;
        }
    }
    return false;
}

RF_PRIVATE void kr_shared_put(kr_shared *shared, const kr_slot *slot);

/* ---- questions and answers ---- */

/* The main thread posts a question, or says that it is over. */
RF_PRIVATE void kr_post_question(kr_shared *shared, const rf_state *s, int threshold);
RF_PRIVATE void kr_end_question(kr_shared *shared);
/* Reads the question. False if there is none, or if it is number `done`. Clears the helper's stop flag first. */
RF_PRIVATE bool kr_read_question(kr_shared *shared, int helper, uint64_t done, kr_posted_question *out);
/* A helper answers question `number`; an answer to a later question stays. `ply` is NULL if no ply decided it. */
RF_PRIVATE void kr_post_answer(kr_shared *shared, int helper, uint64_t number, bool yes, const rf_ply *ply);
/* The main thread, stopped by a helper, reads the answer: 1 or 0; -1 if it is for an earlier question. */
RF_PRIVATE int kr_read_answer(kr_shared *shared, rf_ply *ply, bool *has_ply);
/* Ends the work of all helpers. Any thread may call it. */
RF_PRIVATE void kr_shared_close(kr_shared *shared);
static inline bool kr_shared_is_closed(const kr_shared *shared)
{
    return __atomic_load_n(&shared->closed, __ATOMIC_SEQ_CST) != 0;
}

#endif
