/* The tables of The King of Rings, filled once. */
#include "rings/rings.h"

uint64_t kr_targets[KR_SQUARES][KR_MOST_RINGS + 1];
uint64_t kr_board[KR_FILES + 1];

void kr_init(void)
{
    for (int files = 5; files <= KR_FILES; files += 2)
        for (unsigned square = 0; square < KR_SQUARES; square++)
            if ((int)(square % KR_FILES) < files)
                kr_board[files] |= kr_bit(square);
    for (int square = 0; square < KR_SQUARES; square++)
        for (int rings = 0; rings <= KR_MOST_RINGS; rings++) {
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
