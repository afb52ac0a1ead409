/* perft of any game: the number of ply sequences of a depth.
 *
 * rf_perft uses the counting code of the game (perft.inc); rf_perft_kinds generates every ply.
 * Example: depth 0 gives 1, depth 1 the number of legal plies. */
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "game.h"

/* Counts the sequences of a depth. If `counts` is not NULL, also those that end with a ply of each kind. */
static uint64_t count_by_lists(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth,
                               uint64_t *counts, rf_ply *lists, rf_control *control)
{
    if (depth == 0)
        return 1;
    if (rf_tick(control))
        return 0;
    size_t plies = game->generate(ctx, s, lists);
    if (depth == 1) {
        for (size_t i = 0; counts != NULL && game->kinds != NULL && i < plies; i++)
            for (uint32_t kinds = game->kinds->of_ply(ctx, s, lists[i]); kinds != 0; kinds &= kinds - 1)
                counts[rf_lsb(kinds)]++;
        return plies;
    }
    uint64_t total = 0;
    const bool is_shown = depth >= control->shown_depth;
    const uint64_t begin = control->done, share = control->share;
    for (size_t i = 0; i < plies && control->stopped == RF_DONE; i++) {
        rf_state next;
        if (is_shown)
            rf_report_child(control, begin, share, i, plies);
        game->apply(ctx, s, lists[i], &next);
        total += count_by_lists(game, ctx, &next, depth - 1, counts, lists + plies, control);
    }
    return total;
}

/* Each of the first plies of a count gets an equal part of the share of its position. */
enum { SHOWN_PLIES = 3, SHARE_OF_ALL = 1000000 };

/* Starts the control, bounds the depth and allocates the lists of all levels. NULL if memory ran out; then
 * control->stopped says so. */
static rf_ply *start_count(const rf_game *game, unsigned *depth, rf_control *control)
{
    rf_control_start(control);
    if (*depth > RF_MAX_PERFT)
        *depth = RF_MAX_PERFT;
    control->total = control->share = SHARE_OF_ALL;
    control->shown_depth = *depth > SHOWN_PLIES + 1 ? *depth - SHOWN_PLIES + 1 : 2;
    rf_ply *lists = malloc((size_t)game->max_plies * (*depth + 1) * sizeof *lists);
    if (lists == NULL)
        control->stopped = RF_STOPPED_MEMORY;
    return lists;
}

uint64_t rf_perft(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, rf_table *table,
                  rf_control *control)
{
    rf_ply *lists = start_count(game, &depth, control);
    uint64_t total = lists == NULL ? 0 : game->perft(ctx, s, depth, lists, table, control);
    if (control->stopped == RF_DONE)
        control->done = control->total;
    free(lists);
    return total;
}

const char *rf_game_ply_kind(const rf_game *game, unsigned index)
{
    for (unsigned i = 0; game->kinds != NULL && game->kinds->names[i] != NULL; i++)
        if (i == index)
            return game->kinds->names[i];
    return NULL;
}

uint64_t rf_perft_kinds(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, uint64_t *counts,
                        rf_control *control)
{
    if (counts != NULL)
        memset(counts, 0, RF_MAX_PLY_KINDS * sizeof *counts);
    rf_ply *lists = start_count(game, &depth, control);
    uint64_t total = lists == NULL ? 0 : count_by_lists(game, ctx, s, depth, counts, lists, control);
    if (control->stopped == RF_DONE)
        control->done = control->total;
    free(lists);
    return total;
}
