// The efficiency table as marks: hierarchy by indentation, one coloured cell per value.
#include "widgets/table/table_figure.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/run/run.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textbox.h"
#include "widgets/table/metrics_grid.h"

#include <math.h>

static const double margin = 18, row_height = 25, cell_gap = 2, indent = 16;
static const double header_height = 24, legend_height = 30, least_cell = 54, most_label = 190;
static const double scale_width = 150, swatch_width = 110, group_gap = 6;
static const char warning_mark[] = "\u25b2";
static const pj_colour warning_colour = 0xb45309ff;

typedef struct sheet {
    pj_figure *figure;
    const pj_grid *grid;
    const pj_draw *draw;
    pj_arena *arena; // the figure's
    pj_palette palette;
    double left;  // of the first column of values
    double cell;  // width of a column, with its gap
    double label; // height of the header row: labels turn when they are long
    bool turned;
    double y; // where the next part begins
} sheet;

static const pj_style cell_style = {.anchor = PJ_ANCHOR_MIDDLE};
static const pj_style head_style = {.bold = true, .anchor = PJ_ANCHOR_MIDDLE};

static pj_style row_style(const pj_grid_row *row)
{
    return (pj_style){.bold = row->depth == 0,
                      .italic = row->residual,
                      .colour = row->residual ? PJ_MUTED : PJ_INK};
}

/// px before the title of a row: top rows that stand alone need none.
static double indent_of(const pj_grid_row *row)
{
    return indent * row->depth;
}

static double x_of(const sheet *s, size_t column)
{
    size_t group =
        column < s->grid->column_count ? s->grid->columns[column].group : s->grid->group_count - 1;
    return s->left + (double)column * s->cell + (double)group * group_gap;
}

static double centre_of(const sheet *s, size_t column)
{
    return x_of(s, column) + (s->cell - cell_gap) / 2;
}

static void measure(sheet *s)
{
    const pj_grid *grid = s->grid;
    double titles = pj_textbox_width(s->draw, grid->label_title, head_style);
    titles = fmax(titles, pj_textbox_width(s->draw, grid->group_title, head_style));
    for (size_t row = 0; row < grid->row_count; row++)
        titles = fmax(titles,
                      indent_of(&grid->rows[row]) + pj_textbox_width(s->draw, grid->rows[row].title,
                                                                     row_style(&grid->rows[row])));
    s->left = margin + fmin(titles, 340) + 20;
    double widest = 0, value = 0;
    for (size_t i = 0; i < grid->column_count; i++) {
        widest = fmax(widest, pj_textbox_width(s->draw, grid->columns[i].label, head_style));
        for (size_t row = 0; row < grid->row_count; row++)
            value = fmax(value, (double)strlen(pj_grid_at(grid, row, i)->text));
    }
    double cell = fmax(least_cell, 7.6 * value + 12);
    s->turned = widest > fmax(cell, 84) && grid->column_count > 6;
    widest = fmin(widest, most_label);
    s->cell = (s->turned ? cell : fmax(cell, widest + 14)) + cell_gap;
    s->label = s->turned ? widest + 14 : header_height;
}

static double right_of(const sheet *s)
{
    return x_of(s, s->grid->column_count) - cell_gap;
}

/// Height of everything under the rows, by laying it out on a figure that is thrown away.
/// With the urgent ones, which stand above the table.
static double notes_height(const sheet *s, double width)
{
    const pj_metrics *metrics = s->grid->metrics;
    const char **lines;
    size_t count = metrics->note ? pj_textbox_wrap(s->draw, s->arena, metrics->note,
                                                   pj_textbox_note, width, &lines)
                                 : 0;
    for (size_t i = 0; i < s->grid->reason_count; i++)
        count += pj_textbox_wrap(s->draw, s->arena, s->grid->reasons[i], pj_textbox_note,
                                 width - 30, &lines);
    for (size_t i = 0; i < metrics->remark_count; i++)
        count += pj_textbox_wrap(s->draw, s->arena, metrics->remarks[i].text, pj_textbox_note,
                                 width - 14, &lines);
    return (double)count * PJ_TEXTBOX_LINE;
}

static void add_hover(sheet *s, double x, double y, pj_extent size, const char *text)
{
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                       .x = x,
                                       .y = y,
                                       .w = size.width,
                                       .h = size.height,
                                       .hover = text});
}

// ---- header

static void add_groups(sheet *s)
{
    const pj_grid *grid = s->grid;
    pj_style muted = {.size = 12, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_END};
    pj_textbox_put(s->figure, s->left - 14, s->y + 15, grid->group_title, muted);
    for (size_t i = 0; i < grid->column_count;) {
        size_t first = i, group = grid->columns[i].group;
        while (i < grid->column_count && grid->columns[i].group == group)
            i++;
        double x0 = x_of(s, first), x1 = x_of(s, i - 1) + s->cell - cell_gap;
        const char *name = *grid->groups[group] ? grid->groups[group] : "(none)";
        pj_textbox_put(s->figure, (x0 + x1) / 2, s->y + 15,
                       pj_textbox_elide(s->draw, s->arena, name, head_style, x1 - x0), head_style);
        pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = x0 + 2,
                                           .y = s->y + header_height - 2,
                                           .w = x1 - 2,
                                           .h = s->y + header_height - 2,
                                           .stroke = PJ_RULE,
                                           .stroke_width = 1.5});
        add_hover(s, x0, s->y, (pj_extent){x1 - x0, header_height},
                  pj_arena_format(s->arena, "%s: %s", grid->group_title, name));
    }
    s->y += header_height;
}

static void add_labels(sheet *s)
{
    const pj_grid *grid = s->grid;
    pj_textbox_put(s->figure, s->left - 14, s->y + s->label - 9, grid->label_title,
                   (pj_style){.colour = PJ_MUTED, .anchor = PJ_ANCHOR_END});
    for (size_t i = 0; i < grid->column_count; i++) {
        const char *label = grid->columns[i].label;
        label = pj_textbox_squeeze(s->draw, s->arena, label, head_style, most_label);
        if (s->turned)
            pj_textbox_put(s->figure, centre_of(s, i) + 4, s->y + s->label - 7, label,
                           (pj_style){.bold = true, .angle = 90});
        else
            pj_textbox_put(s->figure, centre_of(s, i), s->y + s->label - 9, label, head_style);
        add_hover(s, x_of(s, i), s->y, (pj_extent){s->cell - cell_gap, s->label},
                  grid->columns[i].about);
    }
    s->y += s->label;
}

// ---- rows

/// The exact digits and where the value stands; what it means stands over the row's title.
static const char *cell_hover(const sheet *s, size_t row, size_t column)
{
    const pj_grid_cell *cell = pj_grid_at(s->grid, row, column);
    return pj_arena_format(s->arena, "%s: %s%s\n%s", s->grid->rows[row].title,
                           cell->reason ? "n/a, " : "", cell->exact,
                           s->grid->columns[column].about);
}

static void add_cell(sheet *s, size_t row, size_t column)
{
    const pj_grid_cell *cell = pj_grid_at(s->grid, row, column);
    bool coloured = pj_grid_coloured(s->grid, row, column);
    pj_colour fill = coloured       ? pj_grid_fill(s->grid, row, column, s->palette)
                     : cell->reason ? PJ_EMPTY
                                    : PJ_NONE;
    pj_colour ink = coloured ? pj_palette_ink(fill) : cell->reason ? PJ_MUTED : PJ_INK;
    pj_figure_add(s->figure,
                  (pj_mark){.kind = PJ_MARK_RECT,
                            .x = x_of(s, column),
                            .y = s->y,
                            .w = s->cell - cell_gap,
                            .h = row_height - cell_gap,
                            .radius = 3,
                            .fill = fill,
                            .stroke = (ink & 0xffffff00) | 0x2a,
                            .hatch = pj_grid_hatched(s->grid, row, column),
                            .hover = cell_hover(s, row, column),
                            .key = pj_arena_format(s->arena, "cell:%zu:%zu", row, column)});
    pj_style style = cell_style;
    style.colour = ink;
    style.italic = s->grid->rows[row].residual;
    pj_mark *text = pj_textbox_put(s->figure, centre_of(s, column), s->y + 15.8, cell->text, style);
    if (pj_grid_hatched(s->grid, row, column)) { // lines that touch letters would be read as theirs
        text->stroke = fill;
        text->stroke_width = 1.5;
    }
}

/// An elbow from the parent's column to the title.
static void add_elbow(sheet *s, size_t row)
{
    const pj_grid_row *r = &s->grid->rows[row];
    double x = margin + indent_of(r) - indent + 4, middle = s->y + row_height / 2 - 1;
    size_t above = row;
    while (above > 0 && s->grid->rows[above - 1].depth >= r->depth)
        above--;
    double top = s->y - (double)(row - above) * row_height - 4;
    pj_point points[] = {{x, top}, {x, middle}, {x + 7, middle}};
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_PATH,
                                       .points = points,
                                       .point_count = 3,
                                       .stroke = PJ_RULE,
                                       .stroke_width = 1});
}

static void add_title(sheet *s, size_t row)
{
    const pj_grid_row *r = &s->grid->rows[row];
    double x = margin + indent_of(r), width = s->left - 12 - x;
    if (r->depth > 0 && r->last)
        add_elbow(s, row);
    else if (r->depth > 0)
        pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = x - indent + 4,
                                           .y = s->y + row_height / 2 - 1,
                                           .w = x - indent + 11,
                                           .h = s->y + row_height / 2 - 1,
                                           .stroke = PJ_RULE,
                                           .stroke_width = 1});
    pj_textbox_put(s->figure, x, s->y + 15.8,
                   pj_textbox_elide(s->draw, s->arena, r->title, row_style(r), width),
                   row_style(r));
    add_hover(s, margin, s->y, (pj_extent){s->left - 8 - margin, row_height},
              pj_arena_format(s->arena, "%s%s%s%s%s", r->title, r->formula ? " = " : "",
                              r->formula ? r->formula : "", r->explanation ? "\n\n" : "",
                              r->explanation ? r->explanation : ""));
}

static void add_rows(sheet *s)
{
    s->y += 4;
    for (size_t row = 0; row < s->grid->row_count; row++) {
        add_title(s, row);
        for (size_t i = 0; i < s->grid->column_count; i++)
            add_cell(s, row, i);
        s->y += row_height;
    }
}

// ---- below the rows

static void add_swatch(sheet *s, double *x, pj_mark mark, const char *text)
{
    mark.kind = PJ_MARK_RECT;
    mark.x = *x;
    mark.y = s->y;
    mark.w = 18;
    mark.h = 10;
    mark.radius = 2;
    pj_figure_add(s->figure, mark);
    pj_style style = {.size = PJ_TEXTBOX_SMALL, .colour = PJ_MUTED};
    pj_textbox_put(s->figure, *x + 23, s->y + 9, text, style);
    *x += 23 + pj_textbox_width(s->draw, text, style) + 16;
}

static const char *hatching_of(const sheet *s)
{
    const char *beyond = s->grid->beyond ? s->grid->beyond : "";
    return pj_arena_format(s->arena, "%s%s%s", beyond, *beyond && s->grid->any_cut ? ", " : "",
                           s->grid->any_cut ? PJ_GRID_CUT " cut" : "");
}

/// The colour scale from 0 to 1 with its thresholds, and what grey and hatching mean.
static void add_legend(sheet *s)
{
    enum { STEPS = 50 }; // of colour
    const double width = scale_width, height = 10;
    pj_palette palette = pj_palette_resolve(s->palette);
    bool mirrored = false, coloured = false;
    for (size_t row = 0; row < s->grid->row_count; row++) {
        mirrored = mirrored || s->grid->rows[row].kind == PJ_METRIC_INEFFICIENCY;
        coloured = coloured || s->grid->rows[row].kind != PJ_METRIC_PLAIN;
    }
    double x = ceil(s->left);
    s->y = ceil(s->y) + 12;
    if (coloured) {
        for (int i = 0; i < STEPS; i++)
            pj_figure_add(s->figure,
                          (pj_mark){.kind = PJ_MARK_RECT,
                                    .x = x + i * width / STEPS,
                                    .y = s->y,
                                    .w = width / STEPS,
                                    .h = height,
                                    .fill = pj_palette_fill(palette, (i + 0.5) / STEPS, mirrored)});
        const double ticks[] = {0, palette.bad, palette.good, 1};
        for (size_t i = 0; i < 4; i++) {
            double value = mirrored ? 1 - ticks[i] : ticks[i];
            const char *text = pj_arena_format(s->arena, "%g", round(value * 1000) / 1000);
            pj_textbox_put(s->figure, x + value * width, s->y + height + 12, text,
                           (pj_style){.size = 10, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_MIDDLE});
        }
        x += width + 22;
    }
    if (s->grid->beyond || s->grid->any_cut)
        add_swatch(s, &x,
                   (pj_mark){.fill = pj_palette_fill(palette, 1, false),
                             .stroke = (PJ_INK & 0xffffff00) | 0x50,
                             .hatch = true},
                   hatching_of(s));
    if (s->grid->any_empty)
        add_swatch(s, &x, (pj_mark){.fill = PJ_EMPTY}, "n/a");
    s->y += legend_height;
}

static void add_marked(sheet *s, const char *mark, double room, const char *text)
{
    pj_colour colour = strcmp(mark, warning_mark) == 0 ? warning_colour : PJ_MUTED;
    pj_textbox_put(s->figure, margin, s->y, mark,
                   (pj_style){.size = PJ_TEXTBOX_SMALL, .bold = true, .colour = colour});
    s->y = pj_textbox_paragraph(s->figure, s->draw, (pj_point){margin + room, s->y},
                                s->figure->width - 2 * margin - room, text);
}

static void add_remark(sheet *s, const pj_remark *remark)
{
    add_marked(s, remark->severity == PJ_NOTE ? "\u2022" : warning_mark, 14, remark->text);
}

/// What must be known before the table is read.
static void add_urgent(sheet *s)
{
    const pj_metrics *metrics = s->grid->metrics;
    if (metrics->urgent == 0)
        return;
    s->y += PJ_TEXTBOX_LINE / 2;
    for (size_t i = 0; i < metrics->urgent; i++)
        add_remark(s, &metrics->remarks[i]);
    s->y -= PJ_TEXTBOX_LINE / 2;
}

static void add_notes(sheet *s)
{
    const pj_metrics *metrics = s->grid->metrics;
    s->y += 10;
    if (metrics->note)
        add_marked(s, "", 0, metrics->note);
    for (size_t i = 0; i < s->grid->reason_count; i++)
        add_marked(s, "n/a", 30, s->grid->reasons[i]);
    for (size_t i = metrics->urgent; i < metrics->remark_count; i++)
        add_remark(s, &metrics->remarks[i]);
}

/// Two sentences for those who do not see the picture.
static const char *summary_of(const sheet *s)
{
    const pj_grid *grid = s->grid;
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "Efficiency table of %zu run%s and %zu rows.", grid->column_count,
                grid->column_count == 1 ? "" : "s", grid->row_count);
    for (size_t row = 0; row < grid->row_count && row < 2; row++) {
        pj_buf_addf(&text, " %s:", grid->rows[row].title);
        for (size_t i = 0; i < grid->column_count && i < 12; i++)
            pj_buf_addf(&text, "%s %s", i ? "," : "", pj_grid_at(grid, row, i)->text);
        pj_buf_puts(&text, ".");
    }
    return pj_arena_text(s->arena, pj_buf_str(&text));
}

pj_figure *pj_table_figure(const pj_metrics *metrics, pj_palette palette, const pj_draw *draw)
{
    pj_figure *figure = pj_figure_new(0, 0, metrics->title);
    sheet s = {.figure = figure,
               .draw = draw,
               .arena = figure->arena,
               .grid = pj_grid_new(metrics, figure->arena),
               .palette = palette};
    measure(&s);
    double title = pj_textbox_width(draw, metrics->title, pj_textbox_title_style) + 2 * margin;
    double legend =
        scale_width + 22 + swatch_width * ((s.grid->beyond || s.grid->any_cut) + s.grid->any_empty);
    double widest = fmax(right_of(&s), s.left + legend) + margin;
    figure->width = ceil(fmax(widest, fmin(title, 900)));
    s.y = pj_textbox_title(figure, draw, margin, metrics->title);
    double header = s.label + (s.grid->group_title ? header_height : 0);
    figure->height =
        ceil(s.y + header + 4 + (double)s.grid->row_count * row_height + 12 + legend_height + 10 +
             notes_height(&s, figure->width - 2 * margin) + margin - 10);
    add_urgent(&s);
    if (s.grid->group_title)
        add_groups(&s);
    add_labels(&s);
    add_rows(&s);
    add_legend(&s);
    add_notes(&s);
    figure->summary = summary_of(&s);
    return figure;
}
