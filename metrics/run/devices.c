// What the devices of a run did, as a table.
#include "metrics/run/devices.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"

static const struct {
    const char *key, *title, *sentence;
} causes[] = {
#define IDLE(name, title, sentence) {#name "_ns", title, sentence},
#include "metrics/run/device_idle.def"
#undef IDLE
};

const char *pj_device_idle_key(pj_device_idle cause)
{
    return causes[cause].key;
}

const char *pj_device_idle_title(pj_device_idle cause)
{
    return causes[cause].title;
}

const char *pj_device_idle_sentence(pj_device_idle cause)
{
    return causes[cause].sentence;
}

const char *pj_devices_lack(const pj_run *run)
{
    if (!pj_device_streams(run->layout.streams, run->layout.stream_count))
        return "no device activity in the trace";
    return run->devices ? NULL
                        : "the summary was written by an earlier popinjay, which did not keep what "
                          "devices did: read the trace again (--force)";
}

/// The rank that uses a device alone, by device; false when one is used by several.
static bool find_owners(const pj_run *run, uint32_t *owner, pj_arena *scratch)
{
    const pj_layout *layout = &run->layout;
    uint32_t *device_of = pj_new_n(scratch, uint32_t, layout->stream_count + 1), devices;
    pj_device_keys(layout->streams, layout->stream_count, scratch, &devices, device_of);
    if (devices != run->devices->count)
        return false;
    for (uint32_t d = 0; d < devices; d++)
        owner[d] = UINT32_MAX;
    for (uint32_t s = 0; s < layout->stream_count; s++) {
        uint32_t d = device_of[s], rank = layout->streams[s].rank;
        if (d == PJ_NO_DEVICE)
            continue;
        if (owner[d] != UINT32_MAX && owner[d] != rank)
            return false;
        owner[d] = rank;
    }
    return true;
}

bool pj_devices_of_processes(const pj_run *run, uint64_t *useful_max, uint64_t *active_max)
{
    pj_auto_arena scratch = pj_arena_new(NULL);
    const pj_devices *devices = run->devices;
    *useful_max = *active_max = 0;
    if (!devices)
        return false;
    uint32_t *owner = pj_new_n(scratch, uint32_t, devices->count + 1);
    if (!find_owners(run, owner, scratch))
        return false;
    struct process {
        uint64_t useful, active;
        uint32_t devices;
    } *processes = pj_new_n(scratch, struct process, run->layout.ranks);
    bool several = false;
    for (uint32_t d = 0; d < devices->count; d++) {
        struct process *p = &processes[owner[d]];
        p->useful += devices->items[d].useful_ns;
        p->active += pj_device_active_ns(&devices->items[d]);
        several |= p->devices++ > 0;
        *useful_max = p->useful > *useful_max ? p->useful : *useful_max;
        *active_max = p->active > *active_max ? p->active : *active_max;
    }
    return several;
}

pj_str pj_device_node(const char *key)
{
    pj_str text = pj_str_of(key);
    size_t colon = pj_str_find(text, ':');
    return colon < text.len ? pj_str_head(text, colon) : (pj_str){"", 0};
}

pj_str pj_device_name(const char *key)
{
    pj_str text = pj_str_of(key);
    size_t colon = pj_str_find(text, ':');
    return colon < text.len ? pj_str_from(text, colon + 1) : text;
}

static pj_cell count_cell(uint64_t value)
{
    return value <= INT64_MAX ? pj_cell_int((int64_t)value) : pj_cell_real((double)value);
}

static pj_cell bytes_cell(const pj_device_sum *device, uint64_t bytes)
{
    return device->bytes_known
               ? count_cell(bytes)
               : pj_cell_empty("the trace does not say how much is copied which way");
}

static pj_cell overlap_cell(const pj_device_sum *device)
{
    if (!device->transfer_total_ns)
        return pj_cell_empty("nothing is moved");
    return pj_cell_real(1 - (double)device->transfer_ns / (double)device->transfer_total_ns);
}

static void name_cells(pj_table *table, const pj_device_sum *device, pj_cell cells[2])
{
    pj_str node = pj_device_node(device->key), name = pj_device_name(device->key);
    cells[0] = pj_cell_text(pj_arena_text(table->arena, name));
    cells[1] = node.len ? pj_cell_text(pj_arena_text(table->arena, node))
                        : pj_cell_empty("the trace does not name it");
}

static void work_cells(pj_table *table, const pj_device_sum *device, pj_cell *cells)
{
    enum { FIRST = 2, COUNTS = 6 };
    const uint64_t counts[COUNTS] = {device->streams,           device->kernels,
                                     device->useful_ns,         device->transfer_ns,
                                     device->transfer_total_ns, pj_device_active_ns(device)};
    name_cells(table, device, cells);
    for (size_t i = 0; i < COUNTS; i++)
        cells[FIRST + i] = count_cell(counts[i]);
    cells[FIRST + COUNTS] = bytes_cell(device, device->to_device);
    cells[FIRST + COUNTS + 1] = bytes_cell(device, device->to_host);
    cells[FIRST + COUNTS + 2] = overlap_cell(device);
}

static void idle_cells(pj_table *table, const pj_device_sum *device, pj_cell *cells)
{
    enum { SUM = 2 };
    uint64_t idle = 0;
    name_cells(table, device, cells);
    for (size_t c = 0; c < PJ_DEVICE_IDLE_CAUSES; c++) {
        cells[SUM + 1 + c] = count_cell(device->idle_ns[c]);
        idle += device->idle_ns[c];
    }
    cells[SUM] = count_cell(idle);
}

/// A row for each device, or a note that says why there are none.
static pj_table *table_of(const pj_run *run, pj_table *table,
                          void (*fill)(pj_table *, const pj_device_sum *, pj_cell *))
{
    const char *lack = pj_devices_lack(run);
    for (uint32_t i = 0; run->devices && i < run->devices->count; i++)
        fill(table, &run->devices->items[i], pj_table_add_row(table));
    if (lack)
        table->note = pj_arena_text(table->arena, pj_str_of(lack));
    return table;
}

/// Where all of the run's time goes on a device of an AI run.
static void share_columns(pj_table *table)
{
    static const pj_column columns[] = {
        {"transfer_comm_ns", "Exchange", "Exchanges move data under no kernel.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"copies_ns", "Copies", "Else: copies, and memory that is set.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"unsplit_ns", "Unsplit", "Else: exchanges that cannot be told into transfer and wait.",
         PJ_UNIT_NS, PJ_TEXT_NONE},
        {"wait_ns", "Wait", "Else: an exchange waits for another rank.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"idle_ns", "Idle", "Nothing to do: the sum of the columns that follow.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++)
        pj_table_add_column(table, (pj_column){.key = pj_ai_idle_key(c),
                                               .title = pj_ai_idle_title(c),
                                               .help = pj_ai_idle_sentence(c),
                                               .unit = PJ_UNIT_NS});
}

static void share_cells(pj_table *table, const pj_ai_account *account, size_t first)
{
    for (uint32_t d = 0; d < account->count; d++) {
        const pj_ai_share *share = &account->shares[d];
        const uint64_t parts[] = {share->transfer, share->copies, share->unsplit, share->wait,
                                  pj_ai_share_idle(share)};
        size_t at = first;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            *pj_table_cell(table, d, at++) = count_cell(parts[i]);
        for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++)
            *pj_table_cell(table, d, at++) = count_cell(share->idle[c]);
    }
}

pj_table *pj_devices_table(const pj_run *run)
{
    static const pj_column columns[] = {
        {"device", "Device", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"node", "Node", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"streams", "Streams", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"kernels", "Kernels", "That begin in the region of interest.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"useful_ns", "Useful", "Some kernel runs.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"transfer_ns", "Transfer", "Data are moved or exchanged and no kernel runs.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"transfer_total_ns", "Transfer, all", "Data are moved, under kernels too.", PJ_UNIT_NS,
         PJ_TEXT_NONE},
        {"active_ns", "Active", "Useful and transfer.", PJ_UNIT_NS, PJ_TEXT_NONE},
        {"bytes_to_device", "To device", NULL, PJ_UNIT_BYTES, PJ_TEXT_NONE},
        {"bytes_to_host", "To host", NULL, PJ_UNIT_BYTES, PJ_TEXT_NONE},
        {"overlap", "Overlap", "Share of all transfer that lies under kernels.", PJ_UNIT_RATIO,
         PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Devices of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    if (run->ai)
        share_columns(table);
    table_of(run, table, work_cells);
    if (run->ai)
        share_cells(table, run->ai, sizeof columns / sizeof *columns);
    return table;
}

pj_table *pj_devices_idle_table(const pj_run *run)
{
    static const pj_column columns[] = {
        {"device", "Device", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"node", "Node", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"idle_ns", "Idle", "Neither computes nor moves data: the sum of the columns that follow.",
         PJ_UNIT_NS, PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "GPU idle of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (size_t c = 0; c < PJ_DEVICE_IDLE_CAUSES; c++)
        pj_table_add_column(table, (pj_column){.key = causes[c].key,
                                               .title = causes[c].title,
                                               .help = causes[c].sentence,
                                               .unit = PJ_UNIT_NS});
    return table_of(run, table, idle_cells);
}
