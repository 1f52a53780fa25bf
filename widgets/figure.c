// Display lists: marks are added in drawing order.
#include "widgets/figure.h"

#include "metrics/base/buf.h"

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
