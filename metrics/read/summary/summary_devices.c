// What devices did: values of each, in the order of the devices of streams, and the time that
// threads spent in their runtime.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/read/summary/summary_vectors.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"

enum { BUDGET = 16000, PLAIN = 6, VALUES = PLAIN + PJ_DEVICE_IDLE_CAUSES + 1 };

/// The values of a device; the last one is whether bytes are known.
static uint64_t *value_of(pj_device_sum *device, size_t value)
{
    uint64_t *const plain[PLAIN] = {&device->kernels,     &device->useful_ns,
                                    &device->transfer_ns, &device->transfer_total_ns,
                                    &device->to_device,   &device->to_host};
    return value < PLAIN ? plain[value] : &device->idle_ns[value - PLAIN];
}

/// Vectors over `count` items, zeroed.
static pj_summary_vectors vectors(const char *const *names, size_t values, uint32_t count,
                                  pj_arena *arena)
{
    uint32_t *first = pj_new_n(arena, uint32_t, 2);
    first[1] = count;
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, values),
                            .count = values,
                            .ranks = 1,
                            .first = first};
    for (size_t i = 0; i < values; i++)
        v.items[i] = (pj_summary_vector){names[i], pj_new_n(arena, int64_t, count + 1)};
    return v;
}

static pj_summary_vectors by_device(uint32_t count, pj_arena *arena)
{
    const char *names[VALUES] = {"kernels",           "useful_ns", "transfer_ns",
                                 "transfer_total_ns", "to_device", "to_host"};
    for (unsigned cause = 0; cause < PJ_DEVICE_IDLE_CAUSES; cause++)
        names[PLAIN + cause] = pj_device_idle_key((pj_device_idle)cause);
    names[VALUES - 1] = "bytes_known";
    return vectors(names, VALUES, count, arena);
}

static pj_summary_vectors by_thread(uint32_t count, pj_arena *arena)
{
    static const char *const names[] = {"runtime_ns"};
    return vectors(names, 1, count, arena);
}

static json_t *write(const pj_run *run, size_t budget)
{
    const pj_devices *devices = run->devices;
    if (!devices)
        return NULL;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_device(devices->count, arena);
    for (uint32_t d = 0; d < devices->count; d++) {
        for (size_t i = 0; i < VALUES - 1; i++)
            v.items[i].values[d] = (int64_t)*value_of(&devices->items[d], i);
        v.items[VALUES - 1].values[d] = devices->items[d].bytes_known;
    }
    pj_summary_vectors threads = by_thread(run->layout.locations, arena);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        threads.items[0].values[i] = (int64_t)devices->runtime_ns[i];
    json_t *out = json_pack("{s:I, s:I, s:o, s:o}", "count", (json_int_t)devices->count, "early",
                            (json_int_t)devices->early, "values",
                            pj_summary_vectors_encode(&v, budget / 2, false), "threads",
                            pj_summary_vectors_encode(&threads, budget / 2, false));
    if (run->ai)
        json_object_set_new(out, "account", pj_summary_account_write(run));
    return out;
}

static bool damaged(const pj_run *run, pj_err *err)
{
    return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: what its devices did");
}

static void take_values(const pj_summary_vectors *v, pj_devices *devices)
{
    for (uint32_t d = 0; d < devices->count; d++) {
        for (size_t i = 0; i < VALUES - 1; i++) {
            int64_t value = v->items[i].values[d];
            *value_of(&devices->items[d], i) = value > 0 ? (uint64_t)value : 0;
        }
        devices->items[d].bytes_known = v->items[VALUES - 1].values[d] > 0;
    }
}

/// The devices of the streams that the layout has.
static pj_devices *new_devices(const pj_run *run)
{
    const pj_layout *layout = &run->layout;
    pj_devices *out = pj_new(run->arena, pj_devices);
    uint32_t *device_of = pj_new_n(run->arena, uint32_t, layout->stream_count + 1);
    const char **keys =
        pj_device_keys(layout->streams, layout->stream_count, run->arena, &out->count, device_of);
    out->items = pj_new_n(run->arena, pj_device_sum, out->count + 1);
    out->runtime_ns = pj_new_n(run->arena, uint64_t, layout->locations + 1);
    for (uint32_t d = 0; d < out->count; d++)
        out->items[d].key = keys[d];
    for (uint32_t s = 0; s < layout->stream_count; s++)
        if (device_of[s] != PJ_NO_DEVICE)
            out->items[device_of[s]].streams++;
    return out;
}

static bool read(json_t *from, pj_run *run, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_devices *devices = new_devices(run);
    json_int_t count = json_integer_value(json_object_get(from, "count"));
    json_int_t early = json_integer_value(json_object_get(from, "early"));
    if (count < 1 || count != devices->count || early < 0)
        return damaged(run, err);
    pj_summary_vectors v = by_device(devices->count, arena);
    pj_summary_vectors threads = by_thread(run->layout.locations, arena);
    if (!pj_summary_vectors_decode(json_object_get(from, "values"), &v, run->path, err) ||
        !pj_summary_vectors_decode(json_object_get(from, "threads"), &threads, run->path, err))
        return false;
    take_values(&v, devices);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        int64_t ns = threads.items[0].values[i];
        devices->runtime_ns[i] = ns > 0 ? (uint64_t)ns : 0;
    }
    devices->early = (uint64_t)early;
    run->devices = devices;
    const json_t *account = json_object_get(from, "account");
    return !account || pj_summary_account_read(account, run) || damaged(run, err);
}

/// What the devices of the run did.
const pj_summary_part pj_summary_part_devices = {
    .name = "devices", .budget = BUDGET, .write = write, .read = read};
