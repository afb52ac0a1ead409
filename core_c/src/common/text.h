/* Reads hostile text: classes of bytes, a cursor that never leaves its bytes, and errors with the offset of the
 * mistake; and writes plain words.
 *
 * Invariant: no function reads beyond the length of the cursor; a text need not end in NUL.
 * Example: rf_cursor c = rf_cursor_at("12 x", 4); rf_accept_number reads 12 and stops before the space. */
#ifndef RINGFEN_TEXT_H
#define RINGFEN_TEXT_H

#include "common/base.h"
#include "unit.h"

/* ---- classes of bytes ---- */

enum {
    RF_BLANK = 1,    /* space, tab */
    RF_LINE_END = 2, /* LF, CR */
    RF_DIGIT = 4,
    RF_LETTER = 8,
    RF_UNDERLINE = 16,
    RF_DELIMITER = 32, /* in movetext: ( ) { } ; $ ! ? */
    RF_SPACE = RF_BLANK | RF_LINE_END,
    RF_NAME = RF_DIGIT | RF_LETTER | RF_UNDERLINE /* of a tag */
};

extern RF_INTERNAL const uint8_t rf_byte_classes[256];

/* Whether a byte belongs to one of these classes. */
static inline bool rf_byte_is(char byte, unsigned classes)
{
    return (rf_byte_classes[(unsigned char)byte] & classes) != 0;
}

/* Whether a UTF-8 byte order mark begins here. */
static inline bool rf_is_bom(const char *text, uint64_t left)
{
    return left >= 3 && text[0] == '\xef' && text[1] == '\xbb' && text[2] == '\xbf';
}

/* ---- reading ---- */

typedef struct rf_cursor {
    const char *text;
    size_t length;
    size_t at;
} rf_cursor;

static inline rf_cursor rf_cursor_at(const char *text, size_t length)
{
    return (rf_cursor){text, length, 0};
}

/* The next byte, or -1 at the end. Bytes above 127 come as they are (128 to 255). */
static inline int rf_peek(const rf_cursor *c)
{
    return c->at < c->length ? (unsigned char)c->text[c->at] : -1;
}

static inline bool rf_accept(rf_cursor *c, char expected)
{
    if (rf_peek(c) != (unsigned char)expected)
        return false;
    c->at++;
    return true;
}

/* Skips spaces and tabs; false if there are none. */
bool rf_skip_blanks(rf_cursor *c);
/* Skips `word` if it is next and a space or the end of the text is after it. */
bool rf_accept_field(rf_cursor *c, const char *word);
/* Reads a decimal number from 0 to `max` without leading zeros; -1, and the cursor unchanged, if there is none. */
int rf_accept_number(rf_cursor *c, int max);
/* A square of a board of this many files (at most 26) and ranks: file 0.. in *file, rank 0.. in *rank. */
bool rf_accept_square(rf_cursor *c, int files, int ranks, int *file, int *rank);

/* Fills *error and returns false. The args (NULL after the last) are clipped to RF_ARG_SIZE and made printable. */
bool rf_fail(rf_error *error, uint32_t kind, size_t at, size_t length, const char *reason, ...)
    __attribute__((sentinel));
/* RF_SYNTAX at the cursor: `reason` with the rest of the field (or words for its end) as its first arg. */
bool rf_fail_here(const rf_cursor *c, rf_error *error, const char *reason);

/* ---- position texts: fields separated by spaces, the same in all games ---- */

/* Whether the text ends or a space or tab is next. */
static inline bool rf_at_field_end(const rf_cursor *c)
{
    return c->at == c->length || rf_byte_is(c->text[c->at], RF_BLANK);
}

/* Reads the id of the game, the first field. */
bool rf_read_id(rf_cursor *c, const char *id, rf_error *error);
/* Skips to the next field; `what` names the missing field if the text ends. */
bool rf_next_field(rf_cursor *c, const char *what, rf_error *error);
/* Reads the side to play: *side is 0 for South, 1 for North. */
bool rf_read_side(rf_cursor *c, uint8_t *side, rf_error *error);
/* Reads a field with a number up to `max`, or two numbers as in 3+1; `reason` is the error. */
bool rf_read_number(rf_cursor *c, int max, const char *reason, uint8_t *number, rf_error *error);
bool rf_read_two_numbers(rf_cursor *c, int max, const char *reason, uint8_t numbers[2], rf_error *error);
/* Reads the end of the text. `bad_option` is the error for a word with "=", NULL in games without options. */
bool rf_read_end(rf_cursor *c, const char *bad_option, rf_error *error);

/* "South", "North" for 0, 1. */
const char *rf_side_name(unsigned side);

/* A word for an rf_error. */
typedef struct rf_word {
    char text[RF_ARG_SIZE];
} rf_word;
rf_word rf_number_word(unsigned number);
rf_word rf_square_word(unsigned file, unsigned rank);

/* Writing: each function returns the new end and writes no NUL. */
char *rf_put(char *out, const char *word);
char *rf_put_number(char *out, unsigned number);
char *rf_put_square(char *out, unsigned file, unsigned rank);

#endif
