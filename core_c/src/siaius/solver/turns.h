/* The game graph of the solver: nodes, and the turns that lead from one to the next (siaius/solver/turns.c).
 *
 * Idea: a node is a position of at most SI_SOLVER_STONES stones before a turn: with or without stones that may be
 * huffed (S7). A successor is reached by a whole turn, a bonus ply included, so its step counts 1 or 2 plies. Huffing
 * is a separate decision before the turn; the decision not to huff is a step of 0 plies.
 *
 * Example: a huff and then a capture are two steps of 1 ply each, with a node between them. A promotion with its bonus
 * ply is one step of 2 plies. */
#ifndef RINGFEN_SIAIUS_TURNS_H
#define RINGFEN_SIAIUS_TURNS_H

#include "siaius/tables/tables.h"

/* cffi: begin */

/* The most stones of a node. */
enum { SI_SOLVER_STONES = 8 };

/* cffi: end */

/* A node. The lowest bit of the first word is the player to move, minus 1. */
typedef struct si_node_key {
    uint64_t word[2];
} si_node_key;

/* A successor: a node, or a leaf of known value. */
typedef struct si_successor {
    si_node_key key;
    int16_t score; /* of a leaf, for the player to move in the parent, the plies of the step included */
    uint8_t plies; /* of the step: 0 to 2 */
    bool is_leaf;
} si_successor;

/* No position has more successors. */
enum { SI_MAX_SUCCESSORS = 4096 };

/* The score of a parent for its player to move, given the score of a position that is `plies` later, for the player to
 * move there. */
static inline int16_t si_score_before(int score, bool same_player, unsigned plies)
{
    if (!same_player)
        score = -score;
    return (int16_t)(score > 0 ? score - (int)plies : score < 0 ? score + (int)plies : 0);
}

struct si_turn_rules;

/* What one thread needs to find successors. */
typedef struct si_turn_source {
    si_tb_prober prober;
    const struct si_turn_rules *rules; /* for the instruction set */
    si_state options;                  /* board and options of all positions */
    unsigned max_stones;              /* of the largest material with a table */
} si_turn_source;

/* The functions of turns.c, for each instruction set (si_endgame_rules.turns). */
typedef struct si_turn_rules {
    si_node_key (*key_of)(const rf_state *s);
    void (*state_of)(const si_turn_source *source, si_node_key key, rf_state *out);
    /* The score of a position that is over or in a table, for its player to move; returns SI_TB_*. */
    int (*known_score)(const si_turn_source *source, const rf_state *s, int *score);
    /* The score of the best turn that captures, promotes or huffs and ends in a known position; below 1 if no such turn
     * wins. A win is a bound: another turn may win sooner. False: a table cannot be read. */
    bool (*immediate_score)(const si_turn_source *source, const rf_state *s, int *best);
    /* The successors of a node, at least one; returns how many (at most SI_MAX_SUCCESSORS), or -1 if a table cannot be
     * read. A step of 0 plies keeps the player to move, and no cycle consists of such steps. */
    int (*successors)(const si_turn_source *source, si_node_key key, si_successor *out);
    /* False: the stones left show that `player` cannot win a node within `plies`. */
    bool (*may_win_within)(const si_turn_source *source, si_node_key key, unsigned player, uint32_t plies);
} si_turn_rules;

extern RF_INTERNAL const si_turn_rules RF_EXPORT(si_turns);

#endif
