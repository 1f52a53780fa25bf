// The region of interest as the user writes it and as traces mark it; MPI calls by name and number.
#include "metrics/stat/bracket.h"
#include "metrics/trace/mpi_call.h"
#include "metrics/trace/roi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void ranges_are_read(void **state)
{
    static const struct {
        pj_str text;
        pj_roi_request request;
    } cases[] = {
        {{"auto", 4}, {.kind = PJ_ROI_AUTO}},
        {{"off", 3}, {.kind = PJ_ROI_OFF}},
        {{"1.5s..20s", 9}, {.kind = PJ_ROI_RANGE, .from = 1.5e9, .to = 20e9}},
        {{"10%..90%", 8},
         {.kind = PJ_ROI_RANGE, .from = 10, .to = 90, .from_percent = true, .to_percent = true}},
        {{"7us..", 5}, {.kind = PJ_ROI_RANGE, .from = 7000, .to = 100, .to_percent = true}},
        {{"..5ms", 5}, {.kind = PJ_ROI_RANGE, .to = 5e6}},
        {{"10%..2s", 7}, {.kind = PJ_ROI_RANGE, .from = 10, .to = 2e9, .from_percent = true}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_roi_request got;
        pj_err err = {.code = PJ_E_NONE};
        const pj_roi_request *want = &cases[i].request;
        assert_true(pj_roi_parse(cases[i].text, &got, &err));
        assert_int_equal(got.kind, want->kind);
        assert_true(got.from == want->from && got.to == want->to);
        assert_int_equal(got.from_percent, want->from_percent);
        assert_int_equal(got.to_percent, want->to_percent);
    }
}

static void bad_ranges_are_refused(void **state)
{
    static const pj_str cases[] = {
        {"", 0},        {"..", 2},       {"on", 2},       {"5s", 2},
        {"1s.2s", 5},   {"2s..1s", 6},   {"50%..50%", 8}, {"5x..6x", 6},
        {"-1s..2s", 7}, {"1%..101%", 8}, {"5..10", 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_roi_request got;
        pj_err err = {.code = PJ_E_NONE};
        assert_false(pj_roi_parse(cases[i], &got, &err));
        assert_int_equal(err.code, PJ_E_USAGE);
    }
}

typedef struct tracing {
    uint32_t location;
    uint64_t time;
    bool on;
} tracing;

static pj_bracket bracket_of(const tracing *switches, size_t count)
{
    pj_run run = {.layout = {.locations = 3}};
    pj_bracket bracket;
    pj_sink sink = pj_bracket_sink(&bracket);
    pj_err err = {.code = PJ_E_NONE};
    assert_true(sink.begin(sink.self, &run, &err));
    for (size_t i = 0; i < count; i++) {
        pj_event event = {.time = switches[i].time,
                          .a = switches[i].on,
                          .location = switches[i].location,
                          .kind = PJ_EV_TRACING};
        pj_batch batch = {.events = &event, .count = 1};
        assert_true(sink.events(sink.self, &batch, &err));
    }
    assert_true(sink.finish(sink.self, &run, &err));
    sink.close(sink.self);
    return bracket;
}

static void brackets_span_all_threads(void **state)
{
    (void)state;
    static const tracing good[] = {{0, 1, true},   {1, 2, true},   {0, 50, true}, {1, 40, true},
                                   {0, 60, false}, {1, 70, false}, {0, 80, true}, {0, 90, false}};
    pj_bracket bracket = bracket_of(good, 8);
    assert_int_equal(bracket.kind, PJ_BRACKET_VALID);
    assert_int_equal(bracket.from_ns, 40);
    assert_int_equal(bracket.to_ns, 91);
}

static void other_switches_are_no_bracket(void **state)
{
    (void)state;
    static const tracing only_on[] = {{0, 1, true}, {1, 2, true}};
    assert_int_equal(bracket_of(only_on, 2).kind, PJ_BRACKET_NONE);
    assert_int_equal(bracket_of(only_on, 0).kind, PJ_BRACKET_NONE);
    static const tracing second_off[] = {{0, 1, true}, {0, 2, false}, {0, 3, false}};
    assert_int_equal(bracket_of(second_off, 3).kind, PJ_BRACKET_INVALID);
    static const tracing left_on[] = {
        {1, 1, true}, {1, 2, true}, {1, 5, false}, {0, 1, true}, {0, 2, true}};
    pj_bracket bracket = bracket_of(left_on, 5);
    assert_int_equal(bracket.kind, PJ_BRACKET_INVALID);
    assert_int_equal(bracket.location, 0);
}

static void calls_have_names_numbers_and_roles(void **state)
{
    (void)state;
    pj_mpi_call send = pj_mpi_call_by_name(PJ_S("MPI_Send"));
    assert_int_equal(pj_mpi_call_by_extrae(1), send);
    assert_int_equal(pj_mpi_call_at(send)->role, PJ_ROLE_SEND);
    assert_int_equal(pj_mpi_call_at(pj_mpi_call_by_extrae(10))->role, PJ_ROLE_BARRIER);
    assert_string_equal(pj_mpi_call_at(pj_mpi_call_by_extrae(41))->name, "MPI_Sendrecv");
    assert_int_equal(pj_mpi_call_at(pj_mpi_call_by_extrae(80))->class_, PJ_MPI_COLLECTIVE);
    assert_int_equal(pj_mpi_call_by_extrae(0), PJ_MPI_NONE);
    assert_int_equal(pj_mpi_call_by_extrae(5000), PJ_MPI_UNKNOWN);
    assert_int_equal(pj_mpi_call_by_name(PJ_S("MPI_Nothing")), PJ_MPI_UNKNOWN);
    assert_null(pj_mpi_call_at(PJ_MPI_NONE));
    assert_null(pj_mpi_call_at(PJ_MPI_UNKNOWN));
}

static void call_rows_are_distinct(void **state)
{
    (void)state;
    for (pj_mpi_call a = 1; pj_mpi_call_at(a); a++) {
        const pj_mpi_call_row *row = pj_mpi_call_at(a);
        assert_int_equal(pj_mpi_call_by_name(pj_str_of(row->name)), a);
        if (row->extrae)
            assert_int_equal(pj_mpi_call_by_extrae(row->extrae), a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_read),
        cmocka_unit_test(bad_ranges_are_refused),
        cmocka_unit_test(brackets_span_all_threads),
        cmocka_unit_test(other_switches_are_no_bracket),
        cmocka_unit_test(calls_have_names_numbers_and_roles),
        cmocka_unit_test(call_rows_are_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
