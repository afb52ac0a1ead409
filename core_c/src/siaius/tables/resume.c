/* Generator of endgame tables: resumes a build that another process began.
 *
 * Idea: a checkpoint is a phase, a stone, a level, the number of rows done, and the memory that belongs to them. In the
 * middle of a step the rows that are done do not change before its end. A level changes nothing until its end, so it
 * restarts from its beginning.
 *
 * Invariants: everything that follows from the rest is recomputed, not saved; a damaged file can give wrong values,
 * never an access outside an array (si_tb_build_resume checks the numbers, finish_resuming masks the rows).
 *
 * Example: a build stops during the exits with 500 rows done. The checkpoint is {phase SI_TB_EXITS, done 500}; the
 * parts are the scores, safe squares and levels of these rows. The next build continues at row 500. */
#include "siaius/tables/build.h"

/* The number of rows of a phase that belong to a checkpoint. */
static uint64_t rows_of(const rf_tb_checkpoint *c, si_tb_phase phase, uint64_t all)
{
    return c->phase > (uint32_t)phase ? all : c->phase == (uint32_t)phase ? c->done : 0;
}

static uint64_t huffed_rows_of(const si_tb_build *b, const rf_tb_checkpoint *c, unsigned x)
{
    if (c->phase == SI_TB_HUFFS && c->stone != x)
        return c->stone > x ? b->huffed_rows[x] : 0;
    return rows_of(c, SI_TB_HUFFS, b->huffed_rows[x]);
}

bool si_tb_build_checkpoint(const rf_tb_build *build, uint64_t done, rf_tb_checkpoint *c)
{
    const si_tb_build *b = (const si_tb_build *)build;
    *c = (rf_tb_checkpoint){.phase = (uint32_t)b->phase,
                               .stone = b->phase == SI_TB_HUFFS ? b->huffing : 0,
                               .plies = (uint32_t)b->plies,
                               .exit_longest = (uint32_t)__atomic_load_n(&b->exit_longest, __ATOMIC_RELAXED),
                               .longest = b->longest,
                               .done = b->phase == SI_TB_LEVEL ? 0 : done};
    return b->phase > SI_TB_EXITS || (b->phase == SI_TB_EXITS && done > 0);
}

/* The parts of one side: seven arrays, then one per huffed stone. */
enum { PART_SCORES, PART_SAFE, PART_LEVELS, PART_STUCK, PART_ROWS, PART_HUFFED_LEVELS, PART_HUFFED };
enum { PARTS_OF_SIDE = PART_HUFFED + SI_TB_STONES };
_Static_assert(RF_TB_PARTS == 2 * PARTS_OF_SIDE, "both sides have the same parts");

void *si_tb_build_checkpoint_part(const rf_tb_build *build, const rf_tb_checkpoint *c, unsigned part, uint64_t *bytes)
{
    const si_tb_build *b = (const si_tb_build *)build;
    const si_tb_side *h = &b->halves[part / PARTS_OF_SIDE];
    const uint64_t kept = rows_of(c, SI_TB_EXITS, b->kept);
    const unsigned number = part % PARTS_OF_SIDE;
    *bytes = 0;
    if (part / PARTS_OF_SIDE >= si_tb_sides_solved(b) && number != PART_ROWS)
        return NULL;
    switch (number) {
    case PART_SCORES:
        *bytes = kept * b->row_scores * sizeof *h->scores;
        return h->scores;
    case PART_SAFE:
        *bytes = kept * sizeof *h->safe;
        return h->safe;
    case PART_LEVELS:
        *bytes = kept * sizeof *h->levels;
        return h->levels;
    case PART_STUCK:
        *bytes = h->stuck == NULL ? 0 : rows_of(c, SI_TB_STUCK, b->kept) * sizeof *h->stuck;
        return h->stuck;
    case PART_ROWS:
        *bytes = c->phase == SI_TB_LEVEL ? b->rows * sizeof *h->rows : 0;
        return h->rows;
    case PART_HUFFED_LEVELS:
        *bytes = c->phase >= SI_TB_HUFFS ? sizeof h->huffed_levels : 0;
        return (void *)(uintptr_t)h->huffed_levels;
    default:
        break;
    }
    const unsigned x = number - PART_HUFFED;
    if (h->huffed[x] != NULL)
        *bytes = huffed_rows_of(b, c, x) * (x == b->fast ? 1 : b->row_scores) * sizeof *h->huffed[x];
    return h->huffed[x];
}

static bool is_valid(const si_tb_build *b, const rf_tb_checkpoint *c)
{
    if (c->plies >= SI_TB_LAST || c->exit_longest >= SI_TB_LAST || c->longest > c->plies)
        return false;
    switch (c->phase) {
    case SI_TB_EXITS:
        return c->plies == 0 && c->stone == 0 && c->done <= b->kept;
    case SI_TB_HUFFS:
        return c->plies == 0 && b->mixed && c->stone < b->stones && c->done <= b->huffed_rows[c->stone];
    case SI_TB_STUCK:
        return c->plies == 0 && c->stone == 0 && b->stones >= 4 && c->done <= b->kept;
    case SI_TB_LEVEL:
        return c->plies > 0 && c->stone == 0 && c->done == 0;
    default:
        return false;
    }
}

bool si_tb_build_resume(rf_tb_build *build, const rf_tb_checkpoint *c)
{
    si_tb_build *b = (si_tb_build *)build;
    if (b->phase != SI_TB_STARTING || !is_valid(b, c))
        return false;
    si_tb_open_rows(b);
    b->phase = (si_tb_phase)c->phase;
    b->huffing = c->stone;
    b->plies = (int)c->plies;
    b->exit_longest = (int)c->exit_longest;
    b->longest = c->longest;
    b->begin = c->done;
    b->resumed = true;
    return true;
}
