/* Reads and writes plies of GRAN (docs/notation.md), and explains why a ply is illegal.
 *
 * Idea: a text is read into its words, which are compared with the legal plies. Only if none matches does gr_explain
 * look for the first rule that the ply breaks, so the rules themselves are in gran.c only.
 * Invariant: every error has a key, an offset and a length.
 * Example: "a1-b1xc1-e5" moves over the ring on b1 to c1 and banishes the figure there to e5: origin a1, passed b1,
 * first c1, second e5. */
#include "gran/text.h"

/* ---- writing ---- */

size_t gr_format_ply(const void *ctx, const rf_state *state, rf_ply ply, char *out)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    unsigned kind = gr_ply_kind(ply), first = gr_ply_first(ply), second = gr_ply_second(ply);
    char *at = out;
    switch (kind) {
    case GR_MOVE:
    case GR_ATTACK:
        at = gr_put_point(b, gr_origin(b, s), at);
        if ((ply & GR_VIA_RING) != 0) {
            *at++ = '-';
            at = gr_put_point(b, s->ring, at);
        }
        *at++ = kind == GR_ATTACK ? 'x' : '-';
        at = gr_put_point(b, first, at);
        if (kind == GR_ATTACK) {
            *at++ = '-';
            at = gr_put_point(b, second, at);
        }
        break;
    case GR_PUT:
    case GR_PLACE:
        *at++ = kind == GR_PUT ? '=' : '+';
        at = gr_put_point(b, first, at);
        break;
    case GR_SHIFT:
        *at++ = '+';
        at = gr_put_point(b, first, at);
        *at++ = '-';
        at = gr_put_point(b, second, at);
        break;
    case GR_CHANCE:
        at = rf_put_number(at, first);
        *at++ = ':';
        at = rf_put_number(at, second);
        break;
    default:
        at = rf_put(at, kind == GR_STAY ? "stay" : kind == GR_REST ? "rest" : "pass");
    }
    *at = '\0';
    return (size_t)(at - out);
}

/* ---- reading: what a text says, whether it is legal, and if not, why ---- */

typedef struct {
    unsigned kind;
    unsigned origin, passed, first, second; /* GR_NOWHERE where the text names none */
    char text[RF_ARG_SIZE];
} gr_words;

static bool gr_read_move(const rf_gran_board *b, rf_cursor *c, gr_words *w, rf_error *error)
{
    w->kind = GR_MOVE;
    if (!gr_read_point(b, c, "bad-ply", &w->origin, error))
        return false;
    bool attack = rf_accept(c, 'x');
    if (!attack && !rf_accept(c, '-'))
        return rf_fail_here(c, error, "bad-move");
    if (!gr_read_point(b, c, "bad-move", &w->first, error))
        return false;
    if (!attack) {
        attack = rf_accept(c, 'x');
        if (!attack && !rf_accept(c, '-'))
            return true;
        w->passed = w->first;
        if (!gr_read_point(b, c, "bad-move", &w->first, error))
            return false;
    }
    if (!attack)
        return true;
    w->kind = GR_ATTACK;
    if (!rf_accept(c, '-'))
        return rf_fail_here(c, error, "no-banish-named");
    return gr_read_point(b, c, "bad-move", &w->second, error);
}

static bool gr_read_stone_ply(const rf_gran_board *b, rf_cursor *c, gr_words *w, rf_error *error)
{
    w->kind = GR_PLACE;
    if (!gr_read_point(b, c, "bad-stone-ply", &w->first, error))
        return false;
    if (!rf_accept(c, '-'))
        return true;
    w->kind = GR_SHIFT;
    return gr_read_point(b, c, "bad-stone-ply", &w->second, error);
}

static bool gr_read_chance(rf_cursor *c, gr_words *w, rf_error *error)
{
    w->kind = GR_CHANCE;
    rf_cursor start = *c;
    int card = rf_accept_number(c, GR_CARDS - 1);
    if (card < 0 || !rf_accept(c, ':'))
        return rf_fail_here(&start, error, "bad-chance");
    int die = rf_accept_number(c, GR_DIE);
    if (die < 1)
        return rf_fail_here(&start, error, "bad-chance");
    w->first = (unsigned)card;
    w->second = (unsigned)die;
    return true;
}

static bool gr_read_words(const rf_gran_board *b, rf_cursor *c, gr_words *w, rf_error *error)
{
    static const struct {
        const char *text;
        unsigned kind;
    } fixed[] = {{"stay", GR_STAY}, {"rest", GR_REST}, {"pass", GR_PASS}};
    *w = (gr_words){.origin = GR_NOWHERE, .passed = GR_NOWHERE, .first = GR_NOWHERE, .second = GR_NOWHERE};
    size_t kept = c->length < sizeof w->text - 1 ? c->length : sizeof w->text - 1;
    memcpy(w->text, c->text, kept);
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (rf_accept_field(c, fixed[i].text)) {
            w->kind = fixed[i].kind;
            return c->at == c->length || rf_fail_here(c, error, "ply-goes-on");
        }
    bool read;
    int next = rf_peek(c);
    if (rf_accept(c, '=')) {
        w->kind = GR_PUT;
        read = gr_read_point(b, c, "bad-ring-ply", &w->first, error);
    } else if (rf_accept(c, '+')) {
        read = gr_read_stone_ply(b, c, w, error);
    } else if (next >= '0' && next <= '9') {
        read = gr_read_chance(c, w, error);
    } else {
        read = gr_read_move(b, c, w, error);
    }
    if (!read)
        return false;
    return c->at == c->length || rf_fail_here(c, error, "ply-goes-on");
}

/* Whether the words are one of these moves: quiet or an attack, as they say. */
static bool gr_is_move(const gr_moves *moves, unsigned via_ring, const gr_words *w)
{
    if (w->kind == GR_MOVE)
        return gr_has(moves->quiet[via_ring], w->first);
    return gr_has(moves->attacks[via_ring], w->first) && gr_has(moves->banish[via_ring], w->second);
}

/* Matches a move; if the text names the point that it passes over, that must be right too. */
static bool gr_match_move(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_parsed_ply *out)
{
    gr_moves moves;
    gr_find_moves(b, s, &moves);
    unsigned origin = gr_origin(b, s), via_ring = 0;
    if (w->origin != origin)
        return false;
    if (w->passed != GR_NOWHERE) {
        via_ring = w->passed == s->ring;
        gr_set over = via_ring == 1 ? gr_neighbours(b, origin) : gr_neighbours(b, origin) & gr_passable(b, s,
                                                                                                        gr_others(s));
        if (!gr_has(over, w->passed) || !gr_has(gr_neighbours(b, w->passed), w->first))
            return false;
        out->long_form = via_ring == 0;
    }
    if (!gr_is_move(&moves, via_ring, w))
        return false;
    out->ply = gr_ply(w->kind | (via_ring == 1 ? GR_VIA_RING : 0), w->first, w->kind == GR_ATTACK ? w->second : 0);
    return true;
}

static bool gr_match(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_parsed_ply *out)
{
    if (w->kind == GR_MOVE || w->kind == GR_ATTACK) {
        bool moves = s->phase == GR_IN_EXTRA || (s->phase == GR_IN_MOVE && !gr_fettered(s, s->player));
        return moves && gr_match_move(b, s, w, out);
    }
    unsigned first = w->first == GR_NOWHERE ? 0 : w->first, second = w->second == GR_NOWHERE ? 0 : w->second;
    rf_ply ply = gr_ply(w->kind, first, second);
    if (w->kind == GR_SHIFT) {
        out->ply = ply;
        return s->phase == GR_IN_SWORD && gr_is_shift(b, s, first, second);
    }
    rf_ply plies[GR_MAX_PLIES];
    size_t count = gr_generate(b, (const rf_state *)s, plies);
    for (size_t i = 0; i < count; i++)
        if (plies[i] == ply) {
            out->ply = ply;
            return true;
        }
    return false;
}

static bool gr_illegal(rf_error *error, const gr_words *w, const char *reason, const char *a, const char *b,
                       const char *c)
{
    return rf_fail(error, RF_ILLEGAL, 0, strlen(w->text), reason, w->text, a, b, c, NULL);
}

/* The reason why this path over a named point is blocked; NULL if it is not. */
static const char *gr_blocked_reason(const rf_gran_board *b, const gr_state *s, unsigned passed)
{
    if (gr_passes_everything(s) || s->ring == passed)
        return NULL;
    if (b->symbol[passed] == RF_GRAN_DRAGON)
        return "passed-dragon";
    if (gr_has(gr_others(s), passed))
        return "passed-figure";
    return gr_has(gr_set_of(s->stones), passed) ? "passed-stone" : NULL;
}

static bool gr_explain_path(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_error *error)
{
    unsigned origin = gr_origin(b, s), to = w->first, passed = w->passed;
    gr_set near = gr_neighbours(b, origin);
    if (passed != GR_NOWHERE) {
        if (!gr_has(near, passed))
            return gr_illegal(error, w, "no-line", GR_POINT(b, origin), GR_POINT(b, passed), NULL);
        if (!gr_has(gr_neighbours(b, passed), to))
            return gr_illegal(error, w, "no-line", GR_POINT(b, passed), GR_POINT(b, to), NULL);
        const char *blocked = gr_blocked_reason(b, s, passed);
        return gr_illegal(error, w, blocked != NULL ? blocked : "no-such-way", GR_POINT(b, passed), NULL, NULL);
    }
    if (!gr_has(gr_set_of(b->two_steps[origin]), to))
        return gr_illegal(error, w, "too-far", GR_POINT(b, origin), GR_POINT(b, to), NULL);
    if (gr_on_board(s->ring) && gr_has(near & gr_neighbours(b, to), s->ring))
        return gr_illegal(error, w, "only-over-ring", GR_POINT(b, s->ring), NULL, NULL);
    gr_set between = near & gr_neighbours(b, to);
    unsigned over = gr_lsb(between);
    const char *blocked = gr_blocked_reason(b, s, over);
    if ((between & (between - 1)) == 0 && blocked != NULL)
        return gr_illegal(error, w, blocked, GR_POINT(b, over), NULL, NULL);
    return gr_illegal(error, w, "all-ways-blocked", GR_POINT(b, origin), GR_POINT(b, to), NULL);
}

static unsigned gr_figure_at(const gr_state *s, unsigned point)
{
    for (unsigned i = 0; i < s->players; i++)
        if (i != s->player && s->point[i] == point)
            return i;
    return GR_NOWHERE;
}

static bool gr_explain_attack(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_error *error)
{
    unsigned amulets = gr_amulets(s, s->player), symbol = b->symbol[w->first];
    unsigned needed = symbol == RF_GRAN_DRAGON ? 2 : 1;
    if (symbol == RF_GRAN_CITY)
        return gr_illegal(error, w, "attack-on-city", GR_POINT(b, w->first), NULL, NULL);
    if (amulets < needed)
        return gr_illegal(error, w, needed == 2 ? "attack-on-dragon-amulets" : "attack-amulets",
                          GR_POINT(b, w->first), GR_NUMBER(amulets), NULL);
    gr_moves moves;
    gr_find_moves(b, s, &moves);
    unsigned via_ring = w->passed != GR_NOWHERE && w->passed == s->ring;
    if (moves.banish[via_ring] == 0)
        return gr_illegal(error, w, "nowhere-to-banish", NULL, NULL, NULL);
    if (!gr_has(gr_set_of(b->white), w->second))
        return gr_illegal(error, w, "banish-not-white", GR_POINT(b, w->second), NULL, NULL);
    return gr_illegal(error, w, "banish-taken", GR_POINT(b, w->second), NULL, NULL);
}

/* Whether some path leads to the arrival, whatever is on it (except a stone). */
static bool gr_has_path(const rf_gran_board *b, const gr_state *s, const gr_words *w)
{
    unsigned origin = gr_origin(b, s);
    gr_set passable = gr_passable(b, s, gr_others(s));
    if (w->passed == GR_NOWHERE)
        return gr_has(gr_arrivals(b, origin, passable), w->first);
    gr_set over = gr_neighbours(b, origin) & (passable | gr_ring_point(s));
    return gr_has(over, w->passed) && gr_has(gr_neighbours(b, w->passed), w->first);
}

static bool gr_explain_move(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_error *error)
{
    unsigned origin = gr_origin(b, s), me = s->player;
    if (w->origin != origin)
        return gr_illegal(error, w, s->point[me] == GR_NOWHERE ? "not-from-start" : "wrong-origin", GR_NUMBER(me + 1),
                          GR_POINT(b, origin), GR_POINT(b, w->origin));
    if (w->first == origin)
        return gr_illegal(error, w, "back-to-origin", GR_POINT(b, origin), NULL, NULL);
    if (gr_has(gr_set_of(s->stones), w->first))
        return gr_illegal(error, w, "stone-on-arrival", GR_POINT(b, w->first), NULL, NULL);
    if (!gr_has_path(b, s, w))
        return gr_explain_path(b, s, w, error);
    unsigned other = gr_figure_at(s, w->first);
    if (other != GR_NOWHERE && w->kind == GR_MOVE)
        return gr_illegal(error, w, "figure-on-arrival", GR_POINT(b, w->first), GR_NUMBER(other + 1), NULL);
    if (other == GR_NOWHERE && w->kind == GR_ATTACK)
        return gr_illegal(error, w, "no-figure-there", GR_POINT(b, w->first), NULL, NULL);
    if (w->kind == GR_ATTACK)
        return gr_explain_attack(b, s, w, error);
    return gr_illegal(error, w, "fight-amulets", GR_POINT(b, w->first), NULL, NULL);
}

static bool gr_explain_put(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_error *error)
{
    unsigned to = w->first, home = b->realm[s->point[s->player]];
    if (b->realm[to] == RF_GRAN_WHITE)
        return gr_illegal(error, w, "put-on-white", GR_POINT(b, to), NULL, NULL);
    if (b->realm[to] == home)
        return gr_illegal(error, w, "put-in-same-realm", GR_POINT(b, to), GR_POINT(b, s->point[s->player]), NULL);
    if (gr_has(gr_set_of(s->stones), to) || gr_has(gr_figures(s), to))
        return gr_illegal(error, w, "put-on-taken", GR_POINT(b, to), NULL, NULL);
    return gr_illegal(error, w, "put-on-symbol", GR_POINT(b, to), gr_symbol_names[b->symbol[to]], NULL);
}

static bool gr_explain_stone(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_error *error)
{
    unsigned to = w->kind == GR_SHIFT ? w->second : w->first;
    if (w->kind == GR_SHIFT && !gr_has(gr_set_of(s->stones), w->first))
        return gr_illegal(error, w, "no-stone-there", GR_POINT(b, w->first), NULL, NULL);
    if (w->kind == GR_PLACE && gr_popcount(gr_set_of(s->stones)) >= b->stones)
        return gr_illegal(error, w, "no-stone-left", GR_NUMBER(b->stones), NULL, NULL);
    if (b->symbol[to] != RF_GRAN_PLAIN)
        return gr_illegal(error, w, "stone-to-symbol", GR_POINT(b, to), gr_symbol_names[b->symbol[to]], NULL);
    if (!gr_has(gr_free_points(b, s), to))
        return gr_illegal(error, w, "stone-to-taken", GR_POINT(b, to), NULL, NULL);
    return gr_illegal(error, w, "ring-out-of-reach", GR_POINT(b, to), NULL, NULL);
}

/* The kinds of plies of a phase, in words, for a ply of another kind. */
static const char *const gr_phase_plies[GR_PHASES] = {
    "a move",           "a card and a die as 4:5", "a move or stay",        "the ring's place as =d6",
    "a stone as +b4",   "a stone's way as +b4-c4", "none"};

static bool gr_kind_fits(unsigned phase, unsigned kind)
{
    switch (phase) {
    case GR_IN_FIGHT:
        return kind == GR_CHANCE;
    case GR_IN_RING:
        return kind == GR_PUT;
    case GR_IN_STONE:
        return kind == GR_PLACE;
    case GR_IN_SWORD:
        return kind == GR_SHIFT;
    default:
        return kind == GR_MOVE || kind == GR_ATTACK;
    }
}

static bool gr_explain(const rf_gran_board *b, const gr_state *s, const gr_words *w, rf_error *error)
{
    unsigned me = s->player;
    rf_ply plies[GR_MAX_PLIES];
    if (s->phase == GR_OVER)
        return gr_illegal(error, w, "game-over", NULL, NULL, NULL);
    size_t count = gr_generate(b, (const rf_state *)s, plies);
    if (s->phase == GR_IN_MOVE && gr_fettered(s, me))
        return gr_illegal(error, w, "is-fettered", GR_NUMBER(me + 1), NULL, NULL);
    if (w->kind == GR_PASS)
        return gr_illegal(error, w, "must-play", GR_NUMBER(me + 1), GR_NUMBER(count), NULL);
    if (w->kind == GR_REST)
        return gr_illegal(error, w, "no-fetter", GR_NUMBER(me + 1), NULL, NULL);
    if (!gr_kind_fits(s->phase, w->kind))
        return gr_illegal(error, w, "wrong-phase", gr_phase_names[s->phase], GR_NUMBER(me + 1),
                          gr_phase_plies[s->phase]);
    switch (w->kind) {
    case GR_CHANCE:
        return gr_illegal(error, w, "card-not-in-deck", GR_NUMBER(w->first), NULL, NULL);
    case GR_PUT:
        return gr_explain_put(b, s, w, error);
    case GR_PLACE:
    case GR_SHIFT:
        return gr_explain_stone(b, s, w, error);
    default:
        return gr_explain_move(b, s, w, error);
    }
}

bool gr_parse_ply(const void *ctx, const rf_state *state, const char *text, size_t length, rf_parsed_ply *out,
                  rf_error *error)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    rf_cursor c = rf_cursor_at(text, length);
    gr_words words;
    if (!gr_read_words(b, &c, &words, error))
        return false;
    return gr_match(b, s, &words, out) || gr_explain(b, s, &words, error);
}
