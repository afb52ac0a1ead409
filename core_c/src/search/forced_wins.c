/* Forced wins by depth-first search of AND/OR trees with iterative deepening.
 *
 * Idea: the question at each node is whether one player, the winner, forces a win within n plies. At a node of the
 * winner one ply must win (OR); at any other node no ply may prevent the win (AND). Plies are ordered by the table, by
 * threats, by the number of replies, and by a history of good plies (history heuristic, Schaeffer 1983). Threads share
 * work by ABDADA (common/threads.h).
 * Invariants: every answer is exact unless the control stopped the search; the table, the order of plies and other
 * threads change the work, never an answer. The table stores for each position and winner the shortest win that is
 * proven and the number of plies within which none exists.
 * Example: `solve` asks for n = 1, 2, ... whether South wins within n plies, then North. The first yes is the distance.
 */
#include "search/forced_wins.h"

#include <stdlib.h>

#include "control.h"
#include "common/threads.h"
#include "common/table.h"
#include "game.h"

enum {
    HISTORY_BITS = 12,
    MAX_HISTORY = 1 << 20,
    SELECTED_PLIES = 3,     /* plies chosen one at a time before the rest is sorted */
    TABLE_ORDER_FROM = 8,   /* plies left at which the table orders the plies that prevent a win */
    COUNT_REPLIES_FROM = 6, /* plies left at which threats are ordered by the number of replies */
    SHARED_FROM = 5         /* plies left at which threads defer positions that others search */
};

/* Parts of the order of a candidate, from the highest: the ply of the table, a threat, minus the number of replies to
 * it, and the history, which is at most MAX_HISTORY. */
#define ORDER_OF_TABLE (INT64_C(1) << 50)
#define ORDER_OF_THREAT (INT64_C(1) << 40)
enum { ORDER_OF_REPLIES = 24 };
_Static_assert(MAX_HISTORY < 1 << ORDER_OF_REPLIES, "the history decides only between equal numbers of replies");

/* The bounds that the table stores for a position and a winner, and the ply that proved the latest bound. */
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

/* Lists for one level of the search, allocated on first use. */
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
    rf_in_progress *in_progress; /* NULL: no other thread searches this question */
    rf_control *control;
    void *hints;
    level levels[RF_WIN_MAX_PLIES + 1]; /* filled when first needed */
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
    for (int i = 0; i <= RF_WIN_MAX_PLIES; i++) {
        free(search->levels[i].plies);
        free(search->levels[i].threats);
        free(search->levels[i].candidates);
    }
    free(search->hints);
    free(search);
}

static level *get_level(rf_win_search *w, unsigned plies)
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

/* The table entry of a question. Symmetric positions with the winner in the same role share one entry. */
typedef struct {
    uint64_t key;
    unsigned symmetry; /* from this position to the one for which the table stores a ply */
} table_entry;

static table_entry entry_of(const rf_win_search *w, const rf_state *s, bool winner_moves, unsigned winner)
{
    if (w->part->canonical == NULL)
        return (table_entry){rf_mix(rf_hash_of(w->game, w->ctx, s), winner), 0};
    rf_state turned;
    unsigned symmetry = w->part->canonical(w->ctx, s, &turned);
    return (table_entry){rf_mix(rf_hash_of(w->game, w->ctx, &turned), winner_moves), symmetry};
}

static rf_ply turned_ply(const rf_win_search *w, rf_ply ply, table_entry at)
{
    return at.symmetry == 0 ? ply : w->part->map_ply(w->ctx, ply, at.symmetry);
}

static known_bounds look_up(const rf_win_search *w, table_entry at)
{
    uint64_t value;
    if (w->table == NULL || !rf_table_get(w->table, at.key, &value))
        return (known_bounds){0, 0, 0, false};
    bool has_ply = (value >> 16 & 1) != 0;
    return (known_bounds){(unsigned)(value & 0xff), (unsigned)(value >> 8 & 0xff),
                          has_ply ? turned_ply(w, (rf_ply)(value >> 32), at) : 0, has_ply};
}

static void store(rf_win_search *w, table_entry at, known_bounds bounds)
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

static void add_history(rf_win_search *w, bool winner_moves, rf_ply ply, unsigned plies)
{
    uint32_t *history = history_of(w, winner_moves, ply);
    *history += plies * plies;
    if (*history > MAX_HISTORY)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 1 << HISTORY_BITS; i++)
                w->history[side][i] /= 2;
}

static bool comes_before(candidate a, candidate b)
{
    return a.order != b.order ? a.order > b.order : a.ply < b.ply;
}

/* Moves the first candidate in order to the front. */
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

/* Returns candidate `i` in order. One of the first usually decides the node, so the list is sorted only after them. */
static candidate candidate_at(candidate *list, size_t count, size_t i)
{
    if (i < SELECTED_PLIES)
        select_first(list + i, count - i);
    else if (i == SELECTED_PLIES)
        sort(list + i, count - i);
    return list[i];
}

static size_t replies_left(const rf_win_search *w, const rf_state *s, rf_ply ply, size_t enough)
{
    rf_state next;
    w->game->apply(w->ctx, s, ply, &next);
    return w->part->count_safe(w->ctx, &next, enough);
}

/* Orders threats by the number of replies that they leave, fewest first. Only the fewest matter, so each count stops
 * above the fewest so far, and the threat with the best history is counted first. */
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
        l->candidates[i].order -= (int64_t)left << ORDER_OF_REPLIES;
        enough = left + 1 < enough ? left + 1 : enough;
    }
}

/* Lists the plies to try and their order. Returns their number. */
static size_t list_candidates(rf_win_search *w, const rf_state *s, unsigned plies, bool winner_moves,
                              known_bounds known, level *l)
{
    bool has_safe_plies = w->part->safe_plies != NULL;
    size_t count = has_safe_plies ? w->part->safe_plies(w->ctx, s, l->plies, l->threats)
                              : w->game->generate(w->ctx, s, l->plies);
    for (size_t i = 0; i < count; i++) {
        int64_t order = *history_of(w, winner_moves, l->plies[i]);
        if (has_safe_plies && l->threats[i])
            order += ORDER_OF_THREAT;
        l->candidates[i] = (candidate){l->plies[i], order};
    }
    if (has_safe_plies && w->part->count_safe != NULL && plies >= COUNT_REPLIES_FROM)
        count_replies(w, s, l, count);
    for (size_t i = 0; known.has_ply && i < count; i++)
        if (l->candidates[i].ply == known.ply)
            l->candidates[i].order += ORDER_OF_TABLE;
    return count;
}

/* At a node of a player that must prevent a win: puts the first ply in front after which the table contains that there
 * is no win. */
static void order_by_table(rf_win_search *w, const rf_state *s, unsigned winner, unsigned plies, level *l, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        w->game->apply(w->ctx, s, l->candidates[i].ply, &next);
        unsigned left = plies - 1;
        if (w->part->useful_plies != NULL)
            left = w->part->useful_plies(w->ctx, &next, winner, left);
        bool winner_moves = w->game->player(w->ctx, &next) == winner;
        if (look_up(w, entry_of(w, &next, winner_moves, winner)).not_within < left)
            continue;
        l->candidates[i].order = INT64_MAX;
        return;
    }
}

/* ---- the search ---- */

static bool forces(rf_win_search *w, const rf_state *s, unsigned winner, unsigned plies);

/* Whether the bounds answer the question. Then *forced is the answer. */
static bool is_answered(const known_bounds *known, unsigned plies, bool *forced)
{
    *forced = known->wins_within != 0 && known->wins_within <= plies;
    return *forced || plies <= known->not_within;
}

/* Whether another thread is searching the position after the ply. */
static bool is_being_searched(const rf_win_search *w, const rf_state *s, rf_ply ply, unsigned winner)
{
    rf_state next;
    w->game->apply(w->ctx, s, ply, &next);
    return rf_is_in_progress(w->in_progress, entry_of(w, &next, w->game->player(w->ctx, &next) == winner, winner).key);
}

/* A node of the search. */
typedef struct {
    const rf_state *s;
    table_entry at;
    unsigned winner, plies;
    bool winner_moves;
    bool shared; /* other threads may search it too */
} node;

/* True if the ply decides the question: it wins for the winner, or it prevents the win. */
static bool try_ply(rf_win_search *w, const node *n, rf_ply ply, known_bounds *known)
{
    rf_state next;
    w->game->apply(w->ctx, n->s, ply, &next);
    if (forces(w, &next, n->winner, n->plies - 1) != n->winner_moves || w->control->stopped != RF_DONE)
        return false;
    known->ply = ply;
    known->has_ply = true;
    add_history(w, n->winner_moves, ply, n->plies);
    if (!n->winner_moves && w->part->store_refutation != NULL)
        w->part->store_refutation(w->ctx, n->s, n->plies, ply, w->hints);
    return true;
}

/* True if a ply of the winner wins, or if no ply of another player prevents the win. Plies whose positions another
 * thread is searching come last, except the first ply in order. */
static bool try_plies(rf_win_search *w, const node *n, known_bounds *known)
{
    level *l = get_level(w, n->plies);
    if (l == NULL)
        return false;
    size_t count = list_candidates(w, n->s, n->plies, n->winner_moves, *known, l), deferred = 0;
    if (!n->winner_moves && n->plies >= TABLE_ORDER_FROM)
        order_by_table(w, n->s, n->winner, n->plies, l, count);
    for (size_t i = 0; i < count + deferred; i++) {
        candidate c = i < count ? candidate_at(l->candidates, count, i) : l->candidates[i - count];
        if (n->shared && i > 0 && i < count && is_being_searched(w, n->s, c.ply, n->winner)) {
            l->candidates[deferred++] = c;
            continue;
        }
        if (try_ply(w, n, c.ply, known))
            return n->winner_moves;
        if (w->control->stopped != RF_DONE)
            return false;
        bool forced;
        known_bounds stored = n->shared ? look_up(w, n->at) : *known;
        if (n->shared && is_answered(&stored, n->plies, &forced)) {
            *known = stored;
            return forced;
        }
    }
    return !n->winner_moves;
}

static void store_root_ply(rf_win_search *w, const node *n, const known_bounds *known, bool forced)
{
    if (n->s != w->root || forced != n->winner_moves)
        return;
    w->root_has_ply = known->has_ply;
    w->root_ply = known->ply;
}

static bool forces(rf_win_search *w, const rf_state *s, unsigned winner, unsigned plies)
{
    const rf_game *game = w->game;
    /* 1. The position is over, or no win is possible in the plies left. */
    int outcome = game->outcome(w->ctx, s);
    if (outcome != RF_OUTCOME_NONE)
        return outcome == (int)winner;
    if (w->part->useful_plies != NULL)
        plies = w->part->useful_plies(w->ctx, s, winner, plies);
    if (plies == 0 || rf_tick(w->control))
        return false;
    bool winner_moves = game->player(w->ctx, s) == winner;
    /* 2. The game answers short questions itself. */
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
    /* 3. The table. */
    node n = {s, entry_of(w, s, winner_moves, winner), winner, plies, winner_moves,
              w->in_progress != NULL && plies >= SHARED_FROM};
    known_bounds known = look_up(w, n.at);
    bool forced;
    if (is_answered(&known, plies, &forced)) {
        store_root_ply(w, &n, &known, forced);
        return forced;
    }
    /* 4. Search the plies. */
    if (n.shared)
        rf_progress_begin(w->in_progress, n.at.key);
    forced = try_plies(w, &n, &known);
    if (n.shared)
        rf_progress_end(w->in_progress, n.at.key);
    if (w->control->stopped != RF_DONE)
        return false;
    /* 5. Store the new bound. */
    if (forced)
        known.wins_within = known.wins_within != 0 && known.wins_within < plies ? known.wins_within : plies;
    else
        known.not_within = known.not_within > plies ? known.not_within : plies;
    store_root_ply(w, &n, &known, forced);
    store(w, n.at, known);
    return forced;
}

int rf_win_forces(rf_win_search *search, const rf_state *s, unsigned player, unsigned plies, rf_control *control)
{
    search->control = control;
    search->root = s;
    search->root_has_ply = false;
    bool forced = forces(search, s, player, plies < RF_WIN_MAX_PLIES ? plies : RF_WIN_MAX_PLIES);
    search->root = NULL;
    return control->stopped != RF_DONE ? -1 : forced;
}

bool rf_win_deciding_ply(const rf_win_search *search, rf_ply *ply)
{
    *ply = search->root_has_ply ? search->root_ply : 0;
    return search->root_has_ply;
}

void rf_win_share_work(rf_win_search *search, rf_in_progress *in_progress) { search->in_progress = in_progress; }

/* Whether a win within `plies` can exist if there is none within fewer plies. */
static bool is_new_question(const rf_win_search *w, const rf_state *s, unsigned player, unsigned plies)
{
    return w->part->useful_plies == NULL || w->part->useful_plies(w->ctx, s, player, plies) == plies;
}

bool rf_win_solve(rf_win_search *search, const rf_state *s, unsigned plies, rf_win_result *result, rf_control *control)
{
    *result = (rf_win_result){.value = 0};
    if (plies > RF_WIN_MAX_PLIES)
        plies = RF_WIN_MAX_PLIES;
    unsigned mover = search->game->player(search->ctx, s);
    rf_win_result lost = {.value = -1}; /* and the ply that delays the loss longest so far */
    for (unsigned n = 1; n <= plies; n++) {
        control->depth = (int)n;
        for (unsigned player = 1; player <= 2; player++) {
            if (!is_new_question(search, s, player, n))
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
