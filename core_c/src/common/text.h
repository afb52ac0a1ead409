/* Reading hostile text: a cursor that never leaves its bytes, and errors that say where. */
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
    RF_NAME = RF_DIGIT | RF_LETTER | RF_UNDERLINE /* of a tag */
};

extern RF_INTERNAL const uint8_t rf_byte_classes[256];

/* Whether a byte is of one of these classes. */
static inline bool rf_is(char byte, unsigned classes) { return (rf_byte_classes[(unsigned char)byte] & classes) != 0; }

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

static inline bool rf_accept(rf_cursor *c, char wanted)
{
    if (rf_peek(c) != (unsigned char)wanted)
        return false;
    c->at++;
    return true;
}

/* Goes past a run of blanks and tabs; false if there is none. */
bool rf_skip_blanks(rf_cursor *c);
/* The end of the text, trailing blanks allowed. */
bool rf_at_end(rf_cursor *c);
/* Goes past `word` if it is next and a blank or the end follows. */
bool rf_accept_field(rf_cursor *c, const char *word);
/* A decimal number without leading zeros, at most `most`; -1 (and the cursor unmoved) if there is none. */
int rf_number(rf_cursor *c, int most);
/* A square of a board of this many files (at most 26) and ranks: file 0.. in *file, rank 0.. in *rank. */
bool rf_square(rf_cursor *c, int files, int ranks, int *file, int *rank);

/* Fills *error and returns false. The args (NULL after the last) are clipped to RF_ARG_SIZE and made printable. */
bool rf_fail(rf_error *error, uint32_t kind, size_t at, size_t length, const char *reason, ...)
    __attribute__((sentinel));
/* RF_SYNTAX at the cursor: `reason` with the rest of the field (or words for its end) as its first arg. */
bool rf_fail_here(const rf_cursor *c, rf_error *error, const char *reason);

/* ---- position texts: fields between blanks, read alike in all games ---- */

/* The end of the text or a blank. */
static inline bool rf_at_field_end(const rf_cursor *c)
{
    return c->at == c->length || rf_is(c->text[c->at], RF_BLANK);
}

/* The id of the game, which comes first. */
bool rf_read_id(rf_cursor *c, const char *id, rf_error *error);
/* Goes on to the next field; `what` says what is missing if the text ends. */
bool rf_next_field(rf_cursor *c, const char *what, rf_error *error);
/* The side to play: *side is 0 for South, 1 for North. */
bool rf_read_side(rf_cursor *c, uint8_t *side, rf_error *error);
/* A field that is a number up to `most`, or two of them as in 3+1; `reason` if it is not. */
bool rf_read_number(rf_cursor *c, int most, const char *reason, uint8_t *number, rf_error *error);
bool rf_read_two_numbers(rf_cursor *c, int most, const char *reason, uint8_t numbers[2], rf_error *error);
/* The end of the text. `bad_option` is the reason for a word with = in it, NULL in games without options. */
bool rf_read_end(rf_cursor *c, const char *bad_option, rf_error *error);

/* "South", "North" for 0, 1. */
const char *rf_side_name(unsigned side);

/* A word for an rf_error. */
typedef struct rf_word {
    char text[RF_ARG_SIZE];
} rf_word;
rf_word rf_number_word(unsigned number);
rf_word rf_square_word(unsigned file, unsigned rank);

/* Text writing: each returns the new end. Nothing here writes a NUL. */
char *rf_put(char *out, const char *word);
char *rf_put_number(char *out, unsigned number);
char *rf_put_square(char *out, unsigned file, unsigned rank);

#endif
