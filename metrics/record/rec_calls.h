// Calls that are looked at when they end: one that was too short is taken back, a function that is
// called too often is switched off. What is left out is told in the log. Ownership: a thread's own.
#ifndef PJ_REC_CALLS_H
#define PJ_REC_CALLS_H

#include "metrics/record/rec_thread.h"

#include <stdbool.h>
#include <stdint.h>

/// Whether calls are looked at: $POPINJAY_RECORD_MIN_DURATION ("10us", or ns) and _AUTO_OFF
/// ("10000:1us": visits, and their mean).
bool pj_rec_calls_wanted(void);
/// The innermost region of the thread ends. Whether its enter was taken back: there is no leave to
/// write.
bool pj_rec_calls_end(pj_rec_thread *thread, uint64_t ticks);
/// Logs what was taken back.
void pj_rec_calls_close(pj_rec_thread *thread);

/// Told of a region whose functions are not to be recorded any more; whether there are such.
PJ_REC_API void pj_rec_calls_switch(bool (*off)(uint32_t region));

#endif
