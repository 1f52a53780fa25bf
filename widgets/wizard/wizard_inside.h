// The page inside one run: what its files share. Ownership: everything belongs to the wizard.
#ifndef PJ_WIZARD_INSIDE_H
#define PJ_WIZARD_INSIDE_H

#include "metrics/base/buf.h"
#include "metrics/run/run.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_job.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_ranks.h"
#include "widgets/wizard/wizard_record.h"

typedef struct pj_inside_page {
    pj_piece run, view, quantity, bars, order, range, ranks, streams, waits, show, zoom, cancel,
        plot, summary;
    const char *mark; // class of the field of the time
    pj_wizard_saver saver;
} pj_inside_page;

pj_inside_page *pj_wizard_inside_page(const pj_wizard *wizard);
/// What is chosen: the run, of its totals the quantity (NULL = where the time goes) and the bars,
/// and what is looked at.
const pj_run *pj_wizard_inside_run(const pj_wizard *wizard);
const pj_rank_quantity *pj_wizard_inside_quantity(const pj_wizard *wizard);
pj_rank_bars pj_wizard_inside_bars(const pj_wizard *wizard);
pj_wizard_view pj_wizard_inside_view(const pj_wizard *wizard);
/// Turns to the page with this run and view; `range`: of a timeline, with its waits; "" = all.
void pj_wizard_inside_open(pj_wizard *wizard, const pj_run *run, pj_wizard_view view,
                           const char *range);
/// Shows what is chosen; what has to be read for it is read first.
void pj_wizard_inside_draw(pj_wizard *wizard);

/// wizard_look.c: whether the run has been read for what is looked at.
bool pj_wizard_look_done(const pj_wizard *wizard);
void pj_wizard_look_start(pj_wizard *wizard);
void pj_wizard_look_end(pj_wizard *wizard);
/// The button that stops it.
void pj_wizard_look_cancel(void *context);

/// wizard_zoom.c: buttons over a timeline.
pj_piece pj_wizard_zoom_build(pj_wizard *wizard);

/// wizard_inside_code.c: what a cell would say.
void pj_wizard_inside_code(const pj_wizard *wizard, pj_buf *out);

#endif
