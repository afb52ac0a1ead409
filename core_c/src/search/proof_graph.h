/* Win, draw or loss by proof-number search over a stored graph whose leaves have known values. For games of two players
 * without chance; play without end is a draw. Knows no game: a source lists what follows each node (docs/solving.md). */
#ifndef RINGFEN_PROOF_GRAPH_H
#define RINGFEN_PROOF_GRAPH_H

#include "game.h"

/* cffi: begin */

/* What became of a call. */
enum {
    RF_PROOF_SOLVED = 0,
    RF_PROOF_STOPPED = 1, /* control->stopped says why; RF_DONE: a question about more plies than can be asked */
    RF_PROOF_FULL = 2,    /* the memory is full */
    RF_PROOF_UNREAD = 3   /* the source failed */
};
/* Of a question without an answer yet. */
enum { RF_PROOF_UNKNOWN = -2 };

/* cffi: end */

/* Scores for the player to move, so that the best is the greatest: a win in d plies, a loss in d plies, a draw. */
enum { RF_PROOF_LAST = 30000, RF_PROOF_NO_SCORE = -32768 };

/* A node. The lowest bit of the first word is the player to move, less 1. */
typedef struct rf_proof_key {
    uint64_t word[2];
} rf_proof_key;

/* The score for the player to move in a node of a score after a step of so many plies from there, for the player to move
 * then, which may be the same one. */
static inline int16_t rf_proof_score_before(int score, bool same_player, unsigned plies)
{
    if (!same_player)
        score = -score;
    return (int16_t)(score > 0 ? score - (int)plies : score < 0 ? score + (int)plies : 0);
}

/* A step from a node: to another one, or to a leaf of known value. */
typedef struct rf_proof_step {
    rf_proof_key key;
    int16_t score; /* of a leaf, for the player to move in the node before, the plies of the step counted */
    uint8_t plies; /* 0 to 3 */
    bool leaf;
} rf_proof_step;

enum { RF_PROOF_MOST_STEPS = 4096 };

typedef struct rf_proof_source {
    const void *self;
    /* What follows a node (at most RF_PROOF_MOST_STEPS steps, at least one); how many, or -1 if it failed. A step of
     * no plies leaves the same player to move, and no circle consists of such steps. */
    int (*follow)(const void *self, rf_proof_key key, rf_proof_step *out);
    /* A score above 0 if the player to move of a node is seen to win without searching, which the score bounds: another
     * turn may win sooner. While the value is looked for such a node is a leaf. False if it failed. */
    bool (*at_once)(const void *self, rf_proof_key key, int *score);
    /* False: `player` does not win from a node within so many plies, as can be told without looking ahead. */
    bool (*may_win)(const void *self, rf_proof_key key, unsigned player, uint32_t plies);
} rf_proof_source;

typedef struct rf_proof rf_proof;
typedef struct rf_proof_team rf_proof_team;

/* In at most about `memory` bytes. NULL if they were not to be had. */
rf_proof *rf_proof_new(const rf_proof_source *source, rf_proof_key root, uint64_t memory);
void rf_proof_free(rf_proof *p);
/* Searches until the value of the root is known (RF_PROOF_SOLVED), or says why it is not. Goes on where it stopped. */
int rf_proof_solve(rf_proof *p, rf_control *control);
/* What helpers work with, in threads of their own; NULL if memory ran out. It outlives the search. With helpers a search
 * takes the same steps as without: they list in advance what follows nodes, and do one of two fixpoints. */
rf_proof_team *rf_proof_team_new(int helpers);
void rf_proof_team_free(rf_proof_team *team);
/* Before the search; then every helper calls rf_proof_help, with a source of its own, which comes back once
 * rf_proof_dismiss has been called, or at once without memory. A team may be engaged again, for the same graph or
 * another one, after all have come back. */
void rf_proof_engage(rf_proof *p, rf_proof_team *team);
void rf_proof_help(rf_proof *p, const rf_proof_source *source);
void rf_proof_dismiss(rf_proof *p);
/* Bounds the distance of all nodes that are known to be won by the winner of the root, which is solved. Afterwards
 * rf_proof_solve only repeats its answer. False: stopped, and no distance is known. */
bool rf_proof_measure(rf_proof *p, rf_control *control);
/* After rf_proof_measure of a win: looks for one within *lower plies, one more, and so on, which raises *lower, until it is
 * the distance (RF_PROOF_SOLVED) or something else came first. No win is shorter than *lower, before and after. */
int rf_proof_deepen(rf_proof *p, uint32_t *lower, rf_control *control);
/* Then: whether the winner of the root wins a node, which may be new, within so many plies: 1 or 0, or RF_PROOF_UNKNOWN,
 * if something else came first; RF_PROOF_UNREAD if the source failed. */
int rf_proof_wins_within(rf_proof *p, rf_proof_key key, uint32_t plies, rf_control *control);
/* Whether `player` is known to win a node (1), known not to (0), or neither (RF_PROOF_UNKNOWN). */
int rf_proof_wins(const rf_proof *p, rf_proof_key key, unsigned player);
/* After rf_proof_measure: no more plies than these are needed to win; 0 if there is no bound. */
uint32_t rf_proof_upper(const rf_proof *p, rf_proof_key key);

#endif
