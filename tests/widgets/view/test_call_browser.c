// Looking around in call paths, driven as a front end drives it: by comm messages.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "tests/support/profile/made_profile.h"
#include "tests/support/widget_bench.h"
#include "widgets/plot/plot.h"
#include "widgets/view/call_browser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

typedef struct page {
    pj_bench bench;
    pj_widget *root;
} page;

static void open_page(page *p, const char *kind, made_profile_opts made)
{
    p->bench = pj_bench_new(PJ_WIDGETS_8, true);
    pj_auto_profile profile = made_profile(made);
    p->root = pj_call_browser_new(p->bench.widgets, profile, pj_plot_of_profile(pj_str_of(kind)),
                                  (pj_plot_opts){0}, &p->bench.err);
    if (!p->root)
        fail_msg("%s", p->bench.err.text);
}

static void close_page(page *p)
{
    pj_widget_close(p->root); // as the next run of its cell does
    assert_string_equal(pj_bench_mistakes(&p->bench), "[]");
    pj_bench_free(&p->bench);
}

static pj_widget *find(page *p, const char *model, const char *description)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(p->bench.widgets, w));) {
        const char *text = json_string_value(pj_widget_get(w, "description", NULL));
        if (pj_str_equal(pj_model_title(pj_widget_model(w)), pj_str_of(model)) &&
            (!description || (text && strcmp(text, description) == 0)))
            return w;
    }
    fail_msg("there is no %s %s", model, description ? description : "");
    return NULL;
}

static void click(page *p, const char *button)
{
    assert_true(pj_bench_msg(&p->bench, find(p, "Button", button),
                             "{'method':'custom','content':{'event':'click'}}"));
}

/// As the picture does when something in it is clicked.
static void ask(page *p, const char *what)
{
    static int number;
    char data[256];
    snprintf(data, sizeof data, "{'method':'update','state':{'value':'%d %s'}}", ++number, what);
    assert_true(pj_bench_msg(&p->bench, find(p, "Text", ""), data));
}

/// The picture as it is shown: its data, which end where the call of the script does.
static json_t *shown(page *p)
{
    const json_t *outputs = pj_widget_get(find(p, "Output", NULL), "outputs", NULL);
    const json_t *data = json_object_get(json_array_get(outputs, 0), "data");
    const char *html = json_string_value(json_object_get(data, "text/html"));
    assert_non_null(html);
    const char *begin = strstr(html, "parentNode,{\"shape\"");
    assert_non_null(begin);
    json_t *all = json_loads(begin + 11, JSON_DISABLE_EOF_CHECK, NULL);
    assert_non_null(all);
    return all;
}

static unsigned depth_shown(page *p)
{
    json_t *all = shown(p);
    size_t first = (size_t)json_integer_value(json_object_get(all, "first"));
    const json_t *depths = json_object_get(json_object_get(all, "boxes"), "depth");
    unsigned depth = (unsigned)json_integer_value(json_array_get(depths, first));
    json_decref(all);
    return depth;
}

/// "root/child": the way to the largest callee, as the picture tells it.
static void way_to_child(page *p, char *out, size_t size)
{
    json_t *all = shown(p);
    const json_t *of = json_object_get(json_object_get(all, "boxes"), "of");
    const json_t *functions = json_object_get(all, "functions");
    long long ids[2];
    for (size_t i = 0; i < 2; i++) {
        size_t at = (size_t)json_integer_value(json_array_get(of, i));
        ids[i] = json_integer_value(json_array_get(json_array_get(functions, at), 7));
    }
    snprintf(out, size, "%lld/%lld", ids[0], ids[1]);
    json_decref(all);
}

static size_t links(page *p)
{
    size_t count = 0;
    for (pj_widget *w = NULL; (w = pj_widgets_next(p->bench.widgets, w));) {
        if (!pj_str_equal(pj_model_title(pj_widget_model(w)), PJ_S("HBox")))
            continue;
        size_t children = json_array_size(pj_widget_get(w, "children", NULL));
        count = children != 6 ? children : count; // the other row has six controls
    }
    return count;
}

static void a_click_zooms_and_buttons_lead_back(void **state)
{
    (void)state;
    page p;
    char way[64];
    open_page(&p, "flame", (made_profile_opts){MADE_GRAPH, 400, 3, false, true, false});
    way_to_child(&p, way, sizeof way);
    assert_int_equal(depth_shown(&p), 0);
    ask(&p, way);
    assert_int_equal(depth_shown(&p), 1);
    assert_int_equal(links(&p), 2);
    click(&p, "Back");
    assert_int_equal(depth_shown(&p), 0);
    assert_int_equal(links(&p), 0);
    ask(&p, way);
    ask(&p, "back");
    assert_int_equal(depth_shown(&p), 0);
    ask(&p, way);
    click(&p, "Whole");
    assert_int_equal(depth_shown(&p), 0);
    close_page(&p);
}

/// Without a script: a list of what is called leads down.
static void a_list_leads_down(void **state)
{
    (void)state;
    page p;
    open_page(&p, "icicle", (made_profile_opts){MADE_GRAPH, 400, 3, false, true, false});
    pj_widget *down = find(&p, "Dropdown", "Look at");
    assert_non_null(strstr(pj_bench_get(&p.bench, down, "_options_labels"), "function_"));
    for (unsigned depth = 1; depth <= 3; depth++) {
        assert_true(pj_bench_msg(&p.bench, down, "{'method':'update','state':{'index':1}}"));
        assert_int_equal(depth_shown(&p), depth);
        assert_string_equal(pj_bench_get(&p.bench, down, "index"), "0");
    }
    click(&p, "Back");
    assert_int_equal(depth_shown(&p), 2);
    close_page(&p);
}

/// Anybody may write into the field that nobody sees.
static void nonsense_changes_nothing(void **state)
{
    (void)state;
    static const char *const nonsense[] = {
        "",           "x",       "-2", "0/",   "0/999999",
        "4294967296", "1/2/3/x", "//", "back", "99999999999999999999"};
    page p;
    char deep[200] = "0"; // a path that turns in a circle
    open_page(&p, "sunburst", (made_profile_opts){MADE_GRAPH, 40, 1, false, true, false});
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        ask(&p, nonsense[i]);
    while (strlen(deep) < 180)
        strcat(deep, "/0");
    ask(&p, deep);
    assert_true(depth_shown(&p) == 0);
    close_page(&p);
}

static void controls_draw_anew(void **state)
{
    (void)state;
    page p;
    open_page(&p, "icicle", (made_profile_opts){MADE_TREE, 60, 2, true, false, false});
    assert_true(pj_bench_msg(&p.bench, find(&p, "Dropdown", "Depth"),
                             "{'method':'update','state':{'index':1}}"));
    json_t *all = shown(&p);
    size_t i;
    const json_t *depth;
    json_array_foreach(json_object_get(json_object_get(all, "boxes"), "depth"), i, depth)
        assert_true(json_integer_value(depth) <= 3);
    json_decref(all);
    assert_true(pj_bench_msg(&p.bench, find(&p, "Text", "Search"),
                             "{'method':'update','state':{'value':'function_1'}}"));
    all = shown(&p);
    assert_string_equal(json_string_value(json_object_get(all, "wanted")), "function_1");
    json_decref(all);
    close_page(&p);
}

/// 100,000 functions: 100 ms of a processor a click, with room for loaded and slow machines.
static void a_click_is_quick(void **state)
{
    (void)state;
    enum { CLICKS = 5, MOST_MS = 300 };
    page p;
    char way[64];
    open_page(&p, "flame", (made_profile_opts){MADE_GRAPH, 100000, 1, false, true, false});
    way_to_child(&p, way, sizeof way);
    clock_t began = clock();
    for (int i = 0; i < CLICKS; i++) {
        ask(&p, way);
        ask(&p, "back");
    }
    double ms = 1e3 * (double)(clock() - began) / CLOCKS_PER_SEC / (2 * CLICKS);
    print_message("a click takes %.1f ms\n", ms);
#if !defined(PJ_TINY) && !defined(__SANITIZE_THREAD__)
    assert_true(ms < MOST_MS);
#endif
    close_page(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_click_zooms_and_buttons_lead_back),
        cmocka_unit_test(a_list_leads_down),
        cmocka_unit_test(nonsense_changes_nothing),
        cmocka_unit_test(controls_draw_anew),
        cmocka_unit_test(a_click_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
