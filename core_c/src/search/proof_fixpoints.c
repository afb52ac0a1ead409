/* What a stored graph decides, and in how many plies its wins are sure. */
#include <stdlib.h>

#include "control.h"
#include "search/proof_store.h"

enum { NODES_BETWEEN_CHECKS = 1 << 15, AHEAD = 16, WAITING = 8, EDGES_FETCHED = 8 };

static bool is_open(const rf_proof *p, uint32_t place)
{
    return (p->status[0][place] & DECIDED) == 0 || (p->status[1][place] & DECIDED) == 0;
}

/* Whose edges are turned round. */
static bool is_turned(const rf_proof *p, uint32_t place) { return p->turn_all || is_open(p, place); }

/* Places of a half of the edges, or of all where one thread does everything. Edges rise with places until the root is
 * solved: only questions about the distance give a node other edges, and turn none round. */
static uint32_t first_of_part(const rf_proof *p, unsigned part)
{
    if (part != 1 || p->team == NULL)
        return part == 0 ? 0 : p->expanded;
    uint32_t low = 0, high = p->expanded;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->at[middle].first < p->edges / 2)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* By the node that an edge leads to: first how many there are, then where the next one is put, from the last to the
 * first. The second part has numbers of its own. */
static uint32_t *numbers_of_part(const rf_proof *p, unsigned part) { return part == 0 ? p->before_first : p->queue[1]; }

static bool count_part(rf_proof *p, unsigned part, rf_control *control)
{
    uint32_t *counts = numbers_of_part(p, part);
    memset(counts, 0, p->expanded * sizeof *counts);
    const uint32_t end = first_of_part(p, part + 1);
    for (uint32_t place = first_of_part(p, part); place < end; place++) {
        const expanded_node *at = &p->at[place];
        const uint32_t *edge = &p->edge[at->first];
        uint16_t fresh = 0;
        if (is_turned(p, place))
            for (uint32_t i = 0; i < at->count; i++) {
                if (at->first + i + AHEAD < p->edges)
                    __builtin_prefetch(&p->place[edge[i + AHEAD] >> PLIES_BITS]);
                const uint32_t to = p->place[edge[i] >> PLIES_BITS];
                if (to != 0)
                    counts[to - 1]++;
                else
                    fresh++;
            }
        p->fresh[place] = fresh;
    }
    return control->stopped == RF_DONE;
}

static bool turn_part(rf_proof *p, unsigned part, rf_control *control)
{
    uint32_t *next = numbers_of_part(p, part);
    const uint32_t begin = first_of_part(p, part);
    for (uint32_t place = first_of_part(p, part + 1); place-- > begin;) {
        const expanded_node *at = &p->at[place];
        const uint32_t *edge = &p->edge[at->first];
        if (at->count == p->fresh[place] || !is_turned(p, place))
            continue;
        for (uint32_t i = at->count; i-- > 0;) {
            if (at->first + i >= AHEAD)
                __builtin_prefetch(&p->place[*(edge + i - AHEAD) >> PLIES_BITS]);
            const uint32_t to = p->place[edge[i] >> PLIES_BITS];
            if (to != 0)
                p->before[--next[to - 1]] = place << PLIES_BITS | (edge[i] & PLIES_MASK);
        }
    }
    return control->stopped == RF_DONE;
}

/* Turns the edges between expanded nodes round: of all of these, or of those with an open question. Counts the others.
 * False: stopped. */
static bool turn_round(rf_proof *p, bool all, rf_control *control)
{
    const unsigned parts = p->team == NULL ? 1 : 2;
    p->turn_all = all;
    if (!rf_proof_do_parts(p, parts, count_part, control))
        return false;
    uint32_t sum = 0;
    for (uint32_t place = 0; place < p->expanded; place++)
        for (unsigned part = 0; part < parts; part++) {
            uint32_t *count = &numbers_of_part(p, part)[place];
            sum += *count;
            *count = sum;
        }
    p->before_first[p->expanded] = sum;
    p->inner = sum;
    return rf_proof_do_parts(p, parts, turn_part, control);
}

static bool check(rf_control *control, uint64_t done)
{
    if (done % NODES_BETWEEN_CHECKS == 0)
        rf_control_check(control);
    return control->stopped == RF_DONE;
}

/* Fetches, for nodes that wait in a queue, the edges turned round, and what is known of the nodes before. */
static void fetch_before(const rf_proof *p, const uint8_t *status, const uint16_t *left, const uint32_t *queue)
{
    __builtin_prefetch(&p->before_first[queue[3 * WAITING]]);
    __builtin_prefetch(&p->before[p->before_first[queue[2 * WAITING]]]);
    const uint32_t first = p->before_first[queue[WAITING]], count = p->before_first[queue[WAITING] + 1] - first;
    for (uint32_t i = 0; i < count && i < EDGES_FETCHED; i++) {
        __builtin_prefetch(&status[p->before[first + i] >> PLIES_BITS], 1);
        __builtin_prefetch(&left[p->before[first + i] >> PLIES_BITS], 1);
    }
}

/* Sets `mark` on every node from which the player of the question forces play to a node that has it. `left` counts the
 * successors that do not have it for sure. False: stopped. */
static bool attract(rf_proof *p, unsigned q, uint8_t mark, rf_control *control)
{
    uint8_t *status = p->status[q];
    uint32_t *queue = p->queue[q], queued = 0;
    for (uint32_t place = 0; place < p->expanded; place++)
        if (status[place] & mark)
            queue[queued++] = place;
    for (uint32_t head = 0; head < queued; head++) {
        if (!check(control, head))
            return false;
        if (head + 3 * WAITING < queued)
            fetch_before(p, status, p->left[q], queue + head);
        const uint32_t to = queue[head];
        for (uint32_t i = p->before_first[to]; i < p->before_first[to + 1]; i++) {
            const uint32_t from = p->before[i] >> PLIES_BITS;
            if (status[from] & (mark | DECIDED))
                continue;
            if ((status[from] & OR_NODE) != 0 || --p->left[q][from] == 0) {
                status[from] |= mark;
                queue[queued++] = from;
            }
        }
    }
    return true;
}

/* What is not expanded counts as not won in the first fixpoint, which proves, and as won in the second: what that does
 * not reach is not won, whatever the graph may still become. */
static bool decide_one(rf_proof *p, unsigned q, rf_control *control)
{
    uint8_t *status = p->status[q];
    uint16_t *left = p->left[q];
    for (uint32_t place = 0; place < p->expanded; place++)
        left[place] = p->at[place].count;
    if (!attract(p, q, PROVEN, control))
        return false;
    for (uint32_t place = 0; place < p->expanded; place++) {
        left[place] = (uint16_t)(p->at[place].count - p->fresh[place]);
        if ((status[place] & PROVEN) != 0)
            status[place] |= REACHED;
        else if ((status[place] & DISPROVEN) == 0 && p->fresh[place] > 0 &&
                 ((status[place] & OR_NODE) != 0 || left[place] == 0))
            status[place] |= REACHED;
    }
    const bool done = attract(p, q, REACHED, control);
    for (uint32_t place = 0; place < p->expanded; place++) {
        proof_numbers *numbers = &p->at[place].of.numbers;
        if (status[place] & PROVEN) {
            rf_proof_prove(p, place, q);
        } else if (status[place] & REACHED) {
            if (numbers->dn[q] == 0) /* disproven for a path that is gone */
                numbers->pn[q] = numbers->dn[q] = 1;
        } else if (done) {
            rf_proof_disprove(p, place, q);
        }
        status[place] &= (uint8_t)~REACHED;
    }
    return done;
}

bool rf_proof_decide(rf_proof *p, rf_control *control)
{
    if (!turn_round(p, false, control))
        return false;
    for (unsigned q = 0; q < QUESTIONS; q++)
        if ((rf_proof_status(p, 0, q) & DISPROVEN) != 0)
            return decide_one(p, 1 - q, control);
    return rf_proof_do_parts(p, QUESTIONS, decide_one, control);
}

/* ---- distances ---- */

static void unlink_node(rf_proof *p, uint32_t *heads, uint32_t place)
{
    measured *at = &p->at[place].of.distance;
    if (at->before != 0)
        p->at[at->before - 1].of.distance.next = at->next;
    else
        heads[at->distance] = at->next;
    if (at->next != 0)
        p->at[at->next - 1].of.distance.before = at->before;
}

/* Puts a node among those of a distance, which takes the place of another one. */
static void put(rf_proof *p, uint32_t *heads, uint32_t place, uint32_t distance)
{
    measured *at = &p->at[place].of.distance;
    if (distance > RF_PROOF_LAST)
        return;
    if (at->distance != 0)
        unlink_node(p, heads, place);
    at->distance = distance;
    at->before = 0;
    at->next = heads[distance];
    if (at->next != 0)
        p->at[at->next - 1].of.distance.before = place + 1;
    heads[distance] = place + 1;
}

/* The longest that the player to move can hold out. */
static uint32_t longest(const rf_proof *p, uint32_t place)
{
    const expanded_node *at = &p->at[place];
    uint32_t most = at->leaf == RF_PROOF_NO_SCORE ? 0 : (uint32_t)(RF_PROOF_LAST + at->leaf);
    for (uint32_t i = 0; i < at->count; i++) {
        const uint32_t edge = p->edge[at->first + i], to = p->place[edge >> PLIES_BITS];
        const uint32_t one = p->at[to - 1].of.distance.distance + (edge & PLIES_MASK);
        if (one > most)
            most = one;
    }
    return most;
}

static void settle(rf_proof *p, uint32_t *heads, uint32_t place, unsigned q)
{
    const uint32_t distance = p->at[place].of.distance.distance;
    unlink_node(p, heads, place);
    p->at[place].of.distance.least = 1;
    for (uint32_t i = p->before_first[place]; i < p->before_first[place + 1]; i++) {
        const uint32_t from = p->before[i] >> PLIES_BITS;
        const measured *at = &p->at[from].of.distance;
        if ((p->status[q][from] & PROVEN) == 0 || at->least)
            continue;
        if (p->status[q][from] & OR_NODE) {
            const uint32_t found = distance + (p->before[i] & PLIES_MASK);
            if (at->distance == 0 || found < at->distance)
                put(p, heads, from, found);
        } else if (--p->left[q][from] == 0) {
            put(p, heads, from, longest(p, from));
        }
    }
}

bool rf_proof_measure(rf_proof *p, rf_control *control)
{
    const unsigned q = (rf_proof_status(p, 0, 1) & PROVEN) != 0;
    if ((rf_proof_status(p, 0, q) & PROVEN) == 0)
        return true;
    uint32_t *heads = calloc(RF_PROOF_LAST + 1, sizeof *heads);
    if (heads == NULL) {
        control->stopped = RF_STOPPED_MEMORY;
        return false;
    }
    if (!turn_round(p, true, control)) {
        free(heads);
        return false;
    }
    for (uint32_t place = 0; place < p->expanded; place++) {
        expanded_node *at = &p->at[place];
        at->of.distance = (measured){0, 0, 0, 0};
        p->left[q][place] = at->count;
    }
    for (uint32_t place = 0; place < p->expanded; place++) {
        const expanded_node *at = &p->at[place];
        if ((p->status[q][place] & PROVEN) == 0)
            continue;
        if ((p->status[q][place] & OR_NODE) == 0 && at->count == 0)
            put(p, heads, place, longest(p, place));
        else if ((p->status[q][place] & OR_NODE) != 0 && at->leaf > 0)
            put(p, heads, place, (uint32_t)(RF_PROOF_LAST - at->leaf));
    }
    uint64_t done = 0;
    bool going_on = true;
    for (uint32_t distance = 1; distance <= RF_PROOF_LAST && going_on; distance++)
        while (heads[distance] != 0 && (going_on = check(control, ++done)))
            settle(p, heads, heads[distance] - 1, q);
    free(heads);
    p->is_measured = going_on;
    p->inner = 0; /* nothing is turned round any more */
    return going_on;
}

uint32_t rf_proof_upper(const rf_proof *p, rf_proof_key key)
{
    const uint32_t n = p->is_measured ? rf_proof_find(p, key) : NO_NODE;
    return n == NO_NODE || p->place[n] == 0 ? 0 : p->at[p->place[n] - 1].of.distance.distance;
}
