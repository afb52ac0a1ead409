/* Every player for themselves: the search of rf_chance_maxn. */
#include "search/chance_internal.h"

/* Fractions of one denominator, by player, and what their proof has read (rf_mask_part): also of a value that is only
 * known to give too little. */
typedef struct {
    rf_wide den;
    rf_wide num[RF_CHANCE_PLAYERS];
    rf_details reads;
} vector;

/* How much of a probability a player must reach for the value of a position to matter to whoever asks. */
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
static bool maxn_settled(const search *s, const rf_state *state, unsigned plies, const uint8_t *first, vector *out)
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

/* Whether who is known to be below one need is also below another. */
static bool follows(const need *known, const need *n)
{
    int order = rf_compare(known->least, n->least);
    return known->player == n->player && (order < 0 || (order == 0 && (n->strict || !known->strict)));
}

/* RF_CHANCE_STOPPED: the table does not tell. */
static int vector_from_table(const search *s, const rf_chance_key *key, const need *n, vector *out)
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

static void vector_to_table(const search *s, const rf_chance_key *key, const vector *v)
{
    uint64_t values[RF_CHANCE_VALUES] = {(uint64_t)v->den};
    if (s->table == NULL || !fits(v->den))
        return;
    for (unsigned i = 0; i < s->players; i++)
        values[1 + i] = (uint64_t)v->num[i];
    rf_chance_store(s, key, values, true, &v->reads);
}

static void need_to_table(const search *s, const rf_chance_key *key, const need *n, const rf_details *reads)
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

static int maxn_value(search *s, const rf_state *state, unsigned plies, const need *n, vector *out);

/* The weights of those results after which the player can still win in time. */
static uint64_t hopeful(const search *s, const rf_state *state, const child *groups, size_t count, unsigned plies,
                        unsigned player)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        uint8_t first[RF_CHANCE_PLAYERS];
        after(s, state, groups[i].ply, &next);
        soonest(s, &next, first);
        if (first[player] < plies)
            sum += groups[i].weight;
    }
    return sum;
}

static int maxn_chance(search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    child *groups = s->children + s->used;
    uint64_t total, others = 0;
    size_t count = rf_chance_groups(s, state, groups, &total);
    s->used += count;
    if (n != NULL)
        others = hopeful(s, state, groups, count, plies, n->player);
    vector sum = {.den = 1};
    queue left = {.children = groups, .count = count};
    const child *c;
    int result = RF_CHANCE_FOUND;
    while (result == RF_CHANCE_FOUND && (c = rf_chance_take(s, state, plies, &left)) != NULL) {
        rf_state next;
        uint8_t first[RF_CHANCE_PLAYERS];
        need own, *asked = NULL;
        vector value;
        after(s, state, c->ply, &next);
        if (n != NULL) {
            soonest(s, &next, first);
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

/* The plies after which `me` can win in time, the soonest first (one that wins is enough); the first of the others in
 * *hopeless (index UINT16_MAX if there is none). */
static size_t maxn_children(search *s, const rf_state *state, unsigned plies, unsigned me, child *out, child *hopeless)
{
    size_t count = s->game->generate(s->ctx, state, s->plies), kept = 0;
    sequence at = {0};
    hopeless->index = UINT16_MAX;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        child this = {.ply = s->plies[i], .index = (uint16_t)i};
        after(s, state, s->plies[i], &next);
        rf_chance_next(s, &next, &at, kept > 0 ? &out[kept - 1] : NULL, &this);
        this.key = at.first[me];
        if (this.key == 0) {
            out[0] = this;
            return 1;
        }
        if (this.key < plies)
            out[kept++] = this;
        else if (hopeless->index == UINT16_MAX)
            *hopeless = (child){.ply = this.ply, .index = this.index};
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

/* The stronger of what is asked of `me` by the position above and by the best ply so far. */
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
static int maxn_try(search *s, const rf_state *state, const child *c, unsigned plies, const need *n, unsigned me,
                    size_t proofs, choice *best, rf_details *reads)
{
    rf_state next;
    vector value;
    after(s, state, c->ply, &next);
    if (rf_chance_proved(s, &next, c, proofs))
        return RF_CHANCE_FOUND; /* as much for everybody as an earlier ply gives, which goes first */
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

static int maxn_decision(search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    unsigned me = s->game->player(s->ctx, state) - 1;
    child *children = s->children + s->used, hopeless;
    size_t count = maxn_children(s, state, plies, me, children, &hopeless), proofs = s->proved;
    choice best = {.index = UINT16_MAX};
    rf_details reads = {0};
    int result = RF_CHANCE_FOUND;
    bool won = false, too_little = false;
    queue left = {.children = children, .count = count};
    const child *c;
    s->used += count;
    while (!won && !too_little && result != RF_CHANCE_STOPPED &&
           (c = rf_chance_take(s, state, plies, &left)) != NULL) {
        need room;
        bool only = count == 1 && hopeless.index == UINT16_MAX;
        const need *asked = only ? n : stronger(n, &best, me, c->index, &room);
        result = maxn_try(s, state, c, plies, asked, me, proofs, &best, &reads);
        won = is_known(&best) && best.value.num[me] == best.value.den; /* nobody else gets anything */
        too_little = too_little_left(n, &best, me);
    }
    s->used -= count;
    s->proved = proofs;
    if (result == RF_CHANCE_STOPPED)
        return result;
    if (won || too_little) {
        *out = best.value;
        ply_reads(s, state, best.ply, &out->reads);
        return too_little || (n != NULL && below(n, share(out, n->player))) ? RF_CHANCE_BELOW : RF_CHANCE_FOUND;
    }
    bool nothing = !is_known(&best) || best.value.num[me] == 0;
    bool for_me = n != NULL && n->player == me;
    best.tied &= is_known(&best);
    if (hopeless.index < best.index && nothing && !(for_me && below(n, rf_zero))) {
        /* With nothing to win the first of all plies is played, and what others get by it is the value. */
        result = maxn_try(s, state, &hopeless, plies, n, me, proofs, &best, &reads);
        if (result == RF_CHANCE_STOPPED)
            return result;
        best.ply = hopeless.ply;
        best.tied = true;
    } else {
        result = is_known(&best) ? RF_CHANCE_FOUND : RF_CHANCE_BELOW;
        best.tied |= is_known(&best) && nothing && hopeless.index != UINT16_MAX;
    }
    if (result == RF_CHANCE_FOUND) {
        *out = best.value;
        if (n != NULL && below(n, share(out, n->player)))
            result = RF_CHANCE_BELOW;
    }
    out->reads = reads;
    list_reads(s, state, best.tied && !(for_me && result == RF_CHANCE_BELOW) ? &best.ply : NULL, &out->reads);
    return result;
}

/* The value, or that it gives less than is needed, where the matter is not settled. */
static int maxn_searched(search *s, const rf_state *state, const rf_chance_key *key, unsigned plies, const need *n,
                         vector *out)
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

static bool maxn_answered(const search *s, const step *at)
{
    vector value;
    return vector_from_table(s, at->key, at->asked, &value) != RF_CHANCE_STOPPED;
}

static int maxn_value(search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    uint8_t first[RF_CHANCE_PLAYERS];
    soonest(s, state, first);
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
        if (s->shared && rf_chance_poll(s, plies, &(step){&key, n}, maxn_answered))
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
    search s = rf_chance_search(game, ctx, state, table, control);
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
