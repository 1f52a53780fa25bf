// Changes of a run, replayed: rules with answers worked out by hand, and a real run against values
// worked out apart from this program (../shared/data/reference/causes).
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/replay/replay.h"
#include "metrics/replay/whatif/whatif.h"
#include "metrics/replay/whatif/whatif_table.h"
#include "metrics/table/table.h"
#include "tests/support/csv.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/random_program.h"
#include "tests/support/trace/replay_script.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"

static pj_whatif begin(const pj_run *run, pj_network network, pj_arena *arena)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_whatif whatif;
    if (!pj_whatif_begin(run, network, NULL, arena, &whatif, &err))
        fail_msg("%s", err.text);
    return whatif;
}

static pj_whatif_result result_of(const pj_whatif *whatif, const char *text)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_change change;
    pj_whatif_result result = {.gain_ns = 0};
    if (!pj_whatif_change(whatif, pj_str_of(text), &change, &err) ||
        !pj_whatif_play(whatif, &change, &result, &err))
        fail_msg("%s: %s", text, err.text);
    return result;
}

static double runtime_of(const pj_whatif *whatif, const char *text)
{
    return result_of(whatif, text).played.runtime_ns;
}

/// Two steps that end in barriers: rank 0 computes 80 and 40, rank 1 40 and 80.
static pj_script *moving_imbalance(pj_roi roi)
{
    pj_script *s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++) {
        uint64_t first = r ? 40 : 80, second = r ? 170 : 130;
        pj_script_collect(s, r, (pj_script_collective){"MPI_Barrier", first, 90, 1, false, 0});
        pj_script_collect(s, r, (pj_script_collective){"MPI_Barrier", second, 180, 1, false, 0});
        pj_script_last(s, r, 180);
    }
    s->run->runtime_ns = s->run->end_ns = 180;
    s->run->roi = roi;
    pj_script_replay(s, (pj_replay_opts){.tape = true}, 0);
    return s;
}

static void work_is_balanced_by_ranks_or_in_each_step(void **state)
{
    (void)state;
    pj_auto_script s = moving_imbalance((pj_roi){.set = false});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(w.ideal.runtime_ns == 160);
    assert_int_equal(w.bursts.steps.count, 2);
    assert_true(runtime_of(&w, "balance:ranks") == 160); // both compute 120 in all
    pj_whatif_result steps = result_of(&w, "balance:steps");
    assert_true(steps.played.runtime_ns == 120);
    assert_true(steps.gain_ns == 40);
    assert_true(steps.parallel == 1);
    assert_true(steps.load_balance == 1);
    assert_true(steps.serialisation == 1);
}

/// From 10 on they compute 70 and 30, then 40 and 80: what lies before stays as it was.
static void work_is_balanced_in_the_region_of_interest(void **state)
{
    (void)state;
    pj_auto_script s = moving_imbalance((pj_roi){.set = true, .from_ns = 10, .to_ns = 180});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(w.ideal.runtime_ns == 150);
    pj_whatif_result steps = result_of(&w, "balance:steps");
    assert_true(fabs(steps.played.runtime_ns - 110) < 1e-9);
    assert_true(fabs(steps.load_balance - 1) < 1e-9);
    assert_true(fabs(steps.serialisation - 1) < 1e-9);
    assert_true(runtime_of(&w, "balance:ranks") == 150);
}

/// Rank 0 computes 30 in each of the first two iterations and 10 in the others, rank 1 the other
/// way; before them both compute 5, and in each there is a barrier.
static void iterations_are_steps(void **state)
{
    (void)state;
    enum { ITERATIONS = 4, LENGTH = 40 };
    static uint64_t at[2][ITERATIONS + 1];
    pj_borders borders = {.at = at[0], .count = ITERATIONS, .ranks = 2, .stride = ITERATIONS + 1};
    pj_auto_script s = pj_script_new(2, 1);
    uint64_t end = 5 + ITERATIONS * LENGTH;
    for (uint32_t r = 0; r < 2; r++) {
        pj_script_collect(s, r, (pj_script_collective){"MPI_Barrier", 5, 5, 1, false, 0});
        for (unsigned i = 0; i < ITERATIONS; i++) {
            uint64_t begin = 5 + i * LENGTH, works = (i < 2) == (r == 0) ? 30 : 10;
            at[r][i] = begin;
            pj_script_collect(
                s, r,
                (pj_script_collective){"MPI_Barrier", begin + works, begin + LENGTH, 1, false, 0});
        }
        at[r][ITERATIONS] = end;
        pj_script_last(s, r, end);
    }
    s->run->runtime_ns = s->run->end_ns = end;
    pj_script_replay(s, (pj_replay_opts){.tape = true, .iterations = &borders}, 0);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_int_equal(w.bursts.iterations.count, ITERATIONS + 1); // nothing is behind the last
    assert_true(w.bursts.iterations.of[0] == 5 && w.bursts.iterations.of[1] == 5);
    for (size_t i = 1; i <= ITERATIONS; i++) {
        assert_true(w.bursts.iterations.of[2 * i] == (i < 3 ? 30 : 10));
        assert_true(w.bursts.iterations.of[2 * i + 1] == (i < 3 ? 10 : 30));
    }
    assert_true(w.ideal.runtime_ns == 5 + ITERATIONS * 30);
    assert_true(runtime_of(&w, "balance:steps") == 5 + ITERATIONS * 20);
    assert_true(runtime_of(&w, "balance:collectives") == 5 + ITERATIONS * 20);
    assert_true(runtime_of(&w, "balance:ranks") == 5 + ITERATIONS * 30);
}

/// A serial step, 10 and 90, then one of two equal teams whose workers are busy for 100.
static pj_script *teams_after_a_serial_step(void)
{
    pj_script *s = pj_script_new(2, 2);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t master = 2 * r, worker = master + 1;
        uint64_t begin = r ? 90 : 10;
        pj_script_collect(s, master,
                          (pj_script_collective){"MPI_Barrier", begin, 100, 1, false, 0});
        pj_script_openmp(s, master, PJ_OMP_PARALLEL, 3, 100);
        for (uint32_t thread = master; thread <= worker; thread++) {
            pj_script_openmp(s, thread, PJ_OMP_FUNCTION, 7, 100);
            pj_script_openmp(s, thread, PJ_OMP_FUNCTION, 0, 200);
        }
        pj_script_openmp(s, master, PJ_OMP_PARALLEL, 0, 200);
        pj_script_collect(s, master, (pj_script_collective){"MPI_Barrier", 200, 210, 1, false, 0});
        pj_script_last(s, master, 210);
    }
    s->run->runtime_ns = s->run->end_ns = 210;
    pj_script_replay(s, (pj_replay_opts){.tape = true}, 0);
    return s;
}

static void threads_are_in_the_step_of_their_rank(void **state)
{
    (void)state;
    pj_auto_script s = teams_after_a_serial_step();
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(w.ideal.runtime_ns == 90 + 100);
    assert_int_equal(w.bursts.steps.count, 2);
    assert_true(runtime_of(&w, "balance:steps") == 50 + 100); // workers are not the serial step's
}

static void computation_is_sped_up_in_parts(void **state)
{
    (void)state;
    pj_auto_script s = moving_imbalance((pj_roi){.set = false});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(runtime_of(&w, "compute:1") == 160);
    assert_true(runtime_of(&w, "compute:2") == 80);
    assert_true(runtime_of(&w, "rank:0:2") == 40 + 80);
    assert_true(runtime_of(&w, "rank:0:2+rank:1:2") == 80);
    assert_true(runtime_of(&w, "bursts:60ns:2") == 80);
    assert_true(runtime_of(&w, "bursts:81ns:2") == 160);
    assert_true(runtime_of(&w, "without:barrier_wait") == 120);
    assert_true(runtime_of(&w, "without:late_sender") == 160);
    assert_true(runtime_of(&w, "latency:10ns") == 160 + 2 * 10);
    assert_true(result_of(&w, "latency:10ns").transfer == 160.0 / 180);
}

/// Archives tell a state for each function: of 80, rank 0 has two that meet, rank 1 two that do
/// not.
static void useful_states_that_meet_are_one_burst(void **state)
{
    (void)state;
    static const uint64_t useful[][3] = {{0, 0, 30}, {0, 30, 80}, {1, 0, 30}, {1, 40, 80}};
    pj_auto_script s = pj_script_new(2, 1);
    for (size_t i = 0; i < sizeof useful / sizeof *useful; i++)
        pj_script_event(s, (pj_event){.kind = PJ_EV_STATE,
                                      .code = PJ_STATE_RUNNING,
                                      .location = (uint32_t)useful[i][0],
                                      .time = useful[i][1],
                                      .a = useful[i][2]});
    for (uint32_t r = 0; r < 2; r++) {
        pj_script_collect(s, r, (pj_script_collective){"MPI_Barrier", 80, 90, 1, false, 0});
        pj_script_last(s, r, 90);
    }
    s->run->runtime_ns = s->run->end_ns = 90;
    pj_script_replay(s, (pj_replay_opts){.tape = true}, 0);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(runtime_of(&w, "bursts:60ns:2+rank:1:2") == 40);
    assert_true(runtime_of(&w, "bursts:60ns:2+rank:0:2") == 80);
}

/// One rank: 10 in "operator+", 20 and 40 in two functions of one name, 5 in one without any.
static pj_script *functions_of_odd_names(void)
{
    static pj_region regions[] = {
        {.name = "operator+"}, {.name = "set"}, {.name = "set"}, {.name = ""}};
    static const uint64_t ends[] = {10, 30, 70, 75};
    pj_script *s = pj_script_new(1, 1);
    s->run->names.regions = regions;
    s->run->names.region_count = sizeof regions / sizeof *regions;
    for (uint64_t i = 0, begin = 0; i < sizeof ends / sizeof *ends; begin = ends[i++]) {
        pj_script_event(s, (pj_event){.kind = PJ_EV_ENTER, .time = begin, .a = i});
        pj_script_event(s, (pj_event){.kind = PJ_EV_LEAVE, .time = ends[i], .a = i});
    }
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Barrier", 75, 80, 1, false, 0});
    pj_script_last(s, 0, 80);
    s->run->runtime_ns = s->run->end_ns = 80;
    pj_script_replay(s, (pj_replay_opts){.tape = true}, 0);
    return s;
}

static void functions_are_known_by_any_name(void **state)
{
    (void)state;
    pj_auto_script s = functions_of_odd_names();
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(runtime_of(&w, "function:operator+:2") == 70);
    assert_true(runtime_of(&w, "function:set:2") == 45); // both
    assert_true(runtime_of(&w, "function::5") == 71);
    assert_true(runtime_of(&w, "function:operator+:2+function::5+rank:0:2") == 33);
    assert_string_equal(pj_whatif_title(PJ_S("function:operator+:2+compute:2"), arena),
                        "operator+ 2 times as fast, all computation 2 times as fast");
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table all = pj_whatif_table(&w, (pj_whatif_opts){.runs_per_year = 1}, &err);
    assert_non_null(all);
    size_t functions = 0;
    for (size_t row = 0; row < all->row_count; row++)
        functions += strncmp(pj_table_cell(all, row, 0)->text, "function:", 9) == 0;
    assert_int_equal(functions, 3);
}

/// A receive that waits for its message, on a network that costs.
static void messages_arrive_later_on_a_slower_network(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_script_call(s, 0, "MPI_Send", 100, 110);
    pj_script_call(s, 1, "MPI_Recv", 40, 120);
    pj_script_send(s, (pj_script_message){0, 1, 100, 40, 120, .size = 100});
    pj_script_last(s, 0, 200);
    pj_script_last(s, 1, 200);
    s->run->runtime_ns = s->run->end_ns = 200;
    pj_script_replay(s, (pj_replay_opts){.tape = true}, 0);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(w.ideal.runtime_ns == 190);
    assert_true(runtime_of(&w, "latency:30ns") == 100 + 30 + 80);
    assert_true(runtime_of(&w, "latency:30ns+bandwidth:1G") == 100 + 30 + 100 + 80);
    assert_true(runtime_of(&w, "without:late_sender") == 190); // rank 0 computes until 190
    w = begin(s->run, (pj_network){.latency_ns = 30}, arena);
    assert_true(w.base.runtime_ns == 210);
    assert_true(result_of(&w, "latency:0").gain_ns == 20);
    assert_true(result_of(&w, "latency:0").transfer == 1);
}

static double replayed(const random_program *p, bool apart, pj_network network)
{
    pj_auto_script s = random_program_script(p, apart);
    pj_script_replay(s, (pj_replay_opts){.network = network}, 0);
    assert_true(s->run->ideal.available);
    return s->run->ideal.runtime_ns;
}

static void check_program(uint64_t seed, bool apart)
{
    auto_program p = random_program_new(seed);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_script s = random_program_script(p, apart);
    pj_network slow = {.latency_ns = 7, .bandwidth = 3e9};
    pj_script_replay(s, (pj_replay_opts){.tape = true}, seed % 3 ? seed % 50 : 0);
    pj_whatif w = begin(s->run, slow, arena);
    double ideal = w.ideal.runtime_ns, base = nearbyint(w.base.runtime_ns);
    if (nearbyint(ideal) != s->run->ideal.runtime_ns || base != replayed(p, apart, slow))
        fail_msg("seed %llu: %.1f and %.1f, replayed %.1f and %.1f", (unsigned long long)seed,
                 ideal, base, s->run->ideal.runtime_ns, replayed(p, apart, slow));
    for (uint32_t r = 0; r < s->run->layout.ranks; r++)
        assert_true(w.ideal.compute_ns[r] == s->run->ideal.compute_ns[r]);
    w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    assert_true(runtime_of(&w, "compute:2") == ideal / 2);
}

/// The tape gives what replays on these networks give; all computation in half the time takes half
/// of it.
static void tapes_of_random_programs_give_the_replay(void **state)
{
    (void)state;
    const uint64_t rounds = pj_rounds(1000, 20000);
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_program(seed, seed % 2);
}

static void what_is_not_honest_is_refused(void **state)
{
    (void)state;
    static const char *const refused[][2] = {
        {"ranks:64", "popinjay model"},
        {"threads:8", "popinjay model"},
        {"contention", "bandwidth"},
        {"cache:2", "compute"},
        {"gpu:2", "--set gpu"},
        {"decomposition", "compare"},
        {"push:2", "balance:ranks|steps"},
        {"", "balance:ranks|steps"},
        {"rank:2:2", "0 to 1"},
        {"rank:0:0", "how many times"},
        {"rank:0", "how many times"},
        {"compute:-1", "how many times"},
        {"compute:nan", "how many times"},
        {"bursts:2", "no duration"},
        {"function:2", "function:NAME:2"},
        {"function:push:2", "no rank computes"},
        {"without:luck", "barrier_wait"},
        {"balance:all", "balance:steps"},
        {"mend:luck", "serial_part"},
        {"mend:start_up", "none of it"},
        {"mend:imbalance_per_step+balance:collectives", "already"},
        {"mend:imbalance+mend:imbalance_per_step", NULL},
        {"latency:-1us", "latency:2us"},
        {"bandwidth:0", "bandwidth:10G"},
        {"compute:2+", NULL},
    };
    pj_auto_script s = moving_imbalance((pj_roi){.set = false});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 0}, arena);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        pj_err err = {.code = PJ_E_NONE};
        pj_change change;
        bool ok = pj_whatif_change(&w, pj_str_of(refused[i][0]), &change, &err);
        if (ok != !refused[i][1])
            fail_msg("\"%s\": %s", refused[i][0], ok ? "taken" : err.text);
        if (!ok && !strstr(err.text, refused[i][1]))
            fail_msg("\"%s\": \"%s\" does not say %s", refused[i][0], err.text, refused[i][1]);
        assert_true(ok || err.code == PJ_E_USAGE);
    }
}

static void tables_have_the_run_the_networks_and_each_change(void **state)
{
    (void)state;
    pj_auto_script s = moving_imbalance((pj_roi){.set = false});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_whatif w = begin(s->run, (pj_network){.latency_ns = 5}, arena);
    pj_auto_table all = pj_whatif_table(&w, (pj_whatif_opts){.runs_per_year = 10}, &err);
    assert_non_null(all);
    assert_string_equal(pj_table_cell(all, 0, 0)->text, "measured");
    assert_string_equal(pj_table_cell(all, 1, 0)->text, "ideal");
    assert_string_equal(pj_table_cell(all, 2, 0)->text, "network");
    assert_string_equal(pj_table_cell(all, 3, 0)->text, "latency:0");
    assert_true(pj_cell_number(*pj_table_cell(all, 0, 2)) == 180);
    assert_true(pj_cell_number(*pj_table_cell(all, 1, 3)) == 20);
    assert_true(pj_cell_number(*pj_table_cell(all, 3, 3)) == 10);
    size_t hours = (size_t)pj_table_column(all, PJ_S("core_hours"));
    assert_true(pj_cell_number(*pj_table_cell(all, 1, hours)) == 20.0 * 2 / 3.6e12 * 10);
    pj_auto_table sums = pj_whatif_sensitivity(&w, &err);
    double sum = 0;
    for (size_t row = 0; row < sums->row_count; row++)
        sum += pj_cell_number(*pj_table_cell(sums, row, 1));
    assert_true(fabs(sum - 1) < 1e-9);
}

static void a_run_without_tape_is_refused(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 1);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_whatif whatif;
    pj_script_replay(s, (pj_replay_opts){.tape = false}, 0);
    assert_false(
        pj_whatif_begin(s->run, (pj_network){.latency_ns = 0}, NULL, arena, &whatif, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

/// A tape that may keep less than the run has.
static void a_tape_that_is_too_long_says_so(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 1);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.memory_budget = 4000};
    pj_whatif whatif;
    for (uint64_t i = 0; i < 100; i++)
        pj_script_call(s, 0, "MPI_Comm_rank", 10 * i + 5, 10 * i + 8);
    pj_script_replay(s, (pj_replay_opts){.tape = true, .job = &job}, 0);
    assert_false(
        pj_whatif_begin(s->run, (pj_network){.latency_ns = 0}, NULL, arena, &whatif, &err));
    assert_non_null(strstr(err.text, "memory"));
}

// A real run

static void expect(const pj_whatif *w, const char *change, double want)
{
    double is = runtime_of(w, change);
    if (fabs(is - want) > 0.01)
        fail_msg("%s of %s: %.3f in place of %.3f", change, w->run->name, is, want);
}

static pj_run *load_epoch(pj_str trace, pj_arena *arena)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 2};
    pj_load_opts opts = {.aspects = PJ_WANT(tape), .steps = true};
    const char *path =
        pj_arena_format(arena, DATA "paraver/epoch/" PJ_STR_FMT ".prv.gz", PJ_STR_ARG(trace));
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static void work_is_shared_in_the_iterations_of_the_reference(void **state)
{
    (void)state;
    csv want;
    csv_of_real_tools(DATA "reference/causes/whatif_steps_epoch.csv", &want);
    for (size_t row = 0; row < want.rows; row++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_auto_run run = load_epoch(csv_cell(&want, row, "trace"), arena);
        pj_whatif w = begin(run, (pj_network){.latency_ns = 0}, arena);
        assert_int_equal(w.bursts.iterations.count, (int)csv_number(&want, row, "intervals"));
        expect(&w, "compute:1", csv_number(&want, row, "ideal_ns"));
        double shared = nearbyint(runtime_of(&w, "balance:steps")); // in whole ns there
        assert_true(shared == csv_number(&want, row, "balanced_steps_ns"));
        assert_true(fabs(w.ideal.compute_mean - csv_number(&want, row, "mean_outside_mpi_ns")) < 1);
    }
    csv_free(&want);
}

static void the_reference_is_met_to_the_digit(void **state)
{
    (void)state;
    csv want;
    csv_of_real_tools(DATA "reference/causes/whatif_epoch.csv", &want);
    for (size_t row = 0; row < want.rows; row++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_auto_run run = load_epoch(csv_cell(&want, row, "trace"), arena);
        pj_whatif w = begin(run, (pj_network){.latency_ns = 0}, arena);
        expect(&w, "compute:1", csv_number(&want, row, "ideal"));
        expect(&w, "balance:ranks", csv_number(&want, row, "balanced_ranks"));
        expect(&w, "compute:2", csv_number(&want, row, "all_twice"));
        expect(&w, "rank:0:2", csv_number(&want, row, "rank0_twice"));
        expect(&w, "slowest:1.1", csv_number(&want, row, "slowest_rank_10pc_faster"));
        expect(&w, pj_arena_format(arena, "bursts:%.0fns:2", csv_number(&want, row, "bursts_over")),
               csv_number(&want, row, "long_bursts_twice"));
    }
    csv_free(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_balanced_by_ranks_or_in_each_step),
        cmocka_unit_test(threads_are_in_the_step_of_their_rank),
        cmocka_unit_test(computation_is_sped_up_in_parts),
        cmocka_unit_test(useful_states_that_meet_are_one_burst),
        cmocka_unit_test(functions_are_known_by_any_name),
        cmocka_unit_test(messages_arrive_later_on_a_slower_network),
        cmocka_unit_test(tapes_of_random_programs_give_the_replay),
        cmocka_unit_test(what_is_not_honest_is_refused),
        cmocka_unit_test(tables_have_the_run_the_networks_and_each_change),
        cmocka_unit_test(a_run_without_tape_is_refused),
        cmocka_unit_test(a_tape_that_is_too_long_says_so),
        cmocka_unit_test(work_is_balanced_in_the_region_of_interest),
        cmocka_unit_test(iterations_are_steps),
        cmocka_unit_test(the_reference_is_met_to_the_digit),
        cmocka_unit_test(work_is_shared_in_the_iterations_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
