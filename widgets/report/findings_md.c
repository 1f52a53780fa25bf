// The findings of a report in words.
// A sentence stands here once: advice with the metric that it is about, values where they first
// matter, what mending brings in summary and conclusions.
#include "widgets/report/findings_md.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/findings.h"
#include "metrics/pop/losses.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/run/sums.h"
#include "metrics/table/table.h"
#include "metrics/trace/import_stats.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/escape.h"
#include "widgets/table/definitions.h"

#include <math.h>
#include <string.h>

static const double CLOSE = 0.8; // of the largest loss: worth a word beside it

typedef struct writer {
    const pj_metrics *metrics;
    const struct topic *topic;
    const pj_table *found; // NULL = not known
    size_t last;           // the run with most threads
    pj_arena *arena;
    pj_buf *out;
} writer;

typedef struct topic {
    const char *name;
    void (*write)(const writer *w);
    const char *words[5]; // the topic's rows are those whose key holds one of them
} topic;

static void add(const writer *w, const char *before, const char *text, const char *after)
{
    pj_buf_puts(w->out, before);
    pj_escape_md(w->out, pj_str_of(text));
    pj_buf_puts(w->out, after);
}

static const char *layout_of(const writer *w, size_t run)
{
    return pj_study_key_text(w->metrics->study, run, PJ_BY_LAYOUT);
}

static const char *fixed(const writer *w, double value, int decimals)
{
    char text[32];
    pj_format_fixed(value, decimals, text);
    return pj_arena_text(w->arena, pj_str_of(text));
}

static const char *percent(const writer *w, double share)
{
    return pj_arena_format(w->arena, "%s %%", fixed(w, 100 * share, 1));
}

static const char *duration(const writer *w, double ns)
{
    char text[32];
    pj_format_duration(ns, text);
    return pj_arena_text(w->arena, pj_str_of(text));
}

// Summary

/// Global efficiency is the useful time of the reference run over the core time of this one.
static void add_meaning_of_top(const writer *w, const pj_finding *top)
{
    const pj_study *study = w->metrics->study;
    const char *key = w->metrics->set->rows[top->row].key;
    const char *reference = layout_of(w, study->reference);
    const char *scaled = study->scaling == PJ_SCALING_WEAK ? ", scaled to its size," : "";
    if (strcmp(key, "global_efficiency") != 0 || w->last == study->reference)
        return;
    if (top->value < 1)
        pj_buf_addf(
            w->out,
            " The useful time of the reference run (%s)%s is %s of the core time of this run.",
            reference, scaled, percent(w, top->value));
    else
        pj_buf_addf(w->out,
                    " It is not below 1: it takes no more core time than the useful time of the "
                    "reference run (%s)%s.",
                    reference, *scaled ? ", scaled to its size" : "");
}

static void add_loss(const writer *w, const pj_loss *loss)
{
    add(w, "", pj_findings_title(w->metrics, loss->row, w->arena), "");
    pj_buf_addf(w->out, " (%s), %s of the runtime", fixed(w, loss->value, 3),
                percent(w, loss->share));
    double hours = loss->core_ns / 3.6e12;
    pj_column_text form = pj_column_text_fit(PJ_UNIT_CORE_HOURS, &hours, 1);
    pj_buf_puts(w->out, " or ");
    pj_column_text_number(w->out, form, hours);
    pj_buf_addf(w->out, " %s", form.unit);
}

/// The largest loss and those close to it.
static void add_losses(const writer *w, const pj_losses *losses)
{
    size_t close = 1;
    while (close < losses->count && losses->items[close].share >= CLOSE * losses->items[0].share)
        close++;
    pj_buf_puts(w->out, w->found ? "- The costliest efficiency is " : "- What costs most is ");
    add_loss(w, &losses->items[0]);
    for (size_t i = 1; i < close; i++) {
        pj_buf_puts(w->out, i > 1 ? "; " : ". Nearly as much: ");
        add_loss(w, &losses->items[i]);
    }
    pj_buf_puts(w->out, ".\n");
}

static const char *text_of(const pj_table *table, const char *key)
{
    int column = pj_table_column(table, pj_str_of(key));
    const pj_cell *cell = column < 0 ? NULL : pj_table_cell(table, 0, (size_t)column);
    return cell && cell->kind == PJ_CELL_TEXT ? cell->text : NULL;
}

/// Whether the first fault says what it is, where, and what mending it brings.
static bool is_found(const pj_table *found)
{
    return found && found->row_count && pj_table_column(found, PJ_S("share")) >= 0 &&
           text_of(found, "title") && text_of(found, "where");
}

/// What a replay says of a whole run comes before what its efficiencies hint at.
static void add_found(const writer *w)
{
    size_t column = (size_t)pj_table_column(w->found, PJ_S("share"));
    double brings = pj_cell_number(*pj_table_cell(w->found, 0, column));
    add(w, "- What costs most is ", text_of(w->found, "title"), "");
    add(w, " (", text_of(w->found, "where"), ")");
    pj_buf_addf(w->out, ": mending it would bring %s of the run.\n", percent(w, brings));
}

/// "1.503 instructions per cycle, 2.738 GHz": of useful computation.
static void add_computation(const writer *w, const pj_sums *sums)
{
    const char *between = "- Useful computation runs at ";
    if (sums->instructions > 0 && sums->cycles > 0) {
        pj_buf_addf(w->out, "%s%s instructions per cycle", between,
                    fixed(w, sums->instructions / sums->cycles, 3));
        between = " and ";
    }
    if (sums->cycles > 0 && sums->useful_sum > 0) {
        pj_buf_addf(w->out, "%s%s GHz", between, fixed(w, sums->cycles / sums->useful_sum, 3));
        between = " and ";
    }
    if (strcmp(between, " and ") == 0)
        pj_buf_puts(w->out, ".\n");
}

/// The functions that take most, up to three that take 1 % or more.
static void add_calls(const writer *w, const pj_mpi_use *use, double core_ns)
{
    enum { MOST = 3 };
    const double least = 0.01;
    const pj_mpi_sum *before = NULL;
    for (unsigned n = 0; n < MOST; n++) {
        const pj_mpi_sum *next = NULL;
        for (const pj_mpi_sum *s = use->sums; s < use->sums + use->count; s++) {
            bool told = before && (s->time_ns > before->time_ns ||
                                   (s->time_ns == before->time_ns && s <= before));
            if (!told && (!next || s->time_ns > next->time_ns))
                next = s;
        }
        if (!next || (double)next->time_ns < least * core_ns)
            return;
        add(w, n ? ", " : ", most of it ", next->name, "");
        pj_buf_addf(w->out, " (%s)", percent(w, (double)next->time_ns / core_ns));
        before = next;
    }
}

static void add_mpi(const writer *w, const pj_run *run, const pj_sums *sums)
{
    const pj_mpi_use *use = run->mpi_use;
    double core_ns = sums->runtime * sums->threads, time = 0, calls = 0;
    if (!run->has_mpi || !use || !(core_ns > 0))
        return;
    for (uint32_t i = 0; i < use->count; i++) {
        time += (double)use->sums[i].time_ns;
        calls += (double)use->sums[i].calls;
    }
    pj_buf_addf(w->out, "- MPI takes %s of the core time", percent(w, time / core_ns));
    add_calls(w, use, core_ns);
    double seconds = sums->runtime / 1e9;
    char each_second[3][32];
    const double amounts[] = {calls, (double)use->messages};
    for (size_t i = 0; i < 2; i++)
        pj_format_grouped((int64_t)(amounts[i] / seconds), each_second[i]);
    pj_format_bytes((uint64_t)((double)use->bytes / seconds), each_second[2]);
    pj_buf_addf(w->out, "; %s calls, %s messages and %s a second.\n", each_second[0],
                each_second[1], each_second[2]);
}

/// Of one run, which is compared with nothing.
static void add_figures(const writer *w, const pj_run *run)
{
    pj_sums sums = pj_sums_of(run);
    add_computation(w, &sums);
    add_mpi(w, run, &sums);
}

static bool is_cut(const pj_study *study, size_t run)
{
    return pj_import_cut(&study->cases[run].run->import);
}

/// What stands above the table, as numbers of such a study are not what they seem.
static void add_cautions(const writer *w)
{
    const pj_metrics *metrics = w->metrics;
    const pj_study *study = metrics->study;
    for (size_t i = 0; i < metrics->urgent; i++)
        add(w, "- ", metrics->remarks[i].text, ".\n");
    size_t cut = 0;
    for (size_t run = 0; run < study->count; run++)
        if (is_cut(study, run))
            add(w, cut++ ? ", " : "- Part of the run is missing in ", study->cases[run].name, "");
    if (cut)
        pj_buf_puts(w->out, ": the trace seems to be cut, and its efficiencies may be far from "
                            "those of the whole.\n");
}

/// What the account of an AI run says of a row, in place of advice: "waiting for rank 2 takes ..".
static const char *told_of(const pj_run *run, const char *key)
{
    for (size_t i = 0;
         strcmp(key, "device_serialisation_efficiency") == 0 && i < run->remarks.count; i++)
        if (strcmp(run->remarks.items[i].key, "waits_for_rank") == 0)
            return run->remarks.items[i].text;
    return NULL;
}

static void write_summary(const writer *w)
{
    pj_findings path = pj_findings_path(w->metrics, w->last, w->arena);
    pj_losses losses = pj_losses_of(w->metrics, w->last, w->arena);
    if (!path.count) {
        pj_buf_puts(w->out, "The efficiencies have no values; the remarks say why.\n");
        return;
    }
    add_cautions(w);
    if (w->found)
        add_found(w);
    add(w, "- ", path.items[0].sentence, "");
    add_meaning_of_top(w, &path.items[0]);
    pj_buf_puts(w->out, "\n");
    if (w->metrics->study->alone)
        add(w, "- There are no scalings (", w->metrics->study->alone, ").\n");
    if (w->metrics->study->count == 1)
        add_figures(w, w->metrics->study->cases[0].run);
    if (!losses.count) {
        pj_buf_puts(w->out, "- No cause takes 1 % of the runtime.\n");
        return;
    }
    add_losses(w, &losses);
    const char *key = w->metrics->set->rows[losses.items[0].row].key;
    const char *told = told_of(w->metrics->study->cases[w->last].run, key);
    const pj_advice *advice = pj_advice_of(pj_str_of(key));
    if (told || advice)
        add(w, w->found ? "- Where to look for that: " : "- Where to begin: ",
            told ? told : advice->look, told ? ".\n" : "\n");
}

// The runs

static void write_application(const writer *w)
{
    const pj_study *study = w->metrics->study;
    if (study->count == 1) {
        pj_buf_addf(w->out, "One run was analysed, with %s ranks x threads.\n", layout_of(w, 0));
        return;
    }
    pj_buf_addf(w->out, "%zu runs were analysed, from %s to %s (ranks x threads): ", study->count,
                layout_of(w, 0), layout_of(w, w->last));
    add(w, "", study->scaling_note, ".\n");
}

static void write_structure(const writer *w)
{
    const pj_study *study = w->metrics->study;
    size_t marked = 0, cut = 0;
    for (size_t i = 0; i < study->count; i++) {
        marked += study->cases[i].run->roi.set;
        cut += is_cut(study, i);
    }
    if (!marked) {
        pj_buf_addf(w->out, "The run%s analysed %s.\n", study->count == 1 ? " is" : "s are",
                    cut ? "as far as the traces go" : "whole");
        return;
    }
    pj_buf_addf(w->out, "In %zu of %zu runs a region of interest is analysed:\n\n", marked,
                study->count);
    for (size_t i = 0; i < study->count; i++) {
        const pj_roi *roi = &study->cases[i].run->roi;
        if (!roi->set)
            continue;
        add(w, "- ", study->cases[i].name, "");
        pj_buf_addf(w->out, ": from %s to %s\n", duration(w, (double)roi->from_ns),
                    duration(w, (double)roi->to_ns));
    }
}

static void write_scaling(const writer *w)
{
    const pj_metrics *metrics = w->metrics;
    const pj_study *study = metrics->study;
    int row = pj_metric_row(metrics->set, PJ_S("speedup"));
    size_t reference = study->reference;
    if (row < 0 || w->last == reference) {
        pj_buf_puts(w->out, "There is no run that is larger than the reference run.\n");
        return;
    }
    pj_metric_value speedup = pj_metrics_at(metrics, w->last, (size_t)row);
    double more = (double)study->cases[w->last].layout->locations /
                  (double)study->cases[reference].layout->locations;
    if (speedup.reason) {
        add(w, "The speedup has no value: ", speedup.reason, ".\n");
        return;
    }
    pj_buf_addf(w->out, "At %s the speedup over the reference run (%s) is %s; with ",
                layout_of(w, w->last), layout_of(w, reference), fixed(w, speedup.value, 2));
    pj_buf_addf(w->out, "%s times the threads that is %s of the ideal.\n",
                fixed(w, more, more == floor(more) ? 0 : 2), percent(w, speedup.value / more));
}

static void write_efficiency(const writer *w)
{
    pj_findings path = pj_findings_path(w->metrics, w->last, w->arena);
    if (path.count == 1)
        pj_buf_addf(w->out, "No part of %s (%s) is below %s.\n",
                    pj_findings_title(w->metrics, path.items[0].row, w->arena),
                    fixed(w, path.items[0].value, 3), fixed(w, PJ_FINDINGS_GOOD, 2));
    if (path.count > 1)
        pj_buf_puts(w->out, "From the top of the table down, following what is lowest:\n\n");
    for (size_t i = 1; i < path.count; i++) // the summary has the first
        add(w, "- ", path.items[i].sentence, "\n");
}

// A topic of the table

/// Rows of devices are in a topic of their own, whatever else they are about.
static bool belongs(const topic *t, const pj_metric *metric)
{
    bool of_devices =
        strncmp(metric->key, "device_", 7) == 0 || strncmp(metric->key, "gpu_", 4) == 0;
    if (of_devices != (strcmp(t->name, "devices") == 0))
        return false;
    for (size_t i = 0; i < 5 && t->words[i]; i++)
        if (strstr(metric->key, t->words[i]))
            return metric->kind != PJ_METRIC_PLAIN;
    return false;
}

/// Scalings compare runs: one alone has nothing to say of them.
static bool is_told(const writer *w, size_t row)
{
    const pj_metric *metric = &w->metrics->set->rows[row];
    return belongs(w->topic, metric) &&
           (metric->kind != PJ_METRIC_SCALING || w->metrics->study->count > 1);
}

static bool has_parts(const pj_metric_set *set, size_t row)
{
    for (size_t i = 0; i < set->count; i++)
        if (pj_metric_parent(set, i) == (int)row)
            return true;
    return false;
}

/// Advice about a row, or NULL: only what no other row explains has any, as the parts say more than
/// the whole.
static const pj_advice *advice_about(const writer *w, size_t row)
{
    double quality;
    if (has_parts(w->metrics->set, row) ||
        !pj_findings_quality(w->metrics, w->last, row, &quality) || quality >= PJ_FINDINGS_GOOD)
        return NULL;
    return pj_advice_of(pj_str_of(w->metrics->set->rows[row].key));
}

static void write_rows(const writer *w)
{
    size_t told = 0;
    const pj_advice *before = NULL; // rows with the same advice follow each other
    for (size_t row = 0; row < w->metrics->set->count; row++) {
        if (!is_told(w, row))
            continue;
        add(w, "- ", pj_findings_course(w->metrics, row, w->arena), "");
        const pj_advice *advice = advice_about(w, row);
        if (advice && advice != before)
            add(w, " The usual reason is that ",
                pj_arena_format(w->arena, "%s. %s", advice->meaning, advice->look), "");
        before = advice ? advice : before;
        pj_buf_puts(w->out, "\n");
        told++;
    }
    if (!told)
        pj_buf_addf(w->out, "The set `%s` has no row about this.\n", w->metrics->set->key);
}

/// Mean over maximum of the ranks' sums; 0 when there is nothing to compare.
static double balance_of(const pj_run *run, const int64_t *counted)
{
    double sum = 0, most = 0;
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        double rank = 0;
        for (uint32_t i = run->layout.first_location[r]; i < run->layout.first_location[r + 1]; i++)
            rank += counted ? (double)counted[i] : (double)run->totals[i].useful_ns;
        sum += rank;
        most = rank > most ? rank : most;
    }
    return most > 0 ? sum / run->layout.ranks / most : 0;
}

/// Whether ranks differ in what they have to do or in how fast they do it.
static void write_load_balance(const writer *w)
{
    static const double even = 0.98, alike = 0.02;
    const pj_run *run = w->metrics->study->cases[w->last].run;
    const pj_counter *instructions = &run->counters[PJ_COUNTER_INSTRUCTIONS];
    write_rows(w);
    if (run->layout.ranks < 2 || !instructions->present || !run->totals)
        return;
    double time = balance_of(run, NULL), work = balance_of(run, instructions->useful);
    if (time <= 0 || work <= 0 || time >= PJ_FINDINGS_GOOD)
        return;
    pj_buf_addf(
        w->out,
        "\nOver the ranks of %s the mean of useful time is %s of its maximum, that of useful "
        "instructions %s: ",
        layout_of(w, w->last), fixed(w, time, 3), fixed(w, work, 3));
    pj_buf_puts(w->out, work - time < alike ? "the work itself is uneven.\n"
                        : work >= even ? "the work is even, and some ranks do it more slowly.\n"
                                       : "the work is uneven, and some ranks are slower too.\n");
}

static void write_communication(const writer *w)
{
    const pj_run *run = w->metrics->study->cases[w->last].run;
    write_rows(w);
    if (!run->ideal.available || !run->has_mpi || !run->runtime_ns)
        return;
    double measured = (double)run->runtime_ns, ideal = run->ideal.runtime_ns;
    pj_buf_addf(w->out,
                "\nReplayed on an ideal network, where messages take no time, the run of %s ",
                layout_of(w, w->last));
    pj_buf_addf(w->out, "takes %s instead of %s", duration(w, ideal), duration(w, measured));
    if (ideal < measured)
        pj_buf_addf(w->out, ": a network that costs nothing would save %s",
                    percent(w, 1 - ideal / measured));
    pj_buf_puts(w->out, ".\n");
}

// The end

static void write_conclusions(const writer *w)
{
    pj_losses losses = pj_losses_of(w->metrics, w->last, w->arena);
    if (!losses.count) {
        pj_buf_addf(w->out, "At %s, no cause takes 1 %% of the runtime.\n", layout_of(w, w->last));
        return;
    }
    pj_buf_addf(
        w->out,
        "At %s, %zu cause%s 1 %% of the runtime or more. The table says what mending one of "
        "them alone would bring at most; the sections above say where to look.\n",
        layout_of(w, w->last), losses.count, losses.count == 1 ? " takes" : "s take");
}

static void write_definitions(const writer *w)
{
    pj_definitions_md(&w->metrics->set, 1, w->out);
}

static const topic topics[] = {
    {"summary", write_summary, {NULL}},
    {"application", write_application, {NULL}},
    {"structure", write_structure, {NULL}},
    {"scaling", write_scaling, {NULL}},
    {"efficiency", write_efficiency, {NULL}},
    {"load_balance", write_load_balance, {"load_balance", "load_imbalance"}},
    {"communication", write_communication, {"communication", "transfer", "seriali"}},
    {"computation",
     write_rows,
     {"computation_scaling", "instruction_scaling", "ipc_scaling", "frequency_scaling"}},
    {"openmp", write_rows, {"thread_level", "openmp_region", "serial_region", "openmp_parallel"}},
    {"devices", write_rows, {"device_", "gpu_"}},
    {"conclusions", write_conclusions, {NULL}},
    {"definitions", write_definitions, {NULL}},
};

enum { TOPICS = sizeof topics / sizeof *topics };

const char *pj_findings_md_topic(size_t index)
{
    return index < TOPICS ? topics[index].name : NULL;
}

static const topic *topic_of(pj_str name)
{
    for (size_t i = 0; i < TOPICS; i++)
        if (pj_str_equal(pj_str_of(topics[i].name), name))
            return &topics[i];
    return NULL;
}

static bool refuse(pj_str name, pj_err *err)
{
    pj_auto_buf list = {0};
    for (size_t i = 0; i < TOPICS; i++)
        pj_buf_addf(&list, " %s", topics[i].name);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "findings: no topic \"" PJ_STR_FMT "\"; topics:%s",
                   PJ_STR_ARG(name), list.at);
}

bool pj_findings_md(const pj_metrics *metrics, pj_str name, const pj_table *faults, pj_buf *out,
                    pj_err *err)
{
    const topic *found = topic_of(name);
    if (!found)
        return refuse(name, err);
    pj_auto_arena arena = pj_arena_new(NULL);
    found->write(&(writer){metrics, found, is_found(faults) ? faults : NULL,
                           metrics->study->count - 1, arena, out});
    return true;
}

size_t pj_findings_md_rows(const pj_metrics *metrics, pj_str name, size_t *rows, size_t most)
{
    writer w = {.metrics = metrics, .topic = topic_of(name), .last = metrics->study->count - 1};
    size_t count = 0;
    for (size_t row = 0; w.topic && row < metrics->set->count && count < most; row++) {
        if (!is_told(&w, row) || pj_metrics_at(metrics, w.last, row).reason)
            continue;
        if (rows)
            rows[count] = row;
        count++;
    }
    return count;
}
