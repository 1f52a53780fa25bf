// One call of input or output while it runs. Ownership: borrow; one per wrapper.
#ifndef PJ_REC_POSIX_CALL_H
#define PJ_REC_POSIX_CALL_H

#include "metrics/record/rec_thread.h"

#include <stdbool.h>
#include <stdint.h>

/// OTF2_IoOperationMode.
typedef enum pj_rec_posix_mode {
    PJ_REC_POSIX_READ,
    PJ_REC_POSIX_WRITE,
    PJ_REC_POSIX_FLUSH,
} pj_rec_posix_mode;

typedef struct pj_rec_posix_call {
    pj_rec_thread *thread;
    uint32_t region;
    int kept;  // errno
    bool late; // it is a signal handler's, within an event of the thread
} pj_rec_posix_call;

typedef struct pj_rec_posix_operation {
    uint32_t handle;
    uint64_t number;
} pj_rec_posix_operation;

/// What a wrapper knows of its function.
typedef struct pj_rec_posix_function {
    const char *name; // as it is shown
    int role;
    uint32_t region; // 0 = not yet known
    void *real;      // the library's own; NULL = not yet known
} pj_rec_posix_function;

/// The library's own function `symbol`.
void *pj_rec_posix_real(pj_rec_posix_function *function, const char *symbol);
/// Whether what `caller` asks for may be recorded at all: the process is, and it is not us.
bool pj_rec_posix_wanted(const void *caller);
/// Enters the region of the function; false: nothing of the call is recorded.
bool pj_rec_posix_begin(pj_rec_posix_call *call, pj_rec_posix_function *function);
/// The library's function has returned: keeps its errno.
void pj_rec_posix_back(pj_rec_posix_call *call);
void pj_rec_posix_end(pj_rec_posix_call *call);

/// Handle 0: nothing is written.
pj_rec_posix_operation pj_rec_posix_operate(const pj_rec_posix_call *call, uint32_t handle,
                                            pj_rec_posix_mode mode, uint64_t bytes);
/// `done`: bytes, negative on failure.
void pj_rec_posix_complete(const pj_rec_posix_call *call, pj_rec_posix_operation operation,
                           int64_t done);
/// `flags` are those of open.
void pj_rec_posix_create(const pj_rec_posix_call *call, uint32_t handle, int flags);
void pj_rec_posix_destroy(const pj_rec_posix_call *call, uint32_t handle);
void pj_rec_posix_duplicate(const pj_rec_posix_call *call, uint32_t from, uint32_t to);
void pj_rec_posix_seek(const pj_rec_posix_call *call, uint32_t handle, int64_t offset, int whence,
                       uint64_t result);

#endif
