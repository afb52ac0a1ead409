/* maxn: every player maximizes their own winning probability (rf_chance_maxn).
 *
 * Idea: maxn (Luckhardt and Irani 1986) with shallow pruning (Korf 1991): a position above asks for at least some
 * probability of one player (`need`); the search stops as soon as the value cannot meet it. Among plies with equal
 * probability for the mover the first in byte order is played.
 *
 * Invariants: a value is exact, as fractions; RF_CHANCE_BELOW is exact too: the need is not met. `reads` contains every
 * detail that the proof of a value, or of too low a value, has read.
 *
 * Example: player 1 has a ply with 1/2. The next ply needs more than 1/2 for player 1; as soon as player 2 gets 1/2 or
 * more there, it is RF_CHANCE_BELOW. */
#include "search/chance_internal.h"

/* Fractions of one denominator, by player, and the details that their proof has read, even if the value is only
 * known to be too low. */
typedef struct {
    rf_wide den;
    rf_wide num[RF_CHANCE_PLAYERS];
    rf_details reads;
} vector;

/* The probability that a player must reach for the value of a position to matter above. */
typedef struct {
    unsigned player;
    rf_fraction least;
    bool strict; /* more than `least` */
} need;

static bool below(const need *n, rf_fraction value)
{
    int order = rf_compare(value, n->least);
    return order < 0 || (order == 0 && n->strict);
}

static rf_fraction share(const vector *v, unsigned player) { return (rf_fraction){v->num[player], v->den}; }

/* Positions whose value is known without searching. */
static bool maxn_settled(const rf_chance_search *s, const rf_state *state, unsigned plies, const uint8_t *first,
                         vector *out)
{
    int winner = s->game->outcome(s->ctx, state);
    bool in_time = false;
    if (winner == RF_OUTCOME_NONE && plies > 0) {
        for (unsigned i = 0; i < s->players; i++)
            in_time |= first[i] <= plies;
        unsigned sure = in_time ? sure_winner(s, state, plies) : 0;
        if (in_time && sure == 0)
            return false;
        winner = (int)sure;
    }
    *out = (vector){.den = 1};
    if (winner > 0)
        out->num[winner - 1] = 1;
    return true;
}

/* An entry has the denominator and the numerators by player; or 0, and the need of one player that is not met: the
 * player and whether it is strict, numerator, denominator. */
enum { NO_VALUE = 0 };

/* Whether a value below one need is also below another. */
static bool follows(const need *known, const need *n)
{
    int order = rf_compare(known->least, n->least);
    return known->player == n->player && (order < 0 || (order == 0 && (n->strict || !known->strict)));
}

/* RF_CHANCE_STOPPED: the table has no answer. */
static int vector_from_table(const rf_chance_search *s, const rf_chance_key *key, const need *n, vector *out)
{
    uint64_t values[RF_CHANCE_VALUES];
    if (s->table == NULL || !rf_chance_find(s, key, values, &out->reads))
        return RF_CHANCE_STOPPED;
    if (values[0] == NO_VALUE) {
        const need known = {(unsigned)(values[1] >> 1), {values[2], values[3]}, (values[1] & 1) != 0};
        return n != NULL && follows(&known, n) ? RF_CHANCE_BELOW : RF_CHANCE_STOPPED;
    }
    out->den = values[0];
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        out->num[i] = i < s->players ? values[1 + i] : 0;
    return RF_CHANCE_FOUND;
}

static void vector_to_table(const rf_chance_search *s, const rf_chance_key *key, const vector *v)
{
    uint64_t values[RF_CHANCE_VALUES] = {(uint64_t)v->den};
    if (s->table == NULL || !fits(v->den))
        return;
    for (unsigned i = 0; i < s->players; i++)
        values[1 + i] = (uint64_t)v->num[i];
    rf_chance_store(s, key, values, true, &v->reads);
}

static void need_to_table(const rf_chance_search *s, const rf_chance_key *key, const need *n, const rf_details *reads)
{
    if (s->table == NULL || !fits(n->least.num) || !fits(n->least.den))
        return;
    const uint64_t values[RF_CHANCE_VALUES] = {NO_VALUE, (uint64_t)n->player << 1 | n->strict, (uint64_t)n->least.num,
                                               (uint64_t)n->least.den};
    rf_chance_store(s, key, values, false, reads);
}

static void reduce(vector *v)
{
    rf_wide common = v->den;
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS && common != 1; i++)
        common = rf_gcd(common, v->num[i]);
    v->den /= common;
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        v->num[i] /= common;
}

/* sum += weight * v; false if a number does not fit. */
static bool accumulate(vector *sum, const vector *v, uint32_t weight)
{
    rf_wide common = rf_gcd(sum->den, v->den), factor = v->den / common, other = sum->den / common;
    if (__builtin_mul_overflow(other, (rf_wide)weight, &other) || __builtin_mul_overflow(sum->den, factor, &sum->den))
        return false;
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++) {
        rf_wide more;
        if (__builtin_mul_overflow(sum->num[i], factor, &sum->num[i]) ||
            __builtin_mul_overflow(v->num[i], other, &more) ||
            __builtin_add_overflow(sum->num[i], more, &sum->num[i]))
            return false;
    }
    reduce(sum);
    return true;
}

/* The need for one chance result, where the others not yet known count as much as they can. False: there is none. */
static bool need_of_result(const need *n, const vector *sum, uint64_t total, uint64_t others, uint32_t weight,
                           need *out)
{
    rf_fraction wanted, has;
    *out = *n;
    return rf_scale(n->least, total, &wanted) &&
           rf_add(share(sum, n->player), (rf_fraction){others, 1}, &has) &&
           missing(wanted, has, weight, n->strict, &out->least);
}

static int maxn_value(rf_chance_search *s, const rf_state *state, unsigned plies, const need *n, vector *out);

/* The weights of those results after which the player can still win in time. */
static uint64_t weight_of_chances(const rf_chance_search *s, const rf_state *state, const rf_chance_child *groups,
                                  size_t count, unsigned plies, unsigned player)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        uint8_t first[RF_CHANCE_PLAYERS];
        after(s, state, groups[i].ply, &next);
        earliest_wins(s, &next, first);
        if (first[player] < plies)
            sum += groups[i].weight;
    }
    return sum;
}

static int maxn_chance(rf_chance_search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    rf_chance_child *groups = s->children + s->used;
    uint64_t total, others = 0;
    size_t count = rf_chance_groups(s, state, groups, &total);
    s->used += count;
    if (n != NULL)
        others = weight_of_chances(s, state, groups, count, plies, n->player);
    vector sum = {.den = 1};
    rf_chance_queue left = {.children = groups, .count = count};
    const rf_chance_child *c;
    int result = RF_CHANCE_FOUND;
    while (result == RF_CHANCE_FOUND && (c = rf_chance_take(s, state, plies, &left)) != NULL) {
        rf_state next;
        uint8_t first[RF_CHANCE_PLAYERS];
        need own, *asked = NULL;
        vector value;
        after(s, state, c->ply, &next);
        if (n != NULL) {
            earliest_wins(s, &next, first);
            if (first[n->player] < plies)
                others -= c->weight;
            if (need_of_result(n, &sum, total, others, c->weight, &own))
                asked = &own;
        }
        result = maxn_value(s, &next, plies - 1, asked, &value);
        if (result == RF_CHANCE_STOPPED)
            break;
        add_reads(&sum.reads, &value.reads);
        if (result == RF_CHANCE_FOUND && asked != NULL && below(asked, share(&value, asked->player)))
            result = RF_CHANCE_BELOW;
        if (result == RF_CHANCE_FOUND && !accumulate(&sum, &value, c->weight))
            result = rf_chance_overflowed(s);
    }
    s->used -= count;
    out->reads = sum.reads;
    list_reads(s, state, NULL, &out->reads);
    if (result != RF_CHANCE_FOUND)
        return result;
    reduce(&sum);
    rf_wide common = total;
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        common = rf_gcd(common, sum.num[i]);
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        out->num[i] = sum.num[i] / common;
    if (__builtin_mul_overflow(sum.den, total / common, &out->den))
        return rf_chance_overflowed(s);
    return RF_CHANCE_FOUND;
}

/* The plies after which `me` can win in time, the earliest win first (one that wins is enough); the first of the others
 * in *no_win (index UINT16_MAX if there is none). */
static size_t maxn_children(rf_chance_search *s, const rf_state *state, unsigned plies, unsigned me,
                            rf_chance_child *out, rf_chance_child *no_win)
{
    size_t count = s->game->generate(s->ctx, state, s->plies), kept = 0;
    rf_chance_sequence at = {0};
    no_win->index = UINT16_MAX;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        rf_chance_child this = {.ply = s->plies[i], .index = (uint16_t)i};
        after(s, state, s->plies[i], &next);
        rf_chance_next(s, &next, &at, kept > 0 ? &out[kept - 1] : NULL, &this);
        this.key = at.first[me];
        if (this.key == 0) {
            out[0] = this;
            return 1;
        }
        if (this.key < plies)
            out[kept++] = this;
        else if (no_win->index == UINT16_MAX)
            *no_win = (rf_chance_child){.ply = this.ply, .index = this.index};
    }
    rf_chance_sort(out, kept);
    return kept;
}

/* The best so far of a decision. */
typedef struct {
    vector value;
    rf_ply ply;
    uint16_t index; /* UINT16_MAX: none yet */
    bool tied;      /* whether another ply may give `me` as much, and the others something else */
} choice;

static bool is_known(const choice *best) { return best->index != UINT16_MAX; }

/* The stronger need for `me`: that of the position above or that of the best ply so far. */
static const need *stronger(const need *asked, const choice *best, unsigned me, uint16_t index, need *room)
{
    bool for_me = asked != NULL && asked->player == me;
    if (!is_known(best) || (for_me && below(asked, share(&best->value, me))))
        return for_me ? asked : NULL;
    *room = (need){.player = me, .least = share(&best->value, me), .strict = index > best->index};
    return room;
}

static bool same_shares(const vector *a, const vector *b)
{
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        if (rf_compare(share(a, i), share(b, i)) != 0)
            return false;
    return true;
}

/* Searches a ply, adds what its proof has read, and compares it with the best so far. */
static int maxn_try(rf_chance_search *s, const rf_state *state, const rf_chance_child *c, unsigned plies,
                    const need *n, unsigned me, size_t proofs, choice *best, rf_details *reads)
{
    rf_state next;
    vector value;
    after(s, state, c->ply, &next);
    if (rf_chance_proved(s, &next, c, proofs))
        return RF_CHANCE_FOUND; /* an earlier ply has the same value for all players */
    int result = maxn_value(s, &next, plies - 1, n, &value);
    if (result == RF_CHANCE_STOPPED)
        return result;
    rf_chance_keep_proof(s, &next, c, proofs, &value.reads);
    add_reads(reads, &value.reads);
    if (result == RF_CHANCE_BELOW) {
        best->tied |= n->strict;
        return result;
    }
    int order = is_known(best) ? rf_compare(share(&value, me), share(&best->value, me)) : 1;
    best->tied = order <= 0 && (best->tied || (order == 0 && !same_shares(&value, &best->value)));
    if (order > 0 || (order == 0 && c->index < best->index)) {
        best->value = value;
        best->ply = c->ply;
        best->index = c->index;
    }
    return RF_CHANCE_FOUND;
}

/* Whether the one who asks cannot get enough, given what `me` gets. */
static bool too_little_left(const need *n, const choice *best, unsigned me)
{
    if (n == NULL || n->player == me || !is_known(best))
        return false;
    return below(n, (rf_fraction){best->value.den - best->value.num[me], best->value.den});
}

/* The children of a decision and the results of those that have been searched. */
typedef struct {
    unsigned me; /* the player who decides, from 0 */
    const need *n;
    rf_chance_child *children, no_win;
    size_t count, proofs;
    choice best;
    rf_details reads;
} decision;

/* Searches the plies after which `me` can win in time, until one wins surely or the need cannot be met any more
 * (*is_decided). RF_CHANCE_STOPPED, or the result of the last ply. */
static int search_children(rf_chance_search *s, const rf_state *state, unsigned plies, decision *d, bool *is_decided)
{
    rf_chance_queue left = {.children = d->children, .count = d->count};
    const bool is_only = d->count == 1 && d->no_win.index == UINT16_MAX;
    const rf_chance_child *c;
    int result = RF_CHANCE_FOUND;
    *is_decided = false;
    while (!*is_decided && result != RF_CHANCE_STOPPED && (c = rf_chance_take(s, state, plies, &left)) != NULL) {
        need memory;
        const need *asked = is_only ? d->n : stronger(d->n, &d->best, d->me, c->index, &memory);
        result = maxn_try(s, state, c, plies, asked, d->me, d->proofs, &d->best, &d->reads);
        *is_decided = (is_known(&d->best) && d->best.value.num[d->me] == d->best.value.den) ||
                      too_little_left(d->n, &d->best, d->me);
    }
    return result;
}

static int maxn_decision(rf_chance_search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    /* 1. Search the plies that can win in time. */
    decision d = {.me = s->game->player(s->ctx, state) - 1, .n = n, .children = s->children + s->used};
    d.count = maxn_children(s, state, plies, d.me, d.children, &d.no_win);
    d.proofs = s->proved;
    d.best.index = UINT16_MAX;
    bool is_decided;
    s->used += d.count;
    int result = search_children(s, state, plies, &d, &is_decided);
    s->used -= d.count;
    s->proved = d.proofs;
    if (result == RF_CHANCE_STOPPED)
        return result;
    /* 2. A sure win, or too little left for the need: the best ply proves it. */
    if (is_decided) {
        *out = d.best.value;
        ply_reads(s, state, d.best.ply, &out->reads);
        const bool is_below = too_little_left(n, &d.best, d.me) || (n != NULL && below(n, share(out, n->player)));
        return is_below ? RF_CHANCE_BELOW : RF_CHANCE_FOUND;
    }
    /* 3. If no ply can win, the first of all plies is played, and its value counts for the others. */
    const bool wins_nothing = !is_known(&d.best) || d.best.value.num[d.me] == 0;
    const bool for_me = n != NULL && n->player == d.me;
    d.best.tied &= is_known(&d.best);
    if (d.no_win.index < d.best.index && wins_nothing && !(for_me && below(n, rf_zero))) {
        result = maxn_try(s, state, &d.no_win, plies, n, d.me, d.proofs, &d.best, &d.reads);
        if (result == RF_CHANCE_STOPPED)
            return result;
        d.best.ply = d.no_win.ply;
        d.best.tied = true;
    } else {
        result = is_known(&d.best) ? RF_CHANCE_FOUND : RF_CHANCE_BELOW;
        d.best.tied |= is_known(&d.best) && wins_nothing && d.no_win.index != UINT16_MAX;
    }
    /* 4. The value, or RF_CHANCE_BELOW; ties also depend on the order of the plies. */
    if (result == RF_CHANCE_FOUND) {
        *out = d.best.value;
        if (n != NULL && below(n, share(out, n->player)))
            result = RF_CHANCE_BELOW;
    }
    out->reads = d.reads;
    list_reads(s, state, d.best.tied && !(for_me && result == RF_CHANCE_BELOW) ? &d.best.ply : NULL, &out->reads);
    return result;
}

/* Searches an unfinished position: its value, or RF_CHANCE_BELOW. */
static int maxn_searched(rf_chance_search *s, const rf_state *state, const rf_chance_key *key, unsigned plies,
                         const need *n, vector *out)
{
    rf_chance_enter(s, key, plies);
    bool chance = rf_at_chance(s->game, s->ctx, state);
    int result = chance ? maxn_chance(s, state, plies, n, out) : maxn_decision(s, state, plies, n, out);
    if (result == RF_CHANCE_FOUND)
        vector_to_table(s, key, out);
    else if (result == RF_CHANCE_BELOW && n != NULL)
        need_to_table(s, key, n, &out->reads);
    rf_chance_leave(s, key, plies);
    return result;
}

static bool maxn_answered(const rf_chance_search *s, const rf_chance_step *at)
{
    vector value;
    return vector_from_table(s, at->key, at->asked, &value) != RF_CHANCE_STOPPED;
}

static int maxn_value(rf_chance_search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    uint8_t first[RF_CHANCE_PLAYERS];
    earliest_wins(s, state, first);
    if (maxn_settled(s, state, plies, first, out))
        return RF_CHANCE_FOUND;
    if (n != NULL && first[n->player] > plies && below(n, rf_zero)) {
        out->reads = (rf_details){0};
        return RF_CHANCE_BELOW;
    }
    if (rf_tick(s->control))
        return RF_CHANCE_STOPPED;
    const rf_chance_key key = rf_chance_key_of(s, state, plies);
    int result;
    do {
        result = vector_from_table(s, &key, n, out);
        if (result != RF_CHANCE_STOPPED)
            return result;
        if (s->shared && rf_chance_poll(s, plies, &(rf_chance_step){&key, n}, maxn_answered))
            return RF_CHANCE_STOPPED;
        result = maxn_searched(s, state, &key, plies, n, out);
    } while (result == RF_CHANCE_STOPPED && s->shared && rf_chance_returned(s, plies));
    return result;
}

/* ---- the interface ---- */

static void hand_out(const vector *v, rf_chances *out)
{
    split(v->den, out->den);
    memcpy(out->reads, v->reads.word, sizeof out->reads);
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        split(v->num[i], out->num[i]);
}

int rf_chance_maxn(const rf_game *game, const void *ctx, const rf_state *state, unsigned plies, unsigned player,
                   const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out)
{
    rf_chance_search s = rf_chance_new_search(game, ctx, state, table, control);
    if (plies > RF_MAX_HORIZON)
        plies = RF_MAX_HORIZON;
    int result = RF_CHANCE_STOPPED;
    if (rf_chance_begin(&s, plies)) {
        need asked = {.player = player - 1};
        vector value;
        if (player > 0)
            asked.least = first_share(least);
        result = maxn_value(&s, state, plies, player > 0 ? &asked : NULL, &value);
        if (result == RF_CHANCE_FOUND && player > 0 && below(&asked, share(&value, asked.player)))
            result = RF_CHANCE_BELOW;
        if (result == RF_CHANCE_FOUND)
            hand_out(&value, out);
    }
    rf_chance_end(&s);
    return result;
}
