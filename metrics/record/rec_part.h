// The part of a recording that this process writes: DIR/parts/<host>.<pid>.<ns>/ with `defs` and a
// pair of event files per thread. The state is the process's: it lives in somebody else's program.
// A part begins with the first event, so that shells and launchers make none. Ownership: borrow.
#ifndef PJ_REC_PART_H
#define PJ_REC_PART_H

#include "metrics/record/rec_export.h"

#include <stdbool.h>
#include <stdint.h>

/// Zero is the default of all.
typedef struct pj_rec_options {
    const char *folder; // DIR; default: $POPINJAY_RECORD; without both nothing is recorded
    uint64_t max_bytes; // of the events of this process; default: $POPINJAY_RECORD_MAX_SIZE, none
    bool profile; // call paths are counted in place of events; default: $POPINJAY_RECORD_PROFILE
} pj_rec_options;

/// Says how to record; the part itself is made with the first event. false when nothing will be
/// recorded: no folder, or the recording has ended.
PJ_REC_API bool pj_rec_start(pj_rec_options options);
/// Whether events are taken: there is a part, or the first event will make one.
PJ_REC_API bool pj_rec_active(void);
/// The same without asking the environment: whether somebody has started it.
PJ_REC_API bool pj_rec_started(void);
/// Closes the part in good order; later events are dropped. Happens by itself when the process
/// exits, and need not happen.
PJ_REC_API void pj_rec_finish(void);
/// Folder of the part; "" while there is none.
PJ_REC_API const char *pj_rec_part_folder(void);
enum { PJ_REC_BOOT_BYTES = 64 };
/// The boot of this system, whose processes have one clock; "" = not known.
PJ_REC_API void pj_rec_part_boot(char boot[PJ_REC_BOOT_BYTES]);

/// Whether there is a part; makes it when it is time.
bool pj_rec_part_ready(void);
/// Nothing more is recorded; says why beside the result.
PJ_REC_API void pj_rec_part_stop(const char *why);
/// Whether call paths are counted, and how deep they can be.
bool pj_rec_part_profiles(void);
uint32_t pj_rec_part_depth(void);
/// `bytes` more will be written; false beyond the limit.
bool pj_rec_part_spend(uint64_t bytes);
/// A call of a signal's handler came within an event and is not recorded: that is said at the end.
PJ_REC_API void pj_rec_part_miss(void);
/// Every 10 s: how the clock runs.
void pj_rec_part_tick(uint64_t ticks);

#endif
