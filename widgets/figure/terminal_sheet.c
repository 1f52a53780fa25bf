// A sheet of terminal cells to draw on.
// A cell shows what lies on top in it: a letter or marker, dots of lines, an area, a rule. Two
// areas share a cell by the block that fits them best.
#include "widgets/figure/terminal_sheet.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/palette.h"

#include <math.h>
#include <stdlib.h>

enum {
    DOTS = 8, // of a cell: two columns of four
    ALONG = 1,
    ACROSS = 2,
    BROKEN = 4,
    SHADES_MOST = 9,
    CUBE = 16,  // first of the 216 colours of a terminal
    GREY = 232, // first of its 24 greys
};

typedef struct cell {
    uint32_t glyph; // letter or marker; 0 = none
    pj_colour ink, line;
    uint8_t dots; // of lines, as Braille numbers them
    uint8_t rule; // ALONG, ACROSS, BROKEN
    bool bold, letter;
    bool covered; // by the wide letter before it
} cell;

struct pj_terminal_sheet {
    long columns, rows;
    cell *cells;
    pj_colour *areas; // by cell and dot
    pj_colour paper;
    bool colour;
    pj_colour shaded[SHADES_MOST + 1]; // areas without colours, from dark to light
    size_t shaded_count;
};

typedef struct style {
    pj_colour ink, ground; // 0 = the terminal's own
    bool bold, faint;
} style;

pj_terminal_sheet *pj_terminal_sheet_new(const pj_figure *figure, bool colour)
{
    pj_terminal_sheet *sheet = pj_take_memory(sizeof *sheet);
    *sheet = (pj_terminal_sheet){.columns = (long)(figure->width / PJ_CELL_WIDTH),
                                 .rows = (long)ceil(figure->height / PJ_CELL_HEIGHT),
                                 .paper = figure->background,
                                 .colour = colour};
    size_t count = (size_t)sheet->columns * (size_t)sheet->rows;
    sheet->cells = memset(pj_take_memory(count * sizeof(cell) + 1), 0, count * sizeof(cell));
    size_t size = count * DOTS * sizeof *sheet->areas;
    sheet->areas = memset(pj_take_memory(size + 1), 0, size);
    return sheet;
}

void pj_terminal_sheet_free(pj_terminal_sheet *sheet)
{
    free(sheet->cells);
    free(sheet->areas);
    free(sheet);
}

static cell *cell_at(const pj_terminal_sheet *sheet, long column, long row)
{
    bool inside = column >= 0 && row >= 0 && column < sheet->columns && row < sheet->rows;
    return inside ? &sheet->cells[row * sheet->columns + column] : NULL;
}

static unsigned part(pj_colour colour, unsigned shift)
{
    return colour >> shift & 0xff;
}

/// 0 for black to 1 for white.
static double lightness(pj_colour colour)
{
    return (0.299 * part(colour, 24) + 0.587 * part(colour, 16) + 0.114 * part(colour, 8)) / 255;
}

pj_colour pj_terminal_seen(const pj_terminal_sheet *sheet, pj_colour colour)
{
    const double alike = 0.08;
    pj_colour paper = sheet->paper | 0xff;
    pj_colour seen = pj_palette_mix(paper, colour | 0xff, part(colour, 0) / 255.0) | 0xff;
    return fabs(lightness(seen) - lightness(paper)) < alike ? 0 : seen;
}

// Areas and lines

/// Dot 1 to 8 of Braille, in columns: 1 2 3 7 and 4 5 6 8.
static uint8_t braille(long x, long y)
{
    static const uint8_t bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    return bits[x & 1][y & 3];
}

void pj_terminal_area(pj_terminal_sheet *sheet, long x, long y, pj_colour colour)
{
    cell *c = x < 0 || y < 0 ? NULL : cell_at(sheet, x / 2, y / 4);
    if (!c)
        return;
    c->dots &= (uint8_t)~braille(x, y);
    c->glyph = 0;
    sheet->areas[(c - sheet->cells) * DOTS + (y & 3) * 2 + (x & 1)] = colour;
}

void pj_terminal_dot(pj_terminal_sheet *sheet, long x, long y, pj_colour colour)
{
    cell *c = x < 0 || y < 0 ? NULL : cell_at(sheet, x / 2, y / 4);
    if (!c)
        return;
    c->dots |= braille(x, y);
    c->line = colour;
}

void pj_terminal_rule(pj_terminal_sheet *sheet, pj_point from, pj_point to, bool dashed)
{
    bool along = fabs(to.x - from.x) > fabs(to.y - from.y);
    double first = along ? fmin(from.x, to.x) / PJ_CELL_WIDTH : fmin(from.y, to.y) / PJ_CELL_HEIGHT;
    double last = along ? fmax(from.x, to.x) / PJ_CELL_WIDTH : fmax(from.y, to.y) / PJ_CELL_HEIGHT;
    long column = (long)(from.x / PJ_CELL_WIDTH), row = (long)(from.y / PJ_CELL_HEIGHT);
    for (long i = lround(first); i < lround(last); i++) {
        cell *c = cell_at(sheet, along ? i : column, along ? row : i);
        if (c)
            c->rule |= (uint8_t)((along ? ALONG : ACROSS) | (dashed ? BROKEN : 0));
    }
}

void pj_terminal_marker(pj_terminal_sheet *sheet, pj_point at, uint32_t glyph, pj_colour ink)
{
    cell *c = cell_at(sheet, (long)floor(at.x / PJ_CELL_WIDTH), (long)floor(at.y / PJ_CELL_HEIGHT));
    if (!c)
        return;
    c->glyph = glyph;
    c->ink = ink;
}

// Texts

static void put_letter(cell *c, uint32_t letter, const pj_mark *mark)
{
    c->glyph = letter;
    c->ink = mark->fill;
    c->bold = mark->bold;
    c->letter = true;
}

/// Whether a text fits between those that stand there, a blank before and behind it.
static bool is_free(const pj_terminal_sheet *sheet, long column, long row, long width)
{
    if (column < 0 || column + width > sheet->columns)
        return false;
    for (long i = column - 1; i <= column + width; i++) {
        const cell *c = cell_at(sheet, i, row);
        if (c && c->letter)
            return false;
    }
    return true;
}

static void write_along(pj_terminal_sheet *sheet, long column, long row, const pj_mark *mark)
{
    pj_str rest = pj_str_of(mark->text);
    while (rest.len) {
        pj_str letter = rest;
        uint32_t code = pj_utf8_next(&rest);
        letter.len -= rest.len;
        size_t width = pj_utf8_columns(letter);
        cell *c = cell_at(sheet, column, row);
        if (!c || !width)
            continue;
        put_letter(c, code, mark);
        cell *next = width > 1 ? cell_at(sheet, column + 1, row) : NULL;
        if (next) {
            put_letter(next, ' ', mark);
            next->covered = true;
        }
        column += (long)width;
    }
}

/// Letters of a turned text stand below each other.
static void write_across(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    long letters = (long)pj_utf8_columns(pj_str_of(mark->text));
    long column = (long)floor(mark->x / PJ_CELL_WIDTH), row = (long)(mark->y / PJ_CELL_HEIGHT);
    if (mark->anchor == PJ_ANCHOR_MIDDLE)
        row -= letters / 2;
    if (mark->anchor == PJ_ANCHOR_START)
        row -= letters;
    for (pj_str rest = pj_str_of(mark->text); rest.len; row++) {
        uint32_t code = pj_utf8_next(&rest);
        cell *c = cell_at(sheet, column, row);
        if (c && !c->letter)
            put_letter(c, code, mark);
    }
}

void pj_terminal_text(pj_terminal_sheet *sheet, const pj_mark *mark)
{
    static const long steps[] = {0, 1, -1, 2, -2, 3, -3}; // never to another row
    const double middle = 0.3;                            // of a letter above its baseline
    if (fabs(mark->angle) > 10) {
        write_across(sheet, mark);
        return;
    }
    long width = (long)pj_utf8_columns(pj_str_of(mark->text));
    double x = mark->x / PJ_CELL_WIDTH;
    if (mark->anchor == PJ_ANCHOR_MIDDLE)
        x -= (double)width / 2;
    if (mark->anchor == PJ_ANCHOR_END)
        x -= (double)width;
    long column = lround(x), row = (long)((mark->y - middle * mark->size) / PJ_CELL_HEIGHT);
    if (column + width > sheet->columns)
        column = sheet->columns - width;
    column = column < 0 ? 0 : column;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (is_free(sheet, column + steps[i], row, width)) {
            write_along(sheet, column + steps[i], row, mark);
            return;
        }
}

// Shades in place of colours

static int by_lightness(const void *a, const void *b)
{
    double x = lightness(*(const pj_colour *)a), y = lightness(*(const pj_colour *)b);
    return x < y ? -1 : x > y;
}

/// Lists the colours of areas, at most one more than can be told apart.
static void find_shades(pj_terminal_sheet *sheet)
{
    size_t count = (size_t)sheet->columns * (size_t)sheet->rows * DOTS;
    for (size_t i = 0; i < count && sheet->shaded_count <= SHADES_MOST; i++) {
        size_t known = 0;
        while (known < sheet->shaded_count && sheet->shaded[known] != sheet->areas[i])
            known++;
        if (sheet->areas[i] && known == sheet->shaded_count)
            sheet->shaded[sheet->shaded_count++] = sheet->areas[i];
    }
    qsort(sheet->shaded, sheet->shaded_count, sizeof *sheet->shaded, by_lightness);
}

static uint32_t shade_of(const pj_terminal_sheet *sheet, pj_colour colour)
{
    static const uint32_t few[] = {0x2588, 0x2593, 0x2592, 0x2591};
    static const uint32_t many[SHADES_MOST] = {0x2588, '#',    0x2593, '%', 0x2592,
                                               '+',    0x2591, '-',    0xb7};
    const size_t fews = sizeof few / sizeof *few;
    size_t count = sheet->shaded_count, place = 0;
    if (count > SHADES_MOST) // a scale
        return few[(size_t)fmin(lightness(colour) * (double)fews, (double)fews - 1)];
    while (place + 1 < count && sheet->shaded[place] != colour)
        place++;
    if (count < 2)
        return few[0];
    return count <= fews ? few[place * (fews - 1) / (count - 1)]
                         : many[place * (SHADES_MOST - 1) / (count - 1)];
}

// Writing

/// The two colours that most dots have.
static void rank_colours(const pj_colour *dots, pj_colour *first, pj_colour *second)
{
    int most = 0, next = 0;
    *first = *second = dots[0];
    for (int i = 0; i < DOTS; i++) {
        int count = 0;
        bool before = false;
        for (int k = 0; k < DOTS; k++) {
            count += dots[k] == dots[i];
            before |= k < i && dots[k] == dots[i];
        }
        if (before)
            continue;
        if (count > most) {
            next = most;
            *second = *first;
            most = count;
            *first = dots[i];
        } else if (count > next) {
            next = count;
            *second = dots[i];
        }
    }
    if (next == 0)
        *second = *first;
}

/// The block of quarters that have the first colour; ties go to it.
static uint32_t block_of(const pj_colour *dots, pj_colour first, pj_colour second)
{
    static const uint32_t blocks[] = {' ',    0x2598, 0x259d, 0x2580, 0x2596, 0x258c,
                                      0x259e, 0x259b, 0x2597, 0x259a, 0x2590, 0x259c,
                                      0x2584, 0x2599, 0x259f, 0x2588};
    unsigned quarters = 0;
    for (unsigned q = 0; q < 4; q++) {
        const pj_colour *top = &dots[q / 2 * 4 + q % 2];
        bool has = top[0] == first || top[2] == first;
        bool other = top[0] == second && top[2] == second && first != second;
        quarters |= (unsigned)(has && !other) << q;
    }
    return blocks[quarters];
}

static uint32_t show_area(const pj_terminal_sheet *sheet, const pj_colour *dots, style *look)
{
    pj_colour first, second;
    rank_colours(dots, &first, &second);
    if (!first) { // the paper is no ink
        pj_colour swap = first;
        first = second;
        second = swap;
    }
    *look = (style){.ink = first, .ground = first == second ? 0 : second};
    if (sheet->colour)
        return block_of(dots, first, second);
    int filled = 0;
    for (int i = 0; i < DOTS; i++)
        filled += dots[i] == first;
    uint32_t shade = shade_of(sheet, first);
    if (second == 0 && shade == 0x2588)
        return block_of(dots, first, second);
    return filled >= 3 ? shade : ' ';
}

static uint32_t show_rule(const cell *c, style *look)
{
    static const uint32_t rules[] = {' ', 0x2500, 0x2502, 0x253c, ' ', 0x254c, 0x254e, 0x253c};
    *look = (style){.faint = true};
    return rules[c->rule & 7];
}

/// Black and grey texts have the terminal's own colour.
static style text_style(const cell *c, pj_colour ground)
{
    const unsigned grey = 48;
    unsigned r = part(c->ink, 24), g = part(c->ink, 16), b = part(c->ink, 8);
    unsigned most = r > g ? (r > b ? r : b) : (g > b ? g : b);
    unsigned least = r < g ? (r < b ? r : b) : (g < b ? g : b);
    style look = {.ink = c->ink | 0xff, .ground = ground, .bold = c->bold};
    if (!ground && most - least < grey) {
        look.ink = 0;
        look.faint = !c->bold && most > 64;
    }
    return look;
}

static uint32_t show_cell(const pj_terminal_sheet *sheet, const cell *c, style *look)
{
    const pj_colour *dots = &sheet->areas[(c - sheet->cells) * DOTS];
    pj_colour first, second;
    rank_colours(dots, &first, &second);
    bool any = first || second;
    *look = (style){.ink = 0};
    if (c->glyph) {
        *look = c->letter ? text_style(c, first) : (style){.ink = c->ink, .ground = first};
        return c->glyph;
    }
    if (c->dots && (sheet->colour || !any)) { // without colours they would hide what they cross
        *look = (style){.ink = c->line, .ground = first};
        return 0x2800 + c->dots;
    }
    if (any)
        return show_area(sheet, dots, look);
    return c->rule ? show_rule(c, look) : ' ';
}

/// One of the 256 colours of a terminal.
static unsigned index_of(pj_colour colour)
{
    unsigned rgb[3], index = 0;
    for (unsigned i = 0; i < 3; i++) {
        rgb[i] = part(colour, 24 - 8 * i);
        index = index * 6 + (rgb[i] < 48 ? 0 : rgb[i] < 115 ? 1 : (rgb[i] - 35) / 40);
    }
    bool grey = abs((int)rgb[0] - (int)rgb[1]) < 16 && abs((int)rgb[1] - (int)rgb[2]) < 16;
    if (grey && rgb[0] > 8 && rgb[0] < 240)
        return GREY + (rgb[0] - 8) / 10;
    return CUBE + index;
}

static bool same_style(style a, style b)
{
    return a.ink == b.ink && a.ground == b.ground && a.bold == b.bold && a.faint == b.faint;
}

static void change_style(pj_buf *out, style to)
{
    pj_buf_puts(out, "\033[0");
    if (to.bold)
        pj_buf_puts(out, ";1");
    if (to.faint)
        pj_buf_puts(out, ";2");
    if (to.ink)
        pj_buf_addf(out, ";38;5;%u", index_of(to.ink));
    if (to.ground)
        pj_buf_addf(out, ";48;5;%u", index_of(to.ground));
    pj_buf_add_char(out, 'm');
}

/// The cells of a row up to the last one that shows anything.
static long row_end(const pj_terminal_sheet *sheet, long row)
{
    long end = 0;
    style look;
    for (long i = 0; i < sheet->columns; i++)
        if (show_cell(sheet, cell_at(sheet, i, row), &look) != ' ' || look.ground)
            end = i + 1;
    return end;
}

static void write_row(const pj_terminal_sheet *sheet, long row, pj_buf *out)
{
    style now = {.ink = 0}, look;
    long end = row_end(sheet, row);
    for (long i = 0; i < end; i++) {
        const cell *c = cell_at(sheet, i, row);
        uint32_t glyph = show_cell(sheet, c, &look);
        if (c->covered)
            continue;
        if (sheet->colour && !same_style(look, now) && (glyph != ' ' || look.ground || now.ground))
            change_style(out, now = look);
        pj_utf8_add(out, glyph);
    }
    if (!same_style(now, (style){.ink = 0}))
        change_style(out, (style){.ink = 0});
    pj_buf_add_char(out, '\n');
}

void pj_terminal_sheet_write(const pj_terminal_sheet *sheet, pj_buf *out)
{
    pj_terminal_sheet shown = *sheet;
    find_shades(&shown);
    long first = 0, last = sheet->rows;
    while (first < last && !row_end(&shown, first)) // margins of a page
        first++;
    while (last > first && !row_end(&shown, last - 1))
        last--;
    for (long row = first; row < last; row++)
        write_row(&shown, row, out);
}
