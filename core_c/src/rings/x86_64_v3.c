#define RF_UNIT "rings/rings.c"
#include "x86_64_v3.inc"
