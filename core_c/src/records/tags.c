/* Reads one tag of a record (tags.h).
 *
 * Idea: a cursor goes through the text once. At the first error it skips to the end of the line, so that the next tag
 * is read as usual.
 * Invariant: `at` never exceeds `length`, whatever bytes the text has.
 * Example: [Site "Bree \"Inn\""] has a value of 12 bytes with `escapes`; [Site Bree"] has the problem "no-value". */
#include "records/tags.h"

#include "common/text.h"
#include "game.h"

static void skip_line(rf_cursor *c)
{
    while (c->at < c->length && !rf_byte_is(c->text[c->at], RF_LINE_END))
        c->at++;
}

/* Goes past a byte order mark and, if % follows, past the line, if a line begins here. False: neither is here. */
static bool skip_line_start(rf_cursor *c)
{
    if (c->at > 0 && !rf_byte_is(c->text[c->at - 1], RF_LINE_END))
        return false;
    size_t at = c->at;
    if (rf_is_bom(c->text + c->at, c->length - c->at))
        c->at += 3;
    if (rf_peek(c) == '%')
        skip_line(c);
    return c->at > at;
}

static void skip_comment(rf_cursor *c)
{
    if (rf_peek(c) == ';') {
        skip_line(c);
        return;
    }
    while (c->at < c->length && c->text[c->at] != '}')
        if (!skip_line_start(c))
            c->at++;
    rf_accept(c, '}');
}

static void skip_to_tag(rf_cursor *c)
{
    bool first = c->at == 0;
    while (c->at < c->length) {
        if (skip_line_start(c))
            continue;
        if (first && (rf_peek(c) == '{' || rf_peek(c) == ';'))
            skip_comment(c);
        else if (rf_byte_is(c->text[c->at], RF_SPACE))
            c->at++;
        else
            return;
    }
}

/* The value, up to its closing quote; NULL or what is wrong with it. */
static const char *read_value(rf_cursor *c, rf_tag *tag)
{
    tag->value_at = (uint32_t)c->at;
    for (; c->at < c->length && !rf_byte_is(c->text[c->at], RF_LINE_END); c->at++) {
        if (rf_peek(c) == '"') {
            tag->value_length = (uint32_t)c->at - tag->value_at;
            return NULL;
        }
        if (!rf_accept(c, '\\'))
            continue;
        if (rf_peek(c) != '"' && rf_peek(c) != '\\')
            return "bad-escape";
        tag->escapes = true;
    }
    return "unclosed-value";
}

static const char *read_after_bracket(rf_cursor *c, rf_tag *tag)
{
    rf_skip_blanks(c);
    tag->name_at = (uint32_t)c->at;
    while (c->at < c->length && rf_byte_is(c->text[c->at], RF_NAME))
        c->at++;
    tag->name_length = (uint32_t)c->at - tag->name_at;
    if (tag->name_length == 0)
        return "no-name";
    rf_skip_blanks(c);
    if (!rf_accept(c, '"'))
        return "no-value";
    const char *problem = read_value(c, tag);
    if (problem != NULL)
        return problem;
    c->at++;
    rf_skip_blanks(c);
    return rf_accept(c, ']') ? NULL : "unclosed-tag";
}

bool rf_read_tag(const char *text, uint32_t length, uint32_t at, rf_tag *tag)
{
    rf_cursor c = {text, length, at};
    memset(tag, 0, sizeof *tag);
    skip_to_tag(&c);
    tag->at = (uint32_t)c.at;
    if (!rf_accept(&c, '['))
        return false;
    tag->problem = read_after_bracket(&c, tag);
    if (tag->problem != NULL)
        skip_line(&c);
    tag->length = (uint32_t)c.at - tag->at;
    return true;
}
