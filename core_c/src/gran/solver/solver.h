/* The solver of GRAN: winning probabilities, exactly, for a game that is broken off after a number of plies.
 *
 * Idea: maxn.c and paranoid.c search the two models over a shared table (table.c) and shared lists (search.c). bounds.h
 * ends lines without a search; masks.h gives the stones that a proof depends on, so one proof answers many positions.
 * Each file calls only those before it in the list in gran/hot.c.
 *
 * Invariant: values are exact fractions and do not depend on the table, the masks or threads.
 *
 * Example: rf_chance_maxn (searches.h) calls gr_maxn, which returns 1/3, 2/3 and 0 for three players if player 1 wins a
 * fight with 2 of 6 rolls and otherwise loses the ring to player 2. */
#ifndef RINGFEN_GRAN_SOLVER_H
#define RINGFEN_GRAN_SOLVER_H

#include "gran/solver/search.h"

/* ---- maxn.c, paranoid.c: rf_chance_maxn and rf_chance_paranoid ---- */

RF_PRIVATE int gr_maxn(const void *ctx, const rf_state *state, unsigned plies, unsigned player,
                       const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out);
RF_PRIVATE int gr_paranoid(const void *ctx, const rf_state *state, unsigned plies, unsigned player, bool upper,
                           int question, const rf_chances *limit, rf_chance_table *table, rf_control *control,
                           rf_chances *out);

#endif
