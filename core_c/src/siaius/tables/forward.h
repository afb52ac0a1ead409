/* Positions of Siaius with a few stones more than tables have, by proof-number search over a stored graph
 * (search/proof_graph.h) with tables at its leaves. */
#ifndef RINGFEN_SIAIUS_FORWARD_H
#define RINGFEN_SIAIUS_FORWARD_H

#include "siaius/tables/steps.h"

/* cffi: begin */

typedef struct si_forward si_forward;

/* For one position, which is not over and has at most SI_FORWARD_STONES stones, in at most about `memory` bytes. Tables
 * and reader stay the caller's, and are for the position's board and way of huffing. NULL if memory ran out. */
si_forward *si_forward_new(const si_tables *tables, si_tb_reader *reader, const rf_game *game, const rf_state *root,
                           uint64_t memory);
void si_forward_free(si_forward *f);
/* Searches until the value is known; RF_PROOF_*. Goes on where it stopped. */
int si_forward_solve(si_forward *f, rf_control *control);
/* Helpers in threads of their own, before si_forward_solve; each calls si_forward_help, with a reader of its own. It
 * comes back once si_forward_dismiss has been called. False if memory ran out. */
bool si_forward_engage(si_forward *f, int helpers);
void si_forward_help(const si_forward *f, si_tb_reader *reader);
void si_forward_dismiss(si_forward *f);
/* After a win or loss was found: bounds its distance. False: stopped, and no distance is known. The search is over. */
bool si_forward_measure(si_forward *f, rf_control *control);
/* After that: raises *lower, below which there is no win, to the distance (RF_PROOF_SOLVED) or as far as it comes. */
int si_forward_deepen(si_forward *f, uint32_t *lower, rf_control *control);
/* Then: whether the winner wins a position, reached from the root, within so many plies: 1, 0,
 * RF_PROOF_UNKNOWN if the search stopped before, or RF_PROOF_UNREAD. */
int si_forward_wins_within(si_forward *f, const rf_state *s, uint32_t plies, rf_control *control);
/* Whether `player` wins a position: 1, 0, RF_PROOF_UNKNOWN if that is not known, or RF_PROOF_UNREAD. Of a win, *upper
 * plies at most are needed, the loser delaying; 0 if there is no bound. */
int si_forward_wins(const si_forward *f, const rf_state *s, unsigned player, uint32_t *upper);

/* cffi: end */

#endif
