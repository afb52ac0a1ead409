/* Advises the system about pages (pages.h). */
#define _DEFAULT_SOURCE /* madvise */

#include "common/pages.h"

#include <stdint.h>

#ifdef __linux__
#include <sys/mman.h>

enum { PAGE = 4096, LARGE_PAGE = 1 << 21, MIN_LARGE_PAGES = 8 };

/* Shrinks a piece of memory to its complete pages; returns their bytes. */
static size_t complete_pages(char **at, size_t bytes)
{
    const size_t before_page = (size_t)(-(uintptr_t)*at % PAGE);
    *at += before_page;
    return bytes < before_page ? 0 : (bytes - before_page) / PAGE * PAGE;
}
#endif

void rf_use_large_pages(void *at, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    char *first = at;
    const size_t whole = complete_pages(&first, bytes);
    if (whole >= MIN_LARGE_PAGES * (size_t)LARGE_PAGE)
        madvise(first, whole, MADV_HUGEPAGE);
#else
    (void)at;
    (void)bytes;
#endif
}

void rf_prefault(void *at, size_t bytes)
{
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
    char *first = at;
    const size_t whole = complete_pages(&first, bytes);
    if (whole > 0)
        madvise(first, whole, MADV_POPULATE_WRITE);
#else
    (void)at;
    (void)bytes;
#endif
}
