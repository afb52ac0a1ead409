/* Ringfen's core in a C program: lists plies, counts perft, solves (docs/embedding.md).
 *
 *   cc -O3 -std=c11 -Icore_c/src -r -o ringfen.o $(python3 core_c/src/build_ffi.py)
 *   ar rcs libringfen.a ringfen.o
 *   cc -std=c11 -Icore_c/src -o embed examples/embed.c libringfen.a -lpthread
 *   ./embed 'rings .k.../...../k.K../...../..1../...../..... s 0+0 0' */
#include <stdio.h>
#include <string.h>

#include "solving/solving.h"

static const char *const names[] = {"unknown", "win", "loss", "draw", "margin", "chances"};

static void print_plies(const rf_game *game, const rf_state *s)
{
    static rf_ply plies[RF_MAX_PLIES];
    char text[RF_MAX_PLY_TEXT];
    int64_t count = rf_sorted_plies(game, NULL, s, plies);
    for (int64_t i = 0; i < count; i++) {
        rf_format_ply(game, NULL, s, plies[i], text);
        printf("%s%s", text, i + 1 < count ? " " : "\n");
    }
}

static void print_perft(const rf_game *game, const rf_state *s)
{
    for (unsigned depth = 1; depth <= 3; depth++) {
        rf_control control = {0};
        unsigned long long nodes = rf_perft(game, NULL, s, depth, NULL, &control);
        printf("perft %u: %llu\n", depth, nodes);
    }
}

static int print_solution(const rf_game *game, const rf_state *s)
{
    const rf_solve_options options = {.seconds = 10, .table_bytes = 64 << 20, .depth = 0};
    rf_control control = {0};
    rf_solution found;
    if (!rf_solve(game, NULL, s, &options, NULL, &control, &found))
        return 1;
    printf("%s", names[found.answer.value]);
    if (found.answer.value == RF_VALUE_MARGIN)
        printf(" %+d", found.answer.margin);
    if (found.answer.distance >= 0)
        printf(" in %d plies", found.answer.distance);
    printf(", best:");
    for (uint64_t i = 0; i < found.best_count; i++) {
        char text[RF_MAX_PLY_TEXT];
        rf_format_ply(game, NULL, s, found.best[i], text);
        printf(" %s", text);
    }
    printf("\n");
    rf_solution_clear(&found);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: embed POSITION\n");
        return 2;
    }
    if (rf_init(false) != NULL)
        return 2;
    /* The first word of a position is the id of its game. */
    for (int i = 0; rf_game_at(i) != NULL; i++) {
        const rf_game *game = rf_game_at(i);
        size_t length = strlen(rf_game_id(game));
        rf_state s;
        rf_error error;
        if (strncmp(argv[1], rf_game_id(game), length) != 0 || argv[1][length] != ' ')
            continue;
        if (rf_game_needs_context(game)) { /* GRAN: the context is a board */
            fprintf(stderr, "this example has no board of %s\n", rf_game_id(game));
            return 2;
        }
        if (!rf_parse(game, NULL, argv[1], strlen(argv[1]), &s, &error)) {
            fprintf(stderr, "%s at byte %u\n", error.reason, (unsigned)error.at);
            return 2;
        }
        print_plies(game, &s);
        print_perft(game, &s);
        return print_solution(game, &s);
    }
    fprintf(stderr, "a position is the id of its game, a space, and the other fields\n");
    return 2;
}
