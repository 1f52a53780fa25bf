// Asking the user for a line.
// One answer under a lock. The stop flag may be raised by a signal, which cannot signal a
// condition: the wait looks at it every 10 ms.
#include "kernel/jupyter/prompt.h"

#include "kernel/command/jsontext.h"
#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "metrics/base/str.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STOP_POLL_NS = 10000000 };

struct pj_prompt {
    pthread_mutex_t lock;
    pthread_cond_t answered;
    char id[64]; // of the question; "" = closed
    bool has_answer;
    pj_buf answer;
};

pj_prompt *pj_prompt_new(void)
{
    pj_prompt *prompt = pj_take_memory(sizeof *prompt);
    *prompt = (pj_prompt){0};
    pthread_mutex_init(&prompt->lock, NULL);
    pthread_cond_init(&prompt->answered, NULL);
    return prompt;
}

void pj_prompt_free(pj_prompt *prompt)
{
    if (!prompt)
        return;
    pthread_cond_destroy(&prompt->answered);
    pthread_mutex_destroy(&prompt->lock);
    pj_buf_free(&prompt->answer);
    free(prompt);
}

void pj_prompt_open(pj_prompt *prompt, const char *id)
{
    pthread_mutex_lock(&prompt->lock);
    snprintf(prompt->id, sizeof prompt->id, "%s", id);
    prompt->has_answer = false;
    prompt->answer.len = 0;
    pthread_mutex_unlock(&prompt->lock);
}

static void wait_a_moment(pj_prompt *prompt)
{
    struct timespec until = pj_clock_until(CLOCK_REALTIME, STOP_POLL_NS);
    pthread_cond_timedwait(&prompt->answered, &prompt->lock, &until);
}

bool pj_prompt_wait(pj_prompt *prompt, const atomic_bool *stop, pj_buf *out, pj_err *err)
{
    pthread_mutex_lock(&prompt->lock);
    while (!prompt->has_answer && !atomic_load(stop))
        wait_a_moment(prompt);
    bool answered = prompt->has_answer;
    if (answered)
        pj_buf_add(out, pj_buf_str(&prompt->answer));
    prompt->id[0] = 0;
    pthread_mutex_unlock(&prompt->lock);
    return answered || pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted while waiting for input");
}

/// Some front ends leave the parent of an input_reply empty, others copy the question's header.
static bool answers(const pj_prompt *prompt, const pj_request *reply)
{
    return prompt->id[0] && !prompt->has_answer &&
           (!reply->parent_id.len || pj_str_equal(reply->parent_id, pj_str_of(prompt->id)));
}

bool pj_prompt_answer(pj_prompt *prompt, const pj_request *reply)
{
    pthread_mutex_lock(&prompt->lock);
    bool wanted = answers(prompt, reply);
    if (wanted) {
        pj_buf_add(&prompt->answer, pj_jsontext_str(reply->content, "value"));
        prompt->has_answer = true;
        pthread_cond_signal(&prompt->answered);
    }
    pthread_mutex_unlock(&prompt->lock);
    return wanted;
}
