/* The functions behind rf_chance_... (ringfen.h). solver.h describes the solver. */
#include "gran/solver/solver.h"

const rf_chance_solver RF_EXPORT(gr_chance_solver) = {
    .new_table = gr_new_table,
    .free_table = gr_free_table,
    .share_table = gr_share_table,
    .maxn = gr_maxn,
    .paranoid = gr_paranoid,
};
