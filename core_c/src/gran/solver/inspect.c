/* For tests: the functions of bounds.h and masks.h, from the baseline copy (unit.h). */
#include "gran/solver/inspect.h"
#include "gran/solver/bounds.h"

void gr_inspect_earliest_wins(const void *ctx, const rf_state *s, uint8_t *out)
{
    memset(out, 0, RF_MAX_PLAYERS);
    gr_earliest_wins(ctx, s, out);
}

uint32_t gr_inspect_parts(const void *ctx, const rf_state *s, uint8_t *fixed, uint64_t bits[GR_MASK_WORDS])
{
    gr_fixed parts;
    gr_mask words;
    (void)ctx;
    gr_split_state(s, &parts, &words);
    memcpy(fixed, &parts, sizeof parts);
    memcpy(bits, words.word, sizeof words.word);
    return sizeof parts;
}

void gr_inspect_mask(const void *ctx, const rf_state *s, int question, rf_ply ply, uint64_t mask[GR_MASK_WORDS])
{
    gr_mask sum;
    memcpy(sum.word, mask, sizeof sum.word);
    if (question == GR_MASK_OF_PLY)
        gr_add_ply_mask(ctx, s, ply, &sum);
    else
        gr_add_list_mask(ctx, s, question == GR_MASK_OF_THROUGH ? &ply : NULL, &sum);
    memcpy(mask, sum.word, sizeof sum.word);
}

unsigned gr_inspect_certain_winner(const void *ctx, const rf_state *s, unsigned plies)
{
    return gr_certain_winner(ctx, s, plies);
}

bool gr_inspect_can_prevent_wins(const void *ctx, const rf_state *s, unsigned player, unsigned plies,
                                 uint64_t mask[GR_MASK_WORDS])
{
    gr_mask words = {0};
    const bool prevents = gr_can_prevent_wins(ctx, s, player, plies, &words);
    memcpy(mask, words.word, sizeof words.word);
    return prevents;
}
