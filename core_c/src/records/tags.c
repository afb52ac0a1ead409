/* Reads one tag of a record (tags.h).
 *
 * Idea: a cursor goes through the text once. At the first error it skips to the end of the line, so that the next tag
 * is read as usual.
 * Invariant: `at` never exceeds `length`, whatever bytes the text has.
 * Example: [Site "Bree \"Inn\""] has a value of 12 bytes with `escapes`; [Site Bree"] has the problem "no-value". */
#include "records/tags.h"

#include "common/text.h"
#include "game.h"

typedef struct {
    const char *text;
    uint32_t length, at;
} cursor;

static bool more(const cursor *c) { return c->at < c->length; }
static char next(const cursor *c) { return c->text[c->at]; }

static void skip_blanks(cursor *c)
{
    while (more(c) && rf_byte_is(next(c), RF_BLANK))
        c->at++;
}

static void skip_line(cursor *c)
{
    while (more(c) && !rf_byte_is(next(c), RF_LINE_END))
        c->at++;
}

/* Goes past a byte order mark and, if % follows, past the line, if a line begins here. False: neither is here. */
static bool skip_line_start(cursor *c)
{
    if (c->at > 0 && !rf_byte_is(c->text[c->at - 1], RF_LINE_END))
        return false;
    uint32_t at = c->at;
    if (rf_is_bom(c->text + c->at, c->length - c->at))
        c->at += 3;
    if (more(c) && next(c) == '%')
        skip_line(c);
    return c->at > at;
}

static void skip_comment(cursor *c)
{
    if (next(c) == ';') {
        skip_line(c);
        return;
    }
    while (more(c) && next(c) != '}')
        if (!skip_line_start(c))
            c->at++;
    if (more(c))
        c->at++;
}

static void skip_to_tag(cursor *c)
{
    bool first = c->at == 0;
    while (more(c)) {
        if (skip_line_start(c))
            continue;
        if (first && (next(c) == '{' || next(c) == ';'))
            skip_comment(c);
        else if (rf_byte_is(next(c), RF_SPACE))
            c->at++;
        else
            return;
    }
}

/* The value, up to its closing quote; NULL or what is wrong with it. */
static const char *read_value(cursor *c, rf_tag *tag)
{
    tag->value_at = c->at;
    for (; more(c) && !rf_byte_is(next(c), RF_LINE_END); c->at++) {
        if (next(c) == '"') {
            tag->value_length = c->at - tag->value_at;
            return NULL;
        }
        if (next(c) != '\\')
            continue;
        c->at++;
        if (!more(c) || (next(c) != '"' && next(c) != '\\'))
            return "bad-escape";
        tag->escapes = true;
    }
    return "unclosed-value";
}

static const char *read_after_bracket(cursor *c, rf_tag *tag)
{
    skip_blanks(c);
    tag->name_at = c->at;
    while (more(c) && rf_byte_is(next(c), RF_NAME))
        c->at++;
    tag->name_length = c->at - tag->name_at;
    if (tag->name_length == 0)
        return "no-name";
    skip_blanks(c);
    if (!more(c) || next(c) != '"')
        return "no-value";
    c->at++;
    const char *problem = read_value(c, tag);
    if (problem != NULL)
        return problem;
    c->at++;
    skip_blanks(c);
    if (!more(c) || next(c) != ']')
        return "unclosed-tag";
    c->at++;
    return NULL;
}

bool rf_read_tag(const char *text, uint32_t length, uint32_t at, rf_tag *tag)
{
    cursor c = {text, length, at};
    memset(tag, 0, sizeof *tag);
    skip_to_tag(&c);
    tag->at = c.at;
    if (!more(&c) || next(&c) != '[')
        return false;
    c.at++;
    tag->problem = read_after_bracket(&c, tag);
    if (tag->problem != NULL)
        skip_line(&c);
    tag->length = c.at - tag->at;
    return true;
}
