// What TAU's files hold, before it is known whether their call paths make a tree: functions by
// name, threads, and records of both. Text files and packed ones fill it, trial_shape.c makes the
// profile of it. Ownership: new/free - pj_trial_free; texts are the builder's.
#ifndef PJ_TRIAL_H
#define PJ_TRIAL_H

#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"

/// A name of TAU: of a function, or of a call path "main => solve".
typedef struct pj_trial_function {
    uint32_t name; // text
    uint32_t first_group, group_count;
} pj_trial_function;

typedef struct pj_trial_record {
    uint32_t function, location;
    double calls, child_calls;
} pj_trial_record;

typedef struct pj_trial {
    pj_build *build;
    pj_trial_function *functions;
    uint32_t *groups; // texts, in slices of functions
    uint32_t *measures;
    bool *timed; // of the measures: their values are microseconds
    pj_trial_record *records;
    double *values; // of a record and a measure: exclusive, inclusive; NaN = not there
    size_t function_count, group_count, measure_count, record_count;
    size_t function_cap, group_cap, record_cap, value_cap;
    pj_map function_of; // text to function
    pj_map record_of;   // location and function to record
} pj_trial;

void pj_trial_free(pj_trial *trial);
/// All metrics at first, by the source's names ("TIME", "PAPI_FP_INS"). Those of time are told in
/// microseconds.
void pj_trial_metrics(pj_trial *trial, const pj_str *names, size_t count);
/// A thread of a process: TAU's node, context, thread.
uint32_t pj_trial_location(pj_trial *trial, int64_t node, int64_t context, int64_t thread);
/// The function of that name, blanks made one and trimmed.
uint32_t pj_trial_function_of(pj_trial *trial, pj_str name);
/// Its groups (texts), unless it has some.
void pj_trial_groups(pj_trial *trial, uint32_t function, const uint32_t *groups, uint32_t count);
/// The record of a function at a location, new ones without values; `fresh` tells.
size_t pj_trial_record_of(pj_trial *trial, uint32_t function, uint32_t location, bool *fresh);
/// Adds values in the source's unit; negative ones count as 0.
void pj_trial_add(pj_trial *trial, size_t record, size_t measure, double exclusive,
                  double inclusive, uint64_t line);
/// Shape, regions, nodes or edges, and all values.
void pj_trial_build(pj_trial *trial);

#endif
