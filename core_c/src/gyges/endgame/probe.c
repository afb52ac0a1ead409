/* Endgame tables of Gygès: answers from tables, and the entries of a class by number.
 *
 * Idea: tables contain positions in which each player needs one more conquest. If a ring is still to be put back after
 * a conquest that did not win (G9), the value is the best after all squares for it.
 * Example: "gyges ....../....../....../....../....../1...23 n - 1+1" is turned to South's view; its class is "123". */
#include <stdlib.h>

#include "control.h"
#include "gyges/endgame/endgame.h"
#include "ringfen.h"

enum { GY_CLASSES = 5 * 5 * 5 };

typedef struct {
    rf_tb_source source; /* the first member: a pointer to one is a pointer to the other */
    gy_ring_class class;
} gy_table;

typedef struct {
    rf_tablebase base; /* the first member: a pointer to one is a pointer to the other */
    gy_table *by_material[GY_CLASSES];
} gy_tables;

static unsigned gy_slot(rf_material m) { return gy_rings_of(m, 1) + 5 * gy_rings_of(m, 2) + 25 * gy_rings_of(m, 3); }

/* The table of a class; NULL if it was not added. */
static const gy_table *gy_table_of(const rf_tablebase *t, rf_material m)
{
    return gy_is_material(m) ? ((const gy_tables *)t)->by_material[gy_slot(m)] : NULL;
}

rf_tablebase *gy_tables_new(unsigned files, unsigned ranks, unsigned variant)
{
    (void)files;
    (void)ranks;
    (void)variant;
    return calloc(1, sizeof(gy_tables));
}

void gy_tables_free(rf_tablebase *tables)
{
    gy_tables *t = (gy_tables *)tables;
    for (unsigned i = 0; i < GY_CLASSES; i++)
        if (t->by_material[i] != NULL) {
            gy_class_free(&t->by_material[i]->class);
            free(t->by_material[i]);
        }
    free(t);
}

uint64_t gy_table_entries(unsigned files, unsigned ranks, rf_material m)
{
    (void)files;
    (void)ranks;
    return gy_count_entries(m);
}

bool gy_add_table(rf_tablebase *tables, const rf_tb_source *source)
{
    gy_tables *t = (gy_tables *)tables;
    const rf_material m = source->material;
    if (!gy_is_material(m) || t->by_material[gy_slot(m)] != NULL)
        return false;
    gy_table *added = calloc(1, sizeof *added);
    if (added == NULL)
        return false;
    if (!gy_class_init(&added->class, m)) {
        free(added);
        return false;
    }
    added->source = *source;
    added->source.entries = added->class.entries;
    t->by_material[gy_slot(m)] = added;
    return true;
}

const rf_tb_source *gy_source(const rf_tablebase *t, rf_material m)
{
    const gy_table *table = gy_table_of(t, m);
    return table == NULL ? NULL : &table->source;
}

/* ---- scores: the greatest is the best for the player to move ---- */

enum { GY_FAR = 1 << 16 };

static int gy_score(unsigned value)
{
    const int distance = (int)(value & (RF_TB_LOSS - 1));
    return value == 0 ? 0 : value & RF_TB_LOSS ? distance - GY_FAR : GY_FAR - distance;
}

/* The score one ply earlier, for the same player. */
static int gy_score_before(int score) { return score > 0 ? score - 1 : score < 0 ? score + 1 : 0; }

/* The score of a position in which a ring can move and each player needs one conquest. RF_TB_*. */
static int gy_score_of(const rf_tablebase *t, rf_tb_reader *reader, const gy_position *p, int *score)
{
    const gy_table *table = gy_table_of(t, gy_material_of(&p->rings));
    if (table == NULL)
        return RF_TB_ABSENT;
    const gy_rings seen = p->side == 0 ? p->rings : gy_flipped(&p->rings);
    unsigned value;
    if (!rf_tb_read(reader, &table->source, gy_index(&table->class, &seen), &value))
        return RF_TB_DAMAGED;
    *score = gy_score(value);
    return RF_TB_FOUND;
}

static int gy_probe_score(const rf_tablebase *t, rf_tb_reader *reader, const rf_state *s, int *score)
{
    const gy_position *p = (const gy_position *)s;
    if (gy_is_over(p)) {
        *score = p->goals[p->side] == 0 ? GY_FAR : -GY_FAR;
        return RF_TB_FOUND;
    }
    if (gy_setting_up(p) || p->goals[0] != 1 || p->goals[1] != 1)
        return RF_TB_ABSENT;
    if (p->throne == 0)
        return gy_score_of(t, reader, p, score);
    rf_ply plies[GY_SQUARES];
    const size_t count = gy_generate(NULL, s, plies);
    *score = -GY_FAR;
    for (size_t i = 0; i < count; i++) {
        rf_state after;
        int below;
        gy_apply(NULL, s, plies[i], &after);
        const int status = gy_score_of(t, reader, (const gy_position *)&after, &below);
        if (status != RF_TB_FOUND)
            return status;
        if (gy_score_before(below) > *score)
            *score = gy_score_before(below);
    }
    return RF_TB_FOUND;
}

rf_tb_answer gy_probe(const rf_tablebase *t, rf_tb_reader *reader, const rf_state *s)
{
    rf_tb_answer answer = {RF_TB_ABSENT, 0, 0};
    int score;
    answer.status = gy_probe_score(t, reader, s, &score);
    if (answer.status == RF_TB_FOUND && score != 0) {
        const unsigned player = ((const gy_position *)s)->side + 1u;
        answer.winner = score > 0 ? player : 3 - player;
        answer.distance = (uint32_t)(GY_FAR - (score > 0 ? score : -score));
    }
    return answer;
}

/* ---- entries ---- */

bool gy_entry_text(const rf_tablebase *t, rf_material m, uint64_t index, char *out)
{
    gy_ring_class c;
    rf_state s;
    (void)t;
    if (!gy_is_material(m) || !gy_class_init(&c, m))
        return false;
    const bool exists = index < c.entries;
    if (exists) {
        memset(&s, 0, sizeof s);
        gy_position *p = (gy_position *)&s;
        p->goals[0] = p->goals[1] = 1;
        gy_rings_at(&c, (uint32_t)index, &p->rings);
        rf_format(&RF_EXPORT(rf_game_gyges), NULL, &s, out);
    }
    gy_class_free(&c);
    return exists;
}

unsigned gy_positions(const rf_tablebase *t, const rf_tb_source *source, uint64_t index)
{
    const gy_ring_class *c = &((const gy_table *)source)->class;
    (void)t;
    return c->weight[index / c->followers];
}

uint64_t gy_other_side(const rf_tablebase *t, const rf_tb_source *source, uint64_t index, const rf_tb_source **other)
{
    const gy_ring_class *c = &((const gy_table *)source)->class;
    gy_rings r;
    (void)t;
    gy_rings_at(c, (uint32_t)index, &r);
    r = gy_flipped(&r);
    *other = source;
    return gy_index(c, &r);
}

/* Whether the value of an entry follows from those after all plies. */
static bool gy_entry_is_correct(const rf_tablebase *t, rf_tb_reader *reader, const gy_table *table, uint64_t index,
                        rf_ply *plies)
{
    rf_state s, after;
    unsigned value;
    memset(&s, 0, sizeof s);
    gy_position *p = (gy_position *)&s;
    p->goals[0] = p->goals[1] = 1;
    gy_rings_at(&table->class, (uint32_t)index, &p->rings);
    if (!rf_tb_read(reader, &table->source, index, &value))
        return false;
    const size_t count = gy_generate(NULL, &s, plies);
    int best = -GY_FAR;
    for (size_t i = 0; i < count; i++) {
        int below;
        gy_apply(NULL, &s, plies[i], &after);
        if (gy_probe_score(t, reader, &after, &below) != RF_TB_FOUND)
            return false;
        if (-gy_score_before(below) > best)
            best = -gy_score_before(below);
    }
    return best == gy_score(value);
}

int64_t gy_verify(const rf_tablebase *t, rf_tb_reader *reader, rf_material m, uint64_t from, uint64_t to,
                  rf_control *control)
{
    const gy_table *table = gy_table_of(t, m);
    rf_ply *plies = malloc(GY_MAX_PLIES * sizeof *plies);
    if (plies == NULL)
        control->stopped = RF_STOPPED_MEMORY;
    int64_t wrong = plies == NULL ? (int64_t)from : -1;
    for (uint64_t index = from; index < to && wrong < 0 && !rf_tick(control); index++) {
        control->done = index - from;
        if (!gy_entry_is_correct(t, reader, table, index, plies))
            wrong = (int64_t)index;
    }
    free(plies);
    return wrong;
}
