// A report as one HTML page.
// Metadata is that of report_notebook.c; what front ends and nbconvert's templates call hidden is
// hidden here too.
#include "widgets/report/report_page.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/figure/escape.h"
#include "widgets/report/markdown_html.h"

typedef struct page {
    const json_t *cells, *facts; // metadata.popinjay.report
    pj_buf *out;
    unsigned tables, figures, headings;
} page;

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const json_t *own_of(const json_t *cell)
{
    return json_object_get(json_object_get(cell, "metadata"), "popinjay");
}

/// nbformat has texts whole or as a list of lines.
static void add_text(pj_buf *out, const json_t *text)
{
    size_t i;
    json_t *line;
    if (json_is_string(text))
        pj_buf_add(out, (pj_str){json_string_value(text), json_string_length(text)});
    json_array_foreach(text, i, line) if (json_is_string(line))
        pj_buf_add(out, (pj_str){json_string_value(line), json_string_length(line)});
}

static bool has_tag(const json_t *cell, const char *a, const char *b)
{
    size_t i;
    json_t *tag;
    json_array_foreach(json_object_get(json_object_get(cell, "metadata"), "tags"), i, tag)
    {
        const char *text = json_string_value(tag);
        if (text && (strcmp(text, a) == 0 || strcmp(text, b) == 0))
            return true;
    }
    return false;
}

static bool is_of(const json_t *cell, const char *type)
{
    return strcmp(text_at(cell, "cell_type"), type) == 0;
}

static bool is_left_out(const json_t *cell)
{
    return has_tag(cell, "remove-cell", "hide-cell") || has_tag(cell, "remove_cell", "hide_cell");
}

static bool hides_outputs(const json_t *cell)
{
    const json_t *metadata = json_object_get(cell, "metadata");
    return json_is_true(json_object_get(metadata, "collapsed")) ||
           json_is_true(json_object_get(json_object_get(metadata, "jupyter"), "outputs_hidden")) ||
           has_tag(cell, "remove-output", "hide-output") ||
           has_tag(cell, "remove_output", "hide_output");
}

// Outputs

/// A MIME type's text, or "" with no bytes.
static pj_str data_at(const json_t *output, const char *mime, pj_buf *scratch)
{
    scratch->len = 0;
    add_text(scratch, json_object_get(json_object_get(output, "data"), mime));
    return pj_buf_str(scratch);
}

static void add_numbers(page *p, const json_t *output)
{
    const json_t *metadata = json_object_get(json_object_get(output, "metadata"), "image/svg+xml");
    const char *numbers = text_at(metadata, "numbers");
    if (*numbers)
        pj_buf_addf(p->out, "<details><summary>Numbers</summary>\n%s</details>\n", numbers);
}

static bool add_picture(page *p, const json_t *output)
{
    static const char *const mimes[] = {"image/png", "image/jpeg"};
    pj_auto_buf text = {0};
    for (size_t i = 0; i < sizeof mimes / sizeof *mimes; i++) {
        pj_str bytes = data_at(output, mimes[i], &text);
        if (!bytes.len)
            continue;
        pj_buf_addf(p->out, "<div class=\"output\"><img alt=\"\" src=\"data:%s;base64,", mimes[i]);
        pj_escape_html(p->out, bytes);
        pj_buf_puts(p->out, "\"></div>\n");
        return true;
    }
    return false;
}

static void add_data(page *p, const json_t *output)
{
    pj_auto_buf text = {0};
    if (data_at(output, "image/svg+xml", &text).len) {
        pj_buf_addf(p->out, "<div class=\"output picture\">%s</div>\n", text.at);
        add_numbers(p, output);
    } else if (data_at(output, "text/html", &text).len) {
        pj_buf_addf(p->out, "<div class=\"output\">%s</div>\n", text.at);
    } else if (data_at(output, "text/markdown", &text).len) {
        pj_buf_puts(p->out, "<div class=\"prose\">\n");
        pj_markdown_html(p->out, pj_buf_str(&text), "part", &p->headings);
        pj_buf_puts(p->out, "</div>\n");
    } else if (!add_picture(p, output) && data_at(output, "text/plain", &text).len) {
        pj_buf_puts(p->out, "<pre>");
        pj_escape_html(p->out, pj_buf_str(&text));
        pj_buf_puts(p->out, "</pre>\n");
    }
}

/// A caption belongs to a table when its label or its LaTeX says so.
static bool is_table(const json_t *cell)
{
    return pj_str_starts(pj_str_of(text_at(own_of(cell), "label")), PJ_S("tab:"));
}

static void add_caption(page *p, const char *kind, unsigned number, const char *caption)
{
    pj_buf_addf(p->out, "<figcaption><b>%s %u</b>&ensp;", kind, number);
    pj_escape_html(p->out, pj_str_of(caption));
    pj_buf_puts(p->out, "</figcaption>\n");
}

static void add_captioned(page *p, const json_t *cell, const json_t *output)
{
    const char *caption = text_at(own_of(cell), "caption"), *label = text_at(own_of(cell), "label");
    bool table = is_table(cell);
    pj_buf_puts(p->out, "<figure");
    if (*label) {
        pj_buf_puts(p->out, " id=\"");
        pj_escape_html(p->out, pj_str_of(label));
        pj_buf_add_char(p->out, '"');
    }
    pj_buf_puts(p->out, ">\n");
    if (table)
        add_caption(p, "Table", ++p->tables, caption);
    add_data(p, output);
    if (!table)
        add_caption(p, "Figure", ++p->figures, caption);
    pj_buf_puts(p->out, "</figure>\n");
}

static void add_pre(page *p, const json_t *text)
{
    pj_auto_buf all = {0};
    add_text(&all, text);
    pj_buf_puts(p->out, "<pre>");
    pj_escape_html(p->out, pj_buf_str(&all));
    pj_buf_puts(p->out, "</pre>\n");
}

static void add_output(page *p, const json_t *cell, const json_t *output)
{
    const char *type = text_at(output, "output_type");
    if (strcmp(type, "stream") == 0) {
        if (strcmp(text_at(output, "name"), "stdout") == 0)
            add_pre(p, json_object_get(output, "text"));
    } else if (strcmp(type, "error") == 0) {
        add_pre(p, json_object_get(output, "evalue"));
    } else if (*text_at(own_of(cell), "caption")) {
        add_captioned(p, cell, output);
    } else {
        add_data(p, output);
    }
}

/// From words to the tables and figures that follow them, up to the next heading.
static void add_references(page *p, size_t from)
{
    unsigned tables = p->tables, figures = p->figures;
    for (size_t i = from; i < json_array_size(p->cells); i++) {
        const json_t *cell = json_array_get(p->cells, i);
        const char *label = text_at(own_of(cell), "label");
        if (is_of(cell, "markdown"))
            break;
        if (!*text_at(own_of(cell), "caption") || !*label ||
            !json_array_size(json_object_get(cell, "outputs")))
            continue;
        bool table = is_table(cell);
        bool first = tables == p->tables && figures == p->figures;
        pj_buf_puts(p->out, first ? "<p class=\"see\">" : ", ");
        pj_buf_puts(p->out, "<a href=\"#");
        pj_escape_html(p->out, pj_str_of(label));
        pj_buf_addf(p->out, "\">%s %u</a>", table ? "Table" : "Figure",
                    table ? ++tables : ++figures);
    }
    if (tables != p->tables || figures != p->figures)
        pj_buf_puts(p->out, "</p>\n");
}

static bool has_words(const json_t *cell)
{
    const json_t *output = json_array_get(json_object_get(cell, "outputs"), 0);
    return json_object_get(json_object_get(output, "data"), "text/markdown") != NULL;
}

static void add_code_cell(page *p, const json_t *cell, size_t index)
{
    size_t i;
    json_t *output;
    if (json_is_true(json_object_get(p->facts, "code")) ||
        has_tag(cell, "show-input", "show_input"))
        add_pre(p, json_object_get(cell, "source"));
    if (hides_outputs(cell))
        return;
    json_array_foreach(json_object_get(cell, "outputs"), i, output) add_output(p, cell, output);
    if (has_words(cell))
        add_references(p, index + 1);
}

static void add_cell(page *p, const json_t *cell, size_t index)
{
    pj_auto_buf text = {0};
    if (is_left_out(cell) || strcmp(text_at(own_of(cell), "part"), "title") == 0)
        return;
    if (is_of(cell, "code")) {
        add_code_cell(p, cell, index);
        return;
    }
    if (!is_of(cell, "markdown"))
        return;
    add_text(&text, json_object_get(cell, "source"));
    pj_buf_puts(p->out, "<section class=\"prose\">\n");
    pj_markdown_html(p->out, pj_buf_str(&text), "part", &p->headings);
    pj_buf_puts(p->out, "</section>\n");
}

// The page around them

static void add_fact(page *p, const char *name, const char *key)
{
    const char *text = text_at(p->facts, key);
    if (!*text)
        return;
    pj_buf_addf(p->out, "<dt>%s</dt><dd>", name);
    pj_escape_html(p->out, pj_str_of(text));
    pj_buf_puts(p->out, "</dd>");
}

typedef struct contents {
    pj_buf *out;
    unsigned headings; // counted as in the text
    bool shown;
} contents;

static void add_entry(void *user, unsigned level, pj_str html)
{
    contents *c = user;
    c->headings++;
    if (!c->shown || level > 3)
        return;
    pj_buf_addf(c->out, "<li%s><a href=\"#part%u\">", level == 3 ? " class=\"sub\"" : "",
                c->headings);
    pj_buf_add(c->out, html);
    pj_buf_puts(c->out, "</a></li>\n");
}

static void add_contents(page *p)
{
    size_t i, k;
    json_t *cell, *output;
    contents c = {.out = p->out};
    pj_buf_puts(p->out, "<nav aria-label=\"Contents\"><ol>\n");
    json_array_foreach(p->cells, i, cell)
    {
        pj_auto_buf text = {0};
        if (is_left_out(cell) || strcmp(text_at(own_of(cell), "part"), "title") == 0)
            continue;
        if (is_of(cell, "markdown")) {
            add_text(&text, json_object_get(cell, "source"));
            c.shown = true;
            pj_markdown_headings(pj_buf_str(&text), add_entry, &c);
        }
        if (!is_of(cell, "code") || hides_outputs(cell))
            continue;
        c.shown = false;
        json_array_foreach(json_object_get(cell, "outputs"), k,
                           output) if (!*text_at(own_of(cell), "caption"))
            pj_markdown_headings(data_at(output, "text/markdown", &text), add_entry, &c);
    }
    pj_buf_puts(p->out, "</ol></nav>\n");
}

static void add_head(page *p, const char *title, const pj_report_page_parts *parts)
{
    pj_buf_puts(p->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<meta name=\"generator\" content=\"popinjay\">\n<title>");
    pj_escape_html(p->out, pj_str_of(title));
    pj_buf_puts(p->out, "</title>\n<style>\n");
    pj_buf_add(p->out, parts->style);
    pj_buf_puts(p->out, "</style>\n</head>\n<body>\n<header>\n<div class=\"brand\">");
    pj_buf_add(p->out, parts->logo);
    pj_buf_puts(p->out, "<div><b>popinjay</b>POP performance assessment</div></div>\n<h1>");
    pj_escape_html(p->out, pj_str_of(title));
    pj_buf_puts(p->out, "</h1>\n<dl>");
    add_fact(p, "Application", "application");
    add_fact(p, "Report", "id");
    add_fact(p, "Author", "author");
    add_fact(p, "Contributors", "contributors");
    add_fact(p, "Date", "date");
    pj_buf_puts(p->out, "</dl>\n");
}

void pj_report_page(const json_t *notebook, const pj_report_page_parts *parts, pj_buf *out)
{
    const json_t *metadata = json_object_get(notebook, "metadata");
    page p = {.cells = json_object_get(notebook, "cells"),
              .facts = json_object_get(json_object_get(metadata, "popinjay"), "report"),
              .out = out};
    const char *title = text_at(p.facts, "title");
    if (!*title)
        title = text_at(metadata, "title");
    add_head(&p, *title ? title : "Report", parts);
    add_contents(&p);
    pj_buf_puts(out, "</header>\n<main>\n");
    size_t i;
    json_t *cell;
    json_array_foreach(p.cells, i, cell) add_cell(&p, cell, i);
    pj_buf_puts(out, "</main>\n<footer>Made with popinjay</footer>\n<script>\n");
    pj_buf_add(out, parts->script);
    pj_buf_puts(out, "</script>\n</body>\n</html>\n");
}
