// Any value as one bundle of MIME types.
// The text/html part carries the picture, its hover layer and the numbers, so that every front end
// shows something useful of it; each picks the part it can show.
#include "widgets/bundle.h"

#include "metrics/base/base64.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/table/table.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_file.h"
#include "widgets/figure/figure_hover.h"
#include "widgets/figure/figure_svg.h"
#include "widgets/figure/figure_uri.h"
#include "widgets/figure/html_page.h"
#include "widgets/table/table_figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void pj_bundle_clear(pj_bundle *bundle)
{
    json_decref(bundle->data);
    json_decref(bundle->metadata);
    *bundle = (pj_bundle){0};
}

static void add_text(pj_bundle *bundle, const char *mime, pj_str text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean(&clean, text);
    json_object_set_new(bundle->data, mime, json_stringn(clean.len ? clean.at : "", clean.len));
}

static void add_binary(pj_bundle *bundle, const char *mime, pj_str bytes)
{
    pj_auto_buf text = {0};
    pj_base64_add(&text, bytes);
    json_object_set_new(bundle->data, mime, json_stringn(text.at, text.len));
}

static pj_bundle bundle_new(void)
{
    return (pj_bundle){json_object(), json_object()};
}

typedef struct parts {
    pj_buf svg; // without hover texts, for <img>
    pj_buf hovered, png, pdf, html;
} parts;

static void parts_free(parts *p)
{
    pj_buf_free(&p->svg);
    pj_buf_free(&p->hovered);
    pj_buf_free(&p->png);
    pj_buf_free(&p->pdf);
    pj_buf_free(&p->html);
}

static void make_html(const pj_figure *figure, pj_str details, const char *id, parts *p)
{
    pj_auto_buf src = {0};
    if (!p->png.len || p->svg.len < p->png.len) {
        pj_figure_uri(pj_buf_str(&p->svg), &src);
    } else {
        pj_buf_puts(&src, "data:image/png;base64,");
        pj_base64_add(&src, pj_buf_str(&p->png));
    }
    pj_hover_html(figure, id, pj_buf_str(&src), &p->html);
    if (!details.len)
        return;
    pj_buf_puts(&p->html, "<details style=\"margin-top:6px\"><summary style=\"" PJ_HTML_FONT
                          ";cursor:pointer;opacity:.75\">Numbers</summary>\n");
    pj_buf_add(&p->html, details);
    pj_buf_puts(&p->html, "</details>\n");
}

/// Without its script where the bundle would be too large with it.
static void make_light_html(const pj_figure *figure, pj_str details, const char *id, size_t others,
                            parts *p)
{
    pj_figure still = *figure;
    make_html(figure, details, id, p);
    if (!figure->alive || others + p->html.len <= PJ_BUNDLE_MOST_BYTES)
        return;
    still.alive = NULL;
    p->html.len = 0;
    make_html(&still, details, id, p);
}

static void make_id(pj_bundle_opts opts, const pj_figure *figure, char *out, size_t size)
{
    if (opts.id)
        snprintf(out, size, "%s", opts.id);
    else
        snprintf(out, size, "pj%" PRIx64 "%zx", pj_clock_of_day(), figure->mark_count);
}

static void add_png(pj_bundle *bundle, const pj_figure *figure, const parts *p)
{
    add_binary(bundle, "image/png", pj_buf_str(&p->png));
    json_object_set_new(bundle->metadata, "image/png",
                        json_pack("{s:i,s:i}", "width", (int)ceil(figure->width), "height",
                                  (int)ceil(figure->height)));
}

/// Documents may print it, so that it is fine; notebooks keep one for what shows no HTML. A large
/// picture is coarse anyway, so that the bundle keeps its size.
static bool make_png(const pj_figure *figure, const pj_render_opts *opts, pj_buf *png, pj_err *err)
{
    enum { PNG_MOST = PJ_BUNDLE_MOST_BYTES / 2 };
    pj_figure coarse = *figure;
    coarse.pixels = 1;
    coarse.light = !opts->paper;
    if (!pj_figure_file(opts->paper ? figure : &coarse, PJ_S("png"), opts->stop, png, err))
        return false;
    if (png->len <= PNG_MOST || figure->pixels > 0 || !opts->paper)
        return true;
    png->len = 0;
    return pj_figure_file(&coarse, PJ_S("png"), opts->stop, png, err);
}

static bool make_parts(const pj_figure *figure, const pj_draw *draw, pj_bundle_opts opts, parts *p,
                       pj_err *err)
{
    bool paper = opts.render.paper;
    pj_figure_svg(figure, draw, &p->svg);
    if (paper)
        pj_figure_svg_hover(figure, draw, false, &p->hovered);
    return ((opts.told && !paper) || make_png(figure, &opts.render, &p->png, err)) &&
           (!paper || pj_figure_file(figure, PJ_S("pdf"), opts.render.stop, &p->pdf, err));
}

/// What documents are made of; notebooks need not keep it, as it can be made again.
static void add_paper(pj_bundle *bundle, pj_str details, const parts *p)
{
    pj_auto_buf numbers = {0};
    pj_utf8_clean(&numbers, details);
    add_text(bundle, "image/svg+xml", pj_buf_str(&p->hovered));
    json_object_set_new(bundle->metadata, "image/svg+xml",
                        json_pack("{s:s}", "numbers", numbers.len ? numbers.at : ""));
}

bool pj_bundle_figure(const pj_figure *figure, pj_str plain, pj_str details, pj_bundle_opts opts,
                      pj_bundle *out, pj_err *err)
{
    __attribute__((cleanup(parts_free))) parts p = {0};
    const pj_draw *draw = pj_draw_open(err);
    if (!draw || !make_parts(figure, draw, opts, &p, err))
        return false;
    char id[64];
    make_id(opts, figure, id, sizeof id);
    size_t others = plain.len + p.png.len * 4 / 3;
    make_light_html(figure, details, id, others, &p);
    *out = bundle_new();
    if (p.png.len)
        add_png(out, figure, &p);
    if (p.pdf.len)
        add_binary(out, "application/pdf", pj_buf_str(&p.pdf));
    pj_auto_buf text = {0};
    pj_buf_add(&text, plain);
    size_t size = others + p.html.len;
    if (opts.render.paper)
        add_paper(out, details, &p);
    if (size <= PJ_BUNDLE_MOST_BYTES)
        add_text(out, "text/html", pj_buf_str(&p.html));
    else if (p.png.len)
        pj_buf_addf(&text,
                    "This picture is large (%.1f MB with its hover texts): it is shown as PNG "
                    "alone; save it as .html or .svg to have them.\n",
                    (double)size / 1e6);
    add_text(out, "text/plain", pj_buf_str(&text));
    return true;
}

/// A renderer's output as a part of the bundle.
static void add_rendered(pj_bundle *bundle, const pj_renderer *renderer, const pj_table *table,
                         const pj_metrics *metrics, pj_render_opts opts)
{
    pj_auto_buf text = {0};
    if (table)
        pj_render_table(renderer, table, opts, &text);
    else
        pj_render_metrics(renderer, metrics, opts, &text);
    add_text(bundle, renderer->mime, pj_buf_str(&text));
}

pj_bundle pj_bundle_table(const pj_table *table, pj_bundle_opts opts)
{
    pj_bundle bundle = bundle_new();
    if (!opts.render.max_rows)
        opts.render.max_rows = PJ_BUNDLE_ROWS;
    add_rendered(&bundle, &pj_renderer_txt, table, NULL, opts.render);
    add_rendered(&bundle, &pj_renderer_html, table, NULL, opts.render);
    if (opts.render.paper)
        add_rendered(&bundle, &pj_renderer_tex, table, NULL, opts.render);
    return bundle;
}

/// The absolute figures of one run, under the picture of its efficiencies.
static void append_overview(pj_bundle *bundle, const pj_metrics *metrics, pj_render_opts opts)
{
    const json_t *html = json_object_get(bundle->data, "text/html");
    if (!html)
        return;
    pj_auto_buf text = {0};
    pj_buf_add(&text, (pj_str){json_string_value(html), json_string_length(html)});
    pj_render_overview(&pj_renderer_html, metrics, opts, &text);
    add_text(bundle, "text/html", pj_buf_str(&text));
}

pj_bundle pj_bundle_metrics(const pj_metrics *metrics, pj_bundle_opts opts)
{
    pj_bundle bundle = bundle_new();
    pj_auto_buf plain = {0}, numbers = {0};
    pj_metrics_txt(metrics, opts.render, &plain);
    pj_render_opts folded = opts.render;
    folded.plain = true;
    pj_metrics_html(metrics, folded, &numbers);
    const pj_draw *draw = pj_draw_open(NULL);
    pj_auto_figure figure = draw ? pj_table_figure(metrics, opts.render.palette, draw) : NULL;
    pj_bundle drawn = {0};
    if (figure)
        pj_figure_fit(figure, opts.size);
    opts.told = true;
    if (figure &&
        pj_bundle_figure(figure, pj_buf_str(&plain), pj_buf_str(&numbers), opts, &drawn, NULL)) {
        pj_bundle_clear(&bundle);
        bundle = drawn;
        append_overview(&bundle, metrics, opts.render);
    } else {
        add_text(&bundle, "text/plain", pj_buf_str(&plain));
    }
    // A page prefers LaTeX to PNG: there must be HTML, of a large table without its picture.
    if (!json_object_get(bundle.data, "text/html"))
        add_rendered(&bundle, &pj_renderer_html, NULL, metrics, opts.render);
    if (opts.render.paper)
        add_rendered(&bundle, &pj_renderer_tex, NULL, metrics, opts.render);
    return bundle;
}
