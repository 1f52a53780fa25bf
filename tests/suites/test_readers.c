// Every reader of readers.def gets damaged input: each truncation of a small trace, seeded cuts and
// flips of a larger one. It must say so or read on, and with 4 workers as with 1.
#include "metrics/base/buf.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/read/reader.h"
#include "metrics/replay/replay.h"
#include "metrics/stat/bracket.h"
#include "metrics/stat/useful.h"
#include "tests/support/packed.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/same_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

/// Good input of a format: `small` below 4 kB, `large` of several blocks.
typedef struct good_input {
    const char *reader;
    void (*small)(pj_buf *out);
    void (*large)(pj_buf *out);
} good_input;

static void write_model(pj_buf *out, uint32_t ranks, uint32_t threads, uint32_t iterations)
{
    pj_model_app app = {.ranks = ranks,
                        .threads = threads,
                        .iterations = iterations,
                        .openmp = threads > 1,
                        PJ_MODEL_COSTS};
    pj_trace_writer *writer = pj_model_write(&app);
    pj_trace_writer_prv(writer, out);
    pj_trace_writer_free(writer);
}

static void small_prv(pj_buf *out)
{
    write_model(out, 2, 1, 1);
}

static void large_prv(pj_buf *out)
{
    write_model(out, 4, 2, 40);
}

static const good_input samples[] = {{"prv", small_prv, large_prv}};

/// The next reader of a single text of events from `*i` on; archives and summaries have tests of
/// their own.
static const pj_reader *next_reader(unsigned *i)
{
    const pj_reader *reader = pj_reader_at(*i);
    while (reader && (reader->several || reader->gives != PJ_GIVES_EVENTS))
        reader = pj_reader_at(++*i);
    return reader;
}

static const good_input *sample_of(const pj_reader *reader)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (pj_str_equal(pj_str_of(samples[i].reader), pj_str_of(reader->name)))
            return &samples[i];
    fail_msg("no sample of the format %s", reader->name);
    return NULL;
}

/// What came of reading: a run, or why not.
typedef struct outcome {
    pj_run *run;
    pj_err err;
    pj_bracket bracket;
} outcome;

static outcome read_once(pj_str bytes, unsigned workers)
{
    enum { BUDGET = 256 << 20 };
    outcome out = {.err = {.code = PJ_E_NONE}};
    pj_job job = {.workers = workers, .memory_budget = BUDGET};
    pj_sink sinks[] = {pj_useful_sink(), pj_bracket_sink(&out.bracket),
                       pj_replay_sink((pj_replay_opts){.job = &job})};
    enum { SINKS = sizeof sinks / sizeof *sinks };
    pj_pass pass = {.run = pj_run_new("memory"), .sinks = sinks, .sink_count = SINKS, .job = &job};
    if (pj_read_memory("memory", bytes, &pass, &out.err))
        out.run = pj_run_hold(pass.run);
    for (size_t i = 0; i < SINKS; i++)
        sinks[i].close(sinks[i].self);
    pj_run_release(pass.run);
    free(pass.disorder);
    free(pass.learnt);
    return out;
}

/// Reads `bytes` with 1 and with 4 workers; whether they could be read.
static bool read_alike(pj_str bytes)
{
    outcome one = read_once(bytes, 1), four = read_once(bytes, 4);
    bool read = one.run != NULL;
    assert_int_equal(read, four.run != NULL);
    assert_int_equal(one.err.code, four.err.code);
    assert_string_equal(one.err.text, four.err.text);
    assert_int_equal(one.err.line, four.err.line);
    if (read)
        same_runs(one.run, four.run);
    else
        assert_true(one.err.code != PJ_E_NONE && one.err.text[0]);
    pj_run_release(one.run);
    pj_run_release(four.run);
    return read;
}

/// Copies the bytes, so that memory checkers see reads behind them.
static bool read_copy_alike(pj_str bytes)
{
    char *copy = malloc(bytes.len ? bytes.len : 1);
    assert_non_null(copy);
    if (bytes.len)
        memcpy(copy, bytes.at, bytes.len);
    bool read = read_alike((pj_str){copy, bytes.len});
    free(copy);
    return read;
}

static void good_input_is_read(void **state)
{
    (void)state;
    for (unsigned i = 0; next_reader(&i); i++) {
        const good_input *sample = sample_of(pj_reader_at(i));
        pj_auto_buf small = {.at = NULL}, large = {.at = NULL}, packed = {.at = NULL};
        sample->small(&small);
        sample->large(&large);
        assert_true(small.len < 4096);
        assert_true(large.len > PJ_BLOCK_BYTES);
        assert_true(read_copy_alike(pj_buf_str(&small)));
        assert_true(read_copy_alike(pj_buf_str(&large)));
        packed_gzip(&packed, pj_buf_str(&large));
        assert_true(read_copy_alike(pj_buf_str(&packed)));
    }
}

static void each_truncation(void **state)
{
    (void)state;
    for (unsigned i = 0; next_reader(&i); i++) {
        pj_auto_buf text = {.at = NULL}, packed = {.at = NULL};
        sample_of(pj_reader_at(i))->small(&text);
        packed_gzip(&packed, pj_buf_str(&text));
        for (size_t n = 0; n <= text.len; n++)
            read_copy_alike((pj_str){text.at, n});
        for (size_t n = 0; n <= packed.len; n++)
            read_copy_alike((pj_str){packed.at, n});
    }
}

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/// A copy of `good` with some bytes flipped, cut out or doubled.
static void damage(pj_buf *out, pj_str good, uint32_t *seed)
{
    static const char digits[] = "0123456789:\n-";
    size_t cut = noise(seed) % good.len, length = noise(seed) % 200;
    out->len = 0;
    pj_buf_add(out, pj_str_head(good, cut));
    if (noise(seed) % 2)
        pj_buf_add(out, pj_str_from(good, cut + length));
    else
        pj_buf_add(out, pj_str_from(good, cut > length ? cut - length : 0));
    for (unsigned i = noise(seed) % 20; i > 0; i--) {
        size_t at = noise(seed) % (noise(seed) % 4 ? out->len : 200);
        out->at[at] =
            (char)(noise(seed) % 3 ? digits[noise(seed) % (sizeof digits - 1)] : (char)noise(seed));
    }
    if (noise(seed) % 8 == 0)
        out->len = noise(seed) % out->len;
}

static void seeded_damage(void **state)
{
    (void)state;
    const unsigned rounds = pj_rounds(250, 5000); // each of them plain and packed
    for (unsigned i = 0; next_reader(&i); i++) {
        pj_auto_buf text = {.at = NULL}, packed = {.at = NULL}, bad = {.at = NULL};
        sample_of(pj_reader_at(i))->large(&text);
        packed_gzip(&packed, pj_buf_str(&text));
        uint32_t seed = 5;
        unsigned read = 0;
        for (unsigned round = 0; round < rounds; round++) {
            damage(&bad, pj_buf_str(&text), &seed);
            read += read_copy_alike(pj_buf_str(&bad));
            damage(&bad, pj_buf_str(&packed), &seed);
            read += read_copy_alike(pj_buf_str(&bad));
        }
        assert_true(read > rounds / 2);
    }
}

static void a_tiny_budget_ends_in_an_error_or_a_result(void **state)
{
    (void)state;
    for (unsigned i = 0; next_reader(&i); i++) {
        pj_auto_buf text = {.at = NULL};
        sample_of(pj_reader_at(i))->large(&text);
        pj_job job = {.workers = 2, .memory_budget = 100};
        pj_err err = {.code = PJ_E_NONE};
        pj_run *run = pj_run_new("memory");
        pj_pass pass = {.run = run, .job = &job};
        if (!pj_read_memory("memory", pj_buf_str(&text), &pass, &err))
            assert_int_equal(err.code, PJ_E_MEMORY);
        free(pass.disorder);
        free(pass.learnt);
        pj_run_release(run);
    }
}

static void unknown_input_names_the_formats(void **state)
{
    (void)state;
    static const pj_str cases[] = {{"hello", 5}, {"\0\0\0\0", 4}, {"PK\3\4", 4}, {"\n\n\n", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome out = read_once(cases[i], 1);
        assert_null(out.run);
        assert_int_equal(out.err.code, PJ_E_FORMAT);
        for (unsigned r = 0; pj_reader_at(r); r++)
            if (pj_reader_gives_trace(pj_reader_at(r)))
                assert_non_null(strstr(out.err.text, pj_reader_at(r)->title));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_input_is_read),
        cmocka_unit_test(each_truncation),
        cmocka_unit_test(seeded_damage),
        cmocka_unit_test(a_tiny_budget_ends_in_an_error_or_a_result),
        cmocka_unit_test(unknown_input_names_the_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
