// A process id may belong to another process meanwhile: the one that began the part started before.
#include "metrics/record/merge/part_owner.h"

#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { STATE = 0, START = 19 }; // fields of /proc/PID/stat behind the name
#define SECOND UINT64_C(1000000000)

static pj_str field_of(pj_str text, unsigned index)
{
    for (; index > 0; index--)
        pj_str_cut(&text, ' ');
    return pj_str_cut(&text, ' ');
}

/// Nanoseconds since 1970 of what was `ticks` after the machine's start.
static uint64_t real_of(uint64_t ticks)
{
    struct timespec real, boot;
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    uint64_t now = (uint64_t)real.tv_sec * SECOND + (uint64_t)real.tv_nsec,
             up = (uint64_t)boot.tv_sec * SECOND + (uint64_t)boot.tv_nsec;
    return now - up + ticks * (SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

/// What the kernel says of a process, behind its name; empty when there is none.
static pj_str fields_of(uint64_t pid, pj_buf *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
    if (!pj_file_read(path, text, NULL))
        return (pj_str){NULL, 0};
    const pj_str all = pj_buf_str(text);
    return pj_str_from(all, pj_str_find_last(all, ')') + 2);
}

static bool is_ended(pj_str fields)
{
    return pj_str_equal(field_of(fields, STATE), PJ_S("Z"));
}

bool pj_part_owner_ended(uint64_t pid)
{
    pj_auto_buf text = {0};
    return is_ended(fields_of(pid, &text));
}

bool pj_part_owner_lives(const pj_part_log *log)
{
    const pj_str head = pj_part_log_line(log, 'H', 0);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (pj_part_log_count(log, 'E') > 0 || pj_part_log_number(head, 2) == 0 ||
        !pj_str_equal(pj_part_log_field(head, 0), pj_str_of(host)))
        return false;
    pj_auto_buf text = {0};
    const pj_str fields = fields_of(pj_part_log_number(head, 2), &text);
    uint64_t ticks, began = pj_part_log_number(pj_part_log_line(log, 'K', 0), 3);
    return fields.len > 0 && !is_ended(fields) && pj_parse_u64(field_of(fields, START), &ticks) &&
           real_of(ticks) <= began + SECOND;
}
