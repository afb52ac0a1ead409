/* Reads and plays the movetext of a record: tokens, legality, variations, move numbers (docs/notation.md).
 *
 * scanner.h describes the method.
 * Example: rf_scan_begin, then rf_scan until it returns RF_SCAN_END; rf_scan_summary_of has the counts and errors. */
#ifndef RINGFEN_MOVETEXT_H
#define RINGFEN_MOVETEXT_H

#include "ringfen.h"

/* cffi: begin */

enum {
    RF_EVENT_PLY = 1,     /* number, opens, index; text is its short form if the record names more */
    RF_EVENT_NAG = 2,     /* number */
    RF_EVENT_COMMENT = 3, /* `at` and `length` are those of the words, without braces or semicolon */
    RF_EVENT_OPEN = 4,
    RF_EVENT_CLOSE = 5
};

typedef struct rf_event {
    uint32_t kind;
    uint32_t at;     /* byte offset in the record */
    uint32_t length;
    uint32_t number; /* of a ply: its round, from 1 */
    uint32_t index;  /* of a ply: its number in the line of play, from 1 */
    bool opens;      /* of a ply: it begins a turn of South (player 1) */
    char text[RF_MAX_PLY_TEXT];
} rf_event;

/* An error or a warning. docs/errors.md lists the codes. */
typedef struct rf_diagnostic {
    const char *code;
    bool is_error;
    uint32_t at;                /* byte offset in the record */
    uint32_t length;
    uint32_t ply;               /* of the ply concerned, from 1; 0: none */
    char expected[RF_ARG_SIZE]; /* of a number: the expected one */
    uint32_t last_at;           /* illegal-ply: the ply before it in this line of play */
    uint32_t last_length;       /* 0: there is none, or its offset is unknown */
    uint32_t last_number;       /* its round as records number it, and whether it begins a turn of South (player 1) */
    bool last_opens;
    rf_error reason;            /* of plies and positions: the game's words */
} rf_diagnostic;

/* Results of rf_scan. */
enum {
    RF_SCAN_END = 0,
    RF_SCAN_MORE = 1,  /* call again: the buffer is full, there are diagnostics, or many tokens are read */
    RF_SCAN_PAUSE = 2, /* the plies of rf_scan_pause_at are played, and the comments after them are read */
    RF_SCAN_MEMORY = 3 /* memory ran out for the open variations */
};

enum { RF_DIAGNOSTICS = 4 };

typedef struct rf_scanner rf_scanner;

/* A position, or a pattern of positions, to find in records. */
typedef struct rf_search_target {
    const rf_game *game;
    const rf_state *state;
    const char *pattern;  /* as rf_pattern_matches reads it; NULL: `state` is sought */
} rf_search_target;

/* Bits of rf_scan_summary.reached. */
enum { RF_REACHED_POSITION = 1, RF_REACHED_PATTERN = 2 };

/* The text that a scan reads. */
typedef struct rf_scan_job {
    const char *text; /* must stay valid during the scan */
    uint32_t length;
    uint32_t at;      /* where the movetext starts */
    uint32_t first;   /* round of the first ply; 0: taken from the first move number, or 1 */
    uint32_t max_reported;    /* maximum number of reported warnings, and of reported errors; all are counted */
} rf_scan_job;

/* The result of a scan so far. */
typedef struct rf_scan_summary {
    uint32_t events;              /* written by the last call of rf_scan */
    uint32_t diagnosed;           /* diagnostics of the last call */
    uint32_t plies;               /* legal plies of the main line */
    uint32_t errors, warnings;    /* in all */
    uint32_t result_at, result_length; /* the result at the end; length 0: none */
    uint32_t first_number;        /* how the record numbers its first round; known at the end */
    int outcome;                  /* of the position after the main line; RF_OUTCOME_NONE if unknown */
    bool complete;                /* the main line could be played to its end */
    unsigned reached;             /* RF_REACHED_*: the main line reaches one of the sought positions or patterns */
    rf_diagnostic diagnostics[RF_DIAGNOSTICS];
} rf_scan_summary;

/* NULL if memory ran out. One scanner reads any number of records, one at a time. */
rf_scanner *rf_scanner_new(void);
void rf_scanner_free(rf_scanner *s);
/* Starts the scan of a movetext. `start` NULL: checks only the form of plies. */
void rf_scan_begin(rf_scanner *s, const rf_game *game, const void *ctx, const rf_state *start, const rf_scan_job *job);
/* Continues the scan. `events` NULL: writes no events. */
int rf_scan(rf_scanner *s, rf_event *events, uint32_t capacity);
const rf_scan_summary *rf_scan_summary_of(const rf_scanner *s);
/* Looks for these positions and patterns from the next rf_scan_begin on. `sought` must stay valid. */
void rf_scan_search_for(rf_scanner *s, const rf_search_target *sought, uint32_t count);
/* The next rf_scan pauses once this many plies of the main line are played. */
void rf_scan_pause_at(rf_scanner *s, uint32_t plies);
/* The position before the last ply, if the last diagnostic names that ply. */
const rf_state *rf_scan_state_before(const rf_scanner *s);
/* The position of the main line during a pause, or after the end if the summary is complete. */
const rf_state *rf_scan_state(const rf_scanner *s);

/* cffi: end */

#endif
