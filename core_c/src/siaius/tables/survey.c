/* Endgame tables: the entries of a class by number: their positions as text, and how often each value occurs.
 *
 * Example: si_tables_find with the value of the longest win finds the positions that `tablebase longest` prints. */
#include "common/text.h"
#include "control.h"
#include "siaius/tables/tables.h"

/* ---- position texts ---- */

static size_t write_text(const si_tables *t, const tb_stones *stones, char *out)
{
    char *end = rf_put(out, "siaius ");
    for (unsigned rank = t->ranks; rank-- > 0;) {
        unsigned gap = 0;
        for (unsigned file = 0; file < t->files; file++) {
            unsigned i = 0;
            while (i < stones->count && stones->square[i] != rank * t->files + file)
                i++;
            if (i == stones->count) {
                gap++;
                continue;
            }
            if (gap > 0)
                end = rf_put_number(end, gap);
            gap = 0;
            *end++ = (stones->side[i] == SI_SOUTH ? "SMTC" : "smtc")[stones->kind[i]];
        }
        if (gap > 0)
            end = rf_put_number(end, gap);
        *end++ = rank > 0 ? '/' : ' ';
    }
    end = rf_put(end, "s - - 0");
    if (t->huff != SI_HUFF_TURN)
        end = rf_put(end, t->huff == SI_HUFF_STONE ? " huff=stone" : " huff=off");
    *end = '\0';
    return (size_t)(end - out);
}

bool si_tables_text(const si_tables *t, si_material m, uint64_t index, char *out)
{
    tb_class c;
    tb_stones stones;
    if (!tb_class_init(&c, t, m))
        return false;
    const bool possible = index < c.entries && tb_unindex(t, &c, index, &stones);
    if (possible)
        write_text(t, &stones, out);
    tb_class_free(&c);
    return possible;
}

/* ---- counts ---- */

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
