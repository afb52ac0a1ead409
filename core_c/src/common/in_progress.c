/* Making and freeing what threads of one search tell each other. */
#include "common/in_progress.h"

#include <stdlib.h>

rf_in_progress *rf_in_progress_new(void) { return calloc(1, sizeof(rf_in_progress)); }

void rf_in_progress_free(rf_in_progress *p) { free(p); }
