// Figures as files of any kind.
// HTML files hold the picture and its hover layer.
#include "widgets/figure/figure_file.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_hover.h"
#include "widgets/figure/figure_svg.h"
#include "widgets/figure/figure_uri.h"
#include "widgets/figure/html_page.h"

static const double png_scale = 2;

static bool write_svg(const pj_figure *figure, const pj_draw *draw, const atomic_bool *stop,
                      pj_buf *out, pj_err *err)
{
    (void)stop, (void)err;
    pj_figure_svg_hover(figure, draw, true, out);
    return true;
}

static bool write_png(const pj_figure *figure, const pj_draw *draw, const atomic_bool *stop,
                      pj_buf *out, pj_err *err)
{
    return draw->render(figure, PJ_PNG, figure->pixels > 0 ? figure->pixels : png_scale, stop, out,
                        err);
}

static bool write_pdf(const pj_figure *figure, const pj_draw *draw, const atomic_bool *stop,
                      pj_buf *out, pj_err *err)
{
    return draw->render(figure, PJ_PDF, 1, stop, out, err);
}

static bool write_html(const pj_figure *figure, const pj_draw *draw, const atomic_bool *stop,
                       pj_buf *out, pj_err *err)
{
    pj_auto_buf svg = {0}, src = {0};
    (void)stop, (void)err;
    pj_figure_svg(figure, draw, &svg);
    pj_figure_uri(pj_buf_str(&svg), &src);
    pj_html_page_open(out, pj_str_of(figure->title));
    pj_hover_html(figure, "figure", pj_buf_str(&src), out);
    pj_html_page_close(out);
    return true;
}

typedef struct file_format {
    const char *name;
    bool (*write)(const pj_figure *figure, const pj_draw *draw, const atomic_bool *stop,
                  pj_buf *out, pj_err *err);
} file_format;

static const file_format formats[] = {
    {"svg", write_svg}, {"png", write_png}, {"pdf", write_pdf}, {"html", write_html}};

const char *pj_figure_format_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index].name : NULL;
}

static bool write_dot(const pj_figure *figure, pj_buf *out, pj_err *err)
{
    if (!figure->dot)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "only call graphs are written as .dot");
    pj_buf_puts(out, figure->dot);
    return true;
}

/// What was laid out while it was stopped is not whole, in any format.
static bool goes_on(const atomic_bool *stop, pj_err *err)
{
    bool stopped = stop && atomic_load_explicit(stop, memory_order_relaxed);
    return !stopped || pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
}

bool pj_figure_file(const pj_figure *figure, pj_str format, const atomic_bool *stop, pj_buf *out,
                    pj_err *err)
{
    if (pj_str_equal(format, PJ_S("dot")))
        return write_dot(figure, out, err);
    if (figure->lack)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "%s", figure->lack);
    const pj_draw *draw = pj_draw_open(err);
    if (!draw)
        return false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (pj_str_equal(format, pj_str_of(formats[i].name)))
            return formats[i].write(figure, draw, stop, out, err) && goes_on(stop, err);
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "a figure has no format \"" PJ_STR_FMT "\"; choose svg, png, pdf or html",
                   PJ_STR_ARG(format));
}
