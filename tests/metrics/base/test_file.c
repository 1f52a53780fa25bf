// Files are read to their end, whatever they are.
#include "metrics/base/file.h"

#include "metrics/base/newfile.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PATH PJ_BINARY_DIR "/whole.bin"

static void files_are_read_to_their_end(void **state)
{
    (void)state;
    pj_auto_buf bytes = {.at = NULL}, read = {.at = NULL};
    for (unsigned i = 0; i < 200000; i++)
        pj_buf_add_char(&bytes, (char)(i * 7));
    assert_true(pj_newfile_put(PATH, pj_buf_str(&bytes), NULL));
    pj_buf_puts(&read, "before");
    assert_true(pj_file_read(PATH, &read, NULL));
    assert_int_equal(read.len, 6 + bytes.len);
    assert_memory_equal(read.at, "before", 6);
    assert_memory_equal(read.at + 6, bytes.at, bytes.len);
    unlink(PATH);
}

static void files_without_a_size_are_read(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_file_read("/proc/self/status", &text, NULL));
    assert_true(pj_str_contains(pj_buf_str(&text), PJ_S("Threads:")));
    text.len = 0;
    assert_true(pj_file_read("/dev/null", &text, NULL));
    assert_int_equal(text.len, 0);
}

static void errors_name_the_file(void **state)
{
    (void)state;
    static const char *const paths[] = {"/no/such/file", "/tmp"};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_buf text = {.at = NULL};
        pj_err err = {.code = PJ_E_NONE};
        assert_false(pj_file_read(paths[i], &text, &err));
        assert_int_equal(err.code, PJ_E_IO);
        assert_string_equal(err.where, paths[i]);
    }
}

static void *write_late(void *pipe)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    int fd = open(pipe, O_WRONLY);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write(fd, "line\n", 5), 5);
        nanosleep(&(struct timespec){.tv_nsec = 15000000}, NULL);
    }
    close(fd);
    return NULL;
}

static void pipes_are_awaited(void **state)
{
    (void)state;
    pthread_t writer;
    char named[] = PATH;
    pj_auto_buf text = {.at = NULL};
    char inherited[64];
    int ends[2];
    assert_int_equal(mkfifo(PATH, 0600), 0);
    assert_int_equal(pthread_create(&writer, NULL, write_late, named), 0);
    assert_true(pj_file_await(PATH, NULL, &text, NULL));
    pthread_join(writer, NULL);
    assert_string_equal(text.at, "line\nline\nline\n");
    unlink(PATH);
    // What a shell hands over by number may have ended before it is looked at.
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    snprintf(inherited, sizeof inherited, "/dev/fd/%d", ends[0]);
    text.len = 0;
    assert_true(pj_file_await(inherited, NULL, &text, NULL));
    assert_int_equal(text.len, 0);
    close(ends[0]);
}

static void *stop_late(void *flag)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    atomic_store((atomic_bool *)flag, true);
    return NULL;
}

static void an_interrupt_ends_the_wait(void **state)
{
    (void)state;
    pthread_t other;
    atomic_bool stop = false;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_buf text = {.at = NULL};
    assert_int_equal(mkfifo(PATH, 0600), 0);
    assert_int_equal(pthread_create(&other, NULL, stop_late, &stop), 0);
    assert_false(pj_file_await(PATH, &stop, &text, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    pthread_join(other, NULL);
    unlink(PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_to_their_end),
        cmocka_unit_test(files_without_a_size_are_read),
        cmocka_unit_test(errors_name_the_file),
        cmocka_unit_test(pipes_are_awaited),
        cmocka_unit_test(an_interrupt_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
