/* Compiles the fast files of The King of Rings a second time, for newer processors (x86_64_v3.inc). */
#define RF_UNIT "rings/hot.c"
#include "x86_64_v3.inc"
