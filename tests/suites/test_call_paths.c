// Call paths of traces: what a plain recomputation finds, for any number of workers and processes,
// and of real archives what Score-P's own profile of the same run holds.
#include "metrics/analyse/profile_run.h"
#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/process_group.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "tests/support/rounds.h"
#include "tests/support/thread_group.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/random_calls.h"
#include "tests/support/trace/trace_writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"

static char folder[] = "/tmp/pj_paths_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *path_of(const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

// A profile as text

static void add_path(const pj_profile *p, uint32_t node, pj_buf *out)
{
    uint32_t way[PJ_BUILD_DEPTH + 1], count = 0;
    for (; node != PJ_NO_ITEM; node = p->nodes[node].parent)
        way[count++] = node;
    while (count > 0) {
        const pj_profile_node *n = &p->nodes[way[--count]];
        pj_buf_add(out, pj_profile_name(p, n->region));
        if (n->parameters) {
            pj_buf_puts(out, " (");
            pj_buf_add(out, pj_profile_text(p, n->parameters));
            pj_buf_puts(out, ")");
        }
        pj_buf_puts(out, count ? "/" : "");
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/// As pj_random_calls_save tells it.
static void tell(const pj_profile *p, pj_buf *out)
{
    const pj_profile_column *time = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, 0);
    const pj_profile_column *calls = pj_profile_find(p, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM);
    char **lines = NULL;
    size_t count = 0, cap = 0;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++)
        for (uint32_t l = 0; l < p->location_count; l++) {
            double visits = pj_profile_value(p, calls, n, l);
            pj_auto_buf line = {.at = NULL};
            if (isnan(visits))
                continue;
            pj_buf_addf(&line, "%d %d ", (int)p->locations[l].rank, (int)p->locations[l].thread);
            add_path(p, n, &line);
            pj_buf_addf(&line, " %.0f %.0f\n", visits, pj_profile_value(p, time, n, l) * 1e9);
            pj_grow(lines, &cap, count + 1);
            lines[count++] = strdup(line.at);
        }
    if (count)
        qsort(lines, count, sizeof *lines, by_text);
    for (size_t i = 0; i < count; i++) {
        pj_buf_puts(out, lines[i]);
        free(lines[i]);
    }
    free(lines);
}

// Reading

typedef struct reading {
    const char *path;
    pj_load_opts opts;
    unsigned workers;
    pj_buf text;    // of the leader
    uint64_t again; // one process has read the trace once more
    pj_err err;
} reading;

static void read_member(pj_process_group *group, void *context)
{
    reading *r = context;
    pj_job job = {.workers = r->workers};
    pj_load_opts opts = r->opts;
    pj_err err = {.code = PJ_E_NONE};
    opts.group = group;
    pj_profile *profile = pj_profile_run(r->path, opts, &job, NULL, &err);
    if (!group || group->rank == 0)
        r->err = err;
    if (profile) {
        tell(profile, &r->text);
        r->again = profile->oddities.count[PJ_ODDITY_read_alone];
    }
    pj_profile_release(profile);
}

static void check_text(const reading *r, const pj_buf *expected, const char *what)
{
    pj_str got = pj_buf_str(&r->text), want = pj_buf_str(expected);
    if (r->err.code)
        print_message("%s\n", r->err.text);
    while (got.len || want.len) {
        pj_str g = pj_str_cut(&got, '\n'), w = pj_str_cut(&want, '\n');
        if (pj_str_equal(g, w))
            continue;
        print_message("%s, %s: " PJ_STR_FMT "\nexpected: " PJ_STR_FMT "\n", r->path, what,
                      PJ_STR_ARG(g), PJ_STR_ARG(w));
        fail();
    }
}

static void check(const char *path, pj_load_opts opts, const pj_buf *expected)
{
    for (unsigned workers = 1; workers <= 4; workers += 3) {
        reading r = {.path = path, .opts = opts, .workers = workers};
        read_member(NULL, &r);
        check_text(&r, expected, workers == 1 ? "1 worker" : "4 workers");
        pj_buf_free(&r.text);
    }
    for (unsigned size = 2; size <= 5; size++) {
        reading r = {.path = path, .opts = opts, .workers = 1};
        pj_thread_group_run(size, read_member, &r);
        check_text(&r, expected, "several processes");
        assert_true(r.again == 0 || pj_str_ends(pj_str_of(path), PJ_S(".prv")));
        pj_buf_free(&r.text);
    }
}

// Tests

static void test_random_programs(void **state)
{
    (void)state;
    char path[256];
    path_of("run.otf2", path);
    for (uint64_t seed = pj_rounds(40, 1000); seed > 0; seed--) {
        pj_auto_buf expected = {.at = NULL};
        pj_random_calls how = {.seed = seed, .tangled = seed % 3 == 1, .teams = seed % 2};
        pj_load_opts opts = {.roi.kind = PJ_ROI_OFF};
        if (seed % 5 == 2) {
            how.from_ns = 20000 + 1000 * seed % 7777;
            how.to_ns = how.from_ns + 60000;
            opts.roi = (pj_roi_request){
                .kind = PJ_ROI_RANGE, .from = (double)how.from_ns, .to = (double)how.to_ns};
        }
        assert_true(pj_random_calls_save(how, folder, &expected));
        check(path, opts, &expected);
        pj_otf2_writer_remove(path);
    }
}

/// Functions, calls and constructs in a Paraver trace; a call ends where the next of its class
/// begins, and threads of a team stand below their master's region.
static void write_trace(const char *path)
{
    enum { PARALLEL = 60000001, BODY = 60000018, FUNCTION = 60000019, LINE = 60000119 };
    static const uint32_t threads[] = {2, 1};
    static const struct {
        uint32_t rank, thread;
        uint64_t time;
        uint32_t type;
        int64_t value;
    } events[] = {
        {0, 0, 100, FUNCTION, 1}, {0, 0, 200, FUNCTION, 2}, {0, 0, 300, 50000002, 8},
        {0, 0, 350, 50000002, 7}, {0, 0, 400, 50000002, 0}, {0, 0, 450, PARALLEL, 3},
        {0, 0, 460, BODY, 5},     {0, 1, 470, BODY, 5},     {0, 0, 500, BODY, 0},
        {0, 1, 560, BODY, 0},     {0, 0, 600, PARALLEL, 0}, {0, 0, 700, FUNCTION, 0},
        {0, 0, 750, FUNCTION, 0}, {0, 0, 760, FUNCTION, 0}, {1, 0, 200, FUNCTION, 1},
        {1, 0, 300, 50000001, 1}, {1, 0, 400, FUNCTION, 0}, {1, 0, 450, 50000001, 0},
        {1, 0, 500, FUNCTION, 2}, {1, 0, 900, 40000003, 0},
    };
    pj_auto_trace trace =
        pj_trace_writer_new((pj_trace_header){.ranks = 2, .threads = threads, .end = 1000});
    pj_err err = {.code = PJ_E_NONE};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        pj_trace_writer_event(trace, (pj_place){events[i].rank, events[i].thread}, events[i].time,
                              events[i].type, events[i].value);
    pj_trace_pair both[] = {{FUNCTION, 3}, {LINE, 4}}, none[] = {{FUNCTION, 0}, {LINE, 0}};
    pj_trace_writer_events(trace, (pj_place){1, 0}, 920, both, 2);
    pj_trace_writer_events(trace, (pj_place){1, 0}, 930, none, 2);
    pj_trace_writer_label_value(trace, FUNCTION, 1, "main");
    pj_trace_writer_label_value(trace, FUNCTION, 2, "solve (solve.c)");
    pj_trace_writer_label_value(trace, LINE, 4, "12 (flux.c, a.out)");
    pj_trace_writer_label_value(trace, BODY, 5, "loop");
    assert_true(pj_trace_writer_save(trace, path, &err));
}

static const char trace_paths[] = "0 0 main 1 150\n"
                                  "0 0 main/solve (solve.c) 1 250\n"
                                  "0 0 main/solve (solve.c)/MPI_Barrier 1 50\n"
                                  "0 0 main/solve (solve.c)/MPI_Bcast 1 50\n"
                                  "0 0 main/solve (solve.c)/OpenMP parallel 1 110\n"
                                  "0 0 main/solve (solve.c)/OpenMP parallel/loop 1 40\n"
                                  "0 1 main/solve (solve.c)/OpenMP parallel/loop 1 90\n"
                                  "1 0 MPI_Send 0 50\n"
                                  "1 0 main 1 100\n"
                                  "1 0 main/MPI_Send 1 100\n"
                                  "1 0 solve (solve.c) 1 420\n"
                                  "1 0 solve (solve.c)/function 3 1 10\n";

static void remove_trace(const char *path)
{
    static const char *const ends[] = {"prv", "pcf", "row"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        pj_auto_buf file = {.at = NULL};
        pj_buf_addf(&file, "%.*s%s", (int)(strlen(path) - 3), path, ends[i]);
        unlink(file.at);
    }
}

static void test_paraver(void **state)
{
    (void)state;
    char path[256];
    pj_auto_buf expected = {.at = NULL};
    pj_buf_puts(&expected, trace_paths);
    path_of("run.prv", path);
    write_trace(path);
    check(path, (pj_load_opts){.roi.kind = PJ_ROI_OFF}, &expected);
    pj_job job = {.workers = 1};
    pj_auto_profile profile = pj_profile_run(path, (pj_load_opts){0}, &job, NULL, NULL);
    assert_non_null(profile);
    assert_int_equal(profile->oddities.count[PJ_ODDITY_leave_without_enter], 1);
    assert_int_equal(profile->oddities.count[PJ_ODDITY_wrong_nesting], 1);
    assert_int_equal(profile->oddities.count[PJ_ODDITY_call_not_left], 1);
    const pj_profile_region *flux = &profile->regions[profile->count[PJ_AT_REGION] - 1];
    assert_int_equal(flux->line, 12);
    assert_true(pj_str_equal(pj_profile_text(profile, flux->file), PJ_S("flux.c")));
    assert_true(pj_str_equal(pj_profile_text(profile, flux->module), PJ_S("flux")));
    remove_trace(path);
}

enum { FUNCTIONS = 30, FUNCTION_CODE = 60000019 };

typedef struct function_sums {
    uint64_t visits[FUNCTIONS + 1], own_ns[FUNCTIONS + 1];
} function_sums;

/// A rank that calls functions at random, at most so deep; what each of them has.
static pj_trace_writer *write_calls(uint32_t steps, uint32_t deepest, unsigned down_percent,
                                    function_sums *sums)
{
    uint32_t *open = calloc(deepest, sizeof *open), depth = 0, random = 5;
    uint64_t time = 0;
    pj_trace_writer *trace =
        pj_trace_writer_new((pj_trace_header){.ranks = 1, .end = 10 * (uint64_t)steps});
    *sums = (function_sums){.visits = {0}};
    for (uint32_t i = 0; i < steps || depth; i++) {
        random = random * 1664525 + 1013904223;
        uint64_t step = 1 + (random >> 30);
        time += step;
        sums->own_ns[depth ? open[depth - 1] : 0] += step;
        bool down = depth == 0 || (i < steps / 2 && (random >> 8) % 100 < down_percent);
        if (down && depth < deepest && i < steps) {
            open[depth++] = 1 + (random >> 12) % FUNCTIONS;
            sums->visits[open[depth - 1]]++;
            pj_trace_writer_event(trace, (pj_place){0, 0}, time, FUNCTION_CODE, open[depth - 1]);
        } else if (depth) {
            depth--;
            pj_trace_writer_event(trace, (pj_place){0, 0}, time, FUNCTION_CODE, 0);
        }
    }
    for (uint32_t f = 1; f <= FUNCTIONS; f++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", (unsigned)f);
        pj_trace_writer_label_value(trace, FUNCTION_CODE, f, name);
    }
    free(open);
    return trace;
}

/// That each function has its visits and its own time, whatever its paths are.
static void check_sums(const char *path, uint64_t budget, const function_sums *sums)
{
    pj_job job = {.workers = 1, .memory_budget = budget};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_profile p =
        pj_profile_run(path, (pj_load_opts){.roi.kind = PJ_ROI_OFF}, &job, NULL, &err);
    if (!p)
        fail_msg("%s", err.text);
    const pj_profile_column *time = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, 0);
    const pj_profile_column *calls = pj_profile_find(p, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM);
    function_sums got = {.visits = {0}};
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        uint64_t f = 0;
        double visits = pj_profile_value(p, calls, n, 0), own = pj_profile_value(p, time, n, 0);
        pj_parse_u64(pj_str_from(pj_profile_name(p, p->nodes[n].region), 1), &f);
        got.visits[f] += isnan(visits) ? 0 : (uint64_t)visits;
        got.own_ns[f] += isnan(own) ? 0 : (uint64_t)llround(own * 1e9);
    }
    for (uint32_t f = 1; f <= FUNCTIONS; f++) {
        assert_int_equal(got.visits[f], sums->visits[f]);
        assert_int_equal(got.own_ns[f], sums->own_ns[f]);
    }
    assert_true(p->oddities.count[PJ_ODDITY_paths_folded] > 0);
    assert_int_equal(p->oddities.count[PJ_ODDITY_too_deep], 0);
}

/// Recursion without an end, and more paths than there is memory for.
static void test_folded(void **state)
{
    (void)state;
    static const struct {
        uint32_t steps, deepest;
        unsigned down;
        uint64_t budget;
    } rows[] = {{60000, 100000, 100, 0}, {200000, 40, 60, UINT64_C(24) << 20}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[256];
        function_sums sums;
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_trace trace = write_calls(rows[i].steps, rows[i].deepest, rows[i].down, &sums);
        path_of("run.prv", path);
        assert_true(pj_trace_writer_save(trace, path, &err));
        check_sums(path, rows[i].budget, &sums);
        remove_trace(path);
    }
}

/// A trace without anything that could be in a path.
static void test_nothing(void **state)
{
    (void)state;
    char path[256];
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = 1, .end = 1000});
    pj_trace_writer_state(trace, (pj_place){0, 0}, 0, 1000, 1);
    path_of("run.prv", path);
    assert_true(pj_trace_writer_save(trace, path, &err));
    assert_null(pj_profile_run(path, (pj_load_opts){0}, &job, NULL, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    remove_trace(path);
}

/// Sum over all paths of one location, ns.
static uint64_t sum_of(const pj_profile *p, uint32_t location)
{
    const pj_profile_column *time = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, 0);
    uint64_t sum = 0;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        double value = pj_profile_value(p, time, n, location);
        assert_true(isnan(value) || value >= 0);
        sum += isnan(value) ? 0 : (uint64_t)llround(value * 1e9);
    }
    return sum;
}

/// Event files cut anywhere: what was read is whole, and no time is more than there is.
static void test_cut_archives(void **state)
{
    (void)state;
    char path[256], file[256];
    path_of("run.otf2", path);
    for (uint64_t seed = pj_rounds(20, 300); seed > 0; seed--) {
        pj_auto_buf expected = {.at = NULL};
        struct stat facts;
        pj_job job = {.workers = 2};
        pj_err err = {.code = PJ_E_NONE};
        pj_random_calls how = {.seed = seed, .tangled = seed % 2, .teams = true};
        assert_true(pj_random_calls_save(how, folder, &expected));
        assert_int_equal(stat(path_of("run/1.evt", file), &facts), 0);
        assert_int_equal(truncate(file, facts.st_size * (off_t)(seed % 17) / 17), 0);
        assert_int_equal(stat(path_of("run/0.evt", file), &facts), 0);
        assert_int_equal(truncate(file, 30 + facts.st_size * (off_t)(seed % 23) / 23), 0);
        pj_run *run = NULL;
        pj_auto_profile profile = pj_profile_run(path, (pj_load_opts){0}, &job, &run, &err);
        assert_non_null(profile);
        assert_true(profile->oddities.count[PJ_ODDITY_ends_early] > 0);
        for (uint32_t l = 0; l < profile->location_count; l++)
            assert_true(sum_of(profile, l) <= run->end_ns);
        pj_run_release(run);
        pj_otf2_writer_remove(path);
    }
}

// Real archives beside the profile that Score-P made of the same run

static char *next_field(char **rest)
{
    char *begin = *rest, *end = begin;
    bool quoted = *begin == '"';
    for (end += quoted; *end && *end != (quoted ? '"' : ','); end++)
        ;
    if (quoted && *end)
        *end++ = 0;
    *rest = *end ? end + 1 : end;
    *end = 0;
    return begin + quoted;
}

/// The value of a path at a location; NaN when there is none.
static double value_of(const pj_profile *p, const pj_profile_column *column, const char *key)
{
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        pj_auto_buf path = {.at = NULL};
        add_path(p, n, &path);
        for (uint32_t l = 0; l < p->location_count; l++) {
            pj_auto_buf at = {.at = NULL};
            pj_buf_addf(&at, "%d %d %s", (int)p->locations[l].rank, (int)p->locations[l].thread,
                        path.at);
            if (strcmp(at.at, key) == 0)
                return pj_profile_value(p, column, n, l);
        }
    }
    return NAN;
}

/// "heat => main => step" without the program, which is no region of the trace, and with '/'.
static void add_key(pj_buf *out, const char *rank, const char *thread, const char *path)
{
    const char *at = strstr(path, " => ");
    pj_buf_addf(out, "%s %s ", rank, thread);
    for (const char *next; at; at = next) {
        at += strlen(" => ");
        next = strstr(at, " => ");
        pj_buf_add(out, (pj_str){at, next ? (size_t)(next - at) : strlen(at)});
        pj_buf_puts(out, next ? "/" : "");
    }
}

/// metric,cnode,function,path,file,begin_line,rank,thread,location,exclusive,inclusive
static bool check_row(const pj_profile *p, char *line)
{
    enum { METRIC, PATH = 3, RANK = 6, THREAD, EXCLUSIVE = 9, FIELDS };
    char *field[FIELDS];
    for (unsigned i = 0; i < FIELDS; i++)
        field[i] = next_field(&line);
    double expected = strtod(field[EXCLUSIVE], NULL);
    bool visits = strcmp(field[METRIC], "visits") == 0, time = strcmp(field[METRIC], "time") == 0;
    if (!(visits || time) || expected == 0 || !strstr(field[PATH], " => "))
        return false;
    pj_auto_buf key = {.at = NULL};
    add_key(&key, field[RANK], field[THREAD], field[PATH]);
    const pj_profile_column *column =
        pj_profile_find(p, PJ_AT_NODE, visits ? PJ_CALLS : PJ_EXCLUSIVE, visits ? PJ_NO_ITEM : 0);
    double value = value_of(p, column, key.at);
    bool near = visits ? value == expected : fabs(value - expected) <= 5e-6;
    if (!near)
        print_message("%s: %s is %.9g, not %.9g\n", key.at, field[METRIC], value, expected);
    assert_true(near);
    return true;
}

static void test_beside_score_p(void **state)
{
    (void)state;
    static const char *const runs[] = {"heat_4x2", "heat_4x2_filtered"};
    if (access(DATA "profiles/scorep", R_OK) != 0) {
        print_message("no " DATA ": only archives of random programs are compared\n");
        skip();
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char path[512], line[4096];
        pj_job job = {.workers = 2};
        snprintf(path, sizeof path, DATA "profiles/scorep/%s/traces.otf2", runs[i]);
        pj_auto_profile profile = pj_profile_run(path, (pj_load_opts){0}, &job, NULL, NULL);
        assert_non_null(profile);
        snprintf(path, sizeof path, DATA "reference/profiles/cubex/scorep_%s_paths.csv", runs[i]);
        FILE *reference = fopen(path, "r");
        size_t rows = 0;
        assert_non_null(reference);
        while (fgets(line, sizeof line, reference))
            rows += check_row(profile, line);
        fclose(reference);
        assert_true(rows > 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_paraver),
        cmocka_unit_test(test_folded),          cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_cut_archives),    cmocka_unit_test(test_beside_score_p),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
