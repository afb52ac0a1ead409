/* The generator of endgame tables, shared by its files: rows (siaius/tables/rows.c), exits (siaius/tables/exits.c),
 * levels (siaius/tables/build.c), going on with a build (siaius/tables/resume.c), and values in the order of their class
 * (siaius/tables/write.c). */
#ifndef RINGFEN_SIAIUS_TABLES_BUILD_H
#define RINGFEN_SIAIUS_TABLES_BUILD_H

#include "control.h"
#include "siaius/tables/tables.h"

enum { TB_DIRECTIONS = 8, TB_NO_STEP = -1, TB_NO_ROW = 0xffffffff, TB_MOST_ORDERS = 120 };

/* Two sets of squares of the fast stone. */
typedef struct tb_sets {
    uint64_t open[2]; /* not won, as far as is known */
    uint64_t lost[2];
} tb_sets;

typedef struct tb_step {
    int16_t near, far; /* places in the stone's own numbering, TB_NO_STEP if there is none */
    uint8_t over;      /* bit of the near square */
} tb_step;

typedef struct tb_stone {
    unsigned side, kind;
    unsigned first, places; /* it stands on squares [first, first + places) */
    uint64_t stride;        /* rows from one place to the next; 0 for the fast stone */
    tb_step (*steps)[TB_DIRECTIONS];
} tb_stone;

/* A side's positions: South's or North's to move. By row, or by number of the kept row where it says so. */
typedef struct tb_half {
    tb_sets *rows;
    tb_sets *fresh;    /* kept rows: what the current level adds; `open` holds the wins */
    uint32_t *touched; /* kept rows with something fresh */
    uint64_t touched_count;
    si_set *safe;     /* kept rows: an exit draws or wins */
    si_set *stuck;    /* kept rows: no legal move; NULL if there are too few stones for it */
    uint64_t *levels; /* kept rows: bit n % 64: an exit wins in n */
    int16_t *scores;  /* kept rows, by bit: the best exit, 0 if none; then the value */
    /* By own stone: the score for the opponent after huffing it, by the places of the others; NULL if not needed. */
    int16_t *huffed[SI_TB_STONES];
    tb_sets *huffed_rows[SI_TB_STONES];
    uint64_t huffed_levels[SI_TB_STONES][SI_TB_LAST / 64 + 1];
} tb_half;

/* A row while it is worked on. */
typedef struct tb_row {
    uint64_t row, kept;
    uint8_t place[SI_TB_STONES];
    uint8_t bit[SI_TB_STONES];
    si_set taken;  /* squares of the slow stones */
    bool possible; /* no two of them on one square */
} tb_row;

/* What is done one after the other, each of them by several threads at the same time. */
typedef enum { TB_STARTING, TB_EXITS, TB_HUFFS, TB_STUCK, TB_LEVEL } tb_phase;

struct si_tb_build {
    const si_tables *tables;
    si_material material;
    unsigned stones, fast;
    tb_stone stone[SI_TB_STONES]; /* South's first */
    uint64_t rows;
    uint64_t row_scores; /* scores of a row, by bit */
    /* Of rows that differ only in the order of like stones or by the mirror, one is kept. */
    uint64_t kept;
    uint32_t *kept_of;                    /* by row: number of the kept one * 2, + 1 if mirrored; TB_NO_ROW */
    uint32_t *kept_row;                   /* by number: the row */
    uint8_t (*kept_place)[SI_TB_STONES];  /* by number: the places of the slow stones */
    unsigned orders;                      /* ways to exchange like slow stones */
    uint8_t order[TB_MOST_ORDERS][SI_TB_STONES];
    uint64_t huffed_rows[SI_TB_STONES];
    uint64_t huffed_stride[SI_TB_STONES][SI_TB_STONES];
    si_set board, fast_squares;
    bool huffs, mixed; /* huffing at all; both sides have several stones, so that huffs and quiet moves mix */
    tb_half halves[2];
    /* Both sides have the same stones, so North's half is South's with the board turned over: it has rows alone. */
    bool paired;
    uint32_t longest;
    tb_phase phase;
    unsigned huffing; /* TB_HUFFS: the stone */
    int plies;        /* TB_LEVEL */
    int exit_longest;
    bool missing; /* a class below is not there */
    bool resumed; /* the next step is the one of the mark */
    uint64_t begin; /* of that step */
    si_set around[SI_SQUARES];
    uint8_t between[SI_SQUARES][SI_SQUARES]; /* the square between two in line, SI_SQUARES if there is none */
    uint8_t bit_of[SI_SQUARES];
};

static inline unsigned tb_square_of(const si_tb_build *b, unsigned bit)
{
    return bit / SI_STRIDE * b->tables->files + bit % SI_STRIDE;
}

/* Sides whose positions are solved on their own, and how many stones these have. */
static inline unsigned tb_sides_solved(const si_tb_build *b) { return b->paired ? 1 : 2; }
static inline unsigned tb_stones_solved(const si_tb_build *b) { return b->stones / (b->paired ? 2 : 1); }

static inline si_set tb_as_set(const uint64_t *words) { return (si_set)words[1] << 64 | words[0]; }

static inline void tb_put_set(uint64_t *words, si_set x)
{
    words[0] = (uint64_t)x;
    words[1] = (uint64_t)(x >> 64);
}

static inline bool tb_is_prey(unsigned kind, unsigned victim)
{
    return kind == SI_CHAMPION || (victim != SI_CHAMPION && victim == (kind + 1) % 3);
}

/* ---- siaius/tables/rows.c ---- */

/* Numbers the stones and rows, and takes memory. False: there is none. */
bool tb_prepare(si_tb_build *b, const si_tables *tables, si_material m);
void tb_go_to(const si_tb_build *b, uint64_t kept, tb_row *at);
/* The set with the board mirrored. */
si_set tb_mirrored_set(const si_tb_build *b, si_set x);
/* The row of these places, in order or with like stones exchanged, and mirrored if asked. */
uint64_t tb_row_of(const si_tb_build *b, const uint8_t *place, const uint8_t *order, bool mirrored);
/* Where the fast stone must be for `x` to capture something. */
si_set tb_able(const si_tb_build *b, const tb_row *at, unsigned x);

/* ---- siaius/tables/build.c ---- */

/* At first every position is open. */
void tb_open_rows(si_tb_build *b);

/* ---- siaius/tables/exits.c ---- */

/* Fills in what captures and promotions give in kept rows [from, to), and what taking stone `x` off after a quiet move
 * gives in such rows without it. Threads may do different rows at the same time. */
void tb_find_exits(si_tb_build *b, uint64_t from, uint64_t to, rf_control *control);
void tb_find_huffs(si_tb_build *b, unsigned x, uint64_t from, uint64_t to, rf_control *control);

#endif
