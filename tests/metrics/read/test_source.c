// Blocks of whole lines from files, pipes and memory, plain and gzip; damaged input.
#include "metrics/read/source.h"

#include "metrics/base/buf.h"
#include "metrics/base/pool.h"
#include "tests/support/packed.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

/// Numbered lines, some of them empty.
static void add_lines(pj_buf *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pj_buf_addf(out, i % 7 ? "line %u of a text that is read in blocks\n" : "\n", i);
}

/// All text of the source. Every block ends with a newline and lies where it says.
static void read_all(pj_source *source, pj_buf *out, unsigned *dropped)
{
    pj_block block = {.memory = NULL};
    pj_err err = {.code = PJ_E_NONE};
    *dropped = 0;
    while (pj_source_next(source, &block, &err)) {
        if (block.dropped) {
            (*dropped)++;
            continue;
        }
        assert_true(block.len > 0);
        assert_int_equal(block.text[block.len - 1], '\n');
        if (!*dropped)
            assert_int_equal(block.offset, out->len);
        pj_buf_add(out, (pj_str){block.text, block.len - block.unended});
    }
    assert_int_equal(err.code, PJ_E_NONE);
    pj_block_free(&block);
}

static void expect_text(pj_str stored, pj_str text)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("memory", stored, &job, &err);
    if (!source)
        fail_msg("%s", err.text);
    assert_true(pj_str_starts(text, pj_source_head(source)));
    pj_auto_buf read = {.at = NULL};
    unsigned dropped;
    read_all(source, &read, &dropped);
    assert_int_equal(dropped, 0);
    assert_true(pj_str_equal(pj_buf_str(&read), text));
    assert_int_equal(pj_source_facts_of(source).text_bytes, text.len);
    assert_null(pj_source_facts_of(source).damage);
    pj_source_close(source);
}

static void text_comes_through_whole(void **state)
{
    (void)state;
    for (unsigned lines = 1; lines < 40000; lines = lines * 3 + 1) {
        pj_auto_buf text = {.at = NULL}, packed = {.at = NULL};
        add_lines(&text, lines);
        expect_text(pj_buf_str(&text), pj_buf_str(&text));
        packed_gzip(&packed, pj_buf_str(&text));
        expect_text(pj_buf_str(&packed), pj_buf_str(&text));
        pj_buf_puts(&text, "no newline at the end");
        expect_text(pj_buf_str(&text), pj_buf_str(&text));
    }
}

static void members_in_a_row_are_one_text(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL}, packed = {.at = NULL}, part = {.at = NULL};
    for (unsigned i = 0; i < 5; i++) {
        part.len = 0;
        add_lines(&part, 1 + i * 5000);
        pj_buf_puts(&part, "cut in");
        pj_buf_add(&text, pj_buf_str(&part));
        packed_gzip(&packed, pj_buf_str(&part));
    }
    expect_text(pj_buf_str(&packed), pj_buf_str(&text));
    pj_buf_puts(&packed, "trailing bytes that are no gzip");
    expect_text(pj_buf_str(&packed), pj_buf_str(&text));
}

static void zstd_and_utf16_are_peeled_off(void **state)
{
    (void)state;
    for (unsigned lines = 1; lines < 40000; lines = lines * 5 + 1) {
        pj_auto_buf text = {.at = NULL}, coded = {.at = NULL}, packed = {.at = NULL};
        add_lines(&text, lines);
        packed_utf16(&coded, pj_buf_str(&text));
        expect_text(pj_buf_str(&coded), pj_buf_str(&text));
        packed_gzip(&packed, pj_buf_str(&coded));
        expect_text(pj_buf_str(&packed), pj_buf_str(&text));
#ifdef PJ_HAVE_ZSTD
        packed.len = 0;
        packed_zstd(&packed, pj_buf_str(&text));
        packed_zstd(&packed, pj_buf_str(&text));
        packed_zstd(&packed, PJ_S(""));
        pj_auto_buf twice = {.at = NULL};
        pj_buf_add(&twice, pj_buf_str(&text));
        pj_buf_add(&twice, pj_buf_str(&text));
        expect_text(pj_buf_str(&packed), pj_buf_str(&twice));
#endif
    }
}

/// The mark of UTF-8 is not of the text; lines are where they are in the file.
static void the_mark_of_utf8_is_dropped(void **state)
{
    (void)state;
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("memory",
                                         PJ_S("\xef\xbb\xbf"
                                              "a\n"),
                                         &job, &err);
    assert_non_null(source);
    assert_true(pj_str_equal(pj_source_head(source), PJ_S("a\n")));
    assert_int_equal(pj_source_position(source), 3);
    pj_source_close(source);
}

/// All of `stored` in one piece, which is `text`; the job's memory is given back.
static void expect_whole(pj_str stored, pj_str text)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_str whole;
    pj_source *source = pj_source_memory("memory", stored, &job, &err);
    assert_non_null(source);
    if (!pj_source_whole(source, text.len, &whole, &err))
        fail_msg("%s", err.text);
    assert_true(pj_str_equal(whole, text));
    for (size_t i = 0; i < PJ_BLOCK_PAD; i++)
        assert_int_equal(whole.at[whole.len + i], 0);
    assert_true(job.memory_used >= text.len);
    pj_source_close(source);
    assert_int_equal(job.memory_used, 0);
}

static void all_of_it_comes_in_one_piece(void **state)
{
    (void)state;
    for (unsigned lines = 1; lines < 200000; lines = lines * 7 + 1) {
        pj_auto_buf text = {.at = NULL}, packed = {.at = NULL};
        add_lines(&text, lines);
        pj_buf_puts(&text, "no newline");
        expect_whole(pj_buf_str(&text), pj_buf_str(&text));
        packed_gzip(&packed, pj_buf_str(&text));
        expect_whole(pj_buf_str(&packed), pj_buf_str(&text));
    }
}

static void refuse_whole(pj_str stored, uint64_t most, uint64_t budget, pj_err *err)
{
    pj_job job = {.workers = 1, .memory_budget = budget};
    pj_str whole;
    *err = (pj_err){.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("x.prof", stored, &job, err);
    assert_non_null(source);
    pj_source_call(source, "cProfile profile");
    assert_false(pj_source_whole(source, most, &whole, err));
    pj_source_close(source);
    assert_int_equal(job.memory_used, 0);
}

static void what_is_too_much_in_one_piece_is_refused(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL}, packed = {.at = NULL}, zeros = {.at = NULL};
    pj_err err;
    add_lines(&text, 30000);
    refuse_whole(pj_buf_str(&text), text.len - 1, 0, &err);
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "is a damaged cProfile profile: "));
    refuse_whole(pj_buf_str(&text), text.len, 1000, &err);
    assert_int_equal(err.code, PJ_E_MEMORY);
    packed_gzip(&packed, pj_buf_str(&text));
    refuse_whole((pj_str){packed.at, packed.len / 2}, text.len, 0, &err);
    assert_int_equal(err.code, PJ_E_FORMAT);
    enum { MANY = 16 << 20 };
    memset(pj_buf_room(&zeros, MANY), 0, MANY);
    zeros.len = MANY;
    packed.len = 0;
    packed_gzip(&packed, pj_buf_str(&zeros));
    refuse_whole(pj_buf_str(&packed), MANY, 0, &err);
    assert_int_equal(err.code, PJ_E_FORMAT);
}

static void damage_says_format_place_and_what_to_do(void **state)
{
    (void)state;
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("x.prof", PJ_S("{"), &job, NULL);
    pj_source_call(source, "cProfile profile");
    assert_false(pj_source_damaged(source, (pj_spot){.at_byte = true, .offset = 12}, &err,
                                   "a string of %d bytes", 9));
    assert_string_equal(err.where, "x.prof");
    assert_string_equal(err.text, "is a damaged cProfile profile: a string of 9 bytes, at byte 12; "
                                  "copy it again or record it anew");
    err = (pj_err){.code = PJ_E_NONE};
    assert_false(pj_source_damaged(source, (pj_spot){.line = 7}, &err, "no number"));
    assert_int_equal(err.line, 7);
    pj_source_close(source);
}

/// Reads damaged gzip data: what comes is the beginning of `text`, and the damage is told.
static void expect_damage(pj_str stored, pj_str text)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("memory", stored, &job, &err);
    if (!source) {
        assert_int_equal(err.code, PJ_E_FORMAT);
        return;
    }
    pj_auto_buf read = {.at = NULL};
    unsigned dropped;
    read_all(source, &read, &dropped);
    assert_non_null(pj_source_facts_of(source).damage);
    assert_true(pj_str_starts(text, pj_buf_str(&read)));
    pj_source_close(source);
}

static void cut_gzip_gives_what_came_before(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL}, packed = {.at = NULL};
    add_lines(&text, 20000);
    packed_gzip(&packed, pj_buf_str(&text));
    for (size_t n = 2; n < packed.len; n += 1 + n / 3)
        expect_damage((pj_str){packed.at, n}, pj_buf_str(&text));
    expect_damage((pj_str){packed.at, packed.len - 1}, pj_buf_str(&text));
    packed.at[packed.len - 5] ^= 1; // the checksum
    expect_damage(pj_buf_str(&packed), pj_buf_str(&text));
}

static void lines_beyond_the_limit_are_dropped(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL};
    pj_buf_puts(&text, "before\n");
    size_t huge = (size_t)PJ_LINE_BYTES_MAX + 3 * PJ_BLOCK_BYTES;
    memset(pj_buf_room(&text, huge), 'x', huge);
    text.len += huge;
    pj_buf_puts(&text, "\nafter\n");
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("memory", pj_buf_str(&text), &job, &err);
    assert_non_null(source);
    pj_auto_buf read = {.at = NULL};
    unsigned dropped;
    read_all(source, &read, &dropped);
    assert_int_equal(dropped, 1);
    assert_true(pj_str_equal(pj_buf_str(&read), PJ_S("before\nafter\n")));
    pj_source_close(source);
}

static void bad_inputs_say_why(void **state)
{
    (void)state;
    static const struct {
        const char *path, *says;
        pj_err_code code;
    } cases[] = {{"/no/such/file.prv", "No such file", PJ_E_IO},
                 {"/", "is a folder", PJ_E_IO},
                 {"/dev/null", "is a device", PJ_E_IO}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_job job = {.workers = 1};
        pj_err err = {.code = PJ_E_NONE};
        assert_null(pj_source_open(cases[i].path, &job, &err));
        assert_int_equal(err.code, cases[i].code);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_string_equal(err.where, cases[i].path);
    }
}

static void write_fifo(void *context)
{
    FILE *file = fopen(context, "wb");
    fputs("one\ntwo\nthree\n", file);
    fclose(file);
}

static void a_pipe_is_read_once(void **state)
{
    (void)state;
    char folder[] = "/tmp/pj_sourceXXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    pj_task *writer = pj_task_start(write_fifo, path);
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_open(path, &job, &err);
    assert_non_null(source);
    pj_auto_buf read = {.at = NULL};
    unsigned dropped;
    read_all(source, &read, &dropped);
    assert_true(pj_str_equal(pj_buf_str(&read), PJ_S("one\ntwo\nthree\n")));
    assert_false(pj_source_facts_of(source).again);
    pj_source_close(source);
    pj_task_join(writer);
    unlink(path);
    rmdir(folder);
}

static void stop_soon(void *context)
{
    usleep(100000);
    atomic_store((atomic_bool *)context, true);
}

static void an_interrupt_ends_the_wait_for_a_writer(void **state)
{
    (void)state;
    char folder[] = "/tmp/pj_sourceXXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.prv", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (unsigned writer = 0; writer < 2; writer++) { // nobody, and one who writes nothing
        int end = writer ? open(path, O_RDWR | O_CLOEXEC) : -1;
        atomic_bool stop = false;
        pj_task *stopper = pj_task_start(stop_soon, &stop);
        pj_job job = {.workers = 1, .stop = &stop};
        pj_err err = {.code = PJ_E_NONE};
        assert_null(pj_source_open(path, &job, &err));
        assert_int_equal(err.code, PJ_E_STOPPED);
        pj_task_join(stopper);
        if (end >= 0)
            close(end);
    }
    unlink(path);
    rmdir(folder);
}

static void a_pipe_may_have_ended_before(void **state)
{
    (void)state;
    for (unsigned lines = 0; lines < 2; lines++) {
        int ends[2];
        char path[32];
        assert_int_equal(pipe(ends), 0);
        assert_true(!lines || write(ends[1], "one\n", 4) == 4);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        pj_job job = {.workers = 1};
        pj_err err = {.code = PJ_E_NONE};
        pj_source *source = pj_source_open(path, &job, &err);
        assert_int_equal(source != NULL, lines);
        assert_true(lines || strstr(err.text, "is empty"));
        pj_source_close(source);
        close(ends[0]);
    }
}

static void stopping_ends_the_reading(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL}, packed = {.at = NULL};
    add_lines(&text, 50000);
    packed_gzip(&packed, pj_buf_str(&text));
    atomic_bool stop = true;
    pj_job job = {.workers = 1, .stop = &stop};
    pj_err err = {.code = PJ_E_NONE};
    pj_source *source = pj_source_memory("memory", pj_buf_str(&packed), &job, &err);
    assert_non_null(source);
    pj_block block = {.memory = NULL};
    assert_false(pj_source_next(source, &block, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    pj_block_free(&block);
    pj_source_close(source);
}

static void an_early_close_ends_the_thread(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL}, packed = {.at = NULL};
    add_lines(&text, 100000);
    packed_gzip(&packed, pj_buf_str(&text));
    pj_job job = {.workers = 1};
    pj_source *source = pj_source_memory("memory", pj_buf_str(&packed), &job, NULL);
    pj_block block = {.memory = NULL};
    assert_true(pj_source_next(source, &block, NULL));
    pj_block_free(&block);
    pj_source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_comes_through_whole),
        cmocka_unit_test(members_in_a_row_are_one_text),
        cmocka_unit_test(zstd_and_utf16_are_peeled_off),
        cmocka_unit_test(the_mark_of_utf8_is_dropped),
        cmocka_unit_test(all_of_it_comes_in_one_piece),
        cmocka_unit_test(what_is_too_much_in_one_piece_is_refused),
        cmocka_unit_test(damage_says_format_place_and_what_to_do),
        cmocka_unit_test(cut_gzip_gives_what_came_before),
        cmocka_unit_test(lines_beyond_the_limit_are_dropped),
        cmocka_unit_test(bad_inputs_say_why),
        cmocka_unit_test(a_pipe_is_read_once),
        cmocka_unit_test(an_interrupt_ends_the_wait_for_a_writer),
        cmocka_unit_test(a_pipe_may_have_ended_before),
        cmocka_unit_test(stopping_ends_the_reading),
        cmocka_unit_test(an_early_close_ends_the_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
