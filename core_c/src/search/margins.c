/* From questions with a yes or no to a margin: which thresholds are asked, and which plies keep the value. */
#include "search/margins.h"

#include "control.h"
#include "game.h"
#include "search/margin_line.h"
#include "search/margin_team.h"

/* ---- one question ---- */

/* The nearest threshold asked before in steps of `step` from this one, with the same attacker. */
static int asked_before(const rf_margin *m, int threshold, int step)
{
    for (int t = threshold + step; t >= -RF_MOST_MARGIN && t <= RF_MOST_MARGIN; t += step)
        if ((t > 0) != (threshold > 0))
            break;
        else if (m->asked[t + RF_MOST_MARGIN])
            return t;
    return RF_NO_THRESHOLD;
}

void rf_margin_near(const rf_margin *m, int threshold, int *harder, int *easier)
{
    *harder = asked_before(m, threshold, threshold > 0 ? 1 : -1);
    *easier = asked_before(m, threshold, threshold > 0 ? -1 : 1);
}

/* Bounds of South's margin for the game to narrow by a way of its own (rf_margin_part.bounds), if it has one here. */
typedef struct {
    int bounds[2];
    bool used;
} own_way;

static bool take_own_way(rf_margin *m, const void *ctx, const rf_state *s, int threshold, own_way *way,
                         rf_control *control)
{
    way->used = m->game->margins->bounds != NULL && m->game->margins->bounds(m, ctx, s, threshold, way->bounds, control);
    return way->used;
}

/* The attacker's answer, as an answer to 'at least `threshold`?'; -1 if stopped. `way` may be NULL. */
static int ask_alone(rf_margin *m, const void *ctx, const rf_state *s, int threshold, own_way *way, rf_control *control)
{
    if (way != NULL && take_own_way(m, ctx, s, threshold, way, control))
        return control->stopped != RF_DONE ? -1 : way->bounds[0] >= threshold;
    for (uint32_t i = 0; i < m->open_count; i++) /* left by a call that was stopped */
        m->groups[m->open_groups[i]].state = RF_GROUP_VOID;
    m->open_count = 0;
    rf_margin_near(m, threshold, &m->harder, &m->easier);
    m->asked[threshold + RF_MOST_MARGIN] = true;
    m->root_has_ply = false;
    m->next_scan = 0;
    int answer = m->game->margins->attack(m, ctx, s, threshold, control);
    if (control->stopped != RF_DONE)
        return -1;
    return threshold > 0 ? answer : !answer;
}

/* The answer of this thread, or of the first helper to have it. */
static int ask_with_helpers(rf_margin *m, const void *ctx, const rf_state *s, int threshold, own_way *way,
                            rf_control *control)
{
    int answer;
    rf_team_announce(m->team, ctx, s, threshold);
    control->answered = &m->team->stops[0];
    do {
        answer = ask_alone(m, ctx, s, threshold, way, control);
        if (control->stopped == RF_STOPPED_ANSWERED) {
            control->stopped = RF_DONE;
            answer = rf_team_take_answer(m);
        }
    } while (answer < 0 && control->stopped == RF_DONE);
    control->answered = NULL;
    rf_team_finish(m->team);
    return answer;
}

static int ask(rf_margin *m, const void *ctx, const rf_state *s, int threshold, own_way *way, rf_control *control)
{
    if (m->team != NULL && m->helper == 0)
        return ask_with_helpers(m, ctx, s, threshold, way, control);
    return ask_alone(m, ctx, s, threshold, way, control);
}

int rf_margin_ask(rf_margin *m, const void *ctx, const rf_state *s, int threshold, rf_control *control)
{
    if (threshold < -RF_MOST_MARGIN || threshold > RF_MOST_MARGIN)
        return threshold < 0;
    return ask(m, ctx, s, threshold, NULL, control);
}

/* ---- the margin ---- */

/* What is known of South's margin. */
typedef struct {
    rf_margin *m;
    const void *ctx;
    const rf_state *s;
    rf_control *control;
    int bounds[2];
    int before[2];  /* the bounds before the last answer */
    bool strides;   /* the game has a way of its own to bounds, which go beyond what was asked */
    bool has_ply;   /* a ply is known to keep the lower bound, or for North the upper one */
    rf_ply ply;
} margin_search;

/* Asks whether South's margin is at least `threshold`, which lies above the lower bound and not above the upper one, with
 * as many nodes. Whether it was answered; the bounds then lie on one side of the threshold. */
static bool margin_asked(margin_search *n, int threshold, uint64_t nodes)
{
    rf_margin *m = n->m;
    own_way way = {{n->bounds[0], n->bounds[1]}, false};
    uint64_t whole = rf_begin_part(n->control, nodes);
    int answer = ask(m, n->ctx, n->s, threshold, &way, n->control);
    rf_end_part(n->control, whole);
    n->strides = way.used;
    if (answer < 0)
        return false;
    /* A helper's answer says no more than this. */
    if (answer && way.bounds[0] < threshold)
        way.bounds[0] = threshold;
    if (!answer && way.bounds[1] >= threshold)
        way.bounds[1] = threshold - 1;
    if (!way.used && (m->game->player(n->ctx, n->s) == 1) == (answer != 0)) {
        n->has_ply = m->root_has_ply;
        n->ply = m->root_ply;
    }
    memcpy(n->before, n->bounds, sizeof n->before);
    memcpy(n->bounds, way.bounds, sizeof n->bounds);
    return true;
}

static bool margin_is_open(const margin_search *n)
{
    return n->bounds[0] < n->bounds[1] && n->control->stopped == RF_DONE;
}

enum { THRESHOLD_STEP = 2 };

/* From a threshold on, each question next to the last answer: in steps, as what is known at one threshold helps at the
 * next. Ends with a question that is not answered and gives its threshold. */
static int walk_on(margin_search *n, int threshold, uint64_t nodes)
{
    for (;;) {
        int lower = n->bounds[0];
        threshold = threshold <= lower ? lower + 1 : threshold > n->bounds[1] ? n->bounds[1] : threshold;
        if (!margin_is_open(n) || !margin_asked(n, threshold, nodes))
            return threshold;
        bool at_least = n->bounds[0] > lower;
        if (n->strides)
            threshold = at_least ? n->bounds[0] + 1 : n->bounds[1];
        else
            threshold += at_least ? THRESHOLD_STEP : -THRESHOLD_STEP;
    }
}

/* Draws both bounds nearer to a threshold that is not answered: thresholds further away take fewer nodes. Halves what
 * lies between the bound and the nearest threshold without an answer until nothing does. */
static void close_in(margin_search *n, int threshold, uint64_t nodes)
{
    for (int open = threshold; margin_is_open(n) && open < n->bounds[1];) {
        int middle = open + (n->bounds[1] - open + 1) / 2;
        if (!margin_asked(n, middle, nodes))
            open = middle;
        else if (n->bounds[0] >= middle)
            return;
    }
    for (int open = threshold; margin_is_open(n) && open > n->bounds[0] + 1;) {
        int middle = open - (open - n->bounds[0]) / 2;
        if (!margin_asked(n, middle, nodes))
            open = middle;
        else if (n->bounds[1] < middle)
            return;
    }
}

/* Nodes for one question on the walk, in one round after another; of those away from it a part. */
enum { FIRST_NODES = 1 << 14, NODES_GROWTH = 4, NODES_AWAY = 8 };

static void find_margin(margin_search *n)
{
    int threshold = n->m->game->margins->score(n->ctx, n->s);
    for (uint64_t nodes = FIRST_NODES; margin_is_open(n); nodes *= NODES_GROWTH) {
        threshold = walk_on(n, threshold, nodes);
        close_in(n, threshold, nodes / NODES_AWAY);
    }
}

int rf_margin_keeps(rf_margin *m, const void *ctx, const rf_state *after, unsigned side, int margin, rf_control *control)
{
    if (side == 0)
        return rf_margin_ask(m, ctx, after, margin, control);
    int more = rf_margin_ask(m, ctx, after, margin + 1, control);
    return more < 0 ? more : !more;
}

/* ---- best plies ---- */

/* Looks for a ply that keeps the margin where none is known, first for one that takes few nodes. */
static void find_one_best(margin_search *n)
{
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = n->m->game->generate(n->ctx, n->s, plies);
    unsigned side = n->m->game->player(n->ctx, n->s) - 1;
    for (uint64_t nodes = 1; !n->has_ply && n->control->stopped == RF_DONE; nodes *= NODES_GROWTH)
        for (size_t i = 0; i < count && !n->has_ply && n->control->stopped == RF_DONE; i++) {
            rf_state next = {{0}};
            n->m->game->apply(n->ctx, n->s, plies[i], &next);
            uint64_t whole = rf_begin_part(n->control, nodes);
            n->has_ply = rf_margin_keeps(n->m, n->ctx, &next, side, n->bounds[0], n->control) == 1;
            rf_end_part(n->control, whole);
            n->ply = plies[i];
        }
}

/* All plies that keep the margin; with control->stopped those that are known to. */
static void find_best(margin_search *n, rf_margin_result *result)
{
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = n->m->game->generate(n->ctx, n->s, plies);
    unsigned side = n->m->game->player(n->ctx, n->s) - 1;
    result->best_complete = 1;
    for (size_t i = 0; i < count; i++) {
        rf_state next = {{0}};
        n->m->game->apply(n->ctx, n->s, plies[i], &next);
        bool known = plies[i] == n->ply;
        int kept = known;
        if (!known && result->best_complete)
            kept = rf_margin_keeps(n->m, n->ctx, &next, side, n->bounds[0], n->control);
        if (kept > 0)
            result->best[result->best_count++] = plies[i];
        else if (kept < 0)
            result->best_complete = 0;
    }
}

int rf_margin_widest(const rf_game *game, const void *ctx, const rf_state *s) { return game->margins->widest(ctx, s); }

void rf_margin_solve(rf_margin *m, const void *ctx, const rf_state *s, rf_margin_result *result, rf_control *control)
{
    memset(result, 0, sizeof *result);
    result->endless = -1;
    rf_control_start(control);
    if (m->game->outcome(ctx, s) != RF_OUTCOME_NONE) {
        result->lower = result->upper = m->game->margins->score(ctx, s);
        result->best_complete = result->line_complete = 1;
        result->endless = 0;
        return;
    }
    int widest = rf_margin_widest(m->game, ctx, s);
    margin_search n = {.m = m, .ctx = ctx, .s = s, .control = control, .bounds = {-widest, widest}};
    memcpy(n.before, n.bounds, sizeof n.before);
    find_margin(&n);
    bool found = n.bounds[0] == n.bounds[1];
    if (found)
        find_one_best(&n);
    /* A margin counts as proven once a ply that keeps it is known too. */
    const int *proven = found && !n.has_ply ? n.before : n.bounds;
    result->lower = proven[0];
    result->upper = proven[1];
    if (!found || !n.has_ply)
        return;
    find_best(&n, result);
    if (control->stopped == RF_DONE)
        rf_margin_find_line(m, ctx, s, result, control);
}
