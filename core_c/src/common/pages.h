/* Pages of large arrays: large ones for those that are read in no order, which saves misses in the processor's table of
 * pages, and early ones for those that grow. */
#ifndef RINGFEN_PAGES_H
#define RINGFEN_PAGES_H

#include <stddef.h>

/* Asks for them, where the system has them, for memory that malloc or calloc gave. */
void rf_use_large_pages(void *at, size_t bytes);
/* Has the system give the pages that lie wholly in this memory, where it can, before they are written to. What they hold
 * stays, and other threads may write to them. */
void rf_fetch_pages(void *at, size_t bytes);

#endif
