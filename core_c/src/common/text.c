/* Reads words and numbers, and writes errors and plain words (common/text.h).
 *
 * Example: at "10 s" rf_accept_number returns 10 and stops before the space; at "01" it returns -1, because 0 must not
 * lead. */
#include "common/text.h"

#include <stdarg.h>

/* ---- classes of bytes; a byte that is not listed has none ---- */

#define D RF_DIGIT
#define L RF_LETTER
#define P RF_DELIMITER

const uint8_t rf_byte_classes[256] = {
    ['\t'] = RF_BLANK,
    [' '] = RF_BLANK,
    ['\n'] = RF_LINE_END,
    ['\r'] = RF_LINE_END,
    ['_'] = RF_UNDERLINE,
    ['('] = P, [')'] = P, ['{'] = P, ['}'] = P, [';'] = P, ['$'] = P, ['!'] = P, ['?'] = P,
    ['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D, ['5'] = D, ['6'] = D, ['7'] = D, ['8'] = D,
    ['9'] = D,
    ['A'] = L, ['B'] = L, ['C'] = L, ['D'] = L, ['E'] = L, ['F'] = L, ['G'] = L, ['H'] = L, ['I'] = L,
    ['J'] = L, ['K'] = L, ['L'] = L, ['M'] = L, ['N'] = L, ['O'] = L, ['P'] = L, ['Q'] = L, ['R'] = L,
    ['S'] = L, ['T'] = L, ['U'] = L, ['V'] = L, ['W'] = L, ['X'] = L, ['Y'] = L, ['Z'] = L,
    ['a'] = L, ['b'] = L, ['c'] = L, ['d'] = L, ['e'] = L, ['f'] = L, ['g'] = L, ['h'] = L, ['i'] = L,
    ['j'] = L, ['k'] = L, ['l'] = L, ['m'] = L, ['n'] = L, ['o'] = L, ['p'] = L, ['q'] = L, ['r'] = L,
    ['s'] = L, ['t'] = L, ['u'] = L, ['v'] = L, ['w'] = L, ['x'] = L, ['y'] = L, ['z'] = L,
};

#undef D
#undef L
#undef P

/* ---- reading ---- */

bool rf_skip_blanks(rf_cursor *c)
{
    size_t before = c->at;
    while (c->at < c->length && rf_byte_is(c->text[c->at], RF_BLANK))
        c->at++;
    return c->at > before;
}

/* Whether only spaces and tabs are left; skips them. */
static bool at_end(rf_cursor *c)
{
    rf_skip_blanks(c);
    return c->at == c->length;
}

bool rf_accept_field(rf_cursor *c, const char *word)
{
    size_t size = strlen(word);
    if (c->length - c->at < size || memcmp(c->text + c->at, word, size) != 0)
        return false;
    if (c->at + size < c->length && !rf_byte_is(c->text[c->at + size], RF_BLANK))
        return false;
    c->at += size;
    return true;
}

int rf_accept_number(rf_cursor *c, int max)
{
    size_t at = c->at;
    int number = 0;
    while (at < c->length && rf_byte_is(c->text[at], RF_DIGIT)) {
        number = number * 10 + (c->text[at] - '0');
        at++;
        if (number > max)
            return -1;
        if (number == 0)
            break;
    }
    bool more = at < c->length && rf_byte_is(c->text[at], RF_DIGIT);
    if (at == c->at || more)
        return -1;
    c->at = at;
    return number;
}

bool rf_accept_square(rf_cursor *c, int files, int ranks, int *file, int *rank)
{
    size_t before = c->at;
    int letter = rf_peek(c);
    if (letter < 'a' || letter >= 'a' + files)
        return false;
    c->at++;
    int number = rf_accept_number(c, ranks);
    if (number < 1) {
        c->at = before;
        return false;
    }
    *file = letter - 'a';
    *rank = number - 1;
    return true;
}

/* Copies ASCII; each other character becomes a question mark, its continuation bytes are skipped. */
static void copy_clipped(char *out, size_t capacity, const char *word)
{
    size_t size = 0;
    for (size_t i = 0; word[i] != '\0' && size + 1 < capacity; i++)
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
    while (c->at + size < c->length && !rf_byte_is(c->text[c->at + size], RF_BLANK))
        size++;
    size_t kept = size < sizeof word - 1 ? size : sizeof word - 1;
    memcpy(word, c->text + c->at, kept);
    word[kept] = '\0';
    for (size_t i = 0; i < kept; i++)
        if (word[i] == '\0')
            word[i] = '?';
    return rf_fail(error, RF_SYNTAX, c->at, size, reason, size > 0 ? word : "the end of the field", NULL);
}

/* ---- position texts ---- */

bool rf_read_id(rf_cursor *c, const char *id, rf_error *error)
{
    rf_skip_blanks(c);
    return rf_accept_field(c, id) || rf_fail_here(c, error, "bad-game");
}

bool rf_next_field(rf_cursor *c, const char *what, rf_error *error)
{
    if (rf_skip_blanks(c) && c->at < c->length)
        return true;
    return rf_fail(error, RF_SYNTAX, c->at, 0, "missing-field", what, NULL);
}

bool rf_read_side(rf_cursor *c, uint8_t *side, rf_error *error)
{
    *side = rf_peek(c) == 'n';
    return rf_accept_field(c, *side ? "n" : "s") || rf_fail_here(c, error, "bad-side");
}

bool rf_read_number(rf_cursor *c, int max, const char *reason, uint8_t *number, rf_error *error)
{
    size_t begin = c->at;
    int read = rf_accept_number(c, max);
    *number = (uint8_t)read;
    if (read >= 0 && rf_at_field_end(c))
        return true;
    c->at = begin;
    return rf_fail_here(c, error, reason);
}

bool rf_read_two_numbers(rf_cursor *c, int max, const char *reason, uint8_t numbers[2], rf_error *error)
{
    size_t begin = c->at;
    int south = rf_accept_number(c, max);
    int north = south >= 0 && rf_accept(c, '+') ? rf_accept_number(c, max) : -1;
    numbers[0] = (uint8_t)south;
    numbers[1] = (uint8_t)north;
    if (north >= 0 && rf_at_field_end(c))
        return true;
    c->at = begin;
    return rf_fail_here(c, error, reason);
}

bool rf_read_end(rf_cursor *c, const char *bad_option, rf_error *error)
{
    if (at_end(c))
        return true;
    size_t at = c->at;
    while (at < c->length && c->text[at] != '=' && !rf_byte_is(c->text[at], RF_BLANK))
        at++;
    bool is_option = at < c->length && c->text[at] == '=';
    return rf_fail_here(c, error, bad_option != NULL && is_option ? bad_option : "extra-field");
}

const char *rf_side_name(unsigned side) { return side == 0 ? "South" : "North"; }

rf_word rf_number_word(unsigned number)
{
    rf_word word;
    *rf_put_number(word.text, number) = '\0';
    return word;
}

rf_word rf_square_word(unsigned file, unsigned rank)
{
    rf_word word;
    *rf_put_square(word.text, file, rank) = '\0';
    return word;
}

/* ---- writing ---- */

char *rf_put(char *out, const char *word)
{
    size_t size = strlen(word);
    memcpy(out, word, size);
    return out + size;
}

char *rf_put_number(char *out, unsigned number)
{
    if (number < 10) {
        *out++ = (char)('0' + number);
        return out;
    }
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
