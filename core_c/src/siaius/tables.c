/* The table of Siaius, filled once. */
#include "siaius/siaius.h"

si_set si_neighbours[SI_SQUARES];

void si_init(void)
{
    for (unsigned i = 0; i < SI_SQUARES; i++)
        si_neighbours[i] = si_around(si_bit(i)) & ~si_bit(i) & (si_bit(SI_SQUARES) - 1);
}
