/* GRAN: which stones a proof has read. D1 to D8 are the rules of docs/solving.md. */
#include "gran/solver/masks.h"
#include "gran/stones.h"

/* The words of gr_details. */
enum { GR_LOW_STONES, GR_HIGH_STONES, GR_DECK };

void gr_split_state(const rf_state *state, gr_base *base, gr_details *details)
{
    const gr_state *s = (const gr_state *)state;
    *base = (gr_base){.ring = s->ring,
                   .player = s->player,
                   .phase = s->phase,
                   .players = s->players,
                   .seals = s->seals,
                   .stones = (uint8_t)gr_size(gr_wide(s->stones))};
    memcpy(base->point, s->point, sizeof base->point);
    memcpy(base->figure, s->figure, sizeof base->figure);
    details->word[GR_LOW_STONES] = s->stones.low;
    details->word[GR_HIGH_STONES] = s->stones.high;
    details->word[GR_DECK] = 0;
    memcpy(&details->word[GR_DECK], s->deck, sizeof s->deck);
}

static gr_set gr_read_points(const gr_details *reads)
{
    return (gr_set)reads->word[GR_HIGH_STONES] << 64 | reads->word[GR_LOW_STONES];
}

/* There are stones on plain points alone. */
static void gr_read(const rf_gran_board *b, gr_details *reads, gr_set points)
{
    rf_gran_set added = gr_narrow(points & gr_wide(b->plain));
    reads->word[GR_LOW_STONES] |= added.low;
    reads->word[GR_HIGH_STONES] |= added.high;
}

void gr_read_least(const rf_gran_board *b, gr_details *reads, gr_set points, unsigned count)
{
    unsigned symbols = gr_size(points & ~gr_wide(b->plain));
    for (gr_set plain = points & gr_wide(b->plain); symbols < count; symbols++)
        gr_read(b, reads, gr_bit(gr_take_lowest(&plain)));
}

static void gr_read_all(const rf_gran_board *b, gr_details *reads) { gr_read(b, reads, ~(gr_set)0); }

/* One of the points, if there is one then of `cheap`. */
static unsigned gr_cheapest(gr_set points, gr_set cheap)
{
    return gr_lowest((points & cheap) != 0 ? points & cheap : points);
}

/* What shows whether the ring is connected with a goal while these stones lie: the points of a shortest way, by
 * preference those that are read already or never hold a stone; without a way the stones around all that is connected
 * with it. */
static bool gr_find_way(const rf_gran_board *b, unsigned ring, gr_set goals, gr_set stones, const gr_details *reads,
                        gr_set *evidence)
{
    gr_set layers[RF_GRAN_POINTS], seen = gr_bit(ring), cheap = gr_read_points(reads) | ~gr_wide(b->plain);
    unsigned last = 0;
    layers[0] = seen;
    while ((layers[last] & goals) == 0) {
        gr_set next = gr_around(b, layers[last]) & ~seen & ~stones;
        if (next == 0) {
            *evidence = gr_around(b, seen) & stones;
            return false;
        }
        layers[++last] = next;
        seen |= next;
    }
    unsigned point = gr_cheapest(layers[last] & goals, cheap);
    *evidence = gr_bit(point);
    while (last-- > 0) {
        point = gr_cheapest(gr_near(b, point) & layers[last], cheap);
        *evidence |= gr_bit(point);
    }
    return true;
}

/* ---- moves ---- */

/* D4. Whether a stone is to be put or moved on a symbol after these arrivals: with the ring on the board it has to stay
 * in reach. */
static void gr_read_due(const rf_gran_board *b, const gr_state *s, gr_set arrivals, gr_details *reads)
{
    gr_set stones = gr_wide(s->stones), others = gr_others(s), way;
    if (!gr_on_board(s->ring))
        return;
    for (arrivals &= ~gr_wide(b->plain); arrivals != 0;) {
        unsigned to = gr_take_lowest(&arrivals), symbol = b->symbol[to];
        bool places = symbol == RF_GRAN_MAGIC_STONE;
        if ((!places && symbol != RF_GRAN_SWORD) || (places ? gr_size(stones) >= b->stones : stones == 0))
            continue;
        gr_set goals = others | gr_bit(to); /* a figure there may be banished, the others stay */
        gr_set free = gr_wide(b->plain) & ~stones & ~others & ~gr_ring_point(s) & ~gr_bit(gr_origin(b, s));
        if (gr_find_way(b, s->ring, goals, stones, reads, &way) && gr_size(free & ~way) >= 2)
            gr_read(b, reads, way);
        else
            gr_read_all(b, reads);
    }
}

/* Points over which the acting figure goes if there are no stones. */
static gr_set gr_passable_without_stones(const rf_gran_board *b, const gr_state *s)
{
    gr_state bare = *s;
    bare.stones = (rf_gran_set){0, 0};
    return gr_passable(b, &bare, gr_others(s));
}

static bool gr_passes_everything(const gr_state *s) { return s->phase == GR_IN_EXTRA || gr_carries(s, s->player); }

/* D3. */
static void gr_read_move(const rf_gran_board *b, const gr_state *s, rf_ply ply, gr_details *reads)
{
    unsigned origin = gr_origin(b, s), to = gr_first(ply);
    gr_set over = gr_near(b, origin) & gr_near(b, to) & gr_passable(b, s, gr_others(s));
    gr_read(b, reads, gr_bit(to));
    if (gr_kind(ply) == GR_ATTACK)
        gr_read(b, reads, gr_bit(gr_second(ply)));
    if (!gr_has(gr_near(b, origin), to) && (ply & GR_VIA_RING) == 0 && !gr_passes_everything(s))
        gr_read(b, reads, gr_bit(gr_cheapest(over, gr_read_points(reads) | ~gr_wide(b->plain))));
    if ((ply & GR_VIA_RING) == 0)
        gr_read_due(b, s, gr_bit(to), reads);
}

/* D5. */
static void gr_read_moves(const rf_gran_board *b, const gr_state *s, gr_details *reads)
{
    unsigned origin = gr_origin(b, s);
    gr_set near = gr_near(b, origin), ring = gr_ring_point(s);
    gr_set passable = gr_passable_without_stones(b, s);
    gr_set ends = gr_arrivals(b, origin, passable);
    gr_set over_ring = (near & ring) != 0 ? gr_near(b, s->ring) : 0;
    gr_set attacks = (ends | over_ring) & gr_others(s) & gr_attackable(b, gr_amulets(s, s->player));
    gr_read(b, reads, ends | over_ring); /* points to pass over are ends too */
    if (attacks != 0)
        gr_read(b, reads, gr_wide(b->white));
    gr_read_due(b, s, ends, reads);
}

/* ---- stones ---- */

/* D6. */
static void gr_read_stone_ply(const rf_gran_board *b, const gr_state *s, rf_ply ply, gr_details *reads)
{
    gr_set stones = gr_wide(s->stones), way;
    if (!gr_on_board(s->ring))
        return;
    if (gr_kind(ply) == GR_PLACE)
        stones |= gr_bit(gr_first(ply));
    else
        stones = (stones & ~gr_bit(gr_first(ply))) | gr_bit(gr_second(ply));
    if (gr_find_way(b, s->ring, gr_ring_goals(b, s), stones, reads, &way))
        gr_read(b, reads, way);
    else
        gr_read_all(b, reads);
}

/* D7. */
static void gr_read_stone_list(const rf_gran_board *b, const gr_state *s, gr_details *reads)
{
    gr_set stones = gr_wide(s->stones), free = gr_free_points(b, s), goals = gr_ring_goals(b, s), way, other;
    gr_set read = gr_read_points(reads);
    bool places = s->phase == GR_IN_STONE;
    if (!gr_on_board(s->ring) || free == 0 || (places ? gr_size(stones) >= b->stones : stones == 0))
        return;
    if (!gr_find_way(b, s->ring, goals, stones, reads, &way) || (free & ~read & ~way) == 0) {
        gr_read_all(b, reads);
        return;
    }
    gr_read(b, reads, way);
    for (gr_set cutting = read & way & free; cutting != 0;) {
        gr_set more = stones | gr_bit(gr_take_lowest(&cutting));
        if (!gr_find_way(b, s->ring, goals, more, reads, &other) && !places) {
            gr_read_all(b, reads);
            return;
        }
        gr_read(b, reads, other);
    }
}

/* D8. */
static void gr_read_through(const rf_gran_board *b, rf_ply ply, gr_details *reads)
{
    if (gr_kind(ply) == GR_PLACE)
        gr_read(b, reads, ~gr_from(gr_first(ply) + 1));
    else if (gr_kind(ply) == GR_SHIFT)
        gr_read_all(b, reads);
}

/* ---- members of masks.h ---- */

void gr_list_reads(const void *ctx, const rf_state *state, const rf_ply *through, gr_details *reads)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    if (through != NULL)
        gr_read_through(b, *through, reads);
    switch (s->phase) {
    case GR_IN_MOVE:
        if (!gr_fettered(s, s->player))
            gr_read_moves(b, s, reads);
        break;
    case GR_IN_EXTRA:
        gr_read_moves(b, s, reads);
        break;
    case GR_IN_FIGHT:
        reads->word[GR_DECK] = UINT64_MAX; /* D2 */
        break;
    case GR_IN_RING:
        gr_read(b, reads, gr_wide(b->put[b->realm[s->point[s->player]]])); /* D5 */
        break;
    case GR_IN_STONE:
    case GR_IN_SWORD:
        gr_read_stone_list(b, s, reads);
        break;
    default:
        break;
    }
}

void gr_ply_reads(const void *ctx, const rf_state *state, rf_ply ply, gr_details *reads)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    switch (gr_kind(ply)) {
    case GR_MOVE:
    case GR_ATTACK:
        gr_read_move(b, s, ply, reads);
        break;
    case GR_PUT:
        gr_read(b, reads, gr_bit(gr_first(ply)));
        break;
    case GR_PLACE:
    case GR_SHIFT:
        gr_read_stone_ply(b, s, ply, reads);
        break;
    case GR_STAY:
    case GR_REST:
        break; /* always there in this phase */
    default:
        gr_list_reads(ctx, state, NULL, reads); /* the only ply, or one of chance */
    }
}
