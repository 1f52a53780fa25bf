// The traces that other tests rest on: their text, byte for byte.
#include "tests/support/trace/trace_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static pj_trace_writer *small_trace(const char *unit)
{
    pj_trace_writer *writer =
        pj_trace_writer_new((pj_trace_header){.ranks = 2, .threads_each = 2, .unit = unit});
    pj_trace_writer_communicator(writer, (uint32_t[]){0, 1}, 2);
    pj_place a = {0, 0}, b = {1, 1};
    pj_trace_writer_call(writer, a,
                         (pj_trace_call){"MPI_Bcast", 3000, 5000, .communicator = 1, .root = true,
                                         .send_bytes = 8, .instructions = 7, .cycles = 9});
    pj_trace_writer_state(writer, a, 0, 3000, 1);
    pj_trace_writer_message(writer, (pj_trace_message){a, b, {1000, 2000, 1500, 4000}, 64, 5});
    pj_trace_writer_line(writer, 6000, "# end");
    return writer;
}

static void records_come_in_order_of_time(void **state)
{
    (void)state;
    pj_auto_trace writer = small_trace(NULL);
    pj_auto_buf text = {0};
    pj_trace_writer_prv(writer, &text);
    assert_string_equal(text.at, "#Paraver (01/01/2024 at 12:00):5000_ns:1(4):1:2(2:1,2:1),1\n"
                                 "c:1:1:2:1:2\n"
                                 "1:1:1:1:1:0:3000:1\n"
                                 "3:1:1:1:1:1000:2000:4:1:2:2:1500:4000:64:5\n"
                                 "1:1:1:1:1:3000:5000:13\n"
                                 "2:1:1:1:1:3000:50000002:7:50100001:8:50100002:0:50100004:1:"
                                 "50100003:1:42000050:7:42000059:9\n"
                                 "2:1:1:1:1:5000:50000002:0\n"
                                 "# end\n");
}

static void units_scale_every_time(void **state)
{
    (void)state;
    pj_auto_trace writer = small_trace("_us");
    pj_auto_buf text = {0};
    pj_trace_writer_prv(writer, &text);
    assert_non_null(strstr(text.at, ":5_us:"));
    assert_non_null(strstr(text.at, "\n3:1:1:1:1:1:2:4:1:2:2:1:4:64:5\n"));
}

static void pcf_names_what_occurs(void **state)
{
    (void)state;
    pj_auto_trace writer = small_trace(NULL);
    pj_auto_buf text = {0};
    pj_trace_writer_label_value(writer, 50100003, 1, "root");
    pj_trace_writer_pcf(writer, &text);
    assert_non_null(strstr(text.at, "50000002    MPI Collective Comm\nVALUES\n7   MPI_Bcast\n"));
    assert_non_null(strstr(text.at, "VALUES\n1   root\n"));
    assert_null(strstr(text.at, "60000001"));
}

static void layouts_reach_header_and_row(void **state)
{
    (void)state;
    pj_auto_trace writer = pj_trace_writer_new((pj_trace_header){
        .ranks = 3, .threads = (uint32_t[]){1, 3, 2}, .ranks_per_node = 2, .crlf = true});
    pj_auto_buf text = {0};
    pj_trace_writer_prv(writer, &text);
    assert_string_equal(text.at,
                        "#Paraver (01/01/2024 at 12:00):0_ns:2(4,2):1:3(1:1,3:1,2:2),0\r\n");
    pj_auto_buf row = {0};
    pj_trace_writer_row(writer, &row);
    assert_non_null(strstr(row.at, "LEVEL CPU SIZE 6\n1.node01\n"));
    assert_non_null(strstr(row.at, "LEVEL THREAD SIZE 6\nTHREAD 1.1.1\nTHREAD 1.2.1\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_order_of_time),
        cmocka_unit_test(units_scale_every_time),
        cmocka_unit_test(pcf_names_what_occurs),
        cmocka_unit_test(layouts_reach_header_and_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
