// The ranges that the program of an AI run marks, as a table.
#include "metrics/run/ai_account.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

static const pj_column columns[] = {
    {"part", "Part", NULL, PJ_UNIT_NONE, PJ_TEXT},
    {"ranks", "Ranks", "That are in it.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"instances", "Instances", "How often it is entered, over all ranks.", PJ_UNIT_NONE,
     PJ_TEXT_NONE},
    {"kernels", "Kernels", "That compute, launched in it.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"host_ns", "Host time", "Of the threads that mark it, over all instances.", PJ_UNIT_NS,
     PJ_TEXT_NONE},
    {"time_ns", "Own time",
     "Of devices: what is launched in it and in no range within it, and the idle time before that.",
     PJ_UNIT_NS, PJ_TEXT_NONE},
    {"share", "Share", "Own time, of the time of all devices: the shares sum to 1.", PJ_UNIT_RATIO,
     PJ_TEXT_NONE},
    {"runtime_ns", "Runtime", "Of the device that is longest in it.", PJ_UNIT_NS, PJ_TEXT_NONE},
    {"device_parallel_efficiency", "Device parallel efficiency",
     "Mean useful time of all devices over the runtime.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
    {"useful_ns", "Useful", "Some kernel computes.", PJ_UNIT_NS, PJ_TEXT_NONE},
    {"transfer_comm_ns", "Exchange", "Else: an exchange moves data.", PJ_UNIT_NS, PJ_TEXT_NONE},
    {"copies_ns", "Copies", "Else: copies.", PJ_UNIT_NS, PJ_TEXT_NONE},
    {"unsplit_ns", "Unsplit", "Else: exchanges that cannot be told into transfer and wait.",
     PJ_UNIT_NS, PJ_TEXT_NONE},
    {"wait_ns", "Wait", "Else: an exchange waits for another rank.", PJ_UNIT_NS, PJ_TEXT_NONE},
    {"idle_ns", "Idle", "Before what is launched in it.", PJ_UNIT_NS, PJ_TEXT_NONE},
};

bool pj_ai_regions_known(const pj_run *run, pj_err *err)
{
    for (uint32_t i = 0; i < run->ai->region_count; i++)
        if (!run->ai->regions[i].outside)
            return true;
    return pj_fail(err, PJ_E_MISSING, run->path, 0,
                   "marks no ranges on its hosts: record_function(\"...\") of PyTorch, NVTX or "
                   "rocTX ranges in the program make some; steps are --by iteration");
}

static void fill(const pj_run *run, const pj_ai_region_row *row, bool own, pj_cell *cells)
{
    const pj_ai_account *account = run->ai;
    const pj_ai_region_use *use = own || row->outside ? &row->own : &row->whole;
    double all = (double)run->runtime_ns * account->count;
    double runtime = (double)use->longest_ns * account->count;
    pj_ai_share sum = {.useful = 0};
    uint64_t idle = 0;
    for (uint32_t d = 0; d < account->count; d++) {
        const pj_ai_share *share = &use->shares[d];
        sum.useful += share->useful;
        sum.transfer += share->transfer;
        sum.copies += share->copies;
        sum.unsplit += share->unsplit;
        sum.wait += share->wait;
        idle += pj_ai_share_idle(share);
    }
    const uint64_t parts[] = {sum.useful, sum.transfer, sum.copies, sum.unsplit, sum.wait, idle};
    cells[0] = pj_cell_text(row->name);
    cells[1] = row->outside ? pj_cell_empty("it is no range") : pj_cell_int(row->ranks);
    cells[2] =
        row->outside ? pj_cell_empty("it is no range") : pj_cell_int((int64_t)row->instances);
    cells[3] = pj_cell_int((int64_t)use->kernels);
    cells[4] = row->outside ? pj_cell_empty("it is no range") : pj_cell_int((int64_t)row->host_ns);
    cells[5] = pj_cell_int((int64_t)row->own.time_ns);
    cells[6] = all > 0 ? pj_cell_real((double)row->own.time_ns / all)
                       : pj_cell_empty("the run takes no time");
    cells[7] = pj_cell_int((int64_t)use->longest_ns);
    cells[8] = runtime > 0 ? pj_cell_real((double)sum.useful / runtime)
                           : pj_cell_empty("devices do nothing that is launched in it");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cells[9 + i] = pj_cell_int((int64_t)parts[i]);
}

pj_table *pj_ai_regions_table(const pj_run *run, bool own, pj_err *err)
{
    if (!pj_ai_regions_known(run, err))
        return NULL;
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Ranges of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (uint32_t i = 0; i < run->ai->region_count; i++)
        fill(run, &run->ai->regions[i], own, pj_table_add_row(table));
    table->note = pj_arena_format(
        table->arena,
        "The time of devices counts where its work was launched, idle time with what comes after "
        "it; own times of all rows add up to the time of all devices. Runtime and all behind it "
        "are %s.",
        own ? "the same" : "with the ranges within a part");
    return table;
}
