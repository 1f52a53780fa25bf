// What is written for other tools keeps its numbers whatever functions are called, and the real
// tools read it, where they are installed.
#include "metrics/base/buf.h"
#include "metrics/profile/write/profile_write.h"
#include "tests/support/folder.h"
#include "tests/support/profile/made_profile.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"

/// Functions in a chain with 1 ms, 2 ms, ... of their own.
static const char hostile[] =
    "{\"$schema\":\"speedscope\",\"shared\":{\"frames\":[{\"name\":\"(3) x\",\"file\":\"(2)\"},"
    "{\"name\":\"\"},{\"name\":\"a => b\"},{\"name\":\" lead\"},{\"name\":\"x;y\"},"
    "{\"name\":\"q\\\"q\"},{\"name\":\"n\\nl\",\"file\":\"f\\n.py\"},{\"name\":\"fn=(1)\"},"
    "{\"name\":\"calls=3 4\"},{\"name\":\"\\u00fc\\ud83d\\ude00\"}]},\"profiles\":[{\"type\":"
    "\"sampled\",\"name\":\"p\",\"unit\":\"milliseconds\",\"samples\":[[0],[0,1],[0,1,2],"
    "[0,1,2,3],[0,1,2,3,4],[0,1,2,3,4,5],[0,1,2,3,4,5,6],[0,1,2,3,4,5,6,7],"
    "[0,1,2,3,4,5,6,7,8],[0,1,2,3,4,5,6,7,8,9]],\"weights\":[1,2,3,4,5,6,7,8,9,10]}]}";

enum { HOSTILE = 10 };

static pj_profile *written_as(pj_profile *profile, const char *suffix, pj_buf *bytes)
{
    pj_err err = {0};
    const pj_profile_writer *writer = pj_profile_writer_of(pj_str_of(suffix));
    assert_non_null(writer);
    if (!writer->write(profile, &(pj_job){.stop = NULL}, bytes, &err))
        fail_msg("%s", err.text);
    pj_profile *again = read_profile_bytes("again", pj_buf_str(bytes), &err);
    if (!again)
        fail_msg("%s: %s", suffix, err.text);
    return again;
}

static profile_totals totals_of(const pj_profile *p, const char *key, const char *name)
{
    if (p->shape == PJ_SHAPE_TREE)
        return profile_totals_at(p, key, 0, name);
    uint32_t region = region_called(p, pj_str_of(name), NULL);
    assert_int_not_equal(region, PJ_NO_ITEM);
    return (profile_totals){
        .exclusive = profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, key, region, 0),
        .inclusive = profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, key, region, 0)};
}

/// Names as a format can tell them, in the order of the times.
static void hostile_names(void **state)
{
    (void)state;
    static const struct {
        const char *suffix, *key;
        double unit;
        const char *names[HOSTILE];
    } rows[] = {
        {"callgrind",
         "ns",
         1e6,
         {"(3) x", "???", "a => b", "lead", "x;y", "q\"q", "n l", "fn=(1)", "calls=3 4",
          "\u00fc\U0001F600"}},
        {"collapsed",
         "samples",
         1e3,
         {"(3) x", "???", "a => b", "lead", "x,y", "q\"q", "n l", "fn=(1)", "calls=3 4",
          "\u00fc\U0001F600"}},
        {"ppk",
         "time",
         1e-3,
         {"(3) x", "???", "a -> b", "lead", "x;y", "q\"q", "n l", "fn=(1)", "calls=3 4",
          "\u00fc\U0001F600"}},
        {"speedscope.json",
         "time",
         1e-3,
         {"(3) x", "", "a => b", " lead", "x;y", "q\"q", "n\nl", "fn=(1)", "calls=3 4",
          "\u00fc\U0001F600"}},
    };
    pj_err err = {0};
    pj_auto_profile first = read_profile_bytes("x.json", pj_str_of(hostile), &err);
    assert_non_null(first);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_buf bytes = {.at = NULL};
        pj_auto_profile again = written_as(first, rows[i].suffix, &bytes);
        double below = 0;
        for (uint32_t n = HOSTILE; n-- > 0;) {
            profile_totals is = totals_of(again, rows[i].key, rows[i].names[n]);
            below += (n + 1) * rows[i].unit;
            same_value(is.exclusive, (n + 1) * rows[i].unit);
            same_value(is.inclusive, below);
        }
    }
}

/// Runs a command; its output, or skips the test when the program is not there.
static void output_of(const char *command, pj_buf *out)
{
    enum { NOT_FOUND = 127 };
    char part[4096];
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    for (size_t got; (got = fread(part, 1, sizeof part, pipe)) > 0;)
        pj_buf_add(out, (pj_str){part, got});
    int status = pclose(pipe);
    if (WEXITSTATUS(status) == NOT_FOUND) {
        print_message("skipped: %s is not installed\n", command);
        skip();
    }
    assert_int_equal(status, 0);
}

static const char *write_file(const char *name, const pj_buf *bytes)
{
    const char *path = folder_file(name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes->at, 1, bytes->len, out), bytes->len);
    assert_int_equal(fclose(out), 0);
    return path;
}

static void as_python_reads(void **state)
{
    (void)state;
    pj_auto_buf bytes = {.at = NULL}, command = {.at = NULL}, said = {.at = NULL};
    pj_auto_profile first = read_profile_file(SAMPLES "pstats/small.prof");
    pj_auto_profile again = written_as(first, "pstats", &bytes);
    assert_non_null(again);
    const char *path = write_file("x.pstats", &bytes);
    pj_buf_addf(&command,
                "python3 -c 'import pstats; s = pstats.Stats(\"%s\"); print(s.total_calls, "
                "s.prim_calls, \"%%.3f\" %% s.total_tt, len(s.stats), max(v[3] for v in "
                "s.stats.values()))' 2>/dev/null",
                path);
    output_of(command.at, &said);
    unlink(path);
    assert_string_equal(said.at, "19 12 4.000 4 4.0\n");
}

static void as_callgrind_annotate_reads(void **state)
{
    (void)state;
    pj_auto_buf bytes = {.at = NULL}, command = {.at = NULL}, said = {.at = NULL};
    pj_err err = {0};
    pj_auto_profile first = read_profile_bytes("x.json", pj_str_of(hostile), &err);
    pj_auto_profile again = written_as(first, "callgrind", &bytes);
    assert_non_null(again);
    const char *path = write_file("x.callgrind", &bytes);
    pj_buf_addf(&command, "callgrind_annotate --inclusive=yes %s 2>/dev/null", path);
    output_of(command.at, &said);
    unlink(path);
    assert_non_null(strstr(said.at, "55,000,000 (100.0%)"));
    assert_non_null(strstr(said.at, "(2):(3) x"));
    assert_non_null(strstr(said.at, "49,000,000 (89.09%)  ???:lead"));
}

static void an_interrupt_ends_every_writer(void **state)
{
    (void)state;
    static const made_shape shapes[] = {MADE_GRAPH, MADE_TREE};
    atomic_bool stop;
    pj_job job = {.stop = &stop};
    for (size_t s = 0; s < 2; s++) {
        pj_auto_profile p = made_profile((made_profile_opts){shapes[s], 300, 3, true, true, true});
        for (size_t i = 0; pj_profile_suffixes[i]; i++) {
            const pj_profile_writer *writer =
                pj_profile_writer_of(pj_str_of(pj_profile_suffixes[i]));
            pj_auto_buf whole = {0}, part = {0};
            pj_err err = {.code = PJ_E_NONE};
            atomic_store(&stop, false);
            if (!writer->write(p, &job, &whole, &err)) {
                assert_int_equal(err.code, PJ_E_MISSING); // call paths
                continue;
            }
            atomic_store(&stop, true);
            assert_false(writer->write(p, &job, &part, &err));
            assert_int_equal(err.code, PJ_E_STOPPED);
            assert_true(part.len < whole.len);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_ends_every_writer),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(as_python_reads),
        cmocka_unit_test(as_callgrind_annotate_reads),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
