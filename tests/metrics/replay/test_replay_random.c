// Random programs: the replay against a simulator that has the whole program before it, and events
// without sense, which must end.
#include "metrics/analyse/load.h"
#include "tests/support/folder.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/random_program.h"

#include "metrics/base/buf.h"
#include "metrics/base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return random_program_below(seed, limit);
}

static void check_program(uint64_t seed, bool apart)
{
    auto_program p = random_program_new(seed);
    double ideal[RANDOM_PROGRAM_RANKS];
    pj_auto_script s = random_program_script(p, apart);
    assert_true(random_program_ideal(p, ideal));
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, seed % 3 ? seed % 50 : 0);
    if (!s->run->ideal.available)
        fail_msg("seed %llu: %s", (unsigned long long)seed, s->run->ideal.reason);
    for (uint32_t r = 0; r < random_program_ranks(p); r++)
        if (s->run->ideal.finish_ns[r] != ideal[r])
            fail_msg("seed %llu rank %u of %u: %.0f is not %.0f", (unsigned long long)seed, r,
                     random_program_ranks(p), s->run->ideal.finish_ns[r], ideal[r]);
}

static void programs_take_what_the_simulator_says(void **state)
{
    (void)state;
    const uint64_t rounds = pj_rounds(10000, 200000);
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_program(seed, false);
}

static void the_same_where_messages_come_apart(void **state)
{
    (void)state;
    const uint64_t rounds = pj_rounds(3000, 200000);
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_program(seed, true);
}

/// Half of the time a part of the run.
static pj_roi random_roi(uint64_t *seed, uint64_t end)
{
    uint32_t length = (uint32_t)end + 1;
    pj_roi roi = {.set = below(seed, 2), .from_ns = below(seed, length)};
    roi.to_ns = roi.from_ns + 1 + below(seed, length);
    return roi;
}

static void check_both(uint64_t seed)
{
    static const pj_network networks[] = {{.latency_ns = 0},
                                          {.latency_ns = 100, .bandwidth = 1e9},
                                          {.bandwidth = 3e9, .eager_bytes = 100},
                                          {.latency_ns = 7, .all_rendezvous = true}};
    auto_program p = random_program_new(seed);
    pj_auto_script records = random_program_script(p, false);
    pj_auto_script apart = random_program_script(p, true);
    pj_replay_opts opts = {.network = networks[below(&seed, 4)]};
    records->run->roi = apart->run->roi = random_roi(&seed, records->run->end_ns);
    pj_script_replay(records, opts, 1 + below(&seed, 50));
    pj_script_replay(apart, opts, 1 + below(&seed, 50));
    assert_true(records->run->ideal.available);
    for (uint32_t r = 0; r < random_program_ranks(p); r++)
        pj_script_expect(apart, r, records->run->ideal.finish_ns[r],
                         records->run->ideal.compute_ns[r]);
    assert_true(apart->run->ideal.runtime_ns == records->run->ideal.runtime_ns);
    assert_memory_equal(&apart->run->import, &records->run->import, sizeof apart->run->import);
}

/// Also on other networks, and for parts of the run.
static void ends_give_what_records_give(void **state)
{
    (void)state;
    const uint64_t rounds = pj_rounds(3000, 200000);
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_both(seed);
}

typedef struct lines { // sorted; texts are those of `file`
    pj_buf file;
    char **items;
    size_t count, cap;
} lines;

static int order_of_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// The records of an idealised trace, which is removed. Its header has the time of day.
static lines take_records(const char *base)
{
    static const char *const ends[] = {"prv", "pcf", "row"};
    lines l = {.items = NULL};
    pj_err err = {.code = PJ_E_NONE};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        pj_auto_buf path = {.at = NULL};
        pj_buf_addf(&path, "%s.%s", base, ends[i]);
        assert_true(i > 0 || pj_file_read(path.at, &l.file, &err));
        unlink(path.at);
    }
    char *rest = NULL;
    strtok_r(l.file.at, "\n", &rest);
    for (char *at; (at = strtok_r(NULL, "\n", &rest));) {
        pj_grow(l.items, &l.cap, l.count + 1);
        l.items[l.count++] = at;
    }
    if (l.count)
        qsort(l.items, l.count, sizeof *l.items, order_of_lines);
    return l;
}

static lines idealised(const random_program *p, bool apart)
{
    const char *base = folder_file("ideal");
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s.prv", base);
    pj_auto_script s = random_program_script(p, apart);
    pj_script_replay(s, (pj_replay_opts){.ideal_path = path.at}, 0);
    return take_records(base);
}

static void free_lines(lines *l)
{
    pj_buf_free(&l->file);
    free(l->items);
}

static void idealised_traces_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= pj_rounds(100, 2000); seed++) {
        auto_program p = random_program_new(seed);
        lines records = idealised(p, false), apart = idealised(p, true);
        assert_int_equal(records.count, apart.count);
        for (size_t i = 0; i < records.count; i++)
            assert_string_equal(apart.items[i], records.items[i]);
        free_lines(&records);
        free_lines(&apart);
    }
}

/// Whether ranks end as they did.
static bool takes_as_long_again(uint64_t seed, bool apart)
{
    auto_program p = random_program_new(seed);
    pj_auto_script s = random_program_script(p, apart);
    const char *path = folder_file("again.prv");
    pj_script_replay(s, (pj_replay_opts){.ideal_path = path}, 0);
    pj_job job = {.workers = 1};
    pj_err err = {0};
    pj_auto_run run = pj_load(path, (pj_load_opts){0}, &job, &err);
    if (!run)
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
    lines records = take_records(folder_file("again"));
    free_lines(&records);
    if (!run->has_mpi) // nothing to replay
        return true;
    assert_int_equal(run->import.count[PJ_IMPORT_collective_without_fields], 0);
    bool alike = run->ideal.available;
    for (uint32_t r = 0; alike && r < run->layout.ranks; r++)
        alike = s->run->ideal.finish_ns[r] == run->ideal.finish_ns[r];
    return alike;
}

/// Also where calls that take no time touch each other, where completions alone name the
/// communicators of non-blocking collectives, and where receives of a rank from itself and from
/// others are posted and complete at one time (the first seeds).
static void idealised_traces_take_as_long_again(void **state)
{
    (void)state;
    static const uint64_t at_one_time[] = {1078, 1560, 4979, 5155, 8268};
    for (size_t i = 0; i < sizeof at_one_time / sizeof *at_one_time; i++)
        assert_true(takes_as_long_again(at_one_time[i], false));
    for (uint64_t seed = 1; seed <= pj_rounds(300, 5000); seed++)
        if (!takes_as_long_again(seed, false) || !takes_as_long_again(seed, true))
            fail_msg("seed %llu takes another time", (unsigned long long)seed);
}

// Events without sense

/// In the call that is open, or in none.
static void random_end(pj_script *s, uint64_t *seed, uint64_t time)
{
    static const pj_part_kind kinds[] = {PJ_PART_SEND, PJ_PART_POST, PJ_PART_RECEIVE,
                                         PJ_PART_COMPLETE};
    pj_script_end end = {.kind = kinds[below(seed, 4)],
                         .other = below(seed, s->run->layout.ranks),
                         .tag = below(seed, 3)};
    end.more = end.kind == PJ_PART_SEND ? below(seed, 70000) : below(seed, (uint32_t)time + 2);
    pj_script_apart(s, below(seed, s->run->layout.locations),
                    (pj_script_ends){.begin = time, .ends = &end, .count = 1});
}

static void random_event(pj_script *s, uint64_t *seed, uint64_t *time)
{
    uint32_t location = below(seed, s->run->layout.locations);
    *time += below(seed, 20);
    uint64_t at = below(seed, 10) ? *time : below(seed, 400);
    switch (below(seed, 6)) {
    case 0:
        pj_script_send(s, (pj_script_message){.from = location,
                                              .to = below(seed, s->run->layout.locations),
                                              .send = below(seed, 400),
                                              .post = below(seed, 400),
                                              .received = below(seed, 400),
                                              .size = below(seed, 70000),
                                              .record = at});
        break;
    case 1:
        pj_script_openmp(s, location, (uint16_t)(1 + below(seed, 7)), below(seed, 3), at);
        break;
    case 2:
        pj_script_event(s, (pj_event){.time = at,
                                      .a = below(seed, 4),
                                      .b = below(seed, 100),
                                      .location = location,
                                      .kind = PJ_EV_COLLECTIVE,
                                      .code = (uint16_t)below(seed, 2)});
        break;
    case 3:
        pj_script_event(
            s, (pj_event){.time = at,
                          .a = (uint64_t)below(seed, 4) << 32 | below(seed, 4),
                          .location = location,
                          .kind = (uint16_t)(below(seed, 2) ? PJ_EV_REQUEST : PJ_EV_COMPLETE),
                          .code = (uint16_t)below(seed, 2)});
        break;
    default:
        pj_script_event(s, (pj_event){.time = at,
                                      .a = below(seed, 2) * below(seed, 200),
                                      .location = location,
                                      .kind = PJ_EV_MPI,
                                      .code = (uint16_t)(1 + below(seed, 5))});
    }
}

/// `ends`: among them ends of messages, of any ten events.
static void check_events_end(unsigned ends)
{
    unsigned available = 0;
    for (uint64_t k = 1; k <= 10000; k++) {
        uint64_t seed = k, time = 0;
        pj_auto_script s = pj_script_new(1 + below(&seed, 4), 1 + below(&seed, 3));
        for (uint32_t i = below(&seed, 60); i > 0; i--)
            if (below(&seed, 10) < ends)
                random_end(s, &seed, time);
            else
                random_event(s, &seed, &time);
        pj_script_replay(s, (pj_replay_opts){.job = NULL}, 1 + k % 7);
        available += s->run->ideal.available;
        if (s->run->ideal.available)
            assert_true(s->run->ideal.runtime_ns >= 0);
        else
            assert_non_null(s->run->ideal.reason);
    }
    assert_true(available > 1000); // and not all are refused
}

static void events_without_sense_end(void **state)
{
    (void)state;
    check_events_end(0);
    check_events_end(5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_take_what_the_simulator_says),
        cmocka_unit_test(the_same_where_messages_come_apart),
        cmocka_unit_test(ends_give_what_records_give),
        cmocka_unit_test(idealised_traces_are_the_same),
        cmocka_unit_test(idealised_traces_take_as_long_again),
        cmocka_unit_test(events_without_sense_end),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
