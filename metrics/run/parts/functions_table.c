// Functions as rows.
#include "metrics/run/parts/functions_table.h"

#include "metrics/base/arena.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/run_table.h"
#include "metrics/run/sums.h"

#include <math.h>

static const pj_column columns[] = {
    {"part", "Part", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"ranks", "Ranks", "That were in it.", PJ_UNIT_NONE, false},
    {"instances", "Instances", "How often it was entered, over all ranks.", PJ_UNIT_NONE, false},
    {"time_ns", "Own time", "Over all threads, without what it calls.", PJ_UNIT_NS, false},
    {"share", "Share", "Own time, of the runtime of all threads.", PJ_UNIT_RATIO, false},
    {"useful_share", "Useful",
     "Of own time: share x useful of all parts is the parallel efficiency.", PJ_UNIT_RATIO, false},
    {"runtime_ns", "Runtime", "Of the rank that is longest in it.", PJ_UNIT_NS, false},
    {"span_ns", "Span", "From the first enter to the last leave.", PJ_UNIT_NS, false},
    {"parallel_efficiency", "Parallel efficiency", "Over the ranks that were in it.", PJ_UNIT_RATIO,
     false},
    {"parallel_efficiency_all", "Of all ranks", "The same over all ranks.", PJ_UNIT_RATIO, false},
    {"load_balance", "Load balance", NULL, PJ_UNIT_RATIO, false},
    {"communication_efficiency", "Communication efficiency", NULL, PJ_UNIT_RATIO, false},
    {"transfer_efficiency", "Transfer efficiency",
     "Runtime on an ideal network / runtime, where no message leaves the part; above 1 where it "
     "waits longer there.",
     PJ_UNIT_RATIO, false},
    {"wait_ns", "Waits", "In MPI calls that it makes itself, over all ranks.", PJ_UNIT_NS, false},
    {"transfer_ns", "Transfer", "The rest of these calls.", PJ_UNIT_NS, false},
    {"ipc", "IPC", "Useful instructions per cycle.", PJ_UNIT_RATIO, false},
    {"recoverable_ns", "Not useful",
     "Runtime of its ranks less useful time: what could be won there.", PJ_UNIT_NS, false},
};

static pj_cell quotient(double above, double below, const char *reason)
{
    return below > 0 ? pj_cell_real(above / below) : pj_cell_empty(reason);
}

enum { EFFICIENCIES = 5 };

static const double longest = 9.2e18; // INT64_MAX is no double
static const char not_apart[] = "a summary does not tell these functions apart";

static pj_cell *fill_efficiencies(const pj_run *run, const pj_function_use *use, pj_cell *cell)
{
    static const char no_time[] = "it takes no time";
    const pj_sums *m = &use->sums;
    double whole = m->useful_sum / run->layout.locations * (double)run->layout.ranks;
    double runtime = (double)use->longest_ns;
    *cell++ = quotient(m->useful_mean, runtime, no_time);
    *cell++ = quotient(whole, runtime * run->layout.ranks, no_time);
    *cell++ = quotient(m->useful_mean, m->useful_max, "nobody computes in it");
    *cell++ = quotient(m->useful_max, runtime, no_time);
    *cell++ = use->ideal_lacks ? pj_cell_empty(use->ideal_lacks)
                               : quotient(use->ideal_ns, runtime, no_time);
    return cell;
}

static void fill(const pj_run *run, const pj_function *f, bool own, pj_cell *cell)
{
    const pj_functions *all = run->functions;
    const pj_function_use *use = own || f->outside ? &f->own : &f->whole;
    const pj_sums *m = &use->sums;
    bool counted = all->instructions && all->cycles;
    double threads = (double)run->runtime_ns * run->layout.locations;
    *cell++ = pj_cell_text(f->name);
    *cell++ = f->folded ? pj_cell_empty(not_apart) : pj_cell_int(use->ranks);
    *cell++ = pj_cell_int((int64_t)f->instances);
    *cell++ = pj_cell_int((int64_t)f->own.time_ns);
    *cell++ = quotient((double)f->own.time_ns, threads, "the run has no runtime");
    *cell++ =
        quotient(f->own.sums.useful_sum, (double)f->own.time_ns, "it takes no time of its own");
    *cell++ = f->folded ? pj_cell_empty(not_apart) : pj_cell_int((int64_t)use->longest_ns);
    *cell++ = f->outside ? pj_cell_empty("it is no function")
                         : pj_cell_int((int64_t)(f->last_ns - f->first_ns));
    for (unsigned i = 0; f->folded && i < EFFICIENCIES; i++)
        *cell++ = pj_cell_empty(not_apart);
    cell = f->folded ? cell : fill_efficiencies(run, use, cell);
    *cell++ = all->waits ? pj_cell_int((int64_t)f->wait_ns) : pj_cell_empty(all->waits_lack);
    *cell++ = all->waits ? pj_cell_int((int64_t)(f->mpi_ns - f->wait_ns))
                         : pj_cell_empty(all->waits_lack);
    *cell++ = counted ? quotient(m->instructions, m->cycles, "no cycle was counted in it")
                      : pj_cell_empty("the trace has no counters of instructions and cycles");
    double lost = (double)use->longest_ns * m->threads - m->useful_sum;
    *cell =
        f->folded ? pj_cell_empty(not_apart) : pj_cell_int((int64_t)fmax(0, fmin(lost, longest)));
}

bool pj_functions_known(const pj_run *run, pj_err *err)
{
    const pj_functions *all = run->functions;
    if (run->no_states)
        return pj_fail(err, PJ_E_MISSING, run->path, 0, "%s", pj_run_lacks_states(run));
    for (uint32_t i = 0; all && i < all->count; i++)
        if (!all->items[i].outside)
            return true;
    return pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                   pj_function_cut_at(all ? all->cut : PJ_CUT_FUNCTIONS)->lack);
}

pj_table *pj_functions_table(const pj_run *run, bool own, pj_err *err)
{
    const pj_functions *all = run->functions;
    if (!pj_functions_known(run, err))
        return NULL;
    pj_table *table = pj_table_new("");
    table->title =
        pj_arena_format(table->arena, "%s of %s", pj_function_cut_at(all->cut)->title, run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (uint32_t i = 0; i < all->count; i++)
        fill(run, &all->items[i], own, pj_table_add_row(table));
    pj_table_keep_texts(table);
    const char *rest = all->left_out ? pj_arena_format(table->arena,
                                                       " %u call paths beyond the first ones count "
                                                       "as \"others\".",
                                                       all->left_out)
                                     : "";
    if (all->folded)
        rest = pj_arena_format(table->arena,
                               "%s A summary keeps the longest ones: %u more are in one row.", rest,
                               all->folded);
    table->note = pj_arena_format(
        table->arena,
        "Own time, share, useful, waits and transfer are without what a part calls: share x useful "
        "of all rows adds up to the parallel efficiency of the run. Runtime and efficiencies are "
        "%s, over the ranks that were in it. " PJ_EFFICIENCIES_OF_PARTS
        " Threads are where the first one of their rank is.%s",
        own ? "the same" : "with what it calls", rest);
    return table;
}
