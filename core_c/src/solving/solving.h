/* Answers about positions, for every caller: Python, the page and C programs.
 *
 * Idea: rf_solve chooses the search for the game's kind of value (forward.c, retrograde.c, margin.c, chance.c) and builds
 * the answer: the value, the best plies and a line of best play. It uses no endgame tables.
 * Invariants: equal limits of nodes give equal answers; tables and helpers change no answer unless a limit is reached.
 * Example: rf_solution found; rf_control control = {0}; rf_solve_options options = {.nodes = 1000000, .table_bytes = 1 << 26};
 * rf_solve(game, NULL, &s, &options, NULL, &control, &found) and later rf_solution_clear(&found). */
#ifndef RINGFEN_SOLVING_H
#define RINGFEN_SOLVING_H

#include "solving/pool.h"
#include "ringfen.h"

/* cffi: begin */

enum { RF_MODEL_MAXN = 0, RF_MODEL_PARANOID = 1 };
enum { RF_STATUS_UNKNOWN = 0, RF_STATUS_BOUND = 1, RF_STATUS_HORIZON = 2, RF_STATUS_EXACT = 3 };
enum { RF_VALUE_NONE = 0, RF_VALUE_WIN = 1, RF_VALUE_LOSS = 2, RF_VALUE_DRAW = 3, RF_VALUE_MARGIN = 4, RF_VALUE_CHANCES = 5 };
enum { RF_NOTE_SIZE = 128 };

/* A fraction from 0 up, its numbers as low and high half. */
typedef struct rf_probability {
    uint64_t num[2], den[2];
} rf_probability;

/* The options of `solve` (docs/python.md). */
typedef struct rf_solve_options {
    uint64_t nodes;       /* limits; 0: none */
    double seconds;
    uint64_t table_bytes; /* memory for tables; 0: none, for tests */
    unsigned depth;       /* the most plies to search, 0: no limit; in games of chance the horizon, 0 only with `until` */
    int wdl;              /* find only the value, not the distance */
    int forward_only;     /* no retrograde analysis */
    int model;            /* RF_MODEL_* */
    unsigned player;      /* paranoid: whose probability; 0: the player to act */
    int has_until;        /* paranoid: search deeper until the bounds differ by at most `until` */
    rf_probability until;
} rf_solve_options;

/* The value of a position, for its side to move. */
typedef struct rf_answer {
    int status;         /* RF_STATUS_* */
    int value;          /* RF_VALUE_* */
    int margin;         /* RF_VALUE_MARGIN */
    int distance;       /* plies to the end; -1: none */
    unsigned player;    /* RF_VALUE_CHANCES: the only player whose chances are known; 0: all are */
    rf_chances chances; /* RF_VALUE_CHANCES */
} rf_answer;

/* The value of the position after a ply. */
typedef struct rf_ply_answer {
    rf_ply ply;
    rf_answer answer;
    int has_bounds;   /* as in rf_solution, but not for probabilities */
    int lower, upper;
    int decided;
} rf_ply_answer;

/* An answer of rf_solve. rf_solution_clear releases its lists. */
typedef struct rf_solution {
    rf_answer answer;
    rf_ply *best;           /* plies that keep the value, and the distance of a win or loss, in byte order */
    uint64_t best_count;
    int best_complete;      /* whether these are all such plies */
    rf_ply *line;           /* of best play */
    uint64_t line_length;
    int line_complete;      /* 0: a limit ended the line early, or none is known */
    uint64_t nodes;
    double seconds;
    int has_bounds;         /* `lower` and `upper`: of a margin, of a distance; or the shares: of a probability */
    int lower, upper;
    rf_probability lower_probability, upper_probability;
    int decided;            /* no side has a forced win within this many plies; -1: does not apply */
    int endless;            /* 1: best play never ends; 0: it does; -1: not known, does not apply */
    unsigned horizon;       /* games of chance: plies after which the game is broken off; otherwise 0 */
    unsigned player;        /* paranoid; otherwise 0 */
    int has_open;           /* `open`: the probability that the game is not over at the horizon */
    rf_probability open;
    char note[RF_NOTE_SIZE]; /* why there is no better answer, unless a limit of the options was reached */
    rf_ply_answer *plies;    /* after rf_solve_each_ply: the values after all plies, in byte order */
    uint64_t ply_count;
} rf_solution;

/* Solves a position. The caller fills `poll`, `handle` and `cancel` of the control; its limits are those of the
 * options. `pool` may be NULL. True, and a solution that the caller clears; false if memory ran out. If the control was
 * cancelled, the solution contains the proven bounds. The solution, not the control, states how the search ended. */
bool rf_solve(const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options, rf_pool *pool,
              rf_control *control, rf_solution *out);
void rf_solution_clear(rf_solution *solution);

/* Whether the positions that can be reached are likely to fit in this memory (retrograde analysis). */
bool rf_fits_in_memory(const rf_game *game, const void *ctx, const rf_state *s, uint64_t bytes);

/* Solves the position after a ply of rf_solve_each_ply. Returns false if the caller must stop. */
typedef bool rf_solve_child(void *handle, const rf_state *s, const rf_solve_options *options, rf_answer *answer,
                            uint64_t *nodes);

/* Adds the values after all plies to a solution, within what the options leave. `child` solves the positions; NULL:
 * rf_solve does. False if memory ran out or `child` stopped. */
bool rf_solve_each_ply(const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options,
                       rf_pool *pool, rf_control *control, rf_solve_child *child, void *handle, rf_solution *solution);

/* cffi: end */

#endif
