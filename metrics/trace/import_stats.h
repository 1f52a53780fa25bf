// Oddities met while reading, counted per run and shown beside its results. Ownership: plain data.
#ifndef PJ_IMPORT_STATS_H
#define PJ_IMPORT_STATS_H

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pj_severity {
    PJ_NOTE,    // harmless
    PJ_WARNING, // numbers may be touched
    PJ_LOSS,    // something is missing from them
    PJ_URGENT,  // they answer another question than is asked: said before the table
} pj_severity;

/// "note", "warning", "loss", "urgent".
const char *pj_severity_name(pj_severity severity);

typedef enum pj_import_key {
#define IMPORT(key, ...) PJ_IMPORT_##key,
#include "metrics/trace/import_stats.def"
#undef IMPORT
    PJ_IMPORT_COUNT
} pj_import_key;

typedef struct pj_import_row {
    const char *key;
    pj_severity severity;
    const char *sentence;
    const char *advice; // what to do about broken files; NULL = they are not
    bool cut;           // part of the run is missing: its efficiencies are of the rest
} pj_import_row;

typedef struct pj_import_stats {
    uint64_t count[PJ_IMPORT_COUNT];
    uint64_t first_line[PJ_IMPORT_COUNT]; // 1-based line of the first one; 0 = no line
} pj_import_stats;

const pj_import_row *pj_import_at(unsigned key);
/// Whether the trace ends before the run does.
bool pj_import_cut(const pj_import_stats *stats);

static inline void pj_import_add(pj_import_stats *stats, pj_import_key key, uint64_t line)
{
    if (stats->count[key]++ == 0)
        stats->first_line[key] = line;
}

/// The sentence and how often it holds: "... (12 times, first in line 33)"; `line` 0 = not known.
void pj_import_say_count(const char *sentence, uint64_t count, uint64_t line, pj_buf *out);
/// "lines that are no Paraver record were skipped (12 times, first in line 33)".
void pj_import_say(const pj_import_stats *stats, unsigned key, pj_buf *out);
/// Adds `from` to `into`; the earlier first line stays.
void pj_import_merge(pj_import_stats *into, const pj_import_stats *from);

#endif
