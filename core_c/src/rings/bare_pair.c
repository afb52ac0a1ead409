/* Margins of positions with two bare knights, of one side or one of each.
 *
 * What rings/bare_knight.c does for the squares of one bare knight is done here for the pairs of squares of two. Play
 * can come back here: steps lead from pair to pair, with both sides to move in turn, over the same board without the
 * bare knights. These pairs form a layer. All other plies lead to layers with fewer rings or knights on the board. So a
 * layer is solved by itself: the pairs from which the attacker succeeds are the smallest sets that the rules allow,
 * since a play that goes on for ever is not a success.
 *
 * Not everything need be known for that. Plies that leave the layer, its exits, are looked at only for the pairs on
 * which the answer may hang. What is not known counts once against the attacker and once for it; a pair for which both
 * give the same is decided. */
#include "rings/questions.h"

/* ---- deciding ---- */

/* The smallest sets of pairs, by side to move, from which the attacker succeeds, if what is not known of exits counts
 * against it or (`hopeful`) for it; from what `sets` holds on. */
static void kr_spread_pairs(const kr_layer *layer, bool hopeful, kr_pairs sets[2])
{
    unsigned attacker = layer->q->attacker, other = !attacker;
    bool end_succeeds = kr_meets(layer->q, kr_balance(layer->s));
    const uint64_t *valid = layer->valid.row;
    uint64_t changed;
    do {
        kr_pairs before, after;
        changed = 0;
        kr_step(layer, attacker, &sets[other], &after);
        KR_EACH_ROW(r) {
            uint64_t exits = hopeful ? ~layer->bad[attacker].row[r] : layer->good[attacker].row[r];
            uint64_t now = exits | after.row[r] | (layer->none[attacker].row[r] & sets[other].row[r]);
            uint64_t ends = layer->none[attacker].row[r] & layer->none[other].row[r];
            now = end_succeeds ? now | ends : now & ~ends;
            now = ((now & ~layer->fails[attacker].row[r]) | layer->succeeds[attacker].row[r]) & valid[r];
            changed |= now ^ sets[attacker].row[r];
            sets[attacker].row[r] = now;
        }
        KR_EACH_ROW(r) before.row[r] = valid[r] & ~sets[attacker].row[r];
        for (unsigned r = 0; r < KR_FIRST_ROW; r++)
            before.row[r] = before.row[KR_LAST_ROW + 1 + r] = 0;
        kr_step(layer, other, &before, &after);
        KR_EACH_ROW(r) {
            uint64_t exits = hopeful ? ~layer->good[other].row[r] : layer->bad[other].row[r];
            uint64_t now = exits & ~after.row[r] & (~layer->none[other].row[r] | sets[attacker].row[r]);
            uint64_t ends = layer->none[attacker].row[r] & layer->none[other].row[r];
            now = end_succeeds ? now | ends : now & ~ends;
            now = ((now & ~layer->fails[other].row[r]) | layer->succeeds[other].row[r]) & valid[r];
            changed |= now ^ sets[other].row[r];
            sets[other].row[r] = now;
        }
    } while (changed != 0);
}

/* Decides what can be decided from what is known of exits. */
static void kr_decide(kr_layer *layer)
{
    kr_pairs most[2];
    kr_spread_pairs(layer, false, layer->succeeds);
    memcpy(most, layer->succeeds, sizeof most);
    kr_spread_pairs(layer, true, most);
    for (int side = KR_SOUTH; side <= KR_NORTH; side++)
        KR_EACH_ROW(r) layer->fails[side].row[r] = layer->valid.row[r] & ~most[side].row[r];
}

/* ---- exits ---- */

/* What the mover gets from the other bare knight's squares where it takes an exit with its own, or another's, in
 * `here`. */
static void kr_absorb_product(kr_round *n, unsigned side, uint64_t here, uint64_t mine, uint64_t theirs)
{
    kr_add_product(n->layer->owner, side, here, mine, &n->layer->good[n->mover]);
    if (!n->layer->q->m->put_off) /* else nothing is known but what was gained */
        kr_add_product(n->layer->owner, side, here, KR_ALL_SQUARES & ~theirs, &n->undecided);
}

static void kr_try_landing_pair(kr_round *n, unsigned to)
{
    unsigned owner = n->layer->owner, other = owner == KR_ONE_EACH ? !n->mover : owner;
    uint64_t here = kr_targets[to][0], asked = kr_others(owner, n->mover, here, &n->left);
    kr_sets below = {0, 0};
    if (asked != 0) {
        kr_state next;
        kr_land(&n->turn, n->mover, to, &next);
        below = kr_ask_sets(n->layer->q, &next, other, asked & kr_empty(&next));
    }
    bool attacks = n->mover == n->layer->q->attacker;
    kr_absorb_product(n, n->mover, here, attacks ? below.succeeds : below.fails,
                      attacks ? below.fails : below.succeeds);
}

static void kr_try_striking(kr_round *n, unsigned from, unsigned to)
{
    unsigned owner = n->layer->owner, other = owner == KR_ONE_EACH ? n->mover : owner;
    uint64_t asked = kr_others(owner, !n->mover, kr_bit(to), &n->left);
    kr_sets below = {0, 0};
    if (asked != 0) {
        kr_state next = n->turn;
        next.knights[!n->mover] |= kr_bit(to);
        kr_play(&next, kr_ply(from, to));
        below = kr_ask_sets(n->layer->q, &next, other, asked & kr_empty(&next));
    }
    bool attacks = n->mover == n->layer->q->attacker;
    kr_absorb_product(n, !n->mover, kr_bit(to), attacks ? below.succeeds : below.fails,
                      attacks ? below.fails : below.succeeds);
}

/* One bare knight captures the other. */
static void kr_try_meeting(kr_round *n)
{
    uint64_t asked = kr_met(n->mover, &n->left);
    kr_sets below = {0, 0};
    if (asked != 0) {
        kr_state next = n->turn;
        next.side = !n->mover;
        below = kr_ask_sets(n->layer->q, &next, n->mover, asked);
    }
    bool attacks = n->mover == n->layer->q->attacker;
    kr_add_meetings(n->mover, attacks ? below.succeeds : below.fails, &n->layer->good[n->mover]);
    if (!n->layer->q->m->put_off)
        kr_add_meetings(n->mover, KR_ALL_SQUARES & ~(attacks ? below.fails : below.succeeds), &n->undecided);
}

static void kr_try_everywhere(kr_round *n, rf_ply ply)
{
    kr_state next;
    kr_pairs succeeds, fails;
    kr_after(&n->turn, ply, &next);
    kr_ask_pairs(n->layer->q, &next, n->layer->owner, &n->left, &succeeds, &fails);
    bool attacks = n->mover == n->layer->q->attacker;
    const kr_pairs *mine = attacks ? &succeeds : &fails, *theirs = attacks ? &fails : &succeeds;
    const uint64_t keep = n->layer->q->m->put_off ? 0 : KR_ALL_SQUARES;
    KR_EACH_ROW(r) {
        n->layer->good[n->mover].row[r] |= mine->row[r] & n->layer->valid.row[r];
        n->undecided.row[r] |= ~theirs->row[r] & keep;
    }
}

/* The squares of bare knights of `side` in pairs of a set. */
static uint64_t kr_occupied(unsigned owner, unsigned side, const kr_pairs *set)
{
    uint64_t occupied = 0;
    if (owner == !side)
        return 0;
    if (owner == KR_ONE_EACH && side == KR_NORTH)
        KR_EACH_ROW(r) occupied |= set->row[r] != 0 ? kr_bit(r - KR_FIRST_ROW) : 0;
    else
        KR_EACH_ROW(r) occupied |= set->row[r];
    return occupied;
}

size_t kr_list_pair_exits(kr_round *n, uint64_t landings, rf_ply *out)
{
    const kr_state *s = &n->turn;
    unsigned owner = n->layer->owner;
    size_t plies = 0;
    uint64_t mine = kr_occupied(owner, n->mover, &n->left), theirs = kr_occupied(owner, !n->mover, &n->left), other = 0;
    if (owner != !n->mover) {
        for (uint64_t to = landings; to != 0; to &= to - 1)
            if (kr_targets[rf_lowest(to)][0] & mine)
                out[plies++] = kr_ply(KR_LAND, rf_lowest(to));
            else
                other |= kr_targets[rf_lowest(to)][0];
        kr_add_product(owner, n->mover, other, KR_ALL_SQUARES, &n->undecided);
    }
    if (owner == KR_ONE_EACH) {
        if (kr_met(n->mover, &n->left) != 0)
            out[plies++] = kr_ply(KR_MEET, 0);
        else
            kr_add_meetings(n->mover, KR_ALL_SQUARES, &n->undecided);
    }
    if (owner != n->mover) {
        for (uint64_t left = s->knights[n->mover]; left != 0; left &= left - 1) {
            unsigned from = rf_lowest(left);
            uint64_t to = kr_targets[from][kr_rings(s, from)] & theirs;
            for (; to != 0; to &= to - 1)
                out[plies++] = kr_ply(from, rf_lowest(to));
        }
        kr_add_product(owner, !n->mover, kr_strikes(s, n->mover) & ~theirs, KR_ALL_SQUARES, &n->undecided);
    }
    return plies;
}

static void kr_try_exit(kr_round *n, rf_ply ply)
{
    unsigned from = kr_from(ply), to = kr_to(ply);
    if (from == KR_LAND)
        kr_try_landing_pair(n, to);
    else if (from == KR_MEET)
        kr_try_meeting(n);
    else if (from != KR_FROM_HAND && (kr_empty(&n->turn) & kr_bit(to)))
        kr_try_striking(n, from, to);
    else
        kr_try_everywhere(n, ply);
}

/* Looks at the exits of a side until all pairs asked for have a good one, or none. */
static void kr_try_exits(kr_layer *layer, unsigned mover, const kr_pairs *asked)
{
    rf_ply plies[3 * KR_MOST_PLIES];
    kr_round n = {.layer = layer, .turn = *layer->s, .mover = mover, .left = *asked};
    kr_pairs *good = &layer->good[mover];
    memset(&n.undecided, 0, sizeof n.undecided);
    n.turn.side = (uint8_t)mover;
    size_t count = kr_list_holders(layer->q, &n.turn, plies);
    count += kr_list_pair_exits(&n, kr_landings(layer->q, &n.turn), plies + count);
    kr_sort(layer->q, &n.turn, layer->best[mover], plies, count);
    bool again = false; /* for plies that were put off */
    for (size_t late = 0; count > 0; count = late, late = 0, again = true)
        for (size_t i = 0; i < count; i++) {
            if (layer->q->m->team != NULL) {
                rf_team_scan_work(layer->q->m, layer->q->control);
                if (layer->q->control->stopped != RF_DONE)
                    return;
            }
            rf_team_try(layer->q->m, again || i == 0);
            kr_try_exit(&n, plies[i]);
            bool put_off = rf_team_tried(layer->q->m);
            if (layer->q->control->stopped != RF_DONE)
                return;
            uint64_t gained = 0, open = 0;
            KR_EACH_ROW(r) {
                good->row[r] &= layer->valid.row[r];
                gained |= n.left.row[r] & good->row[r];
                n.left.row[r] &= ~good->row[r];
                open |= n.left.row[r];
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
    KR_EACH_ROW(r) layer->bad[mover].row[r] |= layer->valid.row[r] & ~n.undecided.row[r] & ~good->row[r];
}

/* Whether it is known of any of these pairs if they have a good exit. Else going on would not end. */
static bool kr_learnt(const kr_layer *layer, unsigned side, const kr_pairs *pairs)
{
    uint64_t learnt = 0;
    KR_EACH_ROW(r) learnt |= pairs->row[r] & (layer->good[side].row[r] | layer->bad[side].row[r]);
    return learnt != 0;
}

static void kr_keep_fullest_row(kr_pairs *pairs)
{
    unsigned fullest = 0, most = 0;
    KR_EACH_ROW(r)
        if (rf_popcount(pairs->row[r]) > most) {
            most = rf_popcount(pairs->row[r]);
            fullest = r;
        }
    KR_EACH_ROW(r) pairs->row[r] = r == fullest ? pairs->row[r] : 0;
}

/* The next pairs whose exits must be looked at for the answers asked for: of the nearest by steps those of one row,
 * which with luck are enough. Gives the side to move with them, or KR_NOBODY. */
static unsigned kr_next_batch(const kr_layer *layer, unsigned side, const kr_pairs *asked, kr_pairs *batch)
{
    kr_pairs seen[2], front = *asked, next;
    memset(seen, 0, sizeof seen);
    for (;;) {
        uint64_t fresh = 0, any = 0;
        memset(batch, 0, sizeof *batch);
        KR_EACH_ROW(r) {
            front.row[r] &= ~(layer->succeeds[side].row[r] | layer->fails[side].row[r] | seen[side].row[r]);
            seen[side].row[r] |= front.row[r];
            any |= front.row[r];
            batch->row[r] = front.row[r] & ~layer->bad[side].row[r];
            fresh |= batch->row[r];
        }
        if (fresh != 0) {
            if (layer->owner == KR_ONE_EACH) /* else each pair stands in two rows */
                kr_keep_fullest_row(batch);
            return side;
        }
        if (any == 0)
            return KR_NOBODY;
        kr_step(layer, side, &front, &next);
        KR_EACH_ROW(r) front.row[r] = next.row[r] | (front.row[r] & layer->none[side].row[r]);
        side = !side;
    }
}

/* ---- the search ---- */

/* No free ring is left. */
static void kr_ask_ended_pairs(const kr_question *q, const kr_state *s, unsigned owner, kr_pairs *succeeds,
                               kr_pairs *fails)
{
    int score = kr_balance(s);
    uint64_t all = KR_ALL_SQUARES;
    kr_sets south = kr_sets_of(kr_meets(q, score) ? RF_SUCCEEDS : RF_FAILS, all);
    unsigned bare = owner == KR_SOUTH ? KR_NOBODY : KR_NORTH; /* one of South's has nothing to lose */
    if (s->side == KR_NORTH)
        south = kr_last_turn(q, s, score, bare, all);
    uint64_t low = q->attacker == KR_NORTH ? south.succeeds : south.fails;
    kr_pairs lows;
    memset(&lows, 0, sizeof lows);
    kr_add_product(owner, owner == KR_ONE_EACH ? KR_NORTH : owner, low, all, &lows);
    memset(succeeds, 0, sizeof *succeeds);
    memset(fails, 0, sizeof *fails);
    for (unsigned square = 0; square < KR_SQUARES; square++) {
        unsigned r = kr_row_of(square);
        (q->attacker == KR_NORTH ? succeeds : fails)->row[r] = lows.row[r] & all;
        (q->attacker == KR_NORTH ? fails : succeeds)->row[r] = all & ~lows.row[r];
    }
}

/* Adds the static bounds for the side to move of `s`, with one free ring. */
static void kr_look_for_pairs(const kr_question *q, const kr_state *s, unsigned owner, kr_pairs *succeeds,
                              kr_pairs *fails)
{
    unsigned side = s->side, other = !side;
    bool has_bare = owner == KR_ONE_EACH || owner == side, others = owner == KR_ONE_EACH || owner == other;
    kr_static_bounds g = kr_find_static_bounds(q, s, has_bare);
    uint64_t all = KR_ALL_SQUARES;
    kr_pairs *good = side == q->attacker ? succeeds : fails, *bad = side == q->attacker ? fails : succeeds;
    for (size_t i = 0; i < g.ways; i++) {
        uint64_t safe = others ? g.safe[i] : all;
        kr_add_product(owner, side, owner == other ? safe : all, safe, good);
    }
    if (g.lands != 0 && has_bare)
        kr_add_product(owner, side, g.lands, owner == KR_ONE_EACH ? g.safe_landing : all, good);
    if (!g.hopes) {
        uint64_t mine = has_bare ? all & ~g.hopes_mine : all, theirs = others ? all & ~g.hopes_other : all;
        kr_pairs none;
        memset(&none, 0, sizeof none);
        if (owner == KR_ONE_EACH)
            kr_add_product(owner, side, mine, theirs, &none);
        else
            kr_add_product(owner, owner, owner == side ? mine : theirs, owner == side ? mine : theirs, &none);
        KR_EACH_ROW(r) bad->row[r] |= none.row[r] & ~good->row[r];
    }
}

/* A layer in progress. */
typedef struct {
    kr_layer *layer;
    uint64_t key;
    unsigned side;
    const kr_pairs *wanted;
} kr_pair_work;

static bool kr_pairs_are_known(void *what)
{
    kr_pair_work *work = what;
    kr_layer *layer = work->layer;
    uint64_t open = 0;
    kr_ask_team_layer(layer->q, work->key, layer);
    KR_EACH_ROW(r)
        open |= work->wanted->row[r] & ~(layer->succeeds[work->side].row[r] | layer->fails[work->side].row[r]);
    return open == 0;
}

void kr_ask_pairs(const kr_question *q, const kr_state *s, unsigned owner, const kr_pairs *asked, kr_pairs *succeeds,
                  kr_pairs *fails)
{
    if (kr_free(s) == 0) {
        kr_ask_ended_pairs(q, s, owner, succeeds, fails);
        return;
    }
    kr_layer layer;
    kr_state south = *s;
    unsigned side = s->side;
    bool last = rf_popcount(kr_free(s)) == 1;
    kr_pairs seen[2][2]; /* by side: succeeds, fails */
    if (last) {
        uint64_t open = 0;
        memset(seen, 0, sizeof seen);
        kr_look_for_pairs(q, s, owner, &seen[side][0], &seen[side][1]);
        KR_EACH_ROW(r) open |= asked->row[r] & ~(seen[side][0].row[r] | seen[side][1].row[r]);
        if (open == 0) {
            *succeeds = seen[side][0];
            *fails = seen[side][1];
            return;
        }
        kr_state turn = *s;
        turn.side = !side;
        kr_look_for_pairs(q, &turn, owner, &seen[!side][0], &seen[!side][1]);
    }
    layer.q = q;
    layer.s = s;
    layer.owner = owner;
    south.side = KR_SOUTH;
    uint64_t hash = kr_hash_state(&south) ^ KR_PAIR_SALT, key = kr_sets_key(q->threshold, hash, owner);
    if (!kr_read_layer(q, key, &layer))
        kr_read_other_questions(q, hash, &layer);
    uint64_t open = 0;
    if (last)
        for (int turn = KR_SOUTH; turn <= KR_NORTH; turn++)
            KR_EACH_ROW(r) {
                layer.succeeds[turn].row[r] |= seen[turn][0].row[r];
                layer.fails[turn].row[r] |= seen[turn][1].row[r];
            }
    KR_EACH_ROW(r) open |= asked->row[r] & ~(layer.succeeds[side].row[r] | layer.fails[side].row[r]);
    if (RF_UNLIKELY(q->m->team != NULL) && open != 0 && rf_team_puts_off(q->m, key))
        open = 0;
    if (open != 0 && !rf_tick(q->control)) {
        kr_pairs batch;
        rf_team_begin(q->m, key);
        unsigned turn;
        kr_all_pairs(kr_empty(s), &layer.valid);
        memset(layer.good, 0, sizeof layer.good);
        memset(layer.bad, 0, sizeof layer.bad);
        kr_find_none(&layer, KR_SOUTH);
        kr_find_none(&layer, KR_NORTH);
        kr_pairs wanted = *asked;
        KR_EACH_ROW(r) wanted.row[r] &= layer.valid.row[r];
        kr_pair_work work = {&layer, key, side, &wanted};
        if (q->m->team != NULL)
            rf_team_begin_work(q->m, kr_pairs_are_known, &work);
        while ((turn = kr_next_batch(&layer, side, &wanted, &batch)) != KR_NOBODY) {
            kr_try_exits(&layer, turn, &batch);
            if (q->control->stopped != RF_DONE || !kr_learnt(&layer, turn, &batch))
                break;
            kr_decide(&layer);
            if (q->m->team != NULL)
                kr_ask_team_layer(q, key, &layer);
        }
        if (q->m->team != NULL)
            rf_team_end_work(q->m, q->control);
        if (q->control->stopped == RF_DONE) {
            if (q->m->team != NULL)
                kr_ask_team_layer(q, key, &layer);
            kr_write_layer(q, key, &layer);
        }
        rf_team_end(q->m, key);
    }
    *succeeds = layer.succeeds[side];
    *fails = layer.fails[side];
}

void kr_one_pair(uint64_t south, uint64_t north, kr_pairs *out)
{
    uint64_t bare = south | north, row = south == 0 || north == 0 ? bare & -bare : north, bit = bare ^ row;
    memset(out, 0, sizeof *out);
    out->row[kr_row_of(rf_lowest(row))] = bit;
    if (south == 0 || north == 0)
        out->row[kr_row_of(rf_lowest(bit))] = row;
}

/* The answer for a position whose two bare knights stand on these squares. */
static int kr_ask_pair(const kr_question *q, const kr_state *s, uint64_t south, uint64_t north)
{
    kr_state rest = *s;
    uint64_t succeeded = 0, failed = 0;
    unsigned owner = kr_owner(south, north);
    kr_pairs asked, succeeds, fails;
    rest.knights[KR_SOUTH] &= ~south;
    rest.knights[KR_NORTH] &= ~north;
    kr_one_pair(south, north, &asked);
    kr_ask_pairs(q, &rest, owner, &asked, &succeeds, &fails);
    KR_EACH_ROW(r) {
        succeeded |= succeeds.row[r] & asked.row[r];
        failed |= fails.row[r] & asked.row[r];
    }
    return succeeded != 0 ? RF_SUCCEEDS : failed != 0 ? RF_FAILS : RF_UNDECIDED;
}

unsigned kr_rank(const rf_state *state, rf_ply ply)
{
    enum { STEP = 5, MIDDLE = 32 };
    const kr_state *s = kr_read(state);
    if (ply == kr_pass)
        return 0;
    uint64_t south = kr_bare_knights(s, KR_SOUTH), north = kr_bare_knights(s, KR_NORTH), to = kr_bit(kr_to(ply));
    kr_state rest = *s;
    rest.knights[KR_SOUTH] &= ~south;
    rest.knights[KR_NORTH] &= ~north;
    if (kr_from(ply) != KR_FROM_HAND && ((south | north) & kr_bit(kr_from(ply))) != 0)
        ply = (south | north) & to ? kr_ply(KR_MEET, 0)
              : (kr_empty(&rest) & to) ? kr_ply(KR_STEP, 0) : kr_ply(KR_LAND, kr_to(ply));
    kr_ways theirs = kr_find_ways(&rest, !s->side);
    int rank = MIDDLE + kr_order_score(&rest, ply, &theirs) / STEP;
    return rank < 1 ? 1 : rank >= RF_MARGIN_RANKS ? RF_MARGIN_RANKS - 1 : (unsigned)rank;
}

int kr_settle(const rf_state *state, int threshold, rf_margin *m, rf_control *control)
{
    const kr_state *s = kr_read(state);
    uint64_t south = kr_bare_knights(s, KR_SOUTH), north = kr_bare_knights(s, KR_NORTH), bare = south | north;
    kr_question q = {m, control, threshold, threshold > 0 ? KR_SOUTH : KR_NORTH};
    if (bare == 0)
        return kr_ask_without(&q, s);
    if (rf_popcount(bare) > 3 || s->passes > 0)
        return RF_UNDECIDED;
    if (rf_popcount(bare) == 3) {
        uint64_t rings = rf_popcount(kr_free(s));
        bool worth = rings == 1 || rings == 2;
        return worth && control->nodes - m->begun >= m->easy ? kr_ask_triple(&q, s, south, north) : RF_UNDECIDED;
    }
    if (rf_popcount(bare) == 2)
        return kr_ask_pair(&q, s, south, north);
    unsigned owner = kr_owner(south, north);
    kr_state rest = *s;
    rest.knights[owner] ^= bare;
    kr_sets found = kr_ask_sets(&q, &rest, owner, bare);
    return found.succeeds & bare ? RF_SUCCEEDS : found.fails & bare ? RF_FAILS : RF_UNDECIDED;
}
