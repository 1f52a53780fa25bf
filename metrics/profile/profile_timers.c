// Columns as PyOP2's summary has them, and what ranks add to it.
#include "metrics/profile/profile_timers.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/location_values.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stdlib.h>

typedef struct timer {
    double total, calls, least, most; // NAN = not told
    uint32_t region;
} timer;

static int by_total(const void *a, const void *b)
{
    const timer *x = a, *y = b;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    return (x->region > y->region) - (x->region < y->region);
}

/// Time with callees; where the source tells none, its own.
static double time_of(const pj_location_values *v, uint32_t region, uint32_t location)
{
    double with = pj_location_value(v, region, location, true);
    return isnan(with) ? pj_location_value(v, region, location, false) : with;
}

static timer measure(const pj_location_values *v, const pj_profile_sums *sums, uint32_t region)
{
    timer t = {.total = NAN,
               .calls = sums->regions.calls[region],
               .least = NAN,
               .most = NAN,
               .region = region};
    for (uint32_t at = 0; at < v->profile->location_count; at++) {
        double value = time_of(v, region, at);
        if (isnan(value))
            continue;
        t.total = isnan(t.total) ? value : t.total + value;
        t.least = isnan(t.least) ? value : fmin(t.least, value);
        t.most = isnan(t.most) ? value : fmax(t.most, value);
    }
    return t;
}

static pj_table *new_table(bool several)
{
    static const pj_column columns[] = {
        {"timer", "Timer", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"total_s", "Total time", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
        {"calls", "Calls", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"average_s", "Average time", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
        {"min_s", "Least of a rank", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
        {"max_s", "Most of a rank", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
    };
    enum { OF_RANKS = 2 };
    pj_table *table = pj_table_new("Timers");
    for (size_t i = 0; i + (several ? 0 : OF_RANKS) < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    return table;
}

static void put_row(pj_table *table, const pj_profile *p, const timer *t, bool several)
{
    pj_cell *cell = pj_table_add_row(table);
    *cell++ = pj_cell_text(pj_arena_text(table->arena, pj_profile_name(p, t->region)));
    *cell++ = pj_cell_real(t->total);
    *cell++ = isnan(t->calls) ? pj_cell_empty("not recorded") : pj_cell_int((int64_t)t->calls);
    *cell++ = t->calls > 0 ? pj_cell_real(t->total / t->calls) : pj_cell_empty("not recorded");
    if (!several)
        return;
    *cell++ = pj_cell_real(t->least);
    *cell++ = pj_cell_real(t->most);
}

pj_table *pj_profile_timers(pj_profile *profile, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t measured = pj_profile_sums_usual_measure(profile);
    bool timed = measured != PJ_NO_ITEM && profile->measures[measured].kind == PJ_MEASURE_TIME;
    pj_location_values v;
    if (!timed) {
        pj_fail(err, PJ_E_MISSING, profile->file_count ? profile->files[0] : NULL, 0,
                "holds no times of regions");
        return NULL;
    }
    if (!pj_location_values_new(profile, measured, false, arena, &v, err))
        return NULL;
    const pj_profile *p = v.profile;
    const pj_profile_sums *sums = pj_profile_sums_new(p, v.measure, NULL, arena);
    timer *all = pj_new_n(arena, timer, p->count[PJ_AT_REGION] + (size_t)1);
    size_t count = 0;
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++) {
        all[count] = measure(&v, sums, r);
        count += isnan(all[count].total) ? 0 : 1;
    }
    qsort(all, count, sizeof *all, by_total);
    bool several = p->location_count > 1;
    pj_table *table = new_table(several);
    for (size_t i = 0; i < count; i++)
        put_row(table, p, &all[i], several);
    pj_location_values_free(&v);
    return table;
}
