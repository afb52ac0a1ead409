/* One question, by a depth-first search over AND and OR positions.
 *
 * Idea: the frames of path.h replace recursion, since play can repeat and paths are long. Positions with at most one
 * bare knight have their own searches (holders.h, bare_knight.h), which are the leaves here. Plies with an answer at
 * once, most of them at the last ring (last_ring.h), are not searched. The others are ordered by the table, mobility
 * and history (moves.c); enhanced transposition cutoffs (Plaat et al. 1996) look for an answer among the positions
 * after them.
 *
 * Invariants: path.h. With several threads, a frame whose position another thread has proven ends at once.
 *
 * Example: North attacks with threshold 0 (it needs an end below 0). A position with South to move has the goal
 * KR_FAILS: one ply of South's with answer KR_FAILS decides it. */
#include "rings/solver/holders.h"
#include "rings/solver/solver.h"

/* ---- entries ---- */

/* The entry of a position in the thread's own table, for writing. */
static inline kr_bounds_entry kr_own_entry(kr_search *search, uint64_t key)
{
    return kr_unpack_bounds(kr_table_insert(&search->table, key, kr_no_bounds()));
}

/* Looks a question up in the shared memory; copies an entry that answers it. */
static kr_answer kr_look_up_shared(kr_search *search, uint64_t key, int threshold)
{
    kr_slot slot;
    if (!kr_shared_get(search->shared, key, &slot))
        return kr_proven(KR_UNDECIDED);
    kr_bounds_entry theirs = kr_unpack_bounds(&slot);
    bool at_least = theirs.lower >= threshold, below = theirs.upper < threshold;
    if (!at_least && !below)
        return kr_proven(KR_UNDECIDED);
    kr_bounds_entry own = kr_own_entry(search, key);
    kr_intersect_bounds(&own, theirs.lower, theirs.upper);
    kr_write_bounds(&own);
    if ((own.slot->b & UINT32_MAX) == 0) /* the best ply */
        own.slot->b |= slot.b & UINT32_MAX;
    return kr_proven(at_least == (threshold > 0) ? KR_SUCCEEDS : KR_FAILS);
}

/* Adds the bounds of an entry to the shared memory. */
static void kr_share_bounds(kr_search *search, const kr_bounds_entry *e)
{
    kr_slot slot = *e->slot, there;
    kr_bounds_entry joined = {&slot, e->lower, e->upper, KR_NOT_PROVISIONAL, 0};
    if (kr_shared_get(search->shared, slot.key, &there)) {
        kr_bounds_entry theirs = kr_unpack_bounds(&there);
        kr_intersect_bounds(&joined, theirs.lower, theirs.upper);
    }
    kr_write_bounds(&joined);
    kr_shared_put(search->shared, &slot);
}

/* Looks a question up in an entry. Settles a provisional failure whose group is closed. */
static kr_answer kr_look_up_entry(kr_search *search, kr_bounds_entry e, int threshold)
{
    if (threshold > 0 ? e.lower >= threshold : e.upper < threshold)
        return kr_proven(KR_SUCCEEDS);
    if (threshold > 0 ? e.upper < threshold : e.lower >= threshold)
        return kr_proven(KR_FAILS);
    /* An attacker that fails at a threshold fails at a harder one. */
    bool covered = e.provisional != KR_NOT_PROVISIONAL && (e.provisional > 0) == (threshold > 0) &&
                   (threshold > 0 ? threshold >= e.provisional : threshold <= e.provisional);
    if (!covered)
        return kr_proven(KR_UNDECIDED);
    const kr_group *g = &search->groups.groups[kr_group_root(search->groups.groups, e.group)];
    if (g->state == KR_GROUP_OPEN)
        return (kr_answer){KR_FAILS, g->low, g->high};
    if (g->state == KR_GROUP_PROVEN)
        kr_narrow_bounds(&e, e.provisional, false);
    e.provisional = KR_NOT_PROVISIONAL;
    kr_write_bounds(&e);
    if (RF_UNLIKELY(search->shared != NULL) && g->state == KR_GROUP_PROVEN)
        kr_share_bounds(search, &e);
    return kr_proven(g->state == KR_GROUP_PROVEN ? KR_FAILS : KR_UNDECIDED);
}

static inline kr_answer kr_look_up(kr_search *search, uint64_t key, int threshold)
{
    kr_slot *slot = kr_table_find(&search->table, key);
    if (slot != NULL)
        return kr_look_up_entry(search, kr_unpack_bounds(slot), threshold);
    return search->shared == NULL ? kr_proven(KR_UNDECIDED) : kr_look_up_shared(search, key, threshold);
}

/* ---- plies ---- */

/* Scores in steps of 5, so that the history decides between plies of nearly equal scores; found by trial. */
enum { KR_SCORE_STEP = 5, KR_SCORE_CLASSES = 64, KR_MIDDLE_CLASS = 32 };

/* The class of a ply by its order score; plies of a higher class are tried first. Scores beyond 160 on either side are
 * clamped: class * 2 * KR_HISTORY_LIMIT + history then fits 32 bits and stays below the weight of the best ply, and
 * class 0 is left for the pass. `rest`: without bare knights. */
static unsigned kr_order_class(const kr_state *rest, uint64_t bare, rf_ply ply, const kr_attacks *theirs)
{
    if (ply == kr_pass)
        return 0;
    uint64_t to = kr_bit(kr_to(ply));
    if (kr_from(ply) != KR_FROM_HAND && (bare & kr_bit(kr_from(ply))) != 0)
        ply = bare & to             ? kr_ply(KR_BARE_CAPTURES_BARE, 0)
              : kr_empty(rest) & to ? kr_ply(KR_BARE_STEPS, 0)
                                    : kr_ply(KR_BARE_TAKES, kr_to(ply));
    int class = KR_MIDDLE_CLASS + kr_order_score(rest, ply, theirs) / KR_SCORE_STEP;
    return class < 1 ? 1 : class >= KR_SCORE_CLASSES ? KR_SCORE_CLASSES - 1 : (unsigned)class;
}

/* Sorts the plies of a frame: the best one of the table, then by class and history (moves.h describes the order). */
static void kr_sort_frame(const kr_search *search, kr_frame *f)
{
    const kr_state *s = kr_state_of(&f->state);
    uint64_t bare = kr_bare_knights(s, KR_SOUTH) | kr_bare_knights(s, KR_NORTH);
    kr_state rest = *s;
    rest.knights[KR_SOUTH] &= ~bare;
    rest.knights[KR_NORTH] &= ~bare;
    kr_attacks theirs = kr_find_attacks(&rest, !s->side);
    uint32_t weight[KR_MAX_PLIES];
    for (uint32_t i = 0; i < f->count; i++) {
        rf_ply ply = f->plies[i];
        uint32_t own = search->history[s->side][ply % KR_HISTORY_PLIES];
        own += kr_order_class(&rest, bare, ply, &theirs) * (2u * KR_HISTORY_LIMIT);
        kr_insert_sorted(f->plies, weight, i, ply == f->best ? UINT32_MAX : own);
    }
}

/* The answer to a position that needs neither the table nor a search; KR_UNDECIDED if there is none. */
static int kr_answer_at_once(const kr_question *q, const kr_state *s)
{
    uint64_t free = kr_free(s);
    bool over = kr_is_over(s);
    if (over || free == 0) {
        int last = over ? 0 : 2 * kr_last_capture(s); /* North's last turn (K10) */
        return kr_is_success(q, kr_balance(s) - last) ? KR_SUCCEEDS : KR_FAILS;
    }
    return kr_one_bit(free) ? kr_answer_last_ring(q, s) : KR_UNDECIDED;
}

/* Removes the plies of a frame whose answer at once is not the goal, and finds the keys after the others. KR_UNDECIDED,
 * or the goal if one ply has it at once. */
static int kr_filter_plies(const kr_question *q, kr_frame *f, uint64_t *keys)
{
    const kr_search *search = q->search;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        kr_state next;
        rf_ply ply = f->plies[i];
        kr_after(kr_state_of(&f->state), ply, &next);
        int answer = kr_answer_at_once(q, &next);
        if (answer == f->goal) {
            f->best = ply;
            return answer;
        }
        if (answer != KR_UNDECIDED)
            continue;
        f->plies[kept] = ply;
        keys[kept] = kr_hash_state(&next);
        kr_table_prefetch(&search->table, keys[kept]);
        if (RF_UNLIKELY(search->shared != NULL))
            kr_prefetch_bucket(kr_shared_bucket(search->shared, keys[kept]));
        kept++;
    }
    f->count = f->not_deferred = kept;
    return KR_UNDECIDED;
}

/* Whether one ply is known to have the goal, at once or from the table (enhanced transposition cutoff). Among
 * provisional failures it takes the one that depends on the deepest positions. If none has, the plies that are left
 * are sorted. */
static kr_answer kr_probe_plies(const kr_question *q, kr_frame *f)
{
    kr_search *search = q->search;
    int threshold = q->threshold;
    uint64_t keys[KR_MAX_PLIES];
    kr_answer found = kr_proven(kr_filter_plies(q, f, keys));
    if (found.answer != KR_UNDECIDED)
        return found;
    for (uint32_t i = 0; i < f->count; i++) {
        kr_answer known = kr_look_up(search, keys[i], threshold);
        if (known.answer != f->goal)
            continue;
        if (found.answer == KR_UNDECIDED || known.low > found.low) {
            found = known;
            f->best = f->plies[i];
        }
        if (known.low == kr_depends_on_nothing)
            break;
    }
    if (found.answer == KR_UNDECIDED)
        kr_sort_frame(search, f);
    return found;
}

/* ---- positions ---- */

/* The answer for positions with at most one bare knight. */
static int kr_evaluate_leaf(kr_search *search, const kr_state *s, int threshold, rf_control *control)
{
    uint64_t south = kr_bare_knights(s, KR_SOUTH), north = kr_bare_knights(s, KR_NORTH), bare = south | north;
    kr_question q = kr_question_of(search, threshold, control);
    if (bare == 0)
        return kr_search_without_bare(&q, s);
    if (!kr_one_bit(bare) || s->passes > 0)
        return KR_UNDECIDED;
    unsigned owner = north != 0;
    kr_state rest = *s;
    rest.knights[owner] ^= bare;
    kr_square_sets found = kr_search_bare_knight(&q, &rest, owner, bare);
    return found.succeeds & bare ? KR_SUCCEEDS : found.fails & bare ? KR_FAILS : KR_UNDECIDED;
}

/* Puts a position on the path at `depth`. */
static void kr_open_frame(kr_search *search, const rf_state *state, uint64_t key, uint32_t depth, uint32_t cycle_start,
                          int threshold, rf_control *control)
{
    const kr_state *s = kr_state_of(state);
    kr_frame *f = kr_frame_at(&search->path, depth);
    kr_slot *slot = kr_table_find(&search->table, key);
    f->state = *state;
    f->key = key;
    kr_push(&search->path, key, depth);
    kr_begin_position(search, key);
    f->nodes_before = control->nodes;
    f->next = 0;
    f->cycle_start = cycle_start;
    f->low = kr_depends_on_nothing;
    f->high = 0;
    f->groups_before = search->groups.open_count;
    f->best = slot == NULL ? UINT32_MAX : (rf_ply)slot->b;
    f->goal = (s->side == KR_SOUTH) == (threshold > 0) ? KR_SUCCEEDS : KR_FAILS;
    f->count = (uint32_t)kr_legal_plies(s, f->plies);
}

static void kr_close_frame(kr_search *search, uint32_t depth)
{
    kr_pop(&search->path, depth);
    kr_end_position(search, search->path.keys[depth]);
}

/* Answers, or puts the position on the path at `depth` and leaves it undecided. kr_answer_at_once has no answer. */
static kr_answer kr_enter(kr_search *search, const rf_state *state, uint32_t depth, uint32_t cycle_start, int threshold,
                          rf_control *control)
{
    const kr_state *s = kr_state_of(state);
    /* 1. Repetitions. */
    if (rf_tick(control))
        return kr_proven(KR_UNDECIDED);
    bool may_defer = search->may_defer;
    uint64_t key = kr_hash_state(s);
    uint32_t same = kr_find_on_path(&search->path, key, cycle_start);
    if (same != 0)
        return (kr_answer){KR_FAILS, same - 1, same - 1};
    /* 2. The table. */
    kr_slot *slot = kr_table_find(&search->table, key);
    if (slot != NULL) {
        kr_answer known = kr_look_up_entry(search, kr_unpack_bounds(slot), threshold);
        if (known.answer != KR_UNDECIDED)
            return known;
    }
    if (RF_UNLIKELY(search->shared != NULL)) {
        kr_answer known = kr_look_up_shared(search, key, threshold);
        if (known.answer != KR_UNDECIDED || kr_is_deferred(search, key))
            return known;
        search->may_defer = may_defer;
    }
    /* 3. A far threshold. */
    kr_question q = kr_question_of(search, threshold, control);
    if (kr_is_out_of_reach(&q, s, kr_attackers_lead(&q, s), NULL))
        return kr_proven(KR_FAILS);
    /* 4. Positions with their own search. */
    int leaf = kr_evaluate_leaf(search, s, threshold, control);
    if (leaf != KR_UNDECIDED || control->stopped != RF_DONE || search->deferred)
        return kr_proven(leaf);
    /* 5. A new frame. */
    if (!kr_path_grow(&search->path, depth))
        control->stopped = RF_STOPPED_MEMORY;
    else
        kr_open_frame(search, state, key, depth, cycle_start, threshold, control);
    return kr_proven(KR_UNDECIDED);
}

/* Takes the position at `depth` off the path and stores its answer. */
static kr_answer kr_leave(kr_search *search, uint32_t depth, int threshold, int answer, rf_control *control)
{
    kr_frame *f = kr_frame_at(&search->path, depth);
    kr_bounds_entry e = kr_own_entry(search, f->key);
    kr_answer out = kr_proven(answer);
    kr_close_frame(search, depth);
    if (answer == KR_SUCCEEDS) {
        kr_narrow_bounds(&e, threshold, true);
        kr_invalidate_groups(&search->groups, f, depth);
    } else if (f->low >= depth) {
        kr_narrow_bounds(&e, threshold, false);
        kr_prove_groups(&search->groups, f, depth);
    } else {
        e.provisional = threshold;
        e.group = kr_add_group(&search->groups, f, depth);
        out.low = search->groups.groups[e.group].low;
        out.high = search->groups.groups[e.group].high;
    }
    kr_write_bounds(&e);
    e.slot->b = (e.slot->b & ~(uint64_t)UINT32_MAX) | f->best;
    kr_record_nodes(e.slot, control->nodes - f->nodes_before);
    if (search->shared != NULL && out.low == kr_depends_on_nothing)
        kr_share_bounds(search, &e);
    if (search->groups.count >= search->groups.max && !kr_renumber_groups(&search->groups, &search->table))
        control->stopped = RF_STOPPED_MEMORY;
    return out;
}

/* Adds the answer for the last ply of a frame. Whether it decides the frame. */
static bool kr_add_ply_answer(kr_search *search, kr_frame *f, kr_answer below)
{
    rf_ply ply = f->plies[f->next - 1];
    if (below.answer == f->goal) {
        f->best = ply;
        f->low = below.low; /* the answer depends on this ply only */
        f->high = below.high;
        kr_update_history(search, kr_state_of(&f->state)->side, ply);
        return true;
    }
    if (below.low < f->low)
        f->low = below.low;
    if (below.low != kr_depends_on_nothing && below.high > f->high)
        f->high = below.high;
    return false;
}

enum { KR_NODES_BETWEEN_PATH_CHECKS = 1 << 10 };

/* If another thread has proven a position on the path below the root, takes the positions after it off the path.
 * Returns that answer and sets *depth to the position. */
static kr_answer kr_check_path(kr_search *search, uint32_t *depth, int threshold, uint64_t nodes)
{
    search->next_path_check = nodes + KR_NODES_BETWEEN_PATH_CHECKS;
    for (uint32_t at = 1; at <= *depth; at++) {
        kr_frame *f = kr_frame_at(&search->path, at);
        kr_answer known = kr_look_up_shared(search, f->key, threshold);
        if (known.answer == KR_UNDECIDED)
            continue;
        for (uint32_t left = *depth; left > at; left--)
            kr_close_frame(search, left);
        kr_invalidate_groups(&search->groups, f, at); /* also those that depend on positions after it */
        f->best = (rf_ply)kr_table_find(&search->table, f->key)->b;
        f->low = kr_depends_on_nothing;
        f->high = 0;
        *depth = at;
        return known;
    }
    return kr_proven(KR_UNDECIDED);
}

/* ---- the loop ---- */

/* The search between two steps. */
typedef struct kr_cursor {
    kr_search *search;
    int threshold;
    rf_control *control;
    uint32_t depth;
    bool entered; /* the position at `depth` has just been put on the path */
    kr_answer now; /* of the position at `depth` */
} kr_cursor;

/* The position at `depth` is decided: goes back to the one before it. Whether the root is decided. */
static bool kr_go_back(kr_cursor *c)
{
    kr_search *search = c->search;
    const kr_frame *f = kr_frame_at(&search->path, c->depth);
    if (c->depth == 0 && c->now.answer == f->goal) {
        search->root_ply = f->best;
        search->root_has_ply = true;
    }
    c->now = kr_leave(search, c->depth, c->threshold, c->now.answer, c->control);
    if (c->depth == 0)
        return true;
    c->depth--;
    if (!kr_add_ply_answer(search, kr_frame_at(&search->path, c->depth), c->now))
        c->now.answer = KR_UNDECIDED;
    return false;
}

/* Tries the next ply of the position at `depth`. False if the control stopped. */
static bool kr_try_next_ply(kr_cursor *c)
{
    kr_search *search = c->search;
    kr_frame *f = kr_frame_at(&search->path, c->depth);
    rf_ply ply = f->plies[f->next++];
    rf_state next;
    kr_state_after(&f->state, ply, &next);
    uint32_t cycle_start = kr_makes_progress(kr_state_of(&f->state), ply) ? c->depth + 1 : f->cycle_start;
    kr_begin_try(search, f->next == 1 || f->next > f->not_deferred);
    c->now = kr_enter(search, &next, c->depth + 1, cycle_start, c->threshold, c->control);
    bool deferred = kr_end_try(search);
    if (c->control->stopped != RF_DONE) {
        for (uint32_t left = c->depth + 1; left-- > 0;)
            kr_close_frame(search, left);
        return false;
    }
    if (deferred) {
        kr_defer_ply(f);
        c->now.answer = KR_UNDECIDED;
    } else if (c->now.answer == KR_UNDECIDED) {
        c->depth++;
        c->entered = true;
    } else if (!kr_add_ply_answer(search, f, c->now)) {
        c->now.answer = KR_UNDECIDED;
    }
    return true;
}

int kr_search_threshold(kr_search *search, const rf_state *root, int threshold, rf_control *control)
{
    search->may_defer = search->deferred = false;
    kr_question q = kr_question_of(search, threshold, control);
    int sure = kr_answer_at_once(&q, kr_state_of(root));
    if (sure != KR_UNDECIDED)
        return sure;
    kr_cursor c = {search, threshold, control, 0, true, kr_enter(search, root, 0, 0, threshold, control)};
    if (c.now.answer != KR_UNDECIDED || control->stopped != RF_DONE)
        return c.now.answer;
    for (;;) {
        /* 1. Another thread may have proven a position on the path. */
        if (RF_UNLIKELY(search->shared != NULL && control->nodes >= search->next_path_check)) {
            kr_answer known = kr_check_path(search, &c.depth, threshold, control->nodes);
            if (known.answer != KR_UNDECIDED) {
                c.now = known;
                c.entered = false;
            }
        }
        /* 2. A new position: one of its plies may have an answer already. */
        kr_frame *f = kr_frame_at(&search->path, c.depth);
        if (c.entered) {
            c.now = kr_probe_plies(&q, f);
            if (c.now.answer != KR_UNDECIDED) {
                f->low = c.now.low;
                f->high = c.now.high;
            }
        }
        c.entered = false;
        /* 3. Go back, or on to the next ply. */
        if (c.now.answer == KR_UNDECIDED && f->next == f->count)
            c.now.answer = !f->goal;
        if (c.now.answer != KR_UNDECIDED) {
            if (kr_go_back(&c))
                return c.now.answer;
        } else if (!kr_try_next_ply(&c)) {
            return KR_UNDECIDED;
        }
    }
}
