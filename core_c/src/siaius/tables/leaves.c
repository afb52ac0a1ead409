/* Values of leaves for certificates, read from the tables of Siaius (certificates/leaves.h).
 *
 * Example: a strategy captures into a position with four stones; the walk asks value_of for its result and distance,
 * and the class that answered is noted for the header of the certificate. */
#include <stdlib.h>

#include "siaius/tables/tables.h"

typedef struct {
    rf_leaves leaves; /* the first member: a pointer to one is a pointer to the other */
    si_tb_prober prober;
    si_tb_used used;
} table_leaves;

/* The class of the stones on the board, pending plies ignored; NULL if there is none. */
static const si_tb_class *class_of(const si_tb_prober *p, const rf_state *s)
{
    si_endgame e;
    if (!p->rules->from_state(s, &e))
        return NULL;
    si_material m = 0;
    for (unsigned i = 0; i < e.stones; i++)
        m += si_tb_material_of_stone(e.side[i] ^ e.player, e.kind[i]);
    unsigned renaming;
    return si_tb_find(p->tables, m, &renaming);
}

static int value_of(rf_leaves *self, const rf_state *s, unsigned player, int *result, uint32_t *plies)
{
    const si_tb_prober *p = &((table_leaves *)self)->prober;
    const si_tb_class *c = class_of(p, s);
    int score;
    if (c == NULL)
        return RF_LEAF_NONE;
    const int status = si_tb_probe_state(p, s, SI_TB_MAX_PENDING, &score);
    if (status != RF_TB_FOUND)
        return status == RF_TB_ABSENT ? RF_LEAF_NONE : RF_LEAF_UNREAD;
    si_tb_record_use(p->used, c->material);
    const int mover = score > 0 ? 1 : score < 0 ? -1 : 0;
    *result = p->game->player(NULL, s) == player ? mover : -mover;
    *plies = score == 0 ? 0 : (uint32_t)si_tb_distance(score);
    return RF_LEAF_KNOWN;
}

rf_leaves *si_leaves_new(const si_tables *tables, rf_tb_reader *reader, const rf_game *game)
{
    table_leaves *l = si_endgame_rules_of(game) == NULL ? NULL : calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->leaves.value = value_of;
    l->prober = (si_tb_prober){tables, reader, game, si_endgame_rules_of(game), &l->used};
    return &l->leaves;
}

void si_leaves_free(rf_leaves *leaves) { free(leaves); }

bool si_leaves_used(const rf_leaves *leaves, si_material m)
{
    const si_tb_used *used = &((const table_leaves *)leaves)->used;
    for (unsigned i = 0; i < used->count; i++)
        if (used->material[i] == m)
            return true;
    return false;
}
