/* Writes a solution as JSON for the page (solution.h). The names and the order of the fields are those of JSON_FIELDS in
 * core_c/solving/solution.py. */
#include "web/solution.h"

#include "common/fraction.h"

typedef struct {
    const rf_game *game;
    const void *ctx;
    const rf_state *s;
    unsigned players;
} subject;

static const char *const statuses[] = {"unknown", "bound", "horizon", "exact"};
static const char *const results[] = {NULL, "win", "loss", "draw", NULL, NULL};

/* ---- values ---- */

static void put_null(json *out) { put(out, "null"); }

static void put_integer(json *out, int64_t number)
{
    put(out, number < 0 ? "-" : "");
    put_number(out, (uint64_t)(number < 0 ? -number : number));
}

static void put_wide(json *out, rf_wide number)
{
    char digits[40];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + (unsigned)(number % 10));
        number /= 10;
    } while (number != 0);
    put_bytes(out, digits + at, sizeof digits - at);
}

static void put_share(json *out, const uint64_t num[2], const uint64_t den[2])
{
    rf_fraction share = rf_reduced((rf_fraction){rf_join_halves(num), rf_join_halves(den)});
    put(out, "\"");
    put_wide(out, share.num);
    if (share.den != 1) {
        put(out, "/");
        put_wide(out, share.den);
    }
    put(out, "\"");
}

static void put_chances(json *out, const subject *of, const rf_answer *answer)
{
    for (unsigned i = 0; i < of->players; i++) {
        put(out, i == 0 ? "[" : ",");
        if (answer->player == 0 || answer->player == i + 1)
            put_share(out, answer->chances.num[i], answer->chances.den);
        else
            put_null(out);
    }
    put(out, "]");
}

static void put_value(json *out, const subject *of, const rf_answer *answer)
{
    if (results[answer->value] != NULL)
        put_word(out, results[answer->value]);
    else if (answer->value == RF_VALUE_MARGIN)
        put_integer(out, answer->margin);
    else if (answer->value == RF_VALUE_CHANCES)
        put_chances(out, of, answer);
    else
        put_null(out);
}

/* ---- fields ---- */

/* A number that is null if it is negative. */
static void put_optional(json *out, const char *name, int64_t number)
{
    put_name(out, name);
    if (number < 0)
        put_null(out);
    else
        put_integer(out, number);
}

static void put_truth(json *out, const char *name, int truth)
{
    put_name(out, name);
    put(out, truth < 0 ? "null" : truth ? "true" : "false");
}

static void put_optional_word(json *out, const char *name, const char *word)
{
    put_name(out, name);
    if (word == NULL)
        put_null(out);
    else
        put_word(out, word);
}

static void put_optional_share(json *out, const char *name, bool is_known, const rf_probability *share)
{
    put_name(out, name);
    if (is_known)
        put_share(out, share->num, share->den);
    else
        put_null(out);
}

/* The value again, in a field for its kind only. */
static void put_value_if(json *out, const char *name, const subject *of, const rf_answer *answer, bool is_of_kind)
{
    put_name(out, name);
    if (is_of_kind)
        put_value(out, of, answer);
    else
        put_null(out);
}

static void put_ply_text(json *out, const subject *of, const rf_state *s, rf_ply ply)
{
    char text[RF_MAX_PLY_TEXT];
    put_string(out, text, rf_format_ply(of->game, of->ctx, s, ply, text));
}

static void put_best(json *out, const subject *of, const rf_solution *solution)
{
    put_name(out, "best");
    put(out, "[");
    for (uint64_t i = 0; i < solution->best_count; i++) {
        put(out, i == 0 ? "" : ",");
        put_ply_text(out, of, of->s, solution->best[i]);
    }
    put(out, "]");
}

static void put_line(json *out, const subject *of, const rf_solution *solution)
{
    rf_state at = *of->s, next;
    put_name(out, "pv");
    put(out, "[");
    for (uint64_t i = 0; i < solution->line_length; i++) {
        put(out, i == 0 ? "" : ",");
        put_ply_text(out, of, &at, solution->line[i]);
        rf_apply(of->game, of->ctx, &at, solution->line[i], &next);
        at = next;
    }
    put(out, "]");
}

static void put_seconds(json *out, double seconds)
{
    uint64_t millionths = (uint64_t)(seconds * 1e6 + 0.5);
    char digits[7] = {'.'};
    for (int i = 6; i > 0; i--, millionths /= 10)
        digits[i] = (char)('0' + millionths % 10);
    put_name(out, "seconds");
    put_number(out, millionths);
    put_bytes(out, digits, sizeof digits);
}

static void put_bounds(json *out, bool is_chance, const rf_solution *solution)
{
    const struct {
        const char *name;
        int number;
        const rf_probability *share;
    } sides[2] = {{"lower", solution->lower, &solution->lower_probability}, {"upper", solution->upper,
                                                                             &solution->upper_probability}};
    for (int i = 0; i < 2; i++) {
        put_name(out, sides[i].name);
        if (!solution->has_bounds)
            put_null(out);
        else if (is_chance)
            put_share(out, sides[i].share->num, sides[i].share->den);
        else
            put_integer(out, sides[i].number);
    }
}

static void put_bound(json *out, const char *name, bool is_known, int number)
{
    put_name(out, name);
    if (is_known)
        put_integer(out, number);
    else
        put_null(out);
}

/* The rows have more fields than those of `solve --json`: the bounds of the value. */
static void put_plies(json *out, const subject *of, const rf_solution *solution)
{
    put_name(out, "plies");
    put(out, "[");
    for (uint64_t i = 0; i < solution->ply_count; i++) {
        const rf_ply_answer *row = &solution->plies[i];
        put(out, i == 0 ? "{\"ply\":" : ",{\"ply\":");
        put_ply_text(out, of, of->s, row->ply);
        put_word_field(out, "status", statuses[row->answer.status]);
        put_name(out, "value");
        put_value(out, of, &row->answer);
        put_optional(out, "distance", row->answer.distance);
        put_bound(out, "lower", row->has_bounds, row->lower);
        put_bound(out, "upper", row->has_bounds, row->upper);
        put_optional(out, "decided", row->decided);
        put(out, "}");
    }
    put(out, "]");
}

void put_solution(json *out, const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options,
                  const rf_solution *solution, bool with_plies)
{
    const subject of = {game, ctx, s, rf_players(game, ctx, s)};
    const rf_answer *answer = &solution->answer;
    bool is_chance = rf_game_solver(game) == RF_SOLVER_CHANCE, paranoid = options->model == RF_MODEL_PARANOID;
    char fen[RF_MAX_TEXT];
    put(out, "{");
    put_name(out, "fen");
    put_string(out, fen, rf_format(game, ctx, s, fen));
    put_word_field(out, "game", rf_game_id(game));
    put_word_field(out, "status", statuses[answer->status]);
    put_value_if(out, "value", &of, answer, true);
    put_value_if(out, "result", &of, answer, results[answer->value] != NULL);
    put_value_if(out, "margin", &of, answer, answer->value == RF_VALUE_MARGIN);
    put_value_if(out, "probabilities", &of, answer, answer->value == RF_VALUE_CHANCES);
    put_optional(out, "distance", answer->distance);
    put_best(out, &of, solution);
    put_truth(out, "best_complete", solution->best_complete);
    put_line(out, &of, solution);
    put_truth(out, "pv_complete", solution->line_complete);
    put_field(out, "nodes", solution->nodes);
    put_seconds(out, solution->seconds);
    put_bounds(out, is_chance, solution);
    put_optional(out, "decided", solution->decided);
    put_truth(out, "endless", solution->endless);
    put_optional_word(out, "model", !is_chance ? NULL : paranoid ? "paranoid" : "maxn");
    put_optional(out, "horizon", is_chance ? (int64_t)solution->horizon : -1);
    put_optional(out, "player", is_chance && paranoid ? (int64_t)solution->player : -1);
    put_optional_share(out, "until", is_chance && paranoid && options->has_until, &options->until);
    put_optional_share(out, "open", solution->has_open, &solution->open);
    put_optional_word(out, "note", solution->note[0] == '\0' ? NULL : solution->note);
    if (with_plies)
        put_plies(out, &of, solution);
    put(out, "}");
}
