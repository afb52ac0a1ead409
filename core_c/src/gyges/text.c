/* Reads and writes positions and plies of Gygès (docs/notation.md).
 *
 * Invariant: input may be any bytes; each error names its key, its offset and its length.
 * Example: in "a1-a3xb4-c2" the stops are a1, a3 (a bounce, G6) and b4, and the displaced ring goes to c2. */
#include "gyges/gyges.h"

#include "common/text.h"

enum { GY_MAX_STOPS = 64 }; /* a path has at most 60 connections, so fewer landings than this */

/* ---- positions ---- */

static bool gy_parse_ranks(rf_cursor *c, gy_position *p)
{
    for (unsigned rank = 6; rank-- > 0;) {
        for (unsigned file = 0; file < 6; file++) {
            int letter = rf_peek(c);
            if (letter != '.' && (letter < '1' || letter > '3'))
                return false;
            gy_add(&p->rings, gy_bit(gy_square(file, rank)), letter == '.' ? 0 : (unsigned)(letter - '0'));
            c->at++;
        }
        if (rank > 0 && !rf_accept(c, '/'))
            return false;
    }
    return rf_at_field_end(c);
}

/* Reads a field that is one of these letters. Returns its index, or -1. */
static int gy_letter_field(rf_cursor *c, const char *letters)
{
    for (int i = 0; letters[i] != '\0'; i++) {
        const char word[2] = {letters[i], '\0'};
        if (rf_accept_field(c, word))
            return i;
    }
    return -1;
}

/* Offsets of the fields in the text. */
typedef struct {
    size_t ranks, side, throne, goals;
} gy_field_offsets;

/* At most four rings of each height, and at least one ring, except before South's setup (G2, G3). */
static bool gy_check_rings(const gy_position *p, const gy_field_offsets *at, rf_error *error)
{
    unsigned count[4];
    gy_count_heights(&p->rings, count);
    count[p->throne]++;
    if (count[1] + count[2] + count[3] == 0)
        return p->side == 0 || rf_fail(error, RF_IMPOSSIBLE, at->side, 1, "south-sets-up-first", NULL);
    for (unsigned height = 1; height <= 3; height++)
        if (count[height] > 4)
            return rf_fail(error, RF_IMPOSSIBLE, at->ranks, GY_RANKS_TEXT, "too-many-rings",
                           rf_number_word(count[height]).text, rf_number_word(height).text, NULL);
    return true;
}

/* Six rings, two of each height, all on rank 1, as South's setup leaves them (G3). */
static bool gy_is_south_setup(const gy_position *p)
{
    unsigned count[4];
    gy_count_heights(&p->rings, count);
    return (gy_occupied(&p->rings) & ~gy_rank(0)) == 0 && count[1] == 2 && count[2] == 2 && count[3] == 2;
}

/* Whether a position that is set up looks as if North sets up; then, and only then, the text says setup=done. */
static bool gy_needs_option(const gy_position *p)
{
    return p->side == 1 && p->throne == 0 && gy_is_south_setup(p);
}

/* Reads the option, if there is one, and finds out which setups are still to be made. */
static bool gy_parse_setups(rf_cursor *c, gy_position *p, rf_error *error)
{
    rf_skip_blanks(c);
    const size_t before = c->at;
    bool done = rf_accept_field(c, "setup=done");
    if (done && !gy_needs_option(p)) {
        c->at = before;
        return rf_fail_here(c, error, "default-option");
    }
    if (gy_occupied(&p->rings) == 0 && p->throne == 0)
        p->setups = 2;
    else
        p->setups = !done && gy_needs_option(p);
    return rf_read_end(c, "bad-option", error);
}

static bool gy_check_goals(const gy_position *p, const gy_field_offsets *at, rf_error *error)
{
    unsigned own = p->goals[p->side], others = p->goals[1 - p->side];
    const char *side = rf_side_name(p->side), *other = rf_side_name(1 - p->side);
    if (own == 0)
        return rf_fail(error, RF_IMPOSSIBLE, at->goals, 3, "winner-to-play", side, other, NULL);
    if (others == 0 && p->throne == 0)
        return rf_fail(error, RF_IMPOSSIBLE, at->throne, 1, "won-without-ring", other, side, NULL);
    if (others == 9 && p->throne != 0)
        return rf_fail(error, RF_IMPOSSIBLE, at->goals, 3, "no-conquest-yet", other, side, NULL);
    return true;
}

bool gy_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error)
{
    rf_cursor c = rf_cursor_at(text, length);
    gy_position p;
    gy_field_offsets at;
    (void)ctx;
    memset(&p, 0, sizeof p);
    if (!rf_read_id(&c, "gyges", error) || !rf_next_field(&c, "the ranks", error))
        return false;
    at.ranks = c.at;
    if (!gy_parse_ranks(&c, &p))
        return rf_fail_here(&c, error, "bad-ranks");
    if (!rf_next_field(&c, "the side to play", error))
        return false;
    at.side = c.at;
    if (!rf_read_side(&c, &p.side, error) || !rf_next_field(&c, "the ring on a throne", error))
        return false;
    at.throne = c.at;
    int throne = gy_letter_field(&c, "-123");
    if (throne < 0)
        return rf_fail_here(&c, error, "bad-throne");
    p.throne = (uint8_t)throne;
    if (!rf_next_field(&c, "the conquests needed", error))
        return false;
    at.goals = c.at;
    if (!rf_read_two_numbers(&c, 9, "bad-goals", p.goals, error) || !gy_parse_setups(&c, &p, error) ||
        !gy_check_rings(&p, &at, error) || !gy_check_goals(&p, &at, error))
        return false;
    *(gy_position *)out = p;
    return true;
}

size_t gy_format_field(const void *ctx, const rf_state *s, unsigned field, char *out)
{
    const gy_position *p = (const gy_position *)s;
    char *end = out;
    (void)ctx;
    switch (field) {
    case 0:
        for (unsigned rank = 6; rank-- > 0;) {
            for (unsigned file = 0; file < 6; file++)
                *end++ = ".123"[gy_height(&p->rings, gy_square(file, rank))];
            if (rank > 0)
                *end++ = '/';
        }
        break;
    case 1:
        *end++ = "sn"[p->side];
        break;
    case 2:
        *end++ = "-123"[p->throne];
        break;
    case 3:
        end = rf_put_number(end, p->goals[0]);
        *end++ = '+';
        end = rf_put_number(end, p->goals[1]);
        break;
    case 4:
        if (p->setups == 0 && gy_needs_option(p))
            end = rf_put(end, "setup=done");
        break;
    default:
        break;
    }
    return (size_t)(end - out);
}

size_t gy_format_square(const void *ctx, const rf_state *s, unsigned rank, unsigned square, char *out)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    if (rank >= 6 || square >= 6)
        return 0;
    *out = ".123"[gy_height(&p->rings, gy_square(square, 5 - rank))];
    return 1;
}

/* ---- plies: writing ---- */

static char *gy_put_field(char *out, unsigned side, unsigned field)
{
    if (field == GY_THRONE)
        return rf_put(out, side == 0 ? "N" : "S");
    return rf_put_square(out, gy_file_of(field), gy_rank_of(field));
}

static void gy_field_text(char out[4], unsigned side, unsigned field) { *gy_put_field(out, side, field) = '\0'; }

size_t gy_format_ply(const void *ctx, const rf_state *s, rf_ply ply, char *out)
{
    const gy_position *p = (const gy_position *)s;
    char *end = out;
    (void)ctx;
    switch (gy_ply_kind(ply)) {
    case GY_SETUP:
        for (int file = 0; file < 6; file++)
            *end++ = (char)('0' + gy_setups[gy_to(ply)][file]);
        break;
    case GY_PUT:
        end = gy_put_field(rf_put(end, "="), p->side, gy_to(ply));
        break;
    case GY_MOVE:
    case GY_DISPLACE:
        end = gy_put_field(end, p->side, gy_from(ply));
        *end++ = gy_ply_kind(ply) == GY_MOVE ? '-' : 'x';
        end = gy_put_field(end, p->side, gy_to(ply));
        if (gy_ply_kind(ply) == GY_DISPLACE)
            end = gy_put_field(rf_put(end, "-"), p->side, gy_drop(ply));
        break;
    }
    *end = '\0';
    return (size_t)(end - out);
}

/* ---- plies: paths ---- */

enum {
    GY_NAMED_BOUNCES = 5, /* that many fit a ply text */
    GY_PATH_STEPS = 1 << 18 /* legs that a search for a path tries */
};

typedef struct {
    const gy_position *p;
    uint64_t others; /* all rings except the moving one (G5) */
    uint64_t targets;
    unsigned left; /* legs to try */
    uint8_t bounces[GY_NAMED_BOUNCES];
} gy_path_search;

/* Finds a path with exactly this many bounces. */
static bool gy_search_path(gy_path_search *w, unsigned square, unsigned count, unsigned found, uint64_t used)
{
    const gy_legs *list = &gy_all_legs[square][gy_height(&w->p->rings, square)];
    const uint64_t ends = found == count ? w->targets : w->others;
    for (unsigned i = 0; i < list->count && w->left > 0; i++, w->left--) {
        const gy_leg *leg = &list->legs[i];
        if (!(leg->end & ends) || (leg->through & w->others) || (leg->edges & used))
            continue;
        if (found == count)
            return true;
        w->bounces[found] = (uint8_t)rf_lsb(leg->end);
        if (gy_search_path(w, w->bounces[found], count, found + 1, used | leg->edges))
            return true;
    }
    return false;
}

/* The fewest bounces of a path of the ply are named. If they are more than fit, or hard to find, none are. */
size_t gy_format_path(const void *ctx, const rf_state *s, rf_ply ply, char *out)
{
    const gy_position *p = (const gy_position *)s;
    size_t length = gy_format_ply(ctx, s, ply, out);
    if (gy_ply_kind(ply) != GY_MOVE && gy_ply_kind(ply) != GY_DISPLACE)
        return length;
    unsigned from = gy_from(ply), to = gy_to(ply);
    gy_path_search w = {.p = p, .others = gy_occupied(&p->rings) & ~gy_bit(from), .left = GY_PATH_STEPS};
    w.targets = to == GY_THRONE ? gy_throne_steps[p->side] : gy_bit(to);
    for (unsigned count = 0; count <= GY_NAMED_BOUNCES; count++) {
        if (!gy_search_path(&w, from, count, 0, 0))
            continue;
        char text[GY_MAX_PLY_TEXT];
        memcpy(text, out, length + 1);
        char *end = gy_put_field(out, p->side, from);
        for (unsigned i = 0; i < count; i++)
            end = gy_put_field(rf_put(end, "-"), p->side, w.bounces[i]);
        end = rf_put(end, text + 2); /* after the first square */
        *end = '\0';
        return (size_t)(end - out);
    }
    return length;
}

/* ---- plies: reading ---- */

/* A ply as it is written, with byte offsets. */
typedef struct {
    gy_kind kind;
    uint8_t stops[GY_MAX_STOPS]; /* from, bounces, to */
    size_t at[GY_MAX_STOPS];
    unsigned count;
    unsigned own_throne; /* index of the stop on the mover's own throne, or 0 */
    unsigned drop;
    size_t drop_at;
    uint8_t row[6];
} gy_written_ply;

static bool gy_read_square(rf_cursor *c, uint8_t *square)
{
    int file, rank;
    if (!rf_accept_square(c, 6, 6, &file, &rank))
        return false;
    *square = (uint8_t)gy_square((unsigned)file, (unsigned)rank);
    return true;
}

static bool gy_read_setup(rf_cursor *c, gy_written_ply *w)
{
    w->kind = GY_SETUP;
    if (c->length != 6)
        return false;
    for (int file = 0; file < 6; file++, c->at++) {
        if (c->text[file] < '1' || c->text[file] > '3')
            return false;
        w->row[file] = (uint8_t)(c->text[file] - '0');
    }
    return true;
}

/* A stop after the first: a square, or a throne, which must come last. */
static bool gy_read_stop(rf_cursor *c, gy_written_ply *w, unsigned side)
{
    if (w->count == GY_MAX_STOPS)
        return false;
    w->at[w->count] = c->at;
    if (rf_peek(c) == 'N' || rf_peek(c) == 'S') {
        if ((rf_peek(c) == 'S') == (side == 0))
            w->own_throne = w->count;
        w->stops[w->count++] = GY_THRONE;
        c->at++;
        return c->at == c->length;
    }
    return gy_read_square(c, &w->stops[w->count++]);
}

static bool gy_read_drop(rf_cursor *c, gy_written_ply *w)
{
    uint8_t square;
    w->drop_at = c->at;
    if ((rf_peek(c) == 'N' || rf_peek(c) == 'S') && c->at + 1 == c->length) {
        w->drop = GY_THRONE;
        c->at++;
        return true;
    }
    if (!gy_read_square(c, &square))
        return false;
    w->drop = square;
    return c->at == c->length;
}

static bool gy_read_move(rf_cursor *c, gy_written_ply *w, unsigned side)
{
    w->kind = GY_MOVE;
    w->at[0] = 0;
    if (!gy_read_square(c, &w->stops[0]))
        return false;
    w->count = 1;
    while (rf_accept(c, '-'))
        if (!gy_read_stop(c, w, side))
            return false;
    if (c->at == c->length)
        return w->count > 1;
    w->kind = GY_DISPLACE;
    if (!rf_accept(c, 'x') || w->count == GY_MAX_STOPS)
        return false;
    w->at[w->count] = c->at;
    return gy_read_square(c, &w->stops[w->count++]) && rf_accept(c, '-') && gy_read_drop(c, w);
}

static bool gy_read_ply(rf_cursor *c, gy_written_ply *w, unsigned side)
{
    w->count = w->own_throne = w->drop = 0;
    if (rf_accept(c, '=')) {
        w->kind = GY_PUT;
        return gy_read_drop(c, w);
    }
    if (rf_peek(c) >= '0' && rf_peek(c) <= '9')
        return gy_read_setup(c, w);
    return gy_read_move(c, w, side);
}

/* Checks that a ring may be put on w->drop (G7), with the other rings on `others`. */
static bool gy_check_drop_square(const gy_position *p, const gy_written_ply *w, uint64_t others, rf_error *error)
{
    char square[4];
    if (w->drop == GY_THRONE)
        return rf_fail(error, RF_ILLEGAL, w->drop_at, 1, "put-on-throne", NULL);
    gy_field_text(square, p->side, w->drop);
    if (others & gy_bit(w->drop)) {
        bool moved_there = w->kind == GY_DISPLACE && w->drop == w->stops[w->count - 1];
        return rf_fail(error, RF_ILLEGAL, w->drop_at, 2, "place-taken", square,
                       rf_number_word(gy_height(&p->rings, moved_there ? w->stops[0] : w->drop)).text, NULL);
    }
    uint64_t squares = w->kind == GY_PUT ? gy_put_squares(1 - p->side, others) : gy_drop_squares(1 - p->side, others);
    if (squares & gy_bit(w->drop))
        return true;
    return rf_fail(error, RF_ILLEGAL, w->drop_at, 2, "place-too-near", square, rf_side_name(1 - p->side),
                   rf_number_word(gy_nearest_rank(1 - p->side, others) + 1).text,
                   rf_number_word(gy_rank_of(w->drop) + 1).text, NULL);
}

static bool gy_check_put(const gy_position *p, const gy_written_ply *w, rf_ply *ply, rf_error *error)
{
    if (p->throne == 0)
        return rf_fail(error, RF_ILLEGAL, 0, 1, "no-ring-on-throne", NULL);
    if (!gy_check_drop_square(p, w, gy_occupied(&p->rings), error))
        return false;
    *ply = gy_ply(GY_PUT, 0, w->drop, 0);
    return true;
}

static bool gy_check_setup(const gy_position *p, const gy_written_ply *w, rf_ply *ply, rf_error *error)
{
    if (!gy_setting_up(p))
        return rf_fail(error, RF_ILLEGAL, 0, 6, "already-set-up", rf_side_name(p->side), NULL);
    for (unsigned i = 0; i < GY_SETUPS; i++)
        if (memcmp(gy_setups[i], w->row, 6) == 0) {
            *ply = gy_ply(GY_SETUP, 0, i, 0);
            return true;
        }
    char row[7];
    for (int file = 0; file < 6; file++)
        row[file] = (char)('0' + w->row[file]);
    row[6] = '\0';
    return rf_fail(error, RF_ILLEGAL, 0, 6, "setup-rings", row, NULL);
}

/* Checks that a ring is on `from` and that its rank may move (G4). */
static bool gy_check_from(const gy_position *p, unsigned from, rf_error *error)
{
    char square[4];
    uint64_t movers = gy_movers(p);
    if (movers & gy_bit(from))
        return true;
    gy_field_text(square, p->side, from);
    const rf_word rank = rf_number_word(gy_nearest_rank(p->side, movers) + 1);
    const char *side = rf_side_name(p->side);
    if (!(gy_occupied(&p->rings) & gy_bit(from)))
        return rf_fail(error, RF_ILLEGAL, 0, 2, "no-such-ring", square, side, rank.text, NULL);
    if ((p->side == 0) == (from < rf_lsb(movers)))
        return rf_fail(error, RF_ILLEGAL, 0, 2, "blocked-ring", square, side, rank.text, NULL);
    return rf_fail(error, RF_ILLEGAL, 0, 2, "inactive-ring", square, side, rank.text, NULL);
}

/* Checks the stops: a ring at each bounce, and at the end a ring only if the ply displaces one. */
static bool gy_check_stops(const gy_position *p, const gy_written_ply *w, uint64_t others, rf_error *error)
{
    char square[4];
    for (unsigned i = 1; i < w->count; i++) {
        unsigned stop = w->stops[i];
        bool last = i + 1 == w->count, ring = (others & gy_bit(stop)) != 0;
        if (ring != (last && w->kind == GY_MOVE))
            continue;
        gy_field_text(square, p->side, stop);
        if (last && w->kind == GY_MOVE) {
            return rf_fail(error, RF_ILLEGAL, w->at[i], 2, "end-taken", square,
                           rf_number_word(gy_height(&p->rings, stop)).text, NULL);
        }
        const char *reason = last ? "no-ring-to-displace" : "no-ring-to-bounce";
        return rf_fail(error, RF_ILLEGAL, w->at[i], 2, reason, square, NULL);
    }
    return true;
}

/* Whether the ring on `stops[0]` can make exactly these landings, one leg each. If not, *failed is the number of the
 * first stop that no path reaches. A leg list has few legs between two stops, so plain recursion is fast enough. */
static bool gy_path_exists(const gy_position *p, const uint8_t *stops, unsigned count, unsigned at, uint64_t used,
                          unsigned *failed)
{
    if (at + 1 == count)
        return true;
    uint64_t others = gy_occupied(&p->rings) & ~gy_bit(stops[0]);
    const gy_legs *list = &gy_all_legs[stops[at]][gy_height(&p->rings, stops[at])];
    uint64_t targets = stops[at + 1] == GY_THRONE ? gy_throne_steps[p->side] : gy_bit(stops[at + 1]);
    if (*failed < at + 1)
        *failed = at + 1;
    for (unsigned i = 0; i < list->count; i++) {
        const gy_leg *leg = &list->legs[i];
        if ((leg->end & targets) && !(leg->through & others) && !(leg->edges & used) &&
            gy_path_exists(p, stops, count, at + 1, used | leg->edges, failed))
            return true;
    }
    return false;
}

static bool gy_fail_to_reach(const gy_position *p, const gy_written_ply *w, unsigned stop, const char *reason,
                             rf_error *error)
{
    char square[4], target[4];
    gy_field_text(square, p->side, w->stops[0]);
    gy_field_text(target, p->side, w->stops[stop]);
    return rf_fail(error, RF_ILLEGAL, w->at[stop], w->stops[stop] == GY_THRONE ? 1 : 2, reason, square,
                   rf_number_word(gy_height(&p->rings, w->stops[0])).text, target, NULL);
}

static bool gy_check_move(const gy_position *p, const gy_written_ply *w, rf_ply *ply, rf_error *error)
{
    unsigned from = w->stops[0], to = w->stops[w->count - 1];
    uint64_t all = gy_occupied(&p->rings), others = all & ~gy_bit(from);
    /* If a ring of the nearest rank has a path, it may move (G4). */
    bool nearest = (all & gy_rank(gy_nearest_rank(p->side, all)) & gy_bit(from)) != 0;
    bool reaches = nearest && gy_can_end(p, from, to);
    if (!reaches && !gy_check_from(p, from, error))
        return false;
    if (w->own_throne != 0)
        return rf_fail(error, RF_ILLEGAL, w->at[w->own_throne], 1, "own-throne", rf_side_name(p->side),
                       p->side == 0 ? "S" : "N", NULL);
    if (!gy_check_stops(p, w, others, error))
        return false;
    if (!reaches && (nearest || !gy_can_end(p, from, to)))
        return gy_fail_to_reach(p, w, w->count - 1, "out-of-reach", error);
    unsigned failed = 0;
    if (w->count > 2 && !gy_path_exists(p, w->stops, w->count, 0, 0, &failed))
        return gy_fail_to_reach(p, w, failed, "no-such-way", error);
    if (w->kind == GY_DISPLACE && !gy_check_drop_square(p, w, others, error))
        return false;
    *ply = w->kind == GY_MOVE ? gy_ply(GY_MOVE, from, to, 0) : gy_ply(GY_DISPLACE, from, to, w->drop);
    return true;
}

static bool gy_check_ply(const gy_position *p, const gy_written_ply *w, size_t length, rf_ply *ply, rf_error *error)
{
    if (w->kind == GY_PUT)
        return gy_check_put(p, w, ply, error);
    if (w->kind == GY_SETUP)
        return gy_check_setup(p, w, ply, error);
    if (gy_setting_up(p))
        return rf_fail(error, RF_ILLEGAL, 0, length, "set-up-first", rf_side_name(p->side), NULL);
    if (p->throne != 0)
        return rf_fail(error, RF_ILLEGAL, 0, length, "put-back-first", rf_side_name(p->side),
                       rf_number_word(p->throne).text, NULL);
    return gy_check_move(p, w, ply, error);
}

bool gy_parse_ply(const void *ctx, const rf_state *s, const char *text, size_t length, rf_parsed_ply *out,
                  rf_error *error)
{
    (void)ctx;
    const gy_position *p = (const gy_position *)s;
    rf_cursor c = rf_cursor_at(text, length);
    gy_written_ply w;
    if (!gy_read_ply(&c, &w, p->side)) {
        c.at = 0;
        return rf_fail_here(&c, error, "bad-ply");
    }
    if (gy_is_over(p))
        return rf_fail(error, RF_ILLEGAL, 0, length, "game-over", NULL);
    if (!gy_check_ply(p, &w, length, &out->ply, error))
        return false;
    out->long_form = w.count > 2;
    out->warning = w.kind == GY_MOVE && w.stops[0] == w.stops[w.count - 1] ? "null-move" : NULL;
    return true;
}
