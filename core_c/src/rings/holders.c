/* Margins of positions without knights without rings, and what margins of other positions need of it. */
#include "rings/questions.h"

void kr_after(const kr_state *s, rf_ply ply, kr_state *out)
{
    *out = *s;
    kr_play(out, ply);
}

size_t kr_list_progress(const kr_state *s, unsigned side, rf_ply *out)
{
    size_t plies = 0;
    uint64_t free = kr_free(s), onto = free | s->knights[!side];
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left);
        for (uint64_t to = kr_targets[from][kr_rings(s, from)] & onto; to != 0; to &= to - 1)
            out[plies++] = kr_ply(from, rf_lowest(to));
    }
    if (s->hands[side] > 0)
        for (uint64_t to = free; to != 0; to &= to - 1)
            out[plies++] = kr_ply(KR_FROM_HAND, rf_lowest(to));
    return plies;
}

/* ---- ends ---- */

kr_sets kr_last_turn(const kr_question *q, const kr_state *s, int score, unsigned owner, uint64_t all)
{
    int most = 0;
    uint64_t low = 0; /* where North's bare knight can bring the score below the threshold */
    for (uint64_t left = s->knights[KR_NORTH]; left != 0; left &= left - 1) {
        uint64_t to = kr_reach(s, KR_NORTH, 0, rf_lowest(left)) & s->knights[KR_SOUTH];
        for (; to != 0; to &= to - 1) {
            int points = (int)kr_points_held(s, rf_lowest(to));
            most = points > most ? points : most;
        }
    }
    if (owner == KR_NORTH)
        for (uint64_t left = s->knights[KR_SOUTH]; left != 0; left &= left - 1)
            if (score - 2 * (int)kr_points_held(s, rf_lowest(left)) < q->threshold)
                low |= kr_targets[rf_lowest(left)][0] & all;
    if (score - 2 * most < q->threshold)
        low = all;
    return q->attacker == KR_NORTH ? (kr_sets){low, all & ~low} : (kr_sets){all & ~low, low};
}

/* ---- positions without bare knights ---- */

/* A ply with what comes of it. */
typedef struct {
    uint64_t key; /* of the position after it */
    rf_ply ply;
    uint32_t weight;
    int gain; /* what the mover's lead grows by */
} kr_choice;

/* A part of a position, as a random number. */
static inline uint64_t kr_part(uint64_t part)
{
    return rf_mix(part * UINT64_C(0x9e6c63d0876a9a47), part * UINT64_C(0xc2b2ae3d27d4eb4f));
}

static inline uint64_t kr_part_knight(unsigned side, unsigned square, unsigned held, bool five)
{
    return kr_part(1 + side + 2 * square + 128 * held + ((uint64_t)five << 16));
}

static inline uint64_t kr_part_ring(unsigned kind, unsigned square)
{
    return kr_part((uint64_t)1 << 20 | kind << 8 | square);
}

static inline uint64_t kr_part_hand(unsigned side, unsigned count)
{
    return kr_part((uint64_t)1 << 21 | side << 8 | count);
}

static inline uint64_t kr_part_turn(unsigned side, unsigned passes)
{
    return kr_part((uint64_t)1 << 22 | side << 8 | passes);
}

/* A hash of all parts of a position without bare knights, so that plies can change it part by part. */
static uint64_t kr_key(const kr_state *s)
{
    uint64_t key = kr_part_turn(s->side, s->passes) ^ kr_part_hand(KR_SOUTH, s->hands[KR_SOUTH]) ^
                   kr_part_hand(KR_NORTH, s->hands[KR_NORTH]);
    for (unsigned kind = 0; kind < KR_KINDS; kind++)
        for (uint64_t left = s->ring[kind]; left != 0; left &= left - 1)
            key ^= kr_part_ring(kind, rf_lowest(left));
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
            unsigned square = rf_lowest(left);
            key ^= kr_part_knight(side, square, s->held[square], s->five == square);
        }
    return key;
}

/* A knight that holds `held` points comes to a square. */
static inline kr_choice kr_choose(const kr_state *s, unsigned from, unsigned to, unsigned held, bool five, uint64_t key)
{
    unsigned side = s->side;
    kr_choice c = {key, kr_ply(from, to), 0, 0};
    uint64_t bit = kr_bit(to);
    if (s->knights[!side] & bit) {
        unsigned hand = s->hands[!side], other = s->held[to];
        bool other_five = s->five == to;
        c.gain = 2 * (int)kr_points_held(s, to);
        c.key ^= kr_part_knight(!side, to, other, other_five);
        c.key ^= kr_part_hand(!side, hand) ^ kr_part_hand(!side, hand + 1);
        held += other;
        five |= other_five;
    } else {
        unsigned kind = kr_kind(s, bit);
        c.gain = 1 + 2 * (int)kind;
        c.key ^= kr_part_ring(kind, to);
        held += kind == 0 ? KR_ONE_RING : kind == 1 ? KR_THREE_RING : 0;
        five |= kind == 2;
    }
    c.key ^= kr_part_knight(side, to, held, five);
    return c;
}

static size_t kr_list_choices(const kr_state *s, uint64_t key, kr_choice *out)
{
    size_t count = 0;
    unsigned side = s->side;
    uint64_t free = kr_free(s), onto = free | s->knights[!side];
    key ^= kr_part_turn(side, s->passes) ^ kr_part_turn(!side, 0);
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left), held = s->held[from];
        bool five = s->five == from;
        uint64_t to = kr_targets[from][kr_rings(s, from)] & onto;
        if (to == 0)
            continue;
        uint64_t gone = key ^ kr_part_knight(side, from, held, five);
        for (; to != 0; to &= to - 1)
            out[count++] = kr_choose(s, from, rf_lowest(to), held, five, gone);
    }
    if (s->hands[side] > 0) {
        uint64_t gone = key ^ kr_part_hand(side, s->hands[side]) ^ kr_part_hand(side, s->hands[side] - 1u);
        for (uint64_t to = free; to != 0; to &= to - 1)
            out[count++] = kr_choose(s, KR_FROM_HAND, rf_lowest(to), 0, false, gone);
    }
    return count;
}

enum { KR_STOPPED = -1000 }; /* in place of points */

/* Notes that the mover gets at least, or at most, `points`. */
static int kr_note_bound(const kr_question *q, uint64_t key, unsigned mover, int points, bool at_least, rf_ply best,
                         uint64_t nodes_before)
{
    rf_margin_slot copy;
    rf_margin_fact fact = rf_margin_unpack(rf_margin_make_proven(q->m, key, rf_margin_nothing(), &copy));
    int south = mover == KR_SOUTH ? points : -points;
    if (at_least == (mover == KR_SOUTH))
        fact.lower = south > fact.lower ? south : fact.lower;
    else
        fact.upper = south < fact.upper ? south : fact.upper;
    rf_margin_write(&fact);
    fact.slot->b = (fact.slot->b & ~(uint64_t)UINT32_MAX) | best;
    rf_margin_effort(fact.slot, q->control->nodes - nodes_before);
    rf_margin_keep_proven(q->m, fact.slot);
    return points;
}

/* kr_search with one free ring left, where sets of squares tell what most plies come to. */
static int kr_last_ring(const kr_question *q, const kr_state *s, int ahead)
{
    unsigned side = s->side;
    int needs = kr_needs(q, side), most = KR_STOPPED;
    uint64_t free = kr_free(s), enemies = s->knights[!side];
    if (rf_tick(q->control))
        return KR_STOPPED;
    int points = 1 + 2 * (int)kr_kind(s, free);
    uint64_t takers = 0, capturers = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left);
        uint64_t to = kr_targets[from][kr_rings(s, from)];
        if (to & free)
            takers |= left & -left;
        if (to & enemies)
            capturers |= left & -left;
    }
    bool drops = s->hands[side] > 0;
    if (takers == 0 && !drops && capturers == 0) {
        if (s->passes == 1)
            return ahead;
        kr_state next = *s;
        kr_play(&next, kr_pass);
        int below = kr_last_ring(q, &next, -ahead);
        return below == KR_STOPPED ? below : -below;
    }
    if (takers != 0 || drops) {
        most = ahead + points;
        if (side == KR_NORTH && most >= needs)
            return most;
    }
    if (side == KR_SOUTH && most >= needs) {
        /* North's last turn (K10): it captures the most that it can. */
        most = KR_STOPPED;
        uint64_t struck = 0, mine = s->knights[KR_SOUTH];
        for (uint64_t left = enemies; left != 0; left &= left - 1)
            struck |= kr_targets[rf_lowest(left)][kr_rings(s, rf_lowest(left))];
        struck &= mine | free;
        int taken = (struck & free) != 0 ? 2 * points : 0;
        if (drops) {
            int lost = 2 * kr_most_held(s, struck & mine);
            most = ahead + points - (lost > taken ? lost : taken);
            if (most >= needs)
                return most;
        }
        for (; takers != 0; takers &= takers - 1) {
            unsigned from = rf_lowest(takers);
            int lost = 2 * kr_most_held(s, struck & mine & ~kr_bit(from));
            int also = taken != 0 ? taken + 2 * (int)kr_points_held(s, from) : 0;
            int value = ahead + points - (lost > also ? lost : also);
            if (value >= needs)
                return value;
            most = value > most ? value : most;
        }
    }
    if (capturers == 0)
        return most;
    /* The captured knight can be dropped on the ring at once, which ends the game or leaves North one more capture. */
    for (; capturers != 0; capturers &= capturers - 1) {
        unsigned from = rf_lowest(capturers), rings = kr_rings(s, from);
        uint64_t others = 0;
        if (side == KR_NORTH)
            for (uint64_t left = s->knights[side] & ~kr_bit(from); left != 0; left &= left - 1)
                others |= kr_targets[rf_lowest(left)][kr_rings(s, rf_lowest(left))];
        for (uint64_t to = kr_targets[from][rings] & enemies; to != 0; to &= to - 1) {
            unsigned square = rf_lowest(to);
            int gain = 2 * (int)kr_points_held(s, square), value = ahead - points + gain;
            if (side == KR_NORTH) {
                uint64_t struck = others | kr_targets[square][rings + kr_rings(s, square)];
                int last = kr_most_held(s, struck & enemies & ~kr_bit(square));
                if ((struck & free) != 0 && last < points)
                    last = points;
                value += 2 * last;
            }
            if (value >= needs) {
                kr_state next;
                kr_after(s, kr_ply(from, square), &next);
                int below = kr_last_ring(q, &next, -ahead - gain);
                if (below == KR_STOPPED)
                    return below;
                value = -below;
                if (value >= needs)
                    return value;
            }
            most = value > most ? value : most;
        }
    }
    return most;
}

/* Bounds of what the mover gets, from the table. */
typedef struct {
    int at_least, at_most;
} kr_bounds;

static inline kr_bounds kr_known(rf_margin_slot *slot, unsigned mover)
{
    rf_margin_fact fact = rf_margin_unpack(slot);
    return mover == KR_SOUTH ? (kr_bounds){fact.lower, fact.upper} : (kr_bounds){-fact.upper, -fact.lower};
}

static inline int kr_count_ways(const kr_ways *ways, uint64_t except, uint64_t onto)
{
    unsigned count = 0;
    for (size_t i = 0; i < ways->count; i++)
        if (ways->from[i] != except)
            count += rf_popcount(ways->to[i] & onto);
    return (int)count;
}

/* What decides the order of plies; found by trial. */
enum {
    KR_ORDER_REPLY = 10,
    KR_ORDER_RING = 80,
    KR_ORDER_BARE_KNIGHT = 280,
    KR_ORDER_LANDING = 60,
    KR_ORDER_LAST = -200,
    KR_ORDER_STEP = 15,
    KR_ORDER_HISTORY = 1
};

int kr_order_score(const kr_state *s, rf_ply ply, const kr_ways *theirs)
{
    unsigned side = s->side, from = kr_from(ply);
    uint64_t free = kr_free(s), target = kr_bit(kr_to(ply)), source = from < KR_STEP ? kr_bit(from) : 0;
    bool takes = (free & target) != 0, steps = from == KR_STEP;
    int score = takes ? KR_ORDER_RING + 1 + 2 * (int)kr_kind(s, target) : 2 * (int)kr_points_held(s, kr_to(ply));
    if (from == KR_LAND)
        score += KR_ORDER_LANDING;
    else if (!steps && ((free | s->knights[!side]) & target) == 0)
        score += KR_ORDER_BARE_KNIGHT; /* what is captured on a square where nobody stands is a bare knight */
    if (steps || from == KR_MEET) {
        takes = steps;
        target = 0;
        score = steps ? KR_ORDER_STEP : KR_ORDER_BARE_KNIGHT;
    }
    if ((from == KR_LAND || steps) && (free & (free - 1)) == 0)
        score += KR_ORDER_LAST; /* what holders do with one free ring is told with the least nodes */
    free &= ~target;
    int replies = kr_count_ways(theirs, target, (free | s->knights[side] | target) & ~source);
    if (s->hands[!side] > 0 || !takes)
        replies += (int)rf_popcount(free);
    return score - KR_ORDER_REPLY * replies;
}

static uint32_t kr_score_for_order(const kr_question *q, const kr_state *s, rf_ply ply, const kr_ways *theirs)
{
    int history = 31 - __builtin_clz(q->m->history[s->side][ply % RF_MARGIN_HISTORY] | 1);
    return (uint32_t)(kr_order_score(s, ply, theirs) + KR_ORDER_HISTORY * history + (1 << 16));
}

void kr_sort(const kr_question *q, const kr_state *s, rf_ply best, rf_ply *plies, size_t count)
{
    uint32_t weight[3 * KR_MOST_PLIES];
    kr_ways theirs = kr_find_ways(s, !s->side);
    for (size_t i = 0; i < count; i++) {
        rf_ply ply = plies[i];
        uint32_t own = ply == best ? UINT32_MAX : kr_score_for_order(q, s, ply, &theirs);
        size_t at = i;
        for (; at > 0 && weight[at - 1] < own; at--) {
            weight[at] = weight[at - 1];
            plies[at] = plies[at - 1];
        }
        weight[at] = own;
        plies[at] = ply;
    }
}

/* Sorts plies and leaves out those that the table knows to be too little, whose bound goes to *most. If the table
 * knows one to be enough, that one comes first and *most is what the mover gets with it. */
static size_t kr_sort_choices(const kr_question *q, const kr_state *s, rf_ply best, kr_choice *choices, size_t count,
                              int *most)
{
    uint64_t free = kr_free(s);
    bool few = rf_popcount(free) == 2; /* the table has nothing with one free ring */
    kr_ways theirs = kr_find_ways(s, !s->side);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!few || (free & kr_bit(kr_to(choices[i].ply))) == 0)
            rf_margin_prefetch_proven(q->m, choices[i].key);
    for (size_t i = 0; i < count; i++) {
        kr_choice c = choices[i];
        bool takes = (free & kr_bit(kr_to(c.ply))) != 0;
        rf_margin_slot copy;
        rf_margin_slot *slot = few && takes ? NULL : rf_margin_find_proven(q->m, c.key, &copy);
        if (slot != NULL) {
            kr_bounds known = kr_known(slot, s->side);
            if (known.at_least >= kr_needs(q, s->side)) {
                *most = known.at_least;
                choices[0] = c;
                return 1;
            }
            if (known.at_most < kr_needs(q, s->side)) {
                *most = known.at_most > *most ? known.at_most : *most;
                continue;
            }
        }
        c.weight = c.ply == best ? UINT32_MAX : kr_score_for_order(q, s, c.ply, &theirs);
        size_t at = kept++;
        for (; at > 0 && choices[at - 1].weight < c.weight; at--)
            choices[at] = choices[at - 1];
        choices[at] = c;
    }
    return kept;
}

static int kr_search(const kr_question *q, const kr_state *s, int ahead, uint64_t key);

/* Free rings from which on threads keep apart; found by trial. */
enum { KR_SHARED_RINGS = 4 };

/* The most that the mover gets by one choice after another, `most` without them, until it has what it needs: then with
 * *best. Choices at which other threads are come last if `shared`. KR_STOPPED if stopped. */
static int kr_try_choices(const kr_question *q, const kr_state *s, int ahead, kr_choice *choices, size_t count,
                          bool shared, int most, rf_ply *best)
{
    int needs = kr_needs(q, s->side);
    bool again = false;
    for (size_t late = 0; count > 0; count = late, late = 0, again = true)
        for (size_t i = 0; i < count; i++) {
            if (RF_UNLIKELY(shared) && !again && i > 0 && rf_team_is_at(q->m, choices[i].key)) {
                choices[late++] = choices[i];
                continue;
            }
            kr_state next;
            kr_after(s, choices[i].ply, &next);
            int below = kr_search(q, &next, -ahead - choices[i].gain, choices[i].key);
            if (below == KR_STOPPED)
                return below;
            most = -below > most ? -below : most;
            if (most >= needs) {
                *best = choices[i].ply;
                return most;
            }
        }
    return most;
}

/* A null-window search. What the mover gets is at least the result if that is what it needs, else at most;
 * KR_STOPPED if stopped. */
static int kr_search(const kr_question *q, const kr_state *s, int ahead, uint64_t key)
{
    uint64_t free = kr_free(s);
    if ((free & (free - 1)) == 0)
        return kr_last_ring(q, s, ahead);
    if (rf_tick(q->control))
        return KR_STOPPED;
    rf_margin_slot copy;
    rf_margin_slot *slot = rf_margin_find_proven(q->m, key, &copy);
    unsigned side = s->side;
    int needs = kr_needs(q, side), most = KR_STOPPED;
    rf_ply best = 0;
    if (slot != NULL) {
        kr_bounds known = kr_known(slot, side);
        if (known.at_least >= needs)
            return known.at_least;
        if (known.at_most < needs)
            return known.at_most;
        best = (rf_ply)slot->b;
    }
    uint64_t before = q->control->nodes;
    kr_choice choices[KR_MOST_PLIES];
    size_t count = kr_list_choices(s, key, choices);
    if (count == 0) {
        if (s->passes == 1)
            return ahead;
        kr_state next = *s;
        kr_play(&next, kr_pass);
        int below = kr_search(q, &next, -ahead, key ^ kr_part_turn(side, 0) ^ kr_part_turn(!side, 1));
        return below == KR_STOPPED ? below : -below;
    }
    count = kr_sort_choices(q, s, best, choices, count, &most);
    if (most >= needs)
        return kr_note_bound(q, key, side, most, true, choices[0].ply, before);
    bool shared = q->m->team != NULL && rf_popcount(free) >= KR_SHARED_RINGS;
    if (RF_UNLIKELY(shared))
        rf_team_begin(q->m, key);
    most = kr_try_choices(q, s, ahead, choices, count, shared, most, &best);
    if (RF_UNLIKELY(shared))
        rf_team_end(q->m, key);
    if (most == KR_STOPPED)
        return most;
    if (most >= needs)
        rf_margin_update_history(q->m, side, best);
    return kr_note_bound(q, key, side, most, most >= needs, best, before);
}

/* kr_search from the first position on. */
static int kr_search_root(const kr_question *q, const kr_state *s)
{
    int balance = kr_balance(s);
    return kr_search(q, s, s->side == KR_SOUTH ? balance : -balance, kr_key(s));
}

int kr_ask_without(const kr_question *q, const kr_state *s)
{
    int balance = kr_balance(s);
    if (kr_is_over(s))
        return kr_meets(q, balance) ? RF_SUCCEEDS : RF_FAILS;
    if (kr_free(s) == 0)
        return kr_last_turn(q, s, balance, KR_NOBODY, 1).succeeds ? RF_SUCCEEDS : RF_FAILS;
    int points = kr_search_root(q, s);
    if (points == KR_STOPPED)
        return RF_UNDECIDED;
    return (points >= kr_needs(q, s->side)) == (s->side == q->attacker) ? RF_SUCCEEDS : RF_FAILS;
}

bool kr_margin_bounds(rf_margin *m, const void *ctx, const rf_state *state, int threshold, int bounds[2],
                      rf_control *control)
{
    (void)ctx;
    const kr_state *s = kr_read(state);
    for (uint64_t left = s->knights[KR_SOUTH] | s->knights[KR_NORTH]; left != 0; left &= left - 1)
        if (kr_rings(s, rf_lowest(left)) == 0)
            return false;
    if (kr_free(s) == 0)
        return false;
    kr_question q = {m, control, threshold, threshold > 0 ? KR_SOUTH : KR_NORTH};
    int points = kr_search_root(&q, s);
    if (points == KR_STOPPED)
        return true;
    int south = s->side == KR_SOUTH ? points : -points;
    if (south >= threshold && south > bounds[0])
        bounds[0] = south;
    if (south < threshold && south < bounds[1])
        bounds[1] = south;
    return true;
}
