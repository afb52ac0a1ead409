/* The margin solver: one question, the margin, the line of best play, and whether best play ends.
 *
 * Idea: threshold.c answers one question ('is South's margin at least t?') for any position; margin.c chooses the
 * thresholds; endless.c and line.c find a line of best play; solver.c puts these together for rf_margin_solve
 * (searches.h).
 *
 * Invariant: answers do not depend on threads or on the size of the table, if no limit comes first.
 *
 * Example: South leads by 3 and 4 rings are left. The questions are 3 (yes), 5 (no), 4 (no): the margin is 3. Then
 * each ply has a question: 'does it keep 3?'. */
#ifndef RINGFEN_RINGS_SOLVER_H
#define RINGFEN_RINGS_SOLVER_H

#include "rings/solver/bare_knight.h"

/* ---- threshold.c ---- */

/* The attacker's answer: KR_SUCCEEDS or KR_FAILS; meaningless if the control stopped. The position is not over. */
RF_PRIVATE int kr_search_threshold(kr_search *search, const rf_state *root, int threshold, rf_control *control);

/* ---- margin.c ---- */

/* The nearest thresholds that were asked before (search.h). */
RF_PRIVATE void kr_find_near_thresholds(const kr_search *search, int threshold, int *harder, int *easier);
/* Whether South's margin is at least `threshold`: 1 or 0; -1 if the control stopped. */
RF_PRIVATE int kr_margin_is_at_least(kr_search *search, const rf_state *s, int threshold, rf_control *control);
/* Whether the position after a ply of `side` still has South's margin `margin`: 1 or 0; -1 if the control stopped. */
RF_PRIVATE int kr_keeps_margin(kr_search *search, const rf_state *after, unsigned side, int margin,
                               rf_control *control);

/* The proven bounds of South's margin, and a ply that keeps one. */
typedef struct kr_margin {
    kr_search *search;
    const rf_state *s;
    rf_control *control;
    int bounds[2];
    int before[2]; /* the bounds before the last answer */
    bool jumps;    /* the last answer was from kr_narrow_without_bare, whose bounds can go beyond the threshold */
    bool has_ply;  /* `ply` keeps the lower bound if South is to move, the upper one if North is */
    rf_ply ply;
} kr_margin;

/* Asks until both bounds are equal or the control stops. */
RF_PRIVATE void kr_find_margin(kr_margin *m);
/* The work of a helper: answers the questions of the main thread until kr_shared_close. */
RF_PRIVATE void kr_help(kr_search *search);

/* ---- endless.c ---- */

/* The boards through which play reaches an end. */
enum { KR_MAX_ROUTE = 128 };
typedef struct kr_route {
    uint64_t boards[KR_MAX_ROUTE]; /* kr_board_key */
    int count;
} kr_route;

/* For a position of margin 0 with one bare knight: 1 if no line of best play ends; 0 if one does, and then *route has
 * its boards; -1 if the search does not find out. */
RF_PRIVATE int kr_is_endless(kr_search *search, const rf_state *state, kr_route *route, rf_control *control);
/* A key that positions share if no ply between them makes progress (K11); 0 without bare knights. */
RF_PRIVATE uint64_t kr_board_key(const rf_state *state);

/* ---- line.c ---- */

/* Fills in `endless` and the line of a result whose margin is known. With control->stopped, as far as it got. */
RF_PRIVATE void kr_find_line(kr_search *search, const rf_state *s, rf_margin_result *result, rf_control *control);

/* ---- solver.c ---- */

extern RF_INTERNAL const rf_margin_part RF_EXPORT(kr_margin_part);

#endif
