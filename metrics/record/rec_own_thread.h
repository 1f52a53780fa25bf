// Threads of ours in the recorded program. Ownership: none.
#ifndef PJ_REC_OWN_THREAD_H
#define PJ_REC_OWN_THREAD_H

#include "metrics/record/rec_export.h"

#include <stdbool.h>
#include <stddef.h>

/// Starts one that nobody waits for and that gets no signals, which are the program's; false: none
/// could be made.
PJ_REC_API bool pj_rec_own_thread(void *(*run)(void *), size_t stack_bytes);

#endif
