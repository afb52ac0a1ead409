/* Compiles the fast files of GRAN as one unit (unit.h). */
#define RF_HOT
#include "gran/stones.c"
#include "gran/gran.c"
#include "gran/bulk_count.c"
#include "gran/solver/masks.c"
#include "gran/solver/earliest_wins.c"
#include "gran/solver/certain_wins.c"
#include "gran/solver/table.c"
#include "gran/solver/search.c"
#include "gran/solver/maxn.c"
#include "gran/solver/paranoid.c"
