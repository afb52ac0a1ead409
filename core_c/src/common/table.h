/* A table of 64-bit values by 64-bit keys that threads share without locks: an entry stores key XOR value beside the
 * value, so a torn pair of writes reads as a miss, never as a wrong value. */
#ifndef RINGFEN_TABLE_H
#define RINGFEN_TABLE_H

#include "common/base.h"

typedef struct rf_entry {
    uint64_t check; /* key ^ value */
    uint64_t value;
} rf_entry;

/* Entries of a page of memory, and of the pages that a word of `written` stands for, as powers of two. */
enum { RF_TABLE_PAGE_SHIFT = 8, RF_TABLE_WORD_SHIFT = RF_TABLE_PAGE_SHIFT + 6 };

/* A page that nothing was written to is never read. The system would map it as a page of zeros, and replace that when
 * it is written to: a second page fault, for which all threads must stop. */
struct rf_table {
    rf_entry *entries;
    uint64_t mask;
    uint64_t *written; /* a bit a page */
};

static inline bool rf_table_get(const struct rf_table *t, uint64_t key, uint64_t *value)
{
    uint64_t at = key & t->mask;
    uint64_t pages = __atomic_load_n(&t->written[at >> RF_TABLE_WORD_SHIFT], __ATOMIC_RELAXED);
    if ((pages >> (at >> RF_TABLE_PAGE_SHIFT & 63) & 1) == 0)
        return false;
    const rf_entry *e = &t->entries[at];
    uint64_t check = __atomic_load_n(&e->check, __ATOMIC_RELAXED);
    uint64_t found = __atomic_load_n(&e->value, __ATOMIC_RELAXED);
    if ((check ^ found) != key)
        return false;
    *value = found;
    return true;
}

static inline void rf_table_put(struct rf_table *t, uint64_t key, uint64_t value)
{
    uint64_t at = key & t->mask, page = UINT64_C(1) << (at >> RF_TABLE_PAGE_SHIFT & 63);
    uint64_t *pages = &t->written[at >> RF_TABLE_WORD_SHIFT];
    if ((__atomic_load_n(pages, __ATOMIC_RELAXED) & page) == 0)
        __atomic_fetch_or(pages, page, __ATOMIC_RELAXED);
    rf_entry *e = &t->entries[at];
    __atomic_store_n(&e->check, key ^ value, __ATOMIC_RELAXED);
    __atomic_store_n(&e->value, value, __ATOMIC_RELAXED);
}

#endif
