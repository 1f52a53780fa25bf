// A counter belongs to an event, as its time does, which stands in a table of samples. Names of
// machines are not kept.
#include "metrics/read/database/rocpd_meters.h"

#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_sweep.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/read/charged.h"
#include "metrics/read/database/sql_file.h"
#include "metrics/run/energy.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/meter.h"
#include "metrics/trace/sink.h"

#include <stdlib.h>
#include <string.h>

enum { METERS_MOST = 1 << (PJ_METER_BITS - 1), READINGS_MOST = 1 << 22 };

typedef struct work {
    pj_rocpd_meters *meters;
    pj_device_tables *tables;
    pj_rocpd_process process;
    pj_map machine_of; // by node
    pj_map meter_of;   // by counter
    pj_map rank_of;    // the same: its process
    pj_map stamp_of;   // by event
    int64_t *stamps;   // ns; INT64_MIN = none
    size_t stamp_count, stamp_cap;
    pj_charge charge; // stamps
} work;

typedef void take_row(work *w, const pj_sql_rows *row);

static bool each_row(work *w, const char *table, const char *suffix, const char *columns,
                     take_row *take, pj_err *err)
{
    enum { OFTEN = 1 << 12 };
    pj_auto_buf name = {.at = NULL};
    pj_buf_addf(&name, "%s%s", table, suffix);
    pj_sql_rows *rows = pj_sql_rows_new(w->tables->file, name.at, columns, err);
    bool ok = true;
    for (size_t i = 0; ok && rows && pj_sql_rows_next(rows, err); i++) {
        take(w, rows);
        ok = i % OFTEN || pj_job_check(w->charge.job, w->tables->path, err);
    }
    pj_sql_rows_free(rows);
    return ok && !err->code;
}

static uint64_t key_of(const pj_sql_rows *row, unsigned column)
{
    return (uint64_t)pj_sql_rows_integer(row, column, -1);
}

static void take_node(work *w, const pj_sql_rows *row)
{
    pj_str id = pj_sql_rows_text(row, 1);
    uint64_t machine = pj_fingerprint_of(id.len ? id : pj_sql_rows_text(row, 2));
    uint32_t number;
    if (!pj_map_get(&w->meters->machines, machine, &number)) {
        number = (uint32_t)w->meters->machines.count;
        pj_map_put(&w->meters->machines, machine, number);
    }
    pj_map_put(&w->machine_of, key_of(row, 0), number);
}

/// rocprof-sys calls watts "w".
static const char *unit_of(pj_str unit)
{
    static const char *const units[] = {"W", "mW", "uW", "J", "mJ", "uJ"};
    if (pj_str_equal(unit, PJ_S("w")))
        return "W";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (pj_str_equal(unit, pj_str_of(units[i])))
            return units[i];
    return unit.len ? "?" : "";
}

/// Processes that see some devices of a machine alone number these each for itself.
static void tell_device(work *w, uint32_t number, pj_meter *meter)
{
    uint32_t unit = 0;
    meter->domain = PJ_METER_BOARD;
    meter->number = number;
    if (pj_map_get(w->process.units, 2 * (uint64_t)number, &unit) && unit)
        meter->scope =
            pj_arena_format(w->meters->arena, "%s, device %08x", meter->scope, (unsigned)unit);
}

static uint64_t unit_of_device(const work *w, const pj_meter *meter)
{
    uint32_t low = 0, high = 0;
    pj_map_get(w->process.units, 2 * (uint64_t)meter->number, &low);
    pj_map_get(w->process.units, 2 * (uint64_t)meter->number + 1, &high);
    return meter->domain == PJ_METER_BOARD ? (uint64_t)high << 32 | low : 0;
}

/// Of a process: several of a machine sample the same devices, each for itself.
static void take_counter(work *w, const pj_sql_rows *row)
{
    pj_rocpd_meters *meters = w->meters;
    const char *name = pj_arena_text(meters->arena, pj_sql_rows_text(row, 4));
    pj_meter meter = pj_meter_of(name, unit_of(pj_sql_rows_text(row, 5)), 1);
    uint32_t agent, machine = 0;
    if (meter.kind == PJ_METER_NONE || meters->count >= METERS_MOST)
        return;
    pj_map_get(&w->machine_of, key_of(row, 1), &machine);
    meter.scope = pj_arena_format(meters->arena, "node %u", (unsigned)machine);
    meter.timing = PJ_METER_POINT;
    if (pj_map_get(w->process.agents, key_of(row, 3), &agent))
        tell_device(w, agent - 1, &meter);
    int64_t process =
        w->process.index * ((int64_t)1 << 32) + (uint32_t)pj_sql_rows_integer(row, 2, 0);
    pj_ai_rank *rank = pj_device_tables_rank(w->tables, process);
    size_t at = 0;
    while (at < w->tables->count && w->tables->ranks[at] != rank)
        at++;
    pj_map_put(&w->rank_of, key_of(row, 0), (uint32_t)at);
    pj_map_put(&w->meter_of, key_of(row, 0), (uint32_t)meters->count);
    pj_grow(meters->items, &meters->cap, meters->count + 1);
    pj_grow(meters->units, &meters->unit_cap, meters->count + 1);
    meters->units[meters->count] = unit_of_device(w, &meter);
    meters->items[meters->count++] = meter;
}

static uint32_t stamp_of(work *w, uint64_t event)
{
    uint32_t stamp;
    if (pj_map_get(&w->stamp_of, event, &stamp))
        return stamp;
    PJ_CHARGED(&w->charge, w->stamps, &w->stamp_cap, w->stamp_count + 1);
    w->stamps[w->stamp_count] = INT64_MIN;
    pj_map_put(&w->stamp_of, event, (uint32_t)w->stamp_count);
    return (uint32_t)w->stamp_count++;
}

/// Its time is that of its event, which is not known yet.
static void take_value(work *w, const pj_sql_rows *row)
{
    pj_rocpd_meters *meters = w->meters;
    pj_rocpd_reading reading;
    uint32_t rank = 0;
    if (!pj_map_get(&w->meter_of, key_of(row, 1), &reading.meter) ||
        !pj_parse_double(pj_sql_rows_text(row, 2), &reading.value) ||
        meters->reading_count >= READINGS_MOST)
        return;
    pj_map_get(&w->rank_of, key_of(row, 1), &rank);
    reading.rank = w->tables->ranks[rank];
    reading.time = stamp_of(w, key_of(row, 0));
    PJ_CHARGED(&meters->charge, meters->readings, &meters->reading_cap, meters->reading_count + 1);
    meters->readings[meters->reading_count++] = reading;
}

static void take_sample(work *w, const pj_sql_rows *row)
{
    const int64_t most = INT64_C(1) << 60;
    int64_t time = pj_sql_rows_integer(row, 1, INT64_MIN);
    uint32_t stamp;
    if (time >= -most && time <= most && pj_map_get(&w->stamp_of, key_of(row, 0), &stamp))
        w->stamps[stamp] = time;
}

/// Those without a time are left out.
static void stamp_readings(work *w, size_t first)
{
    pj_rocpd_meters *meters = w->meters;
    size_t kept = first;
    for (size_t i = first; i < meters->reading_count; i++) {
        pj_rocpd_reading reading = meters->readings[i];
        reading.time = w->stamps[reading.time];
        if (reading.time != INT64_MIN)
            meters->readings[kept++] = reading;
    }
    meters->reading_count = kept;
}

bool pj_rocpd_meters_read(pj_rocpd_meters *meters, pj_device_tables *tables,
                          pj_rocpd_process process, pj_err *err)
{
    work w = {.meters = meters,
              .tables = tables,
              .process = process,
              .charge = {.job = meters->charge.job}};
    const char *suffix = process.suffix;
    size_t first = meters->reading_count;
    if (!meters->arena)
        meters->arena = pj_arena_new(NULL);
    bool ok =
        each_row(&w, "rocpd_info_node", suffix, "id machine_id hostname", take_node, err) &&
        each_row(&w, "rocpd_info_pmc", suffix, "id nid pid agent_id name units", take_counter, err);
    if (ok && meters->wanted && w.meter_of.count) {
        ok = each_row(&w, "rocpd_pmc_event", suffix, "event_id pmc_id value", take_value, err) &&
             each_row(&w, "rocpd_sample", suffix, "event_id timestamp", take_sample, err);
        stamp_readings(&w, first);
    }
    pj_map_free(&w.machine_of);
    pj_map_free(&w.meter_of);
    pj_map_free(&w.rank_of);
    pj_map_free(&w.stamp_of);
    free(w.stamps);
    pj_charge_end(&w.charge);
    return ok;
}

static bool is_among(const pj_ai_rank *rank, pj_ai_rank *const *ranks, size_t count)
{
    size_t at = 0;
    while (at < count && ranks[at] != rank)
        at++;
    return at < count;
}

void pj_rocpd_meters_keep(pj_rocpd_meters *meters, pj_ai_rank *const *ranks, size_t count)
{
    const pj_ai_rank *last = NULL;
    bool kept = false;
    for (size_t i = meters->kept; i < meters->reading_count; i++) {
        pj_rocpd_reading *reading = &meters->readings[i];
        if (reading->rank != last || i == meters->kept)
            kept = is_among(last = reading->rank, ranks, count);
        reading->rank = kept ? reading->rank : NULL;
    }
    meters->kept = meters->reading_count;
}

// To who wants them

typedef struct ranks_list {
    pj_ai_rank *const *items;
    size_t count;
} ranks_list;

/// Where the run begins: at the first record of a device.
static int64_t begin_of(const ranks_list *ranks)
{
    int64_t begin = INT64_MAX;
    for (size_t r = 0; r < ranks->count; r++)
        for (size_t d = 0; d < ranks->items[r]->device_count; d++) {
            const pj_ai_device *device = &ranks->items[r]->devices[d];
            int64_t first = pj_ai_rank_common(ranks->items[r], device->first);
            if (device->busy && first < begin)
                begin = first;
        }
    return begin;
}

static int by_time(const void *a, const void *b)
{
    const pj_rocpd_reading *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->meter != y->meter)
        return x->meter < y->meter ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/// In order of time, on the clock of the run. False when it is stopped.
static bool order_readings(pj_rocpd_meters *meters, int64_t begin)
{
    size_t kept = 0;
    for (size_t i = 0; i < meters->reading_count; i++) {
        pj_rocpd_reading reading = meters->readings[i];
        if (!reading.rank)
            continue;
        reading.time = pj_ai_rank_common(reading.rank, reading.time) - begin;
        reading.row = (uint32_t)kept;
        meters->readings[kept++] = reading;
    }
    meters->reading_count = kept;
    return pj_sort_records(meters->readings, kept, sizeof *meters->readings, by_time,
                           meters->charge.job->stop);
}

/// What the device of a meter does, on the clock of its rank.
typedef struct doing {
    pj_ai_rank *rank;
    const pj_ai_device *device; // NULL = it is not known
    pj_ai_spans transfers, waits;
} doing;

static void take_stretch(void *self, const pj_ai_stretch *stretch)
{
    doing *d = self;
    pj_ai_spans_add(stretch->layer == PJ_AI_WAITS ? &d->waits : &d->transfers, stretch->begin,
                    stretch->end);
}

/// Devices that several processes use are of one of them.
static void find_device(doing *d, const ranks_list *ranks, const pj_ai_device *wanted,
                        const pj_ai_rank *own)
{
    for (size_t r = 0; r < ranks->count; r++)
        for (size_t i = 0; i < ranks->items[r]->device_count; i++) {
            const pj_ai_device *device = &ranks->items[r]->devices[i];
            bool same = wanted->unit ? device->unit == wanted->unit
                                     : ranks->items[r] == own && device->number == wanted->number;
            if (!same || !device->busy || d->device)
                continue;
            d->rank = ranks->items[r];
            d->device = device;
        }
    if (!d->device)
        return;
    pj_ai_sweep(d->rank, d->device, (pj_ai_watch){take_stretch, d});
    pj_ai_spans_unite(&d->transfers);
    pj_ai_spans_unite(&d->waits);
}

static doing *doings_of(const pj_rocpd_meters *meters, const ranks_list *ranks)
{
    doing *all = pj_take_memory(meters->count * sizeof *all);
    const pj_ai_rank **own = pj_take_memory(meters->count * sizeof *own);
    memset(all, 0, meters->count * sizeof *all);
    memset(own, 0, meters->count * sizeof *own);
    for (size_t i = 0; i < meters->reading_count; i++)
        own[meters->readings[i].meter] = meters->readings[i].rank;
    for (size_t m = 0; m < meters->count; m++) {
        const pj_ai_device wanted = {.number = meters->items[m].number, .unit = meters->units[m]};
        if (own[m] && meters->items[m].domain == PJ_METER_BOARD)
            find_device(&all[m], ranks, &wanted, own[m]);
    }
    free(own);
    return all;
}

static void free_doings(doing *all, size_t count)
{
    for (size_t m = 0; m < count; m++) {
        pj_ai_spans_free(&all[m].transfers);
        pj_ai_spans_free(&all[m].waits);
    }
    free(all);
}

/// Three states, then the reading itself.
enum { EVENTS = 4, BATCH = PJ_SIZE(1 << 12, 2) };

/// `time` on the clock of the device's rank.
static size_t add_states(const doing *d, int64_t time, pj_event event, pj_event *out)
{
    const struct {
        pj_energy_state state;
        int64_t ns;
    } done[] = {{PJ_ENERGY_USEFUL, pj_ai_spans_until(&d->device->computed, time)},
                {PJ_ENERGY_TRANSFER, pj_ai_spans_until(&d->transfers, time)},
                {PJ_ENERGY_WAIT, pj_ai_spans_until(&d->waits, time)}};
    event.kind = PJ_EV_STATE;
    for (size_t i = 0; i < sizeof done / sizeof *done; i++) {
        event.code = (uint16_t)done[i].state;
        event.a = done[i].ns > 0 ? (uint64_t)done[i].ns : 0;
        out[i] = event;
    }
    return sizeof done / sizeof *done;
}

/// Who tells readings, in order, and where they count from.
typedef struct telling {
    const pj_rocpd_meters *meters;
    pj_run *run;
    const doing *doings;
    int64_t begin;
} telling;

static size_t add_reading(const telling *t, const pj_rocpd_reading *reading, pj_event *out)
{
    const pj_run *run = t->run;
    const doing *d = &t->doings[reading->meter];
    uint64_t early = reading->time < 0 ? (uint64_t)-reading->time : 0, bits;
    size_t count = 0;
    pj_event event = {.time = early ? 0 : (uint64_t)reading->time,
                      .b = reading->meter,
                      .location = run->layout.locations + run->layout.stream_count,
                      .kind = PJ_EV_COUNTER,
                      .code = PJ_METER_REAL};
    if (d->device)
        count = add_states(d, pj_ai_rank_own(d->rank, reading->time + t->begin), event, out);
    memcpy(&bits, &reading->value, sizeof bits);
    early = early >> (64 - PJ_METER_BITS) ? UINT64_MAX >> PJ_METER_BITS : early;
    event.a = bits;
    event.b |= early << PJ_METER_BITS;
    out[count++] = event;
    return count;
}

static bool tell_readings(const telling *t, const pj_sink *sink, pj_err *err)
{
    const pj_rocpd_meters *meters = t->meters;
    pj_event *events = pj_take_memory((size_t)EVENTS * BATCH * sizeof *events);
    bool ok = true;
    for (size_t at = 0; ok && at < meters->reading_count;) {
        pj_batch batch = {.events = events};
        for (size_t i = 0; i < BATCH && at < meters->reading_count; i++)
            batch.count += add_reading(t, &meters->readings[at++], events + batch.count);
        ok = pj_job_check(meters->charge.job, t->run->path, err) &&
             sink->events(sink->self, &batch, err);
    }
    free(events);
    return ok;
}

static bool tell_sink(const telling *t, const pj_sink *sink, pj_err *err)
{
    return sink->begin(sink->self, t->run, err) && tell_readings(t, sink, err) &&
           sink->finish(sink->self, t->run, err);
}

bool pj_rocpd_meters_tell(pj_rocpd_meters *meters, pj_pass *pass, pj_ai_rank *const *ranks,
                          size_t count, pj_err *err)
{
    pj_run *run = pass->run;
    if (!meters->count)
        return true;
    run->meters = (pj_meters){.items = pj_new_n(run->arena, pj_meter, meters->count),
                              .count = (uint32_t)meters->count};
    for (size_t i = 0; i < meters->count; i++) {
        pj_meter meter = meters->items[i];
        meter.name = pj_arena_text(run->arena, pj_str_of(meter.name));
        meter.scope = pj_arena_text(run->arena, pj_str_of(meter.scope));
        run->meters.items[i] = meter;
    }
    ranks_list list = {.items = ranks};
    while (list.count < count && ranks[list.count]) // the run has left out the others
        list.count++;
    meters->kept = 0;
    pj_rocpd_meters_keep(meters, ranks, list.count);
    telling t = {.meters = meters, .run = run, .begin = begin_of(&list)};
    if (!order_readings(meters, t.begin))
        return pj_job_check(meters->charge.job, run->path, err);
    doing *doings = doings_of(meters, &list);
    t.doings = doings;
    bool ok = true;
    for (size_t i = 0; ok && i < pass->sink_count; i++)
        if (pass->sinks[i].meters)
            ok = tell_sink(&t, &pass->sinks[i], err);
    free_doings(doings, meters->count);
    return ok;
}

void pj_rocpd_meters_free(pj_rocpd_meters *meters)
{
    pj_arena_free(meters->arena);
    free(meters->items);
    free(meters->units);
    free(meters->readings);
    pj_map_free(&meters->machines);
    pj_charge_end(&meters->charge);
    *meters = (pj_rocpd_meters){.wanted = meters->wanted, .charge = meters->charge};
}
