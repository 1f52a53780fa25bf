// Readings (rec_memory.h) as lines "MEM MiB seconds since 1970".
#include "metrics/record/merge/merge_memory.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/record/merge/part_clock.h"
#include "metrics/record/merge/part_log.h"

#include <errno.h>
#include <sys/stat.h>

static const double SECOND_NS = 1e9, MIB = 1 << 20;

/// What cannot be read is left out: the last line of a killed process may be half a line.
static void add_readings(const pj_united_part *part, pj_str text, pj_buf *out)
{
    const double rate = (double)pj_part_clock_rate(&part->clock);
    const pj_clock_reading *first = &part->clock.first;
    while (pj_str_find(text, '\n') < text.len) {
        uint64_t ticks, bytes;
        pj_str line = pj_str_cut(&text, '\n'), word = pj_str_cut(&line, ' ');
        if (!pj_parse_u64(word, &ticks) || !pj_parse_u64(line, &bytes))
            continue;
        const double since = (double)(int64_t)(ticks - first->ticks) / rate;
        pj_buf_addf(out, "MEM %.6f %.6f\n", (double)bytes / MIB,
                    (double)first->real / SECOND_NS + since);
    }
}

static bool put(const pj_united_part *part, const char *folder, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_buf text = {0}, out = {0};
    const char *from = pj_arena_format(arena, "%s/memory", pj_part_log_folder(part->log));
    const char *to = pj_arena_format(arena, "%s/memory", folder);
    if (pj_part_clock_rate(&part->clock) == 0 || !pj_file_read(from, &text, NULL))
        return true; // it was not read
    pj_str command = pj_part_log_field(pj_part_log_line(part->log, 'H', 0), 5);
    pj_buf_addf(&out, "CMDLINE " PJ_STR_FMT "\n", PJ_STR_ARG(command));
    add_readings(part, pj_buf_str(&text), &out);
    if (mkdir(to, 0777) != 0 && errno != EEXIST)
        return pj_fail_io(err, to, "cannot be made");
    return pj_newfile_put(pj_arena_format(arena, "%s/%u.dat", to, part->place), pj_buf_str(&out),
                          err);
}

bool pj_merge_memory(const pj_united_part *parts, size_t count, const char *folder, pj_err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!put(&parts[i], folder, err))
            return false;
    return true;
}
