// Files are read to their end, whatever they are.
#include "metrics/base/file.h"

#include "metrics/base/newfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_to_their_end),
        cmocka_unit_test(files_without_a_size_are_read),
        cmocka_unit_test(errors_name_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
