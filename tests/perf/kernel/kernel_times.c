// How fast a kernel answers a front end: kernel_times SPEC LANGUAGE prints "name value" lines,
// times in ms. The same client measures every kernel, so that ratios say something.
#include "tests/protocol/client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRIPS = 60, QUEUED = 200, CONTROLS = 100, ABORTED = 50 };

typedef struct language {
    const char *name, *loop, *lines, *error;
} language;

static const language languages[] = {
    {"lua", "while true do end", "for i = 1, 20000 do print(i) end", "error 'x'"},
    {"python", "while True: pass", "for i in range(20000): print(i)", "raise ValueError"},
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
    for (message *m; !found && (m = client_receive(c, from, 20000)); message_free(m))
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

/// Waits for `count` replies and as many idles.
static void await_all(client *c, int count)
{
    int replies = 0, idles = 0;
    message *m;
    while (replies < count && (m = client_receive(c, SHELL, 20000))) {
        replies += strcmp(message_type(m), "execute_reply") == 0;
        message_free(m);
    }
    while (idles < count && (m = client_receive(c, IOPUB, 20000))) {
        const char *status = message_text(m, "execution_state");
        idles += status && strcmp(status, "idle") == 0;
        message_free(m);
    }
    assert_int_equal(replies, count);
    assert_int_equal(idles, count);
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
}

static void time_abort(client *c)
{
    double began = client_now_ms();
    for (int i = 0; i <= ABORTED; i++)
        execute(c, i ? "1" : spoken->error);
    await_all(c, ABORTED + 1);
    say("abort", client_now_ms() - began);
}

static void time_control(client *c)
{
    char id[64];
    double times[CONTROLS];
    start_loop(c, id);
    for (int i = 0; i < CONTROLS; i++) {
        double began = client_now_ms();
        client_send(c, CONTROL, "kernel_info_request", NULL);
        message *m = client_receive(c, CONTROL, 20000);
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

static void time_end(client *c)
{
    double began = client_now_ms();
    client_send(c, CONTROL, "shutdown_request", json_pack("{s:b}", "restart", 0));
    client_wait_end(c, 20000);
    say("shutdown", client_now_ms() - began);
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
    time_end(&c);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(measure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
