/* Exact fractions from 0 up, with 128-bit numerators and denominators.
 *
 * Invariants: results are reduced; nothing wraps: an operation returns false if its result does not fit.
 * Example: rf_add({1, 3}, {1, 6}, &sum) gives {1, 2}. */
#ifndef RINGFEN_FRACTION_H
#define RINGFEN_FRACTION_H

#include "common/base.h"

__extension__ typedef unsigned __int128 rf_wide;

typedef struct rf_fraction {
    rf_wide num, den; /* den > 0 */
} rf_fraction;

static const rf_fraction rf_zero = {0, 1};
static const rf_fraction rf_one = {1, 1};

/* Numbers as low and high half, as in rf_chances. */
static inline rf_wide rf_join_halves(const uint64_t halves[2]) { return (rf_wide)halves[1] << 64 | halves[0]; }

static inline void rf_split_halves(rf_wide number, uint64_t halves[2])
{
    halves[0] = (uint64_t)number;
    halves[1] = (uint64_t)(number >> 64);
}

static inline uint64_t rf_gcd64(uint64_t a, uint64_t b)
{
    if (a == 0 || b == 0)
        return a | b;
    unsigned shift = rf_lsb(a | b);
    a >>= rf_lsb(a);
    while (b != 0) {
        b >>= rf_lsb(b);
        if (a > b) {
            uint64_t swap = a;
            a = b;
            b = swap;
        }
        b -= a;
    }
    return a << shift;
}

static inline rf_wide rf_gcd(rf_wide a, rf_wide b)
{
    while (b >> 64 != 0 || a >> 64 != 0) {
        if (b == 0)
            return a;
        rf_wide rest = a % b;
        a = b;
        b = rest;
    }
    return rf_gcd64((uint64_t)a, (uint64_t)b);
}

/* The product of two numbers as high and low half. */
static inline void rf_multiply(rf_wide a, rf_wide b, rf_wide *high, rf_wide *low)
{
    rf_wide a0 = (uint64_t)a, a1 = a >> 64, b0 = (uint64_t)b, b1 = b >> 64;
    rf_wide low_low = a0 * b0, middle = a1 * b0 + (low_low >> 64), other = a0 * b1 + (uint64_t)middle;
    *high = a1 * b1 + (middle >> 64) + (other >> 64);
    *low = other << 64 | (uint64_t)low_low;
}

/* Negative, 0 or positive if a is less than, equal to or greater than b. */
static inline int rf_compare(rf_fraction a, rf_fraction b)
{
    if (a.den == b.den)
        return (a.num > b.num) - (a.num < b.num);
    rf_wide left_high = 0, right_high = 0, left, right;
    if (((a.num | a.den | b.num | b.den) >> 64) == 0) {
        left = a.num * b.den;
        right = b.num * a.den;
    } else {
        rf_multiply(a.num, b.den, &left_high, &left);
        rf_multiply(b.num, a.den, &right_high, &right);
    }
    if (left_high != right_high)
        return left_high > right_high ? 1 : -1;
    return (left > right) - (left < right);
}

/* a / b, which must be exact. 128-bit divisions are several times slower than 64-bit ones. */
static inline rf_wide rf_quotient(rf_wide a, rf_wide b)
{
    if (b == 1)
        return a;
    return (a | b) >> 64 == 0 ? (uint64_t)a / (uint64_t)b : a / b;
}

static inline rf_fraction rf_reduced(rf_fraction a)
{
    rf_wide common = rf_gcd(a.num, a.den);
    return (rf_fraction){rf_quotient(a.num, common), rf_quotient(a.den, common)};
}

/* Brings two fractions to one denominator: *left and *right are their numerators. */
static inline bool rf_same_denominator(rf_fraction a, rf_fraction b, rf_wide *left, rf_wide *right, rf_wide *den)
{
    rf_wide common = a.den == b.den ? a.den : rf_gcd(a.den, b.den), factor = rf_quotient(a.den, common);
    return !__builtin_mul_overflow(a.num, rf_quotient(b.den, common), left) &&
           !__builtin_mul_overflow(b.num, factor, right) && !__builtin_mul_overflow(b.den, factor, den);
}

static inline bool rf_add(rf_fraction a, rf_fraction b, rf_fraction *out)
{
    rf_wide left, right, num, den;
    if (!rf_same_denominator(a, b, &left, &right, &den) || __builtin_add_overflow(left, right, &num))
        return false;
    *out = rf_reduced((rf_fraction){num, den});
    return true;
}

/* a - b, which must not be negative. */
static inline bool rf_subtract(rf_fraction a, rf_fraction b, rf_fraction *out)
{
    rf_wide left, right, den;
    if (!rf_same_denominator(a, b, &left, &right, &den))
        return false;
    *out = rf_reduced((rf_fraction){left - right, den});
    return true;
}

static inline bool rf_scale(rf_fraction a, uint64_t factor, rf_fraction *out)
{
    rf_wide common = rf_gcd(a.den, factor), num;
    if (common == 0 || __builtin_mul_overflow(a.num, rf_quotient(factor, common), &num))
        return false;
    *out = (rf_fraction){num, rf_quotient(a.den, common)};
    return true;
}

static inline bool rf_divide(rf_fraction a, uint64_t divisor, rf_fraction *out)
{
    rf_wide den;
    if (__builtin_mul_overflow(a.den, divisor, &den))
        return false;
    *out = rf_reduced((rf_fraction){a.num, den});
    return true;
}

#endif
