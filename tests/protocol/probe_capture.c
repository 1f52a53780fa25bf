// What libraries and child processes print reaches the cell that runs.
#include "tests/protocol/probe.h"

#include <stdlib.h>
#include <string.h>

static void assert_prints(client *c, const char *code, const char *out, const char *err)
{
    answer a = client_execute(c, code);
    assert_string_equal(answer_status(&a), "ok");
    char *text = answer_stream(&a, "stdout");
    assert_string_equal(text, out);
    free(text);
    text = answer_stream(&a, "stderr");
    assert_string_equal(text, err);
    free(text);
    answer_free(&a);
}

static void test_children(void **state)
{
    assert_prints(*state, "os.execute('echo out; echo err >&2')", "out\n", "err\n");
    assert_prints(*state,
                  "local p = io.popen('echo err >&2; echo read') io.write(p:read()) p:close()",
                  "read", "err\n");
}

/// As Lua's own: three values, whatever way the program ended.
static void test_results_of_programs(void **state)
{
    assert_prints(*state,
                  "print(os.execute()) print(os.execute 'exit 3') print(os.execute 'kill -9 $$') "
                  "print(os.execute 'true') local p = io.popen('exit 2') print(p:read()) "
                  "print(p:close()) p = io.popen('cat', 'w') p:write('a', 1) print(p:close())",
                  "true\nnil\texit\t3\nnil\tsignal\t9\ntrue\texit\t0\nnil\nnil\texit\t2\n"
                  "a1true\texit\t0\n",
                  "");
}

/// In the order in which it was printed, whoever printed.
static void test_order(void **state)
{
    assert_prints(*state, "for i = 1, 20 do print(i) os.execute('echo child') end print 'end'",
                  "1\nchild\n2\nchild\n3\nchild\n4\nchild\n5\nchild\n6\nchild\n7\nchild\n8\nchild\n"
                  "9\nchild\n10\nchild\n11\nchild\n12\nchild\n13\nchild\n14\nchild\n15\nchild\n"
                  "16\nchild\n17\nchild\n18\nchild\n19\nchild\n20\nchild\nend\n",
                  "");
}

/// More than a pipe holds; all of it before idle.
static void test_much(void **state)
{
    enum { BYTES = 2000000 };
    answer a = client_execute(*state, "os.execute(\"head -c 2000000 /dev/zero | tr '\\\\0' x\")");
    char *text = answer_stream(&a, "stdout");
    assert_int_equal(strlen(text), BYTES);
    assert_int_equal(strspn(text, "x"), BYTES);
    free(text);
    answer_free(&a);
}

/// A child that was left behind goes on printing: of the cell that started it, or of the one that
/// runs; an endless one disturbs nobody.
static void test_background(void **state)
{
    client *c = *state;
    answer a = client_execute(c, "os.execute('(sleep 0.2; echo late) &') return 1");
    assert_non_null(answer_output(&a, "execute_result", 0));
    answer_free(&a);
    bool seen = false;
    for (message *m; !seen && (m = client_receive(c, IOPUB, client_patience())); message_free(m))
        seen = strcmp(message_text(m, "text"), "late\n") == 0;
    assert_true(seen);
    a = client_execute(c, "os.execute('(timeout 20 yes) &')");
    answer_free(&a);
    for (int i = 0; i < 5; i++) {
        a = client_execute(c, "return 1");
        assert_string_equal(answer_status(&a), "ok");
        answer_free(&a);
    }
}

int probe_capture(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_children), PROBE(test_results_of_programs), PROBE(test_order),
        PROBE(test_much),     PROBE(test_background),
    };
    return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
