/* Writes a solution as JSON for the page (json.h). The names and the order of the fields are those of JSON_FIELDS in
 * core_c/solving/solution.py. */
#include "web/json.h"

typedef struct {
    const rf_game *game;
    const void *ctx;
    const rf_state *s;
    unsigned players;
} subject;

static const char *const statuses[] = {"unknown", "bound", "horizon", "exact"};
static const char *const results[] = {NULL, "win", "loss", "draw", NULL, NULL};

/* ---- values ---- */

static void put_null(rf_json *out) { json_put(out, "null"); }

static void put_probability(rf_json *out, const uint64_t num[2], const uint64_t den[2])
{
    rf_fraction probability = rf_reduced((rf_fraction){rf_join_halves(num), rf_join_halves(den)});
    json_put(out, "\"");
    json_number(out, probability.num);
    if (probability.den != 1) {
        json_put(out, "/");
        json_number(out, probability.den);
    }
    json_put(out, "\"");
}

static void put_chances(rf_json *out, const subject *of, const rf_answer *answer)
{
    for (unsigned i = 0; i < of->players; i++) {
        json_put(out, i == 0 ? "[" : ",");
        if (answer->player == 0 || answer->player == i + 1)
            put_probability(out, answer->chances.num[i], answer->chances.den);
        else
            put_null(out);
    }
    json_put(out, "]");
}

static void put_value(rf_json *out, const subject *of, const rf_answer *answer)
{
    if (results[answer->value] != NULL)
        json_word(out, results[answer->value]);
    else if (answer->value == RF_VALUE_MARGIN)
        json_integer(out, answer->margin);
    else if (answer->value == RF_VALUE_CHANCES)
        put_chances(out, of, answer);
    else
        put_null(out);
}

/* ---- fields ---- */

/* A number that is null if it is negative. */
static void put_optional(rf_json *out, const char *name, int64_t number)
{
    json_name(out, name);
    if (number < 0)
        put_null(out);
    else
        json_integer(out, number);
}

static void put_truth(rf_json *out, const char *name, int truth)
{
    json_name(out, name);
    json_put(out, truth < 0 ? "null" : truth ? "true" : "false");
}

static void put_optional_word(rf_json *out, const char *name, const char *word)
{
    json_name(out, name);
    if (word == NULL)
        put_null(out);
    else
        json_word(out, word);
}

static void put_optional_probability(rf_json *out, const char *name, bool is_known, const rf_probability *probability)
{
    json_name(out, name);
    if (is_known)
        put_probability(out, probability->num, probability->den);
    else
        put_null(out);
}

/* The value again, in a field for its kind only. */
static void put_value_if(rf_json *out, const char *name, const subject *of, const rf_answer *answer, bool is_of_kind)
{
    json_name(out, name);
    if (is_of_kind)
        put_value(out, of, answer);
    else
        put_null(out);
}

static void put_ply_text(rf_json *out, const subject *of, const rf_state *s, rf_ply ply)
{
    char text[RF_MAX_PLY_TEXT];
    json_string(out, text, rf_format_ply(of->game, of->ctx, s, ply, text));
}

static void put_best(rf_json *out, const subject *of, const rf_solution *solution)
{
    json_name(out, "best");
    json_put(out, "[");
    for (uint64_t i = 0; i < solution->best_count; i++) {
        json_put(out, i == 0 ? "" : ",");
        put_ply_text(out, of, of->s, solution->best[i]);
    }
    json_put(out, "]");
}

static void put_line(rf_json *out, const subject *of, const rf_solution *solution)
{
    rf_state at = *of->s, next;
    json_name(out, "pv");
    json_put(out, "[");
    for (uint64_t i = 0; i < solution->line_length; i++) {
        json_put(out, i == 0 ? "" : ",");
        put_ply_text(out, of, &at, solution->line[i]);
        rf_apply(of->game, of->ctx, &at, solution->line[i], &next);
        at = next;
    }
    json_put(out, "]");
}

static void put_seconds(rf_json *out, double seconds)
{
    uint64_t millionths = (uint64_t)(seconds * 1e6 + 0.5);
    char digits[7] = {'.'};
    for (int i = 6; i > 0; i--, millionths /= 10)
        digits[i] = (char)('0' + millionths % 10);
    json_name(out, "seconds");
    json_number(out, millionths);
    json_bytes(out, digits, sizeof digits);
}

static void put_bounds(rf_json *out, bool is_chance, const rf_solution *solution)
{
    const struct {
        const char *name;
        int number;
        const rf_probability *probability;
    } sides[2] = {{"lower", solution->lower, &solution->lower_probability}, {"upper", solution->upper,
                                                                             &solution->upper_probability}};
    for (int i = 0; i < 2; i++) {
        json_name(out, sides[i].name);
        if (!solution->has_bounds)
            put_null(out);
        else if (is_chance)
            put_probability(out, sides[i].probability->num, sides[i].probability->den);
        else
            json_integer(out, sides[i].number);
    }
}

static void put_bound(rf_json *out, const char *name, bool is_known, int number)
{
    json_name(out, name);
    if (is_known)
        json_integer(out, number);
    else
        put_null(out);
}

/* The rows have more fields than those of `solve --json`: the bounds of the value. */
static void put_plies(rf_json *out, const subject *of, const rf_solution *solution)
{
    json_name(out, "plies");
    json_put(out, "[");
    for (uint64_t i = 0; i < solution->ply_count; i++) {
        const rf_ply_answer *row = &solution->plies[i];
        json_put(out, i == 0 ? "{\"ply\":" : ",{\"ply\":");
        put_ply_text(out, of, of->s, row->ply);
        json_word_field(out, "status", statuses[row->answer.status]);
        json_name(out, "value");
        put_value(out, of, &row->answer);
        put_optional(out, "distance", row->answer.distance);
        put_bound(out, "lower", row->has_bounds, row->lower);
        put_bound(out, "upper", row->has_bounds, row->upper);
        put_optional(out, "decided", row->decided);
        json_put(out, "}");
    }
    json_put(out, "]");
}

void json_solution(rf_json *out, const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options,
                   const rf_solution *solution, bool with_plies)
{
    const subject of = {game, ctx, s, rf_players(game, ctx, s)};
    const rf_answer *answer = &solution->answer;
    bool is_chance = rf_game_solver(game) == RF_SOLVER_CHANCE, paranoid = options->model == RF_MODEL_PARANOID;
    char fen[RF_MAX_TEXT];
    json_put(out, "{");
    json_name(out, "fen");
    json_string(out, fen, rf_format(game, ctx, s, fen));
    json_word_field(out, "game", rf_game_id(game));
    json_word_field(out, "status", statuses[answer->status]);
    put_value_if(out, "value", &of, answer, true);
    put_value_if(out, "result", &of, answer, results[answer->value] != NULL);
    put_value_if(out, "margin", &of, answer, answer->value == RF_VALUE_MARGIN);
    put_value_if(out, "probabilities", &of, answer, answer->value == RF_VALUE_CHANCES);
    put_optional(out, "distance", answer->distance);
    put_best(out, &of, solution);
    put_truth(out, "best_complete", solution->best_complete);
    put_line(out, &of, solution);
    put_truth(out, "pv_complete", solution->line_complete);
    json_field(out, "nodes", (int64_t)solution->nodes);
    put_seconds(out, solution->seconds);
    put_bounds(out, is_chance, solution);
    put_optional(out, "decided", solution->decided);
    put_truth(out, "endless", solution->endless);
    put_optional_word(out, "model", !is_chance ? NULL : paranoid ? "paranoid" : "maxn");
    put_optional(out, "horizon", is_chance ? (int64_t)solution->horizon : -1);
    put_optional(out, "player", is_chance && paranoid ? (int64_t)solution->player : -1);
    put_optional_probability(out, "until", is_chance && paranoid && options->has_until, &options->until);
    put_optional_probability(out, "open", solution->has_open, &solution->open);
    put_optional_word(out, "note", solution->note[0] == '\0' ? NULL : solution->note);
    if (with_plies)
        put_plies(out, &of, solution);
    json_put(out, "}");
}
