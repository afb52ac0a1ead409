/* A line of best play by the positions that keep the margin.
 *
 * Idea: a graph search from the root over plies that keep the margin: depth first over plies of progress (K11), and
 * breadth first between them. A stage is the queue of the positions between two plies of progress. The first ply of
 * progress that keeps the margin begins a new stage, and the others wait until that has no positions left: each ply
 * costs a question. If the margin is not 0, they wait forever: every position of that margin leads to an end.
 *
 * Invariant: the order of plies is that of the lists, so the line depends on the position only.
 *
 * Example: margin 0 and no end: the search visits all positions of best play, finds none, and `endless` is 1. The
 * line is then best play until a position repeats. */
#include "common/position_set.h"
#include "rings/solver/solver.h"

#include <stdlib.h>

enum { KR_MAX_LINE_POSITIONS = 1 << 18 };
static const uint32_t kr_no_position = UINT32_MAX;

typedef struct kr_line_position {
    rf_ply ply;
    uint32_t from;  /* the position before it; itself at the root */
    uint32_t next;  /* in its stage */
    uint32_t tried; /* plies, of those that make progress */
} kr_line_position;

/* A queue of positions. */
typedef struct kr_stage {
    uint32_t head, tail; /* head == kr_no_position: empty */
} kr_stage;

typedef struct kr_line_search {
    rf_position_set set; /* the positions, by number */
    kr_line_position *positions;
    kr_stage *stages;
    uint32_t stage_count;
    kr_search *search;
    rf_control *control;
    int margin;
    const kr_route *route; /* NULL: no restriction */
} kr_line_search;

static void kr_line_free(kr_line_search *l)
{
    rf_position_set_free(&l->set);
    free(l->positions);
    free(l->stages);
}

static bool kr_line_grow(kr_line_search *l)
{
    uint64_t capacity = rf_position_set_next_capacity(&l->set);
    if (capacity > KR_MAX_LINE_POSITIONS || !rf_position_set_grow(&l->set))
        return false;
    kr_line_position *positions = realloc(l->positions, capacity * sizeof *positions);
    if (positions != NULL)
        l->positions = positions;
    kr_stage *stages = realloc(l->stages, capacity * sizeof *stages);
    if (stages != NULL)
        l->stages = stages;
    return positions != NULL && stages != NULL;
}

/* Adds a new position; kr_no_position if memory or the limit ran out. */
static uint32_t kr_add_position(kr_line_search *l, const rf_state *s, rf_ply ply, uint32_t from)
{
    if (l->set.count == l->set.capacity && !kr_line_grow(l))
        return kr_no_position;
    uint32_t added = rf_position_set_add(&l->set, s);
    l->positions[added] = (kr_line_position){ply, from == kr_no_position ? added : from, kr_no_position, 0};
    return added;
}

static void kr_enqueue(kr_line_search *l, uint32_t stage, uint32_t position)
{
    kr_stage *q = &l->stages[stage];
    if (q->head == kr_no_position)
        q->head = position;
    else
        l->positions[q->tail].next = position;
    q->tail = position;
}

static void kr_begin_stage(kr_line_search *l, uint32_t position)
{
    l->stages[l->stage_count] = (kr_stage){kr_no_position, kr_no_position};
    kr_enqueue(l, l->stage_count++, position);
}

static bool kr_is_on_route(const kr_line_search *l, const rf_state *s)
{
    uint64_t board = l->route == NULL ? 0 : kr_board_key(s);
    bool found = board == 0 || kr_is_over(kr_state_of(s));
    for (int i = 0; !found && i < l->route->count; i++)
        found = l->route->boards[i] == board;
    return found;
}

/* False: no play from here ends with equal scores. All rings stay on the board. If their points are odd, scores can be
 * equal only after two passes, with a ring that stays free and no knight in hand (K9). The number of free rings minus
 * that of knights in hand never increases: a drop takes a ring (K8), and a captured holder goes to the hand (K7). */
static bool kr_can_end_level(const kr_state *s)
{
    unsigned in_hand = (unsigned)s->hands[KR_SOUTH] + s->hands[KR_NORTH];
    return kr_all_points(s) % 2 == 0 || rf_popcount(kr_free(s)) > in_hand;
}

enum { KR_LINE_CONTINUES, KR_LINE_ENDS, KR_LINE_STOPPED };

/* Looks at one ply of a position. Sets *there to the position after it if that is new and keeps the margin, else to
 * kr_no_position. */
static int kr_try_line_ply(kr_line_search *l, uint32_t here, const rf_state *s, rf_ply ply, uint32_t *there)
{
    rf_state next;
    *there = kr_no_position;
    kr_state_after(s, ply, &next);
    if (l->margin == 0 && !kr_can_end_level(kr_state_of(&next)))
        return KR_LINE_CONTINUES;
    if (rf_position_set_find(&l->set, &next) != RF_NO_NUMBER || !kr_is_on_route(l, &next))
        return KR_LINE_CONTINUES;
    int kept = kr_keeps_margin(l->search, &next, kr_state_of(s)->side, l->margin, l->control);
    if (kept == 0)
        return KR_LINE_CONTINUES;
    *there = kept < 0 ? kr_no_position : kr_add_position(l, &next, ply, here);
    if (*there == kr_no_position)
        return KR_LINE_STOPPED;
    return kr_is_over(kr_state_of(&next)) ? KR_LINE_ENDS : KR_LINE_CONTINUES;
}

/* Tries the plies of progress of a position, from the next one on, until one begins a stage. */
static int kr_try_progress(kr_line_search *l, uint32_t here, const rf_state *s, const rf_ply *plies, size_t count,
                           uint32_t *there)
{
    while (l->positions[here].tried < count) {
        rf_ply ply = plies[l->positions[here].tried++];
        if (!kr_makes_progress(kr_state_of(s), ply))
            continue;
        int result = kr_try_line_ply(l, here, s, ply, there);
        if (result != KR_LINE_CONTINUES || *there != kr_no_position)
            return result;
    }
    return KR_LINE_CONTINUES;
}

/* Continues with a position, the first of the last stage: a ply of progress begins a new stage; if there is none left,
 * the positions after the other plies join the stage and the position leaves it. */
static int kr_expand(kr_line_search *l, uint32_t here, uint32_t *end)
{
    rf_state s;
    rf_position_set_get(&l->set, here, &s);
    rf_ply plies[KR_MAX_PLIES];
    size_t count = kr_legal_plies(kr_state_of(&s), plies);
    uint32_t there = kr_no_position;
    int result = kr_try_progress(l, here, &s, plies, count, &there);
    if (result == KR_LINE_CONTINUES && there != kr_no_position)
        kr_begin_stage(l, there);
    if (result != KR_LINE_CONTINUES || there != kr_no_position) {
        *end = there;
        return result;
    }
    uint32_t stage = l->stage_count - 1;
    for (size_t i = 0; i < count && result == KR_LINE_CONTINUES; i++) {
        if (kr_makes_progress(kr_state_of(&s), plies[i]))
            continue;
        result = kr_try_line_ply(l, here, &s, plies[i], &there);
        if (there != kr_no_position)
            kr_enqueue(l, stage, there);
        *end = there;
    }
    l->stages[stage].head = l->positions[here].next;
    return result;
}

/* Visits the positions that best play can reach until one is an end (*end). KR_LINE_CONTINUES: none is. */
static int kr_walk_line(kr_line_search *l, const rf_state *root, uint32_t *end)
{
    uint32_t first = kr_add_position(l, root, 0, kr_no_position);
    if (first == kr_no_position)
        return KR_LINE_STOPPED;
    kr_begin_stage(l, first);
    while (l->stage_count > 0) {
        uint32_t stage = l->stage_count - 1, here = l->stages[stage].head;
        if (here == kr_no_position) {
            l->stage_count--;
            continue;
        }
        int result = kr_expand(l, here, end);
        if (result != KR_LINE_CONTINUES)
            return result;
    }
    return KR_LINE_CONTINUES;
}

/* Writes the plies from the root to a position, as many as fit. */
static void kr_write_line(const kr_line_search *l, uint32_t end, rf_margin_result *result)
{
    int length = 0;
    for (uint32_t at = end; l->positions[at].from != at; at = l->positions[at].from)
        length++;
    result->line_complete = length <= RF_MARGIN_LINE;
    result->line_length = length <= RF_MARGIN_LINE ? length : RF_MARGIN_LINE;
    for (uint32_t at = end; l->positions[at].from != at; at = l->positions[at].from)
        if (--length < RF_MARGIN_LINE)
            result->line[length] = l->positions[at].ply;
}

/* Finds a line to an end. Without a route it also sets `endless`, for margin 0. */
static void kr_find_end(kr_search *search, const rf_state *s, const kr_route *route, rf_margin_result *result,
                        rf_control *control)
{
    kr_line_search l = {.search = search, .control = control, .margin = result->lower, .route = route};
    rf_position_set_init(&l.set, sizeof(kr_state));
    uint32_t end = kr_no_position;
    int found = kr_walk_line(&l, s, &end);
    if (found == KR_LINE_ENDS) {
        result->endless = 0;
        kr_write_line(&l, end, result);
    } else if (found == KR_LINE_CONTINUES && route == NULL) {
        result->endless = 1;
    }
    kr_line_free(&l);
}

/* ---- lines without an end ---- */

static void kr_append(rf_margin_result *result, rf_ply ply) { result->line[result->line_length++] = ply; }

/* Adds a ply of best play to a line without an end: one that leads back into the line, else one that makes no
 * progress if there is one. `states` are the positions of the line. Whether the line continues. */
static bool kr_extend_cycle(kr_search *search, const rf_state *states, rf_margin_result *result, rf_control *control)
{
    const rf_state *s = &states[result->line_length];
    rf_ply plies[KR_MAX_PLIES];
    rf_state next;
    size_t count = kr_legal_plies(kr_state_of(s), plies);
    for (size_t i = 0; i < count; i++) {
        kr_state_after(s, plies[i], &next);
        for (int j = 0; j <= result->line_length; j++)
            if (memcmp(&states[j], &next, sizeof(kr_state)) == 0) {
                kr_append(result, plies[i]);
                result->line_complete = 1;
                return false;
            }
    }
    for (int progress = 0; progress <= 1; progress++)
        for (size_t i = 0; i < count; i++) {
            if (kr_makes_progress(kr_state_of(s), plies[i]) != (progress == 1))
                continue;
            kr_state_after(s, plies[i], &next);
            int kept = kr_keeps_margin(search, &next, kr_state_of(s)->side, 0, control);
            if (kept < 0)
                return false;
            if (kept) {
                kr_append(result, plies[i]);
                return true;
            }
        }
    return false;
}

/* A line of best play until a position repeats; if it ends after all, `endless` is 0. */
static void kr_find_cycle(kr_search *search, const rf_state *root, rf_margin_result *result, rf_control *control)
{
    rf_state *states = calloc(RF_MARGIN_LINE + 1, sizeof *states);
    if (states == NULL)
        return;
    states[0] = *root;
    while (result->line_length < RF_MARGIN_LINE && kr_extend_cycle(search, states, result, control)) {
        int at = result->line_length;
        kr_state_after(&states[at - 1], result->line[at - 1], &states[at]);
        if (kr_is_over(kr_state_of(&states[at]))) {
            result->endless = 0;
            result->line_complete = 1;
            break;
        }
    }
    free(states);
}

void kr_find_line(kr_search *search, const rf_state *s, rf_margin_result *result, rf_control *control)
{
    kr_route route = {.count = 0};
    if (result->lower != 0) {
        result->endless = 0;
    } else {
        result->endless = kr_is_endless(search, s, &route, control);
        if (result->endless < 0 && control->stopped == RF_DONE)
            kr_find_end(search, s, NULL, result, control);
    }
    if (result->line_complete || control->stopped != RF_DONE)
        return;
    if (result->endless == 0)
        kr_find_end(search, s, route.count > 0 ? &route : NULL, result, control);
    else
        kr_find_cycle(search, s, result, control);
}
