// Draws display lists with cairo and pango: the only file that sees them. It is the module
// popinjay-draw.so, opened at the first drawing (draw.h).
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_png.h"
#include "widgets/figure/figure_round.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <pango/pangocairo.h>

/// DejaVu Sans is always there (package fonts-dejavu-core); the others look better in print.
static const char font_families[] = "Inter, DejaVu Sans, sans-serif";
static const double most_pixels = 16000; // of a PNG's side
static const double hatch_gap = 6;

// ---- text

static PangoFontDescription *font_of(double size, bool bold, bool italic)
{
    PangoFontDescription *font = pango_font_description_from_string(font_families);
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    if (bold)
        pango_font_description_set_weight(font, PANGO_WEIGHT_SEMIBOLD);
    if (italic)
        pango_font_description_set_style(font, PANGO_STYLE_ITALIC);
    return font;
}

/// A layout whose sizes do not depend on the device: no hinting, digits of one width, and no
/// alternates that make 4x2 another text.
static PangoLayout *layout_of(cairo_t *cr, const char *text, double size, bool bold, bool italic)
{
    PangoLayout *layout = pango_cairo_create_layout(cr);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(pango_layout_get_context(layout), options);
    cairo_font_options_destroy(options);
    pango_context_set_round_glyph_positions(pango_layout_get_context(layout), FALSE);
    PangoFontDescription *font = font_of(size, bold, italic);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    PangoAttrList *attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1, calt=0"));
    pango_layout_set_attributes(layout, attributes);
    pango_attr_list_unref(attributes);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pj_auto_buf clean = {0};
    pj_utf8_clean_line(&clean, pj_str_of(text));
    pj_auto_buf apart = {0};
    pj_utf8_apart(&apart, pj_buf_str(&clean));
    pango_layout_set_auto_dir(layout, FALSE);
    pango_context_set_base_dir(pango_layout_get_context(layout), PANGO_DIRECTION_LTR);
    pango_layout_set_text(layout, apart.len ? apart.at : "", (int)apart.len);
    return layout;
}

static pj_extent measure(const char *text, double size, bool bold)
{
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    cairo_t *cr = cairo_create(surface);
    PangoLayout *layout = layout_of(cr, text, size, bold, false);
    PangoRectangle logical;
    pango_layout_get_extents(layout, NULL, &logical);
    g_object_unref(layout);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return (pj_extent){(double)logical.width / PANGO_SCALE, (double)logical.height / PANGO_SCALE};
}

// ---- marks

static void set_colour(cairo_t *cr, pj_colour colour)
{
    cairo_set_source_rgba(cr, (colour >> 24) / 255.0, (colour >> 16 & 0xff) / 255.0,
                          (colour >> 8 & 0xff) / 255.0, (colour & 0xff) / 255.0);
}

static bool visible(pj_colour colour)
{
    return colour & 0xff;
}

static void trace_rect(cairo_t *cr, const pj_mark *mark)
{
    double r = fmin(mark->radius, fmin(mark->w, mark->h) / 2);
    if (r <= 0) {
        cairo_rectangle(cr, mark->x, mark->y, mark->w, mark->h);
        return;
    }
    double x1 = mark->x + mark->w, y1 = mark->y + mark->h;
    cairo_new_sub_path(cr);
    cairo_arc(cr, x1 - r, mark->y + r, r, -M_PI_2, 0);
    cairo_arc(cr, x1 - r, y1 - r, r, 0, M_PI_2);
    cairo_arc(cr, mark->x + r, y1 - r, r, M_PI_2, M_PI);
    cairo_arc(cr, mark->x + r, mark->y + r, r, M_PI, 3 * M_PI_2);
    cairo_close_path(cr);
}

static void trace(cairo_t *cr, const pj_mark *mark)
{
    cairo_new_path(cr);
    switch (mark->kind) {
    case PJ_MARK_RECT:
        trace_rect(cr, mark);
        break;
    case PJ_MARK_LINE:
        cairo_move_to(cr, mark->x, mark->y);
        cairo_line_to(cr, mark->w, mark->h);
        break;
    case PJ_MARK_PATH:
        for (size_t i = 0; i < mark->point_count; i++)
            cairo_line_to(cr, mark->points[i].x, mark->points[i].y);
        if (mark->closed)
            cairo_close_path(cr);
        break;
    case PJ_MARK_DISC:
        cairo_arc(cr, mark->x, mark->y, mark->w, 0, 2 * M_PI);
        break;
    case PJ_MARK_TEXT:
    case PJ_MARK_IMAGE:
        break;
    }
}

/// Diagonal lines inside the current path, in the mark's stroke colour.
static void draw_hatch(cairo_t *cr, const pj_mark *mark)
{
    double x0, y0, x1, y1;
    cairo_path_extents(cr, &x0, &y0, &x1, &y1);
    cairo_save(cr);
    cairo_clip_preserve(cr);
    cairo_path_t *path = cairo_copy_path(cr);
    cairo_new_path(cr);
    int lines = (int)((x1 - x0 + y1 - y0) / hatch_gap);
    for (int i = 0; i <= lines; i++) {
        double x = x0 - (y1 - y0) + i * hatch_gap;
        cairo_move_to(cr, x, y1);
        cairo_line_to(cr, x + (y1 - y0), y0);
    }
    set_colour(cr, mark->stroke);
    cairo_set_line_width(cr, 1);
    cairo_set_dash(cr, NULL, 0, 0);
    cairo_stroke(cr);
    cairo_append_path(cr, path);
    cairo_path_destroy(path);
    cairo_restore(cr);
}

static void draw_shape(cairo_t *cr, const pj_mark *mark)
{
    trace(cr, mark);
    if (visible(mark->fill)) {
        set_colour(cr, mark->fill);
        cairo_fill_preserve(cr);
    }
    if (mark->hatch) {
        draw_hatch(cr, mark);
    } else if (visible(mark->stroke) && mark->stroke_width > 0) {
        set_colour(cr, mark->stroke);
        cairo_set_line_width(cr, mark->stroke_width);
        cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_cap(cr, mark->dash > 0 ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
        cairo_set_dash(cr, &mark->dash, mark->dash > 0 ? 1 : 0, 0);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

/// x, y is the anchor's place on the baseline; a stroke makes a halo behind the letters.
static void draw_text(cairo_t *cr, const pj_mark *mark)
{
    PangoLayout *layout =
        layout_of(cr, mark->text ? mark->text : "", mark->size, mark->bold, mark->italic);
    PangoRectangle logical;
    pango_layout_get_extents(layout, NULL, &logical);
    static const double shift[] = {
        [PJ_ANCHOR_START] = 0, [PJ_ANCHOR_MIDDLE] = -0.5, [PJ_ANCHOR_END] = -1};
    double baseline = (double)pango_layout_get_baseline(layout) / PANGO_SCALE;
    cairo_save(cr);
    cairo_translate(cr, mark->x, mark->y);
    cairo_rotate(cr, -mark->angle * M_PI / 180);
    cairo_move_to(cr, shift[mark->anchor] * logical.width / PANGO_SCALE, -baseline);
    if (visible(mark->stroke) && mark->stroke_width > 0) {
        pango_cairo_layout_path(cr, layout);
        set_colour(cr, mark->stroke);
        cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_width(cr, 2 * mark->stroke_width);
        cairo_stroke(cr);
        cairo_move_to(cr, shift[mark->anchor] * logical.width / PANGO_SCALE, -baseline);
    }
    set_colour(cr, mark->fill);
    pango_cairo_show_layout(cr, layout);
    cairo_restore(cr);
    cairo_new_path(cr);
    g_object_unref(layout);
}

static void draw_image(cairo_t *cr, const pj_mark *mark)
{
    int columns = (int)mark->pixel_columns, rows = (int)mark->pixel_rows;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns, rows);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t y = 0; bytes && y < mark->pixel_rows; y++) {
        uint32_t *line = (uint32_t *)(void *)(bytes + y * stride);
        for (size_t x = 0; x < mark->pixel_columns; x++) {
            pj_colour colour = mark->pixels[y * mark->pixel_columns + x];
            line[x] = colour >> 8 | colour << 24; // RRGGBBAA to AARRGGBB
        }
    }
    cairo_surface_mark_dirty(image);
    cairo_save(cr);
    cairo_translate(cr, mark->x, mark->y);
    cairo_scale(cr, mark->w / columns, mark->h / rows);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_paint(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

static void draw_figure(cairo_t *cr, const pj_figure *figure, const atomic_bool *stop)
{
    set_colour(cr, figure->background);
    cairo_rectangle(cr, 0, 0, figure->width, figure->height);
    cairo_fill(cr);
    for (size_t i = 0; i < figure->mark_count && !is_stopped(stop); i++) {
        if (figure->marks[i].kind == PJ_MARK_TEXT)
            draw_text(cr, &figure->marks[i]);
        else if (figure->marks[i].kind == PJ_MARK_IMAGE)
            draw_image(cr, &figure->marks[i]);
        else
            draw_shape(cr, &figure->marks[i]);
    }
}

// ---- files

static cairo_status_t append(void *out, const unsigned char *bytes, unsigned len)
{
    pj_buf_add(out, (pj_str){(const char *)bytes, len});
    return CAIRO_STATUS_SUCCESS;
}

static bool write_png(cairo_surface_t *surface, bool light, const atomic_bool *stop, pj_buf *out)
{
    cairo_surface_flush(surface);
    uint32_t *pixels = (void *)cairo_image_surface_get_data(surface);
    uint32_t width = (uint32_t)cairo_image_surface_get_width(surface);
    uint32_t height = (uint32_t)cairo_image_surface_get_height(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface) / sizeof *pixels;
    if (light)
        pj_figure_round(pixels, width, height, stride);
    const pj_pixels picture = {.at = pixels, .width = width, .height = height, .stride = stride};
    return pj_figure_png(&picture, stop, out);
}

static cairo_surface_t *surface_of(const pj_figure *figure, pj_picture kind, double *scale,
                                   pj_buf *out)
{
    cairo_surface_t *surface = NULL;
    switch (kind) {
    case PJ_PNG: {
        *scale = fmin(*scale, most_pixels / fmax(figure->width, figure->height));
        int width = (int)ceil(figure->width * *scale), height = (int)ceil(figure->height * *scale);
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width > 0 ? width : 1,
                                          height > 0 ? height : 1);
    }
    case PJ_PDF:
        *scale = 0.75; // 1 px = 0.75 pt
        surface = cairo_pdf_surface_create_for_stream(append, out, figure->width * *scale,
                                                      figure->height * *scale);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, figure->title);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
        return surface;
    }
    return surface;
}

static bool render(const pj_figure *figure, pj_picture kind, double scale, const atomic_bool *stop,
                   pj_buf *out, pj_err *err)
{
    cairo_surface_t *surface = surface_of(figure, kind, &scale, out);
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, scale, scale);
    if (kind == PJ_PNG) { // whose size is whole, the figure's perhaps not
        set_colour(cr, figure->background);
        cairo_paint(cr);
    }
    draw_figure(cr, figure, stop);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && kind == PJ_PNG && !is_stopped(stop) &&
        !write_png(surface, figure->light, stop, out))
        status = CAIRO_STATUS_WRITE_ERROR;
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (is_stopped(stop))
        return pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
    return status == CAIRO_STATUS_SUCCESS ||
           pj_fail(err, PJ_E_IO, NULL, 0, "the picture (%.0f x %.0f) cannot be drawn: %s",
                   figure->width, figure->height, cairo_status_to_string(status));
}

extern const pj_draw pj_draw_module;
const pj_draw pj_draw_module = {.measure = measure, .render = render};
