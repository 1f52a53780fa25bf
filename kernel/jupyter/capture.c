// What libraries and children write to the standard streams becomes output of the cell.
// One thread drains both pipes; who runs the language drains them too where the order matters. The
// lock makes sure that what one of them has read is handed on before the other reads.
#include "kernel/jupyter/capture.h"

#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { STREAMS = 2, BLOCK = 64 << 10, PIPE_SIZE = 1 << 20, GLANCE_NS = 10000 };

struct pj_capture {
    pthread_mutex_t lock; // of what follows
    pj_capture_sink sink;
    pj_request *parent;
    int pipes[STREAMS]; // ends to read
    int kept[STREAMS];  // the descriptors as they were
    int end_fd;
    _Atomic uint64_t glanced; // ns
    char block[BLOCK];
};

static const pj_stream streams[STREAMS] = {PJ_STDOUT, PJ_STDERR};

/// Sanitizers report to the log: what they say last would never be read from a pipe.
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

static bool replace(pj_capture *capture, int i)
{
    int ends[2], target = i + STDOUT_FILENO;
    capture->kept[i] = fcntl(target, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    capture->pipes[i] = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
    bool ok = dup2(ends[1], target) == target;
    close(ends[1]);
    return ok;
}

pj_capture *pj_capture_new(pj_capture_sink sink)
{
    pj_capture *capture = pj_take_memory(sizeof *capture);
    *capture = (pj_capture){
        .sink = sink, .pipes = {-1, -1}, .kept = {-1, -1}, .end_fd = eventfd(0, EFD_CLOEXEC)};
    pthread_mutex_init(&capture->lock, NULL);
    fflush(stdout);
    for (int i = 0; i < STREAMS; i++)
        if (capture->end_fd < 0 || !replace(capture, i)) {
            pj_capture_free(capture);
            return NULL;
        }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (__sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)capture->kept[1]);
    return capture;
}

void pj_capture_free(pj_capture *capture)
{
    if (!capture)
        return;
    if (__sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)STDERR_FILENO);
    for (int i = 0; i < STREAMS; i++) {
        if (capture->kept[i] >= 0)
            dup2(capture->kept[i], i + STDOUT_FILENO);
        close(capture->kept[i]);
        close(capture->pipes[i]);
    }
    close(capture->end_fd);
    pthread_mutex_destroy(&capture->lock);
    pj_request_drop(capture->parent);
    free(capture);
}

/// Hands on at most `most` bytes of a pipe; false when it is empty. Called with the lock held.
static bool drain(pj_capture *capture, int i, size_t most)
{
    errno = 0;
    ssize_t got = read(capture->pipes[i], capture->block, most < BLOCK ? most : BLOCK);
    if (got > 0)
        capture->sink.write(capture->sink.self, capture->parent, streams[i],
                            (pj_str){capture->block, (size_t)got});
    return got > 0 || (got < 0 && errno == EINTR);
}

void pj_capture_run(pj_capture *capture)
{
    if (!capture)
        return;
    struct pollfd fds[] = {{.fd = capture->end_fd, .events = POLLIN},
                           {.fd = capture->pipes[0], .events = POLLIN},
                           {.fd = capture->pipes[1], .events = POLLIN}};
    for (;;) {
        int delay = capture->sink.delay(capture->sink.self, true);
        poll(fds, delay ? 1 : 1 + STREAMS, delay ? delay : -1);
        if (fds[0].revents)
            return;
        for (int i = 0; i < STREAMS && !delay; i++) {
            pthread_mutex_lock(&capture->lock);
            if (fds[i + 1].revents && !drain(capture, i, BLOCK) && errno != EAGAIN)
                fds[i + 1].fd = -1; // somebody closed the other end
            pthread_mutex_unlock(&capture->lock);
        }
    }
}

void pj_capture_end(pj_capture *capture)
{
    if (capture)
        eventfd_write(capture->end_fd, 1);
}

/// Only what is there now: a child that prints without end must not hold up the cell's.
static void drain_all(pj_capture *capture, int i)
{
    int bytes = 0;
    ioctl(capture->pipes[i], FIONREAD, &bytes);
    for (size_t rest = bytes > 0 ? (size_t)bytes : 0; rest > 0; rest -= rest < BLOCK ? rest : BLOCK)
        if (!drain(capture, i, rest))
            return;
}

static bool anything_there(const pj_capture *capture)
{
    struct pollfd fds[] = {{.fd = capture->pipes[0], .events = POLLIN},
                           {.fd = capture->pipes[1], .events = POLLIN}};
    return poll(fds, STREAMS, 0) > 0;
}

void pj_capture_settle(pj_capture *capture, pj_request *parent)
{
    if (!capture)
        return;
    fflush(stdout);
    bool any = anything_there(capture);
    pthread_mutex_lock(&capture->lock);
    for (int i = 0; i < STREAMS && any; i++)
        drain_all(capture, i);
    if (capture->parent != parent) {
        pj_request_drop(capture->parent);
        capture->parent = parent ? pj_request_hold(parent) : NULL;
    }
    pthread_mutex_unlock(&capture->lock);
}

void pj_capture_glance(pj_capture *capture, pj_request *parent)
{
    uint64_t now = pj_clock_ns();
    if (!capture || now - atomic_load(&capture->glanced) < GLANCE_NS)
        return;
    pj_capture_settle(capture, parent);
    atomic_store(&capture->glanced, now);
}

void pj_capture_say(pj_capture *capture, const char *text)
{
    if (!capture)
        return;
    pthread_mutex_lock(&capture->lock);
    capture->sink.write(capture->sink.self, capture->parent, PJ_STDERR, pj_str_of(text));
    pthread_mutex_unlock(&capture->lock);
}

int pj_capture_log(const pj_capture *capture)
{
    return capture ? capture->kept[1] : STDERR_FILENO;
}
