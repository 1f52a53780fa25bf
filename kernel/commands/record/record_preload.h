// The program of a command line that is recorded, and what is preloaded for it. Ownership: arena.
#ifndef PJ_RECORD_PRELOAD_H
#define PJ_RECORD_PRELOAD_H

#include "kernel/command/command.h"
#include "kernel/commands/record/record_opts.h"
#include "metrics/base/arena.h"

#include <stddef.h>

/// The number of the first word that is a program (ELF) linked with an MPI or OpenMP which there
/// are wrappers for: "./heat" of `mpirun -n 4 ./heat`; words->count where there is none.
size_t pj_record_preload_mpi(const pj_texts *words, pj_arena *arena);
/// What is to be said of the wrappers for the MPI that such a program needs, where there are none,
/// or they are left out; NULL = nothing.
const char *pj_record_preload_lacking(const pj_texts *words, pj_arena *arena);
/// The words with `env LD_PRELOAD=...` before that one, or where options preload something else
/// before the first program that is none of those which start others, so that launchers load
/// nothing; ends with NULL. As they are where nothing is preloaded, or it is not installed where it
/// can be preloaded from.
pj_texts pj_record_preload_words(const pj_texts *words, const pj_record_opts *opts,
                                 pj_arena *arena);

#endif
