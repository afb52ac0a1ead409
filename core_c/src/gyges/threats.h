/* What the search for forced wins works with: rings alone, without a side to play, and sets of plies.
 * threats.c finds ways to a throne, wins.c answers the search. */
#ifndef RINGFEN_GYGES_THREATS_H
#define RINGFEN_GYGES_THREATS_H

#include "gyges/gyges.h"

enum {
    GY_RING_GROUPS = 12, /* of one ring: its empty ends, and eleven rings to displace */
    GY_MAX_GROUPS = 6 * GY_RING_GROUPS,
    GY_MAX_LAYERS = 13,
    GY_KEPT_WAYS = 8
};

/* Fields that a walk has come to, by the direction of its last step. */
typedef struct {
    uint64_t east, west, north, south;
} gy_front;

static inline gy_front gy_within(gy_front f, uint64_t squares)
{
    return (gy_front){f.east & squares, f.west & squares, f.north & squares, f.south & squares};
}
static inline gy_front gy_join(gy_front a, gy_front b)
{
    return (gy_front){a.east | b.east, a.west | b.west, a.north | b.north, a.south | b.south};
}
static inline uint64_t gy_anywhere(gy_front f) { return f.east | f.west | f.north | f.south; }

/* One step on in any direction but back, by connections along ranks (bits of their western squares) and across them
 * (bits of their southern squares). */
static inline gy_front gy_step_by(gy_front f, uint64_t along, uint64_t across)
{
    uint64_t vertical = f.north | f.south, horizontal = f.east | f.west;
    return (gy_front){((f.east | vertical) & along) << 1, ((f.west | vertical) >> 1) & along,
                      ((f.north | horizontal) & across) << 8, ((f.south | horizontal) >> 8) & across};
}

/* A set of requirements on a board: on the squares of `mask` there must lie exactly the rings `low`, `high`. */
typedef struct {
    uint64_t mask, low, high;
} gy_pattern;

static inline uint64_t gy_misfit(const gy_pattern *w, const gy_rings *r)
{
    return ((r->low ^ w->low) | (r->high ^ w->high)) & w->mask;
}

/* Squares and rings from which legs lead to the goal, a throne or a square, if connections could be used again. */
typedef struct {
    uint64_t from[4];              /* by height: where a leg of it ends on the goal or on a ring of `good` */
    uint64_t layers[GY_MAX_LAYERS]; /* rings that need at most 1, 2, ... legs */
    uint64_t good;                 /* the last of them */
} gy_closure;

/* Searches backwards from the goal until it meets a ring of `until` (0: to the end). `free` are squares that can be
 * passed, `stops` rings that can be landed on. Only the last connection used is remembered, so a walk never turns
 * straight back; few ways fail for any other reason. */
RF_PRIVATE void gy_find_closure(const gy_rings *r, uint64_t free, uint64_t stops, uint64_t goal, uint64_t until,
                                gy_closure *closure);

/* Whether the ring on `square` has a way to `goal`, and what the way needs beside its being that ring's turn. */
RF_PRIVATE bool gy_find_way(const gy_rings *r, unsigned square, uint64_t goal, const gy_closure *closure,
                            gy_pattern *way);

/* Ways to one throne that have been found; the newest replaces the oldest. */
typedef struct {
    unsigned count;
    gy_pattern ways[GY_KEPT_WAYS];
} gy_known;

RF_PRIVATE void gy_keep(gy_known *known, const gy_pattern *way);

/* Whether `side`, to move, reaches the throne with this ply. */
RF_PRIVATE bool gy_reaches(const gy_rings *r, unsigned side, gy_pattern *way, bool *keep);

/* Positions after plies of one ring: eleven rings that stand still, and a twelfth of one height on any square of a set.
 * Equal positions are there once: to each square of `once` leads one ply, to each of `often` lead `times` plies (G10:
 * plies that differ in the ring displaced are different, even where the positions are equal). */
typedef struct {
    gy_rings fixed;
    uint64_t replaced; /* of the eleven, the moving ring in the place of a displaced one of another height; or 0 */
    uint64_t once, often;
    uint8_t height; /* of the twelfth: of the displaced ring, or of the moving one and those equal to it */
    uint8_t times;
    uint8_t from;
    uint8_t target; /* square of a displaced ring; 0 if none is */
} gy_group;

static inline uint64_t gy_squares_of(const gy_group *g) { return g->once | g->often; }

/* The position with the twelfth ring on this square. Its goals are 1+1: they do not matter for one ply. */
static inline gy_position gy_group_position(const gy_group *g, uint64_t bit, unsigned side)
{
    gy_position p = {.rings = g->fixed, .side = (uint8_t)side, .goals = {1, 1}};
    gy_add(&p.rings, bit, g->height);
    return p;
}

/* Sets of squares are found exactly, or quickly: then as a lower bound (squares that are in for certain) or an upper
 * bound (all that may be in). */
typedef enum { GY_EXACT, GY_LOWER_BOUND, GY_UPPER_BOUND } gy_bound_kind;

/* Those of `squares` with which `side`, to move, reaches the throne at once. */
RF_PRIVATE uint64_t gy_group_wins(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side,
                                  gy_known *known, gy_bound_kind kind);

/* The groups of the plies of one ring that end on squares, at most GY_RING_GROUPS; how many. */
RF_PRIVATE unsigned gy_groups_of_ring(const gy_position *p, unsigned from, uint64_t ends, gy_group *out);
/* One of the plies that lead to this square. */
RF_PRIVATE rf_ply gy_group_ply(const gy_group *g, unsigned square);
/* The groups of all rings that may move; *thrones gets those that reach the throne. */
RF_PRIVATE unsigned gy_groups(const gy_position *p, gy_group *out, uint64_t *thrones);

/* ---- wins.c ---- */

/* A ply as something that can be tried in other positions: what it needs, and what it does. */
typedef struct {
    gy_pattern needs;
    uint64_t from, to, drop;  /* bits; drop 0 if nothing is displaced */
    uint64_t drop_zone;       /* one of these squares must hold another ring then (G7) */
    uint8_t height, displaced;
} gy_reply;

enum { GY_KEPT_REPLIES = 24 };

typedef struct {
    uint32_t count;
    gy_reply replies[GY_KEPT_REPLIES]; /* the latest first */
} gy_reply_list;

/* Answers that refuted before, by the side that makes them: of a threat to win at once, and of one to win in three. */
typedef struct {
    gy_reply_list at_once[2], in_three[2];
} gy_hints;

#endif
