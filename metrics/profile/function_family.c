// Who waits for others is told by names, as MPI, Python and the system have them.
#include "metrics/profile/function_family.h"

#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"

/// How Python's, MPI's and the system's functions are called that wait for others.
static bool is_waiting_name(pj_str name)
{
    static const char *const whole[] = {
        "Barrier",  "barrier",   "allreduce", "Allreduce",  "allgather",  "Allgather",  "alltoall",
        "Alltoall", "bcast",     "Bcast",     "gather",     "Gather",     "scatter",    "Scatter",
        "reduce",   "Reduce",    "recv",      "Recv",       "send",       "Send",       "sendrecv",
        "Sendrecv", "isend",     "Isend",     "irecv",      "Irecv",      "wait",       "Wait",
        "waitall",  "Waitall",   "Waitany",   "Probe",      "probe",      "sleep",      "poll",
        "epoll",    "select",    "acquire",   "nanosleep",  "epoll_wait", "Allgatherv", "Gatherv",
        "Scatterv", "Alltoallv", "Ibarrier",  "Iallreduce", "usleep",     "futex",      "sem_wait"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (pj_str_equal(name, pj_str_of(whole[i])))
            return true;
    return false;
}

static bool begins_as_waiting(pj_str name)
{
    static const char *const starts[] = {"MPI_",
                                         "PMPI_",
                                         "mpi_",
                                         "shmem_",
                                         "pthread_cond_wait",
                                         "pthread_join",
                                         "!$omp barrier",
                                         "!$omp implicit barrier",
                                         "!$omp ibarrier"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (pj_str_starts(name, pj_str_of(starts[i])))
            return true;
    return false;
}

pj_function_family pj_function_family_of(const pj_profile *profile, uint32_t region)
{
    pj_region_kind kind = profile->regions[region].kind;
    pj_str name = pj_str_trim(pj_profile_name(profile, region)), inside = name;
    bool builtin = pj_function_is_builtin(name, &inside) || kind == PJ_REGION_builtin;
    bool in_file = pj_profile_text(profile, profile->regions[region].file).len > 0;
    if (kind == PJ_REGION_mpi || begins_as_waiting(name) ||
        ((builtin || !in_file) && is_waiting_name(inside)))
        return PJ_FAMILY_WAIT;
    return builtin || kind == PJ_REGION_system ? PJ_FAMILY_BUILTIN : PJ_FAMILY_WORK;
}
