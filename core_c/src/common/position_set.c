/* The set of positions: open addressing over an array that grows (common/position_set.h).
 *
 * Invariants: `slots` has two slots per position that fits, so a probe always meets a free slot; numbers
 * never change. */
#include "common/position_set.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 1024 };

static unsigned char *state_at(const rf_position_set *set, uint64_t number)
{
    return set->states + number * set->state_size;
}

/* The slot that holds a position, or the free one where it belongs. */
static uint64_t find_slot(const rf_position_set *set, const void *state)
{
    uint64_t slot = rf_hash_bytes(state, set->state_size) & set->slot_mask;
    while (set->slots[slot] != RF_NO_NUMBER &&
           memcmp(state_at(set, set->slots[slot]), state, set->state_size) != 0)
        slot = (slot + 1) & set->slot_mask;
    return slot;
}

void rf_position_set_free(rf_position_set *set)
{
    free(set->states);
    free(set->slots);
    rf_position_set_init(set, set->state_size);
}

void rf_position_set_clear(rf_position_set *set)
{
    set->count = 0;
    if (set->slots != NULL)
        memset(set->slots, 0xff, (size_t)(set->slot_mask + 1) * sizeof *set->slots);
}

uint64_t rf_position_set_bytes(const rf_position_set *set, uint64_t capacity)
{
    return capacity * (set->state_size + 2 * sizeof *set->slots) + capacity / 2 * set->state_size;
}

uint64_t rf_position_set_next_capacity(const rf_position_set *set)
{
    return set->capacity == 0 ? FIRST_CAPACITY : 2 * set->capacity;
}

bool rf_position_set_grow(rf_position_set *set)
{
    uint64_t capacity = rf_position_set_next_capacity(set);
    uint32_t *slots = malloc((size_t)(2 * capacity) * sizeof *slots);
    unsigned char *states = realloc(set->states, (size_t)capacity * set->state_size);
    if (states != NULL)
        set->states = states;
    if (slots == NULL || states == NULL) {
        free(slots);
        return false;
    }
    free(set->slots);
    set->slots = slots;
    set->slot_mask = 2 * capacity - 1;
    set->capacity = capacity;
    memset(slots, 0xff, (size_t)(2 * capacity) * sizeof *slots);
    for (uint64_t i = 0; i < set->count; i++)
        slots[find_slot(set, state_at(set, i))] = (uint32_t)i;
    return true;
}

uint32_t rf_position_set_find(const rf_position_set *set, const void *s)
{
    return set->capacity == 0 ? RF_NO_NUMBER : set->slots[find_slot(set, s)];
}

uint32_t rf_position_set_add(rf_position_set *set, const void *s)
{
    if (set->capacity == 0)
        return RF_NO_NUMBER;
    uint64_t slot = find_slot(set, s);
    if (set->slots[slot] == RF_NO_NUMBER && set->count < set->capacity && set->count < RF_NO_NUMBER) {
        memcpy(state_at(set, set->count), s, set->state_size);
        set->slots[slot] = (uint32_t)set->count++;
    }
    return set->slots[slot];
}

void rf_position_set_get(const rf_position_set *set, uint64_t number, rf_state *out)
{
    memset(out, 0, sizeof *out);
    memcpy(out, state_at(set, number), set->state_size);
}
