/* Proof-number search over the stored graph, alternating with the attractor computation that makes its answers exact
 * where plays form cycles.
 *
 * Idea: df-pn (Nagai 2002) with the 1 + epsilon trick (Pawlewicz and Lew 2007). Each question gets slices of growing
 * length in turn; after each pair of slices si_attractor_decide proves and disproves whatever the stored graph decides.
 *
 * Invariants: a node is marked SI_PROVEN or SI_DISPROVEN only if that is exact. Within a slice a successor on the
 * current path counts as disproven for now, because a cycle never ends in a win; such a number lasts only until the
 * next attractor computation, which resets it to 1. So cycles (the graph history interaction problem) never change an
 * answer.
 *
 * Example: the root has two successors A and B. A slice for "South wins" proves A after 300 nodes: the root is proven.
 * If instead both lead into a cycle, the slice disproves the root for now; the attractor computation then finds that
 * South cannot leave the cycle with a win and disproves the root exactly. */
#include "control.h"
#include "siaius/solver/internal.h"

enum {
    PREFETCH_DISTANCE = 8,   /* found by trial */
    OLDEST_PART_OF_SLICE = 16 /* found by trial */
};

/* ---- depth-first proof-number search ---- */

/* The successors of a node for one question. At an OR node the smallest proof number and the sum of disproof numbers
 * count, at an AND node the other way round: `smallest` and `sum` stand for these two. */
typedef struct {
    uint32_t smallest, second; /* the smallest numbers */
    uint64_t sum;
    uint32_t best, best_edge; /* the successor with the smallest number, SI_NO_NODE if there is none */
    uint32_t best_share;      /* its share of the sum */
} child_numbers;

static void prefetch(const si_graph *g, const uint32_t *edges, unsigned i, unsigned count)
{
    if (i + 2 * PREFETCH_DISTANCE < count)
        __builtin_prefetch(&g->expanded_id[edges[i + 2 * PREFETCH_DISTANCE] >> SI_PLIES_BITS]);
    if (i + PREFETCH_DISTANCE < count) {
        const uint32_t id = g->expanded_id[edges[i + PREFETCH_DISTANCE] >> SI_PLIES_BITS];
        if (id != 0)
            __builtin_prefetch(&g->expanded[id - 1]);
    }
}

static inline child_numbers collect_children(const si_graph *g, const si_expanded *node, unsigned q, bool is_or)
{
    const uint32_t *edges = &g->edges[node->first_edge];
    const unsigned count = node->edge_count;
    child_numbers c = {.smallest = UINT32_MAX, .second = UINT32_MAX, .best = SI_NO_NODE};
    for (unsigned i = 0; i < count; i++) {
        prefetch(g, edges, i, count);
        const uint32_t child = edges[i] >> SI_PLIES_BITS, id = g->expanded_id[child];
        uint32_t pn = 1, dn = 1;
        if (id != 0) {
            pn = g->expanded[id - 1].numbers.pn[q];
            dn = g->expanded[id - 1].numbers.dn[q];
        }
        if (pn & SI_PN_ON_PATH) {
            pn = SI_PN_INFINITE;
            dn = 0;
        }
        const uint32_t number = is_or ? pn : dn, share = is_or ? dn : pn;
        c.sum += share;
        if (number < c.smallest) {
            c.second = c.smallest;
            c.smallest = number;
            c.best_share = share;
            c.best = child;
            c.best_edge = i;
        } else if (number < c.second) {
            c.second = number;
        }
    }
    return c;
}

static uint64_t min_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Computes the proof numbers of an expanded, undecided node, and the successor to search next with its thresholds. */
static si_proof_numbers update_node(const si_graph *g, unsigned q, const si_path_frame *top, si_path_frame *next)
{
    const si_expanded *node = &g->expanded[g->expanded_id[top->node] - 1];
    const bool is_or = (si_graph_status(g, top->node, q) & SI_OR_NODE) != 0;
    child_numbers c = collect_children(g, node, q, is_or);
    /* 1. A leaf that does not lose saves the player to move at an AND node. */
    if (!is_or && node->best_leaf >= 0)
        c.smallest = 0;
    const uint32_t sum = c.smallest == 0 ? SI_PN_INFINITE : (uint32_t)min_of(c.sum, SI_PN_INFINITE);
    /* 2. The successor is searched until its number exceeds the second smallest by a quarter (1 + epsilon), so that the
     * search switches less often. */
    const uint32_t limit = is_or ? top->pn : top->dn, sum_limit = is_or ? top->dn : top->pn;
    const uint32_t threshold = (uint32_t)min_of((uint64_t)c.second + c.second / 4 + 1, limit);
    /* 3. Or until the sum exceeds the threshold of this node. */
    uint32_t share_threshold = SI_PN_INFINITE;
    if (sum_limit < SI_PN_INFINITE && sum < SI_PN_INFINITE)
        share_threshold = (uint32_t)((uint64_t)sum_limit - (sum - (uint64_t)c.best_share));
    next->node = c.best;
    next->edge = c.best_edge;
    next->pn = is_or ? threshold : share_threshold;
    next->dn = is_or ? share_threshold : threshold;
    si_proof_numbers numbers = {{0, 0}, {0, 0}};
    numbers.pn[q] = is_or ? c.smallest : sum;
    numbers.dn[q] = is_or ? sum : c.smallest;
    return numbers;
}

/* Searches at most `visits` nodes for a question, until the root is decided or disproven for now. */
static int search_slice(si_graph *g, unsigned q, uint64_t visits, rf_control *control)
{
    int result = SI_SOLVER_SOLVED;
    size_t length = 1;
    g->path[0] = (si_path_frame){0, SI_PN_INFINITE, SI_PN_INFINITE, 0};
    while (length > 0 && visits-- > 0) {
        if (rf_tick(control)) {
            result = SI_SOLVER_STOPPED;
            break;
        }
        const si_path_frame top = g->path[length - 1];
        /* 1. A new node. */
        if (g->expanded_id[top.node] == 0) {
            const uint32_t parent = length > 1 ? g->path[length - 2].node : SI_NO_NODE;
            result = si_helpers_expand(g, top.node, parent, top.edge);
            if (result != SI_SOLVER_SOLVED)
                break;
        }
        /* 2. Its numbers from its successors; within its thresholds, on to the best successor. */
        const uint32_t index = g->expanded_id[top.node] - 1;
        si_proof_numbers *numbers = &g->expanded[index].numbers;
        if ((si_graph_status(g, top.node, q) & SI_DECIDED) == 0) {
            si_path_frame next;
            const si_proof_numbers now = update_node(g, q, &top, &next);
            numbers->pn[q] = now.pn[q] | SI_PN_ON_PATH;
            numbers->dn[q] = now.dn[q];
            if (now.pn[q] == 0) {
                si_graph_prove(g, index, q);
            } else if (now.pn[q] < top.pn && now.dn[q] < top.dn && now.dn[q] != 0 && length < SI_MAX_PATH) {
                g->path[length++] = next;
                continue;
            }
        }
        /* 3. Otherwise back. */
        numbers->pn[q] &= ~SI_PN_ON_PATH;
        length--;
    }
    while (length-- > 0)
        if (g->expanded_id[g->path[length].node] != 0)
            g->expanded[g->expanded_id[g->path[length].node] - 1].numbers.pn[q] &= ~SI_PN_ON_PATH;
    return result;
}

/* ---- slices ---- */

static bool is_solved(const si_graph *g)
{
    const unsigned south = si_graph_status(g, 0, 0), north = si_graph_status(g, 0, 1);
    return ((south | north) & SI_PROVEN) != 0 || (south & north & SI_DISPROVEN) != 0;
}

/* Expands the oldest nodes that are not expanded. */
static int expand_oldest(si_graph *g, uint64_t count, rf_control *control)
{
    for (; g->oldest_unexpanded < g->node_count && count > 0; g->oldest_unexpanded++) {
        if (g->expanded_id[g->oldest_unexpanded] != 0)
            continue;
        if (rf_tick(control))
            return SI_SOLVER_STOPPED;
        const int result = si_helpers_expand(g, g->oldest_unexpanded, SI_NO_NODE, 0);
        if (result != SI_SOLVER_SOLVED)
            return result;
        count--;
    }
    return SI_SOLVER_SOLVED;
}

/* Searches one slice for each question. */
static int search_both_questions(si_graph *g, rf_control *control)
{
    for (unsigned q = 0; q < SI_QUESTIONS; q++) {
        if (is_solved(g) || (si_graph_status(g, 0, q) & SI_DECIDED) != 0)
            continue;
        const int result = search_slice(g, q, g->slice, control);
        if (result != SI_SOLVER_SOLVED && !is_solved(g))
            return result;
    }
    return SI_SOLVER_SOLVED;
}

int si_search_solve(si_graph *g, rf_control *control)
{
    while (!is_solved(g)) {
        const uint32_t expanded = g->expanded_count;
        int result = search_both_questions(g, control);
        if (result != SI_SOLVER_SOLVED && result != SI_SOLVER_FULL)
            return result;
        if (!si_attractor_decide(g, control))
            return is_solved(g) ? SI_SOLVER_SOLVED : SI_SOLVER_STOPPED;
        if (is_solved(g))
            break;
        /* Only now the memory of the reverse edges is known. */
        if (result == SI_SOLVER_FULL && !si_graph_can_expand(g))
            return result;
        if (g->expanded_count == expanded) { /* the search ended in cycles only */
            result = expand_oldest(g, g->slice / OLDEST_PART_OF_SLICE, control);
            if (result != SI_SOLVER_SOLVED)
                return result;
        }
        g->slice += g->slice / 2;
    }
    return SI_SOLVER_SOLVED;
}

int si_search_wins(const si_graph *g, si_node_key key, unsigned player)
{
    const uint32_t node = si_graph_find(g, key);
    const unsigned status = node == SI_NO_NODE ? 0 : si_graph_status(g, node, player - 1);
    return status & SI_PROVEN ? 1 : status & SI_DISPROVEN ? 0 : SI_SOLVER_UNKNOWN;
}
