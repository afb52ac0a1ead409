/* The parts that the two searches of winning probabilities share (search.h): memory, the order of plies, groups of
 * chance results, and proofs that apply to several plies.
 *
 * Idea: a ply after which a kept proof applies needs no search. A proof applies if the fixed part is the same and all
 * mask bits that it has read agree (masks.h). Plies with the same fixed part are neighbours in byte order, so comparing
 * each with the one before it finds them.
 * Invariant: a proof applies only to later plies, so the first of equal plies is the one that is played.
 * Example: +b2 and +c2 lead to the same fixed part. The proof after +b2 reads neither point, so +c2 has its value. */
#include "gran/solver/search.h"

#include <stdlib.h>

/* ---- threads ---- */

static bool gr_is_child_marked(const gr_search *s, const rf_state *state, unsigned plies, const gr_child *c)
{
    rf_state next;
    gr_after(s, state, c->ply, &next);
    const gr_key key = gr_key_of(s, &next, plies - 1);
    return gr_is_marked(s, &key);
}

bool gr_poll(gr_search *s, unsigned plies, const gr_path_node *here, gr_is_answered *answered)
{
    s->path[plies] = *here;
    if (s->control->nodes < s->next_poll)
        return false;
    s->next_poll = s->control->nodes + GR_NODES_BETWEEN_POLLS;
    for (unsigned left = s->max_plies; left > plies; left--)
        if (answered(s, &s->path[left])) {
            s->answered = left;
            return true;
        }
    return false;
}

bool gr_has_returned(gr_search *s, unsigned plies)
{
    if (s->answered != plies || s->control->stopped != RF_DONE)
        return false;
    s->answered = 0;
    return true;
}

/* The first child that was deferred. */
static gr_child *gr_first_deferred(gr_queue *q)
{
    while (!q->children[q->first].is_deferred)
        q->first++;
    return &q->children[q->first];
}

static gr_child *gr_undefer(gr_queue *q, gr_child *c)
{
    c->is_deferred = false;
    q->deferred--;
    return c;
}

gr_child *gr_next_shared_child(const gr_search *s, const rf_state *state, unsigned plies, gr_queue *q)
{
    gr_child *c;
    if (q->deferred > 0) {
        c = gr_first_deferred(q);
        if (q->at == q->count || !gr_is_child_marked(s, state, plies, c))
            return gr_undefer(q, c); /* the other thread has finished, or both threads work on it */
    }
    while (q->at < q->count) {
        c = &q->children[q->at++];
        c->is_deferred = plies > GR_SHARED_PLIES && q->at > 1 && gr_is_child_marked(s, state, plies, c);
        if (!c->is_deferred)
            return c;
        q->deferred++;
    }
    return q->deferred > 0 ? gr_undefer(q, gr_first_deferred(q)) : NULL;
}

/* ---- what both searches need ---- */

gr_search gr_new_search(const void *ctx, const rf_state *state, rf_chance_table *table, rf_control *control)
{
    return (gr_search){.ctx = ctx,
                       .control = control,
                       .table = table,
                       .shared = table != NULL && gr_table_is_shared(table),
                       .players = ((const gr_state *)state)->players};
}

bool gr_begin_search(gr_search *s, unsigned plies)
{
    s->capacity = (size_t)(plies + 2) * GR_MAX_PLIES; /* one list more, to sort in */
    s->plies = malloc(GR_MAX_PLIES * sizeof *s->plies);
    s->children = malloc(s->capacity * sizeof *s->children);
    s->proofs = malloc((size_t)(plies + 1) * GR_MAX_PROOFS * sizeof *s->proofs);
    s->path = malloc((size_t)(plies + 1) * sizeof *s->path);
    s->max_plies = plies;
    if (s->plies != NULL && s->children != NULL && s->proofs != NULL && s->path != NULL)
        return true;
    s->control->stopped = RF_STOPPED_MEMORY;
    return false;
}

void gr_end_search(gr_search *s)
{
    free(s->plies);
    free(s->children);
    free(s->proofs);
    free(s->path);
}

int gr_stop_at_overflow(gr_search *s)
{
    s->control->stopped = RF_STOPPED_OVERFLOW;
    return RF_CHANCE_STOPPED;
}

/* Whether the fixed part after this ply is that of the sequence. Those after all plies with a stone from one position
 * are equal (D1 in masks.c). */
static bool gr_has_fixed(const gr_search *s, const rf_state *state, rf_ply ply, const gr_sequence *at, rf_state *next,
                         gr_fixed *fixed)
{
    gr_mask bits;
    if (at->any && (gr_ply_kind(ply) == GR_PLACE || gr_ply_kind(ply) == GR_SHIFT))
        return true;
    gr_after(s, state, ply, next);
    gr_split_state(next, fixed, &bits);
    return at->any && memcmp(fixed, &at->fixed, sizeof *fixed) == 0;
}

void gr_find_fixed(const gr_search *s, const rf_state *state, gr_sequence *at, gr_child *before, gr_child *now)
{
    rf_state next;
    gr_fixed fixed;
    now->fixed = 0;
    if (gr_has_fixed(s, state, now->ply, at, &next, &fixed)) {
        if (before != NULL && before->fixed == 0)
            before->fixed = ++at->number;
        now->fixed = at->number;
        return;
    }
    at->fixed = fixed;
    at->any = true;
    gr_earliest_wins(s->ctx, &next, at->earliest);
}

bool gr_has_proof(const gr_search *s, const rf_state *next, const gr_child *c, size_t from)
{
    gr_fixed fixed;
    gr_mask bits;
    if (c->fixed == 0)
        return false;
    gr_split_state(next, &fixed, &bits);
    for (size_t i = from; i < s->proof_count; i++) {
        const gr_proof *p = &s->proofs[i];
        uint64_t differ = 0;
        for (unsigned word = 0; word < GR_MASK_WORDS; word++)
            differ |= (bits.word[word] ^ p->bits.word[word]) & p->mask.word[word];
        if (p->fixed == c->fixed && p->index < c->index && differ == 0)
            return true;
    }
    return false;
}

void gr_keep_proof(gr_search *s, const rf_state *next, const gr_child *c, size_t from, const gr_mask *mask)
{
    gr_fixed fixed;
    if (c->fixed == 0 || s->proof_count - from >= GR_MAX_PROOFS)
        return;
    gr_proof *p = &s->proofs[s->proof_count++];
    gr_split_state(next, &fixed, &p->bits);
    p->fixed = c->fixed;
    p->index = c->index;
    p->mask = *mask;
}

size_t gr_group_results(gr_search *s, const rf_state *state, gr_child *out, uint64_t *total)
{
    size_t plies = gr_generate(s->ctx, state, s->plies), groups = 0;
    rf_state last, next;
    *total = 0;
    for (size_t i = 0; i < plies; i++) {
        uint32_t weight = gr_weight(s->ctx, state, s->plies[i]);
        *total += weight;
        gr_after(s, state, s->plies[i], &next);
        if (groups > 0 && memcmp(&next, &last, sizeof(gr_state)) == 0) {
            out[groups - 1].weight += weight;
            continue;
        }
        out[groups] = (gr_child){.ply = s->plies[i], .index = (uint16_t)i, .weight = weight};
        groups++;
        last = next;
    }
    return groups;
}

void gr_sort_children(gr_child *children, size_t count)
{
    uint32_t first[GR_SORT_KEYS] = {0}, sum = 0;
    gr_child *sorted = children + count;
    for (size_t i = 0; i < count; i++)
        first[children[i].key]++;
    for (size_t i = 0; i < GR_SORT_KEYS && sum < count; i++) {
        uint32_t with_key = first[i];
        first[i] = sum;
        sum += with_key;
    }
    for (size_t i = 0; i < count; i++)
        sorted[first[children[i].key]++] = children[i];
    memcpy(children, sorted, count * sizeof *children);
}
