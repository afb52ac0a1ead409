/* The tags of a record, as the fast check and the writer need them (docs/notation.md, records).
 *
 * Idea: one pass over the tags finds the known ones and keeps all in their order; nothing is copied.
 * Example: rf_read_head fills `head`; rf_head_value(&head, RF_TAG_DATE) is the date. */
#ifndef RINGFEN_HEAD_H
#define RINGFEN_HEAD_H

#include "game.h"

/* A part of the text of a record. */
typedef struct rf_span {
    const char *text;
    uint32_t length;
} rf_span;

#define RF_SPAN(literal) ((rf_span){literal, sizeof literal - 1})

static inline bool rf_same_span(rf_span a, rf_span b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* The known tags in their canonical order; all others are RF_TAG_OTHER. */
enum {
    RF_TAG_GAME, RF_TAG_EVENT, RF_TAG_SITE, RF_TAG_DATE, RF_TAG_ROUND, RF_TAG_SOUTH, RF_TAG_NORTH,
    RF_TAG_PLAYER, /* Player1, and so on to Player9 */
    RF_TAG_RESULT = RF_TAG_PLAYER + 9,
    RF_TAG_FEN, RF_TAG_OTHER
};

enum { RF_HEAD_TAGS = 48 }; /* a record with more tags goes to the full check */

typedef struct rf_head_tag {
    rf_span name, value; /* the value as it is written, with its escapes */
    bool escapes;
    uint8_t kind;        /* RF_TAG_* */
} rf_head_tag;

typedef struct rf_head {
    uint32_t seen;       /* RF_TAG_*, as bits */
    uint32_t count;
    uint32_t movetext;   /* where it begins */
    bool comments;       /* comments may precede the tags */
    uint8_t known[RF_TAG_OTHER]; /* the tag of each known kind that is seen */
    rf_head_tag tags[RF_HEAD_TAGS]; /* in their order */
} rf_head;

static inline bool rf_has_tag(const rf_head *head, unsigned kind) { return (head->seen >> kind & 1) != 0; }

/* The value of a known tag; empty if the record has no such tag or the value has escapes, which no known value has. */
static inline rf_span rf_head_value(const rf_head *head, unsigned kind)
{
    const rf_head_tag *tag = rf_has_tag(head, kind) ? &head->tags[head->known[kind]] : NULL;
    return tag != NULL && !tag->escapes ? tag->value : (rf_span){"", 0};
}

/* Reads the tags: one per line, each once. False if the full check may report one of them. */
bool rf_read_head(const char *text, uint32_t length, rf_head *head);

#endif
