/* Endgame tables: materials, classes, and the number of a position in its class.
 *
 * Idea: like stones form a group, whose squares are a set with a number in the combinatorial number system; the numbers
 * of all groups in mixed radix are the index. The leading group has the fewest stones; only one of each pair of mirror
 * images of its sets is numbered, so the board is mirrored if necessary.
 *
 * Invariants: si_tb_unindex and si_tb_index are inverse for positions without two stones on one square; mirror images
 * have the same index.
 *
 * Example: {a1, c1} on 3x3 has number choose(0, 1) + choose(2, 2) = 0 + 1 = 1. */
#include "siaius/tables/tables.h"

#include <stdlib.h>

/* ---- materials ---- */

unsigned si_tb_stones_of(si_material m, unsigned side)
{
    unsigned count = 0;
    for (unsigned kind = 0; kind < SI_KINDS; kind++)
        count += si_tb_count(m, side, kind);
    return count;
}

static si_material renamed(si_material m, unsigned renaming)
{
    si_material out = 0;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned kind = 0; kind < SI_KINDS; kind++)
            out += si_tb_count(m, side, kind) * si_tb_material_of_stone(side, si_tb_renamed(kind, renaming));
    return out;
}

static bool has_only_champions(si_material m, unsigned side)
{
    return si_tb_count(m, side, SI_CHAMPION) == si_tb_stones_of(m, side);
}

si_material si_material_canonical(si_material m)
{
    if (has_only_champions(m, SI_TB_OWN) || has_only_champions(m, SI_TB_ENEMY))
        return renamed(m, SI_TB_TO_SUNS);
    si_material best = m;
    for (unsigned turns = 1; turns < SI_TB_CIRCLE; turns++)
        if (renamed(m, turns) > best)
            best = renamed(m, turns);
    return best;
}

si_material si_material_swapped(si_material m) { return si_material_canonical(m << 16 | m >> 16); }

/* ---- sets of squares: {s0 < s1 < ...} is number choose(s0, 1) + choose(s1, 2) + ... ---- */

static uint32_t set_number(const si_tables *t, unsigned count, const uint8_t *squares)
{
    uint32_t number = 0;
    for (unsigned i = 0; i < count; i++)
        number += t->choose[squares[i]][i + 1];
    return number;
}

void si_tb_first_set(unsigned count, uint8_t *squares)
{
    for (unsigned i = 0; i < count && i < SI_TB_STONES; i++)
        squares[i] = (uint8_t)i;
}

void si_tb_next_set(unsigned count, uint8_t *squares)
{
    unsigned i = 0;
    while (i + 1 < count && i + 1 < SI_TB_STONES && squares[i] + 1 == squares[i + 1]) {
        squares[i] = (uint8_t)i;
        i++;
    }
    squares[i]++;
}

void si_tb_set_of(const si_tables *t, uint64_t number, unsigned count, uint8_t *squares)
{
    for (unsigned i = count; i-- > 0;) {
        unsigned square = i;
        while (square + 1 < SI_SQUARES && t->choose[square + 1][i + 1] <= number)
            square++;
        squares[i] = (uint8_t)square;
        number -= t->choose[square][i + 1];
    }
}

static inline void sort_squares(unsigned count, uint8_t *squares)
{
    for (unsigned i = 1; i < count && i < SI_TB_STONES; i++)
        for (unsigned j = i; j > 0 && squares[j - 1] > squares[j]; j--) {
            uint8_t other = squares[j];
            squares[j] = squares[j - 1];
            squares[j - 1] = other;
        }
}

/* ---- classes ---- */

static void add_group(si_tb_class *c, const si_tables *t, unsigned side, unsigned kind)
{
    const unsigned count = si_tb_count(c->material, side, kind);
    if (count == 0)
        return;
    si_tb_group *g = &c->group[c->groups++];
    g->side = (uint8_t)side;
    g->kind = (uint8_t)kind;
    g->count = (uint8_t)count;
    /* An ordinary stone never stands on its farthest rank (S5). */
    const bool champion = kind == SI_CHAMPION;
    g->first = !champion && side == SI_TB_ENEMY ? t->files : 0;
    g->squares = t->squares - (champion ? 0 : t->files);
    g->sets = g->squares < count ? 0 : t->choose[g->squares][count];
}

/* The smallest group leads, so that the table of its sets is small. */
static void put_leader_first(si_tb_class *c)
{
    unsigned leader = 0;
    for (unsigned i = 1; i < c->groups; i++)
        if (c->group[i].count < c->group[leader].count)
            leader = i;
    const si_tb_group g = c->group[leader];
    for (unsigned i = leader; i > 0; i--)
        c->group[i] = c->group[i - 1];
    c->group[0] = g;
    for (unsigned i = 0; i < c->groups; i++)
        c->group_of[c->group[i].side][c->group[i].kind] = (uint8_t)i;
}

/* Numbers the sets of the leader so that a set and its mirror image share a number. */
static bool pair_leaders(si_tb_class *c, const si_tables *t)
{
    const si_tb_group *g = &c->group[0];
    c->leader_of = malloc((g->sets + 1) * sizeof *c->leader_of);
    c->leader_set = malloc((g->sets + 1) * sizeof *c->leader_set);
    if (c->leader_of == NULL || c->leader_set == NULL)
        return false;
    uint8_t squares[SI_TB_STONES], image[SI_TB_STONES];
    si_tb_first_set(g->count, squares);
    for (uint32_t set = 0; set < g->sets; set++, si_tb_next_set(g->count, squares)) {
        for (unsigned i = 0; i < g->count; i++)
            image[i] = (uint8_t)(t->mirrored[squares[i] + g->first] - g->first);
        sort_squares(g->count, image);
        const uint32_t mirror = set_number(t, g->count, image);
        if (mirror < set) {
            c->leader_of[set] = c->leader_of[mirror] | 1;
        } else {
            c->leader_of[set] = c->leaders * 2;
            c->leader_set[c->leaders++] = set;
        }
    }
    return true;
}

bool si_tb_class_init(si_tb_class *c, const si_tables *t, si_material m)
{
    memset(c, 0, sizeof *c);
    c->material = m;
    const unsigned own = si_tb_stones_of(m, SI_TB_OWN), enemy = si_tb_stones_of(m, SI_TB_ENEMY);
    if (own == 0 || enemy == 0 || own + enemy > SI_TB_STONES)
        return false;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned kind = 0; kind < SI_KINDS; kind++)
            add_group(c, t, side, kind);
    put_leader_first(c);
    if (!pair_leaders(c, t)) {
        si_tb_class_free(c);
        return false;
    }
    c->entries = c->leaders;
    for (unsigned i = 1; i < c->groups; i++)
        c->entries *= c->group[i].sets; /* at most 120^6 */
    return true;
}

void si_tb_class_free(si_tb_class *c)
{
    free(c->leader_of);
    free(c->leader_set);
    c->leader_of = NULL;
    c->leader_set = NULL;
}

/* ---- tables ---- */

rf_tablebase *si_tables_new(unsigned files, unsigned ranks, unsigned huff)
{
    si_tables *t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->files = files;
    t->ranks = ranks;
    t->huff = huff;
    t->squares = files * ranks;
    for (unsigned square = 0; square < t->squares; square++) {
        const unsigned rank = square / files, file = square % files;
        t->flipped[square] = (uint8_t)((ranks - 1 - rank) * files + file);
        t->mirrored[square] = (uint8_t)(rank * files + files - 1 - file);
    }
    for (unsigned n = 0; n <= SI_SQUARES; n++) {
        t->choose[n][0] = 1;
        for (unsigned k = 1; n > 0 && k <= SI_TB_STONES; k++) {
            /* choose(120, 6) fits 32 bits; larger numbers are never used. */
            t->choose[n][k] = t->choose[n - 1][k - 1] + t->choose[n - 1][k];
        }
    }
    return &t->base;
}

void si_tables_free(rf_tablebase *tables)
{
    si_tables *t = (si_tables *)tables;
    if (t == NULL)
        return;
    for (unsigned i = 0; i < SI_TB_SLOTS; i++)
        if (t->slots[i].class != NULL && t->slots[i].renaming == 0) { /* the slot of the class itself */
            si_tb_class_free(t->slots[i].class);
            free(t->slots[i].class);
        }
    free(t);
}

static unsigned slot_for(const si_tables *t, si_material m)
{
    unsigned at = (m * 0x9e3779b1u) >> 20;
    while (t->slots[at].class != NULL && t->slots[at].material != m)
        at = (at + 1) % SI_TB_SLOTS;
    return at;
}

const si_tb_class *si_tb_find(const si_tables *t, si_material m, unsigned *renaming)
{
    const unsigned at = slot_for(t, m);
    *renaming = t->slots[at].renaming;
    return t->slots[at].class;
}

const si_tb_class *si_tb_class_of(const si_tables *t, si_material m)
{
    unsigned renaming;
    const si_tb_class *c = si_tb_find(t, m, &renaming);
    return c == NULL || c->material != m ? NULL : c;
}

static void put_material(si_tables *t, si_material m, unsigned renaming, si_tb_class *c)
{
    const unsigned at = slot_for(t, m);
    t->used_slots += t->slots[at].class == NULL;
    t->slots[at].material = m;
    t->slots[at].renaming = renaming;
    t->slots[at].class = c;
}

/* Adds every material whose values a class of suns against champions contains. */
static void put_materials_of_suns(si_tables *t, si_tb_class *c)
{
    const unsigned side = si_tb_count(c->material, SI_TB_OWN, 0) != 0 ? SI_TB_OWN : SI_TB_ENEMY;
    const unsigned suns = si_tb_count(c->material, side, 0);
    const si_material sun = si_tb_material_of_stone(side, 0), moon = si_tb_material_of_stone(side, 1);
    const si_material star = si_tb_material_of_stone(side, 2), others = c->material - suns * sun;
    for (unsigned moons = 0; moons <= suns; moons++)
        for (unsigned stars = 0; moons + stars <= suns; stars++)
            put_material(t, others + (suns - moons - stars) * sun + moons * moon + stars * star, SI_TB_TO_SUNS, c);
}

static bool add_class(si_tables *t, si_tb_class *c)
{
    enum { MAX_MATERIALS = 28 }; /* ways to divide six stones among three kinds */
    if (t->used_slots + MAX_MATERIALS > SI_TB_SLOTS / 4 * 3)
        return false;
    if (has_only_champions(c->material, SI_TB_OWN) || has_only_champions(c->material, SI_TB_ENEMY))
        put_materials_of_suns(t, c);
    /* Rotated by `turns`, this material becomes that of the class. */
    for (unsigned turns = SI_TB_CIRCLE; turns-- > 0;)
        put_material(t, renamed(c->material, (SI_TB_CIRCLE - turns) % SI_TB_CIRCLE), turns, c);
    return true;
}

static bool add_source(rf_tablebase *tables, const rf_tb_source *source)
{
    si_tables *t = (si_tables *)tables;
    const si_material m = source->material;
    if (si_material_canonical(m) != m || si_tb_class_of(t, m) != NULL)
        return false;
    si_tb_class *c = malloc(sizeof *c);
    if (c == NULL)
        return false;
    if (si_tb_class_init(c, t, m)) {
        c->source = *source;
        c->source.entries = c->entries;
        if (add_class(t, c))
            return true;
        si_tb_class_free(c);
    }
    free(c);
    return false;
}

static uint64_t count_entries(unsigned files, unsigned ranks, rf_material m)
{
    rf_tablebase *t = si_tables_new(files, ranks, SI_HUFF_TURN);
    si_tb_class c;
    uint64_t entries = 0;
    if (t != NULL && si_tb_class_init(&c, (const si_tables *)t, m)) {
        entries = c.entries;
        si_tb_class_free(&c);
    }
    si_tables_free(t);
    return entries;
}

/* ---- the index ---- */

uint64_t si_tb_index(const si_tables *t, const si_tb_stones *stones, unsigned removed, unsigned mover,
                     const si_tb_class **class)
{
    si_material m = 0;
    for (unsigned i = 0; i < stones->count; i++)
        if ((removed >> i & 1) == 0)
            m += si_tb_material_of_stone(stones->side[i] ^ mover, stones->kind[i]);
    unsigned renaming;
    const si_tb_class *c = *class = si_tb_find(t, m, &renaming);
    if (c == NULL)
        return 0;
    uint8_t squares[SI_TB_STONES][SI_TB_STONES];
    uint8_t filled[SI_TB_STONES] = {0};
    for (unsigned i = 0; i < stones->count; i++) {
        if (removed >> i & 1)
            continue;
        const unsigned g = c->group_of[stones->side[i] ^ mover][si_tb_renamed(stones->kind[i], renaming)];
        const unsigned square = mover == SI_NORTH ? t->flipped[stones->square[i]] : stones->square[i];
        squares[g][filled[g]++] = (uint8_t)(square - c->group[g].first);
    }
    sort_squares(filled[0], squares[0]);
    const uint32_t leader = c->leader_of[set_number(t, filled[0], squares[0])];
    uint64_t index = leader >> 1;
    for (unsigned g = 1; g < c->groups; g++) {
        const unsigned first = c->group[g].first;
        if (leader & 1)
            for (unsigned i = 0; i < filled[g]; i++)
                squares[g][i] = (uint8_t)(t->mirrored[squares[g][i] + first] - first);
        sort_squares(filled[g], squares[g]);
        index = index * c->group[g].sets + set_number(t, filled[g], squares[g]);
    }
    return index;
}

static void put_group(const si_tb_group *g, const uint8_t *squares, si_tb_stones *out)
{
    for (unsigned i = 0; i < g->count; i++) {
        out->side[out->count] = g->side;
        out->kind[out->count] = g->kind;
        out->square[out->count++] = (uint8_t)(squares[i] + g->first);
    }
}

bool si_tb_unindex(const si_tables *t, const si_tb_class *c, uint64_t index, si_tb_stones *out)
{
    uint8_t squares[SI_TB_STONES];
    out->count = 0;
    for (unsigned g = c->groups; g-- > 1;) {
        si_tb_set_of(t, index % c->group[g].sets, c->group[g].count, squares);
        put_group(&c->group[g], squares, out);
        index /= c->group[g].sets;
    }
    si_tb_set_of(t, c->leader_set[index], c->group[0].count, squares);
    put_group(&c->group[0], squares, out);
    for (unsigned i = 0; i < out->count; i++)
        for (unsigned j = 0; j < i; j++)
            if (out->square[i] == out->square[j])
                return false;
    return true;
}

/* ---- the interface (tables/tables.h) ---- */

static bool is_class(rf_material m) { return si_material_canonical(m) == m; }

static const rf_tb_source *source_of(const rf_tablebase *tables, rf_material m)
{
    return (const rf_tb_source *)si_tb_class_of((const si_tables *)tables, m);
}

static unsigned count_positions(const rf_tablebase *tables, const rf_tb_source *source, uint64_t index)
{
    si_tb_stones stones;
    return si_tb_unindex((const si_tables *)tables, (const si_tb_class *)source, index, &stones);
}

static uint64_t other_side(const rf_tablebase *tables, const rf_tb_source *source, uint64_t index,
                           const rf_tb_source **other)
{
    si_tb_stones stones;
    const si_tb_class *c;
    si_tb_unindex((const si_tables *)tables, (const si_tb_class *)source, index, &stones);
    const uint64_t other_index = si_tb_index((const si_tables *)tables, &stones, 0, SI_NORTH, &c);
    *other = (const rf_tb_source *)c;
    return other_index;
}

const rf_tablebase_part si_table_part = {
    .is_class = is_class,
    .swapped = si_material_swapped,
    .entries = count_entries,
    .new_tables = si_tables_new,
    .free_tables = si_tables_free,
    .add = add_source,
    .source = source_of,
    .positions = count_positions,
    .other_side = other_side,
    .probe = si_tables_probe,
    .text = si_tables_text,
    .verify = si_tables_verify,
    .build_memory = si_tb_build_memory,
    .new_build = si_tb_build_new,
    .next_step = si_tb_build_next_step,
    .do_rows = si_tb_build_rows,
    .checkpoint = si_tb_build_checkpoint,
    .checkpoint_part = si_tb_build_checkpoint_part,
    .resume = si_tb_build_resume,
    .longest = si_tb_build_longest,
    .write = si_tb_build_write,
    .free_build = si_tb_build_free,
};

const si_tables *si_tables_of(const rf_tablebase *tables)
{
    return tables->game->tables == &si_table_part ? (const si_tables *)tables : NULL;
}
