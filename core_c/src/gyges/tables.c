/* The constant tables of Gygès: all legs, and all setups (G3). gy_init fills them once.
 *
 * A leg is as many steps as the ring underneath is high. Each leg is listed once for its square and height, with its
 * end, the squares that it passes and the connections that it uses. A step onto a throne is always the last one (G8),
 * so only the 60 connections between squares can be used up.
 * Example: a leg of height 2 from a1 over a2 to b2 has the connections a1-a2 and a2-b2, passes a2 and ends on b2. */
#include "gyges/gyges.h"

gy_legs gy_all_legs[64][4];
uint8_t gy_setups[GY_SETUPS][6];

/* The connection of two neighbours as a bit; 0 for a step onto a throne. */
static uint64_t gy_edge(unsigned a, unsigned b)
{
    unsigned low = a < b ? a : b, high = a < b ? b : a;
    unsigned file = gy_file_of(low), rank = gy_rank_of(low);
    if (!(gy_board & gy_bit(low)) || !(gy_board & gy_bit(high)))
        return 0;
    return gy_bit(high - low == 1 ? 5 * rank + file : 30 + 6 * rank + file);
}

static void gy_fill_legs(gy_legs *list, unsigned at, unsigned before, unsigned steps, gy_leg leg)
{
    const unsigned next[4] = {at - 1, at + 1, at - 8, at + 8};
    for (int i = 0; i < 4; i++) {
        uint64_t field = gy_bit(next[i]);
        gy_leg longer = {leg.edges | gy_edge(at, next[i]), leg.through, field};
        if (next[i] == before) /* no walk of three steps can use another connection twice (G5) */
            continue;
        if (steps == 1 && (field & (gy_board | gy_throne_steps[0] | gy_throne_steps[1])))
            list->legs[list->count++] = longer;
        longer.through |= field;
        if (steps > 1 && (field & gy_board))
            gy_fill_legs(list, next[i], at, steps - 1, longer);
    }
}

static void gy_sort_legs(const gy_legs *unsorted, gy_legs *out)
{
    for (unsigned end = 0; end < 64; end++) {
        out->first[end] = (uint8_t)out->count;
        for (unsigned i = 0; i < unsorted->count; i++)
            if (unsorted->legs[i].end == gy_bit(end)) {
                out->legs[out->count++] = unsorted->legs[i];
                out->ends |= gy_bit(end);
            }
    }
    out->first[64] = (uint8_t)out->count;
}

static void gy_fill_all_legs(void)
{
    gy_legs unsorted;
    memset(gy_all_legs, 0, sizeof gy_all_legs);
    for (uint64_t rest = gy_board; rest != 0; rest &= rest - 1)
        for (unsigned height = 1; height <= 3; height++) {
            unsorted.count = 0;
            gy_fill_legs(&unsorted, rf_lsb(rest), 0, height, (gy_leg){0, 0, 0});
            gy_sort_legs(&unsorted, &gy_all_legs[rf_lsb(rest)][height]);
        }
}

/* ---- setup (G3) ---- */

static void gy_fill_setups(void)
{
    int count = 0;
    for (int code = 0; code < 729; code++) {
        uint8_t row[6], used[4] = {0, 0, 0, 0};
        for (int file = 5, rest = code; file >= 0; file--, rest /= 3) {
            row[file] = (uint8_t)(rest % 3 + 1);
            used[row[file]]++;
        }
        if (used[1] == 2 && used[2] == 2 && used[3] == 2)
            memcpy(gy_setups[count++], row, sizeof row);
    }
}

void gy_init(void)
{
    gy_fill_all_legs();
    gy_fill_setups();
}
