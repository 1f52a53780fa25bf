// XPUB with NODROP: a subscriber that is full makes sending fail instead of losing messages. They
// wait in the queue meanwhile; heartbeats cut off a subscriber that is dead. Subscriptions are
// applied by hand, so that the welcome is the first message a subscriber gets.
#include "kernel/iopub.h"

#include "metrics/base/arena.h"
#include "widgets/utf8.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zmq.h>

enum {
    MESSAGES_PER_SUBSCRIBER = 4096,
    HEARTBEAT_MS = 5000,
    DEAD_AFTER_MS = 30000,
    RETRY_MS = 2,
    LAST_TRIES = 500 / RETRY_MS
};

struct pj_iopub {
    pj_iopub_opts opts;
    pthread_t thread;
    pj_frames frames; // of the message that is being sent, with its topic
    char topic[128];
    int tries_left; // of sending to full subscribers once the queue is closed
};

static void set_option(void *socket, int option, int value)
{
    zmq_setsockopt(socket, option, &value, sizeof value);
}

void pj_iopub_prepare(void *socket)
{
    set_option(socket, ZMQ_XPUB_MANUAL, 1);
    set_option(socket, ZMQ_XPUB_NODROP, 1);
    set_option(socket, ZMQ_SNDHWM, MESSAGES_PER_SUBSCRIBER);
    set_option(socket, ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS);
    set_option(socket, ZMQ_HEARTBEAT_TIMEOUT, DEAD_AFTER_MS);
}

/// False when a subscriber is full; nothing was sent then.
static bool send_frames(void *socket, const pj_frames *frames)
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
    if (zmq_setsockopt(iopub->opts.socket, ZMQ_SUBSCRIBE, topic.at, topic.len) != 0)
        return; // its sender has left
    pj_post *post = pj_publish_welcome(iopub->opts.origin, topic);
    encode(iopub, post);
    send_frames(iopub->opts.socket, &iopub->frames);
    pj_post_free(post);
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
            zmq_setsockopt(iopub->opts.socket, ZMQ_UNSUBSCRIBE, topic.at, topic.len);
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

static void send_post(pj_iopub *iopub, const pj_post *post)
{
    if (post->after)
        pj_outbox_wait(iopub->opts.outbox, post->after);
    encode(iopub, post);
    while (!send_frames(iopub->opts.socket, &iopub->frames)) {
        if (pj_pubqueue_closed(iopub->opts.queue) && iopub->tries_left-- <= 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = RETRY_MS * 1000000}, NULL);
    }
}

static void *run(void *context)
{
    pj_iopub *iopub = context;
    while (!pj_pubqueue_finished(iopub->opts.queue)) {
        while (read_subscription(iopub))
            continue;
        int wait_ms;
        pj_post *post = pj_pubqueue_take(iopub->opts.queue, &wait_ms);
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
    *iopub = (pj_iopub){.opts = opts, .tries_left = LAST_TRIES};
    pthread_create(&iopub->thread, NULL, run, iopub);
    return iopub;
}

void pj_iopub_free(pj_iopub *iopub)
{
    if (!iopub)
        return;
    pthread_join(iopub->thread, NULL);
    zmq_close(iopub->opts.socket);
    pj_wire_free(iopub->opts.wire);
    pj_frames_free(&iopub->frames);
    free(iopub);
}
