// Text in HTML, XML, LaTeX and Markdown.
// One table of replacements per format.
#include "widgets/figure/escape.h"

#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

#include <string.h>

typedef struct replacement {
    const char *from, *to;
} replacement;

static const replacement *found_at(const char *at, const replacement *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*at == *rows[i].from && strncmp(at, rows[i].from, strlen(rows[i].from)) == 0)
            return &rows[i];
    return NULL;
}

static void replace(pj_buf *out, pj_str text, const replacement *rows, size_t count)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean_text(&clean, text);
    for (size_t i = 0; i < clean.len; i++) {
        const replacement *row = found_at(clean.at + i, rows, count);
        if (row)
            pj_buf_puts(out, row->to);
        else
            pj_buf_add_char(out, clean.at[i]);
        i += row ? strlen(row->from) - 1 : 0;
    }
}

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

void pj_escape_html(pj_buf *out, pj_str text)
{
    static const replacement rows[] = {{"&", "&amp;"},   {"<", "&lt;"},  {">", "&gt;"},
                                       {"\"", "&quot;"}, {"'", "&#39;"}, {"\n", "&#10;"},
                                       {"\t", " "}};
    replace(out, text, rows, COUNT_OF(rows));
}

void pj_escape_sentence(pj_buf *out, pj_str text)
{
    pj_auto_buf apart = {0};
    pj_utf8_apart(&apart, text);
    pj_escape_html(out, pj_buf_str(&apart));
}

void pj_escape_tex(pj_buf *out, pj_str text)
{
    static const replacement rows[] = {{"\\", "\\textbackslash{}"},
                                       {"{", "\\{"},
                                       {"}", "\\}"},
                                       {"$", "\\$"},
                                       {"&", "\\&"},
                                       {"#", "\\#"},
                                       {"%", "\\%"},
                                       {"_", "\\_"},
                                       {"^", "\\textasciicircum{}"},
                                       {"~", "\\textasciitilde{}"},
                                       {"<", "\\textless{}"},
                                       {">", "\\textgreater{}"},
                                       {"|", "\\textbar{}"},
                                       {"\"", "\\textquotedbl{}"},
                                       {"'", "\\textquotesingle{}"},
                                       {"`", "\\textasciigrave{}"},
                                       {"-", "{-}"},
                                       {"[", "{[}"},
                                       {"]", "{]}"},
                                       {"*", "{*}"},
                                       {"\n", " "},
                                       {"\t", " "}};
    replace(out, text, rows, COUNT_OF(rows));
}

void pj_escape_md(pj_buf *out, pj_str text)
{
    static const replacement rows[] = {
        {"|", "\\|"}, {"\\", "\\\\"}, {"*", "\\*"},  {"_", "\\_"},  {"`", "\\`"},
        {"[", "\\["}, {"]", "\\]"},   {"<", "&lt;"}, {">", "&gt;"}, {"&", "&amp;"},
        {"$", "\\$"}, {"~", "\\~"},   {"\n", " "},   {"\t", " "},   {"--", "\\-\\-"}};
    replace(out, text, rows, COUNT_OF(rows));
}

void pj_escape_csv(pj_buf *out, pj_str text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean_text(&clean, text);
    bool formula = clean.len && strchr("=+-@\t", clean.at[0]);
    bool quoted = clean.len && (clean.at[0] == ' ' || clean.at[clean.len - 1] == ' ');
    for (size_t i = 0; !quoted && i < clean.len; i++)
        quoted = strchr(",\"\n", clean.at[i]) != NULL;
    if (quoted)
        pj_buf_add_char(out, '"');
    if (formula)
        pj_buf_add_char(out, '\'');
    for (size_t i = 0; i < clean.len; i++) {
        if (clean.at[i] == '"')
            pj_buf_add_char(out, '"');
        pj_buf_add_char(out, clean.at[i]);
    }
    if (quoted)
        pj_buf_add_char(out, '"');
}
