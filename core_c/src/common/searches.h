/* The searches by kind of value: the part of the interface that only Python, tests and benchmarks use. C programs use
 * ringfen.h and solving/solving.h (docs/embedding.md).
 *
 * Example: rf_margin_at_least(search, ctx, s, 3, control) is 1 if South's margin under perfect play is at least 3. */
#ifndef RINGFEN_SEARCHES_H
#define RINGFEN_SEARCHES_H

#include "ringfen.h"

/* cffi: begin */

/* Whether no position before the ply can recur after it (rf_margin_part.makes_progress); false if the game does not
 * know. */
bool rf_makes_progress(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply);
/* About how many positions can be reached from here, if the game knows; 0 if not, UINT64_MAX if too many. */
uint64_t rf_estimate_reachable(const rf_game *game, const void *ctx, const rf_state *s);

/* The positions that the threads of a search are searching at the moment (common/threads.h). NULL if memory ran out. */
typedef struct rf_in_progress rf_in_progress;
rf_in_progress *rf_in_progress_new(void);
void rf_in_progress_free(rf_in_progress *in_progress);

/* ---- margins: 'at least t?' and the exact margin, for games of kind RF_SOLVER_MARGIN ---- */

/* A search of one position after another of one game. */
typedef struct rf_margin rf_margin;

enum { RF_MARGIN_LINE = 1024 }; /* plies of a line of best play */

typedef struct rf_margin_result {
    int lower, upper;      /* proven bounds of South's margin under perfect play; equal if it is known */
    int best_count;        /* plies in `best` */
    int best_complete;     /* 1 if these are all that keep the value */
    rf_ply best[RF_MARGIN_PLIES];
    int endless;           /* 1: no line of best play reaches an end; 0: one does; -1: not known */
    int line_length;       /* plies in `line` */
    int line_complete;     /* 1 if `line` reaches an end with this margin or, unless endless is 0, a repetition */
    rf_ply line[RF_MARGIN_LINE];
} rf_margin_result;

/* A search with `bytes` of memory for tables and room for helpers, other threads that work on the same questions.
 * NULL if memory ran out or the game has no margins. */
rf_margin *rf_margin_new(const rf_game *game, uint64_t bytes, int helpers);
/* No helper is running. */
void rf_margin_free(rf_margin *search);
/* The points that neither side's margin exceeds, whatever the players do. The game has margins. */
int rf_margin_bound(const rf_game *game, const void *ctx, const rf_state *s);
/* The number of pieces that no player has taken yet. The game has margins. */
unsigned rf_margin_pieces_left(const rf_game *game, const void *ctx, const rf_state *s);
/* Whether South's margin is at least `threshold`: 1 or 0, exact; -1 if control->stopped. The caller has started the
 * control. */
int rf_margin_at_least(rf_margin *search, const void *ctx, const rf_state *s, int threshold, rf_control *control);
/* Solves a position; if the control stops, *result contains the proven bounds. */
void rf_margin_solve(rf_margin *search, const void *ctx, const rf_state *s, rf_margin_result *result,
                     rf_control *control);
/* The work of a helper, numbered from 1, in its own thread: it returns after rf_margin_stop_helpers or if memory runs
 * out. */
void rf_margin_help(rf_margin *search, int helper);
/* Any thread may call it at any time. */
void rf_margin_stop_helpers(rf_margin *search);
/* Positions that helpers visited for earlier questions. */
uint64_t rf_margin_helper_nodes(const rf_margin *search);
/* For tests: the number of groups of provisional failures, at least 1, above which closed groups are dropped. It
 * changes no answer; if as many are open, memory has run out. */
void rf_margin_set_max_groups(rf_margin *search, uint32_t max);

/* ---- winning probabilities, for games of kind RF_SOLVER_CHANCE: expectation over chance, with every player for
 * themselves (maxn) or all against one (paranoid), for a game broken off after a number of plies ---- */

/* Results of the searches. */
enum { RF_CHANCE_STOPPED = -1, RF_CHANCE_BELOW = 0, RF_CHANCE_FOUND = 1 };
/* The question to rf_chance_paranoid: the probability, or whether it is at least or at most a limit. */
enum { RF_CHANCE_VALUE, RF_CHANCE_AT_LEAST, RF_CHANCE_AT_MOST };

typedef struct rf_chance_table rf_chance_table;

/* A transposition table for one game, context, number of players and kind of search (one player's lower bound is
 * another kind than the upper one). Positions are compared in full, so it never changes an answer. NULL if memory ran
 * out or the game has no chance events. */
rf_chance_table *rf_chance_table_new(const rf_game *game, unsigned players, uint64_t bytes);
void rf_chance_table_free(rf_chance_table *table);
/* Before searches in more than one thread use the table. False if memory ran out. */
bool rf_chance_table_share(rf_chance_table *table);

/* Any number of searches can share the limits of one `control`, started before the first by rf_control_start. The game
 * has chance events; `table` may be NULL.
 *
 * maxn: every player maximizes their own probability; among equal plies the first in byte order is played.
 * With `player` above 0, `*least` says how much of num[0] that player must reach for the value to matter:
 * RF_CHANCE_BELOW if they reach less. */
int rf_chance_maxn(const rf_game *game, const void *ctx, const rf_state *s, unsigned plies, unsigned player,
                   const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out);

/* paranoid: `player`'s probability with all others against, in out->num[0]; a game not over counts 0, or 1 if
 * `upper`. Or a question about it and the `limit`, with the answer RF_CHANCE_FOUND (yes) or RF_CHANCE_BELOW (no) and
 * `*out` unset. */
int rf_chance_paranoid(const rf_game *game, const void *ctx, const rf_state *s, unsigned plies, unsigned player,
                       bool upper, int question, const rf_chances *limit, rf_chance_table *table, rf_control *control,
                       rf_chances *out);
/* The same for `count` positions in order. Values go to `out`, one for each position; a question about the limit is asked
 * until the answer is yes. Returns the index of that position, `count` if there is none, or -1 if the control stopped
 * the search. */
int64_t rf_chance_paranoid_each(const rf_game *game, const void *ctx, const rf_state *states, size_t count,
                                unsigned plies, unsigned player, bool upper, int question, const rf_chances *limit,
                                rf_chance_table *table, rf_control *control, rf_chances *out);

/* cffi: end */

#endif
