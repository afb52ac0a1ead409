/* Patterns of positions: position texts with wildcards (docs/cli.md, filter --pattern).
 *
 * `?` stands for one square with all that is on it, `*` for a whole field or rank; a `*` at the end stands for all
 * fields that follow, none included.
 * Example: "rings * s 1+? *" is no pattern for a hand, "rings * s 1+0 *" is one: South to move has a knight in hand. In
 * Siaius, "4c5" and "....c....." are the same rank, and "????c?????" is any rank with a champion on its e file. */
#ifndef RINGFEN_PATTERN_H
#define RINGFEN_PATTERN_H

#include "common/base.h"
#include "unit.h"

/* cffi: begin */

/* Whether a position text matches. Both texts end in NUL and have single spaces.
 * `runs`: a number is that many empty squares (rf_game.has_runs). */
bool rf_pattern_matches(const char *pattern, const char *text, bool runs);

/* cffi: end */

#endif
