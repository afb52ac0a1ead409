/* Sets of squares of a Siaius board.
 *
 * Idea: a square is rank * 10 + file on boards of every size, so one set of shifts serves all. Squares outside a
 * narrower board are masked out by the caller; only the step over the edge of ten files needs a mask here.
 *
 * Example: on a board of 8 files, si_east of h1 (7) gives bit 8, a square that si_squares(8, ranks) does not
 * contain. */
#ifndef RINGFEN_SIAIUS_BOARD_H
#define RINGFEN_SIAIUS_BOARD_H

#include "game.h"

__extension__ typedef unsigned __int128 si_set;

enum { SI_STRIDE = 10, SI_MAX_RANKS = 12, SI_MIN_SIZE = 3, SI_SQUARES = 120 };
enum { SI_SOUTH, SI_NORTH };
/* In the order of capturing: with the usual `beats` each ordinary kind captures the next, the last the first (S4). */
enum { SI_SUN, SI_MOON, SI_STAR, SI_CHAMPION, SI_KINDS };
enum { SI_HUFF_TURN, SI_HUFF_STONE, SI_HUFF_OFF };

static inline si_set si_bit(unsigned square) { return (si_set)1 << square; }

static inline unsigned si_popcount(si_set x) { return rf_popcount((uint64_t)x) + rf_popcount((uint64_t)(x >> 64)); }

static inline unsigned si_lsb(si_set x)
{
    return (uint64_t)x != 0 ? rf_lsb((uint64_t)x) : 64 + rf_lsb((uint64_t)(x >> 64));
}

/* The lowest `ranks` squares of the column of file a. */
static inline si_set si_column(unsigned ranks)
{
    /* Bits 0, 10, ..., 110: seven of them in the lower word. */
    const si_set all = (si_set)UINT64_C(0x1004010040100401) | (si_set)UINT64_C(0x0000401004010040) << 64;
    return all & (si_bit(ranks * SI_STRIDE) - 1);
}

static inline si_set si_squares(unsigned files, unsigned ranks)
{
    return si_column(ranks) * (((unsigned)1 << files) - 1);
}

#define SI_FILE_A si_column(SI_MAX_RANKS)
#define SI_NOT_FILE_A (~SI_FILE_A)
#define SI_NOT_FILE_J (~(SI_FILE_A << 9))

/* One step in each of the eight directions. What leaves the board is for the caller to mask. */
static inline si_set si_north(si_set x) { return x << 10; }
static inline si_set si_south(si_set x) { return x >> 10; }
static inline si_set si_east(si_set x) { return (x & SI_NOT_FILE_J) << 1; }
static inline si_set si_west(si_set x) { return (x & SI_NOT_FILE_A) >> 1; }
static inline si_set si_north_east(si_set x) { return (x & SI_NOT_FILE_J) << 11; }
static inline si_set si_north_west(si_set x) { return (x & SI_NOT_FILE_A) << 9; }
static inline si_set si_south_east(si_set x) { return (x & SI_NOT_FILE_J) >> 9; }
static inline si_set si_south_west(si_set x) { return (x & SI_NOT_FILE_A) >> 11; }

#define SI_FOR_EACH_STEP(X) \
    X(si_north) X(si_south) X(si_east) X(si_west) X(si_north_east) X(si_north_west) X(si_south_east) X(si_south_west)

/* The squares next to those of `x`, diagonally too. */
static inline si_set si_around(si_set x)
{
    si_set row = x | si_east(x) | si_west(x);
    return row | si_north(row) | si_south(row);
}

/* The squares of `targets` that champions on `from` reach, given the empty squares (S6). */
static inline si_set si_champion_reach(si_set from, si_set empty, si_set targets)
{
    si_set reach = 0;
#define SI_REACH(step) reach |= step(from) | step(step(from) & empty);
    SI_FOR_EACH_STEP(SI_REACH)
#undef SI_REACH
    return reach & targets;
}

#endif
