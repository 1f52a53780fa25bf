// Ranks that do nothing but wait: they lack all of the functions that carry half of the work of the
// others; where no rank does, those whose time outside waiting functions is less than 1 % of the
// largest. Which functions ran tells more than times do, where ranks share cores.
#include "metrics/profile/profile_findings.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/oddities.h"
#include "metrics/trace/import_stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { BUSY_PART = 100 };

static bool is_waiting(const pj_profile *p, uint32_t region)
{
    return pj_function_family_of(p, region) == PJ_FAMILY_WAIT;
}

/// Times outside waiting functions, by rank in the order of the locations.
typedef struct busy {
    int64_t *rank;
    double *work;
    bool *works;
    uint32_t count;
} busy;

static uint32_t *number_ranks(const pj_profile *p, pj_arena *arena, busy *b)
{
    uint32_t *of = pj_new_n(arena, uint32_t, p->location_count);
    b->rank = pj_new_n(arena, int64_t, p->location_count + (size_t)1);
    b->work = pj_new_n(arena, double, p->location_count + (size_t)1);
    b->works = pj_new_n(arena, bool, p->location_count + (size_t)1);
    for (uint32_t i = 0; i < p->location_count; i++) {
        // Locations of a rank stand together.
        if (b->count == 0 || b->rank[b->count - 1] != p->locations[i].rank)
            b->rank[b->count++] = p->locations[i].rank;
        of[i] = b->count - 1;
    }
    return of;
}

static const pj_profile_column *times(const pj_profile *p)
{
    pj_site site = p->shape == PJ_SHAPE_TREE ? PJ_AT_NODE : PJ_AT_REGION;
    for (uint32_t m = 0; m < p->measure_count; m++)
        if (p->measures[m].kind == PJ_MEASURE_TIME && p->measures[m].fold == PJ_MEASURE_SUM)
            return pj_profile_find(p, site, PJ_EXCLUSIVE, m);
    return NULL;
}

static void list_ranks(const busy *b, pj_buf *out)
{
    enum { MOST = 6 };
    unsigned said = 0;
    for (uint32_t i = 0; i < b->count;) {
        uint32_t end = i;
        while (end < b->count && !b->works[end] &&
               (end == i || b->rank[end] == b->rank[end - 1] + 1))
            end++;
        if (end == i) {
            i++;
            continue;
        }
        if (said == MOST) {
            pj_buf_puts(out, ", ...");
            return;
        }
        pj_buf_addf(out, "%s%" PRId64, said++ ? ", " : "", b->rank[i]);
        if (end - i > 1)
            pj_buf_addf(out, " to %" PRId64, b->rank[end - 1]);
        i = end;
    }
}

/// An item that does not wait, with its time at all locations.
typedef struct working {
    double time;
    uint32_t item;
} working;

static int by_time(const void *a, const void *b)
{
    const working *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/// Sums up the time of ranks outside waiting functions; the items, the costliest first.
static working *list_work(const pj_profile *p, const pj_profile_column *column, const uint32_t *of,
                          busy *b, pj_arena *arena)
{
    uint32_t count = p->count[column->site];
    working *list = pj_new_n(arena, working, count + (size_t)1);
    for (uint32_t i = 0; i < count; i++) {
        list[i].item = i;
        if (is_waiting(p, column->site == PJ_AT_NODE ? p->nodes[i].region : i))
            continue;
        for (uint32_t at = 0; at < p->location_count; at++) {
            double value = pj_profile_value(p, column, i, at);
            b->work[of[at]] += isnan(value) ? 0 : value;
            list[i].time += isnan(value) ? 0 : value;
        }
    }
    qsort(list, count, sizeof *list, by_time);
    return list;
}

/// Which ranks have any of the items that carry half of the work; how many.
static uint32_t find_carriers(const pj_profile *p, const pj_profile_column *column,
                              const uint32_t *of, const working *list, busy *b)
{
    double all = 0, carried = 0;
    uint32_t carriers = 0;
    for (uint32_t r = 0; r < b->count; r++)
        all += b->work[r];
    for (uint32_t i = 0; i < p->count[column->site] && carried < all / 2; i++) {
        carried += list[i].time;
        for (uint32_t at = 0; at < p->location_count; at++)
            if (!isnan(pj_profile_value(p, column, list[i].item, at)))
                b->works[of[at]] = true;
    }
    for (uint32_t r = 0; r < b->count; r++)
        carriers += b->works[r];
    return carriers;
}

void pj_profile_findings(const pj_profile *p, pj_buf *out)
{
    const pj_profile_column *column = times(p);
    if (!column || p->location_count < 2)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    busy b = {0};
    const uint32_t *of = number_ranks(p, arena, &b);
    const working *list = list_work(p, column, of, &b, arena);
    uint32_t count = find_carriers(p, column, of, list, &b);
    double most = 0;
    for (uint32_t r = 0; r < b.count; r++)
        most = fmax(most, b.work[r]);
    if (b.count < 2 || most <= 0)
        return;
    if (count == b.count) {
        count = 0;
        for (uint32_t r = 0; r < b.count; r++) {
            b.works[r] = b.work[r] >= most / BUSY_PART;
            count += b.works[r];
        }
    }
    if (count == b.count)
        return;
    pj_buf_addf(out, "%u of %u ranks work; the others do nothing but wait: ", count, b.count);
    list_ranks(&b, out);
    pj_buf_add_char(out, '\n');
}

void pj_profile_remarks(const pj_profile *p, pj_buf *out)
{
    for (unsigned key = 0; key < PJ_ODDITY_COUNT; key++) {
        if (!p->oddities.count[key])
            continue;
        pj_buf_addf(out, "%s: ", pj_severity_name(pj_oddity_at(key)->severity));
        pj_oddity_say(&p->oddities, key, out);
        pj_buf_add_char(out, '\n');
    }
}
