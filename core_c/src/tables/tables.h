/* Endgame tables of any game (docs/tables.md).
 *
 * Idea: a class is all positions of one material; the game numbers them. A table has the value of each, for the side to
 * move, compressed in blocks. The functions here find the game's own functions in its rf_tablebase_part.
 * Invariant: a value is 0 for a draw, else the distance in plies, with the highest bit set for a loss.
 * Example: 5 is a win in 5 plies; 0x84 in one byte, 0x8004 in two, is a loss in 4. */
#ifndef RINGFEN_TABLES_H
#define RINGFEN_TABLES_H

#include "game.h"

/* cffi: begin */

/* The material of a class; each game has its own numbers. */
typedef uint32_t rf_material;

/* Whether this is the number of a class. */
bool rf_is_class(const rf_game *game, rf_material m);
/* The class with the other side to move, which is built at the same time; `m` itself if there is none. */
rf_material rf_material_swapped(const rf_game *game, rf_material m);
/* The number of entries of a class; 0 if it has too many or memory ran out. */
uint64_t rf_tablebase_entries(const rf_game *game, unsigned files, unsigned ranks, rf_material m);

/* The open tables of one game, board and variant. */
typedef struct rf_tablebase rf_tablebase;
/* NULL if memory ran out. */
rf_tablebase *rf_tablebase_new(const rf_game *game, unsigned files, unsigned ranks, unsigned variant);
void rf_tablebase_free(rf_tablebase *tables);

/* A class that is compressed in blocks, as in its file; the memory belongs to the caller. The file may change or vanish
 * at any time: each block is checked when it is read. */
typedef struct rf_tb_blocks {
    const char *path;
    uint64_t data_at, data_size; /* the compressed blocks in the file */
    uint64_t blocks, block_entries;
    const unsigned char *offsets;   /* blocks + 1 numbers of 8 bytes: the beginning of each, from `data_at` */
    const unsigned char *checksums; /* blocks numbers of 4 bytes: CRC-32 of the compressed block */
} rf_tb_blocks;

/* Adds the values of a class; they belong to the caller. `width` is 1 or 2 bytes per entry. False: no such class, too
 * many classes or no memory. */
bool rf_tablebase_add_values(rf_tablebase *tables, rf_material m, unsigned width, const void *values);
bool rf_tablebase_add_blocks(rf_tablebase *tables, rf_material m, unsigned width, const rf_tb_blocks *blocks);

/* ZSTD_decompressDCtx or an equivalent function: returns the bytes written, or a number above `capacity` on an
 * error. */
typedef size_t (*rf_decompress)(void *context, void *out, size_t capacity, const void *in, size_t size);

/* The state of one thread that reads compressed classes: a cache of blocks, and a few open files. */
typedef struct rf_tb_reader rf_tb_reader;
rf_tb_reader *rf_tb_reader_new(rf_decompress decompress, void *context);
void rf_tb_reader_free(rf_tb_reader *reader);
/* Sets the size of the cache to about this many blocks of 1,024 bytes (at first 16). False: no memory, and nothing
 * changed. */
bool rf_tb_reader_resize(rf_tb_reader *reader, uint64_t blocks);
/* The last class of which a block was damaged or could not be read; 0 if there is none. */
rf_material rf_tb_reader_damaged(const rf_tb_reader *reader);

/* Decompresses and checks a whole class into `out`. Returns -1, or the number of the first block that is damaged or
 * cannot be read. */
int64_t rf_tb_unpack(const rf_tb_blocks *blocks, uint64_t entries, unsigned width, rf_decompress decompress,
                     void *context, void *out);

enum { RF_TB_FOUND = 0, RF_TB_ABSENT = 1, RF_TB_DAMAGED = 2, RF_TB_TOO_LONG = 3 };
/* The value of a position. winner: 0 for a draw, else the player's number. */
typedef struct rf_tb_answer {
    int status; /* RF_TB_* */
    unsigned winner;
    uint32_t distance;
} rf_tb_answer;
rf_tb_answer rf_tablebase_probe(const rf_tablebase *tables, rf_tb_reader *reader, const rf_state *s);

/* The position text of an entry; false if the entry contains no position. `out` has RF_MAX_TEXT bytes. */
bool rf_tablebase_entry_text(const rf_tablebase *tables, rf_material m, uint64_t index, char *out);

/* Checks entries [from, to) of a class against the values of their successors, which the rules of the game find. All
 * classes of successors must have been added. Returns -1, or the first wrong entry. */
int64_t rf_tablebase_verify(const rf_tablebase *tables, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                            rf_control *control);

/* In an entry of two bytes the highest bit means a loss and the others are the distance; a draw is 0. */
enum { RF_TB_LOSS = 0x8000, RF_TB_VALUES = 0x10000 };
/* Adds to counts[value] the number of positions with each value among entries [from, to) of a class; values are as in
 * entries of two bytes. RF_TB_FOUND, RF_TB_ABSENT or RF_TB_DAMAGED. */
int rf_tablebase_count_values(const rf_tablebase *tables, rf_tb_reader *reader, rf_material m, uint64_t from,
                              uint64_t to,
                              uint64_t *counts, rf_control *control);
/* Positions that the player to move loses and would not lose as the other player: with the other player to move, that
 * one loses too (full point), or the game is drawn (half point). `longest` is the distance of the longest of these
 * losses, `longest_at` its entry. */
typedef struct rf_tb_zugzwangs {
    uint64_t positions;
    uint32_t longest;
    uint64_t longest_at;
} rf_tb_zugzwangs;
enum { RF_TB_FULL_POINT = 0, RF_TB_HALF_POINT = 1 };
/* Adds the zugzwangs among entries [from, to) of a class to found[RF_TB_FULL_POINT] and found[RF_TB_HALF_POINT]. The
 * swapped class must have been added too. RF_TB_FOUND, RF_TB_ABSENT or RF_TB_DAMAGED. */
int rf_tablebase_zugzwangs(const rf_tablebase *tables, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                           rf_tb_zugzwangs *found, rf_control *control);
/* The first position with a value among entries [from, to) of a class; *found is `to` if there is none. RF_TB_FOUND,
 * RF_TB_ABSENT or RF_TB_DAMAGED. */
int rf_tablebase_find_value(const rf_tablebase *tables, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                            unsigned value, uint64_t *found, rf_control *control);

typedef struct rf_tb_statistics {
    uint64_t wins, draws, losses; /* positions */
    uint32_t longest_win, longest_loss;
    uint64_t longest_win_at, longest_loss_at;
} rf_tb_statistics;

typedef struct rf_tb_build rf_tb_build;
/* The bytes that building a class and its swapped class takes, without the classes below. */
uint64_t rf_tb_build_memory(const rf_game *game, unsigned files, unsigned ranks, rf_material m);
/* Builds a class and its swapped class. Every class below must have been added by rf_tablebase_add_values. NULL if
 * memory ran out. */
rf_tb_build *rf_tb_build_new(const rf_tablebase *tables, rf_material m);

/* One step of the build. Threads may share its rows; the next step begins when all rows are done. */
typedef struct rf_tb_step {
    uint64_t rows;              /* 0: the build is complete */
    uint64_t begin;             /* rows before it are done, by the build that this one resumes */
    unsigned percent, percent_after; /* estimated progress before and after the step */
} rf_tb_step;
/* Begins the next step. RF_TB_FOUND; RF_TB_ABSENT if a class below is missing; RF_TB_TOO_LONG if a distance is too
 * long. */
int rf_tb_build_next_step(rf_tb_build *build, rf_tb_step *step);
/* Does rows [from, to) of the step. */
void rf_tb_build_rows(rf_tb_build *build, uint64_t from, uint64_t to, rf_control *control);

/* The progress of a build. With the memory that rf_tb_build_checkpoint_part returns, another build of the same material
 * over the same classes can resume it. */
typedef struct rf_tb_checkpoint {
    uint32_t phase, stone, plies, exit_longest, longest;
    uint64_t done; /* rows of the current step */
} rf_tb_checkpoint;
/* The checkpoint of a step of which rows [0, done) are done; other threads may be processing later rows. False if there
 * is nothing to save yet. */
bool rf_tb_build_checkpoint(const rf_tb_build *build, uint64_t done, rf_tb_checkpoint *checkpoint);
/* Part number `part` of the memory that belongs to a checkpoint of this build: its address and length, which can be
 * 0. */
enum { RF_TB_PARTS = 24 };
void *rf_tb_build_checkpoint_part(const rf_tb_build *build, const rf_tb_checkpoint *checkpoint, unsigned part,
                                  uint64_t *bytes);
/* Sets a new build to a checkpoint; false if it is invalid. The caller then fills the parts; any contents are safe. */
bool rf_tb_build_resume(rf_tb_build *build, const rf_tb_checkpoint *checkpoint);

uint32_t rf_tb_build_longest(const rf_tb_build *build);
/* Writes the values of the class or, if `swapped`, of its swapped class; false if a value does not fit the width. */
bool rf_tb_build_write(const rf_tb_build *build, bool swapped, unsigned width, void *out, rf_tb_statistics *statistics);
void rf_tb_build_free(rf_tb_build *build);

/* cffi: end */

/* What the tables and builds of each game begin with. */
struct rf_tablebase {
    const rf_game *game;
};
struct rf_tb_build {
    const rf_game *game;
};

/* The values of a class. */
typedef struct rf_tb_source {
    rf_material material;
    uint64_t entries;
    unsigned width;     /* bytes of an entry */
    const void *values; /* NULL if it is compressed */
    rf_tb_blocks blocks;
} rf_tb_source;

/* The functions of a game with tables. Those without a comment are described above; the caller sets `game` of the tables
 * and builds that they return. */
typedef struct rf_tablebase_part {
    bool (*is_class)(rf_material m);
    rf_material (*swapped)(rf_material m);
    uint64_t (*entries)(unsigned files, unsigned ranks, rf_material m);
    rf_tablebase *(*new_tables)(unsigned files, unsigned ranks, unsigned variant);
    void (*free_tables)(rf_tablebase *tables);
    /* Adds a copy of the source, whose number of entries the game sets. False: no such class, it was added before, too
     * many classes or no memory. */
    bool (*add)(rf_tablebase *tables, const rf_tb_source *source);
    /* The source of exactly this class; NULL if it was not added. */
    const rf_tb_source *(*source)(const rf_tablebase *tables, rf_material m);
    /* The number of positions that an entry of an added source stands for; 0 if it contains none. */
    unsigned (*positions)(const rf_tablebase *tables, const rf_tb_source *source, uint64_t index);
    /* The entry of the same position with the other side to move; *other is its source, NULL if it was not added. */
    uint64_t (*other_side)(const rf_tablebase *tables, const rf_tb_source *source, uint64_t index,
                           const rf_tb_source **other);
    rf_tb_answer (*probe)(const rf_tablebase *tables, rf_tb_reader *reader, const rf_state *s);
    bool (*text)(const rf_tablebase *tables, rf_material m, uint64_t index, char *out);
    /* The class has been added and has entries [from, to). */
    int64_t (*verify)(const rf_tablebase *tables, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                      rf_control *control);
    uint64_t (*build_memory)(unsigned files, unsigned ranks, rf_material m);
    rf_tb_build *(*new_build)(const rf_tablebase *tables, rf_material m);
    int (*next_step)(rf_tb_build *build, rf_tb_step *step);
    void (*do_rows)(rf_tb_build *build, uint64_t from, uint64_t to, rf_control *control);
    bool (*checkpoint)(const rf_tb_build *build, uint64_t done, rf_tb_checkpoint *checkpoint);
    void *(*checkpoint_part)(const rf_tb_build *build, const rf_tb_checkpoint *checkpoint, unsigned part,
                             uint64_t *bytes);
    bool (*resume)(rf_tb_build *build, const rf_tb_checkpoint *checkpoint);
    uint32_t (*longest)(const rf_tb_build *build);
    bool (*write)(const rf_tb_build *build, bool swapped, unsigned width, void *out, rf_tb_statistics *statistics);
    void (*free_build)(rf_tb_build *build);
} rf_tablebase_part;

/* A value of one byte in the form of two bytes. */
static inline unsigned rf_tb_widen(unsigned value) { return value & 0x80 ? (value ^ 0x80) | RF_TB_LOSS : value; }

/* Reads the value of an entry, in the form of two bytes; false if its block cannot be read. */
bool rf_tb_read(rf_tb_reader *reader, const rf_tb_source *source, uint64_t index, unsigned *value);

/* Adds a position with a value, as in entries of two bytes, to the statistics. */
static inline void rf_tb_add_to_statistics(rf_tb_statistics *statistics, unsigned value, uint64_t index,
                                           uint64_t positions)
{
    const uint32_t distance = value & (RF_TB_LOSS - 1);
    if (value == 0) {
        statistics->draws += positions;
    } else if (value < RF_TB_LOSS) {
        statistics->wins += positions;
        if (distance > statistics->longest_win) {
            statistics->longest_win = distance;
            statistics->longest_win_at = index;
        }
    } else {
        statistics->losses += positions;
        if (distance > statistics->longest_loss) {
            statistics->longest_loss = distance;
            statistics->longest_loss_at = index;
        }
    }
}

#endif
