/* The parts that the two searches of winning probabilities share (search/chance_internal.h): defaults for a game
 * without an optional function, memory, the order of plies, groups of chance results, and proofs that hold for several
 * plies. */
#include "search/chance_internal.h"

#include <stdlib.h>

/* ---- threads ---- */

static bool another_is_at(const rf_chance_search *s, const rf_state *state, unsigned plies, const rf_chance_child *c)
{
    rf_state next;
    after(s, state, c->ply, &next);
    const rf_chance_key key = rf_chance_key_of(s, &next, plies - 1);
    return rf_chance_in_progress(s, &key);
}

bool rf_chance_poll(rf_chance_search *s, unsigned plies, const rf_chance_step *here, rf_chance_answered *answered)
{
    s->path[plies] = *here;
    if (s->control->nodes < s->next_poll)
        return false;
    s->next_poll = s->control->nodes + RF_NODES_BETWEEN_POLLS;
    for (unsigned left = s->most_plies; left > plies; left--)
        if (answered(s, &s->path[left])) {
            s->answered = left;
            return true;
        }
    return false;
}

bool rf_chance_returned(rf_chance_search *s, unsigned plies)
{
    if (s->answered != plies || s->control->stopped != RF_DONE)
        return false;
    s->answered = 0;
    return true;
}

/* The first child that was deferred. */
static rf_chance_child *first_waiting(rf_chance_queue *q)
{
    while (!q->children[q->first].is_deferred)
        q->first++;
    return &q->children[q->first];
}

static rf_chance_child *no_longer_waiting(rf_chance_queue *q, rf_chance_child *c)
{
    c->is_deferred = false;
    q->deferred--;
    return c;
}

rf_chance_child *rf_chance_take_shared(const rf_chance_search *s, const rf_state *state, unsigned plies,
                                       rf_chance_queue *q)
{
    rf_chance_child *c;
    if (q->deferred > 0) {
        c = first_waiting(q);
        if (q->at == q->count || !another_is_at(s, state, plies, c))
            return no_longer_waiting(q, c); /* done by now, or the two share what is left of it */
    }
    while (q->at < q->count) {
        c = &q->children[q->at++];
        c->is_deferred = plies > RF_SHARED_PLIES && q->at > 1 && another_is_at(s, state, plies, c);
        if (!c->is_deferred)
            return c;
        q->deferred++;
    }
    return q->deferred > 0 ? no_longer_waiting(q, first_waiting(q)) : NULL;
}

/* ---- what both searches need ---- */

rf_chance_search rf_chance_new_search(const rf_game *game, const void *ctx, const rf_state *state,
                                      rf_chance_table *table, rf_control *control)
{
    return (rf_chance_search){.game = game,
                    .ctx = ctx,
                    .masks = game->chances != NULL ? game->chances->masks : NULL,
                    .control = control,
                    .table = table,
                    .shared = table != NULL && rf_chance_table_is_shared(table),
                    .players = rf_player_count(game, ctx, state)};
}

bool rf_chance_begin(rf_chance_search *s, unsigned plies)
{
    s->room = (size_t)(plies + 2) * s->game->max_plies; /* one list more, to sort in */
    s->plies = malloc(s->game->max_plies * sizeof *s->plies);
    s->children = malloc(s->room * sizeof *s->children);
    s->proofs = malloc((size_t)(plies + 1) * RF_MOST_PROOFS * sizeof *s->proofs);
    s->path = malloc((size_t)(plies + 1) * sizeof *s->path);
    s->most_plies = plies;
    if (s->plies != NULL && s->children != NULL && s->proofs != NULL && s->path != NULL)
        return true;
    s->control->stopped = RF_STOPPED_MEMORY;
    return false;
}

void rf_chance_end(rf_chance_search *s)
{
    free(s->plies);
    free(s->children);
    free(s->proofs);
    free(s->path);
}

int rf_chance_overflowed(rf_chance_search *s)
{
    s->control->stopped = RF_STOPPED_OVERFLOW;
    return RF_CHANCE_STOPPED;
}

void rf_earliest_wins(const rf_game *game, const void *ctx, const rf_state *state, uint8_t *out)
{
    memset(out, 0, RF_CHANCE_PLAYERS);
    if (game->chances != NULL && game->chances->earliest_wins != NULL) {
        game->chances->earliest_wins(ctx, state, out);
        return;
    }
    int winner = game->outcome(ctx, state);
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        out[i] = winner == (int)i + 1 ? 0 : winner != RF_OUTCOME_NONE ? UINT8_MAX : 1;
}

void rf_chance_next(const rf_chance_search *s, const rf_state *next, rf_chance_sequence *at, rf_chance_child *before,
                    rf_chance_child *now)
{
    unsigned char base[RF_STATE_SIZE];
    rf_details details;
    now->base = 0;
    if (s->masks != NULL) {
        s->masks->split(s->ctx, next, base, &details);
        if (at->any && memcmp(base, at->base, s->masks->base_size) == 0) {
            if (before != NULL && before->base == 0)
                before->base = ++at->number;
            now->base = at->number;
            return;
        }
        memcpy(at->base, base, s->masks->base_size);
        at->any = true;
    }
    earliest_wins(s, next, at->first);
}

bool rf_chance_proved(const rf_chance_search *s, const rf_state *next, const rf_chance_child *c, size_t from)
{
    unsigned char base[RF_STATE_SIZE];
    rf_details details;
    if (c->base == 0)
        return false;
    s->masks->split(s->ctx, next, base, &details);
    for (size_t i = from; i < s->proved; i++) {
        const rf_chance_proof *p = &s->proofs[i];
        uint64_t differ = 0;
        for (unsigned word = 0; word < RF_DETAIL_WORDS; word++)
            differ |= (details.word[word] ^ p->details.word[word]) & p->reads.word[word];
        if (p->base == c->base && p->index < c->index && differ == 0)
            return true;
    }
    return false;
}

void rf_chance_keep_proof(rf_chance_search *s, const rf_state *next, const rf_chance_child *c, size_t from,
                          const rf_details *reads)
{
    unsigned char base[RF_STATE_SIZE];
    if (c->base == 0 || s->proved - from >= RF_MOST_PROOFS)
        return;
    rf_chance_proof *p = &s->proofs[s->proved++];
    s->masks->split(s->ctx, next, base, &p->details);
    p->base = c->base;
    p->index = c->index;
    p->reads = *reads;
}

size_t rf_chance_groups(rf_chance_search *s, const rf_state *state, rf_chance_child *out, uint64_t *total)
{
    size_t plies = s->game->generate(s->ctx, state, s->plies), groups = 0;
    rf_state last, next;
    *total = 0;
    for (size_t i = 0; i < plies; i++) {
        uint32_t weight = rf_weight_of(s->game, s->ctx, state, s->plies[i]);
        *total += weight;
        after(s, state, s->plies[i], &next);
        if (groups > 0 && memcmp(&next, &last, s->game->state_size) == 0) {
            out[groups - 1].weight += weight;
            continue;
        }
        out[groups] = (rf_chance_child){.ply = s->plies[i], .index = (uint16_t)i, .weight = weight};
        groups++;
        last = next;
    }
    return groups;
}

uint32_t rf_split_state(const rf_game *game, const void *ctx, const rf_state *state, uint8_t *base,
                        uint64_t details[RF_DETAIL_WORDS])
{
    const rf_mask_part *masks = game->chances != NULL ? game->chances->masks : NULL;
    rf_details parts = {0};
    uint32_t size = masks != NULL ? masks->base_size : game->state_size;
    if (masks != NULL)
        masks->split(ctx, state, base, &parts);
    else
        memcpy(base, state, size);
    memcpy(details, parts.word, sizeof parts.word);
    return size;
}

void rf_add_reads(const rf_game *game, const void *ctx, const rf_state *state, int rests_on, rf_ply ply,
                  uint64_t reads[RF_DETAIL_WORDS])
{
    const rf_chance_search s = rf_chance_new_search(game, ctx, state, NULL, NULL);
    rf_details sum;
    memcpy(sum.word, reads, sizeof sum.word);
    if (rests_on == RF_READS_PLY)
        ply_reads(&s, state, ply, &sum);
    else
        list_reads(&s, state, rests_on == RF_READS_THROUGH ? &ply : NULL, &sum);
    memcpy(reads, sum.word, sizeof sum.word);
}

unsigned rf_sure_winner(const rf_game *game, const void *ctx, const rf_state *state, unsigned plies)
{
    const rf_chance_search s = {.game = game, .ctx = ctx};
    return sure_winner(&s, state, plies);
}

bool rf_can_prevent_wins(const rf_game *game, const void *ctx, const rf_state *state, unsigned player, unsigned plies,
                    uint64_t reads[RF_DETAIL_WORDS])
{
    const rf_chance_search s = {.game = game, .ctx = ctx};
    rf_details sum = {0};
    bool keeps = can_prevent_wins(&s, state, player, plies, &sum);
    memcpy(reads, sum.word, sizeof sum.word);
    return keeps;
}

void rf_chance_sort(rf_chance_child *children, size_t count)
{
    uint32_t first[RF_CHANCE_KEYS] = {0}, sum = 0;
    rf_chance_child *sorted = children + count;
    for (size_t i = 0; i < count; i++)
        first[children[i].key]++;
    for (size_t i = 0; i < RF_CHANCE_KEYS && sum < count; i++) {
        uint32_t here = first[i];
        first[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        sorted[first[children[i].key]++] = children[i];
    memcpy(children, sorted, count * sizeof *children);
}
