/* Writes the JSON texts that the page gets from the core (web.c, records.c).
 *
 * Idea: a text in memory that grows; a failed allocation makes it NULL, and everything after that does nothing.
 * Example: json out = json_new(); put(&out, "{"); put_field(&out, "at", 3); put(&out, "}"); gives {"at":3}. */
#ifndef RINGFEN_WEB_JSON_H
#define RINGFEN_WEB_JSON_H

#include <stdlib.h>

#include "common/text.h"
#include "game.h"

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
} json;

enum { FIRST_CAPACITY = 1 << 12 };

static inline json json_new(void) { return (json){malloc(FIRST_CAPACITY), 0, FIRST_CAPACITY}; }

static inline void put_bytes(json *out, const char *bytes, size_t length)
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

static inline void put(json *out, const char *words) { put_bytes(out, words, strlen(words)); }

/* Writes a JSON string. The texts of the core are ASCII; other bytes become question marks. */
static inline void put_string(json *out, const char *text, size_t length)
{
    put(out, "\"");
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        if (byte == '"' || byte == '\\')
            put(out, "\\");
        if (byte < ' ' || byte > '~')
            byte = '?';
        put_bytes(out, &byte, 1);
    }
    put(out, "\"");
}

static inline void put_word(json *out, const char *word) { put_string(out, word, strlen(word)); }

static inline void put_number(json *out, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    put_bytes(out, digits + at, sizeof digits - at);
}

/* Writes `,"name":`, or without the comma if the name is the first. */
static inline void put_name(json *out, const char *name)
{
    if (out->length > 0 && out->text != NULL && out->text[out->length - 1] != '{')
        put(out, ",");
    put_word(out, name);
    put(out, ":");
}

static inline void put_field(json *out, const char *name, uint64_t number)
{
    put_name(out, name);
    put_number(out, number);
}

static inline void put_word_field(json *out, const char *name, const char *word)
{
    put_name(out, name);
    put_word(out, word);
}

/* Writes a JSON string of UTF-8 text. */
static inline void put_text(json *out, const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    put(out, "\"");
    for (size_t i = 0, begin = 0; i <= length; i++) {
        unsigned char byte = i < length ? (unsigned char)text[i] : '\0';
        if (byte >= ' ' && byte != '"' && byte != '\\')
            continue;
        put_bytes(out, text + begin, i - begin);
        begin = i + 1;
        const char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
        if (i < length)
            put_bytes(out, escape, sizeof escape);
    }
    put(out, "\"");
}

static inline void put_error(json *out, const rf_error *error)
{
    put(out, "{\"error\":{");
    put_field(out, "kind", error->kind);
    put_field(out, "at", error->at);
    put_field(out, "length", error->length);
    put_word_field(out, "reason", error->reason);
    put_name(out, "args");
    for (int i = 0; i < RF_ARGS; i++) {
        put(out, i == 0 ? "[" : ",");
        put_word(out, error->args[i]);
    }
    put(out, "]}}");
}

#endif
