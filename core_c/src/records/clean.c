/* The fast check of records (clean.h): UTF-8, tags, dates, results, and movetext by the scanner.
 *
 * Idea: each check knows only the usual form, so it is short and copies nothing. A record that it does not know goes to
 * the full check in Python, which finds the place and the words for an error.
 * Invariant: a record passes as a whole or not at all; no part of a record that does not pass is written.
 * Example: no leap years here. A record with [Date "2024.02.29"] is correct and goes to the full check. */
#include "records/clean.h"

#include "common/text.h"
#include "records/scanner.h"
#include "records/writer.h"

enum {
    EVENTS = 64,               /* of the scan, written at a time */
    MAX_EVENTS = 1 << 16,      /* of a record that is written */
    MAX_STEPS = 1 << 12,       /* calls of rf_scan for it */
    MAX_PARTS = 1 << 6,        /* calls of rf_scan for any other record, so that Python can handle signals */
    LONGEST_SHOWN = 120,       /* bytes of a line that diagnostics show whole, as in diagnostics.py */
    NO_ZERO = 400,             /* bytes at the beginning of a record where zeros may show another encoding */
    ENOUGH_WRITTEN = 1 << 20   /* bytes that one call writes, apart from its last record */
};

/* ---- UTF-8 ---- */

static bool is_continuation(const char *text, size_t length, size_t at)
{
    return at < length && ((unsigned char)text[at] & 0xc0) == 0x80;
}

/* Bytes of the character that begins with a byte above 0x7f; 0 if it is none. */
static size_t character_size(const char *text, size_t length, size_t at)
{
    unsigned lead = (unsigned char)text[at];
    unsigned second = at + 1 < length ? (unsigned char)text[at + 1] : 0;
    size_t size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    /* No character is longer than need be, half of a surrogate pair, or above U+10FFFF. */
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < size; i++)
        if (!is_continuation(text, length, at + i))
            return 0;
    return size;
}

static bool is_utf8(const char *text, size_t length)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    for (size_t at = 0; at < length;) {
        uint64_t eight;
        if (length - at >= sizeof eight) {
            memcpy(&eight, text + at, sizeof eight);
            if ((eight & high) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        size_t size = (unsigned char)text[at] < 0x80 ? 1 : character_size(text, length, at);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

/* ---- the start position ---- */

/* Whether the tags name exactly these players; `players` 0: South and North. */
static bool names_players(const rf_head *head, uint32_t players)
{
    if (players == 0)
        return rf_has_tag(head, RF_TAG_SOUTH) && rf_has_tag(head, RF_TAG_NORTH);
    uint32_t named = head->seen >> RF_TAG_PLAYER & 0x1ff;
    return named == (1u << players) - 1;
}

static bool is_id(rf_span word, const rf_game *game)
{
    return word.length == strlen(game->id) && memcmp(word.text, game->id, word.length) == 0;
}

/* The first word of a position. */
static rf_span first_word(rf_span text)
{
    uint32_t at = 0, end;
    while (at < text.length && rf_byte_is(text.text[at], RF_BLANK))
        at++;
    for (end = at; end < text.length && !rf_byte_is(text.text[end], RF_BLANK);)
        end++;
    return (rf_span){text.text + at, end - at};
}

/* The start that a FEN tag states, into out->state; the board is that of a usual start of the game. */
static bool read_fen(const rf_head *head, const rf_usual_start *starts, uint32_t count, rf_clean_record *out)
{
    rf_span fen = rf_head_value(head, RF_TAG_FEN), id = first_word(fen);
    rf_error error;
    for (uint32_t i = 0; i < count; i++) {
        const rf_usual_start *usual = &starts[i];
        if (!is_id(id, usual->game))
            continue;
        out->facts.start = i;
        out->fen = true;
        return (!rf_has_tag(head, RF_TAG_GAME) || rf_same_span(rf_head_value(head, RF_TAG_GAME), id)) &&
               rf_parse(usual->game, usual->ctx, fen.text, fen.length, &out->state, &error);
    }
    return false;
}

/* Finds the usual start of a record. */
static bool find_usual(const rf_head *head, const rf_usual_start *starts, uint32_t count, rf_clean_record *out)
{
    rf_span game = rf_head_value(head, RF_TAG_GAME);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_id(game, starts[i].game) || (starts[i].players > 0 && !names_players(head, starts[i].players)))
            continue;
        out->facts.start = i;
        return true;
    }
    return false;
}

static bool find_start(const rf_head *head, const rf_usual_start *starts, uint32_t count, rf_clean_record *out,
                       rf_record_start *start)
{
    out->fen = rf_has_tag(head, RF_TAG_FEN);
    if (!(out->fen ? read_fen(head, starts, count, out) : find_usual(head, starts, count, out)))
        return false;
    const rf_usual_start *usual = &starts[out->facts.start];
    *start = (rf_record_start){usual->game, usual->ctx, out->fen ? &out->state : usual->state, usual->players};
    if (out->fen && usual->players > 0)
        start->players = rf_player_count(usual->game, usual->ctx, &out->state);
    return !out->fen || start->players == 0 || names_players(head, start->players);
}

/* ---- results ---- */

/* Whether a result matches the outcome of a game of two players. */
static bool matches_two_players(rf_span result, int outcome)
{
    return outcome == RF_OUTCOME_DRAW ? rf_same_span(result, RF_SPAN("1/2-1/2"))
           : outcome == 1             ? rf_same_span(result, RF_SPAN("1-0"))
           : outcome == 2             ? rf_same_span(result, RF_SPAN("0-1"))
                                      : rf_same_span(result, RF_SPAN("1-0")) || rf_same_span(result, RF_SPAN("0-1")) ||
                                            rf_same_span(result, RF_SPAN("1/2-1/2"));
}

/* The same for more players, of whom one has 1 and the others 0. */
static bool matches_many_players(rf_span result, uint32_t players, int outcome)
{
    uint32_t winner = 0;
    if (result.length != 2 * players - 1)
        return false;
    for (uint32_t i = 0; i < result.length; i++) {
        char c = result.text[i];
        if (i % 2 == 1 ? c != '-' : c != '0' && (c != '1' || winner != 0))
            return false;
        if (c == '1')
            winner = i / 2 + 1;
    }
    return winner != 0 && (outcome == RF_OUTCOME_NONE || outcome == (int)winner);
}

static bool result_matches(rf_span result, uint32_t players, int outcome)
{
    if (rf_same_span(result, RF_SPAN("*")))
        return outcome == RF_OUTCOME_NONE;
    return players == 0 ? matches_two_players(result, outcome) : matches_many_players(result, players, outcome);
}

/* ---- dates ---- */

/* A number of two digits, 1 for `??`, or 0. */
static unsigned two_digits(const char *text)
{
    if (text[0] == '?' && text[1] == '?')
        return 1;
    unsigned tens = (unsigned)(text[0] - '0'), ones = (unsigned)(text[1] - '0');
    return tens < 10 && ones < 10 ? 10 * tens + ones : 0;
}

/* Whether a date is correct. Rare forms go to the full check. */
static bool is_plain_date(rf_span date)
{
    const char *text = date.text;
    if (rf_same_span(date, RF_SPAN("?")))
        return true;
    if (date.length != 10 || text[4] != '.' || text[7] != '.')
        return false;
    unsigned century = two_digits(text), years = two_digits(text + 2), month = two_digits(text + 5),
             day = two_digits(text + 8);
    if (century == 0 || (years == 0 && memcmp(text + 2, "00", 2) != 0) || month == 0 || day == 0 || month > 12)
        return false;
    return day <= 28 || (day <= 30 && month != 2) || (day == 31 && (month + (month > 7)) % 2 == 1);
}

/* ---- records ---- */

/* Whether tags and date give no warning. */
static bool has_usual_tags(const rf_head *head, const rf_record_start *start)
{
    const uint32_t always = 1u << RF_TAG_EVENT | 1u << RF_TAG_DATE | 1u << RF_TAG_RESULT;
    return (head->seen & always) == always && names_players(head, start->players) &&
           is_plain_date(rf_head_value(head, RF_TAG_DATE));
}

/* Whether what the scanner has just reported leaves no trace in the record as it is written. */
static bool is_harmless(const rf_scan_summary *summary)
{
    for (uint32_t i = 0; i < summary->diagnosed; i++) {
        const rf_diagnostic *found = &summary->diagnostics[i];
        if (found->is_error || strcmp(found->code, "wrong-number") == 0 || strcmp(found->code, "gap") == 0)
            return false;
    }
    return true;
}

/* Reads the movetext and writes the record. False: the scan is not over, or the record must be written in another way. */
static bool write_movetext(rf_scanner *scanner, const rf_head *head, const rf_record_start *start, rf_writer *writer)
{
    const rf_scan_summary *summary = &scanner->summary;
    rf_event events[EVENTS];
    for (uint32_t i = 0, written = 0; i < MAX_STEPS; i++) {
        int step = rf_scan(scanner, events, EVENTS);
        uint32_t first = 1 + scanner->shift;
        written += summary->events;
        if ((step != RF_SCAN_END && step != RF_SCAN_MORE) || !is_harmless(summary) || written > MAX_EVENTS ||
            (i == 0 && !rf_write_head(writer, head, start, first)) ||
            !rf_write_events(writer, scanner->text, events, summary->events, first))
            return false;
        if (step == RF_SCAN_END)
            return true;
    }
    return false;
}

/* Copies the warnings that the scanner has just found. False if one is an error, or the record has too many. */
static bool take_warnings(rf_clean_part *part, uint32_t *warned, const rf_scanner *scanner)
{
    for (uint32_t i = 0; i < scanner->summary.diagnosed; i++) {
        const rf_diagnostic *found = &scanner->summary.diagnostics[i];
        if (found->is_error || *warned == RF_RECORD_WARNINGS)
            return false;
        part->warnings[part->warned + (*warned)++] =
            (rf_warning){*found, *rf_current_state(scanner), *rf_scan_state_before(scanner)};
    }
    return true;
}

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/* The line of a warning. False: it is too long to be shown whole, or not printable, or does not contain all bytes
 * concerned. */
static bool find_line(const char *text, uint32_t length, const rf_diagnostic *found, uint32_t *begin, uint32_t *end)
{
    *begin = *end = found->at;
    while (*begin > 0 && found->at - *begin <= LONGEST_SHOWN && is_printable(text[*begin - 1]))
        --*begin;
    while (*end < length && *end - found->at <= LONGEST_SHOWN && is_printable(text[*end]))
        ++*end;
    return *end - *begin <= LONGEST_SHOWN && found->at + found->length <= *end &&
           (*begin == 0 || rf_byte_is(text[*begin - 1], RF_LINE_END)) &&
           (*end == length || rf_byte_is(text[*end], RF_LINE_END));
}

/* Line ends between two places, of which the second is not within one. */
static uint32_t count_lines(const char *text, uint32_t from, uint32_t to)
{
    uint32_t lines = 0;
    for (uint32_t i = from; i < to; i++)
        lines += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    return lines;
}

/* Locates the warnings of the record from `begin` to `end`, so that it passes as clean. False: one of them cannot be
 * located, is not behind the one before it, or is a wrong number, which may have a cause that Python finds. */
static bool locate_warnings(rf_clean_part *part, uint32_t warned)
{
    const char *text = part->text + part->begin;
    uint32_t length = (uint32_t)(part->end - part->begin), last = 0, begin, end;
    uint64_t line = part->line;
    for (uint32_t i = 0; i < warned; i++) {
        const rf_diagnostic *found = &part->warnings[part->warned + i].found;
        if (found->at < last || strcmp(found->code, "wrong-number") == 0 ||
            !find_line(text, length, found, &begin, &end))
            return false;
        line += count_lines(text, last, found->at);
        last = found->at;
        part->located_warnings[part->located + i] =
            (rf_located){line, part->begin + begin, found->code, end - begin, found->at - begin, found->length,
                         found->ply, part->passed, part->warned + i};
    }
    part->located += warned;
    return true;
}

/* Reads the movetext and counts its warnings in `warned`. False: it has errors, too many warnings, or very many
 * tokens. */
static bool read_movetext(rf_clean_part *part, uint32_t *warned, rf_scanner *scanner)
{
    for (uint32_t i = 0; i < MAX_PARTS; i++) {
        int step = rf_scan(scanner, NULL, 0);
        if ((step != RF_SCAN_END && step != RF_SCAN_MORE) || !take_warnings(part, warned, scanner))
            return false;
        if (step == RF_SCAN_END)
            return true;
    }
    return false;
}

_Static_assert(sizeof(rf_record_facts) == 4 * sizeof(uint32_t) + RF_FACTS_RESULT, "facts are compared as bytes");

/* Copies the results of the scan; facts.start is already set. */
static void take_results(rf_clean_record *out, const rf_scan_summary *summary, rf_span result)
{
    out->facts = (rf_record_facts){out->facts.start, summary->plies, summary->outcome, summary->reached, {0}};
    out->result_at = summary->result_at;
    out->result_length = result.length;
    if (result.length <= sizeof out->facts.result)
        memcpy(out->facts.result, result.text, result.length);
}

/* Whether the record between `begin` and `end` passes. Adds it to the scanned ones if it is not clean. */
static bool passes(rf_clean_part *part, rf_scanner *scanner, const rf_usual_start *starts, uint32_t start_count,
                   rf_writer *writer, rf_clean_record *out)
{
    const char *text = part->text + part->begin;
    rf_head head;
    rf_record_start start;
    uint32_t warned = 0;
    if ((writer != NULL && part->mid_line) || part->end - part->begin > part->max_bytes)
        return false;
    uint32_t length = (uint32_t)(part->end - part->begin);
    if (!is_utf8(text, length) || memchr(text, 0, length < NO_ZERO ? length : NO_ZERO) != NULL ||
        !rf_read_head(text, length, &head))
        return false;
    if (!find_start(&head, starts, start_count, out, &start))
        return false;
    const rf_scan_job job = {text, length, .at = head.movetext, .first = !out->fen, .max_reported = UINT32_MAX};
    rf_scan_begin(scanner, start.game, start.ctx, start.state, &job);
    const rf_scan_summary *summary = &scanner->summary;
    bool good = writer == NULL ? read_movetext(part, &warned, scanner) : write_movetext(scanner, &head, &start, writer);
    rf_span token = {text + summary->result_at, summary->result_length};
    take_results(out, summary, token);
    out->end = part->end;
    out->last = *rf_scan_state(scanner);
    bool agrees = (rf_same_span(token, rf_head_value(&head, RF_TAG_RESULT)) || !rf_has_tag(&head, RF_TAG_RESULT)) &&
                  result_matches(token, start.players, summary->outcome);
    bool usual = writer != NULL || (agrees && has_usual_tags(&head, &start));
    if (!good || (writer != NULL && !(agrees && rf_write_end(writer, token, summary->first_number))))
        return false;
    if (usual && !part->mid_line && (warned == 0 || (part->locate && locate_warnings(part, warned))))
        part->plies += out->facts.plies;
    else
        part->scanned_records[part->scanned++] = (rf_scanned_record){
            part->passed, part->warned, warned, part->line, part->mid_line, usual, head.movetext, part->plies};
    part->warned += warned;
    return true;
}

/* Whether there is no room for another record. */
static bool is_full(const rf_clean_part *part, uint32_t capacity, const rf_writer *writer)
{
    return part->passed == capacity || part->scanned == RF_MAX_SCANNED ||
           part->warned + RF_RECORD_WARNINGS > RF_MAX_WARNINGS ||
           (writer != NULL && rf_writer_length(writer) >= ENOUGH_WRITTEN);
}

int rf_check_clean(rf_clean_part *part, rf_splitter *splitter, rf_scanner *scanner, const rf_usual_start *starts,
                   uint32_t start_count, rf_writer *writer, rf_clean_record *records, uint32_t capacity)
{
    part->passed = part->scanned = part->warned = part->located = 0;
    part->plies = 0;
    if (writer != NULL)
        rf_writer_clear(writer);
    for (;;) {
        uint64_t at = splitter->at - part->base, boundary = splitter->boundary;
        bool last = at >= part->length;
        if (last && !(part->final && splitter->content))
            return RF_CLEAN_END;
        if (is_full(part, capacity, writer))
            return RF_CLEAN_FULL;
        if (!last) {
            rf_split(splitter, part->text + at, (size_t)(part->length - at));
            if (splitter->boundary == boundary)
                continue;
        }
        part->end = last ? part->length : splitter->boundary - part->base;
        if (!passes(part, scanner, starts, start_count, writer, &records[part->passed])) {
            if (writer != NULL)
                rf_writer_discard(writer);
            return RF_CLEAN_RECORD;
        }
        part->passed++;
        part->begin = part->end;
        if (last)
            splitter->content = false;
        part->line = splitter->boundary_line;
        part->mid_line = splitter->mid_line;
    }
}
