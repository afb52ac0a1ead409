/* Iterative deepening over AND/OR trees. The question at every node is whether one player, the winner, forces a win
 * within n plies: one ply of the winner must do, or every ply of another player must fail to prevent it. */
#include "search/forced_wins.h"

#include <stdlib.h>

#include "control.h"
#include "common/table.h"

enum {
    HISTORY_BITS = 12,
    MOST_HISTORY = 1 << 20,
    SELECTED = 3,
    LOOK_AHEAD_FROM = 8,
    COUNT_REPLIES_FROM = 5 /* with this many plies left, it pays to order threats by the number of replies they leave */
};

/* What the table keeps of a position and a winner: bounds and the ply that proved the last of them. */
typedef struct {
    unsigned wins_within; /* 0: not known to win */
    unsigned not_within;
    rf_ply ply;
    bool has_ply;
} known_bounds;

typedef struct {
    rf_ply ply;
    int64_t order;
} candidate;

/* Lists for one level of the search. */
typedef struct {
    rf_ply *plies;
    uint8_t *threats;
    candidate *candidates;
} level;

struct rf_win_search {
    const rf_game *game;
    const rf_win_part *part; /* of the game, or one in which every member is NULL */
    const void *ctx;
    rf_table *table;
    rf_control *control;
    void *hints;
    level levels[RF_WIN_MOST_PLIES + 1]; /* filled when first needed */
    uint32_t history[2][1 << HISTORY_BITS]; /* by whether the winner is to move */
    const rf_state *root; /* of rf_win_solve, else NULL */
    rf_ply root_ply;      /* what decided the last question about it, if root_has_ply */
    bool root_has_ply;
};

static const rf_win_part no_part;

rf_win_search *rf_win_new(const rf_game *game, const void *ctx, rf_table *table)
{
    rf_win_search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return NULL;
    search->game = game;
    search->part = game->wins != NULL ? game->wins : &no_part;
    search->ctx = ctx;
    search->table = table;
    search->hints = calloc(1, search->part->hints_size + 1u);
    if (search->hints == NULL) {
        rf_win_free(search);
        return NULL;
    }
    return search;
}

void rf_win_free(rf_win_search *search)
{
    if (search == NULL)
        return;
    for (int i = 0; i <= RF_WIN_MOST_PLIES; i++) {
        free(search->levels[i].plies);
        free(search->levels[i].threats);
        free(search->levels[i].candidates);
    }
    free(search->hints);
    free(search);
}

static level *level_of(rf_win_search *w, unsigned plies)
{
    level *l = &w->levels[plies];
    if (l->candidates != NULL)
        return l;
    if (l->plies == NULL)
        l->plies = malloc(w->game->max_plies * sizeof *l->plies);
    if (l->threats == NULL)
        l->threats = malloc(w->game->max_plies);
    if (l->plies != NULL && l->threats != NULL)
        l->candidates = malloc(w->game->max_plies * sizeof *l->candidates);
    if (l->candidates != NULL)
        return l;
    w->control->stopped = RF_STOPPED_MEMORY;
    return NULL;
}

/* ---- the table ---- */

/* Where the table has a question: positions that are symmetric, with the winner in the same role, share one place. */
typedef struct {
    uint64_t key;
    unsigned symmetry; /* leads to the position for which the table keeps a ply */
} place;

static place place_of(const rf_win_search *w, const rf_state *s, bool winner_moves, unsigned winner)
{
    if (w->part->turned == NULL)
        return (place){rf_mix(rf_hash_of(w->game, w->ctx, s), winner), 0};
    rf_state turned;
    unsigned symmetry = w->part->turned(w->ctx, s, &turned);
    return (place){rf_mix(rf_hash_of(w->game, w->ctx, &turned), winner_moves), symmetry};
}

static rf_ply turned_ply(const rf_win_search *w, rf_ply ply, place at)
{
    return at.symmetry == 0 ? ply : w->part->turn_ply(w->ctx, ply, at.symmetry);
}

static known_bounds look_up(const rf_win_search *w, place at)
{
    uint64_t value;
    if (w->table == NULL || !rf_table_get(w->table, at.key, &value))
        return (known_bounds){0, 0, 0, false};
    bool has_ply = (value >> 16 & 1) != 0;
    return (known_bounds){(unsigned)(value & 0xff), (unsigned)(value >> 8 & 0xff),
                          has_ply ? turned_ply(w, (rf_ply)(value >> 32), at) : 0, has_ply};
}

static void keep(rf_win_search *w, place at, known_bounds bounds)
{
    if (w->table == NULL)
        return;
    rf_ply ply = bounds.has_ply ? turned_ply(w, bounds.ply, at) : 0;
    rf_table_put(w->table, at.key,
                 bounds.wins_within | (uint64_t)bounds.not_within << 8 | (uint64_t)bounds.has_ply << 16 |
                     (uint64_t)ply << 32);
}

/* ---- the order of plies ---- */

static uint32_t *history_of(rf_win_search *w, bool winner_moves, rf_ply ply)
{
    return &w->history[winner_moves][ply * UINT32_C(0x9e3779b1) >> (32 - HISTORY_BITS)];
}

static void remember(rf_win_search *w, bool winner_moves, rf_ply ply, unsigned plies)
{
    uint32_t *history = history_of(w, winner_moves, ply);
    *history += plies * plies;
    if (*history > MOST_HISTORY)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 1 << HISTORY_BITS; i++)
                w->history[side][i] /= 2;
}

static bool comes_before(candidate a, candidate b)
{
    return a.order != b.order ? a.order > b.order : a.ply < b.ply;
}

/* Brings the first in order to the front. */
static void select_first(candidate *list, size_t count)
{
    size_t first = 0;
    for (size_t i = 1; i < count; i++)
        if (comes_before(list[i], list[first]))
            first = i;
    candidate best = list[first];
    list[first] = list[0];
    list[0] = best;
}

static void sort(candidate *list, size_t count)
{
    static const size_t gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (size_t i = gaps[g]; i < count; i++) {
            candidate moved = list[i];
            size_t at = i;
            for (; at >= gaps[g] && comes_before(moved, list[at - gaps[g]]); at -= gaps[g])
                list[at] = list[at - gaps[g]];
            list[at] = moved;
        }
}

/* Number `i` of the candidates, in order. Most often one of the first does, so only then are all sorted. */
static candidate candidate_at(candidate *list, size_t count, size_t i)
{
    if (i < SELECTED)
        select_first(list + i, count - i);
    else if (i == SELECTED)
        sort(list + i, count - i);
    return list[i];
}

static size_t replies_left(const rf_win_search *w, const rf_state *s, rf_ply ply, size_t enough)
{
    rf_state next;
    w->game->apply(w->ctx, s, ply, &next);
    return w->part->count_safe(w->ctx, &next, enough);
}

/* Among threats, those that leave fewer replies come first. Only the fewest matter, so counting stops beyond the fewest
 * so far, and begins with the threat that did best before. */
static void count_replies(rf_win_search *w, const rf_state *s, level *l, size_t count)
{
    size_t enough = SIZE_MAX, best = count;
    for (size_t i = 0; i < count; i++)
        if (l->threats[i] && (best == count || l->candidates[i].order > l->candidates[best].order))
            best = i;
    for (size_t k = 0; best < count && k < count; k++) {
        size_t i = k == 0 ? best : k <= best ? k - 1 : k;
        if (!l->threats[i])
            continue;
        size_t left = replies_left(w, s, l->candidates[i].ply, enough);
        l->candidates[i].order -= (int64_t)left << 24;
        enough = left + 1 < enough ? left + 1 : enough;
    }
}

/* The plies worth trying, with what their order is to be. */
static size_t list_candidates(rf_win_search *w, const rf_state *s, unsigned plies, bool winner_moves,
                              known_bounds known, level *l)
{
    bool knows_safe = w->part->safe_plies != NULL;
    size_t count = knows_safe ? w->part->safe_plies(w->ctx, s, l->plies, l->threats)
                              : w->game->generate(w->ctx, s, l->plies);
    for (size_t i = 0; i < count; i++) {
        int64_t order = *history_of(w, winner_moves, l->plies[i]);
        if (knows_safe && l->threats[i])
            order += INT64_C(1) << 40;
        l->candidates[i] = (candidate){l->plies[i], order};
    }
    if (knows_safe && w->part->count_safe != NULL && plies >= COUNT_REPLIES_FROM)
        count_replies(w, s, l, count);
    for (size_t i = 0; known.has_ply && i < count; i++)
        if (l->candidates[i].ply == known.ply)
            l->candidates[i].order += INT64_C(1) << 50;
    return count;
}

/* Of a player who is to prevent a win: the first ply that the table knows to do it comes first. */
static void look_ahead(rf_win_search *w, const rf_state *s, unsigned winner, unsigned plies, level *l, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        w->game->apply(w->ctx, s, l->candidates[i].ply, &next);
        unsigned left = plies - 1;
        if (w->part->useful_plies != NULL)
            left = w->part->useful_plies(w->ctx, &next, winner, left);
        bool winner_moves = w->game->player(w->ctx, &next) == winner;
        if (look_up(w, place_of(w, &next, winner_moves, winner)).not_within < left)
            continue;
        l->candidates[i].order = INT64_MAX;
        return;
    }
}

/* ---- the search ---- */

static bool forces(rf_win_search *w, const rf_state *s, unsigned winner, unsigned plies);

/* True if some ply of the winner wins, or no ply of another player prevents it. */
static bool try_plies(rf_win_search *w, const rf_state *s, unsigned winner, unsigned plies, bool winner_moves,
                      known_bounds *known)
{
    level *l = level_of(w, plies);
    if (l == NULL)
        return false;
    size_t count = list_candidates(w, s, plies, winner_moves, *known, l);
    if (!winner_moves && plies >= LOOK_AHEAD_FROM)
        look_ahead(w, s, winner, plies, l, count);
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        rf_ply ply = candidate_at(l->candidates, count, i).ply;
        w->game->apply(w->ctx, s, ply, &next);
        bool forced = forces(w, &next, winner, plies - 1);
        if (w->control->stopped != RF_DONE)
            return false;
        if (forced == winner_moves) {
            known->ply = ply;
            known->has_ply = true;
            if (s == w->root) {
                w->root_ply = ply;
                w->root_has_ply = true;
            }
            remember(w, winner_moves, ply, plies);
            if (!winner_moves && w->part->learn != NULL)
                w->part->learn(w->ctx, s, plies, ply, w->hints);
            return forced;
        }
    }
    return !winner_moves;
}

static bool forces(rf_win_search *w, const rf_state *s, unsigned winner, unsigned plies)
{
    const rf_game *game = w->game;
    int outcome = game->outcome(w->ctx, s);
    if (outcome != RF_OUTCOME_NONE)
        return outcome == (int)winner;
    if (w->part->useful_plies != NULL)
        plies = w->part->useful_plies(w->ctx, s, winner, plies);
    if (plies == 0 || rf_tick(w->control))
        return false;
    bool winner_moves = game->player(w->ctx, s) == winner;
    if (w->part->wins_now != NULL) {
        if (w->part->wins_now(w->ctx, s))
            return winner_moves;
        if (plies == 1 && winner_moves)
            return false;
    }
    if (w->part->wins_soon != NULL) {
        int answer = w->part->wins_soon(w->ctx, s, winner, plies, w->hints);
        if (answer >= 0)
            return answer == 1;
    }
    place at = place_of(w, s, winner_moves, winner);
    known_bounds known = look_up(w, at);
    if (known.wins_within != 0 && known.wins_within <= plies)
        return true;
    if (plies <= known.not_within)
        return false;
    bool forced = try_plies(w, s, winner, plies, winner_moves, &known);
    if (w->control->stopped != RF_DONE)
        return false;
    if (forced)
        known.wins_within = plies;
    else
        known.not_within = plies;
    keep(w, at, known);
    return forced;
}

int rf_win_forces(rf_win_search *search, const rf_state *s, unsigned player, unsigned plies, rf_control *control)
{
    search->control = control;
    bool forced = forces(search, s, player, plies < RF_WIN_MOST_PLIES ? plies : RF_WIN_MOST_PLIES);
    return control->stopped != RF_DONE ? -1 : forced;
}

/* Whether a win within `plies` can be one that is not within fewer. */
static bool is_news(const rf_win_search *w, const rf_state *s, unsigned player, unsigned plies)
{
    return w->part->useful_plies == NULL || w->part->useful_plies(w->ctx, s, player, plies) == plies;
}

/* rf_win_solve, with search->root set. */
static bool deepen(rf_win_search *search, const rf_state *s, unsigned plies, rf_win_result *result, rf_control *control)
{
    unsigned mover = search->game->player(search->ctx, s);
    rf_win_result lost = {.value = -1}; /* with the ply that lasted longest so far */
    for (unsigned n = 1; n <= plies; n++) {
        control->depth = (int)n;
        for (unsigned player = 1; player <= 2; player++) {
            if (!is_news(search, s, player, n))
                continue;
            search->root_has_ply = false;
            int forced = rf_win_forces(search, s, player, n, control);
            if (forced < 0)
                return false;
            if (forced) {
                *result = player == mover
                              ? (rf_win_result){.value = 1, .has_ply = search->root_has_ply, .ply = search->root_ply}
                              : lost;
                result->distance = (int)n;
                return true;
            }
            if (player != mover) {
                lost.has_ply = search->root_has_ply;
                lost.ply = search->root_ply;
            }
        }
        result->decided = (int)n;
    }
    return true;
}

bool rf_win_solve(rf_win_search *search, const rf_state *s, unsigned plies, rf_win_result *result, rf_control *control)
{
    *result = (rf_win_result){.value = 0};
    search->root = s;
    bool finished = deepen(search, s, plies < RF_WIN_MOST_PLIES ? plies : RF_WIN_MOST_PLIES, result, control);
    search->root = NULL;
    return finished;
}
