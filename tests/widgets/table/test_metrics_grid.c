// The efficiency table as text: order of columns, hierarchy, marks; golden texts of each format.
#include "metrics/base/utf8.h"
#include "tests/support/fake_metrics.h"
#include "tests/support/golden.h"
#include "tests/support/xml_check.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/render.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_fake_run hybrid[] = {
    {1, 1, NULL, "base"}, {2, 1, NULL, "base"}, {1, 4, NULL, "new"}, {2, 4, NULL, "new"}};

static void columns_are_grouped_by_threads_per_rank(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(hybrid, 4, (pj_fake_opts){.set = "hybrid"});
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    assert_string_equal(grid->group_title, "Threads per rank");
    assert_string_equal(grid->label_title, "Ranks");
    assert_int_equal(grid->group_count, 2);
    static const char *const labels[] = {"1", "2", "1", "2"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(grid->columns[i].label, labels[i]);
        assert_int_equal(grid->columns[i].group, i / 2);
    }
    pj_metrics_release(metrics);
}

static void grouping_follows_the_chosen_key(void **state)
{
    (void)state;
    pj_metrics *metrics =
        pj_fake_metrics(hybrid, 4, (pj_fake_opts){.set = "hybrid", .by = PJ_BY_TAG});
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    assert_string_equal(grid->groups[0], "base");
    assert_string_equal(grid->groups[1], "new");
    assert_string_equal(grid->columns[2].label, "1x4");
    pj_metrics_release(metrics);
}

static void equal_labels_become_names(void **state)
{
    (void)state;
    static const pj_fake_run runs[] = {{4, 1, "first", NULL}, {4, 1, "second", NULL}};
    pj_metrics *metrics = pj_fake_metrics(runs, 2, (pj_fake_opts){0});
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    assert_string_equal(grid->columns[0].label, "first");
    assert_string_equal(grid->columns[1].label, "second");
    pj_metrics_release(metrics);
}

static void parents_stand_before_their_children(void **state)
{
    (void)state;
    for (size_t i = 0; pj_metric_set_at(i); i++) {
        pj_metrics *metrics =
            pj_fake_metrics(hybrid, 4, (pj_fake_opts){.set = pj_metric_set_at(i)->key});
        pj_auto_arena arena = pj_arena_new(NULL);
        const pj_grid *grid = pj_grid_new(metrics, arena);
        size_t metric_rows = 0;
        for (size_t row = 0; row < grid->row_count; row++) {
            unsigned above = row ? grid->rows[row - 1].depth : 0;
            assert_true(grid->rows[row].depth <= above + (row > 0));
            metric_rows += !grid->rows[row].residual;
        }
        size_t present = 0;
        for (size_t metric = 0; metric < metrics->set->count; metric++)
            present += !metrics->absent[metric];
        assert_int_equal(metric_rows, present);
        assert_true(present > 0);
        pj_metrics_release(metrics);
    }
}

static void values_that_are_not_there_say_why(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(hybrid, 2, (pj_fake_opts){.missing = true});
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    assert_true(grid->any_empty);
    size_t empty = 0;
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++)
        if (grid->cells[i].reason) {
            assert_string_equal(grid->cells[i].text, "n/a");
            assert_true(strlen(grid->cells[i].reason) > 10);
            empty++;
        }
    assert_int_equal(empty, 3 * 2); // instructions, IPC, frequency
    pj_metrics_release(metrics);
}

/// PJ_UPDATE_GOLDEN=1 rewrites the file: a look at the difference is the review.
static void the_text_is_as_it_was(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(
        hybrid, 4, (pj_fake_opts){.title = "Golden & <odd> 100 %", .above = true, .remarks = true});
    pj_auto_buf out = {0};
    pj_metrics_txt(metrics, (pj_render_opts){.width = 80}, &out);
    assert_true(pj_golden_same(PJ_SOURCE_DIR "/tests/golden/metrics.txt", pj_buf_str(&out)));
    pj_metrics_release(metrics);
}

static void every_format_is_valid_text_without_surprises(void **state)
{
    (void)state;
    pj_metrics *metrics =
        pj_fake_metrics(hybrid, 4, (pj_fake_opts){.title = "T & <odd> 100 %", .missing = true});
    for (size_t i = 0; pj_renderer_at(i); i++) {
        pj_auto_buf out = {0};
        pj_render_metrics(pj_renderer_at(i), metrics, (pj_render_opts){0}, &out);
        assert_true(pj_utf8_valid(pj_buf_str(&out)));
        assert_null(strstr(out.at, "nan"));
        assert_null(strstr(out.at, "-0.000"));
    }
    pj_metrics_release(metrics);
}

static void html_is_well_formed_and_explains(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(hybrid, 4, (pj_fake_opts){.title = "<b>&\"'"});
    pj_auto_buf out = {0};
    pj_metrics_html(metrics, (pj_render_opts){.page = true}, &out);
    assert_true(pj_xml_good(pj_buf_str(&out)));
    for (size_t row = 0; row < metrics->set->count; row++)
        assert_true(pj_xml_says(pj_buf_str(&out), "title", metrics->set->rows[row].explanation));
    assert_true(pj_xml_says(pj_buf_str(&out), NULL, "<b>&\"'"));
    pj_metrics_release(metrics);
}

static void wide_tables_are_cut_into_blocks_that_fit(void **state)
{
    (void)state;
    pj_fake_run runs[40];
    for (uint32_t i = 0; i < 40; i++)
        runs[i] = (pj_fake_run){1 + 3 * i, 1 + i / 10, NULL, NULL};
    pj_metrics *metrics = pj_fake_metrics(runs, 40, (pj_fake_opts){.set = "hybrid"});
    static const unsigned widths[] = {80, 100, 120, 200};
    for (size_t w = 0; w < 4; w++) {
        pj_auto_buf out = {0};
        pj_metrics_txt(metrics, (pj_render_opts){.width = widths[w]}, &out);
        size_t headers = 0;
        for (pj_str rest = pj_buf_str(&out); rest.len;) {
            pj_str line = pj_str_cut(&rest, '\n');
            assert_true(pj_utf8_columns(line) <= widths[w]);
            headers += pj_str_contains(line, PJ_S("Global efficiency"));
        }
        assert_true(headers > 1);
        assert_null(strchr(out.at, '\x1b'));
    }
    pj_metrics_release(metrics);
}

/// A run whose trace was cut has a dagger, and all its colours are hatched; the others have not.
static void cut_runs_are_marked(void **state)
{
    (void)state;
    static const pj_fake_run runs[] = {{2, 1, NULL, NULL}, {4, 1, NULL, NULL}};
    pj_auto_metrics m = pj_fake_metrics(runs, 2, (pj_fake_opts){0});
    m->study->cases[1].run->import.count[PJ_IMPORT_damaged_stream] = 1;
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(m, arena);
    assert_string_equal(grid->columns[0].label, "2");
    assert_string_equal(grid->columns[1].label, "4" PJ_GRID_CUT);
    assert_true(grid->any_cut && grid->columns[1].cut);
    assert_false(grid->columns[0].cut);
    for (size_t row = 0; row < grid->row_count; row++) {
        assert_int_equal(pj_grid_hatched(grid, row, 1), pj_grid_coloured(grid, row, 1));
        assert_int_equal(pj_grid_hatched(grid, row, 0), *pj_grid_at(grid, row, 0)->mark != 0);
    }
    pj_auto_buf html = {0};
    pj_metrics_html(m, (pj_render_opts){0}, &html);
    assert_non_null(strstr(html.at, "repeating-linear-gradient"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_grouped_by_threads_per_rank),
        cmocka_unit_test(grouping_follows_the_chosen_key),
        cmocka_unit_test(equal_labels_become_names),
        cmocka_unit_test(parents_stand_before_their_children),
        cmocka_unit_test(values_that_are_not_there_say_why),
        cmocka_unit_test(the_text_is_as_it_was),
        cmocka_unit_test(every_format_is_valid_text_without_surprises),
        cmocka_unit_test(html_is_well_formed_and_explains),
        cmocka_unit_test(wide_tables_are_cut_into_blocks_that_fit),
        cmocka_unit_test(cut_runs_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
