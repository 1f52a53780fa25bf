// What a wizard needs, made up: runs by the name of their path, folders, calls that wait until the
// test lets them through. One at a time. Ownership: plain struct; fake_host_free.
#ifndef PJ_FAKE_HOST_H
#define PJ_FAKE_HOST_H

#include "widgets/wizard/wizard.h"

#include <pthread.h>

enum { FAKE_CALLS = 64 };

typedef struct fake_host {
    pj_arena *arena;
    pthread_mutex_t lock;
    pthread_cond_t change;
    void (*calls[FAKE_CALLS])(void *context);
    void (*drops[FAKE_CALLS])(void *context);
    void *contexts[FAKE_CALLS];
    size_t call_count;
    atomic_uint loads;    // traces that were read
    atomic_uint released; // wizards that ended
    json_t *kept;
    const char *listed; // the last folder
    json_t *shown[PJ_WIZARD_SLOTS];
    const char *written; // path of the last file; its size, its text
    size_t written_bytes;
    const char *written_text;
    const char *reported; // path of the last report
    char printed[64];     // path of the last document
} fake_host;

void fake_host_init(fake_host *fake);
void fake_host_free(fake_host *fake);
/// Runs load by name: "4x1.prv" has 4 ranks of 1 thread, "4x1.gpu.prv" devices, too; a name with
/// "bad" fails, one with "slow" reports progress until it is stopped;
/// the runs of the notebooks are real.
pj_wizard_host fake_host_of(fake_host *fake);
/// Waits for a call that is due and makes it; false when none comes in 10 s.
bool fake_host_pump(fake_host *fake);
/// Makes what is due without waiting.
void fake_host_drain(fake_host *fake, bool gone);

#endif
