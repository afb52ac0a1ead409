/* The files of The King of Rings that must be fast, as one unit. */
#define RF_HOT
#include "rings/rings.c"
#include "rings/holders.c"
#include "rings/last_ring.c"
#include "rings/bare_knight.c"
#include "rings/endless.c"
#include "rings/bulk_count.c"
