/* The entry points of the page for the texts of records (docs/page.md): split, tags, movetext, canonical form.
 *
 * Idea: the functions return what the readers of `records/` find, as JSON with byte offsets. The page words it, and
 * makes a tree of the events. To write a record, the page passes any text of it; the writer makes the canonical one.
 * Invariant: as in web.c; only the text that rf_web_write returns is UTF-8 instead of ASCII.
 * Example: rf_web_split of a text of two records returns [[0,40,0,0],[40,90,5,0]]. */
#include "records/scanner.h"
#include "records/split.h"
#include "records/tags.h"
#include "records/writer.h"
#include "web/json.h"

enum { EVENTS = 64 }; /* of the scan, written at a time */

static void put_numbers(rf_json *out, const uint64_t *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        json_put(out, i == 0 ? "[" : ",");
        json_number(out, numbers[i]);
    }
}

/* The records of a text: [[begin, end, line, mid_line]]; lines count from 0, and mid_line is 1 if a record does not begin
 * at the start of a line. */
char *RF_WEB(rf_web_split)(const char *text, size_t length)
{
    rf_json out = json_new();
    rf_splitter splitter = {0};
    uint64_t begin = 0, line = 0, mid_line = 0;
    unsigned count = 0;
    json_put(&out, "[");
    while (splitter.at < length) {
        uint64_t boundary = splitter.boundary;
        rf_split(&splitter, text + splitter.at, (size_t)(length - splitter.at));
        bool ends = splitter.boundary != boundary, last = splitter.at == length && !ends;
        if (!ends && !(last && splitter.content))
            continue;
        json_put(&out, count++ == 0 ? "" : ",");
        put_numbers(&out, (uint64_t[]){begin, ends ? splitter.boundary : length, line, mid_line}, 4);
        json_put(&out, "]");
        begin = splitter.boundary;
        line = splitter.boundary_line;
        mid_line = splitter.mid_line;
    }
    json_put(&out, "]");
    return out.text;
}

/* The tags of a record: {"tags": [[at, length, name_at, name_length, value_at, value_length, problem]], "movetext": where
 * the movetext begins}; the problem is "" or a key. */
char *RF_WEB(rf_web_tags)(const char *text, uint32_t length, unsigned max)
{
    rf_json out = json_new();
    rf_tag tag;
    uint32_t at = 0;
    json_put(&out, "{\"tags\":[");
    for (unsigned count = 0; count < max && rf_read_tag(text, length, at, &tag); count++) {
        json_put(&out, count == 0 ? "" : ",");
        put_numbers(&out, (uint64_t[]){tag.at, tag.length, tag.name_at, tag.name_length, tag.value_at, tag.value_length}, 6);
        json_put(&out, ",");
        json_word(&out, tag.problem == NULL ? "" : tag.problem);
        json_put(&out, "]");
        at = tag.at + tag.length;
    }
    json_put(&out, "]");
    json_field(&out, "movetext", at);
    json_put(&out, "}");
    return out.text;
}

/* Writes an event: [kind, at, length], a NAG with its number, a ply with its round, whether it begins a turn of South
 * (player 1), its short form if it names more, and the position after it; a comment with a command, with the position
 * after it. */
static void put_event(rf_json *out, const rf_event *event, const char *fen, size_t length)
{
    put_numbers(out, (uint64_t[]){event->kind, event->at, event->length, event->number, event->opens},
                event->kind == RF_EVENT_PLY ? 5 : event->kind == RF_EVENT_NAG ? 4 : 3);
    if (event->kind == RF_EVENT_PLY) {
        json_put(out, ",");
        json_word(out, event->text);
    }
    if (length > 0) {
        json_put(out, ",");
        json_string(out, fen, length);
    }
    json_put(out, "]");
}

static void put_diagnostic(rf_json *out, const rf_diagnostic *found)
{
    json_put(out, "{");
    json_word_field(out, "code", found->code);
    json_field(out, "at", found->at);
    json_field(out, "length", found->length);
    json_field(out, "ply", found->ply);
    json_word_field(out, "expected", found->expected);
    json_word_field(out, "reason", found->reason.reason[0] == '\0' ? "" : found->reason.reason);
    json_name(out, "args");
    for (int i = 0; i < RF_ARGS; i++) {
        json_put(out, i == 0 ? "[" : ",");
        json_word(out, found->reason.args[i]);
    }
    json_put(out, "]}");
}

static void put_summary(rf_json *out, const rf_scan_summary *summary)
{
    json_field(out, "errors", summary->errors);
    json_field(out, "warnings", summary->warnings);
    json_field(out, "plies", summary->plies);
    json_field(out, "resultAt", summary->result_at);
    json_field(out, "resultLength", summary->result_length);
    json_field(out, "first", summary->first_number);
    json_bool_field(out, "complete", summary->complete);
    json_field(out, "outcome", summary->outcome);
}

/* Reads the start position of a call; false if it is invalid. */
static bool read_start(int number, const void *ctx, const char *text, size_t length, const rf_game **game,
                       rf_state *state)
{
    rf_error error;
    *game = rf_game_at(number);
    return *game != NULL && rf_parse(*game, ctx, text, length, state, &error);
}

/* The movetext of a record from `at`: {"events": [as put_event], "diagnostics": [...], and the summary}. The events end
 * before the first error. `first` is as in rf_scan_job. */
char *RF_WEB(rf_web_movetext)(int number, const void *ctx, const char *start, size_t start_length, const char *text,
                              uint32_t length, uint32_t at, uint32_t first, uint32_t max)
{
    const rf_game *game;
    rf_state state;
    rf_scanner *scanner = rf_scanner_new();
    rf_json out = json_new(), found = json_new();
    bool known = read_start(number, ctx, start, start_length, &game, &state);
    if (scanner == NULL) {
        free(out.text);
        free(found.text);
        return NULL;
    }
    const rf_scan_job job = {text, length, .at = at, .first = first, .max_reported = max};
    rf_scan_begin(scanner, known ? game : NULL, known ? ctx : NULL, known ? &state : NULL, &job);
    const rf_scan_summary *summary = rf_scan_summary_of(scanner);
    json_put(&out, "{\"events\":[");
    json_put(&found, "[");
    unsigned events = 0, diagnostics = 0;
    for (int step = RF_SCAN_MORE; step != RF_SCAN_END && step != RF_SCAN_MEMORY;) {
        rf_event event;
        bool readable = summary->errors == 0 && known;
        step = rf_scan(scanner, &event, 1);
        if (readable && summary->events > 0) {
            char fen[RF_MAX_TEXT];
            size_t size = 0;
            bool may_state = event.kind == RF_EVENT_COMMENT && memchr(text + event.at, '%', event.length) != NULL;
            if (event.kind == RF_EVENT_PLY || may_state)
                size = rf_format(game, ctx, rf_scan_state(scanner), fen);
            json_put(&out, events++ == 0 ? "" : ",");
            put_event(&out, &event, fen, size);
        }
        for (uint32_t i = 0; i < summary->diagnosed; i++) {
            json_put(&found, diagnostics++ == 0 ? "" : ",");
            put_diagnostic(&found, &summary->diagnostics[i]);
        }
    }
    json_put(&out, "]");
    json_name(&out, "diagnostics");
    json_put(&out, found.text == NULL ? "[" : found.text);
    json_put(&out, "]");
    put_summary(&out, summary);
    json_put(&out, "}");
    rf_scanner_free(scanner);
    free(found.text);
    return out.text;
}

/* The canonical form of a record: {"text": ...}, or {"text": ""} if the text cannot be written: it has errors, a tag twice
 * or too many tags, a comment before its tags or a NAG after a comment. `players` is as in rf_usual_start. */
char *RF_WEB(rf_web_write)(int number, const void *ctx, const char *start, size_t start_length, const char *text,
                           uint32_t length, uint32_t players)
{
    const rf_game *game;
    rf_state state;
    rf_head head;
    rf_json out = json_new();
    rf_scanner *scanner = rf_scanner_new();
    rf_writer *writer = rf_writer_new(RF_FORM_TEXT);
    bool good = scanner != NULL && writer != NULL && read_start(number, ctx, start, start_length, &game, &state) &&
                rf_read_head(text, length, &head);
    if (good) {
        const rf_scan_job job = {
            text, length, .at = head.movetext, .first = !rf_has_tag(&head, RF_TAG_FEN), .max_reported = 1};
        const rf_record_start begin = {game, ctx, &state, players};
        const rf_scan_summary *summary = rf_scan_summary_of(scanner);
        bool begun = false;
        rf_scan_begin(scanner, game, ctx, &state, &job);
        for (int step = RF_SCAN_MORE; good && step != RF_SCAN_END;) {
            rf_event events[EVENTS];
            step = rf_scan(scanner, events, EVENTS);
            uint32_t first = 1 + scanner->shift;
            good = (step == RF_SCAN_END || step == RF_SCAN_MORE) && summary->errors == 0 &&
                   (begun || rf_write_head(writer, &head, &begin, first)) &&
                   rf_write_events(writer, text, events, summary->events, first);
            begun = true;
        }
        good = good && rf_write_end(writer, (rf_span){text + summary->result_at, summary->result_length},
                                    summary->first_number);
    }
    json_put(&out, "{\"text\":");
    json_utf8(&out, good ? rf_writer_text(writer) : "", good ? (size_t)rf_writer_length(writer) : 0);
    json_put(&out, "}");
    rf_writer_free(writer);
    rf_scanner_free(scanner);
    return out.text;
}
