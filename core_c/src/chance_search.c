#include "chance_search.h"

#include <stdlib.h>

#include "control.h"
#include "fraction.h"

/* Fractions of one denominator, by player. */
typedef struct {
    rf_wide den;
    rf_wide num[RF_CHANCE_PLAYERS];
} vector;

/* A ply to be searched, or a group of chance results that lead to one position. */
typedef struct {
    rf_ply ply;
    uint16_t index; /* place in byte order */
    uint16_t key;   /* decisions: the smaller, the earlier it is tried */
    uint32_t weight;
} child;

typedef struct {
    const rf_game *game;
    const void *ctx;
    rf_control *control;
    rf_chance_table *table;
    unsigned players;
    unsigned player; /* paranoid: whose probability, from 0 */
    bool upper;      /* paranoid: what a game not over counts */
    uint64_t kind;   /* tells searches apart in the table */
    rf_ply *plies;   /* scratch, max_plies */
    child *children; /* a stack of lists */
    size_t used, room;
} search;

/* ---- the table ---- */

enum { SLOTS = 2, MOST_STATE_WORDS = RF_STATE_SIZE / 8, LEAST_VALUES = 4 };

/* An entry: its tag (plies and kind, 0 if empty), the words of the state, the values. */
struct rf_chance_table {
    uint64_t *words;
    uint64_t mask; /* over buckets of SLOTS entries */
    size_t state_size, state_words, values, entry_words;
};

rf_chance_table *rf_chance_table_new(const rf_game *game, unsigned players, uint64_t bytes)
{
    struct rf_chance_table *t = malloc(sizeof *t);
    if (t == NULL)
        return NULL;
    t->state_size = game->state_size;
    t->state_words = (game->state_size + 7) / 8;
    t->values = players + 1 > LEAST_VALUES ? players + 1 : LEAST_VALUES;
    t->entry_words = 1 + t->state_words + t->values;
    uint64_t buckets = 64;
    while (buckets <= bytes / (SLOTS * 8 * t->entry_words) / 2 && buckets < (UINT64_C(1) << 36))
        buckets *= 2;
    t->mask = buckets - 1;
    t->words = buckets > SIZE_MAX / (SLOTS * 8 * t->entry_words) ? NULL : calloc(buckets * SLOTS * t->entry_words, 8);
    if (t->words == NULL) {
        free(t);
        return NULL;
    }
    return t;
}

void rf_chance_table_free(rf_chance_table *t)
{
    if (t != NULL) {
        free(t->words);
        free(t);
    }
}

static uint64_t tag_of(const search *s, unsigned plies) { return s->kind << 16 | (plies + 1u); }

static uint64_t *bucket_of(const search *s, const rf_state *state, uint64_t tag)
{
    const struct rf_chance_table *t = s->table;
    uint64_t hash = rf_mix(s->game->hash(s->ctx, state), tag);
    return t->words + (hash & t->mask) * SLOTS * t->entry_words;
}

static bool entry_is(const struct rf_chance_table *t, const uint64_t *entry, const rf_state *state, uint64_t tag)
{
    return entry[0] == tag && memcmp(entry + 1, state, t->state_size) == 0;
}

/* The values of the entry for this position, or NULL. */
static uint64_t *table_find(const search *s, const rf_state *state, unsigned plies)
{
    const struct rf_chance_table *t = s->table;
    uint64_t tag = tag_of(s, plies), *entry = bucket_of(s, state, tag);
    for (unsigned slot = 0; slot < SLOTS; slot++, entry += t->entry_words)
        if (entry_is(t, entry, state, tag))
            return entry + 1 + t->state_words;
    return NULL;
}

/* The values of an entry for this position, to be filled in. The first slot keeps what took more plies. */
static uint64_t *table_claim(const search *s, const rf_state *state, unsigned plies)
{
    const struct rf_chance_table *t = s->table;
    uint64_t tag = tag_of(s, plies), *entry = bucket_of(s, state, tag);
    bool second = entry_is(t, entry + t->entry_words, state, tag);
    bool first = entry_is(t, entry, state, tag) || (entry[0] & 0xffff) <= plies + 1u;
    if (second || !first)
        entry += t->entry_words;
    entry[0] = tag;
    entry[t->state_words] = 0; /* the last word of a state may be used in part */
    memcpy(entry + 1, state, t->state_size);
    return entry + 1 + t->state_words;
}

static bool fits(rf_wide number) { return number >> 64 == 0; }

/* ---- what both searches need ---- */

static bool begin(search *s, unsigned plies)
{
    s->room = (size_t)(plies + 1) * s->game->max_plies;
    s->plies = malloc(s->game->max_plies * sizeof *s->plies);
    s->children = malloc(s->room * sizeof *s->children);
    if (s->plies != NULL && s->children != NULL)
        return true;
    s->control->stopped = RF_STOPPED_MEMORY;
    return false;
}

static void end(search *s)
{
    free(s->plies);
    free(s->children);
}

static int overflowed(search *s)
{
    s->control->stopped = RF_STOPPED_OVERFLOW;
    return RF_CHANCE_STOPPED;
}

static void after(const search *s, const rf_state *state, rf_ply ply, rf_state *next)
{
    s->game->apply(s->ctx, state, ply, next);
}

void rf_soonest(const rf_game *game, const void *ctx, const rf_state *state, uint8_t *out)
{
    memset(out, 0, RF_CHANCE_PLAYERS);
    if (game->soonest != NULL) {
        game->soonest(ctx, state, out);
        return;
    }
    int winner = game->outcome(ctx, state);
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        out[i] = winner == (int)i + 1 ? 0 : winner != RF_OUTCOME_NONE ? UINT8_MAX : 1;
}

static void soonest(const search *s, const rf_state *state, uint8_t out[RF_CHANCE_PLAYERS])
{
    rf_soonest(s->game, s->ctx, state, out);
}

/* The results of a chance event, those that lead to one position together where they are neighbours in byte order;
 * their number, the sum of weights in *total. */
static size_t chance_groups(search *s, const rf_state *state, child *out, uint64_t *total)
{
    size_t plies = s->game->generate(s->ctx, state, s->plies), groups = 0;
    rf_state last, next;
    *total = 0;
    for (size_t i = 0; i < plies; i++) {
        uint32_t weight = s->game->weight(s->ctx, state, s->plies[i]);
        *total += weight;
        after(s, state, s->plies[i], &next);
        if (groups > 0 && memcmp(&next, &last, s->game->state_size) == 0) {
            out[groups - 1].weight += weight;
            continue;
        }
        out[groups] = (child){.ply = s->plies[i], .index = (uint16_t)i, .weight = weight};
        groups++;
        last = next;
    }
    return groups;
}

static int earlier(const void *a, const void *b)
{
    const child *one = a, *two = b;
    if (one->key != two->key)
        return one->key < two->key ? -1 : 1;
    return one->index < two->index ? -1 : 1;
}

static void sort_children(child *children, size_t count)
{
    enum { SMALL = 24 };
    if (count > SMALL) {
        qsort(children, count, sizeof *children, earlier);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        child moved = children[i];
        size_t to = i;
        for (; to > 0 && earlier(&moved, &children[to - 1]) < 0; to--)
            children[to] = children[to - 1];
        children[to] = moved;
    }
}

/* ---- maxn ---- */

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
    if (winner == RF_OUTCOME_NONE)
        for (unsigned i = 0; i < s->players; i++)
            if (first[i] <= plies && plies > 0)
                return false;
    *out = (vector){.den = 1};
    if (winner > 0)
        out->num[winner - 1] = 1;
    return true;
}

static bool vector_from_table(const search *s, const rf_state *state, unsigned plies, vector *out)
{
    const uint64_t *values = s->table != NULL ? table_find(s, state, plies) : NULL;
    if (values == NULL)
        return false;
    out->den = values[0];
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        out->num[i] = i < s->players ? values[1 + i] : 0;
    return true;
}

static void vector_to_table(const search *s, const rf_state *state, unsigned plies, const vector *v)
{
    if (s->table == NULL || !fits(v->den))
        return;
    uint64_t *values = table_claim(s, state, plies);
    values[0] = (uint64_t)v->den;
    for (unsigned i = 0; i < s->players; i++)
        values[1 + i] = (uint64_t)v->num[i];
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

/* What must be added to `has` to reach `wanted`, for one of `weight`; false if nothing must, or it cannot be said. */
static bool missing(rf_fraction wanted, rf_fraction has, uint64_t weight, bool strict, rf_fraction *out)
{
    int order = rf_compare(wanted, has);
    return (order > 0 || (order == 0 && strict)) && rf_subtract(wanted, has, out) && rf_divide(*out, weight, out);
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
    size_t count = chance_groups(s, state, groups, &total);
    s->used += count;
    if (n != NULL)
        others = hopeful(s, state, groups, count, plies, n->player);
    vector sum = {.den = 1};
    int result = RF_CHANCE_FOUND;
    for (size_t i = 0; i < count && result == RF_CHANCE_FOUND; i++) {
        rf_state next;
        uint8_t first[RF_CHANCE_PLAYERS];
        need own, *asked = NULL;
        vector value;
        after(s, state, groups[i].ply, &next);
        if (n != NULL) {
            soonest(s, &next, first);
            if (first[n->player] < plies)
                others -= groups[i].weight;
            if (need_of_result(n, &sum, total, others, groups[i].weight, &own))
                asked = &own;
        }
        result = maxn_value(s, &next, plies - 1, asked, &value);
        if (result == RF_CHANCE_FOUND && asked != NULL && below(asked, share(&value, asked->player)))
            result = RF_CHANCE_BELOW;
        if (result == RF_CHANCE_FOUND && !accumulate(&sum, &value, groups[i].weight))
            result = overflowed(s);
    }
    s->used -= count;
    if (result != RF_CHANCE_FOUND)
        return result;
    reduce(&sum);
    rf_wide common = total;
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        common = rf_gcd(common, sum.num[i]);
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        out->num[i] = sum.num[i] / common;
    if (__builtin_mul_overflow(sum.den, total / common, &out->den))
        return overflowed(s);
    return RF_CHANCE_FOUND;
}

/* The plies after which `me` can win in time, the soonest first (one that wins is enough); the first of the others in
 * *hopeless (index UINT16_MAX if there is none). */
static size_t maxn_children(search *s, const rf_state *state, unsigned plies, unsigned me, child *out, child *hopeless)
{
    size_t count = s->game->generate(s->ctx, state, s->plies), kept = 0;
    hopeless->index = UINT16_MAX;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        uint8_t first[RF_CHANCE_PLAYERS];
        after(s, state, s->plies[i], &next);
        soonest(s, &next, first);
        child this = {.ply = s->plies[i], .index = (uint16_t)i, .key = first[me]};
        if (first[me] == 0) {
            out[0] = this;
            return 1;
        }
        if (first[me] < plies)
            out[kept++] = this;
        else if (hopeless->index == UINT16_MAX)
            *hopeless = this;
    }
    sort_children(out, kept);
    return kept;
}

/* The best so far of a decision. */
typedef struct {
    vector value;
    uint16_t index; /* UINT16_MAX: none yet */
} choice;

/* The stronger of what is asked of `me` by the position above and by the best ply so far. */
static const need *stronger(const need *asked, const choice *best, unsigned me, uint16_t index, need *room)
{
    bool for_me = asked != NULL && asked->player == me;
    if (best->index == UINT16_MAX || (for_me && below(asked, share(&best->value, me))))
        return for_me ? asked : NULL;
    *room = (need){.player = me, .least = share(&best->value, me), .strict = index > best->index};
    return room;
}

static int maxn_try(search *s, const rf_state *state, const child *c, unsigned plies, const need *n, unsigned me,
                    choice *best)
{
    rf_state next;
    vector value;
    after(s, state, c->ply, &next);
    int result = maxn_value(s, &next, plies - 1, n, &value);
    if (result != RF_CHANCE_FOUND)
        return result;
    int order = best->index == UINT16_MAX ? 1 : rf_compare(share(&value, me), share(&best->value, me));
    if (order > 0 || (order == 0 && c->index < best->index)) {
        best->value = value;
        best->index = c->index;
    }
    return RF_CHANCE_FOUND;
}

/* Whether the one who asks cannot get enough, since `me` gets so much. */
static bool too_little_left(const need *n, const choice *best, unsigned me)
{
    if (n == NULL || n->player == me || best->index == UINT16_MAX)
        return false;
    return below(n, (rf_fraction){best->value.den - best->value.num[me], best->value.den});
}

static int maxn_decision(search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    unsigned me = s->game->player(s->ctx, state) - 1;
    child *children = s->children + s->used, hopeless;
    size_t count = maxn_children(s, state, plies, me, children, &hopeless);
    choice best = {.index = UINT16_MAX};
    int result = RF_CHANCE_FOUND;
    bool won = false;
    s->used += count;
    for (size_t i = 0; i < count && !won && result != RF_CHANCE_STOPPED; i++) {
        need room;
        bool only = count == 1 && hopeless.index == UINT16_MAX;
        const need *asked = only ? n : stronger(n, &best, me, children[i].index, &room);
        result = maxn_try(s, state, &children[i], plies, asked, me, &best);
        won = best.index != UINT16_MAX && best.value.num[me] == best.value.den; /* nobody else gets anything */
        if (result != RF_CHANCE_STOPPED && too_little_left(n, &best, me)) {
            s->used -= count;
            return RF_CHANCE_BELOW;
        }
    }
    s->used -= count;
    if (result == RF_CHANCE_STOPPED)
        return result;
    bool nothing = best.index == UINT16_MAX || (best.value.num[me] == 0 && hopeless.index < best.index);
    if (hopeless.index != UINT16_MAX && nothing && !(n != NULL && n->player == me && below(n, rf_zero))) {
        /* With nothing to win the first of all plies is played, and what others get by it is the value. */
        result = maxn_try(s, state, &hopeless, plies, n, me, &best);
        if (result != RF_CHANCE_FOUND)
            return result;
    }
    if (best.index == UINT16_MAX)
        return RF_CHANCE_BELOW;
    *out = best.value;
    return n != NULL && below(n, share(out, n->player)) ? RF_CHANCE_BELOW : RF_CHANCE_FOUND;
}

/* The value, or that it gives less than is needed. */
static int maxn_value(search *s, const rf_state *state, unsigned plies, const need *n, vector *out)
{
    uint8_t first[RF_CHANCE_PLAYERS];
    soonest(s, state, first);
    if (maxn_settled(s, state, plies, first, out))
        return RF_CHANCE_FOUND;
    if (n != NULL && first[n->player] > plies && below(n, rf_zero))
        return RF_CHANCE_BELOW;
    if (rf_tick(s->control))
        return RF_CHANCE_STOPPED;
    if (vector_from_table(s, state, plies, out))
        return RF_CHANCE_FOUND;
    bool chance = s->game->is_chance(s->ctx, state);
    int result = chance ? maxn_chance(s, state, plies, n, out) : maxn_decision(s, state, plies, n, out);
    if (result == RF_CHANCE_FOUND)
        vector_to_table(s, state, plies, out);
    return result;
}

/* ---- paranoid ---- */

/* What is known of a probability. */
typedef struct {
    rf_fraction low, high;
} range;

/* What is asked of a search: to tell values between `alpha` and `beta` from one another. NULL is no limit. */
typedef struct {
    const rf_fraction *alpha, *beta;
} window;

static const window unlimited = {NULL, NULL};

static bool is_exact(const range *r) { return rf_compare(r->low, r->high) == 0; }

static bool suffices(const range *r, window w)
{
    return is_exact(r) || (w.beta != NULL && rf_compare(r->low, *w.beta) >= 0) ||
           (w.alpha != NULL && rf_compare(r->high, *w.alpha) <= 0);
}

/* Plies after which the value can first be other than that of a game not over. */
static unsigned first_news(const search *s, const uint8_t *first)
{
    if (!s->upper)
        return first[s->player];
    unsigned least = UINT8_MAX;
    for (unsigned i = 0; i < s->players; i++)
        if (i != s->player && first[i] < least)
            least = first[i];
    return least;
}

static range certain(bool one) { return one ? (range){rf_one, rf_one} : (range){rf_zero, rf_zero}; }

static bool bound_settled(const search *s, const rf_state *state, unsigned plies, range *out)
{
    int winner = s->game->outcome(s->ctx, state);
    uint8_t first[RF_CHANCE_PLAYERS];
    *out = (range){rf_zero, rf_one};
    if (winner != RF_OUTCOME_NONE) {
        *out = certain(winner == (int)s->player + 1);
        return true;
    }
    soonest(s, state, first);
    if (plies > 0 && first_news(s, first) <= plies)
        return false;
    *out = certain(s->upper);
    return true;
}

static void range_from_table(const search *s, const rf_state *state, unsigned plies, range *out)
{
    const uint64_t *values = s->table != NULL ? table_find(s, state, plies) : NULL;
    if (values != NULL)
        *out = (range){{values[0], values[1]}, {values[2], values[3]}};
}

static void range_to_table(const search *s, const rf_state *state, unsigned plies, const range *r)
{
    if (s->table == NULL)
        return;
    rf_fraction low = rf_reduced(r->low), high = rf_reduced(r->high);
    if (!fits(low.den) || !fits(high.den))
        return;
    uint64_t *values = table_claim(s, state, plies);
    values[0] = (uint64_t)low.num;
    values[1] = (uint64_t)low.den;
    values[2] = (uint64_t)high.num;
    values[3] = (uint64_t)high.den;
}

static int bound_value(search *s, const rf_state *state, unsigned plies, window w, range *out);

/* Whether this side profits from the game not ending: who wants a low value if a game not over counts 0, who wants a
 * high one if it counts 1. */
static bool waits(const search *s, bool maximises) { return maximises == s->upper; }

/* All plies, those first that are likely to settle the matter: the keys are plies up to the first news, or their
 * complement for who waits. Positions without news in time are all worth the same, those where it has come too. */
static size_t bound_children(search *s, const rf_state *state, bool maximises, unsigned plies, child *out,
                             bool *settled)
{
    size_t count = s->game->generate(s->ctx, state, s->plies);
    bool waiting = waits(s, maximises);
    *settled = false;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        uint8_t first[RF_CHANCE_PLAYERS];
        after(s, state, s->plies[i], &next);
        soonest(s, &next, first);
        unsigned news = first_news(s, first);
        if (waiting ? news >= plies : news == 0) {
            *settled = true;
            return 0;
        }
        out[i] = (child){.ply = s->plies[i], .index = (uint16_t)i, .key = (uint16_t)(waiting ? 255 - news : news)};
    }
    sort_children(out, count);
    return count;
}

static void take_better(range *best, const range *value, bool maximises)
{
    int low = rf_compare(value->low, best->low), high = rf_compare(value->high, best->high);
    if (maximises ? low > 0 : low < 0)
        best->low = value->low;
    if (maximises ? high > 0 : high < 0)
        best->high = value->high;
}

/* Whether no further ply can matter. */
static bool best_possible(const range *best, bool maximises, window w)
{
    if (maximises)
        return (w.beta != NULL && rf_compare(best->low, *w.beta) >= 0) || best->low.num == best->low.den;
    return (w.alpha != NULL && rf_compare(best->high, *w.alpha) <= 0) || best->high.num == 0;
}

/* The window for a ply after others. */
static window narrowed(window w, const range *best, bool maximises)
{
    if (maximises && (w.alpha == NULL || rf_compare(best->low, *w.alpha) > 0))
        w.alpha = &best->low;
    if (!maximises && (w.beta == NULL || rf_compare(best->high, *w.beta) < 0))
        w.beta = &best->high;
    return w;
}

static int bound_decision(search *s, const rf_state *state, unsigned plies, window w, range *out)
{
    bool maximises = s->game->player(s->ctx, state) == s->player + 1, settled;
    child *children = s->children + s->used;
    size_t count = bound_children(s, state, maximises, plies, children, &settled);
    *out = certain(maximises);
    if (settled)
        return RF_CHANCE_FOUND;
    range best = certain(!maximises);
    int result = RF_CHANCE_FOUND;
    s->used += count;
    for (size_t i = 0; i < count && result != RF_CHANCE_STOPPED; i++) {
        rf_state next;
        range value = certain(s->upper);
        bool none_later = !waits(s, maximises) && children[i].key >= plies; /* nor any ply from here on */
        if (!none_later) {
            after(s, state, children[i].ply, &next);
            result = bound_value(s, &next, plies - 1, i == 0 ? w : narrowed(w, &best, maximises), &value);
        }
        if (i == 0)
            best = value;
        else
            take_better(&best, &value, maximises);
        if (none_later)
            break;
        if (i + 1 < count && best_possible(&best, maximises, w)) {
            if (maximises)
                best.high = rf_one;
            else
                best.low = rf_zero;
            break;
        }
    }
    s->used -= count;
    *out = best;
    return result;
}

/* Star2: the first ply after a chance result bounds it from the side of who then decides. */
static int probe(search *s, const rf_state *state, unsigned plies, range *known)
{
    if (plies == 0 || s->game->is_chance(s->ctx, state))
        return RF_CHANCE_FOUND;
    bool maximises = s->game->player(s->ctx, state) == s->player + 1, settled;
    child *children = s->children + s->used;
    bound_children(s, state, maximises, plies, children, &settled);
    rf_state next;
    range value = certain(maximises);
    if (!settled) {
        after(s, state, children[0].ply, &next);
        if (bound_value(s, &next, plies - 1, unlimited, &value) == RF_CHANCE_STOPPED)
            return RF_CHANCE_STOPPED;
    }
    if (maximises && rf_compare(value.low, known->low) > 0)
        known->low = value.low;
    if (!maximises && rf_compare(value.high, known->high) < 0)
        known->high = value.high;
    return RF_CHANCE_FOUND;
}

/* sum + weight * value. */
static bool add_weighted(rf_fraction *sum, rf_fraction value, uint64_t weight)
{
    rf_fraction more;
    return rf_scale(value, weight, &more) && rf_add(*sum, more, sum);
}

enum { MOST_GROUPS = 64 };

/* A chance event and what is known of its results. */
typedef struct {
    const child *groups;
    size_t count;
    uint64_t total; /* of weights */
    range known[MOST_GROUPS];
} event;

/* The sums over all results but `without`; false if numbers do not fit. */
static bool sum_ranges(const event *e, size_t without, range *out)
{
    *out = certain(false);
    for (size_t i = 0; i < e->count; i++)
        if (i != without && !(add_weighted(&out->low, e->known[i].low, e->groups[i].weight) &&
                              add_weighted(&out->high, e->known[i].high, e->groups[i].weight)))
            return false;
    return true;
}

static bool event_range(const event *e, range *out)
{
    range sum;
    return sum_ranges(e, e->count, &sum) && rf_divide(sum.low, e->total, &out->low) &&
           rf_divide(sum.high, e->total, &out->high);
}

static bool event_suffices(const event *e, window w, range *out)
{
    return (w.alpha != NULL || w.beta != NULL) && event_range(e, out) && suffices(out, w);
}

/* The window for one result (Star1). Where numbers do not fit or nothing is to be gained, no limit. */
static window result_window(const event *e, size_t index, window w, rf_fraction room[2])
{
    window out = unlimited;
    range others;
    rf_fraction wanted;
    uint32_t weight = e->groups[index].weight;
    if ((w.alpha == NULL && w.beta == NULL) || !sum_ranges(e, index, &others))
        return unlimited;
    if (w.alpha != NULL && rf_scale(*w.alpha, e->total, &wanted) &&
        missing(wanted, others.high, weight, true, &room[0]))
        out.alpha = &room[0];
    if (w.beta != NULL && rf_scale(*w.beta, e->total, &wanted) && missing(wanted, others.low, weight, true, &room[1]) &&
        rf_compare(room[1], rf_one) < 0)
        out.beta = &room[1];
    return out;
}

/* What can be said of the results without searching, and if that is not enough, with little of it. */
static int look_at_results(search *s, const rf_state *state, unsigned plies, window w, event *e, range *out)
{
    rf_state next;
    for (size_t i = 0; i < e->count; i++) {
        after(s, state, e->groups[i].ply, &next);
        if (!bound_settled(s, &next, plies - 1, &e->known[i]))
            range_from_table(s, &next, plies - 1, &e->known[i]);
    }
    for (size_t i = 0; i < e->count && !event_suffices(e, w, out); i++) {
        if (is_exact(&e->known[i]) || (w.alpha == NULL && w.beta == NULL))
            continue;
        after(s, state, e->groups[i].ply, &next);
        if (probe(s, &next, plies - 1, &e->known[i]) == RF_CHANCE_STOPPED)
            return RF_CHANCE_STOPPED;
    }
    return RF_CHANCE_FOUND;
}

static int bound_chance(search *s, const rf_state *state, unsigned plies, window w, range *out)
{
    child *groups = s->children + s->used;
    event e = {.groups = groups};
    e.count = chance_groups(s, state, groups, &e.total);
    if (e.count > MOST_GROUPS)
        return overflowed(s);
    s->used += e.count;
    int result = look_at_results(s, state, plies, w, &e, out);
    for (size_t i = 0; i < e.count && result != RF_CHANCE_STOPPED && !event_suffices(&e, w, out); i++) {
        rf_state next;
        rf_fraction room[2];
        if (is_exact(&e.known[i]))
            continue;
        after(s, state, groups[i].ply, &next);
        result = bound_value(s, &next, plies - 1, result_window(&e, i, w, room), &e.known[i]);
    }
    s->used -= e.count;
    if (result == RF_CHANCE_STOPPED)
        return result;
    return event_range(&e, out) ? RF_CHANCE_FOUND : overflowed(s);
}

/* The probability, or as much of it as the window asks for. */
static int bound_value(search *s, const rf_state *state, unsigned plies, window w, range *out)
{
    if (bound_settled(s, state, plies, out))
        return RF_CHANCE_FOUND;
    if (rf_tick(s->control))
        return RF_CHANCE_STOPPED;
    range before = *out;
    range_from_table(s, state, plies, &before);
    if (suffices(&before, w)) {
        *out = before;
        return RF_CHANCE_FOUND;
    }
    bool chance = s->game->is_chance(s->ctx, state);
    int result = chance ? bound_chance(s, state, plies, w, out) : bound_decision(s, state, plies, w, out);
    if (result == RF_CHANCE_STOPPED)
        return result;
    if (rf_compare(before.low, out->low) > 0)
        out->low = before.low;
    if (rf_compare(before.high, out->high) < 0)
        out->high = before.high;
    range_to_table(s, state, plies, out);
    return RF_CHANCE_FOUND;
}

/* ---- the interface ---- */

static rf_wide joined(const uint64_t halves[2]) { return (rf_wide)halves[1] << 64 | halves[0]; }

static void split(rf_wide number, uint64_t halves[2])
{
    halves[0] = (uint64_t)number;
    halves[1] = (uint64_t)(number >> 64);
}

static rf_fraction first_share(const rf_chances *chances)
{
    return (rf_fraction){joined(chances->num[0]), joined(chances->den)};
}

static void hand_out(const vector *v, rf_chances *out)
{
    split(v->den, out->den);
    for (unsigned i = 0; i < RF_CHANCE_PLAYERS; i++)
        split(v->num[i], out->num[i]);
}

static search new_search(const rf_game *game, const void *ctx, const rf_state *state, rf_chance_table *table,
                         rf_control *control)
{
    return (search){
        .game = game, .ctx = ctx, .control = control, .table = table, .players = game->players(ctx, state)};
}

int rf_chance_maxn(const rf_game *game, const void *ctx, const rf_state *state, unsigned plies, unsigned player,
                   const rf_chances *least, rf_chance_table *table, rf_control *control, rf_chances *out)
{
    search s = new_search(game, ctx, state, table, control);
    if (plies > RF_MAX_HORIZON)
        plies = RF_MAX_HORIZON;
    int result = RF_CHANCE_STOPPED;
    if (begin(&s, plies)) {
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
    end(&s);
    return result;
}

int rf_chance_paranoid(const rf_game *game, const void *ctx, const rf_state *state, unsigned plies, unsigned player,
                       bool upper, int question, const rf_chances *limit, rf_chance_table *table,
                       rf_control *control, rf_chances *out)
{
    search s = new_search(game, ctx, state, table, control);
    if (plies > RF_MAX_HORIZON)
        plies = RF_MAX_HORIZON;
    s.player = player - 1;
    s.upper = upper;
    s.kind = 1 + 2 * (uint64_t)s.player + upper;
    int result = RF_CHANCE_STOPPED;
    if (begin(&s, plies)) {
        rf_fraction edge = limit != NULL ? first_share(limit) : rf_one;
        window asked = {.alpha = question == RF_CHANCE_AT_MOST ? &edge : NULL,
                        .beta = question == RF_CHANCE_AT_LEAST ? &edge : NULL};
        range value;
        result = bound_value(&s, state, plies, asked, &value);
        bool yes = true;
        if (result == RF_CHANCE_FOUND && question == RF_CHANCE_AT_LEAST)
            yes = rf_compare(value.low, edge) >= 0;
        else if (result == RF_CHANCE_FOUND && question == RF_CHANCE_AT_MOST)
            yes = rf_compare(value.high, edge) <= 0;
        else if (result == RF_CHANCE_FOUND)
            hand_out(&(vector){.den = value.low.den, .num = {value.low.num}}, out);
        if (!yes)
            result = RF_CHANCE_BELOW;
    }
    end(&s);
    return result;
}
