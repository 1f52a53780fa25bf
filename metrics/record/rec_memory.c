// The resident set as the kernel tells it. No descriptor is kept.
#include "metrics/record/rec_memory.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_duration.h"
#include "metrics/record/rec_event.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_own_thread.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_signal.h"
#include "metrics/record/rec_thread.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10, LINE_BYTES = 64 };

static struct timespec between;

/// Bytes; 0 = not known.
static uint64_t resident(void)
{
    char text[128], *rest;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    strtoull(text, &rest, 10); // of all that is mapped
    return strtoull(rest, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool put_line(const char *path, uint64_t ticks, uint64_t bytes)
{
    char line[LINE_BYTES];
    int size = snprintf(line, sizeof line, "%llu %llu\n", (unsigned long long)ticks,
                        (unsigned long long)bytes);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    pj_rec_signal held;
    pj_rec_signal_hold(&held);
    const bool written = write(file, line, (size_t)size) == size;
    pj_rec_signal_release(&held);
    close(file);
    return written;
}

static void *watch(void *unused)
{
    char path[PATH_MAX];
    (void)unused;
    snprintf(path, sizeof path, "%s/memory", pj_rec_part_folder());
    pj_rec_thread *thread = pj_rec_thread_begin_readings("Memory");
    const uint32_t metric = pj_rec_metric("Resident set", "bytes", PJ_REC_VALUE_UINT64);
    while (pj_rec_active()) {
        const uint64_t ticks = pj_rec_now(), bytes = resident();
        const pj_rec_value value = {.type = PJ_REC_VALUE_UINT64, .natural = bytes};
        if (bytes && metric && thread && pj_rec_self == thread)
            pj_rec_values(thread, ticks, metric, &value, 1);
        if (bytes && !put_line(path, ticks, bytes)) {
            pj_rec_note(1, "the memory of this process could not be written any more");
            break;
        }
        nanosleep(&between, NULL);
    }
    return NULL;
}

void pj_rec_memory_begin(void)
{
    between = pj_rec_duration_between(getenv("POPINJAY_RECORD_MEMORY"));
    if ((between.tv_sec || between.tv_nsec) && !pj_rec_own_thread(watch, STACK_BYTES))
        pj_rec_note(2,
                    "the memory of this process is not recorded: no thread could be made for it");
}
