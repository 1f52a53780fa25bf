// Calls that wait for a device: synchronisations, and copies that block.
#include "metrics/ai/ai_calls.h"

#include "metrics/base/str.h"

static const pj_str waiting[] = {
    {"DeviceSynchronize", 17},
    {"StreamSynchronize", 17},
    {"EventSynchronize", 16},
    {"CtxSynchronize", 14},
    {"Memcpy", 6},
    {"Memcpy2D", 8},
    {"Memcpy3D", 8},
    {"MemcpyToSymbol", 14},
    {"MemcpyFromSymbol", 16},
    {"MemcpyWithStream", 16},
    {"MemcpyHtoD", 10},
    {"MemcpyDtoH", 10},
    {"MemcpyDtoD", 10},
};

/// Of Unified Runtime, its predecessor and Level Zero (Intel).
static const pj_str waiting_xpu[] = {
    {"urEventWait", 11},
    {"urQueueFinish", 13},
    {"piEventsWait", 12},
    {"piQueueFinish", 13},
    {"zeEventHostSynchronize", 22},
    {"zeFenceHostSynchronize", 22},
    {"zeCommandQueueSynchronize", 25},
    {"zeCommandListHostSynchronize", 28},
};

/// Without "_v7000", "_v2" and "_ptsz".
static pj_str without_version(pj_str name)
{
    size_t line;
    if (pj_str_ends(name, PJ_S("_ptsz")) || pj_str_ends(name, PJ_S("_ptds")))
        name.len -= 5;
    line = pj_str_find_last(name, '_');
    bool version = line + 2 < name.len && name.at[line + 1] == 'v';
    for (size_t i = line + 2; version && i < name.len; i++)
        version = name.at[i] >= '0' && name.at[i] <= '9';
    return version ? pj_str_head(name, line) : name;
}

pj_ai_doing pj_ai_call_doing(pj_str name)
{
    static const pj_str prefixes[] = {{"cuda", 4}, {"hip", 3}, {"cu", 2}};
    name = without_version(name);
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        if (!pj_str_starts(name, prefixes[p]))
            continue;
        pj_str rest = pj_str_from(name, prefixes[p].len);
        for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
            if (pj_str_equal(rest, waiting[i]))
                return PJ_AI_SYNCHRONISE;
        return PJ_AI_RUNTIME;
    }
    for (size_t i = 0; i < sizeof waiting_xpu / sizeof *waiting_xpu; i++)
        if (pj_str_equal(name, waiting_xpu[i]))
            return PJ_AI_SYNCHRONISE;
    return PJ_AI_RUNTIME;
}

bool pj_ai_call_is_hip(pj_str name)
{
    return pj_str_starts(name, PJ_S("hip"));
}
