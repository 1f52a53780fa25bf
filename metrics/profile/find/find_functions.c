// Where the time goes: functions that cost most, waiting, many short calls, the path that costs
// most, recursion.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/cycles.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/find/profile_facts.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

#include <math.h>

enum { TOLD = 3 };
static const double least_part = 0.01;

/// The costliest functions that wait, or those that do not: ": a 58.6 %, b 12.0 %".
static void add_costliest(const pj_profile *p, const pj_profile_facts *f, bool waiting,
                          double whole, pj_buf *out)
{
    unsigned told = 0;
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION] && told < TOLD; i++) {
        uint32_t region = f->costly[i];
        if (f->of_region[region] < least_part * whole)
            break;
        if (pj_profile_facts_waits(f, region) != waiting)
            continue;
        pj_buf_addf(out, "%s%s %s", told++ ? ", " : "", pj_profile_facts_name(f, region),
                    pj_profile_facts_share(f, f->of_region[region], whole));
    }
    if (!told)
        pj_buf_addf(out, "no function takes 1 %% of it");
}

void pj_find_costliest(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    if (!f)
        return;
    double work = f->total - f->waited;
    if (!(work > 0))
        return;
    if (f->waited > 0)
        pj_buf_addf(out, "Of the %s outside waiting and communication",
                    pj_profile_facts_amount(f, work));
    else
        pj_buf_addf(out, "Of the %s in all", pj_profile_facts_amount(f, work));
    pj_buf_addf(out, ", functions take, without those they call: ");
    add_costliest(p, f, false, work, out);
    pj_buf_add_char(out, '\n');
}

void pj_find_waiting(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    if (!f || f->waited < least_part * f->total)
        return;
    pj_buf_addf(out, "Waiting and communication take %s of the %s of all %s: ",
                pj_profile_facts_share(f, f->waited, f->total), pj_profile_facts_what(f),
                p->location_count > 1 ? "ranks together" : "functions");
    add_costliest(p, f, true, f->total, out);
    pj_buf_add_char(out, '\n');
}

/// The function that is called most, when it costs something.
void pj_find_many_calls(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    static const double many = 1e5;
    uint32_t found = PJ_NO_ITEM;
    if (!f)
        return;
    const pj_profile_sums *sums = pj_profile_facts_sums(f);
    const double *calls = sums->regions.calls;
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        if (calls[r] >= many && calls[r] < 1e15 && f->of_region[r] >= least_part * f->total &&
            (found == PJ_NO_ITEM || calls[r] > calls[found]))
            found = r;
    if (found == PJ_NO_ITEM)
        return;
    char text[32];
    text[pj_format_grouped((int64_t)calls[found], text)] = 0;
    pj_buf_addf(out, "%s is called %s times, %s each without what it calls, ",
                pj_profile_facts_name(f, found), text,
                pj_profile_facts_amount(f, f->of_region[found] / calls[found]));
    pj_buf_addf(out, "%s of all\n", pj_profile_facts_share(f, f->of_region[found], f->total));
}

/// The child that holds most; PJ_NO_ITEM = none holds half of the whole.
static uint32_t largest_child(const pj_profile_sums *sums, uint32_t place, double whole)
{
    uint32_t found = PJ_NO_ITEM;
    for (uint32_t i = sums->children.first[place]; i < sums->children.first[place + 1]; i++) {
        uint32_t node = sums->children.items[i];
        double value = pj_profile_sums_size(sums->nodes.inclusive[node]);
        if (value >= whole / 2 && (found == PJ_NO_ITEM || value > sums->nodes.inclusive[found]))
            found = node;
    }
    return found;
}

/// From the root down as long as one call holds half of the whole.
void pj_find_hot_path(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    enum { SHOWN = 5 };
    if (!f || p->shape != PJ_SHAPE_TREE)
        return;
    const pj_profile_sums *sums = pj_profile_facts_sums(f);
    double whole = pj_profile_sums_total(sums);
    uint32_t path[SHOWN], length = 0, node = p->count[PJ_AT_NODE], last = PJ_NO_ITEM;
    while ((node = largest_child(sums, node, whole)) != PJ_NO_ITEM) {
        path[length++ % SHOWN] = p->nodes[node].region;
        last = node;
    }
    if (length < 2)
        return;
    pj_buf_addf(out, "%s of the %s is spent in and below ",
                pj_profile_facts_share(f, sums->nodes.inclusive[last], whole),
                pj_profile_facts_what(f));
    uint32_t first = length > SHOWN ? length - SHOWN : 0;
    pj_buf_puts(out, first ? "... / " : "");
    for (uint32_t i = first; i < length; i++)
        pj_buf_addf(out, "%s%s", i > first ? " / " : "", pj_profile_facts_name(f, path[i % SHOWN]));
    bool ends = sums->children.first[last] == sums->children.first[last + 1];
    pj_buf_puts(out, ends ? "\n" : "; no call below has half of the whole\n");
}

void pj_find_recursion(const pj_profile *p, const pj_profile_facts *f, pj_buf *out)
{
    enum { MOST = 6 };
    uint32_t count = 0;
    if (!f || p->shape != PJ_SHAPE_GRAPH)
        return;
    const uint32_t *cycles = pj_profile_cycles(p, f->arena);
    pj_auto_buf names = {0};
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION]; i++) {
        if (!cycles[f->costly[i]])
            continue;
        if (count++ < MOST)
            pj_buf_addf(&names, "%s%s", count > 1 ? ", " : "",
                        pj_profile_facts_name(f, f->costly[i]));
    }
    if (count)
        pj_buf_addf(out,
                    "Functions that reach themselves again along the calls recorded: %u, %s%s\n",
                    count, names.at, count > MOST ? " and others" : "");
}
