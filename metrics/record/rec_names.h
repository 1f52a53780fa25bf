// What events refer to: regions, strings, parameters, metrics. The same members are the same
// definition; ids begin with 1, and 0 means that nothing is recorded any more. From any thread.
#ifndef PJ_REC_NAMES_H
#define PJ_REC_NAMES_H

#include "metrics/record/rec_export.h"

#include <stdbool.h>
#include <stdint.h>

/// OTF2_RegionRole and OTF2_Paradigm (OTF2 3.0, OTF2_Definitions.h), those that are written.
typedef enum pj_rec_role {
    PJ_REC_ROLE_UNKNOWN = 0,
    PJ_REC_ROLE_FUNCTION = 1,
    PJ_REC_ROLE_CODE = 4,
    PJ_REC_ROLE_FILE_IO = 27,
    PJ_REC_ROLE_ARTIFICIAL = 31,
    PJ_REC_ROLE_FILE_IO_METADATA = 38,
} pj_rec_role;

typedef enum pj_rec_paradigm {
    PJ_REC_PARADIGM_USER = 1,
    PJ_REC_PARADIGM_OPENMP = 3,
    PJ_REC_PARADIGM_MPI = 4,
    PJ_REC_PARADIGM_SYSTEM = 6, // of the measurement itself
    PJ_REC_PARADIGM_NONE = 22,  // input and output, as Score-P has it
} pj_rec_paradigm;

typedef struct pj_rec_region_of {
    const char *name;      // as it is shown
    const char *canonical; // default: the name
    const char *file;      // absolute; NULL = none
    uint32_t first_line, last_line;
    int role, paradigm; // OTF2's numbers; default: function, user
    const char *object; // whose debug information tells the file and line; NULL or "" = none
    uint64_t address;   // in the object
} pj_rec_region_of;

PJ_REC_API uint32_t pj_rec_region(const pj_rec_region_of *region);
PJ_REC_API uint32_t pj_rec_string(const char *text);

typedef enum pj_rec_parameter_type { // OTF2_ParameterType
    PJ_REC_OF_STRING = 0,            // the value is an id of pj_rec_string
    PJ_REC_OF_INT64 = 1,
    PJ_REC_OF_UINT64 = 2,
} pj_rec_parameter_type;

PJ_REC_API uint32_t pj_rec_parameter(const char *name, pj_rec_parameter_type type);
/// `type` is a pj_rec_value_type.
PJ_REC_API uint32_t pj_rec_metric(const char *name, const char *unit, int type);
/// The same of what is read together with the events of its thread.
PJ_REC_API uint32_t pj_rec_counter(const char *name, const char *unit, int type);

typedef enum pj_rec_io_kind {
    PJ_REC_IO_POSIX, // descriptors
    PJ_REC_IO_ISOC,  // streams of stdio.h
    PJ_REC_IO_KINDS,
} pj_rec_io_kind;

/// A file that is open; `instance` tells it from others of the same file, from 0 on. `before`: it
/// was open before the recording.
PJ_REC_API uint32_t pj_rec_io_handle(const char *file, pj_rec_io_kind kind, uint32_t instance,
                                     bool before);

#endif
