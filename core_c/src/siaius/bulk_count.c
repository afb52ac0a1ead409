/* Siaius: perft of the last two plies without playing them.
 *
 * Idea: a ply changes few of the replies of the opponent. `base` is the number of moves that the opponent would have
 * now. Let gain(k, x) be the number of moves that the opponent gains if a stone of kind k is lifted from x: each
 * ordinary enemy next to x that does not capture k may now step to x (S3, S4), and each enemy champion next to x may
 * now move over x to the square beyond, unless that is off the board or has a stone of the opponent (S6). Champions
 * that reach x in one move still do. The opponent loses the same number if a stone of kind k is put on an empty x. So
 * after a quiet move of a stone of kind k from f to t the opponent has
 *
 *     base + gain(k, f) - gain(k, t)
 *
 * moves, and a huff for each stone that could have captured (S7). The two gains are independent: the square beyond
 * matters only if it has a stone of the opponent. The sum over all N quiet moves of ordinary stones is
 *
 *     N * (base + stones that could have captured) + sum of gain(k, f) * (quiet moves from f)
 *                                                  - sum of gain(k, t) * (quiet moves of kind k to t)
 *
 * where only squares next to enemies count.
 *
 * Invariants: an opponent without moves has one ply, the pass (S9). If base exceeds the greatest gain, 8, it always has
 * a move; otherwise every quiet move is counted singly.
 *
 * Example: base = 20, a sun moves from a square next to one enemy moon that could not capture it to a square without
 * enemies: the opponent has 20 + 1 - 0 replies. */
#include "siaius/siaius.h"

enum { SI_MAX_GAIN = 8 }; /* one for each neighbour */

/* The position from the view of both sides; `mine` is that of the player to move. */
typedef struct {
    si_view mine, theirs;
    si_set hunters[SI_KINDS]; /* enemies that capture a kind by stepping; no ordinary stone captures champions (S4) */
    si_set ordinary;          /* enemies that are not champions */
    si_set not_theirs;        /* squares without an enemy: where enemy champions may end */
    si_set last_rank;         /* where ordinary stones are promoted (S5) */
    unsigned base;
    unsigned capturer_count;            /* stones that could have captured, if they may be huffed (S7) */
    unsigned after_capture;   /* stones that can be huffed after a capture by one of them */
    si_set capturers;
    uint8_t huff;
    bool is_last_enemy;          /* the enemy has one stone: taking it ends the game (S8) */
    uint8_t over[SI_SQUARES]; /* enemy champions that could move over a square if it were empty */
} si_bulk;

static inline unsigned si_count_near(si_set stones, unsigned square)
{
    return si_popcount(stones & si_neighbours[square]);
}

/* Counts the champions next to each square that could move over it and end on `targets`. */
static void si_count_over(si_set champions, si_set targets, uint8_t over[SI_SQUARES])
{
#define SI_OVER(step, back) \
    for (si_set left = step(champions) & back(targets); left != 0; left &= left - 1) \
        over[si_lsb(left)]++;
    SI_OVER(si_north, si_south)
    SI_OVER(si_south, si_north)
    SI_OVER(si_east, si_west)
    SI_OVER(si_west, si_east)
    SI_OVER(si_north_east, si_south_west)
    SI_OVER(si_south_west, si_north_east)
    SI_OVER(si_north_west, si_south_east)
    SI_OVER(si_south_east, si_north_west)
#undef SI_OVER
}

static inline unsigned si_gain(const si_bulk *b, unsigned kind, unsigned square)
{
    return si_count_near(b->ordinary & ~b->hunters[kind], square) + b->over[square];
}

/* Moves and huffs of the opponent if it has `moves` moves: with none it passes (S9). */
static inline unsigned si_replies(unsigned moves, unsigned huffs) { return (moves != 0 ? moves : 1) + huffs; }

/* The opponent's plies after a capture that does not promote. */
static unsigned si_after_capture(const si_bulk *b, unsigned kind, unsigned from, unsigned to)
{
    if (b->is_last_enemy)
        return 0; /* S8 */
    const si_set bit = si_bit(to), champions = b->theirs.own[SI_CHAMPION];
    unsigned lost;
    unsigned gained = si_count_near(b->ordinary & ~b->hunters[kind] & ~bit, from) + b->over[from];
    if (champions & bit) {
        const si_set reach = si_champion_reach(bit, b->theirs.empty, b->not_theirs);
        lost = si_popcount(reach);
        /* The captured champion cannot move over `from` any more. */
        const unsigned beyond = 2 * from - to;
        if ((si_neighbours[from] & bit) != 0 && beyond < SI_SQUARES &&
            (si_neighbours[from] & b->not_theirs & si_bit(beyond)) != 0)
            lost++;
    } else {
        unsigned taken = SI_SUN;
        while ((b->theirs.own[taken] & bit) == 0)
            taken++;
        lost = si_count_near(b->theirs.empty | b->theirs.prey[taken], to);
    }
    /* Replies that capture the capturer. */
    gained += si_count_near(b->hunters[kind], to);
    if (champions != 0)
        gained += si_popcount(si_champion_reach(bit, b->theirs.empty | si_bit(from), champions));
    const unsigned huffs = b->huff == SI_HUFF_STONE ? si_popcount(b->capturers & ~si_bit(from)) : 0; /* S7 */
    return si_replies(b->base - lost + gained, huffs);
}

/* Counts quiet moves singly, which includes passes of an opponent with few moves. */
static uint64_t si_quiet_singly(const si_bulk *b, unsigned kind, unsigned from, si_set targets)
{
    const unsigned before = b->base + si_gain(b, kind, from);
    uint64_t total = 0;
    for (; targets != 0; targets &= targets - 1)
        total += si_replies(before - si_gain(b, kind, si_lsb(targets)), b->capturer_count);
    return total;
}

/* Quiet moves of ordinary stones that are not promoted; adds their number to *moves. */
static uint64_t si_bulk_quiet(const si_bulk *b, uint64_t *moves)
{
    const si_set targets = b->mine.empty & ~b->last_rank;
    const si_set movers = b->mine.own_all & ~b->mine.own[SI_CHAMPION];
    unsigned count = 0;
#define SI_COUNT(step) count += si_popcount(step(movers) & targets);
    SI_FOR_EACH_STEP(SI_COUNT)
#undef SI_COUNT
    *moves += count;
    if (b->base <= SI_MAX_GAIN) {
        uint64_t total = 0;
        for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++)
            for (si_set left = b->mine.own[kind]; left != 0; left &= left - 1) {
                const unsigned from = si_lsb(left);
                total += si_quiet_singly(b, kind, from, si_neighbours[from] & targets);
            }
        return total;
    }
    uint64_t total = (uint64_t)count * (b->base + b->capturer_count);
    const si_set near = si_around(b->theirs.own_all);
    for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++) {
        for (si_set left = b->mine.own[kind] & near; left != 0; left &= left - 1) {
            const unsigned from = si_lsb(left);
            total += (uint64_t)si_gain(b, kind, from) * si_count_near(targets, from);
        }
        for (si_set left = si_around(b->mine.own[kind]) & targets & near; left != 0; left &= left - 1) {
            const unsigned to = si_lsb(left);
            total -= (uint64_t)si_gain(b, kind, to) * si_count_near(b->mine.own[kind], to);
        }
    }
    return total;
}

/* Captures by ordinary stones that are not promoted. */
static uint64_t si_bulk_captures(const si_bulk *b, uint64_t *moves)
{
    uint64_t total = 0;
    for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++) {
        const si_set prey = b->mine.prey[kind] & ~b->last_rank;
        for (si_set left = b->mine.own[kind] & si_around(prey); left != 0; left &= left - 1) {
            const unsigned from = si_lsb(left);
            for (si_set taken = si_neighbours[from] & prey; taken != 0; taken &= taken - 1) {
                total += si_after_capture(b, kind, from, si_lsb(taken));
                ++*moves;
            }
        }
    }
    return total;
}

/* Promotions: the new champion has a bonus ply or stays (S5). */
static uint64_t si_bulk_promotions(const si_bulk *b, uint64_t *moves)
{
    uint64_t total = 0;
    const si_set near_last = si_around(b->last_rank);
    for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++)
        for (si_set left = b->mine.own[kind] & near_last; left != 0; left &= left - 1) {
            const unsigned from = si_lsb(left);
            const si_set targets = si_neighbours[from] & b->last_rank & (b->mine.empty | b->mine.prey[kind]);
            const si_set empty = b->mine.empty | si_bit(from);
            for (si_set to = targets; to != 0; to &= to - 1) {
                const si_set bit = to & -to;
                ++*moves;
                if (!(b->is_last_enemy && (b->mine.enemy_all & bit) != 0)) /* S8 */
                    total += 1 + si_popcount(si_champion_reach(bit, empty & ~bit, (empty | b->mine.enemy_all) & ~bit));
            }
        }
    return total;
}

static uint64_t si_bulk_champions(const si_bulk *b, si_set champions, uint64_t *moves)
{
    uint64_t total = 0;
    for (; champions != 0; champions &= champions - 1) {
        const unsigned from = si_lsb(champions);
        const si_set reach = si_champion_reach(si_bit(from), b->mine.empty, b->mine.empty | b->mine.enemy_all);
        *moves += si_popcount(reach);
        total += si_quiet_singly(b, SI_CHAMPION, from, reach & b->mine.empty);
        for (si_set taken = reach & b->mine.enemy_all; taken != 0; taken &= taken - 1)
            total += si_after_capture(b, SI_CHAMPION, from, si_lsb(taken));
    }
    return total;
}

/* Plies of the player after each huff (S7). A stone that is lifted gives the player what it gives any enemy of it. */
static uint64_t si_bulk_huffs(const si_bulk *b, si_set missed, uint64_t moves)
{
    if (b->is_last_enemy)
        return 0; /* S8 */
    uint64_t total = 0;
    uint8_t over[SI_SQUARES] = {0};
    si_count_over(b->mine.own[SI_CHAMPION], b->mine.empty | b->mine.enemy_all, over);
    for (; missed != 0; missed &= missed - 1) {
        const si_set bit = missed & -missed;
        const unsigned square = si_lsb(missed);
        si_set steppers = 0; /* who may step there only now */
        for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++)
            if ((b->mine.prey[kind] & bit) == 0)
                steppers |= b->mine.own[kind];
        const uint64_t after = moves + si_count_near(steppers, square) + over[square];
        total += after != 0 ? after : 1; /* S9 */
    }
    return total;
}

uint64_t si_count_bulk(const void *ctx, const rf_state *state, unsigned depth, rf_ply *lists)
{
    const si_state *s = (const si_state *)state;
    (void)ctx;
    (void)depth;
    (void)lists;
    if (RF_UNLIKELY(si_result(s) != RF_OUTCOME_NONE))
        return 0;
    si_bulk b;
    b.mine = si_view_of(s, s->side);
    b.theirs = si_view_of(s, s->side ^ 1u);
    const si_set enemies = b.mine.enemy_all;
    b.ordinary = enemies & ~b.theirs.own[SI_CHAMPION];
    for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++)
        b.hunters[kind] = b.ordinary & ~b.theirs.own[kind] & ~b.mine.prey[kind];
    b.hunters[SI_CHAMPION] = 0;
    b.not_theirs = b.mine.empty | b.mine.own_all;
    const si_set row = si_bit(s->files) - 1;
    b.last_rank = s->side == SI_SOUTH ? row << (s->ranks - 1) * SI_STRIDE : row;
    b.base = si_count_moves(&b.theirs);
    b.huff = s->huff;
    b.is_last_enemy = (enemies & (enemies - 1)) == 0;
    memset(b.over, 0, sizeof b.over);
    if (b.theirs.own[SI_CHAMPION] != 0)
        si_count_over(b.theirs.own[SI_CHAMPION], b.not_theirs, b.over);

    uint64_t moves = 0, total;
    if (RF_UNLIKELY(s->bonus != SI_NO_SQUARE)) {
        /* S5: a move of the new champion, or none. What may be huffed has been settled by the move before (S7). */
        b.capturers = s->missed;
        b.capturer_count = si_popcount(b.capturers);
        return si_bulk_champions(&b, si_bit(s->bonus), &moves) + si_replies(b.base, b.capturer_count);
    }
    b.capturers = s->huff != SI_HUFF_OFF ? si_could_capture(&b.mine) : 0;
    b.capturer_count = si_popcount(b.capturers);
    total = si_bulk_quiet(&b, &moves) + si_bulk_captures(&b, &moves) + si_bulk_promotions(&b, &moves) +
            si_bulk_champions(&b, b.mine.own[SI_CHAMPION], &moves);
    if (s->missed != 0)
        total += si_bulk_huffs(&b, s->missed, moves);
    if (moves == 0 && s->passes + 1 < SI_MAX_PASSES)
        total += si_replies(b.base, 0); /* S9 */
    return total;
}
