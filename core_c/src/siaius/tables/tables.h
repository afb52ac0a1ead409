/* Endgame tables of Siaius (docs/tables.md).
 *
 * Files: index.c numbers positions, probe.c reads and probes tables, survey.c lists their entries, leaves.c serves
 * certificates, verify.c checks values by the rules; rows.c, exits.c, build.c, resume.c and write.c are the generator.
 *
 * Idea: a class contains the positions of one material with the side to move as South and nothing pending: the fields
 * MISSED and BONUS are "-". It also serves the other side to move (the board is turned over), positions with
 * `beats=reverse` (moons and stars are exchanged) and, because the circle of capturing has no beginning (S4), each of
 * the three rotations of the ordinary kinds. If one side has only champions, no ordinary stone ever captures (S4, S5),
 * so all ordinary stones of the other side count as suns.
 *
 * Invariants: an entry is the number of the leader's set of squares (one of each pair of mirror images) and of the set
 * of each other group of like stones, in mixed radix. Entries with two stones on one square exist and hold any value.
 *
 * Example: "siaius 2c/3/S1M s - - 0" has material SMvC, canonical SSvC: two suns against a champion. The leader is the
 * champion on c3; mirrored, it is on a3. */
#ifndef RINGFEN_SIAIUS_TABLES_H
#define RINGFEN_SIAIUS_TABLES_H

#include "certificates/leaves.h"
#include "siaius/endgame.h"

/* cffi: begin */

enum { SI_TB_STONES = 6 };

/* Stones by kind, four bits each from the highest: suns, moons, stars, champions of the side to move, then of the other
 * side. */
typedef uint32_t si_material;

/* The material whose class contains these stones: the greatest of the three rotations of the ordinary kinds. If one
 * side has only champions, all ordinary stones of the other side are suns. */
si_material si_material_canonical(si_material m);
/* The canonical material with the other side to move. */
si_material si_material_swapped(si_material m);

/* The open tables of one board and one value of `huff`. */
typedef struct si_tables si_tables;

/* `huff`: 0 turn, 1 stone, 2 off. NULL if memory ran out. */
si_tables *si_tables_new(unsigned files, unsigned ranks, unsigned huff);
void si_tables_free(si_tables *tables);

/* The number of entries of the class of a canonical material; 0 if it has too many stones or memory ran out. */
uint64_t si_tables_entries(unsigned files, unsigned ranks, si_material m);

/* A class that is compressed in blocks, as in its file; the memory belongs to the caller. The file may change or vanish
 * at any time: each block is checked when it is read. */
typedef struct si_tb_blocks {
    const char *path;
    uint64_t data_at, data_size; /* the compressed blocks in the file */
    uint64_t blocks, block_entries;
    const unsigned char *offsets;   /* blocks + 1 numbers of 8 bytes: the beginning of each, from `data_at` */
    const unsigned char *checksums; /* blocks numbers of 4 bytes: CRC-32 of the compressed block */
} si_tb_blocks;

/* Adds the values of a class; they belong to the caller. `width` is 1 or 2 bytes per entry. False: no such class, too
 * many classes or no memory. */
bool si_tables_add_values(si_tables *tables, si_material m, unsigned width, const void *values);
bool si_tables_add_blocks(si_tables *tables, si_material m, unsigned width, const si_tb_blocks *blocks);

/* ZSTD_decompressDCtx or an equivalent function: returns the bytes written, or a number above `capacity` on an
 * error. */
typedef size_t (*rf_decompress)(void *context, void *out, size_t capacity, const void *in, size_t size);

/* The state of one thread that reads compressed classes: a cache of blocks, and a few open files. */
typedef struct si_tb_reader si_tb_reader;
si_tb_reader *si_tb_reader_new(rf_decompress decompress, void *context);
void si_tb_reader_free(si_tb_reader *reader);
/* Sets the size of the cache to about this many blocks of 1,024 bytes (at first 16). False: no memory, and nothing
 * changed. */
bool si_tb_reader_keep(si_tb_reader *reader, uint64_t blocks);
/* The last class of which a block was damaged or could not be read; 0 if there is none. */
si_material si_tb_reader_damaged(const si_tb_reader *reader);

/* Decompresses and checks a whole class into `out`. Returns -1, or the number of the first block that is damaged or
 * cannot be read. */
int64_t si_tb_unpack(const si_tb_blocks *blocks, uint64_t entries, unsigned width, rf_decompress decompress,
                     void *context, void *out);

enum { SI_TB_FOUND = 0, SI_TB_ABSENT = 1, SI_TB_DAMAGED = 2, SI_TB_TOO_LONG = 3 };
/* The value of a position, pending huffs and bonus plies included. winner: 0 for a draw, else the player's number. */
typedef struct si_tb_answer {
    int status; /* SI_TB_* */
    unsigned winner;
    uint32_t distance;
} si_tb_answer;
si_tb_answer si_tables_probe(const si_tables *tables, si_tb_reader *reader, const rf_game *game, const rf_state *s);
/* Probes random positions of a class, for timing; returns a checksum of the answers. */
uint64_t si_tables_probe_many(const si_tables *tables, si_tb_reader *reader, si_material m, uint64_t count,
                              uint64_t seed);

/* The position text of an entry; false if two stones share a square in it. `out` has 768 bytes. */
bool si_tables_text(const si_tables *tables, si_material m, uint64_t index, char *out);

/* Checks entries [from, to) of a class against the values of their successors, which the rules of `game` find. All
 * classes of successors must have been added. Returns -1, or the first wrong entry. */
int64_t si_tables_verify(const si_tables *tables, si_tb_reader *reader, const rf_game *game, si_material m,
                         uint64_t from, uint64_t to, rf_control *control);

/* In an entry of two bytes the highest bit means a loss and the others are the distance; a draw is 0. */
enum { SI_TB_LOSS = 0x8000, SI_TB_VALUES = 0x10000 };
/* Adds to counts[value] the number of positions with each value among entries [from, to) of a class; values are as in
 * entries of two bytes. SI_TB_FOUND, SI_TB_ABSENT or SI_TB_DAMAGED. */
int si_tables_count(const si_tables *tables, si_tb_reader *reader, si_material m, uint64_t from, uint64_t to,
                    uint64_t *counts, rf_control *control);
/* The first position with a value among entries [from, to) of a class; *found is `to` if there is none. SI_TB_FOUND,
 * SI_TB_ABSENT or SI_TB_DAMAGED. */
int si_tables_find(const si_tables *tables, si_tb_reader *reader, si_material m, uint64_t from, uint64_t to,
                   unsigned value, uint64_t *found, rf_control *control);

typedef struct si_tb_statistics {
    uint64_t wins, draws, losses; /* without entries that have two stones on one square */
    uint32_t longest_win, longest_loss;
    uint64_t longest_win_at, longest_loss_at;
} si_tb_statistics;

typedef struct si_tb_build si_tb_build;
/* The bytes that building a material and its swapped material takes, without the classes below. */
uint64_t si_tb_build_memory(unsigned files, unsigned ranks, si_material m);
/* Builds a canonical material and its swapped material. Every class below must have been added by si_tables_add_values.
 * NULL if memory ran out. */
si_tb_build *si_tb_build_new(const si_tables *tables, si_material m);

/* One step of the build. Threads may share its rows; the next step begins when all rows are done. */
typedef struct si_tb_step {
    uint64_t rows;              /* 0: the build is complete */
    uint64_t begin;             /* rows before it are done, by the build that this one resumes */
    unsigned percent, percent_after; /* estimated progress before and after the step */
} si_tb_step;
/* Begins the next step. SI_TB_FOUND; SI_TB_ABSENT if a class below is missing; SI_TB_TOO_LONG if a distance is too
 * long. */
int si_tb_build_next(si_tb_build *build, si_tb_step *step);
/* Does rows [from, to) of the step. */
void si_tb_build_do(si_tb_build *build, uint64_t from, uint64_t to, rf_control *control);

/* The progress of a build. With the memory that si_tb_build_part returns, another build of the same material over the
 * same classes can resume it. */
typedef struct si_tb_mark {
    uint32_t phase, stone, plies, exit_longest, longest;
    uint64_t done; /* rows of the current step */
} si_tb_mark;
/* The mark for a step of which rows [0, done) are done; other threads may be processing later rows. False if there is
 * nothing to save yet. */
bool si_tb_build_mark(const si_tb_build *build, uint64_t done, si_tb_mark *mark);
/* Part number `part` of the memory that belongs to a mark of this build: its address and length, which can be 0. */
enum { SI_TB_PARTS = 24 };
void *si_tb_build_part(const si_tb_build *build, const si_tb_mark *mark, unsigned part, uint64_t *bytes);
/* Sets a new build to a mark; false if the mark is invalid. The caller then fills the parts; any contents are safe. */
bool si_tb_build_resume(si_tb_build *build, const si_tb_mark *mark);

uint32_t si_tb_build_longest(const si_tb_build *build);
/* Writes the values of the material or, if `swapped`, of its swapped material; false if a value does not fit the
 * width. */
bool si_tb_build_write(const si_tb_build *build, bool swapped, unsigned width, void *out, si_tb_statistics *statistics);
void si_tb_build_free(si_tb_build *build);

/* The leaves of certificates: positions whose values tables contain. Tables and reader belong to the caller. NULL if
 * memory ran out or the game is not Siaius. */
rf_leaves *si_leaves_new(const si_tables *tables, si_tb_reader *reader, const rf_game *game);
void si_leaves_free(rf_leaves *leaves);
/* Whether the value of a position of this class has been looked up. */
bool si_leaves_used(const rf_leaves *leaves, si_material m);

/* cffi: end */

/* Scores: the greatest is the best for the player to move. A win in d plies, a loss in d plies, a draw (0). */
enum { SI_TB_LAST = 30000, SI_TB_NO_SCORE = -32768 };
static inline int tb_win_in(int plies) { return SI_TB_LAST - plies; }
static inline int tb_loss_in(int plies) { return plies - SI_TB_LAST; }
static inline int tb_distance(int score) { return score > 0 ? SI_TB_LAST - score : SI_TB_LAST + score; }
/* The score one ply earlier, for the same player. */
static inline int tb_older(int score) { return score > 0 ? score - 1 : score < 0 ? score + 1 : 0; }

/* The score of an entry of `width` bytes. */
static inline int tb_score_of(unsigned value, unsigned width)
{
    const unsigned loss = width == 1 ? 0x80 : 0x8000;
    if (value == 0)
        return 0;
    return value & loss ? tb_loss_in((int)(value & (loss - 1))) : tb_win_in((int)value);
}

/* Stones on the board. A square is rank * files + file; a side is SI_SOUTH or SI_NORTH. */
typedef struct tb_stones {
    unsigned count;
    uint8_t side[SI_TB_STONES], kind[SI_TB_STONES], square[SI_TB_STONES];
} tb_stones;

enum { TB_OWN, TB_ENEMY };

typedef struct tb_group {
    uint8_t side; /* TB_OWN: the side to move; TB_ENEMY */
    uint8_t kind, count;
    unsigned first, squares; /* its stones are on squares [first, first + squares) */
    uint64_t sets;           /* sets of that many squares */
} tb_group;

typedef struct tb_class {
    si_material material;
    unsigned groups;
    tb_group group[SI_TB_STONES]; /* the first is the leader: of its sets, one of each pair of mirror images is kept */
    uint8_t group_of[2][SI_KINDS];
    uint32_t leaders;       /* sets of the leader that are kept */
    uint32_t *leader_of;    /* by set: number of the kept set * 2, + 1 if the board must be mirrored */
    uint32_t *leader_set;   /* by number: the set */
    uint64_t entries;
    unsigned width;         /* bytes of an entry */
    const void *values;     /* NULL if it is compressed */
    si_tb_blocks blocks;
} tb_class;

enum { TB_SLOTS = 4096 }; /* there are 2,584 materials */

/* Renamings of the ordinary kinds: 0, 1 or 2 steps along the circle, or all to suns. */
enum { TB_CIRCLE = 3, TB_TO_SUNS = 3 };

struct si_tables {
    unsigned files, ranks, huff, squares;
    uint8_t flipped[SI_SQUARES], mirrored[SI_SQUARES];
    uint32_t choose[SI_SQUARES + 1][SI_TB_STONES + 1];
    unsigned used_slots;
    /* Hash table by material: the class, and the renaming that leads there. */
    struct {
        si_material material;
        uint32_t renaming;
        tb_class *of;
    } slots[TB_SLOTS];
};

static inline unsigned tb_count(si_material m, unsigned side, unsigned kind)
{
    return m >> (28 - 16 * side - 4 * kind) & 15;
}

static inline si_material tb_one(unsigned side, unsigned kind)
{
    return (si_material)1 << (28 - 16 * side - 4 * kind);
}

static inline unsigned tb_renamed(unsigned kind, unsigned renaming)
{
    if (kind == SI_CHAMPION)
        return SI_CHAMPION;
    return renaming == TB_TO_SUNS ? 0 : (kind + renaming) % TB_CIRCLE;
}

unsigned tb_stones_of(si_material m, unsigned side);
bool tb_class_init(tb_class *c, const si_tables *tables, si_material m);
void tb_class_free(tb_class *c);
/* The class of a material and the renaming that leads there; NULL if it was not added. */
const tb_class *tb_find(const si_tables *tables, si_material m, unsigned *renaming);
/* The class of exactly this material if it has at least `entries` entries, else NULL. */
const tb_class *tb_class_of(const si_tables *tables, si_material m, uint64_t entries);
/* The entry of the stones without those of the bit set `removed`, `mover` to move; *of is their class, NULL if
 * absent. */
uint64_t tb_index(const si_tables *tables, const tb_stones *stones, unsigned removed, unsigned mover,
                  const tb_class **of);
/* The stones of an entry, South to move. False if two stones are on one square. */
bool tb_unindex(const si_tables *tables, const tb_class *c, uint64_t index, tb_stones *out);
void tb_first_set(unsigned count, uint8_t *squares);
/* The next set of squares in the order of its numbers. */
void tb_next_set(unsigned count, uint8_t *squares);
void tb_set_of(const si_tables *tables, uint64_t number, unsigned count, uint8_t *squares);

/* ---- siaius/tables/probe.c ---- */

/* The score of an entry; false if its block cannot be read. */
bool tb_read_score(si_tb_reader *reader, const tb_class *c, uint64_t index, int *score);

/* The classes whose values were looked up. */
typedef struct tb_used {
    unsigned count;
    si_material material[TB_SLOTS];
} tb_used;

void tb_note_use(tb_used *used, si_material m);

/* What a probe needs. */
typedef struct tb_prober {
    const si_tables *tables;
    si_tb_reader *reader;
    const rf_game *game;
    const si_endgame_rules *rules; /* of `game` */
    tb_used *used;                 /* records every class; may be NULL */
} tb_prober;

/* The longest chain of pending plies: a pass, a promotion, its bonus ply, a huff, and a position of a table. */
enum { TB_MAX_PENDING = 6 };
/* The score for the side to move, at most `depth` pending plies deep. SI_TB_FOUND, SI_TB_ABSENT or SI_TB_DAMAGED. */
int tb_probe_state(const tb_prober *p, const rf_state *s, unsigned depth, int *score);

#endif
