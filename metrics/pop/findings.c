// Findings are read off the numbers of a result; advice.def knows what they usually mean.
#include "metrics/pop/findings.h"

#include "metrics/base/num.h"

#include <stdlib.h>

static const double GOOD = 0.95; // nothing to be said about a metric from here on

static const pj_advice advice[] = {
#define ADVICE(keys, meaning, look) {keys, meaning, look},
#include "metrics/pop/advice.def"
#undef ADVICE
};

const pj_advice *pj_advice_at(size_t index)
{
    return index < sizeof advice / sizeof *advice ? &advice[index] : NULL;
}

/// "mpi_load_imbalance" and "x_inefficiency" are known by the names of their efficiencies.
static pj_str efficiency_key(pj_str key, pj_arena *arena)
{
    if (pj_str_equal(key, PJ_S("mpi_load_imbalance")))
        return PJ_S("mpi_load_balance");
    pj_str suffix = PJ_S("inefficiency");
    if (!pj_str_ends(key, suffix))
        return key;
    return pj_str_of(pj_arena_format(arena, PJ_STR_FMT "efficiency",
                                     PJ_STR_ARG(pj_str_head(key, key.len - suffix.len))));
}

const pj_advice *pj_advice_of(pj_str key)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_str wanted = efficiency_key(key, arena);
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        pj_str keys = pj_str_of(advice[i].keys);
        while (keys.len)
            if (pj_str_equal(pj_str_cut(&keys, ' '), wanted))
                return &advice[i];
    }
    return NULL;
}

static bool quality_of(const pj_metrics *metrics, size_t run, size_t row, double *quality)
{
    const pj_metric *metric = &metrics->set->rows[row];
    pj_metric_value value = pj_metrics_at(metrics, run, row);
    *quality = metric->kind == PJ_METRIC_INEFFICIENCY ? 1 - value.value : value.value;
    return metric->kind != PJ_METRIC_PLAIN && !value.reason;
}

static bool has_parts(const pj_metrics *metrics, size_t row)
{
    for (size_t i = 0; i < metrics->set->count; i++)
        if (pj_metric_parent(metrics->set, i) == (int)row)
            return true;
    return false;
}

/// The row that `row` is a part of, as far as the run has a value of it: -1 = there is none.
static int known_parent(const pj_metrics *metrics, size_t run, size_t row)
{
    int parent = pj_metric_parent(metrics->set, row);
    while (parent >= 0 && pj_metrics_at(metrics, run, (size_t)parent).reason)
        parent = pj_metric_parent(metrics->set, (size_t)parent);
    return parent;
}

static size_t count_parts(const pj_metrics *metrics, int parent)
{
    size_t count = 0;
    for (size_t i = 0; i < metrics->set->count; i++)
        count += pj_metric_parent(metrics->set, i) == parent &&
                 metrics->set->rows[i].kind != PJ_METRIC_PLAIN;
    return count;
}

/// The lowest part of `parent` (-1 = the top, where rows that have parts come first), or -1.
static int lowest_part(const pj_metrics *metrics, size_t run, int parent)
{
    int lowest = -1;
    double least = 0;
    bool least_has_parts = false;
    for (size_t i = 0; i < metrics->set->count; i++) {
        double quality;
        if (known_parent(metrics, run, i) != parent || !quality_of(metrics, run, i, &quality))
            continue;
        bool parts = parent < 0 && has_parts(metrics, i);
        bool better = parts == least_has_parts ? quality < least : parts;
        if (lowest < 0 || better) {
            lowest = (int)i;
            least = quality;
            least_has_parts = parts;
        }
    }
    return lowest;
}

static const char *lower_first(const char *title, pj_arena *arena)
{
    bool word = title[0] >= 'A' && title[0] <= 'Z' && title[1] >= 'a' && title[1] <= 'z';
    bool name = pj_str_starts(pj_str_of(title), PJ_S("OpenMP"));
    return word && !name ? pj_arena_format(arena, "%c%s", title[0] - 'A' + 'a', title + 1) : title;
}

static const char *number(double value, pj_arena *arena)
{
    char text[32];
    pj_format_fixed(value, 3, text);
    return pj_arena_text(arena, pj_str_of(text));
}

static const char *title_of(const pj_metrics *metrics, size_t row, pj_arena *arena)
{
    return lower_first(metrics->set->rows[row].title, arena);
}

static const char *extreme(const pj_metrics *metrics, size_t row)
{
    return metrics->set->rows[row].kind == PJ_METRIC_INEFFICIENCY ? "highest" : "lowest";
}

static pj_finding find(const pj_metrics *metrics, size_t run, size_t row)
{
    pj_finding finding = {.row = row, .value = pj_metrics_at(metrics, run, row).value};
    quality_of(metrics, run, row, &finding.quality);
    finding.advice = pj_advice_of(pj_str_of(metrics->set->rows[row].key));
    return finding;
}

static const char *say_part(const pj_metrics *metrics, size_t run, int parent, size_t row,
                            pj_arena *arena)
{
    const char *title = title_of(metrics, row, arena);
    const char *value = number(pj_metrics_at(metrics, run, row).value, arena);
    const char *layout = pj_study_key_text(metrics->study, run, PJ_BY_LAYOUT);
    if (parent < 0)
        return pj_arena_format(arena, "At %s (ranks x threads) %s is %s.", layout, title, value);
    return pj_arena_format(arena, "Of the parts of %s (%s), %s is %s: %s.",
                           title_of(metrics, (size_t)parent, arena),
                           number(pj_metrics_at(metrics, run, (size_t)parent).value, arena), title,
                           count_parts(metrics, parent) > 2 ? extreme(metrics, row)
                           : count_parts(metrics, parent) > 1
                               ? (strcmp(extreme(metrics, row), "lowest") == 0 ? "lower" : "higher")
                               : "the only one",
                           value);
}

pj_findings pj_findings_path(const pj_metrics *metrics, size_t run, pj_arena *arena)
{
    pj_findings found = {.items = pj_new_n(arena, pj_finding, metrics->set->count)};
    for (int parent = -1;;) {
        int row = lowest_part(metrics, run, parent);
        double quality;
        if (row < 0 || !quality_of(metrics, run, (size_t)row, &quality) ||
            (parent >= 0 && quality >= GOOD))
            return found;
        pj_finding *finding = &found.items[found.count++];
        *finding = find(metrics, run, (size_t)row);
        finding->sentence = say_part(metrics, run, parent, (size_t)row, arena);
        parent = row;
    }
}

static int by_quality(const void *a, const void *b)
{
    const pj_finding *x = a, *y = b;
    if (x->quality != y->quality)
        return x->quality < y->quality ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

pj_findings pj_findings_ranked(const pj_metrics *metrics, size_t run, pj_arena *arena)
{
    pj_findings found = {.items = pj_new_n(arena, pj_finding, metrics->set->count)};
    for (size_t row = 0; row < metrics->set->count; row++) {
        double quality;
        bool leaf = !has_parts(metrics, row) && pj_metric_parent(metrics->set, row) >= 0;
        if (!leaf || !quality_of(metrics, run, row, &quality) || quality >= GOOD)
            continue;
        pj_finding *finding = &found.items[found.count++];
        *finding = find(metrics, run, row);
        finding->sentence = pj_arena_format(arena, "%s is %s.", metrics->set->rows[row].title,
                                            number(finding->value, arena));
    }
    qsort(found.items, found.count, sizeof *found.items, by_quality);
    return found;
}

/// The run where the metric is worst, or -1 when no run has a value.
static int worst_run(const pj_metrics *metrics, size_t row)
{
    int worst = -1;
    double least = 0;
    for (size_t run = 0; run < metrics->study->count; run++) {
        double quality;
        if (quality_of(metrics, run, row, &quality) && (worst < 0 || quality < least)) {
            worst = (int)run;
            least = quality;
        }
    }
    return worst;
}

static const char *value_at(const pj_metrics *metrics, size_t run, size_t row, pj_arena *arena)
{
    return pj_arena_format(arena, "%s (%s)", number(pj_metrics_at(metrics, run, row).value, arena),
                           pj_study_key_text(metrics->study, run, PJ_BY_LAYOUT));
}

const char *pj_findings_course(const pj_metrics *metrics, size_t row, pj_arena *arena)
{
    const char *title = metrics->set->rows[row].title;
    size_t first = 0, last = metrics->study->count - 1;
    int worst = worst_run(metrics, row);
    pj_metric_value from = pj_metrics_at(metrics, first, row);
    pj_metric_value to = pj_metrics_at(metrics, last, row);
    if (to.reason)
        return pj_arena_format(arena, "%s has no value: %s.", title, to.reason);
    const char *end = value_at(metrics, last, row, arena);
    if (first == last || from.reason)
        return pj_arena_format(arena, "%s is %s.", title, end);
    double change = to.value - from.value;
    const char *course =
        change > -0.005 && change < 0.005
            ? pj_arena_format(arena, "%s stays at %s", title, end)
            : pj_arena_format(arena, "%s %s from %s to %s", title, change < 0 ? "falls" : "rises",
                              value_at(metrics, first, row, arena), end);
    if (worst < 0 || (size_t)worst == first || (size_t)worst == last)
        return pj_arena_format(arena, "%s.", course);
    return pj_arena_format(arena, "%s; its %s value is %s.", course, extreme(metrics, row),
                           value_at(metrics, (size_t)worst, row, arena));
}
