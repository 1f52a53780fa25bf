// What of a program is recorded and how, as rows of the command and as what the recorder finds in
// its environment. Ownership: texts borrowed; what is made is arena.
#ifndef PJ_RECORD_OPTS_H
#define PJ_RECORD_OPTS_H

#include "kernel/command/command.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_record_opts {
    const char *counters, *hook, *children, *filter, *include, *exclude, *modules, *auto_off,
        *memory, *lines, *c_functions;
    double min_duration, sample; // ns
    uint64_t max_size, depth;
    bool profile, all, no_python, keep, io, openmp, blas, trace;
    bool quiet;       // no row here: what is recorded does not depend on it
    const char *home; // a folder whose modules the program may import; NULL = none besides its own
} pj_record_opts;

/// Whether call paths are counted in place of events: with a trace they are taken from that.
static inline bool pj_record_opts_counts(const pj_record_opts *opts)
{
    return opts->profile && !opts->trace;
}

/// A row is a variable, too: POPINJAY_RECORD_MAX_SIZE of "max-size".
extern const pj_param pj_record_rows[];

/// Where sitecustomize lies, which starts the recorder in every Python; NULL with PJ_E_MISSING.
PJ_CHECKED const char *pj_record_site(pj_arena *arena, pj_err *err);
/// Whether a filter file is one and limits can be read. PJ_E_USAGE, PJ_E_IO, PJ_E_FORMAT.
PJ_CHECKED bool pj_record_opts_check(const pj_record_opts *opts, const atomic_bool *stop,
                                     pj_err *err);
/// "NAME=value" for every process of the program, which is recorded into `folder`; ends with NULL.
/// `more` (ends with NULL, may be NULL) are added.
const char *const *pj_record_settings(const pj_record_opts *opts, const char *folder,
                                      const char *const *more, pj_arena *arena, pj_err *err);
/// The options as words of a command line of popinjay record, appended.
void pj_record_opts_words(const pj_record_opts *opts, pj_arena *arena, pj_texts *words);

#endif
