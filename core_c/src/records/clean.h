/* Checking records one after the other as long as there is nothing to say about them (docs/notation.md). */
#ifndef RINGFEN_CLEAN_H
#define RINGFEN_CLEAN_H

#include "records/movetext.h"
#include "records/split.h"

/* cffi: begin */

/* A usual start position, and how many tags Player1, Player2, ... lead to it; 0 in games of two players. */
typedef struct rf_usual_start {
    const rf_game *game;
    const void *ctx;
    const rf_state *state;
    uint32_t players;
} rf_usual_start;

/* A record about which there is nothing to say. */
typedef struct rf_clean_record {
    uint32_t start; /* which of the usual starts it has */
    uint32_t plies; /* of the main line */
    int outcome;    /* of the position after them */
    bool reached;   /* as in rf_scan_summary */
    uint64_t end;   /* where it ends, as in rf_clean_part */
} rf_clean_record;

/* How rf_check_clean comes back. */
enum {
    RF_CLEAN_END = 0,   /* the text is looked through */
    RF_CLEAN_FULL = 1,  /* there is no room for another record: call again */
    RF_CLEAN_RECORD = 2 /* a record is to be checked by other means: it lies between `begin` and `end` */
};

/* A part of a stream that is being looked through; all offsets but `base` count from the start of that part. */
typedef struct rf_clean_part {
    const char *text;
    uint64_t length;
    uint64_t base;  /* of the text in the stream */
    uint64_t begin; /* of the current record; after RF_CLEAN_RECORD the next one begins at `end` */
    uint64_t end;
    uint64_t line;  /* of the current record, from 0; after RF_CLEAN_RECORD the next one's is splitter->boundary_line */
    bool mid_line;  /* the current record does not begin at the start of a line; likewise */
    uint64_t most;  /* bytes of a record */
    uint32_t reported; /* as `most` of rf_scan_job */
    uint32_t clean; /* records found clean by the last call */
    uint64_t plies; /* of their main lines */
    bool begun;     /* RF_CLEAN_RECORD: the scanner stands where something was found in the record's movetext */
} rf_clean_part;

/* Checks the records that end in a part of a stream, as far as they are clean: ASCII or UTF-8, with the usual tags, no
 * tag twice, no FEN, a usual start that is given, movetext without errors and warnings, and a result that tag, movetext
 * and last position agree on. Other records may be fine too. `records` gets the clean ones, at most `room`. */
int rf_check_clean(rf_clean_part *part, rf_splitter *splitter, rf_scanner *scanner, const rf_usual_start *starts,
                   uint32_t start_count, rf_clean_record *records, uint32_t room);

/* cffi: end */

#endif
