/* Reading the tags at the head of a record (docs/notation.md, records). */
#ifndef RINGFEN_TAGS_H
#define RINGFEN_TAGS_H

#include "ringfen.h"

/* cffi: begin */

typedef struct rf_tag {
    uint32_t at, length; /* from bracket to bracket; of a bad tag the rest of its line */
    uint32_t name_at, name_length;
    uint32_t value_at, value_length; /* between the quotes */
    bool escapes;                    /* the value holds \" or \\ */
    const char *problem;             /* NULL, or why this is not a tag: a key */
} rf_tag;

/* Reads the next tag after `at`, past blanks and skipped lines; the first tag also past comments. False if something else comes, at tag->at. */
bool rf_read_tag(const char *text, uint32_t length, uint32_t at, rf_tag *tag);

/* cffi: end */

#endif
