/* What the search for forced wins works with: rings alone, without a side to play, and sets of plies.
 * threats.c finds ways to a throne, wins.c answers the search. */
#ifndef RINGFEN_GYGES_THREATS_H
#define RINGFEN_GYGES_THREATS_H

#include "gyges/gyges.h"

enum {
    GY_MAX_GROUPS = 6 * 12, /* for each of six rings: its empty ends, and eleven rings to displace */
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

/* Walks backwards from the goal until it comes to one of the rings `until`, or everywhere. `free` are squares that can
 * be passed, `stops` rings that can be landed on. Of the connections used only the last is known at each step, so that
 * no walk turns back at once; hardly any way fails for another reason. */
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

/* Eleven rings, and a twelfth of this height on one of `squares`. */
typedef struct {
    gy_rings fixed;
    uint64_t squares;
    uint64_t ends;   /* squares that are reached by moving there; the others by displacing an equal ring */
    uint8_t height, from, target; /* target 0: the moving ring is the twelfth */
    uint8_t equal;   /* a ring of the same height that can be displaced, or 0 */
} gy_group;

/* Sets of squares are found exactly, or quickly: then as a lower bound (squares that are in for certain) or an upper
 * bound (all that may be in). */
typedef enum { GY_EXACT, GY_LOWER_BOUND, GY_UPPER_BOUND } gy_bound_kind;

/* Those of `squares` with which `side`, to move, reaches the throne at once. */
RF_PRIVATE uint64_t gy_group_wins(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side,
                                  gy_known *known, gy_bound_kind kind);

/* The plies of one ring as groups; plies that make equal positions come once. */
RF_PRIVATE unsigned gy_groups_of_ring(const gy_position *p, unsigned from, uint64_t ends, gy_group *out);
RF_PRIVATE rf_ply gy_group_ply(const gy_group *g, unsigned square);
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
