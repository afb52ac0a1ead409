/* Large pages for memory with random access.
 *
 * Idea: with pages of 4 kB, nearly every access to a table of 100 MB misses the TLB, and a prefetch waits for the page
 * table as a read does. Pages of 2 MB need 512 times fewer entries.
 *
 * Invariant: the contents stay the same, and where the system has no large pages, nothing happens.
 *
 * Example: a table that grows to 96 MB calls rf_use_large_pages before it writes to its new entries. */
#ifndef RINGFEN_PAGES_H
#define RINGFEN_PAGES_H

#include <stddef.h>

/* Asks for large pages for memory that is not written to yet. A page is filled at the first access to it, so this is
 * for memory that will be used as a whole. Has no effect on less than 16 MB. */
void rf_use_large_pages(void *at, size_t bytes);
/* Asks the system to provide pages before they are written to. Other threads may write to them. */
void rf_prefault(void *at, size_t bytes);

#endif
