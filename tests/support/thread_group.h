// A process group of threads in one process: what processes do over a network, without one.
#ifndef PJ_THREAD_GROUP_H
#define PJ_THREAD_GROUP_H

#include "metrics/base/process_group.h"

typedef void pj_thread_work(pj_process_group *group, void *context);

/// Runs `work` in `size` threads. The leader runs in the caller's.
void pj_thread_group_run(unsigned size, pj_thread_work *work, void *context);

#endif
