/* What the search for forced wins asks of Siaius. A game ends when a side has no stone left (S8), and a ply takes one
 * stone at most, so that few stones are what brings an end near. */
#include "siaius/siaius.h"

bool si_wins_now(const void *ctx, const rf_state *state)
{
    const si_state *s = (const si_state *)state;
    (void)ctx;
    const si_set enemies = si_stones_of(s, s->side ^ 1u);
    if ((enemies & (enemies - 1)) != 0)
        return false;
    const si_view v = si_view_of(s, s->side);
    if (s->bonus != SI_NO_SQUARE)
        return si_champion_reach(si_bit(s->bonus), v.empty, enemies) != 0;
    return s->missed != 0 || si_could_capture(&v) != 0;
}

unsigned si_useful_plies(const void *ctx, const rf_state *state, unsigned player, unsigned plies)
{
    const si_state *s = (const si_state *)state;
    const unsigned winner = player - 1;
    (void)ctx;
    const si_set own = si_stones_of(s, winner);
    const unsigned enemies = si_size(si_occupied(s) & ~own);
    if (enemies > plies)
        return 0;
    unsigned promotions = si_size(own & ~s->kinds[SI_CHAMPION]), first = 0;
    if (s->side == winner && s->bonus != SI_NO_SQUARE) {
        first = 1;
    } else if (s->side == winner) {
        first = (s->missed != 0) + 1u + (promotions > 0);
        promotions -= promotions > 0;
    }
    const unsigned left = enemies > first ? enemies - first : 0, a_turn = 1u + (s->huff != SI_HUFF_OFF);
    unsigned turns = (left + a_turn) / (a_turn + 1); /* with a promotion in each */
    if (turns > promotions)
        turns = (left - promotions + a_turn - 1) / a_turn;
    return plies < enemies + turns ? 0 : plies;
}

size_t si_safe_plies(const void *ctx, const rf_state *state, rf_ply *out, uint8_t *threats)
{
    const si_state *s = (const si_state *)state;
    const si_set enemies = si_stones_of(s, s->side ^ 1u);
    const size_t count = si_generate(ctx, state, out);
    for (size_t i = 0; i < count; i++) {
        const unsigned what = si_what(out[i]);
        threats[i] = what == SI_HUFF || (what == SI_MOVE && (enemies & si_bit(si_to(out[i]))) != 0);
    }
    return count;
}
