/* Endgame tables read from end to end: how often each value occurs in a class, and where. */
#include "siaius/tables/tables.h"

#include "control.h"

/* The value of a score in an entry of two bytes. */
static unsigned wide_value(int score)
{
    return score == 0 ? 0 : (unsigned)tb_distance(score) | (score < 0 ? SI_TB_LOSS : 0);
}

int si_tables_count(const si_tables *t, si_tb_reader *r, si_material m, uint64_t from, uint64_t to, uint64_t *counts,
                    rf_control *control)
{
    rf_control_start(control);
    const tb_class *c = tb_class_of(t, m, to);
    if (c == NULL)
        return SI_TB_ABSENT;
    for (uint64_t index = from; index < to; index++) {
        if (rf_tick(control))
            return SI_TB_FOUND;
        control->done = index - from;
        tb_stones stones;
        int score;
        if (!tb_unindex(t, c, index, &stones))
            continue;
        if (!tb_read_score(r, c, index, &score))
            return SI_TB_DAMAGED;
        counts[wide_value(score)]++;
    }
    return SI_TB_FOUND;
}

int si_tables_find(const si_tables *t, si_tb_reader *r, si_material m, uint64_t from, uint64_t to, unsigned value,
                   uint64_t *found, rf_control *control)
{
    rf_control_start(control);
    const tb_class *c = tb_class_of(t, m, to);
    if (c == NULL)
        return SI_TB_ABSENT;
    for (uint64_t index = from; index < to; index++) {
        if (rf_tick(control))
            break;
        control->done = index - from;
        tb_stones stones;
        int score;
        if (!tb_read_score(r, c, index, &score))
            return SI_TB_DAMAGED;
        if (wide_value(score) == value && tb_unindex(t, c, index, &stones)) {
            *found = index;
            return SI_TB_FOUND;
        }
    }
    *found = to;
    return SI_TB_FOUND;
}
