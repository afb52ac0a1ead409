#define RF_UNIT "tictactoe/tictactoe.c"
#include "x86_64_v3.inc"
