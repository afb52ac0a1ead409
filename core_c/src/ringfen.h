/* The C interface of Ringfen for C programs, with solving/solving.h (docs/embedding.md). Everything else in this folder is
 * private. cffi reads the parts between the marker comments (build_ffi.py). */
#ifndef RINGFEN_H
#define RINGFEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cffi: begin */

/* The limits of the interface. rf_init rejects a game that declares more. */
enum {
    RF_STATE_SIZE = 128,      /* bytes of a state */
    RF_MAX_PLAYERS = 6,
    RF_MAX_PLIES = 4096,     /* legal plies in one position */
    RF_MAX_TEXT = 1024,      /* bytes of a position text, with its NUL */
    RF_MAX_PLY_TEXT = 24,    /* bytes of a ply text, with its NUL */
    RF_MAX_CHANCE_RESULTS = 64, /* different positions after one chance event */
    RF_MAX_PIECES = 192,     /* pieces, counters and options in a description */
    RF_MAX_COUNTERS = 32,
    RF_MAX_OPTIONS = 4,
    RF_MAX_PLY_KINDS = 16,
    RF_MAX_MARGIN = 100,     /* margins are -RF_MAX_MARGIN to RF_MAX_MARGIN */
    RF_MARGIN_PLIES = 128,    /* legal plies in one position of a game whose margins are searched */
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

/* Results of rf_outcome, besides the winner's number 1, 2, ... (1 is South, 2 North). */
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
    RF_STOPPED_CANCEL = 3,   /* the poll function or the cancel flag stopped it */
    RF_STOPPED_MEMORY = 4,   /* memory limit, or malloc failed */
    RF_STOPPED_OVERFLOW = 5, /* a number that exact arithmetic cannot hold */
    RF_STOPPED_ANSWERED = 6  /* another thread has the answer; no call returns with it */
};

typedef uint32_t rf_ply;

/* A position: a plain value. Each game defines the meaning of its bytes. */
typedef struct rf_state {
    uint64_t words[RF_STATE_SIZE / 8];
} rf_state;

/* What is wrong with a text. `reason` is a stable key, for which Python has a message; `args` are inserted into it. */
typedef struct rf_error {
    uint32_t kind;
    uint32_t at;      /* byte offset in the text */
    uint32_t length;  /* bytes concerned; 0: a place between bytes */
    char reason[RF_REASON_SIZE];
    char args[RF_ARGS][RF_ARG_SIZE];
} rf_error;

typedef struct rf_parsed_ply {
    rf_ply ply;
    uint32_t long_form;   /* 1 if the text names more than the short form does */
    const char *warning;  /* NULL, or a key as in rf_error.reason: the ply is legal, but its text deserves a warning */
} rf_parsed_ply;

/* Where a piece is. */
enum {
    RF_ON_SQUARE = 0,
    RF_ON_THRONE = 1, /* the throne of player `of` */
    RF_HELD = 2,      /* by the piece with the number `of` */
    RF_OFF_BOARD = 3  /* not on the board yet, or lifted off it for a moment */
};

/* Marks of a piece. */
enum {
    RF_MARK_REMOVABLE = 1,  /* the opponent may remove it before its next ply */
    RF_MARK_EXTRA_PLY = 2,  /* it may make another ply in this turn */
    RF_MARK_RESTING = 4     /* it may not move in its owner's next turn */
};

/* One thing on or beside the board. */
typedef struct rf_piece {
    const char *kind;   /* the game's word for it: "ring", "knight", "sun" */
    uint8_t owner;      /* player number; 0 for none */
    uint8_t value;      /* height or points of a ring, letter of a seal's realm; 0 where the kind says all */
    uint8_t place;      /* RF_ON_SQUARE, ... */
    uint8_t of;         /* see `place` */
    uint8_t file, rank; /* from 0; on squares */
    uint8_t marks;      /* RF_MARK_* */
    uint8_t unused;
} rf_piece;

/* A number in the position text, besides pieces. */
typedef struct rf_counter {
    const char *name; /* "goals", "hand", "cards" */
    uint8_t player;   /* its player; 0 for none */
    uint8_t index;    /* distinguishes counters of one name: the value of a card */
    uint16_t number;
} rf_counter;

/* An option of the position text that is not at its default. */
typedef struct rf_option {
    const char *name, *value;
} rf_option;

/* All that a position text says, without its notation. Two positions with one context have the same description if and
 * only if they are equal. Words live as long as the core, those from a context as long as that. */
typedef struct rf_description {
    uint8_t files, ranks;
    uint8_t players, player; /* the number of players, the player to act */
    const char *phase;       /* the kind of the next ply: "move", "setup", ..., "over" */
    uint16_t piece_count, counter_count, option_count;
    rf_piece pieces[RF_MAX_PIECES];
    rf_counter counters[RF_MAX_COUNTERS];
    rf_option options[RF_MAX_OPTIONS];
} rf_description;

/* Limits and progress of a long call. */
typedef struct rf_control {
    /* in: filled by the caller */
    uint64_t node_limit;                /* 0: none */
    double seconds;                     /* 0: none */
    int (*poll)(struct rf_control *);   /* called about 20 times a second if not NULL; not 0 means stop */
    void *handle;                       /* for poll */
    int *cancel;                        /* if not NULL: set to 1 from another thread to stop */
    /* out: reset by rf_control_start */
    uint64_t nodes;                     /* positions visited so far */
    uint64_t done, total;               /* progress in units of the method; total 0: not known */
    int depth;                          /* current iteration */
    int lower, upper;                   /* proven bounds for the side to move; lower > upper: not known */
    int stopped;                        /* RF_DONE or RF_STOPPED_* */
    /* private to the core; also set by rf_control_start */
    uint64_t next_check;                /* nodes at which control.c looks at clock, flags and poll again */
    double started, next_poll;          /* times of rf_now */
    const int *answered;                /* if not NULL: set by another thread that has the answer */
    unsigned shown_depth;               /* perft: nodes of at least this depth report their share of the count */
    uint64_t share;                     /* perft: the part of total that the current node stands for */
} rf_control;

/* Resets all members that the caller does not fill. rf_perft, rf_perft_kinds and rf_solve call it themselves. */
void rf_control_start(rf_control *control);

typedef struct rf_game rf_game;
typedef struct rf_table rf_table;

/* ---- the games ---- */

/* Chooses the instruction set, fills tables and checks that every game keeps the limits. Call it once, before anything
 * else. `plain`: use no vector instructions. Returns NULL, or the id of the first game that breaks a limit. */
const char *rf_init(bool plain);
/* Returns "x86-64-v3" or "baseline". */
const char *rf_instruction_set(void);
/* Returns game number `index`, from 0; NULL beyond the last. */
const rf_game *rf_game_at(int index);
/* Returns the id, as position texts begin with. */
const char *rf_game_id(const rf_game *game);
/* Returns the text of the usual start position. */
const char *rf_game_start(const rf_game *game);
/* Returns the kind of the game's values, RF_SOLVER_*. */
int rf_game_solver(const rf_game *game);
/* Whether the game's functions need a context: in GRAN a board (gran/board.h). For other games `ctx` is NULL. */
bool rf_game_needs_context(const rf_game *game);
/* Return the game's own limits, at most RF_STATE_SIZE, RF_MAX_PLIES, RF_MAX_TEXT and RF_MAX_PLY_TEXT. */
uint32_t rf_game_state_size(const rf_game *game);
uint32_t rf_game_max_plies(const rf_game *game);
uint32_t rf_game_max_text(const rf_game *game);
uint32_t rf_game_max_ply_text(const rf_game *game);

/* ---- texts: texts that are read need no NUL at their end; those that are written end with one ---- */

/* Reads a position, which begins with the game's id. Returns false and fills `*error` if the text is malformed or impossible. */
bool rf_parse(const rf_game *game, const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
/* Writes the text of a position into `out` (rf_game_max_text bytes). Returns its length without the NUL. */
size_t rf_format(const rf_game *game, const void *ctx, const rf_state *s, char *out);
/* Describes what the position text says, for drawings. */
void rf_describe(const rf_game *game, const void *ctx, const rf_state *s, rf_description *out);
/* Reads a ply, in its short or a longer form. Returns false and fills `*error` if it is malformed or illegal. */
bool rf_parse_ply(const rf_game *game, const void *ctx, const rf_state *s, const char *text, size_t length,
                  rf_parsed_ply *out, rf_error *error);
/* Writes the short form of a legal ply into `out` (rf_game_max_ply_text bytes). Returns its length without the NUL. */
size_t rf_format_ply(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, char *out);
/* The same with the places that the ply passes on a short path, such as bounces (RF_MAX_PLY_TEXT bytes). */
size_t rf_format_path(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, char *out);

/* ---- plies ---- */

/* Writes all legal plies in the order of the generator into `out` (rf_game_max_plies entries). Returns their number. */
size_t rf_plies(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *out);
/* Writes all legal plies in the byte order of their short forms into `out` (rf_game_max_plies entries). Returns their
 * number; -1 if memory ran out. */
int64_t rf_sorted_plies(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *out);
/* The same with the positions after them. `plies` and `states` have rf_count_plies entries. */
int64_t rf_successors(const rf_game *game, const void *ctx, const rf_state *s, rf_ply *plies, rf_state *states);
/* Returns the number of legal plies. */
uint64_t rf_count_plies(const rf_game *game, const void *ctx, const rf_state *s);
/* Writes the position after a legal ply. `out` is not `s`. */
void rf_apply(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply, rf_state *out);
/* Writes the position after a null ply, which records allow in variations. Returns false and fills `*error` if none is
 * legal here. */
bool rf_null_ply(const rf_game *game, const void *ctx, const rf_state *s, rf_state *out, rf_error *error);
/* Whether the next ply is a chance event, such as a die. */
bool rf_is_chance(const rf_game *game, const void *ctx, const rf_state *s);
/* Returns the weight of a result of a chance event: its probability is the weight divided by the sum of all weights. */
uint32_t rf_weight(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply);
/* Whether a legal ply captures, displaces and removes nothing. */
bool rf_is_quiet(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply);

/* ---- positions ---- */

/* Returns RF_OUTCOME_NONE, RF_OUTCOME_DRAW, or the number of the winner. */
int rf_outcome(const rf_game *game, const void *ctx, const rf_state *s);
/* Returns the number of the player to act, from 1. */
unsigned rf_player(const rf_game *game, const void *ctx, const rf_state *s);
/* Returns the number of players. */
unsigned rf_players(const rf_game *game, const void *ctx, const rf_state *s);
/* Whether the position text shows that the player's turn has begun. */
bool rf_mid_turn(const rf_game *game, const void *ctx, const rf_state *s);
/* Returns a hash of 64 bits. Equal positions have equal hashes. */
uint64_t rf_hash(const rf_game *game, const void *ctx, const rf_state *s);
/* Whether two positions are equal. */
bool rf_equal(const rf_game *game, const rf_state *a, const rf_state *b);
/* Writes one of the positions that are symmetric to `s`, the same for each of them. `out` is not `s`. */
void rf_canonical(const rf_game *game, const void *ctx, const rf_state *s, rf_state *out);
/* Whether two positions have boards of the same size and as many players. */
bool rf_same_board(const rf_game *game, const void *ctx, const rf_state *a, const rf_state *b);

/* ---- searches ---- */

/* The most plies that a search for a win may be asked to look ahead. */
enum { RF_WIN_MAX_PLIES = 200 };

enum { RF_MAX_PERFT = 255 };
/* Returns the number of ply sequences of this depth (at most RF_MAX_PERFT). `table` may be NULL and may be shared by threads.
 * Incomplete if control->stopped. */
uint64_t rf_perft(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, rf_table *table,
                  rf_control *control);
/* The words for kinds of plies that the game counts, such as "captures", by index from 0; NULL beyond the last. */
const char *rf_game_ply_kind(const rf_game *game, unsigned index);
/* Writes the number of sequences of this depth (1 to RF_MAX_PERFT) that end with a ply of each kind into `counts`
 * (RF_MAX_PLY_KINDS entries; NULL: only counts sequences). A ply can be of several kinds or of none. It lists the plies
 * of every node, so it checks rf_perft. Returns the number of sequences; incomplete if control->stopped. */
uint64_t rf_perft_kinds(const rf_game *game, const void *ctx, const rf_state *s, unsigned depth, uint64_t *counts,
                        rf_control *control);
/* A table of 16-byte entries, shared by threads without locks. NULL if memory ran out. */
rf_table *rf_table_new(uint64_t bytes);
/* The same, but it begins small and grows up to this size as entries come. */
rf_table *rf_table_new_growing(uint64_t bytes);
void rf_table_free(rf_table *table);

/* The longest horizon of games of chance, in plies. */
enum { RF_MAX_HORIZON = 255 };

/* Fractions of one denominator: numerators by player. Each number as low and high half. In a result also the mask:
 * the bits of the position that its proof has read, as the solver of the game defines them (gran/solver/masks.h). */
typedef struct rf_chances {
    uint64_t den[2];
    uint64_t num[RF_MAX_PLAYERS][2];
    uint64_t mask[3];
} rf_chances;

/* cffi: end */

#endif
