/* Endgame tables of Gygès (docs/tables.md).
 *
 * Files: index.c numbers placements, unmoves.c plays plies backwards, build.c is the generator, probe.c answers from
 * tables, checks them and lists their entries.
 *
 * Idea: rings never leave the game, so each material is a class that needs no other. A class contains the placements of
 * its rings with South to move, no ring on a throne and one conquest left for each player. With North to move, the
 * board is turned.
 * Invariants: an entry is the number of the leader's set of squares (one of each pair of mirror images), then of the
 * set of each other height among the squares that are left, in mixed radix. Every entry is a placement. Two entries
 * are mirror images of each other only if their leaders are their own mirror images.
 * Example: in "112233" the two 1s lead: 324 of 630 sets are kept. 561 sets of the 2s and 496 sets of the 3s follow. */
#ifndef RINGFEN_GYGES_ENDGAME_H
#define RINGFEN_GYGES_ENDGAME_H

#include "gyges/gyges.h"
#include "tables/tables.h"

enum { GY_SQUARES = 36, GY_MAX_OF_HEIGHT = 4, GY_HEIGHTS = 3 };

/* Rings by height, four bits each: 1s, 2s and 3s from the lowest. */
static inline unsigned gy_rings_of(uint32_t material, unsigned height) { return material >> 4 * (height - 1) & 15; }

/* The rings of one height. Their squares are numbered among those that earlier groups leave. */
typedef struct {
    uint8_t height, count;
    uint32_t sets;
    uint8_t (*squares)[GY_MAX_OF_HEIGHT]; /* by set, ascending */
} gy_ring_group;

typedef struct {
    uint32_t material;
    unsigned groups;
    gy_ring_group group[GY_HEIGHTS]; /* the first is the leader */
    uint32_t leaders;                /* sets of the leader that are kept */
    uint32_t *leader_of;  /* by set: number of the kept set * 2, + 1 if the board must be mirrored */
    uint32_t *leader_set; /* by number: the set */
    uint8_t *weight;      /* by number: the placements that an entry stands for, 2 unless the set is its own mirror image */
    uint32_t choose[GY_SQUARES + 1][GY_MAX_OF_HEIGHT + 1];
    uint64_t followers;   /* entries of each kept set */
    uint64_t entries;
} gy_ring_class;

/* Whether these rings can be a class: at least one, at most four of each height. */
RF_PRIVATE bool gy_is_material(uint32_t material);
/* The number of entries of a class, which may have too many for a table. */
RF_PRIVATE uint64_t gy_count_entries(uint32_t material);
/* False if the class has 2^32 or more entries or memory ran out; then nothing needs to be freed. */
RF_PRIVATE bool gy_class_init(gy_ring_class *c, uint32_t material);
RF_PRIVATE void gy_class_free(gy_ring_class *c);
/* The entry of a placement with South to move, and the reverse. */
RF_PRIVATE uint32_t gy_index(const gy_ring_class *c, const gy_rings *r);
RF_PRIVATE void gy_rings_at(const gy_ring_class *c, uint32_t index, gy_rings *out);
RF_PRIVATE uint32_t gy_material_of(const gy_rings *r);

/* The placement with the ranks in reverse order: the board after a ply, turned and mirrored, so that South is to move
 * again. */
static inline gy_rings gy_flipped(const gy_rings *r)
{
    return (gy_rings){__builtin_bswap64(r->low), __builtin_bswap64(r->high)};
}

/* ---- unmoves.c ---- */

/* Calls `visit` with each placement from which South can reach `r` by one ply that ends on a square. A placement may
 * occur several times. */
typedef void (*gy_visit)(void *context, const gy_rings *before);
RF_PRIVATE void gy_visit_before(const gy_rings *r, gy_visit visit, void *context);

/* ---- build.c and probe.c: the functions of the rf_tablebase_part, which tables/tables.h describes ---- */

RF_PRIVATE uint64_t gy_build_memory(unsigned files, unsigned ranks, rf_material m);
RF_PRIVATE rf_tb_build *gy_build_new(const rf_tablebase *tables, rf_material m);
RF_PRIVATE int gy_build_next_step(rf_tb_build *build, rf_tb_step *step);
RF_PRIVATE void gy_build_rows(rf_tb_build *build, uint64_t from, uint64_t to, rf_control *control);
RF_PRIVATE bool gy_build_checkpoint(const rf_tb_build *build, uint64_t done, rf_tb_checkpoint *checkpoint);
RF_PRIVATE void *gy_build_checkpoint_part(const rf_tb_build *build, const rf_tb_checkpoint *checkpoint, unsigned part,
                                          uint64_t *bytes);
RF_PRIVATE bool gy_build_resume(rf_tb_build *build, const rf_tb_checkpoint *checkpoint);
RF_PRIVATE uint32_t gy_build_longest(const rf_tb_build *build);
RF_PRIVATE bool gy_build_write(const rf_tb_build *build, bool swapped, unsigned width, void *out,
                               rf_tb_statistics *statistics);
RF_PRIVATE void gy_build_free(rf_tb_build *build);

RF_PRIVATE rf_tablebase *gy_tables_new(unsigned files, unsigned ranks, unsigned variant);
RF_PRIVATE void gy_tables_free(rf_tablebase *tables);
RF_PRIVATE uint64_t gy_table_entries(unsigned files, unsigned ranks, rf_material m);
RF_PRIVATE bool gy_add_table(rf_tablebase *tables, const rf_tb_source *source);
RF_PRIVATE const rf_tb_source *gy_source(const rf_tablebase *t, rf_material m);
/* Itself, and its mirror image if that has no entry. */
RF_PRIVATE unsigned gy_positions(const rf_tablebase *t, const rf_tb_source *source, uint64_t index);
RF_PRIVATE uint64_t gy_other_side(const rf_tablebase *t, const rf_tb_source *source, uint64_t index,
                                  const rf_tb_source **other);
RF_PRIVATE rf_tb_answer gy_probe(const rf_tablebase *t, rf_tb_reader *reader, const rf_state *s);
RF_PRIVATE bool gy_entry_text(const rf_tablebase *t, rf_material m, uint64_t index, char *out);
RF_PRIVATE int64_t gy_verify(const rf_tablebase *t, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                             rf_control *control);

#endif
