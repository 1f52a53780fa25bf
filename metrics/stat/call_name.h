// What the events of a trace without regions of its own enter and leave. Ownership: plain data;
// texts arena.
#ifndef PJ_CALL_NAME_H
#define PJ_CALL_NAME_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"

typedef struct pj_call_name {
    uint16_t kind;  // pj_event_kind: MPI, OPENMP, FUNCTION
    uint16_t code;  // of the event: class, construct
    uint64_t value; // call, function
    uint64_t line;  // value of the event with its source line; 0 = there was none
} pj_call_name;

/// Whether an OpenMP event opens and closes something that takes time.
bool pj_call_name_is_construct(uint16_t code);
/// Whether its values are functions.
bool pj_call_name_has_value(uint16_t code);
/// Name, place and kind, as of a region of an archive.
pj_region pj_call_name_region(const pj_run *run, const pj_call_name *name, pj_arena *arena);

#endif
