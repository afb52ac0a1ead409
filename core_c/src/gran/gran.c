/* GRAN: the rules (R1 to R14 in core_c/rules/gran.md), as functions of struct rf_game.
 *
 * Idea: sets of points are 128-bit numbers, so gr_find_moves (gran.h) finds all moves of a figure with a few masks. A
 * turn is one ply, or several plies with a phase between them (a fight, an extra move, the ring, a stone).
 * Invariants: plies are generated in the byte order of their short texts, because board.c numbers points in the order
 * of their names; gr_count returns the number of plies that gr_generate writes.
 * Example: a figure with the ring moves to a city. gr_enter_city adds a seal and two amulets and starts the phase
 * GR_IN_RING, in which the same player puts the ring (R11). */
#include "gran/gran.h"
#include "gran/solver/search.h"
#include "gran/stones.h"
#include "gran/text.h"

#define RF_PREFIX gr_

const uint8_t *gr_drawn_from(const rf_gran_board *b, const gr_state *s)
{
    for (unsigned value = 0; value < GR_CARDS; value++)
        if (s->deck[value] != 0)
            return s->deck;
    return b->cards;
}

/* ---- moves (R3 to R6) ---- */

static rf_ply *gr_write_attacks(const gr_moves *moves, unsigned via_ring, gr_set arrivals, rf_ply *out)
{
    unsigned kind = GR_ATTACK | (via_ring == 1 ? GR_VIA_RING : 0);
    while (arrivals != 0) {
        unsigned to = gr_pop_lsb(&arrivals);
        for (gr_set banish = moves->banish[via_ring]; banish != 0;)
            *out++ = gr_ply(kind, to, gr_pop_lsb(&banish));
    }
    return out;
}

static rf_ply *gr_write_quiet(unsigned kind, gr_set arrivals, rf_ply *out)
{
    while (arrivals != 0)
        *out++ = gr_ply(kind, gr_pop_lsb(&arrivals), 0);
    return out;
}

/* In byte order: a1-b1, a1-b1-c1, a1-b10, a1-b1xc1-e5, a1-c2, a1xb2-e5, where the ring lies on b1. */
static rf_ply *gr_write_moves(const rf_gran_board *b, const gr_state *s, rf_ply *out)
{
    gr_moves moves;
    gr_find_moves(b, s, &moves);
    gr_set rest = moves.quiet[0];
    if ((moves.quiet[1] | moves.attacks[1]) != 0) {
        gr_set after = gr_points_from(s->ring + 1u), beyond = gr_points_from(b->beyond_name[s->ring]);
        out = gr_write_quiet(GR_MOVE, rest & ~after, out);
        out = gr_write_quiet(GR_MOVE | GR_VIA_RING, moves.quiet[1], out);
        out = gr_write_quiet(GR_MOVE, rest & after & ~beyond, out);
        out = gr_write_attacks(&moves, 1, moves.attacks[1], out);
        rest &= beyond;
    }
    out = gr_write_quiet(GR_MOVE, rest, out);
    return gr_write_attacks(&moves, 0, moves.attacks[0], out);
}

static uint64_t gr_count_moves(const rf_gran_board *b, const gr_state *s)
{
    gr_moves moves;
    gr_find_moves(b, s, &moves);
    uint64_t total = gr_popcount(moves.quiet[0]);
    if (moves.attacks[0] != 0)
        total += (uint64_t)gr_popcount(moves.attacks[0]) * gr_popcount(moves.banish[0]);
    if ((moves.quiet[1] | moves.attacks[1]) != 0)
        total += gr_popcount(moves.quiet[1]) + (uint64_t)gr_popcount(moves.attacks[1]) * gr_popcount(moves.banish[1]);
    return total;
}

/* ---- the ring and the stones (R10, R11) ---- */

gr_set gr_ring_targets(const rf_gran_board *b, const gr_state *s)
{
    unsigned realm = b->realm[s->point[s->player]];
    return gr_set_of(b->put[realm]) & ~gr_set_of(s->stones) & ~gr_figures(s);
}

static rf_ply *gr_write_shifts(const rf_gran_board *b, const gr_state *s, rf_ply *out)
{
    gr_shifts shifts;
    gr_find_shifts(b, s, &shifts);
    for (gr_set stones = shifts.stones; stones != 0;) {
        unsigned from = gr_pop_lsb(&stones);
        for (gr_set to = gr_shift_targets(b, s, &shifts, from); to != 0;)
            *out++ = gr_ply(GR_SHIFT, from, gr_pop_lsb(&to));
    }
    return out;
}

bool gr_is_shift(const rf_gran_board *b, const gr_state *s, unsigned from, unsigned to)
{
    gr_shifts shifts;
    gr_find_shifts(b, s, &shifts);
    return gr_has(shifts.stones, from) && gr_has(gr_shift_targets(b, s, &shifts, from), to);
}

/* ---- chance (R8) ---- */

static rf_ply *gr_write_chances(const rf_gran_board *b, const gr_state *s, rf_ply *out)
{
    const uint8_t *cards = gr_drawn_from(b, s);
    for (unsigned card = 0; card < GR_CARDS; card++)
        for (unsigned die = 1; cards[card] != 0 && die <= GR_DIE; die++)
            *out++ = gr_ply(GR_CHANCE, card, die);
    return out;
}

uint64_t gr_count_chances(const rf_gran_board *b, const gr_state *s)
{
    const uint8_t *cards = gr_drawn_from(b, s);
    uint64_t values = 0;
    for (unsigned card = 0; card < GR_CARDS; card++)
        values += cards[card] != 0;
    return values * GR_DIE;
}

/* ---- the interface ---- */

size_t gr_generate(const void *ctx, const rf_state *state, rf_ply *out)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    rf_ply *end = out;
    switch (s->phase) {
    case GR_OVER:
        return 0;
    case GR_IN_FIGHT:
        end = gr_write_chances(b, s, out);
        break;
    case GR_IN_RING:
        end = gr_write_quiet(GR_PUT, gr_ring_targets(b, s), out);
        break;
    case GR_IN_STONE:
        end = gr_write_quiet(GR_PLACE, gr_place_targets(b, s), out);
        break;
    case GR_IN_SWORD:
        end = gr_write_shifts(b, s, out);
        break;
    case GR_IN_EXTRA:
        end = gr_write_moves(b, s, out);
        *end++ = GR_STAY;
        break;
    default:
        if (gr_fettered(s, s->player))
            *end++ = GR_REST; /* R9 */
        else
            end = gr_write_moves(b, s, out);
    }
    if (end == out)
        *end++ = GR_PASS; /* R12, R11, and a stone phase that a position text gives without need */
    return (size_t)(end - out);
}

uint64_t gr_count(const void *ctx, const rf_state *state)
{
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    uint64_t total;
    switch (s->phase) {
    case GR_OVER:
        return 0;
    case GR_IN_FIGHT:
        return gr_count_chances(b, s);
    case GR_IN_RING:
        total = gr_popcount(gr_ring_targets(b, s));
        break;
    case GR_IN_STONE:
        total = gr_popcount(gr_place_targets(b, s));
        break;
    case GR_IN_SWORD:
        total = gr_count_shifts(b, s);
        break;
    case GR_IN_EXTRA:
        return gr_count_moves(b, s) + 1;
    default:
        total = gr_fettered(s, s->player) ? 1 : gr_count_moves(b, s);
    }
    return total != 0 ? total : 1;
}

static inline void gr_end_turn(gr_state *s)
{
    s->player = s->player + 1 == s->players ? 0 : (uint8_t)(s->player + 1);
    s->phase = GR_IN_MOVE;
}

static inline void gr_add_amulets(gr_state *s, unsigned player, unsigned more)
{
    unsigned amulets = gr_amulets(s, player) + more;
    if (amulets > GR_AMULETS)
        amulets = GR_AMULETS;
    s->figure[player] = (uint8_t)((s->figure[player] & (unsigned)~GR_AMULET_MASK) | amulets);
}

static void gr_enter_city(const rf_gran_board *b, gr_state *s)
{
    unsigned me = s->player;
    if (!gr_carries(s, me)) {
        gr_add_amulets(s, me, 1);
        gr_end_turn(s);
        return;
    }
    gr_add_amulets(s, me, 2);
    s->figure[me] = (uint8_t)(s->figure[me] | 1u << (GR_SEAL_SHIFT + b->realm[s->point[me]]));
    if (gr_seals(s, me) >= s->seals) { /* R13 */
        s->phase = GR_OVER;
    } else {
        s->phase = GR_IN_RING;
        s->ring = GR_PENDING;
    }
}

/* The figure on the point goes where the attacker wants (R5). */
static void gr_banish(gr_state *s, unsigned from, unsigned to)
{
    unsigned me = s->player, other = 0;
    while (s->point[other] != from || other == me)
        other++;
    s->point[other] = (uint8_t)to;
    s->figure[other] &= (uint8_t)~GR_FETTER;
    s->figure[me]--;
    if (gr_carries(s, other))
        s->ring = (uint8_t)(GR_CARRIED | me);
}

static void gr_move(const rf_gran_board *b, gr_state *s, rf_ply ply)
{
    unsigned me = s->player, to = gr_ply_first(ply);
    if ((ply & GR_VIA_RING) != 0 || s->ring == to)
        s->ring = (uint8_t)(GR_CARRIED | me); /* R6 */
    if (gr_ply_kind(ply) == GR_ATTACK)
        gr_banish(s, to, gr_ply_second(ply));
    s->point[me] = (uint8_t)to;
    unsigned symbol = b->symbol[to];
    if (symbol == RF_GRAN_CITY) {
        gr_enter_city(b, s);
    } else if (symbol == RF_GRAN_DRAGON) {
        s->phase = GR_IN_FIGHT;
    } else if ((symbol == RF_GRAN_MAGIC_STONE || symbol == RF_GRAN_SWORD) && gr_stone_is_due(b, s, symbol)) {
        s->phase = symbol == RF_GRAN_SWORD ? GR_IN_SWORD : GR_IN_STONE;
    } else {
        gr_end_turn(s);
    }
}

static void gr_fight(const rf_gran_board *b, gr_state *s, unsigned card, unsigned die)
{
    if (gr_drawn_from(b, s) == b->cards)
        memcpy(s->deck, b->cards, sizeof s->deck);
    s->deck[card]--;
    if (die >= card) {
        s->phase = GR_IN_EXTRA;
        return;
    }
    unsigned me = s->player;
    if (gr_amulets(s, me) > 0)
        s->figure[me]--;
    s->figure[me] |= GR_FETTER;
    if (gr_carries(s, me)) {
        s->phase = GR_IN_RING;
        s->ring = GR_PENDING;
    } else {
        gr_end_turn(s);
    }
}

void gr_apply(const void *ctx, const rf_state *state, rf_ply ply, rf_state *out)
{
    const rf_gran_board *b = ctx;
    gr_state *s = (gr_state *)out;
    *s = *(const gr_state *)state;
    unsigned me = s->player;
    switch (gr_ply_kind(ply)) {
    case GR_MOVE:
    case GR_ATTACK:
        gr_move(b, s, ply);
        return;
    case GR_CHANCE:
        gr_fight(b, s, gr_ply_first(ply), gr_ply_second(ply));
        return;
    case GR_PUT:
        s->ring = (uint8_t)gr_ply_first(ply);
        break;
    case GR_PLACE:
        s->stones = gr_store_set(gr_set_of(s->stones) | gr_bit(gr_ply_first(ply)));
        break;
    case GR_SHIFT:
        s->stones = gr_store_set((gr_set_of(s->stones) & ~gr_bit(gr_ply_first(ply))) | gr_bit(gr_ply_second(ply)));
        break;
    case GR_REST:
        s->figure[me] &= (uint8_t)~GR_FETTER;
        break;
    default: /* GR_PASS, GR_STAY */
        if (s->phase == GR_IN_RING)
            s->ring = (uint8_t)(GR_CARRIED | me); /* R11 */
    }
    gr_end_turn(s);
}

static bool gr_null_ply(const void *ctx, const rf_state *state, rf_state *out, rf_error *error)
{
    (void)ctx;
    gr_state *s = (gr_state *)out;
    *s = *(const gr_state *)state;
    if (s->phase != GR_IN_MOVE)
        return rf_fail(error, RF_ILLEGAL, 0, 0, "null-in-phase", gr_phase_names[s->phase], NULL);
    gr_end_turn(s);
    return true;
}

static int gr_outcome(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return gr_winner(state);
}

static unsigned gr_player(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return gr_acting_player(state);
}

static unsigned gr_players(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return ((const gr_state *)state)->players;
}

static bool gr_mid_turn(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return ((const gr_state *)state)->phase != GR_IN_MOVE;
}

static bool gr_is_chance(const void *ctx, const rf_state *state)
{
    (void)ctx;
    return gr_is_at_chance(state);
}

uint32_t gr_weight(const void *ctx, const rf_state *state, rf_ply ply)
{
    return gr_ply_kind(ply) == GR_CHANCE ? gr_drawn_from(ctx, (const gr_state *)state)[gr_ply_first(ply)] : 0;
}

#define RF_HASH_SIZE sizeof(gr_state)
#define RF_BULK_PLIES 3
#include "perft.inc"

static const rf_chance_part gr_chance_part = {
    .max_results = GR_CHANCE_RESULTS,
    .is_chance = gr_is_chance,
    .weight = gr_weight,
    .new_table = gr_new_table,
    .free_table = gr_free_table,
    .share_table = gr_share_table,
    .maxn = gr_maxn,
    .paranoid = gr_paranoid,
};

const rf_game RF_EXPORT(rf_game_gran) = {
    .id = "gran",
    .start = "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move",
    .state_size = sizeof(gr_state),
    .max_plies = GR_MAX_PLIES,
    .max_text = 1024,
    .max_ply_text = 24,
    .solver = RF_SOLVER_CHANCE,
    .needs_context = true,
    .parse = gr_parse,
    .format_field = gr_format_field,
    .describe = gr_describe,
    .parse_ply = gr_parse_ply,
    .format_ply = gr_format_ply,
    .generate = gr_generate,
    .count = gr_count,
    .apply = gr_apply,
    .null_ply = gr_null_ply,
    .outcome = gr_outcome,
    .player = gr_player,
    .players = gr_players,
    .mid_turn = gr_mid_turn,
    .perft = gr_perft,
    .image = gr_image,
    .chances = &gr_chance_part,
    .kinds = &gr_ply_kind_part,
};

#undef RF_PREFIX
