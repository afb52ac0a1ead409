/* Limits of the calls that make up one answer, and the lists of a solution (task.h). Lists grow by doubling. */
#include "solving/task.h"

#include <stdlib.h>

#include "control.h"

enum { FIRST_PLIES = 16 };

bool rf_limits_after(rf_limits limits, uint64_t nodes, double seconds, rf_limits *out)
{
    if ((limits.nodes != 0 && nodes >= limits.nodes) || (limits.seconds > 0 && seconds >= limits.seconds))
        return false;
    out->nodes = limits.nodes == 0 ? 0 : limits.nodes - nodes;
    out->seconds = limits.seconds > 0 ? limits.seconds - seconds : 0;
    return true;
}

static int poll_parent(rf_control *control)
{
    const rf_subsearch *subsearch = control->handle;
    rf_control *parent = subsearch->parent;
    if (subsearch->on_poll != NULL)
        subsearch->on_poll(subsearch->data);
    parent->nodes = subsearch->nodes_before + control->nodes;
    parent->depth = control->depth;
    parent->done = control->done;
    parent->total = control->total;
    parent->lower = control->lower;
    parent->upper = control->upper;
    if (parent->poll != NULL && parent->poll(parent) != 0)
        parent->stopped = RF_STOPPED_CANCEL;
    return parent->stopped != RF_DONE;
}

void rf_subsearch_begin(rf_subsearch *subsearch, const rf_task *task, rf_limits limits, uint64_t nodes_before)
{
    *subsearch = (rf_subsearch){.parent = task->control, .nodes_before = nodes_before};
    subsearch->control.node_limit = limits.nodes;
    subsearch->control.seconds = limits.seconds;
    subsearch->control.poll = poll_parent;
    subsearch->control.handle = subsearch;
    subsearch->control.cancel = task->control->cancel;
    rf_control_start(&subsearch->control);
}

/* ---- plies and the positions after them ---- */

bool rf_children_new(const rf_task *task, rf_children *out)
{
    const size_t max = rf_game_max_plies(task->game);
    *out = (rf_children){malloc(max * sizeof *out->plies), malloc(max * sizeof *out->states), 0};
    if (out->plies != NULL && out->states != NULL)
        return true;
    rf_children_free(out);
    return false;
}

void rf_children_free(rf_children *children)
{
    free(children->plies);
    free(children->states);
    *children = (rf_children){NULL, NULL, 0};
}

bool rf_children_of(const rf_task *task, const rf_state *s, rf_children *out)
{
    int64_t count = rf_sorted_plies(task->game, task->ctx, s, out->plies);
    if (count < 0)
        return false;
    out->count = (size_t)count;
    for (size_t i = 0; i < out->count; i++)
        rf_apply(task->game, task->ctx, s, out->plies[i], &out->states[i]);
    return true;
}

/* ---- answers ---- */

void rf_solution_begin(rf_solution *out)
{
    memset(out, 0, sizeof *out);
    out->answer.distance = -1;
    out->decided = -1;
    out->endless = -1;
}

void rf_solution_clear(rf_solution *solution)
{
    free(solution->best);
    free(solution->line);
    free(solution->plies);
    rf_solution_begin(solution);
}

/* Adds a ply to a list whose capacity follows from its length. */
static bool add_ply(rf_ply **list, uint64_t *count, rf_ply ply)
{
    bool is_full = *count == 0 || (*count >= FIRST_PLIES && (*count & (*count - 1)) == 0);
    if (is_full) {
        size_t capacity = *count == 0 ? FIRST_PLIES : 2 * (size_t)*count;
        rf_ply *more = realloc(*list, capacity * sizeof *more);
        if (more == NULL)
            return false;
        *list = more;
    }
    (*list)[(*count)++] = ply;
    return true;
}

bool rf_add_best(rf_solution *out, rf_ply ply) { return add_ply(&out->best, &out->best_count, ply); }
bool rf_add_to_line(rf_solution *out, rf_ply ply) { return add_ply(&out->line, &out->line_length, ply); }

void rf_set_winner(const rf_task *task, unsigned winner, rf_answer *out)
{
    if (winner == 0)
        out->value = RF_VALUE_DRAW;
    else
        out->value = winner == rf_player(task->game, task->ctx, task->s) ? RF_VALUE_WIN : RF_VALUE_LOSS;
}
