/* The solver of GRAN: winning probabilities, exactly, for a game that is broken off after a number of plies.
 *
 * maxn.c and paranoid.c search the two models. They share the table (table.c) and the lists (search.c). bounds.h ends
 * lines without a search. Each file calls only those before it in the list in gran/hot.c.
 *
 * Idea: the proof of a value reads only some mask bits of a position. It holds for every position with the same
 * fixed part that agrees on these mask bits (masks.h), so the table and the list of proofs of a decision answer many
 * positions with one proof.
 *
 * Invariants: values are exact fractions and do not depend on the table, the masks or threads. `mask` only grows while
 * a position is searched; a stored proof is exact for all positions that it matches.
 *
 * Example: a player may put a stone on 30 points. The proof of the value after the first ply has read two of them;
 * the plies with stones on the other points that agree need no search. */
#ifndef RINGFEN_GRAN_SEARCH_H
#define RINGFEN_GRAN_SEARCH_H

#include "common/fraction.h"
#include "control.h"
#include "gran/solver/bounds.h"

/* A ply to be searched, or a group of chance results that lead to one position. */
typedef struct gr_child {
    rf_ply ply;
    uint16_t index; /* in the byte order of the plies */
    uint16_t key;   /* decisions: below GR_SORT_KEYS; plies with smaller keys are searched first */
    uint32_t weight; /* of a group of chance results */
    uint32_t fixed; /* decisions: the number of the fixed part after the ply; 0 if no other ply leads to it */
    bool is_deferred; /* another thread was searching it */
} gr_child;

/* Children in the order in which they are searched. */
typedef struct gr_queue {
    gr_child *children;
    size_t count, at;
    size_t deferred; /* how many children before `at` are deferred */
    size_t first;    /* no child before this one is deferred */
} gr_queue;

/* A position after a ply that has been searched, and the mask bits that its proof has read (masks.h). */
typedef struct gr_proof {
    uint32_t fixed;
    uint16_t index;
    gr_mask bits, mask;
} gr_proof;

/* The maximum number of proofs that a decision keeps; the number of sort keys. */
enum { GR_MAX_PROOFS = 64, GR_SORT_KEYS = 256 };
/* The maximum number of values in an entry of the table. */
enum { GR_TABLE_VALUES = GR_PLAYERS + 1 };
/* With fewer plies left, threads do not defer positions that others search; found by trial. */
enum { GR_SHARED_PLIES = 4 };
/* Nodes after which a thread checks whether others have answered its positions; found by trial. */
enum { GR_NODES_BETWEEN_POLLS = 64 };

/* A position as the table knows it. */
typedef struct gr_key {
    uint64_t tag; /* plies left and kind of search */
    uint64_t hash; /* of the fixed part and the tag, so one for all positions that one proof may apply to */
    uint64_t fixed[GR_FIXED_WORDS]; /* the last word is filled up with zeros */
    gr_mask bits;
} gr_key;

/* A position of the current path and the question about it (of maxn or paranoid). */
typedef struct gr_path_node {
    const gr_key *key;
    const void *question;
} gr_path_node;

typedef struct gr_search {
    const void *ctx; /* the board */
    rf_control *control;
    rf_chance_table *table;
    bool shared; /* whether other threads use the table */
    unsigned players;
    unsigned player; /* paranoid: whose probability, from 0 */
    bool upper;      /* paranoid: an unfinished game counts 1, not 0 */
    uint64_t kind;   /* distinguishes searches in the table */
    rf_ply *plies;   /* scratch, GR_MAX_PLIES */
    gr_child *children; /* a stack of lists */
    size_t child_count, capacity;
    gr_proof *proofs; /* a stack too */
    size_t proof_count;
    /* If the table is shared: the current path by plies left; when to poll next (nodes); and the plies left of a
     * position that another thread has answered (0: none), to which the search then returns. */
    gr_path_node *path;
    unsigned max_plies, answered;
    uint64_t next_poll;
} gr_search;

/* Visits the positions after the plies of a decision; earliest wins are computed once for consecutive plies with one
 * fixed part. */
typedef struct gr_sequence {
    gr_fixed fixed;
    uint32_t number; /* of the fixed part */
    bool any;
    uint8_t earliest[GR_PLAYERS];
} gr_sequence;

RF_PRIVATE gr_search gr_new_search(const void *ctx, const rf_state *state, rf_chance_table *table, rf_control *control);
/* Allocates the lists for a depth of `plies`; false, with the reason in the control, if memory ran out. */
RF_PRIVATE bool gr_begin_search(gr_search *s, unsigned plies);
RF_PRIVATE void gr_end_search(gr_search *s);
/* Reports that a number does not fit. */
RF_PRIVATE int gr_stop_at_overflow(gr_search *s);

RF_PRIVATE gr_key gr_key_of(const gr_search *s, const rf_state *state, unsigned plies);
/* Copies the values of a matching entry, and the mask bits that their proof has read; false if there is none. */
RF_PRIVATE bool gr_find_entry(const gr_search *s, const gr_key *key, uint64_t *values, gr_mask *mask);
/* Stores values for this position. Values that are not `exact` never replace exact values. */
RF_PRIVATE void gr_store_entry(const gr_search *s, const gr_key *key, const uint64_t *values, bool exact,
                               const gr_mask *mask);
/* The functions behind rf_chance_table_... (searches.h). */
RF_PRIVATE rf_chance_table *gr_new_table(unsigned players, uint64_t bytes);
RF_PRIVATE void gr_free_table(rf_chance_table *table);
RF_PRIVATE bool gr_share_table(rf_chance_table *table);
RF_PRIVATE bool gr_table_is_shared(const rf_chance_table *table);

/* Marks this position for other threads as being searched, and removes the mark. */
RF_PRIVATE void gr_mark_position(const gr_search *s, const gr_key *key, unsigned plies);
RF_PRIVATE void gr_unmark_position(const gr_search *s, const gr_key *key, unsigned plies);
RF_PRIVATE bool gr_is_marked(const gr_search *s, const gr_key *key);
/* Whether another thread has answered this question. */
typedef bool gr_is_answered(const gr_search *s, const gr_path_node *at);
/* Records the current position. True if the search must return to an earlier position, as if it were stopped. */
RF_PRIVATE bool gr_poll(gr_search *s, unsigned plies, const gr_path_node *here, gr_is_answered *answered);
/* Whether the search has returned to the position that another thread has answered. */
RF_PRIVATE bool gr_has_returned(gr_search *s, unsigned plies);
/* gr_next_child for a shared table. */
RF_PRIVATE gr_child *gr_next_shared_child(const gr_search *s, const rf_state *state, unsigned plies, gr_queue *q);

/* The next child of the sequence, `now`, with its ply: sets `earliest`, and the numbers of fixed parts of the child and
 * of the one before it, which is NULL for the first. */
RF_PRIVATE void gr_find_fixed(const gr_search *s, const rf_state *state, gr_sequence *at, gr_child *before,
                              gr_child *now);
/* Whether a proof from number `from` on holds for the position after this ply. */
RF_PRIVATE bool gr_has_proof(const gr_search *s, const rf_state *next, const gr_child *c, size_t from);
/* Keeps the proof of the position after this ply, if there may be others for which it holds. */
RF_PRIVATE void gr_keep_proof(gr_search *s, const rf_state *next, const gr_child *c, size_t from,
                              const gr_mask *mask);

/* Lists the results of a chance event; neighbours in byte order that lead to one position form one group. Returns the
 * number of groups; *total is the sum of the weights. */
RF_PRIVATE size_t gr_group_results(gr_search *s, const rf_state *state, gr_child *out, uint64_t *total);
/* Sorts by key; plies with equal keys keep their order. Overwrites `count` children after the list. */
RF_PRIVATE void gr_sort_children(gr_child *children, size_t count);

/* The next child of a position with `plies` left; NULL if there is none. Children that another thread is searching come
 * last, but the first child of a decision stays first. */
static inline gr_child *gr_next_child(const gr_search *s, const rf_state *state, unsigned plies, gr_queue *q)
{
    if (s->shared)
        return gr_next_shared_child(s, state, plies, q);
    return q->at < q->count ? &q->children[q->at++] : NULL;
}

/* The winner's number, RF_OUTCOME_NONE without. */
static inline int gr_winner(const rf_state *state)
{
    const gr_state *s = (const gr_state *)state;
    return s->phase == GR_OVER ? s->player + 1 : RF_OUTCOME_NONE;
}

static inline unsigned gr_acting_player(const rf_state *state) { return ((const gr_state *)state)->player + 1u; }
static inline bool gr_is_at_chance(const rf_state *state) { return ((const gr_state *)state)->phase == GR_IN_FIGHT; }

/* Whether a number fits 64 bits. */
static inline bool gr_fits(rf_wide number) { return number >> 64 == 0; }

static inline void gr_after(const gr_search *s, const rf_state *state, rf_ply ply, rf_state *next)
{
    gr_apply(s->ctx, state, ply, next);
}

/* *mask |= more. */
static inline void gr_join_masks(gr_mask *mask, const gr_mask *more)
{
    for (unsigned i = 0; i < GR_MASK_WORDS; i++)
        mask->word[i] |= more->word[i];
}

/* The value that a result of `weight` needs to raise `has` to `target`; false if none is needed or a number does not
 * fit. */
static inline bool gr_missing_value(rf_fraction target, rf_fraction has, uint64_t weight, bool strict, rf_fraction *out)
{
    int order = rf_compare(target, has);
    return (order > 0 || (order == 0 && strict)) && rf_subtract(target, has, out) && rf_divide(*out, weight, out);
}

static inline rf_fraction gr_first_probability(const rf_chances *chances)
{
    return (rf_fraction){rf_join_halves(chances->num[0]), rf_join_halves(chances->den)};
}

/* ---- maxn.c, paranoid.c: rf_chance_maxn and rf_chance_paranoid ---- */

RF_PRIVATE int gr_maxn(const void *ctx, const rf_state *state, unsigned plies, unsigned player,
                       const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out);
RF_PRIVATE int gr_paranoid(const void *ctx, const rf_state *state, unsigned plies, unsigned player, bool upper,
                           int question, const rf_chances *limit, rf_chance_table *table, rf_control *control,
                           rf_chances *out);

#endif
