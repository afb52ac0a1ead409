/* The path, and how groups of provisional failures begin, join and close (path.h).
 *
 * Idea: when a position leaves the path at `depth`, the groups that were begun below it are those from
 * `groups_before` on. One pass over them settles or keeps each; kept ones move down, so the list has no gaps.
 *
 * Invariant: `low` and `high` of a group never leave out a position on which it depends. They may include others: then
 * a failure is proven later, or void although it is not wrong.
 *
 * Example: groups 4 and 5 were begun below depth 3, with depths 1 to 3 and 3 to 3. The position at depth 3 fails and
 * depends on nothing above. Group 5 is proven; group 4 now depends on depths 1 to 2. */
#include "rings/solver/path.h"

#include <stdlib.h>

/* ---- the path ---- */

bool kr_path_init(kr_path *path)
{
    const size_t max = (size_t)KR_MAX_CHUNKS * KR_FRAMES_PER_CHUNK;
    path->keys = malloc(max * sizeof *path->keys);
    path->previous = malloc(max * sizeof *path->previous);
    path->last = calloc(KR_PATH_LISTS, sizeof *path->last);
    path->chunks = calloc(KR_MAX_CHUNKS, sizeof *path->chunks);
    return path->keys != NULL && path->previous != NULL && path->last != NULL && path->chunks != NULL;
}

void kr_path_free(kr_path *path)
{
    for (uint32_t i = 0; i < path->chunk_count; i++)
        free(path->chunks[i]);
    free(path->chunks);
    free(path->keys);
    free(path->previous);
    free(path->last);
}

bool kr_path_grow(kr_path *path, uint32_t depth)
{
    uint32_t chunk = depth / KR_FRAMES_PER_CHUNK;
    if (chunk < path->chunk_count)
        return true;
    if (chunk >= KR_MAX_CHUNKS)
        return false;
    path->chunks[chunk] = malloc(KR_FRAMES_PER_CHUNK * sizeof **path->chunks);
    if (path->chunks[chunk] == NULL)
        return false;
    path->chunk_count++;
    return true;
}

void kr_defer_ply(kr_frame *f)
{
    rf_ply ply = f->plies[--f->next];
    memmove(&f->plies[f->next], &f->plies[f->next + 1], (f->count - f->next - 1) * sizeof *f->plies);
    f->plies[f->count - 1] = ply;
    f->not_deferred--;
}

/* ---- groups ---- */

bool kr_groups_init(kr_groups *g)
{
    g->max = KR_MAX_GROUPS;
    g->groups = malloc(KR_MAX_GROUPS * sizeof *g->groups);
    g->open = malloc(KR_MAX_GROUPS * sizeof *g->open);
    return g->groups != NULL && g->open != NULL;
}

void kr_groups_free(kr_groups *g)
{
    free(g->groups);
    free(g->open);
}

uint32_t kr_group_root(kr_group *groups, uint32_t group)
{
    while (groups[group].parent != group) {
        groups[group].parent = groups[groups[group].parent].parent;
        group = groups[group].parent;
    }
    return group;
}

void kr_invalidate_open_groups(kr_groups *g)
{
    for (uint32_t i = 0; i < g->open_count; i++)
        g->groups[g->open[i]].state = KR_GROUP_INVALID;
    g->open_count = 0;
}

void kr_invalidate_groups(kr_groups *g, const kr_frame *f, uint32_t depth)
{
    uint32_t kept = f->groups_before;
    for (uint32_t i = kept; i < g->open_count; i++) {
        kr_group *group = &g->groups[g->open[i]];
        if (group->high >= depth)
            group->state = KR_GROUP_INVALID;
        else
            g->open[kept++] = g->open[i];
    }
    g->open_count = kept;
}

void kr_prove_groups(kr_groups *g, const kr_frame *f, uint32_t depth)
{
    uint32_t kept = f->groups_before;
    for (uint32_t i = kept; i < g->open_count; i++) {
        kr_group *group = &g->groups[g->open[i]];
        if (group->low >= depth) {
            group->state = KR_GROUP_PROVEN;
            continue;
        }
        if (group->high >= depth)
            group->high = depth - 1;
        g->open[kept++] = g->open[i];
    }
    g->open_count = kept;
}

uint32_t kr_add_group(kr_groups *g, const kr_frame *f, uint32_t depth)
{
    uint32_t number = g->count++, kept = f->groups_before;
    kr_group *added = &g->groups[number];
    *added = (kr_group){number, KR_GROUP_OPEN, f->low, f->high < depth ? f->high : depth - 1};
    for (uint32_t i = kept; i < g->open_count; i++) {
        kr_group *group = &g->groups[g->open[i]];
        if (group->high < depth) {
            g->open[kept++] = g->open[i];
            continue;
        }
        group->parent = number;
        if (group->low < added->low)
            added->low = group->low;
        uint32_t high = group->high < depth ? group->high : depth - 1;
        if (high > added->high)
            added->high = high;
    }
    g->open[kept++] = number;
    g->open_count = kept;
    return number;
}

/* The index of an open group in `open`, by binary search. */
static uint32_t kr_index_of_open(const kr_groups *g, uint32_t group)
{
    uint32_t low = 0, high = g->open_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->open[middle] <= group)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool kr_renumber_groups(kr_groups *g, const kr_table *table)
{
    for (uint64_t i = 0; i <= table->mask; i++) {
        kr_bounds_entry e = kr_unpack_bounds(&table->slots[i]);
        if (table->slots[i].key == 0 || table->slots[i].b & KR_IS_SETS || e.provisional == KR_NOT_PROVISIONAL)
            continue;
        uint32_t root = kr_group_root(g->groups, e.group);
        if (g->groups[root].state == KR_GROUP_OPEN) {
            e.group = kr_index_of_open(g, root);
        } else {
            if (g->groups[root].state == KR_GROUP_PROVEN)
                kr_narrow_bounds(&e, e.provisional, false);
            e.provisional = KR_NOT_PROVISIONAL;
        }
        kr_write_bounds(&e);
    }
    for (uint32_t i = 0; i < g->open_count; i++) {
        g->groups[i] = g->groups[g->open[i]];
        g->groups[i].parent = i;
        g->open[i] = i;
    }
    g->count = g->open_count;
    return g->count < g->max;
}
