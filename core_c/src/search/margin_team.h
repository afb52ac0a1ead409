/* Several threads at one margin: what they have in common.
 *
 * One thread, the main one, gives the answer. The helpers work on the question that it asks, each with an rf_margin of
 * its own. They have in common what has been proven for good: bounds and sets of squares (a slot each) and layers
 * (blocks). A provisional failure (threshold.inc) depends on the path of one thread and never gets here, so each thread's
 * answers are proofs by themselves, whatever the others do.
 *
 * Threads divide the work as in ABDADA: a position that another thread is at work on is put off until the plies
 * after it have been tried, but for the first ply of a position, which often decides it. That changes the order of plies,
 * and nothing else.
 *
 * There are no locks: a slot and a block come with a check word over key and contents, so that what two threads wrote at
 * once reads as a miss. */
#ifndef RINGFEN_MARGIN_TEAM_H
#define RINGFEN_MARGIN_TEAM_H

#include "game.h"
#include "search/margins.h"

enum { RF_TEAM_MARKS = 1 << 14, RF_TEAM_REGION_SHIFT = 7 };

/* Blocks: a check word, then the words there is room for (32 bits) and the words used (32 bits), then these. */
typedef struct rf_team_place {
    uint64_t check, at; /* key ^ at; words reserved before it since the beginning */
} rf_team_place;

/* Bits of an answer: a ply decided it, the answer, the number of the helper, the serial of the question. */
enum { RF_TEAM_ANSWER_HAS_PLY = 1, RF_TEAM_ANSWER_YES = 2, RF_TEAM_ANSWER_HELPER = 2, RF_TEAM_ANSWER_SERIAL = 16 };

typedef struct rf_team_question {
    uint64_t serial; /* odd while the rest is being written */
    uint64_t idle, threshold, ctx; /* idle: there is none */
    uint64_t state[RF_STATE_SIZE / sizeof(uint64_t)];
} rf_team_question;

struct rf_margin_team {
    const rf_game *game;
    rf_margin_slot *slots; /* key: a check word */
    uint64_t slot_mask;
    uint64_t *written; /* a bit for RF_TEAM_REGION slots: nothing is read where nothing was written (common/table.h) */
    rf_team_place *places;
    uint64_t place_mask;
    uint64_t *words;
    uint64_t word_mask, head;
    uint16_t marks[RF_TEAM_MARKS]; /* threads at work, by the low bits of a position's key */
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
        __atomic_fetch_add(&m->team->marks[key % RF_TEAM_MARKS], 1, __ATOMIC_RELAXED);
}

static inline void rf_team_end(rf_margin *m, uint64_t key)
{
    if (RF_UNLIKELY(m->team != NULL))
        __atomic_fetch_sub(&m->team->marks[key % RF_TEAM_MARKS], 1, __ATOMIC_RELAXED);
}

/* Whether the position that is about to be searched may be, and is, put off: the caller knows by m->put_off. */
static inline bool rf_team_puts_off(rf_margin *m, uint64_t key)
{
    if (RF_LIKELY(!m->may_put_off))
        return false;
    m->may_put_off = false;
    m->put_off = __atomic_load_n(&m->team->marks[key % RF_TEAM_MARKS], __ATOMIC_RELAXED) != 0;
    return m->put_off;
}

/* Before a ply is tried. `last`: it must be tried now. */
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

/* What is known in common; false if nothing is. */
bool rf_team_get(const rf_margin_team *team, uint64_t key, rf_margin_slot *out);
void rf_team_put(rf_margin_team *team, const rf_margin_slot *slot);
/* The words of a block, at most RF_MOST_BLOCK, into `out`; 0 if it is not there. */
size_t rf_team_get_block(const rf_margin_team *team, uint64_t key, uint64_t *out, size_t most);
void rf_team_put_block(rf_margin_team *team, uint64_t key, const uint64_t *words, size_t count);

/* The main thread has a question, or has it no more. */
void rf_team_announce(rf_margin_team *team, const void *ctx, const rf_state *s, int threshold);
void rf_team_finish(rf_margin_team *team);
/* The answer of a helper to the present question of the main thread `m`, which was stopped for it; -1 if it is one to a
 * question before, and the search must go on. */
int rf_team_take_answer(rf_margin *m);

#endif
