// Timelines by pixel: states where they are, messages by lane and time, bundles when there are
// many; all time of the statistics is found again.
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/stat/bundle_sink.h"
#include "metrics/stat/timeline_sink.h"
#include "metrics/stat/useful.h"
#include "metrics/trace/event.h"
#include "tests/support/trace/model_app.h"

#include <math.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const pj_timeline_opts whole = {.last_rank = UINT32_MAX, .rows_most = 560, .columns = 100};

static pj_run *read_timeline(pj_trace_writer *writer, pj_timeline_opts opts, unsigned workers,
                             pj_err *err)
{
    pj_auto_buf text = {.at = NULL};
    pj_trace_writer_prv(writer, &text);
    pj_auto_run run = pj_run_new("known.prv");
    pj_job job = {.workers = workers};
    pj_sink sinks[] = {pj_useful_sink(), pj_timeline_sink(opts), pj_bundle_sink(opts)};
    pj_pass pass = {.run = run, .sinks = sinks, .sink_count = 3, .job = &job};
    bool ok = pj_read_memory("known.prv", pj_buf_str(&text), &pass, err);
    for (size_t i = 0; i < 3; i++)
        sinks[i].close(sinks[i].self);
    free(pass.disorder);
    return ok ? pj_run_hold(run) : NULL;
}

static double kind_ns(const pj_timeline *timeline, size_t row, pj_timeline_kind kind)
{
    double sum = 0;
    for (size_t c = 0; c < timeline->columns; c++)
        sum += (double)pj_timeline_at(timeline, row, c)[kind];
    return sum;
}

static void expect_near(double got, double want)
{
    if (fabs(got - want) > 1e-4 * fmax(fabs(want), 1))
        fail_msg("%.9g is not %.9g", got, want);
}

static const pj_model_app model = {
    .ranks = 3,
    .threads = 2,
    .iterations = 30,
    .openmp = true,
    PJ_MODEL_COSTS,
};

static void time_is_that_of_the_model(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_model_write(&model);
    pj_auto_expected expected = pj_model_expect(&model);
    pj_auto_run run = read_timeline(writer, whole, 1, &err);
    assert_non_null(run);
    const pj_timeline *timeline = run->timeline;
    assert_int_equal(timeline->rows, 6);
    for (size_t row = 0; row < timeline->rows; row++) {
        const pj_model_totals *t = &expected.totals[row];
        expect_near(kind_ns(timeline, row, PJ_TIMELINE_running), (double)t->useful);
        assert_int_equal(timeline->sums[row * PJ_TIMELINE_KINDS + PJ_TIMELINE_running], t->useful);
        double known = 0;
        for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
            known += k == PJ_TIMELINE_idle ? 0 : kind_ns(timeline, row, (pj_timeline_kind)k);
        // "Not created" is part of the runtime and idle here
        assert_true(known <= (double)t->runtime * 1.0001);
        assert_true(known + kind_ns(timeline, row, PJ_TIMELINE_idle) >=
                    (double)t->runtime * 0.9999);
    }
    pj_auto_run other = read_timeline(writer, whole, 4, &err);
    assert_memory_equal(timeline->time, other->timeline->time,
                        timeline->rows * timeline->columns * PJ_TIMELINE_KINDS *
                            sizeof *timeline->time);
    assert_int_equal(timeline->bundle_count, other->timeline->bundle_count);
    assert_memory_equal(timeline->bundles, other->timeline->bundles,
                        timeline->bundle_count * sizeof *timeline->bundles);
}

/// The same calls for any number of workers; none where they are too many to point at.
static void calls_are_kept_while_they_are_few(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_model_write(&model);
    pj_auto_run one = read_timeline(writer, whole, 1, &err);
    pj_auto_run four = read_timeline(writer, whole, 4, &err);
    const pj_timeline *timeline = one->timeline;
    assert_in_range(timeline->call_count, 3, PJ_TIMELINE_MOST_CALLS);
    assert_int_equal(timeline->call_count, four->timeline->call_count);
    for (size_t i = 0; i < timeline->call_count; i++) {
        const pj_timeline_call *a = &timeline->calls[i], *b = &four->timeline->calls[i];
        assert_true(a->lane == b->lane && a->call == b->call && a->begin_ns == b->begin_ns);
        assert_true(a->begin_ns <= a->end_ns && a->end_ns <= one->end_ns);
    }
    pj_model_app large = model;
    large.iterations = 3000;
    pj_auto_trace long_one = pj_model_write(&large);
    pj_auto_run many = read_timeline(long_one, whole, 1, &err);
    assert_int_equal(many->timeline->call_count, 0);
}

static void parts_add_up_to_the_whole(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_model_write(&model);
    pj_auto_run all = read_timeline(writer, whole, 1, &err);
    double sum = 0;
    for (double from = 0; from < 100; from += 25) {
        pj_timeline_opts opts = whole;
        opts.range = (pj_roi_request){.kind = PJ_ROI_RANGE,
                                      .from = from,
                                      .to = from + 25,
                                      .from_percent = true,
                                      .to_percent = true};
        opts.first_rank = opts.last_rank = 1;
        pj_auto_run run = read_timeline(writer, opts, 1, &err);
        assert_non_null(run);
        assert_int_equal(run->timeline->lanes, 2);
        sum += kind_ns(run->timeline, 0, PJ_TIMELINE_running);
    }
    expect_near(sum, kind_ns(all->timeline, 2, PJ_TIMELINE_running));
}

/// Two ranks: the second runs 200..400 of 1000, a message goes 100..300; the header promises less
/// than the last record.
static pj_trace_writer *two_ranks(void)
{
    pj_trace_writer *writer = pj_trace_writer_new((pj_trace_header){.ranks = 2, .end = 1000});
    pj_trace_writer_state(writer, (pj_place){0, 0}, 0, 1000, 1);
    pj_trace_writer_state(writer, (pj_place){1, 0}, 200, 400, 1);
    pj_trace_writer_state(writer, (pj_place){1, 0}, 400, 450, 13);
    pj_trace_writer_message(
        writer, (pj_trace_message){
                    .from = {0, 0}, .to = {1, 0}, .times = {100, 100, 250, 300}, .size = 64});
    return writer;
}

static void states_stand_in_their_pixels(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = two_ranks();
    pj_auto_run run = read_timeline(writer, whole, 1, &err);
    const pj_timeline *timeline = run->timeline;
    assert_true(timeline->column_ns == 10);
    for (size_t c = 0; c < 100; c++) {
        expect_near((double)pj_timeline_at(timeline, 0, c)[PJ_TIMELINE_running], 10);
        expect_near((double)pj_timeline_at(timeline, 1, c)[PJ_TIMELINE_running],
                    c >= 20 && c < 40 ? 10 : 0);
        expect_near((double)pj_timeline_at(timeline, 1, c)[PJ_TIMELINE_collective],
                    c >= 40 && c < 45 ? 10 : 0);
    }
    pj_timeline_opts opts = whole;
    opts.counted = true;
    pj_auto_run counted = read_timeline(writer, opts, 1, &err);
    assert_int_equal(counted->timeline->messages, 1);
    assert_int_equal(counted->timeline->bundle_count, 0);
    assert_int_equal(timeline->messages, 1);
    assert_int_equal(timeline->bundle_count, 1);
    const pj_timeline_bundle *b = timeline->bundles;
    assert_true(b->from == 0 && b->to == 1 && b->bytes == 64);
    assert_true(b->sent_ns == 100 && b->received_ns == 300);
}

static void only_what_is_asked_for_is_seen(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = two_ranks();
    pj_timeline_opts opts = whole;
    opts.range = (pj_roi_request){.kind = PJ_ROI_RANGE, .from = 290, .to = 390};
    opts.first_rank = 1;
    pj_auto_run run = read_timeline(writer, opts, 1, &err);
    assert_int_equal(run->timeline->lanes, 1);
    assert_int_equal(run->timeline->first_location, 1);
    expect_near(kind_ns(run->timeline, 0, PJ_TIMELINE_running), 100);
    assert_int_equal(run->timeline->messages, 0); // its sender is not seen
    opts.first_rank = 0;
    pj_auto_run both = read_timeline(writer, opts, 1, &err);
    assert_int_equal(both->timeline->messages, 1); // it ends in the range
    opts.range = (pj_roi_request){.kind = PJ_ROI_RANGE, .from = 301, .to = 390};
    pj_auto_run later = read_timeline(writer, opts, 1, &err);
    assert_int_equal(later->timeline->messages, 0);
    opts.last_rank = 2;
    assert_null(read_timeline(writer, opts, 1, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
}

/// 200 times as many messages as may stay, from a trace whose header knows nothing of its length.
static void many_messages_become_few_bundles(void **state)
{
    (void)state;
    enum { RANKS = 40, ROUNDS = 500 };
    pj_sink states = pj_timeline_sink(whole), sink = pj_bundle_sink(whole);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run made = pj_run_new("made");
    made->layout = (pj_layout){.applications = 1, .ranks = RANKS, .locations = RANKS};
    made->layout.first_location = pj_new_n(made->arena, uint32_t, RANKS + 1);
    made->layout.rank_of = pj_new_n(made->arena, uint32_t, RANKS);
    for (uint32_t i = 0; i <= RANKS; i++)
        made->layout.first_location[i] = i;
    for (uint32_t i = 0; i < RANKS; i++)
        made->layout.rank_of[i] = i;
    assert_true(states.begin(states.self, made, &err) && sink.begin(sink.self, made, &err));
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < (uint64_t)RANKS * ROUNDS; i++) {
        pj_message m = {.logical_send = i * 100,
                        .physical_recv = i * 100 + 50,
                        .size = i,
                        .from = (uint32_t)(i * 7 % RANKS),
                        .to = (uint32_t)(i * 13 % RANKS)};
        pj_event event = {.kind = PJ_EV_MESSAGE};
        bytes += i;
        assert_true(sink.events(sink.self, &(pj_batch){&event, 1, &m, 1}, &err));
    }
    made->end_ns = (uint64_t)RANKS * ROUNDS * 100;
    assert_true(states.finish(states.self, made, &err) && sink.finish(sink.self, made, &err));
    states.close(states.self);
    sink.close(sink.self);
    const pj_timeline *timeline = made->timeline;
    assert_int_equal(timeline->messages, RANKS * ROUNDS);
    assert_true(timeline->bundle_count > 100 && timeline->bundle_count <= 1000);
    uint64_t messages = 0, sum = 0;
    for (size_t i = 0; i < timeline->bundle_count; i++) {
        messages += timeline->bundles[i].messages;
        sum += timeline->bundles[i].bytes;
        assert_true(timeline->bundles[i].received_ns >= timeline->bundles[i].sent_ns);
    }
    assert_int_equal(messages, timeline->messages);
    assert_int_equal(sum, bytes);
    assert_int_equal(timeline->to_ns, made->end_ns);
    assert_true(timeline->column_ns * timeline->columns >= (double)made->end_ns);
}

static void take_state(pj_sink sink, uint32_t location, uint64_t from, uint64_t to)
{
    pj_event event = {
        .time = from, .a = to, .location = location, .kind = PJ_EV_STATE, .code = PJ_STATE_RUNNING};
    assert_true(sink.events(sink.self, &(pj_batch){.events = &event, .count = 1}, NULL));
}

/// What one process finds of some threads and another one of others is what one finds of all, also
/// when they see times of another length.
static void parts_of_processes_make_one_picture(void **state)
{
    (void)state;
    enum { LANES = 4, STATES = 50 };
    pj_timeline_opts opts = {.last_rank = UINT32_MAX, .rows_most = 3, .columns = 7};
    for (uint64_t end = 0; end < 1000000; end += 777777) { // 0: not known before
        pj_auto_run run = pj_run_new("made");
        run->layout = (pj_layout){.applications = 1, .ranks = 1, .locations = LANES};
        run->layout.first_location = pj_new_n(run->arena, uint32_t, 2);
        run->layout.first_location[1] = LANES;
        run->end_ns = end;
        pj_sink sinks[] = {pj_timeline_sink(opts), pj_timeline_sink(opts), pj_timeline_sink(opts)};
        for (size_t i = 0; i < 3; i++)
            assert_true(sinks[i].begin(sinks[i].self, run, NULL));
        for (uint64_t i = 0; i < STATES; i++)
            for (uint32_t l = 0; l + 1 < LANES; l++) { // the last one has none
                uint64_t from = i * i * 101 * (l + 1), to = from + 33 * i + 1;
                take_state(sinks[0], l, from, to);
                take_state(sinks[l == 1 ? 1 : 2], l, from, to);
            }
        run->end_ns = end ? end : STATES * STATES * 303;
        pj_auto_buf told = {.at = NULL};
        sinks[2].tell(sinks[2].self, run, &told);
        assert_true(sinks[1].hear(sinks[1].self, pj_buf_str(&told)));
        assert_true(sinks[0].finish(sinks[0].self, run, NULL));
        const pj_timeline *alone = run->timeline;
        assert_true(sinks[1].finish(sinks[1].self, run, NULL));
        for (size_t i = 0; i < 3; i++)
            sinks[i].close(sinks[i].self);
        assert_true(alone->column_ns == run->timeline->column_ns);
        assert_memory_equal(alone->time, run->timeline->time,
                            3 * 7 * PJ_TIMELINE_KINDS * sizeof(float));
        assert_memory_equal(alone->sums, run->timeline->sums,
                            LANES * PJ_TIMELINE_KINDS * sizeof(uint64_t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_that_of_the_model),
        cmocka_unit_test(calls_are_kept_while_they_are_few),
        cmocka_unit_test(parts_add_up_to_the_whole),
        cmocka_unit_test(states_stand_in_their_pixels),
        cmocka_unit_test(only_what_is_asked_for_is_seen),
        cmocka_unit_test(many_messages_become_few_bundles),
        cmocka_unit_test(parts_of_processes_make_one_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
