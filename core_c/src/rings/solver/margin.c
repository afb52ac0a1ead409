/* The margin, from questions with a yes or no.
 *
 * Idea: the first threshold is the present score. The next ones are two further in the direction of the last answer
 * (or next to the last bound, if bounds jump), until the answers change: entries of one threshold help at the next. A
 * question has a number of nodes. If that is not enough, thresholds further away are asked with fewer nodes, halfway
 * to the proven bound, so that both bounds narrow; then the first question continues with four times the nodes.
 *
 * Invariant: bounds[0] <= South's margin <= bounds[1] at all times.
 *
 * Example: bounds -20 to 20, score 3: asks 3 (yes), 5 (no), 4 (open after 16,384 nodes), then nothing away from it is
 * left, and asks 4 with 65,536 nodes. */
#include "rings/solver/holders.h"
#include "rings/solver/solver.h"

/* ---- one question ---- */

/* The nearest earlier threshold in steps of `step` from this one, with the same attacker. */
static int kr_searched_before(const kr_search *search, int threshold, int step)
{
    for (int t = threshold + step; t >= -RF_MAX_MARGIN && t <= RF_MAX_MARGIN; t += step)
        if ((t > 0) != (threshold > 0))
            break;
        else if (search->asked[t + RF_MAX_MARGIN])
            return t;
    return KR_NO_THRESHOLD;
}

void kr_find_near_thresholds(const kr_search *search, int threshold, int *harder, int *easier)
{
    *harder = kr_searched_before(search, threshold, threshold > 0 ? 1 : -1);
    *easier = kr_searched_before(search, threshold, threshold > 0 ? -1 : 1);
}

/* The answer of this thread. If `bounds` is not NULL and the position has no bare knight, narrows them too and sets
 * *jumps. */
static int kr_search_in_thread(kr_search *search, const rf_state *s, int threshold, int *bounds, bool *jumps,
                           rf_control *control)
{
    if (bounds != NULL) {
        *jumps = kr_narrow_without_bare(search, kr_state_of(s), threshold, bounds, control);
        if (*jumps)
            return control->stopped != RF_DONE ? -1 : bounds[0] >= threshold;
    }
    kr_invalidate_open_groups(&search->groups);
    kr_find_near_thresholds(search, threshold, &search->harder, &search->easier);
    search->asked[threshold + RF_MAX_MARGIN] = true;
    search->root_has_ply = false;
    search->next_path_check = 0;
    int answer = kr_search_threshold(search, s, threshold, control);
    if (control->stopped != RF_DONE)
        return -1;
    return threshold > 0 ? answer : !answer;
}

/* The answer of this thread, or of the first helper that has it. */
static int kr_search_with_helpers(kr_search *search, const rf_state *s, int threshold, int *bounds, bool *jumps,
                                  rf_control *control)
{
    kr_shared *shared = search->shared;
    int answer;
    kr_post_question(shared, s, threshold);
    control->answered = &shared->stops[0];
    do {
        answer = kr_search_in_thread(search, s, threshold, bounds, jumps, control);
        if (control->stopped == RF_STOPPED_ANSWERED) {
            control->stopped = RF_DONE;
            answer = kr_read_answer(shared, &search->root_ply, &search->root_has_ply);
        }
    } while (answer < 0 && control->stopped == RF_DONE);
    control->answered = NULL;
    kr_end_question(shared);
    return answer;
}

static int kr_search_and_narrow(kr_search *search, const rf_state *s, int threshold, int *bounds, bool *jumps,
                                rf_control *control)
{
    if (search->shared != NULL && search->thread == 0)
        return kr_search_with_helpers(search, s, threshold, bounds, jumps, control);
    return kr_search_in_thread(search, s, threshold, bounds, jumps, control);
}

int kr_margin_is_at_least(kr_search *search, const rf_state *s, int threshold, rf_control *control)
{
    if (threshold < -RF_MAX_MARGIN || threshold > RF_MAX_MARGIN)
        return threshold < 0;
    return kr_search_and_narrow(search, s, threshold, NULL, NULL, control);
}

int kr_keeps_margin(kr_search *search, const rf_state *after, unsigned side, int margin, rf_control *control)
{
    if (side == KR_SOUTH)
        return kr_margin_is_at_least(search, after, margin, control);
    int more = kr_margin_is_at_least(search, after, margin + 1, control);
    return more < 0 ? more : !more;
}

void kr_help(kr_search *search)
{
    kr_shared *shared = search->shared;
    uint64_t done = 0; /* number of the last question that was answered */
    while (!kr_shared_is_closed(shared)) {
        kr_posted_question q;
        if (!kr_read_question(shared, search->thread, done, &q)) {
            rf_sleep_briefly();
            continue;
        }
        rf_control control = {.cancel = &shared->stops[search->thread]};
        rf_control_start(&control);
        if (kr_shared_is_closed(shared))
            break;
        int answer = kr_margin_is_at_least(search, &q.state, q.threshold, &control);
        __atomic_fetch_add(&shared->nodes, control.nodes, __ATOMIC_RELAXED);
        if (control.stopped == RF_STOPPED_MEMORY)
            return;
        if (control.stopped != RF_DONE)
            continue;
        done = q.number;
        kr_post_answer(shared, search->thread, q.number, answer != 0, search->root_has_ply ? &search->root_ply : NULL);
    }
}

/* ---- the margin ---- */

/* Reports the bounds to the caller. */
static void kr_report_bounds(const kr_margin *m)
{
    bool south = kr_state_of(m->s)->side == KR_SOUTH;
    m->control->lower = south ? m->bounds[0] : -m->bounds[1];
    m->control->upper = south ? m->bounds[1] : -m->bounds[0];
}

/* Asks whether South's margin is at least `threshold`, bounds[0] < threshold <= bounds[1], with this many nodes.
 * Whether it was answered: then the bounds are on one side of the threshold. */
static bool kr_answer_within(kr_margin *m, int threshold, uint64_t nodes)
{
    kr_search *search = m->search;
    int bounds[2] = {m->bounds[0], m->bounds[1]};
    uint64_t outer_limit = rf_set_node_limit(m->control, nodes);
    int answer = kr_search_and_narrow(search, m->s, threshold, bounds, &m->jumps, m->control);
    rf_restore_node_limit(m->control, outer_limit);
    if (answer < 0)
        return false;
    /* A helper's answer has no bounds. */
    if (answer && bounds[0] < threshold)
        bounds[0] = threshold;
    if (!answer && bounds[1] >= threshold)
        bounds[1] = threshold - 1;
    if (!m->jumps && (kr_state_of(m->s)->side == KR_SOUTH) == (answer != 0)) {
        m->has_ply = search->root_has_ply;
        m->ply = search->root_ply;
    }
    memcpy(m->before, m->bounds, sizeof m->before);
    memcpy(m->bounds, bounds, sizeof m->bounds);
    kr_report_bounds(m);
    return true;
}

static bool kr_margin_is_open(const kr_margin *m)
{
    return m->bounds[0] < m->bounds[1] && m->control->stopped == RF_DONE;
}

enum { KR_THRESHOLD_STEP = 2 };

/* Asks from a threshold on, each next to the last answer. Returns the threshold of the first question without an
 * answer. */
static int kr_walk_thresholds(kr_margin *m, int threshold, uint64_t nodes)
{
    for (;;) {
        int lower = m->bounds[0];
        threshold = threshold <= lower ? lower + 1 : threshold > m->bounds[1] ? m->bounds[1] : threshold;
        if (!kr_margin_is_open(m) || !kr_answer_within(m, threshold, nodes))
            return threshold;
        bool at_least = m->bounds[0] > lower;
        if (m->jumps)
            threshold = at_least ? m->bounds[0] + 1 : m->bounds[1];
        else
            threshold += at_least ? KR_THRESHOLD_STEP : -KR_THRESHOLD_STEP;
    }
}

/* Narrows both bounds towards a threshold without an answer: thresholds further away take fewer nodes. Halves the
 * distance between the bound and the nearest threshold without an answer until nothing is between them. */
static void kr_narrow_around(kr_margin *m, int threshold, uint64_t nodes)
{
    for (int open = threshold; kr_margin_is_open(m) && open < m->bounds[1];) {
        int middle = open + (m->bounds[1] - open + 1) / 2;
        if (!kr_answer_within(m, middle, nodes))
            open = middle;
        else if (m->bounds[0] >= middle)
            return;
    }
    for (int open = threshold; kr_margin_is_open(m) && open > m->bounds[0] + 1;) {
        int middle = open - (open - m->bounds[0]) / 2;
        if (!kr_answer_within(m, middle, nodes))
            open = middle;
        else if (m->bounds[1] < middle)
            return;
    }
}

/* Nodes of one question next to the last answer, and their growth; questions further away have an eighth. Found by
 * trial. */
enum { KR_FIRST_NODES = 1 << 14, KR_NODES_GROWTH = 4, KR_FEWER_NODES = 8 };

void kr_find_margin(kr_margin *m)
{
    int threshold = kr_balance(kr_state_of(m->s));
    kr_report_bounds(m);
    for (uint64_t nodes = KR_FIRST_NODES; kr_margin_is_open(m); nodes *= KR_NODES_GROWTH) {
        threshold = kr_walk_thresholds(m, threshold, nodes);
        kr_narrow_around(m, threshold, nodes / KR_FEWER_NODES);
    }
}
