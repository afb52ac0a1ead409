/* Certificates of winning probabilities: the positions that a strategy leads to, ply by ply.
 *
 * A claim says that `player` wins with at least some probability, a game not over counting 0, or (`upper`) at most,
 * counting 1. Its party is the player, or all others. The positions after each number of plies make up a layer. For
 * each unfinished position of a layer, in the order in which they came up, there is a number: 0 if nothing follows, so
 * that it counts as a game not over; else, where the party decides, 1 + the place of the chosen ply in byte order;
 * elsewhere, where all plies follow, 1.
 *
 * Here are the layers, one after the other; the arithmetic is done by whoever asks (certificate_chance.py). */
#ifndef RINGFEN_CERTIFICATE_LAYERS_H
#define RINGFEN_CERTIFICATE_LAYERS_H

#include "ringfen.h"

/* cffi: begin */

/* What a position of a layer is. */
enum {
    RF_LAYER_LOST = 0,   /* finished, and not won by the player */
    RF_LAYER_WON = 1,
    RF_LAYER_OPEN = 2,   /* unfinished, and nothing follows */
    RF_LAYER_MEAN = 3,   /* a chance event */
    RF_LAYER_MOST = 4,   /* the player decides */
    RF_LAYER_LEAST = 5   /* another player decides */
};

typedef struct rf_layers rf_layers;

/* The first layer, which holds the root alone. NULL if memory ran out. `memory` bounds the bytes of two layers. */
rf_layers *rf_layers_new(const rf_game *game, const void *ctx, const rf_state *root, unsigned player, bool upper,
                         uint64_t memory);
void rf_layers_free(rf_layers *layers);
int rf_layers_fault(const rf_layers *layers);

/* The present layer: positions, and what they are. Unfinished ones are OPEN until they are treated. */
uint64_t rf_layers_size(const rf_layers *layers);
const uint8_t *rf_layers_kinds(const rf_layers *layers);
void rf_layers_state(const rf_layers *layers, uint64_t index, rf_state *out);
/* The next unfinished position that is not treated; the size if there is none. */
uint64_t rf_layers_due(rf_layers *layers);
/* Whether the claim's party decides there; chance and the other party do not. */
bool rf_layers_decides(const rf_layers *layers, uint64_t index);
/* Treats the position that is due, by its number. False: fault, memory. */
bool rf_layers_treat(rf_layers *layers, uint32_t number);
/* Treats positions by the numbers in `bytes` as far as they and the layer go. Gives how many bytes were used (a rest
 * of under 5 may be left unless `last`), or -1 if the certificate is refused or control->stopped. */
int64_t rf_layers_feed(rf_layers *layers, const unsigned char *bytes, size_t length, bool last, rf_control *control);

/* Where treated positions lead: position i to the places edges[first[i]] up to edges[first[i + 1]] of the next layer,
 * with as many weights. first has size + 1 entries once all is treated. */
const uint32_t *rf_layers_first(const rf_layers *layers);
const uint32_t *rf_layers_edges(const rf_layers *layers);
const uint32_t *rf_layers_weights(const rf_layers *layers);

/* Goes to the next layer. */
bool rf_layers_descend(rf_layers *layers);

/* cffi: end */

#endif
