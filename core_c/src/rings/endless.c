/* Whether best play of a position of margin 0 can come to an end.
 *
 * From positions of margin 0, plies that keep it are followed: over one board without the bare knights with all their
 * squares, or pairs of squares, at once. Every ply but a step and a pass lowers a measure, so to follow plies depth first
 * ends. A board may be entered several times; each of its squares, or pairs of squares, is followed once. Play without
 * bare knights always ends (K11).
 *
 * Plies are taken in the order in which they are listed, and every one that keeps the margin is followed, whatever the
 * search has met or how hard the question is. So the way that is found depends on the position alone, and with it the
 * line of play, not on the memory or on threads. */
#include "common/position_set.h"
#include "rings/questions.h"

#include <stdlib.h>

/* Neither depends on how hard a question is, which differs with the memory and from thread to thread. */
enum { KR_MOST_VISITED = 1 << 19 };

/* A board without the bare knights, whose side to move is South's, and where they can be reached with each side to
 * move. */
typedef struct kr_visited {
    kr_state s;
    unsigned owner;        /* of the bare knight or both, or KR_ONE_EACH */
    uint64_t squares[2];   /* of the bare knight */
} kr_visited;

/* What tells boards from one another. */
typedef struct {
    kr_state s;
    uint64_t owner;
} kr_board_of;

_Static_assert(sizeof(kr_board_of) == sizeof(kr_state) + 8, "a board has no padding");

typedef struct {
    kr_question south, north; /* at least 1? at least 0? */
    int harder[2], easier[2];
    rf_set set;               /* of kr_board_of */
    kr_visited **boards;      /* by number in the set */
    rf_margin_way *way;       /* boards from the first to the one that is looked at */
    bool ends, failed, left_out;
} kr_endless_search;

static bool kr_is_stopped(const kr_endless_search *j) { return j->south.control->stopped != RF_DONE; }

static bool kr_endless_stops(const kr_endless_search *j)
{
    return j->ends || j->failed || kr_is_stopped(j);
}

/* ---- boards ---- */

/* Of a board whose side to move is South's. */
static uint64_t kr_board_key(const kr_state *s, unsigned owner)
{
    return kr_sets_key(0, kr_hash_state(s), owner);
}

/* Room for more boards. */
static bool kr_endless_grow(kr_endless_search *j)
{
    uint64_t room = rf_set_next_room(&j->set);
    kr_visited **boards = room > KR_MOST_VISITED ? NULL : realloc(j->boards, room * sizeof *boards);
    if (boards == NULL)
        return false;
    j->boards = boards;
    return rf_set_grow(&j->set);
}

/* The board of `s`; NULL, and the search failed, if there is no room. */
static kr_visited *kr_visit(kr_endless_search *j, const kr_state *s, unsigned owner)
{
    kr_board_of key = {.s = *s, .owner = owner};
    key.s.side = KR_SOUTH;
    uint32_t number = rf_set_find(&j->set, &key);
    if (number != RF_NO_NUMBER)
        return j->boards[number];
    j->failed = j->set.count == j->set.room && !kr_endless_grow(j);
    kr_visited *v = j->failed ? NULL : calloc(1, sizeof *v);
    if (v == NULL) {
        j->failed = true;
        return NULL;
    }
    v->s = key.s;
    v->owner = owner;
    j->boards[rf_set_add(&j->set, &key)] = v;
    return v;
}

static void kr_explore_sets(kr_endless_search *j, kr_visited *v, unsigned side, uint64_t squares);

static void kr_enter_board(kr_endless_search *j, const kr_visited *v)
{
    j->way->boards[j->way->count++] = kr_board_key(&v->s, v->owner);
    (void)rf_tick(j->south.control);
    j->ends |= kr_free(&v->s) == 0; /* with North's last turn at the latest (K10) */
}

/* If an end was found, the way to it stays as it is. */
static void kr_leave_board(kr_endless_search *j)
{
    j->way->count -= !j->ends;
}

/* ---- positions of margin 0 ---- */

/* The question whether a ply kept the margin, when the side to move now attacks. */
static const kr_question *kr_kept_question(const kr_endless_search *j, unsigned attacker)
{
    const kr_question *q = attacker == KR_SOUTH ? &j->south : &j->north;
    q->m->harder = j->harder[attacker];
    q->m->easier = j->easier[attacker];
    return q;
}

/* Of the squares to which a ply from a position of margin 0 can lead, those where it keeps the margin: the side that is
 * to move now does not get more. */
static uint64_t kr_kept_sets(kr_endless_search *j, const kr_state *s, unsigned owner, uint64_t asked)
{
    if (asked == 0)
        return 0;
    kr_sets found = kr_ask_sets(kr_kept_question(j, s->side), s, owner, asked);
    j->left_out |= (asked & ~(found.succeeds | found.fails)) != 0;
    return kr_is_stopped(j) ? 0 : asked & found.fails;
}

/* A ply leads to a position without bare knights. */
static void kr_reach_none(kr_endless_search *j, const kr_state *s)
{
    int answer = kr_ask_without(kr_kept_question(j, s->side), s);
    j->ends |= !kr_is_stopped(j) && answer == RF_FAILS;
}

/* A ply leads to these squares of one bare knight. */
static void kr_reach_sets(kr_endless_search *j, const kr_state *s, unsigned owner, uint64_t squares)
{
    kr_visited *v = squares == 0 ? NULL : kr_visit(j, s, owner);
    if (v == NULL)
        return;
    squares = kr_kept_sets(j, s, owner, squares & ~v->squares[s->side]);
    if (squares != 0 && !kr_endless_stops(j))
        kr_explore_sets(j, v, s->side, squares);
}

/* ---- plies ---- */

/* The squares of the bare knight with which a side has no ply. */
static uint64_t kr_stuck(const kr_state *s, unsigned side, unsigned owner)
{
    rf_ply plies[KR_MOST_PLIES];
    if (kr_list_progress(s, side, plies) > 0)
        return 0;
    uint64_t empty = kr_empty(s);
    if (side != owner)
        return empty & ~kr_strikes(s, side);
    return empty & ~kr_beside(empty | kr_free(s) | s->knights[!side], s->files);
}

/* All plies from squares of the bare knight but steps and passes. */
static void kr_leave_sets(kr_endless_search *j, const kr_visited *v, unsigned side, uint64_t here)
{
    rf_ply plies[KR_MOST_PLIES];
    kr_state s = v->s, next;
    s.side = (uint8_t)side;
    if (side == v->owner)
        for (uint64_t to = kr_free(&s) | s.knights[!side]; to != 0 && !kr_endless_stops(j); to &= to - 1) {
            if ((kr_targets[rf_lowest(to)][0] & here) == 0)
                continue;
            kr_land(&s, side, rf_lowest(to), &next);
            kr_reach_none(j, &next);
        }
    else
        for (uint64_t left = s.knights[side]; left != 0; left &= left - 1) {
            unsigned from = rf_lowest(left);
            uint64_t to = kr_targets[from][kr_rings(&s, from)] & here;
            for (; to != 0 && !kr_endless_stops(j); to &= to - 1) {
                next = s;
                next.knights[!side] |= to & -to;
                kr_play(&next, kr_ply(from, rf_lowest(to)));
                kr_reach_none(j, &next);
            }
        }
    size_t count = kr_list_progress(&s, side, plies);
    for (size_t i = 0; i < count && !kr_endless_stops(j); i++) {
        kr_after(&s, plies[i], &next);
        kr_reach_sets(j, &next, v->owner, here & kr_empty(&next));
    }
}

/* Goes on from squares that are new. */
static void kr_explore_sets(kr_endless_search *j, kr_visited *v, unsigned side, uint64_t squares)
{
    uint64_t fresh[2] = {0, 0}, empty = kr_empty(&v->s);
    uint64_t stuck[2] = {kr_stuck(&v->s, KR_SOUTH, v->owner), kr_stuck(&v->s, KR_NORTH, v->owner)};
    kr_enter_board(j, v);
    v->squares[side] |= fresh[side] = squares;
    for (; fresh[side] != 0 && !kr_endless_stops(j); side = !side) {
        kr_state next = v->s;
        next.side = !side;
        kr_leave_sets(j, v, side, fresh[side]);
        if (kr_endless_stops(j))
            break;
        uint64_t to = fresh[side] & stuck[side];
        j->ends |= (to & stuck[!side]) != 0 && kr_balance(&v->s) == 0;
        if (j->ends)
            break;
        if (side == v->owner)
            to |= kr_beside(fresh[side], v->s.files) & empty;
        to = kr_kept_sets(j, &next, v->owner, to & ~v->squares[!side]);
        v->squares[!side] |= fresh[!side] = to;
    }
    kr_leave_board(j);
}

/* Takes one bare knight off the board, for South to move; gives its owner. */
static unsigned kr_take_off(kr_state *s, uint64_t *bare)
{
    uint64_t north = kr_bare_knights(s, KR_NORTH);
    *bare = kr_bare_knights(s, KR_SOUTH) | north;
    s->knights[KR_SOUTH] &= ~*bare;
    s->knights[KR_NORTH] &= ~*bare;
    s->side = KR_SOUTH;
    s->passes = 0;
    return north != 0;
}

uint64_t kr_margin_board(const void *ctx, const rf_state *state)
{
    (void)ctx;
    kr_state s = *kr_read(state);
    uint64_t bare;
    unsigned owner = kr_take_off(&s, &bare);
    return bare == 0 ? 0 : kr_board_key(&s, owner);
}

int kr_margin_endless(rf_margin *m, const void *ctx, const rf_state *state, rf_margin_way *way, rf_control *control)
{
    (void)ctx;
    kr_state s = *kr_read(state);
    uint64_t bare;
    unsigned owner = kr_take_off(&s, &bare);
    if (rf_popcount(bare) != 1 || kr_read(state)->passes > 0)
        return -1;
    kr_endless_search j = {.south = {m, control, 1, KR_SOUTH}, .north = {m, control, 0, KR_NORTH}, .way = way};
    rf_set_init(&j.set, sizeof(kr_board_of));
    rf_margin_near(m, 1, &j.harder[KR_SOUTH], &j.easier[KR_SOUTH]);
    rf_margin_near(m, 0, &j.harder[KR_NORTH], &j.easier[KR_NORTH]);
    kr_visited *v = kr_visit(&j, &s, owner);
    if (v != NULL)
        kr_explore_sets(&j, v, kr_read(state)->side, bare);
    for (uint64_t i = 0; i < j.set.count; i++)
        free(j.boards[i]);
    free(j.boards);
    rf_set_free(&j.set);
    if (j.ends)
        return 0;
    return control->stopped != RF_DONE || j.failed || j.left_out ? -1 : 1;
}
