/* Depth-first proof-number search (df-pn, Nagai 2002) over a stored graph, alternating with the fixpoints that make its
 * answers exact where play goes round in circles. */
#include "search/proof_graph.h"

#include "control.h"
#include "search/proof_store.h"

enum { AHEAD = 8 };

/* ---- depth-first proof-number search ---- */

static uint32_t sum_of(uint64_t sum) { return sum < INFINITE ? (uint32_t)sum : INFINITE; }

static void fetch(const rf_proof *p, const uint32_t *edge, unsigned i, unsigned count)
{
    if (i + 2 * AHEAD < count)
        __builtin_prefetch(&p->place[edge[i + 2 * AHEAD] >> PLIES_BITS]);
    if (i + AHEAD < count) {
        const uint32_t place = p->place[edge[i + AHEAD] >> PLIES_BITS];
        if (place != 0)
            __builtin_prefetch(&p->at[place - 1]);
    }
}

/* The numbers of an expanded node that is not decided, from its successors. *next is the one to search next, and its
 * thresholds, given those of the node. A successor on the path leads round in a circle: for now it is disproven. */
static proof_numbers numbers_of(const rf_proof *p, uint32_t n, unsigned q, const frame *limits, frame *next)
{
    const expanded_node *at = &p->at[p->place[n] - 1];
    const uint32_t *edge = &p->edge[at->first];
    const unsigned count = at->count;
    /* OR: smallest proof number, sum of disproof numbers; AND: the other way round */
    const bool any = (rf_proof_status(p, n, q) & OR_NODE) != 0;
    uint32_t least = UINT32_MAX, second = UINT32_MAX, others = 0;
    uint64_t sum = 0;
    next->node = NO_NODE;
    for (unsigned i = 0; i < count; i++) {
        fetch(p, edge, i, count);
        const uint32_t child = edge[i] >> PLIES_BITS, place = p->place[child];
        uint32_t pn = 1, dn = 1;
        if (place != 0) {
            pn = p->at[place - 1].of.numbers.pn[q];
            dn = p->at[place - 1].of.numbers.dn[q];
        }
        if (pn & ON_PATH) {
            pn = INFINITE;
            dn = 0;
        }
        const uint32_t one = any ? pn : dn, other = any ? dn : pn;
        sum += other;
        if (one < least) {
            second = least;
            least = one;
            others = other;
            next->node = child;
            next->edge = i;
        } else if (one < second) {
            second = one;
        }
    }
    if (!any && at->leaf >= 0)
        least = 0;
    const uint32_t total = least == 0 ? INFINITE : sum_of(sum);
    const uint32_t limit = any ? limits->pn : limits->dn, limit_of_sum = any ? limits->dn : limits->pn;
    /* The 1 + epsilon of Pawlewicz and Lew (2007): above the second best by a quarter, so that the search changes over
     * less often. */
    uint64_t to = (uint64_t)second + second / 4 + 1;
    if (to > limit)
        to = limit;
    uint64_t to_sum = limit_of_sum >= INFINITE ? INFINITE : (uint64_t)limit_of_sum - (total - (uint64_t)others);
    if (total >= INFINITE)
        to_sum = INFINITE;
    next->pn = any ? (uint32_t)to : (uint32_t)to_sum;
    next->dn = any ? (uint32_t)to_sum : (uint32_t)to;
    proof_numbers out = {{0, 0}, {0, 0}};
    out.pn[q] = any ? least : total;
    out.dn[q] = any ? total : least;
    return out;
}

/* Visits up to `visits` nodes for the question, or until the root is decided or only disproven for now. */
static int search_slice(rf_proof *p, unsigned q, uint64_t visits, rf_control *control)
{
    int result = RF_PROOF_SOLVED;
    size_t length = 1;
    p->path[0] = (frame){0, INFINITE, INFINITE, 0};
    while (length > 0 && visits-- > 0) {
        if (rf_tick(control)) {
            result = RF_PROOF_STOPPED;
            break;
        }
        const frame top = p->path[length - 1];
        if (p->place[top.node] == 0) {
            if (length > 1)
                rf_proof_foresee(p, p->path[length - 2].node, top.edge);
            result = rf_proof_expand(p, top.node);
            if (result != RF_PROOF_SOLVED)
                break;
        }
        proof_numbers *numbers = &p->at[p->place[top.node] - 1].of.numbers;
        if ((rf_proof_status(p, top.node, q) & DECIDED) == 0) {
            frame next;
            const proof_numbers now = numbers_of(p, top.node, q, &top, &next);
            numbers->pn[q] = now.pn[q] | ON_PATH;
            numbers->dn[q] = now.dn[q];
            if (now.pn[q] == 0)
                rf_proof_prove(p, p->place[top.node] - 1, q);
            else if (now.pn[q] < top.pn && now.dn[q] < top.dn && now.dn[q] != 0 && length < RF_PROOF_MOST_PATH) {
                p->path[length++] = next;
                continue;
            }
        }
        numbers->pn[q] &= ~ON_PATH;
        length--;
    }
    while (length-- > 0)
        if (p->place[p->path[length].node] != 0)
            p->at[p->place[p->path[length].node] - 1].of.numbers.pn[q] &= ~ON_PATH;
    return result;
}

/* ---- the whole ---- */

static bool is_solved(const rf_proof *p)
{
    const unsigned one = rf_proof_status(p, 0, 0), other = rf_proof_status(p, 0, 1);
    return ((one | other) & PROVEN) != 0 || (one & other & DISPROVEN) != 0;
}

/* Expands the nodes that have waited longest. */
static int expand_oldest(rf_proof *p, uint64_t count, rf_control *control)
{
    for (; p->oldest < p->nodes && count > 0; p->oldest++) {
        if (p->place[p->oldest] != 0)
            continue;
        if (rf_tick(control))
            return RF_PROOF_STOPPED;
        const int result = rf_proof_expand(p, p->oldest);
        if (result != RF_PROOF_SOLVED)
            return result;
        count--;
    }
    return RF_PROOF_SOLVED;
}

/* A slice for each question. */
static int search_both(rf_proof *p, rf_control *control)
{
    for (unsigned q = 0; q < QUESTIONS; q++) {
        if (is_solved(p) || (rf_proof_status(p, 0, q) & DECIDED) != 0)
            continue;
        const int result = search_slice(p, q, p->slice, control);
        if (result != RF_PROOF_SOLVED && !is_solved(p))
            return result;
    }
    return RF_PROOF_SOLVED;
}

int rf_proof_solve(rf_proof *p, rf_control *control)
{
    while (!is_solved(p)) {
        const uint32_t expanded = p->expanded;
        int result = search_both(p, control);
        if (result != RF_PROOF_SOLVED && result != RF_PROOF_FULL)
            return result;
        if (!rf_proof_decide(p, control))
            return is_solved(p) ? RF_PROOF_SOLVED : RF_PROOF_STOPPED;
        if (is_solved(p))
            break;
        /* How much memory the edges turned round take is known only now. */
        if (result == RF_PROOF_FULL && !rf_proof_has_room(p))
            return result;
        if (p->expanded == expanded) {
            /* Searching has come to its end in circles alone. */
            result = expand_oldest(p, p->slice / 16, control);
            if (result != RF_PROOF_SOLVED)
                return result;
        }
        p->slice += p->slice / 2;
    }
    return RF_PROOF_SOLVED;
}

int rf_proof_wins(const rf_proof *p, rf_proof_key key, unsigned player)
{
    const uint32_t n = rf_proof_find(p, key);
    const unsigned status = n == NO_NODE ? 0 : rf_proof_status(p, n, player - 1);
    return status & PROVEN ? 1 : status & DISPROVEN ? 0 : RF_PROOF_UNKNOWN;
}
