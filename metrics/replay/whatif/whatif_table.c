// What changes of a run would bring, as tables.
#include "metrics/replay/whatif/whatif_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/replay/network.h"
#include "metrics/replay/wait_regions.h"
#include "metrics/replay/whatif/play.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/replay/whatif/whatif.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 5, SHARE_DECIMALS = 4 };
static const double NS_PER_CORE_HOUR = 3.6e12;

enum {
    KEY,
    TITLE,
    RUNTIME,
    GAIN,
    GAIN_SHARE,
    CORE_HOURS,
    PARALLEL,
    BALANCE,
    SERIALISATION,
    TRANSFER,
    COLUMNS
};

static const pj_column columns[COLUMNS] = {
    {"change", "Change", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"title", "Change", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"runtime_ns", "Runtime", "Of the replay with the change.", PJ_UNIT_NS, false},
    {"gain_ns", "Gain", "Less runtime than without the change, on the same network.", PJ_UNIT_NS,
     false},
    {"gain_share", "Of the runtime", "Part of the measured runtime.", PJ_UNIT_RATIO, false},
    {"core_hours", "Core time", "The gain of all threads.", PJ_UNIT_CORE_HOURS, false},
    {"parallel_efficiency", "Parallel efficiency", NULL, PJ_UNIT_RATIO, false},
    {"load_balance", "Load balance", NULL, PJ_UNIT_RATIO, false},
    {"serialisation_efficiency", "Serialisation", NULL, PJ_UNIT_RATIO, false},
    {"transfer_efficiency", "Transfer", NULL, PJ_UNIT_RATIO, false},
};

typedef struct rows {
    const pj_whatif *whatif;
    pj_table *table;
    double runs;
} rows;

static pj_cell part(double value)
{
    return isnan(value) ? pj_cell_empty("nothing is computed") : pj_cell_real(value);
}

static void add_row(const rows *r, const char *key, const char *title,
                    const pj_whatif_result *result)
{
    const pj_run *run = r->whatif->run;
    pj_cell *cells = pj_table_add_row(r->table);
    double gain = nearbyint(result->gain_ns);
    cells[KEY] = pj_table_copy_cell(r->table, pj_cell_text(key));
    cells[TITLE] = pj_cell_text(title);
    cells[RUNTIME] = pj_cell_int((int64_t)nearbyint(result->played.runtime_ns));
    cells[GAIN] = pj_cell_int((int64_t)gain);
    cells[GAIN_SHARE] = run->runtime_ns ? pj_cell_real(gain / (double)run->runtime_ns)
                                        : pj_cell_empty("the run has no runtime");
    cells[CORE_HOURS] = pj_cell_real(gain * run->layout.locations / NS_PER_CORE_HOUR * r->runs);
    cells[PARALLEL] = part(result->parallel);
    cells[BALANCE] = part(result->load_balance);
    cells[SERIALISATION] = part(result->serialisation);
    cells[TRANSFER] = part(result->transfer);
}

/// The run as it was, and what the networks alone would bring.
static void add_networks(const rows *r)
{
    const pj_whatif *w = r->whatif;
    double measured = (double)w->run->runtime_ns, ideal = w->ideal.runtime_ns;
    pj_played as_it_was = w->ideal;
    as_it_was.runtime_ns = measured;
    pj_whatif_result result = pj_whatif_result_of(&as_it_was, ideal);
    add_row(r, "measured", "As it was measured", &result);
    result = pj_whatif_result_of(&w->ideal, ideal);
    result.gain_ns = measured - ideal;
    add_row(r, "ideal", "On a network that costs nothing", &result);
    if (pj_network_is_ideal(&w->network))
        return;
    result = pj_whatif_result_of(&w->base, ideal);
    result.gain_ns = measured - w->base.runtime_ns;
    add_row(r, "network",
            pj_arena_format(r->table->arena, "On a network of %s",
                            pj_network_label(&w->network, r->table->arena)),
            &result);
}

static bool add_change(const rows *r, const char *text, pj_err *err)
{
    pj_change change;
    pj_whatif_result result;
    if (!pj_whatif_change(r->whatif, pj_str_of(text), &change, err) ||
        !pj_whatif_play(r->whatif, &change, &result, err))
        return false;
    add_row(r, text, pj_whatif_title(pj_str_of(text), r->table->arena), &result);
    return true;
}

// Changes that can be made of every run

typedef struct function_time { // of all of that name
    const char *name;
    uint32_t first;
    double ns;
} function_time;

static int by_time(const void *a, const void *b)
{
    const function_time *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int by_name(const void *a, const void *b)
{
    const function_time *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->first < y->first ? -1 : x->first > y->first;
}

static size_t join_names(function_time *times, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(times, count, sizeof *times, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept && strcmp(times[kept - 1].name, times[i].name) == 0)
            times[kept - 1].ns += times[i].ns;
        else
            times[kept++] = times[i];
    return kept;
}

/// Functions of the program in which ranks compute, those with most of it first.
static size_t functions_of(const pj_whatif *w, pj_arena *arena, function_time **out)
{
    uint32_t all = pj_tape_regions(w->run->tape);
    size_t count = 0;
    *out = pj_new_n(arena, function_time, all);
    for (uint32_t i = PJ_WAIT_REGION_REST + 1; i < all; i++)
        if (w->bursts.of_region[i] > 0)
            (*out)[count++] =
                (function_time){pj_tape_region_name(w->run->tape, i), i, w->bursts.of_region[i]};
    count = join_names(*out, count);
    if (count)
        qsort(*out, count, sizeof **out, by_time);
    return count;
}

static bool add_computation(const rows *r, pj_err *err)
{
    pj_arena *arena = r->table->arena;
    function_time *functions;
    size_t count = functions_of(r->whatif, arena, &functions);
    for (size_t i = 0; i < count && i < LONGEST; i++)
        if (!add_change(r, pj_arena_format(arena, "function:%s:2", functions[i].name), err))
            return false;
    enum { NS_PER_US = 1000, SHORT = 10 * NS_PER_US };
    unsigned long long length = r->whatif->bursts.long_ns;
    bool is_short = length < SHORT;
    const char *bursts = pj_arena_format(
        arena, "bursts:%llu%s:2", is_short ? length : length / NS_PER_US, is_short ? "ns" : "us");
    return add_change(r, bursts, err) && add_change(r, "compute:2", err) &&
           add_change(r, "slowest:1.1", err);
}

static bool add_standard(const rows *r, pj_err *err)
{
    const pj_network *network = &r->whatif->network;
    bool far = network->latency_ns > 0, narrow = network->bandwidth > 0;
    if ((far && !add_change(r, "latency:0", err)) ||
        (narrow && isfinite(network->bandwidth) && !add_change(r, "bandwidth:inf", err)) ||
        !add_change(r, "balance:ranks", err) || !add_change(r, "balance:steps", err) ||
        !add_computation(r, err))
        return false;
    for (unsigned k = 0; k < PJ_WAIT_PATTERNS; k++)
        if (r->whatif->bursts.patterns >> k & 1 &&
            !add_change(r,
                        pj_arena_format(r->table->arena, "without:%s", pj_wait_pattern_rows[k].key),
                        err))
            return false;
    return true;
}

/// What moving work between ranks would bring, where the load balance promises something else.
static void note_balance(const rows *r)
{
    const pj_whatif *w = r->whatif;
    const pj_table *t = r->table;
    double lost = w->ideal.compute_max - w->ideal.compute_mean;
    double gains[2] = {NAN, NAN};
    char texts[3][32];
    for (size_t row = 0; row < t->row_count; row++)
        for (int i = 0; i < 2; i++)
            if (pj_str_equal(pj_str_of(pj_table_cell(t, row, KEY)->text),
                             pj_str_of(i ? "balance:steps" : "balance:ranks")))
                gains[i] = pj_cell_number(*pj_table_cell(t, row, GAIN));
    if (isnan(gains[0]) || isnan(gains[1]) || !(fabs(gains[0] - lost) > lost / 10))
        return;
    pj_format_duration(lost, texts[0]);
    pj_format_duration(fabs(gains[0]), texts[1]);
    pj_format_duration(fabs(gains[1]), texts[2]);
    r->table->note = pj_arena_format(
        t->arena,
        "%s\nThe load balance loses %s of the runtime, but work moved between ranks once and for "
        "all %s %s; shared anew in each step it %s %s.",
        t->note, texts[0], gains[0] >= 0 ? "brings" : "costs", texts[1],
        gains[1] >= 0 ? "brings" : "costs", texts[2]);
}

/// What steps are, where a change tells of them.
static void note_steps(const rows *r)
{
    uint32_t iterations = r->whatif->bursts.iterations.count;
    pj_table *t = r->table;
    bool told = false;
    for (size_t row = 0; row < t->row_count; row++)
        told |= strstr(pj_table_cell(t, row, KEY)->text, "balance:steps") != NULL;
    if (told && iterations)
        t->note =
            pj_arena_format(t->arena,
                            "%s\nSteps are the %u iterations of the run, and what lies before "
                            "and behind them.",
                            t->note, iterations - 2);
    else if (told)
        t->note =
            pj_arena_format(t->arena, "%s\nSteps lie between collectives of all ranks.", t->note);
    if (told && r->whatif->run->roi.set)
        t->note = pj_arena_format(
            t->arena, "%s Work is balanced in the region of interest; all come there as they did.",
            t->note);
}

/// Ranks come to a region of interest one after another.
static void note_roi(const rows *r)
{
    pj_table *t = r->table;
    bool above = false;
    for (size_t row = 0; row < t->row_count; row++)
        above |= pj_cell_number(*pj_table_cell(t, row, SERIALISATION)) > 1 + 1e-9;
    if (above && r->whatif->run->roi.set)
        t->note = pj_arena_format(t->arena,
                                  "%s\nSerialisation above 1: the runtime counts from where the "
                                  "last rank comes to the region of interest.",
                                  t->note);
}

/// What the replay does not look into.
static void note_openmp(const rows *r)
{
    if (r->whatif->run->has_openmp)
        r->table->note = pj_arena_format(
            r->table->arena,
            "%s Parallel regions of OpenMP are among it as long as they were, with what threads "
            "lose in them: metrics, findings and waits --threads tell that.",
            r->table->note);
}

pj_table *pj_whatif_table(const pj_whatif *whatif, pj_whatif_opts opts, pj_err *err)
{
    pj_auto_table table = pj_table_new("");
    rows r = {.whatif = whatif, .table = table};
    r.runs = opts.runs_per_year > 0 ? opts.runs_per_year : 1;
    table->title =
        pj_arena_format(table->arena, "What changes of %s would bring", whatif->run->name);
    for (size_t c = 0; c < COLUMNS; c++)
        pj_table_add_column(table, columns[c]);
    pj_table_set_decimals(table, GAIN_SHARE, SHARE_DECIMALS);
    table->note = "Replays of the recorded dependencies: the order of messages, who works on what "
                  "and how stay as they were. Changes are made on the ideal network, or on the one "
                  "that is given. Efficiencies take all time outside MPI for computation, and "
                  "multiply.";
    add_networks(&r);
    for (size_t i = 0; i < opts.count; i++)
        if (!add_change(&r, opts.changes[i], err))
            return NULL;
    if (opts.count == 0 && !add_standard(&r, err))
        return NULL;
    note_openmp(&r);
    note_balance(&r);
    note_steps(&r);
    note_roi(&r);
    return pj_table_hold(table);
}

// Sensitivity

/// (R(1.1) - R(0.9)) / (0.2 R): `less` and `more` are the change in times.
static bool add_sensitivity(const rows *r, const char *part_name, const pj_change changes[2],
                            pj_err *err)
{
    pj_played played[2];
    const pj_whatif *w = r->whatif;
    for (int i = 0; i < 2; i++)
        if (!pj_play(w->run, &changes[i], w->job, w->arena, &played[i], err))
            return false;
    pj_cell *cells = pj_table_add_row(r->table);
    double base = w->base.runtime_ns;
    cells[0] = pj_table_copy_cell(r->table, pj_cell_text(part_name));
    cells[1] = base > 0 ? pj_cell_real((played[1].runtime_ns - played[0].runtime_ns) / (0.2 * base))
                        : pj_cell_empty("the run has no runtime");
    return true;
}

static const double tenth_around[2] = {0.9, 1.1};

static bool add_regions(const rows *r, pj_err *err)
{
    const pj_whatif *w = r->whatif;
    uint32_t count = pj_tape_regions(w->run->tape);
    for (uint32_t i = 0; i < count; i++) {
        pj_change changes[2] = {{.network = w->network}, {.network = w->network}};
        if (!(w->bursts.of_region[i] > 0))
            continue;
        for (int k = 0; k < 2; k++) {
            double *factors = pj_new_n(w->arena, double, count);
            for (uint32_t n = 0; n < count; n++)
                factors[n] = n == i ? tenth_around[k] : 1;
            changes[k].of_region = factors;
        }
        if (!add_sensitivity(r, pj_tape_region_name(w->run->tape, i), changes, err))
            return false;
    }
    return true;
}

pj_table *pj_whatif_sensitivity(const pj_whatif *whatif, pj_err *err)
{
    pj_auto_table table = pj_table_new("");
    rows r = {.whatif = whatif, .table = table};
    pj_change latency[2], bandwidth[2];
    table->title =
        pj_arena_format(table->arena, "What the runtime of %s hangs on", whatif->run->name);
    pj_table_add_column(table, (pj_column){"part", "Part", NULL, PJ_UNIT_NONE, PJ_TEXT});
    pj_table_add_column(table, (pj_column){"sensitivity", "Sensitivity",
                                           "Part of its change that the runtime makes, too.",
                                           PJ_UNIT_RATIO, false});
    pj_table_set_decimals(table, 1, SHARE_DECIMALS);
    for (int k = 0; k < 2; k++) {
        latency[k] = bandwidth[k] = (pj_change){.network = whatif->network};
        latency[k].network.latency_ns *= tenth_around[k];
        bandwidth[k].network.bandwidth /= tenth_around[k];
    }
    if (!add_regions(&r, err) || !add_sensitivity(&r, "latency", latency, err) ||
        !add_sensitivity(&r, "1 / bandwidth", bandwidth, err))
        return NULL;
    return pj_table_hold(table);
}
