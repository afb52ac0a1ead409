#define RF_UNIT "gyges/hot.c"
#include "x86_64_v3.inc"
