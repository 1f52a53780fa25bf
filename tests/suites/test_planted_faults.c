// Faults planted in programs that this project makes: each is what is found first, and none of them
// is found where there is none.
#include "metrics/analyse/faults/faults.h"
#include "metrics/analyse/faults/faults_table.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/whatif.h"
#include "metrics/run/waits/wait_places.h"
#include "metrics/table/table.h"
#include "tests/support/folder.h"
#include "tests/support/trace/faulty_app.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 2 }; // runs

/// A program whose fault follows from the sizes that it runs in, or from its threads.
typedef struct modelled {
    const char *name, *finding;
    pj_model_app runs[MOST];
    size_t count;
} modelled;

#define COSTS                                                                                      \
    .work_ns = 8e6, .halo_ns = 2000, .collective_ns = 1000, .halo_bytes = 4000, .fork_ns = 2000,   \
    .join_ns = 1000, .ipc = 1.4, .ghz = 2.1, .iterations = 40
#define SIZE(n) .ranks = n, .threads = 1, .weak = true
#define THREADS(n) .ranks = 1, .threads = n, .openmp = true, .no_mpi = true

static const modelled models[] = {
    {"the IPC falls",
     "ipc_scaling",
     {{COSTS, SIZE(2), .ipc_loss = 0.06}, {COSTS, SIZE(8), .ipc_loss = 0.06}},
     2},
    {"more instructions",
     "instruction_scaling",
     {{COSTS, SIZE(2), .extra_instructions = 0.08}, {COSTS, SIZE(8), .extra_instructions = 0.08}},
     2},
    {"the frequency falls",
     "frequency_scaling",
     {{COSTS, SIZE(2), .ghz_loss = 0.05}, {COSTS, SIZE(8), .ghz_loss = 0.05}},
     2},
    {"threads have not the same work",
     "omp_imbalance",
     {{COSTS, THREADS(8), .thread_imbalance = 0.4}},
     1},
    {"one thread works alone", "omp_serial", {{COSTS, THREADS(8), .serial_fraction = 0.1}}, 1},
    {"nothing, in two sizes", NULL, {{COSTS, SIZE(2)}, {COSTS, SIZE(8)}}, 2},
};

static pj_run *read_it(const char *path)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    pj_run *run =
        pj_load(path, (pj_load_opts){.aspects = PJ_FAULTS_WANT, .steps = true}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

/// The program as an archive.
static pj_run *load_archive(pj_trace_writer *writer)
{
    pj_err err = {.code = PJ_E_NONE};
    const char *anchor = folder_file("fault.otf2");
    if (!pj_otf2_writer_save(writer, anchor, (pj_otf2_style){.clock_step = 1000}, &err))
        fail_msg("%s", err.text);
    pj_trace_writer_free(writer);
    pj_run *run = read_it(anchor);
    pj_otf2_writer_remove(anchor);
    return run;
}

static pj_run *load(pj_trace_writer *writer, const char *name)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *path =
        pj_arena_text(arena, pj_str_of(folder_file(pj_arena_format(arena, "%s.prv", name))));
    if (!pj_trace_writer_save(writer, path, &err))
        fail_msg("%s", err.text);
    pj_trace_writer_free(writer);
    pj_run *run = read_it(path);
    static const char *const kinds[] = {"prv", "pcf", "row"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        unlink(folder_file(pj_arena_format(run->arena, "%s.%s", name, kinds[i])));
    return run;
}

/// What is said in place of a fault; NULL when it is what was planted.
static const char *wrong(const pj_faults *found, const char *finding, const char *where,
                         pj_arena *arena)
{
    const char *all = "";
    for (size_t i = 0; i < found->count; i++)
        all = pj_arena_format(arena, "%s%s (%s, %.4f) ", all,
                              pj_fault_rows[found->items[i].kind].key, found->items[i].where,
                              found->items[i].recoverable_ns /
                                  ((double)found->run->runtime_ns * found->run->layout.locations));
    if (!finding)
        return found->count ? all : NULL;
    bool first = found->count && strcmp(pj_fault_rows[found->items[0].kind].key, finding) == 0;
    return first && (!where || strstr(found->items[0].where, where)) ? NULL : all;
}

/// All of them together never bring more than the run.
static bool adds_up(const pj_faults *found)
{
    double sum = found->others_ns;
    for (size_t i = 0; i < found->count; i++)
        sum += found->items[i].recoverable_ns;
    return sum <= (double)found->run->runtime_ns * found->units * (1 + 1e-9);
}

static void look_for(pj_run *const *runs, size_t count, const pj_faulty_app *app, unsigned *missed)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_faults found;
    if (!pj_faults_find(runs, count, NULL, arena, &found, &err))
        fail_msg("%s: %s", app->name, err.text);
    assert_true(adds_up(&found));
    const char *is = wrong(&found, app->finding, app->where, arena);
    if (is)
        print_message("%s: %s%s in place of %s\n", app->name, is, *is ? "" : "nothing",
                      app->finding ? app->finding : "nothing");
    *missed += is != NULL;
}

static void planted_faults_are_found_first(void **state)
{
    (void)state;
    unsigned missed = 0;
    const pj_faulty_app *app;
    for (size_t i = 0; (app = pj_faulty_app_at(i)); i++) {
        pj_auto_run run = load(pj_faulty_write(app), "fault");
        look_for(&run, 1, app, &missed);
    }
    assert_int_equal(missed, 0);
}

static void they_are_found_in_archives(void **state)
{
    (void)state;
    unsigned missed = 0;
    const pj_faulty_app *app;
    for (size_t i = 0; (app = pj_faulty_app_at(i)); i++) {
        pj_auto_run run = load_archive(pj_faulty_write(app));
        look_for(&run, 1, app, &missed);
    }
    assert_int_equal(missed, 0);
}

static void faults_of_sizes_and_threads_are_found_first(void **state)
{
    (void)state;
    unsigned missed = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        pj_run *runs[MOST];
        for (size_t k = 0; k < models[i].count; k++)
            runs[k] = load(pj_model_write(&models[i].runs[k]), k ? "b" : "a");
        pj_faulty_app app = {.name = models[i].name, .finding = models[i].finding};
        look_for(runs, models[i].count, &app, &missed);
        for (size_t k = 0; k < models[i].count; k++)
            pj_run_release(runs[k]);
    }
    assert_int_equal(missed, 0);
}

/// Each finding says what shows it and what proves it, in commands.
static void tables_say_what_to_look_at(void **state)
{
    (void)state;
    const pj_faulty_app app = {
        .slow = 0.2, .slow_first = 3, .slow_ranks = 1, .slow_by = PJ_SLOW_IPC};
    pj_auto_run run = load(pj_faulty_write(&app), "fault");
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_faults found;
    assert_true(pj_faults_find(&run, 1, NULL, arena, &found, &err));
    pj_auto_table table = pj_faults_table(&found, 1000);
    size_t hours = (size_t)pj_table_column(table, PJ_S("core_hours"));
    size_t ns = (size_t)pj_table_column(table, PJ_S("recoverable_ns"));
    size_t evidence = (size_t)pj_table_column(table, PJ_S("evidence"));
    size_t replay = (size_t)pj_table_column(table, PJ_S("replay"));
    assert_true(table->row_count >= 1);
    assert_non_null(strstr(pj_table_cell(table, 0, evidence)->text, "popinjay plot ranks"));
    assert_non_null(strstr(pj_table_cell(table, 0, replay)->text, "-c mend:slow_rank"));
    double recoverable = pj_cell_number(*pj_table_cell(table, 0, ns));
    double is = pj_cell_number(*pj_table_cell(table, 0, hours));
    assert_true(fabs(is - recoverable / 3.6e12 * 1000) < 1e-6 * is);
}

static double gain_of(const pj_whatif *whatif, const char *change)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_change parsed;
    pj_whatif_result result = {.gain_ns = 0};
    if (change && !(pj_whatif_change(whatif, pj_str_of(change), &parsed, &err) &&
                    pj_whatif_play(whatif, &parsed, &result, &err)))
        fail_msg("%s: %s", change, err.text);
    return result.gain_ns;
}

/// The changes that findings name bring what the findings say, beyond what stands before them.
static void replays_prove_what_is_said(void **state)
{
    (void)state;
    const pj_faulty_app app = {.serial = 0.2,
                               .start_up = 4,
                               .start_up_steps = 2,
                               .ramp = 0.3,
                               .moving = 0.3,
                               .spike = 2,
                               .spike_every = 5,
                               .spike_ranks = 2,
                               .chain = 0.02};
    pj_auto_run run = load(pj_faulty_write(&app), "fault");
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_faults found;
    pj_whatif whatif;
    assert_true(pj_faults_find(&run, 1, NULL, arena, &found, &err));
    assert_true(pj_whatif_begin(run, (pj_network){.latency_ns = 0}, NULL, arena, &whatif, &err));
    unsigned proved = 0;
    for (size_t i = 0; i < found.count; i++) {
        const pj_fault *fault = &found.items[i];
        if (!fault->change || strcmp(fault->change, PJ_FAULT_IDEAL) == 0)
            continue;
        const char *both = fault->on_top
                               ? pj_arena_format(arena, "%s+%s", fault->on_top, fault->change)
                               : fault->change;
        double gain = gain_of(&whatif, both) - gain_of(&whatif, fault->on_top);
        assert_true(fabs(gain * run->layout.locations - fault->recoverable_ns) < 1);
        proved++;
    }
    assert_true(proved >= 4);
}

/// Findings of scaling bring what they say on top of the others.
static void scaling_is_mended_on_top(void **state)
{
    (void)state;
    const pj_model_app apps[] = {{COSTS, SIZE(2)},
                                 {COSTS, SIZE(8), .ipc_loss = 0.06, .ghz_loss = 0.05}};
    pj_auto_run small = load(pj_model_write(&apps[0]), "a");
    pj_auto_run large = load(pj_model_write(&apps[1]), "b");
    pj_run *runs[] = {small, large};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_faults found;
    pj_whatif whatif;
    assert_true(pj_faults_find(runs, 2, NULL, arena, &found, &err));
    assert_true(pj_whatif_begin(large, (pj_network){.latency_ns = 0}, NULL, arena, &whatif, &err));
    unsigned proved = 0;
    for (size_t i = 0; i < found.count; i++) {
        const pj_fault *fault = &found.items[i];
        if (!fault->against || !fault->on_top)
            continue;
        const char *both = pj_arena_format(arena, "%s+%s", fault->on_top, fault->change);
        double gain = gain_of(&whatif, both) - gain_of(&whatif, fault->on_top);
        double all = gain * large->layout.locations;
        assert_true(fabs(all / fault->recoverable_ns - 1) < 1e-4); // factors are told in 6 decimals
        proved++;
    }
    assert_true(proved >= 1);
}

/// Nothing found is not the same as nothing that could be looked for.
static void runs_that_no_replay_tells_say_so(void **state)
{
    (void)state;
    pj_trace_writer *writer = pj_trace_writer_new((pj_trace_header){.ranks = 2});
    for (uint32_t k = 0; k < 2; k++)
        pj_trace_writer_state(writer, (pj_place){k, 0}, 0, 1000 * (k + 1), 1);
    pj_auto_run run = load(writer, "fault");
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_faults found;
    assert_true(pj_faults_find(&run, 1, NULL, arena, &found, &err));
    assert_non_null(found.lack);
    pj_auto_table table = pj_faults_table(&found, 1);
    assert_non_null(strstr(table->note, "cannot be replayed"));
}

/// Rank 5 needs twice as long in every fifth step: the timeline that shows it is of such a step.
static void timelines_are_led_to_the_place(void **state)
{
    (void)state;
    const unsigned every = 5;
    const pj_faulty_app app = {
        .spike = 1, .spike_every = every, .spike_first = 5, .spike_ranks = 1};
    pj_auto_run run = load(pj_faulty_write(&app), "fault");
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_faults found;
    assert_true(pj_faults_find(&run, 1, NULL, arena, &found, &err));
    assert_int_equal(found.items[0].kind, PJ_FAULT_noise);
    pj_wait_place place = found.items[0].place;
    double middle = ((double)place.from_ns + (double)place.to_ns) / 2;
    // The third of five steps takes twice as long as the others: six times their length together,
    // and the last round lacks a step.
    double step = (double)run->runtime_ns / (5 * (every + 1) - 1);
    double at = fmod(middle / step, every + 1);
    assert_true(at > 3 && at < 4);
    pj_auto_table table = pj_faults_table(&found, 1);
    size_t evidence = (size_t)pj_table_column(table, PJ_S("evidence"));
    size_t range = (size_t)pj_table_column(table, PJ_S("range"));
    const char *text = pj_table_cell(table, 0, range)->text;
    assert_string_equal(text, pj_wait_place_text(place, arena));
    assert_string_equal(pj_table_cell(table, 0, evidence)->text,
                        pj_arena_format(arena, "popinjay timeline fault.prv --range %s", text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_faults_are_found_first),
        cmocka_unit_test(they_are_found_in_archives),
        cmocka_unit_test(faults_of_sizes_and_threads_are_found_first),
        cmocka_unit_test(tables_say_what_to_look_at),
        cmocka_unit_test(replays_prove_what_is_said),
        cmocka_unit_test(scaling_is_mended_on_top),
        cmocka_unit_test(runs_that_no_replay_tells_say_so),
        cmocka_unit_test(timelines_are_led_to_the_place),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
