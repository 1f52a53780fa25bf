// What a pointer over a figure shows.
// Positioned boxes carry the hover texts: JupyterLab leaves them even to notebooks that nobody
// trusts, where it drops the names of image maps.
#include "widgets/figure/figure_hover.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/figure/alive/figure_alive.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/palette.h"

#include <math.h>

static const double least = 8;       // px
static const double readable = 0.65; // of its width: a page narrower than that scrolls

enum { NEIGHBOURHOOD = 8 }; // marks before and after, as a point's label and leader are marks too

static void grow(double *at, double *size)
{
    if (*size < least) {
        *at -= (least - *size) / 2;
        *size = least;
    }
}

static void path_bounds(const pj_mark *mark, pj_hover_area *spot)
{
    double x1 = -INFINITY, y1 = -INFINITY;
    spot->x = spot->y = INFINITY;
    for (size_t i = 0; i < mark->point_count; i++) {
        spot->x = fmin(spot->x, mark->points[i].x);
        spot->y = fmin(spot->y, mark->points[i].y);
        x1 = fmax(x1, mark->points[i].x);
        y1 = fmax(y1, mark->points[i].y);
    }
    spot->w = x1 - spot->x;
    spot->h = y1 - spot->y;
}

bool pj_hover_spot(const pj_mark *mark, pj_hover_area *out)
{
    if (!mark->hover || !*mark->hover)
        return false;
    *out = (pj_hover_area){mark->x, mark->y, mark->w, mark->h, mark->hover};
    switch (mark->kind) {
    case PJ_MARK_RECT:
    case PJ_MARK_IMAGE:
        break;
    case PJ_MARK_LINE:
        out->x = fmin(mark->x, mark->w);
        out->y = fmin(mark->y, mark->h);
        out->w = fabs(mark->w - mark->x);
        out->h = fabs(mark->h - mark->y);
        break;
    case PJ_MARK_PATH:
        if (mark->point_count == 0)
            return false;
        path_bounds(mark, out);
        break;
    case PJ_MARK_DISC:
        out->x = mark->x - mark->w - 3;
        out->y = mark->y - mark->w - 3;
        out->w = out->h = 2 * (mark->w + 3);
        break;
    case PJ_MARK_TEXT: // has no bounds of its own: a rectangle over it carries the hover text
        return false;
    }
    grow(&out->x, &out->w);
    grow(&out->y, &out->h);
    return true;
}

static bool is_hovered_disc(const pj_mark *mark)
{
    return mark->kind == PJ_MARK_DISC && mark->hover && *mark->hover;
}

/// Keeps a disc's spot on its own half of the way to another disc.
static void yield_to(const pj_mark *disc, const pj_mark *other, pj_hover_area *spot)
{
    double dx = other->x - disc->x, dy = other->y - disc->y;
    bool along_x = fabs(dx) >= fabs(dy);
    double middle = along_x ? disc->x + dx / 2 : disc->y + dy / 2, way = along_x ? dx : dy;
    double *at = along_x ? &spot->x : &spot->y, *size = along_x ? &spot->w : &spot->h;
    double end = *at + *size;
    if (way > 0)
        *size = fmin(end, middle) - *at;
    else if (way < 0 && middle > *at) {
        *at = middle;
        *size = end - middle;
    }
}

/// The spot of a mark beside its neighbours in a series: however dense, each point has its own.
static bool spot_of(const pj_figure *figure, size_t index, pj_hover_area *out)
{
    const pj_mark *marks = figure->marks, *mark = &marks[index];
    if (!pj_hover_spot(mark, out))
        return false;
    if (mark->kind != PJ_MARK_DISC)
        return true;
    size_t last =
        index + NEIGHBOURHOOD < figure->mark_count ? index + NEIGHBOURHOOD : figure->mark_count - 1;
    for (size_t i = index > NEIGHBOURHOOD ? index - NEIGHBOURHOOD : 0; i <= last; i++)
        if (is_hovered_disc(&marks[i]))
            yield_to(mark, &marks[i], out);
    return true;
}

size_t pj_hover_count(const pj_figure *figure)
{
    size_t count = 0;
    pj_hover_area spot;
    for (size_t i = 0; i < figure->mark_count; i++)
        count += pj_hover_spot(&figure->marks[i], &spot);
    return count;
}

void pj_hover_svg(const pj_figure *figure, pj_buf *out)
{
    pj_hover_area spot;
    pj_buf_puts(out, "<g fill=\"none\" pointer-events=\"all\">\n");
    for (size_t i = 0; i < figure->mark_count; i++) {
        if (!spot_of(figure, i, &spot))
            continue;
        pj_buf_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"><title>",
                    (int)floor(spot.x), (int)floor(spot.y), (int)ceil(spot.w), (int)ceil(spot.h));
        pj_escape_sentence(out, pj_str_of(spot.text));
        pj_buf_puts(out, "</title></rect>\n");
    }
    pj_buf_puts(out, "</g>\n");
}

/// One decimal is less than a pixel.
static void add_percent(pj_buf *out, const char *name, double value)
{
    char text[32];
    size_t len = pj_format_fixed(value, 1, text);
    len -= len > 2 && text[len - 1] == '0' ? 2 : 0;
    pj_buf_addf(out, ";%s:%.*s%%", name, (int)len, text);
}

/// Places in per cent: the picture shrinks on a narrow page, and the boxes with it.
static void add_boxes(const pj_figure *figure, pj_buf *out)
{
    double per_x = 100 / ceil(figure->width), per_y = 100 / ceil(figure->height);
    pj_hover_area spot;
    for (size_t i = 0; i < figure->mark_count; i++) {
        if (!spot_of(figure, i, &spot))
            continue;
        pj_buf_puts(out, "<div title=\"");
        pj_escape_sentence(out, pj_str_of(spot.text));
        pj_buf_puts(out, "\" style=\"position:absolute");
        add_percent(out, "left", spot.x * per_x);
        add_percent(out, "top", spot.y * per_y);
        add_percent(out, "width", spot.w * per_x);
        add_percent(out, "height", spot.h * per_y);
        pj_buf_puts(out, "\"></div>");
    }
    pj_buf_add_char(out, '\n');
}

/// Pictures follow the theme.
static const char themes[] = PJ_DARK_RULES(".pj-still img");

static const char script[] =
    "<script>(function(){var b=document.getElementById('%s');if(!b||b.pj)return;b.pj=1;"
    "var f=b.firstElementChild,s=1,x=0,y=0,d=null,t=document.getElementById('pj-theme');"
    "if(!t){t=document.createElement('style');t.id='pj-theme';t.textContent='%s';"
    "document.head.appendChild(t)}b.classList.add('pj-still');"
    "function put(){f.style.transform='translate('+x+'px,'+y+'px) scale('+s+')';"
    "b.style.cursor=s>1?'grab':''}"
    "b.addEventListener('wheel',function(e){if(!e.ctrlKey)return;e.preventDefault();"
    "var r=b.getBoundingClientRect(),p=e.clientX-r.left,q=e.clientY-r.top,"
    "n=Math.min(16,Math.max(1,s*Math.exp(-e.deltaY/400)));"
    "x=n==1?0:p-(p-x)*n/s;y=n==1?0:q-(q-y)*n/s;s=n;put()},{passive:false});"
    "b.addEventListener('mousedown',function(e){if(s>1){d=[e.clientX-x,e.clientY-y];"
    "e.preventDefault()}});"
    "b.addEventListener('mousemove',function(e){if(d){x=e.clientX-d[0];y=e.clientY-d[1];put()}});"
    "['mouseup','mouseleave'].forEach(function(t){b.addEventListener(t,function(){d=null})});"
    "b.addEventListener('dblclick',function(){s=1;x=y=0;put()})})()</script>\n";

void pj_hover_html(const pj_figure *figure, const char *id, pj_str src, pj_buf *out)
{
    int width = (int)ceil(figure->width), height = (int)ceil(figure->height);
    pj_auto_buf alt = {0};
    pj_buf_addf(&alt, "%s. %s", figure->title ? figure->title : "",
                figure->summary ? figure->summary : "");
    pj_buf_addf(out,
                "<div style=\"max-width:100%%;overflow:auto\"><div id=\"%s\" "
                "style=\"position:relative;overflow:hidden;width:%dpx;max-width:100%%;"
                "min-width:%dpx;border-radius:6px\">"
                "<div style=\"position:relative;transform-origin:0 0\">\n"
                "<img width=\"%d\" height=\"%d\" style=\"display:block;margin:0;"
                "width:100%%;height:auto;max-width:none\" alt=\"",
                id, width, (int)(width * readable), width, height);
    pj_escape_sentence(out, pj_buf_str(&alt));
    pj_buf_puts(out, "\" src=\"");
    pj_buf_add(out, src);
    pj_buf_puts(out, "\"/>\n");
    add_boxes(figure, out);
    pj_buf_puts(out, "</div></div></div>\n");
    pj_buf_addf(out, script, id, themes);
    pj_figure_alive_html(figure, id, out);
}
