/* Siaius (rules S1 to S10 in core_c/rules/siaius.md): the state, and the functions that the files of the game share.
 *
 * Idea: a state has one set of squares for each kind of stone and one for South's stones, so the moves of all stones of
 * a kind are a few shifts. A view (si_view) arranges these sets for the side that moves.
 *
 * Invariants: a state has no padding, so equal positions have equal bytes. The kinds are disjoint and `south` is a
 * subset of their union. `missed` contains stones of the opponent, but the mover's own while a bonus ply is due (S5,
 * S7). Once the game is over, `missed` is empty and `bonus` is unset.
 *
 * Example: a sun goes from d1 (square 3) to d2 (square 13): kinds[SI_SUN] loses bit 3 and gets bit 13, and so does
 * `south` if it is South's. The ply is si_ply(SI_MOVE, 3, 13). */
#ifndef RINGFEN_SIAIUS_H
#define RINGFEN_SIAIUS_H

#include "game.h"
#include "siaius/board.h"

/* As a member of a state, which is aligned to 8 bytes only. */
typedef si_set si_stored __attribute__((aligned(8)));

enum { SI_NO_SQUARE = 0xff };
/* A ply: its kind from bit 14, the square that it ends on from bit 7, and the square that it begins on. */
enum { SI_MOVE, SI_HUFF, SI_STAY, SI_PASS };
enum { SI_MAX_PASSES = 2, SI_MAX_PLIES = 2048 };

typedef struct RF_MAY_ALIAS {
    si_stored south;           /* South's stones */
    si_stored kinds[SI_KINDS]; /* stones of both sides */
    si_stored missed;          /* the opponent's to be huffed; while a bonus is open, the mover's own (S7) */
    uint8_t files, ranks;
    uint8_t side;
    uint8_t bonus; /* the champion that may make its bonus ply, or SI_NO_SQUARE (S5) */
    uint8_t passes;
    uint8_t reverse; /* beats=reverse (S4) */
    uint8_t huff;
    uint8_t unused;
} si_state;

_Static_assert(sizeof(si_state) == 104 && sizeof(si_state) <= RF_STATE_SIZE, "a state has no padding");

/* ---- describe.c ---- */

extern RF_INTERNAL si_set si_neighbours[SI_SQUARES]; /* on the largest board */

/* Fills si_neighbours. */
RF_INTERNAL void si_init(void);

/* ---- squares and stones ---- */

static inline si_set si_board(const si_state *s) { return si_squares(s->files, s->ranks); }

static inline si_set si_occupied(const si_state *s)
{
    return s->kinds[SI_SUN] | s->kinds[SI_MOON] | s->kinds[SI_STAR] | s->kinds[SI_CHAMPION];
}

static inline si_set si_stones_of(const si_state *s, unsigned side)
{
    return side == SI_SOUTH ? s->south : si_occupied(s) & ~s->south;
}

static inline unsigned si_kind_on(const si_state *s, unsigned square)
{
    const si_set bit = si_bit(square);
    return s->kinds[SI_SUN] & bit ? SI_SUN
           : s->kinds[SI_MOON] & bit ? SI_MOON
           : s->kinds[SI_STAR] & bit ? SI_STAR : SI_CHAMPION;
}

static inline bool si_on_farthest_rank(const si_state *s, unsigned square, unsigned side)
{
    return side == SI_SOUTH ? square >= (s->ranks - 1u) * SI_STRIDE : square < SI_STRIDE;
}

/* ---- what the side to move may do ---- */

/* Everything that moving needs to know, from the view of one side. */
typedef struct {
    si_set own[SI_KINDS];
    si_set prey[SI_KINDS]; /* enemy stones that each kind captures (S4, S6) */
    si_set empty;
    si_set own_all, enemy_all;
} si_view;

static inline si_view si_view_of(const si_state *s, unsigned side)
{
    si_view v;
    si_set occupied = si_occupied(s);
    si_set own = side == SI_SOUTH ? s->south : occupied & ~s->south;
    si_set enemy = occupied & ~own;
    for (unsigned kind = 0; kind < SI_KINDS; kind++)
        v.own[kind] = s->kinds[kind] & own;
    si_set suns = s->kinds[SI_SUN] & enemy, moons = s->kinds[SI_MOON] & enemy, stars = s->kinds[SI_STAR] & enemy;
    v.prey[SI_SUN] = s->reverse ? stars : moons;
    v.prey[SI_MOON] = s->reverse ? suns : stars;
    v.prey[SI_STAR] = s->reverse ? moons : suns;
    v.prey[SI_CHAMPION] = enemy;
    v.empty = si_board(s) & ~occupied;
    v.own_all = own;
    v.enemy_all = enemy;
    return v;
}

/* The stones that can capture now (S7). */
static inline si_set si_could_capture(const si_view *v)
{
    si_set capturers = (v->own[SI_SUN] & si_around(v->prey[SI_SUN])) | (v->own[SI_MOON] & si_around(v->prey[SI_MOON])) |
                  (v->own[SI_STAR] & si_around(v->prey[SI_STAR]));
    if (v->own[SI_CHAMPION] != 0)
        capturers |= si_champion_reach(v->enemy_all, v->empty, v->own[SI_CHAMPION]);
    return capturers;
}

static inline unsigned si_count_ordinary(const si_view *v)
{
    const si_set suns = v->own[SI_SUN], moons = v->own[SI_MOON], stars = v->own[SI_STAR];
    const si_set for_suns = v->empty | v->prey[SI_SUN], for_moons = v->empty | v->prey[SI_MOON],
                 for_stars = v->empty | v->prey[SI_STAR];
    unsigned count = 0;
    /* A square is one step in one direction away from one stone only, so the three sets do not meet. */
#define SI_COUNT(step) \
    count += si_popcount((step(suns) & for_suns) | (step(moons) & for_moons) | (step(stars) & for_stars));
    SI_FOR_EACH_STEP(SI_COUNT)
#undef SI_COUNT
    return count;
}

static inline unsigned si_count_champions(const si_view *v, si_set champions)
{
    const si_set targets = v->empty | v->enemy_all;
    unsigned count = 0;
#define SI_COUNT(step) \
    count += si_popcount(step(champions) & targets) + si_popcount(step(step(champions) & v->empty) & targets);
    SI_FOR_EACH_STEP(SI_COUNT)
#undef SI_COUNT
    return count;
}

static inline unsigned si_count_moves(const si_view *v)
{
    unsigned count = si_count_ordinary(v);
    if (v->own[SI_CHAMPION] != 0)
        count += si_count_champions(v, v->own[SI_CHAMPION]);
    return count;
}

/* ---- plies ---- */

static inline rf_ply si_ply(unsigned what, unsigned from, unsigned to)
{
    return (rf_ply)(what << 14 | to << 7 | from);
}
static inline unsigned si_ply_kind(rf_ply ply) { return ply >> 14; }
static inline unsigned si_from(rf_ply ply) { return ply & 127; }
static inline unsigned si_to(rf_ply ply) { return ply >> 7 & 127; }

static inline si_set si_farthest_rank(const si_state *s, unsigned side)
{
    return side == SI_SOUTH ? (si_set)-1 << (s->ranks - 1u) * SI_STRIDE : si_bit(SI_STRIDE) - 1;
}

/* RF_OUTCOME_* or the winner's player number. */
static inline int si_result(const si_state *s)
{
    if (s->passes == SI_MAX_PASSES)
        return RF_OUTCOME_DRAW; /* S9 */
    if (s->south == 0)
        return SI_NORTH + 1; /* S8 */
    if ((si_occupied(s) & ~s->south) == 0)
        return SI_SOUTH + 1;
    return RF_OUTCOME_NONE;
}

/* ---- siaius.c: members of rf_game ---- */

RF_PRIVATE size_t si_generate(const void *ctx, const rf_state *state, rf_ply *out);
/* S8: the next ply takes the last stone by huffing or capturing it. */
RF_PRIVATE bool si_wins_now(const void *ctx, const rf_state *state);
/* In a turn a side takes at most one stone by a huff, one by its move and one by a bonus ply, which needs a promotion.
 * Each turn of the other side takes at least one ply. */
RF_PRIVATE unsigned si_useful_plies(const void *ctx, const rf_state *state, unsigned player, unsigned plies);
/* All plies: to omit those that lose at once costs as much as it saves (measured). Captures and huffs are threats: only
 * they bring the end nearer. */
RF_PRIVATE size_t si_safe_plies(const void *ctx, const rf_state *state, rf_ply *out, uint8_t *threats);

/* The plies of the player to move, for callers that have the view of a position or need no list. si_capturers: the
 * stones that could capture (S7), or, for a bonus ply, those that have missed a capture. */
RF_PRIVATE si_set si_capturers(const si_state *s, const si_view *v);
RF_PRIVATE void si_move(const si_state *before, const si_view *v, si_set capturers, unsigned from, unsigned to,
                        si_state *out);
RF_PRIVATE void si_huff(const si_state *before, unsigned square, si_state *out);
RF_PRIVATE void si_stay(const si_state *before, si_state *out);
RF_PRIVATE void si_pass(const si_state *before, si_state *out);

/* ---- bulk_count.c ---- */

/* perft of a depth of 2 (perft.inc). */
RF_PRIVATE uint64_t si_count_bulk(const void *ctx, const rf_state *state, unsigned depth, rf_ply *lists);

/* ---- text.c: members of rf_game ---- */

RF_INTERNAL bool si_parse(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
RF_INTERNAL size_t si_format_field(const void *ctx, const rf_state *state, unsigned field, char *out);
RF_INTERNAL size_t si_format_square(const void *ctx, const rf_state *state, unsigned rank, unsigned square, char *out);
RF_INTERNAL bool si_parse_ply(const void *ctx, const rf_state *state, const char *text, size_t length,
                              rf_parsed_ply *out, rf_error *error);
RF_INTERNAL size_t si_format_ply(const void *ctx, const rf_state *state, rf_ply ply, char *out);

/* ---- describe.c ---- */

RF_INTERNAL bool si_image(const void *ctx, const rf_state *s, unsigned symmetry, rf_state *out);
RF_INTERNAL void si_describe(const void *ctx, const rf_state *s, rf_description *out);
extern RF_INTERNAL const char *const si_kind_names[SI_KINDS];
extern RF_INTERNAL const rf_ply_kind_part si_ply_kind_part;

/* ---- tables/index.c ---- */

extern RF_INTERNAL const struct rf_tablebase_part si_table_part;

#endif
