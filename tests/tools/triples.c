/* The sets of triples without a ply (kr_find_no_plies), against listing the plies of each triple, on random boards where
 * bare knights are shut in: for tests/core/games/test_rings_triples.py. Built with all units but rings/hot.c. */
#include <stdio.h>

#include "rings/hot.c"

enum { BOARDS = 1500, MOST_HOLDERS = 6 };

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

int main(void)
{
    static kr_triple_layer layer;
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
    }
    printf("%lu without a ply, %lu with nothing but captures of bare knights, on %lu boards\n", without, captures, corner);
    return 0;
}
