/* Tic-tac-toe (rules T1 to T4 in rules/tictactoe.md): the least that a game needs. */
#include "common/describe.h"
#include "common/text.h"
#include "game.h"

enum { TT_SIDE = 3, TT_SQUARES = 9, TT_ALL = (1 << TT_SQUARES) - 1 };

/* A bit for each square, a1 first, then b1. The numbers of marks say who is to play (T2). */
typedef struct RF_MAY_ALIAS {
    uint16_t marks[2];
} tt_state;

static const tt_state *tt_read(const rf_state *s) { return (const tt_state *)s; }

static unsigned tt_side(const tt_state *s) { return rf_popcount(s->marks[0]) > rf_popcount(s->marks[1]); }

static uint16_t tt_bit(rf_ply square) { return (uint16_t)(1u << square); }

/* T3: the ranks, the files and the two diagonals. */
static bool tt_has_row(unsigned marks)
{
    static const uint16_t rows[] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((marks & rows[i]) == rows[i])
            return true;
    return false;
}

/* ---- plies: the number of the square ---- */

static int tt_outcome(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const tt_state *s = tt_read(state);
    for (int side = 0; side < 2; side++)
        if (tt_has_row(s->marks[side]))
            return side + 1;
    return (s->marks[0] | s->marks[1]) == TT_ALL ? RF_OUTCOME_DRAW : RF_OUTCOME_NONE;
}

static unsigned tt_player(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return tt_side(tt_read(s)) + 1;
}

static size_t tt_generate(const void *ctx, const rf_state *state, rf_ply *out)
{
    const tt_state *s = tt_read(state);
    size_t plies = 0;
    if (tt_outcome(ctx, state) != RF_OUTCOME_NONE)
        return 0;
    for (rf_ply square = 0; square < TT_SQUARES; square++)
        if (!((s->marks[0] | s->marks[1]) & tt_bit(square)))
            out[plies++] = square;
    return plies;
}

static void tt_apply(const void *ctx, const rf_state *state, rf_ply ply, rf_state *out)
{
    (void)ctx;
    tt_state *s = (tt_state *)out;
    *s = *tt_read(state);
    s->marks[tt_side(s)] |= tt_bit(ply);
}

/* ---- texts ---- */

/* Three ranks of three squares, the highest first: x for South, o for North. */
static bool tt_parse_ranks(rf_cursor *c, tt_state *s, rf_error *error)
{
    for (unsigned rank = TT_SIDE; rank-- > 0;) {
        for (unsigned file = 0; file < TT_SIDE; file++) {
            rf_ply square = rank * TT_SIDE + file;
            if (rf_accept(c, 'x'))
                s->marks[0] |= tt_bit(square);
            else if (rf_accept(c, 'o'))
                s->marks[1] |= tt_bit(square);
            else if (!rf_accept(c, '.'))
                return rf_fail_here(c, error, "bad-ranks");
        }
        if (rank > 0 && !rf_accept(c, '/'))
            return rf_fail_here(c, error, "bad-ranks");
    }
    return rf_at_field_end(c) || rf_fail_here(c, error, "bad-ranks");
}

static bool tt_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error)
{
    (void)ctx;
    rf_cursor cursor = rf_cursor_at(text, length), *c = &cursor;
    tt_state *s = (tt_state *)out;
    uint8_t side = 0;
    if (!rf_read_id(c, "tictactoe", error) || !rf_next_field(c, "the ranks", error) || !tt_parse_ranks(c, s, error) ||
        !rf_next_field(c, "the side to play", error))
        return false;
    size_t side_at = c->at;
    if (!rf_read_side(c, &side, error) || !rf_read_end(c, NULL, error))
        return false;
    unsigned crosses = rf_popcount(s->marks[0]), noughts = rf_popcount(s->marks[1]);
    if (crosses != noughts + side)
        return rf_fail(error, RF_IMPOSSIBLE, side_at, 1, "wrong-numbers", rf_number_word(crosses).text,
                       rf_number_word(noughts).text, rf_side_name(side), NULL);
    if (tt_has_row(s->marks[side]))
        return rf_fail(error, RF_IMPOSSIBLE, side_at, 1, "row-before", rf_side_name(side), NULL);
    return true;
}

static size_t tt_format_square(const void *ctx, const rf_state *state, unsigned rank, unsigned square, char *out)
{
    (void)ctx;
    const tt_state *s = tt_read(state);
    if (rank >= TT_SIDE || square >= TT_SIDE)
        return 0;
    uint16_t bit = tt_bit((TT_SIDE - 1 - rank) * TT_SIDE + square);
    *out = s->marks[0] & bit ? 'x' : s->marks[1] & bit ? 'o' : '.';
    return 1;
}

static size_t tt_format_field(const void *ctx, const rf_state *state, unsigned field, char *out)
{
    if (field > 1)
        return 0;
    if (field == 1) {
        *out = "sn"[tt_side(tt_read(state))];
        return 1;
    }
    char *end = out;
    for (unsigned rank = 0; rank < TT_SIDE; rank++) {
        if (rank > 0)
            *end++ = '/';
        for (unsigned square = 0; square < TT_SIDE; square++)
            end += tt_format_square(ctx, state, rank, square, end);
    }
    return (size_t)(end - out);
}

static void tt_describe(const void *ctx, const rf_state *state, rf_description *out)
{
    const tt_state *s = tt_read(state);
    out->files = out->ranks = TT_SIDE;
    out->phase = tt_outcome(ctx, state) == RF_OUTCOME_NONE ? "move" : "over";
    for (unsigned side = 0; side < 2; side++)
        for (unsigned left = s->marks[side]; left != 0; left &= left - 1) {
            unsigned square = rf_lsb(left);
            rf_add_piece(out, side == 0 ? "cross" : "nought", side + 1, square % TT_SIDE, square / TT_SIDE);
        }
}

static bool tt_parse_ply(const void *ctx, const rf_state *state, const char *text, size_t length, rf_parsed_ply *out,
                         rf_error *error)
{
    const tt_state *s = tt_read(state);
    rf_cursor cursor = rf_cursor_at(text, length);
    int file, rank;
    if (!rf_accept_square(&cursor, TT_SIDE, TT_SIDE, &file, &rank) || cursor.at != length) {
        cursor.at = 0;
        return rf_fail_here(&cursor, error, "bad-ply");
    }
    if (tt_outcome(ctx, state) != RF_OUTCOME_NONE)
        return rf_fail(error, RF_ILLEGAL, 0, length, "game-over", NULL);
    out->ply = (rf_ply)(rank * TT_SIDE + file);
    if ((s->marks[0] | s->marks[1]) & tt_bit(out->ply))
        return rf_fail(error, RF_ILLEGAL, 0, length, "taken", rf_square_word((unsigned)file, (unsigned)rank).text, NULL);
    return true;
}

static size_t tt_format_ply(const void *ctx, const rf_state *s, rf_ply ply, char *out)
{
    (void)ctx, (void)s;
    char *end = rf_put_square(out, ply % TT_SIDE, ply / TT_SIDE);
    *end = '\0';
    return (size_t)(end - out);
}

/* ---- optional: forced wins ---- */

static bool tt_wins_now(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const tt_state *s = tt_read(state);
    unsigned own = s->marks[tt_side(s)];
    for (unsigned left = TT_ALL & ~(unsigned)(s->marks[0] | s->marks[1]); left != 0; left &= left - 1)
        if (tt_has_row(own | (left & -left)))
            return true;
    return false;
}

static const rf_win_part tt_win_part = {.wins_now = tt_wins_now};

/* ---- optional: how many positions follow, for solving draws ---- */

static uint64_t tt_reachable(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const tt_state *s = tt_read(state);
    uint64_t fillings = 1;
    for (unsigned left = TT_ALL & ~(unsigned)(s->marks[0] | s->marks[1]); left != 0; left &= left - 1)
        fillings *= 3;
    return fillings;
}

/* ---- the game ---- */

#define RF_PREFIX tt_
#define RF_COUNT_BY_LIST
#define RF_HASH_SIZE sizeof(tt_state)
#include "perft.inc"

const rf_game RF_EXPORT(rf_game_tictactoe) = {
    .id = "tictactoe",
    .start = "tictactoe .../.../... s",
    .state_size = sizeof(tt_state),
    .max_plies = TT_SQUARES,
    .max_text = sizeof "tictactoe .../.../... s",
    .max_ply_text = sizeof "a1",
    .solver = RF_SOLVER_WIN,
    .parse = tt_parse,
    .format_field = tt_format_field,
    .format_square = tt_format_square,
    .describe = tt_describe,
    .parse_ply = tt_parse_ply,
    .format_ply = tt_format_ply,
    .generate = tt_generate,
    .apply = tt_apply,
    .outcome = tt_outcome,
    .player = tt_player,
    .perft = tt_perft,
    .reachable = tt_reachable,
    .wins = &tt_win_part,
};
