/* The files of Siaius that must be fast, as one translation unit (unit.h). */
#define RF_HOT
#include "siaius/siaius.c"
#include "siaius/bulk_count.c"
#include "siaius/endgame.c"
#include "siaius/solver/turns.c"
