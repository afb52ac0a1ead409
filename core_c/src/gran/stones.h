/* GRAN: where obstacle stones may be put (R10).
 *
 * Idea: a stone is legal if the ring stays connected with a figure. Points that cut this connection are on every
 * shortest path, so one breadth-first search finds them all (gr_find_cuts).
 *
 * Example: the ring is on a1, the only figure on c1, and b1 is the only point between: b1 is a cut, all other free
 * points are legal. */
#ifndef RINGFEN_GRAN_STONES_H
#define RINGFEN_GRAN_STONES_H

#include "gran/gran.h"

/* Whether the ring is connected to a goal over points without stones. If so, `*cuts` gets the points on which one more
 * stone would end that, as far as they are neither the ring's point nor a goal. */
RF_PRIVATE bool gr_find_cuts(const rf_gran_board *b, unsigned ring, gr_set goals, gr_set stones, gr_set *cuts);

/* The points from which the ring is in somebody's reach (R10): the figures, and the start for one not yet entered. */
RF_PRIVATE gr_set gr_ring_goals(const rf_gran_board *b, const gr_state *s);

/* Where a stone from the supply may be put. */
RF_PRIVATE gr_set gr_place_targets(const rf_gran_board *b, const gr_state *s);

/* Where the sword can put the stones (R10). */
typedef struct gr_shifts {
    gr_set stones;
    gr_set targets; /* where any of them can go */
    gr_set cuts;    /* where only some can, by rising number: */
    gr_set reconnecting[RF_GRAN_POINTS]; /* those whose points open another path to the ring where they stood */
    bool one_by_one; /* the ring is out of reach now: no stone has `targets` or `cuts` */
    gr_set reopening;  /* then the stones that may bring it into reach */
} gr_shifts;

RF_PRIVATE void gr_find_shifts(const rf_gran_board *b, const gr_state *s, gr_shifts *out);
/* Where the sword may put the stone on `from`. */
RF_PRIVATE gr_set gr_shift_targets(const rf_gran_board *b, const gr_state *s, const gr_shifts *shifts, unsigned from);

/* The number of such plies of all stones. */
RF_PRIVATE uint64_t gr_count_shifts(const rf_gran_board *b, const gr_state *s);

/* Whether the symbol on which the acting figure has arrived asks for a ply with a stone. */
RF_PRIVATE bool gr_stone_is_due(const rf_gran_board *b, const gr_state *s, unsigned symbol);

#endif
