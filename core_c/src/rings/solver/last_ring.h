/* Positions with one free ring: a search of those without bare knights, and a test of all that needs no search.
 *
 * Idea: the mover takes the last ring at once, or captures first. Both are counted from sets of squares, so that most
 * positions need no search. If South takes the last ring, North has one more turn (K10), in which only captures
 * change the score; North's own taking of it ends the game. A captured holder goes to its owner's hand (K7) and can
 * be dropped on the ring at once, so a capture helps only if it still does after that drop.
 *
 * Example: South leads by 2, needs 5 and can take the last ring, worth 5, with a knight that holds 1 point. North
 * attacks that square, and no other knight of South's. Taking gives 2 + 5 = 7 points of lead, and North's capture
 * costs 2 * (1 + 5) = 12: the result is -5. South looks at its captures. */
#ifndef RINGFEN_RINGS_LAST_RING_H
#define RINGFEN_RINGS_LAST_RING_H

#include "rings/solver/moves.h"

/* The most points of North's holders' captures in its last turn (K10), and of South's knights that are captured so. */
static inline int kr_last_capture(const kr_state *s)
{
    return kr_max_held(s, kr_attacked(s, KR_NORTH, 0) & s->knights[KR_SOUTH]);
}

enum { KR_STOPPED = -1000 }; /* in place of a lead */

/* With one free ring: a lower bound of the mover's final lead if it is enough, else an upper bound. `lead`:
 * the mover's points minus the other side's now. KR_STOPPED if the control stopped. */
RF_PRIVATE int kr_search_last_ring(const kr_question *q, const kr_state *s, int lead);

/* The attacker's answer with one free ring, with or without bare knights, if taking the ring decides it; else
 * KR_UNDECIDED. */
RF_PRIVATE int kr_answer_last_ring(const kr_question *q, const kr_state *s);

#endif
