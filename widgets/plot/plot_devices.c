// What each device does, and why it is idle: a stacked bar plot of the times of devices.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"

#include <string.h>

/// A part of the time of a device, the first at the bottom.
typedef struct part {
    const char *key, *title;
    pj_colour colour;
    bool idle;
} part;

enum { USEFUL, TRANSFER, FIRST_CAUSE, PARTS = FIRST_CAUSE + PJ_DEVICE_IDLE_CAUSES };

static const pj_colour cause_colours[PJ_DEVICE_IDLE_CAUSES] = {
    [PJ_DEVICE_IDLE_host] = PJ_COLOUR_OTHER,    [PJ_DEVICE_IDLE_mpi] = PJ_COLOUR_MPI,
    [PJ_DEVICE_IDLE_launch] = PJ_COLOUR_LAUNCH, [PJ_DEVICE_IDLE_synchronise] = PJ_COLOUR_SYNC,
    [PJ_DEVICE_IDLE_ends] = PJ_COLOUR_ABSENT,
};

/// Of AI runs: exchanges are told into transfer and wait, and hosts load data.
enum { AI_TRANSFER = 1, AI_COPIES, AI_UNSPLIT, AI_WAIT, AI_FIRST_CAUSE };
enum { AI_PARTS = AI_FIRST_CAUSE + PJ_AI_IDLE_CAUSES };

static const part ai_parts[AI_FIRST_CAUSE] = {
    [USEFUL] = {"useful_ns", "Useful", PJ_COLOUR_RUNNING, false},
    [AI_TRANSFER] = {"transfer_comm_ns", "Exchange", PJ_COLOUR_COLLECTIVE, false},
    [AI_COPIES] = {"copies_ns", "Copies", PJ_COLOUR_TRANSFER, false},
    [AI_UNSPLIT] = {"unsplit_ns", "Unsplit", 0xf7d59bffu, false},
    [AI_WAIT] = {"wait_ns", "Wait for other ranks", PJ_COLOUR_WAITING, false},
};

static const pj_colour ai_causes[PJ_AI_IDLE_CAUSES] = {
    [PJ_AI_IDLE_not_started] = 0xc3cad4ffu,    [PJ_AI_IDLE_data_loading] = PJ_COLOUR_LOADING,
    [PJ_AI_IDLE_synchronise] = PJ_COLOUR_SYNC, [PJ_AI_IDLE_runtime] = PJ_COLOUR_FORK,
    [PJ_AI_IDLE_host] = PJ_COLOUR_OTHER,       [PJ_AI_IDLE_launch] = PJ_COLOUR_LAUNCH,
    [PJ_AI_IDLE_launch_latency] = 0xf2c9d8ffu, [PJ_AI_IDLE_queued] = 0xb8d9a0ffu,
    [PJ_AI_IDLE_unknown] = PJ_COLOUR_DISABLED, [PJ_AI_IDLE_ended] = PJ_COLOUR_IDLE,
};

static unsigned parts_of(const pj_run *run)
{
    return run->ai ? AI_PARTS : PARTS;
}

static uint64_t ai_time_of(const pj_ai_share *share, unsigned at)
{
    const uint64_t parts[AI_FIRST_CAUSE] = {[USEFUL] = share->useful,
                                            [AI_TRANSFER] = share->transfer,
                                            [AI_COPIES] = share->copies,
                                            [AI_UNSPLIT] = share->unsplit,
                                            [AI_WAIT] = share->wait};
    return at < AI_FIRST_CAUSE ? parts[at] : share->idle[at - AI_FIRST_CAUSE];
}

static uint64_t time_of(const pj_run *run, uint32_t device, unsigned at)
{
    const pj_device_sum *sum = &run->devices->items[device];
    return run->ai          ? ai_time_of(&run->ai->shares[device], at)
           : at == USEFUL   ? sum->useful_ns
           : at == TRANSFER ? sum->transfer_ns
                            : sum->idle_ns[at - FIRST_CAUSE];
}

static part part_of(const pj_run *run, unsigned at)
{
    if (run->ai && at < AI_FIRST_CAUSE)
        return ai_parts[at];
    if (run->ai) {
        pj_ai_idle cause = (pj_ai_idle)(at - AI_FIRST_CAUSE);
        return (part){pj_ai_idle_key(cause), pj_ai_idle_title(cause), ai_causes[cause], true};
    }
    if (at == USEFUL)
        return (part){"useful_ns", "Useful", PJ_COLOUR_RUNNING, false};
    if (at == TRANSFER)
        return (part){"transfer_ns", "Transfer", PJ_COLOUR_TRANSFER, false};
    pj_device_idle cause = (pj_device_idle)(at - FIRST_CAUSE);
    return (part){pj_device_idle_key(cause), pj_device_idle_title(cause), cause_colours[cause],
                  true};
}

static pj_column column_of(const pj_run *run, unsigned at, pj_arena *arena)
{
    part of = part_of(run, at);
    return (pj_column){.key = of.key,
                       .title = of.idle ? pj_arena_format(arena, "Idle: %s", of.title) : of.title,
                       .unit = PJ_UNIT_NS};
}

/// Nodes are named where there are several.
static bool on_several_nodes(const pj_devices *devices)
{
    for (uint32_t d = 1; d < devices->count; d++)
        if (!pj_str_equal(pj_device_node(devices->items[d].key),
                          pj_device_node(devices->items[0].key)))
            return true;
    return false;
}

/// The numbers of ranks tell devices apart where each has one.
static bool is_one_each(const pj_run *run)
{
    bool each = run->ai && run->ai->count == run->layout.ranks && run->ai->count > 1;
    for (uint32_t d = 0; each && d < run->ai->count; d++)
        each = run->ai->rank_of[d] == d;
    return each;
}

static const char *label_of(const pj_run *run, uint32_t d, bool nodes, pj_arena *arena)
{
    const char *key = run->devices->items[d].key;
    if (is_one_each(run))
        return pj_arena_format(arena, "%lld", (long long)run->ai->numbers[d]);
    return pj_arena_text(arena, nodes ? pj_str_of(key) : pj_device_name(key));
}

/// A row for each device: what it is called, and the parts of its time.
static pj_table *times(const pj_run *run)
{
    const pj_devices *devices = run->devices;
    pj_table *table = pj_table_new("");
    pj_table_add_column(table, (pj_column){.key = "device",
                                           .title = is_one_each(run) ? "Rank" : "Device",
                                           .text = PJ_TEXT});
    for (unsigned at = 0; at < parts_of(run); at++)
        pj_table_add_column(table, column_of(run, at, table->arena));
    bool nodes = devices && on_several_nodes(devices);
    for (uint32_t d = 0; devices && d < devices->count; d++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(label_of(run, d, nodes, table->arena));
        for (unsigned at = 0; at < parts_of(run); at++)
            cells[1 + at] = pj_cell_int((int64_t)time_of(run, d, at));
    }
    return table;
}

static bool has(const pj_run *run, unsigned at)
{
    for (uint32_t d = 0; d < run->devices->count; d++)
        if (time_of(run, d, at))
            return true;
    return false;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_run *run = data.run;
    const char *lack = pj_devices_lack(run);
    if (lack || !run->devices->count) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "there are no devices to draw: %s",
                lack ? lack : "the run has none");
        return NULL;
    }
    pj_auto_table table = times(run);
    pj_colour chosen[PJ_PLOT_MOST_Y];
    pj_plot_opts bars = opts;
    size_t count = 0;
    for (unsigned at = 0; !opts.y[0] && at < parts_of(run); at++) {
        if (!has(run, at))
            continue;
        chosen[count] = part_of(run, at).colour;
        bars.y[count++] = table->columns[1 + at].key;
    }
    bars.title =
        opts.title ? opts.title
                   : pj_arena_format(arena, "Time of each device: %s", run->name ? run->name : "");
    bars.x = "device";
    bars.stacked = true;
    bars.colours = count ? chosen : NULL;
    return pj_plot_bar.make((pj_plot_data){.table = table}, bars, draw, err);
}

const pj_plot pj_plot_devices = {
    .name = "devices",
    .title = "Time of each device",
    .help = "What every device (GPU) of a run does, and what the host does while it is idle, as "
            "stacked bars; of AI runs also how long it waits for other ranks.",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(devices),
    .numbers = pj_devices_table,
    .make = make,
};
