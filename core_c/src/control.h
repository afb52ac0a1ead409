/* Limits, polling and cancellation for anything that takes long. */
#ifndef RINGFEN_CONTROL_H
#define RINGFEN_CONTROL_H

#include "common/base.h"

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

/* Part of a call gets at most this many nodes of its own. Returns the limit of the whole, for rf_end_part. */
uint64_t rf_begin_part(rf_control *control, uint64_t nodes);
/* Restores the limit of the whole. True if the part ended because its own nodes were used up; the call then goes on. */
bool rf_end_part(rf_control *control, uint64_t whole);

#endif
