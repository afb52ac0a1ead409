/* Gygès: the rules. The ways over the board are in gyges/paths.c, texts in gyges/text.c, what
 * the search for forced wins asks in gyges/threats.c and gyges/wins.c. */
#include "common/text.h"

enum {
    GY_THRONE = 0, /* as a target: the opponent's throne, the only one that can be entered (G8) */
    GY_SETUPS = 90,
    /* Six rings to move, each with 25 empty squares, the throne and 11 rings with 25 squares to displace them to. */
    GY_MAX_PLIES = 6 * (25 + 1 + 11 * 25)
};

/* The board stands in the middle of eight by eight bits: a1 is bit 9, f1 bit 14, a2 bit 17. The frame around it is
 * never free, so nothing can pass it, but a last step into it below rank 1 or above rank 6 is a step onto a throne. */
static const uint64_t gy_board = UINT64_C(0x007e7e7e7e7e7e00);
static const uint64_t gy_throne_steps[2] = {UINT64_C(0x7e) << 56, UINT64_C(0x7e)}; /* by side: onto the other's */

/* A ring's height is the number that `high` and `low` spell at its square. */
typedef struct RF_MAY_ALIAS {
    uint64_t low, high;
    uint8_t side;     /* 0 South, 1 North */
    uint8_t throne;   /* height of the ring on the throne of `side`, or 0 */
    uint8_t goals[2]; /* conquests that South and North still need (G9) */
    uint8_t unused[4];
} gy_position;

typedef enum { GY_MOVE, GY_DISPLACE, GY_PUT, GY_SETUP } gy_kind;

/* A ply holds from, to, the square of the displaced ring and its kind; GY_PUT and GY_SETUP use `to` alone, as the
 * square and as the number of the setup. */
static inline rf_ply gy_ply(gy_kind kind, unsigned from, unsigned to, unsigned drop)
{
    return from | to << 8 | drop << 16 | (rf_ply)kind << 24;
}
static inline unsigned gy_from(rf_ply ply) { return ply & 0xff; }
static inline unsigned gy_to(rf_ply ply) { return ply >> 8 & 0xff; }
static inline unsigned gy_drop(rf_ply ply) { return ply >> 16 & 0xff; }
static inline gy_kind gy_kind_of(rf_ply ply) { return (gy_kind)(ply >> 24); }

static inline unsigned gy_square(unsigned file, unsigned rank) { return 8 * rank + file + 9; }
static inline unsigned gy_file_of(unsigned square) { return square % 8 - 1; }
static inline unsigned gy_rank_of(unsigned square) { return square / 8 - 1; }
static inline uint64_t gy_bit(unsigned square) { return UINT64_C(1) << square; }
static inline uint64_t gy_occupied(const gy_position *p) { return p->low | p->high; }
static inline unsigned gy_height(const gy_position *p, unsigned square)
{
    return (unsigned)(p->low >> square & 1) | (unsigned)(p->high >> square & 1) << 1;
}
static inline void gy_lift(gy_position *p, unsigned square)
{
    p->low &= ~gy_bit(square);
    p->high &= ~gy_bit(square);
}
static inline void gy_place(gy_position *p, unsigned square, unsigned height)
{
    p->low |= (uint64_t)(height & 1) << square;
    p->high |= (uint64_t)(height >> 1) << square;
}

/* The lowest or highest rank with a bit of `squares` (not empty), 0 to 5. */
static inline unsigned gy_nearest_rank(unsigned side, uint64_t squares)
{
    return gy_rank_of(side == 0 ? rf_lowest(squares) : 63 - (unsigned)__builtin_clzll(squares));
}
static inline uint64_t gy_rank(unsigned rank) { return UINT64_C(0x7e) << 8 * (rank + 1); }
/* The squares that are nearer to `side` than `rank`. */
static inline uint64_t gy_nearer(unsigned side, unsigned rank)
{
    return side == 0 ? gy_board & ((UINT64_C(1) << 8 * (rank + 1)) - 1) : gy_board & (~UINT64_C(0) << 8 * (rank + 1)) << 8;
}

/* Squares for a ring that comes from a throne or is displaced, with the other rings on `occupied`: empty ones, not
 * nearer to `opponent` than the opponent's active rank (G7). */
static inline uint64_t gy_places(unsigned opponent, uint64_t occupied)
{
    return gy_board & ~occupied & ~gy_nearer(opponent, gy_nearest_rank(opponent, occupied));
}

#include "gyges/paths.c"

/* ---- setup (G3) ---- */

static uint8_t gy_setups[GY_SETUPS][6]; /* in the order of their texts */

static void gy_fill_setups(void)
{
    int count = 0;
    for (int code = 0; code < 729; code++) {
        uint8_t row[6], used[4] = {0, 0, 0, 0};
        for (int file = 5, rest = code; file >= 0; file--, rest /= 3) {
            row[file] = (uint8_t)(rest % 3 + 1);
            used[row[file]]++;
        }
        if (used[1] == 2 && used[2] == 2 && used[3] == 2)
            memcpy(gy_setups[count++], row, sizeof row);
    }
}

static void gy_init(void)
{
    gy_fill_ways();
    gy_fill_setups();
}

/* Fewer than eleven rings on the squares: South or North is to set up. */
static inline bool gy_setting_up(const gy_position *p) { return rf_popcount(gy_occupied(p)) <= 6; }

/* ---- plies ---- */

static int gy_outcome(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    if (p->goals[0] == 0)
        return 1;
    return p->goals[1] == 0 ? 2 : RF_OUTCOME_NONE;
}

static size_t gy_list_ring(const gy_position *p, unsigned from, uint64_t ends, rf_ply *out)
{
    uint64_t others = gy_occupied(p) & ~gy_bit(from);
    size_t count = 0;
    for (uint64_t rest = ends & ~others; rest != 0; rest &= rest - 1)
        out[count++] = gy_ply(GY_MOVE, from, rf_lowest(rest), 0);
    uint64_t targets = ends & others;
    if (targets == 0)
        return count;
    uint64_t places = gy_places(1 - p->side, others);
    for (; targets != 0; targets &= targets - 1)
        for (uint64_t rest = places; rest != 0; rest &= rest - 1)
            out[count++] = gy_ply(GY_DISPLACE, from, rf_lowest(targets), rf_lowest(rest));
    return count;
}

static uint64_t gy_count_ring(const gy_position *p, unsigned from, uint64_t ends)
{
    uint64_t others = gy_occupied(p) & ~gy_bit(from);
    return rf_popcount(ends & ~others) + rf_popcount(ends & others) * rf_popcount(gy_places(1 - p->side, others));
}

/* The rings that may move: those of the first rank from the player that has a ring with a legal move (G4). Every way
 * that ends has a legal ply, since rings on the ranks that G7 allows leave at least one of their squares empty. */
static uint64_t gy_movers(const gy_position *p)
{
    uint64_t left = gy_occupied(p);
    while (left != 0) {
        uint64_t rank = left & gy_rank(gy_nearest_rank(p->side, left));
        for (uint64_t rest = rank; rest != 0; rest &= rest - 1)
            if (gy_can_move(p, rf_lowest(rest)))
                return rank;
        left &= ~rank;
    }
    return 0;
}

static size_t gy_generate(const void *ctx, const rf_state *s, rf_ply *out)
{
    const gy_position *p = (const gy_position *)s;
    size_t count = 0;
    if (gy_outcome(ctx, s) != RF_OUTCOME_NONE)
        return 0;
    if (p->throne != 0) {
        for (uint64_t rest = gy_places(1 - p->side, gy_occupied(p)); rest != 0; rest &= rest - 1)
            out[count++] = gy_ply(GY_PUT, 0, rf_lowest(rest), 0);
        return count;
    }
    if (gy_setting_up(p)) {
        for (; count < GY_SETUPS; count++)
            out[count] = gy_ply(GY_SETUP, 0, (unsigned)count, 0);
        return count;
    }
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lowest(rest);
        count += gy_list_ring(p, from, gy_ends(p, from), out + count);
    }
    return count;
}

static uint64_t gy_count(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    if (gy_outcome(ctx, s) != RF_OUTCOME_NONE)
        return 0;
    if (p->throne != 0)
        return rf_popcount(gy_places(1 - p->side, gy_occupied(p)));
    if (gy_setting_up(p))
        return GY_SETUPS;
    uint64_t count = 0;
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lowest(rest);
        count += gy_count_ring(p, from, gy_ends(p, from));
    }
    return count;
}

static void gy_move_ring(gy_position *p, rf_ply ply)
{
    unsigned from = gy_from(ply), to = gy_to(ply), height = gy_height(p, from);
    gy_lift(p, from); /* first, since a displaced ring can go there */
    if (gy_kind_of(ply) == GY_DISPLACE) {
        gy_place(p, gy_drop(ply), gy_height(p, to));
        gy_lift(p, to);
    }
    if (to == GY_THRONE) {
        p->throne = (uint8_t)height;
        p->goals[p->side]--;
    } else {
        gy_place(p, to, height);
    }
    p->side = 1 - p->side;
}

static void gy_apply(const void *ctx, const rf_state *s, rf_ply ply, rf_state *out)
{
    const gy_position *p = (const gy_position *)s;
    gy_position next = *p;
    unsigned to = gy_to(ply);
    (void)ctx;
    switch (gy_kind_of(ply)) {
    case GY_PUT: /* the same player then moves (G9) */
        gy_place(&next, to, p->throne);
        next.throne = 0;
        break;
    case GY_SETUP:
        for (unsigned file = 0; file < 6; file++)
            gy_place(&next, gy_square(file, p->side == 0 ? 0 : 5), gy_setups[to][file]);
        next.side = 1 - p->side;
        break;
    case GY_MOVE:
    case GY_DISPLACE:
        gy_move_ring(&next, ply);
        break;
    }
    *(gy_position *)out = next;
}

static unsigned gy_player(const void *ctx, const rf_state *s)
{
    (void)ctx;
    return ((const gy_position *)s)->side + 1u;
}

static unsigned gy_players(const void *ctx, const rf_state *s)
{
    (void)ctx;
    (void)s;
    return 2;
}

/* Putting the ring back does not count as a turn (G9): while a ring is on the throne the turn has not begun, and once
 * it is put back the text no longer shows it. */
static bool gy_mid_turn(const void *ctx, const rf_state *s)
{
    (void)ctx;
    (void)s;
    return false;
}

static bool gy_is_chance(const void *ctx, const rf_state *s)
{
    (void)ctx;
    (void)s;
    return false;
}

static uint32_t gy_weight(const void *ctx, const rf_state *s, rf_ply ply)
{
    (void)ctx;
    (void)s;
    (void)ply;
    return 0;
}

static uint64_t gy_hash(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    uint64_t rest = (uint64_t)(p->side | p->throne << 1 | p->goals[0] << 3 | p->goals[1] << 7);
    return rf_mix(rf_mix(p->low, p->high), rest);
}

#include "gyges/text.c"
#include "gyges/threats.c"
#include "gyges/wins.c"

#define RF_PREFIX gy_
#include "perft.inc"
#undef RF_PREFIX

const rf_game RF_EXPORT(rf_game_gyges) = {
    .id = "gyges",
    .start = "gyges ....../....../....../....../....../...... s - 1+1",
    .state_size = sizeof(gy_position),
    .max_plies = GY_MAX_PLIES,
    .max_text = GY_MAX_TEXT,
    .max_ply_text = GY_MAX_PLY_TEXT,
    .solver = RF_SOLVER_WIN,
    .needs_context = false,
    .init = gy_init,
    .parse = gy_parse,
    .format = gy_format,
    .parse_ply = gy_parse_ply,
    .format_ply = gy_format_ply,
    .generate = gy_generate,
    .count = gy_count,
    .apply = gy_apply,
    .outcome = gy_outcome,
    .player = gy_player,
    .players = gy_players,
    .mid_turn = gy_mid_turn,
    .is_chance = gy_is_chance,
    .weight = gy_weight,
    .hash = gy_hash,
    .perft = gy_perft,
    .hints_size = sizeof(gy_hints),
    .wins_now = gy_wins_now,
    .useful_plies = gy_useful_plies,
    .wins_soon = gy_wins_soon,
    .learn = gy_learn,
    .safe_plies = gy_safe_plies,
    .count_safe = gy_count_safe,
};
