/* Writes records in canonical form or as JSON (docs/notation.md, records; docs/record-schema.json).
 *
 * Idea: the events of a scan come in the order of the text, so one pass writes them; the last words are kept until the
 * next ones, because a closing parenthesis may follow them, and only then get their space or line end.
 * Invariant: the text is complete up to `begin`. If a record cannot be written, the writer returns there.
 * Example: rf_check_clean with a writer appends the records that pass; rf_writer_text has them. */
#ifndef RINGFEN_WRITER_H
#define RINGFEN_WRITER_H

#include "records/head.h"
#include "records/movetext.h"

/* cffi: begin */

/* Forms of records. */
enum {
    RF_FORM_TEXT = 0,
    RF_FORM_SHORT = 1, /* text without the bounces and passed points that plies name */
    RF_FORM_JSON = 2   /* one line; control characters of ASCII are escaped, others are not */
};

typedef struct rf_writer rf_writer;

/* NULL if memory ran out. */
rf_writer *rf_writer_new(int form);
void rf_writer_free(rf_writer *w);
/* The records written since the last call of rf_check_clean began; valid until the writer is used again. */
const char *rf_writer_text(const rf_writer *w);
uint64_t rf_writer_length(const rf_writer *w);

/* cffi: end */

/* Drops all records. */
void rf_writer_clear(rf_writer *w);

/* The start of a record. */
typedef struct rf_record_start {
    const rf_game *game;
    const void *ctx;
    const rf_state *state;
    uint32_t players; /* as in rf_usual_start */
} rf_record_start;

/* Writes a record in steps: its tags, its events in any number of pieces, its result. `first` is the number of its
 * first round, as far as the text up to here shows it. Each step returns false, and the record is not written, if it
 * needs another method: it is too long, its first round changes, a NAG follows a comment, or memory ran out. */
bool rf_write_head(rf_writer *w, const rf_head *head, const rf_record_start *start, uint32_t first);
bool rf_write_events(rf_writer *w, const char *text, const rf_event *events, uint32_t count, uint32_t first);
bool rf_write_end(rf_writer *w, rf_span result, uint32_t first);
/* Drops the record that is being written. */
void rf_writer_discard(rf_writer *w);

#endif
