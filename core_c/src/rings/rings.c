/* The King of Rings (rules K1 to K11 in core_c/rules/rings.md). */
#include "common/text.h"

#include <stdlib.h>

#define RF_PREFIX kr_

/* Squares of both boards are numbered as on seven files, a1 b1 ... g1 a2 ...; the smaller board leaves out f and g.
 * A straight line of the smaller board is one of the larger, so both share their tables. */
enum {
    KR_FILES = 7,
    KR_RANKS = 7,
    KR_SQUARES = KR_FILES * KR_RANKS,
    KR_NOWHERE = 63, /* in kr_state.five */
    KR_KINDS = 3,    /* of rings: 1, 3 and 5 points */
    KR_MOST_RINGS = 35,
    KR_MOST_POINTS = 51,
    KR_MOST_PLIES = 96 /* six knights on the board and a drop on each of 35 rings are 83 */
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

/* The squares that a knight with so many rings can come to (K4, K5), by square and number of rings. */
static uint64_t kr_targets[KR_SQUARES][KR_MOST_RINGS + 1];
static uint64_t kr_board[KR_FILES + 1]; /* all squares, by number of files */
/* Masks for rings/bare_pair.c. */
static uint64_t kr_not_first[KR_SQUARES + 2 * (KR_FILES + 1)], kr_not_last[KR_SQUARES + 2 * (KR_FILES + 1)];

static inline rf_ply kr_ply(unsigned from, unsigned to) { return from << KR_PLY_BITS | to; }
static inline unsigned kr_from(rf_ply ply) { return ply >> KR_PLY_BITS; }
static inline unsigned kr_to(rf_ply ply) { return ply & ((1 << KR_PLY_BITS) - 1); }
static inline uint64_t kr_bit(unsigned square) { return UINT64_C(1) << square; }
static inline const kr_state *kr_read(const rf_state *s) { return (const kr_state *)s; }
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

static void kr_init(void)
{
    for (int files = 5; files <= KR_FILES; files += 2)
        for (unsigned square = 0; square < KR_SQUARES; square++)
            if ((int)(square % KR_FILES) < files)
                kr_board[files] |= kr_bit(square);
    for (int square = 0; square < KR_SQUARES; square++) {
        kr_not_first[KR_FILES + 1 + square] = square % KR_FILES > 0 ? UINT64_MAX : 0;
        kr_not_last[KR_FILES + 1 + square] = square % KR_FILES < KR_FILES - 1 ? UINT64_MAX : 0;
    }
    for (int square = 0; square < KR_SQUARES; square++)
        for (int rings = 0; rings <= KR_MOST_RINGS; rings++) {
            int distance = rings == 0 ? 1 : rings;
            uint64_t targets = 0;
            for (int direction = 0; direction < 9; direction++) {
                int file = square % KR_FILES + (direction % 3 - 1) * distance;
                int rank = square / KR_FILES + (direction / 3 - 1) * distance;
                if (direction != 4 && file >= 0 && file < KR_FILES && rank >= 0 && rank < KR_RANKS)
                    targets |= kr_bit((unsigned)(rank * KR_FILES + file));
            }
            kr_targets[square][rings] = targets;
        }
}

/* ---- plies ---- */

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

static inline uint64_t kr_count_moves(const kr_state *s, unsigned side)
{
    uint64_t free = kr_free(s);
    uint64_t total = s->hands[side] > 0 ? rf_popcount(free) : 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        total += rf_popcount(kr_reach(s, side, free, rf_lowest(left)));
    return total;
}

static uint64_t kr_count(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    if (kr_is_over(s))
        return 0;
    uint64_t moves = kr_count_moves(s, s->side);
    return moves > 0 ? moves : 1;
}

/* All moves and drops of `side`, whether or not the game is over. */
static inline size_t kr_list_moves(const kr_state *s, unsigned side, rf_ply *out)
{
    size_t plies = 0;
    uint64_t free = kr_free(s);
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left);
        for (uint64_t to = kr_reach(s, side, free, from); to != 0; to &= to - 1)
            out[plies++] = kr_ply(from, rf_lowest(to));
    }
    if (s->hands[side] > 0)
        for (uint64_t to = free; to != 0; to &= to - 1)
            out[plies++] = kr_ply(KR_FROM_HAND, rf_lowest(to));
    return plies;
}

static size_t kr_generate(const void *ctx, const rf_state *state, rf_ply *out)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    if (kr_is_over(s))
        return 0;
    size_t plies = kr_list_moves(s, s->side, out);
    if (plies == 0)
        out[plies++] = kr_pass;
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

static void kr_apply(const void *ctx, const rf_state *state, rf_ply ply, rf_state *out)
{
    (void)ctx;
    kr_state *s = (kr_state *)out;
    *s = *kr_read(state);
    kr_play(s, ply);
}

/* ---- outcome ---- */

/* South's points less North's. */
static int kr_balance(const kr_state *s)
{
    int score = 0;
    for (uint64_t left = s->knights[KR_SOUTH]; left != 0; left &= left - 1)
        score += (int)kr_points_held(s, rf_lowest(left));
    for (uint64_t left = s->knights[KR_NORTH]; left != 0; left &= left - 1)
        score -= (int)kr_points_held(s, rf_lowest(left));
    return score;
}

static int kr_score(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return kr_balance(kr_read(state));
}

static int kr_outcome(const void *ctx, const rf_state *state)
{
    if (!kr_is_over(kr_read(state)))
        return RF_OUTCOME_NONE;
    (void)ctx;
    int score = kr_balance(kr_read(state));
    return score == 0 ? RF_OUTCOME_DRAW : score > 0 ? 1 : 2;
}

static unsigned kr_player(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return kr_read(s)->side + 1u;
}

static unsigned kr_players(const void *ctx, const rf_state *s)
{
    (void)ctx, (void)s;
    return 2;
}

static bool kr_mid_turn(const void *ctx, const rf_state *s)
{
    (void)ctx, (void)s;
    return false;
}

static bool kr_is_chance(const void *ctx, const rf_state *s)
{
    (void)ctx, (void)s;
    return false;
}

static uint32_t kr_weight(const void *ctx, const rf_state *s, rf_ply ply)
{
    (void)ctx, (void)s, (void)ply;
    return 0;
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

static uint64_t kr_hash(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return kr_hash_state(kr_read(s));
}

#include "rings/text.c"
#include "perft.inc"

/* ---- margins ---- */

/* The points of all rings that are there. */
static int kr_widest_margin(const void *ctx, const rf_state *state)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    unsigned points = rf_popcount(s->ring[0]) + 3 * rf_popcount(s->ring[1]) + 5 * rf_popcount(s->ring[2]);
    for (uint64_t left = s->knights[KR_SOUTH] | s->knights[KR_NORTH]; left != 0; left &= left - 1)
        points += kr_points_held(s, rf_lowest(left));
    return (int)points;
}

/* Anything but steps of knights without rings and passes (K11). */
static bool kr_margin_progress(const void *ctx, const rf_state *state, rf_ply ply)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    if (ply == kr_pass)
        return false;
    return kr_from(ply) == KR_FROM_HAND || ((kr_free(s) | s->knights[!s->side]) & kr_bit(kr_to(ply))) != 0;
}

#include "search/margins.h"
static unsigned kr_rank(const rf_state *state, rf_ply ply);
static int kr_settle(const rf_state *state, int threshold, rf_margin *m, rf_control *control);
#include "search/threshold.inc"
#include "rings/holders.c"
#include "rings/last_ring.c"
#include "rings/bare_knight.c"
#include "rings/bare_pair.c"
#include "rings/endless.c"

const rf_game RF_EXPORT(rf_game_rings) = {
    .id = "rings",
    .start = "rings k1k1k1k/1k1k1k1/1111111/3335333/1111111/1K1K1K1/K1K1K1K s 0+0 0",
    .state_size = sizeof(kr_state),
    .max_plies = KR_MOST_PLIES,
    .max_text = 192,
    .max_ply_text = 8,
    .solver = RF_SOLVER_MARGIN,
    .needs_context = false,
    .init = kr_init,
    .parse = kr_parse,
    .format = kr_format,
    .parse_ply = kr_parse_ply,
    .format_ply = kr_format_ply,
    .generate = kr_generate,
    .count = kr_count,
    .apply = kr_apply,
    .outcome = kr_outcome,
    .player = kr_player,
    .players = kr_players,
    .mid_turn = kr_mid_turn,
    .is_chance = kr_is_chance,
    .weight = kr_weight,
    .hash = kr_hash,
    .perft = kr_perft,
    .score = kr_score,
    .widest_margin = kr_widest_margin,
    .margin_progress = kr_margin_progress,
    .margin_attack = kr_margin_attack,
    .margin_bounds = kr_margin_bounds,
    .margin_endless = kr_margin_endless,
    .margin_board = kr_margin_board,
};

#undef RF_PREFIX
