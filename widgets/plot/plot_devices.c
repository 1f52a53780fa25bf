// What each device does, and why it is idle: a stacked bar plot of the times of devices.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"

#include <string.h>

enum { USEFUL, TRANSFER, FIRST_CAUSE, PARTS = FIRST_CAUSE + PJ_DEVICE_IDLE_CAUSES };

static const pj_colour colours[PARTS] = {
    [USEFUL] = PJ_COLOUR_RUNNING,
    [TRANSFER] = PJ_COLOUR_TRANSFER,
    [FIRST_CAUSE + PJ_DEVICE_IDLE_host] = PJ_COLOUR_OTHER,
    [FIRST_CAUSE + PJ_DEVICE_IDLE_mpi] = PJ_COLOUR_MPI,
    [FIRST_CAUSE + PJ_DEVICE_IDLE_launch] = PJ_COLOUR_LAUNCH,
    [FIRST_CAUSE + PJ_DEVICE_IDLE_synchronise] = PJ_COLOUR_SYNC,
    [FIRST_CAUSE + PJ_DEVICE_IDLE_ends] = PJ_COLOUR_ABSENT,
};

static uint64_t part_of(const pj_device_sum *device, unsigned part)
{
    return part == USEFUL     ? device->useful_ns
           : part == TRANSFER ? device->transfer_ns
                              : device->idle_ns[part - FIRST_CAUSE];
}

static pj_column column_of(unsigned part, pj_arena *arena)
{
    if (part == USEFUL)
        return (pj_column){.key = "useful_ns", .title = "Useful", .unit = PJ_UNIT_NS};
    if (part == TRANSFER)
        return (pj_column){.key = "transfer_ns", .title = "Transfer", .unit = PJ_UNIT_NS};
    pj_device_idle cause = (pj_device_idle)(part - FIRST_CAUSE);
    return (pj_column){.key = pj_device_idle_key(cause),
                       .title = pj_arena_format(arena, "Idle: %s", pj_device_idle_title(cause)),
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

/// A row for each device: what it is called, and the parts of its time.
static pj_table *times(const pj_run *run)
{
    const pj_devices *devices = run->devices;
    pj_table *table = pj_table_new("");
    pj_table_add_column(table, (pj_column){.key = "device", .title = "Device", .text = PJ_TEXT});
    for (unsigned part = 0; part < PARTS; part++)
        pj_table_add_column(table, column_of(part, table->arena));
    bool nodes = devices && on_several_nodes(devices);
    for (uint32_t d = 0; devices && d < devices->count; d++) {
        const pj_device_sum *device = &devices->items[d];
        pj_str name = nodes ? pj_str_of(device->key) : pj_device_name(device->key);
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(pj_arena_text(table->arena, name));
        for (unsigned part = 0; part < PARTS; part++)
            cells[1 + part] = pj_cell_int((int64_t)part_of(device, part));
    }
    return table;
}

static bool has(const pj_devices *devices, unsigned part)
{
    for (uint32_t d = 0; d < devices->count; d++)
        if (part_of(&devices->items[d], part))
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
    for (unsigned part = 0; !opts.y[0] && part < PARTS; part++) {
        if (!has(run->devices, part))
            continue;
        chosen[count] = colours[part];
        bars.y[count++] = table->columns[1 + part].key;
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
            "stacked bars.",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(devices),
    .numbers = pj_devices_table,
    .make = make,
};
