// Where this module lies in memory, as the linker knows it.
#include "metrics/record/rec_export.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

bool pj_rec_is_own(const void *address)
{
    const char *at = address;
    return at >= __ehdr_start && at < _end;
}
