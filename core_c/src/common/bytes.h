/* Classes of bytes in texts, in one table. */
#ifndef RINGFEN_BYTES_H
#define RINGFEN_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "unit.h"

enum {
    RF_BLANK = 1,    /* blank, tab */
    RF_LINE_END = 2, /* LF, CR */
    RF_DIGIT = 4,
    RF_LETTER = 8,
    RF_UNDERLINE = 16,
    RF_NAME = RF_DIGIT | RF_LETTER | RF_UNDERLINE /* of a tag */
};

extern RF_INTERNAL const uint8_t rf_byte_classes[256];

/* Whether a byte is of one of these classes. */
static inline bool rf_is(char byte, unsigned classes) { return (rf_byte_classes[(unsigned char)byte] & classes) != 0; }

/* Whether a byte order mark begins here, as UTF-8. */
static inline bool rf_is_bom(const char *text, uint64_t left)
{
    return left >= 3 && text[0] == '\xef' && text[1] == '\xbb' && text[2] == '\xbf';
}

#endif
