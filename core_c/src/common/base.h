/* Basics of every part of the core: the interface for Python, attributes of the compiler, hashes and bits.
 *
 * Idea: rf_mix folds a 128-bit product; rf_hash_bytes chains it over 16 bytes at a time.
 * Example: rf_popcount(6) is 2, rf_lsb(6) is 1. */
#ifndef RINGFEN_BASE_H
#define RINGFEN_BASE_H

#include <string.h>

#include "common/searches.h"

#if defined(__GNUC__)
#define RF_MAY_ALIAS __attribute__((may_alias))
#define RF_LIKELY(x) __builtin_expect(!!(x), 1)
#define RF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RF_UNUSED __attribute__((unused))
#else
#error "Ringfen needs GCC or Clang: it uses their bit counting and 128-bit integers"
#endif

/* ---- hashes and bits ---- */

static inline uint64_t rf_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t rf_hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = size;
    while (size >= 16) {
        uint64_t a, b;
        memcpy(&a, at, 8);
        memcpy(&b, at + 8, 8);
        hash = rf_mix(a ^ hash, b);
        at += 16;
        size -= 16;
    }
    if (size > 0) {
        uint64_t tail[2] = {0, 0};
        memcpy(tail, at, size);
        hash = rf_mix(tail[0] ^ hash, tail[1] ^ 0x8ebc6af09c88c6e3u);
    }
    return rf_mix(hash, 0x589965cc75374cc3u);
}

static inline unsigned rf_popcount(uint64_t x) { return (unsigned)__builtin_popcountll(x); }
/* Index of the lowest set bit; x is not 0. */
static inline unsigned rf_lsb(uint64_t x) { return (unsigned)__builtin_ctzll(x); }

#endif
