/* What a game implements, and the little that everything else may know of it.
 *
 * One folder holds one game. Its main file defines the functions of `rf_game`, named PREFIX + member (gy_generate, ...),
 * includes the templates that are specialised for it (perft.inc, ...), and exports one symbol, its `rf_game`. Search,
 * perft, tables and the Python wrapper reach a game through that table alone and know no game's rules.
 *
 * What must be fast is compiled twice on x86-64 (unit.h): for the baseline and for processors with BMI2, AVX2 and
 * POPCNT; games.c chooses once. */
#ifndef RINGFEN_GAME_H
#define RINGFEN_GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ringfen.h"
#include "unit.h"

#if defined(__GNUC__)
#define RF_MAY_ALIAS __attribute__((may_alias))
#define RF_LIKELY(x) __builtin_expect(!!(x), 1)
#define RF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RF_UNUSED __attribute__((unused))
#else
#error "Ringfen needs GCC or Clang: it uses their bit counting and 128-bit integers"
#endif

struct rf_table; /* common/table.h */
struct rf_margin; /* search/margins.h */
struct rf_margin_way;

/* A position with few stones, as endgame tables take it, with its options brought to those that have tables. */
enum { RF_ENDGAME_STONES = 6 };
typedef struct rf_endgame {
    uint8_t files, ranks, huff, player; /* player: 0 South, 1 North */
    uint8_t stones;
    uint8_t side[RF_ENDGAME_STONES], kind[RF_ENDGAME_STONES], square[RF_ENDGAME_STONES]; /* rank * files + file */
    uint8_t missed; /* bit i: stone i may be taken off before the next ply */
    bool bonus;     /* the turn goes on */
    uint8_t passes;
} rf_endgame;

/* A legal ply of such a position. */
enum { RF_ENDGAME_PLIES = 128, RF_ENDGAME_OTHER = 0xff };
typedef struct rf_endgame_ply {
    rf_ply ply;
    uint8_t stone;  /* all that the ply does is to end the turn with this stone on `square`; RF_ENDGAME_OTHER: more */
    uint8_t square;
} rf_endgame_ply;

/* Every function of a game is pure: it reads the context and the state it is given, writes only where it is told
 * to, allocates nothing and cannot fail but as said. `ctx` is what rf_game.needs_context asks for (a GRAN board),
 * NULL for games without one. States handed in are states that `parse` or `apply` made. */
struct rf_game {
    const char *id;          /* first field of a position, "gyges" */
    const char *start;       /* text of the usual start position */
    uint32_t state_size;     /* bytes of rf_state in use; two states are equal iff these bytes are */
    uint32_t max_plies;      /* no position has more plies */
    uint32_t max_text;       /* longest canonical position text, with its NUL */
    uint32_t max_ply_text;   /* longest ply text (short form), with its NUL */
    uint32_t solver;         /* RF_SOLVER_*: which kind of value the game has. Games of kind RF_SOLVER_CHANCE generate
                              * their plies in the byte order of the short forms */
    bool needs_context;

    /* Fills the game's constant tables; called once, before anything else. NULL: nothing to fill. */
    void (*init)(void);

    /* Reads a position. `text` need not end in NUL and may hold any bytes. False: `*error` says what and where. */
    bool (*parse)(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
    /* Writes the canonical text and a NUL into `out` (max_text bytes); returns its length. */
    size_t (*format)(const void *ctx, const rf_state *s, char *out);

    /* Reads a ply in short or long form and checks that it is legal in `s`. True: `*out` is one that `generate`
     * gives for `s`. False: `*error` has kind RF_SYNTAX or RF_ILLEGAL and says why. */
    bool (*parse_ply)(const void *ctx, const rf_state *s, const char *text, size_t length, rf_parsed_ply *out,
                      rf_error *error);
    /* Writes the short form and a NUL into `out` (max_ply_text bytes); returns its length. */
    size_t (*format_ply)(const void *ctx, const rf_state *s, rf_ply ply, char *out);

    /* All legal plies, each once, in any fixed order, into `out` (max_plies entries); returns how many.
     * A position that is over has none, every other at least one (a pass where the rules ask for it). */
    size_t (*generate)(const void *ctx, const rf_state *s, rf_ply *out);
    /* How many plies `generate` gives. */
    uint64_t (*count)(const void *ctx, const rf_state *s);
    /* The position after a legal ply. `out` is not `s`. Bytes beyond state_size are left alone. */
    void (*apply)(const void *ctx, const rf_state *s, rf_ply ply, rf_state *out);

    int (*outcome)(const void *ctx, const rf_state *s);   /* RF_OUTCOME_* or the winner's player number */
    unsigned (*player)(const void *ctx, const rf_state *s); /* who plays next: 1 South or player 1, 2 North, ... */
    unsigned (*players)(const void *ctx, const rf_state *s); /* how many take part */
    /* Whether the text of the position alone shows that the player's turn has begun (notation.md, move numbers). */
    bool (*mid_turn)(const void *ctx, const rf_state *s);
    /* 0 if the next ply is a decision; else the ply is a chance event and its weight is > 0. */
    bool (*is_chance)(const void *ctx, const rf_state *s);
    uint32_t (*weight)(const void *ctx, const rf_state *s, rf_ply ply);
    uint64_t (*hash)(const void *ctx, const rf_state *s);

    /* perft.inc gives this one. */
    uint64_t (*perft)(const void *ctx, const rf_state *s, unsigned depth, rf_ply *lists, struct rf_table *table,
                      rf_control *control);

    /* ---- optional, for the searches: NULL where a game has nothing to say ---- */

    /* Retrograde analysis and margin search: the margin (South's points minus North's) of a position that is over. */
    int (*score)(const void *ctx, const rf_state *s);

    /* ---- optional, for the search for forced wins (search/forced_wins.h); games of two players ---- */

    /* Bytes of memory in which `wins_soon` and `learn` may keep what helps; zeroed before first use. They never
     * change an answer. */
    uint32_t hints_size;
    /* Whether the player to move wins with the next ply. Exact; the position is not over. */
    bool (*wins_now)(const void *ctx, const rf_state *s);
    /* The greatest number up to `plies` such that a win of `player` within it can differ from one within fewer;
     * 0 if `player` cannot win within `plies`. */
    unsigned (*useful_plies)(const void *ctx, const rf_state *s, unsigned player, unsigned plies);
    /* Whether `player` forces a win within `plies` (which useful_plies has let pass, and wins_now is false): 1 or 0,
     * exact; -1 if the question is too long for a short answer. */
    int (*wins_soon)(const void *ctx, const rf_state *s, unsigned player, unsigned plies, void *hints);
    /* Told that `ply` is what keeps another player from winning within `plies`. */
    void (*learn)(const void *ctx, const rf_state *s, unsigned plies, rf_ply ply, void *hints);
    /* Legal plies into `out`. Those after which another player wins with the next ply may be left out, and of plies
     * that lead to equal positions all but one; `threats` gets for each whether it brings a win nearer, in that the
     * mover then threatens one or otherwise (a hint for their order). Returns how many. The mover does not win at
     * once. */
    size_t (*safe_plies)(const void *ctx, const rf_state *s, rf_ply *out, uint8_t *threats);
    /* How many safe_plies gives, or some number from `enough` on if they are more; a hint. */
    size_t (*count_safe)(const void *ctx, const rf_state *s, size_t enough);

    /* Endgame tables: what tables need to know of a position that is not over. False: it has too many stones. */
    bool (*endgame)(const void *ctx, const rf_state *s, rf_endgame *out);
    /* The other way: a position of these stones with nothing pending. */
    void (*from_endgame)(const void *ctx, const rf_endgame *e, rf_state *out);
    /* What `generate` gives, in any order, for a position of which `endgame` gives e (128 entries are enough); returns
     * how many. *missed: the stones, as bits, that may be taken off after each ply that has a stone. */
    size_t (*endgame_plies)(const void *ctx, const rf_state *s, const rf_endgame *e, rf_endgame_ply *out,
                            uint8_t *missed);

    /* ---- optional, for the search for margins (search/margins.h); games of two players with a score ---- */

    /* No end that can be reached has a score above this or below its negative; at most RF_MOST_MARGIN. */
    int (*widest_margin)(const void *ctx, const rf_state *s);
    /* Whether no position before the ply can come again after it. */
    bool (*margin_progress)(const void *ctx, const rf_state *s, rf_ply ply);
    /* search/threshold.inc gives this one: whether the attacker forces an end on its side of the threshold, 1 or 0;
     * meaningless if control->stopped. The position is not over. */
    int (*margin_attack)(struct rf_margin *search, const void *ctx, const rf_state *s, int threshold,
                         rf_control *control);
    /* Where the game has a better way to some positions: of the bounds of South's margin, bounds[0] < bounds[1], one is
     * brought to its side of a threshold above the lower and not above the upper, or further if that is proven.
     * False, and nothing done, elsewhere; with control->stopped the bounds hold still. May be NULL. */
    bool (*margin_bounds)(struct rf_margin *search, const void *ctx, const rf_state *s, int threshold, int bounds[2],
                          rf_control *control);
    /* Of a position of margin 0, whether no line of best play ends: 1 or 0, or -1 if that cannot be told here. If one
     * does, *way tells where to look for it. May be NULL. */
    int (*margin_endless)(struct rf_margin *search, const void *ctx, const rf_state *s, struct rf_margin_way *way,
                          rf_control *control);
    /* A key that positions between which no progress is made have in common, for `way`; 0 if no position can come again
     * from here on. */
    uint64_t (*margin_board)(const void *ctx, const rf_state *s);

    /* ---- optional, for the search of winning probabilities (search/chance.h) ---- */

    /* For each player (6 bytes at least), plies after which at the earliest they can have won, never too high (255:
     * later than can be said, or never). 0 for a player who has won. */
    void (*soonest)(const void *ctx, const rf_state *s, uint8_t *out);
};

/* Mixes the used bytes of a state; enough for games that keep no incremental hash. */
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
static inline unsigned rf_lowest(uint64_t x) { return (unsigned)__builtin_ctzll(x); }

#endif
