// How soon the system lets a thread run that has something to do. Threads that only pass messages
// on ask for short turns of the processor: these come at once, also while cells compute.
#ifndef PJ_SLICE_H
#define PJ_SLICE_H

/// Of the calling thread and of those it starts. Needs no rights; Linux before 6.12 ignores it.
void pj_slice_short(void);
/// Back to what threads that compute have.
void pj_slice_default(void);

#endif
