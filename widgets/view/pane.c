// A row is a button: widgets are made as they are needed and used again, and only what changes is
// sent.
#include "widgets/view/pane.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/wizard/wizard_pieces.h"

#include <math.h>
#include <stdio.h>

enum { DEPTH_MOST = 40 };
#define NO_BREAK "\u00a0"
#define FIGURE_SPACE "\u2007"
#define MARK "2px solid #b5005b"
#define RIM "1px solid rgba(128,128,128,.25)"

static pj_piece new_row(pj_pane *pane, size_t place)
{
    pj_piece row = pj_piece_new(pane->parts, "Button",
                                json_pack("{s:{s:s, s:s, s:s, s:s, s:s, s:s}, s:{s:s}}", "layout",
                                          "width", "auto", "height", "24px", "margin", "0",
                                          "padding", "0 6px", "display", "flex", "justify_content",
                                          "flex-start", "style", "font_variant", "tabular-nums"));
    pj_piece_layout(pane->parts, row, "flex", "0 0 24px");
    pj_piece_layout(pane->parts, row, "align_items", "center");
    if (pane->of_calls) // figure/alive/link.js
        pj_piece_set(pane->parts, row, "_dom_classes", json_pack("[s]", "pj-call"));
    pj_piece_on_place(pane->parts, row, pane->click, pane->place + place);
    return row;
}

void pj_pane_build(pj_pane *pane, pj_pieces *parts, size_t place, const char *width,
                   void (*click)(void *context, size_t place))
{
    *pane = (pj_pane){.parts = parts, .place = place, .click = click, .limit = PJ_PANE_PAGE};
    pj_piece none = NULL;
    pane->title = pj_piece_html(parts, "");
    pane->list = pj_piece_box(parts, "VBox", &none);
    pane->more = pj_piece_button(parts, "", NULL, "Shows further rows");
    pj_piece_on_place(parts, pane->more, click, place + PJ_PANE_MOST);
    pj_piece_show(parts, pane->more, false);
    pane->root = PJ_PIECE_COLUMN(parts, pane->title, pane->list, pane->more);
    pj_piece_layout(parts, pane->list, "max_height", "540px");
    pj_piece_layout(parts, pane->list, "overflow", "auto");
    pj_piece_layout(parts, pane->root, "width", width);
    pj_piece_layout(parts, pane->root, "min_width", "230px");
}

void pj_pane_grow(pj_pane *pane)
{
    pane->limit =
        pane->limit + PJ_PANE_PAGE > PJ_PANE_MOST ? PJ_PANE_MOST : pane->limit + PJ_PANE_PAGE;
}

/// "  v 12.3 name", with blanks that a browser keeps.
static json_t *text_of(const pj_pane_row *row)
{
    pj_auto_buf text = {0};
    unsigned depth = row->depth < DEPTH_MOST ? row->depth : DEPTH_MOST;
    pj_buf_puts(&text, row->value);
    pj_buf_puts(&text, NO_BREAK NO_BREAK);
    for (unsigned i = 0; i < depth; i++)
        pj_buf_puts(&text, NO_BREAK NO_BREAK NO_BREAK);
    pj_buf_puts(&text, row->holds ? row->open ? "\u25be " : "\u25b8 " : FIGURE_SPACE NO_BREAK);
    pj_buf_puts(&text, row->name);
    return pj_piece_string(text.at);
}

static json_t *css(pj_colour colour)
{
    return json_sprintf("#%06x", (unsigned)(colour >> 8));
}

static void dress(const pj_pane *pane, pj_piece piece, const pj_pane_row *row)
{
    double part = isnan(row->part) ? 0 : fmin(fmax(row->part, 0), 1);
    pj_colour fill = pj_palette_mix(PJ_PAPER, row->colour, part > 0 ? 0.06 + 0.84 * sqrt(part) : 0);
    json_t *style = json_pack("{s:o, s:o, s:s, s:s, s:s}", "button_color", css(fill), "text_color",
                              css(pj_palette_ink(fill)), "font_weight",
                              row->chosen ? "bold" : "normal", "text_decoration",
                              row->wanted ? "underline" : "none", "font_variant", "tabular-nums");
    pj_piece_set(pane->parts, piece, "style", style);
    pj_piece_layout(pane->parts, piece, "border", row->chosen ? MARK : row->wanted ? MARK : RIM);
    pj_piece_set(pane->parts, piece, "description", text_of(row));
    pj_piece_set(pane->parts, piece, "tooltip", pj_piece_string(row->tip));
}

/// What is left out is said, and whether a click brings it.
static void show_more(const pj_pane *pane, size_t count)
{
    char number[32], text[96];
    number[pj_format_grouped((int64_t)(count - pane->shown), number)] = 0;
    snprintf(text, sizeof text,
             pane->limit < PJ_PANE_MOST ? "%s more rows" : "%s more rows: shut some", number);
    pj_piece_set(pane->parts, pane->more, "description", json_string(text));
    pj_piece_enable(pane->parts, pane->more, pane->limit < PJ_PANE_MOST);
    pj_piece_show(pane->parts, pane->more, count > pane->shown);
}

void pj_pane_show(pj_pane *pane, const char *title, const pj_pane_row *rows, size_t count)
{
    pj_piece shown[PJ_PANE_MOST + 1] = {0};
    size_t before = pane->shown;
    pane->shown = count < pane->limit ? count : pane->limit;
    pj_piece_tell(pane->parts, pane->title, title);
    for (size_t i = 0; i < pane->shown; i++) {
        if (i >= pane->made) {
            pane->rows[i] = new_row(pane, i);
            pane->made = i + 1;
        }
        pane->items[i] = rows[i].item;
        dress(pane, pane->rows[i], &rows[i]);
        shown[i] = pane->rows[i];
    }
    if (pane->shown != before)
        pj_piece_children(pane->parts, pane->list, shown);
    show_more(pane, count);
}
