// Begins, forks and ends the part of a process.
#include "metrics/record/rec_part.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_lock.h"
#include "metrics/record/rec_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 4096,
    ARGUMENT_BYTES = 2048,
    CLOCK_EVERY_NS = 1000000000,
    DEPTH_MOST = 4000
}; // readers of profiles go as deep
#define CLOCK_LINES_APART_NS UINT64_C(10000000000)

typedef enum stage { UNKNOWN, WAITING, RUNNING, FORKED, ENDED } stage;

static _Atomic stage now_at;
static pj_rec_lock lock = PJ_REC_LOCK_FREE;
static char top[PATH_MAX], folder[PATH_MAX];
static uint64_t most_bytes;
static bool profiles;
static uint32_t depth_most;
static _Atomic uint64_t bytes_spent, calls_missed;
static _Atomic uint64_t clock_line_due; // in ns of the monotonic clock
static pid_t parent;

static void complain(const char *what, const char *where)
{
    dprintf(STDERR_FILENO, "popinjay: %s %s: %s; nothing is recorded\n", where, what,
            strerror(errno));
}

static uint64_t size_of(const char *text)
{
    if (!text)
        return 0;
    char *end;
    uint64_t size = strtoull(text, &end, 10);
    const char *units = "kMGT", *unit = *end ? strchr(units, *end) : NULL;
    return unit ? size << 10 * (unit - units + 1) : size;
}

/// The folder from the root, wherever the program goes meanwhile.
static bool set_top(const char *given)
{
    char here[PATH_MAX] = "";
    if (*given != '/' && !getcwd(here, sizeof here))
        return false;
    int size = snprintf(top, sizeof top, "%s%s%s", here, *here ? "/" : "", given);
    return size > 0 && (size_t)size < sizeof top;
}

bool pj_rec_start(pj_rec_options options)
{
    pj_rec_lock_take(&lock);
    if (atomic_load(&now_at) == UNKNOWN) {
        const char *given = options.folder ? options.folder : getenv("POPINJAY_RECORD");
        uint64_t limit = size_of(getenv("POPINJAY_RECORD_MAX_SIZE"));
        most_bytes = options.max_bytes ? options.max_bytes : limit;
        const char *profile = getenv("POPINJAY_RECORD_PROFILE");
        uint64_t depth = size_of(getenv("POPINJAY_RECORD_DEPTH"));
        const char *sample = getenv("POPINJAY_RECORD_SAMPLE"); // makes a profile
        profiles = options.profile || (profile && strcmp(profile, "1") == 0) || (sample && *sample);
        depth_most = depth > 0 && depth < DEPTH_MOST ? (uint32_t)depth : DEPTH_MOST;
        bool ok = given && *given && set_top(given);
        atomic_store(&now_at, ok ? WAITING : ENDED);
    }
    pj_rec_lock_give(&lock);
    return atomic_load(&now_at) != ENDED;
}

bool pj_rec_active(void)
{
    return atomic_load(&now_at) != UNKNOWN ? atomic_load(&now_at) != ENDED
                                           : pj_rec_start((pj_rec_options){0});
}

bool pj_rec_started(void)
{
    const stage now = atomic_load_explicit(&now_at, memory_order_relaxed);
    return now != UNKNOWN && now != ENDED;
}

const char *pj_rec_part_folder(void)
{
    return folder;
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool make_folders(void)
{
    char path[PATH_MAX], host[256] = "";
    gethostname(host, sizeof host - 1);
    int size = snprintf(path, sizeof path, "%s/parts", top);
    if (size < 0 || (size_t)size >= sizeof path || !make_folder(top) || !make_folder(path))
        return false;
    size = snprintf(folder, sizeof folder, "%s/%s.%ld.%llu", path, host, (long)getpid(),
                    (unsigned long long)pj_rec_clock_real());
    return size > 0 && (size_t)size < sizeof folder && mkdir(folder, 0777) == 0;
}

/// The beginning of a file of the kernel, its NULs as blanks, without the end of the line.
static void read_text(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    got = got < 0 ? 0 : got;
    while (got > 0 && (text[got - 1] == '\0' || text[got - 1] == '\n'))
        got--;
    for (ssize_t i = 0; i < got; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[got] = '\0';
}

void pj_rec_part_boot(char boot[PJ_REC_BOOT_BYTES])
{
    read_text("/proc/sys/kernel/random/boot_id", boot, PJ_REC_BOOT_BYTES);
}

/// The Gregorian date of seconds since 1970. Not by gmtime_r, which calls malloc: the first event
/// may be one of a signal's handler.
static void write_date(uint64_t seconds, char *text, size_t size)
{
    enum { DAY = 86400, DAYS_OF_400_YEARS = 146097, DAYS_FROM_MARCH_0000 = 719468 };
    const uint64_t days = seconds / DAY + DAYS_FROM_MARCH_0000, day = days % DAYS_OF_400_YEARS,
                   years = (day - day / 1460 + day / 36524 - day / (DAYS_OF_400_YEARS - 1)) / 365,
                   of_year = day - (365 * years + years / 4 - years / 100), // from March 1
        march = (5 * of_year + 2) / 153, month = march < 10 ? march + 3 : march - 9;
    snprintf(text, size,
             "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64 "T%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "Z",
             days / DAYS_OF_400_YEARS * 400 + years + (month < 3), month,
             of_year - (153 * march + 2) / 5 + 1, seconds % DAY / 3600, seconds / 60 % 60,
             seconds % 60);
}

static void write_head(void)
{
    char host[256] = "", boot[PJ_REC_BOOT_BYTES], program[PATH_MAX], arguments[ARGUMENT_BYTES],
         pid[24], from[24], date[128];
    gethostname(host, sizeof host - 1);
    pj_rec_part_boot(boot);
    read_text("/proc/self/cmdline", arguments, sizeof arguments);
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    program[size > 0 ? size : 0] = '\0';
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    snprintf(from, sizeof from, "%ld", (long)(parent ? parent : getppid()));
    write_date(pj_rec_clock_real() / CLOCK_EVERY_NS, date, sizeof date);
    pj_rec_defs_line('H', (const char *[]){host, boot, pid, from, program, arguments, date}, 7);
}

/// Ticks and both clocks of the system at one moment, as near as can be had.
static void write_clock(void)
{
    uint64_t before = pj_rec_now(), real = pj_rec_clock_real(), mono = pj_rec_clock_monotonic(),
             after = pj_rec_now();
    atomic_store(&clock_line_due, mono + CLOCK_LINES_APART_NS);
    pj_rec_defs_numbers(
        'K', "%s\t%llu\t%llu\t%llu", pj_rec_clock_name(),
        (unsigned long long)(pj_rec_clock_counter ? before + (after - before) / 2 : mono),
        (unsigned long long)mono, (unsigned long long)real);
}

void pj_rec_part_tick(uint64_t ticks)
{
    (void)ticks;
    if (pj_rec_clock_monotonic() >= atomic_load(&clock_line_due))
        write_clock();
}

static void before_fork(void)
{
    pj_rec_lock_take(&lock);
    pj_rec_defs_lock();
    pj_rec_thread_lock();
    parent = getpid();
}

static void unlock_all(void)
{
    pj_rec_thread_unlock();
    pj_rec_defs_unlock();
    pj_rec_lock_give(&lock);
}

static void after_fork_in_parent(void)
{
    parent = 0;
    unlock_all();
}

static void after_fork_in_child(void)
{
    if (atomic_load(&now_at) == RUNNING) {
        pj_rec_thread_forked();
        atomic_store(&now_at, FORKED);
    }
    unlock_all();
}

static void set_up_once(void)
{
    static bool done; // a forked child has it all from its parent
    if (!done) {
        pj_rec_clock_choose();
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
        atexit(pj_rec_finish);
    }
    done = true;
}

/// Makes the part; under the lock.
static void begin_part(void)
{
    bool forked = atomic_load(&now_at) == FORKED;
    set_up_once();
    atomic_store(&bytes_spent, 0);
    atomic_store(&calls_missed, 0);
    errno = 0;
    if (!make_folders() || !(forked ? pj_rec_defs_inherit(folder) : pj_rec_defs_open(folder))) {
        complain("cannot be written", top);
        atomic_store(&now_at, ENDED);
        return;
    }
    write_head();
    write_clock();
    atomic_store(&now_at, RUNNING);
}

bool pj_rec_part_ready(void)
{
    if (atomic_load(&now_at) == RUNNING)
        return true;
    if (!pj_rec_active())
        return false;
    int kept = errno;
    pj_rec_lock_take(&lock);
    if (atomic_load(&now_at) == WAITING || atomic_load(&now_at) == FORKED)
        begin_part();
    pj_rec_lock_give(&lock);
    errno = kept;
    return atomic_load(&now_at) == RUNNING;
}

void pj_rec_part_stop(const char *why)
{
    stage running = RUNNING;
    if (!atomic_compare_exchange_strong(&now_at, &running, ENDED))
        return;
    pj_rec_thread_stop_all();
    pj_rec_note(2, "the recording ended early: %s", why);
    write_clock();
}

bool pj_rec_part_profiles(void)
{
    return profiles;
}

uint32_t pj_rec_part_depth(void)
{
    return depth_most;
}

bool pj_rec_part_spend(uint64_t bytes)
{
    return atomic_fetch_add(&bytes_spent, bytes) + bytes <= most_bytes || most_bytes == 0;
}

void pj_rec_part_miss(void)
{
    atomic_fetch_add_explicit(&calls_missed, 1, memory_order_relaxed);
}

static void tell_missed(void)
{
    const uint64_t missed = atomic_load(&calls_missed);
    if (missed > 0)
        pj_rec_note(2,
                    "%llu calls on files came from handlers of signals within an event, and are "
                    "not recorded",
                    (unsigned long long)missed);
}

void pj_rec_finish(void)
{
    pj_rec_thread *own = pj_rec_self;
    stage running = RUNNING;
    if (!atomic_compare_exchange_strong(&now_at, &running, ENDED)) {
        if (running != ENDED)
            atomic_store(&now_at, ENDED);
        return;
    }
    int kept = errno;
    if (own)
        pj_rec_thread_end(own);
    pj_rec_thread_stop_all();
    tell_missed();
    write_clock();
    pj_rec_defs_line('E', NULL, 0);
    errno = kept;
}
