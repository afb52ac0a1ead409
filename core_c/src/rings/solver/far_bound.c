/* A bound of the attacker's lead that needs no search. */
#include "rings/solver/far_bound.h"

int kr_most_by_captures(const kr_state *s, unsigned attacker)
{
    unsigned defender = !attacker;
    int held[KR_FILES], holders = 0;
    for (uint64_t left = s->knights[defender]; left != 0; left &= left - 1) {
        int points = (int)kr_points_held(s, rf_lowest(left)), at = holders++;
        for (; at > 0 && held[at - 1] < points; at--)
            held[at] = held[at - 1];
        held[at] = points;
    }
    int captures = (int)rf_popcount(kr_free(s)) + (attacker == KR_NORTH);
    captures -= s->side == defender && s->hands[defender] > 0;
    /* The smallest rings first: some of 1 point, then some of 3, then the one of 5. */
    int rings[KR_KINDS], most = 0, sum = 0, kind = 0;
    for (int k = 0; k < KR_KINDS; k++)
        rings[k] = (int)rf_popcount(s->ring[k]);
    for (int i = 0; i < captures && i < holders && held[i] > 0; i++) {
        sum += 2 * held[i];
        if (i > 0 || attacker == KR_SOUTH) {
            while (kind < KR_KINDS - 1 && rings[kind] == 0)
                kind++;
            rings[kind]--;
            sum -= 2 * (1 + 2 * kind);
        }
        most = sum > most ? sum : most;
    }
    return most;
}
