/* GRAN (rules R1 to R14 in core_c/rules/gran.md): the state, and the functions that the files of the game
 * share. Three to six players play with chance on a board, which is the context.
 *
 * Idea: sets of points are 128-bit numbers (gr_set); gr_neighbours_of_set shifts a set by the strides of the board.
 * Invariants: a state has no padding, so equal positions have equal bytes; figure[i] has two bits of amulets, four of
 * seals and one of the fetter.
 * Example: player 1 carries the ring if `ring` is GR_CARRIED | 0; with two amulets and the seal of the second realm,
 * figure[0] is 2 | 2 << GR_SEAL_SHIFT. */
#ifndef RINGFEN_GRAN_H
#define RINGFEN_GRAN_H

#include "game.h"
#include "gran/board.h"

__extension__ typedef unsigned __int128 gr_set;

enum {
    GR_PLAYERS = 6,
    GR_CARDS = 7,
    GR_DIE = 6,
    GR_AMULETS = 3,
    GR_CHANCE_RESULTS = GR_CARDS * GR_DIE,
    GR_USUAL_SEALS = 3,
    GR_NOWHERE = 0xff, /* a figure before its first move */
    GR_PENDING = 0xff, /* the ring while its carrier is about to put it */
    GR_CARRIED = 0x80  /* the ring: this plus the index of its carrier */
};

/* A figure's byte: amulets, seals, fetter. */
enum { GR_AMULET_MASK = 3, GR_SEAL_SHIFT = 2, GR_SEAL_MASK = 15 << GR_SEAL_SHIFT, GR_FETTER = 64 };

enum { GR_IN_MOVE, GR_IN_FIGHT, GR_IN_EXTRA, GR_IN_RING, GR_IN_STONE, GR_IN_SWORD, GR_OVER, GR_PHASES };

typedef struct RF_MAY_ALIAS gr_state {
    rf_gran_set stones;
    uint8_t point[GR_PLAYERS];
    uint8_t figure[GR_PLAYERS];
    uint8_t deck[GR_CARDS];
    uint8_t ring;
    uint8_t player; /* index of the player to act */
    uint8_t phase;
    uint8_t players;
    uint8_t seals; /* needed to win (R13): 1 to 4 */
} gr_state;

_Static_assert(sizeof(gr_state) == 40 && sizeof(gr_state) <= RF_STATE_SIZE, "a state has no padding");

/* A ply: its kind in bits 0 to 3, GR_VIA_RING, and two numbers in bits 8 to 15 and 16 to 23. */
enum {
    GR_MOVE,   /* arrival */
    GR_ATTACK, /* arrival, where the other figure goes */
    GR_PUT,    /* point */
    GR_PLACE,  /* point */
    GR_SHIFT,  /* from, to: a stone moved by the sword */
    GR_STAY,
    GR_REST,
    GR_PASS,
    GR_CHANCE /* card, die */
};
enum { GR_VIA_RING = 16 }; /* the move takes the ring in passing */

static inline rf_ply gr_ply(unsigned kind, unsigned a, unsigned b) { return kind | a << 8 | b << 16; }
static inline unsigned gr_ply_kind(rf_ply ply) { return ply & 15; }
static inline unsigned gr_ply_first(rf_ply ply) { return ply >> 8 & 255; }
static inline unsigned gr_ply_second(rf_ply ply) { return ply >> 16; }

/* ---- sets of points ---- */

static inline gr_set gr_set_of(rf_gran_set set) { return (gr_set)set.high << 64 | set.low; }
static inline rf_gran_set gr_store_set(gr_set set) { return (rf_gran_set){(uint64_t)set, (uint64_t)(set >> 64)}; }
static inline gr_set gr_bit(unsigned point) { return (gr_set)1 << point; }
static inline gr_set gr_points_from(unsigned point) { return point < RF_GRAN_POINTS ? ~(gr_set)0 << point : 0; }
static inline bool gr_has(gr_set set, unsigned point) { return (set >> point & 1) != 0; }
static inline unsigned gr_popcount(gr_set set)
{
    return rf_popcount((uint64_t)set) + rf_popcount((uint64_t)(set >> 64));
}

static inline unsigned gr_lsb(gr_set set)
{
    uint64_t low = (uint64_t)set;
    return low != 0 ? rf_lsb(low) : 64 + rf_lsb((uint64_t)(set >> 64));
}

static inline unsigned gr_pop_lsb(gr_set *set)
{
    unsigned point = gr_lsb(*set);
    *set &= *set - 1;
    return point;
}

static inline gr_set gr_neighbours(const rf_gran_board *b, unsigned point) { return gr_set_of(b->neighbours[point]); }

/* All neighbours of the points of a set. */
static inline gr_set gr_neighbours_of_set(const rf_gran_board *b, gr_set set)
{
    gr_set around = 0;
    if (b->strides == 0) {
        while (set != 0)
            around |= gr_neighbours(b, gr_pop_lsb(&set));
        return around;
    }
    uint64_t low = (uint64_t)set, high = (uint64_t)(set >> 64), out_low = 0, out_high = 0;
    for (unsigned i = 0; i < b->strides; i++) {
        unsigned stride = b->stride[i], rest = 64 - stride;
        uint64_t from_low = b->stride_from[i].low, from_high = b->stride_from[i].high;
        out_low |= (low & from_low) << stride | ((low >> stride | high << rest) & from_low);
        out_high |= (high & from_high) << stride | (low & from_low) >> rest | (high >> stride & from_high);
    }
    return (gr_set)out_high << 64 | out_low;
}

/* ---- parts of a state ---- */

static inline bool gr_on_board(unsigned ring) { return ring < RF_GRAN_POINTS; }
static inline gr_set gr_ring_point(const gr_state *s) { return gr_on_board(s->ring) ? gr_bit(s->ring) : 0; }
static inline bool gr_carries(const gr_state *s, unsigned player) { return s->ring == (GR_CARRIED | player); }
static inline unsigned gr_amulets(const gr_state *s, unsigned player) { return s->figure[player] & GR_AMULET_MASK; }
static inline bool gr_fettered(const gr_state *s, unsigned player) { return (s->figure[player] & GR_FETTER) != 0; }

static inline unsigned gr_seals(const gr_state *s, unsigned player)
{
    return rf_popcount(s->figure[player] & GR_SEAL_MASK);
}

static inline gr_set gr_figures(const gr_state *s)
{
    gr_set set = 0;
    for (unsigned i = 0; i < s->players; i++)
        if (s->point[i] != GR_NOWHERE)
            set |= gr_bit(s->point[i]);
    return set;
}

static inline gr_set gr_others(const gr_state *s)
{
    gr_set set = 0;
    for (unsigned i = 0; i < s->players; i++)
        if (i != s->player && s->point[i] != GR_NOWHERE)
            set |= gr_bit(s->point[i]);
    return set;
}

/* The point from which a figure moves; the start if it has not entered the board (R2). */
static inline unsigned gr_point_of(const rf_gran_board *b, const gr_state *s, unsigned player)
{
    return s->point[player] == GR_NOWHERE ? b->start : s->point[player];
}

static inline unsigned gr_origin(const rf_gran_board *b, const gr_state *s) { return gr_point_of(b, s, s->player); }

static inline bool gr_lacks_seal(const gr_state *s, unsigned player, unsigned realm)
{
    return (s->figure[player] >> GR_SEAL_SHIFT >> realm & 1) == 0;
}

/* Whether the acting figure may still move in this turn (R3, R8, R9). */
static inline bool gr_may_move(const gr_state *s)
{
    return s->phase == GR_IN_FIGHT || s->phase == GR_IN_EXTRA ||
           (s->phase == GR_IN_MOVE && !gr_fettered(s, s->player));
}

/* ---- moves (R3 to R6) ---- */

/* The moves of the acting figure: [0] without, [1] with taking the ring in passing. */
typedef struct gr_moves {
    gr_set quiet[2];
    gr_set attacks[2];
    gr_set banish[2]; /* where an attacked figure can go */
} gr_moves;

/* Whether the acting figure passes over everything: the carrier of the ring (R3), and after a won fight (R8). */
static inline bool gr_passes_everything(const gr_state *s)
{
    return s->phase == GR_IN_EXTRA || gr_carries(s, s->player);
}

/* Points that can be passed over, except the ring's: a figure that enters it takes the ring and passes (R6). */
static inline gr_set gr_passable(const rf_gran_board *b, const gr_state *s, gr_set others)
{
    gr_set blocked = others | gr_set_of(s->stones) | gr_set_of(b->dragons);
    return (gr_passes_everything(s) ? ~(gr_set)0 : ~blocked) & ~gr_ring_point(s);
}

/* The points on which a figure can be attacked: not cities; dragons only with two amulets (R5). */
static inline gr_set gr_attackable(const rf_gran_board *b, unsigned amulets)
{
    if (amulets == 0)
        return 0;
    return amulets == 1 ? ~(gr_set_of(b->cities) | gr_set_of(b->dragons)) : ~gr_set_of(b->cities);
}

static inline gr_set gr_arrivals(const rf_gran_board *b, unsigned origin, gr_set passable)
{
    gr_set near = gr_neighbours(b, origin), ends = near;
    gr_set over = near & passable;
    if (over == near)
        return gr_set_of(b->two_steps[origin]);
    while (over != 0)
        ends |= gr_neighbours(b, gr_pop_lsb(&over));
    return ends & ~gr_bit(origin);
}

static inline void gr_find_moves(const rf_gran_board *b, const gr_state *s, gr_moves *out)
{
    unsigned origin = gr_origin(b, s), amulets = gr_amulets(s, s->player);
    gr_set others = gr_others(s), stones = gr_set_of(s->stones), ring = gr_ring_point(s);
    gr_set ends[2];
    ends[0] = gr_arrivals(b, origin, gr_passable(b, s, others)) & ~stones;
    ends[1] = (gr_neighbours(b, origin) & ring) != 0 ? gr_neighbours(b, s->ring) & ~stones & ~gr_bit(origin) : 0;
    gr_set fights = amulets == 0 ? gr_set_of(b->dragons) : 0;
    gr_set targets = others & gr_attackable(b, amulets);
    gr_set free = gr_set_of(b->white) & ~stones & ~others;
    out->banish[0] = free & ~ring;
    out->banish[1] = free;
    for (unsigned via_ring = 0; via_ring < 2; via_ring++) {
        out->quiet[via_ring] = ends[via_ring] & ~others & ~fights;
        out->attacks[via_ring] = out->banish[via_ring] != 0 ? ends[via_ring] & targets : 0;
    }
}

static inline gr_set gr_free_points(const rf_gran_board *b, const gr_state *s)
{
    return gr_set_of(b->plain) & ~gr_set_of(s->stones) & ~gr_figures(s) & ~gr_ring_point(s);
}

/* ---- gran.c ---- */

/* How many dragon cards of each value the next one is drawn from (R8). */
RF_PRIVATE const uint8_t *gr_drawn_from(const rf_gran_board *b, const gr_state *s);
/* The number of chance plies of a fight. */
RF_PRIVATE uint64_t gr_count_chances(const rf_gran_board *b, const gr_state *s);
/* Where the acting player may put the ring (R11). */
RF_PRIVATE gr_set gr_ring_targets(const rf_gran_board *b, const gr_state *s);

/* ---- gran.c, bulk_count.c: members of rf_game ---- */

/* Whether the sword may put the stone on `from` on `to`; this is faster than a look through all such plies. */
RF_SHARED bool gr_is_shift(const rf_gran_board *b, const gr_state *s, unsigned from, unsigned to);
RF_SHARED size_t gr_generate(const void *ctx, const rf_state *state, rf_ply *out);
RF_PRIVATE uint64_t gr_count(const void *ctx, const rf_state *state);
/* The weight of a ply of a chance event (R8); 0 for a decision. */
RF_PRIVATE uint32_t gr_weight(const void *ctx, const rf_state *state, rf_ply ply);
RF_PRIVATE void gr_apply(const void *ctx, const rf_state *state, rf_ply ply, rf_state *out);
/* Perft of depth 2 or 3 (perft.inc). */
RF_PRIVATE uint64_t gr_count_bulk(const void *ctx, const rf_state *state, unsigned depth, rf_ply *lists);

/* ---- text.c, ply_text.c: members of rf_game ---- */

enum { GR_MAX_PLIES = 4096 };

RF_INTERNAL bool gr_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
RF_INTERNAL size_t gr_format_field(const void *ctx, const rf_state *state, unsigned field, char *out);
RF_INTERNAL bool gr_parse_ply(const void *ctx, const rf_state *state, const char *text, size_t length,
                              rf_parsed_ply *out, rf_error *error);
RF_INTERNAL size_t gr_format_ply(const void *ctx, const rf_state *state, rf_ply ply, char *out);

/* ---- describe.c ---- */

RF_INTERNAL void gr_describe(const void *ctx, const rf_state *s, rf_description *out);
RF_INTERNAL bool gr_image(const void *ctx, const rf_state *s, unsigned symmetry, rf_state *out);
extern RF_INTERNAL const rf_ply_kind_part gr_ply_kind_part;

#endif
