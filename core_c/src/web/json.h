/* Writes the JSON texts that the page gets from the core (web.c, records.c).
 *
 * Idea: a text in memory that grows; a failed allocation makes it NULL, and everything after that does nothing.
 * Example: rf_json out = json_new(); json_put(&out, "{"); json_field(&out, "at", 3); json_put(&out, "}"); gives
 * {"at":3}. */
#ifndef RINGFEN_WEB_JSON_H
#define RINGFEN_WEB_JSON_H

#include <stdlib.h>

#include "common/fraction.h"
#include "common/text.h"
#include "game.h"
#include "solving/solving.h"

/* Called from the page. */
#if defined(__wasm__)
#define RF_WEB(name) __attribute__((export_name(#name))) name
#else
#define RF_WEB(name) name
#endif

/* JSON that is being written. `text` is NULL if memory ran out. */
typedef struct {
    char *text;
    size_t length, capacity;
} rf_json;

enum { JSON_FIRST_CAPACITY = 1 << 12 };

static inline rf_json json_new(void) { return (rf_json){malloc(JSON_FIRST_CAPACITY), 0, JSON_FIRST_CAPACITY}; }

static inline void json_bytes(rf_json *out, const char *bytes, size_t length)
{
    if (out->text != NULL && out->capacity - out->length <= length) {
        size_t capacity = 2 * (out->capacity + length);
        char *more = realloc(out->text, capacity);
        if (more == NULL)
            free(out->text);
        out->text = more;
        out->capacity = capacity;
    }
    if (out->text == NULL)
        return;
    memcpy(out->text + out->length, bytes, length);
    out->length += length;
    out->text[out->length] = '\0';
}

static inline void json_put(rf_json *out, const char *words) { json_bytes(out, words, strlen(words)); }

/* Writes a JSON string. The texts of the core are ASCII; other bytes become question marks. */
static inline void json_string(rf_json *out, const char *text, size_t length)
{
    json_put(out, "\"");
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        if (byte == '"' || byte == '\\')
            json_put(out, "\\");
        if (byte < ' ' || byte > '~')
            byte = '?';
        json_bytes(out, &byte, 1);
    }
    json_put(out, "\"");
}

static inline void json_word(rf_json *out, const char *word) { json_string(out, word, strlen(word)); }

/* Writes a number from 0 up. */
static inline void json_number(rf_json *out, rf_wide number)
{
    char digits[40];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + (unsigned)(number % 10));
        number /= 10;
    } while (number != 0);
    json_bytes(out, digits + at, sizeof digits - at);
}

static inline void json_integer(rf_json *out, int64_t number)
{
    json_put(out, number < 0 ? "-" : "");
    json_number(out, (uint64_t)(number < 0 ? -number : number));
}

/* Writes `,"name":`, or without the comma if the name is the first. */
static inline void json_name(rf_json *out, const char *name)
{
    if (out->length > 0 && out->text != NULL && out->text[out->length - 1] != '{')
        json_put(out, ",");
    json_word(out, name);
    json_put(out, ":");
}

static inline void json_field(rf_json *out, const char *name, int64_t number)
{
    json_name(out, name);
    json_integer(out, number);
}

static inline void json_bool_field(rf_json *out, const char *name, bool value)
{
    json_name(out, name);
    json_put(out, value ? "true" : "false");
}

static inline void json_word_field(rf_json *out, const char *name, const char *word)
{
    json_name(out, name);
    json_word(out, word);
}

/* Writes a JSON string of UTF-8 text. */
static inline void json_utf8(rf_json *out, const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    json_put(out, "\"");
    for (size_t i = 0, begin = 0; i <= length; i++) {
        unsigned char byte = i < length ? (unsigned char)text[i] : '\0';
        if (byte >= ' ' && byte != '"' && byte != '\\')
            continue;
        json_bytes(out, text + begin, i - begin);
        begin = i + 1;
        const char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
        if (i < length)
            json_bytes(out, escape, sizeof escape);
    }
    json_put(out, "\"");
}

static inline void json_error(rf_json *out, const rf_error *error)
{
    json_put(out, "{\"error\":{");
    json_field(out, "kind", error->kind);
    json_field(out, "at", error->at);
    json_field(out, "length", error->length);
    json_word_field(out, "reason", error->reason);
    json_name(out, "args");
    for (int i = 0; i < RF_ARGS; i++) {
        json_put(out, i == 0 ? "[" : ",");
        json_word(out, error->args[i]);
    }
    json_put(out, "]}}");
}

/* ---- solution.c ---- */

/* Writes a solution as `solve --json` prints it, except the version and with the bounds of the values after plies.
 * `with_plies`: also writes the values after all plies. */
void json_solution(rf_json *out, const rf_game *game, const void *ctx, const rf_state *s, const rf_solve_options *options,
                   const rf_solution *solution, bool with_plies);

#endif
