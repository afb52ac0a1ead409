/* What the search for forced wins asks of Gygès: short answers, and plies that do not lose at once. */
#include "gyges/threats.h"

/* ---- answers that refute ---- */

static void gy_keep_reply(gy_reply_list *list, const gy_reply *reply)
{
    memmove(list->replies + 1, list->replies, sizeof *reply * (GY_KEPT_REPLIES - 1));
    list->replies[0] = *reply;
    if (list->count < GY_KEPT_REPLIES)
        list->count++;
}

static void gy_prefer_reply(gy_reply_list *list, uint32_t number)
{
    gy_reply reply = list->replies[number];
    memmove(list->replies + 1, list->replies, sizeof reply * number);
    list->replies[0] = reply;
}

/* Describes a legal ply that ends on a square. */
static void gy_reply_of(const gy_position *p, rf_ply ply, gy_reply *out)
{
    unsigned from = gy_from(ply), to = gy_to(ply);
    gy_rings r = p->rings;
    uint64_t all = gy_all(&r);
    gy_closure closure;
    out->from = gy_bit(from);
    out->to = gy_bit(to);
    out->height = (uint8_t)gy_height(&r, from);
    gy_find_closure(&r, (gy_board & ~all) | out->from, all, out->to, 0, &closure);
    gy_find_way(&r, from, out->to, &closure, &out->needs); /* there is one: the ply is legal */
    bool displaces = gy_kind_of(ply) == GY_DISPLACE;
    unsigned drop_rank = displaces ? gy_rank_of(gy_drop(ply)) : 0;
    out->drop = displaces ? gy_bit(gy_drop(ply)) : 0;
    out->drop_zone = displaces ? gy_nearer(1 - p->side, drop_rank) | gy_rank(drop_rank) : 0;
    out->displaced = displaces ? (uint8_t)gy_height(&r, to) : 0;
    uint64_t rings = out->from | (displaces ? out->to : 0);
    out->needs.mask |= out->to | out->drop | rings | gy_nearer(p->side, gy_rank_of(from));
    out->needs.low |= r.low & rings;
    out->needs.high |= r.high & rings;
}

/* The rings after the reply; false if it does not fit them. */
static bool gy_replied(const gy_reply *reply, const gy_rings *before, gy_rings *after)
{
    if (gy_misfit(&reply->needs, before) != 0)
        return false;
    *after = *before;
    gy_remove(after, reply->from | reply->to);
    gy_add(after, reply->to, reply->height);
    if (reply->drop != 0) {
        if ((gy_all(after) & reply->drop_zone) == 0)
            return false;
        gy_add(after, reply->drop, reply->displaced);
    }
    return true;
}

/* Those of `squares` where the reply keeps `winner` from winning at once; of the winner's wins all count that may
 * be. */
static uint64_t gy_refuted(const gy_reply *reply, const gy_group *g, uint64_t squares, unsigned winner, gy_known *known,
                           gy_bound_kind kind)
{
    gy_rings after;
    squares &= ~reply->needs.mask;
    if (squares == 0 || !gy_replied(reply, &g->fixed, &after))
        return 0;
    return squares & ~gy_group_wins(&after, g->height, squares, winner, known, kind);
}

/* Squares of `squares` on which a ring of this height can be put beside the others without the other side, next to
 * move, winning at once. */
static inline uint64_t gy_safe_squares(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side,
                                       gy_known *known)
{
    return squares & ~gy_group_wins(fixed, height, squares, 1 - side, known, GY_EXACT);
}

/* A refutation by a ring's first leg alone: such plies fit most positions. */
static bool gy_find_short_refutation(const gy_position *p, unsigned from, gy_known *known, gy_reply *out)
{
    unsigned height = gy_height(&p->rings, from);
    const gy_legs *list = &gy_all_legs[from][height];
    gy_rings others = p->rings;
    gy_remove(&others, gy_bit(from));
    uint64_t all = gy_all(&others), ends = 0;
    for (unsigned i = 0; i < list->count; i++)
        if (!(list->legs[i].through & all))
            ends |= list->legs[i].end;
    uint64_t safe = gy_safe_squares(&others, height, ends & gy_board & ~all, p->side, known);
    if (safe == 0)
        return false;
    unsigned to = rf_lowest(safe), leg = list->first[to];
    while (list->legs[leg].through & all)
        leg++;
    out->from = gy_bit(from);
    out->to = gy_bit(to);
    out->height = (uint8_t)height;
    out->drop = out->drop_zone = 0;
    out->displaced = 0;
    out->needs.mask = list->legs[leg].through | out->to | out->from | gy_nearer(p->side, gy_rank_of(from));
    out->needs.low = p->rings.low & out->from;
    out->needs.high = p->rings.high & out->from;
    return true;
}

/* A ply after which the other side does not win at once; false if there is none. That the mover cannot reach a throne
 * is for the caller to know. */
static bool gy_find_refutation(const gy_position *p, gy_known *known, gy_reply *out)
{
    gy_group groups[GY_MAX_GROUPS];
    uint64_t movers = gy_movers(p);
    for (uint64_t rest = movers; rest != 0; rest &= rest - 1)
        if (gy_find_short_refutation(p, rf_lowest(rest), known, out))
            return true;
    for (uint64_t rest = movers; rest != 0; rest &= rest - 1) {
        unsigned from = rf_lowest(rest);
        unsigned count = gy_groups_of_ring(p, from, gy_ends(p, from), groups);
        for (unsigned i = 0; i < count; i++) {
            const gy_group *g = &groups[i];
            uint64_t safe = gy_safe_squares(&g->fixed, g->height, gy_squares_of(g), p->side, known);
            if (safe != 0) {
                gy_reply_of(p, gy_group_ply(g, rf_lowest(safe)), out);
                return true;
            }
        }
    }
    return false;
}

/* Those of the squares `open` for which none of the answers kept is a refutation. */
static uint64_t gy_try_replies(gy_reply_list *list, const gy_group *g, uint64_t open, unsigned winner, gy_known *known,
                               gy_bound_kind kind)
{
    for (uint32_t i = 0; i < list->count && open != 0; i++) {
        uint64_t refuted = gy_refuted(&list->replies[i], g, open, winner, known, kind);
        open &= ~refuted;
        if (refuted != 0 && i > 0)
            gy_prefer_reply(list, i);
    }
    return open;
}

/* Whether one of the plies of a group wins in three for `side`: after it the other side does not win at once, and has
 * no answer after which it is not lost at once. What settles many squares together comes first. */
static bool gy_group_forces(const gy_group *g, unsigned side, gy_known *own, gy_known *theirs, gy_hints *hints)
{
    gy_reply_list *list = &hints->at_once[1 - side];
    uint64_t open = gy_squares_of(g);
    open &= ~gy_group_wins(&g->fixed, g->height, open, 1 - side, theirs, GY_LOWER_BOUND);
    open = gy_try_replies(list, g, open, side, own, GY_UPPER_BOUND);
    open = gy_safe_squares(&g->fixed, g->height, open, side, theirs);
    open = gy_try_replies(list, g, open, side, own, GY_EXACT);
    while (open != 0) {
        unsigned square = rf_lowest(open);
        gy_position after = gy_group_position(g, gy_bit(square), 1 - side);
        gy_reply reply;
        if (!gy_find_refutation(&after, own, &reply))
            return true;
        gy_keep_reply(list, &reply);
        open &= ~gy_bit(square);
        open &= ~gy_refuted(&reply, g, open, side, own, GY_EXACT);
    }
    return false;
}

static bool gy_wins_in_three(const gy_position *p, gy_hints *hints)
{
    gy_group groups[GY_MAX_GROUPS];
    gy_known theirs, own;
    uint64_t thrones;
    theirs.count = own.count = 0;
    gy_pattern way;
    bool keep;
    if (gy_reaches(&p->rings, 1 - p->side, &way, &keep) && keep)
        gy_keep(&theirs, &way);
    unsigned count = gy_groups(p, groups, &thrones);
    for (unsigned i = 0; i < count; i++)
        if (gy_group_forces(&groups[i], p->side, &own, &theirs, hints))
            return true;
    return false;
}

/* ---- what the search calls ---- */

static bool gy_is_plain(const gy_position *p) { return p->throne == 0 && !gy_setting_up(p); }

static bool gy_reaches_throne(const gy_position *p)
{
    gy_pattern way;
    bool keep;
    return gy_reaches(&p->rings, p->side, &way, &keep);
}

bool gy_wins_now(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    return p->goals[p->side] == 1 && gy_is_plain(p) && gy_reaches_throne(p);
}

unsigned gy_useful_plies(const void *ctx, const rf_state *s, unsigned player, unsigned plies)
{
    const gy_position *p = (const gy_position *)s;
    unsigned winner = player - 1;
    (void)ctx;
    unsigned least = 3u * p->goals[winner] - (p->side == winner ? 2 : 1) + (p->throne != 0);
    if (plies < least)
        return 0;
    return p->goals[1 - winner] == 1 ? plies - (plies - least) % 2 : plies;
}

/* Whether an answer that held before keeps the other side, with a ply of `p` to come first, from winning in three. */
static bool gy_holds_for_four(const gy_position *p, gy_hints *hints)
{
    gy_reply_list *list = &hints->in_three[p->side];
    gy_rings after;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!gy_replied(&list->replies[i], &p->rings, &after))
            continue;
        gy_position next = *p;
        next.rings = after;
        next.side = 1 - p->side;
        if (gy_reaches_throne(&next) || gy_wins_in_three(&next, hints))
            continue;
        gy_prefer_reply(list, i);
        return true;
    }
    return false;
}

int gy_wins_soon(const void *ctx, const rf_state *s, unsigned player, unsigned plies, void *hints)
{
    const gy_position *p = (const gy_position *)s;
    unsigned winner = player - 1;
    (void)ctx;
    if (p->goals[winner] != 1 || !gy_is_plain(p))
        return -1;
    if (p->side == winner)
        return plies > 3 ? -1 : gy_reaches_throne(p) || (plies == 3 && gy_wins_in_three(p, hints));
    if (plies == 4 && gy_holds_for_four(p, hints))
        return 0;
    if (plies > 2)
        return -1;
    gy_known known;
    gy_reply reply;
    known.count = 0;
    return plies == 2 && !gy_reaches_throne(p) && !gy_find_refutation(p, &known, &reply);
}

void gy_learn(const void *ctx, const rf_state *s, unsigned plies, rf_ply ply, void *hints)
{
    const gy_position *p = (const gy_position *)s;
    gy_hints *h = hints;
    gy_reply reply;
    (void)ctx;
    if (plies != 4 || !gy_is_plain(p) || gy_to(ply) == GY_THRONE)
        return;
    gy_reply_of(p, ply, &reply);
    gy_keep_reply(&h->in_three[p->side], &reply);
}

size_t gy_safe_plies(const void *ctx, const rf_state *s, rf_ply *out, uint8_t *threats)
{
    const gy_position *p = (const gy_position *)s;
    unsigned side = p->side;
    size_t count = 0;
    (void)ctx;
    if (!gy_is_plain(p) || gy_is_over(p)) {
        count = gy_generate(ctx, s, out);
        memset(threats, 0, count);
        return count;
    }
    gy_group groups[GY_MAX_GROUPS];
    gy_known theirs, own;
    uint64_t thrones;
    theirs.count = own.count = 0;
    unsigned group_count = gy_groups(p, groups, &thrones);
    for (; thrones != 0; thrones &= thrones - 1) {
        threats[count] = 1;
        out[count++] = gy_ply(GY_MOVE, rf_lowest(thrones), GY_THRONE, 0);
    }
    for (unsigned i = 0; i < group_count; i++) {
        const gy_group *g = &groups[i];
        uint64_t safe = gy_squares_of(g);
        if (p->goals[1 - side] == 1)
            safe = gy_safe_squares(&g->fixed, g->height, safe, side, &theirs);
        uint64_t threatening = gy_group_wins(&g->fixed, g->height, safe, side, &own, GY_EXACT);
        for (uint64_t rest = safe; rest != 0; rest &= rest - 1) {
            threats[count] = (threatening & rest & -rest) != 0;
            out[count++] = gy_group_ply(g, rf_lowest(rest));
        }
    }
    return count;
}

size_t gy_count_safe(const void *ctx, const rf_state *s, size_t enough)
{
    const gy_position *p = (const gy_position *)s;
    if (!gy_is_plain(p) || gy_is_over(p))
        return gy_count(ctx, s);
    gy_group groups[GY_MAX_GROUPS];
    gy_known theirs;
    gy_pattern way;
    bool keep;
    theirs.count = 0;
    if (gy_reaches(&p->rings, 1 - p->side, &way, &keep) && keep)
        gy_keep(&theirs, &way);
    size_t count = 0;
    for (uint64_t rest = gy_movers(p); rest != 0 && count < enough; rest &= rest - 1) {
        unsigned from = rf_lowest(rest);
        uint64_t ends = gy_ends(p, from);
        unsigned group_count = gy_groups_of_ring(p, from, ends, groups);
        count += (ends & gy_bit(GY_THRONE)) != 0;
        for (unsigned i = 0; i < group_count && count < enough; i++) {
            const gy_group *g = &groups[i];
            count += rf_popcount(p->goals[1 - p->side] == 1
                                     ? gy_safe_squares(&g->fixed, g->height, gy_squares_of(g), p->side, &theirs)
                                     : gy_squares_of(g));
        }
    }
    return count;
}

/* ---- symmetries ---- */

/* North's side below, and files a to f for f to a; both are their own inverse, in any order. */
enum { GY_OTHER_SIDE = 1, GY_MIRRORED = 2 };

static uint64_t gy_mirrored(uint64_t squares)
{
    squares = (squares >> 1 & UINT64_C(0x5555555555555555)) | (squares & UINT64_C(0x5555555555555555)) << 1;
    squares = (squares >> 2 & UINT64_C(0x3333333333333333)) | (squares & UINT64_C(0x3333333333333333)) << 2;
    return (squares >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (squares & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
}

unsigned gy_turned(const void *ctx, const rf_state *s, rf_state *out)
{
    gy_position p = *(const gy_position *)s;
    unsigned symmetry = 0;
    (void)ctx;
    /* Of empty boards only South's may set up (G3), and setups are plies with numbers. */
    if (!gy_setting_up(&p)) {
        if (p.side == 1) {
            uint8_t goals = p.goals[0];
            p.goals[0] = p.goals[1];
            p.goals[1] = goals;
            p.rings.low = __builtin_bswap64(p.rings.low);
            p.rings.high = __builtin_bswap64(p.rings.high);
            p.side = 0;
            symmetry |= GY_OTHER_SIDE;
        }
        uint64_t low = gy_mirrored(p.rings.low), high = gy_mirrored(p.rings.high);
        if (low < p.rings.low || (low == p.rings.low && high < p.rings.high)) {
            p.rings.low = low;
            p.rings.high = high;
            symmetry |= GY_MIRRORED;
        }
    }
    *(gy_position *)out = p;
    return symmetry;
}

static unsigned gy_turn_square(unsigned square, unsigned symmetry)
{
    if (square == 0) /* a throne, or nothing */
        return 0;
    return square ^ (symmetry & GY_OTHER_SIDE ? 56u : 0u) ^ (symmetry & GY_MIRRORED ? 7u : 0u);
}

rf_ply gy_turn_ply(const void *ctx, rf_ply ply, unsigned symmetry)
{
    (void)ctx;
    if (gy_kind_of(ply) == GY_SETUP)
        return ply;
    return gy_ply(gy_kind_of(ply), gy_turn_square(gy_from(ply), symmetry), gy_turn_square(gy_to(ply), symmetry),
                  gy_turn_square(gy_drop(ply), symmetry));
}
