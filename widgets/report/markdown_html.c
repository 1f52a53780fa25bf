// What md4c finds, written as HTML.
#include "widgets/report/markdown_html.h"

#include "metrics/base/str.h"
#include "widgets/figure/escape.h"

#include <md4c.h>
#include <string.h>

typedef struct writer {
    pj_buf *out;
    const char *anchor;
    unsigned *headings;
    pj_markdown_found *found; // NULL = the whole text is wanted
    void *user;
    pj_buf raw;                     // of a block of raw HTML
    unsigned pictures, dead;        // pictures that are open; links that are open and lead nowhere
    bool verbatim, in_raw, comment; // inside code, a block of raw HTML, a comment in a line
} writer;

// Links

/// A place that a page may lead to: no script.
static bool is_safe(pj_str url)
{
    static const pj_str schemes[] = {
        {"http://", 7}, {"https://", 8}, {"mailto:", 7}, {"#", 1}, {"data:image/", 11}};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (pj_str_starts(url, schemes[i]))
            return true;
    return pj_str_find(url, ':') == url.len;
}

static pj_str url_of(const MD_ATTRIBUTE *attribute)
{
    return (pj_str){attribute->text, attribute->size};
}

/// Entities stay text, apart from the one that every page writes for "&".
static void add_url(pj_buf *out, const MD_ATTRIBUTE *url)
{
    for (size_t i = 0; url->size && url->substr_offsets[i] < url->size; i++) {
        MD_OFFSET from = url->substr_offsets[i], to = url->substr_offsets[i + 1];
        pj_str part = {url->text + from, to - from};
        pj_escape_html(out, pj_str_equal(part, PJ_S("&amp;")) ? PJ_S("&") : part);
    }
}

static void open_link(writer *w, const MD_SPAN_A_DETAIL *link)
{
    if (w->dead || w->found || !is_safe(url_of(&link->href))) {
        w->dead++;
        return;
    }
    pj_buf_puts(w->out, "<a href=\"");
    add_url(w->out, &link->href);
    pj_buf_puts(w->out, "\">");
}

static void close_link(writer *w)
{
    if (w->dead)
        w->dead--;
    else
        pj_buf_puts(w->out, "</a>");
}

static void open_picture(writer *w, const MD_SPAN_IMG_DETAIL *picture)
{
    if (w->pictures++)
        return;
    pj_buf_puts(w->out, "<img src=\"");
    if (is_safe(url_of(&picture->src)))
        add_url(w->out, &picture->src);
    pj_buf_puts(w->out, "\" alt=\"");
}

static void close_picture(writer *w)
{
    if (--w->pictures == 0)
        pj_buf_puts(w->out, "\">");
}

// Blocks

static void open_heading(writer *w, unsigned level)
{
    if (w->found) {
        w->out->len = 0;
        return;
    }
    pj_buf_addf(w->out, "<h%u", level);
    if (w->anchor)
        pj_buf_addf(w->out, " id=\"%s%u\"", w->anchor, ++*w->headings);
    pj_buf_add_char(w->out, '>');
}

static void close_heading(writer *w, unsigned level)
{
    if (w->found)
        w->found(w->user, level, pj_buf_str(w->out));
    else
        pj_buf_addf(w->out, "</h%u>\n", level);
}

static void open_list(writer *w, const MD_BLOCK_OL_DETAIL *list)
{
    if (list->start == 1)
        pj_buf_puts(w->out, "<ol>\n");
    else
        pj_buf_addf(w->out, "<ol start=\"%u\">\n", list->start);
}

static void open_cell(writer *w, const char *tag, const MD_BLOCK_TD_DETAIL *cell)
{
    pj_buf_addf(w->out, "<%s%s>", tag, cell->align == MD_ALIGN_RIGHT ? " class=\"number\"" : "");
}

/// Index of the first `part`, or the end.
static size_t search(pj_str s, pj_str part)
{
    const char *found = memmem(s.at, s.len, part.at, part.len);
    return found ? (size_t)(found - s.at) : s.len;
}

/// Raw HTML without its comments, as text.
static void close_raw(writer *w)
{
    pj_auto_buf text = {0};
    pj_str rest = pj_buf_str(&w->raw);
    while (rest.len) {
        size_t comment = search(rest, PJ_S("<!--"));
        pj_buf_add(&text, pj_str_head(rest, comment));
        rest = pj_str_from(rest, comment);
        rest = pj_str_from(rest, search(rest, PJ_S("-->")) + 3);
    }
    pj_str shown = pj_str_trim(pj_buf_str(&text));
    if (shown.len) {
        pj_buf_puts(w->out, "<p>");
        pj_escape_html(w->out, shown);
        pj_buf_puts(w->out, "</p>\n");
    }
    w->raw.len = 0;
}

static int open_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    static const char *const tags[] = {[MD_BLOCK_QUOTE] = "<blockquote>\n",
                                       [MD_BLOCK_UL] = "<ul>\n",
                                       [MD_BLOCK_LI] = "<li>",
                                       [MD_BLOCK_HR] = "<hr>\n",
                                       [MD_BLOCK_CODE] = "<pre>",
                                       [MD_BLOCK_P] = "<p>",
                                       [MD_BLOCK_TABLE] = "<table>\n",
                                       [MD_BLOCK_THEAD] = "<thead>",
                                       [MD_BLOCK_TR] = "<tr>",
                                       [MD_BLOCK_TBODY] = "<tbody>\n",
                                       [MD_BLOCK_TD] = NULL};
    writer *w = user;
    w->verbatim = type == MD_BLOCK_CODE;
    w->in_raw = type == MD_BLOCK_HTML;
    if (type == MD_BLOCK_H)
        open_heading(w, ((MD_BLOCK_H_DETAIL *)detail)->level);
    else if (type == MD_BLOCK_OL)
        open_list(w, detail);
    else if (type == MD_BLOCK_TH || type == MD_BLOCK_TD)
        open_cell(w, type == MD_BLOCK_TH ? "th" : "td", detail);
    else if (tags[type])
        pj_buf_puts(w->out, tags[type]);
    return 0;
}

static int close_block(MD_BLOCKTYPE type, void *detail, void *user)
{
    static const char *const tags[] = {[MD_BLOCK_QUOTE] = "</blockquote>\n",
                                       [MD_BLOCK_UL] = "</ul>\n",
                                       [MD_BLOCK_OL] = "</ol>\n",
                                       [MD_BLOCK_LI] = "</li>\n",
                                       [MD_BLOCK_CODE] = "</pre>\n",
                                       [MD_BLOCK_P] = "</p>\n",
                                       [MD_BLOCK_TABLE] = "</table>\n",
                                       [MD_BLOCK_THEAD] = "</thead>\n",
                                       [MD_BLOCK_TBODY] = "</tbody>",
                                       [MD_BLOCK_TR] = "</tr>\n",
                                       [MD_BLOCK_TH] = "</th>",
                                       [MD_BLOCK_TD] = "</td>"};
    writer *w = user;
    w->verbatim = w->in_raw = false;
    if (type == MD_BLOCK_H)
        close_heading(w, ((MD_BLOCK_H_DETAIL *)detail)->level);
    else if (type == MD_BLOCK_HTML)
        close_raw(w);
    else if (tags[type])
        pj_buf_puts(w->out, tags[type]);
    return 0;
}

// Within a block

static const char *const span_tags[] = {[MD_SPAN_EM] = "em>",
                                        [MD_SPAN_STRONG] = "strong>",
                                        [MD_SPAN_CODE] = "code>",
                                        [MD_SPAN_DEL] = "del>",
                                        [MD_SPAN_U] = NULL};

static void add_span(writer *w, const char *begin, MD_SPANTYPE type)
{
    if (type == MD_SPAN_LATEXMATH)
        pj_buf_puts(w->out, "$");
    else if (type == MD_SPAN_LATEXMATH_DISPLAY)
        pj_buf_puts(w->out, "$$");
    else if (span_tags[type] && !w->pictures) // a picture's text is an attribute
        pj_buf_addf(w->out, "%s%s", begin, span_tags[type]);
}

static int open_span(MD_SPANTYPE type, void *detail, void *user)
{
    if (type == MD_SPAN_A)
        open_link(user, detail);
    else if (type == MD_SPAN_IMG)
        open_picture(user, detail);
    else
        add_span(user, "<", type);
    return 0;
}

static int close_span(MD_SPANTYPE type, void *detail, void *user)
{
    (void)detail;
    if (type == MD_SPAN_A)
        close_link(user);
    else if (type == MD_SPAN_IMG)
        close_picture(user);
    else
        add_span(user, "</", type);
    return 0;
}

/// Raw HTML within a line comes in pieces, a line each.
static void add_inline_raw(writer *w, pj_str text)
{
    w->comment = w->comment || pj_str_starts(text, PJ_S("<!--"));
    if (!w->comment)
        pj_escape_html(w->out, text);
    w->comment = w->comment && !pj_str_ends(text, PJ_S("-->"));
}

static int add_text(MD_TEXTTYPE type, const MD_CHAR *at, MD_SIZE size, void *user)
{
    writer *w = user;
    pj_str text = {at, size};
    bool line_end = w->verbatim && pj_str_equal(text, PJ_S("\n"));
    if (type == MD_TEXT_HTML && w->in_raw)
        pj_buf_add(&w->raw, text);
    else if (type == MD_TEXT_HTML)
        add_inline_raw(w, text);
    else if (type == MD_TEXT_ENTITY || line_end)
        pj_buf_add(w->out, text);
    else if (type == MD_TEXT_NULLCHAR)
        pj_buf_puts(w->out, "\xef\xbf\xbd");
    else if (type == MD_TEXT_BR && !w->pictures)
        pj_buf_puts(w->out, "<br>\n");
    else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
        pj_buf_puts(w->out, "\n");
    else
        pj_escape_html(w->out, text);
    return 0;
}

static void write_all(writer *w, pj_str markdown)
{
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_LATEXMATHSPANS |
                 MD_FLAG_PERMISSIVEURLAUTOLINKS,
        .enter_block = open_block,
        .leave_block = close_block,
        .enter_span = open_span,
        .leave_span = close_span,
        .text = add_text,
    };
    if (markdown.len)
        md_parse(markdown.at, (MD_SIZE)markdown.len, &parser, w);
    pj_buf_free(&w->raw);
}

void pj_markdown_html(pj_buf *out, pj_str markdown, const char *anchor, unsigned *headings)
{
    write_all(&(writer){.out = out, .anchor = anchor, .headings = headings}, markdown);
}

void pj_markdown_headings(pj_str markdown, pj_markdown_found *found, void *user)
{
    pj_auto_buf text = {0};
    write_all(&(writer){.out = &text, .found = found, .user = user}, markdown);
}
