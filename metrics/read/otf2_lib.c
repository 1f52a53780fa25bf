// Opens the module around libotf2.
#include "metrics/read/otf2_lib.h"

#include "metrics/base/module.h"

const pj_otf2_lib *pj_otf2_lib_open(pj_err *err)
{
    return pj_module_open("popinjay-otf2.so", "pj_otf2_module",
                          "OTF2 archives need libotf2 (Debian: libopen-trace-format2-10)", err);
}
