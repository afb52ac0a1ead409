/* Gygès: the state, inline helpers, and the functions that the files of the game share. The rule numbers (G1, ...)
 * are those of core_c/rules/gyges.md.
 *
 * Idea: a bit board has a frame of unused bits around the 36 squares, so that a step is a shift and needs no test for
 * the edge. The heights of the rings are two bit boards, `low` and `high`.
 * Invariants: no bit of the frame is set in `low` or `high`; a state has no padding, so equal positions have equal
 * bytes.
 * Example: a ring of height 3 on a1 sets bit 9 of `low` and of `high`. */
#ifndef RINGFEN_GYGES_H
#define RINGFEN_GYGES_H

#include "game.h"
#include "unit.h"

enum {
    GY_THRONE = 0, /* as a target: the opponent's throne, the only one that can be entered (G8) */
    GY_SETUPS = 90,
    GY_RINGS = 12,
    /* Six rings may move. Each has 25 empty squares, the throne, and 11 rings to displace to 25 squares. With fewer
     * rings there are fewer plies. */
    GY_MAX_PLIES = 6 * (25 + 1 + 11 * 25)
};

/* The board is the middle of eight by eight bits: a1 is bit 9, f1 bit 14, a2 bit 17. No leg passes the frame around it,
 * but a last step below rank 1 or above rank 6 enters a throne. */
static const uint64_t gy_board = UINT64_C(0x007e7e7e7e7e7e00);
/* By side: the fields of the frame that are steps onto the other side's throne (G8). */
static const uint64_t gy_throne_steps[2] = {UINT64_C(0x7e) << 56, UINT64_C(0x7e)};

/* Rings on squares. The height of a ring is 2 * its bit of `high` + its bit of `low`. */
typedef struct RF_MAY_ALIAS {
    uint64_t low, high;
} gy_rings;

typedef struct RF_MAY_ALIAS {
    gy_rings rings;
    uint8_t side;     /* 0 South, 1 North */
    uint8_t throne;   /* height of the ring on the throne of `side`, or 0 */
    uint8_t goals[2]; /* conquests that South and North still need (G9) */
    uint8_t setups;   /* setups that are still to be made (G3): 2 by South and North, 1 by North, or 0 */
    uint8_t unused[3];
} gy_position;
_Static_assert(sizeof(gy_position) == 24 && sizeof(gy_position) <= RF_STATE_SIZE, "a state has no padding");

typedef enum { GY_MOVE, GY_DISPLACE, GY_PUT, GY_SETUP } gy_kind;

/* A ply contains from, to, the new square of the displaced ring and its kind. GY_PUT and GY_SETUP use only `to`: the
 * square, or the number of the setup. */
static inline rf_ply gy_ply(gy_kind kind, unsigned from, unsigned to, unsigned drop)
{
    return from | to << 8 | drop << 16 | (rf_ply)kind << 24;
}
static inline unsigned gy_from(rf_ply ply) { return ply & 0xff; }
static inline unsigned gy_to(rf_ply ply) { return ply >> 8 & 0xff; }
static inline unsigned gy_drop(rf_ply ply) { return ply >> 16 & 0xff; }
static inline gy_kind gy_ply_kind(rf_ply ply) { return (gy_kind)(ply >> 24); }

static inline unsigned gy_square(unsigned file, unsigned rank) { return 8 * rank + file + 9; }
static inline unsigned gy_file_of(unsigned square) { return square % 8 - 1; }
static inline unsigned gy_rank_of(unsigned square) { return square / 8 - 1; }
static inline uint64_t gy_bit(unsigned square) { return UINT64_C(1) << square; }
static inline uint64_t gy_occupied(const gy_rings *r) { return r->low | r->high; }
static inline unsigned gy_height(const gy_rings *r, unsigned square)
{
    return (unsigned)(r->low >> square & 1) | (unsigned)(r->high >> square & 1) << 1;
}
/* The squares of the rings of a height, 1 to 3. */
static inline uint64_t gy_of_height(const gy_rings *r, unsigned height)
{
    return (height & 1 ? r->low : ~r->low) & (height & 2 ? r->high : ~r->high);
}
/* Counts the rings of each height; count[0] is 0. */
static inline void gy_count_heights(const gy_rings *r, unsigned count[4])
{
    count[0] = 0;
    for (unsigned height = 1; height <= 3; height++)
        count[height] = rf_popcount(gy_of_height(r, height));
}
static inline void gy_remove(gy_rings *r, uint64_t bit)
{
    r->low &= ~bit;
    r->high &= ~bit;
}
/* Puts a ring on an empty square. */
static inline void gy_add(gy_rings *r, uint64_t bit, unsigned height)
{
    r->low |= height & 1 ? bit : 0;
    r->high |= height & 2 ? bit : 0;
}

/* The rank of `squares` (not empty) that is nearest to `side`, 0 to 5. */
static inline unsigned gy_nearest_rank(unsigned side, uint64_t squares)
{
    return gy_rank_of(side == 0 ? rf_lsb(squares) : 63 - (unsigned)__builtin_clzll(squares));
}
static inline uint64_t gy_rank(unsigned rank) { return UINT64_C(0x7e) << 8 * (rank + 1); }
/* All squares that are nearer to `side` than `rank`. */
static inline uint64_t gy_nearer(unsigned side, unsigned rank)
{
    const uint64_t below = (UINT64_C(1) << 8 * (rank + 1)) - 1;
    return gy_board & (side == 0 ? below : ~below << 8);
}

/* The squares that are nearer to `side` than the nearest of `rings`; all squares if there are none. */
static inline uint64_t gy_nearer_than(unsigned side, uint64_t rings)
{
    return rings == 0 ? gy_board : gy_nearer(side, gy_nearest_rank(side, rings));
}

/* The squares on which a displaced ring, or a ring from a throne, may be put if the other rings are on `occupied`:
 * empty ones, not nearer to `opponent` than the opponent's active rank (G7). If there are no other rings, every square
 * (G9). */
static inline uint64_t gy_drop_squares(unsigned opponent, uint64_t occupied)
{
    return occupied == 0 ? gy_board : gy_board & ~occupied & ~gy_nearer(opponent, gy_nearest_rank(opponent, occupied));
}

/* The squares on which a ring from a throne may be put (G9). If G7 leaves none, because the only other rings fill the
 * conquered player's first rank, every empty square. */
static inline uint64_t gy_put_squares(unsigned conqueror, uint64_t occupied)
{
    const uint64_t squares = gy_drop_squares(conqueror, occupied);
    return squares != 0 ? squares : gy_board & ~occupied;
}

/* The number of plies of one ring of `side` that reaches these ends, with the other rings on `others` (G10). */
static inline uint64_t gy_count_ring(unsigned side, uint64_t others, uint64_t ends)
{
    return rf_popcount(ends & ~others) + rf_popcount(ends & others) * rf_popcount(gy_drop_squares(1 - side, others));
}

/* The mirror image: files a to f become f to a. */
static inline uint64_t gy_mirrored(uint64_t squares)
{
    squares = (squares >> 1 & UINT64_C(0x5555555555555555)) | (squares & UINT64_C(0x5555555555555555)) << 1;
    squares = (squares >> 2 & UINT64_C(0x3333333333333333)) | (squares & UINT64_C(0x3333333333333333)) << 2;
    return (squares >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (squares & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
}

/* Whether South or North must set up (G3). */
static inline bool gy_setting_up(const gy_position *p) { return p->setups != 0; }

/* Whether a player has made all conquests that it needed (G9). */
static inline bool gy_is_over(const gy_position *p) { return p->goals[0] == 0 || p->goals[1] == 0; }

/* ---- tables.c ---- */

typedef struct {
    uint64_t edges;   /* connections used */
    uint64_t through; /* squares that must be empty */
    uint64_t end;     /* one bit; a bit of the frame for a throne */
} gy_leg;

enum {
    GY_MAX_LEGS = 4 * 3 * 3, /* a first step in four directions, then two in three each */
    GY_LISTED_LEGS = 1376, /* all, if the legs of each square and height are rounded up to a multiple of four */
    GY_MAX_USED_SETS = 4 /* sets of used connections that a search stores for each ring */
};

/* Legs in the order of their ends. Those with end x have the numbers first[x] to first[x + 1] - 1. */
typedef struct {
    uint64_t ends;
    uint32_t count;
    uint8_t first[65];
    gy_leg legs[GY_MAX_LEGS];
} gy_legs;

/* The sets of connections that were used on arrival at one ring; only the first few are stored. */
typedef struct {
    uint64_t used[GY_MAX_USED_SETS];
    uint32_t count;
} gy_used_sets;

/* Whether a stored set is a subset of `used`: then a landing with `used` reaches no new end. */
static inline bool gy_is_dominated(const gy_used_sets *sets, uint64_t used)
{
    for (unsigned i = 0; i < sets->count; i++)
        if ((sets->used[i] & ~used) == 0)
            return true;
    return false;
}
static inline void gy_add_used_set(gy_used_sets *sets, uint64_t used)
{
    if (sets->count < GY_MAX_USED_SETS)
        sets->used[sets->count++] = used;
}

extern RF_INTERNAL gy_legs gy_all_legs[64][4];         /* by square and height */
extern RF_INTERNAL uint8_t gy_setups[GY_SETUPS][6]; /* in the order of their texts (G3) */

/* Fills the tables. */
RF_INTERNAL void gy_init(void);

/* ---- paths.c ---- */

/* Translates ends of legs to squares and the bit of GY_THRONE. The own throne of `side` is not an end (G8). */
static inline uint64_t gy_allowed_ends(unsigned side, uint64_t ends)
{
    return (ends & gy_board) | (uint64_t)((ends & gy_throne_steps[side]) != 0) << GY_THRONE;
}

/* The squares, and GY_THRONE, on which the ring on `from` can end its ply. */
RF_PRIVATE uint64_t gy_ends(const gy_position *p, unsigned from);
/* Whether the ring on `from` can end its ply on `to`. Faster than gy_ends. */
RF_SHARED bool gy_can_end(const gy_position *p, unsigned from, unsigned to);
/* As gy_can_end, for any of `targets`: squares, and fields behind a throne's rank. */
RF_PRIVATE bool gy_can_end_on(const gy_position *p, unsigned from, uint64_t targets);
/* Whether the ring has a ply: it can end its first leg. */
RF_PRIVATE bool gy_can_move(const gy_position *p, unsigned from);

/* ---- gyges.c ---- */

/* The rings that may move: those of the first rank, from the player's side, with a movable ring (G4). Each end gives a
 * legal ply: the squares that G7 allows include an empty one. */
RF_SHARED uint64_t gy_movers(const gy_position *p);
RF_PRIVATE size_t gy_generate(const void *ctx, const rf_state *s, rf_ply *out);
RF_PRIVATE uint64_t gy_count(const void *ctx, const rf_state *s);
RF_PRIVATE void gy_apply(const void *ctx, const rf_state *s, rf_ply ply, rf_state *out);

/* ---- bulk_count.c ---- */

/* perft for the depths 2 and 3 (perft.inc). */
RF_PRIVATE uint64_t gy_count_bulk(const void *ctx, const rf_state *s, unsigned depth, rf_ply *lists);

/* ---- wins.c: members of rf_game ---- */

RF_PRIVATE bool gy_wins_now(const void *ctx, const rf_state *s);
/* Between two conquests of a player are two more plies: one of the opponent, and the one that puts the ring back
 * (G9). If the opponent cannot conquer without winning, the player can win only after every second number of plies. */
RF_PRIVATE unsigned gy_useful_plies(const void *ctx, const rf_state *s, unsigned player, unsigned plies);
RF_PRIVATE int gy_wins_soon(const void *ctx, const rf_state *s, unsigned player, unsigned plies, void *hints);
RF_PRIVATE void gy_store_refutation(const void *ctx, const rf_state *s, unsigned plies, rf_ply ply, void *hints);
RF_PRIVATE size_t gy_safe_plies(const void *ctx, const rf_state *s, rf_ply *out, uint8_t *threats);
RF_PRIVATE size_t gy_count_safe(const void *ctx, const rf_state *s, size_t enough);
RF_PRIVATE bool gy_image(const void *ctx, const rf_state *s, unsigned symmetry, rf_state *out);
RF_PRIVATE unsigned gy_canonical(const void *ctx, const rf_state *s, rf_state *out);
RF_PRIVATE rf_ply gy_map_ply(const void *ctx, rf_ply ply, unsigned symmetry);

/* ---- text.c: members of rf_game ---- */

enum {
    GY_RANKS_TEXT = 6 * 6 + 5, /* "321123/....../...": six ranks and their slashes */
    GY_MAX_TEXT = 72,   /* "gyges " + GY_RANKS_TEXT + " n - 1+1 setup=done" */
    GY_MAX_PLY_TEXT = 9 /* "a1xb3-e5" */
};

RF_INTERNAL bool gy_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
extern const rf_game RF_EXPORT(rf_game_gyges);
RF_INTERNAL size_t gy_format_field(const void *ctx, const rf_state *s, unsigned field, char *out);
RF_INTERNAL size_t gy_format_square(const void *ctx, const rf_state *s, unsigned rank, unsigned square, char *out);
RF_INTERNAL bool gy_parse_ply(const void *ctx, const rf_state *s, const char *text, size_t length, rf_parsed_ply *out,
                              rf_error *error);
RF_INTERNAL size_t gy_format_ply(const void *ctx, const rf_state *s, rf_ply ply, char *out);
RF_INTERNAL size_t gy_format_path(const void *ctx, const rf_state *s, rf_ply ply, char *out);

/* ---- describe.c ---- */

RF_INTERNAL void gy_describe(const void *ctx, const rf_state *s, rf_description *out);
extern RF_INTERNAL const rf_ply_kind_part gy_ply_kind_part;

#endif
