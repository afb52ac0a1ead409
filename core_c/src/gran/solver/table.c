/* The table of the searches of winning probabilities.
 *
 * Idea: all entries of one fixed part, number of plies and kind are in one bucket, because each of them may match a
 * position that agrees on the mask bits that its proof has read. A bucket keeps signatures of its entries, so most
 * are skipped without being read.
 *
 * Invariants: positions are compared in full, so the table never changes an answer; threads lock a bucket, or
 * continue without it.
 *
 * Example: with the ring far away a stone on b2 or on c2 does not matter; the two positions share one entry, whose
 * mask contains neither point. */
#include "gran/solver/search.h"

#include <stdlib.h>

#include "common/threads.h"

enum { GR_SLOTS = 256, GR_SIGNATURES_PER_STEP = 32, GR_SLOTS_TO_REPLACE = 16, GR_MIN_VALUES = 4 };
/* A thread that cannot lock a bucket after this many tries continues without it; found by trial. */
enum { GR_LOCK_TRIES = 1 << 10 };

/* In a tag: the values are exact. Above the plies, below the kind. */
static const uint64_t GR_EXACT = 1 << 15;

_Static_assert(RF_MAX_HORIZON + 1 < 1 << 15, "plies and 1 fit below the flag");
_Static_assert(RF_MAX_HORIZON <= UINT8_MAX, "plies fit a byte");

/* The part of a bucket that is read first. */
typedef struct {
    uint32_t lock; /* taken only if the table is shared */
    uint16_t used; /* slots, from the first on */
    uint16_t next; /* where the next entry to be replaced is looked for */
    uint16_t signatures[GR_SLOTS]; /* the low bits of the hash */
    uint8_t plies[GR_SLOTS];
} gr_bucket;

/* An entry: its tag (plies + 1, GR_EXACT, kind), the words of the fixed part, the mask of its proof, the mask bits of
 * the position, the values. */
typedef struct gr_table {
    struct rf_chance_table header; /* first */
    gr_bucket *buckets;
    uint64_t *entries; /* GR_SLOTS per bucket */
    uint64_t count;    /* of buckets, below 2^32 */
    rf_in_progress *in_progress; /* NULL if the table is not shared */
    size_t values, entry_words;
} gr_table;

static gr_table *gr_table_of(const rf_chance_table *table) { return (gr_table *)(uintptr_t)table; }

rf_chance_table *gr_new_table(unsigned players, uint64_t bytes)
{
    gr_table *t = malloc(sizeof *t);
    if (t == NULL)
        return NULL;
    t->values = players + 1 > GR_MIN_VALUES ? players + 1 : GR_MIN_VALUES;
    t->entry_words = 1 + GR_FIXED_WORDS + 2 * GR_MASK_WORDS + t->values;
    t->in_progress = NULL;
    const size_t entry_bytes = GR_SLOTS * t->entry_words * sizeof *t->entries;
    t->count = bytes / (sizeof *t->buckets + entry_bytes);
    if (t->count == 0)
        t->count = 1;
    if (t->count > UINT32_MAX)
        t->count = UINT32_MAX;
    bool fits_memory = t->count <= SIZE_MAX / entry_bytes;
    t->buckets = fits_memory ? calloc(t->count, sizeof *t->buckets) : NULL;
    t->entries = fits_memory ? malloc(t->count * entry_bytes) : NULL;
    if (t->buckets == NULL || t->entries == NULL) {
        gr_free_table(&t->header);
        return NULL;
    }
    return &t->header;
}

void gr_free_table(rf_chance_table *table)
{
    gr_table *t = gr_table_of(table);
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

/* By the high bits of the hash, the low ones being the signature. */
static uint64_t gr_bucket_of(const gr_table *t, const gr_key *k)
{
    return (k->hash >> 32) * t->count >> 32;
}

static uint64_t *gr_entry_at(const gr_table *t, uint64_t number, unsigned slot)
{
    return t->entries + (number * GR_SLOTS + slot) * t->entry_words;
}

/* False if another thread keeps the bucket for too long. */
static bool gr_lock(const gr_table *t, gr_bucket *b)
{
    if (t->in_progress == NULL)
        return true;
    for (unsigned i = 0; i < GR_LOCK_TRIES; i++)
        if (__atomic_exchange_n(&b->lock, 1, __ATOMIC_ACQUIRE) == 0)
            return true;
    return false;
}

static void gr_unlock(const gr_table *t, gr_bucket *b)
{
    if (t->in_progress != NULL)
        __atomic_store_n(&b->lock, 0, __ATOMIC_RELEASE);
}

/* Whether an entry has this fixed part and agrees on the mask bits that its proof has read. */
static bool gr_entry_matches(const uint64_t *entry, const gr_key *k)
{
    if ((entry[0] & ~GR_EXACT) != k->tag)
        return false;
    const uint64_t *mask = entry + 1 + GR_FIXED_WORDS, *bits = mask + GR_MASK_WORDS;
    uint64_t differ = 0;
    for (size_t i = 0; i < GR_FIXED_WORDS; i++)
        differ |= entry[1 + i] ^ k->fixed[i];
    for (size_t i = 0; i < GR_MASK_WORDS; i++)
        differ |= (k->bits.word[i] ^ bits[i]) & mask[i];
    return differ == 0;
}

/* Whether `signature` is among these signatures. Without branches, so that compilers make vector code of it. */
static bool gr_any_of(const uint16_t *signatures, uint16_t signature)
{
    uint16_t found = 0;
    for (unsigned i = 0; i < GR_SIGNATURES_PER_STEP; i++)
        found |= (uint16_t)(signatures[i] == signature);
    return found != 0;
}

/* The slot of a matching entry, an exact one if there is one; GR_SLOTS if none matches. */
static unsigned gr_slot_of(const gr_table *t, uint64_t number, const gr_key *k)
{
    const gr_bucket *b = &t->buckets[number];
    const uint16_t signature = (uint16_t)k->hash;
    unsigned found = GR_SLOTS;
    for (unsigned from = 0; from < b->used; from += GR_SIGNATURES_PER_STEP) {
        if (!gr_any_of(b->signatures + from, signature))
            continue;
        for (unsigned slot = from; slot < b->used && slot < from + GR_SIGNATURES_PER_STEP; slot++) {
            if (b->signatures[slot] != signature || !gr_entry_matches(gr_entry_at(t, number, slot), k))
                continue;
            if ((gr_entry_at(t, number, slot)[0] & GR_EXACT) != 0)
                return slot;
            found = slot;
        }
    }
    return found;
}

enum { GR_VALUES_AT = 1 + GR_FIXED_WORDS + 2 * GR_MASK_WORDS };

bool gr_find_entry(const gr_search *s, const gr_key *key, uint64_t *values, gr_mask *mask)
{
    const gr_table *t = gr_table_of(s->table);
    const uint64_t number = gr_bucket_of(t, key);
    gr_bucket *b = &t->buckets[number];
    if (!gr_lock(t, b))
        return false;
    const unsigned slot = gr_slot_of(t, number, key);
    if (slot < GR_SLOTS) {
        const uint64_t *entry = gr_entry_at(t, number, slot);
        *mask = (gr_mask){0};
        memcpy(mask, entry + 1 + GR_FIXED_WORDS, GR_MASK_WORDS * 8);
        memcpy(values, entry + GR_VALUES_AT, t->values * 8);
    }
    gr_unlock(t, b);
    return slot < GR_SLOTS;
}

/* A free slot; in a full bucket the slot with the fewest plies among the next GR_SLOTS_TO_REPLACE. */
static unsigned gr_slot_to_fill(gr_bucket *b)
{
    if (b->used < GR_SLOTS)
        return b->used++;
    unsigned victim = b->next;
    for (unsigned i = 1; i < GR_SLOTS_TO_REPLACE; i++)
        if (b->plies[b->next + i] < b->plies[victim])
            victim = b->next + i;
    b->next = (uint16_t)((b->next + GR_SLOTS_TO_REPLACE) % GR_SLOTS);
    return victim;
}

void gr_store_entry(const gr_search *s, const gr_key *key, const uint64_t *values, bool exact, const gr_mask *mask)
{
    const gr_table *t = gr_table_of(s->table);
    const uint64_t number = gr_bucket_of(t, key);
    gr_bucket *b = &t->buckets[number];
    if (!gr_lock(t, b))
        return;
    unsigned slot = gr_slot_of(t, number, key);
    const bool found = slot < GR_SLOTS;
    if (!found)
        slot = gr_slot_to_fill(b);
    uint64_t *entry = gr_entry_at(t, number, slot);
    if (!found || exact || (entry[0] & GR_EXACT) == 0) {
        b->signatures[slot] = (uint16_t)key->hash;
        b->plies[slot] = (uint8_t)((key->tag & (GR_EXACT - 1)) - 1);
        entry[0] = exact ? key->tag | GR_EXACT : key->tag;
        memcpy(entry + 1, key->fixed, GR_FIXED_WORDS * 8);
        memcpy(entry + 1 + GR_FIXED_WORDS, mask, GR_MASK_WORDS * 8);
        memcpy(entry + 1 + GR_FIXED_WORDS + GR_MASK_WORDS, &key->bits, GR_MASK_WORDS * 8);
        memcpy(entry + GR_VALUES_AT, values, t->values * 8);
    }
    gr_unlock(t, b);
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
