/* What the margin search keeps that needs more room than a slot of its table: blocks of words by key, in a ring in which
 * the oldest are overwritten. */
#ifndef RINGFEN_MARGIN_BLOCKS_H
#define RINGFEN_MARGIN_BLOCKS_H

#include "ringfen.h"

struct rf_margin;

typedef struct rf_margin_place {
    uint64_t key, at; /* words written before it since the beginning */
} rf_margin_place;

enum { RF_PLACE_BUCKET = 4 };

typedef struct rf_margin_blocks {
    uint64_t *words; /* NULL until the first block is made */
    rf_margin_place *places;
    uint64_t room, most; /* words, powers of two */
    uint64_t head;       /* words written so far, some of them skipped */
    uint64_t place_mask;
    uint32_t writes; /* of blocks so far */
} rf_margin_blocks;

/* The block of a key; NULL if it is not there. Until rf_margin_close_block, which a block needs that was opened, no other
 * block is opened or kept. */
const uint64_t *rf_margin_open_block(struct rf_margin *m, uint64_t key);
/* Of an open block, a number that another one takes the place of when the block is written again. */
static inline uint32_t rf_margin_block_stamp(const uint64_t *block) { return (uint32_t)(block[-1] >> 32); }
void rf_margin_close_block(struct rf_margin *m, uint64_t key);
/* Keeps a block, of at most RF_MOST_BLOCK words, as far as there is memory. Takes the place of the one that is there, if
 * there is one. */
enum { RF_MOST_BLOCK = 1 << 13 };
void rf_margin_keep_block(struct rf_margin *m, uint64_t key, const uint64_t *words, size_t count);

/* The most words for blocks in so much memory, a power of two, and the memory that as many take, with their places. */
uint64_t rf_margin_most_words(uint64_t bytes);
uint64_t rf_margin_bytes_of_words(uint64_t words);
void rf_margin_free_blocks(rf_margin_blocks *blocks);

#endif
