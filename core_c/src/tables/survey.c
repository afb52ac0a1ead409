/* Endgame tables of any game: how often each value occurs in a class, where it occurs, and zugzwangs.
 *
 * Idea: go through the entries in order. The game states the number of positions of an entry: none if two pieces share
 * a square, two if its mirror image has no entry.
 * Example: rf_tablebase_find_value with the value of the longest win finds the positions that `tablebase longest`
 * prints. */
#include "control.h"
#include "tables/tables.h"

/* The source of a class with at least `entries` entries; NULL if it was not added. */
static const rf_tb_source *source_of(const rf_tablebase *t, rf_material m, uint64_t entries)
{
    const rf_tb_source *source = t->game->tables->source(t, m);
    return source != NULL && source->entries >= entries ? source : NULL;
}

/* Whether the control lets a pass continue with an entry. */
static bool continues(rf_control *control, uint64_t done)
{
    control->done = done;
    return !rf_tick(control);
}

int rf_tablebase_count_values(const rf_tablebase *t, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                              uint64_t *counts, rf_control *control)
{
    rf_control_start(control);
    const rf_tb_source *source = source_of(t, m, to);
    if (source == NULL)
        return RF_TB_ABSENT;
    for (uint64_t index = from; index < to && continues(control, index - from); index++) {
        unsigned value;
        if (!rf_tb_read(reader, source, index, &value))
            return RF_TB_DAMAGED;
        counts[value] += t->game->tables->positions(t, source, index);
    }
    return RF_TB_FOUND;
}

int rf_tablebase_find_value(const rf_tablebase *t, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                            unsigned sought, uint64_t *found, rf_control *control)
{
    rf_control_start(control);
    const rf_tb_source *source = source_of(t, m, to);
    if (source == NULL)
        return RF_TB_ABSENT;
    *found = to;
    for (uint64_t index = from; index < to && continues(control, index - from); index++) {
        unsigned value;
        if (!rf_tb_read(reader, source, index, &value))
            return RF_TB_DAMAGED;
        if (value == sought && t->game->tables->positions(t, source, index) != 0) {
            *found = index;
            break;
        }
    }
    return RF_TB_FOUND;
}

static void add_zugzwang(rf_tb_zugzwangs *found, unsigned distance, uint64_t index, unsigned positions)
{
    found->positions += positions;
    if (distance > found->longest) {
        found->longest = distance;
        found->longest_at = index;
    }
}

int rf_tablebase_zugzwangs(const rf_tablebase *t, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                           rf_tb_zugzwangs *found, rf_control *control)
{
    const rf_tablebase_part *part = t->game->tables;
    rf_control_start(control);
    const rf_tb_source *source = source_of(t, m, to), *swapped;
    if (source == NULL || part->source(t, part->swapped(m)) == NULL)
        return RF_TB_ABSENT;
    for (uint64_t index = from; index < to && continues(control, index - from); index++) {
        unsigned value, other;
        if (!rf_tb_read(reader, source, index, &value))
            return RF_TB_DAMAGED;
        const unsigned positions = value & RF_TB_LOSS ? part->positions(t, source, index) : 0;
        if (positions == 0)
            continue;
        const uint64_t at = part->other_side(t, source, index, &swapped);
        if (swapped == NULL)
            return RF_TB_ABSENT;
        if (!rf_tb_read(reader, swapped, at, &other))
            return RF_TB_DAMAGED;
        if (other == 0 || other & RF_TB_LOSS)
            add_zugzwang(&found[other == 0 ? RF_TB_HALF_POINT : RF_TB_FULL_POINT], value ^ RF_TB_LOSS, index,
                         positions);
    }
    return RF_TB_FOUND;
}
