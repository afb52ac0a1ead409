/* The interface of the solver: a search, its helpers, and the answers after it.
 *
 * Idea: a position in the middle of a turn, with stones to be huffed or a bonus ply to make, need not be a node: its
 * answer then follows from the steps that it leads to.
 *
 * Example: the root is won, but a position after it allows a huff. The graph may know only the positions after the huff
 * and without it; the player to move takes the better one. */
#include "siaius/solver/solver.h"

#include <stdlib.h>

#include "siaius/solver/internal.h"

struct si_solver {
    si_turn_source source;
    si_node_key root;
    si_graph *graph;
    si_helpers *helpers; /* NULL: one thread */
};

static unsigned max_stones_of(const si_tables *t)
{
    unsigned max = 0;
    for (unsigned i = 0; i < SI_TB_SLOTS; i++)
        if (t->slots[i].class != NULL) {
            const si_material m = t->slots[i].material;
            const unsigned stones = si_tb_stones_of(m, SI_TB_OWN) + si_tb_stones_of(m, SI_TB_ENEMY);
            max = stones > max ? stones : max;
        }
    return max;
}

si_solver *si_solver_new(const si_tables *tables, rf_tb_reader *reader, const rf_game *game, const rf_state *root,
                         uint64_t memory)
{
    const si_state *s = (const si_state *)root;
    const si_endgame_rules *rules = si_endgame_rules_of(game);
    if (rules == NULL || si_popcount(si_occupied(s)) > SI_SOLVER_STONES)
        return NULL;
    si_solver *solver = calloc(1, sizeof *solver);
    if (solver == NULL)
        return NULL;
    solver->source = (si_turn_source){
        .prober = {tables, reader, game, rules, NULL},
        .rules = rules->turns,
        .options = {.files = s->files, .ranks = s->ranks, .huff = s->huff, .reverse = s->reverse},
        .max_stones = max_stones_of(tables),
    };
    solver->root = rules->turns->key_of(root);
    solver->graph = si_graph_new(&solver->source, solver->root, memory);
    if (solver->graph == NULL) {
        free(solver);
        return NULL;
    }
    return solver;
}

void si_solver_free(si_solver *solver)
{
    if (solver != NULL) {
        si_graph_free(solver->graph);
        si_helpers_free(solver->helpers);
    }
    free(solver);
}

int si_solver_solve(si_solver *solver, rf_control *control)
{
    rf_control_start(control);
    return si_search_solve(solver->graph, control);
}

bool si_solver_start_helpers(si_solver *solver, int helpers)
{
    if (solver->helpers == NULL)
        solver->helpers = si_helpers_new(helpers);
    if (solver->helpers != NULL)
        si_helpers_start(solver->graph, solver->helpers);
    return solver->helpers != NULL;
}

void si_solver_help(const si_solver *solver, rf_tb_reader *reader)
{
    si_turn_source source = solver->source;
    source.prober.reader = reader;
    si_helpers_serve(solver->graph, &source);
}

void si_solver_stop_helpers(si_solver *solver) { si_helpers_stop(solver->graph); }

bool si_solver_bound_distance(si_solver *solver, rf_control *control)
{
    rf_control_start(control);
    return si_distance_bound(solver->graph, control);
}

int si_solver_deepen(si_solver *solver, uint32_t *lower, rf_control *control)
{
    rf_control_start(control);
    return si_distance_deepen(solver->graph, lower, control);
}

int si_solver_wins_within(si_solver *solver, const rf_state *state, uint32_t plies, rf_control *control)
{
    const si_turn_source *source = &solver->source;
    const unsigned winner = si_search_wins(solver->graph, solver->root, 1) == 1 ? 1 : 2;
    int score;
    rf_control_start(control);
    const int status = source->rules->known_score(source, state, &score);
    if (status == RF_TB_FOUND) {
        const bool wins = score != 0 && (score > 0) == (((const si_state *)state)->side + 1u == winner);
        return wins && (uint32_t)si_tb_distance(score) <= plies;
    }
    if (status != RF_TB_ABSENT)
        return SI_SOLVER_DAMAGED;
    if (plies == 0)
        return 0;
    return si_distance_wins_within(solver->graph, source->rules->key_of(state), plies, control);
}

/* ---- answers ---- */

/* Whether a player wins, as si_solver_wins returns it, and plies that suffice (0: no bound). */
typedef struct {
    int wins;
    uint32_t upper;
} win_answer;

static win_answer answer_of_score(int score, bool is_mover)
{
    const bool wins = score != 0 && (score > 0) == is_mover;
    return (win_answer){wins, wins ? (uint32_t)si_tb_distance(score) : 0};
}

static win_answer answer_of_successors(const si_solver *solver, const rf_state *state, unsigned player, unsigned depth);

/* The answer for a position; one that is no node looks `depth` steps ahead. */
static win_answer answer_of_position(const si_solver *solver, const rf_state *state, unsigned player, unsigned depth)
{
    const si_turn_source *source = &solver->source;
    const si_state *s = (const si_state *)state;
    const bool is_mover = s->side + 1u == player;
    int score;
    /* 1. A finished game or a table. */
    const int status = source->rules->known_score(source, state, &score);
    if (status == RF_TB_FOUND)
        return answer_of_score(score, is_mover);
    if (status != RF_TB_ABSENT)
        return (win_answer){SI_SOLVER_DAMAGED, 0};
    if (si_popcount(si_occupied(s)) > SI_SOLVER_STONES)
        return (win_answer){SI_SOLVER_UNKNOWN, 0};
    /* 2. A decided node. */
    const si_node_key key = source->rules->key_of(state);
    const int found = si_search_wins(solver->graph, key, player);
    if (found != SI_SOLVER_UNKNOWN)
        return (win_answer){found, found == 1 ? si_distance_upper(solver->graph, key) : 0};
    /* 3. An immediate win, which the graph has as a leaf. */
    if (s->bonus == SI_NO_SQUARE) {
        if (!source->rules->immediate_score(source, state, &score))
            return (win_answer){SI_SOLVER_DAMAGED, 0};
        if (score > 0)
            return answer_of_score(score, is_mover);
    }
    /* 4. A position in the middle of a turn. */
    if (depth == 0 || (s->bonus == SI_NO_SQUARE && s->missed == 0))
        return (win_answer){found, 0};
    return answer_of_successors(solver, state, player, depth - 1);
}

static win_answer answer_of_successor(const si_solver *solver, const si_successor *successor, unsigned player,
                                      bool is_mover, unsigned depth)
{
    if (successor->is_leaf)
        return answer_of_score(successor->score, is_mover);
    rf_state after;
    solver->source.rules->state_of(&solver->source, successor->key, &after);
    win_answer answer = answer_of_position(solver, &after, player, depth);
    answer.upper += answer.upper != 0 ? successor->plies : 0;
    return answer;
}

/* In the middle of a turn: after each huff and without one, or after each bonus ply. */
static win_answer answer_of_successors(const si_solver *solver, const rf_state *state, unsigned player, unsigned depth)
{
    enum { MAX_SUCCESSORS = 17 }; /* a champion has 16 moves and may stay (S5, S6) */
    si_successor successors[MAX_SUCCESSORS];
    const si_turn_source *source = &solver->source;
    const bool is_mover = ((const si_state *)state)->side + 1u == player;
    const int count = source->rules->successors(source, source->rules->key_of(state), successors);
    bool has_unknown = false, is_bounded = true;
    win_answer best = {!is_mover, 0};
    if (count < 0)
        return (win_answer){SI_SOLVER_DAMAGED, 0};
    for (int i = 0; i < count; i++) {
        const win_answer one = answer_of_successor(solver, &successors[i], player, is_mover, depth);
        if (one.wins == SI_SOLVER_DAMAGED || (!is_mover && one.wins == 0))
            return one;
        if (one.wins == SI_SOLVER_UNKNOWN) {
            has_unknown = true;
        } else if (is_mover && one.wins == 1) {
            best.wins = 1;
            if (one.upper != 0 && (best.upper == 0 || one.upper < best.upper))
                best.upper = one.upper;
        } else if (!is_mover) {
            is_bounded = is_bounded && one.upper != 0;
            best.upper = one.upper > best.upper ? one.upper : best.upper;
        }
    }
    if (has_unknown && !(is_mover && best.wins == 1))
        return (win_answer){SI_SOLVER_UNKNOWN, 0};
    if (best.wins != 1 || (!is_mover && !is_bounded))
        best.upper = 0;
    return best;
}

int si_solver_wins(const si_solver *solver, const rf_state *s, unsigned player, uint32_t *upper)
{
    const win_answer answer = answer_of_position(solver, s, player, 2);
    *upper = answer.upper;
    return answer.wins;
}
