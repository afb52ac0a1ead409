/* Helpers of a search over a stored graph.
 *
 * One thread, the main one, takes every step as it would alone, so that helpers change neither an answer nor the graph.
 * What takes its time is to list what follows a node: plies, tables, and to find the nodes that are there already. When it
 * expands a node it will nearly always expand the node's siblings next, so helpers list what follows those in advance,
 * each into a place of its own. A place passes from thread to thread by its state alone. Of nodes that were added
 * meanwhile a helper may miss some; the main thread looks again for those that it has not found. */
#include <stdlib.h>

#include "common/idle.h"
#include "common/pages.h"
#include "control.h"
#include "search/proof_store.h"

enum {
    PLACES = 256,
    MOST_LISTED = 192, /* steps; of a node with more nothing is listed in advance */
    RING = 1024,
    SIBLINGS_A_THREAD = 4,
    MOST_SIBLINGS = 64,
    EDGES_TO_TELL = 1 << 14, /* few pages */
    LINE = 64,               /* bytes */
    SPINS_FOR_A_LIST = 1000,
    SPINS_BEFORE_SLEEP = 2000,
    FEWEST_BYTES_TO_FETCH = 1 << 27, /* of a graph: below, pages ahead would be a good part of it */
};

/* Of a place: FREE and READY are the main thread's; WANTED is whose takes it first, and TAKEN whose took it. */
enum { FREE = 0, WANTED = 1, TAKEN = 2, READY = 3 };
/* Of the second part of something, which a helper may do. */
enum { NONE = 0, OFFERED = 1, AT_WORK = 2, DONE = 3, GIVEN_UP = 4 };

typedef struct {
    uint32_t state, node;
    uint32_t asked; /* when: the head of the ring then */
    rf_proof_key key;
    successors all;
    bool listed;
    rf_proof_step steps[MOST_LISTED];
    uint32_t found[MOST_LISTED];
} list_place;

/* An array that grows. Pages are zeroed when they are first written to; helpers see to that before the main thread comes
 * to them. */
typedef struct {
    char *at;
    size_t item, room, fetched; /* bytes */
    uint32_t used;              /* items */
} growing_array;

enum { NODES, PLACES_OF_NODES, EDGES, EXPANDED, ARRAYS, FETCHED_AT_ONCE = 1 << 21, AHEAD = 1 << 21 };

/* What one thread writes often lies on cache lines that no other thread needs for something else. */
struct rf_proof_team {
    list_place *places;
    unsigned siblings;
    const rf_proof *served; /* what the places are of */
    int closed, offer, cancel;
    rf_proof_part part; /* which is offered */
    char apart_1[LINE];
    growing_array arrays[ARRAYS];
    char apart_2[LINE];
    uint32_t head;
    char apart_3[LINE];
    uint32_t tail;
    char apart_4[LINE];
    uint32_t ring[RING]; /* places that are wanted */
    char apart_5[LINE];
    /* The main thread's. */
    uint32_t parent; /* of the nodes wanted since the tail was last moved up */
    uint64_t told;   /* edges when helpers were last told how much of the arrays is used */
};

rf_proof_team *rf_proof_team_new(int helpers)
{
    rf_proof_team *team = calloc(1, sizeof *team);
    if (team == NULL)
        return NULL;
    team->places = calloc(PLACES, sizeof *team->places);
    const unsigned siblings = ((unsigned)helpers + 1) * SIBLINGS_A_THREAD;
    team->siblings = siblings > MOST_SIBLINGS ? MOST_SIBLINGS : siblings;
    if (team->places == NULL) {
        free(team);
        return NULL;
    }
    return team;
}

void rf_proof_team_free(rf_proof_team *team)
{
    if (team != NULL)
        free(team->places);
    free(team);
}

static growing_array array_of(void *at, size_t item, uint64_t room, uint64_t used)
{
    return (growing_array){at, item, item * (size_t)room, item * (size_t)used, (uint32_t)used};
}

/* Before there are helpers. */
static void serve(rf_proof_team *team, const rf_proof *p)
{
    team->served = p;
    for (unsigned i = 0; i < PLACES; i++)
        team->places[i].state = FREE;
    team->arrays[NODES] = array_of(p->key, sizeof *p->key, p->node_room, p->nodes);
    team->arrays[PLACES_OF_NODES] = array_of(p->place, sizeof *p->place, p->node_room, p->nodes);
    team->arrays[EDGES] = array_of(p->edge, sizeof *p->edge, p->edge_room, p->edges);
    team->arrays[EXPANDED] = array_of(p->at, sizeof *p->at, p->expanded_room, p->expanded);
    if (p->memory < FEWEST_BYTES_TO_FETCH)
        memset(team->arrays, 0, sizeof team->arrays);
}

void rf_proof_engage(rf_proof *p, rf_proof_team *team)
{
    if (p->team != team || team->served != p)
        serve(team, p);
    __atomic_store_n(&team->closed, 0, __ATOMIC_SEQ_CST);
    p->team = team;
}

void rf_proof_dismiss(rf_proof *p) { __atomic_store_n(&p->team->closed, 1, __ATOMIC_SEQ_CST); }

static bool pass(uint32_t *state, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* ---- lists ---- */

/* The next place that is wanted, now this thread's; NULL if there is none. */
static list_place *next_wanted(rf_proof_team *team)
{
    uint32_t tail = __atomic_load_n(&team->tail, __ATOMIC_ACQUIRE);
    for (;;) {
        const uint32_t head = __atomic_load_n(&team->head, __ATOMIC_ACQUIRE);
        if (tail == head)
            return NULL;
        const uint32_t from = head - tail > RING ? head - RING : tail;
        if (!__atomic_compare_exchange_n(&team->tail, &tail, from + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        tail = from + 1;
        list_place *at = &team->places[__atomic_load_n(&team->ring[from % RING], __ATOMIC_RELAXED)];
        if (pass(&at->state, WANTED, TAKEN))
            return at;
    }
}

static void list(const rf_proof *p, const rf_proof_source *source, rf_proof_step *steps, uint32_t *found, list_place *at)
{
    at->listed = rf_proof_list(p, source, at->key, steps, found, false, &at->all) && at->all.count <= MOST_LISTED;
    if (at->listed) {
        memcpy(at->steps, steps, (size_t)at->all.count * sizeof *steps);
        memcpy(at->found, found, (size_t)at->all.count * sizeof *found);
    }
    __atomic_store_n(&at->state, READY, __ATOMIC_RELEASE);
}

/* ---- pages ---- */

static void fetch_pages(rf_proof_team *team)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        growing_array *array = &team->arrays[i];
        const size_t used = array->item * __atomic_load_n(&array->used, __ATOMIC_RELAXED);
        size_t fetched = __atomic_load_n(&array->fetched, __ATOMIC_RELAXED);
        if (used + AHEAD < fetched || array->room - fetched < FETCHED_AT_ONCE ||
            !__atomic_compare_exchange_n(&array->fetched, &fetched, fetched + FETCHED_AT_ONCE, false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        rf_fetch_pages(array->at + fetched, FETCHED_AT_ONCE);
    }
}

static void tell_used(rf_proof *p)
{
    const uint64_t used[ARRAYS] = {p->nodes, p->nodes, p->edges, p->expanded};
    for (unsigned i = 0; i < ARRAYS; i++)
        __atomic_store_n(&p->team->arrays[i].used, (uint32_t)used[i], __ATOMIC_RELAXED);
    p->team->told = p->edges;
}

/* ---- the main thread ---- */

/* Makes the place want this node. True if it must be put into the ring now; false if the place is taken, or the node still
 * waits there, is being listed or has been. */
static bool want(const rf_proof *p, uint32_t n, list_place *at)
{
    const uint32_t state = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);
    /* Again if it was passed over since; a second entry of the ring finds nothing. */
    if (state == WANTED && at->node == n)
        return (int32_t)(at->asked - __atomic_load_n(&p->team->tail, __ATOMIC_RELAXED)) < 0;
    if ((state != FREE && at->node == n) || state == TAKEN || (state == WANTED && !pass(&at->state, WANTED, FREE)))
        return false;
    at->node = n;
    at->key = p->key[n];
    __atomic_store_n(&at->state, WANTED, __ATOMIC_RELEASE);
    return true;
}

static void ask_for(rf_proof *p, uint32_t n)
{
    rf_proof_team *team = p->team;
    list_place *at = &team->places[n % PLACES];
    if (!want(p, n, at))
        return;
    const uint32_t head = team->head;
    at->asked = head;
    __atomic_store_n(&team->ring[head % RING], n % PLACES, __ATOMIC_RELAXED);
    __atomic_store_n(&team->head, head + 1, __ATOMIC_RELEASE);
}

void rf_proof_foresee(rf_proof *p, uint32_t parent, uint32_t edge)
{
    if (p->team == NULL)
        return;
    if (p->edges - p->team->told >= EDGES_TO_TELL)
        tell_used(p);
    /* Lists wanted for another node's successors are less urgent, and may not be needed at all. */
    if (parent != p->team->parent)
        __atomic_store_n(&p->team->tail, p->team->head, __ATOMIC_RELEASE);
    p->team->parent = parent;
    const expanded_node *at = &p->at[p->place[parent] - 1];
    unsigned asked = 0;
    for (uint32_t i = edge + 1; i < at->count && asked < p->team->siblings; i++) {
        const uint32_t n = p->edge[at->first + i] >> PLIES_BITS;
        if (p->place[n] != 0)
            continue;
        ask_for(p, n);
        asked++;
    }
}

bool rf_proof_take(rf_proof *p, uint32_t n, successors *all, const rf_proof_step **steps, const uint32_t **found)
{
    if (p->team == NULL)
        return false;
    list_place *at = &p->team->places[n % PLACES];
    uint32_t state = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);
    if (state == FREE || at->node != n || (state == WANTED && pass(&at->state, WANTED, FREE)))
        return false;
    for (unsigned spins = 0; state != READY; spins++) {
        list_place *other = next_wanted(p->team);
        if (other != NULL)
            list(p, &p->source, p->steps, p->found, other);
        else if (spins >= SPINS_FOR_A_LIST)
            return false;
        else
            rf_spin();
        state = __atomic_load_n(&at->state, __ATOMIC_ACQUIRE);
    }
    if (!at->listed)
        return false;
    *all = at->all;
    *steps = at->steps;
    *found = at->found;
    return true;
}

/* Waits for the helper that has taken the second part. */
static bool finish_part(rf_proof_team *team, rf_control *control)
{
    int state;
    while ((state = __atomic_load_n(&team->offer, __ATOMIC_SEQ_CST)) == AT_WORK) {
        rf_control_check(control);
        if (control->stopped != RF_DONE)
            __atomic_store_n(&team->cancel, 1, __ATOMIC_SEQ_CST);
        rf_sleep_briefly();
    }
    __atomic_store_n(&team->offer, NONE, __ATOMIC_SEQ_CST);
    return state == DONE;
}

bool rf_proof_do_parts(rf_proof *p, unsigned parts, rf_proof_part part, rf_control *control)
{
    rf_proof_team *team = p->team;
    if (parts < 2 || team == NULL)
        return part(p, 0, control) && (parts < 2 || part(p, 1, control));
    team->part = part;
    __atomic_store_n(&team->cancel, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&team->offer, OFFERED, __ATOMIC_SEQ_CST);
    const bool done = part(p, 0, control);
    int offered = OFFERED;
    if (__atomic_compare_exchange_n(&team->offer, &offered, NONE, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return done && part(p, 1, control);
    return finish_part(team, control) && done;
}

/* ---- helpers ---- */

/* Does the part that is offered, if one is. */
static bool take_part(rf_proof *p)
{
    rf_proof_team *team = p->team;
    int offered = OFFERED;
    if (__atomic_load_n(&team->offer, __ATOMIC_ACQUIRE) != OFFERED ||
        !__atomic_compare_exchange_n(&team->offer, &offered, AT_WORK, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return false;
    rf_control control = {.cancel = &team->cancel};
    rf_control_start(&control);
    const bool done = team->part(p, 1, &control);
    __atomic_store_n(&team->offer, done ? DONE : GIVEN_UP, __ATOMIC_SEQ_CST);
    return true;
}

void rf_proof_help(rf_proof *p, const rf_proof_source *source)
{
    rf_proof_team *team = p->team;
    rf_proof_step *steps = malloc(RF_PROOF_MOST_STEPS * sizeof *steps);
    uint32_t *found = malloc(RF_PROOF_MOST_STEPS * sizeof *found);
    unsigned idle = 0;
    while (steps != NULL && found != NULL && __atomic_load_n(&team->closed, __ATOMIC_ACQUIRE) == 0) {
        list_place *at;
        fetch_pages(team);
        if (take_part(p)) {
            idle = 0;
        } else if ((at = next_wanted(team)) != NULL) {
            list(p, source, steps, found, at);
            idle = 0;
        } else if (idle++ < SPINS_BEFORE_SLEEP) {
            rf_spin();
        } else {
            rf_sleep_briefly();
        }
    }
    free(steps);
    free(found);
}
