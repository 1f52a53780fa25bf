// The rows of import_stats.def as data.
#include "metrics/trace/import_stats.h"

#include <inttypes.h>
#include <stddef.h>

#define SEVERITY_NOTE PJ_NOTE
#define SEVERITY_WARNING PJ_WARNING
#define SEVERITY_LOSS PJ_LOSS

static const pj_import_row rows[] = {
#define IMPORT(name, level, text, ...)                                                             \
    {.key = #name, .severity = SEVERITY_##level, .sentence = (text), __VA_ARGS__},
#include "metrics/trace/import_stats.def"
#undef IMPORT
};

const pj_import_row *pj_import_at(unsigned key)
{
    return key < PJ_IMPORT_COUNT ? &rows[key] : NULL;
}

bool pj_import_cut(const pj_import_stats *stats)
{
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++)
        if (stats->count[key] && rows[key].cut)
            return true;
    return false;
}

void pj_import_say_count(const char *sentence, uint64_t count, uint64_t line, pj_buf *out)
{
    pj_buf_puts(out, sentence);
    if (count > 1 && line)
        pj_buf_addf(out, " (%" PRIu64 " times, first in line %" PRIu64 ")", count, line);
    else if (count > 1)
        pj_buf_addf(out, " (%" PRIu64 " times)", count);
    else if (line)
        pj_buf_addf(out, " (line %" PRIu64 ")", line);
}

void pj_import_say(const pj_import_stats *stats, unsigned key, pj_buf *out)
{
    pj_import_say_count(rows[key].sentence, stats->count[key], stats->first_line[key], out);
}

void pj_import_merge(pj_import_stats *into, const pj_import_stats *from)
{
    for (unsigned k = 0; k < PJ_IMPORT_COUNT; k++) {
        uint64_t line = from->first_line[k];
        if (from->count[k] && (!into->count[k] || (line && line < into->first_line[k])))
            into->first_line[k] = line;
        into->count[k] += from->count[k];
    }
}

const char *pj_severity_name(pj_severity severity)
{
    static const char *const names[] = {
        [PJ_NOTE] = "note", [PJ_WARNING] = "warning", [PJ_LOSS] = "loss", [PJ_URGENT] = "urgent"};
    return names[severity];
}
