// The absolute figures of one run.
// Rows from the whole to its parts; a part is indented.
#include "metrics/run/overview.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/breakdown.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/run_table.h"
#include "metrics/run/sums.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>

enum { FIGURE, TITLE, VALUE, UNIT, SHARE, LONGEST, RANK, COUNT, PER_SECOND };

typedef struct overview {
    pj_table *table;
    const pj_run *run;
    pj_sums sums;
    double core_ns; // runtime x threads
} overview;

/// A row with its value; `reason` NULL or why there is none.
static pj_cell *add_row(overview *o, const char *figure, const char *title, unsigned depth,
                        pj_cell value)
{
    static const char *const indents[] = {"", "\u2002\u2002", "\u2002\u2002\u2002\u2002"};
    pj_arena *arena = o->table->arena;
    pj_cell *cells = pj_table_add_row(o->table);
    cells[FIGURE] = pj_cell_text(pj_arena_text(arena, pj_str_of(figure)));
    cells[TITLE] = pj_cell_text(pj_arena_format(arena, "%s%s", indents[depth], title));
    cells[VALUE] = pj_table_copy_cell(o->table, value);
    cells[UNIT] = pj_cell_text(pj_unit_text_of(value.unit).name);
    return cells;
}

static pj_cell no_runtime(const overview *o)
{
    const char *lack = pj_run_lacks_states(o->run);
    return pj_cell_empty(lack ? lack : "the run has no runtime");
}

static pj_cell rate(const overview *o, pj_unit unit, double amount)
{
    if (!(o->sums.runtime > 0))
        return no_runtime(o);
    return pj_cell_of(unit, amount / (o->sums.runtime / 1e9));
}

/// Why a time of all threads is not known.
static pj_cell unknown(const overview *o)
{
    return pj_cell_empty(o->run->part.whole ? "it is not kept of the parts of a run"
                                            : "the file does not say it");
}

/// A time of all threads together, with its share.
static pj_cell *add_time(overview *o, const char *figure, const char *title, unsigned depth,
                         double ns)
{
    if (isnan(ns))
        return add_row(o, figure, title, depth, unknown(o));
    pj_cell *cells = add_row(o, figure, title, depth, pj_cell_of(PJ_UNIT_NS, ns));
    cells[SHARE] =
        o->core_ns > 0 ? pj_cell_real(ns / o->core_ns) : pj_cell_empty("the run has no runtime");
    return cells;
}

static const char *why_uncounted(const overview *o)
{
    const char *lack = pj_run_lacks_counter(o->run, PJ_COUNTER_INSTRUCTIONS);
    if (!o->run->counters[PJ_COUNTER_INSTRUCTIONS].present)
        return lack;
    if (!o->run->counters[PJ_COUNTER_CYCLES].present)
        return pj_run_lacks_counter(o->run, PJ_COUNTER_CYCLES);
    return "nothing was counted in useful time";
}

static pj_cell quotient(const overview *o, pj_unit unit, double above, double below)
{
    return above > 0 && below > 0 ? pj_cell_of(unit, above / below)
                                  : pj_cell_empty(why_uncounted(o));
}

static pj_cell counted(const overview *o, unsigned counter, double sum)
{
    return o->run->counters[counter].present ? pj_cell_int((int64_t)sum)
                                             : pj_cell_empty(pj_run_lacks_counter(o->run, counter));
}

static void add_computation(overview *o)
{
    const pj_sums *s = &o->sums;
    if (o->core_ns > 0)
        add_time(o, "useful_ns", "Useful computation", 0, s->useful_sum);
    else
        add_row(o, "useful_ns", "Useful computation", 0, no_runtime(o));
    add_row(o, "instructions", "Instructions", 1,
            counted(o, PJ_COUNTER_INSTRUCTIONS, s->instructions));
    add_row(o, "ipc", "Instructions per cycle", 1,
            quotient(o, PJ_UNIT_RATIO, s->instructions, s->cycles));
    add_row(o, "frequency_ghz", "Clock", 1, quotient(o, PJ_UNIT_GHZ, s->cycles, s->useful_sum));
}

static int by_time(const void *a, const void *b)
{
    const pj_mpi_sum *x = *(const pj_mpi_sum *const *)a, *y = *(const pj_mpi_sum *const *)b;
    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_function(overview *o, const pj_mpi_sum *sum)
{
    pj_cell *cells = add_time(o, sum->name, sum->name, 2, (double)sum->time_ns);
    cells[LONGEST] = pj_cell_of(PJ_UNIT_NS, (double)sum->longest_ns);
    cells[RANK] = pj_cell_int(sum->rank);
    cells[COUNT] = pj_cell_int((int64_t)sum->calls);
    cells[PER_SECOND] = rate(o, PJ_UNIT_NONE, (double)sum->calls);
}

/// The functions of one class, the longest first.
static void add_class(overview *o, pj_mpi_class class_)
{
    const pj_mpi_use *use = o->run->mpi_use;
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_mpi_sum **sums = pj_new_n(arena, const pj_mpi_sum *, use->count + 1);
    double time = 0;
    uint64_t calls = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < use->count; i++)
        if (use->sums[i].class_ == class_) {
            sums[count++] = &use->sums[i];
            time += (double)use->sums[i].time_ns;
            calls += use->sums[i].calls;
        }
    if (!count)
        return;
    qsort(sums, count, sizeof(const pj_mpi_sum *), by_time);
    const char *key = pj_arena_format(arena, "mpi_%s_ns", pj_mpi_class_key(class_));
    pj_cell *cells = add_time(o, key, pj_mpi_class_title(class_), 1, time);
    cells[COUNT] = pj_cell_int((int64_t)calls);
    cells[PER_SECOND] = rate(o, PJ_UNIT_NONE, (double)calls);
    for (size_t i = 0; i < count; i++)
        add_function(o, sums[i]);
}

static void add_messages(overview *o)
{
    const pj_mpi_use *use = o->run->mpi_use;
    pj_cell *cells = add_row(o, "messages", "Messages", 0, pj_cell_int((int64_t)use->messages));
    cells[PER_SECOND] = rate(o, PJ_UNIT_NONE, (double)use->messages);
    cells =
        add_row(o, "message_bytes", "Bytes sent", 1, pj_cell_of(PJ_UNIT_BYTES, (double)use->bytes));
    cells[PER_SECOND] = rate(o, PJ_UNIT_BYTES, (double)use->bytes);
    if (use->messages)
        add_row(o, "message_size", "Mean size", 1,
                pj_cell_of(PJ_UNIT_BYTES, (double)use->bytes / (double)use->messages));
}

/// What threads do that neither compute nor are in MPI.
static void add_parts(overview *o)
{
    static const pj_breakdown_part parts[] = {
        PJ_TIME_openmp_wait, PJ_TIME_scheduling, PJ_TIME_device_runtime,
        PJ_TIME_serial_idle, PJ_TIME_io,         PJ_TIME_other,
        PJ_TIME_idle};
    double sum[PJ_TIME_PARTS] = {0};
    if (pj_breakdown_lack(o->run))
        return;
    for (uint32_t i = 0; i < o->run->layout.locations; i++) {
        uint64_t ns[PJ_TIME_PARTS];
        pj_breakdown_of(o->run, i, ns);
        for (size_t p = 0; p < PJ_TIME_PARTS; p++)
            sum[p] += (double)ns[p];
        sum[PJ_TIME_io] -= (double)o->run->totals[i].mpi_io_ns;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (sum[parts[i]] > 0)
            add_time(o, pj_breakdown_key(parts[i]), pj_breakdown_title(parts[i]), 1, sum[parts[i]]);
}

static void add_rest(overview *o, double mpi_ns)
{
    const char *title = o->run->has_mpi ? "Neither computing nor in MPI" : "Not computing";
    double ns = o->core_ns - o->sums.useful_sum - mpi_ns;
    if ((ns >= 0 || isnan(ns)) && o->core_ns > 0)
        add_time(o, "rest_ns", title, 0, ns);
    else
        add_row(o, "rest_ns", title, 0,
                o->core_ns > 0 ? pj_cell_empty("threads compute inside MPI calls") : no_runtime(o));
    add_parts(o);
}

static void add_mpi(overview *o)
{
    const pj_mpi_use *use = o->run->mpi_use;
    double time = 0;
    if (o->run->untraced) {
        add_time(o, "mpi_ns", "MPI", 0, o->sums.mpi_sum);
        if (o->run->ai)
            add_rest(o, o->sums.mpi_sum);
        return;
    }
    if (!use) {
        add_row(o, "mpi_ns", "MPI", 0,
                pj_cell_empty("an older summary does not say it: make it again from its trace"));
        return;
    }
    for (uint32_t i = 0; i < use->count; i++)
        time += (double)use->sums[i].time_ns;
    add_time(o, "mpi_ns", "MPI", 0, time);
    for (unsigned c = PJ_MPI_P2P; c <= PJ_MPI_IO; c++)
        add_class(o, (pj_mpi_class)c);
    add_rest(o, time);
    add_messages(o);
}

/// Without MPI nobody reads what is said of calls alone.
static void add_columns(pj_table *table, bool has_mpi)
{
    static const pj_column columns[] = {
        {"figure", "Figure", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Figure", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"value", "Value", "Of all threads together.", PJ_UNIT_NONE, false},
        {"unit", "Unit", "Of the value.", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"share", "Share", "Part of the core time: of runtime x threads.", PJ_UNIT_RATIO, false},
        {"longest_ns", "Longest", "Time of the rank that has most of it.", PJ_UNIT_NONE, false},
        {"rank", "of rank", "The rank that has most of it.", PJ_UNIT_IDENTIFIER, false},
        {"count", "Calls", "Calls of all threads.", PJ_UNIT_NONE, false},
        {"per_second", "Per second", "Calls, messages or bytes of all threads in a second.",
         PJ_UNIT_NONE, false},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (size_t i = LONGEST; i <= PER_SECOND && !has_mpi; i++)
        table->columns[i].text = PJ_TEXT_OF_MACHINES;
}

pj_table *pj_overview_table(const pj_run *run)
{
    overview o = {.table = pj_table_new(""), .run = run, .sums = pj_sums_of(run)};
    pj_arena *arena = o.table->arena;
    o.table->title = pj_arena_format(arena, "Absolute figures of %s (%s)", run->name,
                                     pj_layout_text(&run->layout, arena));
    o.table->note = "Shares are of the core time, which is runtime x threads.";
    o.core_ns = o.sums.runtime * o.sums.threads;
    add_columns(o.table, run->has_mpi);
    bool known = o.core_ns > 0;
    add_row(&o, "runtime_ns", "Runtime", 0,
            known ? pj_cell_of(PJ_UNIT_NS, o.sums.runtime) : no_runtime(&o));
    add_row(&o, "core_time_ns", "Core time", 0,
            known ? pj_cell_of(PJ_UNIT_NS, o.core_ns) : no_runtime(&o));
    add_computation(&o);
    if (run->has_mpi)
        add_mpi(&o);
    else if (run->has_openmp || pj_breakdown_has(run, PJ_TIME_device_runtime))
        add_rest(&o, 0);
    return o.table;
}
