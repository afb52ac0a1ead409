#define RF_UNIT "siaius/hot.c"
#include "x86_64_v3.inc"
