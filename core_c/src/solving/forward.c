/* Forward search for forced wins: iterative deepening over search/forced_wins.c, with or without helpers (forward.h).
 *
 * Idea: a question is about several positions, one player and a number of plies. With helpers, each thread answers
 * positions that no thread has begun, then helps with the others: their searches share the table and the positions in
 * progress.
 *
 * Invariants: only the first answer to a position counts. Unless a limit is reached, answers do not depend on threads.
 *
 * Example: the mover wins in 5 plies and has 20 plies. Its best plies follow from one question about the 20 positions
 * after them: does it win within 4 plies? */
#include "solving/forward.h"

#include <stdlib.h>

#include "control.h"

enum { MIN_PLIES_FOR_HELPERS = 6 }; /* shorter questions end before helpers have begun */

/* ---- memory ---- */

bool rf_forward_open(rf_forward *f, const rf_task *task, rf_limits limits, uint64_t nodes_before)
{
    *f = (rf_forward){.task = task, .other_nodes = nodes_before};
    /* A limit of nodes is exact and repeatable, so only one thread is used. */
    f->pool = limits.nodes == 0 ? task->pool : NULL;
    rf_subsearch_begin(&f->subsearch, task, limits, nodes_before);
    f->helpers = f->pool == NULL ? 0 : rf_pool_helpers(f->pool);
    f->searches = calloc((size_t)f->helpers + 1, sizeof *f->searches);
    if (task->options->table_bytes != 0)
        f->table = rf_table_new(task->options->table_bytes);
    if (f->searches != NULL && (f->table != NULL || task->options->table_bytes == 0))
        f->searches[0] = rf_win_new(task->game, task->ctx, f->table);
    if (f->searches != NULL && f->searches[0] != NULL)
        return true;
    rf_forward_close(f);
    return false;
}

void rf_forward_close(rf_forward *f)
{
    for (int i = 0; f->searches != NULL && i <= f->helpers; i++)
        rf_win_free(f->searches[i]);
    free(f->searches);
    rf_in_progress_free(f->in_progress);
    rf_table_free(f->table);
    *f = (rf_forward){.task = f->task};
}

/* Creates the searches of the helpers, if there are none yet. */
static bool prepare_helpers(rf_forward *f)
{
    if (f->in_progress != NULL)
        return true;
    f->in_progress = rf_in_progress_new();
    if (f->in_progress == NULL)
        return false;
    for (int i = 0; i <= f->helpers; i++) {
        if (f->searches[i] == NULL)
            f->searches[i] = rf_win_new(f->task->game, f->task->ctx, f->table);
        if (f->searches[i] == NULL)
            return false;
        rf_win_share_work(f->searches[i], f->in_progress);
    }
    return true;
}

/* A search with its own task. */
typedef struct {
    rf_forward forward;
    rf_task task;
    rf_solve_options options;
} own_search;

rf_forward *rf_forward_new(const rf_game *game, const void *ctx, const rf_solve_options *options, rf_pool *pool,
                           rf_control *control)
{
    own_search *search = calloc(1, sizeof *search);
    if (search == NULL)
        return NULL;
    search->options = *options;
    search->task = (rf_task){.game = game, .ctx = ctx, .options = &search->options, .pool = pool, .control = control};
    rf_control_start(control);
    if (rf_forward_open(&search->forward, &search->task, rf_limits_of(options), 0))
        return &search->forward;
    free(search);
    return NULL;
}

void rf_forward_free(rf_forward *f)
{
    if (f != NULL)
        rf_forward_close(f);
    free(f);
}

/* ---- questions ---- */

enum { BEING_WRITTEN = -2 };

typedef struct {
    rf_forward *forward;
    const rf_state *states;
    size_t count;
    unsigned winner, plies;
    int *answers;
    size_t begun;    /* positions that a thread has begun */
    size_t answered;
    int done;        /* 1: the threads stop */
    uint64_t nodes;  /* of helpers */
    rf_ply ply;      /* that decided the last answer, if has_ply */
    bool has_ply;
} question;

static bool is_open(const question *q, size_t i) { return __atomic_load_n(&q->answers[i], __ATOMIC_ACQUIRE) == RF_NOT_KNOWN; }

/* Only the first answer to a position counts: two threads may have found different plies. */
static void put_answer(question *q, size_t i, int answer, const rf_win_search *search)
{
    int expected = RF_NOT_KNOWN;
    if (!__atomic_compare_exchange_n(&q->answers[i], &expected, BEING_WRITTEN, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    if (q->count == 1)
        q->has_ply = rf_win_deciding_ply(search, &q->ply);
    __atomic_store_n(&q->answers[i], answer, __ATOMIC_RELEASE);
    if (__atomic_add_fetch(&q->answered, 1, __ATOMIC_ACQ_REL) == q->count)
        __atomic_store_n(&q->done, 1, __ATOMIC_RELEASE);
}

/* The work of one thread. */
static void answer_positions(question *q, rf_win_search *search, rf_control *control)
{
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t next = 0; next < q->count; next++) {
            size_t i = pass == 0 ? __atomic_fetch_add(&q->begun, 1, __ATOMIC_RELAXED) : next;
            if (i >= q->count)
                break;
            if (!is_open(q, i))
                continue;
            int answer = rf_win_forces(search, &q->states[i], q->winner, q->plies, control);
            if (answer < 0)
                return;
            put_answer(q, i, answer, search);
        }
}

static void help(void *data, int helper)
{
    question *q = data;
    rf_control control = {.cancel = &q->done};
    rf_control_start(&control);
    answer_positions(q, q->forward->searches[helper], &control);
    __atomic_fetch_add(&q->nodes, control.nodes, __ATOMIC_RELAXED);
}

static void ask_with_helpers(question *q)
{
    rf_forward *f = q->forward;
    rf_control *control = &f->subsearch.control;
    if (!prepare_helpers(f)) {
        control->stopped = RF_STOPPED_MEMORY;
        return;
    }
    rf_pool_begin(f->pool, help, q);
    control->answered = &q->done;
    control->next_check = 0;
    answer_positions(q, f->searches[0], control);
    __atomic_store_n(&q->done, 1, __ATOMIC_RELEASE);
    rf_pool_end(f->pool);
    control->answered = NULL;
    if (control->stopped == RF_STOPPED_ANSWERED)
        control->stopped = RF_DONE;
    f->other_nodes += q->nodes;
}

/* True if all answers are known. *ply is the one that decided the last answer, if *has_ply. */
static bool ask(rf_forward *f, const rf_state *states, size_t count, unsigned winner, unsigned plies, int *answers,
                bool *has_ply, rf_ply *ply)
{
    question q = {.forward = f, .states = states, .count = count, .winner = winner, .plies = plies, .answers = answers};
    for (size_t i = 0; i < count; i++)
        answers[i] = RF_NOT_KNOWN;
    if (f->pool != NULL && plies >= MIN_PLIES_FOR_HELPERS)
        ask_with_helpers(&q);
    else
        answer_positions(&q, f->searches[0], &f->subsearch.control);
    if (has_ply != NULL) {
        *has_ply = q.has_ply;
        *ply = q.ply;
    }
    return q.answered == count;
}

int rf_forward_forces_win(rf_forward *f, const rf_state *states, size_t count, unsigned winner, unsigned plies,
                          int *answers)
{
    ask(f, states, count, winner, plies, answers, NULL, NULL);
    return f->subsearch.control.stopped;
}

uint64_t rf_forward_nodes(const rf_forward *f) { return f->subsearch.control.nodes + f->other_nodes; }

static int forces(rf_forward *f, const rf_state *s, unsigned winner, unsigned plies)
{
    int answer;
    ask(f, s, 1, winner, plies, &answer, NULL, NULL);
    return answer;
}

int rf_forward_stopped(const rf_forward *f) { return f->subsearch.control.stopped; }

int64_t rf_forward_plies(rf_forward *f, const rf_state *s, unsigned winner, unsigned plies, int forced, size_t max,
                         rf_ply *out)
{
    rf_children children = {.count = 0};
    int64_t count = 0;
    rf_task task = *f->task;
    task.s = s;
    if (!rf_children_new(&task, &children) || !rf_children_of(&task, s, &children)) {
        f->subsearch.control.stopped = RF_STOPPED_MEMORY;
        count = RF_NOT_KNOWN;
    }
    for (size_t i = 0; count >= 0 && (size_t)count < max && i < children.count; i++) {
        int answer = forces(f, &children.states[i], winner, plies);
        if (answer == RF_NOT_KNOWN)
            count = RF_NOT_KNOWN;
        else if (answer == forced)
            out[count++] = children.plies[i];
    }
    rf_children_free(&children);
    return count;
}

/* ---- the value ---- */

/* The winner's number and the distance; or 0 and the depth that was searched. */
typedef struct {
    unsigned winner, plies;
    bool has_ply; /* `ply` keeps value and distance */
    rf_ply ply;
} outcome;

static outcome deepen_with_helpers(rf_forward *f, unsigned decided, unsigned depth)
{
    unsigned mover = rf_player(f->task->game, f->task->ctx, f->task->s);
    outcome delaying = {.has_ply = false};
    for (unsigned plies = decided + 1; plies <= depth; plies++) {
        f->subsearch.control.depth = (int)plies;
        for (unsigned winner = 1; winner <= 2; winner++) {
            outcome found = {.winner = winner, .plies = plies};
            int forced;
            if (!ask(f, f->task->s, 1, winner, plies, &forced, &found.has_ply, &found.ply))
                return (outcome){.winner = 0, .plies = plies - 1};
            if (forced && winner != mover) {
                found.has_ply = delaying.has_ply;
                found.ply = delaying.ply;
            }
            if (forced)
                return found;
            if (winner != mover && found.has_ply)
                delaying = found;
        }
    }
    return (outcome){.winner = 0, .plies = depth};
}

/* Searches 1, 2, ... plies deep until one side has a forced win or a limit is reached. */
static outcome deepen(rf_forward *f)
{
    const rf_task *t = f->task;
    unsigned depth = t->options->depth == 0 ? RF_WIN_MAX_PLIES : t->options->depth;
    unsigned first = f->pool != NULL && depth >= MIN_PLIES_FOR_HELPERS ? MIN_PLIES_FOR_HELPERS - 1 : depth;
    rf_win_result found;
    bool finished = rf_win_solve(f->searches[0], t->s, first, &found, &f->subsearch.control);
    unsigned mover = rf_player(t->game, t->ctx, t->s);
    if (found.value != 0)
        return (outcome){found.value > 0 ? mover : 3 - mover, (unsigned)found.distance, found.has_ply != 0, found.ply};
    if (!finished || first == depth)
        return (outcome){.winner = 0, .plies = (unsigned)found.decided};
    return deepen_with_helpers(f, first, depth);
}

/* ---- best plies ---- */

/* The plies within which the winner must win after a ply that keeps a distance of `plies`, or must not if the loser is
 * to move. */
static unsigned plies_after(unsigned plies, bool wins)
{
    unsigned used = wins ? 1 : 2;
    return plies > used ? plies - used : 0;
}

/* The index of the first child that keeps a distance of `plies`; the number of children if a limit was reached. */
static size_t first_best(rf_forward *f, const rf_children *children, unsigned winner, unsigned plies, bool wins)
{
    for (size_t i = 0; i < children->count; i++) {
        int answer = forces(f, &children->states[i], winner, plies_after(plies, wins));
        if (answer == RF_NOT_KNOWN)
            break;
        if (answer == wins)
            return i;
    }
    return children->count;
}

static bool add_all(rf_solution *out, const rf_children *children)
{
    for (size_t i = 0; i < children->count; i++)
        if (!rf_add_best(out, children->plies[i]))
            return false;
    return true;
}

/* Plies that keep the value. In a lost position every ply loses. In a won position one ply is enough; other plies may
 * win later. */
static bool add_plies_of_value(rf_forward *f, const outcome *found, const rf_children *children, bool wins)
{
    rf_solution *out = f->task->out;
    out->best_complete = !wins;
    if (!wins)
        return add_all(out, children);
    if (found->has_ply)
        return rf_add_best(out, found->ply);
    size_t first = first_best(f, children, found->winner, found->plies, true);
    return first == children->count || rf_add_best(out, children->plies[first]);
}

/* Plies that keep the value and the distance. */
static bool add_best_plies(rf_forward *f, const outcome *found, const rf_children *children, bool wins)
{
    const rf_task *t = f->task;
    bool ends_at_once = found->plies == 1 || (found->plies == 2 && !wins);
    int *answers = malloc((children->count + 1) * sizeof *answers);
    if (answers == NULL)
        return false;
    if (ends_at_once)
        for (size_t i = 0; i < children->count; i++)
            answers[i] = (rf_outcome(t->game, t->ctx, &children->states[i]) == (int)found->winner) == (found->plies == 1)
                             ? wins
                             : !wins;
    t->out->best_complete = ends_at_once || ask(f, children->states, children->count, found->winner,
                                                plies_after(found->plies, wins), answers, NULL, NULL);
    bool added = true;
    for (size_t i = 0; added && i < children->count; i++) {
        bool is_known = !t->out->best_complete && found->has_ply && children->plies[i] == found->ply;
        if (answers[i] == wins || is_known)
            added = rf_add_best(t->out, children->plies[i]);
    }
    free(answers);
    return added;
}

/* A line of best play that begins with the first best ply, to the end or until a limit is reached. Among equally good
 * plies the first in byte order is chosen. With `wdl` the loser plays any ply. */
static bool add_line(rf_forward *f, const outcome *found, rf_children *children)
{
    const rf_task *t = f->task;
    rf_state at, next;
    rf_ply ply = t->out->best[0];
    unsigned left = found->plies;
    rf_apply(t->game, t->ctx, t->s, ply, &at);
    while (rf_add_to_line(t->out, ply)) {
        left -= left > 0;
        t->out->line_complete = rf_outcome(t->game, t->ctx, &at) != RF_OUTCOME_NONE;
        if (t->out->line_complete)
            return true;
        if (!rf_children_of(t, &at, children))
            return false;
        bool wins = rf_player(t->game, t->ctx, &at) == found->winner;
        size_t best = t->options->wdl && !wins ? 0 : first_best(f, children, found->winner, left, wins);
        if (best == children->count)
            return true;
        ply = children->plies[best];
        next = children->states[best];
        at = next;
    }
    return false;
}

/* ---- the solution ---- */

/* The answer if a limit was reached before a best ply was known. In a lost position every ply loses. */
static bool set_without_best(rf_forward *f, const outcome *found, const rf_children *children, bool wins)
{
    rf_solution *out = f->task->out;
    out->answer.status = RF_STATUS_BOUND;
    out->best_complete = 0;
    out->has_bounds = 1;
    out->lower = out->upper = (int)found->plies;
    return wins || add_all(out, children);
}

static bool set_win(rf_forward *f, const outcome *found, rf_children *children)
{
    const rf_task *t = f->task;
    bool wins = rf_player(t->game, t->ctx, t->s) == found->winner;
    rf_set_winner(t, found->winner, &t->out->answer);
    if (!rf_children_of(t, t->s, children))
        return false;
    if (!(t->options->wdl ? add_plies_of_value : add_best_plies)(f, found, children, wins))
        return false;
    if (t->out->best_count == 0)
        return set_without_best(f, found, children, wins);
    t->out->answer.status = RF_STATUS_EXACT;
    t->out->answer.distance = t->options->wdl ? -1 : (int)found->plies;
    return add_line(f, found, children);
}

bool rf_forward_answer(rf_forward *f, const char *note)
{
    rf_solution *out = f->task->out;
    outcome found = deepen(f);
    bool done = true;
    if (found.winner == 0) {
        out->answer.status = RF_STATUS_UNKNOWN;
        out->decided = (int)found.plies;
        memcpy(out->note, note, strlen(note) + 1);
    } else {
        rf_children children;
        done = rf_children_new(f->task, &children) && set_win(f, &found, &children);
        rf_children_free(&children);
    }
    out->nodes = rf_forward_nodes(f);
    return done && f->subsearch.control.stopped != RF_STOPPED_MEMORY;
}
