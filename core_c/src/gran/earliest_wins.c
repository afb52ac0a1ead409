/* The earliest win of each player of GRAN, and sure wins, for the search of winning probabilities (rf_chance_part). */
#include "gran/reads.h"

static unsigned gr_lesser(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned gr_place(const rf_gran_board *b, const gr_state *s, unsigned player)
{
    return s->point[player] == GR_NOWHERE ? b->start : s->point[player];
}

static bool gr_lacks(const gr_state *s, unsigned player, unsigned realm)
{
    return (s->figure[player] >> GR_SEAL_SHIFT >> realm & 1) == 0;
}

static bool gr_on_dragon(const rf_gran_board *b, const gr_state *s, unsigned player)
{
    return b->symbol[s->point[player]] == RF_GRAN_DRAGON;
}

/* Whether the acting figure may still move in this turn. */
static bool gr_may_move(const gr_state *s)
{
    return s->phase == GR_IN_FIGHT || s->phase == GR_IN_EXTRA ||
           (s->phase == GR_IN_MOVE && !gr_fettered(s, s->player));
}

/* Whether others can banish the figure before it moves again (R5). */
static bool gr_can_be_banished(const rf_gran_board *b, const gr_state *s, unsigned player)
{
    return s->point[player] != GR_NOWHERE && b->symbol[s->point[player]] != RF_GRAN_CITY;
}

/* The least plies from the player's point to a city whose seal it lacks, carrying the ring, a turn from now on. */
static unsigned gr_plies_to_city(const rf_gran_board *b, const gr_state *s, unsigned player, bool banished)
{
    unsigned point = gr_place(b, s, player), table = s->players - 3u, best = UINT8_MAX;
    for (unsigned realm = 0; realm < 4; realm++) {
        if (!gr_lacks(s, player, realm))
            continue;
        best = gr_lesser(best, b->wins[table][realm][point]);
        if (banished)
            best = gr_lesser(best, b->banished_wins[table][realm]);
    }
    return best;
}

/* Plies of one turn from a point as far from the ring to a city whose seal the player lacks: every fight but the last
 * move's brings two points for two plies. */
static unsigned gr_plies_over_ring(const rf_gran_board *b, const gr_state *s, unsigned player, unsigned ring,
                                   unsigned to_ring)
{
    unsigned best = UINT8_MAX;
    for (gr_set cities = gr_wide(b->cities); cities != 0;) {
        unsigned city = gr_take_lowest(&cities);
        if (!gr_lacks(s, player, b->realm[city]))
            continue;
        unsigned way = to_ring + b->steps[ring][city];
        best = gr_lesser(best, way < 2 ? 1 : 2 * ((way + 1) / 2) - 1);
    }
    return best;
}

/* Whether one of the points lies here or within one step. */
static bool gr_next_to(const rf_gran_board *b, unsigned point, gr_set goals)
{
    return ((gr_near(b, point) | gr_bit(point)) & goals) != 0;
}

/* Plies that it takes beyond one ply a turn until the ring, which somebody else carries, lies on the board before the
 * player's turn, that many turns ahead: the carrier brings it to a city or loses a fight, or loses the ring on a dragon
 * to one who loses a fight. UINT8_MAX: that cannot be. */
static unsigned gr_plies_to_loss(const rf_gran_board *b, const gr_state *s, unsigned turns)
{
    unsigned carrier = s->ring - GR_CARRIED, point = s->point[carrier], plies = UINT8_MAX;
    gr_set reach = gr_wide(b->two_steps[point]);
    if (gr_on_dragon(b, s, carrier))
        plies = 2;
    if (carrier == s->player ? !gr_may_move(s) : (carrier + s->players - s->player) % s->players >= turns)
        return plies;
    if (carrier == s->player && s->phase == GR_IN_FIGHT)
        return 1;
    if ((reach & gr_wide(b->cities)) != 0)
        return 1;
    return (reach & gr_wide(b->dragons)) != 0 ? 2 : plies;
}

/* The same if the ring lies on the board: until it can lie elsewhere, taken to a city or lost in a fight at once. */
static unsigned gr_plies_to_change(const rf_gran_board *b, const gr_state *s)
{
    if (gr_next_to(b, s->ring, gr_wide(b->cities)))
        return 1;
    return gr_next_to(b, s->ring, gr_wide(b->dragons)) ? 2 : UINT8_MAX;
}

/* What gr_earliest_wins gives for a player whose turn begins after this many turns of others, each at least one ply long. */
static unsigned gr_earliest_wins_later(const rf_gran_board *b, const gr_state *s, unsigned player, unsigned turns)
{
    bool banished = gr_can_be_banished(b, s, player);
    unsigned plies = gr_plies_to_city(b, s, player, banished);
    if (s->ring == GR_PENDING)
        return turns + plies;
    /* Taking the ring in one turn and winning in another. */
    unsigned best = turns + s->players + 1;
    if (gr_carries(s, player)) {
        /* Who keeps the ring is not banished. To get it back from an attacker, and win, in one turn takes a dragon. */
        best = gr_lesser(best, turns + gr_plies_to_city(b, s, player, false));
        if (gr_on_dragon(b, s, player))
            best = gr_lesser(best, turns + 2 + plies);
    } else if (gr_on_board(s->ring)) {
        unsigned to_ring = b->steps[gr_place(b, s, player)][s->ring];
        unsigned here = gr_plies_over_ring(b, s, player, s->ring, banished && to_ring > 1 ? 1 : to_ring);
        best = gr_lesser(best, turns + (here > plies ? here : plies));
        best = gr_lesser(best, turns + gr_plies_to_change(b, s) + plies);
    } else {
        /* Taking it from a carrier on a dragon, fighting and going on; or once it lies on the board. */
        unsigned carrier = s->ring - GR_CARRIED, loss = gr_plies_to_loss(b, s, turns);
        bool fights = carrier == s->player && s->phase == GR_IN_FIGHT;
        if (gr_on_dragon(b, s, carrier))
            best = gr_lesser(best, turns + 3 + fights);
        else if (loss != UINT8_MAX)
            best = gr_lesser(best, turns + 5);
        best = gr_lesser(best, turns + loss + plies);
    }
    return best > turns + plies ? best : turns + plies;
}

/* What gr_earliest_wins says of the player who is to act. */
static unsigned gr_earliest_wins_acting(const rf_gran_board *b, const gr_state *s)
{
    unsigned me = s->player, wait = s->phase == GR_IN_FIGHT;
    if (!gr_may_move(s))
        return gr_earliest_wins_later(b, s, me, s->players);
    unsigned plies = gr_plies_to_city(b, s, me, false);
    if (!gr_carries(s, me)) {
        /* In this turn over the ring, or in a later one. A carrier is attacked by arriving, so the way goes on only
         * from a dragon. */
        unsigned least = s->players + 1u, origin = gr_place(b, s, me);
        if (gr_on_board(s->ring))
            least = gr_lesser(least, gr_plies_over_ring(b, s, me, s->ring, b->steps[origin][s->ring]));
        else if (gr_on_dragon(b, s, s->ring - GR_CARRIED))
            least = gr_lesser(least, 3);
        plies = plies > least ? plies : least;
    }
    if (wait == 0)
        return plies;
    /* A lost fight ends the turn at once; then anything may have happened until the next one. */
    unsigned lost = gr_carries(s, me) ? s->players + gr_plies_to_city(b, s, me, true)
                                      : gr_earliest_wins_later(b, s, me, s->players);
    return gr_lesser(plies + wait, lost);
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
            plies += (s->seals - seals - 1) * (players + b->next_city[players - 3]);
        out[i] = (uint8_t)(plies < UINT8_MAX ? plies : UINT8_MAX);
    }
}

/* ---- sure wins ---- */

/* Free cities to which the carrier can bring the ring in one move, and win (R3, R7, R13). Who carries it passes over
 * everything. */
static gr_set gr_winning_cities(const rf_gran_board *b, const gr_state *s, unsigned carrier)
{
    gr_set out = 0;
    if (s->point[carrier] == GR_NOWHERE || gr_fettered(s, carrier) || gr_seals(s, carrier) + 1u < s->seals)
        return 0;
    for (gr_set cities = gr_wide(b->two_steps[s->point[carrier]]) & gr_wide(b->cities) & ~gr_figures(s); cities != 0;) {
        unsigned city = gr_take_lowest(&cities);
        if (gr_lacks(s, carrier, b->realm[city]))
            out |= gr_bit(city);
    }
    return out;
}

/* Figures whose turn comes before the carrier's, the acting one aside. */
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
    *reach = gr_wide(b->two_steps[gr_place(b, s, player)]);
    gr_set danger = gr_wide(b->dragons) | gr_bit(s->point[carrier]) | gr_figures_between(s, player, carrier);
    if (gr_amulets(s, player) > 0 && (*reach & danger) != 0) /* R4, R5 */
        return 0;
    for (gr_set arrivals = *reach & ~gr_wide(b->plain); arrivals != 0;) {
        unsigned symbol = b->symbol[gr_take_lowest(&arrivals)];
        if (symbol == RF_GRAN_MAGIC_STONE || symbol == RF_GRAN_SWORD)
            return 2; /* R10 */
    }
    return 1;
}

unsigned gr_sure_winner(const void *ctx, const rf_state *state, unsigned plies)
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
    return needed <= plies && gr_size(cities) > blockers ? carrier + 1 : 0;
}

/* ---- sure keepers ---- */

static bool gr_has_stone_symbol(const rf_gran_board *b, gr_set points)
{
    for (points &= ~gr_wide(b->plain); points != 0;) {
        unsigned symbol = b->symbol[gr_take_lowest(&points)];
        if (symbol == RF_GRAN_MAGIC_STONE || symbol == RF_GRAN_SWORD)
            return true;
    }
    return false;
}

/* How many of the points a player can fill at most in a turn before the carrier's: by their figure, one that they banish
 * and a stone. `*anywhere` tells whether somebody before may have been banished, and is set if that is so from now on. */
static unsigned gr_most_filled(const rf_gran_board *b, const gr_state *s, unsigned player, gr_set points,
                               bool *anywhere)
{
    bool acts = player == s->player;
    if (acts && (s->phase == GR_IN_STONE || s->phase == GR_IN_SWORD))
        return 1;
    if (gr_fettered(s, player) && !*anywhere && !(acts && (s->phase == GR_IN_EXTRA || s->phase == GR_IN_FIGHT)))
        return 0; /* R9 */
    gr_set reach = gr_wide(b->two_steps[gr_place(b, s, player)]);
    bool armed = gr_amulets(s, player) > 0;
    bool fights = (acts && s->phase == GR_IN_FIGHT) || (armed && (reach & gr_wide(b->dragons)) != 0);
    bool banishes = armed && (reach & gr_figures(s)) != 0;
    bool far = *anywhere || fights; /* R8: the turn can end far away */
    *anywhere |= banishes || far;
    if (far)
        return 2 + gr_amulets(s, player); /* an amulet for each attack */
    return (unsigned)((reach & points) != 0) + (unsigned)gr_has_stone_symbol(b, reach) + (unsigned)banishes;
}

bool gr_can_prevent_wins(const void *ctx, const rf_state *state, unsigned player, unsigned plies, rf_details *reads)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    unsigned me = player - 1, filled = 0;
    bool acts = me == s->player, moves = s->phase == GR_IN_MOVE || s->phase == GR_IN_EXTRA, anywhere = false;
    if (!gr_carries(s, me) || plies > s->players || s->phase == GR_OVER || (acts && !moves))
        return false;
    unsigned point = s->point[me];
    if (gr_has(gr_wide(b->dragons), point) && !(acts && gr_may_move(s)))
        return false;
    if (gr_fettered(s, me) && !(acts && s->phase == GR_IN_EXTRA))
        return true; /* rests, and has no other turn in time */
    gr_set safe = gr_wide(b->two_steps[point]) & ~gr_wide(b->cities) & ~gr_wide(b->dragons);
    for (unsigned i = s->player; i != me; i = (i + 1) % s->players)
        filled += gr_most_filled(b, s, i, safe, &anywhere);
    safe &= ~gr_wide(s->stones) & ~gr_figures(s);
    if (gr_size(safe) <= filled)
        return false;
    gr_read_least(b, reads, safe, filled + 1);
    return true;
}
