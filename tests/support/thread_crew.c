// Each exchange has two barriers: all have given, all have taken.
#include "tests/support/thread_crew.h"

#include "metrics/base/arena.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct thread_crew {
    pthread_barrier_t barrier;
    const pj_buf **given; // by member
    pj_thread_work *work;
    void *context;
} thread_crew;

typedef struct member {
    thread_crew *all;
    pj_crew crew;
    pthread_t thread;
} member;

static bool carry(void *self, const pj_buf *out, pj_buf *in, pj_err *err)
{
    member *m = self;
    (void)err;
    m->all->given[m->crew.rank] = out;
    pthread_barrier_wait(&m->all->barrier);
    for (unsigned i = 0; i < m->crew.size; i++) {
        in[i].len = 0;
        pj_buf_add(&in[i], pj_buf_str(&m->all->given[i][m->crew.rank]));
    }
    pthread_barrier_wait(&m->all->barrier);
    return true;
}

static void *run_member(void *memory)
{
    member *m = memory;
    pj_crew_begin(&m->crew);
    m->all->work(&m->crew, m->all->context);
    pj_crew_end(&m->crew);
    return NULL;
}

void pj_thread_crew_run(unsigned size, uint64_t range, pj_thread_work *work, void *context)
{
    thread_crew all = {.work = work, .context = context};
    member *members = pj_take_memory(size * sizeof *members);
    all.given = pj_take_memory(size * sizeof *all.given);
    pthread_barrier_init(&all.barrier, NULL, size);
    for (unsigned i = 0; i < size; i++) {
        members[i] = (member){.all = &all};
        members[i].crew = (pj_crew){.rank = i,
                                    .size = size,
                                    .range = range,
                                    .crowd = 1,
                                    .carry = carry,
                                    .self = &members[i]};
    }
    for (unsigned i = 1; i < size; i++)
        if (pthread_create(&members[i].thread, NULL, run_member, &members[i]) != 0)
            abort();
    run_member(&members[0]);
    for (unsigned i = 1; i < size; i++)
        pthread_join(members[i].thread, NULL);
    pthread_barrier_destroy(&all.barrier);
    free(all.given);
    free(members);
}
