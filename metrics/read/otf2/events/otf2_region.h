// What the regions of an OTF2 archive mean for time and OpenMP. Ownership: plain data.
#ifndef PJ_OTF2_REGION_H
#define PJ_OTF2_REGION_H

#include "metrics/base/str.h"
#include "metrics/trace/mpi_call.h"

/// Numbers of OTF2_Paradigm (OTF2_GeneralDefinitions.h, 3.0).
enum {
    PJ_OTF2_PARADIGM_UNKNOWN = 0,
    PJ_OTF2_PARADIGM_USER = 1,
    PJ_OTF2_PARADIGM_COMPILER = 2,
    PJ_OTF2_PARADIGM_OPENMP = 3,
    PJ_OTF2_PARADIGM_MPI = 4,
    PJ_OTF2_ROLE_LAST_KNOWN = 40, // of OTF2_RegionRole
};

typedef enum pj_otf2_construct {
    PJ_OTF2_PLAIN,
    PJ_OTF2_ROOT, // stands for "the thread lives": what it does is not said
    PJ_OTF2_MPI,
    PJ_OTF2_PARALLEL,
    PJ_OTF2_BARRIER,
    PJ_OTF2_TASK,
    PJ_OTF2_TASK_MADE,
    PJ_OTF2_TASKWAIT,
    PJ_OTF2_LOCK,   // a lock may be asked for in it
    PJ_OTF2_LOCKED, // the body of a critical section
    PJ_OTF2_FILE,   // a call of input or output outside MPI
    PJ_OTF2_DEVICE, // a call of the runtime of devices
} pj_otf2_construct;

/// What a stream of a device does in a region.
typedef enum pj_otf2_work {
    PJ_OTF2_WORK_NONE, // it is idle, or memory is allocated
    PJ_OTF2_WORK_KERNEL,
    PJ_OTF2_WORK_COPY,
} pj_otf2_work;

/// State of a region that leaves its thread in the state it was in.
enum { PJ_OTF2_INHERIT = UINT8_MAX };

typedef struct pj_otf2_region {
    const char *name;
    uint8_t state; // PJ_STATE_* or one of Extrae's other states
    uint8_t construct;
    uint8_t class_;      // pj_mpi_class of an MPI call
    uint8_t device_call; // pj_device_call of PJ_OTF2_DEVICE
    uint8_t work;        // pj_otf2_work, on a stream
    bool unknown;        // not defined in the archive
    bool plain;          // entering and leaving it changes nothing but the stack
    uint32_t number;     // in pj_run.regions
    pj_mpi_call call;
} pj_otf2_region;

typedef struct pj_otf2_region_def {
    const char *name, *canonical;
    uint32_t role, paradigm;
} pj_otf2_region_def;

/// What profiles call its kind: "mpi", "omp", "function" (profile/region_kinds.def).
const char *pj_otf2_region_kind(const pj_otf2_region_def *def, const pj_otf2_region *region,
                                bool by_name);
/// `by_name`: no region of the archive has a paradigm that says more than USER.
pj_otf2_region pj_otf2_region_of(const pj_otf2_region_def *def, bool by_name);

#endif
