// Tables of waits; their numbers are those of DEFINITIONS 9.
#include "metrics/run/waits/waits_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/ideal_waits.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/wait_causes.h"
#include "metrics/run/waits/wait_places.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>

/// What tells the rows of a table of sums apart.
enum { OF_RANK = 1, OF_CULPRIT = 2, OF_CALL = 4 };

static const unsigned parts_of[] = {
    [PJ_WAITS_PATTERN] = 0,
    [PJ_WAITS_CULPRIT] = OF_CULPRIT,
    [PJ_WAITS_PAIR] = OF_RANK | OF_CULPRIT,
    [PJ_WAITS_CALL] = OF_CALL,
};

static const pj_column pattern_columns[] = {
    {"pattern", "Pattern", "Why the call waited.", PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"title", "Pattern", "Why the call waited.", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
};
static const pj_column rank_column = {"rank", "Rank", "That waited.", PJ_UNIT_IDENTIFIER, false};
static const pj_column culprit_column = {"culprit", "Culprit", "The rank that it waited for.",
                                         PJ_UNIT_IDENTIFIER, false};
static const pj_column call_column = {"call", "Call", NULL, PJ_UNIT_NONE, PJ_TEXT};
static const pj_column sum_columns[] = {
    {"instances", "Instances", "Calls that waited.", PJ_UNIT_NONE, false},
    {"wait_ns", "Wait", NULL, PJ_UNIT_NS, false},
    {"share", "Share", "Of the runtime of all ranks.", PJ_UNIT_RATIO, false},
    {"max_ns", "Longest", NULL, PJ_UNIT_NS, false},
    {"at_ns", "Longest at", "When the longest one began.", PJ_UNIT_NS, false},
};
static const pj_column completion_column = {"completion_ns", "Completion",
                                            "From when all were there and the first one left until "
                                            "calls ended: transfer, no wait. Of early "
                                            "waits: after the last operation of the origin.",
                                            PJ_UNIT_NS, false};
static const pj_column ideal_columns[] = {
    {"wait_ns", "Wait", NULL, PJ_UNIT_NS, false},
    {"share", "Share", "Of the ideal runtime of all ranks.", PJ_UNIT_RATIO, false},
};
enum {
    SUM_COLUMNS = sizeof sum_columns / sizeof *sum_columns,
    IDEAL_COLUMNS = sizeof ideal_columns / sizeof *ideal_columns,
    SHARE_DECIMALS = 4
};

static const char many_culprits[] = "one of very many ranks";
static const char no_longest[] = "the summary of this many ranks leaves it out";

/// For titles.
static const char *where(const pj_run *run)
{
    return run->waits->ideal ? " on the ideal network" : "";
}

/// ns of all ranks.
static double whole_of(const pj_run *run)
{
    double ns = 0;
    for (uint32_t i = 0; i < run->layout.ranks; i++) {
        const pj_wait_rank *rank = &run->waits->ranks[i];
        ns += (double)(rank->mpi_ns + rank->outside_ns + rank->end_ns) - (double)rank->ahead_ns;
    }
    return ns;
}

static pj_cell share_cell(double ns, double whole)
{
    return whole > 0 ? pj_cell_real(ns / whole) : pj_cell_empty("the run has no runtime");
}

static const char *call_name(pj_mpi_call call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    return row ? row->name : "unknown MPI call";
}

static pj_wait_sum key_of(const pj_wait_sum *sum, unsigned parts)
{
    pj_wait_sum key = *sum;
    if (!(parts & OF_RANK))
        key.rank = 0;
    if (!(parts & OF_CULPRIT))
        key.culprit = 0;
    if (!(parts & OF_CALL))
        key.call = PJ_MPI_NONE;
    return key;
}

static int by_wait(const void *a, const void *b)
{
    const pj_wait_sum *x = a, *y = b;
    if (x->wait_ns != y->wait_ns)
        return x->wait_ns > y->wait_ns ? -1 : 1;
    return pj_wait_sum_order(a, b);
}

static void add(pj_wait_sum *to, const pj_wait_sum *sum)
{
    to->instances += sum->instances;
    to->wait_ns += sum->wait_ns;
    to->unknown_ns = sum->unknown_ns > to->unknown_ns ? sum->unknown_ns : to->unknown_ns;
    pj_wait_sum_keep_longest(to, sum->longest_ns, sum->longest_at_ns);
}

/// The sums with equal keys as one, the longest waits first; those of other clocks are left out.
static uint32_t fold(const pj_waits *waits, unsigned parts, pj_wait_sum *out)
{
    uint32_t keys = 0, count = 0;
    for (uint32_t i = 0; i < waits->sum_count; i++)
        if (waits->sums[i].instances || waits->sums[i].wait_ns)
            out[keys++] = key_of(&waits->sums[i], parts);
    if (keys)
        qsort(out, keys, sizeof *out, pj_wait_sum_order);
    for (uint32_t i = 0; i < keys; i++)
        if (count && pj_wait_sum_order(&out[count - 1], &out[i]) == 0)
            add(&out[count - 1], &out[i]);
        else
            out[count++] = out[i];
    if (count)
        qsort(out, count, sizeof *out, by_wait);
    return count;
}

static void fill(pj_cell *cell, const pj_wait_sum *sum, unsigned parts, double whole, bool ideal)
{
    *cell++ = pj_cell_text(pj_wait_pattern_rows[sum->pattern].key);
    *cell++ = pj_cell_text(pj_wait_pattern_rows[sum->pattern].title);
    if (parts & OF_RANK)
        *cell++ = pj_cell_int(sum->rank);
    if (parts & OF_CULPRIT)
        *cell++ = sum->culprit == PJ_CULPRIT_OTHERS ? pj_cell_empty(many_culprits)
                                                    : pj_cell_int(sum->culprit);
    if (parts & OF_CALL)
        *cell++ = pj_cell_text(call_name(sum->call));
    if (!ideal)
        *cell++ = pj_cell_int((int64_t)sum->instances);
    *cell++ = pj_cell_int((int64_t)sum->wait_ns);
    *cell++ = share_cell((double)sum->wait_ns, whole);
    if (ideal)
        return;
    bool left_out = sum->unknown_ns > sum->longest_ns;
    *cell++ = left_out ? pj_cell_empty(no_longest) : pj_cell_int((int64_t)sum->longest_ns);
    *cell = left_out ? pj_cell_empty(no_longest) : pj_cell_int((int64_t)sum->longest_at_ns);
}

static pj_cell completion_cell(const pj_waits *waits, pj_wait_pattern pattern)
{
    if (pattern == PJ_WAIT_early_wait)
        return pj_cell_int((int64_t)waits->late_complete_ns);
    return pattern == PJ_WAIT_barrier_wait || pattern == PJ_WAIT_wait_at_nxn
               ? pj_cell_int((int64_t)waits->completion_ns[pattern])
               : pj_cell_empty("barriers, collectives from all to all and windows are completed");
}

static pj_table *table_of_sums(const pj_run *run, unsigned parts)
{
    pj_table *table = pj_table_new("");
    bool ideal = run->waits->ideal;
    table->title =
        pj_arena_format(table->arena, "Waits in MPI calls of %s%s", run->name, where(run));
    pj_table_add_column(table, pattern_columns[0]);
    pj_table_add_column(table, pattern_columns[1]);
    if (parts & OF_RANK)
        pj_table_add_column(table, rank_column);
    if (parts & OF_CULPRIT)
        pj_table_add_column(table, culprit_column);
    if (parts & OF_CALL)
        pj_table_add_column(table, call_column);
    for (size_t c = 0; c < (ideal ? IDEAL_COLUMNS : SUM_COLUMNS); c++)
        pj_table_add_column(table, ideal ? ideal_columns[c] : sum_columns[c]);
    pj_table_set_decimals(table, (size_t)pj_table_column(table, PJ_S("share")), SHARE_DECIMALS);
    pj_wait_sum *rows = pj_new_n(table->arena, pj_wait_sum, run->waits->sum_count + 1);
    uint32_t count = fold(run->waits, parts, rows);
    bool completes = parts == 0 && !ideal;
    if (completes)
        pj_table_add_column(table, completion_column);
    for (uint32_t i = 0; i < count; i++) {
        pj_cell *cells = pj_table_add_row(table);
        fill(cells, &rows[i], parts, whole_of(run), ideal);
        if (completes)
            cells[table->column_count - 1] = completion_cell(run->waits, rows[i].pattern);
    }
    return table;
}

// All time of the ranks

static void add_part(pj_table *table, const char *key, const char *title, int64_t ns, double whole)
{
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = pj_cell_text(key);
    cells[1] = pj_cell_text(title);
    cells[2] = pj_cell_int(ns);
    cells[3] = share_cell((double)ns, whole);
}

static pj_wait_rank all_ranks(const pj_run *run)
{
    pj_wait_rank all = {.mpi_ns = 0};
    for (uint32_t i = 0; i < run->layout.ranks; i++) {
        const pj_wait_rank *rank = &run->waits->ranks[i];
        all.mpi_ns += rank->mpi_ns;
        all.wait_ns += rank->wait_ns;
        all.outside_ns += rank->outside_ns;
        all.end_ns += rank->end_ns;
        all.ahead_ns += rank->ahead_ns;
    }
    return all;
}

static pj_table *account_table(const pj_run *run)
{
    static const pj_column columns[] = {
        {"part", "Part", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "What ranks do", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"time_ns", "Time", "Of all ranks.", PJ_UNIT_NS, false},
        {"share", "Share", "Of the runtime of all ranks.", PJ_UNIT_RATIO, false},
    };
    pj_table *table = pj_table_new("");
    pj_wait_rank all = all_ranks(run);
    double whole = whole_of(run);
    table->title = pj_arena_format(table->arena, "Where the time of the ranks of %s goes%s",
                                   run->name, where(run));
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        pj_table_add_column(table, columns[c]);
    pj_table_set_decimals(table, 3, SHARE_DECIMALS);
    pj_wait_sum *rows = pj_new_n(table->arena, pj_wait_sum, run->waits->sum_count + 1);
    uint32_t count = fold(run->waits, 0, rows);
    add_part(table, "outside_mpi", "Outside MPI", (int64_t)all.outside_ns, whole);
    for (uint32_t i = 0; i < count; i++) {
        const pj_wait_pattern_row *row = &pj_wait_pattern_rows[rows[i].pattern];
        add_part(table, row->key, row->title, (int64_t)rows[i].wait_ns, whole);
    }
    if (!run->waits->ideal)
        add_part(table, "transfer", "Transfer: the rest of MPI",
                 (int64_t)(all.mpi_ns - all.wait_ns), whole);
    add_part(table, "end", "After the last event of a rank", (int64_t)all.end_ns, whole);
    if (all.ahead_ns)
        add_part(table, "begin", "Before the last rank has come", -(int64_t)all.ahead_ns, whole);
    return table;
}

static const char rank_key[] = "rank", outside_key[] = "outside_mpi_ns", end_key[] = "end_ns",
                  caused_key[] = "caused_ns";

bool pj_waits_is_in_mpi(pj_str column)
{
    const char *const others[] = {rank_key, outside_key, end_key, caused_key};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pj_str_equal(column, pj_str_of(others[i])))
            return false;
    return true;
}

static void add_time(pj_table *table, const char *key, const char *title)
{
    pj_table_add_column(table, (pj_column){.key = key, .title = title, .unit = PJ_UNIT_NS});
}

/// Columns of the patterns that a run has; where each of them is.
static void add_patterns(pj_table *table, const pj_waits *waits, size_t places[PJ_WAIT_PATTERNS])
{
    for (unsigned k = 0; k < PJ_WAIT_PATTERNS; k++) {
        bool there = false;
        for (uint32_t i = 0; i < waits->sum_count && !there; i++)
            there = waits->sums[i].pattern == k && waits->sums[i].wait_ns > 0;
        places[k] = table->column_count;
        if (there)
            add_time(table, pj_arena_format(table->arena, "%s_ns", pj_wait_pattern_rows[k].key),
                     pj_wait_pattern_rows[k].title);
    }
}

pj_table *pj_waits_ranks(const pj_run *run)
{
    const pj_waits *waits = run->waits;
    size_t places[PJ_WAIT_PATTERNS], columns;
    pj_table *table = pj_table_new("");
    table->title =
        pj_arena_format(table->arena, "Waits of each rank of %s%s", run->name, where(run));
    pj_table_add_column(table, (pj_column){rank_key, "Rank", NULL, PJ_UNIT_IDENTIFIER, false});
    add_time(table, outside_key, "Outside MPI");
    add_patterns(table, waits, places);
    if (!waits->ideal)
        add_time(table, "transfer_ns", "Transfer");
    add_time(table, end_key, "End");
    add_time(table, caused_key, "Waits of others for it");
    columns = table->column_count;
    for (uint32_t i = 0; i < run->layout.ranks; i++) {
        pj_cell *cells = pj_table_add_row(table);
        const pj_wait_rank *rank = &waits->ranks[i];
        for (size_t c = 0; c < columns; c++)
            cells[c] = pj_cell_int(0);
        cells[0] = pj_cell_int(i);
        cells[1] = pj_cell_int((int64_t)rank->outside_ns);
        if (!waits->ideal)
            cells[columns - 3] = pj_cell_int((int64_t)(rank->mpi_ns - rank->wait_ns));
        cells[columns - 2] = pj_cell_int((int64_t)rank->end_ns);
    }
    for (uint32_t i = 0; i < waits->sum_count; i++) {
        const pj_wait_sum *sum = &waits->sums[i];
        if (sum->wait_ns == 0)
            continue;
        pj_table_cell(table, sum->rank, places[sum->pattern])->integer += (int64_t)sum->wait_ns;
        if (sum->culprit < run->layout.ranks)
            pj_table_cell(table, sum->culprit, columns - 1)->integer += (int64_t)sum->wait_ns;
    }
    return table;
}

// What they cost

static pj_cell culprit_of_cause(uint32_t culprit)
{
    if (culprit == PJ_NO_CULPRIT)
        return pj_cell_empty("no rank alone");
    return culprit == PJ_CULPRIT_OTHERS ? pj_cell_empty("several ranks") : pj_cell_int(culprit);
}

static pj_table *causes_table(const pj_run *run, bool culprits)
{
    const pj_column columns[] = {
        {"metric", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"cause", "Cause", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"metric_title", "Lost to", "The efficiency.", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"cause_title", "Cause", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        culprit_column,
        {"loss_ns", "Loss", "Of all ranks.", PJ_UNIT_NS, false},
        {"loss", "Of the run", "Part of the runtime of all ranks.", PJ_UNIT_RATIO, false},
    };
    enum { CULPRIT = 4 };
    pj_table *table = pj_table_new("");
    uint32_t count;
    bool begins = false;
    const pj_wait_cause *causes =
        culprits ? pj_wait_causes_by_culprit(run, table->arena, &count)
                 : pj_wait_causes(run, PJ_WORK_OUTSIDE, PJ_WORK_OUTSIDE, table->arena, &count);
    table->title = pj_arena_format(table->arena, "What the waits of %s cost", run->name);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        if (culprits || c != CULPRIT)
            pj_table_add_column(table, columns[c]);
    for (uint32_t i = 0; i < count; i++) {
        pj_cell *cell = pj_table_add_row(table);
        *cell++ = pj_cell_text(causes[i].metric);
        *cell++ = pj_cell_text(causes[i].cause);
        *cell++ = pj_cell_text(causes[i].metric_title);
        *cell++ = pj_cell_text(causes[i].cause_title);
        if (culprits)
            *cell++ = culprit_of_cause(causes[i].culprit);
        *cell++ = pj_cell_real(causes[i].loss_ns);
        *cell = share_cell(causes[i].loss_ns, whole_of(run));
        begins |= strcmp(causes[i].cause, "begin") == 0;
    }
    pj_table_set_decimals(table, (size_t)pj_table_column(table, PJ_S("loss")), SHARE_DECIMALS);
    table->note =
        "A wait does not tell whether too little work or the order of the work has caused it: the "
        "losses in load balance and serialisation share the waits of each rank in proportion.";
    if (begins)
        table->note = pj_arena_format(table->arena, "%s %s", table->note, pj_wait_begin_note);
    return table;
}

static bool is_of_causes(pj_waits_by by)
{
    return by == PJ_WAITS_CAUSES || by == PJ_WAITS_BLAMES;
}

static pj_table *table_by(const pj_run *run, pj_waits_by by)
{
    switch (by) {
    case PJ_WAITS_ACCOUNT:
        return account_table(run);
    case PJ_WAITS_RANK:
        return pj_waits_ranks(run);
    case PJ_WAITS_CAUSES:
    case PJ_WAITS_BLAMES:
        return causes_table(run, by == PJ_WAITS_BLAMES);
    case PJ_WAITS_PATTERN:
    case PJ_WAITS_CULPRIT:
    case PJ_WAITS_PAIR:
    case PJ_WAITS_CALL:
        break;
    }
    return table_of_sums(run, parts_of[by]);
}

static void add_note(pj_table *table, const char *note)
{
    table->note = table->note ? pj_arena_format(table->arena, "%s\n%s", table->note, note) : note;
}

/// "late sender 3, wait at barrier 1" of those that contradict.
static const char *contradictions_by(const pj_waits *waits, pj_arena *arena)
{
    const char *text = "";
    for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++)
        if (waits->contradictions_of[p])
            text = pj_arena_format(arena, "%s%s%s %llu", text, *text ? ", " : "",
                                   pj_wait_pattern_rows[p].title,
                                   (unsigned long long)waits->contradictions_of[p]);
    return text;
}

static void note_contradictions(const pj_waits *waits, pj_table *table)
{
    char worst[32];
    if (!waits->contradictions)
        return;
    const char *by = contradictions_by(waits, table->arena);
    pj_format_duration((double)waits->contradiction_ns, worst);
    add_note(table,
             pj_arena_format(table->arena,
                             "Clocks disagree: %llu call%s ended before what %s waited for had "
                             "begun (worst by %s%s%s); %s with %s.",
                             (unsigned long long)waits->contradictions,
                             waits->contradictions == 1 ? "" : "s",
                             waits->contradictions == 1 ? "it" : "they", worst, *by ? "; " : "", by,
                             waits->contradictions == 1 ? "this wait ends" : "these waits end",
                             waits->contradictions == 1 ? "it" : "their calls"));
}

static void note_completion(const pj_waits *waits, pj_table *table)
{
    char barriers[32], others[32];
    uint64_t ns = waits->completion_ns[PJ_WAIT_barrier_wait];
    uint64_t more = waits->completion_ns[PJ_WAIT_wait_at_nxn];
    if (waits->ideal || ns + more == 0)
        return;
    pj_format_duration((double)ns, barriers);
    pj_format_duration((double)more, others);
    add_note(table, pj_arena_format(table->arena,
                                    "Of transfer, barriers took %s and collectives from all to all "
                                    "%s to end once all were there and the first one had left.",
                                    barriers, others));
}

/// On the ideal network ranks do not come to a region of interest at one time.
static void note_ahead(const pj_run *run, pj_table *table)
{
    char ahead[32];
    uint64_t most = 0;
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        most = run->waits->ranks[i].ahead_ns > most ? run->waits->ranks[i].ahead_ns : most;
    if (!most)
        return;
    pj_format_duration((double)most, ahead);
    add_note(table, pj_arena_format(table->arena,
                                    "On the ideal network ranks come to the region of interest up "
                                    "to %s before the last one, with which it begins: their time "
                                    "in it is so much longer.",
                                    ahead));
}

static bool has_waits(const pj_run *run, pj_err *err)
{
    return run->waits || pj_fail(err, PJ_E_MISSING, run->path, 0,
                                 "has no MPI events, hence no waits in MPI calls");
}

pj_table *pj_waits_worst(const pj_run *run, uint64_t most, pj_err *err)
{
    if (!has_waits(run, err))
        return NULL;
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "The longest waits of %s", run->name);
    pj_table_add_column(table, pattern_columns[0]);
    pj_table_add_column(table, pattern_columns[1]);
    pj_table_add_column(table, rank_column);
    pj_table_add_column(table, culprit_column);
    pj_table_add_column(table, call_column);
    pj_table_add_column(table, (pj_column){"wait_ns", "Wait", NULL, PJ_UNIT_NS, false});
    pj_table_add_column(table, (pj_column){"at_ns", "At", "When it began.", PJ_UNIT_NS, false});
    pj_table_add_column(table, (pj_column){"range", "Range", "Of the timeline (--range) around it.",
                                           PJ_UNIT_NONE, PJ_TEXT});
    for (uint32_t i = 0; i < run->waits->worst_count && i < most; i++) {
        const pj_one_wait *wait = &run->waits->worst[i];
        pj_cell *cell = pj_table_add_row(table);
        *cell++ = pj_cell_text(pj_wait_pattern_rows[wait->pattern].key);
        *cell++ = pj_cell_text(pj_wait_pattern_rows[wait->pattern].title);
        *cell++ = pj_cell_int(wait->rank);
        *cell++ = pj_cell_int(wait->culprit);
        *cell++ = pj_cell_text(call_name(wait->call));
        *cell++ = pj_cell_int((int64_t)wait->ns);
        *cell++ = pj_cell_int((int64_t)wait->begin);
        *cell = pj_cell_text(
            pj_wait_place_text(pj_wait_place_around(run, wait->begin, wait->ns), table->arena));
    }
    return table;
}

pj_table *pj_waits_table(const pj_run *run, pj_waits_by by, pj_err *err)
{
    if (!has_waits(run, err))
        return NULL;
    if (is_of_causes(by) && !run->waits->has_ideal) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "what the waits cost is not known: %s",
                run->waits->ideal_lacks);
        return NULL;
    }
    pj_table *table = table_by(run, by);
    if (by == PJ_WAITS_ACCOUNT)
        note_completion(run->waits, table);
    if (by == PJ_WAITS_ACCOUNT && run->has_openmp && run->layout.locations > run->layout.ranks)
        add_note(table, "Of first threads: --threads tells what threads of OpenMP wait for.");
    if (pj_wait_others_call(run))
        add_note(table, "Other threads call MPI too: what they wait for in it is not told.");
    note_contradictions(run->waits, table);
    if (run->waits->locks_unknown)
        add_note(table,
                 "Waits for locks of windows are not known: the trace does not say which window "
                 "and target a call locks. They count as transfer.");
    if (run->waits->cut)
        add_note(table,
                 "The replay stopped before the end: waits of the calls that it has not come "
                 "to are not known, their time counts as transfer.");
    return table;
}

pj_table *pj_waits_ideal_table(const pj_run *run, pj_waits_by by, pj_err *err)
{
    if (!has_waits(run, err))
        return NULL;
    if (is_of_causes(by) || !run->waits->has_ideal) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "%s%s",
                is_of_causes(by) ? "causes are told of both clocks at once: leave out ideal"
                                 : "waits on the ideal network are not known: ",
                is_of_causes(by) ? "" : run->waits->ideal_lacks);
        return NULL;
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run there = *run; // borrows all but its waits
    there.waits = pj_ideal_waits(run, arena);
    pj_table *table = table_by(&there, by);
    if (by == PJ_WAITS_ACCOUNT || by == PJ_WAITS_RANK)
        note_ahead(&there, table);
    return table;
}
