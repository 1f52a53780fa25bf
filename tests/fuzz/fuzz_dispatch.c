// Signed requests of any content through a whole kernel without sockets: each must end in idle. The
// input is a byte that chooses the channel, then the texts of header, parent header, metadata and
// content, each ended by a newline, then buffers. Code of cells is replaced: no fuzzer programs.
#include "kernel/command/jsontext.h"
#include "kernel/jupyter/dispatch.h"
#include "kernel/jupyter/wire.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PARTS = 4, FRAMES = PARTS + 8 };

typedef struct bench {
    pthread_mutex_t lock;
    pthread_cond_t change;
    unsigned long idles;
    pj_origin origin;
    atomic_bool stop;
    pj_kernel *kernel;
    pj_wire *wire;
    pthread_t thread;
} bench;

static bench *open_bench; // LibFuzzer gives no argument

static void forget(void *self, pj_post *take)
{
    (void)self;
    pj_post_free(take);
}

static void publish(void *self, pj_post *take)
{
    bench *b = self;
    pthread_mutex_lock(&b->lock);
    b->idles += take->turns_idle;
    pthread_cond_broadcast(&b->change);
    pthread_mutex_unlock(&b->lock);
    pj_post_free(take);
}

static void write_nothing(void *self, pj_request *parent, pj_stream stream, pj_str text)
{
    (void)self, (void)parent, (void)stream, (void)text;
}

static int no_delay(void *self, bool stream)
{
    (void)self, (void)stream;
    return 0;
}

static void settle_nothing(void *self, pj_request *parent, bool glance)
{
    (void)self, (void)parent, (void)glance;
}

static void stay(void *self)
{
    (void)self;
}

static void *run(void *context)
{
    pj_subshells_run(((bench *)context)->kernel->shells);
    return NULL;
}

static void end(void)
{
    bench *b = open_bench;
    pj_subshells_close(b->kernel->shells);
    if (!pj_subshells_wait(b->kernel->shells, 10000))
        abort();
    pthread_join(b->thread, NULL);
    pj_kernel_free(b->kernel);
    pj_wire_free(b->wire);
    free(b);
}

static bench *begin(void)
{
    setenv("POPINJAY_HISTORY", "", 1);
    bench *b = open_bench = calloc(1, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->change, NULL);
    pj_origin_init(&b->origin);
    b->wire = pj_wire_new(PJ_S("hmac-sha256"), PJ_S(""), NULL);
    b->kernel = pj_kernel_new((pj_outlet){.self = b,
                                          .send = forget,
                                          .publish = publish,
                                          .write = write_nothing,
                                          .delay = no_delay,
                                          .settle = settle_nothing,
                                          .shut_down = stay},
                              &b->origin, &b->stop);
    pthread_create(&b->thread, NULL, run, b);
    atexit(end);
    return b;
}

static pj_request *decode(bench *b, pj_str text)
{
    pj_str frames[FRAMES] = {PJ_S("<IDS|MSG>"), PJ_S("")};
    size_t count = 2;
    for (; count < 2 + PARTS || (text.len && count < FRAMES); count++)
        frames[count] = pj_str_cut(&text, '\n');
    return pj_wire_decode(b->wire, NULL, frames, count, NULL);
}

static void tame(pj_request *request)
{
    if (json_is_string(json_object_get(request->content, "code")) &&
        pj_request_is(request, PJ_S("execute_request"))) {
        json_object_set_new(request->content, "code", json_string("x = 1 return x"));
        json_object_del(request->content, "user_expressions");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bench *b = open_bench ? open_bench : begin();
    pj_str text = {(const char *)data, size};
    pj_request *request = size ? decode(b, pj_str_from(text, 1)) : NULL;
    if (!request)
        return 0;
    request->channel = (pj_channel)(data[0] % 3);
    tame(request);
    bool answered = request->channel != PJ_STDIN;
    pthread_mutex_lock(&b->lock);
    unsigned long before = b->idles;
    pthread_mutex_unlock(&b->lock);
    pj_dispatch(b->kernel, request);
    pthread_mutex_lock(&b->lock);
    while (answered && b->idles == before)
        pthread_cond_wait(&b->change, &b->lock);
    pthread_mutex_unlock(&b->lock);
    return 0;
}
