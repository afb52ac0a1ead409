/* The stored graph of the solver, and the interfaces between its files. Each file calls only those before it in this
 * list:
 *
 *   graph.c      nodes, edges, and the memory for them
 *   helpers.c    threads that list successors in advance
 *   attractor.c  decides every node that the stored graph decides
 *   search.c     proof-number search, which chooses the nodes to expand
 *   distance.c   the distance to mate of a proven win
 *   solver.c     the interface (solver.h)
 *
 * Idea: each node has two questions, one for each player: does this player force a win? A node is an OR node of the
 * question of its player to move and an AND node of the other question. A draw is a node at which both questions are
 * disproven; endless play is a draw, so what no forced win reaches is a draw.
 *
 * Invariant: SI_PROVEN and SI_DISPROVEN are exact and never change.
 *
 * Example: South is to move at a node with two successors. South's question is proven if it is proven at one of them;
 * North's is proven only if it is proven at both. */
#ifndef RINGFEN_SIAIUS_SOLVER_INTERNAL_H
#define RINGFEN_SIAIUS_SOLVER_INTERNAL_H

#include "common/pages.h"
#include "siaius/solver/solver.h"

enum { SI_QUESTIONS = 2 };

/* Proof and disproof numbers: INFINITE means proven or disproven; ON_PATH marks the nodes of the current path. */
#define SI_PN_INFINITE (1u << 28)
#define SI_PN_ON_PATH (1u << 31)

/* The status of a node for one question. SI_PROVEN and SI_DISPROVEN are exact. SI_PARTIAL: not all successors are
 * stored, because the node wins without them or because some count as leaves. */
enum {
    SI_PROVEN = 1,
    SI_DISPROVEN = 2,
    SI_DECIDED = SI_PROVEN | SI_DISPROVEN,
    SI_REACHED = 4, /* used by attractor.c */
    SI_OR_NODE = 8,
    SI_PARTIAL = 16
};

enum { SI_PLIES_BITS = 2, SI_PLIES_MASK = (1 << SI_PLIES_BITS) - 1, SI_MAX_PATH = 1 << 16 };
#define SI_NO_NODE UINT32_MAX

typedef struct si_proof_numbers {
    uint32_t pn[SI_QUESTIONS], dn[SI_QUESTIONS];
} si_proof_numbers;

/* Replaces the proof numbers once the root is solved. */
typedef struct si_distance {
    uint32_t next, previous; /* nodes of the same distance, by index + 1; later `next` is the edge to search first */
    uint32_t upper;          /* plies that suffice to win; 0: no bound */
    uint32_t lower;          /* no win is shorter; 1 once `upper` is final */
} si_distance;

typedef struct si_expanded {
    union {
        si_proof_numbers numbers;
        si_distance distance;
    };
    uint32_t first_edge;
    uint16_t edge_count;
    int16_t best_leaf; /* score of the best leaf for the player to move, or SI_TB_NO_SCORE */
} si_expanded;

/* A node of the current path with its thresholds. */
typedef struct si_path_frame {
    uint32_t node, pn, dn;
    uint32_t edge; /* number of the parent's edge that leads here */
} si_path_frame;

/* Successors of a node in two arrays: each node, and its number (SI_NO_NODE: not known to be stored). */
typedef struct si_list {
    si_successor *successors;
    uint32_t *nodes;
    int count, best_leaf;
    bool is_partial;
} si_list;

typedef struct si_helpers si_helpers;

typedef struct si_graph {
    const si_turn_source *source; /* of the main thread */
    uint64_t memory, slice;
    uint32_t node_count, node_capacity, oldest_unexpanded;
    uint32_t expanded_count, expanded_capacity;
    uint64_t edge_count, edge_capacity;
    uint64_t inner_edges; /* edges between expanded nodes, for whose reverse edges memory is reserved */
    bool has_distances, reverses_all;
    /* By node number: its key, and its index among the expanded nodes + 1, or 0. */
    si_node_key *keys;
    uint32_t *expanded_id;
    /* By index. */
    si_expanded *expanded;
    uint8_t *status[SI_QUESTIONS];
    /* Edges: the node, and the plies in the lowest bits. */
    uint32_t *edges;
    /* Hash table with open addressing: some bits of the hash, then node number + 1; 0 is free. */
    uint32_t *slots;
    uint64_t slot_count, slot_capacity;
    unsigned tag_shift;
    /* For attractor.c and distance.c, by index: reverse edges, nodes to visit, children that are still open, and
     * children that are not expanded. */
    uint32_t *first_parent, *parents, *queue[SI_QUESTIONS];
    uint16_t *open_children[SI_QUESTIONS], *unexpanded_children;
    si_path_frame *path;
    si_list list; /* of the main thread */
    si_helpers *helpers; /* NULL: one thread */
} si_graph;

/* ---- graph.c ---- */

/* Uses about `memory` bytes. NULL if memory ran out. */
si_graph *si_graph_new(const si_turn_source *source, si_node_key root, uint64_t memory);
void si_graph_free(si_graph *g);
/* The number of a node, or SI_NO_NODE. Any thread may call it while the main thread adds nodes; it may miss a node that
 * was just added. */
uint32_t si_graph_find(const si_graph *g, si_node_key key);
/* The same, and adds the node if it is new; SI_NO_NODE if there is no room. */
uint32_t si_graph_add(si_graph *g, si_node_key key);
bool si_list_new(si_list *list);
void si_list_free(si_list *list);
/* Lists the successors of a node in `out`. Unless `complete`, nodes with an immediate win count as leaves, and a node
 * with a winning leaf gets no other successor. False: a table cannot be read. Any thread. */
bool si_graph_list(const si_graph *g, const si_turn_source *source, si_node_key key, bool complete, si_list *out);
/* Expands a node with its listed successors. SI_SOLVER_SOLVED, or SI_SOLVER_FULL and nothing is changed. */
int si_graph_store(si_graph *g, uint32_t node, const si_list *list);
/* Expands a node with all successors, also one that is SI_PARTIAL. SI_SOLVER_SOLVED, SI_SOLVER_FULL or
 * SI_SOLVER_DAMAGED. */
int si_graph_expand_completely(si_graph *g, uint32_t node);
/* Whether 1/64 of the memory is free. */
bool si_graph_can_expand(const si_graph *g);

static inline void si_graph_prove(si_graph *g, uint32_t index, unsigned q)
{
    g->status[q][index] |= SI_PROVEN;
    g->expanded[index].numbers.pn[q] = 0;
    g->expanded[index].numbers.dn[q] = SI_PN_INFINITE;
}

static inline void si_graph_disprove(si_graph *g, uint32_t index, unsigned q)
{
    g->status[q][index] |= SI_DISPROVEN;
    g->expanded[index].numbers.pn[q] = SI_PN_INFINITE;
    g->expanded[index].numbers.dn[q] = 0;
}

/* The status of a node for a question; 0 if it is not expanded. */
static inline unsigned si_graph_status(const si_graph *g, uint32_t node, unsigned q)
{
    return g->expanded_id[node] == 0 ? 0 : g->status[q][g->expanded_id[node] - 1];
}

/* ---- helpers.c ---- */

si_helpers *si_helpers_new(int count);
void si_helpers_free(si_helpers *helpers);
/* Starts to accept helpers: each thread then calls si_helpers_serve with its own source, which returns after
 * si_helpers_stop. */
void si_helpers_start(si_graph *g, si_helpers *helpers);
void si_helpers_serve(si_graph *g, const si_turn_source *source);
void si_helpers_stop(si_graph *g);
/* Expands a node, with the list of a helper if one has listed it. `parent` and `edge` lead to it (SI_NO_NODE: none);
 * the next siblings are requested from the helpers. Returns as si_graph_store, or SI_SOLVER_DAMAGED. */
int si_helpers_expand(si_graph *g, uint32_t node, uint32_t parent, uint32_t edge);
/* Two independent parts of one job; a helper takes the second part. False: stopped. */
typedef bool (*si_job)(si_graph *g, unsigned part, rf_control *control);
bool si_helpers_run_job(si_graph *g, unsigned parts, si_job job, rf_control *control);

/* ---- attractor.c ---- */

/* Decides both questions for every node that the stored graph decides. False: stopped; marks that were set are
 * exact. */
bool si_attractor_decide(si_graph *g, rf_control *control);
/* Makes reverse edges between expanded nodes: of all parents, or of those with an open question. False: stopped. */
bool si_attractor_reverse_edges(si_graph *g, bool all, rf_control *control);

/* ---- search.c ---- */

/* Searches until the root is solved (SI_SOLVER_SOLVED) or stops (SI_SOLVER_*). A later call continues. */
int si_search_solve(si_graph *g, rf_control *control);
/* Whether `player` wins a node: 1, 0, or SI_SOLVER_UNKNOWN. */
int si_search_wins(const si_graph *g, si_node_key key, unsigned player);

/* ---- distance.c ---- */

/* Bounds the distances of all nodes that the winner of the root is proven to win. False: stopped, and there are no
 * bounds. */
bool si_distance_bound(si_graph *g, rf_control *control);
/* After si_distance_bound of a win: raises *lower, which no win is shorter than, to the exact distance
 * (SI_SOLVER_SOLVED), or as far as possible (SI_SOLVER_*). */
int si_distance_deepen(si_graph *g, uint32_t *lower, rf_control *control);
/* After si_distance_bound: whether the winner of the root wins a node, which may be new, within `plies`: 1, 0,
 * SI_SOLVER_UNKNOWN or SI_SOLVER_DAMAGED. */
int si_distance_wins_within(si_graph *g, si_node_key key, uint32_t plies, rf_control *control);
/* Plies that suffice to win a node; 0 if there is no bound. */
uint32_t si_distance_upper(const si_graph *g, si_node_key key);

#endif
