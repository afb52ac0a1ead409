/* Finds the positions of a frontier ply by ply, in parts by hash.
 *
 * Idea: the frontier of depth n + 1 consists of the positions after each ply of the frontier of depth n; equal
 * positions are merged and their numbers of paths added. A frontier that does not fit in memory is split by the highest
 * bits of the hash.
 * Invariants: the order depends only on the positions, so files made by different processes can be merged.
 * Example: a1-a2, b1-b2 and b1-b2, a1-a2 lead to one position with 2 paths. */
#include "search/frontier.h"

#include <stdlib.h>

#include "control.h"
#include "game.h"

__extension__ typedef unsigned __int128 path_count;

enum { COUNT_SIZE = sizeof(path_count), PART_SHIFT = 64 - 6 };

_Static_assert(RF_FRONTIER_PARTS == 1 << 6, "a part is the highest bits of a hash");

/* A position in the sort: by hash, then by the bytes of the state. */
typedef struct {
    uint64_t hash;
    uint32_t number;
} sort_item;

struct rf_frontier {
    const rf_game *game;
    uint64_t memory;
    rf_position_set set;
    path_count *paths;
    sort_item *order;
    rf_ply *plies;
};

uint32_t rf_frontier_record_size(const rf_game *game) { return game->state_size + COUNT_SIZE; }

rf_frontier *rf_frontier_new(const rf_game *game, uint64_t memory)
{
    rf_frontier *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->game = game;
    f->memory = memory;
    rf_position_set_init(&f->set, game->state_size);
    f->plies = malloc((size_t)game->max_plies * sizeof *f->plies);
    if (f->plies == NULL) {
        free(f);
        return NULL;
    }
    return f;
}

void rf_frontier_free(rf_frontier *f)
{
    if (f == NULL)
        return;
    rf_position_set_free(&f->set);
    free(f->paths);
    free(f->order);
    free(f->plies);
    free(f);
}

void rf_frontier_clear(rf_frontier *f)
{
    rf_position_set_clear(&f->set);
    free(f->order);
    f->order = NULL;
}

uint64_t rf_frontier_count(const rf_frontier *f) { return f->set.count; }

/* Makes room for `more` positions, within the memory or for those of one position. */
static bool reserve(rf_frontier *f, uint64_t more)
{
    while (f->set.capacity - f->set.count < more) {
        uint64_t capacity = rf_position_set_next_capacity(&f->set);
        uint64_t bytes = rf_position_set_bytes(&f->set,
                                               capacity) + capacity * (sizeof *f->paths + 2 * sizeof *f->order);
        if (bytes > f->memory && f->set.capacity >= 2 * (uint64_t)f->game->max_plies)
            return false;
        path_count *paths = realloc(f->paths, (size_t)capacity * sizeof *paths);
        if (paths != NULL)
            f->paths = paths;
        if (paths == NULL || !rf_position_set_grow(&f->set))
            return false;
    }
    return true;
}

/* The caller has made room. False: the number of paths is too large. */
static bool add_one(rf_frontier *f, const void *state, path_count paths)
{
    uint64_t before = f->set.count;
    uint32_t number = rf_position_set_add(&f->set, state);
    if (number == before)
        f->paths[number] = 0;
    return !__builtin_add_overflow(f->paths[number], paths, &f->paths[number]);
}

static path_count paths_of(const rf_frontier *f, const unsigned char *record)
{
    path_count paths = 0;
    for (unsigned i = COUNT_SIZE; i-- > 0;)
        paths = paths << 8 | record[f->set.state_size + i];
    return paths;
}

uint64_t rf_frontier_add(rf_frontier *f, const unsigned char *records, uint64_t count, rf_control *control)
{
    const uint32_t size = rf_frontier_record_size(f->game);
    rf_control_start(control);
    for (uint64_t i = 0; i < count; i++, records += size) {
        rf_state s = {{0}};
        if (rf_tick(control) || !reserve(f, 1))
            return i;
        memcpy(&s, records, f->set.state_size);
        if (!add_one(f, &s, paths_of(f, records))) {
            control->stopped = RF_STOPPED_OVERFLOW;
            return i;
        }
    }
    return count;
}

uint64_t rf_frontier_expand(rf_frontier *f, const void *ctx, const unsigned char *records, uint64_t count,
                            rf_control *control)
{
    const uint32_t size = rf_frontier_record_size(f->game);
    rf_control_start(control);
    for (uint64_t i = 0; i < count; i++, records += size) {
        rf_state s = {{0}};
        memcpy(&s, records, f->set.state_size);
        size_t plies = f->game->generate(ctx, &s, f->plies);
        if (rf_tick(control) || !reserve(f, plies))
            return i;
        path_count paths = paths_of(f, records);
        for (size_t p = 0; p < plies; p++) {
            rf_state next = {{0}};
            f->game->apply(ctx, &s, f->plies[p], &next);
            if (!add_one(f, &next, paths)) {
                control->stopped = RF_STOPPED_OVERFLOW;
                return i;
            }
        }
    }
    return count;
}

/* ---- order ---- */

static const unsigned char *state_at(const rf_frontier *f, const sort_item *p)
{
    return f->set.states + p->number * f->set.state_size;
}

static bool comes_before(const rf_frontier *f, const sort_item *a, const sort_item *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash;
    return memcmp(state_at(f, a), state_at(f, b), f->set.state_size) < 0;
}

static void merge(const rf_frontier *f, const sort_item *from, uint64_t middle, uint64_t count, sort_item *to)
{
    uint64_t left = 0, right = middle;
    for (uint64_t i = 0; i < count; i++) {
        bool take_right = left == middle || (right < count && comes_before(f, &from[right], &from[left]));
        to[i] = from[take_right ? right++ : left++];
    }
}

bool rf_frontier_sort(rf_frontier *f)
{
    const uint64_t count = f->set.count;
    sort_item *order = malloc((size_t)(count + 1) * sizeof *order), *other = malloc((size_t)(count + 1) * sizeof *other);
    if (order == NULL || other == NULL) {
        free(order);
        free(other);
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        order[i].number = (uint32_t)i;
        order[i].hash = rf_hash_bytes(state_at(f, &order[i]), f->set.state_size);
    }
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * run) {
            uint64_t here = count - at < 2 * run ? count - at : 2 * run;
            merge(f, order + at, here < run ? here : run, here, other + at);
        }
        sort_item *sorted = other;
        other = order;
        order = sorted;
    }
    free(other);
    free(f->order);
    f->order = order;
    return true;
}

void rf_frontier_read(const rf_frontier *f, uint64_t first, uint64_t count, unsigned char *records)
{
    const uint32_t size = rf_frontier_record_size(f->game);
    for (uint64_t i = first; i < first + count; i++, records += size) {
        memcpy(records, state_at(f, &f->order[i]), f->set.state_size);
        path_count paths = f->paths[f->order[i].number];
        for (unsigned byte = 0; byte < COUNT_SIZE; byte++, paths >>= 8)
            records[f->set.state_size + byte] = (unsigned char)paths;
    }
}

uint64_t rf_frontier_part(const rf_frontier *f, unsigned part)
{
    uint64_t low = 0, high = f->set.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (f->order[middle].hash >> PART_SHIFT < part)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
