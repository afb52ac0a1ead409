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

/* A position. */
typedef struct position {
    const rf_game *game;
    const void *ctx;
    const rf_state *state;
} position;

/* The next square: its piece with the rings in parentheses, or "." if it is empty. False at the end of the rank. */
static bool next_square(rank_reader *r, bool runs, span *out)
{
    if (r->empty == 0 && runs && r->left > 0 && rf_byte_is(*r->at, RF_DIGIT)) {
        for (; r->left > 0 && rf_byte_is(*r->at, RF_DIGIT); r->at++, r->left--)
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

static bool is(span part, char sign) { return part.length == 1 && *part.text == sign; }

static bool equal(span one, span other)
{
    return one.length == other.length && memcmp(one.text, other.text, one.length) == 0;
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

static bool is_on_board(const position *p, unsigned rank, unsigned square)
{
    char text[RF_MAX_TEXT];
    return p->game->format_square(p->ctx, p->state, rank, square, text) != 0;
}

/* Whether the squares of a rank match, and the rank is as wide as the pattern. */
static bool rank_of_board_matches(const position *p, unsigned rank, span pattern)
{
    rank_reader reader = {pattern.text, pattern.length, 0};
    unsigned square = 0;
    for (span expected; next_square(&reader, p->game->has_runs, &expected); square++) {
        char text[RF_MAX_TEXT];
        if (is(expected, '?'))
            continue;
        if (!equal(expected, (span){text, p->game->format_square(p->ctx, p->state, rank, square, text)}))
            return false;
    }
    return square > 0 && is_on_board(p, rank, square - 1) && !is_on_board(p, rank, square);
}

static bool board_matches(const position *p, span pattern)
{
    unsigned rank = 0;
    if (is(pattern, '*'))
        return true;
    for (; pattern.length > 0; rank++) {
        span part = cut(&pattern, '/');
        if (!is(part, '*') && !rank_of_board_matches(p, rank, part))
            return false;
    }
    return is_on_board(p, rank - 1, 0) && !is_on_board(p, rank, 0);
}

/* Whether a part of a field matches, sign by sign. */
static bool part_matches(span pattern, span part)
{
    if (is(pattern, '*'))
        return true;
    if (pattern.length != part.length)
        return false;
    for (size_t i = 0; i < part.length; i++)
        if (pattern.text[i] != '?' && pattern.text[i] != part.text[i])
            return false;
    return true;
}

static bool field_matches(span pattern, span field)
{
    if (memchr(field.text, '/', field.length) == NULL)
        return equal(pattern, field);
    while (pattern.length > 0 && field.length > 0)
        if (!part_matches(cut(&pattern, '/'), cut(&field, '/')))
            return false;
    return pattern.length == 0 && field.length == 0;
}

bool rf_pattern_matches(const rf_game *game, const void *ctx, const rf_state *s, const char *pattern)
{
    const position p = {game, ctx, s};
    span left = {pattern, strlen(pattern)}, board = {"*", 1};
    bool is_open = false; /* the last field is a star */
    char text[RF_MAX_TEXT];
    unsigned fields = 0;
    cut(&left, ' ');
    /* The fields are short, so the board is last. */
    for (; left.length > 0; fields++) {
        const span expected = cut(&left, ' ');
        is_open = is(expected, '*');
        if (fields == 0 && game->format_square != NULL)
            board = expected;
        else if (!is_open &&
                 !field_matches(expected, (span){text, game->format_field(ctx, s, fields, text)}))
            return false;
    }
    if (!board_matches(&p, board))
        return false;
    /* The text has no further fields, or a star stands for any number of them. */
    if (is_open)
        return fields < 2 || game->format_field(ctx, s, fields - 2, text) != 0;
    return game->format_field(ctx, s, fields - 1, text) != 0 && game->format_field(ctx, s, fields, text) == 0;
}
