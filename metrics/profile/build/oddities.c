// The rows of oddities.def as data.
#include "metrics/profile/build/oddities.h"

#define SEVERITY_NOTE PJ_NOTE
#define SEVERITY_WARNING PJ_WARNING
#define SEVERITY_LOSS PJ_LOSS

static const pj_oddity_row rows[] = {
#define ODDITY(name, level, text) {#name, SEVERITY_##level, text},
#include "metrics/profile/build/oddities.def"
#include "metrics/trace/import_stats.h"
#undef ODDITY
};

const pj_oddity_row *pj_oddity_at(unsigned key)
{
    return key < PJ_ODDITY_COUNT ? &rows[key] : NULL;
}

void pj_oddity_say(const pj_oddities *oddities, unsigned key, pj_buf *out)
{
    pj_import_say_count(rows[key].sentence, oddities->count[key], oddities->first_line[key], out);
}

void pj_oddities_merge(pj_oddities *into, const pj_oddities *from)
{
    for (unsigned k = 0; k < PJ_ODDITY_COUNT; k++) {
        if (from->count[k] && !into->count[k])
            into->first_line[k] = from->first_line[k];
        into->count[k] += from->count[k];
    }
}
