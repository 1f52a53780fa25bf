// A busy kernel answers, and subshells: cells side by side, each with its counter, history,
// interrupt, questions and end.
#include "tests/protocol/probe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; // subshells

static const char *const loop = "while true do end";

/// What follows goes to the subshell; "" = the main shell.
static void use(client *c, const char *subshell)
{
    strcpy(c->subshell, subshell);
}

static void start_cell(client *c, const char *code, char id[64])
{
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", code));
    strcpy(id, c->last_id);
    bool runs = false;
    for (message *m; !runs && (m = client_receive(c, IOPUB, client_patience())); message_free(m))
        runs = message_answers(m, id) && strcmp(message_type(m), "execute_input") == 0;
    assert_true(runs);
}

static message *ask_control(client *c, const char *type, json_t *content)
{
    client_send(c, CONTROL, type, content);
    message *m = client_receive(c, CONTROL, client_patience());
    assert_non_null(m);
    assert_true(message_answers(m, c->last_id));
    return m;
}

static void expect_control(client *c, const char *type, json_t *content, const char *status)
{
    message *m = ask_control(c, type, content);
    assert_string_equal(message_text(m, "status"), status);
    message_free(m);
}

/// A reply to a debug_request on the control channel; skips the test where there is no debugger.
static message *ask_debugger(client *c, const char *command, json_t *arguments)
{
    message *m = ask_control(c, "debug_request",
                             json_pack("{s:s, s:i, s:s, s:o}", "type", "request", "seq", 7,
                                       "command", command, "arguments", arguments));
    assert_string_equal(message_type(m), "debug_reply");
    assert_int_equal(json_integer_value(json_object_get(m->content, "request_seq")), 7);
    return m;
}

/// What JupyterLab's panel of variables asks, while a cell runs too.
static void test_variables(void **state)
{
    client *c = *state;
    answer a = client_ask(c, "kernel_info_request", NULL);
    assert_true(json_is_true(json_object_get(a.reply->content, "debugger")));
    answer_free(&a);
    a = client_execute(c, "shown = 'some text'");
    answer_free(&a);
    char id[64];
    start_cell(c, loop, id);
    message *m = ask_debugger(c, "inspectVariables", json_object());
    assert_true(json_is_true(json_object_get(m->content, "success")));
    json_t *item, *list = json_object_get(json_object_get(m->content, "body"), "variables");
    size_t i;
    bool found = false;
    json_array_foreach(list, i, item)
    {
        bool is_it = strcmp(json_string_value(json_object_get(item, "name")), "shown") == 0;
        found = found || is_it;
        if (is_it)
            assert_string_equal(json_string_value(json_object_get(item, "value")), "some text");
    }
    assert_true(found);
    message_free(m);
    m = ask_debugger(c, "richInspectVariables", json_pack("{s:s}", "variableName", "shown"));
    json_t *data = json_object_get(json_object_get(m->content, "body"), "data");
    assert_string_equal(json_string_value(json_object_get(data, "text/plain")), "some text");
    message_free(m);
    m = ask_debugger(c, "stepIn", json_object());
    assert_true(json_is_false(json_object_get(m->content, "success")));
    message_free(m);
    expect_control(c, "interrupt_request", NULL, "ok");
}

static void create(client *c, char id[128])
{
    use(c, "");
    message *m = ask_control(c, "create_subshell_request", NULL);
    assert_string_equal(message_type(m), "create_subshell_reply");
    assert_string_equal(message_text(m, "status"), "ok");
    snprintf(id, 128, "%s", message_text(m, "subshell_id"));
    assert_true(id[0] != 0);
    message_free(m);
}

static json_t *of_subshell(const char *id)
{
    return json_pack("{s:s}", "subshell_id", id);
}

static size_t count_listed(client *c)
{
    message *m = ask_control(c, "list_subshell_request", NULL);
    json_t *ids = json_object_get(m->content, "subshell_id");
    assert_true(json_is_array(ids));
    size_t count = json_array_size(ids);
    message_free(m);
    return count;
}

static void expect_interrupted(client *c, const char *id)
{
    answer a = client_collect(c, id, true);
    assert_string_equal(answer_status(&a), "error");
    assert_string_equal(message_text(a.reply, "ename"), "KeyboardInterrupt");
    answer_free(&a);
}

static void interrupt_main(client *c, const char *id)
{
    use(c, "");
    expect_control(c, "interrupt_request", NULL, "ok");
    expect_interrupted(c, id);
}

// A busy kernel

static void test_busy_kernel_answers(void **state)
{
    static const struct {
        const char *type, *content, *key;
    } asked[] = {
        {"kernel_info_request", "{}", "banner"},
        {"complete_request", "{\"code\":\"growing_na\",\"cursor_pos\":10}", "matches"},
        {"inspect_request", "{\"code\":\"metrics\",\"cursor_pos\":3}", "found"},
        {"is_complete_request", "{\"code\":\"for i = 1, 2 do\"}", "indent"},
        {"history_request", "{\"hist_access_type\":\"tail\",\"n\":5}", "history"},
        {"comm_info_request", "{}", "comms"},
    };
    char id[64];
    answer made = client_execute(*state, "growing_name = 0");
    answer_free(&made);
    start_cell(*state, "while true do growing_name = growing_name + 1 end", id);
    double slowest = 0;
    for (size_t i = 0; i < 10 * sizeof asked / sizeof *asked; i++) {
        size_t at = i % (sizeof asked / sizeof *asked);
        double began = client_now_ms();
        answer a = client_ask(*state, asked[at].type, json_loads(asked[at].content, 0, NULL));
        assert_non_null(json_object_get(a.reply->content, asked[at].key));
        assert_true(a.busy_ms > 0 && a.idle_ms >= a.busy_ms);
        if (strcmp(asked[at].key, "matches") == 0) {
            const json_t *first = json_array_get(json_object_get(a.reply->content, "matches"), 0);
            assert_string_equal(json_string_value(first), "growing_name");
        }
        if (a.reply->at_ms - began > slowest)
            slowest = a.reply->at_ms - began;
        answer_free(&a);
    }
    print_message("[ figure   ] answers while busy, slowest: %.1f ms\n", slowest);
    interrupt_main(*state, id);
}

/// A call of a library that nobody can interrupt: what is known without the language is answered.
static void test_stuck_kernel_answers(void **state)
{
    char id[64];
    answer a = client_execute(*state, "metrics_of_mine = 1");
    answer_free(&a);
    start_cell(*state, PROBE_STUCK, id);
    a = client_ask(*state, "complete_request",
                   json_pack("{s:s, s:i}", "code", "metri", "cursor_pos", 5));
    assert_string_equal(answer_status(&a), "ok");
    const json_t *matches = json_object_get(a.reply->content, "matches");
    assert_string_equal(json_string_value(json_array_get(matches, 0)), "metrics");
    assert_string_equal(json_string_value(json_array_get(matches, 1)), "metrics_of_mine");
    answer_free(&a);
    a = client_ask(*state, "inspect_request",
                   json_pack("{s:s, s:i}", "code", "metrics", "cursor_pos", 3));
    assert_true(json_is_true(json_object_get(a.reply->content, "found")));
    answer_free(&a);
    a = client_ask(*state, "is_complete_request", json_pack("{s:s}", "code", "x = 1"));
    assert_string_equal(answer_status(&a), "unknown");
    answer_free(&a);
}

// Subshells

static void test_advertised(void **state)
{
    answer a = client_ask(*state, "kernel_info_request", NULL);
    const json_t *features = json_object_get(a.reply->content, "supported_features");
    size_t i;
    json_t *feature;
    bool found = false;
    json_array_foreach(features, i, feature)
    {
        found = found || strcmp(json_string_value(feature), "kernel subshells") == 0;
    }
    assert_true(found);
    answer_free(&a);
}

static void test_life(void **state)
{
    client *c = *state;
    char first[128], second[128], third[128];
    assert_int_equal(count_listed(c), 0);
    create(c, first);
    create(c, second);
    assert_string_not_equal(first, second);
    assert_int_equal(count_listed(c), 2);
    expect_control(c, "delete_subshell_request", of_subshell(first), "ok");
    assert_int_equal(count_listed(c), 1);
    expect_control(c, "delete_subshell_request", of_subshell(first), "error");
    expect_control(c, "delete_subshell_request", of_subshell("nobody"), "error");
    expect_control(c, "delete_subshell_request", NULL, "error");
    create(c, third);
    assert_string_not_equal(first, third); // an id is never used again
    use(c, third);
    answer a = client_execute(c, "return 1");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

static void test_side_by_side(void **state)
{
    client *c = *state;
    char sub[128], id[64];
    answer a = client_execute(c, "shared = 41 main_only = true");
    answer_free(&a);
    create(c, sub);
    start_cell(c, loop, id);
    use(c, sub);
    double began = client_now_ms();
    a = client_execute(c, "shared = shared + 1 print('here') return shared");
    print_message("[ figure   ] cell beside a busy one: %.1f ms\n", a.idle_ms - began);
    assert_string_equal(answer_status(&a), "ok");
    assert_int_equal(json_integer_value(json_object_get(a.reply->content, "execution_count")), 1);
    char *text = answer_stream(&a, "stdout"); // under its own parent
    assert_string_equal(text, "here\n");
    free(text);
    const json_t *data = json_object_get(answer_output(&a, "execute_result", 0), "data");
    assert_string_equal(json_string_value(json_object_get(data, "text/plain")), "42");
    answer_free(&a);
    a = client_ask(c, "history_request",
                   json_pack("{s:s, s:i}", "hist_access_type", "tail", "n", 10));
    assert_int_equal(json_array_size(json_object_get(a.reply->content, "history")), 1);
    answer_free(&a);
    interrupt_main(c, id);
    a = client_execute(c, "return shared");
    assert_int_equal(json_integer_value(json_object_get(a.reply->content, "execution_count")), 3);
    answer_free(&a);
}

static void test_unknown_id(void **state)
{
    client *c = *state;
    use(c, "nobody");
    static const char *const types[] = {"execute_request", "complete_request", "inspect_request",
                                        "history_request", "kernel_info_request"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        answer a = client_ask(c, types[i], json_pack("{s:s}", "code", "ran = true"));
        assert_string_equal(answer_status(&a), "error");
        assert_true(strlen(message_text(a.reply, "evalue")) > 0);
        answer_free(&a);
    }
    answer a = client_ask(c, "comm_msg", json_pack("{s:s}", "comm_id", "x"));
    answer_free(&a);
    use(c, "");
    a = client_execute(c, "assert(not ran)");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

static void test_interrupts(void **state)
{
    client *c = *state;
    char sub[128], main_id[64], sub_id[64];
    create(c, sub);
    start_cell(c, loop, main_id);
    use(c, sub);
    start_cell(c, loop, sub_id);
    expect_control(c, "interrupt_request", of_subshell(sub), "ok"); // the child alone
    expect_interrupted(c, sub_id);
    start_cell(c, loop, sub_id);
    interrupt_main(c, main_id); // the main shell alone
    use(c, "");
    expect_control(c, "interrupt_request", NULL, "ok"); // it is idle: the children
    expect_interrupted(c, sub_id);
    use(c, sub);
    start_cell(c, loop, sub_id);
    kill(c->pid, SIGINT); // the same
    expect_interrupted(c, sub_id);
}

/// A signal that comes the moment the main shell is idle reaches the children, too.
static void test_signal_between(void **state)
{
    client *c = *state;
    char sub[128], sub_id[64];
    create(c, sub);
    for (int i = 0; i < 50; i++) {
        use(c, sub);
        start_cell(c, loop, sub_id);
        use(c, "");
        answer a = client_execute(c, "x = 1");
        kill(c->pid, SIGINT);
        answer_free(&a);
        use(c, sub);
        expect_interrupted(c, sub_id);
    }
    use(c, "");
}

static void test_delete_running(void **state)
{
    client *c = *state;
    char sub[128], id[64], queued[64];
    create(c, sub);
    use(c, sub);
    start_cell(c, loop, id);
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", "ran = true"));
    strcpy(queued, c->last_id);
    use(c, "");
    client_catch_up(c);
    expect_control(c, "delete_subshell_request", of_subshell(sub), "ok");
    message *m = client_receive(c, SHELL, client_patience());
    assert_non_null(m);
    assert_true(message_answers(m, id));
    assert_string_equal(message_text(m, "ename"), "KeyboardInterrupt");
    message_free(m);
    answer a = client_collect(c, queued, true);
    assert_string_equal(answer_status(&a), "aborted");
    answer_free(&a);
    a = client_execute(c, "assert(not ran)");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

/// A failure aborts the cells behind it on its own shell only.
static void test_abort_is_own(void **state)
{
    client *c = *state;
    char sub[128], id[64];
    create(c, sub);
    use(c, sub);
    start_cell(c, loop, id);
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", "return 'survived'"));
    char behind[64];
    strcpy(behind, c->last_id);
    use(c, "");
    answer a = client_execute(c, "error 'stop'");
    assert_string_equal(answer_status(&a), "error");
    answer_free(&a);
    client_send(c, CONTROL, "interrupt_request",
                json_pack("{s:s}", "subshell_id", sub)); // its own failure does abort
    message_free(client_receive(c, CONTROL, client_patience()));
    a = client_collect(c, behind, true);
    assert_string_equal(answer_status(&a), "aborted");
    answer_free(&a);
}

/// Two cells ask at the same time; each gets its answer.
static void test_two_questions(void **state)
{
    client *c = *state;
    char sub[128], ids[2][64], questions[2][64];
    create(c, sub);
    for (int i = 0; i < 2; i++) {
        use(c, i ? sub : "");
        client_send(c, SHELL, "execute_request",
                    json_pack("{s:s, s:b}", "code", "return io.read()", "allow_stdin", 1));
        strcpy(ids[i], c->last_id);
    }
    for (int i = 0; i < 2; i++) {
        message *m = client_receive(c, STDIN, client_patience());
        assert_non_null(m);
        assert_string_equal(message_type(m), "input_request");
        int who = message_answers(m, ids[1]);
        strcpy(questions[who], json_string_value(json_object_get(m->header, "msg_id")));
        message_free(m);
    }
    use(c, "");
    for (int i = 1; i >= 0; i--) {
        char header[512], content[64];
        snprintf(
            header, sizeof header,
            "{\"msg_id\":\"answer_%d\",\"session\":\"%s\",\"username\":\"probe\",\"date\":\"\","
            "\"msg_type\":\"input_reply\",\"version\":\"5.4\"}",
            i, c->session);
        char parent[128];
        snprintf(parent, sizeof parent, "{\"msg_id\":\"%s\"}", questions[i]);
        snprintf(content, sizeof content, "{\"value\":\"answer %d\"}", i);
        client_send_texts(c, STDIN, (const char *const[]){header, parent, "{}", content});
        answer a = client_collect(c, ids[i], true);
        const json_t *data = json_object_get(answer_output(&a, "execute_result", 0), "data");
        char expected[64];
        snprintf(expected, sizeof expected, "answer %d", i);
        assert_string_equal(json_string_value(json_object_get(data, "text/plain")), expected);
        answer_free(&a);
    }
}

/// The most there may be, all busy: the kernel answers, and ends at once.
static void test_many(void **state)
{
    client *c = *state;
    char sub[128], id[64];
    for (int i = 0; i < MOST; i++) {
        create(c, sub);
        use(c, sub);
        client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", loop));
    }
    use(c, "");
    message *m = ask_control(c, "create_subshell_request", NULL);
    assert_string_equal(message_text(m, "status"), "error");
    assert_non_null(strstr(message_text(m, "evalue"), "64"));
    message_free(m);
    start_cell(c, loop, id);
    double began = client_now_ms();
    message_free(ask_control(c, "kernel_info_request", NULL));
    print_message("[ figure   ] control beside %d busy shells: %.1f ms\n", MOST + 1,
                  client_now_ms() - began);
    began = client_now_ms();
    client_send(c, CONTROL, "shutdown_request", json_pack("{s:b}", "restart", 0));
    assert_int_equal(client_wait_end(c, client_patience()), 0);
    print_message("[ figure   ] shutdown with %d busy shells: %.1f ms\n", MOST + 1,
                  client_now_ms() - began);
}

/// Commands compute beside each other on the same runs, and their callbacks in Lua find back.
static void test_commands_side_by_side(void **state)
{
    enum { SHELLS = 3 };
    client *c = *state;
    char subs[SHELLS][128];
    // A sanitized kernel needs seconds for each trace.
    answer a = client_execute(c, client_is_sanitized() ? "rounds, traces = 1, 'openmp_1x*.prv.gz'"
                                                       : "rounds, traces = 3, ''");
    answer_free(&a);
    a = client_execute(
        c, "traces = '" PJ_SOURCE_DIR "/notebooks/traces/' .. traces\n"
           "runs = load(traces)\n"
           "define_metrics{name = 'mine', title = 'Mine', metrics = {{key = 'half',\n"
           "  formula = function(run) return run.useful_sum / run.useful_sum / 2 end}}}");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
    static const char code[] = "local sum = 0\n"
                               "for i = 1, rounds do\n"
                               "  local m = metrics(runs, 'mpi')\n"
                               "  sum = sum + m[1].parallel_efficiency\n"
                               "  assert(metrics(runs, 'mine')[1].half == 0.5)\n"
                               "  plot(m, 'speedup')\n"
                               "  runs[1].tag = 'x' .. i\n"
                               "end\n"
                               "assert(#load(traces) == #runs)\n"
                               "return string.format('%.12f', sum / rounds)";
    for (int i = 0; i < SHELLS; i++)
        create(c, subs[i]);
    for (int i = 0; i < SHELLS; i++) {
        use(c, subs[i]);
        client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", code));
    }
    use(c, "");
    a = client_execute(c, code);
    if (strcmp(answer_status(&a), "ok") != 0)
        fail_msg("%s", message_text(a.reply, "evalue"));
    answer_free(&a);
    for (int i = 0; i < SHELLS; i++) {
        use(c, subs[i]);
        a = client_execute(c, code); // behind the first one
        if (strcmp(answer_status(&a), "ok") != 0)
            fail_msg("%s", message_text(a.reply, "evalue"));
        assert_int_equal(json_integer_value(json_object_get(a.reply->content, "execution_count")),
                         2);
        answer_free(&a);
    }
}

static void test_churn(void **state)
{
    client *c = *state;
    for (int i = 0; i < 200; i++) {
        char sub[128];
        create(c, sub);
        if (i % 4 == 0) {
            use(c, sub);
            answer a = client_execute(c, "local t = {} for i = 1, 100 do t[i] = {} end return #t");
            assert_string_equal(answer_status(&a), "ok");
            answer_free(&a);
            use(c, "");
        }
        expect_control(c, "delete_subshell_request", of_subshell(sub), "ok");
    }
    assert_int_equal(count_listed(c), 0);
    answer a = client_execute(c, "collectgarbage() return 1");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

int probe_subshell(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_busy_kernel_answers),
        PROBE(test_stuck_kernel_answers),
        PROBE(test_advertised),
        PROBE(test_variables),
        PROBE(test_life),
        PROBE(test_side_by_side),
        PROBE(test_unknown_id),
        PROBE(test_interrupts),
        PROBE(test_signal_between),
        PROBE(test_delete_running),
        PROBE(test_abort_is_own),
        PROBE(test_two_questions),
        PROBE(test_commands_side_by_side),
        PROBE(test_many),
        PROBE(test_churn),
    };
    return cmocka_run_group_tests_name("subshell", tests, NULL, NULL);
}
