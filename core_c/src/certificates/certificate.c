/* Visits, writes and checks the positions of a strategy (certificates/certificate.h).
 *
 * Idea: a breadth-first walk over a set of positions; a checker and a writer visit the same positions in the same
 * order. A writer computes ranks afterwards: each is one more than the highest rank of a successor, by a queue over
 * reverse edges; then all are raised as far as the edges allow.
 *
 * Invariants: memory never exceeds the limit of the walk; every position before `processed` has all its successors in
 * the set; a hostile certificate can cause only an error.
 *
 * Example: positions A -> B -> C with a win after C: ranks 3, 2, 1, if `within` is 3 all differences are 0. */
#include "certificates/certificate.h"

#include <stdlib.h>

#include "certificates/numbers.h"
#include "control.h"
#include "common/position_set.h"
#include "game.h"

#define NO_NUMBER RF_NO_NUMBER
enum { FIRST_CAPACITY = 1024 };

typedef struct {
    uint32_t *items;
    uint64_t count, capacity;
} number_list;

struct rf_walk {
    const rf_game *game;
    const void *ctx;
    rf_leaves *leaves; /* or NULL */
    rf_claim claim;
    rf_state root;
    bool ranked, bounded, writing; /* bounded: with a horizon */
    bool begun;                    /* whether the first positions are in the set */
    rf_control *control;           /* of the current call */
    uint64_t most, memory;
    int fault;
    bool no_memory;
    uint32_t root_rank; /* writing */

    rf_set set;        /* in walk order */
    uint64_t processed;
    /* By number. With ranks: the rank, or the highest rank allowed if it is not processed; with a horizon: the plies
     * left; otherwise NULL. */
    uint32_t *ranks;

    rf_ply *plies;
    rf_ply *searched[RF_SEARCHED_PLIES]; /* with a horizon: the plies of the positions that are searched */
    rf_ply reply;                        /* the last ply that such a search found */

    /* Writing only, by number: the index of the chosen ply (NO_NUMBER if the player does not decide), and the
     * successors: those of position i begin at edge_start[i]. */
    number_list chosen, edges;
    uint64_t *edge_start;
    uint32_t *least; /* with ranks: the lowest rank that the leaves after a position allow; 1 without leaves */
};

/* Resizes an array within the memory of the walk. False: nothing changed. */
static bool resize(rf_walk *w, void *array, uint64_t items, size_t size)
{
    void *old, *resized;
    memcpy(&old, array, sizeof old);
    if (items > w->memory / size || (resized = realloc(old, (size_t)items * size)) == NULL) {
        w->no_memory = true;
        return false;
    }
    memcpy(array, &resized, sizeof resized);
    return true;
}

static bool append(rf_walk *w, number_list *list, uint32_t item)
{
    if (list->count == list->capacity) {
        uint64_t capacity = list->capacity == 0 ? FIRST_CAPACITY : list->capacity * 2;
        if (!resize(w, &list->items, capacity, sizeof *list->items))
            return false;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return true;
}

/* Whether each position has a rank or a number of plies left. */
static bool numbered(const rf_walk *w) { return w->ranked || w->bounded; }

/* Makes room for more positions within the memory of the walk. */
static bool grow(rf_walk *w)
{
    uint64_t capacity = rf_set_next_capacity(&w->set);
    uint64_t bytes = rf_set_bytes(&w->set, capacity) + (numbered(w) ? capacity * sizeof *w->ranks : 0);
    if (w->writing)
        bytes += capacity * (sizeof *w->edge_start + sizeof *w->chosen.items + (w->ranked ? sizeof *w->least : 0)) +
                 w->edges.capacity * sizeof *w->edges.items;
    if (bytes > w->memory || !rf_set_grow(&w->set)) {
        w->no_memory = true;
        return false;
    }
    return (!numbered(w) || resize(w, &w->ranks, capacity, sizeof *w->ranks)) &&
           (!w->writing || resize(w, &w->edge_start, capacity + 1, sizeof *w->edge_start)) &&
           (!w->writing || !w->ranked || resize(w, &w->least, capacity, sizeof *w->least));
}

bool rf_walk_has(const rf_walk *walk, const rf_state *s)
{
    int result;
    uint32_t plies;
    if (rf_set_find(&walk->set, s) != NO_NUMBER)
        return true;
    rf_leaves *leaves = walk->leaves;
    return leaves != NULL && leaves->value(leaves, s, walk->claim.player, &result, &plies) == RF_LEAF_KNOWN;
}

/* The number of a position, which is added if it is new; NO_NUMBER after an error. */
static uint32_t number_of(rf_walk *w, const rf_state *s)
{
    if (w->set.count == w->set.capacity && !grow(w))
        return NO_NUMBER;
    uint64_t before = w->set.count;
    uint32_t number = before < w->most ? rf_set_add(&w->set, s) : rf_set_find(&w->set, s);
    if (number == NO_NUMBER)
        w->fault = RF_CERT_TOO_MANY;
    else if (w->ranked && number == before) {
        w->ranks[number] = NO_NUMBER;
        if (w->writing)
            w->least[number] = 1;
    }
    return number;
}

/* The result of a finished game for the player. */
static int result_for(const rf_walk *w, const rf_state *s, int outcome)
{
    if (w->game->margins != NULL) {
        int margin = w->game->margins->score(w->ctx, s);
        return w->claim.player == 1 ? margin : -margin;
    }
    if (outcome == RF_OUTCOME_DRAW)
        return 0;
    return (unsigned)outcome == w->claim.player ? 1 : -1;
}

/* Checks that a leaf of this value may follow a position of this rank. */
static bool follow_leaf(rf_walk *w, int result, uint32_t plies, uint32_t rank)
{
    if (result < w->claim.at_least)
        w->fault = RF_CERT_RESULT;
    else if (!w->ranked)
        return true;
    else if (!w->writing && plies >= rank)
        w->fault = RF_CERT_RANK;
    else if (w->set.count == 0)
        w->root_rank = plies;
    else if (w->writing && w->least[w->processed] <= plies)
        w->least[w->processed] = plies + 1;
    return w->fault == RF_CERT_GOOD;
}

static bool player_decides(const rf_walk *w, const rf_state *s)
{
    return w->game->player(w->ctx, s) == w->claim.player && !rf_at_chance(w->game, w->ctx, s);
}

/* Whether the player holds the result for `left` plies, at most RF_SEARCHED_PLIES, from an unfinished position, by a
 * search of all plies. False if the control stops it. */
static bool holds(rf_walk *w, const rf_state *s, uint32_t left)
{
    if (left == 0)
        return true;
    if (rf_tick(w->control))
        return false;
    rf_ply *plies = w->searched[left - 1];
    size_t count = w->game->generate(w->ctx, s, plies);
    const bool decides = player_decides(w, s);
    if (decides && left == RF_SEARCHED_PLIES)
        for (size_t i = 1; i < count; i++)
            if (plies[i] == w->reply) {
                plies[i] = plies[0];
                plies[0] = w->reply;
                break;
            }
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        memset(&next, 0, sizeof next);
        w->game->apply(w->ctx, s, plies[i], &next);
        const int outcome = w->game->outcome(w->ctx, &next);
        const bool good = outcome == RF_OUTCOME_NONE ? holds(w, &next, left - 1)
                                                     : result_for(w, &next, outcome) >= w->claim.at_least;
        if (good && decides && left == RF_SEARCHED_PLIES)
            w->reply = plies[i];
        if (good == decides)
            return decides;
    }
    return !decides;
}

/* Whether the player, who decides, ends the game with the next ply and does not fall short. */
static bool ends_well(rf_walk *w, const rf_state *s)
{
    const size_t count = w->game->generate(w->ctx, s, w->searched[0]);
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        memset(&next, 0, sizeof next);
        w->game->apply(w->ctx, s, w->searched[0][i], &next);
        const int outcome = w->game->outcome(w->ctx, &next);
        if (outcome != RF_OUTCOME_NONE && result_for(w, &next, outcome) >= w->claim.at_least)
            return true;
    }
    return false;
}

/* Adds an unfinished position with this many plies left to a set with a horizon, or sees that the player holds the
 * result there. */
static bool follow_bounded(rf_walk *w, const rf_state *s, uint32_t left)
{
    if (left <= RF_SEARCHED_PLIES) {
        const bool good = holds(w, s, left);
        if (!good && w->control->stopped == RF_DONE)
            w->fault = RF_CERT_RESULT;
        return good;
    }
    if (rf_set_find(&w->set, s) != NO_NUMBER || (player_decides(w, s) && ends_well(w, s)))
        return true;
    const uint32_t number = number_of(w, s);
    if (number == NO_NUMBER)
        return false;
    w->ranks[number] = left;
    return true;
}

/* Adds or checks a successor of a position of this rank (NO_NUMBER while ranks are unknown), or with this many plies
 * left. */
static bool follow(rf_walk *w, const rf_state *s, uint32_t rank)
{
    int outcome = w->game->outcome(w->ctx, s);
    if (outcome != RF_OUTCOME_NONE) {
        if (result_for(w, s, outcome) >= w->claim.at_least)
            return true;
        w->fault = RF_CERT_RESULT;
        return false;
    }
    if (w->bounded)
        return follow_bounded(w, s, rank - 1);
    if (w->leaves != NULL) {
        int result = 0;
        uint32_t plies = 0;
        const int known = w->leaves->value(w->leaves, s, w->claim.player, &result, &plies);
        if (known == RF_LEAF_UNREAD) {
            w->fault = RF_CERT_UNREAD;
            return false;
        }
        if (known == RF_LEAF_KNOWN)
            return follow_leaf(w, result, plies, rank);
    }
    uint32_t number = number_of(w, s);
    if (number == NO_NUMBER)
        return false;
    if (w->writing)
        return append(w, &w->edges, number);
    if (!w->ranked)
        return true;
    if (number >= w->processed) {
        if (w->ranks[number] > rank - 1)
            w->ranks[number] = rank - 1;
        return true;
    }
    if (w->ranks[number] >= rank)
        w->fault = RF_CERT_RANK;
    return w->fault == RF_CERT_GOOD;
}

rf_walk *rf_walk_new(const rf_game *game, const void *ctx, const rf_state *root, const rf_claim *claim,
                     rf_leaves *leaves, uint64_t most, uint64_t memory, bool writing)
{
    rf_walk *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->game = game;
    rf_set_init(&w->set, game->state_size);
    w->ctx = ctx;
    w->root = *root;
    w->claim = *claim;
    w->ranked = claim->at_least > 0;
    w->bounded = !w->ranked && claim->horizon >= 0;
    w->leaves = w->bounded ? NULL : leaves;
    w->writing = writing;
    w->most = most < NO_NUMBER ? most : NO_NUMBER - 1;
    w->memory = memory;
    bool room = resize(w, &w->plies, game->max_plies, sizeof *w->plies);
    for (size_t i = 0; room && w->bounded && i < RF_SEARCHED_PLIES; i++)
        room = resize(w, &w->searched[i], game->max_plies, sizeof *w->searched[i]);
    if (!room) {
        rf_walk_free(w);
        return NULL;
    }
    return w;
}

void rf_walk_free(rf_walk *walk)
{
    if (walk == NULL)
        return;
    rf_set_free(&walk->set);
    free(walk->ranks);
    free(walk->plies);
    for (size_t i = 0; i < RF_SEARCHED_PLIES; i++)
        free(walk->searched[i]);
    free(walk->chosen.items);
    free(walk->edges.items);
    free(walk->edge_start);
    free(walk->least);
    free(walk);
}

uint64_t rf_walk_positions(const rf_walk *walk) { return walk->set.count; }

uint32_t rf_walk_root_rank(const rf_walk *walk) { return walk->root_rank; }
int rf_walk_fault(const rf_walk *walk) { return walk->fault; }
uint32_t rf_walk_left(const rf_walk *walk) { return walk->ranks[walk->processed]; }

bool rf_walk_complete(const rf_walk *walk)
{
    return walk->begun && walk->fault == RF_CERT_GOOD && walk->processed == walk->set.count;
}

/* Follows ply `number` of w->plies, or all plies if it is NO_NUMBER. */
static bool follow_plies(rf_walk *w, const rf_state *s, uint64_t plies, uint32_t number, uint32_t rank)
{
    uint64_t first = number == NO_NUMBER ? 0 : number, last = number == NO_NUMBER ? plies : (uint64_t)number + 1;
    for (uint64_t i = first; i < last; i++) {
        rf_state next;
        memset(&next, 0, sizeof next);
        w->game->apply(w->ctx, s, w->plies[i], &next);
        if (!follow(w, &next, rank))
            return false;
    }
    return true;
}

/* Writes the legal plies to w->plies, in byte order unless the order does not matter; -1 if memory ran out. */
static int64_t listed_plies(rf_walk *w, const rf_state *s, bool any_order)
{
    if (any_order)
        return (int64_t)w->game->generate(w->ctx, s, w->plies);
    return rf_sorted_plies(w->game, w->ctx, s, w->plies);
}

/* Adds the positions after all first plies but the excluded one. */
static bool follow_others(rf_walk *w)
{
    int64_t plies = rf_sorted_plies(w->game, w->ctx, &w->root, w->plies), excluded = 0;
    if (plies < 0) {
        w->no_memory = true;
        return false;
    }
    while (excluded < plies && w->plies[excluded] != w->claim.excluded)
        excluded++;
    if (excluded == plies) {
        w->fault = RF_CERT_PLY;
        return false;
    }
    if (w->bounded && w->claim.horizon == 0)
        return true;
    if (w->ranked && w->claim.within == 0 && !w->writing) {
        w->fault = RF_CERT_RANK;
        return false;
    }
    uint32_t rank = w->bounded ? (uint32_t)w->claim.horizon : w->writing ? NO_NUMBER : w->claim.within;
    uint64_t at = (uint64_t)excluded;
    for (uint64_t i = 0; i < (uint64_t)plies; i++)
        if (i != at && !follow_plies(w, &w->root, (uint64_t)plies, (uint32_t)i, rank))
            return false;
    return true;
}

/* Adds the first positions, in the first call of a checker or writer. */
static bool begin(rf_walk *w)
{
    if (w->begun)
        return true;
    bool good;
    if (w->claim.excludes)
        good = follow_others(w);
    else if (w->bounded)
        good = follow(w, &w->root, (uint32_t)w->claim.horizon + 1);
    else
        good = follow(w, &w->root, w->writing || w->claim.within == NO_NUMBER ? NO_NUMBER : w->claim.within + 1);
    w->edges.count = 0;
    w->begun = good;
    return good;
}

/* ---- checking ---- */

/* Reads the next number of the certificate; an error if there is none. */
static bool read_number(rf_walk *w, const unsigned char *bytes, size_t length, size_t *at, uint32_t *out)
{
    int fault = rf_read_number(bytes, length, at, out);
    if (fault != RF_CERT_GOOD)
        w->fault = fault;
    return fault == RF_CERT_GOOD;
}

static bool check_position(rf_walk *w, const unsigned char *bytes, size_t length, size_t *at)
{
    rf_state s;
    rf_set_get(&w->set, w->processed, &s);
    uint32_t number = NO_NUMBER, rank = NO_NUMBER;
    if (player_decides(w, &s) && !read_number(w, bytes, length, at, &number))
        return false;
    if (w->ranked) {
        uint32_t below, highest = w->ranks[w->processed];
        if (!read_number(w, bytes, length, at, &below))
            return false;
        if (below >= highest) {
            w->fault = RF_CERT_RANK;
            return false;
        }
        rank = highest - below;
        w->ranks[w->processed] = rank;
    }
    if (w->bounded)
        rank = w->ranks[w->processed];
    w->processed++;
    int64_t plies = listed_plies(w, &s, number == NO_NUMBER && w->bounded && rank <= RF_SEARCHED_PLIES + 1);
    if (plies < 0) {
        w->no_memory = true;
        return false;
    }
    if (number != NO_NUMBER && number >= (uint64_t)plies) {
        w->fault = RF_CERT_PLY;
        return false;
    }
    return follow_plies(w, &s, (uint64_t)plies, number, rank);
}

int64_t rf_walk_feed(rf_walk *walk, const unsigned char *bytes, size_t length, bool last, rf_control *control)
{
    size_t at = 0;
    walk->control = control;
    if (!begin(walk)) {
        if (walk->no_memory)
            control->stopped = RF_STOPPED_MEMORY;
        return -1;
    }
    while (walk->processed < walk->set.count && (last || length - at >= 2 * RF_LONGEST_NUMBER)) {
        if (walk->fault != RF_CERT_GOOD || walk->no_memory || rf_tick(control))
            return -1;
        if (!check_position(walk, bytes, length, &at)) {
            if (walk->no_memory)
                control->stopped = RF_STOPPED_MEMORY;
            return -1;
        }
        control->done = walk->processed;
    }
    if (walk->fault == RF_CERT_GOOD && walk->processed == walk->set.count && at < length)
        walk->fault = RF_CERT_LONG;
    return walk->fault == RF_CERT_GOOD ? (int64_t)at : -1;
}

/* ---- writing ---- */

/* Follows ply `number` of w->plies, or all plies if it is NO_NUMBER, and keeps the edges. */
static bool keep_plies(rf_walk *w, const rf_state *s, uint64_t plies, uint32_t number)
{
    w->edge_start[w->processed] = w->edges.count;
    return append(w, &w->chosen, number) &&
           follow_plies(w, s, plies, number, w->bounded ? w->ranks[w->processed] : NO_NUMBER);
}

int rf_walk_next(rf_walk *walk, rf_state *out, rf_control *control)
{
    walk->control = control;
    bool good = begin(walk);
    while (good && walk->processed < walk->set.count) {
        if (rf_tick(control))
            return -1;
        rf_set_get(&walk->set, walk->processed, out);
        control->done = walk->processed;
        if (player_decides(walk, out))
            return 1;
        int64_t plies = listed_plies(walk, out, walk->bounded && rf_walk_left(walk) <= RF_SEARCHED_PLIES + 1);
        if (plies < 0)
            walk->no_memory = true;
        good = plies >= 0 && keep_plies(walk, out, (uint64_t)plies, NO_NUMBER);
        if (good)
            control->done = ++walk->processed;
    }
    if (walk->no_memory)
        control->stopped = RF_STOPPED_MEMORY;
    return good ? 0 : -1;
}

bool rf_walk_choose(rf_walk *walk, rf_ply ply, rf_control *control)
{
    rf_state s;
    walk->control = control;
    rf_set_get(&walk->set, walk->processed, &s);
    int64_t plies = rf_sorted_plies(walk->game, walk->ctx, &s, walk->plies);
    for (int64_t i = 0; i < plies; i++) {
        if (walk->plies[i] != ply)
            continue;
        if (!keep_plies(walk, &s, (uint64_t)plies, (uint32_t)i))
            return false;
        walk->processed++;
        return true;
    }
    return false;
}

/* Ranks positions, those first whose successors all have ranks. Returns how many. */
static uint64_t order_by_rank(rf_walk *w, const uint64_t *start, const uint32_t *from, uint32_t *open, uint32_t *queue)
{
    uint64_t queued = 0;
    for (uint64_t i = 0; i < w->set.count; i++) {
        open[i] = (uint32_t)(w->edge_start[i + 1] - w->edge_start[i]);
        w->ranks[i] = w->least[i];
        if (open[i] == 0)
            queue[queued++] = (uint32_t)i;
    }
    for (uint64_t q = 0; q < queued; q++) {
        uint32_t child = queue[q];
        for (uint64_t e = start[child]; e < start[child + 1]; e++) {
            uint32_t parent = from[e];
            if (w->ranks[parent] < w->ranks[child] + 1)
                w->ranks[parent] = w->ranks[child] + 1;
            if (--open[parent] == 0)
                queue[queued++] = parent;
        }
    }
    return queued;
}

/* The highest rank; the root has it, unless the root is not in the set. */
static uint32_t top_rank(const rf_walk *w)
{
    uint32_t top = 0;
    for (uint64_t i = 0; i < w->set.count; i++)
        if (w->ranks[i] > top)
            top = w->ranks[i];
    return top;
}

/* Given ranks that are the longest paths to the end: raises all as far as the highest rank and the edges allow. */
static void raise_ranks(rf_walk *w, const uint32_t *queue, uint32_t top)
{
    for (uint64_t i = 0; i < w->set.count; i++)
        w->ranks[i] = top;
    for (uint64_t q = w->set.count; q-- > 0;) {
        uint32_t parent = queue[q];
        for (uint64_t e = w->edge_start[parent]; e < w->edge_start[parent + 1]; e++) {
            uint32_t child = w->edges.items[e];
            if (w->ranks[child] >= w->ranks[parent])
                w->ranks[child] = w->ranks[parent] - 1;
        }
    }
}

/* Replaces each rank by the difference to the highest rank that a checker allows. */
static void set_differences(rf_walk *w, uint32_t *allowed, uint32_t top)
{
    for (uint64_t i = 0; i < w->set.count; i++)
        allowed[i] = top;
    for (uint64_t i = 0; i < w->set.count; i++)
        for (uint64_t e = w->edge_start[i]; e < w->edge_start[i + 1]; e++) {
            uint32_t child = w->edges.items[e];
            if (child > i && allowed[child] >= w->ranks[i])
                allowed[child] = w->ranks[i] - 1;
        }
    for (uint64_t i = 0; i < w->set.count; i++)
        w->ranks[i] = allowed[i] - w->ranks[i];
}

int64_t rf_walk_rank(rf_walk *w)
{
    if (w->ranked && w->claim.excludes && w->set.count == 0)
        w->root_rank = 1;
    if (!w->ranked || w->set.count == 0)
        return 0;
    w->edge_start[w->set.count] = w->edges.count;
    uint64_t *start = calloc((size_t)w->set.count + 2, sizeof *start);
    uint32_t *from = malloc((size_t)(w->edges.count + 1) * sizeof *from);
    uint32_t *open = calloc((size_t)w->set.count, sizeof *open);
    uint32_t *queue = malloc((size_t)w->set.count * sizeof *queue);
    int64_t unranked = -1;
    /* 1. Predecessors of each position, by counting sort. */
    if (start != NULL && from != NULL && open != NULL && queue != NULL) {
        for (uint64_t e = 0; e < w->edges.count; e++)
            start[w->edges.items[e] + 2]++;
        for (uint64_t i = 2; i < w->set.count + 2; i++)
            start[i] += start[i - 1];
        for (uint64_t i = 0; i < w->set.count; i++)
            for (uint64_t e = w->edge_start[i]; e < w->edge_start[i + 1]; e++)
                from[start[w->edges.items[e] + 1]++] = (uint32_t)i;
        /* 2. The lowest ranks, then the highest that the edges allow, then their differences. */
        unranked = (int64_t)(w->set.count - order_by_rank(w, start, from, open, queue));
        if (unranked == 0) {
            const uint32_t top = top_rank(w);
            raise_ranks(w, queue, top);
            w->root_rank = w->claim.excludes ? top + 1 : top;
            set_differences(w, open, top);
        }
    }
    free(start), free(from), free(open), free(queue);
    return unranked;
}

size_t rf_walk_write(const rf_walk *walk, uint64_t *index, unsigned char *out, size_t capacity)
{
    unsigned char *end = out;
    for (; *index < walk->processed && capacity - (size_t)(end - out) >= 2 * RF_LONGEST_NUMBER; ++*index) {
        if (walk->chosen.items[*index] != NO_NUMBER)
            end = rf_write_number(end, walk->chosen.items[*index]);
        if (walk->ranked)
            end = rf_write_number(end, walk->ranks[*index]);
    }
    return (size_t)(end - out);
}
