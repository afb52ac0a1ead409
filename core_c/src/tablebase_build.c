/* Endgame tables: the generator.
 *
 * It solves a material with South to move together with the same material with North to move, since quiet moves lead
 * from one to the other. Everything else that a turn can lead to has fewer stones or more champions and is known.
 *
 * One stone, the fast one, has no dimension of its own: all its squares are the bits of one set, so a row, which fixes
 * the other stones, is worked on at once. Level n finds the wins and losses in n plies from those in n - 1:
 *   a win  is a position with an exit that wins in n, or a quiet move to a loss in n - 1 at most;
 *   a loss is one whose quiet moves all lead to wins in n - 1 at most, and whose exits all lose in n at most.
 * An exit is a capture or a promotion with what follows in the same turn.
 *
 * A quiet move while stones could capture lets the opponent huff one of them (S7). With one stone on a side that
 * settles nothing that captures do not settle as well or better; otherwise the moves from positions with the same
 * able stones are taken together, and the sets they lead to are cut down to where no huff changes the result. */
#include "tablebase.h"

#include <stdlib.h>

#include "control.h"

enum { DIRECTIONS = 8, NO_STEP = -1, OWN_SETS = 1 << RF_TB_STONES };

/* Two sets of squares of the fast stone. */
typedef struct {
    uint64_t open[2]; /* not won, as far as is known */
    uint64_t lost[2];
} row_sets;

typedef struct {
    int16_t near, far; /* places in the stone's own numbering, NO_STEP if there is none */
    uint8_t over;      /* bit of the near square */
} step;

typedef struct {
    unsigned side, kind;
    unsigned first, places; /* it stands on squares [first, first + places) */
    uint64_t stride;        /* rows from one place to the next; 0 for the fast stone */
    step (*steps)[DIRECTIONS];
} stone;

/* A side's positions: South's or North's to move. */
typedef struct {
    row_sets *rows;
    row_sets *fresh;   /* what the current level adds: `open` holds the wins */
    uint32_t *touched; /* rows with something fresh */
    uint64_t touched_count;
    si_set *safe;      /* an exit draws or wins */
    si_set *stuck;     /* no legal move; NULL if there are too few stones for it */
    uint64_t *levels;  /* bit n % 64: an exit wins in n */
    int16_t *scores;   /* the best exit, 0 if none; then the value */
    /* By own stone: the score for the opponent after huffing it, by the places of the others; NULL if not needed. */
    int16_t *huffed[RF_TB_STONES];
    row_sets *huffed_rows[RF_TB_STONES];
    uint64_t huffed_levels[RF_TB_STONES][RF_TB_LAST / 64 + 1];
} half;

struct rf_tb_build {
    const rf_tables *tables;
    rf_material material;
    unsigned stones, fast;
    stone stone[RF_TB_STONES]; /* South's first */
    uint64_t rows, row_scores; /* scores of a row, by bit */
    uint64_t huffed_rows[RF_TB_STONES];
    uint64_t huffed_stride[RF_TB_STONES][RF_TB_STONES];
    si_set board, fast_squares;
    bool huffs, mixed; /* huffing at all; both sides have several stones, so that huffs and quiet moves mix */
    half halves[2];
    uint32_t longest;
    struct turn *turns; /* one for each side */
    int exit_longest;
    bool missing; /* a class below is not there */
    si_set around[SI_SQUARES];
    uint8_t between[SI_SQUARES][SI_SQUARES]; /* the square between two in line, SI_SQUARES if there is none */
};

/* A row while it is worked on. */
typedef struct {
    uint64_t row;
    unsigned place[RF_TB_STONES];
    uint8_t bit[RF_TB_STONES];
    si_set taken; /* squares of the slow stones */
    bool possible; /* no two of them on one square */
} place_of_row;

static unsigned bit_of(const rf_tables *t, unsigned square)
{
    return square / t->files * SI_STRIDE + square % t->files;
}

static unsigned square_of(const rf_tables *t, unsigned bit) { return bit / SI_STRIDE * t->files + bit % SI_STRIDE; }

static inline si_set as_set(const uint64_t *words) { return (si_set)words[1] << 64 | words[0]; }

static inline void put_set(uint64_t *words, si_set x)
{
    words[0] = (uint64_t)x;
    words[1] = (uint64_t)(x >> 64);
}

/* ---- preparation ---- */

static bool make_steps(rf_tb_build *b, stone *s)
{
    static const int file_step[DIRECTIONS] = {-1, -1, -1, 0, 0, 1, 1, 1};
    static const int rank_step[DIRECTIONS] = {-1, 0, 1, -1, 1, -1, 0, 1};
    const rf_tables *t = b->tables;
    s->steps = calloc(s->places, sizeof *s->steps);
    if (s->steps == NULL)
        return false;
    for (unsigned place = 0; place < s->places; place++)
        for (unsigned d = 0; d < DIRECTIONS; d++) {
            step *to = &s->steps[place][d];
            const int square = (int)(place + s->first), file = square % (int)t->files, rank = square / (int)t->files;
            int16_t ends[2] = {NO_STEP, NO_STEP};
            for (int i = 1; i <= (s->kind == SI_CHAMPION ? 2 : 1); i++) {
                const int f = file + i * file_step[d], r = rank + i * rank_step[d];
                if (f < 0 || f >= (int)t->files || r < 0 || r >= (int)t->ranks)
                    break;
                const int end = r * (int)t->files + f - (int)s->first;
                ends[i - 1] = (int16_t)(end >= 0 && end < (int)s->places ? end : NO_STEP);
                if (i == 1)
                    to->over = (uint8_t)bit_of(t, (unsigned)(r * (int)t->files + f));
            }
            to->near = ends[0];
            to->far = ends[1];
        }
    return true;
}

static void list_stones(rf_tb_build *b)
{
    const rf_tables *t = b->tables;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned kind = 0; kind < SI_KINDS; kind++)
            for (unsigned i = 0; i < tb_count(b->material, side, kind); i++) {
                stone *s = &b->stone[b->stones++];
                const bool champion = kind == SI_CHAMPION;
                s->side = side;
                s->kind = kind;
                s->first = !champion && side == SI_NORTH ? t->files : 0;
                s->places = t->squares - (champion ? 0 : t->files);
            }
    /* Slow stones of one kind share rows, so a stone without its like is the best fast one. */
    b->fast = b->stones - 1;
    for (unsigned i = 0; i < b->stones; i++)
        if (tb_count(b->material, b->stone[i].side, b->stone[i].kind) == 1)
            b->fast = i;
}

/* Numbers rows, and for each stone the places of the others without it. */
static void number_rows(rf_tb_build *b)
{
    b->rows = 1;
    for (unsigned i = b->stones; i-- > 0;)
        if (i != b->fast) {
            b->stone[i].stride = b->rows;
            b->rows *= b->stone[i].places;
        }
    for (unsigned x = 0; x < b->stones; x++) {
        b->huffed_rows[x] = 1;
        for (unsigned i = b->stones; i-- > 0;)
            if (i != b->fast && i != x) {
                b->huffed_stride[x][i] = b->huffed_rows[x];
                b->huffed_rows[x] *= b->stone[i].places;
            }
    }
    b->row_scores = b->tables->ranks * SI_STRIDE;
}

static void set_geometry(rf_tb_build *b)
{
    const rf_tables *t = b->tables;
    b->board = si_squares(t->files, t->ranks);
    const stone *fast = &b->stone[b->fast];
    for (unsigned place = 0; place < fast->places; place++)
        b->fast_squares |= si_bit(bit_of(t, place + fast->first));
    memset(b->between, SI_SQUARES, sizeof b->between);
    for (unsigned i = 0; i < t->squares; i++) {
        const unsigned bit = bit_of(t, i);
        b->around[bit] = si_around(si_bit(bit)) & ~si_bit(bit) & b->board;
#define BETWEEN(move) \
        if ((move(move(si_bit(bit)) & b->board) & b->board) != 0) \
            b->between[bit][si_first(move(move(si_bit(bit))))] = (uint8_t)si_first(move(si_bit(bit)));
        SI_FOR_EACH_STEP(BETWEEN)
#undef BETWEEN
    }
}

static bool take_half(rf_tb_build *b, half *h, unsigned side)
{
    h->rows = calloc(b->rows, sizeof *h->rows);
    h->fresh = calloc(b->rows, sizeof *h->fresh);
    h->touched = calloc(b->rows, sizeof *h->touched);
    h->safe = calloc(b->rows, sizeof *h->safe);
    h->levels = calloc(b->rows, sizeof *h->levels);
    h->scores = calloc(b->rows * b->row_scores, sizeof *h->scores);
    bool taken = h->rows && h->fresh && h->touched && h->safe && h->levels && h->scores;
    if (b->stones >= 4) {
        h->stuck = calloc(b->rows, sizeof *h->stuck);
        taken = taken && h->stuck != NULL;
    }
    for (unsigned x = 0; b->mixed && x < b->stones; x++)
        if (b->stone[x].side == side) {
            const uint64_t scores = x == b->fast ? 1 : b->row_scores;
            h->huffed[x] = calloc(b->huffed_rows[x] * scores, sizeof *h->huffed[x]);
            h->huffed_rows[x] = calloc(b->huffed_rows[x], sizeof *h->huffed_rows[x]);
            taken = taken && h->huffed[x] != NULL && h->huffed_rows[x] != NULL;
        }
    return taken;
}

static void number_stones(rf_tb_build *b, const rf_tables *tables, rf_material m)
{
    b->tables = tables;
    b->material = m;
    list_stones(b);
    number_rows(b);
    b->huffs = tables->huff != SI_HUFF_OFF;
    b->mixed = b->huffs && tb_stones_of(m, TB_OWN) > 1 && tb_stones_of(m, TB_ENEMY) > 1;
}

static bool prepare(rf_tb_build *b, const rf_tables *tables, rf_material m)
{
    number_stones(b, tables, m);
    set_geometry(b);
    for (unsigned i = 0; i < b->stones; i++)
        if (!make_steps(b, &b->stone[i]))
            return false;
    return take_half(b, &b->halves[SI_SOUTH], SI_SOUTH) && take_half(b, &b->halves[SI_NORTH], SI_NORTH);
}

uint64_t rf_tb_build_memory(unsigned files, unsigned ranks, rf_material m)
{
    rf_tables *tables = rf_tables_new(files, ranks, SI_HUFF_TURN);
    rf_tb_build *b = calloc(1, sizeof *b);
    uint64_t bytes = 0;
    if (tables != NULL && b != NULL) {
        number_stones(b, tables, m);
        const uint64_t row = 2 * sizeof(row_sets) + sizeof(uint32_t) + 2 * sizeof(si_set) + sizeof(uint64_t) +
                             b->row_scores * sizeof(int16_t);
        bytes = 2 * b->rows * row;
        for (unsigned x = 0; b->mixed && x < b->stones; x++)
            bytes += b->huffed_rows[x] * (sizeof(row_sets) + b->row_scores * sizeof(int16_t));
        bytes += sizeof *b;
    }
    free(b);
    rf_tables_free(tables);
    return bytes;
}

/* ---- rows ---- */

static void look_at_row(const rf_tb_build *b, place_of_row *at)
{
    at->taken = 0;
    at->possible = true;
    for (unsigned i = 0; i < b->stones; i++) {
        if (i == b->fast)
            continue;
        at->bit[i] = (uint8_t)bit_of(b->tables, at->place[i] + b->stone[i].first);
        const si_set bit = si_bit(at->bit[i]);
        at->possible = at->possible && (at->taken & bit) == 0;
        at->taken |= bit;
    }
}

static void first_row(const rf_tb_build *b, place_of_row *at)
{
    memset(at, 0, sizeof *at);
    look_at_row(b, at);
}

static void next_row(const rf_tb_build *b, place_of_row *at)
{
    at->row++;
    for (unsigned i = b->stones; i-- > 0;) {
        if (i == b->fast)
            continue;
        if (++at->place[i] < b->stone[i].places)
            break;
        at->place[i] = 0;
    }
    look_at_row(b, at);
}

static bool is_prey(unsigned kind, unsigned victim)
{
    return kind == SI_CHAMPION || (victim != SI_CHAMPION && victim == (kind + 1) % 3);
}

/* Where the fast stone may be if `x` is to capture `z`, both slow. */
static si_set slow_captures_slow(const rf_tb_build *b, const place_of_row *at, unsigned x, unsigned z)
{
    const unsigned from = at->bit[x], to = at->bit[z];
    if (b->around[from] & si_bit(to))
        return b->board;
    const unsigned over = b->between[from][to];
    if (b->stone[x].kind != SI_CHAMPION || over == SI_SQUARES || (at->taken & si_bit(over)) != 0)
        return 0;
    return b->board & ~si_bit(over);
}

/* Where the fast stone must be for `x` to capture something. */
static si_set able(const rf_tb_build *b, const place_of_row *at, unsigned x)
{
    const unsigned kind = b->stone[x].kind;
    si_set squares = 0;
    for (unsigned z = 0; z < b->stones; z++) {
        if (b->stone[z].side == b->stone[x].side || !is_prey(kind, b->stone[z].kind))
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

/* Where the fast stone must be for the side to have a promotion. */
static si_set about_to_promote(const rf_tb_build *b, const place_of_row *at, unsigned side)
{
    const unsigned rank = side == SI_SOUTH ? b->tables->ranks - 2 : 1;
    const si_set squares = b->board & ((si_bit(SI_STRIDE) - 1) << rank * SI_STRIDE);
    si_set found = 0;
    for (unsigned i = 0; i < b->stones; i++) {
        if (b->stone[i].side != side || b->stone[i].kind == SI_CHAMPION)
            continue;
        if (i == b->fast)
            found |= squares;
        else if (squares & si_bit(at->bit[i]))
            found = b->board;
    }
    return found;
}

/* ---- exits: one position at a time ---- */

/* Scores with one stone promoted and nothing captured, by its square, while the others stay where they are. */
typedef struct {
    uint64_t now; /* changes when another stone moves */
    uint64_t when[SI_SQUARES];
    int16_t score[SI_SQUARES];
} promoted_scores;

/* A position whose exits are looked at. */
typedef struct turn {
    rf_tb_build *b;
    promoted_scores *known; /* for the stone that is promoted in this turn; NULL if there is none */
    unsigned promoted;
    unsigned side;
    tb_stones stones;
    uint8_t bit[RF_TB_STONES];
    unsigned gone;  /* captured */
    unsigned able;  /* stones that could capture when the turn began */
    int score;
    promoted_scores memory[RF_TB_STONES];
} turn;

static int plain_score(turn *p, unsigned gone)
{
    const tb_class *c;
    const uint64_t index = tb_index(p->b->tables, &p->stones, gone, p->side ^ 1, &c);
    if (c == NULL || c->values == NULL) {
        p->b->missing = true;
        return 0;
    }
    return c->width == 1 ? tb_score_of(((const uint8_t *)c->values)[index], 1)
                         : tb_score_of(((const uint16_t *)c->values)[index], 2);
}

/* The same before any huff, for the opponent to move. */
static int settled_score(turn *p)
{
    promoted_scores *known = p->known;
    if (known == NULL || p->gone != 0)
        return plain_score(p, p->gone);
    const unsigned bit = p->bit[p->promoted];
    if (known->when[bit] != known->now) {
        known->when[bit] = known->now;
        known->score[bit] = (int16_t)plain_score(p, 0);
    }
    return known->score[bit];
}

static unsigned stones_left(const turn *p, unsigned side)
{
    unsigned left = 0;
    for (unsigned i = 0; i < p->stones.count; i++)
        left += p->stones.side[i] == side && (p->gone >> i & 1) == 0;
    return left;
}

/* The score for the mover when the turn ends here, the opponent free to huff one of `missed`. */
static int end_turn(turn *p, unsigned missed)
{
    int best = settled_score(p);
    for (; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lowest(missed);
        const int score = stones_left(p, p->side) == 1 ? tb_win_in(1)
                                                       : tb_older(plain_score(p, p->gone | 1u << x));
        if (score > best)
            best = score;
    }
    return -tb_older(best);
}

static si_set squares_of(const turn *p, unsigned side)
{
    si_set squares = 0;
    for (unsigned i = 0; i < p->stones.count; i++)
        if (p->stones.side[i] == side && (p->gone >> i & 1) == 0)
            squares |= si_bit(p->bit[i]);
    return squares;
}

static si_set prey_of(const turn *p, unsigned x)
{
    si_set prey = 0;
    for (unsigned z = 0; z < p->stones.count; z++)
        if (p->stones.side[z] != p->side && (p->gone >> z & 1) == 0 && is_prey(p->stones.kind[x], p->stones.kind[z]))
            prey |= si_bit(p->bit[z]);
    return prey;
}

/* Where `x` can go, captures included. */
static si_set reach_of(const turn *p, unsigned x)
{
    const si_set empty = p->b->board & ~squares_of(p, SI_SOUTH) & ~squares_of(p, SI_NORTH);
    const si_set ends = empty | prey_of(p, x);
    return p->stones.kind[x] == SI_CHAMPION ? si_champion_reach(si_bit(p->bit[x]), empty, ends)
                                            : p->b->around[p->bit[x]] & ends;
}

static void put_stone(turn *p, unsigned x, unsigned bit)
{
    p->bit[x] = (uint8_t)bit;
    p->stones.square[x] = (uint8_t)square_of(p->b->tables, bit);
}

/* Takes what stands on `bit` off the board; whether something did. */
static bool capture_on(turn *p, unsigned bit)
{
    for (unsigned z = 0; z < p->stones.count; z++)
        if (p->stones.side[z] != p->side && (p->gone >> z & 1) == 0 && p->bit[z] == bit) {
            p->gone |= 1u << z;
            return true;
        }
    return false;
}

/* S7: what of `missed` is left once `x` has captured. */
static unsigned after_capture(const turn *p, unsigned missed, unsigned x)
{
    return p->b->tables->huff == SI_HUFF_STONE ? missed & ~(1u << x) : 0;
}

static int bonus_score(turn *p, unsigned x, unsigned missed)
{
    int best = end_turn(p, missed); /* stay */
    const unsigned from = p->bit[x], gone = p->gone;
    for (si_set ends = reach_of(p, x); ends != 0; ends &= ends - 1) {
        const unsigned to = si_first(ends);
        const bool captured = capture_on(p, to);
        put_stone(p, x, to);
        const int score = captured && stones_left(p, p->side ^ 1) == 0
                              ? tb_win_in(1)
                              : end_turn(p, captured ? after_capture(p, missed, x) : missed);
        if (score > best)
            best = score;
        p->gone = gone;
        put_stone(p, x, from);
    }
    return best;
}

static int exit_score(turn *p, unsigned x, bool captured, bool promoted)
{
    if (stones_left(p, p->side ^ 1) == 0)
        return tb_win_in(1);
    unsigned missed = captured ? after_capture(p, p->able, x) : p->able;
    if (!promoted)
        return end_turn(p, missed);
    if (p->b->huffs && !captured && (reach_of(p, x) & squares_of(p, p->side ^ 1)) != 0)
        missed |= 1u << x; /* the new champion may miss its chance too */
    return tb_older(bonus_score(p, x, missed));
}

/* Tries every capture and promotion of stone `x`. */
static void try_exits(turn *p, unsigned x)
{
    const unsigned last = p->side == SI_SOUTH ? p->b->tables->ranks - 1 : 0;
    const unsigned from = p->bit[x], kind = p->stones.kind[x];
    const si_set enemies = squares_of(p, p->side ^ 1);
    for (si_set ends = reach_of(p, x); ends != 0; ends &= ends - 1) {
        const unsigned to = si_first(ends);
        const bool promoted = kind != SI_CHAMPION && to / SI_STRIDE == last;
        if (!promoted && (enemies & si_bit(to)) == 0)
            continue;
        const bool captured = capture_on(p, to);
        put_stone(p, x, to);
        if (promoted) {
            p->stones.kind[x] = SI_CHAMPION;
            p->promoted = x;
            p->known = &p->memory[x];
        }
        const int score = exit_score(p, x, captured, promoted);
        p->known = NULL;
        if (score > p->score)
            p->score = score;
        p->gone = 0;
        p->stones.kind[x] = (uint8_t)kind;
        put_stone(p, x, from);
    }
}

/* The best that captures and promotions give, RF_TB_NO_SCORE if there are none. */
static int best_exit(turn *p)
{
    p->score = RF_TB_NO_SCORE;
    p->able = 0;
    p->gone = 0;
    for (unsigned x = 0; p->b->huffs && x < p->stones.count; x++)
        if (p->stones.side[x] == p->side && (reach_of(p, x) & squares_of(p, p->side ^ 1)) != 0)
            p->able |= 1u << x;
    for (unsigned x = 0; x < p->stones.count; x++)
        if (p->stones.side[x] == p->side)
            try_exits(p, x);
    return p->score;
}

static void start_turn(turn *p, rf_tb_build *b, unsigned side)
{
    p->b = b;
    p->side = side;
    p->stones.count = b->stones;
    for (unsigned i = 0; i < b->stones; i++) {
        p->stones.side[i] = (uint8_t)b->stone[i].side;
        p->stones.kind[i] = (uint8_t)b->stone[i].kind;
    }
}

static void find_exits_of_row(rf_tb_build *b, unsigned side, const place_of_row *at)
{
    half *h = &b->halves[side];
    const si_set squares = b->fast_squares & ~at->taken;
    put_set(h->rows[at->row].open, squares);
    turn *p = &b->turns[side];
    p->memory[b->fast].now++;
    si_set wanted = about_to_promote(b, at, side);
    for (unsigned i = 0; i < b->stones; i++) {
        if (i != b->fast)
            put_stone(p, i, at->bit[i]);
        if (b->stone[i].side == side)
            wanted |= able(b, at, i);
    }
    int16_t *scores = h->scores + at->row * b->row_scores;
    si_set safe = 0;
    for (wanted &= squares; wanted != 0; wanted &= wanted - 1) {
        const unsigned bit = si_first(wanted);
        put_stone(p, b->fast, bit);
        for (unsigned i = 0; i < b->stones; i++)
            p->memory[i].now += i != b->fast;
        const int score = best_exit(p);
        if (score == RF_TB_NO_SCORE)
            continue;
        scores[bit] = (int16_t)score;
        if (score >= 0)
            safe |= si_bit(bit);
        if (score > 0)
            h->levels[at->row] |= UINT64_C(1) << tb_distance(score) % 64;
        if (score != 0 && tb_distance(score) > b->exit_longest)
            b->exit_longest = tb_distance(score);
    }
    h->safe[at->row] = safe;
}

/* The number of the row with slow stones of one kind in the order of their places, the board mirrored if asked. */
static uint64_t row_of_places(const rf_tb_build *b, const place_of_row *at, bool mirrored)
{
    unsigned place[RF_TB_STONES] = {0};
    uint64_t row = 0;
    for (unsigned i = 0; i < b->stones; i++) {
        const stone *s = &b->stone[i];
        if (i == b->fast)
            continue;
        unsigned p = at->place[i];
        if (mirrored)
            p = b->tables->mirrored[p + s->first] - s->first;
        unsigned j = i;
        for (; j > 0 && b->stone[j - 1].side == s->side && b->stone[j - 1].kind == s->kind && place[j - 1] > p; j--)
            place[j] = place[j - 1];
        place[j] = p;
    }
    for (unsigned i = 0; i < b->stones; i++)
        row += place[i] * b->stone[i].stride;
    return row;
}

/* Takes the exits over from a row with the same stones or their mirror image. */
static void copy_exits(const rf_tb_build *b, half *h, uint64_t row, uint64_t from, bool mirrored, si_set squares)
{
    put_set(h->rows[row].open, squares);
    h->levels[row] = h->levels[from];
    int16_t *scores = h->scores + row * b->row_scores;
    const int16_t *source = h->scores + from * b->row_scores;
    if (!mirrored) {
        h->safe[row] = h->safe[from];
        memcpy(scores, source, b->row_scores * sizeof *scores);
        return;
    }
    const unsigned files = b->tables->files;
    si_set safe = 0;
    for (unsigned file = 0; file < files; file++) {
        const si_set column = h->safe[from] >> (files - 1 - file) & si_column(SI_MAX_RANKS);
        safe |= column << file;
        for (unsigned bit = file; bit < b->row_scores; bit += SI_STRIDE)
            scores[bit] = source[bit + files - 1 - 2 * file];
    }
    h->safe[row] = safe;
}

static bool take_turns(rf_tb_build *b)
{
    b->turns = calloc(2, sizeof *b->turns);
    for (unsigned side = 0; b->turns != NULL && side < 2; side++)
        start_turn(&b->turns[side], b, side);
    return b->turns != NULL;
}

static void find_exits(rf_tb_build *b, rf_control *control)
{
    if (!take_turns(b)) {
        control->stopped = RF_STOPPED_MEMORY;
        return;
    }
    place_of_row at;
    first_row(b, &at);
    for (; at.row < b->rows && !rf_tick(control); next_row(b, &at)) {
        if (!at.possible)
            continue;
        control->done = at.row;
        const uint64_t same = row_of_places(b, &at, false), image = row_of_places(b, &at, true);
        const uint64_t first = same < image ? same : image;
        for (unsigned side = 0; side < 2; side++) {
            if (first == at.row)
                find_exits_of_row(b, side, &at);
            else
                copy_exits(b, &b->halves[side], at.row, first, first != same, b->fast_squares & ~at.taken);
        }
    }
}

/* ---- huffs after quiet moves ---- */

static void find_huffs_of(rf_tb_build *b, half *h, unsigned x, rf_control *control)
{
    turn p = {.known = NULL};
    start_turn(&p, b, b->stone[x].side);
    const si_set fast_squares = x == b->fast ? 1 : b->fast_squares;
    const uint64_t scores = x == b->fast ? 1 : b->row_scores;
    for (uint64_t row = 0; row < b->huffed_rows[x] && !rf_tick(control); row++) {
        si_set taken = 0;
        bool possible = true;
        for (unsigned i = 0; i < b->stones; i++) {
            if (i == b->fast || i == x)
                continue;
            const unsigned place = (unsigned)(row / b->huffed_stride[x][i] % b->stone[i].places);
            put_stone(&p, i, bit_of(b->tables, place + b->stone[i].first));
            possible = possible && (taken & si_bit(p.bit[i])) == 0;
            taken |= si_bit(p.bit[i]);
        }
        for (si_set left = possible ? fast_squares & (x == b->fast ? 1 : ~taken) : 0; left != 0; left &= left - 1) {
            const unsigned bit = si_first(left);
            if (x != b->fast)
                put_stone(&p, b->fast, bit);
            const int score = tb_older(plain_score(&p, 1u << x));
            h->huffed[x][row * scores + bit] = (int16_t)score;
            if (score != 0)
                h->huffed_levels[x][tb_distance(score) / 64] |= UINT64_C(1) << tb_distance(score) % 64;
            if (score != 0 && tb_distance(score) > b->exit_longest)
                b->exit_longest = tb_distance(score);
        }
    }
}

static void find_huffs(rf_tb_build *b, rf_control *control)
{
    for (unsigned x = 0; b->mixed && x < b->stones; x++)
        find_huffs_of(b, &b->halves[b->stone[x].side], x, control);
}

/* By stone huffed: where that does not win, and where it loses, within so many plies for the opponent. */
static void set_huffed_rows(rf_tb_build *b, half *h, unsigned x, int plies)
{
    const uint64_t scores = x == b->fast ? 1 : b->row_scores;
    for (uint64_t row = 0; row < b->huffed_rows[x]; row++) {
        const int16_t *score = h->huffed[x] + row * scores;
        si_set open = 0, lost = 0;
        for (uint64_t bit = 0; bit < scores; bit++) {
            open |= (si_set)(score[bit] < tb_win_in(plies)) << bit;
            lost |= (si_set)(score[bit] < 0 && score[bit] <= tb_loss_in(plies)) << bit;
        }
        if (x == b->fast) { /* the same wherever it stands */
            open = open ? b->board : 0;
            lost = lost ? b->board : 0;
        }
        put_set(h->huffed_rows[x][row].open, open);
        put_set(h->huffed_rows[x][row].lost, lost);
    }
}

static void set_huffed(rf_tb_build *b, int plies)
{
    for (unsigned x = 0; b->mixed && x < b->stones; x++) {
        half *h = &b->halves[b->stone[x].side];
        if (plies <= 1 || (h->huffed_levels[x][plies / 64] >> plies % 64 & 1) != 0)
            set_huffed_rows(b, h, x, plies);
    }
}

/* ---- levels ---- */

static inline void join(row_sets *sum, const row_sets *more)
{
    for (unsigned i = 0; i < 2; i++) {
        sum->open[i] |= more->open[i];
        sum->lost[i] |= more->lost[i];
    }
}

/* The row that a quiet move leads to, cut down to where no huff of a stone of `missed` changes the result. */
static inline row_sets cut_row(const rf_tb_build *b, const half *from, const half *to, const place_of_row *at,
                               uint64_t row, unsigned moved, unsigned place, unsigned missed)
{
    row_sets sets = to->rows[row];
    for (; missed != 0; missed &= missed - 1) {
        const unsigned x = rf_lowest(missed);
        uint64_t huffed = 0;
        for (unsigned i = 0; i < b->stones; i++)
            huffed += b->huffed_stride[x][i] * (i == moved ? place : at->place[i]);
        const row_sets *cut = &from->huffed_rows[x][huffed];
        for (unsigned i = 0; i < 2; i++) {
            sets.open[i] &= cut->open[i];
            sets.lost[i] &= cut->lost[i];
        }
    }
    return sets;
}

static inline void join_slow_moves(const rf_tb_build *b, const half *from, const half *to, const place_of_row *at,
                                   unsigned x, unsigned missed, row_sets *sum)
{
    const stone *s = &b->stone[x];
    const step *steps = s->steps[at->place[x]];
    const uint64_t base = at->row - at->place[x] * s->stride;
    for (unsigned d = 0; d < DIRECTIONS; d++) {
        if (steps[d].near == NO_STEP || (at->taken >> steps[d].over & 1) != 0)
            continue;
        const unsigned near = (unsigned)steps[d].near;
        row_sets sets = cut_row(b, from, to, at, base + near * s->stride, x, near, missed);
        join(sum, &sets);
        if (steps[d].far == NO_STEP)
            continue;
        const unsigned far = (unsigned)steps[d].far;
        sets = cut_row(b, from, to, at, base + far * s->stride, x, far, missed);
        const uint64_t word = steps[d].over / 64, bit = UINT64_C(1) << steps[d].over % 64;
        sets.open[word] &= ~bit; /* the fast stone stands between */
        sets.lost[word] &= ~bit;
        join(sum, &sets);
    }
}

/* The squares one step from those of `x`: not `x` itself, for the stone does not stay. */
static inline si_set next_to(si_set x)
{
    const si_set beside = si_east(x) | si_west(x), row = x | beside;
    return beside | si_north(row) | si_south(row);
}

static inline void join_fast_moves(const rf_tb_build *b, const half *from, const half *to, const place_of_row *at,
                                   unsigned missed, row_sets *sum)
{
    const row_sets sets = cut_row(b, from, to, at, at->row, b->fast, 0, missed);
    const si_set open = as_set(sets.open), lost = as_set(sets.lost), empty = b->board & ~at->taken;
    row_sets more;
    if (b->stone[b->fast].kind == SI_CHAMPION) {
        put_set(more.open, si_champion_reach(open, empty, b->board));
        put_set(more.lost, lost == 0 ? 0 : si_champion_reach(lost, empty, b->board));
    } else {
        put_set(more.open, next_to(open));
        put_set(more.lost, next_to(lost));
    }
    join(sum, &more);
}

/* Where the fast stone must be for a quiet move to lead to an open or a lost position. */
static inline row_sets quiet_moves(const rf_tb_build *b, unsigned side, const place_of_row *at, unsigned missed)
{
    const half *from = &b->halves[side], *to = &b->halves[side ^ 1];
    row_sets sum = {{0, 0}, {0, 0}};
    for (unsigned x = 0; x < b->stones; x++) {
        if (b->stone[x].side != side)
            continue;
        if (x == b->fast)
            join_fast_moves(b, from, to, at, missed, &sum);
        else
            join_slow_moves(b, from, to, at, x, missed, &sum);
    }
    return sum;
}

/* The same where the stones that could capture may be huffed. `wanted`: squares of interest. */
static void apply_huffs(const rf_tb_build *b, unsigned side, const place_of_row *at, si_set wanted, si_set *open,
                        si_set *lost)
{
    si_set able_by[RF_TB_STONES], any = 0;
    unsigned own = 0;
    for (unsigned x = 0; x < b->stones; x++) {
        able_by[x] = b->stone[x].side == side ? able(b, at, x) & wanted : 0;
        any |= able_by[x];
        own |= (unsigned)(able_by[x] != 0) << x;
    }
    *open &= ~any;
    *lost &= ~any;
    if (!b->mixed || any == 0)
        return;
    for (unsigned missed = own; missed != 0; missed = (missed - 1) & own) {
        si_set exactly = any;
        for (unsigned x = 0; x < b->stones; x++)
            exactly &= missed >> x & 1 ? able_by[x] : ~able_by[x];
        if (exactly == 0)
            continue;
        const row_sets sets = quiet_moves(b, side, at, missed);
        *open |= as_set(sets.open) & exactly;
        *lost |= as_set(sets.lost) & exactly;
    }
}

static void level_of_row(rf_tb_build *b, unsigned side, const place_of_row *at, int plies)
{
    half *h = &b->halves[side];
    const row_sets *row = &h->rows[at->row];
    const si_set unknown = as_set(row->open) & ~as_set(row->lost);
    if (unknown == 0)
        return;
    const row_sets sets = quiet_moves(b, side, at, 0);
    si_set open = as_set(sets.open), lost = as_set(sets.lost);
    if (b->huffs)
        apply_huffs(b, side, at, unknown, &open, &lost);
    if (h->stuck != NULL && h->stuck[at->row] != 0) { /* a pass leads to the same stones (S9) */
        const row_sets *same = &b->halves[side ^ 1].rows[at->row];
        open |= as_set(same->open) & h->stuck[at->row];
        lost |= as_set(same->lost) & h->stuck[at->row];
    }
    const int16_t *scores = h->scores + at->row * b->row_scores;
    const si_set safe = h->safe[at->row];
    si_set won = unknown & lost, losing = 0;
    if (h->levels[at->row] >> plies % 64 & 1)
        for (si_set left = unknown & safe & ~won; left != 0; left &= left - 1)
            if (scores[si_first(left)] == tb_win_in(plies))
                won |= left & -left;
    for (si_set left = unknown & ~won & ~open & ~safe; left != 0; left &= left - 1) {
        const int score = scores[si_first(left)];
        if (score == 0 || tb_distance(score) <= plies)
            losing |= left & -left;
    }
    if ((won | losing) == 0)
        return;
    put_set(h->fresh[at->row].open, won);
    put_set(h->fresh[at->row].lost, losing);
    h->touched[h->touched_count++] = (uint32_t)at->row;
}

static void keep_scores(int16_t *scores, si_set squares, int score)
{
    for (; squares != 0; squares &= squares - 1)
        scores[si_first(squares)] = (int16_t)score;
}

static void finish_level(rf_tb_build *b, half *h, int plies)
{
    for (uint64_t i = 0; i < h->touched_count; i++) {
        const uint64_t row = h->touched[i];
        const row_sets *fresh = &h->fresh[row];
        keep_scores(h->scores + row * b->row_scores, as_set(fresh->open), tb_win_in(plies));
        keep_scores(h->scores + row * b->row_scores, as_set(fresh->lost), tb_loss_in(plies));
        for (unsigned k = 0; k < 2; k++) {
            h->rows[row].open[k] &= ~fresh->open[k];
            h->rows[row].lost[k] |= fresh->lost[k];
        }
    }
}

static void find_level(rf_tb_build *b, int plies, rf_control *control)
{
    b->halves[SI_SOUTH].touched_count = b->halves[SI_NORTH].touched_count = 0;
    set_huffed(b, plies - 1);
    place_of_row at;
    first_row(b, &at);
    for (; at.row < b->rows && !rf_tick(control); next_row(b, &at))
        if (at.possible) {
            level_of_row(b, SI_SOUTH, &at, plies);
            level_of_row(b, SI_NORTH, &at, plies);
        }
    finish_level(b, &b->halves[SI_SOUTH], plies);
    finish_level(b, &b->halves[SI_NORTH], plies);
}

/* Positions without any move pass (S9). */
static void find_stuck(rf_tb_build *b, rf_control *control)
{
    if (b->stones < 4)
        return;
    place_of_row at;
    first_row(b, &at);
    for (; at.row < b->rows && !rf_tick(control); next_row(b, &at))
        for (unsigned side = 0; at.possible && side < 2; side++) {
            half *h = &b->halves[side];
            const row_sets sets = quiet_moves(b, side, &at, 0);
            const int16_t *scores = h->scores + at.row * b->row_scores;
            si_set left = as_set(h->rows[at.row].open) & ~as_set(sets.open) & ~h->safe[at.row];
            for (; left != 0; left &= left - 1)
                if (scores[si_first(left)] == 0) /* no exit either */
                    h->stuck[at.row] |= left & -left;
        }
}

static void solve(rf_tb_build *b, rf_control *control)
{
    find_exits(b, control);
    find_huffs(b, control);
    find_stuck(b, control);
    bool more = true;
    for (int plies = 1; (more || plies <= b->exit_longest + 1) && control->stopped == RF_DONE && !b->missing; plies++) {
        control->depth = plies;
        if (plies >= RF_TB_LAST) {
            control->stopped = RF_STOPPED_OVERFLOW;
            return;
        }
        find_level(b, plies, control);
        more = b->halves[SI_SOUTH].touched_count + b->halves[SI_NORTH].touched_count != 0;
        if (more)
            b->longest = (uint32_t)plies;
    }
}

rf_tb_build *rf_tb_build_new(const rf_tables *tables, rf_material m, rf_control *control)
{
    rf_control_start(control);
    rf_tb_build *b = calloc(1, sizeof *b);
    if (b == NULL || !prepare(b, tables, m))
        control->stopped = RF_STOPPED_MEMORY;
    else
        solve(b, control);
    if (control->stopped == RF_DONE && !b->missing)
        return b;
    rf_tb_build_free(b);
    return NULL;
}

uint32_t rf_tb_build_longest(const rf_tb_build *b) { return b->longest; }

void rf_tb_build_free(rf_tb_build *b)
{
    if (b == NULL)
        return;
    for (unsigned i = 0; i < b->stones; i++)
        free(b->stone[i].steps);
    free(b->turns);
    for (unsigned side = 0; side < 2; side++) {
        half *h = &b->halves[side];
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

/* ---- values in the order of the class ---- */

/* Which stones of the build a group of the class is, and where its current set puts them. */
typedef struct {
    const tb_group *group;
    unsigned first_stone;
    uint8_t squares[RF_TB_STONES];
    uint64_t set;
    uint64_t row;       /* its share of the row's number */
    si_set taken;
    unsigned fast_bit;  /* SI_SQUARES if the fast stone is not in this group */
} group_at;

typedef struct {
    const rf_tb_build *b;
    unsigned side; /* to move */
    tb_class class;
    group_at at[RF_TB_STONES];
} walk;

static void place_group(walk *w, group_at *g, unsigned leader)
{
    const rf_tables *t = w->b->tables;
    g->row = 0;
    g->taken = 0;
    g->fast_bit = SI_SQUARES;
    (void)leader;
    for (unsigned i = 0; i < g->group->count; i++) {
        const stone *s = &w->b->stone[g->first_stone + i];
        unsigned square = g->squares[i] + g->group->first;
        if (w->side == SI_NORTH)
            square = t->flipped[square];
        const unsigned bit = bit_of(t, square);
        g->taken |= si_bit(bit);
        if (g->first_stone + i == w->b->fast)
            g->fast_bit = bit;
        else
            g->row += (square - s->first) * s->stride;
    }
}

/* Goes to the first set of group `i`, and of all after it. */
static void rewind_from(walk *w, unsigned i)
{
    for (; i < w->class.groups; i++) {
        group_at *g = &w->at[i];
        g->set = 0;
        if (i == 0)
            tb_set_of(w->b->tables, w->class.leader_set[0], g->group->count, g->squares);
        else
            tb_first_set(g->group->count, g->squares);
        place_group(w, g, i);
    }
}

/* The next entry; false after the last. */
static bool walk_on(walk *w)
{
    for (unsigned i = w->class.groups; i-- > 0;) {
        group_at *g = &w->at[i];
        if (++g->set < (i == 0 ? w->class.leaders : g->group->sets)) {
            if (i == 0)
                tb_set_of(w->b->tables, w->class.leader_set[g->set], g->group->count, g->squares);
            else
                tb_next_set(g->group->count, g->squares);
            place_group(w, g, i);
            rewind_from(w, i + 1);
            return true;
        }
    }
    return false;
}

static bool start_walk(walk *w, const rf_tb_build *b, bool swapped)
{
    memset(w, 0, sizeof *w);
    w->b = b;
    w->side = swapped ? SI_NORTH : SI_SOUTH;
    const rf_material seen = swapped ? b->material << 16 | b->material >> 16 : b->material;
    const rf_material m = rf_material_canonical(seen);
    if (!tb_class_init(&w->class, b->tables, m))
        return false;
    unsigned turns = 0;
    while (turns < 3) { /* by how much the kinds of the build are renamed in the class */
        rf_material as = 0;
        for (unsigned i = 0; i < b->stones; i++)
            as += tb_one(b->stone[i].side ^ w->side, tb_renamed(b->stone[i].kind, turns));
        if (as == m)
            break;
        turns++;
    }
    for (unsigned i = 0; i < w->class.groups; i++) {
        const tb_group *g = &w->class.group[i];
        w->at[i].group = g;
        unsigned first = 0;
        while (b->stone[first].side != (g->side ^ w->side) || tb_renamed(b->stone[first].kind, turns) != g->kind)
            first++;
        w->at[i].first_stone = first;
    }
    if (w->class.entries > 0)
        rewind_from(w, 0);
    return true;
}

/* The score of the current entry, RF_TB_NO_SCORE if two stones stand on one square. */
static int walked_score(const walk *w)
{
    const half *h = &w->b->halves[w->side];
    si_set taken = 0;
    uint64_t row = 0;
    unsigned bit = 0;
    for (unsigned i = 0; i < w->class.groups; i++) {
        const group_at *g = &w->at[i];
        if (taken & g->taken)
            return RF_TB_NO_SCORE;
        taken |= g->taken;
        row += g->row;
        if (g->fast_bit != SI_SQUARES)
            bit = g->fast_bit;
    }
    const row_sets *sets = &h->rows[row];
    const uint64_t mask = UINT64_C(1) << bit % 64;
    const bool known = (sets->open[bit / 64] & mask) == 0 || (sets->lost[bit / 64] & mask) != 0;
    return known ? h->scores[row * w->b->row_scores + bit] : 0;
}

static void count_score(rf_tb_statistics *stats, int score, uint64_t index)
{
    const uint32_t distance = score == 0 ? 0 : (uint32_t)tb_distance(score);
    if (score == 0) {
        stats->draws++;
    } else if (score > 0) {
        stats->wins++;
        if (distance > stats->longest_win) {
            stats->longest_win = distance;
            stats->longest_win_at = index;
        }
    } else {
        stats->losses++;
        if (distance > stats->longest_loss) {
            stats->longest_loss = distance;
            stats->longest_loss_at = index;
        }
    }
}

bool rf_tb_build_write(const rf_tb_build *b, bool swapped, unsigned width, void *out, rf_tb_statistics *stats)
{
    const unsigned loss = width == 1 ? 0x80 : 0x8000;
    memset(stats, 0, sizeof *stats);
    walk w;
    if (b->longest >= loss || !start_walk(&w, b, swapped))
        return false;
    unsigned value = 0;
    for (uint64_t index = 0; index < w.class.entries; index++) {
        const int score = walked_score(&w);
        if (score != RF_TB_NO_SCORE) { /* else the last value once more, which compresses best */
            count_score(stats, score, index);
            value = score == 0 ? 0 : (unsigned)tb_distance(score) | (score < 0 ? loss : 0);
        }
        if (width == 1)
            ((uint8_t *)out)[index] = (uint8_t)value;
        else
            ((uint16_t *)out)[index] = (uint16_t)value;
        walk_on(&w);
    }
    tb_class_free(&w.class);
    return true;
}
