#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "game.h"

static uint64_t count_with_lists(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, rf_ply *lists,
                                 rf_control *control)
{
    if (depth == 0)
        return 1;
    if (rf_tick(control))
        return 0;
    size_t plies = game->generate(ctx, s, lists);
    if (depth == 1)
        return plies;
    uint64_t total = 0;
    for (size_t i = 0; i < plies && control->stopped == RF_DONE; i++) {
        rf_state next;
        game->apply(ctx, s, lists[i], &next);
        total += count_with_lists(game, ctx, &next, depth - 1, lists + plies, control);
    }
    return total;
}

static uint64_t count(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, bool with_lists,
                      rf_table *table, rf_control *control)
{
    rf_control_start(control);
    if (depth > RF_MAX_PERFT)
        depth = RF_MAX_PERFT;
    rf_ply *lists = malloc((size_t)game->max_plies * (depth + 1) * sizeof *lists);
    if (lists == NULL) {
        control->stopped = RF_STOPPED_MEMORY;
        return 0;
    }
    uint64_t total = with_lists ? count_with_lists(game, ctx, s, depth, lists, control)
                                : game->perft(ctx, s, depth, lists, table, control);
    free(lists);
    return total;
}

uint64_t rf_perft(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, rf_table *table,
                  rf_control *control)
{
    return count(game, ctx, s, depth, false, table, control);
}

uint64_t rf_perft_lists(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, rf_control *control)
{
    return count(game, ctx, s, depth, true, NULL, control);
}

const char *rf_game_ply_kind(const rf_game *game, unsigned index)
{
    for (unsigned i = 0; game->kinds != NULL && game->kinds->names[i] != NULL; i++)
        if (i == index)
            return game->kinds->names[i];
    return NULL;
}

static uint64_t count_kinds(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, uint64_t *counts,
                            rf_ply *lists, rf_control *control)
{
    if (rf_tick(control))
        return 0;
    size_t plies = game->generate(ctx, s, lists);
    uint64_t total = depth == 1 ? plies : 0;
    for (size_t i = 0; i < plies && control->stopped == RF_DONE; i++) {
        if (depth == 1) {
            uint32_t kinds = game->kinds != NULL ? game->kinds->of_ply(ctx, s, lists[i]) : 0;
            for (; kinds != 0; kinds &= kinds - 1)
                counts[rf_lowest(kinds)]++;
        } else {
            rf_state next;
            game->apply(ctx, s, lists[i], &next);
            total += count_kinds(game, ctx, &next, depth - 1, counts, lists + plies, control);
        }
    }
    return total;
}

uint64_t rf_perft_kinds(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, uint64_t *counts,
                        rf_control *control)
{
    rf_control_start(control);
    memset(counts, 0, RF_MOST_PLY_KINDS * sizeof *counts);
    if (depth > RF_MAX_PERFT)
        depth = RF_MAX_PERFT;
    rf_ply *lists = malloc((size_t)game->max_plies * (depth + 1) * sizeof *lists);
    if (lists == NULL) {
        control->stopped = RF_STOPPED_MEMORY;
        return 0;
    }
    uint64_t total = depth == 0 ? 1 : count_kinds(game, ctx, s, depth, counts, lists, control);
    free(lists);
    return total;
}

uint64_t rf_arithmetic(uint64_t rounds)
{
    uint64_t x = 0x9e3779b97f4a7c15u;
    for (uint64_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}
