/* Every allocation of the core fails once, in its turn: for sanitizers (tests/core/test_no_memory.py).
 *
 * Each job runs again and again. In the k-th run the k-th allocation fails, either only that one or all from there on, until a
 * run needs fewer. A job may come back with less than was asked, or with nothing; it must not crash, leak or lie. Built
 * with -Wl,--wrap for malloc, calloc and realloc. Argument: the file of a GRAN board. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "certificates/certificate.h"
#include "certificates/layers.h"
#include "game.h"
#include "gran/board.h"
#include "records/clean.h"
#include "records/movetext.h"
#include "search/forced_wins.h"
#include "search/frontier.h"
#include "search/graph.h"
#include "siaius/tables/tables.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);

static long left = -1; /* allocations that succeed before one fails; below 0 none fails */
static bool from_there_on, failed;

static bool fails(void)
{
    if (left < 0 || left-- > 0)
        return false;
    left = from_there_on ? 0 : -1;
    return failed = true;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }

/* ---- what is run ---- */

static rf_gran_board board;

typedef struct {
    const rf_game *game;
    const void *ctx;
    rf_state state;
} place;

static place read_place(const char *text)
{
    place p = {NULL, NULL, {0}};
    rf_error error;
    for (int i = 0; rf_game_at(i) != NULL; i++)
        if (strncmp(rf_game_id(rf_game_at(i)), text, strcspn(text, " ")) == 0)
            p.game = rf_game_at(i);
    if (p.game == NULL)
        exit(3);
    p.ctx = rf_game_needs_context(p.game) ? &board : NULL;
    if (!rf_parse(p.game, p.ctx, text, strlen(text), &p.state, &error))
        exit(4);
    return p;
}

static rf_control started(uint64_t nodes)
{
    rf_control control;
    memset(&control, 0, sizeof control);
    control.node_limit = nodes;
    rf_control_start(&control);
    return control;
}

static uint64_t count_plies(const void *argument)
{
    const place *p = argument;
    rf_control control = started(0);
    rf_table *table = rf_table_new(1 << 16);
    uint64_t found = rf_perft(p->game, p->ctx, &p->state, 3, table, &control);
    rf_table_free(table);
    return control.stopped == RF_DONE ? found : 0;
}

static uint64_t find_win(const void *argument)
{
    const place *p = argument;
    rf_control control = started(0);
    rf_win_result result;
    rf_table *table = rf_table_new(1 << 16);
    rf_win_search *search = table == NULL ? NULL : rf_win_new(p->game, p->ctx, table);
    uint64_t found = 0;
    if (search != NULL) {
        rf_win_solve(search, &p->state, 7, &result, &control);
        found = control.stopped == RF_DONE ? 1u + (uint64_t)result.decided : 0;
        rf_win_free(search);
    }
    rf_table_free(table);
    return found;
}

static uint64_t solve_margin(const place *p, int helpers)
{
    rf_control control = started(20000);
    static rf_margin_result result;
    rf_margin *search = rf_margin_new(p->game, 1 << 20, helpers);
    if (search == NULL)
        return 0;
    rf_margin_solve(search, p->ctx, &p->state, &result, &control);
    rf_margin_stop_helpers(search);
    rf_margin_free(search);
    return result.lower == result.upper ? 1000u + (unsigned)result.lower : 0;
}

static uint64_t find_margin(const void *argument) { return solve_margin(argument, 0); }

/* The main thread, without its helpers. */
static uint64_t lead_helpers(const void *argument) { return solve_margin(argument, 1); }

/* One of several threads, of which the others do not come. */
static uint64_t share_chances(const void *argument)
{
    const place *p = argument;
    rf_control control = started(0);
    rf_chances all;
    uint64_t found = 0;
    rf_chance_table *table = rf_chance_table_new(p->game, 3, 1 << 16);
    if (table != NULL && rf_chance_table_share(table) &&
        rf_chance_maxn(p->game, p->ctx, &p->state, 7, 0, NULL, table, &control, &all) == RF_CHANCE_FOUND)
        found = 1 + (all.num[0][0] ^ all.den[0] << 16);
    rf_chance_table_free(table);
    return found;
}

static uint64_t find_chances(const void *argument)
{
    const place *p = argument;
    rf_control control = started(0);
    rf_chances all, one;
    uint64_t found = 0;
    rf_chance_table *table = rf_chance_table_new(p->game, 3, 1 << 16);
    if (rf_chance_maxn(p->game, p->ctx, &p->state, 7, 0, NULL, table, &control, &all) == RF_CHANCE_FOUND &&
        rf_chance_paranoid(p->game, p->ctx, &p->state, 7, 1, true, RF_CHANCE_VALUE, NULL, NULL, &control, &one) ==
            RF_CHANCE_FOUND)
        found = 1 + (all.num[0][0] ^ all.den[0] << 16 ^ one.num[0][0] << 32 ^ one.den[0] << 48);
    rf_chance_table_free(table);
    return found;
}

static uint64_t make_graph(const void *argument)
{
    const place *p = argument;
    rf_control control = started(0);
    rf_graph *graph = rf_graph_new(p->game, p->ctx, &p->state, 1 << 26, &control);
    uint64_t found = 0;
    if (graph != NULL && rf_retrograde(graph, &control))
        found = rf_graph_size(graph) << 16 | rf_graph_distance(graph, 0);
    rf_graph_free(graph);
    return found;
}

static uint64_t make_frontier(const void *argument)
{
    const place *p = argument;
    rf_control control = started(0);
    rf_frontier *frontier = rf_frontier_new(p->game, 1 << 20);
    unsigned char record[RF_STATE_SIZE + 16] = {0};
    uint64_t found = 0;
    memcpy(record, &p->state, rf_frontier_record_size(p->game) - 16);
    record[rf_frontier_record_size(p->game) - 16] = 1;
    if (frontier != NULL && rf_frontier_expand(frontier, p->ctx, record, 1, &control) == 1 && rf_frontier_sort(frontier))
        found = rf_frontier_count(frontier);
    rf_frontier_free(frontier);
    return found;
}

/* Always the first ply: the walk is over soon, or fails. */
static uint64_t write_certificate(const void *argument)
{
    const place *p = argument;
    rf_control control = started(2000);
    rf_state s;
    const rf_claim claim = {.player = 1, .at_least = -1, .horizon = 4};
    rf_certificate *walk = rf_certificate_new(p->game, p->ctx, &p->state, &claim, NULL, 1000, 1 << 22, true);
    uint64_t found = 0;
    int step = 0;
    rf_ply *plies = malloc(p->game->max_plies * sizeof *plies);
    if (walk != NULL && plies != NULL) {
        while ((step = rf_certificate_next_decision(walk, &s, &control)) == 1) {
            p->game->generate(p->ctx, &s, plies);
            if (!rf_certificate_choose(walk, plies[0], &control))
                break;
        }
        found = step == 0 && rf_certificate_compute_ranks(walk) >= 0 ? 1 + rf_certificate_positions(walk) : 0;
    }
    free(plies);
    rf_certificate_free(walk);
    return found;
}

static uint64_t make_layers(const void *argument)
{
    const place *p = argument;
    uint64_t found = 0;
    rf_layers *layers = rf_layers_new(p->game, p->ctx, &p->state, 1, false, false, 0, 1 << 24);
    bool whole = layers != NULL;
    for (int depth = 0; whole && depth < 3; depth++) {
        while (whole && rf_layers_next_unexpanded(layers) < rf_layers_size(layers))
            whole = rf_layers_expand(layers, 1);
        whole = whole && rf_layers_advance(layers);
        found += whole ? rf_layers_size(layers) : 0;
    }
    rf_layers_free(layers);
    return whole ? found : 0;
}

static uint64_t read_movetext(const void *argument)
{
    const place *p = argument;
    static const char text[] = "1. c1-c2 ((((((((((((((((((((((((((((((((((((c1-c2))))))))))))) *";
    rf_scanner *scanner = rf_scanner_new();
    uint64_t found = 0;
    int step = RF_SCAN_MORE;
    if (scanner == NULL)
        return 0;
    const rf_scan_job job = {text, sizeof text - 1, .at = 0, .first = 1, .max_reported = 100};
    rf_scan_begin(scanner, p->game, p->ctx, &p->state, &job);
    while (step == RF_SCAN_MORE)
        step = rf_scan(scanner, NULL, 0);
    if (step == RF_SCAN_END)
        found = 1 + rf_scan_summary_of(scanner)->errors;
    rf_scanner_free(scanner);
    return found;
}

/* A record is checked and written as JSON. */
static uint64_t write_record(const void *argument)
{
    const place *p = argument;
    static const char text[] = "[Event \"?\"]\n[Date \"?\"]\n[South \"?\"]\n[North \"?\"]\n[Result \"*\"]\n"
                               "[FEN \"gyges 321123/....../....../....../....../321123 s - 1+1\"]\n\n"
                               "1. c1-c2 {a comment} (1. c1-c2 (1. c1-c2)) *\n\n[Zed \"\"]\n";
    const rf_usual_start start = {p->game, p->ctx, &p->state, 0};
    rf_scanner *scanner = rf_scanner_new();
    rf_writer *writer = rf_writer_new(RF_FORM_JSON);
    uint64_t found = 0;
    if (scanner != NULL && writer != NULL) {
        rf_splitter splitter = {0};
        rf_clean_record record;
        rf_clean_part part = {.text = text, .length = sizeof text - 1, .max_bytes = sizeof text};
        rf_check_clean(&part, &splitter, scanner, &start, 1, writer, &record, 1);
        found = part.passed == 1 ? rf_writer_length(writer) : 0;
    }
    rf_writer_free(writer);
    rf_scanner_free(scanner);
    return found;
}

/* A class is built and checked: champions against champions on four by four, or rings of heights 1 and 2. */
static uint64_t build_table(const void *argument)
{
    const place *p = argument;
    const bool has_champions = strcmp(rf_game_id(p->game), "siaius") == 0;
    const rf_material material = has_champions ? 0x00010001 : 0x011;
    const unsigned size = has_champions ? 4 : 6;
    rf_control control = started(0);
    uint64_t found = 0;
    rf_tablebase *tables = rf_tablebase_new(p->game, size, size, 0);
    rf_tb_build *build = tables == NULL ? NULL : rf_tb_build_new(tables, material);
    rf_tb_step step;
    int status = RF_TB_ABSENT;
    while (build != NULL && (status = rf_tb_build_next_step(build, &step)) == RF_TB_FOUND && step.rows > 0)
        rf_tb_build_rows(build, 0, step.rows, &control);
    const uint64_t entries = rf_tablebase_entries(p->game, size, size, material); /* 0 without memory */
    unsigned char *values = entries == 0 ? NULL : malloc(entries);
    rf_tb_statistics statistics;
    if (values != NULL && status == RF_TB_FOUND && control.stopped == RF_DONE &&
        rf_tb_build_write(build, false, 1, values, &statistics) && rf_tablebase_add_values(tables, material, 1, values))
        found = 1 + statistics.wins;
    rf_tb_reader *reader = found == 0 ? NULL : rf_tb_reader_new(NULL, NULL);
    if (reader == NULL || rf_tablebase_verify(tables, reader, material, 0, entries, &control) >= 0)
        found = found != 0 && reader != NULL && control.stopped == RF_DONE ? UINT64_MAX : 0; /* an entry is wrong */
    rf_tb_reader_free(reader);
    rf_tb_build_free(build);
    rf_tablebase_free(tables);
    free(values);
    return found;
}

/* ---- how it is run ---- */

static void run(const char *name, uint64_t (*job)(const void *), const char *text)
{
    place p = {NULL, NULL, {0}};
    if (text != NULL)
        p = read_place(text);
    left = -1;
    const uint64_t whole = job(&p);
    if (whole == 0)
        exit(5);
    long runs = 0;
    for (int mode = 0; mode < 2; mode++) {
        from_there_on = mode == 1;
        for (long k = 0;; k++, runs++) {
            failed = false;
            left = k;
            const uint64_t found = job(&p);
            left = -1;
            if (!failed && found != whole)
                exit(6);
            if (found != 0 && found != whole)
                exit(7); /* a lie */
            if (!failed)
                break;
        }
    }
    printf("%s: %ld\n", name, runs);
}

int main(int argc, char **argv)
{
    FILE *file = argc < 2 ? NULL : fopen(argv[1], "rb");
    if (file == NULL || fread(&board, 1, sizeof board, file) != sizeof board || rf_init(false) != NULL)
        return 2;
    fclose(file);
    const char *gran = "gran c5:3:E/b9:3:TG/c6:1:- @2 c1,e1,a3,c3,e3,f5,e6,g6,a7,e8,a9 1.0.3.6.5.2.1 2 move";
    run("perft", count_plies, "gyges 321123/....../....../....../....../321123 s - 1+1");
    run("win", find_win, "siaius c3/4/4/3C s - - 0 huff=off");
    run("win", find_win, "gyges 321123/....../....../....../....../321123 s - 1+1");
    run("margin", find_margin, "rings .1.../.K(11)..k(111)/...k(31)./.K..K(11)/33.../...../..... n 1+1 0");
    run("helpers", lead_helpers, "rings .1.../.K(11)..k(111)/...k(31)./.K..K(11)/33.../...../..... n 1+1 0");
    run("chances", find_chances, gran);
    run("shared", share_chances, gran);
    run("layers", make_layers, gran);
    run("graph", make_graph, "siaius c3/4/4/3C s - - 0 huff=off");
    run("frontier", make_frontier, "siaius c3/4/4/3C s - - 0 huff=off");
    run("certificate", write_certificate, "siaius c3/4/4/3C s - - 0 huff=off");
    run("movetext", read_movetext, "gyges 321123/....../....../....../....../321123 s - 1+1");
    run("writing", write_record, "gyges 321123/....../....../....../....../321123 s - 1+1");
    run("table", build_table, "siaius c3/4/4/3C s - - 0");
    run("table", build_table, "gyges ....../....../....../....../....../12.... s - 1+1");
    return 0;
}
