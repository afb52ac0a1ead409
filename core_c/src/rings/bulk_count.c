/* perft of the last two or three plies in bulk.
 *
 * Idea: the last ply is never generated and the last but one seldom. For two plies, the number of replies after each
 * ply of the mover is a sum of terms (see 'two plies' below), and each term is summed over all plies of the mover at
 * once with counters per square. For three plies, one knight of the first mover is lifted, the sums are made once,
 * and each of its targets adds what it changes.
 *
 * Invariants: the sums need no points, only which squares have free rings and knights, how many rings each knight
 * has, and the hands. They are valid only if no ply is a pass (K9); otherwise the replies are added up
 * ply by ply.
 *
 * Example: the mover has 10 plies, the other side has 12 now, and no ply of the mover changes that except two that
 * take a move from one of its holders: 10 * 12 - 2 = 118. */
#include "rings/rings.h"

/* For each square the number of knights of a set that reach it, at most seven (K2), in three bit planes. Squares that
 * the smaller board lacks are counted too and never read. */
enum { KR_PLANES = 3 };
typedef struct kr_counter {
    uint64_t plane[KR_PLANES];
} kr_counter;

typedef struct kr_side_sums {
    uint64_t knights;
    kr_counter steps; /* knights without rings next to the square (K4) */
    kr_counter aims;  /* holders whose distance to the square is the number of their rings (K5) */
    unsigned moves;   /* of all knights, without drops */
    unsigned hand;
} kr_side_sums;

typedef struct kr_sums {
    uint64_t board, free;
    kr_side_sums sides[2];
    uint8_t *rings; /* of the knight on a square; undefined on squares without a knight */
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

/* The sum of two counters of different knights of one side. */
static inline kr_counter kr_both(const kr_counter *a, const kr_counter *b)
{
    kr_counter sum = *a;
    uint64_t carry = sum.plane[0] & b->plane[0];
    sum.plane[0] ^= b->plane[0];
    sum.plane[2] ^= b->plane[2] ^ (sum.plane[1] & b->plane[1]) ^ (carry & (sum.plane[1] ^ b->plane[1]));
    sum.plane[1] ^= b->plane[1] ^ carry;
    return sum;
}

/* ---- sums ---- */

/* Where a knight of `side` with `rings` rings can come to from a square (K4, K5). */
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

/* A knight leaves the board. A knight without rings can then step to its square (K4); a holder of the enemy no longer
 * can (K5). */
static inline void kr_lift(kr_sums *p, unsigned side, unsigned square)
{
    kr_side_sums *own = &p->sides[side], *other = &p->sides[!side];
    unsigned rings = p->rings[square];
    own->moves -= kr_mobility(p, side, square);
    kr_subtract(kr_counter_of(own, rings), kr_targets[square][rings]);
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
    kr_add(kr_counter_of(own, rings), kr_targets[square][rings]);
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

static void kr_init_sums(kr_sums *p, const kr_state *s, uint8_t *rings)
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
            unsigned square = rf_lsb(left), held = kr_rings(s, square);
            rings[square] = (uint8_t)held;
            own->moves += kr_mobility(p, side, square);
            kr_add(kr_counter_of(own, held), kr_targets[square][held]);
        }
    }
}

/* ---- two plies ----
 *
 * Let `base` be the plies that the other side has now. After a ply of the mover from one square to another it has
 *   base
 *   - its holders that aim at the square the mover leaves (K5), unless the ply is a drop
 *   + its holders that aim at the square the mover comes to, if that was empty (K5)
 *   - 1 if the mover takes a free ring and it has a knight in hand (K8)
 * and after a capture (K7) instead of the last two
 *   + its holders that aim at the captured knight and its knights without rings next to it (K4, K5)
 *   - the moves of the captured knight
 *   + 1 if that is a holder which aims at the square the mover leaves: counted in two of the above
 *   + all free rings, if that is a holder and the hand was empty (K7, K8),
 * but at least 1, a pass (K9). Each line is summed over all plies of the mover at once. If one of these numbers may be a
 * pass, or the mover has at most KR_FEW_PLIES plies, the numbers are added up one by one. */
enum { KR_FEW_PLIES = 8 };

/* How many knights of a side attack a square where an enemy is or may come. */
static inline unsigned kr_attackers(const kr_side_sums *s, unsigned square)
{
    return kr_at(&s->aims, square) + kr_at(&s->steps, square);
}

static inline uint64_t kr_at_least_a_pass(int plies) { return plies > 0 ? (uint64_t)plies : 1; } /* K9 */

/* North's ply onto the last free ring ends the game (K10). */
static inline bool kr_ring_ends_game(const kr_sums *p, unsigned mover)
{
    return mover == KR_NORTH && (p->free & (p->free - 1)) == 0;
}

/* The replies to the captures of a knight of the mover on `targets`; `left` are the plies of the other side without its
 * holders that aim at the square which the knight leaves. */
static inline uint64_t kr_replies_to_captures(const kr_sums *p, unsigned mover, unsigned from, uint64_t targets,
                                              int left)
{
    const kr_side_sums *other = &p->sides[!mover];
    uint64_t total = 0;
    for (; targets != 0; targets &= targets - 1) {
        unsigned square = rf_lsb(targets), held = p->rings[square];
        int plies = left + (int)kr_attackers(other, square) - (int)kr_mobility(p, !mover, square);
        if (held > 0) {
            plies += (kr_targets[square][held] & kr_bit(from)) != 0;
            plies += other->hand == 0 ? (int)rf_popcount(p->free) : 0;
        }
        total += kr_at_least_a_pass(plies);
    }
    return total;
}

/* Two plies, from the replies to each ply of the mover. */
static uint64_t kr_two_plies_singly(const kr_sums *p, unsigned mover, unsigned base)
{
    const kr_side_sums *own = &p->sides[mover], *other = &p->sides[!mover];
    const uint64_t rings = kr_ring_ends_game(p, mover) ? 0 : p->free;
    const int drop = other->hand > 0;
    uint64_t total = own->hand > 0 ? rf_popcount(rings) * kr_at_least_a_pass((int)base - drop) : 0;
    for (uint64_t knights = own->knights; knights != 0; knights &= knights - 1) {
        unsigned from = rf_lsb(knights);
        int left = (int)base - (int)kr_at(&other->aims, from);
        uint64_t targets = kr_onto(p, mover, from, p->rings[from]);
        uint64_t steps = targets & ~(p->free | other->knights);
        total += rf_popcount(targets & rings) * kr_at_least_a_pass(left - drop);
        for (; steps != 0; steps &= steps - 1)
            total += kr_at_least_a_pass(left + (int)kr_at(&other->aims, rf_lsb(steps)));
        total += kr_replies_to_captures(p, mover, from, targets & other->knights, left);
    }
    return total;
}

/* All lines but the first. */
typedef struct kr_changes {
    int64_t sum;
    unsigned max_left;      /* the most of the other side's holders that aim at one knight of the mover */
    unsigned max_taken;     /* the most plies that a capture costs the other side; 1 if a ring taken costs a drop */
    unsigned holder_attacks; /* plies of the mover that capture a holder */
    uint64_t attacked;       /* knights of the other side that can be captured */
} kr_changes;

/* The number of knights of the mover that attack a holder on a square and are attacked by it. Distances are the same
 * in both directions, so these are the enemies at its distance that go as far. */
static inline unsigned kr_mutual(const kr_sums *p, unsigned mover, unsigned square, unsigned distance)
{
    unsigned mutual = 0;
    for (uint64_t left = kr_targets[square][distance] & p->sides[mover].knights; left != 0; left &= left - 1) {
        unsigned rings = p->rings[rf_lsb(left)];
        mutual += (rings > 0 ? rings : 1) == distance;
    }
    return mutual;
}

static inline uint64_t kr_empty_squares(const kr_sums *p)
{
    return p->board & ~(p->free | p->sides[KR_SOUTH].knights | p->sides[KR_NORTH].knights);
}

/* Plies of the mover that leave a square at which holders of the other side aim. */
static inline void kr_sum_leaving(const kr_sums *p, unsigned mover, kr_changes *c)
{
    const kr_side_sums *own = &p->sides[mover], *other = &p->sides[!mover];
    for (uint64_t left = own->knights & kr_any(&other->aims); left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left), aims = kr_at(&other->aims, from);
        c->max_left = aims > c->max_left ? aims : c->max_left;
        c->sum -= aims * kr_mobility(p, mover, from);
    }
}

/* Plies of the mover that capture (K7). */
static inline void kr_sum_captures(const kr_sums *p, unsigned mover, kr_changes *c)
{
    const kr_side_sums *own = &p->sides[mover], *other = &p->sides[!mover];
    c->attacked = other->knights & (kr_any(&own->aims) | kr_any(&own->steps));
    for (uint64_t left = c->attacked; left != 0; left &= left - 1) {
        unsigned square = rf_lsb(left), moves = kr_mobility(p, !mover, square);
        unsigned attackers = kr_attackers(own, square), held = p->rings[square];
        unsigned recaptures = kr_attackers(other, square);
        int gain = (int)recaptures - (int)moves;
        if (moves > recaptures && moves - recaptures > c->max_taken)
            c->max_taken = moves - recaptures;
        if (held > 0) {
            gain += other->hand == 0 ? (int)rf_popcount(p->free) : 0;
            c->sum += kr_mutual(p, mover, square, held);
            c->holder_attacks += attackers;
        }
        c->sum += gain * (int)attackers;
    }
}

static inline kr_changes kr_sum_changes(const kr_sums *p, unsigned mover)
{
    const kr_side_sums *own = &p->sides[mover], *other = &p->sides[!mover];
    kr_changes c = {.max_taken = other->hand > 0};
    kr_sum_leaving(p, mover, &c);
    /* Steps to an empty square at which holders aim. */
    c.sum += kr_sum_products(&other->aims, &own->steps, kr_empty_squares(p));
    /* A ring taken is a drop less. */
    if (other->hand > 0) {
        c.sum -= kr_sum(&own->aims, p->free) + kr_sum(&own->steps, p->free);
        c.sum -= own->hand > 0 ? rf_popcount(p->free) : 0;
    }
    kr_sum_captures(p, mover, &c);
    return c;
}

/* North's plies onto the last free ring end the game (K10): what the sums count for them. */
static uint64_t kr_after_last_ring(const kr_sums *p, unsigned base)
{
    const kr_side_sums *north = &p->sides[KR_NORTH], *south = &p->sides[KR_SOUTH];
    unsigned each = base - (south->hand > 0);
    uint64_t total = north->hand > 0 ? each : 0;
    for (uint64_t left = north->knights; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        if (kr_onto(p, KR_NORTH, from, p->rings[from]) & p->free)
            total += each - kr_at(&south->aims, from);
    }
    return total;
}

/* The plies of `mover` and one more, if the last ply was no pass. */
static uint64_t kr_two_plies(const kr_sums *p, unsigned mover)
{
    if (p->free == 0)
        return 0; /* K10: over now, or after North's last turn */
    unsigned plies = kr_plies(p, mover), base = kr_plies(p, !mover);
    if (plies == 0)
        return base > 0 ? base : 1;
    if (plies <= KR_FEW_PLIES)
        return kr_two_plies_singly(p, mover, base);
    kr_changes c = kr_sum_changes(p, mover);
    if (base <= c.max_left + c.max_taken)
        return kr_two_plies_singly(p, mover, base);
    uint64_t total = (uint64_t)((int64_t)plies * base + c.sum);
    if (kr_ring_ends_game(p, mover))
        total -= kr_after_last_ring(p, base);
    return total;
}

/* ---- three plies ----
 *
 * One knight of the first mover is lifted, `kr_changes` is summed up once, and for each empty square or free ring to
 * which the knight comes only what it changes there is added. Captures are played. */

typedef struct kr_lift_sums {
    kr_sums p;          /* with the knight lifted */
    kr_changes changes; /* for the reply */
    unsigned side;      /* the first mover */
    unsigned plies;     /* of the reply */
    unsigned base;
    kr_counter defenders; /* the first mover's knights that reach a square where an enemy is or may arrive */
    kr_counter attackers; /* the other side's */
    uint64_t steps_to;  /* empty squares to which the reply may step */
    uint64_t aimed_at;  /* knights that may reply and at which the first mover's holders aim */
} kr_lift_sums;

/* The two plies after the knight has come to a square, from the sums with the changes there; its capture costs at most
 * `taken` plies. False: the sums are not valid, as one of the plies may be a pass. */
static inline bool kr_sum_replies(const kr_lift_sums *l, int64_t change, unsigned plies, unsigned base,
                                  unsigned max_left, int taken, uint64_t *total)
{
    unsigned max_taken = taken > (int)l->changes.max_taken ? (unsigned)taken : l->changes.max_taken;
    if (plies == 0 || base <= max_left + max_taken)
        return false;
    *total += (uint64_t)((int64_t)plies * base + l->changes.sum + change);
    return true;
}

/* The lifted knight holds no ring and steps to an empty square (K4). */
static inline bool kr_sum_step(const kr_lift_sums *l, unsigned square, uint64_t *total)
{
    const kr_sums *p = &l->p;
    const kr_side_sums *own = &p->sides[l->side], *other = &p->sides[!l->side];
    uint64_t bit = kr_bit(square), beside = kr_targets[square][0];
    unsigned steps = kr_at(&own->steps, square), aims = kr_at(&own->aims, square);
    unsigned other_steps = kr_at(&other->steps, square), other_aims = kr_at(&other->aims, square);
    unsigned moves = rf_popcount(beside & p->board & ~own->knights);
    /* The square is no longer empty. */
    int change = -(int)(aims * other_steps);
    /* The knight itself can be captured there. */
    change += (int)(other_steps + other_aims) * ((int)(aims + steps) - (int)moves);
    /* Holders that aim at the square have one move more. */
    if (other_aims > 0)
        for (uint64_t left = l->aimed_at; left != 0; left &= left - 1) {
            unsigned from = rf_lsb(left), rings = p->rings[from];
            if (rings > 0 && (kr_targets[from][rings] & bit))
                change -= (int)kr_at(&own->aims, from);
        }
    /* The knight can recapture next to it, and its neighbours without rings have one move less to lose. */
    for (uint64_t left = l->changes.attacked & beside; left != 0; left &= left - 1) {
        unsigned at = rf_lsb(left);
        change += (int)(kr_at(&l->attackers, at) << (p->rings[at] == 0));
    }
    return kr_sum_replies(l, change, l->plies + other_aims, l->base - steps + moves, l->changes.max_left,
                          (int)moves - (int)(aims + steps), total);
}

/* What the replies gain or lose if the lifted knight comes to the ring on `square` and then aims at `aim`: all terms
 * except those of the knight's own capture. */
static inline int kr_take_change(const kr_lift_sums *l, unsigned square, uint64_t aim)
{
    const kr_sums *p = &l->p;
    const kr_side_sums *own = &p->sides[l->side], *other = &p->sides[!l->side];
    int change = 0;
    /* 1. Steps of the reply to empty squares at which the knight aims, and plies of knights at which it aims. */
    if (aim & l->steps_to)
        change += (int)kr_sum(&other->steps, aim & l->steps_to);
    for (uint64_t left = aim & other->knights; left != 0; left &= left - 1)
        change -= (int)kr_mobility(p, !l->side, rf_lsb(left));
    /* 2. The reply has one ring less to take, and a captured holder one ring less for its drop. */
    if (own->hand > 0)
        change += (int)(kr_at(&l->attackers, square) + (other->hand > 0));
    else
        change -= (int)l->changes.holder_attacks;
    /* 3. The knight can recapture where it aims, and knights that could come to the ring have one move less to lose. */
    for (uint64_t left = l->changes.attacked; left != 0; left &= left - 1) {
        unsigned at = rf_lsb(left);
        unsigned more = (aim & kr_bit(at)) != 0;
        more += (kr_targets[at][p->rings[at]] & kr_bit(square)) != 0;
        change += (int)(more * kr_at(&l->attackers, at));
    }
    return change;
}

/* The lifted knight takes a free ring and has `held` rings then (K5, K6, K8). */
static inline bool kr_sum_take(const kr_lift_sums *l, unsigned square, unsigned held, uint64_t *total)
{
    const kr_sums *p = &l->p;
    const kr_side_sums *own = &p->sides[l->side], *other = &p->sides[!l->side];
    uint64_t aim = kr_targets[square][held];
    unsigned moves = rf_popcount(aim & ((p->free ^ kr_bit(square)) | other->knights));
    unsigned defenders = kr_at(&l->defenders, square), attackers = kr_at(&l->attackers, square);
    int change = kr_take_change(l, square, aim);
    if (attackers > 0) { /* the knight can be captured */
        unsigned drops = own->hand == 0 ? rf_popcount(p->free) - 1 : 0;
        change += (int)attackers * ((int)(defenders + drops) - (int)moves);
        change += (int)kr_mutual(p, !l->side, square, held);
    }
    return kr_sum_replies(l, change, l->plies - (other->hand > 0), l->base - defenders - (own->hand > 0) + moves,
                          l->changes.max_left + 1, (int)moves - (int)defenders, total);
}

/* Takes a knight of `side` from its square, or from the hand if `from` is KR_FROM_HAND. */
static inline void kr_lift_from(kr_sums *p, unsigned side, unsigned from)
{
    if (from == KR_FROM_HAND)
        p->sides[side].hand--;
    else
        kr_lift(p, side, from);
}

/* The two plies after a lifted knight of `side` with `rings` rings has come to a square. */
static inline uint64_t kr_count_arrival(const kr_sums *lifted, unsigned side, unsigned square, unsigned rings)
{
    uint8_t stood = lifted->rings[square];
    kr_sums after = *lifted;
    kr_arrive(&after, side, square, rings);
    uint64_t total = kr_two_plies(&after, !side);
    lifted->rings[square] = stood;
    return total;
}

/* The three plies that begin with a lifted knight which comes to one of `targets`. */
static inline uint64_t kr_three_plies_from(const kr_sums *p, unsigned side, unsigned from, uint64_t targets)
{
    if (targets == 0)
        return 0;
    unsigned rings = from == KR_FROM_HAND ? 0 : p->rings[from];
    kr_lift_sums l;
    l.p = *p;
    l.side = side;
    kr_lift_from(&l.p, side, from);
    uint64_t total = 0, singly = targets & p->sides[!side].knights;
    uint64_t steps = targets & ~(p->free | singly), takes = targets & p->free;
    /* K10: too few rings for the sums if they run out before the third ply. */
    unsigned enough = side == KR_SOUTH ? 2 : 1;
    unsigned free = rf_popcount(p->free);
    if (free < enough)
        singly |= steps, steps = 0;
    if (free < enough + 1)
        singly |= takes, takes = 0;
    if (((steps | takes) & ((steps | takes) - 1)) == 0) /* the sums for one target are no faster */
        singly |= steps | takes, steps = takes = 0;
    if ((steps | takes) != 0) {
        l.changes = kr_sum_changes(&l.p, !side);
        l.plies = kr_plies(&l.p, !side);
        l.base = kr_plies(&l.p, side);
        l.defenders = kr_both(&l.p.sides[side].steps, &l.p.sides[side].aims);
        l.attackers = kr_both(&l.p.sides[!side].steps, &l.p.sides[!side].aims);
        l.steps_to = kr_empty_squares(&l.p) & kr_any(&l.p.sides[!side].steps);
        l.aimed_at = l.p.sides[!side].knights & kr_any(&l.p.sides[side].aims);
    }
    for (; steps != 0; steps &= steps - 1)
        if (!kr_sum_step(&l, rf_lsb(steps), &total))
            singly |= steps & -steps;
    for (; takes != 0; takes &= takes - 1)
        if (!kr_sum_take(&l, rf_lsb(takes), rings + 1, &total))
            singly |= takes & -takes;
    for (; singly != 0; singly &= singly - 1)
        total += kr_count_arrival(&l.p, side, rf_lsb(singly), rings);
    return total;
}

static uint64_t kr_three_plies(const kr_sums *p, unsigned mover)
{
    uint64_t total = 0;
    for (uint64_t left = p->sides[mover].knights; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        total += kr_three_plies_from(p, mover, from, kr_onto(p, mover, from, p->rings[from]));
    }
    if (p->sides[mover].hand > 0)
        total += kr_three_plies_from(p, mover, KR_FROM_HAND, p->free);
    return total;
}

/* ---- perft ---- */

uint64_t kr_count_bulk(const void *ctx, const rf_state *state, unsigned depth, rf_ply *lists)
{
    (void)ctx, (void)lists;
    const kr_state *s = kr_state_of(state);
    uint8_t rings[KR_SQUARES] = {0};
    kr_sums p;
    if (s->passes == 2 || kr_free(s) == 0)
        return 0; /* K9, K10: over now, or after North's last turn */
    kr_init_sums(&p, s, rings);
    if (kr_plies(&p, s->side) > 0)
        return depth == 2 ? kr_two_plies(&p, s->side) : kr_three_plies(&p, s->side);
    if (s->passes == 1)
        return 0; /* this is the second pass in a row (K9) */
    unsigned plies = kr_plies(&p, !s->side);
    if (depth == 2)
        return plies > 0 ? plies : 1;
    return plies > 0 ? kr_two_plies(&p, !s->side) : 0;
}
