#include "search/margin_team.h"

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

enum { LEAST_SLOTS = 1 << 12, LEAST_WORDS = 1 << 15, WORDS_PER_PLACE = 32 };

rf_margin_team *rf_margin_team_new(const rf_game *game, uint64_t bytes, int helpers)
{
    if (game->margins == NULL || helpers < 0)
        return NULL;
    rf_margin_team *team = calloc(1, sizeof *team);
    if (team == NULL)
        return NULL;
    uint64_t slots = power_within(bytes / 2, sizeof *team->slots, LEAST_SLOTS);
    uint64_t each = sizeof *team->words + sizeof *team->places / WORDS_PER_PLACE;
    uint64_t words = power_within(bytes / 2, each, LEAST_WORDS), places = words / WORDS_PER_PLACE;
    team->game = game;
    team->helpers = helpers;
    team->slot_mask = slots - 1;
    team->place_mask = places - 1;
    team->word_mask = words - 1;
    team->question.idle = 1;
    team->slots = calloc((size_t)slots, sizeof *team->slots);
    team->written = calloc((size_t)(slots >> (RF_TEAM_REGION_SHIFT + 6)) + 1, sizeof *team->written);
    team->places = calloc((size_t)places, sizeof *team->places);
    team->words = calloc((size_t)words, sizeof *team->words);
    team->stops = calloc((size_t)helpers + 1, sizeof *team->stops);
    team->plies = calloc((size_t)helpers + 1, sizeof *team->plies);
    if (team->slots == NULL || team->written == NULL || team->places == NULL || team->words == NULL ||
        team->stops == NULL || team->plies == NULL) {
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
    free(team->places);
    free(team->words);
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

/* ---- slots ---- */

enum { BUCKET = 2 };

static uint64_t slot_check(uint64_t key, uint64_t a, uint64_t b)
{
    return key ^ a ^ rf_mix(b ^ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f));
}

static rf_margin_slot *slot_bucket(const rf_margin_team *team, uint64_t key)
{
    return &team->slots[key & team->slot_mask & ~(uint64_t)(BUCKET - 1)];
}

/* The word with the bit for the bucket of a key. */
static uint64_t *written_word(const rf_margin_team *team, uint64_t key, uint64_t *bit)
{
    uint64_t region = (key & team->slot_mask) >> RF_TEAM_REGION_SHIFT;
    *bit = UINT64_C(1) << (region & 63);
    return &team->written[region >> 6];
}

bool rf_team_get(const rf_margin_team *team, uint64_t key, rf_margin_slot *out)
{
    uint64_t bit;
    if ((get(written_word(team, key, &bit)) & bit) == 0)
        return false;
    const rf_margin_slot *bucket = slot_bucket(team, key);
    for (int i = 0; i < BUCKET; i++) {
        uint64_t check = get(&bucket[i].key), a = get(&bucket[i].a), b = get(&bucket[i].b);
        if ((a | b) != 0 && check == slot_check(key, a, b)) {
            *out = (rf_margin_slot){key, a, b};
            return true;
        }
    }
    return false;
}

void rf_team_put(rf_margin_team *team, const rf_margin_slot *slot)
{
    rf_margin_slot *bucket = slot_bucket(team, slot->key), *chosen = bucket;
    uint64_t least = UINT64_MAX, bit, *written = written_word(team, slot->key, &bit);
    if ((get(written) & bit) == 0)
        __atomic_fetch_or(written, bit, __ATOMIC_RELAXED);
    for (int i = 0; i < BUCKET; i++) {
        uint64_t check = get(&bucket[i].key), a = get(&bucket[i].a), b = get(&bucket[i].b);
        if ((a | b) != 0 && check == slot_check(slot->key, a, b)) {
            chosen = &bucket[i];
            break;
        }
        if (b >> RF_EFFORT_SHIFT < least) {
            least = b >> RF_EFFORT_SHIFT;
            chosen = &bucket[i];
        }
    }
    put(&chosen->key, slot_check(slot->key, slot->a, slot->b));
    put(&chosen->a, slot->a);
    put(&chosen->b, slot->b);
}

/* ---- blocks ---- */

enum { HEADER = 2, BLOCK_UNIT = 8 };

static uint64_t block_check(uint64_t sum, uint64_t word)
{
    return (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 29);
}

static rf_team_place *place_bucket(const rf_margin_team *team, uint64_t key)
{
    return &team->places[key & team->place_mask & ~(uint64_t)(RF_PLACE_BUCKET - 1)];
}

/* The place of a key; of several, and if there is none, the one to be used for it. */
static rf_team_place *find_place(const rf_margin_team *team, uint64_t key, uint64_t *at)
{
    rf_team_place *bucket = place_bucket(team, key), *oldest = bucket;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < RF_PLACE_BUCKET; i++) {
        uint64_t check = get(&bucket[i].check), begins = get(&bucket[i].at);
        if ((check ^ begins) == key && check != 0) {
            *at = begins;
            return &bucket[i];
        }
        if (begins < least) {
            least = begins;
            oldest = &bucket[i];
        }
    }
    *at = UINT64_MAX;
    return oldest;
}

static bool is_there(const rf_margin_team *team, uint64_t at)
{
    return at != UINT64_MAX && at + team->word_mask + 1 >= get(&team->head);
}

size_t rf_team_get_block(const rf_margin_team *team, uint64_t key, uint64_t *out, size_t most)
{
    uint64_t at;
    find_place(team, key, &at);
    if (!is_there(team, at))
        return 0;
    uint64_t begin = at & team->word_mask;
    uint64_t header = get(&team->words[begin + 1]), sum = block_check(key, header);
    size_t count = (size_t)(header & UINT32_MAX);
    if (count > most || begin + HEADER + count > team->word_mask + 1)
        return 0;
    for (size_t i = 0; i < count; i++) {
        out[i] = get(&team->words[begin + HEADER + i]);
        sum = block_check(sum, out[i]);
    }
    return sum == get(&team->words[begin]) ? count : 0;
}

/* Room in the ring; no block goes over its end. */
static uint64_t reserve(rf_margin_team *team, uint64_t length)
{
    for (;;) {
        uint64_t at = __atomic_fetch_add(&team->head, length, __ATOMIC_RELAXED);
        if ((at & team->word_mask) + length <= team->word_mask + 1)
            return at;
    }
}

void rf_team_put_block(rf_margin_team *team, uint64_t key, const uint64_t *words, size_t count)
{
    uint64_t at, room = 0;
    if (count > RF_MOST_BLOCK)
        return;
    rf_team_place *place = find_place(team, key, &at);
    if (is_there(team, at))
        room = get(&team->words[(at & team->word_mask) + 1]) >> 32;
    if (room < count || room > 2 * RF_MOST_BLOCK || (at & team->word_mask) + HEADER + room > team->word_mask + 1) {
        uint64_t length = (count + count / 4 + HEADER + BLOCK_UNIT) / BLOCK_UNIT * BLOCK_UNIT;
        at = reserve(team, length);
        room = length - HEADER;
        put(&place->check, key ^ at);
        put(&place->at, at);
    }
    uint64_t begin = at & team->word_mask, header = room << 32 | count, sum = block_check(key, header);
    for (size_t i = 0; i < count; i++) {
        sum = block_check(sum, words[i]);
        put(&team->words[begin + HEADER + i], words[i]);
    }
    put(&team->words[begin + 1], header);
    put(&team->words[begin], sum);
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
