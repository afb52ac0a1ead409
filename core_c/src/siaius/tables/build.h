/* The generator of endgame tables: the structures that its files share. rows.c numbers the rows, exits.c finds what
 * captures and promotions give, build.c solves level by level, resume.c continues an interrupted build, and write.c
 * writes the values in the order of their class.
 *
 * Idea: see build.c.
 *
 * Invariants: a row fixes the squares of all stones but the fast one, whose squares are the bits of a set. One row is
 * kept of those that differ only by exchanging like stones or by the mirror; `rows` arrays exist for all rows, all
 * other arrays for kept rows. A thread writes only to its own kept rows.
 *
 * Example: in SvC the champion is the fast stone, so a row is a square of the sun, and bit 12 of its sets is the
 * champion on c2. */
#ifndef RINGFEN_SIAIUS_TABLES_BUILD_H
#define RINGFEN_SIAIUS_TABLES_BUILD_H

#include "control.h"
#include "siaius/tables/tables.h"

enum { SI_TB_DIRECTIONS = 8, SI_TB_NO_STEP = -1, SI_TB_NO_ROW = 0xffffffff, SI_TB_MAX_ORDERS = 120 };

/* Two sets of squares of the fast stone, in words of 64 bits. */
typedef struct si_tb_sets {
    uint64_t open[2]; /* not known to be won */
    uint64_t lost[2]; /* known to be lost */
} si_tb_sets;

typedef struct si_tb_step {
    int16_t near, far; /* offsets in the range of the stone, or SI_TB_NO_STEP */
    uint8_t over;      /* bit of the near square */
} si_tb_step;

typedef struct si_tb_stone {
    unsigned side, kind;
    unsigned first, squares; /* it is on squares [first, first + squares); its offset counts from `first` */
    uint64_t stride;         /* rows from one offset to the next; 0 for the fast stone */
    si_tb_step (*steps)[SI_TB_DIRECTIONS];
} si_tb_stone;

/* The positions with one side to move, by row or by kept row. */
typedef struct si_tb_side {
    si_tb_sets *rows;
    si_tb_sets *fresh;    /* kept rows: what the current level adds; `open` contains the wins */
    uint32_t *touched; /* kept rows with fresh values */
    uint64_t touched_count;
    si_set *safe;     /* kept rows: an exit draws or wins */
    si_set *stuck;    /* kept rows: no legal move; NULL if there are too few stones for that */
    uint64_t *levels; /* kept rows: bit n % 64: an exit wins in n */
    int16_t *scores;  /* kept rows, by bit: the best exit, 0 if none; then the value */
    /* By own stone: the score for the opponent after it is huffed, by the offsets of the others; NULL if not needed. */
    int16_t *huffed[SI_TB_STONES];
    si_tb_sets *huffed_rows[SI_TB_STONES];
    uint64_t huffed_levels[SI_TB_STONES][SI_TB_LAST / 64 + 1];
} si_tb_side;

/* The current row of a thread. */
typedef struct si_tb_row {
    uint64_t row, kept;
    uint8_t offset[SI_TB_STONES];
    uint8_t bit[SI_TB_STONES];
    si_set taken;  /* squares of the slow stones */
    bool possible; /* no two slow stones are on one square */
} si_tb_row;

/* The phases of a build; each can be shared among threads. */
typedef enum { SI_TB_STARTING, SI_TB_EXITS, SI_TB_HUFFS, SI_TB_STUCK, SI_TB_LEVEL } si_tb_phase;

typedef struct si_tb_build {
    rf_tb_build base; /* the first member: a pointer to one is a pointer to the other */
    const si_tables *tables;
    si_material material;
    unsigned stones, fast;
    si_tb_stone stone[SI_TB_STONES]; /* South's first */
    uint64_t rows;
    uint64_t row_scores; /* scores of a row, by bit */
    uint64_t kept;
    uint32_t *kept_of;                    /* by row: number of its kept row * 2, + 1 if mirrored; or SI_TB_NO_ROW */
    uint32_t *kept_row;                   /* by number: the row */
    uint8_t (*kept_offset)[SI_TB_STONES]; /* by number: the offsets of the slow stones */
    unsigned orders;                      /* ways to exchange like slow stones */
    uint8_t order[SI_TB_MAX_ORDERS][SI_TB_STONES];
    uint64_t huffed_rows[SI_TB_STONES];
    uint64_t huffed_stride[SI_TB_STONES][SI_TB_STONES];
    si_set board, fast_squares;
    bool huffs;  /* huffing is allowed */
    bool mixed;  /* both sides have several stones, so that huffs after quiet moves matter */
    si_tb_side halves[2];
    /* Both sides have the same stones, so North's half is South's with the board turned over: only its `rows` exist. */
    bool paired;
    uint32_t longest;
    si_tb_phase phase;
    unsigned huffing; /* SI_TB_HUFFS: the stone */
    int plies;        /* SI_TB_LEVEL */
    int exit_longest;
    bool missing; /* a class below is missing */
    bool resumed; /* the next step is that of the checkpoint */
    uint64_t begin; /* of that step */
    si_set around[SI_SQUARES];
    uint8_t between[SI_SQUARES][SI_SQUARES]; /* the square between two in line, SI_SQUARES if there is none */
    uint8_t bit_of[SI_SQUARES];
} si_tb_build;

static inline unsigned si_tb_square_of(const si_tb_build *b, unsigned bit)
{
    return bit / SI_STRIDE * b->tables->files + bit % SI_STRIDE;
}

/* The number of sides whose positions are solved, and the number of their stones. */
static inline unsigned si_tb_sides_solved(const si_tb_build *b) { return b->paired ? 1 : 2; }
static inline unsigned si_tb_stones_solved(const si_tb_build *b) { return b->stones / (b->paired ? 2 : 1); }

static inline si_set si_tb_as_set(const uint64_t *words) { return (si_set)words[1] << 64 | words[0]; }

static inline void si_tb_put_set(uint64_t *words, si_set x)
{
    words[0] = (uint64_t)x;
    words[1] = (uint64_t)(x >> 64);
}

static inline bool si_tb_is_prey(unsigned kind, unsigned victim)
{
    return kind == SI_CHAMPION || (victim != SI_CHAMPION && victim == (kind + 1) % 3);
}

/* ---- siaius/tables/rows.c ---- */

/* Numbers the stones and rows, and allocates memory; false if memory ran out. */
bool si_tb_prepare(si_tb_build *b, const si_tables *tables, si_material m);
void si_tb_set_row(const si_tb_build *b, uint64_t kept, si_tb_row *at);
/* The mirror image of a set. */
si_set si_tb_mirrored_set(const si_tb_build *b, si_set x);
/* The row of these offsets with like stones exchanged by `order`, mirrored or not. */
uint64_t si_tb_row_of(const si_tb_build *b, const uint8_t *offset, const uint8_t *order, bool mirrored);
/* The squares of the fast stone with which stone `x` can capture. */
si_set si_tb_capture_squares(const si_tb_build *b, const si_tb_row *at, unsigned x);

/* ---- siaius/tables/build.c ---- */

/* Opens every position. */
void si_tb_open_rows(si_tb_build *b);

/* ---- siaius/tables/exits.c ---- */

/* Finds the scores of captures and promotions in kept rows [from, to), and the scores after huffing stone `x` in the
 * rows [from, to) without it. Threads may process different rows at the same time. */
void si_tb_find_exits(si_tb_build *b, uint64_t from, uint64_t to, rf_control *control);
void si_tb_find_huffs(si_tb_build *b, unsigned x, uint64_t from, uint64_t to, rf_control *control);

#endif
