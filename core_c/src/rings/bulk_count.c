/* perft of the last two or three plies in bulk: the last ply is never generated and the last but one seldom.
 *
 * A side's plies are counted from sums over its knights, which are kept up to date when a knight moves. They need no
 * points: only which squares hold free rings and knights, how many rings each knight holds, and the hands. */
#include "rings/rings.h"

/* For each square how many of a set of knights reach it, at most seven (K2): three bit planes. */
enum { KR_PLANES = 3 };
typedef struct {
    uint64_t plane[KR_PLANES];
} kr_counter;

typedef struct {
    uint64_t knights;
    kr_counter steps; /* knights without rings that stand beside the square (K4) */
    kr_counter aims;  /* holders for which the square is exactly as far away as they go (K5) */
    unsigned moves;   /* of all knights; drops are not among them */
    unsigned hand;
} kr_side_sums;

typedef struct {
    uint64_t board, free;
    kr_side_sums sides[2];
    uint8_t *rings; /* what the knight on a square holds; means nothing on squares without a knight */
} kr_sums;

/* ---- counters ---- */

static inline void kr_add(kr_counter *c, uint64_t squares)
{
    uint64_t carry = c->plane[0] & squares;
    c->plane[0] ^= squares;
    c->plane[2] ^= c->plane[1] & carry;
    c->plane[1] ^= carry;
}

static inline void kr_subtract(kr_counter *c, uint64_t squares)
{
    uint64_t borrow = ~c->plane[0] & squares;
    c->plane[0] ^= squares;
    c->plane[2] ^= ~c->plane[1] & borrow;
    c->plane[1] ^= borrow;
}

static inline unsigned kr_at(const kr_counter *c, unsigned square)
{
    return (unsigned)((c->plane[0] >> square & 1) | (c->plane[1] >> square & 1) << 1 |
                      (c->plane[2] >> square & 1) << 2);
}

static inline uint64_t kr_any(const kr_counter *c) { return c->plane[0] | c->plane[1] | c->plane[2]; }

/* The sum of a counter over some squares. */
static inline unsigned kr_sum(const kr_counter *c, uint64_t squares)
{
    unsigned sum = rf_popcount(c->plane[0] & squares);
    if (((c->plane[1] | c->plane[2]) & squares) != 0)
        sum += 2 * rf_popcount(c->plane[1] & squares) + 4 * rf_popcount(c->plane[2] & squares);
    return sum;
}

/* The sum of the products of two counters over some squares. */
static inline unsigned kr_sum_products(const kr_counter *a, const kr_counter *b, uint64_t squares)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < KR_PLANES; i++)
        if ((a->plane[i] & squares) != 0)
            sum += kr_sum(b, a->plane[i] & squares) << i;
    return sum;
}

/* ---- sums ---- */

/* The squares that a knight of `side` with this number of rings reaches from a square (K4, K5). */
static inline uint64_t kr_onto(const kr_sums *p, unsigned side, unsigned square, unsigned rings)
{
    uint64_t onto = rings == 0 ? p->board & ~p->sides[side].knights : p->free | p->sides[!side].knights;
    return kr_targets[square][rings] & onto;
}

static inline unsigned kr_mobility(const kr_sums *p, unsigned side, unsigned square)
{
    return rf_popcount(kr_onto(p, side, square, p->rings[square]));
}

/* Moves and drops (K8) of a side. */
static inline unsigned kr_plies(const kr_sums *p, unsigned side)
{
    const kr_side_sums *own = &p->sides[side];
    return own->moves + (own->hand > 0 ? rf_popcount(p->free) : 0);
}

static inline kr_counter *kr_counter_of(kr_side_sums *own, unsigned rings)
{
    return rings == 0 ? &own->steps : &own->aims;
}

/* A knight leaves the board. What the others gain or lose by it: a knight without rings may go where its own side no
 * longer stands (K4), a holder no longer where no enemy stands (K5). */
static inline void kr_lift(kr_sums *p, unsigned side, unsigned square)
{
    kr_side_sums *own = &p->sides[side], *other = &p->sides[!side];
    unsigned rings = p->rings[square];
    own->moves -= kr_mobility(p, side, square);
    kr_subtract(kr_counter_of(own, rings), kr_targets[square][rings] & p->board);
    own->knights ^= kr_bit(square);
    own->moves += kr_at(&own->steps, square);
    other->moves -= kr_at(&other->aims, square);
}

/* A knight comes to a square without a knight; a free ring there is among `rings` (K6). The other side's holders reach
 * a ring as they reach an enemy; its own holders lose the ring. */
static inline void kr_place(kr_sums *p, unsigned side, unsigned square, unsigned rings)
{
    kr_side_sums *own = &p->sides[side], *other = &p->sides[!side];
    uint64_t bit = kr_bit(square);
    if (p->free & bit) {
        own->moves -= kr_at(&own->aims, square);
        p->free ^= bit;
    } else {
        other->moves += kr_at(&other->aims, square);
    }
    own->moves -= kr_at(&own->steps, square);
    own->knights |= bit;
    p->rings[square] = (uint8_t)rings;
    own->moves += kr_mobility(p, side, square);
    kr_add(kr_counter_of(own, rings), kr_targets[square][rings] & p->board);
}

/* A lifted knight of `side` comes to a square (K6, K7). */
static inline void kr_arrive(kr_sums *p, unsigned side, unsigned square, unsigned rings)
{
    uint64_t bit = kr_bit(square);
    if (p->sides[!side].knights & bit) {
        unsigned taken = p->rings[square];
        kr_lift(p, !side, square);
        p->sides[!side].hand += taken > 0;
        rings += taken;
    } else {
        rings += (p->free & bit) != 0;
    }
    kr_place(p, side, square, rings);
}

static void kr_sum_up(kr_sums *p, const kr_state *s, uint8_t *rings)
{
    memset(p, 0, sizeof *p);
    p->board = kr_board[s->files];
    p->free = kr_free(s);
    p->rings = rings;
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++) {
        p->sides[side].knights = s->knights[side];
        p->sides[side].hand = s->hands[side];
    }
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++) {
        kr_side_sums *own = &p->sides[side];
        for (uint64_t left = own->knights; left != 0; left &= left - 1) {
            unsigned square = rf_lowest(left), held = kr_rings(s, square);
            rings[square] = (uint8_t)held;
            own->moves += kr_mobility(p, side, square);
            kr_add(kr_counter_of(own, held), kr_targets[square][held] & p->board);
        }
    }
}

/* ---- one ply after another ---- */

typedef uint64_t kr_counting(const kr_sums *p, unsigned mover);

/* The sum of `count` over all moves and drops of a side. */
static inline uint64_t kr_sum_over_plies(const kr_sums *p, unsigned mover, kr_counting *count)
{
    uint64_t total = 0;
    for (uint64_t left = p->sides[mover].knights; left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left), rings = p->rings[from];
        kr_sums lifted = *p;
        kr_lift(&lifted, mover, from);
        for (uint64_t to = kr_onto(p, mover, from, rings); to != 0; to &= to - 1) {
            unsigned square = rf_lowest(to);
            uint8_t stood = p->rings[square];
            kr_sums after = lifted;
            kr_arrive(&after, mover, square, rings);
            total += count(&after, !mover);
            p->rings[square] = stood;
        }
    }
    if (p->sides[mover].hand == 0)
        return total;
    for (uint64_t to = p->free; to != 0; to &= to - 1) {
        unsigned square = rf_lowest(to);
        uint8_t stood = p->rings[square];
        kr_sums after = *p;
        after.sides[mover].hand--;
        kr_arrive(&after, mover, square, 0);
        total += count(&after, !mover);
        p->rings[square] = stood;
    }
    return total;
}

/* The plies after a ply that was not a pass: one pass at least (K9), none if the game is over (K10). */
static uint64_t kr_one_ply(const kr_sums *p, unsigned mover)
{
    if (mover == KR_SOUTH && p->free == 0)
        return 0;
    unsigned plies = kr_plies(p, mover);
    return plies > 0 ? plies : 1;
}

/* ---- two plies ---- */

/* North's plies onto the last free ring end the game (K10). What kr_two_plies counts for them. */
static uint64_t kr_after_last_ring(const kr_sums *p, unsigned base)
{
    const kr_side_sums *north = &p->sides[KR_NORTH], *south = &p->sides[KR_SOUTH];
    unsigned each = base - (south->hand > 0);
    uint64_t total = north->hand > 0 ? each : 0;
    for (uint64_t left = north->knights; left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left);
        if (kr_onto(p, KR_NORTH, from, p->rings[from]) & p->free)
            total += each - kr_at(&south->aims, from);
    }
    return total;
}

/* How many knights of the mover that attack the holder on a square does this holder attack itself. Distances are the
 * same in both directions, so these are the enemies at its distance that go as far. */
static inline unsigned kr_mutual(const kr_sums *p, unsigned mover, unsigned square)
{
    unsigned mutual = 0, distance = p->rings[square];
    for (uint64_t left = kr_targets[square][distance] & p->sides[mover].knights; left != 0; left &= left - 1) {
        unsigned rings = p->rings[rf_lowest(left)];
        mutual += (rings > 0 ? rings : 1) == distance;
    }
    return mutual;
}

/* The plies of `mover` and one more, if the last ply was not a pass and free rings are left.
 *
 * Let `base` be the plies that the other side has now. After a ply of the mover from one square to another it has
 *   base
 *   - its holders that aim at the square the mover leaves (K5), unless the ply is a drop
 *   + its holders that aim at the square the mover comes to, if that was empty (K5)
 *   - 1 if the mover takes a free ring and it has a knight in hand (K8)
 * and after a capture (K7) instead of the last two
 *   + its holders that aim at the captured knight and its knights without rings beside it (K4, K5)
 *   - the moves of the captured knight
 *   + 1 if that is a holder which aims at the square the mover leaves: counted in two of the above
 *   + all free rings, if that is a holder and the hand was empty (K7, K8),
 * but at least 1, a pass (K9). The sum of each line over all plies of the mover is a few sums over squares. */
static uint64_t kr_two_plies(const kr_sums *p, unsigned mover)
{
    if (p->free == 0)
        return 0; /* K10: over now, or after North's last turn */
    const kr_side_sums *own = &p->sides[mover], *other = &p->sides[!mover];
    unsigned plies = kr_plies(p, mover), base = kr_plies(p, !mover), rings = rf_popcount(p->free);
    if (plies == 0)
        return base > 0 ? base : 1;
    int64_t total = (int64_t)plies * base;

    unsigned most_left = 0; /* the most holders of the other side that aim at one knight of the mover */
    for (uint64_t left = own->knights & kr_any(&other->aims); left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left), aims = kr_at(&other->aims, from);
        most_left = aims > most_left ? aims : most_left;
        total -= aims * kr_mobility(p, mover, from);
    }

    unsigned most_taken = other->hand > 0; /* the most moves of a knight that can be captured, or the ring taken */
    for (uint64_t left = other->knights & (kr_any(&own->aims) | kr_any(&own->steps)); left != 0; left &= left - 1) {
        unsigned square = rf_lowest(left), moves = kr_mobility(p, !mover, square);
        int64_t gain = (int64_t)(kr_at(&other->aims, square) + kr_at(&other->steps, square)) - moves;
        if (p->rings[square] > 0) {
            gain += other->hand == 0 ? rings : 0;
            total += kr_mutual(p, mover, square);
        }
        total += gain * (kr_at(&own->aims, square) + kr_at(&own->steps, square));
        most_taken = moves > most_taken ? moves : most_taken;
    }
    if (base < most_left + most_taken + 1)
        return kr_sum_over_plies(p, mover, kr_one_ply);

    uint64_t empty = p->board & ~(p->free | own->knights | other->knights);
    total += kr_sum_products(&other->aims, &own->steps, empty);
    if (other->hand > 0)
        total -= kr_sum(&own->aims, p->free) + kr_sum(&own->steps, p->free) + (own->hand > 0 ? rings : 0);
    if (mover == KR_NORTH && rings == 1)
        total -= (int64_t)kr_after_last_ring(p, base);
    return (uint64_t)total;
}

/* ---- perft ---- */

uint64_t kr_count_bulk(const void *ctx, const rf_state *state, unsigned depth, rf_ply *lists)
{
    (void)ctx, (void)lists;
    const kr_state *s = kr_read(state);
    uint8_t rings[KR_SQUARES] = {0};
    kr_sums p;
    if (s->passes == 2 || kr_free(s) == 0)
        return 0; /* K9, K10: over now, or after North's last turn */
    kr_sum_up(&p, s, rings);
    if (kr_plies(&p, s->side) > 0)
        return depth == 2 ? kr_two_plies(&p, s->side) : kr_sum_over_plies(&p, s->side, kr_two_plies);
    if (s->passes == 1)
        return 0; /* this is the second pass in a row (K9) */
    if (depth == 2)
        return kr_one_ply(&p, !s->side);
    return kr_plies(&p, !s->side) > 0 ? kr_two_plies(&p, !s->side) : 0;
}
