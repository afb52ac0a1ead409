/* Endgame tables: the entries of a class by number: their positions as text, and how often each value occurs.
 *
 * Idea: go through the entries in order; those with two stones on one square are no positions and are skipped.
 * Example: si_tables_find with the value of the longest win finds the positions that `tablebase longest` prints. */
#include "control.h"
#include "siaius/tables/tables.h"

bool si_tables_text(const si_tables *t, si_material m, uint64_t index, char *out)
{
    tb_class c;
    tb_stones stones;
    rf_state s;
    if (!tb_class_init(&c, t, m))
        return false;
    const bool possible = index < c.entries && tb_unindex(t, &c, index, &stones);
    tb_class_free(&c);
    if (!possible)
        return false;
    si_endgame e = {.files = (uint8_t)t->files, .ranks = (uint8_t)t->ranks, .huff = (uint8_t)t->huff};
    e.player = SI_SOUTH;
    e.stones = (uint8_t)stones.count;
    memcpy(e.side, stones.side, sizeof e.side);
    memcpy(e.kind, stones.kind, sizeof e.kind);
    memcpy(e.square, stones.square, sizeof e.square);
    memset(&s, 0, sizeof s);
    si_rules_base.to_state(&e, &s);
    si_format(NULL, &s, out);
    return true;
}

/* The value of a score in an entry of two bytes. */
static unsigned wide_value(int score)
{
    return score == 0 ? 0 : (unsigned)tb_distance(score) | (score < 0 ? RF_TB_LOSS : 0);
}

int si_tables_count(const si_tables *t, rf_tb_reader *r, si_material m, uint64_t from, uint64_t to, uint64_t *counts,
                    rf_control *control)
{
    rf_control_start(control);
    const tb_class *c = tb_class_of(t, m, to);
    if (c == NULL)
        return RF_TB_ABSENT;
    for (uint64_t index = from; index < to; index++) {
        if (rf_tick(control))
            return RF_TB_FOUND;
        control->done = index - from;
        tb_stones stones;
        int score;
        if (!tb_unindex(t, c, index, &stones))
            continue;
        if (!tb_read_score(r, c, index, &score))
            return RF_TB_DAMAGED;
        counts[wide_value(score)]++;
    }
    return RF_TB_FOUND;
}

int si_tables_zugzwangs(const si_tables *t, rf_tb_reader *r, si_material m, uint64_t from, uint64_t to,
                        uint64_t *positions, rf_control *control)
{
    rf_control_start(control);
    const tb_class *c = tb_class_of(t, m, to);
    if (c == NULL)
        return RF_TB_ABSENT;
    for (uint64_t index = from; index < to; index++) {
        if (rf_tick(control))
            return RF_TB_FOUND;
        control->done = index - from;
        tb_stones stones;
        int score;
        if (!tb_read_score(r, c, index, &score))
            return RF_TB_DAMAGED;
        if (score >= 0 || !tb_unindex(t, c, index, &stones))
            continue;
        const tb_class *swapped;
        const uint64_t other = tb_index(t, &stones, 0, SI_NORTH, &swapped);
        if (swapped == NULL)
            return RF_TB_ABSENT;
        if (!tb_read_score(r, swapped, other, &score))
            return RF_TB_DAMAGED;
        *positions += score < 0;
    }
    return RF_TB_FOUND;
}

int si_tables_find(const si_tables *t, rf_tb_reader *r, si_material m, uint64_t from, uint64_t to, unsigned value,
                   uint64_t *found, rf_control *control)
{
    rf_control_start(control);
    const tb_class *c = tb_class_of(t, m, to);
    if (c == NULL)
        return RF_TB_ABSENT;
    for (uint64_t index = from; index < to; index++) {
        if (rf_tick(control))
            break;
        control->done = index - from;
        tb_stones stones;
        int score;
        if (!tb_read_score(r, c, index, &score))
            return RF_TB_DAMAGED;
        if (wide_value(score) == value && tb_unindex(t, c, index, &stones)) {
            *found = index;
            return RF_TB_FOUND;
        }
    }
    *found = to;
    return RF_TB_FOUND;
}
