/* Allocates and frees what the threads of a search share: the hash table (common/table.h) and the marks of positions in
 * progress (common/threads.h).
 *
 * Example: rf_table_new(1 << 20) returns a table of 65,536 entries of 16 bytes and a bit for each page of them. */
#include "common/table.h"
#include "common/threads.h"

#include <stdlib.h>

static rf_table *new_table(uint64_t bytes, bool grows)
{
    uint64_t count = 1024;
    while (count <= bytes / sizeof(rf_entry) / 2 && count < (UINT64_C(1) << 40))
        count *= 2;
    if (count > SIZE_MAX / sizeof(rf_entry))
        return NULL;
    struct rf_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->last = count - 1;
    table->mask = grows && count > RF_TABLE_FIRST ? RF_TABLE_FIRST - 1 : count - 1;
    table->first = table->entries = calloc((size_t)table->mask + 1, sizeof(rf_entry));
    table->written = calloc((size_t)(count >> RF_TABLE_WORD_SHIFT) + 1, sizeof *table->written);
    if (table->first == NULL || table->written == NULL) {
        rf_table_free(table);
        return NULL;
    }
    return table;
}

rf_table *rf_table_new(uint64_t bytes) { return new_table(bytes, false); }

rf_table *rf_table_new_growing(uint64_t bytes) { return new_table(bytes, true); }

/* Replaces the first entries, which other threads may still read. If memory runs out, the table is unchanged. */
static bool leave_first(struct rf_table *t)
{
    rf_entry *first = t->first, *all = calloc((size_t)t->last + 1, sizeof *all);
    bool is_ours = all != NULL && __atomic_compare_exchange_n(&t->entries, &first, all, false, __ATOMIC_RELAXED,
                                                              __ATOMIC_RELAXED);
    if (is_ours)
        __atomic_store_n(&t->written[0], 0, __ATOMIC_RELAXED);
    else
        free(all);
    return is_ours;
}

/* Half of the entries stay where they are searched. Threads may overwrite each other's number of writes. */
void rf_table_count_write(struct rf_table *t)
{
    uint64_t mask = __atomic_load_n(&t->mask, __ATOMIC_ACQUIRE);
    uint64_t writes = __atomic_load_n(&t->writes, __ATOMIC_RELAXED) + 1;
    if (writes << (RF_TABLE_SAMPLE_SHIFT + 1) > mask && mask < t->last) {
        writes = 0;
        if (__atomic_load_n(&t->entries, __ATOMIC_RELAXED) != t->first || leave_first(t))
            __atomic_store_n(&t->mask, 2 * mask + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&t->writes, writes, __ATOMIC_RELAXED);
}

void rf_table_free(rf_table *table)
{
    if (table != NULL) {
        if (table->entries != table->first)
            free(table->entries);
        free(table->first);
        free(table->written);
        free(table);
    }
}

rf_in_progress *rf_in_progress_new(void) { return calloc(1, sizeof(rf_in_progress)); }

void rf_in_progress_free(rf_in_progress *p) { free(p); }
