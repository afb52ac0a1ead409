/* Reading hostile text: a cursor that never leaves its bytes, and errors that say where. */
#ifndef RINGFEN_TEXT_H
#define RINGFEN_TEXT_H

#include "game.h"

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

/* Text writing: each returns the new end. Nothing here writes a NUL. */
char *rf_put(char *out, const char *word);
char *rf_put_number(char *out, unsigned number);
char *rf_put_square(char *out, unsigned file, unsigned rank);

#endif
