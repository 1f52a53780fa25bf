// Every plot on degenerate and odd data: a figure that holds together, or an error that helps.
#include "tests/support/fake_metrics.h"
#include "tests/support/odd_tables.h"
#include "tests/support/sized_figure.h"
#include "tests/support/xml_check.h"
#include "widgets/figure/figure_file.h"
#include "widgets/figure/figure_hover.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_draw *draw;

static int open_draw(void **state)
{
    (void)state;
    draw = pj_draw_open(NULL);
    return draw ? 0 : -1;
}

static bool sound(double number)
{
    return isfinite(number) && fabs(number) < 1e6;
}

/// Marks lie near the figure and no text is NULL.
static void check_figure(const pj_figure *figure)
{
    assert_true(figure->width > 100 && figure->width <= 6000 && figure->height > 100);
    assert_non_null(figure->title);
    assert_non_null(figure->summary);
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        assert_true(sound(mark->x) && sound(mark->y) && sound(mark->w) && sound(mark->h));
        for (size_t p = 0; p < mark->point_count; p++)
            assert_true(sound(mark->points[p].x) && sound(mark->points[p].y));
        if (mark->kind == PJ_MARK_TEXT)
            assert_non_null(mark->text);
        if (mark->kind == PJ_MARK_DISC) {
            assert_in_range((int)mark->x, 0, (int)figure->width);
            assert_in_range((int)mark->y, 0, (int)figure->height);
        }
    }
}

static void check_files(const pj_figure *figure)
{
    pj_auto_buf svg = {0}, html = {0}, pdf = {0}, png = {0};
    assert_true(pj_figure_file(figure, PJ_S("svg"), NULL, &svg, NULL));
    assert_true(pj_figure_file(figure, PJ_S("html"), NULL, &html, NULL));
    assert_true(pj_figure_file(figure, PJ_S("pdf"), NULL, &pdf, NULL));
    assert_true(pj_figure_file(figure, PJ_S("png"), NULL, &png, NULL));
    assert_true(pj_xml_good(pj_buf_str(&svg)));
    assert_true(pj_xml_good(pj_buf_str(&html)));
    assert_true(pj_str_starts(pj_buf_str(&pdf), PJ_S("%PDF")));
    assert_true(pj_str_ends(pj_str_trim(pj_buf_str(&pdf)), PJ_S("%%EOF")));
    assert_true(pj_str_starts(pj_buf_str(&png), PJ_S("\x89PNG")));
    size_t spots = pj_hover_count(figure);
    assert_int_equal(pj_xml_count(pj_buf_str(&html), "div", "title"), spots);
    assert_int_equal(pj_xml_count(pj_buf_str(&svg), "title", NULL), spots + 1);
}

static const pj_plot_opts variants[] = {
    {0},
    {.log_x = true, .log_y = true},
    {.stacked = true, .title = "<Title> & \"quotes\" \u65e5"},
    {.width = 320, .height = 240},
    {.width = 120, .height = 700},
    {.width = 900, .height = 80},
    {.width = 1400, .height = 900},
};

/// One plot on one set of data in all variants; errors must say something.
static void try_plot(const pj_plot *plot, pj_plot_data data, bool files)
{
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        pj_err err = {0};
        pj_auto_figure figure = plot->make(data, variants[v], draw, &err);
        if (figure) {
            check_figure(figure);
            if (files && v == 0)
                check_files(figure);
            sized_figure_check(figure, variants[v].width, variants[v].height);
        } else {
            assert_true(err.code == PJ_E_USAGE || err.code == PJ_E_MISSING);
            assert_true(*err.text);
        }
    }
}

static void try_metrics(const pj_plot *plot, const pj_fake_run *runs, size_t count,
                        pj_fake_opts opts)
{
    pj_metrics *metrics = pj_fake_metrics(runs, count, opts);
    if (plot->source == PJ_PLOT_RUN)
        try_plot(plot, (pj_plot_data){.run = metrics->study->cases[0].run}, true);
    if (plot->source == PJ_PLOT_METRICS)
        for (size_t row = 0; row < metrics->set->count; row++)
            for (int x = 0; x < 4; x++) {
                static const char *const keys[] = {NULL, "threads", "layout", "tag"};
                pj_err err = {0};
                pj_plot_opts plot_opts = {.x = keys[x],
                                          .y = {metrics->set->rows[row].key},
                                          .log_x = row % 2,
                                          .log_y = x == 1};
                pj_auto_figure figure =
                    plot->make((pj_plot_data){.metrics = metrics}, plot_opts, draw, &err);
                if (figure)
                    check_figure(figure);
                else
                    assert_true(*err.text);
            }
    pj_metrics_release(metrics);
}

static void every_plot_survives_every_table(void **state)
{
    (void)state;
    for (size_t p = 0; pj_plot_at(p); p++)
        for (size_t t = 0; pj_plot_at(p)->source == PJ_PLOT_TABLE; t++) {
            pj_auto_table table = pj_odd_table(t);
            if (!table)
                break;
            try_plot(pj_plot_at(p), (pj_plot_data){.table = table}, true);
        }
}

static void every_plot_survives_every_study(void **state)
{
    (void)state;
    static const pj_fake_run one[] = {{1, 1, NULL, NULL}};
    static const pj_fake_run same[] = {{4, 1, "a", NULL}, {4, 1, "b", NULL}};
    static const pj_fake_run hybrid[] = {{1, 1, NULL, "x"},
                                         {2, 1, NULL, "x"},
                                         {1, 4, NULL, "y"},
                                         {2, 4, NULL, "y"},
                                         {64, 4, NULL, NULL}};
    static const pj_fake_run large[] = {{600, 1, NULL, NULL}};
    for (size_t p = 0; pj_plot_at(p); p++) {
        try_metrics(pj_plot_at(p), one, 1, (pj_fake_opts){0});
        try_metrics(pj_plot_at(p), same, 2, (pj_fake_opts){.missing = true});
        try_metrics(pj_plot_at(p), hybrid, 5, (pj_fake_opts){.set = "hybrid-ineff"});
        try_metrics(pj_plot_at(p), hybrid, 5, (pj_fake_opts){.set = "bsc", .by = PJ_BY_TAG});
        try_metrics(pj_plot_at(p), large, 1, (pj_fake_opts){0});
    }
}

static void plots_are_found_by_name_and_explain_themselves(void **state)
{
    (void)state;
    for (size_t p = 0; pj_plot_at(p); p++) {
        pj_str name = pj_str_of(pj_plot_at(p)->name);
        assert_true(pj_plot_by_name(name) == pj_plot_at(p) ||
                    pj_plot_of_profile(name) == pj_plot_at(p));
        assert_true(strlen(pj_plot_at(p)->help) > 20);
    }
    assert_null(pj_plot_by_name(PJ_S("pie")));
}

static void mistakes_are_answered_with_what_is_valid(void **state)
{
    (void)state;
    pj_auto_table table = pj_odd_table(5);
    pj_err err = {0};
    assert_null(
        pj_plot_bar.make((pj_plot_data){.table = table}, (pj_plot_opts){.x = "nmae"}, draw, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_non_null(strstr(err.text, "name, time, ipc, kind"));
    static const pj_fake_run runs[] = {{1, 1, NULL, NULL}, {2, 1, NULL, NULL}};
    pj_metrics *metrics = pj_fake_metrics(runs, 2, (pj_fake_opts){0});
    pj_plot_data data = {.metrics = metrics};
    err = (pj_err){0};
    assert_null(pj_plot_scaling.make(data, (pj_plot_opts){.y = {"speed"}}, draw, &err));
    assert_non_null(strstr(err.text, "mpi_load_balance"));
    err = (pj_err){0};
    assert_null(pj_plot_scaling.make(data, (pj_plot_opts){.x = "cores"}, draw, &err));
    assert_non_null(strstr(err.text, "threads_per_rank"));
    pj_metrics_release(metrics);
}

static size_t count_marks(const pj_figure *figure, pj_mark_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < figure->mark_count; i++)
        count += figure->marks[i].kind == kind;
    return count;
}

static void scaling_shows_every_run_and_tells_its_exact_value(void **state)
{
    (void)state;
    static const pj_fake_run runs[] = {
        {1, 1, NULL, NULL}, {2, 1, NULL, NULL}, {4, 1, NULL, NULL}, {8, 1, NULL, NULL}};
    pj_metrics *metrics = pj_fake_metrics(runs, 4, (pj_fake_opts){0});
    pj_auto_figure figure =
        pj_plot_scaling.make((pj_plot_data){.metrics = metrics}, (pj_plot_opts){0}, draw, NULL);
    assert_non_null(figure);
    assert_int_equal(count_marks(figure, PJ_MARK_DISC), 4);
    size_t told = 0;
    for (size_t i = 0; i < figure->mark_count; i++) {
        const char *hover = figure->marks[i].hover;
        told += hover && strstr(hover, "run_8x1 (8x1)") && strstr(hover, ", ideal 8");
    }
    assert_int_equal(told, 1);
    assert_string_equal(figure->title, "Speedup over ranks");
    pj_metrics_release(metrics);
}

/// Whether two upright texts cover each other.
static bool covers(const pj_mark *a, const pj_mark *b)
{
    pj_style as = {.size = a->size, .bold = a->bold}, bs = {.size = b->size, .bold = b->bold};
    double aw = pj_textbox_width(draw, a->text, as), bw = pj_textbox_width(draw, b->text, bs);
    double ax = a->anchor == PJ_ANCHOR_MIDDLE ? a->x - aw / 2 : a->x;
    double bx = b->anchor == PJ_ANCHOR_MIDDLE ? b->x - bw / 2 : b->x;
    return a->anchor != PJ_ANCHOR_END && b->anchor != PJ_ANCHOR_END && ax < bx + bw &&
           bx < ax + aw && fabs(a->y - b->y) < 10;
}

static void values_of_near_runs_do_not_cover_each_other(void **state)
{
    (void)state;
    static const pj_fake_run runs[] = {
        {1, 1, NULL, NULL}, {2, 1, NULL, NULL}, {4, 1, NULL, NULL}, {96, 1, NULL, NULL}};
    static const char *const keys[] = {"speedup", "parallel_efficiency", "runtime_s"};
    pj_metrics *metrics = pj_fake_metrics(runs, 4, (pj_fake_opts){0});
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        pj_auto_figure figure = pj_plot_scaling.make((pj_plot_data){.metrics = metrics},
                                                     (pj_plot_opts){.y = {keys[k]}}, draw, NULL);
        for (size_t i = 0; i < figure->mark_count; i++)
            for (size_t j = 0; j < i; j++) {
                const pj_mark *a = &figure->marks[i], *b = &figure->marks[j];
                if (a->kind == PJ_MARK_TEXT && b->kind == PJ_MARK_TEXT && a->size == 11 &&
                    b->size == 11 && covers(a, b))
                    fail_msg("%s: \"%s\" covers \"%s\"", keys[k], a->text, b->text);
            }
    }
    pj_metrics_release(metrics);
}

static void hybrid_runs_make_one_line_per_group(void **state)
{
    (void)state;
    static const pj_fake_run runs[] = {
        {1, 1, NULL, NULL}, {2, 1, NULL, NULL}, {1, 4, NULL, NULL}, {2, 4, NULL, NULL}};
    pj_metrics *metrics = pj_fake_metrics(runs, 4, (pj_fake_opts){.set = "hybrid"});
    pj_auto_figure figure =
        pj_plot_scaling.make((pj_plot_data){.metrics = metrics}, (pj_plot_opts){0}, draw, NULL);
    assert_non_null(figure);
    // two lines, the ideal and its band
    assert_int_equal(count_marks(figure, PJ_MARK_PATH), 4);
    assert_non_null(strstr(figure->summary, "1 thread per rank: 1.0"));
    assert_non_null(strstr(figure->summary, "4 threads per rank:"));
    pj_metrics_release(metrics);
}

static size_t texts_like(const pj_figure *figure, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < figure->mark_count; i++)
        count += figure->marks[i].kind == PJ_MARK_TEXT && strcmp(figure->marks[i].text, text) == 0;
    return count;
}

static void tiny_bars_are_not_said_to_be_0(void **state)
{
    (void)state;
    static const double values[] = {3.21, 0.004, 0.006, -0.001, 0};
    static const char *const shown[] = {"3.21", "<0.01", "0.01", ">-0.01", "0.00"};
    pj_auto_table table = pj_table_new("Bars");
    pj_table_add_column(table, (pj_column){.key = "name", .title = "Name", .text = true});
    pj_table_add_column(table, (pj_column){.key = "value", .title = "Value"});
    for (size_t i = 0; i < 5; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(shown[i]);
        cells[1] = pj_cell_real(values[i]);
    }
    pj_auto_figure figure = pj_plot_bar.make((pj_plot_data){.table = table},
                                             (pj_plot_opts){.y = {"value"}}, draw, NULL);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(texts_like(figure, shown[i]), 2); // below the axis and on the bar
}

/// Threads have a bar each, or a line each; several bars at one place would hide each other.
static void threads_are_told_apart(void **state)
{
    (void)state;
    pj_auto_table table = pj_table_new("Threads");
    static const char *const keys[] = {"rank", "thread"};
    for (size_t i = 0; i < 2; i++)
        pj_table_add_column(
            table, (pj_column){.key = keys[i], .title = keys[i], .unit = PJ_UNIT_IDENTIFIER});
    pj_table_add_column(table, (pj_column){.key = "useful", .title = "Useful"});
    for (int i = 0; i < 4; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int(i / 2);
        cells[1] = pj_cell_int(i % 2);
        cells[2] = pj_cell_real(1 + i);
    }
    pj_plot_data data = {.table = table};
    pj_auto_figure each = pj_plot_bar.make(data, (pj_plot_opts){0}, draw, NULL);
    static const char *const shown[] = {"0.0", "0.1", "1.0", "1.1", "rank.thread"};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(texts_like(each, shown[i]), 1);
    assert_int_equal(texts_like(each, "2.00"), 1); // on its bar
    pj_err err = {0};
    assert_null(pj_plot_bar.make(data, (pj_plot_opts){.x = "rank"}, draw, &err));
    assert_non_null(strstr(err.text, "rank 0 has several bars"));
    pj_auto_figure stacks =
        pj_plot_bar.make(data, (pj_plot_opts){.x = "rank", .stacked = true}, draw, NULL);
    assert_int_equal(count_marks(stacks, PJ_MARK_RECT), 4);
    assert_int_equal(texts_like(stacks, "2.00"), 0);
    pj_auto_figure lines = pj_plot_line.make(data, (pj_plot_opts){0}, draw, NULL);
    assert_int_equal(texts_like(lines, "thread 0"), 1);
    assert_int_equal(texts_like(lines, "thread 1"), 1);
    assert_int_equal(texts_like(lines, "Useful by rank"), 1);
}

/// The only line of a scaling plot; NULL when its points stand alone.
static const pj_mark *only_line(const pj_figure *figure)
{
    const pj_mark *line = NULL;
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        if (mark->kind != PJ_MARK_PATH || mark->closed || mark->dash > 0)
            continue;
        assert_null(line);
        line = mark;
    }
    return line;
}

static void runs_of_one_x_are_not_joined(void **state)
{
    (void)state;
    static const pj_fake_run runs[] = {
        {1, 1, "a", "old"}, {2, 1, "b", "old"}, {2, 1, "c", "new"}, {4, 1, "d", "newest"}};
    static const struct {
        size_t first, count;
        const char *x;
        size_t corners; // of the line; 0 = there is none
    } cases[] = {{0, 4, "ranks", 3}, {0, 4, "layout", 3}, {0, 4, "tag", 0}, {1, 3, "tag", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_metrics *metrics =
            pj_fake_metrics(runs + cases[i].first, cases[i].count, (pj_fake_opts){0});
        pj_auto_figure figure = pj_plot_scaling.make((pj_plot_data){.metrics = metrics},
                                                     (pj_plot_opts){.x = cases[i].x}, draw, NULL);
        assert_int_equal(count_marks(figure, PJ_MARK_DISC), cases[i].count);
        const pj_mark *line = only_line(figure);
        assert_int_equal(line ? line->point_count : 0, cases[i].corners);
        for (size_t p = 1; line && p < line->point_count; p++)
            assert_true(line->points[p].x > line->points[p - 1].x);
        pj_metrics_release(metrics);
    }
}

/// Lines over the sizes of runs: the runs are the ticks, far spans are logarithmic; ranks are
/// names.
static void sizes_of_runs_are_the_ticks(void **state)
{
    (void)state;
    pj_auto_table table = pj_table_new("Runs");
    pj_table_add_column(table, (pj_column){.key = "threads", .title = "Threads"});
    pj_table_add_column(table, (pj_column){.key = "efficiency", .title = "Efficiency"});
    for (int i = 0; i < 4; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int(3 << (2 * i)); // 3, 12, 48, 192
        cells[1] = pj_cell_real(1 - 0.1 * i);
    }
    pj_plot_data data = {.table = table};
    pj_plot_opts opts = {.x = "threads"};
    pj_auto_figure lines = pj_plot_line.make(data, opts, draw, NULL);
    static const char *const shown[] = {"3", "12", "48", "192"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(texts_like(lines, shown[i]), 1);
    assert_int_equal(texts_like(lines, "50"), 0);
    pj_auto_figure points = pj_plot_scatter.make(data, opts, draw, NULL);
    assert_int_equal(texts_like(points, "192"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plot_survives_every_table),
        cmocka_unit_test(every_plot_survives_every_study),
        cmocka_unit_test(plots_are_found_by_name_and_explain_themselves),
        cmocka_unit_test(mistakes_are_answered_with_what_is_valid),
        cmocka_unit_test(scaling_shows_every_run_and_tells_its_exact_value),
        cmocka_unit_test(values_of_near_runs_do_not_cover_each_other),
        cmocka_unit_test(hybrid_runs_make_one_line_per_group),
        cmocka_unit_test(runs_of_one_x_are_not_joined),
        cmocka_unit_test(tiny_bars_are_not_said_to_be_0),
        cmocka_unit_test(threads_are_told_apart),
        cmocka_unit_test(sizes_of_runs_are_the_ticks),
    };
    return cmocka_run_group_tests(tests, open_draw, NULL);
}
