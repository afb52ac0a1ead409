/* Sets of triples of squares of three bare knights, and how what is known of a layer is kept. */
#include "rings/triples.h"

enum { KR_FEWER_FILES = 5 }; /* of the smaller board */

/* ---- sets of triples ---- */

void kr_number_squares(kr_triple_layer *layer)
{
    layer->squares = 0;
    KR_EACH_SQUARE(square, kr_board[layer->s.files]) {
        const unsigned number = layer->squares++, file = square % KR_FILES;
        layer->square[number] = square;
        layer->near[number] = kr_targets[square][0];
        layer->not_first[number] = file > 0 ? UINT64_MAX : 0;
        layer->not_last[number] = file + 1 < layer->s.files ? UINT64_MAX : 0;
    }
}

void kr_add_any(const kr_triple_layer *layer, unsigned side, uint64_t here, kr_triples *out)
{
    if (side == layer->one)
        KR_EACH_WORD(layer, i) out->word[i] |= here;
    if (side == layer->two)
        KR_EACH_NUMBER(layer, a)
            if (here >> layer->square[a] & 1)
                KR_EACH_NUMBER(layer, b) {
                    out->word[a * layer->squares + b] = KR_ALL_SQUARES;
                    out->word[b * layer->squares + a] = KR_ALL_SQUARES;
                }
}

uint64_t kr_occupied_in(const kr_triple_layer *layer, unsigned side, const kr_triples *set)
{
    uint64_t occupied = 0;
    KR_EACH_NUMBER(layer, a) {
        uint64_t any = 0;
        KR_EACH_NUMBER(layer, b)
            any |= set->word[a * layer->squares + b];
        if (side == layer->one)
            occupied |= any;
        if (side == layer->two && any != 0)
            occupied |= kr_bit(layer->square[a]);
    }
    return occupied;
}

/* A step of one of the two like bare knights: from a square beside the first of them, or beside the second. Inline, so
 * that the number of files is known to the compiler. */
static inline void kr_step_two(const kr_triple_layer *layer, unsigned files, const kr_triples *set, kr_triples *out)
{
    const unsigned squares = files * KR_RANKS;
    /* Words of one plane with nothing around them, and those of each joined by the ones to its west and east. */
    uint64_t own[KR_FILES + KR_SQUARES + KR_FILES] = {0}, joined[KR_FILES + KR_SQUARES + KR_FILES] = {0};
    uint64_t sum[KR_SQUARES];
    const uint64_t *west = own + KR_FILES - 1, *east = own + KR_FILES + 1;
    const uint64_t *south = joined + KR_FILES - files, *north = joined + KR_FILES + files;
    KR_EACH_SQUARE(square, layer->empty) {
        const unsigned plane = kr_plane(files, square);
        memcpy(own + KR_FILES, set->word + plane, squares * sizeof *own);
        for (unsigned b = 0; b < squares; b++) {
            sum[b] = (west[b] & layer->not_first[b]) | (east[b] & layer->not_last[b]);
            joined[KR_FILES + b] = own[KR_FILES + b] | sum[b];
        }
        for (unsigned b = 0; b < squares; b++)
            sum[b] |= south[b] | north[b];
        KR_EACH_SQUARE(from, kr_targets[square][0] & layer->empty) {
            const uint64_t *beside = set->word + kr_plane(files, from);
            for (unsigned b = 0; b < squares; b++)
                sum[b] |= beside[b];
        }
        for (unsigned b = 0; b < squares; b++)
            out->word[plane + b] = sum[b] & layer->valid.word[plane + b];
    }
}

void kr_step_triples(const kr_triple_layer *layer, unsigned side, const kr_triples *set, kr_triples *out)
{
    const unsigned files = layer->s.files;
    kr_clear_triples(layer, out);
    if (side == layer->two && files == KR_FEWER_FILES)
        kr_step_two(layer, KR_FEWER_FILES, set, out);
    else if (side == layer->two)
        kr_step_two(layer, KR_FILES, set, out);
    if (side == layer->one)
        KR_EACH_WORD(layer, i) out->word[i] |= kr_beside(set->word[i], files) & layer->valid.word[i];
}

void kr_find_valid(kr_triple_layer *layer)
{
    kr_clear_triples(layer, &layer->valid);
    KR_EACH_SQUARE(a, layer->empty)
        KR_EACH_SQUARE(b, layer->empty & ~kr_bit(a))
            layer->valid.word[kr_triple_index(layer->s.files, a, b)] = layer->empty & ~(kr_bit(a) | kr_bit(b));
}

/* Adds the triples in which a bare knight of `side` stands beside one of the other side. */
static void kr_add_meeting_triples(const kr_triple_layer *layer, kr_triples *out)
{
    if (layer->two == layer->one)
        return;
    KR_EACH_TWO(layer, a, b, i) out->word[i] |= layer->near[a] | layer->near[b];
}

void kr_find_no_plies(kr_triple_layer *layer, unsigned side)
{
    const kr_state *s = &layer->s;
    rf_ply plies[KR_MOST_PLIES];
    kr_triples *busy = &layer->scratch[0], *none = &layer->none[side];
    kr_clear_triples(layer, none);
    if (kr_list_progress(s, side, plies) > 0)
        return;
    kr_step_triples(layer, side, &layer->valid, busy);
    KR_EACH_SQUARE(to, kr_free(s) | s->knights[!side])
        kr_add_any(layer, side, kr_targets[to][0], busy);
    kr_add_meeting_triples(layer, busy);
    kr_add_any(layer, !side, kr_strikes(s, side), busy);
    KR_EACH_WORD(layer, i) none->word[i] = layer->valid.word[i] & ~busy->word[i];
}

/* ---- table ---- */

/* A block: the best plies; where each of the sets of successes and failures of South and North to move begins (16 bits
 * each); the sets. A set: a word with a bit for each first square that has triples, then for each of these the rows of
 * second squares above it: one word for those neither empty nor full, one for the full ones, the rows of the first kind. */
enum { KR_MOST_TRIPLE_WORDS = 2 + 4 * (1 + 2 * KR_SQUARES + KR_SQUARES * (KR_SQUARES - 1) / 2) };
_Static_assert(KR_MOST_TRIPLE_WORDS <= (int)RF_MOST_BLOCK, "a layer fits into a block");

static uint64_t kr_above(uint64_t squares, unsigned a) { return squares & ~((kr_bit(a) << 1) - 1); }

static uint64_t *kr_pack_triples(const kr_triple_layer *layer, const kr_triples *set, uint64_t *out)
{
    const uint64_t empty = layer->empty;
    uint64_t *planes = out++;
    *planes = 0;
    KR_EACH_SQUARE(a, empty) {
        const uint64_t *plane = set->word + kr_plane(layer->s.files, a);
        uint64_t *rows = out + 2, part = 0, full = 0;
        KR_EACH_SQUARE(b, kr_above(empty, a)) {
            uint64_t bit = kr_bit(b), all = empty & ~(bit | kr_bit(a));
            uint64_t row = plane[kr_number(layer->s.files, b)] & all;
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

static void kr_unpack_triples(const kr_triple_layer *layer, const uint64_t *in, kr_triples *set)
{
    const unsigned files = layer->s.files;
    kr_clear_triples(layer, set);
    uint64_t planes = *in++;
    KR_EACH_SQUARE(a, planes) {
        const uint64_t *rows = in + 2;
        KR_EACH_SQUARE(b, in[0] | in[1]) {
            uint64_t bit = kr_bit(b);
            uint64_t row = in[1] & bit ? layer->empty & ~(bit | kr_bit(a)) : *rows++;
            set->word[kr_triple_index(files, a, b)] = set->word[kr_triple_index(files, b, a)] = row;
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
    if (threshold == layer->q->threshold) {
        const uint32_t stamp = rf_margin_block_stamp(block), before = layer->stamp;
        layer->stamp = stamp;
        if (stamp == before) {
            rf_margin_close_block(layer->q->m, key);
            return true;
        }
    }
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++) {
        if (layer->best[side] == 0)
            layer->best[side] = (rf_ply)(block[0] >> (32 * side));
        for (int i = 0; i <= 1; i++) {
            kr_triples *known = i == 0 ? &layer->succeeds[side] : &layer->fails[side], *theirs = &layer->scratch[0];
            if (i == 0 ? !succeeds : !fails)
                continue;
            kr_unpack_triples(layer, kr_packed_set(block, side, i == 1), theirs);
            KR_EACH_WORD(layer, k) known->word[k] |= theirs->word[k];
        }
    }
    rf_margin_close_block(layer->q->m, key);
    return true;
}

void kr_read_all_triples(kr_triple_layer *layer, uint64_t hash)
{
    const kr_question *q = layer->q;
    memset(layer->best, 0, sizeof layer->best);
    layer->stamp = 0;
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++) {
        kr_clear_triples(layer, &layer->succeeds[side]);
        kr_clear_triples(layer, &layer->fails[side]);
    }
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
        at = kr_pack_triples(layer, i % 2 == 0 ? &layer->succeeds[i / 2] : &layer->fails[i / 2], at);
    }
    uint64_t key = kr_triples_key(layer->q->threshold, hash, layer->two, layer->one);
    rf_margin_keep_block(layer->q->m, key, words, (size_t)(at - words));
}
