/* Endgame tables of Siaius: materials and the index (siaius/tables/index.c), reading and probing
 * (siaius/tables/probe.c), counting (siaius/tables/survey.c), and the generator (siaius/tables/build.c). docs/tables.md says what a file holds.
 *
 * A class holds the positions of one material for the side to move, seen from that side as South, with nothing pending:
 * MISSED and BONUS are "-". It serves the other side by turning the board over, positions with `beats=reverse` by
 * exchanging moons and stars, and, because the circle of capturing has no beginning, each of the three ways to rename
 * the ordinary kinds along it. Where one side has champions alone, no ordinary stone ever captures (S4, S5), so the
 * other's ordinary stones are all suns there, whatever their kinds. */
#ifndef RINGFEN_SIAIUS_TABLES_H
#define RINGFEN_SIAIUS_TABLES_H

#include "siaius/endgame.h"

/* cffi: begin */

enum { SI_TB_STONES = 6 };

/* Stones by kind, four bits each from the top: suns, moons, stars, champions of the side to move, then the other's. */
typedef uint32_t si_material;

/* The material whose class holds these stones: the ordinary kinds are renamed along the circle so that it is the
 * greatest of the three; where one side has champions alone, all of the other's ordinary stones are suns. */
si_material si_material_canonical(si_material m);
/* The same for the other side to move, canonical. */
si_material si_material_swapped(si_material m);

/* Tables of one board and one way of huffing: which classes there are, and where their values stand. */
typedef struct si_tables si_tables;

/* `huff`: 0 turn, 1 stone, 2 off. NULL if memory ran out. */
si_tables *si_tables_new(unsigned files, unsigned ranks, unsigned huff);
void si_tables_free(si_tables *tables);

/* How many entries the class of a canonical material has; 0 if it has too many stones for a table or no memory. */
uint64_t si_tables_entries(unsigned files, unsigned ranks, si_material m);

/* One block-compressed class, as its file says; the memory stays the caller's. The file may change or vanish at any
 * time: each block is checked when it is read. */
typedef struct si_tb_blocks {
    const char *path;
    uint64_t data_at, data_size; /* where the compressed blocks stand in the file */
    uint64_t blocks, block_entries;
    const unsigned char *offsets;   /* blocks + 1 numbers of 8 bytes: where each begins after `data_at` */
    const unsigned char *checksums; /* blocks numbers of 4 bytes: CRC-32 of the compressed block */
} si_tb_blocks;

/* Adds the values of a class; they stay the caller's. `width` is 1 or 2 bytes an entry. False: no such class, too
 * many classes or no memory. */
bool si_tables_add_values(si_tables *tables, si_material m, unsigned width, const void *values);
bool si_tables_add_blocks(si_tables *tables, si_material m, unsigned width, const si_tb_blocks *blocks);

/* ZSTD_decompressDCtx, or a function that does the same: the bytes written, or what is above `room`. */
typedef size_t (*rf_decompress)(void *context, void *out, size_t room, const void *in, size_t size);

/* What one thread needs to read compressed classes. It keeps the blocks that it read last, and a few files open. */
typedef struct si_tb_reader si_tb_reader;
si_tb_reader *si_tb_reader_new(rf_decompress decompress, void *context);
void si_tb_reader_free(si_tb_reader *reader);
/* Keeps about so many blocks of 1,024 bytes from now on (16 at first). False: no memory, and nothing changed. */
bool si_tb_reader_keep(si_tb_reader *reader, uint64_t blocks);

/* Decompresses and checks a whole class into `out`. -1: all blocks are good; else the number of the first block that
 * is damaged or cannot be read. */
int64_t si_tb_unpack(const si_tb_blocks *blocks, uint64_t entries, unsigned width, rf_decompress decompress,
                     void *context, void *out);

enum { SI_TB_FOUND = 0, SI_TB_ABSENT = 1, SI_TB_DAMAGED = 2, SI_TB_TOO_LONG = 3 };
/* The value of a position, pending huffs and bonuses included: *winner 0 for a draw, else the player's number. */
typedef struct si_tb_answer {
    int status; /* SI_TB_* */
    unsigned winner;
    uint32_t distance;
} si_tb_answer;
si_tb_answer si_tables_probe(const si_tables *tables, si_tb_reader *reader, const rf_game *game, const rf_state *s);
/* Many probes of random positions of a class, for timing; gives a checksum of the answers. */
uint64_t si_tables_probe_many(const si_tables *tables, si_tb_reader *reader, si_material m, uint64_t count,
                              uint64_t seed);

/* The position text of an entry; false if two stones share a square in it. `out` has 768 bytes. */
bool si_tables_text(const si_tables *tables, si_material m, uint64_t index, char *out);

/* Checks entries [from, to) of a class against the values of their successors, which the rules of `game` find.
 * All classes concerned must have been added. -1: all are right; else the first that is not. */
int64_t si_tables_verify(const si_tables *tables, si_tb_reader *reader, const rf_game *game, si_material m,
                         uint64_t from, uint64_t to, rf_control *control);

/* The highest bit of an entry of two bytes, set for a loss; the others are the distance. A draw is 0. */
enum { SI_TB_LOSS = 0x8000, SI_TB_VALUES = 0x10000 };
/* Adds to `counts`, which has SI_TB_VALUES numbers, how often each value occurs in the positions among entries
 * [from, to) of a class, as an entry of two bytes holds it. SI_TB_FOUND, SI_TB_ABSENT or SI_TB_DAMAGED. */
int si_tables_count(const si_tables *tables, si_tb_reader *reader, si_material m, uint64_t from, uint64_t to,
                    uint64_t *counts, rf_control *control);
/* The first position with a value among entries [from, to) of a class; *found is `to` if there is none. SI_TB_FOUND,
 * SI_TB_ABSENT or SI_TB_DAMAGED. */
int si_tables_find(const si_tables *tables, si_tb_reader *reader, si_material m, uint64_t from, uint64_t to,
                   unsigned value, uint64_t *found, rf_control *control);

typedef struct si_tb_statistics {
    uint64_t wins, draws, losses; /* of the entries whose stones stand on different squares */
    uint32_t longest_win, longest_loss;
    uint64_t longest_win_at, longest_loss_at;
} si_tb_statistics;

typedef struct si_tb_build si_tb_build;
/* Bytes that building a material together with its swapped one takes, without the classes below it. */
uint64_t si_tb_build_memory(unsigned files, unsigned ranks, si_material m);
/* For a canonical material and its swapped one. Every class below must have been added by si_tables_add_values. NULL if
 * memory ran out. */
si_tb_build *si_tb_build_new(const si_tables *tables, si_material m);

/* Solving goes in steps. The rows of one may be shared out among threads; the next begins when all have been done. */
typedef struct si_tb_step {
    uint64_t rows;              /* 0: it is solved */
    uint64_t begin;             /* those before have been done, by the build that this one goes on from */
    unsigned percent, percent_after; /* about how much is done before and after the step */
} si_tb_step;
/* The next step; SI_TB_FOUND, or SI_TB_ABSENT if a class below is not there, or SI_TB_TOO_LONG if a distance is. */
int si_tb_build_next(si_tb_build *build, si_tb_step *step);
/* Does rows [from, to) of the step. */
void si_tb_build_do(si_tb_build *build, uint64_t from, uint64_t to, rf_control *control);

/* How far a build is. Together with the memory that si_tb_build_part names, another build of the same material over the
 * same classes goes on from there. */
typedef struct si_tb_mark {
    uint32_t phase, stone, plies, exit_longest, longest;
    uint64_t done; /* rows of the step */
} si_tb_mark;
/* The mark in the middle of a step of which rows [0, done) have been done; other threads may be at work on others. False
 * if there is nothing to keep yet. */
bool si_tb_build_mark(const si_tb_build *build, uint64_t done, si_tb_mark *mark);
/* Part number `part` of the memory that belongs to a mark of this build: where it is and how long, which can be 0. */
enum { SI_TB_PARTS = 24 };
void *si_tb_build_part(const si_tb_build *build, const si_tb_mark *mark, unsigned part, uint64_t *bytes);
/* Puts a new build to a mark; false if it cannot be one. Then the parts are to be filled, whatever is in them. */
bool si_tb_build_resume(si_tb_build *build, const si_tb_mark *mark);

uint32_t si_tb_build_longest(const si_tb_build *build);
/* Writes the values of the material (`swapped` false) or its swapped one; false if a value does not fit the width. */
bool si_tb_build_write(const si_tb_build *build, bool swapped, unsigned width, void *out, si_tb_statistics *statistics);
void si_tb_build_free(si_tb_build *build);

/* cffi: end */

/* Values as scores, so that the best is the greatest: a win in d plies, a loss in d plies, a draw. */
enum { SI_TB_LAST = 30000, SI_TB_NO_SCORE = -32768 };
static inline int tb_win_in(int plies) { return SI_TB_LAST - plies; }
static inline int tb_loss_in(int plies) { return plies - SI_TB_LAST; }
static inline int tb_distance(int score) { return score > 0 ? SI_TB_LAST - score : SI_TB_LAST + score; }
/* One ply earlier. */
static inline int tb_older(int score) { return score > 0 ? score - 1 : score < 0 ? score + 1 : 0; }

/* An entry: 0 a draw; below the highest bit the distance, which is set for a loss. */
static inline int tb_score_of(unsigned value, unsigned width)
{
    const unsigned loss = width == 1 ? 0x80 : 0x8000;
    if (value == 0)
        return 0;
    return value & loss ? tb_loss_in((int)(value & (loss - 1))) : tb_win_in((int)value);
}

/* Stones on the board. A square is rank * files + file; `side` is SI_SOUTH or SI_NORTH. */
typedef struct tb_stones {
    unsigned count;
    uint8_t side[SI_TB_STONES], kind[SI_TB_STONES], square[SI_TB_STONES];
} tb_stones;

enum { TB_OWN, TB_ENEMY };

typedef struct tb_group {
    uint8_t side; /* TB_OWN, TB_ENEMY */
    uint8_t kind, count;
    unsigned first, squares; /* its stones stand on squares [first, first + squares) */
    uint64_t sets;           /* ways to choose them */
} tb_group;

typedef struct tb_class {
    si_material material;
    unsigned groups;
    tb_group group[SI_TB_STONES]; /* the first is the leader: only half of its sets, up to the mirror, are kept */
    uint8_t group_of[2][SI_KINDS];
    uint32_t leaders;       /* sets of the leader that are kept */
    uint32_t *leader_of;    /* by set: number of the kept one * 2, + 1 if the board must be mirrored */
    uint32_t *leader_set;   /* by number: the set */
    uint64_t entries;
    unsigned width;         /* bytes of an entry */
    const void *values;     /* NULL if it is compressed */
    si_tb_blocks blocks;
} tb_class;

enum { TB_SLOTS = 4096 }; /* there are 2,584 materials */

/* Ways to rename the ordinary kinds: so many steps along the circle, or all to suns. */
enum { TB_CIRCLE = 3, TB_TO_SUNS = 3 };

struct si_tables {
    unsigned files, ranks, huff, squares;
    uint8_t flipped[SI_SQUARES], mirrored[SI_SQUARES];
    uint32_t choose[SI_SQUARES + 1][SI_TB_STONES + 1];
    unsigned used; /* slots */
    /* By material: the class, and how to rename the kinds. */
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
/* The class that holds a material, and how the kinds are renamed in it; NULL if it was not added. */
const tb_class *tb_find(const si_tables *tables, si_material m, unsigned *renaming);
/* The class of exactly this material, with at least so many entries; NULL if there is none. */
const tb_class *tb_class_of(const si_tables *tables, si_material m, uint64_t entries);
/* The entry of stones seen from `mover`, without those of the bit set `gone`; *of is their class, NULL if absent. */
uint64_t tb_index(const si_tables *tables, const tb_stones *stones, unsigned gone, unsigned mover, const tb_class **of);
/* The stones of an entry, the side to move being South. False if two stand on one square. */
bool tb_unindex(const si_tables *tables, const tb_class *c, uint64_t index, tb_stones *out);
void tb_first_set(unsigned count, uint8_t *squares);
/* The next set of squares in the order of its numbers. */
void tb_next_set(unsigned count, uint8_t *squares);
void tb_set_of(const si_tables *tables, uint64_t number, unsigned count, uint8_t *squares);

/* ---- siaius/tables/probe.c ---- */

/* The score of an entry; false if its block cannot be read. */
bool tb_read_score(si_tb_reader *reader, const tb_class *c, uint64_t index, int *score);

/* Classes whose values were looked up. */
typedef struct tb_used {
    unsigned count;
    si_material material[TB_SLOTS];
} tb_used;

void tb_note_use(tb_used *used, si_material m);

/* A probe on its way through huffs and bonuses: positions whose best ply is looked for. */
typedef struct tb_prober {
    const si_tables *tables;
    si_tb_reader *reader;
    const rf_game *game;
    const si_endgame_rules *rules; /* of `game` */
    tb_used *used;                 /* is told of every class, unless NULL */
} tb_prober;

/* A pass, a promotion, its bonus ply, a huff, and a position that a table holds. */
enum { TB_MOST_PENDING = 6 };
/* The score for the side to move, after at most this many plies; SI_TB_FOUND, or why there is none. */
int tb_probe_state(const tb_prober *p, const rf_state *s, unsigned deeper, int *score);

#endif
