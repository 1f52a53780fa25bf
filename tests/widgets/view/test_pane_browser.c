// Linked panes, driven as a front end drives them: by clicks on rows.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/location_values.h"
#include "tests/support/profile/made_profile.h"
#include "tests/support/widget_bench.h"
#include "widgets/view/pane_browser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { METRICS, ITEMS, PLACES };

typedef struct page {
    pj_bench bench;
    pj_profile *profile;
    pj_widget *root;
} page;

static page open_page(made_profile_opts made)
{
    page p = {.bench = pj_bench_new(PJ_WIDGETS_8, true), .profile = made_profile(made)};
    p.root = pj_pane_browser_new(p.bench.widgets, p.profile, &p.bench.err);
    if (!p.root)
        fail_msg("%s", p.bench.err.text);
    return p;
}

static void close_page(page *p)
{
    pj_widget_close(p->root); // as the next run of its cell does
    assert_string_equal(pj_bench_mistakes(&p->bench), "[]");
    pj_bench_free(&p->bench);
    pj_profile_release(p->profile);
}

static pj_widget *child(page *p, const pj_widget *of, size_t index)
{
    const json_t *list = pj_widget_get(of, "children", NULL);
    const char *reference = json_string_value(json_array_get(list, index));
    return reference ? pj_widgets_find(p->bench.widgets, reference + strlen("IPY_MODEL_")) : NULL;
}

/// A row of a pane; NULL past the last.
static pj_widget *row(page *p, size_t pane, size_t index)
{
    return child(p, child(p, child(p, child(p, p->root, 1), pane), 1), index);
}

/// Its text with usual blanks.
static const char *text_of(page *p, size_t pane, size_t index)
{
    static char text[512];
    const pj_widget *w = row(p, pane, index);
    const char *from = w ? json_string_value(pj_widget_get(w, "description", NULL)) : "";
    size_t n = 0;
    while (*from && n + 1 < sizeof text) {
        bool blank = strncmp(from, "\u00a0", 2) == 0, wide = strncmp(from, "\u2007", 3) == 0;
        text[n++] = blank || wide ? ' ' : *from;
        from += wide ? 3 : blank ? 2 : 1;
    }
    text[n] = 0;
    return text;
}

static size_t rows(page *p, size_t pane)
{
    size_t count = 0;
    while (row(p, pane, count))
        count++;
    return count;
}

static void click(page *p, size_t pane, size_t index)
{
    assert_true(pj_bench_msg(&p->bench, row(p, pane, index),
                             "{'method':'custom','content':{'event':'click'}}"));
}

static void set(page *p, const char *description, const char *state)
{
    char data[256];
    for (pj_widget *w = NULL; (w = pj_widgets_next(p->bench.widgets, w));) {
        const char *text = json_string_value(pj_widget_get(w, "description", NULL));
        if (!text || strcmp(text, description) != 0)
            continue;
        snprintf(data, sizeof data, "{'method':'update','state':{%s}}", state);
        assert_true(pj_bench_msg(&p->bench, w, data));
        return;
    }
    fail_msg("there is no %s", description);
}

/// "12.3" of "12.3 s  v main"; what stands before it is blank.
static double number(page *p, size_t pane, size_t index)
{
    char plain[64];
    size_t n = 0;
    for (const char *c = text_of(p, pane, index); *c && n + 1 < sizeof plain; c++)
        if (*c != ',')
            plain[n++] = *c;
    plain[n] = 0;
    return strtod(plain, NULL);
}

static double sum_of_places(page *p)
{
    double sum = 0;
    for (size_t i = 1; i < rows(p, PLACES); i++)
        sum += number(p, PLACES, i);
    return sum;
}

static const made_profile_opts tree = {MADE_TREE, 30, 3, false, false, false};

static void what_is_chosen_is_what_ranks_show(void **state)
{
    (void)state;
    page p = open_page(tree);
    assert_int_equal(rows(&p, PLACES), 4); // all, and three ranks
    set(&p, "Values", "'index':1");
    double before = number(&p, ITEMS, 1);
    assert_true(before > 0 && before <= 100);
    click(&p, ITEMS, 1);
    assert_float_equal(sum_of_places(&p), before, 0.25); // in percent of the metric
    set(&p, "Values", "'index':2");
    assert_float_equal(sum_of_places(&p), 100, 0.25); // of the choice
    close_page(&p);
}

/// Shut: with all below; open: its own. Both add up to the same.
static void an_open_row_shows_its_own(void **state)
{
    (void)state;
    page p = open_page(tree);
    pj_arena *arena = pj_arena_new(NULL);
    pj_location_values values;
    assert_true(pj_location_values_new(p.profile, 0, true, arena, &values, &p.bench.err));
    size_t shut = 1; // a row that holds others
    while (!strstr(text_of(&p, ITEMS, shut), "\u25b8"))
        shut++;
    size_t before = rows(&p, ITEMS);
    set(&p, "Values", "'index':1");
    double with = number(&p, ITEMS, shut);
    click(&p, ITEMS, shut);
    assert_int_equal(rows(&p, ITEMS), before); // chosen, not opened
    click(&p, ITEMS, shut);
    assert_true(rows(&p, ITEMS) > before);
    double own = number(&p, ITEMS, shut), sum = own;
    for (size_t i = shut + 1; i < shut + 1 + rows(&p, ITEMS) - before; i++)
        sum += number(&p, ITEMS, i);
    assert_float_equal(sum, with, 0.4);
    assert_true(own < with);
    assert_float_equal(sum_of_places(&p), own, 0.25); // open: without what lies below
    click(&p, ITEMS, shut);
    assert_int_equal(rows(&p, ITEMS), before);
    assert_float_equal(number(&p, ITEMS, shut), with, 1e-9);
    pj_location_values_free(&values);
    pj_arena_free(arena);
    close_page(&p);
}

/// The sum of what is chosen; a row below a shut one that is chosen, too, counts once.
static void several_rows_are_added_up(void **state)
{
    (void)state;
    page p = open_page(tree);
    size_t shut = 1;
    while (!strstr(text_of(&p, ITEMS, shut), "\u25b8"))
        shut++;
    click(&p, ITEMS, shut);
    click(&p, ITEMS, shut); // open: rows below it are seen
    size_t below = shut + 1;
    set(&p, "Values", "'index':1");
    double own = number(&p, ITEMS, shut), child = number(&p, ITEMS, below);
    set(&p, "Choose several", "'value':true");
    click(&p, ITEMS, below);
    assert_float_equal(sum_of_places(&p), (own + child), 0.4);
    click(&p, ITEMS, below); // taken out again
    assert_float_equal(sum_of_places(&p), own, 0.25);
    click(&p, ITEMS, below);
    set(&p, "Choose several", "'value':false");
    click(&p, ITEMS, shut);
    assert_float_equal(sum_of_places(&p), own, 0.25); // one again
    click(&p, ITEMS, shut);                           // shut
    set(&p, "Choose several", "'value':true");
    double with = number(&p, ITEMS, shut);
    click(&p, ITEMS, shut + 1);
    assert_float_equal(sum_of_places(&p), (with + number(&p, ITEMS, shut + 1)), 0.4);
    close_page(&p);
}

static void ranks_are_added_up(void **state)
{
    (void)state;
    page p = open_page(tree);
    set(&p, "Choose several", "'value':true");
    click(&p, PLACES, 1);
    click(&p, PLACES, 2);
    bool told = false;
    for (pj_widget *w = NULL; (w = pj_widgets_next(p.bench.widgets, w));) {
        const char *text = json_string_value(pj_widget_get(w, "value", NULL));
        told = told || (text && strstr(text, "; 2 of them together "));
    }
    assert_true(told);
    close_page(&p);
}

static char *contents(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[1 << 16];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

/// What is open is in the file, with a column for each rank that adds up.
static void the_view_is_saved(void **state)
{
    (void)state;
    page p = open_page(tree);
    char folder[] = "/tmp/popinjay-panes-XXXXXX", name[128], path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "'value':'%s/seen'", folder);
    snprintf(path, sizeof path, "%s/seen.csv", folder);
    set(&p, "Save as", name);
    set(&p, "Format", "'index':1");
    for (pj_widget *w = NULL; (w = pj_widgets_next(p.bench.widgets, w));) {
        const char *text = json_string_value(pj_widget_get(w, "description", NULL));
        if (text && strcmp(text, "Save") == 0)
            assert_true(
                pj_bench_msg(&p.bench, w, "{'method':'custom','content':{'event':'click'}}"));
    }
    const char *text = contents(path);
    assert_non_null(strstr(text, "path,value,rank_0,rank_1,rank_2\n"));
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, rows(&p, ITEMS) + 1);
    double all = 0, ranks[3] = {0};
    const char *second = strchr(strchr(text, '\n') + 1, ',');
    assert_int_equal(sscanf(second, ",%lf,%lf,%lf,%lf", &all, ranks, ranks + 1, ranks + 2), 4);
    assert_float_equal((ranks[0] + ranks[1] + ranks[2]), all, (1e-9 * all));
    unlink(path);
    rmdir(folder);
    close_page(&p);
}

static void another_metric_changes_all(void **state)
{
    (void)state;
    page p = open_page(tree);
    size_t last = rows(&p, METRICS) - 1;
    assert_non_null(strstr(text_of(&p, METRICS, last), "Calls"));
    double calls = number(&p, METRICS, last);
    click(&p, METRICS, last);
    assert_float_equal(sum_of_places(&p), calls, 0.5);
    close_page(&p);
}

static void a_search_opens_what_it_finds(void **state)
{
    (void)state;
    page p = open_page(tree);
    size_t before = rows(&p, ITEMS), found = 0;
    set(&p, "Search", "'value':'function_17'");
    for (size_t i = 0; i < rows(&p, ITEMS); i++)
        found += strstr(text_of(&p, ITEMS, i), "function_17") != NULL;
    assert_true(rows(&p, ITEMS) > before);
    assert_true(found > 0);
    close_page(&p);
}

/// No paths: functions, the largest first, that add up to everything.
static void a_call_graph_shows_its_functions(void **state)
{
    (void)state;
    page p = open_page((made_profile_opts){MADE_GRAPH, 20, 2, true, true, false});
    set(&p, "Values", "'index':1");
    double sum = 0;
    for (size_t i = 1; i < rows(&p, ITEMS); i++) {
        assert_true(i == 1 || number(&p, ITEMS, i) <= number(&p, ITEMS, i - 1));
        sum += number(&p, ITEMS, i);
    }
    assert_float_equal(sum, 100, 2);
    close_page(&p);
}

/// Many rows come in pages; everything is there at some click.
static void many_rows_come_in_pages(void **state)
{
    (void)state;
    page p = open_page((made_profile_opts){MADE_FLAT, 120, 1, false, false, false});
    size_t before = rows(&p, ITEMS);
    assert_int_equal(before, 40);
    set(&p, "Hide what has none", "'value':true");
    for (int i = 0; i < 3; i++) {
        const pj_widget *pane = child(&p, child(&p, p.root, 1), ITEMS);
        assert_true(pj_bench_msg(&p.bench, child(&p, pane, 2),
                                 "{'method':'custom','content':{'event':'click'}}"));
    }
    assert_true(rows(&p, ITEMS) > 100);
    close_page(&p);
}

/// Values of calls with what lies below are sums over the subtree, at each location.
static void calls_below_are_added(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_profile profile = made_profile(tree);
    pj_arena *arena = pj_arena_new(NULL);
    pj_location_values v;
    assert_true(pj_location_values_new(profile, PJ_NO_ITEM, true, arena, &v, &err));
    for (uint32_t at = 0; at < profile->location_count; at++) {
        double sum = 0;
        for (uint32_t n = 0; n < profile->count[PJ_AT_NODE]; n++) {
            double own = pj_location_value(&v, n, at, false);
            sum += isnan(own) ? 0 : own;
        }
        assert_float_equal(pj_location_value(&v, PJ_NO_ITEM, at, true), sum, 1e-9);
    }
    pj_location_values_free(&v);
    pj_arena_free(arena);
}

static void a_click_is_quick(void **state)
{
    (void)state;
    enum { CLICKS = 10, MOST_MS = 300 };
    page p = open_page((made_profile_opts){MADE_TREE, 20000, 4, false, false, false});
    set(&p, "Search", "'value':'function_1'");
    clock_t began = clock();
    for (int i = 0; i < CLICKS; i++)
        click(&p, ITEMS, 1 + (size_t)i % 3);
    double ms = 1e3 * (double)(clock() - began) / CLOCKS_PER_SEC / CLICKS;
    print_message("a click takes %.1f ms\n", ms);
#if !defined(PJ_TINY) && !defined(__SANITIZE_THREAD__)
    assert_true(ms < MOST_MS);
#endif
    close_page(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_chosen_is_what_ranks_show),
        cmocka_unit_test(an_open_row_shows_its_own),
        cmocka_unit_test(several_rows_are_added_up),
        cmocka_unit_test(ranks_are_added_up),
        cmocka_unit_test(the_view_is_saved),
        cmocka_unit_test(another_metric_changes_all),
        cmocka_unit_test(a_search_opens_what_it_finds),
        cmocka_unit_test(a_call_graph_shows_its_functions),
        cmocka_unit_test(many_rows_come_in_pages),
        cmocka_unit_test(calls_below_are_added),
        cmocka_unit_test(a_click_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
