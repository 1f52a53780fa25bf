// How libotf2 is told to flush, and what becomes of its errors in a test.
#include "tests/support/trace/otf2_flush.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static OTF2_FlushType flush_all(void *self, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool last)
{
    (void)self, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

const OTF2_FlushCallbacks pj_otf2_flush = {.otf2_pre_flush = flush_all};

void pj_otf2_good(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        fail_msg("%s", OTF2_Error_GetDescription(code));
}
