/* Endgame tables of Siaius: the functions that tables/tables.h calls.
 *
 * Example: rf_tablebase_free calls free_tables, which calls si_tables_free with the same pointer. */
#include "siaius/tables/build.h"

static const si_tables *own(const rf_tablebase *tables) { return (const si_tables *)tables; }
static const si_tb_build *own_build(const rf_tb_build *build) { return (const si_tb_build *)build; }

const si_tables *si_tables_of(const rf_tablebase *tables)
{
    return tables->game->tables == &si_table_part ? own(tables) : NULL;
}

static bool is_class(rf_material m) { return si_material_canonical(m) == m; }

static rf_tablebase *new_tables(unsigned files, unsigned ranks, unsigned huff)
{
    return (rf_tablebase *)si_tables_new(files, ranks, huff);
}

static void free_tables(rf_tablebase *tables) { si_tables_free((si_tables *)tables); }

static bool add(rf_tablebase *tables, const rf_tb_source *source) { return si_tables_add((si_tables *)tables, source); }

static const rf_tb_source *source_of(const rf_tablebase *tables, rf_material m)
{
    return (const rf_tb_source *)tb_class_of(own(tables), m);
}

static unsigned positions(const rf_tablebase *tables, const rf_tb_source *source, uint64_t index)
{
    tb_stones stones;
    return tb_unindex(own(tables), (const tb_class *)source, index, &stones);
}

static uint64_t other_side(const rf_tablebase *tables, const rf_tb_source *source, uint64_t index,
                           const rf_tb_source **of)
{
    tb_stones stones;
    const tb_class *c;
    tb_unindex(own(tables), (const tb_class *)source, index, &stones);
    const uint64_t other = tb_index(own(tables), &stones, 0, SI_NORTH, &c);
    *of = (const rf_tb_source *)c;
    return other;
}

static rf_tb_answer probe(const rf_tablebase *tables, rf_tb_reader *reader, const rf_state *s)
{
    return si_tables_probe(own(tables), reader, tables->game, s);
}

static bool text(const rf_tablebase *tables, rf_material m, uint64_t index, char *out)
{
    return si_tables_text(own(tables), m, index, out);
}

static int64_t verify(const rf_tablebase *tables, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                      rf_control *control)
{
    return si_tables_verify(own(tables), reader, tables->game, m, from, to, control);
}

static rf_tb_build *new_build(const rf_tablebase *tables, rf_material m)
{
    return (rf_tb_build *)si_tb_build_new(own(tables), m);
}

static int next_step(rf_tb_build *build, rf_tb_step *step) { return si_tb_build_next_step((si_tb_build *)build, step); }

static void do_rows(rf_tb_build *build, uint64_t from, uint64_t to, rf_control *control)
{
    si_tb_build_rows((si_tb_build *)build, from, to, control);
}

static bool mark(const rf_tb_build *build, uint64_t done, rf_tb_checkpoint *out)
{
    return si_tb_build_checkpoint(own_build(build), done, out);
}

static void *marked_part(const rf_tb_build *build, const rf_tb_checkpoint *of, unsigned part, uint64_t *bytes)
{
    return si_tb_build_checkpoint_part(own_build(build), of, part, bytes);
}

static bool resume(rf_tb_build *build, const rf_tb_checkpoint *from)
{
    return si_tb_build_resume((si_tb_build *)build, from);
}

static uint32_t longest(const rf_tb_build *build) { return si_tb_build_longest(own_build(build)); }

static bool write_values(const rf_tb_build *build, bool swapped, unsigned width, void *out,
                         rf_tb_statistics *statistics)
{
    return si_tb_build_write(own_build(build), swapped, width, out, statistics);
}

static void free_build(rf_tb_build *build) { si_tb_build_free((si_tb_build *)build); }

const rf_tablebase_part si_table_part = {
    .is_class = is_class,
    .swapped = si_material_swapped,
    .entries = si_tables_entries,
    .new_tables = new_tables,
    .free_tables = free_tables,
    .add = add,
    .source = source_of,
    .positions = positions,
    .other_side = other_side,
    .probe = probe,
    .text = text,
    .verify = verify,
    .build_memory = si_tb_build_memory,
    .new_build = new_build,
    .next_step = next_step,
    .do_rows = do_rows,
    .mark = mark,
    .marked_part = marked_part,
    .resume = resume,
    .longest = longest,
    .write = write_values,
    .free_build = free_build,
};
