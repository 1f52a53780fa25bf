// Session: messages and the user's metric sets.
#include "kernel/session.h"

#include "metrics/pop/metricset_define.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

pj_session *pj_session_new(const pj_face *face, atomic_bool *stop)
{
    pj_session *session = pj_take_memory(sizeof *session);
    *session = (pj_session){.face = face, .stop = stop};
    return session;
}

void pj_session_free(pj_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; i < session->set_count; i++)
        pj_metric_set_release(session->sets[i]);
    free(session->sets);
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
    size_t own = session ? session->set_count : 0;
    return index - built_in < own ? session->sets[index - built_in]->key : NULL;
}

const pj_metric_set *pj_session_set(const pj_session *session, pj_str key)
{
    for (size_t i = session->set_count; i-- > 0;)
        if (pj_str_equal(pj_str_of(session->sets[i]->key), key))
            return session->sets[i];
    return pj_metric_set_by_key(key);
}

void pj_session_add_set_take(pj_session *session, const pj_metric_set *set)
{
    pj_grow(session->sets, &session->set_cap, session->set_count + 1);
    session->sets[session->set_count++] = set;
}
