/* Compiles the fast files of Gygès a second time, for newer processors (x86_64_v3.inc). */
#define RF_UNIT "gyges/hot.c"
#include "x86_64_v3.inc"
