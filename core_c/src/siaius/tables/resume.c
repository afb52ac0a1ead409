/* Generator of endgame tables: resumes a build that another process began.
 *
 * Idea: a checkpoint is a mark (phase, stone, level, rows done) and the memory that belongs to it. In the middle of a
 * step the rows that are done do not change before its end. A level changes nothing until its end, so it restarts from
 * its beginning.
 *
 * Invariants: everything that follows from the rest is recomputed, not saved; a damaged file can give wrong values,
 * never an access outside an array (si_tb_build_resume checks the mark, finish_resuming masks the rows).
 *
 * Example: a build stops during the exits with 500 rows done. The mark is {phase TB_EXITS, done 500}; the parts are the
 * scores, safe squares and levels of these rows. The next build continues at row 500. */
#include "siaius/tables/build.h"

/* The number of rows of a phase that belong to a mark. */
static uint64_t rows_of(const rf_tb_checkpoint *mark, tb_phase phase, uint64_t all)
{
    return mark->phase > (uint32_t)phase ? all : mark->phase == (uint32_t)phase ? mark->done : 0;
}

static uint64_t huffed_rows_of(const si_tb_build *b, const rf_tb_checkpoint *mark, unsigned x)
{
    if (mark->phase == TB_HUFFS && mark->stone != x)
        return mark->stone > x ? b->huffed_rows[x] : 0;
    return rows_of(mark, TB_HUFFS, b->huffed_rows[x]);
}

bool si_tb_build_checkpoint(const si_tb_build *b, uint64_t done, rf_tb_checkpoint *mark)
{
    *mark = (rf_tb_checkpoint){.phase = (uint32_t)b->phase,
                               .stone = b->phase == TB_HUFFS ? b->huffing : 0,
                               .plies = (uint32_t)b->plies,
                               .exit_longest = (uint32_t)__atomic_load_n(&b->exit_longest, __ATOMIC_RELAXED),
                               .longest = b->longest,
                               .done = b->phase == TB_LEVEL ? 0 : done};
    return b->phase > TB_EXITS || (b->phase == TB_EXITS && done > 0);
}

/* The parts of one side: seven arrays, then one per huffed stone. */
enum { PART_SCORES, PART_SAFE, PART_LEVELS, PART_STUCK, PART_ROWS, PART_HUFFED_LEVELS, PART_HUFFED };
enum { PARTS_OF_SIDE = PART_HUFFED + SI_TB_STONES };
_Static_assert(RF_TB_PARTS == 2 * PARTS_OF_SIDE, "both sides have the same parts");

void *si_tb_build_checkpoint_part(const si_tb_build *b, const rf_tb_checkpoint *mark, unsigned part, uint64_t *bytes)
{
    const tb_side *h = &b->halves[part / PARTS_OF_SIDE];
    const uint64_t kept = rows_of(mark, TB_EXITS, b->kept);
    const unsigned number = part % PARTS_OF_SIDE;
    *bytes = 0;
    if (part / PARTS_OF_SIDE >= tb_sides_solved(b) && number != PART_ROWS)
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
        *bytes = h->stuck == NULL ? 0 : rows_of(mark, TB_STUCK, b->kept) * sizeof *h->stuck;
        return h->stuck;
    case PART_ROWS:
        *bytes = mark->phase == TB_LEVEL ? b->rows * sizeof *h->rows : 0;
        return h->rows;
    case PART_HUFFED_LEVELS:
        *bytes = mark->phase >= TB_HUFFS ? sizeof h->huffed_levels : 0;
        return (void *)(uintptr_t)h->huffed_levels;
    default:
        break;
    }
    const unsigned x = number - PART_HUFFED;
    if (h->huffed[x] != NULL)
        *bytes = huffed_rows_of(b, mark, x) * (x == b->fast ? 1 : b->row_scores) * sizeof *h->huffed[x];
    return h->huffed[x];
}

static bool is_valid(const si_tb_build *b, const rf_tb_checkpoint *mark)
{
    if (mark->plies >= SI_TB_LAST || mark->exit_longest >= SI_TB_LAST || mark->longest > mark->plies)
        return false;
    switch (mark->phase) {
    case TB_EXITS:
        return mark->plies == 0 && mark->stone == 0 && mark->done <= b->kept;
    case TB_HUFFS:
        return mark->plies == 0 && b->mixed && mark->stone < b->stones && mark->done <= b->huffed_rows[mark->stone];
    case TB_STUCK:
        return mark->plies == 0 && mark->stone == 0 && b->stones >= 4 && mark->done <= b->kept;
    case TB_LEVEL:
        return mark->plies > 0 && mark->stone == 0 && mark->done == 0;
    default:
        return false;
    }
}

bool si_tb_build_resume(si_tb_build *b, const rf_tb_checkpoint *mark)
{
    if (b->phase != TB_STARTING || !is_valid(b, mark))
        return false;
    tb_open_rows(b);
    b->phase = (tb_phase)mark->phase;
    b->huffing = mark->stone;
    b->plies = (int)mark->plies;
    b->exit_longest = (int)mark->exit_longest;
    b->longest = mark->longest;
    b->begin = mark->done;
    b->resumed = true;
    return true;
}
