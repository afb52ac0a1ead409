/* A GRAN board as the core uses it (R1): Python reads the board file and fills the first part; C checks it and adds
 * tables. It is the `ctx` of the game and does not change afterwards.
 *
 * Example: point 0 is the first in the order of names, usually a1: file[0] and rank[0] are 0, and neighbours[0] has a
 * bit for each point to which a line leads from there. */
#ifndef RINGFEN_GRAN_BOARD_H
#define RINGFEN_GRAN_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* cffi: begin */

enum { RF_GRAN_POINTS = 128, RF_GRAN_SIDE = 12, RF_GRAN_NO_POINT = 255 };
enum { RF_GRAN_TIRAD, RF_GRAN_URGAD, RF_GRAN_GALAD, RF_GRAN_ELGAD, RF_GRAN_WHITE };
enum {
    RF_GRAN_PLAIN,
    RF_GRAN_DRAGON,
    RF_GRAN_MAGIC_STONE,
    RF_GRAN_SWORD,
    RF_GRAN_CITY,
    RF_GRAN_START_BALL,
    RF_GRAN_RING_BALL
};

/* A set of points: point 0 is the lowest bit of `low`, point 64 that of `high`. */
typedef struct rf_gran_set {
    uint64_t low, high;
} rf_gran_set;

typedef struct rf_gran_board {
    /* From the board file. Points are numbered in the byte order of their names (a1, a10, a2, b1), so that going
     * through a set by rising number goes through texts in their order. */
    char name[256]; /* as after board=; empty for the default board */
    uint8_t files, ranks, points, stones, start, ring;
    uint8_t cards[7];
    uint8_t file[128], rank[128], realm[128], symbol[128];
    rf_gran_set neighbours[128];
    /* From here on filled by rf_gran_complete. */
    rf_gran_set all, plain, white, dragons, cities;
    rf_gran_set put[4];         /* where a ring lost in this realm can be put without figures and stones (R11) */
    rf_gran_set two_steps[128]; /* where a move of one or two points can end if nothing is in the way (R3) */
    /* Lines by stride: those from a point p of stride_from[i] to the point p + stride[i]. Boards with regular lines
     * have few strides; `strides` is 0 if there are more than 16, or one of 64 or more. */
    uint8_t strides, stride[16];
    rf_gran_set stride_from[16];
    uint8_t point_at[144];      /* by rank * 12 + file */
    uint8_t by_square[128];     /* the points in the order a1, b1, ..., a2, ... */
    uint8_t beyond_name[128];   /* the first point further on whose name does not begin with this point's name */
    uint16_t card_count;
    uint8_t steps[128][128]; /* points of the shortest path over anything; 255 if there is none */
    /* Lower bounds for the search, by number of players - 3. A turn costs as many plies as there are players, a won
     * fight two; `plies_to_city` is what a carrier needs from a point to a realm's city if nothing is in its way. */
    uint8_t plies_to_city[4][4][128];
    uint8_t banished_plies_to_city[4][4]; /* the least of them over all banishing points */
    uint8_t plies_between_cities[4];        /* the least from one city to another */
} rf_gran_board;

/* Checks the part that Python fills in, and adds the rest. Returns NULL or an error, which only a wrong caller sees:
 * Python reports errors in board files first. */
const char *rf_gran_complete(rf_gran_board *board);

/* cffi: end */

#endif
