// Files `lines.<region>` (rec_lines.h) as a pickled LineStats, protocol 2: a dictionary of
// functions (file, first line, name) with lists of (line, hits, time), and the unit of time.
#include "metrics/record/merge/merge_lines.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/record/merge/part_clock.h"
#include "metrics/record/merge/part_log.h"
#include "metrics/record/rec_lines.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double SECOND_NS = 1e9;

static void add_bytes(pj_buf *out, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        pj_buf_add_char(out, (char)(value >> 8 * i));
}

static void add_text(pj_buf *out, pj_str text)
{
    pj_buf_add_char(out, 'X'); // BINUNICODE
    add_bytes(out, text.len, sizeof(uint32_t));
    pj_buf_add(out, text);
}

/// BININT, or LONG1 with its size: low bytes first, the highest bit is the sign.
static void add_number(pj_buf *out, uint64_t value)
{
    const bool brief = value <= INT32_MAX;
    pj_buf_add(out, brief ? PJ_S("J") : PJ_S("\x8a\x08"));
    add_bytes(out, value & INT64_MAX, brief ? sizeof(uint32_t) : sizeof value);
}

/// BINFLOAT: high bytes first.
static void add_real(pj_buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pj_buf_add_char(out, 'G');
    add_bytes(out, __builtin_bswap64(bits), sizeof bits);
}

static void add_line(pj_buf *out, uint64_t number, const pj_rec_line *line, double rate)
{
    add_number(out, number);
    add_number(out, line->hits);
    add_number(out, (uint64_t)((double)line->ticks / rate * SECOND_NS));
    pj_buf_add(out, PJ_S("\x87"
                         "a")); // TUPLE3, APPEND
}

/// What is longer or shorter than its head says is damaged and left out.
static void add_function(const pj_part_log *log, uint32_t region, pj_str bytes, double rate,
                         pj_buf *out)
{
    pj_rec_lines_head head;
    pj_auto_arena arena = pj_arena_new(NULL);
    if (bytes.len < sizeof head)
        return;
    memcpy(&head, bytes.at, sizeof head);
    if (head.count > PJ_REC_LINES_MOST ||
        bytes.len != sizeof head + head.count * sizeof(pj_rec_line))
        return;
    const pj_str line = pj_part_log_line(log, 'R', region - 1);
    const char *name = pj_part_log_unescape(pj_part_log_field(line, 4), arena);
    const char *colon = strrchr(name, ':');
    add_text(out, pj_str_of(pj_part_log_unescape(pj_part_log_field(line, 6), arena)));
    add_number(out, pj_part_log_number(line, 2));
    add_text(out, pj_str_of(colon ? colon + 1 : name));
    pj_buf_add(out, PJ_S("\x87]")); // TUPLE3, EMPTY_LIST
    for (uint64_t i = 0; i < head.count; i++) {
        pj_rec_line row;
        memcpy(&row, bytes.at + sizeof head + i * sizeof row, sizeof row);
        if (row.hits)
            add_line(out, head.first + i, &row, rate);
    }
    pj_buf_add_char(out, 's'); // SETITEM
}

static const pj_str prefix = {"lines.", 6};

static int is_lines(const struct dirent *entry)
{
    return pj_str_starts(pj_str_of(entry->d_name), prefix);
}

/// By their numbers.
static void add_functions(const pj_part_log *log, double rate, pj_buf *out)
{
    struct dirent **entries = NULL;
    const int count = scandir(pj_part_log_folder(log), &entries, is_lines, versionsort);
    for (int i = 0; i < count; i++) {
        uint64_t region;
        pj_auto_buf path = {0}, bytes = {0};
        pj_buf_addf(&path, "%s/%s", pj_part_log_folder(log), entries[i]->d_name);
        if (pj_parse_u64(pj_str_from(pj_str_of(entries[i]->d_name), prefix.len), &region) &&
            region > 0 && region <= pj_part_log_count(log, 'R') &&
            pj_file_read(path.at, &bytes, NULL))
            add_function(log, (uint32_t)region, pj_buf_str(&bytes), rate, out);
        free(entries[i]);
    }
    free(entries);
}

static bool put(const pj_united_part *part, const char *folder, pj_err *err)
{
    pj_auto_buf functions = {0}, out = {0}, path = {0};
    const double rate = (double)pj_part_clock_rate(&part->clock);
    if (rate > 0)
        add_functions(part->log, rate, &functions);
    if (!functions.len)
        return true;
    pj_buf_addf(&path, "%s/lines", folder);
    if (mkdir(path.at, 0777) != 0 && errno != EEXIST)
        return pj_fail_io(err, path.at, "cannot be made");
    pj_buf_addf(&path, "/%u.lprof", part->place);
    pj_buf_add(&out, PJ_S("\x80\x02"
                          "cline_profiler.line_profiler\nLineStats\n)\x81}(")); // NEWOBJ, {, MARK
    add_text(&out, PJ_S("timings"));
    pj_buf_add_char(&out, '}');
    pj_buf_add(&out, pj_buf_str(&functions));
    add_text(&out, PJ_S("unit"));
    add_real(&out, 1 / SECOND_NS);
    pj_buf_add(&out, PJ_S("ub.")); // SETITEMS, BUILD, STOP
    return pj_newfile_put(path.at, pj_buf_str(&out), err);
}

bool pj_merge_lines(const pj_united_part *parts, size_t count, const char *folder, pj_err *err)
{
    for (size_t i = 0; i < count; i++)
        if (!put(&parts[i], folder, err))
            return false;
    return true;
}
