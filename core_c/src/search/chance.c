#include "search/chance_internal.h"

#include <stdlib.h>

#include "common/in_progress.h"

/* ---- the table ---- */

enum { SLOTS = 4, LEAST_VALUES = 4, BASE_WORDS = RF_STATE_SIZE / 8 };
/* A thread that does not get a bucket after so many tries goes on without it. */
enum { LOCK_TRIES = 1 << 10 };

/* In a tag: the values are exact. Above the plies, below the kind. */
static const uint64_t EXACT = 1 << 15;

_Static_assert(RF_MAX_HORIZON + 1 < 1 << 15, "plies and 1 fit below the flag");

/* A bucket: a lock, which is taken only if the table is shared, and SLOTS entries. An entry: its tag (plies, EXACT, kind;
 * 0 if empty), the words of the base, what its proof has read and the details there, the values. */
struct rf_chance_table {
    const rf_mask_part *masks;
    uint64_t *words;
    uint64_t mask; /* over buckets */
    rf_in_progress *in_progress; /* NULL if the table is not shared */
    size_t base_size, base_words, detail_words, values, entry_words, bucket_words;
};

/* A position as the table knows it. */
typedef struct {
    uint64_t tag, hash;
    uint64_t base[BASE_WORDS]; /* base_words of them, the last one filled up with zeros */
    rf_details details;
} key;

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
    t->bucket_words = 1 + SLOTS * t->entry_words;
    t->in_progress = NULL;
    uint64_t buckets = 64;
    while (buckets <= bytes / (8 * t->bucket_words) / 2 && buckets < (UINT64_C(1) << 36))
        buckets *= 2;
    t->mask = buckets - 1;
    t->words = buckets > SIZE_MAX / (8 * t->bucket_words) ? NULL : calloc(buckets * t->bucket_words, 8);
    if (t->words == NULL) {
        free(t);
        return NULL;
    }
    return t;
}

void rf_chance_table_free(rf_chance_table *t)
{
    if (t != NULL) {
        free(t->words);
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

static key key_of(const search *s, const rf_state *state, unsigned plies)
{
    const struct rf_chance_table *t = s->table;
    key k;
    k.tag = s->kind << 16 | (plies + 1u);
    k.base[t->base_words - 1] = 0;
    if (t->masks != NULL)
        t->masks->split(s->ctx, state, k.base, &k.details);
    else
        memcpy(k.base, state, t->base_size);
    k.hash = rf_mix(rf_hash_bytes(k.base, t->base_size), k.tag);
    return k;
}

static uint64_t *bucket_of(const struct rf_chance_table *t, const key *k)
{
    return t->words + (k->hash & t->mask) * t->bucket_words;
}

/* False if another thread keeps the bucket for too long. */
static bool lock(const struct rf_chance_table *t, uint64_t *bucket)
{
    if (t->in_progress == NULL)
        return true;
    for (unsigned i = 0; i < LOCK_TRIES; i++)
        if (__atomic_exchange_n(bucket, 1, __ATOMIC_ACQUIRE) == 0)
            return true;
    return false;
}

static void unlock(const struct rf_chance_table *t, uint64_t *bucket)
{
    if (t->in_progress != NULL)
        __atomic_store_n(bucket, 0, __ATOMIC_RELEASE);
}

/* Whether the entry is one of this base, and agrees on what its proof has read. */
static bool entry_holds(const struct rf_chance_table *t, const uint64_t *entry, const key *k)
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

static size_t values_at(const struct rf_chance_table *t) { return 1 + t->base_words + 2 * t->detail_words; }

bool rf_chance_find(const search *s, const rf_state *state, unsigned plies, uint64_t *values, rf_details *reads)
{
    const struct rf_chance_table *t = s->table;
    key k = key_of(s, state, plies);
    uint64_t *bucket = bucket_of(t, &k);
    const uint64_t *entry = bucket + 1;
    bool found = false;
    if (!lock(t, bucket))
        return false;
    for (unsigned slot = 0; slot < SLOTS; slot++, entry += t->entry_words) {
        found = entry_holds(t, entry, &k);
        if (!found)
            continue;
        *reads = (rf_details){0};
        memcpy(reads, entry + 1 + t->base_words, t->detail_words * 8);
        memcpy(values, entry + values_at(t), t->values * 8);
        break;
    }
    unlock(t, bucket);
    return found;
}

static unsigned plies_and_1(const uint64_t *entry) { return (unsigned)(entry[0] & (EXACT - 1)); }

/* All slots but the last keep what took more plies. */
void rf_chance_store(const search *s, const rf_state *state, unsigned plies, const uint64_t *values, bool exact,
                     const rf_details *reads)
{
    const struct rf_chance_table *t = s->table;
    key k = key_of(s, state, plies);
    uint64_t *bucket = bucket_of(t, &k), *entry = bucket + 1, *least = entry;
    if (!lock(t, bucket))
        return;
    bool found = entry_holds(t, entry, &k);
    for (unsigned slot = 1; slot < SLOTS && !found; slot++) {
        entry += t->entry_words;
        found = entry_holds(t, entry, &k);
        if (slot < SLOTS - 1 && plies_and_1(entry) < plies_and_1(least))
            least = entry;
    }
    if (!found && plies_and_1(least) <= plies + 1)
        entry = least;
    if (!found || exact || (entry[0] & EXACT) == 0) {
        entry[0] = exact ? k.tag | EXACT : k.tag;
        memcpy(entry + 1, k.base, t->base_words * 8);
        memcpy(entry + 1 + t->base_words, reads, t->detail_words * 8);
        memcpy(entry + 1 + t->base_words + t->detail_words, &k.details, t->detail_words * 8);
        memcpy(entry + values_at(t), values, t->values * 8);
    }
    unlock(t, bucket);
}

/* ---- threads ---- */

/* One for all positions with this base: a proof for one of them may hold for the others. 0 is none. */
static uint64_t question_of(const search *s, const rf_state *state, unsigned plies)
{
    return key_of(s, state, plies).hash;
}

uint64_t rf_chance_enter(const search *s, const rf_state *state, unsigned plies)
{
    if (!s->shared || plies < RF_SHARED_PLIES)
        return 0;
    uint64_t question = question_of(s, state, plies);
    rf_progress_begin(s->table->in_progress, question);
    return question;
}

void rf_chance_leave(const search *s, uint64_t question)
{
    if (question != 0)
        rf_progress_end(s->table->in_progress, question);
}

static bool another_is_at(const search *s, const rf_state *state, unsigned plies, const child *c)
{
    rf_state next;
    after(s, state, c->ply, &next);
    return rf_is_in_progress(s->table->in_progress, question_of(s, &next, plies - 1));
}

bool rf_chance_look(search *s, const rf_state *state, unsigned plies, const void *asked, rf_chance_answered *answered)
{
    s->path[plies] = (step){state, asked};
    if (s->control->nodes < s->next_look)
        return false;
    s->next_look = s->control->nodes + RF_NODES_BETWEEN_LOOKS;
    for (unsigned left = s->most_plies; left > plies; left--)
        if (answered(s, &s->path[left], left)) {
            s->answered = left;
            return true;
        }
    return false;
}

bool rf_chance_returned(search *s, unsigned plies)
{
    if (s->answered != plies || s->control->stopped != RF_DONE)
        return false;
    s->answered = 0;
    return true;
}

/* The first one that was put off. */
static child *first_waiting(queue *q)
{
    while (!q->children[q->first].later)
        q->first++;
    return &q->children[q->first];
}

static child *no_longer_waiting(queue *q, child *c)
{
    c->later = false;
    q->waiting--;
    return c;
}

child *rf_chance_take_shared(const search *s, const rf_state *state, unsigned plies, queue *q)
{
    child *c;
    if (q->waiting > 0) {
        c = first_waiting(q);
        if (q->at == q->count || !another_is_at(s, state, plies, c))
            return no_longer_waiting(q, c); /* done by now, or the two share what is left of it */
    }
    while (q->at < q->count) {
        c = &q->children[q->at++];
        bool may_wait = plies > RF_SHARED_PLIES && (c->weight > 0 || q->at > 1);
        c->later = may_wait && another_is_at(s, state, plies, c);
        if (!c->later)
            return c;
        q->waiting++;
    }
    return q->waiting > 0 ? no_longer_waiting(q, first_waiting(q)) : NULL;
}

/* ---- what both searches need ---- */

search rf_chance_search(const rf_game *game, const void *ctx, const rf_state *state, rf_chance_table *table,
                        rf_control *control)
{
    return (search){.game = game,
                    .ctx = ctx,
                    .masks = game->chances != NULL ? game->chances->masks : NULL,
                    .control = control,
                    .table = table,
                    .shared = table != NULL && table->in_progress != NULL,
                    .players = rf_player_count(game, ctx, state)};
}

bool rf_chance_begin(search *s, unsigned plies)
{
    s->room = (size_t)(plies + 2) * s->game->max_plies; /* one list more, to sort in */
    s->plies = malloc(s->game->max_plies * sizeof *s->plies);
    s->children = malloc(s->room * sizeof *s->children);
    s->proofs = malloc((size_t)(plies + 1) * RF_MOST_PROOFS * sizeof *s->proofs);
    s->path = malloc((size_t)(plies + 1) * sizeof *s->path);
    s->most_plies = plies;
    if (s->plies != NULL && s->children != NULL && s->proofs != NULL && s->path != NULL)
        return true;
    s->control->stopped = RF_STOPPED_MEMORY;
    return false;
}

void rf_chance_end(search *s)
{
    free(s->plies);
    free(s->children);
    free(s->proofs);
    free(s->path);
}

int rf_chance_overflowed(search *s)
{
    s->control->stopped = RF_STOPPED_OVERFLOW;
    return RF_CHANCE_STOPPED;
}

void rf_soonest(const rf_game *game, const void *ctx, const rf_state *state, uint8_t *out)
{
    memset(out, 0, RF_CHANCE_PLAYERS);
    if (game->chances != NULL && game->chances->soonest != NULL) {
        game->chances->soonest(ctx, state, out);
        return;
    }
    int winner = game->outcome(ctx, state);
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        out[i] = winner == (int)i + 1 ? 0 : winner != RF_OUTCOME_NONE ? UINT8_MAX : 1;
}

void rf_chance_next(const search *s, const rf_state *next, sequence *at, child *before, child *now)
{
    unsigned char base[RF_STATE_SIZE];
    rf_details details;
    now->base = 0;
    if (s->masks != NULL) {
        s->masks->split(s->ctx, next, base, &details);
        if (at->any && memcmp(base, at->base, s->masks->base_size) == 0) {
            if (before != NULL && before->base == 0)
                before->base = ++at->number;
            now->base = at->number;
            return;
        }
        memcpy(at->base, base, s->masks->base_size);
        at->any = true;
    }
    soonest(s, next, at->first);
}

bool rf_chance_proved(const search *s, const rf_state *next, const child *c, size_t from)
{
    unsigned char base[RF_STATE_SIZE];
    rf_details details;
    if (c->base == 0)
        return false;
    s->masks->split(s->ctx, next, base, &details);
    for (size_t i = from; i < s->proved; i++) {
        const proof *p = &s->proofs[i];
        uint64_t differ = 0;
        for (unsigned word = 0; word < RF_DETAIL_WORDS; word++)
            differ |= (details.word[word] ^ p->details.word[word]) & p->reads.word[word];
        if (p->base == c->base && p->index < c->index && differ == 0)
            return true;
    }
    return false;
}

void rf_chance_keep_proof(search *s, const rf_state *next, const child *c, size_t from, const rf_details *reads)
{
    unsigned char base[RF_STATE_SIZE];
    if (c->base == 0 || s->proved - from >= RF_MOST_PROOFS)
        return;
    proof *p = &s->proofs[s->proved++];
    s->masks->split(s->ctx, next, base, &p->details);
    p->base = c->base;
    p->index = c->index;
    p->reads = *reads;
}

size_t rf_chance_groups(search *s, const rf_state *state, child *out, uint64_t *total)
{
    size_t plies = s->game->generate(s->ctx, state, s->plies), groups = 0;
    rf_state last, next;
    *total = 0;
    for (size_t i = 0; i < plies; i++) {
        uint32_t weight = rf_weight_of(s->game, s->ctx, state, s->plies[i]);
        *total += weight;
        after(s, state, s->plies[i], &next);
        if (groups > 0 && memcmp(&next, &last, s->game->state_size) == 0) {
            out[groups - 1].weight += weight;
            continue;
        }
        out[groups] = (child){.ply = s->plies[i], .index = (uint16_t)i, .weight = weight};
        groups++;
        last = next;
    }
    return groups;
}

uint32_t rf_split_state(const rf_game *game, const void *ctx, const rf_state *state, uint8_t *base,
                        uint64_t details[RF_DETAIL_WORDS])
{
    const rf_mask_part *masks = game->chances != NULL ? game->chances->masks : NULL;
    rf_details parts = {0};
    uint32_t size = masks != NULL ? masks->base_size : game->state_size;
    if (masks != NULL)
        masks->split(ctx, state, base, &parts);
    else
        memcpy(base, state, size);
    memcpy(details, parts.word, sizeof parts.word);
    return size;
}

void rf_add_reads(const rf_game *game, const void *ctx, const rf_state *state, int rests_on, rf_ply ply,
                  uint64_t reads[RF_DETAIL_WORDS])
{
    const search s = rf_chance_search(game, ctx, state, NULL, NULL);
    rf_details sum;
    memcpy(sum.word, reads, sizeof sum.word);
    if (rests_on == RF_READS_PLY)
        ply_reads(&s, state, ply, &sum);
    else
        list_reads(&s, state, rests_on == RF_READS_THROUGH ? &ply : NULL, &sum);
    memcpy(reads, sum.word, sizeof sum.word);
}

unsigned rf_sure_winner(const rf_game *game, const void *ctx, const rf_state *state, unsigned plies)
{
    const search s = {.game = game, .ctx = ctx};
    return sure_winner(&s, state, plies);
}

bool rf_sure_keeper(const rf_game *game, const void *ctx, const rf_state *state, unsigned player, unsigned plies,
                    uint64_t reads[RF_DETAIL_WORDS])
{
    const search s = {.game = game, .ctx = ctx};
    rf_details sum = {0};
    bool keeps = sure_keeper(&s, state, player, plies, &sum);
    memcpy(reads, sum.word, sizeof sum.word);
    return keeps;
}

void rf_chance_sort(child *children, size_t count)
{
    uint32_t first[RF_CHANCE_KEYS] = {0}, sum = 0;
    child *sorted = children + count;
    for (size_t i = 0; i < count; i++)
        first[children[i].key]++;
    for (size_t i = 0; i < RF_CHANCE_KEYS && sum < count; i++) {
        uint32_t here = first[i];
        first[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        sorted[first[children[i].key]++] = children[i];
    memcpy(children, sorted, count * sizeof *children);
}
