/* Descriptions of positions of GRAN, and the kinds of its plies (rf_game.describe, rf_ply_kind_part).
 *
 * Invariant: a description contains everything in the position text and nothing else.
 * Example: "b4:2:T" is a figure on b4 that holds two amulets and the seal of Tirad: four pieces, of which three have
 * the place RF_HELD and the number of the figure in `of`. */
#include "common/describe.h"
#include "gran/text.h"

static void describe_figure(const rf_gran_board *b, const gr_state *s, unsigned i, rf_description *out)
{
    const unsigned point = s->point[i], number = out->piece_count;
    rf_piece *figure = point == GR_NOWHERE ? rf_add_piece_at(out, "figure", i + 1, RF_OFF_BOARD, 0)
                                           : rf_add_piece(out, "figure", i + 1, b->file[point], b->rank[point]);
    figure->marks = gr_fettered(s, i) ? RF_MARK_RESTING : 0;
    for (unsigned amulet = 0; amulet < gr_amulets(s, i); amulet++)
        rf_add_piece_at(out, "amulet", i + 1, RF_HELD, number);
    for (unsigned realm = 0; realm < 4; realm++)
        if ((s->figure[i] >> GR_SEAL_SHIFT >> realm & 1) != 0)
            rf_add_piece_at(out, "seal", i + 1, RF_HELD, number)->value = (uint8_t)gr_seal_letters[realm];
    if (gr_carries(s, i))
        rf_add_piece_at(out, "ring", 0, RF_HELD, number);
}

void gr_describe(const void *ctx, const rf_state *state, rf_description *out)
{
    static const char *const numbers[] = {"0", "1", "2", "3", "4"};
    const rf_gran_board *b = ctx;
    const gr_state *s = (const gr_state *)state;
    out->files = b->files;
    out->ranks = b->ranks;
    out->phase = gr_phase_names[s->phase];
    for (unsigned i = 0; i < s->players; i++)
        describe_figure(b, s, i, out);
    if (gr_on_board(s->ring))
        rf_add_piece(out, "ring", 0, b->file[s->ring], b->rank[s->ring]);
    else if (s->ring == GR_PENDING)
        rf_add_piece_at(out, "ring", 0, RF_OFF_BOARD, 0);
    for (gr_set left = gr_set_of(s->stones); left != 0;) {
        unsigned point = gr_pop_lsb(&left);
        rf_add_piece(out, "stone", 0, b->file[point], b->rank[point]);
    }
    for (unsigned value = 0; value < GR_CARDS; value++)
        rf_add_counter(out, "cards", 0, value, s->deck[value]);
    if (b->name[0] != '\0')
        rf_add_option(out, "board", b->name);
    if (s->seals != GR_USUAL_SEALS)
        rf_add_option(out, "seals", numbers[s->seals]);
}

/* The players under other numbers, in the same order of play: nothing else depends on the numbers. The symmetries of a
 * board are none here: a ply's text names points, and the first text breaks ties of the model maxn. */
bool gr_image(const void *ctx, const rf_state *state, unsigned symmetry, rf_state *out)
{
    const gr_state *s = (const gr_state *)state;
    gr_state image = *s;
    (void)ctx;
    if (symmetry >= s->players)
        return false;
    for (unsigned i = 0; i < s->players; i++) {
        const unsigned to = (i + symmetry) % s->players;
        image.point[to] = s->point[i];
        image.figure[to] = s->figure[i];
        if (gr_carries(s, i))
            image.ring = (uint8_t)(GR_CARRIED | to);
    }
    image.player = (uint8_t)((s->player + symmetry) % s->players);
    *(gr_state *)out = image;
    return true;
}

static const char *const kinds[] = {"banishments", "rings_taken", "rings_put", "stones", "chances", "extra_moves",
                                    "stays",       "rests",       "passes",    NULL};

/* R5, R6, R11, R10, R8, R8, R8, R9, R12. A ring is taken from the board or with an attack on its carrier. */
static uint32_t gr_kinds_of(const void *ctx, const rf_state *state, rf_ply ply)
{
    const gr_state *s = (const gr_state *)state;
    const unsigned kind = gr_ply_kind(ply), to = gr_ply_first(ply);
    (void)ctx;
    switch (kind) {
    case GR_PUT:
        return 4;
    case GR_PLACE:
    case GR_SHIFT:
        return 8;
    case GR_CHANCE:
        return 16;
    case GR_STAY:
        return 64;
    case GR_REST:
        return 128;
    case GR_PASS:
        return 256;
    default:
        break;
    }
    const bool from_carrier = !gr_on_board(s->ring) && s->ring != GR_PENDING && !gr_carries(s, s->player) &&
                              s->point[s->ring & ~(unsigned)GR_CARRIED] == to;
    const bool takes = (ply & GR_VIA_RING) != 0 || s->ring == to || from_carrier;
    return (kind == GR_ATTACK ? 1u : 0) | (takes ? 2u : 0) | (s->phase == GR_IN_EXTRA ? 32u : 0);
}

const rf_ply_kind_part gr_ply_kind_part = {kinds, gr_kinds_of, 1};
