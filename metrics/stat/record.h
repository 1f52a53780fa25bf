// What happened, as intervals that people ask for: calls with partner and bytes, messages, states,
// OpenMP constructs, regions. Made from the events of any trace in one stream; what is kept is
// bounded by what is open. Ownership: new/free; texts of a record live as long as the run.
#ifndef PJ_RECORD_H
#define PJ_RECORD_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

typedef enum pj_record_kind {
    PJ_RECORD_CALL,    // an MPI call
    PJ_RECORD_MESSAGE, // from a sender's call to the completion of its receive
    PJ_RECORD_STATE,   // a piece of a state
    PJ_RECORD_OPENMP,  // a construct
    PJ_RECORD_REGION,  // a function or construct by its name, where the trace has them
    PJ_RECORD_LAST,    // number of kinds
} pj_record_kind;

enum { PJ_RECORD_NOBODY = UINT32_MAX };

typedef struct pj_record {
    pj_record_kind kind;
    const char *type;        // "MPI_Send", "message", "Running", "parallel", name of a region
    const char *region;      // innermost region around it; NULL = none, or not in the trace
    uint32_t location;       // of the sender
    uint32_t partner;        // rank on the other side; PJ_RECORD_NOBODY = none or several
    uint32_t communicator;   // of a collective; 0 = none
    bool has_bytes, has_tag; // of the messages that a call sends, or else receives
    uint64_t bytes;
    int64_t tag;
    uint64_t start_ns, end_ns;
} pj_record;

/// "call", "message", ...; NULL past the end.
const char *pj_record_kind_name(pj_record_kind kind);
/// Whether any record of a run can have a kind or type that fits, in this trace or in another one
/// of its format; * and ? stand for any characters.
bool pj_record_can_be(const pj_run *run, const char *pattern);

typedef struct pj_records pj_records;
typedef bool pj_record_take(void *self, const pj_record *record, pj_err *err);

/// `run` outlives it; its layout and regions are known.
pj_records *pj_records_new(const pj_run *run, pj_record_take *take, void *self);
void pj_records_free(pj_records *records);
/// Hands on what ends in this batch.
PJ_CHECKED bool pj_records_events(pj_records *records, const pj_batch *batch, pj_err *err);
/// Hands on what has waited for the end of the trace.
PJ_CHECKED bool pj_records_end(pj_records *records, pj_err *err);
/// What is still open: calls, constructs and regions that no record was made of.
uint64_t pj_records_open(const pj_records *records);

#endif
