#include "records/movetext.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/bytes.h"
#include "game.h"

enum {
    TOKENS_PER_CALL = 1 << 16, /* so that signals are looked at now and then */
    LONGEST_PLY = 1024,        /* no game has a longer one; nobody has to read more */
    MOST_NUMBER_DIGITS = 9     /* a number of so many fits in 32 bits */
};
static const uint32_t NOWHERE = UINT32_MAX;

/* The line that is being read: the main line or the innermost variation. */
typedef struct line {
    rf_ply ply;              /* the last one */
    uint32_t index;          /* plies played up to here */
    uint32_t round;          /* of the last ply, from 1 */
    uint32_t round_before;   /* of the ply before it */
    uint32_t number_at;      /* a move number that waits for its ply, or NOWHERE */
    uint32_t number_length;
    uint32_t ahead;          /* how far the last wrong number was ahead (modulo 2^32) of the right one */
    uint32_t opened_at;      /* its parenthesis */
    uint8_t player;          /* who made the last ply; 0: nobody yet in this record */
    uint8_t player_before;
    bool has_ply;            /* one of this line was read, legal or not */
    bool broken;             /* where it stands is not known after a ply that could not be played */
    bool before_known;       /* the position before the last ply is */
} line;

struct rf_scanner {
    rf_scan_summary summary;
    const rf_game *game;
    const void *ctx;
    const char *text;
    uint32_t length, at;
    uint32_t pause_at;
    uint32_t most;
    uint32_t shift;          /* to be added to rounds, which count from 1, to get numbers */
    bool any_number;         /* the next number sets the shift */
    bool missing_reported;
    bool stateless;          /* there is no start position */
    bool done;               /* nothing after this place is read */
    uint32_t skipped;        /* open parentheses of variations that cannot be read */
    uint32_t skipped_at;     /* the first of them */
    line line;
    rf_state states[2];      /* now and before the last ply */
    unsigned now;
    rf_diagnostic not_wanted;
    const rf_sought *sought;
    uint32_t sought_count;

    /* The lines around the current one, outermost first: each is a line and the state before its last ply. */
    char *stack;
    size_t stack_size, stack_room;
};

/* ---- tokens ---- */

enum { PLAIN = 0, BLANK = 1, DELIMITER = 2 };

static const uint8_t byte_class[256] = {
    [' '] = BLANK,      ['\t'] = BLANK,     ['\n'] = BLANK,     ['\r'] = BLANK,
    ['('] = DELIMITER,  [')'] = DELIMITER,  ['{'] = DELIMITER,  ['}'] = DELIMITER,
    [';'] = DELIMITER,  ['$'] = DELIMITER,  ['!'] = DELIMITER,  ['?'] = DELIMITER,
};

static void skip_line(rf_scanner *s)
{
    while (s->at < s->length && !rf_is(s->text[s->at], RF_LINE_END))
        s->at++;
}

static bool at_skipped_line(const rf_scanner *s, uint32_t at)
{
    return s->text[at] == '%' && (at == 0 || rf_is(s->text[at - 1], RF_LINE_END));
}

static void skip_blanks(rf_scanner *s)
{
    while (s->at < s->length) {
        if (byte_class[(unsigned char)s->text[s->at]] == BLANK)
            s->at++;
        else if (RF_UNLIKELY(at_skipped_line(s, s->at)))
            skip_line(s);
        else
            return;
    }
}

/* The end of the token of plain bytes that begins at `at`. */
static uint32_t word_end(const rf_scanner *s, uint32_t at)
{
    while (at < s->length && byte_class[(unsigned char)s->text[at]] == PLAIN)
        at++;
    return at;
}

/* ---- diagnostics ---- */

static rf_diagnostic *diagnose(rf_scanner *s, const char *code, bool is_error, uint32_t at, uint32_t length,
                               uint32_t ply)
{
    uint32_t *count = is_error ? &s->summary.errors : &s->summary.warnings;
    bool wanted = (*count)++ < s->most && s->summary.diagnosed < RF_DIAGNOSTICS;
    rf_diagnostic *d = wanted ? &s->summary.diagnostics[s->summary.diagnosed++] : &s->not_wanted;
    memset(d, 0, sizeof *d);
    d->code = code;
    d->is_error = is_error;
    d->at = at;
    d->length = length;
    d->ply = ply;
    return d;
}

static void fail(rf_scanner *s, const char *code, uint32_t at, uint32_t length)
{
    diagnose(s, code, true, at, length, s->line.index);
}

static void warn_of_stray_number(rf_scanner *s)
{
    if (s->line.number_at == NOWHERE)
        return;
    diagnose(s, "stray-number", false, s->line.number_at, s->line.number_length, s->line.index);
    s->line.number_at = NOWHERE;
}

/* ---- plies ---- */

static const rf_state *here(const rf_scanner *s) { return &s->states[s->now]; }

/* Whether the next ply begins a turn of South (player 1). */
static bool opens_round(const rf_scanner *s)
{
    if (s->game->player(s->ctx, here(s)) != 1)
        return false;
    return s->line.player == 0 ? !rf_is_mid_turn(s->game, s->ctx, here(s)) : s->line.player != 1;
}

static void check_numbering(rf_scanner *s, uint32_t at, uint32_t length, bool opens)
{
    if (opens && s->line.number_at == NOWHERE && !s->missing_reported) {
        rf_diagnostic *d = diagnose(s, "missing-number", false, at, length, s->line.index + 1);
        snprintf(d->expected, sizeof d->expected, "%u.", s->line.round + 1 + s->shift + s->line.ahead);
        s->missing_reported = true;
    }
    s->line.number_at = NOWHERE;
}

static void put_ply(rf_scanner *s, rf_event *event, uint32_t at, uint32_t length, bool opens,
                    const rf_parsed_ply *parsed)
{
    event->kind = RF_EVENT_PLY;
    event->at = at;
    event->length = length;
    event->number = s->line.round + opens;
    event->index = s->line.index + 1;
    event->opens = opens;
    event->text[0] = '\0';
    if (parsed->long_form)
        s->game->format_ply(s->ctx, here(s), parsed->ply, event->text);
    s->summary.events++;
}

static void break_line(rf_scanner *s)
{
    s->line.before_known = !s->line.broken;
    s->line.broken = true;
    s->line.has_ply = true;
    s->line.number_at = NOWHERE;
}

static void refuse_ply(rf_scanner *s, uint32_t at, uint32_t length, const rf_error *reason)
{
    const char *code = "illegal-ply";
    if (reason->kind == RF_SYNTAX)
        code = "bad-ply";
    else if (s->game->outcome(s->ctx, here(s)) != RF_OUTCOME_NONE)
        code = "ply-after-end";
    rf_diagnostic *d = diagnose(s, code, true, at, length, s->line.index + 1);
    d->reason = *reason;
    break_line(s);
}

/* A ply in a position that is not known: its form alone does not depend on the position. */
static void check_form(rf_scanner *s, uint32_t at, uint32_t length)
{
    rf_parsed_ply parsed = {0};
    rf_error reason = {0};
    if (s->game == NULL || s->stateless || length > LONGEST_PLY)
        return;
    if (!s->game->parse_ply(s->ctx, here(s), s->text + at, length, &parsed, &reason) && reason.kind == RF_SYNTAX)
        diagnose(s, "bad-ply", true, at, length, 0)->reason = reason;
}

/* Whether the main line has reached a position that is searched for. States differ early more often than not, so that
 * to compare them is quicker than to hash them. */
static void search_here(rf_scanner *s)
{
    for (uint32_t i = 0; i < s->sought_count; i++)
        if (s->sought[i].game == s->game && rf_equal(s->game, s->sought[i].state, here(s)))
            s->summary.reached = true;
}

static void read_ply(rf_scanner *s, uint32_t at, uint32_t length, rf_event *event)
{
    if (s->line.broken) {
        check_form(s, at, length);
        s->line.has_ply = true;
        s->line.before_known = false;
        s->line.number_at = NOWHERE;
        return;
    }
    if (length > LONGEST_PLY) {
        diagnose(s, "bad-ply", true, at, length, s->line.index + 1);
        break_line(s);
        return;
    }
    rf_parsed_ply parsed = {0};
    rf_error reason;
    if (!s->game->parse_ply(s->ctx, here(s), s->text + at, length, &parsed, &reason)) {
        refuse_ply(s, at, length, &reason);
        return;
    }
    bool opens = opens_round(s);
    check_numbering(s, at, length, opens);
    if (parsed.warning != NULL)
        diagnose(s, parsed.warning, false, at, length, s->line.index + 1);
    if (event != NULL)
        put_ply(s, event, at, length, opens, &parsed);
    line *l = &s->line;
    l->player_before = l->player;
    l->player = (uint8_t)s->game->player(s->ctx, here(s));
    l->round_before = l->round;
    l->round += opens;
    l->index++;
    l->ply = parsed.ply;
    l->has_ply = l->before_known = true;
    s->game->apply(s->ctx, here(s), parsed.ply, &s->states[1 - s->now]);
    s->now = 1 - s->now;
    if (s->stack_size == 0) {
        s->summary.plies++;
        search_here(s);
    }
}

/* ---- move numbers ---- */

/* A word that begins with digits and a dot; goes past its dots. False: it is not a number. */
static bool read_number(rf_scanner *s, uint32_t at, uint32_t end)
{
    uint32_t digits = at, number = 0;
    while (digits < end && rf_is(s->text[digits], RF_DIGIT)) {
        if (digits - at < MOST_NUMBER_DIGITS)
            number = number * 10 + (uint32_t)(s->text[digits] - '0');
        digits++;
    }
    uint32_t dots = digits;
    while (dots < end && s->text[dots] == '.')
        dots++;
    if (digits == at || dots == digits)
        return false;
    s->at = dots;
    warn_of_stray_number(s);
    s->line.number_at = at;
    s->line.number_length = dots - at;
    bool canonical =
        s->text[at] != '0' && digits - at <= MOST_NUMBER_DIGITS && (dots - digits == 1 || dots - digits == 3);
    if (!canonical) {
        fail(s, "bad-number", at, dots - at);
        return true;
    }
    if (s->line.broken)
        return true;
    bool opens = opens_round(s);
    if (s->any_number && number >= s->line.round + opens)
        s->shift = number - (s->line.round + opens);
    s->any_number = false;
    uint32_t expected = s->line.round + opens + s->shift, counted_on = expected + s->line.ahead;
    if (number == expected)
        s->line.ahead = 0;
    else if (number != counted_on)
        s->line.ahead = number - expected;
    else
        expected = counted_on;
    if (number != expected || (dots - digits == 1) != opens) {
        rf_diagnostic *d = diagnose(s, "wrong-number", false, at, dots - at, s->line.index + 1);
        snprintf(d->expected, sizeof d->expected, "%u%s", expected, opens ? "." : "...");
    }
    return true;
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
        } else if (!rf_is(word[i], RF_DIGIT)) {
            return false;
        }
    }
    return hyphens > 0;
}

static void read_result(rf_scanner *s, uint32_t at, uint32_t length)
{
    warn_of_stray_number(s);
    if (s->stack_size > 0) {
        fail(s, "misplaced-result", at, length);
        return;
    }
    s->summary.result_at = at;
    s->summary.result_length = length;
}

/* ---- variations ---- */

static size_t frame_size(const rf_scanner *s) { return sizeof(line) + (s->game == NULL ? 0 : s->game->state_size); }

static bool push(rf_scanner *s)
{
    size_t size = frame_size(s);
    if (s->stack_room - s->stack_size < size) {
        size_t room = s->stack_room * 2 + 16 * size;
        char *stack = realloc(s->stack, room);
        if (stack == NULL)
            return false;
        s->stack = stack;
        s->stack_room = room;
    }
    char *frame = s->stack + s->stack_size;
    memcpy(frame, &s->line, sizeof(line));
    memcpy(frame + sizeof(line), &s->states[1 - s->now], size - sizeof(line));
    s->stack_size += size;
    return true;
}

/* Back to the line around a variation: where it stood before its last ply, and where it stands now. */
static void pop(rf_scanner *s)
{
    size_t size = frame_size(s);
    s->stack_size -= size;
    const char *frame = s->stack + s->stack_size;
    memcpy(&s->line, frame, sizeof(line));
    memcpy(&s->states[0], frame + sizeof(line), size - sizeof(line));
    s->now = 0;
    if (!s->line.broken) {
        s->game->apply(s->ctx, &s->states[0], s->line.ply, &s->states[1]);
        s->now = 1;
    }
}

static bool open_variation(rf_scanner *s, uint32_t at, rf_event *event)
{
    if (s->skipped > 0 || !s->line.has_ply || !s->line.before_known) {
        if (s->skipped == 0 && !s->line.has_ply)
            fail(s, "misplaced-variation", at, 1);
        if (s->skipped++ == 0)
            s->skipped_at = at;
        return true;
    }
    bool after_broken = s->line.broken;
    if (after_broken) /* a ply that could not be played: the line still stands before it */
        s->now = 1 - s->now;
    if (!push(s))
        return false;
    s->now = 1 - s->now;
    line *l = &s->line;
    if (!after_broken) {
        l->player = l->player_before;
        l->round = l->round_before;
        l->index--;
    }
    l->has_ply = l->broken = l->before_known = false;
    l->number_at = NOWHERE;
    l->opened_at = at;
    if (event != NULL) {
        event->kind = RF_EVENT_OPEN;
        event->at = at;
        event->length = 1;
        s->summary.events++;
    }
    return true;
}

static void close_variation(rf_scanner *s, uint32_t at, rf_event *event)
{
    if (s->skipped > 0) {
        s->skipped--;
        return;
    }
    if (s->stack_size == 0) {
        fail(s, "stray-parenthesis", at, 1);
        return;
    }
    warn_of_stray_number(s);
    if (!s->line.has_ply)
        fail(s, "empty-variation", s->line.opened_at, at + 1 - s->line.opened_at);
    pop(s);
    if (event != NULL) {
        event->kind = RF_EVENT_CLOSE;
        event->at = at;
        event->length = 1;
        s->summary.events++;
    }
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
        fail(s, "unclosed-comment", at, 1);
        return;
    }
    put_text(s, event, RF_EVENT_COMMENT, at + 1, s->at - at - 1, 0);
    s->at++;
}

static void read_line_comment(rf_scanner *s, rf_event *event)
{
    uint32_t at = ++s->at;
    skip_line(s);
    put_text(s, event, RF_EVENT_COMMENT, at, s->at - at, 0);
}

static void read_nag(rf_scanner *s, uint32_t at, uint32_t number, rf_event *event)
{
    if (s->skipped > 0)
        return;
    if (!s->line.has_ply)
        fail(s, "misplaced-nag", at, s->at - at);
    else
        put_text(s, event, RF_EVENT_NAG, at, s->at - at, number);
}

static void read_dollar(rf_scanner *s, rf_event *event)
{
    uint32_t at = s->at, end = word_end(s, at + 1), number = 0;
    bool good = end > at + 1 && end - at <= 4 && (s->text[at + 1] != '0' || end == at + 2);
    for (uint32_t i = at + 1; i < end; i++) {
        good = good && rf_is(s->text[i], RF_DIGIT);
        if (good)
            number = number * 10 + (uint32_t)(s->text[i] - '0');
    }
    s->at = end;
    if (!good || number > 255)
        fail(s, "bad-nag", at, end - at);
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
    fail(s, "bad-suffix", at, s->at - at);
}

/* ---- the whole ---- */

static bool is_square_start(const rf_scanner *s, uint32_t at, uint32_t end)
{
    return end - at >= 2 && s->text[at] >= 'a' && s->text[at] <= 'z' && rf_is(s->text[at + 1], RF_DIGIT);
}

static void read_word(rf_scanner *s, rf_event *event)
{
    uint32_t at = s->at, end = word_end(s, at);
    s->at = end;
    if (s->skipped > 0)
        return;
    char first = s->text[at];
    if (rf_is(first, RF_DIGIT)) {
        if (read_number(s, at, end))
            return;
        if (is_result(s->text + at, end - at)) {
            read_result(s, at, end - at);
            return;
        }
    }
    if (first == '*' && !is_square_start(s, at + 1, end)) {
        s->at = at + 1;
        read_result(s, at, 1);
        return;
    }
    read_ply(s, at, end - at, event);
}

/* After the result only comments may stand. */
static bool is_after_result(rf_scanner *s)
{
    char c = s->text[s->at];
    if (s->summary.result_length == 0 || c == '{' || c == ';')
        return false;
    uint32_t end = word_end(s, s->at);
    fail(s, "text-after-result", s->at, end > s->at ? end - s->at : 1);
    s->at = s->length;
    return true;
}

/* Reads one token; false if memory ran out. */
static bool read_token(rf_scanner *s, rf_event *event)
{
    uint32_t at = s->at;
    if (is_after_result(s))
        return true;
    switch (s->text[at]) {
    case '{':
        read_comment(s, event);
        return true;
    case ';':
        read_line_comment(s, event);
        return true;
    case '(':
        s->at++;
        return open_variation(s, at, event);
    case ')':
        s->at++;
        close_variation(s, at, event);
        return true;
    case '}':
        s->at++;
        fail(s, "stray-brace", at, 1);
        return true;
    case '$':
        read_dollar(s, event);
        return true;
    case '!':
    case '?':
        read_suffix(s, event);
        return true;
    default:
        read_word(s, event);
        return true;
    }
}

static void finish(rf_scanner *s)
{
    s->done = true;
    warn_of_stray_number(s);
    if (s->skipped > 0 || s->stack_size > 0)
        fail(s, "unclosed-variation", s->skipped > 0 ? s->skipped_at : s->line.opened_at, 1);
    while (s->stack_size > 0)
        pop(s);
    s->summary.first_number = 1 + s->shift;
    s->summary.complete = !s->line.broken;
    if (s->summary.complete)
        s->summary.outcome = s->game->outcome(s->ctx, here(s));
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
    size_t room = s->stack_room;
    const rf_sought *sought = s->sought;
    uint32_t sought_count = s->sought_count;
    memset(s, 0, sizeof *s);
    s->stack = stack;
    s->stack_room = room;
    s->sought = sought;
    s->sought_count = sought_count;
    s->game = game;
    s->ctx = ctx;
    s->text = job->text;
    s->length = job->length;
    s->at = job->at;
    s->pause_at = NOWHERE;
    s->most = job->most;
    s->any_number = job->first == 0;
    s->line.number_at = NOWHERE;
    s->line.broken = s->stateless = start == NULL;
    if (start != NULL) {
        s->states[0] = *start;
        s->shift = job->first == 0 ? 0 : job->first - 1;
        s->line.round = s->line.round_before = 1 - (uint32_t)opens_round(s);
        search_here(s);
    }
}

void rf_scan_seek(rf_scanner *s, const rf_sought *sought, uint32_t count)
{
    s->sought = sought;
    s->sought_count = count;
}

void rf_scan_move(rf_scanner *s, const char *text) { s->text = text; }

int rf_scan(rf_scanner *s, rf_event *events, uint32_t room)
{
    s->summary.events = 0;
    s->summary.diagnosed = 0;
    for (int tokens = 0; tokens < TOKENS_PER_CALL; tokens++) {
        if (events != NULL && s->summary.events == room)
            return RF_SCAN_MORE;
        if (s->done)
            return RF_SCAN_END;
        skip_blanks(s);
        if (s->at == s->length)
            finish(s);
        else if (!read_token(s, events == NULL ? NULL : &events[s->summary.events]))
            return RF_SCAN_MEMORY;
        if (s->summary.plies == s->pause_at && s->stack_size == 0) {
            s->pause_at = NOWHERE;
            return RF_SCAN_PAUSE;
        }
        if (s->summary.diagnosed > 0)
            return RF_SCAN_MORE;
    }
    return RF_SCAN_MORE;
}

const rf_scan_summary *rf_scan_summary_of(const rf_scanner *s) { return &s->summary; }
void rf_scan_pause_at(rf_scanner *s, uint32_t plies) { s->pause_at = plies; }
const rf_state *rf_scan_state(const rf_scanner *s) { return here(s); }
