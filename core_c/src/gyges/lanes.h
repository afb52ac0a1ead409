/* Gygès: the paths of one ring in all positions of a group at once, for bulk_count.c.
 *
 * Idea: the positions of a group (gy_group) differ only in the square of the twelfth ring. That square is the lane of
 * the position, and a bit board is a set of lanes. One search over the other eleven rings carries, with each path, the
 * lanes in which the path is free: those whose square it does not pass (G5).
 * Invariants: a full buffer never loses an end; it only sends lanes to a slower search.
 * Example: the twelfth ring is on c3 or d4. A path of the ring on a1 over a2 and a3 is free in both lanes. A path over
 * c3 is free in the lane of d4 only. A leg that ends on c3 lands on the twelfth ring in the lane of c3 and bounces
 * (G6); gy_ends_in_lane continues the search in that lane. */
#ifndef RINGFEN_GYGES_LANES_H
#define RINGFEN_GYGES_LANES_H

#include "gyges/threats.h"

/* Sizes of the buffers of a search. A full buffer costs time but loses nothing. */
enum {
    GY_MAX_LANE_LANDINGS = 8, /* stored landings of each ring */
    GY_MAX_LANE_BOUNCES = 24, /* stored landings on the twelfth ring in each lane */
    GY_LANE_QUEUE = 256,
    GY_LEG_WORDS = 3 * GY_LISTED_LEGS /* edges, through and end of each leg */
};

/* Legs of one height from one square, in three arrays. The first `bounces` legs contain all that end on a ring. The
 * count is a multiple of four; the legs that fill it up have no end. */
typedef struct {
    const uint64_t *edges, *through, *end;
    uint32_t count, bounces;
} gy_free_legs;

/* The leg lists of one position. gy_get_legs fills a list on first use. */
typedef struct {
    uint64_t rings; /* all rings */
    uint64_t fixed; /* rings that are never lifted: no listed leg passes them */
    uint64_t filled[4]; /* squares whose list is filled, by height */
    uint32_t used;      /* words in use */
    gy_free_legs lists[4][64];
    uint64_t words[GY_LEG_WORDS];
} gy_leg_lists;

/* Prepares the lists for a position with these rings. Legs may pass the rings of `lifted`, but no other rings. */
RF_PRIVATE void gy_init_leg_lists(gy_leg_lists *lists, uint64_t rings, uint64_t lifted);

/* The ends that a ring of this height on `from` reaches for `side`, with the `others` on the board. Same result as
 * gy_ends. */
RF_PRIVATE uint64_t gy_ends_by_lists(gy_leg_lists *lists, const gy_rings *others, unsigned from, unsigned height,
                                     unsigned side);

/* A landing on a ring: the connections used so far, and the lanes in which it happened. A later landing that uses all
 * these connections reaches no new end in these lanes. */
typedef struct {
    uint64_t used, lanes;
} gy_lane_landing;

/* A partial path in the queue of the search. */
typedef struct {
    uint64_t used;    /* connections */
    uint64_t visited; /* rings landed on */
    uint64_t lanes;   /* in which the path is free */
    uint8_t square, height; /* of the last ring landed on */
} gy_lane_path;

/* A landing on the twelfth ring. */
typedef struct {
    uint64_t used, visited;
} gy_bounce;

typedef struct {
    gy_leg_lists *lists;
    unsigned side;         /* the side to move */
    unsigned from;         /* the moving ring */
    unsigned height;
    gy_rings rings;        /* the other ten of the eleven fixed rings */
    bool searched;         /* false if the queue was too short: all lanes are separate */
    uint64_t separate;     /* lanes that gy_ends_in_lane must search one by one */
    uint64_t drop_count;   /* squares for a displaced ring in each of the other lanes (G7) */
    uint64_t ends;         /* of legs: squares, and fields behind a throne's rank */
    uint64_t reach[64];    /* by end, the lanes in which it is reached */
    uint64_t partial;      /* ends that are not reached in all separate lanes */
    uint64_t bounced;      /* lanes with landings on the twelfth ring */
    uint64_t overflowed;   /* lanes with more landings than `bounces` has room for */
    uint64_t landed;       /* rings with landings */
    uint64_t dependencies; /* rings whose heights the result depends on */
    uint8_t landing_count[64], bounce_count[64];
    gy_lane_landing landings[64][GY_MAX_LANE_LANDINGS]; /* by square of the ring */
    gy_bounce bounces[64][GY_MAX_LANE_BOUNCES];         /* by lane */
    gy_lane_path queue[GY_LANE_QUEUE];
} gy_lane_search;

/* Searches the paths of the ring on `from` in all `lanes` of a group. The caller has set `lists` and `side`. */
RF_PRIVATE void gy_search_ring(gy_lane_search *w, const gy_group *g, unsigned from, uint64_t lanes);

/* The ends that the ring of `w` reaches in one lane of a group. Adds the rings whose heights the result depends on to
 * *dependencies. */
RF_PRIVATE uint64_t gy_ends_in_lane(const gy_lane_search *w, const gy_group *g, uint64_t lane, uint64_t *dependencies);

#endif
