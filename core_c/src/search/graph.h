/* The graph of all positions that can be reached from one position, in memory; retrograde.c finds the values of its
 * nodes.
 *
 * Idea: see graph.c. Knows no game.
 * Example: g = rf_graph_new(game, NULL, root, memory, control); rf_retrograde(g, control); rf_graph_winner(g, 0). */
#ifndef RINGFEN_GRAPH_H
#define RINGFEN_GRAPH_H

#include "common/position_set.h"

/* cffi: begin */

typedef struct rf_graph rf_graph;

/* Lists every position that `root`, node 0, leads to, with its successors in the order of `generate`, in at most
 * `memory` bytes. NULL if it stopped before the end (control->stopped gives the reason). */
rf_graph *rf_graph_new(const rf_game *game, const void *ctx, const rf_state *root, uint64_t memory,
                       rf_control *control);
void rf_graph_free(rf_graph *graph);
uint64_t rf_graph_size(const rf_graph *graph);
/* The node of a position, or -1. */
int64_t rf_graph_find(const rf_graph *graph, const rf_state *s);
void rf_graph_state(const rf_graph *graph, uint64_t node, rf_state *out);

/* ---- retrograde.c: for games of two players without chance ---- */

/* Finds the values of all nodes. The winner wins as soon as possible, the loser delays; each ply of either player
 * counts, and a player may play several plies in a row. All other nodes are draws: endless play, or games that ended in
 * a draw. False: it stopped before the end (control->stopped gives the reason), and there are no values. */
bool rf_retrograde(rf_graph *graph, rf_control *control);
/* The winner's player number, 0 for a draw, and the plies to the end (0 for a draw). After rf_retrograde. */
unsigned rf_graph_winner(const rf_graph *graph, uint64_t node);
uint32_t rf_graph_distance(const rf_graph *graph, uint64_t node);

/* cffi: end */

#define RF_NO_NODE RF_NO_NUMBER

struct rf_graph {
    const rf_game *game;
    const void *ctx;
    uint64_t memory, used; /* bytes: the limit, and those in use */
    rf_position_set set;      /* the nodes */
    uint64_t *first; /* by node: the number of its first edge; one more entry than nodes */
    /* Edges. */
    uint64_t edges, edge_capacity;
    uint32_t *next;
    /* By node: the result of retrograde analysis; NULL before. */
    uint8_t *winner;
    uint32_t *distance;
};

/* Resizes *block from `before` to `after` bytes within the memory limit of the graph. False: nothing changed. The
 * caller frees its own blocks. */
bool rf_graph_resize(rf_graph *graph, void *block, uint64_t before, uint64_t after);

#endif
