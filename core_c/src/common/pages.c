#define _DEFAULT_SOURCE /* madvise */

#include "common/pages.h"

#include <stdint.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum { PAGE = 4096, LARGE_PAGE = 1 << 21 };

void rf_use_large_pages(void *at, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const size_t before_page = (size_t)(-(uintptr_t)at % PAGE);
    if (bytes >= before_page + 8 * (size_t)LARGE_PAGE)
        madvise((char *)at + before_page, (bytes - before_page) / PAGE * PAGE, MADV_HUGEPAGE);
#else
    (void)at;
    (void)bytes;
#endif
}
