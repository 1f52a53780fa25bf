// A pane of rows that fold, in widgets alone: a click on a row chooses it, one on the chosen row
// opens or shuts it. Works wherever widgets do, without a script.
// Ownership: its widgets are those of the pieces; rows and their texts are borrowed.
#ifndef PJ_PANE_H
#define PJ_PANE_H

#include "widgets/figure/figure.h"
#include "widgets/wizard/wizard_pieces.h"

enum { PJ_PANE_PAGE = 40, PJ_PANE_MOST = 400 }; // rows to begin with, and at most

typedef struct pj_pane_row {
    uint32_t item;     // what it stands for
    unsigned depth;    // of indentation
    bool holds, open;  // rows below it; which are shown
    const char *value; // "12.3", aligned by its maker
    const char *name;
    const char *tip;
    double part;      // of the largest one, for its colour; NAN = none
    pj_colour colour; // of the largest one
    bool wanted;      // is searched for
    bool chosen;
} pj_pane_row;

typedef struct pj_pane {
    pj_pieces *parts;
    pj_piece root, title, list, more;
    pj_piece rows[PJ_PANE_MOST];
    uint32_t items[PJ_PANE_MOST]; // of the rows that are shown
    size_t made, shown, limit;    // rows with a widget; that are seen; that may be
    size_t place;                 // of its first row among those of all panes
    bool of_calls;                // rows are functions, which pictures of the page show on a click
    void (*click)(void *context, size_t place);
} pj_pane;

/// `click` is told place + number of the row, or place + PJ_PANE_MOST for "more rows".
void pj_pane_build(pj_pane *pane, pj_pieces *parts, size_t place, const char *width,
                   void (*click)(void *context, size_t place));
/// The first rows up to the limit.
void pj_pane_show(pj_pane *pane, const char *title, const pj_pane_row *rows, size_t count);
/// More of the same rows from the next time on.
void pj_pane_grow(pj_pane *pane);

#endif
