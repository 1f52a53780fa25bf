// Parts of the modelled application as traces of their own: the statistics are those that the whole
// trace has in that region of interest, wherever its borders fall.
#include "metrics/analyse/load.h"
#include "metrics/read/paraver/prv_cut.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/model_app.h"

#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define WHOLE PJ_BINARY_DIR "/whole.prv"
#define PART PJ_BINARY_DIR "/part.prv"

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

static pj_run *load(const char *path, pj_roi_request roi)
{
    pj_err err = {0};
    pj_job job = {.workers = 2};
    pj_run *run = pj_load(path, (pj_load_opts){.roi = roi}, &job, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static pj_cut_facts cut(const pj_run *run)
{
    pj_cut_facts facts;
    pj_err err = {0};
    pj_job job = {.workers = 1};
    if (!pj_prv_cut(run, PART, &job, &facts, &err))
        fail_msg("%s", err.text);
    return facts;
}

static void same_statistics(const pj_run *whole, const pj_run *part)
{
    assert_int_equal(whole->layout.locations, part->layout.locations);
    assert_int_equal(whole->runtime_ns, part->runtime_ns);
    assert_int_equal(whole->names.communicator_count, part->names.communicator_count);
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

static void write_whole(void)
{
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(trace, WHOLE, &err));
}

static void parts_have_the_statistics_of_the_region(void **state)
{
    (void)state;
    write_whole();
    for (unsigned i = 0; i < 24; i++) {
        double from = 1.7 + 3.9 * i, length = 2.3 + 7.1 * (i % 5);
        pj_roi_request roi = {.kind = PJ_ROI_RANGE,
                              .from = from,
                              .to = from + length < 100 ? from + length : 100,
                              .from_percent = true,
                              .to_percent = true};
        pj_auto_run whole = load(WHOLE, roi);
        pj_cut_facts facts = cut(whole);
        pj_auto_run part = load(PART, (pj_roi_request){.kind = PJ_ROI_AUTO});
        assert_true(facts.records > 0);
        assert_false(part->roi.set);
        assert_true(part->chopped);
        assert_int_equal(part->end_ns, whole->roi.to_ns - whole->roi.from_ns);
        same_statistics(whole, part);
        // The runtime of a thread is the length of a region of interest, idle or not.
        pj_auto_run all = load(
            PART, (pj_roi_request){
                      .kind = PJ_ROI_RANGE, .to = 100, .from_percent = true, .to_percent = true});
        for (uint32_t l = 0; l < all->layout.locations; l++)
            assert_int_equal(all->totals[l].runtime_ns, whole->totals[l].runtime_ns);
    }
}

/// Running records that touch are one burst, for which a reading at the seam counts once more.
static void readings_at_seams_of_bursts_count_alike(void **state)
{
    (void)state;
    static const char text[] = "#Paraver (01/01/2024 at 12:00):1000_ns:1(1):1:1(1:1)\n"
                               "1:1:1:1:1:0:100:1\n"
                               "2:1:1:1:1:100:42000050:1000:42000059:500\n"
                               "1:1:1:1:1:100:200:1\n"
                               "2:1:1:1:1:200:42000050:300:42000059:150\n"
                               "1:1:1:1:1:200:260:15\n"
                               "1:1:1:1:1:260:400:1\n"
                               "2:1:1:1:1:400:42000050:700:42000059:350\n"
                               "1:1:1:1:1:400:500:1\n"
                               "1:1:1:1:1:500:700:9\n"
                               "2:1:1:1:1:700:42000050:900:42000059:450\n"
                               "1:1:1:1:1:700:1000:1\n"
                               "2:1:1:1:1:1000:42000050:50:42000059:25\n";
    static const uint64_t lengths[] = {40, 130, 333};
    assert_true(pj_trace_writer_file(WHOLE, (pj_str){text, sizeof text - 1}, NULL));
    for (uint64_t i = 0; i < 75; i++) {
        uint64_t from = 25 * (i / 3), to = from + lengths[i % 3];
        pj_auto_run whole = load(
            WHOLE, (pj_roi_request){.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)to});
        cut(whole);
        pj_auto_run part = load(PART, (pj_roi_request){.kind = PJ_ROI_OFF});
        assert_int_equal(whole->totals[0].useful_ns, part->totals[0].useful_ns);
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(whole->counters[c].useful[0], part->counters[c].useful[0]);
    }
}

/// All but the runtime, which is the length of a region of interest.
static void same_counts(const pj_run *whole, const pj_run *part)
{
    const pj_totals *a = whole->totals, *b = part->totals;
    if (a->useful_ns != b->useful_ns || a->openmp_ns != b->openmp_ns ||
        whole->counters[0].useful[0] != part->counters[0].useful[0])
        fail_msg("%llu..%llu: useful %llu, %llu, OpenMP %llu, %llu, counted %lld, %lld",
                 (unsigned long long)whole->roi.from_ns, (unsigned long long)whole->roi.to_ns,
                 (unsigned long long)a->useful_ns, (unsigned long long)b->useful_ns,
                 (unsigned long long)a->openmp_ns, (unsigned long long)b->openmp_ns,
                 (long long)whole->counters[0].useful[0], (long long)part->counters[0].useful[0]);
    assert_int_equal(a->serial_useful_ns, b->serial_useful_ns);
    assert_int_equal(a->openmp_useful_ns, b->openmp_useful_ns);
    assert_int_equal(a->outside_mpi_ns, b->outside_mpi_ns);
    assert_int_equal(whole->counters[1].useful[0], part->counters[1].useful[0]);
}

/// States within others, and constructs that are closed by the end of another type: what a border
/// cuts is what the timeline shows there.
static void nested_states_and_constructs_are_cut_as_they_count(void **state)
{
    (void)state;
    static const char text[] = "#Paraver (01/01/2024 at 12:00):400_ns:1(1):1:1(1:1)\n"
                               "1:1:1:1:1:0:100:1\n"
                               "2:1:1:1:1:10:60000001:1\n"
                               "2:1:1:1:1:12:60000018:5\n"
                               "2:1:1:1:1:30:60000018:0\n"
                               "2:1:1:1:1:40:60000018:0\n" // closes the parallel region
                               "1:1:1:1:1:50:80:15\n"
                               "2:1:1:1:1:60:42000050:600:42000059:300\n"
                               "1:1:1:1:1:90:130:1\n" // up to 100
                               "2:1:1:1:1:140:42000050:800:42000059:400\n"
                               "2:1:1:1:1:150:60000001:2\n"
                               "1:1:1:1:1:150:250:1\n"
                               "1:1:1:1:1:160:170:1\n"
                               "2:1:1:1:1:180:60000005:1\n"
                               "2:1:1:1:1:200:60000001:0\n" // closes the barrier
                               "1:1:1:1:1:260:300:1\n"
                               "1:1:1:1:1:260:300:7\n"
                               "2:1:1:1:1:300:60000005:0\n" // closes the region
                               "1:1:1:1:1:310:400:1\n"
                               "2:1:1:1:1:320:42000050:900:42000059:450\n"
                               "2:1:1:1:1:400:42000050:70:42000059:35\n";
    static const uint64_t lengths[] = {15, 60, 145};
    assert_true(pj_trace_writer_file(WHOLE, (pj_str){text, sizeof text - 1}, NULL));
    for (uint64_t i = 0; i < 3 * 50; i++) {
        uint64_t from = 5 * (i / 3), to = from + lengths[i % 3];
        pj_auto_run whole = load(
            WHOLE, (pj_roi_request){.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)to});
        cut(whole);
        pj_auto_run part = load(PART, (pj_roi_request){.kind = PJ_ROI_OFF});
        same_counts(whole, part);
    }
}

static uint64_t below(uint64_t *seed, uint64_t limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % limit;
}

/// States that overlap in any way, constructs and MPI calls that open and close in any order,
/// readings between.
static void write_random(uint64_t *seed)
{
    static const unsigned types[] = {60000001, 60000005, 60000018, 60000023, 50000001, 50000002};
    static const unsigned states[] = {1, 1, 1, 15, 7};
    pj_auto_buf text = {0};
    pj_buf_puts(&text, "#Paraver (01/01/2024 at 12:00):400_ns:1(1):1:1(1:1)\n");
    for (unsigned now = 0; now < 380; now += (unsigned)below(seed, 15)) {
        unsigned kind = (unsigned)below(seed, 6), end = now + 1 + (unsigned)below(seed, 60);
        if (kind < 4)
            pj_buf_addf(&text, "1:1:1:1:1:%u:%u:%u\n", now, end < 400 ? end : 400,
                        states[below(seed, 5)]);
        else if (kind == 4)
            pj_buf_addf(&text, "2:1:1:1:1:%u:%u:%u\n", now, types[below(seed, 6)],
                        (unsigned)below(seed, 2));
        else
            pj_buf_addf(&text, "2:1:1:1:1:%u:42000050:%u\n", now, (unsigned)below(seed, 1000));
    }
    pj_buf_puts(&text, "2:1:1:1:1:400:42000050:5\n");
    assert_true(pj_trace_writer_file(WHOLE, pj_buf_str(&text), NULL));
}

static void random_traces_are_cut_as_they_count(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (unsigned i = 0; i < pj_rounds(300, 20000); i++) {
        write_random(&seed);
        uint64_t from = below(&seed, 390), to = from + 1 + below(&seed, 400 - from);
        pj_auto_run whole = load(
            WHOLE, (pj_roi_request){.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)to});
        cut(whole);
        pj_auto_run part = load(PART, (pj_roi_request){.kind = PJ_ROI_OFF});
        same_counts(whole, part);
    }
}

/// No record comes after a later one of its thread, and nothing else is odd.
static void parts_are_sound(void **state)
{
    (void)state;
    write_whole();
    pj_roi_request roi = {.kind = PJ_ROI_RANGE, .from = 4.5e6, .to = 9e6};
    pj_auto_run whole = load(WHOLE, roi);
    pj_cut_facts facts = cut(whole);
    assert_true(facts.clipped > 0 && facts.divided > 0);
    pj_auto_run part = load(PART, (pj_roi_request){.kind = PJ_ROI_OFF});
    for (unsigned k = 0; k < PJ_IMPORT_COUNT; k++) {
        if (k == PJ_IMPORT_call_not_left || k == PJ_IMPORT_collective_without_fields)
            continue; // what a border cuts
        if (part->import.count[k])
            fail_msg("%s: %llu", pj_import_at(k)->key, (unsigned long long)part->import.count[k]);
    }
    assert_int_equal(access(PJ_BINARY_DIR "/part.pcf", R_OK), 0);
    assert_int_equal(access(PJ_BINARY_DIR "/part.row", R_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_statistics_of_the_region),
        cmocka_unit_test(readings_at_seams_of_bursts_count_alike),
        cmocka_unit_test(nested_states_and_constructs_are_cut_as_they_count),
        cmocka_unit_test(random_traces_are_cut_as_they_count),
        cmocka_unit_test(parts_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
