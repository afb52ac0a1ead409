/* libFuzzer harnesses for everything in the core that reads bytes from outside. One program; RINGFEN_FUZZ names which
 * of them it is. They say more than 'no crash': what is read is written and read again, what is cut up is cut the same
 * way in pieces, what is listed is counted. run.py builds and runs them. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "certificates/certificate.h"
#include "certificates/layers.h"
#include "game.h"
#include "gran/board.h"
#include "records/clean.h"
#include "records/movetext.h"
#include "records/split.h"
#include "records/tags.h"
#include "siaius/solver/solver.h"
#include "siaius/tables/tables.h"

/* A failed property ends the program as a crash does. */
static void need(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "property broken: %s\n", what);
        abort();
    }
}

static rf_gran_board board; /* the default board, as run.py wrote it down */

static const rf_game *game_of(uint8_t byte)
{
    int games = 0;
    while (rf_game_at(games) != NULL)
        games++;
    return rf_game_at(byte % games);
}

static const void *context_of(const rf_game *game) { return rf_game_needs_context(game) ? &board : NULL; }

static bool start_of(const rf_game *game, rf_state *out)
{
    rf_error error;
    const char *text = rf_game_start(game);
    return rf_parse(game, context_of(game), text, strlen(text), out, &error);
}

/* ---- positions and plies ---- */

static void check_plies(const rf_game *game, const void *ctx, const rf_state *s)
{
    static rf_ply plies[RF_MAX_PLIES], sorted[RF_MAX_PLIES];
    size_t count = rf_plies(game, ctx, s, plies);
    need(count == rf_count_plies(game, ctx, s), "as many plies as are counted");
    need((int64_t)count == rf_sorted_plies(game, ctx, s, sorted), "as many sorted as not");
    need((count == 0) == (rf_outcome(game, ctx, s) != RF_OUTCOME_NONE), "no plies exactly if it is over");
    for (size_t i = 0; i < count; i += 1 + count / 8) {
        char text[RF_MAX_PLY_TEXT], again[RF_MAX_TEXT], first[RF_MAX_TEXT];
        rf_parsed_ply parsed;
        rf_error error;
        rf_state next, back;
        size_t length = rf_format_ply(game, ctx, s, sorted[i], text);
        need(rf_parse_ply(game, ctx, s, text, length, &parsed, &error), "a ply that is written can be read");
        need(parsed.ply == sorted[i] && !parsed.long_form, "it is the same ply");
        rf_apply(game, ctx, s, parsed.ply, &next);
        length = rf_format(game, ctx, &next, first);
        need(rf_parse(game, ctx, first, length, &back, &error), "the position after it can be written and read");
        need(rf_format(game, ctx, &back, again) == length && memcmp(first, again, length) == 0, "and is the same");
    }
}

static void fuzz_positions(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    const rf_game *game = game_of(data[0]);
    const void *ctx = context_of(game);
    rf_state s, again;
    rf_error error;
    char text[RF_MAX_TEXT], twice[RF_MAX_TEXT];
    if (!rf_parse(game, ctx, (const char *)data + 1, size - 1, &s, &error)) {
        need(error.kind == RF_SYNTAX || error.kind == RF_IMPOSSIBLE, "a kind of error");
        need(error.at + error.length <= size - 1 + (error.length == 0), "the error is in the text");
        return;
    }
    size_t length = rf_format(game, ctx, &s, text);
    need(length < rf_game_max_text(game), "a text of the reported length");
    need(rf_parse(game, ctx, text, length, &again, &error), "a position that is written can be read");
    need(rf_equal(game, &s, &again), "it is the same position");
    need(rf_format(game, ctx, &again, twice) == length && memcmp(text, twice, length) == 0, "and the same text");
    rf_description described;
    rf_describe(game, ctx, &s, &described);
    check_plies(game, ctx, &s);
}

/* Ply texts, one per line, played from the usual start; other lines are skipped. */
static void fuzz_plies(const uint8_t *data, size_t size)
{
    rf_state s, next;
    if (size == 0 || !start_of(game_of(data[0]), &s))
        return;
    const rf_game *game = game_of(data[0]);
    const void *ctx = context_of(game);
    for (size_t at = 1; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t length = end == NULL ? size - at : (size_t)(end - data) - at;
        rf_parsed_ply parsed;
        rf_error error;
        if (rf_parse_ply(game, ctx, &s, (const char *)data + at, length, &parsed, &error)) {
            rf_apply(game, ctx, &s, parsed.ply, &next);
            s = next;
            if (rf_outcome(game, ctx, &s) == RF_OUTCOME_NONE)
                check_plies(game, ctx, &s);
        } else {
            need(error.kind == RF_SYNTAX || error.kind == RF_ILLEGAL, "a kind of error");
        }
        at += length + 1;
    }
}

/* ---- records ---- */

static void fuzz_movetext(const uint8_t *data, size_t size)
{
    if (size < 2)
        return;
    static rf_scanner *scanner;
    if (scanner == NULL && (scanner = rf_scanner_new()) == NULL)
        return;
    const rf_game *game = game_of(data[0]);
    rf_state start;
    rf_event events[7];
    bool plays = data[1] & 1 && start_of(game, &start);
    uint32_t length = (uint32_t)size - 2, seen = 0;
    const rf_scan_job job = {(const char *)data + 2, length, .at = 0, .first = data[1] >> 4, .max_reported = 5};
    rf_scan_begin(scanner, game, context_of(game), plays ? &start : NULL, &job);
    int state = RF_SCAN_MORE;
    while (state == RF_SCAN_MORE || state == RF_SCAN_PAUSE) {
        state = rf_scan(scanner, data[1] & 2 ? events : NULL, 7);
        const rf_scan_summary *summary = rf_scan_summary_of(scanner);
        need(summary->events <= 7 && summary->diagnosed <= RF_DIAGNOSTICS, "at most as many as fit");
        for (uint32_t i = 0; data[1] & 2 && i < summary->events; i++) {
            need(events[i].at >= seen && events[i].at + events[i].length <= length, "events are in the order of the text");
            seen = events[i].kind == RF_EVENT_COMMENT ? seen : events[i].at;
        }
    }
}

/* Boundaries, as a sum that depends on their order. */
static uint64_t boundaries(const char *text, size_t size, size_t piece)
{
    rf_splitter s;
    uint64_t sum = 0;
    memset(&s, 0, sizeof s);
    for (size_t at = 0; at < size;) {
        size_t length = size - at < piece ? size - at : piece;
        uint64_t before = s.boundary;
        size_t used = rf_split(&s, text + at, length);
        need(used <= length, "no more is looked at than there is");
        if (s.boundary != before)
            sum = (sum ^ s.boundary) * UINT64_C(0x9e3779b97f4a7c15) + s.boundary_line;
        else
            need(used == length, "it stops early only at a record");
        at += used;
    }
    return sum;
}

static void fuzz_splitting(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    const char *text = (const char *)data + 1;
    need(boundaries(text, size - 1, SIZE_MAX) == boundaries(text, size - 1, 1u + data[0] % 17), "split in pieces as in one");
    rf_tag tag;
    for (uint32_t at = 0; rf_read_tag(text, (uint32_t)size - 1, at, &tag);) {
        need(tag.at >= at && tag.length > 0 && tag.at + tag.length <= size - 1, "a tag is inside the text");
        at = tag.at + tag.length;
    }
}

/* Records that end in a text, in one form; the last of the text is not one of them. Their text and a head of another record
 * go to `out`, which is NULL if nothing is kept. Returns how many records are written. */
static uint32_t write_records(const char *text, size_t size, int form, char **out, size_t *out_size)
{
    enum { CAPACITY = 16 };
    static const char next[] = "[Zed \"\"]\n";
    rf_usual_start starts[8];
    rf_state states[8];
    uint32_t start_count = 0, written = 0;
    for (int i = 0; rf_game_at(i) != NULL && i < 8; i++) {
        const rf_game *game = rf_game_at(i);
        unsigned players = 0;
        need(start_of(game, &states[i]), "the usual start can be read");
        if (rf_players(game, context_of(game), &states[i]) > 2)
            players = rf_players(game, context_of(game), &states[i]);
        starts[start_count++] = (rf_usual_start){game, context_of(game), &states[i], players};
    }
    rf_scanner *scanner = rf_scanner_new();
    rf_writer *writer = rf_writer_new(form);
    need(scanner != NULL && writer != NULL, "there is memory");
    rf_splitter splitter;
    rf_clean_record records[CAPACITY];
    rf_clean_part part = {.text = text, .length = size, .max_bytes = 1 << 20};
    memset(&splitter, 0, sizeof splitter);
    size_t length = 0;
    char *kept = NULL;
    for (int how = RF_CLEAN_FULL; how != RF_CLEAN_END;) {
        how = rf_check_clean(&part, &splitter, scanner, starts, start_count, writer, records, CAPACITY);
        written += part.passed;
        size_t more = rf_writer_length(writer);
        kept = realloc(kept, length + more + sizeof next);
        need(kept != NULL, "there is memory");
        if (more > 0)
            memcpy(kept + length, rf_writer_text(writer), more);
        length += more;
        if (how == RF_CLEAN_RECORD) {
            part.begin = part.end;
            part.line = splitter.boundary_line;
            part.mid_line = splitter.mid_line;
        }
    }
    memcpy(kept + length, next, sizeof next);
    *out = kept;
    *out_size = length + sizeof next - 1;
    rf_writer_free(writer);
    rf_scanner_free(scanner);
    return written;
}

/* The writer changes nothing in its own output. */
static void fuzz_writing(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    static const char next[] = "\n\n[Zed \"\"]\n";
    char *text = malloc(size - 1 + sizeof next), *once, *twice;
    size_t once_size, twice_size;
    int form = data[0] % 3;
    need(text != NULL, "there is memory");
    memcpy(text, data + 1, size - 1);
    memcpy(text + size - 1, next, sizeof next);
    uint32_t written = write_records(text, size - 2 + sizeof next, form, &once, &once_size);
    free(text);
    if (form != RF_FORM_JSON) {
        need(write_records(once, once_size, form, &twice, &twice_size) == written, "each record is written again");
        need(once_size == twice_size && memcmp(once, twice, once_size) == 0, "it is the same text");
        free(twice);
    }
    free(once);
}

/* ---- boards, certificates, tables ---- */

/* One input in 64, whatever its mutations come from: those for which a harness takes the large start. */
static bool is_costly(const uint8_t *data, size_t size)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 16777619u;
    sum = (sum ^ sum >> 15) * 0x2c1b3c6du;
    return (sum >> 16) % 64 == 0;
}

static void put_line(rf_gran_board *b, unsigned p, unsigned q)
{
    b->neighbours[p].low |= UINT64_C(1) << q;
    b->neighbours[q].low |= UINT64_C(1) << p;
}

/* The points a5 to d8: a city in each corner, a ball at c7 as in the usual start. To complete a board takes time by the
 * third power of the points, so that this one is hundreds of times faster than the default. */
static void small_board(rf_gran_board *b)
{
    enum { SIDE = 4, LOWEST = 4 };
    static const uint8_t realms[] = {RF_GRAN_TIRAD, RF_GRAN_TIRAD, RF_GRAN_URGAD, RF_GRAN_URGAD,
                                     RF_GRAN_WHITE, RF_GRAN_TIRAD, RF_GRAN_URGAD, RF_GRAN_URGAD,
                                     RF_GRAN_WHITE, RF_GRAN_GALAD, RF_GRAN_ELGAD, RF_GRAN_WHITE,
                                     RF_GRAN_GALAD, RF_GRAN_GALAD, RF_GRAN_ELGAD, RF_GRAN_ELGAD};
    static const uint8_t symbols[] = {RF_GRAN_CITY,  RF_GRAN_PLAIN,  RF_GRAN_PLAIN,       RF_GRAN_CITY,
                                      RF_GRAN_PLAIN, RF_GRAN_DRAGON, RF_GRAN_DRAGON,      RF_GRAN_SWORD,
                                      RF_GRAN_PLAIN, RF_GRAN_RING_BALL, RF_GRAN_START_BALL, RF_GRAN_PLAIN,
                                      RF_GRAN_CITY,  RF_GRAN_PLAIN,  RF_GRAN_MAGIC_STONE, RF_GRAN_CITY};
    memset(b, 0, sizeof *b);
    b->files = SIDE;
    b->ranks = LOWEST + SIDE;
    b->points = SIDE * SIDE;
    b->stones = 3;
    memcpy(b->cards, board.cards, sizeof b->cards);
    memcpy(b->realm, realms, sizeof realms);
    memcpy(b->symbol, symbols, sizeof symbols);
    for (unsigned p = 0; p < b->points; p++) {
        b->file[p] = (uint8_t)(p / SIDE);
        b->rank[p] = (uint8_t)(LOWEST + p % SIDE);
        b->start = symbols[p] == RF_GRAN_START_BALL ? (uint8_t)p : b->start;
        b->ring = symbols[p] == RF_GRAN_RING_BALL ? (uint8_t)p : b->ring;
        if (b->file[p] + 1 < SIDE)
            put_line(b, p, p + SIDE);
        if (p % SIDE + 1 < SIDE)
            put_line(b, p, p + 1);
    }
}

/* Whether the board is sound and its start has been checked. */
static bool try_board(rf_gran_board *changed)
{
    const rf_game *game = rf_game_at(0);
    for (int i = 0; game != NULL && !rf_game_needs_context(game); i++)
        game = rf_game_at(i);
    if (game == NULL || rf_gran_complete(changed) != NULL)
        return false;
    rf_state s;
    rf_error error;
    const char *text = rf_game_start(game);
    if (!rf_parse(game, changed, text, strlen(text), &s, &error))
        return false;
    check_plies(game, changed, &s);
    return true;
}

/* A small board, or now and then the default one, with bytes of the input put over it. */
static void fuzz_boards(const uint8_t *data, size_t size)
{
    enum { MOST_CHANGES = 64 };
    rf_gran_board changed;
    if (is_costly(data, size))
        changed = board;
    else
        small_board(&changed);
    size_t own = offsetof(rf_gran_board, all);
    for (size_t i = 0; i + 2 < size && i < 3 * MOST_CHANGES; i += 3)
        ((uint8_t *)&changed)[(data[i] << 8 | data[i + 1]) % own] = data[i + 2];
    try_board(&changed);
}

/* Near the end: few plies each, so that strategies of a few bytes reach deep. */
static const char *const endings[] = {
    "gyges ....3./..12.1/....3./..3..1/..123./....22 s - 1+1",
    "rings .k.../...../k.K../...../..1../...../..... s 0+0 0",
    "rings ....1/..k(11)../1k(3111)k(11)../...../....1/...3./.K... n 0+0 0",
    "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight",
    "gran c2:0:UE/c6:0:G/f3:2:TE @3 c9 0.0.2.5.4.1.0 3 move",
    "siaius 2c/s2/S1C s c3 - 0",
    "siaius 4/4/S3/3c n - d1 0",
};

/* The ending that the fifth byte chooses, or now and then the usual start of the game that the first byte chooses. */
static const rf_game *certificate_start(const uint8_t *data, size_t size, rf_state *out)
{
    const rf_game *game = game_of(data[0]);
    rf_error error;
    if (is_costly(data, size))
        return start_of(game, out) ? game : NULL;
    const char *text = endings[data[4] % (sizeof endings / sizeof *endings)];
    for (int i = 0; (game = rf_game_at(i)) != NULL; i++)
        if (strncmp(rf_game_id(game), text, strcspn(text, " ")) == 0)
            break;
    need(game != NULL && rf_parse(game, context_of(game), text, strlen(text), out, &error), "an ending is a position");
    return game;
}

/* The ply of the position that a byte chooses; 0 if there is none. */
static rf_ply some_ply(const rf_game *game, const void *ctx, const rf_state *s, uint8_t choice)
{
    rf_ply *plies = malloc(game->max_plies * sizeof *plies);
    const size_t count = plies == NULL ? 0 : game->generate(ctx, s, plies);
    const rf_ply ply = count == 0 ? 0 : plies[choice % count];
    free(plies);
    return ply;
}

static void fuzz_certificates(const uint8_t *data, size_t size)
{
    enum { MOST = 100 };
    rf_state s;
    const rf_game *game = size < 5 ? NULL : certificate_start(data, size, &s);
    if (game == NULL)
        return;
    const void *ctx = context_of(game);
    rf_control control;
    memset(&control, 0, sizeof control);
    rf_control_start(&control);
    size_t at = 5;
    int64_t used = 1;
    if (rf_game_solver(game) != RF_SOLVER_CHANCE) {
        rf_claim claim = {.player = 1 + (data[1] & 1), .at_least = (data[1] >> 1 & 3) - 1, .within = data[2], .horizon = -1};
        if ((data[1] & 8) != 0)
            claim.horizon = data[2] % 16;
        claim.excludes = (data[1] & 16) != 0;
        claim.excluded = some_ply(game, ctx, &s, data[2]);
        control.node_limit = 20000;
        rf_certificate *walk = rf_certificate_new(game, ctx, &s, &claim, NULL, MOST, 1 << 20, false);
        while (walk != NULL && used > 0 && !rf_certificate_is_complete(walk)) {
            size_t piece = size - at < 1u + data[3] ? size - at : 1u + data[3];
            used = rf_certificate_check(walk, data + at, piece, at + piece == size, &control);
            need(used <= (int64_t)piece, "no more is used than there is");
            at += used > 0 ? (size_t)used : 0;
        }
        rf_certificate_free(walk);
        return;
    }
    const bool excludes = (data[1] & 64) != 0;
    rf_layers *layers =
        rf_layers_new(game, ctx, &s, 1 + data[1] % 3, data[1] >> 7, excludes, some_ply(game, ctx, &s, data[2]), 1 << 20);
    for (int depth = 0; layers != NULL && depth < data[2] % 8; depth++) {
        while ((used = rf_layers_check(layers, data + at, size - at, true, &control)) > 0)
            at += (size_t)used;
        if (used < 0 || rf_layers_next_unexpanded(layers) != rf_layers_size(layers) || !rf_layers_advance(layers))
            break;
    }
    rf_layers_free(layers);
}

static uint32_t crc32_of(const uint8_t *at, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* Compressed is what begins with its own length, up to 255. */
static size_t expand(void *context, void *out, size_t room, const void *in, size_t size)
{
    size_t length = size == 0 ? 0 : *(const uint8_t *)in;
    (void)context;
    if (size == 0 || length > room)
        return room + 1;
    memset(out, 1, length);
    memcpy(out, (const uint8_t *)in + 1, size - 1 < length ? size - 1 : length);
    return length;
}

/* A search and a certificate whose leaves are these tables; both bounded. */
static void use_as_leaves(const si_tables *tables, rf_tb_reader *reader, const rf_game *game, const uint8_t *data,
                          size_t size)
{
    const char *text = size % 2 ? "siaius 1s1/1s1/S2 s - - 0" : "siaius s2/2S/c1C n - - 0";
    rf_state s;
    rf_error error;
    rf_control control;
    memset(&control, 0, sizeof control);
    if (!rf_parse(game, NULL, text, strlen(text), &s, &error))
        return;
    si_solver *search = si_solver_new(tables, reader, game, &s, 1 << 18);
    if (search != NULL) {
        uint32_t upper;
        control.node_limit = 300;
        if (si_solver_solve(search, &control) == SI_SOLVER_SOLVED)
            si_solver_bound_distance(search, &control);
        si_solver_wins(search, &s, 1, &upper);
        si_solver_free(search);
    }
    rf_leaves *leaves = si_leaves_new(tables, reader, game);
    rf_claim claim = {.horizon = -1};
    if (size >= 2) {
        claim.player = 1 + (data[0] & 1);
        claim.at_least = data[0] >> 1 & 1;
        claim.within = data[1];
    }
    rf_certificate *walk =
        leaves == NULL || size < 2 ? NULL : rf_certificate_new(game, NULL, &s, &claim, leaves, 1000, 1 << 20, false);
    memset(&control, 0, sizeof control);
    rf_control_start(&control);
    if (walk != NULL && rf_certificate_check(walk, data + 2, size - 2, true, &control) > 0)
        need(rf_certificate_is_complete(walk) || rf_certificate_error(walk) == RF_CERT_GOOD,
             "a consumed certificate is complete or continues");
    rf_certificate_free(walk);
    si_leaves_free(leaves);
}

/* The index and blocks of a class of two stones, as a file holds them. */
static void fuzz_tables(const uint8_t *data, size_t size)
{
    enum { BLOCKS = 6 };
    const si_material one_each = si_material_canonical(0x10001000);
    const rf_game *game = NULL;
    for (int i = 0; rf_game_at(i) != NULL; i++)
        if (strcmp(rf_game_id(rf_game_at(i)), "siaius") == 0)
            game = rf_game_at(i);
    unsigned char offsets[8 * (BLOCKS + 1)], sums[4 * BLOCKS];
    if (size < sizeof offsets + sizeof sums + 2 || game == NULL)
        return;
    memcpy(offsets, data + 2, sizeof offsets);
    memcpy(sums, data + 2 + sizeof offsets, sizeof sums);
    const uint8_t *blocks = data + 2 + sizeof offsets + sizeof sums;
    size_t left = size - (2 + sizeof offsets + sizeof sums);
    if (data[0] & 1)
        for (int i = 0; i <= BLOCKS; i++) {
            memset(offsets + 8 * i, 0, 8);
            offsets[8 * i] = (uint8_t)(left * (size_t)i / BLOCKS);
        }
    for (int i = 0; data[0] & 2 && left < 256 && i < BLOCKS; i++) {
        size_t from = offsets[8 * i], to = offsets[8 * i + 8];
        uint32_t crc = from <= to && to <= left ? crc32_of(blocks + from, to - from) : 0;
        for (int k = 0; k < 4; k++)
            sums[4 * i + k] = (unsigned char)(crc >> 8 * k);
    }
    uint64_t entries = rf_tablebase_entries(game, 3, 3, one_each), each = (entries + BLOCKS - 1) / BLOCKS;
    int file = memfd_create("blocks", 0);
    need(file >= 0 && write(file, blocks, left) == (ssize_t)left, "a file in memory can be written");
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    /* Some files end before their data does. */
    rf_tb_blocks index = {path, 0, left + (data[0] >> 4 & 1), BLOCKS, each, offsets, sums};
    unsigned width = data[0] & 4 ? 2 : 1;
    unsigned char *values = malloc(entries * width + 1);
    rf_tablebase *tables = rf_tablebase_new(game, 3, 3, data[0] >> 3 & 1);
    rf_tb_reader *reader = rf_tb_reader_new(expand, NULL);
    if (values != NULL && tables != NULL && reader != NULL) {
        rf_tb_unpack(&index, entries, width, expand, NULL, values);
        if (rf_tablebase_add_blocks(tables, one_each, width, &index)) {
            static const char *const texts[] = {"siaius 2s/3/S2 s - - 0", "siaius s2/3/1S1 s - - 0", "siaius 3/sS1/3 n - - 0"};
            for (int i = 0; i < 3; i++) {
                rf_state s;
                rf_error error;
                if (rf_parse(game, NULL, texts[i], strlen(texts[i]), &s, &error))
                    rf_tablebase_probe(tables, reader, &s);
            }
            use_as_leaves(si_tables_of(tables), reader, game, blocks, left);
        }
    }
    rf_tb_reader_free(reader);
    rf_tablebase_free(tables);
    free(values);
    close(file);
}

/* ---- which of them ---- */

static const struct {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} harnesses[] = {
    {"positions", fuzz_positions}, {"plies", fuzz_plies},   {"movetext", fuzz_movetext},
    {"splitting", fuzz_splitting}, {"writing", fuzz_writing}, {"boards", fuzz_boards},
    {"certificates", fuzz_certificates}, {"tables", fuzz_tables},
};
static void (*chosen)(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("RINGFEN_FUZZ"), *path = getenv("RINGFEN_FUZZ_BOARD");
    (void)argc;
    (void)argv;
    for (size_t i = 0; name != NULL && i < sizeof harnesses / sizeof *harnesses; i++)
        if (strcmp(harnesses[i].name, name) == 0)
            chosen = harnesses[i].run;
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    if (chosen == NULL || file == NULL || fread(&board, 1, sizeof board, file) != sizeof board || rf_init(true) != NULL) {
        fprintf(stderr, "RINGFEN_FUZZ names no harness, or RINGFEN_FUZZ_BOARD no board\n");
        exit(2);
    }
    fclose(file);
    rf_gran_board small;
    small_board(&small);
    need(try_board(&small) && try_board(&board), "boards without changes are sound");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    chosen(data, size);
    return 0;
}
