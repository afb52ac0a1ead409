/* What a game implements, and the little that everything else may know of it.
 *
 * One folder holds one game. Its main file defines the functions of `rf_game`, named PREFIX + member (gy_generate,
 * ...), includes the templates that are specialised for it (perft.inc, ...), and exports one symbol, its `rf_game`.
 * Search, perft, tables and the Python wrapper reach a game through that table alone and know no game's rules.
 *
 * What must be fast is compiled twice on x86-64 (unit.h): for the baseline and for processors with AVX2, BMI1, BMI2,
 * POPCNT and LZCNT; games.c chooses once. */
#ifndef RINGFEN_GAME_H
#define RINGFEN_GAME_H

#include "common/base.h"
#include "unit.h"

struct rf_table;  /* common/table.h */

/* The interface of a game, in parts: the core (struct rf_game), which every game implements, and optional tables of
 * functions for the searches. A newcomer writes the functions of the core that have no default.
 *
 * Every function is pure: it reads the context and the state it is given, writes only where it is told to, allocates
 * nothing and cannot fail but as said. The searches of rf_margin_part alone are not: they work in the memory of a
 * search and allocate. `ctx` is what rf_game.needs_context asks for (such as a board), NULL for games without one. States
 * handed in are states that `parse` or `apply` made. Player numbers begin at 1 (South, then North). */

/* ---- optional: the search for forced wins (search/forced_wins.h); games of two players. Any member may be NULL.
 * ---- */

typedef struct rf_win_part {
    /* Bytes of memory in which `wins_soon` and `learn` may keep what helps; zeroed before first use, one block for each
     * search and so for each thread. It never changes an answer. */
    uint32_t hints_size;
    /* Whether the player to move wins with the next ply. Exact; the position is not over. */
    bool (*wins_now)(const void *ctx, const rf_state *s);
    /* The largest n <= `plies` for which winning within n plies is not the same as winning within n - 1; 0 if `player`
     * cannot win within `plies`. */
    unsigned (*useful_plies)(const void *ctx, const rf_state *s, unsigned player, unsigned plies);
    /* Whether `player` forces a win within `plies` (which useful_plies has let pass, and wins_now is false): 1 or 0,
     * exact; -1 if the question is too long for a short answer. */
    int (*wins_soon)(const void *ctx, const rf_state *s, unsigned player, unsigned plies, void *hints);
    /* Told that `ply` keeps another player from winning within `plies`. */
    void (*learn)(const void *ctx, const rf_state *s, unsigned plies, rf_ply ply, void *hints);
    /* Legal plies into `out` (max_plies entries). It may leave out plies after which another player wins with the next
     * ply, and all but one of plies that lead to equal positions. threats[i] is 1 if the ply brings a win nearer, a
     * hint for the order of plies. Returns how many. The mover does not win at once. */
    size_t (*safe_plies)(const void *ctx, const rf_state *s, rf_ply *out, uint8_t *threats);
    /* How many plies safe_plies gives, or some number from `enough` on if they are more; a hint. Needs safe_plies. */
    size_t (*count_safe)(const void *ctx, const rf_state *s, size_t enough);
    /* Needs turn_ply. Writes the image of `s` under a symmetry of the game, chosen so that symmetric positions usually
     * share one image, and returns the symmetry's number; 0 if `s` is its own image. A symmetry may exchange the players.
     * Applied to an image it returns 0. */
    unsigned (*turned)(const void *ctx, const rf_state *s, rf_state *out);
    /* What a symmetry makes of a ply, which leads to what it makes of the position. Every symmetry is its own inverse. */
    rf_ply (*turn_ply)(const void *ctx, rf_ply ply, unsigned symmetry);
} rf_win_part;

/* ---- optional: margins; games of two players of kind RF_SOLVER_MARGIN, with at most RF_MARGIN_PLIES plies in a
 * position. Such a game has its own solver, whose search begins with a struct rf_margin. ---- */

struct rf_margin {
    const rf_game *game;
};

typedef struct rf_margin_part {
    /* South's points minus North's, as they are now; the margin if the position is over. */
    int (*score)(const void *ctx, const rf_state *s);
    /* No end that can be reached has a score above this or below its negative; at most RF_MOST_MARGIN. */
    int (*widest)(const void *ctx, const rf_state *s);
    /* Whether no position before the ply can come again after it. */
    bool (*progress)(const void *ctx, const rf_state *s, rf_ply ply);
    /* The solver: ringfen.h says what rf_margin_new and the functions after it do. */
    struct rf_margin *(*new_search)(uint64_t bytes, int helpers);
    void (*free_search)(struct rf_margin *search);
    int (*ask)(struct rf_margin *search, const void *ctx, const rf_state *s, int threshold, rf_control *control);
    void (*solve)(struct rf_margin *search, const void *ctx, const rf_state *s, rf_margin_result *result,
                  rf_control *control);
    void (*help)(struct rf_margin *search, int helper);
    void (*stop_helpers)(struct rf_margin *search);
    uint64_t (*helper_nodes)(const struct rf_margin *search);
    void (*set_groups)(struct rf_margin *search, uint32_t most);
} rf_margin_part;

/* ---- games with chance events, of kind RF_SOLVER_CHANCE. Such a game has its own solver, whose table begins with a
 * struct rf_chance_table. ---- */

struct rf_chance_table {
    const rf_game *game;
};

/* The solver: ringfen.h says what rf_chance_table_new and the functions after it do. */
typedef struct rf_chance_solver {
    struct rf_chance_table *(*new_table)(unsigned players, uint64_t bytes);
    void (*free_table)(struct rf_chance_table *table);
    bool (*share_table)(struct rf_chance_table *table);
    int (*maxn)(const void *ctx, const rf_state *s, unsigned plies, unsigned player, const rf_chances *least,
                struct rf_chance_table *table, rf_control *control, rf_chances *out);
    int (*paranoid)(const void *ctx, const rf_state *s, unsigned plies, unsigned player, bool upper, int question,
                    const rf_chances *limit, struct rf_chance_table *table, rf_control *control, rf_chances *out);
} rf_chance_solver;

typedef struct rf_chance_part {
    /* Runs of equal positions to which the plies of one chance event lead, in their order, at most; not above
     * RF_MOST_CHANCE_RESULTS. */
    uint32_t max_results;
    /* Whether the next ply is a chance event, not a decision. */
    bool (*is_chance)(const void *ctx, const rf_state *s);
    /* The weight of a chance event's ply, above 0; 0 for a decision. */
    uint32_t (*weight)(const void *ctx, const rf_state *s, rf_ply ply);
    const rf_chance_solver *solver;
} rf_chance_part;

/* ---- optional: the kinds of plies that tables of perft counts tell apart ---- */

typedef struct rf_kind_part {
    /* Words for the kinds, at most RF_MOST_PLY_KINDS, and a NULL after the last. */
    const char *const *names;
    /* The kinds of a legal ply: bit i for names[i]. */
    uint32_t (*of_ply)(const void *ctx, const rf_state *s, rf_ply ply);
} rf_kind_part;

/* ---- the core ---- */

struct rf_game {
    const char *id;          /* first field of a position, "gyges" */
    const char *start;       /* text of the usual start position */
    uint32_t state_size;     /* bytes of rf_state in use, at most RF_STATE_SIZE; two states are equal iff these are */
    uint32_t max_plies;      /* no position has more plies; at most RF_MOST_PLIES */
    uint32_t max_text;       /* longest canonical position text, with its NUL; at most RF_MOST_TEXT */
    uint32_t max_ply_text;   /* longest ply text (short form), with its NUL; at most RF_MOST_PLY_TEXT */
    uint32_t solver;         /* RF_SOLVER_*: which kind of value the game has. Games of kind RF_SOLVER_CHANCE generate
                              * their plies in the byte order of the short forms */
    bool needs_context;

    /* Reads a position. `text` need not end in NUL and may hold any bytes. *out is zeroed before the call. False:
     * `*error` has kind RF_SYNTAX or RF_IMPOSSIBLE and says what is wrong and where. Bytes beyond state_size are left
     * alone. */
    bool (*parse)(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
    /* Writes the canonical text and a NUL into `out` (max_text bytes); returns its length. parse reads it as `s`. */
    size_t (*format)(const void *ctx, const rf_state *s, char *out);
    /* Adds all that the text says to *out, which is zeroed but for `players` and `player` (common/describe.h). The
     * phase is "over" if and only if the position is. */
    void (*describe)(const void *ctx, const rf_state *s, rf_description *out);

    /* Reads a ply in short or long form and checks that it is legal in `s`. True: `*out` is one that `generate`
     * gives for `s`. False: `*error` has kind RF_SYNTAX or RF_ILLEGAL and says why. *out is zeroed before the call. */
    bool (*parse_ply)(const void *ctx, const rf_state *s, const char *text, size_t length, rf_parsed_ply *out,
                      rf_error *error);
    /* Writes the short form and a NUL into `out` (max_ply_text bytes); returns its length. parse_ply reads it as
     * `ply`. */
    size_t (*format_ply)(const void *ctx, const rf_state *s, rf_ply ply, char *out);

    /* All legal plies, each once, in any fixed order, into `out` (max_plies entries); returns how many.
     * A position that is over has none, every other at least one (a pass where the rules ask for it). */
    size_t (*generate)(const void *ctx, const rf_state *s, rf_ply *out);
    /* The position after a legal ply. `out` is not `s`. Bytes beyond state_size are left alone. */
    void (*apply)(const void *ctx, const rf_state *s, rf_ply ply, rf_state *out);
    /* RF_OUTCOME_* or the winner's player number. */
    int (*outcome)(const void *ctx, const rf_state *s);
    /* Who acts next, or for whom chance acts; a player number also where the position is over. */
    unsigned (*player)(const void *ctx, const rf_state *s);
    /* perft.inc gives this one: the number of ply sequences of this depth. `lists` has room for `depth` lists. */
    uint64_t (*perft)(const void *ctx, const rf_state *s, unsigned depth, rf_ply *lists, struct rf_table *table,
                      rf_control *control);

    /* ---- with a default; NULL for that ---- */

    /* Fills the game's constant tables; called once, before anything else. Default: nothing to fill. */
    void (*init)(void);
    /* How many plies `generate` gives. Default: it is asked. */
    uint64_t (*count)(const void *ctx, const rf_state *s);
    /* Equal for equal positions, different for different ones but for rare accidents. Default: of the state's bytes. */
    uint64_t (*hash)(const void *ctx, const rf_state *s);
    /* How many take part, 1 to RF_MOST_PLAYERS. Default: 2. */
    unsigned (*players)(const void *ctx, const rf_state *s);
    /* Whether the text of the position alone shows that the player's turn has begun (notation.md, move numbers).
     * Default: never. */
    bool (*mid_turn)(const void *ctx, const rf_state *s);
    /* Writes the position after a null ply of a record (docs/notation.md): the next player is to act. The position is
     * not over and no chance event. False: something is pending, and `*error` says what. Default: there is none. */
    bool (*null_ply)(const void *ctx, const rf_state *s, rf_state *out, rf_error *error);
    /* About how many positions can be reached; 0 if it cannot tell, UINT64_MAX if too many. Default: 0. */
    uint64_t (*reachable)(const void *ctx, const rf_state *s);

    /* ---- optional parts; NULL without ---- */

    const rf_win_part *wins;
    const rf_margin_part *margins;
    const rf_chance_part *chances;
    const rf_kind_part *kinds;
};

/* ---- members with their defaults ---- */

static inline uint64_t rf_hash_of(const rf_game *game, const void *ctx, const rf_state *s)
{
    return game->hash != NULL ? game->hash(ctx, s) : rf_hash_bytes(s, game->state_size);
}

static inline bool rf_at_chance(const rf_game *game, const void *ctx, const rf_state *s)
{
    return game->chances != NULL && game->chances->is_chance(ctx, s);
}

static inline uint32_t rf_weight_of(const rf_game *game, const void *ctx, const rf_state *s, rf_ply ply)
{
    return game->chances != NULL ? game->chances->weight(ctx, s, ply) : 0;
}

static inline bool rf_is_mid_turn(const rf_game *game, const void *ctx, const rf_state *s)
{
    return game->mid_turn != NULL && game->mid_turn(ctx, s);
}

static inline unsigned rf_player_count(const rf_game *game, const void *ctx, const rf_state *s)
{
    return game->players != NULL ? game->players(ctx, s) : 2;
}

#endif
