/* The entry points of the core in a web page. This file is part of the WebAssembly module only (docs/page.md).
 *
 * Idea: a function takes a position as text and returns JSON text in memory. A game is named by its number, and its
 * context (a board) by the bytes that Python passes to the core; it is NULL if the game needs none.
 * Invariant: no state is kept between calls; texts may contain any bytes; all that is written here is ASCII.
 * Example: text = rf_web_new(5), fill it with "gyges", rf_web_position(0, NULL, text, 5) returns {"error":...}, because the
 * text has no ranks; the caller releases text and answer with rf_web_free. */
#include "control.h"
#include "web/json.h"

/* The position that a call is about. */
typedef struct {
    const rf_game *game;
    const void *ctx;
    rf_state state;
} position;

static void put_fen(rf_json *out, const position *at, const rf_state *state)
{
    char text[RF_MAX_TEXT];
    json_string(out, text, rf_format(at->game, at->ctx, state, text));
}

static void put_ply(rf_json *out, const position *at, rf_ply ply)
{
    char text[RF_MAX_PLY_TEXT];
    json_string(out, text, rf_format_ply(at->game, at->ctx, &at->state, ply, text));
}

static void put_pieces(rf_json *out, const rf_description *d)
{
    json_name(out, "pieces");
    json_put(out, "[");
    for (unsigned i = 0; i < d->piece_count; i++) {
        const rf_piece *piece = &d->pieces[i];
        json_put(out, i == 0 ? "{" : ",{");
        json_word_field(out, "kind", piece->kind);
        json_field(out, "owner", piece->owner);
        json_field(out, "value", piece->value);
        json_field(out, "place", piece->place);
        json_field(out, "of", piece->of);
        json_field(out, "file", piece->file);
        json_field(out, "rank", piece->rank);
        json_field(out, "marks", piece->marks);
        json_put(out, "}");
    }
    json_put(out, "]");
}

static void put_counters(rf_json *out, const rf_description *d)
{
    json_name(out, "counters");
    json_put(out, "[");
    for (unsigned i = 0; i < d->counter_count; i++) {
        json_put(out, i == 0 ? "{" : ",{");
        json_word_field(out, "name", d->counters[i].name);
        json_field(out, "player", d->counters[i].player);
        json_field(out, "index", d->counters[i].index);
        json_field(out, "number", d->counters[i].number);
        json_put(out, "}");
    }
    json_put(out, "]");
}

static void put_options(rf_json *out, const rf_description *d)
{
    json_name(out, "options");
    json_put(out, "{");
    for (unsigned i = 0; i < d->option_count; i++)
        json_word_field(out, d->options[i].name, d->options[i].value);
    json_put(out, "}");
}

static void put_position(rf_json *out, const position *at)
{
    rf_description d;
    rf_describe(at->game, at->ctx, &at->state, &d);
    json_put(out, "{");
    json_word_field(out, "game", rf_game_id(at->game));
    json_name(out, "fen");
    put_fen(out, at, &at->state);
    json_field(out, "files", d.files);
    json_field(out, "ranks", d.ranks);
    json_field(out, "players", d.players);
    json_field(out, "player", d.player);
    json_word_field(out, "phase", d.phase);
    json_field(out, "outcome", rf_outcome(at->game, at->ctx, &at->state));
    json_bool_field(out, "chance", rf_is_chance(at->game, at->ctx, &at->state));
    const bool has_margins = rf_game_solver(at->game) == RF_SOLVER_MARGIN;
    json_field(out, "widest", has_margins ? rf_margin_bound(at->game, at->ctx, &at->state) : 0);
    put_pieces(out, &d);
    put_counters(out, &d);
    put_options(out, &d);
    json_put(out, "}");
}

/* Reads the position of a call; false if the text is invalid, and then the error is written. */
static bool read_position(int game, const void *ctx, const char *text, size_t length, position *at, rf_json *out)
{
    rf_error error = {0};
    *at = (position){.game = rf_game_at(game), .ctx = ctx};
    if (at->game == NULL)
        rf_fail(&error, RF_SYNTAX, 0, 0, "bad-game", NULL);
    else if (rf_parse(at->game, ctx, text, length, &at->state, &error))
        return true;
    json_error(out, &error);
    return false;
}

/* Reads the position and the ply of a call; false if one is invalid, and then the error is written. */
static bool read_ply(int game, const void *ctx, const char *text, size_t length, const char *ply, size_t ply_length,
                     position *at, rf_parsed_ply *parsed, rf_json *out)
{
    if (!read_position(game, ctx, text, length, at, out))
        return false;
    rf_error error = {0};
    if (rf_parse_ply(at->game, ctx, &at->state, ply, ply_length, parsed, &error))
        return true;
    json_error(out, &error);
    return false;
}

/* Call once, before anything else. 0 if a game of the core is not usable. */
int RF_WEB(rf_web_start)(void) { return rf_init(true) == NULL; }

/* Memory for a text or a context; NULL if there is none. */
void *RF_WEB(rf_web_new)(size_t bytes) { return malloc(bytes != 0 ? bytes : 1); }
void RF_WEB(rf_web_free)(void *memory) { free(memory); }

/* All following functions return JSON that ends with NUL, or NULL if memory ran out. If a text is invalid, it is
 * {"error":{"kind":...,"at":...,"length":...,"reason":...,"args":[...]}}, as in rf_error. */

/* The games in their order: [{"id":...,"start":...,"context":...}]; "context" says whether the game needs one. */
char *RF_WEB(rf_web_games)(void)
{
    rf_json out = json_new();
    json_put(&out, "[");
    const rf_game *game;
    for (int i = 0; (game = rf_game_at(i)) != NULL; i++) {
        json_put(&out, i == 0 ? "{" : ",{");
        json_word_field(&out, "id", rf_game_id(game));
        json_word_field(&out, "start", rf_game_start(game));
        json_bool_field(&out, "context", rf_game_needs_context(game));
        json_put(&out, "}");
    }
    json_put(&out, "]");
    return out.text;
}

/* The description of a position. */
char *RF_WEB(rf_web_position)(int game, const void *ctx, const char *text, size_t length)
{
    position at;
    rf_json out = json_new();
    if (read_position(game, ctx, text, length, &at, &out))
        put_position(&out, &at);
    return out.text;
}

/* The legal plies in byte order: [[ply, position after it, weight]]; the weight is 0 except at a chance event. */
char *RF_WEB(rf_web_plies)(int game, const void *ctx, const char *text, size_t length)
{
    position at;
    rf_json out = json_new();
    if (!read_position(game, ctx, text, length, &at, &out))
        return out.text;
    rf_ply *plies = malloc(RF_MAX_PLIES * sizeof *plies);
    int64_t count = plies == NULL ? -1 : rf_sorted_plies(at.game, ctx, &at.state, plies);
    bool is_chance = rf_is_chance(at.game, ctx, &at.state);
    json_put(&out, "[");
    for (int64_t i = 0; i < count; i++) {
        rf_state next;
        rf_apply(at.game, ctx, &at.state, plies[i], &next);
        json_put(&out, i == 0 ? "[" : ",[");
        put_ply(&out, &at, plies[i]);
        json_put(&out, ",");
        put_fen(&out, &at, &next);
        json_put(&out, ",");
        json_number(&out, is_chance ? rf_weight(at.game, ctx, &at.state, plies[i]) : 0);
        json_put(&out, "]");
    }
    json_put(&out, "]");
    free(plies);
    if (count < 0) {
        free(out.text);
        return NULL;
    }
    return out.text;
}

/* A ply in short or long form: {"ply": its short form, "position": the description of the position after it}. */
char *RF_WEB(rf_web_play)(int game, const void *ctx, const char *text, size_t length, const char *ply, size_t ply_length)
{
    position at;
    rf_parsed_ply parsed;
    rf_json out = json_new();
    if (!read_ply(game, ctx, text, length, ply, ply_length, &at, &parsed, &out))
        return out.text;
    json_put(&out, "{\"ply\":");
    put_ply(&out, &at, parsed.ply);
    position next = at;
    rf_apply(at.game, ctx, &at.state, parsed.ply, &next.state);
    json_name(&out, "position");
    put_position(&out, &next);
    json_put(&out, "}");
    return out.text;
}

/* The form of a ply that names the places which it passes: those of the text, or those of a short path. */
char *RF_WEB(rf_web_path)(int game, const void *ctx, const char *text, size_t length, const char *ply, size_t ply_length)
{
    position at;
    rf_parsed_ply parsed;
    rf_json out = json_new();
    char path[RF_MAX_PLY_TEXT];
    if (!read_ply(game, ctx, text, length, ply, ply_length, &at, &parsed, &out))
        return out.text;
    if (parsed.long_form != 0)
        json_string(&out, ply, ply_length);
    else
        json_string(&out, path, rf_format_path(at.game, ctx, &at.state, parsed.ply, path));
    return out.text;
}

/* The legal plies that can pass places, each in the form that names them and in the short form: [[form, short form]] in
 * byte order. `names` is the first place of the plies, with first_length bytes, and the passed ones: "a1-c3-d4". */
char *RF_WEB(rf_web_passing)(int game, const void *ctx, const char *text, size_t length, const char *names,
                             size_t names_length, unsigned first_length)
{
    position at;
    rf_json out = json_new();
    if (!read_position(game, ctx, text, length, &at, &out))
        return out.text;
    rf_ply *plies = malloc(RF_MAX_PLIES * sizeof *plies);
    char *form = malloc(names_length + RF_MAX_PLY_TEXT);
    int64_t count = plies == NULL || form == NULL ? -1 : rf_sorted_plies(at.game, ctx, &at.state, plies);
    if (count > 0)
        memcpy(form, names, names_length);
    json_put(&out, "[");
    for (int64_t i = 0, listed = 0; i < count; i++) {
        char ply[RF_MAX_PLY_TEXT];
        size_t size = rf_format_ply(at.game, ctx, &at.state, plies[i], ply);
        rf_parsed_ply parsed;
        rf_error error;
        if (size <= first_length || memcmp(ply, names, first_length) != 0)
            continue;
        memcpy(form + names_length, ply + first_length, size - first_length);
        size_t whole = names_length + size - first_length;
        if (!rf_parse_ply(at.game, ctx, &at.state, form, whole, &parsed, &error) || parsed.ply != plies[i])
            continue;
        json_put(&out, listed++ == 0 ? "[" : ",[");
        json_string(&out, form, whole);
        json_put(&out, ",");
        json_string(&out, ply, size);
        json_put(&out, "]");
    }
    json_put(&out, "]");
    free(plies);
    free(form);
    if (count < 0) {
        free(out.text);
        return NULL;
    }
    return out.text;
}

/* The number of ply sequences of a depth: {"count": digits in a string, "stopped": RF_DONE or RF_STOPPED_*}. A limit of 0
 * is none. */
char *RF_WEB(rf_web_perft)(int game, const void *ctx, const char *text, size_t length, unsigned depth, double seconds,
                           unsigned table_bytes)
{
    position at;
    rf_json out = json_new();
    if (!read_position(game, ctx, text, length, &at, &out))
        return out.text;
    rf_control control = {.seconds = seconds};
    rf_table *table = table_bytes == 0 ? NULL : rf_table_new_growing(table_bytes);
    uint64_t count = rf_perft(at.game, ctx, &at.state, depth, table, &control);
    rf_table_free(table);
    json_put(&out, "{\"count\":\"");
    json_number(&out, count);
    json_put(&out, "\"");
    json_field(&out, "stopped", control.stopped);
    json_put(&out, "}");
    return out.text;
}

/* Called while the page solves, about 20 times per second: nodes, iteration, and the proven bounds of a margin if
 * lower <= upper. */
#if defined(__wasm__)
__attribute__((import_module("ringfen"), import_name("progress"))) void rf_page_progress(double nodes, int depth, int lower,
                                                                                         int upper);
#else
static void rf_page_progress(double nodes, int depth, int lower, int upper)
{
    (void)nodes, (void)depth, (void)lower, (void)upper;
}
#endif

static int report_progress(rf_control *control)
{
    rf_page_progress((double)control->nodes, control->depth, control->lower, control->upper);
    return 0;
}

enum { SOLVE_WDL = 1, SOLVE_EACH = 2, SOLVE_PARANOID = 4, SOLVE_UNTIL = 8 };

/* The object that `solve --json` prints, without the version. A limit or depth of 0 is none; `flags` are SOLVE_*. In
 * games of chance the depth is the horizon (0 only with SOLVE_UNTIL), and a player of 0 is the player to act. The page
 * has checked all bounds. */
char *RF_WEB(rf_web_solve)(int game, const void *ctx, const char *text, size_t length, double nodes, double seconds,
                           double table_bytes, unsigned depth, unsigned flags, unsigned player, uint64_t until_num,
                           uint64_t until_den)
{
    position at;
    rf_json out = json_new();
    if (!read_position(game, ctx, text, length, &at, &out))
        return out.text;
    const rf_solve_options options = {
        .nodes = (uint64_t)nodes,
        .seconds = seconds,
        .table_bytes = (uint64_t)table_bytes,
        .depth = depth,
        .wdl = (flags & SOLVE_WDL) != 0,
        .model = (flags & SOLVE_PARANOID) != 0 ? RF_MODEL_PARANOID : RF_MODEL_MAXN,
        .player = player,
        .has_until = (flags & SOLVE_UNTIL) != 0,
        .until = {{until_num, 0}, {until_den, 0}},
    };
    bool each = (flags & SOLVE_EACH) != 0;
    rf_control control = {.poll = report_progress};
    rf_solution found;
    bool solved = rf_solve(at.game, ctx, &at.state, &options, NULL, &control, &found);
    bool complete = solved && (!each || rf_solve_each_ply(at.game, ctx, &at.state, &options, NULL, &control, NULL,
                                                          NULL, &found));
    if (complete)
        json_solution(&out, at.game, ctx, &at.state, &options, &found, each);
    if (solved)
        rf_solution_clear(&found);
    if (complete)
        return out.text;
    free(out.text);
    return NULL;
}
