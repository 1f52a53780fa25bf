// The steps of an AI run as tables: by device, and each once.
#include "metrics/run/ai_account.h"

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

#define PARTS                                                                                      \
    {"useful_ns", "Useful", "Some kernel computes.", PJ_UNIT_NS, PJ_TEXT_NONE},                    \
        {"transfer_comm_ns", "Exchange", "Else: an exchange moves data.", PJ_UNIT_NS,              \
         PJ_TEXT_NONE},                                                                            \
        {"copies_ns", "Copies", "Else: copies.", PJ_UNIT_NS, PJ_TEXT_NONE},                        \
        {"unsplit_ns", "Unsplit", "Else: exchanges that cannot be told into transfer and wait.",   \
         PJ_UNIT_NS, PJ_TEXT_NONE},                                                                \
        {"wait_ns", "Wait", "Else: an exchange waits for another rank.", PJ_UNIT_NS,               \
         PJ_TEXT_NONE},                                                                            \
    {                                                                                              \
        "idle_ns", "Idle", "The rest.", PJ_UNIT_NS, PJ_TEXT_NONE                                   \
    }

static void add_columns(pj_table *table, const pj_column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pj_table_add_column(table, columns[i]);
}

static void part_cells(const pj_ai_step_row *row, pj_cell *cells)
{
    const uint64_t parts[] = {row->useful,  row->transfer, row->copies,
                              row->unsplit, row->wait,     row->idle};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cells[i] = pj_cell_int((int64_t)parts[i]);
}

pj_table *pj_ai_steps_table(const pj_run *run)
{
    static const pj_column columns[] = {
        {"step", "Step", "ProfilerStep#", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"device", "Device", "Of the run, counted from 0.", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"begin_ns", "Begin", "Of the first thing that a device does in it.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"length_ns", "Length", "Until the next step begins.", PJ_UNIT_NS, PJ_TEXT_NONE},
        PARTS,
    };
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Steps of %s", run->name);
    add_columns(table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < run->ai->step_count; i++) {
        const pj_ai_step_row *row = &run->ai->steps[i];
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int(row->number);
        cells[1] = pj_cell_int(run->ai->numbers[row->rank]);
        cells[2] = pj_cell_int(row->device);
        cells[3] = pj_cell_int((int64_t)row->begin_ns);
        cells[4] = pj_cell_int((int64_t)row->length_ns);
        part_cells(row, cells + 5);
    }
    return table;
}

/// One step on all devices.
static void add_step(const pj_run *run, const pj_ai_step_row *rows, uint32_t count, pj_table *table)
{
    pj_ai_step_row sum = {.begin_ns = UINT64_MAX};
    uint64_t lengths = 0;
    const pj_ai_step_row *longest = rows;
    for (uint32_t i = 0; i < count; i++) {
        const pj_ai_step_row *row = &rows[i];
        sum.begin_ns = row->begin_ns < sum.begin_ns ? row->begin_ns : sum.begin_ns;
        longest = row->length_ns > longest->length_ns ? row : longest;
        lengths += row->length_ns;
        sum.useful += row->useful;
        sum.transfer += row->transfer;
        sum.copies += row->copies;
        sum.unsplit += row->unsplit;
        sum.wait += row->wait;
        sum.idle += row->idle;
    }
    pj_cell *cells = pj_table_add_row(table);
    double all = (double)longest->length_ns * run->ai->count;
    cells[0] = pj_cell_int(rows->number);
    cells[1] = pj_cell_int((int64_t)sum.begin_ns);
    cells[2] = pj_cell_int((int64_t)longest->length_ns);
    cells[3] = pj_cell_int((int64_t)(lengths / count));
    cells[4] = pj_cell_int(run->ai->numbers[longest->rank]);
    cells[5] =
        all > 0 ? pj_cell_real((double)sum.useful / all) : pj_cell_empty("the step takes no time");
    part_cells(&sum, cells + 6);
}

pj_table *pj_ai_iterations_table(const pj_run *run)
{
    static const pj_column columns[] = {
        {"step", "Step", "ProfilerStep#", PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"begin_ns", "Begin", "Of the first thing that a device does in it.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"length_ns", "Length", "On the rank that takes longest.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"mean_length_ns", "Mean length", "Over devices.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"longest_rank", "Longest on", "The rank that takes longest.", PJ_UNIT_IDENTIFIER,
         PJ_TEXT_NONE},
        {"device_parallel_efficiency", "Device parallel efficiency",
         "Mean useful time over the length.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
        PARTS,
    };
    pj_table *table = pj_table_new("");
    const pj_ai_account *account = run->ai;
    table->title = pj_arena_format(table->arena, "Steps of %s, summed over devices", run->name);
    add_columns(table, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0, end; i < account->step_count; i = end) {
        for (end = i;
             end < account->step_count && account->steps[end].number == account->steps[i].number;)
            end++;
        add_step(run, &account->steps[i], end - i, table);
    }
    if (!account->step_count)
        pj_table_add_remark(
            table, "note", "no_steps",
            PJ_S("the trace marks no steps: prof.step() of PyTorch's profiler does, "
                 "or an NVTX range with the same text around each"));
    return table;
}
