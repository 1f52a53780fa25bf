// Text is read in large pieces; what is not used up moves to the front before the next one.
#include "metrics/read/kineto/kineto_window.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stdlib.h>

enum { PAD = 64, FIRST = PJ_SIZE(1 << 18, 1 << 10), LOOK = 64 };

bool pj_kineto_window_more(pj_kineto_window *w, pj_err *err)
{
    size_t left = (size_t)(w->end - w->at), got;
    if (w->over || left >= PJ_KINETO_EVENT_MOST)
        return false;
    if (left && w->at != w->memory)
        memmove(w->memory, w->at, left);
    if (2 * left >= w->cap) {
        w->cap = w->cap ? 2 * w->cap : FIRST;
        w->memory = pj_resize_memory(w->memory, w->cap + PAD);
    }
    w->at = w->memory;
    w->end = w->memory + left;
    memset(w->end, 0, PAD);
    if (!pj_source_read(w->source, w->end, w->cap - left, &got, err))
        return false;
    w->end += got;
    w->behind += got;
    w->over = got == 0;
    memset(w->end, 0, PAD);
    return got > 0;
}

uint64_t pj_kineto_window_offset(const pj_kineto_window *w)
{
    return w->behind - (uint64_t)(w->end - w->at);
}

bool pj_kineto_window_skip(pj_kineto_window *w, pj_err *err)
{
    uint64_t depth = 0;
    bool string = false, escaped = false;
    for (;; w->at++) {
        if (w->at == w->end && !pj_kineto_window_more(w, err))
            return !(err && err->code);
        char c = *w->at;
        if (string) {
            string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if (c == '"') {
            string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']' || c == ',') && depth == 0) {
            return true; // behind a plain value
        } else if ((c == '}' || c == ']') && --depth == 0) {
            w->at++;
            return true;
        }
    }
}

/// A line that begins with an event: {"ph": or one of its other members.
static bool begins_event(const char *at, const char *end)
{
    static const pj_str keys[] = {{"\"ph\"", 4}, {"\"name\"", 6}, {"\"cat\"", 5}};
    at = pj_json_blank(at, end);
    if (at >= end || *at != '{')
        return false;
    at = pj_json_blank(at + 1, end);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (pj_str_starts((pj_str){at, (size_t)(end - at)}, keys[i]))
            return true;
    return false;
}

bool pj_kineto_window_resume(pj_kineto_window *w, pj_err *err)
{
    if (w->at < w->end)
        w->at++;
    for (;;) {
        char *line = w->at < w->end ? memchr(w->at, '\n', (size_t)(w->end - w->at)) : NULL;
        if (!line || w->end - line < LOOK) {
            w->at = line ? line : w->end;
            if (pj_kineto_window_more(w, err))
                continue;
            if (err && err->code)
                return false;
            line = w->at < w->end ? w->at : NULL;
        }
        if (!line)
            return false;
        w->at = line + 1;
        if (begins_event(w->at, w->end)) {
            w->at += pj_json_blank(w->at, w->end) - w->at;
            return true;
        }
        if (w->at >= w->end && w->over)
            return false;
    }
}

void pj_kineto_window_free(pj_kineto_window *w)
{
    free(w->memory);
    *w = (pj_kineto_window){.memory = NULL};
}
