/* The interface of a game: what it implements, and all that the rest of the core knows about it.
 *
 * Idea: one folder holds one game, which exports one symbol, its rf_game. This table has the functions that every game
 * implements, and optional tables of functions (parts) for the searches. A new game needs only the functions that have
 * no default. Search, perft, tables and the Python wrapper reach a game only through its rf_game and know no game's
 * rules.
 *
 * Fast files are compiled twice on x86-64 (unit.h): for the baseline and for processors with AVX2, BMI1, BMI2, POPCNT
 * and LZCNT; games.c chooses once.
 *
 * Invariants: every function is pure: it reads only its context and state, writes only to its output parameters,
 * allocates nothing, and fails only as documented. The solvers (rf_margin_part, rf_chance_part) are the exception:
 * they work in the memory of a search and allocate. `ctx` is the context of the game, such as a board; it is NULL
 * unless rf_game.needs_context is set. Every state comes from `parse` or `apply`. Player numbers begin at 1 (South,
 * then North).
 *
 * Example: the functions of Gygès have names of the form gy_ + member. gy_perft comes from the template perft.inc,
 * which gyges.c includes, and is the member `perft` of rf_game_gyges. */
#ifndef RINGFEN_GAME_H
#define RINGFEN_GAME_H

#include "common/base.h"
#include "unit.h"

struct rf_table; /* common/table.h */

/* ---- optional: the search for forced wins (search/forced_wins.h); games of two players. Any member may be NULL.
 * ---- */

typedef struct rf_win_part {
    /* Size in bytes of the memory in which `wins_soon` and `store_refutation` may keep hints. It is zeroed before its
     * first use; each search, and so each thread, has its own. It never changes an answer. */
    uint32_t hints_size;
    /* Whether the player to move wins with the next ply. Exact; the position is not over. */
    bool (*wins_now)(const void *ctx, const rf_state *s);
    /* The largest n <= `plies` for which winning within n plies differs from winning within n - 1; 0 if `player`
     * cannot win within `plies`. */
    unsigned (*useful_plies)(const void *ctx, const rf_state *s, unsigned player, unsigned plies);
    /* Whether `player` forces a win within `plies`: 1 or 0, exact; -1 if the answer needs a longer search. The
     * caller has checked that useful_plies returns `plies` and wins_now is false. */
    int (*wins_soon)(const void *ctx, const rf_state *s, unsigned player, unsigned plies, void *hints);
    /* Stores the hint that `ply` prevents another player from winning within `plies`. */
    void (*store_refutation)(const void *ctx, const rf_state *s, unsigned plies, rf_ply ply, void *hints);
    /* Writes legal plies into `out` (max_plies entries). It may skip plies after which another player wins with the
     * next ply, and plies that lead to the same position as an earlier one. threats[i] is 1 if the ply brings a win
     * nearer; this is a hint for the order of plies. Returns the number of plies. Called only if the mover cannot
     * win at once. */
    size_t (*safe_plies)(const void *ctx, const rf_state *s, rf_ply *out, uint8_t *threats);
    /* An upper bound of the number of plies that safe_plies writes, or any number from `enough` up if the bound is at
     * least `enough`; a hint. Needs safe_plies. */
    size_t (*count_safe)(const void *ctx, const rf_state *s, size_t enough);
    /* Needs map_ply. Writes the canonical image of `s` under a symmetry of the game, which symmetric positions
     * usually share, and returns the number of the symmetry; 0 if `s` is its own image. A symmetry may exchange the
     * players. For a canonical image it returns 0. */
    unsigned (*canonical)(const void *ctx, const rf_state *s, rf_state *out);
    /* The image of a ply under a symmetry: it leads from the image of a position to the image of the next position.
     * Every symmetry is its own inverse. */
    rf_ply (*map_ply)(const void *ctx, rf_ply ply, unsigned symmetry);
} rf_win_part;

/* ---- optional: margins; games of two players of kind RF_SOLVER_MARGIN, with at most RF_MARGIN_PLIES plies in a
 * position. Such a game has its own solver, whose search begins with a struct rf_margin. ---- */

struct rf_margin {
    const rf_game *game;
};

typedef struct rf_margin_part {
    /* South's points now minus North's; the margin if the position is over. */
    int (*score)(const void *ctx, const rf_state *s);
    /* A bound of the absolute score of every end that can be reached; at most RF_MAX_MARGIN. */
    int (*bound)(const void *ctx, const rf_state *s);
    /* Whether no position before the ply can recur after it. */
    bool (*makes_progress)(const void *ctx, const rf_state *s, rf_ply ply);
    /* The number of pieces that no player has taken yet: how much is left to play for. It never increases. */
    unsigned (*pieces_left)(const void *ctx, const rf_state *s);
    /* The solver: searches.h describes rf_margin_new and the functions after it. */
    struct rf_margin *(*new_search)(uint64_t bytes, int helpers);
    void (*free_search)(struct rf_margin *search);
    int (*at_least)(struct rf_margin *search, const void *ctx, const rf_state *s, int threshold, rf_control *control);
    void (*solve)(struct rf_margin *search, const void *ctx, const rf_state *s, rf_margin_result *result,
                  rf_control *control);
    void (*help)(struct rf_margin *search, int helper);
    void (*stop_helpers)(struct rf_margin *search);
    uint64_t (*helper_nodes)(const struct rf_margin *search);
    void (*set_max_groups)(struct rf_margin *search, uint32_t max);
} rf_margin_part;

/* ---- games with chance events, of kind RF_SOLVER_CHANCE. Such a game has its own solver, whose table begins with a
 * struct rf_chance_table. ---- */

struct rf_chance_table {
    const rf_game *game;
};

typedef struct rf_chance_part {
    /* The maximum number of runs of equal positions to which the plies of one chance event lead, in their order; at
     * most RF_MAX_CHANCE_RESULTS. */
    uint32_t max_results;
    /* Whether the next ply is a chance event, not a decision. */
    bool (*is_chance)(const void *ctx, const rf_state *s);
    /* The weight of a chance event's ply, above 0; 0 for a decision. */
    uint32_t (*weight)(const void *ctx, const rf_state *s, rf_ply ply);
    /* The solver: searches.h describes rf_chance_table_new and the functions after it. */
    struct rf_chance_table *(*new_table)(unsigned players, uint64_t bytes);
    void (*free_table)(struct rf_chance_table *table);
    bool (*share_table)(struct rf_chance_table *table);
    int (*maxn)(const void *ctx, const rf_state *s, unsigned plies, unsigned player, const rf_chances *least,
                struct rf_chance_table *table, rf_control *control, rf_chances *out);
    int (*paranoid)(const void *ctx, const rf_state *s, unsigned plies, unsigned player, bool upper, int question,
                    const rf_chances *limit, struct rf_chance_table *table, rf_control *control, rf_chances *out);
} rf_chance_part;

/* ---- optional: the kinds of plies that tables of perft counts distinguish ---- */

typedef struct rf_ply_kind_part {
    /* Words for the kinds, at most RF_MAX_PLY_KINDS, and a NULL after the last. */
    const char *const *names;
    /* The kinds of a legal ply: bit i stands for names[i]. */
    uint32_t (*of_ply)(const void *ctx, const rf_state *s, rf_ply ply);
    /* The kinds that capture, displace or remove a piece; any other ply is quiet. */
    uint32_t noisy;
} rf_ply_kind_part;

/* ---- the core ---- */

struct rf_game {
    const char *id;          /* first field of a position, "gyges" */
    const char *start;       /* text of the usual start position */
    uint32_t state_size;     /* bytes of rf_state in use, at most RF_STATE_SIZE; two states are equal iff these are */
    uint32_t max_plies;      /* no position has more plies; at most RF_MAX_PLIES */
    uint32_t max_text;       /* longest canonical position text, with its NUL; at most RF_MAX_TEXT */
    uint32_t max_ply_text;   /* longest ply text (short form), with its NUL; at most RF_MAX_PLY_TEXT */
    uint32_t solver;         /* RF_SOLVER_*: which kind of value the game has. Games of kind RF_SOLVER_CHANCE generate
                              * their plies in the byte order of the short forms */
    bool needs_context;
    bool has_runs;           /* a number in field 0 of the position text is a run of that many empty squares, each `.` */

    /* Reads a position. `text` need not end in NUL and may hold any bytes. *out is zeroed before the call. If it
     * returns false, `*error` has kind RF_SYNTAX or RF_IMPOSSIBLE, a reason and an offset. Bytes beyond state_size
     * are unchanged. */
    bool (*parse)(const void *ctx, const char *text, size_t length, rf_state *out, rf_error *error);
    /* Writes a field of the canonical text, and no NUL, into `out` (max_text bytes); returns its length. `field` is 0
     * for the first field after the id. If the text has fewer fields, it returns 0. parse reads the id and
     * the fields, with one space between them, as `s`. */
    size_t (*format_field)(const void *ctx, const rf_state *s, unsigned field, char *out);
    /* Adds everything in the position text to *out, which is zeroed except for `players` and `player`
     * (common/describe.h). The phase is "over" if and only if the position is. */
    void (*describe)(const void *ctx, const rf_state *s, rf_description *out);

    /* Reads a ply in short or long form and checks that it is legal in `s`. If it returns true, `*out` is a ply that
     * `generate` lists for `s`. If it returns false, `*error` has kind RF_SYNTAX or RF_ILLEGAL and a reason. *out is
     * zeroed before the call. */
    bool (*parse_ply)(const void *ctx, const rf_state *s, const char *text, size_t length, rf_parsed_ply *out,
                      rf_error *error);
    /* Writes the short form and a NUL into `out` (max_ply_text bytes); returns its length. parse_ply reads it as
     * `ply`. */
    size_t (*format_ply)(const void *ctx, const rf_state *s, rf_ply ply, char *out);

    /* Writes all legal plies, each once, in any fixed order, into `out` (max_plies entries); returns their number. A
     * position that is over has none; any other has at least one (a pass if the rules require it). */
    size_t (*generate)(const void *ctx, const rf_state *s, rf_ply *out);
    /* The position after a legal ply. `out` is not `s`. Bytes beyond state_size are unchanged. */
    void (*apply)(const void *ctx, const rf_state *s, rf_ply ply, rf_state *out);
    /* RF_OUTCOME_* or the winner's player number. */
    int (*outcome)(const void *ctx, const rf_state *s);
    /* The player that acts next, or for whom chance acts; a player number even if the position is over. */
    unsigned (*player)(const void *ctx, const rf_state *s);
    /* The number of ply sequences of this depth; perft.inc defines this function. `lists` has room for `depth`
     * lists. */
    uint64_t (*perft)(const void *ctx, const rf_state *s, unsigned depth, rf_ply *lists, struct rf_table *table,
                      rf_control *control);

    /* ---- members with a default; NULL selects it ---- */

    /* Writes what is on a square of the board, as field 0 shows it, and no NUL, into `out` (max_text bytes). Returns
     * the length. `rank` and `square` count from 0, in the order of the text. Outside the board it returns 0. Default:
     * field 0 is not a board. */
    size_t (*format_square)(const void *ctx, const rf_state *s, unsigned rank, unsigned square, char *out);

    /* Fills the constant tables of the game; called once, before any other function. Default: nothing to fill. */
    void (*init)(void);
    /* Writes a long form of a legal ply that names the places which it passes on a short path, and a NUL, into `out`
     * (RF_MAX_PLY_TEXT bytes); returns its length. Default: the short form. */
    size_t (*format_path)(const void *ctx, const rf_state *s, rf_ply ply, char *out);
    /* The number of plies that `generate` writes. Default: calls `generate`. */
    uint64_t (*count)(const void *ctx, const rf_state *s);
    /* Equal for equal positions; different for different ones, except for rare collisions. Default: a hash of the
     * bytes of the state. */
    uint64_t (*hash)(const void *ctx, const rf_state *s);
    /* The number of players, 1 to RF_MAX_PLAYERS. Default: 2. */
    unsigned (*players)(const void *ctx, const rf_state *s);
    /* Whether the position text shows that the player's turn has begun (notation.md, move numbers). Default: never. */
    bool (*mid_turn)(const void *ctx, const rf_state *s);
    /* Writes the position after a null ply of a record (docs/notation.md): the next player is to act. Called only if
     * the position is neither over nor a chance event. Returns false, with `*error`, if a decision is pending.
     * Default: the game has no null ply. */
    bool (*null_ply)(const void *ctx, const rf_state *s, rf_state *out, rf_error *error);
    /* An estimate of the number of positions that can be reached; 0 if unknown, UINT64_MAX if too many. Default: 0. */
    uint64_t (*reachable)(const void *ctx, const rf_state *s);
    /* Writes the image of `s` under a symmetry of the game: the plies of the image lead to the images of the next
     * positions. Symmetries are numbered from 1; false if there are fewer. Bytes beyond state_size are unchanged.
     * Default: no symmetry. */
    bool (*image)(const void *ctx, const rf_state *s, unsigned symmetry, rf_state *out);

    /* ---- optional parts; NULL if the game does not have them ---- */

    const rf_win_part *wins;
    const rf_margin_part *margins;
    const rf_chance_part *chances;
    const rf_ply_kind_part *kinds;
    const struct rf_tablebase_part *tables; /* tables/tables.h */
};

/* ---- members with their defaults ---- */

/* The member `tables` with this part. The page (docs/page.md) has no files, so it has no tables. */
#if defined(__wasm__)
#define RF_TABLES(part) (0 ? &(part) : NULL)
#else
#define RF_TABLES(part) (&(part))
#endif

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
