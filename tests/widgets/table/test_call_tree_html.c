// Calls as rows that fold: what stands below what, and that hostile names stay text.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"
#include "tests/support/profile/profile_for_pages.h"
#include "widgets/table/call_tree_html.h"
#include "widgets/table/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const paths[] = {"a_0.prof", "a_1.prof"};

static pj_buf html_of(const pj_profile *p, pj_call_fold fold, const char *root)
{
    pj_buf html = {0};
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_call_tree_html(p, fold, pj_str_of(root), &html, &err));
    return html;
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

/// A block for each of both ranks, beside calls and call graphs; one rank has none to compare.
static void rows_tell_how_ranks_differ(void **state)
{
    (void)state;
    pj_auto_profile both = profile_for_pages(paths, 2);
    pj_auto_profile one = profile_for_pages(paths, 1);
    pj_auto_buf down = html_of(both, PJ_FOLD_TOP_DOWN, "");
    pj_auto_buf up = html_of(both, PJ_FOLD_BOTTOM_UP, "");
    pj_auto_buf callers = html_of(both, PJ_FOLD_CALLERS, "");
    pj_auto_buf alone = html_of(one, PJ_FOLD_TOP_DOWN, "");
    assert_int_equal(count(down.at, "\u2581\u2588</span>"), 1); // barrier: 1 s and 9 s
    assert_int_equal(count(down.at, "\u2588\u00a0</span>"), 1); // solve: the first rank alone
    assert_int_equal(count(up.at, "\u2581\u2588</span>"), 1);
    assert_int_equal(count(callers.at, "\u2581\u2588</span>"), 3); // the function, the call, twice
    assert_null(strstr(alone.at, "\u2588"));
}

/// Bars tell work from waiting by their colours, which are explained.
static void tables_tell_waiting_by_colour(void **state)
{
    (void)state;
    pj_auto_profile p = profile_for_pages(paths, 2);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table =
        pj_profile_table(p, &(pj_profile_ask){.by = {.item = PJ_BY_FUNCTION}}, &err);
    assert_non_null(table);
    pj_auto_buf html = {0};
    pj_render_table(&pj_renderer_html, table, (pj_render_opts){0}, &html);
    const char *wait = strstr(html.at, "MPI_Barrier"), *legend = strstr(html.at, "Bars:");
    assert_true(wait && legend && strstr(legend, "communication and waiting"));
    const char *end = strstr(wait, "</tr>"), *bar = strstr(wait, "rgba(232,140,40");
    assert_true(bar && bar < end);
    assert_null(strstr(html.at, "text-align:left;padding:3px 10px;border-bottom:1px solid "
                                "rgba(128,128,128,.15);background")); // numbers align on the right
}

/// A script that finds the tree again opens and shuts what was.
static void folds_have_a_name(void **state)
{
    (void)state;
    pj_auto_profile p = profile_for_pages(paths, 2);
    pj_auto_buf down = html_of(p, PJ_FOLD_TOP_DOWN, ""), up = html_of(p, PJ_FOLD_BOTTOM_UP, "");
    assert_non_null(strstr(down.at, "<div data-pj-folds=\"a_0.prof 2 top-down \""));
    assert_non_null(strstr(up.at, "<div data-pj-folds=\"a_0.prof 2 bottom-up \""));
}

/// Rank 0: solve 1 s, barrier 1 s; rank 1 waits 9 s; main itself 0.1 s on each.
static void callees_stand_below_their_caller(void **state)
{
    (void)state;
    pj_auto_profile p = profile_for_pages(paths, 2);
    pj_auto_buf html = html_of(p, PJ_FOLD_TOP_DOWN, "");
    const char *main_row = strstr(html.at, ">main<"), *wait = strstr(html.at, ">MPI_Barrier<");
    const char *solve = strstr(html.at, ">solve<");
    assert_true(main_row && wait > main_row && solve > wait);
    assert_int_equal(count(html.at, "<details"), 1);
    assert_int_equal(count(html.at, "<details"), count(html.at, "</details>"));
    assert_int_equal(count(html.at, "<div"), count(html.at, "</div>"));
    assert_int_equal(count(html.at, "<span"), count(html.at, "</span>"));
    assert_non_null(strstr(html.at, "89.3 %")); // 10 of 11.2 s
    assert_non_null(strstr(html.at, "10.0 s"));
}

static void callers_stand_below_functions(void **state)
{
    (void)state;
    pj_auto_profile p = profile_for_pages(paths, 2);
    pj_auto_buf up = html_of(p, PJ_FOLD_BOTTOM_UP, ""), both = html_of(p, PJ_FOLD_CALLERS, "");
    assert_true(strstr(up.at, ">MPI_Barrier<") < strstr(up.at, ">main<"));
    assert_int_equal(count(both.at, "called by <"), 2);
    assert_int_equal(count(both.at, "calls <"), 2);
    assert_int_equal(count(both.at, "(solve)\">solve<"), 2); // itself, and below main
    assert_int_equal(count(both.at, "<details"), count(both.at, "</details>"));
}

static void names_stay_text(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_err err = {.code = PJ_E_NONE};
    pj_build *b = pj_build_new("made", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_TREE;
    pj_build_profile(b)->format = "made";
    pj_build_file(b, "a");
    uint32_t at = pj_build_location(b, (pj_profile_location){.rank = 0});
    uint32_t time = pj_build_measure(
        b,
        (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_EXCLUSIVE});
    uint32_t own = pj_build_column(b, PJ_AT_NODE, PJ_EXCLUSIVE, time, false);
    uint32_t parent = PJ_NO_ITEM;
    for (uint32_t depth = 0; depth < 2000; depth++) { // no recursion meets a deep tree
        uint32_t region = pj_build_region(b, PJ_S("<script>alert('&\n"), PJ_S("<b>"), depth + 1);
        parent = pj_build_node(b, parent, region);
        pj_build_add(b, own, parent, at, 1);
    }
    pj_auto_profile p = pj_build_finish(b, &err);
    pj_build_free(b);
    assert_non_null(p);
    for (pj_call_fold fold = 0; fold < PJ_FOLD_COUNT; fold++) {
        pj_auto_buf html = html_of(p, fold, "");
        assert_null(strstr(html.at, "<script"));
        assert_null(strstr(html.at, "<b>"));
        assert_int_equal(count(html.at, "<details"), count(html.at, "</details>"));
    }
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    pj_auto_buf html = {0};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_profile p = profile_for_pages(paths, 2);
    assert_false(pj_call_tree_html(p, PJ_FOLD_TOP_DOWN, PJ_S("nobody"), &html, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_string_equal(pj_call_fold_name(1), "bottom-up");
    assert_null(pj_call_fold_name(PJ_FOLD_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_tell_waiting_by_colour),
        cmocka_unit_test(folds_have_a_name),
        cmocka_unit_test(callees_stand_below_their_caller),
        cmocka_unit_test(rows_tell_how_ranks_differ),
        cmocka_unit_test(callers_stand_below_functions),
        cmocka_unit_test(names_stay_text),
        cmocka_unit_test(what_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
