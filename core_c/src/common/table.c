/* Allocates and frees what the threads of a search share: the hash table (common/table.h) and the marks of positions in
 * progress (common/threads.h).
 *
 * Example: rf_table_new(1 << 20) returns a table of 65,536 entries of 16 bytes and a bit for each page of them. */
#include "common/table.h"
#include "common/threads.h"

#include <stdlib.h>

rf_table *rf_table_new(uint64_t bytes)
{
    uint64_t count = 1024;
    while (count <= bytes / sizeof(rf_entry) / 2 && count < (UINT64_C(1) << 40))
        count *= 2;
    if (count > SIZE_MAX / sizeof(rf_entry))
        return NULL;
    struct rf_table *table = malloc(sizeof *table);
    if (table == NULL)
        return NULL;
    table->entries = calloc((size_t)count, sizeof(rf_entry));
    table->mask = count - 1;
    table->written = calloc((size_t)(count >> RF_TABLE_WORD_SHIFT) + 1, sizeof *table->written);
    if (table->entries == NULL || table->written == NULL) {
        rf_table_free(table);
        return NULL;
    }
    return table;
}

void rf_table_free(rf_table *table)
{
    if (table != NULL) {
        free(table->entries);
        free(table->written);
        free(table);
    }
}

rf_in_progress *rf_in_progress_new(void) { return calloc(1, sizeof(rf_in_progress)); }

void rf_in_progress_free(rf_in_progress *p) { free(p); }
