// Records of input and output as OTF2 has them; flags by its bits (OTF2 3.0, OTF2_Definitions.h,
// OTF2_Events.h).
#include "metrics/record/posix/rec_posix_call.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_export.h"
#include "metrics/record/rec_late.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic uint64_t operations;

typedef struct bit {
    int ours, theirs;
} bit;

static uint64_t bits_of(int flags, const bit *bits, size_t count)
{
    uint64_t out = 0;
    for (size_t i = 0; i < count; i++)
        if ((flags & bits[i].ours) == bits[i].ours)
            out |= (uint64_t)bits[i].theirs;
    return out;
}

static uint64_t creation_of(int flags)
{
    static const bit bits[] = {{O_CREAT, 1}, {O_TRUNC, 2},    {O_DIRECTORY, 4},
                               {O_EXCL, 8},  {O_NOCTTY, 16},  {O_NOFOLLOW, 32},
                               {O_PATH, 64}, {O_TMPFILE, 128}};
    return bits_of(flags, bits, sizeof bits / sizeof *bits);
}

static uint64_t status_of(int flags)
{
    static const bit bits[] = {{O_CLOEXEC, 1}, {O_APPEND, 2}, {O_NONBLOCK, 4}, {O_ASYNC, 8},
                               {O_SYNC, 16},   {O_DSYNC, 32}, {O_DIRECT, 64},  {O_NOATIME, 128}};
    return bits_of(flags, bits, sizeof bits / sizeof *bits);
}

static uint64_t access_of(int flags)
{
    const int mode = flags & O_ACCMODE;
    return mode == O_RDONLY ? 0 : mode == O_WRONLY ? 1 : 2;
}

/// The program that the launcher has started need not know of us.
__attribute__((constructor)) static void begin_program(void)
{
    char path[PATH_MAX];
    const char *wanted = getenv("POPINJAY_RECORD_PROGRAM");
    ssize_t size = wanted && *wanted ? readlink("/proc/self/exe", path, sizeof path - 1) : 0;
    if (size <= 0)
        return;
    path[size] = '\0';
    if (strcmp(path, wanted) == 0)
        pj_rec_start((pj_rec_options){0});
}

void *pj_rec_posix_real(pj_rec_posix_function *function, const char *symbol)
{
    void *real = __atomic_load_n(&function->real, __ATOMIC_RELAXED);
    if (!real) {
        const int kept = errno;
        real = dlsym(RTLD_NEXT, symbol);
        errno = kept;
        __atomic_store_n(&function->real, real, __ATOMIC_RELAXED);
    }
    return real;
}

bool pj_rec_posix_wanted(const void *caller)
{
    return pj_rec_started() && !pj_rec_is_own(caller);
}

static uint32_t region_of(pj_rec_posix_function *function)
{
    uint32_t id = __atomic_load_n(&function->region, __ATOMIC_RELAXED);
    if (id == 0) {
        const int kept = errno;
        id = pj_rec_region(&(pj_rec_region_of){
            .name = function->name, .role = function->role, .paradigm = PJ_REC_PARADIGM_NONE});
        errno = kept;
        __atomic_store_n(&function->region, id, __ATOMIC_RELAXED);
    }
    return id;
}

static bool enter_late(pj_rec_thread *thread, uint32_t region)
{
    const bool entered = pj_rec_late_enter(thread, region);
    if (!entered)
        pj_rec_part_miss();
    return entered;
}

/// Calls that are open in a thread, where they stand on its stack. One that stands no higher than a
/// call which begins was left without its end: by a handler of a signal, with siglongjmp.
enum { OPEN_MOST = 16 };
static _Thread_local struct {
    const void *call;
    uint32_t depth; // before it
} open_calls[OPEN_MOST];
static _Thread_local uint32_t open_count;

static void leave_abandoned(pj_rec_thread *thread, const pj_rec_posix_call *call)
{
    while (open_count > 0 && open_calls[open_count - 1].call <= (const void *)call &&
           !pj_rec_signal_stack()) {
        pj_rec_leave_above(thread, open_calls[open_count - 1].depth);
        open_count--;
    }
}

static void forget(const pj_rec_posix_call *call)
{
    if (open_count > 0 && open_calls[open_count - 1].call == call)
        open_count--;
}

static bool enter(pj_rec_thread *thread, const pj_rec_posix_call *call)
{
    leave_abandoned(thread, call);
    if (open_count < OPEN_MOST) {
        open_calls[open_count].call = call;
        open_calls[open_count++].depth = thread->depth;
    }
    const bool entered = pj_rec_enter(thread, call->region);
    if (!entered)
        forget(call);
    return entered;
}

static void leave(const pj_rec_posix_call *call)
{
    pj_rec_leave_to(call->thread, call->region);
    forget(call);
}

bool pj_rec_posix_begin(pj_rec_posix_call *call, pj_rec_posix_function *function)
{
    pj_rec_thread *thread = pj_rec_here();
    const uint32_t region = thread ? region_of(function) : 0;
    if (region == 0)
        return false;
    *call = (pj_rec_posix_call){.thread = thread, .region = region, .late = pj_rec_is_held(thread)};
    if (call->late)
        return enter_late(thread, region);
    pj_rec_release(thread); // what came at the end of the event before
    return enter(thread, call);
}

void pj_rec_posix_back(pj_rec_posix_call *call)
{
    call->kept = errno;
}

void pj_rec_posix_end(pj_rec_posix_call *call)
{
    if (pj_rec_self != call->thread) // the recording has ended inside
        ;
    else if (call->late)
        pj_rec_late_leave(call->thread, call->region);
    else
        leave(call);
    errno = call->kept;
}

static void put(const pj_rec_posix_call *call, pj_rec_event_type type, const uint64_t *members)
{
    if (pj_rec_self != call->thread)
        return;
    if (call->late)
        pj_rec_late_event(call->thread, type, members);
    else
        pj_rec_event(call->thread, type, pj_rec_now(), members);
}

pj_rec_posix_operation pj_rec_posix_operate(const pj_rec_posix_call *call, uint32_t handle,
                                            pj_rec_posix_mode mode, uint64_t bytes)
{
    pj_rec_posix_operation operation = {.handle = handle};
    if (handle == 0)
        return operation;
    operation.number = atomic_fetch_add_explicit(&operations, 1, memory_order_relaxed);
    put(call, PJ_REC_IO_OPERATION_BEGIN,
        (uint64_t[]){handle, (uint64_t)mode, 0,
                     mode == PJ_REC_POSIX_FLUSH ? PJ_REC_UNDEFINED : bytes, operation.number});
    return operation;
}

void pj_rec_posix_complete(const pj_rec_posix_call *call, pj_rec_posix_operation operation,
                           int64_t done)
{
    if (operation.handle)
        put(call, PJ_REC_IO_OPERATION_COMPLETE,
            (uint64_t[]){operation.handle, done > 0 ? (uint64_t)done : 0, operation.number});
}

void pj_rec_posix_create(const pj_rec_posix_call *call, uint32_t handle, int flags)
{
    if (handle)
        put(call, PJ_REC_IO_CREATE_HANDLE,
            (uint64_t[]){handle, access_of(flags), creation_of(flags), status_of(flags)});
}

void pj_rec_posix_destroy(const pj_rec_posix_call *call, uint32_t handle)
{
    if (handle)
        put(call, PJ_REC_IO_DESTROY_HANDLE, (uint64_t[]){handle});
}

void pj_rec_posix_duplicate(const pj_rec_posix_call *call, uint32_t from, uint32_t to)
{
    if (from && to)
        put(call, PJ_REC_IO_DUPLICATE_HANDLE, (uint64_t[]){from, to, 0});
}

void pj_rec_posix_seek(const pj_rec_posix_call *call, uint32_t handle, int64_t offset, int whence,
                       uint64_t result)
{
    if (handle)
        put(call, PJ_REC_IO_SEEK, (uint64_t[]){handle, (uint64_t)offset, (uint64_t)whence, result});
}
