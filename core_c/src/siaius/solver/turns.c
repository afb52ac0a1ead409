/* Nodes of the solver as keys, and the turns that lead from one to the next. Part of siaius/hot.c.
 *
 * Idea: a key packs the player to move (1 bit), each stone in the order of sides, kinds and squares (11 bits: square,
 * kind, side, may be huffed), the number of stones, and the champion with a bonus ply. A position and its mirror image
 * share the smaller of their two keys. Keys have no passes: whether the other side has passed matters only to a side
 * that cannot move either, and two passes draw just as endless passing does (S9, S10).
 *
 * Example: South moves a sun to the last rank (S5) and stays: one successor, 2 plies later. If North may huff a stone
 * afterwards (S7), the successor's own successors are the positions after each huff and, 0 plies later, the one
 * without. */
#include "siaius/solver/turns.h"

enum {
    SI_KEY_SQUARE_BITS = 7,
    SI_KEY_SQUARE_MASK = (1 << SI_KEY_SQUARE_BITS) - 1,
    SI_KEY_STONE_BITS = 11,
    SI_KEY_STONES_IN_FIRST = 5,
    SI_KEY_COUNT_AT = 40,
    SI_KEY_BONUS_AT = 44,
};

static void si_put_stone(si_node_key *key, unsigned i, uint64_t stone)
{
    if (i < SI_KEY_STONES_IN_FIRST)
        key->word[0] |= stone << (1 + SI_KEY_STONE_BITS * i);
    else
        key->word[1] |= stone << SI_KEY_STONE_BITS * (i - SI_KEY_STONES_IN_FIRST);
}

static unsigned si_mirrored(const si_state *s, unsigned square)
{
    return square - square % SI_STRIDE + s->files - 1u - square % SI_STRIDE;
}

/* Puts the stones of one kind and side into the key and the key of the mirror image, in the order of squares. */
static unsigned si_put_stones(const si_state *s, si_set set, unsigned group, unsigned filled, si_node_key keys[2])
{
    uint64_t images[SI_SOLVER_STONES];
    unsigned found = 0;
    for (; set != 0 && found < SI_SOLVER_STONES; set &= set - 1) {
        const unsigned square = si_lsb(set), missed = (s->missed & si_bit(square)) != 0;
        const uint64_t rest = missed << (SI_KEY_SQUARE_BITS + 3) | group << SI_KEY_SQUARE_BITS;
        si_put_stone(&keys[0], filled + found, rest | square);
        const uint64_t image = rest | si_mirrored(s, square);
        unsigned i = found++;
        for (; i > 0 && (images[i - 1] & SI_KEY_SQUARE_MASK) > (image & SI_KEY_SQUARE_MASK); i--)
            images[i] = images[i - 1];
        images[i] = image;
    }
    for (unsigned i = 0; i < found; i++)
        si_put_stone(&keys[1], filled + i, images[i]);
    return filled + found;
}

static si_node_key si_key_of(const rf_state *state)
{
    const si_state *s = (const si_state *)state;
    si_node_key keys[2] = {{{s->side, 0}}, {{s->side, 0}}};
    unsigned stones = 0;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned kind = 0; kind < SI_KINDS; kind++) {
            const si_set set = s->kinds[kind] & (side == SI_SOUTH ? s->south : ~s->south);
            if (set != 0)
                stones = si_put_stones(s, set, side << 2 | kind, stones, keys);
        }
    for (unsigned i = 0; i < 2; i++)
        keys[i].word[1] |= (uint64_t)stones << SI_KEY_COUNT_AT;
    if (s->bonus != SI_NO_SQUARE) {
        keys[0].word[1] |= (uint64_t)(s->bonus + 1u) << SI_KEY_BONUS_AT;
        keys[1].word[1] |= (uint64_t)(si_mirrored(s, s->bonus) + 1u) << SI_KEY_BONUS_AT;
    }
    const bool smaller = keys[0].word[1] != keys[1].word[1] ? keys[0].word[1] < keys[1].word[1]
                                                            : keys[0].word[0] < keys[1].word[0];
    return keys[smaller ? 0 : 1];
}

static void si_state_of_key(const si_turn_source *source, si_node_key key, rf_state *out)
{
    memset(out, 0, sizeof *out);
    si_state *s = (si_state *)out;
    *s = source->options;
    s->side = key.word[0] & 1;
    const unsigned stones = key.word[1] >> SI_KEY_COUNT_AT & 15, bonus = (unsigned)(key.word[1] >> SI_KEY_BONUS_AT);
    s->bonus = bonus == 0 ? SI_NO_SQUARE : (uint8_t)(bonus - 1);
    for (unsigned i = 0; i < stones; i++) {
        const uint64_t stone = i < SI_KEY_STONES_IN_FIRST
                                   ? key.word[0] >> (1 + SI_KEY_STONE_BITS * i)
                                   : key.word[1] >> SI_KEY_STONE_BITS * (i - SI_KEY_STONES_IN_FIRST);
        const si_set bit = si_bit(stone & SI_KEY_SQUARE_MASK);
        s->kinds[stone >> SI_KEY_SQUARE_BITS & 3] |= bit;
        if ((stone >> (SI_KEY_SQUARE_BITS + 2) & 1) == SI_SOUTH)
            s->south |= bit;
        if (stone >> (SI_KEY_SQUARE_BITS + 3) & 1)
            s->missed |= bit;
    }
}

/* ---- turns that end in a known position ---- */

/* A turn of the player to move. */
typedef struct {
    const si_turn_source *source;
    const si_state *state;
    si_view view;
    si_set capturers;
    /* Stones to take before any table applies. */
    int excess;
    int best; /* score, for the player to move */
} si_turn;

static si_turn si_turn_of(const si_turn_source *source, const si_state *s)
{
    const si_view v = si_view_of(s, s->side);
    const int excess = (int)si_popcount(si_occupied(s)) - (int)source->max_stones;
    return (si_turn){source, s, v, si_capturers(s, &v), excess, SI_TB_NO_SCORE};
}

static int si_known_score(const si_turn_source *source, const rf_state *state, int *score)
{
    const si_state *s = (const si_state *)state;
    if (si_result(s) == RF_OUTCOME_NONE && si_popcount(si_occupied(s)) > source->max_stones)
        return RF_TB_ABSENT;
    return si_tb_probe_state(&source->prober, state, SI_TB_MAX_PENDING, score);
}

/* Updates the best score with a turn of `plies` plies that ends in a known position. False: a table cannot be read. */
static bool si_end_in(si_turn *t, const rf_state *end, unsigned plies)
{
    int score;
    const int status = si_known_score(t->source, end, &score);
    if (status != RF_TB_FOUND)
        return status == RF_TB_ABSENT;
    if (((const si_state *)end)->side != t->state->side)
        score = -score;
    for (; plies > 0; plies--)
        score = si_tb_score_before(score);
    t->best = score > t->best ? score : t->best;
    return true;
}

/* Tries the bonus plies after a promotion (S5), with `excess` stones still to take. */
static bool si_try_bonus(si_turn *t, const rf_state *promoted, int excess)
{
    const si_state *s = (const si_state *)promoted;
    const unsigned from = s->bonus;
    const si_view v = si_view_of(s, s->side);
    const bool last = (v.enemy_all & (v.enemy_all - 1)) == 0;
    const si_set ends = (excess <= 0 ? v.empty : 0) | (excess <= 1 || last ? v.enemy_all : 0);
    rf_state after;
    memset(&after, 0, sizeof after);
    for (si_set left = si_champion_reach(si_bit(from), v.empty, ends); left != 0; left &= left - 1) {
        si_move(s, &v, s->missed, from, si_lsb(left), (si_state *)&after);
        if (!si_end_in(t, &after, 2))
            return false;
    }
    si_stay(s, (si_state *)&after);
    return excess > 0 || si_end_in(t, &after, 2);
}

/* Tries the moves of a stone to some squares. */
static bool si_try_moves(si_turn *t, unsigned from, si_set targets)
{
    rf_state after;
    memset(&after, 0, sizeof after);
    for (; targets != 0; targets &= targets - 1) {
        const unsigned to = si_lsb(targets);
        si_move(t->state, &t->view, t->capturers, from, to, (si_state *)&after);
        const bool done = ((const si_state *)&after)->bonus == SI_NO_SQUARE
                              ? si_end_in(t, &after, 1)
                              : si_try_bonus(t, &after, t->excess - ((t->view.enemy_all & si_bit(to)) != 0));
        if (!done)
            return false;
    }
    return true;
}

static bool si_try_huffs(si_turn *t)
{
    rf_state after;
    memset(&after, 0, sizeof after);
    for (si_set missed = t->state->missed; missed != 0; missed &= missed - 1) {
        si_huff(t->state, si_lsb(missed), (si_state *)&after);
        if (!si_end_in(t, &after, 1))
            return false;
    }
    return true;
}

/* Tries every turn that captures or promotes. */
static bool si_try_captures_and_promotions(si_turn *t)
{
    const si_view *v = &t->view;
    const si_set farthest = si_farthest_rank(t->state, t->state->side);
    for (unsigned kind = SI_SUN; kind < SI_CHAMPION; kind++) {
        const si_set ends = v->prey[kind] | (v->empty & farthest);
        for (si_set left = v->own[kind] & si_around(ends); left != 0; left &= left - 1) {
            const unsigned from = si_lsb(left);
            if (!si_try_moves(t, from, si_neighbours[from] & ends))
                return false;
        }
    }
    for (si_set left = v->own[SI_CHAMPION]; left != 0; left &= left - 1) {
        const unsigned from = si_lsb(left);
        if (!si_try_moves(t, from, si_champion_reach(si_bit(from), v->empty, v->enemy_all)))
            return false;
    }
    return true;
}

static bool si_immediate_score(const si_turn_source *source, const rf_state *state, int *best)
{
    enum { MAX_TAKEN = 2 }; /* in a turn without a huff: by the move and by the bonus ply */
    si_state plain = *(const si_state *)state;
    const si_set missed = plain.missed;
    plain.missed = 0;
    si_turn t = si_turn_of(source, &plain);
    t.state = (const si_state *)state;
    bool done = missed == 0 || si_try_huffs(&t);
    t.state = &plain;
    if (done && (t.excess <= MAX_TAKEN || si_popcount(t.view.enemy_all) <= MAX_TAKEN))
        done = si_try_captures_and_promotions(&t);
    *best = t.best;
    return done;
}

/* ---- successors ---- */

/* Makes a successor of a position that is `plies` after a node with `side` to move. False: a table cannot be read. */
static bool si_put_successor(const si_turn_source *source, const rf_state *after, unsigned plies, unsigned side,
                             si_successor *out)
{
    int score;
    const int status = si_known_score(source, after, &score);
    *out = (si_successor){.plies = (uint8_t)plies, .is_leaf = status == RF_TB_FOUND};
    if (status == RF_TB_ABSENT)
        out->key = si_key_of(after);
    else if (status == RF_TB_FOUND)
        out->score = si_score_before(score, ((const si_state *)after)->side == side, plies);
    else
        return false;
    return true;
}

/* The decision before a turn: one successor per huff, and one, 0 plies later, without a huff. */
static int si_huff_successors(const si_turn_source *source, const si_state *s, si_successor *out)
{
    int count = 0;
    rf_state after;
    memset(&after, 0, sizeof after);
    for (si_set missed = s->missed; missed != 0; missed &= missed - 1) {
        si_huff(s, si_lsb(missed), (si_state *)&after);
        if (!si_put_successor(source, &after, 1, s->side, &out[count++]))
            return -1;
    }
    si_state *plain = (si_state *)&after;
    *plain = *s;
    plain->missed = 0;
    return si_put_successor(source, &after, 0, s->side, &out[count++]) ? count : -1;
}

/* All turns of a position without stones to be huffed, `done` plies into the turn; recurses once, for bonus plies. */
static int si_ply_successors(const si_turn_source *source, const rf_state *state, unsigned done, unsigned side,
                             si_successor *out)
{
    rf_ply plies[SI_SOLVER_STONES * 17 + 1]; /* a champion has 16 moves; staying, or a pass */
    const si_state *s = (const si_state *)state;
    const si_view v = si_view_of(s, s->side);
    const si_set capturers = si_capturers(s, &v);
    const size_t ply_count = si_generate(NULL, state, plies);
    rf_state after;
    memset(&after, 0, sizeof after);
    int count = 0;
    for (size_t i = 0; i < ply_count; i++) {
        if (si_ply_kind(plies[i]) == SI_MOVE)
            si_move(s, &v, capturers, si_from(plies[i]), si_to(plies[i]), (si_state *)&after);
        else if (si_ply_kind(plies[i]) == SI_STAY)
            si_stay(s, (si_state *)&after);
        else
            si_pass(s, (si_state *)&after);
        if (((const si_state *)&after)->bonus != SI_NO_SQUARE) {
            const int more = si_ply_successors(source, &after, done + 1, side, out + count);
            if (more < 0)
                return -1;
            count += more;
        } else if (!si_put_successor(source, &after, done + 1, side, &out[count++])) {
            return -1;
        }
    }
    return count;
}

static int si_successors(const si_turn_source *source, si_node_key key, si_successor *out)
{
    rf_state state;
    si_state_of_key(source, key, &state);
    const si_state *s = (const si_state *)&state;
    if (s->bonus == SI_NO_SQUARE && s->missed != 0)
        return si_huff_successors(source, s, out);
    return si_ply_successors(source, &state, 0, s->side, out);
}

static bool si_may_win_within(const si_turn_source *source, si_node_key key, unsigned player, uint32_t plies)
{
    rf_state state;
    si_state_of_key(source, key, &state);
    return si_useful_plies(NULL, &state, player, plies) != 0;
}

const si_turn_rules RF_EXPORT(si_turns) = {
    .key_of = si_key_of,
    .state_of = si_state_of_key,
    .known_score = si_known_score,
    .immediate_score = si_immediate_score,
    .successors = si_successors,
    .may_win_within = si_may_win_within,
};
