/* Winning probabilities (rf_solve_chance): the value, the plies that keep it, and a line of best play to the next
 * chance event or to the horizon.
 *
 * Idea: the game's solver answers one question at a time: the value of a position, then whether a ply keeps it. In the
 * paranoid model the horizon is raised ply by ply until the bounds are close enough. Helpers search the question of the
 * calling thread and share results with it through the table.
 *
 * Invariants: probabilities are exact fractions. With a node limit only one thread searches, so node counts are
 * repeatable.
 *
 * Example: at horizon 3 a probability is between 1/4 and 1/2, at horizon 4 both bounds are 1/3: the value is exact. */
#include "solving/task.h"

#include <stdlib.h>

#include "common/fraction.h"
#include "control.h"

static const char OVERFLOW_NOTE[] = "a probability within this horizon needs more than 128 bits";
/* Helpers begin immediately if the question before took at least this long. */
static const double SECONDS_WORTH_HELP = 0.01;

/* A question to the game's solver. */
typedef struct {
    const rf_state *s;
    unsigned plies;
    bool paranoid;
    unsigned player;  /* maxn: with a limit, whether this player reaches it; 0 asks for the values of all players */
    bool upper;
    int kind;         /* paranoid: RF_CHANCE_VALUE, ... */
    rf_chances limit; /* num[0] / den */
} question;

typedef struct {
    const rf_task *task;
    rf_chance_table *table;
    rf_pool *pool; /* NULL: one thread */
    rf_subsearch subsearch;
    const question *asked;
    bool has_help; /* helpers work on the question */
    bool begins_with_help;
    int stop;      /* 1: helpers stop */
    uint64_t helper_nodes;
    rf_chances found;
} search;

/* ---- questions ---- */

static int search_question(const search *s, const question *q, rf_control *control, rf_chances *out)
{
    const rf_task *t = s->task;
    if (q->paranoid)
        return rf_chance_paranoid(t->game, t->ctx, q->s, q->plies, q->player, q->upper, q->kind, &q->limit, s->table,
                                  control, out);
    return rf_chance_maxn(t->game, t->ctx, q->s, q->plies, q->player, q->player == 0 ? NULL : &q->limit, s->table, control,
                          out);
}

static void help(void *data, int helper)
{
    search *s = data;
    rf_control control = {.cancel = &s->stop};
    rf_chances unused;
    (void)helper;
    rf_control_start(&control);
    search_question(s, s->asked, &control, &unused);
    __atomic_fetch_add(&s->helper_nodes, control.nodes, __ATOMIC_RELAXED);
}

static void begin_help(void *data)
{
    search *s = data;
    if (s->pool == NULL || s->has_help)
        return;
    s->has_help = true;
    __atomic_store_n(&s->stop, 0, __ATOMIC_RELAXED);
    rf_pool_begin(s->pool, help, s);
}

static int ask(search *s, const question *q)
{
    double started = rf_now();
    s->asked = q;
    s->has_help = false;
    if (s->begins_with_help)
        begin_help(s);
    int answer = search_question(s, q, &s->subsearch.control, &s->found);
    if (s->has_help) {
        __atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
        rf_pool_end(s->pool);
    }
    if (s->pool != NULL)
        s->begins_with_help = rf_pool_shares_short_work(s->pool) || rf_now() - started >= SECONDS_WORTH_HELP;
    return answer;
}

static bool open_search(search *s, const rf_task *t)
{
    *s = (search){.task = t};
    if (t->options->table_bytes != 0) {
        s->table = rf_chance_table_new(t->game, rf_players(t->game, t->ctx, t->s), t->options->table_bytes);
        /* With helpers, node counts are not repeatable. Without a table, threads cannot share results. */
        s->pool = t->options->nodes == 0 ? t->pool : NULL;
        if (s->table == NULL || (s->pool != NULL && !rf_chance_table_share(s->table))) {
            rf_chance_table_free(s->table);
            return false;
        }
        s->begins_with_help = s->pool != NULL && rf_pool_shares_short_work(s->pool);
    }
    rf_subsearch_begin(&s->subsearch, t, rf_limits_of(t->options), 0);
    s->subsearch.on_poll = begin_help;
    s->subsearch.data = s;
    return true;
}

/* Frees the search; false if memory had run out. */
static bool close_search(search *s)
{
    rf_solution *out = s->task->out;
    out->nodes = s->subsearch.control.nodes + s->helper_nodes;
    if (s->subsearch.control.stopped == RF_STOPPED_OVERFLOW)
        memcpy(out->note, OVERFLOW_NOTE, sizeof OVERFLOW_NOTE);
    rf_chance_table_free(s->table);
    return s->subsearch.control.stopped != RF_STOPPED_MEMORY;
}

/* ---- fractions ---- */

static void write_probability(rf_fraction value, rf_probability *out)
{
    rf_split_halves(value.num, out->num);
    rf_split_halves(value.den, out->den);
}

static rf_fraction probability_of(const rf_chances *chances, unsigned index)
{
    return rf_reduced((rf_fraction){rf_join_halves(chances->num[index]), rf_join_halves(chances->den)});
}

static void write_limit(rf_fraction value, rf_chances *out)
{
    memset(out, 0, sizeof *out);
    rf_split_halves(value.num, out->num[0]);
    rf_split_halves(value.den, out->den);
}

/* ---- plies that keep a value ---- */

/* The value of a position: of all players (maxn), or the probability of one (paranoid). */
typedef struct {
    const rf_state *s;
    unsigned left; /* plies to the horizon */
    unsigned player; /* paranoid; otherwise 0 */
    rf_fraction value; /* of the player to act (maxn), of `player` (paranoid) */
} node;

/* Whether the ply that leads to `after` keeps the value: 1 or 0; -1 if a limit was reached. */
static int keeps(search *s, const node *n, const rf_state *after)
{
    const rf_task *t = s->task;
    unsigned mover = rf_player(t->game, t->ctx, n->s);
    question q = {.s = after, .plies = n->left - 1, .player = mover};
    if (n->player != 0) {
        bool own = mover == n->player;
        q.paranoid = true;
        q.player = n->player;
        q.upper = !own;
        q.kind = own ? RF_CHANCE_AT_LEAST : RF_CHANCE_AT_MOST;
    }
    write_limit(n->value, &q.limit);
    int answer = ask(s, &q);
    return answer == RF_CHANCE_STOPPED ? -1 : answer == RF_CHANCE_FOUND;
}

/* Adds the plies that keep the value; false if memory ran out. */
static bool add_best_plies(search *s, const node *n, const rf_children *children)
{
    rf_solution *out = s->task->out;
    out->best_complete = 1;
    if (n->left == 0 || rf_is_chance(s->task->game, s->task->ctx, n->s))
        return true;
    for (size_t i = 0; i < children->count; i++) {
        int kept = keeps(s, n, &children->states[i]);
        if (kept < 0) {
            out->best_complete = 0;
            break;
        }
        if (kept && !rf_add_best(out, children->plies[i]))
            return false;
    }
    return true;
}

/* Writes the value of a later position of the line, of the player to act; false if a limit was reached. */
static bool find_maxn_value(search *s, node *n)
{
    const rf_task *t = s->task;
    question q = {.s = n->s, .plies = n->left};
    if (ask(s, &q) == RF_CHANCE_STOPPED)
        return false;
    n->value = probability_of(&s->found, rf_player(t->game, t->ctx, n->s) - 1);
    return true;
}

/* Adds the first best plies up to a chance event, the end or the horizon. False if memory ran out. */
static bool add_line(search *s, node n, rf_children *children)
{
    const rf_task *t = s->task;
    rf_solution *out = t->out;
    out->line_complete = 1;
    if (out->best_count == 0)
        return true;
    rf_state at, next;
    rf_ply ply = out->best[0];
    rf_apply(t->game, t->ctx, n.s, ply, &at);
    n.s = &at;
    while (rf_add_to_line(out, ply)) {
        n.left--;
        if (n.left == 0 || rf_outcome(t->game, t->ctx, &at) != RF_OUTCOME_NONE || rf_is_chance(t->game, t->ctx, &at))
            return true;
        if (!rf_children_of(t, &at, children))
            return false;
        int kept = n.player != 0 || find_maxn_value(s, &n) ? 0 : -1;
        size_t i = 0;
        while (kept == 0 && i < children->count) {
            kept = keeps(s, &n, &children->states[i]);
            i += kept == 0;
        }
        out->line_complete = kept == 1;
        if (kept != 1)
            return true;
        ply = children->plies[i];
        next = children->states[i];
        at = next;
    }
    return false;
}

/* ---- maxn ---- */

static unsigned winner_of(const rf_task *t)
{
    int winner = rf_outcome(t->game, t->ctx, t->s);
    return winner > 0 ? (unsigned)winner : 0;
}

/* The solution of a position that is over, except its value. */
static void set_over(rf_solution *out)
{
    out->answer.status = RF_STATUS_EXACT;
    out->answer.distance = 0;
    out->best_complete = out->line_complete = 1;
}

static void set_open_probability(rf_fraction open, rf_solution *out)
{
    out->has_open = 1;
    write_probability(open, &out->open);
}

static void set_maxn_value(const rf_task *t, const rf_chances *found)
{
    rf_solution *out = t->out;
    rf_wide den = rf_join_halves(found->den), open = den;
    for (unsigned i = 0; i < rf_players(t->game, t->ctx, t->s); i++)
        open -= rf_join_halves(found->num[i]);
    out->answer.value = RF_VALUE_CHANCES;
    out->answer.chances = *found;
    set_open_probability(rf_reduced((rf_fraction){open, den}), out);
}

static bool search_maxn(search *s, rf_children *children)
{
    const rf_task *t = s->task;
    rf_solution *out = t->out;
    node n = {.s = t->s, .left = t->options->depth};
    s->subsearch.control.depth = (int)n.left;
    if (!find_maxn_value(s, &n))
        return true;
    rf_chances found = s->found;
    if (!rf_children_of(t, t->s, children) || !add_best_plies(s, &n, children))
        return false;
    if (out->best_count == 0 && !out->best_complete)
        return true;
    out->answer.status = RF_STATUS_HORIZON;
    set_maxn_value(t, &found);
    return add_line(s, n, children);
}

static void set_maxn_over(const rf_task *t)
{
    rf_chances won = {.den = {1, 0}};
    unsigned winner = winner_of(t);
    if (winner > 0)
        won.num[winner - 1][0] = 1;
    set_maxn_value(t, &won);
    t->out->has_open = 1;
    write_probability(rf_zero, &t->out->open);
    set_over(t->out);
}

/* ---- paranoid ---- */

/* Sets the bounds, and the value if they are equal. False if their difference does not fit. */
static bool set_bounds(const rf_task *t, rf_fraction lower, rf_fraction upper)
{
    rf_solution *out = t->out;
    rf_fraction open;
    if (!rf_subtract(upper, lower, &open))
        return false;
    out->answer.status = RF_STATUS_BOUND;
    if (rf_compare(lower, upper) == 0) {
        out->answer.status = RF_STATUS_EXACT;
        out->answer.value = RF_VALUE_CHANCES;
        out->answer.player = out->player;
        rf_split_halves(lower.num, out->answer.chances.num[out->player - 1]);
        rf_split_halves(lower.den, out->answer.chances.den);
    }
    out->has_bounds = 1;
    write_probability(lower, &out->lower_probability);
    write_probability(upper, &out->upper_probability);
    set_open_probability(open, out);
    return true;
}

/* Bounds of a probability, proven at a horizon. */
typedef struct {
    rf_fraction lower, upper;
    unsigned horizon;
} bounds;

/* Whether the bounds differ by more than the options ask for; also true if the difference does not fit. */
static bool is_wide(const rf_task *t, const bounds *b)
{
    rf_fraction open, until = rf_zero;
    if (t->options->has_until)
        until = (rf_fraction){rf_join_halves(t->options->until.num), rf_join_halves(t->options->until.den)};
    return !rf_subtract(b->upper, b->lower, &open) || rf_compare(open, until) > 0;
}

/* The bounds at a horizon; false if a limit was reached. */
static bool find_bounds(search *s, unsigned horizon, bounds *out)
{
    question q = {.s = s->task->s, .plies = horizon, .paranoid = true, .player = s->task->out->player};
    q.kind = RF_CHANCE_VALUE;
    write_limit(rf_zero, &q.limit);
    out->horizon = horizon;
    if (ask(s, &q) == RF_CHANCE_STOPPED)
        return false;
    out->lower = probability_of(&s->found, 0);
    q.upper = true;
    if (ask(s, &q) == RF_CHANCE_STOPPED)
        return false;
    out->upper = probability_of(&s->found, 0);
    return true;
}

/* Raises the horizon ply by ply. Returns whether a limit was reached; then *before is the state one horizon earlier. */
static bool deepen(search *s, bounds *now, bounds *before)
{
    const rf_task *t = s->task;
    unsigned max = t->options->depth != 0 ? t->options->depth : RF_MAX_HORIZON;
    bounds next;
    while (now->horizon < max && is_wide(t, now)) {
        s->subsearch.control.depth = (int)now->horizon + 1;
        if (!find_bounds(s, now->horizon + 1, &next))
            return true;
        *before = *now;
        *now = next;
    }
    return false;
}

static bool search_paranoid(search *s, rf_children *children)
{
    const rf_task *t = s->task;
    rf_solution *out = t->out;
    bounds now = {rf_zero, rf_one, 0}, before = now;
    bool stopped = deepen(s, &now, &before);
    bool exact = rf_compare(now.lower, now.upper) == 0;
    node n = {.s = t->s, .left = now.horizon, .player = out->player, .value = now.lower};
    if (exact && (!rf_children_of(t, t->s, children) || !add_best_plies(s, &n, children)))
        return false;
    if (exact && out->best_count == 0 && !out->best_complete) {
        /* The value is only reported with a ply that keeps it. */
        stopped = true;
        exact = false;
        now = before;
    }
    out->horizon = now.horizon;
    if (stopped && rf_compare(now.lower, rf_zero) == 0 && rf_compare(now.upper, rf_one) == 0)
        return true;
    if (!set_bounds(t, now.lower, now.upper))
        s->subsearch.control.stopped = RF_STOPPED_OVERFLOW;
    return !exact || add_line(s, n, children);
}

static void set_paranoid_over(const rf_task *t)
{
    rf_fraction won = winner_of(t) == t->out->player ? rf_one : rf_zero;
    set_bounds(t, won, won);
    set_over(t->out);
}

/* ---- the solution ---- */

bool rf_solve_chance(const rf_task *t)
{
    bool paranoid = t->options->model == RF_MODEL_PARANOID;
    t->out->horizon = t->options->depth;
    if (paranoid)
        t->out->player = t->options->player != 0 ? t->options->player : rf_player(t->game, t->ctx, t->s);
    if (rf_outcome(t->game, t->ctx, t->s) != RF_OUTCOME_NONE) {
        (paranoid ? set_paranoid_over : set_maxn_over)(t);
        return true;
    }
    search s;
    rf_children children;
    if (!open_search(&s, t))
        return false;
    bool done = rf_children_new(t, &children) && (paranoid ? search_paranoid : search_maxn)(&s, &children);
    rf_children_free(&children);
    return close_search(&s) && done;
}
