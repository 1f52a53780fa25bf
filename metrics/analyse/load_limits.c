// What begin and end of a run take of it: initialisation, input, finalisation.
// The region between has borders at which all ranks have begun and none has ended.
#include "metrics/analyse/load_limits.h"

#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const double much = 0.1; // of the runtime, mean of the ranks

/// Time in the functions that begin, or end, MPI.
static double time_in(const pj_mpi_use *use, bool (*is)(pj_str name))
{
    double sum = 0;
    for (uint32_t i = 0; i < use->count; i++)
        if (is(pj_str_of(use->sums[i].name)))
            sum += (double)use->sums[i].time_ns;
    return sum;
}

static bool begins(pj_str name)
{
    return pj_str_equal(name, PJ_S("MPI_Init")) || pj_str_equal(name, PJ_S("MPI_Init_thread"));
}

static bool ends(pj_str name)
{
    return pj_str_equal(name, PJ_S("MPI_Finalize"));
}

/// As in the sets that are shown unless asked otherwise; negative = not known.
typedef struct efficiencies {
    double parallel, balance, communication;
} efficiencies;

static const efficiencies unknown = {-1, -1, -1};

static efficiencies efficiencies_of(const pj_run *run)
{
    pj_sums sums = pj_sums_of(run);
    if (!(sums.runtime > 0))
        return unknown;
    return (efficiencies){.parallel = sums.useful_mean / sums.runtime,
                          .balance = 1 - (sums.nonmpi_max - sums.nonmpi_mean) / sums.runtime,
                          .communication = sums.nonmpi_max / sums.runtime};
}

static efficiencies efficiencies_between(const pj_run *run, pj_load_opts opts, uint64_t from,
                                         uint64_t to, const pj_job *job)
{
    pj_job again = {
        .stop = job->stop, .workers = job->workers, .memory_budget = job->memory_budget};
    const pj_load_opts part = {
        .roi = {.kind = PJ_ROI_RANGE, .from = (double)from, .to = (double)to},
        .raw_clock = opts.raw_clock,
        .no_replay = true,
        .ignore_summary = true};
    pj_auto_run between = pj_load(run->path, part, &again, NULL);
    return between ? efficiencies_of(between) : unknown;
}

/// Says a value between the limits where it differs from that of the whole, as it is shown.
static void add_change(pj_buf *text, const char *name, double between, double whole)
{
    char there[32], here[32];
    snprintf(there, sizeof there, "%.3f", between);
    snprintf(here, sizeof here, "%.3f", whole);
    if (strcmp(there, here) != 0)
        pj_buf_addf(text, "%s %s%s %s, not %s", text->len ? "," : "; there", name,
                    text->len ? "" : " is", there, here);
}

static void add_changes(pj_buf *text, efficiencies between, efficiencies whole)
{
    pj_auto_buf changes = {0};
    add_change(&changes, "parallel efficiency", between.parallel, whole.parallel);
    add_change(&changes, "MPI load balance", between.balance, whole.balance);
    add_change(&changes, "MPI communication efficiency", between.communication,
               whole.communication);
    pj_buf_add(text, pj_buf_str(&changes));
}

void pj_load_remark_limits(pj_run *run, pj_load_opts opts, bool again, const pj_job *job)
{
    const pj_mpi_use *use = run->mpi_use;
    double all = (double)run->runtime_ns * run->layout.ranks;
    if (!use || run->roi.set || !(all > 0) || !use->begun_ns)
        return;
    double shares[] = {time_in(use, begins) / all, (double)use->input_ns / all,
                       time_in(use, ends) / all};
    bool reads = shares[1] >= much;
    uint64_t from = reads && use->input_end_ns > use->begun_ns ? use->input_end_ns : use->begun_ns;
    uint64_t to = use->ended_ns < run->end_ns ? use->ended_ns : run->end_ns;
    double taken = shares[0] + shares[2] + (reads ? shares[1] : 0);
    if (taken < much || from >= to)
        return;
    pj_auto_buf text = {0};
    efficiencies whole = efficiencies_of(run);
    efficiencies between = again ? efficiencies_between(run, opts, from, to, job) : unknown;
    pj_buf_addf(&text,
                "MPI_Init%s and MPI_Finalize take %.0f %% of the runtime (mean of the ranks): "
                "--roi %" PRIu64 "ns..%" PRIu64 "ns leaves them out",
                reads ? ", reading files" : "", 100 * taken, from, to);
    if (between.parallel >= 0 && whole.parallel >= 0)
        add_changes(&text, between, whole);
    pj_run_remark(run, PJ_WARNING, "setup_heavy", "%s", text.at);
}
