#define RF_UNIT "gran/gran.c"
#include "x86_64_v3.inc"
