/* The sizes that the lists of legs of Gygès need, for tests/core/games/test_gyges_legs.py. */
#include <stdio.h>

#include "gyges/gyges.h"

int main(void)
{
    unsigned most = 0, listed = 0;
    gy_init();
    for (unsigned square = 0; square < 64; square++)
        for (unsigned height = 0; height < 4; height++) {
            unsigned count = gy_all_legs[square][height].count;
            most = count > most ? count : most;
            listed += (count + 3) / 4 * 4;
        }
    printf("%u %d %u %d\n", most, GY_MAX_LEGS, listed, GY_LISTED_LEGS);
    return 0;
}
