/* Winning probabilities, exactly: expectation over chance, with every player for themselves (maxn) or all against one
 * (paranoid), for a game broken off after a number of plies. Knows no game. */
#ifndef RINGFEN_CHANCE_SEARCH_H
#define RINGFEN_CHANCE_SEARCH_H

#include "ringfen.h"

/* cffi: begin */

enum { RF_CHANCE_PLAYERS = 6, RF_MAX_HORIZON = 255 };

/* Fractions of one denominator: numerators by player. Each number as low and high half. In a result also the details
 * that its proof has read: it holds for every state with the same base that agrees on them (rf_mask_part). */
typedef struct rf_chances {
    uint64_t den[2];
    uint64_t num[RF_CHANCE_PLAYERS][2];
    uint64_t reads[3];
} rf_chances;

/* Results of the searches. */
enum { RF_CHANCE_STOPPED = -1, RF_CHANCE_BELOW = 0, RF_CHANCE_FOUND = 1 };
/* What rf_chance_paranoid is asked: the probability, or whether it is at least or at most a limit. */
enum { RF_CHANCE_VALUE, RF_CHANCE_AT_LEAST, RF_CHANCE_AT_MOST };

typedef struct rf_chance_table rf_chance_table;

/* Memory of values for one game, context, number of players and kind of search (one player's lower bound is another
 * kind than the upper one). Positions are compared in full, so it never changes an answer. NULL if memory ran out. */
rf_chance_table *rf_chance_table_new(const rf_game *game, unsigned players, uint64_t bytes);
void rf_chance_table_free(rf_chance_table *table);
/* Before searches in more than one thread use the table. False if memory ran out. */
bool rf_chance_table_share(rf_chance_table *table);

/* The earliest win of each of 6 players, in plies, as the game gives it (rf_chance_part.earliest_wins). */
void rf_earliest_wins(const rf_game *game, const void *ctx, const rf_state *s, uint8_t *out);

/* Splits a position into base and details (rf_mask_part; without it the whole state is the base). Returns the size of
 * the base, which is written to `base` (RF_STATE_SIZE bytes). */
uint32_t rf_split_state(const rf_game *game, const void *ctx, const rf_state *s, uint8_t *base, uint64_t details[3]);

enum { RF_READS_PLY, RF_READS_LIST, RF_READS_THROUGH };
/* Adds to `reads` the details that a proof reads which uses this ply, all plies, or all plies and their order up to
 * this one. */
void rf_add_reads(const rf_game *game, const void *ctx, const rf_state *s, int rests_on, rf_ply ply, uint64_t reads[3]);

/* The player who can force a win, or 0 (rf_chance_part.sure_winner); whether a player can prevent all wins of the
 * others, and the details that prove it (rf_chance_part.can_prevent_wins). */
unsigned rf_sure_winner(const rf_game *game, const void *ctx, const rf_state *s, unsigned plies);
bool rf_can_prevent_wins(const rf_game *game, const void *ctx, const rf_state *s, unsigned player, unsigned plies,
                    uint64_t reads[3]);

/* Any number of searches can share the limits of one `control`, started before the first by rf_control_start.
 *
 * maxn: every player maximizes their own probability; among equal plies the first in byte order is played.
 * With `player` above 0, `*least` says how much of num[0] that player must reach for the value to matter:
 * RF_CHANCE_BELOW if they reach less. */
int rf_chance_maxn(const rf_game *game, const void *ctx, const rf_state *s, unsigned plies, unsigned player,
                   const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out);

/* paranoid: `player`'s probability with all others against, in out->num[0]; a game not over counts 0, or 1 if
 * `upper`. Or a question about it and the `limit`, with the answer RF_CHANCE_FOUND (yes) or RF_CHANCE_BELOW (no) and
 * `*out` unset. */
int rf_chance_paranoid(const rf_game *game, const void *ctx, const rf_state *s, unsigned plies, unsigned player,
                       bool upper, int question, const rf_chances *limit, rf_chance_table *table, rf_control *control,
                       rf_chances *out);

/* cffi: end */

#endif
