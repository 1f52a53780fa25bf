// Runs whose totals follow from a simple model; everything after that is the product's own.
#include "tests/support/fake_metrics.h"

#include "metrics/base/buf.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static pj_layout layout_of(pj_arena *arena, pj_fake_run fake)
{
    pj_layout layout = {
        .applications = 1, .ranks = fake.ranks, .locations = fake.ranks * fake.threads};
    layout.first_location = pj_new_n(arena, uint32_t, fake.ranks + 1);
    layout.rank_of = pj_new_n(arena, uint32_t, layout.locations);
    layout.application_of = pj_new_n(arena, uint32_t, fake.ranks);
    layout.node_of = pj_new_n(arena, uint32_t, layout.locations);
    layout.location_name = pj_new_n(arena, const char *, layout.locations);
    for (uint32_t rank = 0; rank <= fake.ranks; rank++)
        layout.first_location[rank] = rank * fake.threads;
    for (uint32_t i = 0; i < layout.locations; i++)
        layout.rank_of[i] = i / fake.threads;
    return layout;
}

/// One second of work on one thread; 3 % more work per doubling, imbalance of up to 15 %.
static void fill_totals(pj_run *run, pj_fake_run fake)
{
    double n = run->layout.locations, work = 1e9 * (1 + 0.03 * log2(n)) / n;
    uint64_t runtime = (uint64_t)(work * (1.02 + 0.04 * log2(n)));
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        double balance = 1 - 0.15 * (n > 1 ? (i * 7 % (uint32_t)n) / n : 0);
        uint64_t useful = (uint64_t)(work * balance);
        bool master = i % fake.threads == 0;
        uint64_t serial = master && fake.threads > 1 ? useful / 10 : fake.threads > 1 ? 0 : useful;
        run->totals[i] = (pj_totals){.useful_ns = useful,
                                     .serial_useful_ns = serial,
                                     .openmp_useful_ns = useful - serial,
                                     .openmp_ns = master && fake.threads > 1 ? useful : 0,
                                     .outside_mpi_ns = useful + 1000,
                                     .mpi_ns = master ? runtime - useful - 1000 : 0,
                                     .runtime_ns = runtime};
    }
    run->runtime_ns = runtime;
}

static void fill_counters(pj_run *run, bool above)
{
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        double useful = (double)run->totals[i].useful_ns;
        double ipc = above ? 1 + 0.02 * log2(run->layout.locations) : 1;
        run->counters[PJ_COUNTER_CYCLES].useful[i] = (int64_t)(2.4 * useful);
        run->counters[PJ_COUNTER_INSTRUCTIONS].useful[i] = (int64_t)(2.4 * useful * 1.5 * ipc);
    }
    run->counters[PJ_COUNTER_CYCLES].present = true;
    run->counters[PJ_COUNTER_INSTRUCTIONS].present = true;
}

static pj_run *run_of(pj_fake_run fake, pj_fake_opts opts)
{
    pj_auto_buf name = {0};
    if (fake.name)
        pj_buf_puts(&name, fake.name);
    else
        pj_buf_addf(&name, "run_%ux%u", fake.ranks, fake.threads);
    pj_run *run = pj_run_new(name.at);
    run->name = pj_arena_text(run->arena, pj_buf_str(&name));
    run->tag = pj_arena_text(run->arena, pj_str_of(fake.tag));
    run->format = "prv";
    run->has_mpi = true;
    run->has_openmp = fake.threads > 1;
    run->layout = layout_of(run->arena, fake);
    pj_run_allocate(run);
    fill_totals(run, fake);
    if (!opts.missing)
        fill_counters(run, opts.above);
    run->ideal = (pj_ideal){.available = true, .runtime_ns = 0.985 * (double)run->runtime_ns};
    return run;
}

static void add_remarks(pj_run *run)
{
    pj_run_remark(run, PJ_NOTE, "roi_unmarked",
                  "The trace has no tracing on/off events: it is used whole.");
    pj_run_remark(run, PJ_WARNING, "ideal_below_useful",
                  "The ideal runtime is below the largest useful time: transfer and serialisation "
                  "cannot both be right; clocks that drift are the usual cause.");
    pj_run_remark(run, PJ_LOSS, "no_partner", "17 messages have no partner.");
}

pj_metrics *pj_fake_metrics(const pj_fake_run *runs, size_t count, pj_fake_opts opts)
{
    pj_run **made = pj_take_memory((count + 1) * sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = run_of(runs[i], opts);
    if (opts.remarks && count)
        add_remarks(made[0]);
    pj_study *study = pj_study_new(made, count, (pj_study_opts){0}, NULL);
    assert(study);
    const pj_metric_set *set = pj_metric_set_by_key(pj_str_of(opts.set ? opts.set : "mpi"));
    pj_metrics *metrics =
        pj_metrics_new(set, study, (pj_metrics_opts){.title = opts.title, .by = opts.by}, NULL);
    assert(metrics);
    pj_study_release(study);
    for (size_t i = 0; i < count; i++)
        pj_run_release(made[i]);
    free(made);
    return metrics;
}
