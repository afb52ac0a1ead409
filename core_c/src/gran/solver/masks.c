/* Dependency masks of GRAN: which mask bits of a state a proof has read (masks.h).
 *
 * Idea: rules D1 to D8, each proven where it is applied. A move reads a few points. A ply with a stone (R10) is legal
 * if the ring stays connected with a figure, so its proof reads the points of one path from the ring to a figure: while
 * none of these has a stone, the path exists.
 *
 * In the proofs, s is the searched state, and t any state with its fixed part that agrees with it on the mask D. Stones
 * are on plain points only, and t has as many as s. A plain point is free if it has no stone, figure or ring, so t has
 * as many free points too. By counting, s and t have equally many stones, and equally many free points, outside D.
 *
 * D1, the fixed part: the player to act, the outcome and the earliest win depend on neither stones nor deck. Only a ply
 * with a stone changes stones, and it changes one or two points in the same way wherever it is legal (R10). Only a
 * chance event changes the deck (R8).
 *
 * Invariants: *mask only grows. It contains plain points only, since no other point can have a stone.
 *
 * Example: the ring is on a1 and a figure on c1; b1 between them is free. The proof that h8 may get a stone reads b1:
 * in each state with the same fixed part and no stone on b1 the ring is connected too. */
#include "gran/solver/masks.h"
#include "gran/stones.h"

/* The words of gr_mask. */
enum { GR_LOW_STONES, GR_HIGH_STONES, GR_DECK };

void gr_split_state(const rf_state *state, gr_fixed *fixed, gr_mask *bits)
{
    const gr_state *s = (const gr_state *)state;
    *fixed = (gr_fixed){.ring = s->ring,
                   .player = s->player,
                   .phase = s->phase,
                   .players = s->players,
                   .seals = s->seals,
                   .stones = (uint8_t)gr_popcount(gr_set_of(s->stones))};
    memcpy(fixed->point, s->point, sizeof fixed->point);
    memcpy(fixed->figure, s->figure, sizeof fixed->figure);
    bits->word[GR_LOW_STONES] = s->stones.low;
    bits->word[GR_HIGH_STONES] = s->stones.high;
    bits->word[GR_DECK] = 0;
    memcpy(&bits->word[GR_DECK], s->deck, sizeof s->deck);
}

static gr_set gr_points_of_mask(const gr_mask *mask)
{
    return (gr_set)mask->word[GR_HIGH_STONES] << 64 | mask->word[GR_LOW_STONES];
}

/* Adds points to *mask. Only plain points can have stones. */
static void gr_add_points(const rf_gran_board *b, gr_mask *mask, gr_set points)
{
    rf_gran_set added = gr_store_set(points & gr_set_of(b->plain));
    mask->word[GR_LOW_STONES] |= added.low;
    mask->word[GR_HIGH_STONES] |= added.high;
}

void gr_add_least_points(const rf_gran_board *b, gr_mask *mask, gr_set points, unsigned count)
{
    unsigned symbols = gr_popcount(points & ~gr_set_of(b->plain));
    for (gr_set plain = points & gr_set_of(b->plain); symbols < count; symbols++)
        gr_add_points(b, mask, gr_bit(gr_pop_lsb(&plain)));
}

static void gr_add_all_points(const rf_gran_board *b, gr_mask *mask) { gr_add_points(b, mask, ~(gr_set)0); }

/* One of the points, if there is one then of `cheap`. */
static unsigned gr_cheapest(gr_set points, gr_set cheap)
{
    return gr_lsb((points & cheap) != 0 ? points & cheap : points);
}

/* Whether the ring is connected with a goal while these stones are on the board. *evidence is what proves the answer:
 * the points of a shortest path, if possible points that are read already or can never have a stone; without a path,
 * the stones around all points that are connected with the ring. */
static bool gr_find_path(const rf_gran_board *b, unsigned ring, gr_set goals, gr_set stones, const gr_mask *mask,
                         gr_set *evidence)
{
    gr_set layers[RF_GRAN_POINTS], seen = gr_bit(ring), cheap = gr_points_of_mask(mask) | ~gr_set_of(b->plain);
    unsigned last = 0;
    layers[0] = seen;
    while ((layers[last] & goals) == 0) {
        gr_set next = gr_neighbours_of_set(b, layers[last]) & ~seen & ~stones;
        if (next == 0) {
            *evidence = gr_neighbours_of_set(b, seen) & stones;
            return false;
        }
        layers[++last] = next;
        seen |= next;
    }
    unsigned point = gr_cheapest(layers[last] & goals, cheap);
    *evidence = gr_bit(point);
    while (last-- > 0) {
        point = gr_cheapest(gr_neighbours(b, point) & layers[last], cheap);
        *evidence |= gr_bit(point);
    }
    return true;
}

/* ---- moves ---- */

/* D4: whether a ply with a stone must follow after these arrivals at a magic stone or sword (R10), equally in s and t.
 * If the ring is off the board, counting decides. Otherwise read one path from the ring to a figure: while it exists, a
 * stone on any free point off the path is legal, and by counting t has such a point if s has one. */
static void gr_add_stone_is_due(const rf_gran_board *b, const gr_state *s, gr_set arrivals, gr_mask *mask)
{
    gr_set stones = gr_set_of(s->stones), others = gr_others(s), path;
    if (!gr_on_board(s->ring))
        return;
    for (arrivals &= ~gr_set_of(b->plain); arrivals != 0;) {
        unsigned to = gr_pop_lsb(&arrivals), symbol = b->symbol[to];
        bool places = symbol == RF_GRAN_MAGIC_STONE;
        if ((!places && symbol != RF_GRAN_SWORD) || (places ? gr_popcount(stones) >= b->stones : stones == 0))
            continue;
        gr_set goals = others | gr_bit(to); /* a figure there may be banished, the others stay */
        gr_set free = gr_set_of(b->plain) & ~stones & ~others & ~gr_ring_point(s) & ~gr_bit(gr_origin(b, s));
        if (gr_find_path(b, s->ring, goals, stones, mask, &path) && gr_popcount(free & ~path) >= 2)
            gr_add_points(b, mask, path);
        else
            gr_add_all_points(b, mask);
    }
}

/* Points over which the acting figure goes if there are no stones. */
static gr_set gr_passable_without_stones(const rf_gran_board *b, const gr_state *s)
{
    gr_state bare = *s;
    bare.stones = (rf_gran_set){0, 0};
    return gr_passable(b, &bare, gr_others(s));
}

/* D3: one move (R3 to R6) reads its target, which has no stone, and, if the target is two points away, one point to pass
 * over: none for a carrier, in an extra move, or over the ring. An attack also reads where the figure goes. */
static void gr_add_move(const rf_gran_board *b, const gr_state *s, rf_ply ply, gr_mask *mask)
{
    unsigned origin = gr_origin(b, s), to = gr_ply_first(ply);
    gr_set over = gr_neighbours(b, origin) & gr_neighbours(b, to) & gr_passable(b, s, gr_others(s));
    gr_add_points(b, mask, gr_bit(to));
    if (gr_ply_kind(ply) == GR_ATTACK)
        gr_add_points(b, mask, gr_bit(gr_ply_second(ply)));
    if (!gr_has(gr_neighbours(b, origin), to) && (ply & GR_VIA_RING) == 0 && !gr_passes_everything(s))
        gr_add_points(b, mask, gr_bit(gr_cheapest(over, gr_points_of_mask(mask) | ~gr_set_of(b->plain))));
    if ((ply & GR_VIA_RING) == 0)
        gr_add_stone_is_due(b, s, gr_bit(to), mask);
}

/* D5: all moves read every target that exists without stones, and with it every point to pass over; if anything can be
 * attacked, also all banishing points. Then the lists of s and t are equal. */
static void gr_add_moves(const rf_gran_board *b, const gr_state *s, gr_mask *mask)
{
    unsigned origin = gr_origin(b, s);
    gr_set near = gr_neighbours(b, origin), ring = gr_ring_point(s);
    gr_set passable = gr_passable_without_stones(b, s);
    gr_set ends = gr_arrivals(b, origin, passable);
    gr_set over_ring = (near & ring) != 0 ? gr_neighbours(b, s->ring) : 0;
    gr_set attacks = (ends | over_ring) & gr_others(s) & gr_attackable(b, gr_amulets(s, s->player));
    gr_add_points(b, mask, ends | over_ring); /* points to pass over are ends too */
    if (attacks != 0)
        gr_add_points(b, mask, gr_set_of(b->white));
    gr_add_stone_is_due(b, s, ends, mask);
}

/* ---- stones ---- */

/* D6: one ply with a stone, to the point p (R10). Read one path from the ring to a figure after the ply. If p is in D, it
 * is free in t too, and the same ply is legal. If not, t has by counting a free point outside D and off the path, and
 * the position with a stone there agrees on D. For the sword the same applies to the point from which the stone comes;
 * a path over that point reads it. */
static void gr_add_stone_ply(const rf_gran_board *b, const gr_state *s, rf_ply ply, gr_mask *mask)
{
    gr_set stones = gr_set_of(s->stones), path;
    if (!gr_on_board(s->ring))
        return;
    if (gr_ply_kind(ply) == GR_PLACE)
        stones |= gr_bit(gr_ply_first(ply));
    else
        stones = (stones & ~gr_bit(gr_ply_first(ply))) | gr_bit(gr_ply_second(ply));
    if (gr_find_path(b, s->ring, gr_ring_goals(b, s), stones, mask, &path))
        gr_add_points(b, mask, path);
    else
        gr_add_all_points(b, mask);
}

/* Whether the phase has a stone to put or to move (R10). */
static bool gr_has_stone_to_use(const rf_gran_board *b, const gr_state *s)
{
    const unsigned stones = gr_popcount(gr_set_of(s->stones));
    return s->phase == GR_IN_STONE ? stones < b->stones : stones > 0;
}

/* D7: all plies with a stone. Without the ring on the board, points of D are free, or have a stone, in both s and t or in
 * neither, and by counting there are free points and stones outside D in both or neither. With the ring, a point of D off
 * the path is legal in both. A free point outside D and off the path is legal in s; by counting t has one too, and every
 * legal ply outside D corresponds to it. */
static void gr_add_stone_list(const rf_gran_board *b, const gr_state *s, gr_mask *mask)
{
    const gr_set stones = gr_set_of(s->stones), free = gr_free_points(b, s), goals = gr_ring_goals(b, s);
    const gr_set masked_before = gr_points_of_mask(mask);
    gr_set path, evidence;
    /* 1. Without the ring on the board, or without a stone or a free point, the fixed part decides. */
    if (!gr_on_board(s->ring) || free == 0 || !gr_has_stone_to_use(b, s))
        return;
    /* 2. Read one path from the ring to a figure. A free point must exist that is neither on it nor read. */
    if (!gr_find_path(b, s->ring, goals, stones, mask, &path) || (free & ~masked_before & ~path) == 0) {
        gr_add_all_points(b, mask);
        return;
    }
    gr_add_points(b, mask, path);
    /* 3. A point on the path that was read before: read another path around it, which makes it legal. Without one a
     * stone cannot be put there (read the stones that prove this), but the sword might move the stone that blocks. */
    for (gr_set points = masked_before & path & free; points != 0;) {
        const gr_set with_stone = stones | gr_bit(gr_pop_lsb(&points));
        const bool is_connected = gr_find_path(b, s->ring, goals, with_stone, mask, &evidence);
        if (!is_connected && s->phase == GR_IN_SWORD) {
            gr_add_all_points(b, mask);
            return;
        }
        gr_add_points(b, mask, evidence);
    }
}

/* D8: the plies up to `ply`. Those of the magic stone are on lower points; they are added before D7, which makes them
 * legal in both s and t or in neither. The sword reads all points. */
static void gr_add_plies_through(const rf_gran_board *b, rf_ply ply, gr_mask *mask)
{
    if (gr_ply_kind(ply) == GR_PLACE)
        gr_add_points(b, mask, ~gr_points_from(gr_ply_first(ply) + 1));
    else if (gr_ply_kind(ply) == GR_SHIFT)
        gr_add_all_points(b, mask);
}

/* ---- the interface ---- */

void gr_add_list_mask(const void *ctx, const rf_state *state, const rf_ply *through, gr_mask *mask)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    if (through != NULL)
        gr_add_plies_through(b, *through, mask);
    switch (s->phase) {
    case GR_IN_MOVE:
        if (!gr_fettered(s, s->player))
            gr_add_moves(b, s, mask);
        break;
    case GR_IN_EXTRA:
        gr_add_moves(b, s, mask);
        break;
    case GR_IN_FIGHT:
        mask->word[GR_DECK] = UINT64_MAX; /* D2: chance reads the whole deck (R8) and no stone */
        break;
    case GR_IN_RING:
        gr_add_points(b, mask, gr_set_of(b->put[b->realm[s->point[s->player]]])); /* D5, R11 */
        break;
    case GR_IN_STONE:
    case GR_IN_SWORD:
        gr_add_stone_list(b, s, mask);
        break;
    default:
        break;
    }
}

void gr_add_ply_mask(const void *ctx, const rf_state *state, rf_ply ply, gr_mask *mask)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    switch (gr_ply_kind(ply)) {
    case GR_MOVE:
    case GR_ATTACK:
        gr_add_move(b, s, ply, mask);
        break;
    case GR_PUT:
        gr_add_points(b, mask, gr_bit(gr_ply_first(ply)));
        break;
    case GR_PLACE:
    case GR_SHIFT:
        gr_add_stone_ply(b, s, ply, mask);
        break;
    case GR_STAY:
    case GR_REST:
        break; /* always there in this phase */
    default:
        gr_add_list_mask(ctx, state, NULL, mask); /* the only ply, or one of chance */
    }
}
