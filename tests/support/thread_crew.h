// A crew of threads in one process: what processes do over a network, without one.
#ifndef PJ_THREAD_CREW_H
#define PJ_THREAD_CREW_H

#include "metrics/base/crew.h"

typedef void pj_thread_work(pj_crew *crew, void *context);

/// Runs `work` in `size` threads; crew->range is `range`. The leader runs in the caller's.
void pj_thread_crew_run(unsigned size, uint64_t range, pj_thread_work *work, void *context);

#endif
