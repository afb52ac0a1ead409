/* Margins of positions with one bare knight.
 *
 * Idea: a bare knight goes anywhere, square by square, and multiplies the positions of a search. Here one question
 * covers all of its squares: the board without it is the position, and an answer is two sets of its squares, where
 * the attacker succeeds and where it fails. Plies of other pieces hardly depend on the bare knight, so one answer
 * below serves all squares, and a step is a shift of a set.
 *
 * Invariants: no position repeats, because the side without the bare knight makes progress with every ply (K11). The
 * exception is a side that can only capture the bare knight: it passes while the bare knight moves, and
 * kr_solve_stuck finds the answers for all squares as the smallest set of successes. So all entries are proven. The
 * recursion is bounded by the pieces: with every second ply a ring is taken or a knight leaves the board.
 *
 * Example: the question is about North's bare knight on d4 only. The search finds that a capture elsewhere succeeds
 * for South with the bare knight on any square but c3. The entry then has 30 squares of success, and later questions
 * about them need no search. */
#ifndef RINGFEN_RINGS_BARE_KNIGHT_H
#define RINGFEN_RINGS_BARE_KNIGHT_H

#include "rings/solver/static_bounds.h"

/* The key of sets for a question about the board with this hash. */
static inline uint64_t kr_sets_key(int threshold, uint64_t hash, unsigned owner)
{
    uint64_t question = (uint64_t)(threshold + RF_MAX_MARGIN) * 4 + owner + 1;
    return rf_mix(hash, question);
}

/* The bare knight of `owner`, which is to move, takes the ring or holder on `to`. */
RF_PRIVATE void kr_bare_takes(const kr_state *s, unsigned owner, unsigned to, kr_state *out);
/* The holder on `from` captures the bare knight of the other side on `to`. */
RF_PRIVATE void kr_capture_bare(const kr_state *s, unsigned from, unsigned to, kr_state *out);
/* Squares of the bare knight with which `side` has no ply (K9). */
RF_PRIVATE uint64_t kr_find_stuck(const kr_state *s, unsigned side, unsigned owner);
/* Answers for at least the squares `asked`. If the control stops or the position is deferred, those that are known. */
RF_PRIVATE kr_square_sets kr_search_bare_knight(const kr_question *q, const kr_state *s, unsigned owner,
                                                uint64_t asked);

#endif
