// Writing a report while the wizard stays alive.
// The thread writes its result before it says that it has ended.
#include "widgets/wizard/wizard_print.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/str.h"

#include <stdatomic.h>

struct pj_wizard_print {
    pj_arena *arena;
    pj_wizard_host host;
    const char *notebook, *output;
    void (*news)(void *context);
    void *context;
    pj_task *task;
    atomic_bool stop, ended;
    bool good;
    pj_err err;
};

static void work(void *context)
{
    pj_wizard_print *print = context;
    pj_job job = {.stop = &print->stop};
    print->good =
        print->host.print(print->host.self, print->notebook, print->output, &job, &print->err);
    atomic_store(&print->ended, true);
    print->news(print->context);
}

pj_wizard_print *pj_wizard_print_start(const pj_wizard_host *host, const char *notebook,
                                       const char *output, void (*news)(void *context),
                                       void *context)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_wizard_print *print = pj_new(arena, pj_wizard_print);
    *print = (pj_wizard_print){.arena = arena,
                               .host = *host,
                               .notebook = pj_arena_text(arena, pj_str_of(notebook)),
                               .output = pj_arena_text(arena, pj_str_of(output)),
                               .news = news,
                               .context = context};
    print->task = pj_task_start(work, print);
    if (!print->task) // no thread to be had: the page waits
        work(print);
    return print;
}

bool pj_wizard_print_ended(const pj_wizard_print *print)
{
    return atomic_load(&print->ended);
}

bool pj_wizard_print_good(const pj_wizard_print *print, pj_err *err)
{
    *err = print->err;
    return print->good;
}

const char *pj_wizard_print_output(const pj_wizard_print *print)
{
    return print->output;
}

void pj_wizard_print_stop(pj_wizard_print *print)
{
    atomic_store(&print->stop, true);
}

void pj_wizard_print_free(pj_wizard_print *print)
{
    if (!print)
        return;
    pj_wizard_print_stop(print);
    pj_task_join(print->task);
    pj_arena_free(print->arena);
}
