/* Visits the positions of a strategy in a game with chance, layer by layer (certificates/layers.h).
 *
 * Idea: a layer is a set of positions with the kind of each and its edges to the next layer, one range of `edges` for
 * each position. When a layer is finished, the next one takes its place.
 * Invariants: memory covers two layers; positions before `processed` have all their edges; a hostile
 * certificate can cause only an error.
 * Example: the 42 results of a fight lead to at most 14 positions (each card, won or lost): one range of at most 14
 * edges, each with its weight. */
#include "certificates/layers.h"

#include <stdlib.h>

#include "certificates/certificate.h"
#include "control.h"
#include "common/position_set.h"
#include "game.h"

struct rf_layers {
    const rf_game *game;
    const void *ctx;
    unsigned player;
    bool upper;
    bool excludes; /* while the first layer is current: whether `excluded` does not follow */
    rf_ply excluded;
    uint64_t memory;
    int error;
    bool no_memory;
    rf_ply *plies;

    rf_position_set layer, next;
    uint8_t *kinds; /* of `layer` */
    uint64_t processed;
    uint32_t *first; /* up to first[processed] */
    uint32_t *edges, *weights;
    uint64_t edge_capacity;
};

static int kind_of(const rf_layers *l, const rf_state *s)
{
    int outcome = l->game->outcome(l->ctx, s);
    if (outcome == RF_OUTCOME_NONE)
        return RF_LAYER_OPEN;
    return outcome == (int)l->player ? RF_LAYER_WON : RF_LAYER_LOST;
}

/* Whether both layers fit in the memory with these numbers of positions and edges. */
static bool fits(const rf_layers *l, uint64_t layer, uint64_t next, uint64_t edges)
{
    uint64_t bytes = rf_position_set_bytes(&l->layer, layer) + rf_position_set_bytes(&l->next, next) +
                     layer * (sizeof *l->kinds + sizeof *l->first) + edges * (sizeof *l->edges + sizeof *l->weights);
    return bytes <= l->memory && edges < RF_NO_NUMBER;
}

/* Prepares a layer that has just become the current layer. */
static bool begin_layer(rf_layers *l)
{
    free(l->kinds);
    free(l->first);
    l->kinds = malloc((size_t)l->layer.count + 1);
    l->first = malloc((size_t)(l->layer.count + 1) * sizeof *l->first);
    l->processed = 0;
    if (l->kinds == NULL || l->first == NULL) {
        l->no_memory = true;
        return false;
    }
    l->first[0] = 0;
    for (uint64_t i = 0; i < l->layer.count; i++) {
        rf_state s;
        rf_position_set_get(&l->layer, i, &s);
        l->kinds[i] = (uint8_t)kind_of(l, &s);
    }
    return true;
}

rf_layers *rf_layers_new(const rf_game *game, const void *ctx, const rf_state *root, unsigned player, bool upper,
                         bool excludes, rf_ply excluded, uint64_t memory)
{
    rf_layers *l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->game = game;
    l->ctx = ctx;
    l->player = player;
    l->upper = upper;
    l->excludes = excludes;
    l->excluded = excluded;
    l->memory = memory;
    rf_position_set_init(&l->layer, game->state_size);
    rf_position_set_init(&l->next, game->state_size);
    l->plies = malloc(game->max_plies * sizeof *l->plies);
    if (l->plies == NULL || !rf_position_set_grow(&l->layer) || rf_position_set_add(&l->layer, root) == RF_NO_NUMBER ||
        !begin_layer(l)) {
        rf_layers_free(l);
        return NULL;
    }
    return l;
}

void rf_layers_free(rf_layers *layers)
{
    if (layers == NULL)
        return;
    rf_position_set_free(&layers->layer);
    rf_position_set_free(&layers->next);
    free(layers->plies);
    free(layers->kinds);
    free(layers->first);
    free(layers->edges);
    free(layers->weights);
    free(layers);
}

int rf_layers_error(const rf_layers *layers) { return layers->error; }
uint64_t rf_layers_size(const rf_layers *layers) { return layers->layer.count; }
const uint8_t *rf_layers_kinds(const rf_layers *layers) { return layers->kinds; }
const uint32_t *rf_layers_first_edges(const rf_layers *layers) { return layers->first; }
const uint32_t *rf_layers_edges(const rf_layers *layers) { return layers->edges; }
const uint32_t *rf_layers_weights(const rf_layers *layers) { return layers->weights; }

void rf_layers_state(const rf_layers *layers, uint64_t index, rf_state *out)
{
    rf_position_set_get(&layers->layer, index, out);
}

uint64_t rf_layers_next_unexpanded(rf_layers *layers)
{
    while (layers->processed < layers->layer.count && layers->kinds[layers->processed] != RF_LAYER_OPEN) {
        layers->first[layers->processed + 1] = layers->first[layers->processed];
        layers->processed++;
    }
    return layers->processed;
}

static bool party_decides(const rf_layers *l, const rf_state *s)
{
    return !rf_at_chance(l->game, l->ctx, s) && (l->game->player(l->ctx, s) == l->player) != l->upper;
}

bool rf_layers_party_decides(const rf_layers *layers, uint64_t index)
{
    rf_state s;
    rf_position_set_get(&layers->layer, index, &s);
    return party_decides(layers, &s);
}

static bool reserve_edges(rf_layers *l, uint64_t edges)
{
    if (edges > l->edge_capacity) {
        uint64_t capacity = l->edge_capacity == 0 ? 1024 : l->edge_capacity;
        while (capacity < edges)
            capacity *= 2;
        uint32_t *resized = NULL;
        if (!fits(l, l->layer.capacity, l->next.capacity, capacity) ||
            (resized = realloc(l->edges, (size_t)capacity * sizeof *resized)) == NULL)
            return false;
        l->edges = resized;
        if ((resized = realloc(l->weights, (size_t)capacity * sizeof *resized)) == NULL)
            return false;
        l->weights = resized;
        l->edge_capacity = capacity;
    }
    if (l->next.count < l->next.capacity)
        return true;
    return fits(l, l->layer.capacity, rf_position_set_next_capacity(&l->next),
                l->edge_capacity) && rf_position_set_grow(&l->next);
}

static bool add_edge(rf_layers *l, const rf_state *s, rf_ply ply, bool chance)
{
    uint32_t edge = l->first[l->processed + 1];
    rf_state child;
    memset(&child, 0, sizeof child);
    l->game->apply(l->ctx, s, ply, &child);
    if (!reserve_edges(l, (uint64_t)edge + 1)) {
        l->no_memory = true;
        return false;
    }
    l->edges[edge] = rf_position_set_add(&l->next, &child);
    l->weights[edge] = chance ? rf_weight_of(l->game, l->ctx, s, ply) : 1;
    l->first[l->processed + 1]++;
    return true;
}

bool rf_layers_expand(rf_layers *layers, uint32_t number)
{
    uint64_t index = rf_layers_next_unexpanded(layers);
    rf_state s;
    rf_position_set_get(&layers->layer, index, &s);
    layers->first[index + 1] = layers->first[index];
    if (number > 0) {
        bool chance = rf_at_chance(layers->game, layers->ctx, &s), decides = party_decides(layers, &s);
        bool player = !chance && layers->game->player(layers->ctx, &s) == layers->player;
        int64_t plies = rf_sorted_plies(layers->game, layers->ctx, &s, layers->plies);
        if (plies < 0) {
            layers->no_memory = true;
            return false;
        }
        if (number > (decides ? (uint64_t)plies : 1)) {
            layers->error = RF_CERT_PLY;
            return false;
        }
        int64_t from = decides ? (int64_t)number - 1 : 0, to = decides ? (int64_t)number : plies;
        for (int64_t i = from; i < to; i++)
            if (!(layers->excludes && layers->plies[i] == layers->excluded) &&
                !add_edge(layers, &s, layers->plies[i], chance))
                return false;
        const bool none = layers->first[index + 1] == layers->first[index];
        layers->kinds[index] = none ? RF_LAYER_LOST : chance ? RF_LAYER_MEAN : player ? RF_LAYER_MAX : RF_LAYER_MIN;
    }
    layers->processed++;
    return true;
}

int64_t rf_layers_check(rf_layers *layers, const unsigned char *bytes, size_t length, bool last, rf_control *control)
{
    size_t at = 0;
    while (rf_layers_next_unexpanded(layers) < layers->layer.count && (last || length - at >= RF_LONGEST_NUMBER)) {
        uint32_t number;
        if (layers->error != RF_CERT_GOOD || layers->no_memory || rf_tick(control))
            return -1;
        int error = rf_read_leb128(bytes, length, &at, &number);
        if (error != RF_CERT_GOOD) {
            layers->error = error;
            return -1;
        }
        if (!rf_layers_expand(layers, number)) {
            if (layers->no_memory)
                control->stopped = RF_STOPPED_MEMORY;
            return -1;
        }
        control->done++;
    }
    return (int64_t)at;
}

bool rf_layers_advance(rf_layers *layers)
{
    rf_position_set next = layers->layer;
    layers->excludes = false;
    layers->layer = layers->next;
    rf_position_set_clear(&next);
    layers->next = next;
    return begin_layer(layers);
}
