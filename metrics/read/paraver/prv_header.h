// First lines of a Paraver trace: "#Paraver (date):end[_unit]:nodes:applications:..." and the
// communicators (Paraver, "Trace file description"; tolerances as paraver-kernel has them).
// Ownership: arena (the run's).
#ifndef PJ_PRV_HEADER_H
#define PJ_PRV_HEADER_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"

typedef struct pj_prv_header {
    uint64_t end_ns;
    uint64_t unit_ns;   // what one unit of time is worth: 1, 1000 or 1000000
    uint64_t nodes;     // 0 = the trace says nothing of nodes and CPUs
    uint64_t cpus;      // of all nodes
    uint64_t *last_cpu; // by node, numbered through from 1; NULL = one CPU a node
    uint32_t applications;
    uint32_t *first_rank;   // by application, applications + 1 items
    uint32_t *first_thread; // by rank, ranks + 1 items, of what the header calls threads
    uint32_t *node_of;      // by rank, as the header has it
    uint32_t *location_of;  // by these threads, of which some are streams; NULL = none
    uint64_t communicators; // lines that the header promises
    bool by_nsys;           // it is written as nsys2prv does
} pj_prv_header;

bool pj_prv_sniff(pj_str head);
/// Fills run->layout from the header `line`; all are threads as yet (prv_streams.h). Errors:
/// PJ_E_FORMAT, PJ_E_MEMORY when it promises more threads than the job's budget has room for.
PJ_CHECKED bool pj_prv_header_parse(pj_str line, pj_run *run, pj_job *job, pj_prv_header *header,
                                    pj_err *err);

/// Whether `line` is one that defines a communicator.
static inline bool pj_prv_is_communicator(pj_str line)
{
    return line.len > 1 && line.at[1] == ':' &&
           (line.at[0] == 'c' || line.at[0] == 'C' || line.at[0] == 'i' || line.at[0] == 'I');
}
/// False when the line does not make sense: nothing is added then.
bool pj_prv_communicator_parse(pj_str line, const pj_prv_header *header,
                               pj_communicator *communicator, pj_arena *arena);

/// Node of a CPU (both from 1); 0 when the trace does not say.
uint64_t pj_prv_node_of(const pj_prv_header *header, uint64_t cpu);

#endif
