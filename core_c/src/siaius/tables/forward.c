/* The stored graph of Siaius: a search, its helpers, and what is known after it. */
#include "siaius/tables/forward.h"

#include <stdlib.h>

struct si_forward {
    si_step_source steps;
    const si_step_rules *rules; /* of the game */
    rf_proof_key root;
    rf_proof *proof;
    rf_proof_team *team; /* NULL: one thread */
};

static int follow(const void *self, rf_proof_key key, rf_proof_step *out)
{
    const si_forward *f = self;
    return f->rules->follow(&f->steps, key, out);
}

static bool at_once(const void *self, rf_proof_key key, int *score)
{
    const si_forward *f = self;
    rf_state state;
    f->rules->state_of(&f->steps, key, &state);
    return f->rules->score_at_once(&f->steps, &state, score);
}

static bool may_win(const void *self, rf_proof_key key, unsigned player, uint32_t plies)
{
    const si_forward *f = self;
    rf_state state;
    f->rules->state_of(&f->steps, key, &state);
    return f->steps.prober.game->wins->useful_plies(NULL, &state, player, plies) != 0;
}

static unsigned most_stones_of(const si_tables *t)
{
    unsigned most = 0;
    for (unsigned i = 0; i < TB_SLOTS; i++)
        if (t->slots[i].of != NULL) {
            const unsigned stones = tb_stones_of(t->slots[i].material, TB_OWN) + tb_stones_of(t->slots[i].material, TB_ENEMY);
            most = stones > most ? stones : most;
        }
    return most;
}

si_forward *si_forward_new(const si_tables *tables, si_tb_reader *reader, const rf_game *game, const rf_state *root,
                           uint64_t memory)
{
    const si_state *s = (const si_state *)root;
    if (si_endgame_rules_of(game) == NULL || si_size(si_occupied(s)) > SI_FORWARD_STONES)
        return NULL;
    si_forward *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->steps = (si_step_source){
        .prober = {tables, reader, game, si_endgame_rules_of(game), NULL},
        .options = {.files = s->files, .ranks = s->ranks, .huff = s->huff, .reverse = s->reverse},
        .most_stones = most_stones_of(tables),
    };
    f->rules = f->steps.prober.rules->steps;
    const rf_proof_source source = {f, follow, at_once, may_win};
    f->root = f->rules->key_of(root);
    f->proof = rf_proof_new(&source, f->root, memory);
    if (f->proof == NULL) {
        free(f);
        return NULL;
    }
    return f;
}

void si_forward_free(si_forward *f)
{
    if (f != NULL) {
        rf_proof_free(f->proof);
        rf_proof_team_free(f->team);
    }
    free(f);
}

int si_forward_solve(si_forward *f, rf_control *control)
{
    rf_control_start(control);
    return rf_proof_solve(f->proof, control);
}

bool si_forward_engage(si_forward *f, int helpers)
{
    if (f->team == NULL)
        f->team = rf_proof_team_new(helpers);
    if (f->team != NULL)
        rf_proof_engage(f->proof, f->team);
    return f->team != NULL;
}

void si_forward_help(const si_forward *f, si_tb_reader *reader)
{
    si_forward mine = *f;
    mine.steps.prober.reader = reader;
    const rf_proof_source source = {&mine, follow, at_once, may_win};
    rf_proof_help(f->proof, &source);
}

void si_forward_dismiss(si_forward *f) { rf_proof_dismiss(f->proof); }

bool si_forward_measure(si_forward *f, rf_control *control)
{
    rf_control_start(control);
    return rf_proof_measure(f->proof, control);
}

int si_forward_deepen(si_forward *f, uint32_t *lower, rf_control *control)
{
    rf_control_start(control);
    return rf_proof_deepen(f->proof, lower, control);
}

int si_forward_wins_within(si_forward *f, const rf_state *state, uint32_t plies, rf_control *control)
{
    const unsigned winner = rf_proof_wins(f->proof, f->root, 1) == 1 ? 1 : 2;
    int score;
    rf_control_start(control);
    const int status = f->rules->known_score(&f->steps, state, &score);
    if (status == SI_TB_FOUND) {
        const bool wins = score != 0 && (score > 0) == (((const si_state *)state)->side + 1u == winner);
        return wins && (uint32_t)tb_distance(score) <= plies;
    }
    if (status != SI_TB_ABSENT)
        return RF_PROOF_UNREAD;
    return plies == 0 ? 0 : rf_proof_wins_within(f->proof, f->rules->key_of(state), plies, control);
}

/* ---- what is known ---- */

/* Whether a player wins, and of a win the plies that are enough; 0: no bound. RF_PROOF_*, as of si_forward_wins. */
typedef struct {
    int wins;
    uint32_t upper;
} known_win;

static known_win win_by_score(int score, bool to_move)
{
    const bool wins = score != 0 && (score > 0) == to_move;
    return (known_win){wins, wins ? (uint32_t)tb_distance(score) : 0};
}

static known_win win_after(const si_forward *f, const rf_state *state, unsigned player, unsigned deeper);

/* Of a position that may be in the middle of a turn, which no node is: then `deeper` steps on. */
static known_win win_in(const si_forward *f, const rf_state *state, unsigned player, unsigned deeper)
{
    const si_state *s = (const si_state *)state;
    const bool to_move = s->side + 1u == player;
    int score;
    const int status = f->rules->known_score(&f->steps, state, &score);
    if (status == SI_TB_FOUND)
        return win_by_score(score, to_move);
    if (status != SI_TB_ABSENT)
        return (known_win){RF_PROOF_UNREAD, 0};
    if (si_size(si_occupied(s)) > SI_FORWARD_STONES)
        return (known_win){RF_PROOF_UNKNOWN, 0};
    const rf_proof_key key = f->rules->key_of(state);
    const int found = rf_proof_wins(f->proof, key, player);
    if (found != RF_PROOF_UNKNOWN)
        return (known_win){found, found == 1 ? rf_proof_upper(f->proof, key) : 0};
    if (s->bonus == SI_NO_SQUARE) {
        if (!f->rules->score_at_once(&f->steps, state, &score))
            return (known_win){RF_PROOF_UNREAD, 0};
        if (score > 0)
            return win_by_score(score, to_move);
    }
    if (deeper == 0 || (s->bonus == SI_NO_SQUARE && s->missed == 0))
        return (known_win){found, 0};
    return win_after(f, state, player, deeper - 1);
}

static known_win win_by_step(const si_forward *f, const rf_proof_step *step, unsigned player, bool to_move,
                             unsigned deeper)
{
    if (step->leaf)
        return win_by_score(step->score, to_move);
    rf_state after;
    f->rules->state_of(&f->steps, step->key, &after);
    known_win one = win_in(f, &after, player, deeper);
    one.upper += one.upper != 0 ? step->plies : 0;
    return one;
}

/* From what follows a position in the middle of a turn: its huffs and a step without, or the bonus plies of a stone. */
static known_win win_after(const si_forward *f, const rf_state *state, unsigned player, unsigned deeper)
{
    enum { MOST_STEPS = 17 };
    rf_proof_step steps[MOST_STEPS];
    const bool to_move = ((const si_state *)state)->side + 1u == player;
    const int count = f->rules->follow(&f->steps, f->rules->key_of(state), steps);
    bool open = false, bounded = true;
    known_win found = {!to_move, 0};
    if (count < 0)
        return (known_win){RF_PROOF_UNREAD, 0};
    for (int i = 0; i < count; i++) {
        const known_win one = win_by_step(f, &steps[i], player, to_move, deeper);
        if (one.wins == RF_PROOF_UNREAD || (!to_move && one.wins == 0))
            return one;
        if (one.wins == RF_PROOF_UNKNOWN) {
            open = true;
        } else if (to_move && one.wins == 1) {
            found.wins = 1;
            if (one.upper != 0 && (found.upper == 0 || one.upper < found.upper))
                found.upper = one.upper;
        } else if (!to_move) {
            bounded = bounded && one.upper != 0;
            found.upper = one.upper > found.upper ? one.upper : found.upper;
        }
    }
    if (open && !(to_move && found.wins == 1))
        return (known_win){RF_PROOF_UNKNOWN, 0};
    if (found.wins != 1 || (!to_move && !bounded))
        found.upper = 0;
    return found;
}

int si_forward_wins(const si_forward *f, const rf_state *s, unsigned player, uint32_t *upper)
{
    const known_win found = win_in(f, s, player, 2);
    *upper = found.upper;
    return found.wins;
}
