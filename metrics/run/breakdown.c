// Where the time of threads goes, in parts that add up.
// A worker is idle because its master works alone as long as the master is outside regions; what
// it is idle beyond that must lie inside them, though the trace may not say where. No event of
// another thread is needed for it, so threads may be read apart.
#include "metrics/run/breakdown.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/run_table.h"
#include "metrics/trace/layout.h"

static const struct {
    const char *key, *title, *sentence;
} parts[] = {
#define PART(name, title, sentence) {#name "_ns", title, sentence},
#include "metrics/run/breakdown.def"
#undef PART
};

const char *pj_breakdown_key(pj_breakdown_part part)
{
    return parts[part].key;
}

const char *pj_breakdown_title(pj_breakdown_part part)
{
    return parts[part].title;
}

bool pj_breakdown_has(const pj_run *run, pj_breakdown_part part)
{
    return part != PJ_TIME_device_runtime || pj_run_calls_devices(run);
}

const char *pj_breakdown_lack(const pj_run *run)
{
    if (run->no_states || (run->untraced && !run->ai))
        return pj_run_lacks_states(run);
    return run->spent_unknown
               ? "the summary was written by an earlier popinjay, which did not keep it: read the "
                 "trace again (--force)"
               : NULL;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/// Rounded values of a summary may add up to more than the runtime: the last parts give way.
static uint64_t fit(uint64_t ns[PJ_TIME_PARTS], uint64_t runtime)
{
    uint64_t sum = 0;
    for (size_t p = 0; p < PJ_TIME_PARTS; p++)
        sum += ns[p];
    uint64_t excess = less(sum, runtime);
    for (size_t p = PJ_TIME_PARTS; p-- > 0 && excess;) {
        uint64_t cut = ns[p] < excess ? ns[p] : excess;
        ns[p] -= cut;
        excess -= cut;
    }
    return less(runtime, sum);
}

void pj_breakdown_of(const pj_run *run, uint32_t location, uint64_t ns[PJ_TIME_PARTS])
{
    const pj_layout *layout = &run->layout;
    const pj_totals *totals = &run->totals[location];
    const uint64_t *spent = totals->spent_ns;
    uint32_t first = layout->first_location[layout->rank_of[location]];
    uint64_t alone = less(run->runtime_ns, run->totals[first].openmp_ns);
    bool openmp = run->has_openmp, worker = openmp && location != first;
    uint64_t team = spent[PJ_SPENT_SYNC] + spent[PJ_SPENT_FORK];
    for (size_t p = 0; p < PJ_TIME_PARTS; p++)
        ns[p] = 0;
    ns[PJ_TIME_useful] = totals->useful_ns;
    ns[PJ_TIME_mpi_p2p] = spent[PJ_SPENT_P2P];
    ns[PJ_TIME_mpi_collective] = spent[PJ_SPENT_COLLECTIVE];
    ns[PJ_TIME_mpi_other] = spent[PJ_SPENT_MPI];
    ns[PJ_TIME_openmp_wait] = openmp ? spent[PJ_SPENT_SYNC] : 0;
    ns[PJ_TIME_scheduling] = openmp ? spent[PJ_SPENT_FORK] : 0;
    ns[PJ_TIME_device_runtime] = spent[PJ_SPENT_DEVICE];
    ns[PJ_TIME_io] = spent[PJ_SPENT_IO];
    ns[PJ_TIME_other] = spent[PJ_SPENT_OTHER] + (openmp ? 0 : team);
    uint64_t idle = fit(ns, run->runtime_ns);
    uint64_t serial = idle < alone ? idle : alone;
    ns[PJ_TIME_serial_idle] = worker ? serial : 0;
    ns[PJ_TIME_openmp_wait] += worker ? idle - serial : 0;
    ns[PJ_TIME_idle] = worker ? 0 : idle;
}

static void add_columns(const pj_run *run, pj_table *table)
{
    pj_table_add_column(table,
                        (pj_column){.key = "rank", .title = "Rank", .unit = PJ_UNIT_IDENTIFIER});
    pj_table_add_column(table, (pj_column){.key = "thread",
                                           .title = "Thread",
                                           .help = "Thread of its rank, from 0.",
                                           .unit = PJ_UNIT_IDENTIFIER});
    for (pj_breakdown_part p = 0; p < PJ_TIME_PARTS; p++)
        if (pj_breakdown_has(run, p))
            pj_table_add_column(table, (pj_column){.key = parts[p].key,
                                                   .title = parts[p].title,
                                                   .help = parts[p].sentence,
                                                   .unit = PJ_UNIT_NS});
    pj_table_add_column(table, (pj_column){.key = "runtime_ns",
                                           .title = "Runtime",
                                           .help = "Of the run: the sum of the parts.",
                                           .unit = PJ_UNIT_NS});
}

/// What to know of the numbers; NULL = nothing.
static const char *note_of(const pj_run *run)
{
    bool rounded = run->spent_rounded || (run->provenance && run->provenance->rounded);
    const char *lack = pj_breakdown_lack(run);
    return lack ? lack : rounded ? "values of single threads come rounded from a summary" : NULL;
}

pj_table *pj_breakdown_table(const pj_run *run)
{
    const pj_layout *layout = &run->layout;
    const char *lack = pj_breakdown_lack(run), *note = note_of(run);
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Where the time goes: %s", run->name);
    table->note = note ? pj_arena_text(table->arena, pj_str_of(note)) : NULL;
    add_columns(run, table);
    bool has[PJ_TIME_PARTS];
    for (pj_breakdown_part p = 0; p < PJ_TIME_PARTS; p++)
        has[p] = pj_breakdown_has(run, p);
    for (uint32_t i = 0; !lack && i < layout->locations; i++) {
        uint64_t ns[PJ_TIME_PARTS];
        uint32_t rank = layout->rank_of[i];
        pj_cell *cells = pj_table_add_row(table);
        pj_breakdown_of(run, i, ns);
        cells[0] = pj_cell_int(rank);
        cells[1] = pj_cell_int(i - layout->first_location[rank]);
        pj_cell *cell = cells + 2;
        for (size_t p = 0; p < PJ_TIME_PARTS; p++)
            if (has[p])
                *cell++ = pj_cell_int((int64_t)ns[p]);
        *cell = pj_cell_int((int64_t)run->runtime_ns);
    }
    return table;
}
