/* The shared memory of threads at one margin, and the work of its helpers. */
#define _POSIX_C_SOURCE 200809L /* sched_yield */

#include "search/margin_team.h"

#include <sched.h>
#include <stdlib.h>

#include "common/threads.h"
#include "control.h"
#include "search/threshold.h"

/* ---- memory ---- */

static uint64_t power_within(uint64_t bytes, uint64_t each, uint64_t least)
{
    uint64_t count = least;
    while (count <= bytes / each / 2 && count < (UINT64_C(1) << 40))
        count *= 2;
    return count;
}

enum { LEAST_SLOTS = 1 << 12, TRIES_BEFORE_YIELD = 64 };

rf_margin_team *rf_margin_team_new(const rf_game *game, uint64_t bytes, int helpers)
{
    if (game->margins == NULL || helpers < 0)
        return NULL;
    rf_margin_team *team = calloc(1, sizeof *team);
    if (team == NULL)
        return NULL;
    uint64_t slots = power_within(bytes, sizeof *team->slots, LEAST_SLOTS);
    team->game = game;
    team->helpers = helpers;
    team->slot_mask = slots - 1;
    team->question.idle = true;
    team->slots = calloc((size_t)slots, sizeof *team->slots);
    team->written = calloc((size_t)(slots >> (RF_TEAM_REGION_SHIFT + 6)) + 1, sizeof *team->written);
    team->stops = calloc((size_t)helpers + 1, sizeof *team->stops);
    team->plies = calloc((size_t)helpers + 1, sizeof *team->plies);
    if (team->slots == NULL || team->written == NULL || team->stops == NULL || team->plies == NULL) {
        rf_margin_team_free(team);
        return NULL;
    }
    return team;
}

void rf_margin_team_free(rf_margin_team *team)
{
    if (team == NULL)
        return;
    free(team->slots);
    free(team->written);
    free(team->stops);
    free(team->plies);
    free(team);
}

void rf_margin_join(rf_margin *m, rf_margin_team *team, int helper)
{
    m->team = team;
    m->helper = helper;
}

static uint64_t get(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static void put(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

/* A lock that is held for moments only. */
static void take(int *taken)
{
    for (unsigned tries = 1; __atomic_exchange_n(taken, 1, __ATOMIC_ACQUIRE) != 0; tries++)
        if (tries % TRIES_BEFORE_YIELD == 0)
            sched_yield();
}

static void give(int *taken) { __atomic_store_n(taken, 0, __ATOMIC_RELEASE); }

/* ---- slots ---- */

/* Writes to the pages of the region of a key before anything is read there. */
static void begin_region(rf_margin_team *team, uint64_t key)
{
    uint64_t bit, *written = rf_team_written(team, key, &bit);
    if ((get(written) & bit) != 0)
        return;
    uint64_t first = (key & team->slot_mask) >> RF_TEAM_REGION_SHIFT << RF_TEAM_REGION_SHIFT;
    __atomic_fetch_or(&team->slots[first].key, 0, __ATOMIC_RELAXED);
    __atomic_fetch_or(&team->slots[first + (1 << RF_TEAM_REGION_SHIFT) - 1].b, 0, __ATOMIC_RELAXED);
    __atomic_fetch_or(written, bit, __ATOMIC_RELAXED);
}

void rf_team_put(rf_margin_team *team, const rf_margin_slot *slot)
{
    rf_margin_slot *bucket = rf_team_bucket(team, slot->key), *chosen = bucket;
    uint64_t least = UINT64_MAX;
    begin_region(team, slot->key);
    for (int i = 0; i < RF_MARGIN_BUCKET; i++) {
        uint64_t check = get(&bucket[i].key), b = get(&bucket[i].b);
        if (rf_team_may_be(slot->key, check)) {
            uint64_t a = get(&bucket[i].a);
            if ((a | b) != 0 && check == rf_team_check(slot->key, a, b)) {
                chosen = &bucket[i];
                break;
            }
        }
        if (b >> RF_EFFORT_SHIFT < least) {
            least = b >> RF_EFFORT_SHIFT;
            chosen = &bucket[i];
        }
    }
    put(&chosen->key, rf_team_check(slot->key, slot->a, slot->b));
    put(&chosen->a, slot->a);
    put(&chosen->b, slot->b);
}

/* ---- bounds ---- */

enum { NODES_BETWEEN_PATH_SCANS = 1 << 10 };

rf_margin_answer rf_margin_ask_team(rf_margin *m, uint64_t key, int threshold)
{
    rf_margin_slot slot;
    if (!rf_team_get(m->team, key, &slot))
        return rf_plain(RF_UNDECIDED);
    rf_margin_fact theirs = rf_margin_unpack(&slot);
    bool at_least = theirs.lower >= threshold, below = theirs.upper < threshold;
    if (!at_least && !below)
        return rf_plain(RF_UNDECIDED);
    rf_margin_fact mine = rf_margin_fact_for(m, key);
    mine.lower = theirs.lower > mine.lower ? theirs.lower : mine.lower;
    mine.upper = theirs.upper < mine.upper ? theirs.upper : mine.upper;
    rf_margin_write(&mine);
    mine.slot->b |= slot.b & UINT32_MAX & -(uint64_t)((mine.slot->b & UINT32_MAX) == 0);
    return rf_plain(at_least == (threshold > 0) ? RF_SUCCEEDS : RF_FAILS);
}

rf_margin_answer rf_margin_scan_path(rf_margin *m, uint32_t *depth, int threshold, uint64_t nodes)
{
    m->next_scan = nodes + NODES_BETWEEN_PATH_SCANS;
    for (uint32_t at = 1; at <= *depth; at++) {
        rf_margin_frame *f = rf_margin_frame_at(m, at);
        rf_margin_answer known = rf_margin_ask_team(m, f->key, threshold);
        if (known.answer == RF_UNDECIDED)
            continue;
        for (uint32_t left = *depth; left > at; left--)
            rf_margin_leave_path(m, left);
        rf_margin_succeeded(m, f, at); /* in any case the groups that depend on what comes after are void */
        f->best = (rf_ply)rf_margin_find(m, f->key)->b;
        f->low = rf_depends_on_nothing;
        f->high = 0;
        *depth = at;
        return known;
    }
    return rf_plain(RF_UNDECIDED);
}

void rf_margin_tell_team(rf_margin *m, const rf_margin_fact *f)
{
    rf_margin_slot slot = {f->slot->key, rf_margin_pack(0, f->lower, f->upper, RF_NOT_PROVISIONAL), f->slot->b}, there;
    if (rf_team_get(m->team, slot.key, &there)) {
        rf_margin_fact theirs = rf_margin_unpack(&there);
        int lower = theirs.lower > f->lower ? theirs.lower : f->lower;
        slot.a = rf_margin_pack(0, lower, theirs.upper < f->upper ? theirs.upper : f->upper, RF_NOT_PROVISIONAL);
    }
    rf_team_put(m->team, &slot);
}

/* ---- questions ---- */

static void stop_helpers(rf_margin_team *team)
{
    for (int i = 1; i <= team->helpers; i++)
        __atomic_store_n(&team->stops[i], 1, __ATOMIC_SEQ_CST);
}

void rf_team_announce(rf_margin_team *team, const void *ctx, const rf_state *s, int threshold)
{
    __atomic_store_n(&team->stops[0], 0, __ATOMIC_SEQ_CST);
    take(&team->question_taken);
    team->question = (rf_team_question){team->question.serial + 1, false, threshold, ctx, *s};
    give(&team->question_taken);
}

void rf_team_finish(rf_margin_team *team)
{
    take(&team->question_taken);
    team->question.idle = true;
    give(&team->question_taken);
    stop_helpers(team);
}

/* Tells the main thread. An answer to a later question stays. */
static void give_answer(rf_margin *m, uint64_t serial, int answer)
{
    rf_margin_team *team = m->team;
    uint64_t last = get(&team->answer), mine = serial << RF_TEAM_ANSWER_SERIAL;
    mine |= (uint64_t)m->helper << RF_TEAM_ANSWER_HELPER;
    mine |= (answer ? RF_TEAM_ANSWER_YES : 0) | (m->root_has_ply ? RF_TEAM_ANSWER_HAS_PLY : 0);
    put(&team->plies[m->helper], m->root_ply);
    while (last >> RF_TEAM_ANSWER_SERIAL < serial)
        if (__atomic_compare_exchange_n(&team->answer, &last, mine, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&team->stops[0], 1, __ATOMIC_SEQ_CST);
            return;
        }
}

int rf_team_take_answer(rf_margin *m)
{
    rf_margin_team *team = m->team;
    __atomic_store_n(&team->stops[0], 0, __ATOMIC_SEQ_CST);
    uint64_t answer = __atomic_load_n(&team->answer, __ATOMIC_SEQ_CST);
    if (answer >> RF_TEAM_ANSWER_SERIAL != team->question.serial)
        return -1;
    m->root_has_ply = (answer & RF_TEAM_ANSWER_HAS_PLY) != 0;
    m->root_ply = (rf_ply)get(&team->plies[(answer & UINT16_MAX) >> RF_TEAM_ANSWER_HELPER]);
    return (answer & RF_TEAM_ANSWER_YES) != 0;
}

void rf_margin_team_close(rf_margin_team *team)
{
    __atomic_store_n(&team->closed, 1, __ATOMIC_SEQ_CST);
    stop_helpers(team);
}

uint64_t rf_margin_team_nodes(const rf_margin_team *team) { return get(&team->nodes); }

void rf_margin_help(rf_margin *m)
{
    rf_margin_team *team = m->team;
    uint64_t done = 0; /* serial of the last question */
    int *stop = &team->stops[m->helper];
    while (__atomic_load_n(&team->closed, __ATOMIC_SEQ_CST) == 0) {
        rf_team_question q;
        /* In this order: a question that is over from here on sets the flag after it has been cleared. */
        __atomic_store_n(stop, 0, __ATOMIC_SEQ_CST);
        take(&team->question_taken);
        q = team->question;
        give(&team->question_taken);
        if (q.idle || q.serial == done) {
            rf_sleep_briefly();
            continue;
        }
        rf_control control = {.cancel = stop};
        rf_control_start(&control);
        if (__atomic_load_n(&team->closed, __ATOMIC_SEQ_CST) != 0)
            break;
        int answer = rf_margin_ask(m, q.ctx, &q.state, q.threshold, &control);
        __atomic_fetch_add(&team->nodes, control.nodes, __ATOMIC_RELAXED);
        if (control.stopped == RF_DONE) {
            done = q.serial;
            give_answer(m, q.serial, answer);
        }
        if (control.stopped == RF_STOPPED_MEMORY)
            return;
    }
}
