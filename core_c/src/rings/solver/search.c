/* Searches: memory. */
#include "rings/solver/search.h"

#include <stdlib.h>

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

/* With helpers, three quarters of the memory are shared. */
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
    for (int i = 0; search->helpers != NULL && i < helpers; i++) {
        search->helpers[i] = kr_one_search(own, shared, i + 1);
        if (search->helpers[i] != NULL)
            continue;
        kr_search_free(search);
        return NULL;
    }
    if (search->helpers == NULL) {
        kr_search_free(search);
        return NULL;
    }
    return search;
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
