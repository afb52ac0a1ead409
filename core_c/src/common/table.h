/* A hash table of 64-bit values by 64-bit keys that threads share without locks.
 *
 * Idea: an entry stores key XOR value next to the value (Hyatt 1999), so two halves of different writes read as a miss.
 * A table that grows begins with a small part, so that a short count asks the system for no memory and stays in the cache
 * of the processor. It keeps its entries when it grows.
 * Invariants: a read returns a value that was stored for this key, or nothing. A new entry replaces the old one. Pages
 * that were never written are never read: the system would map each as a page of zeros and then copy it at the first
 * write.
 * Example: rf_table_put(t, key, count); rf_table_get(t, key, &count). */
#ifndef RINGFEN_TABLE_H
#define RINGFEN_TABLE_H

#include "common/base.h"
#include "unit.h"

typedef struct rf_entry {
    uint64_t check; /* key ^ value */
    uint64_t value;
} rf_entry;

/* Entries per page of memory, and per word of `written`, as powers of two. */
enum { RF_TABLE_PAGE_SHIFT = 8, RF_TABLE_WORD_SHIFT = RF_TABLE_PAGE_SHIFT + 6 };
/* A table that grows begins with RF_TABLE_FIRST entries, then allocates RF_TABLE_SECOND, and then all: large allocations
 * are slow for short counts. It grows after a quarter as many writes as entries are in use (RF_TABLE_FILL_SHIFT), of
 * which it counts those whose highest bits of the key are 0. */
enum { RF_TABLE_FIRST = 1 << 10, RF_TABLE_SECOND = 1 << 13, RF_TABLE_FILL_SHIFT = 2, RF_TABLE_SAMPLE_SHIFT = 4 };

struct rf_table {
    rf_entry *entries; /* read with acquire: a thread with an old mask may be the first to see the zeros of new ones */
    uint64_t mask;     /* of the entries in use; written after `entries` and read before it */
    uint64_t last;     /* mask of the whole table */
    uint64_t writes;   /* counted since the table grew */
    uint64_t *written; /* one bit per page */
    uint64_t allocated;
    rf_entry *left[2]; /* replaced entries, which other threads may still read */
    bool is_growing;
};

/* Counts a write, and grows if there were enough. */
RF_INTERNAL void rf_table_count_write(struct rf_table *t);

/* Begins to fetch the entry of a key. */
static inline void rf_table_fetch(const struct rf_table *t, uint64_t key)
{
    uint64_t at = key & __atomic_load_n(&t->mask, __ATOMIC_ACQUIRE);
    __builtin_prefetch(__atomic_load_n(&t->entries, __ATOMIC_ACQUIRE) + at);
}

static inline bool rf_table_is_written(const struct rf_table *t, uint64_t at)
{
    uint64_t pages = __atomic_load_n(&t->written[at >> RF_TABLE_WORD_SHIFT], __ATOMIC_RELAXED);
    return (pages >> (at >> RF_TABLE_PAGE_SHIFT & 63) & 1) != 0;
}

static inline bool rf_table_get(const struct rf_table *t, uint64_t key, uint64_t *value)
{
    uint64_t at = key & __atomic_load_n(&t->mask, __ATOMIC_ACQUIRE);
    if (!rf_table_is_written(t, at))
        return false;
    const rf_entry *e = __atomic_load_n(&t->entries, __ATOMIC_ACQUIRE) + at;
    uint64_t check = __atomic_load_n(&e->check, __ATOMIC_RELAXED);
    uint64_t found = __atomic_load_n(&e->value, __ATOMIC_RELAXED);
    if ((check ^ found) != key)
        return false;
    *value = found;
    return true;
}

/* The entry with this index, on a page that counts as written. */
static inline rf_entry *rf_table_entry_to_write(struct rf_table *t, uint64_t at)
{
    uint64_t page = UINT64_C(1) << (at >> RF_TABLE_PAGE_SHIFT & 63);
    uint64_t *pages = &t->written[at >> RF_TABLE_WORD_SHIFT];
    if ((__atomic_load_n(pages, __ATOMIC_RELAXED) & page) == 0)
        __atomic_fetch_or(pages, page, __ATOMIC_RELAXED);
    return __atomic_load_n(&t->entries, __ATOMIC_ACQUIRE) + at;
}

static inline void rf_table_write(rf_entry *e, uint64_t check, uint64_t value)
{
    __atomic_store_n(&e->check, check, __ATOMIC_RELAXED);
    __atomic_store_n(&e->value, value, __ATOMIC_RELAXED);
}

static inline void rf_table_put(struct rf_table *t, uint64_t key, uint64_t value)
{
    if (RF_UNLIKELY(key >> (64 - RF_TABLE_SAMPLE_SHIFT) == 0))
        rf_table_count_write(t);
    rf_entry *e = rf_table_entry_to_write(t, key & __atomic_load_n(&t->mask, __ATOMIC_ACQUIRE));
    rf_table_write(e, key ^ value, value);
}

#endif
