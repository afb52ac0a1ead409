/* Checks records one at a time and passes over those without errors and warnings (docs/notation.md).
 *
 * Idea: most records are correct, so a fast check of the usual form suffices; any other record goes to the full check,
 * except one with a few warnings only, whose warnings this check returns with those of others, many records at a time.
 * Invariant: a record that passes has no diagnostic in the full check either, and a scanned one the same warnings.
 * Example: rf_check_clean returns RF_CLEAN_RECORD at a record with an illegal ply; Python reads that one. */
#ifndef RINGFEN_CLEAN_H
#define RINGFEN_CLEAN_H

#include "records/movetext.h"
#include "records/split.h"
#include "records/writer.h"

/* cffi: begin */

/* A usual start position, and how many tags Player1, Player2, ... lead to it; 0 in games of two players. */
typedef struct rf_usual_start {
    const rf_game *game;
    const void *ctx;
    const rf_state *state;
    uint32_t players;
} rf_usual_start;

enum { RF_FACTS_RESULT = 20 };

/* The facts of a record that conditions of `filter` and groups of `stats` use. Without padding: facts are equal iff their
 * bytes are. */
typedef struct rf_record_facts {
    uint32_t start; /* which of the usual starts the record has; if it has a FEN tag, only game and board are those */
    uint32_t plies; /* of the main line */
    int outcome;    /* of the position after them */
    unsigned reached; /* as in rf_scan_summary */
    char result[RF_FACTS_RESULT]; /* not NUL-terminated; empty if it is longer (never in a clean record) */
} rf_record_facts;

/* A record that passed the check. */
typedef struct rf_clean_record {
    rf_record_facts facts;
    uint32_t result_at, result_length; /* the result, from the start of the record; length 0: none */
    uint64_t end;   /* where it ends, as in rf_clean_part */
    bool fen;       /* it begins with `state`, as its FEN tag says */
    rf_state state;
    rf_state last;  /* the position after the main line, or the one that comments there state */
} rf_clean_record;

/* Results of rf_check_clean. */
enum {
    RF_CLEAN_END = 0,   /* the whole text is checked */
    RF_CLEAN_FULL = 1,  /* there may be no room for another record: call again */
    RF_CLEAN_RECORD = 2 /* the record from `begin` to `end` does not pass */
};

enum {
    RF_RECORD_WARNINGS = 32, /* of a scanned record */
    RF_MAX_SCANNED = 256,
    RF_MAX_WARNINGS = 256 /* of all scanned records */
};

/* A warning of the movetext, the position in which the scan stood, and the one before the last ply. */
typedef struct rf_warning {
    rf_diagnostic found;
    rf_state state, before;
} rf_warning;

/* Where a warning of a record without other diagnostics is. Its line has printable ASCII characters only. */
typedef struct rf_located {
    uint64_t line;    /* as in rf_clean_part */
    uint64_t line_at; /* where that line begins, as in rf_clean_part */
    const char *code; /* a constant */
    uint32_t line_length;
    uint32_t column, length; /* of the text concerned in that line, from 0 */
    uint32_t ply;     /* as in rf_diagnostic */
    uint32_t record;  /* its index among the records that passed */
    uint32_t warning; /* its index in `warnings` */
} rf_located;

/* A record that passed although it may have diagnostics; its movetext has no errors. */
typedef struct rf_scanned_record {
    uint32_t record; /* its index among the records that passed */
    uint32_t first_warning, warned; /* the warnings of its movetext: the index of the first, and how many */
    uint64_t line;   /* where it begins, as in rf_clean_part */
    bool mid_line;
    bool usual;        /* its tags and its result give no diagnostic; else they may give some */
    uint32_t movetext; /* where it begins, from the start of the record */
    uint64_t plies_before; /* of the clean records of this call before it */
} rf_scanned_record;

/* A part of a stream. All offsets except `base` count from the start of the part. */
typedef struct rf_clean_part {
    const char *text;
    uint64_t length;
    uint64_t base;  /* of the text in the stream */
    uint64_t begin; /* of the current record; after RF_CLEAN_RECORD the next one begins at `end` */
    uint64_t end;
    uint64_t line;  /* of the current record, from 0; after RF_CLEAN_RECORD the next one's is splitter->boundary_line */
    bool mid_line;  /* the current record does not begin at the start of a line; updated as `line` */
    bool final;     /* the stream ends with this text, and with it the last record */
    uint64_t max_bytes; /* of a record */
    bool locate;    /* records whose only diagnostics are warnings that can be located pass as clean */
    uint32_t passed; /* records that passed in the last call: clean or scanned */
    uint64_t plies;  /* of the main lines of the clean ones */
    uint32_t scanned, warned, located;
    rf_scanned_record scanned_records[RF_MAX_SCANNED];
    rf_warning warnings[RF_MAX_WARNINGS]; /* in the order in which they were found */
    rf_located located_warnings[RF_MAX_WARNINGS]; /* of the clean records, in the order of the text */
} rf_clean_part;

/* Checks the records that end in a part of a stream, as far as they are clean: ASCII or UTF-8, with the usual tags, no
 * tag twice, a usual start that is given or a FEN on its board, movetext without errors and warnings, and a result that
 * tag, movetext and last position agree on. Other records may be fine too. A record whose movetext has a few warnings, or
 * whose tags or result have another form, passes as scanned. `records` gets those that pass, at most `capacity`.
 * `writer` (NULL: none) gets their text in its form, instead of that of the last call. With a writer, records with
 * warnings pass as clean, unless a warning concerns how the record is written. */
int rf_check_clean(rf_clean_part *part, rf_splitter *splitter, rf_scanner *scanner, const rf_usual_start *starts,
                   uint32_t start_count, rf_writer *writer, rf_clean_record *records, uint32_t capacity);

/* cffi: end */

#endif
