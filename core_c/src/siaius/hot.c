/* Compiles the fast files of Siaius as one unit (unit.h). */
#define RF_HOT
#include "siaius/siaius.c"
#include "siaius/bulk_count.c"
#include "siaius/endgame.c"
#include "siaius/solver/turns.c"
