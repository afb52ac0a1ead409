/* Answers the search for forced wins (rf_win_part in game.h): short wins, and plies that do not lose at once.
 *
 * Idea: a threat is refuted by the same reply in many positions. A reply that refuted a threat is stored as a pattern
 * and an effect (gy_reply), and is tried first in the next position, for all squares of a group together.
 * Invariant: stored replies, paths and refuted positions change the amount of work, never an answer:
 * gy_find_refutation tries all plies before it says that there is none. Groups may contain illegal plies; a ply that
 * decides is checked first.
 * Example: gy_wins_in_three asks for each ply whether the other side has a reply after which it is not lost at once. If
 * it has one, that reply usually works after the next ply too. */
#include "gyges/threats.h"

/* ---- replies that refute a threat ---- */

static void gy_add_reply(gy_reply_list *list, const gy_reply *reply)
{
    memmove(list->replies + 1, list->replies, sizeof *reply * (GY_MAX_REPLIES - 1));
    list->replies[0] = *reply;
    if (list->count < GY_MAX_REPLIES)
        list->count++;
}

static void gy_move_reply_to_front(gy_reply_list *list, uint32_t number)
{
    gy_reply reply = list->replies[number];
    memmove(list->replies + 1, list->replies, sizeof reply * number);
    list->replies[0] = reply;
}

/* Makes a reply of a ply that ends on a square; false if the ply is not legal. */
static bool gy_make_reply(const gy_position *p, rf_ply ply, gy_reply *out)
{
    unsigned from = gy_from(ply), to = gy_to(ply);
    gy_rings r = p->rings;
    uint64_t all = gy_occupied(&r);
    gy_closure closure;
    out->from = gy_bit(from);
    out->to = gy_bit(to);
    out->height = (uint8_t)gy_height(&r, from);
    gy_find_closure(&r, (gy_board & ~all) | out->from, all, out->to, 0, &closure);
    if (!gy_find_path(&r, from, out->to, &closure, &out->needs))
        return false;
    bool displaces = gy_ply_kind(ply) == GY_DISPLACE;
    unsigned drop_rank = displaces ? gy_rank_of(gy_drop(ply)) : 0;
    out->drop = displaces ? gy_bit(gy_drop(ply)) : 0;
    out->drop_zone = displaces ? gy_nearer(1 - p->side, drop_rank) | gy_rank(drop_rank) : 0;
    out->displaced = displaces ? (uint8_t)gy_height(&r, to) : 0;
    uint64_t rings = out->from | (displaces ? out->to : 0);
    out->needs.mask |= out->to | out->drop | rings | gy_nearer(p->side, gy_rank_of(from));
    out->needs.low |= r.low & rings;
    out->needs.high |= r.high & rings;
    return true;
}

/* Writes the rings after the reply; false if it is not legal there. */
static bool gy_play_reply(const gy_reply *reply, const gy_rings *before, gy_rings *after)
{
    if (gy_mismatch(&reply->needs, before) != 0)
        return false;
    *after = *before;
    gy_remove(after, reply->from | reply->to);
    gy_add(after, reply->to, reply->height);
    if (reply->drop != 0) {
        if ((gy_occupied(after) & reply->drop_zone) == 0)
            return false;
        gy_add(after, reply->drop, reply->displaced);
    }
    return true;
}

/* The squares of `squares` where the reply keeps `winner` from winning at once. `kind` is that of the winner's
 * squares, so GY_UPPER_BOUND returns a subset. */
static uint64_t gy_refuted_squares(const gy_reply *reply, const gy_group *g, uint64_t squares, unsigned winner,
                                   gy_path_cache *known, gy_bound_kind kind)
{
    gy_rings after;
    squares &= ~reply->needs.mask;
    if (squares == 0 || !gy_play_reply(reply, &g->fixed, &after))
        return 0;
    return squares & ~gy_group_wins(&after, g->height, squares, winner, known, kind);
}

/* The squares of `squares` on which the twelfth ring can be put so that the other side, to move, does not win at
 * once. */
static inline uint64_t gy_safe_squares(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side,
                                       gy_path_cache *known)
{
    return squares & ~gy_group_wins(fixed, height, squares, 1 - side, known, GY_EXACT);
}

/* At least one of gy_safe_squares, if there is one. */
static inline uint64_t gy_some_safe_squares(const gy_rings *fixed, unsigned height, uint64_t squares, unsigned side,
                                            gy_path_cache *known)
{
    return squares & ~gy_group_wins(fixed, height, squares, 1 - side, known, GY_SOME);
}

/* Finds a refutation of one leg: such plies are legal in most positions. */
static bool gy_find_short_refutation(const gy_position *p, unsigned from, gy_path_cache *known, gy_reply *out)
{
    unsigned height = gy_height(&p->rings, from);
    const gy_legs *list = &gy_all_legs[from][height];
    gy_rings others = p->rings;
    gy_remove(&others, gy_bit(from));
    uint64_t all = gy_occupied(&others), ends = 0;
    for (unsigned i = 0; i < list->count; i++)
        if (!(list->legs[i].through & all))
            ends |= list->legs[i].end;
    uint64_t safe = gy_some_safe_squares(&others, height, ends & gy_board & ~all, p->side, known);
    if (safe == 0)
        return false;
    unsigned to = rf_lsb(safe), leg = list->first[to];
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

/* Finds a refutation among all plies of the groups. If not `exact`, the groups contain plies that are not legal, and
 * *missed is set if one of them was found, which can hide a legal one. */
static bool gy_find_long_refutation(const gy_position *p, bool exact, bool *missed, gy_path_cache *known, gy_reply *out)
{
    gy_group groups[GY_RING_GROUPS];
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        unsigned count = gy_list_ring_groups(p, from, exact ? gy_ends(p, from) : gy_ends_bound(p, from), groups);
        for (unsigned i = 0; i < count; i++) {
            const gy_group *g = &groups[i];
            uint64_t safe = gy_some_safe_squares(&g->fixed, g->height, gy_group_squares(g), p->side, known);
            if (safe != 0 && gy_make_reply(p, gy_group_ply(g, rf_lsb(safe)), out))
                return true;
            *missed |= safe != 0;
        }
    }
    return false;
}

/* Finds a ply after which the other side does not win at once; false if there is none. The caller knows that the mover
 * does not reach the throne. */
static bool gy_find_refutation(const gy_position *p, gy_path_cache *known, gy_reply *out)
{
    bool missed = false;
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1)
        if (gy_find_short_refutation(p, rf_lsb(rest), known, out))
            return true;
    return gy_find_long_refutation(p, false, &missed, known, out) ||
           (missed && gy_find_long_refutation(p, true, &missed, known, out));
}

/* The squares of `open` for which no stored reply is a refutation. */
static uint64_t gy_try_replies(gy_reply_list *list, const gy_group *g, uint64_t open, unsigned winner,
                               gy_path_cache *known, gy_bound_kind kind)
{
    for (uint32_t i = 0; i < list->count && open != 0; i++) {
        uint64_t refuted = gy_refuted_squares(&list->replies[i], g, open, winner, known, kind);
        open &= ~refuted;
        if (refuted != 0 && i > 0)
            gy_move_reply_to_front(list, i);
    }
    return open;
}

/* Whether a ply leads to this square of the group. Groups listed with gy_ends_bound also contain squares that no
 * ply reaches. */
static bool gy_is_legal(const gy_position *p, const gy_group *g, uint64_t bit)
{
    uint64_t equal = g->multiple & bit ? gy_of_height(&g->fixed, g->height) : 0;
    return gy_can_end_on(p, g->from, g->replaced != 0 ? g->replaced : (g->single & bit) | equal);
}

/* Whether a ply of the group wins within three plies for `side`: the other side does not win at once, and after each
 * of its replies `side` wins at once. Tests that decide many squares together come first. */
static bool gy_group_forces_win(const gy_position *p, const gy_group *g, unsigned side, gy_path_cache *own_paths,
                                gy_path_cache *opponent_paths, gy_hints *hints)
{
    gy_reply_list *list = &hints->at_once[1 - side];
    uint64_t open = gy_group_squares(g);
    /* 1. Quick bounds, then the same exactly. */
    open &= ~gy_group_wins(&g->fixed, g->height, open, 1 - side, opponent_paths, GY_CACHED_ONLY);
    open = gy_try_replies(list, g, open, side, own_paths, GY_UPPER_BOUND);
    open = gy_safe_squares(&g->fixed, g->height, open, side, opponent_paths);
    open = gy_try_replies(list, g, open, side, own_paths, GY_EXACT);
    /* 2. The remaining squares one at a time; each new reply may refute others too. */
    while (open != 0) {
        unsigned square = rf_lsb(open);
        gy_position after = gy_group_position(g, gy_bit(square), 1 - side);
        gy_reply reply;
        open &= ~gy_bit(square);
        if (!gy_is_legal(p, g, gy_bit(square)))
            continue;
        if (!gy_find_refutation(&after, own_paths, &reply))
            return true;
        gy_add_reply(list, &reply);
        open &= ~gy_refuted_squares(&reply, g, open, side, own_paths, GY_EXACT);
    }
    return false;
}

static bool gy_wins_in_three(const gy_position *p, gy_hints *hints)
{
    gy_group groups[GY_RING_GROUPS];
    gy_path_cache opponent_paths, own_paths;
    opponent_paths.count = own_paths.count = 0;
    gy_pattern path;
    bool keep;
    if (gy_find_winning_path(&p->rings, 1 - p->side, &path, &keep) && keep)
        gy_cache_path(&opponent_paths, &path);
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        unsigned count = gy_list_ring_groups(p, from, gy_ends_bound(p, from), groups);
        for (unsigned i = 0; i < count; i++)
            if (gy_group_forces_win(p, &groups[i], p->side, &own_paths, &opponent_paths, hints))
                return true;
    }
    return false;
}

/* ---- members of rf_win_part ---- */

static bool gy_is_move_phase(const gy_position *p) { return p->throne == 0 && !gy_setting_up(p); }

static bool gy_reaches_throne(const gy_position *p)
{
    gy_pattern path;
    bool keep;
    return gy_find_winning_path(&p->rings, p->side, &path, &keep);
}

bool gy_wins_now(const void *ctx, const rf_state *s)
{
    const gy_position *p = (const gy_position *)s;
    (void)ctx;
    return p->goals[p->side] == 1 && gy_is_move_phase(p) && gy_reaches_throne(p);
}

unsigned gy_useful_plies(const void *ctx, const rf_state *s, unsigned player, unsigned plies)
{
    const gy_position *p = (const gy_position *)s;
    unsigned winner = player - 1;
    (void)ctx;
    unsigned fastest = 3u * p->goals[winner] - (p->side == winner ? 2 : 1) + (p->throne != 0);
    if (plies < fastest)
        return 0;
    return p->goals[1 - winner] == 1 ? plies - (plies - fastest) % 2 : plies;
}

/* A stored reply that can be played, and the position after it. */
typedef struct {
    uint32_t number;
    unsigned groups; /* about how many groups of plies the other side has, which sets the time of gy_wins_in_three */
    gy_position next;
} gy_played_reply;

static unsigned gy_bound_groups(const gy_position *p)
{
    unsigned count = 0;
    for (uint64_t rest = gy_movers(p); rest != 0; rest &= rest - 1)
        count += 1 + rf_popcount(gy_ends_bound(p, rf_lsb(rest)) & gy_occupied(&p->rings));
    return count;
}

/* Finds the first stored reply, from *number on, after which the other side does not win at once. */
static bool gy_play_next_reply(const gy_position *p, const gy_reply_list *list, uint32_t *number, gy_played_reply *out)
{
    out->next = *p;
    out->next.side = 1 - p->side;
    for (; *number < list->count; ++*number) {
        if (!gy_play_reply(&list->replies[*number], &p->rings, &out->next.rings) || gy_reaches_throne(&out->next))
            continue;
        out->groups = gy_bound_groups(&out->next);
        out->number = (*number)++;
        return true;
    }
    return false;
}

/* Whether a stored reply, played in `p`, keeps the other side from winning within the three plies after it. Each round
 * compares two replies and tries the one that leaves fewer groups; the other waits for the next round. */
static bool gy_is_refuted_in_four(const gy_position *p, gy_hints *hints)
{
    gy_reply_list *list = &hints->in_three[p->side];
    gy_played_reply first, second;
    uint32_t number = 0;
    bool found = gy_play_next_reply(p, list, &number, &first);
    while (found) {
        found = gy_play_next_reply(p, list, &number, &second);
        if (found && second.groups < first.groups) {
            gy_played_reply swapped = first;
            first = second;
            second = swapped;
        }
        if (!gy_wins_in_three(&first.next, hints)) {
            gy_move_reply_to_front(list, first.number);
            return true;
        }
        if (found)
            first = second;
    }
    return false;
}

/* Like gy_is_refuted_in_four, but first looks the position up in a table of refuted ones. The table omits goals (G9),
 * which do not matter within four plies. */
static bool gy_is_known_refuted_in_four(const gy_position *p, gy_hints *hints)
{
    rf_state state;
    (void)gy_canonical(NULL, (const rf_state *)p, &state);
    const gy_rings *rings = &((const gy_position *)&state)->rings;
    gy_rings *slot = &hints->refuted[rf_mix(rings->low, rings->high) >> (64 - GY_REFUTED_BITS)];
    if (slot->low == rings->low && slot->high == rings->high)
        return true;
    if (!gy_is_refuted_in_four(p, hints))
        return false;
    *slot = *rings;
    return true;
}

int gy_wins_soon(const void *ctx, const rf_state *s, unsigned player, unsigned plies, void *hints)
{
    const gy_position *p = (const gy_position *)s;
    unsigned winner = player - 1;
    (void)ctx;
    if (p->goals[winner] != 1 || !gy_is_move_phase(p))
        return -1;
    if (p->side == winner)
        return plies > 3 ? -1 : gy_reaches_throne(p) || (plies == 3 && gy_wins_in_three(p, hints));
    if (plies == 4 && gy_is_known_refuted_in_four(p, hints))
        return 0;
    if (plies > 2)
        return -1;
    gy_path_cache known;
    gy_reply reply;
    known.count = 0;
    return plies == 2 && !gy_reaches_throne(p) && !gy_find_refutation(p, &known, &reply);
}

void gy_store_refutation(const void *ctx, const rf_state *s, unsigned plies, rf_ply ply, void *hints)
{
    const gy_position *p = (const gy_position *)s;
    gy_hints *h = hints;
    gy_reply reply;
    (void)ctx;
    if (plies != 4 || !gy_is_move_phase(p) || gy_to(ply) == GY_THRONE)
        return;
    if (gy_make_reply(p, ply, &reply))
        gy_add_reply(&h->in_three[p->side], &reply);
}

size_t gy_safe_plies(const void *ctx, const rf_state *s, rf_ply *out, uint8_t *threats)
{
    const gy_position *p = (const gy_position *)s;
    unsigned side = p->side;
    size_t count = 0;
    (void)ctx;
    if (!gy_is_move_phase(p) || gy_is_over(p)) {
        count = gy_generate(ctx, s, out);
        memset(threats, 0, count);
        return count;
    }
    gy_group groups[GY_MAX_GROUPS];
    gy_path_cache opponent_paths, own_paths;
    uint64_t thrones;
    opponent_paths.count = own_paths.count = 0;
    unsigned group_count = gy_list_groups(p, groups, &thrones);
    for (; thrones != 0; thrones &= thrones - 1) {
        threats[count] = 1;
        out[count++] = gy_ply(GY_MOVE, rf_lsb(thrones), GY_THRONE, 0);
    }
    for (unsigned i = 0; i < group_count; i++) {
        const gy_group *g = &groups[i];
        uint64_t safe = gy_group_squares(g);
        if (p->goals[1 - side] == 1)
            safe = gy_safe_squares(&g->fixed, g->height, safe, side, &opponent_paths);
        uint64_t threatening = gy_group_wins(&g->fixed, g->height, safe, side, &own_paths, GY_EXACT);
        for (uint64_t rest = safe; rest != 0; rest &= rest - 1) {
            threats[count] = (threatening & rest & -rest) != 0;
            out[count++] = gy_group_ply(g, rf_lsb(rest));
        }
    }
    return count;
}

/* Uses bounds: exact counts cost more time than their better order of plies saves. */
size_t gy_count_safe(const void *ctx, const rf_state *s, size_t enough)
{
    const gy_position *p = (const gy_position *)s;
    if (!gy_is_move_phase(p) || gy_is_over(p))
        return gy_count(ctx, s);
    gy_group groups[GY_RING_GROUPS];
    gy_path_cache opponent_paths;
    gy_pattern path;
    bool keep;
    opponent_paths.count = 0;
    if (gy_find_winning_path(&p->rings, 1 - p->side, &path, &keep) && keep)
        gy_cache_path(&opponent_paths, &path);
    size_t count = 0;
    for (uint64_t rest = gy_movers(p); rest != 0 && count < enough; rest &= rest - 1) {
        unsigned from = rf_lsb(rest);
        uint64_t ends = gy_ends_bound(p, from);
        count += (ends & gy_bit(GY_THRONE)) != 0;
        unsigned group_count = gy_list_ring_groups(p, from, ends, groups);
        for (unsigned i = 0; i < group_count && count < enough; i++) {
            const gy_group *g = &groups[i];
            uint64_t safe = gy_group_squares(g);
            if (p->goals[1 - p->side] == 1)
                safe &= ~gy_group_wins(&g->fixed, g->height, safe, 1 - p->side, &opponent_paths, GY_LOWER_BOUND);
            count += rf_popcount(safe);
        }
    }
    return count;
}

/* ---- symmetries ---- */

/* Exchange of the sides (ranks 1 to 6 become 6 to 1), and of files a to f with f to a. Both are their own inverse, and
 * their order does not matter. */
enum { GY_OTHER_SIDE = 1, GY_MIRRORED = 2 };

static void gy_exchange_sides(gy_position *p)
{
    uint8_t goals = p->goals[0];
    p->goals[0] = p->goals[1];
    p->goals[1] = goals;
    p->rings.low = __builtin_bswap64(p->rings.low);
    p->rings.high = __builtin_bswap64(p->rings.high);
    p->side = !p->side;
}

/* South sets up first (G3), and a setup is a number, not squares: such positions have no symmetry. */
bool gy_image(const void *ctx, const rf_state *s, unsigned symmetry, rf_state *out)
{
    gy_position p = *(const gy_position *)s;
    (void)ctx;
    if (symmetry > (GY_OTHER_SIDE | GY_MIRRORED) || gy_setting_up(&p))
        return false;
    if (symmetry & GY_OTHER_SIDE)
        gy_exchange_sides(&p);
    if (symmetry & GY_MIRRORED) {
        p.rings.low = gy_mirrored(p.rings.low);
        p.rings.high = gy_mirrored(p.rings.high);
    }
    *(gy_position *)out = p;
    return true;
}

unsigned gy_canonical(const void *ctx, const rf_state *s, rf_state *out)
{
    gy_position p = *(const gy_position *)s;
    unsigned symmetry = 0;
    (void)ctx;
    if (!gy_setting_up(&p)) {
        if (p.side == 1) {
            gy_exchange_sides(&p);
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
    if (square == 0) /* a throne, or no square */
        return 0;
    return square ^ (symmetry & GY_OTHER_SIDE ? 56u : 0u) ^ (symmetry & GY_MIRRORED ? 7u : 0u);
}

rf_ply gy_map_ply(const void *ctx, rf_ply ply, unsigned symmetry)
{
    (void)ctx;
    if (gy_ply_kind(ply) == GY_SETUP)
        return ply;
    return gy_ply(gy_ply_kind(ply), gy_turn_square(gy_from(ply), symmetry), gy_turn_square(gy_to(ply), symmetry),
                  gy_turn_square(gy_drop(ply), symmetry));
}
