/* The table of games, the choice of the instruction set, and the functions that Python calls for any game.
 *
 * Invariant: after rf_init, each game in the table satisfies is_valid; nothing here changes later.
 * Example: rf_count_plies calls game->count, or game->generate if the game has no `count`. */
#include <stdlib.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "common/text.h"
#include "game.h"
#include "games.h"

#define DECLARE(name) extern const rf_game rf_game_##name##_base, rf_game_##name##_v3;
#define BASE(name) &rf_game_##name##_base,
#define V3(name) &rf_game_##name##_v3,

RF_GAMES(DECLARE)

static const rf_game *const baseline[] = {RF_GAMES(BASE) NULL};
#if defined(__x86_64__)
static const rf_game *const v3[] = {RF_GAMES(V3) NULL};
#endif

/* Set once by rf_init, constant afterwards. */
static const rf_game *const *games = baseline;

#if defined(__x86_64__)
/* Not every compiler has a builtin for LZCNT. On a processor without it, the instruction is BSR, with other results. */
static bool has_lzcnt(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(0x80000001u, &a, &b, &c, &d) != 0 && (c & 1u << 5) != 0;
}

/* Whether the processor has all that x86_64_v3.inc lets the compiler use. */
static bool has_v3(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt") && has_lzcnt();
}
#endif

static bool is_valid_win_part(const rf_win_part *w)
{
    return (w->count_safe == NULL || w->safe_plies != NULL) && (w->canonical == NULL || w->map_ply != NULL);
}

static bool is_valid_margin_part(const rf_margin_part *m)
{
    return m->score != NULL && m->bound != NULL && m->makes_progress != NULL && m->pieces_left != NULL &&
           m->new_search != NULL && m->free_search != NULL && m->at_least != NULL && m->solve != NULL && m->help != NULL &&
           m->stop_helpers != NULL && m->helper_nodes != NULL && m->set_max_groups != NULL;
}

static bool is_valid_chance_part(const rf_chance_part *c)
{
    return c->max_results <= RF_MAX_CHANCE_RESULTS && c->is_chance != NULL && c->weight != NULL &&
           c->new_table != NULL && c->free_table != NULL && c->share_table != NULL && c->maxn != NULL &&
           c->paranoid != NULL;
}

static bool is_valid_kind_part(const rf_ply_kind_part *k)
{
    unsigned kinds = 0;
    while (kinds <= RF_MAX_PLY_KINDS && k->names[kinds] != NULL)
        kinds++;
    return kinds <= RF_MAX_PLY_KINDS && k->of_ply != NULL;
}

/* Whether a game stays within the limits of the interface, has each member without a default, and has the parts and
 * members that depend on each other. */
static bool is_valid(const rf_game *g)
{
    if (g->state_size == 0 || g->state_size > RF_STATE_SIZE || g->max_plies > RF_MAX_PLIES || g->max_text > RF_MAX_TEXT ||
        g->max_ply_text > RF_MAX_PLY_TEXT || (g->margins != NULL && g->max_plies > RF_MARGIN_PLIES))
        return false;
    if ((g->solver == RF_SOLVER_MARGIN) != (g->margins != NULL) ||
        (g->solver == RF_SOLVER_CHANCE) != (g->chances != NULL))
        return false;
    if ((g->wins != NULL && !is_valid_win_part(g->wins)) || (g->margins != NULL && !is_valid_margin_part(g->margins)) ||
        (g->chances != NULL && !is_valid_chance_part(g->chances)) ||
        (g->kinds != NULL && !is_valid_kind_part(g->kinds)))
        return false;
    return g->parse != NULL && g->format_field != NULL && g->describe != NULL && g->parse_ply != NULL &&
           g->format_ply != NULL && g->generate != NULL && g->apply != NULL && g->outcome != NULL && g->player != NULL &&
           g->perft != NULL;
}

const char *rf_init(bool plain)
{
    (void)plain;
#if defined(__x86_64__)
    if (!plain && has_v3())
        games = v3;
#endif
    for (int i = 0; games[i] != NULL; i++) {
        if (!is_valid(games[i]))
            return games[i]->id;
        if (games[i]->init != NULL)
            games[i]->init();
    }
    return NULL;
}

const char *rf_instruction_set(void) { return games == baseline ? "baseline" : "x86-64-v3"; }

const rf_game *rf_game_at(int index)
{
    for (int i = 0; games[i] != NULL; i++)
        if (i == index)
            return games[i];
    return NULL;
}

const char *rf_game_id(const rf_game *game) { return game->id; }
const char *rf_game_start(const rf_game *game) { return game->start; }
int rf_game_solver(const rf_game *game) { return (int)game->solver; }
bool rf_game_needs_context(const rf_game *game) { return game->needs_context; }
uint32_t rf_game_state_size(const rf_game *game) { return game->state_size; }
uint32_t rf_game_max_plies(const rf_game *game) { return game->max_plies; }
uint32_t rf_game_max_text(const rf_game *game) { return game->max_text; }
uint32_t rf_game_max_ply_text(const rf_game *game) { return game->max_ply_text; }

bool rf_parse(const rf_game *game, const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error)
{
    size_t blanks = 0;
    while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t'))
        blanks++;
    memset(out, 0, sizeof *out);
    if (game->parse(ctx, text + blanks, length - blanks, out, error))
        return true;
    error->at += (uint32_t)blanks;
    return false;
}

size_t rf_format(const rf_game *game, const void *ctx, const rf_state *s, char *out)
{
    char *end = rf_put(out, game->id);
    size_t length;
    for (unsigned field = 0; (length = game->format_field(ctx, s, field, end + 1)) != 0; field++) {
        *end = ' ';
        end += 1 + length;
    }
    *end = '\0';
    return (size_t)(end - out);
}

void rf_describe(const rf_game *game, const void *ctx, const rf_state *s, rf_description *out)
{
    memset(out, 0, sizeof *out);
    out->players = (uint8_t)rf_player_count(game, ctx, s);
    out->player = (uint8_t)game->player(ctx, s);
    game->describe(ctx, s, out);
}

bool rf_parse_ply(const rf_game *game, const void *ctx, const rf_state *s, const char *text, size_t length,
                  rf_parsed_ply *out, rf_error *error)
{
    memset(out, 0, sizeof *out);
    return game->parse_ply(ctx, s, text, length, out, error);
}

size_t rf_format_ply(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, char *out)
{
    return game->format_ply(ctx, s, ply, out);
}

size_t rf_format_path(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, char *out)
{
    return game->format_path != NULL ? game->format_path(ctx, s, ply, out) : game->format_ply(ctx, s, ply, out);
}

size_t rf_plies(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *out)
{
    return game->generate(ctx, s, out);
}

enum { PLY_WORDS = RF_MAX_PLY_TEXT / 8, SHORT_RUN = 8 };

/* A ply and its text, as big-endian words that compare as the text does. */
typedef struct {
    uint64_t text[PLY_WORDS];
    rf_ply ply;
} written_ply;

static bool comes_before(const written_ply *a, const written_ply *b)
{
    for (unsigned i = 0; i < PLY_WORDS; i++)
        if (a->text[i] != b->text[i])
            return a->text[i] < b->text[i];
    return false;
}

static void write_ply(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, written_ply *out)
{
    unsigned char text[RF_MAX_PLY_TEXT] = {0};
    size_t length = game->format_ply(ctx, s, ply, (char *)text);
    out->ply = ply;
    memset(out->text, 0, sizeof out->text);
    for (size_t i = 0; i < length; i++)
        out->text[i / 8] |= (uint64_t)text[i] << (56 - 8 * (i % 8));
}

static void sort_short_run(written_ply *plies, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        written_ply ply = plies[i];
        size_t to = i;
        for (; to > 0 && comes_before(&ply, &plies[to - 1]); to--)
            plies[to] = plies[to - 1];
        plies[to] = ply;
    }
}

static void merge(const written_ply *from, size_t middle, size_t count, written_ply *to)
{
    size_t left = 0, right = middle;
    for (size_t i = 0; i < count; i++) {
        bool take_right = left == middle || (right < count && comes_before(&from[right], &from[left]));
        to[i] = from[take_right ? right++ : left++];
    }
}

/* Merge sort, which is fast for runs that are already in order. Returns the array that contains the result. */
static written_ply *sort_plies(written_ply *plies, written_ply *other, size_t count)
{
    for (size_t at = 0; at < count; at += SHORT_RUN)
        sort_short_run(plies + at, count - at < SHORT_RUN ? count - at : SHORT_RUN);
    for (size_t run = SHORT_RUN; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t here = count - at < 2 * run ? count - at : 2 * run;
            merge(plies + at, here < run ? here : run, here, other + at);
        }
        written_ply *sorted = other;
        other = plies;
        plies = sorted;
    }
    return plies;
}

int64_t rf_sorted_plies(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *out)
{
    size_t plies = game->generate(ctx, s, out);
    written_ply *written = malloc((2 * plies + 1) * sizeof *written);
    if (written == NULL)
        return -1;
    for (size_t i = 0; i < plies; i++)
        write_ply(game, ctx, s, out[i], &written[i]);
    const written_ply *sorted = sort_plies(written, written + plies, plies);
    for (size_t i = 0; i < plies; i++)
        out[i] = sorted[i].ply;
    free(written);
    return (int64_t)plies;
}

int64_t rf_successors(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *plies, rf_state *states)
{
    int64_t count = rf_sorted_plies(game, ctx, s, plies);
    for (int64_t i = 0; i < count; i++)
        rf_apply(game, ctx, s, plies[i], &states[i]);
    return count;
}

uint64_t rf_count_plies(const rf_game *game, const void *ctx, const rf_state *s)
{
    rf_ply plies[RF_MAX_PLIES];
    return game->count != NULL ? game->count(ctx, s) : game->generate(ctx, s, plies);
}

void rf_apply(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, rf_state *out)
{
    memset(out, 0, sizeof *out);
    game->apply(ctx, s, ply, out);
}

bool rf_null_ply(const rf_game *game, const void *ctx, const rf_state *s, rf_state *out, rf_error *error)
{
    memset(out, 0, sizeof *out);
    if (game->outcome(ctx, s) != RF_OUTCOME_NONE)
        return rf_fail(error, RF_ILLEGAL, 0, 0, "game-over", NULL);
    if (rf_at_chance(game, ctx, s))
        return rf_fail(error, RF_ILLEGAL, 0, 0, "null-at-chance", NULL);
    if (game->null_ply == NULL)
        return rf_fail(error, RF_ILLEGAL, 0, 0, "no-null-ply", NULL);
    return game->null_ply(ctx, s, out, error);
}

int rf_outcome(const rf_game *game, const void *ctx, const rf_state *s) { return game->outcome(ctx, s); }
unsigned rf_player(const rf_game *game, const void *ctx, const rf_state *s) { return game->player(ctx, s); }
unsigned rf_players(const rf_game *game, const void *ctx, const rf_state *s) { return rf_player_count(game, ctx, s); }
bool rf_mid_turn(const rf_game *game, const void *ctx, const rf_state *s) { return rf_is_mid_turn(game, ctx, s); }
bool rf_is_chance(const rf_game *game, const void *ctx, const rf_state *s) { return rf_at_chance(game, ctx, s); }

uint32_t rf_weight(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply)
{
    return rf_weight_of(game, ctx, s, ply);
}

bool rf_makes_progress(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply)
{
    return game->margins != NULL && game->margins->makes_progress(ctx, s, ply);
}

uint64_t rf_hash(const rf_game *game, const void *ctx, const rf_state *s) { return rf_hash_of(game, ctx, s); }

uint64_t rf_estimate_reachable(const rf_game *game, const void *ctx, const rf_state *s)
{
    return game->reachable != NULL ? game->reachable(ctx, s) : 0;
}

bool rf_equal(const rf_game *game, const rf_state *a, const rf_state *b)
{
    return memcmp(a, b, game->state_size) == 0;
}

void rf_canonical(const rf_game *game, const void *ctx, const rf_state *s, rf_state *out)
{
    rf_state image;
    memset(&image, 0, sizeof image);
    *out = *s;
    if (game->image == NULL)
        return;
    for (unsigned symmetry = 1; game->image(ctx, s, symmetry, &image); symmetry++)
        if (memcmp(&image, out, game->state_size) < 0)
            *out = image;
}

bool rf_is_quiet(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply)
{
    return game->kinds == NULL || (game->kinds->of_ply(ctx, s, ply) & game->kinds->noisy) == 0;
}

bool rf_same_board(const rf_game *game, const void *ctx, const rf_state *a, const rf_state *b)
{
    rf_description first, second;
    rf_describe(game, ctx, a, &first);
    rf_describe(game, ctx, b, &second);
    return first.files == second.files && first.ranks == second.ranks && first.players == second.players;
}

/* ---- margins ---- */

rf_margin *rf_margin_new(const rf_game *game, uint64_t bytes, int helpers)
{
    rf_margin *search = game->margins == NULL ? NULL : game->margins->new_search(bytes, helpers);
    if (search != NULL)
        search->game = game;
    return search;
}

void rf_margin_free(rf_margin *search)
{
    if (search != NULL)
        search->game->margins->free_search(search);
}

int rf_margin_bound(const rf_game *game, const void *ctx, const rf_state *s) { return game->margins->bound(ctx, s); }

unsigned rf_margin_pieces_left(const rf_game *game, const void *ctx, const rf_state *s)
{
    return game->margins->pieces_left(ctx, s);
}

int rf_margin_at_least(rf_margin *search, const void *ctx, const rf_state *s, int threshold, rf_control *control)
{
    return search->game->margins->at_least(search, ctx, s, threshold, control);
}

void rf_margin_solve(rf_margin *search, const void *ctx, const rf_state *s, rf_margin_result *result, rf_control *control)
{
    search->game->margins->solve(search, ctx, s, result, control);
}

void rf_margin_help(rf_margin *search, int helper) { search->game->margins->help(search, helper); }
void rf_margin_stop_helpers(rf_margin *search) { search->game->margins->stop_helpers(search); }
uint64_t rf_margin_helper_nodes(const rf_margin *search) { return search->game->margins->helper_nodes(search); }
void rf_margin_set_max_groups(rf_margin *search, uint32_t max) { search->game->margins->set_max_groups(search, max); }

/* ---- winning probabilities ---- */

rf_chance_table *rf_chance_table_new(const rf_game *game, unsigned players, uint64_t bytes)
{
    rf_chance_table *table = game->chances == NULL ? NULL : game->chances->new_table(players, bytes);
    if (table != NULL)
        table->game = game;
    return table;
}

void rf_chance_table_free(rf_chance_table *table)
{
    if (table != NULL)
        table->game->chances->free_table(table);
}

bool rf_chance_table_share(rf_chance_table *table) { return table->game->chances->share_table(table); }

int rf_chance_maxn(const rf_game *game, const void *ctx, const rf_state *s, unsigned plies, unsigned player,
                   const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out)
{
    return game->chances->maxn(ctx, s, plies, player, least, table, control, out);
}

int rf_chance_paranoid(const rf_game *game, const void *ctx, const rf_state *s, unsigned plies, unsigned player,
                       bool upper, int question, const rf_chances *limit, rf_chance_table *table, rf_control *control,
                       rf_chances *out)
{
    return game->chances->paranoid(ctx, s, plies, player, upper, question, limit, table, control, out);
}

int64_t rf_chance_paranoid_each(const rf_game *game, const void *ctx, const rf_state *states, size_t count,
                                unsigned plies, unsigned player, bool upper, int question, const rf_chances *limit,
                                rf_chance_table *table, rf_control *control, rf_chances *out)
{
    const bool is_value = question == RF_CHANCE_VALUE;
    rf_chances unused;
    for (size_t i = 0; i < count; i++) {
        int answer = rf_chance_paranoid(game, ctx, &states[i], plies, player, upper, question, limit, table, control,
                                        is_value ? &out[i] : &unused);
        if (answer == RF_CHANCE_STOPPED)
            return -1;
        if (!is_value && answer == RF_CHANCE_FOUND)
            return (int64_t)i;
    }
    return (int64_t)count;
}
