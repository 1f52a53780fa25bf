// What remains of one execution after its trace has been read: bounded by locations, not events.
// Ownership: counted reference (Lua, studies and metrics hold a run together); its data are arena.
#ifndef PJ_RUN_H
#define PJ_RUN_H

#include "metrics/base/arena.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/meter.h"

/// What a thread does that is neither useful nor idle, in MPI calls by their kind, else by state.
typedef enum pj_spent {
    PJ_SPENT_SYNC, // barriers, locks
    PJ_SPENT_FORK, // scheduling, fork, join
    PJ_SPENT_P2P,
    PJ_SPENT_COLLECTIVE,
    PJ_SPENT_MPI, // other MPI calls
    PJ_SPENT_IO,
    PJ_SPENT_OTHER,
    PJ_SPENT_DEVICE, // in the runtime of devices, outside MPI
    PJ_SPENT_KINDS   // number of kinds
} pj_spent;

/// One row of `popinjay stats`: totals of a thread, times in ns (DEFINITIONS 1).
typedef struct pj_totals {
    uint64_t useful_ns;        // state Running
    uint64_t serial_useful_ns; // Running outside OpenMP regions
    uint64_t openmp_useful_ns; // Running inside OpenMP regions
    uint64_t openmp_ns;        // inside OpenMP regions, whatever the state
    uint64_t outside_mpi_ns;   // runtime less the part inside MPI calls
    uint64_t runtime_ns;       // states other than Idle and Tracing disabled
    uint64_t mpi_ns;           // inside MPI calls, in these states
    uint64_t mpi_serial_ns;    // the part of it outside OpenMP regions
    uint64_t mpi_io_ns;        // of spent_ns[PJ_SPENT_IO], what MPI calls are
    uint64_t io_overlap_ns;    // of it, inside calls of other input and output as well
    uint64_t device_calls_ns;  // inside calls of the runtime of devices, in any state
    uint64_t last_event_ns;   // of its last event, or the end of computation that goes on behind it
    uint64_t first_record_ns; // time of its first record of any kind; UINT64_MAX = none
    uint64_t spent_ns[PJ_SPENT_KINDS];
    uint64_t io_calls; // of input and output, those within others left out
    uint64_t io_read_bytes, io_written_bytes;
    uint64_t io_read_untold, io_written_untold; // calls of which the trace does not tell them
} pj_totals;

/// A hardware counter summed over useful time. Index 0 and 1 of pj_run.counters are always
/// instructions and cycles, present or not.
enum { PJ_COUNTER_INSTRUCTIONS = 0, PJ_COUNTER_CYCLES = 1 };
typedef struct pj_counter {
    const char *name; // "instructions", "cycles", else the trace's own label
    uint64_t type;    // event type in the trace
    bool present;
    int64_t *useful; // by location
} pj_counter;

/// Result of the ideal-network replay.
typedef struct pj_ideal {
    bool available;
    const char *reason; // why not, when not available
    double runtime_ns;
    double *finish_ns;  // by rank: of the thread that ends last
    double *first_ns;   // by rank: of its first thread
    double *ahead_ns;   // by rank: what that comes to the region of interest before the last one
    double *compute_ns; // by rank
} pj_ideal;

/// Members of an MPI communicator. A list that holds -1 (MPI_COMM_SELF) has no members: every rank
/// is alone in it.
typedef struct pj_communicator {
    uint32_t application; // from 0; ids count anew in each application
    uint32_t id;          // the trace's number: what PJ_EV_COLLECTIVE carries in `a`
    bool inter;           // inter-communicator: the members of both groups
    uint32_t size;
    uint32_t *ranks; // from 0, numbered through all applications
} pj_communicator;

/// A function, construct or call of the program that the trace names.
typedef struct pj_region {
    const char *name;
    const char *file; // NULL = not in the trace
    uint32_t line;    // where it begins; 0 = not in the trace
    const char *kind; // "mpi", "omp", "user": as in profiles (profile/region_kinds.def); static
    bool phase;       // the trace says that it is a phase of the program
    bool root;        // the recorder's own: the thread lives, and what it does is not said
} pj_region;

/// What the trace calls a value of OpenMP events.
typedef struct pj_label {
    uint64_t value;
    const char *text;
    uint16_t code; // PJ_OMP_*; of a parameter PJ_LABEL_PARAMETERS + its index
} pj_label;

enum { PJ_LABEL_PARAMETERS = 1 << 15 };

/// A part of a file, and the times of its records from the earliest to the latest: to look at a
/// time, no other parts need to be read.
typedef struct pj_part {
    uint64_t offset, bytes;
    uint64_t first_ns, last_ns; // UINT64_MAX = a state without end
} pj_part;

typedef struct pj_roi {
    bool set;  // clipped to [from_ns, to_ns)
    bool drop; // states that cross a border are left out instead
    uint64_t from_ns, to_ns;
    uint64_t cut_bursts; // Running bursts that crossed a border
} pj_roi;

/// The time, or the border that it lies behind.
static inline uint64_t pj_roi_clip(const pj_roi *roi, uint64_t time)
{
    if (!roi->set)
        return time;
    return time < roi->from_ns ? roi->from_ns : time > roi->to_ns ? roi->to_ns : time;
}

/// A sentence for the analyst, shown under every result of the run.
typedef struct pj_remark {
    pj_severity severity;
    const char *text;
    const char *key; // what it is about, for programs
} pj_remark;

typedef struct pj_remarks {
    pj_remark *items;
    size_t count, cap;
} pj_remarks;

/// Where a run comes from that was read from a summary (read/summary/summary.h).
typedef struct pj_provenance {
    const char *source;   // file name of the trace
    const char *format;   // name of the reader that read it
    const char *options;  // that it was read with, always in the same words
    const char *program;  // version that wrote the summary
    uint64_t fingerprint; // of the trace (base/fingerprint.h)
    uint64_t names;       // of the files of names beside it; 0 = there are none
    uint64_t bytes;       // of the trace as stored
    uint64_t text_bytes;  // of the trace after decompression
    unsigned version;     // of the summary (PJ_SUMMARY_VERSION)
    bool alone;           // the run's own file is the summary: its events are not at hand
    bool rounded;         // values of single threads are not exact; sums, means and maxima are
} pj_provenance;

/// Who measured a run that came as sums, when, and of which version of the code; of summaries the
/// code alone. NULL = not told.
typedef struct pj_run_origin {
    const char *version;  // of the tool: "3.6.0"
    const char *whole;    // what it calls the whole run: "Global"
    const char *measured; // when, as the file has it
    const char *commit, *branch;
    const char *committed; // when
} pj_run_origin;

struct pj_network;

/// What codes of events stand for.
typedef struct pj_run_names {
    pj_communicator *communicators; // in the order of the trace
    uint32_t communicator_count;
    pj_region *regions; // of archives; each once; OpenMP events carry 1 + its index
    uint32_t region_count;
    pj_label *labels; // of other traces, in the order of (code, value)
    size_t label_count;
    const char **parameters; // names; where a pass asks for them
    const char **texts;      // that parameters take as values
    uint32_t parameter_count, text_count;
} pj_run_names;

/// Of a what-if: the same run with `ideal` from another network, which its name tells. NULL = it is
/// the run itself.
typedef struct pj_other_network {
    struct pj_run *base; // on the ideal network; held
    const struct pj_network *network;
    const char *label;
} pj_other_network;

/// Of a part that is a case by itself: a region, a window, an iteration. Its values are those of
/// the part alone. NULL = it is a run itself.
typedef struct pj_part_of {
    struct pj_run *whole; // the part lives as long as that
    const char *name;     // "solve"
} pj_part_of;

/// Parts of a run, in the order of its source.
typedef struct pj_run_parts {
    struct pj_run **items;
    size_t count, cap;
} pj_run_parts;

/// How a trace tells what its program did, for those who replay it.
typedef struct pj_told {
    bool forks_traced;   // regions open at their fork: workers need no master
    bool starts_go_on;   // MPI_Start of a send never waits for its receiver
    bool windows;        // one-sided synchronisation names its ranks
    bool states_unread;  // states may change where no counter is read
    bool messages_apart; // there are PJ_EV_PART; see pj_part_kind
} pj_told;

/// What reading a part of the file has to know.
typedef struct pj_ranged {
    pj_part *parts; // in the order of the file; none when it has to be read whole
    size_t count;
    bool states_overlap;    // of one thread or stream: what it does depends on earlier records
    bool streams_by_events; // what a stream does is told by events, which need those before them
} pj_ranged;

typedef struct pj_run {
    pj_arena *arena;
    _Atomic uint32_t references;

    const char *path;        // as opened
    const char *name;        // file name without .prv, .prv.gz, .otf2
    const char *format;      // reader's name: "prv"
    const char *_Atomic tag; // "" when none; cells may set it while others compute
    uint64_t file_bytes;
    uint64_t text_bytes; // after decompression
    uint64_t events;     // records read

    pj_layout layout;
    pj_meters meters; // of energy and power that the trace holds
    pj_run_names names;
    bool has_mpi;    // any MPI event
    bool has_openmp; // any OpenMP level event
    bool no_states;  // useful time and runtime are not known
    pj_told told;
    bool unsettled;   // the reader has learnt what another pass needs
    const void *kept; // by its reader, for itself alone; NULL = nothing
    uint64_t end_ns;  // max(header, last record)
    uint64_t last_record_ns;
    pj_ranged ranged;
    bool chopped;        // the trace says that it was cut out of a longer one
    bool idealised;      // the trace says that a replay wrote it
    const char *damage;  // which file of several is broken and how; NULL = none
    uint64_t runtime_ns; // max over threads of totals[].runtime_ns
    pj_totals *totals;   // by location
    bool spent_unknown;  // the totals lack spent_ns: read from an old summary
    bool io_unknown; // the totals lack what tells MPI-I/O from the rest: read from an old summary
    bool spent_rounded; // not exact by thread: read from the summary of a large run
    pj_counter *counters;
    uint32_t counter_count; // >= 2

    pj_roi roi;
    // Aspects: NULL until something asks for them.
#define ASPECT(key, part)
#define FOUND(key, type, part) const struct pj_##type *key;
#include "metrics/run/aspects.def"
#undef FOUND
#undef ASPECT
    const struct pj_functions *functions;   // the same: by function (parts/functions.h)
    const struct pj_iterations *iterations; // the same (parts/iterations.h); without borders
    const struct pj_slices *slices;         // the same: the run cut along time (parts/slices.h)
    const struct pj_ai_account *ai;         // of AI runs: what their devices did in all of the time
    pj_ideal ideal;
    pj_other_network other;
    pj_part_of part;
    pj_run_parts parts;
    pj_import_stats import;
    pj_remarks remarks;

    const pj_provenance *provenance; // NULL = read from the trace
    bool untraced;                   // from a file of sums: no events, no values of threads
    const pj_run_origin *origin;     // of such a run; NULL = not told
    const struct pj_sums *sums;      // with it; NULL = follow from the totals
} pj_run;

/// Whether the end of the run is looked at: no region of interest ends before it.
static inline bool pj_run_ends_inside(const pj_run *run)
{
    return !run->roi.set || run->roi.to_ns >= run->end_ns;
}

/// An empty run that holds one reference.
pj_run *pj_run_new(const char *path);
pj_run *pj_run_hold(pj_run *run);
void pj_run_release(pj_run *run);
static inline void pj_run_drop(pj_run **run)
{
    pj_run_release(*run);
}
#define pj_auto_run __attribute__((cleanup(pj_run_drop))) pj_run *

/// The run beside itself on another network; a new reference. All but `ideal`, which it copies, is
/// that of `base`, which it holds.
pj_run *pj_run_case(pj_run *base, const pj_ideal *ideal, const char *network_label);
/// Adds a part to a run whose layout is known: a run of its own in the arena of `whole`, allocated
/// for the same layout (give it another one and allocate again where fewer ranks take part), all
/// values 0. Holding it holds `whole`.
pj_run *pj_run_add_part(pj_run *whole, pj_str name);
/// Adds a part of which nothing but sums is known, which live as long as `whole`.
pj_run *pj_run_add_sums(pj_run *whole, pj_str name, const struct pj_sums *sums);
/// The run that this one is a part of; else itself.
const pj_run *pj_run_whole(const pj_run *run);
/// Sets the tag of the run and of what it is a case of.
void pj_run_set_tag(pj_run *run, pj_str tag);

/// Allocates totals and the two standard counters for run->layout.
void pj_run_allocate(pj_run *run);
/// Whether a thread calls the runtime of devices; of these the trace need not tell anything.
bool pj_run_calls_devices(const pj_run *run);
/// `key` says to programs what it is about, and stays.
void pj_run_remark(pj_run *run, pj_severity severity, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
