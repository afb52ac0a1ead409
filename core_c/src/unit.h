/* How the files of one game belong together.
 *
 * What must be fast is compiled for each instruction set: GAME/hot.c includes those files of the game, so that the
 * compiler sees them at once, and GAME/x86_64_v3.c compiles it for the second time. All else (texts, tables) is
 * compiled once. Each file also compiles alone, with the prototypes of its game's headers. */
#ifndef RINGFEN_UNIT_H
#define RINGFEN_UNIT_H

/* The name of the one symbol of hot.c that is there once for each instruction set. */
#ifndef RF_ISA
#define RF_ISA _base
#else
#define RF_IS_SECOND_COPY
#endif
#define RF_CAT_(a, b) a##b
#define RF_CAT(a, b) RF_CAT_(a, b)
#define RF_EXPORT(name) RF_CAT(name, RF_ISA)

/* Not seen outside the extension module, and so reached without a table of addresses. */
#define RF_INTERNAL __attribute__((visibility("hidden")))

/* RF_PRIVATE: called by other files of the game's hot.c alone. RF_SHARED: called by its texts too, which use the copy
 * for the baseline. */
#if defined(RF_HOT)
#define RF_PRIVATE static
#else
#define RF_PRIVATE RF_INTERNAL
#endif
#if defined(RF_HOT) && defined(RF_IS_SECOND_COPY)
#define RF_SHARED static __attribute__((unused))
#else
#define RF_SHARED RF_INTERNAL
#endif

#endif
