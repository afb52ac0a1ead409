/* Generator of endgame tables: its stones, its rows, and the memory for them.
 *
 * Idea: the fast stone has no dimension (build.c), so the offsets of the slow stones, in mixed radix, are the number of
 * a row. Rows that differ only by exchanging like stones or by the mirror have the same values; the lowest of them is
 * kept and numbered.
 *
 * Invariants: kept_of maps every possible row (no two slow stones on one square) to its kept row; the offsets of a kept
 * row are those of the kept row itself, not of a mirror image.
 *
 * Example: in SSvC on 3x3 the champion is the fast stone. Each sun has 6 squares, so there are 36 rows; a1 b1, b1 a1
 * and the mirror images c1 b1, b1 c1 share one kept row. */
#include "siaius/tables/build.h"

#include <stdlib.h>

static unsigned bit_of(const si_tables *t, unsigned square)
{
    return square / t->files * SI_STRIDE + square % t->files;
}

/* ---- preparation ---- */

static bool make_steps(si_tb_build *b, si_tb_stone *s)
{
    static const int file_step[SI_TB_DIRECTIONS] = {-1, -1, -1, 0, 0, 1, 1, 1};
    static const int rank_step[SI_TB_DIRECTIONS] = {-1, 0, 1, -1, 1, -1, 0, 1};
    const si_tables *t = b->tables;
    s->steps = calloc(s->squares, sizeof *s->steps);
    if (s->steps == NULL)
        return false;
    for (unsigned offset = 0; offset < s->squares; offset++)
        for (unsigned d = 0; d < SI_TB_DIRECTIONS; d++) {
            si_tb_step *to = &s->steps[offset][d];
            const int square = (int)(offset + s->first), file = square % (int)t->files, rank = square / (int)t->files;
            int16_t ends[2] = {SI_TB_NO_STEP, SI_TB_NO_STEP};
            for (int i = 1; i <= (s->kind == SI_CHAMPION ? 2 : 1); i++) {
                const int f = file + i * file_step[d], r = rank + i * rank_step[d];
                if (f < 0 || f >= (int)t->files || r < 0 || r >= (int)t->ranks)
                    break;
                const int end = r * (int)t->files + f - (int)s->first;
                ends[i - 1] = (int16_t)(end >= 0 && end < (int)s->squares ? end : SI_TB_NO_STEP);
                if (i == 1)
                    to->over = (uint8_t)bit_of(t, (unsigned)(r * (int)t->files + f));
            }
            to->near = ends[0];
            to->far = ends[1];
        }
    return true;
}

static void list_stones(si_tb_build *b)
{
    const si_tables *t = b->tables;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned kind = 0; kind < SI_KINDS; kind++)
            for (unsigned i = 0; i < si_tb_count(b->material, side, kind); i++) {
                si_tb_stone *s = &b->stone[b->stones++];
                const bool champion = kind == SI_CHAMPION;
                s->side = side;
                s->kind = kind;
                s->first = !champion && side == SI_NORTH ? t->files : 0;
                s->squares = t->squares - (champion ? 0 : t->files);
            }
    /* Like slow stones share rows, so the fast stone should have no like stone. */
    b->fast = b->stones - 1;
    for (unsigned i = 0; i < b->stones; i++)
        if (si_tb_count(b->material, b->stone[i].side, b->stone[i].kind) == 1)
            b->fast = i;
    /* If only South's positions are solved, an ordinary stone of South is the fastest (measured). */
    for (unsigned i = 0; b->paired && i < b->stones / 2; i++)
        if (b->stone[i].kind != SI_CHAMPION && si_tb_count(b->material, SI_SOUTH, b->stone[i].kind) == 1)
            b->fast = i;
}

/* Sets the strides of rows, and for each stone those of the rows without it. */
static void number_rows(si_tb_build *b)
{
    b->rows = 1;
    for (unsigned i = b->stones; i-- > 0;)
        if (i != b->fast) {
            b->stone[i].stride = b->rows;
            b->rows *= b->stone[i].squares;
        }
    for (unsigned x = 0; x < b->stones; x++) {
        b->huffed_rows[x] = 1;
        for (unsigned i = b->stones; i-- > 0;)
            if (i != b->fast && i != x) {
                b->huffed_stride[x][i] = b->huffed_rows[x];
                b->huffed_rows[x] *= b->stone[i].squares;
            }
    }
    b->row_scores = b->tables->ranks * SI_STRIDE;
}

static void set_geometry(si_tb_build *b)
{
    const si_tables *t = b->tables;
    b->board = si_squares(t->files, t->ranks);
    const si_tb_stone *fast = &b->stone[b->fast];
    for (unsigned offset = 0; offset < fast->squares; offset++)
        b->fast_squares |= si_bit(bit_of(t, offset + fast->first));
    memset(b->between, SI_SQUARES, sizeof b->between);
    for (unsigned i = 0; i < t->squares; i++) {
        const unsigned bit = bit_of(t, i);
        b->bit_of[i] = (uint8_t)bit;
        b->around[bit] = si_around(si_bit(bit)) & ~si_bit(bit) & b->board;
#define BETWEEN(move) \
        if ((move(move(si_bit(bit)) & b->board) & b->board) != 0) \
            b->between[bit][si_lsb(move(move(si_bit(bit))))] = (uint8_t)si_lsb(move(si_bit(bit)));
        SI_FOR_EACH_STEP(BETWEEN)
#undef BETWEEN
    }
}

static bool is_exchangeable(const si_tb_build *b, unsigned i, unsigned k)
{
    return b->stone[i].side == b->stone[k].side && b->stone[i].kind == b->stone[k].kind &&
           (i == b->fast) == (k == b->fast);
}

/* Extends a permutation of the first `count` stones by every stone that stone `count` can be exchanged with. */
static void extend_order(si_tb_build *b, uint8_t *order, unsigned count, unsigned used)
{
    if (count == b->stones) {
        memcpy(b->order[b->orders++], order, SI_TB_STONES);
        return;
    }
    for (unsigned k = 0; k < b->stones; k++)
        if ((used >> k & 1) == 0 && is_exchangeable(b, count, k)) {
            order[count] = (uint8_t)k;
            extend_order(b, order, count + 1, used | 1u << k);
        }
}

/* Lists every permutation that exchanges like slow stones, the identity first. At most five stones are alike and slow,
 * which gives SI_TB_MAX_ORDERS. */
static void list_orders(si_tb_build *b)
{
    uint8_t order[SI_TB_STONES] = {0};
    extend_order(b, order, 0, 0);
}

uint64_t si_tb_row_of(const si_tb_build *b, const uint8_t *offset, const uint8_t *order, bool mirrored)
{
    uint64_t row = 0;
    for (unsigned i = 0; i < b->stones; i++) {
        const si_tb_stone *s = &b->stone[i];
        const unsigned p = offset[order[i]];
        row += (mirrored && i != b->fast ? b->tables->mirrored[p + s->first] - s->first : p) * s->stride;
    }
    return row;
}

si_set si_tb_mirrored_set(const si_tb_build *b, si_set x)
{
    si_set mirrored = 0;
    for (unsigned file = 0; file < b->tables->files; file++)
        mirrored |= (x >> (b->tables->files - 1 - file) & si_column(SI_MAX_RANKS)) << file;
    return mirrored;
}

static void update_squares(const si_tb_build *b, si_tb_row *at)
{
    at->taken = 0;
    at->possible = true;
    for (unsigned i = 0; i < b->stones; i++) {
        if (i == b->fast)
            continue;
        at->bit[i] = b->bit_of[at->offset[i] + b->stone[i].first];
        const si_set bit = si_bit(at->bit[i]);
        at->possible = at->possible && (at->taken & bit) == 0;
        at->taken |= bit;
    }
}

void si_tb_set_row(const si_tb_build *b, uint64_t kept, si_tb_row *at)
{
    at->kept = kept;
    at->row = b->kept_row[kept];
    memcpy(at->offset, b->kept_offset[kept], sizeof at->offset);
    update_squares(b, at);
}

static void next_row(const si_tb_build *b, si_tb_row *at)
{
    at->row++;
    for (unsigned i = b->stones; i-- > 0;) {
        if (i == b->fast)
            continue;
        if (++at->offset[i] < b->stone[i].squares)
            break;
        at->offset[i] = 0;
    }
    update_squares(b, at);
}

/* Makes a row a kept row, for itself and all rows that differ by the order of like stones or the mirror. */
static void number_row(si_tb_build *b, const si_tb_row *at)
{
    for (unsigned mirrored = 0; mirrored < 2; mirrored++)
        for (unsigned i = 0; i < b->orders; i++) {
            uint32_t *kept = &b->kept_of[si_tb_row_of(b, at->offset, b->order[i], mirrored != 0)];
            if (*kept == SI_TB_NO_ROW)
                *kept = (uint32_t)b->kept * 2 + mirrored;
        }
    b->kept++;
}

static bool number_kept_rows(si_tb_build *b)
{
    b->kept_of = malloc(b->rows * sizeof *b->kept_of);
    if (b->kept_of == NULL)
        return false;
    memset(b->kept_of, 0xff, b->rows * sizeof *b->kept_of);
    si_tb_row at;
    memset(&at, 0, sizeof at);
    update_squares(b, &at);
    for (; at.row < b->rows; next_row(b, &at))
        if (at.possible && b->kept_of[at.row] == SI_TB_NO_ROW)
            number_row(b, &at);
    b->kept_row = malloc((b->kept + 1) * sizeof *b->kept_row);
    b->kept_offset = malloc((b->kept + 1) * sizeof *b->kept_offset);
    if (b->kept_row == NULL || b->kept_offset == NULL)
        return false;
    memset(&at, 0, sizeof at);
    update_squares(b, &at);
    for (uint64_t kept = 0; kept < b->kept; next_row(b, &at))
        if (at.possible && b->kept_of[at.row] == kept * 2) {
            b->kept_row[kept] = (uint32_t)at.row;
            memcpy(b->kept_offset[kept++], at.offset, sizeof at.offset);
        }
    return true;
}

static bool new_half(si_tb_build *b, si_tb_side *h, unsigned side)
{
    h->rows = calloc(b->rows, sizeof *h->rows);
    if (side >= si_tb_sides_solved(b))
        return h->rows != NULL;
    h->fresh = calloc(b->kept + 1, sizeof *h->fresh);
    h->touched = calloc(b->kept + 1, sizeof *h->touched);
    h->safe = calloc(b->kept + 1, sizeof *h->safe);
    h->levels = calloc(b->kept + 1, sizeof *h->levels);
    h->scores = calloc((b->kept + 1) * b->row_scores, sizeof *h->scores);
    bool allocated = h->rows && h->fresh && h->touched && h->safe && h->levels && h->scores;
    if (b->stones >= 4) {
        h->stuck = calloc(b->kept + 1, sizeof *h->stuck);
        allocated = allocated && h->stuck != NULL;
    }
    for (unsigned x = 0; b->mixed && x < b->stones; x++)
        if (b->stone[x].side == side) {
            const uint64_t scores = x == b->fast ? 1 : b->row_scores;
            h->huffed[x] = calloc(b->huffed_rows[x] * scores, sizeof *h->huffed[x]);
            h->huffed_rows[x] = calloc(b->huffed_rows[x], sizeof *h->huffed_rows[x]);
            allocated = allocated && h->huffed[x] != NULL && h->huffed_rows[x] != NULL;
        }
    return allocated;
}

static void number_stones(si_tb_build *b, const si_tables *tables, si_material m)
{
    b->tables = tables;
    b->material = m;
    b->paired = m >> 16 == (m & 0xffff);
    list_stones(b);
    number_rows(b);
    b->huffs = tables->huff != SI_HUFF_OFF;
    b->mixed = b->huffs && si_tb_stones_of(m, SI_TB_OWN) > 1 && si_tb_stones_of(m, SI_TB_ENEMY) > 1;
}

bool si_tb_prepare(si_tb_build *b, const si_tables *tables, si_material m)
{
    number_stones(b, tables, m);
    set_geometry(b);
    list_orders(b);
    for (unsigned i = 0; i < b->stones; i++)
        if (!make_steps(b, &b->stone[i]))
            return false;
    return b->rows < SI_TB_NO_ROW / 2 && number_kept_rows(b) && new_half(b, &b->halves[SI_SOUTH], SI_SOUTH) &&
           new_half(b, &b->halves[SI_NORTH], SI_NORTH);
}

/* An upper bound of the kept rows: some rows are their own mirror images. */
static uint64_t max_kept_rows(si_tb_build *b)
{
    list_orders(b);
    return b->rows / (2 * b->orders) + b->rows / (8 * b->orders) + 1;
}

uint64_t si_tb_build_memory(unsigned files, unsigned ranks, rf_material m)
{
    rf_tablebase *tables = si_tables_new(files, ranks, SI_HUFF_TURN);
    si_tb_build *b = calloc(1, sizeof *b);
    uint64_t bytes = 0;
    if (tables != NULL && b != NULL) {
        number_stones(b, (const si_tables *)tables, m);
        const uint64_t row = 2 * sizeof(si_tb_sets) + sizeof(uint32_t);
        const uint64_t of_a_side = sizeof(si_tb_sets) + sizeof(uint32_t) + 2 * sizeof(si_set) + sizeof(uint64_t) +
                                   b->row_scores * sizeof(int16_t);
        const uint64_t kept = si_tb_sides_solved(b) * of_a_side + sizeof(uint32_t) + SI_TB_STONES;
        bytes = sizeof *b + b->rows * row + max_kept_rows(b) * kept;
        for (unsigned x = 0; b->mixed && x < si_tb_stones_solved(b); x++)
            bytes += b->huffed_rows[x] * (sizeof(si_tb_sets) + b->row_scores * sizeof(int16_t));
    }
    free(b);
    si_tables_free(tables);
    return bytes;
}

/* ---- captures in a row ---- */

/* The squares of the fast stone with which slow stone `x` can capture slow stone `z`. */
static si_set slow_captures_slow(const si_tb_build *b, const si_tb_row *at, unsigned x, unsigned z)
{
    const unsigned from = at->bit[x], to = at->bit[z];
    if (b->around[from] & si_bit(to))
        return b->board;
    const unsigned over = b->between[from][to];
    if (b->stone[x].kind != SI_CHAMPION || over == SI_SQUARES || (at->taken & si_bit(over)) != 0)
        return 0;
    return b->board & ~si_bit(over);
}

si_set si_tb_capture_squares(const si_tb_build *b, const si_tb_row *at, unsigned x)
{
    const unsigned kind = b->stone[x].kind;
    si_set squares = 0;
    for (unsigned z = 0; z < b->stones; z++) {
        if (b->stone[z].side == b->stone[x].side || !si_tb_is_prey(kind, b->stone[z].kind))
            continue;
        if (x != b->fast && z != b->fast) {
            squares |= slow_captures_slow(b, at, x, z);
            continue;
        }
        const unsigned slow = at->bit[x == b->fast ? z : x];
        squares |= b->around[slow];
        if (kind == SI_CHAMPION)
            squares |= si_champion_reach(si_bit(slow), b->board & ~at->taken, b->board);
    }
    return squares;
}

