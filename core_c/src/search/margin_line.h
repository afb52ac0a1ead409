/* A line of best play, once the margin is known, and whether best play of margin 0 ends. */
#ifndef RINGFEN_MARGIN_LINE_H
#define RINGFEN_MARGIN_LINE_H

#include "search/margins.h"

/* Fills in `endless` and the line of a result whose margin is known. With control->stopped, as far as it got. */
void rf_margin_find_line(rf_margin *m, const void *ctx, const rf_state *s, rf_margin_result *result,
                         rf_control *control);

#endif
