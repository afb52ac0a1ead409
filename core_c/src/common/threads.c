/* The parts of common/threads.h that call the system or allocate. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "common/threads.h"

#include <stdlib.h>
#include <time.h>

void rf_sleep_briefly(void)
{
    const struct timespec briefly = {0, 100000};
    nanosleep(&briefly, NULL);
}

rf_in_progress *rf_in_progress_new(void) { return calloc(1, sizeof(rf_in_progress)); }

void rf_in_progress_free(rf_in_progress *p) { free(p); }
