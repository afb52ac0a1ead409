/* Margins (rf_solve_margin): the answer of the game's own solver, rf_margin_solve, for the side to move.
 *
 * Example: South's margin is 3 and North is to move: the answer is -3. */
#include "solving/task.h"

#include <stdlib.h>

#include "control.h"

static void help(void *search, int helper) { rf_margin_help(search, helper); }

/* The best plies in byte order; false if memory ran out. */
static bool add_best_plies(const rf_task *task, const rf_margin_result *found)
{
    rf_ply *plies = malloc(rf_game_max_plies(task->game) * sizeof *plies);
    int64_t count = plies == NULL ? -1 : rf_sorted_plies(task->game, task->ctx, task->s, plies);
    bool added = count >= 0;
    for (int64_t i = 0; added && i < count; i++)
        for (int k = 0; added && k < found->best_count; k++)
            if (found->best[k] == plies[i])
                added = rf_add_best(task->out, plies[i]);
    free(plies);
    return added;
}

/* The line that the solver found; if a limit left it none, the first best ply. */
static bool add_line(const rf_task *task, const rf_margin_result *found)
{
    rf_solution *out = task->out;
    out->line_complete = found->line_complete;
    for (int i = 0; i < found->line_length; i++)
        if (!rf_add_to_line(out, found->line[i]))
            return false;
    if (out->line_length > 0 || out->best_count == 0)
        return true;
    rf_state after;
    rf_apply(task->game, task->ctx, task->s, out->best[0], &after);
    out->line_complete = rf_outcome(task->game, task->ctx, &after) != RF_OUTCOME_NONE;
    return rf_add_to_line(out, out->best[0]);
}

static bool set_answer(const rf_task *task, const rf_margin_result *found)
{
    rf_solution *out = task->out;
    bool south = rf_player(task->game, task->ctx, task->s) == 1;
    out->lower = south ? found->lower : -found->upper;
    out->upper = south ? found->upper : -found->lower;
    out->has_bounds = found->lower < found->upper;
    out->answer.status = out->has_bounds ? RF_STATUS_BOUND : RF_STATUS_EXACT;
    if (out->has_bounds)
        return true;
    out->answer.value = RF_VALUE_MARGIN;
    out->answer.margin = out->lower;
    out->answer.distance = rf_outcome(task->game, task->ctx, task->s) != RF_OUTCOME_NONE ? 0 : -1;
    out->best_complete = found->best_complete;
    out->endless = found->endless;
    return add_best_plies(task, found) && add_line(task, found);
}

bool rf_solve_margin(const rf_task *task)
{
    /* A limit of nodes is exact and repeatable, so only one thread is used. */
    rf_pool *pool = task->options->nodes == 0 ? task->pool : NULL;
    rf_margin *search = rf_margin_new(task->game, task->options->table_bytes, pool == NULL ? 0 : rf_pool_helpers(pool));
    rf_margin_result *found = malloc(sizeof *found);
    bool solved = search != NULL && found != NULL;
    if (solved) {
        rf_subsearch subsearch;
        rf_subsearch_begin(&subsearch, task, rf_limits_of(task->options), 0);
        if (pool != NULL)
            rf_pool_begin(pool, help, search);
        rf_margin_solve(search, task->ctx, task->s, found, &subsearch.control);
        if (pool != NULL) {
            rf_margin_stop_helpers(search);
            rf_pool_end(pool);
        }
        task->out->nodes = subsearch.control.nodes + rf_margin_helper_nodes(search);
        solved = set_answer(task, found);
    }
    rf_margin_free(search);
    free(found);
    return solved;
}
