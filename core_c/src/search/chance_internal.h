/* What the two searches of winning probabilities share (search/maxn.c, search/paranoid.c); search/chance.c has it. */
#ifndef RINGFEN_CHANCE_COMMON_H
#define RINGFEN_CHANCE_COMMON_H

#include "search/chance.h"
#include "control.h"
#include "common/fraction.h"

/* A ply to be searched, or a group of chance results that lead to one position. */
typedef struct {
    rf_ply ply;
    uint16_t index; /* place in byte order */
    uint16_t key;   /* decisions: below RF_CHANCE_KEYS; the smaller, the earlier it is tried */
    uint32_t weight; /* of a group of chance results */
    uint32_t base;   /* decisions: the same number for plies that lead to the same base; 0 for one alone with its base */
} child;

/* A position after a ply that has been searched, and what its proof has read (rf_mask_part). */
typedef struct {
    uint32_t base;
    rf_details details, reads;
} proof;

/* No decision keeps more proofs at a time. */
enum { RF_MOST_PROOFS = 64, RF_CHANCE_KEYS = 256 };

typedef struct {
    const rf_game *game;
    const void *ctx;
    const rf_mask_part *masks; /* NULL without */
    rf_control *control;
    rf_chance_table *table;
    unsigned players;
    unsigned player; /* paranoid: whose probability, from 0 */
    bool upper;      /* paranoid: what a game not over counts */
    uint64_t kind;   /* tells searches apart in the table */
    rf_ply *plies;   /* scratch, max_plies */
    child *children; /* a stack of lists */
    size_t used, room;
    proof *proofs; /* likewise */
    size_t proved;
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

/* The values of an entry that holds for this position, or NULL; *reads is what their proof has read. */
const uint64_t *rf_chance_find(const search *s, const rf_state *state, unsigned plies, rf_details *reads);
/* The values of an entry for this position, to be filled in. */
uint64_t *rf_chance_claim(const search *s, const rf_state *state, unsigned plies, const rf_details *reads);

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
