/* Every game once more, for x86-64 processors with BMI, BMI2, POPCNT and AVX2 (games.c asks the processor). */
#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("popcnt,bmi,bmi2,lzcnt,avx2"))), apply_to = function)
#else
/* Tuned for them too, so that copies of a few hundred bytes are moves of vectors, not `rep movs`, which is slow to
 * start. */
#pragma GCC target("popcnt,bmi,bmi2,lzcnt,avx2,tune=haswell")
#endif

#define RF_ISA _v3

#include "gyges.c"
#include "rings.c"
#include "gran.c"
#include "siaius.c"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int rf_not_x86_64; /* ISO C wants a declaration in every file */
#endif
