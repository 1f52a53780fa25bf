// One event of a trace that PyTorch's profiler (Kineto) wrote. Ownership: borrow.
#ifndef PJ_KINETO_EVENT_H
#define PJ_KINETO_EVENT_H

#include "metrics/base/str.h"
#include "metrics/read/kineto/json_span.h"

#include <stdint.h>

/// What an event is, by its category.
typedef enum pj_kineto_class {
    PJ_KINETO_OTHER,
    PJ_KINETO_KERNEL,     // also those that exchange data
    PJ_KINETO_COPY,       // also memory that is set
    PJ_KINETO_RUNTIME,    // a call of the device's runtime
    PJ_KINETO_ANNOTATION, // a step, data loading, or any other range that the program marks
    PJ_KINETO_OVERHEAD,   // of the profiler itself
    PJ_KINETO_OPERATOR,   // one of PyTorch's own ranges; older versions mark steps with these, too
    PJ_KINETO_FLOW,       // an arrow from a launch to what it launches
} pj_kineto_class;

typedef struct pj_kineto_event {
    char phase;
    bool told; // its category
    pj_kineto_class class;
    pj_str name, pid, tid; // as they stand, without quotes
    pj_str ts, dur, id;    // the same; empty = not there
    pj_str args;           // with its brackets
} pj_kineto_event;

typedef struct pj_kineto_args {
    bool correlated;
    int64_t correlation, device, stream, bytes; // -1 = not told
    int64_t in_elements, out_elements, size, source, target, seq;
    pj_str operation, type, group, ranks;
} pj_kineto_args;

/// Reads the object that begins at `at`: behind its end; NULL = it goes on behind `end`, or is
/// broken. Unless it is wanted `whole`, what follows the name of an event that tells nothing is
/// passed over, if that has no negative number.
const char *pj_kineto_event_read(const char *at, const char *end, bool whole,
                                 pj_kineto_event *event, pj_json_broken *broken);
/// Whether a range of this name is a step of the profiler.
bool pj_kineto_is_step(pj_str name);
/// What the arguments tell of a record or a call.
pj_kineto_args pj_kineto_args_read(pj_str args);

/// Goes to the next member of an object: its key and its value without quotes. False at the end.
/// `*rest` begins behind the opening bracket at first.
bool pj_kineto_member(pj_str *rest, pj_str *key, pj_str *value);

#endif
