// A table by handle. Libraries may give the same handle to several finished sends at once, so a
// handle may be in it more than once; the oldest is taken.
#include "metrics/record/mpi/rec_mpi_requests.h"

#include <pthread.h>
#include <stdlib.h>

enum { BUCKETS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pj_rec_mpi_request *buckets[BUCKETS];
static uint64_t numbers;

static pj_rec_mpi_request **bucket_of(MPI_Request handle)
{
    uint64_t key = (uint64_t)(uintptr_t)handle * 0x9E3779B97F4A7C15;
    return &buckets[key >> 52];
}

static pj_rec_mpi_request **find(MPI_Request handle)
{
    pj_rec_mpi_request **at = bucket_of(handle);
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

uint64_t pj_rec_mpi_requests_number(void)
{
    return __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
}

void pj_rec_mpi_requests_add(pj_rec_mpi_request request)
{
    pj_rec_mpi_request *kept = malloc(sizeof *kept);
    if (!kept)
        return;
    *kept = request;
    kept->next = NULL;
    pthread_mutex_lock(&lock);
    pj_rec_mpi_request **at = bucket_of(request.handle);
    while (*at)
        at = &(*at)->next;
    *at = kept;
    pthread_mutex_unlock(&lock);
}

static bool take(MPI_Request handle, bool free_persistent, pj_rec_mpi_request *out)
{
    pthread_mutex_lock(&lock);
    pj_rec_mpi_request **at = find(handle), *found = *at;
    bool ok = found != NULL;
    if (ok) {
        *out = *found;
        found->active = false;
        if (!found->persistent || free_persistent) {
            *at = found->next;
            free(found);
        }
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

bool pj_rec_mpi_requests_take(MPI_Request handle, pj_rec_mpi_request *out)
{
    return take(handle, false, out) && out->active;
}

bool pj_rec_mpi_requests_remove(MPI_Request handle, pj_rec_mpi_request *out)
{
    return take(handle, true, out);
}

bool pj_rec_mpi_requests_find(MPI_Request handle, pj_rec_mpi_request *out)
{
    pthread_mutex_lock(&lock);
    const pj_rec_mpi_request *found = *find(handle);
    if (found)
        *out = *found;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

bool pj_rec_mpi_requests_start(MPI_Request handle, pj_rec_mpi_request *out)
{
    pthread_mutex_lock(&lock);
    pj_rec_mpi_request *found = *find(handle);
    if (found && found->persistent) {
        found->active = true;
        found->id = pj_rec_mpi_requests_number();
        *out = *found;
    }
    pthread_mutex_unlock(&lock);
    return found && found->persistent;
}
