/* Compiles the fast files of GRAN a second time, for newer processors (x86_64_v3.inc). */
#define RF_UNIT "gran/hot.c"
#include "x86_64_v3.inc"
