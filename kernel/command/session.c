// Session: messages and the user's metric sets.
#include "kernel/command/session.h"

#include "kernel/cli/shell.h"
#include "kernel/command/setting.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/metricset_define.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/// Sets are held and never leave; the latest of a key wins.
typedef struct pj_session_sets {
    pthread_mutex_t lock;
    const pj_metric_set **items;
    size_t count, cap;
    bool ended; // none is taken any more
} sets;

static sets *new_sets(void)
{
    sets *own = pj_take_memory(sizeof *own);
    *own = (sets){0};
    pthread_mutex_init(&own->lock, NULL);
    return own;
}

static void free_sets(sets *own)
{
    pthread_mutex_destroy(&own->lock);
    free(own->items);
    free(own);
}

pj_session *pj_session_new(const pj_face *face, atomic_bool *stop)
{
    pj_session *session = pj_take_memory(sizeof *session);
    *session = (pj_session){.face = face,
                            .stop = stop,
                            .sets = new_sets(),
                            .summaries = pj_setting_text(PJ_SETTING_SUMMARIES)};
    const char *paper = pj_setting_text(PJ_SETTING_PAPER);
    session->render.paper = paper && strcmp(paper, "yes") == 0;
    return session;
}

pj_session *pj_session_beside(pj_session *first, const pj_face *face, atomic_bool *stop)
{
    pj_session *session = pj_take_memory(sizeof *session);
    *session = (pj_session){.face = face,
                            .stop = stop,
                            .sets = first->sets,
                            .beside = true,
                            .summaries = first->summaries,
                            .render = first->render};
    return session;
}

void pj_session_end_sets(pj_session *session)
{
    sets *own = session->sets;
    if (session->beside)
        return;
    pthread_mutex_lock(&own->lock);
    size_t count = own->count;
    own->count = 0;
    own->ended = true;
    pthread_mutex_unlock(&own->lock);
    for (size_t i = 0; i < count; i++)
        pj_metric_set_release(own->items[i]);
}

void pj_session_free(pj_session *session)
{
    if (!session)
        return;
    pj_session_end_sets(session);
    if (!session->beside)
        free_sets(session->sets);
    free(session);
}

void pj_session_say(pj_session *session, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text - 1, format, args);
    va_end(args);
    size_t end = len < 0 ? 0 : (size_t)len < sizeof text - 2 ? (size_t)len : sizeof text - 2;
    text[end] = '\n';
    session->face->write(session->face->self, PJ_STDERR, (pj_str){text, end + 1});
}

void pj_session_wrote(pj_session *session, const char *path)
{
    pj_auto_buf line = {.at = NULL};
    pj_buf_puts(&line, "wrote ");
    pj_shell_clean_name(pj_str_of(path), &line);
    pj_buf_add_char(&line, '\n');
    session->face->write(session->face->self, session->face->rich ? PJ_STDOUT : PJ_STDERR,
                         pj_buf_str(&line));
}

void pj_session_complain(pj_session *session, const pj_err *err)
{
    char text[1600];
    session->complaints++;
    pj_session_say(session, "popinjay: %s", pj_err_message(err, text, sizeof text));
}

const char *pj_session_set_key(const pj_session *session, size_t index)
{
    size_t built_in = 0;
    const pj_metric_set *set;
    for (; (set = pj_metric_set_at(built_in)); built_in++)
        if (built_in == index)
            return set->key;
    if (!session)
        return NULL;
    sets *own = session->sets;
    pthread_mutex_lock(&own->lock);
    const char *key = index - built_in < own->count ? own->items[index - built_in]->key : NULL;
    pthread_mutex_unlock(&own->lock);
    return key;
}

const pj_metric_set *pj_session_set(const pj_session *session, pj_str key)
{
    sets *own = session->sets;
    const pj_metric_set *set = NULL;
    pthread_mutex_lock(&own->lock);
    for (size_t i = own->count; !set && i-- > 0;)
        if (pj_str_equal(pj_str_of(own->items[i]->key), key))
            set = own->items[i];
    pthread_mutex_unlock(&own->lock);
    return set ? set : pj_metric_set_by_key(key);
}

const char *pj_session_metric_key(const pj_session *session, size_t index)
{
    const char *set_key;
    for (size_t i = 0; (set_key = pj_session_set_key(session, i)); i++) {
        const pj_metric_set *set = pj_session_set(session, pj_str_of(set_key));
        if (index < set->count)
            return set->rows[index].key;
        index -= set->count;
    }
    return NULL;
}

void pj_session_add_set_take(pj_session *session, const pj_metric_set *set)
{
    sets *own = session->sets;
    pthread_mutex_lock(&own->lock);
    if (!own->ended) {
        pj_grow(own->items, &own->cap, own->count + 1);
        own->items[own->count++] = set;
    } // else a finaliser defines one while the program ends, and may still use it
    pthread_mutex_unlock(&own->lock);
}
