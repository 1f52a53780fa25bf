// SVG as a data: URI (RFC 2397).
// The SVG's own quotes change places with single ones, so that the attribute around needs no
// entities; in its texts both are entities already.
#include "widgets/figure/figure_uri.h"

#include "metrics/base/base64.h"

#include <ctype.h>

#define SCHEME "data:image/svg+xml"

void pj_figure_uri(pj_str svg, pj_buf *out)
{
    pj_buf_puts(out, SCHEME ";charset=utf-8,");
    if (pj_str_starts(svg, PJ_S("<?"))) // UTF-8 is what XML without a declaration is
        svg = pj_str_from(svg, pj_str_find(svg, '\n'));
    for (size_t i = 0; i < svg.len; i++) {
        char c = svg.at[i];
        if (c == '"')
            pj_buf_add_char(out, '\'');
        else if (c == '\'')
            pj_buf_puts(out, "%22");
        else if (c == '<' || c == '#' || c == '%' || c == '&')
            pj_buf_addf(out, "%%%02X", (unsigned)c);
        else if (c != '\n') // between tags only
            pj_buf_add_char(out, c);
    }
}

static unsigned digit(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0')
                                     : (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

static void add_decoded(pj_str text, pj_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        bool coded = text.at[i] == '%' && i + 2 < text.len &&
                     isxdigit((unsigned char)text.at[i + 1]) &&
                     isxdigit((unsigned char)text.at[i + 2]);
        if (!coded) {
            pj_buf_add_char(out, text.at[i]);
            continue;
        }
        pj_buf_add_char(out, (char)(digit(text.at[i + 1]) << 4 | digit(text.at[i + 2])));
        i += 2;
    }
}

bool pj_figure_uri_read(pj_str html, pj_buf *out)
{
    static const char start[] = "src=\"" SCHEME;
    const char *at = html.len ? memmem(html.at, html.len, start, strlen(start)) : NULL;
    if (!at)
        return false;
    pj_str rest = pj_str_from(html, (size_t)(at - html.at) + strlen(start));
    rest = pj_str_head(rest, pj_str_find(rest, '"'));
    size_t comma = pj_str_find(rest, ',');
    if (comma == rest.len)
        return false;
    pj_str kind = pj_str_head(rest, comma), text = pj_str_from(rest, comma + 1);
    if (pj_str_ends(kind, PJ_S(";base64")))
        return pj_base64_decode(out, text);
    add_decoded(text, out);
    return true;
}
