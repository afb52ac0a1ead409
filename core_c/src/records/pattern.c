/* Reads patterns of positions and compares them with position texts (pattern.h). */
#include "records/pattern.h"

#include "common/text.h"

enum { MOST_EMPTY = 99 }; /* squares in a run; no rank is longer */

/* Goes through the squares of a rank. */
typedef struct rank_reader {
    const char *at;
    size_t left;
    unsigned empty; /* squares of the current run that are still to come */
} rank_reader;

/* A part of a text. */
typedef struct span {
    const char *text;
    size_t length;
} span;

/* The next square: its piece with the rings in parentheses, or "." if it is empty. False at the end of the rank. */
static bool next_square(rank_reader *r, bool runs, span *out)
{
    if (r->empty == 0 && runs && r->left > 0 && rf_is(*r->at, RF_DIGIT)) {
        for (; r->left > 0 && rf_is(*r->at, RF_DIGIT); r->at++, r->left--)
            r->empty = r->empty > MOST_EMPTY ? r->empty : 10 * r->empty + (unsigned)(*r->at - '0');
    }
    if (r->empty > 0) {
        r->empty--;
        *out = (span){".", 1};
        return true;
    }
    if (r->left == 0)
        return false;
    size_t length = 1;
    if (r->left > 1 && r->at[1] == '(')
        while (length < r->left && r->at[length - 1] != ')')
            length++;
    *out = (span){r->at, length};
    r->at += length;
    r->left -= length;
    return true;
}

static bool is_star(span part) { return part.length == 1 && *part.text == '*'; }

static bool rank_matches(span pattern, span rank, bool runs)
{
    if (is_star(pattern))
        return true;
    rank_reader wanted = {pattern.text, pattern.length, 0}, found = {rank.text, rank.length, 0};
    span want, have;
    while (next_square(&wanted, runs, &want)) {
        if (!next_square(&found, runs, &have))
            return false;
        if (!(want.length == 1 && *want.text == '?') &&
            (want.length != have.length || memcmp(want.text, have.text, want.length) != 0))
            return false;
    }
    return !next_square(&found, runs, &have);
}

/* Takes the text up to `end`, and `end`, from the front of `rest`. */
static span cut(span *rest, char end)
{
    const char *found = memchr(rest->text, end, rest->length);
    span part = {rest->text, found == NULL ? rest->length : (size_t)(found - rest->text)};
    size_t used = part.length + (found != NULL);
    *rest = (span){rest->text + used, rest->length - used};
    return part;
}

static bool field_matches(span pattern, span field, bool runs)
{
    if (is_star(pattern))
        return true;
    if (memchr(field.text, '/', field.length) == NULL)
        return pattern.length == field.length && memcmp(pattern.text, field.text, field.length) == 0;
    while (pattern.length > 0 && field.length > 0)
        if (!rank_matches(cut(&pattern, '/'), cut(&field, '/'), runs))
            return false;
    return pattern.length == 0 && field.length == 0;
}

bool rf_pattern_matches(const char *pattern, const char *text, bool runs)
{
    span wanted = {pattern, strlen(pattern)}, found = {text, strlen(text)};
    while (wanted.length > 0 && found.length > 0) {
        bool is_last = is_star(wanted);
        if (!field_matches(cut(&wanted, ' '), cut(&found, ' '), runs))
            return false;
        if (is_last)
            return true;
    }
    return is_star(wanted) || (wanted.length == 0 && found.length == 0);
}
