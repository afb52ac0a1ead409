/* Certificates of values in games of two players: strategies that anybody can check with the rules alone.
 *
 * A claim says: from the root, `player` can get a result of at least `at_least`, where the result of a finished game
 * is its margin from that player's view (1, 0 or -1 in games that are only won, drawn or lost) and a game that never
 * ends counts 0. It is proven by a set of positions that holds the root and, with each position, the one after the
 * player's chosen ply if the player decides there, else all that can follow; no finished position among them may fall
 * short. For at_least > 0 the player must also force an end, so every position carries a rank, at most `within` at
 * the root and falling along every edge of the set: a number of plies within which the game ends.
 *
 * The set is written in the order of a breadth-first walk (successors in the byte order of the plies), so positions
 * need not be named: for each unfinished one, in turn, a number: the chosen ply's place in that order (only where the
 * player decides), then (only for at_least > 0) by how much its rank is below the highest that it may have, which is
 * `within` at the root, elsewhere one less than the lowest rank of the positions before it in the walk that lead to
 * it. Each is a LEB128 number. Ranks are written as high as they can be, so most of these differences are 0.
 *
 * A proof may end at leaves: positions whose values come from elsewhere (certificates/leaves.h). They count as finished
 * games do, except that the rank of a position before one is above the number of plies that the leaf still takes.
 *
 * Nothing here is used by a search. */
#ifndef RINGFEN_CERTIFICATE_H
#define RINGFEN_CERTIFICATE_H

#include "certificates/leaves.h"
#include "ringfen.h"

/* cffi: begin */

/* Why a certificate is refused. */
enum {
    RF_CERT_GOOD = 0,
    RF_CERT_SHORT = 1,      /* it ends before every position is treated */
    RF_CERT_LONG = 2,       /* something follows the last position */
    RF_CERT_NUMBER = 3,     /* a number that is too long, or written in more bytes than it needs */
    RF_CERT_PLY = 4,        /* a chosen ply that is not there */
    RF_CERT_RANK = 5,       /* a rank that does not fall */
    RF_CERT_RESULT = 6,     /* a finished game that falls short of the claim */
    RF_CERT_TOO_MANY = 7,   /* more positions than said */
    RF_CERT_UNREAD = 8      /* the value of a leaf cannot be read */
};

/* One walk: a checker reads choices and ranks, a writer is told choices and finds ranks. */
typedef struct rf_walk rf_walk;

/* NULL if memory ran out. `leaves` may be NULL. `most` bounds the number of positions, `memory` the bytes that the walk may take; `within` is
 * of use only to a checker of at_least > 0. */
rf_walk *rf_walk_new(const rf_game *game, const void *ctx, const rf_state *root, unsigned player, int at_least,
                     uint32_t within, rf_leaves *leaves, uint64_t most, uint64_t memory, bool writing);
void rf_walk_free(rf_walk *walk);
/* Positions in the set so far, finished ones left out. */
uint64_t rf_walk_positions(const rf_walk *walk);
/* Writing, after rf_walk_rank: plies to the end if the opponent delays; 0 without ranks. */
uint32_t rf_walk_root_rank(const rf_walk *walk);
/* Whether a position that is not over is in the set or a leaf. */
bool rf_walk_has(const rf_walk *walk, const rf_state *s);
int rf_walk_fault(const rf_walk *walk);

/* Checking: goes on with the next bytes; gives how many were used (a rest of under 10 bytes may be left unless `last`),
 * or -1 if the certificate is refused or control->stopped. control->done counts positions. */
int64_t rf_walk_feed(rf_walk *walk, const unsigned char *bytes, size_t length, bool last, rf_control *control);
/* True if nothing is left to be read. */
bool rf_walk_complete(const rf_walk *walk);

/* Writing: walks on to the next position where the player decides. 1: it is in *out, and rf_walk_choose is due;
 * 0: the walk is complete; -1: fault, memory or control->stopped. */
int rf_walk_next(rf_walk *walk, rf_state *out, rf_control *control);
/* Chooses the ply (as generate gives it); false: no such ply, or a fault. */
bool rf_walk_choose(rf_walk *walk, rf_ply ply);
/* After the walk: finds ranks. Gives the number of positions that have none, since the choices go round in circles.
 * -1 if memory ran out. */
int64_t rf_walk_rank(rf_walk *walk);
/* The bytes of positions from *index on, as many as fit; moves *index on. Gives the number of bytes written. */
size_t rf_walk_write(const rf_walk *walk, uint64_t *index, unsigned char *out, size_t room);

/* cffi: end */

#endif
