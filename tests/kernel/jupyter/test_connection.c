// Connection files: what is read, and what a bad one is told.
#include "kernel/jupyter/connection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define PORTS                                                                                      \
    "\"shell_port\":1001,\"control_port\":1002,\"stdin_port\":1003,\"iopub_port\":1004,\"hb_"      \
    "port\":1005,\"key\":\"k\""

static bool read_text(pj_connection *c, const char *text, pj_err *err)
{
    char path[] = "/tmp/pj-connection-XXXXXX";
    int fd = mkstemp(path);
    assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    bool ok = pj_connection_read(c, path, err);
    unlink(path);
    return ok;
}

static void assert_address(const char *text, pj_port port, const char *expected)
{
    pj_connection c;
    pj_err err = {0};
    assert_true(read_text(&c, text, &err));
    char address[128];
    pj_connection_address(&c, port, address, sizeof address);
    assert_string_equal(address, expected);
    pj_connection_free(&c);
}

static void test_addresses(void **state)
{
    (void)state;
    assert_address("{\"ip\":\"127.0.0.1\"," PORTS "}", PJ_PORT_SHELL, "tcp://127.0.0.1:1001");
    assert_address("{\"ip\":\"*\",\"transport\":\"tcp\"," PORTS "}", PJ_PORT_IOPUB, "tcp://*:1004");
    assert_address("{\"ip\":\"::1\"," PORTS "}", PJ_PORT_HEARTBEAT, "tcp://[::1]:1005");
    assert_address("{\"ip\":\"/run/k\",\"transport\":\"ipc\"," PORTS "}", PJ_PORT_STDIN,
                   "ipc:///run/k-1003");
}

static void test_defaults(void **state)
{
    (void)state;
    pj_connection c;
    pj_err err = {0};
    assert_true(read_text(&c, "{\"ip\":\"a\",\"unknown\":[1]," PORTS "}", &err));
    assert_true(pj_str_equal(c.scheme, PJ_S("hmac-sha256")));
    assert_true(pj_str_equal(c.transport, PJ_S("tcp")));
    assert_true(pj_str_equal(c.key, PJ_S("k")));
    pj_connection_free(&c);
}

static void assert_refused(const char *text, const char *why)
{
    pj_connection c;
    pj_err err = {0};
    assert_false(read_text(&c, text, &err));
    assert_null(c.file);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
}

/// Only an empty text asks for a kernel that checks no signatures.
static void test_keys(void **state)
{
    (void)state;
    pj_connection c;
    pj_err err = {0};
    assert_true(read_text(&c, "{\"ip\":\"a\"," PORTS ",\"key\":\"\"}", &err));
    assert_int_equal(c.key.len, 0);
    pj_connection_free(&c);
    assert_refused("{\"ip\":\"a\"}", "key is missing");
    assert_refused("{\"ip\":\"a\"," PORTS ",\"key\":null}", "key is not a text");
    assert_refused("{\"ip\":\"a\"," PORTS ",\"key\":17}", "key is not a text");
    assert_refused("{\"ip\":\"a\"," PORTS ",\"key\":[\"k\"]}", "key is not a text");
    assert_refused("{\"registration_ip\":\"127.0.0.1\",\"registration_port\":1}", "key is missing");
}

static void test_refusals(void **state)
{
    (void)state;
    assert_refused("", "not JSON");
    assert_refused("[]", "not a JSON object");
    assert_refused("{" PORTS "}", "ip is missing");
    assert_refused("{\"ip\":\"a\",\"transport\":\"udp\"," PORTS "}", "udp");
    assert_refused("{\"key\":\"\",\"ip\":\"a\",\"shell_port\":1}", "control_port");
    assert_refused("{\"key\":\"\",\"ip\":\"a\",\"shell_port\":70000}", "shell_port");
    pj_connection c;
    pj_err err = {0};
    assert_false(pj_connection_read(&c, "/nonexistent/file.json", &err));
    assert_int_equal(err.code, PJ_E_IO);
    assert_string_equal(err.where, "/nonexistent/file.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
