// What front ends send, and what they are answered: the exchanges seen between JupyterLab 4 with
// ipywidgets 8 and its kernel.
#include "metrics/base/buf.h"
#include "tests/support/widget_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void an_update_is_echoed_and_kept(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", NULL);
    pj_bench_sent(&b);
    assert_true(pj_bench_msg(&b, slider,
                             "{'method':'update','state':{'value':9,'_view_count':1},"
                             "'buffer_paths':[]}"));
    assert_string_equal(pj_bench_sent(&b), "echo_update {'value':9}\n");
    assert_string_equal(pj_bench_get(&b, slider, "value"), "9");
}

static void without_echo_a_good_value_is_not_answered(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, false);
    pj_widget *slider = pj_bench_make(&b, "FloatSlider", NULL);
    pj_bench_sent(&b);
    // JavaScript has one kind of number: 9 is as good as 9.0.
    assert_true(pj_bench_msg(&b, slider, "{'method':'update','state':{'value':9}}"));
    assert_string_equal(pj_bench_sent(&b), "");
    assert_string_equal(pj_bench_get(&b, slider, "value"), "9.0");
}

static void what_was_clamped_or_refused_is_corrected(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", "{'value': 100}");
    pj_bench_sent(&b);
    assert_true(pj_bench_msg(&b, slider, "{'method':'update','state':{'value':500}}"));
    assert_string_equal(pj_bench_sent(&b), "echo_update {'value':500}\nupdate {'value':100}\n");
    assert_false(pj_bench_msg(&b, slider, "{'method':'update','state':{'value':'x','step':2}}"));
    assert_int_equal(b.err.code, PJ_E_USAGE);
    assert_string_equal(pj_bench_sent(&b), "echo_update {'step':2,'value':'x'}\n"
                                           "update {'value':100}\nupdate {'step':1}\n");
}

/// Labels, children and bounds are the program's: a page that sends them gets the true ones back.
static void structure_comes_from_no_page(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *list = pj_bench_make(&b, "Dropdown", "{'_options_labels': ['a', 'b']}");
    pj_bench_sent(&b);
    assert_false(pj_bench_msg(
        &b, list, "{'method':'update','state':{'_options_labels':['a','b','c','d'],'index':3}}"));
    assert_string_equal(pj_bench_get(&b, list, "_options_labels"), "['a','b']");
    assert_string_equal(pj_bench_get(&b, list, "index"), "0");
    assert_string_equal(pj_bench_sent(&b),
                        "echo_update {'_options_labels':['a','b','c','d'],'index':3}\n"
                        "update {'index':0}\nupdate {'_options_labels':['a','b']}\n");
    pj_widget *slider = pj_bench_make(&b, "IntSlider", "{'value': 7, 'max': 9}");
    assert_true(pj_bench_msg(&b, slider, "{'method':'update','state':{'max':900,'value':8}}"));
    assert_string_equal(pj_bench_get(&b, slider, "max"), "9");
    assert_string_equal(pj_bench_get(&b, slider, "value"), "8");
}

static void a_link_of_the_program_moves_any_trait(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *a = pj_bench_make(&b, "IntSlider", NULL), *z = pj_bench_make(&b, "IntSlider", NULL);
    json_t *ends = json_pack("{s:[o, s], s:[o, s]}", "source", pj_widget_reference(a), "value",
                             "target", pj_widget_reference(z), "max");
    assert_non_null(pj_widget_new(b.widgets, "DirectionalLink", ends, &b.err));
    json_decref(ends);
    assert_true(pj_bench_msg(&b, z, "{'method':'update','state':{'max':50,'step':3}}"));
    assert_string_equal(pj_bench_get(&b, z, "max"), "50");
    assert_string_equal(pj_bench_get(&b, z, "step"), "1");
    // One that the page has made itself gives it no right.
    json_t *open =
        json_pack("{s:{s:s, s:[o, s], s:[o, s]}}", "state", "_model_name", "LinkModel", "source",
                  pj_widget_reference(a), "value", "target", pj_widget_reference(z), "step");
    pj_front_open(b.front, "own");
    pj_comm_message message = {.id = "own", .target = PJ_WIDGET_TARGET, .data = open};
    assert_true(pj_widgets_take_open(b.widgets, &message, &b.err));
    json_decref(open);
    assert_true(pj_bench_msg(&b, z, "{'method':'update','state':{'step':3}}"));
    assert_string_equal(pj_bench_get(&b, z, "step"), "1");
}

static void uploads_arrive_and_are_not_echoed(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *upload = pj_bench_make(&b, "FileUpload", NULL);
    pj_bench_sent(&b);
    const char *data = "{'method':'update','state':{'error':'','value':[{'name':'a.prv','type':'',"
                       "'size':3,'last_modified':1700000000000}]},"
                       "'buffer_paths':[['value',0,'content']]}";
    pj_str bytes = PJ_S("\0\xff\x80");
    assert_true(pj_bench_msg_with(&b, pj_widget_id(upload), data, &bytes, 1));
    assert_string_equal(pj_bench_sent(&b), "echo_update {'error':''}\n");
    assert_string_equal(pj_bench_get(&b, upload, "value"),
                        "[{'content':'<3 bytes>','last_modified':1700000000000,'name':'a.prv',"
                        "'size':3,'type':''}]");
    // A page that comes later gets the file as it came.
    assert_true(pj_bench_msg(&b, upload, "{'method':'request_state'}"));
    json_t *full = pj_front_at(b.front, 0);
    assert_string_equal(
        pj_bench_text(&b, json_object_get(json_object_get(full, "data"), "buffer_paths")),
        "[['value',0,'content']]");
    assert_string_equal(pj_bench_text(&b, json_object_get(full, "buffers")), "['<3 bytes>']");
    assert_true(pj_bench_set(&b, upload, "{'value': []}"));
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void buffers_that_lead_nowhere_are_refused(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *upload = pj_bench_make(&b, "FileUpload", NULL);
    static const char *const paths[] = {
        "[['value',0,'content']]",
        "[['value',-1,'content']]",
        "[['description']]",
        "[['value']]",
        "[['value',0]]",
        "[[]]",
        "[[0]]",
        "['value']",
        "[['value','0','content']]",
        "[['value',0,'content',1]]",
        "[['nothing']]",
        "[]",
        "[['value',0,7]]",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        pj_auto_buf data = {0};
        pj_buf_addf(&data, "{'method':'update','state':{'value':[]},'buffer_paths':%s}", paths[i]);
        pj_str bytes = PJ_S("x");
        assert_false(pj_bench_msg_with(&b, pj_widget_id(upload), data.at, &bytes, 1));
        assert_int_equal(b.err.code, PJ_E_FORMAT);
        assert_string_equal(pj_bench_get(&b, upload, "value"), "[]");
    }
}

static void a_state_is_given_on_request(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *style = pj_bench_make(&b, "SliderStyle", NULL);
    pj_front_clear(b.front);
    assert_true(pj_bench_msg(&b, style, "{'method':'request_state'}"));
    json_t *data = json_object_get(pj_front_at(b.front, 0), "data");
    assert_string_equal(pj_bench_text(&b, data),
                        "{'buffer_paths':[],'method':'update','state':{"
                        "'_model_module':'@jupyter-widgets/controls','_model_module_version':"
                        "'2.0.0','_model_name':'SliderStyleModel','_view_module':"
                        "'@jupyter-widgets/base','_view_module_version':'2.0.0','_view_name':"
                        "'StyleView','description_width':'','handle_color':null}}");
}

static void a_reloaded_page_gets_every_state(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *image = pj_bench_make(&b, "Image", NULL);
    json_t *bytes = json_stringn_nocheck("\xff", 1);
    pj_ignore(pj_widget_set_one(image, "value", bytes, NULL));
    json_decref(bytes);
    pj_comm_message open = {.id = "page", .target = PJ_WIDGET_CONTROL_TARGET};
    assert_true(pj_widgets_take_open(b.widgets, &open, NULL));
    pj_front_open(b.front, "page");
    pj_front_clear(b.front);
    assert_true(pj_bench_msg_with(&b, "page", "{'method':'request_states'}", NULL, 0));
    json_t *answer = pj_front_at(b.front, 0), *data = json_object_get(answer, "data");
    assert_string_equal(pj_bench_text(&b, json_object_get(data, "method")), "'update_states'");
    json_t *states = json_object_get(data, "states");
    assert_int_equal(json_object_size(states), 2); // with its layout
    json_t *entry = json_object_get(states, pj_widget_id(image));
    assert_string_equal(pj_bench_text(&b, json_object_get(entry, "model_name")), "'ImageModel'");
    assert_string_equal(pj_bench_text(&b, json_object_get(entry, "model_module_version")),
                        "'2.0.0'");
    assert_string_equal(
        pj_bench_text(&b, json_object_get(json_object_get(entry, "state"), "_view_name")),
        "'ImageView'");
    json_t *path = json_array_get(json_object_get(data, "buffer_paths"), 0);
    assert_string_equal(json_string_value(json_array_get(path, 0)), pj_widget_id(image));
    assert_string_equal(json_string_value(json_array_get(path, 1)), "state");
    assert_string_equal(json_string_value(json_array_get(path, 2)), "value");
    assert_string_equal(pj_bench_text(&b, json_object_get(answer, "buffers")), "['<1 bytes>']");
    assert_false(pj_bench_msg_with(&b, "page", "{'method':'dance'}", NULL, 0));
    pj_widgets_take_close(b.widgets, &open);
    assert_false(pj_bench_msg_with(&b, "page", "{'method':'request_states'}", NULL, 0));
    assert_int_equal(b.err.code, PJ_E_MISSING);
}

static void pages_that_never_close_do_not_pile_up(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    for (int i = 0; i < 1000; i++) {
        char id[24];
        snprintf(id, sizeof id, "page %d", i);
        pj_comm_message open = {.id = id, .target = PJ_WIDGET_CONTROL_TARGET};
        assert_true(pj_widgets_take_open(b.widgets, &open, NULL));
    }
    json_t *comms = pj_widgets_comms(b.widgets, NULL);
    assert_true(json_object_size(comms) <= 64);
    assert_non_null(json_object_get(comms, "page 999"));
    json_decref(comms);
}

static void comms_that_exist_or_cannot_be(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *button = pj_bench_make(&b, "Button", NULL);
    pj_bench_sent(&b);
    // The classic notebook opens again what it knows.
    pj_comm_message open = {.id = pj_widget_id(button), .target = PJ_WIDGET_TARGET};
    assert_true(pj_widgets_take_open(b.widgets, &open, NULL));
    assert_string_equal(pj_bench_sent(&b), "");
    pj_comm_message other = {.id = "x", .target = "jupyter.somebody"};
    assert_false(pj_widgets_take_open(b.widgets, &other, &b.err));
    assert_string_equal(b.err.text, "there is no comm target jupyter.somebody");
    json_t *comms = pj_widgets_comms(b.widgets, PJ_WIDGET_TARGET);
    assert_int_equal(json_object_size(comms), 3);
    assert_string_equal(pj_bench_text(&b, json_object_get(comms, pj_widget_id(button))),
                        "{'target_name':'jupyter.widget'}");
    json_decref(comms);
}

static void a_page_can_make_a_widget(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    json_t *data = pj_bench_json("{'state':{'_model_name':'IntSliderModel','value':4},"
                                 "'buffer_paths':[]}");
    pj_front_open(b.front, "theirs");
    pj_comm_message open = {.id = "theirs", .target = PJ_WIDGET_TARGET, .data = data};
    assert_true(pj_widgets_take_open(b.widgets, &open, &b.err));
    json_decref(data);
    pj_widget *slider = pj_widgets_find(b.widgets, "theirs");
    assert_string_equal(pj_bench_get(&b, slider, "value"), "4");
    assert_string_equal(pj_bench_mistakes(&b), "[]");
    data = pj_bench_json("{'state':{'_model_name':'IntSliderModel','value':'x'}}");
    pj_front_open(b.front, "wrong");
    open = (pj_comm_message){.id = "wrong", .target = PJ_WIDGET_TARGET, .data = data};
    assert_false(pj_widgets_take_open(b.widgets, &open, &b.err));
    json_decref(data);
    assert_null(pj_widgets_find(b.widgets, "wrong"));
}

static void a_page_can_close_a_widget(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *button = pj_bench_make(&b, "Button", NULL);
    pj_widget *box =
        pj_bench_make(&b, "VBox", pj_bench_children(&b, "children", button, NULL, NULL));
    pj_bench_sent(&b);
    pj_widgets_take_close(b.widgets, &(pj_comm_message){.id = pj_widget_id(button)});
    assert_string_equal(pj_bench_sent(&b), "update {'children':[]}\n"); // no comm_close back
    assert_int_equal(pj_widgets_count(b.widgets), 2);
    pj_widgets_take_close(b.widgets, &(pj_comm_message){.id = "never heard of"});
    assert_string_equal(pj_bench_get(&b, box, "children"), "[]");
}

static void custom_messages_go_both_ways(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *button = pj_bench_make(&b, "Button", NULL);
    pj_bench_sent(&b);
    json_t *content = pj_bench_json("{'event':'focus'}");
    pj_widget_send(button, content, NULL, 0);
    json_decref(content);
    assert_string_equal(pj_bench_sent(&b), "custom {'event':'focus'}\n");
    assert_true(pj_bench_msg(&b, button, "{'method':'custom','content':{'event':'click'}}"));
    assert_true(pj_bench_msg(&b, button, "{'method':'custom'}"));
    assert_false(pj_bench_msg(&b, button, "{'method':'backbone'}"));
    assert_false(pj_bench_msg(&b, button, "{}"));
    assert_false(pj_bench_msg(&b, button, "[]"));
    assert_false(pj_bench_msg(&b, button, "{'method':'update'}"));
    assert_false(pj_bench_msg(&b, button, "{'method':'update','state':[]}"));
    assert_string_equal(pj_bench_sent(&b), "");
}

static void ipywidgets_7_is_spoken(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_7, false);
    pj_widget *page = pj_bench_make(&b, "Text", "{'tooltip': 'tip'}");
    json_t *text = json_object_get(json_object_get(pj_front_at(b.front, -1), "data"), "state");
    assert_string_equal(pj_bench_text(&b, json_object_get(text, "description_tooltip")), "'tip'");
    assert_string_equal(pj_bench_text(&b, json_object_get(text, "tooltip")), "(none)");
    assert_string_equal(pj_bench_text(&b, json_object_get(text, "_model_module_version")),
                        "'1.5.0'");
    pj_widget *tab = pj_bench_make(&b, "Tab", pj_bench_children(&b, "children", page, page, NULL));
    assert_true(pj_bench_set(&b, tab, "{'titles': ['Traces', 'Report']}"));
    pj_front_clear(b.front);
    assert_true(pj_bench_msg(&b, tab, "{'method':'request_state'}"));
    json_t *full = json_object_get(json_object_get(pj_front_at(b.front, 0), "data"), "state");
    assert_string_equal(pj_bench_text(&b, json_object_get(full, "_titles")),
                        "{'0':'Traces','1':'Report'}");
    assert_string_equal(pj_bench_text(&b, json_object_get(full, "selected_index")), "0");
    assert_true(pj_bench_msg(&b, tab, "{'method':'update','state':{'_titles':{'0':'A','1':'B'}}}"));
    assert_string_equal(pj_bench_get(&b, tab, "titles"), "['Traces','Report']");
    pj_widget *play = pj_bench_make(&b, "Play", NULL);
    assert_true(pj_bench_msg(&b, play, "{'method':'update','state':{'_playing':true}}"));
    assert_string_equal(pj_bench_get(&b, play, "playing"), "true");
    assert_null(pj_bench_make(&b, "Stack", NULL));
    assert_string_equal(b.err.text, "Stack is not part of ipywidgets 7; it needs ipywidgets 8");
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void uploads_of_ipywidgets_7_look_the_same(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_7, true);
    pj_widget *upload = pj_bench_make(&b, "FileUpload", NULL);
    pj_bench_sent(&b);
    const char *data = "{'method':'update','state':{'_counter':1,'error':'','data':[null],"
                       "'metadata':[{'name':'a.prv','type':'','size':2,'lastModified':5}]},"
                       "'buffer_paths':[['data',0]]}";
    pj_str bytes = PJ_S("\xff\xfe");
    assert_true(pj_bench_msg_with(&b, pj_widget_id(upload), data, &bytes, 1));
    assert_string_equal(pj_bench_get(&b, upload, "value"),
                        "[{'content':'<2 bytes>','last_modified':5,'name':'a.prv','size':2,"
                        "'type':''}]");
    pj_bench_sent(&b);
    assert_true(pj_bench_set(&b, upload, "{'value': []}"));
    assert_string_equal(pj_bench_sent(&b), "update {'_counter':0,'data':[],'metadata':[]}\n");
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void echo_follows_its_variable(void **state)
{
    (void)state;
    assert_true(pj_widgets_echo(NULL, PJ_WIDGETS_8));
    assert_false(pj_widgets_echo(NULL, PJ_WIDGETS_7));
    assert_true(pj_widgets_echo("1", PJ_WIDGETS_7));
    assert_true(pj_widgets_echo("", PJ_WIDGETS_8));
    assert_false(pj_widgets_echo("OFF", PJ_WIDGETS_8));
    assert_false(pj_widgets_echo("0.0", PJ_WIDGETS_8));
}

static void a_thousand_moves_arrive_in_order(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", "{'max': 1000}");
    pj_front_clear(b.front);
    for (int i = 1; i <= 1000; i++) {
        char data[64];
        snprintf(data, sizeof data, "{'method':'update','state':{'value':%d}}", i);
        assert_true(pj_bench_msg(&b, slider, data));
        json_t *echo = json_object_get(pj_front_at(b.front, -1), "data");
        json_t *value = json_object_get(json_object_get(echo, "state"), "value");
        assert_int_equal(json_integer_value(value), i);
    }
    assert_int_equal(pj_front_count(b.front), 1000);
    assert_string_equal(pj_bench_get(&b, slider, "value"), "1000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_is_echoed_and_kept),
        cmocka_unit_test(without_echo_a_good_value_is_not_answered),
        cmocka_unit_test(what_was_clamped_or_refused_is_corrected),
        cmocka_unit_test(structure_comes_from_no_page),
        cmocka_unit_test(a_link_of_the_program_moves_any_trait),
        cmocka_unit_test(uploads_arrive_and_are_not_echoed),
        cmocka_unit_test(buffers_that_lead_nowhere_are_refused),
        cmocka_unit_test(a_state_is_given_on_request),
        cmocka_unit_test(a_reloaded_page_gets_every_state),
        cmocka_unit_test(pages_that_never_close_do_not_pile_up),
        cmocka_unit_test(comms_that_exist_or_cannot_be),
        cmocka_unit_test(a_page_can_make_a_widget),
        cmocka_unit_test(a_page_can_close_a_widget),
        cmocka_unit_test(custom_messages_go_both_ways),
        cmocka_unit_test(ipywidgets_7_is_spoken),
        cmocka_unit_test(uploads_of_ipywidgets_7_look_the_same),
        cmocka_unit_test(echo_follows_its_variable),
        cmocka_unit_test(a_thousand_moves_arrive_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
