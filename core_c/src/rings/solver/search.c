/* The memory of a search: the table of one thread, and the searches of all threads.
 *
 * Idea: a table starts small, so that it stays in the cache, and grows by a factor of 4 whenever it is half full. With
 * helpers, three quarters of the memory are one shared table (shared.h); the rest is divided among the threads' own
 * tables.
 *
 * Invariant: if the memory runs out while a table grows, it keeps its size and the search continues. A search that is
 * only partly made is freed as a whole.
 *
 * Example: with 256 MiB and one helper, up to 192 MiB are shared, and each of the two threads has a table of up to
 * 32 MiB. */
#include "rings/solver/search.h"

#include "common/pages.h"

#include <stdlib.h>

/* ---- the table of one thread ---- */

/* Found by trial. */
enum { KR_FIRST_SLOTS = 1 << 14, KR_TABLE_GROWTH = 4 };

static void kr_set_slots(kr_table *t, kr_slot *slots, uint64_t count)
{
    t->slots = slots;
    t->mask = count - 1;
    t->used = 0;
    t->grow_at = count < t->max_slots ? count / 2 : UINT64_MAX;
}

/* False if memory ran out. `bytes` is the size up to which the table may grow. */
static bool kr_table_init(kr_table *t, uint64_t bytes)
{
    t->max_slots = KR_FIRST_SLOTS;
    while (t->max_slots <= bytes / sizeof *t->slots / 2 && t->max_slots < (UINT64_C(1) << 40))
        t->max_slots *= 2;
    kr_set_slots(t, calloc(KR_FIRST_SLOTS, sizeof *t->slots), KR_FIRST_SLOTS);
    return t->slots != NULL;
}

void kr_table_grow(kr_table *t)
{
    uint64_t count = t->mask + 1;
    uint64_t more = count * KR_TABLE_GROWTH < t->max_slots ? count * KR_TABLE_GROWTH : t->max_slots;
    kr_slot *old = t->slots, *slots = calloc((size_t)more, sizeof *slots);
    if (slots == NULL) {
        t->grow_at = UINT64_MAX;
        return;
    }
    rf_use_large_pages(slots, (size_t)more * sizeof *slots);
    kr_set_slots(t, slots, more);
    for (uint64_t i = 0; i < count; i++)
        if (old[i].key != 0)
            *kr_table_insert(t, old[i].key, 0) = old[i];
    free(old);
}

/* ---- searches ---- */

static kr_search *kr_one_search(uint64_t bytes, kr_shared *shared, int thread)
{
    kr_search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return NULL;
    search->harder = search->easier = KR_NO_THRESHOLD;
    bool made = kr_table_init(&search->table, bytes);
    made = kr_path_init(&search->path) && made;
    made = kr_groups_init(&search->groups) && made;
    if (!made) {
        kr_search_free(search);
        return NULL;
    }
    search->shared = shared;
    search->thread = thread;
    return search;
}

kr_search *kr_search_new(uint64_t bytes, int helpers)
{
    if (helpers <= 0)
        return kr_one_search(bytes, NULL, 0);
    kr_shared *shared = kr_shared_new(bytes / 4 * 3, helpers);
    if (shared == NULL)
        return NULL;
    const uint64_t own = bytes / 4 / ((uint64_t)helpers + 1);
    kr_search *search = kr_one_search(own, shared, 0);
    if (search == NULL) {
        kr_shared_free(shared);
        return NULL;
    }
    search->helpers = calloc((size_t)helpers, sizeof(kr_search *));
    bool made = search->helpers != NULL;
    for (int i = 0; made && i < helpers; i++) {
        search->helpers[i] = kr_one_search(own, shared, i + 1);
        made = search->helpers[i] != NULL;
    }
    if (made)
        return search;
    kr_search_free(search);
    return NULL;
}

void kr_search_free(kr_search *search)
{
    if (search == NULL)
        return;
    for (int i = 0; search->helpers != NULL && i < search->shared->helpers; i++)
        kr_search_free(search->helpers[i]);
    free(search->helpers);
    if (search->thread == 0)
        kr_shared_free(search->shared);
    kr_path_free(&search->path);
    kr_groups_free(&search->groups);
    free(search->table.slots);
    free(search);
}
