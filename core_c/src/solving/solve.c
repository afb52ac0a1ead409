/* rf_solve: chooses the method by the game's kind of value, and finds the values after all plies (solving.h).
 *
 * Idea: the position after each ply is solved within the rest of the limits. If nothing is left, its value follows from
 * the solution if the ply is a best ply, or if every ply loses.
 *
 * Example: the limits end after 3 of 20 plies of a lost position. The rows of the other 17 have the status bound,
 * because every ply loses, but no distance. */
#include <stdlib.h>

#include "control.h"
#include "solving/task.h"

/* ---- one position ---- */

static void set_over(const rf_task *t, int winner)
{
    rf_solution *out = t->out;
    rf_set_winner(t, winner == RF_OUTCOME_DRAW ? 0 : (unsigned)winner, &out->answer);
    out->answer.status = RF_STATUS_EXACT;
    out->answer.distance = winner == RF_OUTCOME_DRAW ? -1 : 0;
    out->best_complete = out->line_complete = 1;
}

static bool solve_by_kind(const rf_task *t)
{
    int outcome = rf_outcome(t->game, t->ctx, t->s);
    if (rf_game_solver(t->game) == RF_SOLVER_MARGIN)
        return rf_solve_margin(t);
    if (rf_game_solver(t->game) == RF_SOLVER_CHANCE)
        return rf_solve_chance(t);
    if (outcome == RF_OUTCOME_NONE)
        return rf_solve_win(t);
    set_over(t, outcome);
    return true;
}

/* rf_solve for a control that was started. */
static bool solve_one(const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options,
                      rf_pool *pool, rf_control *control, rf_solution *out)
{
    rf_solution_begin(out);
    const rf_task task = {game, ctx, s, options, pool, control, rf_now(), out};
    bool solved = solve_by_kind(&task);
    out->seconds = rf_now() - task.started;
    if (!solved)
        rf_solution_clear(out);
    return solved;
}

bool rf_solve(const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options, rf_pool *pool,
              rf_control *control, rf_solution *out)
{
    rf_control_start(control);
    return solve_one(game, ctx, s, options, pool, control, out);
}

/* ---- the values after all plies ---- */

/* The search for the values after all plies of a position. */
typedef struct {
    rf_task task;
    rf_solve_child *child; /* NULL: solve_one */
    void *handle;
    unsigned mover;
    bool has_depth_left;        /* whether a ply is left to search after the next one */
    rf_solve_options after; /* the options for the positions after a ply */
} ply_solver;

/* Sets the options for the positions after a ply, which are searched one ply less deep. */
static void set_options_after(ply_solver *p)
{
    const rf_solve_options *options = p->task.options;
    p->after = *options;
    int kind = rf_game_solver(p->task.game);
    p->has_depth_left = kind == RF_SOLVER_MARGIN || options->depth != 1;
    if (kind == RF_SOLVER_CHANCE && options->model == RF_MODEL_PARANOID && options->player == 0)
        p->after.player = p->mover;
    if (kind != RF_SOLVER_MARGIN && options->depth > 1)
        p->after.depth--;
}

static bool is_best(const rf_solution *solution, rf_ply ply)
{
    for (uint64_t i = 0; i < solution->best_count; i++)
        if (solution->best[i] == ply)
            return true;
    return false;
}

/* The value after a ply as far as it follows from the solution; false if it does not. After a best ply it is that of
 * the position. In a lost position every ply loses, and in a drawn one every ply that is not a best ply. */
static bool set_from_solution(const ply_solver *p, rf_ply ply, const rf_state *after, rf_answer *out)
{
    const rf_solution *solution = p->task.out;
    const rf_answer *value = &solution->answer;
    int kind = rf_game_solver(p->task.game);
    bool same_side = rf_player(p->task.game, p->task.ctx, after) == p->mover;
    bool is_exact = value->status == RF_STATUS_EXACT && is_best(solution, ply);
    bool loses = value->value == RF_VALUE_LOSS || (value->value == RF_VALUE_DRAW && solution->best_complete);
    if (kind == RF_SOLVER_CHANCE || !(is_exact || loses))
        return false;
    *out = *value;
    if (is_exact) {
        out->distance = value->distance > 0 ? value->distance - 1 : -1;
        out->margin = same_side ? value->margin : -value->margin;
    } else {
        out->status = p->task.options->wdl ? RF_STATUS_EXACT : RF_STATUS_BOUND;
        out->distance = -1;
        out->value = RF_VALUE_LOSS;
    }
    if (!same_side && (out->value == RF_VALUE_WIN || out->value == RF_VALUE_LOSS))
        out->value = out->value == RF_VALUE_WIN ? RF_VALUE_LOSS : RF_VALUE_WIN;
    return true;
}

/* The value after a ply if no limit is left to search it. */
static void set_without_search(const ply_solver *p, rf_ply ply, const rf_state *after, rf_answer *out)
{
    const rf_answer *value = &p->task.out->answer;
    const rf_solve_options *options = p->task.options;
    int kind = rf_game_solver(p->task.game);
    *out = (rf_answer){.status = RF_STATUS_UNKNOWN, .distance = -1};
    if (set_from_solution(p, ply, after, out))
        return;
    if (value->status == RF_STATUS_HORIZON && options->depth == 1) {
        out->status = RF_STATUS_HORIZON;
        out->value = RF_VALUE_CHANCES;
        out->chances.den[0] = 1;
    } else if (kind == RF_SOLVER_MARGIN ||
               (kind == RF_SOLVER_CHANCE && options->model == RF_MODEL_PARANOID && options->depth == 1)) {
        /* A margin always has bounds: no side can get more points than there are. */
        out->status = RF_STATUS_BOUND;
    }
}

/* The bounds of a margin that follow from those of the position: no ply is better than its value. */
static void set_bounds_from_solution(const ply_solver *p, const rf_state *after, rf_ply_answer *row)
{
    const rf_task *t = &p->task;
    if (rf_game_solver(t->game) != RF_SOLVER_MARGIN || row->answer.status != RF_STATUS_BOUND || !t->out->has_bounds)
        return;
    int widest = rf_margin_bound(t->game, t->ctx, after);
    bool same_side = rf_player(t->game, t->ctx, after) == p->mover;
    row->has_bounds = 1;
    row->lower = same_side ? -widest : -t->out->upper;
    row->upper = same_side ? t->out->upper : widest;
}

static bool solve_after(const ply_solver *p, const rf_state *after, rf_ply_answer *row, uint64_t *nodes)
{
    const rf_task *t = &p->task;
    rf_solution found;
    if (p->child != NULL)
        return p->child(p->handle, after, &p->after, &row->answer, nodes);
    if (!solve_one(t->game, t->ctx, after, &p->after, t->pool, t->control, &found))
        return false;
    row->answer = found.answer;
    row->has_bounds = found.has_bounds && rf_game_solver(t->game) != RF_SOLVER_CHANCE;
    row->lower = found.lower;
    row->upper = found.upper;
    row->decided = found.decided;
    *nodes = found.nodes;
    rf_solution_clear(&found);
    return true;
}

static bool add_row(ply_solver *p, rf_ply ply, const rf_state *after)
{
    const rf_task *t = &p->task;
    rf_solution *out = t->out;
    rf_ply_answer *row = &out->plies[out->ply_count++];
    rf_limits left = {0, 0};
    bool is_over = rf_outcome(t->game, t->ctx, after) != RF_OUTCOME_NONE;
    const double seconds = out->seconds + rf_now() - t->started;
    bool has_limits_left = rf_limits_after(rf_limits_of(t->options), out->nodes, seconds, &left);
    uint64_t nodes = 0;
    row->ply = ply;
    row->decided = -1;
    if (!is_over && (!has_limits_left || !p->has_depth_left || t->control->stopped != RF_DONE)) {
        set_without_search(p, ply, after, &row->answer);
        set_bounds_from_solution(p, after, row);
        return true;
    }
    p->after.nodes = is_over ? 0 : left.nodes;
    p->after.seconds = is_over ? 0 : left.seconds;
    if (!solve_after(p, after, row, &nodes))
        return false;
    out->nodes += nodes;
    if (row->answer.status == RF_STATUS_UNKNOWN)
        (void)set_from_solution(p, ply, after, &row->answer);
    return true;
}

bool rf_solve_each_ply(const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options,
                       rf_pool *pool, rf_control *control, rf_solve_child *child, void *handle, rf_solution *solution)
{
    ply_solver p = {.task = {game, ctx, s, options, pool, control, rf_now(), solution},
                    .child = child,
                    .handle = handle,
                    .mover = rf_player(game, ctx, s)};
    rf_children children;
    set_options_after(&p);
    bool done = rf_children_new(&p.task, &children) && rf_children_of(&p.task, s, &children);
    if (done) {
        solution->plies = calloc(children.count + 1, sizeof *solution->plies);
        solution->ply_count = 0;
        done = solution->plies != NULL;
    }
    for (size_t i = 0; done && i < children.count; i++)
        done = add_row(&p, children.plies[i], &children.states[i]);
    rf_children_free(&children);
    solution->seconds += rf_now() - p.task.started;
    return done;
}
