// A profile as TAU tells it: functions, and beside them call paths "main => solve", by thread and
// metric. What is written as text and packed comes from here. Ownership: new/free.
#ifndef PJ_TAU_ENTRIES_H
#define PJ_TAU_ENTRIES_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

typedef struct pj_tau_entry {
    pj_str name;
    pj_site site;
    uint32_t item, region; // region: what a path ends with
} pj_tau_entry;

typedef struct pj_tau_entries {
    pj_arena *arena;
    const pj_profile *profile;
    pj_tau_entry *entries;
    size_t count;
    uint32_t *measures; // those that have values
    size_t measure_count;
    // Values at one location, by entry; NaN = not there.
    uint32_t location;
    double *calls, *child_calls;
    double *exclusive, *inclusive; // of entry * measure_count + measure; times in microseconds
} pj_tau_entries;

pj_tau_entries *pj_tau_entries_new(const pj_profile *profile);
void pj_tau_entries_free(pj_tau_entries *entries);
/// Fills the values.
void pj_tau_entries_at(pj_tau_entries *entries, uint32_t location);
/// Node, context and thread of a location.
void pj_tau_entries_place(const pj_profile *profile, uint32_t location, int32_t place[3]);
/// Groups of an entry, at most `most`.
size_t pj_tau_entries_groups(const pj_profile *profile, const pj_tau_entry *entry, pj_str *groups,
                             size_t most);
/// The name of a metric: what the source called it.
pj_str pj_tau_entries_metric(const pj_tau_entries *entries, size_t measure);

#endif
