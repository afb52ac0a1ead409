/* Positions of Siaius with few stones, in the form of endgame tables (siaius/tables/).
 *
 * Idea: a list of stones instead of sets of squares. Tables and solver call the rules through si_endgame_rules, since
 * the fast files of the game are compiled for each instruction set (unit.h).
 *
 * Invariant: si_endgame_of fails if the position has more than SI_ENDGAME_STONES stones, so callers need no check.
 *
 * Example: si_endgame_rules_of(game)->from_state(s, &e) gives e.stones == 2 for a champion against a sun. */
#ifndef RINGFEN_SIAIUS_ENDGAME_H
#define RINGFEN_SIAIUS_ENDGAME_H

#include "siaius/siaius.h"

/* A position with few stones; `beats=reverse` is resolved by exchanging moons and stars. */
enum { SI_ENDGAME_STONES = 6 };
typedef struct si_endgame {
    uint8_t files, ranks, huff, player; /* player: SI_SOUTH, SI_NORTH */
    uint8_t stones;
    uint8_t side[SI_ENDGAME_STONES], kind[SI_ENDGAME_STONES], square[SI_ENDGAME_STONES]; /* rank * files + file */
    uint8_t missed; /* bit i: stone i may be huffed before the next ply */
    bool bonus;     /* a bonus ply is due */
    uint8_t passes;
} si_endgame;

/* A legal ply of such a position. */
enum { SI_ENDGAME_PLIES = 128, SI_ENDGAME_OTHER = 0xff };
typedef struct si_endgame_ply {
    rf_ply ply;
    uint8_t stone;  /* the ply only moves this stone to `square` and ends the turn; or SI_ENDGAME_OTHER */
    uint8_t square;
} si_endgame_ply;

/* What tables and solver ask of the rules, for each instruction set. */
typedef struct si_endgame_rules {
    /* Converts a position that is not over. False: it has too many stones. */
    bool (*from_state)(const rf_state *s, si_endgame *out);
    /* The position of these stones with nothing pending. */
    void (*to_state)(const si_endgame *e, rf_state *out);
    /* All legal plies of a position, given also as `e`, in any order (at most SI_ENDGAME_PLIES); returns how many.
     * *missed: the stones, as bits, that may be huffed after each ply with a stone (S7). */
    size_t (*plies)(const rf_state *s, const si_endgame *e, si_endgame_ply *out, uint8_t *missed);
    const struct si_turn_rules *turns; /* siaius/solver/turns.h */
} si_endgame_rules;

extern const rf_game rf_game_siaius_base, rf_game_siaius_v3;
extern RF_INTERNAL const si_endgame_rules si_rules_base, si_rules_v3;

/* The rules for the instruction set of a game; NULL if it is not Siaius. */
static inline const si_endgame_rules *si_endgame_rules_of(const rf_game *game)
{
#if defined(__x86_64__)
    if (game == &rf_game_siaius_v3)
        return &si_rules_v3;
#endif
    return game == &rf_game_siaius_base ? &si_rules_base : NULL;
}

/* ---- endgame.c ---- */

RF_PRIVATE bool si_endgame_of(const rf_state *state, si_endgame *out);
RF_PRIVATE void si_state_of(const si_endgame *e, rf_state *out);
RF_PRIVATE size_t si_endgame_plies(const rf_state *state, const si_endgame *e, si_endgame_ply *out, uint8_t *missed);
/* rf_game.reachable: an upper bound for few stones: two sides to move, each stone on each square, promoted or not. */
RF_PRIVATE uint64_t si_reachable(const void *ctx, const rf_state *state);

#endif
