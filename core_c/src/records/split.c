/* Finds the ends of records by a state machine that reads each byte once.
 *
 * Idea: a record ends before a line outside comments that starts a tag, if
 *   - a blank line precedes it and the record has tags or movetext, or
 *   - the record's movetext has begun and the line looks like a tag ([Name "...).
 * It also ends within a line of movetext, before [Name ", where a line end was lost.
 * Comments before the first tags of a stream belong to the first record. A line may begin with a byte order mark.
 * In a comment a blank line and a line that looks like a tag show that the comment was never closed; the record ends
 * there too, so that one missing brace harms one record only.
 * Example: in the line "2. a1-a2 * [Game "rings"]" the second record begins at the bracket. */
#include "records/split.h"

#include "common/text.h"
#include "game.h"

enum state {
    LINE_START, /* only spaces and tabs so far in this line */
    SKIPPED,    /* a line with % in column 1 */
    TAG,        /* after [ */
    TAG_STRING,
    TAG_ESCAPE,
    TAG_DONE, /* after ], where another tag or movetext may follow */
    TEXT,     /* movetext or the inside of a comment in braces */
    REST,     /* comment to the end of the line */
    AFTER_BRACKET /* after [ where only [Name " starts a record */
};

/* A tag is not indented further, and its name is not longer, than this: so the text that may still begin the next
 * record stays short. */
enum { LONGEST_LOOKAHEAD = 4096 };

static void begin_record(rf_splitter *s)
{
    s->boundary = s->begin;
    s->boundary_line = s->line;
    s->mid_line = s->begin != s->line_start;
    s->content = true;
    s->tags = true;
    s->movetext = false;
    s->in_comment = false;
    s->after_blank = false;
}

static void end_line(rf_splitter *s, char c)
{
    if (s->state == LINE_START && !(c == '\n' && s->after_cr))
        s->after_blank = true;
    if (!(c == '\n' && s->after_cr))
        s->line++;
    s->after_cr = c == '\r';
    s->state = LINE_START;
    s->line_start = s->at + 1;
    s->bom_bytes = 0;
}

/* Reads the first byte of a line that is no space or tab. True: a record ends before this line. */
static bool first_of_line(rf_splitter *s, char c)
{
    bool first_column = s->at == s->line_start + s->bom_bytes;
    if (c == '%' && first_column) {
        s->state = SKIPPED;
        return false;
    }
    bool after_blank = s->after_blank;
    s->after_blank = false;
    s->content = true;
    s->has_name = false;
    s->begin = s->line_start;
    if (c == '[' && s->in_comment) {
        s->state = after_blank && first_column ? AFTER_BRACKET : TEXT;
    } else if (c == '[' && after_blank && (s->tags || s->movetext)) {
        begin_record(s);
        s->state = TAG;
        return true;
    } else if (c == '[') {
        s->state = s->movetext ? AFTER_BRACKET : TAG;
        s->tags = true;
    } else {
        s->state = TEXT;
    }
    return false;
}

/* A byte of movetext or of a comment in braces. */
static void in_text(rf_splitter *s, char c)
{
    s->state = TEXT;
    if (s->in_comment) {
        s->in_comment = c != '}';
        return;
    }
    if (c == '[' && !s->tags && !s->movetext) { /* the first tag, after comments */
        s->tags = true;
        s->state = TAG;
        return;
    }
    s->movetext |= s->tags || !(c == '{' || c == ';' || rf_byte_is(c, RF_BLANK));
    if (c == '{') {
        s->in_comment = true;
    } else if (c == ';') {
        s->state = REST;
    } else if (c == '[') {
        s->state = AFTER_BRACKET;
        s->begin = s->at;
        s->has_name = false;
    }
}

static void in_tag(rf_splitter *s, char c)
{
    if (s->state == TAG_ESCAPE)
        s->state = TAG_STRING;
    else if (s->state == TAG_STRING)
        s->state = c == '"' ? TAG : c == '\\' ? TAG_ESCAPE : TAG_STRING;
    else if (s->state == TAG)
        s->state = c == '"' ? TAG_STRING : c == ']' ? TAG_DONE : TAG;
    else if (c == '[')
        s->state = TAG;
    else if (!rf_byte_is(c, RF_BLANK))
        in_text(s, c);
}

/* Reads a byte after [. True: [Name " is complete, and a record ends before it. */
static bool after_bracket(rf_splitter *s, char c)
{
    bool near = s->at - s->begin < 2 * LONGEST_LOOKAHEAD;
    if (near && (rf_byte_is(c, RF_NAME | RF_BLANK))) {
        s->has_name |= rf_byte_is(c, RF_NAME);
        return false;
    }
    if (c == '"' && s->has_name) {
        begin_record(s);
        s->state = TAG_STRING;
        return true;
    }
    in_text(s, c);
    return false;
}

/* Reads a byte at the start of a line, after spaces and tabs only. True: a record ends before this line. */
static bool at_line_start(rf_splitter *s, char c)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (s->bom_bytes < 3 && s->at == s->line_start + s->bom_bytes && c == mark[s->bom_bytes]) {
        s->bom_bytes++;
        return false;
    }
    if (s->bom_bytes == 1 || s->bom_bytes == 2) { /* another character, which only began like the mark */
        s->bom_bytes = 0;
        first_of_line(s, mark[0]);
        in_text(s, c);
        return false;
    }
    if (rf_byte_is(c, RF_BLANK) && s->at - s->line_start < LONGEST_LOOKAHEAD)
        return false;
    if (first_of_line(s, c))
        return true;
    if (s->state == TEXT)
        in_text(s, c);
    return false;
}

/* True: a record ends before this byte, or before its line. */
static bool step(rf_splitter *s, char c)
{
    if (rf_byte_is(c, RF_LINE_END)) {
        end_line(s, c);
        return false;
    }
    s->after_cr = false;
    switch (s->state) {
    case LINE_START:
        return at_line_start(s, c);
    case SKIPPED:
    case REST:
        return false;
    case TEXT:
        in_text(s, c);
        return false;
    case AFTER_BRACKET:
        return after_bracket(s, c);
    default:
        in_tag(s, c);
        return false;
    }
}

/* The number of bytes before the next line end, brace, bracket or semicolon. */
static size_t plain_run(const char *text, size_t length)
{
    static const bool special[256] = {['\n'] = true, ['\r'] = true, ['{'] = true,
                                      ['}'] = true,  [';'] = true,  ['['] = true};
    size_t run = 0;
    while (run < length && !special[(unsigned char)text[run]])
        run++;
    return run;
}

size_t rf_split(rf_splitter *s, const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        if (s->state == TEXT) {
            size_t run = plain_run(text + i, length - i);
            if (run > 0) {
                for (size_t k = 0; k < run && !s->movetext && !s->in_comment; k++)
                    s->movetext = s->tags || !rf_byte_is(text[i + k], RF_BLANK);
                s->after_cr = false;
                s->at += run;
                i += run;
                continue;
            }
        }
        bool ended = step(s, text[i]);
        s->at++;
        i++;
        if (ended)
            break;
    }
    bool may_begin = s->state == LINE_START || s->state == AFTER_BRACKET || (s->state == SKIPPED && !s->content);
    s->keep = !may_begin ? s->at : s->state == AFTER_BRACKET ? s->begin : s->line_start;
    return i;
}
