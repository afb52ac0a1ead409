/* Best plies and a line of best play, from known values (best_play.h).
 *
 * The line follows the first best ply in byte order; it ends with the game or at the first repetition. */
#include "solving/best_play.h"

#include "common/position_set.h"
#include "game.h"

/* Whether a ply keeps the value, and with `exact` the distance. */
static bool keeps(rf_win_value before, rf_win_value after, bool exact)
{
    return before.winner == after.winner && (before.winner == 0 || !exact || before.distance == after.distance + 1);
}

/* Adds the plies of `s` that keep its value to the best plies; false if memory ran out or a value is not known. */
static bool add_best_plies(const rf_task *t, const rf_children *children, rf_win_value value, rf_get_value *value_of,
                           void *handle)
{
    for (size_t i = 0; i < children->count; i++) {
        rf_win_value after;
        if (!value_of(handle, &children->states[i], &after))
            return false;
        if (keeps(value, after, !t->options->wdl) && !rf_add_best(t->out, children->plies[i]))
            return false;
    }
    return true;
}

/* The index of the first ply that keeps value and distance; the number of children if a value is not known. */
static size_t first_best(const rf_children *children, rf_win_value value, rf_get_value *value_of, void *handle)
{
    for (size_t i = 0; i < children->count; i++) {
        rf_win_value after;
        if (!value_of(handle, &children->states[i], &after))
            break;
        if (keeps(value, after, true))
            return i;
    }
    return children->count;
}

/* Whether a position is new; *failed if memory ran out. */
static bool is_new(rf_position_set *seen, const rf_state *s, bool *failed)
{
    if (rf_position_set_find(seen, s) != RF_NO_NUMBER)
        return false;
    if (seen->count == seen->capacity && !rf_position_set_grow(seen))
        *failed = true;
    else
        rf_position_set_add(seen, s);
    return !*failed;
}

static bool add_line(const rf_task *t, rf_children *children, rf_get_value *value_of, void *handle)
{
    rf_position_set seen;
    rf_position_set_init(&seen, rf_game_state_size(t->game));
    rf_state at = *t->s;
    bool failed = false;
    while (!failed && is_new(&seen, &at, &failed) && rf_outcome(t->game, t->ctx, &at) == RF_OUTCOME_NONE) {
        rf_win_value value;
        failed = !value_of(handle, &at, &value) || !rf_children_of(t, &at, children);
        size_t best = failed ? 0 : first_best(children, value, value_of, handle);
        if (failed || best == children->count) {
            failed = true;
        } else {
            failed = !rf_add_to_line(t->out, children->plies[best]);
            rf_state next = children->states[best];
            at = next;
        }
    }
    rf_position_set_free(&seen);
    return !failed;
}

bool rf_add_best_play(const rf_task *t, rf_get_value *value_of, void *handle)
{
    rf_children children;
    rf_win_value value;
    bool done = rf_children_new(t, &children) && rf_children_of(t, t->s, &children) && value_of(handle, t->s, &value) &&
                add_best_plies(t, &children, value, value_of, handle) && add_line(t, &children, value_of, handle);
    rf_children_free(&children);
    if (!done)
        return false;
    rf_set_winner(t, value.winner, &t->out->answer);
    t->out->answer.status = RF_STATUS_EXACT;
    t->out->answer.distance = value.winner == 0 || t->options->wdl ? -1 : (int)value.distance;
    t->out->best_complete = t->out->line_complete = 1;
    return true;
}
