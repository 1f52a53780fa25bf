// The front end of the probes. Waiting is bounded everywhere; a kernel that does not answer fails
// the test that asked.
#include "tests/protocol/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { ANSWER_MS = 120000, MOST_FRAMES = 64, MOST_VARIABLES = 400, MOST_ARGS = 16 };

static const char *const channel_names[CHANNELS] = {"shell", "control", "stdin", "iopub", "hb"};
static char spec_folder[512];

static char spec_language[32];

/// Other kernels are known to leave some requests without an answer.
int client_patience(void)
{
    return strcmp(spec_language, "lua") == 0 ? ANSWER_MS : 4000;
}

static bool is_spec(const char *folder)
{
    char path[640];
    snprintf(path, sizeof path, "%s/kernel.json", folder);
    json_t *spec = json_load_file(path, 0, NULL);
    const char *language = json_string_value(json_object_get(spec, "language"));
    if (language) {
        snprintf(spec_folder, sizeof spec_folder, "%s", folder);
        snprintf(spec_language, sizeof spec_language, "%s", language);
    }
    json_decref(spec);
    return language;
}

bool client_use_spec(const char *kernel)
{
    char places[2048], folder[512], *rest = places;
    const char *given = getenv("JUPYTER_PATH"), *home = getenv("HOME");
    snprintf(places, sizeof places, "%s:%s/.local/share/jupyter:/usr/local/share/jupyter:%s",
             given ? given : "", home ? home : "", "/usr/share/jupyter");
    if (strchr(kernel, '/'))
        return is_spec(kernel);
    for (char *place; (place = strsep(&rest, ":"));) {
        snprintf(folder, sizeof folder, "%s/kernels/%s", place, kernel);
        if (*place && is_spec(folder))
            return true;
    }
    return false;
}

const char *client_language(void)
{
    return spec_language;
}

double client_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

// Starting

/// Ports that were free a moment ago.
static void choose_ports(client *c, bool tcp)
{
    int fds[CHANNELS];
    for (int i = 0; i < CHANNELS; i++) {
        c->ports[i] = i + 1;
        fds[i] = -1;
        if (!tcp)
            continue;
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t len = sizeof address;
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(fds[i], (struct sockaddr *)&address, len), 0);
        assert_int_equal(getsockname(fds[i], (struct sockaddr *)&address, &len), 0);
        c->ports[i] = ntohs(address.sin_port);
    }
    for (int i = 0; i < CHANNELS; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void write_connection_file(const client *c, const char *transport, const char *ip)
{
    char path[128], scheme[32];
    snprintf(path, sizeof path, "%s/connection.json", c->folder);
    snprintf(scheme, sizeof scheme, "hmac-%s", c->digest);
    json_t *file = json_pack("{s:s, s:s, s:s, s:s, s:s}", "transport", transport, "ip", ip, "key",
                             c->key, "signature_scheme", scheme, "kernel_name", "popinjay");
    for (int i = 0; i < CHANNELS && !c->registration_port; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_port", channel_names[i]);
        json_object_set_new(file, key, json_integer(c->ports[i]));
    }
    if (c->curve_secret[0]) {
        json_object_set_new(file, "curve_publickey", json_string(c->curve_public));
        json_object_set_new(file, "curve_secretkey", json_string(c->curve_secret));
    }
    if (c->registration_port) {
        json_object_del(file, "ip");
        json_object_set_new(file, "kernel_id", json_string("probe-kernel"));
        json_object_set_new(file, "registration_ip", json_string(ip));
        json_object_set_new(file, "registration_port", json_integer(c->registration_port));
    }
    assert_int_equal(json_dump_file(file, path, JSON_INDENT(1)), 0);
    assert_int_equal(chmod(path, 0600), 0);
    json_decref(file);
}

/// All that a child needs to become the kernel: between fork and exec nothing may be allocated.
typedef struct launch {
    json_t *spec;
    char connection[128], errors[128], folder[160], state[160], parent[40];
    const char *argv[MOST_ARGS], *envp[MOST_VARIABLES];
    char program[1024];
    size_t variables;
} launch;

/// Adds "NAME=value" unless the name has a value already.
static void add_variable(launch *l, const char *variable)
{
    size_t name = strcspn(variable, "=") + 1;
    for (size_t i = 0; i < l->variables; i++)
        if (strncmp(l->envp[i], variable, name) == 0)
            return;
    assert_true(l->variables + 1 < MOST_VARIABLES);
    l->envp[l->variables++] = variable;
}

/// argv of the kernelspec with the connection file in its place, and the environment.
static void prepare_launch(const client *c, launch *l)
{
    char path[640];
    *l = (launch){.parent = "JPY_PARENT_PID="}; // no kernel outlives a probe that fails
    snprintf(path, sizeof path, "%s/kernel.json", spec_folder);
    snprintf(l->connection, sizeof l->connection, "%s/connection.json", c->folder);
    snprintf(l->errors, sizeof l->errors, "%s/stderr", c->folder);
    snprintf(l->folder, sizeof l->folder, "JUPYTER_RUNTIME_DIR=%s", c->folder);
    snprintf(l->state, sizeof l->state, "XDG_STATE_HOME=%s", c->folder);
    l->spec = json_load_file(path, 0, NULL);
    const json_t *words = json_object_get(l->spec, "argv");
    assert_in_range(json_array_size(words), 1, MOST_ARGS - 1);
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        l->argv[i] = strcmp(word, "{connection_file}") == 0 ? l->connection : word;
    }
    static const char folder[] = "{resource_dir}";
    if (strncmp(l->argv[0], folder, sizeof folder - 1) == 0) {
        snprintf(l->program, sizeof l->program, "%s%s", spec_folder,
                 l->argv[0] + sizeof folder - 1);
        l->argv[0] = l->program;
    }
    for (int i = 0; i < 3 && c->settings[i]; i++)
        add_variable(l, c->settings[i]);
    add_variable(l, l->folder);
    add_variable(l, l->state);
    add_variable(l, l->parent);
    for (char **variable = environ; *variable; variable++)
        add_variable(l, *variable);
    add_variable(l, "POPINJAY_HISTORY=off");
}

/// Forks a child that becomes the kernel.
static pid_t fork_kernel(launch *l)
{
    size_t name = strlen(l->parent);
    snprintf(l->parent + name, sizeof l->parent - name, "%ld", (long)getpid());
    pid_t kernel = fork();
    if (kernel != 0)
        return kernel;
    dup2(open(l->errors, O_WRONLY | O_CREAT | O_APPEND, 0600), 2);
    setsid();
    signal(SIGINT, SIG_DFL); // what a script started in the background ignores
    execve(l->argv[0], (char *const *)l->argv, (char *const *)l->envp);
    static const char failed[] = "the kernel cannot be started\n";
    _exit(write(2, failed, sizeof failed - 1) > 0 ? 127 : 126);
}

/// The kernel's pid travels through a pipe.
static pid_t start_below(launch *l, pid_t *parent)
{
    int fds[2];
    pid_t kernel = 0;
    assert_int_equal(pipe(fds), 0);
    *parent = fork();
    if (*parent == 0) {
        kernel = fork_kernel(l);
        if (write(fds[1], &kernel, sizeof kernel) != sizeof kernel)
            _exit(1);
        sleep(600); // unless it is killed
        _exit(0);
    }
    assert_int_equal(read(fds[0], &kernel, sizeof kernel), sizeof kernel);
    close(fds[0]);
    close(fds[1]);
    return kernel;
}

/// Options of a socket that is to be connected.
static void prepare(client *c, void *s, int receive_limit)
{
    int zero = 0, one = 1, retry_ms = 2;
    zmq_setsockopt(s, ZMQ_LINGER, &zero, sizeof zero);
    zmq_setsockopt(s, ZMQ_RECONNECT_IVL, &retry_ms, sizeof retry_ms);
    zmq_setsockopt(s, ZMQ_RCVHWM, &receive_limit, sizeof receive_limit);
    zmq_setsockopt(s, ZMQ_SNDHWM, &zero, sizeof zero);
    zmq_setsockopt(s, ZMQ_IPV6, &one, sizeof one);
    if (c->curve_public[0]) {
        char public[41], secret[41];
        assert_int_equal(zmq_curve_keypair(public, secret), 0);
        zmq_setsockopt(s, ZMQ_CURVE_SERVERKEY, c->curve_public, 40);
        zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, public, 40);
        zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, secret, 40);
    }
}

static void connect_sockets(client *c, const char *transport, const char *ip, int receive_limit)
{
    static const int types[CHANNELS] = {ZMQ_DEALER, ZMQ_DEALER, ZMQ_DEALER, ZMQ_SUB, ZMQ_REQ};
    for (int i = 0; i < CHANNELS; i++) {
        char address[160];
        const char *separator = strcmp(transport, "ipc") == 0 ? "-" : ":";
        snprintf(address, sizeof address, "%s://%s%s%d", transport, ip, separator, c->ports[i]);
        void *s = c->sockets[i] = zmq_socket(c->context, types[i]);
        prepare(c, s, i == IOPUB ? receive_limit : 0);
        zmq_setsockopt(s, ZMQ_IDENTITY, c->session, strlen(c->session));
        if (i == IOPUB)
            zmq_setsockopt(s, ZMQ_SUBSCRIBE, "", 0);
        assert_int_equal(zmq_connect(s, address), 0);
    }
}

/// Frame `i` of a message with at least three frames behind its sender, as text.
typedef struct receipt_frames {
    char sender[256], signature[129], content[1024];
    size_t sender_len;
} receipt_frames;

static void receive_registration(void *socket, receipt_frames *f)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
    char delimiter[16] = "";
    assert_int_equal(zmq_poll(&item, 1, ANSWER_MS), 1);
    *f = (receipt_frames){0};
    f->sender_len = (size_t)zmq_recv(socket, f->sender, sizeof f->sender, 0);
    zmq_recv(socket, delimiter, sizeof delimiter - 1, 0);
    zmq_recv(socket, f->signature, sizeof f->signature - 1, 0);
    zmq_recv(socket, f->content, sizeof f->content - 1, 0);
    assert_string_equal(delimiter, "<IDS|MSG>");
}

static void acknowledge(void *socket, const receipt_frames *f, const char *signature)
{
    zmq_send(socket, f->sender, f->sender_len, ZMQ_SNDMORE);
    zmq_send(socket, "<IDS|MSG>", 9, ZMQ_SNDMORE);
    zmq_send(socket, signature, strlen(signature), ZMQ_SNDMORE);
    zmq_send(socket, "ACK", 3, 0);
}

/// The launcher's side of the handshake: the ports that the kernel chose.
static void take_registration(client *c, void *socket)
{
    receipt_frames f;
    char signature[129];
    receive_registration(socket, &f);
    client_sign(c, (const char *const[4]){f.content, "", "", ""}, signature);
    assert_string_equal(f.signature, signature);
    json_t *content = json_loads(f.content, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(content, "kernel_id")), "probe-kernel");
    for (int i = 0; i < CHANNELS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_port", channel_names[i]);
        c->ports[i] = (int)strtol(json_string_value(json_object_get(content, key)), NULL, 10);
        assert_in_range(c->ports[i], 1024, 65535);
    }
    json_decref(content);
    acknowledge(socket, &f, "00"); // no receipt
    client_sign(c, (const char *const[4]){"ACK", "", "", ""}, signature);
    acknowledge(socket, &f, signature);
}

static void *open_registration(client *c)
{
    char endpoint[64];
    size_t size = sizeof endpoint;
    void *socket = zmq_socket(c->context, ZMQ_ROUTER);
    assert_int_equal(zmq_bind(socket, "tcp://127.0.0.1:*"), 0);
    zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size);
    c->registration_port = (int)strtol(strrchr(endpoint, ':') + 1, NULL, 10);
    return socket;
}

/// Where a client finds a kernel that was told `ip`.
static const char *reachable(const char *ip)
{
    return strcmp(ip, "*") == 0 || strcmp(ip, "0.0.0.0") == 0 ? "127.0.0.1" : ip;
}

static void start_kernel(client *c, bool below)
{
    launch l;
    prepare_launch(c, &l);
    c->pid = below ? start_below(&l, &c->parent) : fork_kernel(&l);
    json_decref(l.spec);
}

void client_launch(client *c, client_opts opts)
{
    *c = (client){.context = zmq_ctx_new()};
    bool tcp = opts.ip || opts.registers || (opts.transport && strcmp(opts.transport, "tcp") == 0);
    const char *transport = tcp ? "tcp" : opts.transport ? opts.transport : "ipc";
    snprintf(c->folder, sizeof c->folder, "/tmp/pj-probe-XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->key, sizeof c->key, "%s", opts.key ? opts.key : "probe key");
    snprintf(c->digest, sizeof c->digest, "%s", opts.digest ? opts.digest : "sha256");
    memcpy(c->settings, opts.settings, sizeof c->settings);
    snprintf(c->session, sizeof c->session, "probe-%ld", (long)getpid());
    if (opts.curve)
        assert_int_equal(zmq_curve_keypair(c->curve_public, c->curve_secret), 0);
    char ip[80], path[128];
    snprintf(ip, sizeof ip, tcp ? "%s" : "%s/s",
             !tcp      ? c->folder
             : opts.ip ? opts.ip
                       : "127.0.0.1");
    choose_ports(c, tcp);
    void *registration = opts.registers ? open_registration(c) : NULL;
    write_connection_file(c, transport, ip);
    snprintf(path, sizeof path, "%s/connection.json", c->folder);
    if (opts.open_file)
        chmod(path, 0644);
    if (!registration)
        connect_sockets(c, transport, reachable(ip), opts.receive_limit);
    start_kernel(c, opts.below);
    if (registration) {
        take_registration(c, registration);
        zmq_close(registration);
        connect_sockets(c, transport, ip, opts.receive_limit);
    }
}

/// Kernels before protocol 5.5 welcome nobody.
static void wait_for_answer(client *c)
{
    client_send(c, SHELL, "kernel_info_request", NULL);
    message *m = client_receive(c, SHELL, ANSWER_MS);
    assert_non_null(m);
    message_free(m);
    while ((m = client_receive(c, IOPUB, 500)))
        message_free(m);
}

void client_start(client *c, client_opts opts)
{
    client_launch(c, opts);
    if (strcmp(spec_language, "lua") != 0) {
        wait_for_answer(c);
        return;
    }
    message *welcome = client_receive(c, IOPUB, ANSWER_MS);
    assert_non_null(welcome);
    assert_string_equal(message_type(welcome), "iopub_welcome");
    assert_string_equal(message_text(welcome, "subscription"), "");
    assert_int_equal(json_object_size(welcome->parent), 0);
    message_free(welcome);
}

void client_kill_parent(client *c)
{
    kill(c->parent, SIGKILL);
    waitpid(c->parent, NULL, 0);
}

void client_again(client *c)
{
    start_kernel(c, false);
}

void *client_subscribe(client *c, int receive_limit)
{
    char address[256];
    size_t size = sizeof address;
    assert_int_equal(zmq_getsockopt(c->sockets[IOPUB], ZMQ_LAST_ENDPOINT, address, &size), 0);
    void *s = zmq_socket(c->context, ZMQ_SUB);
    prepare(c, s, receive_limit);
    zmq_setsockopt(s, ZMQ_SUBSCRIBE, "", 0);
    assert_int_equal(zmq_connect(s, address), 0);
    zmq_pollitem_t item = {.socket = s, .events = ZMQ_POLLIN};
    assert_int_equal(zmq_poll(&item, 1, client_patience()), 1);
    return s;
}

const char *client_complaint(const client *c, char *out, int size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/stderr", c->folder);
    FILE *errors = fopen(path, "r");
    if (!errors || !fgets(out, size, errors))
        out[0] = 0;
    if (errors)
        fclose(errors);
    return out;
}

bool client_is_alive(client *c)
{
    return c->pid > 0 && kill(c->pid, 0) == 0 && waitpid(c->pid, NULL, WNOHANG) <= 0;
}

bool client_is_sanitized(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return true;
#else
    return false;
#endif
}

size_t client_memory(const client *c)
{
    if (client_is_sanitized())
        return 0;
    char path[64], line[256];
    unsigned long kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)c->pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtoul(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return kilobytes << 10;
}

int client_wait_end(client *c, int timeout_ms)
{
    double until = client_now_ms() + timeout_ms;
    do {
        int status;
        pid_t ended = waitpid(c->pid, &status, WNOHANG);
        if (ended < 0 && kill(c->pid, 0) != 0) { // not our child: only its absence can be seen
            c->pid = 0;
            return 0;
        }
        if (ended == c->pid) {
            c->pid = 0;
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    } while (client_now_ms() < until);
    return -1;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

/// What the kernel said on its way to a bad end: an assertion of a library, a sanitizer's report.
static void show_complaints(const client *c)
{
    char path[128], line[512];
    snprintf(path, sizeof path, "%s/stderr", c->folder);
    FILE *errors = fopen(path, "r");
    while (errors && fgets(line, sizeof line, errors))
        fputs(line, stderr);
    if (errors)
        fclose(errors);
}

void client_stop(client *c)
{
    int status = 0;
    if (c->pid > 0) {
        client_send(c, CONTROL, "shutdown_request", json_pack("{s:b}", "restart", 0));
        status = client_wait_end(c, client_patience());
        if (status < 0) {
            kill(c->pid, SIGKILL);
            waitpid(c->pid, NULL, 0);
        }
    }
    for (int i = 0; i < CHANNELS; i++)
        zmq_close(c->sockets[i]);
    zmq_ctx_term(c->context);
    if (status)
        show_complaints(c);
    nftw(c->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    assert_int_equal(status, 0); // sanitizers report here too
}

// Sending

void client_sign(const client *c, const char *const texts[4], char *out)
{
    out[0] = 0;
    if (!c->key[0])
        return;
    size_t len = 0;
    for (int i = 0; i < 4; i++)
        len += strlen(texts[i]);
    char *all = malloc(len + 1);
    all[0] = 0;
    for (int i = 0, at = 0; i < 4; i++)
        at += sprintf(all + at, "%s", texts[i]);
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;
    HMAC(EVP_get_digestbyname(c->digest), c->key, (int)strlen(c->key), (unsigned char *)all, len,
         digest, &digest_len);
    free(all);
    for (unsigned i = 0; i < digest_len; i++)
        sprintf(out + 2 * i, "%02x", digest[i]);
}

void client_send_frames(client *c, channel to, const char *const *frames, const size_t *lengths,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(
            zmq_send(c->sockets[to], frames[i], lengths[i], i + 1 < count ? ZMQ_SNDMORE : 0) >= 0);
}

void client_send_texts(client *c, channel to, const char *const texts[4])
{
    char signature[2 * EVP_MAX_MD_SIZE + 1];
    client_sign(c, texts, signature);
    const char *frames[] = {"<IDS|MSG>", signature, texts[0], texts[1],
                            texts[2],    texts[3],  c->buffer};
    size_t lengths[7];
    for (int i = 0; i < 6; i++)
        lengths[i] = strlen(frames[i]);
    lengths[6] = c->buffer_len;
    client_send_frames(c, to, frames, lengths, c->buffer ? 7 : 6);
    c->buffer = NULL;
}

void client_send(client *c, channel to, const char *type, json_t *take)
{
    snprintf(c->last_id, sizeof c->last_id, "%s_%u", c->session, ++c->serial);
    json_t *header =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:i}}", "msg_id", c->last_id, "session",
                  c->session, "username", "probe", "date", "2024-02-03T04:05:06.000007Z",
                  "msg_type", type, "version", "5.4", "unknown", "key", 1);
    if (c->subshell[0])
        json_object_set_new(header, "subshell_id", json_string(c->subshell));
    char *header_text = json_dumps(header, 0);
    char *content = take ? json_dumps(take, 0) : strdup("{}");
    assert_non_null(content);
    const char *metadata = c->metadata[0] ? c->metadata : "{}";
    const char *const texts[4] = {header_text, "{}", metadata, content};
    client_send_texts(c, to, texts);
    free(header_text);
    free(content);
    json_decref(header);
    json_decref(take);
}

// Receiving

typedef struct frames {
    char *at[MOST_FRAMES];
    size_t len[MOST_FRAMES];
    size_t count;
} frames;

static bool receive_frames(void *socket, int timeout_ms, frames *out)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
    *out = (frames){0};
    if (zmq_poll(&item, 1, timeout_ms) <= 0)
        return false;
    for (int more = 1; more;) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        assert_true(zmq_msg_recv(&part, socket, 0) >= 0);
        assert_true(out->count < MOST_FRAMES);
        size_t len = zmq_msg_size(&part);
        char *copy = malloc(len + 1);
        memcpy(copy, zmq_msg_data(&part), len);
        copy[len] = 0;
        out->at[out->count] = copy;
        out->len[out->count++] = len;
        more = zmq_msg_more(&part);
        zmq_msg_close(&part);
    }
    return true;
}

static json_t *read_part(const frames *f, size_t i)
{
    json_error_t why;
    json_t *value = json_loadb(f->at[i], f->len[i], JSON_ALLOW_NUL, &why);
    if (!value)
        fail_msg("a frame is not JSON: %s", why.text);
    return value;
}

message *client_receive(client *c, channel from, int timeout_ms)
{
    frames f;
    if (!receive_frames(c->sockets[from], timeout_ms, &f))
        return NULL;
    size_t d = 0;
    while (d < f.count && strcmp(f.at[d], "<IDS|MSG>") != 0)
        d++;
    assert_true(f.count >= d + 6);
    const char *const texts[4] = {f.at[d + 2], f.at[d + 3], f.at[d + 4], f.at[d + 5]};
    char signature[2 * EVP_MAX_MD_SIZE + 1];
    client_sign(c, texts, signature);
    assert_string_equal(f.at[d + 1], signature);
    message *m = calloc(1, sizeof *m);
    m->at_ms = client_now_ms();
    for (size_t i = d + 2; i < f.count; i++)
        m->bytes += f.len[i];
    snprintf(m->topic, sizeof m->topic, "%s", f.at[0]);
    m->header = read_part(&f, d + 2);
    m->parent = read_part(&f, d + 3);
    m->parent_text = strdup(f.at[d + 3]);
    m->metadata = read_part(&f, d + 4);
    m->content = read_part(&f, d + 5);
    m->buffers = json_array();
    for (size_t i = d + 6; i < f.count; i++)
        json_array_append_new(m->buffers, json_stringn_nocheck(f.at[i], f.len[i]));
    for (size_t i = 0; i < f.count; i++)
        free(f.at[i]);
    return m;
}

void client_catch_up(client *c)
{
    enum { TIMES = 3 };
    for (int i = 0; i < TIMES; i++) {
        client_send(c, SHELL, "kernel_info_request", NULL);
        message *m = client_receive(c, SHELL, client_patience());
        assert_non_null(m);
        assert_true(message_answers(m, c->last_id));
        message_free(m);
    }
}

void message_free(message *m)
{
    if (!m)
        return;
    json_decref(m->header);
    json_decref(m->parent);
    json_decref(m->metadata);
    json_decref(m->content);
    json_decref(m->buffers);
    free(m->parent_text);
    free(m);
}

const char *message_type(const message *m)
{
    return json_string_value(json_object_get(m->header, "msg_type"));
}

bool message_answers(const message *m, const char *id)
{
    const char *parent = json_string_value(json_object_get(m->parent, "msg_id"));
    return parent && strcmp(parent, id) == 0;
}

const char *message_text(const message *m, const char *key)
{
    const char *text = json_string_value(json_object_get(m->content, key));
    return text ? text : "";
}

// Asking

/// Notes one publication; true when it was idle.
static bool note(answer *a, message *m)
{
    bool status = strcmp(message_type(m), "status") == 0;
    const char *state = message_text(m, "execution_state");
    if (status && strcmp(state, "busy") == 0)
        a->busy_ms = m->at_ms;
    else if (status && strcmp(state, "idle") == 0)
        a->idle_ms = m->at_ms;
    else
        json_array_append_new(a->outputs,
                              json_pack("{s:s, s:O, s:O, s:O, s:f}", "type", message_type(m),
                                        "content", m->content, "metadata", m->metadata, "buffers",
                                        m->buffers, "at_ms", m->at_ms));
    return a->idle_ms > 0;
}

answer client_collect(client *c, const char *id, bool with_reply)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s", id);
    answer a = {.outputs = json_array()};
    zmq_pollitem_t items[] = {{.socket = c->sockets[SHELL], .events = ZMQ_POLLIN},
                              {.socket = c->sockets[IOPUB], .events = ZMQ_POLLIN}};
    double until = client_now_ms() + client_patience();
    for (bool idle = false; !idle || (with_reply && !a.reply);) {
        if (client_now_ms() > until)
            fail_msg("no %s came for %s", idle ? "reply" : "idle", wanted);
        zmq_poll(items, 2, 100);
        message *m = items[0].revents ? client_receive(c, SHELL, 0) : NULL;
        if (m && message_answers(m, wanted) && !a.reply)
            a.reply = m;
        else
            message_free(m);
        m = items[1].revents ? client_receive(c, IOPUB, 0) : NULL;
        if (m && message_answers(m, wanted))
            idle = note(&a, m);
        message_free(m);
    }
    return a;
}

answer client_ask(client *c, const char *type, json_t *take)
{
    client_send(c, SHELL, type, take);
    size_t len = strlen(type);
    return client_collect(c, c->last_id, len > 8 && strcmp(type + len - 8, "_request") == 0);
}

answer client_execute(client *c, const char *code)
{
    return client_ask(c, "execute_request", json_pack("{s:s}", "code", code));
}

void answer_free(answer *a)
{
    message_free(a->reply);
    json_decref(a->outputs);
}

const char *answer_status(const answer *a)
{
    return message_text(a->reply, "status");
}

json_t *answer_output(const answer *a, const char *type, size_t n)
{
    size_t i;
    json_t *output;
    json_array_foreach(
        a->outputs, i,
        output) if (strcmp(json_string_value(json_object_get(output, "type")), type) == 0 &&
                    n-- == 0) return json_object_get(output, "content");
    return NULL;
}

char *answer_stream(const answer *a, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    json_t *content;
    for (size_t n = 0; (content = answer_output(a, "stream", n)); n++)
        if (strcmp(json_string_value(json_object_get(content, "name")), name) == 0)
            fputs(json_string_value(json_object_get(content, "text")), out);
    fclose(out);
    return text;
}

const char *answer_order(const answer *a, char *out, size_t size)
{
    size_t i, at = 0;
    json_t *output;
    out[0] = 0;
    json_array_foreach(a->outputs, i, output) if (at < size) at +=
        (size_t)snprintf(out + at, size - at, "%s%s", i ? " " : "",
                         json_string_value(json_object_get(output, "type")));
    return out;
}
