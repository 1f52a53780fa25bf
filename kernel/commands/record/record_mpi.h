// Wrappers for an MPI that none come with the program for, made here by its compiler. They lie in
// the user's data, by the name of the library that programs need. Ownership: arena.
#ifndef PJ_RECORD_MPI_H
#define PJ_RECORD_MPI_H

#include "kernel/command/session.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <stdbool.h>

/// The wrappers that were made for a library ("libmpi.so.20"); NULL where there are none, or they
/// are `old`: older than the recorder, which they fit no more.
const char *pj_record_mpi_wrappers(const char *library, pj_arena *arena, bool *old);
/// Makes those of the MPI that a compiler compiles for ("mpicc"), and says so. PJ_E_MISSING,
/// PJ_E_IO with what the compiler says.
PJ_CHECKED bool pj_record_mpi_build(pj_session *session, const char *compiler, pj_err *err);

#endif
