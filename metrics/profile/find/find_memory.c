// Memory: the line that adds most, the peak over time, what a call keeps.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/find/profile_facts.h"
#include "metrics/profile/memory_curve.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

#include <inttypes.h>
#include <math.h>

/// Increments as large as the memory itself are no increments: memory_profiler gives them to the
/// first line of a function and to lines that call other functions which it watches.
static bool is_increment(double value, double memory)
{
    static const double part = 0.99;
    return !isnan(value) && !isnan(memory) && value < part * memory;
}

void pj_find_memory_line(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    uint32_t increment = pj_profile_measure(p, PJ_S("increment")), found = PJ_NO_ITEM, rank = 0;
    uint32_t memory = pj_profile_measure(p, PJ_S("memory"));
    double most = 0;
    (void)f;
    if (increment == PJ_NO_ITEM || memory == PJ_NO_ITEM)
        return;
    const pj_profile_column *added = pj_profile_find(p, PJ_AT_LINE, PJ_EXCLUSIVE, increment);
    const pj_profile_column *there = pj_profile_find(p, PJ_AT_LINE, PJ_EXCLUSIVE, memory);
    for (uint32_t i = 0; added && there && i < p->count[PJ_AT_LINE]; i++)
        for (uint32_t at = 0; at < p->location_count; at++) {
            double value = pj_profile_value(p, added, i, at);
            if (value > most && is_increment(value, pj_profile_value(p, there, i, at))) {
                most = value;
                found = i;
                rank = at;
            }
        }
    if (found == PJ_NO_ITEM)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_buf_addf(out, "Line %u of %s has the largest increment of memory, %.1f %s",
                p->lines[found].line, pj_find_name(p, p->lines[found].region, arena), most,
                p->measures[increment].unit);
    if (p->location_count > 1)
        pj_buf_addf(out, " on rank %" PRId64, p->locations[rank].rank);
    pj_find_add_text(pj_profile_text(p, p->lines[found].text), out);
    pj_buf_add_char(out, '\n');
}

/// The innermost call of the series that runs then; NULL = none.
static const pj_profile_bracket *call_at(const pj_profile *p, uint32_t series, double time)
{
    const pj_profile_bracket *found = NULL;
    for (uint32_t i = 0; i < p->bracket_count; i++) {
        const pj_profile_bracket *call = &p->brackets[i];
        bool inside = call->series == series && call->begin <= time && time <= call->end;
        if (inside && (!found || call->level >= found->level))
            found = call;
    }
    return found;
}

static double start_of(const pj_profile *p, uint32_t series)
{
    return pj_memory_curve_start(p, p->locations[p->series[series].location].file);
}

void pj_find_memory_peak(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    uint32_t found = PJ_NO_ITEM, curves = 0;
    double peak = -INFINITY, least = INFINITY, time = 0;
    pj_auto_arena arena = pj_arena_new(NULL);
    (void)f;
    for (uint32_t i = 0; i < p->series_count; i++) {
        pj_memory_curve curve = pj_memory_curve_of(p, i, start_of(p, i), arena);
        if (isnan(curve.peak))
            continue;
        curves++;
        least = fmin(least, curve.peak);
        if (curve.peak > peak) {
            peak = curve.peak;
            time = curve.peak_time;
            found = i;
        }
    }
    if (found == PJ_NO_ITEM)
        return;
    pj_str unit = pj_profile_text(p, p->series[found].unit);
    const pj_profile_bracket *call = call_at(p, found, time);
    pj_buf_addf(out, "Memory is largest at %.1f " PJ_STR_FMT ", %.2f s after the start", peak,
                PJ_STR_ARG(unit), time - start_of(p, found));
    if (call)
        pj_buf_addf(out, ", in a call of %s", pj_find_name(p, call->region, arena));
    if (curves > 1)
        pj_buf_addf(out, "; the peaks of %u recorded processes go from %.1f to %.1f " PJ_STR_FMT,
                    curves, least, peak, PJ_STR_ARG(unit));
    pj_buf_add_char(out, '\n');
}

/// The call after which most is there that was not there before.
void pj_find_memory_kept(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    static const double much = 1; // MiB
    const pj_profile_bracket *found = NULL;
    (void)f;
    for (uint32_t i = 0; i < p->bracket_count; i++) {
        const pj_profile_bracket *call = &p->brackets[i];
        double kept = call->value_end - call->value_begin;
        if (kept >= much && (!found || kept >= found->value_end - found->value_begin))
            found = call;
    }
    if (!found)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_buf_addf(out,
                "After a call of %s there is %.1f " PJ_STR_FMT
                " more than before it, %.1f instead of %.1f\n",
                pj_find_name(p, found->region, arena), found->value_end - found->value_begin,
                PJ_STR_ARG(pj_profile_text(p, p->series[found->series].unit)), found->value_end,
                found->value_begin);
}
