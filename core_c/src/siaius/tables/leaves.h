/* Positions of Siaius whose values tables tell, as the leaves of a proof. */
#ifndef RINGFEN_SIAIUS_LEAVES_H
#define RINGFEN_SIAIUS_LEAVES_H

#include "certificates/leaves.h"
#include "siaius/tables/tables.h"

/* cffi: begin */

/* Tables and reader stay the caller's. NULL if memory ran out, or the game is not Siaius. */
rf_leaves *si_leaves_new(const si_tables *tables, si_tb_reader *reader, const rf_game *game);
void si_leaves_free(rf_leaves *leaves);
/* Whether the value of a position of this class has been looked up. */
bool si_leaves_used(const rf_leaves *leaves, si_material m);

/* cffi: end */

#endif
