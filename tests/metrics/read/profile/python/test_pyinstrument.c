// pyinstrument's tree: times as told, functions told after their callees.
#include "metrics/base/buf.h"
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/pyinstrument/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static void tree(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "tree.json");
    assert_true(pj_str_equal(pj_profile_text(p, p->command), PJ_S("Program: grid.py")));
    assert_int_equal(p->count[PJ_AT_NODE], 4);
    assert_true(pj_str_equal(pj_profile_name(p, p->nodes[1].region), PJ_S("relax")));
    assert_int_equal(p->nodes[3].parent, 1);
    same_value(profile_value(p, PJ_AT_NODE, PJ_INCLUSIVE, "time", 0, 0), 1.0);
    same_value(profile_value(p, PJ_AT_NODE, PJ_INCLUSIVE, "time", 1, 0), 0.75);
    uint32_t sum = region_called(p, PJ_S("sum"), NULL);
    assert_int_equal(p->regions[sum].kind, PJ_REGION_builtin);
    pj_err err = {0};
    pj_auto_profile none =
        read_profile_bytes("none", PJ_S("{\"sample_count\": 0, \"root_frame\": null}"), &err);
    assert_true(none && none->count[PJ_AT_NODE] == 0);
    assert_null(read_profile_bytes(
        "odd", PJ_S("{\"sample_count\": 0, \"root_frame\": {\"children\": [3]}}"), &err));
}

/// Renderers of other versions write null for what a frame lacks.
static void null_members(void **state)
{
    (void)state;
    static const char text[] =
        "{\"sample_count\": 2, \"program\": null, \"root_frame\": {\"function\": null, "
        "\"file_path_short\": null, \"file_path\": null, \"line_no\": null, \"time\": 1.0, "
        "\"class_name\": null, \"group_id\": null, \"children\": [null, {\"function\": \"f\", "
        "\"file_path\": \"a.py\", \"line_no\": 3, \"time\": 0.25, \"children\": null}]}}";
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("null", pj_str_of(text), &err);
    assert_non_null(p);
    assert_int_equal(p->count[PJ_AT_NODE], 2);
    assert_int_equal(pj_profile_name(p, p->nodes[0].region).len, 0);
    assert_int_equal(p->nodes[1].parent, 0);
    same_value(profile_value(p, PJ_AT_NODE, PJ_INCLUSIVE, "time", 1, 0), 0.25);
}

/// Python goes down a thousand calls and more; what is deeper than any tree here is counted.
static void deep_trees(void **state)
{
    (void)state;
    enum { DEEP = 1000, DEEPER = 4150, OUT_OF_HAND = 5000 };
    static const struct {
        uint32_t levels, nodes;
    } cases[] = {{DEEP, DEEP}, {DEEPER, 4096}, {OUT_OF_HAND, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pj_auto_buf text = {0};
        pj_err err = {0};
        pj_buf_puts(&text, "{\"sample_count\": 1, \"root_frame\": ");
        for (uint32_t i = 0; i < cases[c].levels; i++)
            pj_buf_addf(&text, "{\"function\": \"f%u\", \"time\": 1.0, \"children\": [", i);
        for (uint32_t i = 0; i < cases[c].levels; i++)
            pj_buf_puts(&text, "]}");
        pj_buf_puts(&text, "}");
        pj_auto_profile p = read_profile_bytes("deep", pj_buf_str(&text), &err);
        assert_int_equal(p ? p->count[PJ_AT_NODE] : 0, cases[c].nodes);
        assert_true(p || strstr(err.text, "nested more than 8400 deep"));
        if (p)
            assert_int_equal(p->oddities.count[PJ_ODDITY_too_deep] > 0, cases[c].levels == DEEPER);
    }
}

/// Preorder rows of the renderer's own tree.
static void as_pyinstrument_tells(void **state)
{
    (void)state;
    csv table;
    csv_of_real_tools(REFERENCE "json/pyinstrument.csv", &table);
    pj_auto_profile p = read_profile_file(DATA "json/pyinstrument.json");
    assert_int_equal(p->count[PJ_AT_NODE], table.rows);
    for (uint32_t n = 0; n < table.rows; n++) {
        double with = profile_value(p, PJ_AT_NODE, PJ_INCLUSIVE, "time", n, 0), own = with;
        for (uint32_t child = 0; child < p->count[PJ_AT_NODE]; child++)
            if (p->nodes[child].parent == n)
                own -= profile_value(p, PJ_AT_NODE, PJ_INCLUSIVE, "time", child, 0);
        assert_int_equal(p->nodes[n].depth, csv_number(&table, n, "depth"));
        assert_true(
            pj_str_equal(pj_profile_name(p, p->nodes[n].region), csv_cell(&table, n, "function")));
        assert_int_equal(p->regions[p->nodes[n].region].line, csv_number(&table, n, "line"));
        same_value(with, csv_number(&table, n, "time_s"));
        assert_true(fabs(own - csv_number(&table, n, "self_s")) < 1e-12);
    }
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree),
        cmocka_unit_test(null_members),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(as_pyinstrument_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
