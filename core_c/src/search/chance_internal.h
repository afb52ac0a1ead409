/* What the two searches of winning probabilities share (search/maxn.c, search/paranoid.c); search/chance.c implements
 * it, and search/chance_table.c the table.
 *
 * Idea: the proof of a value reads only some details of a position. It holds for every position with the same base that
 * agrees on these details (rf_mask_part), so the table and the list of proofs of a decision answer many positions with
 * one proof.
 *
 * Invariants: `reads` only grows while a position is searched; a stored proof is exact for all positions that it
 * matches. */
#ifndef RINGFEN_CHANCE_COMMON_H
#define RINGFEN_CHANCE_COMMON_H

#include "search/chance.h"
#include "control.h"
#include "common/fraction.h"
#include "game.h"

/* A ply to be searched, or a group of chance results that lead to one position. */
typedef struct {
    rf_ply ply;
    uint16_t index; /* in the byte order of the plies */
    uint16_t key;   /* decisions: below RF_CHANCE_KEYS; plies with smaller keys are searched first */
    uint32_t weight; /* of a group of chance results */
    uint32_t base;   /* decisions: one number for all plies that lead to the same base; 0 if only one ply leads there */
    bool is_deferred; /* another thread was searching it */
} rf_chance_child;

/* Children in the order in which they are searched. */
typedef struct {
    rf_chance_child *children;
    size_t count, at;
    size_t deferred; /* how many children before `at` are deferred */
    size_t first;    /* the first of them is not before this child */
} rf_chance_queue;

/* A position after a ply that has been searched, and the details that its proof has read (rf_mask_part). */
typedef struct {
    uint32_t base;
    uint16_t index;
    rf_details details, reads;
} rf_chance_proof;

/* No decision keeps more proofs at a time. */
enum { RF_MOST_PROOFS = 64, RF_CHANCE_KEYS = 256 };
/* Values in an entry of the table, at most. */
enum { RF_CHANCE_VALUES = RF_CHANCE_PLAYERS + 1 };
/* With fewer plies left, threads do not defer positions that others search; found by trial. */
enum { RF_SHARED_PLIES = 4 };
/* Nodes after which a thread checks whether others have answered its positions; found by trial. */
enum { RF_NODES_BETWEEN_POLLS = 64 };
enum { RF_BASE_WORDS = RF_STATE_SIZE / 8 };

/* A position as the table knows it. */
typedef struct {
    uint64_t tag; /* plies left and kind of search */
    uint64_t hash; /* of the base and the tag: one for all positions with this base, as one proof may hold for them all */
    uint64_t base[RF_BASE_WORDS]; /* what is left of the last word is filled up with zeros */
    rf_details details;
} rf_chance_key;

/* A position of the current path and the question about it (of maxn or paranoid). */
typedef struct {
    const rf_chance_key *key;
    const void *asked;
} rf_chance_step;

typedef struct {
    const rf_game *game;
    const void *ctx;
    const rf_mask_part *masks; /* NULL without */
    rf_control *control;
    rf_chance_table *table;
    bool shared; /* whether other threads use the table */
    unsigned players;
    unsigned player; /* paranoid: whose probability, from 0 */
    bool upper;      /* paranoid: an unfinished game counts 1, not 0 */
    uint64_t kind;   /* distinguishes searches in the table */
    rf_ply *plies;   /* scratch, max_plies */
    rf_chance_child *children; /* a stack of lists */
    size_t used, room;
    rf_chance_proof *proofs; /* a stack too */
    size_t proved;
    /* If the table is shared: the current path by plies left; when to poll next (nodes); and the plies left of a
     * position that another thread has answered (0: none), to which the search then returns. */
    rf_chance_step *path;
    unsigned most_plies, answered;
    uint64_t next_poll;
} rf_chance_search;

/* Visits the positions after the plies of a decision; earliest wins are computed once for consecutive plies with one
 * base. */
typedef struct {
    unsigned char base[RF_STATE_SIZE];
    uint32_t number; /* of the base */
    bool any;
    uint8_t first[RF_CHANCE_PLAYERS];
} rf_chance_sequence;

rf_chance_search rf_chance_new_search(const rf_game *game, const void *ctx, const rf_state *state,
                                      rf_chance_table *table, rf_control *control);
/* Allocates the lists for a depth of `plies`; false, with the reason in the control, if memory ran out. */
bool rf_chance_begin(rf_chance_search *s, unsigned plies);
void rf_chance_end(rf_chance_search *s);
/* Reports that a number does not fit. */
int rf_chance_overflowed(rf_chance_search *s);

rf_chance_key rf_chance_key_of(const rf_chance_search *s, const rf_state *state, unsigned plies);
/* Copies the values of a matching entry, and the details that their proof has read; false if there is none. */
bool rf_chance_find(const rf_chance_search *s, const rf_chance_key *key, uint64_t *values, rf_details *reads);
/* Stores values for this position. Values that are not `exact` never replace exact values. */
void rf_chance_store(const rf_chance_search *s, const rf_chance_key *key, const uint64_t *values, bool exact,
                     const rf_details *reads);
bool rf_chance_table_is_shared(const rf_chance_table *table);

/* Marks this position for other threads as being searched, and removes the mark. */
void rf_chance_enter(const rf_chance_search *s, const rf_chance_key *key, unsigned plies);
void rf_chance_leave(const rf_chance_search *s, const rf_chance_key *key, unsigned plies);
bool rf_chance_in_progress(const rf_chance_search *s, const rf_chance_key *key);
/* Whether another thread has answered this question. */
typedef bool rf_chance_answered(const rf_chance_search *s, const rf_chance_step *at);
/* Records the current position. True if the search must return to an earlier position, as if it were stopped. */
bool rf_chance_poll(rf_chance_search *s, unsigned plies, const rf_chance_step *here, rf_chance_answered *answered);
/* Whether the search has returned to the position that another thread has answered. */
bool rf_chance_returned(rf_chance_search *s, unsigned plies);
/* rf_chance_take for a shared table. */
rf_chance_child *rf_chance_take_shared(const rf_chance_search *s, const rf_state *state, unsigned plies,
                                       rf_chance_queue *q);

/* The next position of the sequence: sets `first`, and the numbers of bases of its child and of the one before it,
 * which is `this - 1` and NULL for the first. */
void rf_chance_next(const rf_chance_search *s, const rf_state *next, rf_chance_sequence *at, rf_chance_child *before,
                    rf_chance_child *now);
/* Whether a proof from number `from` on holds for the position after this ply. */
bool rf_chance_proved(const rf_chance_search *s, const rf_state *next, const rf_chance_child *c, size_t from);
/* Keeps the proof of the position after this ply, if there may be others for which it holds. */
void rf_chance_keep_proof(rf_chance_search *s, const rf_state *next, const rf_chance_child *c, size_t from,
                          const rf_details *reads);

/* The results of a chance event, those that lead to one position together where they are neighbours in byte order;
 * their number, the sum of weights in *total. */
size_t rf_chance_groups(rf_chance_search *s, const rf_state *state, rf_chance_child *out, uint64_t *total);
/* By key; plies of one key keep their order. What lies behind the list is overwritten, as many children again. */
void rf_chance_sort(rf_chance_child *children, size_t count);

/* The next child of a position with `plies` left; NULL if there is none. Children that another thread is searching come
 * last, but the first child of a decision stays first. */
static inline rf_chance_child *rf_chance_take(const rf_chance_search *s, const rf_state *state, unsigned plies,
                                              rf_chance_queue *q)
{
    if (s->shared)
        return rf_chance_take_shared(s, state, plies, q);
    return q->at < q->count ? &q->children[q->at++] : NULL;
}

static inline bool fits(rf_wide number) { return number >> 64 == 0; }

static inline void after(const rf_chance_search *s, const rf_state *state, rf_ply ply, rf_state *next)
{
    s->game->apply(s->ctx, state, ply, next);
}

/* *reads |= more. */
static inline void add_reads(rf_details *reads, const rf_details *more)
{
    for (unsigned i = 0; i < RF_DETAIL_WORDS; i++)
        reads->word[i] |= more->word[i];
}

/* Extends the details that the proof after a ply has read to those of a proof that uses this ply. */
static inline void ply_reads(const rf_chance_search *s, const rf_state *state, rf_ply ply, rf_details *reads)
{
    if (s->masks != NULL)
        s->masks->ply_reads(s->ctx, state, ply, reads);
}

/* The same for a proof that uses all plies; `through` as in rf_mask_part. */
static inline void list_reads(const rf_chance_search *s, const rf_state *state, const rf_ply *through,
                              rf_details *reads)
{
    if (s->masks != NULL)
        s->masks->list_reads(s->ctx, state, through, reads);
}

static inline void earliest_wins(const rf_chance_search *s, const rf_state *state, uint8_t out[RF_CHANCE_PLAYERS])
{
    rf_earliest_wins(s->game, s->ctx, state, out);
}

/* The number of a player who can force a win within `plies`; 0 if there is none. */
static inline unsigned sure_winner(const rf_chance_search *s, const rf_state *state, unsigned plies)
{
    const rf_chance_part *part = s->game->chances;
    return part != NULL && part->sure_winner != NULL ? part->sure_winner(s->ctx, state, plies) : 0;
}

/* Whether the player can prevent all wins of others within `plies`; *reads receives the details that prove it. */
static inline bool can_prevent_wins(const rf_chance_search *s, const rf_state *state, unsigned player, unsigned plies,
                               rf_details *reads)
{
    const rf_chance_part *part = s->game->chances;
    return part != NULL && part->can_prevent_wins != NULL && part->can_prevent_wins(s->ctx, state, player, plies, reads);
}

/* The value that a result of `weight` needs to raise `has` to `wanted`; false if none is needed or a number does not
 * fit. */
static inline bool missing(rf_fraction wanted, rf_fraction has, uint64_t weight, bool strict, rf_fraction *out)
{
    int order = rf_compare(wanted, has);
    return (order > 0 || (order == 0 && strict)) && rf_subtract(wanted, has, out) && rf_divide(*out, weight, out);
}

static inline rf_wide joined(const uint64_t halves[2]) { return (rf_wide)halves[1] << 64 | halves[0]; }

static inline void split(rf_wide number, uint64_t halves[2])
{
    halves[0] = (uint64_t)number;
    halves[1] = (uint64_t)(number >> 64);
}

static inline rf_fraction first_share(const rf_chances *chances)
{
    return (rf_fraction){joined(chances->num[0]), joined(chances->den)};
}

#endif
