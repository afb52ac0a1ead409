#include "search/proof_graph.h"

#include <stdlib.h>

#include "control.h"

/* Two questions are asked of every node, one for each player: does that player force a win? A node is an OR node of the
 * question of its player to move, and an AND node of the other's. */

enum { QUESTIONS = 2 };
/* Proof and disproof numbers: INFINITE is proven or disproven, ON_PATH marks nodes of the path being searched. */
#define INFINITE (1u << 28)
#define ON_PATH (1u << 31)

/* What is known of a node; the first four are exact. */
enum { PROVEN = 1, DISPROVEN = 4, EXPANDED = 16, REACHED = 32, CUT = 64 };
#define PROVEN_OF(q) (PROVEN << (q))
#define DISPROVEN_OF(q) (DISPROVEN << (q))
#define DECIDED_OF(q) (PROVEN_OF(q) | DISPROVEN_OF(q))

enum {
    PLIES_BITS = 2,
    MOST_PATH = 1 << 16,
    FIRST_SLICE = 2000,
    NODES_BETWEEN_CHECKS = 1 << 15,
    /* Nodes and edges share the memory; there is room in the address space for graphs with as few edges a node, and
     * for this part of the memory in edges. */
    FEWEST_EDGES_A_NODE = 2,
    MOST_PERCENT_EDGES = 75,
};
#define MOST_NODES (1u << (32 - PLIES_BITS))
#define NO_NODE UINT32_MAX

typedef struct {
    uint32_t pn[QUESTIONS], dn[QUESTIONS];
} proof_numbers;

/* What takes the place of the numbers once the root is solved. */
typedef struct {
    uint32_t next, before; /* nodes of the same distance */
    uint32_t distance;     /* 0: none */
    uint32_t settled;
} measured;

_Static_assert(sizeof(measured) == sizeof(proof_numbers), "distances take the place of numbers");

typedef struct {
    uint32_t node, pn, dn; /* thresholds */
} frame;

struct rf_proof {
    rf_proof_source source;
    uint32_t nodes, node_room, expanded, oldest;
    uint64_t edges, edge_room, slice;
    uint64_t bytes_left; /* for nodes and edges to come */
    bool is_measured;
    unsigned winner; /* whose wins are measured */
    /* By node. */
    rf_proof_key *key;
    union {
        proof_numbers *numbers;
        measured *distances;
    } of;
    uint32_t *first;  /* its edges */
    uint16_t *count;
    int16_t *leaf;    /* the best leaf for the player to move */
    uint8_t *status;
    /* Edges: the node, and below it the plies. */
    uint32_t *edge;
    /* Open addressing: some bits of the hash above the node's number; 0 is free, so numbers are one higher. */
    uint32_t *slots;
    uint64_t slot_mask;
    unsigned tag_shift;
    /* For fixpoints: edges turned round, nodes to be dealt with, edges that still count. */
    uint32_t *before_first, *before, *queue;
    uint16_t *left;
    frame *path;
    rf_proof_step *steps;
};

/* What a node and an edge take, but for slots. */
#define BYTES_A_NODE                                                                                                  \
    (sizeof(rf_proof_key) + sizeof(proof_numbers) + 3 * sizeof(uint32_t) + 2 * sizeof(uint16_t) + sizeof(int16_t) + \
     sizeof(uint8_t))
#define BYTES_AN_EDGE (2 * sizeof(uint32_t))

void rf_proof_free(rf_proof *p)
{
    if (p == NULL)
        return;
    free(p->key);
    free(p->of.numbers);
    free(p->first);
    free(p->count);
    free(p->leaf);
    free(p->status);
    free(p->edge);
    free(p->slots);
    free(p->before_first);
    free(p->before);
    free(p->queue);
    free(p->left);
    free(p->path);
    free(p->steps);
    free(p);
}

/* ---- nodes ---- */

static unsigned mover(const rf_proof *p, uint32_t n) { return p->key[n].word[0] & 1; }

/* The slot of a node, or the free one where it would be. */
static uint64_t slot_of(const rf_proof *p, rf_proof_key key, uint32_t *tag)
{
    const uint64_t hash = rf_mix(rf_mix(key.word[0], 0x8ebc6af09c88c6e3u), key.word[1]);
    *tag = (uint32_t)(hash >> 32) >> p->tag_shift << p->tag_shift;
    const uint32_t low = ((uint32_t)1 << p->tag_shift) - 1;
    uint64_t at = hash & p->slot_mask;
    for (; p->slots[at] != 0; at = (at + 1) & p->slot_mask) {
        if ((p->slots[at] & ~low) != *tag)
            continue;
        const rf_proof_key *there = &p->key[(p->slots[at] & low) - 1];
        if (there->word[0] == key.word[0] && there->word[1] == key.word[1])
            break;
    }
    return at;
}

static uint32_t find(const rf_proof *p, rf_proof_key key)
{
    uint32_t tag;
    const uint32_t found = p->slots[slot_of(p, key, &tag)];
    return found == 0 ? NO_NODE : (found & (((uint32_t)1 << p->tag_shift) - 1)) - 1;
}

/* There is room. */
static uint32_t find_or_add(rf_proof *p, rf_proof_key key)
{
    uint32_t tag;
    uint32_t *slot = &p->slots[slot_of(p, key, &tag)];
    if (*slot != 0)
        return (*slot & (((uint32_t)1 << p->tag_shift) - 1)) - 1;
    const uint32_t n = p->nodes++;
    p->bytes_left -= BYTES_A_NODE;
    *slot = tag | (n + 1);
    p->key[n] = key;
    p->of.numbers[n] = (proof_numbers){{1, 1}, {1, 1}};
    p->count[n] = 0;
    p->status[n] = 0;
    p->leaf[n] = RF_PROOF_NO_SCORE;
    return n;
}

rf_proof *rf_proof_new(const rf_proof_source *source, rf_proof_key root, uint64_t memory)
{
    rf_proof *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->source = *source;
    p->slice = FIRST_SLICE;
    const uint64_t fewest = (RF_PROOF_MOST_STEPS + 1) * (uint64_t)(BYTES_A_NODE + 2 * sizeof *p->slots + BYTES_AN_EDGE);
    if (memory < fewest)
        memory = fewest;
    uint64_t room = memory / (BYTES_A_NODE + 2 * sizeof *p->slots + FEWEST_EDGES_A_NODE * BYTES_AN_EDGE);
    room = room < RF_PROOF_MOST_STEPS ? RF_PROOF_MOST_STEPS : room >= MOST_NODES / 2 ? MOST_NODES / 2 - 1 : room;
    uint64_t slots = 2;
    for (p->tag_shift = 1; slots <= room + room / 4; p->tag_shift++)
        slots *= 2;
    p->slot_mask = slots - 1;
    p->node_room = (uint32_t)room;
    p->bytes_left = memory - room * 2 * sizeof *p->slots;
    p->edge_room = p->bytes_left / BYTES_AN_EDGE / 100 * MOST_PERCENT_EDGES;
    if (p->edge_room > UINT32_MAX)
        p->edge_room = UINT32_MAX;
    p->key = malloc(room * sizeof *p->key);
    p->of.numbers = malloc(room * sizeof *p->of.numbers);
    p->first = malloc(room * sizeof *p->first);
    p->count = malloc(room * sizeof *p->count);
    p->leaf = malloc(room * sizeof *p->leaf);
    p->status = malloc(room * sizeof *p->status);
    p->before_first = malloc((room + 1) * sizeof *p->before_first);
    p->queue = malloc(room * sizeof *p->queue);
    p->left = malloc(room * sizeof *p->left);
    p->edge = malloc(p->edge_room * sizeof *p->edge);
    p->before = malloc(p->edge_room * sizeof *p->before);
    p->slots = calloc(slots, sizeof *p->slots);
    p->path = malloc(MOST_PATH * sizeof *p->path);
    p->steps = malloc(RF_PROOF_MOST_STEPS * sizeof *p->steps);
    if (p->key == NULL || p->of.numbers == NULL || p->first == NULL || p->count == NULL || p->leaf == NULL ||
        p->status == NULL || p->before_first == NULL || p->queue == NULL || p->left == NULL || p->edge == NULL ||
        p->before == NULL || p->slots == NULL || p->path == NULL || p->steps == NULL) {
        rf_proof_free(p);
        return NULL;
    }
    find_or_add(p, root);
    return p;
}

static void prove(rf_proof *p, uint32_t n, unsigned q)
{
    p->status[n] |= (uint8_t)PROVEN_OF(q);
    p->of.numbers[n].pn[q] = 0;
    p->of.numbers[n].dn[q] = INFINITE;
}

static void disprove(rf_proof *p, uint32_t n, unsigned q)
{
    p->status[n] |= (uint8_t)DISPROVEN_OF(q);
    p->of.numbers[n].pn[q] = INFINITE;
    p->of.numbers[n].dn[q] = 0;
}

/* Finds the successors of a node. RF_PROOF_SOLVED, RF_PROOF_FULL or RF_PROOF_UNREAD, and then nothing is done. */
static int expand(rf_proof *p, uint32_t n)
{
    const int count = p->source.follow(p->source.self, p->key[n], p->steps);
    if (count < 0)
        return RF_PROOF_UNREAD;
    const unsigned q = mover(p, n);
    int best = RF_PROOF_NO_SCORE, steps = 0;
    for (int i = 0; i < count; i++) {
        const rf_proof_step *step = &p->steps[i];
        if (!step->leaf)
            p->steps[steps++] = *step;
        else if (step->score > best)
            best = step->score;
    }
    if (best > 0) {
        p->status[n] |= steps > 0 ? CUT : 0;
        steps = 0;
    }
    if ((uint32_t)steps > p->node_room - p->nodes || (uint64_t)steps > p->edge_room - p->edges ||
        (uint64_t)steps * (BYTES_A_NODE + BYTES_AN_EDGE) > p->bytes_left)
        return RF_PROOF_FULL;
    p->leaf[n] = (int16_t)best;
    p->first[n] = (uint32_t)p->edges;
    p->count[n] = (uint16_t)steps;
    for (int i = 0; i < steps; i++)
        p->edge[p->edges++] = find_or_add(p, p->steps[i].key) << PLIES_BITS | p->steps[i].plies;
    p->bytes_left -= (uint64_t)steps * BYTES_AN_EDGE;
    p->status[n] |= EXPANDED;
    p->expanded++;
    if (best > 0)
        prove(p, n, q);
    if (best >= 0)
        disprove(p, n, 1 - q);
    if (steps == 0 && best <= 0) {
        disprove(p, n, q);
        if (best < 0)
            prove(p, n, 1 - q);
    }
    return RF_PROOF_SOLVED;
}

/* ---- depth-first proof-number search ---- */

static uint32_t sum_of(uint64_t sum) { return sum < INFINITE ? (uint32_t)sum : INFINITE; }

/* The numbers of an expanded node that is not decided, from its successors. *child is the one to search next, and *next
 * its thresholds, given those of the node. A successor on the path leads round in a circle: for now it is disproven. */
static proof_numbers numbers_of(const rf_proof *p, uint32_t n, unsigned q, const frame *limits, frame *next)
{
    const uint32_t *edge = &p->edge[p->first[n]];
    const unsigned count = p->count[n];
    const bool any = mover(p, n) == q; /* OR: smallest proof number, sum of disproof numbers; AND: the other way round */
    uint32_t least = UINT32_MAX, second = UINT32_MAX, others = 0, chosen = NO_NODE;
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i + 8 < count)
            __builtin_prefetch(&p->of.numbers[edge[i + 8] >> PLIES_BITS]);
        const uint32_t child = edge[i] >> PLIES_BITS;
        uint32_t pn = p->of.numbers[child].pn[q], dn = p->of.numbers[child].dn[q];
        if (pn & ON_PATH) {
            pn = INFINITE;
            dn = 0;
        }
        const uint32_t one = any ? pn : dn, other = any ? dn : pn;
        sum += other;
        if (one < least) {
            second = least;
            least = one;
            others = other;
            chosen = child;
        } else if (one < second) {
            second = one;
        }
    }
    if (!any && p->leaf[n] >= 0)
        least = 0;
    const uint32_t total = least == 0 ? INFINITE : sum_of(sum);
    const uint32_t limit = any ? limits->pn : limits->dn, limit_of_sum = any ? limits->dn : limits->pn;
    uint64_t to = (uint64_t)second + second / 4 + 1;
    if (to > limit)
        to = limit;
    uint64_t to_sum = limit_of_sum >= INFINITE ? INFINITE : (uint64_t)limit_of_sum - (total - (uint64_t)others);
    if (total >= INFINITE)
        to_sum = INFINITE;
    next->node = chosen;
    next->pn = any ? (uint32_t)to : (uint32_t)to_sum;
    next->dn = any ? (uint32_t)to_sum : (uint32_t)to;
    proof_numbers out = {{0, 0}, {0, 0}};
    out.pn[q] = any ? least : total;
    out.dn[q] = any ? total : least;
    return out;
}

/* Visits up to `visits` nodes for the question, or until the root is decided or only disproven for now. */
static int search_slice(rf_proof *p, unsigned q, uint64_t visits, rf_control *control)
{
    int result = RF_PROOF_SOLVED;
    size_t length = 1;
    p->path[0] = (frame){0, INFINITE, INFINITE};
    p->of.numbers[0].pn[q] |= ON_PATH;
    while (length > 0 && visits-- > 0) {
        if (rf_tick(control)) {
            result = RF_PROOF_STOPPED;
            break;
        }
        const frame top = p->path[length - 1];
        const uint32_t n = top.node;
        proof_numbers *at = &p->of.numbers[n];
        if ((p->status[n] & EXPANDED) == 0) {
            result = expand(p, n);
            if (result != RF_PROOF_SOLVED)
                break;
        }
        if ((p->status[n] & DECIDED_OF(q)) == 0) {
            frame next;
            const proof_numbers now = numbers_of(p, n, q, &top, &next);
            at->pn[q] = now.pn[q] | ON_PATH;
            at->dn[q] = now.dn[q];
            if (now.pn[q] == 0)
                prove(p, n, q);
            else if (now.pn[q] < top.pn && now.dn[q] < top.dn && now.dn[q] != 0 && length < MOST_PATH) {
                p->path[length++] = next;
                p->of.numbers[next.node].pn[q] |= ON_PATH;
                continue;
            }
        }
        at->pn[q] &= ~ON_PATH;
        length--;
    }
    while (length > 0)
        p->of.numbers[p->path[--length].node].pn[q] &= ~ON_PATH;
    return result;
}

/* ---- fixpoints ---- */

static bool is_open(const rf_proof *p, uint32_t n)
{
    const unsigned status = p->status[n];
    return (status & EXPANDED) != 0 && ((status & DECIDED_OF(0)) == 0 || (status & DECIDED_OF(1)) == 0);
}

/* Turns the edges round: of all nodes, or of those with an open question. */
static void turn_round(rf_proof *p, bool all)
{
    memset(p->before_first, 0, ((size_t)p->nodes + 1) * sizeof *p->before_first);
    for (uint32_t n = 0; n < p->nodes; n++)
        if (all || is_open(p, n))
            for (uint32_t i = 0; i < p->count[n]; i++)
                p->before_first[p->edge[p->first[n] + i] >> PLIES_BITS]++;
    uint32_t sum = 0;
    for (uint32_t n = 0; n < p->nodes; n++) {
        sum += p->before_first[n];
        p->before_first[n] = sum;
    }
    p->before_first[p->nodes] = sum;
    for (uint32_t n = p->nodes; n-- > 0;)
        if (all || is_open(p, n))
            for (uint32_t i = p->count[n]; i-- > 0;) {
                const uint32_t edge = p->edge[p->first[n] + i];
                p->before[--p->before_first[edge >> PLIES_BITS]] = n << PLIES_BITS | (edge & ((1 << PLIES_BITS) - 1));
            }
}

static bool check(rf_control *control, uint64_t done)
{
    if (done % NODES_BETWEEN_CHECKS == 0)
        rf_control_check(control);
    return control->stopped == RF_DONE;
}

/* Sets `mark` on every node from which the player of the question forces play to a node that has it. False: stopped. */
static bool attract(rf_proof *p, unsigned q, uint8_t mark, rf_control *control)
{
    uint32_t queued = 0;
    for (uint32_t n = 0; n < p->nodes; n++) {
        p->left[n] = p->count[n];
        if (p->status[n] & mark)
            p->queue[queued++] = n;
    }
    for (uint32_t head = 0; head < queued; head++) {
        if (!check(control, head))
            return false;
        const uint32_t n = p->queue[head];
        for (uint32_t i = p->before_first[n]; i < p->before_first[n + 1]; i++) {
            const uint32_t from = p->before[i] >> PLIES_BITS;
            if (p->status[from] & (mark | DECIDED_OF(q)))
                continue;
            if (mover(p, from) == q || --p->left[from] == 0) {
                p->status[from] |= mark;
                p->queue[queued++] = from;
            }
        }
    }
    return true;
}

/* Decides all that the stored graph decides of a question. What is not expanded counts as not won in the first
 * fixpoint, which proves, and as won in the second: what that does not reach is not won, whatever the graph may still
 * become. False: stopped; what was marked holds. */
static bool decide(rf_proof *p, unsigned q, rf_control *control)
{
    const uint8_t proven = (uint8_t)PROVEN_OF(q);
    if (!attract(p, q, proven, control))
        return false;
    for (uint32_t n = 0; n < p->nodes; n++) {
        const bool is_leaf = (p->status[n] & (EXPANDED | DECIDED_OF(q))) == 0;
        if ((p->status[n] & proven) != 0 || is_leaf)
            p->status[n] |= REACHED;
    }
    const bool done = attract(p, q, REACHED, control);
    for (uint32_t n = 0; n < p->nodes; n++) {
        proof_numbers *at = &p->of.numbers[n];
        if (p->status[n] & proven) {
            prove(p, n, q);
        } else if (p->status[n] & REACHED) {
            if (at->dn[q] == 0) /* disproven for a path that is gone */
                at->pn[q] = at->dn[q] = 1;
        } else if (done) {
            disprove(p, n, q);
        }
        p->status[n] &= (uint8_t)~REACHED;
    }
    return done;
}

/* ---- the whole ---- */

static bool is_solved(const rf_proof *p)
{
    const unsigned status = p->status[0];
    return (status & (PROVEN_OF(0) | PROVEN_OF(1))) != 0 ||
           (status & (DISPROVEN_OF(0) | DISPROVEN_OF(1))) == (DISPROVEN_OF(0) | DISPROVEN_OF(1));
}

static bool decide_both(rf_proof *p, rf_control *control)
{
    turn_round(p, false);
    for (unsigned q = 0; q < QUESTIONS; q++)
        if ((p->status[0] & DISPROVEN_OF(q)) == 0 && !decide(p, q, control))
            return false;
    return true;
}

/* Expands the nodes that have waited longest. */
static int expand_oldest(rf_proof *p, uint64_t count, rf_control *control)
{
    for (; p->oldest < p->nodes && count > 0; p->oldest++) {
        if ((p->status[p->oldest] & EXPANDED) != 0)
            continue;
        if (rf_tick(control))
            return RF_PROOF_STOPPED;
        const int result = expand(p, p->oldest);
        if (result != RF_PROOF_SOLVED)
            return result;
        count--;
    }
    return RF_PROOF_SOLVED;
}

int rf_proof_solve(rf_proof *p, rf_control *control)
{
    while (!is_solved(p)) {
        const uint32_t expanded = p->expanded;
        for (unsigned q = 0; q < QUESTIONS; q++) {
            if (is_solved(p) || (p->status[0] & DECIDED_OF(q)) != 0)
                continue;
            const int result = search_slice(p, q, p->slice, control);
            if (result != RF_PROOF_SOLVED && !is_solved(p)) {
                if (result != RF_PROOF_FULL || !decide_both(p, control) || !is_solved(p))
                    return result;
                break;
            }
        }
        if (!decide_both(p, control))
            return is_solved(p) ? RF_PROOF_SOLVED : RF_PROOF_STOPPED;
        if (!is_solved(p) && p->expanded == expanded) {
            /* Searching has come to its end in circles alone. */
            const int result = expand_oldest(p, p->slice / 16, control);
            if (result != RF_PROOF_SOLVED)
                return result;
        }
        p->slice += p->slice / 2;
    }
    return RF_PROOF_SOLVED;
}


int rf_proof_wins(const rf_proof *p, rf_proof_key key, unsigned player)
{
    const uint32_t n = find(p, key);
    const unsigned status = n == NO_NODE ? 0 : p->status[n], q = player - 1;
    return status & PROVEN_OF(q) ? 1 : status & DISPROVEN_OF(q) ? 0 : RF_PROOF_UNKNOWN;
}

uint32_t rf_proof_upper(const rf_proof *p, rf_proof_key key)
{
    const uint32_t n = p->is_measured ? find(p, key) : NO_NODE;
    return n == NO_NODE ? 0 : p->of.distances[n].distance;
}

/* ---- distances ---- */

static void unlink_node(rf_proof *p, uint32_t *heads, uint32_t n)
{
    measured *at = &p->of.distances[n];
    if (at->before != 0)
        p->of.distances[at->before - 1].next = at->next;
    else
        heads[at->distance] = at->next;
    if (at->next != 0)
        p->of.distances[at->next - 1].before = at->before;
}

/* Puts a node among those of a distance, which takes the place of another one. */
static void put(rf_proof *p, uint32_t *heads, uint32_t n, uint32_t distance)
{
    measured *at = &p->of.distances[n];
    if (distance > RF_PROOF_LAST)
        return;
    if (at->distance != 0)
        unlink_node(p, heads, n);
    at->distance = distance;
    at->before = 0;
    at->next = heads[distance];
    if (at->next != 0)
        p->of.distances[at->next - 1].before = n + 1;
    heads[distance] = n + 1;
}

/* The longest that the player to move can hold out. */
static uint32_t longest(const rf_proof *p, uint32_t n)
{
    uint32_t most = p->leaf[n] == RF_PROOF_NO_SCORE ? 0 : (uint32_t)(RF_PROOF_LAST + p->leaf[n]);
    for (uint32_t i = 0; i < p->count[n]; i++) {
        const uint32_t edge = p->edge[p->first[n] + i];
        const uint32_t one = p->of.distances[edge >> PLIES_BITS].distance + (edge & ((1 << PLIES_BITS) - 1));
        if (one > most)
            most = one;
    }
    return most;
}

static void settle(rf_proof *p, uint32_t *heads, uint32_t n, unsigned q)
{
    const uint32_t distance = p->of.distances[n].distance;
    unlink_node(p, heads, n);
    p->of.distances[n].settled = 1;
    for (uint32_t i = p->before_first[n]; i < p->before_first[n + 1]; i++) {
        const uint32_t from = p->before[i] >> PLIES_BITS;
        const measured *at = &p->of.distances[from];
        if ((p->status[from] & PROVEN_OF(q)) == 0 || at->settled)
            continue;
        if (mover(p, from) == q) {
            const uint32_t found = distance + (p->before[i] & ((1 << PLIES_BITS) - 1));
            if (at->distance == 0 || found < at->distance)
                put(p, heads, from, found);
        } else if (--p->left[from] == 0) {
            put(p, heads, from, longest(p, from));
        }
    }
}

bool rf_proof_measure(rf_proof *p, rf_control *control)
{
    const unsigned q = (p->status[0] & PROVEN_OF(1)) != 0;
    if ((p->status[0] & PROVEN_OF(q)) == 0)
        return true;
    uint32_t *heads = calloc(RF_PROOF_LAST + 1, sizeof *heads);
    if (heads == NULL) {
        control->stopped = RF_STOPPED_MEMORY;
        return false;
    }
    turn_round(p, true);
    memset(p->of.distances, 0, p->nodes * sizeof *p->of.distances);
    for (uint32_t n = 0; n < p->nodes; n++) {
        p->left[n] = p->count[n];
        if ((p->status[n] & PROVEN_OF(q)) == 0)
            continue;
        if (mover(p, n) == q && p->leaf[n] > 0)
            put(p, heads, n, (uint32_t)(RF_PROOF_LAST - p->leaf[n]));
        else if (mover(p, n) != q && p->count[n] == 0)
            put(p, heads, n, longest(p, n));
    }
    uint64_t done = 0;
    bool going_on = true;
    for (uint32_t distance = 1; distance <= RF_PROOF_LAST && going_on; distance++)
        while (heads[distance] != 0 && (going_on = check(control, ++done)))
            settle(p, heads, heads[distance] - 1, q);
    free(heads);
    p->is_measured = going_on;
    return going_on;
}
