// The MPI program of a command line, and the wrappers that see its calls. Ownership: arena.
#ifndef PJ_RECORD_MPI_H
#define PJ_RECORD_MPI_H

#include "kernel/command/command.h"
#include "metrics/base/arena.h"

#include <stddef.h>

/// The number of the first word that is a program (ELF) linked with an MPI which there are wrappers
/// for: "./heat" of `mpirun -n 4 ./heat`; words->count where there is none.
size_t pj_record_mpi_program(const pj_texts *words, pj_arena *arena);
/// The words with `env LD_PRELOAD=WRAPPERS` before that one, so that the launcher itself never
/// loads the wrappers; ends with NULL. As they are where there is no such program, or its wrappers
/// are not installed where they can be preloaded from.
pj_texts pj_record_mpi_words(const pj_texts *words, pj_arena *arena);

#endif
