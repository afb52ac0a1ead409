/* The C interface of Ringfen. What stands between the marker comments is read by cffi too (build_ffi.py). */
#ifndef RINGFEN_H
#define RINGFEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cffi: begin */

enum {
    RF_STATE_SIZE = 128,
    RF_REASON_SIZE = 40,
    RF_ARG_SIZE = 24,
    RF_ARGS = 4
};

/* Kinds of rf_error. */
enum {
    RF_OK = 0,
    RF_SYNTAX = 1,      /* the text is not of the form that the notation asks for */
    RF_IMPOSSIBLE = 2,  /* a well-formed position that the rules exclude */
    RF_ILLEGAL = 3      /* a well-formed ply that is not legal there */
};

/* Results of rf_game.outcome, beside the winner's number 1, 2, ... (1 is South, 2 North). */
enum { RF_OUTCOME_NONE = 0, RF_OUTCOME_DRAW = -1 };

/* Which kind of value a game has, and so which solver answers for it. */
enum {
    RF_SOLVER_WIN = 1,    /* win, loss or draw, with a distance */
    RF_SOLVER_MARGIN = 2, /* a score margin */
    RF_SOLVER_CHANCE = 3  /* winning probabilities */
};

/* Why a long call stopped. */
enum {
    RF_DONE = 0,
    RF_STOPPED_NODES = 1,    /* node limit */
    RF_STOPPED_TIME = 2,     /* time limit */
    RF_STOPPED_CANCEL = 3,   /* the poll function or the cancel flag said so */
    RF_STOPPED_MEMORY = 4,   /* memory limit, or none to be had */
    RF_STOPPED_OVERFLOW = 5  /* a number that exact arithmetic cannot hold */
};

typedef uint32_t rf_ply;

/* A position: a plain value. Which bytes mean what is the game's own business. */
typedef struct rf_state {
    uint64_t words[16];
} rf_state;

/* What is wrong with a text. `reason` is a stable key that Python words; `args` are the words to put in. */
typedef struct rf_error {
    uint32_t kind;
    uint32_t at;      /* byte offset in the text */
    uint32_t length;  /* bytes concerned, 0 if a place only */
    char reason[40];
    char args[4][24];
} rf_error;

typedef struct rf_parsed_ply {
    rf_ply ply;
    uint32_t long_form;   /* 1 if the text names more than the short form does */
    const char *warning;  /* NULL, or a key as in rf_error.reason: legal, but worth a word */
} rf_parsed_ply;

/* Limits and news of a long call. The caller fills the first part; the rest starts as zeros. */
typedef struct rf_control {
    uint64_t node_limit;                /* 0: none */
    double seconds;                     /* 0: none */
    int (*poll)(struct rf_control *);   /* called about 20 times a second if not NULL; not 0 means stop */
    void *handle;                       /* for poll */
    int *cancel;                        /* if not NULL: set to 1 from another thread to stop */
    uint64_t nodes;                     /* positions visited so far */
    uint64_t done, total;               /* progress in units of the method; total 0: not known */
    int depth;                          /* current iteration */
    int stopped;                        /* RF_DONE or RF_STOPPED_* */
    uint64_t next_check;
    double started, next_poll;
} rf_control;

/* Sets the second part to its beginning. Calls that say so do it themselves. */
void rf_control_start(rf_control *control);

typedef struct rf_game rf_game;
typedef struct rf_table rf_table;

/* Games, in the order of their numbers; NULL beyond the last. */
const rf_game *rf_game_at(int index);
const char *rf_game_id(const rf_game *game);
const char *rf_game_start(const rf_game *game);
int rf_game_solver(const rf_game *game);
bool rf_game_needs_context(const rf_game *game);
uint32_t rf_game_state_size(const rf_game *game);
uint32_t rf_game_max_plies(const rf_game *game);
uint32_t rf_game_max_text(const rf_game *game);
uint32_t rf_game_max_ply_text(const rf_game *game);
/* Chooses the instruction set and fills tables. Call once, before anything else. */
void rf_init(bool plain);
/* "x86-64-v3" or "baseline". */
const char *rf_instruction_set(void);

bool rf_parse(const rf_game *game, const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
size_t rf_format(const rf_game *game, const void *ctx, const rf_state *s, char *out);
bool rf_parse_ply(const rf_game *game, const void *ctx, const rf_state *s, const char *text, size_t length,
                  rf_parsed_ply *out, rf_error *error);
size_t rf_format_ply(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, char *out);
/* All plies in the order in which the game makes them; their number. `out` has room for max_plies. */
size_t rf_plies(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *out);
/* All plies in the byte order of their short forms. `out` has room for max_plies; -1 if memory ran out. */
int64_t rf_sorted_plies(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *out);
uint64_t rf_count(const rf_game *game, const void *ctx, const rf_state *s);
void rf_apply(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, rf_state *out);
int rf_outcome(const rf_game *game, const void *ctx, const rf_state *s);
unsigned rf_player(const rf_game *game, const void *ctx, const rf_state *s);
unsigned rf_players(const rf_game *game, const void *ctx, const rf_state *s);
bool rf_mid_turn(const rf_game *game, const void *ctx, const rf_state *s);
bool rf_is_chance(const rf_game *game, const void *ctx, const rf_state *s);
uint32_t rf_weight(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply);
/* Whether the game says that no play after this ply comes back to `s` (rf_game.margin_progress). */
bool rf_makes_progress(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply);
uint64_t rf_hash(const rf_game *game, const void *ctx, const rf_state *s);
bool rf_equal(const rf_game *game, const rf_state *a, const rf_state *b);

/* Number of ply sequences of this depth (at most RF_MAX_PERFT). `table` may be NULL and may be shared by threads.
 * Incomplete if control->stopped. */
enum { RF_MAX_PERFT = 255 };
uint64_t rf_perft(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, rf_table *table,
                  rf_control *control);
/* The same with full lists at every node, the last ply included: the slow way that rf_perft is compared with. */
uint64_t rf_perft_lists(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth,
                        rf_control *control);
/* So many rounds of plain arithmetic, each waiting for the one before: a yardstick that benchmarks measure by. */
uint64_t rf_arithmetic(uint64_t rounds);

/* A table of 16-byte entries for counts, shared by threads without locks. NULL if memory ran out. */
rf_table *rf_table_new(uint64_t bytes);
void rf_table_free(rf_table *table);

/* cffi: end */

#endif
