/* The transposition table of one thread: memory. */
#include "rings/solver/table.h"

#include <stdlib.h>

/* Found by trial: a small table stays in the cache. */
enum { KR_FIRST_SLOTS = 1 << 14, KR_TABLE_GROWTH = 4 };

static void kr_set_slots(kr_table *t, kr_slot *slots, uint64_t count)
{
    t->slots = slots;
    t->mask = count - 1;
    t->used = 0;
    t->grow_at = count < t->most_slots ? count / 2 : UINT64_MAX;
}

bool kr_table_init(kr_table *t, uint64_t bytes)
{
    t->most_slots = KR_FIRST_SLOTS;
    while (t->most_slots <= bytes / sizeof *t->slots / 2 && t->most_slots < (UINT64_C(1) << 40))
        t->most_slots *= 2;
    kr_set_slots(t, calloc(KR_FIRST_SLOTS, sizeof *t->slots), KR_FIRST_SLOTS);
    return t->slots != NULL;
}

/* If memory runs out the table keeps its size. */
void kr_table_grow(kr_table *t)
{
    uint64_t count = t->mask + 1;
    uint64_t more = count * KR_TABLE_GROWTH < t->most_slots ? count * KR_TABLE_GROWTH : t->most_slots;
    kr_slot *old = t->slots, *slots = calloc((size_t)more, sizeof *slots);
    if (slots == NULL) {
        t->grow_at = UINT64_MAX;
        return;
    }
    kr_set_slots(t, slots, more);
    for (uint64_t i = 0; i < count; i++)
        if (old[i].key != 0)
            *kr_table_make(t, old[i].key, 0) = old[i];
    free(old);
}
