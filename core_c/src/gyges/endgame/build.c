/* Endgame tables of Gygès: the generator.
 *
 * Idea: level after level. An open placement (value 0) is lost if every ply leads to a win of the opponent. Each open
 * placement remembers an escape, a successor that was still open; its plies are listed again only when the escape has
 * become a win. The wins before a lost placement are found by unmoves. Placements that stay open are draws.
 * Invariants: a step writes only its own level, from open to decided, so threads may share it, a step may start again,
 * and the values at any time are a checkpoint.
 * Example: wins in 1 by path searches; losses in 2: all plies lead to wins in 1; wins in 3: before losses in 2. */
#include <stdlib.h>

#include "control.h"
#include "gyges/endgame/endgame.h"

enum { GY_ROW = 1024, GY_LOSS = 0x80, GY_MAX_DISTANCE = 127 };

typedef enum { GY_STARTING, GY_WINS_NOW, GY_LOSSES, GY_WINS } gy_phase;

typedef struct {
    rf_tb_build base;  /* the first member: a pointer to one is a pointer to the other */
    gy_ring_class class;
    uint8_t *values;   /* as in files */
    uint32_t *escapes; /* a successor that was open, + 1; 0 if none is known */
    gy_phase phase;
    unsigned plies;    /* the distance that the step finds */
    bool resumed;      /* from a checkpoint, whose step is the next one */
} gy_tb_build;

static inline unsigned gy_value(const gy_tb_build *b, uint32_t index)
{
    return __atomic_load_n(&b->values[index], __ATOMIC_RELAXED);
}

static inline void gy_set_value(const gy_tb_build *b, uint32_t index, unsigned value)
{
    __atomic_store_n(&b->values[index], (uint8_t)value, __ATOMIC_RELAXED);
}

static inline bool gy_is_win(unsigned value) { return value != 0 && value < GY_LOSS; }

/* A value and an escape of each entry, the values to write, and the same values compressed. */
uint64_t gy_build_memory(unsigned files, unsigned ranks, rf_material m)
{
    (void)files;
    (void)ranks;
    return gy_count_entries(m) * (1 + sizeof(uint32_t));
}

rf_tb_build *gy_build_new(const rf_tablebase *tables, rf_material m)
{
    gy_tb_build *b = calloc(1, sizeof *b);
    (void)tables;
    if (b == NULL || !gy_class_init(&b->class, m)) {
        free(b);
        return NULL;
    }
    b->values = calloc(b->class.entries, 1);
    b->escapes = calloc(b->class.entries, sizeof *b->escapes);
    if (b->values == NULL || b->escapes == NULL) {
        gy_build_free(&b->base);
        return NULL;
    }
    return &b->base;
}

void gy_build_free(rf_tb_build *build)
{
    gy_tb_build *b = (gy_tb_build *)build;
    gy_class_free(&b->class);
    free(b->values);
    free(b->escapes);
    free(b);
}

static void gy_find_win_now(gy_tb_build *b, uint32_t index)
{
    gy_position p = {.side = 0, .goals = {1, 1}};
    gy_rings_at(&b->class, index, &p.rings);
    if (gy_wins_now(NULL, (const rf_state *)&p))
        gy_set_value(b, index, 1);
}

/* ---- losses ---- */

enum { GY_BATCH = 16 };

/* Successors of a placement, of which the values are fetched into the cache. */
typedef struct {
    const gy_tb_build *build;
    unsigned count;
    uint32_t index[GY_BATCH];
} gy_batch;

/* A successor of the batch that is not a win, + 1; else 0. */
static uint32_t gy_escape_in(gy_batch *batch)
{
    for (unsigned i = 0; i < batch->count; i++)
        if (!gy_is_win(gy_value(batch->build, batch->index[i])))
            return batch->index[i] + 1;
    batch->count = 0;
    return 0;
}

static inline uint32_t gy_try_successor(gy_batch *batch, const gy_rings *after)
{
    const gy_rings turned = gy_flipped(after);
    const uint32_t index = gy_index(&batch->build->class, &turned);
    __builtin_prefetch(&batch->build->values[index]);
    batch->index[batch->count++] = index;
    return batch->count == GY_BATCH ? gy_escape_in(batch) : 0;
}

static uint32_t gy_escape_of_ring(gy_batch *batch, const gy_position *p, unsigned from)
{
    const unsigned height = gy_height(&p->rings, from);
    const uint64_t ends = gy_ends(p, from) & gy_board;
    gy_rings others = p->rings;
    gy_remove(&others, gy_bit(from));
    const uint64_t occupied = gy_occupied(&others);
    uint32_t escape = 0;
    for (uint64_t rest = ends & ~occupied; rest != 0 && escape == 0; rest &= rest - 1) {
        gy_rings after = others;
        gy_add(&after, rest & (~rest + 1), height);
        escape = gy_try_successor(batch, &after);
    }
    const uint64_t squares = ends & occupied ? gy_drop_squares(1, occupied) : 0;
    for (uint64_t targets = ends & occupied; targets != 0 && escape == 0; targets &= targets - 1) {
        const unsigned target = rf_lsb(targets), displaced = gy_height(&others, target);
        gy_rings without = others;
        gy_remove(&without, gy_bit(target));
        gy_add(&without, gy_bit(target), height);
        for (uint64_t rest = squares; rest != 0 && escape == 0; rest &= rest - 1) {
            gy_rings after = without;
            gy_add(&after, rest & (~rest + 1), displaced);
            escape = gy_try_successor(batch, &after);
        }
    }
    return escape;
}

static void gy_find_loss(gy_tb_build *b, uint32_t index)
{
    const uint32_t known = b->escapes[index];
    if (known != 0 && !gy_is_win(gy_value(b, known - 1)))
        return;
    gy_position p = {.side = 0, .goals = {1, 1}};
    gy_rings_at(&b->class, index, &p.rings);
    gy_batch batch = {.build = b, .count = 0};
    uint32_t escape = 0;
    for (uint64_t rest = gy_movers(&p); rest != 0 && escape == 0; rest &= rest - 1)
        escape = gy_escape_of_ring(&batch, &p, rf_lsb(rest));
    if (escape == 0)
        escape = gy_escape_in(&batch);
    b->escapes[index] = escape;
    if (escape == 0)
        gy_set_value(b, index, GY_LOSS | b->plies);
}

/* ---- wins before losses ---- */

/* If the mirror image of a placement has its own entry, that is won too: it may be before a lost placement of which
 * only the mirror image has an entry. */
static void gy_decide_win(const gy_tb_build *b, uint32_t index)
{
    gy_set_value(b, index, b->plies);
    if (b->class.weight[index / b->class.followers] == 1) {
        gy_rings r;
        gy_rings_at(&b->class, index, &r);
        r = (gy_rings){gy_mirrored(r.low), gy_mirrored(r.high)};
        gy_set_value(b, gy_index(&b->class, &r), b->plies);
    }
}

static void gy_decide_waiting(gy_batch *batch)
{
    const gy_tb_build *b = batch->build;
    for (unsigned i = 0; i < batch->count; i++)
        if (gy_value(b, batch->index[i]) == 0)
            gy_decide_win(b, batch->index[i]);
    batch->count = 0;
}

static void gy_decide_before(void *context, const gy_rings *before)
{
    gy_batch *batch = context;
    const uint32_t index = gy_index(&batch->build->class, before);
    __builtin_prefetch(&batch->build->values[index], 1);
    batch->index[batch->count++] = index;
    if (batch->count == GY_BATCH)
        gy_decide_waiting(batch);
}

static void gy_find_wins_before(gy_tb_build *b, uint32_t index)
{
    gy_rings lost;
    gy_rings_at(&b->class, index, &lost);
    const gy_rings turned = gy_flipped(&lost);
    gy_batch batch = {.build = b, .count = 0};
    gy_visit_before(&turned, gy_decide_before, &batch);
    gy_decide_waiting(&batch);
}

/* ---- steps ---- */

/* Goes to the next step; false if there is none. */
static bool gy_next_phase(gy_tb_build *b)
{
    switch (b->phase) {
    case GY_STARTING:
        b->phase = GY_WINS_NOW;
        b->plies = 1;
        return true;
    case GY_LOSSES:
        b->phase = GY_WINS;
        b->plies++;
        return memchr(b->values, (int)(GY_LOSS | (b->plies - 1)), b->class.entries) != NULL;
    case GY_WINS_NOW:
    case GY_WINS:
        break;
    }
    b->phase = GY_LOSSES;
    b->plies++;
    return true;
}

/* An estimate: half the work is done in the first levels. */
static unsigned gy_percent(unsigned plies) { return 100 * plies / (plies + 8); }

int gy_build_next_step(rf_tb_build *build, rf_tb_step *step)
{
    gy_tb_build *b = (gy_tb_build *)build;
    *step = (rf_tb_step){0, 0, 100, 100};
    if (b->resumed)
        b->resumed = false;
    else if (!gy_next_phase(b))
        return RF_TB_FOUND;
    if (b->plies > GY_MAX_DISTANCE)
        return RF_TB_TOO_LONG;
    *step = (rf_tb_step){(b->class.entries + GY_ROW - 1) / GY_ROW, 0, gy_percent(b->plies - 1), gy_percent(b->plies)};
    return RF_TB_FOUND;
}

void gy_build_rows(rf_tb_build *build, uint64_t from, uint64_t to, rf_control *control)
{
    gy_tb_build *b = (gy_tb_build *)build;
    const unsigned sought = b->phase == GY_WINS ? GY_LOSS | (b->plies - 1) : 0;
    const uint64_t end = to * GY_ROW < b->class.entries ? to * GY_ROW : b->class.entries;
    rf_control_start(control);
    for (uint64_t index = from * GY_ROW; index < end; index++) {
        if (gy_value(b, (uint32_t)index) != sought)
            continue;
        if (rf_tick(control))
            return;
        if (b->phase == GY_WINS_NOW)
            gy_find_win_now(b, (uint32_t)index);
        else if (b->phase == GY_LOSSES)
            gy_find_loss(b, (uint32_t)index);
        else
            gy_find_wins_before(b, (uint32_t)index);
    }
}

/* ---- checkpoints ---- */

bool gy_build_checkpoint(const rf_tb_build *build, uint64_t done, rf_tb_checkpoint *c)
{
    const gy_tb_build *b = (const gy_tb_build *)build;
    (void)done; /* the step starts again; what it has decided stays decided */
    *c = (rf_tb_checkpoint){.phase = (uint32_t)b->phase, .plies = b->plies};
    return b->phase != GY_STARTING;
}

void *gy_build_checkpoint_part(const rf_tb_build *build, const rf_tb_checkpoint *c, unsigned part, uint64_t *bytes)
{
    const gy_tb_build *b = (const gy_tb_build *)build;
    (void)c;
    *bytes = part == 0 ? b->class.entries : 0;
    return part == 0 ? b->values : NULL;
}

bool gy_build_resume(rf_tb_build *build, const rf_tb_checkpoint *c)
{
    gy_tb_build *b = (gy_tb_build *)build;
    const bool is_odd = c->plies % 2 == 1; /* wins have odd distances, losses even ones */
    if (b->phase != GY_STARTING || c->plies == 0 || c->plies > GY_MAX_DISTANCE + 1 || c->done != 0 ||
        c->phase != (c->plies == 1 ? GY_WINS_NOW : is_odd ? GY_WINS : GY_LOSSES))
        return false;
    b->phase = (gy_phase)c->phase;
    b->plies = c->plies;
    b->resumed = true;
    return true;
}

/* ---- the result ---- */

uint32_t gy_build_longest(const rf_tb_build *build) { return ((const gy_tb_build *)build)->plies; }

bool gy_build_write(const rf_tb_build *build, bool swapped, unsigned width, void *out, rf_tb_statistics *statistics)
{
    const gy_tb_build *b = (const gy_tb_build *)build;
    memset(statistics, 0, sizeof *statistics);
    if (swapped || width != 1)
        return false;
    memcpy(out, b->values, b->class.entries);
    for (uint64_t index = 0; index < b->class.entries; index++)
        rf_tb_add_to_statistics(statistics, rf_tb_widen(b->values[index]), index,
                                b->class.weight[index / b->class.followers]);
    return true;
}
