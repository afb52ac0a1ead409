/* Limits, polling and cancellation for anything that takes long. */
#ifndef RINGFEN_CONTROL_H
#define RINGFEN_CONTROL_H

#include "game.h"

double rf_now(void); /* seconds of a monotonic clock */
/* Clock, cancel flag, poll. Sets control->stopped. */
void rf_control_check(rf_control *control);

/* Counts one node; true if the call must stop now. A node limit is exact: that many nodes are visited, no more. */
static inline bool rf_tick(rf_control *control)
{
    if (RF_UNLIKELY(control->nodes >= control->next_check)) {
        rf_control_check(control);
        if (control->stopped != RF_DONE)
            return true;
    }
    control->nodes++;
    return false;
}

#endif
