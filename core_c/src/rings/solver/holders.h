/* Margins of positions without bare knights.
 *
 * Idea: every ply takes a ring or captures, so play always ends. The search is alpha-beta with a null window and
 * bounds from a transposition table, and fails soft; `kr_narrow_without_bare` repeats it from the last bound, as
 * MTD(f) does (Plaat et al. 1996).
 *
 * Invariants: keys and leads change with each ply, part by part (Zobrist). With one free ring nothing is stored
 * (last_ring.h).
 *
 * Example: South to move leads by 4 and needs 6. A ply that takes a ring worth 3 leads to a position in which North
 * is behind by 7 and needs -5. If North gets at most -6 there, South gets at least 6. */
#ifndef RINGFEN_RINGS_HOLDERS_H
#define RINGFEN_RINGS_HOLDERS_H

#include "rings/solver/last_ring.h"

/* The attacker's answer; KR_UNDECIDED only if the control stopped. No bare knight is on the board. */
RF_PRIVATE int kr_search_without_bare(const kr_question *q, const kr_state *s);
/* Moves one of two bounds of South's margin, bounds[0] < bounds[1], to its side of the threshold or further. False,
 * and nothing done, if a bare knight is on the board or no ring is free. If the control stops the bounds remain
 * valid. */
RF_PRIVATE bool kr_narrow_without_bare(kr_search *search, const kr_state *s, int threshold, int bounds[2],
                                       rf_control *control);

#endif
