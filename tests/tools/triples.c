/* The sets of triples without a ply (kr_find_no_plies), against listing the plies of each triple, and steps from random sets
 * of triples (kr_step_triples), against a step of each triple, on random boards where bare knights are shut in: for
 * tests/core/games/test_rings_triples.py. Built with all units but rings/hot.c. */
#include <stdio.h>

#include "rings/hot.c"

enum { BOARDS = 1500, MOST_HOLDERS = 6, STEPS_EVERY = 10 };

static uint64_t seed = 1;

static unsigned below(unsigned limit)
{
    seed = rf_mix(seed, 0x9e6c63d0876a9a47);
    return (unsigned)((seed >> 32) % limit);
}

/* A square of the set, which is not empty. */
static unsigned one_of(uint64_t set)
{
    for (unsigned skip = below(rf_popcount(set)); skip > 0; skip--)
        set &= set - 1;
    return rf_lowest(set);
}

static void put_holder(kr_state *s, unsigned side, unsigned square)
{
    s->knights[side] |= kr_bit(square);
    s->held[square] = (uint8_t)(1 + below(3));
}

/* A board without bare knights, on which those of `side` in some triple have few squares to step to. */
static void shut_in(kr_state *s, unsigned side, unsigned two)
{
    unsigned square[3], holders = 0;
    uint64_t left = kr_board[s->files], bare = 0;
    for (unsigned i = 0; i < 3; i++) {
        /* Often a corner, or beside another one. */
        const uint64_t corners = kr_bit(0) | kr_bit(s->files - 1u) | kr_bit(42) | kr_bit(42 + s->files - 1u);
        uint64_t from = below(2) == 0 ? corners : i > 0 ? kr_targets[square[i - 1]][0] : left;
        from &= left;
        square[i] = one_of(from != 0 ? from : left);
        bare |= kr_bit(square[i]);
        left &= ~bare;
    }
    for (unsigned i = 0; i < 3; i++)
        if ((i < 2 ? two : 1 - two) == side)
            KR_EACH_SQUARE(to, kr_targets[square[i]][0] & ~bare & kr_board[s->files])
                if (holders < MOST_HOLDERS && below(20) != 0 && s->held[to] == 0) {
                    put_holder(s, side, to);
                    holders++;
                }
    if (below(2) == 0)
        put_holder(s, !side, one_of(left & ~(s->knights[0] | s->knights[1])));
    const uint64_t free = left & ~(s->knights[0] | s->knights[1]);
    if (below(3) == 0 && free != 0)
        s->ring[below(2)] |= kr_bit(one_of(free));
}

/* The first triple about which the two disagree is printed. Counts those without a ply, and those whose only plies are
 * captures of a bare knight by another one. */
static bool compare(const kr_triple_layer *layer, unsigned side, unsigned long *without, unsigned long *captures)
{
    KR_EACH_SQUARE(a, layer->empty)
        KR_EACH_SQUARE(b, layer->empty & ~kr_bit(a))
            KR_EACH_SQUARE(c, layer->empty & ~(kr_bit(a) | kr_bit(b))) {
                rf_ply plies[2 * KR_MOST_PLIES];
                kr_state s = layer->s;
                const uint64_t bare = kr_bit(a) | kr_bit(b) | kr_bit(c);
                s.knights[layer->two] |= kr_bit(a) | kr_bit(b);
                s.knights[layer->one] |= kr_bit(c);
                const size_t count = kr_list_moves(&s, side, plies);
                const bool none = layer->none[side].word[kr_triple_index(layer->s.files, a, b)] >> c & 1;
                if (none != (count == 0)) {
                    printf("files %u side %u two %u: triple %u %u %u has %zu plies\n", s.files, side, layer->two, a, b, c,
                           count);
                    return false;
                }
                bool all_meet = count > 0;
                for (size_t i = 0; i < count; i++)
                    all_meet &= (bare >> kr_from(plies[i]) & 1) != 0 && (bare >> kr_to(plies[i]) & 1) != 0;
                *without += count == 0;
                *captures += all_meet;
            }
    return true;
}

static bool has(const kr_triple_layer *layer, const kr_triples *set, unsigned a, unsigned b, unsigned c)
{
    return (set->word[kr_triple_index(layer->s.files, a, b)] >> c & 1) != 0;
}

/* A random set of triples that there can be, with both orders of the two. */
static void choose(const kr_triple_layer *layer, kr_triples *out)
{
    const unsigned rare = 1 + below(40);
    memset(out, 0xff, sizeof *out); /* words that are not of the board must not be read */
    kr_clear_triples(layer, out);
    KR_EACH_SQUARE(a, layer->empty)
        KR_EACH_SQUARE(b, layer->empty & (kr_bit(a) - 1))
            KR_EACH_SQUARE(c, layer->empty & ~(kr_bit(a) | kr_bit(b)))
                if (below(rare) == 0) {
                    out->word[kr_triple_index(layer->s.files, a, b)] |= kr_bit(c);
                    out->word[kr_triple_index(layer->s.files, b, a)] |= kr_bit(c);
                }
}

/* Steps of a side from a random set, against those of each triple. Counts the triples with one. */
static bool compare_steps(const kr_triple_layer *layer, unsigned side, unsigned long *stepping)
{
    static kr_triples set, steps;
    choose(layer, &set);
    memset(&steps, 0xff, sizeof steps);
    kr_step_triples(layer, side, &set, &steps);
    KR_EACH_SQUARE(a, kr_board[layer->s.files])
        KR_EACH_SQUARE(b, kr_board[layer->s.files])
            for (unsigned c = 0; c < KR_SQUARES; c++) {
                bool steps_in = false;
                for (unsigned to = 0; to < KR_SQUARES; to++) {
                    if ((layer->empty >> to & 1) == 0)
                        continue;
                    if (side == layer->two && (kr_targets[a][0] >> to & 1) != 0)
                        steps_in |= has(layer, &set, to, b, c);
                    if (side == layer->two && (kr_targets[b][0] >> to & 1) != 0)
                        steps_in |= has(layer, &set, a, to, c);
                    if (side == layer->one && (kr_targets[c][0] >> to & 1) != 0)
                        steps_in |= has(layer, &set, a, b, to);
                }
                steps_in &= has(layer, &layer->valid, a, b, c);
                if (steps_in != has(layer, &steps, a, b, c)) {
                    printf("files %u side %u two %u one %u: step of triple %u %u %u\n", layer->s.files, side, layer->two,
                           layer->one, a, b, c);
                    return false;
                }
                *stepping += steps_in;
            }
    return true;
}

int main(void)
{
    static kr_triple_layer layer;
    unsigned long stepping = 0;
    unsigned long without = 0, captures = 0, corner = 0;
    kr_init();
    for (unsigned board = 0; board < BOARDS; board++) {
        const unsigned side = below(2);
        memset(&layer, 0, sizeof layer);
        layer.two = below(2);
        layer.one = below(4) == 0 ? layer.two : !layer.two;
        layer.s.files = below(2) == 0 ? 5 : 7;
        layer.s.five = KR_NOWHERE;
        shut_in(&layer.s, side, layer.two);
        layer.empty = kr_empty(&layer.s);
        kr_number_squares(&layer);
        kr_find_valid(&layer);
        kr_find_no_plies(&layer, side);
        const unsigned long before = captures;
        if (!compare(&layer, side, &without, &captures))
            return 1;
        corner += captures > before;
        if (board % STEPS_EVERY == 0 && (!compare_steps(&layer, KR_SOUTH, &stepping) ||
                                         !compare_steps(&layer, KR_NORTH, &stepping)))
            return 1;
    }
    printf("%lu without a ply, %lu with nothing but captures of bare knights, on %lu boards; %lu step into a set\n", without,
           captures, corner, stepping);
    return 0;
}
