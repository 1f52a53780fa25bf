// Subshells: threads that answer while a cell runs (JEP 91).
// One list under one lock. A thread frees what is its own and marks its shell as ended; whoever
// makes or deletes one next joins it.
#include "kernel/jupyter/subshell.h"

#include "kernel/jupyter/dispatch.h"
#include "kernel/jupyter/execute.h"
#include "kernel/jupyter/history_file.h"
#include "kernel/jupyter/request.h"
#include "kernel/jupyter/slice.h"
#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct pj_subshells {
    struct pj_kernel *kernel;
    pthread_mutex_t lock;
    pthread_cond_t change;
    pj_subshell *first, **end;           // the main shell first
    pj_subshell *own[PJ_SUBSHELL_CHILD]; // by role; NULL = not started
    unsigned children, running, made;
    bool ready; // the main shell has its language
    bool closed;
};

static pj_subshell *new_shell(const pj_subshells *shells, pj_subshell_role role)
{
    pj_subshell *shell = pj_take_memory(sizeof *shell);
    *shell = (pj_subshell){
        .kernel = shells->kernel,
        .role = role,
        .inbox = pj_inbox_new(),
        .history = pj_history_new(role == PJ_SUBSHELL_MAIN ? pj_history_file_path() : NULL),
        .prompt = pj_prompt_new(),
    };
    shell->stop = &shell->own_stop;
    shell->face = pj_execute_face(shell);
    return shell;
}

static void append(pj_subshells *shells, pj_subshell *shell)
{
    *shells->end = shell;
    shells->end = &shell->next;
}

static void free_shell(pj_subshell *shell)
{
    pj_inbox_free(shell->inbox);
    pj_history_free(shell->history);
    pj_prompt_free(shell->prompt);
    free(shell);
}

pj_subshells *pj_subshells_new(struct pj_kernel *kernel, atomic_bool *stop)
{
    pj_subshells *shells = pj_take_memory(sizeof *shells);
    *shells = (pj_subshells){.kernel = kernel};
    shells->end = &shells->first;
    pthread_mutex_init(&shells->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&shells->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pj_subshell *main = shells->own[PJ_SUBSHELL_MAIN] = new_shell(shells, PJ_SUBSHELL_MAIN);
    main->stop = stop;
    append(shells, main);
    shells->running = 1;
    return shells;
}

void pj_subshells_free(pj_subshells *shells)
{
    if (!shells)
        return;
    for (pj_subshell *shell = shells->first, *next; shell; shell = next) {
        next = shell->next;
        if (shell->role != PJ_SUBSHELL_MAIN)
            pthread_join(shell->thread, NULL);
    }
    pj_lang_free(shells->own[PJ_SUBSHELL_MAIN]->lang);
    for (pj_subshell *shell = shells->first, *next; shell; shell = next) {
        next = shell->next;
        free_shell(shell);
    }
    pthread_cond_destroy(&shells->change);
    pthread_mutex_destroy(&shells->lock);
    free(shells);
}

// Threads

static void come_home(pj_subshells *shells)
{
    shells->running--;
    pthread_cond_broadcast(&shells->change);
}

void pj_subshells_run(pj_subshells *shells)
{
    pj_subshell *main = shells->first;
    pj_lang *lang = pj_lang_new(&main->face, main->stop);
    pthread_mutex_lock(&shells->lock);
    main->lang = lang;
    shells->ready = true;
    pthread_cond_broadcast(&shells->change);
    pthread_mutex_unlock(&shells->lock);
    pj_dispatch_inbox(main);
    pthread_mutex_lock(&shells->lock);
    come_home(shells);
    pthread_mutex_unlock(&shells->lock);
}

/// The language of a new thread; NULL when everything ends before it could begin.
static pj_lang *begin(pj_subshells *shells, pj_subshell *shell)
{
    pthread_mutex_lock(&shells->lock);
    while (!shells->ready && !shells->closed)
        pthread_cond_wait(&shells->change, &shells->lock);
    bool ready = shells->ready;
    pthread_mutex_unlock(&shells->lock);
    if (!ready)
        return NULL;
    pj_lang *lang = pj_lang_beside(shells->first->lang, &shell->face, shell->stop);
    pthread_mutex_lock(&shells->lock);
    shell->lang = lang;
    if (shell->closing || shells->closed)
        pj_lang_close(lang);
    pthread_mutex_unlock(&shells->lock);
    return lang;
}

static void *run(void *context)
{
    pj_subshell *shell = context;
    pj_subshells *shells = shell->kernel->shells;
    pj_slice_default();
    pj_lang *lang = begin(shells, shell);
    if (lang)
        pj_dispatch_inbox(shell);
    pthread_mutex_lock(&shells->lock);
    shell->lang = NULL;
    pthread_mutex_unlock(&shells->lock);
    pj_lang_free(lang);
    pthread_mutex_lock(&shells->lock);
    shell->ended = true;
    come_home(shells);
    pthread_mutex_unlock(&shells->lock);
    return NULL;
}

/// Takes the shell; NULL when the system gives no thread. Signals stay with the main shell's
/// thread. Called with the lock held.
static pj_subshell *start(pj_subshells *shells, pj_subshell *shell)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool ok = pthread_create(&shell->thread, NULL, run, shell) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok) {
        free_shell(shell);
        return NULL;
    }
    shells->running++;
    append(shells, shell);
    return shell;
}

/// Takes the shells that ended off the list. Called with the lock held.
static void reap(pj_subshells *shells)
{
    pj_subshell **link = &shells->first;
    while (*link) {
        pj_subshell *shell = *link;
        if (!shell->ended) {
            link = &shell->next;
            continue;
        }
        *link = shell->next;
        pthread_join(shell->thread, NULL);
        shells->children -= shell->role == PJ_SUBSHELL_CHILD;
        free_shell(shell);
    }
    shells->end = link;
}

/// Called with the lock held.
static void close_shell(pj_subshell *shell)
{
    shell->closing = true;
    atomic_store(shell->stop, true);
    if (shell->lang)
        pj_lang_close(shell->lang);
    pj_inbox_close(shell->inbox);
}

void pj_subshells_close(pj_subshells *shells)
{
    pthread_mutex_lock(&shells->lock);
    shells->closed = true;
    for (pj_subshell *shell = shells->first; shell; shell = shell->next)
        close_shell(shell);
    pthread_cond_broadcast(&shells->change);
    pthread_mutex_unlock(&shells->lock);
}

/// Threads that are stuck are left to the end of the process. Called with the lock held.
static void abandon(pj_subshells *shells)
{
    for (pj_subshell *shell = shells->first; shell; shell = shell->next)
        if (shell->role != PJ_SUBSHELL_MAIN)
            pthread_detach(shell->thread);
}

bool pj_subshells_wait(pj_subshells *shells, unsigned ms)
{
    struct timespec until = pj_clock_until(CLOCK_MONOTONIC, (uint64_t)ms * 1000000);
    int rc = 0;
    pthread_mutex_lock(&shells->lock);
    while (shells->running && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&shells->change, &shells->lock, &until);
    bool home = shells->running == 0;
    if (!home)
        abandon(shells);
    pthread_mutex_unlock(&shells->lock);
    return home;
}

// Requests

/// Called with the lock held; NULL when there is none of that id.
static pj_subshell *find_child(pj_subshells *shells, pj_str id)
{
    for (pj_subshell *shell = shells->first; shell; shell = shell->next)
        if (shell->role == PJ_SUBSHELL_CHILD && !shell->closing &&
            pj_str_equal(pj_str_of(shell->id), id))
            return shell;
    return NULL;
}

/// Started when it is needed first; without a thread the main shell answers in its turn. Called
/// with the lock held.
static pj_subshell *own_shell(pj_subshells *shells, pj_subshell_role role)
{
    if (!shells->own[role])
        shells->own[role] = start(shells, new_shell(shells, role));
    return shells->own[role] ? shells->own[role] : shells->first;
}

bool pj_subshells_give(pj_subshells *shells, pj_subshell_role role, pj_request *take)
{
    pthread_mutex_lock(&shells->lock);
    pj_subshell *shell = NULL;
    if (!shells->closed && take->subshell_id.len)
        shell = find_child(shells, take->subshell_id);
    if (!shells->closed && (!take->subshell_id.len || (shell && role == PJ_SUBSHELL_ANSWERS)))
        shell = own_shell(shells, role);
    if (shell)
        pj_inbox_add_take(shell->inbox, (pj_inbox_item){.request = take});
    pthread_mutex_unlock(&shells->lock);
    return shell;
}

void pj_subshells_give_errand_take(pj_subshells *shells, pj_inbox_item item)
{
    pthread_mutex_lock(&shells->lock);
    bool closed = shells->closed;
    if (!closed)
        pj_inbox_add_take(own_shell(shells, PJ_SUBSHELL_COMMS)->inbox, item);
    pthread_mutex_unlock(&shells->lock);
    if (closed)
        pj_inbox_item_drop(&item);
}

json_t *pj_subshells_history(pj_subshells *shells, const pj_request *request)
{
    if (!request->subshell_id.len)
        return pj_history_answer(shells->first->history, request->content);
    pthread_mutex_lock(&shells->lock);
    pj_subshell *child = find_child(shells, request->subshell_id);
    json_t *answer = child ? pj_history_answer(child->history, request->content) : NULL;
    pthread_mutex_unlock(&shells->lock);
    return answer;
}

void pj_subshells_answer(pj_subshells *shells, const pj_request *reply)
{
    pthread_mutex_lock(&shells->lock);
    for (pj_subshell *shell = shells->first; shell; shell = shell->next)
        if (pj_prompt_answer(shell->prompt, reply))
            break;
    pthread_mutex_unlock(&shells->lock);
}

bool pj_subshells_interrupt(pj_subshells *shells, pj_str id)
{
    pthread_mutex_lock(&shells->lock);
    pj_subshell *child = id.len ? find_child(shells, id) : NULL;
    bool children = !id.len;
    if (child)
        atomic_store(child->stop, true);
    static const pj_subshell_role first[] = {PJ_SUBSHELL_MAIN, PJ_SUBSHELL_COMMS};
    for (size_t i = 0; !id.len && i < sizeof first / sizeof *first; i++) {
        pj_subshell *shell = shells->own[first[i]];
        if (!shell || !atomic_load(&shell->busy))
            continue;
        children = false;
        atomic_store(shell->stop, true);
    }
    for (pj_subshell *shell = shells->first->next; children && shell; shell = shell->next)
        atomic_store(shell->stop, true);
    pthread_mutex_unlock(&shells->lock);
    return child || !id.len;
}

// Children

size_t pj_subshells_waiting(pj_subshells *shells)
{
    size_t bytes = 0;
    pthread_mutex_lock(&shells->lock);
    for (pj_subshell *shell = shells->first; shell; shell = shell->next)
        bytes += pj_inbox_bytes(shell->inbox);
    pthread_mutex_unlock(&shells->lock);
    return bytes;
}

bool pj_subshells_stopping(pj_subshells *shells)
{
    pj_subshell *main = shells->first;
    return atomic_load(&main->busy) && atomic_load(main->stop);
}

bool pj_subshells_create(pj_subshells *shells, char *id, size_t size, pj_err *err)
{
    pthread_mutex_lock(&shells->lock);
    reap(shells);
    bool ok = shells->children < PJ_SUBSHELL_MOST ||
              pj_fail(err, PJ_E_USAGE, NULL, 0,
                      "there are %d subshells, the most there may be; delete one first",
                      PJ_SUBSHELL_MOST);
    if (ok) {
        pj_subshell *shell = new_shell(shells, PJ_SUBSHELL_CHILD);
        snprintf(shell->id, sizeof shell->id, "%s-%u", shells->kernel->origin->session,
                 ++shells->made);
        snprintf(id, size, "%s", shell->id);
        ok = start(shells, shell) ||
             pj_fail(err, PJ_E_MISSING, NULL, 0, "the system gives no further thread");
        shells->children += ok;
    }
    pthread_mutex_unlock(&shells->lock);
    return ok;
}

bool pj_subshells_delete(pj_subshells *shells, pj_str id)
{
    pthread_mutex_lock(&shells->lock);
    reap(shells);
    pj_subshell *child = find_child(shells, id);
    if (child)
        close_shell(child);
    pthread_mutex_unlock(&shells->lock);
    return child;
}

json_t *pj_subshells_list(pj_subshells *shells)
{
    json_t *ids = json_array();
    pthread_mutex_lock(&shells->lock);
    for (pj_subshell *shell = shells->first; shell; shell = shell->next)
        if (shell->role == PJ_SUBSHELL_CHILD && !shell->closing)
            json_array_append_new(ids, json_string(shell->id));
    pthread_mutex_unlock(&shells->lock);
    return ids;
}

bool pj_subshells_know(pj_subshells *shells, pj_str id)
{
    pthread_mutex_lock(&shells->lock);
    bool known = !id.len || find_child(shells, id);
    pthread_mutex_unlock(&shells->lock);
    return known;
}
