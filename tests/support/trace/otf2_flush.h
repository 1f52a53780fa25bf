// What every archive written with libotf2 needs: its buffers are flushed, its calls succeed.
#ifndef PJ_OTF2_FLUSH_H
#define PJ_OTF2_FLUSH_H

#include <otf2/otf2.h>

/// Writes a buffer that is full, and whatever is left at the end.
extern const OTF2_FlushCallbacks pj_otf2_flush;

/// Fails the running test with the words of libotf2.
void pj_otf2_good(OTF2_ErrorCode code);

#endif
