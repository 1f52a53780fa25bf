// Part of the module around libotf2: its estimates of sizes.
#include "metrics/read/otf2/otf2_sizes.h"

#include <otf2/OTF2_EventSizeEstimator.h>
#include <otf2/otf2.h>

#include <string.h>

extern const pj_otf2_sizes pj_otf2_module_sizes;

/// OTF2_EventSizeEstimator_SetNumberOf<name>Definitions
#define KINDS(row)                                                                                 \
    row(String) row(LocationGroup) row(Location) row(Region) row(Group) row(Metric) row(Comm)      \
        row(Parameter) row(RmaWin) row(Attribute) row(SourceCodeLocation) row(CallingContext)      \
            row(InterruptGenerator) row(IoFile) row(IoHandle)

static bool set_count(OTF2_EventSizeEstimator *estimator, const pj_otf2_def_count *of)
{
#define ROW(name)                                                                                  \
    if (strcmp(of->kind, #name) == 0)                                                              \
        return OTF2_EventSizeEstimator_SetNumberOf##name##Definitions(estimator, of->count) ==     \
               OTF2_SUCCESS;
    KINDS(ROW)
#undef ROW
    return true;
}

static bool estimate(const pj_otf2_sized *what, uint64_t sizes[PJ_OTF2_SIZE_COUNT])
{
    OTF2_EventSizeEstimator *estimator = OTF2_EventSizeEstimator_New();
    if (!estimator)
        return false;
    bool ok = true;
    for (size_t i = 0; i < what->count_count; i++)
        ok &= set_count(estimator, &what->counts[i]);
#define OTF2_SIZE(name)                                                                            \
    sizes[PJ_OTF2_SIZE_##name] = OTF2_EventSizeEstimator_GetSizeOf##name(estimator);
#include "metrics/read/otf2/otf2_sizes.def"
#undef OTF2_SIZE
    sizes[PJ_OTF2_SIZE_Metric] =
        OTF2_EventSizeEstimator_GetSizeOfMetricEvent(estimator, what->counters);
    sizes[PJ_OTF2_SIZE_ProgramBegin] =
        OTF2_EventSizeEstimator_GetSizeOfProgramBeginEvent(estimator, what->arguments);
    OTF2_EventSizeEstimator_Delete(estimator);
    return ok;
}

__attribute__((visibility("default"))) const pj_otf2_sizes pj_otf2_module_sizes = {
    .estimate = estimate,
};
