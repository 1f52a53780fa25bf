// OpenMP in the replay: workers exist inside parallel functions only, start with their master and
// are awaited by it (DEFINITIONS 6). Ownership: new/free.
#ifndef PJ_THREADS_H
#define PJ_THREADS_H

#include "metrics/replay/engine/engine.h"
#include "metrics/trace/layout.h"

typedef struct pj_threads pj_threads;

/// `from_fork`: workers start when their region opens, which is its fork, and take as long for it
/// as in the trace; else when their master begins its function. Waiting in barriers and for tasks
/// is then told from computing: a thread takes as long to go on as it did in the trace after the
/// last one had come.
pj_threads *pj_threads_new(pj_engine *engine, const pj_layout *layout, bool from_fork);
void pj_threads_free(pj_threads *threads);

typedef struct pj_omp_event {
    uint64_t time;  // ns
    uint64_t value; // what the trace gives; 0 = left
    uint64_t team;  // see PJ_TEAM_NESTED
    uint16_t code;  // PJ_OMP_*
} pj_omp_event;
void pj_threads_event(pj_threads *threads, uint32_t location, pj_omp_event event);
/// The trace ends: closes what the location has left open.
void pj_threads_end(pj_threads *threads, uint32_t location);
/// The location calls MPI: outside parallel functions it runs as a master from now on. True when
/// it did not do so before.
bool pj_threads_awaken(pj_threads *threads, uint32_t location);
/// Whether the location has a timeline: first threads always, workers when they have worked.
bool pj_threads_lives(const pj_threads *threads, uint32_t location);
/// Whether time passes for the location now.
bool pj_threads_runs(const pj_threads *threads, uint32_t location);

#endif
