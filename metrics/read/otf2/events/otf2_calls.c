// The first thread of a rank makes its teams. Members enter the parallel region as their outermost
// one: it stands below the call path in which the first thread has it.
#include "metrics/read/otf2/events/otf2_calls.h"

#include "metrics/base/buf.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/read/otf2/otf2_parameters.h"
#include "metrics/trace/path_tree.h"

#include <inttypes.h>

void pj_otf2_calls_enter(pj_otf2_location *location, uint64_t time, uint32_t region)
{
    pj_path_tree *calls = location->calls;
    if (pj_otf2_region_at(location, region)->construct == PJ_OTF2_PARALLEL) {
        if (!location->worker)
            pj_path_tree_fork(calls, region, location->now.forks ? calls->fork_ns : time);
        else if (calls->depth == 0)
            pj_path_tree_join(calls, region, time);
    }
    pj_path_tree_enter(calls, region, time);
}

void pj_otf2_calls_leave(pj_otf2_location *location, uint64_t time, uint32_t region, bool innermost)
{
    if (innermost && location->calls->depth)
        pj_path_tree_leave(location->calls, time);
    else if (location->calls->depth)
        pj_path_tree_leave_region(location->calls, region, time);
}

void pj_otf2_calls_parameter(pj_otf2_location *location, const pj_otf2_event *event)
{
    const pj_otf2_parameters *known = location->defs->parameters;
    uint64_t parameter = pj_otf2_global_of(location, PJ_OTF2_OF_PARAMETER, event->field[0]);
    uint64_t value = event->field[1];
    pj_auto_buf text = {.at = NULL};
    if (event->type == PJ_OTF2_PARAMETER_STRING)
        pj_buf_puts(&text, pj_otf2_parameters_text(
                               known, pj_otf2_global_of(location, PJ_OTF2_OF_STRING, value)));
    else if (event->type == PJ_OTF2_PARAMETER_INT)
        pj_buf_addf(&text, "%" PRId64, (int64_t)value);
    else
        pj_buf_addf(&text, "%" PRIu64, value);
    pj_path_tree_parameter(location->calls, pj_otf2_parameters_name(known, parameter), text.at);
}

void pj_otf2_calls_file(pj_otf2_location *location, uint64_t handle)
{
    const char *file = pj_otf2_parameters_file(
        location->defs->parameters, pj_otf2_global_of(location, PJ_OTF2_OF_HANDLE, handle));
    if (file)
        pj_path_tree_parameter(location->calls, "file", file);
}

void pj_otf2_calls_end(pj_otf2_location *location)
{
    pj_path_tree *calls = location->calls;
    pj_path_tree_end(calls, location->now.last);
    for (size_t i = 0; i < calls->variant_count; i++)
        calls->variants[i].what = pj_otf2_region_at(location, calls->variants[i].what)->number;
    for (size_t i = 1; i < calls->count; i++)
        if (!(calls->nodes[i].what & (PJ_PATH_JOINED | PJ_PATH_VARIANT | PJ_PATH_OTHERS)))
            calls->nodes[i].what = pj_otf2_region_at(location, calls->nodes[i].what)->number;
}
