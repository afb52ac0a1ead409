/* Compiles the fast files of Siaius a second time, for newer processors (x86_64_v3.inc). */
#define RF_UNIT "siaius/hot.c"
#include "x86_64_v3.inc"
