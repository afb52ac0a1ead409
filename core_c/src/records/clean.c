/* The fast check of records (clean.h): UTF-8, tags, dates, results, and movetext by the scanner. */
#include "records/clean.h"

#include "game.h"
#include "records/tags.h"

enum { MOST_OTHERS = 32 }; /* more tags than these, apart from the known ones, go to the full check */

/* ---- UTF-8 ---- */

static bool is_continuation(const char *text, size_t length, size_t at)
{
    return at < length && ((unsigned char)text[at] & 0xc0) == 0x80;
}

/* Bytes of the character that begins with a byte above 0x7f; 0 if it is none. */
static size_t character_size(const char *text, size_t length, size_t at)
{
    unsigned lead = (unsigned char)text[at];
    unsigned second = at + 1 < length ? (unsigned char)text[at + 1] : 0;
    size_t size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    /* No character is longer than need be, half of a surrogate pair, or above U+10FFFF. */
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < size; i++)
        if (!is_continuation(text, length, at + i))
            return 0;
    return size;
}

static bool is_utf8(const char *text, size_t length)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    for (size_t at = 0; at < length;) {
        uint64_t eight;
        if (length - at >= sizeof eight) {
            memcpy(&eight, text + at, sizeof eight);
            if ((eight & high) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        size_t size = (unsigned char)text[at] < 0x80 ? 1 : character_size(text, length, at);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

/* ---- tags ---- */

typedef struct {
    const char *text;
    uint32_t length;
} word;

static bool same(word a, word b) { return a.length == b.length && memcmp(a.text, b.text, a.length) == 0; }

#define WORD(literal) ((word){literal, sizeof literal - 1})

/* The known tags; all others are TAG_OTHER. */
enum {
    TAG_GAME, TAG_EVENT, TAG_DATE, TAG_SOUTH, TAG_NORTH, TAG_RESULT, TAG_FEN,
    TAG_PLAYER, /* Player1, and so on to Player9 */
    TAG_OTHER = TAG_PLAYER + 9
};

typedef struct {
    uint32_t seen;      /* TAG_*, as bits */
    uint32_t others;
    uint32_t movetext;  /* where it begins */
    word values[TAG_OTHER];
    word other_names[MOST_OTHERS];
} tag_list;

static unsigned kind_of(word name)
{
    static const struct {
        word name;
        unsigned kind;
    } kinds[] = {{WORD("Game"), TAG_GAME},   {WORD("Event"), TAG_EVENT},   {WORD("Date"), TAG_DATE},
                 {WORD("South"), TAG_SOUTH}, {WORD("North"), TAG_NORTH}, {WORD("Result"), TAG_RESULT},
                 {WORD("FEN"), TAG_FEN}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (same(name, kinds[i].name))
            return kinds[i].kind;
    if (name.length == 7 && memcmp(name.text, "Player", 6) == 0 && name.text[6] >= '1' && name.text[6] <= '9')
        return TAG_PLAYER + (unsigned)(name.text[6] - '1');
    return TAG_OTHER;
}

/* Adds a tag. False if the record has it already. */
static bool add_tag(tag_list *tags, word name, word value)
{
    unsigned kind = kind_of(name);
    if (kind < TAG_OTHER) {
        if (tags->seen & 1u << kind)
            return false;
        tags->seen |= 1u << kind;
        tags->values[kind] = value;
        return true;
    }
    for (uint32_t i = 0; i < tags->others; i++)
        if (same(tags->other_names[i], name))
            return false;
    if (tags->others == MOST_OTHERS)
        return false;
    tags->other_names[tags->others++] = name;
    return true;
}

/* Reads the tags: one per line, each once. False if the full check may report one of them. */
static bool read_tags(const char *text, uint32_t length, tag_list *tags)
{
    rf_tag tag;
    tags->seen = tags->others = tags->movetext = 0;
    for (uint32_t at = 0; rf_read_tag(text, length, at, &tag); at = tags->movetext) {
        uint32_t gap = tag.at - at;
        bool first = at == 0, next_line = (gap == 1 && text[at] == '\n') || (gap == 2 && memcmp(text + at, "\r\n", 2) == 0);
        /* A value with escapes matches no known value. */
        word value = {text + tag.value_at, tag.escapes ? 0 : tag.value_length};
        if (tag.problem != NULL || !(first || next_line) ||
            !add_tag(tags, (word){text + tag.name_at, tag.name_length}, value))
            return false;
        tags->movetext = tag.at + tag.length;
    }
    return true;
}

/* The number of players that the tags name; TAG_OTHER if there is a gap. */
static uint32_t players_named(const tag_list *tags)
{
    uint32_t named = tags->seen >> TAG_PLAYER, players = rf_popcount(named);
    return named == (1u << players) - 1 ? players : TAG_OTHER;
}

/* The usual start of a record that has all the usual tags, or NULL. */
static const rf_usual_start *start_of(const tag_list *tags, const rf_usual_start *starts, uint32_t count)
{
    const uint32_t always = 1u << TAG_GAME | 1u << TAG_EVENT | 1u << TAG_DATE | 1u << TAG_RESULT,
                   two = 1u << TAG_SOUTH | 1u << TAG_NORTH;
    if ((tags->seen & always) != always || (tags->seen & 1u << TAG_FEN))
        return NULL;
    word game = tags->values[TAG_GAME];
    for (uint32_t i = 0; i < count; i++) {
        const char *id = starts[i].game->id;
        if (game.length == strlen(id) && memcmp(game.text, id, game.length) == 0 &&
            (starts[i].players == 0 ? (tags->seen & two) == two : starts[i].players == players_named(tags)))
            return &starts[i];
    }
    return NULL;
}

/* ---- results ---- */

/* Whether a result matches the outcome of a game of two players. */
static bool fits_two(word result, int outcome)
{
    return outcome == RF_OUTCOME_DRAW ? same(result, WORD("1/2-1/2"))
           : outcome == 1             ? same(result, WORD("1-0"))
           : outcome == 2             ? same(result, WORD("0-1"))
                                      : same(result, WORD("1-0")) || same(result, WORD("0-1")) || same(result, WORD("1/2-1/2"));
}

/* The same for more players, of whom one has 1 and the others 0. */
static bool fits_many(word result, uint32_t players, int outcome)
{
    uint32_t winner = 0;
    if (result.length != 2 * players - 1)
        return false;
    for (uint32_t i = 0; i < result.length; i++) {
        char c = result.text[i];
        if (i % 2 == 1 ? c != '-' : c != '0' && (c != '1' || winner != 0))
            return false;
        if (c == '1')
            winner = i / 2 + 1;
    }
    return winner != 0 && (outcome == RF_OUTCOME_NONE || outcome == (int)winner);
}

static bool fits(word result, uint32_t players, int outcome)
{
    if (same(result, WORD("*")))
        return outcome == RF_OUTCOME_NONE;
    return players == 0 ? fits_two(result, outcome) : fits_many(result, players, outcome);
}

/* ---- dates ---- */

/* A number of two digits, 1 for `??`, or 0. */
static unsigned two_digits(const char *text)
{
    if (text[0] == '?' && text[1] == '?')
        return 1;
    unsigned tens = (unsigned)(text[0] - '0'), ones = (unsigned)(text[1] - '0');
    return tens < 10 && ones < 10 ? 10 * tens + ones : 0;
}

/* Whether a date is correct. Rare forms go to the full check. */
static bool is_plain_date(word date)
{
    const char *text = date.text;
    if (same(date, WORD("?")))
        return true;
    if (date.length != 10 || text[4] != '.' || text[7] != '.')
        return false;
    unsigned century = two_digits(text), years = two_digits(text + 2), month = two_digits(text + 5),
             day = two_digits(text + 8);
    if (century == 0 || (years == 0 && memcmp(text + 2, "00", 2) != 0) || month == 0 || day == 0 || month > 12)
        return false;
    return day <= 28 || (day <= 30 && month != 2) || (day == 31 && (month + (month > 7)) % 2 == 1);
}

/* ---- records ---- */

/* Whether the record between `begin` and `end` passes. Sets part->begun. */
static bool is_clean(rf_clean_part *part, rf_scanner *scanner, const rf_usual_start *starts, uint32_t start_count,
                     rf_clean_record *out)
{
    const char *text = part->text + part->begin;
    tag_list tags;
    part->begun = false;
    if (part->mid_line || part->end - part->begin > part->most)
        return false;
    uint32_t length = (uint32_t)(part->end - part->begin);
    if (!is_utf8(text, length) || !read_tags(text, length, &tags))
        return false;
    const rf_usual_start *start = start_of(&tags, starts, start_count);
    if (start == NULL || !is_plain_date(tags.values[TAG_DATE]))
        return false;
    const rf_scan_job job = {text, length, .at = tags.movetext, .first = 1, .most = part->reported};
    rf_scan_begin(scanner, start->game, start->ctx, start->state, &job);
    part->begun = true;
    int step = rf_scan(scanner, NULL, 0);
    const rf_scan_summary *summary = rf_scan_summary_of(scanner);
    word token = {text + summary->result_at, summary->result_length};
    *out = (rf_clean_record){(uint32_t)(start - starts), summary->plies, summary->outcome, summary->reached,
                             part->end};
    return step == RF_SCAN_END && summary->diagnosed == 0 && same(token, tags.values[TAG_RESULT]) &&
           fits(token, start->players, summary->outcome);
}

int rf_check_clean(rf_clean_part *part, rf_splitter *splitter, rf_scanner *scanner, const rf_usual_start *starts,
                   uint32_t start_count, rf_clean_record *records, uint32_t capacity)
{
    part->clean = 0;
    part->plies = 0;
    for (;;) {
        uint64_t at = splitter->at - part->base, boundary = splitter->boundary;
        if (at >= part->length)
            return RF_CLEAN_END;
        if (part->clean == capacity)
            return RF_CLEAN_FULL;
        rf_split(splitter, part->text + at, (size_t)(part->length - at));
        if (splitter->boundary == boundary)
            continue;
        part->end = splitter->boundary - part->base;
        if (!is_clean(part, scanner, starts, start_count, &records[part->clean]))
            return RF_CLEAN_RECORD;
        part->plies += records[part->clean++].plies;
        part->begin = part->end;
        part->line = splitter->boundary_line;
        part->mid_line = splitter->mid_line;
    }
}
