// From the records of a block of Paraver text to a batch of events. Ownership: the arrays of a
// batch are new/free.
#ifndef PJ_PRV_RECORD_H
#define PJ_PRV_RECORD_H

#include "metrics/model/event.h"
#include "metrics/model/mpi_call.h"
#include "metrics/model/run.h"
#include "metrics/read/prv_header.h"

/// What a type of prv_types.def does to the events of its line.
typedef enum pj_prv_action {
    PJ_PRV_TRACING,
    PJ_PRV_COUNTER,
    PJ_PRV_MPI,
    PJ_PRV_BYTES,
    PJ_PRV_ROOT,
    PJ_PRV_COMMUNICATOR,
    PJ_PRV_OPENMP,
} pj_prv_action;

typedef struct pj_prv_type {
    uint64_t type;
    pj_prv_action action;
    uint16_t code;
} pj_prv_type;

extern const pj_prv_type pj_prv_types[];
extern const size_t pj_prv_type_count;

/// Values of the five MPI event types that are looked up at once; larger ones are unknown calls.
enum { PJ_PRV_MPI_TYPES = 5, PJ_PRV_MPI_VALUES = 1024 };

/// What the records of a trace are read against; the same for all blocks.
typedef struct pj_prv_trace {
    const pj_layout *layout;
    pj_prv_header header;
    uint16_t calls[PJ_PRV_MPI_TYPES][PJ_PRV_MPI_VALUES]; // pj_mpi_call by class - 1 and value
} pj_prv_trace;

/// What a block of text holds.
typedef struct pj_prv_batch {
    pj_event *events;
    pj_message *messages;
    size_t count, cap, message_count, message_cap;
    pj_import_stats import; // lines count from 1 in the block
    uint64_t lines, records;
    uint64_t last_ns; // latest time of any record
    bool chopped;     // a comment says that the trace was cut out of a longer one
} pj_prv_batch;

/// Empties the batch and makes room for all that `bytes` of text can hold.
void pj_prv_batch_begin(pj_prv_batch *batch, size_t bytes);
void pj_prv_batch_free(pj_prv_batch *batch);

/// Location of a thread named as records do (all from 1); false with the oddity when the header
/// knows no such object. `cpu` 0 = unknown.
bool pj_prv_locate(const pj_prv_trace *trace, const uint64_t object[4], uint32_t *location,
                   pj_import_key *oddity);

/// Reads one line (without its newline) with all tolerances; adds its events or counts an oddity.
/// batch->lines is its number.
void pj_prv_line(const pj_prv_trace *trace, pj_str line, pj_prv_batch *batch);

/// The events of an event line while its pairs are read.
typedef struct pj_prv_pairs {
    pj_event base;  // time and location
    uint64_t bytes; // of a collective
    uint64_t communicator;
    bool root, collective, fields;
} pj_prv_pairs;

static inline void pj_prv_add(pj_prv_batch *batch, pj_event event)
{
    batch->events[batch->count++] = event;
}

static inline pj_mpi_call pj_prv_call(const pj_prv_trace *trace, uint16_t class_, uint64_t value)
{
    return value < PJ_PRV_MPI_VALUES ? trace->calls[class_ - 1][value] : (uint16_t)PJ_MPI_UNKNOWN;
}

/// One pair of an event line whose type has a row.
static inline void pj_prv_pair(const pj_prv_trace *trace, pj_prv_batch *batch, pj_prv_pairs *pairs,
                               const pj_prv_type *type, uint64_t value)
{
    pj_event event = pairs->base;
    event.a = value;
    event.code = type->code;
    switch (type->action) {
    case PJ_PRV_COUNTER:
        event.kind = PJ_EV_COUNTER;
        break;
    case PJ_PRV_MPI:
        event.kind = PJ_EV_MPI;
        event.a = pj_prv_call(trace, type->code, value);
        pairs->collective |= type->code == PJ_MPI_COLLECTIVE && event.a;
        break;
    case PJ_PRV_OPENMP:
        event.kind = PJ_EV_OPENMP;
        break;
    case PJ_PRV_TRACING:
        event.kind = PJ_EV_TRACING;
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
    }
    pj_prv_add(batch, event);
}

/// After the last pair: what the line as a whole means. `first` is batch->count before the line.
static inline void pj_prv_end_pairs(pj_prv_batch *batch, const pj_prv_pairs *pairs, size_t first)
{
    if (pairs->collective && pairs->fields) {
        pj_event event = pairs->base;
        event.kind = PJ_EV_COLLECTIVE;
        event.a = pairs->communicator;
        event.b = pairs->bytes;
        event.code = pairs->root;
        pj_prv_add(batch, event);
    } else if (batch->count == first) {
        pj_event event = pairs->base;
        event.kind = PJ_EV_OTHER;
        pj_prv_add(batch, event);
    }
}

static inline void pj_prv_see_time(pj_prv_batch *batch, uint64_t time)
{
    batch->last_ns = time > batch->last_ns ? time : batch->last_ns;
}

static inline void pj_prv_add_message(pj_prv_batch *batch, const pj_message *message)
{
    pj_prv_see_time(batch, message->logical_send);
    pj_prv_see_time(batch, message->physical_send);
    pj_prv_see_time(batch, message->logical_recv);
    pj_prv_see_time(batch, message->physical_recv);
    pj_prv_add(batch, (pj_event){.time = message->logical_send,
                                 .a = batch->message_count,
                                 .location = message->from,
                                 .kind = PJ_EV_MESSAGE});
    batch->messages[batch->message_count++] = *message;
}

#endif
