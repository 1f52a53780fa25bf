// Records of streams and calls of the runtime of devices.
// Of what is nested, or overlaps within a stream, the outermost begin and the last end count. A
// copy ends with the operation that it began as: Score-P gives all copies of CUDA the same id, of
// which any that is open may then be the one that ends.
#include "metrics/read/otf2/events/otf2_device.h"

#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/trace/device.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"

enum { MOST_COPIES = 4096 }; // that are open at once; of more the ids are not kept

static void give(pj_otf2_location *location, uint64_t time, uint16_t code, uint64_t value)
{
    pj_event *event = pj_otf2_give(location, time, PJ_EV_DEVICE);
    event->code = code;
    event->a = value;
}

static const pj_otf2_region *region_of(const pj_otf2_location *location, uint64_t id)
{
    return pj_otf2_region_at(location, pj_otf2_look_up_region(location, id, PJ_OTF2_OF_REGION));
}

static void keep_copy(pj_otf2_moves *open, pj_otf2_moved copy)
{
    if (open->count == MOST_COPIES) {
        open->unknown++;
        return;
    }
    pj_grow(open->items, &open->cap, open->count + 1);
    open->items[open->count++] = copy;
}

/// False when no such copy is open.
static bool drop_copy(pj_otf2_moves *open, pj_otf2_moved copy)
{
    for (size_t i = 0; i < open->count; i++)
        if (open->items[i].id == copy.id && open->items[i].window == copy.window) {
            open->items[i] = open->items[--open->count];
            return true;
        }
    if (!open->unknown)
        return false;
    open->unknown--;
    return true;
}

/// What is a region has a window of its own.
static pj_otf2_moved copy_of_region(uint64_t region)
{
    return (pj_otf2_moved){PJ_OTF2_UNDEFINED, region};
}

static void open_copy(pj_otf2_location *location, uint64_t time, pj_device_copy way, uint64_t bytes)
{
    location->now.copies++;
    give(location, time, PJ_DEVICE_COPY, way);
    location->events[location->event_count - 1].b = bytes;
}

static void close_copy(pj_otf2_location *location, uint64_t time, pj_otf2_moved copy)
{
    if (!drop_copy(&location->copying, copy)) {
        pj_otf2_count(location, PJ_IMPORT_copy_not_begun);
        return;
    }
    if (location->now.copies && --location->now.copies == 0)
        give(location, time, PJ_DEVICE_COPY, PJ_DEVICE_COPY_DONE);
}

static void enter(pj_otf2_location *location, uint64_t time, uint64_t id)
{
    const pj_otf2_region *region = region_of(location, id);
    if (region->work == PJ_OTF2_WORK_KERNEL) {
        location->now.kernels++;
        give(location, time, PJ_DEVICE_KERNEL, 1);
    } else if (region->work == PJ_OTF2_WORK_COPY) {
        keep_copy(&location->copying, copy_of_region(id));
        open_copy(location, time, pj_device_copy_named(pj_str_of(region->name)), 0);
    }
}

static void leave(pj_otf2_location *location, uint64_t time, uint64_t id)
{
    const pj_otf2_region *region = region_of(location, id);
    if (region->work == PJ_OTF2_WORK_COPY)
        close_copy(location, time, copy_of_region(id));
    else if (region->work == PJ_OTF2_WORK_KERNEL && location->now.kernels &&
             --location->now.kernels == 0)
        give(location, time, PJ_DEVICE_KERNEL, 0);
}

/// Whether a stream is at the other end of an operation.
static bool is_inside(const pj_otf2_location *location, const pj_otf2_event *event)
{
    uint64_t window = pj_otf2_global_of(location, PJ_OTF2_OF_WINDOW, event->field[0]);
    uint32_t found;
    return pj_map_get(&location->defs->stream_ranks, window << 32 | event->field[1], &found);
}

static void move(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event,
                 pj_device_copy way)
{
    if (is_inside(location, event))
        way = PJ_DEVICE_COPY_INSIDE;
    keep_copy(&location->copying, (pj_otf2_moved){event->field[0], event->field[3]});
    open_copy(location, time, way, event->field[2]);
}

/// RMA_GET of a stream brings data to the device; RMA_PUT takes them to the host.
void pj_otf2_stream_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    switch (event->type) {
    case PJ_OTF2_ENTER:
        enter(location, time, event->field[0]);
        return;
    case PJ_OTF2_LEAVE:
        leave(location, time, event->field[0]);
        return;
    case PJ_OTF2_RMA_GET:
        move(location, time, event, PJ_DEVICE_COPY_TO_DEVICE);
        return;
    case PJ_OTF2_RMA_PUT:
        move(location, time, event, PJ_DEVICE_COPY_TO_HOST);
        return;
    case PJ_OTF2_RMA_OP_COMPLETE_BLOCKING:
    case PJ_OTF2_RMA_OP_COMPLETE_NON_BLOCKING:
        close_copy(location, time, (pj_otf2_moved){event->field[0], event->field[1]});
        return;
    default:
        return;
    }
}

void pj_otf2_stream_goes_on(pj_otf2_location *location, const pj_otf2_standing *at)
{
    const pj_otf2_standing *now = &location->now;
    if (!now->kernels != !at->kernels)
        give(location, at->last, PJ_DEVICE_KERNEL, at->kernels > 0);
    if (!now->copies != !at->copies)
        give(location, at->last, PJ_DEVICE_COPY,
             at->copies ? PJ_DEVICE_COPY_SOME : PJ_DEVICE_COPY_DONE);
    location->copying.count = 0;
    location->copying.unknown = at->copies;
}

void pj_otf2_device_enter(pj_otf2_location *location, uint64_t time, uint32_t region)
{
    if (location->now.device_calls++ > 0)
        return;
    pj_otf2_settle(location, time);
    give(location, time, PJ_DEVICE_CALL, pj_otf2_region_at(location, region)->device_call);
}

void pj_otf2_device_leave(pj_otf2_location *location, uint64_t time)
{
    if (!location->now.device_calls || --location->now.device_calls > 0)
        return;
    pj_otf2_settle(location, time);
    give(location, time, PJ_DEVICE_CALL, PJ_DEVICE_CALL_LEFT);
}
