/* Patterns of positions: position texts with wildcards (docs/cli.md, filter --pattern).
 *
 * `?` stands for one square with all that is on it, `*` for a whole field or rank; a `*` at the end stands for all
 * fields that follow, none included. A pattern is compared square by square and field by field, so that the text of
 * the position is not written.
 * Example: "rings * s 1+? *" is no pattern for a hand, "rings * s 1+0 *" is one: South to move has a knight in hand. In
 * Siaius, "4c5" and "....c....." are the same rank, and "????c?????" is any rank with a champion on its e file. */
#ifndef RINGFEN_PATTERN_H
#define RINGFEN_PATTERN_H

#include "game.h"
#include "unit.h"

/* Whether a position matches. `pattern` has single spaces, begins with the id of the game and ends in NUL. */
bool rf_pattern_matches(const rf_game *game, const void *ctx, const rf_state *s, const char *pattern);

#endif
