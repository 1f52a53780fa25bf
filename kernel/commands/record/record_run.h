// One recording from its folder to its archive: of popinjay record, of a cell, of a case of a
// study. Ownership: texts borrowed.
#ifndef PJ_RECORD_RUN_H
#define PJ_RECORD_RUN_H

#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/commands/record/record_opts.h"
#include "metrics/base/err.h"
#include "metrics/record/merge/merge_parts.h"

typedef struct pj_record_run {
    pj_texts words; // the program and its arguments
    const char *folder;
    const pj_record_opts *opts;
    const pj_texts *options;         // what the recording depends on besides, to be kept
    const char *const *settings;     // of the program, besides the recorder's; may be NULL
    uint64_t ranks, threads, number; // of a case of a study, told in the facts; 0 = not said
    bool foreground;                 // as if the shell had started it
    const char *out, *errors;        // files of its output and messages; NULL = as they are
    uint64_t patience_ns;            // how long it may run; 0 = for ever
    void (*waits)(void *context);    // called now and then; may be NULL
    void *context;
} pj_record_run;

typedef struct pj_record_made {
    bool ran;
    int status;   // of the program, as a shell tells it
    bool partial; // of what was recorded something could not be merged
    pj_merged_parts merged;
} pj_record_made;

/// Runs the program and makes an archive of what its processes leave, also when it fails or is
/// ended early; what it was made of stands in the folder as well. False when nothing was recorded,
/// or it was interrupted (PJ_E_STOPPED) or ended because its time was over.
PJ_CHECKED bool pj_record_run_it(pj_session *session, const pj_record_run *run, pj_record_made *out,
                                 pj_err *err);

#endif
