/* Generator of endgame tables: solves one material level by level.
 *
 * Idea: the material with South to move and the same material with North to move are solved together, because quiet
 * moves lead from one to the other. All other turns lead to fewer stones or more champions, whose tables exist; these
 * are the exits: captures and promotions with the rest of their turn. One stone, the fast stone, has no dimension: all
 * its squares are the bits of one set, so a row, which fixes the other stones, is processed at once. Level n finds the
 * wins and losses in n plies from those in at most n - 1:
 *   - won: an exit wins in n plies, or a quiet move leads to a loss in at most n - 1;
 *   - lost: all quiet moves lead to wins in at most n - 1, and all exits lose in at most n.
 *
 * Invariants: a position is open until it is known to be won; `lost` marks losses; what no level settles is a draw.
 * After level n exactly the wins and losses in at most n plies are settled.
 *
 * Huffs: after a quiet move while stones could capture, the opponent may huff one of them (S7). If a side has one
 * stone, a huff ends the game no later than a capture would, so it changes nothing (`mixed` is false). Otherwise rows
 * are treated by the set of stones that could capture, and the sets that the moves lead to are reduced to the squares
 * whose result no huff changes.
 *
 * Example: in CvC, exits find the positions in which a champion captures the other: won in 1. Level 2 finds the
 * positions with no other move than into those: lost in 2. */
#include "siaius/tables/build.h"

#include <stdlib.h>

/* For progress: the share of the work that is done after the exits and after the levels, in percent. */
enum { SI_TB_EXITS_PERCENT = 50, SI_TB_LEVELS_PERCENT = 100 };

/* ---- huffs after quiet moves ---- */

/* For a huffed stone: where the opponent does not win, and where it loses, within `plies`. */
static void set_huffed_rows(si_tb_build *b, si_tb_side *h, unsigned x, int plies)
{
    const uint64_t scores = x == b->fast ? 1 : b->row_scores;
    for (uint64_t row = 0; row < b->huffed_rows[x]; row++) {
        const int16_t *score = h->huffed[x] + row * scores;
        si_set open = 0, lost = 0;
        for (uint64_t bit = 0; bit < scores; bit++) {
            open |= (si_set)(score[bit] < si_tb_win_in(plies)) << bit;
            lost |= (si_set)(score[bit] < 0 && score[bit] <= si_tb_loss_in(plies)) << bit;
        }
        if (x == b->fast) { /* the same wherever it stands */
            open = open ? b->board : 0;
            lost = lost ? b->board : 0;
        }
        si_tb_put_set(h->huffed_rows[x][row].open, open);
        si_tb_put_set(h->huffed_rows[x][row].lost, lost);
    }
}

static void set_huffed(si_tb_build *b, int plies)
{
    for (unsigned x = 0; b->mixed && x < si_tb_stones_solved(b); x++) {
        si_tb_side *h = &b->halves[b->stone[x].side];
        if (plies <= 1 || (h->huffed_levels[x][plies / 64] >> plies % 64 & 1) != 0)
            set_huffed_rows(b, h, x, plies);
    }
}

/* ---- levels ---- */

static inline void unite(si_tb_sets *sum, const si_tb_sets *more)
{
    for (unsigned i = 0; i < 2; i++) {
        sum->open[i] |= more->open[i];
        sum->lost[i] |= more->lost[i];
    }
}

/* The row that a quiet move leads to, reduced to the squares whose result no huff changes. */
static inline si_tb_sets reduced_row(const si_tb_build *b, const si_tb_side *from, const si_tb_side *to,
                                     const si_tb_row *at, uint64_t row, unsigned moved, unsigned offset, unsigned missed)
{
    si_tb_sets sets = to->rows[row];
    for (; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lsb(missed);
        uint64_t huffed = 0;
        for (unsigned i = 0; i < b->stones; i++)
            huffed += b->huffed_stride[x][i] * (i == moved ? offset : at->offset[i]);
        const si_tb_sets *allowed = &from->huffed_rows[x][huffed];
        for (unsigned i = 0; i < 2; i++) {
            sets.open[i] &= allowed->open[i];
            sets.lost[i] &= allowed->lost[i];
        }
    }
    return sets;
}

static inline void add_slow_moves(const si_tb_build *b, const si_tb_side *from, const si_tb_side *to,
                                  const si_tb_row *at, unsigned x, unsigned missed, si_tb_sets *sum)
{
    const si_tb_stone *s = &b->stone[x];
    const si_tb_step *steps = s->steps[at->offset[x]];
    const uint64_t base = at->row - at->offset[x] * s->stride;
    for (unsigned d = 0; d < SI_TB_DIRECTIONS; d++) {
        if (steps[d].near == SI_TB_NO_STEP || (at->taken >> steps[d].over & 1) != 0)
            continue;
        const unsigned near = (unsigned)steps[d].near;
        si_tb_sets sets = reduced_row(b, from, to, at, base + near * s->stride, x, near, missed);
        unite(sum, &sets);
        if (steps[d].far == SI_TB_NO_STEP)
            continue;
        const unsigned far = (unsigned)steps[d].far;
        sets = reduced_row(b, from, to, at, base + far * s->stride, x, far, missed);
        const uint64_t word = steps[d].over / 64, bit = UINT64_C(1) << steps[d].over % 64;
        sets.open[word] &= ~bit; /* the fast stone is between */
        sets.lost[word] &= ~bit;
        unite(sum, &sets);
    }
}

/* The squares one step from those of `x`; not `x` itself unless another square of `x` is next to it. */
static inline si_set next_to(si_set x)
{
    const si_set beside = si_east(x) | si_west(x), row = x | beside;
    return beside | si_north(row) | si_south(row);
}

static inline void add_fast_moves(const si_tb_build *b, const si_tb_side *from, const si_tb_side *to,
                                  const si_tb_row *at, unsigned missed, si_tb_sets *sum)
{
    const si_tb_sets sets = reduced_row(b, from, to, at, at->row, b->fast, 0, missed);
    const si_set open = si_tb_as_set(sets.open), lost = si_tb_as_set(sets.lost), empty = b->board & ~at->taken;
    si_tb_sets more;
    if (b->stone[b->fast].kind == SI_CHAMPION) {
        si_tb_put_set(more.open, si_champion_reach(open, empty, b->board));
        si_tb_put_set(more.lost, lost == 0 ? 0 : si_champion_reach(lost, empty, b->board));
    } else {
        si_tb_put_set(more.open, next_to(open));
        si_tb_put_set(more.lost, next_to(lost));
    }
    unite(sum, &more);
}

/* The squares of the fast stone from which a quiet move leads to an open or a lost position. */
static inline si_tb_sets quiet_moves(const si_tb_build *b, unsigned side, const si_tb_row *at, unsigned missed)
{
    const si_tb_side *from = &b->halves[side], *to = &b->halves[side ^ 1];
    si_tb_sets sum = {{0, 0}, {0, 0}};
    for (unsigned x = 0; x < b->stones; x++) {
        if (b->stone[x].side != side)
            continue;
        if (x == b->fast)
            add_fast_moves(b, from, to, at, missed, &sum);
        else
            add_slow_moves(b, from, to, at, x, missed, &sum);
    }
    return sum;
}

/* Corrects these sets for positions in which stones could capture and may be huffed. `squares`: those of interest. */
static void apply_huffs(const si_tb_build *b, unsigned side, const si_tb_row *at, si_set squares, si_set *open,
                        si_set *lost)
{
    si_set capture_squares[SI_TB_STONES], any = 0;
    unsigned own = 0;
    for (unsigned x = 0; x < b->stones; x++) {
        capture_squares[x] = b->stone[x].side == side ? si_tb_capture_squares(b, at, x) & squares : 0;
        any |= capture_squares[x];
        own |= (unsigned)(capture_squares[x] != 0) << x;
    }
    *open &= ~any;
    *lost &= ~any;
    if (!b->mixed || any == 0)
        return;
    for (unsigned missed = own; missed != 0; missed = (missed - 1) & own) {
        si_set exactly = any;
        for (unsigned x = 0; x < b->stones; x++)
            exactly &= missed >> x & 1 ? capture_squares[x] : ~capture_squares[x];
        if (exactly == 0)
            continue;
        const si_tb_sets sets = quiet_moves(b, side, at, missed);
        *open |= si_tb_as_set(sets.open) & exactly;
        *lost |= si_tb_as_set(sets.lost) & exactly;
    }
}

static void level_of_row(si_tb_build *b, unsigned side, const si_tb_row *at, int plies)
{
    si_tb_side *h = &b->halves[side];
    const si_tb_sets *row = &h->rows[at->row];
    const si_set unknown = si_tb_as_set(row->open) & ~si_tb_as_set(row->lost);
    if (unknown == 0)
        return;
    const si_tb_sets sets = quiet_moves(b, side, at, 0);
    si_set open = si_tb_as_set(sets.open), lost = si_tb_as_set(sets.lost);
    if (b->huffs)
        apply_huffs(b, side, at, unknown, &open, &lost);
    if (h->stuck != NULL && h->stuck[at->kept] != 0) { /* a pass leads to the same stones (S9) */
        const si_tb_sets *same = &b->halves[side ^ 1].rows[at->row];
        open |= si_tb_as_set(same->open) & h->stuck[at->kept];
        lost |= si_tb_as_set(same->lost) & h->stuck[at->kept];
    }
    const int16_t *scores = h->scores + at->kept * b->row_scores;
    const si_set safe = h->safe[at->kept];
    si_set won = unknown & lost, losing = 0;
    if (h->levels[at->kept] >> plies % 64 & 1)
        for (si_set left = unknown & safe & ~won; left != 0; left &= left - 1)
            if (scores[si_lsb(left)] == si_tb_win_in(plies))
                won |= left & -left;
    for (si_set left = unknown & ~won & ~open & ~safe; left != 0; left &= left - 1) {
        const int score = scores[si_lsb(left)];
        if (score == 0 || si_tb_distance(score) <= plies)
            losing |= left & -left;
    }
    if ((won | losing) == 0)
        return;
    si_tb_put_set(h->fresh[at->kept].open, won);
    si_tb_put_set(h->fresh[at->kept].lost, losing);
    h->touched[__atomic_fetch_add(&h->touched_count, 1, __ATOMIC_RELAXED)] = (uint32_t)at->kept;
}

static void store_scores(int16_t *scores, si_set squares, int score)
{
    for (; squares != 0; squares &= squares - 1)
        scores[si_lsb(squares)] = (int16_t)score;
}

/* Copies fresh values to every row that differs from the kept row by the order of like stones or the mirror. */
static void copy_to_equivalent_rows(si_tb_build *b, si_tb_side *h, uint64_t kept)
{
    const si_tb_sets *fresh = &h->fresh[kept];
    si_tb_sets image;
    si_tb_put_set(image.open, si_tb_mirrored_set(b, si_tb_as_set(fresh->open)));
    si_tb_put_set(image.lost, si_tb_mirrored_set(b, si_tb_as_set(fresh->lost)));
    for (unsigned mirrored = 0; mirrored < 2; mirrored++)
        for (unsigned i = 0; i < b->orders; i++) {
            si_tb_sets *row = &h->rows[si_tb_row_of(b, b->kept_offset[kept], b->order[i], mirrored != 0)];
            const si_tb_sets *add = mirrored ? &image : fresh;
            for (unsigned k = 0; k < 2; k++) {
                row->open[k] &= ~add->open[k];
                row->lost[k] |= add->lost[k];
            }
        }
}

static void finish_level(si_tb_build *b, si_tb_side *h, int plies)
{
    for (uint64_t i = 0; i < h->touched_count; i++) {
        const uint64_t kept = h->touched[i];
        int16_t *scores = h->scores + kept * b->row_scores;
        store_scores(scores, si_tb_as_set(h->fresh[kept].open), si_tb_win_in(plies));
        store_scores(scores, si_tb_as_set(h->fresh[kept].lost), si_tb_loss_in(plies));
        copy_to_equivalent_rows(b, h, kept);
    }
}

/* The position of all stones after the board is turned over and the sides are exchanged. */
typedef struct {
    uint64_t row; /* without the share of the counterpart of the fast stone */
    unsigned bit; /* of the fast stone */
} turned_over;

static unsigned partner_of(const si_tb_build *b, unsigned x)
{
    const unsigned half = b->stones / 2;
    return x < half ? x + half : x - half;
}

static turned_over turn_over(const si_tb_build *b, const uint8_t *offset, const uint8_t *order, bool mirrored)
{
    const si_tables *t = b->tables;
    turned_over turned = {0, 0};
    for (unsigned i = 0; i < b->stones; i++) {
        if (i == b->fast)
            continue;
        const unsigned square = offset[order[i]] + b->stone[i].first, x = partner_of(b, i);
        const unsigned to = t->flipped[mirrored ? t->mirrored[square] : square];
        if (x == b->fast)
            turned.bit = b->bit_of[to];
        else
            turned.row += (to - b->stone[x].first) * b->stone[x].stride;
    }
    return turned;
}

/* Copies South's fresh values to North's rows, the board turned over, for every order of like stones and both mirror
 * images. */
static void copy_to_north(si_tb_build *b)
{
    const si_tb_side *south = &b->halves[SI_SOUTH];
    si_tb_sets *rows = b->halves[SI_NORTH].rows;
    const si_tb_stone *like = &b->stone[partner_of(b, b->fast)];
    for (uint64_t i = 0; i < south->touched_count; i++) {
        const uint64_t kept = south->touched[i];
        const si_set won = si_tb_as_set(south->fresh[kept].open), lost = si_tb_as_set(south->fresh[kept].lost);
        for (unsigned k = 0; k < 2 * b->orders; k++) {
            const bool mirrored = k % 2 != 0;
            const turned_over turned = turn_over(b, b->kept_offset[kept], b->order[k / 2], mirrored);
            const uint64_t bit = UINT64_C(1) << turned.bit % 64;
            for (si_set left = won | lost; left != 0; left &= left - 1) {
                const unsigned square = si_tb_square_of(b, si_lsb(left));
                const unsigned to = b->tables->flipped[mirrored ? b->tables->mirrored[square] : square];
                si_tb_sets *row = &rows[turned.row + (to - like->first) * like->stride];
                if (won & left & -left)
                    row->open[turned.bit / 64] &= ~bit;
                else
                    row->lost[turned.bit / 64] |= bit;
            }
        }
    }
}

static bool is_settled(const si_tb_build *b, uint64_t row)
{
    uint64_t unknown = 0;
    for (unsigned side = 0; side < si_tb_sides_solved(b); side++) {
        const si_tb_sets *sets = &b->halves[side].rows[row];
        unknown |= (sets->open[0] & ~sets->lost[0]) | (sets->open[1] & ~sets->lost[1]);
    }
    return unknown == 0;
}

static void find_level(si_tb_build *b, uint64_t from, uint64_t to, rf_control *control)
{
    si_tb_row at;
    for (uint64_t kept = from; kept < to && !rf_tick(control); kept++) {
        if (is_settled(b, b->kept_row[kept]))
            continue;
        si_tb_set_row(b, kept, &at);
        for (unsigned side = 0; side < si_tb_sides_solved(b); side++)
            level_of_row(b, side, &at, b->plies);
    }
}

void si_tb_open_rows(si_tb_build *b)
{
    si_tb_row at;
    for (uint64_t kept = 0; kept < b->kept; kept++) {
        si_tb_set_row(b, kept, &at);
        const si_set squares = b->fast_squares & ~at.taken, image = si_tb_mirrored_set(b, squares);
        for (unsigned i = 0; i < 2 * b->orders; i++) {
            const uint64_t row = si_tb_row_of(b, at.offset, b->order[i / 2], i % 2 != 0);
            for (unsigned side = 0; side < 2; side++)
                si_tb_put_set(b->halves[side].rows[row].open, i % 2 != 0 ? image : squares);
        }
    }
}

/* Positions without any move pass (S9). */
static void find_stuck(si_tb_build *b, uint64_t from, uint64_t to, rf_control *control)
{
    si_tb_row at;
    for (uint64_t kept = from; kept < to && !rf_tick(control); kept++) {
        si_tb_set_row(b, kept, &at);
        for (unsigned side = 0; side < si_tb_sides_solved(b); side++) {
            si_tb_side *h = &b->halves[side];
            const si_tb_sets sets = quiet_moves(b, side, &at, 0);
            const int16_t *scores = h->scores + kept * b->row_scores;
            si_set left = si_tb_as_set(h->rows[at.row].open) & ~si_tb_as_set(sets.open) & ~h->safe[kept];
            for (; left != 0; left &= left - 1)
                if (scores[si_lsb(left)] == 0) /* no exit either */
                    h->stuck[kept] |= left & -left;
        }
    }
}

/* ---- steps ---- */

static bool next_huffs(si_tb_build *b, unsigned x)
{
    b->phase = SI_TB_HUFFS;
    b->huffing = x;
    return b->mixed && x < si_tb_stones_solved(b);
}

/* Ends a level and begins the next; false after the last level. */
static bool next_level(si_tb_build *b)
{
    bool more = b->phase != SI_TB_LEVEL;
    if (b->phase == SI_TB_LEVEL) {
        if (b->paired)
            copy_to_north(b);
        for (unsigned side = 0; side < si_tb_sides_solved(b); side++)
            finish_level(b, &b->halves[side], b->plies);
        more = b->halves[SI_SOUTH].touched_count + b->halves[SI_NORTH].touched_count != 0;
        if (more)
            b->longest = (uint32_t)b->plies;
    }
    b->phase = SI_TB_LEVEL;
    b->plies++;
    if (!more && b->plies > b->exit_longest + 1)
        return false;
    b->halves[SI_SOUTH].touched_count = b->halves[SI_NORTH].touched_count = 0;
    set_huffed(b, b->plies - 1);
    return true;
}

/* Begins the next phase; false after the last one. */
static bool next_phase(si_tb_build *b)
{
    switch (b->phase) {
    case SI_TB_STARTING:
        si_tb_open_rows(b);
        b->phase = SI_TB_EXITS;
        return true;
    case SI_TB_EXITS:
        if (next_huffs(b, 0))
            return true;
        break;
    case SI_TB_HUFFS:
        if (next_huffs(b, b->huffing + 1))
            return true;
        break;
    default:
        return next_level(b);
    }
    b->phase = SI_TB_STUCK;
    return b->stones >= 4 || next_level(b);
}

/* After the parts of a checkpoint have been filled: restores everything that follows from them. */
static void finish_resuming(si_tb_build *b)
{
    if (b->phase != SI_TB_LEVEL)
        return;
    uint64_t squares[2]; /* whatever the file says, rows have no other squares */
    si_tb_put_set(squares, b->fast_squares);
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t row = 0; row < b->rows; row++)
            for (unsigned i = 0; i < 2; i++) {
                b->halves[side].rows[row].open[i] &= squares[i];
                b->halves[side].rows[row].lost[i] &= squares[i];
            }
    for (unsigned x = 0; b->mixed && x < si_tb_stones_solved(b); x++)
        set_huffed_rows(b, &b->halves[b->stone[x].side], x, b->plies - 1);
}

int si_tb_build_next_step(rf_tb_build *build, rf_tb_step *step)
{
    si_tb_build *b = (si_tb_build *)build;
    if (b->missing)
        return RF_TB_ABSENT;
    uint64_t begin = 0;
    if (b->resumed) {
        finish_resuming(b);
        begin = b->begin;
        b->resumed = false;
    } else if (!next_phase(b)) {
        *step = (rf_tb_step){0, 0, 100, 100};
        return RF_TB_FOUND;
    }
    if (b->plies >= SI_TB_LAST)
        return RF_TB_TOO_LONG;
    *step = (rf_tb_step){b->kept, begin, 0, SI_TB_EXITS_PERCENT};
    if (b->phase == SI_TB_HUFFS)
        *step = (rf_tb_step){b->huffed_rows[b->huffing], begin, SI_TB_EXITS_PERCENT, SI_TB_EXITS_PERCENT};
    if (b->phase == SI_TB_STUCK)
        *step = (rf_tb_step){b->kept, begin, SI_TB_EXITS_PERCENT, SI_TB_EXITS_PERCENT};
    if (b->phase == SI_TB_LEVEL) { /* at least one level for each distance of an exit */
        const int levels = b->plies > b->exit_longest + 1 ? b->plies : b->exit_longest + 1;
        const int of = SI_TB_LEVELS_PERCENT - SI_TB_EXITS_PERCENT;
        *step = (rf_tb_step){b->kept, begin, SI_TB_EXITS_PERCENT + (unsigned)(of * (b->plies - 1) / levels),
                             SI_TB_EXITS_PERCENT + (unsigned)(of * b->plies / levels)};
    }
    return RF_TB_FOUND;
}

void si_tb_build_rows(rf_tb_build *build, uint64_t from, uint64_t to, rf_control *control)
{
    si_tb_build *b = (si_tb_build *)build;
    rf_control_start(control);
    switch (b->phase) {
    case SI_TB_EXITS:
        si_tb_find_exits(b, from, to, control);
        return;
    case SI_TB_HUFFS:
        si_tb_find_huffs(b, b->huffing, from, to, control);
        return;
    case SI_TB_STUCK:
        find_stuck(b, from, to, control);
        return;
    default:
        find_level(b, from, to, control);
    }
}

rf_tb_build *si_tb_build_new(const rf_tablebase *tables, rf_material m)
{
    si_tb_build *b = calloc(1, sizeof *b);
    if (b != NULL && si_tb_prepare(b, (const si_tables *)tables, m))
        return &b->base;
    si_tb_build_free((rf_tb_build *)b);
    return NULL;
}

uint32_t si_tb_build_longest(const rf_tb_build *build) { return ((const si_tb_build *)build)->longest; }

void si_tb_build_free(rf_tb_build *build)
{
    si_tb_build *b = (si_tb_build *)build;
    if (b == NULL)
        return;
    for (unsigned i = 0; i < b->stones; i++)
        free(b->stone[i].steps);
    free(b->kept_of);
    free(b->kept_row);
    free(b->kept_offset);
    for (unsigned side = 0; side < 2; side++) {
        si_tb_side *h = &b->halves[side];
        free(h->rows);
        free(h->fresh);
        free(h->touched);
        free(h->safe);
        free(h->stuck);
        free(h->levels);
        free(h->scores);
        for (unsigned x = 0; x < b->stones; x++) {
            free(h->huffed[x]);
            free(h->huffed_rows[x]);
        }
    }
    free(b);
}
