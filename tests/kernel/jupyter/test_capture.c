// What is printed to the descriptors comes out in order, of the right request, and never blocks.
#include "kernel/jupyter/capture.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bench {
    pthread_mutex_t lock;
    pj_buf text; // "o:..." and "e:..." as they came
    size_t bytes;
    pj_request *last;
    atomic_int delay;
    atomic_bool odd; // asked for the delay of nothing
    pj_capture *capture;
    pthread_t thread;
} bench;

static void sink(void *self, pj_request *parent, pj_stream stream, pj_str text)
{
    bench *b = self;
    pthread_mutex_lock(&b->lock);
    pj_buf_puts(&b->text, stream == PJ_STDERR ? "e:" : "o:");
    pj_buf_add(&b->text, pj_str_head(text, 100));
    b->bytes += text.len;
    b->last = parent;
    pthread_mutex_unlock(&b->lock);
}

static size_t bytes_of(bench *b)
{
    pthread_mutex_lock(&b->lock);
    size_t bytes = b->bytes;
    pthread_mutex_unlock(&b->lock);
    return bytes;
}

static int delay(void *self, bool stream)
{
    bench *b = self;
    if (!stream)
        atomic_store(&b->odd, true);
    return atomic_load(&b->delay);
}

static void *run(void *context)
{
    pj_capture_run(((bench *)context)->capture);
    return NULL;
}

static void open_bench(bench *b)
{
    *b = (bench){0};
    pthread_mutex_init(&b->lock, NULL);
    b->capture = pj_capture_new((pj_capture_sink){b, sink, delay});
    assert_non_null(b->capture);
}

static void start(bench *b)
{
    assert_int_equal(pthread_create(&b->thread, NULL, run, b), 0);
}

static void finish(bench *b)
{
    pj_capture_end(b->capture);
    pthread_join(b->thread, NULL);
    assert_false(atomic_load(&b->odd));
}

/// The descriptors are the test's own again from here on.
static void close_bench(bench *b)
{
    pj_capture_free(b->capture);
    b->capture = NULL;
}

static void free_bench(bench *b)
{
    pj_buf_free(&b->text);
    pthread_mutex_destroy(&b->lock);
}

static pj_request *new_request(void)
{
    pj_request *request = pj_take_memory(sizeof *request);
    *request = (pj_request){0};
    atomic_init(&request->owners, 1);
    return request;
}

static void print_text(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        abort();
}

static void test_order_and_streams(void **state)
{
    (void)state;
    bench b;
    open_bench(&b);
    printf("library");
    pj_capture_settle(b.capture, NULL);
    print_text(2, "raw");
    pj_capture_settle(b.capture, NULL);
    fprintf(stderr, "error");
    pj_capture_settle(b.capture, NULL);
    int child = system("echo child");
    pj_capture_settle(b.capture, NULL);
    close_bench(&b);
    assert_int_equal(child, 0);
    assert_string_equal(b.text.at, "o:librarye:rawe:erroro:child\n");
    free_bench(&b);
}

/// What was printed before the request changed belongs to the one before.
static void test_parent(void **state)
{
    (void)state;
    bench b;
    pj_request *first = new_request(), *second = new_request();
    open_bench(&b);
    pj_capture_settle(b.capture, first);
    print_text(1, "x");
    pj_capture_settle(b.capture, second);
    pj_request *was = b.last;
    pj_capture_say(b.capture, "notice");
    pj_request *is = b.last;
    close_bench(&b);
    assert_ptr_equal(was, first);
    assert_ptr_equal(is, second);
    assert_string_equal(b.text.at, "o:xe:notice");
    pj_request_drop(first);
    pj_request_drop(second);
    free_bench(&b);
}

/// More than a pipe holds, printed by the thread that would have to drain it.
static void test_full_pipe_does_not_block(void **state)
{
    (void)state;
    enum { BLOCKS = 600, SIZE = 10000 };
    static char block[SIZE];
    memset(block, 'x', SIZE);
    bench b;
    open_bench(&b);
    start(&b);
    for (int i = 0; i < BLOCKS; i++)
        fwrite(block, 1, SIZE, i % 2 ? stdout : stderr);
    pj_capture_settle(b.capture, NULL);
    finish(&b);
    close_bench(&b);
    assert_int_equal(b.bytes, BLOCKS * SIZE);
    free_bench(&b);
}

/// Without room nothing is taken from the pipe: who prints waits, here a child.
static void test_no_room(void **state)
{
    (void)state;
    bench b;
    open_bench(&b);
    atomic_store(&b.delay, 5);
    start(&b);
    print_text(1, "waits");
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    size_t before = bytes_of(&b);
    atomic_store(&b.delay, 0);
    size_t after = before;
    for (int i = 0; i < 1000 && !after; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        after = bytes_of(&b);
    }
    finish(&b);
    close_bench(&b);
    assert_int_equal(before, 0);
    assert_int_equal(after, 5);
    free_bench(&b);
}

/// A child that prints without end holds up neither a settling nor the end.
static void test_endless_child(void **state)
{
    (void)state;
    bench b;
    open_bench(&b);
    start(&b);
    FILE *child = popen("yes >&2", "r");
    assert_non_null(child);
    while (!bytes_of(&b))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int i = 0; i < 20; i++)
        pj_capture_settle(b.capture, NULL);
    finish(&b);
    close_bench(&b);
    pclose(child); // the pipe is gone: it ends by a signal
    free_bench(&b);
}

static void test_descriptors_come_back(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    int before = dup(1);
    assert_true(dup2(fileno(file), 1) == 1);
    bench b;
    open_bench(&b);
    print_text(1, "captured");
    pj_capture_settle(b.capture, NULL);
    close_bench(&b);
    print_text(1, "plain");
    dup2(before, 1);
    close(before);
    char text[32] = "";
    rewind(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), 5);
    assert_string_equal(text, "plain");
    fclose(file);
    assert_string_equal(b.text.at, "o:captured");
    free_bench(&b);
}

/// Without descriptors nothing is captured and everything goes on.
static void test_absent_capture(void **state)
{
    (void)state;
    pj_capture_settle(NULL, NULL);
    pj_capture_say(NULL, "x");
    pj_capture_run(NULL);
    pj_capture_end(NULL);
    pj_capture_free(NULL);
    assert_int_equal(pj_capture_log(NULL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_streams),
        cmocka_unit_test(test_parent),
        cmocka_unit_test(test_full_pipe_does_not_block),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_endless_child),
        cmocka_unit_test(test_descriptors_come_back),
        cmocka_unit_test(test_absent_capture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
