#include "common/text.h"

#include <stdarg.h>

static bool is_blank(int c) { return c == ' ' || c == '\t'; }

bool rf_skip_blanks(rf_cursor *c)
{
    size_t before = c->at;
    while (is_blank(rf_peek(c)))
        c->at++;
    return c->at > before;
}

bool rf_at_end(rf_cursor *c)
{
    rf_skip_blanks(c);
    return c->at == c->length;
}

bool rf_accept_field(rf_cursor *c, const char *word)
{
    size_t size = strlen(word);
    if (c->length - c->at < size || memcmp(c->text + c->at, word, size) != 0)
        return false;
    if (c->at + size < c->length && !is_blank((unsigned char)c->text[c->at + size]))
        return false;
    c->at += size;
    return true;
}

int rf_number(rf_cursor *c, int most)
{
    size_t at = c->at;
    int number = 0;
    while (at < c->length && c->text[at] >= '0' && c->text[at] <= '9') {
        number = number * 10 + (c->text[at] - '0');
        at++;
        if (number > most)
            return -1;
        if (number == 0)
            break;
    }
    bool more = at < c->length && c->text[at] >= '0' && c->text[at] <= '9';
    if (at == c->at || more)
        return -1;
    c->at = at;
    return number;
}

bool rf_square(rf_cursor *c, int files, int ranks, int *file, int *rank)
{
    size_t before = c->at;
    int letter = rf_peek(c);
    if (letter < 'a' || letter >= 'a' + files)
        return false;
    c->at++;
    int number = rf_number(c, ranks);
    if (number < 1) {
        c->at = before;
        return false;
    }
    *file = letter - 'a';
    *rank = number - 1;
    return true;
}

/* A question mark for each character that is no plain one: the bytes with which UTF-8 goes on are left out. */
static void copy_clipped(char *out, size_t room, const char *word)
{
    size_t size = 0;
    for (size_t i = 0; word[i] != '\0' && size + 1 < room; i++)
        if (i == 0 || ((unsigned char)word[i] & 0xc0) != 0x80)
            out[size++] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    out[size] = '\0';
}

bool rf_fail(rf_error *error, uint32_t kind, size_t at, size_t length, const char *reason, ...)
{
    memset(error, 0, sizeof *error);
    error->kind = kind;
    error->at = (uint32_t)at;
    error->length = (uint32_t)length;
    copy_clipped(error->reason, sizeof error->reason, reason);
    va_list args;
    va_start(args, reason);
    for (int i = 0; i < RF_ARGS; i++) {
        const char *word = va_arg(args, const char *);
        if (word == NULL)
            break;
        copy_clipped(error->args[i], sizeof error->args[i], word);
    }
    va_end(args);
    return false;
}

bool rf_fail_here(const rf_cursor *c, rf_error *error, const char *reason)
{
    char word[RF_ARG_SIZE];
    size_t size = 0;
    while (c->at + size < c->length && !is_blank((unsigned char)c->text[c->at + size]))
        size++;
    size_t kept = size < sizeof word - 1 ? size : sizeof word - 1;
    memcpy(word, c->text + c->at, kept);
    word[kept] = '\0';
    for (size_t i = 0; i < kept; i++)
        if (word[i] == '\0')
            word[i] = '?';
    return rf_fail(error, RF_SYNTAX, c->at, size, reason, size > 0 ? word : "the end of the field", NULL);
}

char *rf_put(char *out, const char *word)
{
    size_t size = strlen(word);
    memcpy(out, word, size);
    return out + size;
}

char *rf_put_number(char *out, unsigned number)
{
    unsigned unit = 1;
    while (number / unit >= 10)
        unit *= 10;
    for (; unit > 0; unit /= 10)
        *out++ = (char)('0' + number / unit % 10);
    return out;
}

char *rf_put_square(char *out, unsigned file, unsigned rank)
{
    *out++ = (char)('a' + file);
    return rf_put_number(out, rank + 1);
}
