// Labels of a Paraver trace: the .pcf file beside it (sections STATES, EVENT_TYPE, VALUES; Paraver
// "Trace file description"). Ownership: new/free.
#ifndef PJ_PCF_H
#define PJ_PCF_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

typedef struct pj_pcf_type {
    uint64_t type;
    const char *label;
    uint32_t values; // index of its list of values; several types may share one
} pj_pcf_type;

typedef struct pj_pcf_value {
    int64_t value;
    const char *label;
    uint32_t list;
} pj_pcf_value;

typedef struct pj_pcf {
    pj_arena *arena;
    pj_pcf_type *types; // in the order of the file
    size_t type_count, type_cap;
    pj_pcf_value *values; // in the order of the file, list by list
    size_t value_count, value_cap;
    pj_pcf_value *states;
    size_t state_count, state_cap;
    uint64_t malformed; // lines of these sections without the numbers they begin with
} pj_pcf;

/// Understands any bytes: lines that fit no section are passed over.
pj_pcf *pj_pcf_parse(pj_str text);
void pj_pcf_free(pj_pcf *pcf);
/// Label of an event type, or of a value of it; NULL when there is none.
const char *pj_pcf_type_label(const pj_pcf *pcf, uint64_t type);
const char *pj_pcf_value_label(const pj_pcf *pcf, uint64_t type, int64_t value);
/// The values of an event type, borrowed; returns their number.
size_t pj_pcf_values(const pj_pcf *pcf, uint64_t type, const pj_pcf_value **first);
const char *pj_pcf_state_label(const pj_pcf *pcf, int64_t state);

#endif
