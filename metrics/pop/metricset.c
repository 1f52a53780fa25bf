// The built-in sets: the rows of metricsets.def read three times, as formulas, rows and sets.
#include "metrics/pop/metricset.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/pop/explanations.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"

#include <math.h>
#include <stddef.h>

static double growth(const pj_measures *r, const pj_measures *r0)
{
    return pj_measures_growth(r, r0);
}

/// A run that lacks a quantity has no ratio, rather than one of 0.
static double ratio(double above, double below)
{
    return above > 0 && below > 0 ? above / below : NAN;
}

static double computation_scaling(const pj_measures *r, const pj_measures *r0)
{
    return growth(r, r0) * ratio(r0->useful_sum, r->useful_sum);
}

static double instruction_scaling(const pj_measures *r, const pj_measures *r0)
{
    return growth(r, r0) * ratio(r0->instructions, r->instructions);
}

static double ipc(const pj_measures *r)
{
    return ratio(r->instructions, r->cycles);
}

/// Cycles per ns: GHz.
static double frequency(const pj_measures *r)
{
    return ratio(r->cycles, r->useful_sum);
}

/// Process level efficiency + thread level efficiency - 1 of the additive hybrid sets.
static double hybrid_parallel(const pj_measures *r)
{
    return (r->nonmpi_mean - r->openmp_lost_mean - r->serial_lost_mean) / r->runtime;
}

/// All time of the host's CPUs, if OpenMP lost nothing (TALP).
static double talp_base(const pj_measures *r)
{
    return r->useful_sum + r->mpi_sum + r->gpu_runtime_sum;
}

static double talp_active(const pj_measures *r)
{
    return talp_base(r) + r->omp_imbalance_sum + r->omp_scheduling_sum + r->omp_serial_sum;
}

static double talp_parallel(const pj_measures *r)
{
    return r->useful_sum / talp_active(r);
}

static double talp_offload(const pj_measures *r)
{
    double without = talp_active(r) - r->mpi_sum - r->gpu_runtime_sum;
    return without / (without + r->gpu_runtime_sum);
}

/// What BSC's isolated OpenMP rows start from.
static double isolated_base(const pj_measures *r)
{
    return r->useful_sum + r->mpi_sum;
}

static double host_parallel(const pj_measures *r)
{
    return r->useful_sum / r->threads / r->runtime;
}

static double device_parallel(const pj_measures *r)
{
    return r->device_useful_sum / r->devices / r->runtime;
}

/// Of host threads and devices as units of one kind.
static double units_useful(const pj_measures *r)
{
    return (r->useful_sum + r->device_useful_sum) / (r->threads + r->devices);
}

static double units_useful_max(const pj_measures *r)
{
    return r->useful_max > r->device_useful_max ? r->useful_max : r->device_useful_max;
}

static double device_scaling(const pj_measures *r, const pj_measures *r0)
{
    double growth_of_devices = r->weak ? r->devices / r0->devices : 1;
    return growth_of_devices * ratio(r0->device_useful_sum, r->device_useful_sum);
}

#define METRIC_SET(name, key, title, family, weights, convention)                                  \
    static double value_##name(size_t row, const pj_measures *r, const pj_measures *r0)            \
    {
#define METRIC(key, parent, kind, combine, needs, title, formula, text, explanation)               \
    if (row-- == 0)                                                                                \
        return formula;
#define METRIC_SET_END                                                                             \
    return NAN;                                                                                    \
    }
#include "metrics/pop/metricsets.def"
#undef METRIC_SET
#undef METRIC
#undef METRIC_SET_END

#define KIND_EFFICIENCY PJ_METRIC_EFFICIENCY
#define KIND_INEFFICIENCY PJ_METRIC_INEFFICIENCY
#define KIND_SCALING PJ_METRIC_SCALING
#define KIND_NUMBER PJ_METRIC_PLAIN
#define KIND_SHARE PJ_METRIC_PLAIN
#define KIND_SECONDS PJ_METRIC_PLAIN
#define KIND_GHZ PJ_METRIC_PLAIN
#define UNIT_EFFICIENCY PJ_UNIT_RATIO
#define UNIT_INEFFICIENCY PJ_UNIT_RATIO
#define UNIT_SCALING PJ_UNIT_RATIO
#define UNIT_NUMBER PJ_UNIT_NONE
#define UNIT_SHARE PJ_UNIT_RATIO
#define UNIT_SECONDS PJ_UNIT_S
#define UNIT_GHZ PJ_UNIT_GHZ
#define COMPARES_EFFICIENCY 0
#define COMPARES_INEFFICIENCY 0
#define COMPARES_SCALING PJ_NEEDS_REFERENCE
#define COMPARES_NUMBER 0
#define COMPARES_SHARE 0
#define COMPARES_SECONDS 0
#define COMPARES_GHZ 0

#define METRIC_SET(name, key, title, family, weights, convention)                                  \
    static const pj_metric rows_##name[] = {
#define METRIC(key, parent, kind, combine, needs, title, formula, text, explanation)               \
    {#key,                                                                                         \
     parent,                                                                                       \
     title,                                                                                        \
     text,                                                                                         \
     explanation,                                                                                  \
     KIND_##kind,                                                                                  \
     PJ_COMBINE_##combine,                                                                         \
     UNIT_##kind,                                                                                  \
     PJ_NEEDS_##needs | COMPARES_##kind},
#define METRIC_SET_END                                                                             \
    }                                                                                              \
    ;
#include "metrics/pop/metricsets.def"
#undef METRIC_SET
#undef METRIC
#undef METRIC_SET_END

#define FAMILY_POP true
#define FAMILY_OTHER false
#define WEIGHTS_RANKS false
#define WEIGHTS_THREADS true

static const pj_metric_set sets[] = {
#define METRIC_SET(name, set_key, set_title, family, weights, sentence)                            \
    {.key = set_key,                                                                               \
     .title = set_title,                                                                           \
     .convention = sentence,                                                                       \
     .pop = FAMILY_##family,                                                                       \
     .by_threads = WEIGHTS_##weights,                                                              \
     .rows = rows_##name,                                                                          \
     .count = sizeof rows_##name / sizeof *rows_##name,                                            \
     .value = value_##name},
#define METRIC(key, parent, kind, combine, needs, title, formula, text, explanation)
#define METRIC_SET_END
#include "metrics/pop/metricsets.def"
#undef METRIC_SET
#undef METRIC
#undef METRIC_SET_END
};

const pj_metric_set *pj_metric_set_at(size_t index)
{
    return index < sizeof sets / sizeof *sets ? &sets[index] : NULL;
}

const pj_metric_set *pj_metric_set_by_key(pj_str key)
{
    for (size_t i = 0; pj_metric_set_at(i); i++)
        if (pj_str_equal(key, pj_str_of(sets[i].key)))
            return &sets[i];
    return NULL;
}

const pj_metric_set *pj_metric_set_default(const pj_study *study)
{
    bool mpi = false, threads = false, devices = false, traced = false;
    for (size_t i = 0; i < study->count; i++) {
        const pj_run *run = study->cases[i].run;
        traced = traced || !pj_run_whole(run)->untraced; // sums of a function are of a trace
        mpi = mpi || run->has_mpi;
        threads = threads || run->layout.locations > run->layout.ranks;
        devices = devices || run->devices;
    }
    if (devices)
        return pj_metric_set_by_key(PJ_S("gpu"));
    if (!traced)
        return pj_metric_set_by_key(PJ_S("talp"));
    return pj_metric_set_by_key(!mpi ? PJ_S("openmp") : threads ? PJ_S("hybrid") : PJ_S("mpi"));
}

unsigned pj_metric_set_aspects(const pj_metric_set *set)
{
    unsigned needs = 0;
    for (size_t row = 0; row < set->count; row++)
        needs |= set->rows[row].needs;
    return (needs & PJ_NEEDS_TEAMS ? PJ_WANT(openmp_regions) : 0) |
           (needs & PJ_NEEDS_WAITS ? PJ_WANT(waits) : 0) |
           (needs & PJ_NEEDS_ENERGY ? PJ_WANT(energy) : 0);
}

bool pj_metric_set_steps(const pj_metric_set *set)
{
    for (size_t row = 0; row < set->count; row++)
        if (set->rows[row].needs & PJ_NEEDS_STEPS)
            return true;
    return false;
}

int pj_metric_row(const pj_metric_set *set, pj_str key)
{
    for (size_t row = 0; row < set->count; row++)
        if (pj_str_same_word(pj_str_of(set->rows[row].key), key))
            return (int)row;
    return -1;
}

bool pj_metric_unknown(const pj_metric_set *set, const char *key, pj_err *err)
{
    pj_suggest suggest = {.word = pj_str_of(key)};
    pj_auto_buf known = {.at = NULL};
    for (size_t i = 0; i < set->count; i++)
        pj_suggest_try(&suggest, set->rows[i].key);
    pj_suggest_add(&suggest, &known);
    pj_buf_puts(&known, " it has ");
    for (size_t i = 0; i < set->count; i++)
        pj_buf_addf(&known, "%s%s", i ? ", " : "", set->rows[i].key);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "the set %s has no metric \"%s\"%s%s", set->key, key,
                   known.at, set->count ? "" : "none");
}

int pj_metric_parent(const pj_metric_set *set, size_t row)
{
    const char *parent = set->rows[row].parent;
    return parent ? pj_metric_row(set, pj_str_of(parent)) : -1;
}

unsigned pj_metric_depth(const pj_metric_set *set, size_t row)
{
    unsigned depth = 0;
    for (int at = pj_metric_parent(set, row); at >= 0; at = pj_metric_parent(set, (size_t)at))
        depth++;
    return depth;
}
