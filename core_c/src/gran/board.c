/* Checks a board of GRAN and fills in the tables that the rules and the bounds need (R1, R3).
 *
 * Idea: distances come from breadth-first searches over the board without stones. `plies_to_city` is a fixed point:
 * each round improves the number of plies of a point by those of the points that one move reaches.
 * Invariant: a board that passes check() cannot make any function read or write outside an array.
 * Example: two_steps of a point has the ends of all moves that no stone or figure blocks. */
#include "gran/gran.h"

#include <stdio.h>

enum { REALMS = 4, POINT_NAME = 8, FAR = 255 };

static void write_name(const rf_gran_board *b, unsigned point, char out[POINT_NAME])
{
    snprintf(out, POINT_NAME, "%c%u", 'a' + b->file[point], b->rank[point] % 100u + 1);
}

static bool is_valid_name(const char name[256])
{
    const char *end = memchr(name, '\0', 256);
    if (end == NULL)
        return false;
    for (const char *at = name; at < end; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        bool other = (*at >= '0' && *at <= '9') || *at == '_' || *at == '-';
        if (!letter && !other)
            return false;
    }
    return true;
}

static const char *check_points(const rf_gran_board *b)
{
    if (b->points == 0 || b->points > RF_GRAN_POINTS || b->files > RF_GRAN_SIDE || b->ranks > RF_GRAN_SIDE)
        return "the board is too large, or empty";
    char before[POINT_NAME] = "", name[POINT_NAME];
    for (unsigned p = 0; p < b->points; p++) {
        if (b->file[p] >= b->files || b->rank[p] >= b->ranks)
            return "a point lies outside of the board";
        if (b->realm[p] > RF_GRAN_WHITE || b->symbol[p] > RF_GRAN_RING_BALL)
            return "a realm or symbol does not exist";
        if (b->realm[p] == RF_GRAN_WHITE && b->symbol[p] != RF_GRAN_PLAIN)
            return "a symbol is on a white point";
        write_name(b, p, name);
        if (strcmp(before, name) >= 0)
            return "the points are not in the order of their names";
        memcpy(before, name, sizeof before);
    }
    return NULL;
}

static const char *check_symbols(const rf_gran_board *b)
{
    unsigned cities[REALMS] = {0}, starts = 0, rings = 0;
    for (unsigned p = 0; p < b->points; p++) {
        starts += b->symbol[p] == RF_GRAN_START_BALL;
        rings += b->symbol[p] == RF_GRAN_RING_BALL;
        if (b->symbol[p] == RF_GRAN_CITY)
            cities[b->realm[p]]++;
    }
    for (unsigned realm = 0; realm < REALMS; realm++)
        if (cities[realm] != 1)
            return "a realm has not exactly one city";
    if (starts != 1 || rings != 1 || b->start >= b->points || b->ring >= b->points ||
        b->symbol[b->start] != RF_GRAN_START_BALL || b->symbol[b->ring] != RF_GRAN_RING_BALL)
        return "a crystal ball is missing or misplaced";
    return NULL;
}

static const char *check_lines(const rf_gran_board *b)
{
    const gr_set all = ~gr_points_from(b->points);
    for (unsigned p = 0; p < b->points; p++) {
        if ((gr_neighbours(b, p) & ~all) != 0 || gr_has(gr_neighbours(b, p), p))
            return "a line leads nowhere";
        for (unsigned q = 0; q < b->points; q++)
            if (gr_has(gr_neighbours(b, p), q) != gr_has(gr_neighbours(b, q), p))
                return "a line leads one way only";
    }
    return NULL;
}

static const char *check(const rf_gran_board *b)
{
    if (!is_valid_name(b->name))
        return "the name has other characters than letters, digits, _ and -";
    const char *wrong = check_points(b);
    if (wrong == NULL)
        wrong = check_symbols(b);
    if (wrong == NULL)
        wrong = check_lines(b);
    unsigned cards = 0;
    for (unsigned value = 0; value < GR_CARDS; value++) {
        if (b->cards[value] > 99)
            return "there are more than 99 cards of a value";
        cards += b->cards[value];
    }
    if (cards == 0 || b->stones > 100)
        return "there are no cards, or more than 100 stones";
    return wrong;
}

static void fill_sets(rf_gran_board *b)
{
    gr_set all = 0, plain = 0, white = 0, dragons = 0, cities = 0;
    gr_set put[REALMS] = {0};
    for (unsigned p = 0; p < b->points; p++) {
        unsigned symbol = b->symbol[p];
        all |= gr_bit(p);
        plain |= symbol == RF_GRAN_PLAIN ? gr_bit(p) : 0;
        white |= b->realm[p] == RF_GRAN_WHITE ? gr_bit(p) : 0;
        dragons |= symbol == RF_GRAN_DRAGON ? gr_bit(p) : 0;
        cities |= symbol == RF_GRAN_CITY ? gr_bit(p) : 0;
        bool black = symbol == RF_GRAN_PLAIN || symbol == RF_GRAN_START_BALL || symbol == RF_GRAN_RING_BALL;
        for (unsigned realm = 0; realm < REALMS; realm++)
            if (black && b->realm[p] != RF_GRAN_WHITE && b->realm[p] != realm)
                put[realm] |= gr_bit(p);
    }
    b->all = gr_store_set(all);
    b->plain = gr_store_set(plain);
    b->white = gr_store_set(white);
    b->dragons = gr_store_set(dragons);
    b->cities = gr_store_set(cities);
    for (unsigned realm = 0; realm < REALMS; realm++)
        b->put[realm] = gr_store_set(put[realm]);
}

static void fill_two_steps(rf_gran_board *b)
{
    for (unsigned p = 0; p < b->points; p++) {
        gr_set reach = gr_neighbours(b, p);
        for (gr_set near = reach; near != 0;)
            reach |= gr_neighbours(b, gr_pop_lsb(&near));
        b->two_steps[p] = gr_store_set(reach & ~gr_bit(p));
    }
}

static void fill_strides(rf_gran_board *b)
{
    b->strides = 0;
    for (unsigned stride = 1; stride < b->points; stride++) {
        gr_set from = 0;
        for (unsigned p = 0; p + stride < b->points; p++)
            if (gr_has(gr_neighbours(b, p), p + stride))
                from |= gr_bit(p);
        if (from == 0)
            continue;
        if (stride >= 64 || b->strides == sizeof b->stride) {
            b->strides = 0;
            return;
        }
        b->stride[b->strides] = (uint8_t)stride;
        b->stride_from[b->strides++] = gr_store_set(from);
    }
}

static void fill_orders(rf_gran_board *b)
{
    memset(b->point_at, RF_GRAN_NO_POINT, sizeof b->point_at);
    for (unsigned p = 0; p < b->points; p++)
        b->point_at[b->rank[p] * RF_GRAN_SIDE + b->file[p]] = (uint8_t)p;
    unsigned next = 0;
    for (unsigned square = 0; square < sizeof b->point_at; square++)
        if (b->point_at[square] != RF_GRAN_NO_POINT)
            b->by_square[next++] = b->point_at[square];
    for (unsigned p = 0; p < b->points; p++) {
        char name[POINT_NAME], other[POINT_NAME];
        write_name(b, p, name);
        unsigned q = p + 1;
        for (; q < b->points; q++) {
            write_name(b, q, other);
            if (strncmp(name, other, strlen(name)) != 0)
                break;
        }
        b->beyond_name[p] = (uint8_t)q;
    }
}

static void fill_steps(rf_gran_board *b)
{
    memset(b->steps, FAR, sizeof b->steps);
    for (unsigned p = 0; p < b->points; p++) {
        gr_set layer = gr_bit(p), seen = layer;
        for (unsigned step = 0; layer != 0; step++) {
            gr_set next = 0;
            while (layer != 0) {
                unsigned q = gr_pop_lsb(&layer);
                b->steps[p][q] = (uint8_t)step;
                next |= gr_neighbours(b, q);
            }
            layer = next & ~seen;
            seen |= layer;
        }
    }
}

static unsigned min_of(unsigned a, unsigned b) { return a < b ? a : b; }

/* One round of improving `plies`: from each point a move of one or two points, to the city, to a dragon and on after a
 * won fight, or elsewhere and on in the next turn, until which the figure may have been banished. True if anything
 * changed. */
static bool improve_plies_to_city(const rf_gran_board *b, unsigned players, unsigned city, uint8_t plies[128],
                                  uint8_t *banished)
{
    bool changed = false;
    for (unsigned p = 0; p < b->points; p++) {
        unsigned best = min_of(plies[p], players + *banished);
        for (unsigned q = 0; q < b->points; q++) {
            if (q == p || b->steps[p][q] > 2)
                continue;
            unsigned on = b->symbol[q] == RF_GRAN_DRAGON ? 2 : players;
            best = min_of(best, q == city ? 1 : on + plies[q]);
        }
        if (best < plies[p]) {
            plies[p] = (uint8_t)best;
            changed = true;
        }
        if (b->realm[p] == RF_GRAN_WHITE && best < *banished)
            *banished = (uint8_t)best;
    }
    return changed;
}

static void fill_wins(rf_gran_board *b)
{
    unsigned cities[REALMS] = {0};
    for (unsigned p = 0; p < b->points; p++)
        if (b->symbol[p] == RF_GRAN_CITY)
            cities[b->realm[p]] = p;
    for (unsigned table = 0; table < 4; table++) {
        memset(b->plies_to_city[table], FAR, sizeof b->plies_to_city[table]);
        b->plies_between_cities[table] = FAR;
        for (unsigned realm = 0; realm < REALMS; realm++) {
            uint8_t *plies = b->plies_to_city[table][realm], *banished = &b->banished_plies_to_city[table][realm];
            *banished = FAR;
            while (improve_plies_to_city(b, table + 3, cities[realm], plies, banished))
                continue;
            for (unsigned other = 0; other < REALMS; other++)
                if (other != realm)
                    b->plies_between_cities[table] =
                        (uint8_t)min_of(b->plies_between_cities[table], plies[cities[other]]);
        }
    }
}

const char *rf_gran_complete(rf_gran_board *b)
{
    const char *wrong = check(b);
    if (wrong != NULL)
        return wrong;
    b->card_count = 0;
    for (unsigned value = 0; value < GR_CARDS; value++)
        b->card_count = (uint16_t)(b->card_count + b->cards[value]);
    fill_sets(b);
    fill_two_steps(b);
    fill_strides(b);
    fill_orders(b);
    fill_steps(b);
    fill_wins(b);
    return NULL;
}
