// What is drawn of call graphs, mark by mark, against what SnakeViz's own JavaScript draws of the
// same files: rectangles of icicles, angles of sunbursts, colours.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"
#define REFERENCE DATA "reference/profiles/snakeviz/"

typedef struct box {
    double start, size; // parts of a row, or rad
    int row;
    pj_colour fill;
} box;

/// What a picture shows as boxes, measured from its marks.
typedef struct boxes {
    box at[4096];
    size_t count;
} boxes;

static bool is_box(const pj_mark *mark)
{
    return mark->key && strncmp(mark->key, "box:", 4) == 0;
}

static void measure_rows(const pj_figure *figure, boxes *out)
{
    const pj_mark *top = NULL;
    double row = INFINITY;
    for (size_t i = 0; i < figure->mark_count; i++)
        if (is_box(&figure->marks[i]) && (!top || figure->marks[i].y < top->y))
            top = &figure->marks[i];
    assert_non_null(top);
    for (size_t i = 0; i < figure->mark_count; i++)
        if (is_box(&figure->marks[i]) && figure->marks[i].y > top->y)
            row = fmin(row, figure->marks[i].y - top->y);
    double whole = top->w + 1; // with the seam behind it
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *m = &figure->marks[i];
        if (!is_box(m))
            continue;
        double width = m->w >= 2 ? m->w + 1 : m->w * 1.5;
        out->at[out->count++] = (box){.start = (m->x - top->x) / whole,
                                      .size = width / whole,
                                      .row = (int)lround((m->y - top->y) / row),
                                      .fill = m->fill};
    }
}

static double angle_of(pj_point centre, pj_point at)
{
    double angle = atan2(at.x - centre.x, centre.y - at.y);
    return angle < -1e-9 ? angle + 2 * M_PI : angle;
}

static void measure_rings(const pj_figure *figure, boxes *out)
{
    const pj_mark *middle = NULL;
    for (size_t i = 0; i < figure->mark_count && !middle; i++)
        if (figure->marks[i].kind == PJ_MARK_DISC)
            middle = &figure->marks[i];
    assert_non_null(middle);
    pj_point centre = {middle->x, middle->y};
    out->at[out->count++] = (box){0, 2 * M_PI, 0, middle->fill};
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *m = &figure->marks[i];
        if (!is_box(m) || m->kind != PJ_MARK_PATH)
            continue;
        pj_point first = m->points[0], last = m->points[m->point_count / 2 - 1];
        double from = angle_of(centre, first), to = angle_of(centre, last);
        double radius = hypot(first.x - centre.x, first.y - centre.y);
        out->at[out->count++] = (box){.start = from,
                                      .size = to < from + 1e-9 ? to + 2 * M_PI - from : to - from,
                                      .row = (int)lround(radius / middle->w) - 1,
                                      .fill = m->fill};
    }
}

static const box *find(const boxes *in, double start, int row, double near)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->at[i].row == row && fabs(in->at[i].start - start) < near)
            return &in->at[i];
    return NULL;
}

static void compare(const pj_plot *plot, const char *file, const char *name, unsigned depth)
{
    static boxes drawn;
    char path[512];
    csv want;
    pj_err err = {.code = PJ_E_NONE};
    bool rings = plot == &pj_plot_sunburst;
    double whole = rings ? 1 : 1000, least = rings ? 0.02 : 2.0 / 1000;
    snprintf(path, sizeof path, REFERENCE "%s_%s_depth%u.csv", name, plot->name, depth);
    const pj_draw *draw = pj_draw_open(&err);
    assert_non_null(draw);
    csv_of_real_tools(path, &want);
    snprintf(path, sizeof path, DATA "profiles/pstats/%s", file);
    pj_auto_profile p = read_profile_file(path);
    pj_plot_opts opts = {.width = 1044, // rows of 1000, which SnakeViz had, too
                         .profile = {.colours = "snakeviz", .depth = depth}};
    pj_auto_figure figure = plot->make((pj_plot_data){.profile = p}, opts, draw, &err);
    assert_string_equal(err.text, "");
    drawn.count = 0;
    if (rings)
        measure_rings(figure, &drawn);
    else
        measure_rows(figure, &drawn);
    size_t compared = 0;
    for (size_t row = 0; row < want.rows; row++) {
        double start = csv_number(&want, row, "x") / whole,
               size = csv_number(&want, row, "dx") / whole;
        int level = (int)csv_number(&want, row, "depth");
        if (size < least)
            continue;
        const box *found = find(&drawn, start, level, least / 4);
        if (!found)
            fail_msg("%s: row %zu of the reference is not drawn", path, row);
        assert_float_equal(found->size, size, (least / 4));
        pj_str colour = csv_cell(&want, row, "colour");
        unsigned long fill = strtoul(colour.at + 1, NULL, 16);
        if (found->fill != (pj_colour)(fill << 8 | 0xff))
            fail_msg("%s: row %zu is #%06x, not " PJ_STR_FMT, path, row, found->fill >> 8,
                     PJ_STR_ARG(colour));
        compared++;
    }
    assert_true(compared > 3);
    csv_free(&want);
}

static void pictures_are_those_of_snakeviz(void **state)
{
    (void)state;
    static const struct {
        const char *file, *name;
    } rows[] = {{"ranks32/cpu_0.prof", "cpu_0"},
                {"cycle.pstats", "cycle"},
                {"versions/survey_py3.11.pstats", "survey_py3.11"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned depth = 5; depth <= 10; depth += 5) {
            compare(&pj_plot_icicle, rows[i].file, rows[i].name, depth);
            compare(&pj_plot_sunburst, rows[i].file, rows[i].name, depth);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_those_of_snakeviz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
