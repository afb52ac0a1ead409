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
    table->allocated = grows && count > RF_TABLE_FIRST ? RF_TABLE_FIRST : count;
    table->mask = table->allocated - 1;
    table->entries = calloc((size_t)table->allocated, sizeof(rf_entry));
    table->written = calloc((size_t)(count >> RF_TABLE_WORD_SHIFT) + 1, sizeof *table->written);
    if (table->entries == NULL || table->written == NULL) {
        rf_table_free(table);
        return NULL;
    }
    return table;
}

rf_table *rf_table_new(uint64_t bytes) { return new_table(bytes, false); }

rf_table *rf_table_new_growing(uint64_t bytes) { return new_table(bytes, true); }

/* Replaces the entries by more, which are empty. If memory runs out, the table is unchanged. */
static void allocate_more(struct rf_table *t)
{
    const unsigned stage = t->allocated == RF_TABLE_FIRST ? 0 : 1;
    const uint64_t count = stage == 0 && t->last >= RF_TABLE_SECOND ? RF_TABLE_SECOND : t->last + 1;
    rf_entry *more = calloc((size_t)count, sizeof *more);
    if (more == NULL)
        return;
    for (uint64_t at = 0; at < t->allocated; at += UINT64_C(1) << RF_TABLE_WORD_SHIFT)
        __atomic_store_n(&t->written[at >> RF_TABLE_WORD_SHIFT], 0, __ATOMIC_RELAXED);
    t->left[stage] = t->entries;
    t->allocated = count;
    __atomic_store_n(&t->entries, more, __ATOMIC_RELEASE);
}

/* Doubles the entries in use and copies each to the index that it has then. Halves of different writes, copied as one
 * entry, are an entry that no key finds. */
static void grow(struct rf_table *t)
{
    const rf_entry *from = t->entries;
    const uint64_t mask = t->mask;
    if (mask + 1 == t->allocated)
        allocate_more(t);
    if (mask + 1 == t->allocated)
        return;
    for (uint64_t at = 0; at <= mask; at++) {
        if (from == t->entries && !rf_table_is_written(t, at))
            continue;
        uint64_t check = __atomic_load_n(&from[at].check, __ATOMIC_RELAXED);
        uint64_t value = __atomic_load_n(&from[at].value, __ATOMIC_RELAXED);
        uint64_t index = (check ^ value) & (2 * mask + 1);
        if ((check != 0 || value != 0) && (from != t->entries || index != at))
            rf_table_write(rf_table_entry_to_write(t, index), check, value);
    }
    __atomic_store_n(&t->mask, 2 * mask + 1, __ATOMIC_RELEASE);
}

/* Threads may overwrite each other's number of writes. Only one at a time grows the table. */
void rf_table_count_write(struct rf_table *t)
{
    uint64_t mask = __atomic_load_n(&t->mask, __ATOMIC_ACQUIRE);
    uint64_t writes = __atomic_load_n(&t->writes, __ATOMIC_RELAXED) + 1;
    if (writes << (RF_TABLE_SAMPLE_SHIFT + RF_TABLE_FILL_SHIFT) > mask && mask < t->last) {
        writes = 0;
        if (!__atomic_exchange_n(&t->is_growing, true, __ATOMIC_ACQUIRE)) {
            grow(t);
            __atomic_store_n(&t->is_growing, false, __ATOMIC_RELEASE);
        }
    }
    __atomic_store_n(&t->writes, writes, __ATOMIC_RELAXED);
}

void rf_table_free(rf_table *table)
{
    if (table != NULL) {
        free(table->left[0]);
        free(table->left[1]);
        free(table->entries);
        free(table->written);
        free(table);
    }
}

rf_in_progress *rf_in_progress_new(void) { return calloc(1, sizeof(rf_in_progress)); }

void rf_in_progress_free(rf_in_progress *p) { free(p); }
