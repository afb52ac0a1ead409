/* The constant table of Siaius, descriptions of positions, and the kinds of plies (rf_game.describe, rf_ply_kind_part).
 *
 * Example: a sun of South on d1 that may be huffed is a piece "sun" of player 1 with a mark. */
#include "common/describe.h"
#include "siaius/siaius.h"

si_set si_neighbours[SI_SQUARES];
const char *const si_kind_names[SI_KINDS] = {"sun", "moon", "star", "champion"};

void si_init(void)
{
    for (unsigned i = 0; i < SI_SQUARES; i++)
        si_neighbours[i] = si_around(si_bit(i)) & ~si_bit(i) & (si_bit(SI_SQUARES) - 1);
}

void si_describe(const void *ctx, const rf_state *state, rf_description *out)
{
    const si_state *s = (const si_state *)state;
    (void)ctx;
    out->files = s->files;
    out->ranks = s->ranks;
    out->phase = si_result(s) != RF_OUTCOME_NONE ? "over" : s->bonus != SI_NO_SQUARE ? "bonus" : "move";
    for (si_set left = si_occupied(s); left != 0; left &= left - 1) {
        const unsigned square = si_lsb(left);
        const unsigned owner = s->south & si_bit(square) ? SI_SOUTH + 1 : SI_NORTH + 1;
        rf_piece *stone =
            rf_add_piece(out, si_kind_names[si_kind_on(s, square)], owner, square % SI_STRIDE, square / SI_STRIDE);
        stone->marks = (uint8_t)((s->missed & si_bit(square) ? RF_MARK_REMOVABLE : 0) |
                                 (s->bonus == square ? RF_MARK_EXTRA_PLY : 0));
    }
    rf_add_counter(out, "passes", 0, 0, s->passes);
    if (s->reverse)
        rf_add_option(out, "beats", "reverse");
    if (s->huff != SI_HUFF_TURN)
        rf_add_option(out, "huff", s->huff == SI_HUFF_STONE ? "stone" : "off");
}

/* ---- symmetries ---- */

/* The files in reverse order; and the sides exchanged, with the ranks in reverse order. */
enum { SI_MIRRORED = 1, SI_OTHER_SIDE = 2 };

static unsigned si_image_square(const si_state *s, unsigned square, unsigned symmetry)
{
    unsigned file = square % SI_STRIDE, rank = square / SI_STRIDE;
    if (symmetry & SI_MIRRORED)
        file = s->files - 1u - file;
    if (symmetry & SI_OTHER_SIDE)
        rank = s->ranks - 1u - rank;
    return rank * SI_STRIDE + file;
}

static si_set si_image_set(const si_state *s, si_set squares, unsigned symmetry)
{
    si_set image = 0;
    for (; squares != 0; squares &= squares - 1)
        image |= si_bit(si_image_square(s, si_lsb(squares), symmetry));
    return image;
}

bool si_image(const void *ctx, const rf_state *state, unsigned symmetry, rf_state *out)
{
    const si_state *s = (const si_state *)state;
    si_state image = *s;
    (void)ctx;
    if (symmetry > (SI_MIRRORED | SI_OTHER_SIDE))
        return false;
    for (unsigned kind = 0; kind < SI_KINDS; kind++)
        image.kinds[kind] = si_image_set(s, s->kinds[kind], symmetry);
    image.south = si_image_set(s, symmetry & SI_OTHER_SIDE ? si_stones_of(s, SI_NORTH) : s->south, symmetry);
    image.missed = si_image_set(s, s->missed, symmetry);
    if (symmetry & SI_OTHER_SIDE)
        image.side = s->side ^ 1;
    if (s->bonus != SI_NO_SQUARE)
        image.bonus = (uint8_t)si_image_square(s, s->bonus, symmetry);
    *(si_state *)out = image;
    return true;
}

/* ---- kinds of plies ---- */

static const char *const kinds_of_plies[] = {"captures", "promotions", "bonus_moves", "stays", "huffs", "passes", NULL};

/* S4, S5, S7, S9. */
static uint32_t si_kinds_of(const void *ctx, const rf_state *state, rf_ply ply)
{
    const si_state *s = (const si_state *)state;
    (void)ctx;
    switch (si_ply_kind(ply)) {
    case SI_HUFF:
        return 16;
    case SI_STAY:
        return 8;
    case SI_PASS:
        return 32;
    default:
        return ((si_occupied(s) & si_bit(si_to(ply))) != 0 ? 1u : 0) |
               (si_kind_on(s, si_from(ply)) != SI_CHAMPION && si_on_farthest_rank(s, si_to(ply), s->side) ? 2u : 0) |
               (s->bonus != SI_NO_SQUARE ? 4u : 0);
    }
}

const rf_ply_kind_part si_ply_kind_part = {kinds_of_plies, si_kinds_of, 1 | 16};
