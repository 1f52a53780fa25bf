// Watchers and links, also when they pull the ground from under each other.
#include "metrics/base/buf.h"
#include "tests/support/widget_bench.h"
#include "widgets/ipy/widget_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// Writes down what it hears, and does one more thing with the widget it hears of.
typedef struct ear {
    pj_bench *bench;
    pj_buf heard;
    void (*then)(struct ear *ear, pj_widget *widget);
    pj_widget *other;
    unsigned number;
    int released;
} ear;

static void hear(void *context, const pj_widget_event *event)
{
    ear *e = context;
    switch (event->kind) {
    case PJ_WIDGET_CHANGE:
        pj_buf_addf(&e->heard, "%s %s>%s%s;", event->key, pj_bench_text(e->bench, event->before),
                    pj_bench_text(e->bench, event->now), event->by_front_end ? " page" : "");
        break;
    case PJ_WIDGET_MESSAGE:
        pj_buf_addf(&e->heard, "message %s;", pj_bench_text(e->bench, event->content));
        break;
    case PJ_WIDGET_CLOSE:
        pj_buf_puts(&e->heard, "close;");
        break;
    }
    if (e->then)
        e->then(e, event->widget);
}

static void release(void *context)
{
    ((ear *)context)->released++;
}

static unsigned listen(ear *e, pj_widget *widget, pj_widget_event_kind kind, const char *key)
{
    return pj_widget_observe(
        widget,
        (pj_widget_watch){.kind = kind, .key = key, .call = hear, .release = release, .context = e},
        &e->bench->err);
}

static void changes_are_heard_whoever_made_them(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", NULL);
    ear value = {.bench = &b}, any = {.bench = &b};
    unsigned number = listen(&value, slider, PJ_WIDGET_CHANGE, "value");
    assert_true(number > 0);
    assert_true(listen(&any, slider, PJ_WIDGET_CHANGE, NULL) > 0);
    pj_bench_set(&b, slider, "{'value': 1, 'step': 2}");
    pj_bench_set(&b, slider, "{'value': 1}");
    pj_bench_msg(&b, slider, "{'method':'update','state':{'value':500}}");
    assert_string_equal(value.heard.at, "value 0>1;value 1>100 page;");
    assert_non_null(strstr(any.heard.at, "step 1>2;"));
    pj_widget_unobserve(slider, number);
    assert_int_equal(value.released, 1);
    pj_bench_set(&b, slider, "{'value': 3}");
    assert_string_equal(value.heard.at, "value 0>1;value 1>100 page;");
    assert_int_equal(listen(&value, slider, PJ_WIDGET_CHANGE, "vale"), 0);
    assert_string_equal(b.err.text, "IntSlider has no vale; did you mean value?");
    pj_widget_close(slider);
    assert_int_equal(any.released, 1);
    pj_buf_free(&value.heard);
    pj_buf_free(&any.heard);
}

static void clicks_and_closing_are_heard(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *button = pj_bench_make(&b, "Button", NULL);
    ear e = {.bench = &b};
    listen(&e, button, PJ_WIDGET_MESSAGE, NULL);
    listen(&e, button, PJ_WIDGET_CLOSE, NULL);
    pj_bench_msg(&b, button, "{'method':'custom','content':{'event':'click'}}");
    pj_widgets_take_close(b.widgets, &(pj_comm_message){.id = pj_widget_id(button)});
    assert_string_equal(e.heard.at, "message {'event':'click'};close;");
    assert_int_equal(e.released, 2);
    pj_buf_free(&e.heard);
}

static void close_it(ear *e, pj_widget *widget)
{
    (void)e;
    pj_widget_close(widget);
}

static void close_other(ear *e, pj_widget *widget)
{
    (void)widget;
    if (e->other)
        pj_widget_close(e->other);
    e->other = NULL;
}

static void end_itself(ear *e, pj_widget *widget)
{
    pj_widget_unobserve(widget, e->number);
}

static void count_up(ear *e, pj_widget *widget)
{
    json_int_t value = json_integer_value(pj_widget_get(widget, "value", NULL));
    json_t *next = json_integer(value + 1);
    pj_ignore(pj_widget_set_one(widget, "value", next, &e->bench->err));
    json_decref(next);
}

static void watch_more(ear *e, pj_widget *widget)
{
    for (int i = 0; i < 20; i++)
        listen(e, widget, PJ_WIDGET_MESSAGE, NULL);
    e->then = NULL;
}

static void a_watcher_may_do_anything(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    void (*const deeds[])(ear *, pj_widget *) = {close_it, close_other, end_itself, watch_more};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        pj_widget *text = pj_bench_make(&b, "IntText", NULL);
        ear first = {.bench = &b, .then = deeds[i], .other = text}, second = {.bench = &b};
        first.number = listen(&first, text, PJ_WIDGET_CHANGE, "value");
        listen(&second, text, PJ_WIDGET_CHANGE, "value");
        pj_bench_msg(&b, text, "{'method':'update','state':{'value':1}}");
        assert_string_equal(first.heard.at, "value 0>1 page;");
        bool closed = deeds[i] == close_it || deeds[i] == close_other;
        assert_true(closed ? second.heard.len == 0 : second.heard.len > 0);
        assert_int_equal(second.released, closed);
        if (!closed)
            pj_widget_close(text);
        pj_buf_free(&first.heard);
        pj_buf_free(&second.heard);
    }
    assert_int_equal(pj_widgets_count(b.widgets), 0);
    assert_string_equal(pj_bench_mistakes(&b), "[]");
}

static void changes_without_end_are_stopped(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *text = pj_bench_make(&b, "IntText", NULL);
    ear e = {.bench = &b, .then = count_up};
    listen(&e, text, PJ_WIDGET_CHANGE, "value");
    json_t *one = json_integer(1);
    assert_true(pj_widget_set_one(text, "value", one, NULL));
    json_decref(one);
    assert_non_null(strstr(b.err.text, "cause one another without end"));
    pj_buf_free(&e.heard);
}

static void closing_what_is_being_closed_is_harmless(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widgets_own(b.widgets, "cell");
    pj_widget *one = pj_bench_make(&b, "Button", NULL), *two = pj_bench_make(&b, "Button", NULL);
    ear e = {.bench = &b, .then = close_other, .other = one};
    listen(&e, two, PJ_WIDGET_CLOSE, NULL);
    ear f = {.bench = &b, .then = close_other, .other = two};
    listen(&f, one, PJ_WIDGET_CLOSE, NULL);
    pj_widgets_close_owner(b.widgets, "cell");
    assert_string_equal(e.heard.at, "close;");
    assert_string_equal(f.heard.at, "close;");
    assert_int_equal(pj_widgets_count(b.widgets), 0);
    assert_string_equal(pj_bench_mistakes(&b), "[]");
    pj_buf_free(&e.heard);
    pj_buf_free(&f.heard);
}

static void make_one(ear *e, pj_widget *widget)
{
    (void)widget;
    e->other = pj_bench_make(e->bench, "Label", NULL);
}

static void handlers_make_widgets_for_the_cell_of_the_one_touched(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widgets_own(b.widgets, "cell 1");
    pj_widget *button = pj_bench_make(&b, "Button", NULL);
    pj_widgets_own(b.widgets, "cell 2");
    ear e = {.bench = &b, .then = make_one};
    listen(&e, button, PJ_WIDGET_MESSAGE, NULL);
    pj_bench_msg(&b, button, "{'method':'custom','content':{'event':'click'}}");
    assert_string_equal(pj_widget_owner(e.other), "cell 1");
    assert_string_equal(pj_widget_owner(pj_bench_make(&b, "Label", NULL)), "cell 2");
    pj_buf_free(&e.heard);
}

static void links_follow(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", "{'value': 4}");
    pj_widget *text = pj_bench_make(&b, "IntText", NULL);
    pj_widget *bar = pj_bench_make(&b, "IntProgress", "{'max': 50}");
    pj_widget_end from = {slider, "value"};
    unsigned both = pj_widget_link(from, (pj_widget_end){text, "value"}, true, NULL);
    assert_true(both > 0);
    assert_true(pj_widget_link(from, (pj_widget_end){bar, "value"}, false, NULL) > 0);
    assert_string_equal(pj_bench_get(&b, text, "value"), "4");
    // 200 does not fit the slider, which then takes the text along to 100.
    assert_true(pj_bench_msg(&b, text, "{'method':'update','state':{'value':200}}"));
    assert_string_equal(pj_bench_get(&b, slider, "value"), "100");
    assert_string_equal(pj_bench_get(&b, text, "value"), "100");
    assert_string_equal(pj_bench_get(&b, bar, "value"), "50");
    pj_bench_set(&b, bar, "{'value': 1}");
    assert_string_equal(pj_bench_get(&b, slider, "value"), "100");
    pj_widgets_unlink(b.widgets, both);
    pj_bench_set(&b, slider, "{'value': 7}");
    assert_string_equal(pj_bench_get(&b, text, "value"), "100");
    pj_widget_close(bar);
    assert_true(pj_bench_set(&b, slider, "{'value': 8}"));
    pj_widget *label = pj_bench_make(&b, "Label", NULL);
    assert_int_equal(pj_widget_link(from, (pj_widget_end){label, "value"}, false, &b.err), 0);
    assert_string_equal(b.err.text, "Label.value must be a text, not the number 8");
    b.err = (pj_err){0};
    assert_int_equal(pj_widget_link(from, (pj_widget_end){label, "valu"}, false, &b.err), 0);
    assert_string_equal(b.err.text, "Label has no valu; did you mean value?");
}

static void a_link_can_end_while_it_is_followed(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *one = pj_bench_make(&b, "IntText", NULL), *two = pj_bench_make(&b, "IntText", NULL);
    pj_widget *three = pj_bench_make(&b, "IntText", NULL);
    assert_true(pj_widget_link((pj_widget_end){one, "value"}, (pj_widget_end){two, "value"}, true,
                               NULL) > 0);
    assert_true(pj_widget_link((pj_widget_end){one, "value"}, (pj_widget_end){three, "value"}, true,
                               NULL) > 0);
    ear e = {.bench = &b, .then = close_other, .other = three};
    listen(&e, two, PJ_WIDGET_CHANGE, "value");
    assert_true(pj_bench_set(&b, one, "{'value': 5}"));
    assert_string_equal(pj_bench_get(&b, two, "value"), "5");
    assert_true(pj_bench_set(&b, two, "{'value': 6}"));
    assert_string_equal(pj_bench_get(&b, one, "value"), "6");
    pj_buf_free(&e.heard);
}

static void links_that_ended_do_not_pile_up(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", NULL);
    for (int i = 0; i < 1000; i++) {
        pj_widget *text = pj_bench_make(&b, "IntText", NULL);
        assert_true(pj_widget_link((pj_widget_end){slider, "value"}, (pj_widget_end){text, "value"},
                                   true, NULL) > 0);
        unsigned number = pj_widget_observe(
            slider, (pj_widget_watch){.kind = PJ_WIDGET_MESSAGE, .call = hear}, NULL);
        pj_widget_unobserve(slider, number);
        pj_widget_close(text);
        pj_front_clear(b.front);
    }
    assert_true(b.widgets->bond_cap < 20);
    assert_true(slider->watcher_cap < 20);
}

/// Who only holds something for the widget need not hear of its end.
static void a_watch_may_be_there_for_its_release(void **state)
{
    (void)state;
    pj_auto_bench b = pj_bench_new(PJ_WIDGETS_8, true);
    pj_widget *slider = pj_bench_make(&b, "IntSlider", NULL);
    ear e = {.bench = &b};
    pj_widget_watch watch = {.kind = PJ_WIDGET_CLOSE, .release = release, .context = &e};
    assert_true(pj_widget_observe(slider, watch, &b.err) > 0);
    pj_widget_close(slider);
    assert_int_equal(e.released, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_heard_whoever_made_them),
        cmocka_unit_test(clicks_and_closing_are_heard),
        cmocka_unit_test(a_watcher_may_do_anything),
        cmocka_unit_test(changes_without_end_are_stopped),
        cmocka_unit_test(closing_what_is_being_closed_is_harmless),
        cmocka_unit_test(handlers_make_widgets_for_the_cell_of_the_one_touched),
        cmocka_unit_test(links_follow),
        cmocka_unit_test(a_link_can_end_while_it_is_followed),
        cmocka_unit_test(links_that_ended_do_not_pile_up),
        cmocka_unit_test(a_watch_may_be_there_for_its_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
