/* Margins of positions with three bare knights and one or two free rings.
 *
 * What rings/bare_pair.c does for pairs of squares is done here for triples: a layer is all triples of squares over one
 * board without the bare knights, with either side to move. Steps and passes stay in a layer, all other plies leave it
 * for one with fewer rings or knights, and the triples from which the attacker succeeds are the smallest sets that the
 * rules allow (docs/solving.md). Plies of other pieces lead to layers of triples, those in which a bare knight lands, is
 * captured or captures to layers of pairs.
 *
 * A layer takes much more work than one of pairs, whatever is asked of it. It pays where the same few boards are met
 * again and again with other squares of the bare knights, as is so when few rings are left. */
#include "rings/triples.h"

#include <stdlib.h>

/* Pairs that are left of triples: by the number of the square of one of the two like knights, the squares of the other
 * knight. */
typedef struct {
    uint64_t row[KR_SQUARES];
} kr_rest;

/* ---- deciding ---- */

/* The smallest sets of triples, by side to move, from which the attacker succeeds, if what is not known of exits counts
 * against it or (`hopeful`) for it; from what `sets` holds on. */
static void kr_spread_triples(kr_triple_layer *layer, bool hopeful, kr_triples *sets)
{
    unsigned attacker = layer->q->attacker, other = !attacker;
    bool end_succeeds = kr_meets(layer->q, kr_balance(&layer->s));
    kr_triples *before = &layer->scratch[0], *after = &layer->scratch[1];
    const uint64_t *valid = layer->valid.word;
    uint64_t changed;
    do {
        changed = 0;
        kr_step_triples(layer, attacker, &sets[other], after);
        KR_EACH_WORD(layer, i) {
            uint64_t exits = hopeful ? ~layer->bad[attacker].word[i] : layer->good[attacker].word[i];
            uint64_t now = exits | after->word[i] | (layer->none[attacker].word[i] & sets[other].word[i]);
            uint64_t ends = layer->none[attacker].word[i] & layer->none[other].word[i];
            now = end_succeeds ? now | ends : now & ~ends;
            now = ((now & ~layer->fails[attacker].word[i]) | layer->succeeds[attacker].word[i]) & valid[i];
            changed |= now ^ sets[attacker].word[i];
            sets[attacker].word[i] = now;
            before->word[i] = valid[i] & ~now;
        }
        kr_step_triples(layer, other, before, after);
        KR_EACH_WORD(layer, i) {
            uint64_t exits = hopeful ? ~layer->good[other].word[i] : layer->bad[other].word[i];
            uint64_t now = exits & ~after->word[i] & (~layer->none[other].word[i] | sets[attacker].word[i]);
            uint64_t ends = layer->none[attacker].word[i] & layer->none[other].word[i];
            now = end_succeeds ? now | ends : now & ~ends;
            now = ((now & ~layer->fails[other].word[i]) | layer->succeeds[other].word[i]) & valid[i];
            changed |= now ^ sets[other].word[i];
            sets[other].word[i] = now;
        }
    } while (changed != 0);
}

/* Decides what can be decided from what is known of exits. */
static void kr_decide_triples(kr_triple_layer *layer)
{
    kr_triples *most = &layer->scratch[2];
    kr_spread_triples(layer, false, layer->succeeds);
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++)
        kr_copy_triples(layer, &layer->succeeds[side], &most[side]);
    kr_spread_triples(layer, true, most);
    for (unsigned side = KR_SOUTH; side <= KR_NORTH; side++)
        KR_EACH_WORD(layer, i) layer->fails[side].word[i] = layer->valid.word[i] & ~most[side].word[i];
}

/* ---- exits to layers of pairs ---- */

/* Owner of the pair that is left without a bare knight of `side`, as for kr_ask_pairs. */
static unsigned kr_owner_of_rest(const kr_triple_layer *layer, unsigned side)
{
    return layer->two == layer->one || side == layer->one ? layer->two : KR_ONE_EACH;
}

/* Whether rows of kr_pairs, North's squares if there is one bare knight of each, are those of kr_rest. */
static bool kr_rows_agree(const kr_triple_layer *layer, unsigned owner)
{
    return owner != KR_ONE_EACH || layer->two == KR_NORTH;
}

static void kr_pairs_of_rest(const kr_triple_layer *layer, unsigned owner, const kr_rest *rest, kr_pairs *out)
{
    memset(out, 0, sizeof *out);
    KR_EACH_NUMBER(layer, a)
        if (kr_rows_agree(layer, owner))
            out->row[kr_row_of(layer->square[a])] = rest->row[a];
        else
            KR_EACH_SQUARE(b, rest->row[a])
                out->row[kr_row_of(b)] |= kr_bit(layer->square[a]);
}

static void kr_rest_of_pairs(const kr_triple_layer *layer, unsigned owner, const kr_pairs *pairs, kr_rest *out)
{
    memset(out, 0, sizeof *out);
    const uint64_t board = kr_board[layer->s.files];
    KR_EACH_NUMBER(layer, a) {
        const uint64_t row = pairs->row[kr_row_of(layer->square[a])] & board;
        if (kr_rows_agree(layer, owner))
            out->row[a] = row;
        else
            KR_EACH_SQUARE(b, row)
                out->row[kr_number(layer->s.files, b)] |= kr_bit(layer->square[a]);
    }
}

/* What is known of a position `next` with the pairs that are asked for: what the mover gets, and what it does not. */
static void kr_ask_rest(kr_triple_layer *layer, const kr_state *next, unsigned owner, const kr_rest *asked,
                        kr_rest *mine, kr_rest *theirs)
{
    uint64_t any = 0, empty = kr_empty(next);
    kr_pairs pairs, succeeds, fails;
    kr_pairs_of_rest(layer, owner, asked, &pairs);
    KR_EACH_ROW(r) {
        pairs.row[r] = empty & kr_bit(r - KR_FIRST_ROW) ? pairs.row[r] & empty & ~kr_bit(r - KR_FIRST_ROW) : 0;
        any |= pairs.row[r];
    }
    memset(mine, 0, sizeof *mine);
    memset(theirs, 0, sizeof *theirs);
    if (any == 0)
        return;
    kr_ask_pairs(layer->q, next, owner, &pairs, &succeeds, &fails);
    bool attacks = layer->mover == layer->q->attacker;
    kr_rest_of_pairs(layer, owner, attacks ? &succeeds : &fails, mine);
    kr_rest_of_pairs(layer, owner, attacks ? &fails : &succeeds, theirs);
}

/* Adds the triples of which a pair of `rest` is left without a bare knight of `side` in `here`; `inverse`: one that is
 * not of `rest`. */
static void kr_add_rest(const kr_triple_layer *layer, unsigned side, uint64_t here, const kr_rest *rest, bool inverse,
                        kr_triples *out)
{
    uint64_t flip = inverse ? KR_ALL_SQUARES : 0;
    if (side == layer->two)
        KR_EACH_NUMBER(layer, a)
            if (here >> layer->square[a] & 1)
                KR_EACH_NUMBER(layer, b) {
                    out->word[a * layer->squares + b] |= rest->row[b] ^ flip;
                    out->word[b * layer->squares + a] |= rest->row[b] ^ flip;
                }
    if (side == layer->one)
        KR_EACH_TWO(layer, a, b, i)
            out->word[i] |= here & -((rest->row[a] ^ flip) >> layer->square[b] & 1);
}

/* The pairs that are left of the triples asked for without a bare knight of `side` in `here`. */
static void kr_find_rest(const kr_triple_layer *layer, unsigned side, uint64_t here, kr_rest *out)
{
    memset(out, 0, sizeof *out);
    if (side == layer->two)
        KR_EACH_NUMBER(layer, a) {
            if (here >> layer->square[a] & 1)
                KR_EACH_NUMBER(layer, b)
                    out->row[b] |= layer->left.word[a * layer->squares + b];
        }
    else
        KR_EACH_TWO(layer, a, b, i)
            out->row[a] |= (uint64_t)((layer->left.word[i] & here) != 0) << layer->square[b];
}

/* A bare knight of `side` in `here` leaves the layer, which leads to `next`. */
static void kr_try_leaving(kr_triple_layer *layer, unsigned side, uint64_t here, const kr_state *next)
{
    kr_rest asked, mine, theirs;
    kr_find_rest(layer, side, here, &asked);
    kr_ask_rest(layer, next, kr_owner_of_rest(layer, side), &asked, &mine, &theirs);
    kr_add_rest(layer, side, here, &mine, false, &layer->good[layer->mover]);
    if (!layer->q->m->put_off) /* else nothing is known but what was gained */
        kr_add_rest(layer, side, here, &theirs, true, &layer->undecided);
}

/* A bare knight captures one of the other side and stands where that one stood. */
static void kr_try_capturing_bare(kr_triple_layer *layer)
{
    bool two = layer->mover == layer->two;
    unsigned owner = kr_owner_of_rest(layer, !layer->mover);
    kr_rest asked, mine, theirs;
    kr_state next = layer->turn;
    next.side = !layer->mover;
    memset(&asked, 0, sizeof asked);
    KR_EACH_TWO(layer, a, b, i) {
        uint64_t beside = layer->left.word[i] & layer->near[a];
        if (two) {
            asked.row[b] |= beside;
            KR_EACH_SQUARE(c, beside)
                asked.row[kr_number(layer->s.files, c)] |= kr_bit(layer->square[b]);
        } else if (beside != 0) {
            asked.row[b] |= kr_bit(layer->square[a]);
        }
    }
    kr_ask_rest(layer, &next, owner, &asked, &mine, &theirs);
    kr_triples *good = &layer->good[layer->mover];
    const uint64_t keep = layer->q->m->put_off ? 0 : KR_ALL_SQUARES;
    KR_EACH_TWO(layer, a, b, i) {
        const uint64_t near_a = layer->near[a], near_b = layer->near[b];
        const unsigned on_a = layer->square[a], on_b = layer->square[b];
        uint64_t gained, open;
        if (two) {
            gained = (near_a & mine.row[b]) | (near_b & mine.row[a]);
            open = (near_a & ~theirs.row[b]) | (near_b & ~theirs.row[a]);
        } else {
            gained = (near_a & -(mine.row[b] >> on_a & 1)) | (near_b & -(mine.row[a] >> on_b & 1));
            open = (near_a & -(~theirs.row[b] >> on_a & 1)) | (near_b & -(~theirs.row[a] >> on_b & 1));
        }
        good->word[i] |= gained;
        layer->undecided.word[i] |= open & keep;
    }
}

/* ---- all exits ---- */

static void kr_ask_triples(const kr_question *q, const kr_state *s, unsigned two, unsigned one, const kr_triples *asked,
                           kr_triples below[2]);

static void kr_try_ply_of_others(kr_triple_layer *layer, rf_ply ply)
{
    kr_state next;
    kr_after(&layer->turn, ply, &next);
    kr_ask_triples(layer->q, &next, layer->two, layer->one, &layer->left, layer->below);
    bool attacks = layer->mover == layer->q->attacker;
    const kr_triples *mine = &layer->below[!attacks], *theirs = &layer->below[attacks];
    const uint64_t keep = layer->q->m->put_off ? 0 : KR_ALL_SQUARES;
    KR_EACH_WORD(layer, i) {
        layer->good[layer->mover].word[i] |= mine->word[i];
        layer->undecided.word[i] |= ~theirs->word[i] & keep;
    }
}

static void kr_try_triple_exit(kr_triple_layer *layer, rf_ply ply)
{
    unsigned from = kr_from(ply), to = kr_to(ply), mover = layer->mover;
    kr_state next = layer->turn;
    if (from == KR_LAND) {
        kr_land(&layer->turn, mover, to, &next);
        kr_try_leaving(layer, mover, kr_targets[to][0], &next);
    } else if (from == KR_MEET) {
        kr_try_capturing_bare(layer);
    } else if (from != KR_FROM_HAND && (layer->empty & kr_bit(to))) {
        next.knights[!mover] |= kr_bit(to);
        kr_play(&next, ply);
        kr_try_leaving(layer, !mover, kr_bit(to), &next);
    } else {
        kr_try_ply_of_others(layer, ply);
    }
}

/* Exits for triples still left; those that none of these has stay undecided. */
static size_t kr_list_triple_exits(kr_triple_layer *layer, rf_ply *out)
{
    const kr_state *s = &layer->turn;
    unsigned mover = layer->mover;
    size_t plies = kr_list_holders(layer->q, s, out);
    uint64_t mine = kr_occupied_in(layer, mover, &layer->left), theirs = kr_occupied_in(layer, !mover, &layer->left);
    uint64_t elsewhere = 0;
    KR_EACH_SQUARE(to, kr_landings(layer->q, s)) {
        if (kr_targets[to][0] & mine)
            out[plies++] = kr_ply(KR_LAND, to);
        else
            elsewhere |= kr_targets[to][0];
    }
    kr_add_any(layer, mover, elsewhere, &layer->undecided);
    if (layer->two != layer->one)
        out[plies++] = kr_ply(KR_MEET, 0);
    KR_EACH_SQUARE(from, s->knights[mover])
        KR_EACH_SQUARE(to, kr_targets[from][kr_rings(s, from)] & theirs)
            out[plies++] = kr_ply(from, to);
    kr_add_any(layer, !mover, kr_strikes(s, mover) & ~theirs, &layer->undecided);
    return plies;
}

/* Looks at the exits of a side until all triples asked for have a good one, or none. */
static void kr_try_triple_exits(kr_triple_layer *layer, unsigned mover, const kr_triples *asked)
{
    rf_ply plies[3 * KR_MOST_PLIES];
    kr_triples *good = &layer->good[mover];
    layer->mover = mover;
    layer->turn = layer->s;
    layer->turn.side = (uint8_t)mover;
    kr_copy_triples(layer, asked, &layer->left);
    kr_clear_triples(layer, &layer->undecided);
    size_t count = kr_list_triple_exits(layer, plies);
    kr_sort(layer->q, &layer->turn, layer->best[mover], plies, count);
    bool again = false; /* for plies that were put off */
    for (size_t late = 0; count > 0; count = late, late = 0, again = true)
        for (size_t i = 0; i < count; i++) {
            rf_team_try(layer->q->m, again || i == 0);
            kr_try_triple_exit(layer, plies[i]);
            bool put_off = rf_team_tried(layer->q->m);
            if (layer->q->control->stopped != RF_DONE)
                return;
            uint64_t gained = 0, open = 0;
            KR_EACH_WORD(layer, k) {
                good->word[k] &= layer->valid.word[k];
                gained |= layer->left.word[k] & good->word[k];
                layer->left.word[k] &= ~good->word[k];
                open |= layer->left.word[k];
            }
            if (gained != 0) {
                layer->best[mover] = plies[i];
                rf_margin_update_history(layer->q->m, mover, plies[i]);
            }
            if (open == 0)
                return;
            if (put_off)
                plies[late++] = plies[i];
        }
    KR_EACH_WORD(layer, i)
        layer->bad[mover].word[i] |= layer->valid.word[i] & ~layer->undecided.word[i] & ~good->word[i];
}

/* The next triples whose exits must be looked at for the answers asked for: the nearest ones by steps. Gives the side to
 * move with them, or KR_NOBODY. */
static unsigned kr_next_triples(kr_triple_layer *layer, unsigned side, const kr_triples *asked, kr_triples *batch)
{
    kr_triples *seen = &layer->scratch[0], *front = &layer->scratch[2], *next = &layer->scratch[3];
    kr_clear_triples(layer, &seen[KR_SOUTH]);
    kr_clear_triples(layer, &seen[KR_NORTH]);
    kr_copy_triples(layer, asked, front);
    for (;;) {
        uint64_t fresh = 0, any = 0;
        KR_EACH_WORD(layer, i) {
            front->word[i] &= ~(layer->succeeds[side].word[i] | layer->fails[side].word[i] | seen[side].word[i]);
            seen[side].word[i] |= front->word[i];
            any |= front->word[i];
            batch->word[i] = front->word[i] & ~layer->bad[side].word[i];
            fresh |= batch->word[i];
        }
        if (fresh != 0)
            return side;
        if (any == 0)
            return KR_NOBODY;
        kr_step_triples(layer, side, front, next);
        KR_EACH_WORD(layer, i) front->word[i] = next->word[i] | (front->word[i] & layer->none[side].word[i]);
        side = !side;
    }
}

static bool kr_learnt_triples(const kr_triple_layer *layer, unsigned side, const kr_triples *triples)
{
    uint64_t learnt = 0;
    KR_EACH_WORD(layer, i) learnt |= triples->word[i] & (layer->good[side].word[i] | layer->bad[side].word[i]);
    return learnt != 0;
}

/* ---- the search ---- */

/* No free ring is left. */
static void kr_ask_ended_triples(kr_triple_layer *layer, kr_triples below[2])
{
    const kr_question *q = layer->q;
    int score = kr_balance(&layer->s);
    uint64_t all = KR_ALL_SQUARES;
    bool has_north = layer->two == KR_NORTH || layer->one == KR_NORTH;
    kr_sets one = kr_sets_of(kr_meets(q, score) ? RF_SUCCEEDS : RF_FAILS, all);
    if (layer->s.side == KR_NORTH)
        one = kr_last_turn(q, &layer->s, score, has_north ? KR_NORTH : KR_NOBODY, all);
    /* Squares of North's bare knights, or all. */
    uint64_t low = q->attacker == KR_NORTH ? one.succeeds : one.fails;
    kr_triples *lows = &below[q->attacker == KR_SOUTH];
    kr_clear_triples(layer, lows);
    if (low == all)
        KR_EACH_WORD(layer, i) lows->word[i] = all;
    else
        kr_add_any(layer, KR_NORTH, low, lows);
    KR_EACH_WORD(layer, i) below[q->attacker == KR_NORTH].word[i] = all & ~lows->word[i];
}

/* Adds the static bounds for `side` to move, with one free ring. */
static void kr_look_for_triples(kr_triple_layer *layer, unsigned side)
{
    const kr_question *q = layer->q;
    kr_state turn = layer->s;
    turn.side = (uint8_t)side;
    bool attacks = side == q->attacker, has_bare = side == layer->two || side == layer->one;
    kr_static_bounds g = kr_find_static_bounds(q, &turn, has_bare);
    kr_triples *good = attacks ? &layer->succeeds[side] : &layer->fails[side];
    kr_triples *bad = attacks ? &layer->fails[side] : &layer->succeeds[side];
    kr_triples *here = &layer->scratch[0], *there = &layer->scratch[1];
    for (size_t i = 0; i < g.ways; i++) {
        kr_clear_triples(layer, there);
        kr_add_any(layer, !side, KR_ALL_SQUARES & ~g.safe[i], there);
        KR_EACH_WORD(layer, k) good->word[k] |= layer->valid.word[k] & ~there->word[k];
    }
    if (g.lands != 0 && has_bare) {
        kr_clear_triples(layer, here);
        kr_clear_triples(layer, there);
        kr_add_any(layer, side, g.lands, here);
        kr_add_any(layer, !side, KR_ALL_SQUARES & ~g.safe_landing, there);
        KR_EACH_WORD(layer, k) good->word[k] |= layer->valid.word[k] & here->word[k] & ~there->word[k];
    }
    if (!g.hopes) {
        kr_clear_triples(layer, here);
        kr_add_any(layer, side, g.hopes_mine, here);
        kr_add_any(layer, !side, g.hopes_other, here);
        KR_EACH_WORD(layer, k) bad->word[k] |= layer->valid.word[k] & ~here->word[k] & ~good->word[k];
    }
}

static bool kr_all_answered(const kr_triple_layer *layer, const kr_triples *asked)
{
    uint64_t open = 0;
    unsigned side = layer->turn.side;
    KR_EACH_WORD(layer, i)
        open |= asked->word[i] & layer->valid.word[i] & ~(layer->succeeds[side].word[i] | layer->fails[side].word[i]);
    return open == 0;
}

static void kr_search_triples(kr_triple_layer *layer, const kr_triples *asked)
{
    const kr_question *q = layer->q;
    uint64_t hash = kr_triples_hash(&layer->s);
    unsigned side = layer->s.side;
    layer->turn = layer->s;
    kr_find_valid(layer);
    kr_read_all_triples(layer, hash);
    if (rf_popcount(kr_free(&layer->s)) == 1)
        for (unsigned turn = KR_SOUTH; turn <= KR_NORTH; turn++)
            kr_look_for_triples(layer, turn);
    uint64_t key = kr_triples_key(q->threshold, hash, layer->two, layer->one);
    if (kr_all_answered(layer, asked) || (q->m->team != NULL && rf_team_puts_off(q->m, key)) || rf_tick(q->control))
        return;
    kr_triples *batch = &layer->scratch[4], *wanted = &layer->below[0];
    unsigned turn;
    rf_team_begin(q->m, key);
    for (turn = KR_SOUTH; turn <= KR_NORTH; turn++) {
        kr_clear_triples(layer, &layer->good[turn]);
        kr_clear_triples(layer, &layer->bad[turn]);
    }
    kr_find_no_plies(layer, KR_SOUTH);
    kr_find_no_plies(layer, KR_NORTH);
    for (;;) {
        KR_EACH_WORD(layer, i) wanted->word[i] = asked->word[i] & layer->valid.word[i];
        if ((turn = kr_next_triples(layer, side, wanted, batch)) == KR_NOBODY)
            break;
        kr_try_triple_exits(layer, turn, batch);
        if (q->control->stopped != RF_DONE || rf_tick(q->control))
            break;
        if (!kr_learnt_triples(layer, turn, batch))
            break;
        kr_decide_triples(layer);
        if (q->m->team != NULL)
            kr_read_triples(layer, q->threshold, hash, true, true);
    }
    rf_team_end(q->m, key);
    if (q->control->stopped == RF_DONE)
        kr_write_triples(layer, hash);
}

/* The answers for at least the triples asked for, of which some may be none. The bare knights are not on the board of
 * `s`. Depth of recursion: as for kr_ask_pairs, but with two free rings at most, so fewer than 20. */
static void kr_ask_triples(const kr_question *q, const kr_state *s, unsigned two, unsigned one, const kr_triples *asked,
                           kr_triples below[2])
{
    kr_triple_layer *layer = rf_margin_take_room(q->m, sizeof *layer);
    if (layer == NULL) {
        q->control->stopped = RF_STOPPED_MEMORY;
        memset(below, 0, 2 * sizeof *below);
        return;
    }
    layer->q = q;
    layer->s = *s;
    layer->two = two;
    layer->one = one;
    layer->empty = kr_empty(s);
    kr_number_squares(layer);
    if (kr_free(s) == 0) {
        kr_ask_ended_triples(layer, below);
    } else {
        kr_search_triples(layer, asked);
        kr_copy_triples(layer, &layer->succeeds[s->side], &below[0]);
        kr_copy_triples(layer, &layer->fails[s->side], &below[1]);
    }
    rf_margin_give_room(q->m, layer);
}

int kr_ask_triple(const kr_question *q, const kr_state *s, uint64_t south, uint64_t north)
{
    kr_state rest = *s;
    rest.knights[KR_SOUTH] &= ~south;
    rest.knights[KR_NORTH] &= ~north;
    unsigned two = rf_popcount(south) >= 2 ? KR_SOUTH : KR_NORTH;
    uint64_t pair = two == KR_SOUTH ? south : north, third = two == KR_SOUTH ? north : south;
    unsigned one = third == 0 ? two : !two;
    unsigned a = rf_lowest(pair), b = rf_lowest(pair & (pair - 1));
    uint64_t rest_of_pair = pair & ~(kr_bit(a) | kr_bit(b));
    unsigned c = rf_lowest(third | rest_of_pair);
    uint64_t key = kr_triples_key(q->threshold, kr_triples_hash(&rest), two, one);
    const uint64_t *block = rf_margin_open_block(q->m, key);
    if (block != NULL) {
        bool succeeded = kr_packed_has(kr_packed_set(block, s->side, false), a, b, c);
        bool failed = kr_packed_has(kr_packed_set(block, s->side, true), a, b, c);
        rf_margin_close_block(q->m, key);
        if (succeeded || failed)
            return succeeded ? RF_SUCCEEDS : RF_FAILS;
    }
    kr_triples *sets = calloc(3, sizeof *sets);
    if (sets == NULL) {
        q->control->stopped = RF_STOPPED_MEMORY;
        return RF_UNDECIDED;
    }
    unsigned squares[3] = {a, b, c};
    for (int i = 0; i < (two == one ? 3 : 1); i++) {
        unsigned x = squares[i], y = squares[(i + 1) % 3], z = squares[(i + 2) % 3];
        sets[0].word[kr_triple_index(s->files, x, y)] = sets[0].word[kr_triple_index(s->files, y, x)] = kr_bit(z);
    }
    kr_ask_triples(q, &rest, two, one, sets, &sets[1]);
    const unsigned word = kr_triple_index(s->files, a, b);
    const uint64_t succeeds = sets[1].word[word], fails = sets[2].word[word];
    free(sets);
    if (q->control->stopped != RF_DONE)
        return RF_UNDECIDED;
    return succeeds & kr_bit(c) ? RF_SUCCEEDS : fails & kr_bit(c) ? RF_FAILS : RF_UNDECIDED;
}
