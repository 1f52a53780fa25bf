// Teams have a name for each master and each level of its teams: all that one forks at a level are
// the same to the reader, whoever is in them.
#include "metrics/record/openmp/rec_omp_team.h"

#include "metrics/record/openmp/rec_omp_real.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_counters.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_thread.h"

#include <stdio.h>

enum { LEVELS = 8, NUMBER = 12, NAME = 32 };

/// Of a thread; `of` tells whether it is still the same one, for a forked child is another.
typedef struct membership {
    const pj_rec_thread *of;
    uint32_t teams[LEVELS]; // that it has made
    uint32_t level;         // of teams that it is the master of
    uint32_t inside;        // the innermost team that it is in; 0 = none
    uint32_t told;          // the last team whose member it has said to be
} membership;

static _Thread_local membership own;

static membership *membership_of(const pj_rec_thread *thread)
{
    if (own.of != thread)
        own = (membership){.of = thread};
    return &own;
}

static uint32_t define_team(const pj_rec_thread *thread, uint32_t level, uint32_t inside)
{
    char number[NUMBER], depth[NUMBER], parent[NUMBER];
    snprintf(number, sizeof number, "%u", thread->number);
    snprintf(depth, sizeof depth, "%u", level);
    snprintf(parent, sizeof parent, "%u", inside);
    return pj_rec_defs_id('C', (const char *[]){"team", number, depth, parent, "OpenMP team", ""},
                          6);
}

static uint32_t team_of(const pj_rec_thread *thread)
{
    membership *m = membership_of(thread);
    uint32_t level = m->level < LEVELS ? m->level : LEVELS - 1;
    if (!m->teams[level])
        m->teams[level] = define_team(thread, level, m->inside);
    return m->teams[level];
}

// Its threads

static pj_rec_thread *self(void)
{
    char name[NAME];
    if (pj_rec_self)
        return pj_rec_self;
    snprintf(name, sizeof name, "OMP thread %d", pj_rec_omp_thread());
    return pj_rec_thread_begin(name);
}

static void tell_member(membership *m, uint32_t team)
{
    char id[NUMBER], number[NUMBER];
    if (m->told == team)
        return;
    snprintf(id, sizeof id, "%u", team);
    snprintf(number, sizeof number, "%u", m->of->number);
    pj_rec_defs_id('J', (const char *[]){id, number}, 2);
    m->told = team;
}

/// The work region's end belongs to the library's functions that the body calls.
static void run_body(pj_rec_thread *thread, const pj_rec_omp_team *team)
{
    if (team->work)
        pj_rec_enter(thread, pj_rec_omp_region(team->work));
    team->body(team->data);
}

static void wait_for_all(pj_rec_thread *thread)
{
    uint32_t region = pj_rec_omp_region(PJ_REC_ROLE_OMP_IMPLICIT_BARRIER);
    pj_rec_counters_read(thread);
    bool entered = region && pj_rec_enter(thread, region);
    pj_rec_omp_barrier();
    if (!entered || pj_rec_self != thread)
        return;
    pj_rec_counters_read(thread);
    pj_rec_omp_leave(thread, region);
}

static void run_member(void *given)
{
    const pj_rec_omp_team *team = given;
    pj_rec_thread *thread = self();
    if (!thread) {
        team->body(team->data);
        if (team->waits)
            pj_rec_omp_barrier();
        return;
    }
    membership *m = membership_of(thread);
    const uint32_t outside = m->inside;
    tell_member(m, team->id);
    m->inside = team->id;
    pj_rec_counters_read(thread);
    pj_rec_event(thread, PJ_REC_THREAD_TEAM_BEGIN, pj_rec_now(), (uint64_t[]){team->id});
    bool entered = pj_rec_enter(thread, team->region);
    run_body(thread, team);
    if (team->waits)
        wait_for_all(thread);
    m->inside = outside;
    if (pj_rec_self != thread) // the recording has ended inside
        return;
    pj_rec_counters_read(thread);
    if (entered)
        pj_rec_leave_to(thread, team->region);
    pj_rec_event(thread, PJ_REC_THREAD_TEAM_END, pj_rec_now(), (uint64_t[]){team->id});
}

// Its master

void pj_rec_omp_team_fork(pj_rec_omp_team *team, unsigned threads)
{
    team->run = team->body;
    team->with = team->data;
    pj_rec_thread *master = pj_rec_here();
    team->master = NULL;
    if (!master)
        return;
    team->region = pj_rec_omp_region_of(PJ_REC_ROLE_OMP_PARALLEL, (const void *)team->body);
    team->id = team_of(master);
    if (!team->region || !team->id)
        return;
    pj_rec_counters_read(master);
    const uint64_t asked = threads ? threads : (uint64_t)pj_rec_omp_most_threads();
    pj_rec_event(master, PJ_REC_THREAD_FORK, pj_rec_now(),
                 (uint64_t[]){PJ_REC_PARADIGM_OPENMP, asked});
    membership_of(master)->level++;
    team->waits = !pj_rec_omp_cancels();
    team->master = master;
    team->run = run_member;
    team->with = team;
}

void pj_rec_omp_team_join(const pj_rec_omp_team *team)
{
    if (!team->master || pj_rec_self != team->master)
        return;
    pj_rec_counters_read(team->master);
    membership_of(team->master)->level--;
    pj_rec_event(team->master, PJ_REC_THREAD_JOIN, pj_rec_now(),
                 (uint64_t[]){PJ_REC_PARADIGM_OPENMP});
}
