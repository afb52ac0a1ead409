/* The functions behind rf_margin_... (searches.h), and the best plies of a position.
 *
 * Idea: a ply is best if the position after it still has the margin: one question each. To find the first
 * one, all plies get 1 node each, then 4, then 16, so that an easy proof does not wait for a hard one.
 *
 * Invariant: a result with equal bounds has a best ply, unless the game is over. If a limit comes before one is proven,
 * the bounds are those before the last answer.
 *
 * Example: South's margin is 3, and of its 40 plies two keep it. `best` has these two in the order of the list. */
#include "rings/solver/solver.h"

static kr_search *kr_cast(struct rf_margin *base) { return (kr_search *)base; }

/* ---- best plies ---- */

enum { KR_BEST_NODES_GROWTH = 4 };

/* Finds a ply that keeps the margin, if none is known: the first that a growing number of nodes proves. */
static void kr_find_one_best(kr_margin *m)
{
    rf_ply plies[KR_MAX_PLIES];
    const kr_state *s = kr_state_of(m->s);
    size_t count = kr_legal_plies(s, plies);
    for (uint64_t nodes = 1; !m->has_ply && m->control->stopped == RF_DONE; nodes *= KR_BEST_NODES_GROWTH)
        for (size_t i = 0; i < count && !m->has_ply && m->control->stopped == RF_DONE; i++) {
            rf_state next;
            kr_state_after(m->s, plies[i], &next);
            uint64_t outer_limit = rf_set_node_limit(m->control, nodes);
            m->has_ply = kr_keeps_margin(m->search, &next, s->side, m->bounds[0], m->control) == 1;
            rf_restore_node_limit(m->control, outer_limit);
            m->ply = plies[i];
        }
}

/* All plies that keep the margin; with control->stopped those that are known to. */
static void kr_find_all_best(kr_margin *m, rf_margin_result *result)
{
    rf_ply plies[KR_MAX_PLIES];
    const kr_state *s = kr_state_of(m->s);
    size_t count = kr_legal_plies(s, plies);
    result->best_complete = 1;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        kr_state_after(m->s, plies[i], &next);
        bool known = plies[i] == m->ply;
        int kept = known;
        if (!known && result->best_complete)
            kept = kr_keeps_margin(m->search, &next, s->side, m->bounds[0], m->control);
        if (kept > 0)
            result->best[result->best_count++] = plies[i];
        else if (kept < 0)
            result->best_complete = 0;
    }
}

/* ---- members of rf_margin_part ---- */

static int kr_score(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return kr_balance(kr_state_of(state));
}

static int kr_margin_bound(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return kr_all_points(kr_state_of(state));
}

static unsigned kr_pieces_left(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return rf_popcount(kr_free(kr_state_of(state)));
}

static bool kr_progress(const void *ctx, const rf_state *state, rf_ply ply)
{
    (void)ctx;
    return kr_makes_progress(kr_state_of(state), ply);
}

static struct rf_margin *kr_margin_new(uint64_t bytes, int helpers)
{
    return (struct rf_margin *)kr_search_new(bytes, helpers);
}

static void kr_margin_free(struct rf_margin *base) { kr_search_free(kr_cast(base)); }

static int kr_margin_at_least(struct rf_margin *base, const void *ctx, const rf_state *s, int threshold,
                              rf_control *control)
{
    (void)ctx;
    return kr_margin_is_at_least(kr_cast(base), s, threshold, control);
}

static void kr_margin_solve(struct rf_margin *base, const void *ctx, const rf_state *s, rf_margin_result *result,
                            rf_control *control)
{
    memset(result, 0, sizeof *result);
    result->endless = -1;
    rf_control_start(control);
    /* 1. A position that is over. */
    if (kr_is_over(kr_state_of(s))) {
        result->lower = result->upper = kr_balance(kr_state_of(s));
        result->best_complete = result->line_complete = 1;
        result->endless = 0;
        return;
    }
    /* 2. The margin, and one ply that keeps it: only then it counts as proven. */
    int widest = kr_margin_bound(ctx, s);
    kr_margin m = {.search = kr_cast(base), .s = s, .control = control, .bounds = {-widest, widest}};
    memcpy(m.before, m.bounds, sizeof m.before);
    kr_find_margin(&m);
    bool found = m.bounds[0] == m.bounds[1];
    if (found)
        kr_find_one_best(&m);
    const int *proven = found && !m.has_ply ? m.before : m.bounds;
    result->lower = proven[0];
    result->upper = proven[1];
    if (!found || !m.has_ply)
        return;
    /* 3. All best plies, and a line. */
    kr_find_all_best(&m, result);
    if (control->stopped == RF_DONE)
        kr_find_line(kr_cast(base), s, result, control);
}

static void kr_margin_help(struct rf_margin *base, int helper)
{
    const kr_search *search = kr_cast(base);
    if (search->shared != NULL && helper >= 1 && helper <= search->shared->helpers)
        kr_help(search->helpers[helper - 1]);
}

static void kr_margin_stop_helpers(struct rf_margin *base)
{
    if (kr_cast(base)->shared != NULL)
        kr_shared_close(kr_cast(base)->shared);
}

static uint64_t kr_margin_helper_nodes(const struct rf_margin *base)
{
    const kr_shared *shared = ((const kr_search *)base)->shared;
    return shared == NULL ? 0 : __atomic_load_n(&shared->nodes, __ATOMIC_RELAXED);
}

static void kr_margin_set_max_groups(struct rf_margin *base, uint32_t max)
{
    kr_cast(base)->groups.max = max < KR_MAX_GROUPS ? max : KR_MAX_GROUPS;
}

const rf_margin_part RF_EXPORT(kr_margin_part) = {
    .score = kr_score,
    .bound = kr_margin_bound,
    .makes_progress = kr_progress,
    .pieces_left = kr_pieces_left,
    .new_search = kr_margin_new,
    .free_search = kr_margin_free,
    .at_least = kr_margin_at_least,
    .solve = kr_margin_solve,
    .help = kr_margin_help,
    .stop_helpers = kr_margin_stop_helpers,
    .helper_nodes = kr_margin_helper_nodes,
    .set_max_groups = kr_margin_set_max_groups,
};
