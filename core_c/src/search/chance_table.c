/* The table of the searches of winning probabilities.
 *
 * Idea: all entries of one base, number of plies and kind are in one bucket, because each of them may match a position
 * that agrees on the details that its proof has read. A bucket keeps signatures of its entries, so most are skipped
 * without being read.
 *
 * Invariants: positions are compared in full, so the table never changes an answer; threads lock a bucket, or continue
 * without it. */
#include "search/chance_internal.h"

#include <stdlib.h>

#include "common/threads.h"

enum { SLOTS = 256, SIGNATURES_PER_STEP = 32, SLOTS_TO_REPLACE = 16, LEAST_VALUES = 4 };
/* A thread that cannot lock a bucket after this many tries continues without it; found by trial. */
enum { LOCK_TRIES = 1 << 10 };

/* In a tag: the values are exact. Above the plies, below the kind. */
static const uint64_t EXACT = 1 << 15;

_Static_assert(RF_MAX_HORIZON + 1 < 1 << 15, "plies and 1 fit below the flag");
_Static_assert(RF_MAX_HORIZON <= UINT8_MAX, "plies fit a byte");

/* What is read first. */
typedef struct {
    uint32_t lock; /* taken only if the table is shared */
    uint16_t used; /* slots, from the first on */
    uint16_t next; /* where the next entry to be replaced is looked for */
    uint16_t signatures[SLOTS]; /* the low bits of the hash */
    uint8_t plies[SLOTS];
} bucket;

/* An entry: its tag (plies and 1, EXACT, kind), the words of the base, what its proof has read, the details there, the
 * values. */
struct rf_chance_table {
    const rf_mask_part *masks;
    bucket *buckets;
    uint64_t *entries; /* SLOTS a bucket */
    uint64_t count;    /* of buckets, below 2^32 */
    rf_in_progress *in_progress; /* NULL if the table is not shared */
    size_t base_size, base_words, detail_words, values, entry_words;
};

rf_chance_table *rf_chance_table_new(const rf_game *game, unsigned players, uint64_t bytes)
{
    struct rf_chance_table *t = malloc(sizeof *t);
    if (t == NULL)
        return NULL;
    t->masks = game->chances != NULL ? game->chances->masks : NULL;
    t->base_size = t->masks != NULL ? t->masks->base_size : game->state_size;
    t->base_words = (t->base_size + 7) / 8;
    t->detail_words = t->masks != NULL ? RF_DETAIL_WORDS : 0;
    t->values = players + 1 > LEAST_VALUES ? players + 1 : LEAST_VALUES;
    t->entry_words = 1 + t->base_words + 2 * t->detail_words + t->values;
    t->in_progress = NULL;
    const size_t entry_bytes = SLOTS * t->entry_words * sizeof *t->entries;
    t->count = bytes / (sizeof *t->buckets + entry_bytes);
    if (t->count == 0)
        t->count = 1;
    if (t->count > UINT32_MAX)
        t->count = UINT32_MAX;
    bool fits_memory = t->count <= SIZE_MAX / entry_bytes;
    t->buckets = fits_memory ? calloc(t->count, sizeof *t->buckets) : NULL;
    t->entries = fits_memory ? malloc(t->count * entry_bytes) : NULL;
    if (t->buckets == NULL || t->entries == NULL) {
        rf_chance_table_free(t);
        return NULL;
    }
    return t;
}

void rf_chance_table_free(rf_chance_table *t)
{
    if (t != NULL) {
        free(t->buckets);
        free(t->entries);
        rf_in_progress_free(t->in_progress);
        free(t);
    }
}

bool rf_chance_table_share(rf_chance_table *t)
{
    if (t->in_progress == NULL)
        t->in_progress = rf_in_progress_new();
    return t->in_progress != NULL;
}

bool rf_chance_table_is_shared(const rf_chance_table *t) { return t->in_progress != NULL; }

rf_chance_key rf_chance_key_of(const rf_chance_search *s, const rf_state *state, unsigned plies)
{
    const struct rf_chance_table *t = s->table;
    rf_chance_key k;
    if (t == NULL)
        return (rf_chance_key){0};
    k.tag = s->kind << 16 | (plies + 1u);
    k.base[t->base_words - 1] = 0;
    if (t->masks != NULL)
        t->masks->split(s->ctx, state, k.base, &k.details);
    else
        memcpy(k.base, state, t->base_size);
    k.hash = rf_mix(rf_hash_bytes(k.base, t->base_size), k.tag);
    return k;
}

/* By the high bits of the hash, the low ones being the signature. */
static uint64_t bucket_of(const struct rf_chance_table *t, const rf_chance_key *k)
{
    return (k->hash >> 32) * t->count >> 32;
}

static uint64_t *entry_at(const struct rf_chance_table *t, uint64_t number, unsigned slot)
{
    return t->entries + (number * SLOTS + slot) * t->entry_words;
}

/* False if another thread keeps the bucket for too long. */
static bool lock(const struct rf_chance_table *t, bucket *b)
{
    if (t->in_progress == NULL)
        return true;
    for (unsigned i = 0; i < LOCK_TRIES; i++)
        if (__atomic_exchange_n(&b->lock, 1, __ATOMIC_ACQUIRE) == 0)
            return true;
    return false;
}

static void unlock(const struct rf_chance_table *t, bucket *b)
{
    if (t->in_progress != NULL)
        __atomic_store_n(&b->lock, 0, __ATOMIC_RELEASE);
}

/* Whether an entry has this base and agrees on the details that its proof has read. */
static bool entry_matches(const struct rf_chance_table *t, const uint64_t *entry, const rf_chance_key *k)
{
    if ((entry[0] & ~EXACT) != k->tag)
        return false;
    const uint64_t *reads = entry + 1 + t->base_words, *details = reads + t->detail_words;
    uint64_t differ = 0;
    for (size_t i = 0; i < t->base_words; i++)
        differ |= entry[1 + i] ^ k->base[i];
    for (size_t i = 0; i < t->detail_words; i++)
        differ |= (k->details.word[i] ^ details[i]) & reads[i];
    return differ == 0;
}

/* One of these signatures is the one looked for. Without a branch: compilers make vector code of it. */
static bool any_of(const uint16_t *signatures, uint16_t wanted)
{
    uint16_t found = 0;
    for (unsigned i = 0; i < SIGNATURES_PER_STEP; i++)
        found |= (uint16_t)(signatures[i] == wanted);
    return found != 0;
}

/* The slot of an entry that holds, an exact one if there is one; SLOTS without. */
static unsigned slot_of(const struct rf_chance_table *t, uint64_t number, const rf_chance_key *k)
{
    const bucket *b = &t->buckets[number];
    const uint16_t wanted = (uint16_t)k->hash;
    unsigned found = SLOTS;
    for (unsigned from = 0; from < b->used; from += SIGNATURES_PER_STEP) {
        if (!any_of(b->signatures + from, wanted))
            continue;
        for (unsigned slot = from; slot < b->used && slot < from + SIGNATURES_PER_STEP; slot++) {
            if (b->signatures[slot] != wanted || !entry_matches(t, entry_at(t, number, slot), k))
                continue;
            if ((entry_at(t, number, slot)[0] & EXACT) != 0)
                return slot;
            found = slot;
        }
    }
    return found;
}

static size_t values_at(const struct rf_chance_table *t) { return 1 + t->base_words + 2 * t->detail_words; }

bool rf_chance_find(const rf_chance_search *s, const rf_chance_key *key, uint64_t *values, rf_details *reads)
{
    const struct rf_chance_table *t = s->table;
    const uint64_t number = bucket_of(t, key);
    bucket *b = &t->buckets[number];
    if (!lock(t, b))
        return false;
    const unsigned slot = slot_of(t, number, key);
    if (slot < SLOTS) {
        const uint64_t *entry = entry_at(t, number, slot);
        *reads = (rf_details){0};
        memcpy(reads, entry + 1 + t->base_words, t->detail_words * 8);
        memcpy(values, entry + values_at(t), t->values * 8);
    }
    unlock(t, b);
    return slot < SLOTS;
}

/* A free slot; in a full bucket the slot with the fewest plies among the next SLOTS_TO_REPLACE slots. */
static unsigned slot_to_fill(bucket *b)
{
    if (b->used < SLOTS)
        return b->used++;
    unsigned least = b->next;
    for (unsigned i = 1; i < SLOTS_TO_REPLACE; i++)
        if (b->plies[b->next + i] < b->plies[least])
            least = b->next + i;
    b->next = (uint16_t)((b->next + SLOTS_TO_REPLACE) % SLOTS);
    return least;
}

void rf_chance_store(const rf_chance_search *s, const rf_chance_key *key, const uint64_t *values, bool exact,
                     const rf_details *reads)
{
    const struct rf_chance_table *t = s->table;
    const uint64_t number = bucket_of(t, key);
    bucket *b = &t->buckets[number];
    if (!lock(t, b))
        return;
    unsigned slot = slot_of(t, number, key);
    const bool found = slot < SLOTS;
    if (!found)
        slot = slot_to_fill(b);
    uint64_t *entry = entry_at(t, number, slot);
    if (!found || exact || (entry[0] & EXACT) == 0) {
        b->signatures[slot] = (uint16_t)key->hash;
        b->plies[slot] = (uint8_t)((key->tag & (EXACT - 1)) - 1);
        entry[0] = exact ? key->tag | EXACT : key->tag;
        memcpy(entry + 1, key->base, t->base_words * 8);
        memcpy(entry + 1 + t->base_words, reads, t->detail_words * 8);
        memcpy(entry + 1 + t->base_words + t->detail_words, &key->details, t->detail_words * 8);
        memcpy(entry + values_at(t), values, t->values * 8);
    }
    unlock(t, b);
}

/* ---- what threads are at ---- */

void rf_chance_enter(const rf_chance_search *s, const rf_chance_key *key, unsigned plies)
{
    if (s->shared && plies >= RF_SHARED_PLIES)
        rf_progress_begin(s->table->in_progress, key->hash);
}

void rf_chance_leave(const rf_chance_search *s, const rf_chance_key *key, unsigned plies)
{
    if (s->shared && plies >= RF_SHARED_PLIES)
        rf_progress_end(s->table->in_progress, key->hash);
}

bool rf_chance_in_progress(const rf_chance_search *s, const rf_chance_key *key)
{
    return rf_is_in_progress(s->table->in_progress, key->hash);
}
