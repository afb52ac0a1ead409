/* Helper threads: how they wait for work and leave it (team.h).
 *
 * The work of a team has a number; it is odd while helpers may begin. */
#include "solving/team.h"

#include <stdlib.h>

#include "control.h"

struct rf_team {
    int helpers;
    int closed;
    int busy;        /* helpers that may be in the work */
    bool eager;
    uint64_t number; /* of the work */
    rf_team_work *work;
    void *data;
};

rf_team *rf_team_new(int helpers)
{
    rf_team *team = helpers < 1 ? NULL : calloc(1, sizeof *team);
    if (team != NULL)
        team->helpers = helpers;
    return team;
}

void rf_team_free(rf_team *team) { free(team); }
void rf_team_close(rf_team *team) { __atomic_store_n(&team->closed, 1, __ATOMIC_RELAXED); }
void rf_team_set_eager(rf_team *team) { team->eager = true; }
int rf_team_helpers(const rf_team *team) { return team->helpers; }
bool rf_team_is_eager(const rf_team *team) { return team->eager; }

void rf_team_help(rf_team *team, int helper)
{
    uint64_t done = 0;
    while (__atomic_load_n(&team->closed, __ATOMIC_RELAXED) == 0) {
        uint64_t number = __atomic_load_n(&team->number, __ATOMIC_SEQ_CST);
        if (number % 2 == 0 || number == done) {
            rf_sleep_briefly();
            continue;
        }
        /* Either this thread sees that the work has ended, or rf_team_end sees this thread. */
        __atomic_fetch_add(&team->busy, 1, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&team->number, __ATOMIC_SEQ_CST) == number) {
            team->work(team->data, helper);
            done = number;
        }
        __atomic_fetch_sub(&team->busy, 1, __ATOMIC_SEQ_CST);
    }
}

void rf_team_begin(rf_team *team, rf_team_work *work, void *data)
{
    team->work = work;
    team->data = data;
    __atomic_fetch_add(&team->number, 1, __ATOMIC_SEQ_CST);
}

void rf_team_end(rf_team *team)
{
    __atomic_fetch_add(&team->number, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&team->busy, __ATOMIC_SEQ_CST) != 0)
        rf_sleep_briefly();
}
