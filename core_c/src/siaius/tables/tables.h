/* Endgame tables of Siaius (docs/tables.md).
 *
 * Files: index.c numbers positions and has the interface of tables/tables.h, probe.c reads and probes tables, leaves.c
 * serves certificates, verify.c checks values by the rules; rows.c, exits.c, build.c, resume.c and write.c are the
 * generator.
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
#include "tables/tables.h"

/* cffi: begin */

enum { SI_TB_STONES = 6 };

/* Stones by kind, four bits each from the highest: suns, moons, stars, champions of the side to move, then of the other
 * side. */
typedef rf_material si_material;

/* The material whose class contains these stones: the greatest of the three rotations of the ordinary kinds. If one
 * side has only champions, all ordinary stones of the other side are suns. */
si_material si_material_canonical(si_material m);
/* The canonical material with the other side to move. */
si_material si_material_swapped(si_material m);

/* The open tables of one board and one value of `huff`. */
typedef struct si_tables si_tables;
/* NULL if these are tables of another game. */
const si_tables *si_tables_of(const rf_tablebase *tables);

/* The leaves of certificates: positions whose values tables contain. Tables and reader belong to the caller. NULL if
 * memory ran out or the game is not Siaius. */
rf_leaves *si_leaves_new(const si_tables *tables, rf_tb_reader *reader, const rf_game *game);
void si_leaves_free(rf_leaves *leaves);
/* Whether the value of a position of this class has been looked up. */
bool si_leaves_used(const rf_leaves *leaves, si_material m);

/* cffi: end */

/* ---- members of the rf_tablebase_part, which tables/tables.h describes ---- */

/* The variant is the value of `huff`: 0 turn, 1 stone, 2 off. */
rf_tablebase *si_tables_new(unsigned files, unsigned ranks, unsigned huff);
void si_tables_free(rf_tablebase *tables);
/* The value of a position, pending huffs and bonus plies included. */
rf_tb_answer si_tables_probe(const rf_tablebase *tables, rf_tb_reader *reader, const rf_state *s);
bool si_tables_text(const rf_tablebase *tables, rf_material m, uint64_t index, char *out);
int64_t si_tables_verify(const rf_tablebase *tables, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                         rf_control *control);

uint64_t si_tb_build_memory(unsigned files, unsigned ranks, rf_material m);
rf_tb_build *si_tb_build_new(const rf_tablebase *tables, rf_material m);
int si_tb_build_next_step(rf_tb_build *build, rf_tb_step *step);
void si_tb_build_rows(rf_tb_build *build, uint64_t from, uint64_t to, rf_control *control);
bool si_tb_build_checkpoint(const rf_tb_build *build, uint64_t done, rf_tb_checkpoint *checkpoint);
void *si_tb_build_checkpoint_part(const rf_tb_build *build, const rf_tb_checkpoint *checkpoint, unsigned part,
                                  uint64_t *bytes);
bool si_tb_build_resume(rf_tb_build *build, const rf_tb_checkpoint *checkpoint);
uint32_t si_tb_build_longest(const rf_tb_build *build);
bool si_tb_build_write(const rf_tb_build *build, bool swapped, unsigned width, void *out, rf_tb_statistics *statistics);
void si_tb_build_free(rf_tb_build *build);

/* ---- scores ---- */

/* Scores: the greatest is the best for the player to move. A win in d plies, a loss in d plies, a draw (0). */
enum { SI_TB_LAST = 30000, SI_TB_NO_SCORE = -32768 };
static inline int si_tb_win_in(int plies) { return SI_TB_LAST - plies; }
static inline int si_tb_loss_in(int plies) { return plies - SI_TB_LAST; }
static inline int si_tb_distance(int score) { return score > 0 ? SI_TB_LAST - score : SI_TB_LAST + score; }
/* The score one ply earlier, for the same player. */
static inline int si_tb_score_before(int score) { return score > 0 ? score - 1 : score < 0 ? score + 1 : 0; }

/* The score of an entry of `width` bytes. */
static inline int si_tb_score_of(unsigned value, unsigned width)
{
    const unsigned loss = width == 1 ? 0x80 : 0x8000;
    if (value == 0)
        return 0;
    return value & loss ? si_tb_loss_in((int)(value & (loss - 1))) : si_tb_win_in((int)value);
}

/* Stones on the board. A square is rank * files + file; a side is SI_SOUTH or SI_NORTH. */
typedef struct si_tb_stones {
    unsigned count;
    uint8_t side[SI_TB_STONES], kind[SI_TB_STONES], square[SI_TB_STONES];
} si_tb_stones;

enum { SI_TB_OWN, SI_TB_ENEMY };

typedef struct si_tb_group {
    uint8_t side; /* SI_TB_OWN: the side to move; SI_TB_ENEMY */
    uint8_t kind, count;
    unsigned first, squares; /* its stones are on squares [first, first + squares) */
    uint64_t sets;           /* sets of that many squares */
} si_tb_group;

typedef struct si_tb_class {
    rf_tb_source source; /* the first member: a pointer to one is a pointer to the other */
    si_material material;
    unsigned groups;
    /* The first is the leader: one of each pair of mirror images of its sets is kept. */
    si_tb_group group[SI_TB_STONES];
    uint8_t group_of[2][SI_KINDS];
    uint32_t leaders;       /* sets of the leader that are kept */
    uint32_t *leader_of;    /* by set: number of the kept set * 2, + 1 if the board must be mirrored */
    uint32_t *leader_set;   /* by number: the set */
    uint64_t entries;
} si_tb_class;

enum { SI_TB_SLOTS = 4096 }; /* there are 2,584 materials */

/* Renamings of the ordinary kinds: 0, 1 or 2 steps along the circle, or all to suns. */
enum { SI_TB_CIRCLE = 3, SI_TB_TO_SUNS = 3 };

struct si_tables {
    rf_tablebase base; /* the first member: a pointer to one is a pointer to the other */
    unsigned files, ranks, huff, squares;
    uint8_t flipped[SI_SQUARES], mirrored[SI_SQUARES];
    uint32_t choose[SI_SQUARES + 1][SI_TB_STONES + 1];
    unsigned used_slots;
    /* Hash table by material: the class, and the renaming that leads there. */
    struct {
        si_material material;
        uint32_t renaming;
        si_tb_class *class;
    } slots[SI_TB_SLOTS];
};

static inline unsigned si_tb_count(si_material m, unsigned side, unsigned kind)
{
    return m >> (28 - 16 * side - 4 * kind) & 15;
}

static inline si_material si_tb_material_of_stone(unsigned side, unsigned kind)
{
    return (si_material)1 << (28 - 16 * side - 4 * kind);
}

static inline unsigned si_tb_renamed(unsigned kind, unsigned renaming)
{
    if (kind == SI_CHAMPION)
        return SI_CHAMPION;
    return renaming == SI_TB_TO_SUNS ? 0 : (kind + renaming) % SI_TB_CIRCLE;
}

unsigned si_tb_stones_of(si_material m, unsigned side);
bool si_tb_class_init(si_tb_class *c, const si_tables *tables, si_material m);
void si_tb_class_free(si_tb_class *c);
/* The class of a material and the renaming that leads there; NULL if it was not added. */
const si_tb_class *si_tb_find(const si_tables *tables, si_material m, unsigned *renaming);
/* The class of exactly this material; NULL if it was not added. */
const si_tb_class *si_tb_class_of(const si_tables *tables, si_material m);
/* The entry of the stones without those of the bit set `removed`, `mover` to move; *class is their class, NULL if
 * absent. */
uint64_t si_tb_index(const si_tables *tables, const si_tb_stones *stones, unsigned removed, unsigned mover,
                     const si_tb_class **class);
/* The stones of an entry, South to move. False if two stones are on one square. */
bool si_tb_unindex(const si_tables *tables, const si_tb_class *c, uint64_t index, si_tb_stones *out);
void si_tb_first_set(unsigned count, uint8_t *squares);
/* The next set of squares in the order of its numbers. */
void si_tb_next_set(unsigned count, uint8_t *squares);
void si_tb_set_of(const si_tables *tables, uint64_t number, unsigned count, uint8_t *squares);

/* ---- siaius/tables/probe.c ---- */

/* The score of an entry; false if its block cannot be read. */
bool si_tb_read_score(rf_tb_reader *reader, const si_tb_class *c, uint64_t index, int *score);

/* The classes whose values were looked up. */
typedef struct si_tb_used {
    unsigned count;
    si_material material[SI_TB_SLOTS];
} si_tb_used;

void si_tb_record_use(si_tb_used *used, si_material m);

/* What a probe needs. */
typedef struct si_tb_prober {
    const si_tables *tables;
    rf_tb_reader *reader;
    const rf_game *game;
    const si_endgame_rules *rules; /* of `game` */
    si_tb_used *used;                 /* records every class; may be NULL */
} si_tb_prober;

/* The longest chain of pending plies: a pass, a promotion, its bonus ply, a huff, and a position of a table. */
enum { SI_TB_MAX_PENDING = 6 };
/* The score for the side to move, at most `depth` pending plies deep. RF_TB_FOUND, RF_TB_ABSENT or RF_TB_DAMAGED. */
int si_tb_probe_state(const si_tb_prober *p, const rf_state *s, unsigned depth, int *score);

#endif
