/* The table of the searches of winning probabilities.
 *
 * Idea: an entry applies to every position that agrees with its own on the mask bits that its proof has read, so its
 * slot depends on these bits only. Positions with one fixed part, number of plies and kind of search have few different
 * masks; a second hash table, the masks, lists them, and a lookup tries each.
 *
 * Invariants: positions are compared in full, so the table never changes an answer; threads lock a bucket, or
 * continue without it.
 *
 * Example: with the ring far away a stone on b2 or on c2 does not matter; the two positions share one entry, whose
 * mask contains neither point. */
#include "gran/solver/search.h"

#include <stdlib.h>

#include "common/threads.h"

enum { GR_SLOTS = 16, GR_MASK_SLOTS = 16, GR_MIN_VALUES = 4 };
/* The masks get this part of the memory; found by trial. */
enum { GR_MASK_SHARE = 8 };
/* A thread that cannot lock a bucket after this many tries continues without it; found by trial. */
enum { GR_LOCK_TRIES = 1 << 10 };

/* In a tag: the values are exact. Above the plies, below the kind. */
static const uint64_t GR_EXACT = 1 << 15;

_Static_assert(RF_MAX_HORIZON + 1 < 1 << 15, "plies and 1 fit below the flag");
_Static_assert(RF_MAX_HORIZON <= UINT8_MAX, "plies fit a byte");

/* The part of a bucket of entries that is read first. */
typedef struct {
    uint32_t lock; /* taken only if the table is shared */
    uint16_t used; /* slots, from the first on */
    uint16_t next; /* where the next entry to be replaced is looked for */
    uint16_t signatures[GR_SLOTS]; /* the low bits of the hash */
    uint8_t plies[GR_SLOTS];
} gr_bucket;

/* Masks of the keys whose hashes lead here. */
typedef struct {
    uint32_t lock;                      /* as in gr_bucket */
    uint16_t used, next;                /* slots, from the first on; the next one to be replaced */
    uint16_t signatures[GR_MASK_SLOTS]; /* the low bits of the keys' hashes */
    gr_mask masks[GR_MASK_SLOTS];
} gr_mask_bucket;

/* An entry: its tag (plies + 1, GR_EXACT, kind), the words of the fixed part, the mask of its proof, the mask bits of
 * the position, the values. */
enum {
    GR_MASK_AT = 1 + GR_FIXED_WORDS,
    GR_BITS_AT = GR_MASK_AT + GR_MASK_WORDS,
    GR_VALUES_AT = GR_BITS_AT + GR_MASK_WORDS
};

typedef struct gr_table {
    struct rf_chance_table header; /* first */
    gr_mask_bucket *masks;
    gr_bucket *buckets;
    uint64_t *entries; /* GR_SLOTS per bucket */
    uint64_t mask_count, count; /* of both kinds of buckets, below 2^32 */
    rf_in_progress *in_progress; /* NULL if the table is not shared */
    size_t values, entry_words;
} gr_table;

/* Masks that a lookup tries. */
typedef struct {
    unsigned count;
    gr_mask masks[GR_MASK_SLOTS];
} gr_mask_list;

/* A slot and its bucket. */
typedef struct {
    uint64_t bucket;
    unsigned slot; /* GR_SLOTS: none */
} gr_place;

static gr_table *gr_table_of(const rf_chance_table *table) { return (gr_table *)(uintptr_t)table; }

/* A number of buckets within bounds. */
static uint64_t gr_count_of(uint64_t count)
{
    return count == 0 ? 1 : count > UINT32_MAX ? UINT32_MAX : count;
}

rf_chance_table *gr_new_table(unsigned players, uint64_t bytes)
{
    gr_table *t = malloc(sizeof *t);
    if (t == NULL)
        return NULL;
    t->values = players + 1 > GR_MIN_VALUES ? players + 1 : GR_MIN_VALUES;
    t->entry_words = GR_VALUES_AT + t->values;
    t->in_progress = NULL;
    const size_t entry_bytes = GR_SLOTS * t->entry_words * sizeof *t->entries;
    t->mask_count = gr_count_of(bytes / GR_MASK_SHARE / sizeof *t->masks);
    t->count = gr_count_of((bytes - bytes / GR_MASK_SHARE) / (sizeof *t->buckets + entry_bytes));
    bool fits_memory = t->count <= SIZE_MAX / entry_bytes;
    t->masks = calloc(t->mask_count, sizeof *t->masks);
    t->buckets = fits_memory ? calloc(t->count, sizeof *t->buckets) : NULL;
    t->entries = fits_memory ? malloc(t->count * entry_bytes) : NULL;
    if (t->masks == NULL || t->buckets == NULL || t->entries == NULL) {
        gr_free_table(&t->header);
        return NULL;
    }
    return &t->header;
}

void gr_free_table(rf_chance_table *table)
{
    gr_table *t = gr_table_of(table);
    free(t->masks);
    free(t->buckets);
    free(t->entries);
    rf_in_progress_free(t->in_progress);
    free(t);
}

bool gr_share_table(rf_chance_table *table)
{
    gr_table *t = gr_table_of(table);
    if (t->in_progress == NULL)
        t->in_progress = rf_in_progress_new();
    return t->in_progress != NULL;
}

bool gr_table_is_shared(const rf_chance_table *table) { return gr_table_of(table)->in_progress != NULL; }

gr_key gr_key_of(const gr_search *s, const rf_state *state, unsigned plies)
{
    gr_fixed fixed;
    gr_key k;
    if (s->table == NULL)
        return (gr_key){0};
    k.tag = s->kind << 16 | (plies + 1u);
    k.fixed[GR_FIXED_WORDS - 1] = 0;
    gr_split_state(state, &fixed, &k.bits);
    memcpy(k.fixed, &fixed, sizeof fixed);
    k.hash = rf_mix(rf_hash_bytes(k.fixed, sizeof fixed), k.tag);
    return k;
}

/* A bucket by the high bits of a hash, the low ones being the signature. */
static uint64_t gr_bucket_of(uint64_t hash, uint64_t count) { return (hash >> 32) * count >> 32; }

/* The hash of the entries with this mask that match the key. */
static uint64_t gr_hash_under(const gr_key *k, const gr_mask *mask)
{
    uint64_t hash = k->hash;
    for (size_t i = 0; i < GR_MASK_WORDS; i++)
        hash = rf_mix(rf_mix(hash, mask->word[i]), k->bits.word[i] & mask->word[i]);
    return hash;
}

static uint64_t *gr_entry_at(const gr_table *t, gr_place at)
{
    return t->entries + (at.bucket * GR_SLOTS + at.slot) * t->entry_words;
}

/* False if another thread keeps the bucket for too long. */
static bool gr_lock(const gr_table *t, uint32_t *lock)
{
    if (t->in_progress == NULL)
        return true;
    for (unsigned i = 0; i < GR_LOCK_TRIES; i++)
        if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) == 0)
            return true;
    return false;
}

static void gr_unlock(const gr_table *t, uint32_t *lock)
{
    if (t->in_progress != NULL)
        __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* ---- the masks ---- */

/* The masks of a key; keys with one signature may share them. */
static void gr_list_masks(const gr_table *t, const gr_key *k, gr_mask_list *out)
{
    gr_mask_bucket *b = &t->masks[gr_bucket_of(k->hash, t->mask_count)];
    out->count = 0;
    if (!gr_lock(t, &b->lock))
        return;
    for (unsigned slot = 0; slot < b->used; slot++)
        if (b->signatures[slot] == (uint16_t)k->hash)
            out->masks[out->count++] = b->masks[slot];
    gr_unlock(t, &b->lock);
}

/* Adds a mask to those of a key. */
static void gr_list_mask(const gr_table *t, const gr_key *k, const gr_mask *mask)
{
    gr_mask_bucket *b = &t->masks[gr_bucket_of(k->hash, t->mask_count)];
    if (!gr_lock(t, &b->lock))
        return;
    unsigned slot = 0;
    while (slot < b->used &&
           (b->signatures[slot] != (uint16_t)k->hash || memcmp(&b->masks[slot], mask, sizeof *mask) != 0))
        slot++;
    if (slot == b->used) {
        if (b->used < GR_MASK_SLOTS) {
            b->used++;
        } else {
            slot = b->next;
            b->next = (uint16_t)((b->next + 1) % GR_MASK_SLOTS);
        }
        b->signatures[slot] = (uint16_t)k->hash;
        b->masks[slot] = *mask;
    }
    gr_unlock(t, &b->lock);
}

/* ---- the entries ---- */

/* Whether an entry has this fixed part and mask, and agrees on the mask bits that its proof has read. */
static bool gr_entry_matches(const uint64_t *entry, const gr_key *k, const gr_mask *mask)
{
    uint64_t differ = (entry[0] & ~GR_EXACT) ^ k->tag;
    for (size_t i = 0; i < GR_FIXED_WORDS; i++)
        differ |= entry[1 + i] ^ k->fixed[i];
    for (size_t i = 0; i < GR_MASK_WORDS; i++)
        differ |= (entry[GR_MASK_AT + i] ^ mask->word[i]) | ((k->bits.word[i] ^ entry[GR_BITS_AT + i]) & mask->word[i]);
    return differ == 0;
}

/* The slot of the matching entry with this mask. The caller locks the bucket. */
static gr_place gr_place_of(const gr_table *t, uint64_t bucket, const gr_key *k, const gr_mask *mask, uint64_t hash)
{
    const gr_bucket *b = &t->buckets[bucket];
    gr_place at = {bucket, 0};
    for (; at.slot < b->used; at.slot++)
        if (b->signatures[at.slot] == (uint16_t)hash && gr_entry_matches(gr_entry_at(t, at), k, mask))
            return at;
    at.slot = GR_SLOTS;
    return at;
}

bool gr_find_entry(const gr_search *s, const gr_key *key, uint64_t *values, gr_mask *mask)
{
    const gr_table *t = gr_table_of(s->table);
    gr_mask_list list;
    bool found = false, exact = false;
    gr_list_masks(t, key, &list);
    for (unsigned i = list.count; !exact && i-- > 0;) {
        const uint64_t hash = gr_hash_under(key, &list.masks[i]), number = gr_bucket_of(hash, t->count);
        gr_bucket *b = &t->buckets[number];
        if (!gr_lock(t, &b->lock))
            continue;
        const gr_place at = gr_place_of(t, number, key, &list.masks[i], hash);
        if (at.slot < GR_SLOTS) {
            const uint64_t *entry = gr_entry_at(t, at);
            exact = (entry[0] & GR_EXACT) != 0;
            if (!found || exact) {
                *mask = list.masks[i];
                memcpy(values, entry + GR_VALUES_AT, t->values * 8);
            }
            found = true;
        }
        gr_unlock(t, &b->lock);
    }
    return found;
}

/* A free slot; in a full bucket the slot with the fewest plies. */
static unsigned gr_slot_to_fill(gr_bucket *b)
{
    if (b->used < GR_SLOTS)
        return b->used++;
    unsigned victim = b->next;
    for (unsigned i = 1; i < GR_SLOTS; i++)
        if (b->plies[(b->next + i) % GR_SLOTS] < b->plies[victim])
            victim = (b->next + i) % GR_SLOTS;
    b->next = (uint16_t)((victim + 1) % GR_SLOTS);
    return victim;
}

void gr_store_entry(const gr_search *s, const gr_key *key, const uint64_t *values, bool exact, const gr_mask *mask)
{
    const gr_table *t = gr_table_of(s->table);
    const uint64_t hash = gr_hash_under(key, mask), number = gr_bucket_of(hash, t->count);
    gr_bucket *b = &t->buckets[number];
    gr_list_mask(t, key, mask);
    if (!gr_lock(t, &b->lock))
        return;
    gr_place at = gr_place_of(t, number, key, mask, hash);
    const bool found = at.slot < GR_SLOTS;
    if (!found)
        at.slot = gr_slot_to_fill(b);
    uint64_t *entry = gr_entry_at(t, at);
    if (!found || exact || (entry[0] & GR_EXACT) == 0) {
        b->signatures[at.slot] = (uint16_t)hash;
        b->plies[at.slot] = (uint8_t)((key->tag & (GR_EXACT - 1)) - 1);
        entry[0] = exact ? key->tag | GR_EXACT : key->tag;
        memcpy(entry + 1, key->fixed, GR_FIXED_WORDS * 8);
        memcpy(entry + GR_MASK_AT, mask, GR_MASK_WORDS * 8);
        memcpy(entry + GR_BITS_AT, &key->bits, GR_MASK_WORDS * 8);
        memcpy(entry + GR_VALUES_AT, values, t->values * 8);
    }
    gr_unlock(t, &b->lock);
}

/* ---- positions that threads are searching ---- */

void gr_mark_position(const gr_search *s, const gr_key *key, unsigned plies)
{
    if (s->shared && plies >= GR_SHARED_PLIES)
        rf_progress_begin(gr_table_of(s->table)->in_progress, key->hash);
}

void gr_unmark_position(const gr_search *s, const gr_key *key, unsigned plies)
{
    if (s->shared && plies >= GR_SHARED_PLIES)
        rf_progress_end(gr_table_of(s->table)->in_progress, key->hash);
}

bool gr_is_marked(const gr_search *s, const gr_key *key)
{
    return rf_is_in_progress(gr_table_of(s->table)->in_progress, key->hash);
}
