/* Plays the main line and the variations of a record, and checks move numbers (scanner.h).
 *
 * Idea: a variation replaces the ply before it. So `(` pushes the current line and continues from the position before
 * its last ply; `)` pops the line and plays that ply again. A ply that cannot be played breaks its line: later plies
 * are checked only for their form.
 * Invariant: the depth of variations is limited by memory only; nothing here recurses.
 * Example: in "1. a x (1... c) 2. d" x is illegal. It is reported and breaks the main line. The variation is read from
 * the position after a, and d is checked for its form. */
#include <stdio.h>
#include <stdlib.h>

#include "common/text.h"
#include "records/pattern.h"
#include "records/scanner.h"

enum {
    LONGEST_PLY = 1024,    /* longer words are rejected unread; no game has such plies */
    LONGEST_POSITION = 2 * RF_MAX_TEXT,
    MAX_NUMBER_DIGITS = 10
};
/* The highest move number at the start of a record. Later numbers may be higher, and fit in 32 bits. */
static const uint32_t HIGHEST_FIRST_NUMBER = 999999999;

/* ---- plies ---- */

/* Whether the next ply begins a turn of South (player 1). */
static bool opens_round(const rf_scanner *s)
{
    if (s->game->player(s->ctx, rf_current_state(s)) != 1)
        return false;
    return s->line.player == 0 ? !rf_is_mid_turn(s->game, s->ctx, rf_current_state(s)) : s->line.player != 1;
}

static void check_numbering(rf_scanner *s, uint32_t at, uint32_t length, bool opens)
{
    if (opens && s->line.number_at == RF_NOWHERE && !s->missing_reported) {
        rf_diagnostic *d = rf_diagnose(s, "missing-number", false, at, length, s->line.index + 1);
        snprintf(d->expected, sizeof d->expected, "%u.", s->line.round + 1 + s->shift + s->line.ahead);
        s->missing_reported = true;
    }
    s->line.number_at = RF_NOWHERE;
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
        s->game->format_ply(s->ctx, rf_current_state(s), parsed->ply, event->text);
    s->summary.events++;
}

static bool is_null(const rf_scanner *s, uint32_t at, uint32_t length)
{
    return length == 2 && s->text[at] == '-' && s->text[at + 1] == '-';
}

/* The position after a ply of a record. */
static void play(const rf_scanner *s, const rf_state *before, rf_ply ply, rf_state *after)
{
    rf_error reason;
    if (ply == RF_NULL_PLY)
        rf_null_ply(s->game, s->ctx, before, after, &reason);
    else
        s->game->apply(s->ctx, before, ply, after);
}

/* Reads a null ply, which is legal in variations. */
static bool read_null(rf_scanner *s, uint32_t length, rf_parsed_ply *out, rf_error *error)
{
    rf_state after;
    if (!rf_null_ply(s->game, s->ctx, rf_current_state(s), &after, error))
        return false;
    if (s->stack_size == 0)
        return rf_fail(error, RF_ILLEGAL, 0, length, "null-in-main-line", NULL);
    if (s->line.ply == RF_NULL_PLY)
        return rf_fail(error, RF_ILLEGAL, 0, length, "null-after-null", NULL);
    out->ply = RF_NULL_PLY;
    return true;
}

static void break_line(rf_scanner *s)
{
    s->line.before_known = !s->line.broken;
    s->line.broken = true;
    s->line.has_ply = true;
    s->line.number_at = RF_NOWHERE;
}

static void reject_ply(rf_scanner *s, uint32_t at, uint32_t length, const rf_error *reason)
{
    const char *code = "illegal-ply";
    if (reason->kind == RF_SYNTAX)
        code = "bad-ply";
    else if (s->game->outcome(s->ctx, rf_current_state(s)) != RF_OUTCOME_NONE)
        code = "ply-after-end";
    rf_diagnostic *d = rf_diagnose(s, code, true, at, length, s->line.index + 1);
    d->reason = *reason;
    d->last_at = s->line.last_at;
    d->last_length = s->line.last_length;
    d->last_number = s->line.round + s->shift;
    d->last_opens = s->line.last_opens;
    break_line(s);
}

/* Checks the form of a ply in an unknown position. The form does not depend on the position. */
static void check_form(rf_scanner *s, uint32_t at, uint32_t length)
{
    rf_parsed_ply parsed = {0};
    rf_error reason = {0};
    if (s->game == NULL || s->stateless || length > LONGEST_PLY || is_null(s, at, length))
        return;
    if (!s->game->parse_ply(s->ctx, rf_current_state(s), s->text + at, length, &parsed, &reason) &&
        reason.kind == RF_SYNTAX)
        rf_diagnose(s, "bad-ply", true, at, length, 0)->reason = reason;
}

/* Notes if the main line reaches one of the sought positions. Two states usually differ in their first bytes, so a
 * comparison is faster than a hash. */
static void match_sought(rf_scanner *s)
{
    for (uint32_t i = 0; i < s->sought_count; i++) {
        const rf_search_target *sought = &s->sought[i];
        if (sought->game != s->game)
            continue;
        if (sought->pattern == NULL) {
            if (rf_equal(s->game, sought->state, rf_current_state(s)))
                s->summary.reached |= RF_REACHED_POSITION;
        } else if (!(s->summary.reached & RF_REACHED_PATTERN) &&
                   rf_pattern_matches(s->game, s->ctx, rf_current_state(s), sought->pattern)) {
            s->summary.reached |= RF_REACHED_PATTERN;
        }
    }
}

void rf_scan_ply(rf_scanner *s, uint32_t at, uint32_t length, rf_event *event)
{
    if (s->line.broken) {
        check_form(s, at, length);
        s->line.has_ply = true;
        s->line.before_known = false;
        s->line.number_at = RF_NOWHERE;
        return;
    }
    if (length > LONGEST_PLY) {
        rf_diagnose(s, "bad-ply", true, at, length, s->line.index + 1);
        break_line(s);
        return;
    }
    rf_parsed_ply parsed = {0};
    rf_error reason;
    bool legal = is_null(s, at, length)
                     ? read_null(s, length, &parsed, &reason)
                     : s->game->parse_ply(s->ctx, rf_current_state(s), s->text + at, length, &parsed, &reason);
    if (!legal) {
        reject_ply(s, at, length, &reason);
        return;
    }
    bool opens = opens_round(s);
    check_numbering(s, at, length, opens);
    if (parsed.warning != NULL)
        rf_diagnose(s, parsed.warning, false, at, length, s->line.index + 1);
    if (event != NULL)
        put_ply(s, event, at, length, opens, &parsed);
    rf_line *l = &s->line;
    l->player_before = l->player;
    l->player = (uint8_t)s->game->player(s->ctx, rf_current_state(s));
    l->round_before = l->round;
    l->round += opens;
    l->index++;
    l->last_at = at;
    l->last_length = length;
    l->last_opens = opens;
    l->ply_before = l->ply;
    l->ply = parsed.ply;
    l->has_ply = l->before_known = true;
    l->stated = l->may_skip = false;
    play(s, rf_current_state(s), parsed.ply, &s->states[1 - s->now]);
    s->now = 1 - s->now;
    if (s->stack_size == 0) {
        s->summary.plies++;
        match_sought(s);
    }
}

/* ---- positions that comments state ---- */

static const char stated_begins[] = "[%position";

/* Copies the text of a position from `at` to the bracket that closes the command. Each run of spaces and line ends
 * becomes one space, and skipped lines are dropped. Returns the length, or LONGEST_POSITION if the text is longer.
 * *end is the offset after the bracket, or RF_NOWHERE if there is no bracket before `comment_end`. */
static uint32_t copy_position(const rf_scanner *s, uint32_t at, uint32_t comment_end, char out[LONGEST_POSITION],
                              uint32_t *end)
{
    uint32_t length = 0;
    *end = RF_NOWHERE;
    for (; at < comment_end; at++) {
        char c = s->text[at];
        if (c == ']') {
            *end = at + 1;
            return length;
        }
        bool is_line_start = rf_byte_is(s->text[at - 1], RF_LINE_END);
        if (c == '%' && is_line_start) {
            while (at + 1 < comment_end && !rf_byte_is(s->text[at + 1], RF_LINE_END))
                at++;
            continue;
        }
        if (rf_byte_is(c, RF_BLANK) || rf_byte_is(c, RF_LINE_END))
            c = ' ';
        if (length < LONGEST_POSITION && (c != ' ' || (length > 0 && out[length - 1] != ' ')))
            out[length++] = c;
    }
    return length;
}

/* The record continues from a stated position. */
static void continue_from(rf_scanner *s, const rf_state *stated)
{
    rf_line *l = &s->line;
    s->states[s->now] = *stated;
    l->stated = l->may_skip = true;
    l->last_length = 0;
    l->player = 0;
    bool opens = opens_round(s);
    if (l->index == 0)
        l->round = l->round_before = 1 - (uint32_t)opens;
    if (s->stack_size == 0)
        match_sought(s);
}

/* The position of the command between `at` and `end`. */
static void apply_stated_position(rf_scanner *s, uint32_t at, uint32_t end, const char *text, uint32_t length)
{
    rf_state stated;
    rf_error reason;
    if (length == LONGEST_POSITION)
        rf_fail(&reason, RF_SYNTAX, 0, 0, "position-too-long", NULL);
    if (length == LONGEST_POSITION || !rf_parse(s->game, s->ctx, text, length, &stated, &reason)) {
        rf_diagnose(s, reason.kind == RF_SYNTAX ? "bad-position" : "impossible-position", true, at, end - at, 0)->reason =
            reason;
        return;
    }
    if (!rf_same_board(s->game, s->ctx, &stated, rf_current_state(s))) {
        rf_fail(&reason, RF_SYNTAX, 0, 0, "other-board", NULL);
        rf_diagnose(s, "bad-position", true, at, end - at, 0)->reason = reason;
        return;
    }
    if (rf_equal(s->game, &stated, rf_current_state(s)))
        return;
    rf_diagnose(s, "gap", false, at, end - at, 0);
    continue_from(s, &stated);
}

void rf_scan_comment(rf_scanner *s, uint32_t at, uint32_t end)
{
    const uint32_t size = sizeof stated_begins - 1;
    if (s->skipped > 0 || s->line.broken)
        return;
    while (end - at > size) {
        const char *found = memchr(s->text + at, '[', end - at - size);
        if (found == NULL)
            return;
        at = (uint32_t)(found - s->text);
        if (memcmp(found, stated_begins, size) != 0 ||
            !(rf_byte_is(found[size], RF_BLANK) || rf_byte_is(found[size], RF_LINE_END))) {
            at++;
            continue;
        }
        char text[LONGEST_POSITION];
        uint32_t command_end, length = copy_position(s, at + size, end, text, &command_end);
        if (command_end == RF_NOWHERE)
            return;
        apply_stated_position(s, at, command_end, text, length);
        at = command_end;
    }
}

void rf_scan_start(rf_scanner *s, const rf_state *start, uint32_t first)
{
    s->states[0] = *start;
    s->shift = first == 0 ? 0 : first - 1;
    s->line.round = s->line.round_before = 1 - (uint32_t)opens_round(s);
    match_sought(s);
}

/* ---- move numbers ---- */

/* Whether a number is, or may be, the one that follows from the plies before it. */
static bool is_counted(const rf_scanner *s, uint64_t number)
{
    if (s->line.broken)
        return number <= UINT32_MAX && s->shift > 0;
    return !s->any_number && number == (uint64_t)s->line.round + opens_round(s) + s->shift;
}

bool rf_scan_number(rf_scanner *s, uint32_t at, uint32_t end)
{
    uint32_t digits = at, number;
    uint64_t read = 0;
    while (digits < end && rf_byte_is(s->text[digits], RF_DIGIT)) {
        if (digits - at < MAX_NUMBER_DIGITS)
            read = read * 10 + (uint64_t)(s->text[digits] - '0');
        digits++;
    }
    uint32_t dots = digits;
    while (dots < end && s->text[dots] == '.')
        dots++;
    if (digits == at || dots == digits)
        return false;
    s->at = dots;
    rf_warn_of_stray_number(s);
    s->line.number_at = at;
    s->line.number_length = dots - at;
    number = (uint32_t)read;
    bool canonical = s->text[at] != '0' && digits - at <= MAX_NUMBER_DIGITS &&
                     (read <= HIGHEST_FIRST_NUMBER || is_counted(s, read)) &&
                     (dots - digits == 1 || dots - digits == 3);
    if (!canonical) {
        rf_diagnose_error(s, "bad-number", at, dots - at);
        return true;
    }
    if (s->line.broken)
        return true;
    bool opens = opens_round(s);
    if (s->any_number && number >= s->line.round + opens)
        s->shift = number - (s->line.round + opens);
    else if (s->line.may_skip && number > s->line.round + opens + s->shift)
        s->line.round = number - opens - s->shift;
    s->any_number = s->line.may_skip = false;
    uint32_t expected = s->line.round + opens + s->shift, counted_on = expected + s->line.ahead;
    if (number == expected)
        s->line.ahead = 0;
    else if (number != counted_on)
        s->line.ahead = number - expected;
    else
        expected = counted_on;
    if (number != expected || (dots - digits == 1) != opens) {
        rf_diagnostic *d = rf_diagnose(s, "wrong-number", false, at, dots - at, s->line.index + 1);
        snprintf(d->expected, sizeof d->expected, "%u%s", expected, opens ? "." : "...");
    }
    return true;
}

/* ---- variations ---- */

static bool push(rf_scanner *s)
{
    size_t state = s->game == NULL ? 0 : s->game->state_size, stated = s->line.stated && !s->line.broken ? state : 0;
    size_t size = stated + state + sizeof(rf_line);
    if (s->stack_capacity - s->stack_size < size) {
        size_t capacity = s->stack_capacity * 2 + 16 * size;
        char *stack = realloc(s->stack, capacity);
        if (stack == NULL)
            return false;
        s->stack = stack;
        s->stack_capacity = capacity;
    }
    char *frame = s->stack + s->stack_size;
    memcpy(frame, &s->states[s->now], stated);
    memcpy(frame + stated, &s->states[1 - s->now], state);
    memcpy(frame + stated + state, &s->line, sizeof(rf_line));
    s->stack_size += size;
    return true;
}

void rf_scan_leave(rf_scanner *s)
{
    size_t state = s->game == NULL ? 0 : s->game->state_size;
    s->stack_size -= sizeof(rf_line);
    memcpy(&s->line, s->stack + s->stack_size, sizeof(rf_line));
    s->stack_size -= state;
    memcpy(&s->states[0], s->stack + s->stack_size, state);
    s->now = s->line.broken ? 0 : 1;
    if (s->line.broken)
        return;
    if (s->line.stated) {
        s->stack_size -= state;
        memcpy(&s->states[1], s->stack + s->stack_size, state);
    } else {
        play(s, &s->states[0], s->line.ply, &s->states[1]);
    }
}

bool rf_scan_open(rf_scanner *s, uint32_t at, rf_event *event)
{
    if (s->skipped > 0 || !s->line.has_ply || !s->line.before_known) {
        if (s->skipped == 0 && !s->line.has_ply)
            rf_diagnose_error(s, "misplaced-variation", at, 1);
        if (s->skipped++ == 0)
            s->skipped_at = at;
        return true;
    }
    bool after_broken = s->line.broken;
    if (after_broken) /* after a ply that could not be played, the current state is the one before it */
        s->now = 1 - s->now;
    if (!push(s))
        return false;
    s->now = 1 - s->now;
    rf_line *l = &s->line;
    if (!after_broken) {
        l->player = l->player_before;
        l->round = l->round_before;
        l->ply = l->ply_before;
        l->index--;
    }
    l->has_ply = l->broken = l->before_known = l->may_skip = false;
    l->last_length = 0;
    l->number_at = RF_NOWHERE;
    l->opened_at = at;
    if (event != NULL) {
        event->kind = RF_EVENT_OPEN;
        event->at = at;
        event->length = 1;
        s->summary.events++;
    }
    return true;
}

void rf_scan_close(rf_scanner *s, uint32_t at, rf_event *event)
{
    if (s->skipped > 0) {
        s->skipped--;
        return;
    }
    if (s->stack_size == 0) {
        rf_diagnose_error(s, "stray-parenthesis", at, 1);
        return;
    }
    rf_warn_of_stray_number(s);
    const bool is_empty = !s->line.has_ply;
    const uint32_t opened_at = s->line.opened_at;
    rf_scan_leave(s);
    if (is_empty)
        rf_diagnose_error(s, "empty-variation", opened_at, at + 1 - opened_at);
    if (event != NULL) {
        event->kind = RF_EVENT_CLOSE;
        event->at = at;
        event->length = 1;
        s->summary.events++;
    }
}
