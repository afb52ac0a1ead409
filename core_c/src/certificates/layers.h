/* Certificates of winning probabilities: the positions that a strategy leads to, ply by ply.
 *
 * Idea: a claim says that `player` wins with at least some probability, an unfinished game counting 0, or, if `upper`,
 * with at most some probability, an unfinished game counting 1. Its party is the player, or all other players. The
 * positions after each number of plies form a layer. For each unfinished position of a layer, in the order in which
 * they were found, there is a number: 0 if nothing follows, so that it counts as unfinished; otherwise 1 + the index of
 * the chosen ply in byte order if the party decides; otherwise 1, and all plies follow.
 *
 * This file walks the layers in order; core_c/certificates/chance.py computes the probabilities. No search uses it.
 *
 * Example: South rolls a die (all plies follow, number 1), then chooses (number 1 + index). With number 0 for all
 * positions of layer 2, the bound is that of two plies. */
#ifndef RINGFEN_CERTIFICATE_LAYERS_H
#define RINGFEN_CERTIFICATE_LAYERS_H

#include "ringfen.h"

/* cffi: begin */

/* The kind of a position of a layer. */
enum {
    RF_LAYER_LOST = 0,   /* finished, and not won by the player */
    RF_LAYER_WON = 1,
    RF_LAYER_OPEN = 2,   /* unfinished, and no ply follows */
    RF_LAYER_MEAN = 3,   /* a chance event */
    RF_LAYER_MAX = 4,    /* the player decides */
    RF_LAYER_MIN = 5     /* another player decides */
};

typedef struct rf_layers rf_layers;

/* The first layer, which contains only the root. If `excludes`, all its plies but `excluded` follow; if there are no
 * others, it counts as lost. NULL if memory ran out. `memory` limits the bytes of two layers. */
rf_layers *rf_layers_new(const rf_game *game, const void *ctx, const rf_state *root, unsigned player, bool upper,
                         bool excludes, rf_ply excluded, uint64_t memory);
void rf_layers_free(rf_layers *layers);
int rf_layers_error(const rf_layers *layers);

/* The current layer: the number of positions and their kinds. Unfinished positions are OPEN until they are
 * processed. */
uint64_t rf_layers_size(const rf_layers *layers);
const uint8_t *rf_layers_kinds(const rf_layers *layers);
void rf_layers_state(const rf_layers *layers, uint64_t index, rf_state *out);
/* The next unfinished position to process; the size if there is none. */
uint64_t rf_layers_next_unexpanded(rf_layers *layers);
/* Whether the party of the claim decides there, not chance or the other party. */
bool rf_layers_party_decides(const rf_layers *layers, uint64_t index);
/* Processes the position of rf_layers_next_unexpanded with its number. False: an error, or no memory. */
bool rf_layers_expand(rf_layers *layers, uint32_t number);
/* Processes positions with the numbers in `bytes` until these or the layer end. Returns the bytes used (fewer than 5
 * may remain unless `last`), or -1 if the certificate is rejected or control->stopped. */
int64_t rf_layers_check(rf_layers *layers, const unsigned char *bytes, size_t length, bool last, rf_control *control);

/* The successors of processed positions: those of position i are edges[first[i]] up to edges[first[i + 1]], numbers in
 * the next layer, with a weight each. `first` has size + 1 entries once the layer is processed. */
const uint32_t *rf_layers_first_edges(const rf_layers *layers);
const uint32_t *rf_layers_edges(const rf_layers *layers);
const uint32_t *rf_layers_weights(const rf_layers *layers);

/* Goes to the next layer. */
bool rf_layers_advance(rf_layers *layers);

/* cffi: end */

#endif
