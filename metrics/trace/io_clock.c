// Counting calls of input and output.
#include "metrics/trace/io_clock.h"

#include "metrics/base/str.h"
#include "metrics/trace/event.h"
#include "metrics/trace/io_way.h"
#include "metrics/trace/mpi_call.h"

static bool is_inside(uint64_t time, uint64_t from, uint64_t to)
{
    return time >= from && time < to;
}

static void add_overlap(pj_io_clock *clock, uint64_t time, uint64_t from, uint64_t to)
{
    uint64_t begin = clock->since > from ? clock->since : from, end = time < to ? time : to;
    if (clock->mpi && clock->other && end > begin)
        clock->overlap_ns += end - begin;
}

/// The outermost call is left: bytes that nothing told of are not known.
static void leave(pj_io_clock *clock, unsigned way)
{
    clock->untold[way] += !clock->sized;
}

static void enter(pj_io_clock *clock, uint64_t time, uint64_t from, uint64_t to)
{
    bool inside = is_inside(time, from, to);
    clock->calls += inside;
    clock->sized = !inside;
}

static void change_mpi(pj_io_clock *clock, unsigned way, uint64_t time, uint64_t from, uint64_t to)
{
    if (clock->mpi)
        leave(clock, clock->mpi);
    add_overlap(clock, time, from, to);
    if (way != PJ_IO_LEFT)
        enter(clock, time, from, to);
    clock->mpi = (uint8_t)way;
    clock->since = time;
}

static void change_other(pj_io_clock *clock, unsigned way, uint64_t time, uint64_t from,
                         uint64_t to)
{
    if (clock->other && !clock->mpi)
        leave(clock, clock->other);
    add_overlap(clock, time, from, to);
    if (way != PJ_IO_LEFT && !clock->mpi)
        enter(clock, time, from, to);
    clock->other = (uint8_t)way;
    clock->since = time;
}

/// Once for a call.
static void take_size(pj_io_clock *clock, unsigned way, uint64_t bytes)
{
    if (way == PJ_IO_LEFT || clock->sized)
        return;
    clock->sized = true;
    clock->bytes[way] += bytes;
}

static void take_moved(pj_io_clock *clock, const pj_event *event, bool inside)
{
    clock->sized = true;
    if (event->b > PJ_IO_OTHER || !inside)
        return;
    if (event->a == UINT64_MAX)
        clock->untold[event->b]++;
    else
        clock->bytes[event->b] += event->a;
}

static pj_io_way way_of(uint64_t call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)call);
    return call == 0 ? PJ_IO_LEFT : row ? pj_io_way_named(pj_str_of(row->name)) : PJ_IO_OTHER;
}

void pj_io_clock_event(pj_io_clock *clock, const pj_event *event, uint64_t from, uint64_t to)
{
    if (event->kind == PJ_EV_MPI)
        change_mpi(clock, way_of(event->a), event->time, from, to);
    else if (event->code == PJ_IO_CALL)
        change_other(clock, (unsigned)event->a, event->time, from, to);
    else if (event->code == PJ_IO_SIZE && !clock->mpi)
        take_size(clock, clock->other, event->a);
    else if (event->code == PJ_IO_MPI_SIZE)
        take_size(clock, clock->mpi, event->a);
    else if (event->code == PJ_IO_MOVED)
        take_moved(clock, event, is_inside(event->time, from, to));
}

void pj_io_clock_end(pj_io_clock *clock, uint64_t time, uint64_t from, uint64_t to)
{
    add_overlap(clock, time, from, to);
    if (clock->mpi || clock->other)
        leave(clock, clock->mpi ? clock->mpi : clock->other);
    clock->mpi = clock->other = PJ_IO_LEFT;
}
