/* Finds the ends of records in a stream of bytes, chunk by chunk (docs/notation.md, records).
 *
 * split.c has the rules.
 * Example: "[A \"1\"]\n\n1. a\n\n[A \"2\"]\n" has a boundary before the second tag. */
#ifndef RINGFEN_SPLIT_H
#define RINGFEN_SPLIT_H

#include "ringfen.h"

/* cffi: begin */

/* All offsets count from the start of the stream. A new splitter is all zeros. */
typedef struct rf_splitter {
    uint64_t at;            /* bytes read so far */
    uint64_t line;          /* line ends before `at` */
    uint64_t boundary;      /* where the next record begins, if rf_split found that */
    uint64_t boundary_line; /* its line, from 0 */
    bool mid_line;          /* that record does not begin at the start of a line */
    uint64_t keep;          /* the next record cannot begin before this */
    bool content;           /* the record contains more than white space and skipped lines so far */

    uint64_t line_start;
    uint64_t begin;         /* where the next record begins if the bracket that is being read starts a tag */
    uint32_t state;
    uint32_t bom_bytes;     /* of a byte order mark at the start of this line */
    bool in_comment, after_blank, tags, movetext, after_cr;
    bool has_name;          /* a name follows the bracket that is being read */
} rf_splitter;

/* Reads the next bytes of the stream and returns their number. If a record is complete, it stops early and moves
 * `boundary`; call it again with the rest. The end of the stream ends the last record. */
size_t rf_split(rf_splitter *s, const char *text, size_t length);

/* cffi: end */

#endif
