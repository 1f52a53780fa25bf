// The standard report: a whole notebook whose findings are the numbers of the metrics.
#include "tests/support/fake_metrics.h"
#include "widgets/report/report_notebook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const pj_fake_run runs[] = {{1, 2, NULL, NULL}, {4, 2, NULL, NULL}, {16, 2, NULL, NULL}};
static const pj_report_trace traces[] = {
    {.name = "a_1", .path = "a", .layout = "1x2"},
    {.name = "b", .path = "b", .layout = "4x2"},
    {.name = "c", .path = "c", .layout = "16x2", .bytes = 1500, .fingerprint = "0123456789abcdef"}};

static json_t *notebook_of(const char *set, size_t count)
{
    pj_auto_metrics m = pj_fake_metrics(runs, count, (pj_fake_opts){.set = set});
    pj_report_plan plan = {
        .info = {.title = "A & B_1", .author = "A. Analyst", .application = "code"},
        .load_code = "load \"x\"",
        .metrics_code = "",
        .traces = traces,
    };
    return pj_report_notebook(m, &plan);
}

static const char *source(const json_t *cell)
{
    return json_string_value(json_object_get(cell, "source"));
}

/// The text of all cells; the caller frees.
static pj_buf text_of(const json_t *notebook)
{
    pj_buf text = {0};
    size_t i;
    json_t *cell;
    json_array_foreach(json_object_get(notebook, "cells"), i, cell)
    {
        pj_buf_puts(&text, source(cell));
        pj_buf_puts(&text, "\n");
    }
    return text;
}

static void cells_are_whole(void **state)
{
    (void)state;
    json_t *notebook = notebook_of("hybrid", 3);
    assert_int_equal(json_integer_value(json_object_get(notebook, "nbformat")), 4);
    size_t i;
    json_t *cell;
    json_t *ids = json_object();
    json_array_foreach(json_object_get(notebook, "cells"), i, cell)
    {
        const char *id = json_string_value(json_object_get(cell, "id"));
        assert_non_null(id);
        assert_null(json_object_get(ids, id));
        json_object_set_new(ids, id, json_true());
        assert_true(json_is_object(json_object_get(cell, "metadata")));
        bool code = strcmp(json_string_value(json_object_get(cell, "cell_type")), "code") == 0;
        assert_int_equal(code, json_is_array(json_object_get(cell, "outputs")));
        assert_true(strlen(source(cell)) > 0);
    }
    assert_true(i > 15);
    json_decref(ids);
    json_decref(notebook);
}

static void sections_follow_the_set(void **state)
{
    (void)state;
    json_t *hybrid = notebook_of("hybrid", 3), *mpi = notebook_of("mpi", 3),
           *one = notebook_of("mpi", 1);
    pj_auto_buf all = text_of(hybrid), without = text_of(mpi), single = text_of(one);
    static const char *const titles[] = {
        "Application",          "Structure",   "Scaling", "Efficiency",  "Load balance",
        "Communication",        "Computation", "OpenMP",  "Conclusions", "Appendix: traces",
        "Appendix: definitions"};
    const char *at = all.at;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        char heading[64];
        snprintf(heading, sizeof heading, "## %s", titles[i]);
        at = strstr(at, heading);
        if (!at)
            fail_msg("%s is missing or out of order", heading);
    }
    assert_null(strstr(without.at, "## OpenMP"));
    assert_null(strstr(single.at, "## Scaling"));
    assert_null(strstr(single.at, "## Computation")); // nothing to compare with
    assert_non_null(strstr(single.at, "## Load balance"));
    assert_non_null(strstr(all.at, "plot(\"timeline\""));
    assert_non_null(strstr(all.at, "plot(\"ranks\""));
    json_decref(hybrid);
    json_decref(mpi);
    json_decref(one);
}

/// Of a trace that has events and no states there is nothing to draw.
static void runs_without_states_have_no_timeline(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, 1, (pj_fake_opts){.set = "mpi"});
    m->study->cases[0].run->runtime_ns = 0;
    pj_report_plan plan = {.load_code = "load \"x\"", .metrics_code = "", .traces = traces};
    json_t *notebook = pj_report_notebook(m, &plan);
    pj_auto_buf text = text_of(notebook);
    assert_null(strstr(text.at, "plot(\"timeline\""));
    json_decref(notebook);
}

/// In every set, or the name of a topic.
static bool is_common(const char *key)
{
    return strcmp(key, "speedup") == 0 || strcmp(key, "load_balance") == 0;
}

/// Text that a cell does not compute would stay as it is when the set or the region changes.
static void no_number_stands_in_the_text(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        json_t *notebook = notebook_of(set->key, 3);
        size_t i;
        json_t *cell;
        json_array_foreach(json_object_get(notebook, "cells"), i, cell)
        {
            const char *type = json_string_value(json_object_get(cell, "cell_type"));
            bool title = strncmp(source(cell), "# ", 2) == 0;
            bool listed = strstr(source(cell), "Appendix: traces") != NULL;
            if (strcmp(type, "markdown") == 0 && !title && !listed)
                assert_null(strpbrk(source(cell), "023456789"));
            for (size_t row = 0; strcmp(type, "code") == 0 && row < set->count; row++)
                if (strstr(source(cell), set->rows[row].key) && !is_common(set->rows[row].key))
                    fail_msg("%s stands in a cell", set->rows[row].key);
        }
        json_decref(notebook);
    }
}

static void title_page_is_metadata(void **state)
{
    (void)state;
    json_t *notebook = notebook_of("mpi", 3);
    const char *title, *author;
    assert_int_equal(json_unpack(notebook, "{s:{s:{s:{s:s,s:s}}}}", "metadata", "popinjay",
                                 "report", "title", &title, "author", &author),
                     0);
    assert_string_equal(title, "A & B_1");
    pj_report_set_info(notebook, &(pj_report_info){.title = "Other"});
    json_unpack(notebook, "{s:{s:s,s:{s:{s:s,s:s}}}}", "metadata", "title", &title, "popinjay",
                "report", "title", &title, "author", &author);
    assert_string_equal(title, "Other");
    assert_string_equal(author, "A. Analyst");
    pj_auto_buf text = text_of(notebook);
    assert_non_null(strstr(text.at, "# A &amp; B\\_1\n"));
    assert_non_null(strstr(text.at, "| c | 16x2 | 1.50 kB | 0123456789abcdef |"));
    assert_non_null(strstr(text.at, "| a\\_1 |"));
    json_decref(notebook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_whole),
        cmocka_unit_test(sections_follow_the_set),
        cmocka_unit_test(runs_without_states_have_no_timeline),
        cmocka_unit_test(no_number_stands_in_the_text),
        cmocka_unit_test(title_page_is_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
