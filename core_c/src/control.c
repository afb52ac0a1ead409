/* The clock, and the checks of a long call that are too slow for every node (control.h).
 *
 * Idea: next_check is the node count of the next check, or of the node limit if that comes first.
 * Example: with a limit of 700 nodes there are checks at node 0, 512 and 700. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */

#include "control.h"

#include <limits.h>
#include <time.h>

enum { NODES_BETWEEN_CHECKS = 512 };
static const double SECONDS_BETWEEN_POLLS = 0.05;

double rf_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void rf_sleep_briefly(void)
{
    const struct timespec briefly = {0, 100000};
    nanosleep(&briefly, NULL);
}

void rf_control_start(rf_control *control)
{
    control->nodes = 0;
    control->done = 0;
    control->total = 0;
    control->depth = 0;
    control->lower = 1;
    control->upper = 0;
    control->shown_depth = UINT_MAX;
    control->share = 0;
    control->stopped = RF_DONE;
    control->started = rf_now();
    control->next_poll = control->started + SECONDS_BETWEEN_POLLS;
    control->next_check = 0;
    control->answered = NULL;
}

void rf_control_check(rf_control *control)
{
    if (control->stopped != RF_DONE)
        return;
    if (control->node_limit != 0 && control->nodes >= control->node_limit) {
        control->stopped = RF_STOPPED_NODES;
        return;
    }
    if (control->cancel != NULL && __atomic_load_n(control->cancel, __ATOMIC_RELAXED) != 0) {
        control->stopped = RF_STOPPED_CANCEL;
        return;
    }
    if (control->answered != NULL && __atomic_load_n(control->answered, __ATOMIC_RELAXED) != 0) {
        control->stopped = RF_STOPPED_ANSWERED;
        return;
    }
    double now = rf_now();
    if (control->seconds > 0 && now - control->started >= control->seconds) {
        control->stopped = RF_STOPPED_TIME;
        return;
    }
    if (control->poll != NULL && now >= control->next_poll) {
        control->next_poll = now + SECONDS_BETWEEN_POLLS;
        if (control->poll(control) != 0) {
            control->stopped = RF_STOPPED_CANCEL;
            return;
        }
    }
    control->next_check = control->nodes + NODES_BETWEEN_CHECKS;
    if (control->node_limit != 0 && control->next_check > control->node_limit)
        control->next_check = control->node_limit;
}

uint64_t rf_set_node_limit(rf_control *control, uint64_t nodes)
{
    uint64_t outer_limit = control->node_limit;
    uint64_t left = outer_limit == 0 ? UINT64_MAX - control->nodes : outer_limit - control->nodes;
    control->node_limit = control->nodes + (nodes < left ? nodes : left);
    control->next_check = 0;
    return outer_limit;
}

bool rf_restore_node_limit(rf_control *control, uint64_t outer_limit)
{
    bool used_up = control->stopped == RF_STOPPED_NODES && (outer_limit == 0 || control->nodes < outer_limit);
    control->node_limit = outer_limit;
    control->next_check = 0;
    if (used_up)
        control->stopped = RF_DONE;
    return used_up;
}
