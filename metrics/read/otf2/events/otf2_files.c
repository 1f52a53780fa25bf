// MPI-I/O reads and writes by POSIX, ISO C by POSIX, and each has records of its own: those of the
// outer one count.
#include "metrics/read/otf2/events/otf2_files.h"

#include "metrics/base/str.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/read/otf2/events/otf2_requests.h"
#include "metrics/trace/event.h"
#include "metrics/trace/io_way.h"
#include "metrics/trace/mpi_call.h"

enum { MODE_READ = 0, MODE_WRITE = 1 }; // OTF2_IoOperationMode
enum { HANDLE, MODE, FLAGS, BEGIN_NUMBER = 4, BYTES = 1, COMPLETE_NUMBER = 2 };
enum { NON_BLOCKING = 1, NUMBER_BITS = 32 }; // OTF2_IoOperationFlag

static void give(pj_otf2_location *location, uint64_t time, uint16_t what, uint64_t a, uint64_t b)
{
    pj_otf2_settle(location, time);
    pj_event *event = pj_otf2_give(location, time, PJ_EV_OTHER);
    event->code = what;
    event->a = a;
    event->b = b;
}

void pj_otf2_file_enter(pj_otf2_location *location, uint64_t time, uint32_t region)
{
    pj_str name = pj_str_of(pj_otf2_region_at(location, region)->name);
    if (location->now.files++ == 0)
        give(location, time, PJ_IO_CALL, pj_io_way_named(name), 0);
}

void pj_otf2_file_leave(pj_otf2_location *location, uint64_t time)
{
    if (location->now.files && --location->now.files == 0)
        give(location, time, PJ_IO_CALL, PJ_IO_LEFT, 0);
}

static bool is_within_another(const pj_otf2_location *location)
{
    const pj_otf2_standing *now = &location->now;
    bool mpi = now->calls && pj_otf2_region_at(location, now->call_region)->class_ == PJ_MPI_IO;
    return now->files > (mpi ? 0 : 1);
}

static uint64_t key_of(uint64_t handle, uint64_t number)
{
    return handle << NUMBER_BITS ^ number;
}

void pj_otf2_file_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    const uint64_t *field = event->field;
    pj_otf2_requests *operations = &location->pending.operations;
    uint64_t way = 0;
    if (event->type == PJ_OTF2_IO_OPERATION_COMPLETE) {
        if (pj_otf2_requests_take(operations, key_of(field[HANDLE], field[COMPLETE_NUMBER]), &way))
            give(location, time, PJ_IO_MOVED, field[BYTES], way);
        return;
    }
    way = field[MODE] == MODE_READ ? PJ_IO_READ : field[MODE] == MODE_WRITE ? PJ_IO_WRITE : way;
    if (!way || is_within_another(location))
        return;
    pj_otf2_requests_put(operations, key_of(field[HANDLE], field[BEGIN_NUMBER]), way);
    if (field[FLAGS] & NON_BLOCKING) // the call moves nothing that is not told, but later
        give(location, time, PJ_IO_MOVED, 0, way);
}
