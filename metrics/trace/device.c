// Labels of streams as Extrae (cuda_prv_semantics.c) and nsys2prv write them.
#include "metrics/trace/device.h"

#include "metrics/base/map.h"

#include <ctype.h>
#include <string.h>

static const char *const kind_names[PJ_STREAM_KINDS] = {
    [PJ_STREAM_NONE] = "thread",   [PJ_STREAM_CUDA] = "cuda",     [PJ_STREAM_HIP] = "hip",
    [PJ_STREAM_OPENCL] = "opencl", [PJ_STREAM_DEVICE] = "device", [PJ_STREAM_SAMPLES] = "samples",
};

const char *pj_device_kind_name(pj_device_kind kind)
{
    return kind < PJ_STREAM_KINDS ? kind_names[kind] : NULL;
}

static size_t count_while(pj_str text, int (*is)(int))
{
    size_t n = 0;
    while (n < text.len && is((unsigned char)text.at[n]))
        n++;
    return n;
}

/// "D<d>.S<s>[-<node>]"
static bool parse_numbered(pj_str rest, pj_device_label *out)
{
    if (!pj_str_starts(rest, PJ_S("D")))
        return false;
    size_t digits = count_while(pj_str_from(rest, 1), isdigit);
    if (digits == 0)
        return false;
    out->device = pj_str_head(rest, 1 + digits);
    rest = pj_str_from(rest, 1 + digits);
    if (!pj_str_starts(rest, PJ_S(".S")) && rest.len)
        return false;
    out->node = pj_str_from(rest, pj_str_find(rest, '-') + 1);
    return true;
}

/// "<uuid8>.<s>"
static bool parse_uuid(pj_str rest, pj_device_label *out)
{
    size_t digits = count_while(rest, isxdigit);
    out->device = pj_str_head(rest, digits);
    return digits && pj_str_starts(pj_str_from(rest, digits), PJ_S("."));
}

pj_device_label pj_device_of_label(pj_str label)
{
    static const struct {
        pj_str begin;
        pj_device_kind kind;
        bool (*parse)(pj_str rest, pj_device_label *out);
    } forms[] = {
        {{"CUDA-", 5}, PJ_STREAM_CUDA, parse_numbered},
        {{"HIP-", 4}, PJ_STREAM_HIP, parse_numbered},
        {{"OpenCL-", 7}, PJ_STREAM_OPENCL, parse_numbered},
        {{"GPU-", 4}, PJ_STREAM_DEVICE, parse_numbered},
        {{"GPU_", 4}, PJ_STREAM_DEVICE, parse_uuid},
    };
    const pj_str samples = PJ_S("Metrics GPU");
    if (pj_str_starts(label, samples))
        return (pj_device_label){.kind = PJ_STREAM_SAMPLES,
                                 .device = pj_str_from(label, samples.len)};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        pj_device_label out = {.kind = forms[i].kind};
        if (pj_str_starts(label, forms[i].begin) &&
            forms[i].parse(pj_str_from(label, forms[i].begin.len), &out))
            return out;
    }
    return (pj_device_label){.kind = PJ_STREAM_NONE};
}

pj_str pj_device_stream_number(pj_str name)
{
    size_t at = pj_device_of_label(name).kind != PJ_STREAM_NONE ? pj_str_find(name, '.')
                                                                : pj_str_find_last(name, ':');
    pj_str number = at < name.len ? pj_str_from(name, at + 1) : name;
    size_t digits = pj_str_starts(number, PJ_S("S")) ? 1 : 0;
    digits += count_while(pj_str_from(number, digits), isdigit);
    return isdigit((unsigned char)(digits ? number.at[digits - 1] : 0))
               ? pj_str_head(number, digits)
               : name;
}

static bool holds(pj_str name, const char *part)
{
    return pj_str_contains(name, pj_str_of(part));
}

pj_device_call pj_device_call_named(pj_str name)
{
    static const struct {
        const char *part;
        pj_device_call call;
    } parts[] = {
        {"ynchronize", PJ_DEVICE_CALL_SYNC},      {"wait", PJ_DEVICE_CALL_SYNC},
        {"Finish", PJ_DEVICE_CALL_SYNC}, // clFinish
        {"LaunchHostFunc", PJ_DEVICE_CALL_OTHER}, {"aunch", PJ_DEVICE_CALL_LAUNCH},
        {"NDRangeKernel", PJ_DEVICE_CALL_LAUNCH}, {"emcpy", PJ_DEVICE_CALL_COPY},
        {"emset", PJ_DEVICE_CALL_COPY},           {"ReadBuffer", PJ_DEVICE_CALL_COPY},
        {"target submit", PJ_DEVICE_CALL_LAUNCH}, // OpenMP
        {"WriteBuffer", PJ_DEVICE_CALL_COPY},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (holds(name, parts[i].part))
            return parts[i].call;
    return PJ_DEVICE_CALL_OTHER;
}

uint16_t pj_device_call_state(pj_device_call call)
{
    enum { STATE_SYNC = 5 }; // Extrae's
    switch (call) {
    case PJ_DEVICE_CALL_LEFT:
        return PJ_STATE_RUNNING;
    case PJ_DEVICE_CALL_SYNC:
        return STATE_SYNC;
    case PJ_DEVICE_CALL_COPY:
        return PJ_STATE_COPY;
    case PJ_DEVICE_CALL_LAUNCH:
        return PJ_STATE_LAUNCH;
    case PJ_DEVICE_CALL_OTHER:
        break;
    }
    return PJ_STATE_OTHERS;
}

/// "Host-to-Device", "HOST_TO_DEVICE", "HtoD".
static bool goes(pj_str name, const char *const forms[3])
{
    return holds(name, forms[0]) || holds(name, forms[1]) || holds(name, forms[2]);
}

pj_device_copy pj_device_copy_named(pj_str name)
{
    static const char *const to_device[] = {"Host-to-Device", "HOST_TO_DEVICE", "HtoD"};
    static const char *const to_host[] = {"Device-to-Host", "DEVICE_TO_HOST", "DtoH"};
    static const char *const inside[] = {"Device-to-Device", "DEVICE_TO_DEVICE", "DtoD"};
    if (holds(name, "emset"))
        return PJ_DEVICE_COPY_SET;
    return goes(name, to_device) ? PJ_DEVICE_COPY_TO_DEVICE
           : goes(name, to_host) ? PJ_DEVICE_COPY_TO_HOST
           : goes(name, inside)  ? PJ_DEVICE_COPY_INSIDE
                                 : PJ_DEVICE_COPY_SOME;
}

uint32_t pj_device_streams(const pj_device_stream *streams, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += streams[i].kind != PJ_STREAM_SAMPLES;
    return n;
}

static uint64_t hash(const char *text)
{
    uint64_t value = UINT64_C(0xcbf29ce484222325); // FNV-1a
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return value;
}

const char **pj_device_keys(const pj_device_stream *streams, uint32_t count, pj_arena *arena,
                            uint32_t *devices, uint32_t *device_of)
{
    const char **keys = pj_new_n(arena, const char *, count);
    pj_map seen = {0};
    *devices = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = PJ_NO_DEVICE;
        uint64_t key = hash(streams[i].device);
        while (pj_map_get(&seen, key, &at) && strcmp(keys[at], streams[i].device) != 0)
            key++;
        bool samples = streams[i].kind == PJ_STREAM_SAMPLES;
        if (!samples && !pj_map_get(&seen, key, &at)) {
            at = (*devices)++;
            pj_map_put(&seen, key, at);
            keys[at] = streams[i].device;
        }
        if (device_of)
            device_of[i] = samples ? PJ_NO_DEVICE : at;
    }
    pj_map_free(&seen);
    return keys;
}
