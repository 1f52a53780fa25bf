// Texts broken into lines of terminal columns.
// Columns are those of a terminal (utf8.h), not bytes.
#include "widgets/figure/textlines.h"

#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

enum { MOST_REASONS = 8 };

void pj_textlines_repeat(pj_buf *out, const char *text, size_t times)
{
    while (times-- > 0)
        pj_buf_puts(out, text);
}

void pj_textlines_elide(pj_buf *out, pj_str text, size_t columns)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean_line(&clean, text);
    pj_str rest = pj_buf_str(&clean);
    if (pj_utf8_columns(rest) <= columns) {
        pj_buf_add(out, rest);
        return;
    }
    size_t used = 0;
    while (rest.len) {
        pj_str one = rest;
        pj_utf8_next(&rest);
        one.len -= rest.len;
        used += pj_utf8_columns(one);
        if (used >= columns)
            break;
        pj_buf_add(out, one);
    }
    pj_buf_puts(out, "\u2026");
}

void pj_textlines_title(pj_buf *out, pj_str title, bool colour)
{
    pj_buf_puts(out, colour ? PJ_ANSI_BOLD : "");
    pj_utf8_clean_line(out, title);
    pj_buf_puts(out, colour ? PJ_ANSI_RESET "\n\n" : "\n\n");
}

void pj_textlines_wrap(pj_buf *out, const char *mark, pj_str text, size_t columns)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean_line(&clean, text);
    pj_str rest = pj_str_trim(pj_buf_str(&clean));
    size_t indent = pj_utf8_columns(pj_str_of(mark)), used = indent;
    pj_buf_puts(out, mark);
    for (bool first = true; rest.len; first = false) {
        pj_str word = pj_str_cut(&rest, ' ');
        size_t width = pj_utf8_columns(word);
        if (!first && used + 1 + width > columns) {
            pj_buf_add_char(out, '\n');
            pj_textlines_repeat(out, " ", indent);
            used = indent;
        } else if (!first) {
            pj_buf_add_char(out, ' ');
            used++;
        }
        pj_buf_add(out, word);
        used += width;
    }
    pj_buf_add_char(out, '\n');
}

void pj_reasons_add(pj_reasons *reasons, const char *reason)
{
    if (!reason || !*reason || reasons->count == MOST_REASONS)
        return;
    for (size_t i = 0; i < reasons->count; i++)
        if (strcmp(reasons->items[i], reason) == 0)
            return;
    if (!reasons->items)
        reasons->items = pj_new_n(reasons->arena, const char *, MOST_REASONS);
    reasons->items[reasons->count++] = reason;
}
