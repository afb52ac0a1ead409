/* Decides every node that the stored graph decides.
 *
 * Idea: the attractor of a set is the set of nodes from which a player forces play into it: OR nodes with one
 * successor in it, AND nodes with all successors in it. Two attractors decide one question:
 *   1. The attractor of the proven nodes is proven; unexpanded nodes count as not won.
 *   2. Nodes outside the attractor of the proven and the unexpanded nodes are disproven: they cannot be won, however
 *      the graph grows.
 * Both take time linear in the number of edges, by a queue over the reverse edges.
 *
 * Invariants: answers do not depend on paths, so both are exact also in graphs with cycles. The two questions are
 * independent, and the two halves of the edges are while they are reversed, so a helper can do the second part of
 * each.
 *
 * Example: A and B lead only to each other. No proven and no unexpanded node is reached from either, so both
 * questions are disproven at both: play without end is a draw. */
#include "control.h"
#include "siaius/solver/internal.h"

enum {
    NODES_PER_CHECK = 1 << 15,
    /* Prefetch distances, found by trial. */
    EDGES_AHEAD = 16,
    NODES_AHEAD = 8,
    EDGES_PREFETCHED = 8
};

/* ---- reverse edges ---- */

static bool is_open(const si_graph *g, uint32_t index)
{
    return (g->status[0][index] & SI_DECIDED) == 0 || (g->status[1][index] & SI_DECIDED) == 0;
}

static bool is_reversed(const si_graph *g, uint32_t index) { return g->reverses_all || is_open(g, index); }

/* The first index of a part: a half of the edges, or all edges if one thread does everything. Edges rise with the index
 * until the root is solved; later only si_graph_expand_completely adds edges, and none are reversed any more. */
static uint32_t first_of_part(const si_graph *g, unsigned part)
{
    if (part != 1 || g->helpers == NULL)
        return part == 0 ? 0 : g->expanded_count;
    uint32_t low = 0, high = g->expanded_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (g->expanded[middle].first_edge < g->edge_count / 2)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By child: first its number of parents in this part, later the end of their slots. */
static uint32_t *counters_of_part(const si_graph *g, unsigned part)
{
    return part == 0 ? g->first_parent : g->queue[1];
}

static bool count_parents(si_graph *g, unsigned part, rf_control *control)
{
    uint32_t *counts = counters_of_part(g, part);
    memset(counts, 0, g->expanded_count * sizeof *counts);
    const uint32_t end = first_of_part(g, part + 1);
    for (uint32_t index = first_of_part(g, part); index < end; index++) {
        const si_expanded *node = &g->expanded[index];
        const uint32_t *edges = &g->edges[node->first_edge];
        uint16_t unexpanded = 0;
        if (is_reversed(g, index))
            for (uint32_t i = 0; i < node->edge_count; i++) {
                if (node->first_edge + i + EDGES_AHEAD < g->edge_count)
                    __builtin_prefetch(&g->expanded_id[edges[i + EDGES_AHEAD] >> SI_PLIES_BITS]);
                const uint32_t id = g->expanded_id[edges[i] >> SI_PLIES_BITS];
                if (id != 0)
                    counts[id - 1]++;
                else
                    unexpanded++;
            }
        g->unexpanded_children[index] = unexpanded;
    }
    return control->stopped == RF_DONE;
}

static bool put_parents(si_graph *g, unsigned part, rf_control *control)
{
    uint32_t *next = counters_of_part(g, part);
    const uint32_t begin = first_of_part(g, part);
    for (uint32_t index = first_of_part(g, part + 1); index-- > begin;) {
        const si_expanded *node = &g->expanded[index];
        const uint32_t *edges = &g->edges[node->first_edge];
        if (node->edge_count == g->unexpanded_children[index] || !is_reversed(g, index))
            continue;
        for (uint32_t i = node->edge_count; i-- > 0;) {
            if (node->first_edge + i >= EDGES_AHEAD)
                __builtin_prefetch(&g->expanded_id[*(edges + i - EDGES_AHEAD) >> SI_PLIES_BITS]);
            const uint32_t id = g->expanded_id[edges[i] >> SI_PLIES_BITS];
            if (id != 0)
                g->parents[--next[id - 1]] = index << SI_PLIES_BITS | (edges[i] & SI_PLIES_MASK);
        }
    }
    return control->stopped == RF_DONE;
}

bool si_attractor_reverse_edges(si_graph *g, bool all, rf_control *control)
{
    const unsigned parts = g->helpers == NULL ? 1 : 2;
    g->reverses_all = all;
    if (!si_helpers_run_job(g, parts, count_parents, control))
        return false;
    uint32_t sum = 0;
    for (uint32_t index = 0; index < g->expanded_count; index++)
        for (unsigned part = 0; part < parts; part++) {
            uint32_t *count = &counters_of_part(g, part)[index];
            sum += *count;
            *count = sum;
        }
    g->first_parent[g->expanded_count] = sum;
    g->inner_edges = sum;
    return si_helpers_run_job(g, parts, put_parents, control);
}

/* ---- attractors ---- */

/* Prefetches the reverse edges of waiting nodes and the state of their parents. */
static void prefetch_parents(const si_graph *g, const uint8_t *status, const uint16_t *open, const uint32_t *queue)
{
    __builtin_prefetch(&g->first_parent[queue[3 * NODES_AHEAD]]);
    __builtin_prefetch(&g->parents[g->first_parent[queue[2 * NODES_AHEAD]]]);
    const uint32_t first = g->first_parent[queue[NODES_AHEAD]], count = g->first_parent[queue[NODES_AHEAD] + 1] - first;
    for (uint32_t i = 0; i < count && i < EDGES_PREFETCHED; i++) {
        __builtin_prefetch(&status[g->parents[first + i] >> SI_PLIES_BITS], 1);
        __builtin_prefetch(&open[g->parents[first + i] >> SI_PLIES_BITS], 1);
    }
}

/* Extends `mark` from the nodes that have it to their attractor. open_children counts the successors that do not have
 * it. False: stopped. */
static bool attract(si_graph *g, unsigned q, uint8_t mark, rf_control *control)
{
    uint8_t *status = g->status[q];
    uint32_t *queue = g->queue[q], queued = 0;
    for (uint32_t index = 0; index < g->expanded_count; index++)
        if (status[index] & mark)
            queue[queued++] = index;
    for (uint32_t head = 0; head < queued; head++) {
        if (head % NODES_PER_CHECK == 0)
            rf_control_check(control);
        if (control->stopped != RF_DONE)
            return false;
        if (head + 3 * NODES_AHEAD < queued)
            prefetch_parents(g, status, g->open_children[q], queue + head);
        const uint32_t child = queue[head];
        for (uint32_t i = g->first_parent[child]; i < g->first_parent[child + 1]; i++) {
            const uint32_t parent = g->parents[i] >> SI_PLIES_BITS;
            if (status[parent] & (mark | SI_DECIDED))
                continue;
            if ((status[parent] & SI_OR_NODE) != 0 || --g->open_children[q][parent] == 0) {
                status[parent] |= mark;
                queue[queued++] = parent;
            }
        }
    }
    return true;
}

/* Marks the start of the second attractor: proven nodes, and parents of unexpanded nodes as far as those count. */
static void mark_reached(si_graph *g, unsigned q)
{
    uint8_t *status = g->status[q];
    uint16_t *open = g->open_children[q];
    for (uint32_t index = 0; index < g->expanded_count; index++) {
        open[index] = (uint16_t)(g->expanded[index].edge_count - g->unexpanded_children[index]);
        if ((status[index] & SI_PROVEN) != 0)
            status[index] |= SI_REACHED;
        else if ((status[index] & SI_DISPROVEN) == 0 && g->unexpanded_children[index] > 0 &&
                 ((status[index] & SI_OR_NODE) != 0 || open[index] == 0))
            status[index] |= SI_REACHED;
    }
}

static bool decide_question(si_graph *g, unsigned q, rf_control *control)
{
    uint8_t *status = g->status[q];
    /* 1. Prove. */
    for (uint32_t index = 0; index < g->expanded_count; index++)
        g->open_children[q][index] = g->expanded[index].edge_count;
    if (!attract(g, q, SI_PROVEN, control))
        return false;
    /* 2. Find what may still be won. */
    mark_reached(g, q);
    const bool complete = attract(g, q, SI_REACHED, control);
    /* 3. Disprove the rest, and forget disproofs that a path gave. */
    for (uint32_t index = 0; index < g->expanded_count; index++) {
        si_proof_numbers *numbers = &g->expanded[index].numbers;
        if (status[index] & SI_PROVEN) {
            si_graph_prove(g, index, q);
        } else if (status[index] & SI_REACHED) {
            if (numbers->dn[q] == 0)
                numbers->pn[q] = numbers->dn[q] = 1;
        } else if (complete) {
            si_graph_disprove(g, index, q);
        }
        status[index] &= (uint8_t)~SI_REACHED;
    }
    return complete;
}

bool si_attractor_decide(si_graph *g, rf_control *control)
{
    if (!si_attractor_reverse_edges(g, false, control))
        return false;
    for (unsigned q = 0; q < SI_QUESTIONS; q++)
        if ((si_graph_status(g, 0, q) & SI_DISPROVEN) != 0)
            return decide_question(g, 1 - q, control);
    return si_helpers_run_job(g, SI_QUESTIONS, decide_question, control);
}
