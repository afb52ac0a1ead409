/* For tests: the functions of bounds.h and masks.h, from the baseline copy (unit.h). */
#include "gran/solver/inspect.h"
#include "gran/solver/bounds.h"

void gr_inspect_earliest_wins(const void *ctx, const rf_state *s, uint8_t *out)
{
    memset(out, 0, RF_MOST_PLAYERS);
    gr_earliest_wins(ctx, s, out);
}

uint32_t gr_inspect_parts(const void *ctx, const rf_state *s, uint8_t *base, uint64_t details[GR_DETAIL_WORDS])
{
    gr_base parts;
    gr_details words;
    (void)ctx;
    gr_split_state(s, &parts, &words);
    memcpy(base, &parts, sizeof parts);
    memcpy(details, words.word, sizeof words.word);
    return sizeof parts;
}

void gr_inspect_reads(const void *ctx, const rf_state *s, int question, rf_ply ply, uint64_t reads[GR_DETAIL_WORDS])
{
    gr_details sum;
    memcpy(sum.word, reads, sizeof sum.word);
    if (question == GR_READS_PLY)
        gr_ply_reads(ctx, s, ply, &sum);
    else
        gr_list_reads(ctx, s, question == GR_READS_THROUGH ? &ply : NULL, &sum);
    memcpy(reads, sum.word, sizeof sum.word);
}

unsigned gr_inspect_certain_winner(const void *ctx, const rf_state *s, unsigned plies)
{
    return gr_certain_winner(ctx, s, plies);
}

bool gr_inspect_can_prevent_wins(const void *ctx, const rf_state *s, unsigned player, unsigned plies,
                                 uint64_t reads[GR_DETAIL_WORDS])
{
    gr_details words = {0};
    const bool prevents = gr_can_prevent_wins(ctx, s, player, plies, &words);
    memcpy(reads, words.word, sizeof words.word);
    return prevents;
}
