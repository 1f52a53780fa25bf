// The script stands in each output of a notebook, as any of them may be removed; only the first one
// in a page counts.
#include "widgets/figure/alive/figure_alive.h"

#include "metrics/base/str.h"

/// Well-formed in HTML and in XML.
#define BEGIN "<script>//<![CDATA[\n"
#define END "//]]></script>\n"

void pj_figure_link_html(pj_buf *out)
{
    pj_buf_puts(out, BEGIN);
    pj_buf_puts(out, pj_figure_link_script);
    pj_buf_puts(out, END);
}

static void add_script(pj_buf *out, const pj_figure *figure, const char *how, const char *where)
{
    pj_buf_puts(out, BEGIN);
    pj_buf_puts(out, pj_figure_link_script);
    pj_buf_puts(out, figure->alive ? pj_figure_alive_script : pj_figure_search_script);
    pj_buf_addf(out, "%s.%s(%s", figure->alive ? "pjAlive" : "pjSearch", how, where);
    if (figure->alive) {
        pj_buf_add_char(out, ',');
        pj_buf_puts(out, figure->alive);
    }
    pj_buf_puts(out, ");\n" END);
}

void pj_figure_alive_html(const pj_figure *figure, const char *id, pj_buf *out)
{
    if (!figure->alive && !figure->searched)
        return;
    pj_auto_buf where = {0};
    pj_buf_addf(&where, "document.getElementById('%s')%s", id, figure->alive ? ".parentNode" : "");
    add_script(out, figure, "inPage", where.at);
}

void pj_figure_alive_svg(const pj_figure *figure, pj_buf *out)
{
    if (figure->alive || figure->searched)
        add_script(out, figure, "inFile", "document.documentElement");
}
