/* Finding a line of best play by the positions that keep the margin. */
#include "search/margin_line.h"

#include <stdlib.h>

#include "common/position_set.h"
#include "control.h"
#include "game.h"

enum { MOST_LINE_POSITIONS = 1 << 20 };

/* A position reached by plies that keep the margin. */
typedef struct {
    rf_ply ply;
    uint32_t from;  /* the position before; itself at the root */
    uint32_t queue; /* the next one in the same stage */
} line_position;

/* Positions between two plies of progress, to be looked at in the order in which they were found. */
typedef struct {
    uint32_t head, tail; /* head == LINE_NONE: none left */
} line_stage;

static const uint32_t LINE_NONE = UINT32_MAX;

typedef struct {
    rf_set set;               /* the positions, by number */
    line_position *positions; /* how each was reached */
    line_stage *stages;
    uint32_t stage_count;
    rf_margin *m;
    const void *ctx;
    rf_control *control;
    int margin;
    const rf_margin_way *way; /* NULL: anywhere */
} line_search;

static void line_free(line_search *l)
{
    rf_set_free(&l->set);
    free(l->positions);
    free(l->stages);
}

/* Room for twice as many positions. */
static bool line_grow(line_search *l)
{
    uint64_t room = rf_set_next_room(&l->set);
    if (room > MOST_LINE_POSITIONS || !rf_set_grow(&l->set))
        return false;
    line_position *positions = realloc(l->positions, room * sizeof *positions);
    if (positions != NULL)
        l->positions = positions;
    line_stage *stages = realloc(l->stages, room * sizeof *stages);
    if (stages != NULL)
        l->stages = stages;
    return positions != NULL && stages != NULL;
}

/* A new position; LINE_NONE if there is no room. */
static uint32_t line_add(line_search *l, const rf_state *s, rf_ply ply, uint32_t from)
{
    if (l->set.count == l->set.room && !line_grow(l))
        return LINE_NONE;
    uint32_t added = rf_set_add(&l->set, s);
    l->positions[added] = (line_position){ply, from == LINE_NONE ? added : from, LINE_NONE};
    return added;
}

static void line_queue(line_search *l, uint32_t stage, uint32_t position)
{
    line_stage *q = &l->stages[stage];
    if (q->head == LINE_NONE)
        q->head = position;
    else
        l->positions[q->tail].queue = position;
    q->tail = position;
}

static void line_new_stage(line_search *l, uint32_t position)
{
    l->stages[l->stage_count] = (line_stage){LINE_NONE, LINE_NONE};
    line_queue(l, l->stage_count++, position);
}

static bool line_on_way(const line_search *l, const rf_state *s)
{
    const rf_game *game = l->m->game;
    uint64_t board = l->way == NULL ? 0 : game->margins->board(l->ctx, s);
    bool found = board == 0 || game->outcome(l->ctx, s) != RF_OUTCOME_NONE;
    for (int i = 0; !found && i < l->way->count; i++)
        found = l->way->boards[i] == board;
    return found;
}

enum { LINE_GOES_ON, LINE_ENDS, LINE_STOPPED };

/* Looks at the plies of one position. Those of progress begin stages of their own, which come next; if the margin is
 * not 0, the first of them is enough, since an end can be reached from every position of that margin. */
static int line_expand(line_search *l, uint32_t stage, uint32_t here, uint32_t *end)
{
    const rf_game *game = l->m->game;
    rf_state s;
    rf_set_get(&l->set, here, &s);
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = game->generate(l->ctx, &s, plies);
    unsigned side = game->player(l->ctx, &s) - 1;
    for (int progress = 0; progress <= 1; progress++)
        for (size_t i = 0; i < count; i++) {
            /* Stages are taken from the top: for margin 0 progress comes second here, so that it is tried first. */
            if (game->margins->progress(l->ctx, &s, plies[i]) != (progress == (l->margin == 0)))
                continue;
            rf_state next = {{0}};
            game->apply(l->ctx, &s, plies[i], &next);
            if (rf_set_find(&l->set, &next) != RF_NO_NUMBER || !line_on_way(l, &next))
                continue;
            int kept = rf_margin_keeps(l->m, l->ctx, &next, side, l->margin, l->control);
            if (kept == 0)
                continue;
            uint32_t there = kept < 0 ? LINE_NONE : line_add(l, &next, plies[i], here);
            if (there == LINE_NONE)
                return LINE_STOPPED;
            if (game->outcome(l->ctx, &next) != RF_OUTCOME_NONE) {
                *end = there;
                return LINE_ENDS;
            }
            if (progress == (l->margin == 0)) {
                line_new_stage(l, there);
                if (l->margin != 0)
                    return LINE_GOES_ON;
            } else {
                line_queue(l, stage, there);
            }
        }
    return LINE_GOES_ON;
}

/* Walks over the positions that best play can reach until one is an end (*end); LINE_GOES_ON: none is. */
static int line_walk(line_search *l, const rf_state *root, uint32_t *end)
{
    uint32_t first = line_add(l, root, 0, LINE_NONE);
    if (first == LINE_NONE)
        return LINE_STOPPED;
    line_new_stage(l, first);
    while (l->stage_count > 0) {
        uint32_t stage = l->stage_count - 1, here = l->stages[stage].head;
        if (here == LINE_NONE) {
            l->stage_count--;
            continue;
        }
        l->stages[stage].head = l->positions[here].queue;
        int state = line_expand(l, stage, here, end);
        if (state != LINE_GOES_ON)
            return state;
    }
    return LINE_GOES_ON;
}

/* The way from the root to a position, as far as there is room. */
static void line_write(const line_search *l, uint32_t end, rf_margin_result *result)
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

/* The ply of best play with which a line that never ends goes on: back into the line if one leads there, else one that
 * makes no progress if there is one. `states` are the positions of the line, the last one being where it goes on. */
static bool next_in_circle(rf_margin *m, const void *ctx, const rf_state *states, rf_margin_result *result,
                           rf_control *control)
{
    const rf_game *game = m->game;
    const rf_state *s = &states[result->line_length];
    rf_ply plies[RF_MARGIN_PLIES];
    size_t count = game->generate(ctx, s, plies);
    unsigned side = game->player(ctx, s) - 1;
    for (size_t i = 0; i < count; i++) {
        rf_state next = {{0}};
        game->apply(ctx, s, plies[i], &next);
        for (int j = 0; j <= result->line_length; j++)
            if (memcmp(&states[j], &next, game->state_size) == 0) {
                result->line[result->line_length++] = plies[i];
                result->line_complete = 1;
                return false;
            }
    }
    for (int progress = 0; progress <= 1; progress++)
        for (size_t i = 0; i < count; i++) {
            if (game->margins->progress(ctx, s, plies[i]) != (progress == 1))
                continue;
            rf_state next = {{0}};
            game->apply(ctx, s, plies[i], &next);
            int kept = rf_margin_keeps(m, ctx, &next, side, 0, control);
            if (kept < 0)
                return false;
            if (kept) {
                result->line[result->line_length++] = plies[i];
                return true;
            }
        }
    return false;
}

/* A line of best play until a position comes again; should it end after all, that is known then. */
static void line_in_circles(rf_margin *m, const void *ctx, const rf_state *root, rf_margin_result *result,
                            rf_control *control)
{
    rf_state *states = calloc(RF_MARGIN_LINE + 1, sizeof *states);
    if (states == NULL)
        return;
    states[0] = *root;
    while (result->line_length < RF_MARGIN_LINE && next_in_circle(m, ctx, states, result, control)) {
        int at = result->line_length;
        m->game->apply(ctx, &states[at - 1], result->line[at - 1], &states[at]);
        if (m->game->outcome(ctx, &states[at]) != RF_OUTCOME_NONE) {
            result->endless = 0;
            result->line_complete = 1;
            break;
        }
    }
    free(states);
}

/* A line to an end, if there is one; for margin 0 what is known of that is in result->endless. */
static void find_end(rf_margin *m, const void *ctx, const rf_state *s, const rf_margin_way *way,
                     rf_margin_result *result, rf_control *control)
{
    line_search l = {.m = m, .ctx = ctx, .control = control, .margin = result->lower, .way = way};
    rf_set_init(&l.set, m->game->state_size);
    uint32_t end = LINE_NONE;
    int state = line_walk(&l, s, &end);
    if (state == LINE_ENDS) {
        result->endless = 0;
        line_write(&l, end, result);
    } else if (state == LINE_GOES_ON && way == NULL) {
        result->endless = 1;
    }
    line_free(&l);
}

/* Whether best play of margin 0 ends, by the game's own way if it has one. */
static void find_whether_it_ends(rf_margin *m, const void *ctx, const rf_state *s, rf_margin_way *way,
                                 rf_margin_result *result, rf_control *control)
{
    const rf_game *game = m->game;
    if (game->margins->endless != NULL)
        result->endless = game->margins->endless(m, ctx, s, way, control);
    if (result->endless < 0 && control->stopped == RF_DONE)
        find_end(m, ctx, s, NULL, result, control);
}

void rf_margin_find_line(rf_margin *m, const void *ctx, const rf_state *s, rf_margin_result *result,
                         rf_control *control)
{
    rf_margin_way way = {.count = 0};
    if (result->lower != 0)
        result->endless = 0;
    else
        find_whether_it_ends(m, ctx, s, &way, result, control);
    if (result->line_complete || control->stopped != RF_DONE)
        return;
    if (result->endless == 0)
        find_end(m, ctx, s, way.count > 0 ? &way : NULL, result, control);
    else
        line_in_circles(m, ctx, s, result, control);
}
