/* Leaves of certificates: positions of known value at which a proof may end (docs/certificates.md).
 *
 * Idea: the first member of an object of a game, such as table_leaves in siaius/tables/leaves.c, is an rf_leaves; the
 * walk of certificate.c calls its function.
 * Example: leaves->value(leaves, s, player, &result, &plies) == RF_LEAF_KNOWN ends the proof at s. */
#ifndef RINGFEN_CERTIFICATE_LEAVES_H
#define RINGFEN_CERTIFICATE_LEAVES_H

#include "ringfen.h"

/* cffi: begin */

typedef struct rf_leaves rf_leaves;

/* cffi: end */

enum { RF_LEAF_UNREAD = -1, RF_LEAF_NONE = 0, RF_LEAF_KNOWN = 1 };

struct rf_leaves {
    /* The value of an unfinished position. RF_LEAF_KNOWN: *result is the result of `player` under best play and, if it
     * is not 0, *plies the number of plies to the end. RF_LEAF_NONE: it is no leaf. RF_LEAF_UNREAD: its value cannot be
     * read. */
    int (*value)(rf_leaves *self, const rf_state *s, unsigned player, int *result, uint32_t *plies);
};

#endif
