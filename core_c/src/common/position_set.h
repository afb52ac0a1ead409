/* A set of positions, or of other things of one size without padding, numbered in the order in which they came. */
#ifndef RINGFEN_POSITION_SET_H
#define RINGFEN_POSITION_SET_H

#include "common/base.h"

#define RF_NO_PLACE UINT32_MAX

typedef struct rf_set {
    size_t state_size;
    unsigned char *states; /* state_size bytes each */
    uint32_t *slots;       /* open addressing: numbers of positions, RF_NO_PLACE where free */
    uint64_t count, room, slot_mask;
} rf_set;

static inline void rf_set_init(rf_set *set, size_t state_size) { *set = (rf_set){.state_size = state_size}; }
void rf_set_free(rf_set *set);
/* Forgets the positions, keeps the memory. */
void rf_set_clear(rf_set *set);
/* The most bytes that a set takes while it grows to this many positions. */
uint64_t rf_set_bytes(const rf_set *set, uint64_t room);
/* The room after the next growth. */
uint64_t rf_set_next_room(const rf_set *set);
/* Makes room for more positions; false if memory ran out. */
bool rf_set_grow(rf_set *set);
/* The number of a position; RF_NO_PLACE if it is not in the set. */
uint32_t rf_set_find(const rf_set *set, const void *s);
/* The number of a position, which is put in if it is new and there is room; RF_NO_PLACE if it is new and there is
 * none. */
uint32_t rf_set_add(rf_set *set, const void *s);
/* The position with a number, with zeros beyond its size. */
void rf_set_get(const rf_set *set, uint64_t number, rf_state *out);

#endif
