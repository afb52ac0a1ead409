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

#include "control.h"
#include "common/position_set.h"
#include "game.h"

#define NO_NUMBER RF_NO_NUMBER
enum { FIRST_CAPACITY = 1024 };

typedef struct {
    uint32_t *items;
    uint64_t count, capacity;
} number_list;

struct rf_certificate {
    const rf_game *game;
    const void *ctx;
    rf_leaves *leaves; /* or NULL */
    rf_claim claim;
    rf_state root;
    bool ranked, bounded, writing; /* bounded: with a horizon */
    bool begun;                    /* whether the first positions are in the set */
    rf_control *control;           /* of the current call */
    uint64_t max_positions, memory;
    int error;
    bool no_memory;
    uint32_t root_rank; /* writing */

    rf_position_set set;        /* in walk order */
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
    uint32_t *min_ranks; /* with ranks: the lowest rank that the leaves after a position allow; 1 without leaves */
};

/* Resizes an array within the memory of the walk. False: nothing changed. */
static bool resize(rf_certificate *c, void *array, uint64_t items, size_t size)
{
    void *old, *resized;
    memcpy(&old, array, sizeof old);
    if (items > c->memory / size || (resized = realloc(old, (size_t)items * size)) == NULL) {
        c->no_memory = true;
        return false;
    }
    memcpy(array, &resized, sizeof resized);
    return true;
}

static bool append(rf_certificate *c, number_list *list, uint32_t item)
{
    if (list->count == list->capacity) {
        uint64_t capacity = list->capacity == 0 ? FIRST_CAPACITY : list->capacity * 2;
        if (!resize(c, &list->items, capacity, sizeof *list->items))
            return false;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return true;
}

/* Whether each position has a rank or a number of plies left. */
static bool numbered(const rf_certificate *c) { return c->ranked || c->bounded; }

/* Makes room for more positions within the memory of the walk. */
static bool grow(rf_certificate *c)
{
    uint64_t capacity = rf_position_set_next_capacity(&c->set);
    uint64_t bytes = rf_position_set_bytes(&c->set, capacity) + (numbered(c) ? capacity * sizeof *c->ranks : 0);
    if (c->writing)
        bytes += capacity * (sizeof *c->edge_start + sizeof *c->chosen.items + (c->ranked ? sizeof *c->min_ranks : 0)) +
                 c->edges.capacity * sizeof *c->edges.items;
    if (bytes > c->memory || !rf_position_set_grow(&c->set)) {
        c->no_memory = true;
        return false;
    }
    return (!numbered(c) || resize(c, &c->ranks, capacity, sizeof *c->ranks)) &&
           (!c->writing || resize(c, &c->edge_start, capacity + 1, sizeof *c->edge_start)) &&
           (!c->writing || !c->ranked || resize(c, &c->min_ranks, capacity, sizeof *c->min_ranks));
}

bool rf_certificate_contains(const rf_certificate *c, const rf_state *s)
{
    int result;
    uint32_t plies;
    if (rf_position_set_find(&c->set, s) != NO_NUMBER)
        return true;
    rf_leaves *leaves = c->leaves;
    return leaves != NULL && leaves->value(leaves, s, c->claim.player, &result, &plies) == RF_LEAF_KNOWN;
}

/* The number of a position, which is added if it is new; NO_NUMBER after an error. */
static uint32_t number_of(rf_certificate *c, const rf_state *s)
{
    if (c->set.count == c->set.capacity && !grow(c))
        return NO_NUMBER;
    uint64_t before = c->set.count;
    uint32_t number = before < c->max_positions ? rf_position_set_add(&c->set, s) : rf_position_set_find(&c->set, s);
    if (number == NO_NUMBER)
        c->error = RF_CERT_TOO_MANY;
    else if (c->ranked && number == before) {
        c->ranks[number] = NO_NUMBER;
        if (c->writing)
            c->min_ranks[number] = 1;
    }
    return number;
}

/* The result of a finished game for the player. */
static int result_for(const rf_certificate *c, const rf_state *s, int outcome)
{
    if (c->game->margins != NULL) {
        int margin = c->game->margins->score(c->ctx, s);
        return c->claim.player == 1 ? margin : -margin;
    }
    if (outcome == RF_OUTCOME_DRAW)
        return 0;
    return (unsigned)outcome == c->claim.player ? 1 : -1;
}

/* Checks that a leaf of this value may follow a position of this rank. */
static bool follow_leaf(rf_certificate *c, int result, uint32_t plies, uint32_t rank)
{
    if (result < c->claim.at_least)
        c->error = RF_CERT_RESULT;
    else if (!c->ranked)
        return true;
    else if (!c->writing && plies >= rank)
        c->error = RF_CERT_RANK;
    else if (c->set.count == 0)
        c->root_rank = plies;
    else if (c->writing && c->min_ranks[c->processed] <= plies)
        c->min_ranks[c->processed] = plies + 1;
    return c->error == RF_CERT_GOOD;
}

static bool player_decides(const rf_certificate *c, const rf_state *s)
{
    return c->game->player(c->ctx, s) == c->claim.player && !rf_at_chance(c->game, c->ctx, s);
}

/* Whether the player holds the result for `left` plies, at most RF_SEARCHED_PLIES, from an unfinished position, by a
 * search of all plies. False if the control stops it. */
static bool holds(rf_certificate *c, const rf_state *s, uint32_t left)
{
    if (left == 0)
        return true;
    if (rf_tick(c->control))
        return false;
    rf_ply *plies = c->searched[left - 1];
    size_t count = c->game->generate(c->ctx, s, plies);
    const bool decides = player_decides(c, s);
    if (decides && left == RF_SEARCHED_PLIES)
        for (size_t i = 1; i < count; i++)
            if (plies[i] == c->reply) {
                plies[i] = plies[0];
                plies[0] = c->reply;
                break;
            }
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        memset(&next, 0, sizeof next);
        c->game->apply(c->ctx, s, plies[i], &next);
        const int outcome = c->game->outcome(c->ctx, &next);
        const bool good = outcome == RF_OUTCOME_NONE ? holds(c, &next, left - 1)
                                                     : result_for(c, &next, outcome) >= c->claim.at_least;
        if (good && decides && left == RF_SEARCHED_PLIES)
            c->reply = plies[i];
        if (good == decides)
            return decides;
    }
    return !decides;
}

/* Whether the player, who decides, ends the game with the next ply and does not fall short. */
static bool can_end_now(rf_certificate *c, const rf_state *s)
{
    const size_t count = c->game->generate(c->ctx, s, c->searched[0]);
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        memset(&next, 0, sizeof next);
        c->game->apply(c->ctx, s, c->searched[0][i], &next);
        const int outcome = c->game->outcome(c->ctx, &next);
        if (outcome != RF_OUTCOME_NONE && result_for(c, &next, outcome) >= c->claim.at_least)
            return true;
    }
    return false;
}

/* Adds an unfinished position with this many plies left to a set with a horizon, or sees that the player holds the
 * result there. */
static bool follow_bounded(rf_certificate *c, const rf_state *s, uint32_t left)
{
    if (left <= RF_SEARCHED_PLIES) {
        const bool good = holds(c, s, left);
        if (!good && c->control->stopped == RF_DONE)
            c->error = RF_CERT_RESULT;
        return good;
    }
    if (rf_position_set_find(&c->set, s) != NO_NUMBER || (player_decides(c, s) && can_end_now(c, s)))
        return true;
    const uint32_t number = number_of(c, s);
    if (number == NO_NUMBER)
        return false;
    c->ranks[number] = left;
    return true;
}

/* Adds or checks a successor of a position of this rank (NO_NUMBER while ranks are unknown), or with this many plies
 * left. */
static bool follow(rf_certificate *c, const rf_state *s, uint32_t rank)
{
    int outcome = c->game->outcome(c->ctx, s);
    if (outcome != RF_OUTCOME_NONE) {
        if (result_for(c, s, outcome) >= c->claim.at_least)
            return true;
        c->error = RF_CERT_RESULT;
        return false;
    }
    if (c->bounded)
        return follow_bounded(c, s, rank - 1);
    if (c->leaves != NULL) {
        int result = 0;
        uint32_t plies = 0;
        const int known = c->leaves->value(c->leaves, s, c->claim.player, &result, &plies);
        if (known == RF_LEAF_UNREAD) {
            c->error = RF_CERT_UNREAD;
            return false;
        }
        if (known == RF_LEAF_KNOWN)
            return follow_leaf(c, result, plies, rank);
    }
    uint32_t number = number_of(c, s);
    if (number == NO_NUMBER)
        return false;
    if (c->writing)
        return append(c, &c->edges, number);
    if (!c->ranked)
        return true;
    if (number >= c->processed) {
        if (c->ranks[number] > rank - 1)
            c->ranks[number] = rank - 1;
        return true;
    }
    if (c->ranks[number] >= rank)
        c->error = RF_CERT_RANK;
    return c->error == RF_CERT_GOOD;
}

rf_certificate *rf_certificate_new(const rf_game *game, const void *ctx, const rf_state *root, const rf_claim *claim,
                                   rf_leaves *leaves, uint64_t max_positions, uint64_t memory, bool writing)
{
    rf_certificate *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->game = game;
    rf_position_set_init(&c->set, game->state_size);
    c->ctx = ctx;
    c->root = *root;
    c->claim = *claim;
    c->ranked = claim->at_least > 0;
    c->bounded = !c->ranked && claim->horizon >= 0;
    c->leaves = c->bounded ? NULL : leaves;
    c->writing = writing;
    c->max_positions = max_positions < NO_NUMBER ? max_positions : NO_NUMBER - 1;
    c->memory = memory;
    bool allocated = resize(c, &c->plies, game->max_plies, sizeof *c->plies);
    for (size_t i = 0; allocated && c->bounded && i < RF_SEARCHED_PLIES; i++)
        allocated = resize(c, &c->searched[i], game->max_plies, sizeof *c->searched[i]);
    if (!allocated) {
        rf_certificate_free(c);
        return NULL;
    }
    return c;
}

void rf_certificate_free(rf_certificate *c)
{
    if (c == NULL)
        return;
    rf_position_set_free(&c->set);
    free(c->ranks);
    free(c->plies);
    for (size_t i = 0; i < RF_SEARCHED_PLIES; i++)
        free(c->searched[i]);
    free(c->chosen.items);
    free(c->edges.items);
    free(c->edge_start);
    free(c->min_ranks);
    free(c);
}

uint64_t rf_certificate_positions(const rf_certificate *c) { return c->set.count; }

uint32_t rf_certificate_root_rank(const rf_certificate *c) { return c->root_rank; }
int rf_certificate_error(const rf_certificate *c) { return c->error; }
uint32_t rf_certificate_plies_left(const rf_certificate *c) { return c->ranks[c->processed]; }

bool rf_certificate_is_complete(const rf_certificate *c)
{
    return c->begun && c->error == RF_CERT_GOOD && c->processed == c->set.count;
}

/* Follows ply `number` of c->plies, or all plies if it is NO_NUMBER. */
static bool follow_plies(rf_certificate *c, const rf_state *s, uint64_t plies, uint32_t number, uint32_t rank)
{
    uint64_t first = number == NO_NUMBER ? 0 : number, last = number == NO_NUMBER ? plies : (uint64_t)number + 1;
    for (uint64_t i = first; i < last; i++) {
        rf_state next;
        memset(&next, 0, sizeof next);
        c->game->apply(c->ctx, s, c->plies[i], &next);
        if (!follow(c, &next, rank))
            return false;
    }
    return true;
}

/* Writes the legal plies to c->plies, in byte order unless the order does not matter; -1 if memory ran out. */
static int64_t listed_plies(rf_certificate *c, const rf_state *s, bool any_order)
{
    if (any_order)
        return (int64_t)c->game->generate(c->ctx, s, c->plies);
    return rf_sorted_plies(c->game, c->ctx, s, c->plies);
}

/* Adds the positions after all first plies but the excluded one. */
static bool follow_others(rf_certificate *c)
{
    int64_t plies = rf_sorted_plies(c->game, c->ctx, &c->root, c->plies), excluded = 0;
    if (plies < 0) {
        c->no_memory = true;
        return false;
    }
    while (excluded < plies && c->plies[excluded] != c->claim.excluded)
        excluded++;
    if (excluded == plies) {
        c->error = RF_CERT_PLY;
        return false;
    }
    if (c->bounded && c->claim.horizon == 0)
        return true;
    if (c->ranked && c->claim.within == 0 && !c->writing) {
        c->error = RF_CERT_RANK;
        return false;
    }
    uint32_t rank = c->bounded ? (uint32_t)c->claim.horizon : c->writing ? NO_NUMBER : c->claim.within;
    uint64_t at = (uint64_t)excluded;
    for (uint64_t i = 0; i < (uint64_t)plies; i++)
        if (i != at && !follow_plies(c, &c->root, (uint64_t)plies, (uint32_t)i, rank))
            return false;
    return true;
}

/* Adds the first positions, in the first call of a checker or writer. */
static bool begin(rf_certificate *c)
{
    if (c->begun)
        return true;
    bool good;
    if (c->claim.excludes)
        good = follow_others(c);
    else if (c->bounded)
        good = follow(c, &c->root, (uint32_t)c->claim.horizon + 1);
    else
        good = follow(c, &c->root, c->writing || c->claim.within == NO_NUMBER ? NO_NUMBER : c->claim.within + 1);
    c->edges.count = 0;
    c->begun = good;
    return good;
}

/* ---- checking ---- */

/* Reads the next number of the certificate; an error if there is none. */
static bool read_number(rf_certificate *c, const unsigned char *bytes, size_t length, size_t *at, uint32_t *out)
{
    int error = rf_read_leb128(bytes, length, at, out);
    if (error != RF_CERT_GOOD)
        c->error = error;
    return error == RF_CERT_GOOD;
}

static bool check_position(rf_certificate *c, const unsigned char *bytes, size_t length, size_t *at)
{
    rf_state s;
    rf_position_set_get(&c->set, c->processed, &s);
    uint32_t number = NO_NUMBER, rank = NO_NUMBER;
    if (player_decides(c, &s) && !read_number(c, bytes, length, at, &number))
        return false;
    if (c->ranked) {
        uint32_t below, highest = c->ranks[c->processed];
        if (!read_number(c, bytes, length, at, &below))
            return false;
        if (below >= highest) {
            c->error = RF_CERT_RANK;
            return false;
        }
        rank = highest - below;
        c->ranks[c->processed] = rank;
    }
    if (c->bounded)
        rank = c->ranks[c->processed];
    c->processed++;
    int64_t plies = listed_plies(c, &s, number == NO_NUMBER && c->bounded && rank <= RF_SEARCHED_PLIES + 1);
    if (plies < 0) {
        c->no_memory = true;
        return false;
    }
    if (number != NO_NUMBER && number >= (uint64_t)plies) {
        c->error = RF_CERT_PLY;
        return false;
    }
    return follow_plies(c, &s, (uint64_t)plies, number, rank);
}

int64_t rf_certificate_check(rf_certificate *c, const unsigned char *bytes, size_t length, bool last,
                             rf_control *control)
{
    size_t at = 0;
    c->control = control;
    if (!begin(c)) {
        if (c->no_memory)
            control->stopped = RF_STOPPED_MEMORY;
        return -1;
    }
    while (c->processed < c->set.count && (last || length - at >= 2 * RF_LONGEST_NUMBER)) {
        if (c->error != RF_CERT_GOOD || c->no_memory || rf_tick(control))
            return -1;
        if (!check_position(c, bytes, length, &at)) {
            if (c->no_memory)
                control->stopped = RF_STOPPED_MEMORY;
            return -1;
        }
        control->done = c->processed;
    }
    if (c->error == RF_CERT_GOOD && c->processed == c->set.count && at < length)
        c->error = RF_CERT_LONG;
    return c->error == RF_CERT_GOOD ? (int64_t)at : -1;
}

/* ---- writing ---- */

/* Follows ply `number` of c->plies, or all plies if it is NO_NUMBER, and keeps the edges. */
static bool keep_plies(rf_certificate *c, const rf_state *s, uint64_t plies, uint32_t number)
{
    c->edge_start[c->processed] = c->edges.count;
    return append(c, &c->chosen, number) &&
           follow_plies(c, s, plies, number, c->bounded ? c->ranks[c->processed] : NO_NUMBER);
}

int rf_certificate_next_decision(rf_certificate *c, rf_state *out, rf_control *control)
{
    c->control = control;
    bool good = begin(c);
    while (good && c->processed < c->set.count) {
        if (rf_tick(control))
            return -1;
        rf_position_set_get(&c->set, c->processed, out);
        control->done = c->processed;
        if (player_decides(c, out))
            return 1;
        int64_t plies = listed_plies(c, out, c->bounded &&
                                     rf_certificate_plies_left(c) <= RF_SEARCHED_PLIES + 1);
        if (plies < 0)
            c->no_memory = true;
        good = plies >= 0 && keep_plies(c, out, (uint64_t)plies, NO_NUMBER);
        if (good)
            control->done = ++c->processed;
    }
    if (c->no_memory)
        control->stopped = RF_STOPPED_MEMORY;
    return good ? 0 : -1;
}

bool rf_certificate_choose(rf_certificate *c, rf_ply ply, rf_control *control)
{
    rf_state s;
    c->control = control;
    rf_position_set_get(&c->set, c->processed, &s);
    int64_t plies = rf_sorted_plies(c->game, c->ctx, &s, c->plies);
    for (int64_t i = 0; i < plies; i++) {
        if (c->plies[i] != ply)
            continue;
        if (!keep_plies(c, &s, (uint64_t)plies, (uint32_t)i))
            return false;
        c->processed++;
        return true;
    }
    return false;
}

/* Ranks positions, those first whose successors all have ranks. Returns how many. */
static uint64_t order_by_rank(rf_certificate *c, const uint64_t *start, const uint32_t *from, uint32_t *open,
                              uint32_t *queue)
{
    uint64_t queued = 0;
    for (uint64_t i = 0; i < c->set.count; i++) {
        open[i] = (uint32_t)(c->edge_start[i + 1] - c->edge_start[i]);
        c->ranks[i] = c->min_ranks[i];
        if (open[i] == 0)
            queue[queued++] = (uint32_t)i;
    }
    for (uint64_t q = 0; q < queued; q++) {
        uint32_t child = queue[q];
        for (uint64_t e = start[child]; e < start[child + 1]; e++) {
            uint32_t parent = from[e];
            if (c->ranks[parent] < c->ranks[child] + 1)
                c->ranks[parent] = c->ranks[child] + 1;
            if (--open[parent] == 0)
                queue[queued++] = parent;
        }
    }
    return queued;
}

/* The highest rank; the root has it, unless the root is not in the set. */
static uint32_t highest_rank(const rf_certificate *c)
{
    uint32_t top = 0;
    for (uint64_t i = 0; i < c->set.count; i++)
        if (c->ranks[i] > top)
            top = c->ranks[i];
    return top;
}

/* Given ranks that are the longest paths to the end: raises all as far as the highest rank and the edges allow. */
static void raise_ranks(rf_certificate *c, const uint32_t *queue, uint32_t top)
{
    for (uint64_t i = 0; i < c->set.count; i++)
        c->ranks[i] = top;
    for (uint64_t q = c->set.count; q-- > 0;) {
        uint32_t parent = queue[q];
        for (uint64_t e = c->edge_start[parent]; e < c->edge_start[parent + 1]; e++) {
            uint32_t child = c->edges.items[e];
            if (c->ranks[child] >= c->ranks[parent])
                c->ranks[child] = c->ranks[parent] - 1;
        }
    }
}

/* Replaces each rank by the difference to the highest rank that a checker allows. */
static void set_differences(rf_certificate *c, uint32_t *allowed, uint32_t top)
{
    for (uint64_t i = 0; i < c->set.count; i++)
        allowed[i] = top;
    for (uint64_t i = 0; i < c->set.count; i++)
        for (uint64_t e = c->edge_start[i]; e < c->edge_start[i + 1]; e++) {
            uint32_t child = c->edges.items[e];
            if (child > i && allowed[child] >= c->ranks[i])
                allowed[child] = c->ranks[i] - 1;
        }
    for (uint64_t i = 0; i < c->set.count; i++)
        c->ranks[i] = allowed[i] - c->ranks[i];
}

int64_t rf_certificate_compute_ranks(rf_certificate *c)
{
    if (c->ranked && c->claim.excludes && c->set.count == 0)
        c->root_rank = 1;
    if (!c->ranked || c->set.count == 0)
        return 0;
    c->edge_start[c->set.count] = c->edges.count;
    uint64_t *start = calloc((size_t)c->set.count + 2, sizeof *start);
    uint32_t *from = malloc((size_t)(c->edges.count + 1) * sizeof *from);
    uint32_t *open = calloc((size_t)c->set.count, sizeof *open);
    uint32_t *queue = malloc((size_t)c->set.count * sizeof *queue);
    int64_t unranked = -1;
    /* 1. Predecessors of each position, by counting sort. */
    if (start != NULL && from != NULL && open != NULL && queue != NULL) {
        for (uint64_t e = 0; e < c->edges.count; e++)
            start[c->edges.items[e] + 2]++;
        for (uint64_t i = 2; i < c->set.count + 2; i++)
            start[i] += start[i - 1];
        for (uint64_t i = 0; i < c->set.count; i++)
            for (uint64_t e = c->edge_start[i]; e < c->edge_start[i + 1]; e++)
                from[start[c->edges.items[e] + 1]++] = (uint32_t)i;
        /* 2. The lowest ranks, then the highest that the edges allow, then their differences. */
        unranked = (int64_t)(c->set.count - order_by_rank(c, start, from, open, queue));
        if (unranked == 0) {
            const uint32_t top = highest_rank(c);
            raise_ranks(c, queue, top);
            c->root_rank = c->claim.excludes ? top + 1 : top;
            set_differences(c, open, top);
        }
    }
    free(start), free(from), free(open), free(queue);
    return unranked;
}

size_t rf_certificate_write(const rf_certificate *c, uint64_t *index, unsigned char *out, size_t capacity)
{
    unsigned char *end = out;
    for (; *index < c->processed && capacity - (size_t)(end - out) >= 2 * RF_LONGEST_NUMBER; ++*index) {
        if (c->chosen.items[*index] != NO_NUMBER)
            end = rf_write_leb128(end, c->chosen.items[*index]);
        if (c->ranked)
            end = rf_write_leb128(end, c->ranks[*index]);
    }
    return (size_t)(end - out);
}
