// The script stands in each output of a notebook, as any of them may be removed; only the first one
// in a page counts.
#include "widgets/figure/figure_alive.h"

#include "metrics/base/str.h"

/// Well-formed in HTML and in XML.
static void add_script(pj_buf *out, const char *how, const char *where, const char *data)
{
    pj_buf_puts(out, "<script>//<![CDATA[\n");
    pj_buf_puts(out, pj_figure_alive_script);
    pj_buf_addf(out, "pjAlive.%s(%s,", how, where);
    pj_buf_puts(out, data);
    pj_buf_puts(out, ");\n//]]></script>\n");
}

void pj_figure_alive_html(const pj_figure *figure, const char *id, pj_buf *out)
{
    if (!figure->alive)
        return;
    pj_auto_buf where = {0};
    pj_buf_addf(&where, "document.getElementById('%s').parentNode", id);
    add_script(out, "inPage", where.at, figure->alive);
}

void pj_figure_alive_svg(const pj_figure *figure, pj_buf *out)
{
    if (figure->alive)
        add_script(out, "inFile", "document.documentElement", figure->alive);
}
