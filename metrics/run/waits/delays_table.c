// Tables of delays, of the critical path and of waits by function.
#include "metrics/run/waits/delays_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"

#include <math.h>
#include <stdlib.h>

enum { SHARE_DECIMALS = 4 };

/// A wait keeps its eight largest causes; nor are very many pairs of rank and region told apart.
static const char small_causes[] = "small causes of waits, which are not told apart";

static pj_cell share_cell(double ns, double whole)
{
    return whole > 0 ? pj_cell_real(ns / whole) : pj_cell_empty("there is nothing to share");
}

static pj_cell region_cell(const pj_delays *delays, uint32_t region)
{
    return region < delays->region_count ? pj_cell_text(delays->regions[region].name)
                                         : pj_cell_empty("one of many functions");
}

static pj_table *new_table(const pj_run *run, const char *title, const pj_column *columns,
                           size_t count)
{
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, title, run->name);
    for (size_t i = 0; i < count; i++)
        pj_table_add_column(table, columns[i]);
    pj_table_set_decimals(table, (size_t)pj_table_column(table, PJ_S("share")), SHARE_DECIMALS);
    return table;
}

// Delays

static int by_cost(const void *a, const void *b)
{
    const pj_delay *x = a, *y = b;
    double left = x->short_ns + x->long_ns, right = y->short_ns + y->long_ns;
    if (left != right)
        return left > right ? -1 : 1;
    if (x->culprit != y->culprit)
        return x->culprit < y->culprit ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

static const char *note_of(const pj_run *run, pj_arena *arena)
{
    const pj_delays *delays = run->waits->delays;
    const char *region = run->roi.set ? " What lies outside of the region of interest may have led "
                                        "to waits in it: it counts as far as these do."
                                      : "";
    const char *far =
        delays->far ? pj_arena_format(arena,
                                      " Of %llu waits the ranks last met too long ago: what they "
                                      "did of late is compared.",
                                      (unsigned long long)delays->far)
                    : "";
    return pj_arena_format(arena,
                           "Short: waits of others for what a rank did longer than they since "
                           "both met last; long: waits that these waits have led to. %s%s%s",
                           delays->unattributed_ns > 0
                               ? "Waits that come of neither stand without a rank."
                               : "All waits are told.",
                           region, far);
}

static pj_table *costs_table(const pj_run *run)
{
    static const pj_column columns[] = {
        {"culprit", "Culprit", "The rank that made others wait.", PJ_UNIT_IDENTIFIER, false},
        {"region", "Region", "What it did too long.", PJ_UNIT_NONE, PJ_TEXT},
        {"short_ns", "Short", "Waits of others for it.", PJ_UNIT_NS, false},
        {"long_ns", "Long", "Waits that these waits have led to.", PJ_UNIT_NS, false},
        {"cost_ns", "Cost", "Both.", PJ_UNIT_NS, false},
        {"share", "Share", "Of all waits.", PJ_UNIT_RATIO, false},
    };
    const pj_delays *delays = run->waits->delays;
    pj_table *table =
        new_table(run, "Who made ranks of %s wait", columns, sizeof columns / sizeof *columns);
    pj_delay *rows = pj_new_n(table->arena, pj_delay, delays->delay_count + 1);
    double all = delays->unattributed_ns;
    for (uint32_t i = 0; i < delays->delay_count; i++) {
        rows[i] = delays->delays[i];
        all += rows[i].short_ns + rows[i].long_ns;
    }
    if (delays->delay_count)
        qsort(rows, delays->delay_count, sizeof *rows, by_cost);
    for (uint32_t i = 0; i < delays->delay_count; i++) {
        double cost = rows[i].short_ns + rows[i].long_ns;
        pj_cell *cells = pj_table_add_row(table);
        bool apart = rows[i].culprit != PJ_CULPRIT_OTHERS;
        cells[0] = apart ? pj_cell_int(rows[i].culprit) : pj_cell_empty(small_causes);
        cells[1] = apart ? region_cell(delays, rows[i].region) : pj_cell_empty(small_causes);
        cells[2] = pj_cell_real(rows[i].short_ns);
        cells[3] = pj_cell_real(rows[i].long_ns);
        cells[4] = pj_cell_real(cost);
        cells[5] = share_cell(cost, all);
    }
    if (delays->unattributed_ns > 0) {
        static const char why[] = "no rank did anything longer than the one that waited";
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = cells[2] = cells[3] = pj_cell_empty(why);
        cells[1] = pj_cell_text("unattributed");
        cells[4] = pj_cell_real(delays->unattributed_ns);
        cells[5] = share_cell(delays->unattributed_ns, all);
    }
    table->note = note_of(run, table->arena);
    return table;
}

// The critical path

static int by_time(const void *a, const void *b)
{
    const pj_path_part *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static const char path_of_run[] =
    "What has led to the end of rank %u, which ends last: no other work bounds the runtime. Mean "
    "and "
    "imbalance are of the region, all ranks on the path together, and stand again in each of its "
    "rows.";
static const char path_of_ideal[] =
    "What has led to the end of rank %u, which ends last on the ideal network: this work bounds "
    "the runtime whatever the network, and no MPI is in it. Mean and imbalance are of the region, "
    "all ranks on the path together, and stand again in each of its rows.";
static const char region_of_path[] =
    " Of this path that part is told which lies in the region of interest.";

/// Where the path on the ideal network takes another time than the region does there, and what may
/// be lacking.
static const char *note_of_region(const pj_run *run, const pj_critical_path *path, bool ideal,
                                  pj_arena *arena)
{
    char text[32];
    const char *differs = "", *lost = "";
    double more = (double)path->length_ns - run->ideal.runtime_ns;
    pj_format_duration(fabs(more), text);
    if (ideal && more != 0)
        differs = pj_arena_format(arena,
                                  " It is %s %s than the region there, which begins and ends with "
                                  "the ranks that come last to its borders.",
                                  text, more > 0 ? "longer" : "shorter");
    if (ideal && path->lost)
        lost = " Parts may be lacking: who was waited for had gone on by too many calls.";
    return pj_arena_format(arena, "%s%s%s", region_of_path, differs, lost);
}

static void path_row(pj_table *table, const pj_run *run, pj_path_clock clock,
                     const pj_path_part *part)
{
    const pj_delays *delays = run->waits->delays;
    const pj_delay_region *region = &delays->regions[part->region];
    double mean = (double)region->time_ns[clock] / run->layout.ranks;
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = region_cell(delays, part->region);
    cells[1] = part->rank == PJ_CULPRIT_OTHERS
                   ? pj_cell_empty("ranks are not told apart where there are many")
                   : pj_cell_int(part->rank);
    cells[2] = pj_cell_int((int64_t)part->ns);
    cells[3] = share_cell((double)part->ns, (double)delays->paths[clock].length_ns);
    cells[4] = pj_cell_real(mean);
    cells[5] = pj_cell_real(fmax((double)region->path_ns[clock] - mean, 0));
}

/// What is left where a rank was waited for that had gone on too far.
static void path_rest(pj_table *table, const pj_run *run, const pj_critical_path *path,
                      uint64_t known)
{
    static const char why[] = "who was waited for had gone on by too many calls";
    static const char cut[] = "the replay stopped before";
    if (known >= path->length_ns)
        return;
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = pj_cell_text("not known");
    cells[1] = cells[4] = cells[5] = pj_cell_empty(run->waits->cut ? cut : why);
    cells[2] = pj_cell_int((int64_t)(path->length_ns - known));
    cells[3] = share_cell((double)(path->length_ns - known), (double)path->length_ns);
}

static pj_table *path_table(const pj_run *run, pj_path_clock clock)
{
    static const pj_column columns[] = {
        {"region", "Region", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"rank", "Rank", "That does it.", PJ_UNIT_IDENTIFIER, false},
        {"path_ns", "Path", "Of the critical path.", PJ_UNIT_NS, false},
        {"share", "Share", "Of the critical path.", PJ_UNIT_RATIO, false},
        {"mean_ns", "Mean of region", "What ranks do of it on average, without waits.", PJ_UNIT_NS,
         false},
        {"imbalance_ns", "Imbalance of region",
         "What all of the region on the path is longer than that average.", PJ_UNIT_NS, false},
    };
    const pj_critical_path *path = &run->waits->delays->paths[clock];
    pj_table *table =
        new_table(run,
                  clock == PJ_PATH_IDEAL ? "The critical path of %s on the ideal network"
                                         : "The critical path of %s",
                  columns, sizeof columns / sizeof *columns);
    pj_path_part *rows = pj_new_n(table->arena, pj_path_part, path->count + 1);
    uint64_t known = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        rows[i] = path->parts[i];
        known += rows[i].ns;
    }
    qsort(rows, path->count, sizeof *rows, by_time);
    for (uint32_t i = 0; i < path->count; i++)
        path_row(table, run, clock, &rows[i]);
    path_rest(table, run, path, known);
    table->note = pj_arena_format(
        table->arena, clock == PJ_PATH_IDEAL ? path_of_ideal : path_of_run, path->last_rank);
    if (run->roi.set)
        table->note =
            pj_arena_format(table->arena, "%s%s", table->note,
                            note_of_region(run, path, clock == PJ_PATH_IDEAL, table->arena));
    return table;
}

// What it costs

typedef struct impact_row {
    uint32_t region;
    pj_path_impact of;
} impact_row;

static int by_impact(const void *a, const void *b)
{
    const impact_row *x = a, *y = b;
    double left = (double)x->of.on_path_ns + x->of.imbalance_ns;
    double right = (double)y->of.on_path_ns + y->of.imbalance_ns;
    if (left != right)
        return left > right ? -1 : 1;
    if (x->of.off_path_ns != y->of.off_path_ns)
        return x->of.off_path_ns > y->of.off_path_ns ? -1 : 1;
    return (x->region > y->region) - (x->region < y->region);
}

static pj_table *impact_table(const pj_run *run, pj_path_clock clock)
{
    static const pj_column columns[] = {
        {"region", "Region", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"on_path_ns", "On the path", "What ranks do of it, up to what the path does.", PJ_UNIT_NS,
         false},
        {"imbalance_ns", "Imbalance costs", "Waits of ranks that do less of it than the path.",
         PJ_UNIT_NS, false},
        {"off_path_ns", "Off the path", "What ranks do of it beyond that.", PJ_UNIT_NS, false},
        {"share", "Share", "All three, of the path times the ranks.", PJ_UNIT_RATIO, false},
    };
    const pj_delays *delays = run->waits->delays;
    double whole = (double)delays->paths[clock].length_ns * run->layout.ranks;
    pj_table *table =
        new_table(run,
                  clock == PJ_PATH_IDEAL ? "What the critical path of %s costs on the ideal network"
                                         : "What the critical path of %s costs",
                  columns, sizeof columns / sizeof *columns);
    impact_row *rows = pj_new_n(table->arena, impact_row, delays->region_count + 1);
    size_t count = 0;
    for (uint32_t r = 0; r < delays->region_count; r++)
        if (delays->regions[r].path_ns[clock] || delays->regions[r].time_ns[clock])
            rows[count++] = (impact_row){r, delays->regions[r].impact[clock]};
    if (count)
        qsort(rows, count, sizeof *rows, by_impact);
    for (size_t i = 0; i < count; i++) {
        const pj_path_impact *of = &rows[i].of;
        double all = (double)of->on_path_ns + of->imbalance_ns + (double)of->off_path_ns;
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = region_cell(delays, rows[i].region);
        cells[1] = pj_cell_int((int64_t)of->on_path_ns);
        cells[2] = pj_cell_real(of->imbalance_ns);
        cells[3] = pj_cell_int((int64_t)of->off_path_ns);
        cells[4] = share_cell(all, whole);
    }
    table->note = run->roi.set
                      ? "All cells but shares are the time of all ranks in the region of interest. "
                        "What ranks wait there is put down to what the path does longer than they."
                      : "All cells but shares are the time of all ranks until the path ends. What "
                        "ranks wait, or lack at the end, is put down to what the path does longer "
                        "than they.";
    return table;
}

// Waits by function

typedef struct region_row {
    uint32_t region;
    unsigned pattern;
    pj_region_waits waits; // of the ideal network without instances
} region_row;

static int by_wait(const void *a, const void *b)
{
    const region_row *x = a, *y = b;
    if (x->waits.wait_ns != y->waits.wait_ns)
        return x->waits.wait_ns > y->waits.wait_ns ? -1 : 1;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

/// Patterns of regions that there are, the longest waits first.
static size_t rows_of(const pj_delays *delays, bool ideal, region_row *rows)
{
    size_t count = 0;
    for (uint32_t r = 0; r < delays->region_count; r++)
        for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++) {
            pj_region_waits waits = delays->regions[r].waits[p];
            if (ideal)
                waits = (pj_region_waits){.wait_ns = delays->regions[r].ideal_wait_ns[p]};
            if (waits.wait_ns)
                rows[count++] = (region_row){r, p, waits};
        }
    if (count)
        qsort(rows, count, sizeof *rows, by_wait);
    return count;
}

static double all_time(const pj_run *run, bool ideal)
{
    double ns = 0;
    for (uint32_t i = 0; i < run->layout.ranks; i++) {
        const pj_wait_rank *rank = &run->waits->ranks[i];
        ns += ideal ? run->ideal.runtime_ns
                    : (double)(rank->mpi_ns + rank->outside_ns + rank->end_ns);
    }
    return ns;
}

static const char of_measured[] = "single waits are told of the measured run";

static pj_table *region_table(const pj_run *run, bool ideal)
{
    static const pj_column columns[] = {
        {"pattern", "Pattern", "Why the call waited.", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Pattern", "Why the call waited.", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"region", "Region", "The function that made the call.", PJ_UNIT_NONE, PJ_TEXT},
        {"instances", "Instances", "Calls that waited.", PJ_UNIT_NONE, false},
        {"wait_ns", "Wait", NULL, PJ_UNIT_NS, false},
        {"share", "Share", "Of the runtime of all ranks.", PJ_UNIT_RATIO, false},
        {"max_ns", "Longest", NULL, PJ_UNIT_NS, false},
        {"at_ns", "Longest at", "When the longest one began.", PJ_UNIT_NS, false},
    };
    const pj_delays *delays = run->waits->delays;
    pj_table *table = new_table(
        run, ideal ? "Functions of %s that wait on the ideal network" : "Functions of %s that wait",
        columns, sizeof columns / sizeof *columns);
    double whole = all_time(run, ideal);
    region_row *rows =
        pj_new_n(table->arena, region_row, (size_t)delays->region_count * PJ_WAIT_PATTERNS + 1);
    size_t count = rows_of(delays, ideal, rows);
    for (size_t i = 0; i < count; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(pj_wait_pattern_rows[rows[i].pattern].key);
        cells[1] = pj_cell_text(pj_wait_pattern_rows[rows[i].pattern].title);
        cells[2] = region_cell(delays, rows[i].region);
        cells[3] =
            ideal ? pj_cell_empty(of_measured) : pj_cell_int((int64_t)rows[i].waits.instances);
        cells[4] = pj_cell_int((int64_t)rows[i].waits.wait_ns);
        cells[5] = share_cell((double)rows[i].waits.wait_ns, whole);
        cells[6] =
            ideal ? pj_cell_empty(of_measured) : pj_cell_int((int64_t)rows[i].waits.longest_ns);
        cells[7] =
            ideal ? pj_cell_empty(of_measured) : pj_cell_int((int64_t)rows[i].waits.longest_at_ns);
    }
    return table;
}

static bool has_ideal(const pj_run *run, pj_delays_by by, pj_err *err)
{
    const char *lacks = run->waits->delays->paths[PJ_PATH_IDEAL].lacks;
    if (by == PJ_DELAYS_COSTS)
        return pj_fail(err, PJ_E_MISSING, run->path, 0,
                       "delays are told of the measured run: leave out ideal");
    return !lacks || pj_fail(err, PJ_E_MISSING, run->path, 0,
                             "waits on the ideal network are not known: %s", lacks);
}

pj_table *pj_delays_table(const pj_run *run, pj_delays_by by, pj_path_clock clock, pj_err *err)
{
    if (!run->waits || !run->waits->delays) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                run->waits ? "it is not known who made ranks wait"
                           : "has no MPI events, hence no waits in MPI calls");
        return NULL;
    }
    if (clock == PJ_PATH_IDEAL && !has_ideal(run, by, err))
        return NULL;
    if (by == PJ_DELAYS_IMPACT && !run->waits->delays->paths[clock].has_impact) {
        pj_fail(err, PJ_E_MISSING, run->path, 0,
                "has too many ranks and functions to tell what each function costs each rank");
        return NULL;
    }
    switch (by) {
    case PJ_DELAYS_COSTS:
        return costs_table(run);
    case PJ_DELAYS_PATH:
        return path_table(run, clock);
    case PJ_DELAYS_IMPACT:
        return impact_table(run, clock);
    case PJ_DELAYS_REGION:
        return region_table(run, clock == PJ_PATH_IDEAL);
    }
    return NULL;
}
