#include "siaius/tables/forward.h"

#include <stdlib.h>

/* A position as a key: the player to move in one bit, and for each stone (in the order of sides, kinds and squares) its
 * square, its kind, its side and whether it may be huffed; then how many there are, and the champion with a bonus ply.
 * Of a position and its mirror image it is the smaller one. Passes are left out: whether the other side has passed
 * matters only to a side that cannot move either, and there two passes draw as passing for ever does (S9, S10). */
enum {
    SQUARE_BITS = 7,
    SQUARE_MASK = (1 << SQUARE_BITS) - 1,
    STONE_BITS = 11,
    STONES_IN_FIRST = 5,
    COUNT_AT = 40,
    BONUS_AT = 44,
    MOST_PLIES = SI_FORWARD_STONES * 17 + 1,
};

struct si_forward {
    tb_prober prober;
    si_state options; /* board and options of the position */
    unsigned most_stones; /* of a class in the tables */
    rf_proof_key root;
    rf_proof *proof;
    rf_proof_team *team; /* NULL: one thread */
};

static void put_stone(rf_proof_key *key, unsigned i, uint64_t stone)
{
    if (i < STONES_IN_FIRST)
        key->word[0] |= stone << (1 + STONE_BITS * i);
    else
        key->word[1] |= stone << STONE_BITS * (i - STONES_IN_FIRST);
}

static unsigned mirrored(const si_state *s, unsigned square)
{
    return square - square % SI_STRIDE + s->files - 1u - square % SI_STRIDE;
}

/* The stones of one kind and side into the key and that of the mirror image, each by rising squares. */
static unsigned put_stones(const si_state *s, si_set set, unsigned group, unsigned filled, rf_proof_key keys[2])
{
    uint64_t images[SI_FORWARD_STONES];
    unsigned found = 0;
    for (; set != 0 && found < SI_FORWARD_STONES; set &= set - 1) {
        const unsigned square = si_first(set), missed = (s->missed & si_bit(square)) != 0;
        const uint64_t rest = missed << (SQUARE_BITS + 3) | group << SQUARE_BITS;
        put_stone(&keys[0], filled + found, rest | square);
        const uint64_t image = rest | mirrored(s, square);
        unsigned i = found++;
        for (; i > 0 && (images[i - 1] & SQUARE_MASK) > (image & SQUARE_MASK); i--)
            images[i] = images[i - 1];
        images[i] = image;
    }
    for (unsigned i = 0; i < found; i++)
        put_stone(&keys[1], filled + i, images[i]);
    return filled + found;
}

static rf_proof_key key_of(const rf_state *state)
{
    const si_state *s = (const si_state *)state;
    rf_proof_key keys[2] = {{{s->side, 0}}, {{s->side, 0}}};
    unsigned stones = 0;
    for (unsigned side = 0; side < 2; side++)
        for (unsigned kind = 0; kind < SI_KINDS; kind++) {
            const si_set set = s->kinds[kind] & (side == SI_SOUTH ? s->south : ~s->south);
            if (set != 0)
                stones = put_stones(s, set, side << 2 | kind, stones, keys);
        }
    for (unsigned i = 0; i < 2; i++)
        keys[i].word[1] |= (uint64_t)stones << COUNT_AT;
    if (s->bonus != SI_NO_SQUARE) {
        keys[0].word[1] |= (uint64_t)(s->bonus + 1u) << BONUS_AT;
        keys[1].word[1] |= (uint64_t)(mirrored(s, s->bonus) + 1u) << BONUS_AT;
    }
    const bool smaller = keys[0].word[1] != keys[1].word[1] ? keys[0].word[1] < keys[1].word[1]
                                                            : keys[0].word[0] < keys[1].word[0];
    return keys[smaller ? 0 : 1];
}

static void state_of(const si_forward *f, rf_proof_key key, rf_state *out)
{
    memset(out, 0, sizeof *out);
    si_state *s = (si_state *)out;
    *s = f->options;
    s->side = key.word[0] & 1;
    const unsigned stones = key.word[1] >> COUNT_AT & 15, bonus = (unsigned)(key.word[1] >> BONUS_AT);
    s->bonus = bonus == 0 ? SI_NO_SQUARE : (uint8_t)(bonus - 1);
    for (unsigned i = 0; i < stones; i++) {
        const uint64_t stone = i < STONES_IN_FIRST ? key.word[0] >> (1 + STONE_BITS * i)
                                                   : key.word[1] >> STONE_BITS * (i - STONES_IN_FIRST);
        const si_set bit = si_bit(stone & SQUARE_MASK);
        s->kinds[stone >> SQUARE_BITS & 3] |= bit;
        if ((stone >> (SQUARE_BITS + 2) & 1) == SI_SOUTH)
            s->south |= bit;
        if (stone >> (SQUARE_BITS + 3) & 1)
            s->missed |= bit;
    }
}

/* ---- what follows a node ---- */

/* The score of a position that is over or in a table, for its player to move; SI_TB_*. */
static int known_score(const si_forward *f, const rf_state *state, int *score)
{
    const si_state *s = (const si_state *)state;
    if (si_result(s) == RF_OUTCOME_NONE && si_size(si_occupied(s)) > f->most_stones)
        return SI_TB_ABSENT;
    return tb_probe_state(&f->prober, state, TB_MOST_PENDING, score);
}

/* The best score of a turn that begins with this ply of `side` and ends in a known position; SI_TB_NO_SCORE without.
 * False: a table cannot be read. */
static bool best_turn(const si_forward *f, const rf_state *state, rf_ply ply, unsigned side, int *best)
{
    const rf_game *game = f->prober.game;
    rf_state after, later;
    rf_ply bonuses[MOST_PLIES];
    memset(&after, 0, sizeof after);
    game->apply(NULL, state, ply, &after);
    const bool has_bonus = ((const si_state *)&after)->bonus != SI_NO_SQUARE;
    const size_t count = has_bonus ? game->generate(NULL, &after, bonuses) : 1;
    for (size_t i = 0; i < count; i++) {
        int score;
        if (has_bonus) {
            memset(&later, 0, sizeof later);
            game->apply(NULL, &after, bonuses[i], &later);
        }
        const rf_state *end = has_bonus ? &later : &after;
        const int status = known_score(f, end, &score);
        if (status == SI_TB_ABSENT)
            continue;
        if (status != SI_TB_FOUND)
            return false;
        score = ((const si_state *)end)->side == side ? tb_older(score) : -tb_older(score);
        score = has_bonus ? tb_older(score) : score;
        *best = score > *best ? score : *best;
    }
    return true;
}

/* Whether some ply captures or promotes, for short. */
static bool may_capture_or_promote(const si_state *s)
{
    const si_view v = si_view_of(s, s->side);
    const si_set ordinary = v.own_all & ~v.own[SI_CHAMPION];
    const si_set farthest = s->side == SI_SOUTH ? (si_set)-1 << (s->ranks - 1u) * SI_STRIDE : si_bit(SI_STRIDE) - 1;
    return si_could_capture(&v) != 0 || (ordinary & si_around(farthest & si_board(s))) != 0;
}

static bool captures_or_promotes(const si_state *s, rf_ply ply)
{
    const unsigned to = si_to(ply);
    return si_what(ply) == SI_MOVE && ((si_occupied(s) & si_bit(to)) != 0 ||
                                       (si_on_farthest_rank(s, to, s->side) && si_kind_on(s, si_from(ply)) != SI_CHAMPION));
}

/* The score of the best turn that captures, promotes or huffs and ends in a known position; below 1 if none of these
 * wins. Of a win it is a bound, as another turn may win sooner. False: a table cannot be read. */
static bool score_at_once(const si_forward *f, const rf_state *state, int *best)
{
    const rf_game *game = f->prober.game;
    rf_state plain = *state;
    si_state *s = (si_state *)&plain;
    const unsigned side = s->side;
    *best = SI_TB_NO_SCORE;
    for (si_set missed = s->missed; missed != 0; missed &= missed - 1)
        if (!best_turn(f, state, si_ply(SI_HUFF, si_first(missed), 0), side, best))
            return false;
    s->missed = 0;
    if (!may_capture_or_promote(s))
        return true;
    rf_ply plies[MOST_PLIES];
    const size_t count = game->generate(NULL, &plain, plies);
    for (size_t i = 0; i < count; i++)
        if (captures_or_promotes(s, plies[i]) && !best_turn(f, &plain, plies[i], side, best))
            return false;
    return true;
}

/* The step to a position, `plies` after one of `side` to move. One whose player to move wins at once is a leaf, but for
 * `exact`. False: a table cannot be read. */
static bool put_step(const si_forward *f, const rf_state *after, unsigned plies, unsigned side, bool exact,
                     rf_proof_step *out)
{
    int score;
    const int status = known_score(f, after, &score);
    if (status != SI_TB_FOUND && status != SI_TB_ABSENT)
        return false;
    *out = (rf_proof_step){.plies = (uint8_t)plies, .leaf = status == SI_TB_FOUND};
    if (!out->leaf) {
        out->key = key_of(after);
        if (exact)
            return true;
        if (!score_at_once(f, after, &score))
            return false;
        out->leaf = out->node = score > 0;
        if (!out->leaf)
            return true;
    }
    if (((const si_state *)after)->side != side)
        score = -score;
    out->score = (int16_t)(score > 0 ? score - (int)plies : score < 0 ? score + (int)plies : 0);
    return true;
}

/* A turn is one step, with its bonus ply. Stones that may be huffed are a choice before it: to huff one of them, or not,
 * which is a step of no plies to the position without them. */
static int follow(void *self, rf_proof_key key, bool exact, rf_proof_step *out)
{
    const si_forward *f = self;
    const rf_game *game = f->prober.game;
    rf_state state, after, later;
    state_of(f, key, &state);
    si_state *s = (si_state *)&state;
    const unsigned side = s->side;
    const bool is_bonus = s->bonus != SI_NO_SQUARE;
    memset(&after, 0, sizeof after);
    memset(&later, 0, sizeof later);
    int count = 0;
    if (!is_bonus && s->missed != 0) {
        for (si_set missed = s->missed; missed != 0; missed &= missed - 1) {
            game->apply(NULL, &state, si_ply(SI_HUFF, si_first(missed), 0), &after);
            if (!put_step(f, &after, 1, side, exact, &out[count++]))
                return -1;
        }
        s->missed = 0;
        return put_step(f, &state, 0, side, exact, &out[count++]) ? count : -1;
    }
    rf_ply plies[MOST_PLIES], bonuses[MOST_PLIES];
    const size_t first = game->generate(NULL, &state, plies);
    for (size_t i = 0; i < first; i++) {
        game->apply(NULL, &state, plies[i], &after);
        if (((const si_state *)&after)->bonus == SI_NO_SQUARE) {
            if (!put_step(f, &after, 1, side, exact, &out[count++]))
                return -1;
            continue;
        }
        const size_t second = game->generate(NULL, &after, bonuses);
        for (size_t j = 0; j < second; j++) {
            game->apply(NULL, &after, bonuses[j], &later);
            if (!put_step(f, &later, 2, side, exact, &out[count++]))
                return -1;
        }
    }
    return count;
}

static bool may_win(void *self, rf_proof_key key, unsigned player, uint32_t plies)
{
    const si_forward *f = self;
    rf_state state;
    state_of(f, key, &state);
    return f->prober.game->wins->useful_plies(NULL, &state, player, plies) != 0;
}

/* ---- the interface ---- */

static unsigned most_stones_of(const si_tables *t)
{
    unsigned most = 0;
    for (unsigned i = 0; i < TB_SLOTS; i++)
        if (t->slots[i].of != NULL) {
            const unsigned stones = tb_stones_of(t->slots[i].material, TB_OWN) + tb_stones_of(t->slots[i].material, TB_ENEMY);
            most = stones > most ? stones : most;
        }
    return most;
}

si_forward *si_forward_new(const si_tables *tables, si_tb_reader *reader, const rf_game *game, const rf_state *root,
                           uint64_t memory)
{
    const si_state *s = (const si_state *)root;
    if (si_endgame_rules_of(game) == NULL || si_size(si_occupied(s)) > SI_FORWARD_STONES)
        return NULL;
    si_forward *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->prober = (tb_prober){tables, reader, game, si_endgame_rules_of(game), NULL};
    f->options = (si_state){.files = s->files, .ranks = s->ranks, .huff = s->huff, .reverse = s->reverse};
    f->most_stones = most_stones_of(tables);
    const rf_proof_source source = {f, follow, may_win};
    f->root = key_of(root);
    f->proof = rf_proof_new(&source, f->root, memory);
    if (f->proof == NULL) {
        free(f);
        return NULL;
    }
    return f;
}

void si_forward_free(si_forward *f)
{
    if (f != NULL) {
        rf_proof_free(f->proof);
        rf_proof_team_free(f->team);
    }
    free(f);
}

int si_forward_solve(si_forward *f, rf_control *control)
{
    rf_control_start(control);
    return rf_proof_solve(f->proof, control);
}

bool si_forward_engage(si_forward *f, int helpers)
{
    if (f->team == NULL)
        f->team = rf_proof_team_new(helpers);
    if (f->team != NULL)
        rf_proof_engage(f->proof, f->team);
    return f->team != NULL;
}

void si_forward_help(const si_forward *f, si_tb_reader *reader)
{
    si_forward mine = *f;
    mine.prober.reader = reader;
    const rf_proof_source source = {&mine, follow, may_win};
    rf_proof_help(f->proof, &source);
}

void si_forward_dismiss(si_forward *f) { rf_proof_dismiss(f->proof); }

bool si_forward_measure(si_forward *f, rf_control *control)
{
    rf_control_start(control);
    return rf_proof_measure(f->proof, control);
}

int si_forward_deepen(si_forward *f, uint32_t *lower, rf_control *control)
{
    rf_control_start(control);
    return rf_proof_deepen(f->proof, lower, control);
}

int si_forward_wins_within(si_forward *f, const rf_state *state, uint32_t plies, rf_control *control)
{
    const unsigned winner = rf_proof_wins(f->proof, f->root, 1) == 1 ? 1 : 2;
    int score;
    rf_control_start(control);
    const int status = known_score(f, state, &score);
    if (status == SI_TB_FOUND) {
        const bool wins = score != 0 && (score > 0) == (((const si_state *)state)->side + 1u == winner);
        return wins && (uint32_t)tb_distance(score) <= plies;
    }
    if (status != SI_TB_ABSENT)
        return RF_PROOF_UNREAD;
    return plies == 0 ? 0 : rf_proof_wins_within(f->proof, key_of(state), plies, control);
}

/* From what follows a position that is no node: one in the middle of a turn. */
static int wins_after(const si_forward *f, const rf_state *state, unsigned player, unsigned deeper, uint32_t *upper);

static int wins_within(const si_forward *f, const rf_state *state, unsigned player, unsigned deeper, uint32_t *upper)
{
    const si_state *s = (const si_state *)state;
    int score;
    *upper = 0;
    if (known_score(f, state, &score) == SI_TB_FOUND) {
        const bool wins = score != 0 && (score > 0) == (s->side + 1u == player);
        *upper = wins ? (uint32_t)tb_distance(score) : 0;
        return wins;
    }
    if (si_size(si_occupied(s)) > SI_FORWARD_STONES)
        return RF_PROOF_UNKNOWN;
    const rf_proof_key key = key_of(state);
    const int found = rf_proof_wins(f->proof, key, player);
    if (found == 1)
        *upper = rf_proof_upper(f->proof, key);
    if (found == RF_PROOF_UNKNOWN && s->bonus == SI_NO_SQUARE && score_at_once(f, state, &score) && score > 0) {
        *upper = s->side + 1u == player ? (uint32_t)tb_distance(score) : 0;
        return s->side + 1u == player;
    }
    if (found != RF_PROOF_UNKNOWN || deeper == 0 || (s->bonus == SI_NO_SQUARE && s->missed == 0))
        return found;
    return wins_after(f, state, player, deeper - 1, upper);
}

int wins_after(const si_forward *f, const rf_state *state, unsigned player, unsigned deeper, uint32_t *upper)
{
    rf_proof_step steps[MOST_PLIES];
    const unsigned side = ((const si_state *)state)->side;
    const int count = follow((void *)(uintptr_t)f, key_of(state), true, steps);
    const bool any = side + 1u == player;
    bool open = count < 0, bounded = true;
    uint32_t found_upper = 0;
    int found = !any;
    for (int i = 0; i < count; i++) {
        uint32_t one_upper = 0;
        int one;
        if (steps[i].leaf) {
            one = steps[i].score != 0 && (steps[i].score > 0) == any;
            one_upper = one ? (uint32_t)tb_distance(steps[i].score) : 0;
        } else {
            rf_state after;
            state_of(f, steps[i].key, &after);
            one = wins_within(f, &after, player, deeper, &one_upper);
            one_upper += one_upper != 0 ? steps[i].plies : 0;
        }
        if (one == RF_PROOF_UNKNOWN) {
            open = true;
        } else if (any && one == 1) {
            found = 1;
            if (one_upper != 0 && (found_upper == 0 || one_upper < found_upper))
                found_upper = one_upper;
        } else if (!any && one == 0) {
            return 0;
        } else if (!any) {
            bounded = bounded && one_upper != 0;
            found_upper = one_upper > found_upper ? one_upper : found_upper;
        }
    }
    if (open && !(any && found == 1))
        return RF_PROOF_UNKNOWN;
    *upper = found == 1 && (any || bounded) ? found_upper : 0;
    return found;
}

int si_forward_wins(const si_forward *f, const rf_state *s, unsigned player, uint32_t *upper)
{
    return wins_within(f, s, player, 2, upper);
}
