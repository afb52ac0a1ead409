/* Endgame tables of any game: calls the functions of the game.
 *
 * Example: rf_tablebase_probe(tables, reader, s) of tables of Gygès calls the function `probe` of its
 * rf_tablebase_part. */
#include "tables/tables.h"

#include "control.h"

bool rf_is_class(const rf_game *game, rf_material m) { return game->tables->is_class(m); }
rf_material rf_material_swapped(const rf_game *game, rf_material m) { return game->tables->swapped(m); }

uint64_t rf_tablebase_entries(const rf_game *game, unsigned files, unsigned ranks, rf_material m)
{
    return game->tables->entries(files, ranks, m);
}

rf_tablebase *rf_tablebase_new(const rf_game *game, unsigned files, unsigned ranks, unsigned variant)
{
    rf_tablebase *tables = game->tables->new_tables(files, ranks, variant);
    if (tables != NULL)
        tables->game = game;
    return tables;
}

void rf_tablebase_free(rf_tablebase *tables)
{
    if (tables != NULL)
        tables->game->tables->free_tables(tables);
}

static bool add_source(rf_tablebase *t, const rf_tb_source *source)
{
    return (source->width == 1 || source->width == 2) && t->game->tables->add(t, source);
}

bool rf_tablebase_add_values(rf_tablebase *t, rf_material m, unsigned width, const void *values)
{
    return add_source(t, &(rf_tb_source){.material = m, .width = width, .values = values});
}

bool rf_tablebase_add_blocks(rf_tablebase *t, rf_material m, unsigned width, const rf_tb_blocks *blocks)
{
    return add_source(t, &(rf_tb_source){.material = m, .width = width, .blocks = *blocks});
}

rf_tb_answer rf_tablebase_probe(const rf_tablebase *t, rf_tb_reader *reader, const rf_state *s)
{
    return t->game->tables->probe(t, reader, s);
}

bool rf_tablebase_entry_text(const rf_tablebase *t, rf_material m, uint64_t index, char *out)
{
    return t->game->tables->text(t, m, index, out);
}

int64_t rf_tablebase_verify(const rf_tablebase *t, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                            rf_control *control)
{
    const rf_tb_source *source = t->game->tables->source(t, m);
    rf_control_start(control);
    if (from >= to)
        return -1;
    return source == NULL || source->entries < to ? (int64_t)from
                                                  : t->game->tables->verify(t, reader, m, from, to, control);
}

/* ---- builds ---- */

uint64_t rf_tb_build_memory(const rf_game *game, unsigned files, unsigned ranks, rf_material m)
{
    return game->tables->build_memory(files, ranks, m);
}

rf_tb_build *rf_tb_build_new(const rf_tablebase *tables, rf_material m)
{
    rf_tb_build *build = tables->game->tables->new_build(tables, m);
    if (build != NULL)
        build->game = tables->game;
    return build;
}

int rf_tb_build_next_step(rf_tb_build *b, rf_tb_step *step) { return b->game->tables->next_step(b, step); }

void rf_tb_build_rows(rf_tb_build *b, uint64_t from, uint64_t to, rf_control *control)
{
    b->game->tables->do_rows(b, from, to, control);
}

bool rf_tb_build_checkpoint(const rf_tb_build *b, uint64_t done, rf_tb_checkpoint *c)
{
    return b->game->tables->checkpoint(b, done, c);
}

void *rf_tb_build_checkpoint_part(const rf_tb_build *b, const rf_tb_checkpoint *c, unsigned part, uint64_t *bytes)
{
    return b->game->tables->checkpoint_part(b, c, part, bytes);
}

bool rf_tb_build_resume(rf_tb_build *b, const rf_tb_checkpoint *c) { return b->game->tables->resume(b, c); }
uint32_t rf_tb_build_longest(const rf_tb_build *b) { return b->game->tables->longest(b); }

bool rf_tb_build_write(const rf_tb_build *b, bool swapped, unsigned width, void *out, rf_tb_statistics *statistics)
{
    return b->game->tables->write(b, swapped, width, out, statistics);
}

void rf_tb_build_free(rf_tb_build *build)
{
    if (build != NULL)
        build->game->tables->free_build(build);
}
