// The one question a cell may be waiting for an answer to. The language asks and waits, the io
// thread brings answers; an answer that nobody waits for is discarded. Ownership: new/free.
#ifndef PJ_PROMPT_H
#define PJ_PROMPT_H

#include "kernel/jupyter/request.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"

typedef struct pj_prompt pj_prompt;

pj_prompt *pj_prompt_new(void);
void pj_prompt_free(pj_prompt *prompt);

/// Opens the prompt for the answer to the input_request `id`, before that is sent.
void pj_prompt_open(pj_prompt *prompt, const char *id);
/// Waits for the answer; false with PJ_E_STOPPED when `stop` was raised. Closes the prompt.
PJ_CHECKED bool pj_prompt_wait(pj_prompt *prompt, const atomic_bool *stop, pj_buf *out,
                               pj_err *err);
/// An input_reply arrived; false when it answers no question of this prompt.
bool pj_prompt_answer(pj_prompt *prompt, const pj_request *reply);

#endif
