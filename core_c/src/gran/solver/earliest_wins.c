/* The earliest win of each player of GRAN (gr_earliest_wins in bounds.h).
 *
 * Idea: admissible distances. board.c has, for each point, the least plies to each city with the ring; here the plies
 * until the player can act and get the ring are added. Each player who acts before makes at least one ply, and each
 * further seal takes a ply to put the ring and a turn of all players (R7, R11).
 *
 * Invariants: never too high; only the fixed part of a state is read (masks.h).
 *
 * Example: player 1 is to act, carries the ring, and needs one seal of a city two steps away: one ply. */
#include "gran/solver/bounds.h"

static unsigned gr_min(unsigned a, unsigned b) { return a < b ? a : b; }

static bool gr_on_dragon(const rf_gran_board *b, const gr_state *s, unsigned player)
{
    return b->symbol[s->point[player]] == RF_GRAN_DRAGON;
}

/* Whether others can banish the figure before it moves again (R5). */
static bool gr_can_be_banished(const rf_gran_board *b, const gr_state *s, unsigned player)
{
    return s->point[player] != GR_NOWHERE && b->symbol[s->point[player]] != RF_GRAN_CITY;
}

/* The least plies from the player's point to a city whose seal it lacks, carrying the ring, a turn from now on. */
static unsigned gr_plies_to_city(const rf_gran_board *b, const gr_state *s, unsigned player, bool banished)
{
    unsigned point = gr_point_of(b, s, player), table = s->players - 3u, best = UINT8_MAX;
    for (unsigned realm = 0; realm < 4; realm++) {
        if (!gr_lacks_seal(s, player, realm))
            continue;
        best = gr_min(best, b->plies_to_city[table][realm][point]);
        if (banished)
            best = gr_min(best, b->banished_plies_to_city[table][realm]);
    }
    return best;
}

/* The fewest plies of one turn that goes to the ring, `to_ring` points away, and on to a city whose seal the player
 * lacks: each fight before the last move takes the figure two points further for two plies. */
static unsigned gr_plies_over_ring(const rf_gran_board *b, const gr_state *s, unsigned player, unsigned ring,
                                   unsigned to_ring)
{
    unsigned best = UINT8_MAX;
    for (gr_set cities = gr_set_of(b->cities); cities != 0;) {
        unsigned city = gr_pop_lsb(&cities);
        if (!gr_lacks_seal(s, player, b->realm[city]))
            continue;
        unsigned distance = to_ring + b->steps[ring][city];
        best = gr_min(best, distance < 2 ? 1 : 2 * ((distance + 1) / 2) - 1);
    }
    return best;
}

/* Whether one of the points lies here or within one step. */
static bool gr_next_to(const rf_gran_board *b, unsigned point, gr_set goals)
{
    return ((gr_neighbours(b, point) | gr_bit(point)) & goals) != 0;
}

/* Plies beyond one per turn until the ring, which another player carries, can lie on the board before the player's turn,
 * that many turns ahead: the carrier brings it to a city or loses a fight, or an attacker takes it on a dragon and loses
 * the fight there. UINT8_MAX: it cannot. */
static unsigned gr_plies_to_loss(const rf_gran_board *b, const gr_state *s, unsigned turns)
{
    unsigned carrier = s->ring - GR_CARRIED, point = s->point[carrier], plies = UINT8_MAX;
    gr_set reach = gr_set_of(b->two_steps[point]);
    if (gr_on_dragon(b, s, carrier))
        plies = 2;
    if (carrier == s->player ? !gr_may_move(s) : (carrier + s->players - s->player) % s->players >= turns)
        return plies;
    if (carrier == s->player && s->phase == GR_IN_FIGHT)
        return 1;
    if ((reach & gr_set_of(b->cities)) != 0)
        return 1;
    return (reach & gr_set_of(b->dragons)) != 0 ? 2 : plies;
}

/* The same if the ring lies on the board: until it can lie elsewhere, taken to a city or lost in a fight at once. */
static unsigned gr_plies_to_change(const rf_gran_board *b, const gr_state *s)
{
    if (gr_next_to(b, s->ring, gr_set_of(b->cities)))
        return 1;
    return gr_next_to(b, s->ring, gr_set_of(b->dragons)) ? 2 : UINT8_MAX;
}

/* The earliest win of a player whose turn begins after this many turns of others, each at least one ply long. */
static unsigned gr_earliest_wins_later(const rf_gran_board *b, const gr_state *s, unsigned player, unsigned turns)
{
    bool banished = gr_can_be_banished(b, s, player);
    unsigned plies = gr_plies_to_city(b, s, player, banished);
    if (s->ring == GR_PENDING)
        return turns + plies;
    /* Taking the ring in one turn and winning in another. */
    unsigned best = turns + s->players + 1;
    if (gr_carries(s, player)) {
        /* A player that keeps the ring is not banished. To get it back from an attacker and win in one turn needs a
         * dragon. */
        best = gr_min(best, turns + gr_plies_to_city(b, s, player, false));
        if (gr_on_dragon(b, s, player))
            best = gr_min(best, turns + 2 + plies);
    } else if (gr_on_board(s->ring)) {
        unsigned to_ring = b->steps[gr_point_of(b, s, player)][s->ring];
        unsigned here = gr_plies_over_ring(b, s, player, s->ring, banished && to_ring > 1 ? 1 : to_ring);
        best = gr_min(best, turns + (here > plies ? here : plies));
        best = gr_min(best, turns + gr_plies_to_change(b, s) + plies);
    } else {
        /* Taking it from a carrier on a dragon, then a fight and a move; or after it lies on the board. */
        unsigned carrier = s->ring - GR_CARRIED, loss = gr_plies_to_loss(b, s, turns);
        bool fights = carrier == s->player && s->phase == GR_IN_FIGHT;
        if (gr_on_dragon(b, s, carrier))
            best = gr_min(best, turns + 3 + fights);
        else if (loss != UINT8_MAX)
            best = gr_min(best, turns + 5);
        best = gr_min(best, turns + loss + plies);
    }
    return best > turns + plies ? best : turns + plies;
}

/* The earliest win of the player to act. */
static unsigned gr_earliest_wins_acting(const rf_gran_board *b, const gr_state *s)
{
    unsigned me = s->player, wait = s->phase == GR_IN_FIGHT;
    if (!gr_may_move(s))
        return gr_earliest_wins_later(b, s, me, s->players);
    unsigned plies = gr_plies_to_city(b, s, me, false);
    if (!gr_carries(s, me)) {
        /* In this turn over the ring, or in a later one. A carrier is attacked by arriving, so the move continues only
         * from a dragon. */
        unsigned min = s->players + 1u, origin = gr_point_of(b, s, me);
        if (gr_on_board(s->ring))
            min = gr_min(min, gr_plies_over_ring(b, s, me, s->ring, b->steps[origin][s->ring]));
        else if (gr_on_dragon(b, s, s->ring - GR_CARRIED))
            min = gr_min(min, 3);
        plies = plies > min ? plies : min;
    }
    if (wait == 0)
        return plies;
    /* A lost fight ends the turn at once; then anything may have happened until the next one. */
    unsigned lost = gr_carries(s, me) ? s->players + gr_plies_to_city(b, s, me, true)
                                      : gr_earliest_wins_later(b, s, me, s->players);
    return gr_min(plies + wait, lost);
}

void gr_earliest_wins(const void *ctx, const rf_state *state, uint8_t *out)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    unsigned players = s->players;
    for (unsigned i = 0; i < players; i++) {
        unsigned seals = gr_seals(s, i), plies;
        if (s->phase == GR_OVER)
            plies = i == s->player ? 0 : UINT8_MAX;
        else if (i == s->player)
            plies = gr_earliest_wins_acting(b, s);
        else
            plies = gr_earliest_wins_later(b, s, i, (i + players - s->player) % players);
        if (s->phase != GR_OVER)
            plies += (s->seals - seals - 1) * (players + b->plies_between_cities[players - 3]);
        out[i] = (uint8_t)(plies < UINT8_MAX ? plies : UINT8_MAX);
    }
}
