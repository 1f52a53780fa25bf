// The parts of a summary whose size grows with the run: each is written within a budget and read
// again here. Ownership: what is written is new; what is read is the run's arena.
#ifndef PJ_SUMMARY_PARTS_H
#define PJ_SUMMARY_PARTS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

#include <jansson.h>

/// As JSON; what is no UTF-8 becomes question marks.
json_t *pj_summary_text(const char *text);

/// Streams of devices, unless they are of too many.
void pj_summary_streams_write(const pj_layout *layout, json_t *into);
/// Of as many ranks as the layout has.
void pj_summary_streams_read(const json_t *from, pj_layout *layout, pj_arena *arena);

/// Of an AI run: the account of its devices.
json_t *pj_summary_account_write(const pj_run *run);
/// False when it does not fit the devices.
PJ_CHECKED bool pj_summary_account_read(const json_t *from, pj_run *run);

/// Totals, counters and ideal times of threads and ranks: the finest form that fits.
json_t *pj_summary_threads_write(const pj_run *run, size_t budget);
/// The layout is known, the totals are allocated here.
PJ_CHECKED bool pj_summary_threads_read(const json_t *from, pj_run *run, pj_err *err);
/// Whether what was written is rounded.
bool pj_summary_threads_rounded(const json_t *from);

/// A part that holds an aspect of the run (run/aspects.def).
typedef struct pj_summary_part {
    const char *name; // in the file; NULL = summaries do not keep it
    size_t budget;    // bytes of what `write` gives
    /// NULL = the run has none of it.
    json_t *(*write)(const pj_run *run, size_t budget);
    /// Adds what the room that is left allows; may be NULL.
    void (*write_more)(const pj_run *run, size_t room, json_t *into);
    unsigned keeps; // 1/keeps of what is left for threads is kept for `write_more`; 0 = nothing
    bool (*read)(json_t *from, pj_run *run, pj_err *err);
} pj_summary_part;

extern const pj_summary_part pj_summary_part_functions; // of pj_run.functions
extern const pj_summary_part pj_summary_part_none;      // of what summaries do not keep
#define ASPECT(key, part) extern const pj_summary_part pj_summary_part_##part;
#define FOUND(key, type, part) ASPECT(key, part)
#include "metrics/run/aspects.def"
#undef FOUND
#undef ASPECT

#endif
