// Each exchange has two barriers: all have given, all have taken.
#include "tests/support/thread_group.h"

#include "metrics/base/arena.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct thread_group {
    pthread_barrier_t barrier;
    const pj_buf **given; // by member
    pj_thread_work *work;
    void *context;
} thread_group;

typedef struct member {
    thread_group *all;
    pj_process_group group;
    pthread_t thread;
} member;

static bool carry(void *self, const pj_buf *out, pj_buf *in, pj_err *err)
{
    member *m = self;
    (void)err;
    m->all->given[m->group.rank] = out;
    pthread_barrier_wait(&m->all->barrier);
    for (unsigned i = 0; i < m->group.size; i++) {
        in[i].len = 0;
        pj_buf_add(&in[i], pj_buf_str(&m->all->given[i][m->group.rank]));
    }
    pthread_barrier_wait(&m->all->barrier);
    return true;
}

static void *run_member(void *memory)
{
    member *m = memory;
    pj_process_group_begin(&m->group);
    m->all->work(&m->group, m->all->context);
    pj_process_group_end(&m->group);
    return NULL;
}

void pj_thread_group_run(unsigned size, pj_thread_work *work, void *context)
{
    thread_group all = {.work = work, .context = context};
    member *members = pj_take_memory(size * sizeof *members);
    all.given = pj_take_memory(size * sizeof *all.given);
    pthread_barrier_init(&all.barrier, NULL, size);
    for (unsigned i = 0; i < size; i++) {
        members[i] = (member){.all = &all};
        members[i].group =
            (pj_process_group){.rank = i, .size = size, .carry = carry, .self = &members[i]};
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
