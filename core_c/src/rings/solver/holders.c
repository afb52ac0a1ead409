/* Alpha-beta for positions without bare knights (holders.h).
 *
 * Idea: the list of plies has the key and the gain of each, so the table is read before a position is made. Plies that
 * the table proves to be too little are dropped, and one that it proves to be enough ends the search (enhanced
 * transposition cutoffs, Plaat et al. 1996).
 *
 * Invariants: leads are those of the player to move, so the result of a ply is minus the result below it. KR_STOPPED is
 * less than every lead.
 *
 * Example: the mover needs 6. The table has upper bounds of 3 and 5 for two of three plies, so only the third is
 * searched. If it leads to at most 2, the upper bound of this position is 5. */
#include "rings/solver/holders.h"

/* ---- keys ---- */

/* A random number for a part of a position. */
static inline uint64_t kr_part(uint64_t part)
{
    return rf_mix(part * UINT64_C(0x9e6c63d0876a9a47), part * UINT64_C(0xc2b2ae3d27d4eb4f));
}

static inline uint64_t kr_knight_part(unsigned side, unsigned square, unsigned held, bool five)
{
    return kr_part(1 + side + 2 * square + 128 * held + ((uint64_t)five << 16));
}

static inline uint64_t kr_ring_part(unsigned kind, unsigned square)
{
    return kr_part((uint64_t)1 << 20 | kind << 8 | square);
}

static inline uint64_t kr_hand_part(unsigned side, unsigned count)
{
    return kr_part((uint64_t)1 << 21 | side << 8 | count);
}

static inline uint64_t kr_turn_part(unsigned side, unsigned passes)
{
    return kr_part((uint64_t)1 << 22 | side << 8 | passes);
}

static uint64_t kr_key(const kr_state *s)
{
    uint64_t key = kr_turn_part(s->side, s->passes) ^ kr_hand_part(KR_SOUTH, s->hands[KR_SOUTH]) ^
                   kr_hand_part(KR_NORTH, s->hands[KR_NORTH]);
    for (unsigned kind = 0; kind < KR_KINDS; kind++)
        for (uint64_t left = s->ring[kind]; left != 0; left &= left - 1)
            key ^= kr_ring_part(kind, rf_lsb(left));
    for (unsigned side = 0; side < 2; side++)
        for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
            unsigned square = rf_lsb(left);
            key ^= kr_knight_part(side, square, s->held[square], s->five == square);
        }
    return key;
}

/* ---- plies ---- */

typedef struct kr_candidate {
    uint64_t key; /* of the position after the ply */
    rf_ply ply;
    uint32_t weight;
    int gain; /* by which the mover's lead grows */
} kr_candidate;

/* A knight that holds `held` comes to `to`. `key`: of the position without it, with the other side to move. */
static inline kr_candidate kr_make_candidate(const kr_state *s, unsigned from, unsigned to, unsigned held, bool five,
                                             uint64_t key)
{
    unsigned side = s->side;
    kr_candidate c = {key, kr_ply(from, to), 0, 0};
    uint64_t bit = kr_bit(to);
    if (s->knights[!side] & bit) { /* K7 */
        unsigned hand = s->hands[!side], other = s->held[to];
        bool other_five = s->five == to;
        c.gain = 2 * (int)kr_points_held(s, to);
        c.key ^= kr_knight_part(!side, to, other, other_five);
        c.key ^= kr_hand_part(!side, hand) ^ kr_hand_part(!side, hand + 1);
        held += other;
        five |= other_five;
    } else { /* K6 */
        unsigned kind = kr_kind(s, bit);
        c.gain = 1 + 2 * (int)kind;
        c.key ^= kr_ring_part(kind, to);
        held += kind == 0 ? KR_ONE_RING : kind == 1 ? KR_THREE_RING : 0;
        five |= kind == 2;
    }
    c.key ^= kr_knight_part(side, to, held, five);
    return c;
}

static size_t kr_list_candidates(const kr_state *s, uint64_t key, kr_candidate *out)
{
    size_t count = 0;
    unsigned side = s->side;
    uint64_t free = kr_free(s), onto = free | s->knights[!side];
    key ^= kr_turn_part(side, s->passes) ^ kr_turn_part(!side, 0);
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left), held = s->held[from];
        bool five = s->five == from;
        uint64_t to = kr_holder_targets(s, from) & onto;
        if (to == 0)
            continue;
        uint64_t lifted = key ^ kr_knight_part(side, from, held, five);
        for (; to != 0; to &= to - 1)
            out[count++] = kr_make_candidate(s, from, rf_lsb(to), held, five, lifted);
    }
    if (s->hands[side] > 0) {
        uint64_t lifted = key ^ kr_hand_part(side, s->hands[side]) ^ kr_hand_part(side, s->hands[side] - 1u);
        for (uint64_t to = free; to != 0; to &= to - 1)
            out[count++] = kr_make_candidate(s, KR_FROM_HAND, rf_lsb(to), 0, false, lifted);
    }
    return count;
}

/* ---- bounds ---- */

/* Bounds of the mover's final lead, from the table. */
typedef struct kr_mover_bounds {
    int lower, upper;
} kr_mover_bounds;

static inline kr_mover_bounds kr_read_bounds(kr_slot *slot, unsigned mover)
{
    kr_bounds_entry e = kr_unpack_bounds(slot);
    return mover == KR_SOUTH ? (kr_mover_bounds){e.lower, e.upper} : (kr_mover_bounds){-e.upper, -e.lower};
}

/* Stores `lead` as a lower or upper bound of the mover's final lead. */
static int kr_store_bound(const kr_question *q, uint64_t key, unsigned mover, int lead, bool at_least, rf_ply best,
                          uint64_t nodes_before)
{
    kr_slot copy;
    kr_bounds_entry e = kr_unpack_bounds(kr_insert_proven(q->search, key, kr_no_bounds(), &copy));
    int south = mover == KR_SOUTH ? lead : -lead;
    bool is_lower = at_least == (mover == KR_SOUTH);
    kr_intersect_bounds(&e, is_lower ? south : e.lower, is_lower ? e.upper : south);
    kr_write_bounds(&e);
    e.slot->b = (e.slot->b & ~(uint64_t)UINT32_MAX) | best;
    kr_record_nodes(e.slot, q->control->nodes - nodes_before);
    kr_save_proven(q->search, e.slot);
    return lead;
}

/* Sorts plies and drops those that the table proves to be too little; *best_lead becomes the highest of their upper
 * bounds. If the table proves one to be enough, only that one is left and *best_lead is its lower bound. */
static size_t kr_sort_candidates(const kr_question *q, const kr_state *s, rf_ply best, kr_candidate *plies,
                                 size_t count, int *best_lead)
{
    uint64_t free = kr_free(s);
    bool two_rings = rf_popcount(free) == 2; /* the table has no positions with one free ring */
    int needed = kr_needed_lead(q, s->side);
    kr_attacks theirs = kr_find_attacks(s, !s->side);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!two_rings || (free & kr_bit(kr_to(plies[i].ply))) == 0)
            kr_prefetch_proven(q->search, plies[i].key);
    for (size_t i = 0; i < count; i++) {
        kr_candidate c = plies[i];
        bool takes = (free & kr_bit(kr_to(c.ply))) != 0;
        kr_slot copy;
        kr_slot *slot = two_rings && takes ? NULL : kr_find_proven(q->search, c.key, &copy);
        if (slot != NULL) {
            kr_mover_bounds bounds = kr_read_bounds(slot, s->side);
            if (bounds.lower >= needed) {
                *best_lead = bounds.lower;
                plies[0] = c;
                return 1;
            }
            if (bounds.upper < needed) {
                *best_lead = bounds.upper > *best_lead ? bounds.upper : *best_lead;
                continue;
            }
        }
        c.weight = c.ply == best ? UINT32_MAX : kr_order_weight(q, s, c.ply, &theirs);
        size_t at = kept++;
        for (; at > 0 && plies[at - 1].weight < c.weight; at--)
            plies[at] = plies[at - 1];
        plies[at] = c;
    }
    return kept;
}

/* ---- the search ---- */

static int kr_search_holders(const kr_question *q, const kr_state *s, int lead, uint64_t key);

/* Threads defer plies from this number of free rings on; found by trial. */
enum { KR_DEFER_RINGS = 4 };

/* The best of `best_lead` and the final leads after these plies, until one is enough; then *best is the ply. With
 * `defer`, plies that other threads are searching come last. */
static int kr_try_candidates(const kr_question *q, const kr_state *s, int lead, kr_candidate *plies, size_t count,
                             bool defer, int best_lead, rf_ply *best)
{
    int needed = kr_needed_lead(q, s->side);
    bool again = false;
    for (size_t deferred = 0; count > 0; count = deferred, deferred = 0, again = true)
        for (size_t i = 0; i < count; i++) {
            if (RF_UNLIKELY(defer) && !again && i > 0 && kr_is_in_progress(q->search, plies[i].key)) {
                plies[deferred++] = plies[i];
                continue;
            }
            kr_state next;
            kr_after(s, plies[i].ply, &next);
            int below = kr_search_holders(q, &next, -lead - plies[i].gain, plies[i].key);
            if (below == KR_STOPPED)
                return below;
            best_lead = -below > best_lead ? -below : best_lead;
            if (best_lead >= needed) {
                *best = plies[i].ply;
                return best_lead;
            }
        }
    return best_lead;
}

static int kr_search_after_pass(const kr_question *q, const kr_state *s, int lead, uint64_t key)
{
    kr_state next = *s;
    kr_play(&next, kr_pass);
    int below = kr_search_holders(q, &next, -lead, key ^ kr_turn_part(s->side, 0) ^ kr_turn_part(!s->side, 1));
    return below == KR_STOPPED ? below : -below;
}

/* Null window: the result is a lower bound of the mover's final lead if it is enough, else an upper bound. */
static int kr_search_holders(const kr_question *q, const kr_state *s, int lead, uint64_t key)
{
    uint64_t free = kr_free(s);
    if (kr_one_bit(free))
        return kr_search_last_ring(q, s, lead);
    if (rf_tick(q->control))
        return KR_STOPPED;
    /* 1. The table. */
    kr_slot copy;
    kr_slot *slot = kr_find_proven(q->search, key, &copy);
    unsigned side = s->side;
    int needed = kr_needed_lead(q, side), best_lead = KR_STOPPED;
    rf_ply best = 0;
    if (slot != NULL) {
        kr_mover_bounds bounds = kr_read_bounds(slot, side);
        if (bounds.lower >= needed)
            return bounds.lower;
        if (bounds.upper < needed)
            return bounds.upper;
        best = (rf_ply)slot->b;
    }
    /* 2. A far threshold. */
    int bound;
    if (kr_is_out_of_reach(q, s, side == q->attacker ? lead : -lead, &bound))
        return side == q->attacker ? bound : -bound;
    /* 3. Plies; without one the mover passes (K9). */
    uint64_t before = q->control->nodes;
    kr_candidate plies[KR_MAX_PLIES];
    size_t count = kr_list_candidates(s, key, plies);
    if (count == 0)
        return s->passes == 1 ? lead : kr_search_after_pass(q, s, lead, key);
    count = kr_sort_candidates(q, s, best, plies, count, &best_lead);
    if (best_lead >= needed)
        return kr_store_bound(q, key, side, best_lead, true, plies[0].ply, before);
    /* 4. Search them. */
    bool defer = q->search->shared != NULL && rf_popcount(free) >= KR_DEFER_RINGS;
    if (RF_UNLIKELY(defer))
        kr_begin_position(q->search, key);
    best_lead = kr_try_candidates(q, s, lead, plies, count, defer, best_lead, &best);
    if (RF_UNLIKELY(defer))
        kr_end_position(q->search, key);
    if (best_lead == KR_STOPPED)
        return best_lead;
    if (best_lead >= needed)
        kr_update_history(q->search, side, best);
    return kr_store_bound(q, key, side, best_lead, best_lead >= needed, best, before);
}

static int kr_search_root(const kr_question *q, const kr_state *s)
{
    int balance = kr_balance(s);
    return kr_search_holders(q, s, s->side == KR_SOUTH ? balance : -balance, kr_key(s));
}

int kr_search_without_bare(const kr_question *q, const kr_state *s)
{
    int balance = kr_balance(s);
    if (!kr_is_over(s) && kr_free(s) == 0) /* North's last turn (K10) */
        return kr_is_success(q, balance - 2 * kr_last_capture(s)) ? KR_SUCCEEDS : KR_FAILS;
    if (kr_is_over(s))
        return kr_is_success(q, balance) ? KR_SUCCEEDS : KR_FAILS;
    int lead = kr_search_root(q, s);
    if (lead == KR_STOPPED)
        return KR_UNDECIDED;
    return (lead >= kr_needed_lead(q, s->side)) == (s->side == q->attacker) ? KR_SUCCEEDS : KR_FAILS;
}

bool kr_narrow_without_bare(kr_search *search, const kr_state *s, int threshold, int bounds[2], rf_control *control)
{
    if (kr_free(s) == 0 || (kr_bare_knights(s, KR_SOUTH) | kr_bare_knights(s, KR_NORTH)) != 0)
        return false;
    kr_question q = kr_question_of(search, threshold, control);
    int lead = kr_search_root(&q, s);
    if (lead == KR_STOPPED)
        return true;
    int south = s->side == KR_SOUTH ? lead : -lead;
    if (south >= threshold && south > bounds[0])
        bounds[0] = south;
    if (south < threshold && south < bounds[1])
        bounds[1] = south;
    return true;
}
