// Figures in a terminal.
// The figure is drawn into a sheet of cells (terminal_sheet); here every kind of mark becomes
// areas, lines and texts of it.
#include "widgets/figure/figure_terminal.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/terminal_sheet.h"

#include <math.h>
#include <stdlib.h>

static pj_extent measure(const char *text, double size, bool bold)
{
    (void)size, (void)bold;
    return (pj_extent){(double)pj_utf8_columns(pj_str_of(text)) * PJ_CELL_WIDTH, PJ_CELL_HEIGHT};
}

static bool render(const pj_figure *figure, pj_picture kind, double scale, const atomic_bool *stop,
                   pj_buf *out, pj_err *err)
{
    (void)figure, (void)kind, (void)scale, (void)stop, (void)out;
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "a figure for a terminal is no file");
}

const pj_draw pj_draw_terminal = {measure, render};

unsigned pj_figure_terminal_columns(pj_terminal_opts opts)
{
    unsigned columns = opts.columns ? opts.columns : 100;
    if (columns < PJ_TERMINAL_COLUMNS_LEAST)
        return PJ_TERMINAL_COLUMNS_LEAST;
    return columns < PJ_TERMINAL_COLUMNS_MOST ? columns : PJ_TERMINAL_COLUMNS_MOST;
}

double pj_figure_terminal_width(pj_terminal_opts opts)
{
    return pj_figure_terminal_columns(opts) * (double)PJ_CELL_WIDTH;
}

/// The least distance of labels one above the other, as they stand at an axis; at most a row.
static double label_distance(const pj_figure *figure)
{
    double least = PJ_CELL_HEIGHT;
    const pj_mark *before = NULL;
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        if (mark->kind != PJ_MARK_TEXT || mark->anchor != PJ_ANCHOR_END || mark->angle > 0)
            continue;
        if (before && fabs(before->x - mark->x) < 1 && fabs(before->y - mark->y) > 1)
            least = fmin(least, fabs(before->y - mark->y));
        before = mark;
    }
    return least;
}

void pj_figure_terminal_stretch(pj_figure *figure)
{
    const double most = 3; // times as high
    double factor = fmin(PJ_CELL_HEIGHT / label_distance(figure), most);
    figure->height *= factor;
    for (size_t i = 0; factor > 1 && i < figure->mark_count; i++) {
        pj_mark *mark = &figure->marks[i];
        mark->y *= factor;
        mark->h *= factor;
        pj_point *points = pj_new_n(figure->arena, pj_point, mark->point_count + 1);
        for (size_t k = 0; k < mark->point_count; k++)
            points[k] = (pj_point){mark->points[k].x, mark->points[k].y * factor};
        mark->points = points;
    }
}

/// The first dot whose centre lies behind `px`.
static long dot_at(double px)
{
    return lround(fmin(fmax(px, -1e6), 1e6) / PJ_DOT);
}

static void draw_rect(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    pj_colour colour = pj_terminal_seen(sheet, mark->fill);
    const double swatch = PJ_CELL_HEIGHT;
    if (!(mark->fill & 0xff))
        return;
    long left = dot_at(mark->x), right = dot_at(mark->x + mark->w);
    long top = dot_at(mark->y), bottom = dot_at(mark->y + mark->h);
    if (mark->radius > 0 && mark->w < swatch && mark->h < swatch) { // one of a legend: a whole cell
        left = dot_at(floor((mark->x + mark->w / 2) / PJ_CELL_WIDTH) * PJ_CELL_WIDTH);
        top = dot_at(floor((mark->y + mark->h / 2) / PJ_CELL_HEIGHT) * PJ_CELL_HEIGHT);
        right = left + 2;
        bottom = top + 4;
    }
    right += right == left && mark->w > 0;
    bottom += bottom == top && mark->h > 0;
    for (long y = top; y < bottom; y++)
        for (long x = left; x < right; x++)
            pj_terminal_area(sheet, x, y, colour);
}

static void draw_image(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    double dx = mark->w / (double)mark->pixel_columns, dy = mark->h / (double)mark->pixel_rows;
    for (long y = dot_at(mark->y); y < dot_at(mark->y + mark->h); y++)
        for (long x = dot_at(mark->x); x < dot_at(mark->x + mark->w); x++) {
            double column = (((double)x + 0.5) * PJ_DOT - mark->x) / dx;
            double row = (((double)y + 0.5) * PJ_DOT - mark->y) / dy;
            if (column < 0 || row < 0 || column >= (double)mark->pixel_columns ||
                row >= (double)mark->pixel_rows)
                continue;
            pj_colour pixel = mark->pixels[(size_t)row * mark->pixel_columns + (size_t)column];
            if (pixel & 0xff)
                pj_terminal_area(sheet, x, y, pj_terminal_seen(sheet, pixel));
        }
}

/// Dots from one point to another one.
static void draw_stroke(pj_terminal_sheet *sheet, pj_point a, pj_point b, pj_colour colour)
{
    double length = fmax(fabs(b.x - a.x), fabs(b.y - a.y)) / PJ_DOT;
    long steps = (long)fmin(length, 1e5) + 1;
    for (long i = 0; colour && i <= steps; i++) {
        double part = (double)i / (double)steps;
        pj_terminal_dot(sheet, (long)floor((a.x + (b.x - a.x) * part) / PJ_DOT),
                        (long)floor((a.y + (b.y - a.y) * part) / PJ_DOT), colour);
    }
}

/// Axes and grid lines are drawn with the terminal's own lines; ticks are too short to be drawn.
static void draw_line(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    pj_colour colour = pj_terminal_seen(sheet, mark->stroke);
    double dx = fabs(mark->w - mark->x), dy = fabs(mark->h - mark->y);
    pj_point from = {mark->x, mark->y}, to = {mark->w, mark->h};
    if (fmax(dx, dy) < PJ_CELL_HEIGHT)
        return;
    if (fmin(dx, dy) < PJ_DOT / 2)
        pj_terminal_rule(sheet, from, to, mark->dash > 0);
    else
        draw_stroke(sheet, from, to, colour);
}

/// Whether a point lies inside the closed path (even and odd crossings).
static bool is_inside(const pj_mark *mark, pj_point at)
{
    bool inside = false;
    for (size_t i = 0, j = mark->point_count - 1; i < mark->point_count; j = i++) {
        pj_point a = mark->points[i], b = mark->points[j];
        if ((a.y > at.y) != (b.y > at.y) && at.x < (b.x - a.x) * (at.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
    }
    return inside;
}

static void fill_path(pj_terminal_sheet *sheet, const pj_mark *mark, pj_colour colour)
{
    pj_point least = mark->points[0], most = least;
    for (size_t i = 1; i < mark->point_count; i++) {
        least = (pj_point){fmin(least.x, mark->points[i].x), fmin(least.y, mark->points[i].y)};
        most = (pj_point){fmax(most.x, mark->points[i].x), fmax(most.y, mark->points[i].y)};
    }
    for (long y = dot_at(least.y); y < dot_at(most.y); y++)
        for (long x = dot_at(least.x); x < dot_at(most.x); x++)
            if (is_inside(mark, (pj_point){((double)x + 0.5) * PJ_DOT, ((double)y + 0.5) * PJ_DOT}))
                pj_terminal_area(sheet, x, y, colour);
}

static void draw_path(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    pj_colour fill = pj_terminal_seen(sheet, mark->fill);
    if (mark->point_count < 2)
        return;
    if (mark->closed && fill)
        fill_path(sheet, mark, fill);
    pj_colour stroke = pj_terminal_seen(sheet, mark->stroke);
    for (size_t i = 1; i < mark->point_count; i++)
        draw_stroke(sheet, mark->points[i - 1], mark->points[i], stroke);
    if (mark->closed)
        draw_stroke(sheet, mark->points[mark->point_count - 1], mark->points[0], stroke);
}

static void draw_disc(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    const uint32_t full = 0x25cf, empty = 0x25cb;
    pj_colour fill = pj_terminal_seen(sheet, mark->fill);
    pj_colour ink = fill ? fill : pj_terminal_seen(sheet, mark->stroke);
    if (ink)
        pj_terminal_marker(sheet, (pj_point){mark->x, mark->y}, fill ? full : empty, ink);
}

static void draw_mark(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    switch (mark->kind) {
    case PJ_MARK_RECT:
        draw_rect(sheet, mark);
        break;
    case PJ_MARK_LINE:
        draw_line(sheet, mark);
        break;
    case PJ_MARK_PATH:
        draw_path(sheet, mark);
        break;
    case PJ_MARK_DISC:
        draw_disc(sheet, mark);
        break;
    case PJ_MARK_IMAGE:
        draw_image(sheet, mark);
        break;
    case PJ_MARK_TEXT:
        break; // stands above all others
    }
}

void pj_figure_terminal(const pj_figure *figure, pj_terminal_opts opts, pj_buf *out)
{
    pj_terminal_sheet *sheet = pj_terminal_sheet_new(figure, opts.colour);
    for (size_t i = 0; i < figure->mark_count; i++)
        draw_mark(sheet, &figure->marks[i]);
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].kind == PJ_MARK_TEXT)
            pj_terminal_text(sheet, &figure->marks[i]);
    pj_terminal_sheet_write(sheet, out);
    pj_terminal_sheet_free(sheet);
}
