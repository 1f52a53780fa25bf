// execute_request: flags and their defaults, order of messages, errors, abort.
#include "tests/protocol/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int reply_count(const answer *a)
{
    return (int)json_integer_value(json_object_get(a->reply->content, "execution_count"));
}

static answer execute_with(client *c, const char *code, const char *flag, bool value)
{
    return client_ask(c, "execute_request", json_pack("{s:s, s:b}", "code", code, flag, value));
}

static void run_ok(client *c, const char *code)
{
    answer a = client_execute(c, code);
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

static void test_code_alone_is_enough(void **state)
{
    answer a = client_execute(*state, "6 * 7");
    assert_string_equal(answer_status(&a), "ok");
    assert_int_equal(reply_count(&a), 1);
    assert_true(json_is_object(json_object_get(a.reply->content, "user_expressions")));
    assert_true(json_is_array(json_object_get(a.reply->content, "payload")));
    json_t *result = answer_output(&a, "execute_result", 0);
    const char *text =
        json_string_value(json_object_get(json_object_get(result, "data"), "text/plain"));
    assert_string_equal(text, "42");
    assert_int_equal(json_integer_value(json_object_get(result, "execution_count")), 1);
    answer_free(&a);
}

static void test_order(void **state)
{
    answer a = client_execute(*state, "print 'a' io.stderr:write 'b' print 'c' return 4");
    char order[128];
    assert_string_equal(answer_order(&a, order, sizeof order),
                        "execute_input stream stream stream execute_result");
    assert_true(a.busy_ms > 0 && a.idle_ms > a.busy_ms);
    answer_free(&a);
}

static void test_silent(void **state)
{
    run_ok(*state, "1");
    answer a = execute_with(*state, "seen = 7 return 5", "silent", true);
    assert_string_equal(answer_status(&a), "ok");
    assert_int_equal(json_array_size(a.outputs), 0);
    assert_int_equal(reply_count(&a), 1); // not raised
    answer_free(&a);
    a = client_execute(*state, "seen");
    assert_int_equal(reply_count(&a), 2);
    assert_non_null(answer_output(&a, "execute_result", 0));
    answer_free(&a);
}

static void test_store_history(void **state)
{
    run_ok(*state, "1");
    answer a = execute_with(*state, "secret = 1 return 2", "store_history", false);
    assert_non_null(answer_output(&a, "execute_result", 0)); // shown, but not counted
    assert_int_equal(reply_count(&a), 1);
    answer_free(&a);
    a = client_ask(*state, "history_request",
                   json_pack("{s:s, s:i}", "hist_access_type", "tail", "n", 10));
    assert_int_equal(json_array_size(json_object_get(a.reply->content, "history")), 1);
    answer_free(&a);
    a = client_execute(*state, "3");
    assert_int_equal(reply_count(&a), 2);
    answer_free(&a);
}

static const char *expression_status(const answer *a, const char *name)
{
    const json_t *values = json_object_get(a->reply->content, "user_expressions");
    const char *status =
        json_string_value(json_object_get(json_object_get(values, name), "status"));
    return status ? status : "";
}

static void test_user_expressions(void **state)
{
    answer a = client_ask(*state, "execute_request",
                          json_pack("{s:s, s:{s:s, s:s}}", "code", "x = 20", "user_expressions",
                                    "twice", "x * 2", "bad", "nothing.here"));
    assert_string_equal(expression_status(&a, "twice"), "ok");
    const json_t *twice =
        json_object_get(json_object_get(a.reply->content, "user_expressions"), "twice");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(twice, "data"), "text/plain")), "40");
    assert_true(json_is_object(json_object_get(twice, "metadata")));
    assert_string_equal(expression_status(&a, "bad"), "error");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

static void test_error(void **state)
{
    answer a = client_execute(*state, "local x = nil\nreturn x.y");
    assert_string_equal(answer_status(&a), "error");
    json_t *error = answer_output(&a, "error", 0);
    assert_non_null(error);
    static const char *const keys[] = {"ename", "evalue", "traceback"};
    for (int i = 0; i < 3; i++)
        assert_true(json_equal(json_object_get(error, keys[i]),
                               json_object_get(a.reply->content, keys[i])));
    assert_true(json_array_size(json_object_get(error, "traceback")) > 0);
    assert_int_equal(reply_count(&a), 1);
    char order[128];
    assert_string_equal(answer_order(&a, order, sizeof order), "execute_input error");
    answer_free(&a);
}

enum { QUEUED = 50 };

/// A cell that fails once others are behind it, and a request that is no cell: it waits for none,
/// and its reply says that the kernel has read them all.
static void send_burst(client *c, char ids[QUEUED + 1][64])
{
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s, s:b}", "code", "io.read() error 'stop'", "allow_stdin", 1));
    strcpy(ids[0], c->last_id);
    for (int i = 1; i <= QUEUED; i++) {
        client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", "ran = true"));
        strcpy(ids[i], c->last_id);
    }
    client_send(c, SHELL, "is_complete_request", json_pack("{s:s}", "code", "x = 1"));
    message *question = client_receive(c, STDIN, client_patience());
    message *complete = client_receive(c, SHELL, client_patience());
    assert_non_null(question);
    assert_non_null(complete);
    assert_string_equal(message_text(complete, "status"), "complete");
    client_send(c, STDIN, "input_reply", json_pack("{s:s}", "value", "go on"));
    message_free(question);
    message_free(complete);
}

/// Waits for the replies in their order and checks their statuses.
static void expect_abort(client *c, char ids[QUEUED + 1][64])
{
    double first_ms = 0, last_ms = 0;
    for (int i = 0; i <= QUEUED; i++) {
        message *m = client_receive(c, SHELL, client_patience());
        assert_non_null(m);
        assert_true(message_answers(m, ids[i]));
        assert_string_equal(message_text(m, "status"), i == 0 ? "error" : "aborted");
        first_ms = i ? first_ms : m->at_ms;
        last_ms = m->at_ms;
        message_free(m);
    }
    print_message("[ figure   ] %d cells aborted: %.1f ms\n", QUEUED, last_ms - first_ms);
}

static void test_abort(void **state)
{
    client *c = *state;
    char ids[QUEUED + 1][64];
    send_burst(c, ids);
    expect_abort(c, ids);
    int idles = 0;
    for (message *m; idles < QUEUED + 2 && (m = client_receive(c, IOPUB, client_patience()));
         message_free(m))
        idles += strcmp(message_text(m, "execution_state"), "idle") == 0;
    assert_int_equal(idles, QUEUED + 2);
    answer a = client_execute(c, "return ran == nil"); // sent after the failure: runs
    assert_string_equal(answer_status(&a), "ok");
    assert_int_equal(reply_count(&a), 2);
    answer_free(&a);
}

static void test_next_cell_after_a_failure_runs(void **state)
{
    for (int i = 0; i < 20; i++) {
        double began = client_now_ms();
        answer a = client_execute(*state, "error 'x'");
        assert_string_equal(answer_status(&a), "error");
        if (i == 10)
            print_message("[ figure   ] failure to reply: %.1f ms\n", a.reply->at_ms - began);
        answer_free(&a);
        run_ok(*state, "1"); // sent the moment the failure is known
    }
}

static void test_stop_on_error_false(void **state)
{
    client *c = *state;
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s, s:b}", "code", "error 'x'", "stop_on_error", 0));
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", "1"));
    answer a = client_collect(c, c->last_id, true);
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

static void test_queued_cells_run_in_order(void **state)
{
    client *c = *state;
    enum { CELLS = 2000 };
    double began = client_now_ms();
    for (int i = 0; i < CELLS; i++)
        client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", "n = (n or 0) + 1"));
    int replies = 0, idles = 0;
    for (message *m; replies < CELLS && (m = client_receive(c, SHELL, client_patience()));
         message_free(m)) {
        assert_string_equal(message_text(m, "status"), "ok");
        assert_int_equal(json_integer_value(json_object_get(m->content, "execution_count")),
                         ++replies);
    }
    for (message *m; idles < CELLS && (m = client_receive(c, IOPUB, client_patience()));
         message_free(m))
        idles += strcmp(message_text(m, "execution_state"), "idle") == 0;
    print_message("[ figure   ] queued cells: %.0f per second\n",
                  CELLS / (client_now_ms() - began) * 1e3);
    assert_int_equal(idles, CELLS);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_round_trips(void **state)
{
    enum { TRIPS = 300 };
    static double ms[TRIPS];
    for (int i = 0; i < TRIPS; i++) {
        double began = client_now_ms();
        answer a = client_execute(*state, "1 + 1");
        ms[i] = a.idle_ms - began;
        answer_free(&a);
    }
    qsort(ms, TRIPS, sizeof *ms, by_value);
    print_message("[ figure   ] execute to idle: p50 %.2f ms, p99 %.2f ms\n", ms[TRIPS / 2],
                  ms[TRIPS * 99 / 100]);
}

/// A cell that wants more than there is fails; the kernel and what it had stay.
static void test_memory_ends_in_an_error(void **state)
{
    client *c = *state;
    answer a = client_execute(c, "kept = 5");
    answer_free(&a);
    a = client_execute(c, "huge = io.popen('true'):read(1 << 46)");
    assert_string_equal(message_text(a.reply, "ename"), "MemoryError");
    assert_non_null(strstr(message_text(a.reply, "evalue"), "not enough memory"));
    answer_free(&a);
    a = client_execute(c, "assert(kept == 5 and not huge)");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

/// Sets the limit of the kernel's address space `bytes` above what it has.
static void leave_memory(const client *c, size_t bytes)
{
    char path[64];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)c->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    rlim_t limit = pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
    assert_int_equal(prlimit(c->pid, RLIMIT_AS, &(struct rlimit){limit, limit}, NULL), 0);
}

/// Cells that take all there is leave enough for the kernel to say so and to go on.
static void test_a_reserve_is_kept(void **state)
{
    static const char *const cells[] = {
        "t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end",
        "t = {} for i = 1, 1e9 do t[i] = ('x'):rep(10000000) .. i end",
        "for i = 1, 1e9 do widget.Label{value = ('x'):rep(10000) .. i} end",
        "t = {} for i = 1, 1e9 do t[i] = e:sort 'end_ns' end",
        "t = {e} for i = 1, 1e9 do t[i + 1] = t[i]:where 'start_ns >= 0' end",
    };
    client *c = *state;
    if (client_is_sanitized()) {
        print_message("skipped: a sanitizer reserves its address space from the start\n");
        skip();
    }
    run_ok(c,
           "e = events('" PJ_SOURCE_DIR "/notebooks/traces/stencil_16x1.prv.gz', {limit = 1e6})");
    leave_memory(c, (size_t)300 << 20);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        answer a = client_execute(c, cells[i]);
        assert_string_equal(message_text(a.reply, "ename"), "MemoryError");
        answer_free(&a);
        run_ok(c, "t = nil collectgarbage()");
        run_ok(c, "for i = 1, 1000 do print(i) end");
    }
}

/// What objects of the language hold in C is collected in time, and given back.
static void test_memory_of_results_is_bounded(void **state)
{
    client *c = *state;
    run_ok(c, "run = load '" PJ_SOURCE_DIR "/notebooks/traces/stencil_16x1.prv.gz'[1]");
    size_t before = client_memory(c);
    run_ok(c, "for i = 1, 60 do local t = run:events():limit(1000000):rows() end");
    size_t after = client_memory(c);
    print_message("[ figure   ] 60 tables: %zu MB on top of %zu\n", (after - before) >> 20,
                  before >> 20);
    assert_true(after - before < (size_t)32 << 20);
}

/// What a cell leaves behind is given back when it ends, without a collection of its own.
static void test_long_strings_are_given_back(void **state)
{
    client *c = *state;
    if (client_is_sanitized()) {
        print_message("the memory of the sanitizer would count\n");
        skip();
    }
    run_ok(c, "local s = ('x'):rep(3e8)");
    run_ok(c, "for line in io.lines '/proc/self/status' do\n"
              "  local kilobytes = line:match 'VmRSS:%s*(%d+)'\n"
              "  assert(not kilobytes or tonumber(kilobytes) < 100000, kilobytes)\n"
              "end");
}

int probe_execute(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_code_alone_is_enough),
        PROBE(test_order),
        PROBE(test_silent),
        PROBE(test_store_history),
        PROBE(test_user_expressions),
        PROBE(test_error),
        PROBE(test_abort),
        PROBE(test_next_cell_after_a_failure_runs),
        PROBE(test_stop_on_error_false),
        PROBE(test_queued_cells_run_in_order),
        PROBE(test_memory_ends_in_an_error),
        PROBE(test_a_reserve_is_kept),
        PROBE(test_memory_of_results_is_bounded),
        PROBE(test_long_strings_are_given_back),
        PROBE(test_round_trips),
    };
    return cmocka_run_group_tests_name("execute", tests, NULL, NULL);
}
