// A window on the text of a trace, in which an event lies in one piece. Ownership: the caller frees
// it with pj_kineto_window_free.
#ifndef PJ_KINETO_WINDOW_H
#define PJ_KINETO_WINDOW_H

#include "metrics/base/err.h"
#include "metrics/read/kineto/json_span.h"
#include "metrics/read/source.h"

enum { PJ_KINETO_EVENT_MOST = 4 << 20 }; // bytes of an event that is read

typedef struct pj_kineto_window {
    pj_source *source;
    char *memory;
    size_t cap;
    char *at, *end;  // what is not read yet; 64 zeros follow
    uint64_t behind; // bytes of the text up to `end`
    bool over;       // the input has ended
} pj_kineto_window;

/// Gets more text behind what is not read yet, which may move. False at the end of the input, with
/// an error, or when the window is full of it.
PJ_CHECKED bool pj_kineto_window_more(pj_kineto_window *window, pj_err *err);
/// Where `at` is in the text.
uint64_t pj_kineto_window_offset(const pj_kineto_window *window);
/// Passes over the value at `at`, whatever its length. False with an error.
PJ_CHECKED bool pj_kineto_window_skip(pj_kineto_window *window, pj_err *err);
/// Goes to the next event that begins on a line of its own. False where there is none.
PJ_CHECKED bool pj_kineto_window_resume(pj_kineto_window *window, pj_err *err);
void pj_kineto_window_free(pj_kineto_window *window);

#endif
