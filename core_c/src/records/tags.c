#include "records/tags.h"

#include "game.h"

typedef struct {
    const char *text;
    uint32_t length, at;
} cursor;

static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool more(const cursor *c) { return c->at < c->length; }
static char next(const cursor *c) { return c->text[c->at]; }

static void skip_blanks(cursor *c)
{
    while (more(c) && (next(c) == ' ' || next(c) == '\t'))
        c->at++;
}

static void skip_line(cursor *c)
{
    while (more(c) && !is_line_end(next(c)))
        c->at++;
}

static void skip_to_tag(cursor *c)
{
    for (;;) {
        skip_blanks(c);
        if (more(c) && is_line_end(next(c)))
            c->at++;
        else if (more(c) && next(c) == '%' && (c->at == 0 || is_line_end(c->text[c->at - 1])))
            skip_line(c);
        else
            return;
    }
}

/* The value, up to its closing quote; NULL or what is wrong with it. */
static const char *read_value(cursor *c, rf_tag *tag)
{
    tag->value_at = c->at;
    for (; more(c) && !is_line_end(next(c)); c->at++) {
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
    while (more(c) && is_name(next(c)))
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
