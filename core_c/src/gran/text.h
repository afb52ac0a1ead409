/* Words of the texts of GRAN, shared by positions (text.c) and plies (ply_text.c).
 *
 * Example: GR_POINT(b, point) is "b4", valid until the end of the full expression. */
#ifndef RINGFEN_GRAN_TEXT_H
#define RINGFEN_GRAN_TEXT_H

#include "common/text.h"
#include "gran/gran.h"

extern RF_INTERNAL const char *const gr_phase_names[GR_PHASES];
extern RF_INTERNAL const char gr_seal_letters[5]; /* by realm */
extern RF_INTERNAL const char *const gr_symbol_names[RF_GRAN_RING_BALL + 1];

RF_INTERNAL char *gr_put_point(const rf_gran_board *b, unsigned point, char *out);
/* Reads a point of the board. False, with the error: `otherwise` if the text has no point. */
RF_INTERNAL bool gr_read_point(const rf_gran_board *b, rf_cursor *c, const char *otherwise, unsigned *point,
                               rf_error *error);
RF_INTERNAL rf_word gr_point_word(const rf_gran_board *b, unsigned point);

#define GR_POINT(b, point) gr_point_word(b, point).text
#define GR_NUMBER(number) rf_number_word((unsigned)(number)).text

#endif
