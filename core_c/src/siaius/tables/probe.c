/* Endgame tables: probes positions.
 *
 * Idea: a table has the value of a position with nothing pending. A probe plays pending plies first: a bonus ply, the
 * huffs (S7), a pass (S9); the best result counts.
 *
 * Example: North may huff a sun of South. The probe takes the better of the position of the table and of the positions
 * after each huff, one ply older. */
#include "siaius/tables/tables.h"

_Static_assert((int)SI_TB_STONES == (int)SI_ENDGAME_STONES, "what si_endgame holds fits into tables");

bool si_tb_read_score(rf_tb_reader *r, const si_tb_class *c, uint64_t index, int *score)
{
    unsigned value;
    if (!rf_tb_read(r, &c->source, index, &value))
        return false;
    *score = si_tb_score_of(value, 2);
    return true;
}

/* ---- positions ---- */

void si_tb_record_use(si_tb_used *used, si_material m)
{
    for (unsigned i = 0; i < used->count; i++)
        if (used->material[i] == m)
            return;
    if (used->count < SI_TB_SLOTS)
        used->material[used->count++] = m;
}

static int probe_stones(const si_tb_prober *p, const si_endgame *e, int *score)
{
    si_tb_stones stones = {.count = e->stones};
    memcpy(stones.side, e->side, sizeof stones.side);
    memcpy(stones.kind, e->kind, sizeof stones.kind);
    memcpy(stones.square, e->square, sizeof stones.square);
    const si_tb_class *c;
    const uint64_t index = si_tb_index(p->tables, &stones, 0, e->player, &c);
    if (c == NULL)
        return RF_TB_ABSENT;
    if (p->used != NULL)
        si_tb_record_use(p->used, c->material);
    return si_tb_read_score(p->reader, c, index, score) ? RF_TB_FOUND : RF_TB_DAMAGED;
}

enum { PENDING_PLIES = SI_TB_STONES * 17 };

/* The score of the best ply, or only of the best huff, for the side to move. */
static int best_successor(const si_tb_prober *p, const rf_state *s, bool huffs_only, unsigned depth, int *score)
{
    rf_ply plies[PENDING_PLIES];
    const size_t count = p->game->generate(NULL, s, plies);
    const unsigned player = p->game->player(NULL, s);
    for (size_t i = 0; i < count; i++) {
        rf_state after;
        memset(&after, 0, sizeof after);
        p->game->apply(NULL, s, plies[i], &after);
        const bool same = p->game->player(NULL, &after) == player;
        if (huffs_only && (!same || rf_is_mid_turn(p->game, NULL, &after)))
            continue; /* no huff, so counted with the position that has nothing to huff */
        int below;
        const int status = si_tb_probe_state(p, &after, depth - 1, &below);
        if (status != RF_TB_FOUND)
            return status;
        below = same ? si_tb_score_before(below) : -si_tb_score_before(below);
        if (below > *score)
            *score = below;
    }
    return RF_TB_FOUND;
}

int si_tb_probe_state(const si_tb_prober *p, const rf_state *s, unsigned depth, int *score)
{
    const int outcome = p->game->outcome(NULL, s);
    if (outcome != RF_OUTCOME_NONE) {
        const bool won = outcome == (int)p->game->player(NULL, s);
        *score = outcome == RF_OUTCOME_DRAW ? 0 : won ? si_tb_win_in(0) : si_tb_loss_in(0);
        return RF_TB_FOUND;
    }
    si_endgame e;
    if (!p->rules->from_state(s, &e) || e.files != p->tables->files ||
        e.ranks != p->tables->ranks || e.huff != p->tables->huff || depth == 0)
        return RF_TB_ABSENT;
    *score = SI_TB_NO_SCORE;
    if (e.bonus || e.passes != 0)
        return best_successor(p, s, false, depth, score);
    const int status = probe_stones(p, &e, score);
    if (status != RF_TB_FOUND || !e.missed)
        return status;
    return best_successor(p, s, true, depth, score);
}

rf_tb_answer si_tables_probe(const rf_tablebase *t, rf_tb_reader *r, const rf_state *s)
{
    const si_tb_prober p = {(const si_tables *)t, r, t->game, si_endgame_rules_of(t->game), NULL};
    rf_tb_answer answer = {RF_TB_ABSENT, 0, 0};
    int score;
    if (p.rules == NULL)
        return answer;
    answer.status = si_tb_probe_state(&p, s, SI_TB_MAX_PENDING, &score);
    if (answer.status == RF_TB_FOUND && score != 0) {
        const unsigned player = t->game->player(NULL, s);
        answer.winner = score > 0 ? player : 3 - player;
        answer.distance = (uint32_t)si_tb_distance(score);
    }
    return answer;
}

bool si_tables_text(const rf_tablebase *tables, rf_material m, uint64_t index, char *out)
{
    const si_tables *t = (const si_tables *)tables;
    si_tb_class c;
    si_tb_stones stones;
    rf_state s;
    if (!si_tb_class_init(&c, t, m))
        return false;
    const bool possible = index < c.entries && si_tb_unindex(t, &c, index, &stones);
    si_tb_class_free(&c);
    if (!possible)
        return false;
    si_endgame e = {.files = (uint8_t)t->files, .ranks = (uint8_t)t->ranks, .huff = (uint8_t)t->huff};
    e.player = SI_SOUTH;
    e.stones = (uint8_t)stones.count;
    memcpy(e.side, stones.side, sizeof e.side);
    memcpy(e.kind, stones.kind, sizeof e.kind);
    memcpy(e.square, stones.square, sizeof e.square);
    memset(&s, 0, sizeof s);
    si_rules_base.to_state(&e, &s);
    rf_format(&rf_game_siaius_base, NULL, &s, out);
    return true;
}
