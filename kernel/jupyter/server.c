// Sockets and the threads that own them. The caller's thread is the main shell's; io has shell and
// stdin; control has control and heartbeat, watches the parent process, and ends everything.
#include "kernel/jupyter/server.h"

#include "kernel/command/child.h"
#include "kernel/command/setting.h"
#include "kernel/jupyter/capture.h"
#include "kernel/jupyter/connection.h"
#include "kernel/jupyter/dispatch.h"
#include "kernel/jupyter/execute.h"
#include "kernel/jupyter/handshake.h"
#include "kernel/jupyter/iopub.h"
#include "kernel/jupyter/kept.h"
#include "kernel/jupyter/message.h"
#include "kernel/jupyter/outbox.h"
#include "kernel/jupyter/pubqueue.h"
#include "kernel/jupyter/request.h"
#include "kernel/jupyter/slice.h"
#include "kernel/jupyter/subshell.h"
#include "kernel/jupyter/wire.h"
#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <nss.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

enum {
    LINGER_MS = 1000,
    LARGEST_FRAME = 256 << 20,
    LARGEST_WORD = 4096,      // frame of a heartbeat or subscription, which nobody signs
    HANDSHAKE_MS = 5000,      // that a peer may take to say who it is
    MOST_WAITING = 256 << 20, // bytes of requests: then no more are read
    MOST_UNREAD = 32768,      // replies that a client may leave unread; it gets no more then
    WATCH_MS = 1000,
    STUCK_MS = 5000,      // after an interrupt until its user is told that nothing happens
    BATCH = 64,           // messages read before replies are sent
    PARENT_POLL_MS = 500, // where the system has no descriptors of processes
    ASK_AGAIN_MS = 10,
    SHELLS_MS = 20, // that what runs has to end
    MOST_COMPLAINTS = 10
};

/// What a thread needs to receive and to send.
typedef struct post_office {
    pj_wire *wire;
    pj_frames outgoing;
    zmq_msg_t *messages; // PJ_WIRE_FRAMES, and one for what is beyond
    pj_str *frames;      // their bytes
} post_office;

/// What bounds the output of a kernel, from the environment.
typedef struct limits {
    size_t queue;         // POPINJAY_QUEUE: bytes of output that wait; then cells wait
    uint64_t rate;        // POPINJAY_RATE: bytes of streams per second; 0 = any
    unsigned patience_ms; // POPINJAY_TIMEOUT: seconds until who reads nothing is cut off
} limits;

typedef struct server {
    pj_connection connection;
    limits limits;
    pj_origin origin;
    pj_kernel *kernel;
    pj_replay *replay;
    pj_outbox *outbox, *control_outbox;
    pj_pubqueue *queue;
    pj_iopub *iopub;
    pj_capture *capture;
    post_office io, control;
    pj_post *questions; // not sent yet, of the io thread; one of a shell
    void *context;
    void *sockets[PJ_PORTS];
    pthread_t io_thread, control_thread, capture_thread;
    uint64_t stopping_since; // ms: of the interrupt that the main shell does not heed; 0 = none
    int end_fd;              // readable when the kernel has to end
    pid_t parent;
    int parent_fd; // readable when the front end's process ended; -1 = not known
    atomic_int complaints;
} server;

// Sockets

static void set_option(void *socket, int option, int value)
{
    zmq_setsockopt(socket, option, &value, sizeof value);
}

static const char *why_not_bound(int error)
{
    switch (error) {
    case EADDRINUSE:
        return "another program uses it; start the kernel again, front ends then take other ports";
    case EADDRNOTAVAIL:
    case ENODEV:
        return "this machine does not have that address; correct ip in the connection file";
    case EACCES:
        return "not permitted; use a port above 1023 or a folder you may write to";
    }
    return zmq_strerror(error);
}

/// With keys in the connection file only who knows the public one can talk to the kernel.
static bool encrypt(server *s, void *socket, pj_err *err)
{
    char secret[64];
    if (!s->connection.curve_secret.len)
        return true;
    snprintf(secret, sizeof secret, PJ_STR_FMT, PJ_STR_ARG(s->connection.curve_secret));
    set_option(socket, ZMQ_CURVE_SERVER, 1);
    if (zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, strlen(secret)) == 0)
        return true;
    return pj_fail(err, PJ_E_USAGE, s->connection.path, 0,
                   zmq_has("curve") ? "curve_secretkey is not a key of CurveZMQ"
                                    : "this libzmq cannot encrypt (it was built without curve)");
}

static bool open_socket(server *s, pj_port port, pj_err *err)
{
    void *socket = zmq_socket(s->context, port == PJ_PORT_IOPUB ? ZMQ_XPUB : ZMQ_ROUTER);
    s->sockets[port] = socket;
    if (!socket)
        return pj_fail(err, PJ_E_IO, pj_connection_port_name(port), 0, "no socket: %s",
                       zmq_strerror(errno));
    set_option(socket, ZMQ_LINGER, LINGER_MS);
    set_option(socket, ZMQ_IPV6, pj_str_find(s->connection.ip, ':') < s->connection.ip.len);
    set_option(socket, ZMQ_SNDHWM, MOST_UNREAD);
    set_option(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    bool signed_for = port != PJ_PORT_HEARTBEAT && port != PJ_PORT_IOPUB;
    int64_t largest = signed_for ? LARGEST_FRAME : LARGEST_WORD;
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
    if (port != PJ_PORT_IOPUB) // who comes back under its name takes the place of the one before
        set_option(socket, ZMQ_ROUTER_HANDOVER, 1);
    if (port == PJ_PORT_STDIN)
        set_option(socket, ZMQ_ROUTER_MANDATORY, 1);
    if (port == PJ_PORT_IOPUB)
        pj_iopub_prepare(socket, s->limits.patience_ms);
    if (!encrypt(s, socket, err))
        return false;
    char address[512];
    pj_connection_address(&s->connection, port, address, sizeof address);
    if (zmq_bind(socket, address) == 0)
        return !s->connection.registers || pj_handshake_port(&s->connection, port, socket, err);
    return pj_fail(err, PJ_E_IO, address, 0, "cannot listen for the %s channel: %s",
                   pj_connection_port_name(port), why_not_bound(errno));
}

/// libzmq's multicast transport looks a protocol up when a context is made. Looking for modules of
/// the name service would be two thirds of all file calls of the start.
static bool open_sockets(server *s, pj_err *err)
{
    __nss_configure_lookup("protocols", "files");
    s->context = zmq_ctx_new();
    for (int port = 0; port < PJ_PORTS; port++)
        if (!open_socket(s, (pj_port)port, err))
            return false;
    return true;
}

static void close_socket(server *s, pj_port port)
{
    if (s->sockets[port])
        zmq_close(s->sockets[port]);
    s->sockets[port] = NULL;
}

// Receiving and sending

static bool open_office(server *s, post_office *office, pj_err *err)
{
    office->wire = pj_wire_new(s->connection.scheme, s->connection.key, err);
    office->messages = pj_take_memory((PJ_WIRE_FRAMES + 1) * sizeof *office->messages);
    office->frames = pj_take_memory((PJ_WIRE_FRAMES + 1) * sizeof *office->frames);
    return office->wire;
}

static void close_office(post_office *office)
{
    pj_wire_free(office->wire);
    pj_frames_free(&office->outgoing);
    free(office->messages);
    free(office->frames);
}

/// Receives all frames of one message without waiting; 0 when there is none. Frames beyond the
/// limit are counted, not kept.
static size_t receive(void *socket, post_office *office)
{
    size_t count = 0;
    for (bool more = true; more; count++) {
        size_t at = count < PJ_WIRE_FRAMES ? count : PJ_WIRE_FRAMES;
        zmq_msg_t *message = &office->messages[at];
        zmq_msg_init(message);
        while (zmq_msg_recv(message, socket, count ? 0 : ZMQ_DONTWAIT) < 0)
            if (errno != EINTR)
                return count; // nothing is there: the parts of a message come together
        office->frames[at] = (pj_str){zmq_msg_data(message), zmq_msg_size(message)};
        more = zmq_msg_more(message);
        if (at == PJ_WIRE_FRAMES)
            zmq_msg_close(message);
    }
    return count;
}

static void release(post_office *office, size_t count)
{
    for (size_t i = 0; i < count && i < PJ_WIRE_FRAMES; i++)
        zmq_msg_close(&office->messages[i]);
}

static void complain(server *s, const char *channel, const pj_err *err)
{
    char text[512];
    if (atomic_fetch_add(&s->complaints, 1) < MOST_COMPLAINTS)
        dprintf(pj_capture_log(s->capture), "popinjay: refused a message on the %s channel: %s\n",
                channel, pj_err_message(err, text, sizeof text));
}

static const pj_channel channels[] = {
    [PJ_PORT_SHELL] = PJ_SHELL, [PJ_PORT_CONTROL] = PJ_CONTROL, [PJ_PORT_STDIN] = PJ_STDIN};

/// Takes one message off a socket and gives it to the dispatcher; false when there is none.
static bool take_one(server *s, pj_port port, post_office *office)
{
    size_t count = receive(s->sockets[port], office);
    if (!count)
        return false;
    pj_err err = {0};
    pj_request *request = pj_wire_decode(office->wire, s->replay, office->frames, count, &err);
    release(office, count);
    if (!request) {
        complain(s, pj_connection_port_name(port), &err);
        return true;
    }
    request->channel = channels[port];
    pj_dispatch(s->kernel, request);
    return true;
}

static bool deliver(server *s, post_office *office, const pj_post *post)
{
    static const pj_port ports[] = {
        [PJ_SHELL] = PJ_PORT_SHELL, [PJ_CONTROL] = PJ_PORT_CONTROL, [PJ_STDIN] = PJ_PORT_STDIN};
    pj_wire_encode(office->wire, &s->origin, post, post->parent->ids, post->parent->id_count,
                   &office->outgoing);
    return pj_frames_send(s->sockets[ports[post->channel]], &office->outgoing);
}

// The outlet of the dispatcher

static void out_send(void *self, pj_post *take)
{
    server *s = self;
    pj_outbox_add(take->channel == PJ_CONTROL ? s->control_outbox : s->outbox, take);
}

/// A status tells of replies, so it follows those given before.
static void out_publish(void *self, pj_post *take)
{
    server *s = self;
    if (strcmp(take->type, "status") == 0)
        take->after = pj_outbox_added(s->outbox);
    else
        pj_kept_post(s->kernel->kept, take);
    pj_pubqueue_post(s->queue, take);
}

static void out_write(void *self, pj_request *parent, pj_stream stream, pj_str text)
{
    server *s = self;
    pj_kept_text(s->kernel->kept, parent, stream, text);
    pj_pubqueue_write(s->queue, parent, stream, text);
}

static void out_settle(void *self, pj_request *parent, bool glance)
{
    server *s = self;
    if (glance)
        pj_capture_glance(s->capture, parent);
    else
        pj_capture_settle(s->capture, parent);
}

static int out_delay(void *self, bool stream)
{
    server *s = self;
    return pj_pubqueue_delay(s->queue, stream);
}

static void out_shut_down(void *self)
{
    server *s = self;
    eventfd_write(s->end_fd, 1);
}

// Threads

/// Takes the question that `shell` asked before off the list.
static void forget_question(server *s, pj_str shell)
{
    for (pj_post **link = &s->questions, *post; (post = *link);) {
        if (!pj_str_equal(post->parent->subshell_id, shell)) {
            link = &post->next;
            continue;
        }
        *link = post->next;
        pj_post_free(post);
    }
}

/// A question may be asked before the front end has connected its stdin socket: it is kept until
/// it can be sent or its shell asks another one. A reply to nobody is dropped.
static void ask_or_keep(server *s, pj_post *take)
{
    forget_question(s, take->parent->subshell_id);
    if (deliver(s, &s->io, take)) {
        pj_post_free(take);
        return;
    }
    take->next = s->questions;
    s->questions = take;
}

static void ask_again(server *s)
{
    for (pj_post **link = &s->questions, *post; (post = *link);) {
        if (!deliver(s, &s->io, post)) {
            link = &post->next;
            continue;
        }
        *link = post->next;
        pj_post_free(post);
    }
}

/// Sends what waits; false when nothing will come any more.
static bool empty_outbox(server *s)
{
    bool closed;
    for (pj_post *post; (post = pj_outbox_take(s->outbox, &closed));) {
        if (post->channel == PJ_STDIN) {
            ask_or_keep(s, post);
        } else {
            deliver(s, &s->io, post);
            pj_post_free(post);
        }
        pj_outbox_sent(s->outbox);
    }
    return !closed;
}

static void *run_io(void *context)
{
    server *s = context;
    zmq_pollitem_t items[] = {
        {.socket = s->sockets[PJ_PORT_SHELL], .events = ZMQ_POLLIN},
        {.socket = s->sockets[PJ_PORT_STDIN], .events = ZMQ_POLLIN},
        {.fd = pj_outbox_fd(s->outbox), .events = ZMQ_POLLIN},
    };
    while (empty_outbox(s)) {
        bool full = pj_subshells_waiting(s->kernel->shells) > MOST_WAITING;
        items[0].events = full ? 0 : ZMQ_POLLIN;
        zmq_poll(items, 3, full || s->questions ? ASK_AGAIN_MS : -1);
        ask_again(s);
        for (int i = 0; i < BATCH && items[0].revents && take_one(s, PJ_PORT_SHELL, &s->io); i++)
            empty_outbox(s);
        for (int i = 0; i < BATCH && items[1].revents && take_one(s, PJ_PORT_STDIN, &s->io); i++)
            continue;
    }
    return NULL;
}

/// Heartbeats are echoed as they come.
static void echo_heartbeats(server *s)
{
    void *socket = s->sockets[PJ_PORT_HEARTBEAT];
    for (size_t count; (count = receive(socket, &s->control));) {
        if (count <= PJ_WIRE_FRAMES)
            pj_frames_send(socket, &(pj_frames){.at = s->control.frames, .count = count});
        release(&s->control, count);
    }
}

static void open_parent(server *s)
{
    uint64_t pid;
    s->parent_fd = -1;
    if (!pj_parse_u64(pj_str_of(getenv("JPY_PARENT_PID")), &pid) || pid < 2 || pid > INT32_MAX)
        return;
    s->parent_fd = pj_child_watch((pid_t)pid);
    if (s->parent_fd < 0 && errno != ESRCH && getppid() == (pid_t)pid)
        s->parent = (pid_t)pid;
}

static bool parent_is_gone(const server *s)
{
    return s->parent && getppid() != s->parent;
}

/// Ends shells, io and iopub in this order, so that what was said is still sent. A language that
/// is stuck in foreign code cannot be waited for: the process ends without it.
static void end_all(server *s)
{
    pj_subshells_close(s->kernel->shells);
    bool home = pj_subshells_wait(s->kernel->shells, SHELLS_MS);
    pj_capture_end(s->capture);
    pthread_join(s->capture_thread, NULL);
    pj_outbox_close(s->outbox);
    pthread_join(s->io_thread, NULL);
    pj_pubqueue_close(s->queue);
    pj_iopub_free(s->iopub);
    s->sockets[PJ_PORT_IOPUB] = NULL;
    for (int port = 0; port < PJ_PORTS; port++)
        close_socket(s, (pj_port)port);
    zmq_ctx_term(s->context);
    s->context = NULL;
    if (!home)
        _exit(0);
}

/// Nothing in C can be interrupted that does not look: it is said what to do instead.
static void watch_interrupt(server *s)
{
    uint64_t now = pj_clock_ms();
    if (!pj_subshells_stopping(s->kernel->shells)) {
        s->stopping_since = 0;
    } else if (!s->stopping_since) {
        s->stopping_since = now;
    } else if (s->stopping_since != UINT64_MAX && now - s->stopping_since >= STUCK_MS) {
        pj_capture_say(s->capture, "popinjay: the cell does not heed the interrupt: it is inside a "
                                   "call of a library or program, and ends when that returns; "
                                   "restart the kernel to end it now\n");
        s->stopping_since = UINT64_MAX; // once
    }
}

/// Most replies were made in this thread a moment ago.
static void empty_control_outbox(server *s)
{
    bool closed;
    for (pj_post *post; (post = pj_outbox_take(s->control_outbox, &closed));) {
        deliver(s, &s->control, post);
        pj_post_free(post);
    }
}

static void *run_control(void *context)
{
    server *s = context;
    zmq_pollitem_t items[] = {
        {.socket = s->sockets[PJ_PORT_CONTROL], .events = ZMQ_POLLIN},
        {.socket = s->sockets[PJ_PORT_HEARTBEAT], .events = ZMQ_POLLIN},
        {.fd = s->end_fd, .events = ZMQ_POLLIN},
        {.fd = pj_outbox_fd(s->control_outbox), .events = ZMQ_POLLIN},
        {.fd = s->parent_fd, .events = ZMQ_POLLIN},
    };
    int count = s->parent_fd < 0 ? 4 : 5;
    bool end = false;
    while (!end) {
        zmq_poll(items, count, s->parent ? PARENT_POLL_MS : WATCH_MS);
        while (items[0].revents && take_one(s, PJ_PORT_CONTROL, &s->control))
            empty_control_outbox(s);
        empty_control_outbox(s);
        echo_heartbeats(s);
        watch_interrupt(s);
        eventfd_t ignored;
        end = eventfd_read(s->end_fd, &ignored) == 0 || parent_is_gone(s) ||
              (count == 5 && items[4].revents);
    }
    end_all(s);
    return NULL;
}

static void *run_capture(void *context)
{
    server *s = context;
    pj_capture_run(s->capture);
    return NULL;
}

/// Signals stay with the language's thread, so that no other is disturbed.
static void start_threads(server *s, pj_wire *publishing)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    s->iopub = pj_iopub_new((pj_iopub_opts){
        .socket = s->sockets[PJ_PORT_IOPUB],
        .wire = publishing,
        .origin = &s->origin,
        .queue = s->queue,
        .outbox = s->outbox,
        .patience_ms = s->limits.patience_ms,
    });
    pthread_create(&s->capture_thread, NULL, run_capture, s);
    pthread_create(&s->io_thread, NULL, run_io, s);
    pthread_create(&s->control_thread, NULL, run_control, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Start and end

static void run_language(server *s)
{
    pj_subshells_run(s->kernel->shells);
    pthread_join(s->control_thread, NULL);
}

static void free_server(server *s)
{
    for (int port = 0; port < PJ_PORTS; port++)
        close_socket(s, (pj_port)port);
    if (s->context)
        zmq_ctx_term(s->context);
    if (s->parent_fd >= 0)
        close(s->parent_fd);
    close(s->end_fd);
    for (pj_post *post = s->questions, *next; post; post = next) {
        next = post->next;
        pj_post_free(post);
    }
    close_office(&s->io);
    close_office(&s->control);
    pj_capture_free(s->capture);
    pj_kernel_free(s->kernel);
    pj_outbox_free(s->outbox);
    pj_outbox_free(s->control_outbox);
    pj_pubqueue_free(s->queue);
    pj_replay_free(s->replay);
}

/// A kernel that was given a registration file tells its ports and leaves a connection file.
static bool introduce(server *s, pj_wire *wire, pj_err *err)
{
    const pj_connection *c = &s->connection;
    if (c->open_to_others && c->key.len)
        fprintf(stderr,
                "popinjay: others can read %s and with it the key of this kernel; chmod 600 it\n",
                c->path);
    return !c->registers || (pj_handshake_register(c, s->context, wire, PJ_HANDSHAKE_MS, err) &&
                             pj_connection_write(c, err));
}

static bool serve(server *s, atomic_bool *stop, pj_err *err)
{
    pj_wire *publishing = pj_wire_new(s->connection.scheme, s->connection.key, err);
    bool ok = publishing && open_office(s, &s->io, err) && open_office(s, &s->control, err) &&
              open_sockets(s, err) && introduce(s, publishing, err);
    if (!ok) {
        pj_wire_free(publishing);
        return false;
    }
    pj_outlet out = {s, out_send, out_publish, out_write, out_delay, out_settle, out_shut_down};
    s->kernel = pj_kernel_new(out, &s->origin, stop);
    s->capture = pj_capture_new((pj_capture_sink){s, out_write, out_delay});
    out_publish(s, pj_publish_status(&s->origin, NULL, "starting"));
    start_threads(s, publishing);
    pj_slice_default();
    run_language(s);
    return true;
}

/// A write to a reader that is gone fails, as with SIG_IGN, but programs that cells start get the
/// signal's default back.
static void on_broken_pipe(int number)
{
    (void)number;
}

/// False with PJ_E_USAGE that names the variable.
static bool read_limits(limits *bounds, pj_err *err)
{
    uint64_t bytes, seconds;
    bool ok = pj_setting_number(PJ_SETTING_QUEUE, &bytes, err) &&
              pj_setting_number(PJ_SETTING_RATE, &bounds->rate, err) &&
              pj_setting_number(PJ_SETTING_TIMEOUT, &seconds, err);
    bounds->queue = ok ? (size_t)bytes : 0;
    bounds->patience_ms = ok ? (unsigned)seconds * 1000 : 0;
    return ok;
}

bool pj_server_run(const char *connection_file, atomic_bool *stop, pj_err *err)
{
    server s = {.parent_fd = -1};
    if (!read_limits(&s.limits, err) || !pj_connection_read(&s.connection, connection_file, err))
        return false;
    signal(SIGPIPE, on_broken_pipe);
    pj_slice_short(); // also of libzmq's threads
    json_object_seed(0);
    pj_origin_init(&s.origin);
    open_parent(&s);
    s.end_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    s.replay = pj_replay_new();
    s.outbox = pj_outbox_new();
    s.control_outbox = pj_outbox_new();
    s.queue = pj_pubqueue_new(&s.origin,
                              (pj_pubqueue_opts){.limit = s.limits.queue, .rate = s.limits.rate});
    bool ok = serve(&s, stop, err);
    free_server(&s);
    pj_connection_free(&s.connection);
    return ok;
}
