// Oddities met while a profile was read, counted and shown beside its tables.
// Ownership: plain data.
#ifndef PJ_ODDITIES_H
#define PJ_ODDITIES_H

#include "metrics/base/buf.h"
#include "metrics/trace/import_stats.h"

typedef enum pj_oddity {
#define ODDITY(key, ...) PJ_ODDITY_##key,
#include "metrics/profile/build/oddities.def"
#undef ODDITY
    PJ_ODDITY_COUNT
} pj_oddity;

typedef struct pj_oddity_row {
    const char *key;
    pj_severity severity;
    const char *sentence;
} pj_oddity_row;

typedef struct pj_oddities {
    uint64_t count[PJ_ODDITY_COUNT];
    uint64_t first_line[PJ_ODDITY_COUNT]; // 1-based line of the first one; 0 = no line
} pj_oddities;

/// NULL past the end.
const pj_oddity_row *pj_oddity_at(unsigned key);
/// "times are negative (12 times, first in line 33)".
void pj_oddity_say(const pj_oddities *oddities, unsigned key, pj_buf *out);
/// Adds `from` to `into`; the lines are those of the first profile that has the oddity.
void pj_oddities_merge(pj_oddities *into, const pj_oddities *from);

#endif
