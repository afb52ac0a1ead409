/* Margins of positions with one bare knight, a knight without rings.
 *
 * A bare knight goes where it likes, square by square, and multiplies the positions that a search meets. Here a
 * question is asked for all squares of the bare knight at once: a position without it is kept apart from the set of
 * squares where it may stand, and an answer is two sets, the squares where the attacker succeeds and those where it
 * fails (the rest is not known). Plies of other pieces hardly ever depend on where the bare knight stands, so one
 * answer below serves for all of its squares, and a step of it is a shift of a set.
 *
 * No position can come again here, and nothing depends on a path: the side without a bare knight makes progress with
 * every ply, unless it has none but to capture the bare knight. Then it passes while the bare knight goes on:
 * kr_cornered finds the answers for all squares together, as the smallest set of successes. */
#include "rings/questions.h"

void kr_land(const kr_state *s, unsigned owner, unsigned to, kr_state *out)
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

static int kr_ask_landing(const kr_question *q, const kr_state *s, unsigned owner, unsigned to)
{
    kr_state next;
    kr_land(s, owner, to, &next);
    return kr_ask_without(q, &next);
}

/* The holder on `from` captures the bare knight on `to`. */
static int kr_ask_capture(const kr_question *q, const kr_state *s, unsigned owner, unsigned from, unsigned to)
{
    kr_state next = *s;
    next.knights[owner] |= kr_bit(to);
    kr_play(&next, kr_ply(from, to));
    return kr_ask_without(q, &next);
}

uint64_t kr_strikes(const kr_state *s, unsigned side)
{
    uint64_t strikes = 0;
    for (uint64_t left = s->knights[side]; left != 0; left &= left - 1)
        strikes |= kr_targets[rf_lowest(left)][kr_rings(s, rf_lowest(left))];
    return strikes & kr_empty(s);
}

/* ---- table ---- */

static inline kr_sets kr_known_sets(const rf_margin_slot *slot, rf_ply *best)
{
    if (slot == NULL)
        return (kr_sets){0, 0};
    *best = (rf_ply)(slot->a >> KR_SQUARES);
    return (kr_sets){slot->a & KR_ALL_SQUARES, slot->b & KR_ALL_SQUARES};
}

/* What is known for another question, if it was asked. */
static inline kr_sets kr_sets_known_at(const kr_question *q, int threshold, uint64_t hash, unsigned owner, rf_ply *best)
{
    rf_margin_slot copy;
    if (threshold == RF_NO_THRESHOLD)
        return (kr_sets){0, 0};
    return kr_known_sets(rf_margin_find_proven(q->m, kr_sets_key(threshold, hash, owner), &copy), best);
}

/* Has the entries of a position brought near, for this question and its neighbours. */
static inline void kr_prefetch_sets(const kr_question *q, uint64_t hash, unsigned owner)
{
    rf_margin_prefetch_proven(q->m, kr_sets_key(q->threshold, hash, owner));
    if (q->m->harder != RF_NO_THRESHOLD)
        rf_margin_prefetch_proven(q->m, kr_sets_key(q->m->harder, hash, owner));
    if (q->m->easier != RF_NO_THRESHOLD)
        rf_margin_prefetch_proven(q->m, kr_sets_key(q->m->easier, hash, owner));
}

/* Both sets and, above them, the best ply (12 bits) beside the successes. */
static void kr_store(const kr_question *q, uint64_t key, kr_sets sets, rf_ply best, uint64_t nodes_before)
{
    rf_margin_slot copy, *slot = rf_margin_make_proven(q->m, key, 0, &copy);
    slot->a = ((slot->a | sets.succeeds) & KR_ALL_SQUARES) | (uint64_t)best << KR_SQUARES;
    slot->b |= sets.fails | RF_MARGIN_OWN;
    rf_margin_effort(slot, q->control->nodes - nodes_before);
    rf_margin_keep_proven(q->m, slot);
}

/* ---- a side that can only capture the bare knight or pass ---- */

/* What the bare knight's side gets, by the bare knight's square, with a ply that is not a step. */
typedef struct {
    uint64_t good;    /* some such ply gives it what it wants */
    uint64_t unknown; /* some such ply may */
    uint64_t none;    /* there is no ply at all, not even a step */
} kr_exits;

static kr_exits kr_find_exits(const kr_question *q, const kr_state *s, unsigned owner)
{
    rf_ply plies[KR_MOST_PLIES];
    bool attacks = owner == q->attacker;
    uint64_t empty = kr_empty(s), busy = kr_beside(empty, s->files);
    kr_exits out = {0, 0, 0};
    size_t count = kr_list_progress(s, owner, plies);
    for (size_t i = 0; i < count && (empty & ~out.good) != 0; i++) {
        kr_state next;
        kr_after(s, plies[i], &next);
        uint64_t asked = empty & ~out.good;
        kr_sets below = kr_ask_sets(q, &next, owner, asked);
        out.good |= empty & (attacks ? below.succeeds : below.fails);
        out.unknown |= asked & ~(below.succeeds | below.fails);
    }
    for (uint64_t left = kr_free(s) | s->knights[!owner]; left != 0; left &= left - 1) {
        uint64_t from = kr_targets[rf_lowest(left)][0] & empty;
        busy |= from;
        if ((from & ~out.good) == 0)
            continue;
        int answer = kr_ask_landing(q, s, owner, rf_lowest(left));
        if (answer == RF_UNDECIDED)
            out.unknown |= from;
        else if ((answer == RF_SUCCEEDS) == attacks)
            out.good |= from;
    }
    out.none = count > 0 ? 0 : empty & ~busy;
    return out;
}

/* By the bare knight's square, whether the other side gets what it wants by capturing it: squares where it can capture,
 * where that is good, and where it is not known. */
typedef struct {
    uint64_t can, good, unknown;
} kr_captures;

static kr_captures kr_find_captures(const kr_question *q, const kr_state *s, unsigned owner)
{
    kr_captures out = {0, 0, 0};
    uint64_t empty = kr_empty(s);
    for (uint64_t left = s->knights[!owner]; left != 0; left &= left - 1) {
        unsigned from = rf_lowest(left);
        for (uint64_t to = kr_targets[from][kr_rings(s, from)] & empty; to != 0; to &= to - 1) {
            uint64_t square = to & -to;
            out.can |= square;
            if (out.good & square)
                continue;
            int answer = kr_ask_capture(q, s, owner, from, rf_lowest(to));
            if (answer == RF_UNDECIDED)
                out.unknown |= square;
            else if ((answer == RF_SUCCEEDS) == (owner != q->attacker))
                out.good |= square;
        }
    }
    return out;
}

/* The squares from which the attacker succeeds: [owner] with the bare knight's side to move, [!owner] with the other.
 * They are the smallest sets that the rules allow, since a play that goes on for ever is not a success. */
static void kr_spread(const kr_state *s, unsigned owner, bool attacks, bool end_succeeds, const kr_exits *exits,
                      const kr_captures *captures, uint64_t succeeds[2])
{
    uint64_t empty = kr_empty(s), mine = 0, other = 0, last_mine, last_other;
    uint64_t passes = empty & ~captures->can; /* the other side has no ply */
    uint64_t ends = exits->none & passes;     /* nor has the bare knight's */
    do {
        last_mine = mine;
        last_other = other;
        if (attacks) {
            mine |= exits->good | (kr_beside(other, s->files) & empty) | (exits->none & other);
            other |= (captures->can & ~captures->good) | (passes & mine);
        } else {
            mine |= empty & ~exits->good & ~kr_beside(empty & ~other, s->files) & (~exits->none | other);
            other |= captures->good | (passes & mine);
        }
        mine = end_succeeds ? mine | ends : mine & ~ends;
    } while (mine != last_mine || other != last_other);
    succeeds[owner] = mine;
    succeeds[!owner] = other;
}

/* The side without a bare knight has no ply but captures of it. Finds the answers for every square and both sides to
 * move; gives those for the side to move. */
static kr_sets kr_cornered(const kr_question *q, const kr_state *s, unsigned owner)
{
    kr_state turn[2] = {*s, *s};
    uint64_t empty = kr_empty(s), least[2], most[2], before = q->control->nodes;
    turn[KR_SOUTH].side = KR_SOUTH;
    turn[KR_NORTH].side = KR_NORTH;
    kr_exits exits = kr_find_exits(q, &turn[owner], owner);
    kr_captures captures = kr_find_captures(q, &turn[!owner], owner);
    if (q->control->stopped != RF_DONE)
        return (kr_sets){0, 0};
    bool attacks = owner == q->attacker;
    bool end_succeeds = kr_meets(q, kr_balance(s));
    /* What is not known counts once against the attacker and once for it. */
    kr_exits worst_exits = exits, best_exits = exits;
    kr_captures worst_captures = captures, best_captures = captures;
    (attacks ? &best_exits : &worst_exits)->good |= exits.unknown;
    (attacks ? &worst_captures : &best_captures)->good |= captures.unknown;
    kr_spread(s, owner, attacks, end_succeeds, &worst_exits, &worst_captures, least);
    kr_spread(s, owner, attacks, end_succeeds, &best_exits, &best_captures, most);
    for (int side = KR_SOUTH; side <= KR_NORTH; side++)
        kr_store(q, kr_sets_key(q->threshold, kr_hash_state(&turn[side]), owner),
                 (kr_sets){least[side], empty & ~most[side]}, 0, before);
    return (kr_sets){least[s->side], empty & ~most[s->side]};
}

/* ---- the search ---- */

/* The state of one position while its plies are tried. */
typedef struct {
    const kr_question *q;
    const kr_state *s;
    unsigned owner, mover;
    uint64_t empty;
    uint64_t left;    /* squares asked for that are still open */
    uint64_t good;    /* the mover gets what it wants */
    uint64_t bad;     /* every ply so far is known not to give it */
    uint64_t unknown; /* some ply is not known */
} kr_node;

static inline uint64_t kr_mine(const kr_node *n, kr_sets sets)
{
    return n->mover == n->q->attacker ? sets.succeeds : sets.fails;
}

static inline uint64_t kr_theirs(const kr_node *n, kr_sets sets)
{
    return n->mover == n->q->attacker ? sets.fails : sets.succeeds;
}

static inline void kr_gain(kr_node *n, uint64_t squares)
{
    n->good |= squares;
    n->left &= ~squares;
}

/* A ply of another piece, wherever the bare knight stands. */
static void kr_try_ply(kr_node *n, rf_ply ply)
{
    kr_state next;
    kr_after(n->s, ply, &next);
    kr_sets below = kr_ask_sets(n->q, &next, n->owner, n->left);
    n->unknown |= n->left & ~(below.succeeds | below.fails);
    n->bad &= kr_theirs(n, below);
    kr_gain(n, kr_mine(n, below) & n->empty);
}

/* An answer for a ply that the bare knight, or who captures it, makes: from `squares` it can be made. */
static void kr_put_answer(kr_node *n, int answer, uint64_t squares)
{
    if (answer == RF_UNDECIDED) {
        n->unknown |= squares;
        n->bad &= ~squares;
    } else if ((answer == RF_SUCCEEDS) == (n->mover == n->q->attacker)) {
        kr_gain(n, squares);
    }
}

/* Steps of the bare knight, one square after another until nothing asked for is open. */
static void kr_try_steps(kr_node *n)
{
    kr_state next = *n->s;
    unsigned files = next.files;
    next.side = !n->mover;
    kr_sets below = kr_ask_sets(n->q, &next, n->owner, 0);
    uint64_t tried = 0;
    for (;;) {
        kr_gain(n, kr_beside(kr_mine(n, below) & n->empty, files) & n->empty);
        uint64_t open = kr_beside(n->left, files) & n->empty & ~(below.succeeds | below.fails | tried);
        if (open == 0 || n->q->control->stopped != RF_DONE)
            break;
        tried |= open & -open;
        below = kr_ask_sets(n->q, &next, n->owner, open & -open);
    }
    n->unknown |= n->left & kr_beside(n->empty & ~(below.succeeds | below.fails), files);
    n->bad &= ~kr_beside(n->empty & ~kr_theirs(n, below), files);
}

/* The bare knight's plies that are not steps, a step, and captures of the bare knight, each once. */
static size_t kr_list_bare_knight(const kr_node *n, rf_ply *out)
{
    const kr_state *s = n->s;
    size_t plies = 0;
    if (n->owner == n->mover) {
        for (uint64_t to = kr_landings(n->q, s); to != 0; to &= to - 1)
            if (kr_targets[rf_lowest(to)][0] & n->left)
                out[plies++] = kr_ply(KR_LAND, rf_lowest(to));
        if (kr_beside(n->left, s->files) & n->empty)
            out[plies++] = kr_ply(KR_STEP, 0);
    } else {
        for (uint64_t left = s->knights[n->mover]; left != 0; left &= left - 1) {
            unsigned from = rf_lowest(left);
            for (uint64_t to = kr_targets[from][kr_rings(s, from)] & n->left; to != 0; to &= to - 1)
                out[plies++] = kr_ply(from, rf_lowest(to));
        }
    }
    return plies;
}

static void kr_try(kr_node *n, rf_ply ply)
{
    unsigned from = kr_from(ply), to = kr_to(ply);
    if (from == KR_STEP) {
        kr_try_steps(n);
    } else if (from == KR_LAND) {
        uint64_t squares = kr_targets[to][0];
        if (squares & n->left)
            kr_put_answer(n, kr_ask_landing(n->q, n->s, n->owner, to), squares & n->empty);
        else
            n->bad &= ~squares;
    } else if (!(n->empty & kr_bit(to))) {
        kr_try_ply(n, ply);
    } else if (n->left & kr_bit(to)) {
        kr_put_answer(n, kr_ask_capture(n->q, n->s, n->owner, from, to), kr_bit(to));
    }
}

/* The squares whose plies are not all tried when every ply in the list is, although they were not asked for. */
static uint64_t kr_not_listed(const kr_node *n, uint64_t asked)
{
    const kr_state *s = n->s;
    if (n->owner != n->mover)
        return kr_strikes(s, n->mover) & ~asked;
    uint64_t missing = 0;
    for (uint64_t to = kr_landings(n->q, s); to != 0; to &= to - 1)
        if (!(kr_targets[rf_lowest(to)][0] & asked))
            missing |= kr_targets[rf_lowest(to)][0];
    if (!(kr_beside(asked, s->files) & n->empty))
        missing |= kr_beside(n->empty, s->files);
    return missing;
}

/* Squares where the bare knight's side has no ply at all; it passes, and the other side goes on. */
static void kr_try_pass(kr_node *n)
{
    rf_ply plies[KR_MOST_PLIES];
    const kr_state *s = n->s;
    if (kr_list_progress(s, n->mover, plies) > 0)
        return;
    uint64_t stuck = n->empty & ~kr_beside(n->empty | kr_free(s) | s->knights[!n->mover], s->files);
    if (stuck & n->left) {
        kr_state next = *s;
        next.side = !n->mover;
        kr_sets below = kr_ask_sets(n->q, &next, n->owner, stuck & n->left);
        n->unknown |= stuck & n->left & ~(below.succeeds | below.fails);
        n->bad &= kr_theirs(n, below) | ~stuck;
        kr_gain(n, kr_mine(n, below) & stuck);
    } else {
        n->bad &= ~stuck;
    }
}

/* Gains what the table knows of other pieces' plies; gives the last one that gained something. */
static rf_ply kr_probe_successors(kr_node *n, const rf_ply *plies, size_t count, rf_ply best)
{
    uint64_t keys[KR_MOST_PLIES];
    for (size_t i = 0; i < count; i++) {
        kr_state next;
        kr_after(n->s, plies[i], &next);
        keys[i] = kr_sets_key(n->q->threshold, kr_hash_state(&next), n->owner);
        rf_margin_prefetch_proven(n->q->m, keys[i]);
    }
    for (size_t i = 0; i < count; i++) {
        rf_margin_slot copy;
        rf_ply unused;
        uint64_t mine = kr_mine(n, kr_known_sets(rf_margin_find_proven(n->q->m, keys[i], &copy), &unused)) & n->empty;
        if (mine & n->left)
            best = plies[i];
        kr_gain(n, mine);
    }
    return best;
}

/* Tries plies until nothing asked for is open; gives the last one that gained something. */
static rf_ply kr_try_all(kr_node *n, rf_ply best)
{
    rf_ply plies[2 * KR_MOST_PLIES];
    uint64_t asked = n->left;
    bool again = false; /* for plies that were put off */
    size_t others = kr_list_holders(n->q, n->s, plies);
    size_t count = others + kr_list_bare_knight(n, plies + others);
    if (rf_popcount(kr_free(n->s)) > 1) { /* else few are left, and probing costs more than it saves */
        best = kr_probe_successors(n, plies, others, best);
        if (n->left == 0)
            return best;
    }
    kr_sort(n->q, n->s, best, plies, count);
    n->bad = n->empty & ~kr_not_listed(n, asked);
    for (size_t late = 0; count > 0; count = late, late = 0, again = true)
        for (size_t i = 0; i < count && n->left != 0; i++) {
            uint64_t before = n->good, unknown = n->unknown, bad = n->bad;
            rf_team_try(n->q->m, again || i == 0 || kr_from(plies[i]) == KR_STEP);
            kr_try(n, plies[i]);
            bool put_off = rf_team_tried(n->q->m);
            if (n->q->control->stopped != RF_DONE)
                return best;
            if (n->good != before) {
                best = plies[i];
                rf_margin_update_history(n->q->m, n->mover, best);
            }
            if (put_off) { /* nothing is known but what was gained */
                n->unknown = unknown;
                n->bad = bad;
                plies[late++] = plies[i];
            }
        }
    if (n->owner == n->mover && n->left != 0)
        kr_try_pass(n);
    return best;
}

kr_sets kr_ask_sets(const kr_question *q, const kr_state *s, unsigned owner, uint64_t asked)
{
    uint64_t free = kr_free(s), all = KR_ALL_SQUARES;
    if (free == 0 && s->side == KR_SOUTH)
        return kr_sets_of(kr_meets(q, kr_balance(s)) ? RF_SUCCEEDS : RF_FAILS, all);
    if (free == 0)
        return kr_last_turn(q, s, kr_balance(s), owner, all);
    kr_sets seen = {0, 0};
    uint64_t hash = kr_hash_state(s), key = kr_sets_key(q->threshold, hash, owner);
    if ((free & (free - 1)) == 0) {
        kr_prefetch_sets(q, hash, owner);
        seen = kr_find_static_sets(q, s, owner);
        if ((asked & ~(seen.succeeds | seen.fails)) == 0)
            return seen;
    }
    rf_margin_slot copy;
    rf_margin_slot *slot = rf_margin_find_proven(q->m, key, &copy);
    rf_ply best = 0;
    kr_sets known = kr_known_sets(slot, &best);
    if (slot == NULL) {
        known.succeeds = kr_sets_known_at(q, q->m->harder, hash, owner, &best).succeeds;
        known.fails = kr_sets_known_at(q, q->m->easier, hash, owner, &best).fails;
    }
    known.succeeds |= seen.succeeds;
    known.fails |= seen.fails;
    uint64_t open = asked & ~(known.succeeds | known.fails);
    bool in_common = q->m->team != NULL && (free & (free - 1)) != 0;
    if (RF_UNLIKELY(in_common) && open != 0 && rf_team_puts_off(q->m, key))
        return known;
    if (open == 0 || rf_tick(q->control))
        return known;
    uint64_t before = q->control->nodes;
    rf_ply plies[KR_MOST_PLIES];
    if (owner == !s->side && kr_list_progress(s, s->side, plies) == 0) {
        kr_sets found = kr_cornered(q, s, owner);
        return (kr_sets){found.succeeds | known.succeeds, found.fails | known.fails};
    }
    kr_node n = {.q = q, .s = s, .owner = owner, .mover = s->side, .empty = kr_empty(s), .left = open};
    n.good = kr_mine(&n, known) & n.empty;
    if (in_common)
        rf_team_begin(q->m, key);
    best = kr_try_all(&n, best);
    if (in_common)
        rf_team_end(q->m, key);
    if (q->control->stopped != RF_DONE)
        return known;
    uint64_t bad = n.left == 0 ? 0 : (n.bad & ~n.good & ~n.unknown) | (n.left & ~n.unknown);
    kr_sets found = n.mover == q->attacker ? (kr_sets){n.good, bad} : (kr_sets){bad, n.good};
    found.succeeds |= known.succeeds;
    found.fails |= known.fails;
    kr_store(q, key, found, best, before);
    return found;
}

unsigned kr_rank(const rf_state *state, rf_ply ply)
{
    enum { STEP = 5, MIDDLE = 32 };
    const kr_state *s = kr_read(state);
    if (ply == kr_pass)
        return 0;
    uint64_t south = kr_bare_knights(s, KR_SOUTH), north = kr_bare_knights(s, KR_NORTH), to = kr_bit(kr_to(ply));
    kr_state rest = *s;
    rest.knights[KR_SOUTH] &= ~south;
    rest.knights[KR_NORTH] &= ~north;
    if (kr_from(ply) != KR_FROM_HAND && ((south | north) & kr_bit(kr_from(ply))) != 0)
        ply = (south | north) & to ? kr_ply(KR_MEET, 0)
              : (kr_empty(&rest) & to) ? kr_ply(KR_STEP, 0) : kr_ply(KR_LAND, kr_to(ply));
    kr_ways theirs = kr_find_ways(&rest, !s->side);
    int rank = MIDDLE + kr_order_score(&rest, ply, &theirs) / STEP;
    return rank < 1 ? 1 : rank >= RF_MARGIN_RANKS ? RF_MARGIN_RANKS - 1 : (unsigned)rank;
}

int kr_settle(const rf_state *state, int threshold, rf_margin *m, rf_control *control)
{
    const kr_state *s = kr_read(state);
    uint64_t south = kr_bare_knights(s, KR_SOUTH), north = kr_bare_knights(s, KR_NORTH), bare = south | north;
    kr_question q = {m, control, threshold, threshold > 0 ? KR_SOUTH : KR_NORTH};
    if (bare == 0)
        return kr_ask_without(&q, s);
    if (rf_popcount(bare) > 1 || s->passes > 0)
        return RF_UNDECIDED;
    unsigned owner = north != 0;
    kr_state rest = *s;
    rest.knights[owner] ^= bare;
    kr_sets found = kr_ask_sets(&q, &rest, owner, bare);
    return found.succeeds & bare ? RF_SUCCEEDS : found.fails & bare ? RF_FAILS : RF_UNDECIDED;
}
