// Display lists: marks are added in drawing order.
#include "widgets/figure/figure.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

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
    for (size_t i = 0; i < figure->mark_count; i++)
        enlarge(figure, &figure->marks[i], factor);
}

void pj_figure_zoom(pj_figure *figure, pj_picture_size size)
{
    figure->pixels = size.pixels;
    enlarge_all(figure, pj_picture_zoom(size));
}

void pj_figure_fit(pj_figure *figure, pj_picture_size size)
{
    figure->pixels = size.pixels;
    enlarge_all(figure, size.width > 0    ? size.width / figure->width
                        : size.height > 0 ? size.height / figure->height
                                          : pj_picture_zoom(size));
}
