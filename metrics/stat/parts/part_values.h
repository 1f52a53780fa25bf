// Values that parameters of a program take, numbered as they come. Ownership: a zeroed struct is
// empty; free releases it.
#ifndef PJ_PART_VALUES_H
#define PJ_PART_VALUES_H

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

#include <stddef.h>
#include <stdint.h>

enum { PJ_PART_VALUES_MOST = 1 << 14 }; // that are told apart

typedef struct pj_part_value {
    uint64_t value;
    uint32_t parameter, next; // of those with the same bits; UINT32_MAX = the last one
    uint16_t kind;            // PJ_PARAMETER_*
} pj_part_value;

typedef struct pj_part_values {
    pj_part_value *items;
    size_t cap;
    uint32_t count;
    pj_map first_of; // by their bits
} pj_part_values;

void pj_part_values_free(pj_part_values *values);
/// The number of what an event of PJ_PARAMETER_* gives; UINT32_MAX when there are too many.
uint32_t pj_part_values_number(pj_part_values *values, const pj_event *event);
/// "size=8", with the trace's own name of the value where it has one.
const char *pj_part_values_text(const pj_part_values *values, uint32_t number, const pj_run *run,
                                pj_arena *arena);

#endif
