/* The writer of records (writer.h): a bounded buffer, words in lines, JSON, and the events of a scan. */
#include "records/writer.h"

#include <stdlib.h>

#include "common/text.h"

enum {
    WIDTH = 79,              /* columns of movetext, where the words allow it */
    LONGEST_COMMAND = 60,    /* a longer command in a comment may be broken between lines */
    MAX_WRITTEN = 1 << 25,  /* bytes in the buffer */
    MAX_NUMBER = 16,        /* bytes of a number and its dots */
    MAX_ESCAPED = 6         /* bytes of JSON for one byte of text */
};

struct rf_writer {
    int form;
    char *text;
    size_t length, capacity;
    size_t begin;       /* where the current record begins */
    uint32_t first;     /* number of its first round */
    uint32_t last_kind; /* of the last event */
    char *comment;      /* the current comment */
    size_t comment_capacity;

    /* Text: words in lines. The last ones, from `held` on, are not in the line yet. */
    size_t line;        /* columns of the line so far; 0: nothing is in it */
    size_t held;        /* the byte before them, if `line` > 0, becomes the space or the line end */
    size_t held_width;  /* their columns; 0: no words are held */
    bool opening;       /* the next words begin with a parenthesis */
    bool numbered;      /* the next ply needs no number unless it begins a round */

    /* JSON. */
    bool has_item;       /* the movetext has an item */
    bool ply_open;      /* the braces of the last ply are open */
    bool nags_open;     /* so are the brackets of its NAGs */
};

/* ---- the buffer ---- */

/* Makes room for that many bytes. */
static bool reserve(rf_writer *w, uint64_t bytes)
{
    if (bytes <= w->capacity - w->length)
        return true;
    if (bytes > MAX_WRITTEN || w->length + bytes > MAX_WRITTEN)
        return false;
    size_t capacity = w->capacity * 2 + (size_t)bytes;
    char *text = realloc(w->text, capacity);
    if (text == NULL)
        return false;
    w->text = text;
    w->capacity = capacity;
    return true;
}

/* The following functions write into reserved room. */

static void put_byte(rf_writer *w, char c) { w->text[w->length++] = c; }

static void put_bytes(rf_writer *w, const char *text, size_t length)
{
    memcpy(w->text + w->length, text, length);
    w->length += length;
}

static void put_span(rf_writer *w, rf_span span) { put_bytes(w, span.text, span.length); }

#define PUT(w, literal) put_bytes(w, literal, sizeof literal - 1)

static void put_number(rf_writer *w, uint32_t number)
{
    w->length = (size_t)(rf_put_number(w->text + w->length, number) - w->text);
}

/* The number before a ply; its round as the record numbers it. */
static uint32_t round_of(const rf_writer *w, const rf_event *ply) { return ply->number + w->first - 1; }

/* ---- comments ---- */

/* Makes the comment of an event the current one: skipped lines and marks are dropped, each run of white space becomes one
 * space, and none is at the ends. Returns its length, or SIZE_MAX if memory ran out. */
static size_t normalize_comment(rf_writer *w, const char *text, uint32_t length)
{
    if (w->comment_capacity <= length) {
        char *comment = realloc(w->comment, (size_t)length + 1);
        if (comment == NULL)
            return SIZE_MAX;
        w->comment = comment;
        w->comment_capacity = (size_t)length + 1;
    }
    size_t end = 0;
    bool blank = false;
    for (uint32_t at = 0; at < length; at++) {
        if (at > 0 && rf_byte_is(text[at - 1], RF_LINE_END)) {
            uint32_t mark = rf_is_bom(text + at, length - at) ? 3 : 0;
            bool skipped = at + mark < length && text[at + mark] == '%';
            at += mark;
            while (skipped && at < length && !rf_byte_is(text[at], RF_LINE_END))
                at++;
            if (at == length)
                break;
        }
        if (rf_byte_is(text[at], RF_SPACE)) {
            blank = true;
            continue;
        }
        if (blank && end > 0)
            w->comment[end++] = ' ';
        blank = false;
        w->comment[end++] = text[at];
    }
    return end;
}

/* ---- words in lines ---- */

static bool begins_character(char c) { return ((unsigned char)c & 0xc0) != 0x80; }

static size_t columns(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += begins_character(text[i]);
    return count;
}

/* Puts the held words at the end of the line, or on the next line. */
static void flush_words(rf_writer *w)
{
    if (w->held_width == 0)
        return;
    if (w->line > 0 && w->line + 1 + w->held_width > WIDTH) {
        w->text[w->held - 1] = '\n';
        w->line = 0;
    }
    w->line += w->held_width + (w->line > 0);
    w->held_width = 0;
}

static void end_line(rf_writer *w)
{
    if (w->line > 0)
        put_byte(w, '\n');
    w->line = 0;
}

/* The words that follow are held. */
static void hold(rf_writer *w)
{
    flush_words(w);
    if (w->line > 0)
        put_byte(w, ' ');
    w->held = w->length;
    if (w->opening) {
        put_byte(w, '(');
        w->held_width = 1;
    }
    w->opening = false;
}

static void add_held(rf_writer *w, const char *text, size_t length)
{
    put_bytes(w, text, length);
    w->held_width += columns(text, length);
}

static void add_held_ascii(rf_writer *w, const char *text, size_t length)
{
    put_bytes(w, text, length);
    w->held_width += length;
}

/* ---- text ---- */

static void text_ply(rf_writer *w, const char *text, uint32_t length, const rf_event *ply)
{
    hold(w);
    if (ply->opens || !w->numbered) {
        size_t begin = w->length;
        put_number(w, round_of(w, ply));
        if (ply->opens)
            PUT(w, ".");
        else
            PUT(w, "...");
        w->held_width += w->length - begin;
        if (w->held_width + 1 + length > WIDTH)
            hold(w);
        else
            add_held_ascii(w, " ", 1);
    }
    add_held_ascii(w, text, length);
    w->numbered = true;
}

static void text_nag(rf_writer *w, uint32_t nag)
{
    char text[MAX_NUMBER] = "$";
    hold(w);
    add_held_ascii(w, text, (size_t)(rf_put_number(text + 1, nag) - text));
}

static void text_close(rf_writer *w)
{
    if (w->held_width == 0 || w->held_width >= WIDTH)
        hold(w);
    add_held_ascii(w, ")", 1);
    w->numbered = false;
}

/* The end of the word that begins at `at`, and whether it leaves a command open: [% without ]. */
static size_t comment_word(const char *comment, size_t length, size_t at, bool *open)
{
    for (; at < length && comment[at] != ' '; at++) {
        if (comment[at] == '[' && at + 1 < length && comment[at + 1] == '%')
            *open = true;
        else if (comment[at] == ']')
            *open = false;
    }
    return at;
}

/* A comment in braces. Lines may end between its words, but not in a short command, and no line begins with %, because
 * readers would skip it. */
static void text_braces(rf_writer *w, const char *comment, size_t length)
{
    hold(w);
    add_held_ascii(w, "{", 1);
    size_t width = 1; /* of the words that a command joins */
    bool open = false;
    for (size_t at = 0; at < length;) {
        bool joined = open, is_first = at == 0;
        size_t begin = at;
        at = comment_word(comment, length, begin, &open);
        size_t added = columns(comment + begin, at - begin) + (at == length);
        if (is_first) {
            width += added;
        } else if (joined && width + added < LONGEST_COMMAND) {
            add_held_ascii(w, " ", 1);
            width += 1 + added;
        } else {
            open = false;
            comment_word(comment, length, begin, &open);
            if (comment[begin] == '%')
                add_held_ascii(w, " ", 1);
            else
                hold(w);
            width = added;
        }
        add_held(w, comment + begin, at - begin);
        at += at < length;
    }
    add_held_ascii(w, "}", 1);
}

static void text_comment(rf_writer *w, const char *comment, size_t length)
{
    w->numbered = false;
    if (memchr(comment, '}', length) == NULL) {
        text_braces(w, comment, length);
        return;
    }
    if (w->opening)
        hold(w);
    hold(w);
    PUT(w, "; ");
    w->held_width += 2;
    add_held(w, comment, length);
    flush_words(w);
    end_line(w);
}

/* ---- JSON ---- */

/* Writes a text between quotes. `escaped`: quotes and backslashes have their backslash already, as in tags. */
static void json_text(rf_writer *w, const char *text, size_t length, bool escaped)
{
    static const char digits[] = "0123456789abcdef", letters[] = "btn fr"; /* of the bytes 8 to 13 */
    put_byte(w, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != 0x7f) {
            if (!escaped && (c == '"' || c == '\\'))
                put_byte(w, '\\');
            put_byte(w, (char)c);
        } else if (c >= 8 && c <= 13 && c != 11) {
            put_byte(w, '\\');
            put_byte(w, letters[c - 8]);
        } else {
            PUT(w, "\\u00");
            put_byte(w, digits[c >> 4]);
            put_byte(w, digits[c & 15]);
        }
    }
    put_byte(w, '"');
}

/* Ends the last ply, and begins the next item of the movetext unless it is over. */
static void json_item(rf_writer *w, bool over)
{
    if (w->nags_open)
        put_byte(w, ']');
    if (w->ply_open)
        put_byte(w, '}');
    w->nags_open = w->ply_open = false;
    if (w->has_item && !over)
        PUT(w, ", ");
    w->has_item = true;
}

static void json_ply(rf_writer *w, const char *text, uint32_t length)
{
    json_item(w, false);
    PUT(w, "{\"ply\": \"");
    put_bytes(w, text, length);
    put_byte(w, '"');
    w->ply_open = true;
}

static void json_nag(rf_writer *w, uint32_t nag)
{
    if (w->nags_open)
        PUT(w, ", ");
    else
        PUT(w, ", \"nags\": [");
    w->nags_open = true;
    put_number(w, nag);
}

static void json_comment(rf_writer *w, const char *comment, size_t length)
{
    json_item(w, false);
    PUT(w, "{\"comment\": ");
    json_text(w, comment, length, false);
    put_byte(w, '}');
}

/* ---- events ---- */

static bool write_comment(rf_writer *w, const char *text, uint32_t length)
{
    size_t size = normalize_comment(w, text, length);
    if (size == SIZE_MAX)
        return false;
    if (w->form == RF_FORM_JSON)
        json_comment(w, w->comment, size);
    else
        text_comment(w, w->comment, size);
    return true;
}

static void write_ply(rf_writer *w, const char *text, const rf_event *ply)
{
    if (w->form == RF_FORM_JSON)
        json_ply(w, text + ply->at, ply->length);
    else if (w->form == RF_FORM_SHORT && ply->text[0] != '\0')
        text_ply(w, ply->text, (uint32_t)strlen(ply->text), ply);
    else
        text_ply(w, text + ply->at, ply->length, ply);
}

static void write_parenthesis(rf_writer *w, bool opens)
{
    if (w->form == RF_FORM_JSON) {
        json_item(w, false);
        put_bytes(w, opens ? "\"(\"" : "\")\"", 3);
    } else if (opens) {
        w->opening = true;
        w->numbered = false;
    } else {
        text_close(w);
    }
}

static bool write_event(rf_writer *w, const char *text, const rf_event *event)
{
    if (!reserve(w, (uint64_t)event->length * MAX_ESCAPED + 128))
        return false;
    uint32_t last = w->last_kind;
    w->last_kind = event->kind;
    switch (event->kind) {
    case RF_EVENT_PLY:
        write_ply(w, text, event);
        return true;
    case RF_EVENT_NAG: /* NAGs are written before comments and variations */
        if (last != RF_EVENT_PLY && last != RF_EVENT_NAG)
            return false;
        if (w->form == RF_FORM_JSON)
            json_nag(w, event->number);
        else
            text_nag(w, event->number);
        return true;
    case RF_EVENT_COMMENT:
        return write_comment(w, text + event->at, event->length);
    default:
        write_parenthesis(w, event->kind == RF_EVENT_OPEN);
        return true;
    }
}

/* ---- tags ---- */

static bool write_tag(rf_writer *w, rf_span name, rf_span value, bool first)
{
    if (!reserve(w, ((uint64_t)name.length + value.length) * MAX_ESCAPED + 64))
        return false;
    if (w->form == RF_FORM_JSON) {
        if (!first)
            PUT(w, ", ");
        json_text(w, name.text, name.length, true);
        PUT(w, ": ");
        json_text(w, value.text, value.length, true);
    } else {
        put_byte(w, '[');
        put_span(w, name);
        PUT(w, " \"");
        put_span(w, value);
        PUT(w, "\"]\n");
    }
    return true;
}

/* Whether a tag has a fixed place: those of players only in games for as many. */
static bool is_ordered(unsigned kind, const rf_record_start *start)
{
    bool many = start->players > 0;
    if (kind == RF_TAG_SOUTH || kind == RF_TAG_NORTH)
        return !many;
    if (kind >= RF_TAG_PLAYER && kind < RF_TAG_RESULT)
        return many;
    return kind < RF_TAG_OTHER;
}

/* Writes the tags in canonical order; `position` is the canonical text of the start. */
static bool write_tags(rf_writer *w, const rf_head *head, const rf_record_start *start, rf_span position)
{
    bool first = true;
    for (unsigned kind = 0; kind < RF_TAG_OTHER; kind++) {
        if (!rf_has_tag(head, kind) || !is_ordered(kind, start))
            continue;
        const rf_head_tag *tag = &head->tags[head->known[kind]];
        if (!write_tag(w, tag->name, kind == RF_TAG_FEN ? position : tag->value, first))
            return false;
        first = false;
    }
    for (uint32_t i = 0; i < head->count; i++) {
        const rf_head_tag *tag = &head->tags[i];
        if (!is_ordered(tag->kind, start) && !write_tag(w, tag->name, tag->value, first))
            return false;
        first = false;
    }
    return true;
}

/* ---- records ---- */

bool rf_write_head(rf_writer *w, const rf_head *head, const rf_record_start *start, uint32_t first)
{
    char text[RF_MAX_TEXT];
    rf_span position = {text, (uint32_t)rf_format(start->game, start->ctx, start->state, text)};
    w->begin = w->length;
    w->first = first;
    w->last_kind = 0;
    w->line = w->held_width = 0;
    w->opening = w->numbered = w->has_item = w->ply_open = w->nags_open = false;
    if (head->comments || !reserve(w, 2 * RF_MAX_TEXT))
        return false;
    if (w->form != RF_FORM_JSON) {
        if (!write_tags(w, head, start, position))
            return false;
        put_byte(w, '\n');
        return true;
    }
    PUT(w, "{\"tags\": {");
    if (!write_tags(w, head, start, position) || !reserve(w, 2 * RF_MAX_TEXT))
        return false;
    PUT(w, "}, \"start\": ");
    json_text(w, position.text, position.length, false);
    if (first != 1) {
        PUT(w, ", \"first_number\": ");
        put_number(w, first);
    }
    PUT(w, ", \"movetext\": [");
    return true;
}

bool rf_write_events(rf_writer *w, const char *text, const rf_event *events, uint32_t count, uint32_t first)
{
    if (first != w->first)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!write_event(w, text, &events[i]))
            return false;
    return true;
}

bool rf_write_end(rf_writer *w, rf_span result, uint32_t first)
{
    if (first != w->first || !reserve(w, (uint64_t)result.length + 64))
        return false;
    if (w->form == RF_FORM_JSON) {
        json_item(w, true);
        PUT(w, "], \"result\": ");
        json_text(w, result.text, result.length, false);
        PUT(w, "}\n");
    } else {
        hold(w);
        add_held_ascii(w, result.text, result.length);
        flush_words(w);
        end_line(w);
        put_byte(w, '\n');
    }
    w->begin = w->length;
    return true;
}

void rf_writer_discard(rf_writer *w) { w->length = w->begin; }

/* ---- writers ---- */

rf_writer *rf_writer_new(int form)
{
    rf_writer *w = calloc(1, sizeof *w);
    if (w != NULL)
        w->form = form;
    return w;
}

void rf_writer_free(rf_writer *w)
{
    if (w == NULL)
        return;
    free(w->text);
    free(w->comment);
    free(w);
}

const char *rf_writer_text(const rf_writer *w) { return w->text; }
uint64_t rf_writer_length(const rf_writer *w) { return w->length; }
void rf_writer_clear(rf_writer *w) { w->length = w->begin = 0; }
