/* Retrograde analysis by a queue: decided positions decide those before them.
 *
 * Idea: a node is won if one successor is won for its player to move, and lost if all successors are lost. The queue
 * contains decided nodes by rising distance, so the first win found at a node is the shortest, and the last losing ply
 * the longest.
 * Invariants: open[n] counts the edges of n to nodes that have not left the queue.
 * Example: South is to move at A and can take the last stone: the position after it is won at distance 0, A at distance
 * 1. */
#include "search/graph.h"

#include <stdlib.h>

#include "control.h"
#include "game.h"

/* The reverse edges of the graph, and the queue of decided nodes. */
typedef struct {
    rf_graph *graph;
    uint64_t *first; /* by node: its first predecessor; one more entry than nodes */
    uint32_t *predecessors;
    uint32_t *open;  /* by node: edges to successors that are not processed yet */
    uint32_t *queue; /* decided nodes by rising distance */
    uint64_t queued;
    uint8_t *player;
} analysis;

static bool allocate(analysis *a, void *block, uint64_t bytes)
{
    return rf_graph_resize(a->graph, block, 0, bytes == 0 ? 1 : bytes);
}

static bool allocate_all(analysis *a)
{
    rf_graph *g = a->graph;
    const uint64_t nodes = g->set.count;
    return allocate(a, &g->winner, nodes) && allocate(a, &g->distance, nodes * sizeof *g->distance) &&
           allocate(a, &a->first, (nodes + 1) * sizeof *a->first) &&
           allocate(a, &a->predecessors, g->edges * sizeof *a->predecessors) &&
           allocate(a, &a->open, nodes * sizeof *a->open) && allocate(a, &a->queue, nodes * sizeof *a->queue) &&
           allocate(a, &a->player, nodes);
}

static void reverse_edges(analysis *a)
{
    const rf_graph *g = a->graph;
    memset(a->first, 0, (g->set.count + 1) * sizeof *a->first);
    for (uint64_t edge = 0; edge < g->edges; edge++)
        a->first[g->next[edge] + 1]++;
    for (uint64_t node = 0; node < g->set.count; node++)
        a->first[node + 1] += a->first[node];
    for (uint64_t node = 0; node < g->set.count; node++)
        for (uint64_t edge = g->first[node]; edge < g->first[node + 1]; edge++)
            a->predecessors[a->first[g->next[edge]]++] = (uint32_t)node;
    /* Each beginning has moved to its end, which is the beginning of the next node. */
    memmove(a->first + 1, a->first, g->set.count * sizeof *a->first);
    a->first[0] = 0;
}

static void set_winner(analysis *a, uint32_t node, unsigned winner, uint32_t distance)
{
    a->graph->winner[node] = (uint8_t)winner;
    a->graph->distance[node] = distance;
    a->queue[a->queued++] = node;
}

/* Sets the player and the open edges of every node, and decides finished games. */
static void find_finished(analysis *a)
{
    rf_graph *g = a->graph;
    memset(g->winner, 0, g->set.count);
    memset(g->distance, 0, g->set.count * sizeof *g->distance);
    for (uint64_t node = 0; node < g->set.count; node++) {
        rf_state s;
        rf_graph_state(g, node, &s);
        a->player[node] = (uint8_t)g->game->player(g->ctx, &s);
        a->open[node] = (uint32_t)(g->first[node + 1] - g->first[node]);
        int outcome = g->game->outcome(g->ctx, &s);
        if (outcome > 0)
            set_winner(a, (uint32_t)node, (unsigned)outcome, 0);
    }
}

static void propagate(analysis *a, rf_control *control)
{
    const rf_graph *g = a->graph;
    for (uint64_t head = 0; head < a->queued; head++) {
        if (rf_tick(control))
            return;
        control->done = head;
        const uint32_t node = a->queue[head];
        const unsigned winner = g->winner[node];
        for (uint64_t edge = a->first[node]; edge < a->first[node + 1]; edge++) {
            const uint32_t from = a->predecessors[edge];
            a->open[from]--;
            if (g->winner[from] == 0 && (a->player[from] == winner || a->open[from] == 0))
                set_winner(a, from, winner, g->distance[node] + 1);
        }
    }
}

bool rf_retrograde(rf_graph *g, rf_control *control)
{
    rf_control_start(control);
    const uint64_t used = g->used;
    free(g->winner);
    free(g->distance);
    g->winner = NULL;
    g->distance = NULL;
    analysis a = {.graph = g};
    if (allocate_all(&a)) {
        reverse_edges(&a);
        find_finished(&a);
        control->total = g->set.count;
        propagate(&a, control);
    } else {
        control->stopped = RF_STOPPED_MEMORY;
    }
    free(a.first);
    free(a.predecessors);
    free(a.open);
    free(a.queue);
    free(a.player);
    g->used = used;
    return control->stopped == RF_DONE;
}

unsigned rf_graph_winner(const rf_graph *g, uint64_t node) { return g->winner[node]; }
uint32_t rf_graph_distance(const rf_graph *g, uint64_t node) { return g->distance[node]; }
