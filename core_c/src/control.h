/* Limits, polling and cancellation of long calls.
 *
 * Idea: rf_tick counts a node; only every few hundred nodes it looks at the clock, the flags and the poll function.
 * Invariant: a node limit is exact.
 * Example: if (rf_tick(control)) return 0; */
#ifndef RINGFEN_CONTROL_H
#define RINGFEN_CONTROL_H

#include "common/base.h"

double rf_now(void); /* seconds of a monotonic clock */
void rf_sleep_briefly(void); /* 0.1 ms */
/* Checks the limits, the flags and the clock, and calls poll. Sets control->stopped if the call must stop. */
void rf_control_check(rf_control *control);

/* Counts one node; true if the call must stop now. */
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

/* Reports that a node of a count, which began with `begin` parts done and has `share` parts, is at child `i` of `count`. */
static inline void rf_report_child(rf_control *control, uint64_t begin, uint64_t share, size_t i, size_t count)
{
    control->done = begin + share * i / count;
    control->share = begin + share * (i + 1) / count - control->done;
}

/* Limits a part of a call to this many nodes. Returns the limit of the call, for rf_restore_node_limit. */
uint64_t rf_set_node_limit(rf_control *control, uint64_t nodes);
/* Restores the limit of the call. True if only the part's limit was reached; the call then continues. */
bool rf_restore_node_limit(rf_control *control, uint64_t outer_limit);

#endif
