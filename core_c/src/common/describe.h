/* Helpers that fill an rf_description.
 *
 * Invariant: no game exceeds RF_MAX_PIECES, RF_MAX_COUNTERS or RF_MAX_OPTIONS, so the helpers do not check them.
 * Example: rf_add_piece(d, "ring", 0, 1, 3)->value = 2 adds a ring of height 2 on b4. */
#ifndef RINGFEN_DESCRIBE_H
#define RINGFEN_DESCRIBE_H

#include "common/base.h"

/* Adds a piece on a square; the caller may set its other fields. */
static inline rf_piece *rf_add_piece(rf_description *d, const char *kind, unsigned owner, unsigned file, unsigned rank)
{
    rf_piece *piece = &d->pieces[d->piece_count++];
    *piece = (rf_piece){.kind = kind, .owner = (uint8_t)owner, .file = (uint8_t)file, .rank = (uint8_t)rank};
    return piece;
}

/* Adds a piece elsewhere: RF_ON_THRONE of a player, RF_HELD by piece number `of`, or RF_OFF_BOARD (`of` is 0). */
static inline rf_piece *rf_add_piece_at(rf_description *d, const char *kind, unsigned owner, unsigned place,
                                        unsigned of)
{
    rf_piece *piece = rf_add_piece(d, kind, owner, 0, 0);
    piece->place = (uint8_t)place;
    piece->of = (uint8_t)of;
    return piece;
}

static inline void rf_add_counter(rf_description *d, const char *name, unsigned player, unsigned index, unsigned number)
{
    d->counters[d->counter_count++] = (rf_counter){name, (uint8_t)player, (uint8_t)index, (uint16_t)number};
}

static inline void rf_add_option(rf_description *d, const char *name, const char *value)
{
    d->options[d->option_count++] = (rf_option){name, value};
}

#endif
