// Values of device events of Paraver traces.
// Extrae's numbers of CUDA and HIP calls are the same; nsys2prv numbers calls as they come, so that
// their labels say what they are.
#include "metrics/read/paraver/prv_devices.h"

#include "metrics/base/str.h"
#include "metrics/trace/device.h"

#include <string.h>

enum {
    CUDA_CALL = 63000000,
    CUDA_COPY,
    CUDA_KERNEL = 63000006,
    CUDA_EXCHANGE,
    HIP_CALL = 63500000
};
enum { GRAPH = 63000008, CL_CALL = 64000000, CL_WORK = 64100000 };
enum { ACC_CALL = 66000000, ACC_DATA, ACC_LAUNCH };

/// Extrae's (cuda_common.h): 1 launch, 3 and 7 copy, 4 and 5 synchronise, 34 and 35 set memory.
static pj_device_call call_of_number(unsigned value)
{
    switch (value) {
    case 1:
        return PJ_DEVICE_CALL_LAUNCH;
    case 3:
    case 7:
    case 34:
    case 35:
        return PJ_DEVICE_CALL_COPY;
    case 4:
    case 5:
    case 37:
        return PJ_DEVICE_CALL_SYNC;
    default:
        return PJ_DEVICE_CALL_OTHER;
    }
}

/// What OpenCL is called for, on threads and on streams (Extrae's opencl_prv_events.c): 12 to 14
/// fill and copy, 15 to 17 compute, 18 and 19 read, 20 and 21 write, 49 to 52 the same without
/// waiting.
static pj_device_copy copy_of_opencl(uint64_t value)
{
    static const uint8_t copies[] = {
        [12] = PJ_DEVICE_COPY_SET,       [13] = PJ_DEVICE_COPY_INSIDE,
        [14] = PJ_DEVICE_COPY_INSIDE,    [18] = PJ_DEVICE_COPY_TO_HOST,
        [19] = PJ_DEVICE_COPY_TO_HOST,   [20] = PJ_DEVICE_COPY_TO_DEVICE,
        [21] = PJ_DEVICE_COPY_TO_DEVICE, [30] = PJ_DEVICE_COPY_SOME,
        [31] = PJ_DEVICE_COPY_SOME,      [32] = PJ_DEVICE_COPY_SOME,
        [49] = PJ_DEVICE_COPY_TO_HOST,   [50] = PJ_DEVICE_COPY_TO_HOST,
        [51] = PJ_DEVICE_COPY_TO_DEVICE, [52] = PJ_DEVICE_COPY_TO_DEVICE,
    };
    return value < sizeof copies ? (pj_device_copy)copies[value] : PJ_DEVICE_COPY_DONE;
}

static bool is_opencl_kernel(uint64_t value)
{
    return value >= 15 && value <= 17;
}

static pj_device_call call_of_opencl(uint64_t value)
{
    enum { FINISH = 25, WAIT = 27 };
    if (is_opencl_kernel(value))
        return PJ_DEVICE_CALL_LAUNCH;
    if (value == FINISH || value == WAIT)
        return PJ_DEVICE_CALL_SYNC;
    return !value                  ? PJ_DEVICE_CALL_LEFT
           : copy_of_opencl(value) ? PJ_DEVICE_CALL_COPY
                                   : PJ_DEVICE_CALL_OTHER;
}

/// What neither copies nor computes is no event. Streams of OpenCL have states, which say when a
/// kernel ends.
static bool take_opencl(pj_event *event)
{
    if (is_opencl_kernel(event->a)) {
        event->code = PJ_DEVICE_KERNEL;
        return true;
    }
    uint64_t value = event->a;
    event->a = copy_of_opencl(value);
    return event->a || !value;
}

/// nsys2prv's; Extrae's do not say which way.
static pj_device_copy copy_of_number(unsigned value)
{
    switch (value) {
    case 3:
        return PJ_DEVICE_COPY_INSIDE;
    case 4:
        return PJ_DEVICE_COPY_TO_HOST;
    case 5:
        return PJ_DEVICE_COPY_TO_DEVICE;
    case 6:
        return PJ_DEVICE_COPY_SET;
    default:
        return PJ_DEVICE_COPY_SOME;
    }
}

static bool has_label(const pj_pcf *pcf, uint64_t type, const char *text)
{
    const char *label = pj_pcf_type_label(pcf, type);
    return label && strcmp(label, text) == 0;
}

static bool is_nsys(const pj_pcf *pcf)
{
    return pcf && !pcf->state_count &&
           (has_label(pcf, CUDA_COPY, "CUDA memcpy kernel") ||
            has_label(pcf, CUDA_EXCHANGE, "NCCL kernel"));
}

static void name_calls(pj_prv_devices *devices, const pj_pcf *pcf, uint64_t type)
{
    const pj_pcf_value *values;
    size_t count = pcf ? pj_pcf_values(pcf, type, &values) : 0;
    for (size_t i = count; i-- > 0;) // of equal values the first counts
        if (values[i].value > 0 && values[i].value < PJ_PRV_DEVICE_VALUES)
            devices->calls[values[i].value] =
                (uint8_t)pj_device_call_named(pj_str_of(values[i].label));
}

static void name_copies(pj_prv_devices *devices, const pj_pcf *pcf)
{
    const pj_pcf_value *values;
    size_t count = pcf ? pj_pcf_values(pcf, CUDA_COPY, &values) : 0;
    for (size_t i = count; i-- > 0;)
        if (values[i].value > 0 && values[i].value < PJ_PRV_DEVICE_VALUES)
            devices->copies[values[i].value] =
                (uint8_t)pj_device_copy_named(pj_str_of(values[i].label));
}

/// "[CUDA memcpy Device-to-Host]" and its kin, among the names of kernels.
static void name_among_kernels(pj_prv_devices *devices, const pj_pcf *pcf)
{
    const pj_pcf_value *values;
    size_t count = pcf ? pj_pcf_values(pcf, CUDA_KERNEL, &values) : 0;
    for (size_t i = 0; i < count && devices->among_count < PJ_PRV_NAMED_COPIES; i++) {
        pj_str label = pj_str_of(values[i].label);
        if (values[i].value <= 0 || !pj_str_starts(label, PJ_S("[CUDA mem")))
            continue;
        size_t n = devices->among_count++;
        devices->among_kernels[n].value = (uint64_t)values[i].value;
        devices->among_kernels[n].copy = pj_device_copy_named(label);
    }
}

/// What ends is told by what is open on the stream, where copies are called kernels.
static void take_kernel(const pj_prv_devices *devices, pj_event *event)
{
    event->b = devices->among_count > 0 && event->a == 0;
    for (size_t i = 0; i < devices->among_count; i++)
        if (devices->among_kernels[i].value == event->a) {
            event->a = devices->among_kernels[i].copy;
            event->code = PJ_DEVICE_COPY;
            return;
        }
}

void pj_prv_devices_name(pj_prv_devices *devices, const pj_pcf *pcf, bool nsys)
{
    devices->nsys = nsys || is_nsys(pcf);
    for (unsigned value = 0; value < PJ_PRV_DEVICE_VALUES; value++) {
        devices->calls[value] =
            (uint8_t)(devices->nsys ? PJ_DEVICE_CALL_OTHER : call_of_number(value));
        devices->copies[value] =
            (uint8_t)(devices->nsys ? copy_of_number(value) : PJ_DEVICE_COPY_SOME);
    }
    name_calls(devices, pcf, HIP_CALL);
    name_calls(devices, pcf, CUDA_CALL);
    if (devices->nsys) {
        name_copies(devices, pcf);
        name_among_kernels(devices, pcf);
    }
    devices->calls[0] = PJ_DEVICE_CALL_LEFT;
    devices->copies[0] = PJ_DEVICE_COPY_DONE;
}

static pj_device_call call_of(const pj_prv_devices *devices, uint64_t type, uint64_t value)
{
    if (type == CL_CALL)
        return call_of_opencl(value);
    if (type >= ACC_CALL && value)
        return type == ACC_LAUNCH ? PJ_DEVICE_CALL_LAUNCH
               : type == ACC_DATA ? PJ_DEVICE_CALL_COPY
                                  : PJ_DEVICE_CALL_OTHER;
    return value < PJ_PRV_DEVICE_VALUES ? (pj_device_call)devices->calls[value]
                                        : PJ_DEVICE_CALL_OTHER;
}

bool pj_prv_devices_event(const pj_prv_devices *devices, uint64_t type, pj_event *event)
{
    switch (event->code) {
    case PJ_DEVICE_CALL:
        event->a = call_of(devices, type, event->a);
        return true;
    case PJ_DEVICE_COPY:
        if (type == CL_WORK)
            return take_opencl(event);
        event->a =
            event->a < PJ_PRV_DEVICE_VALUES ? devices->copies[event->a] : PJ_DEVICE_COPY_SOME;
        return true;
    case PJ_DEVICE_KERNEL:
        if (type != GRAPH)
            take_kernel(devices, event);
        return type != GRAPH || devices->nsys;
    case PJ_DEVICE_EXCHANGE:
        return devices->nsys;
    default:
        return true;
    }
}
