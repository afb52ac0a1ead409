/* The state of a scanner of movetext, which movetext.c and lines.c share. */
#ifndef RINGFEN_SCANNER_H
#define RINGFEN_SCANNER_H

#include "game.h"
#include "records/movetext.h"

static const uint32_t NOWHERE = UINT32_MAX;
/* The ply `--`, which no game generates. */
static const rf_ply RF_NULL_PLY = UINT32_MAX;

/* The line that is being read: the main line or the innermost variation. */
typedef struct line {
    rf_ply ply;              /* the last one, or RF_NULL_PLY */
    rf_ply ply_before;       /* the one before it */
    uint32_t index;          /* plies played up to here */
    uint32_t round;          /* of the last ply, from 1 */
    uint32_t round_before;   /* of the ply before it */
    uint32_t number_at;      /* a move number that waits for its ply, or NOWHERE */
    uint32_t number_length;
    uint32_t last_at;        /* the last ply of this line */
    uint32_t last_length;    /* 0: it has none yet, or the position after it is stated */
    bool last_opens;
    uint32_t ahead;          /* how far the last wrong number was ahead (modulo 2^32) of the right one */
    uint32_t opened_at;      /* its parenthesis */
    uint8_t player;          /* who made the last ply; 0: nobody yet in this record */
    uint8_t player_before;
    bool has_ply;            /* one of this line was read, legal or not */
    bool broken;             /* where it stands is not known after a ply that could not be played */
    bool before_known;       /* the position before the last ply is */
    bool stated;             /* a comment after the last ply states the position, which differs from the one reached */
    bool may_skip;           /* the next ply is the first after a stated position: its number may be higher */
} line;

struct rf_scanner {
    rf_scan_summary summary;
    const rf_game *game;
    const void *ctx;
    const char *text;
    uint32_t length, at;
    uint32_t pause_at;
    uint32_t most;
    uint32_t shift;          /* to be added to rounds, which count from 1, to get numbers */
    bool any_number;         /* the next number sets the shift */
    bool missing_reported;
    bool stateless;          /* there is no start position */
    bool done;               /* nothing after this place is read */
    uint32_t skipped;        /* open parentheses of variations that cannot be read */
    uint32_t skipped_at;     /* the first of them */
    line line;
    rf_state states[2];      /* now and before the last ply */
    unsigned now;
    rf_diagnostic not_wanted;
    const rf_sought *sought;
    uint32_t sought_count;

    /* The lines around the current one, outermost first: the state where it stands (if it is stated), the state before
     * its last ply, and the line. */
    char *stack;
    size_t stack_size, stack_room;
};

static inline const rf_state *here(const rf_scanner *s) { return &s->states[s->now]; }

/* ---- diagnostics ---- */

/* For the caller to add to. */
static inline rf_diagnostic *diagnose(rf_scanner *s, const char *code, bool is_error, uint32_t at, uint32_t length,
                                      uint32_t ply)
{
    uint32_t *count = is_error ? &s->summary.errors : &s->summary.warnings;
    bool wanted = (*count)++ < s->most && s->summary.diagnosed < RF_DIAGNOSTICS;
    rf_diagnostic *d = wanted ? &s->summary.diagnostics[s->summary.diagnosed++] : &s->not_wanted;
    memset(d, 0, sizeof *d);
    d->code = code;
    d->is_error = is_error;
    d->at = at;
    d->length = length;
    d->ply = ply;
    return d;
}

static inline void fail(rf_scanner *s, const char *code, uint32_t at, uint32_t length)
{
    diagnose(s, code, true, at, length, s->line.index);
}

static inline void warn_of_stray_number(rf_scanner *s)
{
    if (s->line.number_at == NOWHERE)
        return;
    diagnose(s, "stray-number", false, s->line.number_at, s->line.number_length, s->line.index);
    s->line.number_at = NOWHERE;
}

/* ---- lines (lines.c) ---- */

/* The main line begins at `start`; `first` as in rf_scan_job. */
void rf_scan_start(rf_scanner *s, const rf_state *start, uint32_t first);
/* A comment begins at `at` and ends before `end`: it may state the position. */
void rf_scan_stated(rf_scanner *s, uint32_t at, uint32_t end);
/* Plays a ply; `event` may be NULL, as below. */
void rf_scan_ply(rf_scanner *s, uint32_t at, uint32_t length, rf_event *event);
/* A word that begins with digits and a dot; goes past its dots. False: it is not a number. */
bool rf_scan_number(rf_scanner *s, uint32_t at, uint32_t end);
/* A variation opens; false if memory ran out. */
bool rf_scan_open(rf_scanner *s, uint32_t at, rf_event *event);
void rf_scan_close(rf_scanner *s, uint32_t at, rf_event *event);
/* Back to the main line from the variations that are open. */
void rf_scan_leave(rf_scanner *s);

#endif
