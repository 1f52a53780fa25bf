// Widgets from C, as a command uses them: entering, watches, errands of other threads.
#include "kernel/lua/live.h"

#include "kernel/lua/lang.h"
#include "metrics/base/pool.h"
#include "tests/support/recording_face.h"
#include "tests/support/strict_front.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct page {
    pj_live *live;
    char button[64], progress[64]; // comm ids: widgets may be closed at any time
    int clicks;
    pj_task *work;
    pj_desk desk;
} page;

static void set_progress(pj_live *live, const char *id, int value)
{
    pj_widget *widget = pj_widgets_find(pj_live_widgets(live), id);
    json_t *now = json_integer(value);
    if (widget)
        assert_true(pj_widget_set_one(widget, "value", now, NULL));
    json_decref(now);
}

static void report(void *context)
{
    page *p = context;
    set_progress(p->live, p->progress, 50);
}

/// What would compute for long: it touches no widget.
static void work(void *context)
{
    page *p = context;
    if (p->desk.self)
        p->desk.post(p->desk.self, &(pj_errand){report, NULL, p});
}

static void on_click(void *context, const pj_widget_event *event)
{
    page *p = context;
    assert_string_equal(pj_widget_id(event->widget), p->button);
    assert_non_null(pj_live_session(p->live));
    p->clicks++;
    p->desk = pj_live_desk(p->live);
    p->work = pj_task_start(work, p);
}

static void make_page(page *p, pj_session *session)
{
    p->live = pj_live_of(session);
    pj_widgets *widgets = pj_live_enter(session);
    pj_widget *button = pj_widget_new(widgets, "Button", NULL, NULL);
    pj_widget *progress = pj_widget_new(widgets, "IntProgress", NULL, NULL);
    strcpy(p->button, pj_widget_id(button));
    strcpy(p->progress, pj_widget_id(progress));
    pj_widget_watch watch = {.kind = PJ_WIDGET_MESSAGE, .call = on_click, .context = p};
    assert_true(pj_widget_observe(button, watch, NULL) > 0);
    assert_ptr_equal(pj_live_enter(session), widgets); // calls nest
    pj_live_leave(session);
    pj_live_leave(session);
}

typedef struct kept_desk {
    pj_errand errands[4];
    int count, closed;
} kept_desk;

static void keep(void *self, const pj_errand *errand)
{
    kept_desk *desk = self;
    desk->errands[desk->count++] = *errand;
}

static void close_desk(void *self)
{
    ((kept_desk *)self)->closed++;
}

static pj_desk open_desk(void *self, const char *owner)
{
    (void)self, (void)owner;
    static kept_desk desk;
    desk = (kept_desk){.count = 0};
    return (pj_desk){&desk, keep, close_desk};
}

static void click(pj_lang *lang, const char *id)
{
    json_t *data = json_pack("{s:s, s:{s:s}}", "method", "custom", "content", "event", "click");
    pj_lang_comm_message(lang, &(pj_comm_message){.id = id, .data = data});
    json_decref(data);
}

static void test_page(void **state)
{
    (void)state;
    pj_recording face;
    pj_recording_open(&face);
    pj_front front = pj_front_new();
    face.face.comms = pj_front_channel(&front);
    face.face.desk = open_desk;
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    page p = {.clicks = 0};
    make_page(&p, pj_lang_session(lang));
    assert_int_equal(json_object_size(front.states), 6);
    click(lang, p.button);
    assert_int_equal(p.clicks, 1);
    pj_task_join(p.work);
    kept_desk *desk = p.desk.self;
    assert_int_equal(desk->count, 1);
    pj_lang_errand(lang, "", &desk->errands[0]);
    const json_t *shown = json_object_get(front.states, p.progress);
    assert_int_equal(json_integer_value(json_object_get(shown, "value")), 50);
    p.desk.close(p.desk.self);
    assert_int_equal(desk->closed, 1);
    assert_int_equal(json_array_size(front.mistakes), 0);
    pj_lang_free(lang);
    pj_front_free(&front);
    pj_recording_close(&face);
}

static void test_without_desk(void **state)
{
    (void)state;
    pj_recording face;
    pj_recording_open(&face);
    pj_lang *lang = pj_lang_new(&face.face, NULL);
    page p = {.clicks = 0};
    make_page(&p, pj_lang_session(lang)); // no front end either: messages go nowhere
    click(lang, p.button);
    pj_task_join(p.work);
    assert_null(p.desk.self);
    pj_lang_free(lang);
    pj_session *shell = pj_session_new(&face.face, NULL);
    assert_null(pj_live_of(shell));
    pj_session_free(shell);
    pj_recording_close(&face);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_without_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
