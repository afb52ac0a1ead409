/* Moves on boards without bare knights, and the order in which plies are tried.
 *
 * Idea: plies that leave the other side few replies come first (mobility), rings and captures get a bonus, and the
 * history heuristic decides between similar plies (moves.c).
 *
 * All three searches use kr_order_score. bare_knight.c and holders.c add the logarithm of the history to it
 * (kr_order_weight). threshold.c divides it into classes and compares the history within a class.
 *
 * Invariant: a ply of a bare knight, which is not on the board, has one of the KR_BARE_* numbers in place of the
 * square it comes from.
 *
 * Example: kr_ply(KR_BARE_TAKES, d4) takes the ring or holder on d4 with a bare knight next to it; one such ply
 * stands for the bare knight on any of the eight squares around d4. */
#ifndef RINGFEN_RINGS_MOVES_H
#define RINGFEN_RINGS_MOVES_H

#include "rings/solver/lead_bound.h"

/* In place of the square a ply comes from: the bare knight steps to an empty square; takes a ring or a holder;
 * captures another bare knight. */
enum { KR_BARE_STEPS = 60, KR_BARE_TAKES = 61, KR_BARE_CAPTURES_BARE = 63 };

static inline void kr_after(const kr_state *s, rf_ply ply, kr_state *out)
{
    *out = *s;
    kr_play(out, ply);
}

static inline unsigned kr_kind(const kr_state *s, uint64_t bit)
{
    return s->ring[0] & bit ? 0 : s->ring[1] & bit ? 1 : 2;
}

/* The points of the one free ring. */
static inline int kr_last_ring_points(const kr_state *s) { return 1 + 2 * (int)kr_kind(s, kr_free(s)); }

static inline bool kr_one_bit(uint64_t set) { return (set & (set - 1)) == 0; }

/* All squares next to one of the set. */
static inline uint64_t kr_neighbours(uint64_t set, unsigned files)
{
    const uint64_t first = UINT64_C(0x0040810204081), last = first << (KR_FILES - 1);
    uint64_t aside = (set & ~last) << 1 | (set & ~first) >> 1, row = set | aside;
    return (aside | row << KR_FILES | row >> KR_FILES) & kr_board[files];
}

static inline uint64_t kr_empty(const kr_state *s)
{
    return kr_board[s->files] & ~(kr_free(s) | s->knights[KR_SOUTH] | s->knights[KR_NORTH]);
}

/* The squares to which the holder on a square can go, if they have a ring or an enemy (K5). */
static inline uint64_t kr_holder_targets(const kr_state *s, unsigned square)
{
    return kr_targets[square][kr_rings(s, square)];
}

/* The squares that the holders of a side attack, without those of the set `except`. */
static inline uint64_t kr_attacked(const kr_state *s, unsigned side, uint64_t except)
{
    uint64_t attacked = 0;
    for (uint64_t left = s->knights[side] & ~except; left != 0; left &= left - 1)
        attacked |= kr_holder_targets(s, rf_lsb(left));
    return attacked;
}

static inline uint64_t kr_bare_knights(const kr_state *s, unsigned side)
{
    uint64_t bare = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        if (kr_rings(s, rf_lsb(left)) == 0)
            bare |= left & -left;
    return bare;
}

/* The most points that a knight on `squares` holds. */
static inline int kr_max_held(const kr_state *s, uint64_t squares)
{
    int max = 0;
    for (; squares != 0; squares &= squares - 1) {
        int points = (int)kr_points_held(s, rf_lsb(squares));
        max = points > max ? points : max;
    }
    return max;
}

/* Whether no position before the ply can repeat after it: all plies but steps of bare knights and passes (K11). */
static inline bool kr_makes_progress(const kr_state *s, rf_ply ply)
{
    if (ply == kr_pass)
        return false;
    return kr_from(ply) == KR_FROM_HAND || ((kr_free(s) | s->knights[!s->side]) & kr_bit(kr_to(ply))) != 0;
}

/* Moves of holders and drops. */
RF_PRIVATE size_t kr_list_progress(const kr_state *s, unsigned side, rf_ply *out);

/* The plies of a position that is not over. */
static inline size_t kr_legal_plies(const kr_state *s, rf_ply *out)
{
    size_t count = kr_list_moves(s, s->side, out);
    if (count == 0)
        out[count++] = kr_pass;
    return count;
}

static inline void kr_state_after(const rf_state *s, rf_ply ply, rf_state *out)
{
    memset(out, 0, sizeof *out);
    kr_after(kr_state_of(s), ply, (kr_state *)out);
}

/* ---- order ---- */

/* The knights of a side and the squares to which they can go, if these have a ring or an enemy. */
typedef struct kr_attacks {
    size_t count;
    uint64_t from[KR_FILES], to[KR_FILES];
} kr_attacks;

RF_PRIVATE kr_attacks kr_find_attacks(const kr_state *s, unsigned side);
/* Plies of a higher score are tried first. No bare knight is on the board. `theirs`: of the side that does not move. */
RF_PRIVATE int kr_order_score(const kr_state *s, rf_ply ply, const kr_attacks *theirs);
/* The same with the history heuristic; above 0. */
RF_PRIVATE uint32_t kr_order_weight(const kr_question *q, const kr_state *s, rf_ply ply, const kr_attacks *theirs);
/* Insertion sort by falling weight: moves plies[at], of weight `weight`, to its place among those before it. */
static inline void kr_insert_sorted(rf_ply *plies, uint32_t *weights, size_t at, uint32_t weight)
{
    rf_ply ply = plies[at];
    for (; at > 0 && weights[at - 1] < weight; at--) {
        weights[at] = weights[at - 1];
        plies[at] = plies[at - 1];
    }
    weights[at] = weight;
    plies[at] = ply;
}

/* Sorts plies, `best` first. */
RF_PRIVATE void kr_sort_plies(const kr_question *q, const kr_state *s, rf_ply best, rf_ply *plies, size_t count);

#endif
