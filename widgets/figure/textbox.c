// Texts broken into lines of a given width.
// Widths come from the drawing module, so that what is laid out is what is drawn.
#include "widgets/figure/textbox.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/figure.h"

#include <math.h>

static double size_of(pj_style style)
{
    return style.size > 0 ? style.size : 12;
}

double pj_textbox_width(const pj_draw *draw, const char *text, pj_style style)
{
    return text ? draw->measure(text, size_of(style), style.bold).width : 0;
}

static size_t code_points(pj_str text)
{
    size_t count = 0;
    for (; text.len; count++)
        pj_utf8_next(&text);
    return count;
}

static pj_str skip(pj_str text, size_t count)
{
    while (count-- > 0 && text.len)
        pj_utf8_next(&text);
    return text;
}

/// `count` code points of `text` and an ellipsis, which stands at the end or in the middle.
static const char *cut(pj_arena *arena, const char *whole, size_t count, bool middle)
{
    pj_str text = pj_str_of(whole);
    size_t end = middle ? count / 2 : 0;
    pj_str head = pj_str_head(text, text.len - skip(text, count - end).len);
    pj_str tail = skip(text, code_points(text) - end);
    head = pj_str_trim(head);
    return pj_arena_format(arena, PJ_STR_FMT "\u2026" PJ_STR_FMT, PJ_STR_ARG(head),
                           PJ_STR_ARG(tail));
}

typedef struct fitting {
    const pj_draw *draw;
    pj_arena *arena;
    pj_style style;
    double width;
    bool middle;
} fitting;

static const char *fit(fitting f, const char *text)
{
    if (pj_textbox_width(f.draw, text, f.style) <= f.width)
        return text;
    size_t fits = 0, beyond = code_points(pj_str_of(text));
    while (beyond - fits > 1) {
        size_t count = (fits + beyond) / 2;
        const char *part = cut(f.arena, text, count, f.middle);
        if (pj_textbox_width(f.draw, part, f.style) <= f.width)
            fits = count;
        else
            beyond = count;
    }
    return cut(f.arena, text, fits, f.middle);
}

const char *pj_textbox_elide(const pj_draw *draw, pj_arena *arena, const char *text, pj_style style,
                             double width)
{
    return fit((fitting){draw, arena, style, width, false}, text);
}

const char *pj_textbox_squeeze(const pj_draw *draw, pj_arena *arena, const char *text,
                               pj_style style, double width)
{
    return fit((fitting){draw, arena, style, width, true}, text);
}

size_t pj_textbox_wrap(const pj_draw *draw, pj_arena *arena, const char *text, pj_style style,
                       double width, const char ***lines)
{
    pj_str rest = pj_str_trim(pj_str_of(text));
    size_t count = 0;
    *lines = pj_new_n(arena, const char *, rest.len + 1);
    pj_auto_buf line = {0};
    while (rest.len) {
        pj_str word = pj_str_cut(&rest, ' ');
        size_t before = line.len;
        pj_buf_puts(&line, before ? " " : "");
        pj_buf_add(&line, word);
        if (!before || pj_textbox_width(draw, line.at, style) <= width)
            continue;
        (*lines)[count++] = pj_arena_text(arena, (pj_str){line.at, before});
        line.len = 0;
        pj_buf_add(&line, word);
    }
    if (line.len)
        (*lines)[count++] = pj_arena_text(arena, pj_buf_str(&line));
    return count;
}

pj_mark *pj_textbox_put(pj_figure *figure, double x, double y, const char *text, pj_style style)
{
    return pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_TEXT,
                                           .x = x,
                                           .y = y,
                                           .text = text,
                                           .size = size_of(style),
                                           .bold = style.bold,
                                           .italic = style.italic,
                                           .fill = style.colour ? style.colour : PJ_INK,
                                           .anchor = style.anchor,
                                           .angle = style.angle,
                                           .stroke = style.halo ? figure->background : PJ_NONE,
                                           .stroke_width = style.halo ? 2.5 : 0});
}

/// Puts what is beyond `most` lines into the last one; returns the number of lines.
static size_t merge_lines(pj_arena *arena, const char **lines, size_t count, size_t most)
{
    for (size_t i = most; i < count; i++)
        lines[most - 1] = pj_arena_format(arena, "%s %s", lines[most - 1], lines[i]);
    return count < most ? count : most;
}

double pj_textbox_heading(pj_figure *figure, const pj_draw *draw, pj_point at, double width,
                          const char *text, pj_style style)
{
    enum { LINES = 3 };
    const char **lines;
    double step = size_of(style) + PJ_TEXTBOX_LEADING;
    size_t count = pj_textbox_wrap(draw, figure->arena, text, style, width, &lines);
    count = merge_lines(figure->arena, lines, count, LINES);
    for (size_t i = 0; i < count; i++, at.y += step) {
        const char *line = pj_textbox_elide(draw, figure->arena, lines[i], style, width);
        pj_textbox_put(figure, at.x, at.y, line, style);
        if (line != lines[i])
            pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_RECT,
                                            .x = at.x,
                                            .y = at.y - size_of(style),
                                            .w = width,
                                            .h = step,
                                            .hover = text});
    }
    return at.y;
}

double pj_textbox_title(pj_figure *figure, const pj_draw *draw, double margin, const char *text)
{
    static const double baseline = 13, gap = 11;
    double step = pj_textbox_title_style.size + PJ_TEXTBOX_LEADING;
    double first = margin + baseline;
    double next = pj_textbox_heading(figure, draw, (pj_point){margin, first},
                                     figure->width - 2 * margin, text, pj_textbox_title_style);
    return fmax(next - step, first) + gap;
}

double pj_textbox_paragraph(pj_figure *figure, const pj_draw *draw, pj_point at, double width,
                            const char *text)
{
    const char **lines;
    size_t count = pj_textbox_wrap(draw, figure->arena, text, pj_textbox_note, width, &lines);
    for (size_t i = 0; i < count; i++, at.y += PJ_TEXTBOX_LINE)
        pj_textbox_put(figure, at.x, at.y, lines[i], pj_textbox_note);
    return at.y;
}
