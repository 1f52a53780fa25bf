// Parts of the modelled application as archives of their own: record by record what the whole has
// between the borders, and the statistics that it has in that region of interest.
#include "metrics/analyse/load.h"
#include "metrics/base/buf.h"
#include "metrics/read/otf2/cut/otf2_cut.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WHOLE PJ_BINARY_DIR "/cut_whole"
#define PART PJ_BINARY_DIR "/cut_part"

enum { LOCATIONS = 6, CHUNK = 1 << 20, TICKS_AT_0 = 1000000 };

static const pj_model_app app = {.ranks = 3,
                                 .threads = 2,
                                 .openmp = true,
                                 .iterations = 4,
                                 .work_ns = 5e6,
                                 .imbalance = 0.2,
                                 .serial_fraction = 0.2,
                                 .thread_imbalance = 0.1,
                                 .halo_ns = 200000,
                                 .collective_ns = 100000,
                                 .fork_ns = 5000,
                                 .join_ns = 7000,
                                 .halo_bytes = 40960,
                                 .ipc = 1.3,
                                 .ghz = 2.2};

static const pj_otf2_style styles[] = {
    {0},
    {.clock_step = 123456789},
    {.clock_step = 7, .ticks_per_ns = 3}, // borders between ticks
    {.relative = true},
    {.absolute = true},
    {.global_ids = true},
    {.clock_step = 500000000, .no_offsets = true},
    {.clock_begin = (UINT64_C(1) << 63) - 12345},
};
enum { STYLES = sizeof styles / sizeof *styles };

static void write_whole(pj_otf2_style style)
{
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, WHOLE ".otf2", style, &err))
        fail_msg("%s", err.text);
}

static pj_run *load(const char *path, double from, double to, pj_otf2_cut *cut)
{
    pj_sink sink;
    pj_load_opts opts = {.roi = {.kind = PJ_ROI_RANGE,
                                 .from = from,
                                 .to = to,
                                 .from_percent = true,
                                 .to_percent = true},
                         .no_replay = true};
    if (cut) {
        sink = pj_otf2_cut_sink(cut);
        opts.listeners = &sink;
        opts.listener_count = 1;
        opts.in_order = true;
    }
    pj_err err = {0};
    pj_job job = {.workers = 2};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static pj_otf2_copied write_part(double from, double to)
{
    pj_otf2_writer_remove(PART ".otf2");
    pj_otf2_cut *cut = pj_otf2_cut_new();
    pj_auto_run run = load(WHOLE ".otf2", from, to, cut);
    pj_otf2_copied copied;
    pj_err err = {0};
    pj_job job = {.workers = 1};
    if (!pj_otf2_cut_write(cut, run, PART ".otf2", &job, &copied, &err))
        fail_msg("%s", err.text);
    pj_otf2_cut_free(cut);
    return copied;
}

static void same_statistics(const pj_run *whole, const pj_run *part)
{
    assert_int_equal(whole->layout.locations, part->layout.locations);
    assert_int_equal(whole->runtime_ns, part->runtime_ns);
    for (uint32_t i = 0; i < whole->layout.locations; i++) {
        const pj_totals *a = &whole->totals[i], *b = &part->totals[i];
        assert_int_equal(a->useful_ns, b->useful_ns);
        assert_int_equal(a->serial_useful_ns, b->serial_useful_ns);
        assert_int_equal(a->openmp_useful_ns, b->openmp_useful_ns);
        assert_int_equal(a->openmp_ns, b->openmp_ns);
        assert_int_equal(a->outside_mpi_ns, b->outside_mpi_ns);
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(whole->counters[c].useful[i], part->counters[c].useful[i]);
    }
}

static void parts_have_the_statistics_of_the_region(void **state)
{
    (void)state;
    static const double borders[][2] = {{0, 40}, {13.7, 61.3}, {30, 31}, {77, 100}};
    for (unsigned s = 0; s < STYLES; s++) {
        write_whole(styles[s]);
        for (size_t b = 0; b < sizeof borders / sizeof *borders; b++) {
            write_part(borders[b][0], borders[b][1]);
            pj_auto_run whole = load(WHOLE ".otf2", borders[b][0], borders[b][1], NULL);
            pj_auto_run part = load(PART ".otf2", 0, 100, NULL);
            same_statistics(whole, part);
            assert_int_equal(part->import.count[PJ_IMPORT_event_number], 0);
            assert_int_equal(part->import.count[PJ_IMPORT_wrong_nesting], 0);
            assert_int_equal(part->import.count[PJ_IMPORT_message_not_sent], 0);
            assert_int_equal(part->import.count[PJ_IMPORT_message_not_received], 0);
        }
    }
    pj_otf2_writer_remove(WHOLE ".otf2");
    pj_otf2_writer_remove(PART ".otf2");
}

/// Useful 0..1000 ns; the counter stands at 0, 1000, 11000 and 11400 at 0, 500, 600 and 1000 ns,
/// and between these it is read a few times more.
static void write_readings(pj_otf2_style style)
{
    static const struct {
        uint64_t time;
        int64_t counted;
    } readings[] = {{0, 0},       {100, 100}, {200, 0},   {400, 800}, {500, 100},
                    {600, 10000}, {700, 300}, {950, 100}, {1000, 0}};
    const pj_place at = {0, 0};
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = 1});
    pj_trace_writer_state(trace, at, 0, 1000, 1);
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        pj_trace_writer_event(trace, at, readings[i].time, 42000050, readings[i].counted);
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, WHOLE ".otf2", style, &err))
        fail_msg("%s", err.text);
}

/// Every reading counts where it was taken; only between two of them is time shared.
static void readings_count_at_their_location(void **state)
{
    (void)state;
    static const struct {
        double from, to; // percent
        int64_t counted;
    } cases[] = {{0, 50, 1000},  {50, 60, 10000}, {60, 100, 400}, {0, 100, 11400}, {45, 50, 50},
                 {55, 60, 5000}, {52, 58, 6000},  {60, 65, 150},  {30, 70, 10800}, {96, 99, 0}};
    for (unsigned s = 0; s < STYLES; s++) {
        write_readings(styles[s]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            write_part(cases[i].from, cases[i].to);
            pj_auto_run whole = load(WHOLE ".otf2", cases[i].from, cases[i].to, NULL);
            pj_auto_run part = load(PART ".otf2", 0, 100, NULL);
            assert_int_equal(whole->counters[0].useful[0], cases[i].counted);
            same_statistics(whole, part);
        }
    }
    pj_otf2_writer_remove(WHOLE ".otf2");
    pj_otf2_writer_remove(PART ".otf2");
}

static uint64_t below(uint64_t *seed, uint64_t limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % limit;
}

/// Of one call in three they are not read there.
static int64_t counted_at_call(uint64_t *seed)
{
    return below(seed, 3) ? 1 + (int64_t)below(seed, 900) : 0;
}

/// Work and calls in turn; the counters are read where these begin and end, and in between.
static void write_random(uint64_t *seed, pj_otf2_style style)
{
    enum { STEPS = 12, GAP = 90 };
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = 2});
    for (uint32_t rank = 0; rank < 2; rank++) {
        const pj_place at = {rank, 0};
        uint64_t now = 0;
        for (unsigned i = 0; i < STEPS; i++) {
            uint64_t begin = now + 1 + below(seed, GAP), end = begin + 1 + below(seed, GAP);
            pj_trace_writer_state(trace, at, now, begin, 1);
            for (uint64_t t = now + 1 + below(seed, GAP / 2); t < begin;
                 t += 1 + below(seed, GAP / 2))
                pj_trace_writer_event(trace, at, t, 42000050, (int64_t)below(seed, 1000));
            pj_trace_writer_call(trace, at,
                                 (pj_trace_call){.name = "MPI_Comm_rank",
                                                 .begin = begin,
                                                 .end = end,
                                                 .instructions = counted_at_call(seed),
                                                 .instructions_inside = counted_at_call(seed)});
            now = end;
        }
        pj_trace_writer_state(trace, at, now, now + GAP, 1);
        pj_trace_writer_event(trace, at, now + GAP, 42000050, 50);
    }
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, WHOLE ".otf2", style, &err))
        fail_msg("%s", err.text);
}

static void parts_of_random_readings_agree(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned i = 0; i < pj_rounds(100, 2000); i++) {
        write_random(&seed, styles[i % STYLES]);
        double from = (double)below(&seed, 90),
               to = from + 1 + (double)below(&seed, 9 + 90 - (uint64_t)from);
        write_part(from, to);
        pj_auto_run whole = load(WHOLE ".otf2", from, to, NULL);
        pj_auto_run part = load(PART ".otf2", 0, 100, NULL);
        same_statistics(whole, part);
    }
    pj_otf2_writer_remove(WHOLE ".otf2");
    pj_otf2_writer_remove(PART ".otf2");
}

static void is_about(uint64_t wanted, uint64_t got)
{
    const uint64_t rounded = 100; // of 1 ns each
    assert_in_range(got, wanted - (wanted < rounded ? wanted : rounded), wanted + rounded);
}

/// Clocks that were stretched: the part has what this has made of them, but for the rounding.
static void parts_keep_what_was_repaired(void **state)
{
    (void)state;
    write_whole((pj_otf2_style){.clock_drift = 5000000, .clock_step = 500000000});
    write_part(20, 80);
    pj_auto_run whole = load(WHOLE ".otf2", 20, 80, NULL);
    pj_auto_run part = load(PART ".otf2", 0, 100, NULL);
    for (size_t i = 0; i < part->remarks.count; i++)
        assert_null(strstr(part->remarks.items[i].text, "clocks"));
    is_about(whole->runtime_ns, part->runtime_ns);
    for (uint32_t i = 0; i < whole->layout.locations; i++)
        is_about(whole->totals[i].useful_ns, part->totals[i].useful_ns);
    pj_otf2_writer_remove(WHOLE ".otf2");
    pj_otf2_writer_remove(PART ".otf2");
}

static pj_otf2_evt *open_events(const char *base, unsigned number)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%u.evt", base, number);
    pj_err err = {0};
    pj_otf2_evt *evt = pj_otf2_evt_open(path.at, (pj_otf2_evt_opts){.chunk_bytes = CHUNK}, &err);
    if (!evt)
        fail_msg("%s", err.text);
    return evt;
}

static bool ties_locations(const pj_otf2_event *event)
{
    return event->type == PJ_OTF2_MPI_ISEND || event->type == PJ_OTF2_MPI_IRECV ||
           event->type == PJ_OTF2_MPI_COLLECTIVE_END;
}

/// The next one between the borders that is there whatever the other locations do.
static bool next_between(pj_otf2_evt *evt, uint64_t from, uint64_t to, pj_otf2_event *event)
{
    for (;;) {
        *event = (pj_otf2_event){0};
        if (!pj_otf2_evt_next(evt, event))
            return false;
        if (event->time > from && event->time < to && !ties_locations(event))
            return true;
    }
}

static uint64_t same_records(unsigned number, uint64_t from, uint64_t to)
{
    pj_otf2_evt *whole = open_events(WHOLE, number), *part = open_events(PART, number);
    pj_otf2_event a, b;
    uint64_t count = 0;
    for (; next_between(whole, from, to, &a); count++) {
        assert_true(next_between(part, from, to, &b));
        assert_int_equal(a.time, b.time);
        assert_int_equal(a.type, b.type);
        assert_memory_equal(a.field, b.field, sizeof a.field);
        assert_int_equal(a.count, b.count);
        for (unsigned v = 0; v < a.count; v++)
            assert_int_equal(a.values[v], b.values[v]);
    }
    assert_false(next_between(part, from, to, &b));
    pj_otf2_evt_close(whole);
    pj_otf2_evt_close(part);
    return count;
}

static void records_between_the_borders_are_those_of_the_whole(void **state)
{
    (void)state;
    write_whole(styles[0]);
    pj_auto_run whole = load(WHOLE ".otf2", 20, 70, NULL);
    pj_otf2_copied copied = write_part(20, 70);
    uint64_t kept = 0;
    for (unsigned l = 0; l < LOCATIONS; l++)
        kept += same_records(l, TICKS_AT_0 + whole->roi.from_ns, TICKS_AT_0 + whole->roi.to_ns);
    assert_true(kept > 100 && kept <= copied.records);
    assert_true(copied.readings > 0 && copied.opened > 0);
    pj_otf2_writer_remove(WHOLE ".otf2");
    pj_otf2_writer_remove(PART ".otf2");
}

static void an_archive_is_not_replaced(void **state)
{
    (void)state;
    write_whole(styles[0]);
    pj_otf2_cut *cut = pj_otf2_cut_new();
    pj_auto_run run = load(WHOLE ".otf2", 20, 70, cut);
    pj_otf2_copied copied;
    pj_err err = {0};
    pj_job job = {.workers = 1};
    assert_false(pj_otf2_cut_write(cut, run, WHOLE ".otf2", &job, &copied, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    pj_otf2_cut_free(cut);
    pj_auto_run again = load(WHOLE ".otf2", 20, 70, NULL);
    same_statistics(run, again);
    pj_otf2_writer_remove(WHOLE ".otf2");
}

static void a_stopped_cut_leaves_nothing(void **state)
{
    (void)state;
    write_whole(styles[0]);
    pj_otf2_writer_remove(PART ".otf2");
    pj_otf2_cut *cut = pj_otf2_cut_new();
    pj_auto_run run = load(WHOLE ".otf2", 20, 70, cut);
    _Atomic bool stop = true;
    pj_otf2_copied copied;
    pj_err err = {0};
    pj_job job = {.workers = 1, .stop = &stop};
    assert_false(pj_otf2_cut_write(cut, run, PART ".otf2", &job, &copied, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    pj_otf2_cut_free(cut);
    assert_null(fopen(PART ".otf2", "r"));
    assert_null(fopen(PART ".def", "r"));
    assert_null(fopen(PART "/0.evt", "r"));
    pj_otf2_writer_remove(WHOLE ".otf2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_statistics_of_the_region),
        cmocka_unit_test(readings_count_at_their_location),
        cmocka_unit_test(parts_of_random_readings_agree),
        cmocka_unit_test(parts_keep_what_was_repaired),
        cmocka_unit_test(records_between_the_borders_are_those_of_the_whole),
        cmocka_unit_test(an_archive_is_not_replaced),
        cmocka_unit_test(a_stopped_cut_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
