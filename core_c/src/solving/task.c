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

static int poll_whole(rf_control *control)
{
    const rf_subsearch *part = control->handle;
    rf_control *whole = part->whole;
    if (part->on_poll != NULL)
        part->on_poll(part->data);
    whole->nodes = part->nodes_before + control->nodes;
    whole->depth = control->depth;
    whole->done = control->done;
    whole->total = control->total;
    whole->lower = control->lower;
    whole->upper = control->upper;
    if (whole->poll != NULL && whole->poll(whole) != 0)
        whole->stopped = RF_STOPPED_CANCEL;
    return whole->stopped != RF_DONE;
}

void rf_subsearch_begin(rf_subsearch *part, const rf_task *task, rf_limits limits, uint64_t nodes_before)
{
    *part = (rf_subsearch){.whole = task->whole, .nodes_before = nodes_before};
    part->control.node_limit = limits.nodes;
    part->control.seconds = limits.seconds;
    part->control.poll = poll_whole;
    part->control.handle = part;
    part->control.cancel = task->whole->cancel;
    rf_control_start(&part->control);
}

/* ---- plies and the positions after them ---- */

bool rf_children_new(const rf_task *task, rf_children *out)
{
    const size_t most = rf_game_max_plies(task->game);
    *out = (rf_children){malloc(most * sizeof *out->plies), malloc(most * sizeof *out->states), 0};
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
