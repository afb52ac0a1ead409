/* Reads and writes positions of GRAN (docs/notation.md).
 *
 * Invariants: a text may contain any bytes; every error names the bytes that are wrong. gr_parse reads what
 * gr_format_field writes, as the same state.
 * Example: in "gran b4:2:TU/-:3:-/c1:0:G! @1 ..." player 1 is on b4 with two amulets and two seals and carries the
 * ring, player 2 has not entered the board, and player 3 is fettered. */
#include "gran/text.h"

const char *const gr_phase_names[GR_PHASES] = {"move", "fight", "extra", "ring", "stone", "sword", "over"};
const char *const gr_symbol_names[RF_GRAN_RING_BALL + 1] = {"plain point", "dragon", "magic stone",      "sword",
                                              "city",        "start crystal ball", "crystal ball"};
const char gr_seal_letters[5] = "TUGE";

char *gr_put_point(const rf_gran_board *b, unsigned point, char *out)
{
    return rf_put_square(out, b->file[point], b->rank[point]);
}

rf_word gr_point_word(const rf_gran_board *b, unsigned point)
{
    return rf_square_word(b->file[point], b->rank[point]);
}

/* ---- writing ---- */

static char *gr_write_player(const rf_gran_board *b, const gr_state *s, unsigned i, char *out)
{
    if (s->point[i] == GR_NOWHERE)
        *out++ = '-';
    else
        out = gr_put_point(b, s->point[i], out);
    *out++ = ':';
    out = rf_put_number(out, gr_amulets(s, i));
    *out++ = ':';
    for (unsigned realm = 0; realm < 4; realm++)
        if ((s->figure[i] >> GR_SEAL_SHIFT >> realm & 1) != 0)
            *out++ = gr_seal_letters[realm];
    if (gr_seals(s, i) == 0)
        *out++ = '-';
    if (gr_fettered(s, i))
        *out++ = '!';
    return out;
}

static char *gr_write_ring(const rf_gran_board *b, const gr_state *s, char *out)
{
    if (gr_on_board(s->ring))
        return gr_put_point(b, s->ring, out);
    if (s->ring == GR_PENDING)
        return rf_put(out, "?");
    *out++ = '@';
    return rf_put_number(out, s->ring - GR_CARRIED + 1u);
}

static char *gr_write_stones(const rf_gran_board *b, const gr_state *s, char *out)
{
    const char *begin = out;
    gr_set stones = gr_set_of(s->stones);
    for (unsigned i = 0; i < b->points; i++) {
        if (!gr_has(stones, b->by_square[i]))
            continue;
        if (out != begin)
            *out++ = ',';
        out = gr_put_point(b, b->by_square[i], out);
    }
    return out == begin ? rf_put(out, "-") : out;
}

static char *gr_write_deck(const gr_state *s, char *out)
{
    for (unsigned value = 0; value < GR_CARDS; value++) {
        if (value > 0)
            *out++ = '.';
        out = rf_put_number(out, s->deck[value]);
    }
    return out;
}

size_t gr_format_field(const void *ctx, const rf_state *state, unsigned field, char *out)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    char *end = out;
    const bool is_named = b->name[0] != '\0';
    if (field == 6 && !is_named)
        field = 7; /* the first option */
    else if (field == 7 && !is_named)
        return 0;
    switch (field) {
    case 0:
        for (unsigned i = 0; i < s->players; i++) {
            if (i > 0)
                *end++ = '/';
            end = gr_write_player(b, s, i, end);
        }
        break;
    case 1:
        end = gr_write_ring(b, s, end);
        break;
    case 2:
        end = gr_write_stones(b, s, end);
        break;
    case 3:
        end = gr_write_deck(s, end);
        break;
    case 4:
        end = rf_put_number(end, s->player + 1u);
        break;
    case 5:
        end = rf_put(end, gr_phase_names[s->phase]);
        break;
    case 6:
        end = rf_put(rf_put(end, "board="), b->name);
        break;
    case 7:
        if (s->seals != GR_USUAL_SEALS) {
            end = rf_put(end, "seals=");
            *end++ = (char)('0' + s->seals);
        }
        break;
    default:
        break;
    }
    return (size_t)(end - out);
}

/* ---- reading positions: first the form, field by field ---- */

bool gr_read_point(const rf_gran_board *b, rf_cursor *c, const char *otherwise, unsigned *point, rf_error *error)
{
    size_t before = c->at;
    int file, rank;
    if (!rf_accept_square(c, 26, 99, &file, &rank))
        return rf_fail_here(c, error, otherwise);
    bool inside = file < RF_GRAN_SIDE && rank < RF_GRAN_SIDE;
    *point = inside ? b->point_at[rank * RF_GRAN_SIDE + file] : RF_GRAN_NO_POINT;
    if (*point != RF_GRAN_NO_POINT)
        return true;
    return rf_fail(error, RF_SYNTAX, before, c->at - before, "no-such-point",
                   rf_square_word((unsigned)file, (unsigned)rank).text, NULL);
}

static bool gr_read_seals(rf_cursor *c, uint8_t *figure, rf_error *error)
{
    if (rf_accept(c, '-'))
        return true;
    size_t before = c->at;
    for (unsigned realm = 0; realm < 4; realm++)
        if (rf_accept(c, gr_seal_letters[realm]))
            *figure = (uint8_t)(*figure | 1u << (GR_SEAL_SHIFT + realm));
    if (c->at == before)
        return rf_fail_here(c, error, "bad-seals");
    int next = rf_peek(c);
    if (next <= 0 || strchr(gr_seal_letters, next) == NULL)
        return true;
    return rf_fail(error, RF_SYNTAX, c->at, 1, "seals-order", (char[]){c->text[c->at - 1], 0}, (char[]){(char)next, 0},
                   NULL);
}

static bool gr_read_player(const rf_gran_board *b, rf_cursor *c, gr_state *s, unsigned i, rf_error *error)
{
    unsigned point = GR_NOWHERE;
    if (!rf_accept(c, '-') && !gr_read_point(b, c, "bad-players", &point, error))
        return false;
    s->point[i] = (uint8_t)point;
    if (!rf_accept(c, ':'))
        return rf_fail_here(c, error, "bad-players");
    size_t before = c->at;
    int amulets = rf_accept_number(c, 999);
    if (amulets < 0)
        return rf_fail_here(c, error, "bad-amulets");
    if (amulets > GR_AMULETS)
        return rf_fail(error, RF_IMPOSSIBLE, before, c->at - before, "too-many-amulets", GR_NUMBER(i + 1),
                       GR_NUMBER(amulets), NULL);
    s->figure[i] = (uint8_t)amulets;
    if (!rf_accept(c, ':'))
        return rf_fail_here(c, error, "bad-players");
    if (!gr_read_seals(c, &s->figure[i], error))
        return false;
    if (rf_accept(c, '!'))
        s->figure[i] |= GR_FETTER;
    return true;
}

static bool gr_read_players(const rf_gran_board *b, rf_cursor *c, gr_state *s, rf_error *error)
{
    size_t before = c->at;
    unsigned players = 0;
    do {
        if (players == GR_PLAYERS)
            return rf_fail(error, RF_IMPOSSIBLE, before, c->at - before, "player-count", "more than 6", NULL);
        if (!gr_read_player(b, c, s, players++, error))
            return false;
    } while (rf_accept(c, '/'));
    if (!rf_at_field_end(c))
        return rf_fail_here(c, error, "bad-players");
    if (players < 3)
        return rf_fail(error, RF_IMPOSSIBLE, before, c->at - before, "player-count", GR_NUMBER(players), NULL);
    s->players = (uint8_t)players;
    for (unsigned i = players; i < GR_PLAYERS; i++)
        s->point[i] = GR_NOWHERE;
    return true;
}

static bool gr_read_ring(const rf_gran_board *b, rf_cursor *c, gr_state *s, rf_error *error)
{
    if (rf_accept(c, '?')) {
        s->ring = GR_PENDING;
    } else if (rf_accept(c, '@')) {
        size_t before = c->at;
        int player = rf_accept_number(c, 999);
        if (player < 0)
            return rf_fail_here(c, error, "bad-ring");
        if (player < 1 || player > s->players)
            return rf_fail(error, RF_IMPOSSIBLE, before, c->at - before, "no-such-player", GR_NUMBER(player),
                           GR_NUMBER(s->players), NULL);
        s->ring = (uint8_t)(GR_CARRIED | (player - 1));
    } else {
        unsigned point;
        if (!gr_read_point(b, c, "bad-ring", &point, error))
            return false;
        s->ring = (uint8_t)point;
    }
    return rf_at_field_end(c) || rf_fail_here(c, error, "bad-ring");
}

static bool gr_read_stones(const rf_gran_board *b, rf_cursor *c, gr_state *s, rf_error *error)
{
    if (rf_accept(c, '-'))
        return rf_at_field_end(c) || rf_fail_here(c, error, "bad-stones");
    gr_set stones = 0;
    int last = -1;
    unsigned point, before = 0;
    do {
        size_t at = c->at;
        if (!gr_read_point(b, c, "bad-stones", &point, error))
            return false;
        int square = b->rank[point] * RF_GRAN_SIDE + b->file[point];
        if (square <= last)
            return rf_fail(error, RF_SYNTAX, at, c->at - at, "stones-order", GR_POINT(b, before),
                           GR_POINT(b, point), NULL);
        last = square;
        before = point;
        stones |= gr_bit(point);
    } while (rf_accept(c, ','));
    s->stones = gr_store_set(stones);
    return rf_at_field_end(c) || rf_fail_here(c, error, "bad-stones");
}

static bool gr_read_deck(const rf_gran_board *b, rf_cursor *c, gr_state *s, rf_error *error)
{
    rf_cursor start = *c;
    for (unsigned value = 0; value < GR_CARDS; value++) {
        if (value > 0 && !rf_accept(c, '.'))
            return rf_fail_here(&start, error, "bad-deck");
        size_t before = c->at;
        int cards = rf_accept_number(c, 999);
        if (cards < 0)
            return rf_fail_here(&start, error, "bad-deck");
        if (cards > b->cards[value])
            return rf_fail(error, RF_IMPOSSIBLE, before, c->at - before, "too-many-cards", GR_NUMBER(cards),
                           GR_NUMBER(value), GR_NUMBER(b->cards[value]), NULL);
        s->deck[value] = (uint8_t)cards;
    }
    return rf_at_field_end(c) || rf_fail_here(&start, error, "bad-deck");
}

static bool gr_read_turn(rf_cursor *c, gr_state *s, rf_error *error)
{
    size_t before = c->at;
    int player = rf_accept_number(c, 999);
    if (player < 0 || !rf_at_field_end(c)) {
        c->at = before;
        return rf_fail_here(c, error, "bad-player");
    }
    if (player < 1 || player > s->players)
        return rf_fail(error, RF_IMPOSSIBLE, before, c->at - before, "no-such-player", GR_NUMBER(player),
                       GR_NUMBER(s->players), NULL);
    s->player = (uint8_t)(player - 1);
    if (!rf_next_field(c, "the phase", error))
        return false;
    for (unsigned phase = 0; phase < GR_PHASES; phase++)
        if (rf_accept_field(c, gr_phase_names[phase])) {
            s->phase = (uint8_t)phase;
            return true;
        }
    return rf_fail_here(c, error, "bad-phase");
}

static bool gr_read_options(const rf_gran_board *b, rf_cursor *c, gr_state *s, rf_error *error)
{
    static const char board[] = "board=";
    size_t before = c->at, size = strlen(b->name);
    bool named = c->length - c->at >= sizeof board - 1 && memcmp(c->text + c->at, board, sizeof board - 1) == 0;
    if (named) {
        c->at += sizeof board - 1;
        rf_cursor name = *c;
        bool same = size > 0 && c->length - c->at >= size && memcmp(c->text + c->at, b->name, size) == 0;
        if (same)
            c->at += size;
        if (!same || !rf_at_field_end(c))
            return rf_fail_here(&name, error, size > 0 ? "wrong-board" : "named-default");
        rf_skip_blanks(c);
    } else if (size > 0) {
        return rf_fail(error, RF_SYNTAX, before, 0, "unnamed-board", b->name, NULL);
    }
    s->seals = GR_USUAL_SEALS;
    static const char *const others[] = {"seals=1", "seals=2", "seals=4"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (s->seals == GR_USUAL_SEALS && rf_accept_field(c, others[i])) {
            s->seals = (uint8_t)(others[i][sizeof "seals=" - 1] - '0');
            rf_skip_blanks(c);
        }
    return rf_read_end(c, "bad-option", error);
}

/* ---- then what the rules exclude ---- */

/* The start of each field, for errors about what was read. */
typedef struct {
    size_t players, ring, stones, deck, player, phase, end;
} gr_field_offsets;

static bool gr_impossible(rf_error *error, size_t from, size_t to, const char *reason, const char *a, const char *b,
                          const char *c)
{
    return rf_fail(error, RF_IMPOSSIBLE, from, to - from, reason, a, b, c, NULL);
}

static bool gr_check_figures(const rf_gran_board *b, const gr_state *s, const gr_field_offsets *at, rf_error *error)
{
    size_t end = at->ring - 1;
    unsigned white = gr_popcount(gr_set_of(b->white));
    if (white < s->players)
        return gr_impossible(error, at->players, end, "white-points", GR_NUMBER(white), GR_NUMBER(s->players), NULL);
    for (unsigned i = 0; i < s->players; i++) {
        if (s->point[i] == GR_NOWHERE) {
            if ((s->figure[i] & (GR_AMULET_MASK | GR_SEAL_MASK)) != GR_AMULETS)
                return gr_impossible(error, at->players, end, "not-entered", GR_NUMBER(i + 1),
                                     GR_NUMBER(gr_amulets(s, i)), GR_NUMBER(gr_seals(s, i)));
            continue;
        }
        for (unsigned j = 0; j < i; j++)
            if (s->point[j] == s->point[i])
                return gr_impossible(error, at->players, end, "two-figures", GR_NUMBER(j + 1), GR_NUMBER(i + 1),
                                     GR_POINT(b, s->point[i]));
        if (gr_has(gr_set_of(s->stones), s->point[i]))
            return gr_impossible(error, at->players, end, "figure-on-stone", GR_NUMBER(i + 1),
                                 GR_POINT(b, s->point[i]), NULL);
    }
    return true;
}

static bool gr_check_ring_and_stones(const rf_gran_board *b, const gr_state *s, const gr_field_offsets *at,
                                     rf_error *error)
{
    gr_set stones = gr_set_of(s->stones), misplaced = stones & ~gr_set_of(b->plain);
    if (misplaced != 0) {
        unsigned point = gr_lsb(misplaced);
        return gr_impossible(error, at->stones, at->deck - 1, "stone-on-symbol", GR_POINT(b, point),
                             gr_symbol_names[b->symbol[point]], NULL);
    }
    if (gr_popcount(stones) > b->stones)
        return gr_impossible(error, at->stones, at->deck - 1, "too-many-stones", GR_NUMBER(gr_popcount(stones)),
                             GR_NUMBER(b->stones), NULL);
    if ((stones & gr_ring_point(s)) != 0)
        return gr_impossible(error, at->ring, at->stones - 1, "ring-on-stone", GR_POINT(b, s->ring), NULL, NULL);
    unsigned carrier = s->ring - (unsigned)GR_CARRIED;
    if (!gr_on_board(s->ring) && s->ring != GR_PENDING && s->point[carrier] == GR_NOWHERE)
        return gr_impossible(error, at->ring, at->stones - 1, "carrier-not-entered", GR_NUMBER(carrier + 1), NULL,
                             NULL);
    if ((s->ring == GR_PENDING) != (s->phase == GR_IN_RING))
        return gr_impossible(error, at->ring, at->stones - 1,
                             s->ring == GR_PENDING ? "ring-not-due" : "ring-is-due", gr_phase_names[s->phase], NULL,
                             NULL);
    return true;
}

/* The symbols that the acting figure may be on in each phase, in words; NULL: any. */
static const char *const gr_phase_symbols[GR_PHASES] = {NULL,          "a dragon", "a dragon", "a city or a dragon",
                                                       "a magic stone", "a sword",  "a city"};

static bool gr_symbol_fits(unsigned phase, unsigned symbol)
{
    switch (phase) {
    case GR_IN_FIGHT:
    case GR_IN_EXTRA:
        return symbol == RF_GRAN_DRAGON;
    case GR_IN_RING:
        return symbol == RF_GRAN_DRAGON || symbol == RF_GRAN_CITY;
    case GR_IN_STONE:
        return symbol == RF_GRAN_MAGIC_STONE;
    case GR_IN_SWORD:
        return symbol == RF_GRAN_SWORD;
    case GR_OVER:
        return symbol == RF_GRAN_CITY;
    default:
        return true;
    }
}

static bool gr_check_phase(const rf_gran_board *b, const gr_state *s, const gr_field_offsets *at, rf_error *error)
{
    unsigned me = s->player, point = s->point[me];
    if (s->phase != GR_IN_MOVE) {
        bool fits = point != GR_NOWHERE && gr_symbol_fits(s->phase, b->symbol[point]);
        if (!fits)
            return rf_fail(error, RF_IMPOSSIBLE, at->phase, at->end - at->phase, "phase-place",
                           gr_phase_names[s->phase], GR_NUMBER(me + 1), gr_phase_symbols[s->phase],
                           point == GR_NOWHERE ? "off the board" : GR_POINT(b, point), NULL);
    }
    if (s->phase == GR_OVER) {
        if (gr_seals(s, me) < s->seals)
            return gr_impossible(error, at->phase, at->end, "over-no-winner", GR_NUMBER(me + 1),
                                 GR_NUMBER(gr_seals(s, me)), GR_NUMBER(s->seals));
        if (!gr_carries(s, me))
            return gr_impossible(error, at->ring, at->stones - 1, "over-ring", GR_NUMBER(me + 1), NULL, NULL);
        return true;
    }
    for (unsigned i = 0; i < s->players; i++)
        if (gr_seals(s, i) >= s->seals)
            return gr_impossible(error, at->phase, at->end, "winner-not-over", GR_NUMBER(i + 1),
                                 GR_NUMBER(gr_seals(s, i)), gr_phase_names[s->phase]);
    return true;
}

/* Continues with the next field, which begins at *begin. */
static bool gr_begin_field(rf_cursor *c, const char *what, size_t *begin, rf_error *error)
{
    bool there = rf_next_field(c, what, error);
    *begin = c->at;
    return there;
}

bool gr_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error)
{
    const rf_gran_board *b = ctx;
    gr_state *s = (gr_state *)out;
    rf_cursor c = rf_cursor_at(text, length);
    gr_field_offsets at = {0};
    if (!rf_read_id(&c, "gran", error) || !gr_begin_field(&c, "the players", &at.players, error) ||
        !gr_read_players(b, &c, s, error) ||
        !gr_begin_field(&c, "the ring", &at.ring, error) || !gr_read_ring(b, &c, s, error) ||
        !gr_begin_field(&c, "the stones", &at.stones, error) || !gr_read_stones(b, &c, s, error) ||
        !gr_begin_field(&c, "the deck", &at.deck, error) || !gr_read_deck(b, &c, s, error) ||
        !gr_begin_field(&c, "the player", &at.player, error) || !gr_read_turn(&c, s, error))
        return false;
    at.end = c.at;
    at.phase = at.end - strlen(gr_phase_names[s->phase]);
    rf_skip_blanks(&c);
    return gr_read_options(b, &c, s, error) && gr_check_figures(b, s, &at, error) &&
           gr_check_ring_and_stones(b, s, &at, error) && gr_check_phase(b, s, &at, error);
}
