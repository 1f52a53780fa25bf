// What loading is asked for beside the totals, and whether a summary has it.
#include "metrics/analyse/load_needs.h"

#include "metrics/analyse/load_how.h"
#include "metrics/base/err.h"
#include "metrics/replay/network.h"
#include "metrics/run/sums.h"
#include "metrics/stat/aspect_rows.h"

#include <math.h>
#include <string.h>

unsigned pj_load_aspects(const pj_load_opts *opts)
{
    unsigned besides = opts->aspects & ~PJ_WANT(timeline);
    return besides | PJ_WANT(devices) | (opts->timeline ? PJ_WANT(timeline) : 0) |
           (opts->no_replay ? 0 : PJ_WANT(mpi_use));
}

/// Of aspects that only sums are made of, those that a summary lacks the sums of; without its trace
/// it gives what it has.
static unsigned still_wanted(const pj_load_opts *opts, const pj_run *run, bool beside)
{
    unsigned aspects = pj_load_aspects(opts);
    if (!opts->for_sums || !run->sums)
        return aspects;
    if (!beside || !isnan(run->sums->omp_imbalance_sum))
        aspects &= ~PJ_WANT(openmp_regions);
    if (!beside || (!opts->each_wait && !isnan(run->sums->jsc_ideal_max)))
        aspects &= ~PJ_WANT(waits);
    if (!beside)
        aspects &= ~(PJ_WANT(energy) | PJ_WANT(omp_waits));
    return aspects;
}

/// NULL = it has them.
static const char *lack_of_functions(const pj_load_opts *opts, const pj_run *run, bool beside)
{
    if (run->ai)
        return "has no ranges of the hosts of an AI run, only its steps (parts --by iteration)";
    if (beside || opts->functions != PJ_CUT_FUNCTIONS)
        return "has no events";
    return run->functions ? NULL
                          : "has no functions: its trace names none, or is one of thousands of "
                            "threads, or an older version wrote it (popinjay preprocess --force "
                            "makes it again)";
}

const char *pj_load_lack(const pj_load_opts *opts, const pj_run *run, bool beside)
{
    if (opts->listener_count || opts->ideal_path || opts->slices)
        return "has no events";
    const char *lack = opts->functions ? lack_of_functions(opts, run, beside) : NULL;
    if (lack)
        return lack;
    if (!pj_network_is_ideal(&opts->network))
        return "knows the ideal network only";
    if (beside && opts->iterations)
        return "has no parts";
    if (beside && opts->no_replay && run->provenance->rounded)
        return "has rounded the values of threads";
    return pj_aspects_lack(still_wanted(opts, run, beside), run, opts->timeline, beside);
}

bool pj_load_suffices(const pj_load_opts *opts, const pj_run *run, pj_err *err)
{
    const pj_provenance *from = run->provenance;
    const char *lack = pj_load_lack(opts, run, false);
    if (lack)
        return pj_fail(err, PJ_E_MISSING, run->path, 0, "a summary %s; give its trace, %s", lack,
                       from->source);
    const char *wanted = pj_load_options(opts, run->arena);
    bool plain = strcmp(wanted, pj_load_options(&(pj_load_opts){.tag = NULL}, run->arena)) == 0;
    if (plain || strcmp(wanted, from->options) == 0)
        return true;
    return pj_fail(err, PJ_E_MISSING, run->path, 0,
                   "was made with %s; anything else needs its trace, %s", from->options,
                   from->source);
}

bool pj_load_tells(const pj_load_opts *opts, const pj_run *run, pj_err *err)
{
    bool whole = (run->ai || opts->roi.kind != PJ_ROI_RANGE) && pj_network_is_ideal(&opts->network);
    bool events = opts->listener_count || opts->ideal_path || opts->slices || !whole;
    bool threads = (opts->no_replay && !run->ai) || (opts->timeline && !run->timeline);
    if (run->ai && (events || threads))
        return pj_fail(err, PJ_E_MISSING, run->path, 0,
                       "is an AI run, which is read as sums of its ranks, devices and steps, and "
                       "this needs single events: use metrics (--roi 10%%..20%% for a part of the "
                       "time), waits, iterations, stats --devices or timeline");
    return !(events || threads) ||
           pj_fail(err, PJ_E_MISSING, run->path, 0,
                   "holds sums over all CPUs, and %s: metrics, plot scaling, compare and gate work "
                   "on it",
                   events ? "no events, hence no region of interest"
                          : "no values of single threads");
}
