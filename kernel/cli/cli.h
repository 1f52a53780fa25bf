// The shell: one command line to one exit status. Ownership: none.
#ifndef PJ_CLI_H
#define PJ_CLI_H

#include <stdatomic.h>

/// Ended by `stop`: the caller knows which signal raised it.
enum { PJ_STATUS_DONE = 0, PJ_STATUS_FAILED = 1, PJ_STATUS_USAGE = 2, PJ_STATUS_STOPPED = -1 };

int pj_cli_run(int argc, const char *const *argv, atomic_bool *stop);

#endif
