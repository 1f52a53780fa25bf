// What waits to be published.
// One list in order of arrival. Text of a stream is added to the open entry of its parent and
// name, which other output of that parent closes; entries become messages only when taken.
#include "kernel/jupyter/pubqueue.h"

#include "kernel/jupyter/pace.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ORDERED_ENTRIES = 16, FULL_MS = 10, OVERHEAD = 1024 };

#define NS_PER_MS UINT64_C(1000000)

typedef struct entry {
    struct entry *next, *previous;
    pj_post *post; // NULL = stream
    pj_request *parent;
    pj_stream stream;
    pj_buf text;
    size_t sent;    // bytes of `text` that were taken
    uint64_t since; // ns: when it began to wait
} entry;

struct pj_pubqueue {
    pthread_mutex_t lock;
    entry *first, *last;
    size_t entries, bytes;
    size_t messages; // entries that are no streams
    size_t text;     // bytes of those that are
    pj_pace pace;
    pj_origin *origin;
    pj_pubqueue_opts opts;
    int fd;
    bool asleep; // the taker waits for the descriptor
    bool closed;
};

pj_pubqueue *pj_pubqueue_new(pj_origin *origin, pj_pubqueue_opts opts)
{
    pj_pubqueue *queue = pj_take_memory(sizeof *queue);
    opts.limit = opts.limit ? opts.limit : (size_t)64 << 20;
    *queue = (pj_pubqueue){
        .origin = origin,
        .opts = opts,
        .fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
        .asleep = true,
        .pace = {.rate = opts.rate},
    };
    pthread_mutex_init(&queue->lock, NULL);
    return queue;
}

static void free_entry(entry *e)
{
    pj_post_free(e->post);
    pj_request_drop(e->parent);
    pj_buf_free(&e->text);
    free(e);
}

void pj_pubqueue_free(pj_pubqueue *queue)
{
    if (!queue)
        return;
    for (entry *e = queue->first, *next; e; e = next) {
        next = e->next;
        free_entry(e);
    }
    close(queue->fd);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

int pj_pubqueue_fd(const pj_pubqueue *queue)
{
    return queue->fd;
}

// The functions below up to the next heading are called with the lock held.

static void wake(pj_pubqueue *queue)
{
    if (!queue->asleep)
        return;
    queue->asleep = false;
    eventfd_write(queue->fd, 1);
}

static entry *append(pj_pubqueue *queue)
{
    entry *e = pj_take_memory(sizeof *e);
    *e = (entry){.previous = queue->last, .since = pj_clock_ns()};
    if (queue->last)
        queue->last->next = e;
    else
        queue->first = e;
    queue->last = e;
    queue->entries++;
    return e;
}

static void remove_first(pj_pubqueue *queue)
{
    entry *e = queue->first;
    queue->first = e->next;
    if (e->next)
        e->next->previous = NULL;
    else
        queue->last = NULL;
    queue->entries--;
    free_entry(e);
}

static void add_post(pj_pubqueue *queue, pj_post *post)
{
    entry *e = append(queue);
    e->post = post;
    queue->messages++;
    queue->bytes += pj_post_size(post);
}

/// The entry that takes more text of this stream: the last one, so that the order of stdout and
/// stderr is kept; under a flood of short pieces any one that no message of the parent closed.
static entry *open_entry(pj_pubqueue *queue, const pj_request *parent, pj_stream stream)
{
    for (entry *e = queue->last; e; e = e->previous) {
        if (!e->post && e->parent == parent && e->stream == stream)
            return e;
        if (queue->entries < ORDERED_ENTRIES || e->post)
            return NULL;
    }
    return NULL;
}

static void add_text(pj_pubqueue *queue, pj_request *parent, pj_stream stream, pj_str text)
{
    entry *e = open_entry(queue, parent, stream);
    bool fresh = !e;
    if (fresh) {
        e = append(queue);
        e->parent = parent ? pj_request_hold(parent) : NULL;
        e->stream = stream;
    }
    pj_buf_add(&e->text, text);
    queue->bytes += text.len;
    queue->text += text.len;
    if (fresh || e->text.len - e->sent >= PJ_PUBQUEUE_CHUNK)
        wake(queue);
}

/// Whether the first entry, a stream, must not wait any longer.
static bool is_due(const pj_pubqueue *queue, const entry *e, int *wait_ms)
{
    uint64_t age = (pj_clock_ns() - e->since) / NS_PER_MS;
    if (queue->closed || queue->messages || age >= PJ_PUBQUEUE_MERGE_MS ||
        e->text.len - e->sent >= PJ_PUBQUEUE_CHUNK)
        return true;
    *wait_ms = (int)(PJ_PUBQUEUE_MERGE_MS - age);
    return false;
}

/// What was taken from the queue: a post or a piece of a stream that becomes one.
typedef struct piece {
    pj_post *post;
    pj_request *parent;
    pj_stream stream;
    pj_buf text;
} piece;

/// Takes up to one chunk of the first entry, a stream that is due. Nothing when only the start of
/// a code point is there and its end may still come.
static void take_text(pj_pubqueue *queue, piece *out, int *wait_ms)
{
    entry *e = queue->first;
    pj_str rest = pj_str_from(pj_buf_str(&e->text), e->sent);
    bool ends = queue->closed || e->next;
    size_t len = pj_str_head(rest, PJ_PUBQUEUE_CHUNK).len;
    if (len < rest.len || !ends)
        len = pj_utf8_whole(pj_str_head(rest, len));
    e->since = pj_clock_ns();
    *wait_ms = PJ_PUBQUEUE_MERGE_MS;
    if (!len)
        return;
    out->parent = e->parent ? pj_request_hold(e->parent) : NULL;
    out->stream = e->stream;
    pj_buf_add(&out->text, pj_str_head(rest, len));
    queue->bytes -= len;
    queue->text -= len;
    e->sent += len;
    if (e->sent == e->text.len) {
        remove_first(queue);
    } else if (e->sent > e->text.len / 2) {
        memmove(e->text.at, e->text.at + e->sent, e->text.len - e->sent);
        e->text.len -= e->sent;
        e->sent = 0;
    }
}

static void take_first(pj_pubqueue *queue, piece *out, int *wait_ms)
{
    entry *e = queue->first;
    *wait_ms = queue->closed ? 0 : -1;
    if (!e)
        return;
    if (!e->post) {
        if (is_due(queue, e, wait_ms))
            take_text(queue, out, wait_ms);
        return;
    }
    out->post = e->post;
    queue->bytes -= pj_post_size(e->post);
    queue->messages--;
    e->post = NULL;
    remove_first(queue);
}

/// Makes the message outside the lock, so that producers go on.
static pj_post *to_post(pj_pubqueue *queue, piece *p)
{
    if (!p->text.len)
        return p->post;
    pj_post *post = pj_publish_stream(queue->origin, p->parent, p->stream, pj_buf_str(&p->text));
    pj_request_drop(p->parent);
    pj_buf_free(&p->text);
    size_t parent = post->parent ? post->parent->header.len : 0;
    pthread_mutex_lock(&queue->lock);
    pj_pace_note(&queue->pace, pj_clock_ns(), post->content_len + parent + OVERHEAD);
    pthread_mutex_unlock(&queue->lock);
    return post;
}

// What others call

void pj_pubqueue_post(pj_pubqueue *queue, pj_post *take)
{
    pthread_mutex_lock(&queue->lock);
    add_post(queue, take);
    wake(queue);
    pthread_mutex_unlock(&queue->lock);
}

void pj_pubqueue_write(pj_pubqueue *queue, pj_request *parent, pj_stream stream, pj_str text)
{
    if (!text.len)
        return;
    pthread_mutex_lock(&queue->lock);
    add_text(queue, parent, stream, text);
    pthread_mutex_unlock(&queue->lock);
}

int pj_pubqueue_delay(pj_pubqueue *queue, bool stream)
{
    uint64_t wait = 0;
    pthread_mutex_lock(&queue->lock);
    if (queue->bytes >= queue->opts.limit)
        wait = FULL_MS * NS_PER_MS;
    else if (stream)
        wait = pj_pace_wait(&queue->pace, pj_clock_ns(), queue->text);
    pthread_mutex_unlock(&queue->lock);
    return (int)((wait + NS_PER_MS - 1) / NS_PER_MS);
}

void pj_pubqueue_turned_idle(pj_pubqueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    pj_pace_forget(&queue->pace);
    pthread_mutex_unlock(&queue->lock);
}

void pj_pubqueue_close(pj_pubqueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    wake(queue);
    pthread_mutex_unlock(&queue->lock);
}

pj_post *pj_pubqueue_take(pj_pubqueue *queue, int *wait_ms)
{
    piece taken = {0};
    pthread_mutex_lock(&queue->lock);
    take_first(queue, &taken, wait_ms);
    if (!taken.post && !taken.text.len && !queue->asleep) {
        eventfd_t ignored;
        eventfd_read(queue->fd, &ignored);
        queue->asleep = true;
    }
    pthread_mutex_unlock(&queue->lock);
    return to_post(queue, &taken);
}

bool pj_pubqueue_closed(pj_pubqueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool closed = queue->closed;
    pthread_mutex_unlock(&queue->lock);
    return closed;
}

bool pj_pubqueue_finished(pj_pubqueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool finished = queue->closed && !queue->first;
    pthread_mutex_unlock(&queue->lock);
    return finished;
}
