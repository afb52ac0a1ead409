/* Reads movetext token by token: words, comments, NAGs, the result. lines.c plays plies, numbers and parentheses.
 *
 * Invariant: each call makes progress and reads a bounded number of tokens.
 * Example: rf_scan_begin(s, ...); while (rf_scan(s, events, capacity) == RF_SCAN_MORE) ...; */
#include <stdlib.h>

#include "common/text.h"
#include "records/scanner.h"

enum { TOKENS_PER_CALL = 1 << 16 }; /* so that Python can handle signals between calls */

/* ---- tokens ---- */

static void skip_line(rf_scanner *s)
{
    while (s->at < s->length && !rf_byte_is(s->text[s->at], RF_LINE_END))
        s->at++;
}

static bool at_skipped_line(const rf_scanner *s, uint32_t at)
{
    if (s->text[at] != '%')
        return false;
    if (at >= 3 && rf_is_bom(s->text + at - 3, 3))
        at -= 3;
    return at == 0 || rf_byte_is(s->text[at - 1], RF_LINE_END);
}

/* Whether a byte order mark begins here, at the start of a line. */
static bool at_mark(const rf_scanner *s)
{
    return rf_is_bom(s->text + s->at, s->length - s->at) && (s->at == 0 || rf_byte_is(s->text[s->at - 1], RF_LINE_END));
}

static void skip_blanks(rf_scanner *s)
{
    while (s->at < s->length) {
        if (rf_byte_is(s->text[s->at], RF_SPACE))
            s->at++;
        else if (RF_UNLIKELY(at_skipped_line(s, s->at)))
            skip_line(s);
        else if (RF_UNLIKELY(at_mark(s)))
            s->at += 3;
        else
            return;
    }
}

/* The end of the word that begins at `at`. */
static uint32_t word_end(const rf_scanner *s, uint32_t at)
{
    while (at < s->length && !rf_byte_is(s->text[at], RF_SPACE | RF_DELIMITER))
        at++;
    return at;
}

/* ---- results ---- */

/* Numbers joined by hyphens, or 1/2-1/2. */
static bool is_result(const char *word, uint32_t length)
{
    if (length == 7 && memcmp(word, "1/2-1/2", 7) == 0)
        return true;
    uint32_t hyphens = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (word[i] == '-') {
            hyphens++;
            if (i == 0 || i + 1 == length || word[i - 1] == '-')
                return false;
        } else if (!rf_byte_is(word[i], RF_DIGIT)) {
            return false;
        }
    }
    return hyphens > 0;
}

static void read_result(rf_scanner *s, uint32_t at, uint32_t length)
{
    rf_warn_of_stray_number(s);
    if (s->stack_size > 0) {
        rf_diagnose_error(s, "misplaced-result", at, length);
        return;
    }
    s->summary.result_at = at;
    s->summary.result_length = length;
}

/* ---- comments, NAGs ---- */

static void put_text(rf_scanner *s, rf_event *event, uint32_t kind, uint32_t at, uint32_t length, uint32_t number)
{
    if (event == NULL || s->skipped > 0)
        return;
    event->kind = kind;
    event->at = at;
    event->length = length;
    event->number = number;
    s->summary.events++;
}

static void read_comment(rf_scanner *s, rf_event *event)
{
    uint32_t at = s->at++;
    while (s->at < s->length && s->text[s->at] != '}') {
        if (RF_UNLIKELY(at_skipped_line(s, s->at)))
            skip_line(s);
        else
            s->at++;
    }
    if (s->at == s->length) {
        rf_diagnose_error(s, "unclosed-comment", at, 1);
        return;
    }
    rf_scan_comment(s, at + 1, s->at);
    put_text(s, event, RF_EVENT_COMMENT, at + 1, s->at - at - 1, 0);
    s->at++;
}

static void read_line_comment(rf_scanner *s, rf_event *event)
{
    uint32_t at = ++s->at;
    skip_line(s);
    rf_scan_comment(s, at, s->at);
    put_text(s, event, RF_EVENT_COMMENT, at, s->at - at, 0);
}

static void read_nag(rf_scanner *s, uint32_t at, uint32_t number, rf_event *event)
{
    if (s->skipped > 0)
        return;
    if (!s->line.has_ply)
        rf_diagnose_error(s, "misplaced-nag", at, s->at - at);
    else
        put_text(s, event, RF_EVENT_NAG, at, s->at - at, number);
}

static void read_dollar(rf_scanner *s, rf_event *event)
{
    uint32_t at = s->at, end = word_end(s, at + 1), number = 0;
    bool good = end > at + 1 && end - at <= 4 && (s->text[at + 1] != '0' || end == at + 2);
    for (uint32_t i = at + 1; i < end; i++) {
        good = good && rf_byte_is(s->text[i], RF_DIGIT);
        if (good)
            number = number * 10 + (uint32_t)(s->text[i] - '0');
    }
    s->at = end;
    if (!good || number > 255)
        rf_diagnose_error(s, "bad-nag", at, end - at);
    else
        read_nag(s, at, number, event);
}

static void read_suffix(rf_scanner *s, rf_event *event)
{
    static const char *const suffixes[] = {"!", "?", "!!", "??", "!?", "?!"};
    uint32_t at = s->at;
    while (s->at < s->length && (s->text[s->at] == '!' || s->text[s->at] == '?'))
        s->at++;
    for (uint32_t i = 0; i < 6; i++) {
        if (strlen(suffixes[i]) == s->at - at && memcmp(s->text + at, suffixes[i], s->at - at) == 0) {
            read_nag(s, at, i + 1, event);
            return;
        }
    }
    rf_diagnose_error(s, "bad-suffix", at, s->at - at);
}

/* ---- words and tokens ---- */

static bool is_square_start(const rf_scanner *s, uint32_t at, uint32_t end)
{
    return end - at >= 2 && s->text[at] >= 'a' && s->text[at] <= 'z' && rf_byte_is(s->text[at + 1], RF_DIGIT);
}

/* Whether the scan must pause here. It pauses once. */
static bool must_pause(rf_scanner *s)
{
    if (s->summary.plies != s->pause_at || s->stack_size > 0)
        return false;
    s->pause_at = RF_NOWHERE;
    return true;
}

/* False: the word is a ply, and the scan pauses before it. */
static bool read_word(rf_scanner *s, rf_event *event)
{
    if (s->at >= s->word_end) /* A word of many numbers is searched for its end only once. */
        s->word_end = word_end(s, s->at);
    uint32_t at = s->at, end = s->word_end;
    s->at = end;
    if (s->skipped > 0)
        return true;
    char first = s->text[at];
    if (rf_byte_is(first, RF_DIGIT)) {
        if (rf_scan_number(s, at, end))
            return true;
        if (is_result(s->text + at, end - at)) {
            read_result(s, at, end - at);
            return true;
        }
    }
    if (first == '*' && !is_square_start(s, at + 1, end)) {
        s->at = at + 1;
        read_result(s, at, 1);
        return true;
    }
    if (must_pause(s)) {
        s->at = at;
        return false;
    }
    rf_scan_ply(s, at, end - at, event);
    return true;
}

/* Reports text after the result, where only comments are allowed, and skips it. */
static bool is_after_result(rf_scanner *s)
{
    char c = s->text[s->at];
    if (s->summary.result_length == 0 || c == '{' || c == ';')
        return false;
    uint32_t end = word_end(s, s->at);
    rf_diagnose_error(s, "text-after-result", s->at, end > s->at ? end - s->at : 1);
    s->at = s->length;
    return true;
}

/* Reads one token. Returns what rf_scan returns if it must return now, else RF_SCAN_END. */
static int read_token(rf_scanner *s, rf_event *event)
{
    uint32_t at = s->at;
    if (is_after_result(s))
        return RF_SCAN_END;
    switch (s->text[at]) {
    case '{':
        read_comment(s, event);
        return RF_SCAN_END;
    case ';':
        read_line_comment(s, event);
        return RF_SCAN_END;
    case '(':
        s->at++;
        return rf_scan_open(s, at, event) ? RF_SCAN_END : RF_SCAN_MEMORY;
    case ')':
        s->at++;
        rf_scan_close(s, at, event);
        return RF_SCAN_END;
    case '}':
        s->at++;
        rf_diagnose_error(s, "stray-brace", at, 1);
        return RF_SCAN_END;
    case '$':
        read_dollar(s, event);
        return RF_SCAN_END;
    case '!':
    case '?':
        read_suffix(s, event);
        return RF_SCAN_END;
    default:
        return read_word(s, event) ? RF_SCAN_END : RF_SCAN_PAUSE;
    }
}

static void finish(rf_scanner *s)
{
    s->done = true;
    rf_warn_of_stray_number(s);
    if (s->skipped > 0) {
        rf_diagnose_error(s, "unclosed-variation", s->skipped_at, 1);
    } else if (s->stack_size > 0) {
        uint32_t at = s->line.opened_at;
        rf_scan_leave(s);
        rf_diagnose_error(s, "unclosed-variation", at, 1);
    }
    while (s->stack_size > 0)
        rf_scan_leave(s);
    s->summary.first_number = 1 + s->shift;
    s->summary.complete = !s->line.broken;
    if (s->summary.complete)
        s->summary.outcome = s->game->outcome(s->ctx, rf_current_state(s));
}

rf_scanner *rf_scanner_new(void) { return calloc(1, sizeof(rf_scanner)); }

void rf_scanner_free(rf_scanner *s)
{
    if (s == NULL)
        return;
    free(s->stack);
    free(s);
}

void rf_scan_begin(rf_scanner *s, const rf_game *game, const void *ctx, const rf_state *start, const rf_scan_job *job)
{
    char *stack = s->stack;
    size_t capacity = s->stack_capacity;
    const rf_search_target *sought = s->sought;
    uint32_t sought_count = s->sought_count;
    memset(s, 0, sizeof *s);
    s->stack = stack;
    s->stack_capacity = capacity;
    s->sought = sought;
    s->sought_count = sought_count;
    s->game = game;
    s->ctx = ctx;
    s->text = job->text;
    s->length = job->length;
    s->at = job->at;
    s->pause_at = RF_NOWHERE;
    s->max_reported = job->max_reported;
    s->any_number = job->first == 0;
    s->line.number_at = RF_NOWHERE;
    s->line.broken = s->stateless = start == NULL;
    if (start != NULL)
        rf_scan_start(s, start, job->first);
}

void rf_scan_search_for(rf_scanner *s, const rf_search_target *sought, uint32_t count)
{
    s->sought = sought;
    s->sought_count = count;
}

int rf_scan(rf_scanner *s, rf_event *events, uint32_t capacity)
{
    s->summary.events = 0;
    s->summary.diagnosed = 0;
    for (int tokens = 0; tokens < TOKENS_PER_CALL; tokens++) {
        if (events != NULL && s->summary.events == capacity)
            return RF_SCAN_MORE;
        if (s->done)
            return RF_SCAN_END;
        skip_blanks(s);
        if (s->at == s->length) {
            finish(s);
            if (must_pause(s))
                return RF_SCAN_PAUSE;
        } else {
            int step = read_token(s, events == NULL ? NULL : &events[s->summary.events]);
            if (step != RF_SCAN_END)
                return step;
        }
        if (s->summary.diagnosed > 0)
            return RF_SCAN_MORE;
    }
    return RF_SCAN_MORE;
}

const rf_scan_summary *rf_scan_summary_of(const rf_scanner *s) { return &s->summary; }
void rf_scan_pause_at(rf_scanner *s, uint32_t plies) { s->pause_at = plies; }
const rf_state *rf_scan_state_before(const rf_scanner *s) { return &s->states[1 - s->now]; }
const rf_state *rf_scan_state(const rf_scanner *s) { return rf_current_state(s); }
