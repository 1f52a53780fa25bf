// Display lists: marks are added in drawing order.
#include "widgets/figure/figure.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <math.h>
#include <stdlib.h>

pj_figure *pj_figure_new(double width, double height, const char *title)
{
    pj_figure *figure = pj_take_memory(sizeof *figure);
    *figure = (pj_figure){.arena = pj_arena_new(NULL), .width = width, .height = height};
    figure->background = 0xffffffff;
    figure->title = pj_arena_text(figure->arena, pj_str_of(title));
    return figure;
}

void pj_figure_free(pj_figure *figure)
{
    if (!figure)
        return;
    pj_arena_free(figure->arena);
    free(figure->marks);
    free(figure);
}

static const char *kept(pj_arena *arena, const char *text)
{
    return text ? pj_arena_text(arena, pj_str_of(text)) : NULL;
}

pj_mark *pj_figure_add(pj_figure *figure, pj_mark mark)
{
    mark.text = kept(figure->arena, mark.text);
    mark.hover = kept(figure->arena, mark.hover);
    mark.key = kept(figure->arena, mark.key);
    if (mark.point_count) {
        pj_point *points = pj_new_n(figure->arena, pj_point, mark.point_count);
        memcpy(points, mark.points, mark.point_count * sizeof *points);
        mark.points = points;
    }
    pj_grow(figure->marks, &figure->mark_cap, figure->mark_count + 1);
    figure->marks[figure->mark_count] = mark;
    return &figure->marks[figure->mark_count++];
}

static void enlarge(pj_figure *figure, pj_mark *mark, double factor)
{
    double *const lengths[] = {&mark->x,    &mark->y,      &mark->w,
                               &mark->h,    &mark->radius, &mark->stroke_width,
                               &mark->dash, &mark->size};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        *lengths[i] *= factor;
    pj_point *points = pj_new_n(figure->arena, pj_point, mark->point_count + 1);
    for (size_t i = 0; i < mark->point_count; i++)
        points[i] = (pj_point){mark->points[i].x * factor, mark->points[i].y * factor};
    mark->points = points;
}

static void enlarge_all(pj_figure *figure, double factor)
{
    if (factor == 1)
        return;
    figure->width *= factor;
    figure->height *= factor;
    figure->time_left *= factor;
    figure->time_right *= factor;
    for (size_t i = 0; i < figure->mark_count; i++)
        enlarge(figure, &figure->marks[i], factor);
}

static void move_all(pj_figure *figure, double right, double down)
{
    figure->time_left += right;
    figure->time_right += right;
    for (size_t i = 0; i < figure->mark_count; i++) {
        pj_mark *mark = &figure->marks[i];
        mark->x += right;
        mark->y += down;
        mark->w += mark->kind == PJ_MARK_LINE ? right : 0; // where it ends
        mark->h += mark->kind == PJ_MARK_LINE ? down : 0;
        pj_point *points = pj_new_n(figure->arena, pj_point, mark->point_count + 1);
        for (size_t p = 0; p < mark->point_count; p++)
            points[p] = (pj_point){mark->points[p].x + right, mark->points[p].y + down};
        mark->points = points;
    }
}

/// In the middle of a larger sheet.
static void widen(pj_figure *figure, double width, double height)
{
    double right = (width - figure->width) / 2, down = (height - figure->height) / 2;
    if (right != 0 || down != 0)
        move_all(figure, right, down);
    figure->width = width;
    figure->height = height;
}

/// How much larger it would fill the width and the height that are said; 0 = none is.
static double filling(const pj_figure *figure, pj_picture_size size)
{
    double wide = size.width > 0 ? size.width / figure->width : INFINITY;
    double high = size.height > 0 ? size.height / figure->height : INFINITY;
    double least = fmin(wide, high);
    return isfinite(least) ? least : 0;
}

static void fill(pj_figure *figure, pj_picture_size size, double factor)
{
    enlarge_all(figure, factor);
    widen(figure, size.width > 0 ? size.width : figure->width,
          size.height > 0 ? size.height : figure->height);
}

double pj_figure_zoom(pj_figure *figure, pj_picture_size size)
{
    static const double rounded = 1 - 1e-6;
    double zoom = pj_picture_zoom(size), most = filling(figure, size);
    double factor = most > 0 && most < zoom * rounded ? most : zoom;
    figure->pixels = size.pixels;
    fill(figure, size, factor);
    return factor / zoom;
}

void pj_figure_fit(pj_figure *figure, pj_picture_size size)
{
    double factor = filling(figure, size);
    figure->pixels = size.pixels;
    fill(figure, size, factor > 0 ? factor : pj_picture_zoom(size));
}
