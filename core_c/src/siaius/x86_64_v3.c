#define RF_UNIT "siaius/siaius.c"
#include "x86_64_v3.inc"
