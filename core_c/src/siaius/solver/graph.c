/* The stored graph: its memory, its nodes by key, and the successors of expanded nodes.
 *
 * Idea: nodes are numbered in the order in which they are added, expanded nodes have a second number, in the order of
 * their expansion. Arrays by these numbers hold everything; edges are consecutive numbers of nodes. Nodes, expanded
 * nodes, edges and the hash table share one memory budget; each array reserves address space for the largest share that
 * it can get, and the system provides pages as they are written to.
 *
 * Invariants: a node never moves and is never removed. A slot of the hash table is written after the key that it leads
 * to and read before it, so helpers can look up keys while the main thread adds nodes; a helper may miss a new node,
 * never see a wrong one. The edges of an expanded node never change, except that a SI_PARTIAL node gets a complete new
 * list.
 *
 * Example: the root is node 0. Its expansion adds its successors as nodes 1 to 5, makes it expanded node 0 and stores
 * edges 0 to 4, each `node << 2 | plies`. */
#include "siaius/solver/internal.h"

#include <stdlib.h>

enum {
    FIRST_SLICE = 2000,
    FIRST_SLOTS = 1 << 14,
    /* Address space suffices for graphs with this few edges per node and nodes per expanded node. */
    MIN_EDGES_PER_NODE = 2,
    MIN_NODES_PER_EXPANDED = 4,
    /* Load factor of the hash table: at most 3/4. */
    LOAD_DENOMINATOR = 4,
    LOAD_NUMERATOR = 3,
    MIN_FREE_DIVISOR = 64, /* si_graph_can_expand; found by trial */
    PREFETCH_DISTANCE = 8,    /* found by trial */
};
#define MAX_NODES (1u << (32 - SI_PLIES_BITS))

/* Bytes of a node, an expanded node and an edge, without slots. */
#define BYTES_PER_NODE (sizeof(si_node_key) + sizeof(uint32_t))
#define BYTES_PER_EXPANDED \
    (sizeof(si_expanded) + SI_QUESTIONS * (1 + sizeof(uint32_t) + sizeof(uint16_t)) + sizeof(uint32_t) + sizeof(uint16_t))
#define BYTES_PER_EDGE (sizeof(uint32_t))

/* ---- memory ---- */

static uint64_t used_bytes(const si_graph *g)
{
    return g->slot_count * sizeof *g->slots + g->node_count * (uint64_t)BYTES_PER_NODE +
           g->expanded_count * (uint64_t)BYTES_PER_EXPANDED +
           (g->edge_count + g->inner_edges + g->inner_edges / 4) * BYTES_PER_EDGE;
}

bool si_graph_can_expand(const si_graph *g)
{
    return used_bytes(g) + g->memory / MIN_FREE_DIVISOR <= g->memory &&
           g->node_capacity - g->node_count > SI_MAX_SUCCESSORS &&
           g->edge_capacity - g->edge_count > SI_MAX_SUCCESSORS && g->expanded_count < g->expanded_capacity;
}

static bool fits_successors(const si_graph *g, uint32_t successors)
{
    return successors <= g->node_capacity - g->node_count && successors <= g->edge_capacity - g->edge_count &&
           g->expanded_count < g->expanded_capacity &&
           used_bytes(g) + successors * (uint64_t)(BYTES_PER_NODE + BYTES_PER_EDGE) + BYTES_PER_EXPANDED <= g->memory;
}

static uint64_t slots_for(uint64_t nodes) { return nodes / LOAD_NUMERATOR * LOAD_DENOMINATOR + LOAD_DENOMINATOR; }

static void *new_array(uint64_t count, size_t size)
{
    void *at = count > SIZE_MAX / size ? NULL : malloc((size_t)count * size);
    if (at != NULL)
        rf_use_large_pages(at, (size_t)count * size);
    return at;
}

bool si_list_new(si_list *list)
{
    list->successors = malloc(SI_MAX_SUCCESSORS * sizeof *list->successors);
    list->nodes = malloc(SI_MAX_SUCCESSORS * sizeof *list->nodes);
    return list->successors != NULL && list->nodes != NULL;
}

void si_list_free(si_list *list)
{
    free(list->successors);
    free(list->nodes);
}

static bool make_arrays(si_graph *g)
{
    g->keys = new_array(g->node_capacity, sizeof *g->keys);
    g->expanded_id = new_array(g->node_capacity, sizeof *g->expanded_id);
    g->expanded = new_array(g->expanded_capacity, sizeof *g->expanded);
    g->edges = new_array(g->edge_capacity, sizeof *g->edges);
    g->slots = calloc(g->slot_capacity, sizeof *g->slots);
    g->first_parent = new_array((uint64_t)g->expanded_capacity + 1, sizeof *g->first_parent);
    g->parents = new_array(g->edge_capacity, sizeof *g->parents);
    g->unexpanded_children = new_array(g->expanded_capacity, sizeof *g->unexpanded_children);
    g->path = malloc(SI_MAX_PATH * sizeof *g->path);
    bool made = si_list_new(&g->list) && g->keys != NULL && g->expanded_id != NULL && g->expanded != NULL &&
                g->edges != NULL && g->slots != NULL && g->first_parent != NULL && g->parents != NULL &&
                g->unexpanded_children != NULL && g->path != NULL;
    for (unsigned q = 0; q < SI_QUESTIONS; q++) {
        g->status[q] = new_array(g->expanded_capacity, sizeof *g->status[q]);
        g->queue[q] = new_array(g->expanded_capacity, sizeof *g->queue[q]);
        g->open_children[q] = new_array(g->expanded_capacity, sizeof *g->open_children[q]);
        made = made && g->status[q] != NULL && g->queue[q] != NULL && g->open_children[q] != NULL;
    }
    if (made)
        rf_use_large_pages(g->slots, g->slot_capacity * sizeof *g->slots);
    return made;
}

/* Sets the capacities that the memory allows. */
static void set_capacities(si_graph *g, uint64_t memory)
{
    const uint64_t fewest = (SI_MAX_SUCCESSORS + 1) * (uint64_t)(BYTES_PER_NODE + 2 * BYTES_PER_EDGE) +
                            2 * BYTES_PER_EXPANDED + FIRST_SLOTS * sizeof *g->slots;
    g->memory = memory < fewest ? fewest : memory;
    uint64_t nodes = g->memory / (BYTES_PER_NODE + LOAD_DENOMINATOR * sizeof *g->slots / LOAD_NUMERATOR +
                                  MIN_EDGES_PER_NODE * BYTES_PER_EDGE);
    if (nodes < 2 * SI_MAX_SUCCESSORS)
        nodes = 2 * SI_MAX_SUCCESSORS;
    if (nodes >= MAX_NODES / 2)
        nodes = MAX_NODES / 2 - 1;
    g->node_capacity = (uint32_t)nodes;
    g->expanded_capacity = (uint32_t)nodes / MIN_NODES_PER_EXPANDED;
    for (g->tag_shift = 1; (UINT64_C(1) << g->tag_shift) <= nodes + 1;)
        g->tag_shift++;
    g->slot_capacity = slots_for(nodes) < FIRST_SLOTS ? FIRST_SLOTS : slots_for(nodes);
    g->slot_count = FIRST_SLOTS;
    g->edge_capacity = g->memory / BYTES_PER_EDGE;
    if (g->edge_capacity > UINT32_MAX)
        g->edge_capacity = UINT32_MAX;
}

void si_graph_free(si_graph *g)
{
    if (g == NULL)
        return;
    free(g->keys);
    free(g->expanded_id);
    free(g->expanded);
    free(g->edges);
    free(g->slots);
    free(g->first_parent);
    free(g->parents);
    free(g->unexpanded_children);
    free(g->path);
    si_list_free(&g->list);
    for (unsigned q = 0; q < SI_QUESTIONS; q++) {
        free(g->status[q]);
        free(g->queue[q]);
        free(g->open_children[q]);
    }
    free(g);
}

/* ---- nodes ---- */

static uint64_t hash_of(si_node_key key) { return rf_mix(rf_mix(key.word[0], 0x8ebc6af09c88c6e3u), key.word[1]); }

static uint32_t tag_of(const si_graph *g, uint64_t hash)
{
    return (uint32_t)(hash >> 32) >> g->tag_shift << g->tag_shift;
}

static uint64_t first_slot(uint64_t hash, uint64_t count) { return (hash & UINT32_MAX) * count >> 32; }

static uint32_t read_slot(const si_graph *g, uint64_t at) { return __atomic_load_n(&g->slots[at], __ATOMIC_ACQUIRE); }

/* The slot of a node, or the free slot where it belongs. *number: node number + 1, or 0. */
static uint64_t slot_of(const si_graph *g, si_node_key key, uint32_t *number)
{
    const uint64_t hash = hash_of(key), count = __atomic_load_n(&g->slot_count, __ATOMIC_RELAXED);
    const uint32_t tag = tag_of(g, hash), low = ((uint32_t)1 << g->tag_shift) - 1;
    uint64_t at = first_slot(hash, count);
    while ((*number = read_slot(g, at)) != 0) {
        if ((*number & ~low) == tag) {
            const si_node_key *found = &g->keys[(*number & low) - 1];
            if (found->word[0] == key.word[0] && found->word[1] == key.word[1])
                break;
        }
        at = at + 1 == count ? 0 : at + 1;
    }
    *number &= low;
    return at;
}

uint32_t si_graph_find(const si_graph *g, si_node_key key)
{
    uint32_t number;
    slot_of(g, key, &number);
    return number == 0 ? SI_NO_NODE : number - 1;
}

static void write_slot(si_graph *g, uint64_t at, uint32_t content)
{
    __atomic_store_n(&g->slots[at], content, __ATOMIC_RELEASE);
}

/* The caller has made room. */
static uint32_t find_or_add(si_graph *g, si_node_key key)
{
    uint32_t number;
    const uint64_t at = slot_of(g, key, &number);
    if (number != 0)
        return number - 1;
    const uint32_t node = g->node_count++;
    g->keys[node] = key;
    g->expanded_id[node] = 0;
    write_slot(g, at, tag_of(g, hash_of(key)) | (node + 1));
    return node;
}

/* Makes the hash table large enough for `more` nodes. False: the memory does not suffice. */
static bool make_slots(si_graph *g, uint32_t more)
{
    const uint64_t needed = slots_for((uint64_t)g->node_count + more);
    if (needed <= g->slot_count)
        return true;
    uint64_t count = 2 * g->slot_count;
    count = count > g->slot_capacity ? g->slot_capacity : count;
    if (needed > count || used_bytes(g) + (count - g->slot_count) * sizeof *g->slots > g->memory)
        return false;
    for (uint64_t at = 0; at < g->slot_count; at++)
        __atomic_store_n(&g->slots[at], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&g->slot_count, count, __ATOMIC_RELAXED);
    for (uint32_t node = 0; node < g->node_count; node++) {
        if (node + PREFETCH_DISTANCE < g->node_count)
            __builtin_prefetch(&g->slots[first_slot(hash_of(g->keys[node + PREFETCH_DISTANCE]), count)], 1);
        const uint64_t hash = hash_of(g->keys[node]);
        uint64_t at = first_slot(hash, count);
        while (g->slots[at] != 0)
            at = at + 1 == count ? 0 : at + 1;
        write_slot(g, at, tag_of(g, hash) | (node + 1));
    }
    return true;
}

uint32_t si_graph_add(si_graph *g, si_node_key key)
{
    const uint32_t node = si_graph_find(g, key);
    if (node != SI_NO_NODE)
        return node;
    return g->node_count < g->node_capacity && make_slots(g, 1) ? find_or_add(g, key) : SI_NO_NODE;
}

si_graph *si_graph_new(const si_turn_source *source, si_node_key root, uint64_t memory)
{
    si_graph *g = calloc(1, sizeof *g);
    if (g == NULL)
        return NULL;
    g->source = source;
    g->slice = FIRST_SLICE;
    set_capacities(g, memory);
    if (!make_arrays(g)) {
        si_graph_free(g);
        return NULL;
    }
    find_or_add(g, root);
    return g;
}

/* ---- successors ---- */

/* Finds the nodes of a list. They lie anywhere in memory, so all are prefetched before one is read. */
static void find_nodes(const si_graph *g, si_list *list)
{
    const uint64_t slots = __atomic_load_n(&g->slot_count, __ATOMIC_RELAXED);
    const uint32_t low = ((uint32_t)1 << g->tag_shift) - 1;
    for (int i = 0; i < list->count; i++)
        __builtin_prefetch(&g->slots[first_slot(hash_of(list->successors[i].key), slots)]);
    for (int i = 0; i < list->count; i++) {
        const uint64_t hash = hash_of(list->successors[i].key);
        const uint32_t content = read_slot(g, first_slot(hash, slots));
        if (content != 0 && (content & ~low) == tag_of(g, hash))
            __builtin_prefetch(&g->keys[(content & low) - 1]);
    }
    for (int i = 0; i < list->count; i++)
        list->nodes[i] = si_graph_find(g, list->successors[i].key);
}

/* Removes the leaves from a list and keeps the best score. */
static void remove_leaves(si_list *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++)
        if (!list->successors[i].is_leaf)
            list->successors[kept++] = list->successors[i];
        else if (list->successors[i].score > list->best_leaf)
            list->best_leaf = list->successors[i].score;
    list->count = kept;
}

/* Turns nodes with an immediate win into leaves. Stored nodes have none: they were checked before they were added.
 * False: a table cannot be read. */
static bool remove_immediate_wins(const si_turn_source *source, si_node_key key, si_list *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        const si_successor successor = list->successors[i];
        const bool same_player = (successor.key.word[0] & 1) == (key.word[0] & 1);
        int score = 0;
        /* A win of the opponent does not matter if this node has a winning leaf. */
        if (list->nodes[i] == SI_NO_NODE && (same_player || list->best_leaf <= 0)) {
            rf_state state;
            source->rules->state_of(source, successor.key, &state);
            if (!source->rules->immediate_score(source, &state, &score))
                return false;
        }
        if (score > 0) {
            const int before = si_score_before(score, same_player, successor.plies);
            list->best_leaf = before > list->best_leaf ? before : list->best_leaf;
            list->is_partial = true;
        } else {
            list->successors[kept] = successor;
            list->nodes[kept++] = list->nodes[i];
        }
    }
    list->count = kept;
    return true;
}

bool si_graph_list(const si_graph *g, const si_turn_source *source, si_node_key key, bool complete, si_list *out)
{
    out->count = source->rules->successors(source, key, out->successors);
    out->best_leaf = SI_TB_NO_SCORE;
    out->is_partial = false;
    if (out->count < 0)
        return false;
    remove_leaves(out);
    find_nodes(g, out);
    if (complete)
        return true;
    if (!remove_immediate_wins(source, key, out))
        return false;
    if (out->best_leaf > 0) {
        out->is_partial |= out->count > 0;
        out->count = 0;
    }
    return true;
}

/* The caller has made room. */
static void store_edges(si_graph *g, uint32_t index, const si_list *list)
{
    g->expanded[index].first_edge = (uint32_t)g->edge_count;
    g->expanded[index].edge_count = (uint16_t)list->count;
    g->expanded[index].best_leaf = (int16_t)list->best_leaf;
    for (int i = 0; i < list->count; i++)
        if (list->nodes[i] == SI_NO_NODE)
            __builtin_prefetch(&g->slots[first_slot(hash_of(list->successors[i].key), g->slot_count)], 1);
    for (int i = 0; i < list->count; i++) {
        const uint32_t child = list->nodes[i] != SI_NO_NODE ? list->nodes[i] : find_or_add(g, list->successors[i].key);
        g->edges[g->edge_count++] = child << SI_PLIES_BITS | list->successors[i].plies;
    }
}

int si_graph_store(si_graph *g, uint32_t node, const si_list *list)
{
    if (!fits_successors(g, (uint32_t)list->count) || !make_slots(g, (uint32_t)list->count))
        return SI_SOLVER_FULL;
    const unsigned q = g->keys[node].word[0] & 1;
    const uint32_t index = g->expanded_count++;
    g->expanded_id[node] = index + 1;
    g->expanded[index] = (si_expanded){.numbers = {{1, 1}, {1, 1}}};
    g->status[q][index] = list->is_partial ? SI_OR_NODE | SI_PARTIAL : SI_OR_NODE;
    g->status[1 - q][index] = list->is_partial ? SI_PARTIAL : 0;
    store_edges(g, index, list);
    if (list->best_leaf > 0)
        si_graph_prove(g, index, q);
    if (list->best_leaf >= 0)
        si_graph_disprove(g, index, 1 - q);
    if (list->count == 0 && list->best_leaf <= 0) {
        si_graph_disprove(g, index, q);
        if (list->best_leaf < 0)
            si_graph_prove(g, index, 1 - q);
    }
    return SI_SOLVER_SOLVED;
}

int si_graph_expand_completely(si_graph *g, uint32_t node)
{
    si_list *list = &g->list;
    if (!si_graph_list(g, g->source, g->keys[node], true, list))
        return SI_SOLVER_DAMAGED;
    if (g->expanded_id[node] == 0)
        return si_graph_store(g, node, list);
    if (!fits_successors(g, (uint32_t)list->count) || !make_slots(g, (uint32_t)list->count))
        return SI_SOLVER_FULL;
    const uint32_t index = g->expanded_id[node] - 1;
    store_edges(g, index, list);
    for (unsigned q = 0; q < SI_QUESTIONS; q++)
        g->status[q][index] &= (uint8_t)~SI_PARTIAL;
    return SI_SOLVER_SOLVED;
}
