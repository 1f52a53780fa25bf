// Clusters of bursts as rows.
#include "metrics/run/parts/bursts_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/run_table.h"

static const char no_counters[] = "the trace has no counters of instructions and cycles";
static const char many_ranks[] = "ranks are counted up to 64";

static const pj_column columns[] = {
    {"cluster", "Cluster", "From 1, the one that takes longest.", PJ_UNIT_IDENTIFIER, false},
    {"bursts", "Bursts", "Of all threads.", PJ_UNIT_NONE, false},
    {"ranks", "Ranks", "That have such bursts.", PJ_UNIT_NONE, false},
    {"time_ns", "Time", "Sum over bursts.", PJ_UNIT_NS, false},
    {"share", "Share", "Of the useful time of all bursts.", PJ_UNIT_RATIO, false},
    {"mean_ns", "Mean", "Time / bursts.", PJ_UNIT_NS, false},
    {"instructions", "Instructions", "Sum over bursts.", PJ_UNIT_NONE, false},
    {"ipc", "IPC", "Instructions per cycle.", PJ_UNIT_RATIO, false},
    {"function", "Function", "Of the program, that most of the time is spent in.", PJ_UNIT_NONE,
     PJ_TEXT},
    {"position", "Position", "Mean place among the bursts of a thread: 0 the first, 1 the last.",
     PJ_UNIT_RATIO, false},
};

/// All time that was looked at.
static double time_of(const pj_burst_clusters *bursts)
{
    double time = (double)bursts->noise.time_ns + (double)bursts->shorter.time_ns;
    for (uint32_t i = 0; i < bursts->count; i++)
        time += (double)bursts->clusters[i].time_ns;
    return time;
}

static void fill(const pj_run *run, uint32_t index, pj_cell *cell)
{
    const pj_burst_sum *sum = &run->bursts->clusters[index];
    bool many = run->layout.ranks > PJ_BURST_RANKS, timed = run->bursts->timed;
    *cell++ = pj_cell_int(index + 1);
    *cell++ = pj_cell_int((int64_t)sum->bursts);
    *cell++ = many ? pj_cell_empty(many_ranks)
                   : pj_cell_int(__builtin_popcountll((unsigned long long)sum->ranks));
    *cell++ = pj_cell_int((int64_t)sum->time_ns);
    *cell++ = pj_cell_real((double)sum->time_ns / time_of(run->bursts));
    *cell++ = pj_cell_real((double)sum->time_ns / (double)sum->bursts);
    *cell++ = timed ? pj_cell_empty(no_counters) : pj_cell_int((int64_t)sum->instructions);
    *cell++ = timed ? pj_cell_empty(no_counters)
                    : pj_cell_real((double)sum->instructions / (double)sum->cycles);
    const char *function = run->bursts->functions[index].name;
    *cell++ =
        function ? pj_cell_text(function) : pj_cell_empty("no function of the program is known");
    *cell = pj_cell_real(pj_burst_position(sum, run->bursts->order));
}

/// " 5 bursts, 19.1 % of the time, are alone."; nothing where there are none.
static const char *rest_of(const pj_burst_sum *sum, const char *what, double whole, pj_arena *arena)
{
    if (!sum->bursts)
        return "";
    return pj_arena_format(arena, " %llu burst%s, %.1f %% of the time, %s.",
                           (unsigned long long)sum->bursts, sum->bursts == 1 ? "" : "s",
                           whole > 0 ? 100 * (double)sum->time_ns / whole : 0, what);
}

static const char *note_of(const pj_run *run, pj_arena *arena)
{
    const pj_burst_clusters *b = run->bursts;
    double whole = time_of(b);
    return pj_arena_format(
        arena,
        "Bursts of computation whose %s: those of the longest that make up 95 %% of useful "
        "time.%s%s%s%s",
        b->timed ? "durations are alike, as the trace has no counters of instructions and cycles"
                 : "instructions and IPC are alike",
        rest_of(&b->noise, "are like no other", whole, arena),
        rest_of(&b->shorter, "are shorter", whole, arena),
        b->timed ? "" : rest_of(&b->unread, "have no readings of their own", whole, arena),
        b->cut ? " Bursts that the region of interest cuts are left out." : "");
}

pj_table *pj_bursts_table(const pj_run *run, pj_err *err)
{
    const char *lack = pj_run_lacks_states(run);
    if (lack || !run->bursts) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                lack ? lack : "nobody has looked for bursts");
        return NULL;
    }
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Clusters of bursts of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (uint32_t i = 0; i < run->bursts->count; i++)
        fill(run, i, pj_table_add_row(table));
    table->note = note_of(run, table->arena);
    return table;
}
