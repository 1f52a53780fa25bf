// SVG files get hover texts, a description, and ids of their own, so that several of them can
// stand in one page; HTML files hold the picture and its hover layer.
#include "widgets/figure_file.h"

#include "widgets/base64.h"
#include "widgets/escape.h"
#include "widgets/figure_hover.h"
#include "widgets/html_page.h"

#include <stdio.h>
#include <stdlib.h>

static const double png_scale = 2;

/// FNV-1a of the bytes: the same picture has the same ids.
static unsigned digest(pj_str bytes)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.at[i]) * 16777619u;
    return hash;
}

typedef struct names {
    pj_str *items;
    size_t count, cap;
} names;

static size_t index_of(names *known, pj_str name)
{
    for (size_t i = 0; i < known->count; i++)
        if (pj_str_equal(known->items[i], name))
            return i;
    pj_grow(known->items, &known->cap, known->count + 1);
    known->items[known->count] = name;
    return known->count++;
}

/// Numbers the ids of an SVG text and all references to them in order of appearance.
static void number_ids(pj_buf *out, pj_str svg, const char *prefix)
{
    static const pj_str marks[] = {{"id=\"", 4}, {"\"#", 2}, {"(#", 2}};
    names known = {0};
    while (svg.len) {
        size_t mark = 0;
        while (mark < 3 && !pj_str_starts(svg, marks[mark]))
            mark++;
        pj_buf_add(out, pj_str_head(svg, mark < 3 ? marks[mark].len : 1));
        svg = pj_str_from(svg, mark < 3 ? marks[mark].len : 1);
        if (mark == 3)
            continue;
        pj_str name = pj_str_head(svg, pj_str_find(svg, mark < 2 ? '"' : ')'));
        pj_buf_addf(out, "%s%zu", prefix, index_of(&known, name));
        svg = pj_str_from(svg, name.len);
    }
    free(known.items);
}

/// cairo's ids repeat in every file ("glyph0-1") or count through the process ("surface17"): they
/// become unique to the picture and the same whenever it is drawn.
static void name_ids(pj_buf *out, pj_str svg)
{
    pj_auto_buf plain = {0};
    number_ids(&plain, svg, "");
    char prefix[16];
    snprintf(prefix, sizeof prefix, "p%06x-", digest(pj_buf_str(&plain)) & 0xffffff);
    number_ids(out, pj_buf_str(&plain), prefix);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// cairo writes six decimals; two are a fiftieth of a pixel at 2x. Numbers below 1 keep four:
/// they may be the sines of a rotation.
static void shorten_numbers(pj_buf *out, pj_str svg)
{
    for (size_t i = 0; i < svg.len; i++) {
        char c = svg.at[i];
        pj_buf_add_char(out, c);
        bool point = c == '.' && i > 0 && is_digit(svg.at[i - 1]);
        if (!point)
            continue;
        bool small = svg.at[i - 1] == '0' && (i < 2 || !is_digit(svg.at[i - 2]));
        size_t digits = 0;
        for (; i + 1 < svg.len && is_digit(svg.at[i + 1]); i++, digits++)
            if (digits < (small ? 4 : 2))
                pj_buf_add_char(out, svg.at[i + 1]);
    }
}

static void add_described(pj_buf *out, const pj_figure *figure, pj_str svg)
{
    const char *open = memmem(svg.at, svg.len, "<svg", 4);
    const char *body = open ? memchr(open, '>', (size_t)(svg.at + svg.len - open)) : NULL;
    const char *close = memmem(svg.at, svg.len, "</svg>", 6);
    if (!body || !close) {
        pj_buf_add(out, svg);
        return;
    }
    pj_buf_add(out, pj_str_head(svg, (size_t)(body + 1 - svg.at)));
    pj_buf_puts(out, "\n<title>");
    pj_escape_html(out, pj_str_of(figure->title));
    pj_buf_puts(out, "</title>\n<desc>");
    pj_escape_html(out, pj_str_of(figure->summary));
    pj_buf_puts(out, "</desc>");
    pj_buf_add(out, (pj_str){body + 1, (size_t)(close - body - 1)});
    pj_hover_svg(figure, out);
    pj_buf_puts(out, "</svg>\n");
}

static bool draw_svg(const pj_figure *figure, const pj_draw *draw, pj_buf *out, pj_err *err)
{
    pj_auto_buf raw = {0}, brief = {0};
    if (!draw->render(figure, PJ_SVG, 1, &raw, err))
        return false;
    shorten_numbers(&brief, pj_buf_str(&raw));
    name_ids(out, pj_buf_str(&brief));
    return true;
}

static bool write_svg(const pj_figure *figure, const pj_draw *draw, pj_buf *out, pj_err *err)
{
    pj_auto_buf svg = {0};
    if (!draw_svg(figure, draw, &svg, err))
        return false;
    add_described(out, figure, pj_buf_str(&svg));
    return true;
}

static bool write_png(const pj_figure *figure, const pj_draw *draw, pj_buf *out, pj_err *err)
{
    return draw->render(figure, PJ_PNG, png_scale, out, err);
}

static bool write_pdf(const pj_figure *figure, const pj_draw *draw, pj_buf *out, pj_err *err)
{
    return draw->render(figure, PJ_PDF, 1, out, err);
}

static bool write_html(const pj_figure *figure, const pj_draw *draw, pj_buf *out, pj_err *err)
{
    pj_auto_buf svg = {0}, src = {0};
    if (!draw_svg(figure, draw, &svg, err))
        return false;
    pj_buf_puts(&src, "data:image/svg+xml;base64,");
    pj_base64_add(&src, pj_buf_str(&svg));
    pj_html_page_open(out, pj_str_of(figure->title));
    pj_hover_html(figure, "figure", pj_buf_str(&src), out);
    pj_html_page_close(out);
    return true;
}

typedef struct file_format {
    const char *name;
    bool (*write)(const pj_figure *figure, const pj_draw *draw, pj_buf *out, pj_err *err);
} file_format;

static const file_format formats[] = {
    {"svg", write_svg}, {"png", write_png}, {"pdf", write_pdf}, {"html", write_html}};

const char *pj_figure_format_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index].name : NULL;
}

bool pj_figure_file(const pj_figure *figure, pj_str format, pj_buf *out, pj_err *err)
{
    const pj_draw *draw = pj_draw_open(err);
    if (!draw)
        return false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (pj_str_equal(format, pj_str_of(formats[i].name)))
            return formats[i].write(figure, draw, out, err);
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "a figure has no format \"" PJ_STR_FMT "\"; choose svg, png, pdf or html",
                   PJ_STR_ARG(format));
}
