// Opens the module around libotf2.
#include "metrics/read/otf2/otf2_lib.h"

#include "metrics/base/module.h"

const pj_otf2_lib *pj_otf2_lib_open(pj_err *err)
{
    return pj_module_open("popinjay-otf2.so", "pj_otf2_module",
                          "OTF2 archives need libotf2 (Debian: libopen-trace-format2-10)", err);
}

pj_otf2_archive *pj_otf2_lib_archive(const pj_otf2_lib *lib, const pj_otf2_anchor *anchor,
                                     pj_err *err)
{
    pj_otf2_archive *archive = lib->open(anchor->path, anchor->packing ? NULL : err);
    if (!archive && anchor->packing)
        pj_fail(err, PJ_E_MISSING, anchor->path, 0,
                "is %s, which the installed libotf2 was built without (Debian's is); "
                "install one that has it, or record the archive anew in plain files",
                anchor->packing);
    return archive;
}
