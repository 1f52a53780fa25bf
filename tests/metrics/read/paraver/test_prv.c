// What records and headers of Paraver traces become, with all tolerances.
#include "metrics/base/buf.h"
#include "metrics/read/paraver/prv_block.h"
#include "metrics/read/paraver/prv_scan.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/trace/mpi_call.h"
#include "tests/support/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEADER "#Paraver (09/10/2019 at 16:10):1000_ns:2(2,2):1:3(2:1,1:2,1:2),1\n"
#define WORLD "c:1:1:3:1:2:3\n"

static pj_run *read_text(recorder *out, const char *text, pj_err *err)
{
    *err = (pj_err){.code = PJ_E_NONE};
    return recorder_read(out, "memory", pj_str_of(text), 1, err);
}

static pj_run *read_good(recorder *out, const char *text)
{
    pj_err err;
    pj_run *run = read_text(out, text, &err);
    if (!run)
        fail_msg("%s: %s", text, err.text);
    return run;
}

static uint64_t oddities(const pj_run *run)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < PJ_IMPORT_COUNT; k++)
        sum += run->import.count[k];
    return sum - run->import.count[PJ_IMPORT_ends_early];
}

typedef struct line_case {
    const char *line;
    pj_import_key oddity; // PJ_IMPORT_COUNT = none
    size_t events;        // that it becomes
} line_case;

#define NONE PJ_IMPORT_COUNT

static const line_case line_cases[] = {
    {"1:1:1:1:1:0:10:1", NONE, 1},
    {"1:1:1:1:2:0:10:1:", NONE, 1},
    {"1:0:1:1:1:0:10:1", NONE, 1},
    {"1:1:1:1:1:5:-1:1", NONE, 1},
    {"1:1:1:1:1:5:5:1", NONE, 1},
    {"1:1:1:1:1:10:5:1", PJ_IMPORT_reversed_state, 0},
    {"1:1:1:1:1:-1:5:1", PJ_IMPORT_negative_time, 0},
    {"1:1:1:1:1:1:-5:1", PJ_IMPORT_negative_time, 0},
    {"1:1:1:1:1:9223372036854775808:9223372036854775809:1", PJ_IMPORT_large_time, 0},
    {"1:1:1:1:1:99999999999999999999999999:1:1", PJ_IMPORT_large_time, 0},
    {"1:1:1:1:1:0:9223372036854775807:1", NONE, 1},
    {"1:1:1:1:1:0:10", PJ_IMPORT_malformed_record, 0},
    {"1:1:1:1:1:0:10:1:7", PJ_IMPORT_malformed_record, 0},
    {"1:1:1:1:1:0::1", PJ_IMPORT_malformed_record, 0},
    {"1:1:1:1:1:0:ten:1", PJ_IMPORT_malformed_record, 0},
    {"1:1:1:1:1:0:10:1 7", PJ_IMPORT_malformed_record, 0},
    {"1", PJ_IMPORT_unknown_record, 0},
    {"1:", PJ_IMPORT_malformed_record, 0},
    {"1:1:1:4:1:0:10:1", PJ_IMPORT_unknown_thread, 0},
    {"1:1:1:0:1:0:10:1", PJ_IMPORT_unknown_thread, 0},
    {"1:1:1:1:3:0:10:1", PJ_IMPORT_unknown_thread, 0},
    {"1:1:2:1:1:0:10:1", PJ_IMPORT_unknown_thread, 0},
    {"1:1:1:18446744073709551617:1:0:10:1", PJ_IMPORT_malformed_record, 0},
    {"1:5:1:1:1:0:10:1", PJ_IMPORT_unknown_cpu, 0},
    {"1:3:1:1:1:0:10:1", PJ_IMPORT_foreign_cpu, 0},
    {"1:3:1:2:1:0:10:1", NONE, 1},
    {"1:1:1:1:1:0:10:70000", NONE, 1},
    {"2:1:1:1:1:7:50000001:1", NONE, 1},
    {"2:1:1:1:1:7:50000001:1:", NONE, 1},
    {"2:1:1:1:1:7:123:1", NONE, 1},
    {"2:1:1:1:1:7:123:1:124:2", NONE, 1},
    {"2:1:1:1:1:7:42000050:5:42000059:6:42000000:7", NONE, 1},
    {"2:1:1:1:1:7:42000059:5:42000050:6", NONE, 2},
    {"2:1:1:1:1:7:42000050:-5", NONE, 1},
    {"2:1:1:1:1:7:42000050:9223372036854775808", PJ_IMPORT_large_value, 1},
    {"2:1:1:1:1:7:42000050:-9223372036854775808", NONE, 1},
    {"2:1:1:1:1:7:123:99999999999999999999", NONE, 1},
    {"2:1:1:1:1:7:50000001", PJ_IMPORT_malformed_record, 0},
    {"2:1:1:1:1:7:50000001:", PJ_IMPORT_malformed_record, 0},
    {"2:1:1:1:1:7:50000001:1:50000002", PJ_IMPORT_malformed_record, 0},
    {"2:1:1:1:1:7", PJ_IMPORT_malformed_record, 0},
    {"2:1:1:1:1:-7:50000001:1", PJ_IMPORT_negative_time, 0},
    {"2:1:1:1:1:7:050000001:1", NONE, 1},
    {"2:1:1:1:1:7:50000002:7:50100001:8:50100002:4:50100004:1", NONE, 2},
    {"2:1:1:1:1:7:50100004:1:50000002:7", NONE, 2},
    {"2:1:1:1:1:7:50000002:7", NONE, 1},
    {"2:1:1:1:1:7:50000002:0:50100004:1", NONE, 1},
    {"2:1:1:1:1:7:60000018:3:60000118:9", NONE, 2},
    {"2:1:1:1:1:7:60000018:3:60000120:9", NONE, 1},
    {"2:1:1:1:1:7:60000019:3:60000119:9", NONE, 2},
    {"3:1:1:1:1:1:2:3:1:2:1:3:4:100:9", NONE, 1},
    {"3:1:1:1:1:1:2:3:1:2:1:3:4:100:-1", NONE, 1},
    {"3:1:1:1:1:1:2:3:1:2:1:3:4:100:9:", NONE, 1},
    {"3:1:1:1:1:1:2:3:1:2:1:3:4:100", PJ_IMPORT_malformed_record, 0},
    {"3:1:1:1:1:1:2:3:1:9:1:3:4:100:9", PJ_IMPORT_unknown_thread, 0},
    {"3:1:1:1:1:1:2:3:1:2:1:3:-4:100:9", PJ_IMPORT_negative_time, 0},
    {"3:1:1:1:1:1:2:3:1:2:1:3:4:-100:9", PJ_IMPORT_malformed_record, 0},
    {"4:1:1:1:1:7:1:8:8:0:0", PJ_IMPORT_global_communication, 0},
    {"5:1:1:1:1:7", PJ_IMPORT_unknown_record, 0},
    {"12:1:1:1:1:0:10:1", PJ_IMPORT_unknown_record, 0},
    {"nonsense", PJ_IMPORT_unknown_record, 0},
    {"c:1:1:2:1:2", PJ_IMPORT_unknown_record, 0},
    {"# a comment", NONE, 0},
    {"", NONE, 0},
    {"  ", NONE, 0},
};

static void each_line_becomes_its_events(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    for (size_t i = 0; i < sizeof line_cases / sizeof *line_cases; i++) {
        static const char *const ends[] = {"\n", "\r\n", ""};
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
            char text[512];
            snprintf(text, sizeof text, HEADER WORLD "2:1:1:1:1:0:40000001:1\n%s%s",
                     line_cases[i].line, ends[e]);
            pj_auto_run run = read_good(&out, text);
            const line_case *c = &line_cases[i];
            bool unended = !*ends[e] && *c->line;
            if (out.count != c->events + 1)
                fail_msg("'%s' became %zu events", c->line, out.count - 1);
            if (oddities(run) != (uint64_t)(c->oddity != NONE) + unended)
                fail_msg("'%s' has %llu oddities", c->line, (unsigned long long)oddities(run));
            if (c->oddity != NONE) {
                assert_int_equal(run->import.count[c->oddity], 1);
                assert_int_equal(run->import.first_line[c->oddity], 4);
            }
        }
    }
    recorder_free(&out);
}

static void fields_reach_the_events(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    pj_auto_run run =
        read_good(&out, HEADER WORLD
                  "1:1:1:1:2:5:10:3\n"
                  "2:3:1:2:1:7:50000002:9:50100001:8:50100002:24:50100003:1:50100004:1:42000050:11"
                  ":42000059:22\n"
                  "2:4:1:3:1:8:50000003:31\n"
                  "2:4:1:3:1:9:50000003:250\n"
                  "2:4:1:3:1:9:40000012:1:60000005:4\n"
                  "3:1:1:1:1:1:2:3:1:2:1:30:40:100:-9\n"
                  "2:1:1:1:1:7:42000050:-5\n");
    const pj_event *e = out.events;
    assert_int_equal(out.count, 10);
    assert_int_equal(e[0].kind, PJ_EV_STATE);
    assert_int_equal(e[0].location, 1);
    assert_int_equal(e[0].time, 5);
    assert_int_equal(e[0].a, 10);
    assert_int_equal(e[0].code, 3);
    assert_int_equal(e[1].kind, PJ_EV_MPI);
    assert_int_equal(e[1].code, PJ_MPI_COLLECTIVE);
    assert_string_equal(pj_mpi_call_at((pj_mpi_call)e[1].a)->name, "MPI_Reduce");
    assert_int_equal(e[2].kind, PJ_EV_COUNTERS);
    assert_int_equal(e[2].a, 11);
    assert_int_equal(e[2].b, 22);
    assert_int_equal(e[3].kind, PJ_EV_COLLECTIVE);
    assert_int_equal(e[3].location, 2);
    assert_int_equal(e[3].a, 1);
    assert_int_equal(e[3].b, 24);
    assert_int_equal(e[3].code, 1);
    assert_int_equal(pj_mpi_call_at((pj_mpi_call)e[4].a)->role, PJ_ROLE_INIT);
    assert_int_equal(e[5].a, PJ_MPI_UNKNOWN);
    assert_int_equal(e[6].kind, PJ_EV_TRACING);
    assert_int_equal(e[7].kind, PJ_EV_OPENMP);
    assert_int_equal(e[7].code, PJ_OMP_BARRIER);
    assert_int_equal(e[7].a, 4);
    assert_int_equal(e[8].kind, PJ_EV_MESSAGE);
    const pj_message *m = &out.messages[0];
    assert_int_equal(m->from, 0);
    assert_int_equal(m->to, 2);
    assert_int_equal(m->physical_send, 2);
    assert_int_equal(m->logical_recv, 30);
    assert_int_equal(m->physical_recv, 40);
    assert_int_equal(m->size, 100);
    assert_int_equal(m->tag, -9);
    assert_int_equal((int64_t)e[9].a, -5);
    recorder_free(&out);
    (void)run;
}

static void trace_end_is_the_later_of_header_and_records(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    pj_auto_run early = read_good(&out, HEADER WORLD "1:1:1:1:1:0:10:1\n");
    assert_int_equal(early->end_ns, 1000);
    assert_int_equal(early->import.count[PJ_IMPORT_ends_early], 1);
    pj_auto_run late = read_good(&out, HEADER WORLD "3:1:1:1:1:1:2:3:1:2:1:3:4000:100:9\n");
    assert_int_equal(late->end_ns, 4000);
    assert_int_equal(late->import.count[PJ_IMPORT_ends_early], 0);
    recorder_free(&out);
}

static void headers_that_are_read(void **state)
{
    static const struct {
        const char *header;
        uint32_t ranks, locations, applications;
        uint64_t end_ns;
    } cases[] = {
        {"#Paraver (09/10/19 at 16:10):7_ns:1(16):1:2(1:1,1:1),0", 2, 2, 1, 7},
        {"#Paraver (09/10/2019 at 16:10):7_us:1(16):1:2(1:1,1:1)", 2, 2, 1, 7000},
        {"#Paraver (09/10/2019 at 16:10):7:1(16):1:2(1:1,3:1)", 2, 4, 1, 7000},
        {"#Paraver (09/10/2019 at 16:10):7_ms:1(16):1:2(1:1,1:1)", 2, 2, 1, 7000000},
        {"#Paraver (x):7_ns:0:1:2(1:0,1:0)", 2, 2, 1, 7},
        {"#Paraver (x):7_ns:4:1:4(1:1,1:2,1:3,1:4)\r", 4, 4, 1, 7},
        {"#Paraver (x):7_ns:1(4):2:1(2:1),3(1:1,1:1,1:1),0  ", 4, 5, 2, 7},
        {"#Paraver (x):7_ns:1(4):1:1(1:9),0", 1, 1, 1, 7},
    };
    (void)state;
    recorder out = {.events = NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\n1:1:1:1:1:0:1:1\n", cases[i].header);
        pj_auto_run run = read_good(&out, text);
        assert_int_equal(run->layout.ranks, cases[i].ranks);
        assert_int_equal(run->layout.locations, cases[i].locations);
        assert_int_equal(run->layout.applications, cases[i].applications);
        assert_int_equal(run->end_ns, cases[i].end_ns);
        assert_int_equal(out.count, 1);
        uint64_t unit = cases[i].end_ns / 7;
        assert_int_equal(out.events[0].a, unit);
    }
    recorder_free(&out);
}

static void headers_that_are_refused(void **state)
{
    static const struct {
        const char *header;
        pj_err_code code;
    } cases[] = {
        {"#Paraver", PJ_E_FORMAT},
        {"#Paraver (09/10/2019 at 16:10)", PJ_E_FORMAT},
        {"#Paraver (x):", PJ_E_FORMAT},
        {"#Paraver (x):7_years:1(16):1:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):9223372036854775808_ns:1(16):1:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):9223372036854775807_us:1(16):1:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:2(16):1:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1000000000(16):1:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16:1:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):0:", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):1:0()", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):1:1(0:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):1:2(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):2:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):1:1000000000(1:1,1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):1:1(1000000000:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):1000000000:1(1:1)", PJ_E_FORMAT},
        {"#Paraver (x):7_ns:1(16):1:1(1:1),many", PJ_E_FORMAT},
        {"new format", PJ_E_FORMAT},
        {"#something else", PJ_E_FORMAT},
        {"", PJ_E_FORMAT},
    };
    (void)state;
    recorder out = {.events = NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        pj_err err;
        snprintf(text, sizeof text, "%s\n1:1:1:1:1:0:1:1\n", cases[i].header);
        pj_run *run = read_text(&out, text, &err);
        if (run)
            fail_msg("'%s' was read", cases[i].header);
        assert_int_equal(err.code, cases[i].code);
        assert_string_equal(err.where, "memory");
    }
    recorder_free(&out);
}

static void a_header_alone_is_refused(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    pj_err err;
    assert_null(read_text(&out, HEADER WORLD, &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_null(read_text(&out, HEADER WORLD "1:1:1:1:1:0:10\nnonsense\n", &err));
    assert_int_equal(err.line, 4);
    recorder_free(&out);
}

static void a_promise_beyond_the_budget_is_refused(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    pj_job job = {.workers = 1, .memory_budget = 1 << 20};
    pj_sink sink = recorder_sink(&out);
    pj_run *run = pj_run_new("memory");
    pj_pass pass = {.run = run, .sinks = &sink, .sink_count = 1, .job = &job};
    pj_err err = {.code = PJ_E_NONE};
    assert_false(
        pj_read_memory("memory", PJ_S("#Paraver (x):7_ns:0:1:1(10000000:0)\n"), &pass, &err));
    assert_int_equal(err.code, PJ_E_MEMORY);
    assert_true(pj_arena_size(run->arena) < 1 << 20);
    pj_run_release(run);
    recorder_free(&out);
}

static void communicators_are_kept(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    pj_auto_run run = read_good(&out, "#Paraver (x):7_ns:0:2:2(1:0,1:0),2(2:0,1:0),6\n"
                                      "c:1:1:2:1:2\n"
                                      "# a comment\n"
                                      "\n"
                                      "i:2:7:2:1:2\n"
                                      "C:2:8:1:-1\n"
                                      "c:1:9:0\n"
                                      "c:1:10:3:1:2:3\n"
                                      "c:3:11:1:1\n"
                                      "1:0:1:1:1:0:7:1\n");
    assert_int_equal(run->names.communicator_count, 4);
    const pj_communicator *c = run->names.communicators;
    assert_int_equal(c[0].size, 2);
    assert_int_equal(c[0].ranks[1], 1);
    assert_false(c[0].inter);
    assert_true(c[1].inter);
    assert_int_equal(c[1].id, 7);
    assert_int_equal(c[1].application, 1);
    assert_int_equal(c[1].ranks[0], 2);
    assert_int_equal(c[1].ranks[1], 3);
    assert_int_equal(c[2].size, 0);
    assert_int_equal(c[3].size, 0);
    assert_int_equal(run->import.count[PJ_IMPORT_bad_communicator], 2);
    assert_int_equal(run->import.first_line[PJ_IMPORT_bad_communicator], 8);
    assert_int_equal(run->import.count[PJ_IMPORT_communicator_number], 0);
    recorder_free(&out);
}

/// Repeatable noise.
static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/// A record line, now and then with a byte that does not belong there.
static void add_noisy_line(pj_buf *out, uint32_t *seed)
{
    static const char *const types[] = {"42000050", "42000059", "42000000", "50000001", "50000002",
                                        "50100004", "60000018", "1",        "70000001"};
    unsigned kind = noise(seed) % 3;
    size_t begin = out->len;
    pj_buf_addf(out, "%u:%u:1:%u:1:%u", kind + 1, noise(seed) % 3, noise(seed) % 4,
                noise(seed) % 100000);
    for (unsigned i = noise(seed) % 12; kind == 1 && i > 0; i--)
        pj_buf_addf(out, ":%s:%u", types[noise(seed) % 9], noise(seed) % 100000);
    if (kind == 0)
        pj_buf_addf(out, ":%u:%u", 1000 + noise(seed) * 100, noise(seed) % 20);
    if (kind == 2)
        pj_buf_addf(out, ":9:0:1:2:1:%u:%u:7:8", noise(seed), noise(seed));
    if (noise(seed) % 3 == 0) {
        static const char bytes[] = "0123456789:::-a \r#";
        out->at[begin + noise(seed) % (out->len - begin)] = bytes[noise(seed) % (sizeof bytes - 1)];
    }
    if (noise(seed) % 50 == 0)
        pj_buf_addf(out, "%0*u", (int)(noise(seed) % 100), noise(seed));
    if (noise(seed) % 3 == 0)
        pj_buf_add_char(out, '\r');
    pj_buf_add_char(out, '\n');
}

static void same_batches(const pj_prv_batch *a, const pj_prv_batch *b)
{
    pj_batch fast = pj_prv_batch_view(a), careful = pj_prv_batch_view(b);
    assert_int_equal(fast.count, careful.count);
    assert_int_equal(fast.message_count, careful.message_count);
    assert_int_equal(a->lines, b->lines);
    assert_int_equal(a->out.records, b->out.records);
    assert_int_equal(a->out.last_ns, b->out.last_ns);
    assert_memory_equal(&a->import, &b->import, sizeof a->import);
    for (size_t i = 0; i < fast.count; i++) {
        const pj_event *e = &fast.events[i], *f = &careful.events[i];
        assert_true(e->time == f->time && e->a == f->a && e->b == f->b &&
                    e->location == f->location && e->kind == f->kind && e->code == f->code);
    }
}

static void fast_reading_equals_careful_reading(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    pj_auto_run run = read_good(&out, HEADER WORLD "1:0:1:1:1:0:10:1\n");
    static pj_prv_trace trace;
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    assert_true(pj_prv_header_parse(PJ_S(HEADER), run, &job, &trace.header, &err));
    uint32_t seed = 7;
    pj_prv_block *reader = pj_prv_block_new(&trace);
    for (unsigned round = 0; round < 60; round++) {
        pj_auto_buf text = {.at = NULL};
        pj_prv_batch fast = {.events = NULL}, careful = {.events = NULL};
        for (unsigned i = 0; i < PJ_BLOCK_PAD; i++)
            pj_buf_add_char(&text, '7');
        for (unsigned i = 0; i < 1000; i++)
            add_noisy_line(&text, &seed);
        size_t len = text.len - PJ_BLOCK_PAD;
        memset(pj_buf_room(&text, PJ_BLOCK_PAD), '7', PJ_BLOCK_PAD);
        pj_str lines = {text.at + PJ_BLOCK_PAD, len};
        pj_prv_batch_begin(&fast, &trace, len);
        pj_prv_block_read(reader, lines, &fast);
        pj_prv_batch_begin(&careful, &trace, len);
        while (lines.len) {
            careful.lines++;
            pj_prv_line(&trace, pj_str_cut(&lines, '\n'), &careful);
        }
        assert_true(careful.out.records > 100);
        same_batches(&fast, &careful);
        pj_prv_batch_free(&fast);
        pj_prv_batch_free(&careful);
    }
    pj_prv_block_free(reader);
    recorder_free(&out);
}

static void all_scans_mark_the_same(void **state)
{
    (void)state;
    uint32_t seed = 3;
    pj_prv_marks *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    for (unsigned round = 0; round < 200; round++) {
        pj_auto_buf text = {.at = NULL};
        while (text.len < PJ_PRV_CHUNK)
            add_noisy_line(&text, &seed);
        for (unsigned i = noise(&seed) % 40; i > 0; i--)
            text.at[noise(&seed) % text.len] = (char)noise(&seed);
        pj_buf_room(&text, PJ_PRV_WORD);
        size_t size = noise(&seed) % PJ_PRV_CHUNK;
        pj_prv_scan_choose()(text.at, size, a);
        pj_prv_scan_plain(text.at, size, b);
        assert_int_equal(a->line_count, b->line_count);
        assert_memory_equal(a->lines, b->lines, a->line_count * sizeof *a->lines);
        size_t ends = a->line_count ? a->lines[a->line_count - 1] / 2 + 1 : 0;
        assert_memory_equal(a->ends, b->ends, ends * sizeof *a->ends);
    }
    free(a);
    free(b);
}

/// The records of a thread as the recorder got them.
static void sorted_like(const recorder *sorted, const recorder *shuffled, uint32_t location)
{
    size_t j = 0;
    for (size_t i = 0; i < sorted->count; i++) {
        if (sorted->events[i].location != location)
            continue;
        while (shuffled->events[j].location != location)
            j++;
        assert_int_equal(sorted->events[i].time, shuffled->events[j].time);
        assert_int_equal(sorted->events[i].a, shuffled->events[j].a);
        j++;
    }
}

static void unordered_records_are_put_in_order(void **state)
{
    (void)state;
    enum { LINES = 30000, WINDOW = 50 };
    pj_auto_buf sorted = {.at = NULL}, shuffled = {.at = NULL};
    pj_buf_puts(&sorted, HEADER WORLD);
    pj_buf_puts(&shuffled, HEADER WORLD);
    for (unsigned i = 0; i < LINES; i++) {
        unsigned j = i - i % WINDOW + (WINDOW - 1 - i % WINDOW);
        pj_buf_addf(&sorted, "2:0:1:%u:1:%u:60000001:%u\n", i % 3 + 1, i * 10, i);
        pj_buf_addf(&shuffled, "2:0:1:%u:1:%u:60000001:%u\n", j % 3 + 1, j * 10, j);
    }
    recorder a = {.events = NULL}, b = {.events = NULL};
    for (unsigned workers = 1; workers <= 4; workers += 3) {
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_run good = recorder_read(&a, "memory", pj_buf_str(&sorted), workers, &err);
        pj_auto_run bad = recorder_read(&b, "memory", pj_buf_str(&shuffled), workers, &err);
        assert_non_null(good);
        assert_non_null(bad);
        assert_int_equal(good->import.count[PJ_IMPORT_time_backwards], 0);
        assert_true(bad->import.count[PJ_IMPORT_time_backwards] > LINES / 2);
        assert_int_equal(a.count, b.count);
        for (uint32_t location = 0; location < 4; location++)
            sorted_like(&a, &b, location);
    }
    recorder_free(&a);
    recorder_free(&b);
}

static void the_first_unordered_line_is_told(void **state)
{
    (void)state;
    recorder out = {.events = NULL};
    pj_auto_run run = read_good(&out, HEADER WORLD "1:0:1:1:1:100:110:1\n"
                                                   "1:0:1:1:2:50:60:1\n"
                                                   "3:0:1:1:1:1:1:0:1:2:1:2:2:8:8\n"
                                                   "# a comment\n"
                                                   "2:0:1:1:1:90:60000001:1:60000005:1\n"
                                                   "2:0:1:1:1:80:60000001:0\n");
    assert_int_equal(run->import.count[PJ_IMPORT_time_backwards], 2);
    assert_int_equal(run->import.first_line[PJ_IMPORT_time_backwards], 7);
    recorder_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_becomes_its_events),
        cmocka_unit_test(fields_reach_the_events),
        cmocka_unit_test(trace_end_is_the_later_of_header_and_records),
        cmocka_unit_test(headers_that_are_read),
        cmocka_unit_test(headers_that_are_refused),
        cmocka_unit_test(a_header_alone_is_refused),
        cmocka_unit_test(a_promise_beyond_the_budget_is_refused),
        cmocka_unit_test(communicators_are_kept),
        cmocka_unit_test(fast_reading_equals_careful_reading),
        cmocka_unit_test(all_scans_mark_the_same),
        cmocka_unit_test(unordered_records_are_put_in_order),
        cmocka_unit_test(the_first_unordered_line_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
