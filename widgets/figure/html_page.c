// HTML that notebooks keep.
// Inline styles only: front ends remove style sheets from outputs they do not trust.
#include "widgets/figure/html_page.h"

#include "metrics/base/str.h"
#include "widgets/figure/escape.h"

void pj_html_page_open(pj_buf *out, pj_str title)
{
    pj_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
                     "<meta name=\"color-scheme\" content=\"light dark\"/><title>");
    pj_escape_sentence(out, title);
    pj_buf_puts(out, "</title></head>\n<body style=\"margin:24px\">\n");
}

void pj_html_page_close(pj_buf *out)
{
    pj_buf_puts(out, "</body></html>\n");
}

void pj_html_title(pj_buf *out, pj_str title)
{
    if (!title.len)
        return;
    pj_buf_puts(out, "<div style=\"font-weight:600;font-size:15px;margin:2px 0 8px\">");
    pj_escape_sentence(out, title);
    pj_buf_puts(out, "</div>\n");
}

void pj_html_note(pj_buf *out, const char *mark, pj_str text)
{
    pj_buf_puts(out, "<div style=\"font-size:12px;opacity:.75;margin-top:4px;max-width:60em\">");
    pj_buf_puts(out, mark);
    pj_escape_sentence(out, text);
    pj_buf_puts(out, "</div>\n");
}

void pj_html_tooltip(pj_buf *out, pj_str text)
{
    if (!text.len)
        return;
    pj_buf_puts(out, " title=\"");
    pj_escape_sentence(out, text);
    pj_buf_add_char(out, '"');
}
