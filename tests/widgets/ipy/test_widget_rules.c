// What ties traits of one widget together.
#include "tests/support/widget_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// Makes the widget, changes it when `change` is given, and looks at one trait.
typedef struct row {
    const char *model, *made, *change, *key;
    const char *value; // NULL = the last step is refused with ...
    const char *why;
} row;

static const row rows[] = {
    // Bounds clamp, also when they move.
    {"IntSlider", "{'value': 500}", NULL, "value", "100", NULL},
    {"IntSlider", "{'value': 150, 'max': 200}", NULL, "value", "150", NULL},
    {"IntSlider", "{'value': 50}", "{'max': 20}", "value", "20", NULL},
    {"IntSlider", "{'value': 50}", "{'min': 60}", "value", "60", NULL},
    {"IntSlider", "{'value': 50}", "{'min': 200}", "value", NULL, "IntSlider: min is above max"},
    {"IntSlider", "{'value': 50}", "{'min': 200, 'max': 300}", "value", "200", NULL},
    {"FloatProgress", "{'value': -1}", NULL, "value", "0.0", NULL},
    {"Play", NULL, "{'value': 101}", "value", "100", NULL},
    {"IntText", NULL, "{'value': 1000000}", "value", "1000000", NULL},
    {"FloatLogSlider", "{'value': 1e9}", NULL, "value", "10000.0", NULL},
    {"FloatLogSlider", "{'min': -2, 'value': 0}", NULL, "value", "0.01", NULL},
    {"FloatLogSlider", NULL, "{'base': 0}", "base", NULL, "base must be above 0"},
    {"FloatLogSlider", NULL, "{'max': 1e6}", "max", NULL, "base^max numbers"},
    {"IntRangeSlider", "{'value': [-5, 500]}", NULL, "value", "[0,100]", NULL},
    {"FloatRangeSlider", "{'value': [3, 2]}", NULL, "value", NULL,
     "the lower value 3 is above the upper value 2"},
    {"DatePicker", "{'min': {'year': 2024, 'month': 0, 'date': 1}}",
     "{'value': {'year': 2023, 'month': 5, 'date': 5}}", "value",
     "{'date':1,'month':0,'year':2024}", NULL},
    {"DatePicker", "{'min': {'year': 2024, 'month': 0, 'date': 1}}", "{'value': null}", "value",
     "null", NULL},
    // Labels and the position among them.
    {"Dropdown", NULL, NULL, "index", "null", NULL},
    {"Dropdown", "{'_options_labels': ['a', 'b']}", NULL, "index", "0", NULL},
    {"Dropdown", "{'_options_labels': ['a', 'b'], 'index': null}", NULL, "index", "null", NULL},
    {"Dropdown", "{'_options_labels': ['a', 'b'], 'index': 1}", "{'disabled': true}", "index", "1",
     NULL},
    {"Dropdown", "{'_options_labels': ['a', 'b'], 'index': 1}", "{'_options_labels': ['c', 'd']}",
     "index", "0", NULL},
    {"Dropdown", "{'_options_labels': ['a']}", "{'_options_labels': []}", "index", "null", NULL},
    {"Dropdown", "{'_options_labels': ['a']}", "{'index': 1}", "index", NULL,
     "Dropdown.index is beyond the 1 entries of _options_labels"},
    {"Dropdown", "{'_options_labels': ['a']}", "{'index': -1}", "index", NULL, "beyond"},
    {"SelectMultiple", "{'_options_labels': ['a', 'b'], 'index': [0, 1]}", NULL, "index", "[0,1]",
     NULL},
    {"SelectMultiple", "{'_options_labels': ['a', 'b'], 'index': [0, 2]}", NULL, "index", NULL,
     "beyond"},
    {"SelectMultiple", "{'_options_labels': ['a', 'b'], 'index': [0, 1]}",
     "{'_options_labels': ['a']}", "index", "[]", NULL},
    {"SelectionSlider", NULL, NULL, "index", "0", NULL},
    {"SelectionRangeSlider", "{'_options_labels': ['a', 'b'], 'index': [0, 1]}",
     "{'_options_labels': ['a']}", "index", "[0,0]", NULL},
    // Pages.
    {"Tab", NULL, "{'selected_index': 0}", "selected_index", NULL,
     "Tab.selected_index is beyond the 0 entries of children"},
    {"Accordion", NULL, "{'selected_index': 1}", "selected_index", NULL, "beyond"},
    {"Stack", NULL, NULL, "selected_index", "null", NULL},
    // Tags and options.
    {"TagsInput", "{'allowed_tags': ['a', 'b']}", "{'value': ['a', 'c']}", "value", NULL,
     "TagsInput.value[1] is not among allowed_tags"},
    {"TagsInput", "{'allow_duplicates': false}", "{'value': ['a', 'a']}", "value", NULL,
     "TagsInput.value[1] is there twice"},
    {"TagsInput", NULL, "{'value': ['a', 'a']}", "value", "['a','a']", NULL},
    {"IntsInput", "{'max': 5}", "{'value': [5, 6]}", "value", NULL,
     "IntsInput.value[1] is not within min and max"},
    {"Combobox", "{'options': ['a'], 'ensure_option': true}", "{'value': 'b'}", "value", NULL,
     "Combobox.value is not among its options"},
    {"Combobox", "{'options': ['a'], 'ensure_option': true}", "{'value': 'a'}", "value", "'a'",
     NULL},
    {"Combobox", "{'options': ['a']}", "{'value': 'b'}", "value", "'b'", NULL},
};

static void rules_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
        pj_widget *widget = pj_bench_make(&b, r->model, r->made);
        bool good = widget && (!r->change || pj_bench_set(&b, widget, r->change));
        if (good != (r->value != NULL) || (!good && !strstr(b.err.text, r->why)))
            fail_msg("row %zu, %s: \"%s\"", i, r->model, b.err.text);
        if (good)
            assert_string_equal(pj_bench_get(&b, widget, r->key), r->value);
        assert_string_equal(pj_bench_mistakes(&b), "[]");
    }
}

static void a_tab_shows_a_page_that_exists(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *page = pj_bench_make(&b, "Label", NULL);
    const char *three = pj_bench_children(&b, "children", page, page, page);
    const char *one = pj_bench_children(&b, "children", page, NULL, NULL);
    pj_widget *tab = pj_bench_make(&b, "Tab", three);
    assert_string_equal(pj_bench_get(&b, tab, "selected_index"), "0");
    assert_string_equal(pj_bench_get(&b, tab, "titles"), "['','','']");
    assert_true(pj_bench_set(&b, tab, "{'selected_index': 2, 'titles': ['A', 'B']}"));
    assert_string_equal(pj_bench_get(&b, tab, "titles"), "['A','B','']");
    assert_true(pj_bench_set(&b, tab, one));
    assert_string_equal(pj_bench_get(&b, tab, "selected_index"), "0");
    assert_true(pj_bench_msg(&b, tab, "{'method':'update','state':{'selected_index':null}}"));
    assert_string_equal(pj_bench_get(&b, tab, "selected_index"), "null");
    assert_true(pj_bench_set(&b, tab, "{'children': []}"));
    assert_string_equal(pj_bench_get(&b, tab, "selected_index"), "null");
    pj_widget *accordion = pj_bench_make(&b, "Accordion", three);
    assert_string_equal(pj_bench_get(&b, accordion, "selected_index"), "null");
    assert_true(pj_bench_set(&b, accordion, "{'selected_index': 2}"));
    assert_true(pj_bench_set(&b, accordion, one));
    assert_string_equal(pj_bench_get(&b, accordion, "selected_index"), "null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_hold),
        cmocka_unit_test(a_tab_shows_a_page_that_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
