// One location of an OTF2 archive on its way from records to events of the run: what its regions,
// teams and calls mean for its states (DEFINITIONS 3), and the operations that tie it to
// other locations. Locations know nothing of each other and are filled in parallel.
// Ownership: new/free.
#ifndef PJ_OTF2_LOCATION_H
#define PJ_OTF2_LOCATION_H

#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/events/otf2_known.h"
#include "metrics/read/otf2/events/otf2_requests.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/path_tree.h"

typedef enum pj_otf2_op_kind {
    PJ_OTF2_OP_SEND,       // peer = receiver; begin = send
    PJ_OTF2_OP_RECEIVE,    // peer = sender; begin = post, end = completion
    PJ_OTF2_OP_INFERRED,   // a receive whose sender and completion are not in the trace
    PJ_OTF2_OP_COUNTED,    // one of these whose sender was found by its number
    PJ_OTF2_OP_SIGNAL,     // of a window, to peer; comm counts on behind the communicators
    PJ_OTF2_OP_SIGNALLED,  // the same from peer
    PJ_OTF2_OP_COLLECTIVE, // begin = enter, end = completion
} pj_otf2_op_kind;

/// Something that other locations take part in.
typedef struct pj_otf2_op {
    uint8_t kind;
    uint8_t operation; // of a collective: OTF2_CollectiveOp
    uint32_t peer;     // rank in the run; of a collective: rank of its root, or PJ_OTF2_NONE
    uint32_t comm;     // index in defs->comms
    uint32_t tag;      // of an inferred receive: number of the wait that ends it, from 1 on
    uint32_t message;  // of a send: kept by the matcher
    uint32_t number;   // where a location is not read whole: of a message in its flow
    uint64_t bytes;
    uint64_t begin, end; // ns
} pj_otf2_op;

typedef struct pj_otf2_frame {
    uint32_t region;
    uint8_t state;
} pj_otf2_frame;

/// The id of an operation is that of its window, and may come again while it is open.
typedef struct pj_otf2_moved {
    uint64_t window, id;
} pj_otf2_moved;

typedef struct pj_otf2_reading { // of the two counters
    uint64_t time;               // ns
    int64_t value[2];            // since the reading before
    bool has[2];
    bool due;
} pj_otf2_reading;

/// What a location is in, but for its open regions.
typedef struct pj_otf2_standing {
    uint64_t since, last; // ns: begin of the current state; time of the latest record
    uint64_t began;       // ns: time of the first record
    uint64_t call_begin;  // ns: of the outermost MPI region
    uint64_t collective_begin;
    uint32_t calls;       // MPI regions open
    uint32_t call_region; // the outermost one
    uint32_t collectives; // begun and not ended
    uint32_t forks, teams, parallels;
    uint32_t files;           // regions of input and output outside MPI that are open
    uint32_t device_calls;    // of a thread: regions of their runtime that are open
    uint32_t kernels, copies; // of a stream: what is open
    uint32_t inner_teams;     // of the teams: those that are nested by their definition
    uint64_t team;            // the outermost of them: PJ_TEAM_FIRST + its id
    uint8_t state, measured;  // now; when the measurement was switched off
    bool begun, off, was_on;
    bool just_off; // nothing has happened since
    bool in_body, in_parallel;
    bool asks;        // for a lock, it seems
    uint32_t unnamed; // critical sections that it is in whose lock no record names
    bool counting[2];
    pj_otf2_reading reading;
    uint64_t read_until; // time of the latest reading that was given out
    uint64_t read_last;  // of the latest one; only kept where there are borders
    bool alone;          // the reading that is due is the first one behind a border
    int64_t counted[2];  // value of the latest reading
    int64_t held[2];     // for the interval that has begun
} pj_otf2_standing;

/// Of a region of interest: see otf2_border.h.
typedef struct pj_otf2_border {
    uint64_t ns;
    uint64_t behind; // the first tick behind it; 0 = not looked for yet
} pj_otf2_border;

enum { PJ_OTF2_BORDERS = 2 };

struct pj_otf2_index;
struct pj_otf2_ranged;

/// What gives the records where our own decoder cannot; NULL = it does.
typedef struct pj_otf2_library {
    const pj_otf2_lib *lib;
    pj_otf2_archive *archive;
} pj_otf2_library;

/// The last events of bodies whose region is not yet known.
typedef struct pj_otf2_unnamed {
    unsigned count;
    size_t at[2]; // their places in `events`
} pj_otf2_unnamed;

/// Time of the latest record, in its clock and of the run.
typedef struct pj_otf2_latest {
    uint64_t ticks, ns;
} pj_otf2_latest;

/// Operations that wait for those of other locations.
typedef struct pj_otf2_ops {
    pj_otf2_op *at; // events of kind MESSAGE have the number of their operation in `a`
    size_t first, count, cap;
    uint64_t base; // number of at[0]
    size_t seen;   // ops known to the matcher
} pj_otf2_ops;

typedef struct pj_otf2_borders {
    pj_otf2_border at[PJ_OTF2_BORDERS]; // in order of time
    unsigned count;
} pj_otf2_borders;

/// The class of metrics that was used last.
typedef struct pj_otf2_metric_used {
    uint64_t id;
    const pj_otf2_metric *class_;
} pj_otf2_metric_used;

enum { PJ_OTF2_IDS = 9 };

/// Global ids of a location's own ones, by kind (PJ_OTF2_OF_...).
typedef struct pj_otf2_ids {
    pj_map maps[PJ_OTF2_IDS];
    bool mapped[PJ_OTF2_IDS]; // there is a map at all
} pj_otf2_ids;

/// What it has begun and what has not come back yet.
typedef struct pj_otf2_pending {
    pj_otf2_requests requests;
    pj_otf2_requests collectives; // requested and not completed: their number in place of the time
    pj_otf2_requests operations;  // of files that have begun: their pj_io_way in place of the time
    pj_otf2_requests sends;       // on their way: the same; only where their ends are told
    uint64_t send_count;          // told so far
    uint32_t collective_count;    // requested so far
    pj_map channels;              // of parts, by (peer, communicator)
    uint64_t *posts;              // times of inferred receives that wait for their completion
    size_t post_first, post_count, post_cap; // the first that waits, how many do
    uint64_t posted, completed;              // receives without and with a completion
    uint32_t waits;                          // calls that may have completed receives
    bool fresh;                              // receives were posted since the last of them
    bool partial;                            // some of them may have left receives for later
} pj_otf2_pending;

/// Copies of a stream that have begun and not ended, by operation.
typedef struct pj_otf2_moves {
    pj_otf2_moved *items;
    size_t count, cap;
    uint32_t unknown; // begun before the records that are read, or more than are kept
} pj_otf2_moves;

typedef struct pj_otf2_location {
    const pj_otf2_defs *defs;
    uint32_t number, rank;
    bool worker;     // not the first thread of its rank
    bool named;      // gives out the regions it enters and leaves
    bool parameters; // and values of parameters
    bool locks;      // and PJ_LOCK and PJ_PART_LOCK
    bool infer;      // its receives have no completions in the trace
    bool parts;      // gives out PJ_EV_PART and PJ_EV_END
    bool sent;       // gives out PJ_PART_SENT with them
    bool stream;     // of a device: gives out nothing else
    bool recorder;   // of meters, likewise; a stream too

    // Where its records come from: our own decoder, or the library.
    pj_otf2_evt *evt;
    pj_otf2_library library;
    uint64_t id;
    pj_otf2_event ahead; // the first one
    bool has_ahead, ended;
    const char *damage;
    uint64_t records;

    pj_otf2_clock clock;
    pj_otf2_ids ids;
    pj_otf2_known known;

    // What it is in.
    pj_otf2_frame *stack;
    struct pj_otf2_tangle *tangle; // in its place, where far frames are left; NULL = the stack
    size_t depth, stack_cap;
    pj_otf2_latest latest;
    pj_otf2_standing now;
    pj_otf2_unnamed unnamed;
    struct pj_otf2_index *index;   // of a location that leaves marks
    struct pj_otf2_ranged *ranged; // of one that is not read whole
    pj_path_tree *calls;           // its call paths, for a sink; NULL = nobody asks for them
    uint64_t due;                  // records up to the next mark, or the end of a part
    pj_otf2_pending pending;

    pj_otf2_borders borders;
    pj_otf2_moves copying;

    pj_otf2_metric_used metric;

    // What comes of it; the reader takes it away from the front.
    pj_event *events;
    size_t event_first, event_count, event_cap;
    pj_otf2_ops ops;

    pj_import_stats import;
    pj_otf2_passed passed[PJ_OTF2_PASSED_MOST]; // of its file, when it has ended
} pj_otf2_location;

typedef struct pj_otf2_location_opts {
    const pj_otf2_defs *defs;
    const pj_layout *layout;
    const pj_otf2_lib *lib;
    pj_otf2_archive *archive;
    const char *folder; // of the event files
    uint64_t chunk_bytes;
    size_t buffer_bytes;
    _Atomic uint64_t *sum; // raised by the bytes read
    bool keep_open;        // files, from one buffer to the next
    bool by_library;
    bool regions;    // gives out PJ_EV_ENTER and PJ_EV_LEAVE
    bool parameters; // and PJ_PARAMETER_*
    bool locks;      // and PJ_LOCK
    bool parts;      // gives out PJ_EV_PART and PJ_EV_END
    bool sent;       // gives out PJ_PART_SENT with them
    size_t marks;    // that it may leave (otf2_index.h); 0 = none
    const struct pj_otf2_index
        *indices;      // by location, where not all is read (otf2_ranged.h), else NULL
    const pj_roi *roi; // that counters are divided by; NULL = none
    const struct pj_otf2_range *ranges; // times that are then looked at
    size_t range_count;
} pj_otf2_location_opts;

/// A location without files, over the records of `evt`, which it takes.
pj_otf2_location *pj_otf2_location_take(const pj_otf2_defs *defs, uint32_t number, uint32_t rank,
                                        pj_otf2_evt *evt);
/// Reads maps, offsets and the first record; a thread whose files are missing is counted and empty.
pj_otf2_location *pj_otf2_location_new(const pj_otf2_location_opts *opts, uint32_t number);
/// Stands for a thread that another process reads; its events come from there.
pj_otf2_location *pj_otf2_location_absent(const pj_otf2_location_opts *opts, uint32_t number);
void pj_otf2_location_free(pj_otf2_location *location);

/// Lets a thread of its own go ahead in its file, from the first record on.
void pj_otf2_location_start_readahead(pj_otf2_location *location);
/// Corrected ticks of the first record; false when there is none.
bool pj_otf2_location_first(pj_otf2_location *location, uint64_t *ticks);
/// Decodes until `events` events are there, or the records end.
void pj_otf2_location_fill(pj_otf2_location *location, size_t events);
/// The state from `time` on, when its regions and teams have changed.
void pj_otf2_location_change(pj_otf2_location *location, uint64_t time);
/// What was taken from the front makes room.
void pj_otf2_location_close_up(pj_otf2_location *location);
/// Bytes in use.
size_t pj_otf2_location_bytes(const pj_otf2_location *location);

static inline size_t pj_otf2_location_ready(const pj_otf2_location *location)
{
    return location->event_count - location->event_first;
}

#endif
