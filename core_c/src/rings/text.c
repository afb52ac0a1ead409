/* Reads and writes positions and plies of The King of Rings (docs/notation.md).
 *
 * Invariants: a text may contain any bytes; every error names the bytes that are wrong. kr_parse reads what kr_format_field
 * writes, as the same state.
 * Example: in a rank, "K(31)" is a knight of South that holds a ring of 3 points and one of 1 point. */
#include "common/text.h"
#include "rings/rings.h"

/* ---- positions ---- */

static const char kr_ring_letters[KR_KINDS + 1] = "135";
static const char kr_knight_letters[3] = "Kk";

/* What reading the board counts (K2). The counts may exceed what the game has; the state then holds less. */
typedef struct kr_census {
    unsigned rings[KR_KINDS];
    unsigned knights[2];
    size_t at, length; /* of the RANKS field */
} kr_census;

static const unsigned kr_ring_supply[KR_FILES + 1][KR_KINDS] = {[5] = {20, 4, 1}, [7] = {28, 6, 1}};

static int kr_kind_of(int letter)
{
    for (int kind = 0; kind < KR_KINDS; kind++)
        if (letter == kr_ring_letters[kind])
            return kind;
    return -1;
}

/* The rings of the holder on `square`, after the opening parenthesis. */
static bool kr_parse_holder(rf_cursor *c, kr_state *s, unsigned square, kr_census *census, rf_error *error)
{
    int last = KR_KINDS;
    while (!rf_accept(c, ')')) {
        int kind = kr_kind_of(rf_peek(c));
        if (kind < 0)
            return rf_fail_here(c, error, "bad-holder");
        if (kind > last)
            return rf_fail(error, RF_SYNTAX, c->at, 1, "holder-order", (char[]){kr_ring_letters[last], 0},
                           (char[]){kr_ring_letters[kind], 0}, NULL);
        last = kind;
        c->at++;
        if (++census->rings[kind] > kr_ring_supply[KR_FILES][kind])
            continue;
        if (kind == 2)
            s->five = (uint8_t)square;
        else
            s->held[square] = (uint8_t)(s->held[square] + (kind == 0 ? KR_ONE_RING : KR_THREE_RING));
    }
    return last < KR_KINDS || rf_fail(error, RF_SYNTAX, c->at - 2, 2, "empty-holder", NULL);
}

static bool kr_parse_cell(rf_cursor *c, kr_state *s, unsigned square, kr_census *census, rf_error *error)
{
    int letter = rf_peek(c), kind = kr_kind_of(letter);
    if (kind >= 0) {
        census->rings[kind]++;
        s->ring[kind] |= kr_bit(square);
    } else if (letter == kr_knight_letters[KR_SOUTH] || letter == kr_knight_letters[KR_NORTH]) {
        unsigned side = letter == kr_knight_letters[KR_NORTH];
        census->knights[side]++;
        s->knights[side] |= kr_bit(square);
        c->at++;
        return !rf_accept(c, '(') || kr_parse_holder(c, s, square, census, error);
    } else if (letter != '.') {
        return rf_fail_here(c, error, "bad-ranks");
    }
    c->at++;
    return true;
}

static bool kr_parse_rank(rf_cursor *c, kr_state *s, unsigned rank, kr_census *census, rf_error *error)
{
    unsigned file = 0;
    size_t began = c->at;
    for (; rf_peek(c) != '/' && !rf_at_field_end(c); file++) {
        if (file == KR_FILES)
            return rf_fail_here(c, error, "too-many-files");
        if (!kr_parse_cell(c, s, rank * KR_FILES + file, census, error))
            return false;
    }
    if (rank == KR_RANKS - 1 && kr_board[file] != 0)
        s->files = (uint8_t)file;
    if (file == s->files && file != 0)
        return true;
    return rf_fail(error, RF_SYNTAX, began, c->at - began, s->files == 0 ? "bad-files" : "uneven-ranks",
                   rf_number_word(file).text, rf_number_word(s->files).text, NULL);
}

static bool kr_parse_ranks(rf_cursor *c, kr_state *s, kr_census *census, rf_error *error)
{
    census->at = c->at;
    for (unsigned rank = KR_RANKS; rank-- > 0;) {
        if (!kr_parse_rank(c, s, rank, census, error))
            return false;
        if (rank > 0 && !rf_accept(c, '/'))
            return rf_fail_here(c, error, "too-few-ranks");
    }
    if (rf_peek(c) == '/')
        return rf_fail_here(c, error, "too-many-ranks");
    census->length = c->at - census->at;
    return true;
}

/* K2: at least what is on the board and in hand must be in the box. */
static bool kr_check_pieces(const kr_state *s, const kr_census *census, rf_error *error)
{
    for (int kind = 0; kind < KR_KINDS; kind++)
        if (census->rings[kind] > kr_ring_supply[s->files][kind]) {
            char points[2] = {kr_ring_letters[kind], '\0'};
            return rf_fail(error, RF_IMPOSSIBLE, census->at, census->length, "too-many-rings", points,
                           rf_number_word(census->rings[kind]).text,
                           rf_number_word(kr_ring_supply[s->files][kind]).text, NULL);
        }
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++)
        if (census->knights[side] + s->hands[side] > s->files)
            return rf_fail(error, RF_IMPOSSIBLE, census->at, census->length, "too-many-knights", rf_side_name(side),
                           rf_number_word(census->knights[side] + s->hands[side]).text, rf_number_word(s->files).text,
                           NULL);
    return true;
}

static char *kr_put_ply(const kr_state *s, unsigned side, rf_ply ply, char *out);

/* K9: only a player with neither a move nor a drop passes, and a pass changes neither. */
static bool kr_check_passes(const kr_state *s, size_t at, rf_error *error)
{
    for (unsigned ago = 1; ago <= s->passes; ago++) {
        unsigned side = s->side ^ (ago & 1);
        rf_ply plies[KR_MAX_PLIES];
        char example[12] = {0};
        if (kr_list_moves(s, side, plies) == 0)
            continue;
        kr_put_ply(s, side, plies[0], example);
        return rf_fail(error, RF_IMPOSSIBLE, at, 1, "passed-needlessly", rf_side_name(side), example, NULL);
    }
    return true;
}

bool kr_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error)
{
    (void)ctx;
    rf_cursor cursor = rf_cursor_at(text, length), *c = &cursor;
    kr_state *s = (kr_state *)out;
    kr_census census = {0};
    memset(s, 0, sizeof *s);
    s->five = KR_NOWHERE;
    if (!rf_read_id(c, "rings", error) || !rf_next_field(c, "the ranks", error) ||
        !kr_parse_ranks(c, s, &census, error) || !rf_next_field(c, "the side to play", error) ||
        !rf_read_side(c, &s->side, error) || !rf_next_field(c, "the knights in hand", error) ||
        !rf_read_two_numbers(c, 99, "bad-hands", s->hands, error) || !rf_next_field(c, "the passes", error) ||
        !rf_read_number(c, 2, "bad-passes", &s->passes, error))
        return false;
    size_t passes_at = c->at - 1;
    return rf_read_end(c, NULL, error) && kr_check_pieces(s, &census, error) && kr_check_passes(s, passes_at, error);
}

/* The rings of the holder on `square`, in parentheses. */
static char *kr_put_rings(const kr_state *s, unsigned square, char *out)
{
    unsigned counts[KR_KINDS] = {s->held[square] & (KR_THREE_RING - 1u), s->held[square] / (unsigned)KR_THREE_RING,
                                 s->five == square};
    *out++ = '(';
    for (int kind = KR_KINDS - 1; kind >= 0; kind--)
        for (unsigned i = 0; i < counts[kind]; i++)
            *out++ = kr_ring_letters[kind];
    *out++ = ')';
    return out;
}

static char *kr_put_ranks(const kr_state *s, char *out)
{
    /* 1. The letter of each square. */
    char cells[KR_SQUARES];
    memset(cells, '.', sizeof cells);
    for (int kind = 0; kind < KR_KINDS; kind++)
        for (uint64_t left = s->ring[kind]; left; left &= left - 1)
            cells[rf_lsb(left)] = kr_ring_letters[kind];
    uint64_t holders = 0;
    for (int side = 0; side < 2; side++)
        for (uint64_t left = s->knights[side]; left; left &= left - 1) {
            unsigned square = rf_lsb(left);
            cells[square] = kr_knight_letters[side];
            if (kr_rings(s, square) != 0)
                holders |= kr_bit(square);
        }
    /* 2. The ranks. */
    for (unsigned rank = KR_RANKS; rank-- > 0;) {
        for (unsigned square = rank * KR_FILES; square < rank * KR_FILES + s->files; square++) {
            *out++ = cells[square];
            if (holders & kr_bit(square))
                out = kr_put_rings(s, square, out);
        }
        if (rank > 0)
            *out++ = '/';
    }
    return out;
}

size_t kr_format_field(const void *ctx, const rf_state *state, unsigned field, char *out)
{
    const kr_state *s = kr_state_of(state);
    char *end = out;
    (void)ctx;
    switch (field) {
    case 0:
        end = kr_put_ranks(s, end);
        break;
    case 1:
        *end++ = s->side == KR_SOUTH ? 's' : 'n';
        break;
    case 2:
        end = rf_put_number(end, s->hands[KR_SOUTH]);
        *end++ = '+';
        end = rf_put_number(end, s->hands[KR_NORTH]);
        break;
    case 3:
        end = rf_put_number(end, s->passes);
        break;
    default:
        break;
    }
    return (size_t)(end - out);
}

size_t kr_format_square(const void *ctx, const rf_state *state, unsigned rank, unsigned square, char *out)
{
    const kr_state *s = kr_state_of(state);
    (void)ctx;
    if (rank >= KR_RANKS || square >= s->files)
        return 0;
    square += (KR_RANKS - 1 - rank) * KR_FILES;
    const uint64_t bit = kr_bit(square);
    char *end = out;
    for (int side = 0; side < 2; side++)
        if (s->knights[side] & bit) {
            *end++ = kr_knight_letters[side];
            return (size_t)((kr_rings(s, square) != 0 ? kr_put_rings(s, square, end) : end) - out);
        }
    *out = '.';
    for (int kind = 0; kind < KR_KINDS; kind++)
        if (s->ring[kind] & bit)
            *out = kr_ring_letters[kind];
    return 1;
}

/* ---- plies ---- */

static char *kr_put_at(char *out, unsigned square) { return rf_put_square(out, square % KR_FILES, square / KR_FILES); }

/* The ply of `side`, and no NUL. */
static char *kr_put_ply(const kr_state *s, unsigned side, rf_ply ply, char *out)
{
    if (ply == kr_pass)
        return rf_put(out, "pass");
    if (kr_from(ply) == KR_FROM_HAND) {
        *out++ = '@';
        return kr_put_at(out, kr_to(ply));
    }
    out = kr_put_at(out, kr_from(ply));
    *out++ = s->knights[!side] & kr_bit(kr_to(ply)) ? 'x' : '-';
    return kr_put_at(out, kr_to(ply));
}

size_t kr_format_ply(const void *ctx, const rf_state *state, rf_ply ply, char *out)
{
    (void)ctx;
    const kr_state *s = kr_state_of(state);
    char *end = kr_put_ply(s, s->side, ply, out);
    *end = '\0';
    return (size_t)(end - out);
}

/* A ply as it is written; squares are on the board of the position. */
typedef struct kr_text_ply {
    enum { KR_TEXT_PASS, KR_TEXT_DROP, KR_TEXT_MOVE, KR_TEXT_CAPTURE } form;
    unsigned from, to;
} kr_text_ply;

static bool kr_read_square(rf_cursor *c, const kr_state *s, unsigned *square)
{
    int file, rank;
    if (!rf_accept_square(c, s->files, KR_RANKS, &file, &rank))
        return false;
    *square = (unsigned)(rank * KR_FILES + file);
    return true;
}

static bool kr_scan_ply(rf_cursor *c, const kr_state *s, kr_text_ply *out)
{
    out->form = KR_TEXT_PASS;
    if (rf_accept_field(c, "pass"))
        return c->at == c->length;
    out->form = KR_TEXT_DROP;
    if (rf_accept(c, '@'))
        return kr_read_square(c, s, &out->to) && c->at == c->length;
    if (!kr_read_square(c, s, &out->from))
        return false;
    out->form = KR_TEXT_MOVE;
    if (!rf_accept(c, '-')) {
        out->form = KR_TEXT_CAPTURE;
        if (!rf_accept(c, 'x'))
            return false;
    }
    return kr_read_square(c, s, &out->to) && c->at == c->length;
}

/* Whether a pass is legal; if not, why. */
static bool kr_check_pass(const kr_state *s, size_t length, rf_error *error)
{
    rf_ply plies[KR_MAX_PLIES];
    char example[12] = {0};
    if (kr_list_moves(s, s->side, plies) == 0)
        return true;
    kr_put_ply(s, s->side, plies[0], example);
    return rf_fail(error, RF_ILLEGAL, 0, length, "pass-with-plies", rf_side_name(s->side), example, NULL);
}

static bool kr_illegal_drop(const kr_state *s, unsigned square, rf_error *error)
{
    char to[4] = {0};
    kr_put_at(to, square);
    if (s->hands[s->side] == 0)
        return rf_fail(error, RF_ILLEGAL, 0, 1, "empty-hand", rf_side_name(s->side), NULL);
    return rf_fail(error, RF_ILLEGAL, 1, strlen(to), "drop-without-ring", to, NULL);
}

/* Why a written move or capture is not legal; called only for such. */
static bool kr_illegal_move(const kr_state *s, const kr_text_ply *p, rf_error *error)
{
    const char *side = rf_side_name(s->side);
    char from[4] = {0}, to[4] = {0};
    uint64_t target = kr_bit(p->to);
    kr_put_at(from, p->from);
    kr_put_at(to, p->to);
    if (!(s->knights[s->side] & kr_bit(p->from)))
        return rf_fail(error, RF_ILLEGAL, 0, 2, "no-own-knight", side, from, NULL);
    unsigned held = kr_rings(s, p->from);
    const rf_word rings = rf_number_word(held);
    if (held >= KR_FILES)
        return rf_fail(error, RF_ILLEGAL, 0, 2, "holder-cannot-move", from, rings.text, NULL);
    if (!(kr_targets[p->from][held] & target))
        return held == 0 ? rf_fail(error, RF_ILLEGAL, 3, 2, "knight-step", from, to, NULL)
                         : rf_fail(error, RF_ILLEGAL, 3, 2, "holder-distance", from, rings.text, to, NULL);
    if (s->knights[s->side] & target)
        return rf_fail(error, RF_ILLEGAL, 3, 2, "own-knight-there", side, to, NULL);
    bool enemy = (s->knights[!s->side] & target) != 0;
    if (held > 0 && !enemy && !(kr_free(s) & target))
        return rf_fail(error, RF_ILLEGAL, 3, 2, "holder-onto-empty", from, to, NULL);
    return rf_fail(error, RF_ILLEGAL, 2, 1, enemy ? "capture-sign" : "nothing-to-capture", to, NULL);
}

bool kr_parse_ply(const void *ctx, const rf_state *state, const char *text, size_t length, rf_parsed_ply *out,
                  rf_error *error)
{
    (void)ctx;
    const kr_state *s = kr_state_of(state);
    rf_cursor cursor = rf_cursor_at(text, length);
    kr_text_ply p = {KR_TEXT_PASS, 0, 0};
    if (!kr_scan_ply(&cursor, s, &p)) {
        cursor.at = 0;
        return rf_fail_here(&cursor, error, "bad-ply");
    }
    if (kr_is_over(s))
        return rf_fail(error, RF_ILLEGAL, 0, length, "game-over", NULL);
    out->long_form = 0;
    out->warning = NULL;
    uint64_t to = kr_bit(p.to), free = kr_free(s);
    if (p.form == KR_TEXT_PASS) {
        out->ply = kr_pass;
        return kr_check_pass(s, length, error);
    }
    if (p.form == KR_TEXT_DROP) {
        out->ply = kr_ply(KR_FROM_HAND, p.to);
        return (s->hands[s->side] > 0 && (free & to)) || kr_illegal_drop(s, p.to, error);
    }
    out->ply = kr_ply(p.from, p.to);
    bool capture = (s->knights[!s->side] & to) != 0;
    if ((s->knights[s->side] & kr_bit(p.from)) && (kr_reach(s, s->side, free, p.from) & to) &&
        capture == (p.form == KR_TEXT_CAPTURE))
        return true;
    return kr_illegal_move(s, &p, error);
}
