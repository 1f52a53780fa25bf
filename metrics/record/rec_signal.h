// Signals that are held back: all of them, or that of a write beyond the limit of a file's size,
// which fails here and does not end the program, as SIGXFSZ would. Ownership: the caller's struct.
#ifndef PJ_REC_SIGNAL_H
#define PJ_REC_SIGNAL_H

#include "metrics/record/rec_export.h"

#include <signal.h>
#include <stdbool.h>

typedef struct pj_rec_signal {
    sigset_t before;
    bool pending; // already
} pj_rec_signal;

/// Around writes: the calling thread gets no SIGXFSZ between them.
void pj_rec_signal_hold(pj_rec_signal *held);
/// Keeps errno.
void pj_rec_signal_release(const pj_rec_signal *held);

/// No handler of a signal runs on the calling thread until they are let through again: one that
/// reads or writes files is recorded, too.
PJ_REC_API void pj_rec_signal_hold_all(sigset_t *before);
PJ_REC_API void pj_rec_signal_let(const sigset_t *before);

/// Whether the caller runs in a handler that has a stack of its own.
PJ_REC_API bool pj_rec_signal_stack(void);

#endif
