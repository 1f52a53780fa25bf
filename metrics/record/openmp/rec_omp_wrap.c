// Every row of omp_wrapped.def as a function: the library's own with regions around it.
#include "metrics/record/openmp/rec_omp_real.h"
#include "metrics/record/openmp/rec_omp_region.h"
#include "metrics/record/openmp/rec_omp_task.h"
#include "metrics/record/openmp/rec_omp_team.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_counters.h"
#include "metrics/record/rec_export.h"
#include "metrics/record/rec_thread.h"

#include <stdbool.h>
#include <stdint.h>

/// A construct while it is open; region 0 = it is not recorded.
typedef struct construct {
    pj_rec_thread *thread;
    uint32_t region;
} construct;

static construct enter(pj_rec_omp_role role)
{
    construct c = {.thread = pj_rec_here()};
    uint32_t region = c.thread ? pj_rec_omp_region(role) : 0;
    pj_rec_counters_read(c.thread);
    if (region && pj_rec_enter(c.thread, region))
        c.region = region;
    return c;
}

static void leave(const construct *c)
{
    if (!c->region || pj_rec_self != c->thread)
        return;
    pj_rec_counters_read(c->thread);
    pj_rec_omp_leave(c->thread, c->region);
}

/// What an earlier call has begun.
static void end_of(pj_rec_omp_role role)
{
    if (!pj_rec_self)
        return;
    pj_rec_counters_read(pj_rec_self);
    pj_rec_omp_leave(pj_rec_self, pj_rec_omp_region(role));
}

static void end_work(const pj_rec_omp_role *role)
{
    end_of(*role);
}

static void begin_body(pj_rec_omp_role role)
{
    if (role)
        enter(role);
}

static void end_body(pj_rec_omp_role role)
{
    if (role)
        end_of(role);
}

#define AT_END(function) __attribute__((cleanup(function)))
#define ROLE(name) PJ_REC_ROLE_OMP_##name
#define REAL(gives, name, parameters) ((gives(*) parameters)pj_rec_omp_keep(&kept_##name, #name))

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the library's.
/// The head of a function that stands in for one of libgomp.
#define WRAPPED(gives, name, parameters)                                                           \
    static void *kept_##name;                                                                      \
    PJ_REC_API gives name parameters;                                                              \
    gives name parameters
#define FORK(gives, name, role, parameters, arguments)                                             \
    WRAPPED(gives, name, parameters)                                                               \
    {                                                                                              \
        AT_END(pj_rec_omp_team_join)                                                               \
        pj_rec_omp_team team = {.body = body, .data = data, .work = ROLE(role)};                   \
        pj_rec_omp_team_fork(&team, threads);                                                      \
        return REAL(gives, name, parameters) arguments;                                            \
    }
#define RUN team.run, team.with
#define WAIT(gives, name, role, parameters, arguments)                                             \
    WRAPPED(gives, name, parameters)                                                               \
    {                                                                                              \
        AT_END(leave) const construct own = enter(ROLE(role));                                     \
        (void)own;                                                                                 \
        return REAL(gives, name, parameters) arguments;                                            \
    }
#define WORK(gives, name, role, parameters, arguments)                                             \
    WRAPPED(gives, name, parameters)                                                               \
    {                                                                                              \
        enter(ROLE(role));                                                                         \
        return REAL(gives, name, parameters) arguments;                                            \
    }
#define WORK_END(gives, name, role, parameters, arguments)                                         \
    WRAPPED(gives, name, parameters)                                                               \
    {                                                                                              \
        AT_END(end_work) const pj_rec_omp_role work = ROLE(role);                                  \
        (void)work;                                                                                \
        return REAL(gives, name, parameters) arguments;                                            \
    }
#define WORK_WAIT(gives, name, role, parameters, arguments)                                        \
    WRAPPED(gives, name, parameters)                                                               \
    {                                                                                              \
        AT_END(end_work) const pj_rec_omp_role work = ROLE(role);                                  \
        AT_END(leave) const construct own = enter(PJ_REC_ROLE_OMP_IMPLICIT_BARRIER);               \
        (void)work, (void)own;                                                                     \
        return REAL(gives, name, parameters) arguments;                                            \
    }
#define LOCK(name, role, inside, parameters, arguments)                                            \
    WRAPPED(void, name, parameters)                                                                \
    {                                                                                              \
        enter(ROLE(role));                                                                         \
        REAL(void, name, parameters) arguments;                                                    \
        begin_body(ROLE(inside));                                                                  \
    }
#define UNLOCK(name, role, inside, parameters, arguments)                                          \
    WRAPPED(void, name, parameters)                                                                \
    {                                                                                              \
        end_body(ROLE(inside));                                                                    \
        REAL(void, name, parameters) arguments;                                                    \
        end_of(ROLE(role));                                                                        \
    }
#define TASK(name, parameters, arguments)                                                          \
    WRAPPED(void, name, parameters)                                                                \
    {                                                                                              \
        AT_END(leave) const construct own = enter(PJ_REC_ROLE_OMP_TASK_CREATE);                    \
        (void)own;                                                                                 \
        void (*const task)(void *) = pj_rec_omp_task_of(body);                                     \
        REAL(void, name, parameters) arguments;                                                    \
    }
#include "metrics/record/openmp/omp_wrapped.def"

void *GOMP_single_copy_start(void);

/// The thread that is to do the work gets NULL at once, all others wait for it in a barrier.
PJ_REC_API void *GOMP_single_copy_start(void)
{
    static void *kept;
    pj_rec_thread *thread = pj_rec_here();
    const uint32_t region = thread ? pj_rec_omp_region(PJ_REC_ROLE_OMP_IMPLICIT_BARRIER) : 0;
    const uint64_t before = pj_rec_now();
    void *data = ((void *(*)(void))pj_rec_omp_keep(&kept, __func__))();
    if (data && region && pj_rec_self == thread && pj_rec_thread_enter(thread, region, before))
        pj_rec_leave(thread, region);
    return data;
}
// NOLINTEND(bugprone-reserved-identifier)
