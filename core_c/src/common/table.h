/* A hash table of 64-bit values by 64-bit keys that threads share without locks.
 *
 * Idea: an entry stores key XOR value next to the value (Hyatt 1999), so two halves of different writes read as a miss.
 * Invariants: a read returns a value that was stored for this key, or nothing. A new entry replaces the old one. Pages
 * that were never written are never read: the system would map each as a page of zeros and then copy it at the first write.
 * Example: rf_table_put(t, key, count); rf_table_get(t, key, &count). */
#ifndef RINGFEN_TABLE_H
#define RINGFEN_TABLE_H

#include "common/base.h"

typedef struct rf_entry {
    uint64_t check; /* key ^ value */
    uint64_t value;
} rf_entry;

/* Entries per page of memory, and per word of `written`, as powers of two. */
enum { RF_TABLE_PAGE_SHIFT = 8, RF_TABLE_WORD_SHIFT = RF_TABLE_PAGE_SHIFT + 6 };

struct rf_table {
    rf_entry *entries;
    uint64_t mask;
    uint64_t *written; /* one bit per page */
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
