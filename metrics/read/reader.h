// Formats of input and the one way to read any of them: by content, never by name.
// Ownership: a pass is the caller's; what readers store in its run is the run's arena.
#ifndef PJ_READER_H
#define PJ_READER_H

#include "metrics/base/crew.h"
#include "metrics/base/pool.h"
#include "metrics/read/source.h"
#include "metrics/run/run.h"
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
    pj_crew *crew;
    bool ranks_apart; // set by the reader: ranks are whole, each at one member of the crew
    bool apart;       // set by the pass: a crew cannot share this input, one process must read it
} pj_pass;

typedef struct pj_reader {
    const char *name;  // "prv"
    const char *title; // "Paraver trace"
    const char *suffixes;
    /// Whether `head`, the first bytes of an input, begins an input of this format.
    bool (*sniff)(pj_str head);
    bool (*read)(pj_source *source, pj_pass *pass, pj_err *err);
    /// Whether the run says which of its parts hold which times, and its input is the same still;
    /// NULL = never.
    bool (*knows)(const pj_run *run);
    bool several; // the input is one of several files and must be a file itself
    bool shares;  // a crew can read it, unless it is compressed or comes through a pipe
    bool aside;   // the leader of more than one reads nothing: what they send keeps it busy
    bool folded;  // gives a whole run (run->provenance) and no events: no sink is asked
} pj_reader;

/// The rows of readers.def; NULL past the end.
const pj_reader *pj_reader_at(unsigned index);
const pj_reader *pj_reader_guess(pj_str head);
/// Whether a part of the run can be read again by itself.
bool pj_reader_knows(const pj_run *run);

/// Reads the file `path` (pass->run->path) into pass->run and ends the sinks. Errors: PJ_E_IO,
/// PJ_E_FORMAT (no known format, or nothing in it can be used), PJ_E_STOPPED, PJ_E_MEMORY.
bool pj_read_file(const char *path, pj_pass *pass, pj_err *err);
/// The same for bytes in memory.
bool pj_read_memory(const char *name, pj_str bytes, pj_pass *pass, pj_err *err);

/// For readers: tells the sinks that the layout is known, and hands them events.
bool pj_pass_begin(pj_pass *pass, pj_err *err);
bool pj_pass_events(pj_pass *pass, const pj_batch *batch, pj_err *err);

/// Whether a sink names this kind among those that it looks at.
bool pj_pass_asks(const pj_pass *pass, pj_event_kind kind);

/// Whether a sink wants what streams of devices do.
bool pj_pass_has_devices(const pj_pass *pass);

/// For readers in a crew: events of this member's own threads, for the sinks that take these apart.
bool pj_pass_own(pj_pass *pass, const pj_batch *batch, pj_err *err);
/// The leader's events of all threads in order, for the other sinks.
bool pj_pass_all(pj_pass *pass, const pj_batch *batch, pj_err *err);
/// Members together: news of their ranks go round until there are no more. Nothing where the ranks
/// are not apart.
bool pj_pass_trade(pj_pass *pass, pj_err *err);
/// Bits of the pj_event_kind that the sinks of pj_pass_all look at.
unsigned pj_pass_kinds(const pj_pass *pass);

#endif
