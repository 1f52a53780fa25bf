// What no front end should send: the kernel ignores it, lives, and works on.
#include "tests/protocol/probe.h"

#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#define HEADER "{\"msg_id\":\"x\",\"msg_type\":\"kernel_info_request\"}"

static void assert_works(client *c)
{
    assert_true(client_is_alive(c));
    answer a = client_execute(c, "return 1");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

/// Frames without a right signature, on every channel.
static void test_frames(void **state)
{
    client *c = *state;
    static const char *const messages[][8] = {
        {""},
        {"<IDS|MSG>"},
        {"<IDS|MSG>", ""},
        {"<IDS|MSG>", "", "", "", "", ""},
        {"<IDS|MSG>", "sig", HEADER, "{}", "{}", "{}"},
        {"<IDS|MSG>", "sig", HEADER, "{}", "{}"},
        {"junk"},
        {"a", "b", "c", "d", "e", "f", "g"},
        {"id", "<IDS|MSG>", "00", HEADER, "{}", "{}", "{}"},
        {"<IDS|MSG>", "<IDS|MSG>", "<IDS|MSG>", "<IDS|MSG>", "<IDS|MSG>", "<IDS|MSG>"},
    };
    static const channel channels[] = {SHELL, CONTROL, STDIN};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        for (size_t ch = 0; ch < 3; ch++) {
            size_t lengths[8], count = 0;
            for (; count < 8 && messages[i][count]; count++)
                lengths[count] = strlen(messages[i][count]);
            client_send_frames(c, channels[ch], messages[i], lengths, count);
        }
    assert_works(c);
    assert_null(client_receive(c, CONTROL, 50));
}

/// Signed rightly, but not what the specification wants.
static void test_signed_nonsense(void **state)
{
    client *c = *state;
    static const char *const messages[][4] = {
        {"", "", "", ""},
        {"{", "{}", "{}", "{}"},
        {"[]", "{}", "{}", "{}"},
        {"null", "null", "null", "null"},
        {"{}", "{}", "{}", "{}"},
        {"{\"msg_id\":1,\"msg_type\":2}", "{}", "{}", "{}"},
        {"{\"msg_id\":\"\",\"msg_type\":\"\"}", "{}", "{}", "{}"},
        {HEADER, "[]", "{}", "{}"},
        {HEADER, "{}", "[1]", "{}"},
        {HEADER, "{}", "{}", "\"text\""},
        {HEADER, "{}", "{}", "\xFF\xFE"},
        {"{\"msg_id\":\"y\",\"msg_type\":\"execute_request\"}", "{}", "{}", "{\"code\":7}"},
        {"{\"msg_id\":\"y\",\"msg_type\":\"execute_request\"}", "{}", "{}", "{\"code\":null}"},
        {"{\"msg_id\":\"y\",\"msg_type\":\"execute_request\"}", "{}", "{}",
         "{\"code\":\"1\",\"user_expressions\":[1],\"silent\":\"yes\"}"},
        {"{\"msg_id\":\"y\",\"msg_type\":\"execute_request\"}", "{}", "{}",
         "{\"code\":\"1\",\"user_expressions\":{\"a\":{}}}"},
        {"{\"msg_id\":\"z\",\"msg_type\":\"complete_request\"}", "{}", "{}",
         "{\"code\":\"pri\",\"cursor_pos\":-5}"},
        {"{\"msg_id\":\"z\",\"msg_type\":\"complete_request\"}", "{}", "{}",
         "{\"code\":\"pri\",\"cursor_pos\":1e300}"},
        {"{\"msg_id\":\"z\",\"msg_type\":\"inspect_request\"}", "{}", "{}",
         "{\"cursor_pos\":99999999999999999999}"},
        {"{\"msg_id\":\"z\",\"msg_type\":\"is_complete_request\"}", "{}", "{}", "{}"},
        {"{\"msg_id\":\"h\",\"msg_type\":\"history_request\"}", "{}", "{}",
         "{\"hist_access_type\":\"range\",\"start\":-9223372036854775808,\"stop\":[]}"},
        {"{\"msg_id\":\"h\",\"msg_type\":\"history_request\"}", "{}", "{}",
         "{\"hist_access_type\":\"search\",\"pattern\":\"[\",\"n\":-1}"},
        {"{\"msg_id\":\"o\",\"msg_type\":\"comm_open\"}", "{}", "{}", "{}"},
        {"{\"msg_id\":\"o\",\"msg_type\":\"comm_msg\"}", "{}", "{}", "{\"comm_id\":[]}"},
        {"{\"msg_id\":\"o\",\"msg_type\":\"comm_close\"}", "{}", "{}", "{\"comm_id\":\"\\u0000\"}"},
        {"{\"msg_id\":\"i\",\"msg_type\":\"input_reply\"}", "{}", "{}", "{}"},
        {"{\"msg_id\":\"s\\u0000\",\"msg_type\":\"status\\u0000\"}", "{}", "{}", "{}"},
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        client_send_texts(c, SHELL, messages[i]);
        client_send_texts(c, STDIN, messages[i]);
    }
    assert_works(c);
}

static void test_lone_surrogate_in_code(void **state)
{
    client *c = *state;
    const char *const texts[4] = {"{\"msg_id\":\"u\",\"msg_type\":\"execute_request\"}", "{}", "{}",
                                  "{\"code\":\"return '\\ud83d'\"}"};
    client_send_texts(c, SHELL, texts);
    answer a = client_collect(c, "u", true);
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

static void test_deep_content(void **state)
{
    client *c = *state;
    enum { DEPTH = 200000 };
    char *deep = malloc(DEPTH + 1);
    memset(deep, '[', DEPTH);
    deep[DEPTH] = 0;
    const char *const texts[4] = {HEADER, "{}", "{}", deep};
    client_send_texts(c, SHELL, texts);
    assert_works(c);
    free(deep);
}

static void test_many_frames(void **state)
{
    client *c = *state;
    enum { FRAMES = 5000 };
    static const char *frames[FRAMES];
    static size_t lengths[FRAMES];
    for (int i = 0; i < FRAMES; i++)
        frames[i] = "";
    client_send_frames(c, SHELL, frames, lengths, FRAMES);
    assert_works(c);
}

static void *open_beside(client *c, channel beside, int type)
{
    char address[256];
    size_t size = sizeof address;
    int zero = 0;
    zmq_getsockopt(c->sockets[beside], ZMQ_LAST_ENDPOINT, address, &size);
    void *s = zmq_socket(c->context, type);
    zmq_setsockopt(s, ZMQ_LINGER, &zero, sizeof zero);
    assert_int_equal(zmq_connect(s, address), 0);
    return s;
}

/// Heartbeats are short: nobody signs them.
static void test_large_heartbeat(void **state)
{
    client *c = *state;
    static char large[1 << 20];
    void *sender = open_beside(c, HEARTBEAT, ZMQ_DEALER);
    zmq_send(sender, large, sizeof large, 0);
    zmq_pollitem_t item = {.socket = sender, .events = ZMQ_POLLIN};
    assert_int_equal(zmq_poll(&item, 1, 300), 0);
    zmq_close(sender);
    zmq_send(c->sockets[HEARTBEAT], "ping", 4, 0);
    item.socket = c->sockets[HEARTBEAT];
    assert_int_equal(zmq_poll(&item, 1, client_patience()), 1);
}

/// Who subscribes to everything one by one keeps no front end out.
static void test_many_subscriptions(void **state)
{
    client *c = *state;
    void *greedy = open_beside(c, IOPUB, ZMQ_XSUB);
    for (int i = 0; i < 20000; i++) {
        char topic[32];
        zmq_send(greedy, topic, (size_t)snprintf(topic, sizeof topic, "\1topic %d", i), 0);
    }
    assert_works(c);
    void *late = client_subscribe(c, 0); // is welcomed
    assert_works(c);
    zmq_close(late);
    zmq_close(greedy);
}

/// Subscriptions that are no text, and messages to a socket that only publishes.
static void test_iopub_junk(void **state)
{
    client *c = *state;
    void *junk = open_beside(c, IOPUB, ZMQ_XSUB);
    zmq_send(junk, "\1\xFF\xFE", 3, 0);
    zmq_send(junk, "\2", 1, 0);
    zmq_send(junk, "", 0, 0);
    zmq_send(junk, "\1a", 2, ZMQ_SNDMORE);
    zmq_send(junk, "\1b", 2, 0);
    zmq_send(junk, "\0never", 6, 0);
    assert_works(c);
    zmq_close(junk);
}

/// Any frames at all: seeded, so that a failure comes again.
static void test_random_frames(void **state)
{
    client *c = *state;
    unsigned seed = 12345;
    for (int i = 0; i < 3000; i++) {
        char bytes[8][64];
        const char *frames[8];
        size_t lengths[8], count = 1 + seed % 8;
        for (size_t f = 0; f < count; f++) {
            seed = seed * 1103515245 + 12345;
            lengths[f] = (seed >> 16) % 64;
            for (size_t b = 0; b < lengths[f]; b++)
                bytes[f][b] = (char)((seed = seed * 1103515245 + 12345) >> 16);
            frames[f] = (seed >> 8) % 4 ? bytes[f] : "<IDS|MSG>";
            lengths[f] = frames[f] == bytes[f] ? lengths[f] : 9;
        }
        client_send_frames(c, i % 2 ? SHELL : CONTROL, frames, lengths, count);
    }
    assert_works(c);
}

int probe_malformed(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_frames),
        PROBE(test_signed_nonsense),
        PROBE(test_lone_surrogate_in_code),
        PROBE(test_deep_content),
        PROBE(test_many_frames),
        PROBE(test_large_heartbeat),
        PROBE(test_many_subscriptions),
        PROBE(test_iopub_junk),
        PROBE(test_random_frames),
    };
    return cmocka_run_group_tests_name("malformed", tests, NULL, NULL);
}
