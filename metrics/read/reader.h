// Formats of input and the one way to read any of them: by content, never by name.
// Ownership: a pass is the caller's; what readers store in its run is the run's arena.
#ifndef PJ_READER_H
#define PJ_READER_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/read/cutter.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/sink.h"

/// One pass over an input: what is filled, who listens, and what an earlier pass has learnt.
typedef struct pj_pass {
    pj_run *run;
    const pj_sink *sinks;
    size_t sink_count;
    pj_job *job;
    /// How far the times of a location go back, in ns, one per location; NULL = not known. A pass
    /// that meets unordered times leaves it to be freed by the caller; another pass with it
    /// delivers the events of each location in order.
    uint64_t *disorder;
    /// What a reader has found out in one pass and wants to use in the next (clock shifts). The
    /// pass leaves it to be freed by the caller with free().
    void *learnt;
    bool learning;    // set by the pass: another one would use what this one has learnt
    bool by_location; // the sinks take one location after another: times need not be merged
    bool regions;     // the sinks want PJ_EV_ENTER and PJ_EV_LEAVE
    /// A run that an earlier pass has left, for which pj_reader_knows holds: only what has times in
    /// [from_ns, to_ns] is read, for states and messages. NULL = all is read.
    const pj_run *known;
    uint64_t from_ns, to_ns;
    bool raw_clock; // clocks are taken as they are
    bool again;     // set by the pass: the input may be read another time
    /// Who reads the input together; NULL = this process alone. The leader has the result.
    pj_process_group *group;
    bool ranks_apart; // set by the reader: ranks are whole, each at one member of the process group
    bool
        apart; // set by the pass: a process group cannot share this input, one process must read it
} pj_pass;

/// What an input becomes.
typedef enum pj_gives {
    PJ_GIVES_EVENTS,  // batches of events for the sinks of a pass
    PJ_GIVES_RUN,     // a whole run (run->provenance): no sink is asked
    PJ_GIVES_PROFILE, // a profile, through a builder
    PJ_GIVES_ADVICE,  // nothing: `profile` fails and says what makes a file that is read
} pj_gives;

struct pj_build; // metrics/profile/build/profile_build.h

typedef struct pj_reader {
    const char *name;     // "prv"
    const char *title;    // "Paraver trace"
    const char *suffixes; // ".prv .prv.gz"
    const char *parts;    // of its other files, where there are `several`: ".def .evt"
    pj_gives gives;
    /// Whether `head`, the first bytes of an input without its compression, begins an input of this
    /// format; NULL = it is no single file.
    bool (*sniff)(pj_str head);
    /// A text that tells it wherever it comes, for what programs print behind output of any length;
    /// at most 64 bytes. NULL = the first bytes tell it.
    const char *late_mark;
    /// Whether a folder is one input of this format; NULL = it is no folder.
    bool (*sniff_folder)(const char *folder);
    /// Events or a run.
    bool (*read)(pj_source *source, pj_pass *pass, pj_err *err);
    /// A profile. The source is a file (pj_source_next, or pj_source_whole) or a folder
    /// (`folder` of its facts, pj_source_path), whose files are opened with pj_source_open and
    /// pj_source_job. Damage is told by pj_source_damaged.
    bool (*profile)(pj_source *source, struct pj_build *build, pj_err *err);
    /// Whether the run says which of its parts hold which times, and its input is the same still;
    /// NULL = never.
    bool (*knows)(const pj_run *run);
    const pj_cutter *cut; // NULL = its traces cannot be cut
    bool several;         // the input is one of several files and must be a file itself
    bool shares; // a process group can read it, unless it is compressed or comes through a pipe
    bool aside;  // the leader of more than one reads nothing: what they send keeps it busy
} pj_reader;

static inline bool pj_reader_gives_trace(const pj_reader *reader)
{
    return reader->gives == PJ_GIVES_EVENTS || reader->gives == PJ_GIVES_RUN;
}

/// The rows of readers.def; NULL past the end.
const pj_reader *pj_reader_at(unsigned index);
/// The first row that recognises the first bytes of the input `name`, unless a later one does, too,
/// and its suffixes alone fit the name; NULL = none.
const pj_reader *pj_reader_guess(const char *name, pj_str head);
/// The row that recognises a file or a folder; NULL = none does, or it is a pipe, which is read
/// only once.
const pj_reader *pj_reader_of_path(const char *path);
/// Whether a file may be called so, by the row's suffixes.
bool pj_reader_fits_name(const pj_reader *reader, const char *name);
/// Fails with PJ_E_USAGE where a trace is wanted: "PATH: is a cProfile profile: popinjay profile".
bool pj_reader_no_trace(const pj_reader *reader, const char *path, pj_err *err);
/// The row that read a run; NULL = none that is known.
const pj_reader *pj_reader_of_run(const pj_run *run);
/// Whether a part of the run can be read again by itself.
bool pj_reader_knows(const pj_run *run);

/// Reads the file `path` (pass->run->path) into pass->run and ends the sinks. Errors: PJ_E_IO,
/// PJ_E_FORMAT (no known format, or nothing in it can be used), PJ_E_USAGE (it is a profile),
/// PJ_E_STOPPED, PJ_E_MEMORY.
PJ_CHECKED bool pj_read_file(const char *path, pj_pass *pass, pj_err *err);
/// The same for bytes in memory.
PJ_CHECKED bool pj_read_memory(const char *name, pj_str bytes, pj_pass *pass, pj_err *err);

/// Reads the file or folder `path` into a builder; the row that did, NULL with an error
/// (PJ_E_USAGE: it is a trace).
PJ_CHECKED const pj_reader *pj_read_profile(const char *path, pj_job *job, struct pj_build *build,
                                            pj_err *err);
/// The same for bytes in memory.
PJ_CHECKED const pj_reader *pj_read_profile_memory(const char *name, pj_str bytes, pj_job *job,
                                                   struct pj_build *build, pj_err *err);

/// For readers: tells the sinks that the layout is known, and hands them events.
PJ_CHECKED bool pj_pass_begin(pj_pass *pass, pj_err *err);
PJ_CHECKED bool pj_pass_events(pj_pass *pass, const pj_batch *batch, pj_err *err);

/// Whether a sink names this kind among those that it looks at.
bool pj_pass_asks(const pj_pass *pass, pj_event_kind kind);

/// The sink that has the call trees of locations; NULL = none.
const pj_sink *pj_pass_calls(const pj_pass *pass);

/// Whether a sink wants what streams of devices do.
bool pj_pass_has_devices(const pj_pass *pass);

/// For readers in a process group: events of this member's own threads, for the sinks that take
/// these apart.
PJ_CHECKED bool pj_pass_own(pj_pass *pass, const pj_batch *batch, pj_err *err);
/// The leader's events of all threads in order, for the other sinks.
PJ_CHECKED bool pj_pass_all(pj_pass *pass, const pj_batch *batch, pj_err *err);
/// Members together: news of their ranks go round until there are no more. Nothing where the ranks
/// are not apart.
PJ_CHECKED bool pj_pass_trade(pj_pass *pass, pj_err *err);
/// Bits of the pj_event_kind that the sinks of pj_pass_all look at.
unsigned pj_pass_kinds(const pj_pass *pass);

#endif
