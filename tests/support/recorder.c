// What readers push, kept in arrays.
#include "tests/support/recorder.h"

#include "metrics/base/buf.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"

#include <stdlib.h>

static bool begin(void *self, const pj_run *run, pj_err *err)
{
    recorder *out = self;
    (void)run, (void)err;
    out->count = out->message_count = 0;
    out->begun++;
    return true;
}

static bool events(void *self, const pj_batch *batch, pj_err *err)
{
    recorder *out = self;
    (void)err;
    pj_grow(out->events, &out->cap, out->count + batch->count);
    pj_grow(out->messages, &out->message_cap, out->message_count + batch->message_count);
    for (size_t i = 0; i < batch->count; i++) {
        pj_event event = batch->events[i];
        if (event.kind == PJ_EV_MESSAGE)
            event.a += out->message_count;
        out->events[out->count++] = event;
    }
    for (size_t i = 0; i < batch->message_count; i++)
        out->messages[out->message_count++] = batch->messages[i];
    return true;
}

static bool finish(void *self, pj_run *run, pj_err *err)
{
    (void)run, (void)err;
    ((recorder *)self)->finished++;
    return true;
}

static void close_sink(void *self)
{
    (void)self;
}

pj_sink recorder_sink(recorder *out)
{
    return (pj_sink){.name = "recorder",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = out};
}

void recorder_free(recorder *out)
{
    free(out->events);
    free(out->messages);
    *out = (recorder){.events = NULL};
}

pj_run *recorder_read(recorder *out, const char *name, pj_str text, unsigned workers, pj_err *err)
{
    pj_job job = {.workers = workers};
    pj_sink sink = recorder_sink(out);
    pj_pass pass = {.sinks = &sink, .sink_count = 1, .job = &job};
    bool ok = false;
    for (unsigned passes = 0; passes < 3; passes++) {
        bool ordered = pass.disorder != NULL;
        pass.learning = false;
        pj_run_release(pass.run);
        pass.run = pj_run_new(name);
        ok = pj_read_memory(name, text, &pass, err);
        if (!ok || (!pass.learning && (!pass.disorder || ordered)))
            break;
    }
    free(pass.disorder);
    free(pass.learnt);
    if (ok)
        return pass.run;
    pj_run_release(pass.run);
    return NULL;
}
