// The efficiency table as a figure: every cell is there, readable and explained.
#include "tests/support/fake_metrics.h"
#include "widgets/figure/figure_hover.h"
#include "widgets/table/metrics_grid.h"
#include "widgets/table/table_figure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_draw *draw;
static const pj_fake_run hybrid[] = {
    {1, 1, NULL, NULL}, {2, 1, NULL, NULL}, {1, 4, NULL, NULL}, {2, 4, NULL, NULL}};

static int open_draw(void **state)
{
    (void)state;
    draw = pj_draw_open(NULL);
    return draw ? 0 : -1;
}

static const pj_mark *find_key(const pj_figure *figure, const char *key)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].key && strcmp(figure->marks[i].key, key) == 0)
            return &figure->marks[i];
    return NULL;
}

static bool has_text(const pj_figure *figure, const char *text)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strcmp(figure->marks[i].text, text) == 0)
            return true;
    return false;
}

static bool has_hover(const pj_figure *figure, const char *part)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].hover && strstr(figure->marks[i].hover, part))
            return true;
    return false;
}

static void every_cell_shows_its_value_in_readable_ink(void **state)
{
    (void)state;
    pj_metrics *metrics =
        pj_fake_metrics(hybrid, 4, (pj_fake_opts){.set = "hybrid", .above = true});
    pj_auto_figure figure = pj_table_figure(metrics, (pj_palette){0}, draw);
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_grid *grid = pj_grid_new(metrics, arena);
    for (size_t row = 0; row < grid->row_count; row++)
        for (size_t i = 0; i < grid->column_count; i++) {
            const pj_grid_cell *cell = pj_grid_at(grid, row, i);
            const pj_mark *mark = find_key(figure, pj_arena_format(arena, "cell:%zu:%zu", row, i));
            assert_non_null(mark);
            assert_non_null(strstr(mark->hover, cell->exact));
            assert_int_equal(mark->hatch, *cell->mark != 0);
            const pj_mark *text = mark + 1; // drawn right after its cell
            assert_string_equal(text->text, cell->text);
            pj_colour fill = mark->fill ? mark->fill : PJ_PAPER;
            assert_true(pj_palette_least_contrast(fill, text->fill) >= 4.5);
            assert_int_equal(text->stroke, mark->hatch ? fill : PJ_NONE); // keeps lines off
        }
    pj_metrics_release(metrics);
}

static void labels_and_groups_are_explained(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(hybrid, 4, (pj_fake_opts){.set = "hybrid"});
    pj_auto_figure figure = pj_table_figure(metrics, (pj_palette){0}, draw);
    for (size_t row = 0; row < metrics->set->count; row++)
        assert_true(has_hover(figure, metrics->set->rows[row].explanation));
    assert_true(has_text(figure, "Threads per rank"));
    assert_true(has_hover(figure, "Threads per rank: 4"));
    assert_true(has_hover(figure, "run_2x4: 2 ranks x 4 threads"));
    assert_true(has_hover(figure, "(reference run)"));
    pj_metrics_release(metrics);
}

static void everything_lies_inside_the_figure(void **state)
{
    (void)state;
    pj_fake_run runs[64];
    for (uint32_t i = 0; i < 64; i++)
        runs[i] =
            (pj_fake_run){1 + i, 1 + i % 4,
                          i % 3 ? NULL : "a_run_with_a_very_long_name_\u65e5\u672c\u8a9e", NULL};
    static const size_t counts[] = {1, 2, 7, 64};
    for (size_t c = 0; c < 4; c++) {
        pj_metrics *metrics = pj_fake_metrics(
            runs, counts[c], (pj_fake_opts){.set = "hybrid-bsc", .remarks = true, .missing = true});
        pj_auto_figure figure = pj_table_figure(metrics, (pj_palette){0}, draw);
        for (size_t i = 0; i < figure->mark_count; i++) {
            const pj_mark *mark = &figure->marks[i];
            double width = mark->kind == PJ_MARK_RECT ? mark->w : 0;
            if (mark->kind == PJ_MARK_TEXT && mark->angle == 0)
                width = draw->measure(mark->text, mark->size, mark->bold).width;
            static const double share[] = {0, 0.5, 1};
            double left = mark->x - (mark->kind == PJ_MARK_TEXT ? share[mark->anchor] * width : 0);
            assert_true(left >= 0 && left + width <= figure->width + 1);
            assert_true(mark->y >= 0 && mark->y <= figure->height);
        }
        pj_metrics_release(metrics);
    }
}

static void hot_spots_cover_cells_and_labels(void **state)
{
    (void)state;
    pj_metrics *metrics = pj_fake_metrics(hybrid, 2, (pj_fake_opts){0});
    pj_auto_figure figure = pj_table_figure(metrics, (pj_palette){0}, draw);
    size_t rows = metrics->set->count;
    assert_true(pj_hover_count(figure) >= rows * 2 + rows + 2);
    pj_metrics_release(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_shows_its_value_in_readable_ink),
        cmocka_unit_test(labels_and_groups_are_explained),
        cmocka_unit_test(everything_lies_inside_the_figure),
        cmocka_unit_test(hot_spots_cover_cells_and_labels),
    };
    return cmocka_run_group_tests(tests, open_draw, NULL);
}
