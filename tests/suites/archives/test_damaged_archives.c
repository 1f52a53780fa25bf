// OTF2 archives that are cut, flipped or incomplete: read as far as they go or refused with a
// reason, alike with one worker and with three.
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/file.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/same_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BASE PJ_BINARY_DIR "/damaged_archive"
#define ANCHOR BASE ".otf2"

static void write_good(void)
{
    const pj_model_app app = {
        .ranks = 2, .threads = 2, .iterations = 2, .openmp = true, PJ_MODEL_COSTS};
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, ANCHOR, (pj_otf2_style){.clock_step = 1000}, &err))
        fail_msg("%s", err.text);
}

typedef struct outcome {
    pj_run *run;
    pj_err err;
} outcome;

static outcome load(unsigned workers)
{
    enum { BUDGET = 256 << 20 };
    outcome out = {.run = NULL};
    pj_job job = {.workers = workers, .memory_budget = BUDGET};
    out.run = pj_load(ANCHOR, (pj_load_opts){0}, &job, &out.err);
    return out;
}

/// Whether the archive as it is now can be read.
static bool read_alike(void)
{
    outcome one = load(1), three = load(3);
    bool read = one.run != NULL;
    assert_int_equal(read, three.run != NULL);
    assert_int_equal(one.err.code, three.err.code);
    assert_string_equal(one.err.text, three.err.text);
    if (read)
        same_runs(one.run, three.run);
    else
        assert_true(one.err.code != PJ_E_NONE && one.err.text[0]);
    pj_run_release(one.run);
    pj_run_release(three.run);
    return read;
}

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void damage(pj_buf *bytes, uint32_t *seed)
{
    if (noise(seed) % 3 == 0) {
        bytes->len = noise(seed) % bytes->len;
        return;
    }
    for (unsigned i = 1 + noise(seed) % 4; i > 0; i--)
        bytes->at[noise(seed) % bytes->len] = (char)(noise(seed) % 2   ? noise(seed)
                                                     : noise(seed) % 2 ? 0xff
                                                                       : 0);
}

static void damage_of_any_file_is_survived(void **state)
{
    (void)state;
    static const char *const files[] = {ANCHOR,        BASE ".def",   BASE "/0.def",
                                        BASE "/1.def", BASE "/0.evt", BASE "/2.evt"};
    const unsigned rounds = pj_rounds(40, 1000);
    write_good();
    assert_true(read_alike());
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        pj_auto_buf good = {.at = NULL};
        assert_true(pj_file_read(files[f], &good, NULL));
        uint32_t seed = 7;
        for (unsigned round = 0; round < rounds; round++) {
            pj_auto_buf bad = {.at = NULL};
            pj_buf_add(&bad, pj_buf_str(&good));
            damage(&bad, &seed);
            assert_true(pj_trace_writer_file(files[f], pj_buf_str(&bad), NULL));
            read_alike();
        }
        assert_true(pj_trace_writer_file(files[f], pj_buf_str(&good), NULL));
        assert_true(read_alike());
    }
    pj_otf2_writer_remove(ANCHOR);
}

static void cut_events_count_as_far_as_they_go(void **state)
{
    (void)state;
    write_good();
    outcome whole = load(1);
    pj_auto_buf good = {.at = NULL};
    assert_true(pj_file_read(BASE "/0.evt", &good, NULL));
    assert_true(
        pj_trace_writer_file(BASE "/0.evt", pj_str_head(pj_buf_str(&good), good.len / 2), NULL));
    outcome cut = load(2);
    assert_non_null(cut.run);
    assert_int_equal(cut.run->import.count[PJ_IMPORT_damaged_location], 1);
    assert_true(cut.run->events < whole.run->events);
    assert_true(cut.run->totals[0].useful_ns < whole.run->totals[0].useful_ns);
    assert_int_equal(cut.run->totals[3].useful_ns, whole.run->totals[3].useful_ns);
    pj_run_release(whole.run);
    pj_run_release(cut.run);
    pj_otf2_writer_remove(ANCHOR);
}

static void missing_files_are_told(void **state)
{
    (void)state;
    write_good();
    assert_int_equal(unlink(BASE "/1.evt"), 0);
    assert_int_equal(unlink(BASE "/3.def"), 0);
    outcome out = load(1);
    assert_non_null(out.run);
    assert_int_equal(out.run->import.count[PJ_IMPORT_missing_location], 1);
    assert_int_equal(out.run->import.count[PJ_IMPORT_local_definitions], 1);
    pj_run_release(out.run);
    static const char *const rest[] = {BASE "/0.evt", BASE "/2.evt", BASE "/3.evt"};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(unlink(rest[i]), 0);
    out = load(1);
    assert_null(out.run);
    assert_non_null(strstr(out.err.text, "holds no events"));
    assert_int_equal(unlink(BASE ".def"), 0);
    out = load(1);
    assert_null(out.run);
    assert_non_null(strstr(out.err.text, ".def"));
    assert_int_equal(rename(BASE, BASE ".moved"), 0);
    out = load(1);
    assert_null(out.run);
    assert_non_null(strstr(out.err.text, "not beside its anchor"));
    assert_int_equal(rename(BASE ".moved", BASE), 0);
    pj_otf2_writer_remove(ANCHOR);
}

/// libotf2 is built without SION and zlib in Debian: it cannot write such archives either, but it
/// looks at these bytes before all others.
static void packed_archives_say_what_they_need(void **state)
{
    (void)state;
    static const struct {
        long at;
        const char *says;
    } packings[] = {{28, "is in SION files"}, {29, "is compressed with zlib"}};
    for (size_t i = 0; i < 2; i++) {
        write_good();
        FILE *anchor = fopen(ANCHOR, "r+b");
        assert_non_null(anchor);
        assert_int_equal(fseek(anchor, packings[i].at, SEEK_SET), 0);
        assert_int_equal(fputc(2, anchor), 2);
        assert_int_equal(fclose(anchor), 0);
        outcome out = load(1);
        assert_null(out.run);
        assert_int_equal(out.err.code, PJ_E_MISSING);
        assert_non_null(strstr(out.err.text, packings[i].says));
    }
    pj_otf2_writer_remove(ANCHOR);
}

static void a_tiny_budget_ends_in_an_error_or_a_result(void **state)
{
    (void)state;
    write_good();
    pj_err err = {0};
    pj_job job = {.workers = 2, .memory_budget = 100};
    pj_run *run = pj_load(ANCHOR, (pj_load_opts){0}, &job, &err);
    if (!run)
        assert_int_equal(err.code, PJ_E_MEMORY);
    pj_run_release(run);
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_of_any_file_is_survived),
        cmocka_unit_test(cut_events_count_as_far_as_they_go),
        cmocka_unit_test(missing_files_are_told),
        cmocka_unit_test(packed_archives_say_what_they_need),
        cmocka_unit_test(a_tiny_budget_ends_in_an_error_or_a_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
