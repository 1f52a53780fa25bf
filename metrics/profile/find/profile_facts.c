// Own values summed once over items and locations. Which functions ran tells more about ranks than
// times do, where ranks share cores: ranks that lack all of the functions that carry half of the
// work of the others do not share it; where no rank does, those with less than 1 % of the work of
// the busiest.
#include "metrics/profile/find/profile_facts.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_sums.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const size_t PRESENT_MOST = (size_t)1 << 26;
enum { BUSY_PART = 100 };

bool pj_profile_facts_waits(const pj_profile_facts *f, uint32_t region)
{
    return pj_function_family_of(f->profile, region) == PJ_FAMILY_WAIT;
}

/// Locations of a rank stand together.
static void number_ranks(pj_profile_facts *f)
{
    const pj_profile *p = f->profile;
    f->rank_of = pj_new_n(f->arena, uint32_t, p->location_count + (size_t)1);
    f->ranks = pj_new_n(f->arena, int64_t, p->location_count + (size_t)1);
    for (uint32_t i = 0; i < p->location_count; i++) {
        if (f->rank_count == 0 || f->ranks[f->rank_count - 1] != p->locations[i].rank)
            f->ranks[f->rank_count++] = p->locations[i].rank;
        f->rank_of[i] = f->rank_count - 1;
    }
}

static uint32_t region_of(const pj_profile_facts *f, uint32_t item)
{
    return f->own->site == PJ_AT_NODE ? f->profile->nodes[item].region : item;
}

static void add_values(pj_profile_facts *f, uint32_t item, uint32_t region, bool waits)
{
    const pj_profile *p = f->profile;
    bool *present = f->present ? f->present + (size_t)region * f->rank_count : NULL;
    double sum = 0;
    for (uint32_t at = 0; at < p->location_count; at++) {
        double value = pj_profile_value(p, f->own, item, at);
        if (isnan(value))
            continue;
        if (present)
            present[f->rank_of[at]] = true;
        value = pj_profile_sums_size(value);
        f->whole[at] += value;
        f->work[at] += waits ? 0 : value;
        sum += value;
    }
    f->of_region[region] += sum;
    f->total += sum;
    f->waited += waits ? sum : 0;
}

static void sum_up(pj_profile_facts *f)
{
    const pj_profile *p = f->profile;
    size_t regions = p->count[PJ_AT_REGION], locations = p->location_count;
    f->of_region = pj_new_n(f->arena, double, regions + 1);
    f->whole = pj_new_n(f->arena, double, locations + 1);
    f->work = pj_new_n(f->arena, double, locations + 1);
    if (regions * f->rank_count <= PRESENT_MOST)
        f->present = pj_new_n(f->arena, bool, regions * f->rank_count + 1);
    bool *waits = pj_new_n(f->arena, bool, regions + 1);
    for (uint32_t r = 0; r < regions; r++)
        waits[r] = pj_profile_facts_waits(f, r);
    for (uint32_t i = 0; i < p->count[f->own->site]; i++)
        add_values(f, i, region_of(f, i), waits[region_of(f, i)]);
    f->rank_whole = pj_new_n(f->arena, double, f->rank_count + (size_t)1);
    f->rank_work = pj_new_n(f->arena, double, f->rank_count + (size_t)1);
    for (uint32_t at = 0; at < locations; at++) {
        f->rank_whole[f->rank_of[at]] += f->whole[at];
        f->rank_work[f->rank_of[at]] += f->work[at];
        f->told += pj_profile_tells(p, f->own, (uint32_t)at);
    }
}

typedef struct costing {
    double value;
    uint32_t region;
} costing;

static int by_cost(const void *a, const void *b)
{
    const costing *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->region > y->region) - (x->region < y->region);
}

static void sort_regions(pj_profile_facts *f)
{
    uint32_t count = f->profile->count[PJ_AT_REGION];
    costing *list = pj_new_n(f->arena, costing, count + (size_t)1);
    f->costly = pj_new_n(f->arena, uint32_t, count + (size_t)1);
    for (uint32_t r = 0; r < count; r++)
        list[r] = (costing){f->of_region[r], r};
    qsort(list, count, sizeof *list, by_cost);
    for (uint32_t i = 0; i < count; i++)
        f->costly[i] = list[i].region;
}

/// Which ranks have any of the functions that carry half of the work.
static void find_carriers(pj_profile_facts *f)
{
    double all = f->total - f->waited, carried = 0;
    for (uint32_t i = 0; i < f->profile->count[PJ_AT_REGION] && carried < all / 2; i++) {
        uint32_t region = f->costly[i];
        if (pj_profile_facts_waits(f, region))
            continue;
        if (f->carrier == PJ_NO_ITEM)
            f->carrier = region;
        carried += f->of_region[region];
        for (uint32_t r = 0; r < f->rank_count; r++)
            f->works[r] |= f->present[(size_t)region * f->rank_count + r];
    }
}

static uint32_t count_working(const pj_profile_facts *f)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < f->rank_count; r++)
        count += f->works[r];
    return count;
}

/// A file of another kind beside profiles has no such times: its rank neither works nor waits.
static bool is_any_silent(const pj_profile_facts *f)
{
    for (uint32_t r = 0; r < f->rank_count; r++)
        if (!(f->rank_whole[r] > 0))
            return true;
    return false;
}

static void find_working(pj_profile_facts *f)
{
    double most = 0;
    f->works = pj_new_n(f->arena, bool, f->rank_count + (size_t)1);
    f->carrier = PJ_NO_ITEM;
    for (uint32_t r = 0; r < f->rank_count; r++)
        most = fmax(most, f->rank_work[r]);
    bool silent = is_any_silent(f);
    if (f->present && !silent)
        find_carriers(f);
    f->working = count_working(f);
    if (f->working > 0 && f->working < f->rank_count)
        return;
    f->carrier = PJ_NO_ITEM;
    for (uint32_t r = 0; r < f->rank_count; r++)
        f->works[r] = silent || f->rank_work[r] >= most / BUSY_PART;
    f->working = count_working(f);
}

pj_profile_facts *pj_profile_facts_new(const pj_profile *p, pj_arena *arena)
{
    pj_profile_facts *f = pj_new(arena, pj_profile_facts);
    f->profile = p;
    f->arena = arena;
    f->measure = pj_profile_sums_usual_measure(p);
    if (f->measure == PJ_NO_ITEM || !p->location_count)
        return NULL;
    pj_site site = p->shape == PJ_SHAPE_TREE ? PJ_AT_NODE : PJ_AT_REGION;
    f->own = pj_profile_find(p, site, PJ_EXCLUSIVE, f->measure);
    if (!f->own && site == PJ_AT_NODE)
        f->own = pj_profile_paths_of(p, f->measure, arena).exclusive;
    if (!f->own)
        return NULL;
    number_ranks(f);
    sum_up(f);
    if (!(f->total > 0))
        return NULL;
    sort_regions(f);
    find_working(f);
    return f;
}

const pj_profile_sums *pj_profile_facts_sums(const pj_profile_facts *f)
{
    return pj_profile_sums_new(f->profile, f->measure, NULL, f->arena);
}

double *pj_profile_facts_by_rank(const pj_profile_facts *f, uint32_t region)
{
    const pj_profile *p = f->profile;
    double *values = pj_new_n(f->arena, double, f->rank_count + (size_t)1);
    for (uint32_t r = 0; r < f->rank_count; r++)
        values[r] = NAN;
    for (uint32_t i = 0; i < p->count[f->own->site]; i++) {
        if (region_of(f, i) != region)
            continue;
        for (uint32_t at = 0; at < p->location_count; at++) {
            double value = pj_profile_value(p, f->own, i, at);
            double *sum = &values[f->rank_of[at]];
            if (!isnan(value))
                *sum = (isnan(*sum) ? 0 : *sum) + pj_profile_sums_size(value);
        }
        if (f->own->site == PJ_AT_REGION)
            break;
    }
    return values;
}

const char *pj_profile_facts_amount(const pj_profile_facts *f, double value)
{
    char text[32];
    const pj_measure *measure = &f->profile->measures[f->measure];
    if (measure->kind == PJ_MEASURE_TIME) {
        text[pj_format_duration(value * 1e9, text)] = 0;
        return pj_arena_text(f->arena, pj_str_of(text));
    }
    if (measure->kind == PJ_MEASURE_BYTES && strcmp(measure->unit, "MiB") != 0 && value < 1e18) {
        text[pj_format_bytes((uint64_t)value, text)] = 0;
        return pj_arena_text(f->arena, pj_str_of(text));
    }
    const char *unit = *measure->unit ? measure->unit : measure->key;
    if (value < 1e15 && value == floor(value))
        text[pj_format_grouped((int64_t)value, text)] = 0;
    else
        return pj_arena_format(f->arena, *measure->unit ? "%.4g %s" : "%.4g (%s)", value, unit);
    return pj_arena_format(f->arena, *measure->unit ? "%s %s" : "%s (%s)", text, unit);
}

const char *pj_profile_facts_share(const pj_profile_facts *f, double part, double whole)
{
    double percent = 100 * part / whole;
    if (percent >= 99.95 && part < whole)
        return "more than 99.9 %";
    if (percent < 0.05 && part > 0)
        return "less than 0.1 %";
    return pj_arena_format(f->arena, "%.1f %%", percent);
}

const char *pj_profile_facts_what(const pj_profile_facts *f)
{
    const pj_measure *measure = &f->profile->measures[f->measure];
    return measure->kind == PJ_MEASURE_TIME ? "time" : measure->key;
}

const char *pj_profile_facts_place(const pj_profile_facts *f, uint32_t location)
{
    const pj_profile_location *at = &f->profile->locations[location];
    bool alone = f->rank_count == f->told;
    if (at->rank < 0)
        return pj_arena_format(f->arena, "thread %" PRId64, at->thread);
    if (alone || at->thread < 0)
        return pj_arena_format(f->arena, "rank %" PRId64, at->rank);
    return pj_arena_format(f->arena, "rank %" PRId64 ", thread %" PRId64, at->rank, at->thread);
}

bool pj_profile_facts_counts(const pj_profile_facts *f)
{
    return pj_profile_find(f->profile, f->own->site, PJ_CALLS, PJ_NO_ITEM) != NULL;
}

const char *pj_profile_facts_name(const pj_profile_facts *f, uint32_t region)
{
    return pj_find_name(f->profile, region, f->arena);
}

void pj_profile_facts_list(const pj_profile_facts *f, const bool *chosen, bool value, pj_buf *out)
{
    enum { MOST = 12 };
    unsigned said = 0;
    for (uint32_t i = 0; i < f->rank_count;) {
        uint32_t end = i;
        while (end < f->rank_count && chosen[end] == value &&
               (end == i || f->ranks[end] == f->ranks[end - 1] + 1))
            end++;
        if (end == i) {
            i++;
            continue;
        }
        if (said == MOST) {
            pj_buf_puts(out, " and others");
            return;
        }
        pj_buf_addf(out, "%s%" PRId64, said++ ? ", " : "", f->ranks[i]);
        if (end - i > 1)
            pj_buf_addf(out, "%s%" PRId64, end - i > 2 ? " to " : ", ", f->ranks[end - 1]);
        i = end;
    }
}

static bool has_exactly(const pj_profile_facts *f, uint32_t region, const bool *chosen, bool value)
{
    for (uint32_t r = 0; r < f->rank_count; r++)
        if (f->present[(size_t)region * f->rank_count + r] != (chosen[r] == value))
            return false;
    return true;
}

uint32_t pj_profile_facts_mark_of(const pj_profile_facts *f, const bool *chosen, bool value)
{
    uint32_t found = PJ_NO_ITEM;
    double most = 0;
    if (!f->present)
        return found;
    const pj_profile_sums *sums = pj_profile_facts_sums(f);
    for (uint32_t r = 0; r < f->profile->count[PJ_AT_REGION]; r++) {
        double size = fmax(f->of_region[r], pj_profile_sums_size(sums->regions.inclusive[r]));
        if (f->profile->regions[r].kind == PJ_REGION_thread)
            continue; // each rank has its own
        if (size > most && has_exactly(f, r, chosen, value) && !pj_profile_facts_waits(f, r)) {
            most = size;
            found = r;
        }
    }
    return found;
}
