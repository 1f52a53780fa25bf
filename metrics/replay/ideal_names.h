// The files beside an idealised trace: labels (.pcf) and names of objects (.row).
// Ownership: borrow.
#ifndef PJ_IDEAL_NAMES_H
#define PJ_IDEAL_NAMES_H

#include "metrics/base/buf.h"
#include "metrics/run/run.h"
#include "metrics/trace/mpi_call.h"

/// The value that the idealised trace writes for a call: Extrae's where it has one.
uint32_t pj_ideal_names_value(pj_mpi_call call);
/// The labels of the original trace, where it has any, and those of the values above.
void pj_ideal_names_pcf(const pj_run *run, pj_buf *out);
/// The names of the original trace, else "THREAD 1.2.1".
void pj_ideal_names_row(const pj_run *run, pj_buf *out);

#endif
