/* paranoid: one player against all others (rf_chance_paranoid).
 *
 * Idea: minimax with expectation at chance events and an alpha-beta window; at a chance event Star1 (Ballard 1983)
 * narrows the window of each result by the bounds of the other results. Values are ranges, so the table can keep
 * bounds.
 *
 * Invariants: every range contains the exact probability; `reads` contains every detail that its proof has read.
 *
 * Example: is the probability at least 1/2? beta is 1/2: once a ply of the player gives a range from 1/2 up, the search
 * of the decision ends. */
#include "search/chance_internal.h"

/* Bounds of a probability, and the details that their proof has read (rf_mask_part). */
typedef struct {
    rf_fraction low, high;
    rf_details reads;
} range;

/* The window of a search: only values between `alpha` and `beta` must be exact. NULL: no limit. */
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

/* The first number of plies after which the value can differ from that of an unfinished game. */
static unsigned first_change(const rf_chance_search *s, const uint8_t *first)
{
    if (!s->upper)
        return first[s->player];
    unsigned least = UINT8_MAX;
    for (unsigned i = 0; i < s->players; i++)
        if (i != s->player && first[i] < least)
            least = first[i];
    return least;
}

static range certain(bool one)
{
    rf_fraction value = one ? rf_one : rf_zero;
    return (range){.low = value, .high = value};
}

static bool bound_settled(const rf_chance_search *s, const rf_state *state, unsigned plies, range *out)
{
    int winner = s->game->outcome(s->ctx, state);
    unsigned sure = winner == RF_OUTCOME_NONE ? sure_winner(s, state, plies) : 0;
    uint8_t first[RF_CHANCE_PLAYERS];
    *out = (range){.low = rf_zero, .high = rf_one};
    if (winner != RF_OUTCOME_NONE || sure != 0) {
        *out = certain((sure != 0 ? (int)sure : winner) == (int)s->player + 1);
        return true;
    }
    earliest_wins(s, state, first);
    rf_details reads = {0};
    if (plies > 0 && first_change(s, first) <= plies &&
        !(s->upper && can_prevent_wins(s, state, s->player + 1, plies, &reads)))
        return false;
    *out = certain(s->upper);
    out->reads = reads;
    return true;
}

static void range_from_table(const rf_chance_search *s, const rf_chance_key *key, range *out)
{
    rf_details reads;
    uint64_t values[RF_CHANCE_VALUES];
    if (s->table != NULL && rf_chance_find(s, key, values, &reads))
        *out = (range){{values[0], values[1]}, {values[2], values[3]}, reads};
}

static void range_to_table(const rf_chance_search *s, const rf_chance_key *key, const range *r)
{
    if (s->table == NULL)
        return;
    rf_fraction low = rf_reduced(r->low), high = rf_reduced(r->high);
    if (!fits(low.den) || !fits(high.den))
        return;
    const uint64_t values[RF_CHANCE_VALUES] = {(uint64_t)low.num, (uint64_t)low.den, (uint64_t)high.num,
                                               (uint64_t)high.den};
    rf_chance_store(s, key, values, is_exact(r), &r->reads);
}

static int bound_value(rf_chance_search *s, const rf_state *state, unsigned plies, window w, range *out);

/* Whether this side profits from the game not ending: who wants a low value if a game not over counts 0, who wants a
 * high one if it counts 1. */
static bool waits(const rf_chance_search *s, bool maximises) { return maximises == s->upper; }

/* All plies, those first that are likely to settle the matter: the keys are plies up to the first news, or their
 * complement for who waits. Positions without news in time are all worth the same, those where it has come too: if
 * there is one of these that settles the matter, it is the only one. */
static size_t bound_children(rf_chance_search *s, const rf_state *state, bool maximises, unsigned plies,
                             rf_chance_child *out, bool *settled)
{
    size_t count = s->game->generate(s->ctx, state, s->plies);
    bool waiting = waits(s, maximises);
    rf_chance_sequence at = {0};
    *settled = false;
    for (size_t i = 0; i < count; i++) {
        rf_state next;
        after(s, state, s->plies[i], &next);
        out[i] = (rf_chance_child){.ply = s->plies[i], .index = (uint16_t)i};
        rf_chance_next(s, &next, &at, i > 0 ? &out[i - 1] : NULL, &out[i]);
        unsigned news = first_change(s, at.first);
        if (waiting ? news >= plies : news == 0) {
            *settled = true;
            out[0] = out[i];
            return 1;
        }
        out[i].key = (uint16_t)(waiting ? 255 - news : news);
    }
    rf_chance_sort(out, count);
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

/* Searches one ply of a decision. RF_CHANCE_FOUND: *value is new; RF_CHANCE_BELOW: an equal position has been
 * searched. */
static int bound_ply(rf_chance_search *s, const rf_state *state, unsigned plies, const rf_chance_child *c, window w,
                     size_t proofs, range *value)
{
    rf_state next;
    after(s, state, c->ply, &next);
    if (rf_chance_proved(s, &next, c, proofs))
        return RF_CHANCE_BELOW;
    const int result = bound_value(s, &next, plies - 1, w, value);
    if (result != RF_CHANCE_STOPPED)
        rf_chance_keep_proof(s, &next, c, proofs, &value->reads);
    return result;
}

static int bound_decision(rf_chance_search *s, const rf_state *state, unsigned plies, window w, range *out)
{
    /* 1. List the plies; one of them may decide. */
    const bool maximises = s->game->player(s->ctx, state) == s->player + 1;
    rf_chance_child *children = s->children + s->used;
    bool settled;
    const size_t count = bound_children(s, state, maximises, plies, children, &settled), proofs = s->proved;
    *out = certain(maximises);
    if (settled) {
        ply_reads(s, state, children[0].ply, &out->reads);
        return RF_CHANCE_FOUND;
    }
    /* 2. Search them until one gives the best possible value for the window. */
    range best = certain(!maximises);
    rf_details reads = {0};
    int result = RF_CHANCE_FOUND;
    bool is_decided = false;
    rf_chance_queue left = {.children = children, .count = count};
    const rf_chance_child *c;
    s->used += count;
    for (size_t tried = 0; !is_decided && (c = rf_chance_take(s, state, plies, &left)) != NULL; tried++) {
        range value = certain(s->upper);
        const bool is_too_late = !waits(s, maximises) && c->key >= plies; /* no later ply can win in time either */
        if (is_too_late) {
            left.count = left.at;
        } else {
            result = bound_ply(s, state, plies, c, tried == 0 ? w : narrowed(w, &best, maximises), proofs, &value);
            if (result == RF_CHANCE_BELOW) {
                result = RF_CHANCE_FOUND;
                continue;
            }
            if (result == RF_CHANCE_STOPPED)
                break;
        }
        if (tried == 0)
            best = value;
        else
            take_better(&best, &value, maximises);
        add_reads(&reads, &value.reads);
        is_decided = !is_too_late && tried + 1 < count && best_possible(&best, maximises, w);
        if (is_decided) { /* this ply proves the value */
            *(maximises ? &best.high : &best.low) = maximises ? rf_one : rf_zero;
            reads = value.reads;
            ply_reads(s, state, c->ply, &reads);
        }
    }
    s->used -= count;
    s->proved = proofs;
    /* 3. Otherwise the proof uses all plies. */
    if (!is_decided && result != RF_CHANCE_STOPPED)
        list_reads(s, state, NULL, &reads);
    *out = best;
    out->reads = reads;
    return result;
}

/* sum + weight * value. */
static bool add_weighted(rf_fraction *sum, rf_fraction value, uint64_t weight)
{
    rf_fraction more;
    return rf_scale(value, weight, &more) && rf_add(*sum, more, sum);
}

/* A chance event and the ranges of its results. */
typedef struct {
    const rf_chance_child *groups;
    size_t count;
    uint64_t total; /* of weights */
    range known[RF_MOST_CHANCE_RESULTS];
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

/* The window for one result (Star1). No limit if numbers do not fit or it would not help. */
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

static int bound_chance(rf_chance_search *s, const rf_state *state, unsigned plies, window w, range *out)
{
    rf_chance_child *groups = s->children + s->used;
    event e = {.groups = groups};
    rf_state next;
    int result = RF_CHANCE_FOUND;
    e.count = rf_chance_groups(s, state, groups, &e.total);
    s->used += e.count;
    for (size_t i = 0; i < e.count; i++) { /* results that are known without search */
        after(s, state, groups[i].ply, &next);
        if (!bound_settled(s, &next, plies - 1, &e.known[i])) {
            const rf_chance_key key = rf_chance_key_of(s, &next, plies - 1);
            range_from_table(s, &key, &e.known[i]);
        }
    }
    rf_chance_queue left = {.children = groups, .count = e.count};
    const rf_chance_child *c;
    while (result != RF_CHANCE_STOPPED && !event_suffices(&e, w, out) &&
           (c = rf_chance_take(s, state, plies, &left)) != NULL) {
        rf_fraction room[2];
        size_t i = (size_t)(c - groups);
        if (is_exact(&e.known[i]))
            continue;
        after(s, state, c->ply, &next);
        result = bound_value(s, &next, plies - 1, result_window(&e, i, w, room), &e.known[i]);
    }
    s->used -= e.count;
    if (result == RF_CHANCE_STOPPED)
        return result;
    out->reads = (rf_details){0};
    for (size_t i = 0; i < e.count; i++)
        add_reads(&out->reads, &e.known[i].reads);
    list_reads(s, state, NULL, &out->reads);
    return event_range(&e, out) ? RF_CHANCE_FOUND : rf_chance_overflowed(s);
}

static bool bound_answered(const rf_chance_search *s, const rf_chance_step *at)
{
    range value = {.low = rf_zero, .high = rf_one};
    range_from_table(s, at->key, &value);
    return suffices(&value, *(const window *)at->asked);
}

/* The probability, or as much of it as the window asks for. */
static int bound_value(rf_chance_search *s, const rf_state *state, unsigned plies, window w, range *out)
{
    if (bound_settled(s, state, plies, out))
        return RF_CHANCE_FOUND;
    if (rf_tick(s->control))
        return RF_CHANCE_STOPPED;
    const rf_chance_key key = rf_chance_key_of(s, state, plies);
    const range unknown = *out;
    range before;
    int result;
    do {
        before = unknown;
        range_from_table(s, &key, &before);
        if (suffices(&before, w)) {
            *out = before;
            return RF_CHANCE_FOUND;
        }
        if (s->shared && rf_chance_poll(s, plies, &(rf_chance_step){&key, &w}, bound_answered))
            return RF_CHANCE_STOPPED;
        rf_chance_enter(s, &key, plies);
        bool chance = rf_at_chance(s->game, s->ctx, state);
        result = chance ? bound_chance(s, state, plies, w, out) : bound_decision(s, state, plies, w, out);
        rf_chance_leave(s, &key, plies);
    } while (result == RF_CHANCE_STOPPED && s->shared && rf_chance_returned(s, plies));
    if (result == RF_CHANCE_STOPPED)
        return result;
    bool higher = rf_compare(before.low, out->low) > 0, lower = rf_compare(before.high, out->high) < 0;
    if (higher)
        out->low = before.low;
    if (lower)
        out->high = before.high;
    if (higher || lower)
        add_reads(&out->reads, &before.reads);
    range_to_table(s, &key, out);
    return RF_CHANCE_FOUND;
}

/* ---- the interface ---- */

static void hand_out(const range *value, rf_chances *out)
{
    *out = (rf_chances){0};
    split(value->low.den, out->den);
    split(value->low.num, out->num[0]);
    memcpy(out->reads, value->reads.word, sizeof out->reads);
}

int rf_chance_paranoid(const rf_game *game, const void *ctx, const rf_state *state, unsigned plies, unsigned player,
                       bool upper, int question, const rf_chances *limit, rf_chance_table *table, rf_control *control,
                       rf_chances *out)
{
    rf_chance_search s = rf_chance_new_search(game, ctx, state, table, control);
    if (plies > RF_MAX_HORIZON)
        plies = RF_MAX_HORIZON;
    s.player = player - 1;
    s.upper = upper;
    s.kind = 1 + 2 * (uint64_t)s.player + upper;
    int result = RF_CHANCE_STOPPED;
    if (rf_chance_begin(&s, plies)) {
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
            hand_out(&value, out);
        if (!yes)
            result = RF_CHANCE_BELOW;
    }
    rf_chance_end(&s);
    return result;
}
