/* Large pages for large arrays that are read in no order: fewer misses in the processor's table of pages. */
#ifndef RINGFEN_PAGES_H
#define RINGFEN_PAGES_H

#include <stddef.h>

/* Asks for them, where the system has them, for memory that malloc or calloc gave. */
void rf_use_large_pages(void *at, size_t bytes);

#endif
