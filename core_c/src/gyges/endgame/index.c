/* Endgame tables of Gygès: numbers of placements (endgame.h).
 *
 * Idea: a set of squares s0 < s1 < ... has the number choose(s0, 1) + choose(s1, 2) + ... These numbers do not depend on
 * the size of the board, so the sets on fewer squares come first.
 * Example: the sets of two squares are 01, 02, 12, 03, 13, ... with the numbers 0, 1, 2, 3, 4, ... */
#include <stdlib.h>

#include "gyges/endgame/endgame.h"

static uint64_t gy_choose(unsigned n, unsigned k)
{
    uint64_t result = 1;
    for (unsigned i = 1; i <= k; i++)
        result = result * (n - k + i) / i;
    return n < k ? 0 : result;
}

/* The 36 squares as the lowest bits: a1, b1, ..., f6. */
static inline uint64_t gy_dense(uint64_t board)
{
    uint64_t dense = 0;
    for (unsigned rank = 0; rank < 6; rank++)
        dense |= (board >> (8 * rank + 9) & 63) << 6 * rank;
    return dense;
}

static inline unsigned gy_square_at(unsigned dense) { return gy_square(dense % 6, dense / 6); }

bool gy_is_material(uint32_t material)
{
    return material != 0 && material >> 12 == 0 && gy_rings_of(material, 1) <= GY_MAX_OF_HEIGHT &&
           gy_rings_of(material, 2) <= GY_MAX_OF_HEIGHT && gy_rings_of(material, 3) <= GY_MAX_OF_HEIGHT;
}

uint32_t gy_material_of(const gy_rings *r)
{
    return rf_popcount(gy_of_height(r, 1)) | rf_popcount(gy_of_height(r, 2)) << 4 | rf_popcount(gy_of_height(r, 3)) << 8;
}

/* Sets that are their own mirror image contain with each square its image. */
static uint64_t gy_count_sets_without_mirrors(unsigned count)
{
    const uint64_t sets = gy_choose(GY_SQUARES, count), own_images = count % 2 ? 0 : gy_choose(GY_SQUARES / 2, count / 2);
    return (sets + own_images) / 2;
}

uint64_t gy_count_entries(uint32_t material)
{
    uint64_t entries = 0;
    unsigned squares = GY_SQUARES;
    if (!gy_is_material(material))
        return 0;
    for (unsigned height = 1; height <= GY_HEIGHTS; height++) {
        const unsigned count = gy_rings_of(material, height);
        if (count == 0)
            continue;
        entries = squares == GY_SQUARES ? gy_count_sets_without_mirrors(count) : entries * gy_choose(squares, count);
        squares -= count;
    }
    return entries;
}

static void gy_list_sets(gy_ring_group *g)
{
    uint8_t at[GY_MAX_OF_HEIGHT];
    for (unsigned i = 0; i < GY_MAX_OF_HEIGHT; i++)
        at[i] = (uint8_t)i;
    for (uint32_t set = 0; set < g->sets; set++) {
        memcpy(g->squares[set], at, sizeof at);
        unsigned i = 0;
        while (i + 1 < g->count && at[i] + 1 == at[i + 1]) {
            at[i] = (uint8_t)i;
            i++;
        }
        at[i]++;
    }
}

static uint32_t gy_mirrored_set(const gy_ring_class *c, const uint8_t *squares)
{
    const unsigned count = c->group[0].count;
    uint64_t image = 0;
    uint32_t number = 0;
    for (unsigned i = 0; i < count; i++)
        image |= gy_bit(squares[i] / 6u * 6 + 5 - squares[i] % 6u);
    for (unsigned i = 1; image != 0; image &= image - 1, i++)
        number += c->choose[rf_lsb(image)][i];
    return number;
}

static void gy_pair_leaders(gy_ring_class *c)
{
    const gy_ring_group *g = &c->group[0];
    for (uint32_t set = 0; set < g->sets; set++) {
        const uint32_t image = gy_mirrored_set(c, g->squares[set]);
        if (image < set) {
            c->leader_of[set] = c->leader_of[image] | 1;
            continue;
        }
        c->leader_set[c->leaders] = set;
        c->weight[c->leaders] = image == set ? 1 : 2;
        c->leader_of[set] = c->leaders++ << 1;
    }
}

static bool gy_allocate_class(gy_ring_class *c)
{
    for (unsigned i = 0; i < c->groups; i++) {
        c->group[i].squares = malloc(c->group[i].sets * sizeof *c->group[i].squares);
        if (c->group[i].squares == NULL)
            return false;
    }
    c->leader_of = malloc(c->group[0].sets * sizeof *c->leader_of);
    c->leader_set = malloc(c->group[0].sets * sizeof *c->leader_set);
    c->weight = malloc(c->group[0].sets);
    return c->leader_of != NULL && c->leader_set != NULL && c->weight != NULL;
}

bool gy_class_init(gy_ring_class *c, uint32_t material)
{
    memset(c, 0, sizeof *c);
    c->material = material;
    c->entries = gy_count_entries(material);
    if (c->entries == 0 || c->entries > UINT32_MAX)
        return false;
    for (unsigned n = 0; n <= GY_SQUARES; n++)
        for (unsigned k = 0; k <= GY_MAX_OF_HEIGHT; k++)
            c->choose[n][k] = (uint32_t)gy_choose(n, k);
    unsigned squares = GY_SQUARES;
    c->followers = 1;
    for (unsigned height = 1; height <= GY_HEIGHTS; height++) {
        const unsigned count = gy_rings_of(material, height);
        if (count == 0)
            continue;
        gy_ring_group *g = &c->group[c->groups++];
        *g = (gy_ring_group){(uint8_t)height, (uint8_t)count, c->choose[squares][count], NULL};
        if (squares < GY_SQUARES)
            c->followers *= g->sets;
        squares -= count;
    }
    if (!gy_allocate_class(c)) {
        gy_class_free(c);
        return false;
    }
    for (unsigned i = 0; i < c->groups; i++)
        gy_list_sets(&c->group[i]);
    gy_pair_leaders(c);
    return true;
}

void gy_class_free(gy_ring_class *c)
{
    for (unsigned i = 0; i < c->groups; i++)
        free(c->group[i].squares);
    free(c->leader_of);
    free(c->leader_set);
    free(c->weight);
    memset(c, 0, sizeof *c);
}

/* The number of a set among the squares that are not taken. */
static inline uint32_t gy_set_number(const gy_ring_class *c, uint64_t set, uint64_t taken)
{
    uint32_t number = 0;
    for (unsigned i = 1; set != 0; set &= set - 1, i++)
        number += c->choose[rf_lsb(set) - rf_popcount(taken & ((set & (~set + 1)) - 1))][i];
    return number;
}

uint32_t gy_index(const gy_ring_class *c, const gy_rings *r)
{
    uint64_t leader = gy_of_height(r, c->group[0].height);
    const uint32_t found = c->leader_of[gy_set_number(c, gy_dense(leader), 0)];
    gy_rings seen = *r;
    if (found & 1) {
        seen = (gy_rings){gy_mirrored(r->low), gy_mirrored(r->high)};
        leader = gy_of_height(&seen, c->group[0].height);
    }
    uint32_t index = found >> 1;
    uint64_t taken = gy_dense(leader);
    for (unsigned i = 1; i < c->groups; i++) {
        const uint64_t set = gy_dense(gy_of_height(&seen, c->group[i].height));
        index = index * c->group[i].sets + gy_set_number(c, set, taken);
        taken |= set;
    }
    return index;
}

void gy_rings_at(const gy_ring_class *c, uint32_t index, gy_rings *out)
{
    uint32_t set[GY_HEIGHTS] = {0};
    uint64_t taken = 0;
    for (unsigned i = c->groups; i-- > 1;) {
        set[i] = index % c->group[i].sets;
        index /= c->group[i].sets;
    }
    set[0] = c->leader_set[index];
    *out = (gy_rings){0, 0};
    for (unsigned i = 0; i < c->groups; i++) {
        const gy_ring_group *g = &c->group[i];
        uint64_t added = 0;
        for (unsigned k = 0; k < g->count; k++) {
            unsigned square = g->squares[set[i]][k];
            for (uint64_t rest = taken; rest != 0 && rf_lsb(rest) <= square; rest &= rest - 1)
                square++;
            added |= gy_bit(square);
            gy_add(out, gy_bit(gy_square_at(square)), g->height);
        }
        taken |= added;
    }
}
