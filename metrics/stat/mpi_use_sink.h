// How long threads are in which MPI call, and what they send: pj_run.mpi_use. Ownership: the sinks
// own their state.
#ifndef PJ_MPI_USE_SINK_H
#define PJ_MPI_USE_SINK_H

#include "metrics/trace/sink.h"

/// Calls, each thread for itself.
pj_sink pj_mpi_use_sink(void);
/// Messages, which it adds to what the other one has written: comes after it.
pj_sink pj_mpi_messages_sink(void);

#endif
