// Blocks line by line, then marks within a line.
#include "widgets/markdown_html.h"

#include "widgets/escape.h"

enum { DEEPEST = 6, MOST_COLUMNS = 64, FARTHEST = 2000 }; // marks look no farther for their ends

// Within a line

static bool is_among(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool is_word(pj_str s, size_t at)
{
    return at < s.len && (is_among(s.at[at] | 32, "abcdefghijklmnopqrstuvwxyz") ||
                          is_among(s.at[at], "0123456789"));
}

static void add_char(pj_buf *out, char c)
{
    pj_escape_html(out, (pj_str){&c, 1});
}

static size_t find(pj_str s, size_t from, pj_str mark)
{
    for (size_t at = from; at + mark.len <= s.len && at < from + FARTHEST; at++)
        if (s.at[at] == '\\')
            at++;
        else if (memcmp(s.at + at, mark.at, mark.len) == 0)
            return at;
    return s.len;
}

static pj_str part(pj_str s, size_t from, size_t to)
{
    return pj_str_head(pj_str_from(s, from), to - from);
}

static void add_marks(pj_buf *out, pj_str s, unsigned depth);

/// "&amp;" and its like stay; returns their length.
static size_t entity(pj_str s)
{
    size_t at = 1;
    while (at < s.len && at < 12 && (is_word(s, at) || s.at[at] == '#'))
        at++;
    return at > 1 && at < s.len && s.at[at] == ';' ? at + 1 : 0;
}

static size_t code(pj_buf *out, pj_str s)
{
    size_t ticks = 0;
    while (ticks < s.len && s.at[ticks] == '`')
        ticks++;
    for (size_t at = ticks; at + ticks <= s.len && at < FARTHEST; at++)
        if (memcmp(s.at + at, s.at, ticks) == 0) {
            pj_buf_puts(out, "<code>");
            pj_escape_html(out, pj_str_trim(part(s, ticks, at)));
            pj_buf_puts(out, "</code>");
            return at + ticks;
        }
    return 0;
}

/// Emphasis between equal marks; "a_b" is none, and neither is "2 * 3 * 4".
static size_t emphasis(pj_buf *out, pj_str s, bool in_word, unsigned depth)
{
    size_t width = s.len > 1 && s.at[1] == s.at[0] ? 2 : 1;
    pj_str mark = pj_str_head(s, width);
    if ((s.at[0] == '_' && in_word) || width >= s.len || s.at[width] == ' ')
        return 0;
    size_t end = find(s, width, mark);
    if (end == s.len || end == width || s.at[end - 1] == ' ' ||
        (s.at[0] == '_' && is_word(s, end + width)))
        return 0;
    pj_buf_puts(out, width == 2 ? "<strong>" : "<em>");
    add_marks(out, part(s, width, end), depth + 1);
    pj_buf_puts(out, width == 2 ? "</strong>" : "</em>");
    return end + width;
}

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

/// [text](target) and ![text](target); `s` begins with its bracket.
static size_t link_to(pj_buf *out, pj_str s, bool picture, unsigned depth)
{
    size_t end = find(s, 1, PJ_S("]"));
    if (end + 1 >= s.len || s.at[end + 1] != '(')
        return 0;
    bool inside = pj_str_starts(pj_str_from(s, end + 2), PJ_S("data:")); // may be long
    size_t close =
        inside ? end + pj_str_find(pj_str_from(s, end), ')') : find(s, end + 2, PJ_S(")"));
    pj_str target = pj_str_trim(part(s, end + 2, close)), text = part(s, 1, end);
    target = pj_str_head(target, pj_str_find(target, ' '));
    if (close == s.len || !is_safe(target))
        return 0;
    pj_buf_puts(out, picture ? "<img src=\"" : "<a href=\"");
    pj_escape_html(out, target);
    if (picture) {
        pj_buf_puts(out, "\" alt=\"");
        pj_escape_html(out, text);
        pj_buf_puts(out, "\">");
    } else {
        pj_buf_puts(out, "\">");
        add_marks(out, text, depth + 1);
        pj_buf_puts(out, "</a>");
    }
    return close + 1;
}

/// Length of what begins here with a mark, after it was written; 0 = an ordinary character.
static size_t add_mark(pj_buf *out, pj_str s, size_t at, unsigned depth)
{
    pj_str rest = pj_str_from(s, at);
    switch (rest.at[0]) {
    case '\\':
        if (rest.len < 2 || is_word(rest, 1) || rest.at[1] == ' ')
            return 0;
        add_char(out, rest.at[1]);
        return 2;
    case '&': {
        size_t len = entity(rest);
        pj_buf_add(out, pj_str_head(rest, len));
        return len;
    }
    case '`':
        return code(out, rest);
    case '*':
    case '_':
        return emphasis(out, rest, at > 0 && is_word(s, at - 1), depth);
    case '[':
        return link_to(out, rest, false, depth);
    case '!':
        if (rest.len > 1 && rest.at[1] == '[') {
            size_t len = link_to(out, pj_str_from(rest, 1), true, depth);
            return len ? len + 1 : 0;
        }
        return 0;
    default:
        return 0;
    }
}

static void add_marks(pj_buf *out, pj_str s, unsigned depth)
{
    for (size_t at = 0; at < s.len;) {
        size_t len = depth < DEEPEST ? add_mark(out, s, at, depth) : 0;
        if (!len)
            add_char(out, s.at[at]);
        at += len ? len : 1;
    }
}

void pj_markdown_html_line(pj_buf *out, pj_str line)
{
    add_marks(out, line, 0);
}

// Blocks

typedef struct blocks {
    pj_buf *out;
    pj_str rest;
    const char *anchor;
    unsigned *headings;
    pj_buf paragraph;
} blocks;

unsigned pj_markdown_heading(pj_str line, pj_str *text)
{
    unsigned level = 0;
    while (level < line.len && line.at[level] == '#')
        level++;
    if (!level || level > 6 || level >= line.len || line.at[level] != ' ')
        return 0;
    *text = pj_str_trim(pj_str_from(line, level));
    return level;
}

static void end_paragraph(blocks *b)
{
    pj_str text = pj_str_trim(pj_buf_str(&b->paragraph));
    if (text.len) {
        pj_buf_puts(b->out, "<p>");
        while (text.len) {
            pj_str line = pj_str_cut(&text, '\n');
            bool broken = pj_str_ends(line, PJ_S("  "));
            add_marks(b->out, pj_str_trim(line), 0);
            pj_buf_puts(b->out, !text.len ? "" : broken ? "<br>\n" : "\n");
        }
        pj_buf_puts(b->out, "</p>\n");
    }
    b->paragraph.len = 0;
}

static void add_heading(blocks *b, unsigned level, pj_str text)
{
    pj_buf_addf(b->out, "<h%u", level);
    if (b->anchor)
        pj_buf_addf(b->out, " id=\"%s%u\"", b->anchor, ++*b->headings);
    pj_buf_add_char(b->out, '>');
    add_marks(b->out, text, 0);
    pj_buf_addf(b->out, "</h%u>\n", level);
}

static void add_fence(blocks *b, pj_str mark)
{
    pj_buf_puts(b->out, "<pre>");
    while (b->rest.len) {
        pj_str line = pj_str_cut(&b->rest, '\n');
        if (pj_str_starts(pj_str_trim(line), mark))
            break;
        pj_escape_html(b->out, line);
        pj_buf_add_char(b->out, '\n');
    }
    pj_buf_puts(b->out, "</pre>\n");
}

/// What follows "- " or "1. "; `*ordered` tells which. Its indentation is the level.
static bool is_item(pj_str line, pj_str *text, bool *ordered)
{
    pj_str s = pj_str_trim(line);
    size_t digits = 0;
    while (digits < s.len && digits < 9 && is_among(s.at[digits], "0123456789"))
        digits++;
    *ordered = digits > 0;
    size_t mark = digits ? digits : 0;
    bool sign = mark < s.len && is_among(s.at[mark], digits ? ".)" : "-*+");
    if (!sign || mark + 1 >= s.len || s.at[mark + 1] != ' ')
        return false;
    *text = pj_str_trim(pj_str_from(s, mark + 1));
    return true;
}

static size_t indentation(pj_str line)
{
    size_t blanks = 0;
    while (blanks < line.len && line.at[blanks] == ' ')
        blanks++;
    return blanks;
}

/// Items until a line that is none and not indented.
static void add_list(blocks *b, pj_str line, unsigned depth)
{
    pj_str text = {0};
    bool ordered = false, other;
    size_t level = indentation(line);
    is_item(line, &text, &ordered);
    pj_buf_puts(b->out, ordered ? "<ol>\n<li>" : "<ul>\n<li>");
    add_marks(b->out, text, 0);
    while (b->rest.len) {
        pj_str before = b->rest, next = pj_str_cut(&b->rest, '\n');
        bool item = is_item(next, &text, &other);
        size_t in = indentation(next);
        if (!pj_str_trim(next).len || (item ? in < level : in <= level)) {
            b->rest = before;
            break;
        }
        if (item && in > level + 1 && depth < DEEPEST) {
            add_list(b, next, depth + 1);
        } else if (item) {
            pj_buf_puts(b->out, "</li>\n<li>");
            add_marks(b->out, text, 0);
        } else {
            pj_buf_add_char(b->out, ' ');
            add_marks(b->out, pj_str_trim(next), 0);
        }
    }
    pj_buf_puts(b->out, ordered ? "</li>\n</ol>\n" : "</li>\n</ul>\n");
}

/// The next cell of a table's line; a bar behind a backslash belongs to it.
static pj_str cut_cell(pj_str *line)
{
    size_t end = find(*line, 0, PJ_S("|"));
    pj_str cell = pj_str_trim(pj_str_head(*line, end));
    *line = pj_str_from(*line, end + 1);
    return cell;
}

static pj_str inner(pj_str line)
{
    line = pj_str_trim(line);
    if (line.len && line.at[0] == '|')
        line = pj_str_from(line, 1);
    bool closed =
        line.len && line.at[line.len - 1] == '|' && (line.len < 2 || line.at[line.len - 2] != '\\');
    return closed ? pj_str_head(line, line.len - 1) : line;
}

/// "|:---|---:|"
static bool is_rule(pj_str line)
{
    pj_str s = pj_str_trim(line);
    bool dash = false, bar = false;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_among(s.at[i], "|:- "))
            return false;
        dash |= s.at[i] == '-';
        bar |= s.at[i] == '|';
    }
    return dash && bar;
}

static void add_row(blocks *b, pj_str line, const char *tag, const bool *right)
{
    pj_str rest = inner(line);
    pj_buf_puts(b->out, "<tr>");
    for (size_t i = 0; i < MOST_COLUMNS && rest.len; i++) {
        pj_buf_addf(b->out, "<%s%s>", tag, right[i] ? " class=\"number\"" : "");
        add_marks(b->out, cut_cell(&rest), 0);
        pj_buf_addf(b->out, "</%s>", tag);
    }
    pj_buf_puts(b->out, "</tr>\n");
}

static void add_table(blocks *b, pj_str head)
{
    bool right[MOST_COLUMNS] = {false};
    pj_str rule = inner(pj_str_cut(&b->rest, '\n'));
    for (size_t i = 0; i < MOST_COLUMNS && rule.len; i++)
        right[i] = pj_str_ends(cut_cell(&rule), PJ_S(":"));
    pj_buf_puts(b->out, "<table>\n<thead>");
    add_row(b, head, "th", right);
    pj_buf_puts(b->out, "</thead>\n<tbody>\n");
    while (b->rest.len) {
        pj_str before = b->rest, line = pj_str_cut(&b->rest, '\n');
        if (pj_str_find(line, '|') == line.len) {
            b->rest = before;
            break;
        }
        add_row(b, line, "td", right);
    }
    pj_buf_puts(b->out, "</tbody></table>\n");
}

/// Skips to behind the end of a comment that begins in `line`.
static bool skip_comment(blocks *b, pj_str line)
{
    if (!pj_str_starts(pj_str_trim(line), PJ_S("<!--")))
        return false;
    while (!pj_str_contains(line, PJ_S("-->")) && b->rest.len)
        line = pj_str_cut(&b->rest, '\n');
    return true;
}

static bool add_block(blocks *b, pj_str line)
{
    pj_str text, next = b->rest, trimmed = pj_str_trim(line);
    bool ordered;
    unsigned level = pj_markdown_heading(line, &text);
    next = pj_str_head(next, pj_str_find(next, '\n'));
    bool fence = pj_str_starts(trimmed, PJ_S("```")) || pj_str_starts(trimmed, PJ_S("~~~"));
    bool table = pj_str_find(line, '|') < line.len && is_rule(next);
    bool item = is_item(line, &text, &ordered);
    bool rule = pj_str_equal(trimmed, PJ_S("---")) || pj_str_equal(trimmed, PJ_S("***"));
    bool list = item && (b->paragraph.len == 0 || !ordered);
    if (!level && !fence && !table && !list && !rule)
        return false;
    end_paragraph(b);
    if (level && pj_markdown_heading(line, &text))
        add_heading(b, level, text);
    else if (fence)
        add_fence(b, pj_str_head(trimmed, 3));
    else if (table)
        add_table(b, line);
    else if (rule)
        pj_buf_puts(b->out, "<hr>\n");
    else
        add_list(b, line, 0);
    return true;
}

void pj_markdown_html(pj_buf *out, pj_str markdown, const char *anchor, unsigned *headings)
{
    blocks b = {.out = out, .rest = markdown, .anchor = anchor, .headings = headings};
    while (b.rest.len) {
        pj_str line = pj_str_cut(&b.rest, '\n');
        if (!pj_str_trim(line).len) {
            end_paragraph(&b);
        } else if (!skip_comment(&b, line) && !add_block(&b, line)) {
            pj_buf_add(&b.paragraph, line);
            pj_buf_add_char(&b.paragraph, '\n');
        }
    }
    end_paragraph(&b);
    pj_buf_free(&b.paragraph);
}
