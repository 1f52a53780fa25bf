// From the records of a block of Paraver text to a batch of events. Ownership: the arrays of a
// batch are new/free.
#ifndef PJ_PRV_RECORD_H
#define PJ_PRV_RECORD_H

#include "metrics/base/str.h"
#include "metrics/read/paraver/prv_devices.h"
#include "metrics/read/paraver/prv_header.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/io_way.h"
#include "metrics/trace/mpi_call.h"

/// What a type of prv_types.def does to the events of its line.
typedef enum pj_prv_action {
    PJ_PRV_EVENT,  // becomes an event with its value
    PJ_PRV_JOIN,   // the same, or joins the reading of instructions before it
    PJ_PRV_DEVICE, // becomes an event, which is told
    PJ_PRV_CALL,   // becomes the event of an MPI call
    PJ_PRV_FILE,   // becomes the event of a call of input or output
    PJ_PRV_BYTES,  // the others become parts of the event of a collective
    PJ_PRV_ROOT,
    PJ_PRV_COMMUNICATOR,
    PJ_PRV_COMPLETE, // the parts are those of a request
    PJ_PRV_TEAM,     // is about the event before it
} pj_prv_action;

typedef struct pj_prv_type {
    uint64_t type;
    pj_prv_action action;
    uint16_t kind; // pj_event_kind
    uint16_t code;
} pj_prv_type;

extern const pj_prv_type pj_prv_types[];
extern const size_t pj_prv_type_count;

/// Values of the five MPI event types that are looked up at once; larger ones are unknown calls.
enum { PJ_PRV_MPI_TYPES = 5, PJ_PRV_MPI_VALUES = 1024 };

/// What the records of a trace are read against; the same for all blocks.
typedef struct pj_prv_trace {
    pj_prv_header header;
    uint16_t calls[PJ_PRV_MPI_TYPES][PJ_PRV_MPI_VALUES]; // pj_mpi_call by class - 1 and value
    pj_prv_devices devices;
    const uint64_t *parameters; // event types that are PJ_PARAMETER_LASTING, by index
    uint32_t parameter_count;
    bool idealised; // by popinjay: collectives have lines of their own, windows meet in them
} pj_prv_trace;

/// Where records are written. Fast code keeps it in registers while it reads.
typedef struct pj_prv_out {
    pj_event *event; // the next
    pj_message *message;
    uint64_t records;
    uint64_t first_ns, last_ns; // earliest and latest time of any record
    bool devices;               // there are events of PJ_PRV_DEVICE
} pj_prv_out;

/// What a block of text holds.
typedef struct pj_prv_batch {
    pj_event *events;
    pj_message *messages;
    size_t event_cap, message_cap;
    pj_prv_out out;
    pj_import_stats import; // lines count from 1 in the block
    uint64_t lines;
    bool open_end; // a state has no end
    bool chopped;  // a comment says that the trace was cut out of a longer one
} pj_prv_batch;

static inline pj_batch pj_prv_batch_view(const pj_prv_batch *batch)
{
    return (pj_batch){batch->events, (size_t)(batch->out.event - batch->events), batch->messages,
                      (size_t)(batch->out.message - batch->messages)};
}

/// Empties the batch and makes room for all that `bytes` of text of the trace can hold.
void pj_prv_batch_begin(pj_prv_batch *batch, const pj_prv_trace *trace, size_t bytes);
void pj_prv_batch_free(pj_prv_batch *batch);

/// Location of a thread named as records do (all from 1); false with the oddity when the header
/// knows no such object. `cpu` 0 = unknown.
bool pj_prv_locate(const pj_prv_trace *trace, const uint64_t object[4], uint32_t *location,
                   pj_import_key *oddity);

/// Whether the line is empty or begins with '#', and whether such a line tells that the trace was
/// cut out of a longer one (metadata of Paraver's cutter), or is the result of a replay.
static inline bool pj_prv_is_comment(pj_str line)
{
    line = pj_str_trim(line);
    return line.len == 0 || line.at[0] == '#';
}

static inline bool pj_prv_says_chopped(pj_str line)
{
    return pj_str_contains(line, PJ_S(":CUTTER:"));
}

static inline bool pj_prv_says_idealised(pj_str line)
{
    return pj_str_contains(line, PJ_S(":REPLAY:"));
}

/// Reads one line (without its newline) with all tolerances; adds its events or counts an oddity.
/// batch->lines is its number.
void pj_prv_line(const pj_prv_trace *trace, pj_str line, pj_prv_batch *batch);

/// An event line while its pairs are read.
typedef struct pj_prv_pairs {
    pj_event base; // time and location
    bool collective, fields;
    uint16_t root;
    uint64_t bytes, communicator;
    uint64_t request;      // that is completed, from 1; 0 = none
    const pj_event *first; // where its events begin
} pj_prv_pairs;

static inline void pj_prv_see_time(pj_prv_out *out, uint64_t time)
{
    out->first_ns = time < out->first_ns ? time : out->first_ns;
    out->last_ns = time > out->last_ns ? time : out->last_ns;
}

static inline pj_mpi_call pj_prv_call(const pj_prv_trace *trace, uint16_t class_, uint64_t value)
{
    return value < PJ_PRV_MPI_VALUES ? trace->calls[class_ - 1][value] : (uint16_t)PJ_MPI_UNKNOWN;
}

/// read, fread, pread, readv, preadv have odd values, writes the even ones behind them.
static inline pj_io_way pj_prv_io_way(uint64_t type, uint64_t value)
{
    enum { WRITES = 40000005, MOVES_MOST = 10 };
    if (value == 0)
        return PJ_IO_LEFT;
    if (type == WRITES)
        return PJ_IO_WRITE;
    return value > MOVES_MOST ? PJ_IO_OTHER : value % 2 ? PJ_IO_READ : PJ_IO_WRITE;
}

/// A reading of cycles joins that of instructions before it in the line.
static inline bool pj_prv_join(pj_prv_out *out, const pj_prv_pairs *pairs, uint64_t cycles)
{
    pj_event *before = out->event - 1;
    if (out->event == pairs->first || before->kind != PJ_EV_COUNTER ||
        before->code != PJ_COUNTER_INSTRUCTIONS)
        return false;
    before->kind = PJ_EV_COUNTERS;
    before->b = cycles;
    return true;
}

/// The team that the OpenMP event before it in the line is about.
static inline void pj_prv_tell_team(pj_prv_out *out, const pj_prv_pairs *pairs, uint64_t team)
{
    if (out->event != pairs->first && out->event[-1].kind == PJ_EV_OPENMP)
        out->event[-1].b = team;
}

/// One pair of an event line whose type has a row.
static inline void pj_prv_pair(const pj_prv_trace *trace, pj_prv_out *out, pj_prv_pairs *pairs,
                               const pj_prv_type *type, uint64_t value)
{
    pj_event event = pairs->base;
    event.a = value;
    event.kind = type->kind;
    event.code = type->code;
    switch (type->action) {
    case PJ_PRV_EVENT:
        break;
    case PJ_PRV_JOIN:
        if (pj_prv_join(out, pairs, value))
            return;
        break;
    case PJ_PRV_DEVICE:
        out->devices = true;
        if (!pj_prv_devices_event(&trace->devices, type->type, &event))
            return;
        break;
    case PJ_PRV_CALL:
        event.a = pj_prv_call(trace, type->code, value);
        pairs->collective |= type->code == PJ_MPI_COLLECTIVE && event.a;
        break;
    case PJ_PRV_FILE:
        event.a = pj_prv_io_way(type->type, value);
        break;
    case PJ_PRV_BYTES:
        pairs->fields = true;
        pairs->bytes = value > pairs->bytes ? value : pairs->bytes;
        return;
    case PJ_PRV_ROOT:
        pairs->fields = true;
        pairs->root = value == 1;
        return;
    case PJ_PRV_COMMUNICATOR:
        pairs->fields = true;
        pairs->communicator = value;
        return;
    case PJ_PRV_COMPLETE:
        pairs->request = value;
        return;
    case PJ_PRV_TEAM:
        pj_prv_tell_team(out, pairs, value);
        return;
    }
    *out->event++ = event;
}

/// After the last pair: what the line as a whole means.
static inline void pj_prv_end_pairs(pj_prv_out *out, const pj_prv_pairs *pairs)
{
    pj_event event = pairs->base;
    event.kind = PJ_EV_OTHER;
    if (pairs->fields && (pairs->request || pairs->collective)) {
        event.kind = pairs->request ? PJ_EV_COMPLETE : PJ_EV_COLLECTIVE;
        event.a = (uint32_t)pairs->communicator;
        if (pairs->request)
            event.a |= (pairs->request - 1) << 32;
        event.b = pairs->bytes;
        event.code = pairs->root;
    }
    if (event.kind != PJ_EV_OTHER || out->event == pairs->first)
        *out->event++ = event;
    pj_prv_see_time(out, event.time);
    out->records++;
}

static inline void pj_prv_state(pj_prv_out *out, pj_event event)
{
    pj_prv_see_time(out, event.time);
    pj_prv_see_time(out, event.a == UINT64_MAX ? event.time : event.a);
    *out->event++ = event;
    out->records++;
}

/// `messages` is where those of the batch begin.
static inline void pj_prv_message(pj_prv_out *out, const pj_message *messages, pj_message message)
{
    pj_prv_see_time(out, message.logical_send);
    pj_prv_see_time(out, message.physical_send);
    pj_prv_see_time(out, message.logical_recv);
    pj_prv_see_time(out, message.physical_recv);
    *out->event++ = (pj_event){.time = message.logical_send,
                               .a = (uint64_t)(out->message - messages),
                               .location = message.from,
                               .kind = PJ_EV_MESSAGE};
    *out->message++ = message;
    out->records++;
}

#endif
