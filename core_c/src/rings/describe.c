/* The constant tables of The King of Rings, descriptions of positions, and the kinds of plies (rf_game.describe,
 * rf_ply_kind_part).
 *
 * Example: a knight that holds a ring of 3 points is two pieces: the knight on its square, and the ring
 * with RF_HELD. */
#include "common/describe.h"
#include "rings/rings.h"

/* ---- tables; a knight without rings moves like one with one ring: kr_targets[a1][0] is {a2, b1, b2} ---- */

uint64_t kr_targets[KR_SQUARES][KR_MAX_RINGS + 1];
uint64_t kr_board[KR_FILES + 1];
uint64_t kr_random[KR_SQUARES];

void kr_init(void)
{
    for (int files = 5; files <= KR_FILES; files += 2)
        for (unsigned square = 0; square < KR_SQUARES; square++)
            if ((int)(square % KR_FILES) < files)
                kr_board[files] |= kr_bit(square);
    for (unsigned square = 0; square < KR_SQUARES; square++)
        kr_random[square] = rf_mix(rf_mix(square, 0x165667b19e3779f9), 0xd6e8feb86659fd93);
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

/* ---- descriptions ---- */

static const uint8_t points[KR_KINDS] = {1, 3, 5};

static void describe_knight(const kr_state *s, unsigned square, rf_description *out)
{
    unsigned number = out->piece_count, side = (s->knights[KR_NORTH] & kr_bit(square)) != 0;
    unsigned counts[KR_KINDS] = {s->held[square] & (KR_THREE_RING - 1u), s->held[square] / (unsigned)KR_THREE_RING,
                                 s->five == square};
    rf_add_piece(out, "knight", side + 1, square % KR_FILES, square / KR_FILES);
    for (unsigned kind = KR_KINDS; kind-- > 0;)
        for (unsigned i = 0; i < counts[kind]; i++)
            rf_add_piece_at(out, "ring", 0, RF_HELD, number)->value = points[kind];
}

void kr_describe(const void *ctx, const rf_state *state, rf_description *out)
{
    const kr_state *s = kr_state_of(state);
    (void)ctx;
    out->files = s->files;
    out->ranks = KR_RANKS;
    out->phase = kr_is_over(s) ? "over" : "move";
    for (uint64_t left = kr_free(s); left != 0; left &= left - 1) {
        unsigned square = rf_lsb(left), kind = 0;
        while (!(s->ring[kind] & kr_bit(square)))
            kind++;
        rf_add_piece(out, "ring", 0, square % KR_FILES, square / KR_FILES)->value = points[kind];
    }
    for (uint64_t left = s->knights[KR_SOUTH] | s->knights[KR_NORTH]; left != 0; left &= left - 1)
        describe_knight(s, rf_lsb(left), out);
    for (unsigned side = 0; side < 2; side++)
        rf_add_counter(out, "hand", side + 1, 0, s->hands[side]);
    rf_add_counter(out, "passes", 0, 0, s->passes);
}

/* The files a, b, ... in reverse order. The sides are not symmetric: North plays last (K10). */
bool kr_image(const void *ctx, const rf_state *state, unsigned symmetry, rf_state *out)
{
    const kr_state *s = kr_state_of(state);
    kr_state image = *s;
    (void)ctx;
    if (symmetry > 1)
        return false;
    for (unsigned kind = 0; kind < KR_KINDS; kind++)
        image.ring[kind] = 0;
    image.knights[KR_SOUTH] = image.knights[KR_NORTH] = 0;
    for (unsigned square = 0; square < KR_SQUARES; square++) {
        const unsigned file = square % KR_FILES;
        if (file >= s->files)
            continue;
        const unsigned to = square - file + s->files - 1u - file;
        for (unsigned kind = 0; kind < KR_KINDS; kind++)
            image.ring[kind] |= (s->ring[kind] >> square & 1) << to;
        for (unsigned side = 0; side < 2; side++)
            image.knights[side] |= (s->knights[side] >> square & 1) << to;
        image.held[to] = s->held[square];
        if (s->five == square)
            image.five = (uint8_t)to;
    }
    *(kr_state *)out = image;
    return true;
}

static const char *const kinds[] = {"rings", "captures", "drops", "passes", NULL};

/* K6, K7, K8, K9. A drop takes a ring too. */
static uint32_t kr_kinds_of(const void *ctx, const rf_state *state, rf_ply ply)
{
    const kr_state *s = kr_state_of(state);
    (void)ctx;
    if (ply == kr_pass)
        return 8;
    const uint64_t to = kr_bit(kr_to(ply));
    return ((kr_free(s) & to) != 0 ? 1u : 0) | ((s->knights[!s->side] & to) != 0 ? 2u : 0) |
           (kr_from(ply) == KR_FROM_HAND ? 4u : 0);
}

const rf_ply_kind_part kr_ply_kind_part = {kinds, kr_kinds_of, 2};
