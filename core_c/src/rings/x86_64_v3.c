#define RF_UNIT "rings/hot.c"
#include "x86_64_v3.inc"
