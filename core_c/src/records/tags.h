/* Reads the tags at the head of a record (docs/notation.md, records).
 *
 * Example: for (at = 0; rf_read_tag(text, length, at, &tag); at = tag.at + tag.length) ...; */
#ifndef RINGFEN_TAGS_H
#define RINGFEN_TAGS_H

#include "ringfen.h"

/* cffi: begin */

typedef struct rf_tag {
    uint32_t at, length; /* from bracket to bracket; a bad tag extends to the end of its line */
    uint32_t name_at, name_length;
    uint32_t value_at, value_length; /* between the quotes */
    bool escapes;                    /* the value contains \" or \\ */
    const char *problem;             /* NULL, or why this is not a tag: a key */
} rf_tag;

/* Reads the next tag after `at`. Skips white space and lines with %, and comments before the first tag. False if other
 * text follows, at tag->at. */
bool rf_read_tag(const char *text, uint32_t length, uint32_t at, rf_tag *tag);

/* cffi: end */

#endif
