// A write beyond the limit of a file's size fails here; it does not end the program, as SIGXFSZ
// would. Ownership: the caller's struct.
#ifndef PJ_REC_SIGNAL_H
#define PJ_REC_SIGNAL_H

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

#endif
