/* Exact margins by questions with a yes or no: 'is South's margin at least t?' (docs/solving.md, 'margins').
 *
 * For t > 0 South is the attacker: it has to force an end of the game with at least t. For t <= 0 the attacker is
 * North: it has to force an end with less than t, and South holds if it cannot, be it by going on for ever. Either way
 * the answer is no for the attacker where play repeats, so a position on the way to itself is a failure of the
 * attacker. The search for one question is search/threshold.inc, specialised for each game; this is what is around
 * it. */
#ifndef RINGFEN_MARGIN_SEARCH_H
#define RINGFEN_MARGIN_SEARCH_H

#include "ringfen.h"

/* cffi: begin */

enum { RF_MARGIN_LINE = 1024 }; /* plies of a line of best play */

/* Table and working memory of a search, for one position after another of one game. */
typedef struct rf_margin rf_margin;
/* What several of them have in common that work on one position, each in a thread of its own. */
typedef struct rf_margin_team rf_margin_team;

typedef struct rf_margin_result {
    int lower, upper;      /* proven: South's margin under perfect play; equal if it is known */
    int best_count;        /* plies in `best` */
    int best_complete;     /* 1 if these are all that keep the value */
    rf_ply best[RF_MARGIN_PLIES];
    int endless;           /* 1: no line of best play reaches an end; 0: one does; -1: not known */
    int line_length;       /* plies in `line` */
    int line_complete;     /* 1 if `line` reaches an end with this margin or, unless endless is 0, its first repetition */
    rf_ply line[RF_MARGIN_LINE];
} rf_margin_result;

/* NULL if memory ran out or the game has no margins. `bytes` is the size of the table. */
rf_margin *rf_margin_new(const rf_game *game, uint64_t bytes);
void rf_margin_free(rf_margin *search);

/* NULL if memory ran out or the game has no margins. `bytes` is the size of the tables in common. */
rf_margin_team *rf_margin_team_new(const rf_game *game, uint64_t bytes, int helpers);
/* None of its threads is at work any more. */
void rf_margin_team_free(rf_margin_team *team);
/* `helper` is 0 for the thread that calls rf_margin_solve, which gives the answer, else from 1 on. */
void rf_margin_join(rf_margin *search, rf_margin_team *team, int helper);
/* Works on what the first thread asks until the team is closed, or memory runs out. */
void rf_margin_help(rf_margin *search);
/* Ends rf_margin_help in all threads. Any thread may call it at any time. */
void rf_margin_team_close(rf_margin_team *team);
/* Positions visited by helpers for questions that they have left. */
uint64_t rf_margin_team_nodes(const rf_margin_team *team);

/* What South's margin cannot exceed, nor North's, whoever plays how. Of a game that has margins. */
int rf_margin_widest(const rf_game *game, const void *ctx, const rf_state *s);
/* The groups of failures that depend on open positions, at least 1, beyond which those that are settled are dropped. They
 * never change an answer, unless as many are open at a time: then memory is at an end. */
void rf_margin_set_groups(rf_margin *search, uint32_t most);
/* Whether South's margin is at least `threshold`: 1 or 0, exact; -1 if control->stopped. The caller has started the
 * control. */
int rf_margin_ask(rf_margin *search, const void *ctx, const rf_state *s, int threshold, rf_control *control);
/* Solves a position; what is known when the control stops is in *result. */
void rf_margin_solve(rf_margin *search, const void *ctx, const rf_state *s, rf_margin_result *result,
                     rf_control *control);

/* cffi: end */

/* An answer to a question, from the attacker's view; RF_STOPPED comes from the control alone. */
enum { RF_UNDECIDED = -1, RF_FAILS = 0, RF_SUCCEEDS = 1 };

/* Table slots serve two kinds of entries. Those of search/threshold.inc are
 *   a: group (32 bits), lower, upper, provisional (8 bits each), b: best ply (32 bits), effort (the highest 8 bits);
 * a game's own have RF_MARGIN_OWN set in `b` and may use all of `a` and the lower 55 bits of `b`. */
typedef struct rf_margin_slot {
    uint64_t key, a, b;
} rf_margin_slot;

#define RF_MARGIN_OWN (UINT64_C(1) << 55)
enum { RF_MARGIN_BUCKET = 4, RF_EFFORT_SHIFT = 56, RF_MARGIN_HISTORY = 4096 };

/* Failures that depend on positions still open on the path (search/threshold.inc). */
enum { RF_GROUP_OPEN, RF_GROUP_PROVEN, RF_GROUP_VOID };
typedef struct rf_margin_group {
    uint32_t parent; /* of the union-find tree; itself at a root */
    uint32_t state;  /* RF_GROUP_*; counts at roots only */
    uint32_t low, high; /* depths of the open positions it depends on lie between these */
} rf_margin_group;

struct rf_margin_frame;

struct rf_margin {
    const rf_game *game;
    rf_margin_slot *slots;
    uint64_t mask; /* slots - 1, a bucket being RF_MARGIN_BUCKET slots that follow each other */
    uint64_t most_slots;
    uint64_t used, grow_at; /* slots filled; the number above which the table grows */
    uint32_t history[2][RF_MARGIN_HISTORY];
    rf_margin_group *groups;
    uint32_t group_count, most_groups;
    uint32_t *open_groups; /* roots of the groups in state OPEN, oldest first */
    uint32_t open_count;
    struct rf_margin_frame **chunks; /* of the path */
    rf_ply **chunk_plies;
    uint32_t chunk_count;
    uint64_t *path_keys; /* by depth */
    /* The path by key: for each value of the low bits of a key the depth of the last position with it, and for each
     * depth that of the one before. Counted from 1; 0: none. */
    uint32_t *path_last, *path_before;
    bool asked[2 * RF_MOST_MARGIN + 1]; /* thresholds, from -RF_MOST_MARGIN */
    rf_ply root_ply; /* what decided the last question, if root_has_ply */
    bool root_has_ply;
    /* The nearest thresholds that were asked before and at which the same attacker has to get more, or less. What it
     * gets there it gets now, what it fails to get here it fails to get now. RF_NO_THRESHOLD if there are none. */
    int harder, easier;
    struct rf_margin_team *team; /* NULL: one thread alone */
    int helper;                  /* its number; 0: the main thread */
    bool may_put_off, put_off;   /* margin_team.h */
    uint64_t next_scan; /* nodes at which the path is scanned for positions that other threads have answered */
};

enum { RF_NO_THRESHOLD = RF_MOST_MARGIN + 1 };

/* Where a line goes through, by the keys that game.margin_board gives. */
enum { RF_MARGIN_WAY = 128 };
typedef struct rf_margin_way {
    uint64_t boards[RF_MARGIN_WAY];
    int count;
} rf_margin_way;

/* Whether the position after a ply of `side` (0 South) still has the margin: 1, 0, or -1 if stopped. */
int rf_margin_keeps(rf_margin *m, const void *ctx, const rf_state *after, unsigned side, int margin, rf_control *control);

/* What `harder` and `easier` are to be for a question. */
void rf_margin_near(const rf_margin *m, int threshold, int *harder, int *easier);


#endif
