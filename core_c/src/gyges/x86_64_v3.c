#define RF_UNIT "gyges/gyges.c"
#include "x86_64_v3.inc"
