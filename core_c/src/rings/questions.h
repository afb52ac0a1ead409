/* What the files that search for margins call in each other. holders.c: positions without bare knights; last_ring.c:
 * what one free ring tells at once; bare_knight.c: one bare knight; endless.c: whether best play ends. */
#ifndef RINGFEN_RINGS_QUESTIONS_H
#define RINGFEN_RINGS_QUESTIONS_H

#include "rings/rings.h"
#include "search/threshold.h"

enum { KR_NOBODY = 2 }; /* in place of the bare knight's side */
/* In place of the square a ply comes from: the bare knight steps, lands, captures the other one. */
enum { KR_STEP = 60, KR_LAND = 61, KR_MEET = 63 };
#define KR_ALL_SQUARES ((UINT64_C(1) << KR_SQUARES) - 1)

typedef struct {
    rf_margin *m;
    rf_control *control;
    int threshold;
    unsigned attacker; /* side */
} kr_question;

/* Squares of the bare knight. */
typedef struct {
    uint64_t succeeds, fails;
} kr_sets;

static inline bool kr_meets(const kr_question *q, int score)
{
    return q->attacker == KR_SOUTH ? score >= q->threshold : score < q->threshold;
}

/* All squares next to one of the set. */
static inline uint64_t kr_beside(uint64_t set, unsigned files)
{
    const uint64_t first = UINT64_C(0x0040810204081), last = first << (KR_FILES - 1);
    uint64_t aside = (set & ~last) << 1 | (set & ~first) >> 1, row = set | aside;
    return (aside | row << KR_FILES | row >> KR_FILES) & kr_board[files];
}

/* ---- holders.c ---- */

RF_PRIVATE void kr_after(const kr_state *s, rf_ply ply, kr_state *out);
/* Plies onto rings and knights that are there, and drops. */
RF_PRIVATE size_t kr_list_progress(const kr_state *s, unsigned side, rf_ply *out);
/* North's last turn (K10): only captures change the score. */
RF_PRIVATE kr_sets kr_last_turn(const kr_question *q, const kr_state *s, int score, unsigned owner, uint64_t all);

/* The mover's points less the other side's that the mover is asked for. Nobody can go on for ever here, so it makes
 * no difference who the attacker is. */
static inline int kr_needs(const kr_question *q, unsigned side)
{
    return side == KR_SOUTH ? q->threshold : 1 - q->threshold;
}

static inline unsigned kr_kind(const kr_state *s, uint64_t bit)
{
    return s->ring[0] & bit ? 0 : s->ring[1] & bit ? 1 : 2;
}

/* The most points that a knight on `squares` holds. */
static inline int kr_most_held(const kr_state *s, uint64_t squares)
{
    int most = 0;
    for (; squares != 0; squares &= squares - 1) {
        int points = (int)kr_points_held(s, rf_lowest(squares));
        most = points > most ? points : most;
    }
    return most;
}

/* The knights of a side and where they can come to, were there something. */
typedef struct {
    size_t count;
    uint64_t from[KR_FILES], to[KR_FILES];
} kr_ways;

static inline kr_ways kr_find_ways(const kr_state *s, unsigned side)
{
    kr_ways ways;
    ways.count = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        ways.from[ways.count] = left & -left;
        ways.to[ways.count++] = kr_targets[rf_lowest(left)][kr_rings(s, rf_lowest(left))];
    }
    return ways;
}

/* Move ordering: plies of a higher score are tried first. Captures of bare knights (knights without rings) come first,
 * then plies that leave the other side few plies or one bare knight less, rings before captures. No bare knight stands
 * on the board of `s`. */
RF_PRIVATE int kr_order_score(const kr_state *s, rf_ply ply, const kr_ways *theirs);
/* Puts plies into the order in which they are tried, those of bare knights among them. */
RF_PRIVATE void kr_sort(const kr_question *q, const kr_state *s, rf_ply best, rf_ply *plies, size_t count);
/* The attacker's answer for a position without bare knights; RF_UNDECIDED only if control->stopped. */
RF_PRIVATE int kr_ask_without(const kr_question *q, const kr_state *s);

/* ---- last_ring.c ---- */

/* Where the mover certainly gets what it wants, and where it may, by squares of its own bare knights and of the other
 * side's. */
typedef struct {
    size_t ways; /* to take the ring at once with a holder or from hand */
    uint64_t safe[KR_FILES + 1]; /* by way: sure if all of the others' stand here, wherever its own do */
    uint64_t lands;        /* sure with one of its own here, */
    uint64_t safe_landing; /* if all of the others' stand here */
    bool hopes;            /* it may, with any bare knights */
    uint64_t hopes_mine;   /* it may with one of its own here */
    uint64_t hopes_other;  /* it may with one of the others' here */
} kr_static_bounds;

/* Where bare knights can land, but for landings that the static bounds decide. */
RF_PRIVATE uint64_t kr_landings(const kr_question *q, const kr_state *s);
RF_PRIVATE size_t kr_list_holders(const kr_question *q, const kr_state *s, rf_ply *out);
/* What can be told of a position with one free ring; bare knights, if there are any, are not on its board.
 * `has_bare`: the mover has some. */
RF_PRIVATE kr_static_bounds kr_find_static_bounds(const kr_question *q, const kr_state *s, bool has_bare);
/* Squares of one bare knight. */
RF_PRIVATE kr_sets kr_find_static_sets(const kr_question *q, const kr_state *s, unsigned owner);

/* ---- bare_knight.c ---- */

static inline uint64_t kr_bare_knights(const kr_state *s, unsigned side)
{
    uint64_t bare = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        if (kr_rings(s, rf_lowest(left)) == 0)
            bare |= left & -left;
    return bare;
}

/* The attacker's answer as a set of one kind. */
static inline kr_sets kr_sets_of(int answer, uint64_t squares)
{
    return (kr_sets){answer == RF_SUCCEEDS ? squares : 0, answer == RF_FAILS ? squares : 0};
}

static inline uint64_t kr_empty(const kr_state *s)
{
    return kr_board[s->files] & ~(kr_free(s) | s->knights[KR_SOUTH] | s->knights[KR_NORTH]);
}

static inline uint64_t kr_sets_key(int threshold, uint64_t hash, unsigned owner)
{
    uint64_t question = (uint64_t)(threshold + RF_MOST_MARGIN) * 4 + owner + 1;
    return rf_mix(hash, question);
}

/* The bare knight of `owner`, who is to play, comes to a ring or a holder, and is none any more. */
RF_PRIVATE void kr_land(const kr_state *s, unsigned owner, unsigned to, kr_state *out);
/* Empty squares onto which the holders of `side` could come, were there an enemy. */
RF_PRIVATE uint64_t kr_strikes(const kr_state *s, unsigned side);
/* The answers for at least the squares `asked`; with control->stopped, nothing that holds. The bare knight itself, of
 * side `owner`, is not on the board of `s`, where nobody has one. Depth of recursion: with every second ply a ring is
 * taken or a knight leaves the board, so it is bounded by the pieces of the game. */
RF_PRIVATE kr_sets kr_ask_sets(const kr_question *q, const kr_state *s, unsigned owner, uint64_t asked);

/* ---- holders.c, bare_knight.c, endless.c: members of rf_game ---- */

/* rf_margin_part.bounds: of positions without bare knights. */
RF_PRIVATE bool kr_margin_bounds(rf_margin *m, const void *ctx, const rf_state *state, int threshold, int bounds[2],
                                 rf_control *control);
/* rf_margin_part.endless: of positions with one bare knight. */
RF_PRIVATE int kr_margin_endless(rf_margin *m, const void *ctx, const rf_state *state, rf_margin_way *way,
                                 rf_control *control);
/* rf_margin_part.board. */
RF_PRIVATE uint64_t kr_margin_board(const void *ctx, const rf_state *state);
/* search/threshold.inc: the order of plies while there are more. */
RF_PRIVATE unsigned kr_rank(const rf_state *state, rf_ply ply);
/* search/threshold.inc: an answer for positions with at most one bare knight. */
RF_PRIVATE int kr_settle(const rf_state *state, int threshold, rf_margin *m, rf_control *control);

#endif
