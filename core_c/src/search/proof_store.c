/* The stored graph: its memory, its nodes by key, and the successors of those that are expanded. */
#include "search/proof_store.h"

#include <stdlib.h>

#include "common/pages.h"

enum {
    FIRST_SLICE = 2000,
    FIRST_SLOTS = 1 << 14,
    /* Nodes and edges share the memory; there is room in the address space for graphs with as few edges a node, and as
     * few nodes an expanded one. */
    FEWEST_EDGES_A_NODE = 2,
    FEWEST_NODES_AN_EXPANDED = 4,
    /* Slots are at most this full. */
    SLOTS_OF = 4,
    NODES_OF_SLOTS = 3,
    /* Of the memory: less is nothing to go on with. */
    PARTS_OF_MEMORY = 64,
    AHEAD = 8,
};
#define MOST_NODES (1u << (32 - PLIES_BITS))

/* What a node, an expanded node and an edge take, but for slots. */
#define BYTES_A_NODE (sizeof(rf_proof_key) + sizeof(uint32_t))
#define BYTES_AN_EXPANDED (sizeof(expanded_node) + QUESTIONS * (1 + sizeof(uint32_t) + sizeof(uint16_t)) + \
                           sizeof(uint32_t) + sizeof(uint16_t))
#define BYTES_AN_EDGE (sizeof(uint32_t))

static void free_arrays(rf_proof *p)
{
    free(p->key);
    free(p->place);
    free(p->at);
    free(p->edge);
    free(p->slots);
    free(p->before_first);
    free(p->before);
    free(p->fresh);
    free(p->path);
    free(p->steps);
    free(p->found);
    for (unsigned q = 0; q < QUESTIONS; q++) {
        free(p->status[q]);
        free(p->queue[q]);
        free(p->left[q]);
    }
}

void rf_proof_free(rf_proof *p)
{
    if (p != NULL)
        free_arrays(p);
    free(p);
}

/* ---- memory ---- */

static uint64_t used(const rf_proof *p)
{
    return p->slot_count * sizeof *p->slots + p->nodes * (uint64_t)BYTES_A_NODE +
           p->expanded * (uint64_t)BYTES_AN_EXPANDED + (p->edges + p->inner + p->inner / 4) * BYTES_AN_EDGE;
}

bool rf_proof_has_room(const rf_proof *p)
{
    return used(p) + p->memory / PARTS_OF_MEMORY <= p->memory && p->node_room - p->nodes > RF_PROOF_MOST_STEPS &&
           p->edge_room - p->edges > RF_PROOF_MOST_STEPS && p->expanded < p->expanded_room;
}

static uint64_t slots_for(uint64_t nodes) { return nodes / NODES_OF_SLOTS * SLOTS_OF + SLOTS_OF; }

/* An array that is read in no order. */
static void *many(uint64_t count, size_t size)
{
    void *at = count > SIZE_MAX / size ? NULL : malloc((size_t)count * size);
    if (at != NULL)
        rf_use_large_pages(at, (size_t)count * size);
    return at;
}

static bool make_arrays(rf_proof *p)
{
    p->key = many(p->node_room, sizeof *p->key);
    p->place = many(p->node_room, sizeof *p->place);
    p->at = many(p->expanded_room, sizeof *p->at);
    p->edge = many(p->edge_room, sizeof *p->edge);
    p->slots = calloc(p->slot_room, sizeof *p->slots);
    p->before_first = many((uint64_t)p->expanded_room + 1, sizeof *p->before_first);
    p->before = many(p->edge_room, sizeof *p->before);
    p->fresh = many(p->expanded_room, sizeof *p->fresh);
    p->path = malloc(RF_PROOF_MOST_PATH * sizeof *p->path);
    p->steps = malloc(RF_PROOF_MOST_STEPS * sizeof *p->steps);
    p->found = malloc(RF_PROOF_MOST_STEPS * sizeof *p->found);
    bool made = p->key != NULL && p->place != NULL && p->at != NULL && p->edge != NULL && p->slots != NULL &&
                p->before_first != NULL && p->before != NULL && p->fresh != NULL && p->path != NULL &&
                p->steps != NULL && p->found != NULL;
    for (unsigned q = 0; q < QUESTIONS; q++) {
        p->status[q] = many(p->expanded_room, sizeof *p->status[q]);
        p->queue[q] = many(p->expanded_room, sizeof *p->queue[q]);
        p->left[q] = many(p->expanded_room, sizeof *p->left[q]);
        made = made && p->status[q] != NULL && p->queue[q] != NULL && p->left[q] != NULL;
    }
    if (made)
        rf_use_large_pages(p->slots, p->slot_room * sizeof *p->slots);
    return made;
}

static uint32_t find_or_add(rf_proof *p, rf_proof_key key);

rf_proof *rf_proof_new(const rf_proof_source *source, rf_proof_key root, uint64_t memory)
{
    rf_proof *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->source = *source;
    p->slice = FIRST_SLICE;
    const uint64_t fewest = (RF_PROOF_MOST_STEPS + 1) * (uint64_t)(BYTES_A_NODE + 2 * BYTES_AN_EDGE) +
                            2 * BYTES_AN_EXPANDED + FIRST_SLOTS * sizeof *p->slots;
    p->memory = memory < fewest ? fewest : memory;
    uint64_t room = p->memory / (BYTES_A_NODE + SLOTS_OF * sizeof *p->slots / NODES_OF_SLOTS +
                                 FEWEST_EDGES_A_NODE * BYTES_AN_EDGE);
    room = room < 2 * RF_PROOF_MOST_STEPS ? 2 * RF_PROOF_MOST_STEPS : room >= MOST_NODES / 2 ? MOST_NODES / 2 - 1 : room;
    p->node_room = (uint32_t)room;
    p->expanded_room = (uint32_t)room / FEWEST_NODES_AN_EXPANDED;
    for (p->tag_shift = 1; (UINT64_C(1) << p->tag_shift) <= room + 1;)
        p->tag_shift++;
    p->slot_room = slots_for(room) < FIRST_SLOTS ? FIRST_SLOTS : slots_for(room);
    p->slot_count = FIRST_SLOTS;
    p->edge_room = p->memory / BYTES_AN_EDGE;
    if (p->edge_room > UINT32_MAX)
        p->edge_room = UINT32_MAX;
    if (!make_arrays(p)) {
        rf_proof_free(p);
        return NULL;
    }
    find_or_add(p, root);
    return p;
}

/* ---- nodes ----
 *
 * The main thread adds nodes while helpers look for some: a slot is written after the key that it leads to, and read
 * before it. */

static uint64_t hash_of(rf_proof_key key) { return rf_mix(rf_mix(key.word[0], 0x8ebc6af09c88c6e3u), key.word[1]); }

static uint32_t tag_of(const rf_proof *p, uint64_t hash) { return (uint32_t)(hash >> 32) >> p->tag_shift << p->tag_shift; }

static uint64_t first_slot(uint64_t hash, uint64_t count) { return (hash & UINT32_MAX) * count >> 32; }

static uint32_t slot_at(const rf_proof *p, uint64_t at) { return __atomic_load_n(&p->slots[at], __ATOMIC_ACQUIRE); }

/* The slot of a node, or the free one where it would be. */
static uint64_t slot_of(const rf_proof *p, rf_proof_key key, uint32_t *content)
{
    const uint64_t hash = hash_of(key), count = __atomic_load_n(&p->slot_count, __ATOMIC_RELAXED);
    const uint32_t tag = tag_of(p, hash), low = ((uint32_t)1 << p->tag_shift) - 1;
    uint64_t at = first_slot(hash, count);
    while ((*content = slot_at(p, at)) != 0) {
        if ((*content & ~low) == tag) {
            const rf_proof_key *there = &p->key[(*content & low) - 1];
            if (there->word[0] == key.word[0] && there->word[1] == key.word[1])
                break;
        }
        at = at + 1 == count ? 0 : at + 1;
    }
    *content &= low;
    return at;
}

uint32_t rf_proof_find(const rf_proof *p, rf_proof_key key)
{
    uint32_t content;
    slot_of(p, key, &content);
    return content == 0 ? NO_NODE : content - 1;
}

static void put_slot(rf_proof *p, uint64_t at, uint32_t content)
{
    __atomic_store_n(&p->slots[at], content, __ATOMIC_RELEASE);
}

/* There is room. */
static uint32_t find_or_add(rf_proof *p, rf_proof_key key)
{
    uint32_t content;
    const uint64_t at = slot_of(p, key, &content);
    if (content != 0)
        return content - 1;
    const uint32_t n = p->nodes++;
    p->key[n] = key;
    p->place[n] = 0;
    put_slot(p, at, tag_of(p, hash_of(key)) | (n + 1));
    return n;
}

/* Makes slots for `more` nodes; false if the memory does not suffice. */
static bool make_slots(rf_proof *p, uint32_t more)
{
    if (slots_for((uint64_t)p->nodes + more) <= p->slot_count)
        return true;
    uint64_t count = 2 * p->slot_count;
    count = count > p->slot_room ? p->slot_room : count;
    if (slots_for((uint64_t)p->nodes + more) > count ||
        used(p) + (count - p->slot_count) * sizeof *p->slots > p->memory)
        return false;
    for (uint64_t at = 0; at < p->slot_count; at++)
        __atomic_store_n(&p->slots[at], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->slot_count, count, __ATOMIC_RELAXED);
    for (uint32_t n = 0; n < p->nodes; n++) {
        if (n + AHEAD < p->nodes)
            __builtin_prefetch(&p->slots[first_slot(hash_of(p->key[n + AHEAD]), count)], 1);
        const uint64_t hash = hash_of(p->key[n]);
        uint64_t at = first_slot(hash, count);
        while (p->slots[at] != 0)
            at = at + 1 == count ? 0 : at + 1;
        put_slot(p, at, tag_of(p, hash) | (n + 1));
    }
    return true;
}

uint32_t rf_proof_add(rf_proof *p, rf_proof_key key)
{
    const uint32_t found = rf_proof_find(p, key);
    if (found != NO_NODE)
        return found;
    return p->nodes < p->node_room && make_slots(p, 1) ? find_or_add(p, key) : NO_NODE;
}

/* ---- successors ---- */

/* Looks for the nodes of some steps. They lie anywhere in memory, so all are fetched before one is read. */
static void look_up(const rf_proof *p, const rf_proof_step *steps, int count, uint32_t *found)
{
    const uint64_t slots = __atomic_load_n(&p->slot_count, __ATOMIC_RELAXED);
    const uint32_t low = ((uint32_t)1 << p->tag_shift) - 1;
    for (int i = 0; i < count; i++)
        __builtin_prefetch(&p->slots[first_slot(hash_of(steps[i].key), slots)]);
    for (int i = 0; i < count; i++) {
        const uint64_t hash = hash_of(steps[i].key);
        const uint32_t content = slot_at(p, first_slot(hash, slots));
        if (content != 0 && (content & ~low) == tag_of(p, hash))
            __builtin_prefetch(&p->key[(content & low) - 1]);
    }
    for (int i = 0; i < count; i++)
        found[i] = rf_proof_find(p, steps[i].key);
}

/* Takes the leaves out of the steps; how many are left. */
static int take_leaves(rf_proof_step *steps, int count, int *best)
{
    int left = 0;
    for (int i = 0; i < count; i++)
        if (!steps[i].leaf)
            steps[left++] = steps[i];
        else if (steps[i].score > *best)
            *best = steps[i].score;
    return left;
}

/* Takes those out that lead to nodes won at once, which are not in the graph: what is there was none. False: the source
 * failed. */
static bool take_won_at_once(const rf_proof_source *source, rf_proof_key key, rf_proof_step *steps, uint32_t *found,
                             successors *all)
{
    int left = 0;
    for (int i = 0; i < all->count; i++) {
        const bool same = (steps[i].key.word[0] & 1) == (key.word[0] & 1);
        int score = 0;
        /* The other player's wins are not what a node that is won is won by. */
        if (found[i] == NO_NODE && (same || all->best <= 0) && !source->at_once(source->self, steps[i].key, &score))
            return false;
        if (score > 0) {
            const int before = rf_proof_score_before(score, same, steps[i].plies);
            all->best = before > all->best ? before : all->best;
            all->cut = true;
        } else {
            steps[left] = steps[i];
            found[left++] = found[i];
        }
    }
    all->count = left;
    return true;
}

bool rf_proof_list(const rf_proof *p, const rf_proof_source *source, rf_proof_key key, rf_proof_step *steps,
                   uint32_t *found, bool whole, successors *out)
{
    const int count = source->follow(source->self, key, steps);
    if (count < 0)
        return false;
    *out = (successors){.best = RF_PROOF_NO_SCORE};
    out->count = take_leaves(steps, count, &out->best);
    look_up(p, steps, out->count, found);
    if (whole)
        return true;
    if (!take_won_at_once(source, key, steps, found, out))
        return false;
    if (out->best > 0) {
        out->cut |= out->count > 0;
        out->count = 0;
    }
    return true;
}

static bool is_room_for(const rf_proof *p, uint32_t steps)
{
    return steps <= p->node_room - p->nodes && steps <= p->edge_room - p->edges && p->expanded < p->expanded_room &&
           used(p) + steps * (uint64_t)(BYTES_A_NODE + BYTES_AN_EDGE) + BYTES_AN_EXPANDED <= p->memory;
}

/* There is room. */
static void put_edges(rf_proof *p, uint32_t place, const successors *all, const rf_proof_step *steps,
                      const uint32_t *found)
{
    p->at[place].first = (uint32_t)p->edges;
    p->at[place].count = (uint16_t)all->count;
    for (int i = 0; i < all->count; i++)
        if (found[i] == NO_NODE)
            __builtin_prefetch(&p->slots[first_slot(hash_of(steps[i].key), p->slot_count)], 1);
    for (int i = 0; i < all->count; i++) {
        const uint32_t to = found[i] != NO_NODE ? found[i] : find_or_add(p, steps[i].key);
        p->edge[p->edges++] = to << PLIES_BITS | steps[i].plies;
    }
}

/* Stores a node's successors. RF_PROOF_SOLVED or RF_PROOF_FULL, and then nothing is done. */
static int store(rf_proof *p, uint32_t n, const successors *all, const rf_proof_step *steps, const uint32_t *found)
{
    if (!is_room_for(p, (uint32_t)all->count) || !make_slots(p, (uint32_t)all->count))
        return RF_PROOF_FULL;
    const unsigned q = p->key[n].word[0] & 1;
    const uint32_t place = p->expanded++;
    p->place[n] = place + 1;
    p->at[place] = (expanded_node){.of = {.numbers = {{1, 1}, {1, 1}}}, .leaf = (int16_t)all->best};
    p->status[q][place] = all->cut ? OR_NODE | CUT : OR_NODE;
    p->status[1 - q][place] = all->cut ? CUT : 0;
    put_edges(p, place, all, steps, found);
    if (all->best > 0)
        rf_proof_prove(p, place, q);
    if (all->best >= 0)
        rf_proof_disprove(p, place, 1 - q);
    if (all->count == 0 && all->best <= 0) {
        rf_proof_disprove(p, place, q);
        if (all->best < 0)
            rf_proof_prove(p, place, 1 - q);
    }
    return RF_PROOF_SOLVED;
}

int rf_proof_expand(rf_proof *p, uint32_t n)
{
    successors all;
    const rf_proof_step *steps = p->steps;
    const uint32_t *found = p->found;
    if (!rf_proof_take(p, n, &all, &steps, &found) &&
        !rf_proof_list(p, &p->source, p->key[n], p->steps, p->found, false, &all))
        return RF_PROOF_UNREAD;
    return store(p, n, &all, steps, found);
}

int rf_proof_expand_whole(rf_proof *p, uint32_t n)
{
    successors all;
    if (!rf_proof_list(p, &p->source, p->key[n], p->steps, p->found, true, &all))
        return RF_PROOF_UNREAD;
    if (p->place[n] == 0)
        return store(p, n, &all, p->steps, p->found);
    if (!is_room_for(p, (uint32_t)all.count) || !make_slots(p, (uint32_t)all.count))
        return RF_PROOF_FULL;
    const uint32_t place = p->place[n] - 1;
    put_edges(p, place, &all, p->steps, p->found);
    p->at[place].leaf = (int16_t)all.best;
    for (unsigned q = 0; q < QUESTIONS; q++)
        p->status[q][place] &= (uint8_t)~CUT;
    return RF_PROOF_SOLVED;
}
