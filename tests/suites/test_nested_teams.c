// Teams of threads within teams, in archives: their barriers are shown, and bind nobody else.
#include "metrics/analyse/load.h"
#include "metrics/stat/query.h"
#include "tests/support/trace/otf2_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ANCHOR PJ_BINARY_DIR "/nested_teams.otf2"
#define IDEAL PJ_BINARY_DIR "/nested_teams_ideal.prv"

enum { PARALLEL = 60000001, BARRIER = 60000005, FUNCTION = 60000018 };

static void interval(pj_trace_writer *trace, uint32_t thread, uint32_t type, int64_t value,
                     uint64_t begin, uint64_t end)
{
    pj_place at = {0, thread};
    pj_trace_writer_event(trace, at, begin, type, value);
    pj_trace_writer_event(trace, at, end, type, 0);
}

/// Threads 0 and 1 are a team, which meets in one barrier; thread 0 calls MPI before. Threads 1 and
/// 2 are a team of their own from 200 to 700, and meet in a barrier of theirs.
static void write_archive(pj_otf2_style style)
{
    pj_auto_trace trace =
        pj_trace_writer_new((pj_trace_header){.ranks = 1, .threads_each = 3, .end = 1100});
    pj_trace_writer_call(trace, (pj_place){0, 0},
                         (pj_trace_call){.name = "MPI_Comm_rank", .begin = 300, .end = 800});
    interval(trace, 0, BARRIER, 1, 850, 860);
    interval(trace, 0, FUNCTION, 1, 100, 1000);
    interval(trace, 0, PARALLEL, 1, 100, 1010);
    interval(trace, 1, BARRIER, 1, 300, 500);
    interval(trace, 1, FUNCTION, PJ_OTF2_NESTED, 200, 700);
    interval(trace, 1, PARALLEL, 1, 200, 710);
    interval(trace, 1, BARRIER, 1, 760, 860);
    interval(trace, 1, FUNCTION, 1, 100, 990);
    interval(trace, 2, BARRIER, 1, 490, 500);
    interval(trace, 2, FUNCTION, PJ_OTF2_NESTED, 200, 700);
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, ANCHOR, style, &err))
        fail_msg("%s", err.text);
}

static pj_run *load_path(const char *path, pj_load_opts opts)
{
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_run *load(pj_load_opts opts)
{
    return load_path(ANCHOR, opts);
}

static void nested_barriers_bind_no_outer_thread(void **state)
{
    (void)state;
    static const pj_otf2_style styles[] = {{.clock_step = 0},
                                           {.global_ids = true},
                                           {.no_parents = true},
                                           {.no_parents = true, .eztrace = true}};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        write_archive(styles[i]);
        pj_auto_run run = load((pj_load_opts){.ideal_path = IDEAL});
        if (!run->ideal.available)
            fail_msg("%s", run->ideal.reason);
        pj_auto_run again = load_path(IDEAL, (pj_load_opts){0});
        assert_true(again->ideal.available);
        assert_true(again->ideal.runtime_ns == run->ideal.runtime_ns);
        // Without the 500 in MPI thread 0 waits for thread 1, which comes to their barrier at 760;
        // 10 later both go on, thread 0 for 150. The run begins at 100.
        assert_int_equal(run->runtime_ns, 910);
        assert_true(run->ideal.runtime_ns == 760 + 10 + 150 - 100);
    }
    pj_otf2_writer_remove(ANCHOR);
}

static void nested_barriers_are_events(void **state)
{
    (void)state;
    write_archive((pj_otf2_style){.clock_step = 0});
    pj_err err = {0};
    pj_query *query = pj_query_new((pj_query_opts){.type = "barrier"}, &err);
    assert_non_null(query);
    pj_sink sink = pj_query_sink(query);
    pj_run *run = load((pj_load_opts){.no_replay = true,
                                      .listeners = &sink,
                                      .listener_count = 1,
                                      .in_order = true,
                                      .regions = true});
    pj_auto_table table = pj_query_table(query);
    assert_int_equal(table->row_count, 4);
    pj_run_release(run);
    pj_query_free(query);
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_barriers_bind_no_outer_thread),
        cmocka_unit_test(nested_barriers_are_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
