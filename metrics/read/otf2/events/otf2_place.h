// One location of an OTF2 archive on its way from records to events of the run: what its regions,
// teams and calls mean for its states (DEFINITIONS 3), and the operations that tie it to
// other locations. Places know nothing of each other and are filled in parallel.
// Ownership: new/free.
#ifndef PJ_OTF2_PLACE_H
#define PJ_OTF2_PLACE_H

#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/events/otf2_known.h"
#include "metrics/read/otf2/events/otf2_requests.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

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
    uint32_t number;   // where a place is not read whole: of a message in its flow
    uint64_t bytes;
    uint64_t begin, end; // ns
} pj_otf2_op;

typedef struct pj_otf2_frame {
    uint32_t region;
    uint8_t state;
} pj_otf2_frame;

typedef struct pj_otf2_reading { // of the two counters
    uint64_t time;               // ns
    int64_t value[2];            // since the reading before
    bool has[2];
    bool due;
} pj_otf2_reading;

/// What a place is in, but for its open regions.
typedef struct pj_otf2_standing {
    uint64_t since, last; // ns: begin of the current state; time of the latest record
    uint64_t began;       // ns: time of the first record
    uint64_t call_begin;  // ns: of the outermost MPI region
    uint64_t collective_begin;
    uint32_t calls;       // MPI regions open
    uint32_t call_region; // the outermost one
    uint32_t collectives; // begun and not ended
    uint32_t forks, teams, parallels;
    uint32_t inner_teams;    // of the teams: those that are nested by their definition
    uint64_t team;           // the outermost of them: PJ_TEAM_FIRST + its id
    uint8_t state, measured; // now; when the measurement was switched off
    bool begun, off, was_on;
    bool just_off; // nothing has happened since
    bool in_body, in_parallel;
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

struct pj_otf2_trail;
struct pj_otf2_zoom;

typedef struct pj_otf2_place {
    const pj_otf2_defs *defs;
    uint32_t location, rank;
    bool worker; // not the first thread of its rank
    bool named;  // gives out the regions it enters and leaves
    bool infer;  // its receives have no completions in the trace
    bool parts;  // gives out PJ_EV_PART and PJ_EV_END

    // Where its records come from: our own decoder, or the library.
    pj_otf2_evt *evt;
    const pj_otf2_lib *lib;
    pj_otf2_archive *archive;
    uint64_t id;
    pj_otf2_event ahead; // the first one
    bool has_ahead, ended;
    const char *damage;
    uint64_t records;

    pj_otf2_clock clock;
    pj_map regions, comms, metrics, contexts, windows, groups; // global ids of its own ones
    bool mapped[6];
    pj_otf2_known known;

    // What it is in.
    pj_otf2_frame *stack;
    struct pj_otf2_tangle *tangle; // in its place, where far frames are left; NULL = the stack
    size_t depth, stack_cap;
    uint64_t ticks, ticks_ns; // time of the latest record, in its clock and of the run
    pj_otf2_standing now;
    unsigned unnamed_count;      // of the last events of bodies whose region is not yet known
    size_t unnamed[2];           // their places in `events`
    struct pj_otf2_trail *trail; // of a place that leaves marks
    struct pj_otf2_zoom *zoom;   // of one that is not read whole
    uint64_t due;                // records up to the next mark, or the end of a part
    pj_otf2_requests requests;
    pj_otf2_requests collectives; // requested and not completed: their number in place of the time
    uint32_t collective_count;    // requested so far
    pj_map channels;              // of parts, by (peer, communicator)
    uint64_t *posts;              // times of inferred receives that wait for their completion
    size_t post_first, post_count, post_cap; // the first that waits, how many do

    pj_otf2_border borders[PJ_OTF2_BORDERS]; // in order of time
    unsigned border_count;

    uint64_t metric_id; // used last
    const pj_otf2_metric *metric;

    // What comes of it; the reader takes it away from the front.
    pj_event *events;
    size_t event_first, event_count, event_cap;
    pj_otf2_op *ops; // events of kind MESSAGE have the number of their operation in `a`
    size_t op_first, op_count, op_cap;
    uint64_t op_base; // number of ops[0]
    size_t op_seen;   // ops known to the matcher

    uint64_t posted, completed; // receives without and with a completion
    uint32_t waits;             // calls that may have completed receives
    bool fresh;                 // receives were posted since the last of them
    bool partial;               // some of them may have left receives for later
    pj_import_stats import;
} pj_otf2_place;

typedef struct pj_otf2_place_opts {
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
    bool regions;                       // gives out PJ_EV_ENTER and PJ_EV_LEAVE
    bool parts;                         // gives out PJ_EV_PART and PJ_EV_END
    size_t marks;                       // that it may leave (otf2_trail.h); 0 = none
    const struct pj_otf2_trail *trails; // by place, where not all is read (otf2_zoom.h), else NULL
    const pj_roi *roi;                  // that counters are divided by; NULL = none
    const struct pj_otf2_range *ranges; // times that are then looked at
    size_t range_count;
} pj_otf2_place_opts;

/// A place without files, over the records of `evt`, which it takes.
pj_otf2_place *pj_otf2_place_take(const pj_otf2_defs *defs, uint32_t location, uint32_t rank,
                                  pj_otf2_evt *evt);
/// Reads maps, offsets and the first record; a thread whose files are missing is counted and empty.
pj_otf2_place *pj_otf2_place_new(const pj_otf2_place_opts *opts, uint32_t number);
/// Stands for a thread that another process reads; its events come from there.
pj_otf2_place *pj_otf2_place_absent(const pj_otf2_place_opts *opts, uint32_t number);
void pj_otf2_place_free(pj_otf2_place *place);

/// Lets a thread of its own go ahead in its file, from the first record on.
void pj_otf2_place_send_scout(pj_otf2_place *place);
/// Corrected ticks of the first record; false when there is none.
bool pj_otf2_place_first(pj_otf2_place *place, uint64_t *ticks);
/// Decodes until `events` events are there, or the records end.
void pj_otf2_place_fill(pj_otf2_place *place, size_t events);
/// What was taken from the front makes room.
void pj_otf2_place_close_up(pj_otf2_place *place);
/// Bytes in use.
size_t pj_otf2_place_bytes(const pj_otf2_place *place);

static inline size_t pj_otf2_place_ready(const pj_otf2_place *place)
{
    return place->event_count - place->event_first;
}

#endif
