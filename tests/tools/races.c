/* Three threads at the same work, as the Python wrapper starts them: for ThreadSanitizer (tests/core/test_races.py).
 * Arguments: the file of a GRAN board, perft depths are fixed so that each part takes seconds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "game.h"
#include "gran/board.h"
#include "search/forced_wins.h"
#include "siaius/solver/solver.h"
#include "siaius/tables/tables.h"

enum { THREADS = 3 };

static rf_gran_board board;

typedef struct {
    const rf_game *game;
    const void *ctx;
    rf_state state;
    unsigned depth, number;
    rf_table *table;
    rf_in_progress *others;
    rf_chance_table *chances; /* NULL: each thread makes its own */
    uint64_t nodes;
    int cancel;
} job;

static void run_all(void *(*run)(void *), job *jobs)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0)
            exit(3);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void *count(void *argument)
{
    job *j = argument;
    rf_control control;
    memset(&control, 0, sizeof control);
    rf_control_start(&control);
    j->nodes = rf_perft(j->game, j->ctx, &j->state, j->depth, j->table, &control);
    return NULL;
}

static void *find_win(void *argument)
{
    job *j = argument;
    rf_control control;
    rf_win_result result;
    memset(&control, 0, sizeof control);
    rf_control_start(&control);
    rf_win_search *search = rf_win_new(j->game, j->ctx, j->table);
    rf_win_share_work(search, j->others);
    rf_win_solve(search, &j->state, j->depth, &result, &control);
    j->nodes = (uint64_t)(result.value + 2) << 32 | (unsigned)result.decided;
    rf_win_free(search);
    return NULL;
}

/* The searches of margins share no table: each thread has its own and shares only the code. */
static void *find_margin(void *argument)
{
    job *j = argument;
    rf_control control;
    rf_margin_result result;
    memset(&control, 0, sizeof control);
    control.node_limit = 300000;
    rf_control_start(&control);
    rf_margin *search = rf_margin_new(j->game, 64 << 20, 0);
    rf_margin_solve(search, j->ctx, &j->state, &result, &control);
    j->nodes = (uint64_t)(result.lower + 128) << 32 | (unsigned)(result.upper + 128);
    rf_margin_free(search);
    return NULL;
}

/* Threads at one margin: the first one gives the answer, the others help. */
typedef struct {
    rf_margin *search;
    const rf_state *state;
    int helper;
    rf_margin_result result;
} member;

static void *lead(void *argument)
{
    member *m = argument;
    rf_control control;
    memset(&control, 0, sizeof control);
    rf_margin_solve(m->search, NULL, m->state, &m->result, &control);
    rf_margin_stop_helpers(m->search);
    return NULL;
}

static void *help(void *argument)
{
    const member *m = argument;
    rf_margin_help(m->search, m->helper);
    return NULL;
}

static void one_margin(const char *text, uint64_t bytes)
{
    const rf_game *game = NULL;
    rf_state state;
    rf_error error;
    for (int i = 0; rf_game_at(i) != NULL; i++)
        if (strcmp(rf_game_id(rf_game_at(i)), "rings") == 0)
            game = rf_game_at(i);
    if (!rf_parse(game, NULL, text, strlen(text), &state, &error))
        exit(10);
    member alone = {.search = rf_margin_new(game, bytes, 0), .state = &state}, members[THREADS];
    rf_margin *search = rf_margin_new(game, bytes, THREADS - 1);
    if (alone.search == NULL || search == NULL)
        exit(10);
    lead(&alone);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        members[i] = (member){.search = search, .state = &state, .helper = i};
        if (pthread_create(&threads[i], NULL, i == 0 ? lead : help, &members[i]) != 0)
            exit(3);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const rf_margin_result *one = &alone.result, *all = &members[0].result;
    if (one->lower != all->lower || one->upper != all->upper || one->best_count != all->best_count ||
        memcmp(one->best, all->best, sizeof one->best) != 0 || one->endless != all->endless ||
        memcmp(one->line, all->line, sizeof one->line) != 0)
        exit(11);
    printf("one margin %s: %d, helpers %s\n", text, one->lower,
           rf_margin_helper_nodes(search) > 0 ? "helped" : "idle");
    rf_margin_free(search);
    rf_margin_free(alone.search);
}

/* A table for each thread, or one for all. */
static void *find_chances(void *argument)
{
    job *j = argument;
    rf_control control;
    rf_chances all, one;
    memset(&control, 0, sizeof control);
    rf_control_start(&control);
    rf_chance_table *table = j->chances != NULL ? j->chances : rf_chance_table_new(j->game, 3, 64 << 20);
    if (rf_chance_maxn(j->game, j->ctx, &j->state, j->depth, 0, NULL, table, &control, &all) != RF_CHANCE_FOUND)
        exit(10);
    if (rf_chance_paranoid(j->game, j->ctx, &j->state, j->depth, 1, true, RF_CHANCE_VALUE, NULL, table, &control,
                           &one) != RF_CHANCE_FOUND)
        exit(11);
    if (j->chances == NULL)
        rf_chance_table_free(table);
    j->nodes = all.num[0][0] ^ all.den[0] << 16 ^ one.num[0][0] << 32 ^ one.den[0] << 48;
    return NULL;
}

static void together_with(const char *name, void *(*run)(void *), const char *text, unsigned depth,
                          rf_chance_table *chances)
{
    job jobs[THREADS];
    rf_error error;
    memset(jobs, 0, sizeof jobs);
    jobs[0].depth = depth;
    jobs[0].chances = chances;
    jobs[0].table = rf_table_new_growing(1 << 20);
    jobs[0].others = rf_in_progress_new();
    for (int i = 0; rf_game_at(i) != NULL; i++)
        if (strncmp(rf_game_id(rf_game_at(i)), text, strcspn(text, " ")) == 0)
            jobs[0].game = rf_game_at(i);
    if (jobs[0].game == NULL || jobs[0].table == NULL || jobs[0].others == NULL)
        exit(4);
    jobs[0].ctx = rf_game_needs_context(jobs[0].game) ? &board : NULL;
    const char *start = strchr(text, ' ') == NULL ? rf_game_start(jobs[0].game) : text;
    if (!rf_parse(jobs[0].game, jobs[0].ctx, start, strlen(start), &jobs[0].state, &error))
        exit(5);
    for (int i = 1; i < THREADS; i++)
        jobs[i] = jobs[0];
    run_all(run, jobs);
    printf("%s %s: %llu\n", name, text, (unsigned long long)jobs[0].nodes);
    for (int i = 1; i < THREADS; i++)
        if (jobs[i].nodes != jobs[0].nodes)
            exit(6);
    rf_table_free(jobs[0].table);
    rf_in_progress_free(jobs[0].others);
}

static void together(const char *name, void *(*run)(void *), const char *text, unsigned depth)
{
    together_with(name, run, text, depth, NULL);
}

/* The threads search the same questions over one table. */
static void at_one_table(const char *text, unsigned depth)
{
    const rf_game *game = NULL;
    for (int i = 0; rf_game_at(i) != NULL; i++)
        if (strcmp(rf_game_id(rf_game_at(i)), "gran") == 0)
            game = rf_game_at(i);
    rf_chance_table *table = game != NULL ? rf_chance_table_new(game, 3, 16 << 20) : NULL;
    if (table == NULL || !rf_chance_table_share(table))
        exit(12);
    together_with("chances, one table", find_chances, text, depth, table);
    rf_chance_table_free(table);
}

typedef struct {
    rf_tb_build *build;
    uint64_t rows, next;
    pthread_mutex_t lock;
} shared_work;

static void *do_rows(void *argument)
{
    enum { PIECE = 64 };
    shared_work *w = argument;
    rf_control control;
    memset(&control, 0, sizeof control);
    rf_control_start(&control);
    for (;;) {
        pthread_mutex_lock(&w->lock);
        uint64_t from = w->next, to = from + PIECE < w->rows ? from + PIECE : w->rows;
        w->next = to;
        pthread_mutex_unlock(&w->lock);
        if (from == to)
            return NULL;
        rf_tb_build_rows(w->build, from, to, &control);
    }
}

static const rf_game *game_of(const char *id)
{
    for (int i = 0; rf_game_at(i) != NULL; i++)
        if (strcmp(rf_game_id(rf_game_at(i)), id) == 0)
            return rf_game_at(i);
    exit(16);
}

/* Classes that need no others, on six by six: champions against champions, or rings. */
static void build_tables(rf_tablebase *tables, const rf_game *game, rf_material material)
{
    shared_work w = {.build = rf_tb_build_new(tables, material), .lock = PTHREAD_MUTEX_INITIALIZER};
    rf_tb_step step;
    int status;
    if (w.build == NULL)
        exit(7);
    while ((status = rf_tb_build_next_step(w.build, &step)) == RF_TB_FOUND && step.rows > 0) {
        pthread_t threads[THREADS];
        w.rows = step.rows;
        w.next = 0;
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, do_rows, &w) != 0)
                exit(3);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    if (status != RF_TB_FOUND)
        exit(8);
    const rf_material both[2] = {material, rf_material_swapped(game, material)};
    for (int swapped = 0; swapped < (both[0] == both[1] ? 1 : 2); swapped++) {
        rf_tb_statistics statistics;
        unsigned char *values = malloc(rf_tablebase_entries(game, 6, 6, both[swapped]) + 1);
        if (values == NULL || !rf_tb_build_write(w.build, swapped == 1, 1, values, &statistics) ||
            !rf_tablebase_add_values(tables, both[swapped], 1, values))
            exit(9);
        printf("tables %08x: %llu wins\n", both[swapped], (unsigned long long)statistics.wins);
    }
    rf_tb_build_free(w.build);
}

/* Helpers of a search with tables at its leaves: it takes the same steps as without them. */
static void *help_forward(void *argument)
{
    si_solver_help(argument, NULL);
    return NULL;
}

static uint64_t search_forward(const si_tables *tables, const rf_game *game, const rf_state *state, int helpers,
                               uint32_t *upper)
{
    rf_control control;
    pthread_t threads[THREADS];
    memset(&control, 0, sizeof control);
    control.node_limit = 400000;
    si_solver *search = si_solver_new(tables, NULL, game, state, 64 << 20);
    if (search == NULL || (helpers > 0 && !si_solver_start_helpers(search, helpers)))
        exit(13);
    for (int i = 0; i < helpers; i++)
        if (pthread_create(&threads[i], NULL, help_forward, search) != 0)
            exit(3);
    const int status = si_solver_solve(search, &control);
    const uint64_t nodes = control.nodes;
    if (helpers > 0)
        si_solver_stop_helpers(search);
    for (int i = 0; i < helpers; i++)
        pthread_join(threads[i], NULL);
    if (status == SI_SOLVER_SOLVED && !si_solver_bound_distance(search, &control))
        exit(14);
    int won = si_solver_wins(search, state, 1, upper);
    if (won == 0)
        won = -si_solver_wins(search, state, 2, upper);
    si_solver_free(search);
    return nodes << 8 | (uint64_t)(won + 2) << 4 | (uint64_t)status;
}

static void at_tables(const si_tables *tables, const rf_game *game, const char *text)
{
    rf_state state;
    rf_error error;
    uint32_t upper[2];
    if (!rf_parse(game, NULL, text, strlen(text), &state, &error))
        exit(5);
    const uint64_t alone = search_forward(tables, game, &state, 0, &upper[0]);
    if (search_forward(tables, game, &state, THREADS - 1, &upper[1]) != alone || upper[0] != upper[1])
        exit(15);
    printf("forward %s: %llx, %u plies\n", text, (unsigned long long)alone, upper[0]);
}

int main(int argc, char **argv)
{
    FILE *file = argc < 2 ? NULL : fopen(argv[1], "rb");
    if (file == NULL || fread(&board, 1, sizeof board, file) != sizeof board || rf_init(false) != NULL)
        return 2;
    fclose(file);
    together("perft", count, "gyges 321123/....../....../....../....../321123 s - 1+1", 3);
    together("perft", count, "rings", 6);
    together("perft", count, "gran", 6);
    together("perft", count, "siaius", 6);
    together("solve", find_win, "gyges 321123/....../....../....../....../321123 s - 1+1", 9);
    together("solve", find_win, "siaius c3/4/4/3C s - - 0 huff=off", 12);
    together("margin", find_margin,
             "rings .1.k(1)./k(1)k1.1/k(1)K(111)k(5111).1/K(31)3.33/....1/K(1)..../.K(1).K(111). n 0+0 0", 0);
    const char *ending = "gran c5:3:E/b9:3:TG/c6:1:- @2 c1,e1,a3,c3,e3,f5,e6,g6,a7,e8,a9 1.0.3.6.5.2.1 2 move";
    together("chances", find_chances, ending, 13);
    at_one_table(ending, 12);
    one_margin("rings .k(1)..kk(1)./..K(311)..../K(1111).1..k(111)K(31)/.335K(331111)../..K(1)..k(11)./......k(111111)/"
               ".K(11)..K.. s 0+1 0", 1 << 20);
    one_margin("rings ...k(1).k(1)./......./1..K(311)K(1)../K(3)3..3../.k(31111).k(111)k(111111)K(11)k(53111)/1....."
               "./K1.1.K(1)K n 0+0 0", 64 << 20);
    one_margin("rings .k(1).1./1...k(1)/.K(1111)k(11)k(1)1/33533/1K(11)k(1).K(1)/....K(1)/.1.K(1). n 0+0 0", 1 << 20);
    const rf_game *siaius = game_of("siaius"), *gyges = game_of("gyges");
    rf_tablebase *tables = rf_tablebase_new(siaius, 6, 6, 0), *rings = rf_tablebase_new(gyges, 6, 6, 0);
    if (tables == NULL || rings == NULL)
        return 7;
    build_tables(tables, siaius, 0x00010001);
    build_tables(tables, siaius, 0x00020001);
    at_tables(si_tables_of(tables), siaius, "siaius c4c/6/6/6/6/C4C s - - 0");
    at_tables(si_tables_of(tables), siaius, "siaius c5/6/6/6/6/1C1C1C s - - 0");
    build_tables(rings, gyges, 0x111);
    rf_tablebase_free(tables);
    rf_tablebase_free(rings);
    return 0;
}
