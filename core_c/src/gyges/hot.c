/* Compiles the fast files of Gygès as one unit (unit.h). */
#define RF_HOT
#include "gyges/gyges.c"
#include "gyges/paths.c"
#include "gyges/threats.c"
#include "gyges/wins.c"
#include "gyges/lanes.c"
#include "gyges/bulk_count.c"
#include "gyges/endgame/index.c"
#include "gyges/endgame/unmoves.c"
#include "gyges/endgame/build.c"
#include "gyges/endgame/probe.c"
