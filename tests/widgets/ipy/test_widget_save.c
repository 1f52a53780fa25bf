// Widgets in notebooks: views in outputs, states in the metadata.
#include "metrics/base/buf.h"
#include "tests/support/widget_bench.h"
#include "widgets/ipy/widget_save.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_view_names_its_model(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *button = pj_bench_make(&b, "Button", "{'description': 'Go'}");
    json_t *view = pj_widget_view(button, NULL);
    json_t *model = json_object_get(view, "application/vnd.jupyter.widget-view+json");
    json_t *id = json_object_get(model, "model_id");
    assert_string_equal(json_string_value(id), pj_widget_id(button));
    json_object_del(model, "model_id");
    assert_string_equal(pj_bench_text(&b, model), "{'version_major':2,'version_minor':0}");
    assert_string_equal(
        json_string_value(json_object_get(view, "text/plain")),
        "Button \"Go\": to use it, run the cell again in JupyterLab 4 or Notebook 7 "
        "with ipywidgets 8 (pip install ipywidgets).");
    json_decref(view);
    view = pj_widget_view(button, "two rows");
    assert_string_equal(json_string_value(json_object_get(view, "text/plain")), "two rows");
    json_decref(view);
}

static void a_notebook_keeps_every_state(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *image = pj_bench_make(&b, "Image", NULL);
    static const struct {
        pj_str bytes;
        const char *text;
    } codes[] = {
        {{"", 0}, ""},
        {{"\xff", 1}, "/w=="},
        {{"\xfb\xef", 2}, "++8="},
        {{"\0\x10\x83", 3}, "ABCD"},
        {{"\x89PNG", 4}, "iVBORw=="},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        json_t *bytes = json_stringn_nocheck(codes[i].bytes.at, codes[i].bytes.len);
        assert_true(pj_widget_set_one(image, "value", bytes, NULL));
        json_decref(bytes);
        json_t *saved = pj_widgets_saved(b.widgets);
        json_t *all = json_object_get(saved, "application/vnd.jupyter.widget-state+json");
        assert_int_equal(json_integer_value(json_object_get(all, "version_major")), 2);
        json_t *states = json_object_get(all, "state");
        assert_int_equal(json_object_size(states), 2);
        json_t *entry = json_object_get(states, pj_widget_id(image));
        assert_string_equal(pj_bench_text(&b, json_object_get(entry, "model_module")),
                            "'@jupyter-widgets/controls'");
        pj_auto_buf buffers = {0};
        pj_buf_addf(&buffers, "[{'data':'%s','encoding':'base64','path':['value']}]",
                    codes[i].text);
        assert_string_equal(pj_bench_text(&b, json_object_get(entry, "buffers")), buffers.at);
        assert_null(json_object_get(json_object_get(entry, "state"), "value"));
        json_decref(saved);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_names_its_model),
        cmocka_unit_test(a_notebook_keeps_every_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
