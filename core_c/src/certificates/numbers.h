/* Numbers in certificates: unsigned LEB128, below 2^32 - 1, in the fewest bytes. Example: 300 is AC 02. */
#ifndef RINGFEN_CERTIFICATE_NUMBERS_H
#define RINGFEN_CERTIFICATE_NUMBERS_H

#include "certificates/certificate.h"

enum { RF_LONGEST_NUMBER = 5 };

/* Reads the number at bytes[*at] and advances *at; returns RF_CERT_GOOD or the error. */
static inline int rf_read_leb128(const unsigned char *bytes, size_t length, size_t *at, uint32_t *out)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < RF_LONGEST_NUMBER; i++) {
        if (*at == length)
            return RF_CERT_SHORT;
        unsigned char byte = bytes[(*at)++];
        number |= (uint64_t)(byte & 0x7f) << (7 * i);
        if ((byte & 0x80) == 0) {
            if ((byte == 0 && i > 0) || number >= UINT32_MAX)
                break;
            *out = (uint32_t)number;
            return RF_CERT_GOOD;
        }
    }
    return RF_CERT_NUMBER;
}

/* Writes a number (at most RF_LONGEST_NUMBER bytes); returns the new end. */
static inline unsigned char *rf_write_leb128(unsigned char *out, uint32_t number)
{
    for (; number >= 0x80; number >>= 7)
        *out++ = (unsigned char)(number | 0x80);
    *out++ = (unsigned char)number;
    return out;
}

#endif
