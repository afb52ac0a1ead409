/* Generator of endgame tables: writes the values in the order of their class.
 *
 * Idea: the sets of all groups are enumerated in the order of the index, like an odometer; each group keeps its share
 * of the row number, so one step changes few of them.
 *
 * Example: in SSvC the champion leads; for each of its kept squares all pairs of the suns follow, and each pair is
 * looked up in the row of its squares. */
#include "siaius/tables/build.h"

/* A group of the class, its stones in the build, and its current set. */
typedef struct {
    const si_tb_group *group;
    unsigned first_stone;
    uint8_t squares[SI_TB_STONES];
    uint64_t set;
    uint64_t row;       /* its share of the row number */
    si_set taken;
    unsigned fast_bit;  /* SI_SQUARES if the fast stone is not in this group */
} group_at;

typedef struct {
    const si_tb_build *b;
    unsigned side; /* to move */
    si_tb_class class;
    group_at at[SI_TB_STONES];
} cursor;

static void place_group(cursor *w, group_at *g)
{
    const si_tables *t = w->b->tables;
    g->row = 0;
    g->taken = 0;
    g->fast_bit = SI_SQUARES;
    for (unsigned i = 0; i < g->group->count; i++) {
        const si_tb_stone *s = &w->b->stone[g->first_stone + i];
        unsigned square = g->squares[i] + g->group->first;
        if (w->side == SI_NORTH)
            square = t->flipped[square];
        const unsigned bit = w->b->bit_of[square];
        g->taken |= si_bit(bit);
        if (g->first_stone + i == w->b->fast)
            g->fast_bit = bit;
        else
            g->row += (square - s->first) * s->stride;
    }
}

/* Resets group `i` and all after it to their first sets. */
static void rewind_from(cursor *w, unsigned i)
{
    for (; i < w->class.groups; i++) {
        group_at *g = &w->at[i];
        g->set = 0;
        if (i == 0)
            si_tb_set_of(w->b->tables, w->class.leader_set[0], g->group->count, g->squares);
        else
            si_tb_first_set(g->group->count, g->squares);
        place_group(w, g);
    }
}

/* The next entry; false after the last. */
static bool next_entry(cursor *w)
{
    for (unsigned i = w->class.groups; i-- > 0;) {
        group_at *g = &w->at[i];
        if (++g->set < (i == 0 ? w->class.leaders : g->group->sets)) {
            if (i == 0)
                si_tb_set_of(w->b->tables, w->class.leader_set[g->set], g->group->count, g->squares);
            else
                si_tb_next_set(g->group->count, g->squares);
            place_group(w, g);
            rewind_from(w, i + 1);
            return true;
        }
    }
    return false;
}

static bool start_cursor(cursor *w, const si_tb_build *b, bool swapped)
{
    memset(w, 0, sizeof *w);
    w->b = b;
    w->side = swapped && !b->paired ? SI_NORTH : SI_SOUTH;
    const si_material seen = swapped ? b->material << 16 | b->material >> 16 : b->material;
    const si_material m = si_material_canonical(seen);
    if (!si_tb_class_init(&w->class, b->tables, m))
        return false;
    unsigned turns = 0;
    while (turns < SI_TB_CIRCLE) { /* by how much the kinds of the build are renamed in the class */
        si_material as = 0;
        for (unsigned i = 0; i < b->stones; i++)
            as += si_tb_material_of_stone(b->stone[i].side ^ w->side, si_tb_renamed(b->stone[i].kind, turns));
        if (as == m)
            break;
        turns++;
    }
    for (unsigned i = 0; i < w->class.groups; i++) {
        const si_tb_group *g = &w->class.group[i];
        w->at[i].group = g;
        unsigned first = 0;
        while (b->stone[first].side != (g->side ^ w->side) || si_tb_renamed(b->stone[first].kind, turns) != g->kind)
            first++;
        w->at[i].first_stone = first;
    }
    if (w->class.entries > 0)
        rewind_from(w, 0);
    return true;
}

/* The score of the current entry, SI_TB_NO_SCORE if two stones are on one square. */
static int current_score(const cursor *w)
{
    const si_tb_side *h = &w->b->halves[w->side];
    si_set taken = 0;
    uint64_t row = 0;
    unsigned bit = 0;
    for (unsigned i = 0; i < w->class.groups; i++) {
        const group_at *g = &w->at[i];
        if (taken & g->taken)
            return SI_TB_NO_SCORE;
        taken |= g->taken;
        row += g->row;
        if (g->fast_bit != SI_SQUARES)
            bit = g->fast_bit;
    }
    const si_tb_sets *sets = &h->rows[row];
    const uint64_t mask = UINT64_C(1) << bit % 64;
    if ((sets->open[bit / 64] & mask) != 0 && (sets->lost[bit / 64] & mask) == 0)
        return 0; /* never settled: a draw */
    const uint32_t kept = w->b->kept_of[row];
    if (kept & 1) /* the mirror image is kept */
        bit += w->b->tables->files - 1 - 2 * (bit % SI_STRIDE);
    return h->scores[(kept >> 1) * w->b->row_scores + bit];
}

bool si_tb_build_write(const rf_tb_build *build, bool swapped, unsigned width, void *out, rf_tb_statistics *statistics)
{
    const si_tb_build *b = (const si_tb_build *)build;
    const unsigned loss = width == 1 ? 0x80 : RF_TB_LOSS;
    memset(statistics, 0, sizeof *statistics);
    cursor w;
    if (b->longest >= loss || !start_cursor(&w, b, swapped))
        return false;
    unsigned value = 0;
    for (uint64_t index = 0; index < w.class.entries; index++) {
        const int score = current_score(&w);
        if (score != SI_TB_NO_SCORE) { /* otherwise repeat the last value, which compresses best */
            const unsigned distance = score == 0 ? 0 : (unsigned)si_tb_distance(score);
            rf_tb_add_to_statistics(statistics, distance | (score < 0 ? RF_TB_LOSS : 0), index, 1);
            value = distance | (score < 0 ? loss : 0);
        }
        if (width == 1)
            ((uint8_t *)out)[index] = (uint8_t)value;
        else
            ((uint16_t *)out)[index] = (uint16_t)value;
        next_entry(&w);
    }
    si_tb_class_free(&w.class);
    return true;
}
