// Writes Paraver traces for tests and examples as Extrae does: records in order of time, .pcf and
// .row beside them. Ranks and threads count from 0 here and from 1 in the file; times are ns.
// Ownership: new/free.
#ifndef PJ_TRACE_WRITER_H
#define PJ_TRACE_WRITER_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"

#include <stdint.h>

typedef struct pj_trace_writer pj_trace_writer;

typedef struct pj_place {
    uint32_t rank, thread;
} pj_place;

typedef struct pj_trace_pair {
    uint32_t type;
    int64_t value;
} pj_trace_pair;

typedef struct pj_trace_times {
    uint64_t logical_send, physical_send, logical_recv, physical_recv;
} pj_trace_times;

/// What the header says; `ranks` is needed, zero is the default of the rest.
typedef struct pj_trace_header {
    uint32_t ranks;
    uint32_t threads_each;   // threads of every rank; default 1
    const uint32_t *threads; // by rank, in place of threads_each; borrow
    uint64_t end;            // least end; the last record counts too
    uint32_t ranks_per_node; // default: all on one node
    const char *nodes;       // in place of "n(c1,..,cn)"; "0" = no resources
    const char *unit;        // "_ns" (default), "_us", "_ms", "" (microseconds); scales all times
    const char *date;        // default "01/01/2024 at 12:00"
    bool no_communicators;   // leaves out their number and their lines
    bool crlf;               // lines end with CR LF
    bool shared_cpus;        // every record says CPU 0 (not known)
    bool devices; // the threads of a rank but its first are streams of a device of its own
} pj_trace_header;

pj_trace_writer *pj_trace_writer_new(pj_trace_header header);
void pj_trace_writer_free(pj_trace_writer *writer);

static inline void pj_trace_writer_drop(pj_trace_writer **writer)
{
    pj_trace_writer_free(*writer);
}
#define pj_auto_trace __attribute__((cleanup(pj_trace_writer_drop))) pj_trace_writer *

void pj_trace_writer_state(pj_trace_writer *writer, pj_place at, uint64_t begin, uint64_t end,
                           uint32_t state);
/// One event line.
void pj_trace_writer_event(pj_trace_writer *writer, pj_place at, uint64_t time, uint32_t type,
                           int64_t value);
/// One line with several events.
void pj_trace_writer_events(pj_trace_writer *writer, pj_place at, uint64_t time,
                            const pj_trace_pair *pairs, size_t count);
/// A message; the record's place in the file is that of its physical send.
typedef struct pj_trace_message {
    pj_place from, to;
    pj_trace_times times;
    uint64_t size;
    int64_t tag;
} pj_trace_message;
void pj_trace_writer_message(pj_trace_writer *writer, pj_trace_message message);
/// A line of the caller's own, without its newline, placed by `time`.
void pj_trace_writer_line(pj_trace_writer *writer, uint64_t time, const char *line);

/// Number of the new communicator, from 1. The first one is MPI_COMM_WORLD in Extrae's traces.
uint32_t pj_trace_writer_communicator(pj_trace_writer *writer, const uint32_t *ranks, size_t count);
/// The same for an inter-communicator (`i:` line).
uint32_t pj_trace_writer_intercommunicator(pj_trace_writer *writer, const uint32_t *ranks,
                                           size_t count);

/// An MPI call: its state record and the events that enter and leave it. What follows `end` may be
/// left out.
typedef struct pj_trace_call {
    const char *name; // "MPI_Irecv"; the process ends on a name that the writer's table lacks
    uint64_t begin, end;
    uint32_t communicator;           // collectives: its number; 0 = no such event
    bool root;                       // collectives: this rank is the root
    uint64_t send_bytes, recv_bytes; // collectives
    int64_t instructions, cycles;    // counted before the call, since the last event; 0 = no event
    int64_t instructions_inside, cycles_inside;
    // OTF2 only: the number of a non-blocking collective among those of its place, from 1 on, and
    // which of them this call completes; borrow.
    uint32_t request;
    const uint32_t *completes;
    size_t completed;
    // OTF2 only: a synchronisation of the window of all ranks; of a fence all take part, of post,
    // start, complete and wait the rank and the others of its group; borrow.
    bool synchronises;
    const uint32_t *group;
    size_t group_size;
    // OTF2 only: the lock of the first member of `group`, PJ_RMA_ASKED as the call begins, the
    // others as it ends.
    uint64_t lock;
} pj_trace_call;
void pj_trace_writer_call(pj_trace_writer *writer, pj_place at, pj_trace_call call);

/// What was written, for writers of other formats; texts are the caller's.
typedef enum pj_trace_item_kind {
    PJ_TRACE_STATE,
    PJ_TRACE_PAIR, // one event
    PJ_TRACE_CALL,
    PJ_TRACE_MESSAGE,
} pj_trace_item_kind;
typedef struct pj_trace_item {
    pj_trace_item_kind kind;
    pj_place at;
    uint64_t time, end; // of a state
    uint32_t state;
    pj_trace_pair pair;
    pj_trace_call call;
    pj_trace_message message;
} pj_trace_item;
const pj_trace_item *pj_trace_writer_items(const pj_trace_writer *writer, size_t *count);
const pj_trace_header *pj_trace_writer_header(const pj_trace_writer *writer);
/// Threads of a rank.
uint32_t pj_trace_writer_threads(const pj_trace_writer *writer, uint32_t rank);

/// Names in the .pcf beyond the writer's own table (which are written for the types in use).
void pj_trace_writer_label_value(pj_trace_writer *writer, uint32_t type, int64_t value,
                                 const char *label);

/// The three files as text.
void pj_trace_writer_prv(pj_trace_writer *writer, pj_buf *out);
void pj_trace_writer_pcf(const pj_trace_writer *writer, pj_buf *out);
void pj_trace_writer_row(const pj_trace_writer *writer, pj_buf *out);

/// `path` ends with .prv or .prv.gz; the .pcf and .row are written beside it. The same records
/// give the same bytes.
bool pj_trace_writer_save(pj_trace_writer *writer, const char *path, pj_err *err);
/// Writes `bytes` to a file, compressed when its name ends with .gz.
bool pj_trace_writer_file(const char *path, pj_str bytes, pj_err *err);

#endif
