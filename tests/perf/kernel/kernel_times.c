// How fast a kernel answers a front end: kernel_times SPEC LANGUAGE prints "name value" lines,
// times in ms. The same client measures every kernel, so that ratios say something.
#include "tests/protocol/client.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zmq.h>

enum { TRIPS = 60, QUEUED = 200, CONTROLS = 100, ABORTED = 50, PATIENCE_MS = 20000 };

typedef struct language {
    const char *name, *loop, *lines, *many_lines, *error;
} language;

static const language languages[] = {
    {"lua", "while true do end", "for i = 1, 20000 do print(i) end",
     "for i = 1, 100000 do print(i) end", "error 'x'"},
    {"python", "while True: pass", "for i in range(20000): print(i)",
     "for i in range(100000): print(i)", "raise ValueError"},
};

static const language *spoken;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void say(const char *name, double value)
{
    printf("%s %.4f\n", name, value);
}

static void await(client *c, channel from, const char *type, const char *id)
{
    bool found = false;
    for (message *m; !found && (m = client_receive(c, from, PATIENCE_MS)); message_free(m))
        found = message_answers(m, id) && strcmp(message_type(m), type) == 0;
    assert_true(found);
}

/// Some kernels answer only when nothing is left out.
static void execute(client *c, const char *code)
{
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s, s:b, s:b, s:{}, s:b, s:b}", "code", code, "silent", 0,
                          "store_history", 1, "user_expressions", "allow_stdin", 0, "stop_on_error",
                          1));
}

/// Runs a cell to its idle; the time in ms.
static double run(client *c, const char *code)
{
    double began = client_now_ms();
    execute(c, code);
    answer a = client_collect(c, c->last_id, true);
    double took = a.idle_ms - began;
    answer_free(&a);
    return took;
}

static void start_loop(client *c, char id[64])
{
    execute(c, spoken->loop);
    strcpy(id, c->last_id);
    await(c, IOPUB, "execute_input", id);
}

static void time_start(client *c)
{
    double began = client_now_ms();
    client_launch(c, (client_opts){0});
    client_send(c, SHELL, "kernel_info_request", NULL);
    await(c, SHELL, "kernel_info_reply", c->last_id);
    say("start", client_now_ms() - began);
    say("memory", (double)client_memory(c) / 1e6);
    execute(c, "1");
    await(c, SHELL, "execute_reply", c->last_id);
    for (message *m; (m = client_receive(c, IOPUB, 500)); message_free(m)) // till subscribed
        continue;
}

static void time_round_trips(client *c)
{
    double times[TRIPS];
    for (int i = 0; i < TRIPS; i++)
        times[i] = run(c, "1");
    qsort(times, TRIPS, sizeof *times, by_value);
    say("round_trip", times[TRIPS / 2]);
}

/// Takes one message off without reading more than is asked: whether a part of it has the word.
/// What the client does with messages would otherwise be half of the time.
static bool take(client *c, channel from, const char *word)
{
    bool found = false;
    int patience = PATIENCE_MS;
    zmq_setsockopt(c->sockets[from], ZMQ_RCVTIMEO, &patience, sizeof patience);
    for (int more = 1; more;) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        assert_true(zmq_msg_recv(&part, c->sockets[from], 0) >= 0);
        found = found || memmem(zmq_msg_data(&part), zmq_msg_size(&part), word, strlen(word));
        more = zmq_msg_more(&part);
        zmq_msg_close(&part);
    }
    return found;
}

/// Waits for `count` replies and as many idles.
static void await_all(client *c, int count)
{
    for (int replies = 0; replies < count;)
        replies += take(c, SHELL, "\"execute_reply\"");
    for (int idles = 0; idles < count;)
        idles += take(c, IOPUB, "\"idle\"");
}

static void time_queued(client *c)
{
    double began = client_now_ms();
    for (int i = 0; i < QUEUED; i++)
        execute(c, "1");
    await_all(c, QUEUED);
    say("queued", (client_now_ms() - began) / QUEUED);
}

static void time_lines(client *c)
{
    say("lines", run(c, spoken->lines));
    say("many_lines", run(c, spoken->many_lines));
}

static void time_abort(client *c)
{
    double began = client_now_ms();
    for (int i = 0; i <= ABORTED; i++)
        execute(c, i ? "1" : spoken->error);
    await_all(c, ABORTED + 1);
    say("abort", client_now_ms() - began);
    for (bool aborted = true; aborted;) { // some kernels do not stop with the last one of these
        execute(c, "1");
        answer a = client_collect(c, c->last_id, true);
        aborted = strcmp(answer_status(&a), "aborted") == 0;
        answer_free(&a);
    }
}

static void time_control(client *c)
{
    char id[64];
    double times[CONTROLS];
    start_loop(c, id);
    for (int i = 0; i < CONTROLS; i++) {
        double began = client_now_ms();
        client_send(c, CONTROL, "kernel_info_request", NULL);
        message *m = client_receive(c, CONTROL, PATIENCE_MS);
        assert_non_null(m);
        times[i] = m->at_ms - began;
        message_free(m);
    }
    qsort(times, CONTROLS, sizeof *times, by_value);
    say("control", times[CONTROLS - 1 - CONTROLS / 100]);
    double began = client_now_ms();
    client_send(c, CONTROL, "interrupt_request", NULL);
    await(c, SHELL, "execute_reply", id);
    say("interrupt", client_now_ms() - began);
}

/// Some kernels do not end while they are busy: they are killed, and there is no figure.
static void time_end(client *c, const char *name)
{
    double began = client_now_ms();
    client_send(c, CONTROL, "shutdown_request", json_pack("{s:b}", "restart", 0));
    if (client_wait_end(c, PATIENCE_MS / 4) == 0) {
        say(name, client_now_ms() - began);
        return;
    }
    kill(c->pid, SIGKILL);
    client_wait_end(c, PATIENCE_MS);
}

static void measure(void **state)
{
    (void)state;
    client c = {0};
    time_start(&c);
    time_round_trips(&c);
    time_queued(&c);
    time_lines(&c);
    time_abort(&c);
    time_control(&c);
    time_end(&c, "shutdown");
    client_stop(&c);
}

static void measure_busy_end(void **state)
{
    (void)state;
    client c = {0};
    char id[64];
    client_start(&c, (client_opts){0}); // what a kernel says before it is heard is lost
    start_loop(&c, id);
    time_end(&c, "shutdown_busy");
    client_stop(&c);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof languages / sizeof *languages; i++)
        if (strcmp(languages[i].name, argv[2]) == 0)
            spoken = &languages[i];
    if (!spoken) {
        fprintf(stderr, "usage: kernel_times SPEC lua|python\n");
        return 2;
    }
    client_use_spec(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(measure),
                                       cmocka_unit_test(measure_busy_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
