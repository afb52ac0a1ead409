/* The ring of blocks: finding, writing, and overwriting the oldest. */
#include "search/margin_blocks.h"

#include <stdlib.h>

#include "search/margin_team.h"

enum { FIRST_WORDS = 1 << 14, WORDS_PER_PLACE = 32, BLOCK_UNIT = 8 };

/* Whether a place still has its block: nothing has been written over it. */
static bool block_is_there(const rf_margin_blocks *b, const rf_margin_place *place)
{
    return place->key != 0 && place->at + b->room >= b->head;
}

static rf_margin_place *place_bucket(const rf_margin_blocks *b, uint64_t key)
{
    return &b->places[key & b->place_mask & ~(uint64_t)(RF_PLACE_BUCKET - 1)];
}

/* Room for a new place: an empty one, else the oldest. */
static rf_margin_place *place_for(const rf_margin_blocks *b, uint64_t key)
{
    rf_margin_place *bucket = place_bucket(b, key), *oldest = bucket;
    for (int i = 0; i < RF_PLACE_BUCKET; i++) {
        if (!block_is_there(b, &bucket[i]))
            return &bucket[i];
        if (bucket[i].at < oldest->at)
            oldest = &bucket[i];
    }
    return oldest;
}

/* Twice the room, as long as nothing has been overwritten; if there is no memory it stays as it is. */
static void blocks_grow(rf_margin_blocks *b)
{
    uint64_t room = b->room == 0 ? FIRST_WORDS : 2 * b->room, places = room / WORDS_PER_PLACE;
    rf_margin_place *old = b->places, *fresh = calloc((size_t)places, sizeof *fresh);
    uint64_t *words = fresh == NULL ? NULL : realloc(b->words, (size_t)room * sizeof *words);
    if (words == NULL) {
        free(fresh);
        b->most = b->room;
        return;
    }
    uint64_t count = b->room == 0 ? 0 : b->place_mask + 1;
    *b = (rf_margin_blocks){words, fresh, room, b->most, b->head, places - 1, b->writes};
    for (uint64_t i = 0; i < count; i++)
        if (old[i].key != 0)
            *place_for(b, old[i].key) = old[i];
    free(old);
}

/* Words up to the end of the ring. */
static uint64_t blocks_left(const rf_margin_blocks *b) { return b->room - (b->head & (b->room - 1)); }

static uint64_t *find_block(const rf_margin_blocks *b, uint64_t key)
{
    if (b->words == NULL)
        return NULL;
    const rf_margin_place *bucket = place_bucket(b, key);
    for (int i = 0; i < RF_PLACE_BUCKET; i++)
        if (bucket[i].key == key && block_is_there(b, &bucket[i]))
            return &b->words[bucket[i].at & (b->room - 1)] + 1;
    return NULL;
}

/* The word before a block: how many it has room for, and its stamp. */
static uint64_t header(rf_margin_blocks *b, uint64_t words) { return words | (uint64_t)++b->writes << 32; }

/* Room for the block of a key, with a new stamp; NULL without memory. */
static uint64_t *make_block(rf_margin_blocks *b, uint64_t key, size_t words)
{
    if (b->room == 0)
        blocks_grow(b);
    if (words > RF_MOST_BLOCK || b->room == 0)
        return NULL;
    uint64_t *known = find_block(b, key);
    if (known != NULL && (uint32_t)known[-1] >= words) {
        known[-1] = header(b, (uint32_t)known[-1]);
        return known;
    }
    /* Room for some more, as a block grows when it is made again. */
    uint64_t length = (words + words / 4 + 1 + BLOCK_UNIT) / BLOCK_UNIT * BLOCK_UNIT;
    if (b->room < b->most && b->head + length > b->room)
        blocks_grow(b);
    if (length > blocks_left(b)) /* no block goes over the end */
        b->head += blocks_left(b);
    uint64_t at = b->head;
    rf_margin_place *place = NULL, *bucket = place_bucket(b, key);
    b->head += length;
    for (int i = 0; i < RF_PLACE_BUCKET; i++)
        if (bucket[i].key == key)
            place = &bucket[i];
    if (place == NULL)
        place = place_for(b, key);
    *place = (rf_margin_place){key, at};
    uint64_t *block = &b->words[at & (b->room - 1)];
    *block = header(b, length - 1);
    return block + 1;
}

/* Blocks of this thread, or of all threads if there are several: then others wait. */
static rf_margin_blocks *take_blocks(rf_margin *m, uint64_t key)
{
    return m->team == NULL ? &m->blocks : rf_team_take_blocks(m->team, key);
}

static void give_blocks(rf_margin *m, uint64_t key)
{
    if (m->team != NULL)
        rf_team_give_blocks(m->team, key);
}

const uint64_t *rf_margin_open_block(rf_margin *m, uint64_t key)
{
    const uint64_t *block = find_block(take_blocks(m, key), key);
    if (block == NULL)
        give_blocks(m, key);
    return block;
}

void rf_margin_close_block(rf_margin *m, uint64_t key) { give_blocks(m, key); }

void rf_margin_keep_block(rf_margin *m, uint64_t key, const uint64_t *words, size_t count)
{
    uint64_t *block = make_block(take_blocks(m, key), key, count);
    if (block != NULL)
        memcpy(block, words, count * sizeof *words);
    give_blocks(m, key);
}

void rf_margin_free_blocks(rf_margin_blocks *b)
{
    free(b->words);
    free(b->places);
}

uint64_t rf_margin_bytes_of_words(uint64_t words)
{
    return words * sizeof(uint64_t) + words / WORDS_PER_PLACE * sizeof(rf_margin_place);
}

uint64_t rf_margin_most_words(uint64_t bytes)
{
    uint64_t words = FIRST_WORDS;
    while (rf_margin_bytes_of_words(2 * words) <= bytes)
        words *= 2;
    return words;
}
