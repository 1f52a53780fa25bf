// What a command shows, whoever shows it.
// A face that swallows everything: for work whose output nobody wants.
#include "kernel/command/face.h"

#include "metrics/base/str.h"

static void write_nowhere(void *self, pj_stream stream, pj_str text)
{
    (void)self, (void)stream, (void)text;
}

static void display_nowhere(void *self, const pj_display *display)
{
    (void)self, (void)display;
}

static void clear_nowhere(void *self, bool wait)
{
    (void)self, (void)wait;
}

static bool nobody_answers(void *self, const char *prompt, bool password, pj_buf *out, pj_err *err)
{
    (void)self, (void)prompt, (void)password, (void)out;
    return pj_fail(err, PJ_E_MISSING, NULL, 0, "nobody is there to answer");
}

static void payload_nowhere(void *self, json_t *payload)
{
    (void)self, (void)payload;
}

const pj_face pj_face_silent = {
    .write = write_nowhere,
    .display = display_nowhere,
    .clear = clear_nowhere,
    .input = nobody_answers,
    .payload = payload_nowhere,
};
