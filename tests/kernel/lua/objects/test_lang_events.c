// Questions about events in the command language: the methods of a question, and the same answers
// from an archive as from the trace of the same run.
#include "tests/support/cell.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TRACE PJ_BINARY_DIR "/lang_events.prv"
#define ANCHOR PJ_BINARY_DIR "/lang_events.otf2"

static const pj_model_app app = {.ranks = 3,
                                 .threads = 1,
                                 .iterations = 5,
                                 .work_ns = 4e6,
                                 .imbalance = 0.2,
                                 .halo_ns = 9000,
                                 .collective_ns = 4000,
                                 .halo_bytes = 40960,
                                 .ipc = 1.2,
                                 .ghz = 2};

static int set_up(void **state)
{
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(trace, TRACE, &err));
    assert_true(pj_otf2_writer_save(trace, ANCHOR, (pj_otf2_style){.clock_step = 77}, &err));
    *state = cell_bench_new(false);
    return 0;
}

static int tear_down(void **state)
{
    pj_otf2_writer_remove(ANCHOR);
    return cell_bench_free(*state) ? 0 : 1;
}

/// In each iteration the inner rank sends to both sides, the others to it; then all meet.
static void answers(cell_bench *b)
{
    cell_gives(b, "run:events{type = 'MPI_Isend'}:count()[1].count", "20");
    cell_gives(b, "sent = run:events{type = 'message'}:by('rank', 'partner'):sum 'bytes'\n#sent",
               "4");
    cell_gives(b, "sent.rank:list(), sent.partner:list()", "{0, 1, 1, 2}\t{1, 0, 2, 1}");
    cell_gives(b, "sent[1].bytes_sum, sent[4].bytes_sum", "204800\t204800");
    cell_gives(b, "run:events{type = 'message', rank = 1}:count()[1].count", "10");
    cell_gives(b, "run:events{type = 'MPI_Allreduce'}:by 'rank':count().count:list()", "{5, 5, 5}");
    cell_gives(b, "h = run:events{type = 'message'}:histogram 'bytes'\nh.count:sum()", "20");
    cell_gives(b,
               "t = run:events{type = 'Running'}:by 'rank':sum 'duration_ns'\n"
               "t.duration_ns_sum[2] == run.stats.useful_ns[2]",
               "true");
    cell_gives(b, "run:events{type = 'message', from = '0s', to = '1ns'}:count()[1].count", "0");
}

static void both_formats_answer_the_same(void **state)
{
    cell_bench *b = *state;
    cell_does(b, "run = load '" TRACE "'[1]");
    answers(b);
    cell_gives(b,
               "rows = run:events{type = 'message'}:rows():select('rank', 'start_ns', 'end_ns')"
               ":sort('start_ns', 'rank').end_ns:list()\n#rows",
               "20");
    cell_does(b, "run = load '" ANCHOR "'[1]");
    answers(b);
    cell_gives(b,
               "other = run:events{type = 'message'}:rows():select('rank', 'start_ns', 'end_ns')"
               ":sort('start_ns', 'rank').end_ns:list()\n#other",
               "20");
    cell_gives(b, "same = true for i = 1, 20 do same = same and rows[i] == other[i] end same",
               "true");
}

/// Options that ask are answered at once, as the verb does.
static void options_may_ask(void **state)
{
    cell_bench *b = *state;
    cell_does(b, "run = load '" ANCHOR "'[1]");
    cell_gives(b, "run:events{type = 'message', count = true}[1].count", "20");
    cell_gives(b,
               "tostring(run:events{by = 'rank', sum = 'bytes'}) == "
               "tostring(run:events():by 'rank':sum 'bytes')",
               "true");
}

/// A question can be kept, told apart and asked again: methods make new ones.
static void questions_are_values(void **state)
{
    cell_bench *b = *state;
    cell_does(b, "run = load '" ANCHOR "'[1]\nq = run:events{type = 'message'}");
    cell_gives(b, "q:where 'rank == 1':where 'partner == 0':count()[1].count", "5");
    cell_gives(b, "q:count()[1].count", "20");
    cell_gives(b, "q:limit(3) ~= q, #q:limit(20):rows()", "true\t20");
    cell_fails(b, "q:limit(3):rows()", "there are more than 3 events");
    cell_gives(b, "run:events():where \"type == 'message'\":count()[1].count", "20");
    cell_gives(b, "tostring(q)",
               "a question about events: type; ask it with :count(), :sum, :mean, :min, :max, "
               ":histogram or :rows()");
}

static void mistakes_are_told(void **state)
{
    cell_bench *b = *state;
    cell_does(b, "run = load '" ANCHOR "'[1]\nq = run:events{type = 'message'}");
    cell_fails(b, "q.count()", "call it with a colon: run:events{...}:count()");
    cell_fails(b, "q:sum 'bites'", "did you mean bytes");
    cell_fails(b, "q:by 'ranc':count()", "did you mean rank");
    cell_fails(b, "run:events{typ = 'message'}:count()", "did you mean type?");
    cell_fails(b, "run:events{from = 'noon'}:count()", "is no time");
    cell_fails(b, "run:events{rank = 7}:count()", "7");
    cell_fails(b, "run:events 'message'", "table expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_formats_answer_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(options_may_ask, set_up, tear_down),
        cmocka_unit_test_setup_teardown(questions_are_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
