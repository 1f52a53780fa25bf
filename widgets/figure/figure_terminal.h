// A figure in a terminal: areas as blocks, lines as Braille dots, text as text. One renderer draws
// the display list of any plot. Ownership: output is appended to the caller's buffer.
#ifndef PJ_FIGURE_TERMINAL_H
#define PJ_FIGURE_TERMINAL_H

#include "metrics/base/buf.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

enum { PJ_TERMINAL_COLUMNS_LEAST = 80, PJ_TERMINAL_COLUMNS_MOST = 200 };

typedef struct pj_terminal_opts {
    unsigned columns; // of the terminal; 0 = 100
    bool colour;      // ANSI colours; without them areas are told apart by shades
} pj_terminal_opts;

/// Measures text as it stands in a terminal: figures for one are laid out with it. Draws no files.
extern const pj_draw pj_draw_terminal;
/// Columns that a figure takes there, from 80 to 200, and its width in px.
unsigned pj_figure_terminal_columns(pj_terminal_opts opts);
double pj_figure_terminal_width(pj_terminal_opts opts);
/// Makes a figure higher whose labels stand closer than rows do, so that each has its own.
void pj_figure_terminal_stretch(pj_figure *figure);
void pj_figure_terminal(const pj_figure *figure, pj_terminal_opts opts, pj_buf *out);

#endif
