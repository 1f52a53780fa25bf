// Making, changing and closing widgets.
#include "metrics/base/buf.h"
#include "tests/support/widget_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_widget_opens_after_its_layout_and_style(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", "{'value': 7, 'layout': {'width': '50%'}}");
    assert_non_null(slider);
    assert_int_equal(pj_front_count(b.front), 3);
    json_t *layout = pj_front_at(b.front, 0), *opened = pj_front_at(b.front, 2);
    // A layout goes out with what differs from every browser's own nulls.
    assert_string_equal(
        pj_bench_text(&b, json_object_get(json_object_get(layout, "data"), "state")),
        "{'_model_module':'@jupyter-widgets/base','_model_module_version':'2.0.0',"
        "'_model_name':'LayoutModel','_view_module':'@jupyter-widgets/base',"
        "'_view_module_version':'2.0.0','_view_name':'LayoutView','width':'50%'}");
    assert_string_equal(pj_bench_text(&b, json_object_get(opened, "metadata")),
                        "{'version':'2.1.0'}");
    json_t *slider_state = json_object_get(json_object_get(opened, "data"), "state");
    assert_string_equal(pj_bench_text(&b, json_object_get(slider_state, "value")), "7");
    assert_string_equal(pj_bench_text(&b, json_object_get(slider_state, "tooltip")), "null");
    const char *id = json_string_value(json_object_get(layout, "id"));
    json_t *mention = json_object_get(slider_state, "layout");
    assert_string_equal(json_string_value(mention) + strlen("IPY_MODEL_"), id);
    assert_ptr_equal(pj_widgets_find(b.widgets, pj_widget_id(slider)), slider);
    assert_int_equal(strlen(pj_widget_id(slider)), 32);
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void only_what_changed_is_sent(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", NULL);
    pj_front_clear(b.front);
    assert_true(pj_bench_set(&b, slider, "{'value': 3, 'min': 0, 'description': 'ranks'}"));
    assert_string_equal(pj_bench_sent(&b), "update {'description':'ranks','value':3}\n");
    assert_true(pj_bench_set(&b, slider, "{'value': 3.0}"));
    assert_string_equal(pj_bench_sent(&b), "");
    assert_string_equal(pj_bench_get(&b, slider, "description"), "'ranks'");
}

static void a_refused_change_changes_nothing(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *button = pj_bench_make(&b, "Button", "{'description': 'Go'}");
    pj_front_clear(b.front);
    assert_false(pj_bench_set(&b, button, "{'description': 'Stop', 'disabled': 'yes'}"));
    assert_string_equal(b.err.text, "Button.disabled must be true or false, not the text \"yes\"");
    assert_string_equal(pj_bench_get(&b, button, "description"), "'Go'");
    assert_false(pj_bench_set(&b, button, "{'descripton': 'Stop'}"));
    assert_string_equal(b.err.text, "Button has no descripton; did you mean description?");
    assert_false(pj_bench_set(&b, button, "{'button_style': 'sucess'}"));
    assert_string_equal(b.err.text, "Button.button_style must be one of \"primary\", \"success\", "
                                    "\"info\", \"warning\", \"danger\", \"\", not the text "
                                    "\"sucess\"");
    assert_null(pj_widget_get(button, "colour", &b.err));
    assert_string_equal(pj_bench_sent(&b), "");
}

static void a_widget_that_cannot_be_made_leaves_no_trace(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    assert_null(pj_bench_make(&b, "IntSlidr", NULL));
    assert_string_equal(b.err.text, "there is no widget IntSlidr; did you mean IntSlider?");
    assert_null(pj_bench_make(&b, "IntSlider", "{'layout': {'width': 5}}"));
    assert_string_equal(b.err.text, "Layout.width must be a text, not the number 5");
    assert_null(pj_bench_make(&b, "IntSlider", "{'value': 'x'}"));
    assert_null(pj_bench_make(&b, "VBox", "{'children': ['IPY_MODEL_none']}"));
    assert_string_equal(b.err.text,
                        "VBox.children mentions a widget that is closed or was never open");
    assert_int_equal(pj_widgets_count(b.widgets), 0);
    assert_int_equal(pj_front_count(b.front), 0);
}

static void references_must_fit(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *layout = pj_bench_make(&b, "Layout", NULL);
    pj_widget *style = pj_bench_make(&b, "ButtonStyle", NULL);
    pj_widget *box = pj_bench_make(&b, "HBox", NULL);
    assert_false(pj_bench_set(&b, box, pj_bench_children(&b, "children", layout, NULL, NULL)));
    assert_string_equal(b.err.text, "HBox.children takes what can be shown, and a Layout cannot");
    json_t *mention = pj_widget_reference(style);
    assert_false(pj_widget_set_one(box, "layout", mention, &b.err));
    json_decref(mention);
    b.err = (pj_err){0};
    mention = pj_widget_reference(box);
    assert_false(pj_widget_set_one(box, "layout", mention, &b.err));
    assert_string_equal(b.err.text, "HBox.layout must be a Layout, not a HBox");
    json_decref(mention);
}

static void a_layout_changes_in_place_or_is_replaced(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *button = pj_bench_make(&b, "Button", NULL);
    size_t count = pj_widgets_count(b.widgets);
    const char *before = pj_bench_get(&b, button, "layout");
    assert_true(pj_bench_set(&b, button, "{'layout': {'border': '1px solid'}}"));
    assert_string_equal(pj_bench_get(&b, button, "layout"), before);
    assert_int_equal(pj_widgets_count(b.widgets), count);
    json_t *update = json_object_get(pj_front_at(b.front, -1), "data");
    assert_string_equal(pj_bench_text(&b, json_object_get(update, "state")),
                        "{'border_bottom':'1px solid','border_left':'1px solid',"
                        "'border_right':'1px solid','border_top':'1px solid'}");
    pj_widget *shared = pj_bench_make(&b, "Layout", "{'width': '10em'}");
    json_t *mention = pj_widget_reference(shared);
    assert_true(pj_widget_set_one(button, "layout", mention, NULL));
    assert_int_equal(pj_widgets_count(b.widgets), count); // its own layout is gone
    // Somebody else's layout is not changed behind its back.
    assert_true(pj_bench_set(&b, button, "{'layout': {'width': '5em'}}"));
    assert_string_equal(pj_bench_get(&b, shared, "width"), "'10em'");
    assert_string_equal(pj_bench_mistakes(&b), "[]");
    json_decref(mention);
}

static void closing_leaves_no_mention(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *one = pj_bench_make(&b, "IntText", NULL), *two = pj_bench_make(&b, "IntText", NULL);
    pj_widget *box = pj_bench_make(&b, "VBox", pj_bench_children(&b, "children", one, two, NULL));
    json_t *ends = json_pack("{s:[o, s], s:[o, s]}", "source", pj_widget_reference(one), "value",
                             "target", pj_widget_reference(two), "value");
    assert_non_null(pj_widget_new(b.widgets, "Link", ends, &b.err));
    json_decref(ends);
    const char *left = pj_bench_text(&b, json_array_get(pj_widget_get(box, "children", NULL), 1));
    pj_bench_sent(&b);
    pj_widget_close(one);
    pj_auto_buf expected = {0};
    pj_buf_addf(&expected, "update {'children':[%s]}\nclose\nclose\n", left);
    assert_string_equal(pj_bench_sent(&b), expected.at);  // the link ends with its end
    assert_int_equal(pj_widgets_count(b.widgets), 3 + 2); // two with style and layout, box with one
    pj_widget_close(two);
    pj_widget_close(box);
    assert_int_equal(pj_widgets_count(b.widgets), 0);
    assert_string_equal(pj_bench_text(&b, b.front->states), "{}");
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void a_shared_layout_that_closes_is_replaced(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *one = pj_bench_make(&b, "Button", NULL), *two = pj_bench_make(&b, "Button", NULL);
    json_t *layout = json_incref(pj_widget_get(one, "layout", NULL));
    assert_true(pj_widget_set_one(two, "layout", layout, NULL));
    pj_widget_close(one);
    assert_false(json_equal(pj_widget_get(two, "layout", NULL), layout));
    json_decref(layout);
    assert_int_equal(pj_widgets_count(b.widgets), 3);
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void a_cell_that_runs_again_closes_its_widgets(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widgets_own(b.widgets, "cell 1");
    pj_widget *old = pj_bench_make(&b, "Button", NULL);
    assert_string_equal(pj_widget_owner(old), "cell 1");
    pj_widgets_own(b.widgets, "cell 2");
    pj_widget *box = pj_bench_make(&b, "VBox", pj_bench_children(&b, "children", old, NULL, NULL));
    pj_widgets_own(b.widgets, NULL);
    pj_bench_sent(&b);
    pj_widgets_close_owner(b.widgets, "cell 1");
    assert_string_equal(pj_bench_sent(&b), "update {'children':[]}\nclose\n");
    pj_widgets_close_owner(b.widgets, "cell 1");
    assert_string_equal(pj_bench_sent(&b), "");
    assert_ptr_equal(pj_widgets_next(b.widgets, pj_widgets_next(b.widgets, NULL)), box);
}

static void bytes_travel_beside_the_state(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *image = pj_bench_make(&b, "Image", NULL);
    json_t *png = json_stringn_nocheck("\x89PNG\0\xff", 6);
    pj_front_clear(b.front);
    assert_true(pj_widget_set_one(image, "value", png, NULL));
    assert_true(json_equal(pj_widget_get(image, "value", NULL), png));
    json_t *sent = pj_front_at(b.front, 0);
    assert_true(json_equal(json_array_get(json_object_get(sent, "buffers"), 0), png));
    assert_string_equal(pj_bench_sent(&b), "update {} [['value']]\n");
    json_decref(png);
    assert_false(pj_bench_set(&b, image, "{'value': 5}"));
    assert_string_equal(b.err.text, "Image.value must be bytes, not the number 5");
}

static void texts_must_be_utf_8(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *label = pj_bench_make(&b, "Label", NULL);
    json_t *latin = json_stringn_nocheck("caf\xe9", 4);
    assert_false(pj_widget_set_one(label, "value", latin, &b.err));
    assert_string_equal(b.err.text,
                        "Label.value must be a text in UTF-8, not a text that is not UTF-8");
    pj_widget *output = pj_bench_make(&b, "Output", NULL);
    json_t *outputs = json_pack("[{s:O}]", "text", latin);
    assert_false(pj_widget_set_one(output, "outputs", outputs, &b.err));
    json_decref(outputs);
    json_decref(latin);
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void many_widgets_come_and_go(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    for (int i = 0; i < 1000; i++) {
        pj_widgets_own(b.widgets, i % 2 ? "odd" : "even");
        pj_widget *slider = pj_bench_make(&b, "IntSlider", "{'value': 5}");
        pj_widget *box =
            pj_bench_make(&b, "Tab", pj_bench_children(&b, "children", slider, NULL, NULL));
        assert_non_null(box);
        assert_true(pj_bench_set(&b, slider, "{'value': 6, 'layout': {'width': '1em'}}"));
        pj_widgets_close_owner(b.widgets, i % 2 ? "odd" : "even");
        assert_int_equal(pj_widgets_count(b.widgets), 0);
        pj_front_clear(b.front);
    }
    assert_string_equal(pj_bench_text(&b, b.front->states), "{}");
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void many_live_at_once(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *first = pj_bench_make(&b, "Button", NULL), *last = NULL;
    for (int i = 0; i < 500; i++)
        last = pj_bench_make(&b, "Button", NULL);
    assert_int_equal(pj_widgets_count(b.widgets), 501 * 3);
    assert_ptr_equal(pj_widgets_find(b.widgets, pj_widget_id(first)), first);
    assert_ptr_equal(pj_widgets_find(b.widgets, pj_widget_id(last)), last);
    assert_null(pj_widgets_find(b.widgets, "0123"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_widget_opens_after_its_layout_and_style),
        cmocka_unit_test(only_what_changed_is_sent),
        cmocka_unit_test(a_refused_change_changes_nothing),
        cmocka_unit_test(a_widget_that_cannot_be_made_leaves_no_trace),
        cmocka_unit_test(references_must_fit),
        cmocka_unit_test(a_layout_changes_in_place_or_is_replaced),
        cmocka_unit_test(closing_leaves_no_mention),
        cmocka_unit_test(a_shared_layout_that_closes_is_replaced),
        cmocka_unit_test(a_cell_that_runs_again_closes_its_widgets),
        cmocka_unit_test(bytes_travel_beside_the_state),
        cmocka_unit_test(texts_must_be_utf_8),
        cmocka_unit_test(many_widgets_come_and_go),
        cmocka_unit_test(many_live_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
