/* Siaius: positions with few stones, in the form of endgame tables. Part of siaius/hot.c.
 *
 * Example: with `beats=reverse` suns capture stars (S4). Exchanging moons and stars gives the usual circle, so such a
 * position is looked up with moons and stars exchanged. */
#include "siaius/endgame.h"

/* The reversed circle is the usual circle with moons and stars exchanged (S4). */
static inline unsigned si_table_kind(const si_state *s, unsigned kind)
{
    return !s->reverse ? kind : kind == SI_MOON ? SI_STAR : kind == SI_STAR ? SI_MOON : kind;
}

bool si_endgame_of(const rf_state *state, si_endgame *out)
{
    const si_state *s = (const si_state *)state;
    const si_set occupied = si_occupied(s);
    const unsigned stones = si_popcount(occupied);
    if (stones > SI_ENDGAME_STONES)
        return false;
    *out = (si_endgame){.files = s->files, .ranks = s->ranks, .huff = s->huff, .player = s->side};
    out->bonus = s->bonus != SI_NO_SQUARE;
    out->passes = s->passes;
    for (si_set left = occupied; left != 0; left &= left - 1) {
        const unsigned square = si_lsb(left), i = out->stones++;
        out->side[i] = s->south & si_bit(square) ? SI_SOUTH : SI_NORTH;
        out->kind[i] = (uint8_t)si_table_kind(s, si_kind_on(s, square));
        out->square[i] = (uint8_t)(square / SI_STRIDE * s->files + square % SI_STRIDE);
        if (s->missed & si_bit(square))
            out->missed |= (uint8_t)(1u << i);
    }
    return true;
}

void si_state_of(const si_endgame *e, rf_state *out)
{
    si_state *s = (si_state *)out;
    *s = (si_state){.files = e->files, .ranks = e->ranks, .huff = e->huff, .side = e->player, .bonus = SI_NO_SQUARE};
    for (unsigned i = 0; i < e->stones; i++) {
        const si_set bit = si_bit((unsigned)e->square[i] / e->files * SI_STRIDE + e->square[i] % e->files);
        s->kinds[e->kind[i]] |= bit;
        if (e->side[i] == SI_SOUTH)
            s->south |= bit;
    }
}

/* Adds the moves of stone i; a move to a `quiet` square has no other effect and ends the turn. */
static inline si_endgame_ply *si_put_endgame_moves(const si_state *s, si_endgame_ply *out, unsigned i, unsigned from,
                                                   si_set targets, si_set quiet)
{
    for (; targets != 0; targets &= targets - 1) {
        const unsigned to = si_lsb(targets);
        *out++ = (si_endgame_ply){
            .ply = si_ply(SI_MOVE, from, to),
            .stone = (uint8_t)(quiet & si_bit(to) ? i : SI_ENDGAME_OTHER),
            .square = (uint8_t)(to - to / SI_STRIDE * ((unsigned)SI_STRIDE - s->files)),
        };
    }
    return out;
}

size_t si_endgame_plies(const rf_state *state, const si_endgame *e, si_endgame_ply *out, uint8_t *missed)
{
    const si_state *s = (const si_state *)state;
    *missed = 0;
    if (si_result(s) != RF_OUTCOME_NONE)
        return 0;
    const si_view v = si_view_of(s, s->side);
    const bool is_bonus = s->bonus != SI_NO_SQUARE;
    const si_set capturers = si_capturers(s, &v), promoting = si_farthest_rank(s, s->side);
    si_endgame_ply *end = out;
    for (si_set left = is_bonus ? 0 : s->missed; left != 0; left &= left - 1)
        *end++ = (si_endgame_ply){.ply = si_ply(SI_HUFF, si_lsb(left), 0), .stone = SI_ENDGAME_OTHER};
    const si_endgame_ply *moves = end;
    unsigned i = 0;
    for (si_set left = si_occupied(s); left != 0; left &= left - 1, i++) {
        const si_set bit = left & -left;
        const unsigned from = si_lsb(bit);
        /* Which stones have missed a capture does not depend on the quiet move: the one that moved stays one (S7). */
        if (capturers & bit)
            *missed |= (uint8_t)(1u << i);
        if ((v.own_all & bit) == 0 || (is_bonus && from != s->bonus))
            continue;
        const unsigned kind = si_kind_on(s, from);
        if (kind == SI_CHAMPION) {
            const si_set targets = si_champion_reach(bit, v.empty, v.empty | v.enemy_all);
            end = si_put_endgame_moves(s, end, i, from, targets, v.empty);
        } else {
            const si_set targets = si_neighbours[from] & (v.empty | v.prey[kind]);
            end = si_put_endgame_moves(s, end, i, from, targets, v.empty & ~promoting);
        }
        if (is_bonus)
            *end++ = (si_endgame_ply){.ply = si_ply(SI_STAY, 0, 0), .stone = (uint8_t)i, .square = e->square[i]};
    }
    if (end == moves)
        *end++ = (si_endgame_ply){.ply = si_ply(SI_PASS, 0, 0), .stone = SI_ENDGAME_OTHER};
    return (size_t)(end - out);
}

uint64_t si_reachable(const void *ctx, const rf_state *state)
{
    si_endgame e;
    (void)ctx;
    if (!si_endgame_of(state, &e))
        return UINT64_MAX;
    uint64_t places = 2;
    for (unsigned i = 0; i < e.stones; i++) /* at most 2 * 240^6 */
        places *= (uint64_t)e.files * e.ranks * (e.kind[i] == SI_CHAMPION ? 1 : 2);
    return places;
}
