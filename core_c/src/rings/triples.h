/* Triples of squares of three bare knights, and a layer of them: for bare_triple.c and triples.c. */
#ifndef RINGFEN_RINGS_TRIPLES_H
#define RINGFEN_RINGS_TRIPLES_H

#include "rings/questions.h"

/* Triples of squares: two like bare knights, by numbers among the squares of the board, and the third one as a bit. Two
 * like ones stand in both orders, three in all. The smaller board has no words for the squares that it leaves out. */
enum { KR_TRIPLE_WORDS = KR_SQUARES * KR_SQUARES };
typedef struct {
    uint64_t word[KR_TRIPLE_WORDS];
} kr_triples;

#define KR_EACH_WORD(layer, i) for (unsigned i = 0; i < (layer)->squares * (layer)->squares; i++)
/* All numbers of squares. */
#define KR_EACH_NUMBER(layer, a) for (unsigned a = 0; a < (layer)->squares; a++)
/* All pairs of numbers, whether there is such a pair or not, and the word of each. */
#define KR_EACH_TWO(layer, a, b, i)                        \
    for (unsigned a = 0, i = 0; a < (layer)->squares; a++) \
        for (unsigned b = 0; b < (layer)->squares; b++, i++)
#define KR_EACH_SQUARE(square, set) \
    for (uint64_t left_##square = (set); left_##square != 0; left_##square &= left_##square - 1) \
        for (unsigned square = rf_lowest(left_##square), once_##square = 1; once_##square != 0; once_##square = 0)

typedef struct {
    const kr_question *q;
    kr_state s;         /* without the bare knights */
    unsigned two, one;  /* sides of the two like bare knights and of the third */
    uint64_t empty;
    unsigned squares;   /* of the board */
    /* By number: the square, and those beside it. */
    unsigned square[KR_SQUARES];
    uint64_t near[KR_SQUARES];
    uint64_t not_first[KR_SQUARES], not_last[KR_SQUARES]; /* all bits if there is a file to the west (east), else none */
    kr_triples valid;   /* triples that there can be */
    kr_triples good[2]; /* an exit gives the mover what it wants */
    kr_triples bad[2];  /* no exit does */
    kr_triples none[2]; /* there is no ply at all */
    kr_triples succeeds[2], fails[2]; /* decided */
    rf_ply best[2];
    uint32_t stamp; /* of this question's block when it was read last (search/margin_blocks.h) */
    /* The exits of `mover` are looked at for some triples. */
    unsigned mover;
    kr_state turn;
    kr_triples left;      /* triples asked for without a good exit yet */
    kr_triples undecided; /* triples with an exit not known to be bad */
    kr_triples below[2];  /* what a layer below says: succeeds, fails */
    kr_triples scratch[5];
} kr_triple_layer;

/* The number of a square among those of the board. */
static inline unsigned kr_number(unsigned files, unsigned square)
{
    return square - square / KR_FILES * (KR_FILES - files);
}

/* The first word of the triples with a bare knight on a square. */
static inline unsigned kr_plane(unsigned files, unsigned a) { return kr_number(files, a) * files * KR_RANKS; }

static inline unsigned kr_triple_index(unsigned files, unsigned a, unsigned b)
{
    return kr_plane(files, a) + kr_number(files, b);
}

static inline void kr_clear_triples(const kr_triple_layer *layer, kr_triples *out)
{
    memset(out, 0, layer->squares * layer->squares * sizeof *out->word);
}

static inline void kr_copy_triples(const kr_triple_layer *layer, const kr_triples *from, kr_triples *out)
{
    memcpy(out, from, layer->squares * layer->squares * sizeof *out->word);
}

static inline uint64_t kr_triples_key(int threshold, uint64_t hash, unsigned two, unsigned one)
{
    return kr_sets_key(threshold, hash, 2 * two + one);
}

/* Numbers the squares of the board of `s`. */
RF_PRIVATE void kr_number_squares(kr_triple_layer *layer);
/* Adds the triples with some bare knight of `side` in `here`. */
RF_PRIVATE void kr_add_any(const kr_triple_layer *layer, unsigned side, uint64_t here, kr_triples *out);
/* The squares of bare knights of `side` in triples of a set. */
RF_PRIVATE uint64_t kr_occupied_in(const kr_triple_layer *layer, unsigned side, const kr_triples *set);
/* The triples from which one step of a bare knight of `side` leads into the set, and those it leads to. Relies on a set
 * that holds only triples that there can be, with both orders of the two like ones. */
RF_PRIVATE void kr_step_triples(const kr_triple_layer *layer, unsigned side, const kr_triples *set, kr_triples *out);
/* The triples that there can be. */
RF_PRIVATE void kr_find_valid(kr_triple_layer *layer);
/* The triples with which a side has no ply at all. */
RF_PRIVATE void kr_find_no_plies(kr_triple_layer *layer, unsigned side);
/* Whether a packed set has a triple of which a < b. */
RF_PRIVATE bool kr_packed_has(const uint64_t *in, unsigned a, unsigned b, unsigned c);
/* Of the board, whoever is to move. */
RF_PRIVATE uint64_t kr_triples_hash(const kr_state *s);
/* One of the four sets of a block. */
RF_PRIVATE const uint64_t *kr_packed_set(const uint64_t *block, unsigned side, bool fails);
/* Adds what has been shown at a threshold: successes, failures or both. Whether there was anything. */
RF_PRIVATE bool kr_read_triples(kr_triple_layer *layer, int threshold, uint64_t hash, bool succeeds, bool fails);
/* What this and other questions have shown. */
RF_PRIVATE void kr_read_all_triples(kr_triple_layer *layer, uint64_t hash);
/* Keeps what is decided of a layer. */
RF_PRIVATE void kr_write_triples(const kr_triple_layer *layer, uint64_t hash);

#endif
