/* The distance of a win that a stored graph has proven: is there a shorter one?
 *
 * Of every node the plies are kept that are enough, and those that are needed at least; both are exact bounds, as a
 * question is about a node and a number of plies and not about a path. */
#include "control.h"
#include "search/proof_store.h"

enum {
    NO = 0,
    YES = 1,
    STOPPED = 2,
    MOST_PLIES = RF_WIN_MOST_PLIES, /* the limit of forward search */
    MOST_DEPTH = 400  /* of the recursion: steps of no plies come between others */
};

/* Whether one player, who is known to win, wins within so many plies. */
typedef struct {
    rf_proof *p;
    rf_control *control;
    unsigned q; /* whose win */
    int result; /* why the search stopped */
} question;

static measured *bounds_of(question *w, uint32_t n) { return &w->p->at[w->p->place[n] - 1].of.distance; }

static int stop(question *w, int result)
{
    w->result = result;
    return STOPPED;
}

/* Sees that all successors of a node are stored. */
static bool open_up(question *w, uint32_t n)
{
    rf_proof *p = w->p;
    const bool is_new = p->place[n] == 0;
    if (!is_new && (rf_proof_status(p, n, w->q) & CUT) == 0)
        return true;
    const int result = rf_tick(w->control) ? RF_PROOF_STOPPED : rf_proof_expand_whole(p, n);
    if (result != RF_PROOF_SOLVED) {
        stop(w, result);
        return false;
    }
    if (is_new)
        *bounds_of(w, n) = (measured){.least = 1};
    return true;
}

/* The number of the edge that is asked as the i-th: first the one that answered the last question. */
static uint32_t edge_number(uint32_t first, uint32_t i) { return i == 0 ? first : i <= first ? i - 1 : i; }

static int wins_within(question *w, uint32_t n, uint32_t plies, unsigned depth);

/* The answer of a successor, and the plies that a win through it takes at least. */
static int ask_edge(question *w, uint32_t edge, uint32_t plies, unsigned depth, uint32_t *least)
{
    const uint32_t to = edge >> PLIES_BITS, step = edge & PLIES_MASK;
    *least = plies + 1;
    if (plies <= step)
        return NO; /* no node is over */
    const int answer = wins_within(w, to, plies - step, depth + 1);
    if (answer == NO && w->p->place[to] != 0) {
        const bool never = (rf_proof_status(w->p, to, w->q) & DISPROVEN) != 0;
        const uint32_t one = never ? RF_PROOF_LAST : bounds_of(w, to)->least + step;
        *least = one > *least ? one : *least;
    }
    return answer;
}

/* The winner is to move. */
static int some_wins(question *w, uint32_t n, uint32_t plies, unsigned depth)
{
    rf_proof *p = w->p;
    const expanded_node at = p->at[p->place[n] - 1];
    const uint32_t first = at.of.distance.next < at.count ? at.of.distance.next : 0;
    uint32_t least = at.leaf > 0 ? (uint32_t)(RF_PROOF_LAST - at.leaf) : RF_PROOF_LAST;
    int answer = least <= plies ? YES : NO;
    for (uint32_t i = 0; i < at.count && answer == NO; i++) {
        uint32_t one;
        const uint32_t number = edge_number(first, i);
        answer = ask_edge(w, p->edge[at.first + number], plies, depth, &one);
        least = one < least ? one : least;
        if (answer == YES)
            bounds_of(w, n)->next = number;
    }
    if (answer == NO)
        bounds_of(w, n)->least = least;
    return answer;
}

/* The loser is. No leaf saves it, as the question is not disproven. */
static int all_win(question *w, uint32_t n, uint32_t plies, unsigned depth)
{
    rf_proof *p = w->p;
    const expanded_node at = p->at[p->place[n] - 1];
    const uint32_t first = at.of.distance.next < at.count ? at.of.distance.next : 0;
    uint32_t least = at.leaf == RF_PROOF_NO_SCORE ? 0 : (uint32_t)(RF_PROOF_LAST + at.leaf);
    int answer = least <= plies ? YES : NO;
    for (uint32_t i = 0; i < at.count && answer == YES; i++) {
        const uint32_t number = edge_number(first, i);
        answer = ask_edge(w, p->edge[at.first + number], plies, depth, &least);
        if (answer == NO)
            bounds_of(w, n)->next = number;
    }
    if (answer == NO)
        bounds_of(w, n)->least = least;
    return answer;
}

static int wins_within(question *w, uint32_t n, uint32_t plies, unsigned depth)
{
    rf_proof *p = w->p;
    if (p->place[n] != 0) {
        const measured *at = bounds_of(w, n);
        if ((rf_proof_status(p, n, w->q) & DISPROVEN) != 0 || at->least > plies)
            return NO;
        if (at->distance != 0 && at->distance <= plies)
            return YES;
    }
    if (!p->source.may_win(p->source.self, p->key[n], w->q + 1, plies))
        return NO;
    if (depth == MOST_DEPTH)
        return stop(w, RF_PROOF_STOPPED);
    if (!open_up(w, n))
        return STOPPED;
    const unsigned status = rf_proof_status(p, n, w->q);
    if (status & DISPROVEN)
        return NO;
    const int answer = status & OR_NODE ? some_wins(w, n, plies, depth) : all_win(w, n, plies, depth);
    if (answer == YES)
        bounds_of(w, n)->distance = plies;
    return answer;
}

/* Who wins the root; false if it is not known, or its distance has not been measured. */
static bool ask_of_winner(rf_proof *p, rf_control *control, question *out)
{
    const unsigned q = (rf_proof_status(p, 0, 1) & PROVEN) != 0;
    *out = (question){.p = p, .control = control, .q = q, .result = RF_PROOF_STOPPED};
    return p->is_measured && (rf_proof_status(p, 0, q) & PROVEN) != 0;
}

int rf_proof_deepen(rf_proof *p, uint32_t *lower, rf_control *control)
{
    question w;
    if (!ask_of_winner(p, control, &w))
        return RF_PROOF_STOPPED;
    if (*lower == 0)
        *lower = 1;
    while (*lower < bounds_of(&w, 0)->distance) {
        const int answer = *lower > MOST_PLIES ? STOPPED : wins_within(&w, 0, *lower, 0);
        if (answer == STOPPED)
            return w.result;
        if (answer == NO)
            *lower = bounds_of(&w, 0)->least > *lower ? bounds_of(&w, 0)->least : *lower + 1;
    }
    return RF_PROOF_SOLVED;
}

int rf_proof_wins_within(rf_proof *p, rf_proof_key key, uint32_t plies, rf_control *control)
{
    question w;
    const uint32_t n = ask_of_winner(p, control, &w) ? rf_proof_add(p, key) : NO_NODE;
    const int answer = n == NO_NODE || plies > MOST_PLIES ? STOPPED : wins_within(&w, n, plies, 0);
    if (answer == STOPPED)
        return w.result == RF_PROOF_UNREAD ? RF_PROOF_UNREAD : RF_PROOF_UNKNOWN;
    return answer == YES;
}
