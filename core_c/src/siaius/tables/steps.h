/* What follows a node of the stored graph (search/proof_graph.h) of Siaius: whole turns, and tables at the leaves. */
#ifndef RINGFEN_SIAIUS_STEPS_H
#define RINGFEN_SIAIUS_STEPS_H

#include "search/proof_graph.h"
#include "siaius/tables/tables.h"

_Static_assert((int)SI_TB_LAST == (int)RF_PROOF_LAST && (int)SI_TB_NO_SCORE == (int)RF_PROOF_NO_SCORE,
               "scores of tables are those of the search");

/* cffi: begin */

/* The most stones of a node. */
enum { SI_FORWARD_STONES = 8 };

/* cffi: end */

typedef struct si_step_source {
    tb_prober prober;
    si_state options;     /* board and options of the positions */
    unsigned most_stones; /* of a class in the tables */
} si_step_source;

/* For each instruction set: si_endgame_rules.steps. */
typedef struct si_step_rules {
    rf_proof_key (*key_of)(const rf_state *s);
    void (*state_of)(const si_step_source *source, rf_proof_key key, rf_state *out);
    /* The score of a position that is over or in a table, for its player to move; SI_TB_*. */
    int (*known_score)(const si_step_source *source, const rf_state *s, int *score);
    /* The score of the best turn that captures, promotes or huffs and ends in a known position; below 1 if none of
     * these wins. Of a win it is a bound, as another turn may win sooner. False: a table cannot be read. */
    bool (*score_at_once)(const si_step_source *source, const rf_state *s, int *best);
    /* rf_proof_source.follow */
    int (*follow)(const si_step_source *source, rf_proof_key key, rf_proof_step *out);
} si_step_rules;

extern RF_INTERNAL const si_step_rules RF_EXPORT(si_steps);

#endif
