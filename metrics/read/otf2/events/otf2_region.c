// The rows of otf2_regions.def as data, and the MPI calls behind names.
#include "metrics/read/otf2/events/otf2_region.h"

#include "metrics/trace/device.h"
#include "metrics/trace/event.h"

#include <ctype.h>
#include <stdint.h>

enum { // OTF2_Paradigm and OTF2_RegionRole
    PARADIGM_ANY = -1,
    PARADIGM_OPENMP = PJ_OTF2_PARADIGM_OPENMP,
    PARADIGM_MPI = PJ_OTF2_PARADIGM_MPI,
    PARADIGM_CUDA = 5,
    PARADIGM_MEASUREMENT_SYSTEM = 6,
    PARADIGM_PTHREAD = 7,
    PARADIGM_GASPI = 11,
    PARADIGM_UPC = 12,
    PARADIGM_SHMEM = 13,
    PARADIGM_OPENACC = 18,
    PARADIGM_OPENCL = 19,
    PARADIGM_SAMPLING = 21,
    PARADIGM_HIP = 23,
    ROLE_ANY = -1,
    ROLE_FUNCTION = 1,
    ROLE_WRAPPER = 2,
    ROLE_LOOP = 3,
    ROLE_PARALLEL = 5,
    ROLE_CRITICAL = 12,
    ROLE_CRITICAL_BODY = 13,
    ROLE_ATOMIC = 14,
    ROLE_BARRIER = 15,
    ROLE_IMPLICIT_BARRIER = 16,
    ROLE_FLUSH = 17,
    ROLE_ORDERED = 18,
    ROLE_TASK = 20,
    ROLE_TASK_CREATE = 21,
    ROLE_TASK_WAIT = 22,
    ROLE_COLL_ONE2ALL = 23,
    ROLE_COLL_OTHER = 26,
    ROLE_FILE_IO = 27,
    ROLE_POINT2POINT = 28,
    ROLE_RMA = 29,
    ROLE_DATA_TRANSFER = 30,
    ROLE_ARTIFICIAL = 31,
    ROLE_THREAD_CREATE = 32,
    ROLE_TASK_UNTIED = 34,
    ROLE_ALLOCATE = 35,
    ROLE_DEALLOCATE = 36,
    ROLE_REALLOCATE = 37,
    ROLE_FILE_IO_METADATA = 38,
};

enum { // states of Extrae beyond pj_event's
    STATE_INHERIT = PJ_OTF2_INHERIT,
    STATE_RUNNING = PJ_STATE_RUNNING,
    STATE_WAITING = 3, // for a message
    STATE_SENDING = 4,
    STATE_SYNC = 5,
    STATE_PROBE = 6,
    STATE_FORK = 7,
    STATE_WAIT = 8,
    STATE_ISEND = 10,
    STATE_IRECV = 11,
    STATE_IO = 12,
    STATE_COLLECTIVE = 13,
    STATE_OTHERS = PJ_STATE_OTHERS,
    STATE_SENDRECV = 16,
    STATE_ONE_SIDED = 20,
};

typedef struct rule {
    int paradigm, role;
    uint8_t state, construct;
} rule;

static const rule rules[] = {
#define RULE(paradigm, role, state, construct)                                                     \
    {PARADIGM_##paradigm, ROLE_##role, STATE_##state, PJ_OTF2_##construct},
#define NAME(name, state, construct)
#define EXACT(name, state, construct)
#include "metrics/read/otf2/events/otf2_regions.def"
#undef RULE
#undef NAME
#undef EXACT
};

typedef struct name_rule {
    pj_str name;
    bool exact;
    uint8_t state, construct;
} name_rule;

static const name_rule names[] = {
#define RULE(paradigm, role, state, construct)
#define NAME(name, state, construct)                                                               \
    {{name, sizeof name - 1}, false, STATE_##state, PJ_OTF2_##construct},
#define EXACT(name, state, construct)                                                              \
    {{name, sizeof name - 1}, true, STATE_##state, PJ_OTF2_##construct},
#include "metrics/read/otf2/events/otf2_regions.def"
#undef RULE
#undef NAME
#undef EXACT
};

/// By what the call means to the replay.
static uint8_t state_of_role(const pj_mpi_call_row *row)
{
    switch (row->role) {
    case PJ_ROLE_SEND:
        return STATE_SENDING;
    case PJ_ROLE_ISEND:
        return STATE_ISEND;
    case PJ_ROLE_RECV:
        return STATE_WAITING;
    case PJ_ROLE_IRECV:
        return STATE_IRECV;
    case PJ_ROLE_WAIT:
        return STATE_WAIT;
    case PJ_ROLE_SENDRECV:
        return STATE_SENDRECV;
    case PJ_ROLE_PROBE:
        return STATE_PROBE;
    case PJ_ROLE_BARRIER:
    case PJ_ROLE_REDUCE:
    case PJ_ROLE_ICOLLECTIVE:
    case PJ_ROLE_IREDUCE:
        return STATE_COLLECTIVE;
    case PJ_ROLE_NONE:
    case PJ_ROLE_START:
    case PJ_ROLE_INIT:
    case PJ_ROLE_FENCE:
    case PJ_ROLE_WINDOW:
    case PJ_ROLE_EPOCH:
        break;
    }
    return row->class_ == PJ_MPI_ONE_SIDED ? STATE_ONE_SIDED : STATE_OTHERS;
}

/// "MPI_Send" of "mpi_send_": Fortran's names.
static pj_mpi_call call_named(const char *name)
{
    char c[64];
    size_t len = strlen(name);
    pj_mpi_call call = pj_mpi_call_by_name((pj_str){name, len});
    if (call != PJ_MPI_UNKNOWN || len >= sizeof c)
        return call;
    for (size_t i = 0; i < len; i++)
        c[i] = (char)(i < 5 ? toupper((unsigned char)name[i]) : tolower((unsigned char)name[i]));
    while (len && c[len - 1] == '_')
        len--;
    return pj_mpi_call_by_name((pj_str){c, len});
}

static uint8_t class_of_role(uint32_t role)
{
    if (role >= ROLE_COLL_ONE2ALL && role <= ROLE_COLL_OTHER)
        return PJ_MPI_COLLECTIVE;
    if (role == ROLE_BARRIER)
        return PJ_MPI_COLLECTIVE;
    if (role == ROLE_POINT2POINT)
        return PJ_MPI_P2P;
    if (role == ROLE_RMA)
        return PJ_MPI_ONE_SIDED;
    return PJ_MPI_OTHER;
}

static void describe_call(pj_otf2_region *region, const pj_otf2_region_def *def)
{
    region->construct = PJ_OTF2_MPI;
    region->call = call_named(def->name);
    if (region->call == PJ_MPI_UNKNOWN && def->canonical)
        region->call = call_named(def->canonical);
    const pj_mpi_call_row *row = pj_mpi_call_at(region->call);
    region->class_ = row ? (uint8_t)row->class_ : class_of_role(def->role);
    if (row)
        region->state = state_of_role(row);
    else if (region->class_ == PJ_MPI_COLLECTIVE)
        region->state = STATE_COLLECTIVE;
}

static const name_rule *rule_of_name(pj_str name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].exact ? pj_str_equal(name, names[i].name) : pj_str_starts(name, names[i].name))
            return &names[i];
    return NULL;
}

static const rule *rule_of(uint32_t paradigm, uint32_t role)
{
    size_t i = 0;
    while ((rules[i].paradigm != PARADIGM_ANY && (uint32_t)rules[i].paradigm != paradigm) ||
           (rules[i].role != ROLE_ANY && (uint32_t)rules[i].role != role))
        i++; // the last row matches all
    return &rules[i];
}

/// Kernels have role FUNCTION, or one of their own since Score-P 9; whatever else is on a stream
/// and no copy, is one too.
static pj_otf2_work work_of(const pj_otf2_region_def *def)
{
    static const char *const idle[] = {"COMPUTE IDLE", "GPU IDLE"};
    static const char *const copies[] = {"cudaMemcpy", "cudaMemset", "hipMemcpy", "hipMemset"};
    pj_str name = pj_str_of(def->name);
    if (def->role == ROLE_DATA_TRANSFER)
        return PJ_OTF2_WORK_COPY;
    if (def->role == ROLE_ARTIFICIAL || def->role == ROLE_ALLOCATE ||
        def->role == ROLE_DEALLOCATE || def->role == ROLE_REALLOCATE)
        return PJ_OTF2_WORK_NONE;
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (pj_str_equal(name, pj_str_of(idle[i])))
            return PJ_OTF2_WORK_NONE;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (pj_str_starts(name, pj_str_of(copies[i])))
            return PJ_OTF2_WORK_COPY;
    return PJ_OTF2_WORK_KERNEL;
}

/// Calls of the runtime of devices that have the paradigm of OpenMP.
static bool is_of_target(const pj_otf2_region_def *def)
{
    pj_str name = pj_str_of(def->name);
    return def->paradigm == PARADIGM_OPENMP &&
           (pj_str_starts(name, PJ_S("!$omp target")) || pj_str_starts(name, PJ_S("omp_target_")));
}

pj_otf2_region pj_otf2_region_of(const pj_otf2_region_def *def, bool by_name)
{
    const name_rule *named = by_name ? rule_of_name(pj_str_of(def->name)) : NULL;
    const rule *ruled = rule_of(def->paradigm, def->role);
    pj_otf2_region region = {.name = def->name,
                             .state = named ? named->state : ruled->state,
                             .construct = named ? named->construct : ruled->construct,
                             .work = (uint8_t)work_of(def)};
    if (is_of_target(def))
        region.construct = PJ_OTF2_DEVICE;
    bool is_io = region.state == STATE_IO && def->paradigm == PARADIGM_MPI;
    if (region.construct == PJ_OTF2_MPI || is_io)
        describe_call(&region, def);
    if (region.construct == PJ_OTF2_DEVICE) {
        pj_device_call call = pj_device_call_named(pj_str_of(def->name));
        region.device_call = (uint8_t)call;
        region.state = (uint8_t)pj_device_call_state(call);
    }
    if (is_io) { // of MPI
        region.state = STATE_IO;
        region.class_ = PJ_MPI_IO;
    }
    return region;
}

/// Of eztrace.
static const char *kind_of_name(pj_str name)
{
    static const struct {
        const char *begin, *kind;
    } kinds[] = {{"OpenMP ", "omp"},
                 {"GOMP_", "omp"},
                 {"pthread_", "thread"},
                 {"sem_", "thread"},
                 {"EZTrace", "system"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pj_str_starts(name, pj_str_of(kinds[i].begin)))
            return kinds[i].kind;
    return "function";
}

const char *pj_otf2_region_kind(const pj_otf2_region_def *def, const pj_otf2_region *region,
                                bool by_name)
{
    static const char *const kinds[] = {
        [PJ_OTF2_PARADIGM_USER] = "user",
        [PJ_OTF2_PARADIGM_COMPILER] = "function",
        [PARADIGM_OPENMP] = "omp",
        [PARADIGM_MPI] = "mpi",
        [PARADIGM_MEASUREMENT_SYSTEM] = "system",
        [PARADIGM_PTHREAD] = "thread",
        [PARADIGM_SAMPLING] = "sample",
    };
    if (region->construct == PJ_OTF2_MPI)
        return "mpi";
    if (by_name)
        return kind_of_name(pj_str_of(def->name));
    if (def->role == ROLE_LOOP && def->paradigm != PARADIGM_OPENMP)
        return "loop";
    bool known = def->paradigm < sizeof kinds / sizeof *kinds && kinds[def->paradigm];
    return known ? kinds[def->paradigm] : "unknown";
}
