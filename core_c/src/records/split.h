/* Finding where records end in a stream of bytes, chunk by chunk (docs/notation.md, records). */
#ifndef RINGFEN_SPLIT_H
#define RINGFEN_SPLIT_H

#include "ringfen.h"

/* cffi: begin */

/* All offsets count from the start of the stream. A new splitter is all zeros. */
typedef struct rf_splitter {
    uint64_t at;            /* bytes looked at so far */
    uint64_t line;          /* line ends before `at` */
    uint64_t boundary;      /* where the next record begins, if rf_split found that */
    uint64_t boundary_line; /* its line, from 0 */
    bool mid_line;          /* that record does not begin at the start of a line */
    uint64_t keep;          /* the next record cannot begin before this */
    bool content;           /* the record holds more than blanks and skipped lines so far */

    uint64_t line_start;
    uint64_t begin;         /* where the next record begins if the bracket that is being read starts a tag */
    uint32_t state;
    uint32_t mark;          /* bytes of a byte order mark at the start of this line */
    bool in_comment, after_blank, tags, movetext, after_cr, name;
} rf_splitter;

/* Looks at the next bytes of the stream and returns how many. It stops early, and `boundary` has moved, when a record
 * is complete: the call then has to be repeated with the rest. The end of the stream ends the last record. */
size_t rf_split(rf_splitter *s, const char *text, size_t length);

/* cffi: end */

#endif
