/* The files of Gygès that must be fast, as one unit. */
#define RF_HOT
#include "gyges/gyges.c"
#include "gyges/paths.c"
#include "gyges/threats.c"
#include "gyges/wins.c"
#include "gyges/lanes.c"
#include "gyges/bulk_count.c"
