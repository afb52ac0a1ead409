#define RF_UNIT "gran/hot.c"
#include "x86_64_v3.inc"
