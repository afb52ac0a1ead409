/* What the two searches of winning probabilities share (search/maxn.c, search/paranoid.c): search/chance.c has it, and
 * search/chance_table.c the table. */
#ifndef RINGFEN_CHANCE_COMMON_H
#define RINGFEN_CHANCE_COMMON_H

#include "search/chance.h"
#include "control.h"
#include "common/fraction.h"
#include "game.h"

/* A ply to be searched, or a group of chance results that lead to one position. */
typedef struct {
    rf_ply ply;
    uint16_t index; /* place in byte order */
    uint16_t key;   /* decisions: below RF_CHANCE_KEYS; the smaller, the earlier it is tried */
    uint32_t weight; /* of a group of chance results */
    uint32_t base;   /* decisions: the same number for plies that lead to the same base; 0 for one alone with its base */
    bool later;      /* put off: another thread was at it */
} child;

/* Children in the order in which they are searched. */
typedef struct {
    child *children;
    size_t count, at;
    size_t waiting; /* how many of those before `at` are marked `later` */
    size_t first;   /* none of them is before this one */
} queue;

/* A position after a ply that has been searched, and what its proof has read (rf_mask_part). */
typedef struct {
    uint32_t base;
    uint16_t index;
    rf_details details, reads;
} proof;

/* No decision keeps more proofs at a time. */
enum { RF_MOST_PROOFS = 64, RF_CHANCE_KEYS = 256 };
/* Values in an entry of the table, at most. */
enum { RF_CHANCE_VALUES = RF_CHANCE_PLAYERS + 1 };
/* Below so many plies left, threads do not keep out of each other's way. */
enum { RF_SHARED_PLIES = 4 };
/* Nodes after which a thread asks the table whether others have answered what it searches. */
enum { RF_NODES_BETWEEN_POLLS = 64 };
enum { RF_BASE_WORDS = RF_STATE_SIZE / 8 };

/* A position as the table knows it. */
typedef struct {
    uint64_t tag; /* plies left and kind of search */
    uint64_t hash; /* of the base and the tag: one for all positions with this base, as one proof may hold for them all */
    uint64_t base[RF_BASE_WORDS]; /* what is left of the last word is filled up with zeros */
    rf_details details;
} rf_chance_key;

/* A position on the path that is searched, and what is asked of it. */
typedef struct {
    const rf_chance_key *key;
    const void *asked;
} step;

typedef struct {
    const rf_game *game;
    const void *ctx;
    const rf_mask_part *masks; /* NULL without */
    rf_control *control;
    rf_chance_table *table;
    bool shared; /* whether other threads use the table */
    unsigned players;
    unsigned player; /* paranoid: whose probability, from 0 */
    bool upper;      /* paranoid: what a game not over counts */
    uint64_t kind;   /* tells searches apart in the table */
    rf_ply *plies;   /* scratch, max_plies */
    child *children; /* a stack of lists */
    size_t used, room;
    proof *proofs; /* likewise */
    size_t proved;
    /* Where the table is shared: what is being searched, by plies left; when to ask again whether other threads have
     * answered any of it (nodes); and the plies left of what they have (0: none), to which the search then returns. */
    step *path;
    unsigned most_plies, answered;
    uint64_t next_poll;
} search;

/* Goes through the positions after the plies of a decision; soonest is computed once for plies in a row with one base. */
typedef struct {
    unsigned char base[RF_STATE_SIZE];
    uint32_t number; /* of the base */
    bool any;
    uint8_t first[RF_CHANCE_PLAYERS];
} sequence;

search rf_chance_search(const rf_game *game, const void *ctx, const rf_state *state, rf_chance_table *table,
                        rf_control *control);
/* Memory for the lists of this many plies of depth; false, with the reason in the control, if there is none. */
bool rf_chance_begin(search *s, unsigned plies);
void rf_chance_end(search *s);
/* For a number that does not fit. */
int rf_chance_overflowed(search *s);

rf_chance_key rf_chance_key_of(const search *s, const rf_state *state, unsigned plies);
/* Copies the values of an entry that holds for this position, and what their proof has read; false without. */
bool rf_chance_find(const search *s, const rf_chance_key *key, uint64_t *values, rf_details *reads);
/* Stores the values for this position. What is not `exact` never takes the place of what is. */
void rf_chance_store(const search *s, const rf_chance_key *key, const uint64_t *values, bool exact,
                     const rf_details *reads);
bool rf_chance_table_is_shared(const rf_chance_table *table);

/* Tells other threads that this position is being searched, where that is of use to them, and that it no longer is. */
void rf_chance_enter(const search *s, const rf_chance_key *key, unsigned plies);
void rf_chance_leave(const search *s, const rf_chance_key *key, unsigned plies);
bool rf_chance_in_progress(const search *s, const rf_chance_key *key);
/* Whether another thread has answered this question. */
typedef bool rf_chance_answered(const search *s, const step *at);
/* Notes what is searched. True if the search must return to a position before it, as if it were stopped. */
bool rf_chance_poll(search *s, unsigned plies, const step *here, rf_chance_answered *answered);
/* Whether the search has returned to the position for which it was asked to. */
bool rf_chance_returned(search *s, unsigned plies);
/* rf_chance_take, where the table is shared. */
child *rf_chance_take_shared(const search *s, const rf_state *state, unsigned plies, queue *q);

/* The next position of the sequence: sets `first`, and the numbers of bases of its child and of the one before it, which
 * is `this - 1` and NULL for the first. */
void rf_chance_next(const search *s, const rf_state *next, sequence *at, child *before, child *now);
/* Whether a proof from number `from` on holds for the position after this ply. */
bool rf_chance_proved(const search *s, const rf_state *next, const child *c, size_t from);
/* Keeps the proof of the position after this ply, if there may be others for which it holds. */
void rf_chance_keep_proof(search *s, const rf_state *next, const child *c, size_t from, const rf_details *reads);

/* The results of a chance event, those that lead to one position together where they are neighbours in byte order;
 * their number, the sum of weights in *total. */
size_t rf_chance_groups(search *s, const rf_state *state, child *out, uint64_t *total);
/* By key; plies of one key keep their order. What lies behind the list is overwritten, as many children again. */
void rf_chance_sort(child *children, size_t count);

/* The next child of a position with so many plies left; NULL if there is none. Those that another thread is at come
 * last, but the first of a decision is always the first. */
static inline child *rf_chance_take(const search *s, const rf_state *state, unsigned plies, queue *q)
{
    if (s->shared)
        return rf_chance_take_shared(s, state, plies, q);
    return q->at < q->count ? &q->children[q->at++] : NULL;
}

static inline bool fits(rf_wide number) { return number >> 64 == 0; }

static inline void after(const search *s, const rf_state *state, rf_ply ply, rf_state *next)
{
    s->game->apply(s->ctx, state, ply, next);
}

/* *reads |= more. */
static inline void add_reads(rf_details *reads, const rf_details *more)
{
    for (unsigned i = 0; i < RF_DETAIL_WORDS; i++)
        reads->word[i] |= more->word[i];
}

/* What the proof of a position has read if it rests on this ply, from what that of the position after it has. */
static inline void ply_reads(const search *s, const rf_state *state, rf_ply ply, rf_details *reads)
{
    if (s->masks != NULL)
        s->masks->ply_reads(s->ctx, state, ply, reads);
}

/* The same if it rests on all plies; `through` as in rf_mask_part. */
static inline void list_reads(const search *s, const rf_state *state, const rf_ply *through, rf_details *reads)
{
    if (s->masks != NULL)
        s->masks->list_reads(s->ctx, state, through, reads);
}

static inline void soonest(const search *s, const rf_state *state, uint8_t out[RF_CHANCE_PLAYERS])
{
    rf_soonest(s->game, s->ctx, state, out);
}

/* The number of a player who wins in time whatever the others do; 0 without. */
static inline unsigned sure_winner(const search *s, const rf_state *state, unsigned plies)
{
    const rf_chance_part *part = s->game->chances;
    return part != NULL && part->sure_winner != NULL ? part->sure_winner(s->ctx, state, plies) : 0;
}

/* Whether the player surely keeps the others from winning in time; *reads gets what that follows from. */
static inline bool sure_keeper(const search *s, const rf_state *state, unsigned player, unsigned plies,
                               rf_details *reads)
{
    const rf_chance_part *part = s->game->chances;
    return part != NULL && part->sure_keeper != NULL && part->sure_keeper(s->ctx, state, player, plies, reads);
}

/* What must be added to `has` to reach `wanted`, for one of `weight`; false if nothing must, or it cannot be said. */
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
