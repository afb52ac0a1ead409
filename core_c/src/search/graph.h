/* The positions that can be reached from one, as a graph in memory. Knows no game. */
#ifndef RINGFEN_GRAPH_H
#define RINGFEN_GRAPH_H

#include "common/position_set.h"

/* cffi: begin */

typedef struct rf_graph rf_graph;

/* Lists every position reachable from `root`, which is node 0, with its successors, in at most `memory` bytes.
 * Successors stand in the order of `generate`. NULL if it stopped before the end (control->stopped says why). */
rf_graph *rf_graph_new(const rf_game *game, const void *ctx, const rf_state *root, uint64_t memory,
                       rf_control *control);
void rf_graph_free(rf_graph *graph);
uint64_t rf_graph_size(const rf_graph *graph);
uint64_t rf_graph_edges(const rf_graph *graph);
/* The node of a position, or -1. */
int64_t rf_graph_find(const rf_graph *graph, const rf_state *s);
void rf_graph_state(const rf_graph *graph, uint64_t node, rf_state *out);

/* cffi: end */

#define RF_NO_NODE RF_NO_PLACE

struct rf_graph {
    const rf_game *game;
    const void *ctx;
    uint64_t memory, used; /* bytes that may be taken, and are */
    rf_set set;      /* the nodes */
    uint64_t *first;       /* where a node's successors begin; one more entry than nodes */
    /* Edges. */
    uint64_t edges, edge_room;
    uint32_t *next;
    /* What retrograde analysis finds (search/retrograde.h); NULL before. */
    uint8_t *winner;
    uint32_t *distance;
};

/* Memory against the graph's bound: resizes *block from `before` to `after` bytes. False: not to be had, nothing
 * changed. rf_graph_free frees only the graph's own blocks. */
bool rf_graph_resize(rf_graph *graph, void *block, uint64_t before, uint64_t after);

#endif
