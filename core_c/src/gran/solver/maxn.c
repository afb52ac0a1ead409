/* maxn: every player maximizes their own winning probability (rf_chance_maxn).
 *
 * Idea: maxn (Luckhardt and Irani 1986) with shallow pruning (Korf 1991): a position above asks for at least some
 * probability of one player (`need`); the search stops as soon as the value cannot meet it. Among plies with equal
 * probability for the mover the first in byte order is played.
 *
 * Invariants: a value is exact, as fractions; RF_CHANCE_BELOW is exact too: the need is not met. `mask` contains every
 * bit that the proof of a value, or of too low a value, has read.
 *
 * Example: player 1 has a ply with 1/2. The next ply needs more than 1/2 for player 1; as soon as player 2 gets 1/2 or
 * more there, it is RF_CHANCE_BELOW. */
#include "gran/solver/search.h"

/* Fractions of one denominator, by player, and the mask bits that their proof has read, even if the value is only
 * known to be too low. */
typedef struct {
    rf_wide den;
    rf_wide num[GR_PLAYERS];
    gr_mask mask;
} gr_vector;

/* The probability that a player must reach for the value of a position to matter above. */
typedef struct {
    unsigned player;
    rf_fraction least;
    bool strict; /* more than `least` */
} gr_need;

static bool gr_is_below(const gr_need *n, rf_fraction value)
{
    int order = rf_compare(value, n->least);
    return order < 0 || (order == 0 && n->strict);
}

static rf_fraction gr_probability(const gr_vector *v, unsigned player) { return (rf_fraction){v->num[player], v->den}; }

/* The value of a position that needs no search: it is over, certainly won, or no player can win in time. */
static bool gr_maxn_without_search(const gr_search *s, const rf_state *state, unsigned plies, const uint8_t *earliest,
                                   gr_vector *out)
{
    int winner = gr_winner(state);
    bool in_time = false;
    if (winner == RF_OUTCOME_NONE && plies > 0) {
        for (unsigned i = 0; i < s->players; i++)
            in_time |= earliest[i] <= plies;
        unsigned sure = in_time ? gr_certain_winner(s->ctx, state, plies) : 0;
        if (in_time && sure == 0)
            return false;
        winner = (int)sure;
    }
    *out = (gr_vector){.den = 1};
    if (winner > 0)
        out->num[winner - 1] = 1;
    return true;
}

/* An entry has the denominator and the numerators by player; or 0, and the need of one player that is not met: the
 * player and whether it is strict, numerator, denominator. */
enum { GR_NO_VALUE = 0 };

/* Whether a value below one need is also below another. */
static bool gr_need_follows(const gr_need *known, const gr_need *n)
{
    int order = rf_compare(known->least, n->least);
    return known->player == n->player && (order < 0 || (order == 0 && (n->strict || !known->strict)));
}

/* RF_CHANCE_STOPPED: the table has no answer. */
static int gr_vector_from_table(const gr_search *s, const gr_key *key, const gr_need *n, gr_vector *out)
{
    uint64_t values[GR_TABLE_VALUES];
    if (s->table == NULL || !gr_find_entry(s, key, values, &out->mask))
        return RF_CHANCE_STOPPED;
    if (values[0] == GR_NO_VALUE) {
        const gr_need known = {(unsigned)(values[1] >> 1), {values[2], values[3]}, (values[1] & 1) != 0};
        return n != NULL && gr_need_follows(&known, n) ? RF_CHANCE_BELOW : RF_CHANCE_STOPPED;
    }
    out->den = values[0];
    for (unsigned i = 0; i < GR_PLAYERS; i++)
        out->num[i] = i < s->players ? values[1 + i] : 0;
    return RF_CHANCE_FOUND;
}

static void gr_vector_to_table(const gr_search *s, const gr_key *key, const gr_vector *v)
{
    uint64_t values[GR_TABLE_VALUES] = {(uint64_t)v->den};
    if (s->table == NULL || !gr_fits(v->den))
        return;
    for (unsigned i = 0; i < s->players; i++)
        values[1 + i] = (uint64_t)v->num[i];
    gr_store_entry(s, key, values, true, &v->mask);
}

static void gr_need_to_table(const gr_search *s, const gr_key *key, const gr_need *n, const gr_mask *mask)
{
    if (s->table == NULL || !gr_fits(n->least.num) || !gr_fits(n->least.den))
        return;
    const uint64_t values[GR_TABLE_VALUES] = {GR_NO_VALUE, (uint64_t)n->player << 1 | n->strict, (uint64_t)n->least.num,
                                               (uint64_t)n->least.den};
    gr_store_entry(s, key, values, false, mask);
}

static void gr_reduce(gr_vector *v)
{
    rf_wide common = v->den;
    for (unsigned i = 0; i < GR_PLAYERS && common != 1; i++)
        common = rf_gcd(common, v->num[i]);
    v->den /= common;
    for (unsigned i = 0; i < GR_PLAYERS; i++)
        v->num[i] /= common;
}

/* sum += weight * v; false if a number does not fit. */
static bool gr_accumulate(gr_vector *sum, const gr_vector *v, uint32_t weight)
{
    rf_wide common = rf_gcd(sum->den, v->den), factor = v->den / common, other = sum->den / common;
    if (__builtin_mul_overflow(other, (rf_wide)weight, &other) || __builtin_mul_overflow(sum->den, factor, &sum->den))
        return false;
    for (unsigned i = 0; i < GR_PLAYERS; i++) {
        rf_wide more;
        if (__builtin_mul_overflow(sum->num[i], factor, &sum->num[i]) ||
            __builtin_mul_overflow(v->num[i], other, &more) ||
            __builtin_add_overflow(sum->num[i], more, &sum->num[i]))
            return false;
    }
    gr_reduce(sum);
    return true;
}

/* The need for one chance result, where the others not yet known count as much as they can. False: there is none. */
static bool gr_need_of_result(const gr_need *n, const gr_vector *sum, uint64_t total, uint64_t others, uint32_t weight,
                              gr_need *out)
{
    rf_fraction target, has;
    *out = *n;
    return rf_scale(n->least, total, &target) &&
           rf_add(gr_probability(sum, n->player), (rf_fraction){others, 1}, &has) &&
           gr_missing_value(target, has, weight, n->strict, &out->least);
}

static int gr_maxn_value(gr_search *s, const rf_state *state, unsigned plies, const gr_need *n, gr_vector *out);

/* The weights of those results after which the player can still win in time. */
static uint64_t gr_weight_with_wins(const gr_search *s, const rf_state *state, const gr_child *groups,
                                    size_t count, unsigned plies, unsigned player)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        uint8_t earliest[GR_PLAYERS];
        gr_after(s, state, groups[i].ply, &next);
        gr_earliest_wins(s->ctx, &next, earliest);
        if (earliest[player] < plies)
            sum += groups[i].weight;
    }
    return sum;
}

/* The value of a chance event: the mean of its results. */
static int gr_maxn_chance(gr_search *s, const rf_state *state, unsigned plies, const gr_need *n, gr_vector *out)
{
    /* 1. The results, and the weight of those after which the player of the need can still win. */
    gr_child *groups = s->children + s->child_count;
    uint64_t total, others = 0;
    size_t count = gr_group_results(s, state, groups, &total);
    s->child_count += count;
    if (n != NULL)
        others = gr_weight_with_wins(s, state, groups, count, plies, n->player);
    /* 2. Search each with the need that the others leave for it. */
    gr_vector sum = {.den = 1};
    gr_queue left = {.children = groups, .count = count};
    const gr_child *c;
    int result = RF_CHANCE_FOUND;
    while (result == RF_CHANCE_FOUND && (c = gr_next_child(s, state, plies, &left)) != NULL) {
        rf_state next;
        uint8_t earliest[GR_PLAYERS];
        gr_need own, *asked = NULL;
        gr_vector value;
        gr_after(s, state, c->ply, &next);
        if (n != NULL) {
            gr_earliest_wins(s->ctx, &next, earliest);
            if (earliest[n->player] < plies)
                others -= c->weight;
            if (gr_need_of_result(n, &sum, total, others, c->weight, &own))
                asked = &own;
        }
        result = gr_maxn_value(s, &next, plies - 1, asked, &value);
        if (result == RF_CHANCE_STOPPED)
            break;
        gr_join_masks(&sum.mask, &value.mask);
        if (result == RF_CHANCE_FOUND && asked != NULL && gr_is_below(asked, gr_probability(&value, asked->player)))
            result = RF_CHANCE_BELOW;
        if (result == RF_CHANCE_FOUND && !gr_accumulate(&sum, &value, c->weight))
            result = gr_stop_at_overflow(s);
    }
    /* 3. Divide the sum by the total weight. */
    s->child_count -= count;
    out->mask = sum.mask;
    gr_add_list_mask(s->ctx, state, NULL, &out->mask);
    if (result != RF_CHANCE_FOUND)
        return result;
    gr_reduce(&sum);
    rf_wide common = total;
    for (unsigned i = 0; i < GR_PLAYERS; i++)
        common = rf_gcd(common, sum.num[i]);
    for (unsigned i = 0; i < GR_PLAYERS; i++)
        out->num[i] = sum.num[i] / common;
    if (__builtin_mul_overflow(sum.den, total / common, &out->den))
        return gr_stop_at_overflow(s);
    return RF_CHANCE_FOUND;
}

/* The plies after which `me` can win in time, the earliest win first (one that wins is enough); the first of the others
 * in *no_win (index UINT16_MAX if there is none). */
static size_t gr_maxn_children(gr_search *s, const rf_state *state, unsigned plies, unsigned me,
                               gr_child *out, gr_child *no_win)
{
    size_t count = gr_generate(s->ctx, state, s->plies), kept = 0;
    gr_sequence at = {0};
    no_win->index = UINT16_MAX;
    for (size_t i = 0; i < count; i++) {
        gr_child this = {.ply = s->plies[i], .index = (uint16_t)i};
        gr_find_fixed(s, state, &at, kept > 0 ? &out[kept - 1] : NULL, &this);
        this.key = at.earliest[me];
        if (this.key == 0) {
            out[0] = this;
            return 1;
        }
        if (this.key < plies)
            out[kept++] = this;
        else if (no_win->index == UINT16_MAX)
            *no_win = (gr_child){.ply = this.ply, .index = this.index};
    }
    gr_sort_children(out, kept);
    return kept;
}

/* The best so far of a decision. */
typedef struct {
    gr_vector value;
    rf_ply ply;
    uint16_t index; /* UINT16_MAX: none yet */
    bool tied;      /* whether another ply may give `me` as much, and the others something else */
} gr_choice;

static bool gr_is_known(const gr_choice *best) { return best->index != UINT16_MAX; }

/* The stronger need for `me`: that of the position above or that of the best ply so far. */
static const gr_need *gr_stronger_need(const gr_need *asked, const gr_choice *best, unsigned me, uint16_t index,
                                       gr_need *narrowed)
{
    bool for_me = asked != NULL && asked->player == me;
    if (!gr_is_known(best) || (for_me && gr_is_below(asked, gr_probability(&best->value, me))))
        return for_me ? asked : NULL;
    *narrowed = (gr_need){.player = me, .least = gr_probability(&best->value, me), .strict = index > best->index};
    return narrowed;
}

static bool gr_equal_vectors(const gr_vector *a, const gr_vector *b)
{
    for (unsigned i = 0; i < GR_PLAYERS; i++)
        if (rf_compare(gr_probability(a, i), gr_probability(b, i)) != 0)
            return false;
    return true;
}

/* Searches a ply, adds what its proof has read, and compares it with the best so far. */
static int gr_maxn_ply(gr_search *s, const rf_state *state, const gr_child *c, unsigned plies,
                       const gr_need *n, unsigned me, size_t proofs, gr_choice *best, gr_mask *mask)
{
    rf_state next;
    gr_vector value;
    gr_after(s, state, c->ply, &next);
    if (gr_has_proof(s, &next, c, proofs))
        return RF_CHANCE_FOUND; /* an earlier ply has the same value for all players */
    int result = gr_maxn_value(s, &next, plies - 1, n, &value);
    if (result == RF_CHANCE_STOPPED)
        return result;
    gr_keep_proof(s, &next, c, proofs, &value.mask);
    gr_join_masks(mask, &value.mask);
    if (result == RF_CHANCE_BELOW) {
        best->tied |= n->strict;
        return result;
    }
    int order = gr_is_known(best) ? rf_compare(gr_probability(&value, me), gr_probability(&best->value, me)) : 1;
    best->tied = order <= 0 && (best->tied || (order == 0 && !gr_equal_vectors(&value, &best->value)));
    if (order > 0 || (order == 0 && c->index < best->index)) {
        best->value = value;
        best->ply = c->ply;
        best->index = c->index;
    }
    return RF_CHANCE_FOUND;
}

/* Whether the one who asks cannot get enough, given what `me` gets. */
static bool gr_is_too_little_left(const gr_need *n, const gr_choice *best, unsigned me)
{
    if (n == NULL || n->player == me || !gr_is_known(best))
        return false;
    return gr_is_below(n, (rf_fraction){best->value.den - best->value.num[me], best->value.den});
}

/* The children of a decision and the results of those that have been searched. */
typedef struct {
    unsigned me; /* the player who decides, from 0 */
    const gr_need *n;
    gr_child *children, no_win;
    size_t count, proofs;
    gr_choice best;
    gr_mask mask;
} gr_decision;

/* Searches the plies after which `me` can win in time, until one wins surely or the need cannot be met any more
 * (*is_decided). RF_CHANCE_STOPPED, or the result of the last ply. */
static int gr_search_children(gr_search *s, const rf_state *state, unsigned plies, gr_decision *d, bool *is_decided)
{
    gr_queue left = {.children = d->children, .count = d->count};
    const bool is_only = d->count == 1 && d->no_win.index == UINT16_MAX;
    const gr_child *c;
    int result = RF_CHANCE_FOUND;
    *is_decided = false;
    while (!*is_decided && result != RF_CHANCE_STOPPED && (c = gr_next_child(s, state, plies, &left)) != NULL) {
        gr_need memory;
        const gr_need *asked = is_only ? d->n : gr_stronger_need(d->n, &d->best, d->me, c->index, &memory);
        result = gr_maxn_ply(s, state, c, plies, asked, d->me, d->proofs, &d->best, &d->mask);
        *is_decided = (gr_is_known(&d->best) && d->best.value.num[d->me] == d->best.value.den) ||
                      gr_is_too_little_left(d->n, &d->best, d->me);
    }
    return result;
}

static int gr_maxn_decision(gr_search *s, const rf_state *state, unsigned plies, const gr_need *n, gr_vector *out)
{
    /* 1. Search the plies that can win in time. */
    gr_decision d = {.me = gr_acting_player(state) - 1, .n = n, .children = s->children + s->child_count};
    d.count = gr_maxn_children(s, state, plies, d.me, d.children, &d.no_win);
    d.proofs = s->proof_count;
    d.best.index = UINT16_MAX;
    bool is_decided;
    s->child_count += d.count;
    int result = gr_search_children(s, state, plies, &d, &is_decided);
    s->child_count -= d.count;
    s->proof_count = d.proofs;
    if (result == RF_CHANCE_STOPPED)
        return result;
    /* 2. A sure win, or too little left for the need: the best ply proves it. */
    if (is_decided) {
        *out = d.best.value;
        gr_add_ply_mask(s->ctx, state, d.best.ply, &out->mask);
        const bool is_below = gr_is_too_little_left(n, &d.best, d.me) ||
                              (n != NULL && gr_is_below(n, gr_probability(out, n->player)));
        return is_below ? RF_CHANCE_BELOW : RF_CHANCE_FOUND;
    }
    /* 3. If no ply can win, the first of all plies is played, and its value counts for the others. */
    const bool wins_nothing = !gr_is_known(&d.best) || d.best.value.num[d.me] == 0;
    const bool for_me = n != NULL && n->player == d.me;
    d.best.tied &= gr_is_known(&d.best);
    if (d.no_win.index < d.best.index && wins_nothing && !(for_me && gr_is_below(n, rf_zero))) {
        result = gr_maxn_ply(s, state, &d.no_win, plies, n, d.me, d.proofs, &d.best, &d.mask);
        if (result == RF_CHANCE_STOPPED)
            return result;
        d.best.ply = d.no_win.ply;
        d.best.tied = true;
    } else {
        result = gr_is_known(&d.best) ? RF_CHANCE_FOUND : RF_CHANCE_BELOW;
        d.best.tied |= gr_is_known(&d.best) && wins_nothing && d.no_win.index != UINT16_MAX;
    }
    /* 4. The value, or RF_CHANCE_BELOW; ties also depend on the order of the plies. */
    if (result == RF_CHANCE_FOUND) {
        *out = d.best.value;
        if (n != NULL && gr_is_below(n, gr_probability(out, n->player)))
            result = RF_CHANCE_BELOW;
    }
    out->mask = d.mask;
    const bool needs_order = d.best.tied && !(for_me && result == RF_CHANCE_BELOW);
    gr_add_list_mask(s->ctx, state, needs_order ? &d.best.ply : NULL, &out->mask);
    return result;
}

/* Searches an unfinished position: its value, or RF_CHANCE_BELOW. */
static int gr_maxn_search(gr_search *s, const rf_state *state, const gr_key *key, unsigned plies,
                          const gr_need *n, gr_vector *out)
{
    gr_mark_position(s, key, plies);
    bool chance = gr_is_at_chance(state);
    int result = chance ? gr_maxn_chance(s, state, plies, n, out) : gr_maxn_decision(s, state, plies, n, out);
    if (result == RF_CHANCE_FOUND)
        gr_vector_to_table(s, key, out);
    else if (result == RF_CHANCE_BELOW && n != NULL)
        gr_need_to_table(s, key, n, &out->mask);
    gr_unmark_position(s, key, plies);
    return result;
}

static bool gr_is_maxn_answered(const gr_search *s, const gr_path_node *at)
{
    gr_vector value;
    return gr_vector_from_table(s, at->key, at->question, &value) != RF_CHANCE_STOPPED;
}

static int gr_maxn_value(gr_search *s, const rf_state *state, unsigned plies, const gr_need *n, gr_vector *out)
{
    /* 1. Without a search. */
    uint8_t earliest[GR_PLAYERS];
    gr_earliest_wins(s->ctx, state, earliest);
    if (gr_maxn_without_search(s, state, plies, earliest, out))
        return RF_CHANCE_FOUND;
    if (n != NULL && earliest[n->player] > plies && gr_is_below(n, rf_zero)) {
        out->mask = (gr_mask){0};
        return RF_CHANCE_BELOW;
    }
    if (rf_tick(s->control))
        return RF_CHANCE_STOPPED;
    const gr_key key = gr_key_of(s, state, plies);
    int result;
    /* 2. The table, then the search; again if another thread has answered this position meanwhile. */
    do {
        result = gr_vector_from_table(s, &key, n, out);
        if (result != RF_CHANCE_STOPPED)
            return result;
        if (s->shared && gr_poll(s, plies, &(gr_path_node){&key, n}, gr_is_maxn_answered))
            return RF_CHANCE_STOPPED;
        result = gr_maxn_search(s, state, &key, plies, n, out);
    } while (result == RF_CHANCE_STOPPED && s->shared && gr_has_returned(s, plies));
    return result;
}

/* ---- the interface ---- */

static void gr_write_vector(const gr_vector *v, rf_chances *out)
{
    rf_split_halves(v->den, out->den);
    memcpy(out->mask, v->mask.word, sizeof out->mask);
    for (unsigned i = 0; i < GR_PLAYERS; i++)
        rf_split_halves(v->num[i], out->num[i]);
}

int gr_maxn(const void *ctx, const rf_state *state, unsigned plies, unsigned player,
            const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out)
{
    gr_search s = gr_new_search(ctx, state, table, control);
    if (plies > RF_MAX_HORIZON)
        plies = RF_MAX_HORIZON;
    int result = RF_CHANCE_STOPPED;
    if (gr_begin_search(&s, plies)) {
        gr_need asked = {.player = player - 1};
        gr_vector value;
        if (player > 0)
            asked.least = gr_first_probability(least);
        result = gr_maxn_value(&s, state, plies, player > 0 ? &asked : NULL, &value);
        if (result == RF_CHANCE_FOUND && player > 0 && gr_is_below(&asked, gr_probability(&value, asked.player)))
            result = RF_CHANCE_BELOW;
        if (result == RF_CHANCE_FOUND)
            gr_write_vector(&value, out);
    }
    gr_end_search(&s);
    return result;
}
