/* The King of Rings (rules K1 to K11 in core_c/rules/rings.md): the state, and the functions that the files of
 * the game share.
 *
 * Idea: one bit board per kind of free ring and per side's knights; a step is a shift.
 * Invariant: a state has no padding, so equal positions have equal bytes.
 * Example: a knight on a1 that takes a ring of 3 points on b2 is kr_ply(0, 8); afterwards held[8] is KR_THREE_RING. */
#ifndef RINGFEN_RINGS_H
#define RINGFEN_RINGS_H

#include "game.h"

/* Squares of both boards are numbered as on seven files, a1 b1 ... g1 a2 ...; the smaller board lacks files f and g.
 * A straight line of the smaller board is one of the larger, so both share their tables. */
enum {
    KR_FILES = 7,
    KR_RANKS = 7,
    KR_SQUARES = KR_FILES * KR_RANKS,
    KR_NOWHERE = 63, /* in kr_state.five */
    KR_KINDS = 3,    /* of rings: 1, 3 and 5 points */
    KR_MAX_RINGS = 35,
    KR_MAX_POINTS = 51,
    KR_MAX_PLIES = 96 /* six knights on the board and a drop on each of 35 rings are 83 */
};

enum { KR_SOUTH, KR_NORTH };

/* A holder's rings in one byte: silver ones in the low bits, blue ones above. The one large blue ring is elsewhere. */
enum { KR_ONE_RING = 1, KR_THREE_RING = 1 << 5 };

typedef struct RF_MAY_ALIAS {
    uint64_t ring[KR_KINDS];   /* free rings of 1, 3 and 5 points */
    uint64_t knights[2];       /* with and without rings */
    uint8_t held[KR_SQUARES];  /* what the knight on a square holds; 0 elsewhere */
    uint8_t five;              /* square of the knight that holds the large blue ring, or KR_NOWHERE */
    uint8_t hands[2];
    uint8_t side;
    uint8_t passes;
    uint8_t files;
    uint8_t unused;
} kr_state;

_Static_assert(sizeof(kr_state) == 96 && sizeof(kr_state) <= RF_STATE_SIZE, "a state has no padding");

/* A ply: where from and where to. */
enum { KR_PLY_BITS = 6, KR_FROM_HAND = 62 };
static const rf_ply kr_pass = 63 << KR_PLY_BITS | 63;

/* ---- describe.c ---- */

/* The squares that a knight reaches (K4, K5), by its square and number of rings. */
extern RF_INTERNAL uint64_t kr_targets[KR_SQUARES][KR_MAX_RINGS + 1];
extern RF_INTERNAL uint64_t kr_board[KR_FILES + 1]; /* all squares, by number of files */
extern RF_INTERNAL uint64_t kr_random[KR_SQUARES];  /* for hashes: a random number for each square */

/* Fills the tables. */
RF_INTERNAL void kr_init(void);
RF_INTERNAL bool kr_image(const void *ctx, const rf_state *s, unsigned symmetry, rf_state *out);
RF_INTERNAL void kr_describe(const void *ctx, const rf_state *s, rf_description *out);
extern RF_INTERNAL const rf_ply_kind_part kr_ply_kind_part;

/* ---- squares, rings, moves ---- */

static inline rf_ply kr_ply(unsigned from, unsigned to) { return from << KR_PLY_BITS | to; }
static inline unsigned kr_from(rf_ply ply) { return ply >> KR_PLY_BITS; }
static inline unsigned kr_to(rf_ply ply) { return ply & ((1 << KR_PLY_BITS) - 1); }
static inline uint64_t kr_bit(unsigned square) { return UINT64_C(1) << square; }
static inline const kr_state *kr_state_of(const rf_state *s) { return (const kr_state *)s; }
static inline uint64_t kr_free(const kr_state *s) { return s->ring[0] | s->ring[1] | s->ring[2]; }

/* How many rings the knight on a square holds. */
static inline unsigned kr_rings(const kr_state *s, unsigned square)
{
    unsigned held = s->held[square];
    return (held & (KR_THREE_RING - 1)) + held / KR_THREE_RING + (square == s->five);
}

static inline unsigned kr_points_held(const kr_state *s, unsigned square)
{
    unsigned held = s->held[square];
    return (held & (KR_THREE_RING - 1)) + 3 * (held / KR_THREE_RING) + (square == s->five ? 5 : 0);
}

/* South's points minus North's. */
static inline int kr_balance(const kr_state *s)
{
    int score = 0;
    for (uint64_t left = s->knights[KR_SOUTH]; left != 0; left &= left - 1)
        score += (int)kr_points_held(s, rf_lsb(left));
    for (uint64_t left = s->knights[KR_NORTH]; left != 0; left &= left - 1)
        score -= (int)kr_points_held(s, rf_lsb(left));
    return score;
}

static inline bool kr_is_over(const kr_state *s)
{
    return s->passes == 2 || (s->side == KR_SOUTH && kr_free(s) == 0); /* K9, K10 */
}

/* Where the knight of `side` on a square can come to. */
static inline uint64_t kr_reach(const kr_state *s, unsigned side, uint64_t free, unsigned square)
{
    unsigned rings = kr_rings(s, square);
    uint64_t onto = free | s->knights[!side];
    if (rings == 0)
        onto = kr_board[s->files] & ~s->knights[side];
    return kr_targets[square][rings] & onto;
}

/* All moves and drops of `side`, whether or not the game is over. */
static inline size_t kr_list_moves(const kr_state *s, unsigned side, rf_ply *out)
{
    size_t plies = 0;
    uint64_t free = kr_free(s);
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        for (uint64_t to = kr_reach(s, side, free, from); to != 0; to &= to - 1)
            out[plies++] = kr_ply(from, rf_lsb(to));
    }
    if (s->hands[side] > 0)
        for (uint64_t to = free; to != 0; to &= to - 1)
            out[plies++] = kr_ply(KR_FROM_HAND, rf_lsb(to));
    return plies;
}

/* The knight that has just come to `to` takes the ring there, if there is one (K6). */
static inline void kr_take(kr_state *s, unsigned to)
{
    uint64_t bit = kr_bit(to);
    if (s->ring[0] & bit)
        s->held[to] = (uint8_t)(s->held[to] + KR_ONE_RING);
    else if (s->ring[1] & bit)
        s->held[to] = (uint8_t)(s->held[to] + KR_THREE_RING);
    else if (s->ring[2] & bit)
        s->five = (uint8_t)to;
    for (int kind = 0; kind < KR_KINDS; kind++)
        s->ring[kind] &= ~bit;
}

static inline void kr_move(kr_state *s, unsigned from, unsigned to)
{
    unsigned side = s->side;
    uint64_t target = kr_bit(to);
    if (s->knights[!side] & target) { /* K7: what the captured knight holds stays on the square */
        s->knights[!side] ^= target;
        s->hands[!side] = (uint8_t)(s->hands[!side] + (kr_rings(s, to) > 0));
    }
    s->knights[side] ^= kr_bit(from) | target;
    s->held[to] = (uint8_t)(s->held[to] + s->held[from]);
    s->held[from] = 0;
    if (s->five == from)
        s->five = (uint8_t)to;
    kr_take(s, to);
}

/* Makes a ply in place. */
static inline void kr_play(kr_state *s, rf_ply ply)
{
    if (ply == kr_pass) {
        s->passes++;
    } else {
        s->passes = 0;
        if (kr_from(ply) == KR_FROM_HAND) { /* K8 */
            s->hands[s->side]--;
            s->knights[s->side] |= kr_bit(kr_to(ply));
            kr_take(s, kr_to(ply));
        } else {
            kr_move(s, kr_from(ply), kr_to(ply));
        }
    }
    s->side ^= 1;
}

/* The words in pairs, each mixed by itself, so that the multiplications need not wait for each other. */
static inline uint64_t kr_hash_state(const kr_state *s)
{
    static const uint64_t salt[6] = {0x9e6c63d0876a9a47, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9,
                                     0xd6e8feb86659fd93, 0xa0761d6478bd642f, 0x8ebc6af09c88c6e3};
    uint64_t words[12], hash = 0;
    memcpy(words, s, sizeof words);
    for (int i = 0; i < 6; i++)
        hash ^= rf_mix(words[2 * i] ^ salt[i], words[2 * i + 1]);
    return rf_mix(hash, salt[0]);
}

/* ---- bulk_count.c ---- */

/* perft of a depth from 2 to RF_BULK_PLIES (perft.inc). */
RF_PRIVATE uint64_t kr_count_bulk(const void *ctx, const rf_state *state, unsigned depth, rf_ply *lists);

/* ---- text.c: members of rf_game ---- */

RF_INTERNAL bool kr_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
RF_INTERNAL size_t kr_format_field(const void *ctx, const rf_state *state, unsigned field, char *out);
RF_INTERNAL size_t kr_format_square(const void *ctx, const rf_state *state, unsigned rank, unsigned square, char *out);
RF_INTERNAL bool kr_parse_ply(const void *ctx, const rf_state *state, const char *text, size_t length,
                              rf_parsed_ply *out, rf_error *error);
RF_INTERNAL size_t kr_format_ply(const void *ctx, const rf_state *state, rf_ply ply, char *out);

#endif
