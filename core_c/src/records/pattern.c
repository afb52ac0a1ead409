/* Compares a position with a pattern, field by field and square by square (pattern.h).
 *
 * Idea: the game writes one square or one field at a time, so a mismatch usually ends the comparison early.
 * Example: "rings * s 1+0 *" is cut at its spaces; the field "s" is compared before the board. */
#include "records/pattern.h"

#include "common/text.h"
#include "records/head.h"

enum { MAX_EMPTY = 99 }; /* squares in a run; no rank is longer */

/* Goes through the squares of a rank. */
typedef struct rank_reader {
    const char *at;
    uint32_t left;
    unsigned empty; /* squares of the current run that are still to come */
} rank_reader;

/* A position. */
typedef struct position {
    const rf_game *game;
    const void *ctx;
    const rf_state *state;
} position;

static rf_span span_of(const char *text, size_t length) { return (rf_span){text, (uint32_t)length}; }

/* The next square: its piece with the rings in parentheses, or "." if it is empty. False at the end of the rank. */
static bool next_square(rank_reader *r, bool runs, rf_span *out)
{
    if (r->empty == 0 && runs && r->left > 0 && rf_byte_is(*r->at, RF_DIGIT)) {
        for (; r->left > 0 && rf_byte_is(*r->at, RF_DIGIT); r->at++, r->left--)
            r->empty = r->empty > MAX_EMPTY ? r->empty : 10 * r->empty + (unsigned)(*r->at - '0');
    }
    if (r->empty > 0) {
        r->empty--;
        *out = (rf_span){".", 1};
        return true;
    }
    if (r->left == 0)
        return false;
    uint32_t length = 1;
    if (r->left > 1 && r->at[1] == '(')
        while (length < r->left && r->at[length - 1] != ')')
            length++;
    *out = (rf_span){r->at, length};
    r->at += length;
    r->left -= length;
    return true;
}

static bool is(rf_span part, char sign) { return part.length == 1 && *part.text == sign; }

/* Removes the text up to `end`, and `end`, from the front of `rest`; returns the text. */
static rf_span cut(rf_span *rest, char end)
{
    const char *found = memchr(rest->text, end, rest->length);
    rf_span part = {rest->text, found == NULL ? rest->length : (uint32_t)(found - rest->text)};
    uint32_t used = part.length + (found != NULL);
    *rest = (rf_span){rest->text + used, rest->length - used};
    return part;
}

static bool is_on_board(const position *p, unsigned rank, unsigned square)
{
    char text[RF_MAX_TEXT];
    return p->game->format_square(p->ctx, p->state, rank, square, text) != 0;
}

/* Whether the squares of a rank match, and the rank is as wide as the pattern. */
static bool rank_of_board_matches(const position *p, unsigned rank, rf_span pattern)
{
    rank_reader reader = {pattern.text, pattern.length, 0};
    unsigned square = 0;
    for (rf_span expected; next_square(&reader, p->game->has_runs, &expected); square++) {
        char text[RF_MAX_TEXT];
        if (is(expected, '?'))
            continue;
        if (!rf_same_span(expected, span_of(text, p->game->format_square(p->ctx, p->state, rank, square, text))))
            return false;
    }
    return square > 0 && is_on_board(p, rank, square - 1) && !is_on_board(p, rank, square);
}

static bool board_matches(const position *p, rf_span pattern)
{
    unsigned rank = 0;
    if (is(pattern, '*'))
        return true;
    for (; pattern.length > 0; rank++) {
        rf_span part = cut(&pattern, '/');
        if (!is(part, '*') && !rank_of_board_matches(p, rank, part))
            return false;
    }
    return is_on_board(p, rank - 1, 0) && !is_on_board(p, rank, 0);
}

/* Whether a part of a field matches, sign by sign. */
static bool part_matches(rf_span pattern, rf_span part)
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

static bool field_matches(rf_span pattern, rf_span field)
{
    if (memchr(field.text, '/', field.length) == NULL)
        return rf_same_span(pattern, field);
    while (pattern.length > 0 && field.length > 0)
        if (!part_matches(cut(&pattern, '/'), cut(&field, '/')))
            return false;
    return pattern.length == 0 && field.length == 0;
}

bool rf_pattern_matches(const rf_game *game, const void *ctx, const rf_state *s, const char *pattern)
{
    const position p = {game, ctx, s};
    rf_span left = span_of(pattern, strlen(pattern)), board = {"*", 1};
    bool is_open = false; /* the last field is a star */
    char text[RF_MAX_TEXT];
    unsigned fields = 0;
    cut(&left, ' ');
    /* The fields are short, so the board is last. */
    for (; left.length > 0; fields++) {
        const rf_span expected = cut(&left, ' ');
        is_open = is(expected, '*');
        if (fields == 0 && game->format_square != NULL)
            board = expected;
        else if (!is_open &&
                 !field_matches(expected, span_of(text, game->format_field(ctx, s, fields, text))))
            return false;
    }
    if (!board_matches(&p, board))
        return false;
    /* The text has no further fields, or a star stands for any number of them. */
    if (is_open)
        return fields < 2 || game->format_field(ctx, s, fields - 2, text) != 0;
    return game->format_field(ctx, s, fields - 1, text) != 0 && game->format_field(ctx, s, fields, text) == 0;
}
