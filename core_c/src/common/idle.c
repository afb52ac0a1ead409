/* The part of waiting for a thread that needs the system. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "common/idle.h"

#include <time.h>

void rf_sleep_briefly(void)
{
    const struct timespec briefly = {0, 100000};
    nanosleep(&briefly, NULL);
}
