// How much memory the process has, over time: a thread of ours reads it. Ownership: the process's.
#ifndef PJ_REC_MEMORY_H
#define PJ_REC_MEMORY_H

/// Begins the thread, if $POPINJAY_RECORD_MEMORY says how often ("10ms"). Each reading is an event
/// of a location of its own, and a line of the part's file `memory`: ticks, bytes. The process is
/// recorded, and its first thread has begun.
void pj_rec_memory_begin(void);

#endif
