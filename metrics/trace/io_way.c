// Names of calls of input and output.
#include "metrics/trace/io_way.h"

pj_io_way pj_io_way_named(pj_str call)
{
    if (pj_str_contains(call, PJ_S("read")))
        return PJ_IO_READ;
    return pj_str_contains(call, PJ_S("write")) ? PJ_IO_WRITE : PJ_IO_OTHER;
}
