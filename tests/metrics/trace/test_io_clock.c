// Calls of input and output of one thread: which of them count, and what they move.
#include "metrics/trace/io_clock.h"

#include "metrics/trace/event.h"
#include "metrics/trace/io_way.h"
#include "metrics/trace/mpi_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct step {
    uint64_t time;
    uint16_t code; // of PJ_EV_OTHER; 0 = a call of MPI-I/O
    uint64_t a, b;
} step;

static pj_io_clock clock_of(const step *steps, size_t count, uint64_t from, uint64_t to)
{
    pj_io_clock clock = {.calls = 0};
    for (size_t i = 0; i < count; i++) {
        pj_event event = {.time = steps[i].time,
                          .kind = steps[i].code ? PJ_EV_OTHER : PJ_EV_MPI,
                          .code = steps[i].code ? steps[i].code : PJ_MPI_IO,
                          .a = steps[i].a,
                          .b = steps[i].b};
        pj_io_clock_event(&clock, &event, from, to);
    }
    pj_io_clock_end(&clock, 100, from, to);
    return clock;
}

static pj_mpi_call mpi_write(void)
{
    return pj_mpi_call_by_name(PJ_S("MPI_File_write_all"));
}

/// Extrae tells what MPI-I/O moves at its begin and its end, of other calls at their begin.
static void sizes_count_once(void **state)
{
    (void)state;
    const step steps[] = {
        {10, 0, mpi_write(), 0},
        {10, PJ_IO_MPI_SIZE, 4096, 0},
        {20, 0, 0, 0},
        {20, PJ_IO_MPI_SIZE, 4096, 0},
        {30, PJ_IO_CALL, PJ_IO_READ, 0},
        {30, PJ_IO_SIZE, 100, 0},
        {40, PJ_IO_CALL, PJ_IO_LEFT, 0},
        {50, PJ_IO_CALL, PJ_IO_OTHER, 0},
        {60, PJ_IO_CALL, PJ_IO_LEFT, 0},
        {70, PJ_IO_CALL, PJ_IO_WRITE, 0},
        {70, PJ_IO_SIZE, 7, 0},
    };
    pj_io_clock clock = clock_of(steps, sizeof steps / sizeof *steps, 0, UINT64_MAX);
    assert_int_equal(clock.calls, 4);
    assert_int_equal(clock.bytes[PJ_IO_READ], 100);
    assert_int_equal(clock.bytes[PJ_IO_WRITE], 4103);
    assert_int_equal(clock.untold[PJ_IO_READ] + clock.untold[PJ_IO_WRITE], 0);
    assert_int_equal(clock.overlap_ns, 0);
}

/// What MPI-I/O does by other means is its own.
static void calls_within_others_do_not_count(void **state)
{
    (void)state;
    const step steps[] = {
        {10, 0, mpi_write(), 0},          {10, PJ_IO_MPI_SIZE, 4096, 0},
        {12, PJ_IO_CALL, PJ_IO_WRITE, 0}, {12, PJ_IO_SIZE, 4000, 0},
        {18, PJ_IO_CALL, PJ_IO_LEFT, 0},  {19, PJ_IO_CALL, PJ_IO_WRITE, 0},
        {19, PJ_IO_SIZE, 96, 0},          {20, 0, 0, 0},
        {25, PJ_IO_CALL, PJ_IO_LEFT, 0},
    };
    pj_io_clock clock = clock_of(steps, sizeof steps / sizeof *steps, 0, UINT64_MAX);
    assert_int_equal(clock.calls, 1);
    assert_int_equal(clock.bytes[PJ_IO_WRITE], 4096);
    assert_int_equal(clock.overlap_ns, 6 + 1);
    pj_io_clock part = clock_of(steps, sizeof steps / sizeof *steps, 15, 30);
    assert_int_equal(part.calls, 0); // it was entered before
    assert_int_equal(part.bytes[PJ_IO_WRITE], 0);
    assert_int_equal(part.overlap_ns, 3 + 1);
}

static void what_is_not_told_is_known(void **state)
{
    (void)state;
    const step steps[] = {
        {10, PJ_IO_CALL, PJ_IO_READ, 0}, // nothing tells how much
        {20, PJ_IO_CALL, PJ_IO_LEFT, 0},
        {30, 0, mpi_write(), 0},
        {31, PJ_IO_MOVED, 0, PJ_IO_WRITE}, // later
        {40, 0, 0, 0},
        {50, PJ_IO_MOVED, 64, PJ_IO_WRITE},
        {60, PJ_IO_MOVED, UINT64_MAX, PJ_IO_READ},
    };
    pj_io_clock clock = clock_of(steps, sizeof steps / sizeof *steps, 0, UINT64_MAX);
    assert_int_equal(clock.calls, 2);
    assert_int_equal(clock.untold[PJ_IO_READ], 2);
    assert_int_equal(clock.untold[PJ_IO_WRITE], 0);
    assert_int_equal(clock.bytes[PJ_IO_WRITE], 64);
}

static void ways_have_names(void **state)
{
    (void)state;
    assert_int_equal(pj_io_way_named(PJ_S("preadv")), PJ_IO_READ);
    assert_int_equal(pj_io_way_named(PJ_S("MPI_File_write_at_all")), PJ_IO_WRITE);
    assert_int_equal(pj_io_way_named(PJ_S("MPI_File_open")), PJ_IO_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_count_once),
        cmocka_unit_test(calls_within_others_do_not_count),
        cmocka_unit_test(what_is_not_told_is_known),
        cmocka_unit_test(ways_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
