/* Iterative deepening over AND/OR trees. The question at every node is whether one player, the winner, forces a win
 * within n plies: one ply of the winner must do, or every ply of another player must fail to prevent it. */
#include "search/forced_wins.h"

#include <stdlib.h>

#include "control.h"
#include "common/threads.h"
#include "common/table.h"
#include "game.h"

enum {
    HISTORY_BITS = 12,
    MOST_HISTORY = 1 << 20,
    SELECTED = 3,
    LOOK_AHEAD_FROM = 8,
    COUNT_REPLIES_FROM = 5, /* with this many plies left, it pays to order threats by the number of replies they leave */
    SHARED_FROM = 5         /* threads keep apart from each other with this many plies left */
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
    rf_in_progress *others; /* NULL: no other thread works on the question */
    rf_control *control;
    void *hints;
    level levels[RF_WIN_MOST_PLIES + 1]; /* filled when first needed */
    uint32_t history[2][1 << HISTORY_BITS]; /* by whether the winner is to move */
    const rf_state *root; /* of the question */
    rf_ply root_ply;      /* what decided it, if root_has_ply */
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

/* Whether the bounds answer the question, and how. */
static bool is_answered(const known_bounds *known, unsigned plies, bool *forced)
{
    *forced = known->wins_within != 0 && known->wins_within <= plies;
    return *forced || plies <= known->not_within;
}

/* Whether another thread is at the position that the ply leads to. */
static bool others_are_at(const rf_win_search *w, const rf_state *s, rf_ply ply, unsigned winner)
{
    rf_state next;
    w->game->apply(w->ctx, s, ply, &next);
    return rf_is_in_progress(w->others, place_of(w, &next, w->game->player(w->ctx, &next) == winner, winner).key);
}

/* What the plies of a position have in common. */
typedef struct {
    const rf_state *s;
    place at;
    unsigned winner, plies;
    bool winner_moves;
    bool shared; /* with other threads */
} node;

/* True if the ply decides the question: the winner wins by it, or another player prevents the win. */
static bool try_ply(rf_win_search *w, const node *n, rf_ply ply, known_bounds *known)
{
    rf_state next;
    w->game->apply(w->ctx, n->s, ply, &next);
    if (forces(w, &next, n->winner, n->plies - 1) != n->winner_moves || w->control->stopped != RF_DONE)
        return false;
    known->ply = ply;
    known->has_ply = true;
    remember(w, n->winner_moves, ply, n->plies);
    if (!n->winner_moves && w->part->learn != NULL)
        w->part->learn(w->ctx, n->s, n->plies, ply, w->hints);
    return true;
}

/* True if some ply of the winner wins, or no ply of another player prevents it. Plies after which another thread is at
 * work come last, but the first in order comes first whatever others do. */
static bool try_plies(rf_win_search *w, const node *n, known_bounds *known)
{
    level *l = level_of(w, n->plies);
    if (l == NULL)
        return false;
    size_t count = list_candidates(w, n->s, n->plies, n->winner_moves, *known, l), later = 0;
    if (!n->winner_moves && n->plies >= LOOK_AHEAD_FROM)
        look_ahead(w, n->s, n->winner, n->plies, l, count);
    for (size_t i = 0; i < count + later; i++) {
        candidate c = i < count ? candidate_at(l->candidates, count, i) : l->candidates[i - count];
        if (n->shared && i > 0 && i < count && others_are_at(w, n->s, c.ply, n->winner)) {
            l->candidates[later++] = c;
            continue;
        }
        if (try_ply(w, n, c.ply, known))
            return n->winner_moves;
        if (w->control->stopped != RF_DONE)
            return false;
        bool forced;
        known_bounds by_others = n->shared ? look_up(w, n->at) : *known;
        if (n->shared && is_answered(&by_others, n->plies, &forced)) {
            *known = by_others;
            return forced;
        }
    }
    return !n->winner_moves;
}

static void note_deciding_ply(rf_win_search *w, const node *n, const known_bounds *known, bool forced)
{
    if (n->s != w->root || forced != n->winner_moves)
        return;
    w->root_has_ply = known->has_ply;
    w->root_ply = known->ply;
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
    node n = {s, place_of(w, s, winner_moves, winner), winner, plies, winner_moves,
              w->others != NULL && plies >= SHARED_FROM};
    known_bounds known = look_up(w, n.at);
    bool forced;
    if (is_answered(&known, plies, &forced)) {
        note_deciding_ply(w, &n, &known, forced);
        return forced;
    }
    if (n.shared)
        rf_progress_begin(w->others, n.at.key);
    forced = try_plies(w, &n, &known);
    if (n.shared)
        rf_progress_end(w->others, n.at.key);
    if (w->control->stopped != RF_DONE)
        return false;
    if (forced)
        known.wins_within = known.wins_within != 0 && known.wins_within < plies ? known.wins_within : plies;
    else
        known.not_within = known.not_within > plies ? known.not_within : plies;
    note_deciding_ply(w, &n, &known, forced);
    keep(w, n.at, known);
    return forced;
}

int rf_win_forces(rf_win_search *search, const rf_state *s, unsigned player, unsigned plies, rf_control *control)
{
    search->control = control;
    search->root = s;
    search->root_has_ply = false;
    bool forced = forces(search, s, player, plies < RF_WIN_MOST_PLIES ? plies : RF_WIN_MOST_PLIES);
    search->root = NULL;
    return control->stopped != RF_DONE ? -1 : forced;
}

bool rf_win_deciding_ply(const rf_win_search *search, rf_ply *ply)
{
    *ply = search->root_has_ply ? search->root_ply : 0;
    return search->root_has_ply;
}

void rf_win_share_work(rf_win_search *search, rf_in_progress *others) { search->others = others; }

/* Whether a win within `plies` can be one that is not within fewer. */
static bool is_news(const rf_win_search *w, const rf_state *s, unsigned player, unsigned plies)
{
    return w->part->useful_plies == NULL || w->part->useful_plies(w->ctx, s, player, plies) == plies;
}

bool rf_win_solve(rf_win_search *search, const rf_state *s, unsigned plies, rf_win_result *result, rf_control *control)
{
    *result = (rf_win_result){.value = 0};
    if (plies > RF_WIN_MOST_PLIES)
        plies = RF_WIN_MOST_PLIES;
    unsigned mover = search->game->player(search->ctx, s);
    rf_win_result lost = {.value = -1}; /* with the ply that lasted longest so far */
    for (unsigned n = 1; n <= plies; n++) {
        control->depth = (int)n;
        for (unsigned player = 1; player <= 2; player++) {
            if (!is_news(search, s, player, n))
                continue;
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
