// Score-P 2.0 to 9.0 and eztrace 2.0.
#include "tests/support/trace/archives.h"

static const char *const real[] = {
    "eztrace-cg-4x1/eztrace_log.otf2",
    "eztrace-heat-1x1/eztrace_log.otf2",
    "eztrace-heat-2x1/eztrace_log.otf2",
    "eztrace-heat-4x1/eztrace_log.otf2",
    "eztrace-hybrid-2x2/eztrace_log.otf2",
    "eztrace-hybrid-4x2/eztrace_log.otf2",
    "eztrace-omp-0x1/eztrace_log.otf2",
    "eztrace-omp-0x2/eztrace_log.otf2",
    "eztrace-omp-0x4/eztrace_log.otf2",
    "eztrace-p2p-2x1/eztrace_log.otf2",
    "fastotf2-mi300/traces.otf2",
    "pipit-ping-pong-otf2/traces.otf2",
    "pipit-ping-pong-otf2-papi/traces.otf2",
    "sstmacro-traces/traces.otf2",
    "tracer-stencil4d-32/traces.otf2",
};

const char *archives_real(size_t index)
{
    return index < sizeof real / sizeof *real ? real[index] : NULL;
}
