/* The stored graph of search/proof_graph.h: nodes, edges, and what is known of nodes that have been expanded. */
#ifndef RINGFEN_PROOF_STORE_H
#define RINGFEN_PROOF_STORE_H

#include "search/proof_graph.h"

/* Two questions are asked of every node, one for each player: does that player force a win? A node is an OR node of the
 * question of its player to move, and an AND node of the other's. */
enum { QUESTIONS = 2 };

/* Proof and disproof numbers: INFINITE is proven or disproven, ON_PATH marks nodes of the path being searched. */
#define INFINITE (1u << 28)
#define ON_PATH (1u << 31)

/* What is known of a node for one question; the first two are exact. CUT: not all of its successors are stored, as it
 * wins without them, or some count as leaves. */
enum { PROVEN = 1, DISPROVEN = 2, DECIDED = PROVEN | DISPROVEN, REACHED = 4, OR_NODE = 8, CUT = 16 };

enum { PLIES_BITS = 2, PLIES_MASK = (1 << PLIES_BITS) - 1, RF_PROOF_MOST_PATH = 1 << 16 };
#define NO_NODE UINT32_MAX

typedef struct {
    uint32_t pn[QUESTIONS], dn[QUESTIONS];
} proof_numbers;

/* What takes the place of the numbers once the root is solved. */
typedef struct {
    uint32_t next, before; /* nodes of the same distance, by place; afterwards `next` is the edge to ask first */
    uint32_t distance;     /* no more are needed; 0: no bound */
    uint32_t least;        /* no win is shorter; 1 once the distance is settled */
} measured;

/* A node that has been expanded. */
typedef struct {
    union {
        proof_numbers numbers;
        measured distance;
    } of;
    uint32_t first; /* its edges */
    uint16_t count;
    int16_t leaf; /* the best leaf for the player to move */
} expanded_node;

typedef struct {
    uint32_t node, pn, dn; /* thresholds */
    uint32_t edge;         /* of the node before, which leads to it: its number there */
} frame;

/* What follows a node: the steps to nodes, which of these there are already (NO_NODE: it is not known to be there), and
 * the best leaf. */
typedef struct {
    int count, best;
    bool cut;
} successors;

struct rf_proof {
    rf_proof_source source;
    uint64_t memory, slice;
    uint32_t nodes, node_room, oldest;
    uint32_t expanded, expanded_room;
    uint64_t edges, edge_room;
    uint64_t inner; /* edges between expanded nodes, which memory is kept for to turn them round */
    bool is_measured, turn_all;
    /* By node: its key, and 0 or one more than its place among the expanded nodes. */
    rf_proof_key *key;
    uint32_t *place;
    /* By place. */
    expanded_node *at;
    uint8_t *status[QUESTIONS];
    /* Edges: the node, and below it the plies. */
    uint32_t *edge;
    /* Open addressing: some bits of the hash above the node's number; 0 is free, so numbers are one higher. */
    uint32_t *slots;
    uint64_t slot_count, slot_room;
    unsigned tag_shift;
    /* For fixpoints, by place: edges turned round, nodes to be dealt with, edges that still count, edges to nodes that
     * are not expanded. */
    uint32_t *before_first, *before, *queue[QUESTIONS];
    uint16_t *left[QUESTIONS], *fresh;
    frame *path;
    rf_proof_step *steps;
    uint32_t *found;
    rf_proof_team *team; /* NULL: one thread */
};

/* The number of a node, or NO_NODE. Any thread may call it while the main thread adds nodes; it may then miss a node just
 * added. */
uint32_t rf_proof_find(const rf_proof *p, rf_proof_key key);
/* Lists what follows a node: RF_PROOF_MOST_STEPS places in `steps` and `found`. Of a node that wins with a leaf no more than
 * that, and nodes that are leaves too as leaves; but for `whole`. False: the source failed. Any thread. */
bool rf_proof_list(const rf_proof *p, const rf_proof_source *source, rf_proof_key key, rf_proof_step *steps,
                   uint32_t *found, bool whole, successors *out);
/* Stores what follows a node that has not been expanded. RF_PROOF_SOLVED, or RF_PROOF_FULL or RF_PROOF_UNREAD, and then
 * nothing is done. */
int rf_proof_expand(rf_proof *p, uint32_t n);
/* The same with all that follows, also of a node of which that was cut. */
int rf_proof_expand_whole(rf_proof *p, uint32_t n);
/* The number of a node, which is added if it is not there; NO_NODE if there is no room. */
uint32_t rf_proof_add(rf_proof *p, rf_proof_key key);
/* Whether a good part of the memory is free. */
bool rf_proof_has_room(const rf_proof *p);

static inline void rf_proof_prove(rf_proof *p, uint32_t place, unsigned q)
{
    p->status[q][place] |= PROVEN;
    p->at[place].of.numbers.pn[q] = 0;
    p->at[place].of.numbers.dn[q] = INFINITE;
}

static inline void rf_proof_disprove(rf_proof *p, uint32_t place, unsigned q)
{
    p->status[q][place] |= DISPROVEN;
    p->at[place].of.numbers.pn[q] = INFINITE;
    p->at[place].of.numbers.dn[q] = 0;
}

/* What is known of a node for a question; nothing of one that is not expanded. */
static inline unsigned rf_proof_status(const rf_proof *p, uint32_t n, unsigned q)
{
    return p->place[n] == 0 ? 0 : p->status[q][p->place[n] - 1];
}

/* ---- fixpoints (search/proof_fixpoints.c) ---- */

/* Decides all that the stored graph decides of both questions. False: stopped; what was marked holds. */
bool rf_proof_decide(rf_proof *p, rf_control *control);

/* ---- helpers (search/proof_team.c) ---- */

/* The main thread is about to expand a node, and then will expand the successors of `parent` after it: helpers list
 * what follows these. */
void rf_proof_foresee(rf_proof *p, uint32_t parent, uint32_t edge);
/* What a helper has listed, if one has. */
bool rf_proof_take(rf_proof *p, uint32_t n, successors *all, const rf_proof_step **steps, const uint32_t **found);
/* One of two parts of something, which do not depend on each other. False: stopped. */
typedef bool (*rf_proof_part)(rf_proof *p, unsigned part, rf_control *control);
/* Does the first part, and if `parts` is 2 the second, which a helper does if there are helpers. */
bool rf_proof_do_parts(rf_proof *p, unsigned parts, rf_proof_part part, rf_control *control);

#endif
