/* A set of positions, or of other values of one size without padding, numbered in the order in which they are added.
 *
 * Idea: an array of the positions, and a hash table with open addressing of their numbers, at most half full.
 * Example: rf_position_set_add(set, a) returns 0, rf_position_set_add(set, b) returns 1, rf_position_set_add(set, a)
 * returns 0 again. */
#ifndef RINGFEN_POSITION_SET_H
#define RINGFEN_POSITION_SET_H

#include "common/base.h"

#define RF_NO_NUMBER UINT32_MAX

typedef struct rf_position_set {
    size_t state_size;
    unsigned char *states; /* state_size bytes each */
    uint32_t *slots;       /* open addressing: numbers of positions, RF_NO_NUMBER where free */
    uint64_t count, capacity, slot_mask;
} rf_position_set;

static inline void rf_position_set_init(rf_position_set *set, size_t state_size)
{
    *set = (rf_position_set){.state_size = state_size};
}
void rf_position_set_free(rf_position_set *set);
/* Forgets the positions, keeps the memory. */
void rf_position_set_clear(rf_position_set *set);
/* The bytes that a set needs while it grows to `capacity` positions. */
uint64_t rf_position_set_bytes(const rf_position_set *set, uint64_t capacity);
/* The capacity after the next rf_position_set_grow. */
uint64_t rf_position_set_next_capacity(const rf_position_set *set);
/* Makes room for more positions; false if memory ran out. */
bool rf_position_set_grow(rf_position_set *set);
/* The number of a position; RF_NO_NUMBER if it is not in the set. */
uint32_t rf_position_set_find(const rf_position_set *set, const void *s);
/* The number of a position, which is added if it is new; RF_NO_NUMBER if it is new and there is no room. */
uint32_t rf_position_set_add(rf_position_set *set, const void *s);
/* Copies the position with a number; bytes beyond its size are zero. */
void rf_position_set_get(const rf_position_set *set, uint64_t number, rf_state *out);

#endif
