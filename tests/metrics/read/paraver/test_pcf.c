// Labels and names beside a Paraver trace, as real files have them.
#include "metrics/base/buf.h"
#include "metrics/read/paraver/pcf.h"
#include "metrics/read/paraver/row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char text[] = "DEFAULT_OPTIONS\n"
                           "LEVEL               THREAD\n"
                           "\n"
                           "STATES\n"
                           "0    Idle\n"
                           "1\tRunning\n"
                           "13    Group Communication\r\n"
                           "\n"
                           "STATES_COLOR\n"
                           "0    {117,195,255}\n"
                           "# a comment\n"
                           "EVENT_TYPE\n"
                           "9   50000001    MPI Point-to-point\n"
                           "VALUES\n"
                           "2   MPI_Recv\n"
                           "1   MPI_Send\n"
                           "0   Outside MPI\n"
                           "\n"
                           "EVENT_TYPE\n"
                           "0 60000032 OpenMP named-Lock address name\n"
                           "EVENT_TYPE\n"
                           "0 65000000 Number of OpenMP instantiated tasks\n"
                           "0 65000001 Number of OpenMP executed tasks\n"
                           "EVENT_TYPE\n"
                           "0    70000001    Caller at level 1\n"
                           "0    70000002    Caller at level 2\n"
                           "VALUES\n"
                           "3 __mpi_ro..mal_init [__mpi_routines_MOD_mpi_minimal_init]\n"
                           "-4 MAIN__\n";

static void labels_are_found(void **state)
{
    (void)state;
    pj_pcf *pcf = pj_pcf_parse((pj_str){text, sizeof text - 1});
    assert_string_equal(pj_pcf_state_label(pcf, 1), "Running");
    assert_string_equal(pj_pcf_state_label(pcf, 13), "Group Communication");
    assert_null(pj_pcf_state_label(pcf, 14));
    assert_string_equal(pj_pcf_type_label(pcf, 50000001), "MPI Point-to-point");
    assert_string_equal(pj_pcf_type_label(pcf, 65000001), "Number of OpenMP executed tasks");
    assert_null(pj_pcf_type_label(pcf, 1));
    assert_string_equal(pj_pcf_value_label(pcf, 50000001, 1), "MPI_Send");
    assert_string_equal(pj_pcf_value_label(pcf, 70000001, -4), "MAIN__");
    assert_string_equal(pj_pcf_value_label(pcf, 70000002, 3),
                        "__mpi_ro..mal_init [__mpi_routines_MOD_mpi_minimal_init]");
    assert_null(pj_pcf_value_label(pcf, 60000032, 3));
    assert_null(pj_pcf_value_label(pcf, 50000001, 3));
    pj_pcf_free(pcf);
}

static void values_belong_to_their_list(void **state)
{
    (void)state;
    pj_auto_buf many = {.at = NULL};
    for (unsigned i = 1; i <= 100; i++)
        pj_buf_addf(&many, "EVENT_TYPE\n0 %u type\nVALUES\n7 seven of %u\n%u own\n", i, i, i + 100);
    pj_pcf *pcf = pj_pcf_parse(pj_buf_str(&many));
    for (unsigned i = 1; i <= 100; i++) {
        char label[32];
        snprintf(label, sizeof label, "seven of %u", i);
        assert_string_equal(pj_pcf_value_label(pcf, i, 7), label);
        assert_string_equal(pj_pcf_value_label(pcf, i, i + 100), "own");
        assert_null(pj_pcf_value_label(pcf, i, i + 101));
    }
    pj_pcf_free(pcf);
}

static void any_bytes_are_read(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof text; n++)
        pj_pcf_free(pj_pcf_parse((pj_str){text, n}));
    static const char odd[] =
        "VALUES\n1 a\nEVENT_TYPE\nx\n9 y\n\0\n99999999999999999999 7 z\nSTATES\n-\n";
    pj_pcf *pcf = pj_pcf_parse((pj_str){odd, sizeof odd});
    assert_int_equal(pcf->type_count, 0);
    assert_int_equal(pcf->value_count, 0);
    assert_int_equal(pcf->malformed, 6);
    pj_pcf_free(pcf);
    pcf = pj_pcf_parse((pj_str){text, sizeof text - 1});
    assert_int_equal(pcf->malformed, 0);
    pj_pcf_free(pcf);
}

static void thread_names(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *none[2] = {NULL, NULL};
    pj_layout layout = {.locations = 2, .location_name = none};
    assert_true(pj_row_parse(PJ_S("LEVEL NODE SIZE 1\nnode\n"), &layout, arena));
    assert_null(layout.location_name[0]);
    assert_false(pj_row_parse(PJ_S("LEVEL THREAD SIZE 3\na\nb\nc\n"), &layout, arena));
    assert_false(pj_row_parse(PJ_S("LEVEL THREAD SIZE 2\na\n"), &layout, arena));
    assert_null(layout.location_name[0]);
    assert_true(pj_row_parse(PJ_S("LEVEL CPU SIZE 1\n1.node\n\nLEVEL THREAD SIZE 2\r\n"
                                  "THREAD 1.1.1\r\nfree text\r\n"),
                             &layout, arena));
    assert_string_equal(layout.location_name[0], "THREAD 1.1.1");
    assert_string_equal(layout.location_name[1], "free text");
}

static void program_and_node_names(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_layout layout = {.applications = 2};
    assert_true(pj_row_parse(PJ_S("LEVEL NODE SIZE 2\nnode a\nnode b\n\nLEVEL APPL SIZE 2\n"
                                  "Application 1\n./stencil -n 4\n"),
                             &layout, arena));
    assert_int_equal(layout.node_names, 2);
    assert_string_equal(layout.node_name[1], "node b");
    assert_null(layout.application_name[0]);
    assert_string_equal(layout.application_name[1], "./stencil -n 4");
    layout = (pj_layout){.applications = 1};
    assert_true(pj_row_parse(PJ_S("LEVEL APPL SIZE 2\na\nb\nLEVEL NODE SIZE 99999999\nc\n"),
                             &layout, arena));
    assert_null(layout.application_name);
    assert_int_equal(layout.node_names, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_found),       cmocka_unit_test(values_belong_to_their_list),
        cmocka_unit_test(any_bytes_are_read),     cmocka_unit_test(thread_names),
        cmocka_unit_test(program_and_node_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
