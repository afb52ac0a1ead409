/* paranoid: one player against all others (rf_chance_paranoid).
 *
 * Idea: minimax with expectation at chance events and an alpha-beta window; at a chance event Star1 (Ballard 1983)
 * narrows the window of each result by the bounds of the other results. Values are ranges, so the table can keep
 * bounds.
 *
 * Invariants: every range contains the exact probability; `mask` contains every bit that its proof has read.
 *
 * Example: is the probability at least 1/2? beta is 1/2: once a ply of the player gives a range from 1/2 up, the search
 * of the decision ends. */
#include "gran/solver/search.h"

/* Bounds of a probability, and the mask bits that their proof has read (masks.h). */
typedef struct {
    rf_fraction low, high;
    gr_mask mask;
} gr_range;

/* The window of a search: only values between `alpha` and `beta` must be exact, and these two themselves as the flags
 * say. NULL: no limit. If both are one value and one of them is included, the search only compares with that value. */
typedef struct {
    const rf_fraction *alpha, *beta;
    bool with_alpha, with_beta;
} gr_window;

static const gr_window gr_unlimited = {NULL, NULL, false, false};

static bool gr_is_exact(const gr_range *r) { return rf_compare(r->low, r->high) == 0; }

/* The window that answers whether a value is at least `edge`, and above it. */
static gr_window gr_at_least(const rf_fraction *edge) { return (gr_window){edge, edge, true, false}; }
static gr_window gr_above(const rf_fraction *edge) { return (gr_window){edge, edge, false, true}; }

static bool gr_exceeds(const gr_range *r, gr_window w)
{
    return w.beta != NULL && rf_compare(r->low, *w.beta) >= (w.with_beta ? 1 : 0);
}

static bool gr_falls_short(const gr_range *r, gr_window w)
{
    return w.alpha != NULL && rf_compare(r->high, *w.alpha) <= (w.with_alpha ? -1 : 0);
}

static bool gr_suffices(const gr_range *r, gr_window w)
{
    return gr_is_exact(r) || gr_exceeds(r, w) || gr_falls_short(r, w);
}

/* The first number of plies after which the value can differ from that of an unfinished game. */
static unsigned gr_first_change(const gr_search *s, const uint8_t *earliest)
{
    if (!s->upper)
        return earliest[s->player];
    unsigned min = UINT8_MAX;
    for (unsigned i = 0; i < s->players; i++)
        if (i != s->player && earliest[i] < min)
            min = earliest[i];
    return min;
}

static gr_range gr_certain(bool one)
{
    rf_fraction value = one ? rf_one : rf_zero;
    return (gr_range){.low = value, .high = value};
}

static unsigned gr_first_change_of(const gr_search *s, const rf_state *state)
{
    uint8_t earliest[GR_PLAYERS];
    gr_earliest_wins(s->ctx, state, earliest);
    return gr_first_change(s, earliest);
}

/* `change` is the position's first change. */
static bool gr_bound_without_search(const gr_search *s, const rf_state *state, unsigned plies, unsigned change,
                                    gr_range *out)
{
    int winner = gr_winner(state);
    unsigned sure = winner == RF_OUTCOME_NONE ? gr_certain_winner(s->ctx, state, plies) : 0;
    *out = (gr_range){.low = rf_zero, .high = rf_one};
    if (winner != RF_OUTCOME_NONE || sure != 0) {
        *out = gr_certain((sure != 0 ? (int)sure : winner) == (int)s->player + 1);
        return true;
    }
    gr_mask mask = {0};
    if (plies > 0 && change <= plies &&
        !(s->upper && gr_can_prevent_wins(s->ctx, state, s->player + 1, plies, &mask)))
        return false;
    *out = gr_certain(s->upper);
    out->mask = mask;
    return true;
}

static void gr_range_from_table(const gr_search *s, const gr_key *key, gr_range *out)
{
    gr_mask mask;
    uint64_t values[GR_TABLE_VALUES];
    if (s->table != NULL && gr_find_entry(s, key, values, &mask))
        *out = (gr_range){{values[0], values[1]}, {values[2], values[3]}, mask};
}

static void gr_range_to_table(const gr_search *s, const gr_key *key, const gr_range *r)
{
    if (s->table == NULL)
        return;
    rf_fraction low = rf_reduced(r->low), high = rf_reduced(r->high);
    if (!gr_fits(low.den) || !gr_fits(high.den))
        return;
    const uint64_t values[GR_TABLE_VALUES] = {(uint64_t)low.num, (uint64_t)low.den, (uint64_t)high.num,
                                               (uint64_t)high.den};
    gr_store_entry(s, key, values, gr_is_exact(r), &r->mask);
}

static int gr_search_value(gr_search *s, const rf_state *state, unsigned plies, gr_window w, gr_range *out);

/* Whether this side prefers an unfinished game: it wants a low value and that counts 0, or a high one and that counts
 * 1. */
static bool gr_waits(const gr_search *s, bool maximises) { return maximises == s->upper; }

/* Lists the plies, those first that are most likely to decide: after which the value can change soonest
 * (gr_first_change), or latest for the side that waits. If the value after a ply cannot change in time and the side
 * waits, or has changed already and it does not, no ply is better: *settled is true, and that ply is the only one. */
static size_t gr_bound_children(gr_search *s, const rf_state *state, bool maximises, unsigned plies,
                                gr_child *out, bool *settled)
{
    size_t count = gr_generate(s->ctx, state, s->plies);
    bool waiting = gr_waits(s, maximises);
    gr_sequence at = {0};
    *settled = false;
    for (size_t i = 0; i < count; i++) {
        out[i] = (gr_child){.ply = s->plies[i], .index = (uint16_t)i};
        gr_find_fixed(s, state, &at, i > 0 ? &out[i - 1] : NULL, &out[i]);
        unsigned change = gr_first_change(s, at.earliest);
        if (waiting ? change >= plies : change == 0) {
            *settled = true;
            out[0] = out[i];
            return 1;
        }
        out[i].key = (uint16_t)(waiting ? 255 - change : change);
    }
    gr_sort_children(out, count);
    return count;
}

static void gr_update_best(gr_range *best, const gr_range *value, bool maximises)
{
    int low = rf_compare(value->low, best->low), high = rf_compare(value->high, best->high);
    if (maximises ? low > 0 : low < 0)
        best->low = value->low;
    if (maximises ? high > 0 : high < 0)
        best->high = value->high;
}

/* Whether no further ply can matter. */
static bool gr_is_best_possible(const gr_range *best, bool maximises, gr_window w)
{
    if (maximises)
        return gr_exceeds(best, w) || best->low.num == best->low.den;
    return gr_falls_short(best, w) || best->high.num == 0;
}

/* The window for a ply after others. */
static gr_window gr_narrowed(gr_window w, const gr_range *best, bool maximises)
{
    if (maximises && (w.alpha == NULL || rf_compare(best->low, *w.alpha) >= (w.with_alpha ? 0 : 1))) {
        w.alpha = &best->low;
        w.with_alpha = false;
    }
    if (!maximises && (w.beta == NULL || rf_compare(best->high, *w.beta) <= (w.with_beta ? 0 : -1))) {
        w.beta = &best->high;
        w.with_beta = false;
    }
    return w;
}

/* Searches one ply of a decision. RF_CHANCE_FOUND: *value is new; RF_CHANCE_BELOW: an equal position has been
 * searched. */
static int gr_bound_ply(gr_search *s, const rf_state *state, unsigned plies, const gr_child *c, gr_window w,
                        size_t proofs, gr_range *value)
{
    rf_state next;
    gr_after(s, state, c->ply, &next);
    if (gr_has_proof(s, &next, c, proofs))
        return RF_CHANCE_BELOW;
    const unsigned change = gr_waits(s, gr_acting_player(state) == s->player + 1) ? 255u - c->key : c->key;
    int result = RF_CHANCE_FOUND;
    if (!gr_bound_without_search(s, &next, plies - 1, change, value))
        result = gr_search_value(s, &next, plies - 1, w, value);
    if (result != RF_CHANCE_STOPPED)
        gr_keep_proof(s, &next, c, proofs, &value->mask);
    return result;
}

/* The range of a decision. */
static int gr_bound_decision(gr_search *s, const rf_state *state, unsigned plies, gr_window w, gr_range *out)
{
    /* 1. List the plies; one of them may decide. */
    const bool maximises = gr_acting_player(state) == s->player + 1;
    gr_child *children = s->children + s->child_count;
    bool settled;
    const size_t count = gr_bound_children(s, state, maximises, plies, children, &settled), proofs = s->proof_count;
    *out = gr_certain(maximises);
    if (settled) {
        gr_add_ply_mask(s->ctx, state, children[0].ply, &out->mask);
        return RF_CHANCE_FOUND;
    }
    /* 2. Search them until one gives the best possible value for the window. */
    gr_range best = gr_certain(!maximises);
    gr_mask mask = {0};
    int result = RF_CHANCE_FOUND;
    bool is_decided = false;
    gr_queue left = {.children = children, .count = count};
    const gr_child *c;
    s->child_count += count;
    for (size_t tried = 0; !is_decided && (c = gr_next_child(s, state, plies, &left)) != NULL; tried++) {
        gr_range value = gr_certain(s->upper);
        const bool is_too_late = !gr_waits(s, maximises) && c->key >= plies; /* no later ply can win in time either */
        if (is_too_late) {
            left.count = left.at;
        } else {
            result = gr_bound_ply(s, state, plies, c, tried == 0 ? w : gr_narrowed(w, &best, maximises), proofs,
                                  &value);
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
            gr_update_best(&best, &value, maximises);
        gr_join_masks(&mask, &value.mask);
        is_decided = !is_too_late && tried + 1 < count && gr_is_best_possible(&best, maximises, w);
        if (is_decided) { /* this ply proves the value */
            *(maximises ? &best.high : &best.low) = maximises ? rf_one : rf_zero;
            mask = value.mask;
            gr_add_ply_mask(s->ctx, state, c->ply, &mask);
        }
    }
    s->child_count -= count;
    s->proof_count = proofs;
    /* 3. Otherwise the proof uses all plies. */
    if (!is_decided && result != RF_CHANCE_STOPPED)
        gr_add_list_mask(s->ctx, state, NULL, &mask);
    *out = best;
    out->mask = mask;
    return result;
}

/* sum + weight * value. */
static bool gr_add_weighted(rf_fraction *sum, rf_fraction value, uint64_t weight)
{
    rf_fraction more;
    return rf_scale(value, weight, &more) && rf_add(*sum, more, sum);
}

/* A chance event and the ranges of its results. */
typedef struct {
    const gr_child *groups;
    size_t count;
    uint64_t total; /* of weights */
    gr_range known[GR_CHANCE_RESULTS];
} gr_event;

/* The sums over all results but `without`; false if numbers do not fit. */
static bool gr_sum_ranges(const gr_event *e, size_t without, gr_range *out)
{
    *out = gr_certain(false);
    for (size_t i = 0; i < e->count; i++)
        if (i != without && !(gr_add_weighted(&out->low, e->known[i].low, e->groups[i].weight) &&
                              gr_add_weighted(&out->high, e->known[i].high, e->groups[i].weight)))
            return false;
    return true;
}

static bool gr_event_range(const gr_event *e, gr_range *out)
{
    gr_range sum;
    return gr_sum_ranges(e, e->count, &sum) && rf_divide(sum.low, e->total, &out->low) &&
           rf_divide(sum.high, e->total, &out->high);
}

static bool gr_event_suffices(const gr_event *e, gr_window w, gr_range *out)
{
    return (w.alpha != NULL || w.beta != NULL) && gr_event_range(e, out) && gr_suffices(out, w);
}

/* The window for one result (Star1). No limit if numbers do not fit or it would not help. */
static gr_window gr_result_window(const gr_event *e, size_t index, gr_window w, rf_fraction narrowed[2])
{
    gr_window out = gr_unlimited;
    gr_range others;
    rf_fraction target;
    uint32_t weight = e->groups[index].weight;
    if ((w.alpha == NULL && w.beta == NULL) || !gr_sum_ranges(e, index, &others))
        return gr_unlimited;
    if (w.alpha != NULL && rf_scale(*w.alpha, e->total, &target) &&
        gr_missing_value(target, others.high, weight, true, &narrowed[0])) {
        out.alpha = &narrowed[0];
        out.with_alpha = w.with_alpha;
    }
    if (w.beta != NULL && rf_scale(*w.beta, e->total, &target) &&
        gr_missing_value(target, others.low, weight, true, &narrowed[1]) && rf_compare(narrowed[1], rf_one) < 0) {
        out.beta = &narrowed[1];
        out.with_beta = w.with_beta;
    }
    return out;
}

/* The range of a chance event, until it suffices for the window. */
static int gr_bound_chance(gr_search *s, const rf_state *state, unsigned plies, gr_window w, gr_range *out)
{
    gr_child *groups = s->children + s->child_count;
    gr_event e = {.groups = groups};
    rf_state next;
    int result = RF_CHANCE_FOUND;
    /* 1. Ranges that need no search. */
    e.count = gr_group_results(s, state, groups, &e.total);
    s->child_count += e.count;
    for (size_t i = 0; i < e.count; i++) {
        gr_after(s, state, groups[i].ply, &next);
        if (!gr_bound_without_search(s, &next, plies - 1, gr_first_change_of(s, &next), &e.known[i])) {
            const gr_key key = gr_key_of(s, &next, plies - 1);
            gr_range_from_table(s, &key, &e.known[i]);
        }
    }
    /* 2. Search results until the sum suffices. */
    gr_queue left = {.children = groups, .count = e.count};
    const gr_child *c;
    while (result != RF_CHANCE_STOPPED && !gr_event_suffices(&e, w, out) &&
           (c = gr_next_child(s, state, plies, &left)) != NULL) {
        rf_fraction narrowed[2];
        size_t i = (size_t)(c - groups);
        if (gr_is_exact(&e.known[i]))
            continue;
        gr_after(s, state, c->ply, &next);
        result = gr_search_value(s, &next, plies - 1, gr_result_window(&e, i, w, narrowed), &e.known[i]);
    }
    s->child_count -= e.count;
    if (result == RF_CHANCE_STOPPED)
        return result;
    /* 3. The sum, which depends on all results. */
    out->mask = (gr_mask){0};
    for (size_t i = 0; i < e.count; i++)
        gr_join_masks(&out->mask, &e.known[i].mask);
    gr_add_list_mask(s->ctx, state, NULL, &out->mask);
    return gr_event_range(&e, out) ? RF_CHANCE_FOUND : gr_stop_at_overflow(s);
}

static bool gr_is_bound_answered(const gr_search *s, const gr_path_node *at)
{
    gr_range value = {.low = rf_zero, .high = rf_one};
    gr_range_from_table(s, at->key, &value);
    return gr_suffices(&value, *(const gr_window *)at->question);
}

/* The probability, or as much of it as the window asks for, of a position that gr_bound_without_search does not
 * decide. */
static int gr_search_value(gr_search *s, const rf_state *state, unsigned plies, gr_window w, gr_range *out)
{
    if (rf_tick(s->control))
        return RF_CHANCE_STOPPED;
    const gr_key key = gr_key_of(s, state, plies);
    const gr_range unknown = {.low = rf_zero, .high = rf_one};
    gr_range before;
    int result;
    do {
        /* 1. The table. */
        before = unknown;
        gr_range_from_table(s, &key, &before);
        if (gr_suffices(&before, w)) {
            *out = before;
            return RF_CHANCE_FOUND;
        }
        if (s->shared && gr_poll(s, plies, &(gr_path_node){&key, &w}, gr_is_bound_answered))
            return RF_CHANCE_STOPPED;
        /* 2. The search; again if another thread has answered this position meanwhile. */
        gr_mark_position(s, &key, plies);
        bool chance = gr_is_at_chance(state);
        result = chance ? gr_bound_chance(s, state, plies, w, out) : gr_bound_decision(s, state, plies, w, out);
        gr_unmark_position(s, &key, plies);
    } while (result == RF_CHANCE_STOPPED && s->shared && gr_has_returned(s, plies));
    if (result == RF_CHANCE_STOPPED)
        return result;
    /* 3. Both ranges are proven, so their intersection is. */
    bool higher = rf_compare(before.low, out->low) > 0, lower = rf_compare(before.high, out->high) < 0;
    if (higher)
        out->low = before.low;
    if (lower)
        out->high = before.high;
    if (higher || lower)
        gr_join_masks(&out->mask, &before.mask);
    gr_range_to_table(s, &key, out);
    return RF_CHANCE_FOUND;
}

static int gr_bound_value(gr_search *s, const rf_state *state, unsigned plies, gr_window w, gr_range *out)
{
    if (gr_bound_without_search(s, state, plies, gr_first_change_of(s, state), out))
        return RF_CHANCE_FOUND;
    return gr_search_value(s, state, plies, w, out);
}

/* ---- the interface ---- */

static void gr_write_range(const gr_range *value, rf_chances *out)
{
    *out = (rf_chances){0};
    rf_split_halves(value->low.den, out->den);
    rf_split_halves(value->low.num, out->num[0]);
    memcpy(out->mask, value->mask.word, sizeof out->mask);
}

int gr_paranoid(const void *ctx, const rf_state *state, unsigned plies, unsigned player,
                bool upper, int question, const rf_chances *limit, rf_chance_table *table, rf_control *control,
                rf_chances *out)
{
    gr_search s = gr_new_search(ctx, state, table, control);
    if (plies > RF_MAX_HORIZON)
        plies = RF_MAX_HORIZON;
    s.player = player - 1;
    s.upper = upper;
    s.kind = 1 + 2 * (uint64_t)s.player + upper;
    int result = RF_CHANCE_STOPPED;
    if (gr_begin_search(&s, plies)) {
        rf_fraction edge = limit != NULL ? gr_first_probability(limit) : rf_one;
        /* Most values are 0 or 1: compare with that first. */
        if (question == RF_CHANCE_VALUE)
            edge = upper ? rf_one : rf_zero;
        const bool least = question == RF_CHANCE_VALUE ? upper : question == RF_CHANCE_AT_LEAST;
        gr_range value;
        result = gr_bound_value(&s, state, plies, least ? gr_at_least(&edge) : gr_above(&edge), &value);
        if (result == RF_CHANCE_FOUND && question == RF_CHANCE_VALUE && !gr_is_exact(&value))
            result = gr_bound_value(&s, state, plies, gr_unlimited, &value);
        bool yes = true;
        if (result == RF_CHANCE_FOUND && question == RF_CHANCE_AT_LEAST)
            yes = rf_compare(value.low, edge) >= 0;
        else if (result == RF_CHANCE_FOUND && question == RF_CHANCE_AT_MOST)
            yes = rf_compare(value.high, edge) <= 0;
        else if (result == RF_CHANCE_FOUND)
            gr_write_range(&value, out);
        if (!yes)
            result = RF_CHANCE_BELOW;
    }
    gr_end_search(&s);
    return result;
}
