/* Sets of triples of squares of three bare knights, and how what is known of a layer is kept. */
#include "rings/triples.h"

/* ---- sets of triples ---- */

void kr_add_any(const kr_triple_layer *layer, unsigned side, uint64_t here, kr_triples *out)
{
    if (side == layer->one)
        KR_EACH_WORD(i) out->word[i] |= here;
    if (side == layer->two)
        KR_EACH_SQUARE(a, here)
            for (unsigned b = 0; b < KR_SQUARES; b++) {
                out->word[kr_triple_index(a, b)] = KR_ALL_SQUARES;
                out->word[kr_triple_index(b, a)] = KR_ALL_SQUARES;
            }
}

uint64_t kr_occupied_in(const kr_triple_layer *layer, unsigned side, const kr_triples *set)
{
    uint64_t occupied = 0;
    for (unsigned a = 0; a < KR_SQUARES; a++) {
        uint64_t any = 0;
        for (unsigned b = 0; b < KR_SQUARES; b++)
            any |= set->word[kr_triple_index(a, b)];
        if (side == layer->one)
            occupied |= any;
        if (side == layer->two && any != 0)
            occupied |= kr_bit(a);
    }
    return occupied;
}

void kr_step_triples(const kr_triple_layer *layer, unsigned side, const kr_triples *set, kr_triples *out)
{
    unsigned files = layer->s.files;
    memset(out, 0, sizeof *out);
    if (side == layer->two) {
        uint64_t aside[KR_TRIPLE_WORDS];
        memset(aside, 0, sizeof aside);
        KR_EACH_SQUARE(a, layer->empty)
            KR_EACH_SQUARE(from, kr_targets[a][0] & layer->empty)
                for (unsigned b = 0; b < KR_SQUARES; b++)
                    aside[kr_triple_index(a, b)] |= set->word[kr_triple_index(from, b)];
        /* The set has both orders of the two. */
        KR_EACH_TWO(a, b)
            out->word[kr_triple_index(a, b)] = aside[kr_triple_index(a, b)] | aside[kr_triple_index(b, a)];
    }
    if (side == layer->one)
        KR_EACH_WORD(i) out->word[i] |= kr_beside(set->word[i], files);
    KR_EACH_WORD(i) out->word[i] &= layer->valid.word[i];
}

void kr_find_valid(kr_triple_layer *layer)
{
    memset(&layer->valid, 0, sizeof layer->valid);
    KR_EACH_SQUARE(a, layer->empty)
        KR_EACH_SQUARE(b, layer->empty & ~kr_bit(a))
            layer->valid.word[kr_triple_index(a, b)] = layer->empty & ~(kr_bit(a) | kr_bit(b));
}

/* Adds the triples in which a bare knight of `side` stands beside one of the other side. */
static void kr_add_meeting_triples(const kr_triple_layer *layer, kr_triples *out)
{
    if (layer->two == layer->one)
        return;
    KR_EACH_TWO(a, b)
        out->word[kr_triple_index(a, b)] |= kr_targets[a][0] | kr_targets[b][0];
}

void kr_find_no_plies(kr_triple_layer *layer, unsigned side)
{
    const kr_state *s = &layer->s;
    rf_ply plies[KR_MOST_PLIES];
    kr_triples *busy = &layer->scratch[0], *none = &layer->none[side];
    memset(none, 0, sizeof *none);
    if (kr_list_progress(s, side, plies) > 0)
        return;
    kr_step_triples(layer, side, &layer->valid, busy);
    KR_EACH_SQUARE(to, kr_free(s) | s->knights[!side])
        kr_add_any(layer, side, kr_targets[to][0], busy);
    kr_add_meeting_triples(layer, busy);
    kr_add_any(layer, !side, kr_strikes(s, side), busy);
    KR_EACH_WORD(i) none->word[i] = layer->valid.word[i] & ~busy->word[i];
}

/* ---- table ---- */

/* A block: the best plies; where each of the sets of successes and failures of South and North to move begins (16 bits
 * each); the sets. A set: a word with a bit for each first square that has triples, then for each of these the rows of
 * second squares above it: one word for those neither empty nor full, one for the full ones, the rows of the first kind. */
enum { KR_MOST_TRIPLE_WORDS = 2 + 4 * (1 + 2 * KR_SQUARES + KR_SQUARES * (KR_SQUARES - 1) / 2) };
_Static_assert(KR_MOST_TRIPLE_WORDS <= (int)RF_MOST_BLOCK, "a layer fits into a block");

static uint64_t kr_above(uint64_t squares, unsigned a) { return squares & ~((kr_bit(a) << 1) - 1); }

static uint64_t *kr_pack_triples(const kr_triples *set, uint64_t empty, uint64_t *out)
{
    uint64_t *planes = out++;
    *planes = 0;
    KR_EACH_SQUARE(a, empty) {
        uint64_t *rows = out + 2, part = 0, full = 0;
        KR_EACH_SQUARE(b, kr_above(empty, a)) {
            uint64_t bit = kr_bit(b), all = empty & ~(bit | kr_bit(a));
            uint64_t row = set->word[kr_triple_index(a, b)] & all;
            if (row == all) {
                full |= bit;
            } else if (row != 0) {
                part |= bit;
                *rows++ = row;
            }
        }
        if ((part | full) == 0)
            continue;
        *planes |= kr_bit(a);
        out[0] = part;
        out[1] = full;
        out = rows;
    }
    return out;
}

static void kr_unpack_triples(const uint64_t *in, uint64_t empty, kr_triples *set)
{
    memset(set, 0, sizeof *set);
    uint64_t planes = *in++;
    KR_EACH_SQUARE(a, planes) {
        const uint64_t *rows = in + 2;
        KR_EACH_SQUARE(b, in[0] | in[1]) {
            uint64_t bit = kr_bit(b);
            uint64_t row = in[1] & bit ? empty & ~(bit | kr_bit(a)) : *rows++;
            set->word[kr_triple_index(a, b)] = set->word[kr_triple_index(b, a)] = row;
        }
        in = rows;
    }
}

bool kr_packed_has(const uint64_t *in, unsigned a, unsigned b, unsigned c)
{
    uint64_t planes = *in++;
    if (!(planes & kr_bit(a)))
        return false;
    for (uint64_t before = planes & (kr_bit(a) - 1); before != 0; before &= before - 1)
        in += 2 + rf_popcount(in[0]);
    if (!(in[0] & kr_bit(b)))
        return (in[1] & kr_bit(b)) != 0;
    return in[2 + rf_popcount(in[0] & (kr_bit(b) - 1))] >> c & 1;
}

uint64_t kr_triples_hash(const kr_state *s)
{
    kr_state south = *s;
    south.side = KR_SOUTH;
    return kr_hash_state(&south) ^ KR_TRIPLE_SALT;
}

const uint64_t *kr_packed_set(const uint64_t *block, unsigned side, bool fails)
{
    return block + (block[1] >> (16 * (2 * side + fails)) & UINT16_MAX);
}

bool kr_read_triples(kr_triple_layer *layer, int threshold, uint64_t hash, bool succeeds, bool fails)
{
    if (threshold == RF_NO_THRESHOLD)
        return false;
    uint64_t key = kr_triples_key(threshold, hash, layer->two, layer->one);
    const uint64_t *block = rf_margin_open_block(layer->q->m, key);
    if (block == NULL)
        return false;
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++) {
        if (layer->best[side] == 0)
            layer->best[side] = (rf_ply)(block[0] >> (32 * side));
        for (int i = 0; i <= 1; i++) {
            kr_triples *known = i == 0 ? &layer->succeeds[side] : &layer->fails[side], *theirs = &layer->scratch[0];
            if (i == 0 ? !succeeds : !fails)
                continue;
            kr_unpack_triples(kr_packed_set(block, side, i == 1), layer->empty, theirs);
            KR_EACH_WORD(k) known->word[k] |= theirs->word[k];
        }
    }
    rf_margin_close_block(layer->q->m, key);
    return true;
}

void kr_read_all_triples(kr_triple_layer *layer, uint64_t hash)
{
    const kr_question *q = layer->q;
    memset(layer->best, 0, sizeof layer->best);
    memset(layer->succeeds, 0, sizeof layer->succeeds);
    memset(layer->fails, 0, sizeof layer->fails);
    if (kr_read_triples(layer, q->threshold, hash, true, true))
        return;
    kr_read_triples(layer, q->m->harder, hash, true, false);
    kr_read_triples(layer, q->m->easier, hash, false, true);
}

void kr_write_triples(const kr_triple_layer *layer, uint64_t hash)
{
    uint64_t words[KR_MOST_TRIPLE_WORDS], *at = words + 2;
    words[0] = layer->best[0] | (uint64_t)layer->best[1] << 32;
    words[1] = 0;
    for (unsigned i = 0; i < 4; i++) {
        words[1] |= (uint64_t)(at - words) << (16 * i);
        at = kr_pack_triples(i % 2 == 0 ? &layer->succeeds[i / 2] : &layer->fails[i / 2], layer->empty, at);
    }
    uint64_t key = kr_triples_key(layer->q->threshold, hash, layer->two, layer->one);
    rf_margin_keep_block(layer->q->m, key, words, (size_t)(at - words));
}
