/* The state of a scanner of movetext, shared by movetext.c and lines.c.
 *
 * Idea: movetext.c splits the text into tokens; lines.c plays plies and keeps the current line, the main line or the
 * innermost variation. The lines around it are on a stack.
 * Invariant: states[now] is the position after the last ply of the line, states[1 - now] the one before it, unless the
 * line is broken. A variation starts from the latter.
 * Example: in "1. a b (1... c) 2. d" rf_scan_open goes back to the position after a, and rf_scan_close to that after
 * b. */
#ifndef RINGFEN_SCANNER_H
#define RINGFEN_SCANNER_H

#include "game.h"
#include "records/movetext.h"

static const uint32_t RF_NOWHERE = UINT32_MAX;
/* The ply `--`, which no game generates. */
static const rf_ply RF_NULL_PLY = UINT32_MAX;

/* The current line: the main line or the innermost variation. */
typedef struct rf_line {
    rf_ply ply;              /* the last one, or RF_NULL_PLY */
    rf_ply ply_before;       /* the one before it */
    uint32_t index;          /* plies played up to here */
    uint32_t round;          /* of the last ply, from 1 */
    uint32_t round_before;   /* of the ply before it */
    uint32_t number_at;      /* a move number that waits for its ply, or RF_NOWHERE */
    uint32_t number_length;
    uint32_t last_at;        /* the last ply of this line */
    uint32_t last_length;    /* 0: it has none yet, or the position after it is stated */
    bool last_opens;
    uint32_t ahead;          /* how far the last wrong number was ahead (modulo 2^32) of the right one */
    uint32_t opened_at;      /* its parenthesis */
    uint8_t player;          /* the player of the last ply; 0: no ply in this record yet */
    uint8_t player_before;
    bool has_ply;            /* a ply of this line was read, legal or not */
    bool broken;             /* the position is unknown, after a ply that could not be played */
    bool before_known;       /* the position before the last ply is known */
    bool stated;             /* a comment after the last ply states the position, which differs from the one reached */
    bool may_skip;           /* the next ply is the first after a stated position: its number may be higher */
} rf_line;

struct rf_scanner {
    rf_scan_summary summary;
    const rf_game *game;
    const void *ctx;
    const char *text;
    uint32_t length, at;
    uint32_t word_end;       /* of the last word that was begun, of which only a part may be read */
    uint32_t pause_at;
    uint32_t max_reported;
    uint32_t shift;          /* move number minus round; rounds count from 1 */
    bool any_number;         /* the next number sets the shift */
    bool missing_reported;
    bool stateless;          /* there is no start position */
    bool done;               /* the text is read */
    uint32_t skipped;        /* open parentheses of skipped variations */
    uint32_t skipped_at;     /* the first of them */
    rf_line line;
    rf_state states[2];      /* now and before the last ply */
    unsigned now;
    rf_diagnostic discarded;
    const rf_search_target *sought;
    uint32_t sought_count;

    /* The lines around the current one, outermost first. Each entry is the stated position if there is one, the
     * position before the last ply, and the line. */
    char *stack;
    size_t stack_size, stack_capacity;

    char padding[128]; /* Scanners of two threads share no cache line. */
};

static inline const rf_state *rf_current_state(const rf_scanner *s) { return &s->states[s->now]; }

/* ---- diagnostics ---- */

/* Adds a diagnostic, and returns it so that the caller can set more fields. */
static inline rf_diagnostic *rf_diagnose(rf_scanner *s, const char *code, bool is_error, uint32_t at, uint32_t length,
                                      uint32_t ply)
{
    uint32_t *count = is_error ? &s->summary.errors : &s->summary.warnings;
    bool stored = (*count)++ < s->max_reported && s->summary.diagnosed < RF_DIAGNOSTICS;
    rf_diagnostic *d = stored ? &s->summary.diagnostics[s->summary.diagnosed++] : &s->discarded;
    memset(d, 0, sizeof *d);
    d->code = code;
    d->is_error = is_error;
    d->at = at;
    d->length = length;
    d->ply = ply;
    return d;
}

/* The number of the last ply; 0 if it is unknown, after a ply that could not be played. */
static inline uint32_t rf_last_ply(const rf_scanner *s) { return s->line.broken ? 0 : s->line.index; }

static inline void rf_diagnose_error(rf_scanner *s, const char *code, uint32_t at, uint32_t length)
{
    rf_diagnose(s, code, true, at, length, rf_last_ply(s));
}

static inline void rf_warn_of_stray_number(rf_scanner *s)
{
    if (s->line.number_at == RF_NOWHERE)
        return;
    rf_diagnose(s, "stray-number", false, s->line.number_at, s->line.number_length, rf_last_ply(s));
    s->line.number_at = RF_NOWHERE;
}

/* ---- lines (lines.c) ---- */

/* The main line begins at `start`; `first` as in rf_scan_job. */
void rf_scan_start(rf_scanner *s, const rf_state *start, uint32_t first);
/* Reads a comment from `at` to `end`, which may state the position. */
void rf_scan_comment(rf_scanner *s, uint32_t at, uint32_t end);
/* Plays a ply. `event` may be NULL, here and below. */
void rf_scan_ply(rf_scanner *s, uint32_t at, uint32_t length, rf_event *event);
/* Reads a move number: digits and dots. False if the word is none. */
bool rf_scan_number(rf_scanner *s, uint32_t at, uint32_t end);
/* Starts a variation. False if memory ran out. */
bool rf_scan_open(rf_scanner *s, uint32_t at, rf_event *event);
void rf_scan_close(rf_scanner *s, uint32_t at, rf_event *event);
/* Leaves the innermost variation: restores the positions before and after the last ply of the line around it. */
void rf_scan_leave(rf_scanner *s);

#endif
