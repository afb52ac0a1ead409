/* Solutions as the JSON that `solve --json` prints, except the version and with the bounds of the values after plies.
 *
 * Example: put_solution(&out, game, ctx, &s, &options, &found) writes {"fen":"rings ...","game":"rings",...}. */
#ifndef RINGFEN_WEB_SOLUTION_H
#define RINGFEN_WEB_SOLUTION_H

#include "solving/solving.h"
#include "web/json.h"

/* `with_plies`: also writes the values after all plies. */
void put_solution(rf_json *out, const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options,
                  const rf_solution *solution, bool with_plies);

#endif
