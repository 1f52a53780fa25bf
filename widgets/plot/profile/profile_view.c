// What all pictures of profiles share before anything is drawn.
#include "widgets/plot/profile/profile_view.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_findings.h"
#include "metrics/profile/profile_names.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/table/table.h"
#include "widgets/figure/column_text.h"

#include <ctype.h>
#include <stdlib.h>

static const double ns_per_s = 1e9;

bool pj_profile_view_empty(const pj_profile_view *view, pj_err *err)
{
    return pj_fail(err, PJ_E_MISSING, view->name, 0, "holds no values of functions to draw");
}

// ---- what is shown

static bool take_measure(pj_profile_view *v, pj_err *err)
{
    const pj_profile *p = v->profile;
    const char *key = v->opts.measure;
    v->measure = key ? pj_profile_measure(p, pj_str_of(key)) : pj_profile_sums_usual_measure(p);
    if (v->measure == PJ_NO_ITEM && key) {
        pj_auto_buf keys = {0};
        for (uint32_t m = 0; m < p->measure_count; m++)
            pj_buf_addf(&keys, "%s%s", m ? ", " : "", p->measures[m].key);
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "the profile has no metric \"%s\"; it has %s", key,
                       keys.len ? keys.at : "none");
    }
    if (v->measure == PJ_NO_ITEM)
        return pj_profile_view_empty(v, err);
    v->is_time = p->measures[v->measure].kind == PJ_MEASURE_TIME;
    v->factor = v->is_time ? ns_per_s : 1;
    return true;
}

static int64_t rank_of(const pj_profile *p, uint32_t at)
{
    return p->locations[at].rank < 0 ? (int64_t)at : p->locations[at].rank;
}

typedef struct numbered {
    int64_t rank, thread;
    uint32_t at;
} numbered;

static int by_number(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool take_locations(pj_profile_view *v, pj_err *err)
{
    const pj_profile *p = v->profile;
    numbered *all = pj_new_n(v->arena, numbered, p->location_count + (size_t)1);
    v->locations = pj_new_n(v->arena, uint32_t, p->location_count + (size_t)1);
    v->shown = pj_new_n(v->arena, bool, p->location_count + (size_t)1);
    for (uint32_t at = 0; at < p->location_count; at++) {
        v->shown[at] = !v->opts.one_rank || rank_of(p, at) == v->opts.rank;
        if (v->shown[at])
            all[v->location_count++] = (numbered){rank_of(p, at), p->locations[at].thread, at};
    }
    qsort(all, v->location_count, sizeof *all, by_number);
    for (uint32_t k = 0; k < v->location_count; k++)
        v->locations[k] = all[k].at;
    return v->location_count > 0 ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "the profile has no rank %lld",
                   (long long)v->opts.rank);
}

/// Locations whose own times nothing tells, as of a memory curve, are none beside those of others.
static void drop_untold(pj_profile_view *v)
{
    const pj_profile_column *own =
        pj_profile_find(v->profile, PJ_AT_REGION, PJ_EXCLUSIVE, v->measure);
    uint32_t told = 0;
    for (uint32_t k = 0; k < v->location_count; k++)
        if (pj_profile_tells(v->profile, own, v->locations[k]))
            v->locations[told++] = v->locations[k];
    v->location_count = told ? told : v->location_count;
}

// ---- names

static pj_str base_of_text(pj_str text)
{
    size_t slash = pj_str_find_last(text, '/');
    return slash + 1 < text.len ? pj_str_from(text, slash + 1) : text;
}

static pj_str base_of(const char *path)
{
    return base_of_text(pj_str_of(path));
}

/// What the names of all files begin and end with.
static const char *pattern_of(const pj_profile *p, pj_arena *arena)
{
    pj_str first = base_of(p->files[0]);
    size_t head = first.len, tail = first.len;
    for (uint32_t f = 1; f < p->file_count; f++) {
        pj_str name = base_of(p->files[f]);
        size_t h = 0, t = 0;
        while (h < head && h < name.len && name.at[h] == first.at[h])
            h++;
        while (t < tail && t < name.len && name.at[name.len - 1 - t] == first.at[first.len - 1 - t])
            t++;
        head = h;
        tail = t;
    }
    tail = head + tail > first.len ? first.len - head : tail;
    return pj_arena_format(arena, PJ_STR_FMT "*" PJ_STR_FMT " (%u files)",
                           PJ_STR_ARG(pj_str_head(first, head)),
                           PJ_STR_ARG(pj_str_from(first, first.len - tail)), p->file_count);
}

/// The only file that the locations shown come from; NULL = there are several.
static const char *only_file(const pj_profile_view *v)
{
    const pj_profile *p = v->profile;
    uint32_t file = p->locations[v->locations[0]].file;
    for (uint32_t k = 1; k < v->location_count; k++)
        if (p->locations[v->locations[k]].file != file)
            return NULL;
    return file < p->file_count ? p->files[file] : NULL;
}

static const char *name_of(const pj_profile_view *v)
{
    const pj_profile *p = v->profile;
    if (p->file_count == 0)
        return p->title ? p->title : "profile";
    const char *only = p->file_count == 1 ? p->files[0] : only_file(v);
    return only ? pj_arena_text(v->arena, base_of(only)) : pattern_of(p, v->arena);
}

/// The folder that its files lie in; "" = none is told.
static pj_str folder_of(const pj_profile *p)
{
    pj_str path = pj_str_of(p->file_count ? p->files[0] : "");
    size_t slash = pj_str_find_last(path, '/');
    return slash < path.len ? base_of_text(pj_str_head(path, slash)) : PJ_S("");
}

const char *pj_profile_view_against(const pj_profile_view *view, const pj_profile *then,
                                    const char *then_name)
{
    pj_str folders[] = {folder_of(view->profile), folder_of(then)};
    bool alike = strcmp(view->name, then_name) == 0 && !pj_str_equal(folders[0], folders[1]);
    const char *slashes[] = {alike && folders[0].len ? "/" : "",
                             alike && folders[1].len ? "/" : ""};
    for (size_t i = 0; !alike && i < 2; i++)
        folders[i].len = 0;
    return pj_arena_format(view->arena, PJ_STR_FMT "%s%s against " PJ_STR_FMT "%s%s",
                           PJ_STR_ARG(folders[0]), slashes[0], view->name, PJ_STR_ARG(folders[1]),
                           slashes[1], then_name);
}

static uint32_t count_ranks(const pj_profile_view *v)
{
    uint32_t ranks = 0;
    for (uint32_t k = 0; k < v->location_count; k++)
        ranks += k == 0 ||
                 rank_of(v->profile, v->locations[k]) != rank_of(v->profile, v->locations[k - 1]);
    return ranks;
}

static const char *where_of(const pj_profile_view *v)
{
    uint32_t ranks = v->ranks, threads = v->location_count;
    if (v->opts.one_rank)
        return pj_arena_format(v->arena, "rank %lld%s", (long long)v->opts.rank,
                               threads > 1 ? ", all its threads" : "");
    if (threads == 1)
        return "";
    if (ranks == threads)
        return pj_arena_format(v->arena, "%u ranks, added up", ranks);
    if (ranks == 1)
        return pj_arena_format(v->arena, "%u threads, added up", threads);
    return pj_arena_format(v->arena, "%u threads of %u ranks, added up", threads, ranks);
}

const char *pj_profile_view_location(const pj_profile_view *view, uint32_t location)
{
    const pj_profile_location *l = &view->profile->locations[location];
    const char *what = l->kind == PJ_LOCATION_GPU ? "GPU " : "";
    bool alone = view->ranks == view->location_count;
    if (alone || l->thread < 0)
        return pj_arena_format(view->arena, "%srank %lld", what,
                               (long long)rank_of(view->profile, location));
    if (l->rank < 0)
        return pj_arena_format(view->arena, "%sthread %lld", what, (long long)l->thread);
    return pj_arena_format(view->arena, "%srank %lld, thread %lld", what, (long long)l->rank,
                           (long long)l->thread);
}

/// The first finding: pictures have room for one.
static const char *finding_of(const pj_profile_view *v)
{
    pj_auto_buf text = {0};
    if (!v->opts.one_rank)
        pj_profile_findings(v->profile, &text);
    pj_str rest = pj_buf_str(&text);
    pj_str first = pj_str_trim(pj_str_cut(&rest, '\n'));
    return first.len ? pj_arena_text(v->arena, first) : "";
}

/// ", xypix 14 %": the next costliest function that waits or does not; false = none is worth it.
static bool add_costly(const pj_profile_view *v, bool waits, unsigned told, bool *taken,
                       pj_buf *out)
{
    static const double worth = 0.01;
    const double *own = v->sums->regions.exclusive;
    uint32_t most = PJ_NO_ITEM;
    for (uint32_t r = 0; r < v->profile->count[PJ_AT_REGION]; r++)
        if (!taken[r] && own[r] >= worth * v->total && (most == PJ_NO_ITEM || own[r] > own[most]) &&
            (pj_function_family_of(v->profile, r) == PJ_FAMILY_WAIT) == waits)
            most = r;
    if (most == PJ_NO_ITEM)
        return false;
    taken[most] = true;
    pj_buf_addf(out, "%s%s %s", told ? ", " : "", pj_find_name(v->profile, most, v->arena),
                pj_profile_view_share(v, own[most], v->total));
    return true;
}

/// "Communication and waiting take 82 % (allreduce 52 %, Barrier 30 %); most own time else: xypix
/// 14 %": where nothing is told of ranks.
static const char *costliest_of(const pj_profile_view *v)
{
    enum { TOLD = 3 };
    uint32_t regions = v->profile->count[PJ_AT_REGION];
    bool *taken = pj_new_n(v->arena, bool, regions + (size_t)1);
    double waited = 0;
    unsigned told = 0;
    pj_auto_buf waits = {0}, works = {0}, text = {0};
    while (told < TOLD && add_costly(v, true, told, taken, &waits))
        told++;
    for (uint32_t r = 0; told && r < regions; r++)
        if (pj_function_family_of(v->profile, r) == PJ_FAMILY_WAIT)
            waited += pj_profile_sums_size(v->sums->regions.exclusive[r]);
    if (told)
        pj_buf_addf(&text, "Communication and waiting take %s (" PJ_STR_FMT ")",
                    pj_profile_view_share(v, waited, v->total), PJ_STR_ARG(pj_buf_str(&waits)));
    bool waiting = told > 0;
    for (told = 0; told < TOLD && add_costly(v, false, told, taken, &works);)
        told++;
    if (told)
        pj_buf_addf(&text, "%s" PJ_STR_FMT, waiting ? "; most own time else: " : "Most own time: ",
                    PJ_STR_ARG(pj_buf_str(&works)));
    return pj_arena_text(v->arena, pj_buf_str(&text));
}

bool pj_profile_view_untimed(const pj_profile *profile, pj_profile_opts opts, pj_arena *arena,
                             pj_profile_view *out, pj_err *err)
{
    *out = (pj_profile_view){.profile = profile, .opts = opts, .arena = arena};
    if (!take_locations(out, err))
        return false;
    out->name = name_of(out);
    if (!take_measure(out, err))
        return false;
    drop_untold(out);
    out->ranks = count_ranks(out);
    out->where = where_of(out);
    out->finding = finding_of(out);
    out->sums = pj_profile_sums_new(profile, out->measure, out->shown, arena);
    out->total = pj_profile_sums_total(out->sums);
    out->told = *out->finding || !(out->total > 0) ? out->finding : costliest_of(out);
    return true;
}

bool pj_profile_view_new(const pj_profile *profile, pj_profile_opts opts, pj_arena *arena,
                         pj_profile_view *out, pj_err *err)
{
    return pj_profile_view_untimed(profile, opts, arena, out, err) &&
           (out->total > 0 || pj_profile_view_empty(out, err));
}

// ---- amounts

const char *pj_profile_view_amount(const pj_profile_view *view, double value)
{
    char text[32];
    const pj_measure *measure = &view->profile->measures[view->measure];
    if (isnan(value))
        return "not told";
    if (view->is_time) {
        text[pj_format_duration(value * view->factor, text)] = 0;
        return pj_arena_format(view->arena, "%s", text);
    }
    if (measure->kind == PJ_MEASURE_BYTES && strcmp(measure->unit, "B") == 0 && value >= 0)
        text[pj_format_bytes((uint64_t)value, text)] = 0;
    else if (fabs(value) < 1e15 && value == floor(value))
        text[pj_format_grouped((int64_t)value, text)] = 0;
    else
        return pj_arena_format(view->arena, "%.4g%s%s", value, *measure->unit ? " " : "",
                               measure->unit);
    bool unit = *measure->unit && measure->kind != PJ_MEASURE_BYTES;
    return pj_arena_format(view->arena, "%s%s%s", text, unit ? " " : "", unit ? measure->unit : "");
}

/// What a count counts, within a sentence: "samples", "PAPI_TOT_CYC".
static const char *counted(const pj_profile_view *view)
{
    const char *title = view->profile->measures[view->measure].title;
    bool is_word = *title && islower((unsigned char)title[1]);
    return is_word ? pj_arena_format(view->arena, "%c%s", tolower((unsigned char)*title), title + 1)
                   : title;
}

/// " in 93 samples": how much there is behind numbers that a sampler has made of them.
static const char *sampled(const pj_profile_view *view)
{
    uint32_t samples = pj_profile_measure(view->profile, PJ_S("samples"));
    char count[32];
    if (samples == PJ_NO_ITEM || samples == view->measure)
        return "";
    double total = pj_profile_sums_total(
        pj_profile_sums_new(view->profile, samples, view->shown, view->arena));
    count[pj_format_grouped((int64_t)total, count)] = 0;
    return total >= 1 && total < 1e15
               ? pj_arena_format(view->arena, " in %s sample%s", count, total < 2 ? "" : "s")
               : "";
}

const char *pj_profile_view_whole(const pj_profile_view *view, double value)
{
    const pj_measure *measure = &view->profile->measures[view->measure];
    bool bare = measure->kind == PJ_MEASURE_COUNT && !*measure->unit;
    return pj_arena_format(view->arena, "%s%s%s%s", pj_profile_view_amount(view, value),
                           bare ? " " : "", bare ? counted(view) : "", sampled(view));
}

const char *pj_profile_view_share(const pj_profile_view *view, double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 0.05)
        return "<0.1\u00a0%";
    return pj_arena_format(view->arena, percent < 9.95 ? "%.1f\u00a0%%" : "%.0f\u00a0%%", percent);
}

pj_column_text pj_profile_view_column(const pj_profile_view *view, const double *values,
                                      size_t count)
{
    enum { DIGITS = 4 }; // of the largest
    bool bytes = strcmp(view->profile->measures[view->measure].unit, "B") == 0;
    double most = 0;
    bool whole = !view->is_time;
    for (size_t i = 0; i < count; i++) {
        double value = isnan(values[i]) ? 0 : fabs(values[i]) * view->factor;
        whole = whole && value == floor(value);
        most = fmax(most, value);
    }
    pj_unit unit = view->is_time ? PJ_UNIT_NS : bytes ? PJ_UNIT_BYTES : PJ_UNIT_NONE;
    pj_column_text form = pj_column_text_unit(unit, most);
    double largest = most * form.factor;
    int before = largest >= 1 ? (int)floor(log10(largest)) + 1 : 1;
    form.integers = whole && form.factor == 1;
    form.decimals = form.integers || before >= DIGITS ? 0 : DIGITS - before;
    return form;
}

const char *pj_profile_view_number(const pj_profile_view *view, pj_column_text form, double value)
{
    pj_auto_buf text = {0};
    if (isnan(value))
        return "";
    pj_column_text_slight(&text, form, value * view->factor);
    return pj_arena_text(view->arena, pj_buf_str(&text));
}

const char *pj_profile_view_head(const pj_profile_view *view, pj_column_text form,
                                 const char *title)
{
    const pj_measure *measure = &view->profile->measures[view->measure];
    const char *unit = *form.unit ? form.unit : measure->unit;
    return *unit ? pj_arena_format(view->arena, "%s%s[%s]", title, *title ? " " : "", unit) : title;
}

const char *pj_profile_view_percent(const pj_profile_view *view, double part, double whole)
{
    double percent = whole > 0 ? 100 * part / whole : 0;
    return percent > 0 && percent < 0.05 ? "<0.1" : pj_arena_format(view->arena, "%.1f", percent);
}

double *pj_profile_view_spread(const pj_profile_view *view, pj_site site, uint32_t item,
                               pj_value_part part)
{
    bool counts = part != PJ_EXCLUSIVE && part != PJ_INCLUSIVE;
    const pj_profile_column *column =
        pj_profile_find(view->profile, site, part, counts ? PJ_NO_ITEM : view->measure);
    if (!column)
        return NULL;
    double *values = pj_new_n(view->arena, double, view->location_count);
    for (uint32_t k = 0; k < view->location_count; k++)
        values[k] = pj_profile_value(view->profile, column, item, view->locations[k]);
    return values;
}

// ---- hover texts

static void add_spread(const pj_profile_view *view, const double *values, const char *what,
                       pj_buf *out)
{
    double sum = 0, least = 0, most = 0;
    uint32_t count = 0, at_least = 0, at_most = 0;
    for (uint32_t k = 0; k < view->location_count; k++) {
        if (isnan(values[k]))
            continue;
        bool first = count++ == 0;
        if (first || values[k] < least) {
            least = values[k];
            at_least = view->locations[k];
        }
        if (first || values[k] > most) {
            most = values[k];
            at_most = view->locations[k];
        }
        sum += values[k];
    }
    if (count == 0 || view->location_count < 2)
        return;
    pj_buf_addf(out, "\n%s: mean %s, ", what, pj_profile_view_amount(view, sum / count));
    pj_buf_addf(out, "least %s (%s), ", pj_profile_view_amount(view, least),
                pj_profile_view_location(view, at_least));
    pj_buf_addf(out, "most %s (%s)", pj_profile_view_amount(view, most),
                pj_profile_view_location(view, at_most));
    if (count < view->location_count)
        pj_buf_addf(out, "; %u of %u have it", count, view->location_count);
}

static void add_calls(const pj_profile_view *view, uint32_t region, pj_buf *out)
{
    double calls = view->sums->regions.calls[region];
    double primitive = view->sums->regions.primitive[region];
    char text[32];
    if (isnan(calls))
        return;
    text[pj_format_grouped((int64_t)calls, text)] = 0;
    pj_buf_addf(out, ", %s call%s", text, calls == 1 ? "" : "s");
    if (primitive < calls) {
        text[pj_format_grouped((int64_t)primitive, text)] = 0;
        pj_buf_addf(out, " (%s not recursive)", text);
    }
}

void pj_profile_view_describe(const pj_profile_view *view, uint32_t region, pj_buf *out)
{
    const pj_profile_sums_of *of = &view->sums->regions;
    pj_str name = pj_profile_name(view->profile, region);
    const char *place = pj_function_place(view->profile, region, view->arena);
    pj_str module = pj_function_module(view->profile, region);
    pj_buf_add(out, name);
    if (*place)
        pj_buf_addf(out, "\n%s", place);
    if (module.len && !pj_profile_is_unknown(module))
        pj_buf_addf(out, "%smodule " PJ_STR_FMT, *place ? ", " : "\n", PJ_STR_ARG(module));
    bool repeated = of->inclusive[region] > view->total && pj_profile_sums_repeat(view->profile);
    pj_buf_addf(out, "\nwith callees %s (%s%s), ",
                pj_profile_view_amount(view, of->inclusive[region]),
                pj_profile_view_share(view, of->inclusive[region], view->total),
                repeated ? ", levels of recursion added up" : "");
    pj_buf_addf(out, "own %s (%s)", pj_profile_view_amount(view, of->exclusive[region]),
                pj_profile_view_share(view, of->exclusive[region], view->total));
    add_calls(view, region, out);
    double *values = pj_profile_view_spread(view, PJ_AT_REGION, region, PJ_INCLUSIVE);
    if (values)
        add_spread(view, values, "with callees", out);
}
