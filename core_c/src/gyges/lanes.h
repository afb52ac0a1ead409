/* Gygès: the ways of one ring in all lanes of a group at once. lanes.c finds them for bulk_count.c.
 *
 * A lane is a square on which the twelfth ring of a group may stand; a set of lanes is a bit board. */
#ifndef RINGFEN_GYGES_LANES_H
#define RINGFEN_GYGES_LANES_H

#include "gyges/threats.h"

enum {
    GY_LANE_KEPT = 8,     /* landings that are kept for each ring, with their lanes */
    GY_LANE_BOUNCES = 24, /* landings on the twelfth ring that are kept for each lane */
    GY_LANE_QUEUE = 256,
    GY_LEG_WORDS = 3 * GY_LISTED_LEGS /* three for each */
};

/* Legs from one square for one height, in three arrays; at the end there may be legs that end nowhere, so that the
 * count is a multiple of four. The first `bounces` of them are all that end on a ring. */
typedef struct {
    const uint64_t *edges, *through, *end;
    uint32_t count, bounces;
} gy_free_legs;

/* The lists of one position, made as they are asked for. */
typedef struct {
    uint64_t rings; /* all, those included that may be lifted */
    uint64_t fixed; /* the others; no leg of a list passes them */
    uint64_t filled[4];
    uint32_t used;
    gy_free_legs lists[4][64];
    uint64_t words[GY_LEG_WORDS];
} gy_leg_lists;

/* For a position with these rings; no leg passes any but those that may be lifted. */
RF_PRIVATE void gy_start_lists(gy_leg_lists *lists, uint64_t rings, uint64_t lifted);

/* Where a ring of this height and of `side` on `from` can end its ply over the others: gy_ends, from lists of legs. */
RF_PRIVATE uint64_t gy_ends_by_lists(gy_leg_lists *lists, const gy_rings *others, unsigned from, unsigned height,
                                     unsigned side);

/* A landing with more connections used than one before leads nowhere new in the lanes of that one. */
typedef struct {
    uint64_t used, lanes;
} gy_lane_landing;

typedef struct {
    uint64_t used, path; /* connections, and rings bounced on, the one under way included */
    uint64_t lanes;
    uint8_t square, height;
} gy_lane_way;

typedef struct {
    uint64_t used, path;
} gy_bounce;

typedef struct {
    gy_leg_lists *lists;
    unsigned side;      /* whose ply it is */
    unsigned from;      /* the ring that moves */
    unsigned height;
    gy_rings rings;     /* the other ten */
    bool searched;      /* the search has come to its end */
    uint64_t alone;     /* lanes that must be searched alone */
    uint64_t places;    /* for a displaced ring in the other lanes */
    uint64_t ends;      /* as they are stepped on */
    uint64_t reach[64]; /* by end, the lanes in which it is reached */
    uint64_t partial;   /* ends that are not reached in all lanes searched alone */
    uint64_t bounced;   /* lanes with landings on the twelfth ring, */
    uint64_t overfull;  /* and those with too many */
    uint64_t landed;    /* rings with landings */
    uint64_t asked;     /* rings whose heights mattered */
    uint8_t kept_count[64], bounce_count[64];
    gy_lane_landing kept[64][GY_LANE_KEPT];
    gy_bounce bounces[64][GY_LANE_BOUNCES];
    gy_lane_way queue[GY_LANE_QUEUE];
} gy_lane_search;

/* Searches the ways of one ring over the eleven of a group. `lists` and `side` are set. */
RF_PRIVATE void gy_search_ring(gy_lane_search *w, const gy_group *g, unsigned from, uint64_t lanes);

/* The ends of w's ring in one lane of a group. Adds the rings whose heights mattered to *asked. */
RF_PRIVATE uint64_t gy_ends_in_lane(const gy_lane_search *w, const gy_group *g, uint64_t lane, uint64_t *asked);

#endif
