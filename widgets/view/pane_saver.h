// Name, format and button to save what a view shows as a table.
// Ownership: its widgets are those of the pieces.
#ifndef PJ_PANE_SAVER_H
#define PJ_PANE_SAVER_H

#include "metrics/table/table.h"
#include "widgets/wizard/wizard_pieces.h"

typedef struct pj_pane_saver {
    pj_piece name, format, said;
} pj_pane_saver;

/// `save` is called by its button. Returns what is to be shown.
pj_piece pj_pane_saver_build(pj_pane_saver *saver, pj_pieces *parts, void (*save)(void *context));
/// Writes the table beside the notebook, and says so, or why not.
void pj_pane_saver_save(const pj_pane_saver *saver, pj_pieces *parts, const pj_table *table);

#endif
