/* Descriptions of positions of Gygès, and the kinds of its plies (rf_game.describe, rf_ply_kind_part).
 *
 * Example: a ring of height 2 on b4 is a piece "ring" with value 2. */
#include "common/describe.h"
#include "gyges/gyges.h"

void gy_describe(const void *ctx, const rf_state *s, rf_description *out)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    out->files = out->ranks = 6;
    out->phase = gy_is_over(p) ? "over" : p->throne != 0 ? "put" : gy_setting_up(p) ? "setup" : "move";
    for (uint64_t left = gy_occupied(&p->rings); left != 0; left &= left - 1) {
        unsigned square = rf_lsb(left);
        rf_add_piece(out, "ring", 0, gy_file_of(square), gy_rank_of(square))->value =
            (uint8_t)gy_height(&p->rings, square);
    }
    if (p->throne != 0)
        rf_add_piece_at(out, "ring", 0, RF_ON_THRONE, p->side + 1u)->value = p->throne;
    for (unsigned side = 0; side < 2; side++)
        rf_add_counter(out, "goals", side + 1, 0, p->goals[side]);
}

/* Bits of the kinds, in the order of their names. */
enum { GY_SETUPS_BIT, GY_DISPLACEMENTS_BIT, GY_THRONES_BIT, GY_PUT_BACKS_BIT };

static const char *const kinds[] = {
    [GY_SETUPS_BIT] = "setups",
    [GY_DISPLACEMENTS_BIT] = "displacements",
    [GY_THRONES_BIT] = "thrones",
    [GY_PUT_BACKS_BIT] = "put_backs",
    NULL,
};

/* G3, G7, G8, G9. */
static uint32_t gy_kinds_of(const void *ctx, const rf_state *s, rf_ply ply)
{
    (void)ctx;
    (void)s;
    switch (gy_ply_kind(ply)) {
    case GY_SETUP:
        return 1u << GY_SETUPS_BIT;
    case GY_DISPLACE:
        return 1u << GY_DISPLACEMENTS_BIT;
    case GY_PUT:
        return 1u << GY_PUT_BACKS_BIT;
    default:
        return gy_to(ply) == GY_THRONE ? 1u << GY_THRONES_BIT : 0;
    }
}

const rf_ply_kind_part gy_ply_kind_part = {kinds, gy_kinds_of, 1u << GY_DISPLACEMENTS_BIT};
