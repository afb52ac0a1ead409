/* A table of 64-bit values by 64-bit keys that threads share without locks: an entry stores key XOR value beside the
 * value, so a torn pair of writes reads as a miss, never as a wrong value. */
#ifndef RINGFEN_TABLE_H
#define RINGFEN_TABLE_H

#include "game.h"

typedef struct rf_entry {
    uint64_t check; /* key ^ value */
    uint64_t value;
} rf_entry;

struct rf_table {
    rf_entry *entries;
    uint64_t mask;
};

static inline bool rf_table_get(const struct rf_table *t, uint64_t key, uint64_t *value)
{
    const rf_entry *e = &t->entries[key & t->mask];
    uint64_t check = __atomic_load_n(&e->check, __ATOMIC_RELAXED);
    uint64_t found = __atomic_load_n(&e->value, __ATOMIC_RELAXED);
    if ((check ^ found) != key)
        return false;
    *value = found;
    return true;
}

static inline void rf_table_put(struct rf_table *t, uint64_t key, uint64_t value)
{
    rf_entry *e = &t->entries[key & t->mask];
    __atomic_store_n(&e->check, key ^ value, __ATOMIC_RELAXED);
    __atomic_store_n(&e->value, value, __ATOMIC_RELAXED);
}

#endif
