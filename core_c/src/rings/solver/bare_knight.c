/* The search over all squares of one bare knight (bare_knight.h).
 *
 * Idea: kr_search_bare_knight first reads static bounds, the table, and answers at harder and easier thresholds.
 * kr_search_sets then tries plies for the squares that are still open. One ply with the answer that the mover wants
 * decides a square; if every ply has the other answer, the square is decided too. Sets keep the squares apart: `good`,
 * `bad`, and `unknown` where a ply has no answer yet.
 *
 * Invariant: every square in the table is proven. Squares that no question needed may be missing.
 *
 * Example: South is to move, and the question is about North's bare knight on d4 or e5. South's first ply is good on
 * 30 squares, among them e5. Later plies are tried for d4 only. If all are bad there, the entry has at least 31
 * squares. */
#include "rings/solver/bare_knight.h"

#include "rings/solver/holders.h"

void kr_bare_takes(const kr_state *s, unsigned owner, unsigned to, kr_state *out)
{
    *out = *s;
    if (out->knights[!owner] & kr_bit(to)) {
        out->knights[!owner] ^= kr_bit(to);
        out->hands[!owner]++;
    }
    out->knights[owner] |= kr_bit(to);
    kr_take(out, to);
    out->side = !owner;
}

void kr_capture_bare(const kr_state *s, unsigned from, unsigned to, kr_state *out)
{
    *out = *s;
    out->knights[!s->side] |= kr_bit(to);
    kr_play(out, kr_ply(from, to));
}

uint64_t kr_find_stuck(const kr_state *s, unsigned side, unsigned owner)
{
    rf_ply plies[KR_MAX_PLIES];
    if (kr_list_progress(s, side, plies) > 0)
        return 0;
    uint64_t empty = kr_empty(s);
    if (side != owner)
        return empty & ~kr_attacked(s, side, 0);
    return empty & ~kr_neighbours(empty | kr_free(s) | s->knights[!side], s->files);
}

static int kr_search_bare_takes(const kr_question *q, const kr_state *s, unsigned owner, unsigned to)
{
    kr_state next;
    kr_bare_takes(s, owner, to, &next);
    return kr_search_without_bare(q, &next);
}

static int kr_search_capture_of_bare(const kr_question *q, const kr_state *s, unsigned from, unsigned to)
{
    kr_state next;
    kr_capture_bare(s, from, to, &next);
    return kr_search_without_bare(q, &next);
}

/* ---- ends ---- */

/* No ring is free: the game is over, or it is North's last turn (K10), in which its bare knight can capture too. */
static kr_square_sets kr_score_ended(const kr_question *q, const kr_state *s, unsigned owner)
{
    int score = kr_balance(s);
    uint64_t low = 0; /* squares with which the score ends below the threshold */
    if (s->side == KR_NORTH) {
        score -= 2 * kr_last_capture(s);
        for (uint64_t left = owner == KR_NORTH ? s->knights[KR_SOUTH] : 0; left != 0; left &= left - 1)
            if (kr_balance(s) - 2 * (int)kr_points_held(s, rf_lsb(left)) < q->threshold)
                low |= kr_targets[rf_lsb(left)][0];
    }
    if (score < q->threshold)
        low = KR_ALL_SQUARES;
    uint64_t high = KR_ALL_SQUARES & ~low;
    return q->attacker == KR_NORTH ? (kr_square_sets){low, high} : (kr_square_sets){high, low};
}

/* ---- table ---- */

static inline kr_square_sets kr_read_sets(const kr_slot *slot, rf_ply *best)
{
    if (slot == NULL)
        return (kr_square_sets){0, 0};
    *best = (rf_ply)(slot->a >> KR_SQUARES);
    return (kr_square_sets){slot->a & KR_ALL_SQUARES, slot->b & KR_ALL_SQUARES};
}

/* The sets of an earlier question, if there was one. */
static inline kr_square_sets kr_sets_at(const kr_question *q, int threshold, uint64_t hash, unsigned owner,
                                        rf_ply *best)
{
    kr_slot copy;
    if (threshold == KR_NO_THRESHOLD)
        return (kr_square_sets){0, 0};
    return kr_read_sets(kr_find_proven(q->search, kr_sets_key(threshold, hash, owner), &copy), best);
}

static inline void kr_prefetch_sets(const kr_question *q, uint64_t hash, unsigned owner)
{
    const int thresholds[3] = {q->threshold, q->search->harder, q->search->easier};
    for (int i = 0; i < 3; i++)
        if (thresholds[i] != KR_NO_THRESHOLD)
            kr_prefetch_proven(q->search, kr_sets_key(thresholds[i], hash, owner));
}

static void kr_store_sets(const kr_question *q, uint64_t key, kr_square_sets sets, rf_ply best, uint64_t nodes_before)
{
    kr_slot copy, *slot = kr_insert_proven(q->search, key, 0, &copy);
    slot->a = ((slot->a | sets.succeeds) & KR_ALL_SQUARES) | (uint64_t)best << KR_SQUARES;
    slot->b |= sets.fails | KR_IS_SETS;
    kr_record_nodes(slot, q->control->nodes - nodes_before);
    kr_save_proven(q->search, slot);
}

/* ---- a side that can only capture the bare knight or pass ---- */

/* By the bare knight's square: what a ply of one kind gives the side that makes it. */
typedef struct kr_results {
    uint64_t possible; /* the side has such a ply */
    uint64_t good;     /* one of them gives it what it wants */
    uint64_t unknown;  /* one of them may */
} kr_results;

/* The plies of the bare knight's side that are not steps. */
static kr_results kr_find_exits(const kr_question *q, const kr_state *s, unsigned owner)
{
    rf_ply plies[KR_MAX_PLIES];
    bool attacks = owner == q->attacker;
    uint64_t empty = kr_empty(s);
    size_t count = kr_list_progress(s, owner, plies);
    kr_results out = {count > 0 ? empty : 0, 0, 0};
    for (size_t i = 0; i < count && (empty & ~out.good) != 0; i++) {
        kr_state next;
        kr_after(s, plies[i], &next);
        uint64_t asked = empty & ~out.good;
        kr_square_sets below = kr_search_bare_knight(q, &next, owner, asked);
        out.good |= empty & (attacks ? below.succeeds : below.fails);
        out.unknown |= asked & ~(below.succeeds | below.fails);
    }
    for (uint64_t left = kr_free(s) | s->knights[!owner]; left != 0; left &= left - 1) {
        uint64_t from = kr_targets[rf_lsb(left)][0] & empty;
        out.possible |= from;
        if ((from & ~out.good) == 0)
            continue;
        int answer = kr_search_bare_takes(q, s, owner, rf_lsb(left));
        if (answer == KR_UNDECIDED)
            out.unknown |= from;
        else if ((answer == KR_SUCCEEDS) == attacks)
            out.good |= from;
    }
    return out;
}

/* The other side's captures of the bare knight. */
static kr_results kr_find_captures(const kr_question *q, const kr_state *s, unsigned owner)
{
    kr_results out = {0, 0, 0};
    uint64_t empty = kr_empty(s);
    for (uint64_t left = s->knights[!owner]; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        for (uint64_t to = kr_holder_targets(s, from) & empty; to != 0; to &= to - 1) {
            uint64_t square = to & -to;
            out.possible |= square;
            if (out.good & square)
                continue;
            int answer = kr_search_capture_of_bare(q, s, from, rf_lsb(to));
            if (answer == KR_UNDECIDED)
                out.unknown |= square;
            else if ((answer == KR_SUCCEEDS) == (owner != q->attacker))
                out.good |= square;
        }
    }
    return out;
}

/* The squares from which the attacker succeeds: [owner] with the bare knight's side to move, [!owner] with the other.
 * They are the smallest sets that the rules allow, since play without an end is no success. */
static void kr_find_least_fixpoint(const kr_state *s, unsigned owner, bool attacks, bool end_succeeds,
                                   const kr_results *exits, const kr_results *captures, uint64_t succeeds[2])
{
    uint64_t empty = kr_empty(s), mine = 0, other = 0, last_mine, last_other;
    uint64_t only_passes = empty & ~exits->possible & ~kr_neighbours(empty, s->files);
    uint64_t other_passes = empty & ~captures->possible;
    uint64_t ends = only_passes & other_passes; /* two passes end the game (K9) */
    do {
        last_mine = mine;
        last_other = other;
        if (attacks) {
            mine |= exits->good | (kr_neighbours(other, s->files) & empty) | (only_passes & other);
            other |= (captures->possible & ~captures->good) | (other_passes & mine);
        } else {
            mine |= empty & ~exits->good & ~kr_neighbours(empty & ~other, s->files) & (~only_passes | other);
            other |= captures->good | (other_passes & mine);
        }
        mine = end_succeeds ? mine | ends : mine & ~ends;
    } while (mine != last_mine || other != last_other);
    succeeds[owner] = mine;
    succeeds[!owner] = other;
}

/* The side without the bare knight can only capture it. Solves every square and both sides to move; returns the
 * answers for the side to move. */
static kr_square_sets kr_solve_stuck(const kr_question *q, const kr_state *s, unsigned owner)
{
    kr_state turn[2] = {*s, *s};
    uint64_t empty = kr_empty(s), smallest[2], largest[2], before = q->control->nodes;
    turn[KR_SOUTH].side = KR_SOUTH;
    turn[KR_NORTH].side = KR_NORTH;
    kr_results exits = kr_find_exits(q, &turn[owner], owner);
    kr_results captures = kr_find_captures(q, &turn[!owner], owner);
    if (q->control->stopped != RF_DONE)
        return (kr_square_sets){0, 0};
    bool attacks = owner == q->attacker;
    bool end_succeeds = kr_is_success(q, kr_balance(s));
    /* What is unknown counts once against the attacker and once for it. */
    kr_results worst_exits = exits, best_exits = exits;
    kr_results worst_captures = captures, best_captures = captures;
    (attacks ? &best_exits : &worst_exits)->good |= exits.unknown;
    (attacks ? &worst_captures : &best_captures)->good |= captures.unknown;
    kr_find_least_fixpoint(s, owner, attacks, end_succeeds, &worst_exits, &worst_captures, smallest);
    kr_find_least_fixpoint(s, owner, attacks, end_succeeds, &best_exits, &best_captures, largest);
    for (int side = KR_SOUTH; side <= KR_NORTH; side++)
        kr_store_sets(q, kr_sets_key(q->threshold, kr_hash_state(&turn[side]), owner),
                      (kr_square_sets){smallest[side], empty & ~largest[side]}, 0, before);
    return (kr_square_sets){smallest[s->side], empty & ~largest[s->side]};
}

/* ---- the search ---- */

/* One position while its plies are tried. All sets are squares of the bare knight. */
typedef struct kr_node {
    const kr_question *q;
    const kr_state *s;
    unsigned owner, mover;
    uint64_t empty;
    uint64_t open;    /* asked and not answered yet */
    uint64_t good;    /* the mover gets what it wants */
    uint64_t bad;     /* no ply so far gives it */
    uint64_t unknown; /* some ply has no answer */
} kr_node;

static inline uint64_t kr_good_for_mover(const kr_node *n, kr_square_sets sets)
{
    return n->mover == n->q->attacker ? sets.succeeds : sets.fails;
}

static inline uint64_t kr_bad_for_mover(const kr_node *n, kr_square_sets sets)
{
    return n->mover == n->q->attacker ? sets.fails : sets.succeeds;
}

static inline void kr_add_good(kr_node *n, uint64_t squares)
{
    n->good |= squares;
    n->open &= ~squares;
}

/* A ply of another piece. */
static void kr_try_other_piece(kr_node *n, rf_ply ply)
{
    kr_state next;
    kr_after(n->s, ply, &next);
    kr_square_sets below = kr_search_bare_knight(n->q, &next, n->owner, n->open);
    n->unknown |= n->open & ~(below.succeeds | below.fails);
    n->bad &= kr_bad_for_mover(n, below);
    kr_add_good(n, kr_good_for_mover(n, below) & n->empty);
}

/* The answer after a ply that can be made if the bare knight is on one of `squares`. */
static void kr_add_answer(kr_node *n, int answer, uint64_t squares)
{
    if (answer == KR_UNDECIDED) {
        n->unknown |= squares;
        n->bad &= ~squares;
    } else if ((answer == KR_SUCCEEDS) == (n->mover == n->q->attacker)) {
        kr_add_good(n, squares);
    }
}

/* Steps of the bare knight, to one square after another until every open square has a step that is good, or none. */
static void kr_try_steps(kr_node *n)
{
    kr_state next = *n->s;
    unsigned files = next.files;
    next.side = !n->mover;
    kr_square_sets below = kr_search_bare_knight(n->q, &next, n->owner,
                                                 0); /* no square is asked: what the table knows */
    uint64_t tried = 0;
    for (;;) {
        kr_add_good(n, kr_neighbours(kr_good_for_mover(n, below) & n->empty, files) & n->empty);
        uint64_t to = kr_neighbours(n->open, files) & n->empty & ~(below.succeeds | below.fails | tried);
        if (to == 0 || n->q->control->stopped != RF_DONE)
            break;
        tried |= to & -to;
        below = kr_search_bare_knight(n->q, &next, n->owner, to & -to);
    }
    n->unknown |= n->open & kr_neighbours(n->empty & ~(below.succeeds | below.fails), files);
    n->bad &= ~kr_neighbours(n->empty & ~kr_bad_for_mover(n, below), files);
}

/* Plies of the bare knight, or captures of it, that matter to the open squares. */
static size_t kr_list_bare_plies(const kr_node *n, rf_ply *out)
{
    const kr_state *s = n->s;
    size_t plies = 0;
    if (n->owner == n->mover) {
        for (uint64_t to = kr_open_bare_targets(n->q, s); to != 0; to &= to - 1)
            if (kr_targets[rf_lsb(to)][0] & n->open)
                out[plies++] = kr_ply(KR_BARE_TAKES, rf_lsb(to));
        if (kr_neighbours(n->open, s->files) & n->empty)
            out[plies++] = kr_ply(KR_BARE_STEPS, 0);
        return plies;
    }
    for (uint64_t left = s->knights[n->mover]; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        for (uint64_t to = kr_holder_targets(s, from) & n->open; to != 0; to &= to - 1)
            out[plies++] = kr_ply(from, rf_lsb(to));
    }
    return plies;
}

static void kr_try_one(kr_node *n, rf_ply ply)
{
    unsigned from = kr_from(ply), to = kr_to(ply);
    if (from == KR_BARE_STEPS) {
        kr_try_steps(n);
    } else if (from == KR_BARE_TAKES) {
        uint64_t squares = kr_targets[to][0];
        if (squares & n->open)
            kr_add_answer(n, kr_search_bare_takes(n->q, n->s, n->owner, to), squares & n->empty);
        else
            n->bad &= ~squares;
    } else if (!(n->empty & kr_bit(to))) {
        kr_try_other_piece(n, ply);
    } else if (n->open & kr_bit(to)) {
        kr_add_answer(n, kr_search_capture_of_bare(n->q, n->s, from, to), kr_bit(to));
    }
}

/* Squares outside the question that have plies which kr_list_bare_plies omits. */
static uint64_t kr_find_unlisted(const kr_node *n, uint64_t asked)
{
    const kr_state *s = n->s;
    if (n->owner != n->mover)
        return kr_attacked(s, n->mover, 0) & n->empty & ~asked;
    uint64_t unlisted = 0;
    for (uint64_t to = kr_open_bare_targets(n->q, s); to != 0; to &= to - 1)
        if (!(kr_targets[rf_lsb(to)][0] & asked))
            unlisted |= kr_targets[rf_lsb(to)][0];
    if (!(kr_neighbours(asked, s->files) & n->empty))
        unlisted |= kr_neighbours(n->empty, s->files);
    return unlisted;
}

/* Squares with which the bare knight's side has no ply at all: it passes (K9). */
static void kr_try_pass(kr_node *n)
{
    uint64_t stuck = kr_find_stuck(n->s, n->mover, n->owner);
    if (stuck & n->open) {
        kr_state next = *n->s;
        next.side = !n->mover;
        kr_square_sets below = kr_search_bare_knight(n->q, &next, n->owner, stuck & n->open);
        n->unknown |= stuck & n->open & ~(below.succeeds | below.fails);
        n->bad &= kr_bad_for_mover(n, below) | ~stuck;
        kr_add_good(n, kr_good_for_mover(n, below) & stuck);
    } else {
        n->bad &= ~stuck;
    }
}

/* Enhanced transposition cutoff: adds what the table has about other pieces' plies. Returns the last one that was
 * good for an open square, else `best`. */
static rf_ply kr_probe_successors(kr_node *n, const rf_ply *plies, size_t count, rf_ply best)
{
    uint64_t keys[KR_MAX_PLIES];
    for (size_t i = 0; i < count; i++) {
        kr_state next;
        kr_after(n->s, plies[i], &next);
        keys[i] = kr_sets_key(n->q->threshold, kr_hash_state(&next), n->owner);
        kr_prefetch_proven(n->q->search, keys[i]);
    }
    for (size_t i = 0; i < count; i++) {
        kr_slot copy;
        rf_ply unused;
        kr_square_sets known = kr_read_sets(kr_find_proven(n->q->search, keys[i], &copy), &unused);
        uint64_t good = kr_good_for_mover(n, known) & n->empty;
        if (good & n->open)
            best = plies[i];
        kr_add_good(n, good);
    }
    return best;
}

/* Tries a list of plies until no square is open. Returns the last one that was good for a square, else `best`. */
static rf_ply kr_try_list(kr_node *n, rf_ply *plies, size_t count, rf_ply best)
{
    kr_search *search = n->q->search;
    bool again = false;
    for (size_t later = 0; count > 0; count = later, later = 0, again = true)
        for (size_t i = 0; i < count && n->open != 0; i++) {
            uint64_t before = n->good, unknown = n->unknown, bad = n->bad;
            kr_begin_try(search, again || i == 0 || kr_from(plies[i]) == KR_BARE_STEPS);
            kr_try_one(n, plies[i]);
            bool deferred = kr_end_try(search);
            if (n->q->control->stopped != RF_DONE)
                return best;
            if (n->good != before) {
                best = plies[i];
                kr_update_history(search, n->mover, best);
            }
            if (deferred) { /* only the good squares are known */
                n->unknown = unknown;
                n->bad = bad;
                plies[later++] = plies[i];
            }
        }
    return best;
}

static rf_ply kr_try_all(kr_node *n, rf_ply best)
{
    rf_ply plies[2 * KR_MAX_PLIES];
    uint64_t asked = n->open;
    size_t others = kr_list_open_progress(n->q, n->s, plies);
    size_t count = others + kr_list_bare_plies(n, plies + others);
    if (rf_popcount(kr_free(n->s)) > 1) { /* with one ring few plies are left, and probing costs more than it saves */
        best = kr_probe_successors(n, plies, others, best);
        if (n->open == 0)
            return best;
    }
    kr_sort_plies(n->q, n->s, best, plies, count);
    n->bad = n->empty & ~kr_find_unlisted(n, asked);
    best = kr_try_list(n, plies, count, best);
    if (n->q->control->stopped == RF_DONE && n->owner == n->mover && n->open != 0)
        kr_try_pass(n);
    return best;
}

/* The sets of a position in the table. */
static kr_square_sets kr_known_sets(const kr_question *q, uint64_t hash, uint64_t key, unsigned owner, rf_ply *best)
{
    kr_slot copy;
    kr_slot *slot = kr_find_proven(q->search, key, &copy);
    kr_square_sets known = kr_read_sets(slot, best);
    if (slot == NULL) {
        known.succeeds = kr_sets_at(q, q->search->harder, hash, owner, best).succeeds;
        known.fails = kr_sets_at(q, q->search->easier, hash, owner, best).fails;
    }
    return known;
}

static kr_square_sets kr_join(kr_square_sets a, kr_square_sets b)
{
    return (kr_square_sets){a.succeeds | b.succeeds, a.fails | b.fails};
}

/* Searches a position for the squares `open`; `known` has the answers for other squares. */
static kr_square_sets kr_search_sets(const kr_question *q, const kr_state *s, unsigned owner, uint64_t key,
                                     uint64_t open,
                                     kr_square_sets known, rf_ply best)
{
    uint64_t before = q->control->nodes;
    rf_ply plies[KR_MAX_PLIES];
    if (owner == !s->side && kr_list_progress(s, s->side, plies) == 0)
        return kr_join(kr_solve_stuck(q, s, owner), known);
    kr_node n = {.q = q, .s = s, .owner = owner, .mover = s->side, .empty = kr_empty(s), .open = open};
    n.good = kr_good_for_mover(&n, known) & n.empty;
    bool shared = q->search->shared != NULL && !kr_one_bit(kr_free(s));
    if (shared)
        kr_begin_position(q->search, key);
    best = kr_try_all(&n, best);
    if (shared)
        kr_end_position(q->search, key);
    if (q->control->stopped != RF_DONE)
        return known;
    uint64_t bad = n.open == 0 ? 0 : (n.bad & ~n.good & ~n.unknown) | (n.open & ~n.unknown);
    kr_square_sets found = n.mover == q->attacker ? (kr_square_sets){n.good, bad} : (kr_square_sets){bad, n.good};
    found = kr_join(found, known);
    kr_store_sets(q, key, found, best, before);
    return found;
}

kr_square_sets kr_search_bare_knight(const kr_question *q, const kr_state *s, unsigned owner, uint64_t asked)
{
    uint64_t free = kr_free(s);
    /* 1. Ends, and static bounds for the last ring. */
    if (free == 0)
        return kr_score_ended(q, s, owner);
    kr_square_sets sure = {0, 0};
    uint64_t hash = kr_hash_state(s), key = kr_sets_key(q->threshold, hash, owner);
    if (kr_one_bit(free)) {
        kr_prefetch_sets(q, hash, owner);
        sure = kr_find_static_sets(q, s, owner);
        if ((asked & ~(sure.succeeds | sure.fails)) == 0)
            return sure;
    }
    /* 2. The table. */
    rf_ply best = 0;
    kr_square_sets known = kr_join(kr_known_sets(q, hash, key, owner, &best), sure);
    uint64_t open = asked & ~(known.succeeds | known.fails);
    /* 3. A far threshold. */
    if (open != 0 && kr_is_out_of_reach(q, s, kr_attackers_lead(q, s), NULL))
        return (kr_square_sets){0, KR_ALL_SQUARES};
    /* 4. The search. */
    if (open == 0 || (!kr_one_bit(free) && kr_is_deferred(q->search, key)) || rf_tick(q->control))
        return known;
    return kr_search_sets(q, s, owner, key, open, known, best);
}
