/* The transposition table of one thread.
 *
 * Idea: buckets of four slots. In a full bucket the slot that took the fewest nodes is replaced (by the logarithm of
 * the nodes, as in many chess programs by the depth). The table grows while it is small, because a small one is
 * faster.
 *
 * There are two kinds of entries:
 *   bounds of South's margin   a: group (32 bits), lower, upper, provisional (8 bits each); b: best ply (low 32 bits)
 *   sets of squares            a: squares where the attacker succeeds, above them the best ply; b: squares where it
 *                              fails, and KR_IS_SETS
 * The highest 8 bits of `b` are the logarithm of the nodes.
 *
 * Invariant: keys are hashes of 64 bits and are not checked further. With 10^9 positions in a search the chance that
 * any two of them share a key is about 3 %.
 *
 * Example: a question 'at least 3?' about a position succeeds for South after 100 nodes. The entry then has lower =
 * 3, and the logarithm is 7. Later 'at least 1?' is answered from lower >= 1. */
#ifndef RINGFEN_RINGS_TABLE_H
#define RINGFEN_RINGS_TABLE_H

#include "rings/rings.h"

typedef struct kr_slot {
    uint64_t key, a, b;
} kr_slot;

enum { KR_BUCKET_SLOTS = 4, KR_NODES_SHIFT = 56 };
#define KR_IS_SETS (UINT64_C(1) << 55)

typedef struct kr_table {
    kr_slot *slots;
    uint64_t mask; /* slots - 1 */
    uint64_t max_slots;
    uint64_t used, grow_at; /* slots filled; the number above which the table grows */
} kr_table;

/* ---- search.c ---- */

/* If memory runs out, the table keeps its size. */
RF_PRIVATE void kr_table_grow(kr_table *t);

/* ---- slots ---- */

static inline kr_slot *kr_table_bucket(const kr_table *t, uint64_t key)
{
    return &t->slots[key & t->mask & ~(uint64_t)(KR_BUCKET_SLOTS - 1)];
}

/* The slot of a key; NULL if the table has none. */
static inline kr_slot *kr_table_find(const kr_table *t, uint64_t key)
{
    kr_slot *bucket = kr_table_bucket(t, key);
    for (int i = 0; i < KR_BUCKET_SLOTS; i++)
        if (bucket[i].key == key)
            return &bucket[i];
    return NULL;
}

/* The slot of a key. A new one is empty: its `a` is `empty`. The call moves slots that were found before. */
static inline kr_slot *kr_table_insert(kr_table *t, uint64_t key, uint64_t empty)
{
    if (RF_UNLIKELY(t->used > t->grow_at))
        kr_table_grow(t);
    kr_slot *bucket = kr_table_bucket(t, key), *victim = bucket;
    for (int i = 0; i < KR_BUCKET_SLOTS; i++) {
        if (bucket[i].key == key)
            return &bucket[i];
        if (bucket[i].b >> KR_NODES_SHIFT < victim->b >> KR_NODES_SHIFT)
            victim = &bucket[i];
    }
    t->used += victim->key == 0;
    *victim = (kr_slot){key, empty, 0};
    return victim;
}

/* Loads the first and last slot of a bucket into the cache. */
static inline void kr_prefetch_bucket(const kr_slot *bucket)
{
    __builtin_prefetch(bucket);
    __builtin_prefetch(&bucket[KR_BUCKET_SLOTS - 1]);
}

static inline void kr_table_prefetch(const kr_table *t, uint64_t key) { kr_prefetch_bucket(kr_table_bucket(t, key)); }

/* Records the number of nodes that an entry took. */
static inline void kr_record_nodes(kr_slot *slot, uint64_t nodes)
{
    uint64_t logarithm = 64 - (uint64_t)__builtin_clzll(nodes | 1);
    if (logarithm > slot->b >> KR_NODES_SHIFT)
        slot->b = (slot->b & ((UINT64_C(1) << KR_NODES_SHIFT) - 1)) | logarithm << KR_NODES_SHIFT;
}

/* ---- entries with bounds ---- */

enum { KR_NOT_PROVISIONAL = 127 }; /* in place of the threshold of a provisional failure */

typedef struct kr_bounds_entry {
    kr_slot *slot;
    int lower, upper; /* South's margin is between these */
    int provisional;  /* threshold of a provisional failure (path.h), or KR_NOT_PROVISIONAL */
    uint32_t group;   /* of the provisional failure */
} kr_bounds_entry;

static inline uint64_t kr_pack_bounds(uint32_t group, int lower, int upper, int provisional)
{
    uint64_t bounds = (uint64_t)(uint8_t)lower << 16 | (uint64_t)(uint8_t)upper << 8;
    return (uint64_t)group << 32 | bounds | (uint8_t)provisional;
}

static inline kr_bounds_entry kr_unpack_bounds(kr_slot *slot)
{
    uint64_t a = slot->a;
    return (kr_bounds_entry){slot, (int8_t)(a >> 16), (int8_t)(a >> 8), (int8_t)a, (uint32_t)(a >> 32)};
}

static inline void kr_write_bounds(const kr_bounds_entry *e)
{
    e->slot->a = kr_pack_bounds(e->group, e->lower, e->upper, e->provisional);
}

/* `a` of an entry without information. */
static inline uint64_t kr_no_bounds(void)
{
    return kr_pack_bounds(0, -RF_MAX_MARGIN - 1, RF_MAX_MARGIN + 1, KR_NOT_PROVISIONAL);
}

/* Narrows the bounds by other proven bounds. */
static inline void kr_intersect_bounds(kr_bounds_entry *e, int lower, int upper)
{
    e->lower = lower > e->lower ? lower : e->lower;
    e->upper = upper < e->upper ? upper : e->upper;
}

/* Narrows the bounds by the attacker's success or failure at a threshold. */
static inline void kr_narrow_bounds(kr_bounds_entry *e, int threshold, bool succeeds)
{
    bool at_least = (threshold > 0) == succeeds;
    kr_intersect_bounds(e, at_least ? threshold : e->lower, at_least ? e->upper : threshold - 1);
}

#endif
