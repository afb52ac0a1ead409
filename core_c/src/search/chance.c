#include "search/chance_internal.h"

#include <stdlib.h>

/* ---- the table ---- */

enum { SLOTS = 2, LEAST_VALUES = 4 };

/* An entry: its tag (plies and kind, 0 if empty), the words of the state, the values. */
struct rf_chance_table {
    uint64_t *words;
    uint64_t mask; /* over buckets of SLOTS entries */
    size_t state_size, state_words, values, entry_words;
};

rf_chance_table *rf_chance_table_new(const rf_game *game, unsigned players, uint64_t bytes)
{
    struct rf_chance_table *t = malloc(sizeof *t);
    if (t == NULL)
        return NULL;
    t->state_size = game->state_size;
    t->state_words = (game->state_size + 7) / 8;
    t->values = players + 1 > LEAST_VALUES ? players + 1 : LEAST_VALUES;
    t->entry_words = 1 + t->state_words + t->values;
    uint64_t buckets = 64;
    while (buckets <= bytes / (SLOTS * 8 * t->entry_words) / 2 && buckets < (UINT64_C(1) << 36))
        buckets *= 2;
    t->mask = buckets - 1;
    t->words = buckets > SIZE_MAX / (SLOTS * 8 * t->entry_words) ? NULL : calloc(buckets * SLOTS * t->entry_words, 8);
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
        free(t);
    }
}

static uint64_t tag_of(const search *s, unsigned plies) { return s->kind << 16 | (plies + 1u); }

static uint64_t *bucket_of(const search *s, const rf_state *state, uint64_t tag)
{
    const struct rf_chance_table *t = s->table;
    uint64_t hash = rf_mix(rf_hash_of(s->game, s->ctx, state), tag);
    return t->words + (hash & t->mask) * SLOTS * t->entry_words;
}

static bool entry_is(const struct rf_chance_table *t, const uint64_t *entry, const rf_state *state, uint64_t tag)
{
    return entry[0] == tag && memcmp(entry + 1, state, t->state_size) == 0;
}

uint64_t *rf_chance_find(const search *s, const rf_state *state, unsigned plies)
{
    const struct rf_chance_table *t = s->table;
    uint64_t tag = tag_of(s, plies), *entry = bucket_of(s, state, tag);
    for (unsigned slot = 0; slot < SLOTS; slot++, entry += t->entry_words)
        if (entry_is(t, entry, state, tag))
            return entry + 1 + t->state_words;
    return NULL;
}

/* The first slot keeps what took more plies. */
uint64_t *rf_chance_claim(const search *s, const rf_state *state, unsigned plies)
{
    const struct rf_chance_table *t = s->table;
    uint64_t tag = tag_of(s, plies), *entry = bucket_of(s, state, tag);
    bool second = entry_is(t, entry + t->entry_words, state, tag);
    bool first = entry_is(t, entry, state, tag) || (entry[0] & 0xffff) <= plies + 1u;
    if (second || !first)
        entry += t->entry_words;
    entry[0] = tag;
    entry[t->state_words] = 0; /* the last word of a state may be used in part */
    memcpy(entry + 1, state, t->state_size);
    return entry + 1 + t->state_words;
}

/* ---- what both searches need ---- */

search rf_chance_search(const rf_game *game, const void *ctx, const rf_state *state, rf_chance_table *table,
                        rf_control *control)
{
    return (search){
        .game = game, .ctx = ctx, .control = control, .table = table, .players = rf_player_count(game, ctx, state)};
}

bool rf_chance_begin(search *s, unsigned plies)
{
    s->room = (size_t)(plies + 1) * s->game->max_plies;
    s->plies = malloc(s->game->max_plies * sizeof *s->plies);
    s->children = malloc(s->room * sizeof *s->children);
    if (s->plies != NULL && s->children != NULL)
        return true;
    s->control->stopped = RF_STOPPED_MEMORY;
    return false;
}

void rf_chance_end(search *s)
{
    free(s->plies);
    free(s->children);
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

static int earlier(const void *a, const void *b)
{
    const child *one = a, *two = b;
    if (one->key != two->key)
        return one->key < two->key ? -1 : 1;
    return one->index < two->index ? -1 : 1;
}

void rf_chance_sort(child *children, size_t count)
{
    enum { SMALL = 24 };
    if (count > SMALL) {
        qsort(children, count, sizeof *children, earlier);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        child moved = children[i];
        size_t to = i;
        for (; to > 0 && earlier(&moved, &children[to - 1]) < 0; to--)
            children[to] = children[to - 1];
        children[to] = moved;
    }
}
