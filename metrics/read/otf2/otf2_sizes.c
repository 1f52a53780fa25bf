// Asks the module around libotf2 what events cost.
#include "metrics/read/otf2/otf2_sizes.h"

#include "metrics/base/module.h"

bool pj_otf2_sizes_estimate(const pj_otf2_sized *what, uint64_t sizes[PJ_OTF2_SIZE_COUNT],
                            pj_err *err)
{
    const pj_otf2_sizes *lib =
        pj_module_open("popinjay-otf2.so", "pj_otf2_module_sizes",
                       "sizes of events need libotf2 (Debian: libopen-trace-format2-10)", err);
    return lib && (lib->estimate(what, sizes) ||
                   pj_fail(err, PJ_E_MISSING, NULL, 0, "libotf2 does not tell sizes of events"));
}
