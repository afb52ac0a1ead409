/* Sets of pairs of squares of two bare knights, and how what is known of a layer is kept. */
#include "rings/questions.h"

/* ---- sets of pairs ---- */

void kr_all_pairs(uint64_t squares, kr_pairs *out)
{
    memset(out, 0, sizeof *out);
    for (uint64_t left = squares; left != 0; left &= left - 1)
        out->row[kr_row_of(rf_lowest(left))] = squares & ~(left & -left);
}

void kr_step(const kr_layer *layer, unsigned side, const kr_pairs *set, kr_pairs *out)
{
    bool bits = layer->owner == side || (layer->owner == KR_ONE_EACH && side == KR_SOUTH);
    bool rows = layer->owner == side || (layer->owner == KR_ONE_EACH && side == KR_NORTH);
    unsigned files = layer->s->files;
    memset(out, 0, sizeof *out);
    if (bits)
        KR_EACH_ROW(r) out->row[r] = kr_beside(set->row[r], files);
    if (rows) {
        kr_pairs aside, all = {{0}};
        KR_EACH_ROW(r) {
            aside.row[r] = (set->row[r - 1] & kr_not_first[r]) | (set->row[r + 1] & kr_not_last[r]);
            all.row[r] = aside.row[r] | set->row[r];
        }
        KR_EACH_ROW(r) out->row[r] |= aside.row[r] | all.row[r - KR_FILES] | all.row[r + KR_FILES];
    }
    KR_EACH_ROW(r) out->row[r] &= layer->valid.row[r];
}

/* Full rows for the squares of a set. */
static inline uint64_t kr_full_if(uint64_t set, unsigned row) { return -(set >> (row - KR_FIRST_ROW) & 1); }

void kr_add_product(unsigned owner, unsigned side, uint64_t here, uint64_t other, kr_pairs *out)
{
    if (owner != KR_ONE_EACH || side == KR_SOUTH)
        KR_EACH_ROW(r) out->row[r] |= here & kr_full_if(other, r);
    if (owner != KR_ONE_EACH || side == KR_NORTH)
        KR_EACH_ROW(r) out->row[r] |= other & kr_full_if(here, r);
}

uint64_t kr_others(unsigned owner, unsigned side, uint64_t here, const kr_pairs *set)
{
    uint64_t others = 0;
    if (owner == KR_ONE_EACH && side == KR_SOUTH)
        KR_EACH_ROW(r) others |= (set->row[r] & here) != 0 ? kr_bit(r - KR_FIRST_ROW) : 0;
    else
        KR_EACH_ROW(r) others |= set->row[r] & kr_full_if(here, r);
    return others;
}

void kr_add_meetings(unsigned side, uint64_t captured, kr_pairs *out)
{
    KR_EACH_ROW(r) out->row[r] |= kr_targets[r - KR_FIRST_ROW][0] & (side == KR_NORTH ? captured : kr_full_if(captured, r));
}

uint64_t kr_met(unsigned side, const kr_pairs *set)
{
    uint64_t met = 0;
    KR_EACH_ROW(r) {
        uint64_t beside = set->row[r] & kr_targets[r - KR_FIRST_ROW][0];
        met |= side == KR_NORTH ? beside : beside != 0 ? kr_bit(r - KR_FIRST_ROW) : 0;
    }
    return met;
}

void kr_find_none(kr_layer *layer, unsigned side)
{
    const kr_state *s = layer->s;
    rf_ply plies[KR_MOST_PLIES];
    kr_pairs busy;
    memset(&layer->none[side], 0, sizeof layer->none[side]);
    if (kr_list_progress(s, side, plies) > 0)
        return;
    kr_step(layer, side, &layer->valid, &busy);
    if (layer->owner == side || layer->owner == KR_ONE_EACH)
        for (uint64_t left = kr_free(s) | s->knights[!side]; left != 0; left &= left - 1)
            kr_add_product(layer->owner, side, kr_targets[rf_lowest(left)][0], KR_ALL_SQUARES, &busy);
    if (layer->owner == KR_ONE_EACH)
        kr_add_meetings(side, KR_ALL_SQUARES, &busy);
    if (layer->owner != side)
        kr_add_product(layer->owner, !side, kr_strikes(s, side), KR_ALL_SQUARES, &busy);
    KR_EACH_ROW(r) layer->none[side].row[r] = layer->valid.row[r] & ~busy.row[r];
}

/* ---- table ---- */

enum { KR_MOST_PAIR_WORDS = 1 + 4 * (2 + KR_SQUARES) };

/* A set of pairs of these squares in few words: one with a bit for each row that is neither empty nor full, one with a
 * bit for each full row, then the rows of the first kind. */
static uint64_t *kr_pack(const kr_pairs *set, uint64_t squares, uint64_t *out)
{
    uint64_t *rows = out + 2, part = 0, full = 0;
    for (uint64_t left = squares; left != 0; left &= left - 1) {
        uint64_t bit = left & -left, all = squares & ~bit, row = set->row[kr_row_of(rf_lowest(left))] & all;
        if (row == all)
            full |= bit;
        else if (row != 0) {
            part |= bit;
            *rows++ = row;
        }
    }
    out[0] = part;
    out[1] = full;
    return rows;
}

static const uint64_t *kr_unpack(const uint64_t *in, uint64_t squares, kr_pairs *set)
{
    const uint64_t *rows = in + 2;
    memset(set, 0, sizeof *set);
    for (uint64_t left = in[1]; left != 0; left &= left - 1)
        set->row[kr_row_of(rf_lowest(left))] = squares & ~(left & -left);
    for (uint64_t left = in[0]; left != 0; left &= left - 1)
        set->row[kr_row_of(rf_lowest(left))] = *rows++;
    return rows;
}

/* The best plies, then one set after another. */
bool kr_read_layer(const kr_question *q, uint64_t key, kr_layer *layer)
{
    const uint64_t *words = rf_margin_open_block(q->m, key);
    uint64_t empty = kr_empty(layer->s);
    kr_pairs *sets[4] = {&layer->succeeds[0], &layer->fails[0], &layer->succeeds[1], &layer->fails[1]};
    layer->best[0] = layer->best[1] = 0;
    layer->stamp = 0;
    if (words == NULL) {
        for (int i = 0; i < 4; i++)
            memset(sets[i], 0, sizeof *sets[i]);
        return false;
    }
    layer->stamp = rf_margin_block_stamp(words);
    layer->best[0] = (rf_ply)*words;
    layer->best[1] = (rf_ply)(*words >> 32);
    words++;
    for (int i = 0; i < 4; i++)
        words = kr_unpack(words, empty, sets[i]);
    rf_margin_close_block(q->m, key);
    return true;
}

void kr_read_other_questions(const kr_question *q, uint64_t hash, kr_layer *layer)
{
    kr_layer other;
    int harder = q->m->harder, easier = q->m->easier;
    other.s = layer->s;
    if (harder != RF_NO_THRESHOLD && kr_read_layer(q, kr_sets_key(harder, hash, layer->owner), &other)) {
        memcpy(layer->succeeds, other.succeeds, sizeof layer->succeeds);
        memcpy(layer->best, other.best, sizeof layer->best);
    }
    if (easier != RF_NO_THRESHOLD && kr_read_layer(q, kr_sets_key(easier, hash, layer->owner), &other)) {
        memcpy(layer->fails, other.fails, sizeof layer->fails);
        memcpy(layer->best, other.best, sizeof layer->best);
    }
}

void kr_ask_team_layer(const kr_question *q, uint64_t key, kr_layer *layer)
{
    uint64_t empty = kr_empty(layer->s);
    const uint64_t *words = rf_margin_open_block(q->m, key);
    if (words == NULL)
        return;
    if (rf_margin_block_stamp(words) == layer->stamp) {
        rf_margin_close_block(q->m, key);
        return;
    }
    layer->stamp = rf_margin_block_stamp(words);
    kr_pairs *sets[4] = {&layer->succeeds[0], &layer->fails[0], &layer->succeeds[1], &layer->fails[1]}, theirs;
    const uint64_t *at = words + 1;
    for (int i = 0; i < 4; i++) {
        at = kr_unpack(at, empty, &theirs);
        KR_EACH_ROW(r) sets[i]->row[r] |= theirs.row[r];
    }
    for (int side = KR_SOUTH; side <= KR_NORTH; side++)
        if (layer->best[side] == 0)
            layer->best[side] = (rf_ply)(words[0] >> (32 * side));
    rf_margin_close_block(q->m, key);
}

static size_t kr_pack_layer(const kr_layer *layer, uint64_t *words)
{
    uint64_t *at = words, empty = kr_empty(layer->s);
    const kr_pairs *sets[4] = {&layer->succeeds[0], &layer->fails[0], &layer->succeeds[1], &layer->fails[1]};
    *at++ = layer->best[0] | (uint64_t)layer->best[1] << 32;
    for (int i = 0; i < 4; i++)
        at = kr_pack(sets[i], empty, at);
    return (size_t)(at - words);
}

void kr_write_layer(const kr_question *q, uint64_t key, const kr_layer *layer)
{
    uint64_t words[KR_MOST_PAIR_WORDS];
    rf_margin_keep_block(q->m, key, words, kr_pack_layer(layer, words));
}
