// Publishing: one thread that owns the socket.
// XPUB with NODROP: a subscriber that is full makes sending fail instead of losing messages. They
// wait in the queue meanwhile, and a subscriber that takes nothing for too long is cut off, as is
// one that answers no heartbeat. Subscriptions are applied by hand, so that the welcome is the
// first message a subscriber gets.
#include "kernel/jupyter/iopub.h"

#include "kernel/jupyter/laggard.h"
#include "kernel/jupyter/message.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zmq.h>

enum {
    MESSAGES_PER_SUBSCRIBER = 1024,
    HEARTBEAT_MS = 5000,
    RETRY_MS = 2,
    LINGER_MS = 1000,
    MOST_TOPICS = 4096,      // subscribed to at a time
    LOOK_EVERY = 32,         // messages, at least, for who wants them
    LAST_MS = 500,           // for what is left when the kernel ends
    LEAST_PATIENCE_MS = 200, // with a subscriber that comes back again and again
    FORGIVEN_MS = 60000
};

struct pj_iopub {
    pj_iopub_opts opts;
    pthread_t thread;
    pj_frames frames; // of the message that is being sent, with its topic
    char topic[128];
    char endpoint[256];
    int last_ms;     // left for sending to full subscribers once the queue is closed
    uint64_t cut_at; // ms: when a subscriber was cut off last
    unsigned cuts;   // until then, in short sequence
    size_t lines[MESSAGES_PER_SUBSCRIBER]; // of the latest messages: what a full subscriber misses
    size_t sent;                           // messages so far
    size_t topics;                         // subscriptions in force
};

static void set_option(void *socket, int option, int value)
{
    zmq_setsockopt(socket, option, &value, sizeof value);
}

void pj_iopub_prepare(void *socket, unsigned patience_ms)
{
    set_option(socket, ZMQ_LINGER, 0); // for who is cut off; at the end for nobody
    set_option(socket, ZMQ_XPUB_MANUAL, 1);
    set_option(socket, ZMQ_XPUB_NODROP, 1);
    set_option(socket, ZMQ_SNDHWM, MESSAGES_PER_SUBSCRIBER);
    set_option(socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
    set_option(socket, ZMQ_HEARTBEAT_TIMEOUT, (int)patience_ms);
}

bool pj_frames_send(void *socket, const pj_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        int flags = ZMQ_DONTWAIT | (i + 1 < frames->count ? ZMQ_SNDMORE : 0);
        while (zmq_send(socket, frames->at[i].at, frames->at[i].len, flags) < 0)
            if (errno != EINTR)
                return false;
    }
    return true;
}

static void encode(pj_iopub *iopub, const pj_post *post)
{
    pj_str id = {post->topic, post->topic_len};
    if (!post->topic) {
        snprintf(iopub->topic, sizeof iopub->topic, "kernel.%s.%s", iopub->opts.origin->session,
                 post->type);
        id = pj_str_of(iopub->topic);
    }
    pj_wire_encode(iopub->opts.wire, iopub->opts.origin, post, &id, 1, &iopub->frames);
}

/// Applies the subscription that was read last and greets its sender.
static void subscribe(pj_iopub *iopub, pj_str topic)
{
    if (topic.len && iopub->topics >= MOST_TOPICS)
        return; // front ends want everything, which is always to be had
    if (zmq_setsockopt(iopub->opts.socket, ZMQ_SUBSCRIBE, topic.at, topic.len) != 0)
        return; // its sender has left
    iopub->topics++;
    pj_post *post = pj_publish_welcome(iopub->opts.origin, topic);
    encode(iopub, post);
    pj_frames_send(iopub->opts.socket, &iopub->frames);
    pj_post_free(post);
}

static void unsubscribe(pj_iopub *iopub, pj_str topic)
{
    iopub->topics -= iopub->topics > 0;
    zmq_setsockopt(iopub->opts.socket, ZMQ_UNSUBSCRIBE, topic.at, topic.len);
}

/// Reads one message; false when there is none. Subscriptions are one frame "\1topic", "\0topic"
/// takes them back.
static bool read_subscription(pj_iopub *iopub)
{
    zmq_msg_t message;
    zmq_msg_init(&message);
    bool got = zmq_msg_recv(&message, iopub->opts.socket, ZMQ_DONTWAIT) >= 0;
    pj_str text = {zmq_msg_data(&message), zmq_msg_size(&message)};
    pj_str topic = pj_str_from(text, 1);
    if (got && text.len && !zmq_msg_more(&message) && pj_utf8_valid(topic)) {
        if (text.at[0] == 1)
            subscribe(iopub, topic);
        else if (text.at[0] == 0)
            unsubscribe(iopub, topic);
    }
    zmq_msg_close(&message);
    return got;
}

static void wait_for_events(pj_iopub *iopub, int wait_ms)
{
    zmq_pollitem_t items[] = {
        {.socket = iopub->opts.socket, .events = ZMQ_POLLIN},
        {.fd = pj_pubqueue_fd(iopub->opts.queue), .events = ZMQ_POLLIN},
    };
    zmq_poll(items, 2, wait_ms);
}

static size_t count_lines(const pj_post *post)
{
    size_t lines = 0;
    for (size_t i = 0; i + 1 < post->content_len; i++)
        lines += post->content[i] == '\\' && post->content[i + 1] == 'n';
    return lines;
}

/// How long a subscriber that is full may hold up all others. One that is cut off connects again
/// by itself and is full again soon: it gets a quarter of the time each time.
static unsigned patience_ms(pj_iopub *iopub)
{
    if (pj_clock_ms() - iopub->cut_at > FORGIVEN_MS)
        iopub->cuts = 0;
    unsigned patience = iopub->opts.patience_ms;
    for (unsigned i = 0; i < iopub->cuts && patience > LEAST_PATIENCE_MS; i++)
        patience = patience / 4 > LEAST_PATIENCE_MS ? patience / 4 : LEAST_PATIENCE_MS;
    return patience;
}

typedef enum outcome { SENT, CUT_OFF, GIVEN_UP } outcome;

/// Sends what is encoded, waiting for subscribers that are full; CUT_OFF when it was not sent yet
/// but those that read nothing were disconnected.
static outcome deliver(pj_iopub *iopub)
{
    pj_laggards laggards = {0};
    uint64_t began = 0, patience = 0;
    bool noted = false;
    while (!pj_frames_send(iopub->opts.socket, &iopub->frames)) {
        if (pj_pubqueue_closed(iopub->opts.queue) && (iopub->last_ms -= RETRY_MS) <= 0)
            return GIVEN_UP;
        nanosleep(&(struct timespec){.tv_nsec = RETRY_MS * 1000000}, NULL);
        if (!began) {
            began = pj_clock_ms();
            patience = patience_ms(iopub);
        } else if (!noted && pj_clock_ms() - began > patience / 2) {
            pj_laggards_note(&laggards, iopub->endpoint);
            noted = true;
        } else if (pj_clock_ms() - began > patience) {
            if (pj_laggards_cut(&laggards, iopub->endpoint))
                return CUT_OFF;
            began = 0;
            noted = false;
        }
    }
    return SENT;
}

/// What those missed that were cut off is what waited for them, and for how long.
static pj_post *confession(pj_iopub *iopub, pj_request *parent)
{
    size_t lines = 0;
    for (size_t i = 0; i < MESSAGES_PER_SUBSCRIBER; i++)
        lines += iopub->lines[i];
    pj_auto_buf text = {0};
    pj_buf_addf(&text,
                "popinjay: a front end that read nothing for %u ms was disconnected; about %zu "
                "lines did not reach it\n",
                patience_ms(iopub), lines);
    iopub->cut_at = pj_clock_ms();
    iopub->cuts++;
    return pj_publish_stream(iopub->opts.origin, parent, PJ_STDERR, pj_buf_str(&text));
}

static void send_post(pj_iopub *iopub, const pj_post *post)
{
    if (post->after)
        pj_outbox_wait(iopub->opts.outbox, post->after);
    encode(iopub, post);
    while (deliver(iopub) == CUT_OFF) {
        pj_post *notice = confession(iopub, post->parent);
        encode(iopub, notice);
        while (deliver(iopub) == CUT_OFF)
            continue;
        pj_post_free(notice);
        encode(iopub, post);
    }
    bool stream = strcmp(post->type, "stream") == 0;
    iopub->lines[iopub->sent++ % MESSAGES_PER_SUBSCRIBER] = stream ? count_lines(post) : 0;
    if (post->turns_idle)
        pj_pubqueue_turned_idle(iopub->opts.queue);
}

/// Who subscribed before a request came is told of it from its start. Looking is a system call, so
/// that it is not done for every message.
static bool time_to_look(const pj_iopub *iopub, const pj_post *post)
{
    return iopub->sent % LOOK_EVERY == 0 ||
           (strcmp(post->type, "status") == 0 && !post->turns_idle);
}

static void *run(void *context)
{
    pj_iopub *iopub = context;
    while (!pj_pubqueue_finished(iopub->opts.queue)) {
        int wait_ms;
        pj_post *post = pj_pubqueue_take(iopub->opts.queue, &wait_ms);
        while ((!post || time_to_look(iopub, post)) && read_subscription(iopub))
            continue;
        if (post)
            send_post(iopub, post);
        else
            wait_for_events(iopub, wait_ms);
        pj_post_free(post);
    }
    return NULL;
}

pj_iopub *pj_iopub_new(pj_iopub_opts opts)
{
    pj_iopub *iopub = pj_take_memory(sizeof *iopub);
    *iopub = (pj_iopub){.opts = opts, .last_ms = LAST_MS};
    size_t size = sizeof iopub->endpoint;
    zmq_getsockopt(opts.socket, ZMQ_LAST_ENDPOINT, iopub->endpoint, &size);
    pthread_create(&iopub->thread, NULL, run, iopub);
    return iopub;
}

void pj_iopub_free(pj_iopub *iopub)
{
    if (!iopub)
        return;
    pthread_join(iopub->thread, NULL);
    set_option(iopub->opts.socket, ZMQ_LINGER, LINGER_MS);
    zmq_close(iopub->opts.socket);
    pj_wire_free(iopub->opts.wire);
    pj_frames_free(&iopub->frames);
    free(iopub);
}
