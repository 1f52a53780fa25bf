// What each aspect of a run needs and says: a row at the bottom of the file of its sink, named in
// run/aspects.def. Ownership: constants.
#ifndef PJ_ASPECT_ROWS_H
#define PJ_ASPECT_ROWS_H

#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/sink.h"

enum { PJ_ASPECT_SINKS = 3 * PJ_ASPECT_COUNT };

typedef struct pj_aspect {
    /// Adds what listens to the trace, three at most; how many. NULL = nothing of its own does.
    size_t (*listen)(const pj_timeline_opts *timeline, pj_sink *out);
    bool merged;   // its sinks want the events of all threads in one order of time
    bool replayed; // the replay finds it
    bool named;    // with the names of regions (PJ_EV_ENTER, PJ_EV_LEAVE)
    /// What a summary that stands for its trace does not have; NULL = it is enough. `beside`: the
    /// trace is there, so that nothing less than all of it will do. NULL = always enough.
    const char *(*lack)(const pj_run *run, const pj_timeline_opts *timeline, bool beside);
    /// Whether a run in memory has to be read again for it. NULL = never.
    bool (*stale)(const pj_run *run);
} pj_aspect;

#define ASPECT(key, part) extern const pj_aspect pj_aspect_##key;
#define FOUND(key, type, part) ASPECT(key, part)
#include "metrics/run/aspects.def"
#undef FOUND
#undef ASPECT

/// Adds the sinks of all that is wanted to `out`, which has room for PJ_ASPECT_SINKS; how many.
size_t pj_aspects_listen(unsigned wanted, const pj_timeline_opts *timeline, pj_sink *out);
/// Whether something that is wanted needs threads merged by time.
bool pj_aspects_merged(unsigned wanted);
/// Whether something that is wanted needs the names of regions.
bool pj_aspects_named(unsigned wanted);
/// Whether the replay finds something that is wanted.
bool pj_aspects_replayed(unsigned wanted);
/// The first lack of a summary, to follow "a summary"; NULL = none.
const char *pj_aspects_lack(unsigned wanted, const pj_run *run, const pj_timeline_opts *timeline,
                            bool beside);
bool pj_aspects_stale(unsigned wanted, const pj_run *run);

#endif
