// Findings are read off the numbers of a result; advice.def knows what they usually mean.
#include "metrics/pop/findings.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"

static const double NEAR = 0.02; // parts that differ by less are told together

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

bool pj_findings_quality(const pj_metrics *metrics, size_t run, size_t row, double *quality)
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

/// The lowest part of `parent` (-1 = the top, where rows that have parts come first), or -1.
static int lowest_part(const pj_metrics *metrics, size_t run, int parent)
{
    int lowest = -1;
    double least = 0;
    bool least_has_parts = false;
    for (size_t i = 0; i < metrics->set->count; i++) {
        double quality;
        if (known_parent(metrics, run, i) != parent ||
            !pj_findings_quality(metrics, run, i, &quality))
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

const char *pj_findings_title(const pj_metrics *metrics, size_t row, pj_arena *arena)
{
    return lower_first(metrics->set->rows[row].title, arena);
}

static const char *extreme(const pj_metrics *metrics, size_t row)
{
    return metrics->set->rows[row].kind == PJ_METRIC_INEFFICIENCY ? "highest" : "lowest";
}

/// "MPI load balance (0.901)"
static const char *with_value(const pj_metrics *metrics, size_t run, size_t row, pj_arena *arena)
{
    return pj_arena_format(arena, "%s (%s)", pj_findings_title(metrics, row, arena),
                           number(pj_metrics_at(metrics, run, row).value, arena));
}

/// The parts beside `row` that have a value: all of them, or those nearly as low.
typedef struct siblings {
    size_t count, near;
    size_t other;      // one of them; where one is near, a near one
    const char *names; // of the near ones: "a (0.5), b (0.6)"
} siblings;

static siblings siblings_of(const pj_metrics *metrics, size_t run, int parent, size_t row,
                            pj_arena *arena)
{
    siblings found = {.names = ""};
    double least, quality;
    pj_findings_quality(metrics, run, row, &least);
    for (size_t i = 0; i < metrics->set->count; i++) {
        if (i == row || known_parent(metrics, run, i) != parent ||
            !pj_findings_quality(metrics, run, i, &quality))
            continue;
        bool near = quality - least < NEAR;
        if (near)
            found.names = pj_arena_format(arena, "%s%s%s", found.names, found.near ? ", " : "",
                                          with_value(metrics, run, i, arena));
        if (near || !found.near)
            found.other = i;
        found.count++;
        found.near += near;
    }
    return found;
}

static const char *say_top(const pj_metrics *metrics, size_t run, size_t row, pj_arena *arena)
{
    return pj_arena_format(arena, "At %s (ranks x threads) %s is %s.",
                           pj_study_key_text(metrics->study, run, PJ_BY_LAYOUT),
                           pj_findings_title(metrics, row, arena),
                           number(pj_metrics_at(metrics, run, row).value, arena));
}

static const char *say_part(const pj_metrics *metrics, size_t run, int parent, size_t row,
                            pj_arena *arena)
{
    if (parent < 0)
        return say_top(metrics, run, row, arena);
    bool mirrored = metrics->set->rows[row].kind == PJ_METRIC_INEFFICIENCY;
    siblings beside = siblings_of(metrics, run, parent, row, arena);
    const char *whole = with_value(metrics, run, (size_t)parent, arena);
    const char *part = with_value(metrics, run, row, arena);
    if (!beside.count)
        return pj_arena_format(arena, "Of the parts of %s only %s has a value.", whole, part);
    if (beside.count == 1) {
        const char *other = with_value(metrics, run, beside.other, arena);
        return beside.near ? pj_arena_format(arena, "The parts of %s are nearly equal: %s and %s.",
                                             whole, part, other)
                           : pj_arena_format(arena, "Of the parts of %s, %s is %s than %s.", whole,
                                             part, mirrored ? "higher" : "lower", other);
    }
    const char *first = pj_arena_format(arena, "Of the parts of %s, %s is the %s", whole, part,
                                        extreme(metrics, row));
    if (!beside.near)
        return pj_arena_format(arena, "%s.", first);
    return pj_arena_format(arena, "%s; nearly as %s: %s.", first, mirrored ? "high" : "low",
                           beside.names);
}

pj_findings pj_findings_path(const pj_metrics *metrics, size_t run, pj_arena *arena)
{
    pj_findings found = {.items = pj_new_n(arena, pj_finding, metrics->set->count)};
    for (int parent = -1;;) {
        int row = lowest_part(metrics, run, parent);
        double quality;
        if (row < 0 || !pj_findings_quality(metrics, run, (size_t)row, &quality) ||
            (parent >= 0 && quality >= PJ_FINDINGS_GOOD))
            return found;
        found.items[found.count++] =
            (pj_finding){.row = (size_t)row,
                         .value = pj_metrics_at(metrics, run, (size_t)row).value,
                         .quality = quality,
                         .sentence = say_part(metrics, run, parent, (size_t)row, arena)};
        parent = row;
    }
}

/// The run where the metric is worst, or -1 when no run has a value.
static int worst_run(const pj_metrics *metrics, size_t row)
{
    int worst = -1;
    double least = 0;
    for (size_t run = 0; run < metrics->study->count; run++) {
        double quality;
        if (pj_findings_quality(metrics, run, row, &quality) && (worst < 0 || quality < least)) {
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

/// What the end of a course means: above 1 nothing is lost there.
static const char *meaning_of(const pj_metrics *metrics, size_t run, size_t row)
{
    double quality;
    bool above = pj_findings_quality(metrics, run, row, &quality) && quality >= 1.0005;
    if (!above)
        return "";
    return metrics->set->rows[row].kind == PJ_METRIC_SCALING
               ? "; above 1 it is better than in the reference run"
               : "; nothing is lost there";
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
    const char *meaning = meaning_of(metrics, last, row);
    if (first == last || from.reason)
        return pj_arena_format(arena, "%s is %s%s.", title, end, meaning);
    double change = to.value - from.value;
    const char *course =
        change > -0.005 && change < 0.005
            ? pj_arena_format(arena, "%s stays at %s", title, end)
            : pj_arena_format(arena, "%s %s from %s to %s", title, change < 0 ? "falls" : "rises",
                              value_at(metrics, first, row, arena), end);
    if (worst < 0 || (size_t)worst == first || (size_t)worst == last)
        return pj_arena_format(arena, "%s%s.", course, meaning);
    return pj_arena_format(arena, "%s%s; its %s value is %s.", course, meaning,
                           extreme(metrics, row), value_at(metrics, (size_t)worst, row, arena));
}
