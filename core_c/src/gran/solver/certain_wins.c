/* Certain wins, and players who can prevent all wins of the others, without a search.
 *
 * Idea: only the carrier of the ring is looked at. The carrier wins if a free city in reach stays free whatever the
 * players before do; the carrier prevents all wins by keeping the ring on a point that the others cannot fill.
 *
 * Invariant: an answer is exact; no answer is possible too (bounds.h).
 *
 * Example: player 2 carries the ring two steps from a free city and lacks one seal. Player 1 is to act, has no amulet
 * (so cannot attack, R5), and reaches no magic stone or sword. Player 2 wins within 2 plies. */
#include "gran/solver/bounds.h"

/* ---- certain wins ---- */

/* Free cities to which the carrier can bring the ring in one move, and win (R3, R7, R13). The carrier passes over
 * everything. */
static gr_set gr_winning_cities(const rf_gran_board *b, const gr_state *s, unsigned carrier)
{
    gr_set out = 0;
    if (s->point[carrier] == GR_NOWHERE || gr_fettered(s, carrier) || gr_seals(s, carrier) + 1u < s->seals)
        return 0;
    gr_set cities = gr_set_of(b->two_steps[s->point[carrier]]) & gr_set_of(b->cities) & ~gr_figures(s);
    while (cities != 0) {
        unsigned city = gr_pop_lsb(&cities);
        if (gr_lacks_seal(s, carrier, b->realm[city]))
            out |= gr_bit(city);
    }
    return out;
}

/* Figures whose turn comes before the carrier's, without the acting one. */
static gr_set gr_figures_between(const gr_state *s, unsigned player, unsigned carrier)
{
    gr_set out = 0;
    for (unsigned i = (player + 1) % s->players; i != carrier; i = (i + 1) % s->players)
        if (s->point[i] != GR_NOWHERE)
            out |= gr_bit(s->point[i]);
    return out;
}

/* The most plies that a player's turn before the carrier's takes; 0 if they might attack the carrier, fight a dragon
 * (which has no bound), or banish a player whose turn comes in between. *reach is where their turn can end, whatever is
 * in the way. */
static unsigned gr_harmless_plies(const rf_gran_board *b, const gr_state *s, unsigned player, unsigned carrier,
                                  gr_set *reach)
{
    bool acts = player == s->player;
    *reach = 0;
    if (acts && s->phase != GR_IN_MOVE && s->phase != GR_IN_EXTRA)
        return s->phase == GR_IN_STONE || s->phase == GR_IN_SWORD;
    if (gr_fettered(s, player) && !(acts && s->phase == GR_IN_EXTRA))
        return 1; /* R9 */
    *reach = gr_set_of(b->two_steps[gr_point_of(b, s, player)]);
    gr_set danger = gr_set_of(b->dragons) | gr_bit(s->point[carrier]) | gr_figures_between(s, player, carrier);
    if (gr_amulets(s, player) > 0 && (*reach & danger) != 0) /* R4, R5 */
        return 0;
    for (gr_set arrivals = *reach & ~gr_set_of(b->plain); arrivals != 0;) {
        unsigned symbol = b->symbol[gr_pop_lsb(&arrivals)];
        if (symbol == RF_GRAN_MAGIC_STONE || symbol == RF_GRAN_SWORD)
            return 2; /* R10 */
    }
    return 1;
}

unsigned gr_certain_winner(const void *ctx, const rf_state *state, unsigned plies)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    unsigned carrier = s->ring - GR_CARRIED, needed = 1, blockers = 0;
    if (gr_on_board(s->ring) || s->ring == GR_PENDING || s->phase == GR_OVER)
        return 0;
    gr_set cities = gr_winning_cities(b, s, carrier), reach;
    if (cities == 0)
        return 0;
    if (carrier == s->player && s->phase != GR_IN_MOVE && s->phase != GR_IN_EXTRA)
        return 0;
    for (unsigned i = s->player; i != carrier; i = (i + 1) % s->players) {
        unsigned turn = gr_harmless_plies(b, s, i, carrier, &reach);
        if (turn == 0)
            return 0;
        needed += turn;
        blockers += (reach & cities) != 0; /* each figure is on one city at most */
    }
    return needed <= plies && gr_popcount(cities) > blockers ? carrier + 1 : 0;
}

/* ---- players who prevent all wins ---- */

static bool gr_has_stone_symbol(const rf_gran_board *b, gr_set points)
{
    for (points &= ~gr_set_of(b->plain); points != 0;) {
        unsigned symbol = b->symbol[gr_pop_lsb(&points)];
        if (symbol == RF_GRAN_MAGIC_STONE || symbol == RF_GRAN_SWORD)
            return true;
    }
    return false;
}

/* The most of these points that a player can fill in a turn before the carrier's: by their figure, a figure that they
 * banish, and a stone. *anywhere: an earlier player may have been banished; set if it applies to the later players. */
static unsigned gr_max_filled(const rf_gran_board *b, const gr_state *s, unsigned player, gr_set points,
                               bool *anywhere)
{
    bool acts = player == s->player;
    if (acts && (s->phase == GR_IN_STONE || s->phase == GR_IN_SWORD))
        return 1;
    if (gr_fettered(s, player) && !*anywhere && !(acts && (s->phase == GR_IN_EXTRA || s->phase == GR_IN_FIGHT)))
        return 0; /* R9 */
    gr_set reach = gr_set_of(b->two_steps[gr_point_of(b, s, player)]);
    bool armed = gr_amulets(s, player) > 0;
    bool fights = (acts && s->phase == GR_IN_FIGHT) || (armed && (reach & gr_set_of(b->dragons)) != 0);
    bool banishes = armed && (reach & gr_figures(s)) != 0;
    bool far = *anywhere || fights; /* R8: the turn can end far away */
    *anywhere |= banishes || far;
    if (far)
        return 2 + gr_amulets(s, player); /* an amulet for each attack */
    return (unsigned)((reach & points) != 0) + (unsigned)gr_has_stone_symbol(b, reach) + (unsigned)banishes;
}

bool gr_can_prevent_wins(const void *ctx, const rf_state *state, unsigned player, unsigned plies, gr_mask *mask)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    unsigned me = player - 1, filled = 0;
    bool acts = me == s->player, moves = s->phase == GR_IN_MOVE || s->phase == GR_IN_EXTRA, anywhere = false;
    if (!gr_carries(s, me) || plies > s->players || s->phase == GR_OVER || (acts && !moves))
        return false;
    unsigned point = s->point[me];
    if (gr_has(gr_set_of(b->dragons), point) && !(acts && gr_may_move(s)))
        return false;
    if (gr_fettered(s, me) && !(acts && s->phase == GR_IN_EXTRA))
        return true; /* rests, and has no other turn in time */
    gr_set safe = gr_set_of(b->two_steps[point]) & ~gr_set_of(b->cities) & ~gr_set_of(b->dragons);
    for (unsigned i = s->player; i != me; i = (i + 1) % s->players)
        filled += gr_max_filled(b, s, i, safe, &anywhere);
    safe &= ~gr_set_of(s->stones) & ~gr_figures(s);
    if (gr_popcount(safe) <= filled)
        return false;
    gr_add_least_points(b, mask, safe, filled + 1);
    return true;
}
