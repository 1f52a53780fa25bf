// How ranks differ: who works and who waits, how evenly, which functions only a few of them spend
// time in.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/find/profile_facts.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/// Part of the time of the chosen ranks that is no work.
static double waiting_part(const pj_profile_facts *f, const bool *chosen, bool value)
{
    double whole = 0, work = 0;
    for (uint32_t r = 0; r < f->rank_count; r++)
        if (chosen[r] == value) {
            whole += f->rank_whole[r];
            work += f->rank_work[r];
        }
    return whole > 0 ? 1 - work / whole : NAN;
}

/// "never call xypix, which takes 62.0 % of the work of those that work"
static void add_carrier(const pj_profile_facts *f, pj_buf *out)
{
    double work = 0;
    for (uint32_t r = 0; r < f->rank_count; r++)
        work += f->works[r] ? f->rank_work[r] : 0;
    if (f->carrier == PJ_NO_ITEM || !(work > 0))
        return;
    pj_buf_addf(out, "%s %s, which takes %s of the work of those that work",
                pj_profile_facts_counts(f) ? "never call" : "were never seen in",
                pj_profile_facts_name(f, f->carrier),
                pj_profile_facts_share(f, f->of_region[f->carrier], work));
}

static void add_idle(const pj_profile_facts *f, double waiting, pj_buf *out)
{
    pj_buf_addf(out, "%u of %u ranks work; the others, ", f->working, f->rank_count);
    pj_profile_facts_list(f, f->works, false, out);
    if (isnan(waiting) || waiting >= 1)
        pj_buf_puts(out, ", do nothing but wait");
    else
        pj_buf_addf(out, ", wait %s of their time", pj_profile_facts_share(f, waiting, 1));
    if (f->carrier != PJ_NO_ITEM) {
        pj_buf_puts(out, " and ");
        add_carrier(f, out);
    }
    pj_buf_add_char(out, '\n');
}

/// Ranks that do something else than the others.
static void add_other_work(const pj_profile_facts *f, pj_buf *out)
{
    uint32_t those = pj_profile_facts_mark_of(f, f->works, true);
    uint32_t others = pj_profile_facts_mark_of(f, f->works, false);
    uint32_t said = those == PJ_NO_ITEM ? f->carrier : those;
    pj_buf_addf(out, "%u of %u ranks run %s; the others, ", f->working, f->rank_count,
                pj_profile_facts_name(f, said));
    pj_profile_facts_list(f, f->works, false, out);
    if (others == PJ_NO_ITEM)
        pj_buf_puts(out, ", do not");
    else
        pj_buf_addf(out, ", run %s instead", pj_profile_facts_name(f, others));
    if (f->waited > 0)
        pj_buf_addf(out, ": they wait %s of their time, the %u %s",
                    pj_profile_facts_share(f, waiting_part(f, f->works, false), 1), f->working,
                    pj_profile_facts_share(f, waiting_part(f, f->works, true), 1));
    pj_buf_add_char(out, '\n');
}

void pj_find_kinds_of_ranks(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    static const double idle = 0.9;
    (void)p;
    if (!f || f->rank_count < 2 || f->working == 0 || f->working == f->rank_count)
        return;
    double waiting = waiting_part(f, f->works, false);
    if (isnan(waiting) || waiting >= idle)
        add_idle(f, waiting, out);
    else if (f->carrier != PJ_NO_ITEM)
        add_other_work(f, out);
    else {
        pj_buf_addf(out, "%u of %u ranks work; the others, ", f->working, f->rank_count);
        pj_profile_facts_list(f, f->works, false, out);
        pj_buf_puts(out, ", do less than 1 % of the work of the busiest\n");
    }
}

/// As the POP centre names the parts: useful is what is not waiting, the longest location's time is
/// the runtime.
void pj_find_balance(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    if (!f || f->told < 2 || p->measures[f->measure].kind != PJ_MEASURE_TIME)
        return;
    double useful = 0, most = 0, runtime = 0;
    uint32_t busiest = 0;
    for (uint32_t at = 0; at < p->location_count; at++) {
        if (p->locations[at].kind == PJ_LOCATION_GPU)
            return; // whose time stands beside that of the host
        useful += f->work[at];
        runtime = fmax(runtime, f->whole[at]);
        if (f->work[at] > most) {
            most = f->work[at];
            busiest = at;
        }
    }
    if (!(most > 0))
        return;
    double mean = useful / f->told;
    const char *who = f->rank_count == f->told ? "rank" : "thread";
    pj_buf_addf(out, "Load balance is %.3f: %ss are busy for %s on average, ", mean / most, who,
                pj_profile_facts_amount(f, mean));
    pj_buf_addf(out, "the busiest (%s) for %s", pj_profile_facts_place(f, busiest),
                pj_profile_facts_amount(f, most));
    if (f->waited > 0)
        pj_buf_addf(out,
                    "; with a communication efficiency of %.3f, parallel efficiency is %.3f "
                    "(POP's terms: useful is the time outside waiting and communication, the "
                    "runtime that of the longest %s, %s)",
                    most / runtime, mean / runtime, who, pj_profile_facts_amount(f, runtime));
    pj_buf_add_char(out, '\n');
}

// ---- one function over ranks

typedef struct spread {
    double sum, least, most;
    uint32_t have, at_least, at_most;
} spread;

static spread spread_of(const pj_profile_facts *f, const double *values)
{
    spread s = {0};
    for (uint32_t r = 0; r < f->rank_count; r++) {
        if (isnan(values[r]))
            continue;
        bool first = s.have++ == 0;
        s.sum += values[r];
        if (first || values[r] < s.least) {
            s.least = values[r];
            s.at_least = r;
        }
        if (first || values[r] > s.most) {
            s.most = values[r];
            s.at_most = r;
        }
    }
    return s;
}

static void add_uneven(const pj_profile_facts *f, uint32_t region, spread s, pj_buf *out)
{
    pj_buf_addf(out, "%s takes from %s (rank %" PRId64 ") ", pj_profile_facts_name(f, region),
                pj_profile_facts_amount(f, s.least), f->ranks[s.at_least]);
    pj_buf_addf(out, "to %s (rank %" PRId64 ") on the %u ranks that have it: ",
                pj_profile_facts_amount(f, s.most), f->ranks[s.at_most], s.have);
    double times = s.most / s.least;
    pj_buf_addf(out, "%.*f times as much; ", times < 10 ? 1 : 0, times);
    pj_buf_addf(out, "their mean is %.3f of the maximum\n", s.sum / s.have / s.most);
}

/// Of the functions that work most.
void pj_find_uneven(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    enum { TOLD = 3, LOOKED_AT = 12 };
    static const double least_part = 0.02, factor = 2;
    unsigned told = 0, looked = 0;
    if (!f || f->rank_count < 2)
        return;
    double work = f->total - f->waited;
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION] && told < TOLD && looked < LOOKED_AT; i++) {
        uint32_t region = f->costly[i];
        if (f->of_region[region] < least_part * work)
            return;
        if (pj_function_family_of(p, region) != PJ_FAMILY_WORK)
            continue;
        looked++;
        spread s = spread_of(f, pj_profile_facts_by_rank(f, region));
        bool typical = s.most < 0.5 * s.sum; // else few_ranks tells of it
        if (s.have > 1 && s.least > 0 && s.most >= factor * s.least && typical) {
            add_uneven(f, region, s, out);
            told++;
        }
    }
}

// ---- two groups

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/// The border above which the ranks stand apart from the others; NAN = they do not.
static double gap_of(const pj_profile_facts *f, const double *values, double *below, double *above)
{
    static const double wide = 0.3, times = 2;
    double *sorted = pj_new_n(f->arena, double, f->rank_count + (size_t)1), best = 0;
    uint32_t at = 0;
    for (uint32_t r = 0; r < f->rank_count; r++) {
        if (isnan(values[r]))
            return NAN;
        sorted[r] = values[r];
    }
    qsort(sorted, f->rank_count, sizeof *sorted, by_value);
    for (uint32_t r = 1; r < f->rank_count; r++)
        if (sorted[r] - sorted[r - 1] > best) {
            best = sorted[r] - sorted[r - 1];
            at = r;
        }
    double most = sorted[f->rank_count - 1];
    bool apart = at > 1 && at + 1 < f->rank_count && best > wide * most;
    if (!apart || sorted[at] < times * sorted[at - 1])
        return NAN;
    *below = sorted[at - 1];
    *above = sorted[at];
    return (*below + *above) / 2;
}

/// "33.5 s to 36.4 s", or one amount when both read alike.
static void add_range(const pj_profile_facts *f, double least, double most, pj_buf *out)
{
    const char *low = pj_profile_facts_amount(f, least);
    const char *high = pj_profile_facts_amount(f, most);
    pj_buf_puts(out, low);
    if (strcmp(low, high) != 0)
        pj_buf_addf(out, " to %s", high);
}

static void add_groups(const pj_profile_facts *f, uint32_t region, const double *values,
                       pj_buf *out)
{
    double below, above, border = gap_of(f, values, &below, &above);
    bool *high = pj_new_n(f->arena, bool, f->rank_count + (size_t)1);
    uint32_t count = 0;
    spread s = spread_of(f, values);
    if (isnan(border))
        return;
    for (uint32_t r = 0; r < f->rank_count; r++) {
        high[r] = values[r] > border;
        count += high[r];
    }
    pj_buf_addf(out, "%u of %u ranks (", count, f->rank_count);
    pj_profile_facts_list(f, high, true, out);
    pj_buf_puts(out, ") spend ");
    add_range(f, above, s.most, out);
    pj_buf_addf(out, " in %s, the other %u only ", pj_profile_facts_name(f, region),
                f->rank_count - count);
    add_range(f, s.least, below, out);
    uint32_t mark = pj_profile_facts_mark_of(f, high, true);
    uint32_t other = pj_profile_facts_mark_of(f, high, false);
    if (mark != PJ_NO_ITEM)
        pj_buf_addf(out, "; exactly those %u run %s", count, pj_profile_facts_name(f, mark));
    if (other != PJ_NO_ITEM)
        pj_buf_addf(out, "%s exactly the other %u run %s", mark != PJ_NO_ITEM ? ", and" : ";",
                    f->rank_count - count, pj_profile_facts_name(f, other));
    pj_buf_add_char(out, '\n');
}

/// Functions whose time tells two kinds of ranks apart.
void pj_find_two_groups(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    enum { LOOKED_AT = 8, TOLD = 3 };
    static const double least_part = 0.05;
    unsigned told = 0;
    if (!f || f->rank_count < 4)
        return;
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION] && i < LOOKED_AT && told < TOLD; i++) {
        size_t before = out->len;
        if (f->of_region[f->costly[i]] >= least_part * f->total)
            add_groups(f, f->costly[i], pj_profile_facts_by_rank(f, f->costly[i]), out);
        told += out->len > before;
    }
}

// ---- few ranks

/// Marks the ranks that have 90 % of the time; their number.
static uint32_t find_few(const pj_profile_facts *f, const double *values, double sum, bool *few)
{
    static const double part = 0.9;
    uint32_t count = 0;
    for (double reached = 0; reached < part * sum; count++) {
        uint32_t most = PJ_NO_ITEM;
        for (uint32_t r = 0; r < f->rank_count; r++)
            if (!few[r] && !isnan(values[r]) && (most == PJ_NO_ITEM || values[r] > values[most]))
                most = r;
        if (most == PJ_NO_ITEM)
            break;
        few[most] = true;
        reached += values[most];
    }
    return count;
}

/// Functions that many ranks call and few spend time in: what a sum over ranks hides.
void pj_find_few_ranks(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    enum { TOLD = 6, LOOKED_AT = 40, LEAST_RANKS = 4, PART = 8 };
    static const double least_part = 0.001;
    unsigned told = 0;
    if (!f || f->rank_count < LEAST_RANKS)
        return;
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION] && i < LOOKED_AT && told < TOLD; i++) {
        uint32_t region = f->costly[i];
        if (f->of_region[region] < least_part * f->total)
            break;
        double *values = pj_profile_facts_by_rank(f, region);
        bool *few = pj_new_n(f->arena, bool, f->rank_count + (size_t)1);
        spread s = spread_of(f, values);
        uint32_t count = find_few(f, values, s.sum, few), most = f->rank_count / PART;
        if (count > (most > 1 ? most : 1) || s.have < 2 * count || s.have < LEAST_RANKS)
            continue;
        pj_buf_addf(out, "%s%s (%s: %s ",
                    told++ ? "; " : "Few of the ranks have 90 % or more of the time of ",
                    pj_profile_facts_name(f, region), pj_profile_facts_amount(f, s.sum),
                    count == 1 ? "rank" : "ranks");
        pj_profile_facts_list(f, few, true, out);
        pj_buf_addf(out, " of %u)", s.have);
    }
    if (told)
        pj_buf_add_char(out, '\n');
}
