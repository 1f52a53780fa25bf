// The library hands on data to a task's function in ways of its own (it copies them, writes bounds
// and handles into them), so nothing is put beside them: each function of the program gets one of
// ours, which knows it by its number.
#include "metrics/record/openmp/rec_omp_task.h"

#include "metrics/record/openmp/rec_omp_region.h"
#include "metrics/record/rec_counters.h"
#include "metrics/record/rec_thread.h"

enum { TASKS = 256 };

static void (*bodies[TASKS])(void *);

static void run_task(unsigned number, void *data)
{
    void (*body)(void *) = __atomic_load_n(&bodies[number], __ATOMIC_ACQUIRE);
    pj_rec_thread *thread = pj_rec_self;
    uint32_t region = thread ? pj_rec_omp_region_of(PJ_REC_ROLE_OMP_TASK, (const void *)body) : 0;
    pj_rec_counters_read(thread);
    bool entered = region && pj_rec_enter(thread, region);
    body(data);
    if (!entered || pj_rec_self != thread)
        return;
    pj_rec_counters_read(thread);
    pj_rec_leave_to(thread, region);
}

#define ONE(number)                                                                                \
    static void task_##number(void *data)                                                          \
    {                                                                                              \
        run_task(number, data);                                                                    \
    }
#define ROW(of, high)                                                                              \
    of(high##0) of(high##1) of(high##2) of(high##3) of(high##4) of(high##5) of(high##6)            \
        of(high##7) of(high##8) of(high##9) of(high##A) of(high##B) of(high##C) of(high##D)        \
            of(high##E) of(high##F)
#define ALL(of)                                                                                    \
    ROW(of, 0x0)                                                                                   \
    ROW(of, 0x1)                                                                                   \
    ROW(of, 0x2)                                                                                   \
    ROW(of, 0x3)                                                                                   \
    ROW(of, 0x4)                                                                                   \
    ROW(of, 0x5)                                                                                   \
    ROW(of, 0x6)                                                                                   \
    ROW(of, 0x7)                                                                                   \
    ROW(of, 0x8)                                                                                   \
    ROW(of, 0x9)                                                                                   \
    ROW(of, 0xA)                                                                                   \
    ROW(of, 0xB)                                                                                   \
    ROW(of, 0xC)                                                                                   \
    ROW(of, 0xD)                                                                                   \
    ROW(of, 0xE)                                                                                   \
    ROW(of, 0xF)
ALL(ONE)

#define NAME(number) task_##number,
static void (*const tasks[TASKS])(void *) = {ALL(NAME)};

void (*pj_rec_omp_task_of(void (*body)(void *)))(void *)
{
    for (unsigned i = 0; pj_rec_self && i < TASKS; i++) {
        void (*there)(void *) = __atomic_load_n(&bodies[i], __ATOMIC_ACQUIRE);
        if (!there && __atomic_compare_exchange_n(&bodies[i], &there, body, false, __ATOMIC_ACQ_REL,
                                                  __ATOMIC_ACQUIRE))
            there = body;
        if (there == body)
            return tasks[i];
    }
    return body;
}
