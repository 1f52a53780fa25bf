// Figures as SVG.
// Text keeps the width that it was laid out with (textLength) where a page has another font. There
// are no ids, so that several pictures can stand in one page.
#include "widgets/figure/figure_svg.h"

#include "metrics/base/arena.h"
#include "metrics/base/base64.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/alive/figure_alive.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_hover.h"
#include "widgets/figure/figure_png.h"
#include "widgets/figure/palette.h"

#include <math.h>
#include <stdlib.h>

static const double hatch_gap = 6;
static const char families[] =
    "Inter, 'DejaVu Sans', 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

// ---- attributes

/// Two decimals are a fiftieth of a pixel at 2x.
static void add_number(pj_buf *out, double value)
{
    char text[32];
    size_t len = pj_format_fixed(value, 2, text);
    while (len && text[len - 1] == '0' && memchr(text, '.', len))
        len--;
    len -= len && text[len - 1] == '.';
    pj_buf_add(out, (pj_str){text, len});
}

static void add(pj_buf *out, const char *name, double value)
{
    pj_buf_addf(out, " %s=\"", name);
    add_number(out, value);
    pj_buf_add_char(out, '"');
}

static void add_colour(pj_buf *out, const char *name, pj_colour colour)
{
    unsigned alpha = colour & 0xff;
    if (!alpha) {
        pj_buf_addf(out, " %s=\"none\"", name);
        return;
    }
    pj_buf_addf(out, " %s=\"#%06x\"", name, colour >> 8);
    if (alpha == 0xff)
        return;
    pj_buf_addf(out, " %s-opacity=\"", name);
    add_number(out, alpha / 255.0);
    pj_buf_add_char(out, '"');
}

static bool has_stroke(const pj_mark *mark)
{
    return (mark->stroke & 0xff) && mark->stroke_width > 0;
}

static void add_stroke(pj_buf *out, const pj_mark *mark)
{
    if (!has_stroke(mark))
        return;
    add_colour(out, "stroke", mark->stroke);
    add(out, "stroke-width", mark->stroke_width);
    if (mark->dash > 0)
        add(out, "stroke-dasharray", mark->dash);
    if (mark->kind == PJ_MARK_PATH)
        pj_buf_puts(out, " stroke-linejoin=\"round\" stroke-linecap=\"round\"");
}

// ---- shapes

/// Diagonal lines inside a rectangle, as one path.
static void add_hatch(pj_buf *out, const pj_mark *mark)
{
    int lines = (int)((mark->w + mark->h) / hatch_gap);
    pj_buf_puts(out, "<path d=\"");
    for (int i = 0; i <= lines; i++) {
        double along = i * hatch_gap; // from the top left corner down, then to the right
        double left = fmax(along - mark->h, 0), right = fmin(along, mark->w);
        pj_buf_add_char(out, 'M');
        add_number(out, mark->x + left);
        pj_buf_add_char(out, ' ');
        add_number(out, mark->y + along - left);
        pj_buf_add_char(out, 'L');
        add_number(out, mark->x + right);
        pj_buf_add_char(out, ' ');
        add_number(out, mark->y + along - right);
    }
    pj_buf_puts(out, "\" fill=\"none\"");
    add_colour(out, "stroke", mark->stroke);
    pj_buf_puts(out, "/>\n");
}

static void add_rect(pj_buf *out, const pj_mark *mark)
{
    pj_buf_puts(out, "<rect");
    add(out, "x", mark->x);
    add(out, "y", mark->y);
    add(out, "width", fmax(mark->w, 0));
    add(out, "height", fmax(mark->h, 0));
    if (mark->radius > 0)
        add(out, "rx", mark->radius);
    add_colour(out, "fill", mark->fill);
    if (!mark->hatch)
        add_stroke(out, mark);
    pj_buf_puts(out, "/>\n");
    if (mark->hatch)
        add_hatch(out, mark);
}

static void add_line(pj_buf *out, const pj_mark *mark)
{
    pj_buf_puts(out, "<line");
    add(out, "x1", mark->x);
    add(out, "y1", mark->y);
    add(out, "x2", mark->w);
    add(out, "y2", mark->h);
    add_stroke(out, mark);
    pj_buf_puts(out, "/>\n");
}

static void add_path(pj_buf *out, const pj_mark *mark)
{
    pj_buf_puts(out, "<path d=\"");
    for (size_t i = 0; i < mark->point_count; i++) {
        pj_buf_puts(out, i ? "L" : "M");
        add_number(out, mark->points[i].x);
        pj_buf_add_char(out, ' ');
        add_number(out, mark->points[i].y);
    }
    pj_buf_puts(out, mark->closed ? "Z\"" : "\"");
    add_colour(out, "fill", mark->fill);
    add_stroke(out, mark);
    pj_buf_puts(out, "/>\n");
}

static void add_disc(pj_buf *out, const pj_mark *mark)
{
    pj_buf_puts(out, "<circle");
    add(out, "cx", mark->x);
    add(out, "cy", mark->y);
    add(out, "r", mark->w);
    add_colour(out, "fill", mark->fill);
    add_stroke(out, mark);
    pj_buf_puts(out, "/>\n");
}

static void add_image(pj_buf *out, const pj_mark *mark)
{
    size_t count = mark->pixel_columns * mark->pixel_rows;
    uint32_t *pixels = pj_take_memory((count + 1) * sizeof *pixels);
    pj_auto_buf png = {0};
    for (size_t i = 0; i < count; i++) // RRGGBBAA to AARRGGBB
        pixels[i] = mark->pixels[i] >> 8 | mark->pixels[i] << 24;
    const pj_pixels picture = {.at = pixels,
                               .width = (uint32_t)mark->pixel_columns,
                               .height = (uint32_t)mark->pixel_rows,
                               .stride = mark->pixel_columns,
                               .alpha = true};
    bool packed = pj_figure_png(&picture, NULL, &png);
    free(pixels);
    if (!packed)
        return;
    pj_buf_puts(out, "<image");
    add(out, "x", mark->x);
    add(out, "y", mark->y);
    add(out, "width", mark->w);
    add(out, "height", mark->h);
    pj_buf_puts(out, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                     "xlink:href=\"data:image/png;base64,");
    pj_base64_add(out, pj_buf_str(&png));
    pj_buf_puts(out, "\"/>\n");
}

static void add_text(pj_buf *out, const pj_mark *mark, const pj_draw *draw)
{
    // spaced letters are painted one by one, each with its halo over a part of the one before it
    static const char whole[] = " lengthAdjust=\"spacingAndGlyphs\"";
    static const char *const anchors[] = {
        [PJ_ANCHOR_START] = NULL, [PJ_ANCHOR_MIDDLE] = "middle", [PJ_ANCHOR_END] = "end"};
    pj_auto_buf clean = {0};
    pj_utf8_clean_line(&clean, pj_str_of(mark->text));
    if (!clean.len)
        return;
    pj_buf_puts(out, "<text");
    add(out, "x", mark->x);
    add(out, "y", mark->y);
    if (mark->size != PJ_FONT_SIZE)
        add(out, "font-size", mark->size);
    if (mark->fill != PJ_INK)
        add_colour(out, "fill", mark->fill);
    if (!mark->italic) // which is not measured
        add(out, "textLength", draw->measure(clean.at, mark->size, mark->bold).width);
    pj_buf_puts(out, mark->bold ? " font-weight=\"600\"" : "");
    pj_buf_puts(out, mark->italic ? " font-style=\"italic\"" : "");
    if (anchors[mark->anchor])
        pj_buf_addf(out, " text-anchor=\"%s\"", anchors[mark->anchor]);
    if (mark->angle != 0) {
        pj_buf_puts(out, " transform=\"rotate(");
        add_number(out, -mark->angle);
        pj_buf_add_char(out, ' ');
        add_number(out, mark->x);
        pj_buf_add_char(out, ' ');
        add_number(out, mark->y);
        pj_buf_puts(out, ")\"");
    }
    if (has_stroke(mark)) {
        add_colour(out, "stroke", mark->stroke);
        add(out, "stroke-width", 2 * mark->stroke_width);
        pj_buf_puts(out, " stroke-linejoin=\"round\" paint-order=\"stroke\"");
        pj_buf_puts(out, whole);
    }
    pj_buf_add_char(out, '>');
    pj_escape_sentence(out, pj_buf_str(&clean));
    pj_buf_puts(out, "</text>\n");
}

// ---- the whole

static bool is_seen(const pj_mark *mark)
{
    return mark->kind == PJ_MARK_TEXT || mark->kind == PJ_MARK_IMAGE || (mark->fill & 0xff) ||
           mark->hatch || has_stroke(mark);
}

static void add_mark(pj_buf *out, const pj_mark *mark, const pj_draw *draw)
{
    if (!is_seen(mark))
        return;
    switch (mark->kind) {
    case PJ_MARK_RECT:
        add_rect(out, mark);
        return;
    case PJ_MARK_LINE:
        add_line(out, mark);
        return;
    case PJ_MARK_PATH:
        add_path(out, mark);
        return;
    case PJ_MARK_DISC:
        add_disc(out, mark);
        return;
    case PJ_MARK_TEXT:
        add_text(out, mark, draw);
        return;
    case PJ_MARK_IMAGE:
        add_image(out, mark);
        return;
    }
}

static void add_open(const pj_figure *figure, pj_buf *out)
{
    pj_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                     "xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\" width=\"");
    add_number(out, figure->width);
    pj_buf_puts(out, "px\" height=\"");
    add_number(out, figure->height);
    pj_buf_puts(out, "px\" viewBox=\"0 0 ");
    add_number(out, figure->width);
    pj_buf_add_char(out, ' ');
    add_number(out, figure->height);
    pj_buf_puts(out, "\">\n");
}

static void add_marks(const pj_figure *figure, const pj_draw *draw, pj_buf *out)
{
    pj_buf_addf(out,
                "<g font-family=\"%s\" font-size=\"%d\" fill=\"#%06x\" "
                "style=\"font-feature-settings:'tnum','calt' 0\" "
                "xml:space=\"preserve\">\n",
                families, (int)PJ_FONT_SIZE, PJ_INK >> 8);
    pj_mark paper = {
        .kind = PJ_MARK_RECT, .w = figure->width, .h = figure->height, .fill = figure->background};
    add_mark(out, &paper, draw);
    for (size_t i = 0; i < figure->mark_count; i++)
        add_mark(out, &figure->marks[i], draw);
    pj_buf_puts(out, "</g>\n");
}

void pj_figure_svg(const pj_figure *figure, const pj_draw *draw, pj_buf *out)
{
    add_open(figure, out);
    add_marks(figure, draw, out);
    pj_buf_puts(out, "</svg>\n");
}

void pj_figure_svg_hover(const pj_figure *figure, const pj_draw *draw, bool alive, pj_buf *out)
{
    add_open(figure, out);
    pj_buf_puts(out, "<title>");
    pj_escape_sentence(out, pj_str_of(figure->title));
    pj_buf_puts(out, "</title>\n<desc>");
    pj_escape_sentence(out, pj_str_of(figure->summary));
    pj_buf_puts(out, "</desc>\n");
    add_marks(figure, draw, out);
    pj_hover_svg(figure, out);
    if (alive)
        pj_figure_alive_svg(figure, out);
    pj_buf_puts(out, "</svg>\n");
}
