// Remarks of a result: each sentence stands once, before it the runs that it is about.
#include "metrics/pop/metrics_remark.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/repeated_runs.h"
#include "metrics/run/devices.h"
#include "metrics/run/energy.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/run/study/study_mixed.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

/// One sentence and the runs it is about.
typedef struct saying {
    const char *key;
    pj_severity severity;
    const char *text;
    bool *runs; // by run; none = it is about the whole result
} saying;

typedef struct collector {
    pj_metrics *metrics;
    const pj_measures *measures; // by run
    saying *sayings;
    size_t count, cap;
} collector;

enum { WHOLE_RESULT = -1 };

static void say(collector *c, const char *key, pj_severity severity, int run, const char *text)
{
    saying *found = NULL;
    for (size_t i = 0; i < c->count && !found; i++)
        if (c->sayings[i].severity == severity &&
            pj_str_equal(pj_str_of(c->sayings[i].text), pj_str_of(text)))
            found = &c->sayings[i];
    if (!found) {
        pj_grow(c->sayings, &c->cap, c->count + 1);
        found = &c->sayings[c->count++];
        *found = (saying){key, severity, text,
                          pj_new_n(c->metrics->arena, bool, c->metrics->study->count)};
    }
    if (run != WHOLE_RESULT)
        found->runs[run] = true;
}

static bool has_row_needing(const pj_metric_set *set, unsigned needs)
{
    for (size_t row = 0; row < set->count; row++)
        if (set->rows[row].needs & needs)
            return true;
    return false;
}

static bool has_mpi_row(const pj_metric_set *set)
{
    for (size_t row = 0; row < set->count; row++)
        if (pj_str_starts(pj_str_of(set->rows[row].key), PJ_S("mpi_")))
            return true;
    return false;
}

static void say_threads_vary(collector *c, int run)
{
    const pj_measures *m = &c->measures[run];
    const char *layout = pj_study_key_text(c->metrics->study, (size_t)run, PJ_BY_LAYOUT);
    pj_arena *arena = c->metrics->arena;
    if (c->metrics->set->by_threads)
        say(c, "threads_vary", PJ_NOTE, run,
            pj_arena_format(
                arena, "threads per rank vary (%s): threads weigh equally in every mean", layout));
    else
        say(c, "threads_vary", PJ_NOTE, run,
            pj_arena_format(arena,
                            "threads per rank vary (%s): ranks weigh equally in every mean; "
                            "weighted by threads the parallel efficiency is %.4f",
                            layout, m->useful_sum / m->threads / m->runtime));
}

/// A set of threads alone does not hold what was done on devices, one of devices nothing else.
static void say_devices(collector *c, int run)
{
    const char *lack = pj_measures_lack(&c->measures[run], PJ_NEEDS_DEVICES);
    if (lack && c->metrics->set->rows[0].needs & PJ_NEEDS_DEVICES)
        say(c, "devices", PJ_NOTE, run, lack);
    if (!lack && c->metrics->set->rows[0].needs & PJ_NEEDS_DEVICES && c->measures[run].run->devices)
        say(c, "device_idle", PJ_NOTE, run,
            "why devices are idle: popinjay stats --device-idle says it of each");
    if (lack || has_row_needing(c->metrics->set, PJ_NEEDS_DEVICES | PJ_NEEDS_ENERGY))
        return;
    say(c, "devices", PJ_WARNING, run,
        pj_arena_format(c->metrics->arena,
                        "what %.0f devices did is not in this set: the set gpu has rows for them",
                        c->measures[run].devices));
}

static void say_energy(collector *c, int run)
{
    const pj_measures *m = &c->measures[run];
    const char *lack = pj_measures_lack(m, PJ_NEEDS_ENERGY);
    say(c, "energy", PJ_NOTE, run,
        lack ? lack
             : pj_arena_format(c->metrics->arena, "energy is %s",
                               pj_energy_sampling(m->run->energy, c->metrics->arena)));
}

/// No replay takes less time than its ranks compute, but for what it leaves out.
static void say_ideal_is_short(collector *c, int run)
{
    const pj_measures *m = &c->measures[run];
    if (m->lacks & PJ_NEEDS_IDEAL || m->nonmpi_max <= m->ideal_runtime)
        return;
    const char *why = m->run->roi.set
                          ? "on the ideal network ranks cross the borders of the region of "
                            "interest at other times than in the trace: put the borders behind "
                            "a collective of all ranks, or make it longer"
                      : m->run->part.name ? "ranks catch up in it what they have lost before"
                                          : "the replay does not fit this trace";
    char ideal[32], useful[32];
    pj_format_duration(m->ideal_runtime, ideal);
    pj_format_duration(m->nonmpi_max, useful);
    say(c, "ideal_short", PJ_WARNING, run,
        pj_arena_format(c->metrics->arena,
                        "the ideal runtime (%s) is below the longest computation of a rank (%s), "
                        "so that serialisation is above 1: %s",
                        ideal, useful, why));
}

/// TALP itself takes processes for units, each with the sum of its devices.
static void say_processes(collector *c, int run)
{
    const pj_measures *m = &c->measures[run];
    uint64_t useful, active;
    int row = pj_metric_row(c->metrics->set, PJ_S("gpu_load_balance"));
    if (row < 0 || !m->run->devices || !pj_devices_of_processes(m->run, &useful, &active) ||
        !useful)
        return;
    say(c, "talp_processes", PJ_NOTE, run,
        pj_arena_format(c->metrics->arena,
                        "TALP counts processes, each with the sum of its devices: GPU load balance "
                        "%.3f, communication %.3f, orchestration %.3f",
                        m->device_useful_sum / m->devices / (double)useful,
                        (double)useful / (double)active, (double)active / m->runtime));
}

static void say_what_the_run_is(collector *c, int run)
{
    const pj_measures *m = &c->measures[run];
    if (pj_layout_threads_per_rank(&m->run->layout) == 0 && m->threads > 0 && m->runtime > 0)
        say_threads_vary(c, run);
    say_devices(c, run);
    say_processes(c, run);
    if (m->run->other.base)
        say(c, "network", PJ_NOTE, run,
            "a replay on this network in place of the ideal one: its transfer and serialisation "
            "are "
            "no POP metrics");
    if (!m->run->has_mpi && !m->run->ai && has_mpi_row(c->metrics->set))
        say(c, "no_mpi", PJ_NOTE, run,
            "the trace has no MPI: MPI rows show time that is neither computation nor OpenMP");
    if (has_row_needing(c->metrics->set, PJ_NEEDS_IDEAL))
        say_ideal_is_short(c, run);
    if (has_row_needing(c->metrics->set, PJ_NEEDS_ENERGY))
        say_energy(c, run);
}

static void say_oddity(collector *c, int run, unsigned key)
{
    pj_auto_buf text = {0};
    pj_import_say(&c->measures[run].run->import, key, &text);
    say(c, pj_import_at(key)->key, pj_import_at(key)->severity, run,
        pj_arena_text(c->metrics->arena, pj_buf_str(&text)));
}

static void say_what_the_run_says(collector *c, int run)
{
    const pj_run *r = c->measures[run].run;
    for (size_t i = 0; i < r->remarks.count; i++)
        say(c, r->remarks.items[i].key, r->remarks.items[i].severity, run,
            pj_arena_text(c->metrics->arena, pj_str_of(r->remarks.items[i].text)));
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++) {
        if (r->import.count[key] > 0 && pj_import_at(key)->severity != PJ_NOTE)
            say_oddity(c, run, key);
    }
}

/// The dagger is that of the tables (widgets/table/metrics_grid.h).
static void say_what_is_cut(collector *c, int run)
{
    if (pj_import_cut(&c->measures[run].run->import))
        say(c, "cut", PJ_LOSS, run,
            "\u2020 the trace seems to be cut: part of the run is missing, and its efficiencies "
            "may be far from those of the whole");
}

static bool run_says(const pj_run *run, const char *text)
{
    for (size_t i = 0; i < run->remarks.count; i++)
        if (pj_str_contains(pj_str_of(run->remarks.items[i].text), pj_str_of(text)))
            return true;
    return false;
}

/// Each reason once, whatever the number of cells it empties, unless the run says it itself.
static void say_what_is_missing(collector *c, int run)
{
    for (size_t row = 0; row < c->metrics->set->count; row++) {
        const char *reason = pj_metrics_at(c->metrics, (size_t)run, row).reason;
        bool alone = pj_str_equal(pj_str_of(reason), pj_str_of(c->metrics->study->alone));
        bool of_waits = c->metrics->set->rows[row].needs & PJ_NEEDS_WAITS; // no trace's fault
        if (reason && !alone && !c->metrics->absent[row] && !run_says(c->measures[run].run, reason))
            say(c, "values_missing", of_waits ? PJ_NOTE : PJ_WARNING, run,
                pj_arena_format(c->metrics->arena, "values are missing: %s", reason));
    }
}

/// Lists the metrics of one kind that are better than perfect in some run.
static void say_what_is_above_one(collector *c, pj_metric_kind kind, const char *why)
{
    const pj_metrics *metrics = c->metrics;
    pj_auto_buf list = {0};
    for (size_t row = 0; row < metrics->set->count; row++) {
        bool above = false;
        for (size_t run = 0; run < metrics->study->count; run++) {
            pj_metric_value v = pj_metrics_at(metrics, run, row);
            double excess = kind == PJ_METRIC_INEFFICIENCY ? -v.value : v.value - 1;
            above = above || (!v.reason && excess > 1e-4);
        }
        if (above && metrics->set->rows[row].kind == kind)
            pj_buf_addf(&list, "%s%s", list.len ? ", " : "", metrics->set->rows[row].title);
    }
    if (list.len)
        say(c, "above_one", PJ_NOTE, WHOLE_RESULT,
            pj_arena_format(metrics->arena, "%s %s: %s",
                            kind == PJ_METRIC_INEFFICIENCY ? "below 0" : "above 1", why, list.at));
}

/// Value of a scaling, 0 = none.
static double scaling_of(const pj_metrics *metrics, int run, pj_str key)
{
    int row = pj_metric_row(metrics->set, key);
    pj_metric_value v = {.reason = ""};
    if (row >= 0)
        v = pj_metrics_at(metrics, (size_t)run, (size_t)row);
    return v.reason ? 0 : v.value;
}

/// Caches explain a little: with much less to compute, it was other work.
static void say_what_is_other_work(collector *c, int run)
{
    static const double less_work = 1.1, past_caches = 1.5;
    const pj_study *study = c->metrics->study;
    if (study->cases[run].layout->locations < study->cases[study->reference].layout->locations)
        return; // a smaller run may well repeat less
    double instructions = scaling_of(c->metrics, run, PJ_S("instruction_scaling"));
    double computation = scaling_of(c->metrics, run, PJ_S("computation_scaling"));
    if (instructions > less_work)
        say(c, "other_work", PJ_WARNING, run,
            "fewer instructions than the work of the reference run takes: other inputs or other "
            "work are likely, so compare with care");
    else if (instructions <= 0 && computation > past_caches)
        say(c, "other_work", PJ_WARNING, run,
            "much less time to compute than the reference run: other inputs, other work or a "
            "machine that was busy (instructions, which would tell, were not counted)");
}

enum { NAMES_SHOWN = 4 };

/// "epoch_2proc, epoch_4proc: " or "all runs: ".
static void add_names(pj_buf *out, const saying *s, const pj_study *study)
{
    size_t runs = 0, shown = 0;
    for (size_t run = 0; run < study->count; run++)
        runs += s->runs[run];
    if (runs == 0)
        return;
    if (runs == study->count && runs > 1) {
        pj_buf_puts(out, "all runs: ");
        return;
    }
    for (size_t run = 0; run < study->count && shown < NAMES_SHOWN; run++)
        if (s->runs[run])
            pj_buf_addf(out, "%s%s", shown++ ? ", " : "", study->cases[run].name);
    if (runs > shown)
        pj_buf_addf(out, " and %zu more", runs - shown);
    pj_buf_puts(out, ": ");
}

static void write_remarks(collector *c)
{
    pj_metrics *metrics = c->metrics;
    const char *mixed = pj_study_mixed(metrics->study, metrics->arena);
    metrics->remarks = pj_new_n(metrics->arena, pj_remark, c->count + 1);
    if (mixed)
        metrics->remarks[metrics->remark_count++] = (pj_remark){PJ_URGENT, mixed, "mixed_runs"};
    for (int severity = PJ_URGENT; severity >= PJ_NOTE; severity--) {
        for (size_t i = 0; i < c->count; i++) {
            const saying *s = &c->sayings[i];
            if ((int)s->severity != severity)
                continue;
            pj_auto_buf text = {0};
            add_names(&text, s, metrics->study);
            pj_buf_puts(&text, s->text);
            metrics->remarks[metrics->remark_count++] =
                (pj_remark){s->severity, pj_arena_text(metrics->arena, pj_buf_str(&text)), s->key};
        }
        if (severity == PJ_URGENT)
            metrics->urgent = metrics->remark_count;
    }
}

static void say_what_repeats(collector *c, int run, const pj_repeated_runs *repeated)
{
    for (size_t i = 0; repeated && i < repeated->note_count; i++) {
        const pj_repeated_note *note = &repeated->notes[i];
        if (note->run == c->measures[run].run)
            say(c, "repetitions", note->severity, run,
                pj_arena_text(c->metrics->arena, pj_str_of(note->text)));
    }
}

void pj_metrics_remark(pj_metrics *metrics, const pj_measures *measures,
                       const pj_repeated_runs *repeated)
{
    collector c = {.metrics = metrics, .measures = measures};
    if (metrics->study->alone)
        say(&c, "one_size", PJ_NOTE, WHOLE_RESULT,
            pj_arena_format(metrics->arena,
                            "%s; load runs with other numbers of ranks or threads to see whether "
                            "computation scales, or choose a reference run",
                            metrics->study->alone));
    for (int run = 0; run < (int)metrics->study->count; run++) {
        say_what_is_cut(&c, run);
        say_what_repeats(&c, run, repeated);
        say_what_the_run_is(&c, run);
        say_what_is_missing(&c, run);
        say_what_is_other_work(&c, run);
        say_what_the_run_says(&c, run);
    }
    say_what_is_above_one(&c, PJ_METRIC_EFFICIENCY, "where 1 should be the most");
    say_what_is_above_one(&c, PJ_METRIC_INEFFICIENCY, "where 0 should be the least");
    say_what_is_above_one(&c, PJ_METRIC_SCALING, "is better than the reference run");
    write_remarks(&c);
    free(c.sayings);
}
