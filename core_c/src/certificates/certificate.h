/* Certificates of values in games of two players without chance: strategies that can be checked with only the rules
 * (docs/certificates.md).
 *
 * Idea: a claim says that from the root `player` can get a result of at least `at_least`. The result of a finished
 * game is its margin for that player (1, 0 or -1 in games that are only won, drawn or lost); a game that never ends
 * counts 0. The proof is a set of positions: the root, and with each position the one after the chosen ply if the
 * player decides there, otherwise all that can follow. No finished position among them has a lower result. For
 * at_least > 0 the player must also force an end: every position has a rank, at most `within` at the root, that
 * falls along every edge. A rank bounds the plies to the end.
 *
 * The set is written in the order of a breadth-first walk (successors in the byte order of the plies), so positions
 * need no names. For each unfinished position there is the index of the chosen ply in that order (if the player
 * decides), then (for at_least > 0) the difference between its rank and the highest rank that it may have: `within` at
 * the root, otherwise one less than the lowest rank of the earlier positions that lead to it. Each number is a LEB128
 * number. Ranks are written as high as possible, so most differences are 0.
 *
 * A claim may have a horizon (at_least <= 0): a game that is not over after that many plies counts 0. A position then
 * enters the set with the plies that are left, and only if the checker does not see by itself that the player holds
 * the result there: because at most RF_SEARCHED_PLIES plies are left, which it searches, or because the player ends the
 * game with the next ply. The walk is breadth-first, so a position that is already in the set has at least as many
 * plies left.
 *
 * A claim may exclude one first ply of the opponent. The set then begins with the positions after the others.
 *
 * A proof may end at leaves: positions whose values come from elsewhere (certificates/leaves.h). They count as finished
 * games, but the rank of a position before a leaf exceeds the number of plies that the leaf still takes.
 *
 * Example: South wins with the next ply. The certificate of "South gets at least 1 within 1" has one position, the
 * root, with the index of the winning ply and the difference 0.
 *
 * No search uses this file. */
#ifndef RINGFEN_CERTIFICATE_H
#define RINGFEN_CERTIFICATE_H

#include "certificates/leaves.h"
#include "ringfen.h"

/* With this many plies left, or fewer, positions are not in a proof with a horizon. */
enum { RF_SEARCHED_PLIES = 2 };

/* cffi: begin */

/* Why a certificate is rejected. */
enum {
    RF_CERT_GOOD = 0,
    RF_CERT_SHORT = 1,      /* it ends before every position has been processed */
    RF_CERT_LONG = 2,       /* there are bytes after the last position */
    RF_CERT_NUMBER = 3,     /* a number is too long or has more bytes than necessary */
    RF_CERT_PLY = 4,        /* a chosen ply does not exist */
    RF_CERT_RANK = 5,       /* a rank does not fall */
    RF_CERT_RESULT = 6,     /* a finished game has a lower result than claimed */
    RF_CERT_TOO_MANY = 7,   /* more positions than announced */
    RF_CERT_UNREAD = 8      /* the value of a leaf cannot be read */
};

typedef struct rf_claim {
    unsigned player;
    int at_least;
    uint32_t within;    /* at_least > 0: the plies to the end; only a checker uses it */
    int64_t horizon;    /* at_least <= 0: the plies that count, below 2^32 - 1; -1: all */
    bool excludes;      /* whether the first ply is not `excluded`; the opponent plays it */
    rf_ply excluded;
} rf_claim;

/* A certificate in progress: a checker reads choices and ranks; a writer is given choices and computes ranks. Both walk
 * over the positions breadth-first. */
typedef struct rf_certificate rf_certificate;

/* NULL if memory ran out. `leaves` may be NULL, and is not used if the claim has a horizon. `memory` limits the bytes
 * in use. */
rf_certificate *rf_certificate_new(const rf_game *game, const void *ctx, const rf_state *root, const rf_claim *claim,
                                   rf_leaves *leaves, uint64_t max_positions, uint64_t memory, bool writing);
void rf_certificate_free(rf_certificate *certificate);
/* The number of unfinished positions so far. */
uint64_t rf_certificate_positions(const rf_certificate *certificate);
/* Writing, after rf_certificate_compute_ranks: the longest number of plies to the end; 0 without ranks. */
uint32_t rf_certificate_root_rank(const rf_certificate *certificate);
/* Whether an unfinished position is in the set or is a leaf. */
bool rf_certificate_contains(const rf_certificate *certificate, const rf_state *s);
int rf_certificate_error(const rf_certificate *certificate);

/* Checking: processes the next bytes. Returns how many it used (fewer than 10 bytes may remain unless `last`), or -1 if
 * the certificate is rejected or control->stopped. control->done counts positions. */
int64_t rf_certificate_check(rf_certificate *certificate, const unsigned char *bytes, size_t length, bool last,
                             rf_control *control);
/* Whether every position has been checked. */
bool rf_certificate_is_complete(const rf_certificate *certificate);

/* Writing: walks to the next position where the player decides. 1: it is *out, and rf_certificate_choose must follow;
 * 0: the walk is complete; -1: error, no memory or control->stopped. */
int rf_certificate_next_decision(rf_certificate *certificate, rf_state *out, rf_control *control);
/* With a horizon: the plies left at this position. */
uint32_t rf_certificate_plies_left(const rf_certificate *certificate);
/* Chooses a ply (as generate returns it). False: there is no such ply, an error, or control->stopped. */
bool rf_certificate_choose(rf_certificate *certificate, rf_ply ply, rf_control *control);
/* After the walk: computes ranks. Returns the number of positions without a rank, because the choices form cycles; -1
 * if memory ran out. */
int64_t rf_certificate_compute_ranks(rf_certificate *certificate);
/* Writes the bytes of positions from *index on, as many as fit, and advances *index. Returns the number of bytes. */
size_t rf_certificate_write(const rf_certificate *certificate, uint64_t *index, unsigned char *out, size_t capacity);

/* cffi: end */

/* ---- numbers: unsigned LEB128, below 2^32 - 1, in the fewest bytes; 300 is AC 02 ---- */

enum { RF_LONGEST_NUMBER = 5 };

/* Reads the number at bytes[*at] and advances *at; returns RF_CERT_GOOD or the error. */
static inline int rf_read_leb128(const unsigned char *bytes, size_t length, size_t *at, uint32_t *out)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < RF_LONGEST_NUMBER; i++) {
        if (*at == length)
            return RF_CERT_SHORT;
        unsigned char byte = bytes[(*at)++];
        number |= (uint64_t)(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0) {
            if ((byte == 0 && i > 0) || number >= UINT32_MAX)
                break;
            *out = (uint32_t)number;
            return RF_CERT_GOOD;
        }
    }
    return RF_CERT_NUMBER;
}

/* Writes a number (at most RF_LONGEST_NUMBER bytes); returns the new end. */
static inline unsigned char *rf_write_leb128(unsigned char *out, uint32_t number)
{
    for (; number >= 0x80; number >>= 7)
        *out++ = (unsigned char)(number | 0x80);
    *out++ = (unsigned char)number;
    return out;
}

#endif
