/* Helper threads of the solver.
 *
 * Idea: the main thread does every step of the search as it would without helpers, so helpers change neither an answer
 * nor the graph. Most of its time goes into listing successors: plies, probes of tables, and finding the nodes that are
 * already stored. When it expands a node it will nearly always expand the siblings next, so it requests their lists in
 * advance and uses those that are ready. Helpers also do the second half of jobs (si_helpers_run_job), and touch the
 * pages of growing arrays before the main thread gets there.
 *
 * Invariants: a request passes from thread to thread only through its state (FREE and READY: the main thread owns it;
 * WAITING: the thread that changes it to RUNNING owns it). Requests are in slots by node number, and their slots in a
 * ring buffer in the order of the requests. A helper may miss nodes that were added meanwhile; the main thread finds
 * those when it stores the list.
 *
 * Example: the main thread expands edge 2 of node 7. It puts the children at edges 3 to 10 into the ring and lists the
 * child at edge 2 itself. When it comes to edge 3, a helper has listed that child. */
#include <stdlib.h>

#include "common/threads.h"
#include "control.h"
#include "siaius/solver/internal.h"

/* Found by trial unless a reason is given. */
enum {
    SLOTS = 256,
    MAX_LISTED = 192, /* successors; longer lists are not kept */
    RING_SIZE = 1024,
    SIBLINGS_PER_THREAD = 4,
    MAX_SIBLINGS = 64,
    EDGES_PER_REPORT = 1 << 14, /* few pages */
    CACHE_LINE = 64,
    SPINS_FOR_A_LIST = 1000,
    SPINS_BEFORE_SLEEP = 2000,
    MIN_BYTES_TO_FETCH = 1 << 27, /* in a smaller graph, pages ahead would be a good part of it */
    PAGES_AHEAD = 1 << 21,           /* bytes: the size of a large page */
};

enum { FREE, WAITING, RUNNING, READY };
/* The second part of a job. */
enum { NONE, OFFERED, ACCEPTED, DONE, GIVEN_UP };

typedef struct {
    uint32_t state, node;
    uint32_t position; /* in the ring */
    si_node_key key;
    bool has_list;
    int count, best_leaf;
    bool is_partial;
    si_successor successors[MAX_LISTED];
    uint32_t nodes[MAX_LISTED];
} request;

/* An array that grows; the system zeroes its pages at the first write. */
typedef struct {
    char *at;
    size_t item_size, capacity, fetched; /* bytes */
    uint32_t used;                       /* items */
} growing_array;

enum { KEYS, EXPANDED_IDS, EDGES, EXPANDED, ARRAYS };

/* Fields that one thread writes often have separate cache lines. */
struct si_helpers {
    request *requests;
    unsigned siblings; /* requested at a time */
    const si_graph *graph;
    int stopped, offer, cancel;
    si_job job; /* whose second part is offered */
    char apart_1[CACHE_LINE];
    growing_array arrays[ARRAYS];
    char apart_2[CACHE_LINE];
    uint32_t head;
    char apart_3[CACHE_LINE];
    uint32_t tail;
    char apart_4[CACHE_LINE];
    uint32_t ring[RING_SIZE];
    char apart_5[CACHE_LINE];
    /* The main thread uses these. */
    uint32_t parent;         /* whose children are requested */
    uint64_t reported_edges; /* when helpers were last told the sizes of the arrays */
};

si_helpers *si_helpers_new(int count)
{
    si_helpers *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->requests = calloc(SLOTS, sizeof *h->requests);
    const unsigned siblings = ((unsigned)count + 1) * SIBLINGS_PER_THREAD;
    h->siblings = siblings > MAX_SIBLINGS ? MAX_SIBLINGS : siblings;
    if (h->requests == NULL) {
        free(h);
        return NULL;
    }
    return h;
}

void si_helpers_free(si_helpers *h)
{
    if (h != NULL)
        free(h->requests);
    free(h);
}

static growing_array array_of(void *at, size_t item_size, uint64_t capacity, uint64_t used)
{
    return (growing_array){at, item_size, item_size * (size_t)capacity, item_size * (size_t)used, (uint32_t)used};
}

/* Prepares for a graph, before any helper runs. */
static void reset_helpers(si_helpers *h, const si_graph *g)
{
    h->graph = g;
    for (unsigned i = 0; i < SLOTS; i++)
        h->requests[i].state = FREE;
    h->arrays[KEYS] = array_of(g->keys, sizeof *g->keys, g->node_capacity, g->node_count);
    h->arrays[EXPANDED_IDS] = array_of(g->expanded_id, sizeof *g->expanded_id, g->node_capacity, g->node_count);
    h->arrays[EDGES] = array_of(g->edges, sizeof *g->edges, g->edge_capacity, g->edge_count);
    h->arrays[EXPANDED] = array_of(g->expanded, sizeof *g->expanded, g->expanded_capacity, g->expanded_count);
    if (g->memory < MIN_BYTES_TO_FETCH)
        memset(h->arrays, 0, sizeof h->arrays);
}

void si_helpers_start(si_graph *g, si_helpers *h)
{
    if (g->helpers != h || h->graph != g)
        reset_helpers(h, g);
    __atomic_store_n(&h->stopped, 0, __ATOMIC_SEQ_CST);
    g->helpers = h;
}

void si_helpers_stop(si_graph *g) { __atomic_store_n(&g->helpers->stopped, 1, __ATOMIC_SEQ_CST); }

static bool change_state(uint32_t *state, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* ---- requests ---- */

/* Takes the next waiting request; NULL if there is none. */
static request *next_request(si_helpers *h)
{
    uint32_t tail = __atomic_load_n(&h->tail, __ATOMIC_ACQUIRE);
    for (;;) {
        const uint32_t head = __atomic_load_n(&h->head, __ATOMIC_ACQUIRE);
        if (tail == head)
            return NULL;
        const uint32_t from = head - tail > RING_SIZE ? head - RING_SIZE : tail;
        if (!__atomic_compare_exchange_n(&h->tail, &tail, from + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        tail = from + 1;
        request *r = &h->requests[__atomic_load_n(&h->ring[from % RING_SIZE], __ATOMIC_RELAXED)];
        if (change_state(&r->state, WAITING, RUNNING))
            return r;
    }
}

/* Lists the successors of a request; `list` is memory of this thread. */
static void run_request(const si_graph *g, const si_turn_source *source, si_list *list, request *r)
{
    r->has_list = si_graph_list(g, source, r->key, false, list) && list->count <= MAX_LISTED;
    if (r->has_list) {
        r->count = list->count;
        r->best_leaf = list->best_leaf;
        r->is_partial = list->is_partial;
        memcpy(r->successors, list->successors, (size_t)list->count * sizeof *r->successors);
        memcpy(r->nodes, list->nodes, (size_t)list->count * sizeof *r->nodes);
    }
    __atomic_store_n(&r->state, READY, __ATOMIC_RELEASE);
}

/* Makes a request wait for this node. True if it must be put into the ring now; false if the slot is in use, or has a
 * request for this node already. */
static bool prepare_request(const si_graph *g, uint32_t node, request *r)
{
    const uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
    /* Again if the ring has passed it over; a second entry of the ring does no harm. */
    if (state == WAITING && r->node == node)
        return (int32_t)(r->position - __atomic_load_n(&g->helpers->tail, __ATOMIC_RELAXED)) < 0;
    if ((state != FREE && r->node == node) || state == RUNNING ||
        (state == WAITING && !change_state(&r->state, WAITING, FREE)))
        return false;
    r->node = node;
    r->key = g->keys[node];
    __atomic_store_n(&r->state, WAITING, __ATOMIC_RELEASE);
    return true;
}

static void request_list(si_graph *g, uint32_t node)
{
    si_helpers *h = g->helpers;
    request *r = &h->requests[node % SLOTS];
    if (!prepare_request(g, node, r))
        return;
    const uint32_t head = h->head;
    r->position = head;
    __atomic_store_n(&h->ring[head % RING_SIZE], node % SLOTS, __ATOMIC_RELAXED);
    __atomic_store_n(&h->head, head + 1, __ATOMIC_RELEASE);
}

/* Reports to helpers how much of the arrays is used. */
static void report_sizes(si_graph *g)
{
    const uint64_t used[ARRAYS] = {g->node_count, g->node_count, g->edge_count, g->expanded_count};
    for (unsigned i = 0; i < ARRAYS; i++)
        __atomic_store_n(&g->helpers->arrays[i].used, (uint32_t)used[i], __ATOMIC_RELAXED);
    g->helpers->reported_edges = g->edge_count;
}

/* Requests the lists of the next siblings after an edge of `parent`. */
static void request_siblings(si_graph *g, uint32_t parent, uint32_t edge)
{
    si_helpers *h = g->helpers;
    if (g->edge_count - h->reported_edges >= EDGES_PER_REPORT)
        report_sizes(g);
    /* Requests for children of another node are less urgent, and may never be needed. */
    if (parent != h->parent)
        __atomic_store_n(&h->tail, h->head, __ATOMIC_RELEASE);
    h->parent = parent;
    const si_expanded *at = &g->expanded[g->expanded_id[parent] - 1];
    unsigned requested = 0;
    for (uint32_t i = edge + 1; i < at->edge_count && requested < h->siblings; i++) {
        const uint32_t node = g->edges[at->first_edge + i] >> SI_PLIES_BITS;
        if (g->expanded_id[node] != 0)
            continue;
        request_list(g, node);
        requested++;
    }
}

/* The list of a helper, if one has made it or is about to. */
static bool claim_list(si_graph *g, uint32_t node, si_list *out)
{
    si_helpers *h = g->helpers;
    request *r = &h->requests[node % SLOTS];
    uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
    if (state == FREE || r->node != node || (state == WAITING && change_state(&r->state, WAITING, FREE)))
        return false;
    for (unsigned spins = 0; state != READY; spins++) {
        request *other = next_request(h);
        if (other != NULL)
            run_request(g, g->source, &g->list, other);
        else if (spins >= SPINS_FOR_A_LIST)
            return false;
        else
            rf_spin();
        state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
    }
    if (r->has_list)
        *out = (si_list){r->successors, r->nodes, r->count, r->best_leaf, r->is_partial};
    return r->has_list;
}

int si_helpers_expand(si_graph *g, uint32_t node, uint32_t parent, uint32_t edge)
{
    if (g->helpers != NULL) {
        si_list list;
        if (parent != SI_NO_NODE)
            request_siblings(g, parent, edge);
        if (claim_list(g, node, &list))
            return si_graph_store(g, node, &list);
    }
    if (!si_graph_list(g, g->source, g->keys[node], false, &g->list))
        return SI_SOLVER_DAMAGED;
    return si_graph_store(g, node, &g->list);
}

/* ---- jobs ---- */

/* Waits for the helper that has accepted the second part. */
static bool finish_job(si_helpers *h, rf_control *control)
{
    int state;
    while ((state = __atomic_load_n(&h->offer, __ATOMIC_SEQ_CST)) == ACCEPTED) {
        rf_control_check(control);
        if (control->stopped != RF_DONE)
            __atomic_store_n(&h->cancel, 1, __ATOMIC_SEQ_CST);
        rf_sleep_briefly();
    }
    __atomic_store_n(&h->offer, NONE, __ATOMIC_SEQ_CST);
    return state == DONE;
}

bool si_helpers_run_job(si_graph *g, unsigned parts, si_job job, rf_control *control)
{
    si_helpers *h = g->helpers;
    if (parts < 2 || h == NULL)
        return job(g, 0, control) && (parts < 2 || job(g, 1, control));
    h->job = job;
    __atomic_store_n(&h->cancel, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&h->offer, OFFERED, __ATOMIC_SEQ_CST);
    const bool done = job(g, 0, control);
    int offered = OFFERED;
    if (__atomic_compare_exchange_n(&h->offer, &offered, NONE, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return done && job(g, 1, control);
    return finish_job(h, control) && done;
}

/* ---- helper threads ---- */

/* Does the second part of a job, if it is offered. */
static bool do_second_part(si_graph *g)
{
    si_helpers *h = g->helpers;
    int offered = OFFERED;
    if (__atomic_load_n(&h->offer, __ATOMIC_ACQUIRE) != OFFERED ||
        !__atomic_compare_exchange_n(&h->offer, &offered, ACCEPTED, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return false;
    rf_control control = {.cancel = &h->cancel};
    rf_control_start(&control);
    const bool done = h->job(g, 1, &control);
    __atomic_store_n(&h->offer, done ? DONE : GIVEN_UP, __ATOMIC_SEQ_CST);
    return true;
}

static void fetch_pages(si_helpers *h)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        growing_array *array = &h->arrays[i];
        const size_t used = array->item_size * __atomic_load_n(&array->used, __ATOMIC_RELAXED);
        size_t fetched = __atomic_load_n(&array->fetched, __ATOMIC_RELAXED);
        if (used + PAGES_AHEAD < fetched || array->capacity - fetched < PAGES_AHEAD ||
            !__atomic_compare_exchange_n(&array->fetched, &fetched, fetched + PAGES_AHEAD, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        rf_prefault(array->at + fetched, PAGES_AHEAD);
    }
}

void si_helpers_serve(si_graph *g, const si_turn_source *source)
{
    si_helpers *h = g->helpers;
    si_list list;
    const bool made = si_list_new(&list);
    unsigned idle = 0;
    while (made && __atomic_load_n(&h->stopped, __ATOMIC_ACQUIRE) == 0) {
        request *r;
        fetch_pages(h);
        if (do_second_part(g)) {
            idle = 0;
        } else if ((r = next_request(h)) != NULL) {
            run_request(g, source, &list, r);
            idle = 0;
        } else if (idle++ < SPINS_BEFORE_SLEEP) {
            rf_spin();
        } else {
            rf_sleep_briefly();
        }
    }
    si_list_free(&list);
}
