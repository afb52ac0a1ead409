#define _POSIX_C_SOURCE 200809L /* sched_yield */

#include "search/margin_team.h"

#include <sched.h>
#include <stdlib.h>

#include "common/idle.h"
#include "control.h"

/* ---- memory ---- */

static uint64_t power_within(uint64_t bytes, uint64_t each, uint64_t least)
{
    uint64_t count = least;
    while (count <= bytes / each / 2 && count < (UINT64_C(1) << 40))
        count *= 2;
    return count;
}

enum { LEAST_SLOTS = 1 << 12, TRIES_BEFORE_YIELD = 64 };
enum { WORDS_PER_PART = 1 << 17 }; /* if there are several */

rf_margin_team *rf_margin_team_new(const rf_game *game, uint64_t bytes, int helpers)
{
    if (game->margins == NULL || helpers < 0)
        return NULL;
    rf_margin_team *team = calloc(1, sizeof *team);
    if (team == NULL)
        return NULL;
    uint64_t slots = power_within(bytes / 2, sizeof *team->slots, LEAST_SLOTS);
    uint64_t left = bytes > slots * sizeof *team->slots ? bytes - slots * sizeof *team->slots : 0;
    uint64_t most = rf_margin_most_words(left), words = most < WORDS_PER_PART ? most : WORDS_PER_PART;
    uint64_t parts = left / rf_margin_bytes_of_words(words);
    team->part_count = parts == 0 ? 1 : parts;
    team->game = game;
    team->helpers = helpers;
    team->slot_mask = slots - 1;
    team->question.idle = 1;
    team->slots = calloc((size_t)slots, sizeof *team->slots);
    team->written = calloc((size_t)(slots >> (RF_TEAM_REGION_SHIFT + 6)) + 1, sizeof *team->written);
    team->parts = calloc((size_t)team->part_count, sizeof *team->parts);
    team->stops = calloc((size_t)helpers + 1, sizeof *team->stops);
    team->plies = calloc((size_t)helpers + 1, sizeof *team->plies);
    if (team->slots == NULL || team->written == NULL || team->parts == NULL || team->stops == NULL || team->plies == NULL) {
        rf_margin_team_free(team);
        return NULL;
    }
    for (uint64_t i = 0; i < team->part_count; i++)
        team->parts[i].blocks.most = words;
    return team;
}

void rf_margin_team_free(rf_margin_team *team)
{
    if (team == NULL)
        return;
    free(team->slots);
    free(team->written);
    if (team->parts != NULL)
        for (uint64_t i = 0; i < team->part_count; i++)
            rf_margin_free_blocks(&team->parts[i].blocks);
    free(team->parts);
    free(team->stops);
    free(team->plies);
    free(team);
}

void rf_margin_join(rf_margin *m, rf_margin_team *team, int helper)
{
    m->team = team;
    m->helper = helper;
    m->work_done = -1;
}

static uint64_t get(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static void put(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

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
        uint64_t check = get(&bucket[i].key), a = get(&bucket[i].a), b = get(&bucket[i].b);
        if ((a | b) != 0 && check == rf_team_check(slot->key, a, b)) {
            chosen = &bucket[i];
            break;
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

/* ---- blocks ---- */

static rf_team_part *part_of(const rf_margin_team *team, uint64_t key)
{
    return &team->parts[(key >> 32) * team->part_count >> 32];
}

rf_margin_blocks *rf_team_take_blocks(rf_margin_team *team, uint64_t key)
{
    rf_team_part *part = part_of(team, key);
    for (unsigned tries = 1; __atomic_exchange_n(&part->taken, 1, __ATOMIC_ACQUIRE) != 0; tries++)
        if (tries % TRIES_BEFORE_YIELD == 0)
            sched_yield();
    return &part->blocks;
}

void rf_team_give_blocks(rf_margin_team *team, uint64_t key)
{
    __atomic_store_n(&part_of(team, key)->taken, 0, __ATOMIC_RELEASE);
}

/* ---- work in progress ---- */

enum { NODES_BETWEEN_SCANS = 1 << 9 };

void rf_team_begin_work(rf_margin *m, bool (*is_done)(void *what), void *what)
{
    if (m->work_count < RF_MOST_WORK)
        m->work[m->work_count] = (rf_margin_work){is_done, what};
    m->work_count++;
}

void rf_team_end_work(rf_margin *m, rf_control *control)
{
    m->work_count--;
    if (m->work_done == m->work_count && control->stopped == RF_STOPPED_ANSWERED) {
        control->stopped = RF_DONE;
        m->work_done = -1;
    }
}

void rf_team_scan_work(rf_margin *m, rf_control *control)
{
    if (control->nodes < m->next_work_scan || control->stopped != RF_DONE)
        return;
    m->next_work_scan = control->nodes + NODES_BETWEEN_SCANS;
    for (int i = 0; i < m->work_count && i < RF_MOST_WORK; i++)
        if (m->work[i].is_done(m->work[i].what)) {
            m->work_done = i;
            control->stopped = RF_STOPPED_ANSWERED;
            return;
        }
}

/* ---- questions ---- */

static void stop_helpers(rf_margin_team *team)
{
    for (int i = 1; i <= team->helpers; i++)
        __atomic_store_n(&team->stops[i], 1, __ATOMIC_SEQ_CST);
}

void rf_team_announce(rf_margin_team *team, const void *ctx, const rf_state *s, int threshold)
{
    rf_team_question *q = &team->question;
    uint64_t serial = get(&q->serial), words[RF_STATE_SIZE / sizeof(uint64_t)];
    __atomic_store_n(&team->stops[0], 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&q->serial, serial + 1, __ATOMIC_SEQ_CST);
    memcpy(words, s, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        __atomic_store_n(&q->state[i], words[i], __ATOMIC_RELEASE);
    __atomic_store_n(&q->idle, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&q->threshold, (uint64_t)(int64_t)threshold, __ATOMIC_RELEASE);
    __atomic_store_n(&q->ctx, (uint64_t)(uintptr_t)ctx, __ATOMIC_RELEASE);
    __atomic_store_n(&q->serial, serial + 2, __ATOMIC_SEQ_CST);
}

void rf_team_finish(rf_margin_team *team)
{
    rf_team_question *q = &team->question;
    uint64_t serial = get(&q->serial);
    __atomic_store_n(&q->serial, serial + 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&q->idle, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&q->serial, serial + 2, __ATOMIC_SEQ_CST);
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
    if (answer >> RF_TEAM_ANSWER_SERIAL != get(&team->question.serial))
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

typedef struct {
    uint64_t serial;
    const void *ctx;
    rf_state state;
    bool idle;
    int threshold;
} question_read;

static uint64_t acquire(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/* The question as it is now; false while it is being written. */
static bool read_question(const rf_team_question *q, question_read *out)
{
    uint64_t words[RF_STATE_SIZE / sizeof(uint64_t)];
    out->serial = __atomic_load_n(&q->serial, __ATOMIC_SEQ_CST);
    out->idle = acquire(&q->idle) != 0;
    out->threshold = (int)(int64_t)acquire(&q->threshold);
    out->ctx = (const void *)(uintptr_t)acquire(&q->ctx);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = acquire(&q->state[i]);
    memcpy(&out->state, words, sizeof words);
    return (out->serial & 1) == 0 && get(&q->serial) == out->serial;
}

void rf_margin_help(rf_margin *m)
{
    rf_margin_team *team = m->team;
    uint64_t done = 0; /* serial of the last question */
    int *stop = &team->stops[m->helper];
    while (__atomic_load_n(&team->closed, __ATOMIC_SEQ_CST) == 0) {
        question_read q;
        /* In this order: a question that is over from here on sets the flag after it has been cleared. */
        __atomic_store_n(stop, 0, __ATOMIC_SEQ_CST);
        if (!read_question(&team->question, &q) || q.idle || q.serial == done) {
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
