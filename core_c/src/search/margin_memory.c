/* The memory of a margin search: its table, the path, and the groups of failures that depend on it. */
#include <stdlib.h>

#include "search/margins.h"
#include "search/threshold.h"

/* ---- table ---- */

/* A small table is faster while it is enough. */
enum { FIRST_SLOTS = 1 << 14, GROWTH = 4 };

static void set_table(rf_margin *m, rf_margin_slot *slots, uint64_t count)
{
    m->slots = slots;
    m->mask = count - 1;
    m->used = 0;
    m->grow_at = count < m->most_slots ? count / 2 : UINT64_MAX;
}

/* Four times the table, up to what it may have; if there is no memory it stays as it is. */
void rf_margin_grow_table(rf_margin *m)
{
    uint64_t count = m->mask + 1, more = count * GROWTH < m->most_slots ? count * GROWTH : m->most_slots;
    rf_margin_slot *old = m->slots, *slots = calloc((size_t)more, sizeof *slots);
    if (slots == NULL) {
        m->grow_at = UINT64_MAX;
        return;
    }
    set_table(m, slots, more);
    for (uint64_t i = 0; i < count; i++)
        if (old[i].key != 0)
            *rf_margin_make(m, old[i].key, 0) = old[i];
    free(old);
}

/* ---- a whole search ---- */

rf_margin *rf_margin_new(const rf_game *game, uint64_t bytes)
{
    if (game->margins == NULL)
        return NULL;
    rf_margin *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->game = game;
    m->most_groups = RF_MOST_GROUPS;
    m->harder = m->easier = RF_NO_THRESHOLD;
    m->most_slots = FIRST_SLOTS;
    while (m->most_slots <= bytes / sizeof *m->slots / 2 && m->most_slots < (UINT64_C(1) << 40))
        m->most_slots *= 2;
    set_table(m, calloc(FIRST_SLOTS, sizeof *m->slots), FIRST_SLOTS);
    m->groups = malloc(RF_MOST_GROUPS * sizeof *m->groups);
    m->open_groups = malloc(RF_MOST_GROUPS * sizeof *m->open_groups);
    m->path_keys = malloc((size_t)RF_MOST_CHUNKS * RF_FRAMES_PER_CHUNK * sizeof *m->path_keys);
    m->path_before = malloc((size_t)RF_MOST_CHUNKS * RF_FRAMES_PER_CHUNK * sizeof *m->path_before);
    m->path_last = calloc(RF_PATH_LISTS, sizeof *m->path_last);
    m->chunks = calloc(RF_MOST_CHUNKS, sizeof(struct rf_margin_frame *));
    m->chunk_plies = calloc(RF_MOST_CHUNKS, sizeof *m->chunk_plies);
    if (m->slots == NULL || m->groups == NULL || m->open_groups == NULL || m->path_keys == NULL ||
        m->path_before == NULL || m->path_last == NULL || m->chunks == NULL || m->chunk_plies == NULL) {
        rf_margin_free(m);
        return NULL;
    }
    return m;
}

void rf_margin_free(rf_margin *m)
{
    if (m == NULL)
        return;
    for (uint32_t i = 0; i < m->chunk_count; i++) {
        free(m->chunks[i]);
        free(m->chunk_plies[i]);
    }
    free(m->chunks);
    free(m->chunk_plies);
    free(m->path_keys);
    free(m->path_before);
    free(m->path_last);
    free(m->open_groups);
    free(m->groups);
    free(m->slots);
    free(m);
}

/* ---- path ---- */

/* Makes room for a frame at `depth`; false, and the control stopped, if there is none to be had. */
bool rf_margin_grow_path(rf_margin *m, uint32_t depth, rf_control *control)
{
    uint32_t chunk = depth / RF_FRAMES_PER_CHUNK;
    if (chunk < m->chunk_count)
        return true;
    struct rf_margin_frame *frames = NULL;
    rf_ply *plies = NULL;
    if (chunk < RF_MOST_CHUNKS) {
        frames = malloc(RF_FRAMES_PER_CHUNK * sizeof *frames);
        plies = malloc((size_t)RF_FRAMES_PER_CHUNK * m->game->max_plies * sizeof *plies);
    }
    if (frames == NULL || plies == NULL) {
        free(frames);
        free(plies);
        control->stopped = RF_STOPPED_MEMORY;
        return false;
    }
    for (uint32_t i = 0; i < RF_FRAMES_PER_CHUNK; i++)
        frames[i].plies = plies + (size_t)i * m->game->max_plies;
    m->chunks[chunk] = frames;
    m->chunk_plies[chunk] = plies;
    m->chunk_count++;
    return true;
}

/* ---- groups ---- */

void rf_margin_set_groups(rf_margin *m, uint32_t most) { m->most_groups = most < RF_MOST_GROUPS ? most : RF_MOST_GROUPS; }

/* The place of an open group among the open ones, which stand in rising order. */
static uint32_t place_of_open(const rf_margin *m, uint32_t group)
{
    uint32_t low = 0, high = m->open_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (m->open_groups[middle] <= group)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Numbers the groups anew from 0: only the open ones are still needed once every provisional entry is cleared up. */
void rf_margin_tidy_groups(rf_margin *m, rf_control *control)
{
    for (uint64_t i = 0; i <= m->mask; i++) {
        rf_margin_fact f = rf_margin_unpack(&m->slots[i]);
        if (m->slots[i].key == 0 || m->slots[i].b & RF_MARGIN_OWN || f.provisional == RF_NOT_PROVISIONAL)
            continue;
        uint32_t root = rf_group_root(m->groups, f.group);
        if (m->groups[root].state == RF_GROUP_OPEN) {
            f.group = place_of_open(m, root);
        } else {
            if (m->groups[root].state == RF_GROUP_PROVEN)
                rf_margin_note(&f, f.provisional, RF_FAILS);
            f.provisional = RF_NOT_PROVISIONAL;
        }
        rf_margin_write(&f);
    }
    for (uint32_t i = 0; i < m->open_count; i++) {
        m->groups[i] = m->groups[m->open_groups[i]];
        m->groups[i].parent = i;
        m->open_groups[i] = i;
    }
    m->group_count = m->open_count;
    if (m->group_count >= m->most_groups)
        control->stopped = RF_STOPPED_MEMORY;
}
