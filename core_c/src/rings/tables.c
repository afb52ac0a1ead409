/* The constant tables of The King of Rings, filled once by kr_init.
 *
 * Example: a knight without rings moves like one with one ring, so kr_targets[a1][0] is {a2, b1, b2}. */
#include "rings/rings.h"

uint64_t kr_targets[KR_SQUARES][KR_MAX_RINGS + 1];
uint64_t kr_board[KR_FILES + 1];

void kr_init(void)
{
    for (int files = 5; files <= KR_FILES; files += 2)
        for (unsigned square = 0; square < KR_SQUARES; square++)
            if ((int)(square % KR_FILES) < files)
                kr_board[files] |= kr_bit(square);
    for (int square = 0; square < KR_SQUARES; square++)
        for (int rings = 0; rings <= KR_MAX_RINGS; rings++) {
            int distance = rings == 0 ? 1 : rings;
            uint64_t targets = 0;
            for (int direction = 0; direction < 9; direction++) {
                int file = square % KR_FILES + (direction % 3 - 1) * distance;
                int rank = square / KR_FILES + (direction / 3 - 1) * distance;
                if (direction != 4 && file >= 0 && file < KR_FILES && rank >= 0 && rank < KR_RANKS)
                    targets |= kr_bit((unsigned)(rank * KR_FILES + file));
            }
            kr_targets[square][rings] = targets;
        }
}
