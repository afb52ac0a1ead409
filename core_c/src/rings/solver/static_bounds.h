/* Answers for one bare knight and one free ring without a search.
 *
 * Idea: the mover takes the ring at once, or the other side takes it next: with a holder that reaches it or with a
 * knight in hand, if only because the mover has just captured that knight (K7). The points then decide. The bare
 * knight matters only if it is beside the ring or beside a knight that is worth capturing.
 *
 * Invariant: `sure` and the complement of `possible` are proofs; the squares between them need a search.
 *
 * Example: North is to move, needs a lead of 1, is level, and has a holder that reaches the ring. Taking it ends the
 * game (K10) with a lead of at least 1, wherever the bare knight stands: `sure` is all squares. */
#ifndef RINGFEN_RINGS_STATIC_BOUNDS_H
#define RINGFEN_RINGS_STATIC_BOUNDS_H

#include "rings/solver/last_ring.h"

#define KR_ALL_SQUARES ((UINT64_C(1) << KR_SQUARES) - 1)

/* Squares of the bare knight. */
typedef struct kr_square_sets {
    uint64_t succeeds, fails; /* the attacker succeeds, or fails; elsewhere the answer is open */
} kr_square_sets;

/* The bare knight belongs to `owner` and is not on the board of `s`, which has one free ring. */
RF_PRIVATE kr_square_sets kr_find_static_sets(const kr_question *q, const kr_state *s, unsigned owner);
/* Moves of holders and drops, without those that the static bounds decide. */
RF_PRIVATE size_t kr_list_open_progress(const kr_question *q, const kr_state *s, rf_ply *out);
/* The rings and holders that the mover's bare knight can take, without those that the static bounds decide. */
RF_PRIVATE uint64_t kr_open_bare_targets(const kr_question *q, const kr_state *s);

#endif
