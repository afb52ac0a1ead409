/* Texts of positions and plies of Siaius (docs/notation.md).
 *
 * Invariants: a text may contain any bytes; every error names the bytes that are wrong. si_format_field writes what si_parse
 * reads.
 *
 * Example: "siaius 3/2c/S1M s - - 0": ranks from the highest, the side to play, stones that missed a capture (S7), the
 * champion with a bonus ply (S5), passes (S9), then options. */
#include "common/text.h"
#include "siaius/siaius.h"

static const char si_letters[] = "SMTC";

static unsigned si_moves_of(const si_state *s, unsigned side)
{
    si_view v = si_view_of(s, side);
    return si_count_moves(&v);
}

/* ---- position texts ---- */

static unsigned si_file_of(unsigned square) { return square % SI_STRIDE; }
static unsigned si_rank_of(unsigned square) { return square / SI_STRIDE; }

static rf_word si_square_word(unsigned square) { return rf_square_word(si_file_of(square), si_rank_of(square)); }

static void si_put_stone(si_state *s, unsigned side, unsigned kind, si_set bit)
{
    s->kinds[kind] |= bit;
    if (side == SI_SOUTH)
        s->south |= bit;
}

/* Reads one rank into the lowest rank of `row`; returns its width, or -1. */
static int si_parse_rank(rf_cursor *c, si_state *row, rf_error *error)
{
    unsigned file = 0;
    bool gap = false;
    for (;;) {
        int byte = rf_peek(c);
        if (byte == '/' || rf_at_field_end(c))
            return (int)file;
        const char *at = byte < 128 ? strchr("SMTCsmtc", byte) : NULL;
        size_t before = c->at;
        if (at != NULL && byte != '\0') {
            unsigned which = (unsigned)(at - "SMTCsmtc");
            if (file < SI_STRIDE)
                si_put_stone(row, which / SI_KINDS, which % SI_KINDS, si_bit(file));
            file++;
            c->at++;
            gap = false;
        } else {
            int empty = gap ? -1 : rf_accept_number(c, SI_STRIDE);
            if (empty < 1) {
                c->at = before;
                rf_fail_here(c, error, "bad-ranks");
                return -1;
            }
            file += (unsigned)empty;
            gap = true;
        }
        if (file > SI_STRIDE) {
            rf_fail(error, RF_SYNTAX, before, c->at - before, "rank-too-long", rf_number_word(SI_STRIDE).text, NULL);
            return -1;
        }
    }
}

static bool si_parse_ranks(rf_cursor *c, si_state *s, rf_error *error)
{
    const size_t begin = c->at;
    for (;;) {
        const size_t before = c->at;
        si_state row;
        memset(&row, 0, sizeof row);
        int width = si_parse_rank(c, &row, error);
        if (width < 0)
            return false;
        if (s->ranks == 0)
            s->files = (uint8_t)width;
        if (width != s->files)
            return rf_fail(error, RF_SYNTAX, before, c->at - before, "rank-length",
                           rf_number_word((unsigned)width).text, rf_number_word(s->files).text, NULL);
        if (s->ranks == SI_MAX_RANKS)
            return rf_fail(error, RF_SYNTAX, before, c->at - before, "too-many-ranks",
                           rf_number_word(SI_MAX_RANKS).text, NULL);
        /* The first rank of the text is the highest: what has been read moves up. */
        s->south = s->south << SI_STRIDE | row.south;
        for (unsigned kind = 0; kind < SI_KINDS; kind++)
            s->kinds[kind] = s->kinds[kind] << SI_STRIDE | row.kinds[kind];
        s->ranks++;
        if (!rf_accept(c, '/'))
            break;
    }
    if (s->files < SI_MIN_SIZE || s->ranks < SI_MIN_SIZE)
        return rf_fail(error, RF_SYNTAX, begin, c->at - begin, "board-size", rf_number_word(s->files).text,
                       rf_number_word(s->ranks).text, NULL);
    return true;
}

static int si_parse_square(rf_cursor *c, const si_state *s)
{
    int file, rank;
    if (!rf_accept_square(c, s->files, s->ranks, &file, &rank))
        return -1;
    return rank * SI_STRIDE + file;
}

static bool si_parse_missed(rf_cursor *c, si_state *s, rf_error *error)
{
    if (rf_accept_field(c, "-"))
        return true;
    int last = -1;
    do {
        size_t before = c->at;
        int square = si_parse_square(c, s);
        if (square < 0)
            return rf_fail_here(c, error, "bad-missed");
        if (square <= last)
            return rf_fail(error, RF_SYNTAX, before, c->at - before, "missed-order",
                           si_square_word((unsigned)square).text, NULL);
        s->missed |= si_bit((unsigned)square);
        last = square;
    } while (rf_accept(c, ','));
    return rf_at_field_end(c) || rf_fail_here(c, error, "bad-missed");
}

static bool si_parse_bonus(rf_cursor *c, si_state *s, rf_error *error)
{
    s->bonus = SI_NO_SQUARE;
    if (rf_accept_field(c, "-"))
        return true;
    const size_t before = c->at;
    int square = si_parse_square(c, s);
    if (square < 0 || !rf_at_field_end(c)) {
        c->at = before;
        return rf_fail_here(c, error, "bad-bonus");
    }
    s->bonus = (uint8_t)square;
    return true;
}

/* The options at the end of the text, in alphabetical order, none at its default. */
static bool si_parse_options(rf_cursor *c, si_state *s, rf_error *error)
{
    static const struct {
        const char *text;
        uint8_t reverse, huff;
        uint8_t order; /* 0: the default, which is not written */
    } options[] = {
        {"beats=reverse", 1, 0, 1},         {"huff=stone", 0, SI_HUFF_STONE, 2}, {"huff=off", 0, SI_HUFF_OFF, 2},
        {"beats=normal", 0, 0, 0}, {"huff=turn", 0, 0, 0},
    };
    unsigned last = 0;
    while (rf_skip_blanks(c), c->at < c->length) {
        const size_t before = c->at;
        size_t i = 0;
        while (i < sizeof options / sizeof *options && !rf_accept_field(c, options[i].text))
            i++;
        if (i == sizeof options / sizeof *options)
            return rf_read_end(c, "bad-option", error);
        c->at = before;
        if (options[i].order == 0)
            return rf_fail_here(c, error, "default-option");
        if (options[i].order <= last)
            return rf_fail_here(c, error, "option-order");
        rf_accept_field(c, options[i].text);
        last = options[i].order;
        s->reverse |= options[i].reverse;
        s->huff |= options[i].huff;
    }
    return true;
}

/* The offsets of fields, for errors that concern the whole position. */
typedef struct {
    size_t ranks, missed, bonus, passes, end;
} si_field_offsets;

static bool si_parse_fields(rf_cursor *c, si_state *s, si_field_offsets *at, rf_error *error)
{
    if (!rf_read_id(c, "siaius", error) || !rf_next_field(c, "the ranks", error))
        return false;
    at->ranks = c->at;
    if (!si_parse_ranks(c, s, error) || !rf_next_field(c, "the side to play", error) ||
        !rf_read_side(c, &s->side, error) || !rf_next_field(c, "the stones that missed a capture", error))
        return false;
    at->missed = c->at;
    if (!si_parse_missed(c, s, error) || !rf_next_field(c, "the champion with a bonus", error))
        return false;
    at->bonus = c->at;
    if (!si_parse_bonus(c, s, error) || !rf_next_field(c, "the passes", error))
        return false;
    at->passes = c->at;
    if (!rf_read_number(c, SI_MAX_PASSES, "bad-passes", &s->passes, error))
        return false;
    at->end = c->at;
    return si_parse_options(c, s, error);
}

static bool si_impossible(rf_error *error, size_t at, size_t end, const char *reason, si_set squares)
{
    const rf_word square = squares != 0 ? si_square_word(si_lsb(squares)) : (rf_word){""};
    return rf_fail(error, RF_IMPOSSIBLE, at, end - at, reason, square.text, NULL);
}

static bool si_check_stones(const si_state *s, const si_field_offsets *at, rf_error *error)
{
    const si_set row = si_bit(s->files) - 1, top = row << (s->ranks - 1) * SI_STRIDE;
    const si_set ordinary = si_occupied(s) & ~s->kinds[SI_CHAMPION];
    const size_t ranks_end = at->missed - 1;
    if (si_occupied(s) == 0)
        return si_impossible(error, at->ranks, ranks_end, "no-stones", 0);
    const si_set unturned = (ordinary & s->south & top) | (ordinary & ~s->south & row);
    return unturned == 0 || si_impossible(error, at->ranks, ranks_end, "not-promoted", unturned);
}

static bool si_check_pending(const si_state *s, const si_field_offsets *at, rf_error *error)
{
    const bool bonus = s->bonus != SI_NO_SQUARE;
    const si_set own = si_stones_of(s, s->side), enemy = si_occupied(s) & ~own;
    if (s->missed != 0 && s->huff == SI_HUFF_OFF)
        return si_impossible(error, at->missed, at->bonus, "missed-without-huff", 0);
    const si_set strange = s->missed & ~(bonus ? own : enemy);
    if (strange != 0)
        return si_impossible(error, at->missed, at->bonus, bonus ? "missed-not-own" : "missed-not-enemy", strange);
    if (bonus && ((own & s->kinds[SI_CHAMPION] & si_bit(s->bonus)) == 0 ||
                  !si_on_farthest_rank(s, s->bonus, s->side)))
        return si_impossible(error, at->bonus, at->passes, "bonus-no-champion", si_bit(s->bonus));
    if (own == 0 || enemy == 0)
        return (s->missed == 0 && !bonus && s->passes == 0) ||
               si_impossible(error, at->missed, at->end, "pending-in-finished", 0);
    if (s->passes == 0)
        return true;
    if (s->missed != 0 || bonus)
        return si_impossible(error, at->missed, at->end, "passes-with-pending", 0);
    if (si_moves_of(s, s->side ^ 1u) != 0)
        return rf_fail(error, RF_IMPOSSIBLE, at->passes, at->end - at->passes, "passed-with-move",
                       rf_side_name(s->side ^ 1u), NULL);
    if (s->passes == SI_MAX_PASSES && si_moves_of(s, s->side) != 0)
        return rf_fail(error, RF_IMPOSSIBLE, at->passes, at->end - at->passes, "passed-with-move",
                       rf_side_name(s->side), NULL);
    return true;
}

bool si_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error)
{
    (void)ctx;
    si_state *s = (si_state *)out;
    memset(s, 0, sizeof *s);
    rf_cursor c = rf_cursor_at(text, length);
    si_field_offsets at = {0, 0, 0, 0, 0};
    return si_parse_fields(&c, s, &at, error) && si_check_stones(s, &at, error) && si_check_pending(s, &at, error);
}

/* Writes the letter of each stone to its square. */
static void si_put_stones(char cells[SI_SQUARES], const si_state *s)
{
    for (unsigned kind = 0; kind < SI_KINDS; kind++)
        for (si_set left = s->kinds[kind]; left != 0; left &= left - 1) {
            const unsigned square = si_lsb(left);
            cells[square] = (char)(si_letters[kind] + (s->south & si_bit(square) ? 0 : 'a' - 'A'));
        }
}

/* `occupied` has a bit for each file with a stone. */
static char *si_put_rank(char *out, const char *cells, uint64_t occupied, unsigned files)
{
    unsigned file = 0;
    for (; occupied != 0; occupied &= occupied - 1) {
        const unsigned next = rf_lsb(occupied);
        if (next > file)
            out = rf_put_number(out, next - file);
        *out++ = cells[next];
        file = next + 1;
    }
    return file < files ? rf_put_number(out, files - file) : out;
}

static char *si_put_squares(char *out, si_set squares)
{
    if (squares == 0)
        return rf_put(out, "-");
    for (bool first = true; squares != 0; squares &= squares - 1, first = false) {
        if (!first)
            *out++ = ',';
        const unsigned square = si_lsb(squares);
        out = rf_put_square(out, si_file_of(square), si_rank_of(square));
    }
    return out;
}

static char *si_put_ranks(const si_state *s, char *out)
{
    char cells[SI_SQUARES];
    si_put_stones(cells, s);
    const si_set occupied = si_occupied(s);
    for (unsigned rank = s->ranks; rank-- > 0;) {
        const uint64_t row = (uint64_t)(occupied >> rank * SI_STRIDE) & ((1 << SI_STRIDE) - 1);
        out = si_put_rank(out, cells + rank * SI_STRIDE, row, s->files);
        if (rank > 0)
            *out++ = '/';
    }
    return out;
}

size_t si_format_field(const void *ctx, const rf_state *state, unsigned field, char *out)
{
    const si_state *s = (const si_state *)state;
    char *end = out;
    (void)ctx;
    if (field == 5 && !s->reverse)
        field = 6; /* the first option */
    else if (field == 6 && !s->reverse)
        return 0;
    switch (field) {
    case 0:
        end = si_put_ranks(s, end);
        break;
    case 1:
        *end++ = s->side == SI_SOUTH ? 's' : 'n';
        break;
    case 2:
        end = si_put_squares(end, s->missed);
        break;
    case 3:
        end = si_put_squares(end, s->bonus == SI_NO_SQUARE ? 0 : si_bit(s->bonus));
        break;
    case 4:
        end = rf_put_number(end, s->passes);
        break;
    case 5:
        end = rf_put(end, "beats=reverse");
        break;
    case 6:
        if (s->huff != SI_HUFF_TURN)
            end = rf_put(end, s->huff == SI_HUFF_STONE ? "huff=stone" : "huff=off");
        break;
    default:
        break;
    }
    return (size_t)(end - out);
}

size_t si_format_square(const void *ctx, const rf_state *state, unsigned rank, unsigned square, char *out)
{
    const si_state *s = (const si_state *)state;
    (void)ctx;
    if (rank >= s->ranks || square >= s->files)
        return 0;
    const si_set bit = si_bit((s->ranks - 1u - rank) * SI_STRIDE + square);
    *out = '.';
    for (unsigned kind = 0; kind < SI_KINDS; kind++)
        if (s->kinds[kind] & bit)
            *out = (char)(si_letters[kind] + (s->south & bit ? 0 : 'a' - 'A'));
    return 1;
}

/* ---- ply texts ---- */

size_t si_format_ply(const void *ctx, const rf_state *state, rf_ply ply, char *out)
{
    (void)ctx;
    const si_state *s = (const si_state *)state;
    const unsigned from = si_from(ply), to = si_to(ply);
    char *end = out;
    switch (si_ply_kind(ply)) {
    case SI_MOVE:
        end = rf_put_square(end, si_file_of(from), si_rank_of(from));
        *end++ = si_occupied(s) & si_bit(to) ? 'x' : '-';
        end = rf_put_square(end, si_file_of(to), si_rank_of(to));
        break;
    case SI_HUFF:
        *end++ = '*';
        end = rf_put_square(end, si_file_of(from), si_rank_of(from));
        break;
    case SI_STAY:
        end = rf_put(end, "stay");
        break;
    default:
        end = rf_put(end, "pass");
    }
    *end = '\0';
    return (size_t)(end - out);
}

/* Reports why a ply is illegal, with its squares as words. Returns false. */
static bool si_illegal(rf_error *error, const rf_cursor *c, const char *reason, int a, int b, const char *more)
{
    const rf_word first = a >= 0 ? si_square_word((unsigned)a) : (rf_word){""};
    const rf_word second = b >= 0 ? si_square_word((unsigned)b) : (rf_word){""};
    return rf_fail(error, RF_ILLEGAL, 0, c->length, reason, first.text, second.text, more, NULL);
}

static bool si_parse_huff(const si_state *s, const rf_cursor *c, int square, rf_ply *out, rf_error *error)
{
    if (s->bonus != SI_NO_SQUARE)
        return si_illegal(error, c, "huff-in-bonus", square, s->bonus, "");
    if (s->huff == SI_HUFF_OFF)
        return si_illegal(error, c, "huff-off", square, -1, "");
    if (s->missed == 0)
        return si_illegal(error, c, "nothing-to-huff", square, -1, "");
    if ((s->missed & si_bit((unsigned)square)) == 0)
        return si_illegal(error, c, "not-missed", square, (int)si_lsb(s->missed), "");
    *out = si_ply(SI_HUFF, (unsigned)square, 0);
    return true;
}

/* Whether a stone of this kind comes from one square to the other over the empty board in a straight line. */
static bool si_step_fits(const si_state *s, unsigned kind, unsigned from, unsigned to, unsigned *between,
                         const char **reason)
{
    int files = (int)si_file_of(to) - (int)si_file_of(from), ranks = (int)si_rank_of(to) - (int)si_rank_of(from);
    int far = files < 0 ? -files : files, high = ranks < 0 ? -ranks : ranks;
    int steps = far > high ? far : high;
    *between = from;
    *reason = "too-far";
    if (steps == 1)
        return true;
    if (kind != SI_CHAMPION || steps != 2)
        return false;
    *reason = "not-straight";
    if (far == 1 || high == 1)
        return false;
    *between = (unsigned)((int)from + ranks / 2 * SI_STRIDE + files / 2);
    *reason = "way-blocked";
    return (si_occupied(s) & si_bit(*between)) == 0;
}

static bool si_parse_move(const si_state *s, const rf_cursor *c, int from, bool capture, int to, rf_ply *out,
                          rf_error *error)
{
    const si_view v = si_view_of(s, s->side);
    const si_set start = si_bit((unsigned)from), end = si_bit((unsigned)to);
    if ((si_occupied(s) & start) == 0)
        return si_illegal(error, c, "no-stone", from, -1, "");
    if ((v.own_all & start) == 0)
        return si_illegal(error, c, "enemy-stone", from, -1, rf_side_name(s->side ^ 1u));
    if (s->bonus != SI_NO_SQUARE && from != s->bonus)
        return si_illegal(error, c, "not-the-bonus", from, s->bonus, "");
    if (from == to)
        return si_illegal(error, c, "no-step", from, -1, "");
    const unsigned kind = si_kind_on(s, (unsigned)from);
    unsigned between;
    const char *reason;
    if (!si_step_fits(s, kind, (unsigned)from, (unsigned)to, &between, &reason)) {
        bool blocked = between != (unsigned)from;
        return si_illegal(error, c, reason, from, blocked ? (int)between : to, si_kind_names[kind]);
    }
    if (v.own_all & end)
        return si_illegal(error, c, "own-stone", from, to, "");
    if (capture && (v.enemy_all & end) == 0)
        return si_illegal(error, c, "nothing-to-capture", from, to, "");
    if (v.enemy_all & end & ~v.prey[kind])
        return rf_fail(error, RF_ILLEGAL, 0, c->length, "no-prey", si_kind_names[kind],
                       si_kind_names[si_kind_on(s, (unsigned)to)], NULL);
    if (!capture && (v.enemy_all & end) != 0)
        return si_illegal(error, c, "capture-is-x", from, to, "");
    *out = si_ply(SI_MOVE, (unsigned)from, (unsigned)to);
    return true;
}

static bool si_parse_word(const si_state *s, const rf_cursor *c, bool pass, rf_ply *out, rf_error *error)
{
    const bool bonus = s->bonus != SI_NO_SQUARE;
    if (!pass) {
        *out = si_ply(SI_STAY, 0, 0);
        return bonus || si_illegal(error, c, "no-bonus", -1, -1, "");
    }
    if (bonus)
        return si_illegal(error, c, "pass-in-bonus", s->bonus, -1, "");
    *out = si_ply(SI_PASS, 0, 0);
    return si_moves_of(s, s->side) == 0 ||
           si_illegal(error, c, "pass-with-move", -1, -1, rf_side_name(s->side));
}

static bool si_bad_ply(const rf_cursor *c, rf_error *error)
{
    rf_cursor start = *c;
    start.at = 0;
    return rf_fail_here(&start, error, "bad-ply");
}

/* A square of the largest board, which must be on this one. -1: there is none; -2: it is off this board. */
static int si_ply_square(rf_cursor *c, const si_state *s, rf_error *error)
{
    int file, rank;
    if (!rf_accept_square(c, SI_STRIDE, SI_MAX_RANKS, &file, &rank))
        return -1;
    int square = rank * SI_STRIDE + file;
    if (file < s->files && rank < s->ranks)
        return square;
    rf_fail(error, RF_ILLEGAL, 0, c->length, "off-board", si_square_word((unsigned)square).text,
            rf_number_word(s->files).text, rf_number_word(s->ranks).text, NULL);
    return -2;
}

bool si_parse_ply(const void *ctx, const rf_state *state, const char *text, size_t length, rf_parsed_ply *out,
                  rf_error *error)
{
    (void)ctx;
    const si_state *s = (const si_state *)state;
    rf_cursor c = rf_cursor_at(text, length);
    const bool pass = length == 4 && memcmp(text, "pass", 4) == 0, stay = length == 4 && memcmp(text, "stay", 4) == 0;
    int first = -1, second = -1;
    bool capture = false;
    const bool huff = rf_accept(&c, '*');
    if (!pass && !stay) {
        first = si_ply_square(&c, s, error);
        if (first >= 0 && !huff) {
            capture = rf_accept(&c, 'x');
            if (!capture && !rf_accept(&c, '-'))
                return si_bad_ply(&c, error);
            second = si_ply_square(&c, s, error);
        }
        if (first == -1 || (first >= 0 && !huff && second == -1))
            return si_bad_ply(&c, error);
        if (first == -2 || second == -2)
            return false;
        if (c.at != c.length)
            return si_bad_ply(&c, error);
    }
    if (si_result(s) != RF_OUTCOME_NONE)
        return si_illegal(error, &c, "game-over", -1, -1, "");
    if (pass || stay)
        return si_parse_word(s, &c, pass, &out->ply, error);
    if (huff)
        return si_parse_huff(s, &c, first, &out->ply, error);
    return si_parse_move(s, &c, first, capture, second, &out->ply, error);
}
