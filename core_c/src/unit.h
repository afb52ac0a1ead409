/* Linkage of the files of one game.
 *
 * Idea: GAME/hot.c includes the fast files of a game, so that the compiler inlines across them. It is compiled for each
 * instruction set, the second time through GAME/x86_64_v3.c. The other files (texts, tables) are compiled once.
 * Invariant: each file also compiles by itself, with the prototypes of its game's headers.
 * Example: RF_EXPORT(rf_game_gyges) is rf_game_gyges_base or rf_game_gyges_v3. */
#ifndef RINGFEN_UNIT_H
#define RINGFEN_UNIT_H

/* The suffix of the one symbol that hot.c exports for each instruction set. */
#ifndef RF_ISA
#define RF_ISA _base
#else
#define RF_IS_SECOND_COPY
#endif
#define RF_CAT_(a, b) a##b
#define RF_CAT(a, b) RF_CAT_(a, b)
#define RF_EXPORT(name) RF_CAT(name, RF_ISA)

/* Not exported from the extension module, so calls need no table of addresses. */
#define RF_INTERNAL __attribute__((visibility("hidden")))

/* RF_PRIVATE: called only by other files of the game's hot.c. RF_SHARED: called by other files too, which use the
 * baseline copy. */
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
