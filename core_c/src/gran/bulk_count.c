/* GRAN: perft of the last two plies without playing the first of them, and of fights three plies before the end.
 *
 * Idea: let P be the player to act and Q the next one. Nearly every ply of P puts one more figure or stone on a point t of a
 * board that is otherwise the same for all of them: P's own figure on its arrival, a third player's figure on a
 * banishing point, an obstacle stone. So the replies of Q are found once, without the addition, and summed over all
 * t by counting points of sets.
 * Invariant: the sum is exact; if an addition might block all moves of Q, so that Q must pass (R12), the plies of P are
 * played one at a time.
 * Example: Q has 20 quiet moves, and P puts a stone on one of 30 points, of which 5 are ends of these moves and none is
 * a point to pass over: 30 * 20 - 5 = 595 sequences. */
#include "gran/gran.h"
#include "gran/stones.h"

/* What a player can do on a board to which a figure or a stone is about to be added. As in gr_moves, [1] is for moves
 * that take the ring in passing. */
typedef struct {
    bool rests;          /* R9: one ply, whatever is added */
    bool can_be_blocked; /* a single addition might leave no ply at all, and a pass is a ply (R12) */
    gr_set quiet[2];     /* ends without a figure */
    gr_set attacks[2];   /* ends with a figure that may be attacked, if there is a point to banish it to */
    gr_set open[2];      /* ends without a figure where one could be attacked */
    gr_set banish[2];    /* where an attacked figure can go */
    gr_set over;         /* neighbours that an addition would keep from being passed over */
    gr_set through_one;  /* points that are not neighbours and can be reached through one of `over` only */
} gr_replies;

/* What a figure on `origin` can do that has no fetter. The other figures on the board are `others`; `carries` says that
 * it carries the ring. `ring` holds the ring's point, if it lies on the board. */
static void gr_find_replies(const rf_gran_board *b, unsigned origin, bool carries, unsigned amulets, gr_set others,
                            gr_set stones, gr_set ring, gr_replies *out)
{
    gr_set near = gr_neighbours(b, origin), here = gr_bit(origin);
    gr_set free = gr_set_of(b->white) & ~stones & ~others;
    gr_set fights = amulets == 0 ? gr_set_of(b->dragons) : 0;
    gr_set attackable = gr_attackable(b, amulets);
    gr_set ends[2] = {0, 0};
    gr_set beyond = 0, through_two = 0;
    gr_set over = near & ~ring & (carries ? ~(gr_set)0 : ~(others | stones | gr_set_of(b->dragons)));
    for (gr_set rest = over; rest != 0;) {
        gr_set ends_here = gr_neighbours(b, gr_pop_lsb(&rest));
        through_two |= beyond & ends_here;
        beyond |= ends_here;
    }
    ends[0] = (near | beyond) & ~here & ~stones;
    if ((near & ring) != 0)
        ends[1] = gr_neighbours(b, gr_lsb(ring)) & ~here & ~stones; /* R6: its taker passes over anything */
    out->rests = false;
    out->over = carries ? 0 : over; /* R3: a carrier passes over everything */
    out->through_one = beyond & ~through_two & ~near;
    out->banish[0] = free & ~ring;
    out->banish[1] = free;
    for (unsigned via_ring = 0; via_ring < 2; via_ring++) {
        out->quiet[via_ring] = ends[via_ring] & ~others & ~fights;
        out->attacks[via_ring] = ends[via_ring] & others & attackable;
        out->open[via_ring] = ends[via_ring] & ~others & attackable;
    }
    /* One addition takes one end at most from each of the two sets, and those in through_one. */
    out->can_be_blocked = gr_popcount(out->quiet[0] & ~out->through_one) + gr_popcount(out->quiet[1]) < 3;
}

/* The same for the next player. */
static void gr_find_next_replies(const rf_gran_board *b, const gr_state *s, unsigned next, gr_set others,
                                 gr_set stones, gr_set ring, gr_replies *out)
{
    unsigned origin = s->point[next] == GR_NOWHERE ? b->start : s->point[next];
    gr_find_replies(b, origin, gr_carries(s, next), gr_amulets(s, next), others, stones, ring, out);
    out->rests = gr_fettered(s, next);
}

/* The plies if nothing is added. */
static uint64_t gr_count_replies(const gr_replies *r)
{
    uint64_t total = 0;
    for (unsigned via_ring = 0; via_ring < 2 && !r->rests; via_ring++) {
        total += gr_popcount(r->quiet[via_ring]);
        if (r->attacks[via_ring] != 0)
            total += (uint64_t)gr_popcount(r->attacks[via_ring]) * gr_popcount(r->banish[via_ring]);
    }
    return total != 0 ? total : 1; /* R9, R12 */
}

/* The replies that moves without the ring in passing (via_ring 0) or with it (via_ring 1) allow, summed over the points t of
 * `added`, each time with a figure (or a stone) on t. With q quiet ends, a attacks and b points to banish to:
 *     q - [t is a quiet end] + (a + [t is an end where the figure can be attacked]) (b - [t is one of the b])
 * A stone cannot be attacked. */
static uint64_t gr_sum_plies(const gr_replies *r, unsigned via_ring, gr_set added, bool figure)
{
    uint64_t points = gr_popcount(added);
    uint64_t total = points * gr_popcount(r->quiet[via_ring]) - gr_popcount(added & r->quiet[via_ring]);
    if (figure) {
        gr_set attacked = added & r->open[via_ring];
        if (attacked != 0)
            total += (uint64_t)gr_popcount(attacked) * gr_popcount(r->banish[via_ring]) -
                     gr_popcount(attacked & r->banish[via_ring]);
    }
    if (r->attacks[via_ring] != 0)
        total += gr_popcount(r->attacks[via_ring]) *
                 (points * gr_popcount(r->banish[via_ring]) - gr_popcount(added & r->banish[via_ring]));
    return total;
}

/* The excess of the sum for via_ring 0, because t cannot be passed over any more (R3): the ends reached only through t. No
 * two points t share such an end, so that the ends are counted for all t at once. */
static uint64_t gr_sum_lost(const gr_replies *r, const rf_gran_board *b, gr_set added)
{
    gr_set lost = 0, lost_from_white = 0;
    for (gr_set rest = added & r->over; rest != 0;) {
        unsigned point = gr_pop_lsb(&rest);
        gr_set ends = gr_neighbours(b, point) & r->through_one;
        lost |= ends;
        if (gr_has(r->banish[0], point))
            lost_from_white |= ends;
    }
    uint64_t total = gr_popcount(lost & r->quiet[0]);
    gr_set attacks = lost & r->attacks[0];
    if (attacks != 0)
        total += (uint64_t)gr_popcount(attacks) * gr_popcount(r->banish[0]) - gr_popcount(attacks & lost_from_white);
    return total;
}

/* The plies of the next player summed over the points of `added`, each time with a figure (or a stone) on the point. */
static uint64_t gr_sum_replies(const gr_replies *r, const rf_gran_board *b, gr_set added, bool figure)
{
    if (r->rests)
        return gr_popcount(added);
    if (r->can_be_blocked && (added & (added - 1)) != 0) {
        uint64_t total = 0;
        while (added != 0)
            total += gr_sum_replies(r, b, gr_bit(gr_pop_lsb(&added)), figure);
        return total;
    }
    if (added == 0)
        return 0;
    uint64_t total = gr_sum_plies(r, 0, added, figure);
    if ((r->quiet[1] | r->attacks[1] | r->open[1]) != 0)
        total += gr_sum_plies(r, 1, added, figure);
    if ((added & r->over) != 0)
        total -= gr_sum_lost(r, b, added);
    return total != 0 ? total : 1; /* 0 can only be if there is only one point */
}

/* ---- plies that are played ---- */

static uint64_t gr_count_two(const rf_gran_board *b, const gr_state *s);

/* Perft after a ply, of this depth: 1 or 2. */
static uint64_t gr_count_below(const rf_gran_board *b, const gr_state *s, rf_ply ply, unsigned depth)
{
    rf_state next;
    gr_apply(b, (const rf_state *)s, ply, &next);
    return depth == 1 ? gr_count(b, &next) : gr_count_two(b, (const gr_state *)&next);
}

/* ---- moves ---- */

/* The values that are equal for all moves of the acting figure. */
typedef struct {
    const rf_gran_board *b;
    const gr_state *s;
    unsigned next;    /* index of the player who follows */
    gr_set others;    /* all figures but the acting one and the next player's */
    uint64_t chances; /* chance plies of a fight (R8) */
    /* Filled at the first use. [1]: after the acting player has taken a ring that lay on the board. */
    bool has_replies[2], has_points[2];
    gr_replies replies[2]; /* of the next player, without the acting figure */
    uint64_t points[2];    /* gr_free_for_stones */
} gr_turn;

static const gr_replies *gr_replies_to(gr_turn *turn, bool taken)
{
    if (!turn->has_replies[taken]) {
        turn->has_replies[taken] = true;
        gr_find_next_replies(turn->b, turn->s, turn->next, turn->others, gr_set_of(turn->s->stones),
                             taken ? 0 : gr_ring_point(turn->s), &turn->replies[taken]);
    }
    return &turn->replies[taken];
}

/* On how many points a stone can be put after an arrival on a magic stone or sword (R10), if that is the same for all
 * such arrivals; else 0. It is the same if a stone on any point leaves the ring in reach of the others: then so it does
 * wherever the acting figure arrives and wherever another one is banished to, and with a stone taken off. */
static uint64_t gr_free_for_stones(gr_turn *turn, bool taken)
{
    if (turn->has_points[taken])
        return turn->points[taken];
    const rf_gran_board *b = turn->b;
    const gr_state *s = turn->s;
    gr_set ring = taken ? 0 : gr_ring_point(s), stones = gr_set_of(s->stones), figures = gr_others(s), cuts = 0;
    uint64_t points = gr_popcount(gr_set_of(b->plain) & ~stones & ~figures & ~ring);
    if (ring != 0) {
        gr_set goals = figures;
        for (unsigned i = 0; i < s->players; i++)
            if (i != s->player && s->point[i] == GR_NOWHERE)
                goals |= gr_bit(b->start);
        if (!gr_find_cuts(b, s->ring, goals, stones, &cuts) || cuts != 0)
            points = 0;
    }
    turn->has_points[taken] = true;
    turn->points[taken] = points;
    return points;
}

/* The stones of which an arrival on this symbol may ask for one: those on the board for a sword; for a magic stone one,
 * if there is one in the supply. */
static unsigned gr_stones_for(const gr_turn *turn, unsigned symbol)
{
    if (symbol != RF_GRAN_SWORD && symbol != RF_GRAN_MAGIC_STONE)
        return 0;
    unsigned stones = gr_popcount(gr_set_of(turn->s->stones));
    if (symbol == RF_GRAN_SWORD)
        return stones;
    return stones < turn->b->stones;
}

/* Quiet moves onto the points of `ends`; `kind` is their kind as a ply. `taken`: the acting player carries off a ring
 * that lay on the board. */
static uint64_t gr_sum_quiet(gr_turn *turn, rf_ply kind, gr_set ends, bool taken)
{
    const rf_gran_board *b = turn->b;
    gr_set dragons = ends & gr_set_of(b->dragons);
    uint64_t total = gr_popcount(dragons) * turn->chances;
    ends &= ~dragons;
    /* Those that do not simply end the turn: symbols that may ask for a stone (R10), cities for a carrier (R7). */
    for (gr_set symbols = ends & ~gr_set_of(b->plain); symbols != 0;) {
        unsigned to = gr_pop_lsb(&symbols), symbol = b->symbol[to];
        bool city = symbol == RF_GRAN_CITY && (taken || gr_carries(turn->s, turn->s->player));
        unsigned stones = gr_stones_for(turn, symbol);
        if (!city && stones == 0)
            continue;
        uint64_t plies = stones != 0 ? stones * gr_free_for_stones(turn, taken) : 0;
        total += plies != 0 ? plies : gr_count_below(b, turn->s, kind | gr_ply(0, to, 0), 1);
        ends &= ~gr_bit(to);
    }
    return ends != 0 ? total + gr_sum_replies(gr_replies_to(turn, taken), b, ends, true) : total;
}

/* The next player has been attacked on `to` and banished to the points of `banish`, one each time: it replies from
 * there, without its fetter and without the ring (R5). */
static uint64_t gr_sum_banished_replies(gr_turn *turn, unsigned to, gr_set banish, bool taken)
{
    const gr_state *s = turn->s;
    gr_set ring = taken ? 0 : gr_ring_point(s), others = turn->others | gr_bit(to);
    uint64_t total = 0;
    while (banish != 0) {
        gr_replies r;
        gr_find_replies(turn->b, gr_pop_lsb(&banish), false, gr_amulets(s, turn->next), others, gr_set_of(s->stones),
                        ring, &r);
        total += gr_count_replies(&r);
    }
    return total;
}

/* Attacks on the points of `arrivals` (R5), with the attacked figure going to each of `banish`. */
static uint64_t gr_sum_attacks(gr_turn *turn, rf_ply kind, gr_set arrivals, gr_set banish, bool via_ring)
{
    const rf_gran_board *b = turn->b;
    const gr_state *s = turn->s;
    uint64_t total = 0;
    while (arrivals != 0) {
        unsigned to = gr_pop_lsb(&arrivals), symbol = b->symbol[to];
        bool taken = via_ring || s->ring == to;
        unsigned stones = gr_stones_for(turn, symbol);
        if (symbol == RF_GRAN_DRAGON) {
            total += gr_popcount(banish) * turn->chances;
        } else if (stones != 0) {
            /* The attacked figure takes one of the free points. */
            uint64_t points = gr_free_for_stones(turn, taken);
            if (points > 1)
                total += gr_popcount(banish) * (points - 1) * stones;
            else
                for (gr_set rest = banish; rest != 0;)
                    total += gr_count_below(b, s, kind | gr_ply(0, to, gr_pop_lsb(&rest)), 1);
        } else if (s->point[turn->next] == to) {
            total += gr_sum_banished_replies(turn, to, banish, taken);
        } else {
            /* The acting figure takes the place of the other one, which is the one that is added. */
            total += gr_sum_replies(gr_replies_to(turn, taken), b, banish, true);
        }
    }
    return total;
}

/* Perft of depth 2 where the acting player moves, or may `stay`. */
static uint64_t gr_sum_moves(const rf_gran_board *b, const gr_state *s, unsigned next)
{
    gr_moves moves;
    gr_find_moves(b, s, &moves);
    if ((moves.quiet[0] | moves.attacks[0] | moves.quiet[1] | moves.attacks[1]) == 0 && s->phase != GR_IN_EXTRA)
        return gr_count_below(b, s, GR_PASS, 1);
    gr_turn turn; /* zeroing all of it would take as long as a sum */
    turn.b = b;
    turn.s = s;
    turn.next = next;
    turn.chances = gr_count_chances(b, s);
    turn.has_replies[0] = turn.has_replies[1] = false;
    turn.has_points[0] = turn.has_points[1] = false;
    turn.others = gr_others(s);
    if (s->point[next] != GR_NOWHERE)
        turn.others &= ~gr_bit(s->point[next]);
    gr_set ring = gr_ring_point(s);
    uint64_t total = gr_sum_quiet(&turn, GR_MOVE, moves.quiet[0] & ~ring, false);
    if ((moves.quiet[0] & ring) != 0)
        total += gr_sum_quiet(&turn, GR_MOVE, ring, true);
    if (moves.quiet[1] != 0)
        total += gr_sum_quiet(&turn, GR_MOVE | GR_VIA_RING, moves.quiet[1], true);
    if (moves.attacks[0] != 0)
        total += gr_sum_attacks(&turn, GR_ATTACK, moves.attacks[0], moves.banish[0], false);
    if (moves.attacks[1] != 0)
        total += gr_sum_attacks(&turn, GR_ATTACK | GR_VIA_RING, moves.attacks[1], moves.banish[1], true);
    if (s->phase == GR_IN_EXTRA) /* `stay` */
        total += gr_sum_replies(gr_replies_to(&turn, false), b, gr_bit(s->point[s->player]), true);
    return total;
}

/* ---- stones, the ring, fights ---- */

/* Perft of depth 2 where the sword moves a stone (R10): the sum for each is over a board without it. One that is
 * neither in the next player's way nor on a point to banish to changes nothing there, so that its sum serves for
 * others. */
static uint64_t gr_sum_shifts(const rf_gran_board *b, const gr_state *s, unsigned next, gr_set others)
{
    gr_set stones = gr_set_of(s->stones), ring = gr_ring_point(s);
    unsigned origin = s->point[next] == GR_NOWHERE ? b->start : s->point[next];
    gr_shifts shifts;
    gr_find_shifts(b, s, &shifts);
    gr_set met = gr_set_of(b->two_steps[origin]) | gr_set_of(b->white);
    gr_set unmet_targets = 0;
    uint64_t unmet_sum = 0, total = 0;
    for (gr_set rest = stones; rest != 0;) {
        unsigned from = gr_pop_lsb(&rest);
        gr_set targets = gr_shift_targets(b, s, &shifts, from);
        bool meets = gr_has(met, from);
        if (!meets && targets == unmet_targets) {
            total += unmet_sum;
            continue;
        }
        gr_replies r;
        gr_find_next_replies(b, s, next, others, stones & ~gr_bit(from), ring, &r);
        uint64_t sum = gr_sum_replies(&r, b, targets, false);
        if (!meets) {
            unmet_targets = targets;
            unmet_sum = sum;
        }
        total += sum;
    }
    return total;
}

/* Perft of depth 2 where the ring is put on one of `targets` (R11). None is a banishing point, so that the ring matters
 * beside the next player's figure only. */
static uint64_t gr_sum_puts(const rf_gran_board *b, const gr_state *s, unsigned next, gr_set others, gr_set targets)
{
    unsigned origin = s->point[next] == GR_NOWHERE ? b->start : s->point[next];
    gr_replies r;
    gr_set beside = targets & gr_neighbours(b, origin);
    gr_find_next_replies(b, s, next, others, gr_set_of(s->stones), 0, &r);
    uint64_t total = gr_popcount(targets & ~beside) * gr_count_replies(&r);
    while (beside != 0) {
        gr_find_next_replies(b, s, next, others, gr_set_of(s->stones), gr_bit(gr_pop_lsb(&beside)), &r);
        total += gr_count_replies(&r);
    }
    return total;
}

/* Perft of a fight (R8), of depth 2 or 3. Which card was drawn does not matter within the two plies that follow,
 * except whether it was the last of its value: after that another fight has other chance plies. */
static uint64_t gr_sum_chances(const rf_gran_board *b, const gr_state *s, unsigned depth)
{
    const uint8_t *cards = gr_drawn_from(b, s);
    uint64_t won[2] = {0, 0}, lost[2] = {0, 0}, total = 0;
    unsigned highest[2] = {0, 0};
    for (unsigned card = 0; card < GR_CARDS; card++) {
        if (cards[card] == 0)
            continue;
        bool last = depth > 2 && cards[card] == 1;
        unsigned losing = card == 0 ? 0 : card - 1; /* faces below the card */
        won[last] += GR_DIE - losing;
        lost[last] += losing;
        highest[last] = card;
    }
    for (unsigned last = 0; last < 2; last++) {
        if (won[last] != 0)
            total += won[last] * gr_count_below(b, s, gr_ply(GR_CHANCE, highest[last], GR_DIE), depth - 1);
        if (lost[last] != 0)
            total += lost[last] * gr_count_below(b, s, gr_ply(GR_CHANCE, highest[last], 1), depth - 1);
    }
    return total;
}

/* Perft of depth 2. */
static uint64_t gr_count_two(const rf_gran_board *b, const gr_state *s)
{
    unsigned next = s->player + 1u == s->players ? 0 : s->player + 1u;
    if (s->phase == GR_OVER)
        return 0;
    if (s->phase == GR_IN_FIGHT)
        return gr_sum_chances(b, s, 2);
    if (s->phase == GR_IN_EXTRA || (s->phase == GR_IN_MOVE && !gr_fettered(s, s->player)))
        return gr_sum_moves(b, s, next);
    if (s->phase == GR_IN_MOVE)
        return gr_count_below(b, s, GR_REST, 1);
    gr_set others = gr_figures(s), targets;
    if (s->point[next] != GR_NOWHERE)
        others &= ~gr_bit(s->point[next]);
    uint64_t total = 0;
    if (s->phase == GR_IN_SWORD) {
        total = gr_sum_shifts(b, s, next, others);
    } else if (s->phase == GR_IN_RING) {
        total = gr_sum_puts(b, s, next, others, gr_ring_targets(b, s));
    } else if ((targets = gr_place_targets(b, s)) != 0) {
        gr_replies r;
        gr_find_next_replies(b, s, next, others, gr_set_of(s->stones), gr_ring_point(s), &r);
        total = gr_sum_replies(&r, b, targets, false);
    }
    return total != 0 ? total : gr_count_below(b, s, GR_PASS, 1);
}

uint64_t gr_count_bulk(const void *ctx, const rf_state *state, unsigned depth, rf_ply *lists)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    if (depth == 2)
        return gr_count_two(b, s);
    if (s->phase == GR_IN_FIGHT)
        return gr_sum_chances(b, s, 3);
    uint64_t total = 0;
    size_t plies = gr_generate(b, state, lists);
    for (size_t i = 0; i < plies; i++)
        total += gr_count_below(b, s, lists[i], 2);
    return total;
}
