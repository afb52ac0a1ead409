/* Whether best play of a position of margin 0 with one bare knight reaches an end (K11).
 *
 * Idea: from positions of margin 0, follow every ply that keeps it, over one board (without the bare knight) with all
 * squares of the bare knight at once. Every ply except steps and passes reduces a measure, so a depth-first search
 * ends.
 *
 * Invariants: each square of a board is followed once for each side to move. Plies are in the order of the lists,
 * whatever the search has met, so the route that is found depends on the position only, not on memory or threads.
 * Play without bare knights always ends.
 *
 * Example: both sides can only pass, South leads by 0: `ends` is set on that board, and the route contains it. */
#include "common/position_set.h"
#include "rings/solver/holders.h"
#include "rings/solver/solver.h"

#include <stdlib.h>

/* A limit that does not depend on the memory or on threads. */
enum { KR_MAX_VISITED = 1 << 19 };

/* A board without the bare knight, with South to move, and the squares at which it was reached, by side to move. */
typedef struct kr_visited {
    kr_state s;
    unsigned owner; /* of the bare knight */
    uint64_t squares[2];
} kr_visited;

/* Boards with equal keys are equal. */
typedef struct kr_visited_key {
    kr_state s;
    uint64_t owner;
} kr_visited_key;

_Static_assert(sizeof(kr_visited_key) == sizeof(kr_state) + 8, "a key has no padding");

typedef struct kr_end_search {
    kr_question questions[2]; /* by attacker: is South's margin at least 1? at least 0? */
    int harder[2], easier[2];
    rf_position_set set;           /* of kr_visited_key */
    kr_visited **visited; /* by number in the set */
    kr_route *route;      /* boards from the first to the current one */
    bool ends;            /* an end was found */
    bool failed;          /* memory or the limit ran out */
    bool incomplete;      /* a question had no answer */
} kr_end_search;

static bool kr_is_stopped(const kr_end_search *e) { return e->questions[0].control->stopped != RF_DONE; }

static bool kr_is_finished(const kr_end_search *e) { return e->ends || e->failed || kr_is_stopped(e); }

/* ---- boards ---- */

/* The key of a board with South to move. */
static uint64_t kr_key_of_board(const kr_state *s, unsigned owner) { return kr_sets_key(0, kr_hash_state(s), owner); }

static bool kr_grow_visited(kr_end_search *e)
{
    uint64_t capacity = rf_position_set_next_capacity(&e->set);
    kr_visited **visited = capacity > KR_MAX_VISITED ? NULL : realloc(e->visited, capacity * sizeof *visited);
    if (visited == NULL)
        return false;
    e->visited = visited;
    return rf_position_set_grow(&e->set);
}

/* The entry of the board of `s`; NULL, and the search failed, if there is no memory. */
static kr_visited *kr_visit(kr_end_search *e, const kr_state *s, unsigned owner)
{
    kr_visited_key key = {.s = *s, .owner = owner};
    key.s.side = KR_SOUTH;
    uint32_t number = rf_position_set_find(&e->set, &key);
    if (number != RF_NO_NUMBER)
        return e->visited[number];
    e->failed = e->set.count == e->set.capacity && !kr_grow_visited(e);
    kr_visited *v = e->failed ? NULL : calloc(1, sizeof *v);
    if (v == NULL) {
        e->failed = true;
        return NULL;
    }
    v->s = key.s;
    v->owner = owner;
    e->visited[rf_position_set_add(&e->set, &key)] = v;
    return v;
}

/* ---- plies that keep the margin ---- */

/* The question whether a ply kept the margin 0: the side that is to move now must not get more. */
static const kr_question *kr_question_for(kr_end_search *e, unsigned attacker)
{
    const kr_question *q = &e->questions[attacker];
    q->search->harder = e->harder[attacker];
    q->search->easier = e->easier[attacker];
    return q;
}

/* The squares, among those to which a ply leads, where it keeps the margin. */
static uint64_t kr_find_kept(kr_end_search *e, const kr_state *s, unsigned owner, uint64_t asked)
{
    if (asked == 0)
        return 0;
    kr_square_sets found = kr_search_bare_knight(kr_question_for(e, s->side), s, owner, asked);
    e->incomplete |= (asked & ~(found.succeeds | found.fails)) != 0;
    return kr_is_stopped(e) ? 0 : asked & found.fails;
}

/* A ply leads to a position without bare knights. */
static void kr_reach_without_bare(kr_end_search *e, const kr_state *s)
{
    int answer = kr_search_without_bare(kr_question_for(e, s->side), s);
    e->ends |= !kr_is_stopped(e) && answer == KR_FAILS;
}

static void kr_follow(kr_end_search *e, kr_visited *v, unsigned side, uint64_t squares);

/* A ply leads to these squares of the bare knight. */
static void kr_reach_bare(kr_end_search *e, const kr_state *s, unsigned owner, uint64_t squares)
{
    kr_visited *v = squares == 0 ? NULL : kr_visit(e, s, owner);
    if (v == NULL)
        return;
    squares = kr_find_kept(e, s, owner, squares & ~v->squares[s->side]);
    if (squares != 0 && !kr_is_finished(e))
        kr_follow(e, v, s->side, squares);
}

/* The bare knight on `squares` takes a ring or a holder. */
static void kr_follow_bare_takes(kr_end_search *e, const kr_state *s, uint64_t squares)
{
    for (uint64_t to = kr_free(s) | s->knights[!s->side]; to != 0 && !kr_is_finished(e); to &= to - 1) {
        if ((kr_targets[rf_lsb(to)][0] & squares) == 0)
            continue;
        kr_state next;
        kr_bare_takes(s, s->side, rf_lsb(to), &next);
        kr_reach_without_bare(e, &next);
    }
}

/* A holder captures the bare knight on `squares`. */
static void kr_follow_captures_of_bare(kr_end_search *e, const kr_state *s, uint64_t squares)
{
    for (uint64_t left = s->knights[s->side]; left != 0; left &= left - 1) {
        unsigned from = rf_lsb(left);
        for (uint64_t to = kr_holder_targets(s, from) & squares; to != 0 && !kr_is_finished(e); to &= to - 1) {
            kr_state next;
            kr_capture_bare(s, from, rf_lsb(to), &next);
            kr_reach_without_bare(e, &next);
        }
    }
}

/* All plies from these squares except steps and passes. */
static void kr_follow_progress(kr_end_search *e, const kr_visited *v, unsigned side, uint64_t squares)
{
    rf_ply plies[KR_MAX_PLIES];
    kr_state s = v->s;
    s.side = (uint8_t)side;
    if (side == v->owner)
        kr_follow_bare_takes(e, &s, squares);
    else
        kr_follow_captures_of_bare(e, &s, squares);
    size_t count = kr_list_progress(&s, side, plies);
    for (size_t i = 0; i < count && !kr_is_finished(e); i++) {
        kr_state next;
        kr_after(&s, plies[i], &next);
        kr_reach_bare(e, &next, v->owner, squares & kr_empty(&next));
    }
}

/* Follows all plies from squares that are new. */
static void kr_follow(kr_end_search *e, kr_visited *v, unsigned side, uint64_t squares)
{
    uint64_t fresh = squares, empty = kr_empty(&v->s);
    uint64_t stuck[2] = {kr_find_stuck(&v->s, KR_SOUTH, v->owner), kr_find_stuck(&v->s, KR_NORTH, v->owner)};
    /* 1. Enter the board. Without free rings it ends with North's last turn (K10). */
    e->route->boards[e->route->count++] = kr_key_of_board(&v->s, v->owner);
    (void)rf_tick(e->questions[0].control);
    e->ends |= kr_free(&v->s) == 0;
    /* 2. Follow steps and passes until no square is new. */
    v->squares[side] |= fresh;
    for (; fresh != 0 && !kr_is_finished(e); side = !side) {
        kr_state next = v->s;
        next.side = !side;
        kr_follow_progress(e, v, side, fresh);
        if (kr_is_finished(e))
            break;
        uint64_t to = fresh & stuck[side];
        e->ends |= (to & stuck[!side]) != 0 && kr_balance(&v->s) == 0; /* K9 */
        if (e->ends)
            break;
        if (side == v->owner)
            to |= kr_neighbours(fresh, v->s.files) & empty;
        fresh = kr_find_kept(e, &next, v->owner, to & ~v->squares[!side]);
        v->squares[!side] |= fresh;
    }
    /* 3. Leave it; the route to an end remains. */
    e->route->count -= !e->ends;
}

/* ---- for the line ---- */

/* Takes the bare knights off the board, for South to move. Returns the owner of a single one. */
static unsigned kr_remove_bare(kr_state *s, uint64_t *bare)
{
    uint64_t north = kr_bare_knights(s, KR_NORTH);
    *bare = kr_bare_knights(s, KR_SOUTH) | north;
    s->knights[KR_SOUTH] &= ~*bare;
    s->knights[KR_NORTH] &= ~*bare;
    s->side = KR_SOUTH;
    s->passes = 0;
    return north != 0;
}

uint64_t kr_board_key(const rf_state *state)
{
    kr_state s = *kr_state_of(state);
    uint64_t bare;
    unsigned owner = kr_remove_bare(&s, &bare);
    return bare == 0 ? 0 : kr_key_of_board(&s, owner);
}

int kr_is_endless(kr_search *search, const rf_state *state, kr_route *route, rf_control *control)
{
    kr_state s = *kr_state_of(state);
    uint64_t bare;
    unsigned owner = kr_remove_bare(&s, &bare);
    if (rf_popcount(bare) != 1 || kr_state_of(state)->passes > 0)
        return -1;
    kr_end_search e = {.route = route};
    for (int attacker = KR_SOUTH; attacker <= KR_NORTH; attacker++) {
        int threshold = attacker == KR_SOUTH ? 1 : 0;
        e.questions[attacker] = kr_question_of(search, threshold, control);
        kr_find_near_thresholds(search, threshold, &e.harder[attacker], &e.easier[attacker]);
    }
    rf_position_set_init(&e.set, sizeof(kr_visited_key));
    kr_visited *v = kr_visit(&e, &s, owner);
    if (v != NULL)
        kr_follow(&e, v, kr_state_of(state)->side, bare);
    for (uint64_t i = 0; i < e.set.count; i++)
        free(e.visited[i]);
    free(e.visited);
    rf_position_set_free(&e.set);
    if (e.ends)
        return 0;
    return control->stopped != RF_DONE || e.failed || e.incomplete ? -1 : 1;
}
