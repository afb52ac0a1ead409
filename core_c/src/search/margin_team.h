/* Several threads at one margin: what they have in common.
 *
 * One thread, the main one, gives the answer. The helpers work on the question that it asks, each with an rf_margin of
 * its own. What has been proven for good is kept here, once for all: bounds and sets of squares. A provisional failure (threshold.inc) depends on the path of one thread and never gets here, so each thread's
 * answers are proofs by themselves, whatever the others do. The table of a thread is for what threshold.inc keeps.
 *
 * Threads divide the work as in ABDADA: a position that another thread is at work on is put off until the plies
 * after it have been tried, but for the first ply of a position, which often decides it. That changes the order of plies,
 * and nothing else.
 *
 * Slots have no locks: each comes with a check word over key and contents, so that what two threads wrote at once reads
 * as a miss. */
#ifndef RINGFEN_MARGIN_TEAM_H
#define RINGFEN_MARGIN_TEAM_H

#include "common/threads.h"
#include "search/margins.h"

/* A region takes less than a page, so that it lies in two at most. */
enum { RF_TEAM_REGION_SHIFT = 7 };

/* Bits of an answer: a ply decided it, the answer, the number of the helper, the serial of the question. */
enum { RF_TEAM_ANSWER_HAS_PLY = 1, RF_TEAM_ANSWER_YES = 2, RF_TEAM_ANSWER_HELPER = 2, RF_TEAM_ANSWER_SERIAL = 16 };

typedef struct rf_team_question {
    uint64_t serial;
    bool idle; /* there is none any more */
    int threshold;
    const void *ctx;
    rf_state state;
} rf_team_question;

struct rf_margin_team {
    const rf_game *game;
    rf_margin_slot *slots; /* key: a check word */
    uint64_t slot_mask;
    /* A bit for 2^RF_TEAM_REGION_SHIFT slots: nothing is read where nothing was written (common/table.h). */
    uint64_t *written;
    struct rf_in_progress in_progress;
    int question_taken; /* a thread reads or writes the question */
    rf_team_question question;
    uint64_t nodes;  /* of helpers, but for questions not over */
    uint64_t answer; /* RF_TEAM_ANSWER_* and the number of the helper that gave it */
    uint64_t *plies; /* by helper: the ply that decided its last answer */
    int *stops;      /* by helper: its question is over; for the main thread: there is an answer */
    int helpers, closed;
};

static inline void rf_team_begin(rf_margin *m, uint64_t key)
{
    if (RF_UNLIKELY(m->team != NULL))
        rf_progress_begin(&m->team->in_progress, key);
}

static inline void rf_team_end(rf_margin *m, uint64_t key)
{
    if (RF_UNLIKELY(m->team != NULL))
        rf_progress_end(&m->team->in_progress, key);
}

static inline bool rf_team_is_at(const rf_margin *m, uint64_t key)
{
    return rf_is_in_progress(&m->team->in_progress, key);
}

/* Whether the position that is about to be searched may be, and is, put off: the caller knows by m->put_off. */
static inline bool rf_team_puts_off(rf_margin *m, uint64_t key)
{
    if (RF_LIKELY(!m->may_put_off))
        return false;
    m->may_put_off = false;
    m->put_off = rf_team_is_at(m, key);
    return m->put_off;
}

/* Before a ply is tried. `must`: it must be tried now. */
static inline void rf_team_try(rf_margin *m, bool must)
{
    m->may_put_off = m->team != NULL && !must;
    m->put_off = false;
}

/* After it has been: whether it was put off. */
static inline bool rf_team_tried(rf_margin *m)
{
    bool put_off = m->put_off;
    m->may_put_off = m->put_off = false;
    return put_off;
}

static inline rf_margin_slot *rf_team_bucket(const rf_margin_team *team, uint64_t key)
{
    return &team->slots[key & team->slot_mask & ~(uint64_t)(RF_MARGIN_BUCKET - 1)];
}

enum { RF_TEAM_TAG = 16 };

/* Its lowest bits are the highest of the key, as they are: they tell most other keys before the contents are read. The rest
 * is the rest of the key, mixed with the contents. */
static inline uint64_t rf_team_check(uint64_t key, uint64_t a, uint64_t b)
{
    return (key ^ rf_mix(a, b)) << RF_TEAM_TAG | key >> (64 - RF_TEAM_TAG);
}

/* Whether the entry with this check word may be that of the key. */
static inline bool rf_team_may_be(uint64_t key, uint64_t check)
{
    return ((check ^ key >> (64 - RF_TEAM_TAG)) & ((1u << RF_TEAM_TAG) - 1)) == 0;
}

/* The word with the bit for the bucket of a key. */
static inline uint64_t *rf_team_written(const rf_margin_team *team, uint64_t key, uint64_t *bit)
{
    uint64_t region = (key & team->slot_mask) >> RF_TEAM_REGION_SHIFT;
    *bit = UINT64_C(1) << (region & 63);
    return &team->written[region >> 6];
}

static inline void rf_team_prefetch(const rf_margin_team *team, uint64_t key)
{
    const rf_margin_slot *bucket = rf_team_bucket(team, key);
    __builtin_prefetch(bucket);
    __builtin_prefetch(&bucket[RF_MARGIN_BUCKET - 1]);
}

/* What is known in common; false if nothing is. */
static inline bool rf_team_get(const rf_margin_team *team, uint64_t key, rf_margin_slot *out)
{
    uint64_t bit;
    if ((__atomic_load_n(rf_team_written(team, key, &bit), __ATOMIC_RELAXED) & bit) == 0)
        return false;
    const rf_margin_slot *bucket = rf_team_bucket(team, key);
    for (int i = 0; i < RF_MARGIN_BUCKET; i++) {
        uint64_t check = __atomic_load_n(&bucket[i].key, __ATOMIC_RELAXED);
        if (RF_LIKELY(!rf_team_may_be(key, check)))
            continue;
        uint64_t a = __atomic_load_n(&bucket[i].a, __ATOMIC_RELAXED);
        uint64_t b = __atomic_load_n(&bucket[i].b, __ATOMIC_RELAXED);
        if ((a | b) != 0 && check == rf_team_check(key, a, b)) {
            *out = (rf_margin_slot){key, a, b};
            return true;
        }
    }
    return false;
}

void rf_team_put(rf_margin_team *team, const rf_margin_slot *slot);
/* The main thread has a question, or has it no more. */
void rf_team_announce(rf_margin_team *team, const void *ctx, const rf_state *s, int threshold);
void rf_team_finish(rf_margin_team *team);
/* The answer of a helper to the present question of the main thread `m`, which was stopped for it; -1 if it is one to a
 * question before, and the search must go on. */
int rf_team_take_answer(rf_margin *m);

#endif
