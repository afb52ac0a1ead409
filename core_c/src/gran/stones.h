/* GRAN: where obstacle stones may be put (R10). */
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
typedef struct {
    gr_set stones;
    gr_set targets; /* where any of them can go */
    gr_set cuts;    /* where only some can, by rising number: */
    gr_set healing[RF_GRAN_POINTS]; /* those which open another way to the ring where they stood */
    bool one_by_one; /* the ring is out of reach now: no stone has `targets` or `cuts` */
    gr_set opening;  /* then the stones that may bring it into reach */
} gr_shifts;

RF_PRIVATE void gr_find_shifts(const rf_gran_board *b, const gr_state *s, gr_shifts *out);
/* Where the sword may put the stone on `from`. */
RF_PRIVATE gr_set gr_shift_targets(const rf_gran_board *b, const gr_state *s, const gr_shifts *shifts, unsigned from);

/* How many plies that makes. */
RF_PRIVATE uint64_t gr_count_shifts(const rf_gran_board *b, const gr_state *s);

/* Whether the symbol on which the acting figure has arrived asks for a ply with a stone. */
RF_PRIVATE bool gr_stone_is_due(const rf_gran_board *b, const gr_state *s, unsigned symbol);

#endif
