/* Types for the search for forced wins: rings without a side to move, paths, and groups of plies. threats.c finds
 * paths to a throne; wins.c answers the search.
 *
 * Idea 1: a path is a pattern, the squares that must be empty and the rings that must be present. A path that was found
 * once is a win in every position that matches its pattern.
 * Idea 2: the plies of a position fall into groups (gy_group): eleven rings that do not move, and a twelfth of one
 * height on any square of a set. One path over the eleven rings decides all squares of the set that it does not pass,
 * by one mask.
 * Example: the ring on b2 has ten empty ends. Its ten moves are one group: the other eleven rings, the height of the
 * ring, and a set of ten squares. */
#ifndef RINGFEN_GYGES_THREATS_H
#define RINGFEN_GYGES_THREATS_H

#include "gyges/gyges.h"

enum {
    GY_RING_GROUPS = 12, /* of one ring: its moves to empty squares, and eleven rings to displace */
    GY_MAX_GROUPS = 6 * GY_RING_GROUPS,
    GY_MAX_LAYERS = 13,  /* a path bounces on at most 12 rings before its last leg */
    GY_CACHED_PATHS = 8
};

/* The last fields of partial legs, by the direction of their last step. */
typedef struct {
    uint64_t east, west, north, south;
} gy_frontier;

static inline gy_frontier gy_restrict(gy_frontier f, uint64_t squares)
{
    return (gy_frontier){f.east & squares, f.west & squares, f.north & squares, f.south & squares};
}
static inline gy_frontier gy_unite(gy_frontier a, gy_frontier b)
{
    return (gy_frontier){a.east | b.east, a.west | b.west, a.north | b.north, a.south | b.south};
}
static inline uint64_t gy_frontier_squares(gy_frontier f) { return f.east | f.west | f.north | f.south; }

/* One more step in every direction except back, by these connections: `along` ranks (bits of their western squares)
 * and `across` ranks (bits of their southern squares). */
static inline gy_frontier gy_step(gy_frontier f, uint64_t along, uint64_t across)
{
    uint64_t vertical = f.north | f.south, horizontal = f.east | f.west;
    return (gy_frontier){((f.east | vertical) & along) << 1, ((f.west | vertical) >> 1) & along,
                      ((f.north | horizontal) & across) << 8, ((f.south | horizontal) >> 8) & across};
}

/* Requirements on a board: the squares of `mask` contain exactly the rings `low`, `high`. */
typedef struct {
    uint64_t mask, low, high;
} gy_pattern;

static inline uint64_t gy_mismatch(const gy_pattern *w, const gy_rings *r)
{
    return ((r->low ^ w->low) | (r->high ^ w->high)) & w->mask;
}

/* Squares and rings from which legs lead to a goal, a throne or a square, if each connection could be used again. */
typedef struct {
    uint64_t from[4];               /* by height: squares from which a leg ends on the goal or on a ring of `good` */
    uint64_t layers[GY_MAX_LAYERS]; /* rings that need at most 1, 2, ... legs */
    uint64_t good;                  /* the last layer: all rings that may reach the goal */
} gy_closure;

/* Searches backwards from the goal until it meets a ring of `until` (0: to the end). Legs may pass the squares of
 * `free` and land on the rings of `stops`. The search remembers only the last connection, so no leg turns straight
 * back; few paths fail for another reason. */
RF_PRIVATE void gy_find_closure(const gy_rings *r, uint64_t free, uint64_t stops, uint64_t goal, uint64_t until,
                                gy_closure *closure);

/* A superset of gy_ends in a fraction of its time. It remembers only the last connection of a path, so a few squares can
 * be too many. */
RF_PRIVATE uint64_t gy_ends_bound(const gy_position *p, unsigned from);

/* Whether the ring on `square` has a path to `goal`, and the pattern of the path. The pattern does not include that the
 * ring may move (G4). */
RF_PRIVATE bool gy_find_path(const gy_rings *r, unsigned square, uint64_t goal, const gy_closure *closure,
                            gy_pattern *path);

/* The latest paths to one throne that were found; the newest replaces the oldest. */
typedef struct {
    unsigned count;
    gy_pattern paths[GY_CACHED_PATHS];
} gy_path_cache;

RF_PRIVATE void gy_cache_path(gy_path_cache *known, const gy_pattern *path);

/* Whether `side`, to move, reaches the throne with this ply (G8). Then *path is the pattern, and *keep whether to cache
 * it. */
RF_PRIVATE bool gy_find_winning_path(const gy_rings *r, unsigned side, gy_pattern *path, bool *keep);

/* The positions after plies of one ring: eleven fixed rings, and a twelfth of one height on any square of a set. Equal
 * positions occur once: one ply leads to each square of `single`, and `times` plies lead to each square of `multiple`
 * (G10: plies that displace different rings are different, even if the positions are equal). */
typedef struct {
    gy_rings fixed;
    uint64_t replaced; /* the square on which the moving ring replaced a ring of another height, or 0 */
    uint64_t single, multiple;
    uint8_t height; /* of the twelfth ring: the displaced ring, or else the moving ring or one of the same height */
    uint8_t times;
    uint8_t from;
    uint8_t target; /* the square of the displaced ring; 0 if there is none */
} gy_group;

static inline uint64_t gy_group_squares(const gy_group *g) { return g->single | g->multiple; }

/* The position with the twelfth ring on this square. The goals are 1+1: they do not matter for one ply. */
static inline gy_position gy_group_position(const gy_group *g, uint64_t bit, unsigned side)
{
    gy_position p = {.rings = g->fixed, .side = (uint8_t)side, .goals = {1, 1}};
    gy_add(&p.rings, bit, g->height);
    return p;
}

/* How a set of squares is computed: exactly, or quickly as a superset, a subset, or the subset that the cached paths
 * give. GY_SOME is a superset that contains every square only if the exact set does:
 * it suffices to find one square outside the exact set. */
typedef enum { GY_EXACT, GY_UPPER_BOUND, GY_LOWER_BOUND, GY_CACHED_ONLY, GY_SOME } gy_bound_kind;

/* The squares of `squares` for the twelfth ring with which `side`, to move, reaches the throne at once. */
RF_PRIVATE uint64_t gy_group_wins(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side,
                                  gy_path_cache *known, gy_bound_kind kind);

/* Lists the groups of the plies of one ring that end on squares. Returns their number, at most GY_RING_GROUPS. */
RF_PRIVATE unsigned gy_list_ring_groups(const gy_position *p, unsigned from, uint64_t ends, gy_group *out);
/* A ply that leads to this square of the group. */
RF_PRIVATE rf_ply gy_group_ply(const gy_group *g, unsigned square);
/* Lists the groups of all rings that may move. *thrones gets the rings that reach the throne. */
RF_PRIVATE unsigned gy_list_groups(const gy_position *p, gy_group *out, uint64_t *thrones);

/* ---- wins.c ---- */

/* A ply that can be tried in other positions: the pattern that makes it legal, and its effect. */
typedef struct {
    gy_pattern needs;
    uint64_t from, to, drop;  /* bits; drop 0 if nothing is displaced */
    uint64_t drop_zone;       /* one of these squares must contain another ring, so that `drop` is legal (G7) */
    uint8_t height, displaced;
} gy_reply;

enum {
    GY_MAX_REPLIES = 40,
    GY_REFUTED_BITS = 14 /* 256 KiB, which fits into the L2 cache of a core */
};

typedef struct {
    uint32_t count;
    gy_reply replies[GY_MAX_REPLIES]; /* the latest first */
} gy_reply_list;

/* Replies that refuted a threat before, by the side that plays them: a threat to win at once, or within three plies.
 * `refuted` has positions in which such a reply prevents a win within four plies; a new one overwrites the old one. */
typedef struct {
    gy_reply_list at_once[2], in_three[2];
    gy_rings refuted[1 << GY_REFUTED_BITS]; /* rings of canonical positions, by their hash */
} gy_hints;

#endif
