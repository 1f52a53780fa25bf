// Which values a trait takes, and in which form it keeps them.
#include "tests/support/widget_bench.h"
#include "widgets/ipy/trait_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct row {
    const char *model, *key, *given;
    const char *kept; // NULL = refused with ...
    const char *why;
} row;

static const row rows[] = {
    {"IntText", "value", "5", "5", NULL},
    {"IntText", "value", "5.0", "5", NULL},
    {"IntText", "value", "5.5", NULL, "must be a whole number, not the number 5.5"},
    {"IntText", "value", "1e300", NULL, "must be a whole number"},
    {"IntText", "value", "true", NULL, "not true"},
    {"FloatText", "value", "5", "5.0", NULL},
    {"FloatText", "value", "'5'", NULL, "must be a number, not the text \"5\""},
    {"FloatText", "value", "null", NULL, "must be given, not null"},
    {"FloatText", "step", "null", "null", NULL},
    {"Checkbox", "value", "0", NULL, "must be true or false, not the number 0"},
    {"Label", "value", "['a']", NULL, "must be a text, not a list"},
    {"Label", "value", "'0123456789012345678901234567890123456789more'", "", NULL},
    {"Label", "_dom_classes", "['a', 5]", NULL, "_dom_classes[1] must be a text"},
    {"Label", "_dom_classes", "{}", "[]", NULL},
    {"Label", "_dom_classes", "{'a': 1}", NULL, "must be a list, not a table"},
    {"Layout", "visibility", "'hidden'", "'hidden'", NULL},
    {"Layout", "visibility", "null", "null", NULL},
    {"Layout", "visibility", "''", NULL, "must be one of \"visible\", \"hidden\""},
    {"VBox", "box_style", "''", "''", NULL},
    {"VBox", "box_style", "'success|info'", NULL, "must be one of"},
    {"VBox", "children", "['IPY_MODEL_']", NULL, "children[0] must be a widget"},
    {"VBox", "children", "['x']", NULL, "children[0] must be a widget, not the text \"x\""},
    {"IntRangeSlider", "value", "[1.0, 3]", "[1,3]", NULL},
    {"IntRangeSlider", "value", "[1]", NULL, "must be a list of two numbers"},
    {"IntRangeSlider", "value", "[1, 'x']", NULL, "value[1] must be a whole number"},
    {"DatePicker", "value", "{'year': 2024, 'month': 0, 'date': 31, 'junk': 1}",
     "{'date':31,'month':0,'year':2024}", NULL},
    {"DatePicker", "value", "{'year': 2024, 'month': 12, 'date': 31}", NULL, "month (0 to 11)"},
    {"DatePicker", "value", "'2024-01-01'", NULL, "must be a table of year"},
    {"DatePicker", "step", "'any'", "'any'", NULL},
    {"DatePicker", "step", "2", "2", NULL},
    {"DatePicker", "step", "false", NULL, "must be a whole number"},
    {"Time", "step", "60", "60", NULL},
    {"Time", "step", "0.5", "0.5", NULL},
    {"Time", "value", "{'hours': 23, 'minutes': 59, 'seconds': 59, 'milliseconds': 999.5}",
     "{'hours':23,'milliseconds':999,'minutes':59,'seconds':59}", NULL},
    {"Output", "outputs", "[{'output_type': 'stream'}]", "[{'output_type':'stream'}]", NULL},
    {"Output", "outputs", "['x']", NULL, "outputs[0] must be a table"},
    {"FileUpload", "value", "[{'name': 'a'}]", NULL,
     "value[0] must be a table of name, type, size, last_modified, content"},
    {"Link", "source", "[]", "[]", NULL},
    {"Link", "source", "['IPY_MODEL_a', 'value']", "['IPY_MODEL_a','value']", NULL},
    {"Link", "source", "['IPY_MODEL_a']", NULL, "must be a list of a widget and the name"},
    {"Link", "source", "['IPY_MODEL_a', 5]", NULL, "must be a list of a widget and the name"},
};

static void rows_hold(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        const pj_model *model = pj_model_find(r->model, PJ_WIDGETS_8, NULL);
        const pj_trait *trait = pj_model_trait(model, r->key, PJ_WIDGETS_8);
        json_t *given = pj_bench_json(r->given);
        pj_err err = {0};
        json_t *kept = pj_trait_value(model, trait, given, &err);
        if (r->kept && !kept)
            fail_msg("%s.%s refused %s: %s", r->model, r->key, r->given, err.text);
        if (!r->kept && (kept || !strstr(err.text, r->why)))
            fail_msg("%s.%s and %s: \"%s\"", r->model, r->key, r->given, err.text);
        if (r->kept && r->kept[0])
            assert_string_equal(pj_bench_text(&b, kept), r->kept);
        json_decref(given);
        json_decref(kept);
    }
}

static void deep_tables_are_refused(void **state)
{
    (void)state;
    json_t *deep = json_object();
    for (int i = 0; i < 500; i++)
        deep = json_pack("{s:o}", "a", deep);
    json_t *outputs = json_pack("[o]", deep);
    const pj_model *model = pj_model_find("Output", PJ_WIDGETS_8, NULL);
    pj_err err = {0};
    assert_null(
        pj_trait_value(model, pj_model_trait(model, "outputs", PJ_WIDGETS_8), outputs, &err));
    assert_non_null(strstr(err.text, "not too deep"));
    json_decref(outputs);
}

static void values_have_an_order(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int order;
    } pairs[] = {
        {"1", "2.5", -1},
        {"3", "3.0", 0},
        {"{'year': 2024, 'month': 1, 'date': 2}", "{'year': 2024, 'month': 0, 'date': 31}", 1},
        {"{'hours': 1, 'minutes': 2}", "{'hours': 1, 'minutes': 3}", -1},
        {"null", "5", 0},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        json_t *a = pj_bench_json(pairs[i].a), *b = pj_bench_json(pairs[i].b);
        assert_int_equal(pj_trait_value_order(a, b), pairs[i].order);
        assert_int_equal(pj_trait_value_order(b, a), -pairs[i].order);
        json_decref(a);
        json_decref(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(deep_tables_are_refused),
        cmocka_unit_test(values_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
