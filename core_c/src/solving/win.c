/* Win, loss or draw (rf_solve_win).
 *
 * Idea: retrograde analysis of all positions that can be reached, if they fit in memory. If it has no answer, forward
 * search, which finds wins and losses but never proves a draw. With a depth, only forward search.
 *
 * Invariants: retrograde analysis uses at most half of the limits, and forward search the rest. A ply that wins at once
 * is found under every limit.
 *
 * Example: a sun against a champion on a board of 3x3 has at most 2 * 18 * 9 = 324 placements, which fit in memory. The
 * start position of Siaius gets a short attempt with 16 MB, then forward search. */
#include "common/text.h"
#include "control.h"
#include "game.h"
#include "search/graph.h"
#include "solving/forward.h"
#include "solving/task.h"

enum {
    BYTES_PER_POSITION = 250, /* about, of a position that can be reached, with its successors and the analysis */
    /* Always enough for one placement of the stones: up to two positions (they differ in the stones that may be huffed)
     * with up to 30 successors each, and twice that while the graph grows. */
    BYTES_PER_PLACEMENT = 1024,
    BYTES_OF_SHORT_ATTEMPT = 16 << 20, /* with a number of stones that makes success unlikely */
    MAX_ADVISED_MEMORY = 1 << 16,      /* in MB: hardly any computer has more */
    MAX_NODES_AFTER_RETROGRADE = 100000000 /* of forward search, if more memory would have given a solution */
};
static const uint64_t MAX_POSITIONS = UINT64_C(1) << 31; /* of a graph */

bool rf_fits_in_memory(const rf_game *game, const void *ctx, const rf_state *s, uint64_t bytes)
{
    uint64_t placements = rf_estimate_reachable(game, ctx, s);
    return placements != 0 && placements <= bytes / BYTES_PER_POSITION;
}

/* ---- best play by the values of a graph ---- */

/* A win, a loss or a draw. */
typedef struct {
    unsigned winner;   /* 0: a draw */
    uint32_t distance; /* plies to the end; 0 for a draw */
} node_value;

/* The value of a position of the graph. */
static node_value value_of(const rf_graph *graph, const rf_state *s)
{
    const uint64_t node = (uint64_t)rf_graph_find(graph, s);
    return (node_value){rf_graph_winner(graph, node), rf_graph_distance(graph, node)};
}

/* Whether a ply keeps the value, and with `exact` the distance. */
static bool keeps(node_value before, node_value after, bool exact)
{
    return before.winner == after.winner && (before.winner == 0 || !exact || before.distance == after.distance + 1);
}

/* Adds the plies that keep the value; false if memory ran out. */
static bool add_best_plies(const rf_task *t, const rf_graph *graph, const rf_children *children)
{
    const node_value value = value_of(graph, t->s);
    for (size_t i = 0; i < children->count; i++)
        if (keeps(value, value_of(graph, &children->states[i]), !t->options->wdl) &&
            !rf_add_best(t->out, children->plies[i]))
            return false;
    return true;
}

/* Adds the first best ply in byte order of each position, to the end of the game or the first repetition. False if
 * memory ran out. */
static bool add_line(const rf_task *t, const rf_graph *graph, rf_children *children)
{
    rf_position_set seen;
    rf_position_set_init(&seen, rf_game_state_size(t->game));
    rf_state at = *t->s;
    bool done = true;
    while (done && rf_outcome(t->game, t->ctx, &at) == RF_OUTCOME_NONE &&
           rf_position_set_find(&seen, &at) == RF_NO_NUMBER) {
        size_t best = 0;
        const node_value value = value_of(graph, &at);
        done = (seen.count < seen.capacity || rf_position_set_grow(&seen)) && rf_children_of(t, &at, children);
        if (!done)
            break;
        rf_position_set_add(&seen, &at);
        while (best + 1 < children->count && !keeps(value, value_of(graph, &children->states[best]), true))
            best++;
        done = rf_add_to_line(t->out, children->plies[best]);
        const rf_state next = children->states[best];
        at = next;
    }
    rf_position_set_free(&seen);
    return done;
}

/* Fills in the solution; false if memory ran out. */
static bool set_solution(const rf_task *t, const rf_graph *graph)
{
    rf_children children;
    const node_value value = value_of(graph, t->s);
    bool done = rf_children_new(t, &children) && rf_children_of(t, t->s, &children) &&
                add_best_plies(t, graph, &children) && add_line(t, graph, &children);
    rf_children_free(&children);
    rf_set_winner(t, value.winner, &t->out->answer);
    t->out->answer.status = RF_STATUS_EXACT;
    t->out->answer.distance = value.winner == 0 || t->options->wdl ? -1 : (int)value.distance;
    t->out->best_complete = t->out->line_complete = 1;
    return done;
}

/* ---- retrograde analysis ---- */

/* An attempt at retrograde analysis. */
typedef struct {
    bool solved;
    uint64_t nodes;      /* positions expanded */
    uint64_t placements; /* of the stones, if more memory would have given a solution; otherwise 0 */
} attempt;

/* Finds the values of all positions of a graph within the rest of the time: it visits no new positions. */
static int analyse(const rf_task *t, rf_graph *graph, rf_limits limits, uint64_t nodes)
{
    rf_limits left;
    if (!rf_limits_after((rf_limits){0, limits.seconds}, 0, rf_now() - t->started, &left))
        return RF_STOPPED_TIME;
    rf_subsearch subsearch;
    rf_subsearch_begin(&subsearch, t, left, nodes);
    rf_retrograde(graph, &subsearch.control);
    return subsearch.control.stopped;
}

/* Tries to solve a position within the memory and half of the limits. False if memory for the answer ran out. */
static bool try_retrograde(const rf_task *t, attempt *out)
{
    uint64_t placements = rf_estimate_reachable(t->game, t->ctx, t->s), memory = t->options->table_bytes;
    rf_limits limits = {t->options->nodes / 2, t->options->seconds / 2};
    *out = (attempt){.solved = false};
    if (placements == 0 || t->options->nodes == 1)
        return true;
    if (!rf_fits_in_memory(t->game, t->ctx, t->s, memory) && memory > BYTES_OF_SHORT_ATTEMPT)
        memory = BYTES_OF_SHORT_ATTEMPT;
    rf_subsearch subsearch;
    rf_subsearch_begin(&subsearch, t, limits, 0);
    rf_graph *graph = rf_graph_new(t->game, t->ctx, t->s, memory, &subsearch.control);
    out->nodes = subsearch.control.nodes;
    int stopped = graph == NULL ? subsearch.control.stopped : analyse(t, graph, limits, out->nodes);
    if (stopped == RF_STOPPED_MEMORY && placements <= MAX_POSITIONS)
        out->placements = placements;
    out->solved = stopped == RF_DONE;
    bool done = !out->solved || set_solution(t, graph);
    rf_graph_free(graph);
    t->out->nodes = out->nodes;
    return done;
}

static void write_note(uint64_t placements, char *out)
{
    unsigned enough = (unsigned)((placements * BYTES_PER_PLACEMENT + (1 << 20) - 1) >> 20);
    if (enough > MAX_ADVISED_MEMORY)
        return;
    *rf_put(rf_put_number(out, enough), " MB of memory would be enough for an exact answer") = '\0';
}

/* ---- forward search ---- */

/* Uses forward search with the limits that retrograde analysis has left. */
static bool solve_forward(const rf_task *t, const attempt *tried)
{
    rf_limits left, limits = rf_limits_of(t->options);
    char note[RF_NOTE_SIZE] = "";
    bool any = rf_limits_after(limits, tried->nodes, rf_now() - t->started, &left);
    if (tried->placements != 0) {
        write_note(tried->placements, note);
        /* Forward search never proves a draw, so it stops after about as many nodes as the analysis would have
         * taken. */
        if (limits.nodes == 0 && limits.seconds <= 0)
            left.nodes = tried->placements < MAX_NODES_AFTER_RETROGRADE ? tried->placements : MAX_NODES_AFTER_RETROGRADE;
    }
    rf_forward forward;
    if (!any) {
        t->out->decided = 0;
        memcpy(t->out->note, note, sizeof note);
        return true;
    }
    if (!rf_forward_open(&forward, t, left, tried->nodes))
        return false;
    bool done = rf_forward_answer(&forward, note);
    rf_forward_close(&forward);
    return done;
}

/* Solves a position with a ply that wins at once. This needs no search, so no limit prevents it. */
static bool add_wins_at_once(const rf_task *t)
{
    rf_solution *out = t->out;
    unsigned mover = rf_player(t->game, t->ctx, t->s);
    rf_children children;
    bool done = rf_children_new(t, &children) && rf_children_of(t, t->s, &children);
    for (size_t i = 0; done && i < children.count; i++)
        if (rf_outcome(t->game, t->ctx, &children.states[i]) == (int)mover)
            done = rf_add_best(out, children.plies[i]);
    if (done && out->best_count > 0) {
        out->answer = (rf_answer){.status = RF_STATUS_EXACT, .value = RF_VALUE_WIN, .distance = t->options->wdl ? -1 : 1};
        out->best_complete = out->line_complete = 1;
        out->decided = -1;
        out->note[0] = '\0';
        done = rf_add_to_line(out, out->best[0]);
    }
    rf_children_free(&children);
    return done;
}

bool rf_solve_win(const rf_task *t)
{
    attempt tried = {.solved = false};
    if (t->options->depth == 0 && !t->options->forward_only && !try_retrograde(t, &tried))
        return false;
    if (!tried.solved && !solve_forward(t, &tried))
        return false;
    bool is_cut_off = t->out->answer.status == RF_STATUS_UNKNOWN && t->out->decided == 0;
    return !is_cut_off || add_wins_at_once(t);
}
