// The counters of a thread are one group, read by one call. Their descriptor is high, where a
// program that closes and opens files of its own does not come.
#include "metrics/record/rec_counters.h"

#include "metrics/record/rec_allocations.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name, *metric, *unit; // metrics are called as PAPI does, which readers know
    uint32_t type;
    uint64_t config;
} known[] = {
    {"instructions", "PAPI_TOT_INS", "#", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", "PAPI_TOT_CYC", "#", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"task-clock", "task-clock", "ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", "page-faults", "#", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

enum { KNOWN = sizeof known / sizeof *known };

bool pj_rec_counters_wanted;

static bool wanted[KNOWN];
static bool allocations; // are wanted, too
static bool told;        // that some are not to be had

/// Of the calling thread; `of` tells whether it is still the same one.
static _Thread_local struct {
    const pj_rec_thread *of;
    int files[KNOWN]; // the first one is the group's
    unsigned count;
    uint32_t metrics[KNOWN];
    uint64_t first[KNOWN];
} own;

static bool names(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; *at; at += *at == ',') {
        const size_t size = strcspn(at, ",");
        if (size == length && strncmp(at, name, size) == 0)
            return true;
        at += size;
    }
    return false;
}

void pj_rec_counters_begin(void)
{
    const char *list = getenv("POPINJAY_RECORD_COUNTERS");
    pj_rec_counters_wanted = allocations = pj_rec_allocations_wanted();
    for (unsigned i = 0; list && i < KNOWN; i++) {
        wanted[i] = names(list, known[i].name) || names(list, known[i].metric);
        pj_rec_counters_wanted |= wanted[i];
    }
}

static int open_counter(unsigned i, int group)
{
    struct perf_event_attr event = {.type = known[i].type,
                                    .size = sizeof event,
                                    .config = known[i].config,
                                    .read_format = PERF_FORMAT_GROUP,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &event, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/// Three quarters up.
static int move_high(int file)
{
    struct rlimit most;
    enum { USUAL = 1024, ENOUGH = 65536 };
    rlim_t end = getrlimit(RLIMIT_NOFILE, &most) == 0 ? most.rlim_cur : USUAL;
    end = end < ENOUGH ? end : ENOUGH;
    int high = fcntl(file, F_DUPFD_CLOEXEC, (int)(end / 4 * 3));
    close(file);
    return high;
}

static void tell_absent(unsigned i, int reason)
{
    const bool first = !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED);
    if (first)
        pj_rec_note(2, "the kernel gives no counter of %s here (%s): what needs it is empty",
                    known[i].name, strerror(reason));
}

static void open_all(void)
{
    for (unsigned i = 0; i < KNOWN; i++) {
        if (!wanted[i])
            continue;
        int file = open_counter(i, own.count ? own.files[0] : -1);
        if (file >= 0)
            file = move_high(file);
        if (file < 0) {
            tell_absent(i, errno);
            continue;
        }
        own.files[own.count] = file;
        own.metrics[own.count++] =
            pj_rec_counter(known[i].metric, known[i].unit, PJ_REC_VALUE_UINT64);
    }
}

static bool read_all(uint64_t values[KNOWN])
{
    uint64_t group[KNOWN + 1];
    const ssize_t size = (ssize_t)((own.count + 1) * sizeof *group);
    if (read(own.files[0], group, (size_t)size) != size || group[0] != own.count)
        return false;
    memcpy(values, group + 1, own.count * sizeof *values);
    return true;
}

static void close_all(void)
{
    for (unsigned i = 0; i < own.count; i++)
        close(own.files[i]);
    own.count = 0;
    own.of = NULL;
}

void pj_rec_counters_end(const pj_rec_thread *thread)
{
    if (own.of == thread)
        close_all();
}

void pj_rec_counters_write(pj_rec_thread *thread)
{
    uint64_t values[KNOWN];
    const int kept = errno;
    const bool begins = own.of != thread; // a thread that has forked is another one
    if (begins) {
        close_all();
        own.of = thread;
        open_all();
    }
    if (own.count && read_all(values)) {
        const uint64_t now = pj_rec_now();
        for (unsigned i = 0; i < own.count; i++) {
            if (begins)
                own.first[i] = values[i];
            const pj_rec_value value = {.type = PJ_REC_VALUE_UINT64,
                                        .natural = values[i] - own.first[i]};
            if (own.metrics[i])
                pj_rec_values(thread, now, own.metrics[i], &value, 1);
        }
    }
    if (allocations)
        pj_rec_allocations_write(thread);
    errno = kept;
}
