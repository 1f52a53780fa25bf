// Source lines with what they take: bars, shares, calls, and a cell for every rank. Functions with
// the most come first; where the source is not found, lines stand by their numbers.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/listing/line_source.h"
#include "metrics/profile/listing/python_block.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/terminal_sheet.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/heat_scale.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MOST = 400, CELLS_MOST = 64, CODE_BYTES = 300, TAB = 8 };
static const double margin = 18, width_usual = 960, row_usual = 17, gap = 14;
static const double bar_width = 96, cells_width = 208, cell_most = 46, indent_width = 5.5;
static const pj_colour grows = 0xe07b00ff, shrinks = 0x1f6fb4ff;

/// A line with its values over the locations that are shown.
typedef struct told {
    uint32_t item, number;      // in the profile, in the file
    double value, growth, hits; // NaN = not told
} told;

typedef struct block {
    uint32_t region;
    told *lines;
    size_t count;
    double total; // time, or the largest memory
} block;

typedef enum row_kind { ROW_FUNCTION, ROW_LINE, ROW_GAP } row_kind;

typedef struct row {
    row_kind kind;
    const block *of;
    const told *line; // NULL = has no values
    uint32_t number;
    uint32_t skipped; // of a gap: lines
    unsigned indent;
    const char *code;
} row;

enum { VALUE, SHARE, GROWTH, HITS, COLUMNS };

typedef struct listing {
    const pj_profile *p;
    pj_plot_opts opts;
    const pj_draw *draw;
    pj_arena *arena;
    pj_figure *figure;
    const pj_profile_column *value, *growth, *hits;
    uint32_t *locations, location_count;
    bool memory, terminal;
    block **blocks; // with the most first
    size_t block_count;
    row *rows;
    size_t row_count, left_out; // functions that have no room
    bool found;                 // any source
    double largest, largest_growth, largest_cell;
    pj_column_text form;
    const char *said;
    double right[COLUMNS], bar_left, number_right, cells_left, cell, code_left; // px
    double top, row;
} listing;

// ---- values

static const pj_profile_column *line_column(const pj_profile *p, const char *key)
{
    uint32_t measure = pj_profile_measure(p, pj_str_of(key));
    return measure == PJ_NO_ITEM ? NULL : pj_profile_find(p, PJ_AT_LINE, PJ_EXCLUSIVE, measure);
}

static double value_at(const listing *l, const pj_profile_column *column, uint32_t item, uint32_t k)
{
    return pj_profile_value(l->p, column, item, l->locations[k]);
}

/// Times, growth and calls are added up over ranks; of memory the largest counts.
static told tell(listing *l, uint32_t item)
{
    told at = {
        .item = item, .number = l->p->lines[item].line, .value = NAN, .growth = NAN, .hits = NAN};
    for (uint32_t k = 0; k < l->location_count; k++) {
        double value = value_at(l, l->value, item, k), growth = value_at(l, l->growth, item, k);
        double hits = value_at(l, l->hits, item, k);
        if (!isnan(value)) {
            double sum = isnan(at.value) ? value : at.value + value;
            at.value = l->memory ? fmax(at.value, value) : sum;
            l->largest_cell = fmax(l->largest_cell, value);
        }
        if (!isnan(growth))
            at.growth = isnan(at.growth) ? growth : at.growth + growth;
        if (!isnan(hits))
            at.hits = isnan(at.hits) ? hits : at.hits + hits;
    }
    l->largest = fmax(l->largest, at.value);
    l->largest_growth = fmax(l->largest_growth, fabs(at.growth));
    return at;
}

static int by_number(const void *a, const void *b)
{
    const told *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static int by_total(const void *a, const void *b)
{
    const block *x = *(block *const *)a, *y = *(block *const *)b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

static void add_line(listing *l, block *to, uint32_t item)
{
    told line = tell(l, item);
    double value = isnan(line.value) ? 0 : line.value;
    to->total = l->memory ? fmax(to->total, value) : to->total + value;
    to->lines[to->count++] = line;
}

static bool is_asked(const listing *l, uint32_t region)
{
    const char *name = l->opts.profile.function;
    return !name || pj_function_is(l->p, region, name);
}

static void collect(listing *l)
{
    const pj_profile *p = l->p;
    uint32_t regions = p->count[PJ_AT_REGION];
    block *all = pj_new_n(l->arena, block, regions + (size_t)1);
    size_t *counts = pj_new_n(l->arena, size_t, regions + (size_t)1);
    l->blocks = pj_new_n(l->arena, block *, regions + (size_t)1);
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++)
        counts[p->lines[i].region]++;
    for (uint32_t r = 0; r < regions; r++) {
        all[r] = (block){.region = r, .lines = pj_new_n(l->arena, told, counts[r] + 1)};
        if (counts[r] && is_asked(l, r))
            l->blocks[l->block_count++] = &all[r];
    }
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++)
        if (is_asked(l, p->lines[i].region))
            add_line(l, &all[p->lines[i].region], i);
    for (size_t b = 0; b < l->block_count; b++)
        qsort(l->blocks[b]->lines, l->blocks[b]->count, sizeof(told), by_number);
    qsort(l->blocks, l->block_count, sizeof *l->blocks, by_total);
}

// ---- rows

static row *add_row(listing *l, row of)
{
    l->rows[l->row_count] = of;
    return &l->rows[l->row_count++];
}

/// Blanks in front become an indent; what is very long is cut.
static void take_code(listing *l, row *to, pj_str text)
{
    size_t at = 0;
    for (; at < text.len && (text.at[at] == ' ' || text.at[at] == '\t'); at++)
        to->indent += text.at[at] == '\t' ? TAB - to->indent % TAB : 1;
    text = pj_str_trim(pj_str_from(text, at));
    size_t len = text.len < CODE_BYTES ? text.len : CODE_BYTES;
    while (len < text.len && len && (text.at[len] & 0xc0) == 0x80)
        len--;
    to->code = pj_arena_text(l->arena, pj_str_head(text, len));
}

static bool is_shown(const listing *l, const told *line)
{
    return !l->opts.profile.skip_zero || (line && (line->value > 0 || fabs(line->growth) > 0));
}

/// Lines of a function: those of its block in the source, else those with values.
static size_t lines_of(listing *l, const block *of, pj_str source)
{
    uint32_t first = l->p->regions[of->region].line;
    if (source.len && first)
        return pj_python_block(source);
    uint32_t last = of->lines[of->count - 1].number;
    return last >= first ? (size_t)(last - first) + 1 : 1;
}

static void add_block_rows(listing *l, const block *of, pj_line_source *sources)
{
    const pj_profile_region *region = &l->p->regions[of->region];
    pj_str source =
        region->line ? pj_line_source_from(sources, region->file, region->line) : PJ_S("");
    bool found = source.len > 0;
    size_t shown = lines_of(l, of, source), next = 0;
    uint32_t first = region->line ? region->line : of->lines[0].number, skipped = 0;
    l->found |= found;
    add_row(l, (row){.kind = ROW_FUNCTION, .of = of});
    for (size_t i = 0; i < shown && next <= of->count && l->row_count < ROWS_MOST; i++) {
        if (!found && next < of->count && of->lines[next].number > first + i)
            i = of->lines[next].number - first; // without a source, what lies between says nothing
        uint32_t number = first + (uint32_t)i;
        while (next < of->count && of->lines[next].number < number)
            next++;
        const told *line =
            next < of->count && of->lines[next].number == number ? &of->lines[next] : NULL;
        pj_str text = found ? pj_line_source_cut(&source)
                            : pj_profile_text(l->p, line ? l->p->lines[line->item].text : 0);
        if (!is_shown(l, line)) {
            skipped++;
            continue;
        }
        if (skipped)
            add_row(l, (row){.kind = ROW_GAP, .of = of, .skipped = skipped});
        skipped = 0;
        take_code(l, add_row(l, (row){ROW_LINE, of, line, number, 0, 0, ""}), text);
        if (!found && next + 1 >= of->count)
            break;
    }
}

static void make_rows(listing *l)
{
    pj_line_source sources = {.profile = l->p, .folder = l->opts.profile.source, .arena = l->arena};
    l->rows = pj_new_n(l->arena, row, ROWS_MOST + 8);
    for (size_t b = 0; b < l->block_count; b++) {
        bool zero = l->opts.profile.skip_zero && !(l->blocks[b]->total > 0);
        if (zero)
            continue;
        if (l->row_count + 2 < ROWS_MOST)
            add_block_rows(l, l->blocks[b], &sources);
        else
            l->left_out++;
    }
    pj_line_source_free(&sources);
}

// ---- texts

static const char *number_text(const listing *l, double value)
{
    pj_auto_buf text = {0};
    if (isnan(value))
        return "";
    pj_column_text_slight(&text, l->form, value);
    return pj_arena_text(l->arena, pj_buf_str(&text));
}

static const char *amount(const listing *l, double value)
{
    return pj_arena_format(l->arena, "%s %s", number_text(l, value), l->form.unit);
}

static double share_of(const block *of, const told *line)
{
    return line && of->total > 0 && line->value > 0 ? line->value / of->total : 0;
}

static const char *share_text(const listing *l, double share)
{
    if (share > 0 && share < 0.0005)
        return "<0.1";
    return share > 0 ? pj_arena_format(l->arena, "%.1f", 100 * share) : "";
}

static const char *count_text(const listing *l, double hits)
{
    char text[32];
    if (isnan(hits))
        return "";
    text[pj_format_grouped((int64_t)hits, text)] = 0;
    return pj_arena_format(l->arena, "%s", text);
}

static const char *cell_text(const listing *l, const row *r, int column)
{
    if (!r->line)
        return "";
    switch (column) {
    case VALUE:
        return number_text(l, r->line->value);
    case SHARE:
        return l->memory ? "" : share_text(l, share_of(r->of, r->line));
    case GROWTH:
        return l->memory ? number_text(l, r->line->growth) : "";
    default:
        return count_text(l, r->line->hits);
    }
}

static const char *title_of(const listing *l, int column)
{
    switch (column) {
    case VALUE:
        return pj_arena_format(l->arena, "%s [%s]", l->memory ? "Memory" : "Time", l->form.unit);
    case SHARE:
        return l->memory ? "" : "%";
    case GROWTH:
        return l->memory ? pj_arena_format(l->arena, "Increment [%s]", l->form.unit) : "";
    default:
        return l->memory ? "Occurrences" : "Hits";
    }
}

/// The line that takes most of the function that takes most.
static void say(listing *l)
{
    const block *of = l->blocks[0];
    const told *most = NULL;
    // The first line of a function tells the memory that was there before it.
    for (size_t i = l->memory ? 1 : 0; i < of->count; i++) {
        double value = l->memory ? of->lines[i].growth : of->lines[i].value;
        double best = most ? (l->memory ? most->growth : most->value) : 0;
        most = value > best ? &of->lines[i] : most;
    }
    const char *name = pj_function_short(l->p, of->region, l->arena);
    if (!most)
        l->said = "No line has values";
    else if (l->memory)
        l->said = pj_arena_format(l->arena, "%s holds up to %s; line %u adds most, %s", name,
                                  amount(l, of->total), most->number, amount(l, most->growth));
    else
        l->said =
            pj_arena_format(l->arena, "%.0f\u00a0%% of the %s of %s is in one line, %u",
                            100 * share_of(of, most), amount(l, of->total), name, most->number);
    if (l->location_count > 1)
        l->said = pj_arena_format(l->arena, "%s; %u ranks or threads%s", l->said, l->location_count,
                                  l->memory ? "" : ", added up");
}

// ---- layout

static void choose_form(listing *l)
{
    if (l->memory) {
        l->form = (pj_column_text){.factor = 1, .unit = "MiB", .decimals = 1};
        return;
    }
    double most = 0;
    for (size_t b = 0; b < l->block_count; b++)
        most = fmax(most, l->blocks[b]->total);
    l->form = pj_column_text_unit(PJ_UNIT_NS, most * 1e9);
    double shown = most * 1e9 * l->form.factor;
    l->form.factor *= 1e9;
    l->form.decimals = shown < 10 ? 3 : shown < 100 ? 2 : shown < 1000 ? 1 : 0;
}

static void place_columns(listing *l)
{
    const pj_style style = {.size = 11}, head = {.size = 11, .bold = true};
    double x = margin + pj_textbox_width(l->draw, "99999", style);
    l->number_right = x;
    l->bar_left = x + gap;
    x = l->bar_left + bar_width;
    for (int c = 0; c < COLUMNS; c++) {
        double width = pj_textbox_width(l->draw, title_of(l, c), head);
        for (size_t i = 0; i < l->row_count; i++)
            width = fmax(width, pj_textbox_width(l->draw, cell_text(l, &l->rows[i], c), style));
        x += width > 0 ? width + gap : 0;
        l->right[c] = x;
    }
    l->cells_left = x + gap;
    uint32_t n = l->location_count;
    l->cell = n > 1 ? fmin(cell_most, cells_width / n) : 0;
    l->code_left = n > 1 ? l->cells_left + l->cell * n + gap : x + gap;
}

static const char *name_of(const listing *l)
{
    const pj_profile *p = l->p;
    pj_str path = pj_str_of(p->file_count ? p->files[0] : p->title ? p->title : "profile");
    size_t slash = pj_str_find_last(path, '/');
    const char *first =
        pj_arena_text(l->arena, slash + 1 < path.len ? pj_str_from(path, slash + 1) : path);
    return p->file_count > 1
               ? pj_arena_format(l->arena, "%s and %u more files", first, p->file_count - 1)
               : first;
}

static void put(const listing *l, double x, double y, const char *text, pj_style style)
{
    if (*text)
        pj_textbox_put(l->figure, x, y, text, style);
}

static void make_head(listing *l)
{
    double width = l->opts.width > 0 ? l->opts.width : width_usual;
    const char *title =
        pj_arena_format(l->arena, "%s by line: %s", l->memory ? "Memory" : "Time", name_of(l));
    l->figure = pj_figure_new(width, 100, l->opts.title ? l->opts.title : title);
    double y = pj_textbox_heading(l->figure, l->draw, (pj_point){margin, margin + 13},
                                  width - 2 * margin, l->figure->title, pj_textbox_title_style);
    y = pj_textbox_heading(l->figure, l->draw, (pj_point){margin, y}, width - 2 * margin, l->said,
                           (pj_style){.size = 12, .colour = PJ_MUTED});
    pj_style head = {.size = 11, .bold = true, .colour = PJ_MUTED};
    l->row = l->terminal ? PJ_CELL_HEIGHT : row_usual;
    y += 10;
    if (l->terminal)
        y = ceil(y / PJ_CELL_HEIGHT) * PJ_CELL_HEIGHT - 3;
    put(l, l->code_left, y, "Source", head);
    if (l->cell > 0)
        put(l, l->cells_left, y, l->memory ? "Memory by rank" : "Time by rank", head);
    head.anchor = PJ_ANCHOR_END;
    put(l, l->number_right, y, "Line", head);
    for (int c = 0; c < COLUMNS; c++)
        put(l, l->right[c], y, title_of(l, c), head);
    l->top = y + (l->terminal ? 3 : 7);
    l->figure->height = l->top + (double)l->row_count * l->row + margin;
}

// ---- drawing

static void add_rect(const listing *l, double x, double y, double w, double h, pj_mark look)
{
    look.kind = PJ_MARK_RECT;
    look.x = x;
    look.y = y;
    look.w = w;
    look.h = h;
    pj_figure_add(l->figure, look);
}

/// Time from the left; what a line adds to memory to the right, what it gives back to the left.
static void add_bar(const listing *l, const row *r, double y)
{
    double high = l->terminal ? l->row : l->row - 4, top = l->terminal ? y : y + 2;
    double share = share_of(r->of, r->line), growth = r->line->growth;
    if (!l->memory) {
        if (share > 0)
            add_rect(l, l->bar_left, top, fmax(share * bar_width, 0.5), high,
                     (pj_mark){.fill = pj_heat_colour(PJ_FAMILY_WORK, 0.1 + 0.5 * share),
                               .key = pj_arena_format(l->arena, "bar:%u", r->number)});
        return;
    }
    double middle = l->bar_left + bar_width / 2;
    double width = l->largest_growth > 0 ? fabs(growth) / l->largest_growth * bar_width / 2 : 0;
    add_rect(l, middle, y, 0.5, l->row, (pj_mark){.fill = PJ_RULE});
    if (width > 0)
        add_rect(l, growth > 0 ? middle : middle - width, top, fmax(width, 0.5), high,
                 (pj_mark){.fill = growth > 0 ? grows : shrinks,
                           .key = pj_arena_format(l->arena, "bar:%u", r->number)});
}

static const char *location_text(const listing *l, uint32_t k)
{
    const pj_profile_location *at = &l->p->locations[l->locations[k]];
    long long rank = at->rank < 0 ? (long long)l->locations[k] : (long long)at->rank;
    return at->thread < 0
               ? pj_arena_format(l->arena, "rank %lld", rank)
               : pj_arena_format(l->arena, "rank %lld, thread %lld", rank, (long long)at->thread);
}

/// Many ranks as one image of at most as many pixels as there is room for.
static void add_strip(const listing *l, const row *r, double y)
{
    uint32_t count = l->location_count < cells_width ? l->location_count : (uint32_t)cells_width;
    pj_colour *pixels = pj_new_n(l->figure->arena, pj_colour, count);
    for (uint32_t k = 0; k < l->location_count; k++) {
        double value = value_at(l, l->value, r->line->item, k);
        pj_colour colour = pj_heat_colour(PJ_FAMILY_WORK, value / l->largest_cell);
        pj_colour *at = &pixels[(uint64_t)k * count / l->location_count];
        if (value > 0 && (!*at || colour < *at)) // the darker
            *at = colour;
    }
    for (uint32_t i = 0; i < count; i++)
        pixels[i] = pixels[i] ? pixels[i] : PJ_HEAT_ABSENT;
    pj_figure_add(l->figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                       .x = l->cells_left,
                                       .y = y,
                                       .w = l->cell * l->location_count,
                                       .h = l->row - 1,
                                       .pixels = pixels,
                                       .pixel_columns = count,
                                       .pixel_rows = 1});
}

static void add_cells(const listing *l, const row *r, double y)
{
    if (l->location_count > CELLS_MOST && l->largest_cell > 0) {
        add_strip(l, r, y);
        return;
    }
    for (uint32_t k = 0; l->cell > 0 && l->largest_cell > 0 && k < l->location_count; k++) {
        double value = value_at(l, l->value, r->line->item, k), x = l->cells_left + l->cell * k;
        pj_colour fill =
            isnan(value) ? PJ_HEAT_ABSENT : pj_heat_colour(PJ_FAMILY_WORK, value / l->largest_cell);
        bool number = l->cell >= 40 && !isnan(value);
        fill = number ? pj_palette_legible(fill) : fill;
        add_rect(l, x, y, l->cell - (l->cell > 4 && !l->terminal ? 1 : 0),
                 l->row - (l->terminal ? 0 : 1),
                 (pj_mark){.fill = fill,
                           .hover = pj_arena_format(l->arena, "line %u, %s: %s", r->number,
                                                    location_text(l, k),
                                                    isnan(value) ? "not run" : amount(l, value))});
        if (number)
            pj_textbox_put(
                l->figure, x + l->cell / 2, y + l->row - 5, number_text(l, value),
                (pj_style){.size = 10, .colour = pj_palette_ink(fill), .anchor = PJ_ANCHOR_MIDDLE});
    }
}

static void draw_function(const listing *l, const row *r, double y)
{
    double base = y + l->row - 5;
    const char *name = pj_function_short(l->p, r->of->region, l->arena);
    const char *place = pj_function_place(l->p, r->of->region, l->arena);
    pj_style bold = {.size = 12, .bold = true};
    double room = l->figure->width - 2 * margin - 170;
    name = pj_textbox_squeeze(l->draw, l->arena, name, bold, fmax(room / 2, 60));
    double width = pj_textbox_width(l->draw, name, bold);
    if (!l->terminal)
        add_rect(l, margin, y + 1, l->figure->width - 2 * margin, l->row - 2,
                 (pj_mark){.fill = PJ_EMPTY, .radius = 2});
    pj_textbox_put(l->figure, margin + 5, base, name, bold);
    const char *text =
        pj_arena_format(l->arena, "%s%s%s", place, *place ? "   " : "", amount(l, r->of->total));
    pj_textbox_put(
        l->figure, margin + width + 17, base,
        pj_textbox_squeeze(l->draw, l->arena, text, pj_textbox_note, fmax(room - width, 80)),
        pj_textbox_note);
}

static void draw_line(const listing *l, const row *r, double y)
{
    double base = y + (l->terminal ? PJ_CELL_HEIGHT - 3 : l->row - 5);
    double share = l->memory ? 0 : share_of(r->of, r->line);
    pj_style number = {.size = 11, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_END};
    put(l, l->number_right, base, pj_arena_format(l->arena, "%u", r->number), number);
    number.colour = share >= 0.01 || l->memory ? PJ_INK : PJ_MUTED;
    number.bold = share >= 0.25;
    if (r->line) {
        add_bar(l, r, y);
        add_cells(l, r, y);
    }
    for (int c = 0; c < COLUMNS; c++)
        put(l, l->right[c], base, cell_text(l, r, c), number);
    double x = l->code_left + fmin(r->indent, 40) * (l->terminal ? PJ_CELL_WIDTH : indent_width);
    pj_style code = {.size = 11.5,
                     .bold = share >= 0.25,
                     .colour = r->line && !isnan(r->line->value) ? PJ_INK : PJ_MUTED};
    double room = l->figure->width - margin - x;
    const char *text = room > 20 ? pj_textbox_elide(l->draw, l->arena, r->code, code, room) : "";
    put(l, x, base, text, code);
    if (strcmp(text, r->code) != 0)
        add_rect(l, x, y, fmax(room, 1), l->row, (pj_mark){.hover = r->code});
}

static void draw_gap(const listing *l, const row *r, double y)
{
    put(l, l->code_left, y + l->row - 5,
        pj_arena_format(l->arena, "\u22ef %u line%s", r->skipped, r->skipped == 1 ? "" : "s"),
        pj_textbox_note);
}

/// Whether the profile itself has the text of a line.
static bool has_code(const listing *l)
{
    for (size_t i = 0; i < l->row_count; i++)
        if (l->rows[i].code && *l->rows[i].code)
            return true;
    return false;
}

/// What is missing, below the rows.
static void add_note(listing *l)
{
    pj_auto_buf text = {0};
    if (!l->found && !has_code(l))
        pj_buf_puts(&text, "The source was not found: name its folder (source). ");
    if (l->left_out)
        pj_buf_addf(&text, "%zu more functions have no room here; -f NAME shows one. ",
                    l->left_out);
    if (l->memory)
        pj_buf_puts(&text, "Bars: what a line adds (to the right) or gives back (to the left). ");
    if (l->cell > 0)
        pj_buf_puts(&text, "Cells: ranks from left to right, stronger where a line takes more. ");
    if (!text.len)
        return;
    double y = l->figure->height;
    double end = pj_textbox_paragraph(l->figure, l->draw, (pj_point){margin, y},
                                      l->figure->width - 2 * margin,
                                      pj_arena_text(l->arena, pj_str_trim(pj_buf_str(&text))));
    l->figure->height = end + 4;
}

static pj_figure *draw_it(listing *l)
{
    choose_form(l);
    say(l);
    make_rows(l);
    place_columns(l);
    make_head(l);
    for (size_t i = 0; i < l->row_count; i++) {
        const row *r = &l->rows[i];
        double y = l->top + (double)i * l->row;
        if (r->kind == ROW_FUNCTION)
            draw_function(l, r, y);
        else if (r->kind == ROW_LINE)
            draw_line(l, r, y);
        else
            draw_gap(l, r, y);
    }
    add_note(l);
    l->figure->searched = true;
    l->figure->summary =
        pj_arena_format(l->figure->arena, "A listing of %zu function%s by line. %s.",
                        l->block_count, l->block_count == 1 ? "" : "s", l->said);
    return l->figure;
}

static bool take_locations(listing *l, pj_err *err)
{
    const pj_profile *p = l->p;
    l->locations = pj_new_n(l->arena, uint32_t, p->location_count + (size_t)1);
    for (uint32_t at = 0; at < p->location_count; at++) {
        int64_t rank = p->locations[at].rank < 0 ? (int64_t)at : p->locations[at].rank;
        if (!l->opts.profile.one_rank || rank == l->opts.profile.rank)
            l->locations[l->location_count++] = at;
    }
    return l->location_count > 0 ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "the profile has no rank %lld",
                   (long long)l->opts.profile.rank);
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    listing l = {.p = data.profile,
                 .opts = opts,
                 .draw = draw,
                 .arena = arena,
                 .terminal = draw == &pj_draw_terminal};
    l.value = line_column(l.p, "memory");
    l.memory = l.value != NULL;
    l.value = l.memory ? l.value : line_column(l.p, "time");
    l.growth = line_column(l.p, "increment");
    l.hits = pj_profile_find(l.p, PJ_AT_LINE, PJ_CALLS, PJ_NO_ITEM);
    if (!l.value || l.p->count[PJ_AT_LINE] == 0) {
        pj_fail(err, PJ_E_MISSING, l.p->file_count ? l.p->files[0] : NULL, 0,
                "has no values by line: line_profiler (.lprof) and memory_profiler do");
        return NULL;
    }
    if (!take_locations(&l, err))
        return NULL;
    collect(&l);
    if (l.block_count)
        return draw_it(&l);
    pj_fail(err, PJ_E_USAGE, NULL, 0, "no function with lines is called \"%s\"",
            opts.profile.function ? opts.profile.function : "");
    return NULL;
}

const pj_plot pj_plot_source_lines = {
    .name = "source",
    .title = "Source lines",
    .help =
        "What every source line takes, with its text (line_profiler, memory_profiler; -f NAME).",
    .source = PJ_PLOT_PROFILE,
    .topic = "lines",
    .beside = "lines",
    .make = make,
};
