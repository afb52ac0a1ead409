/* The files of GRAN that must be fast, as one unit. */
#define RF_HOT
#include "gran/stones.c"
#include "gran/gran.c"
#include "gran/bulk_count.c"
#include "gran/earliest_wins.c"
#include "gran/reads.c"
