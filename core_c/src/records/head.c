/* Reads the tags of a record into a list (head.h).
 *
 * Example: with [Event "?"] twice, rf_read_head returns false, and the full check reports the second one. */
#include "records/head.h"

#include "records/tags.h"

static unsigned kind_of(rf_span name)
{
    static const struct {
        rf_span name;
        unsigned kind;
    } kinds[] = {{RF_SPAN("Game"), RF_TAG_GAME},   {RF_SPAN("Event"), RF_TAG_EVENT}, {RF_SPAN("Site"), RF_TAG_SITE},
                 {RF_SPAN("Date"), RF_TAG_DATE},   {RF_SPAN("Round"), RF_TAG_ROUND}, {RF_SPAN("South"), RF_TAG_SOUTH},
                 {RF_SPAN("North"), RF_TAG_NORTH}, {RF_SPAN("Result"), RF_TAG_RESULT}, {RF_SPAN("FEN"), RF_TAG_FEN}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (rf_same_span(name, kinds[i].name))
            return kinds[i].kind;
    if (name.length == 7 && memcmp(name.text, "Player", 6) == 0 && name.text[6] >= '1' && name.text[6] <= '9')
        return RF_TAG_PLAYER + (unsigned)(name.text[6] - '1');
    return RF_TAG_OTHER;
}

/* Adds a tag. False if the record has it already, or has too many. */
static bool add_tag(rf_head *head, const rf_head_tag *tag)
{
    if (head->count == RF_HEAD_TAGS)
        return false;
    if (tag->kind < RF_TAG_OTHER) {
        if (rf_has_tag(head, tag->kind))
            return false;
        head->seen |= 1u << tag->kind;
        head->known[tag->kind] = (uint8_t)head->count;
    } else {
        for (uint32_t i = 0; i < head->count; i++)
            if (rf_same_span(head->tags[i].name, tag->name))
                return false;
    }
    head->tags[head->count++] = *tag;
    return true;
}

bool rf_read_head(const char *text, uint32_t length, rf_head *head)
{
    rf_tag tag;
    head->seen = head->count = head->movetext = 0;
    head->comments = false;
    for (uint32_t at = 0; rf_read_tag(text, length, at, &tag); at = head->movetext) {
        uint32_t gap = tag.at - at;
        bool first = at == 0, next_line = (gap == 1 && text[at] == '\n') || (gap == 2 && memcmp(text + at, "\r\n", 2) == 0);
        if (tag.problem != NULL || !(first || next_line))
            return false;
        if (first)
            head->comments = memchr(text, '{', gap) != NULL || memchr(text, ';', gap) != NULL;
        rf_head_tag added = {{text + tag.name_at, tag.name_length}, {text + tag.value_at, tag.value_length}, tag.escapes, 0};
        added.kind = (uint8_t)kind_of(added.name);
        if (!add_tag(head, &added))
            return false;
        head->movetext = tag.at + tag.length;
    }
    return true;
}
